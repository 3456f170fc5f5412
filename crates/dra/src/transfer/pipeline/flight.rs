//! What is under way in one buffer, and the requests of the device layer that move it.

use super::offer::Offer;
use crate::error::Result;
use crate::shards::Shard;
use crate::transfer::job::Job;
use crate::transfer::parts::Part;
use crate::transfer::unit::{self, Place, Ranges};
use elio::{FileSystem, MemoryPiece, PageBuffer, Request, SpreadRequest};
use section::size;
use std::ops::Range;
use std::sync::Arc;

/// A few of such requests at a time are as much as a device gains from.
const LONG_RANGE_BYTES: u64 = 64 << 10;

/// A part of a brick on its way, or several short ones that share a buffer.
#[derive(Debug)]
pub(super) struct Flight {
    pub(super) job: Arc<Job>,
    pub(super) parts: Arc<[Placed]>,
    pub(super) stage: Stage,
    /// What it reads from a device of this node, if that is in long ranges.
    pub(super) long_bytes: u64,
}

/// A part, where it is on disk, and where in the buffer.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) part: Part,
    pub(super) shard: Arc<Shard>,
    pub(super) brick_at: u64,
    /// What of the brick is moved, or will be.
    pub(super) ranges: Ranges,
    /// What of it is written as zeros.
    pub(super) zeros: Ranges,
    pub(super) place: Place,
}

impl Placed {
    /// Alone in a buffer, of which the first byte is that of its first page.
    pub(super) fn new(
        part: &Part,
        (shard, brick_at): (Arc<Shard>, u64),
        ranges: Ranges,
        zeros: Ranges,
    ) -> Self {
        let place = Place::of_window(&unit::window(&ranges), 0);
        Self { part: *part, shard, brick_at, ranges, zeros, place }
    }
}

/// What is being done.
#[derive(Debug)]
pub(super) enum Stage {
    /// Somebody is to begin them, or has begun.
    Offered(Arc<Offer>),
    Reading(Moving),
    /// One range, straight to the array in memory, without a buffer.
    ReadingStraight(Request<MemoryPiece>),
    /// Reading what the write does not change, these ranges. Of one part only.
    ReadingToModify(Moving, Ranges),
    Writing(Moving),
}

/// A request of the device layer, for one range or for several.
#[derive(Debug)]
pub(super) enum Moving {
    One(Request<PageBuffer>),
    Several(SpreadRequest<PageBuffer>),
}

impl Flight {
    pub(super) fn new(job: Arc<Job>, parts: Arc<[Placed]>, stage: Stage) -> Self {
        let is_read = matches!(stage, Stage::Reading(_) | Stage::ReadingStraight(_));
        let long_bytes = if is_read { long_ranges_bytes(&parts) } else { 0 };
        Self { job, parts, stage, long_bytes }
    }

    /// Whether it has one of the buffers.
    pub(super) fn has_buffer(&self) -> bool {
        match &self.stage {
            Stage::Offered(offer) => offer.has_buffer(),
            Stage::ReadingStraight(_) => false,
            Stage::Reading(_) | Stage::ReadingToModify(..) | Stage::Writing(_) => true,
        }
    }

    /// How much of it the device is still reading in long ranges.
    pub(super) fn long_bytes_left(&mut self) -> u64 {
        if self.long_bytes == 0 || self.is_finished() { 0 } else { self.long_bytes }
    }

    pub(super) fn is_finished(&mut self) -> bool {
        match &mut self.stage {
            Stage::Offered(offer) => offer.is_done(),
            Stage::ReadingStraight(request) => request.test(),
            Stage::Reading(moving) | Stage::ReadingToModify(moving, _) | Stage::Writing(moving) => {
                moving.is_finished()
            }
        }
    }
}

impl Moving {
    /// Begins to read the ranges of parts.
    pub(super) fn read(parts: &[Placed], buffer: PageBuffer) -> Result<Self> {
        let ranges = parts.iter().flat_map(|placed| placed.ranges.iter().map(move |range| (placed, range)));
        Self::reading(&pieces(ranges), buffer)
    }

    /// Begins to read some ranges of the brick of a part.
    pub(super) fn read_around(placed: &Placed, ranges: &Ranges, buffer: PageBuffer) -> Result<Self> {
        Self::reading(&pieces(ranges.iter().map(|range| (placed, range))), buffer)
    }

    fn reading(pieces: &[elio::Piece<'_>], mut buffer: PageBuffer) -> Result<Self> {
        Ok(if let [elio::Piece { file, offset_bytes, .. }] = select(pieces, &mut buffer) {
            Self::One(file.submit_read(*offset_bytes, buffer)?)
        } else {
            Self::Several(SpreadRequest::read(pieces, buffer)?)
        })
    }

    /// Begins to write the ranges of parts.
    pub(super) fn write(parts: &[Placed], mut buffer: PageBuffer) -> Result<Self> {
        let ranges = parts.iter().flat_map(|placed| placed.ranges.iter().map(move |range| (placed, range)));
        let pieces = pieces(ranges);
        Ok(if let [elio::Piece { file, offset_bytes, .. }] = select(&pieces, &mut buffer) {
            Self::One(file.submit_write(*offset_bytes, buffer)?)
        } else {
            Self::Several(SpreadRequest::write(&pieces, buffer)?)
        })
    }

    fn is_finished(&mut self) -> bool {
        match self {
            Self::One(request) => request.test(),
            Self::Several(request) => request.test(),
        }
    }

    /// Whether it was only copies, and there is nothing to wait for.
    pub(super) fn is_copied(&self) -> bool {
        match self {
            Self::One(request) => request.bytes_if_done().is_some(),
            Self::Several(request) => request.is_done(),
        }
    }

    /// Waits; the bytes moved of each range, and the buffer.
    pub(super) fn finish(self) -> Result<(Vec<usize>, PageBuffer)> {
        Ok(match self {
            Self::One(request) => request.finish().map(|(got, buffer)| (vec![got], buffer))?,
            Self::Several(request) => request.finish()?,
        })
    }

    /// Waits for what was read of parts, all of it.
    pub(super) fn received(self, job: &Job, parts: &[Placed]) -> Result<PageBuffer> {
        let (got, buffer) = self.finish()?;
        let mut got = got.into_iter();
        for placed in parts {
            check(job, placed, &placed.ranges, got.by_ref().take(placed.ranges.len()).sum())?;
        }
        Ok(buffer)
    }

    /// Waits for what was read of some ranges of the brick of a part, all of it.
    pub(super) fn received_around(self, job: &Job, placed: &Placed, ranges: &Ranges) -> Result<PageBuffer> {
        let (got, buffer) = self.finish()?;
        check(job, placed, ranges, got.into_iter().sum())?;
        Ok(buffer)
    }
}

/// Begins to read the only range of a part to `memory`.
pub(super) fn read_straight(placed: &Placed, memory: MemoryPiece) -> Result<Request<MemoryPiece>> {
    let offset_bytes = placed.brick_at + placed.ranges[0].start;
    Ok(placed.shard.file.submit_read_to(offset_bytes, memory)?)
}

/// Waits for what is read straight to the place of a part in memory, all of it.
pub(super) fn received_straight(request: Request<MemoryPiece>, job: &Job, placed: &Placed) -> Result<()> {
    let (got, _) = request.finish()?;
    check(job, placed, &placed.ranges, got)
}

/// Selects what a single piece moves, or all of the buffer up to the last one of several.
fn select<'p, 'f>(pieces: &'p [elio::Piece<'f>], buffer: &mut PageBuffer) -> &'p [elio::Piece<'f>] {
    match pieces {
        [piece] => buffer.select(piece.memory.clone()),
        _ => buffer.select(0..pieces.last().map_or(0, |last| last.memory.end)),
    }
    pieces
}

fn pieces<'a>(ranges: impl Iterator<Item = (&'a Placed, &'a Range<u64>)>) -> Vec<elio::Piece<'a>> {
    let piece = |(placed, range): (&'a Placed, &'a Range<u64>)| {
        let offset_bytes = placed.brick_at + range.start;
        elio::Piece { file: &placed.shard.file, offset_bytes, memory: placed.place.of(range) }
    };
    ranges.map(piece).collect()
}

/// What of the files is moved for some parts.
pub(super) fn bytes(parts: &[Placed]) -> u64 {
    parts.iter().map(|placed| unit::len_bytes(&placed.ranges)).sum()
}

/// The same where it is on a device of this node, in long ranges; otherwise 0.
fn long_ranges_bytes(parts: &[Placed]) -> u64 {
    let is_here = |placed: &Placed| placed.shard.file.properties().file_system == FileSystem::Local;
    let ranges_count: usize = parts.iter().map(|placed| placed.ranges.len()).sum();
    let bytes = bytes(parts);
    let is_long = bytes >= LONG_RANGE_BYTES * ranges_count as u64 && parts.iter().all(is_here);
    if is_long { bytes } else { 0 }
}

/// Whether all of some ranges of the brick of a part was there.
fn check(job: &Job, placed: &Placed, ranges: &Ranges, got: usize) -> Result<()> {
    let expected = unit::len_bytes(ranges);
    if got == size(expected) {
        return Ok(());
    }
    let place = placed.part.place;
    let reason = format!("{got} of {expected} bytes of the brick in slot {}", place.slot);
    Err(job.array.directory.corrupt_shard(place.shard, reason).into())
}
