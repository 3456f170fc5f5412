//! Reads that are copies, or several transfers one after the other, as a device: so each is a transfer like any other, which a worker
//! makes while the caller computes, or the caller does when he waits for it first.

use super::{Device, Properties, Route, Settled};
use crate::file::Sharing;
use crate::queue::Queue;
use crate::sys::aliasing;
use crate::sys::transfer::Transfer;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Reads from a place on, as [`Device::read`].
type Read = dyn Fn(u64, &mut [u8]) -> io::Result<usize> + Send + Sync;

/// What a function reads. Only reading means anything.
pub(crate) struct StagedDevice {
    /// That of the file which is read in the end.
    queue: Queue,
    read: Box<Read>,
}

impl StagedDevice {
    pub(crate) fn new(
        queue: Queue,
        read: impl Fn(u64, &mut [u8]) -> io::Result<usize> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { queue, read: Box::new(read) })
    }

    /// A fetch into a buffer of the pool, of which the first `skip` bytes are not wanted: reading waits for it and copies.
    pub(crate) fn of_fetch(queue: Queue, fetch: Arc<Transfer>, skip: usize) -> Arc<Self> {
        Self::new(queue, move |offset_bytes, into| {
            let fetched = fetch.wait()?;
            let from = usize::try_from(offset_bytes).map_or(fetched, |offset| fetched.min(skip + offset));
            let len = into.len().min(fetched - from);
            aliasing::copy(&fetch.bytes()[from..from + len], &mut into[..len]);
            Ok(len)
        })
    }
}

impl fmt::Debug for StagedDevice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("StagedDevice").finish_non_exhaustive()
    }
}

/// An interrupted fetch stays interrupted: asking again would ask for ever.
fn final_error(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::Interrupted => io::Error::from_raw_os_error(libc::EAGAIN),
        _ => error,
    }
}

fn unsupported<T>() -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

impl Device for StagedDevice {
    fn properties(&self) -> Properties {
        Properties { queue: self.queue, ..Properties::default() }
    }

    fn read(&self, _route: Route, offset_bytes: u64, into: &mut [u8]) -> io::Result<usize> {
        (self.read)(offset_bytes, into).map_err(final_error)
    }

    fn write(&self, _route: Route, _offset_bytes: u64, _from: &[u8]) -> io::Result<usize> {
        unsupported()
    }

    fn is_resident(&self, _offset_bytes: u64, _len_bytes: u64) -> bool {
        true
    }

    fn len(&self) -> io::Result<u64> {
        unsupported()
    }

    fn available_bytes(&self) -> Option<u64> {
        None
    }

    fn set_len(&self, _len_bytes: u64) -> io::Result<()> {
        unsupported()
    }

    fn allocate(&self, _offset_bytes: u64, _len_bytes: u64) -> io::Result<()> {
        unsupported()
    }

    fn release_beyond(&self, _len_bytes: u64, _sharing: Sharing) {}

    fn start_writeback(&self, _offset_bytes: u64, _len_bytes: u64) -> io::Result<()> {
        unsupported()
    }

    fn wait_writeback(&self, _offset_bytes: u64, _len_bytes: u64) -> io::Result<()> {
        unsupported()
    }

    fn settle(&self, _ranges: &[Range<u64>]) -> io::Result<Settled> {
        unsupported()
    }

    fn sync(&self) -> io::Result<()> {
        unsupported()
    }

    fn late_error(&self) -> io::Result<()> {
        Ok(())
    }
}
