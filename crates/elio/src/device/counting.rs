//! A device that counts what passes through it, so that tests assert operations and bytes instead of seconds.

use super::{Device, Properties, Route, Settled};
use crate::file::Sharing;
use crate::sys::gather::MemoryPiece;
use crate::sys::transfer::{Direction, Transfer};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Operations and bytes that reached a device, as far as they were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Blocking reads through the cache or of what is resident.
    pub cached_reads: u64,
    /// Direct reads, blocking or not.
    pub direct_reads: u64,
    /// Writes through the cache, blocking or not.
    pub cached_writes: u64,
    /// Direct writes, blocking or not.
    pub direct_writes: u64,
    /// Transfers that were started asynchronously (they count above too).
    pub started: u64,
    /// Blocking reads, counted above, that gave less than was asked for. What they left out, if the file has it, takes another read.
    pub short_reads: u64,
    /// Reads and writes, counted above, of several pieces of memory at once.
    pub gathered: u64,
    /// Bytes of all reads.
    pub read_bytes: u64,
    /// Bytes of all writes.
    pub written_bytes: u64,
    /// Calls that made data durable.
    pub syncs: u64,
    /// Ranges whose writeback was started.
    pub writebacks: u64,
    /// Bytes that were read into the page cache for nobody in particular.
    pub prefetched_bytes: u64,
}

/// Passes everything on and counts it.
#[derive(Debug)]
pub struct CountingDevice {
    inner: Arc<dyn Device>,
    cached_reads: AtomicU64,
    direct_reads: AtomicU64,
    cached_writes: AtomicU64,
    direct_writes: AtomicU64,
    started: AtomicU64,
    short_reads: AtomicU64,
    gathered: AtomicU64,
    read_bytes: AtomicU64,
    written_bytes: AtomicU64,
    syncs: AtomicU64,
    writebacks: AtomicU64,
    prefetched_bytes: AtomicU64,
}

fn one_more(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl CountingDevice {
    /// Counts what reaches `inner`.
    pub fn new(inner: Arc<dyn Device>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            cached_reads: AtomicU64::default(),
            direct_reads: AtomicU64::default(),
            cached_writes: AtomicU64::default(),
            direct_writes: AtomicU64::default(),
            started: AtomicU64::default(),
            short_reads: AtomicU64::default(),
            gathered: AtomicU64::default(),
            read_bytes: AtomicU64::default(),
            written_bytes: AtomicU64::default(),
            syncs: AtomicU64::default(),
            writebacks: AtomicU64::default(),
            prefetched_bytes: AtomicU64::default(),
        })
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        let value = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            cached_reads: value(&self.cached_reads),
            direct_reads: value(&self.direct_reads),
            cached_writes: value(&self.cached_writes),
            direct_writes: value(&self.direct_writes),
            started: value(&self.started),
            short_reads: value(&self.short_reads),
            gathered: value(&self.gathered),
            read_bytes: value(&self.read_bytes),
            written_bytes: value(&self.written_bytes),
            syncs: value(&self.syncs),
            writebacks: value(&self.writebacks),
            prefetched_bytes: value(&self.prefetched_bytes),
        }
    }

    /// Notes a blocking read, if it gave anything.
    fn note_read(&self, route: Route, asked_bytes: usize, outcome: &io::Result<usize>) {
        if let Ok(bytes) = *outcome {
            self.note(Direction::Read, route, bytes);
            if bytes < asked_bytes {
                one_more(&self.short_reads);
            }
        }
    }

    fn note_gathered(&self, outcome: &io::Result<usize>) {
        if outcome.is_ok() {
            one_more(&self.gathered);
        }
    }

    fn note(&self, direction: Direction, route: Route, len_bytes: usize) {
        let (operations, bytes) = match (direction, route) {
            (Direction::Read, Route::Direct) => (&self.direct_reads, &self.read_bytes),
            (Direction::Read, _) => (&self.cached_reads, &self.read_bytes),
            (Direction::Write, Route::Direct) => (&self.direct_writes, &self.written_bytes),
            (Direction::Write, _) => (&self.cached_writes, &self.written_bytes),
        };
        one_more(operations);
        bytes.fetch_add(len_bytes as u64, Ordering::Relaxed);
    }
}

impl Device for CountingDevice {
    fn properties(&self) -> Properties {
        self.inner.properties()
    }

    fn read(&self, route: Route, offset_bytes: u64, into: &mut [u8]) -> io::Result<usize> {
        let outcome = self.inner.read(route, offset_bytes, into);
        self.note_read(route, into.len(), &outcome);
        outcome
    }

    fn write(&self, route: Route, offset_bytes: u64, from: &[u8]) -> io::Result<usize> {
        self.note(Direction::Write, route, from.len());
        self.inner.write(route, offset_bytes, from)
    }

    fn read_pieces(&self, route: Route, offset_bytes: u64, into: &[MemoryPiece]) -> io::Result<usize> {
        let outcome = self.inner.read_pieces(route, offset_bytes, into);
        self.note_read(route, MemoryPiece::sum_bytes(into), &outcome);
        self.note_gathered(&outcome);
        outcome
    }

    fn write_pieces(&self, route: Route, offset_bytes: u64, from: &[MemoryPiece]) -> io::Result<usize> {
        let outcome = self.inner.write_pieces(route, offset_bytes, from);
        if outcome.is_ok() {
            self.note(Direction::Write, route, MemoryPiece::sum_bytes(from));
        }
        self.note_gathered(&outcome);
        outcome
    }

    fn start(&self, transfer: &Arc<Transfer>) {
        one_more(&self.started);
        // A transfer that the workers run comes back through `read` or `write` and is counted there.
        if self.properties().ring == Some(transfer.route()) {
            self.note(transfer.direction(), transfer.route(), transfer.len_bytes());
        }
        self.inner.start(transfer);
    }

    fn is_resident(&self, offset_bytes: u64, len_bytes: u64) -> bool {
        self.inner.is_resident(offset_bytes, len_bytes)
    }

    fn prefetch(&self, offset_bytes: u64, len_bytes: u64, has_gaps: bool) -> io::Result<()> {
        self.prefetched_bytes.fetch_add(len_bytes, Ordering::Relaxed);
        self.inner.prefetch(offset_bytes, len_bytes, has_gaps)
    }

    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn allocated_bytes(&self) -> io::Result<u64> {
        self.inner.allocated_bytes()
    }

    fn has_data(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<bool> {
        self.inner.has_data(offset_bytes, len_bytes)
    }

    fn available_bytes(&self) -> Option<u64> {
        self.inner.available_bytes()
    }

    fn set_len(&self, len_bytes: u64) -> io::Result<()> {
        self.inner.set_len(len_bytes)
    }

    fn allocate(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        self.inner.allocate(offset_bytes, len_bytes)
    }

    fn release_beyond(&self, len_bytes: u64, sharing: Sharing) {
        self.inner.release_beyond(len_bytes, sharing);
    }

    fn release_now(&self) -> io::Result<()> {
        self.inner.release_now()
    }

    fn waits_for_others(&self) -> bool {
        self.inner.waits_for_others()
    }

    fn start_writeback(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        one_more(&self.writebacks);
        self.inner.start_writeback(offset_bytes, len_bytes)
    }

    fn wait_writeback(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        self.inner.wait_writeback(offset_bytes, len_bytes)
    }

    fn settle(&self, ranges: &[Range<u64>]) -> io::Result<Settled> {
        for _ in ranges {
            one_more(&self.writebacks);
        }
        self.inner.settle(ranges)
    }

    fn sync(&self) -> io::Result<()> {
        one_more(&self.syncs);
        self.inner.sync()
    }

    fn late_error(&self) -> io::Result<()> {
        self.inner.late_error()
    }
}
