//! Arithmetic on whole arrays and on patches of them. Collective over their group.
//!
//! **Patches without elements**, whose last index is below the first in some dimension, are nothing to do where they are
//! nothing to do for the package. What it fills, zeroes and scales it compares with the blocks of the array alone, so
//! that such patches may be anywhere. Of patches that it copies, adds or multiplies element by element it also checks that
//! no first index is before the array, no last one beyond it, and that they have as many elements as each other. Puts, gets and
//! accumulates of such sections it refuses ("cannot locate region"), and so do we.

use crate::arrays::Made;
use crate::boundary::or_abort;
use crate::caller::{Caller, Nothing};
use crate::calls::describe;
use crate::calls::product::transposition;
use crate::session::{self, Session};
use crate::{Error, Result, fetch};
use chemio_capi::Integer;
use ga::{Element, ElementType, Scalar, Transpose};
use libc::c_void;
use section::Section;
use std::sync::Arc;

/// Integers of every width.
pub(crate) const INTEGERS: &[ElementType] = &[ElementType::Int, ElementType::Long];
/// Doubles.
pub(crate) const DOUBLES: &[ElementType] = &[ElementType::Double];

/// Whether a call for one type may be given this array.
#[derive(Clone, Copy)]
pub(crate) struct Only(pub(crate) &'static [ElementType], pub(crate) &'static str);

/// Every type.
pub(crate) const ANY: Only = Only(&[], "any");

impl Only {
    fn check(self, array: &Made) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { array.expect_type(self.0, self.1) }
    }
}

/// A section of an array as its caller gives it.
#[derive(Clone, Copy)]
pub(crate) struct Range<N> {
    pub(crate) handle: i64,
    pub(crate) lo: *const N,
    pub(crate) hi: *const N,
}

/// An array and a section of it.
pub(crate) struct Place {
    pub(crate) array: Arc<Made>,
    pub(crate) section: Section,
}

impl<N: Integer> Range<N> {
    /// # Safety
    /// See the head of `calls`.
    pub(crate) unsafe fn place(self, caller: Caller, session: &Session) -> Result<Place> {
        let array = session.array(self.handle)?;
        let dims = array.dims();
        // SAFETY: promised by the caller.
        let (lo, hi) =
            unsafe { (fetch::indices(self.lo, dims, "lo")?, fetch::indices(self.hi, dims, "hi")?) };
        let section = caller.section(&array, lo, hi)?;
        Ok(Place { array, section })
    }

    /// As [`place`](Self::place), of a patch that may have no elements.
    ///
    /// # Safety
    /// See the head of `calls`.
    unsafe fn patch(self, caller: Caller, session: &Session, nothing: Nothing) -> Result<Place> {
        let array = session.array(self.handle)?;
        let dims = array.dims();
        // SAFETY: promised by the caller.
        let (lo, hi) =
            unsafe { (fetch::indices(self.lo, dims, "lo")?, fetch::indices(self.hi, dims, "hi")?) };
        let section = caller.patch(&array, lo, hi, nothing)?;
        Ok(Place { array, section })
    }

    /// As [`place`](Self::place), with the two dimensions given the other way round.
    ///
    /// # Safety
    /// See the head of `calls`.
    pub(crate) unsafe fn swapped_place(self, caller: Caller, session: &Session) -> Result<Place> {
        let array = session.array(self.handle)?;
        let dims = array.dims();
        // SAFETY: promised by the caller.
        let (mut lo, mut hi) =
            unsafe { (fetch::indices(self.lo, dims, "lo")?, fetch::indices(self.hi, dims, "hi")?) };
        lo.reverse();
        hi.reverse();
        let section = caller.section(&array, lo, hi)?;
        Ok(Place { array, section })
    }
}

/// A section of a matrix as four numbers, held where a [`Range`] can point to them.
#[derive(Clone, Copy)]
pub(crate) struct MatrixRange {
    pub(crate) handle: i64,
    pub(crate) lo: [i64; 2],
    pub(crate) hi: [i64; 2],
}

impl MatrixRange {
    /// `numbers`: first and last row, first and last column.
    pub(crate) fn new(handle: i64, numbers: [i64; 4]) -> Self {
        let [ilo, ihi, jlo, jhi] = numbers;
        Self { handle, lo: [ilo, jlo], hi: [ihi, jhi] }
    }

    /// The range, for an array of two dimensions.
    pub(crate) fn range(&self, caller: Caller) -> Range<i64> {
        or_abort(caller, || describe::expect_matrix(self.handle));
        Range { handle: self.handle, lo: self.lo.as_ptr(), hi: self.hi.as_ptr() }
    }
}

pub(crate) fn zero(caller: Caller, handle: i64) {
    or_abort(caller, || Ok(session::current()?.array(handle)?.array.zero()?));
}

/// # Safety
/// See the head of `calls`; `value` has the type of the array.
pub(crate) unsafe fn fill(caller: Caller, handle: i64, value: *const c_void) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        // SAFETY: promised by the caller.
        let value = unsafe { fetch::scalar(value, array.kind.element, "value") }?;
        Ok(array.array.fill(value)?)
    });
}

/// # Safety
/// See the head of `calls`; `factor` has the type of the array.
pub(crate) unsafe fn scale(caller: Caller, only: Only, handle: i64, factor: *const c_void) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        only.check(&array)?;
        // SAFETY: promised by the caller.
        let factor = unsafe { fetch::scalar(factor, array.kind.element, "value") }?;
        Ok(array.array.scale(factor)?)
    });
}

/// A combination of two arrays into a third: factors have their type.
#[derive(Clone, Copy)]
pub(crate) struct Sum<A> {
    pub(crate) alpha: *const c_void,
    pub(crate) a: A,
    pub(crate) beta: *const c_void,
    pub(crate) b: A,
    pub(crate) c: A,
}

impl<A> Sum<A> {
    /// # Safety
    /// See the head of `calls`.
    unsafe fn factors(&self, only: Only, c: &Made) -> Result<(Scalar, Scalar)> {
        only.check(c)?;
        let element = c.kind.element;
        // SAFETY: promised by the caller.
        unsafe {
            Ok((fetch::scalar(self.alpha, element, "alpha")?, fetch::scalar(self.beta, element, "beta")?))
        }
    }
}

/// The first elements of an array, as many in each dimension as `shape` says.
///
/// # Errors
/// [`ga::Error::ShapesDiffer`] if there are not so many.
fn corner(operation: &'static str, array: &Made, shape: &[u64]) -> Result<Section> {
    let corner = Section::whole(shape)?;
    if corner.fits(array.shape()) {
        return Ok(corner);
    }
    let (left, right) = (array.shape().to_vec(), shape.to_vec());
    Err(ga::Error::ShapesDiffer { operation, left, right }.into())
}

/// Arrays of other shapes the package adds as patches: all of `a` and all of `b`, which have as many elements as each other,
/// make the first elements of `c`, in the shape of `b`.
///
/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn add(caller: Caller, only: Only, sum: Sum<i64>) {
    or_abort(caller, || {
        let session = session::current()?;
        let (a, b, c) = (session.array(sum.a)?, session.array(sum.b)?, session.array(sum.c)?);
        // SAFETY: promised by the caller.
        let (alpha, beta) = unsafe { sum.factors(only, &c) }?;
        let (to, all) = (corner("adding arrays", &c, b.shape())?, (a.array.whole(), b.array.whole()));
        Ok(c.array.add_patch(&to, (alpha, &a.array, &all.0), (beta, &b.array, &all.1))?)
    });
}

/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn add_patch<N: Integer>(caller: Caller, only: Only, sum: Sum<Range<N>>) {
    or_abort(caller, || {
        let session = session::current()?;
        // SAFETY: promised by the caller.
        let (a, b, c, (alpha, beta)) = unsafe {
            let c = sum.c.patch(caller, &session, Nothing::Within)?;
            let factors = sum.factors(only, &c.array)?;
            let [a, b] = [sum.a, sum.b].map(|term| term.patch(caller, &session, Nothing::Within));
            (a?, b?, c, factors)
        };
        let terms = ((alpha, &a.array.array, &a.section), (beta, &b.array.array, &b.section));
        Ok(c.array.array.add_patch(&c.section, terms.0, terms.1)?)
    });
}

pub(crate) fn copy(caller: Caller, from: i64, to: i64) {
    or_abort(caller, || {
        let session = session::current()?;
        Ok(session.array(from)?.array.copy_to(&session.array(to)?.array)?)
    });
}

/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn copy_patch<N: Integer>(caller: Caller, letter: u8, from: Range<N>, to: Range<N>) {
    or_abort(caller, || {
        let session = session::current()?;
        let transposed = transposition(letter)? != Transpose::No;
        // SAFETY: promised by the caller.
        let [from, to] = [from, to].map(|range| unsafe { range.patch(caller, &session, Nothing::Within) });
        let (from, to) = (from?, to?);
        Ok(from.array.array.copy_patch(transposed, &from.section, &to.array.array, &to.section)?)
    });
}

/// A target that is larger than the transposed matrix gets it as its first elements, as in the package, which puts each
/// transposed block where it belongs and compares no shapes.
pub(crate) fn transpose(caller: Caller, from: i64, to: i64) {
    or_abort(caller, || {
        let session = session::current()?;
        let (source, target) = (session.array(from)?, session.array(to)?);
        if from == to {
            return Err(Error::SameArray);
        }
        describe::expect_matrix(from)?;
        let all = source.array.whole();
        let first = corner("transposing an array", &target, all.reversed().hi())?;
        Ok(source.array.copy_patch(true, &all, &target.array, &first)?)
    });
}

pub(crate) fn symmetrize(caller: Caller, handle: i64) {
    or_abort(caller, || Ok(session::current()?.array(handle)?.array.symmetrize()?));
}

/// # Safety
/// See the head of `calls`; `value` has the type of the array.
pub(crate) unsafe fn fill_patch<N: Integer>(caller: Caller, range: Range<N>, value: *const c_void) {
    or_abort(caller, || {
        // SAFETY: promised by the caller.
        let place = unsafe { range.patch(caller, &*session::current()?, Nothing::Anywhere) }?;
        // SAFETY: as above.
        let value = unsafe { fetch::scalar(value, place.array.kind.element, "value") }?;
        Ok(place.array.array.fill_patch(&place.section, value)?)
    });
}

/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn zero_patch<N: Integer>(caller: Caller, range: Range<N>) {
    or_abort(caller, || {
        // SAFETY: promised by the caller.
        let place = unsafe { range.patch(caller, &*session::current()?, Nothing::Anywhere) }?;
        Ok(place.array.array.zero_patch(&place.section)?)
    });
}

/// # Safety
/// See the head of `calls`; `factor` has the type of the array.
pub(crate) unsafe fn scale_patch<N: Integer>(
    caller: Caller,
    only: Only,
    range: Range<N>,
    factor: *const c_void,
) {
    or_abort(caller, || {
        // SAFETY: promised by the caller.
        let place = unsafe { range.patch(caller, &*session::current()?, Nothing::Anywhere) }?;
        only.check(&place.array)?;
        // SAFETY: as above.
        let factor = unsafe { fetch::scalar(factor, place.array.kind.element, "value") }?;
        Ok(place.array.array.scale_patch(&place.section, factor)?)
    });
}

/// The dot product of two arrays that have as many elements as each other. Their shapes may be others, as in the package,
/// which takes such arrays as patches.
fn dot_of_arrays(a: &Made, b: &Made) -> Result<Scalar> {
    Ok(a.array.dot_patch(false, &a.array.whole(), &b.array, false, &b.array.whole())?)
}

/// A dot product as a value of type `T`, which the arrays must have.
pub(crate) fn dot<T: Element>(caller: Caller, a: i64, b: i64) -> T {
    or_abort(caller, || {
        let session = session::current()?;
        let (a, b) = (session.array(a)?, session.array(b)?);
        typed(&a, dot_of_arrays(&a, &b)?)
    })
}

/// The same for integers of every width.
pub(crate) fn dot_of_integers(caller: Caller, a: i64, b: i64) -> i64 {
    or_abort(caller, || {
        let session = session::current()?;
        let (a, b) = (session.array(a)?, session.array(b)?);
        a.expect_type(INTEGERS, "integers")?;
        Ok(integer(dot_of_arrays(&a, &b)?))
    })
}

fn typed<T: Element>(array: &Made, value: Scalar) -> Result<T> {
    let wrong = || {
        Error::Ga(ga::Error::WrongType {
            array: array.array.name().to_owned(),
            expected: T::TYPE,
            got: value.element_type(),
        })
    };
    T::from_scalar(value).ok_or_else(wrong)
}

fn integer(value: Scalar) -> i64 {
    match value {
        Scalar::Int(value) => value.into(),
        Scalar::Long(value) => value,
        other => unreachable!("{other:?} is no integer"),
    }
}

/// One factor of a dot product of patches.
#[derive(Clone, Copy)]
pub(crate) struct Factor<N> {
    pub(crate) letter: u8,
    pub(crate) range: Range<N>,
}

/// # Safety
/// See the head of `calls`.
unsafe fn dot_of_patches<N: Integer>(
    caller: Caller,
    a: Factor<N>,
    b: Factor<N>,
    only: Only,
) -> Result<(Arc<Made>, Scalar)> {
    let session = session::current()?;
    let turned = (transposition(a.letter)? != Transpose::No, transposition(b.letter)? != Transpose::No);
    // SAFETY: promised by the caller.
    let [left, right] = [a, b].map(|factor| unsafe { factor.range.patch(caller, &session, Nothing::Within) });
    let (left, right) = (left?, right?);
    only.check(&left.array)?;
    let product =
        left.array.array.dot_patch(turned.0, &left.section, &right.array.array, turned.1, &right.section)?;
    Ok((left.array, product))
}

/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn dot_patch<T: Element, N: Integer>(caller: Caller, a: Factor<N>, b: Factor<N>) -> T {
    or_abort(caller, || {
        // SAFETY: promised by the caller.
        let (array, product) = unsafe { dot_of_patches(caller, a, b, ANY) }?;
        typed(&array, product)
    })
}

/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn dot_patch_of_integers<N: Integer>(caller: Caller, a: Factor<N>, b: Factor<N>) -> i64 {
    or_abort(caller, || {
        // SAFETY: promised by the caller.
        let (_, product) = unsafe { dot_of_patches(caller, a, b, Only(INTEGERS, "integers")) }?;
        Ok(integer(product))
    })
}

/// The first rows and columns of a matrix, counted from `base`.
pub(crate) fn origin_range(handle: i64, rows: i64, columns: i64, base: i64) -> MatrixRange {
    MatrixRange::new(handle, [base, rows + base - 1, base, columns + base - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_from_the_origin_counts_as_its_caller_does() {
        let range = origin_range(-1000, 5, 3, 1);
        assert_eq!((range.lo, range.hi), ([1, 1], [5, 3]));
        let range = origin_range(-1000, 5, 3, 0);
        assert_eq!((range.lo, range.hi), ([0, 0], [4, 2]));
    }
}
