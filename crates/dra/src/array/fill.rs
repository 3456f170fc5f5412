//! Writing all of an array step by step, as what re-blocks one does.

use super::{DiskArray, OpenArray};
use crate::error::Result;
use crate::in_memory::ArrayInMemory;
use crate::request::Request;
use crate::shards::Filling;
use crate::transfer::{Direction, Transfer};
use std::sync::Arc;

/// The pages of the page cache, or a multiple of what they are.
const PAGE_BYTES: u64 = 4096;

/// The files of an array are written as those of one of which all is written, until this is dropped; see [`DiskArray::fill`].
#[derive(Debug)]
#[must_use = "it is over when this is dropped"]
pub struct Fill {
    open: Arc<OpenArray>,
}

impl Drop for Fill {
    fn drop(&mut self) {
        self.open.shards.fill(Filling::Parts);
    }
}

impl DiskArray {
    /// All of the array is written from now on, until what this returns is dropped: a shard has all its space reserved, in few pieces
    /// however many write it, as soon as a rank writes there. Local, but all ranks have to say the same, and begin while nothing
    /// is under way.
    ///
    /// With `around_cache`, writes go around the page cache: for much that nobody reads soon. A page that some write around the
    /// cache and others through it, or a part of one that is written around it, may be lost. So every part of a brick that is
    /// written, if it is not the whole brick, must then begin and end on pages of 4096 bytes; bricks do, in an array that is
    /// [aligned](crate::format::Alignment) to pages, and nothing goes around the cache in another one, or where bricks have to be moved in
    /// pieces that do not.
    pub fn fill(&self, around_cache: bool) -> Fill {
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
        self.open.shards.fill(filling);
        Fill { open: Arc::clone(&self.open) }
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
