//! What has to happen before an operation is complete for its caller.

use super::{Window, shared};
use crate::Result;
use section::Runs;

/// The unfinished part of an operation: targets to flush, memory that must live so long, and memory to unpack then.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    targets: Vec<usize>,
    /// Memory that MPI reads or writes until the targets are flushed.
    packed: Vec<Vec<u8>>,
    unpacks: Vec<Unpack>,
}

/// A copy from packed memory, made when it has arrived.
#[derive(Debug)]
struct Unpack {
    packed: Vec<u8>,
    runs: Runs,
    bytes: usize,
    to: *mut u8,
}

// SAFETY: the pointers are to the memory of a `PatchMut`, which can be sent.
unsafe impl Send for Pending {}

impl Pending {
    /// Whether nothing is left to do.
    pub(crate) fn is_complete(&self) -> bool {
        self.targets.is_empty()
    }

    pub(super) fn await_target(&mut self, rank: usize) {
        if !self.targets.contains(&rank) {
            self.targets.push(rank);
        }
    }

    /// Keeps memory until the targets are flushed. The bytes do not move.
    pub(super) fn keep(&mut self, packed: Vec<u8>) {
        self.packed.push(packed);
    }

    /// Keeps memory until the targets are flushed, and copies it then.
    ///
    /// # Safety
    /// `to` can be written as the runs say, from packed elements of `bytes` bytes, until the completion.
    pub(super) unsafe fn unpack(&mut self, packed: Vec<u8>, runs: Runs, bytes: usize, to: *mut u8) {
        self.unpacks.push(Unpack { packed, runs, bytes, to });
    }

    /// Waits until local memory is free again, and what was read is there. All of it is tried, and the first error returned.
    pub(crate) fn complete(&mut self, window: &Window) -> Result<()> {
        let mut result = Ok(());
        for rank in self.targets.drain(..) {
            result = result.and(window.rma(rank).flush(rank));
        }
        for unpack in self.unpacks.drain(..) {
            if result.is_ok() {
                // SAFETY: the promise made to `unpack`.
                unsafe {
                    shared::copy(&unpack.runs, unpack.bytes, |packed, local| {
                        (unpack.packed.as_ptr().add(packed), unpack.to.add(local))
                    });
                }
            }
        }
        self.packed.clear();
        result
    }
}
