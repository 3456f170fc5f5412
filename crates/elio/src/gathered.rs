//! Copies between the page cache and several pieces of memory, without a buffer between them.

use crate::device::Route;
use crate::error::{Operation, Result};
use crate::file::{File, Handle};
use crate::policy::cache;
use crate::space::reserved::with_space_given_back;
use crate::sys::gather::{Gather, MemoryPiece};
use crate::sys::transfer::Direction;
use std::io;
use std::ops::Range;

impl File {
    /// Fills the pieces with what is in the file from `offset_bytes` on, if the page cache is believed to have all of it and
    /// no other request has to be waited for: tells whether it did. If not, the pieces may hold anything, and a read has to follow,
    /// which tells of errors. For callers whose transfers are only copies anyway; what cannot be gathered is never copied.
    ///
    /// Where only the beginning turns out to be in the page cache, the rest is waited for. With `waits`, all of it is: for what
    /// belongs to something that was copied so before, and would have to be read again.
    pub fn copy_out(&self, offset_bytes: u64, into: &Gather, waits: bool) -> bool {
        let (handle, len) = (self.handle(), into.len_bytes());
        let copy = || handle.copy_out(offset_bytes, into, waits);
        handle.counted_if(|counters| &counters.read, len, copy, |&is_done| is_done)
    }

    /// Writes the pieces to the file from `offset_bytes` on, if writes of such a range go through the page cache here: tells
    /// whether it did. If not, nothing was written. Afterwards as after [`File::write_at`].
    ///
    /// # Errors
    /// As [`File::write_at`]; some of it may be written then.
    pub fn copy_in(&self, offset_bytes: u64, from: &Gather) -> Result<bool> {
        let (handle, len) = (self.handle(), from.len_bytes());
        handle.check(Operation::Write, offset_bytes, len)?;
        let copy = || handle.copy_in(offset_bytes, from);
        handle.counted_if(|counters| &counters.write, len, copy, |copied| !matches!(copied, Ok(false)))
    }
}

impl Handle {
    fn copy_out(&self, offset_bytes: u64, into: &Gather, waits: bool) -> bool {
        let len = into.len_bytes();
        let range = offset_bytes..offset_bytes.saturating_add(len as u64);
        let is_only_a_copy = into.is_one_access()
            && !self.is_exclusive()
            && (self.inode().is_settled() || (waits && self.settle(&range, Direction::Read).is_ok()))
            && self.copies_at_issue(len)
            && (waits || self.is_believed_resident());
        let at_once = if waits || self.properties.in_memory() { Route::Cached } else { Route::Resident };
        let is_done = is_only_a_copy && self.read_pieces(at_once, offset_bytes, into.pieces());
        if is_done {
            self.note_copied_at_issue(len);
        }
        is_done
    }

    fn is_believed_resident(&self) -> bool {
        let in_cache =
            cache::asks_cache_first(self.options.cache, self.properties) && self.residency.is_trusted();
        self.properties.in_memory() || in_cache
    }

    /// Reads all of them, if the beginning is to be had by the route `first`.
    fn read_pieces(&self, first: Route, offset_bytes: u64, pieces: &[MemoryPiece]) -> bool {
        let (len, mut done) = (MemoryPiece::sum_bytes(pieces), 0);
        while done < len {
            // What is missing after the beginning the kernel has begun to read in.
            let route = if done == 0 { first } else { Route::Cached };
            let left = MemoryPiece::without(pieces, done);
            match self.device.read_pieces(route, offset_bytes + done as u64, &left) {
                Ok(0) => return false,
                Ok(bytes) => done += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
            if done < len {
                self.residency.note_miss();
            }
        }
        true
    }

    fn copy_in(&self, offset_bytes: u64, from: &Gather) -> Result<bool> {
        let len = from.len_bytes();
        let range = offset_bytes..offset_bytes + len as u64;
        if len == 0 || !from.is_one_access() || self.is_exclusive() || !self.copies_at_issue(len) {
            return Ok(false);
        }
        self.inode().order_after_in_flight(&range, Direction::Write);
        // A handle of this process that has the file for itself may have read ahead.
        self.inode().invalidate_read_ahead(&range);
        self.inode().flush_overlapping(&range)?;
        if self.write_route(&range) != Route::Cached {
            return Ok(false);
        }
        from.pieces().iter().for_each(|piece| piece.map_pages());
        let written = self.write_pieces(&range, from.pieces());
        // Also around what was written in part.
        self.inode().invalidate_read_ahead(&range);
        if matches!(written, Ok(true)) {
            self.inode().note_end_of_write(range.end);
            self.note_write(Route::Cached, range);
        }
        written.map_err(|source| self.transfer_error(Operation::Write, offset_bytes, len, source))
    }

    /// All of them; `false` if the device cannot.
    pub(crate) fn write_pieces(&self, range: &Range<u64>, pieces: &[MemoryPiece]) -> io::Result<bool> {
        let mut left = pieces.to_vec();
        let mut at = range.start;
        while at < range.end {
            let write = || self.device.write_pieces(Route::Cached, at, &left);
            match with_space_given_back(&*self.device, write) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(bytes) => {
                    at += bytes as u64;
                    left = MemoryPiece::without(&left, bytes);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::Unsupported && at == range.start => {
                    return Ok(false);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }
}
