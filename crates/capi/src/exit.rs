//! The end of the program: nothing that it has written may be lost with it.

use std::sync::OnceLock;

/// The process that has files to hand over, and how.
static REGISTERED: OnceLock<(u32, fn())> = OnceLock::new();

/// Calls `hand_over` when the program exits. Only the first call counts.
pub(crate) fn call_at_exit(hand_over: fn()) {
    REGISTERED.get_or_init(|| {
        // SAFETY: the function lives as long as this library, and the C library forgets it when the library goes.
        // It fails only when memory is out; files are then left to the system.
        unsafe { libc::atexit(at_exit) };
        (std::process::id(), hand_over)
    });
}

/// A forked child that exits has neither written anything here nor the threads that write: it hands over nothing.
extern "C" fn at_exit() {
    if let Some((process, hand_over)) = REGISTERED.get()
        && *process == std::process::id()
    {
        hand_over();
    }
}
