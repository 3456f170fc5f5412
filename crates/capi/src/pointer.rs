//! Arguments by pointer, with the null check that C and Fortran lack.

use crate::error::{Error, Result};

/// A value given by reference.
///
/// # Safety
/// `pointer` is null or points to a readable value.
pub unsafe fn value<T: Copy>(pointer: *const T, argument: &'static str, code: i32) -> Result<T> {
    if pointer.is_null() {
        return Err(Error::NullPointer { argument, code });
    }
    // SAFETY: promised by the caller; an INTEGER in a byte buffer may be unaligned.
    Ok(unsafe { pointer.read_unaligned() })
}

/// Checks that a result can be stored, before anything is done.
pub fn check<T>(pointer: *mut T, argument: &'static str, code: i32) -> Result<()> {
    if pointer.is_null() { Err(Error::NullPointer { argument, code }) } else { Ok(()) }
}

/// Stores a result.
///
/// # Safety
/// `pointer` has passed [`check`] and points to memory that may be written.
pub unsafe fn store<T>(pointer: *mut T, value: T) {
    // SAFETY: promised by the caller; an INTEGER in a byte buffer may be unaligned.
    unsafe { pointer.write_unaligned(value) }
}

/// Stores a result where the caller wants it at all.
///
/// # Safety
/// `pointer` is null or points to memory that may be written.
pub unsafe fn store_unless_null<T>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: promised by the caller.
        unsafe { store(pointer, value) }
    }
}

/// The caller's memory for reading; `pointer` may be null where `len` is zero.
///
/// # Safety
/// The memory is valid for `len` bytes and nobody writes it meanwhile.
pub unsafe fn bytes<'a>(pointer: *const u8, len: usize) -> &'a [u8] {
    if len == 0 {
        return &[];
    }
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts(pointer, len) }
}

/// The caller's memory for writing; `pointer` may be null where `len` is zero.
///
/// # Safety
/// The memory is valid for `len` bytes and nobody else uses it meanwhile.
pub unsafe fn bytes_mut<'a>(pointer: *mut u8, len: usize) -> &'a mut [u8] {
    if len == 0 {
        return &mut [];
    }
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts_mut(pointer, len) }
}
