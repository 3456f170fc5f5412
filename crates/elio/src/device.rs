//! The contract between files and what holds their bytes.

pub(crate) mod counting;
mod disk_cache;
pub(crate) mod fault;
pub(crate) mod memory;
pub(crate) mod pread;
pub(crate) mod staged;
pub(crate) mod uring;
mod virtual_disk;

use crate::file::Sharing;
use crate::pool;
use crate::queue::Queue;
use crate::stat::FileSystem;
use crate::sys::gather::MemoryPiece;
use crate::sys::transfer::Transfer;
use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// How a transfer reaches the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// Through the page cache.
    Cached,
    /// Through the page cache, but only what is resident: `WouldBlock` where nothing is. For reads. Cheap where the data is
    /// there; where it is not, the kernel begins to read it in. Some kernels answer 0 there, so that this is the end of the file only
    /// if [`Route::Cached`] says so, too.
    Resident,
    /// Around the page cache. Memory, offset and length must be aligned as [`Properties::direct`] says.
    Direct,
    /// Through the page cache, leaving nothing there when written; small writes only where the kernel sees to it by itself. For writes.
    DropBehind,
}

/// Alignment that the direct route asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Alignment {
    /// Of the address of the memory.
    pub memory_bytes: usize,
    /// Of the offset and the length.
    pub offset_bytes: u64,
}

/// What is written around the page cache is whole pages, and what is staged is read by them.
const ALIGNMENT_BYTES_MAX: u64 = 4096;

impl Alignment {
    /// Whether whole pages are aligned. A file system may ask for more: `OpenZFS` does for a whole record, of up to megabytes.
    pub(crate) fn suits_pages(self) -> bool {
        ALIGNMENT_BYTES_MAX.is_multiple_of(self.memory_bytes as u64)
            && ALIGNMENT_BYTES_MAX.is_multiple_of(self.offset_bytes)
    }

    /// Whether a transfer can take the direct route as it is.
    pub fn fits(self, address: usize, offset_bytes: u64, len_bytes: usize) -> bool {
        address.is_multiple_of(self.memory_bytes)
            && offset_bytes.is_multiple_of(self.offset_bytes)
            && (len_bytes as u64).is_multiple_of(self.offset_bytes)
    }
}

/// What a device can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    /// What the direct route asks for; `None` where there is no direct route. One that asks for more than whole pages is not taken.
    pub direct: Option<Alignment>,
    /// Whether [`Route::Resident`] is understood.
    pub resident: bool,
    /// Whether [`Route::DropBehind`] is understood.
    pub drop_behind: bool,
    /// The route whose started transfers a ring finishes; those of other routes come back, through a worker, as calls
    /// of [`Device::read`] and [`Device::write`].
    pub ring: Option<Route>,
    /// Where the bytes live.
    pub file_system: FileSystem,
    /// The file system by its number: files of one share its space.
    pub file_system_number: Option<u64>,
    /// Whether a small page of memory is a piece of its own for the device, at which it is slow.
    pub charges_pages: bool,
    /// Where its transfers wait for their turn.
    pub queue: Queue,
}

impl Properties {
    /// Whether the bytes live in memory, so that there is nothing to bypass or to write back.
    pub fn in_memory(self) -> bool {
        self.file_system == FileSystem::Memory
    }

    /// Whether allocating ahead of a writer helps, and can be undone safely.
    pub fn allocates_ahead(self) -> bool {
        self.file_system == FileSystem::Local
    }
}

/// What [`Device::settle`] has written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The ranges that it was given.
    Ranges,
    /// Everything that was written before.
    Everything,
}

/// One open file on a device.
///
/// Transfers may be shorter than asked, as with `pread`: a read gives 0 exactly at or past the end, a write of more
/// than nothing never gives 0. Concurrent calls are allowed; transfers that overlap in the file while one of them writes give
/// either order. `Interrupted` may be returned and is retried by the caller. Holes read as zero; a write past the end
/// extends the file.
pub trait Device: Send + Sync + Debug {
    /// What this device can do; does not change.
    fn properties(&self) -> Properties;

    /// Reads some of `into` at `offset_bytes`.
    ///
    /// # Errors
    /// The system's; `WouldBlock` on [`Route::Resident`] when the first byte is not resident.
    fn read(&self, route: Route, offset_bytes: u64, into: &mut [u8]) -> io::Result<usize>;

    /// Writes some of `from` at `offset_bytes`.
    ///
    /// # Errors
    /// The system's.
    fn write(&self, route: Route, offset_bytes: u64, from: &[u8]) -> io::Result<usize>;

    /// Reads some of what the pieces hold together, one after the other. What cannot, which is the default, says `Unsupported`
    /// and is asked for one piece at a time by other ways.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn read_pieces(&self, _route: Route, _offset_bytes: u64, _into: &[MemoryPiece]) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Writes some of the pieces, one after the other; as [`read_pieces`](Self::read_pieces).
    ///
    /// # Errors
    /// As [`write`](Self::write).
    fn write_pieces(&self, _route: Route, _offset_bytes: u64, _from: &[MemoryPiece]) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Starts a transfer and returns. The transfer is finished by an engine, or by whoever waits for it. By default
    /// the worker threads of its queue run it through [`Device::read`] and [`Device::write`].
    fn start(&self, transfer: &Arc<Transfer>) {
        pool::transfers(self.properties().queue).push(transfer);
    }

    /// Whether all of a range is in the page cache; says yes where that cannot be known. Moves nothing.
    fn is_resident(&self, offset_bytes: u64, len_bytes: u64) -> bool;

    /// Reads a range, of at least a byte, into the page cache, and begins with what follows it; returns when the range has come.
    /// `has_gaps`: pages are there already, here and there. By default does nothing.
    ///
    /// # Errors
    /// The system's; what could not be read is read again by whoever wants it.
    fn prefetch(&self, _offset_bytes: u64, _len_bytes: u64, _has_gaps: bool) -> io::Result<()> {
        Ok(())
    }

    /// The length in bytes.
    ///
    /// # Errors
    /// The system's.
    fn len(&self) -> io::Result<u64>;

    /// How much space the file has, within its length and beyond. What cannot tell says its length.
    ///
    /// # Errors
    /// The system's.
    fn allocated_bytes(&self) -> io::Result<u64> {
        self.len()
    }

    /// Whether a range, of at least a byte, may hold data: `false` says that it was never written and reads as zero. By default
    /// nothing is known.
    ///
    /// # Errors
    /// The system's.
    fn has_data(&self, _offset_bytes: u64, _len_bytes: u64) -> io::Result<bool> {
        Ok(true)
    }

    /// Whether the length is zero.
    ///
    /// # Errors
    /// The system's.
    fn is_empty(&self) -> io::Result<bool> {
        self.len().map(|bytes| bytes == 0)
    }

    /// What this user can still write, where that is known.
    fn available_bytes(&self) -> Option<u64>;

    /// Sets the length; what grows reads as zero.
    ///
    /// # Errors
    /// The system's.
    fn set_len(&self, len_bytes: u64) -> io::Result<()>;

    /// Reserves space for a range without changing the length.
    ///
    /// # Errors
    /// The system's: no space, or not supported.
    fn allocate(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()>;

    /// Gives back, soon after this handle is closed, what was allocated beyond the end of the file, if it is `len_bytes` long by then or
    /// longer and nobody else has it open. Where others write the file, too, who may be about to close it, that is waited for,
    /// for a moment. Nothing is lost if it cannot: the space stays with the file.
    fn release_beyond(&self, len_bytes: u64, sharing: Sharing);

    /// Gives back what is allocated beyond the end of the file, now, while it is open: what is being written meanwhile waits. By default
    /// it cannot.
    ///
    /// # Errors
    /// `WouldBlock` where somebody else has the file open, or this process has by another opening; the system's.
    fn release_now(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Whether this process is to wait for the others to close the file, because no other process does: what is reserved is given back by
    /// who closes last, and where all close at once nobody would be the last. True for as long as the file is open. By default
    /// nobody waits.
    fn waits_for_others(&self) -> bool {
        false
    }

    /// Starts writing cached data of a range to the device, without waiting for it to get there.
    ///
    /// # Errors
    /// The system's.
    fn start_writeback(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()>;

    /// Waits until writeback that was started in a range has finished.
    ///
    /// # Errors
    /// The system's; [`sync`](Self::sync) and [`late_error`](Self::late_error) tell them all the same.
    fn wait_writeback(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()>;

    /// Returns when the disk has these ranges and keeps them, so that a [`sync`](Self::sync) has no more to do for them than what the
    /// file system notes of the file. Errors are left to it.
    ///
    /// # Errors
    /// As [`wait_writeback`](Self::wait_writeback).
    fn settle(&self, ranges: &[Range<u64>]) -> io::Result<Settled>;

    /// Returns when all data and the length are durable.
    ///
    /// # Errors
    /// The system's, including errors of earlier writes that it reports late.
    fn sync(&self) -> io::Result<()>;

    /// Reports errors of earlier writes that the system has noted and not told yet. Called before the device is dropped.
    ///
    /// # Errors
    /// Those errors.
    fn late_error(&self) -> io::Result<()>;
}
