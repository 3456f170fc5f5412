//! Several bricks in flight: while the device has some of them, others are copied to or from memory.
//!
//! There are as many buffers as the memory for transfers has room for, but at least two, as long as a brick; bricks of more than half of the memory
//! are moved in pieces. Each buffer has a part of a brick in flight, or several short ones, so that the device has as much to do; no more of them are in use than the device or the page cache gains from. What
//! is read straight to its place in memory has none. Bricks are begun in the order of their jobs, and finished in about that
//! order. A process moves a brick always by itself, and the device layer keeps transfers of one process that overlap in a file in
//! order; what is left to do here is a write that has to read before it: until it has begun to write, nothing else may begin on
//! its brick.
//!
//! - `buffers`: the memory.
//! - `reading`: where parts are that are read, and whether they go straight to memory.
//! - `start`: the first step of parts, which any thread may take as far as it is copies.
//! - `offer`: first steps that are left to threads that wait.
//! - `flight`: what is under way, in one buffer or straight to memory.

mod buffers;
mod flight;
mod offer;
mod reading;
mod start;

use super::Direction;
use super::job::Job;
use super::parts::{Part, Parts};
use super::space::SpaceAhead;
use super::unit::{self, Place};
use crate::array::OpenArray;
use crate::error::{Error, Result};
pub(super) use buffers::buffer_bytes;
pub use buffers::{BUFFER_BYTES_MIN, buffers_bytes_max};
use buffers::{BUFFERS_MIN, Buffers};
use elio::PageBuffer;
use flight::{Flight, Moving, Placed, Stage};
pub(super) use offer::Offer;
use reading::Straight;
use section::size;
use start::{Extent, Room, Start, Started};
use std::collections::VecDeque;
use std::sync::Arc;

/// Writes in flight are no more than this, or two buffers: the page cache takes them as fast as they are copied, and buffers that
/// are soon used again stay in the processor's caches.
const WRITING_BYTES_MAX: u64 = 8 << 20;

/// Reads of long ranges in flight of all ranks of a node together are no more than this, or two buffers of each, where the device is
/// one of the node: that keeps it busy, and meanwhile what it has read before is copied. A virtual disk delivers all that it has been
/// asked for at once, and has nothing to do then until it is asked again; and buffers that are soon used again stay in the
/// processor's caches.
const READING_BYTES_MAX: u64 = 16 << 20;
/// ... and those of one rank no more than this: alone it gains nothing from the rest.
const READING_BYTES_OF_RANK_MAX: u64 = 8 << 20;

/// First steps that move less are not worth waking another thread for.
const OFFERED_BYTES_MIN: u64 = 128 << 10;

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
    /// How much of first steps a second thread could take beside this one, as far as the last one shows: the next ones will be like it.
    beside_others: Option<Extent>,
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
    /// The next part, which needs a buffer when none was free.
    held_back: Option<Part>,
    space: SpaceAhead,
    /// Of each of its buffers.
    buffer_bytes: u64,
    batch: Option<Batch>,
}

/// Short parts of a job that are to be moved together, when their buffer has no room for another.
#[derive(Debug)]
struct Batch {
    parts: Vec<Placed>,
    buffer: PageBuffer,
    used: usize,
}

/// What the pipeline asks of the thread that moves it along.
pub(super) trait Driver {
    /// The next job, if it is for this thread.
    fn next_job(&self) -> Option<Arc<Job>>;

    /// Whether another thread waits that could take first steps beside this one.
    fn has_helper(&self) -> bool;

    /// Lets other threads take a first step.
    fn offer(&self, offer: &Arc<Offer>);
}

impl Pipeline {
    pub(super) fn new(memory_bytes: u64) -> Self {
        let (flights, begun, finished) = (VecDeque::new(), vec![], vec![]);
        let buffers = Buffers::new(memory_bytes);
        Self { buffers, flights, current: None, beside_others: None, begun, finished }
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
        for flight in self.flights.drain(..) {
            if let Stage::Offered(offer) = &flight.stage {
                offer.withdraw();
            }
        }
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
    pub(super) fn advance(&mut self, driver: &impl Driver, block: bool) -> Advanced {
        // A device may deliver all it was asked for at once: it gets more to do before that is copied.
        if self.is_reading_on() && self.start_next(driver) == Advanced::Something {
            return Advanced::Something;
        }
        // What another thread has filled is for the device.
        let is_filled =
            |flight: &mut Flight| matches!(flight.stage, Stage::Offered(_)) && flight.is_finished();
        if let Some(at) = self.flights.iter_mut().position(is_filled) {
            self.finish(at);
            return Advanced::Something;
        }
        if self.flights.front_mut().is_some_and(Flight::is_finished) {
            self.finish(0);
            return Advanced::Something;
        }
        if self.start_next(driver) == Advanced::Something {
            return Advanced::Something;
        }
        if block && !self.flights.is_empty() {
            self.finish(0);
            return Advanced::Something;
        }
        Advanced::Nothing
    }

    /// Whether the oldest brick in flight was read in long ranges, and others are to be read.
    fn is_reading_on(&self) -> bool {
        let is_to_memory = |current: &Current| current.job.how.direction == Direction::ToMemory;
        self.flights.front().is_some_and(|flight| flight.long_bytes > 0)
            && self.current.as_ref().is_none_or(is_to_memory)
    }

    /// Starts the next part of the current job, or begins or ends a job.
    fn start_next(&mut self, driver: &impl Driver) -> Advanced {
        let Some(Current { job, parts, held_back, buffer_bytes, .. }) = &mut self.current else {
            let Some(job) = driver.next_job() else { return Advanced::Nothing };
            self.begun.push(Arc::clone(&job));
            let buffer_bytes = self.buffers.len_for(job.array.room_bytes());
            let parts = Parts::new(&job.array, job.mapping.on_disk(), buffer_bytes);
            let space = SpaceAhead::for_job(&job, buffer_bytes);
            match job.array.shards.look_again() {
                Ok(()) => {
                    let (held_back, batch) = (None, None);
                    self.current = Some(Current { job, parts, held_back, space, buffer_bytes, batch });
                    self.beside_others = None;
                }
                Err(error) => self.end(&job, Some(error), driver),
            }
            return Advanced::Something;
        };
        let (job, buffer_bytes) = (Arc::clone(job), *buffer_bytes);
        if job.has_failed() || (held_back.is_none() && parts.is_at_end()) {
            self.end(&job, None, driver);
            return Advanced::Something;
        }
        if self.has_enough_in_flight(job.how.direction, buffer_bytes) {
            return Advanced::Nothing;
        }
        let Some(current) = &mut self.current else { return Advanced::Nothing };
        let (part, straight) = if let Some(part) = current.held_back.take() {
            (part, None)
        } else {
            let Some(part) = current.parts.next(&job.array) else { return Advanced::Something };
            (part, Straight::find(&job, &part, buffer_bytes))
        };
        if straight.is_none() {
            let with_buffer = self.flights.iter().filter(|flight| flight.has_buffer()).count();
            let in_use = with_buffer + usize::from(current.batch.is_some());
            match self.buffers.prepare(buffer_bytes, in_use) {
                Ok(true) => {}
                // Wait until some come back.
                Ok(false) => {
                    current.held_back = Some(part);
                    return self.start_batch(driver);
                }
                Err(error) => {
                    self.end(&job, Some(error), driver);
                    return Advanced::Something;
                }
            }
        }
        current.space.reach_next(&job.array);
        self.settle(&job, &part);
        job.part_started();
        let begun = match (job.how.direction, straight) {
            (Direction::ToMemory, Some(Straight { placed, memory })) => {
                let (job, parts) = (Arc::clone(&job), Arc::new([placed]));
                let room = Room::Memory(memory);
                self.take_first_step(Start::new(job, parts, room), driver);
                Ok(Begun::OnItsWay)
            }
            (Direction::ToMemory, None) => self.start_reading(&job, &part, driver),
            (Direction::ToDisk, _) => self.start_writing(&job, &part, driver),
        };
        match begun {
            Ok(Begun::OnItsWay) => {}
            Ok(Begun::Finished) => self.parts_finished(&job, 1, Ok(())),
            Err(error) => self.parts_finished(&job, 1, Err(error)),
        }
        Advanced::Something
    }

    /// Whether one more part of this direction would be of no use beside those of the same direction. Reads and writes do not count for
    /// each other: a device that finishes at once all it was asked for would get them by turns, and wait for copies in between.
    fn has_enough_in_flight(&mut self, direction: Direction, buffer_bytes: u64) -> bool {
        let of_same = self.flights.iter_mut().filter(|flight| flight.job.how.direction == direction);
        match direction {
            Direction::ToDisk => writes_enough(of_same.count() as u64, buffer_bytes),
            Direction::ToMemory => {
                let (mut straight_count, mut long_count, mut long_bytes) = (0, 0, 0);
                for flight in of_same {
                    straight_count += usize::from(!flight.has_buffer());
                    let bytes = flight.long_bytes_left();
                    long_count += u64::from(bytes > 0);
                    long_bytes += bytes;
                }
                straight_count >= self.buffers.count_for(buffer_bytes)
                    || reads_enough(long_count, long_bytes, buffer_bytes, elio::ranks_on_node())
            }
        }
    }

    /// No more parts of a job will be started.
    fn end(&mut self, job: &Arc<Job>, error: Option<Error>, driver: &impl Driver) {
        self.start_batch(driver);
        // The device layer keeps transfers in the order in which they came to it; those of the next job come after them.
        while let Some(at) = self.flights.iter().position(|flight| matches!(flight.stage, Stage::Offered(_)))
        {
            self.finish(at);
        }
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

    fn parts_finished(&mut self, job: &Arc<Job>, count: usize, outcome: Result<()>) {
        job.parts_finished(count, outcome);
        self.note_if_finished(job);
    }

    /// Moves the short parts that are waiting for others.
    fn start_batch(&mut self, driver: &impl Driver) -> Advanced {
        let Some(current) = &mut self.current else { return Advanced::Nothing };
        let Some(Batch { parts, buffer, .. }) = current.batch.take() else { return Advanced::Nothing };
        let job = Arc::clone(&current.job);
        let room = Room::Buffer(buffer);
        self.take_first_step(Start::new(job, parts.into(), room), driver);
        Advanced::Something
    }

    /// Takes the first step of parts, or lets a thread that waits do so.
    fn take_first_step(&mut self, start: Start, driver: &impl Driver) {
        let (job, parts) = (Arc::clone(&start.job), Arc::clone(&start.parts));
        if let Some(extent) = self.beside_others
            && start.bytes() >= OFFERED_BYTES_MIN
            && driver.has_helper()
        {
            let offer = Arc::new(Offer::new(Start { extent, ..start }));
            driver.offer(&offer);
            self.flights.push_back(Flight::new(job, parts, Stage::Offered(offer)));
        } else {
            self.took_first_step(self.flights.len(), job, parts, start.run());
        }
    }

    /// Goes on with the flight number `at` after its first step.
    fn took_first_step(&mut self, at: usize, job: Arc<Job>, parts: Arc<[Placed]>, started: Result<Started>) {
        let direction = job.how.direction;
        self.beside_others = started.as_ref().ok().and_then(|started| started.beside_others(direction));
        self.go_on(at, job, parts, started);
    }

    /// Goes on with the flight number `at`.
    fn go_on(&mut self, at: usize, job: Arc<Job>, parts: Arc<[Placed]>, started: Result<Started>) {
        match started {
            Ok(Started::OnItsWay(moving)) => {
                let stage = match job.how.direction {
                    Direction::ToMemory => Stage::Reading(moving),
                    Direction::ToDisk => Stage::Writing(moving),
                };
                self.flights.insert(at, Flight::new(job, parts, stage));
            }
            Ok(Started::Filled(buffer)) => {
                let written = Moving::write(&parts, buffer).map(Started::OnItsWay);
                self.go_on(at, job, parts, written);
            }
            Ok(Started::StraightOnItsWay(request)) => {
                self.flights.insert(at, Flight::new(job, parts, Stage::ReadingStraight(request)));
            }
            Ok(Started::Finished(buffer)) => {
                if let Some(buffer) = buffer {
                    self.buffers.put_back(buffer);
                }
                note_moved(&job, &parts);
                self.parts_finished(&job, parts.len(), Ok(()));
            }
            Err(error) => self.parts_finished(&job, parts.len(), Err(error)),
        }
    }

    /// Moves a part, together with others if it is short; nothing has to be read for it before.
    fn start_part(&mut self, job: &Arc<Job>, mut placed: Placed, driver: &impl Driver) -> Result<Begun> {
        let buffer_bytes = self.current.as_ref().map_or(0, |current| current.buffer_bytes);
        let Some((len, is_packed)) = short_len(&placed, &job.array, buffer_bytes) else {
            let room = Room::Buffer(self.buffers.take());
            let (job, parts) = (Arc::clone(job), Arc::new([placed]));
            self.take_first_step(Start::new(job, parts, room), driver);
            return Ok(Begun::OnItsWay);
        };
        if start::copy_without_buffer(job, &placed)? {
            note_moved(job, &[placed]);
            return Ok(Begun::Finished);
        }
        let batch = self.batch_with_room(len, driver);
        placed.place = if is_packed {
            Place::packed(&placed.ranges, batch.used)
        } else {
            Place::of_window(&unit::window(&placed.ranges), batch.used)
        };
        batch.used += len;
        batch.parts.push(placed);
        Ok(Begun::OnItsWay)
    }

    /// A batch of the current job whose buffer has room for so many bytes more.
    fn batch_with_room(&mut self, len: usize, driver: &impl Driver) -> &mut Batch {
        let has_room = |batch: &Batch| batch.used + len <= batch.buffer.len();
        if !self.current.as_ref().and_then(|current| current.batch.as_ref()).is_some_and(has_room) {
            self.start_batch(driver);
        }
        let current = self.current.as_mut().expect("its part is being started");
        current.batch.get_or_insert_with(|| Batch { parts: vec![], buffer: self.buffers.take(), used: 0 })
    }

    /// Begins to read what a part needs; nothing is in flight where nobody ever wrote.
    fn start_reading(&mut self, job: &Arc<Job>, part: &Part, driver: &impl Driver) -> Result<Begun> {
        match reading::find(job, part)? {
            Some(placed) => self.start_part(job, placed, driver),
            None => self.fill(job, part).map(|()| Begun::Finished),
        }
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
    fn start_writing(&mut self, job: &Arc<Job>, part: &Part, driver: &impl Driver) -> Result<Begun> {
        let array = &job.array;
        let missing = || array.directory.corrupt_shard(part.place.shard, "no such file".to_owned());
        let shard = array.shards.get(part.place)?.ok_or_else(missing)?;
        let layout = array.directory.layout().shard();
        let brick_at = layout.offset_bytes(part.place.slot);
        let piece = part.piece(array, layout.stride_bytes());
        let has_data = piece.depends_on_data() && !job.how.onto_nothing && {
            let written = piece.extent_in_pages();
            shard.file.has_data(brick_at + written.start, written.end - written.start)?
        };
        let unit::Write { ranges, reads, zeros } = piece.write(has_data);
        array.shards.note_written(part.place.shard);
        let placed = Placed::new(part, (shard, brick_at), ranges, zeros);
        if reads.is_empty() {
            return self.start_part(job, placed, driver);
        }
        let moving = Moving::read_around(&placed, &reads, self.buffers.take())?;
        let (parts, stage) = (Arc::new([placed]), Stage::ReadingToModify(moving, reads));
        self.flights.push_back(Flight::new(Arc::clone(job), parts, stage));
        Ok(Begun::OnItsWay)
    }

    /// Brings writes that read the brick of `part` before so far that they write, by whichever handle of the array.
    fn settle(&mut self, job: &Arc<Job>, part: &Part) {
        let is_in_the_way = |flight: &Flight| {
            matches!(flight.stage, Stage::ReadingToModify(..))
                && flight.parts.iter().any(|placed| placed.part.place == part.place)
                && flight.job.array.real_path == job.array.real_path
                // Pieces of one brick share nothing.
                && !Arc::ptr_eq(&flight.job, job)
        };
        while let Some(at) = self.flights.iter().position(is_in_the_way) {
            self.finish(at);
        }
    }

    /// Waits until the flight number `at` is through with what it is doing, and does what comes then.
    fn finish(&mut self, at: usize) {
        let Some(Flight { job, parts, stage, .. }) = self.flights.remove(at) else { return };
        let buffer = match stage {
            Stage::Offered(offer) => {
                self.took_first_step(at, job, parts, offer.finish());
                return;
            }
            Stage::ReadingToModify(moving, reads) => {
                let written = moving
                    .received_around(&job, &parts[0], &reads)
                    .and_then(|buffer| start::modify_and_write(&job, &parts, buffer));
                self.go_on(self.flights.len(), job, parts, written.map(Started::OnItsWay));
                return;
            }
            Stage::Reading(moving) => start::receive(&job, &parts, moving).map(Some),
            Stage::ReadingStraight(request) => {
                flight::received_straight(request, &job, &parts[0]).map(|()| None)
            }
            Stage::Writing(moving) => moving.finish().map(|(_, buffer)| Some(buffer)),
        };
        self.go_on(at, job, parts, buffer.map(Started::Finished));
    }
}

/// What has become of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begun {
    OnItsWay,
    /// There was nothing to wait for.
    Finished,
}

/// Notes that parts are through with what is to be made durable.
fn note_moved(job: &Job, parts: &[Placed]) {
    if job.how.direction == Direction::ToDisk {
        for placed in parts {
            job.array.shards.note_written(placed.part.place.shard);
        }
    }
}

/// What a part takes of a buffer if that has room for several such parts, and whether it has to be packed for that.
fn short_len(placed: &Placed, array: &OpenArray, buffer_bytes: u64) -> Option<(usize, bool)> {
    let has_room = |len: u64| 2 * len <= buffer_bytes;
    let window = unit::window(&placed.ranges);
    let len = window.end - window.start;
    if has_room(len) {
        return Some((size(len), false));
    }
    let len = unit::packed_bytes(&placed.ranges, &placed.part.piece(array, array.room_bytes()));
    has_room(len).then(|| (size(len), true))
}

/// Whether reading one more brick would be of no use, beside so many that are read in long ranges by one of `ranks` ranks.
fn reads_enough(in_flight: u64, in_flight_bytes: u64, brick_bytes: u64, ranks: u64) -> bool {
    in_flight >= BUFFERS_MIN
        && in_flight_bytes + brick_bytes > (READING_BYTES_MAX / ranks).min(READING_BYTES_OF_RANK_MAX)
}

/// Whether writing one more brick would be of no use.
fn writes_enough(in_flight: u64, brick_bytes: u64) -> bool {
    in_flight >= BUFFERS_MIN && (in_flight + 1) * brick_bytes > WRITING_BYTES_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bricks of so many bytes, read whole, one of `ranks` ranks has in flight.
    fn reads_in_flight(brick_bytes: u64, ranks: u64) -> u64 {
        (0..1000).find(|count| reads_enough(*count, count * brick_bytes, brick_bytes, ranks)).unwrap()
    }

    #[test]
    fn the_ranks_of_a_node_share_what_is_in_flight_and_each_has_two_bricks() {
        let cases = [
            (1 << 20, 1, 8),
            (1 << 20, 2, 8),
            (1 << 20, 4, 4),
            (1 << 20, 64, 2),
            (64 << 10, 1, 128),
            (64 << 10, 16, 16),
            (64 << 20, 1, 2),
        ];
        for (brick_bytes, ranks, expected) in cases {
            assert_eq!(reads_in_flight(brick_bytes, ranks), expected, "{brick_bytes} bytes, {ranks} ranks");
        }
        // What is read of them in short ranges, or has come, does not count.
        assert!(!reads_enough(0, 0, 64 << 20, 1));
    }
}
