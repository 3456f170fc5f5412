//! Arguments by pointer, with the null check that C and Fortran lack.

use crate::error::{Error, Result};

/// A value given by reference.
///
/// # Safety
/// `pointer` is null or points to a readable value.
pub(crate) unsafe fn value<T: Copy>(pointer: *const T, argument: &'static str) -> Result<T> {
    if pointer.is_null() {
        return Err(Error::NullPointer { argument });
    }
    // SAFETY: promised by the caller; an INTEGER in a byte buffer may be unaligned.
    Ok(unsafe { pointer.read_unaligned() })
}

/// Checks that a result can be stored, before anything is done.
pub(crate) fn check<T>(pointer: *mut T, argument: &'static str) -> Result<()> {
    if pointer.is_null() { Err(Error::NullPointer { argument }) } else { Ok(()) }
}

/// Stores a result.
///
/// # Safety
/// `pointer` has passed [`check`] and points to memory that may be written.
pub(crate) unsafe fn store<T>(pointer: *mut T, value: T) {
    // SAFETY: promised by the caller; an INTEGER in a byte buffer may be unaligned.
    unsafe { pointer.write_unaligned(value) }
}
