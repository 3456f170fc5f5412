//! What a target takes on disk, of which its elements may be a small part: bricks are stored whole, also where they are larger than the
//! array, and each begins at a multiple of the alignment.

use crate::output;
use disk_array::ArrayLayout;
use std::fmt;

/// What is less more than the elements than this matters to nobody who has not asked for a plan.
const WORTH_TELLING_BYTES: u64 = 1_000_000;

/// What an array takes when all its bricks are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// On disk, without the metadata.
    pub bytes: u64,
    /// The elements.
    pub elements_bytes: u64,
    bricks_count: u64,
    brick: Vec<u64>,
    brick_bytes: u64,
}

impl Room {
    /// That of an array with this layout.
    pub fn of(layout: &ArrayLayout) -> Self {
        let (bricks, shard) = (layout.bricks(), layout.shard());
        let bricks_bytes = bricks.count().saturating_mul(shard.stride_bytes());
        let indexes_bytes = layout.shards_count().saturating_mul(shard.index_bytes());
        let elements = layout.dims().checked_len().unwrap_or(u64::MAX);
        Self {
            bytes: bricks_bytes.saturating_add(indexes_bytes),
            elements_bytes: elements.saturating_mul(layout.data_type().bytes()),
            bricks_count: bricks.count(),
            brick: bricks.brick().to_vec(),
            brick_bytes: shard.stride_bytes(),
        }
    }

    /// Whether it is clearly more than the elements.
    pub fn is_much(&self) -> bool {
        self.bytes / 2 > self.elements_bytes
    }

    /// Whether it is, and so much more that nobody should be surprised by it.
    pub fn is_worth_telling(&self) -> bool {
        self.is_much() && self.bytes - self.elements_bytes >= WORTH_TELLING_BYTES
    }
}

/// `12.0 MB on disk, of which elements are 2.40 kB: 30 bricks of 10 x 5000, 401 kB each`.
impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [bytes, elements, each] = [self.bytes, self.elements_bytes, self.brick_bytes].map(output::bytes);
        let bricks = match self.bricks_count {
            1 => "1 brick".to_owned(),
            count => format!("{count} bricks"),
        };
        let brick = output::extents(&self.brick);
        write!(f, "{bytes} on disk, of which elements are {elements}: {bricks} of {brick}, {each} each")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use disk_array::{Alignment, ArraySpec, BrickShape, Bricks, DataType};

    fn room(dims: &[u64], brick: &[u64]) -> Room {
        let mut spec = ArraySpec::new(dims, DataType::Float64).unwrap();
        spec.bricks = Bricks::Exact(BrickShape::exact(brick).unwrap());
        spec.alignment = Alignment::new(4096).unwrap();
        Room::of(&spec.layout().unwrap())
    }

    #[test]
    fn bricks_that_are_larger_than_the_array_are_counted_whole() {
        let large = room(&[300, 1], &[10, 5000]);
        // 400,000 bytes, up to the next page.
        assert_eq!(large.bytes, 30 * 401_408 + 30 * 16 + 4);
        assert_eq!(large.elements_bytes, 2400);
        assert!(large.is_much() && large.is_worth_telling());
        let expected = "12.0 MB on disk, of which elements are 2.40 kB: 30 bricks of 10 x 5000, 401 kB each";
        assert_eq!(large.to_string(), expected);
    }

    #[test]
    fn a_few_pages_more_are_told_only_to_whom_asks_for_a_plan() {
        let small = room(&[300, 1], &[10, 1]);
        assert!(small.is_much() && !small.is_worth_telling(), "{small}");
        let whole = room(&[1024, 1024], &[512, 512]);
        assert!(!whole.is_much() && !whole.is_worth_telling(), "{whole}");
    }
}
