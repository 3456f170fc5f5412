//! C's output streams, so that what is printed here stands in order with what the C program prints.

use std::ffi::CString;

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    static stderr: *mut libc::FILE;
}

/// Prints `text` on standard output and flushes it.
pub(crate) fn print(text: &str) {
    // SAFETY: the C library's stream.
    put(text, unsafe { stdout });
}

/// Prints `text` on standard error, after what standard output has.
pub(crate) fn warn(text: &str) {
    // SAFETY: the C library's streams.
    unsafe {
        libc::fflush(stdout);
        put(text, stderr);
    }
}

fn put(text: &str, stream: *mut libc::FILE) {
    let Ok(text) = CString::new(text) else { return };
    // SAFETY: `text` ends with a NUL, and both callers give an open stream.
    unsafe {
        libc::fputs(text.as_ptr(), stream);
        libc::fflush(stream);
    }
}
