//! Sections: boxes of an N-dimensional array, with a step in each dimension.

use crate::{Error, Result, Shape};
use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;

/// The elements `lo, lo + step, ... < hi` in each dimension. Row-major: the last index varies fastest.
///
/// A section without elements is one: `lo == hi` in some dimension.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Section {
    lo: Shape,
    hi: Shape,
    step: Shape,
}

impl Section {
    /// From `lo` to `hi`, exclusive.
    ///
    /// # Errors
    /// - [`Error::DimsCount`], [`Error::DimsDiffer`]: not 1 to 7 dimensions, or not as many in both.
    /// - [`Error::Reversed`]: `hi` below `lo`.
    pub fn new(lo: &[u64], hi: &[u64]) -> Result<Self> {
        Self::with_step(lo, hi, Shape::filled(Shape::new(lo)?.len(), 1).as_ref())
    }

    /// From `lo` to `hi`, exclusive, every `step`-th element.
    ///
    /// # Errors
    /// As [`new`](Self::new), and
    /// - [`Error::ZeroStep`]: a step of zero.
    pub fn with_step(lo: &[u64], hi: &[u64], step: &[u64]) -> Result<Self> {
        let section = Self { lo: Shape::new(lo)?, hi: Shape::new(hi)?, step: Shape::new(step)? };
        for other in [hi, step] {
            if other.len() != lo.len() {
                return Err(Error::DimsDiffer { expected: lo.len(), got: other.len() });
            }
        }
        for dim in 0..lo.len() {
            if hi[dim] < lo[dim] {
                return Err(Error::Reversed { dim, lo: lo[dim], hi: hi[dim] });
            }
            if step[dim] == 0 {
                return Err(Error::ZeroStep { dim });
            }
        }
        Ok(section)
    }

    /// From `lo` to `hi`, exclusive, where it is known that they have as many dimensions and `lo` is not beyond `hi`.
    ///
    /// # Panics
    /// If it is not so.
    #[inline]
    pub fn between(lo: Shape, hi: Shape) -> Self {
        assert!(
            lo.len() == hi.len() && lo.iter().zip(hi.iter()).all(|(lo, hi)| lo <= hi),
            "from {lo:?} to {hi:?}"
        );
        Self { lo, hi, step: Shape::filled(lo.len(), 1) }
    }

    /// From `lo` to `hi`, inclusive, as the legacy calls count. `hi` below `lo` is refused.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn inclusive(lo: &[u64], hi: &[u64]) -> Result<Self> {
        let mut end = Shape::new(hi)?;
        end.iter_mut().for_each(|end| *end = end.saturating_add(1));
        Self::new(lo, &end)
    }

    /// All of an array of this shape.
    ///
    /// # Errors
    /// - [`Error::DimsCount`]: not 1 to 7 dimensions.
    pub fn whole(shape: &[u64]) -> Result<Self> {
        Self::new(Shape::filled(Shape::new(shape)?.len(), 0).as_ref(), shape)
    }

    /// Number of dimensions.
    #[inline]
    pub fn dims(&self) -> usize {
        self.lo.len()
    }

    /// First index in each dimension.
    #[inline]
    pub fn lo(&self) -> &[u64] {
        &self.lo
    }

    /// End in each dimension, exclusive.
    #[inline]
    pub fn hi(&self) -> &[u64] {
        &self.hi
    }

    /// Step in each dimension.
    #[inline]
    pub fn step(&self) -> &[u64] {
        &self.step
    }

    /// The last index of dimension `dim` that is in the section; `None` if there is none.
    #[inline]
    pub fn last(&self, dim: usize) -> Option<u64> {
        let beyond = (self.hi[dim] - self.lo[dim]).checked_sub(1)?;
        Some(self.lo[dim] + beyond / self.step[dim] * self.step[dim])
    }

    /// Number of elements in each dimension: the shape of a patch that holds them.
    #[inline]
    pub fn counts(&self) -> Shape {
        let mut counts = self.hi;
        for d in 0..self.dims() {
            counts[d] -= self.lo[d];
            // Divisions are felt in small transfers.
            if self.step[d] != 1 {
                counts[d] = counts[d].div_ceil(self.step[d]);
            }
        }
        counts
    }

    /// Number of elements.
    pub fn len(&self) -> u64 {
        self.counts().iter().fold(1u64, |product, &count| product.saturating_mul(count))
    }

    /// Whether there is no element.
    #[inline]
    pub fn is_empty(&self) -> bool {
        (0..self.dims()).any(|d| self.lo[d] == self.hi[d])
    }

    /// Whether it lies in an array of this shape. One without elements lies in every array of its dimensions.
    #[inline]
    pub fn fits(&self, shape: &[u64]) -> bool {
        self.dims() == shape.len()
            && (self.is_empty() || self.hi.iter().zip(shape).all(|(hi, extent)| hi <= extent))
    }

    /// The elements that lie in `block`, or `None` if none does. The step of `block` does not matter.
    #[must_use]
    pub fn clipped_to(&self, block: &Self) -> Option<Self> {
        let mut clipped = *self;
        for d in 0..self.dims() {
            if block.lo[d] > self.lo[d] {
                clipped.lo[d] += (block.lo[d] - self.lo[d]).div_ceil(self.step[d]) * self.step[d];
            }
            clipped.hi[d] = self.hi[d].min(block.hi[d]);
            if clipped.lo[d] >= clipped.hi[d] {
                return None;
            }
        }
        Some(clipped)
    }

    /// Keeps of dimension `dim` the elements numbered `range`, which are some of those there are.
    ///
    /// # Panics
    /// If `range` is empty or goes beyond them.
    #[inline]
    pub fn narrow(&mut self, dim: usize, range: &Range<u64>) {
        let (lo, step) = (self.lo[dim], self.step[dim]);
        let last = range.end.checked_sub(1).filter(|last| range.start <= *last).expect("some elements");
        let end = lo + last * step + 1;
        assert!(end <= self.hi[dim], "{range:?} of {self:?} along {dim}");
        (self.lo[dim], self.hi[dim]) = (lo + range.start * step, end);
    }

    /// The section with `origin` as the new zero.
    ///
    /// # Panics
    /// If the section begins before the origin.
    #[must_use]
    pub fn relative_to(&self, origin: &[u64]) -> Self {
        let below = |bound: &Shape| {
            Shape::from_fn(self.dims(), |d| bound[d].checked_sub(origin[d]).expect("after the origin"))
        };
        Self { lo: below(&self.lo), hi: below(&self.hi), step: self.step }
    }

    /// The section moved by `offset`.
    #[must_use]
    pub fn shifted_by(&self, offset: &[u64]) -> Self {
        let above = |bound: &Shape| Shape::from_fn(self.dims(), |d| bound[d] + offset[d]);
        Self { lo: above(&self.lo), hi: above(&self.hi), step: self.step }
    }

    /// Where this section, a part of `whole`, lies in a dense patch that holds the elements of `whole`: its first element
    /// in each dimension.
    #[inline]
    pub fn place_in(&self, whole: &Self) -> Shape {
        let mut place = self.lo;
        for d in 0..self.dims() {
            place[d] -= whole.lo[d];
            if whole.step[d] != 1 {
                place[d] /= whole.step[d];
            }
        }
        place
    }

    /// The section with its dimensions in reverse order.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { lo: self.lo.reversed(), hi: self.hi.reversed(), step: self.step.reversed() }
    }

    /// Every index, in row-major order. For tests and small lists: it visits elements one by one.
    pub fn indices(&self) -> impl Iterator<Item = Shape> + use<> {
        let (section, counts) = (*self, self.counts());
        (0..self.len()).map(move |position| {
            let mut rest = position;
            let mut index = section.lo;
            for d in (0..section.dims()).rev() {
                index[d] += rest % counts[d] * section.step[d];
                rest /= counts[d];
            }
            index
        })
    }

    /// Sections that are together this one, none of more than `elems_max` elements, as near to cubes as may be: the longest
    /// dimension is cut in two until they are small enough. In row-major order of their cuts; none if there are no elements.
    ///
    /// # Panics
    /// If `elems_max` is 0.
    pub fn pieces(&self, elems_max: u64) -> impl Iterator<Item = Self> + use<> {
        assert!(elems_max > 0, "pieces without elements");
        let mut left = if self.is_empty() { vec![] } else { vec![*self] };
        std::iter::from_fn(move || {
            let mut piece = left.pop()?;
            while piece.len() > elems_max {
                let counts = piece.counts();
                let dim = (0..counts.len()).max_by_key(|&dim| counts[dim])?;
                let mut upper = piece;
                upper.narrow(dim, &(counts[dim] / 2..counts[dim]));
                left.push(upper);
                piece.narrow(dim, &(0..counts[dim] / 2));
            }
            Some(piece)
        })
    }

    /// The boxes that together hold the elements `range` of this section, counted in row-major order, and nothing else;
    /// in order. At most `2 * dims - 1` boxes.
    ///
    /// # Panics
    /// If the range ends beyond the section.
    pub fn boxes_of_range(&self, range: Range<u64>) -> Vec<Self> {
        assert!(range.end <= self.len(), "elements {range:?} of {}", self.len());
        let mut boxes = vec![];
        let mut at = range.start;
        while at < range.end {
            let (next, len) = self.largest_box(at, range.end - at);
            boxes.push(next);
            at += len;
        }
        boxes
    }

    /// The largest box that begins with element `start` and holds at most `len_max` elements in a row, and its elements.
    fn largest_box(&self, start: u64, len_max: u64) -> (Self, u64) {
        let counts = self.counts();
        let (mut position, mut rest) = (counts, start);
        for d in (0..self.dims()).rev() {
            position[d] = rest % counts[d];
            rest /= counts[d];
        }
        // The slowest dimension that may have more than one index: all faster ones are taken whole.
        let (mut split, mut inner) = (self.dims() - 1, 1);
        while split > 0 && position[split] == 0 && inner * counts[split] <= len_max {
            inner *= counts[split];
            split -= 1;
        }
        let taken = (len_max / inner).min(counts[split] - position[split]);
        let extent = |d: usize| match d.cmp(&split) {
            Ordering::Less => 1,
            Ordering::Equal => taken,
            Ordering::Greater => counts[d],
        };
        let mut found = *self;
        for d in 0..self.dims() {
            found.lo[d] = self.lo[d] + position[d] * self.step[d];
            found.hi[d] = found.lo[d] + (extent(d) - 1) * self.step[d] + 1;
        }
        (found, taken * inner)
    }
}

impl fmt::Display for Section {
    /// `[0:10, 5:20:5]`: half-open, with the step where it is not one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for d in 0..self.dims() {
            write!(f, "{}{}:{}", if d == 0 { "[" } else { ", " }, self.lo[d], self.hi[d])?;
            if self.step[d] != 1 {
                write!(f, ":{}", self.step[d])?;
            }
        }
        f.write_str("]")
    }
}

impl fmt::Debug for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn section(lo: &[u64], hi: &[u64]) -> Section {
        Section::new(lo, hi).unwrap()
    }

    #[test]
    fn bad_bounds_are_refused_with_what_is_wrong() {
        assert_eq!(Section::new(&[], &[]), Err(Error::DimsCount { dims: 0 }));
        assert_eq!(Section::new(&[0; 8], &[1; 8]), Err(Error::DimsCount { dims: 8 }));
        assert_eq!(Section::new(&[0, 0], &[1]), Err(Error::DimsDiffer { expected: 2, got: 1 }));
        assert_eq!(Section::new(&[0, 3], &[1, 2]), Err(Error::Reversed { dim: 1, lo: 3, hi: 2 }));
        assert_eq!(Section::with_step(&[0], &[1], &[0]), Err(Error::ZeroStep { dim: 0 }));
    }

    #[test]
    fn inclusive_bounds_end_one_later() {
        assert_eq!(Section::inclusive(&[2, 3], &[2, 7]).unwrap(), section(&[2, 3], &[3, 8]));
        assert!(Section::inclusive(&[5], &[2]).is_err());
    }

    #[test]
    fn a_section_without_elements_fits_everywhere() {
        assert!(section(&[9, 9], &[9, 12]).fits(&[4, 4]));
        assert!(!section(&[3, 3], &[5, 4]).fits(&[4, 4]));
        assert!(!section(&[3], &[4]).fits(&[4, 4]));
    }

    #[test]
    fn sections_print_as_half_open_ranges() {
        assert_eq!(Section::with_step(&[0, 5], &[10, 20], &[1, 5]).unwrap().to_string(), "[0:10, 5:20:5]");
    }

    #[test]
    fn a_range_of_a_matrix_is_a_part_of_a_row_some_rows_and_a_part_of_a_row() {
        let found = section(&[0, 0], &[5, 4]).boxes_of_range(2..15);
        assert_eq!(found, [section(&[0, 2], &[1, 4]), section(&[1, 0], &[3, 4]), section(&[3, 0], &[4, 3])]);
    }

    fn any_section() -> impl Strategy<Value = Section> {
        prop::collection::vec((0u64..4, 0u64..6, 1u64..4), 1..=4).prop_map(|dims| {
            let lo: Vec<_> = dims.iter().map(|d| d.0).collect();
            let hi: Vec<_> = dims.iter().map(|d| d.0 + d.1).collect();
            let step: Vec<_> = dims.iter().map(|d| d.2).collect();
            Section::with_step(&lo, &hi, &step).unwrap()
        })
    }

    proptest! {
        #[test]
        fn clipping_keeps_exactly_the_elements_in_the_block(a in any_section(), bounds in prop::collection::vec((0u64..6, 0u64..6), 4)) {
            let lo: Vec<_> = bounds[..a.dims()].iter().map(|b| b.0).collect();
            let hi: Vec<_> = bounds[..a.dims()].iter().map(|b| b.0 + b.1).collect();
            let block = section(&lo, &hi);
            let inside = |i: &Shape| (0..a.dims()).all(|d| i[d] >= lo[d] && i[d] < hi[d]);
            let expected: HashSet<Shape> = a.indices().filter(inside).collect();
            let found: HashSet<Shape> = a.clipped_to(&block).map_or(HashSet::new(), |c| c.indices().collect());
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn a_narrowed_section_has_the_elements_that_are_numbered_so(a in any_section(), from in 0.0..1.0, to in 0.0..1.0) {
            let counts = a.counts();
            let dim = a.dims() - 1;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
            let at = |part: f64| (part * counts[dim] as f64) as u64;
            let range = at(from).min(at(to))..at(from).max(at(to));
            if a.is_empty() || range.is_empty() {
                return Ok(());
            }
            let mut narrow = a;
            narrow.narrow(dim, &range);
            let numbered = |i: &Shape| range.contains(&((i[dim] - a.lo()[dim]) / a.step()[dim]));
            let expected: Vec<Shape> = a.indices().filter(numbered).collect();
            prop_assert_eq!(narrow.indices().collect::<Vec<_>>(), expected);
            prop_assert_eq!(narrow.last(dim), Some(a.lo()[dim] + (range.end - 1) * a.step()[dim]));
        }

        #[test]
        fn the_place_of_a_part_in_a_patch_counts_steps(a in any_section()) {
            if let Some(part) = a.clipped_to(&section(&vec![2; a.dims()], &vec![8; a.dims()])) {
                let place = part.place_in(&a);
                let first: Vec<_> = (0..a.dims()).map(|d| a.lo()[d] + place[d] * a.step()[d]).collect();
                prop_assert_eq!(&first[..], part.lo());
            }
        }

        #[test]
        fn pieces_are_a_section_together(a in any_section(), elems_max in 1u64..40) {
            let pieces: Vec<Section> = a.pieces(elems_max).collect();
            prop_assert!(pieces.iter().all(|piece| (1..=elems_max).contains(&piece.len())));
            let mut found: Vec<Shape> = pieces.iter().flat_map(Section::indices).collect();
            found.sort_unstable_by(|a, b| a[..].cmp(&b[..]));
            prop_assert_eq!(found, a.indices().collect::<Vec<_>>());
        }

        #[test]
        fn the_boxes_of_a_range_are_its_elements_in_order(a in any_section(), from in 0.0..1.0, to in 0.0..1.0) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
            let at = |part: f64| (part * a.len() as f64) as u64;
            let range = at(from).min(at(to))..at(from).max(at(to));
            let boxes = a.boxes_of_range(range.clone());
            prop_assert!(boxes.len() < 2 * a.dims());
            let found: Vec<Shape> = boxes.iter().flat_map(Section::indices).collect();
            let all: Vec<Shape> = a.indices().collect();
            let (start, end) = (usize::try_from(range.start).unwrap(), usize::try_from(range.end).unwrap());
            prop_assert_eq!(&found[..], &all[start..end]);
        }
    }
}
