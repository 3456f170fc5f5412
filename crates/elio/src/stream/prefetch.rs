//! Gets a file into the page cache whose reads come singly, from all over it.
//!
//! Single reads cost the device much more than reading in order. When what they have cost beyond that is as much as it takes to
//! read the rest of the file in order, the rest is read in order: the file is there before the single reads would have come
//! to an end, and if they end at once, the device has done no more than twice what it had to.

use crate::device::Device;
use crate::pool;
use crate::queue::Queue;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};

/// What a single read costs, beyond its bytes, as bytes that could be read in order meanwhile; one that is waited for alone costs
/// its bytes once more, because the device then does one thing at a time.
const ALONE_BYTES: u64 = 64 << 10;
const BESIDE_OTHERS_BYTES: u64 = 32 << 10;
/// From here on a read uses the device as well as reading in order does.
const LARGE_ALONE_BYTES: u64 = 512 << 10;
const LARGE_BESIDE_OTHERS_BYTES: u64 = 128 << 10;
/// Got at a time: large enough for the device, and nobody's read waits long behind it.
const STEP_BYTES: u64 = 2 << 20;

/// What single reads of a file have cost.
#[derive(Debug, Default)]
pub(crate) struct SingleReads {
    /// With their bytes.
    cost_bytes: AtomicU64,
    /// Small reads through the cache, of which some ask whether they are resident.
    small_count: AtomicU64,
    /// Whether some have left pages in the cache, here and there.
    has_left_pages: AtomicBool,
}

impl SingleReads {
    /// Of so many small reads one asks whether it is resident, and answers for all of them.
    pub(crate) const SMALL_READS_PER_QUESTION: u64 = 16;

    /// Whether a small read that begins now is the one that asks.
    pub(crate) fn small_read_asks(&self) -> bool {
        self.small_count.fetch_add(1, Relaxed).is_multiple_of(Self::SMALL_READS_PER_QUESTION)
    }

    /// Notes that single reads go through the cache.
    pub(crate) fn note_pages_left(&self) {
        self.has_left_pages.store(true, Relaxed);
    }

    /// Whether any did.
    pub(crate) fn has_left_pages(&self) -> bool {
        self.has_left_pages.load(Relaxed)
    }

    /// Notes reads of a file of `len_bytes` that nothing was read ahead for and that were not resident. Tells whether the rest of
    /// the file should be got now; what was noted is forgotten then.
    pub(crate) fn note(&self, count: u64, read_bytes: u64, beside_others: bool, len_bytes: u64) -> bool {
        let (beyond, large_bytes) = if beside_others {
            (BESIDE_OTHERS_BYTES, LARGE_BESIDE_OTHERS_BYTES)
        } else {
            (ALONE_BYTES + read_bytes, LARGE_ALONE_BYTES)
        };
        if read_bytes >= large_bytes {
            return false;
        }
        let cost = count * (read_bytes + beyond);
        let is_time = self.cost_bytes.fetch_add(cost, Relaxed) + cost >= len_bytes;
        is_time && self.cost_bytes.swap(0, Relaxed) > 0
    }
}

/// Gets the file of a device into the page cache, by a helper, if one can be had, while the device is open. Holes stay. `has_gaps`: some
/// of it is there already, here and there.
pub(crate) fn start(device: &Arc<dyn Device>, len_bytes: u64, has_gaps: bool) {
    step(Arc::downgrade(device), device.properties().queue, 0..len_bytes, has_gaps);
}

fn step(device: Weak<dyn Device>, queue: Queue, range: Range<u64>, has_gaps: bool) {
    pool::writeback(queue).run_if_thread(move || {
        let Some(open) = device.upgrade() else { return };
        let len_bytes = STEP_BYTES.min(range.end - range.start);
        // Who reads what cannot be read is told so.
        let got = match open.has_data(range.start, len_bytes) {
            Ok(false) => Ok(()),
            _ => open.prefetch(range.start, len_bytes, has_gaps),
        };
        drop(open);
        let rest = range.start + len_bytes..range.end;
        if got.is_ok() && !rest.is_empty() {
            step(device, queue, rest, has_gaps);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN_BYTES: u64 = 80 << 20;

    /// How many reads of so many bytes it takes.
    fn reads_count(read_bytes: u64, beside_others: bool) -> u64 {
        let reads = SingleReads::default();
        1 + (0..100_000_u32).take_while(|_| !reads.note(1, read_bytes, beside_others, LEN_BYTES)).count()
            as u64
    }

    #[test]
    fn the_rest_is_got_when_single_reads_have_cost_as_much_as_it_takes() {
        for (read_bytes, beside_others) in [(4096, false), (16_384, false), (163_840, false), (16_384, true)]
        {
            let count = reads_count(read_bytes, beside_others);
            let beyond = if beside_others { BESIDE_OTHERS_BYTES } else { ALONE_BYTES + read_bytes };
            let rest_bytes = LEN_BYTES - count * read_bytes;
            assert!(
                count * beyond >= rest_bytes && (count - 1) * beyond < rest_bytes + read_bytes,
                "{count}"
            );
        }
        assert!(reads_count(4096, true) > reads_count(4096, false));
    }

    #[test]
    fn large_reads_need_no_help() {
        let reads = SingleReads::default();
        assert!(!reads.note(1000, LARGE_ALONE_BYTES, false, LEN_BYTES));
        assert!(!reads.note(1000, LARGE_BESIDE_OTHERS_BYTES, true, LEN_BYTES));
    }

    #[test]
    fn what_made_it_time_is_forgotten() {
        let reads = SingleReads::default();
        assert!(!reads.note(1, 4096, false, LEN_BYTES));
        assert!(reads.note(2000, 4096, false, LEN_BYTES));
        assert!(!reads.note(1, 4096, false, LEN_BYTES));
    }
}
