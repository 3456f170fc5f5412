//! Parts that are read: where they are on disk, and whether they go straight to their places in memory.

use super::flight::Placed;
use super::short_len;
use crate::error::Result;
use crate::transfer::Direction;
use crate::transfer::job::Job;
use crate::transfer::parts::Part;
use crate::transfer::unit::Ranges;
use elio::MemoryPiece;

/// A part that is read straight to its place in memory.
pub(super) struct Straight {
    pub(super) placed: Placed,
    pub(super) memory: MemoryPiece,
}

impl Straight {
    /// How a part is read straight, if it is. An error is met again by who reads it with a buffer.
    pub(super) fn find(job: &Job, part: &Part, buffer_bytes: u64) -> Option<Self> {
        if job.how.direction == Direction::ToDisk || !job.memory().is_in_huge_pages() {
            return None;
        }
        let placed = find(job, part).ok()??;
        if short_len(&placed, &job.array, buffer_bytes).is_some() {
            return None;
        }
        let memory = memory(job, &placed)?;
        Some(Self { placed, memory })
    }
}

/// What is read for a part; `None` where nobody ever wrote.
pub(super) fn find(job: &Job, part: &Part) -> Result<Option<Placed>> {
    let array = &job.array;
    let Some(shard) = array.shards.get(part.place)? else { return Ok(None) };
    let Some(brick_at) = shard.offset_bytes(part.place.slot)? else { return Ok(None) };
    let layout = array.directory.layout().shard();
    let room_bytes = if shard.is_as_laid_out() { layout.stride_bytes() } else { layout.brick_bytes() };
    let ranges = part.piece(array, room_bytes).ranges();
    Ok(Some(Placed::new(part, (shard, brick_at), ranges, Ranges::new())))
}

/// The memory of a part that is read, if that is in one piece there and on disk, and the device can put it there.
fn memory(job: &Job, placed: &Placed) -> Option<MemoryPiece> {
    let [range] = &*placed.ranges else { return None };
    let piece = placed.part.piece(&job.array, job.array.room_bytes());
    if piece.runs_count() > 1 || piece.extent() != *range {
        return None;
    }
    let [memory] = *job.mapping.pieces(&*job.memory(), &placed.part.section, 1)? else { return None };
    placed.shard.file.reads_straight(placed.brick_at + range.start, memory).then_some(memory)
}
