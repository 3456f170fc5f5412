//! An asynchronous transfer under way.

use crate::error::{Error, Result};
use crate::statistics::Counters;
use std::path::PathBuf;
use std::sync::Arc;

/// What a file and its requests have in common.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) path: PathBuf,
    /// How much a file held in memory can hold; `None` on disk.
    pub(crate) capacity_bytes: Option<u64>,
    pub(crate) counters: Counters,
}

impl Shared {
    /// The device's error, or what it means for a file held in memory.
    pub(crate) fn explain(&self, error: elio::Error, asynchronous: bool) -> Error {
        match (self.capacity_bytes, error) {
            (Some(capacity_bytes), elio::Error::NoSpace { path, offset_bytes, len_bytes, .. }) => {
                Error::MemoryFull { path, offset_bytes, len_bytes, capacity_bytes, asynchronous }
            }
            (_, error) => Error::Device(error),
        }
    }

    /// Turns a short read into the error that says so.
    pub(crate) fn expect_all(&self, got: usize, len: usize, offset_bytes: u64) -> Result<()> {
        if got == len {
            return Ok(());
        }
        let (got_bytes, len_bytes) = (got as u64, len as u64);
        Err(Error::EndOfFile { path: self.path.clone(), offset_bytes, len_bytes, got_bytes })
    }
}

/// A transfer under way. It owns its buffer; dropping it waits.
#[derive(Debug)]
pub struct Request<B> {
    inner: elio::Request<B>,
    shared: Arc<Shared>,
    offset_bytes: u64,
    len_bytes: usize,
    is_write: bool,
}

impl<B> Request<B> {
    pub(crate) fn read(inner: elio::Request<B>, shared: &Arc<Shared>, offset_bytes: u64, len: usize) -> Self {
        Self { inner, shared: Arc::clone(shared), offset_bytes, len_bytes: len, is_write: false }
    }

    pub(crate) fn write(
        inner: elio::Request<B>,
        shared: &Arc<Shared>,
        offset_bytes: u64,
        len: usize,
    ) -> Self {
        Self { inner, shared: Arc::clone(shared), offset_bytes, len_bytes: len, is_write: true }
    }

    /// Waits until the transfer has finished; may be called again, with the same result.
    ///
    /// # Errors
    /// - [`Error::EndOfFile`]: a read met the end; what there is has been copied.
    /// - [`Error::MemoryFull`]: a file held in memory has no room for the write.
    /// - [`Error::Device`]: the transfer failed.
    pub fn wait(&mut self) -> Result<()> {
        let inner = &mut self.inner;
        let got = self.shared.counters.wait.time(self.len_bytes, || inner.wait());
        let got = got.map_err(|error| self.shared.explain(error, true))?;
        self.shared.expect_all(got, self.len_bytes, self.offset_bytes)
    }

    /// The request, unless it has finished well and there is nothing to wait for: then it counts as waited for.
    pub fn unfinished(self) -> Option<Self> {
        if self.inner.bytes_if_done() == Some(self.len_bytes) {
            self.shared.counters.wait.note(self.len_bytes);
            return None;
        }
        Some(self)
    }

    /// Whether the transfer has finished, without waiting.
    pub fn test(&mut self) -> bool {
        self.inner.test()
    }

    /// Whether this is a write.
    pub fn is_write(&self) -> bool {
        self.is_write
    }

    /// Waits and gives back the bytes transferred and the buffer. A read that met the end of the file is no error
    /// here: fewer bytes than asked for say so.
    ///
    /// # Errors
    /// [`Error::MemoryFull`], [`Error::Device`]: the transfer failed; the buffer is dropped.
    pub fn finish(self) -> Result<(usize, B)> {
        let Self { inner, shared, len_bytes, .. } = self;
        shared.counters.wait.time(len_bytes, || inner.finish()).map_err(|error| shared.explain(error, true))
    }
}
