//! How a caller counts: in C from zero, the last index varying fastest; in Fortran from one, the first index varying fastest.

use crate::Error;
use chemio_capi::{Integer, Result, pointer};
use layout::Permutation;
use section::{DIMS_MAX, Section, Shape};

/// The language of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Fortran,
}

impl Language {
    /// The caller's first index.
    fn first(self) -> i64 {
        match self {
            Self::C => 0,
            Self::Fortran => 1,
        }
    }

    /// Which of `count` things the caller means by a number.
    pub(crate) fn choose(self, number: i64, count: usize) -> Option<usize> {
        let ours = usize::try_from(number.checked_sub(self.first())?).ok();
        ours.filter(|&ours| ours < count)
    }

    /// Numbers of one language's order in the other one's: ours is that of C.
    fn in_order<T>(self, mut values: Vec<T>) -> Vec<T> {
        if self == Self::Fortran {
            values.reverse();
        }
        values
    }

    /// Extents in our order as the caller counts them.
    pub(crate) fn extents(self, dims: &[u64]) -> Vec<i64> {
        self.in_order(dims.iter().map(|&extent| i64::try_from(extent).unwrap_or(i64::MAX)).collect())
    }

    /// The shape with these extents.
    pub(crate) fn shape(self, extents: &[i64]) -> Result<Shape> {
        let bad = || Error::BadExtent { extents: extents.to_vec() };
        let positive = extents.iter().map(|&extent| u64::try_from(extent).ok().filter(|&extent| extent > 0));
        let values = positive.collect::<Option<Vec<_>>>().ok_or_else(bad)?;
        let dims = i64::try_from(extents.len()).unwrap_or(i64::MAX);
        Ok(Shape::new(&self.in_order(values)).map_err(|_| Error::BadDims { got: dims })?)
    }

    /// A hint, in our order: nothing below one says anything.
    pub(crate) fn hint(self, extents: &[i64]) -> Vec<i64> {
        self.in_order(extents.iter().map(|&extent| if extent > 0 { extent } else { -1 }).collect())
    }

    /// The order of dimensions in which the caller wants an array: of each dimension of the target, the dimension of the source. The
    /// dimensions are counted as the caller counts indices, and in its order.
    pub(crate) fn permutation(self, order: &[i64]) -> Result<Permutation> {
        let last = self.first() + i64::try_from(order.len()).unwrap_or(i64::MAX) - 1;
        let bad = || Error::BadOrder { order: order.to_vec(), first: self.first(), last };
        let ours = |&dim: &i64| {
            let dim = self.choose(dim, order.len())?;
            Some(if self == Self::Fortran { order.len() - 1 - dim } else { dim })
        };
        let dims = order.iter().map(ours).collect::<Option<Vec<_>>>().ok_or_else(bad)?;
        Ok(Permutation::new(&self.in_order(dims)).map_err(|_| bad())?)
    }

    /// The section from `lo` to `hi`, inclusive, of an array of this shape, which is in our order.
    pub(crate) fn section(
        self,
        what: impl Fn() -> String,
        lo: &[i64],
        hi: &[i64],
        dims: &[u64],
    ) -> Result<Section> {
        let section =
            self.corner(lo, 0).zip(self.corner(hi, 1)).and_then(|(lo, hi)| Section::new(&lo, &hi).ok());
        let fits = section.filter(|section| section.fits(dims) && !section.is_empty());
        Ok(fits.ok_or_else(|| self.bad_section(what(), lo, hi, dims))?)
    }

    /// A corner in our order and counted as we do; `beyond` is 1 for an upper one, which we exclude.
    fn corner(self, indices: &[i64], beyond: i64) -> Option<Vec<u64>> {
        let ours = |&index: &i64| u64::try_from(index.checked_sub(self.first())?.checked_add(beyond)?).ok();
        indices.iter().map(ours).collect::<Option<Vec<_>>>().map(|values| self.in_order(values))
    }

    fn bad_section(self, what: String, lo: &[i64], hi: &[i64], dims: &[u64]) -> Error {
        let first = vec![self.first(); dims.len()];
        let last = self.extents(dims).iter().map(|extent| extent - 1 + self.first()).collect();
        Error::BadSection { what, lo: lo.to_vec(), hi: hi.to_vec(), first, last }
    }
}

/// A number of dimensions.
pub(crate) fn dims_count(got: i64) -> Result<usize> {
    let count = usize::try_from(got).ok().filter(|count| (1..=DIMS_MAX).contains(count));
    Ok(count.ok_or(Error::BadDims { got })?)
}

/// `count` numbers.
///
/// # Safety
/// `pointer` is null or may be read for so many numbers.
pub(crate) unsafe fn numbers<I: Integer>(
    pointer: *const I,
    count: usize,
    argument: &'static str,
) -> Result<Vec<i64>> {
    pointer::check(pointer.cast_mut(), argument, crate::codes::FAILED)?;
    // SAFETY: promised by the caller; an INTEGER in a byte buffer may be unaligned.
    Ok((0..count).map(|at| unsafe { pointer.add(at).read_unaligned() }.get()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(language: Language, lo: &[i64], hi: &[i64], dims: &[u64]) -> Result<Section> {
        language.section(|| "array".to_owned(), lo, hi, dims)
    }

    #[test]
    fn fortran_counts_from_one_and_its_dimensions_are_reversed() {
        let same = section(Language::C, &[2, 0], &[4, 9], &[5, 10]).expect("inside");
        assert_eq!((same.lo(), same.hi()), (&[2, 0][..], &[5, 10][..]));
        assert_eq!(section(Language::Fortran, &[1, 3], &[10, 5], &[5, 10]).expect("inside"), same);
        assert_eq!(Language::Fortran.shape(&[3, 4, 5]).expect("a shape")[..], [5, 4, 3]);
        assert_eq!(Language::C.shape(&[3, 4, 5]).expect("a shape")[..], [3, 4, 5]);
        assert_eq!(Language::Fortran.hint(&[3, 0, -7]), [-1, -1, 3]);
        assert_eq!(Language::Fortran.extents(&[5, u64::MAX]), [i64::MAX, 5]);
    }

    #[test]
    fn an_order_of_dimensions_means_the_same_in_both_languages() {
        // Target dimensions a, b, c are the source's c, a, b, in C; read from the last to the first in Fortran.
        let c = Language::C.permutation(&[2, 0, 1]).expect("an order");
        assert_eq!(c.source(), [2, 0, 1]);
        for (order, expected) in [([2, 3, 1], [2, 0, 1]), ([3, 1, 2], [1, 2, 0]), ([1, 2, 3], [0, 1, 2])] {
            let fortran = Language::Fortran.permutation(&order).expect("an order");
            assert_eq!(fortran.source(), expected, "{order:?}");
            // As a formula: C's p[i] is n - Fortran's p(n - i).
            let formula: Vec<usize> = (0..3).map(|i| 3 - usize::try_from(order[2 - i]).unwrap()).collect();
            assert_eq!(fortran.source(), formula, "{order:?}");
        }
        for bad in [[0, 1, 1], [0, 1, 3], [-1, 0, 1], [1, 2, 3], [i64::MIN, 0, 1]] {
            assert!(Language::C.permutation(&bad).is_err(), "{bad:?}");
        }
        assert!(Language::Fortran.permutation(&[0, 1, 2]).is_err());
    }

    #[test]
    fn what_a_number_means_is_told_only_if_it_is_there() {
        assert_eq!([-1, 0, 1, 2].map(|number| Language::C.choose(number, 2)), [None, Some(0), Some(1), None]);
        assert_eq!(
            [0, 1, 2, 3].map(|number| Language::Fortran.choose(number, 2)),
            [None, Some(0), Some(1), None]
        );
        for number in [i64::MIN, i64::MAX] {
            assert_eq!(Language::Fortran.choose(number, 2), None);
        }
    }

    #[test]
    fn sections_that_are_empty_or_beyond_the_array_are_refused_in_the_words_of_the_caller() {
        for (lo, hi) in [([0, 1], [1, 1]), ([1, 1], [6, 1]), ([2, 1], [1, 1]), ([1, i64::MIN], [1, i64::MAX])]
        {
            let error = section(Language::Fortran, &lo, &hi, &[10, 5]).expect_err("outside");
            assert!(error.to_string().ends_with("is empty or not within [1, 1] to [5, 10]"), "{error}");
        }
        let error = section(Language::C, &[0, 0], &[10, 0], &[10, 5]).expect_err("outside");
        assert_eq!(
            error.to_string(),
            "array: section [0, 0] to [10, 0] is empty or not within [0, 0] to [9, 4]"
        );
        assert!(section(Language::C, &[0, 0], &[i64::MAX, 0], &[10, 5]).is_err());
    }

    #[test]
    fn extents_and_numbers_of_dimensions_that_no_array_has_are_refused() {
        assert!(Language::C.shape(&[3, 0]).is_err());
        assert!(Language::Fortran.shape(&[i64::MIN]).is_err());
        for got in [0, -1, 8, i64::MAX] {
            assert!(dims_count(got).is_err(), "{got}");
        }
        assert_eq!(dims_count(7).expect("seven"), 7);
    }
}
