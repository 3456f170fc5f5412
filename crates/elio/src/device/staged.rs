//! What a staged transfer has fetched, as a device: reading it waits for the fetch and copies. So the copy into the
//! caller's memory is a transfer like any other: a worker makes it while the caller computes, or the caller does when
//! he waits for it first.

use super::{Device, Properties, Route, Settled};
use crate::sys::aliasing;
use crate::sys::transfer::Transfer;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// A fetch into a buffer of the pool, of which the first `skip` bytes are not wanted. Only reading means anything.
#[derive(Debug)]
pub(crate) struct StagedDevice {
    fetch: Arc<Transfer>,
    skip: usize,
}

impl StagedDevice {
    pub(crate) fn new(fetch: Arc<Transfer>, skip: usize) -> Arc<Self> {
        Arc::new(Self { fetch, skip })
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
        Properties::default()
    }

    fn read(&self, _route: Route, offset_bytes: u64, into: &mut [u8]) -> io::Result<usize> {
        let fetched = self.fetch.wait().map_err(final_error)?;
        let from = usize::try_from(offset_bytes).map_or(fetched, |offset| fetched.min(self.skip + offset));
        let len = into.len().min(fetched - from);
        aliasing::copy(&self.fetch.bytes()[from..from + len], &mut into[..len]);
        Ok(len)
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

    fn release_beyond(&self, _len_bytes: u64) {}

    fn start_writeback(&self, _offset_bytes: u64, _len_bytes: u64) -> io::Result<()> {
        unsupported()
    }

    fn wait_writeback(&self, _offset_bytes: u64, _len_bytes: u64) -> io::Result<()> {
        unsupported()
    }

    fn settle(&self, _ranges: &[Range<u64>]) -> io::Result<Settled> {
        unsupported()
    }

    fn drop_range(&self, _offset_bytes: u64, _len_bytes: u64) -> io::Result<()> {
        unsupported()
    }

    fn sync(&self) -> io::Result<()> {
        unsupported()
    }

    fn late_error(&self) -> io::Result<()> {
        Ok(())
    }
}
