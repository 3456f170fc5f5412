//! Arithmetic on whole arrays and on patches of them. All of it is collective over the arrays' group.
//!
//! Factors and values given by pointer have the type of the array.

use super::{DoubleComplex, SingleComplex, int, letter};
use crate::caller::Caller;
use crate::calls::arithmetic::{self as calls, ANY, Factor, MatrixRange, Range, Sum};
use crate::calls::product::{self, Matrices, Operand, Product};
use libc::{c_char, c_int, c_long, c_longlong, c_void};
use num_complex::Complex;

fn range<N>(g_a: c_int, lo: *const N, hi: *const N) -> Range<N> {
    Range { handle: g_a.into(), lo, hi }
}

/// The factors of a dot product of patches.
fn factor<N>(t: c_char, range: Range<N>) -> Factor<N> {
    Factor { letter: letter(t), range }
}

/// The arguments of the gemm calls but for the factors.
fn matrices(letters: [c_char; 2], sizes: [i64; 3], handles: [c_int; 3]) -> Matrices {
    let ([m, n, k], [a, b, c]) = (sizes, handles.map(i64::from));
    let (alpha, beta) = (std::ptr::null(), std::ptr::null());
    Matrices { letters: letters.map(letter), m, n, k, alpha, a, b, beta, c }
}

/// Sets every element to zero.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Zero(g_a: c_int) {
    calls::zero(Caller::c("GA_Zero"), g_a.into());
}

/// As `GA_Zero`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Zero(g_a: c_int) {
    calls::zero(Caller::c("NGA_Zero"), g_a.into());
}

/// Sets every element to `*value`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Fill(g_a: c_int, value: *const c_void) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::fill(Caller::c("GA_Fill"), g_a.into(), value) }
}

/// As `GA_Fill`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Fill(g_a: c_int, value: *const c_void) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::fill(Caller::c("NGA_Fill"), g_a.into(), value) }
}

/// Multiplies every element by `*value`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Scale(g_a: c_int, value: *const c_void) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::scale(Caller::c("GA_Scale"), ANY, g_a.into(), value) }
}

/// `g_c` = `*alpha` `g_a` + `*beta` `g_b`, element by element. They have the same type, and may be the same array.
/// `g_a` and `g_b` have the same number of elements, and keep their order; the result has the shape of `g_b`, and is the first
/// elements of a larger `g_c`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Add(
    alpha: *const c_void,
    g_a: c_int,
    beta: *const c_void,
    g_b: c_int,
    g_c: c_int,
) {
    let sum = Sum { alpha, a: g_a.into(), beta, b: g_b.into(), c: g_c.into() };
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::add(Caller::c("GA_Add"), ANY, sum) }
}

/// Copies `g_a` to `g_b`, of the same type and shape. If they belong to different groups, the processes of the smaller one make
/// the call; they belong to the other group too.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Copy(g_a: c_int, g_b: c_int) {
    calls::copy(Caller::c("GA_Copy"), g_a.into(), g_b.into());
}

/// `g_b` = the transposed matrix `g_a`; of a larger `g_b` the first rows and columns.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Transpose(g_a: c_int, g_b: c_int) {
    calls::transpose(Caller::c("GA_Transpose"), g_a.into(), g_b.into());
}

/// Replaces a square matrix by the mean of itself and its transpose; of an array of more dimensions the matrices of its first
/// two.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Symmetrize(g_a: c_int) {
    calls::symmetrize(Caller::c("GA_Symmetrize"), g_a.into());
}

/// The sum of the products of corresponding elements of two arrays of int (or long), the same on every process. The arrays
/// have the same number of elements, and keep their order.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Idot(g_a: c_int, g_b: c_int) -> c_int {
    int(calls::dot_of_integers(Caller::c("GA_Idot"), g_a.into(), g_b.into()))
}

/// As `GA_Idot`, for long.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Ldot(g_a: c_int, g_b: c_int) -> c_long {
    calls::dot_of_integers(Caller::c("GA_Ldot"), g_a.into(), g_b.into())
}

/// As `GA_Idot`, for long long.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Lldot(g_a: c_int, g_b: c_int) -> c_longlong {
    calls::dot_of_integers(Caller::c("GA_Lldot"), g_a.into(), g_b.into())
}

/// As `GA_Idot`, for float.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Fdot(g_a: c_int, g_b: c_int) -> f32 {
    calls::dot(Caller::c("GA_Fdot"), g_a.into(), g_b.into())
}

/// As `GA_Idot`, for double.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Ddot(g_a: c_int, g_b: c_int) -> f64 {
    calls::dot(Caller::c("GA_Ddot"), g_a.into(), g_b.into())
}

/// As `GA_Idot`, for single complex; nothing is conjugated.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Cdot(g_a: c_int, g_b: c_int) -> SingleComplex {
    calls::dot::<Complex<f32>>(Caller::c("GA_Cdot"), g_a.into(), g_b.into()).into()
}

/// As `GA_Idot`, for double complex; nothing is conjugated.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Zdot(g_a: c_int, g_b: c_int) -> DoubleComplex {
    calls::dot::<Complex<f64>>(Caller::c("GA_Zdot"), g_a.into(), g_b.into()).into()
}

/// Sets every element from `lo` to `hi`, inclusive, to `*val`. A patch whose `hi` is below its `lo` in some dimension has no
/// elements, and there is nothing to do, here and in all calls on patches up to the dot products.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Fill_patch(g_a: c_int, lo: *const c_int, hi: *const c_int, val: *const c_void) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::fill_patch(Caller::c("NGA_Fill_patch"), range(g_a, lo, hi), val) }
}

/// As `NGA_Fill_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Fill_patch64(g_a: c_int, lo: *const i64, hi: *const i64, val: *const c_void) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::fill_patch(Caller::c("NGA_Fill_patch64"), range(g_a, lo, hi), val) }
}

/// Sets every element from `lo` to `hi` to zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Zero_patch(g_a: c_int, lo: *const c_int, hi: *const c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::zero_patch(Caller::c("NGA_Zero_patch"), range(g_a, lo, hi)) }
}

/// As `NGA_Zero_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Zero_patch64(g_a: c_int, lo: *const i64, hi: *const i64) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::zero_patch(Caller::c("NGA_Zero_patch64"), range(g_a, lo, hi)) }
}

/// Multiplies every element from `lo` to `hi` by `*alpha`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Scale_patch(
    g_a: c_int,
    lo: *const c_int,
    hi: *const c_int,
    alpha: *const c_void,
) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::scale_patch(Caller::c("NGA_Scale_patch"), ANY, range(g_a, lo, hi), alpha) }
}

/// As `NGA_Scale_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Scale_patch64(g_a: c_int, lo: *const i64, hi: *const i64, alpha: *const c_void) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::scale_patch(Caller::c("NGA_Scale_patch64"), ANY, range(g_a, lo, hi), alpha) }
}

/// A patch of `g_c` = `*alpha` times one of `g_a` + `*beta` times one of `g_b`. The patches have the same number of elements
/// and keep their order; the arrays may be the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Add_patch(
    alpha: *const c_void,
    g_a: c_int,
    alo: *const c_int,
    ahi: *const c_int,
    beta: *const c_void,
    g_b: c_int,
    blo: *const c_int,
    bhi: *const c_int,
    g_c: c_int,
    clo: *const c_int,
    chi: *const c_int,
) {
    let (a, b, c) = (range(g_a, alo, ahi), range(g_b, blo, bhi), range(g_c, clo, chi));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::add_patch(Caller::c("NGA_Add_patch"), ANY, Sum { alpha, a, beta, b, c }) }
}

/// As `NGA_Add_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Add_patch64(
    alpha: *const c_void,
    g_a: c_int,
    alo: *const i64,
    ahi: *const i64,
    beta: *const c_void,
    g_b: c_int,
    blo: *const i64,
    bhi: *const i64,
    g_c: c_int,
    clo: *const i64,
    chi: *const i64,
) {
    let (a, b, c) = (range(g_a, alo, ahi), range(g_b, blo, bhi), range(g_c, clo, chi));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::add_patch(Caller::c("NGA_Add_patch64"), ANY, Sum { alpha, a, beta, b, c }) }
}

/// Copies a patch of `g_a` to one of `g_b` with as many elements. `trans`: 'n' keeps their order, the last index fastest,
/// whatever the shapes; 't' reverses the dimensions. Different groups are as for `GA_Copy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Copy_patch(
    trans: c_char,
    g_a: c_int,
    alo: *const c_int,
    ahi: *const c_int,
    g_b: c_int,
    blo: *const c_int,
    bhi: *const c_int,
) {
    let (from, to) = (range(g_a, alo, ahi), range(g_b, blo, bhi));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::copy_patch(Caller::c("NGA_Copy_patch"), letter(trans), from, to) }
}

/// As `NGA_Copy_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Copy_patch64(
    trans: c_char,
    g_a: c_int,
    alo: *const i64,
    ahi: *const i64,
    g_b: c_int,
    blo: *const i64,
    bhi: *const i64,
) {
    let (from, to) = (range(g_a, alo, ahi), range(g_b, blo, bhi));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::copy_patch(Caller::c("NGA_Copy_patch64"), letter(trans), from, to) }
}

/// The sum of the products of corresponding elements of two patches; `t_a`, `t_b`: 't' for a patch whose dimensions are to be
/// reversed first, else 'n'.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Idot_patch(
    g_a: c_int,
    t_a: c_char,
    alo: *const c_int,
    ahi: *const c_int,
    g_b: c_int,
    t_b: c_char,
    blo: *const c_int,
    bhi: *const c_int,
) -> c_int {
    let caller = Caller::c("NGA_Idot_patch");
    let (a, b) = (factor(t_a, range(g_a, alo, ahi)), factor(t_b, range(g_b, blo, bhi)));
    // SAFETY: see the head of `c.rs`.
    int(unsafe { calls::dot_patch_of_integers(caller, a, b) })
}

/// As `NGA_Idot_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Idot_patch64(
    g_a: c_int,
    t_a: c_char,
    alo: *const i64,
    ahi: *const i64,
    g_b: c_int,
    t_b: c_char,
    blo: *const i64,
    bhi: *const i64,
) -> c_int {
    let caller = Caller::c("NGA_Idot_patch64");
    let (a, b) = (factor(t_a, range(g_a, alo, ahi)), factor(t_b, range(g_b, blo, bhi)));
    // SAFETY: see the head of `c.rs`.
    int(unsafe { calls::dot_patch_of_integers(caller, a, b) })
}

/// As `NGA_Idot_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Ldot_patch(
    g_a: c_int,
    t_a: c_char,
    alo: *const c_int,
    ahi: *const c_int,
    g_b: c_int,
    t_b: c_char,
    blo: *const c_int,
    bhi: *const c_int,
) -> c_long {
    let caller = Caller::c("NGA_Ldot_patch");
    let (a, b) = (factor(t_a, range(g_a, alo, ahi)), factor(t_b, range(g_b, blo, bhi)));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::dot_patch_of_integers(caller, a, b) }
}

/// As `NGA_Idot_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Ldot_patch64(
    g_a: c_int,
    t_a: c_char,
    alo: *const i64,
    ahi: *const i64,
    g_b: c_int,
    t_b: c_char,
    blo: *const i64,
    bhi: *const i64,
) -> c_long {
    let caller = Caller::c("NGA_Ldot_patch64");
    let (a, b) = (factor(t_a, range(g_a, alo, ahi)), factor(t_b, range(g_b, blo, bhi)));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::dot_patch_of_integers(caller, a, b) }
}

/// As `NGA_Idot_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Lldot_patch(
    g_a: c_int,
    t_a: c_char,
    alo: *const c_int,
    ahi: *const c_int,
    g_b: c_int,
    t_b: c_char,
    blo: *const c_int,
    bhi: *const c_int,
) -> c_longlong {
    let caller = Caller::c("NGA_Lldot_patch");
    let (a, b) = (factor(t_a, range(g_a, alo, ahi)), factor(t_b, range(g_b, blo, bhi)));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::dot_patch_of_integers(caller, a, b) }
}

/// As `NGA_Idot_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Lldot_patch64(
    g_a: c_int,
    t_a: c_char,
    alo: *const i64,
    ahi: *const i64,
    g_b: c_int,
    t_b: c_char,
    blo: *const i64,
    bhi: *const i64,
) -> c_longlong {
    let caller = Caller::c("NGA_Lldot_patch64");
    let (a, b) = (factor(t_a, range(g_a, alo, ahi)), factor(t_b, range(g_b, blo, bhi)));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::dot_patch_of_integers(caller, a, b) }
}

/// As `NGA_Idot_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Fdot_patch(
    g_a: c_int,
    t_a: c_char,
    alo: *const c_int,
    ahi: *const c_int,
    g_b: c_int,
    t_b: c_char,
    blo: *const c_int,
    bhi: *const c_int,
) -> f32 {
    let caller = Caller::c("NGA_Fdot_patch");
    let (a, b) = (factor(t_a, range(g_a, alo, ahi)), factor(t_b, range(g_b, blo, bhi)));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::dot_patch(caller, a, b) }
}

/// As `NGA_Idot_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Fdot_patch64(
    g_a: c_int,
    t_a: c_char,
    alo: *const i64,
    ahi: *const i64,
    g_b: c_int,
    t_b: c_char,
    blo: *const i64,
    bhi: *const i64,
) -> f32 {
    let caller = Caller::c("NGA_Fdot_patch64");
    let (a, b) = (factor(t_a, range(g_a, alo, ahi)), factor(t_b, range(g_b, blo, bhi)));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::dot_patch(caller, a, b) }
}

/// As `NGA_Idot_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Ddot_patch(
    g_a: c_int,
    t_a: c_char,
    alo: *const c_int,
    ahi: *const c_int,
    g_b: c_int,
    t_b: c_char,
    blo: *const c_int,
    bhi: *const c_int,
) -> f64 {
    let caller = Caller::c("NGA_Ddot_patch");
    let (a, b) = (factor(t_a, range(g_a, alo, ahi)), factor(t_b, range(g_b, blo, bhi)));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::dot_patch(caller, a, b) }
}

/// As `NGA_Idot_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Ddot_patch64(
    g_a: c_int,
    t_a: c_char,
    alo: *const i64,
    ahi: *const i64,
    g_b: c_int,
    t_b: c_char,
    blo: *const i64,
    bhi: *const i64,
) -> f64 {
    let caller = Caller::c("NGA_Ddot_patch64");
    let (a, b) = (factor(t_a, range(g_a, alo, ahi)), factor(t_b, range(g_b, blo, bhi)));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::dot_patch(caller, a, b) }
}

/// As `NGA_Idot_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Cdot_patch(
    g_a: c_int,
    t_a: c_char,
    alo: *const c_int,
    ahi: *const c_int,
    g_b: c_int,
    t_b: c_char,
    blo: *const c_int,
    bhi: *const c_int,
) -> SingleComplex {
    let caller = Caller::c("NGA_Cdot_patch");
    let (a, b) = (factor(t_a, range(g_a, alo, ahi)), factor(t_b, range(g_b, blo, bhi)));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::dot_patch::<Complex<f32>, _>(caller, a, b).into() }
}

/// As `NGA_Idot_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Cdot_patch64(
    g_a: c_int,
    t_a: c_char,
    alo: *const i64,
    ahi: *const i64,
    g_b: c_int,
    t_b: c_char,
    blo: *const i64,
    bhi: *const i64,
) -> SingleComplex {
    let caller = Caller::c("NGA_Cdot_patch64");
    let (a, b) = (factor(t_a, range(g_a, alo, ahi)), factor(t_b, range(g_b, blo, bhi)));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::dot_patch::<Complex<f32>, _>(caller, a, b).into() }
}

/// As `NGA_Idot_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Zdot_patch(
    g_a: c_int,
    t_a: c_char,
    alo: *const c_int,
    ahi: *const c_int,
    g_b: c_int,
    t_b: c_char,
    blo: *const c_int,
    bhi: *const c_int,
) -> DoubleComplex {
    let caller = Caller::c("NGA_Zdot_patch");
    let (a, b) = (factor(t_a, range(g_a, alo, ahi)), factor(t_b, range(g_b, blo, bhi)));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::dot_patch::<Complex<f64>, _>(caller, a, b).into() }
}

/// As `NGA_Idot_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Zdot_patch64(
    g_a: c_int,
    t_a: c_char,
    alo: *const i64,
    ahi: *const i64,
    g_b: c_int,
    t_b: c_char,
    blo: *const i64,
    bhi: *const i64,
) -> DoubleComplex {
    let caller = Caller::c("NGA_Zdot_patch64");
    let (a, b) = (factor(t_a, range(g_a, alo, ahi)), factor(t_b, range(g_b, blo, bhi)));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::dot_patch::<Complex<f64>, _>(caller, a, b).into() }
}

/// `g_c` = `alpha` op(`g_a`) op(`g_b`) + `beta` `g_c`, for the first `m` x `n` elements of `g_c`, op(`g_a`) being `m` x `k` and
/// op(`g_b`) `k` x `n`. `ta`, `tb`: 'n' as it is, 't' transposed, 'c' transposed and conjugated. With a `beta` of zero the old
/// `g_c` does not matter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Dgemm(
    ta: c_char,
    tb: c_char,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: f64,
    g_a: c_int,
    g_b: c_int,
    beta: f64,
    g_c: c_int,
) {
    let given = matrices([ta, tb], [m.into(), n.into(), k.into()], [g_a, g_b, g_c]);
    let given = Matrices { alpha: (&raw const alpha).cast(), beta: (&raw const beta).cast(), ..given };
    // SAFETY: see the head of `c.rs`.
    unsafe { product::matrices(Caller::c("GA_Dgemm"), given) }
}

/// As `GA_Dgemm`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Dgemm64(
    ta: c_char,
    tb: c_char,
    m: i64,
    n: i64,
    k: i64,
    alpha: f64,
    g_a: c_int,
    g_b: c_int,
    beta: f64,
    g_c: c_int,
) {
    let given = matrices([ta, tb], [m, n, k], [g_a, g_b, g_c]);
    let given = Matrices { alpha: (&raw const alpha).cast(), beta: (&raw const beta).cast(), ..given };
    // SAFETY: see the head of `c.rs`.
    unsafe { product::matrices(Caller::c("GA_Dgemm64"), given) }
}

/// As `GA_Dgemm`, for float.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Sgemm(
    ta: c_char,
    tb: c_char,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: f32,
    g_a: c_int,
    g_b: c_int,
    beta: f32,
    g_c: c_int,
) {
    let given = matrices([ta, tb], [m.into(), n.into(), k.into()], [g_a, g_b, g_c]);
    let given = Matrices { alpha: (&raw const alpha).cast(), beta: (&raw const beta).cast(), ..given };
    // SAFETY: see the head of `c.rs`.
    unsafe { product::matrices(Caller::c("GA_Sgemm"), given) }
}

/// As `GA_Sgemm`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Sgemm64(
    ta: c_char,
    tb: c_char,
    m: i64,
    n: i64,
    k: i64,
    alpha: f32,
    g_a: c_int,
    g_b: c_int,
    beta: f32,
    g_c: c_int,
) {
    let given = matrices([ta, tb], [m, n, k], [g_a, g_b, g_c]);
    let given = Matrices { alpha: (&raw const alpha).cast(), beta: (&raw const beta).cast(), ..given };
    // SAFETY: see the head of `c.rs`.
    unsafe { product::matrices(Caller::c("GA_Sgemm64"), given) }
}

/// As `GA_Dgemm`, for double complex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Zgemm(
    ta: c_char,
    tb: c_char,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: DoubleComplex,
    g_a: c_int,
    g_b: c_int,
    beta: DoubleComplex,
    g_c: c_int,
) {
    let given = matrices([ta, tb], [m.into(), n.into(), k.into()], [g_a, g_b, g_c]);
    let given = Matrices { alpha: (&raw const alpha).cast(), beta: (&raw const beta).cast(), ..given };
    // SAFETY: see the head of `c.rs`.
    unsafe { product::matrices(Caller::c("GA_Zgemm"), given) }
}

/// As `GA_Zgemm`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Zgemm64(
    ta: c_char,
    tb: c_char,
    m: i64,
    n: i64,
    k: i64,
    alpha: DoubleComplex,
    g_a: c_int,
    g_b: c_int,
    beta: DoubleComplex,
    g_c: c_int,
) {
    let given = matrices([ta, tb], [m, n, k], [g_a, g_b, g_c]);
    let given = Matrices { alpha: (&raw const alpha).cast(), beta: (&raw const beta).cast(), ..given };
    // SAFETY: see the head of `c.rs`.
    unsafe { product::matrices(Caller::c("GA_Zgemm64"), given) }
}

/// As `GA_Dgemm`, for single complex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Cgemm(
    ta: c_char,
    tb: c_char,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: SingleComplex,
    g_a: c_int,
    g_b: c_int,
    beta: SingleComplex,
    g_c: c_int,
) {
    let given = matrices([ta, tb], [m.into(), n.into(), k.into()], [g_a, g_b, g_c]);
    let given = Matrices { alpha: (&raw const alpha).cast(), beta: (&raw const beta).cast(), ..given };
    // SAFETY: see the head of `c.rs`.
    unsafe { product::matrices(Caller::c("GA_Cgemm"), given) }
}

/// As `GA_Cgemm`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Cgemm64(
    ta: c_char,
    tb: c_char,
    m: i64,
    n: i64,
    k: i64,
    alpha: SingleComplex,
    g_a: c_int,
    g_b: c_int,
    beta: SingleComplex,
    g_c: c_int,
) {
    let given = matrices([ta, tb], [m, n, k], [g_a, g_b, g_c]);
    let given = Matrices { alpha: (&raw const alpha).cast(), beta: (&raw const beta).cast(), ..given };
    // SAFETY: see the head of `c.rs`.
    unsafe { product::matrices(Caller::c("GA_Cgemm64"), given) }
}

/// As `GA_Dgemm` for patches, of any type: a patch of `g_c` = `*alpha` times op of one of `g_a` times op of one of `g_b` +
/// `*beta` times itself. The patch of a transposed matrix is given as it is after the transposition.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Matmul_patch(
    transa: c_char,
    transb: c_char,
    alpha: *const c_void,
    beta: *const c_void,
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
    let a = Operand { letter: letter(transa), range: range(g_a, alo, ahi) };
    let b = Operand { letter: letter(transb), range: range(g_b, blo, bhi) };
    let c = range(g_c, clo, chi);
    // SAFETY: see the head of `c.rs`.
    unsafe { product::patches(Caller::c("NGA_Matmul_patch"), Product { alpha, a, b, beta, c }) }
}

/// As `NGA_Matmul_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Matmul_patch64(
    transa: c_char,
    transb: c_char,
    alpha: *const c_void,
    beta: *const c_void,
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
    let a = Operand { letter: letter(transa), range: range(g_a, alo, ahi) };
    let b = Operand { letter: letter(transb), range: range(g_b, blo, bhi) };
    let c = range(g_c, clo, chi);
    // SAFETY: see the head of `c.rs`.
    unsafe { product::patches(Caller::c("NGA_Matmul_patch64"), Product { alpha, a, b, beta, c }) }
}

/// As `NGA_Matmul_patch`, but for matrices as Fortran sees them, counted from zero: `i` is the last index, and what is
/// multiplied are the transposed matrices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Matmul_patch(
    transa: c_char,
    transb: c_char,
    alpha: *const c_void,
    beta: *const c_void,
    g_a: c_int,
    ailo: c_int,
    aihi: c_int,
    ajlo: c_int,
    ajhi: c_int,
    g_b: c_int,
    bilo: c_int,
    bihi: c_int,
    bjlo: c_int,
    bjhi: c_int,
    g_c: c_int,
    cilo: c_int,
    cihi: c_int,
    cjlo: c_int,
    cjhi: c_int,
) {
    let caller = Caller::c_in_fortran_order("GA_Matmul_patch");
    let a = MatrixRange::new(g_a.into(), [ailo, aihi, ajlo, ajhi].map(i64::from));
    let b = MatrixRange::new(g_b.into(), [bilo, bihi, bjlo, bjhi].map(i64::from));
    let c = MatrixRange::new(g_c.into(), [cilo, cihi, cjlo, cjhi].map(i64::from));
    let left = Operand { letter: letter(transa), range: a.range(caller) };
    let right = Operand { letter: letter(transb), range: b.range(caller) };
    let product = Product { alpha, a: left, b: right, beta, c: c.range(caller) };
    // SAFETY: see the head of `c.rs`; the ranges are local.
    unsafe { product::patches(caller, product) }
}

/// As `GA_Matmul_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Matmul_patch64(
    transa: c_char,
    transb: c_char,
    alpha: *const c_void,
    beta: *const c_void,
    g_a: c_int,
    ailo: i64,
    aihi: i64,
    ajlo: i64,
    ajhi: i64,
    g_b: c_int,
    bilo: i64,
    bihi: i64,
    bjlo: i64,
    bjhi: i64,
    g_c: c_int,
    cilo: i64,
    cihi: i64,
    cjlo: i64,
    cjhi: i64,
) {
    let caller = Caller::c_in_fortran_order("GA_Matmul_patch64");
    let a = MatrixRange::new(g_a.into(), [ailo, aihi, ajlo, ajhi]);
    let b = MatrixRange::new(g_b.into(), [bilo, bihi, bjlo, bjhi]);
    let c = MatrixRange::new(g_c.into(), [cilo, cihi, cjlo, cjhi]);
    let left = Operand { letter: letter(transa), range: a.range(caller) };
    let right = Operand { letter: letter(transb), range: b.range(caller) };
    let product = Product { alpha, a: left, b: right, beta, c: c.range(caller) };
    // SAFETY: see the head of `c.rs`; the ranges are local.
    unsafe { product::patches(caller, product) }
}
