//! The limit on open files: legacy programs know none, so the soft limit gives way to the hard one when it is met.

use std::io;

/// Raises the soft limit on open files to the hard one. Returns whether that gained anything.
pub(crate) fn raise_open_files() -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call fills the structure it is given.
    if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } != 0
        || limit.rlim_cur >= limit.rlim_max
    {
        return false;
    }
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: the call reads the structure it is given.
    unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) == 0 }
}

/// Whether an open failed because this process has as many files open as it may.
pub(crate) fn is_met(error: &eaf::Error) -> bool {
    let eaf::Error::Open(error) = error else { return false };
    error.os_error().and_then(io::Error::raw_os_error) == Some(libc::EMFILE)
}
