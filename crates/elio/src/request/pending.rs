//! A request under way: it splits itself into transfers and puts the results together.
//!
//! A [`Pending`] keeps the memory of its caller until every transfer into or out of it is done, whatever happens to the
//! request: [`CallerMemory`] relies on it.

use super::part::{Part, Way, aligned_len, copy_bytes, padded_len, part_bytes};
use crate::buffer;
use crate::device::staged::StagedDevice;
use crate::device::{Alignment, Device, Route};
use crate::error::{Error, Operation, Result};
use crate::file::Handle;
use crate::policy::cache::{self, LARGE_READ_BYTES, SMALL_READ_BYTES, WORKER_COPY_BYTES};
use crate::policy::waiting::Start;
use crate::pool;
use crate::stream::order::Order;
use crate::stream::read_ahead::Piece;
use crate::sys::aliasing;
use crate::sys::caller_memory::CallerMemory;
use crate::sys::region::Region;
use crate::sys::transfer::{Direction, Transfer, read_some, write_all};
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// A request's progress.
#[derive(Debug)]
pub(crate) struct Pending {
    handle: Arc<Handle>,
    direction: Direction,
    offset_bytes: u64,
    memory: CallerMemory,
    parts: VecDeque<Part>,
    /// The caller does not wait for it at once: workers may take over copies.
    asynchronous: bool,
    /// When it was started, until somebody waits for it; `None` where that teaches nothing.
    start: Option<Start>,
    /// What no part serves yet: waits for staging buffers.
    unissued: Range<usize>,
    /// How much one direct part moves.
    part_bytes: usize,
    done_bytes: usize,
    outcome: Option<Result<usize>>,
}

impl Pending {
    fn new(handle: &Arc<Handle>, direction: Direction, offset_bytes: u64, memory: CallerMemory) -> Self {
        Self {
            handle: Arc::clone(handle),
            direction,
            offset_bytes,
            unissued: memory.len()..memory.len(),
            part_bytes: part_bytes(memory.len(), handle.inode.in_flight_count()),
            memory,
            parts: VecDeque::new(),
            done_bytes: 0,
            asynchronous: true,
            start: None,
            outcome: None,
        }
    }

    /// A read that has been started, of which `copied_bytes` have been found in the page cache if it was asked already.
    pub(super) fn read(
        handle: &Arc<Handle>,
        offset_bytes: u64,
        memory: CallerMemory,
        copied_bytes: Option<usize>,
    ) -> Self {
        handle.pauses.note_call();
        let mut pending = Self::new(handle, Direction::Read, offset_bytes, memory);
        pending.start_read(copied_bytes);
        pending.note_start();
        pending
    }

    /// A write that has been started.
    pub(super) fn write(handle: &Arc<Handle>, offset_bytes: u64, memory: CallerMemory) -> Self {
        handle.pauses.note_call();
        let mut pending = Self::new(handle, Direction::Write, offset_bytes, memory);
        pending.start_write();
        pending.note_start();
        pending
    }

    /// The file.
    pub(super) fn handle(&self) -> &Arc<Handle> {
        &self.handle
    }

    /// The bytes asked for.
    pub(super) fn bytes(&self) -> usize {
        self.memory.len()
    }

    fn note_start(&mut self) {
        if self.outcome.is_none() {
            self.start = Some(self.handle.waiting.note_start());
        }
        self.handle.pauses.note_end();
    }

    fn operation(&self) -> Operation {
        match self.direction {
            Direction::Read => Operation::AsyncRead,
            Direction::Write => Operation::AsyncWrite,
        }
    }

    fn file_range(&self, range: &Range<usize>) -> Range<u64> {
        self.offset_bytes + range.start as u64..self.offset_bytes + range.end as u64
    }

    fn whole(&self) -> Range<usize> {
        0..self.memory.len()
    }

    fn finish_with(&mut self, outcome: Result<usize>) {
        self.outcome = Some(outcome);
    }

    // ---- starting ----

    fn start_read(&mut self, copied_bytes: Option<usize>) {
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
        if self.handle.leaves_to_worker(rest.len()) {
            self.start_unserved_read(copied_bytes, false, order);
        } else {
            self.start_through_cache(Route::Cached, rest);
        }
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
            let range = served..served + len;
            // A later write waits for it even if the window is given up before.
            handle.inode.note_in_flight(&transfer, self.file_range(&range));
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
            let small = !self.handle.leaves_to_worker(rest.len()) && self.parts.is_empty();
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
        let alone = shared && self.handle.inode.is_settled();
        match self.handle.route_of_miss(&file_range, !alone, streams) {
            Route::Direct => {
                self.unissued = rest;
                self.issue();
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
    fn read_at_issue(&mut self, mut rest: Range<usize>) {
        loop {
            match self.move_through_cache(rest.clone()) {
                Err(_) => return self.start_in_place(Route::Cached, rest), // the wait tells the error
                Ok(bytes) => {
                    self.done_bytes += bytes;
                    rest.start += bytes;
                    if bytes == 0 || rest.is_empty() {
                        return self.finish_with(Ok(self.done_bytes));
                    }
                    // Either the file ends here, or an error does not show before it is asked again.
                }
            }
        }
    }

    fn start_write(&mut self) {
        let range = self.file_range(&self.whole());
        self.handle.inode.order_after_in_flight(&range, Direction::Write);
        self.handle.inode.invalidate_read_ahead(&range);
        if let Err(error) = self.handle.inode.flush_before_write(&range) {
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
        self.handle.inode.invalidate_read_ahead(&range);
    }

    /// One transfer between the file and the caller's memory.
    fn start_in_place(&mut self, route: Route, range: Range<usize>) {
        let file_range = self.file_range(&range);
        let region = self.memory.region(&range);
        let transfer = Transfer::start(&self.handle.device, self.direction, route, file_range.start, region);
        self.handle.inode.note_in_flight(&transfer, file_range);
        self.parts.push_back(Part { range, way: Way::InPlace(transfer) });
    }

    /// Starts a transfer that serves `range` of the file, after noting it: who looks later finds it.
    fn start_transfer(
        &self,
        route: Route,
        offset_bytes: u64,
        region: Region,
        range: Range<u64>,
    ) -> Arc<Transfer> {
        let device = &self.handle.device;
        let transfer = Transfer::new(Arc::clone(device), self.direction, route, offset_bytes, region);
        self.handle.inode.note_in_flight(&transfer, range);
        device.start(&transfer);
        transfer
    }

    // ---- direct parts ----

    /// Starts direct parts until all is issued or the pool has no buffer.
    fn issue(&mut self) {
        while !self.unissued.is_empty() && self.issue_one() {}
    }

    /// As [`Self::issue`]; what finds no buffer goes through the cache at once.
    fn issue_all(&mut self) {
        self.issue();
        if !self.unissued.is_empty() {
            let rest = std::mem::replace(&mut self.unissued, self.memory.len()..self.memory.len());
            self.start_in_place(Route::Cached, rest);
        }
    }

    fn issue_one(&mut self) -> bool {
        let Some(alignment) = self.handle.properties.direct else {
            self.issue_in_place(Route::Cached, self.unissued.end);
            return true;
        };
        let at = self.file_range(&self.unissued).start;
        let len = aligned_len(self.unissued.len().min(self.part_bytes), alignment);
        if len > 0 && alignment.fits(self.memory.address(self.unissued.start), at, len) {
            self.issue_in_place(Route::Direct, self.unissued.start + len);
            return true;
        }
        self.issue_staged(at, alignment)
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
        let transfer = self.start_transfer(Route::Direct, start, region, self.file_range(&range));
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

    /// Whether a staged part of this size is copied to its place before somebody waits for it.
    fn is_copied_by_worker(&self, len: usize) -> bool {
        let is_read = self.asynchronous && self.direction == Direction::Read;
        is_read && len >= WORKER_COPY_BYTES && self.handle.pauses.are_expected()
    }

    /// Lets a worker copy a staged part to its place once it is there.
    fn start_copy(&self, fetch: Arc<Transfer>, skip: usize, range: &Range<usize>) -> Arc<Transfer> {
        let staged: Arc<dyn Device> = StagedDevice::new(fetch, skip);
        Transfer::start(&staged, Direction::Read, Route::Cached, 0, self.memory.region(range))
    }

    fn note_if_direct_read(&self, range: &Range<usize>) {
        if self.direction == Direction::Read {
            self.handle.note_direct_read(self.file_range(range));
        }
    }

    // ---- finishing ----

    pub(crate) fn wait(&mut self) -> Result<usize> {
        if let Some(start) = self.start.take() {
            self.handle.waiting.note_wait(&start);
        }
        if self.outcome.is_none() {
            self.handle.pauses.note_call();
            while self.outcome.is_none() {
                self.complete_next();
            }
            self.handle.pauses.note_end();
        }
        match self.outcome.as_ref().expect("set by the loop above") {
            Ok(bytes) => Ok(*bytes),
            Err(error) => Err(error.duplicate()),
        }
    }

    pub(crate) fn test(&mut self) -> bool {
        if self.outcome.is_none() {
            self.handle.pauses.note_call();
            while self.outcome.is_none() && self.parts.front().is_none_or(Part::is_done) {
                self.complete_next();
            }
            self.handle.pauses.note_end();
        }
        self.outcome.is_some()
    }

    /// Waits for the first part and takes its result; or reads, without staging, what found no buffer; or ends.
    fn complete_next(&mut self) {
        let completed = match self.parts.pop_front() {
            Some(part) => {
                let range = part.range.clone();
                let moved = self.take_result(part);
                Some((range, moved))
            }
            None if !self.unissued.is_empty() => {
                let range = std::mem::replace(&mut self.unissued, self.memory.len()..self.memory.len());
                Some((range.clone(), self.move_through_cache(range)))
            }
            None => None,
        };
        match completed {
            None => self.finish_with(Ok(self.done_bytes)),
            Some((range, Ok(bytes))) => {
                self.done_bytes += bytes;
                if bytes < range.len() {
                    self.end_early(Ok(self.done_bytes)); // the end of the file
                }
            }
            Some((_, Err(source))) => {
                let (operation, len) = (self.operation(), self.memory.len());
                let error = self.handle.transfer_error(operation, self.offset_bytes, len, source);
                self.end_early(Err(error));
            }
        }
        self.issue();
    }

    fn end_early(&mut self, outcome: Result<usize>) {
        self.wait_for_parts();
        self.unissued = self.memory.len()..self.memory.len();
        self.finish_with(outcome);
    }

    /// The bytes a part moved. What a direct transfer left out or could not do goes through the page cache.
    fn take_result(&mut self, part: Part) -> io::Result<usize> {
        let range = part.range;
        let moved = match part.way {
            Way::InPlace(transfer) => {
                let is_shared_copy = transfer.route() == Route::Resident;
                let workers = if is_shared_copy { pool::streams() } else { pool::transfers() };
                while !transfer.is_done() && !transfer.run_if_queued() && workers.help() {}
                let moved = transfer.wait();
                if self.direction == Direction::Write && moved.is_ok() {
                    self.handle.note_write(transfer.route(), self.file_range(&range));
                }
                if transfer.route() == Route::Resident && !matches!(moved, Ok(bytes) if bytes == range.len())
                {
                    self.handle.residency.note_miss();
                }
                moved
            }
            // Another read may have caused the error of read-ahead: this one asks for itself.
            Way::Staged { transfer, skip, ahead } => match self.unstage(&transfer, skip, &range) {
                Err(_) if ahead => Ok(0),
                moved => moved,
            },
        };
        let moved = match moved {
            Err(error) if is_refusal(&error) => 0,
            other => other?,
        };
        if moved == range.len() {
            return Ok(moved);
        }
        Ok(moved + self.move_through_cache(range.start + moved..range.end)?)
    }

    fn unstage(&mut self, transfer: &Transfer, skip: usize, range: &Range<usize>) -> io::Result<usize> {
        let len = transfer.wait()?.saturating_sub(skip).min(range.len());
        if self.direction == Direction::Read {
            let into = self.memory.bytes_mut(range.start..range.start + len);
            aliasing::copy(&transfer.bytes()[skip..skip + len], into);
        }
        Ok(len)
    }

    fn move_through_cache(&mut self, range: Range<usize>) -> io::Result<usize> {
        let at = self.file_range(&range).start;
        let device = Arc::clone(&self.handle.device);
        match self.direction {
            Direction::Read => read_some(&*device, Route::Cached, at, self.memory.bytes_mut(range)),
            Direction::Write => write_all(&*device, Route::Cached, at, self.memory.bytes(range)),
        }
    }

    /// Waits until no transfer uses the caller's memory.
    fn wait_for_parts(&mut self) {
        for part in self.parts.drain(..) {
            if let Way::InPlace(transfer) | Way::Staged { transfer, ahead: false, .. } = part.way {
                let _ = transfer.wait(); // the request ends with an error or short of this part
            }
        }
    }

    // ---- blocking calls ----

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
        self.handle.inode.note_in_flight(&transfer, file_range);
        pool::streams().push(&transfer);
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

    fn blocking(handle: &Arc<Handle>, direction: Direction, at: u64, memory: CallerMemory) -> Self {
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

impl Drop for Pending {
    fn drop(&mut self) {
        self.wait_for_parts();
        self.handle.inode.forget_done();
    }
}

/// Whether an error says that the direct route is not possible here, rather than that the device failed.
fn is_refusal(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::EINVAL | libc::EOPNOTSUPP | libc::EAGAIN | libc::ECANCELED | libc::EINTR)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CachePolicy, File, Mode, OpenOptions};

    /// Where no page begins: whole ones may be read in place.
    const AT: usize = 1;

    /// Whether a staged read, by a caller of whom so many more calls with pauses are expected, is left to a worker.
    fn leaves_to_worker(file: &File, calls_left: u32) -> bool {
        let handle = file.handle();
        handle.pauses.expect(calls_left);
        let mut into = vec![0; 2 * WORKER_COPY_BYTES];
        let mut pending = Pending::read(handle, AT as u64, CallerMemory::for_reading(&mut into), None);
        let is_direct = |part: &Part| matches!(&part.way, Way::Staged { ahead: false, .. } | Way::InPlace(_));
        assert!(!pending.parts.is_empty() && pending.parts.iter().all(is_direct));
        let left = pending.parts.iter().any(|part| matches!(part.way, Way::InPlace(_)));
        assert_eq!(pending.wait().unwrap(), into.len());
        assert!(into.iter().enumerate().all(|(i, &byte)| byte == content(AT + i)));
        left
    }

    #[expect(clippy::cast_possible_truncation, reason = "of a pattern")]
    fn content(at: usize) -> u8 {
        (at / 7) as u8
    }

    #[test]
    fn what_was_staged_is_left_to_a_worker_if_the_caller_is_going_to_be_away() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, (0..4 * WORKER_COPY_BYTES).map(content).collect::<Vec<_>>()).unwrap();
        let open = || {
            let options = OpenOptions { cache: CachePolicy::Bypass, ..OpenOptions::new(Mode::Read) };
            File::open(&path, &options).unwrap()
        };
        if open().handle().properties.direct.is_none() {
            eprintln!(
                "nothing is staged here: {} has no way around the page cache",
                directory.path().display()
            );
            return;
        }
        // Each read is the first call of its handle, so that no pause comes before it, whatever else runs here.
        assert!(leaves_to_worker(&open(), 2));
        assert!(!leaves_to_worker(&open(), 0));
    }
}
