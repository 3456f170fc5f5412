//! Products, quotients, extremes and magnitudes, element by element; diagonals, rows and columns of matrices. Collective over
//! the arrays' group.

use crate::boundary::or_abort;
use crate::caller::{Caller, Nothing};
use crate::calls::arithmetic::Range;
use crate::{Result, fetch, session};
use chemio_capi::Integer;
use ga::{Array, Change, Diagonal, Pairing, Scalar};
use libc::c_void;

/// Three whole arrays or patches: two that are combined, and where the result goes.
#[derive(Clone, Copy)]
pub(crate) struct Triple<A> {
    pub(crate) a: A,
    pub(crate) b: A,
    pub(crate) c: A,
}

pub(crate) fn pair(caller: Caller, pairing: Pairing, arrays: Triple<i64>) {
    or_abort(caller, || {
        let session = session::current()?;
        let (a, b, c) = (session.array(arrays.a)?, session.array(arrays.b)?, session.array(arrays.c)?);
        let (a, b, c) = (&a.array, &b.array, &c.array);
        Ok(c.pair_patch(&c.whole(), pairing, (a, &a.whole()), (b, &b.whole()))?)
    });
}

/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn pair_patches<N: Integer>(caller: Caller, pairing: Pairing, ranges: Triple<Range<N>>) {
    or_abort(caller, || {
        let session = session::current()?;
        let Triple { a, b, c } = ranges;
        // SAFETY: promised by the caller.
        let [a, b, c] = [a, b, c].map(|range| unsafe { range.patch(caller, &session, Nothing::Within) });
        let (a, b, c) = (a?, b?, c?);
        let (left, right) = ((&a.array.array, &a.section), (&b.array.array, &b.section));
        Ok(c.array.array.pair_patch(&c.section, pairing, left, right)?)
    });
}

pub(crate) fn change(caller: Caller, handle: i64, change: Change) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        Ok(array.array.change_patch(&array.array.whole(), change)?)
    });
}

/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn change_patch<N: Integer>(caller: Caller, range: Range<N>, change: Change) {
    or_abort(caller, || {
        // SAFETY: promised by the caller.
        let place = unsafe { range.patch(caller, &*session::current()?, Nothing::Anywhere) }?;
        Ok(place.array.array.change_patch(&place.section, change)?)
    });
}

/// # Safety
/// See the head of `calls`; `value` has the type of the array.
pub(crate) unsafe fn add_constant(caller: Caller, handle: i64, value: *const c_void) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        // SAFETY: promised by the caller.
        let value = unsafe { fetch::scalar(value, array.kind.element, "alpha") }?;
        Ok(array.array.change_patch(&array.array.whole(), Change::Plus(value))?)
    });
}

/// # Safety
/// See the head of `calls`; `value` has the type of the array.
pub(crate) unsafe fn add_constant_patch<N: Integer>(caller: Caller, range: Range<N>, value: *const c_void) {
    or_abort(caller, || {
        // SAFETY: promised by the caller.
        let place = unsafe { range.patch(caller, &*session::current()?, Nothing::Anywhere) }?;
        // SAFETY: as above.
        let value = unsafe { fetch::scalar(value, place.array.kind.element, "alpha") }?;
        Ok(place.array.array.change_patch(&place.section, Change::Plus(value))?)
    });
}

/// # Safety
/// See the head of `calls`; `value` has the type of the array.
pub(crate) unsafe fn shift_diagonal(caller: Caller, handle: i64, value: *const c_void) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        // SAFETY: promised by the caller.
        let value = unsafe { fetch::scalar(value, array.kind.element, "c") }?;
        Ok(array.array.change_diagonal(value, true)?)
    });
}

pub(crate) fn zero_diagonal(caller: Caller, handle: i64) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        Ok(array.array.change_diagonal(zero(&array.array), false)?)
    });
}

fn zero(array: &Array) -> Scalar {
    use ga::ElementType::{Double, DoubleComplex, Float, Int, Long, SingleComplex};
    match array.element_type() {
        Int => 0i32.into(),
        Long => 0i64.into(),
        Float => 0f32.into(),
        Double => 0f64.into(),
        SingleComplex => num_complex::Complex32::default().into(),
        DoubleComplex => num_complex::Complex64::default().into(),
    }
}

pub(crate) fn diagonal(caller: Caller, what: Diagonal, matrix: i64, vector: i64) {
    with_vector(caller, matrix, vector, |matrix, vector| matrix.exchange_diagonal(what, vector));
}

/// Rows and columns are those of Fortran, in which the package thinks, for callers of C too: a row is what has the same index
/// in our last dimension.
const ROWS: usize = 1;
const COLUMNS: usize = 0;

pub(crate) fn scale_rows(caller: Caller, matrix: i64, factors: i64) {
    with_vector(caller, matrix, factors, |matrix, factors| matrix.scale_along(ROWS, factors));
}

pub(crate) fn scale_columns(caller: Caller, matrix: i64, factors: i64) {
    with_vector(caller, matrix, factors, |matrix, factors| matrix.scale_along(COLUMNS, factors));
}

fn with_vector(caller: Caller, matrix: i64, vector: i64, work: impl FnOnce(&Array, &Array) -> ga::Result<()>) {
    or_abort(caller, || {
        let session = session::current()?;
        let (matrix, vector) = (session.array(matrix)?, session.array(vector)?);
        Ok(work(&matrix.array, &vector.array)?)
    });
}

/// The largest sum of magnitudes in a column.
///
/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn norm1(caller: Caller, handle: i64, norm: *mut f64) {
    // SAFETY: the contract is the same.
    or_abort(caller, || unsafe { store_norm(handle, COLUMNS, norm) });
}

/// The largest sum of magnitudes in a row.
///
/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn norm_infinity(caller: Caller, handle: i64, norm: *mut f64) {
    // SAFETY: the contract is the same.
    or_abort(caller, || unsafe { store_norm(handle, ROWS, norm) });
}

/// # Safety
/// See the head of `calls`.
unsafe fn store_norm(handle: i64, dim: usize, norm: *mut f64) -> Result<()> {
    let array = session::current()?.array(handle)?;
    let found = array.array.largest_sum_along(dim)?;
    // SAFETY: promised by the caller.
    unsafe { fetch::store(norm, found, "nm") }
}
