//! What all handles of one file in this process share, so that each sees at once what another has written.

use crate::device::Device;
use crate::file::{Mode, OpenOptions, Sharing};
use crate::in_flight::InFlight;
use crate::policy::memory_share;
use crate::space::closed::{self, Closed};
use crate::space::left_open;
use crate::stream::coverage::Coverage;
use crate::stream::prefetch::SingleReads;
use crate::stream::read_ahead::ReadAhead;
use crate::stream::write_behind::WriteBehind;
use crate::stream::writeback::{Filling, Writeback};
use crate::sys::exit;
use crate::sys::fork::{self, OfProcess};
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError, Weak};
use std::time::Duration;

/// Which file of the system: device and inode number.
type FileIdentity = (u64, u64);

/// What tells one file from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identity {
    File(FileIdentity),
    /// The place of a device that is all there is of its file.
    Device(usize),
}

/// The shared state of one file.
#[derive(Debug, Default)]
pub(crate) struct Inode {
    identity: Option<Identity>,
    /// As long as this is there no other device has its place.
    device: Option<Weak<dyn Device>>,
    pub(crate) write_behind: Mutex<WriteBehind>,
    /// Whether `write_behind` holds anything: asked before its lock is taken.
    pub(crate) has_written_behind: AtomicBool,
    /// Whether the kernel has refused some of it, and not taken it since.
    pub(crate) is_written_behind_refused: AtomicBool,
    /// Whether some of it was given up because of that: asked before the lock is taken.
    pub(crate) has_lost_writes: AtomicBool,
    pub(crate) writeback: Mutex<Writeback>,
    /// What was read around the page cache.
    pub(crate) read_directly: Mutex<Coverage>,
    pub(crate) single_reads: SingleReads,
    /// Whether somebody has asked for space to be reserved.
    is_preallocated: AtomicBool,
    /// An opening that was closed, and could not give its space back because the file was open again.
    owed: Mutex<Option<Closed>>,
    handles_count: AtomicUsize,
    /// Those of them that may write.
    writers_count: AtomicUsize,
    /// The devices of those that other processes may write through as well.
    shared_writers: Mutex<Vec<SharedWriter>>,
    streams: Mutex<Vec<Weak<Mutex<ReadAhead>>>>,
    /// How many of `streams` have a window: asked before their locks are taken.
    windows_count: Arc<AtomicUsize>,
    pub(crate) in_flight: InFlight,
    /// Where writes through the page cache ended at most.
    cached_end_bytes: AtomicU64,
    /// So much was written since that was looked at, in a file with holes.
    unasked_bytes: AtomicU64,
    /// How long the file was when it was last asked.
    seen_len_bytes: AtomicU64,
}

/// A device by which a file was opened for writing that others write, too.
#[derive(Debug)]
struct SharedWriter {
    device: Weak<dyn Device>,
    sharing: Sharing,
}

/// The files of this process that are open.
#[derive(Debug)]
struct Registry {
    by_identity: BTreeMap<Identity, Weak<Inode>>,
    all: Vec<Weak<Inode>>,
}

/// While the program ends locks that others hold for a moment are waited for so long.
pub(crate) const LOCK_PATIENCE: Duration = Duration::from_millis(100);

static OPEN: OfProcess<Mutex<Registry>> = OfProcess::new([const { Mutex::new(Registry::new()) }; 2]);
/// The share of memory is asked for once in this many bytes.
const CACHED_STEP_BYTES: u64 = 1 << 20;
/// The sum of `cached_end_bytes` of all files of this process.
static CACHED_BYTES: AtomicU64 = AtomicU64::new(0);

impl Registry {
    const fn new() -> Self {
        Self { by_identity: BTreeMap::new(), all: Vec::new() }
    }

    fn upgraded(&self) -> Vec<Arc<Inode>> {
        self.all.iter().filter_map(Weak::upgrade).collect()
    }

    fn remove(&mut self, identity: Option<Identity>) {
        self.all.retain(|inode| inode.strong_count() > 0);
        if let Some(identity) = identity
            && self.by_identity.get(&identity).is_some_and(|inode| inode.strong_count() == 0)
        {
            self.by_identity.remove(&identity);
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no thread panics while it holds a file's state")
}

/// While the program ends nothing that is locked is waited for: it may stay so.
fn lock_unless_ending<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    if exit::is_ending() { mutex.try_lock().ok() } else { Some(lock(mutex)) }
}

/// Whether two ranges have a byte in common.
pub(crate) fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

impl Inode {
    /// The state of the file of the system with this identity: the one other handles use, or a new one.
    pub(crate) fn of(identity: FileIdentity) -> Arc<Self> {
        Self::of_any(Identity::File(identity), None)
    }

    /// The state of a file that is a device of its own: the one other handles use, or a new one.
    pub(crate) fn of_device(device: &Arc<dyn Device>) -> Arc<Self> {
        Self::of_any(Identity::Device(Arc::as_ptr(device).addr()), Some(Arc::downgrade(device)))
    }

    /// The state of the same file in a forked child that has inherited it: nothing of what its parent has in hand.
    pub(crate) fn in_child(&self) -> Arc<Self> {
        self.identity.map_or_else(Arc::default, |identity| Self::of_any(identity, self.device.clone()))
    }

    fn of_any(identity: Identity, device: Option<Weak<dyn Device>>) -> Arc<Self> {
        fork::watch();
        let mut open = lock(&OPEN);
        if let Some(inode) = open.by_identity.get(&identity).and_then(Weak::upgrade) {
            return inode;
        }
        let mut inode = Self::default();
        inode.identity = Some(identity);
        inode.device = device;
        let inode = Arc::new(inode);
        open.by_identity.insert(identity, Arc::downgrade(&inode));
        open.all.push(Arc::downgrade(&inode));
        inode
    }

    /// The state of the file with this identity, if this process has it open.
    pub(crate) fn opened(identity: FileIdentity) -> Option<Arc<Self>> {
        let open =
            if exit::is_ending() { exit::lock_for_a_moment(&OPEN, LOCK_PATIENCE)? } else { lock(&OPEN) };
        open.by_identity.get(&Identity::File(identity))?.upgrade()
    }

    /// Which file of the system this is; `None` for a device of its own.
    pub(crate) fn file_identity(&self) -> Option<FileIdentity> {
        match self.identity? {
            Identity::File(identity) => Some(identity),
            Identity::Device(_) => None,
        }
    }

    /// All files of this process that are open.
    pub(crate) fn all_open() -> Vec<Arc<Self>> {
        if exit::is_ending() {
            let open = exit::lock_for_a_moment(&OPEN, Duration::from_secs(1));
            return open.map(|open| open.upgraded()).unwrap_or_default();
        }
        lock(&OPEN).upgraded()
    }

    /// Notes that a handle was opened; gives its read-ahead.
    pub(crate) fn open_handle(&self, mode: Mode) -> Arc<Mutex<ReadAhead>> {
        self.writers_count.fetch_add(usize::from(mode != Mode::Read), Ordering::AcqRel);
        self.handles_count.fetch_add(1, Ordering::AcqRel);
        let stream = Arc::new(Mutex::new(ReadAhead::new(Arc::clone(&self.windows_count))));
        let mut streams = lock(&self.streams);
        streams.retain(|stream| stream.strong_count() > 0);
        streams.push(Arc::downgrade(&stream));
        stream
    }

    /// Notes that a file was opened for writing which other processes write as well.
    pub(crate) fn note_shared_writer(&self, device: &Arc<dyn Device>, sharing: Sharing) {
        let mut writers = lock(&self.shared_writers);
        writers.retain(|writer| writer.device.strong_count() > 0);
        writers.push(SharedWriter { device: Arc::downgrade(device), sharing });
    }

    /// Whether one handle has the file open, and no other.
    pub(crate) fn is_last_handle(&self) -> bool {
        self.handles_count.load(Ordering::Acquire) == 1
    }

    /// Drops what was read ahead of a range that is about to be written, or was.
    pub(crate) fn invalidate_read_ahead(&self, range: &Range<u64>) {
        // A window is counted before it reads: one that is not seen here reads what was written by now.
        fence(Ordering::SeqCst);
        if self.windows_count.load(Ordering::SeqCst) == 0 {
            return;
        }
        let Some(streams) = lock_unless_ending(&self.streams) else { return };
        for stream in streams.iter().filter_map(Weak::upgrade) {
            if let Some(mut stream) = lock_unless_ending(&stream) {
                stream.invalidate(range);
            }
        }
    }

    /// Drops read-ahead that nobody has used since the last call; tells whether any is left.
    pub(crate) fn release_idle_read_ahead(&self) -> bool {
        let streams: Vec<_> = lock(&self.streams).iter().filter_map(Weak::upgrade).collect();
        let mut any_left = false;
        for stream in streams {
            // Somebody reads by it, perhaps for long: who waits for housekeeping does not wait for him.
            any_left |= match stream.try_lock() {
                Ok(mut stream) => stream.release_if_idle(),
                Err(TryLockError::Poisoned(error)) => error.into_inner().release_if_idle(),
                Err(TryLockError::WouldBlock) => true,
            };
        }
        any_left
    }

    /// Whether nothing is in flight and nothing held back that an operation could have to come after.
    pub(crate) fn is_settled(&self) -> bool {
        self.in_flight.is_empty() && !self.has_written_behind.load(Ordering::Acquire)
    }

    /// Whether the page cache may hold this file up to `end_bytes`, within this process's share of memory; if so, the
    /// space counts as taken.
    pub(crate) fn fits_in_cache(&self, end_bytes: u64) -> bool {
        let end_bytes = end_bytes.next_multiple_of(CACHED_STEP_BYTES);
        let before = self.cached_end_bytes.load(Ordering::Relaxed);
        if end_bytes <= before {
            return true;
        }
        let more = end_bytes - before;
        if CACHED_BYTES.load(Ordering::Relaxed).saturating_add(more) > memory_share::share_bytes() {
            return false;
        }
        let before = self.cached_end_bytes.fetch_max(end_bytes, Ordering::Relaxed);
        CACHED_BYTES.fetch_add(end_bytes.saturating_sub(before), Ordering::Relaxed);
        true
    }

    /// Whether so much was written since the cache was last found large enough for a file with holes, with `more_bytes` now, that it
    /// has to be looked at again.
    pub(crate) fn asks_again(&self, more_bytes: u64) -> bool {
        self.unasked_bytes.fetch_add(more_bytes, Ordering::Relaxed).saturating_add(more_bytes)
            >= CACHED_STEP_BYTES
    }

    /// Notes the answer, and gives it.
    pub(crate) fn note_answer(&self, fits: bool) -> bool {
        self.unasked_bytes.store(if fits { 0 } else { CACHED_STEP_BYTES }, Ordering::Relaxed);
        fits
    }

    /// A length that the file had, from `end_bytes` on if it ever had that: asked of the device only if it was shorter before. Good
    /// for choosing a way, where a file that another process has made shorter since only takes the other one.
    pub(crate) fn len_seen(&self, device: &dyn Device, end_bytes: u64) -> io::Result<u64> {
        let seen_bytes = self.seen_len_bytes.load(Ordering::Relaxed);
        if seen_bytes >= end_bytes {
            return Ok(seen_bytes);
        }
        let len_bytes = device.len()?;
        self.seen_len_bytes.store(len_bytes, Ordering::Relaxed);
        Ok(len_bytes)
    }

    /// Starts writing out what was written through the cache, when enough has come together. Not of a file that nobody writes any
    /// more, whose requests may still be waited for: who would give back what is allocated for it?
    pub(crate) fn note_cached_write(&self, device: &Arc<dyn Device>, range: Range<u64>, filling: Filling) {
        let Some(mut writeback) = lock_unless_ending(&self.writeback) else { return };
        // Asked under the lock: the last handle gives back, under it, what is noted before.
        if self.writers_count.load(Ordering::Acquire) > 0 {
            writeback.note(device, range, filling);
        }
    }

    /// Notes that a handle was closed. Arranges for what was allocated beyond the end of the file to be given back when the last one has
    /// been: by the last that may write, because none of those that read can.
    pub(crate) fn close_handle(&self, device: &Arc<dyn Device>, options: &OpenOptions) {
        let mut writeback = lock(&self.writeback);
        // Counted under the lock: whoever is the last one finds what those before him have arranged for.
        let is_last_writer =
            options.mode != Mode::Read && self.writers_count.fetch_sub(1, Ordering::AcqRel) == 1;
        let is_last = self.handles_count.fetch_sub(1, Ordering::AcqRel) == 1;
        let beyond = if is_last_writer { writeback.allocated_beyond_end(&**device) } else { None };
        if let Some(beyond) = &beyond {
            device.release_beyond(beyond.start, options.sharing);
            closed::note_closing(device);
        }
        if !is_last {
            return;
        }
        writeback.reset();
        drop(writeback);
        // An opening more would not let this one be alone.
        let owed = self.take_owed().filter(|_| beyond.is_none());
        owed.into_iter().for_each(closed::again);
    }

    /// Leaves a closed file, whose space is to be given back, to the last handle; gives it back if there is none.
    pub(crate) fn owe(&self, closed: Closed) -> Option<Closed> {
        let mut owed = lock_unless_ending(&self.owed)?;
        // Asked under the lock: the last handle takes what is there when it has been counted.
        if self.handles_count.load(Ordering::Acquire) == 0 {
            return Some(closed);
        }
        if exit::is_ending() {
            return None; // it would not let those be alone that are looked after then
        }
        let earlier = owed.replace(closed);
        drop(owed);
        drop(earlier);
        None
    }

    pub(crate) fn take_owed(&self) -> Option<Closed> {
        lock_unless_ending(&self.owed)?.take()
    }

    /// Notes that space was reserved because somebody asked for it, who is going to rely on it.
    pub(crate) fn note_preallocated(&self) {
        // Under the lock: it is not being given back then.
        let writeback = lock(&self.writeback);
        self.is_preallocated.store(true, Ordering::Release);
        drop(writeback);
        drop(self.take_owed());
    }

    /// Gives back now what was reserved ahead in this file system, unless others may write the file. Tells whether it did.
    pub(crate) fn give_back_reserved(&self, file_system: Option<u64>) -> bool {
        // What is locked is being written.
        let Ok(mut writeback) = self.writeback.try_lock() else { return false };
        if self.is_preallocated.load(Ordering::Acquire) || !writeback.may_give_back(file_system) {
            return false;
        }
        // Another opening would not let it be alone, and what it stands for goes as well.
        drop(self.take_owed());
        writeback.give_back()
    }

    /// The device of a file that has space beyond its end which is worth giving back while the program ends. Of one that others
    /// write, too, whoever has written there or reserved it: all processes are to come to the same answer.
    pub(crate) fn device_to_release(&self) -> Option<(Arc<dyn Device>, Sharing)> {
        if let Some((device, sharing)) = self.shared_writer() {
            return left_open::has_surplus(&*device).then_some((device, sharing));
        }
        // Somebody may be reserving still, for the last time.
        let writeback = exit::lock_for_a_moment(&self.writeback, LOCK_PATIENCE)?;
        let device = writeback.device()?;
        writeback.allocated_beyond_end(&*device)?;
        Some((device, writeback.sharing()))
    }

    fn shared_writer(&self) -> Option<(Arc<dyn Device>, Sharing)> {
        let writers = exit::lock_for_a_moment(&self.shared_writers, LOCK_PATIENCE)?;
        writers.iter().find_map(|writer| Some((writer.device.upgrade()?, writer.sharing)))
    }

    /// Forgets what is known of the contents: the length was set.
    pub(crate) fn forget_contents(&self) {
        lock(&self.writeback).reset();
        *lock(&self.read_directly) = Coverage::default();
        self.seen_len_bytes.store(0, Ordering::Relaxed);
    }
}

impl Drop for Inode {
    fn drop(&mut self) {
        CACHED_BYTES.fetch_sub(self.cached_end_bytes.load(Ordering::Relaxed), Ordering::Relaxed);
        if let Some(mut open) = lock_unless_ending(&OPEN) {
            open.remove(self.identity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer;
    use crate::buffer::in_tests::with_buffers;
    use crate::sys::fork::in_tests::child_does;
    use crate::{File, Mode, OpenOptions, Request};
    use std::path::Path;

    /// Is gathered, by who gathers.
    const RECORD: [u8; 1000] = [1; 1000];

    fn open(path: &Path) -> File {
        File::open(path, &OpenOptions::new(Mode::ReadWrite)).unwrap()
    }

    /// Reads, writes and makes requests, and closes.
    fn uses(file: File) -> bool {
        let mut read = RECORD;
        let is_written = (0..100).all(|i| file.write_at(i * 1000, &RECORD).is_ok());
        let is_read = (0..100).all(|i| file.read_at(i * 1000, &mut read).is_ok_and(|bytes| bytes == 1000));
        let large = file.submit_write(0, vec![1; 4 << 20]).and_then(Request::finish).is_ok();
        let other = file.submit_read(0, vec![0; 4 << 20]).and_then(Request::finish).is_ok();
        is_written && is_read && large && other && file.len().is_ok() && file.close().is_ok()
    }

    #[test]
    fn what_others_have_locked_while_a_child_is_made_does_not_keep_the_child() {
        let _buffers = with_buffers();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        assert!(uses(open(&path)));
        let file = open(&path);
        file.write_at(0, &RECORD).unwrap();
        let handle = Arc::clone(file.handle());
        let inode = handle.inode();
        let of_file = (lock(&inode.write_behind), lock(&inode.writeback), lock(&inode.in_flight.list));
        let of_handles = (lock(&inode.streams), handle.read_ahead(), lock(&inode.shared_writers));
        let of_process = (lock(&OPEN), buffer::in_tests::locked());
        assert!(child_does((of_file, of_handles, of_process), || uses(open(&path)) && uses(file)));
    }
}
