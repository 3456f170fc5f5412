//! The Fortran calls, for either width of INTEGER; `export!` gives them their symbols.
//!
//! Every argument comes by reference; hidden lengths of character arguments follow at the end, in order, as `size_t`. A
//! LOGICAL has the width of an INTEGER and is false if it is zero. Matrices may be named by `ilo, ihi, jlo, jhi`, arrays
//! of any dimension by `lo, hi`.
#![allow(clippy::missing_safety_doc)] // one contract for all: arguments are null or point to what the call declares
#![allow(clippy::many_single_char_names, clippy::similar_names, clippy::too_many_arguments)] // the legacy signatures

pub mod arithmetic;
pub mod arrays;
pub mod collective;
pub mod elementwise;
pub mod lifecycle;
pub mod print;
pub mod transfer;

use crate::boundary::or_abort;
use crate::caller::Caller;
use crate::calls::describe;
use crate::fetch;
use chemio_capi::Integer;
use libc::c_char;

/// The caller of a symbol.
pub const fn caller(symbol: &'static str) -> Caller {
    Caller::fortran(symbol)
}

/// A number given by reference.
unsafe fn number<I: Integer>(caller: Caller, pointer: *const I, argument: &'static str) -> i64 {
    // SAFETY: see the head of this file.
    or_abort(caller, || unsafe { fetch::value(pointer, argument) }).get()
}

/// A handle of an array.
unsafe fn handle<I: Integer>(caller: Caller, pointer: *const I) -> i64 {
    // SAFETY: see the head of this file.
    unsafe { number(caller, pointer, "g_a") }
}

/// A handle of a matrix: the calls for matrices have two indices only.
unsafe fn matrix_handle<I: Integer>(caller: Caller, pointer: *const I) -> i64 {
    // SAFETY: see the head of this file.
    let handle = unsafe { handle(caller, pointer) };
    or_abort(caller, || describe::expect_matrix(handle));
    handle
}

/// A LOGICAL, or a number that stands for one.
unsafe fn truth<I: Integer>(caller: Caller, pointer: *const I, argument: &'static str) -> bool {
    // SAFETY: see the head of this file.
    unsafe { number(caller, pointer, argument) != 0 }
}

/// A letter; nothing at all is a blank.
unsafe fn letter(pointer: *const c_char, len: usize) -> u8 {
    // SAFETY: see the head of this file.
    if pointer.is_null() || len == 0 { b' ' } else { unsafe { pointer.read() }.cast_unsigned() }
}

/// First and last row, first and last column.
unsafe fn matrix<I: Integer>(caller: Caller, numbers: [*const I; 4]) -> [i64; 4] {
    // SAFETY: see the head of this file.
    numbers.map(|pointer| unsafe { number(caller, pointer, "ilo, ihi, jlo or jhi") })
}

/// The same as first and last indices.
unsafe fn corners<I: Integer>(caller: Caller, numbers: [*const I; 4]) -> ([I; 2], [I; 2]) {
    // SAFETY: see the head of this file.
    let [ilo, ihi, jlo, jhi] = unsafe { matrix(caller, numbers) }.map(I::nearest);
    ([ilo, jlo], [ihi, jhi])
}
