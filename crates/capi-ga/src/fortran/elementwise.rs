//! Operations element by element, and on diagonals, rows and columns of matrices. Collective over the arrays' group.
//!
//! Values have the type of the array.

use super::handle;
use crate::caller::Caller;
use crate::calls::arithmetic::Range;
use crate::calls::elementwise::{self as calls, Triple};
use chemio_capi::Integer;
use ga::{Change, Diagonal, Pairing};
use libc::c_void;

unsafe fn range<I: Integer>(caller: Caller, g_a: *const I, lo: *const I, hi: *const I) -> Range<I> {
    // SAFETY: see the head of `fortran.rs`.
    Range { handle: unsafe { handle(caller, g_a) }, lo, hi }
}

/// What a letter stands for: a product, a quotient, the larger or the smaller.
fn pairing(letter: u8) -> Pairing {
    match letter {
        b'*' => Pairing::Product,
        b'/' => Pairing::Quotient,
        b'>' => Pairing::Larger,
        _ => Pairing::Smaller,
    }
}

/// `subroutine ga_elem_multiply(g_a, g_b, g_c)`, and its like.
pub unsafe fn pair<I: Integer, const HOW: u8>(caller: Caller, g_a: *const I, g_b: *const I, g_c: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    let [a, b, c] = unsafe { [g_a, g_b, g_c].map(|array| handle(caller, array)) };
    calls::pair(caller, pairing(HOW), Triple { a, b, c });
}

/// `subroutine ga_elem_multiply_patch(g_a, alo, ahi, g_b, blo, bhi, g_c, clo, chi)`, and its like.
pub unsafe fn pair_patches<I: Integer, const HOW: u8>(
    caller: Caller,
    g_a: *const I,
    alo: *const I,
    ahi: *const I,
    g_b: *const I,
    blo: *const I,
    bhi: *const I,
    g_c: *const I,
    clo: *const I,
    chi: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let (a, b) = (range(caller, g_a, alo, ahi), range(caller, g_b, blo, bhi));
        calls::pair_patches(caller, pairing(HOW), Triple { a, b, c: range(caller, g_c, clo, chi) });
    }
}

/// `subroutine ga_abs_value(g_a)`
pub unsafe fn abs_value<I: Integer>(caller: Caller, g_a: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    calls::change(caller, unsafe { handle(caller, g_a) }, Change::Magnitude);
}

/// `subroutine ga_recip(g_a)`
pub unsafe fn recip<I: Integer>(caller: Caller, g_a: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    calls::change(caller, unsafe { handle(caller, g_a) }, Change::Reciprocal);
}

/// `subroutine ga_add_constant(g_a, alpha)`
pub unsafe fn add_constant<I: Integer>(caller: Caller, g_a: *const I, alpha: *const c_void) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { calls::add_constant(caller, handle(caller, g_a), alpha) }
}

/// `subroutine ga_abs_value_patch(g_a, lo, hi)`
pub unsafe fn abs_value_patch<I: Integer>(caller: Caller, g_a: *const I, lo: *const I, hi: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { calls::change_patch(caller, range(caller, g_a, lo, hi), Change::Magnitude) }
}

/// `subroutine ga_recip_patch(g_a, lo, hi)`
pub unsafe fn recip_patch<I: Integer>(caller: Caller, g_a: *const I, lo: *const I, hi: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { calls::change_patch(caller, range(caller, g_a, lo, hi), Change::Reciprocal) }
}

/// `subroutine ga_add_constant_patch(g_a, lo, hi, alpha)`
pub unsafe fn add_constant_patch<I: Integer>(
    caller: Caller,
    g_a: *const I,
    lo: *const I,
    hi: *const I,
    alpha: *const c_void,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { calls::add_constant_patch(caller, range(caller, g_a, lo, hi), alpha) }
}

/// `subroutine ga_shift_diagonal(g_a, c)`
pub unsafe fn shift_diagonal<I: Integer>(caller: Caller, g_a: *const I, c: *const c_void) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { calls::shift_diagonal(caller, handle(caller, g_a), c) }
}

/// `subroutine ga_zero_diagonal(g_a)`
pub unsafe fn zero_diagonal<I: Integer>(caller: Caller, g_a: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    calls::zero_diagonal(caller, unsafe { handle(caller, g_a) });
}

/// `subroutine ga_set_diagonal(g_a, g_v)`
pub unsafe fn set_diagonal<I: Integer>(caller: Caller, g_a: *const I, g_v: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    let (matrix, vector) = unsafe { (handle(caller, g_a), handle(caller, g_v)) };
    calls::diagonal(caller, Diagonal::Set, matrix, vector);
}

/// `subroutine ga_add_diagonal(g_a, g_v)`
pub unsafe fn add_diagonal<I: Integer>(caller: Caller, g_a: *const I, g_v: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    let (matrix, vector) = unsafe { (handle(caller, g_a), handle(caller, g_v)) };
    calls::diagonal(caller, Diagonal::Add, matrix, vector);
}

/// `subroutine ga_get_diag(g_a, g_v)`
pub unsafe fn get_diag<I: Integer>(caller: Caller, g_a: *const I, g_v: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    let (matrix, vector) = unsafe { (handle(caller, g_a), handle(caller, g_v)) };
    calls::diagonal(caller, Diagonal::Get, matrix, vector);
}

/// `subroutine ga_scale_rows(g_a, g_v)`
pub unsafe fn scale_rows<I: Integer>(caller: Caller, g_a: *const I, g_v: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    let (matrix, vector) = unsafe { (handle(caller, g_a), handle(caller, g_v)) };
    calls::scale_rows(caller, matrix, vector);
}

/// `subroutine ga_scale_cols(g_a, g_v)`
pub unsafe fn scale_cols<I: Integer>(caller: Caller, g_a: *const I, g_v: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    let (matrix, vector) = unsafe { (handle(caller, g_a), handle(caller, g_v)) };
    calls::scale_columns(caller, matrix, vector);
}

/// `subroutine ga_norm1(g_a, nm)`
pub unsafe fn norm1<I: Integer>(caller: Caller, g_a: *const I, nm: *mut f64) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { calls::norm1(caller, handle(caller, g_a), nm) }
}

/// `subroutine ga_norm_infinity(g_a, nm)`
pub unsafe fn norm_infinity<I: Integer>(caller: Caller, g_a: *const I, nm: *mut f64) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { calls::norm_infinity(caller, handle(caller, g_a), nm) }
}
