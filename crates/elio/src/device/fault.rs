//! A device that fails, shortens, delays or reorders the operation it is told to, or stops the world there.

use super::{Device, Properties, Route, Settled};
use crate::file::Sharing;
use crate::sys::gather::MemoryPiece;
use crate::sys::transfer::Transfer;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What happens to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It fails with this system error number and moves nothing.
    Fail(i32),
    /// It moves at most this many bytes (at least one; for transfers).
    Shorten(usize),
    /// It happens this much later.
    Delay(Duration),
    /// A transfer that was started happens after the ones that are started next.
    Reorder,
    /// It and everything after it fails with EIO and moves nothing, as if the machine had stopped.
    Stop,
}

/// Passes operations on and hurts those it was told to. Operations are numbered from 0 in the order in which they
/// arrive: reads, writes, changes of length, allocations, writeback and syncs.
#[derive(Debug)]
pub struct FaultDevice {
    inner: Arc<dyn Device>,
    plan: Mutex<BTreeMap<u64, Fault>>,
    operations_count: AtomicU64,
    stopped: AtomicBool,
}

/// How long a reordered transfer is held back: long enough for others to pass, short for a test.
const REORDER_HOLD: Duration = Duration::from_millis(3);

impl FaultDevice {
    /// Hurts nothing until told to.
    pub fn new(inner: Arc<dyn Device>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            plan: Mutex::default(),
            operations_count: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
        })
    }

    /// Arranges `fault` for operation number `operation`.
    ///
    /// # Panics
    /// If another thread panicked inside this device.
    pub fn inject(&self, operation: u64, fault: Fault) {
        self.plan.lock().expect("the plan is whole").insert(operation, fault);
    }

    /// How many operations have arrived.
    pub fn operations_count(&self) -> u64 {
        self.operations_count.load(Ordering::SeqCst)
    }

    /// Whether the world was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Lets the world go on, as after a restart.
    pub fn restart(&self) {
        self.stopped.store(false, Ordering::SeqCst);
    }

    /// Numbers an operation and says what happens to it.
    fn next_fault(&self) -> io::Result<Option<Fault>> {
        let operation = self.operations_count.fetch_add(1, Ordering::SeqCst);
        let fault = self.plan.lock().expect("the plan is whole").remove(&operation);
        if fault == Some(Fault::Stop) {
            self.stopped.store(true, Ordering::SeqCst);
        }
        if self.is_stopped() {
            return Err(io::Error::from_raw_os_error(libc::EIO));
        }
        match fault {
            Some(Fault::Fail(code)) => Err(io::Error::from_raw_os_error(code)),
            other => Ok(other),
        }
    }

    /// As [`Self::next_fault`], for operations that block and have a length: gives the length to move.
    fn pass(&self, len_bytes: usize) -> io::Result<usize> {
        match self.next_fault()? {
            Some(Fault::Shorten(max)) => Ok(len_bytes.min(max.max(1))),
            Some(Fault::Delay(time)) => {
                thread::sleep(time);
                Ok(len_bytes)
            }
            _ => Ok(len_bytes),
        }
    }

    fn start_later(&self, transfer: &Arc<Transfer>, hold: Duration) {
        let (inner, transfer) = (Arc::clone(&self.inner), Arc::clone(transfer));
        thread::spawn(move || {
            thread::sleep(hold);
            inner.start(&transfer);
        });
    }
}

impl Device for FaultDevice {
    /// What it says is full has no space that other files could give back.
    fn properties(&self) -> Properties {
        Properties { file_system_number: None, ..self.inner.properties() }
    }

    fn read(&self, route: Route, offset_bytes: u64, into: &mut [u8]) -> io::Result<usize> {
        let len = self.pass(into.len())?;
        self.inner.read(route, offset_bytes, &mut into[..len])
    }

    fn write(&self, route: Route, offset_bytes: u64, from: &[u8]) -> io::Result<usize> {
        let len = self.pass(from.len())?;
        self.inner.write(route, offset_bytes, &from[..len])
    }

    fn read_pieces(&self, route: Route, offset_bytes: u64, into: &[MemoryPiece]) -> io::Result<usize> {
        let len = self.pass(MemoryPiece::sum_bytes(into))?;
        self.inner.read_pieces(route, offset_bytes, &MemoryPiece::first(into, len))
    }

    fn write_pieces(&self, route: Route, offset_bytes: u64, from: &[MemoryPiece]) -> io::Result<usize> {
        let len = self.pass(MemoryPiece::sum_bytes(from))?;
        self.inner.write_pieces(route, offset_bytes, &MemoryPiece::first(from, len))
    }

    fn start(&self, transfer: &Arc<Transfer>) {
        if self.properties().ring != Some(transfer.route()) {
            // A worker will come back through `read` or `write`, and meet its fault there.
            return self.inner.start(transfer);
        }
        match self.next_fault() {
            Err(error) => transfer.fail(error),
            Ok(Some(Fault::Delay(time))) => self.start_later(transfer, time),
            Ok(Some(Fault::Reorder)) => self.start_later(transfer, REORDER_HOLD),
            Ok(Some(Fault::Shorten(max))) => {
                transfer.shorten(max.max(1));
                self.inner.start(transfer);
            }
            Ok(_) => self.inner.start(transfer),
        }
    }

    fn is_resident(&self, offset_bytes: u64, len_bytes: u64) -> bool {
        self.inner.is_resident(offset_bytes, len_bytes)
    }

    fn prefetch(&self, offset_bytes: u64, len_bytes: u64, has_gaps: bool) -> io::Result<()> {
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
        self.pass(0)?;
        self.inner.set_len(len_bytes)
    }

    fn allocate(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        self.pass(0)?;
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
        self.pass(0)?;
        self.inner.start_writeback(offset_bytes, len_bytes)
    }

    fn wait_writeback(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        self.inner.wait_writeback(offset_bytes, len_bytes)
    }

    fn settle(&self, ranges: &[Range<u64>]) -> io::Result<Settled> {
        self.inner.settle(ranges)
    }

    fn sync(&self) -> io::Result<()> {
        self.pass(0)?;
        self.inner.sync()
    }

    fn late_error(&self) -> io::Result<()> {
        self.pass(0)?;
        self.inner.late_error()
    }
}
