//! Names across the border: NUL-terminated in C, blank-padded with a hidden length in Fortran.

use std::borrow::Cow;
use std::ffi::CStr;
use std::os::raw::c_char;

/// A name from C; none is an empty one.
///
/// # Safety
/// `name` is null or a NUL-terminated string that outlives the result.
pub(crate) unsafe fn c_name<'a>(name: *const c_char) -> Cow<'a, str> {
    if name.is_null() {
        return "".into();
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(name) }.to_string_lossy()
}

/// A name from Fortran: trailing blanks stripped, cut at a NUL if the caller put one there.
///
/// # Safety
/// `name` is null or points to `len` characters that outlive the result.
pub(crate) unsafe fn fortran_name<'a>(name: *const c_char, len: usize) -> Cow<'a, str> {
    if name.is_null() {
        return "".into();
    }
    // SAFETY: promised by the caller.
    let bytes = unsafe { std::slice::from_raw_parts(name.cast::<u8>(), len) };
    let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    let end = text.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1);
    String::from_utf8_lossy(&text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fortran(text: &[u8]) -> Cow<'_, str> {
        // SAFETY: a slice is as long as it says.
        unsafe { fortran_name(text.as_ptr().cast(), text.len()) }
    }

    #[test]
    fn fortran_names_end_at_their_last_letter_or_at_a_nul() {
        assert_eq!(fortran(b" work  "), " work");
        assert_eq!(fortran(b"work\0junk"), "work");
        assert_eq!(fortran(b"   "), "");
        assert_eq!(fortran(b""), "");
    }

    #[test]
    fn what_is_no_text_is_still_a_name() {
        assert_eq!(fortran(b"a\xFFb"), "a\u{FFFD}b");
    }

    #[test]
    fn a_null_name_is_an_empty_one() {
        // SAFETY: null is allowed.
        unsafe {
            assert_eq!(c_name(std::ptr::null()), "");
            assert_eq!(fortran_name(std::ptr::null(), 5), "");
            assert_eq!(c_name(c"work ".as_ptr()), "work ");
        }
    }
}
