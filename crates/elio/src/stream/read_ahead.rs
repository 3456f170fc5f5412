//! Sequential readers find their data there before they ask.
//!
//! A window of segments lies ahead of the reader, each one transfer into a pool buffer. What is not resident comes from
//! the device with several segments in flight; for tiny reads of resident data a worker copies out of the page cache in
//! large pieces while the reader takes small ones.

use crate::buffer::pool;
use crate::device::{Device, Route};
use crate::policy::cores::ranks_on_node;
use crate::pool::streams;
use crate::stream::housekeeping;
use crate::stream::order::{Order, ReadOrder};
use crate::sys::aliasing;
use crate::sys::region::Region;
use crate::sys::transfer::{Direction, Transfer};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A segment is this long at most; a stream begins with a few times what was read in a row, and doubles.
const SEGMENT_BYTES_MAX: usize = 512 << 10;
const SEGMENT_BYTES_MIN: usize = 16 << 10;
/// The first segment is so many times what was read in a row.
const SEGMENT_GROWTH: u64 = 4;
/// In the window at most, while segments come from the device; it begins with [`DEPTH_MIN`] and doubles as segments are
/// used.
const DEPTH_MAX: usize = 8;
const DEPTH_MIN: usize = 2;
/// As [`DEPTH_MAX`], while they come out of the page cache; refilled when half is used, so that a worker is woken seldom.
const DEPTH_MAX_CACHED: usize = 4;
/// Segments begin at whole pages.
const PAGE_BYTES: u64 = 4096;

/// One transfer of read-ahead.
#[derive(Debug)]
struct Segment {
    range: Range<u64>,
    transfer: Arc<Transfer>,
    /// It was in the page cache when it was asked for: getting it is only a copy.
    resident: bool,
    /// How much has come, once that is known; nothing if the transfer failed: the reader asks the device himself then
    /// and gets the error.
    come: Option<usize>,
}

impl Segment {
    /// What has come, after waiting for it.
    fn bytes(&mut self) -> &[u8] {
        let come = *self.come.get_or_insert_with(|| self.transfer.wait().unwrap_or(0));
        &self.transfer.bytes()[..come]
    }

    fn len(&self) -> usize {
        usize::try_from(self.range.end - self.range.start).expect("a segment fits a buffer")
    }
}

/// What of a read the window is going to have: bytes from `skip` of a transfer.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) transfer: Arc<Transfer>,
    pub(crate) skip: usize,
    pub(crate) len: usize,
}

/// The read-ahead of one handle.
#[derive(Debug)]
pub(crate) struct ReadAhead {
    order: ReadOrder,
    window: VecDeque<Segment>,
    segment_bytes: usize,
    depth: usize,
    /// Used since housekeeping looked last.
    used: bool,
    /// How many handles of the file have a window; asked by writers before they take locks.
    windows_count: Arc<AtomicUsize>,
    /// This one is counted there.
    counted: bool,
}

/// How segments are fetched.
pub(crate) trait Fetch {
    /// The device to read.
    fn device(&self) -> &Arc<dyn Device>;
    /// Waits for writes in flight into a range that is about to be read ahead. Not if that could wait for somebody who waits for this
    /// reader: then nothing is read ahead there.
    fn settle_before_fetch(&self, range: &Range<u64>) -> bool;
    /// Whether a range is in the page cache.
    fn is_resident(&self, range: &Range<u64>) -> bool;
    /// The route for a range that is not; to be asked only for what is read then.
    fn miss_route(&self, range: &Range<u64>) -> Route;
}

impl ReadAhead {
    /// No window. `windows_count` is shared by all handles of the file.
    pub(crate) fn new(windows_count: Arc<AtomicUsize>) -> Self {
        Self {
            order: ReadOrder::default(),
            window: VecDeque::new(),
            segment_bytes: SEGMENT_BYTES_MIN,
            depth: DEPTH_MIN,
            used: false,
            windows_count,
            counted: false,
        }
    }

    /// Notes a read; tells how it lies to those before.
    pub(crate) fn note(&mut self, offset_bytes: u64, len_bytes: usize) -> Order {
        self.order.note(offset_bytes, len_bytes as u64, ranks_on_node())
    }

    /// Whether a read at `offset_bytes` would continue the one before.
    pub(crate) fn would_continue(&self, offset_bytes: u64) -> bool {
        self.order.would_continue(offset_bytes)
    }

    /// Whether the window has `offset_bytes`, or is going to.
    pub(crate) fn has(&self, offset_bytes: u64) -> bool {
        self.window.iter().any(|segment| segment.range.contains(&offset_bytes))
    }

    /// Copies all of a read if it lies inside a segment that has come; otherwise does nothing and tells so.
    pub(crate) fn serve_whole(&mut self, offset_bytes: u64, into: &mut [u8]) -> bool {
        let Some(Segment { range, transfer, come: Some(come), .. }) = self.window.front() else {
            return false;
        };
        if offset_bytes < range.start || offset_bytes + into.len() as u64 > range.start + *come as u64 {
            return false;
        }
        let skip = usize::try_from(offset_bytes - range.start).expect("inside a segment");
        aliasing::copy(&transfer.bytes()[skip..skip + into.len()], into);
        self.note(offset_bytes, into.len());
        self.used = true;
        true
    }

    /// Copies what the window has from `offset_bytes` on, waiting for what is coming; keeps the window moving.
    pub(crate) fn serve(&mut self, fetch: &impl Fetch, offset_bytes: u64, into: &mut [u8]) -> usize {
        self.copy(fetch, offset_bytes, into, |_| true)
    }

    /// As [`Self::serve`], without waiting for the device.
    pub(crate) fn serve_ready(&mut self, fetch: &impl Fetch, offset_bytes: u64, into: &mut [u8]) -> usize {
        self.copy(fetch, offset_bytes, into, |segment| segment.resident || segment.transfer.is_done())
    }

    fn copy(
        &mut self,
        fetch: &impl Fetch,
        offset_bytes: u64,
        into: &mut [u8],
        wanted: impl Fn(&Segment) -> bool,
    ) -> usize {
        let mut done = 0;
        while done < into.len() {
            let Some((segment, skip)) = self.segment_at(fetch, offset_bytes + done as u64) else { break };
            if !wanted(segment) {
                break;
            }
            let expected = segment.len() - skip;
            if !segment.transfer.is_done() {
                self.copy_beside_worker();
            }
            let bytes = self.window[0].bytes().get(skip..).unwrap_or(&[]);
            let len = bytes.len().min(into.len() - done);
            aliasing::copy(&bytes[..len], &mut into[done..done + len]);
            done += len;
            if done < into.len() && len < expected {
                self.clear(); // short or failed: the reader asks the device itself
                break;
            }
        }
        done
    }

    /// Before the first segment is waited for: if a worker is at it, this thread takes on another that is only a copy.
    fn copy_beside_worker(&self) {
        let mut later = self.window.iter().skip(1).filter(|segment| segment.resident);
        if !self.window[0].transfer.run_if_queued() {
            later.any(|segment| segment.transfer.run_if_queued());
        }
    }

    /// What the window is going to have at `offset_bytes`, for a request that waits for it later.
    pub(crate) fn piece(&mut self, fetch: &impl Fetch, offset_bytes: u64, len: usize) -> Option<Piece> {
        let (segment, skip) = self.segment_at(fetch, offset_bytes)?;
        Some(Piece { transfer: Arc::clone(&segment.transfer), skip, len: len.min(segment.len() - skip) })
    }

    /// The segment that has `offset_bytes`, and where in it. Segments before it are dropped, and new ones started.
    fn segment_at(&mut self, fetch: &impl Fetch, offset_bytes: u64) -> Option<(&mut Segment, usize)> {
        let first = self.window.front()?;
        self.used = true;
        if !first.range.contains(&offset_bytes) {
            self.drop_before(offset_bytes);
            self.top_up(fetch);
        }
        let segment = self.window.front_mut()?;
        let skip = usize::try_from(offset_bytes.checked_sub(segment.range.start)?).ok()?;
        Some((segment, skip))
    }

    fn drop_before(&mut self, offset_bytes: u64) {
        if self.window.front().is_some_and(|first| offset_bytes < first.range.start) {
            self.clear(); // the reader went back
        }
        while self.window.front().is_some_and(|first| first.range.end <= offset_bytes) {
            self.window.pop_front();
            self.depth = (self.depth * 2).min(DEPTH_MAX);
            self.segment_bytes = (self.segment_bytes * 2).min(SEGMENT_BYTES_MAX);
            if self.window.is_empty() {
                self.clear(); // the reader jumped ahead, or the file ends here
            }
        }
    }

    /// Opens a window at `offset_bytes`, for a reader who is going to wait for its first segment.
    pub(crate) fn open(&mut self, fetch: &impl Fetch, offset_bytes: u64) {
        self.clear();
        self.depth = DEPTH_MIN;
        let wanted = usize::try_from(self.order.run_bytes() * SEGMENT_GROWTH).unwrap_or(usize::MAX);
        self.segment_bytes =
            wanted.clamp(SEGMENT_BYTES_MIN, SEGMENT_BYTES_MAX).next_power_of_two().min(SEGMENT_BYTES_MAX);
        self.count(true); // before anything is read: a writer who does not see it has written before
        if self.fetch_segment(fetch, offset_bytes / PAGE_BYTES * PAGE_BYTES) {
            self.top_up(fetch);
        } else {
            self.count(false);
        }
    }

    /// Starts segments until the window is as deep as it may be, the file ends, or the pool is empty.
    fn top_up(&mut self, fetch: &impl Fetch) {
        let Some(last) = self.window.back() else { return };
        let depth = match last.resident {
            true if self.window.len() > DEPTH_MAX_CACHED / 2 => return,
            true => self.depth.min(DEPTH_MAX_CACHED),
            false => self.depth,
        };
        let mut next = last.range.end;
        while self.window.len() < depth && self.fetch_segment(fetch, next) {
            next += self.segment_bytes as u64;
        }
    }

    fn fetch_segment(&mut self, fetch: &impl Fetch, start_bytes: u64) -> bool {
        let device = fetch.device();
        if device.len().is_ok_and(|len_bytes| start_bytes >= len_bytes) {
            return false;
        }
        let Some(buffer) = pool().take(self.segment_bytes) else { return false };
        let range = start_bytes..start_bytes + self.segment_bytes as u64;
        let region = Region::of_pool(buffer, self.segment_bytes);
        if !fetch.settle_before_fetch(&range) {
            return false;
        }
        let resident = fetch.is_resident(&range);
        let route = if resident { Route::Cached } else { fetch.miss_route(&range) };
        let transfer = Transfer::new(Arc::clone(device), Direction::Read, route, start_bytes, region);
        match resident {
            // The reader, who waits for it next, copies it himself: no worker is faster.
            true if self.window.is_empty() => transfer.queue(),
            true => streams(device.properties().queue).push(&transfer),
            false => device.start(&transfer),
        }
        self.window.push_back(Segment { range, transfer, resident, come: None });
        self.used = true;
        housekeeping::call();
        true
    }

    /// Gives the window up and returns when nobody reads the file for it any more.
    pub(crate) fn end(&mut self) {
        self.window.iter().for_each(|segment| segment.transfer.wait_if_begun());
        self.clear();
    }

    fn clear(&mut self) {
        self.window.clear();
        self.count(false);
    }

    /// Counts this window among those of the file, or no longer.
    fn count(&mut self, counted: bool) {
        match (std::mem::replace(&mut self.counted, counted), counted) {
            (false, true) => drop(self.windows_count.fetch_add(1, Ordering::SeqCst)),
            (true, false) => drop(self.windows_count.fetch_sub(1, Ordering::SeqCst)),
            _ => {}
        }
    }

    /// Drops what was read of a range that is about to be written. What is still coming for a request is waited for:
    /// the request was made before the write and gets the data from before.
    pub(crate) fn invalidate(&mut self, range: &Range<u64>) {
        let overlaps = |segment: &Segment| segment.range.start < range.end && range.start < segment.range.end;
        if self.window.iter().any(overlaps) {
            for segment in &self.window {
                let _ = segment.transfer.wait(); // an error is met again by whoever reads there
            }
            self.clear();
        }
    }

    /// Gives the buffers back if nothing was read since the last call; tells whether any are left.
    pub(crate) fn release_if_idle(&mut self) -> bool {
        if !std::mem::take(&mut self.used) {
            self.end();
        }
        !self.window.is_empty()
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.clear();
    }
}
