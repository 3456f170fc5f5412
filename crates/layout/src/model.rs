//! What the device costs: numbers that somebody measured, or a guess.

mod setting;

use std::fmt;

/// A device as the planner sees it: a transfer costs its bytes and its operations, and a step one wait of all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceModel {
    /// Bytes that all I/O processes together read in a second.
    pub read_bytes_per_second: u64,
    /// Bytes that all I/O processes together write in a second.
    pub write_bytes_per_second: u64,
    /// Contiguous transfers that begin in a second, with several in flight.
    pub operations_per_second: u64,
    /// Steps in a second, if nothing were moved.
    pub steps_per_second: u64,
    /// A part of a brick that is written and does not begin and end on multiples of so many bytes costs one operation more,
    /// because what is around it has to be read.
    pub page_bytes: u64,
    /// Writes shorter than so many bytes are joined in the page cache with what later steps write beside them: one costs half an
    /// operation, and its bytes, which are copied once more, an eighth more. 1: nothing is joined.
    pub joined_bytes: u64,
    /// What a brick at the end of an array has beyond it, between two runs, is moved with them if it is no more: `chemio-dra` joins them. A part
    /// of a brick within the array counts as its runs, also where those are joined.
    pub gap_bytes: u64,
    /// So many hundredths longer takes what is read while nothing is written, or written while nothing is read. With two Max blocks
    /// these are the reads of the first step and the writes of the last one, with a single one it is everything.
    pub alone_percent: u64,
    /// Bytes of new memory that all ranks together touch in a second: each pass takes its memory anew. Charged in full, though some
    /// of it is touched while the device reads.
    pub memory_bytes_per_second: u64,
}

impl Default for DeviceModel {
    /// A solid-state disk of a node: 2 GB/s, and an operation costs as much as 32 KiB, with several in flight. Reading and writing at
    /// once gain little, because it is one flash, or one host, that does both. Memory is as slow as where a host has to get it; where it
    /// is only cleared, several times as fast, plans for less of it are a few hundredths slower than they could be.
    fn default() -> Self {
        Self {
            read_bytes_per_second: 2_000_000_000,
            write_bytes_per_second: 2_000_000_000,
            operations_per_second: 61_035,
            steps_per_second: 5_000,
            page_bytes: 4096,
            joined_bytes: 16 << 10,
            gap_bytes: 16 << 10,
            alone_percent: 5,
            memory_bytes_per_second: 1_000_000_000,
        }
    }
}

impl DeviceModel {
    /// A device on which operations and steps cost next to nothing, so that the least volume wins, as in the paper.
    pub const fn volume_only() -> Self {
        Self {
            read_bytes_per_second: 1_000_000_000,
            write_bytes_per_second: 1_000_000_000,
            operations_per_second: u64::MAX,
            steps_per_second: u64::MAX,
            page_bytes: 1,
            joined_bytes: 1,
            gap_bytes: 0,
            alone_percent: 0,
            memory_bytes_per_second: u64::MAX,
        }
    }

    /// Seconds for so many bytes, operations and steps.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub(crate) fn seconds(&self, work: Work) -> f64 {
        let per = |amount: u128, rate: u64| amount as f64 / rate as f64;
        let alone = per(work.read_alone_bytes, self.read_bytes_per_second)
            + per(work.written_alone_bytes, self.write_bytes_per_second);
        alone * self.alone_percent as f64 / 100.0
            + per(work.read_bytes, self.read_bytes_per_second)
            + per(work.written_bytes, self.write_bytes_per_second)
            + per(work.operations, self.operations_per_second)
            + per(work.steps, self.steps_per_second)
            + per(work.memory_bytes, self.memory_bytes_per_second)
    }

    /// Operations and bytes that so many writes of `bytes` in sum cost.
    pub(crate) fn cost_of_writes(&self, count: u128, bytes: u128) -> (u128, u128) {
        let are_joined = bytes < count.saturating_mul(self.joined_bytes.into());
        if are_joined { (count.div_ceil(2), bytes.saturating_add(bytes / 8)) } else { (count, bytes) }
    }

    /// The first number that is zero.
    pub(crate) fn zero(&self) -> Option<&'static str> {
        let numbers = [
            (self.read_bytes_per_second, "the device's rate of reading"),
            (self.write_bytes_per_second, "the device's rate of writing"),
            (self.operations_per_second, "the device's rate of operations"),
            (self.steps_per_second, "the rate of steps"),
            (self.page_bytes, "the size of a page"),
            (self.joined_bytes, "the size of writes that are joined"),
            (self.memory_bytes_per_second, "the rate of touching memory"),
        ];
        numbers.into_iter().find(|(number, _)| *number == 0).map(|(_, what)| what)
    }
}

impl fmt::Display for DeviceModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = |bytes: u64| bytes / 1_000_000;
        write!(
            f,
            "{} MB/s read, {} MB/s written, {} operations/s, {} % longer for one of both alone, {} MB/s of new memory",
            megabytes(self.read_bytes_per_second),
            megabytes(self.write_bytes_per_second),
            self.operations_per_second,
            self.alone_percent,
            megabytes(self.memory_bytes_per_second)
        )
    }
}

/// What is to be done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    pub(crate) read_bytes: u128,
    pub(crate) written_bytes: u128,
    pub(crate) operations: u128,
    pub(crate) steps: u128,
    pub(crate) memory_bytes: u128,
    /// Those of the bytes that are read while nothing is written.
    pub(crate) read_alone_bytes: u128,
    /// The other way round.
    pub(crate) written_alone_bytes: u128,
}
