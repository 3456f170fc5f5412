//! Locks that the ranks of a node share, for accumulates.
//!
//! One table for all arrays. A lock guards a *granule*, 16 KiB of one rank's part of one array; granules that fall on the
//! same lock only wait for each other. A lock is held for the time of an addition in memory and never while anything else
//! is waited for, so there is no order to keep.

use super::extent::Extent;
use super::segment::Segment;
use crate::Result;
use comm::Comm;
use std::hint;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// Number of locks: many more than ranks on a node, so that they rarely meet by chance.
const LOCKS: usize = 4096;

/// Each on a cache line of its own.
const LOCK_BYTES: usize = 64;

/// How often a lock is looked at before the processor is given to somebody else: its holder may be waiting for one.
const SPINS: u32 = 200;

/// The locks of a node.
#[derive(Debug)]
pub(crate) struct LockTable {
    memory: Segment,
}

/// The locks of one rank's part of one array.
pub(super) struct PartLocks<'a> {
    table: &'a LockTable,
    seed: u64,
}

impl LockTable {
    /// Collective over the node; a table for this rank alone without one.
    pub(crate) fn new(node: Option<&Comm>) -> Result<Self> {
        let bytes = (LOCKS * LOCK_BYTES) as u64;
        let memory = match node {
            Some(node) => {
                let own_bytes = if node.rank() == 0 { bytes } else { 0 };
                Segment::shared(node, own_bytes, Extent::Exact, "of locks")?
            }
            None => Segment::private(bytes, Extent::Exact, "of locks")?,
        };
        Ok(Self { memory })
    }

    /// The locks of the part of `rank` of an array.
    pub(super) fn of(&self, array: u64, rank: usize) -> PartLocks<'_> {
        PartLocks { table: self, seed: mix(array.wrapping_mul(0x1_0001).wrapping_add(rank as u64)) }
    }

    fn lock(&self, index: usize) -> &AtomicU32 {
        // SAFETY: the first part of the segment holds LOCKS locks of LOCK_BYTES, aligned, zero at first, and they are used
        // as atomics only, by every rank.
        unsafe { AtomicU32::from_ptr(self.memory.part(0).add(index % LOCKS * LOCK_BYTES).cast()) }
    }
}

impl PartLocks<'_> {
    /// Bytes of a part that one lock guards. A multiple of every element's size.
    pub(super) const GRANULE_BYTES: usize = 16 << 10;

    /// Waits for the lock of a granule.
    pub(super) fn hold(&self, granule: usize) -> Held<'_> {
        #[expect(clippy::cast_possible_truncation, reason = "any bits do")]
        let lock = self.table.lock(mix(self.seed.wrapping_add(granule as u64)) as usize);
        let mut spins = 0;
        while lock.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            spins += 1;
            if spins % SPINS == 0 { thread::yield_now() } else { hint::spin_loop() }
        }
        Held { lock, granule }
    }
}

/// A lock that is held until this is dropped.
pub(super) struct Held<'a> {
    lock: &'a AtomicU32,
    pub(super) granule: usize,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.lock.store(0, Ordering::Release);
    }
}

/// Spreads neighbouring numbers over all bits (a multiplication by the golden ratio, folded).
fn mix(value: u64) -> u64 {
    let spread = value.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    spread ^ (spread >> 29)
}
