//! Several bricks in flight: while the device has some of them, others are copied to or from memory.
//!
//! Each brick in flight has a buffer; there are as many as the memory for transfers has room for, but at least two. Bricks are
//! begun in the order of their jobs, and finished in about that order. A process moves a brick always by itself, and the
//! device layer keeps transfers of one process that overlap in a file in order; what is left to do here is a write that has to
//! read before it: until it has begun to write, nothing else may begin on its brick.

use super::Direction;
use super::gathered;
use super::job::Job;
use super::parts::{Part, Parts};
use super::space::SpaceAhead;
use super::unit::{self, Piece, Ranges, in_memory};
use crate::array::OpenArray;
use crate::error::{Error, Result};
use crate::shards::Shard;
use elio::{Gather, PageBuffer, Request, SpreadRequest};
use section::size;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// So many bricks are in flight at most: no device gains from more.
const BUFFERS_MAX: u64 = 64;
/// So many at least: one for the device, one to be copied.
const BUFFERS_MIN: u64 = 2;

/// Writes in flight are no more than this, or two bricks: the page cache takes them as fast as they are copied, and buffers that
/// are soon used again stay in the processor's caches.
const WRITING_BYTES_MAX: u64 = 8 << 20;

/// Whether a call changed anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Advanced {
    Something,
    Nothing,
}

/// The bricks in flight, and the jobs that they belong to.
#[derive(Debug)]
pub(super) struct Pipeline {
    buffers: Buffers,
    flights: VecDeque<Flight>,
    /// The job whose parts are being started.
    current: Option<Current>,
    /// Those that have not finished.
    begun: Vec<Arc<Job>>,
    /// Since somebody asked.
    finished: Vec<Arc<Job>>,
}

/// A job, and what of it is not started.
#[derive(Debug)]
struct Current {
    job: Arc<Job>,
    parts: Parts,
    space: SpaceAhead,
}

/// One brick in flight.
#[derive(Debug)]
struct Flight {
    job: Arc<Job>,
    part: Part,
    shard: Arc<Shard>,
    brick_at: u64,
    /// What of the brick is moved, or will be.
    ranges: Ranges,
    /// Where in the buffer the first element is, in bytes.
    at: usize,
    stage: Stage,
}

/// What the device is doing.
#[derive(Debug)]
enum Stage {
    Reading(Moving),
    /// Reading what the write does not change.
    ReadingToModify(Moving, Modify),
    Writing(Moving),
}

/// What is read before a write, and what is zero.
#[derive(Debug)]
struct Modify {
    reads: Ranges,
    zeros: Ranges,
}

/// A request of the device layer, for one range or for several.
#[derive(Debug)]
enum Moving {
    One(Request<PageBuffer>),
    Several(SpreadRequest<PageBuffer>),
}

impl Moving {
    fn is_finished(&mut self) -> bool {
        match self {
            Self::One(request) => request.test(),
            Self::Several(request) => request.test(),
        }
    }

    /// Waits; the bytes moved, and the buffer.
    fn finish(self) -> Result<(usize, PageBuffer)> {
        Ok(match self {
            Self::One(request) => request.finish()?,
            Self::Several(request) => {
                request.finish().map(|(got, buffer)| (got.into_iter().sum(), buffer))?
            }
        })
    }
}

impl Flight {
    fn moving(&mut self) -> &mut Moving {
        match &mut self.stage {
            Stage::Reading(moving) | Stage::ReadingToModify(moving, _) | Stage::Writing(moving) => moving,
        }
    }

    fn is_finished(&mut self) -> bool {
        self.moving().is_finished()
    }
}

impl Pipeline {
    pub(super) fn new(memory_bytes: u64) -> Self {
        let (flights, begun, finished) = (VecDeque::new(), vec![], vec![]);
        Self { buffers: Buffers::new(memory_bytes), flights, current: None, begun, finished }
    }

    /// Whether nothing is under way.
    pub(super) fn is_empty(&self) -> bool {
        self.current.is_none() && self.flights.is_empty()
    }

    pub(super) fn memory_bytes_peak(&self) -> u64 {
        self.buffers.peak_bytes
    }

    /// Fails the jobs that have been begun, in whatever state a panic with this message has left them; waits for the device.
    pub(super) fn give_up(&mut self, panic: &str) {
        self.current = None;
        self.flights.clear();
        for job in std::mem::take(&mut self.begun) {
            job.give_up(Error::Panicked { message: panic.to_owned() });
            self.finished.push(job);
        }
    }

    /// From now on transfers have so much memory.
    pub(super) fn set_memory_bytes(&mut self, memory_bytes: u64) {
        self.buffers.set_memory_bytes(memory_bytes);
        if self.is_empty() {
            self.buffers.free.clear();
            self.buffers.count = 0;
        }
    }

    /// The jobs that have finished since the last call.
    pub(super) fn take_finished(&mut self) -> Vec<Arc<Job>> {
        std::mem::take(&mut self.finished)
    }

    /// Finishes a brick or starts one. If there is neither one that has arrived nor one to start, waits for the oldest, if it
    /// may `block`.
    pub(super) fn advance(&mut self, next_job: impl FnMut() -> Option<Arc<Job>>, block: bool) -> Advanced {
        if self.flights.front_mut().is_some_and(Flight::is_finished) {
            self.finish(0);
            return Advanced::Something;
        }
        if self.start_next(next_job) == Advanced::Something {
            return Advanced::Something;
        }
        if block && !self.flights.is_empty() {
            self.finish(0);
            return Advanced::Something;
        }
        Advanced::Nothing
    }

    /// Starts the next part of the current job, or begins or ends a job.
    fn start_next(&mut self, mut next_job: impl FnMut() -> Option<Arc<Job>>) -> Advanced {
        let Some(Current { job, parts, space }) = &mut self.current else {
            let Some(job) = next_job() else { return Advanced::Nothing };
            self.begun.push(Arc::clone(&job));
            let parts = Parts::new(&job.array, job.mapping.on_disk());
            let space = SpaceAhead::for_job(&job);
            match job.array.shards.look_again() {
                Ok(()) => self.current = Some(Current { job, parts, space }),
                Err(error) => self.end(&job, Some(error)),
            }
            return Advanced::Something;
        };
        let job = Arc::clone(job);
        if job.has_failed() || parts.is_at_end() {
            self.end(&job, None);
            return Advanced::Something;
        }
        if job.how.direction == Direction::ToDisk
            && writes_enough(self.flights.len() as u64, job.array.buffer_bytes())
        {
            return Advanced::Nothing;
        }
        match self.buffers.prepare(job.array.buffer_bytes(), self.flights.len()) {
            Ok(true) => {}
            // Wait until some come back.
            Ok(false) => return Advanced::Nothing,
            Err(error) => {
                self.end(&job, Some(error));
                return Advanced::Something;
            }
        }
        if let Some(part) = parts.next(&job.array) {
            space.reach_next(&job.array);
            self.start(&job, &part);
        }
        Advanced::Something
    }

    /// No more parts of a job will be started.
    fn end(&mut self, job: &Arc<Job>, error: Option<Error>) {
        self.current = None;
        job.all_started(error);
        self.note_if_finished(job);
    }

    fn note_if_finished(&mut self, job: &Arc<Job>) {
        if job.is_finished() {
            self.begun.retain(|begun| !Arc::ptr_eq(begun, job));
            self.finished.push(Arc::clone(job));
        }
    }

    fn start(&mut self, job: &Arc<Job>, part: &Part) {
        self.settle(&job.array, part);
        job.part_started();
        let begun = match job.how.direction {
            Direction::ToMemory => self.start_reading(job, part),
            Direction::ToDisk => self.start_writing(job, part),
        };
        match begun {
            Ok(Some(flight)) => self.flights.push_back(flight),
            Ok(None) => self.part_finished(job, Ok(())),
            Err(error) => self.part_finished(job, Err(error)),
        }
    }

    fn part_finished(&mut self, job: &Arc<Job>, outcome: Result<()>) {
        job.part_finished(outcome);
        self.note_if_finished(job);
    }

    /// Begins to read what a part needs; nothing is in flight where nobody ever wrote.
    fn start_reading(&mut self, job: &Arc<Job>, part: &Part) -> Result<Option<Flight>> {
        let array = &job.array;
        let found = match array.shards.get(part.place)? {
            Some(shard) => shard.offset_bytes(part.place.slot)?.map(|at| (shard, at)),
            None => None,
        };
        let Some((shard, brick_at)) = found else {
            self.fill(job, part)?;
            return Ok(None);
        };
        let layout = array.directory.layout().shard();
        let room_bytes = if shard.is_as_laid_out() { layout.stride_bytes() } else { layout.brick_bytes() };
        let piece = part.piece(array, room_bytes);
        let (ranges, at) = (piece.ranges(), size(piece.first_byte()));
        if copy_out(job, part, &piece, &ranges, (&shard, brick_at)) {
            return Ok(None);
        }
        let stage = Stage::Reading(read(&shard, brick_at, &ranges, self.buffers.take())?);
        Ok(Some(Flight { job: Arc::clone(job), part: *part, shard, brick_at, ranges, at, stage }))
    }

    /// Gives memory the fill value for a part that is not on disk.
    fn fill(&mut self, job: &Arc<Job>, part: &Part) -> Result<()> {
        let mut buffer = self.buffers.take();
        let counts = part.section.counts();
        let bytes = size(part.section.len() * job.array.directory.metadata().data_type.bytes());
        job.array.directory.metadata().fill.fill(&mut buffer[..bytes]);
        let put = job.mapping.put(&*job.memory(), &part.section, &buffer[..bytes], &counts);
        self.buffers.put_back(buffer);
        put.map_err(|error| job.memory_error(&error))
    }

    /// Begins to write a part, or to read what must not change around it.
    fn start_writing(&mut self, job: &Arc<Job>, part: &Part) -> Result<Option<Flight>> {
        let array = &job.array;
        let missing = || array.directory.corrupt_shard(part.place.shard, "no such file".to_owned());
        let shard = array.shards.get(part.place)?.ok_or_else(missing)?;
        let layout = array.directory.layout().shard();
        let brick_at = layout.offset_bytes(part.place.slot);
        let piece = part.piece(array, layout.stride_bytes());
        let has_data = piece.depends_on_data() && !job.how.onto_nothing && {
            let extent = piece.extent();
            shard.file.has_data(brick_at + extent.start, extent.end - extent.start)?
        };
        let unit::Write { ranges, reads, zeros } = piece.write(has_data);
        let at = size(piece.first_byte());
        array.shards.note_written(part.place.shard);
        if reads.is_empty() && copy_in(job, part, &piece, &ranges, (&shard, brick_at))? {
            return Ok(None);
        }
        let buffer = self.buffers.take();
        let modify = Modify { reads, zeros };
        let stage = if modify.reads.is_empty() {
            let buffer = self.modify(job, part, at, &modify, buffer)?;
            Stage::Writing(write(&shard, brick_at, &ranges, buffer)?)
        } else {
            Stage::ReadingToModify(read(&shard, brick_at, &modify.reads, buffer)?, modify)
        };
        Ok(Some(Flight { job: Arc::clone(job), part: *part, shard, brick_at, ranges, at, stage }))
    }

    /// Brings writes that read the brick of `part` before so far that they write.
    fn settle(&mut self, array: &Arc<OpenArray>, part: &Part) {
        let is_in_the_way = |flight: &Flight| {
            matches!(flight.stage, Stage::ReadingToModify(..))
                && flight.part.place == part.place
                && Arc::ptr_eq(&flight.job.array, array)
        };
        while let Some(at) = self.flights.iter().position(is_in_the_way) {
            self.finish(at);
        }
    }

    /// Waits for the device to finish with the brick number `at`, and does what comes then.
    fn finish(&mut self, at: usize) {
        let Some(mut flight) = self.flights.remove(at) else { return };
        let job = Arc::clone(&flight.job);
        let outcome = match flight.stage {
            Stage::Writing(moving) => moving.finish().map(|(_, buffer)| self.buffers.put_back(buffer)),
            Stage::Reading(moving) => {
                received(&job.array, &flight.part, &flight.ranges, moving).and_then(|buffer| {
                    let put = put(&job, &flight.part, flight.at, &buffer);
                    self.buffers.put_back(buffer);
                    put
                })
            }
            Stage::ReadingToModify(moving, modify) => {
                let written = received(&job.array, &flight.part, &modify.reads, moving)
                    .and_then(|buffer| self.modify(&job, &flight.part, flight.at, &modify, buffer))
                    .and_then(|buffer| write(&flight.shard, flight.brick_at, &flight.ranges, buffer));
                match written {
                    Ok(moving) => {
                        flight.stage = Stage::Writing(moving);
                        self.flights.push_back(flight);
                        return;
                    }
                    Err(error) => Err(error),
                }
            }
        };
        self.part_finished(&job, outcome);
    }

    /// Copies the elements of a part into a buffer that holds what is around them, or has zeros there.
    fn modify(
        &mut self,
        job: &Arc<Job>,
        part: &Part,
        at: usize,
        modify: &Modify,
        mut buffer: PageBuffer,
    ) -> Result<PageBuffer> {
        modify.zeros.iter().for_each(|range| buffer[in_memory(range)].fill(0));
        let extents = job.array.brick_extents();
        match job.mapping.get(&*job.memory(), &part.section, &mut buffer[at..], extents) {
            Ok(()) => Ok(buffer),
            Err(error) => {
                self.buffers.put_back(buffer);
                Err(job.memory_error(&error))
            }
        }
    }
}

/// Whether writing one more brick would be of no use.
fn writes_enough(in_flight: u64, brick_bytes: u64) -> bool {
    in_flight >= BUFFERS_MIN && (in_flight + 1) * brick_bytes > WRITING_BYTES_MAX
}

/// Copies a part, whose first element is at byte `at` of a buffer for its brick, to memory.
fn put(job: &Job, part: &Part, at: usize, buffer: &[u8]) -> Result<()> {
    let piece = part.piece(&job.array, job.array.buffer_bytes());
    if gathered::put(job, part, &piece, buffer) {
        return Ok(());
    }
    let put = job.mapping.put(&*job.memory(), &part.section, &buffer[at..], job.array.brick_extents());
    put.map_err(|error| job.memory_error(&error))
}

/// Copies a part to memory at once, if that is all there is to do; otherwise it is to be read. When the first range was copied, the
/// others are waited for if need be, so that nothing is read twice.
fn copy_out(job: &Job, part: &Part, piece: &Piece, ranges: &Ranges, at: (&Shard, u64)) -> bool {
    let (shard, brick_at) = at;
    let all = |accesses: Vec<Gather>| {
        let mut pairs = ranges.iter().zip(&accesses).enumerate();
        pairs.all(|(i, (range, access))| shard.file.copy_out(brick_at + range.start, access, i > 0))
    };
    gathered::accesses(job, part, piece, ranges, Gather::for_reading).is_some_and(all)
}

/// Copies a part to the page cache at once, if it goes there; otherwise it is to be written.
fn copy_in(job: &Job, part: &Part, piece: &Piece, ranges: &Ranges, at: (&Shard, u64)) -> Result<bool> {
    let (shard, brick_at) = at;
    let Some(accesses) = gathered::accesses(job, part, piece, ranges, Gather::for_writing) else {
        return Ok(false);
    };
    for (range, access) in ranges.iter().zip(&accesses) {
        if !shard.file.copy_in(brick_at + range.start, access)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn read(shard: &Shard, brick_at: u64, ranges: &Ranges, mut buffer: PageBuffer) -> Result<Moving> {
    if let [range] = &ranges[..] {
        buffer.select(in_memory(range));
        return Ok(Moving::One(shard.file.submit_read(brick_at + range.start, buffer)?));
    }
    buffer.select(0..ranges.last().map_or(0, |last| size(last.end)));
    Ok(Moving::Several(SpreadRequest::read(&pieces(shard, brick_at, ranges), buffer)?))
}

fn write(shard: &Shard, brick_at: u64, ranges: &Ranges, mut buffer: PageBuffer) -> Result<Moving> {
    if let [range] = &ranges[..] {
        buffer.select(in_memory(range));
        return Ok(Moving::One(shard.file.submit_write(brick_at + range.start, buffer)?));
    }
    buffer.select(0..ranges.last().map_or(0, |last| size(last.end)));
    Ok(Moving::Several(SpreadRequest::write(&pieces(shard, brick_at, ranges), buffer)?))
}

fn pieces<'a>(shard: &'a Shard, brick_at: u64, ranges: &Ranges) -> Vec<elio::Piece<'a>> {
    let piece = |range: &Range<u64>| {
        let offset_bytes = brick_at + range.start;
        elio::Piece { file: &shard.file, offset_bytes, memory: in_memory(range) }
    };
    ranges.iter().map(piece).collect()
}

/// Waits for what was read, all of it.
fn received(array: &OpenArray, part: &Part, ranges: &Ranges, moving: Moving) -> Result<PageBuffer> {
    let (got, buffer) = moving.finish()?;
    let expected = unit::len_bytes(ranges);
    if got as u64 == expected {
        return Ok(buffer);
    }
    let reason = format!("{got} of {expected} bytes of the brick in slot {}", part.place.slot);
    Err(array.directory.corrupt_shard(part.place.shard, reason).into())
}

/// The buffers.
#[derive(Debug)]
struct Buffers {
    memory_bytes: u64,
    /// Of each buffer.
    len_bytes: u64,
    count: usize,
    free: Vec<PageBuffer>,
    peak_bytes: u64,
}

impl Buffers {
    fn new(memory_bytes: u64) -> Self {
        Self { memory_bytes, len_bytes: 0, count: 0, free: vec![], peak_bytes: 0 }
    }

    /// Whether a buffer of `len_bytes` is free, while `in_flight` others are in use. Makes new ones where none is.
    fn prepare(&mut self, len_bytes: u64, in_flight: usize) -> Result<bool> {
        // Somewhat larger ones will do: transfers of arrays with different bricks may take turns.
        let are_right = (len_bytes..=2 * len_bytes).contains(&self.len_bytes) && self.count > 0;
        // A request that fails takes its buffer along.
        let are_complete = self.free.len() + in_flight == self.count;
        if in_flight > 0 || (are_right && are_complete) {
            return Ok(are_right && !self.free.is_empty());
        }
        self.free.clear();
        self.count = 0;
        let count = size((self.memory_bytes / len_bytes).clamp(BUFFERS_MIN, BUFFERS_MAX));
        self.free = PageBuffer::several(size(len_bytes), count).map_err(|source| Error::NoMemory {
            count,
            bytes: len_bytes,
            source,
        })?;
        (self.len_bytes, self.count) = (len_bytes, count);
        self.peak_bytes = self.peak_bytes.max(count as u64 * len_bytes);
        Ok(true)
    }

    /// From now on there is so much memory; buffers that there are go when they are free.
    fn set_memory_bytes(&mut self, memory_bytes: u64) {
        (self.memory_bytes, self.len_bytes) = (memory_bytes, 0);
    }

    /// A buffer that [`prepare`](Self::prepare) has found free.
    fn take(&mut self) -> PageBuffer {
        self.free.pop().expect("a free buffer was seen before a part is started")
    }

    fn put_back(&mut self, buffer: PageBuffer) {
        self.free.push(buffer);
    }
}
