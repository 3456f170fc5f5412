//! Several bricks in flight: while the device has some of them, others are copied to or from memory.
//!
//! There are as many buffers as the memory for transfers has room for, but at least two. Each has a part of a brick in flight, or
//! several short ones, so that the device has as much to do. Bricks are begun in the order of their jobs, and finished in about that
//! order. A process moves a brick always by itself, and the device layer keeps transfers of one process that overlap in a file in
//! order; what is left to do here is a write that has to read before it: until it has begun to write, nothing else may begin on
//! its brick.
//!
//! - `buffers`: the memory.
//! - `flight`: what is under way in one buffer.

mod buffers;
mod flight;

use super::Direction;
use super::gathered;
use super::job::Job;
use super::parts::{Part, Parts};
use super::space::SpaceAhead;
use super::unit::{self, Piece, Place, Ranges};
use crate::array::OpenArray;
use crate::error::{Error, Result};
use crate::shards::Shard;
use buffers::{BUFFERS_MIN, Buffers};
use elio::{Gather, PageBuffer};
use flight::{Flight, Modify, Moving, Placed, Stage};
use section::size;
use std::collections::VecDeque;
use std::sync::Arc;

/// Writes in flight are no more than this, or two buffers: the page cache takes them as fast as they are copied, and buffers that
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
    batch: Option<Batch>,
}

/// Short parts of a job that are to be moved together, when their buffer has no room for another.
#[derive(Debug)]
struct Batch {
    parts: Vec<Placed>,
    buffer: PageBuffer,
    used: usize,
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
            self.buffers.clear();
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
        let Some(Current { job, parts, space, batch }) = &mut self.current else {
            let Some(job) = next_job() else { return Advanced::Nothing };
            self.begun.push(Arc::clone(&job));
            let parts = Parts::new(&job.array, job.mapping.on_disk());
            let space = SpaceAhead::for_job(&job);
            match job.array.shards.look_again() {
                Ok(()) => self.current = Some(Current { job, parts, space, batch: None }),
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
        let in_use = self.flights.len() + usize::from(batch.is_some());
        match self.buffers.prepare(job.array.buffer_bytes(), in_use) {
            Ok(true) => {}
            // Wait until some come back.
            Ok(false) => return self.start_batch(),
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
        self.start_batch();
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
            Ok(Begun::OnItsWay) => {}
            Ok(Begun::Finished) => self.parts_finished(job, 1, Ok(())),
            Err(error) => self.parts_finished(job, 1, Err(error)),
        }
    }

    fn parts_finished(&mut self, job: &Arc<Job>, count: usize, outcome: Result<()>) {
        job.parts_finished(count, outcome);
        self.note_if_finished(job);
    }

    /// Moves the short parts that are waiting for others.
    fn start_batch(&mut self) -> Advanced {
        let Some(current) = &mut self.current else { return Advanced::Nothing };
        let Some(Batch { parts, buffer, .. }) = current.batch.take() else { return Advanced::Nothing };
        if parts.is_empty() {
            self.buffers.put_back(buffer); // the only one could not be copied
            return Advanced::Something;
        }
        let job = Arc::clone(&current.job);
        let moving = match job.how.direction {
            Direction::ToMemory => Moving::read(&parts, buffer).map(Stage::Reading),
            Direction::ToDisk => Moving::write(&parts, buffer).map(Stage::Writing),
        };
        match moving {
            Ok(stage) => self.flights.push_back(Flight { job, parts, stage }),
            Err(error) => self.parts_finished(&job, parts.len(), Err(error)),
        }
        Advanced::Something
    }

    /// Where a short part, which moves these ranges, has room beside others.
    fn place_in_batch(&mut self, ranges: &Ranges) -> Place {
        let window = unit::window(ranges);
        let len = size(window.end - window.start);
        let has_room = |batch: &Batch| batch.used + len <= batch.buffer.len();
        if !self.current.as_ref().and_then(|current| current.batch.as_ref()).is_some_and(has_room) {
            self.start_batch();
        }
        let current = self.current.as_mut().expect("its part is being started");
        let batch = current.batch.get_or_insert_with(|| Batch {
            parts: vec![],
            buffer: self.buffers.take(),
            used: 0,
        });
        let place = Place::of_window(&window, batch.used);
        batch.used += len;
        place
    }

    /// Begins to read what a part needs; nothing is in flight where nobody ever wrote.
    fn start_reading(&mut self, job: &Arc<Job>, part: &Part) -> Result<Begun> {
        let array = &job.array;
        let found = match array.shards.get(part.place)? {
            Some(shard) => shard.offset_bytes(part.place.slot)?.map(|at| (shard, at)),
            None => None,
        };
        let Some((shard, brick_at)) = found else {
            self.fill(job, part)?;
            return Ok(Begun::Finished);
        };
        let layout = array.directory.layout().shard();
        let room_bytes = if shard.is_as_laid_out() { layout.stride_bytes() } else { layout.brick_bytes() };
        let piece = part.piece(array, room_bytes);
        let ranges = piece.ranges();
        if copy_out(job, part, &piece, &ranges, (&shard, brick_at)) {
            return Ok(Begun::Finished);
        }
        let mut placed = Placed { part: *part, shard, brick_at, ranges, place: Place::default() };
        if is_short(&placed.ranges, array) {
            placed.place = self.place_in_batch(&placed.ranges);
            self.batch().parts.push(placed);
            return Ok(Begun::OnItsWay);
        }
        let parts = vec![placed];
        let stage = Stage::Reading(Moving::read(&parts, self.buffers.take())?);
        self.flights.push_back(Flight { job: Arc::clone(job), parts, stage });
        Ok(Begun::OnItsWay)
    }

    /// The batch that has just been given a part.
    fn batch(&mut self) -> &mut Batch {
        let current = self.current.as_mut().expect("its part is being started");
        current.batch.as_mut().expect("it has room for the part")
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
    fn start_writing(&mut self, job: &Arc<Job>, part: &Part) -> Result<Begun> {
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
        array.shards.note_written(part.place.shard);
        if reads.is_empty() && copy_in(job, part, &piece, &ranges, (&shard, brick_at))? {
            return Ok(Begun::Finished);
        }
        let mut placed = Placed { part: *part, shard, brick_at, ranges, place: Place::default() };
        if reads.is_empty() && is_short(&placed.ranges, array) {
            placed.place = self.place_in_batch(&placed.ranges);
            let batch = self.batch();
            modify(job, &placed, &zeros, &mut batch.buffer)?;
            batch.parts.push(placed);
            return Ok(Begun::OnItsWay);
        }
        let (buffer, modify) = (self.buffers.take(), Modify { reads, zeros });
        let parts = vec![placed];
        let stage = if modify.reads.is_empty() {
            Stage::Writing(self.modify_and_write(job, &parts, &modify, buffer)?)
        } else {
            Stage::ReadingToModify(Moving::read_around(&parts[0], &modify.reads, buffer)?, modify)
        };
        self.flights.push_back(Flight { job: Arc::clone(job), parts, stage });
        Ok(Begun::OnItsWay)
    }

    /// Brings writes that read the brick of `part` before so far that they write.
    fn settle(&mut self, array: &Arc<OpenArray>, part: &Part) {
        let is_in_the_way = |flight: &Flight| {
            matches!(flight.stage, Stage::ReadingToModify(..))
                && flight.parts.iter().any(|placed| placed.part.place == part.place)
                && Arc::ptr_eq(&flight.job.array, array)
        };
        while let Some(at) = self.flights.iter().position(is_in_the_way) {
            self.finish(at);
        }
    }

    /// Waits for the device to finish with the flight number `at`, and does what comes then.
    fn finish(&mut self, at: usize) {
        let Some(Flight { job, parts, stage }) = self.flights.remove(at) else { return };
        let outcome = match stage {
            Stage::Writing(moving) => moving.finish().map(|(_, buffer)| self.buffers.put_back(buffer)),
            Stage::Reading(moving) => moving.received(&job, &parts).and_then(|buffer| {
                let put = parts.iter().try_for_each(|placed| put(&job, placed, &buffer));
                self.buffers.put_back(buffer);
                put
            }),
            Stage::ReadingToModify(moving, modify) => {
                let written = moving
                    .received_around(&job, &parts[0], &modify.reads)
                    .and_then(|buffer| self.modify_and_write(&job, &parts, &modify, buffer));
                match written {
                    Ok(moving) => {
                        self.flights.push_back(Flight { job, parts, stage: Stage::Writing(moving) });
                        return;
                    }
                    Err(error) => Err(error),
                }
            }
        };
        self.parts_finished(&job, parts.len(), outcome);
    }

    /// Copies the elements of a part that is alone in a buffer to it, and begins to write it.
    fn modify_and_write(
        &mut self,
        job: &Job,
        parts: &[Placed],
        changes: &Modify,
        mut buffer: PageBuffer,
    ) -> Result<Moving> {
        match modify(job, &parts[0], &changes.zeros, &mut buffer) {
            Ok(()) => Moving::write(parts, buffer),
            Err(error) => {
                self.buffers.put_back(buffer);
                Err(error)
            }
        }
    }
}

/// What has become of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begun {
    OnItsWay,
    /// There was nothing to wait for.
    Finished,
}

/// Whether a buffer has room for several parts with such ranges.
fn is_short(ranges: &Ranges, array: &OpenArray) -> bool {
    let window = unit::window(ranges);
    2 * (window.end - window.start) <= array.buffer_bytes()
}

/// Copies the elements of a part into a buffer that holds what is around them, or gets zeros there.
fn modify(job: &Job, placed: &Placed, zeros: &Ranges, buffer: &mut PageBuffer) -> Result<()> {
    let Placed { part, place, .. } = placed;
    for range in zeros {
        buffer[place.of(range)].fill(0);
    }
    let first = part.piece(&job.array, job.array.buffer_bytes()).first_byte();
    let into = &mut buffer[place.at(first)..];
    let got = job.mapping.get(&*job.memory(), &part.section, into, job.array.brick_extents());
    got.map_err(|error| job.memory_error(&error))
}

/// Whether writing one more brick would be of no use.
fn writes_enough(in_flight: u64, brick_bytes: u64) -> bool {
    in_flight >= BUFFERS_MIN && (in_flight + 1) * brick_bytes > WRITING_BYTES_MAX
}

/// Copies a part from a buffer to memory.
fn put(job: &Job, placed: &Placed, buffer: &[u8]) -> Result<()> {
    let Placed { part, place, .. } = placed;
    let piece = part.piece(&job.array, job.array.buffer_bytes());
    if gathered::put(job, part, &piece, *place, buffer) {
        return Ok(());
    }
    let from = &buffer[place.at(piece.first_byte())..];
    let put = job.mapping.put(&*job.memory(), &part.section, from, job.array.brick_extents());
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
