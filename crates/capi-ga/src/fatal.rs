//! The end of the whole program, by `ga_error` or by a mistake that a call cannot return.

use crate::session;
use comm::ffi;
use std::io::Write;
use std::os::raw::c_int;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the launcher gets to print what was said, before the end: MPICH's drops what it has not read by then.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// The last failure that a call returned without saying why.
static LAST: Mutex<Option<(Instant, String)>> = Mutex::new(None);

/// Keeps why a call failed, for [`last_failure`].
pub(crate) fn remember(failure: String) {
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), failure));
}

/// When the last call that failed did, and why, if any has.
pub(crate) fn last_failure() -> Option<(Instant, String)> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Prints the message with this process's number on standard error and ends all processes. The exit code is `code`, or
/// 255 where that would mean success.
pub(crate) fn abort(message: &str, code: i32) -> ! {
    let rank = session::world_rank().map_or_else(|| "?".to_owned(), |rank| rank.to_string());
    // SAFETY: a null stream stands for all of them: what the program has printed comes before the message.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    // In one piece: other processes print at the same time, and end this one. Nobody is left to tell if it fails.
    let _ = std::io::stderr().write_all(format!("chemio: rank {rank}: {message}\n").as_bytes());
    // Of an exit code only eight bits arrive.
    let code = if code.trailing_zeros() >= 8 { 255 } else { code };
    end_all(code);
    std::process::exit(code)
}

/// Ends all processes of the program, if MPI runs.
fn end_all(code: c_int) {
    let (mut initialised, mut finalised) = (0, 0);
    // SAFETY: both may be called at any time and write to locals.
    unsafe {
        ffi::MPI_Initialized(&raw mut initialised);
        ffi::MPI_Finalized(&raw mut finalised);
    }
    if initialised != 0 && finalised == 0 && comm::fits_library() {
        std::thread::sleep(LAST_WORDS);
        // SAFETY: MPI runs, and is the one that we were built for, so its world is a communicator.
        unsafe { ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, code) };
    }
}
