//! Arithmetic on whole arrays and on patches of them. Collective over the arrays' group.
//!
//! Factors and values have the type of the array; names with a letter for a type refuse arrays of another.

use super::{handle, letter, matrix, number};
use crate::caller::Caller;
use crate::calls::arithmetic::{self as calls, ANY, Factor, MatrixRange, Only, Range, Sum};
use crate::calls::product::{self, Matrices, Operand, Product};
use chemio_capi::Integer;
use ga::{Element, ElementType};
use libc::{c_char, c_void};

const INTEGERS: Only = Only(calls::INTEGERS, "integer");
const REALS: Only = Only(&[ElementType::Float], "real");
const DOUBLES: Only = Only(calls::DOUBLES, "double precision");
const COMPLEX: Only = Only(&[ElementType::SingleComplex], "complex");
const DOUBLE_COMPLEX: Only = Only(&[ElementType::DoubleComplex], "double complex");

/// The types that a name with this letter works with; a name without a letter works with all.
fn types_of(letter: u8) -> Only {
    match letter {
        b'i' => INTEGERS,
        b's' => REALS,
        b'd' => DOUBLES,
        b'c' => COMPLEX,
        b'z' => DOUBLE_COMPLEX,
        _ => ANY,
    }
}

/// A range of a matrix.
unsafe fn range_of_matrix<I: Integer>(caller: Caller, g_a: *const I, numbers: [*const I; 4]) -> MatrixRange {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { MatrixRange::new(handle(caller, g_a), matrix(caller, numbers)) }
}

/// A range of any array.
unsafe fn range<I: Integer>(caller: Caller, g_a: *const I, lo: *const I, hi: *const I) -> Range<I> {
    // SAFETY: see the head of `fortran.rs`.
    Range { handle: unsafe { handle(caller, g_a) }, lo, hi }
}

/// `subroutine ga_zero(g_a)`
pub unsafe fn zero<I: Integer>(caller: Caller, g_a: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    calls::zero(caller, unsafe { handle(caller, g_a) });
}

/// `subroutine ga_fill(g_a, value)`
pub unsafe fn fill<I: Integer>(caller: Caller, g_a: *const I, value: *const c_void) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { calls::fill(caller, handle(caller, g_a), value) }
}

/// `subroutine ga_scale(g_a, value)`, and `ga_dscal` and its like for one type.
pub unsafe fn scale<I: Integer, const TYPE: u8>(caller: Caller, g_a: *const I, value: *const c_void) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { calls::scale(caller, types_of(TYPE), handle(caller, g_a), value) }
}

/// `subroutine ga_add(alpha, g_a, beta, g_b, g_c)`, and `ga_dadd` and its like for one type.
pub unsafe fn add<I: Integer, const TYPE: u8>(
    caller: Caller,
    alpha: *const c_void,
    g_a: *const I,
    beta: *const c_void,
    g_b: *const I,
    g_c: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let [a, b, c] = [g_a, g_b, g_c].map(|array| handle(caller, array));
        calls::add(caller, types_of(TYPE), Sum { alpha, a, beta, b, c });
    }
}

/// `subroutine ga_copy(g_a, g_b)`
pub unsafe fn copy<I: Integer>(caller: Caller, g_a: *const I, g_b: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    let (from, to) = unsafe { (handle(caller, g_a), handle(caller, g_b)) };
    calls::copy(caller, from, to);
}

/// `subroutine ga_transpose(g_a, g_b)`
pub unsafe fn transpose<I: Integer>(caller: Caller, g_a: *const I, g_b: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    let (from, to) = unsafe { (handle(caller, g_a), handle(caller, g_b)) };
    calls::transpose(caller, from, to);
}

/// `subroutine ga_symmetrize(g_a)`
pub unsafe fn symmetrize<I: Integer>(caller: Caller, g_a: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    calls::symmetrize(caller, unsafe { handle(caller, g_a) });
}

/// `double precision function ga_ddot(g_a, g_b)`, and its like for other types.
pub unsafe fn dot<I: Integer, T: Element>(caller: Caller, g_a: *const I, g_b: *const I) -> T {
    // SAFETY: see the head of `fortran.rs`.
    let (a, b) = unsafe { (handle(caller, g_a), handle(caller, g_b)) };
    calls::dot(caller, a, b)
}

/// `integer function ga_idot(g_a, g_b)`
pub unsafe fn idot<I: Integer>(caller: Caller, g_a: *const I, g_b: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    let (a, b) = unsafe { (handle(caller, g_a), handle(caller, g_b)) };
    I::nearest(calls::dot_of_integers(caller, a, b))
}

/// `subroutine ga_fill_patch(g_a, ilo, ihi, jlo, jhi, value)`
pub unsafe fn fill_patch_of_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    ilo: *const I,
    ihi: *const I,
    jlo: *const I,
    jhi: *const I,
    value: *const c_void,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let range = range_of_matrix(caller, g_a, [ilo, ihi, jlo, jhi]);
        calls::fill_patch(caller, range.range(caller), value);
    }
}

/// `subroutine nga_fill_patch(g_a, lo, hi, value)`
pub unsafe fn fill_patch<I: Integer>(
    caller: Caller,
    g_a: *const I,
    lo: *const I,
    hi: *const I,
    value: *const c_void,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { calls::fill_patch(caller, range(caller, g_a, lo, hi), value) }
}

/// `subroutine ga_zero_patch(g_a, ilo, ihi, jlo, jhi)`
pub unsafe fn zero_patch_of_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    ilo: *const I,
    ihi: *const I,
    jlo: *const I,
    jhi: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let range = range_of_matrix(caller, g_a, [ilo, ihi, jlo, jhi]);
        calls::zero_patch(caller, range.range(caller));
    }
}

/// `subroutine nga_zero_patch(g_a, lo, hi)`
pub unsafe fn zero_patch<I: Integer>(caller: Caller, g_a: *const I, lo: *const I, hi: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { calls::zero_patch(caller, range(caller, g_a, lo, hi)) }
}

/// `subroutine ga_scale_patch(g_a, ilo, ihi, jlo, jhi, value)`, and `ga_dscal_patch` and its like for one type.
pub unsafe fn scale_patch_of_matrix<I: Integer, const TYPE: u8>(
    caller: Caller,
    g_a: *const I,
    ilo: *const I,
    ihi: *const I,
    jlo: *const I,
    jhi: *const I,
    value: *const c_void,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let range = range_of_matrix(caller, g_a, [ilo, ihi, jlo, jhi]);
        calls::scale_patch(caller, types_of(TYPE), range.range(caller), value);
    }
}

/// `subroutine nga_scale_patch(g_a, lo, hi, value)`, and its like for one type.
pub unsafe fn scale_patch<I: Integer, const TYPE: u8>(
    caller: Caller,
    g_a: *const I,
    lo: *const I,
    hi: *const I,
    value: *const c_void,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { calls::scale_patch(caller, types_of(TYPE), range(caller, g_a, lo, hi), value) }
}

/// `subroutine ga_copy_patch(trans, g_a, ailo, aihi, ajlo, ajhi, g_b, bilo, bihi, bjlo, bjhi)`
pub unsafe fn copy_patch_of_matrix<I: Integer>(
    caller: Caller,
    trans: *const c_char,
    g_a: *const I,
    ailo: *const I,
    aihi: *const I,
    ajlo: *const I,
    ajhi: *const I,
    g_b: *const I,
    bilo: *const I,
    bihi: *const I,
    bjlo: *const I,
    bjhi: *const I,
    trans_len: usize,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let from = range_of_matrix(caller, g_a, [ailo, aihi, ajlo, ajhi]);
        let to = range_of_matrix(caller, g_b, [bilo, bihi, bjlo, bjhi]);
        calls::copy_patch(caller, letter(trans, trans_len), from.range(caller), to.range(caller));
    }
}

/// `subroutine nga_copy_patch(trans, g_a, alo, ahi, g_b, blo, bhi)`
pub unsafe fn copy_patch<I: Integer>(
    caller: Caller,
    trans: *const c_char,
    g_a: *const I,
    alo: *const I,
    ahi: *const I,
    g_b: *const I,
    blo: *const I,
    bhi: *const I,
    trans_len: usize,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let (from, to) = (range(caller, g_a, alo, ahi), range(caller, g_b, blo, bhi));
        calls::copy_patch(caller, letter(trans, trans_len), from, to);
    }
}

/// `subroutine ga_add_patch(alpha, g_a, ailo, aihi, ajlo, ajhi, beta, g_b, ..., g_c, ...)`, and `ga_dadd_patch` and its like.
pub unsafe fn add_patch_of_matrix<I: Integer, const TYPE: u8>(
    caller: Caller,
    alpha: *const c_void,
    g_a: *const I,
    ailo: *const I,
    aihi: *const I,
    ajlo: *const I,
    ajhi: *const I,
    beta: *const c_void,
    g_b: *const I,
    bilo: *const I,
    bihi: *const I,
    bjlo: *const I,
    bjhi: *const I,
    g_c: *const I,
    cilo: *const I,
    cihi: *const I,
    cjlo: *const I,
    cjhi: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let a = range_of_matrix(caller, g_a, [ailo, aihi, ajlo, ajhi]);
        let b = range_of_matrix(caller, g_b, [bilo, bihi, bjlo, bjhi]);
        let c = range_of_matrix(caller, g_c, [cilo, cihi, cjlo, cjhi]);
        let (left, right, result) = (a.range(caller), b.range(caller), c.range(caller));
        calls::add_patch(caller, types_of(TYPE), Sum { alpha, a: left, beta, b: right, c: result });
    }
}

/// `subroutine nga_add_patch(alpha, g_a, alo, ahi, beta, g_b, blo, bhi, g_c, clo, chi)`, and its like for one type.
pub unsafe fn add_patch<I: Integer, const TYPE: u8>(
    caller: Caller,
    alpha: *const c_void,
    g_a: *const I,
    alo: *const I,
    ahi: *const I,
    beta: *const c_void,
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
        let c = range(caller, g_c, clo, chi);
        calls::add_patch(caller, types_of(TYPE), Sum { alpha, a, beta, b, c });
    }
}

/// `double precision function ga_ddot_patch(g_a, t_a, ailo, aihi, ajlo, ajhi, g_b, t_b, bilo, bihi, bjlo, bjhi)`, and its like.
pub unsafe fn dot_patch_of_matrix<I: Integer, T: Element>(
    caller: Caller,
    g_a: *const I,
    t_a: *const c_char,
    ailo: *const I,
    aihi: *const I,
    ajlo: *const I,
    ajhi: *const I,
    g_b: *const I,
    t_b: *const c_char,
    bilo: *const I,
    bihi: *const I,
    bjlo: *const I,
    bjhi: *const I,
    t_a_len: usize,
    t_b_len: usize,
) -> T {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let left = range_of_matrix(caller, g_a, [ailo, aihi, ajlo, ajhi]);
        let right = range_of_matrix(caller, g_b, [bilo, bihi, bjlo, bjhi]);
        let a = Factor { letter: letter(t_a, t_a_len), range: left.range(caller) };
        let b = Factor { letter: letter(t_b, t_b_len), range: right.range(caller) };
        calls::dot_patch(caller, a, b)
    }
}

/// `integer function ga_idot_patch(g_a, t_a, ailo, aihi, ajlo, ajhi, g_b, t_b, bilo, bihi, bjlo, bjhi)`
pub unsafe fn idot_patch_of_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    t_a: *const c_char,
    ailo: *const I,
    aihi: *const I,
    ajlo: *const I,
    ajhi: *const I,
    g_b: *const I,
    t_b: *const c_char,
    bilo: *const I,
    bihi: *const I,
    bjlo: *const I,
    bjhi: *const I,
    t_a_len: usize,
    t_b_len: usize,
) -> I {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let left = range_of_matrix(caller, g_a, [ailo, aihi, ajlo, ajhi]);
        let right = range_of_matrix(caller, g_b, [bilo, bihi, bjlo, bjhi]);
        let a = Factor { letter: letter(t_a, t_a_len), range: left.range(caller) };
        let b = Factor { letter: letter(t_b, t_b_len), range: right.range(caller) };
        I::nearest(calls::dot_patch_of_integers(caller, a, b))
    }
}

/// `double precision function nga_ddot_patch(g_a, t_a, alo, ahi, g_b, t_b, blo, bhi)`, and its like.
pub unsafe fn dot_patch<I: Integer, T: Element>(
    caller: Caller,
    g_a: *const I,
    t_a: *const c_char,
    alo: *const I,
    ahi: *const I,
    g_b: *const I,
    t_b: *const c_char,
    blo: *const I,
    bhi: *const I,
    t_a_len: usize,
    t_b_len: usize,
) -> T {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let a = Factor { letter: letter(t_a, t_a_len), range: range(caller, g_a, alo, ahi) };
        let b = Factor { letter: letter(t_b, t_b_len), range: range(caller, g_b, blo, bhi) };
        calls::dot_patch(caller, a, b)
    }
}

/// `integer function nga_idot_patch(g_a, t_a, alo, ahi, g_b, t_b, blo, bhi)`
pub unsafe fn idot_patch<I: Integer>(
    caller: Caller,
    g_a: *const I,
    t_a: *const c_char,
    alo: *const I,
    ahi: *const I,
    g_b: *const I,
    t_b: *const c_char,
    blo: *const I,
    bhi: *const I,
    t_a_len: usize,
    t_b_len: usize,
) -> I {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let a = Factor { letter: letter(t_a, t_a_len), range: range(caller, g_a, alo, ahi) };
        let b = Factor { letter: letter(t_b, t_b_len), range: range(caller, g_b, blo, bhi) };
        I::nearest(calls::dot_patch_of_integers(caller, a, b))
    }
}

/// `subroutine ga_dgemm(transa, transb, m, n, k, alpha, g_a, g_b, beta, g_c)`, and its like for other types.
pub unsafe fn gemm<I: Integer>(
    caller: Caller,
    transa: *const c_char,
    transb: *const c_char,
    m: *const I,
    n: *const I,
    k: *const I,
    alpha: *const c_void,
    g_a: *const I,
    g_b: *const I,
    beta: *const c_void,
    g_c: *const I,
    transa_len: usize,
    transb_len: usize,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let letters = [letter(transa, transa_len), letter(transb, transb_len)];
        let [m, n, k] = [m, n, k].map(|size| number(caller, size, "m, n or k"));
        let [a, b, c] = [g_a, g_b, g_c].map(|array| handle(caller, array));
        product::matrices(caller, Matrices { letters, m, n, k, alpha, a, b, beta, c });
    }
}

/// `subroutine ga_matmul_patch(transa, transb, alpha, beta, g_a, ailo, aihi, ajlo, ajhi, g_b, ..., g_c, ...)`
pub unsafe fn matmul_patch_of_matrix<I: Integer>(
    caller: Caller,
    transa: *const c_char,
    transb: *const c_char,
    alpha: *const c_void,
    beta: *const c_void,
    g_a: *const I,
    ailo: *const I,
    aihi: *const I,
    ajlo: *const I,
    ajhi: *const I,
    g_b: *const I,
    bilo: *const I,
    bihi: *const I,
    bjlo: *const I,
    bjhi: *const I,
    g_c: *const I,
    cilo: *const I,
    cihi: *const I,
    cjlo: *const I,
    cjhi: *const I,
    transa_len: usize,
    transb_len: usize,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let left = range_of_matrix(caller, g_a, [ailo, aihi, ajlo, ajhi]);
        let right = range_of_matrix(caller, g_b, [bilo, bihi, bjlo, bjhi]);
        let result = range_of_matrix(caller, g_c, [cilo, cihi, cjlo, cjhi]);
        let a = Operand { letter: letter(transa, transa_len), range: left.range(caller) };
        let b = Operand { letter: letter(transb, transb_len), range: right.range(caller) };
        product::patches(caller, Product { alpha, a, b, beta, c: result.range(caller) });
    }
}

/// `subroutine nga_matmul_patch(transa, transb, alpha, beta, g_a, alo, ahi, g_b, blo, bhi, g_c, clo, chi)`
pub unsafe fn matmul_patch<I: Integer>(
    caller: Caller,
    transa: *const c_char,
    transb: *const c_char,
    alpha: *const c_void,
    beta: *const c_void,
    g_a: *const I,
    alo: *const I,
    ahi: *const I,
    g_b: *const I,
    blo: *const I,
    bhi: *const I,
    g_c: *const I,
    clo: *const I,
    chi: *const I,
    transa_len: usize,
    transb_len: usize,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let a = Operand { letter: letter(transa, transa_len), range: range(caller, g_a, alo, ahi) };
        let b = Operand { letter: letter(transb, transb_len), range: range(caller, g_b, blo, bhi) };
        product::patches(caller, Product { alpha, a, b, beta, c: range(caller, g_c, clo, chi) });
    }
}
