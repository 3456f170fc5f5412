//! Blocking writes.

use crate::device::Route;
use crate::error::{Operation, Result};
use crate::file::{Handle, Sharing};
use crate::policy::cache::{GATHERED_BYTES, SMALL_WRITE_BYTES};
use crate::request::Pending;
use crate::stream::lost::Generations;
use crate::stream::write_behind::Writer;
use crate::sys::exit;
use crate::sys::transfer::{Direction, write_all};
use std::io;
use std::ops::Range;
use std::sync::Arc;

impl Handle {
    /// Writes all of `from`, or gathers it if it is small and continues the last write: then tells which buffer has it.
    pub(crate) fn write(
        self: &Arc<Self>,
        operation: Operation,
        offset_bytes: u64,
        from: &[u8],
    ) -> Result<Option<Generations>> {
        if from.is_empty() {
            return Ok(None);
        }
        let range = offset_bytes..offset_bytes + from.len() as u64;
        self.inode().order_after_in_flight(&range, Direction::Write);
        self.inode().invalidate_read_ahead(&range);
        let gathers = self.gathers(operation, &range);
        if gathers && (self.is_exclusive() || !self.waiting_for_gathered.is_expected_at_once()) {
            if let Some(generation) =
                self.inode().gather(|| self.gatherer(operation, &range), offset_bytes, from)?
            {
                return Ok(Some(generation));
            }
        } else {
            self.inode().flush_overlapping(&range)?;
            if gathers {
                // Its caller waits for each at once: it would be handed over before another one joins it.
                self.waiting_for_gathered.note_copy();
            }
        }
        self.write_now(self.write_route(&range), &range, from)
            .map(|()| None)
            .map_err(|source| self.transfer_error(operation, offset_bytes, from.len(), source))
    }

    /// Whether a write may be held back.
    fn gathers(&self, operation: Operation, range: &Range<u64>) -> bool {
        let len = range.end - range.start;
        let may_be_held = match self.options.sharing {
            Sharing::Exclusive => true,
            Sharing::Shared => self.options.gathers_requests && operation == Operation::AsyncWrite,
            Sharing::SharedByPages => false,
        };
        may_be_held
            && len < GATHERED_BYTES as u64
            && !self.properties.in_memory()
            && !exit::finishes_writes()
            && (len < SMALL_WRITE_BYTES as u64 || self.write_route(range) == Route::Cached)
    }

    /// Who writes what is gathered from `range` on: not directly, because nobody knows yet where it will end.
    fn gatherer(&self, operation: Operation, range: &Range<u64>) -> Writer {
        let route = self.route_of_write(range, false);
        let (device, path) = (Arc::clone(&self.device), Arc::clone(&self.path));
        let gives_up = self.options.sharing != Sharing::Exclusive;
        Writer { device, path, route, filling: self.filling(), operation, gives_up }
    }

    fn write_now(self: &Arc<Self>, route: Route, range: &Range<u64>, from: &[u8]) -> io::Result<()> {
        let outcome = if route == Route::Direct {
            Pending::direct_write(self, range.start, from)
        } else {
            write_all(&*self.device, route, range.start, from).map(|_| ())
        };
        // Again, also around what was written in part: another thread may have read ahead there since.
        self.inode().invalidate_read_ahead(range);
        outcome?;
        self.inode().note_end_of_write(range.end);
        self.note_write(route, range.clone());
        Ok(())
    }

    /// Notes what was written, so that the device gets it early.
    pub(crate) fn note_write(&self, route: Route, range: Range<u64>) {
        if route == Route::Cached && self.properties.allocates_ahead() {
            self.inode().note_cached_write(&self.device, range, self.filling());
        }
    }
}
