//! C's standard output, so that what is printed here stands in order with what the C program prints.

use std::ffi::CString;

unsafe extern "C" {
    static stdout: *mut libc::FILE;
}

/// Prints `text` and flushes.
pub fn print(text: &str) {
    let Ok(text) = CString::new(text) else { return };
    // SAFETY: `stdout` is the C library's stream, and `text` ends with a NUL.
    unsafe {
        libc::fputs(text.as_ptr(), stdout);
        libc::fflush(stdout);
    }
}
