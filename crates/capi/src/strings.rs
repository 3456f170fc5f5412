//! Strings across the border: NUL-terminated in C, blank-padded with a hidden length in Fortran.

use crate::error::{Error, Result};
use std::ffi::{CStr, OsStr};
use std::os::raw::c_char;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What replaces the beginning of a path that does not fit.
const ELLIPSIS: &str = "...";

/// A file name from C.
///
/// # Safety
/// `name` is null or a NUL-terminated string that outlives the result.
pub unsafe fn c_path<'a>(name: *const c_char, code: i32) -> Result<&'a Path> {
    if name.is_null() {
        return Err(Error::NullPointer { argument: "name", code });
    }
    // SAFETY: promised by the caller.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    Ok(Path::new(OsStr::from_bytes(bytes)))
}

/// A file name from Fortran: trailing blanks stripped, leading kept, cut at a NUL if the caller put one there.
///
/// # Safety
/// `name` is null or points to `len` characters that outlive the result.
pub unsafe fn fortran_path<'a>(name: *const c_char, len: usize, code: i32) -> Result<&'a Path> {
    if name.is_null() {
        return Err(Error::NullPointer { argument: "name", code });
    }
    // SAFETY: promised by the caller.
    let bytes = unsafe { std::slice::from_raw_parts(name.cast::<u8>(), len) };
    Ok(Path::new(OsStr::from_bytes(strip(bytes))))
}

/// What stands before the first NUL and before trailing blanks.
pub fn strip(bytes: &[u8]) -> &[u8] {
    let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    let len = text.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1);
    &text[..len]
}

/// Writes `text` and a NUL into `len` characters of C memory; what does not fit is cut.
///
/// # Safety
/// `into` points to `len` characters that may be written.
pub unsafe fn fill_c(into: *mut c_char, len: usize, text: &[u8]) {
    let Some(room) = len.checked_sub(1) else { return };
    let kept = text.len().min(room);
    // SAFETY: `kept` + 1 is at most `len`, which the caller promised.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), into.cast::<u8>(), kept);
        into.add(kept).write(0);
    }
}

/// Writes `text` into `len` characters of Fortran memory, padded with blanks; what does not fit is cut.
///
/// # Safety
/// `into` points to `len` characters that may be written.
pub unsafe fn fill_fortran(into: *mut c_char, len: usize, text: &[u8]) {
    let kept = text.len().min(len);
    // SAFETY: `kept` is at most `len`, which the caller promised.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), into.cast::<u8>(), kept);
        std::ptr::write_bytes(into.cast::<u8>().add(kept), b' ', len - kept);
    }
}

/// `message` in at most `len_max` bytes: the path it ends with is shortened from its beginning, then the message is cut.
pub fn shorten(message: &str, path: Option<&Path>, len_max: usize) -> String {
    if message.len() <= len_max {
        return message.to_owned();
    }
    let path = path.map(|path| path.display().to_string()).unwrap_or_default();
    let head = message.strip_suffix(&path).unwrap_or(message);
    let tail = &message[head.len()..];
    match len_max.checked_sub(head.len() + ELLIPSIS.len()) {
        Some(room) if !tail.is_empty() => format!("{head}{ELLIPSIS}{}", last_bytes(tail, room)),
        _ => first_bytes(message, len_max).to_owned(),
    }
}

/// At most the first `len_max` bytes, whole characters only.
fn first_bytes(text: &str, len_max: usize) -> &str {
    let mut to = text.len().min(len_max);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    &text[..to]
}

/// At most the last `len_max` bytes, whole characters only.
fn last_bytes(text: &str, len_max: usize) -> &str {
    let mut from = text.len().saturating_sub(len_max);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_blanks_are_stripped_and_leading_ones_kept() {
        assert_eq!(strip(b"  a b  "), b"  a b");
        assert_eq!(strip(b"name\0junk  "), b"name");
        assert_eq!(strip(b"    "), b"");
        assert_eq!(strip(b""), b"");
    }

    #[test]
    fn fortran_text_is_padded_or_cut_and_nothing_is_written_behind_it() {
        let mut memory = [b'#'; 8];
        // SAFETY: 6 of the 8 characters are given away.
        unsafe { fill_fortran(memory.as_mut_ptr().cast(), 6, b"UFS") };
        assert_eq!(&memory, b"UFS   ##");
        // SAFETY: as above.
        unsafe { fill_fortran(memory.as_mut_ptr().cast(), 6, b"too long") };
        assert_eq!(&memory, b"too lo##");
    }

    #[test]
    fn c_text_always_ends_with_a_nul_inside_its_memory() {
        let mut memory = [b'#'; 8];
        // SAFETY: 4 of the 8 characters are given away.
        unsafe { fill_c(memory.as_mut_ptr().cast(), 4, b"too long") };
        assert_eq!(&memory, b"too\0####");
        // SAFETY: none are given away.
        unsafe { fill_c(memory.as_mut_ptr().cast(), 0, b"x") };
        assert_eq!(&memory, b"too\0####");
    }

    #[test]
    fn a_long_path_loses_its_beginning_before_the_cause_loses_anything() {
        let path = Path::new("/scratch/a/very/long/way/to/integrals.0");
        let message = format!("no space: write of {}", path.display());
        assert_eq!(shorten(&message, Some(path), 200), message);
        assert_eq!(shorten(&message, Some(path), 40), "no space: write of ...way/to/integrals.0");
        assert_eq!(shorten(&message, Some(path), 12), "no space: wr");
        assert_eq!(shorten(&message, None, 12), "no space: wr");
    }

    #[test]
    fn characters_of_several_bytes_are_not_cut_in_the_middle() {
        let path = Path::new("/é/é");
        let message = format!("x: {}", path.display());
        for len_max in 0..message.len() {
            assert!(shorten(&message, Some(path), len_max).len() <= len_max);
        }
    }
}
