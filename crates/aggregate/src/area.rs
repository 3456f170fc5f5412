//! Memory of a node in which each of its ranks has slots for what it writes.
//!
//! A slot is filled by its rank, and from then on left alone until what is in it has been written, by whichever rank: then its rank
//! may fill it again. Who writes has the lock of the file. Of what it is of, and whether it is filled, every slot tells in shared memory;
//! which are free, each rank knows by itself.
//!
//! ```text
//! token, locks | rank 0: which are filled, how far it is, what each slot holds | rank 1 ... | slots of rank 0 | slots of rank 1 ...
//! ```

use crate::lock::{Lock, Locked};
use crate::row::ROW_BYTES;
use crate::slots::{SLOTS, Slots};
use comm::{Comm, Failure, Mapping, MemoryFile};
use elio::MemoryPiece;
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A write takes as many neighbouring slots as it needs.
const SLOT_BYTES: usize = 64 << 10;
const PAGE_BYTES: usize = 4096;
/// Each on a cache line of its own. Files that fall on the same one only wait for each other.
const LOCKS: usize = PAGE_BYTES / LOCK_BYTES;
const LOCK_BYTES: usize = 64;
/// A rank tells of its slots in a page of its own.
const RECORD_BYTES: usize = PAGE_BYTES;
/// Who is farther behind is not waited for.
const REACH_BYTES: u64 = 64 << 20;
/// What is held is handed over much sooner, if its rank is alive. What a dead one has left nobody is waiting for, and others may have written
/// there since: it is left alone at once if the system says so, and after so long in any case (whoever has started the process may not have asked
/// yet how it ended).
const ABANDONED_MILLIS: u64 = 1000;
/// More ranks on a node would look for a long time at what all of them hold.
const RANKS_MAX: usize = 256;

const _: () = assert!(size_of::<Lock>() <= LOCK_BYTES);
const _: () = assert!(size_of::<Record>() <= RECORD_BYTES);

/// What a rank tells the others.
#[repr(C)]
struct Record {
    /// Its process; none at first.
    process: AtomicI32,
    filled: Filled,
    progress: Progress,
    slots: [Slot; SLOTS],
}

/// One bit for each slot in which something begins that is not written. A bit may be missing for a moment: its rank knows all the same.
#[repr(C, align(64))]
struct Filled(AtomicU32);

/// What a rank has asked for last: a file, or none at first, and where that ended. Others look at it all the time.
#[repr(C, align(64))]
struct Progress {
    file: AtomicU64,
    end_bytes: AtomicU64,
}

/// What the slot that a write begins in tells of it.
#[repr(C)]
struct Slot {
    /// Odd: it is filled, and what follows stays as it is. One more when it has been written.
    state: AtomicU64,
    file: AtomicU64,
    offset_bytes: AtomicU64,
    len_bytes: AtomicU64,
    /// When it was filled.
    millis: AtomicU64,
}

/// A write that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Of the node.
    pub(crate) rank: usize,
    /// In which it begins.
    pub(crate) slot: usize,
    /// What the slot says as long as it is held.
    pub(crate) state: u64,
    /// Where it belongs in the file.
    pub(crate) range: Range<u64>,
}

impl Place {
    pub(crate) fn len_bytes(&self) -> usize {
        usize::try_from(self.range.end - self.range.start).expect("it is in memory")
    }

    fn slots(&self) -> usize {
        self.len_bytes().div_ceil(SLOT_BYTES)
    }
}

/// The memory that the ranks of a node share, for all files of a communicator.
#[derive(Debug)]
pub struct Area {
    /// Not in a forked child.
    mapping: ManuallyDrop<Mapping>,
    ranks: usize,
    own: usize,
    slots: Mutex<Slots>,
    files_count: AtomicU64,
    /// There was no memory for a slot.
    is_off: AtomicBool,
}

/// A communicator, and its area if it can have one.
type Known = (Weak<Comm>, Option<Arc<Area>>);

static AREAS: Mutex<Vec<Known>> = Mutex::new(Vec::new());

impl Area {
    /// The area of the ranks of `comm` that are on this node; none if there is one of them only, or if they cannot share memory.
    ///
    /// Collective. Cost: the first time of a communicator some ten collective calls on its node, then none. Memory is taken as it
    /// is used, in huge pages if the system gives them for memory in files: at most 2 MiB a rank.
    ///
    /// # Errors
    /// Those of MPI.
    pub fn of(comm: &Arc<Comm>) -> comm::Result<Option<Arc<Self>>> {
        let areas = || AREAS.lock().unwrap_or_else(PoisonError::into_inner);
        Self::forget_ended();
        let known = {
            let areas = areas();
            areas.iter().find(|(known, _)| ptr::eq(known.as_ptr(), Arc::as_ptr(comm))).cloned()
        };
        if let Some((_, area)) = known {
            return Ok(area);
        }
        let area = Self::make(&comm.node()?)?.map(Arc::new);
        areas().push((Arc::downgrade(comm), area.clone()));
        Ok(area)
    }

    /// Gives up the areas of communicators that are gone.
    pub(crate) fn forget_ended() {
        let ended: Vec<_> = {
            let mut areas = AREAS.lock().unwrap_or_else(PoisonError::into_inner);
            areas.extract_if(.., |(comm, _)| comm.strong_count() == 0).collect()
        };
        drop(ended);
    }

    /// Collective over the ranks of a node.
    fn make(node: &Comm) -> comm::Result<Option<Self>> {
        if !(2..=RANKS_MAX).contains(&node.size()) {
            return Ok(None);
        }
        let bytes = Self::bytes_of(node.size());
        let made = match MemoryFile::Anonymous.open_together(node, bytes as u64)? {
            Ok(file) => {
                let mapped = Self::map(&file, bytes, node.size(), node.rank()).and_then(|area| {
                    if node.rank() == 0 { area.make_locks().map(|()| area) } else { Ok(area) }
                });
                // After it the locks are there for all.
                node.agree(mapped)
            }
            Err(failure) => Err(failure),
        };
        match made {
            Ok(area) => Ok(Some(area)),
            Err(Failure::Comm(error)) => Err(error),
            Err(failure) => {
                tracing::debug!(?failure, "ranks that write in turn do not share memory here");
                Ok(None)
            }
        }
    }

    fn bytes_of(ranks: usize) -> usize {
        2 * PAGE_BYTES + ranks * (RECORD_BYTES + SLOTS * SLOT_BYTES)
    }

    /// As rank `own` of so many sees it.
    fn map(file: &File, bytes: usize, ranks: usize, own: usize) -> io::Result<Self> {
        let mapping = ManuallyDrop::new(Mapping::shared(file, bytes)?);
        // A rank that has asked for nothing tells of file 0.
        let (slots, files_count, is_off) = (Mutex::default(), AtomicU64::new(1), AtomicBool::new(false));
        let area = Self { mapping, ranks, own, slots, files_count, is_off };
        // What is in it belongs to the ranks, and a forked child is none.
        area.mapping.keep_from_children()?;
        // SAFETY: asks for a number.
        area.record(own).process.store(unsafe { libc::getpid() }, Ordering::Relaxed);
        Ok(area)
    }

    /// By one rank, before the others use them.
    fn make_locks(&self) -> io::Result<()> {
        for index in 0..LOCKS {
            // SAFETY: the second page has room for all of them, and nobody uses them yet.
            unsafe { Lock::make(self.at(PAGE_BYTES + index * LOCK_BYTES).cast())? };
        }
        Ok(())
    }

    /// The number of the next file, which is the same on all ranks that ask for one in the same order.
    pub(crate) fn next_file(&self) -> u64 {
        self.files_count.fetch_add(1, Ordering::Relaxed)
    }

    /// Ranks of the node.
    pub(crate) fn ranks(&self) -> usize {
        self.ranks
    }

    /// The lock of a file, which whoever writes has.
    pub(crate) fn lock(&self, file: u64) -> &Lock {
        let index = usize::try_from(file % LOCKS as u64).expect("a small number");
        // SAFETY: made there before this value was given to anybody, and shared by its own rules.
        unsafe { &*self.at(PAGE_BYTES + index * LOCK_BYTES).cast() }
    }

    /// Tells the others how far this rank has come.
    pub(crate) fn tell_progress(&self, file: u64, end_bytes: u64) {
        let progress = &self.record(self.own).progress;
        progress.end_bytes.store(end_bytes, Ordering::Relaxed);
        progress.file.store(file, Ordering::Relaxed);
    }

    /// Where others are that have not yet come to `range` of a file, and are not far from it: a number that changes when one of them
    /// goes on, or none if nobody is to be expected.
    pub(crate) fn others_before(&self, file: u64, range: &Range<u64>) -> Option<u64> {
        let end_of = |rank: usize| {
            let progress = &self.record(rank).progress;
            let end_bytes = progress.end_bytes.load(Ordering::Relaxed);
            let is_expected = progress.file.load(Ordering::Relaxed) == file
                && end_bytes < range.end
                && range.start - end_bytes.min(range.start) <= REACH_BYTES;
            is_expected.then_some(end_bytes)
        };
        let mut ends = (0..self.ranks).filter(|&rank| rank != self.own).filter_map(end_of).peekable();
        ends.peek()?;
        Some(ends.fold(0, u64::wrapping_add))
    }

    /// Takes `bytes` for this place of a file, if there is room for them.
    pub(crate) fn put(&self, file: u64, offset_bytes: u64, bytes: &[u8]) -> Option<Place> {
        let count = bytes.len().div_ceil(SLOT_BYTES);
        if bytes.is_empty() || self.is_off.load(Ordering::Relaxed) {
            return None;
        }
        let slot = self.take(count)?;
        let end_bytes = offset_bytes + bytes.len() as u64;
        let told = self.told(self.own, slot);
        // Nobody but this rank changes what is even.
        let state = told.state.load(Ordering::Acquire) + 1;
        // SAFETY: the slots are this rank's, and long enough. Nobody looks at them before the state is odd.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), self.memory(self.own, slot), bytes.len());
        }
        // Whoever sees one of these sees that the state is even.
        fence(Ordering::Release);
        told.file.store(file, Ordering::Relaxed);
        told.offset_bytes.store(offset_bytes, Ordering::Relaxed);
        told.len_bytes.store(bytes.len() as u64, Ordering::Relaxed);
        told.millis.store(now_millis(), Ordering::Relaxed);
        self.record(self.own).filled.0.fetch_or(1 << slot, Ordering::Relaxed);
        told.state.store(state, Ordering::Release);
        Some(Place { rank: self.own, slot, state, range: offset_bytes..end_bytes })
    }

    /// So many slots of this rank, with memory.
    fn take(&self, count: usize) -> Option<usize> {
        let mut slots = self.slots();
        let first = slots.take(count)?;
        if !slots.are_populated(first, count) {
            if let Err(error) = self.populate(first, count) {
                tracing::info!(%error, "no memory to share between ranks that write in turn");
                self.is_off.store(true, Ordering::Relaxed);
                slots.give_back(first, count);
                return None;
            }
            slots.note_populated(first, count);
        }
        Some(first)
    }

    /// Has memory for slots of this rank, which stay as they are: touched where there is none for them, they would end the program.
    fn populate(&self, first: usize, count: usize) -> io::Result<()> {
        let begin = self.slot_begin(self.own, first);
        let range = begin..begin + count * SLOT_BYTES;
        let Err(error) = self.mapping.populate(range.clone()) else { return Ok(()) };
        // A kernel before 5.14, or one with larger pages. Anonymous files have no limit of their own.
        if error.raw_os_error() != Some(libc::EINVAL) {
            return Err(error);
        }
        for byte in range.step_by(PAGE_BYTES) {
            // SAFETY: within this rank's slots; nobody else uses those that are free.
            unsafe { self.at(byte).write_volatile(0) };
        }
        Ok(())
    }

    /// This rank may fill the slots again: what was in them [is written](Self::is_written).
    pub(crate) fn give_back(&self, place: &Place) {
        self.slots().give_back(place.slot, place.slots());
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether some rank has written it.
    pub(crate) fn is_written(&self, place: &Place) -> bool {
        self.told(place.rank, place.slot).state.load(Ordering::Acquire) != place.state
    }

    /// What all ranks of the node hold for a file, and near enough to be written with `own`.
    pub(crate) fn places_near(&self, own: &Place, file: u64, _locked: &Locked<'_>) -> Vec<Place> {
        let near = own.range.start.saturating_sub(ROW_BYTES)..own.range.end.saturating_add(ROW_BYTES);
        let is_near = |place: &Place| place.range.start < near.end && near.start < place.range.end;
        let oldest_millis = now_millis().saturating_sub(ABANDONED_MILLIS);
        let mut places = vec![];
        for rank in 0..self.ranks {
            let filled = self.record(rank).filled.0.load(Ordering::Relaxed);
            let slots = (0..SLOTS).filter(|slot| filled >> slot & 1 == 1);
            let before = places.len();
            places
                .extend(slots.filter_map(|slot| self.place(rank, slot, file, oldest_millis)).filter(is_near));
            if places.len() > before && rank != self.own && self.is_dead(rank) {
                places.truncate(before);
            }
        }
        places
    }

    /// Whether a rank's process is no more.
    fn is_dead(&self, rank: usize) -> bool {
        let process = self.record(rank).process.load(Ordering::Relaxed);
        // SAFETY: asks only.
        process > 0
            && unsafe { libc::kill(process, 0) } != 0
            && io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
    }

    /// What begins in a slot, if it is of the file, whose lock this thread has, and not older than so.
    fn place(&self, rank: usize, slot: usize, file: u64, oldest_millis: u64) -> Option<Place> {
        let told = self.told(rank, slot);
        let state = told.state.load(Ordering::Acquire);
        if state.is_multiple_of(2) || told.file.load(Ordering::Relaxed) != file {
            return None;
        }
        let millis = told.millis.load(Ordering::Relaxed);
        let (start, len) =
            (told.offset_bytes.load(Ordering::Relaxed), told.len_bytes.load(Ordering::Relaxed));
        // Of another file: it may have been written, and filled again for this one, just now.
        fence(Ordering::Acquire);
        let is_settled = told.state.load(Ordering::Relaxed) == state;
        let room_bytes = ((SLOTS - slot) * SLOT_BYTES) as u64;
        let range = start..start.checked_add(len)?;
        let is_abandoned = rank != self.own && millis < oldest_millis;
        (is_settled && !is_abandoned && (1..=room_bytes).contains(&len)).then_some(Place {
            rank,
            slot,
            state,
            range,
        })
    }

    /// The bytes of what is held.
    pub(crate) fn piece(&self, place: &Place, _locked: &Locked<'_>) -> MemoryPiece {
        // SAFETY: within the slots of one rank; as long as the lock of the file is held nobody says that it is written, and until then
        // its rank leaves it alone.
        unsafe { MemoryPiece::new(self.memory(place.rank, place.slot), place.len_bytes()) }
    }

    /// From now on its rank may fill its slots again.
    pub(crate) fn note_written(&self, place: &Place, _locked: &Locked<'_>) {
        // In this order: its rank may fill it again at once.
        self.record(place.rank).filled.0.fetch_and(!(1 << place.slot), Ordering::Relaxed);
        self.told(place.rank, place.slot).state.store(place.state + 1, Ordering::Release);
    }

    fn at(&self, byte: usize) -> *mut u8 {
        debug_assert!(byte < self.mapping.bytes(), "{byte} of {}", self.mapping.bytes());
        // SAFETY: within the mapping.
        unsafe { self.mapping.base().as_ptr().add(byte) }
    }

    fn record(&self, rank: usize) -> &Record {
        // SAFETY: one for each rank, aligned, zero at first, of atomics only.
        unsafe { &*self.at(2 * PAGE_BYTES + rank * RECORD_BYTES).cast() }
    }

    fn told(&self, rank: usize, slot: usize) -> &Slot {
        &self.record(rank).slots[slot]
    }

    fn memory(&self, rank: usize, slot: usize) -> *mut u8 {
        self.at(self.slot_begin(rank, slot))
    }

    fn slot_begin(&self, rank: usize, slot: usize) -> usize {
        2 * PAGE_BYTES + self.ranks * RECORD_BYTES + (rank * SLOTS + slot) * SLOT_BYTES
    }
}

/// The same on all ranks of the node.
fn now_millis() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` has room for what the call fills in. Every Linux has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut now) };
    now.tv_sec.cast_unsigned() * 1000 + now.tv_nsec.cast_unsigned() / 1_000_000
}

impl Drop for Area {
    fn drop(&mut self) {
        // A forked child does not have it, and may have something else there.
        if !elio::is_forked_child() {
            // SAFETY: once, and nobody has pointers into it any more.
            unsafe { ManuallyDrop::drop(&mut self.mapping) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::FromRawFd;

    impl Area {
        /// The same memory as two ranks of a node see it.
        pub(crate) fn of_two_ranks() -> [Self; 2] {
            let file = memory_of_two();
            let areas = [0, 1].map(|own| Self::map(&file, Self::bytes_of(2), 2, own).unwrap());
            areas[0].make_locks().unwrap();
            areas
        }
    }

    fn memory_of_two() -> File {
        // SAFETY: the name ends with a NUL; the descriptor is new and belongs to nobody else.
        let file = unsafe { File::from_raw_fd(libc::memfd_create(c"test".as_ptr(), libc::MFD_CLOEXEC)) };
        file.set_len(Area::bytes_of(2) as u64).unwrap();
        file
    }

    fn places(area: &Area, file: u64) -> Vec<Place> {
        let locked = area.lock(file).lock().unwrap();
        let everywhere = Place { rank: 0, slot: 0, state: 0, range: 0..u64::MAX };
        area.places_near(&everywhere, file, &locked)
    }

    #[test]
    fn what_one_rank_puts_there_another_sees_until_it_is_written() {
        let [one, two] = Area::of_two_ranks();
        let bytes: Vec<u8> = (0..100_000).map(|at: u32| at.to_le_bytes()[0] | 1).collect();
        let mine = one.put(5, 1 << 40, &bytes).expect("room");
        let theirs = two.put(5, 0, &[7]).expect("room");
        let of_another = two.put(6, 0, &[8]).expect("room");
        assert_eq!(places(&two, 5), [mine.clone(), theirs]);
        assert_eq!(places(&one, 6), [of_another]);
        {
            let locked = two.lock(5).lock().unwrap();
            assert_eq!(two.piece(&mine, &locked).len(), bytes.len());
            // SAFETY: filled, and nobody writes it.
            let found = unsafe { std::slice::from_raw_parts(two.memory(0, mine.slot), bytes.len()) };
            assert!(found == bytes);
            two.note_written(&mine, &locked);
        }
        assert!(one.is_written(&mine));
        assert_eq!(places(&one, 5).len(), 1);
        one.give_back(&mine);
        let again = one.put(5, 3, &[1]).expect("room");
        assert_eq!((again.slot, again.state), (mine.slot, mine.state + 2));
        assert_eq!(places(&two, 5).len(), 2);
        // A rank that has died does not hand it over any more, and nobody else does so much later.
        one.told(0, again.slot)
            .millis
            .store(now_millis().saturating_sub(ABANDONED_MILLIS + 500), Ordering::Relaxed);
        assert_eq!((places(&two, 5).len(), places(&one, 5).len()), (1, 2));
    }

    #[test]
    fn what_a_dead_rank_holds_is_left_alone() {
        let file = memory_of_two();
        let one = Area::map(&file, Area::bytes_of(2), 2, 0).unwrap();
        one.make_locks().unwrap();
        // SAFETY: the child maps the memory for itself, fills a slot, and ends without cleaning up.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let held = Area::map(&file, Area::bytes_of(2), 2, 1).map(|two| two.put(5, 0, &[1]).is_some());
            // SAFETY: no memory is passed.
            unsafe { libc::_exit(i32::from(!held.unwrap_or(false))) };
        }
        let mut status = 0;
        // SAFETY: `status` has room for what the call fills in.
        let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
        assert!(child > 0 && ended == child && status == 0);
        assert_eq!(one.record(1).filled.0.load(Ordering::Relaxed), 1, "it is there");
        assert_eq!(places(&one, 5), []);
        one.put(5, 1, &[1]).expect("room");
        assert_eq!(places(&one, 5).len(), 1);
    }

    #[test]
    fn there_is_room_for_so_much_and_no_more() {
        let [area, _] = Area::of_two_ranks();
        let all: Vec<_> = (0..8).map(|i| area.put(0, i, &vec![1; 4 * SLOT_BYTES]).expect("room")).collect();
        assert_eq!(area.put(0, 0, &[1]), None);
        area.give_back(&all[3]);
        assert_eq!(area.put(0, 0, &[]), None, "nothing");
        assert_eq!(area.put(0, 0, &vec![1; 5 * SLOT_BYTES]), None);
        assert!(area.put(0, 0, &vec![1; 4 * SLOT_BYTES]).is_some());
    }
}
