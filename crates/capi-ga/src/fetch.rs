//! Arguments by pointer, with the null check that C and Fortran lack.
//!
//! One contract for all: a pointer is null, or what it points to is as the call declares it.

use crate::caller::Indices;
use crate::{Error, Result};
use chemio_capi::Integer;
use ga::{ElementType, Scalar};
use libc::{c_char, c_void};
use num_complex::Complex;
use std::ffi::CStr;

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

/// Stores a result where the caller wants it.
///
/// # Safety
/// `pointer` is null or points to memory that may be written.
pub(crate) unsafe fn store<T>(pointer: *mut T, value: T, argument: &'static str) -> Result<()> {
    if pointer.is_null() {
        return Err(Error::NullPointer { argument });
    }
    // SAFETY: promised by the caller.
    unsafe { pointer.write_unaligned(value) };
    Ok(())
}

/// One number for each of at most seven dimensions.
///
/// # Safety
/// `pointer` is null or points to `dims` numbers.
pub(crate) unsafe fn indices<I: Integer>(
    pointer: *const I,
    dims: usize,
    argument: &'static str,
) -> Result<Indices> {
    if pointer.is_null() && dims > 0 {
        return Err(Error::NullPointer { argument });
    }
    // SAFETY: promised by the caller.
    Ok(Indices::from_fn(dims, |d| unsafe { pointer.add(d).read_unaligned() }.get()))
}

/// Stores one number for each dimension.
///
/// # Safety
/// `pointer` is null or points to room for as many numbers.
pub(crate) unsafe fn store_indices<I: Integer>(
    pointer: *mut I,
    values: &[i64],
    argument: &'static str,
) -> Result<()> {
    for (d, &value) in values.iter().enumerate() {
        // SAFETY: promised by the caller; a null pointer is refused for the first.
        unsafe { store(pointer.wrapping_add(d), I::nearest(value), argument) }?;
    }
    Ok(())
}

/// A list of numbers.
///
/// # Safety
/// `pointer` is null or points to `len` numbers.
pub(crate) unsafe fn list<I: Integer>(
    pointer: *const I,
    len: usize,
    argument: &'static str,
) -> Result<Vec<i64>> {
    if pointer.is_null() && len > 0 {
        return Err(Error::NullPointer { argument });
    }
    // SAFETY: promised by the caller.
    Ok((0..len).map(|at| unsafe { pointer.add(at).read_unaligned() }.get()).collect())
}

/// A count that is not negative.
pub(crate) fn count(value: i64, argument: &'static str) -> Result<usize> {
    usize::try_from(value).map_err(|_| Error::BadNumber { argument, got: value })
}

/// A value of an array's type.
///
/// # Safety
/// `pointer` is null or points to a value of that type.
pub(crate) unsafe fn scalar(
    pointer: *const c_void,
    element: ElementType,
    argument: &'static str,
) -> Result<Scalar> {
    // SAFETY: promised by the caller, for the type of each arm.
    unsafe {
        Ok(match element {
            ElementType::Int => value(pointer.cast::<i32>(), argument)?.into(),
            ElementType::Long => value(pointer.cast::<i64>(), argument)?.into(),
            ElementType::Float => value(pointer.cast::<f32>(), argument)?.into(),
            ElementType::Double => value(pointer.cast::<f64>(), argument)?.into(),
            ElementType::SingleComplex => value(pointer.cast::<Complex<f32>>(), argument)?.into(),
            ElementType::DoubleComplex => value(pointer.cast::<Complex<f64>>(), argument)?.into(),
        })
    }
}

/// A name from C; none is an empty one.
///
/// # Safety
/// `name` is null or a NUL-terminated string.
pub(crate) unsafe fn c_text(name: *const c_char) -> String {
    if name.is_null() {
        return String::new();
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}

/// A name from Fortran: trailing blanks stripped, cut at a NUL if the caller put one there.
///
/// # Safety
/// `name` is null or points to `len` characters.
pub(crate) unsafe fn fortran_text(name: *const c_char, len: usize) -> String {
    if name.is_null() {
        return String::new();
    }
    // SAFETY: promised by the caller.
    let bytes = unsafe { std::slice::from_raw_parts(name.cast::<u8>(), len) };
    String::from_utf8_lossy(chemio_capi::strings::strip(bytes)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_pointers_are_refused_where_something_is_needed() {
        // SAFETY: null is allowed.
        unsafe {
            assert!(value::<i32>(std::ptr::null(), "g_a").is_err());
            assert!(indices::<i64>(std::ptr::null(), 2, "lo").is_err());
            assert!(indices::<i64>(std::ptr::null(), 0, "ld").is_ok());
            assert!(store_indices::<i32>(std::ptr::null_mut(), &[1], "hi").is_err());
            assert!(scalar(std::ptr::null(), ElementType::Double, "alpha").is_err());
        }
    }

    #[test]
    fn scalars_are_read_by_the_type_of_the_array() {
        let one = 1i64;
        // SAFETY: the value is of the type named.
        let read = unsafe { scalar((&raw const one).cast(), ElementType::Long, "alpha") };
        assert_eq!(read.expect("not null"), Scalar::Long(1));
    }
}
