//! An array cut into bricks of one shape.

use crate::{Error, Result, Section, Shape};

/// A grid of bricks over an array. Bricks have coordinates, one for each dimension, and numbers, in row-major order of
/// the coordinates. The last bricks of a dimension may reach beyond the array.
///
/// ```
/// use section::{BrickGrid, Section};
/// let grid = BrickGrid::new(&[10, 7], &[4, 4])?;
/// assert_eq!(&grid.counts()[..], [3, 2]);
/// // Rows 3 to 8 and column 5 lie in the bricks (0, 1), (1, 1) and (2, 1).
/// let met = grid.meeting(&Section::new(&[3, 5], &[9, 6])?);
/// assert_eq!(met, Section::new(&[0, 1], &[3, 2])?);
/// assert_eq!(grid.elements(&[2, 1]), Section::new(&[8, 4], &[10, 7])?);
/// # Ok::<(), section::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BrickGrid {
    array: Shape,
    brick: Shape,
    counts: Shape,
}

impl BrickGrid {
    /// The grid of bricks of shape `brick` over an array of shape `array`. An array without elements has no bricks.
    ///
    /// # Errors
    /// - [`Error::DimsCount`], [`Error::DimsDiffer`]: not 1 to 7 dimensions, or not as many in both.
    /// - [`Error::EmptyBrick`]: a brick without elements.
    /// - [`Error::BricksCount`]: more than 2^64 - 1 bricks.
    pub fn new(array: &[u64], brick: &[u64]) -> Result<Self> {
        let (array, brick) = (Shape::new(array)?, Shape::new(brick)?);
        if array.len() != brick.len() {
            return Err(Error::DimsDiffer { expected: array.len(), got: brick.len() });
        }
        if let Some(dim) = brick.iter().position(|&extent| extent == 0) {
            return Err(Error::EmptyBrick { dim });
        }
        let counts = Shape::from_fn(array.len(), |d| array[d].div_ceil(brick[d]));
        counts.checked_len().ok_or(Error::BricksCount)?;
        Ok(Self { array, brick, counts })
    }

    /// The shape of the array.
    pub fn array(&self) -> &Shape {
        &self.array
    }

    /// The shape of a brick.
    pub fn brick(&self) -> &Shape {
        &self.brick
    }

    /// Number of bricks in each dimension.
    pub fn counts(&self) -> &Shape {
        &self.counts
    }

    /// Number of bricks.
    pub fn count(&self) -> u64 {
        self.counts.iter().product()
    }

    /// The number of the brick at `coordinates`.
    pub fn number(&self, coordinates: &[u64]) -> u64 {
        debug_assert!(coordinates.iter().zip(self.counts.iter()).all(|(at, count)| at < count));
        self.counts.iter().zip(coordinates).fold(0, |number, (count, at)| number * count + at)
    }

    /// The coordinates of the brick with this number.
    ///
    /// # Panics
    /// If there is no such brick.
    pub fn coordinates(&self, number: u64) -> Shape {
        assert!(number < self.count(), "brick {number} of {}", self.count());
        let (mut coordinates, mut rest) = (self.counts, number);
        for d in (0..self.counts.len()).rev() {
            coordinates[d] = rest % self.counts[d];
            rest /= self.counts[d];
        }
        coordinates
    }

    /// The elements of the array that the brick at `coordinates` holds: less than a whole brick at the array's end.
    pub fn elements(&self, coordinates: &[u64]) -> Section {
        let lo = Shape::from_fn(self.array.len(), |d| coordinates[d] * self.brick[d]);
        let hi = Shape::from_fn(self.array.len(), |d| lo[d].saturating_add(self.brick[d]).min(self.array[d]));
        Section::between(lo, hi)
    }

    /// The bricks that hold the elements of `section`, which lies in the array: a box of coordinates. Where a step is
    /// longer than a brick, some bricks of the box may hold none: [`Section::clipped_to`] tells.
    pub fn meeting(&self, section: &Section) -> Section {
        let dims = self.array.len();
        let lo = Shape::from_fn(dims, |d| section.lo()[d] / self.brick[d]);
        let end = |d| section.last(d).map_or(lo[d], |last| last / self.brick[d] + 1);
        if (0..dims).any(|d| section.last(d).is_none()) {
            return Section::between(lo, lo);
        }
        Section::between(lo, Shape::from_fn(dims, end))
    }
}

/// The extents of equal boxes that tile a grid of `counts`, about `boxes` of them, of at most `len_max` elements each. The slowest dimensions
/// are cut first, into as many parts as boxes are wished for, so that a box holds neighbours in row-major order; then again, until no
/// box is too large. Parts of a dimension differ by as little as they can; the last may reach beyond the grid.
pub fn equal_boxes(counts: &Shape, boxes: u64, len_max: u64) -> Shape {
    let mut extents = *counts;
    let mut parts_wished = boxes.max(1);
    for (extent, &count) in extents.iter_mut().zip(counts.iter()) {
        *extent = count.div_ceil(parts_wished.min(count));
        let parts = count.div_ceil(*extent);
        // The nearest number of parts that is left to make.
        parts_wished = (parts_wished / parts + u64::from(parts_wished % parts > parts / 2)).max(1);
    }
    for d in 0..counts.len() {
        let faster: u64 = extents[d + 1..].iter().fold(1, |product, &extent| product.saturating_mul(extent));
        let room = (len_max / faster).max(1);
        if extents[d] > room {
            extents[d] = counts[d].div_ceil(counts[d].div_ceil(room));
        }
    }
    extents
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn a_grid_that_makes_no_sense_is_refused() {
        assert_eq!(BrickGrid::new(&[4, 4], &[4]), Err(Error::DimsDiffer { expected: 2, got: 1 }));
        assert_eq!(BrickGrid::new(&[4, 4], &[4, 0]), Err(Error::EmptyBrick { dim: 1 }));
        assert_eq!(BrickGrid::new(&[1 << 40, 1 << 40], &[1, 1]), Err(Error::BricksCount));
    }

    #[test]
    fn an_array_without_elements_has_no_bricks() {
        let grid = BrickGrid::new(&[0, 5], &[2, 2]).unwrap();
        assert_eq!((grid.count(), &grid.counts()[..]), (0, &[0, 3][..]));
    }

    #[test]
    fn extents_up_to_the_largest_number_do_not_overflow() {
        let grid = BrickGrid::new(&[u64::MAX], &[1 << 63]).unwrap();
        assert_eq!(grid.count(), 2);
        assert_eq!(grid.elements(&[1]), Section::new(&[1 << 63], &[u64::MAX]).unwrap());
    }

    proptest! {
        #[test]
        fn the_bricks_a_section_meets_hold_its_elements_and_each_once(
            dims in prop::collection::vec((1u64..12, 1u64..6, 0u64..6, 0u64..8, 1u64..4), 1..=4)
        ) {
            let of = |value: fn(&(u64, u64, u64, u64, u64)) -> u64| dims.iter().map(value).collect::<Vec<_>>();
            let grid = BrickGrid::new(&of(|d| d.0), &of(|d| d.1)).unwrap();
            let lo = of(|d| d.2.min(d.0));
            let hi = of(|d| (d.2 + d.3).min(d.0));
            let section = Section::with_step(&lo, &hi, &of(|d| d.4)).unwrap();
            let mut found = HashSet::new();
            for coordinates in grid.meeting(&section).indices() {
                prop_assert_eq!(grid.coordinates(grid.number(&coordinates)), coordinates);
                if let Some(part) = section.clipped_to(&grid.elements(&coordinates)) {
                    for index in part.indices() {
                        prop_assert!(found.insert(index));
                    }
                }
            }
            prop_assert_eq!(found, section.indices().collect::<HashSet<_>>());
        }
    }
}
