//! A file in memory.

use super::{Device, Properties, Route, Settled};
use crate::file::Sharing;
use crate::stat::FileSystem;
use crate::sys::gather::MemoryPiece;
use std::io;
use std::ops::Range;
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Bytes in memory, up to a capacity. It lives as long as somebody holds it, open or not.
#[derive(Debug)]
pub struct MemoryDevice {
    capacity_bytes: u64,
    bytes: RwLock<Vec<u8>>,
}

impl MemoryDevice {
    /// An empty device that can hold `capacity_bytes`. Memory is taken as it is written.
    pub fn new(capacity_bytes: u64) -> Arc<Self> {
        Arc::new(Self { capacity_bytes, bytes: RwLock::default() })
    }

    /// How much it can hold.
    pub fn capacity_bytes(&self) -> u64 {
        self.capacity_bytes
    }

    fn shared(&self) -> RwLockReadGuard<'_, Vec<u8>> {
        self.bytes.read().expect("no thread panics while it copies")
    }

    fn exclusive(&self) -> RwLockWriteGuard<'_, Vec<u8>> {
        self.bytes.write().expect("no thread panics while it copies")
    }

    /// The end of a range as an index, if the capacity allows it.
    fn end_index(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<usize> {
        offset_bytes
            .checked_add(len_bytes)
            .filter(|end| *end <= self.capacity_bytes)
            .and_then(|end| usize::try_from(end).ok())
            .ok_or_else(|| io::Error::from_raw_os_error(libc::ENOSPC))
    }

    /// What there is of a range.
    fn found(bytes: &[u8], offset_bytes: u64, len: usize) -> &[u8] {
        let from = usize::try_from(offset_bytes).unwrap_or(usize::MAX).min(bytes.len());
        &bytes[from..from + len.min(bytes.len() - from)]
    }

    /// Makes room for `len` bytes in all, or reports that memory is out.
    fn grow(bytes: &mut Vec<u8>, len: usize) -> io::Result<()> {
        if len > bytes.len() {
            bytes.try_reserve(len - bytes.len()).map_err(|_| io::Error::from_raw_os_error(libc::ENOMEM))?;
            bytes.resize(len, 0);
        }
        Ok(())
    }
}

impl Device for MemoryDevice {
    fn properties(&self) -> Properties {
        Properties { file_system: FileSystem::Memory, ..Properties::default() }
    }

    fn read(&self, _route: Route, offset_bytes: u64, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.shared();
        let found = Self::found(&bytes, offset_bytes, into.len());
        into[..found.len()].copy_from_slice(found);
        Ok(found.len())
    }

    fn write(&self, _route: Route, offset_bytes: u64, from: &[u8]) -> io::Result<usize> {
        let end = self.end_index(offset_bytes, from.len() as u64)?;
        let mut bytes = self.exclusive();
        Self::grow(&mut bytes, end)?;
        bytes[end - from.len()..end].copy_from_slice(from);
        Ok(from.len())
    }

    fn read_pieces(&self, _route: Route, offset_bytes: u64, into: &[MemoryPiece]) -> io::Result<usize> {
        let bytes = self.shared();
        let found = Self::found(&bytes, offset_bytes, MemoryPiece::sum_bytes(into));
        let mut left = found;
        for piece in MemoryPiece::first(into, found.len()) {
            let (now, later) = left.split_at(piece.len());
            piece.copy_from(now);
            left = later;
        }
        Ok(found.len())
    }

    fn write_pieces(&self, _route: Route, offset_bytes: u64, from: &[MemoryPiece]) -> io::Result<usize> {
        let len = MemoryPiece::sum_bytes(from);
        let end = self.end_index(offset_bytes, len as u64)?;
        let mut bytes = self.exclusive();
        Self::grow(&mut bytes, end)?;
        let mut left = &mut bytes[end - len..end];
        for piece in from {
            let (now, later) = left.split_at_mut(piece.len());
            piece.copy_to(now);
            left = later;
        }
        Ok(len)
    }

    fn is_resident(&self, _offset_bytes: u64, _len_bytes: u64) -> bool {
        true
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.shared().len() as u64)
    }

    fn available_bytes(&self) -> Option<u64> {
        Some(self.capacity_bytes - self.shared().len() as u64)
    }

    fn set_len(&self, len_bytes: u64) -> io::Result<()> {
        let len = self.end_index(len_bytes, 0)?;
        let mut bytes = self.exclusive();
        Self::grow(&mut bytes, len)?;
        bytes.truncate(len);
        Ok(())
    }

    fn allocate(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        let end = self.end_index(offset_bytes, len_bytes)?;
        let mut bytes = self.exclusive();
        let more = end.saturating_sub(bytes.len());
        bytes.try_reserve(more).map_err(|_| io::Error::from_raw_os_error(libc::ENOMEM))
    }

    fn release_beyond(&self, _len_bytes: u64, _sharing: Sharing) {}

    fn start_writeback(&self, _offset_bytes: u64, _len_bytes: u64) -> io::Result<()> {
        Ok(())
    }

    fn wait_writeback(&self, _offset_bytes: u64, _len_bytes: u64) -> io::Result<()> {
        Ok(())
    }

    fn settle(&self, _ranges: &[Range<u64>]) -> io::Result<Settled> {
        Ok(Settled::Ranges)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn late_error(&self) -> io::Result<()> {
        Ok(())
    }
}
