//! Space for what is going to be written, reserved ahead of the writer: the bricks of a section and nothing else.
//!
//! A file system that finds the place of a page only when it writes it out makes whoever writes the next page wait meanwhile. With
//! the places known, filling a file and sending it to the device do not disturb each other.

use super::Direction;
use super::job::Job;
use super::parts::Parts;
use crate::array::OpenArray;
use crate::shards::Shard;
use std::ops::Range;
use std::sync::Arc;

/// So much is reserved at a time: as a rule all of a section, before anything of it is on its way to the device. Later the file system
/// waits behind that wherever it has to read a map of free blocks, and all who write wait with it for the file's lock.
const BATCH_BYTES: u64 = 1 << 30;
/// So much as soon as it matters for a part whether there is data: who asks where data begins goes from one reserved place to
/// the next.
const BATCH_BYTES_OF_PARTIAL: u64 = 8 << 20;
const BATCH_PARTS_MAX: u64 = 4096;
/// What is shorter finds its place later, with what is around it.
const RANGE_BYTES_MIN: u64 = 64 << 10;

/// The parts of a job that have space, or are about to get it.
#[derive(Debug)]
pub(super) struct SpaceAhead {
    /// `None` where nothing is reserved any more: the end, or a file system that cannot.
    parts: Option<Parts>,
    /// So many parts are before the next one that has none.
    ahead_count: u64,
    /// Whether somebody asks for parts where data begins.
    are_asked_for: bool,
}

impl SpaceAhead {
    /// `window_bytes`: as for the [parts](Parts::new) of the job.
    pub(super) fn for_job(job: &Job, window_bytes: u64) -> Self {
        // What is written as a whole has its space already.
        let writes = job.how.direction == Direction::ToDisk && !job.array.shards.are_filled();
        let parts = writes.then(|| Parts::new(&job.array, job.mapping.on_disk(), window_bytes));
        Self { parts, ahead_count: 0, are_asked_for: !job.how.onto_nothing }
    }

    /// Before the next part is written. Nothing is lost where space cannot be had: the write tells.
    pub(super) fn reach_next(&mut self, array: &OpenArray) {
        if self.ahead_count > 0 {
            self.ahead_count -= 1;
        } else if let Some(mut parts) = self.parts.take()
            && let Some(count) = reserve(array, &mut parts, self.are_asked_for)
        {
            (self.parts, self.ahead_count) = (Some(parts), count - 1);
        }
    }
}

/// Reserves space for the next parts; how many, or `None` if there is no use in going on.
fn reserve(array: &OpenArray, parts: &mut Parts, are_asked_for: bool) -> Option<u64> {
    let room_bytes = array.directory.layout().shard().stride_bytes();
    let mut batch = Batch::default();
    let (mut count, mut bytes, mut bytes_max) = (0, 0, BATCH_BYTES);
    while bytes < bytes_max
        && count < BATCH_PARTS_MAX
        && let Some(part) = parts.next(array)
    {
        count += 1;
        let shard = array.shards.get(part.place).ok()??;
        let brick_at = array.directory.layout().shard().offset_bytes(part.place.slot);
        let piece = part.piece(array, room_bytes);
        if are_asked_for && piece.depends_on_data() {
            bytes_max = BATCH_BYTES_OF_PARTIAL;
        }
        for range in piece.write(false).ranges {
            bytes += range.end - range.start;
            batch.add(&shard, brick_at + range.start..brick_at + range.end)?;
        }
    }
    batch.flush()?;
    (count > 0).then_some(count)
}

/// What touches is reserved together.
#[derive(Default)]
struct Batch {
    last: Option<(Arc<Shard>, Range<u64>)>,
}

impl Batch {
    fn add(&mut self, shard: &Arc<Shard>, range: Range<u64>) -> Option<()> {
        match &mut self.last {
            Some((last_shard, last)) if Arc::ptr_eq(last_shard, shard) && last.end == range.start => {
                last.end = range.end;
            }
            _ => {
                self.flush()?;
                self.last = Some((Arc::clone(shard), range));
            }
        }
        Some(())
    }

    fn flush(&mut self) -> Option<()> {
        let Some((shard, range)) = self.last.take() else { return Some(()) };
        let bytes = range.end - range.start;
        if bytes < RANGE_BYTES_MIN {
            return Some(());
        }
        let reserves = shard.file.properties().allocates_ahead();
        (reserves && shard.file.preallocate(range.start, bytes).is_ok()).then_some(())
    }
}
