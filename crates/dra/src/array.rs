//! Arrays on disk that all ranks of a context have open.

mod attributes;
mod fill;

use crate::caught::caught;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::in_memory::{ArrayInMemory, Meeting, MemoryError};
use crate::owners::Owners;
use crate::request::Request;
use crate::shards::Shards;
use crate::syncing::Syncing;
use crate::transfer::job::{How, Job};
use crate::transfer::{Direction, Mapping, Transfer};
use disk_array::{ArrayDirectory, between};
use section::{Section, Shape};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Of so many bricks it is asked together whether there is data.
const ASKED_BRICKS_MIN: u64 = 8;

/// What an array is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reading and writing.
    ReadWrite,
    /// Writing. Parts of bricks are read all the same where they are written.
    WriteOnly,
    /// Reading.
    ReadOnly,
}

impl Access {
    pub(crate) fn is_writable(self) -> bool {
        self != Self::ReadOnly
    }

    fn allows(self, direction: Direction) -> bool {
        match direction {
            Direction::ToDisk => self.is_writable(),
            Direction::ToMemory => self != Self::WriteOnly,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::ReadWrite => "reading and writing",
            Self::WriteOnly => "writing",
            Self::ReadOnly => "reading",
        }
    }
}

/// An array on disk. All ranks of its context have it open.
///
/// Dropping it closes it on this rank alone, and says nothing about what is on the device: see [`close`](Self::close).
#[derive(Debug)]
pub struct DiskArray {
    context: Context,
    access: Access,
    /// As it was when it was opened, or when an attribute was set by this handle.
    directory: ArrayDirectory,
    /// As it is now, if others have set attributes since.
    latest: Mutex<Option<ArrayDirectory>>,
    open: Arc<OpenArray>,
    /// On which host which part is, if hosts hold parts on their own disks.
    hosts: Vec<String>,
    /// Jobs that are under way, or have failed without anybody having been told.
    jobs: Mutex<Vec<Arc<Job>>>,
    /// That of the arrays in memory, once there has been a transfer.
    meeting: OnceLock<Meeting>,
}

/// What transfers need of an array. Its size does not depend on that of the array.
#[derive(Debug)]
pub(crate) struct OpenArray {
    pub(crate) directory: Arc<ArrayDirectory>,
    /// Where it is, whatever name it was opened by.
    pub(crate) real_path: PathBuf,
    pub(crate) shards: Shards,
    pub(crate) owners: Owners,
    /// This process's.
    pub(crate) rank: usize,
}

impl OpenArray {
    /// The extents of a brick.
    pub(crate) fn brick_extents(&self) -> &section::Shape {
        self.directory.layout().bricks().brick()
    }

    /// Bytes of a brick, with what may follow it.
    pub(crate) fn room_bytes(&self) -> u64 {
        let shard = self.directory.layout().shard();
        shard.stride_bytes().max(shard.brick_bytes())
    }

    /// Whether the bricks that a section meets are known to be without data, while nothing is under way. Where it takes more than
    /// one call of the system to find out, or there is little to gain, they are not.
    fn is_untouched(&self, section: &Section) -> bool {
        let layout = self.directory.layout();
        let (bricks, met) = (layout.bricks(), layout.bricks().meeting(section));
        if met.len() < ASKED_BRICKS_MIN || !self.owners.is_io_process(self.rank) {
            return false;
        }
        let (first, last) = (met.lo(), Shape::from_fn(met.dims(), |dim| met.hi()[dim] - 1));
        let is_of_whole_bricks =
            bricks.elements(first).lo() == section.lo() && bricks.elements(&last).hi() == section.hi();
        let (first, last) = (layout.place(first), layout.place(&last));
        if is_of_whole_bricks || first.shard != last.shard {
            return false;
        }
        let Ok(Some(shard)) = self.shards.get(first) else { return false };
        let start = layout.shard().offset_bytes(first.slot);
        let end = layout.shard().offset_bytes(last.slot) + layout.shard().stride_bytes();
        shard.file.has_data(start, end - start).is_ok_and(|has_data| !has_data)
    }
}

impl DiskArray {
    pub(crate) fn new(
        context: &Context,
        access: Access,
        directory: ArrayDirectory,
        open: OpenArray,
        hosts: Vec<String>,
    ) -> Self {
        let (context, open) = (context.clone(), Arc::new(open));
        let (latest, jobs) = (Mutex::default(), Mutex::default());
        Self { context, access, directory, latest, open, hosts, jobs, meeting: OnceLock::new() }
    }

    /// The directory, with shape and type; attributes as they were when it was opened, or when this handle has set one.
    pub fn directory(&self) -> &ArrayDirectory {
        &self.directory
    }

    /// What it was opened for.
    pub fn access(&self) -> Access {
        self.access
    }

    /// How many ranks read and write its files.
    pub fn io_processes(&self) -> usize {
        self.open.owners.count()
    }

    /// Where the array is, if hosts hold parts of it in directories of the same name on their own disks: for each
    /// [part](crate::format::Part), in order, the name of its host. Empty if all of it is in one directory that all see.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// In how many directories it is: one for each of [`hosts`](Self::hosts), or the one that all see.
    pub fn parts_count(&self) -> usize {
        self.hosts.len().max(1)
    }

    /// Bytes of the files of a part, counted from 0, when all its elements have been written: bricks, what is between them, and
    /// indices. No bytes for a part that is not there. Local; nothing is asked of the disk.
    pub fn part_bytes(&self, part: usize) -> u64 {
        let (layout, parts) = (self.directory.layout(), self.parts_count());
        let from_its_first = layout.shards_count().saturating_sub(part as u64);
        let shards = if part < parts { from_its_first.div_ceil(parts as u64) } else { 0 };
        shards * layout.shard().len_bytes()
    }

    /// Whether this rank does what is done once in each directory: rank 0, or the first of each host that has a part of the array.
    pub fn keeps_directory(&self) -> bool {
        let rank = self.context.comm().rank();
        if self.hosts.is_empty() { rank == 0 } else { self.context.ranks_here().first() == Some(&rank) }
    }

    /// Starts writing a section from memory. Collective, with the same arguments; what ranks wrote to the array in memory before
    /// is written. Nobody may change those elements until [`Request::wait`].
    ///
    /// Where the array in memory allows it, all is done by a thread of each I/O process and this call returns at once;
    /// otherwise it is done while waiting and probing. Transfers that overlap on disk come in the order of their calls; those
    /// that overlap in memory only have to be waited for in between. Whole bricks are written without reading.
    ///
    /// # Errors
    /// The same on every rank, and nothing is started:
    /// - [`Error::ArgumentsDiffer`]: the ranks gave different sections.
    /// - [`Error::OnRank`]: [`Error::Access`], [`Error::TypesDiffer`], [`disk_array::Error::OutOfRange`], [`Error::BeyondMemory`],
    ///   [`Error::SectionsDiffer`], or [`Error::Unfinished`] where somebody fills the array by steps that he has noted, on a rank.
    /// - [`Error::Comm`]: the ranks could not talk to each other.
    pub fn write(&self, memory: &Arc<dyn ArrayInMemory>, transfer: &Transfer) -> Result<Request> {
        self.start(memory, transfer, Direction::ToDisk, Self::expect_not_filled)
    }

    /// Starts reading a section to memory; otherwise as [`write`](Self::write). Nobody may use those elements in memory until
    /// [`Request::wait`], after which every rank sees them.
    ///
    /// # Errors
    /// As [`write`](Self::write), and [`Error::Unfinished`] on a rank.
    pub fn read(&self, memory: &Arc<dyn ArrayInMemory>, transfer: &Transfer) -> Result<Request> {
        self.start(memory, transfer, Direction::ToMemory, Self::check_complete)
    }

    /// Starts a transfer, if what the array is opened for allows it, and what is noted in it (`check_mark`) does.
    fn start(
        &self,
        memory: &Arc<dyn ArrayInMemory>,
        transfer: &Transfer,
        direction: Direction,
        check_mark: fn(&Self) -> Result<()>,
    ) -> Result<Request> {
        let path = self.directory.path();
        let span = tracing::trace_span!("start a transfer", path = %path.display(), ?direction, section = %transfer.on_disk);
        let _span = span.entered();
        let checked = caught(|| {
            self.check_access(direction)?;
            check_mark(self)?;
            let mapping = self.check(&**memory, transfer)?;
            // Before the ranks agree none of them has begun to write this; each asks for the bricks that no other writes.
            let onto_nothing = direction == Direction::ToDisk
                && self.context.engine().is_idle()
                && self.open.is_untouched(&transfer.on_disk);
            Ok((mapping, How { direction, by_caller: !memory.any_thread(), onto_nothing }))
        });
        let completed = if direction == Direction::ToDisk { complete(&**memory, path) } else { Ok(()) };
        let checked = checked.and_then(|checked| completed.map(|()| checked));
        // Some ranks may have waited for transfers that nobody else has waited for.
        let checked = self.meet().and(checked);
        // When the ranks agree, all have completed.
        let (mapping, how) = self.context.agree_on("a transfer", path, &(transfer, direction), checked)?;
        let meeting = memory.meeting();
        if let Some(meeting) = meeting {
            self.meeting.get_or_init(|| meeting);
        }
        let job = Job::new(&self.open, memory, &mapping, how);
        if direction == Direction::ToDisk
            && let Err(error) = see_others(&**memory, path)
        {
            // The other ranks have started theirs: they are told by the wait.
            job.fail(error);
        }
        let job = self.context.engine().submit(job);
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.retain(|job| !job.is_settled());
        jobs.push(Arc::clone(&job));
        Ok(Request::new(&self.context, job, memory, meeting))
    }

    fn check_access(&self, direction: Direction) -> Result<()> {
        if self.access.allows(direction) {
            return Ok(());
        }
        let asked = if direction == Direction::ToDisk { "writing" } else { "reading" };
        Err(Error::Access { path: self.directory.path().to_owned(), opened: self.access.words(), asked })
    }

    fn check(&self, memory: &dyn ArrayInMemory, transfer: &Transfer) -> Result<Mapping> {
        let (on_disk, in_memory) = (self.directory.metadata().data_type, memory.data_type());
        if on_disk != in_memory {
            let path = self.directory.path().to_owned();
            return Err(Error::TypesDiffer { path, array: memory.name(), in_memory, on_disk });
        }
        transfer.mapping(memory, self.directory.path(), &self.directory.metadata().dims)
    }

    /// Makes all that was written durable that has been [waited](Request::wait) for. Collective.
    ///
    /// # Errors
    /// The same on every rank: [`Error::OnRank`] with what the device says, [`Error::Comm`].
    pub fn sync(&self) -> Result<()> {
        self.context.agree(self.open.shards.sync())
    }

    /// Starts to do what [`sync`](Self::sync) does, by a thread. Collective. What is written after this call may be durable or not.
    pub fn start_sync(&self) -> Syncing {
        let open = Arc::clone(&self.open);
        Syncing::start(&self.context, move || open.shards.sync())
    }

    /// Asks the system to forget what it keeps in memory of the files, so that elements are read from the device again. No promise: what
    /// is not durable stays, and what the system refuses is a warning in the log. Local, but for all of it each rank of a node has to call it.
    pub fn drop_cached(&self) {
        let (here, rank) = (self.context.ranks_here(), self.context.comm().rank());
        let place = here.iter().position(|&other| other == rank).unwrap_or(0);
        let shards = 0..self.directory.layout().shards_count();
        let mut mine = shards.skip(place).step_by(here.len().max(1));
        if let Err(error) = mine.try_for_each(|number| self.directory.drop_cached(number)) {
            tracing::warn!(%error, "what is read of an array may come from memory");
        }
    }

    /// Waits for the transfers of this array, and closes it when all that was written is on the device. Collective. Requests
    /// stay valid.
    ///
    /// # Errors
    /// The same on every rank: [`Error::OnRank`] with what the device says, or with the error of a transfer that nobody has
    /// waited for. The array is closed all the same.
    pub fn close(self) -> Result<()> {
        let _span =
            tracing::debug_span!("close an array on disk", path = %self.directory.path().display()).entered();
        let transferred = self.finish_jobs();
        let synced = self.open.shards.sync();
        self.open.shards.close();
        self.context.agree(transferred.and(synced))
    }

    /// Waits for the transfers of this array, and removes it, and the arrays [between](crate::between) passes that an unfinished copy
    /// to it has left. Collective. Requests stay valid. Also of an array that was opened for reading.
    ///
    /// # Errors
    /// The same on every rank: [`Error::OnRank`] if rank 0 cannot remove it all, or if another array has taken its place, which stays. The handle
    /// is gone all the same.
    pub fn delete(self) -> Result<()> {
        if let Err(error) = self.finish_jobs() {
            tracing::debug!(%error, "a transfer of an array that is being removed had failed");
        }
        let path = self.directory.path().to_owned();
        // Requests may keep the rest of it; no rank shall keep the space.
        self.open.shards.close();
        self.context.agree_on("deleting an array", &path, &(), Ok(()))?;
        let mine = if self.keeps_directory() { self.delete_here(&path) } else { Ok(()) };
        self.context.agree(mine)
    }

    fn delete_here(&self, path: &Path) -> Result<()> {
        // What cannot be read, or is half gone, can be removed all the same.
        let is_wanted = || !matches!(self.latest(|_| ()), Err(Error::Replaced { .. }));
        match between::delete_wanted(path, &is_wanted)? {
            Some(_) => Ok(()),
            None => Err(Error::Replaced { path: path.to_owned() }),
        }
    }

    /// Waits for all transfers; the first error that nobody was told.
    fn finish_jobs(&self) -> Result<()> {
        let jobs = std::mem::take(&mut *self.jobs.lock().unwrap_or_else(PoisonError::into_inner));
        let mut result = Ok(());
        for job in jobs {
            self.context.engine().wait(&job);
            if !job.is_settled() {
                result = result.and(job.outcome());
            }
        }
        result.and(self.meet())
    }

    /// After waiting for transfers, before ranks wait for each other without a transfer: all do, so that each has what it
    /// gets and puts. Collective.
    fn meet(&self) -> Result<()> {
        self.meeting.get().map_or(Ok(()), |&meeting| meet(meeting, self.directory.path()))
    }
}

/// Waits until all ranks do, which get and put meanwhile.
pub(crate) fn meet(meeting: Meeting, path: &Path) -> Result<()> {
    caught(|| meeting().map_err(|error| memory_error(path, "arrays in memory", &error)))
}

/// What this rank wrote to an array in memory is complete. When all ranks know that of each other, they [`see_others`].
pub(crate) fn complete(memory: &dyn ArrayInMemory, path: &Path) -> Result<()> {
    caught(|| memory.complete().map_err(|error| memory_error(path, &memory.name(), &error)))
}

/// What other ranks wrote to an array in memory and have completed is seen by this one.
pub(crate) fn see_others(memory: &dyn ArrayInMemory, path: &Path) -> Result<()> {
    caught(|| memory.see_others().map_err(|error| memory_error(path, &memory.name(), &error)))
}

/// For `map_err`: the array in memory has failed.
pub(crate) fn memory_error(path: &Path, array: &str, error: &MemoryError) -> Error {
    Error::Memory { array: array.to_owned(), path: path.to_owned(), message: error.to_string() }
}
