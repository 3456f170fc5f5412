//! Requests of callers who wait for them in the same call.

use super::Pending;
use crate::device::Route;
use crate::error::Error;
use crate::file::Handle;
use crate::pool;
use crate::request::part::{Part, Way, copy_bytes};
use crate::sys::caller_memory::CallerMemory;
use crate::sys::transfer::{Direction, Transfer};
use std::io;
use std::ops::Range;
use std::sync::Arc;

impl Pending {
    /// Copies what is believed to be resident, in this thread and by a worker at once. What turns out to be missing is waited for.
    pub(crate) fn shared_copy(handle: &Arc<Handle>, offset_bytes: u64, into: &mut [u8]) -> io::Result<usize> {
        let mut pending =
            Self::blocking(handle, Direction::Read, offset_bytes, CallerMemory::for_reading(into));
        let len = pending.memory.len();
        let part_bytes = copy_bytes(len);
        for start in (0..len).step_by(part_bytes) {
            pending.queue_copy(start..len.min(start + part_bytes));
        }
        pending.complete()
    }

    /// A part of a shared copy, for the one worker that copies beside its caller, or for this thread.
    fn queue_copy(&mut self, range: Range<usize>) {
        let (device, file_range) = (Arc::clone(&self.handle.device), self.file_range(&range));
        let region = self.memory.region(&range);
        let transfer = Transfer::new(device, Direction::Read, Route::Resident, file_range.start, region);
        self.handle.inode().note_in_flight(&transfer, file_range);
        pool::streams(self.queue()).push(&transfer);
        self.parts.push_back(Part { range, way: Way::InPlace(transfer) });
    }

    /// Reads around the page cache with several parts in flight.
    pub(crate) fn direct_read(handle: &Arc<Handle>, offset_bytes: u64, into: &mut [u8]) -> io::Result<usize> {
        let memory = CallerMemory::for_reading(into);
        Self::direct(handle, Direction::Read, offset_bytes, memory)
    }

    /// Writes around the page cache with several parts in flight. The range must be aligned.
    pub(crate) fn direct_write(handle: &Arc<Handle>, offset_bytes: u64, from: &[u8]) -> io::Result<()> {
        let memory = CallerMemory::for_writing(from);
        Self::direct(handle, Direction::Write, offset_bytes, memory).map(|_| ())
    }

    fn direct(
        handle: &Arc<Handle>,
        direction: Direction,
        at: u64,
        memory: CallerMemory,
    ) -> io::Result<usize> {
        let mut pending = Self::blocking(handle, direction, at, memory);
        pending.unissued = pending.whole();
        pending.issue();
        pending.complete()
    }

    pub(super) fn blocking(
        handle: &Arc<Handle>,
        direction: Direction,
        at: u64,
        memory: CallerMemory,
    ) -> Self {
        let mut pending = Self::new(handle, direction, at, memory);
        pending.asynchronous = false;
        pending
    }

    fn complete(mut self) -> io::Result<usize> {
        loop {
            if let Some(outcome) = self.outcome.take() {
                return outcome.map_err(Error::into_source);
            }
            self.complete_next();
        }
    }
}
