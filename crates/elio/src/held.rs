//! Writes that somebody else keeps, to make several of them at once: other processes, too, may make them. For this process they are under way:
//! whatever overlaps one comes after it, by any handle; and they reach the kernel as soon as what is gathered here does.

use crate::device::Route;
use crate::error::{Operation, Result};
use crate::file::{File, Handle};
use crate::stream::housekeeping;
use crate::sys::exit;
use crate::sys::gather::Gather;
use crate::sys::transfer::{Direction, write_all};
use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Weak};

/// A write that is kept.
pub trait HeldWrite: Debug + Send + Sync {
    /// Whether nobody has to make it any more: it was made, or has failed.
    fn is_done(&self) -> bool;

    /// Returns when that is so. Errors are told to who waits for it.
    fn hand_over(&self);
}

impl File {
    /// Starts an asynchronous write that `hold` keeps, after all that this process has asked for before at the same place. `None` if
    /// `hold` does not take it, writes there do not go through the page cache, or what comes before has failed: then the caller has to make it.
    ///
    /// # Errors
    /// Those of [`File::submit_write`].
    pub fn hold_write<H: HeldWrite + 'static>(
        &self,
        offset_bytes: u64,
        len: usize,
        hold: impl FnOnce() -> Option<Arc<H>>,
    ) -> Result<Option<Arc<H>>> {
        let handle = self.handle();
        handle.check(Operation::AsyncWrite, offset_bytes, len)?;
        let range = offset_bytes..offset_bytes + len as u64;
        if exit::finishes_writes()
            || handle.write_route(&range) != Route::Cached
            || handle.settle(&range, Direction::Write).is_err()
        {
            return Ok(None);
        }
        handle.inode().invalidate_read_ahead(&range);
        let held = handle.counted_if(|counters| &counters.awrite, len, hold, Option::is_some);
        if let Some(held) = &held {
            let weak: Weak<H> = Arc::downgrade(held);
            handle.inode().note_held(weak, range);
            housekeeping::call();
            // Nobody hands over any more what comes now.
            if exit::finishes_writes() {
                held.hand_over();
            }
        }
        Ok(held)
    }

    /// Waits for such a write of so many bytes.
    pub fn wait_for_held<T>(&self, len: usize, wait: impl FnOnce() -> T) -> T {
        self.handle().counted(|counters| &counters.wait, len, wait)
    }

    /// Makes writes that were held, one after the other from `offset_bytes` on: what they had to come after was there
    /// before they were held, and nothing here waits for anybody.
    ///
    /// # Errors
    /// Those of a write; some of it may be written then.
    pub fn write_held(&self, offset_bytes: u64, from: &Gather) -> Result<()> {
        let (handle, len) = (self.handle(), from.len_bytes());
        handle.check(Operation::AsyncWrite, offset_bytes, len)?;
        handle
            .write_held(&(offset_bytes..offset_bytes + len as u64), from)
            .map_err(|source| handle.transfer_error(Operation::AsyncWrite, offset_bytes, len, source))
    }
}

impl Handle {
    fn write_held(&self, range: &Range<u64>, from: &Gather) -> io::Result<()> {
        let route = self.write_route(range);
        from.pieces().iter().for_each(|piece| piece.map_pages());
        let is_gathered =
            route == Route::Cached && from.is_one_access() && self.write_pieces(range, from.pieces())?;
        if !is_gathered {
            let mut at = range.start;
            for piece in from.pieces() {
                let mut bytes = vec![0; piece.len()];
                piece.copy_to(&mut bytes);
                write_all(&*self.device, route, at, &bytes)?;
                at += piece.len() as u64;
            }
        }
        // Somebody may have read ahead there since.
        self.inode().invalidate_read_ahead(range);
        self.note_write(route, range.clone());
        Ok(())
    }
}
