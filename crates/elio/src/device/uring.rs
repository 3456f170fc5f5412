//! A file of the system whose asynchronous transfers go through the ring.

use super::pread::PreadDevice;
use super::{Device, Properties, Route, Settled};
use crate::file::Sharing;
use crate::pool;
use crate::sys::fork;
use crate::sys::gather::MemoryPiece;
use crate::sys::ring::Ring;
use crate::sys::transfer::Transfer;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// A [`PreadDevice`] with a ring. Blocking calls are the same; so are asynchronous ones that only copy from or to the
/// page cache, which workers do faster than the ring. Where the file system has no direct route, what is not resident is
/// read through the ring and the page cache.
#[derive(Debug)]
pub(crate) struct UringDevice {
    file: PreadDevice,
    ring: &'static Ring,
}

impl UringDevice {
    /// `ring`: that of the file's queue, or the common one.
    pub(crate) fn new(file: PreadDevice, ring: &'static Ring) -> Self {
        Self { file, ring }
    }
}

impl Device for UringDevice {
    fn start(&self, transfer: &Arc<Transfer>) {
        let route = transfer.route();
        match self.file.fd(route) {
            Ok(fd) if self.properties().ring == Some(route) && !fork::is_child() => {
                self.ring.start(transfer, fd);
            }
            _ => pool::transfers(self.file.queue()).push(transfer),
        }
    }

    fn properties(&self) -> Properties {
        let properties = self.file.properties();
        let ring = match (properties.direct, properties.in_memory()) {
            (Some(_), _) => Some(Route::Direct),
            (None, false) => Some(Route::Cached),
            (None, true) => None,
        };
        Properties { ring, ..properties }
    }

    fn read(&self, route: Route, offset_bytes: u64, into: &mut [u8]) -> io::Result<usize> {
        self.file.read(route, offset_bytes, into)
    }

    fn write(&self, route: Route, offset_bytes: u64, from: &[u8]) -> io::Result<usize> {
        self.file.write(route, offset_bytes, from)
    }

    fn read_pieces(&self, route: Route, offset_bytes: u64, into: &[MemoryPiece]) -> io::Result<usize> {
        self.file.read_pieces(route, offset_bytes, into)
    }

    fn write_pieces(&self, route: Route, offset_bytes: u64, from: &[MemoryPiece]) -> io::Result<usize> {
        self.file.write_pieces(route, offset_bytes, from)
    }

    fn is_resident(&self, offset_bytes: u64, len_bytes: u64) -> bool {
        self.file.is_resident(offset_bytes, len_bytes)
    }

    fn prefetch(&self, offset_bytes: u64, len_bytes: u64, has_gaps: bool) -> io::Result<()> {
        self.file.prefetch(offset_bytes, len_bytes, has_gaps)
    }

    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn allocated_bytes(&self) -> io::Result<u64> {
        self.file.allocated_bytes()
    }

    fn has_data(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<bool> {
        self.file.has_data(offset_bytes, len_bytes)
    }

    fn available_bytes(&self) -> Option<u64> {
        self.file.available_bytes()
    }

    fn set_len(&self, len_bytes: u64) -> io::Result<()> {
        self.file.set_len(len_bytes)
    }

    fn allocate(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        self.file.allocate(offset_bytes, len_bytes)
    }

    fn release_beyond(&self, len_bytes: u64, sharing: Sharing) {
        self.file.release_beyond(len_bytes, sharing);
    }

    /// Where there is no direct route the ring may be writing through the opening that is to be alone.
    fn release_now(&self) -> io::Result<()> {
        if self.properties().ring == Some(Route::Cached) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.file.release_now()
    }

    fn waits_for_others(&self) -> bool {
        self.file.waits_for_others()
    }

    fn start_writeback(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        self.file.start_writeback(offset_bytes, len_bytes)
    }

    fn wait_writeback(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        self.file.wait_writeback(offset_bytes, len_bytes)
    }

    fn settle(&self, ranges: &[Range<u64>]) -> io::Result<Settled> {
        self.file.settle(ranges)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync()
    }

    fn late_error(&self) -> io::Result<()> {
        self.file.late_error()
    }
}
