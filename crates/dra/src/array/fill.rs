//! Writing all of an array step by step, as what re-blocks one does.

use super::DiskArray;
use crate::error::Result;
use crate::in_memory::ArrayInMemory;
use crate::request::Request;
use crate::shards::Filling;
use crate::transfer::{Direction, Transfer};
use std::sync::{Arc, PoisonError};

/// The pages of the page cache, or a multiple of what they are.
const PAGE_BYTES: u64 = 4096;

impl DiskArray {
    /// All of the array is written from now on until [`filled`](Self::filled), or until it is found at a [write](Self::write) that nobody
    /// fills it any more: a shard has all its space reserved, in few pieces however many write it, as soon as a rank writes there. Waits for
    /// transfers of this handle. Collective, with the same argument.
    ///
    /// With `around_cache`, writes go around the page cache: for much that nobody reads soon. A page that some write around the
    /// cache and others through it, or a part of one that is written around it, may be lost. So every part of a brick that is
    /// written, if it is not the whole brick, must then begin and end on pages of 4096 bytes; bricks do, in an array that is
    /// [aligned](crate::format::Alignment) to pages, and nothing goes around the cache in another one, or where bricks have to be moved in
    /// pieces that do not.
    pub fn fill(&self, around_cache: bool) {
        let (layout, engine) = (self.directory.layout(), self.context.engine());
        let is_in_pages = || {
            let (brick, element_bytes) = (layout.bricks().brick(), layout.data_type().bytes());
            engine.moves_whole_pages(brick, element_bytes, self.open.room_bytes())
        };
        let shard = layout.shard();
        let aligned =
            [shard.stride_bytes(), shard.offset_bytes(0)].iter().all(|at| at.is_multiple_of(PAGE_BYTES))
                && is_in_pages();
        let filling = if around_cache && aligned { Filling::AroundCache } else { Filling::ThroughCache };
        self.wait_for_jobs();
        if let Err(error) = self.meet() {
            tracing::warn!(%error, "what is under way in other ranks is not served");
        }
        self.open.shards.fill(filling);
    }

    /// Writes are no longer those of [`fill`](Self::fill). While nothing is under way; otherwise as that.
    pub fn filled(&self) {
        self.open.shards.fill(Filling::Parts);
    }

    /// Refuses to write what somebody fills. Where nobody does any more, the files are those of an array of which parts are written:
    /// whoever began to fill it by this handle may have been dropped with transfers under way.
    pub(super) fn expect_not_filled(&self) -> Result<()> {
        self.check_writable()?;
        if self.open.shards.are_filled() {
            self.wait_for_jobs();
            self.filled();
        }
        Ok(())
    }

    /// Waits for all transfers of this handle, whose errors are still to be told.
    fn wait_for_jobs(&self) {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for job in jobs {
            self.context.engine().wait(&job);
        }
    }

    /// Starts a write of what fills the array by steps, which [`write`](Self::write) refuses; otherwise as that. For whoever has
    /// set the mark [`UNFINISHED`](crate::UNFINISHED) by this handle, and notes there how far he is.
    ///
    /// # Errors
    /// As [`write`](Self::write), but [`Error::Unfinished`](crate::Error::Unfinished); and if the array is no longer marked as by this
    /// handle, because another one has taken its place, or somebody else fills it now.
    pub fn write_filling(&self, memory: &Arc<dyn ArrayInMemory>, transfer: &Transfer) -> Result<Request> {
        let check_mark = |array: &Self| array.check_mark(array.unfinished()?.as_ref());
        self.start(memory, transfer, Direction::ToDisk, check_mark)
    }
}
