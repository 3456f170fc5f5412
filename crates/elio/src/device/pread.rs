//! A file of the system, read and written with `preadv2` and `pwritev2`.

use super::{Alignment, Device, Properties, Route, Settled, disk_cache, virtual_disk};
use crate::buffer::{self, PoolBuffer};
use crate::file::{Mode, Sharing};
use crate::queue::Queue;
use crate::space::closed;
use crate::spare_files::close_spare_files;
use crate::stat::{FileSystem, stat_open};
use crate::sys::aliasing::{self, STOP_BYTES};
use crate::sys::calls;
use crate::sys::gather::MemoryPiece;
use crate::sys::{exit, fork};
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

const RWF_NOWAIT: libc::c_int = libc::RWF_NOWAIT;
/// Linux 6.14; not in libc yet.
const RWF_DONTCACHE: libc::c_int = 0x80;
/// What direct I/O asks for where the kernel does not tell: a page suits every device.
const PAGE_ALIGNMENT: Alignment = Alignment { memory_bytes: 4096, offset_bytes: 4096 };

/// Read at a time to get a file into the page cache: the kernel reads ahead by more where a read is longer than it would read ahead,
/// and this much stays in the caches of a processor.
const STREAM_STEP_BYTES: usize = 512 << 10;
/// Where the kernel does not drop by itself what has been written, a write of less is left in the page cache.
const DROPPED_BYTES_MIN: usize = 64 << 10;

/// For so long a step of writeback is waited for where space is to be given back.
const STEP_TIME_MAX: Duration = Duration::from_millis(500);

/// An open file of the system. Asynchronous transfers are run by the workers.
#[derive(Debug)]
pub(crate) struct PreadDevice {
    file: Arc<File>,
    mode: Mode,
    properties: Properties,
    /// The same file opened once more for the direct route, when first needed.
    direct: OnceLock<Option<File>>,
    /// And once more for waiting until data is written back: the kernel tells an error of writeback once to each opening, and the one
    /// that is synced and closed must be told.
    waiting: Mutex<Option<Arc<File>>>,
    /// What is to be given back when this has closed.
    release: Mutex<Option<closed::Intent>>,
    /// Whether a forked child has opened it.
    is_of_child: bool,
    /// Held for reading by what may make the file longer, and for writing where space beyond its end is given back.
    lengthening: RwLock<()>,
    /// Cleared when the file system turns out not to know the flag.
    knows_resident: AtomicBool,
    knows_drop_behind: AtomicBool,
}

impl PreadDevice {
    /// Opens a file, and creates it if the mode says so. What it has stays, also where it is opened to be emptied.
    pub(crate) fn open(path: &Path, mode: Mode, queue: Queue) -> io::Result<Self> {
        let file = open(&options(mode), path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from_raw_os_error(libc::EISDIR));
        }
        let file_system = stat_open(file.as_fd());
        let in_memory = file_system == FileSystem::Memory;
        let properties = Properties {
            direct: if in_memory { None } else { direct_alignment(file.as_fd()) },
            resident: !in_memory,
            drop_behind: !in_memory,
            ring: None,
            file_system,
            file_system_number: Some(metadata.dev()),
            charges_pages: file_system == FileSystem::Local && virtual_disk::charges_pages(metadata.dev()),
            queue,
        };
        Ok(Self {
            file: Arc::new(file),
            mode,
            properties,
            direct: OnceLock::new(),
            waiting: Mutex::new(None),
            release: Mutex::new(None),
            is_of_child: fork::is_child(),
            lengthening: RwLock::new(()),
            knows_resident: AtomicBool::new(true),
            knows_drop_behind: AtomicBool::new(true),
        })
    }

    pub(crate) fn queue(&self) -> Queue {
        self.properties.queue
    }

    /// Empties it, if it can be: what is no regular file stays as it is, as where it is opened to be emptied.
    pub(crate) fn truncate(&self) -> io::Result<()> {
        if self.metadata()?.is_file() { self.set_len(0) } else { Ok(()) }
    }

    pub(crate) fn metadata(&self) -> io::Result<std::fs::Metadata> {
        self.file.metadata()
    }

    /// The descriptor for a route. EINVAL where the direct one cannot be had: the transfer then goes through the page cache.
    pub(crate) fn fd(&self, route: Route) -> io::Result<BorrowedFd<'_>> {
        match route {
            Route::Direct => self.direct_fd().ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL)),
            _ => Ok(self.file.as_fd()),
        }
    }

    fn direct_fd(&self) -> Option<BorrowedFd<'_>> {
        if self.is_inherited() {
            // A thread of its parent's may be opening it, and be gone.
            return self.direct.get()?.as_ref().map(AsFd::as_fd);
        }
        let direct = self.direct.get_or_init(|| {
            self.open_again(libc::O_DIRECT)
                .inspect_err(|error| tracing::info!(%error, "no direct route: going through the page cache"))
                .ok()
        });
        direct.as_ref().map(AsFd::as_fd)
    }

    /// The opening by which writeback is waited for.
    fn waiting(&self) -> io::Result<Arc<File>> {
        if self.is_inherited() {
            return self.open_again(0).map(Arc::new); // its parent may have the other one locked
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = &*waiting {
            return Ok(Arc::clone(open));
        }
        let open = Arc::new(self.open_again(0).inspect_err(
            |error| tracing::debug!(%error, "writeback that was started early is not waited for"),
        )?);
        Ok(Arc::clone(waiting.insert(open)))
    }

    /// Whether it is its parent's, in a forked child: a lease does not tell whether the parent is writing.
    fn is_inherited(&self) -> bool {
        fork::is_child() != self.is_of_child
    }

    /// While this is held no space is given back: what is written may make the file longer.
    ///
    /// `None` in the thread that ends the program, if a signal handler has done so while it was giving back itself: it never goes on.
    /// Nor in a forked child, which gives back nothing of its parent's.
    fn may_lengthen(&self) -> Option<RwLockReadGuard<'_, ()>> {
        if self.is_inherited() {
            return None;
        }
        while exit::is_ending_here() {
            match self.lengthening.try_read() {
                Ok(guard) => return Some(guard),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() >= closed::exit_deadline() => return None,
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
            }
        }
        Some(self.lengthening.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Opens the file again by its descriptor, so that it is the same file even if its name is gone.
    fn open_again(&self, flags: libc::c_int) -> io::Result<File> {
        let again = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&self.file));
        let mut options = OpenOptions::new();
        options.custom_flags(flags);
        match self.mode {
            Mode::Read => options.read(true),
            Mode::Write => options.write(true),
            Mode::ReadWrite | Mode::Existing => options.read(true).write(true),
        };
        open(&options, Path::new(&again))
    }

    /// Gets a range into the page cache by reading it, by an opening that nobody else reads: the kernel sees a stream there, of which it
    /// reads ahead in large folios. What it is only told to get it gets in single pages, and a disk that takes a request in pieces,
    /// one for each stretch of memory, is slow at them: 1.4 beside 2.6 GB/s, for twice the processor's time.
    fn read_as_stream(&self, offset_bytes: u64, len_bytes: u64, mut buffer: PoolBuffer) -> io::Result<()> {
        let again = self.open_again(0)?;
        if let Err(error) = calls::expect_stream(again.as_fd()) {
            tracing::debug!(%error, "the kernel reads ahead as it does for everybody");
        }
        let end_bytes = offset_bytes + len_bytes;
        for at in (offset_bytes..end_bytes).step_by(STREAM_STEP_BYTES) {
            let len = STREAM_STEP_BYTES.min(usize::try_from(end_bytes - at).unwrap_or(usize::MAX));
            calls::read(again.as_fd(), at, &mut buffer[..len], 0)?;
        }
        Ok(())
    }

    /// By a call that must not wait.
    fn read_resident(&self, read: impl FnOnce(BorrowedFd<'_>) -> io::Result<usize>) -> io::Result<usize> {
        let not_there = || io::Error::from_raw_os_error(libc::EAGAIN);
        if !self.knows_resident.load(Ordering::Relaxed) {
            return Err(not_there());
        }
        match read(self.file.as_fd()) {
            Err(error) if is_unsupported(&error) => {
                self.knows_resident.store(false, Ordering::Relaxed);
                Err(not_there())
            }
            other => other,
        }
    }

    /// Whether a read through the page cache may be made in pieces: what is not there the kernel reads in by the length of the call.
    fn may_stop(&self, offset_bytes: u64, into: &[u8]) -> bool {
        into.len() <= STOP_BYTES
            || (aliasing::is_slow_read(offset_bytes, into)
                && self.is_resident(offset_bytes, into.len() as u64))
    }

    fn write_behind_dropping(&self, offset_bytes: u64, from: &[u8]) -> io::Result<usize> {
        if self.knows_drop_behind.load(Ordering::Relaxed) {
            match calls::write(self.file.as_fd(), offset_bytes, from, RWF_DONTCACHE) {
                Err(error) if is_unsupported(&error) => {
                    self.knows_drop_behind.store(false, Ordering::Relaxed);
                    tracing::info!(
                        "writes past the memory share are dropped after writeback: no RWF_DONTCACHE"
                    );
                }
                other => return other,
            }
        }
        let written_bytes = calls::write(self.file.as_fd(), offset_bytes, from, 0)?;
        // Small writes are made within the call, where nobody may wait for the device; the kernel writes them when it likes.
        if written_bytes >= DROPPED_BYTES_MIN
            && let Ok(waiting) = self.waiting()
        {
            // By an opening of its own: the error of an earlier write is to be told by the next sync, too.
            calls::drop_range(waiting.as_fd(), offset_bytes, written_bytes as u64)?;
        }
        Ok(written_bytes)
    }
}

impl Drop for PreadDevice {
    fn drop(&mut self) {
        let Ok(Some(intent)) = self.release.get_mut().map(Option::take) else { return };
        // Space is given back only of a file that nobody has open, and these are openings, too: the first one is left.
        self.direct.take();
        self.waiting.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if calls::is_removed(self.file.as_fd()) {
            return; // all of its space goes with it
        }
        if self.is_inherited() {
            return;
        }
        closed::later(Arc::clone(&self.file), &intent);
    }
}

/// Never empties the file.
fn options(mode: Mode) -> OpenOptions {
    let mut options = OpenOptions::new();
    match mode {
        Mode::ReadWrite => options.read(true).write(true).create(true).truncate(false),
        Mode::Write => options.write(true).create(true).truncate(false),
        Mode::Existing => options.read(true).write(true),
        Mode::Read => options.read(true),
    };
    options
}

pub(crate) fn open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    with_open_files_raised(|| options.open(path))
}

/// Does what opens files by itself; where this process has as many open as it may, the soft limit gives way to the hard one, then
/// [spare files](crate::SpareFiles) are closed, then those that wait to have space given back, and it is done once more each time.
///
/// # Errors
/// As `open`.
pub fn with_open_files_raised<T>(open: impl Fn() -> io::Result<T>) -> io::Result<T> {
    let mut opened = open();
    for make_room in [calls::raise_open_files, close_spare_files, closed::give_up_waiting] {
        let is_full = matches!(&opened, Err(error) if error.raw_os_error() == Some(libc::EMFILE));
        if is_full && make_room() {
            opened = open();
        }
    }
    opened
}

/// Makes an empty file; fails if there is one.
pub(crate) fn make(path: &Path) -> io::Result<()> {
    open(OpenOptions::new().write(true).create_new(true), path).map(drop)
}

fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EINVAL | libc::ENOSYS))
}

fn direct_alignment(fd: BorrowedFd<'_>) -> Option<Alignment> {
    alignment_of(calls::direct_alignment(fd))
}

/// What direct I/O asks for, by what the kernel tells; `None` where there is none, or it asks for more than a page.
fn alignment_of(told: Option<(u32, u32)>) -> Option<Alignment> {
    let Some((memory_bytes, offset_bytes)) = told else { return Some(PAGE_ALIGNMENT) };
    let alignment = Alignment { memory_bytes: memory_bytes as usize, offset_bytes: u64::from(offset_bytes) };
    alignment.suits_pages().then_some(alignment)
}

impl Device for PreadDevice {
    fn properties(&self) -> Properties {
        self.properties
    }

    fn read(&self, route: Route, offset_bytes: u64, into: &mut [u8]) -> io::Result<usize> {
        match route {
            Route::Resident => self.read_resident(|fd| aliasing::read(fd, offset_bytes, into, RWF_NOWAIT)),
            Route::Cached if self.may_stop(offset_bytes, into) => {
                aliasing::read(self.fd(route)?, offset_bytes, into, 0)
            }
            _ => calls::read(self.fd(route)?, offset_bytes, into, 0),
        }
    }

    fn write(&self, route: Route, offset_bytes: u64, from: &[u8]) -> io::Result<usize> {
        let _kept = self.may_lengthen();
        match route {
            Route::DropBehind => self.write_behind_dropping(offset_bytes, from),
            _ => calls::write(self.fd(route)?, offset_bytes, from, 0),
        }
    }

    fn read_pieces(&self, route: Route, offset_bytes: u64, into: &[MemoryPiece]) -> io::Result<usize> {
        match route {
            Route::Resident => {
                self.read_resident(|fd| calls::read_pieces(fd, offset_bytes, into, RWF_NOWAIT))
            }
            _ => calls::read_pieces(self.fd(route)?, offset_bytes, into, 0),
        }
    }

    fn write_pieces(&self, route: Route, offset_bytes: u64, from: &[MemoryPiece]) -> io::Result<usize> {
        let _kept = self.may_lengthen();
        match route {
            Route::DropBehind => Err(io::ErrorKind::Unsupported.into()),
            _ => calls::write_pieces(self.fd(route)?, offset_bytes, from),
        }
    }

    fn is_resident(&self, offset_bytes: u64, len_bytes: u64) -> bool {
        calls::is_resident(self.file.as_fd(), offset_bytes, len_bytes).unwrap_or(true)
    }

    fn prefetch(&self, offset_bytes: u64, len_bytes: u64, has_gaps: bool) -> io::Result<()> {
        if !has_gaps && let Some(buffer) = buffer::pool().take(STREAM_STEP_BYTES) {
            return self.read_as_stream(offset_bytes, len_bytes, buffer);
        }
        // As much again, so that the device has something to do while this range is waited for, by its last byte.
        calls::start_reading_in(self.file.as_fd(), offset_bytes, 2 * len_bytes)?;
        calls::read(self.file.as_fd(), offset_bytes + len_bytes - 1, &mut [0], 0).map(drop)
    }

    fn len(&self) -> io::Result<u64> {
        self.file.metadata().map(|metadata| metadata.len())
    }

    fn allocated_bytes(&self) -> io::Result<u64> {
        self.file.metadata().map(|metadata| metadata.blocks() * 512) // whatever blocks the file system has
    }

    fn has_data(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<bool> {
        // What another host has written, or this one not yet sent, a file system over a network may not know.
        if matches!(self.properties.file_system, FileSystem::Local | FileSystem::Memory) {
            calls::has_data(self.file.as_fd(), offset_bytes, len_bytes)
        } else {
            Ok(true)
        }
    }

    fn available_bytes(&self) -> Option<u64> {
        calls::file_system_space_open(self.file.as_fd()).ok().map(|space| space.available_bytes)
    }

    fn set_len(&self, len_bytes: u64) -> io::Result<()> {
        let _kept = self.may_lengthen();
        self.file.set_len(len_bytes)
    }

    fn allocate(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        calls::allocate(self.file.as_fd(), offset_bytes, len_bytes)
    }

    fn release_beyond(&self, len_bytes: u64, sharing: Sharing) {
        let mut intent = self.release.lock().expect("no thread panics while it holds a number");
        *intent = Some(closed::Intent::new(len_bytes, sharing));
    }

    /// Nobody in another process has the file open, because of the lease, and nobody in this one writes: through this opening, because
    /// that waits, and through others, because there are none.
    fn release_now(&self) -> io::Result<()> {
        // What stays open lets no lease be had: there is nothing to wait for.
        if self.direct.get().is_some_and(Option::is_some) || self.is_inherited() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let busy = || io::Error::from(io::ErrorKind::WouldBlock);
        // While the program ends nothing that is locked is waited for: it may stay so.
        let _alone = if exit::is_ending() {
            self.lengthening.try_write().map_err(|_| busy())?
        } else {
            self.lengthening.write().unwrap_or_else(PoisonError::into_inner)
        };
        // No step of writeback opens the file again meanwhile, and the one that is under way has a moment to end.
        let mut waiting = self.waiting.try_lock().map_err(|_| busy())?;
        let in_use = waiting.take();
        let begin = Instant::now();
        while in_use.as_ref().is_some_and(|open| Arc::strong_count(open) > 1)
            && begin.elapsed() < STEP_TIME_MAX
            // Then the caller comes again, for as long as there is time for all files.
            && !exit::is_ending()
        {
            thread::sleep(Duration::from_millis(1));
        }
        drop(in_use);
        calls::release_beyond_end(self.file.as_fd(), 0)
    }

    fn waits_for_others(&self) -> bool {
        calls::lock_if_free(self.file.as_fd())
    }

    fn start_writeback(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        calls::start_writeback(self.file.as_fd(), offset_bytes, len_bytes)
    }

    fn wait_writeback(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        calls::wait_writeback((*self.waiting()?).as_fd(), offset_bytes, len_bytes)
    }

    fn settle(&self, ranges: &[Range<u64>]) -> io::Result<Settled> {
        for Range { start, end } in ranges {
            self.start_writeback(*start, end - start)?;
        }
        for Range { start, end } in ranges {
            self.wait_writeback(*start, end - start)?;
        }
        if disk_cache::keep(&self.file).is_ok() {
            return Ok(Settled::Ranges);
        }
        self.waiting()?.sync_data().map(|()| Settled::Everything)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    fn late_error(&self) -> io::Result<()> {
        if self.mode == Mode::Read { Ok(()) } else { calls::late_error(self.file.as_fd()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpenOptions;
    use std::sync::Arc;

    #[test]
    fn a_direct_route_that_there_is_not_or_that_asks_for_more_than_pages_is_not_taken() {
        let taken = |told| alignment_of(told).map(|found| (found.memory_bytes, found.offset_bytes));
        assert_eq!(taken(None), Some((4096, 4096)));
        assert_eq!(taken(Some((4, 512))), Some((4, 512)));
        assert_eq!(taken(Some((512, 4096))), Some((512, 4096)));
        for told in [(0, 0), (512, 0), (0, 512), (512, 8192), (8192, 512), (4096, 128 << 10), (512, 3 * 512)]
        {
            assert_eq!(taken(Some(told)), None, "{told:?}");
        }
    }

    #[test]
    fn where_the_kernel_drops_nothing_by_itself_small_writes_are_left_to_it_and_large_ones_are_dropped() {
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let device =
            PreadDevice::open(&directory.path().join("file"), Mode::ReadWrite, Queue::default()).unwrap();
        device.knows_drop_behind.store(false, Ordering::Relaxed);
        let (small, large) = (vec![1; DROPPED_BYTES_MIN - 1], vec![2; 4 * DROPPED_BYTES_MIN]);
        let at = 1 << 20;
        assert_eq!(device.write(Route::DropBehind, 0, &small).unwrap(), small.len());
        assert!(device.waiting.lock().unwrap().is_none(), "nobody waits for the device");
        assert_eq!(device.write(Route::DropBehind, at, &large).unwrap(), large.len());
        assert!(device.waiting.lock().unwrap().is_some(), "not by the opening that is synced");
        assert!(calls::is_resident(device.file.as_fd(), 0, small.len() as u64).unwrap());
        assert!(!calls::is_resident(device.file.as_fd(), at, large.len() as u64).unwrap());
    }

    #[test]
    fn where_nothing_can_be_asked_for_without_waiting_cached_reads_of_every_size_are_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let content: Vec<u8> = (0..20 << 20).map(|at: u32| at.to_le_bytes()[1]).collect();
        std::fs::write(&path, &content).unwrap();
        let device = PreadDevice::open(&path, Mode::Read, Queue::default()).unwrap();
        device.knows_resident.store(false, Ordering::Relaxed);
        let file = crate::File::on_device(Arc::new(device), &path, &OpenOptions::new(Mode::Read));
        for len in [1000, 300_000, 1 << 20, 16 << 20] {
            let mut into = vec![0; len];
            assert_eq!(file.read_at(7, &mut into).unwrap(), len);
            assert!(into == content[7..7 + len], "{len} bytes at once");
            let (bytes, into) = file.submit_read(3, vec![0; len]).unwrap().finish().unwrap();
            assert!(bytes == len && into == content[3..3 + len], "{len} bytes, asynchronous");
        }
    }
}
