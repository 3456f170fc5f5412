//! Who calls: the name of the call, and how the caller counts.

use crate::arrays::Made;
use crate::{Error, Result};
use section::{DIMS_MAX, Section, Shape};
use std::ops::{Deref, DerefMut};

/// A call at the border. Bounds are inclusive for all callers.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// The symbol, for messages.
    name: &'static str,
    /// The first index: 0 in C, 1 in Fortran.
    base: i64,
    /// The first index varies fastest, as in Fortran.
    reversed: bool,
    /// Whether type codes and names are those of Fortran.
    fortran: bool,
}

impl Caller {
    /// A C program.
    pub const fn c(name: &'static str) -> Self {
        Self { name, base: 0, reversed: false, fortran: false }
    }

    /// A Fortran program. The symbol may end with an underscore.
    pub const fn fortran(name: &'static str) -> Self {
        Self { name, base: 1, reversed: true, fortran: true }
    }

    /// A C program that calls one of the few functions that take indices in Fortran's order.
    pub(crate) const fn c_in_fortran_order(name: &'static str) -> Self {
        Self { name, base: 0, reversed: true, fortran: false }
    }

    /// The name of the call, as the caller writes it.
    pub(crate) fn name(&self) -> &'static str {
        self.name.strip_suffix('_').unwrap_or(self.name)
    }

    pub(crate) fn is_fortran(&self) -> bool {
        self.fortran
    }

    /// Whether the caller's first index varies fastest.
    pub(crate) fn is_reversed(&self) -> bool {
        self.reversed
    }

    /// Values, one for each dimension, in the order of the other side: the caller's in ours, or ours in the caller's.
    pub(crate) fn reordered(&self, mut values: Indices) -> Indices {
        if self.reversed {
            values.reverse();
        }
        values
    }

    /// The caller's place for dimension `d` of ours, of `dims`.
    #[inline]
    pub(crate) fn place(&self, d: usize, dims: usize) -> usize {
        if self.reversed { dims - 1 - d } else { d }
    }

    /// An index of the caller's as ours; what is before the first is negative, or far beyond the last.
    #[inline]
    pub(crate) fn index(&self, counted: i64) -> i64 {
        counted.wrapping_sub(self.base)
    }

    /// An index of ours as the caller counts it.
    fn counted(&self, index: u64) -> i64 {
        i64::try_from(index).unwrap_or(i64::MAX).saturating_add(self.base)
    }

    /// The elements from `lo` to `hi` of an array.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if there are no such elements, or none.
    pub(crate) fn section(&self, array: &Made, lo: Indices, hi: Indices) -> Result<Section> {
        self.checked(array, lo, hi, Shape::filled(lo.len(), 1))
    }

    /// The elements from `lo` to `hi` of an array; none if `hi` is below `lo` in some dimension. Such a patch begins and ends
    /// within the array, or anywhere, as `nothing` says.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if there are no such elements.
    pub(crate) fn patch(&self, array: &Made, lo: Indices, hi: Indices, nothing: Nothing) -> Result<Section> {
        if lo.iter().zip(hi.iter()).all(|(lo, hi)| lo <= hi) {
            return self.section(array, lo, hi);
        }
        let shape = array.shape();
        let (from, to) = (self.reordered(lo), self.reordered(hi));
        let last = |d: usize| i64::try_from(shape[d]).unwrap_or(i64::MAX).saturating_add(self.base - 1);
        if nothing == Nothing::Within && (0..shape.len()).any(|d| from[d] < self.base || to[d] > last(d)) {
            return Err(self.out_of_range(array, lo, hi));
        }
        let origin = Shape::filled(shape.len(), 0);
        Ok(Section::between(origin, origin))
    }

    /// Every `skip`-th element from `lo` to `hi` of an array.
    ///
    /// # Errors
    /// As [`section`](Self::section), and for a skip below 1.
    pub(crate) fn strided(&self, array: &Made, lo: Indices, hi: Indices, skip: Indices) -> Result<Section> {
        let steps = self.reordered(skip);
        let steps = shape_of(steps.iter().map(|&step| u64::try_from(step).unwrap_or(0)), steps.len());
        if steps.contains(&0) {
            return Err(Error::BadStride { skip: skip.to_vec() });
        }
        self.checked(array, lo, hi, steps)
    }

    fn checked(&self, array: &Made, lo: Indices, hi: Indices, steps: Shape) -> Result<Section> {
        let shape = array.shape();
        let (from, to) = (self.reordered(lo), self.reordered(hi));
        let inside = (0..shape.len()).all(|d| {
            from[d] >= self.base
                && from[d] <= to[d]
                && to[d] - self.base < i64::try_from(shape[d]).unwrap_or(i64::MAX)
        });
        if !inside {
            return Err(self.out_of_range(array, lo, hi));
        }
        let begin = shape_of(from.iter().map(|at| (at - self.base).cast_unsigned()), from.len());
        let end = shape_of(to.iter().map(|at| (at - self.base).cast_unsigned() + 1), to.len());
        Ok(Section::with_step(&begin, &end, &steps).expect("checked above"))
    }

    fn out_of_range(&self, array: &Made, lo: Indices, hi: Indices) -> Error {
        let (first, last) = self.bounds(&array.array.whole());
        Error::OutOfRange {
            array: array.array.name().to_owned(),
            handle: array.handle,
            section: range_text(&lo, &hi),
            bounds: range_text(&first, &last),
        }
    }

    /// An element of an array.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if there is none.
    pub(crate) fn element(&self, array: &Made, at: Indices) -> Result<Shape> {
        let mut element = Shape::filled(at.len(), 0);
        for (d, &extent) in array.shape().iter().enumerate() {
            // What is before the first is beyond the last now.
            element[d] = self.index(at[self.place(d, at.len())]).cast_unsigned();
            if element[d] >= extent {
                return Err(self.out_of_range(array, at, at));
            }
        }
        Ok(element)
    }

    /// The first and last indices of a section that has elements, as the caller counts.
    pub(crate) fn bounds(&self, section: &Section) -> (Indices, Indices) {
        let lo = Indices::from_fn(section.dims(), |d| self.counted(section.lo()[d]));
        let hi = Indices::from_fn(section.dims(), |d| self.counted(section.hi()[d]) - 1);
        (self.reordered(lo), self.reordered(hi))
    }

    /// The bounds that say "nothing": -1 and -2 in C, 0 and -1 in Fortran.
    pub(crate) fn nothing(&self, dims: usize) -> (Indices, Indices) {
        (Indices::from_fn(dims, |_| self.base - 1), Indices::from_fn(dims, |_| self.base - 2))
    }

    /// The extents of a shape, in the caller's order.
    pub(crate) fn extents(&self, shape: &[u64]) -> Indices {
        self.reordered(Indices::from_fn(shape.len(), |d| i64::try_from(shape[d]).unwrap_or(i64::MAX)))
    }

    /// The first indices of blocks along one dimension as ours.
    pub(crate) fn starts(&self, starts: &[i64]) -> Option<Vec<u64>> {
        starts.iter().map(|start| u64::try_from(start.checked_sub(self.base)?).ok()).collect()
    }
}

/// Where a patch without elements may be, as the package has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nothing {
    /// It begins no earlier than the array and ends no later.
    Within,
    /// Its bounds do not matter.
    Anywhere,
}

/// Up to seven numbers, one for each dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Indices {
    values: [i64; DIMS_MAX],
    dims: usize,
}

impl Indices {
    /// `value(d)` for each dimension.
    pub(crate) fn from_fn(dims: usize, mut value: impl FnMut(usize) -> i64) -> Self {
        let mut values = [0; DIMS_MAX];
        for (d, slot) in values[..dims].iter_mut().enumerate() {
            *slot = value(d);
        }
        Self { values, dims }
    }

    /// The two numbers of a matrix.
    pub(crate) fn pair(first: i64, second: i64) -> Self {
        Self::from_fn(2, |d| if d == 0 { first } else { second })
    }
}

impl Deref for Indices {
    type Target = [i64];
    fn deref(&self) -> &[i64] {
        &self.values[..self.dims]
    }
}

impl DerefMut for Indices {
    fn deref_mut(&mut self) -> &mut [i64] {
        &mut self.values[..self.dims]
    }
}

/// As many values as there are dimensions.
fn shape_of(values: impl Iterator<Item = u64>, dims: usize) -> Shape {
    let mut shape = Shape::filled(dims, 0);
    shape.iter_mut().zip(values).for_each(|(slot, value)| *slot = value);
    shape
}

/// `1:7,1:10`
pub(crate) fn range_text(lo: &[i64], hi: &[i64]) -> String {
    let ranges: Vec<_> = lo.iter().zip(hi).map(|(lo, hi)| format!("{lo}:{hi}")).collect();
    ranges.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_inclusive_and_reversed_and_counted_from_one_for_fortran() {
        let section = Section::new(&[0, 2], &[5, 3]).expect("in order");
        let (lo, hi) = Caller::c("c").bounds(&section);
        assert_eq!((&lo[..], &hi[..]), (&[0, 2][..], &[4, 2][..]));
        let (lo, hi) = Caller::fortran("f_").bounds(&section);
        assert_eq!((&lo[..], &hi[..]), (&[3, 1][..], &[3, 5][..]));
        let (lo, hi) = Caller::c_in_fortran_order("m").bounds(&section);
        assert_eq!((&lo[..], &hi[..]), (&[2, 0][..], &[2, 4][..]));
    }

    #[test]
    fn nothing_ends_before_it_begins() {
        let (lo, hi) = Caller::c("c").nothing(2);
        assert_eq!((&lo[..], &hi[..]), (&[-1, -1][..], &[-2, -2][..]));
        let (lo, hi) = Caller::fortran("f_").nothing(1);
        assert_eq!((&lo[..], &hi[..]), (&[0][..], &[-1][..]));
    }

    #[test]
    fn starts_of_blocks_before_the_first_index_are_none() {
        assert_eq!(Caller::fortran("f_").starts(&[1, 4]), Some(vec![0, 3]));
        assert_eq!(Caller::fortran("f_").starts(&[0]), None);
        assert_eq!(Caller::c("c").starts(&[i64::MIN]), None);
    }

    #[test]
    fn a_call_is_named_as_programs_write_it() {
        assert_eq!(Caller::fortran("nga_put_").name(), "nga_put");
        assert_eq!(Caller::c("NGA_Put").name(), "NGA_Put");
    }
}
