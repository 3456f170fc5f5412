//! The memory of the pipeline.

use crate::error::{Error, Result};
use elio::PageBuffer;
use section::size;

/// So many bricks are in flight at most: no device gains from more.
const BUFFERS_MAX: u64 = 64;
/// So many at least: one for the device, one to be copied.
pub(super) const BUFFERS_MIN: u64 = 2;
/// Buffers hold whole bricks as long as two of them are no more than the memory, or no longer than this, however little memory there is.
pub const BUFFER_BYTES_MIN: u64 = 1 << 20;
const PAGE_BYTES: u64 = 4096;

/// The buffers.
#[derive(Debug)]
pub(super) struct Buffers {
    memory_bytes: u64,
    /// Of each buffer.
    len_bytes: u64,
    count: usize,
    free: Vec<PageBuffer>,
    pub(super) peak_bytes: u64,
}

impl Buffers {
    pub(super) fn new(memory_bytes: u64) -> Self {
        Self { memory_bytes, len_bytes: 0, count: 0, free: vec![], peak_bytes: 0 }
    }

    /// How long buffers are for bricks of `brick_bytes`.
    pub(super) fn len_for(&self, brick_bytes: u64) -> u64 {
        buffer_bytes(self.memory_bytes, brick_bytes)
    }

    /// How many buffers of `len_bytes` there are room for.
    pub(super) fn count_for(&self, len_bytes: u64) -> usize {
        size((self.memory_bytes / in_pages(len_bytes)).clamp(BUFFERS_MIN, BUFFERS_MAX))
    }

    /// Whether a buffer of `len_bytes` is free, while `in_flight` others are in use. Makes new ones where none is.
    pub(super) fn prepare(&mut self, len_bytes: u64, in_flight: usize) -> Result<bool> {
        // Somewhat larger ones will do: transfers of arrays with different bricks may take turns.
        let are_right = (len_bytes..=2 * len_bytes).contains(&self.len_bytes) && self.count > 0;
        // A request that fails takes its buffer along.
        let are_complete = self.free.len() + in_flight == self.count;
        if in_flight > 0 || (are_right && are_complete) {
            return Ok(are_right && !self.free.is_empty());
        }
        self.clear();
        let count = self.count_for(len_bytes);
        self.free = PageBuffer::several(size(len_bytes), count).map_err(|source| Error::NoMemory {
            count,
            bytes: len_bytes,
            source,
        })?;
        (self.len_bytes, self.count) = (len_bytes, count);
        self.peak_bytes = self.peak_bytes.max(count as u64 * in_pages(len_bytes));
        Ok(true)
    }

    /// From now on there is so much memory; buffers that there are go when they are free.
    pub(super) fn set_memory_bytes(&mut self, memory_bytes: u64) {
        (self.memory_bytes, self.len_bytes) = (memory_bytes, 0);
    }

    /// Gives up those that are free; none must be in use.
    pub(super) fn clear(&mut self) {
        self.free.clear();
        self.count = 0;
    }

    /// A buffer that [`prepare`](Self::prepare) has found free.
    pub(super) fn take(&mut self) -> PageBuffer {
        self.free.pop().expect("a free buffer was seen before a part is started")
    }

    pub(super) fn put_back(&mut self, buffer: PageBuffer) {
        self.free.push(buffer);
    }
}

/// What a buffer takes.
fn in_pages(len_bytes: u64) -> u64 {
    len_bytes.checked_next_multiple_of(PAGE_BYTES).unwrap_or(u64::MAX)
}

/// What the buffers of a rank that has `memory_bytes` for them take, at most, in bytes, where no brick has more room on disk than
/// `brick_bytes`: two buffers, however little memory there is.
pub fn buffers_bytes_max(memory_bytes: u64, brick_bytes: u64) -> u64 {
    memory_bytes.max(BUFFERS_MIN * in_pages(brick_bytes.min(BUFFER_BYTES_MIN)))
}

/// How long buffers are that have `memory_bytes` together, for bricks of `brick_bytes`: larger bricks are moved in pieces.
pub(in crate::transfer) fn buffer_bytes(memory_bytes: u64, brick_bytes: u64) -> u64 {
    let half = memory_bytes / BUFFERS_MIN / PAGE_BYTES * PAGE_BYTES;
    brick_bytes.min(half.max(BUFFER_BYTES_MIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_take_no_more_than_is_told_however_little_memory_there_is() {
        for memory_bytes in [0, 1, 4095, 10_000, 100_000, 3 << 20] {
            for brick_bytes in [1, 512, 4096, 5000, 1 << 20, (1 << 20) + 1, 64 << 20] {
                let mut buffers = Buffers::new(memory_bytes);
                let len_bytes = buffers.len_for(brick_bytes);
                assert!(buffers.prepare(len_bytes, 0).unwrap());
                let held: usize = buffers.free.iter().map(|buffer| buffer.len()).sum();
                assert_eq!(buffers.peak_bytes, held as u64, "{memory_bytes} for {brick_bytes}");
                let told = buffers_bytes_max(memory_bytes, brick_bytes);
                assert!(
                    buffers.peak_bytes <= told,
                    "{memory_bytes} for {brick_bytes}: {}",
                    buffers.peak_bytes
                );
            }
        }
    }
}
