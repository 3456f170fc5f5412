//! Which shard, and where in it, each brick of an array is.
//!
//! Definitions. *Bricks* tile the array; *shards* tile the grid of bricks. All shards have one shape, so the last ones hold
//! bricks outside the array: they cost an entry in the index and no space. Everything is found by arithmetic on the shapes.
//!
//! The shape of the shards: [`equal_boxes`] of bricks, as many as files are wished for, of at most 65,536 bricks each (an index of 1 MiB).
//! The number of files is a wish: not every number can be had.

use super::{Alignment, BrickShape, DataType, IndexFormat, ShardLayout};
use crate::error::{Error, Result};
use section::{BrickGrid, Shape, equal_boxes};
use std::ops::Range;

/// The most bricks in a shard that we make.
pub const BRICKS_PER_SHARD_MAX: u64 = 65_536;
/// The most shards of an array that we make: 64 PiB in bricks of 1 MiB.
pub const SHARDS_MAX: u64 = 1 << 20;

/// The most runs of bricks of a shard that are told apart.
const RUNS_MAX: u64 = 256;

/// Where a brick is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BrickPlace {
    /// The number of its shard.
    pub shard: u64,
    /// Its slot in the shard.
    pub slot: u64,
}

/// Where everything is in an array on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayLayout {
    data_type: DataType,
    bricks: BrickGrid,
    /// Over the grid of bricks: its "elements" are bricks.
    shards: BrickGrid,
    shard: ShardLayout,
}

impl ArrayLayout {
    /// The layout of an array that we make, in about `files` shards.
    ///
    /// # Errors
    /// - [`Error::EmptyDimension`]: an array without elements.
    /// - [`Error::Shape`]: bricks of another number of dimensions.
    /// - [`Error::TooLarge`]: an array whose bytes cannot be counted, or that would need more than [`SHARDS_MAX`] files.
    pub fn choose(
        dims: &Shape,
        data_type: DataType,
        brick: &BrickShape,
        alignment: Alignment,
        files: u64,
    ) -> Result<Self> {
        if let Some(dim) = dims.iter().position(|&extent| extent == 0) {
            return Err(Error::EmptyDimension { dim, dims: dims.to_vec() });
        }
        expect_countable(dims, data_type)?;
        let bricks = BrickGrid::new(dims, brick.extents())?;
        let per_shard = equal_boxes(bricks.counts(), files, BRICKS_PER_SHARD_MAX);
        let layout =
            Self::with_shards(dims, data_type, brick, &per_shard, Some(IndexFormat::OURS), alignment)?;
        if layout.shards_count() > SHARDS_MAX {
            let what = format!("{} shards of {} bricks", layout.shards_count(), layout.shard.bricks_count());
            return Err(Error::TooLarge { what, max: SHARDS_MAX, dims: dims.to_vec() });
        }
        Ok(layout)
    }

    /// The layout with shards of `per_shard` bricks.
    ///
    /// # Errors
    /// - [`Error::Shape`]: shapes of different numbers of dimensions, more bricks than can be counted.
    /// - [`Error::TooLarge`]: an array or a shard whose bytes cannot be counted.
    pub fn with_shards(
        dims: &Shape,
        data_type: DataType,
        brick: &BrickShape,
        per_shard: &Shape,
        index: Option<IndexFormat>,
        alignment: Alignment,
    ) -> Result<Self> {
        expect_countable(dims, data_type)?;
        let bricks = BrickGrid::new(dims, brick.extents())?;
        let shards = BrickGrid::new(bricks.counts(), per_shard)?;
        let shard = brick
            .checked_bytes(data_type)
            .and_then(|brick_bytes| ShardLayout::new(per_shard, brick_bytes, alignment, index))
            .ok_or_else(|| too_many_bytes("bytes of a shard", dims))?;
        Ok(Self { data_type, bricks, shards, shard })
    }

    /// The shape of the array. The last index is contiguous.
    pub fn dims(&self) -> &Shape {
        self.bricks.array()
    }

    /// What its elements are.
    pub fn data_type(&self) -> DataType {
        self.data_type
    }

    /// The bricks.
    pub fn bricks(&self) -> &BrickGrid {
        &self.bricks
    }

    /// The shards, over the bricks: [`elements`](BrickGrid::elements) are the bricks in the array that a shard has.
    pub fn shards(&self) -> &BrickGrid {
        &self.shards
    }

    /// Number of shards: of files, beside the metadata.
    pub fn shards_count(&self) -> u64 {
        self.shards.count()
    }

    /// What a shard is like.
    pub fn shard(&self) -> &ShardLayout {
        &self.shard
    }

    /// The extents of a shard in elements: Zarr's chunk shape. `None` if one does not fit in 64 bits.
    pub fn shard_shape(&self) -> Option<Shape> {
        let mut shape = *self.bricks.brick();
        for (extent, bricks) in shape.iter_mut().zip(self.shard.bricks().iter()) {
            *extent = extent.checked_mul(*bricks)?;
        }
        Some(shape)
    }

    /// Where the brick at `coordinates` is.
    pub fn place(&self, coordinates: &[u64]) -> BrickPlace {
        let per_shard = self.shards.brick();
        let shard = Shape::from_fn(coordinates.len(), |d| coordinates[d] / per_shard[d]);
        let slot =
            coordinates.iter().zip(per_shard.iter()).fold(0, |slot, (at, count)| slot * count + at % count);
        BrickPlace { shard: self.shards.number(&shard), slot }
    }

    /// Where the bricks of a shard are that the array has, in the order of the file: as few ranges of bytes as there are runs of them, or the
    /// one from the first to the last if these would be more than 256.
    pub fn bricks_in_array(&self, shard: u64) -> Vec<Range<u64>> {
        let there = self.shards.elements(&self.shards.coordinates(shard)).counts();
        let whole = self.shards.brick();
        let slots = |from: usize| whole[from..].iter().product::<u64>();
        // Along the dimensions from here on all of it is there.
        let rest = (0..whole.len()).rev().find(|&d| there[d] < whole[d]).unwrap_or(0);
        let run = there[rest] * slots(rest + 1);
        let bytes = |first: u64, count: u64| {
            self.shard.offset_bytes(first)
                ..self.shard.offset_bytes(first + count - 1) + self.shard.brick_bytes()
        };
        if rest == 0 {
            return vec![bytes(0, run)];
        }
        let first = |mut number: u64| {
            let (mut slot, mut scale) = (0, slots(rest));
            for d in (0..rest).rev() {
                slot += number % there[d] * scale;
                number /= there[d];
                scale *= whole[d];
            }
            slot
        };
        let runs: u64 = there[..rest].iter().product();
        if runs > RUNS_MAX {
            return vec![bytes(0, first(runs - 1) + run)];
        }
        (0..runs).map(|number| bytes(first(number), run)).collect()
    }

    /// The coordinates of the brick in `slot` of `shard`, which may be outside the array.
    pub fn coordinates(&self, place: BrickPlace) -> Shape {
        let (shard, per_shard) = (self.shards.coordinates(place.shard), self.shards.brick());
        let (mut coordinates, mut rest) = (shard, place.slot);
        for d in (0..shard.len()).rev() {
            coordinates[d] = shard[d] * per_shard[d] + rest % per_shard[d];
            rest /= per_shard[d];
        }
        coordinates
    }
}

fn too_many_bytes(what: &str, dims: &Shape) -> Error {
    Error::TooLarge { what: what.to_owned(), max: i64::MAX.unsigned_abs(), dims: dims.to_vec() }
}

/// Refuses an array of more bytes than a file offset can name.
fn expect_countable(dims: &Shape, data_type: DataType) -> Result<()> {
    let bytes = dims.checked_len().and_then(|len| len.checked_mul(data_type.bytes()));
    match bytes.map(i64::try_from) {
        Some(Ok(_)) => Ok(()),
        _ => Err(too_many_bytes("bytes of the array", dims)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page() -> Alignment {
        Alignment::new(4096).unwrap()
    }

    fn layout(dims: &[u64], brick: &[u64], files: u64) -> Result<ArrayLayout> {
        let brick = BrickShape::exact(brick).unwrap();
        ArrayLayout::choose(&Shape::new(dims).unwrap(), DataType::Float64, &brick, page(), files)
    }

    fn per_shard(dims: &[u64], brick: &[u64], files: u64) -> Vec<u64> {
        layout(dims, brick, files).unwrap().shard().bricks().to_vec()
    }

    proptest! {
        #[test]
        fn the_bricks_of_a_shard_that_the_array_has_are_told_and_no_others(
            dims in proptest::collection::vec(1u64..9, 1..4),
            files in 1u64..9,
        ) {
            let brick = vec![1; dims.len()];
            let layout = layout(&dims, &brick, files).unwrap();
            for shard in 0..layout.shards_count() {
                let runs = layout.bricks_in_array(shard);
                prop_assert!(runs.is_sorted_by(|a, b| a.end < b.start));
                for slot in 0..layout.shard().bricks_count() {
                    let coordinates = layout.coordinates(BrickPlace { shard, slot });
                    let is_there = coordinates.iter().zip(&dims).all(|(at, len)| at < len);
                    let at = layout.shard().offset_bytes(slot);
                    let is_told = runs.iter().any(|run| run.start <= at && at + 8 <= run.end);
                    prop_assert_eq!(is_there, is_told, "slot {} of shard {}: {:?}", slot, shard, runs);
                }
            }
        }
    }

    #[test]
    fn many_runs_of_bricks_are_told_as_one() {
        let layout = layout(&[300, 3], &[1, 1], 1).unwrap();
        expect_runs(&layout, 1);
        let with = ArrayLayout::with_shards(
            &Shape::new(&[300, 3]).unwrap(),
            DataType::Float64,
            &BrickShape::exact(&[1, 1]).unwrap(),
            &Shape::new(&[300, 4]).unwrap(),
            Some(IndexFormat::OURS),
            page(),
        );
        let with = with.unwrap();
        expect_runs(&with, 1);
        assert_eq!(with.bricks_in_array(0)[0].end, with.shard().offset_bytes(299 * 4 + 2) + 8);
    }

    fn expect_runs(layout: &ArrayLayout, count: usize) {
        assert_eq!(layout.bricks_in_array(0).len(), count);
    }

    #[test]
    fn the_slowest_dimension_is_cut_first() {
        assert_eq!(per_shard(&[100, 100], &[10, 10], 1), [10, 10]);
        assert_eq!(per_shard(&[100, 100], &[10, 10], 2), [5, 10]);
        assert_eq!(per_shard(&[100, 100], &[10, 10], 4), [3, 10], "ten rows of bricks in four shards");
        assert_eq!(per_shard(&[10, 100], &[10, 10], 5), [1, 2], "one row of bricks");
        assert_eq!(per_shard(&[20, 20], &[10, 10], 1000), [1, 1], "no more shards than bricks");
        assert_eq!(per_shard(&[20, 20], &[10, 10], 0), [2, 2]);
    }

    #[test]
    fn no_shard_has_more_than_65536_bricks_and_shards_are_nearly_equal() {
        assert_eq!(per_shard(&[65_536], &[1], 1), [65_536]);
        assert_eq!(per_shard(&[65_537], &[1], 1), [32_769]);
        assert_eq!(per_shard(&[1000, 1000], &[1, 1], 1), [63, 1000]);
        assert_eq!(per_shard(&[3, 1000, 1000], &[1, 1, 1], 1), [1, 63, 1000]);
        assert_eq!(per_shard(&[2, 3, 100_000], &[1, 1, 1], 1), [1, 1, 50_000]);
    }

    #[test]
    fn an_array_that_files_cannot_hold_is_refused() {
        for (dims, brick, what) in [
            (&[1u64 << 60][..], &[1u64 << 17][..], "bytes of the array"),
            (&[(1 << 63) - 1; 7], &[8; 7], "bytes of the array"),
            (&[8], &[1 << 60], "bytes of a shard"),
            (&[1 << 59], &[1 << 20], "8388608 shards of 65536 bricks"),
        ] {
            let error = layout(dims, brick, 1).unwrap_err();
            assert!(error.to_string().starts_with(what), "{error}");
        }
        assert!(matches!(layout(&[4, 0], &[1, 1], 1), Err(Error::EmptyDimension { dim: 1, .. })));
        assert!(matches!(layout(&[4], &[1, 1], 1), Err(Error::Shape(_))));
    }

    #[test]
    fn the_largest_array_has_a_layout_and_its_last_brick_a_place() {
        let brick = BrickShape::exact(&[1 << 22]).unwrap();
        let dims = Shape::new(&[(1 << 59) - 1]).unwrap();
        let per_shard = Shape::new(&[65_536]).unwrap();
        let index = Some(IndexFormat::OURS);
        let array =
            ArrayLayout::with_shards(&dims, DataType::Complex128, &brick, &per_shard, index, page()).unwrap();
        assert_eq!(array.place(&[(1 << 37) - 1]), BrickPlace { shard: (1 << 21) - 1, slot: 65_535 });
        assert!(std::mem::size_of::<ArrayLayout>() < 1024, "no table");
    }

    proptest! {
        #[test]
        fn every_brick_has_a_place_of_its_own(
            dims in prop::collection::vec((1u64..20, 1u64..8), 1..=4), files in 0u64..12
        ) {
            let (dims, brick): (Vec<_>, Vec<_>) = dims.into_iter().unzip();
            let array = layout(&dims, &brick, files).unwrap();
            let mut places = std::collections::HashSet::new();
            for number in 0..array.bricks().count() {
                let coordinates = array.bricks().coordinates(number);
                let place = array.place(&coordinates);
                prop_assert!(place.shard < array.shards_count() && place.slot < array.shard().bricks_count());
                prop_assert!(places.insert((place.shard, place.slot)));
                prop_assert_eq!(array.coordinates(place), coordinates);
            }
            let wished = files.clamp(1, array.bricks().count());
            prop_assert!(array.shards_count() <= 2 * wished, "{} shards for {}", array.shards_count(), wished);
            prop_assert!(3 * array.shards_count() >= wished, "{} shards for {}", array.shards_count(), wished);
        }
    }
}
