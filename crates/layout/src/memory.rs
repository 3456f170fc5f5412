//! How an executor shares the memory of all ranks out between the buffers of transfers and the boxes of steps.
//!
//! Buffers hold bricks, or pieces of bricks that are larger, on I/O processes only; what is in them keeps a device busy while others are
//! filled, and more than some MiB gain nothing. All else is for boxes, because larger ones make longer writes. With 64 MiB on two ranks
//! conversions took up to a seventh longer with an eighth of the memory for buffers than with a fifth; a quarter and a third were better
//! for some bricks and worse for others (docs/bench/layout.md, "Conversions alone").

/// So much is enough for the buffers of an I/O process.
const BUFFERS_BYTES_MAX: u64 = 16 << 20;
/// This part of the memory is for buffers at most, unless two of the least length are more.
const BUFFERS_PART: u64 = 5;
/// A buffer has so many bytes at least, if bricks have, as in `chemio-dra`.
const BUFFER_BYTES_MIN: u64 = 1 << 20;
/// Boxes get the memory of so many bricks at least, if those are no larger than the least buffer: what programs give is often a number
/// without meaning.
const BOXES_BRICKS_MIN: u64 = 4;

const PAGE_BYTES: u64 = 4096;

/// What an array in the memory of so many ranks takes beyond its elements, at most: each rank rounds its part up to pages, and the ranks of
/// a node may have one more together.
pub fn rounding_bytes(ranks: u64, nodes: u64) -> u64 {
    ranks.saturating_add(nodes).saturating_mul(PAGE_BYTES)
}

/// Memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// For the buffers of each I/O process.
    pub buffers: u64,
    /// For boxes, on all ranks together.
    pub boxes: u64,
}

/// The room of a brick on disk, at most, in a source, a target, and arrays between passes, whose bricks have no more elements than the
/// larger of both, or what their buffers are good for, and begin at multiples of `align_bytes`.
pub fn brick_bytes_max(source_bytes: u64, target_bytes: u64, align_bytes: u64) -> u64 {
    source_bytes.max(target_bytes).checked_next_multiple_of(align_bytes).unwrap_or(u64::MAX)
}

/// What there is to be shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Of all ranks together, in bytes.
    pub all_bytes: u64,
    /// No rank has less: so much at most is for its buffers.
    pub rank_bytes: u64,
    /// How many ranks have buffers.
    pub io_processes: u64,
    /// The room of [a brick](brick_bytes_max) on disk.
    pub brick_bytes: u64,
    /// What an array takes [beyond its elements](rounding_bytes()).
    pub rounding_bytes: u64,
}

impl Memory {
    /// Shares it out; more than there is where that is too little for two buffers and some bricks.
    pub fn share(&self) -> Shares {
        let of_each = self.all_bytes / BUFFERS_PART / self.io_processes.max(1);
        let least = self.brick_bytes.min(BUFFER_BYTES_MIN);
        let buffers = of_each.min(BUFFERS_BYTES_MAX).min(self.rank_bytes).max(2 * least);
        let left = self.all_bytes.saturating_sub(buffers.saturating_mul(self.io_processes));
        // A pass gets by with a single box, which is an array of all ranks.
        Shares { buffers, boxes: left.max((BOXES_BRICKS_MIN * least).saturating_add(self.rounding_bytes)) }
    }
}

/// The room of a brick between passes, at most, if it is to do with buffers of so many bytes: two of them are in use at a time, and what is
/// longer than [`BUFFER_BYTES_MIN`] is moved in pieces. `brick_bytes`: the larger one of source and target.
pub(crate) fn between_brick_bytes_max(buffers_bytes: u64, brick_bytes: u64) -> u64 {
    if buffers_bytes >= 2 * BUFFER_BYTES_MIN { u64::MAX } else { brick_bytes.max(buffers_bytes / 2) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn share(
        all_bytes: u64,
        rank_bytes: u64,
        io_processes: u64,
        brick_bytes: u64,
        rounding_bytes: u64,
    ) -> Shares {
        Memory { all_bytes, rank_bytes, io_processes, brick_bytes, rounding_bytes }.share()
    }

    #[test]
    fn most_of_much_memory_is_for_boxes() {
        assert_eq!(share(60 * MIB, 60 * MIB, 1, MIB, 8192), Shares { buffers: 12 * MIB, boxes: 48 * MIB });
        assert_eq!(share(60 * MIB, 30 * MIB, 2, MIB, 8192), Shares { buffers: 6 * MIB, boxes: 48 * MIB });
        assert_eq!(share(512 * MIB, 256 * MIB, 2, MIB, 8192), Shares { buffers: 16 * MIB, boxes: 480 * MIB });
    }

    /// Many ranks have little each, of which few read and write.
    #[test]
    fn boxes_get_what_a_rank_has_no_memory_to_hold_in_buffers() {
        assert_eq!(share(64 * MIB, 8 * MIB, 1, MIB, 8192), Shares { buffers: 8 * MIB, boxes: 56 * MIB });
    }

    #[test]
    fn buffers_are_good_for_bricks_between_passes() {
        for memory_bytes in (0..24).map(|log| 1000u64 << log) {
            for brick_bytes in [8192, 100_000, MIB, 5 * MIB] {
                let Shares { buffers, .. } = share(memory_bytes, memory_bytes / 2, 2, brick_bytes, 8192);
                let between_bytes = between_brick_bytes_max(buffers, brick_bytes);
                assert!(between_bytes >= brick_bytes);
                assert!(2 * between_bytes.min(BUFFER_BYTES_MIN) <= buffers, "{memory_bytes} {brick_bytes}");
            }
        }
        assert_eq!(between_brick_bytes_max(2 * MIB, 8192), u64::MAX);
        assert_eq!(between_brick_bytes_max(MIB, 8192), MIB / 2);
    }

    #[test]
    fn little_memory_is_raised_to_some_bricks() {
        assert_eq!(share(1000, 1000, 1, MIB, 8192), Shares { buffers: 2 * MIB, boxes: 4 * MIB + 8192 });
        assert_eq!(share(8 * MIB, 4 * MIB, 2, MIB, 7), Shares { buffers: 2 * MIB, boxes: 4 * MIB + 7 });
    }

    #[test]
    fn memory_is_kept_to_however_large_bricks_are() {
        let large = 512 * MIB;
        assert_eq!(share(60 * MIB, 60 * MIB, 1, large, 0), Shares { buffers: 12 * MIB, boxes: 48 * MIB });
        assert_eq!(share(60 * MIB, 15 * MIB, 4, large, 0), Shares { buffers: 3 * MIB, boxes: 48 * MIB });
        assert_eq!(share(1, 1, 1, u64::MAX, 0), Shares { buffers: 2 * MIB, boxes: 4 * MIB });
    }
}
