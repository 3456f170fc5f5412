//! Sequential readers find their data there before they ask.
//!
//! A window of segments lies ahead of the reader, each one transfer into a pool buffer. Tiny reads of resident data
//! use the same window with one segment that is filled at once.

use crate::buffer::{PoolBuffer, pool};
use crate::device::{Device, Route};
use crate::stream::housekeeping;
use crate::sys::region::Region;
use crate::sys::transfer::{Direction, Transfer};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// One transfer of read-ahead.
const SEGMENT_BYTES: usize = 512 << 10;
/// In flight at most, a stream; it begins with [`DEPTH_MIN`] and doubles as segments are used.
const DEPTH_MAX: usize = 8;
const DEPTH_MIN: usize = 2;
/// One fill for tiny reads of resident data; fits a second-level cache.
const FILL_BYTES: usize = 256 << 10;
/// Segments begin at whole pages.
const PAGE_BYTES: u64 = 4096;

/// Where the bytes of a segment are, or will be.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// In a buffer.
    Filled(Arc<PoolBuffer>),
    /// In the memory of a transfer, once it is done.
    Coming(Arc<Transfer>),
}

impl Source {
    /// The bytes from `skip` on, after waiting for them; empty if the transfer failed or ended before.
    pub(crate) fn bytes(&self, skip: usize, valid: usize) -> &[u8] {
        let bytes = match self {
            Self::Filled(buffer) => &buffer[..valid],
            Self::Coming(transfer) => match transfer.wait() {
                Ok(len) => &transfer.bytes()[..len],
                Err(_) => &[], // the reader asks the device itself and gets the error
            },
        };
        bytes.get(skip..).unwrap_or(&[])
    }
}

#[derive(Debug)]
struct Segment {
    range: Range<u64>,
    source: Source,
}

/// What of a read the window has: bytes from `skip` of a segment.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) source: Source,
    pub(crate) skip: usize,
    pub(crate) len: usize,
    /// Bytes of the segment that may be used, for filled buffers.
    pub(crate) valid: usize,
}

/// The read-ahead of one handle.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    /// Where the next read begins if it is sequential; a stream may begin at 0.
    expected_bytes: u64,
    window: VecDeque<Segment>,
    depth: usize,
    /// Used since housekeeping looked last.
    used: bool,
}

/// How segments are fetched.
pub(crate) trait Fetch {
    /// The device to read.
    fn device(&self) -> &Arc<dyn Device>;
    /// Waits for writes in flight into a range that is about to be read ahead.
    fn settle_before_fetch(&self, range: &Range<u64>);
    /// The route for a range that is not resident, or is not known to be.
    fn fetch_route(&self, range: &Range<u64>) -> Route;
}

impl ReadAhead {
    /// Notes a read; tells whether it continues the one before.
    pub(crate) fn note(&mut self, offset_bytes: u64, len_bytes: usize) -> bool {
        let sequential = offset_bytes == self.expected_bytes;
        self.expected_bytes = offset_bytes + len_bytes as u64;
        sequential
    }

    /// Copies what the window has from `offset_bytes` on, waiting for what is coming; keeps the window moving.
    pub(crate) fn serve(&mut self, fetch: &impl Fetch, offset_bytes: u64, into: &mut [u8]) -> usize {
        let mut done = 0;
        while done < into.len() {
            let Some(piece) = self.piece(fetch, offset_bytes + done as u64, into.len() - done) else { break };
            let bytes = piece.source.bytes(piece.skip, piece.valid);
            let len = bytes.len().min(piece.len);
            into[done..done + len].copy_from_slice(&bytes[..len]);
            done += len;
            if len < piece.len {
                self.window.clear(); // short or failed: the reader asks the device itself
                break;
            }
        }
        done
    }

    /// What the window has at `offset_bytes`; segments before it are dropped, and new ones started.
    pub(crate) fn piece(&mut self, fetch: &impl Fetch, offset_bytes: u64, len: usize) -> Option<Piece> {
        if self.window.is_empty() {
            return None;
        }
        self.used = true;
        self.drop_before(offset_bytes);
        self.top_up(fetch);
        let segment = self.window.front()?;
        let skip = usize::try_from(offset_bytes.checked_sub(segment.range.start)?).ok()?;
        let valid = usize::try_from(segment.range.end - segment.range.start).ok()?;
        Some(Piece { source: segment.source.clone(), skip, len: len.min(valid - skip), valid })
    }

    fn drop_before(&mut self, offset_bytes: u64) {
        if self.window.front().is_some_and(|first| offset_bytes < first.range.start) {
            self.window.clear(); // the reader went back
        }
        while self.window.front().is_some_and(|first| first.range.end <= offset_bytes) {
            self.window.pop_front();
            self.depth = (self.depth * 2).min(DEPTH_MAX);
        }
    }

    /// Opens a window at `offset_bytes`.
    pub(crate) fn open(&mut self, fetch: &impl Fetch, offset_bytes: u64) {
        self.window.clear();
        self.depth = DEPTH_MIN;
        self.fetch_segment(fetch, offset_bytes / PAGE_BYTES * PAGE_BYTES);
        self.top_up(fetch);
    }

    /// Starts segments until the window is as deep as it may be, the file ends, or the pool is empty.
    fn top_up(&mut self, fetch: &impl Fetch) {
        while self.window.len() < self.depth {
            match self.window.back() {
                Some(Segment { range, source: Source::Coming(_) }) => {
                    let next = range.end;
                    if !self.fetch_segment(fetch, next) {
                        break;
                    }
                }
                _ => break,
            }
        }
    }

    fn fetch_segment(&mut self, fetch: &impl Fetch, start_bytes: u64) -> bool {
        let device = fetch.device();
        if device.len().is_ok_and(|len_bytes| start_bytes >= len_bytes) {
            return false;
        }
        let Some(buffer) = pool().take(SEGMENT_BYTES) else { return false };
        let range = start_bytes..start_bytes + SEGMENT_BYTES as u64;
        let region = Region::of_pool(buffer, SEGMENT_BYTES);
        fetch.settle_before_fetch(&range);
        let route = fetch.fetch_route(&range);
        let transfer = Transfer::start(device, Direction::Read, route, start_bytes, region);
        self.window.push_back(Segment { range, source: Source::Coming(transfer) });
        self.used = true;
        housekeeping::call();
        true
    }

    /// Fills one segment at once through `route`; the bytes it has got (0 if nothing is there or resident).
    pub(crate) fn fill(&mut self, fetch: &impl Fetch, route: Route, offset_bytes: u64) -> usize {
        self.window.clear();
        let Some(mut buffer) = pool().take(FILL_BYTES) else { return 0 };
        fetch.settle_before_fetch(&(offset_bytes..offset_bytes + FILL_BYTES as u64));
        let filled = fetch.device().read(route, offset_bytes, &mut buffer[..FILL_BYTES]).unwrap_or(0);
        if filled > 0 {
            let range = offset_bytes..offset_bytes + filled as u64;
            self.window.push_back(Segment { range, source: Source::Filled(Arc::new(buffer)) });
            self.depth = 0;
            self.used = true;
            housekeeping::call();
        }
        filled
    }

    /// Drops what was read of a range that is about to be written. What is still coming for a request is waited for:
    /// the request was made before the write and gets the data from before.
    pub(crate) fn invalidate(&mut self, range: &Range<u64>) {
        let overlaps = |segment: &Segment| segment.range.start < range.end && range.start < segment.range.end;
        if self.window.iter().any(overlaps) {
            for segment in &self.window {
                if let Source::Coming(transfer) = &segment.source {
                    let _ = transfer.wait(); // an error is met again by whoever reads there
                }
            }
            self.window.clear();
        }
    }

    /// Gives the buffers back if nothing was read since the last call; tells whether any are left.
    pub(crate) fn release_if_idle(&mut self) -> bool {
        if !std::mem::take(&mut self.used) {
            self.window.clear();
        }
        !self.window.is_empty()
    }
}
