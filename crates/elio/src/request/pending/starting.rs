//! How a request starts: which parts of it are there already, which are copies, and which the device is asked for.

use super::Pending;
use crate::device::Route;
use crate::policy::cache::{self, LARGE_READ_BYTES, SMALL_READ_BYTES};
use crate::request::part::{Part, Way};
use crate::stream::order::Order;
use crate::stream::read_ahead::Piece;
use crate::sys::transfer::{Direction, Transfer};
use std::ops::Range;
use std::sync::Arc;

impl Pending {
    pub(super) fn start_read(&mut self, copied_bytes: Option<usize>) {
        let range = self.file_range(&self.whole());
        if self.memory.len() == 0 {
            return self.finish_with(Ok(0));
        }
        if let Err(error) = self.handle.settle(&range, Direction::Read) {
            return self.finish_with(Err(error));
        }
        let order = self.handle.read_ahead().note(range.start, self.memory.len());
        if let Some(bytes) = copied_bytes {
            return self.go_on_after_copy(bytes, order);
        }
        let mut served = if self.memory.len() < LARGE_READ_BYTES { self.take_ahead() } else { 0 };
        let sequential = served == 0 && order == Order::Sequential && self.handle.is_exclusive();
        if sequential && self.memory.len() < SMALL_READ_BYTES {
            served = self.open_stream();
        }
        if served < self.memory.len() {
            self.start_unserved_read(served, sequential, order);
        } else if self.parts.is_empty() {
            self.finish_with(Ok(served));
        }
    }

    /// Reads what is missing after the page cache had the first `copied_bytes`. The kernel has begun to read in the rest, so what is
    /// small goes on after it; what is large goes where it would have gone without the copy.
    fn go_on_after_copy(&mut self, copied_bytes: usize, order: Order) {
        self.done_bytes = copied_bytes;
        let rest = copied_bytes..self.memory.len();
        if self.handle.leaves_to_worker(self.len_to_copy(&rest)) {
            self.start_unserved_read(copied_bytes, false, order);
        } else {
            self.start_through_cache(Route::Cached, rest);
        }
    }

    /// What decides whether `rest` is copied within the call: the pieces of a long request are not.
    fn len_to_copy(&self, rest: &Range<usize>) -> usize {
        if self.whole_len > self.memory.len() { self.whole_len } else { rest.len() }
    }

    /// Copies what read-ahead has and makes parts of what it is getting; tells how far that goes.
    fn take_ahead(&mut self) -> usize {
        let handle = Arc::clone(&self.handle);
        let mut window = handle.read_ahead();
        self.done_bytes =
            window.serve_ready(&*handle, self.offset_bytes, self.memory.bytes_mut(self.whole()));
        let mut served = self.done_bytes;
        while served < self.memory.len() {
            let at = self.offset_bytes + served as u64;
            let Some(piece) = window.piece(&*handle, at, self.memory.len() - served) else { break };
            let Piece { transfer, skip, len } = piece;
            // Not what lies beyond the end of the file: by the wait something may be written there, which comes after this request.
            let there_bytes =
                handle.inode().len_seen(&*handle.device, at + len as u64).unwrap_or(0).saturating_sub(at);
            let len = len.min(usize::try_from(there_bytes).unwrap_or(usize::MAX));
            if len == 0 {
                break;
            }
            let range = served..served + len;
            // A later write waits for it even if the window is given up before.
            handle.inode().note_in_flight(&transfer, self.file_range(&range));
            self.parts.push_back(Part { range, way: Way::Staged { transfer, skip, ahead: true } });
            served += len;
        }
        served
    }

    /// Opens a window of read-ahead and takes what it is getting.
    fn open_stream(&mut self) -> usize {
        self.handle.read_ahead().open(&*self.handle, self.offset_bytes);
        self.take_ahead()
    }

    fn start_unserved_read(&mut self, mut served: usize, sequential: bool, order: Order) {
        let rest = served..self.memory.len();
        let file_range = self.file_range(&rest);
        if cache::asks_cache_first(self.handle.options.cache, self.handle.properties) {
            let small = !self.handle.leaves_to_worker(self.len_to_copy(&rest)) && self.parts.is_empty();
            if small && self.handle.residency.is_trusted() {
                return self.read_trusting(rest);
            }
            if self.handle.asks_resident(file_range.start, rest.len()) {
                if small {
                    self.read_at_issue(rest);
                } else {
                    self.start_through_cache(Route::Cached, rest);
                }
                return;
            }
            if order != Order::Sequential {
                if cache::is_small_read(&file_range, true) {
                    self.handle.inode().single_reads.note_pages_left();
                }
                self.handle.note_single_reads(1, rest.len());
            }
        }
        let streams = sequential && served == 0 && self.memory.len() < LARGE_READ_BYTES;
        if streams && self.handle.is_worth_a_stream(&file_range) {
            served = self.open_stream();
        }
        let rest = served..self.memory.len();
        let shared = !self.handle.is_exclusive();
        let at_once = self.handle.waiting.is_expected_at_once();
        let streams = self.handle.is_stream_for_kernel(order, self.memory.len(), at_once);
        let alone = shared && self.handle.inode().is_settled();
        match self.handle.route_of_miss(&file_range, !alone, streams) {
            Route::Direct => {
                self.unissued = rest;
                self.issue_ahead();
                self.leave_rest();
            }
            route if !rest.is_empty() => self.start_through_cache(route, rest),
            _ => {}
        }
    }

    /// By a worker; or at issue for who waits at once anyway, whom the kernel reads ahead for then.
    fn start_through_cache(&mut self, route: Route, rest: Range<usize>) {
        if self.parts.is_empty() && self.handle.waiting.is_expected_at_once() {
            self.handle.waiting.note_copy();
            self.read_at_issue(rest);
        } else {
            self.start_in_place(route, rest);
        }
    }

    /// Reads a small request from the cache as if all of it were there; a miss goes on in a worker, after the kernel.
    fn read_trusting(&mut self, rest: Range<usize>) {
        let handle = Arc::clone(&self.handle);
        let at = self.file_range(&rest).start;
        let into = self.memory.bytes_mut(rest.clone());
        let copied_bytes = handle.device.read(Route::Resident, at, into).unwrap_or(0);
        self.done_bytes += copied_bytes;
        if copied_bytes == rest.len() {
            return self.finish_with(Ok(self.memory.len()));
        }
        handle.residency.note_miss();
        self.start_through_cache(Route::Cached, rest.start + copied_bytes..rest.end);
    }

    /// Makes a small request that is in the cache at once, or one that is waited for at once: cheaper than handing it to a worker.
    fn read_at_issue(&mut self, rest: Range<usize>) {
        match self.move_through_cache(rest.clone()) {
            Err(_) => self.start_in_place(Route::Cached, rest), // the wait tells the error
            Ok(bytes) => {
                self.done_bytes += bytes;
                self.finish_with(Ok(self.done_bytes));
            }
        }
    }

    pub(super) fn start_write(&mut self) {
        let range = self.file_range(&self.whole());
        self.handle.inode().order_after_in_flight(&range, Direction::Write);
        self.handle.inode().invalidate_read_ahead(&range);
        if let Err(error) = self.handle.inode().flush_overlapping(&range) {
            return self.finish_with(Err(error));
        }
        match self.handle.write_route(&range) {
            Route::Direct => {
                self.unissued = self.whole();
                self.issue_all();
            }
            route => self.start_in_place(route, self.whole()),
        }
        // Again: another thread may have read ahead there before it could know of this write.
        self.handle.inode().invalidate_read_ahead(&range);
    }

    /// One transfer between the file and the caller's memory.
    pub(super) fn start_in_place(&mut self, route: Route, range: Range<usize>) {
        let file_range = self.file_range(&range);
        let region = self.memory.region(&range);
        let device = &self.handle.device;
        let transfer = Transfer::new(Arc::clone(device), self.direction, route, file_range.start, region);
        self.want(&transfer, range.len());
        device.start(&transfer);
        self.handle.inode().note_in_flight(&transfer, file_range);
        self.parts.push_back(Part { range, way: Way::InPlace(transfer) });
    }
}
