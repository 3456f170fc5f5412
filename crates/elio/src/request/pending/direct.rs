//! The parts of a request that go around the page cache: in place where the memory allows it, by a buffer of the pool where not.

use super::Pending;
use crate::buffer;
use crate::device::staged::StagedDevice;
use crate::device::{Alignment, Device, Route};
use crate::policy::cache::WORKER_COPY_BYTES;
use crate::pool;
use crate::request::part::{
    Part, STAGED_BYTES_MAX, Way, aligned_len, in_place_bytes, padded_len, staged_bytes_at_start,
};
use crate::sys::aliasing;
use crate::sys::pages;
use crate::sys::region::Region;
use crate::sys::transfer::{Direction, Transfer};
use std::ops::Range;
use std::sync::Arc;

/// A disk that charges for pages is asked for less than this as any other: its time for the request counts more.
const CHARGED_BYTES_MIN: usize = 128 << 10;

impl Pending {
    /// Starts direct parts until all is issued, the pool has no buffer, or there is enough for who waits; tells whether there are parts.
    pub(super) fn issue(&mut self) -> bool {
        self.issue_up_to(STAGED_BYTES_MAX);
        !self.parts.is_empty()
    }

    /// As [`Self::issue`], for a request that is not waited for yet.
    pub(super) fn issue_ahead(&mut self) {
        let available_bytes = buffer::pool().available_bytes();
        self.issue_up_to(staged_bytes_at_start(available_bytes, self.handle.pauses.are_expected()));
    }

    /// Starts direct parts, with at most so much in buffers.
    fn issue_up_to(&mut self, staged_bytes_max: usize) {
        while !self.unissued.is_empty() && self.issue_one(staged_bytes_max) {}
    }

    /// Starts direct parts for all of it; what finds no buffer goes through the cache at once.
    pub(super) fn issue_all(&mut self) {
        self.issue_up_to(usize::MAX);
        if !self.unissued.is_empty() {
            let rest = self.take_unissued();
            self.start_in_place(Route::Cached, rest);
        }
    }

    fn issue_one(&mut self, staged_bytes_max: usize) -> bool {
        let Some(alignment) = self.handle.properties.direct else {
            self.issue_in_place(Route::Cached, self.unissued.end);
            return true;
        };
        let at = self.file_range(&self.unissued).start;
        let in_place_bytes = in_place_bytes(self.memory.len(), self.part_bytes);
        let len = aligned_len(self.unissued.len().min(in_place_bytes), alignment);
        let address = self.memory.address(self.unissued.start);
        let may_be_in_place = len > 0 && alignment.fits(address, at, len);
        if may_be_in_place && self.is_fast_in_place(address, len) {
            self.issue_in_place(Route::Direct, self.unissued.start + len);
            return true;
        }
        let is_last = self.unissued.len() <= self.part_bytes;
        let has_room = is_last || self.parts.len() * self.part_bytes < staged_bytes_max;
        if !has_room || self.issue_staged(at, alignment) {
            return has_room;
        }
        if may_be_in_place {
            self.issue_in_place(Route::Direct, self.unissued.start + len);
        }
        may_be_in_place
    }

    /// Whether the device is as fast with this memory as with a buffer and a copy, as far as is known.
    fn is_fast_in_place(&self, address: usize, len: usize) -> bool {
        let is_slow = self.handle.properties.charges_pages
            && self.direction == Direction::Read
            && len >= CHARGED_BYTES_MIN
            && pages::are_huge(address, len) == Some(false);
        !is_slow
    }

    fn issue_in_place(&mut self, route: Route, end: usize) {
        let range = self.unissued.start..end;
        self.unissued.start = end;
        self.note_if_direct_read(&range);
        self.start_in_place(route, range);
    }

    fn issue_staged(&mut self, at: u64, alignment: Alignment) -> bool {
        let start = at / alignment.offset_bytes * alignment.offset_bytes;
        let skip = usize::try_from(at - start).expect("smaller than an alignment");
        let len = self.unissued.len().min(self.part_bytes - skip);
        let Some(mut buffer) = buffer::pool().take(padded_len(skip + len, alignment)) else { return false };
        let range = self.unissued.start..self.unissued.start + len;
        if self.direction == Direction::Write {
            assert!(skip == 0 && padded_len(len, alignment) == len, "direct writes are whole blocks");
            aliasing::copy(self.memory.bytes(range.clone()), &mut buffer[..len]);
        }
        let region = Region::of_pool(buffer, padded_len(skip + len, alignment));
        let transfer = self.start_transfer(Route::Direct, start, region, skip + len, self.file_range(&range));
        self.note_if_direct_read(&range);
        self.unissued.start = range.end;
        let way = if self.is_copied_by_worker(len) {
            Way::InPlace(self.start_copy(transfer, skip, &range))
        } else {
            Way::Staged { transfer, skip, ahead: false }
        };
        self.parts.push_back(Part { range, way });
        true
    }

    /// Starts a transfer that serves `range` of the file, after noting it: who looks later finds it. So many bytes of it are wanted.
    fn start_transfer(
        &self,
        route: Route,
        offset_bytes: u64,
        region: Region,
        wanted_bytes: usize,
        range: Range<u64>,
    ) -> Arc<Transfer> {
        let device = &self.handle.device;
        let transfer = Transfer::new(Arc::clone(device), self.direction, route, offset_bytes, region);
        self.want(&transfer, wanted_bytes);
        self.handle.inode().note_in_flight(&transfer, range);
        device.start(&transfer);
        transfer
    }

    /// Whether a staged part of this size is copied to its place before somebody waits for it.
    fn is_copied_by_worker(&self, len: usize) -> bool {
        let is_read = self.asynchronous && self.direction == Direction::Read;
        is_read && len >= WORKER_COPY_BYTES && self.handle.pauses.are_expected()
    }

    /// Lets a worker copy a staged part to its place once it is there.
    fn start_copy(&self, fetch: Arc<Transfer>, skip: usize, range: &Range<usize>) -> Arc<Transfer> {
        let staged: Arc<dyn Device> = StagedDevice::of_fetch(self.queue(), fetch, skip);
        Transfer::start(&staged, Direction::Read, Route::Cached, 0, self.memory.region(range))
    }

    /// Leaves what found no buffer to whoever comes to it first, who takes buffers then, a few at a time: a worker if the caller is going
    /// to be away, the caller when he waits, or what overlaps it and has to come after it.
    pub(super) fn leave_rest(&mut self) {
        if self.unissued.is_empty() {
            return;
        }
        let is_offered = self.is_copied_by_worker(self.unissued.len());
        let range = self.take_unissued();
        let (handle, file_range) = (Arc::clone(&self.handle), self.file_range(&range));
        let start = file_range.start;
        let staged = StagedDevice::new(self.queue(), move |offset_bytes, into| {
            handle.inode().forget_done(); // and with it buffers
            Self::direct_read(&handle, start + offset_bytes, into)
        });
        let transfer = Transfer::new(staged, Direction::Read, Route::Cached, 0, self.memory.region(&range));
        self.want(&transfer, range.len());
        transfer.queue();
        self.handle.inode().note_in_flight(&transfer, file_range);
        if is_offered {
            pool::rests(self.queue()).offer(&transfer);
        }
        self.parts.push_back(Part { range, way: Way::Left { transfer, is_offered } });
    }

    /// Takes back what was left if nobody has begun with it: who waits starts it piece by piece, as buffers become free. What has to come
    /// after it waits for all of the request.
    pub(super) fn take_back_rest(&mut self) {
        if let Some(Part { way: Way::Left { transfer, .. }, .. }) = self.parts.back()
            && transfer.take_if_queued()
        {
            self.taken_back = Some(Arc::clone(transfer));
            self.unissued = self.parts.pop_back().expect("looked at above").range;
        }
    }

    /// Lets a worker begin with what was left: the caller looks for its end without waiting.
    pub(super) fn offer_rest(&mut self) {
        let queue = self.queue();
        if let Some(Part { way: Way::Left { transfer, is_offered }, .. }) = self.parts.back_mut()
            && !std::mem::replace(is_offered, true)
        {
            pool::rests(queue).offer(transfer);
        }
    }

    fn note_if_direct_read(&self, range: &Range<usize>) {
        if self.direction == Direction::Read {
            self.handle.note_direct_read(self.file_range(range));
        }
    }
}
