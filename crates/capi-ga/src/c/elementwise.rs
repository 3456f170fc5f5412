//! Operations element by element, and on diagonals, rows and columns of matrices. All of it is collective over the arrays' group.
//!
//! Values given by pointer have the type of the array.

use crate::caller::Caller;
use crate::calls::arithmetic::Range;
use crate::calls::elementwise::{self as calls, Triple};
use ga::{Change, Diagonal, Pairing};
use libc::{c_int, c_void};

fn range<N>(g_a: c_int, lo: *const N, hi: *const N) -> Range<N> {
    Range { handle: g_a.into(), lo, hi }
}

fn arrays(g_a: c_int, g_b: c_int, g_c: c_int) -> Triple<i64> {
    Triple { a: g_a.into(), b: g_b.into(), c: g_c.into() }
}

/// `g_c` = the product of corresponding elements of `g_a` and `g_b`. They have the same type and number of elements, and may be
/// the same array.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Elem_multiply(g_a: c_int, g_b: c_int, g_c: c_int) {
    calls::pair(Caller::c("GA_Elem_multiply"), Pairing::Product, arrays(g_a, g_b, g_c));
}

/// As `GA_Elem_multiply`, for patches, which have the same number of elements and keep their order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Elem_multiply_patch(
    g_a: c_int,
    alo: *const c_int,
    ahi: *const c_int,
    g_b: c_int,
    blo: *const c_int,
    bhi: *const c_int,
    g_c: c_int,
    clo: *const c_int,
    chi: *const c_int,
) {
    let ranges = Triple { a: range(g_a, alo, ahi), b: range(g_b, blo, bhi), c: range(g_c, clo, chi) };
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::pair_patches(Caller::c("GA_Elem_multiply_patch"), Pairing::Product, ranges) }
}

/// As `GA_Elem_multiply_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Elem_multiply_patch64(
    g_a: c_int,
    alo: *const i64,
    ahi: *const i64,
    g_b: c_int,
    blo: *const i64,
    bhi: *const i64,
    g_c: c_int,
    clo: *const i64,
    chi: *const i64,
) {
    let ranges = Triple { a: range(g_a, alo, ahi), b: range(g_b, blo, bhi), c: range(g_c, clo, chi) };
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::pair_patches(Caller::c("GA_Elem_multiply_patch64"), Pairing::Product, ranges) }
}

/// `g_c` = the quotient of corresponding elements of `g_a` and `g_b`; a zero in `g_b` is an error. They have the same type and number of elements, and may be
/// the same array.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Elem_divide(g_a: c_int, g_b: c_int, g_c: c_int) {
    calls::pair(Caller::c("GA_Elem_divide"), Pairing::Quotient, arrays(g_a, g_b, g_c));
}

/// As `GA_Elem_divide`, for patches, which have the same number of elements and keep their order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Elem_divide_patch(
    g_a: c_int,
    alo: *const c_int,
    ahi: *const c_int,
    g_b: c_int,
    blo: *const c_int,
    bhi: *const c_int,
    g_c: c_int,
    clo: *const c_int,
    chi: *const c_int,
) {
    let ranges = Triple { a: range(g_a, alo, ahi), b: range(g_b, blo, bhi), c: range(g_c, clo, chi) };
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::pair_patches(Caller::c("GA_Elem_divide_patch"), Pairing::Quotient, ranges) }
}

/// As `GA_Elem_divide_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Elem_divide_patch64(
    g_a: c_int,
    alo: *const i64,
    ahi: *const i64,
    g_b: c_int,
    blo: *const i64,
    bhi: *const i64,
    g_c: c_int,
    clo: *const i64,
    chi: *const i64,
) {
    let ranges = Triple { a: range(g_a, alo, ahi), b: range(g_b, blo, bhi), c: range(g_c, clo, chi) };
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::pair_patches(Caller::c("GA_Elem_divide_patch64"), Pairing::Quotient, ranges) }
}

/// `g_c` = the larger of corresponding elements of `g_a` and `g_b`, complex ones by their magnitudes. They have the same type and number of elements, and may be
/// the same array.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Elem_maximum(g_a: c_int, g_b: c_int, g_c: c_int) {
    calls::pair(Caller::c("GA_Elem_maximum"), Pairing::Larger, arrays(g_a, g_b, g_c));
}

/// As `GA_Elem_maximum`, for patches, which have the same number of elements and keep their order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Elem_maximum_patch(
    g_a: c_int,
    alo: *const c_int,
    ahi: *const c_int,
    g_b: c_int,
    blo: *const c_int,
    bhi: *const c_int,
    g_c: c_int,
    clo: *const c_int,
    chi: *const c_int,
) {
    let ranges = Triple { a: range(g_a, alo, ahi), b: range(g_b, blo, bhi), c: range(g_c, clo, chi) };
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::pair_patches(Caller::c("GA_Elem_maximum_patch"), Pairing::Larger, ranges) }
}

/// As `GA_Elem_maximum_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Elem_maximum_patch64(
    g_a: c_int,
    alo: *const i64,
    ahi: *const i64,
    g_b: c_int,
    blo: *const i64,
    bhi: *const i64,
    g_c: c_int,
    clo: *const i64,
    chi: *const i64,
) {
    let ranges = Triple { a: range(g_a, alo, ahi), b: range(g_b, blo, bhi), c: range(g_c, clo, chi) };
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::pair_patches(Caller::c("GA_Elem_maximum_patch64"), Pairing::Larger, ranges) }
}

/// `g_c` = the smaller of corresponding elements of `g_a` and `g_b`, complex ones by their magnitudes. They have the same type and number of elements, and may be
/// the same array.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Elem_minimum(g_a: c_int, g_b: c_int, g_c: c_int) {
    calls::pair(Caller::c("GA_Elem_minimum"), Pairing::Smaller, arrays(g_a, g_b, g_c));
}

/// As `GA_Elem_minimum`, for patches, which have the same number of elements and keep their order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Elem_minimum_patch(
    g_a: c_int,
    alo: *const c_int,
    ahi: *const c_int,
    g_b: c_int,
    blo: *const c_int,
    bhi: *const c_int,
    g_c: c_int,
    clo: *const c_int,
    chi: *const c_int,
) {
    let ranges = Triple { a: range(g_a, alo, ahi), b: range(g_b, blo, bhi), c: range(g_c, clo, chi) };
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::pair_patches(Caller::c("GA_Elem_minimum_patch"), Pairing::Smaller, ranges) }
}

/// As `GA_Elem_minimum_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Elem_minimum_patch64(
    g_a: c_int,
    alo: *const i64,
    ahi: *const i64,
    g_b: c_int,
    blo: *const i64,
    bhi: *const i64,
    g_c: c_int,
    clo: *const i64,
    chi: *const i64,
) {
    let ranges = Triple { a: range(g_a, alo, ahi), b: range(g_b, blo, bhi), c: range(g_c, clo, chi) };
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::pair_patches(Caller::c("GA_Elem_minimum_patch64"), Pairing::Smaller, ranges) }
}

/// Replaces every element by its magnitude.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Abs_value(g_a: c_int) {
    calls::change(Caller::c("GA_Abs_value"), g_a.into(), Change::Magnitude);
}

/// Replaces every element from `lo` to `hi` by its magnitude.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Abs_value_patch(g_a: c_int, lo: *const c_int, hi: *const c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::change_patch(Caller::c("GA_Abs_value_patch"), range(g_a, lo, hi), Change::Magnitude) }
}

/// As `GA_Abs_value_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Abs_value_patch64(g_a: c_int, lo: *const i64, hi: *const i64) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::change_patch(Caller::c("GA_Abs_value_patch64"), range(g_a, lo, hi), Change::Magnitude) }
}

/// Replaces every element by its reciprocal; a zero is an error.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Recip(g_a: c_int) {
    calls::change(Caller::c("GA_Recip"), g_a.into(), Change::Reciprocal);
}

/// Replaces every element from `lo` to `hi` by its reciprocal; a zero is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Recip_patch(g_a: c_int, lo: *const c_int, hi: *const c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::change_patch(Caller::c("GA_Recip_patch"), range(g_a, lo, hi), Change::Reciprocal) }
}

/// As `GA_Recip_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Recip_patch64(g_a: c_int, lo: *const i64, hi: *const i64) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::change_patch(Caller::c("GA_Recip_patch64"), range(g_a, lo, hi), Change::Reciprocal) }
}

/// Adds `*alpha` to every element.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Add_constant(g_a: c_int, alpha: *const c_void) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::add_constant(Caller::c("GA_Add_constant"), g_a.into(), alpha) }
}

/// Adds `*alpha` to every element from `lo` to `hi`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Add_constant_patch(
    g_a: c_int,
    lo: *const c_int,
    hi: *const c_int,
    alpha: *const c_void,
) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::add_constant_patch(Caller::c("GA_Add_constant_patch"), range(g_a, lo, hi), alpha) }
}

/// As `GA_Add_constant_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Add_constant_patch64(
    g_a: c_int,
    lo: *const i64,
    hi: *const i64,
    alpha: *const c_void,
) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::add_constant_patch(Caller::c("GA_Add_constant_patch64"), range(g_a, lo, hi), alpha) }
}

/// Adds `*c` to the diagonal of a matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Shift_diagonal(g_a: c_int, c: *const c_void) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::shift_diagonal(Caller::c("GA_Shift_diagonal"), g_a.into(), c) }
}

/// Sets the diagonal of a matrix to zero.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Zero_diagonal(g_a: c_int) {
    calls::zero_diagonal(Caller::c("GA_Zero_diagonal"), g_a.into());
}

/// Sets the diagonal of a matrix to the array `g_v` of one dimension, which is as long.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Set_diagonal(g_a: c_int, g_v: c_int) {
    calls::diagonal(Caller::c("GA_Set_diagonal"), Diagonal::Set, g_a.into(), g_v.into());
}

/// Adds the array `g_v` of one dimension to the diagonal of a matrix, which is as long.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Add_diagonal(g_a: c_int, g_v: c_int) {
    calls::diagonal(Caller::c("GA_Add_diagonal"), Diagonal::Add, g_a.into(), g_v.into());
}

/// Sets the array `g_v` of one dimension to the diagonal of a matrix, which is as long.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Get_diag(g_a: c_int, g_v: c_int) {
    calls::diagonal(Caller::c("GA_Get_diag"), Diagonal::Get, g_a.into(), g_v.into());
}

/// Multiplies every row of a matrix, as Fortran sees it, by the corresponding element of the array `g_v` of one dimension: elements
/// whose last index is `i` by element `i`.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Scale_rows(g_a: c_int, g_v: c_int) {
    calls::scale_rows(Caller::c("GA_Scale_rows"), g_a.into(), g_v.into());
}

/// As `GA_Scale_rows` for columns: elements whose first index is `i` are multiplied by element `i`.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Scale_cols(g_a: c_int, g_v: c_int) {
    calls::scale_columns(Caller::c("GA_Scale_cols"), g_a.into(), g_v.into());
}

/// Stores in `*nm`, on every process, the largest sum of magnitudes in a column of a matrix as Fortran sees it: of the elements that
/// have the same first index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Norm1(g_a: c_int, nm: *mut f64) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::norm1(Caller::c("GA_Norm1"), g_a.into(), nm) }
}

/// As `GA_Norm1` for rows: of the elements that have the same last index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Norm_infinity(g_a: c_int, nm: *mut f64) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::norm_infinity(Caller::c("GA_Norm_infinity"), g_a.into(), nm) }
}
