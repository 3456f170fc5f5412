//! Blocking reads.

use crate::device::{Device, Route};
use crate::error::{Operation, Result};
use crate::file::Handle;
use crate::policy::cache::{self, Miss};
use crate::request::Pending;
use crate::stream::order::Order;
use crate::stream::prefetch::{self, SingleReads};
use crate::stream::read_ahead::Fetch;
use crate::sys::transfer::{Direction, read_some};
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Read-ahead is worth its transfers from here on; what is shorter lies within one.
const STREAM_BYTES_MIN: u64 = 1 << 20;
/// What the page cache reads at least.
const PAGE_BYTES: u64 = 4096;

impl Fetch for Handle {
    fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }

    fn settle_before_fetch(&self, range: &Range<u64>) -> bool {
        if self.inode().is_held(range) {
            return false;
        }
        self.inode().order_after_in_flight(range, Direction::Read);
        true
    }

    fn is_resident(&self, range: &Range<u64>) -> bool {
        let len_bytes = range.end - range.start;
        self.device.is_resident(range.start, len_bytes) || self.is_resident_to_end(range.start, len_bytes)
    }

    fn miss_route(&self, range: &Range<u64>) -> Route {
        let route = self.route_of_miss(range, true, false);
        if route == Route::Direct {
            self.note_direct_read(range.clone());
        }
        route
    }
}

impl Handle {
    /// Reads until `into` is full or the file ends.
    pub(crate) fn read(self: &Arc<Self>, offset_bytes: u64, into: &mut [u8]) -> Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        if self.inode().is_settled() && self.read_ahead().serve_whole(offset_bytes, into) {
            return Ok(into.len());
        }
        let range = offset_bytes..offset_bytes + into.len() as u64;
        self.settle(&range, Direction::Read)?;
        let (order, mut done) = self.read_from_window(offset_bytes, into);
        while done < into.len() {
            let at = offset_bytes + done as u64;
            match self.read_unserved(order, at, &mut into[done..]) {
                Ok(0) => break,
                Ok(bytes) => done += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(self.transfer_error(Operation::Read, offset_bytes, into.len(), error));
                }
            }
        }
        Ok(done)
    }

    /// Reads all of `into` if that is only a copy, out of what was read ahead or of the page cache, and nothing has to be
    /// waited for or handed over first. The shortest way there is for a request. Gives how many bytes it has read, from the
    /// first one on; `None` if it did not even try. It is a piece of a request of `whole_len` bytes.
    pub(crate) fn read_at_once(
        self: &Arc<Self>,
        offset_bytes: u64,
        into: &mut [u8],
        whole_len: usize,
    ) -> Option<usize> {
        if !self.inode().is_settled() {
            return None;
        }
        if !self.is_exclusive() {
            // Nothing is read ahead of it, so there is no window to look into.
            return self.copy_resident(offset_bytes, into, whole_len);
        }
        {
            let mut window = self.read_ahead();
            if window.serve_whole(offset_bytes, into) {
                return Some(into.len());
            }
            let streams = window.would_continue(offset_bytes) && into.len() < cache::SMALL_READ_BYTES;
            if streams || window.has(offset_bytes) {
                return None;
            }
        }
        let copied = self.copy_resident(offset_bytes, into, whole_len);
        if copied == Some(into.len()) {
            self.read_ahead().note(offset_bytes, into.len());
        }
        copied
    }

    /// Copies what the page cache has at the beginning of `into`, where it is believed to have all, and the copy is not worth a
    /// worker.
    fn copy_resident(
        self: &Arc<Self>,
        offset_bytes: u64,
        into: &mut [u8],
        whole_len: usize,
    ) -> Option<usize> {
        let is_tried = self.copies_at_issue(whole_len)
            && cache::asks_cache_first(self.options.cache, self.properties)
            && self.residency.is_trusted();
        if !is_tried {
            return None;
        }
        // An error shows when the rest is read.
        let copied_bytes = self.copy(Route::Resident, offset_bytes, into).unwrap_or(0);
        if copied_bytes == into.len() {
            self.note_copied_at_issue(copied_bytes);
        } else {
            self.residency.note_miss();
        }
        Some(copied_bytes)
    }

    /// Copies what the page cache has or is believed to have by `route`, or, if it is worth to wake a worker, together with it.
    fn copy(self: &Arc<Self>, route: Route, offset_bytes: u64, into: &mut [u8]) -> io::Result<usize> {
        if self.leaves_to_worker(into.len()) {
            return Pending::shared_copy(self, offset_bytes, into);
        }
        read_some(&*self.device, route, offset_bytes, into)
    }

    /// Takes what is there already; tells how this read lies to those before.
    fn read_from_window(&self, offset_bytes: u64, into: &mut [u8]) -> (Order, usize) {
        let mut window = self.read_ahead();
        (window.note(offset_bytes, into.len()), window.serve(self, offset_bytes, into))
    }

    /// Reads some of what the window does not have; 0 at the end of the file.
    fn read_unserved(
        self: &Arc<Self>,
        order: Order,
        offset_bytes: u64,
        into: &mut [u8],
    ) -> io::Result<usize> {
        let sequential = order == Order::Sequential && self.is_exclusive();
        if sequential && into.len() < cache::SMALL_READ_BYTES {
            let served = self.read_by_stream(offset_bytes, into);
            if served > 0 {
                return Ok(served);
            }
        }
        if !cache::asks_cache_first(self.options.cache, self.properties) {
            return self.read_missing(order, offset_bytes, into);
        }
        if into.len() < cache::SMALL_READ_BYTES {
            return self.read_small(sequential, offset_bytes, into);
        }
        if self.residency.is_trusted() {
            return self.read_trusting(sequential, offset_bytes, into);
        }
        if self.asks_resident(offset_bytes, into.len()) {
            return self.copy(Route::Cached, offset_bytes, into);
        }
        if !sequential {
            self.note_single_reads(1, into.len());
        }
        self.read_missing(order, offset_bytes, into)
    }

    /// Reads through the cache, whether it has it or not: asking would cost a tenth of the reading. So that is asked for some reads
    /// only, to learn how many are not there. (One that must not wait is no question: where the device is fast, the kernel has got
    /// the data before it looks again.)
    fn read_small(&self, sequential: bool, offset_bytes: u64, into: &mut [u8]) -> io::Result<usize> {
        let asks = !sequential && self.inode().single_reads.small_read_asks();
        if asks && !self.device.is_resident(offset_bytes, into.len() as u64) {
            self.inode().single_reads.note_pages_left();
            self.note_single_reads(SingleReads::SMALL_READS_PER_QUESTION, into.len());
        }
        read_some(&*self.device, Route::Cached, offset_bytes, into)
    }

    /// Notes reads that neither follow others nor are resident. When they have cost enough, the page cache gets all of the file.
    pub(crate) fn note_single_reads(&self, count: u64, len: usize) {
        if !self.is_exclusive() {
            return;
        }
        let Ok(len_bytes @ 1..) = self.device.len() else { return };
        let beside_others = !self.inode().is_settled();
        let read_bytes = (len as u64).next_multiple_of(PAGE_BYTES);
        if self.inode().single_reads.note(count, read_bytes, beside_others, len_bytes)
            && self.fits_in_cache(len_bytes)
        {
            tracing::debug!(path = %self.path.display(), len_bytes, "single reads: getting the file into the page cache");
            prefetch::start(&self.device, len_bytes, self.inode().single_reads.has_left_pages());
        }
    }

    /// Reads from the cache as if all were there; what is not, the kernel has begun to read in by then. Where it answers 0 the file need
    /// not end: Linux 5.9 and 5.10 do so as well where nothing is there, see preadv2(2).
    fn read_trusting(
        self: &Arc<Self>,
        sequential: bool,
        offset_bytes: u64,
        into: &mut [u8],
    ) -> io::Result<usize> {
        match self.copy(Route::Resident, offset_bytes, into) {
            Ok(0) => {
                let bytes = read_some(&*self.device, Route::Cached, offset_bytes, into)?;
                if bytes > 0 {
                    self.residency.note_miss();
                }
                Ok(bytes)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.residency.note_miss();
                if !sequential {
                    self.note_single_reads(1, into.len());
                }
                read_some(&*self.device, Route::Cached, offset_bytes, into)
            }
            other => other,
        }
    }

    /// Asks the page cache whether it has all of a range, and learns from the answer.
    pub(crate) fn asks_resident(&self, offset_bytes: u64, len: usize) -> bool {
        let len_bytes = len as u64;
        let resident = self.is_resident(&(offset_bytes..offset_bytes + len_bytes));
        if resident {
            self.residency.note_hit(len_bytes);
        } else {
            self.residency.note_miss();
        }
        resident
    }

    /// Whether a range reaches past the end of the file and is resident up to there.
    fn is_resident_to_end(&self, offset_bytes: u64, len_bytes: u64) -> bool {
        let range_end_bytes = offset_bytes + len_bytes;
        self.inode().len_seen(&*self.device, range_end_bytes).is_ok_and(|end_bytes| {
            end_bytes <= offset_bytes
                || (end_bytes < range_end_bytes
                    && self.device.is_resident(offset_bytes, end_bytes - offset_bytes))
        })
    }

    /// Reads what is not resident.
    fn read_missing(self: &Arc<Self>, order: Order, offset_bytes: u64, into: &mut [u8]) -> io::Result<usize> {
        let range = offset_bytes..offset_bytes + into.len() as u64;
        if order == Order::Sequential && self.is_exclusive() && self.is_worth_a_stream(&range) {
            let served = self.read_by_stream(offset_bytes, into);
            if served > 0 {
                return Ok(served);
            }
        }
        match self.route_of_miss(&range, false, self.is_stream_for_kernel(order, into.len(), true)) {
            Route::Direct => Pending::direct_read(self, offset_bytes, into),
            route => read_some(&*self.device, route, offset_bytes, into),
        }
    }

    /// Whether the kernel is to read ahead of a read: of a file of several processes, where nobody else does.
    pub(crate) fn is_stream_for_kernel(&self, order: Order, len: usize, waits_at_once: bool) -> bool {
        !self.is_exclusive()
            && !self.options.is_pipelined
            && cache::is_stream_for_kernel(order, len, waits_at_once)
    }

    /// Opens a window and takes the first bytes from it; 0 if it has none.
    fn read_by_stream(&self, offset_bytes: u64, into: &mut [u8]) -> usize {
        // Opened and served under one lock: another thread may want the window for itself.
        let mut window = self.read_ahead();
        window.open(self, offset_bytes);
        window.serve(self, offset_bytes, into)
    }

    /// Whether a sequential reader of what is not resident is better off with a window.
    pub(crate) fn is_worth_a_stream(&self, range: &Range<u64>) -> bool {
        let ahead = range.start..range.start + STREAM_BYTES_MIN;
        self.route_of_miss(&ahead, true, false) == Route::Direct
            && self.device.len().is_ok_and(|len_bytes| len_bytes >= ahead.end)
    }

    /// The route for a range that is not resident. `streams`: it follows another read, and nobody but the kernel reads ahead.
    pub(crate) fn route_of_miss(&self, range: &Range<u64>, asynchronous: bool, streams: bool) -> Route {
        let miss = Miss {
            is_small: cache::is_small_read(range, asynchronous),
            is_for_cache: streams || self.was_read_before(range),
            file_fits: true,
        };
        let route = cache::read_route(self.options.cache, self.properties, miss);
        if route == Route::Cached && miss.is_for_cache && !self.file_fits() {
            let miss = Miss { file_fits: false, ..miss };
            return cache::read_route(self.options.cache, self.properties, miss);
        }
        route
    }

    fn file_fits(&self) -> bool {
        self.device.len().is_ok_and(|len_bytes| self.fits_in_cache(len_bytes))
    }

    fn was_read_before(&self, range: &Range<u64>) -> bool {
        self.inode().read_directly.lock().expect("no thread panics while it notes a read").covers(range)
    }

    /// Notes that `range` was read around the cache.
    pub(crate) fn note_direct_read(&self, range: Range<u64>) {
        if let Ok(len_bytes) = self.inode().len_seen(&*self.device, range.end) {
            let mut read = self.inode().read_directly.lock().expect("no thread panics while it notes a read");
            read.note(&range, len_bytes);
        }
    }
}
