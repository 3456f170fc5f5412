//! A file on a device.

use crate::counters::{self, FileCounters};
use crate::device::pread::{self, PreadDevice};
use crate::device::{Alignment, Device, Properties, Route};
use crate::error::{Error, Operation, Result};
use crate::inode::Inode;
use crate::policy::cores::ranks_on_node;
use crate::policy::pauses::Pauses;
use crate::policy::residency::Residency;
use crate::policy::waiting::Waiting;
use crate::policy::{backend, cache};
use crate::queue::Queue;
use crate::request::Request;
use crate::settings;
use crate::space::reserved::with_space_given_back;
use crate::space::{self, closed, left_open, reserved};
use crate::stream::read_ahead::ReadAhead;
use crate::stream::writeback::Filling;
use crate::sys::foreign::{RequestBuffer, RequestBufferMut};
use crate::sys::fork;
use crate::sys::gather::MemoryPiece;
use crate::sys::transfer::Direction;
use std::io;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use tracing::span::EnteredSpan;

/// What a file may be used for, and what opening does to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Reading and writing; created if missing, never truncated.
    ReadWrite,
    /// Writing only; created if missing, truncated if present.
    Write,
    /// Reading and writing; must exist, never truncated.
    Existing,
    /// Reading only; must exist.
    Read,
}

/// How a file uses the page cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CachePolicy {
    /// Decide per access: what is resident is read from the cache, what is not comes directly from the device, what is
    /// read a second time enters the cache, and so does all of a private file whose single reads come to cost as much as reading
    /// it in order; writes go to the cache and on to the device early, as long as this
    /// process's share of free memory lasts, and leave nothing there beyond it.
    #[default]
    Auto,
    /// Always through the page cache.
    Keep,
    /// Around the page cache: reads directly, writes directly where they are aligned and leaving nothing behind where
    /// they are not.
    Bypass,
}

/// Who else writes this file while it is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// Nobody outside this process: read-ahead and write-behind are allowed.
    #[default]
    Exclusive,
    /// Other processes, at places of their own: nothing is read early in this process or held back beyond the wait for
    /// it, and nothing is written around the page cache, where it would meet what others have there of the same page.
    Shared,
    /// As [`Shared`](Self::Shared), but all that write the file meanwhile write whole pages of their own, with
    /// [`CachePolicy::Bypass`]: nothing of them meets in the page cache, so that it is written around it.
    SharedByPages,
}

/// How to open a file.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// What the file is for.
    pub mode: Mode,
    /// How it uses the page cache.
    pub cache: CachePolicy,
    /// Who else writes it.
    pub sharing: Sharing,
    /// Whether asynchronous writes below 256 KiB of a [`Sharing::Shared`] file may be held until they are waited for, so that
    /// several that follow one another reach the kernel in one call. Nobody may rely on one before its wait, and all of them fail if the call does.
    /// (Not those that [somebody else holds](File::hold_write).)
    pub gathers_requests: bool,
    /// Whether what is never written takes no space: for files that were given their length when they were made, and are
    /// filled here and there by a writer that knows where and should [preallocate](File::preallocate) it. Otherwise a file that is
    /// being filled has space allocated in front of its writer and in its holes.
    pub keeps_holes: bool,
    /// Beyond this nobody is going to write: nothing is allocated there ahead of a writer.
    pub len_bytes_max: Option<u64>,
    /// Whether the caller is a thread for transfers itself, which keeps as many of them under way as the device gains from. Then
    /// asynchronous requests that only are copies from or to the page cache are made at issue however large they are: a worker would
    /// be one more in line for the lock of the file. And the kernel is not made to read ahead.
    pub is_pipelined: bool,
    /// Through which queue its transfers go: one of its own for what is on a device that others should not have to wait for.
    pub queue: Queue,
}

impl OpenOptions {
    /// Options for `mode` with automatic caching, for a file of this process alone.
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            cache: CachePolicy::default(),
            sharing: Sharing::default(),
            gathers_requests: false,
            keeps_holes: false,
            len_bytes_max: None,
            is_pipelined: false,
            queue: Queue::default(),
        }
    }
}

/// An open file. All methods take `&self`; a file may be used from several threads.
///
/// Several handles of one file see each other's writes at once within a process. Operations that overlap an
/// asynchronous one made earlier by this process come after it, waited for or not.
#[derive(Debug)]
pub struct File {
    handle: Arc<Handle>,
}

/// What a file and its requests share.
#[derive(Debug)]
pub(crate) struct Handle {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) properties: Properties,
    pub(crate) path: Arc<Path>,
    pub(crate) options: OpenOptions,
    opening: Opening,
    /// In a forked child that has inherited it.
    opening_in_child: OnceLock<Opening>,
    /// A forked child has opened it.
    is_of_child: bool,
    pub(crate) residency: Residency,
    pub(crate) waiting: Waiting,
    /// The same of requests that are gathered, and handed over by their waits.
    pub(crate) waiting_for_gathered: Waiting,
    pub(crate) pauses: Pauses,
    /// Where calls are counted, if they are.
    pub(crate) counters: Option<Arc<FileCounters>>,
}

/// What a handle is among all those of its file in one process.
#[derive(Debug)]
struct Opening {
    inode: Arc<Inode>,
    read_ahead: Arc<Mutex<ReadAhead>>,
}

impl Opening {
    fn new(inode: Arc<Inode>, mode: Mode) -> Self {
        Self { read_ahead: inode.open_handle(mode), inode }
    }
}

/// The largest offset a file can have.
const OFFSET_BYTES_MAX: u64 = i64::MAX as u64;

/// Opens `path` as a bare device, with the backend that a [`File`] would get: to put a device of your own around it.
///
/// # Errors
/// As [`File::open`].
pub fn open_device(path: &Path, mode: Mode) -> Result<Arc<dyn Device>> {
    let file = open_system_file(path, mode, Queue::default())?;
    if mode == Mode::Write {
        file.truncate().map_err(|source| open_error(path, source))?;
    }
    backend::choose(file)
}

fn open_system_file(path: &Path, mode: Mode, queue: Queue) -> Result<PreadDevice> {
    fork::watch();
    settings::get().check()?;
    // Before anything is made or truncated.
    backend::ring()?;
    PreadDevice::open(path, mode, queue).map_err(|source| open_error(path, source))
}

fn open_error(path: &Path, source: io::Error) -> Error {
    Error::File { operation: Operation::Open, path: path.to_owned(), source }
}

impl File {
    /// Opens `path` in the system's file system.
    ///
    /// # Errors
    /// [`Error::File`] with the system's reason; [`Error::BackendUnavailable`] or [`Error::Setting`] if the environment
    /// asks for what is not there.
    pub fn open(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self> {
        let path = path.as_ref();
        let _span = tracing::debug_span!("open", path = %path.display()).entered();
        let file = open_system_file(path, options.mode, options.queue)?;
        let metadata = file.metadata().map_err(|source| open_error(path, source))?;
        let inode = Inode::of((metadata.dev(), metadata.ino()));
        if options.mode == Mode::Write {
            // By itself, not by opening: what this process has in flight there was asked for before. What it holds back is void.
            inode.order_after_in_flight(&(0..u64::MAX), Direction::Write);
            let abandoned = inode.abandon_written_behind();
            file.truncate().map_err(|source| open_error(path, source)).inspect_err(|error| {
                if let Some(generations) = abandoned {
                    inode.note_abandoned_as_lost(generations, error);
                }
                // Some of that may have been written.
                inode.invalidate_read_ahead(&(0..u64::MAX));
            })?;
            inode.invalidate_read_ahead(&(0..u64::MAX));
            inode.forget_contents();
        }
        Ok(Self::with_inode(backend::choose(file)?, path, options, inode))
    }

    /// A file on a device of your own, which opening does not truncate whatever the mode, and whose queue is what the device says. Handles
    /// made of one device see each other's writes at once, as those of a file of the system do.
    pub fn on_device(device: Arc<dyn Device>, name: impl AsRef<Path>, options: &OpenOptions) -> Self {
        let inode = Inode::of_device(&device);
        Self::with_inode(device, name.as_ref(), options, inode)
    }

    /// A file whose handles share `inode`, whichever device they go by.
    pub(crate) fn with_inode(
        device: Arc<dyn Device>,
        path: &Path,
        options: &OpenOptions,
        inode: Arc<Inode>,
    ) -> Self {
        let opening = Opening::new(inode, options.mode);
        if device.properties().allocates_ahead() {
            left_open::release_at_exit();
            if options.mode != Mode::Read && options.sharing != Sharing::Exclusive && !options.keeps_holes {
                opening.inode.note_shared_writer(&device, options.sharing);
            }
        }
        let mut properties = device.properties();
        properties.direct = properties.direct.filter(|alignment| alignment.suits_pages());
        let handle = Handle {
            properties,
            device,
            path: Arc::from(path),
            options: options.clone(),
            opening,
            opening_in_child: OnceLock::new(),
            is_of_child: fork::is_child(),
            residency: Residency::default(),
            waiting: Waiting::default(),
            waiting_for_gathered: Waiting::default(),
            pauses: Pauses::default(),
            counters: counters::of_file(path, properties, options),
        };
        Self { handle: Arc::new(handle) }
    }

    pub(crate) fn handle(&self) -> &Arc<Handle> {
        &self.handle
    }

    /// The path the file was opened under.
    pub fn path(&self) -> &Path {
        &self.handle.path
    }

    /// What the device under this file can do.
    pub fn properties(&self) -> Properties {
        self.handle.properties
    }

    /// Reads up to `into.len()` bytes at `offset_bytes`; fewer only at the end of the file.
    ///
    /// # Errors
    /// [`Error::Transfer`] with the system's reason; [`Error::Mode`] if the file is open for writing only;
    /// [`Error::OutOfRange`].
    pub fn read_at(&self, offset_bytes: u64, into: &mut [u8]) -> Result<usize> {
        self.handle.check(Operation::Read, offset_bytes, into.len())?;
        let _span = self.handle.span("read", offset_bytes, into.len());
        self.handle.counted(|counters| &counters.read, into.len(), || self.handle.read(offset_bytes, into))
    }

    /// Writes all of `from` at `offset_bytes`, extending the file if need be; a gap reads as zeros.
    ///
    /// Of a private file sequential writes below 256 KiB are gathered: an error may be reported by a later write, which is not made then, or by a
    /// wait, length, sync or close.
    ///
    /// # Errors
    /// [`Error::NoSpace`] or [`Error::Transfer`] with the system's reason; [`Error::Mode`] if the file is open for
    /// reading only; [`Error::OutOfRange`].
    pub fn write_at(&self, offset_bytes: u64, from: &[u8]) -> Result<()> {
        self.handle.check(Operation::Write, offset_bytes, from.len())?;
        let _span = self.handle.span("write", offset_bytes, from.len());
        let write = || self.handle.write(Operation::Write, offset_bytes, from);
        self.handle.counted(|counters| &counters.write, from.len(), write).map(|_| ())
    }

    /// Starts reading into `buffer`, which the request owns until it is finished.
    ///
    /// # Errors
    /// [`Error::Mode`] and [`Error::OutOfRange`]; what the device says comes from the wait.
    pub fn submit_read<B: RequestBufferMut>(&self, offset_bytes: u64, buffer: B) -> Result<Request<B>> {
        self.handle.check(Operation::AsyncRead, offset_bytes, buffer.as_bytes().len())?;
        Ok(Request::read(&self.handle, offset_bytes, buffer))
    }

    /// Starts reading to `memory`, which its creator keeps there as long as the request has it. Otherwise as
    /// [`submit_read`](Self::submit_read).
    ///
    /// # Errors
    /// As [`submit_read`](Self::submit_read).
    pub fn submit_read_to(&self, offset_bytes: u64, memory: MemoryPiece) -> Result<Request<MemoryPiece>> {
        self.handle.check(Operation::AsyncRead, offset_bytes, memory.len())?;
        Ok(Request::read_to(&self.handle, offset_bytes, memory))
    }

    /// Whether what is read from `offset_bytes` on goes straight to `memory`, with no copy between on its way from the device.
    pub fn reads_straight(&self, offset_bytes: u64, memory: MemoryPiece) -> bool {
        let fits =
            |alignment: Alignment| alignment.fits(memory.address() as usize, offset_bytes, memory.len());
        self.handle.properties.direct.is_none_or(fits)
    }

    /// Starts writing `buffer`, which the request owns until it is finished. Less than 64 KiB is taken at once, so that
    /// the memory of such a request may be given up without waiting; not in a file that is
    /// [shared by pages](Sharing::SharedByPages), where the device may have many small ones at a time.
    ///
    /// # Errors
    /// [`Error::Mode`] and [`Error::OutOfRange`]; what the device says comes from the wait.
    pub fn submit_write<B: RequestBuffer>(&self, offset_bytes: u64, buffer: B) -> Result<Request<B>> {
        self.handle.check(Operation::AsyncWrite, offset_bytes, buffer.as_bytes().len())?;
        Ok(Request::write(&self.handle, offset_bytes, buffer))
    }

    /// The length in bytes, including what is written behind and in flight.
    ///
    /// # Errors
    /// [`Error::File`]; errors of data written behind.
    pub fn len(&self) -> Result<u64> {
        self.handle.hand_over_all()?;
        self.handle.whole_file(Operation::Length, self.handle.device.len())
    }

    /// Whether the file has no bytes.
    ///
    /// # Errors
    /// As [`File::len`].
    pub fn is_empty(&self) -> Result<bool> {
        self.len().map(|len_bytes| len_bytes == 0)
    }

    /// Sets the length; what grows reads as zero. Comes after everything submitted before.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Mode`], [`Error::OutOfRange`]; errors of data written behind.
    pub fn set_len(&self, len_bytes: u64) -> Result<()> {
        self.handle.check(Operation::Truncate, len_bytes, 0)?;
        self.handle.settle_all()?;
        self.handle.inode().invalidate_read_ahead(&(0..u64::MAX));
        let device = &*self.handle.device;
        // A file that becomes longer keeps what it has, the space that is reserved ahead of its writer as well.
        if !device.len().is_ok_and(|before_bytes| before_bytes < len_bytes) {
            self.handle.inode().forget_contents();
        }
        let set = with_space_given_back(device, || device.set_len(len_bytes));
        self.handle.inode().forget_last_write();
        let outcome = self.handle.whole_file(Operation::Truncate, set);
        self.handle.inode().invalidate_read_ahead(&(0..u64::MAX));
        outcome
    }

    /// Reserves space for a range, without changing the length: later writes there cannot run out of it.
    ///
    /// # Errors
    /// [`Error::NoSpace`]; [`Error::Transfer`] where the file system cannot reserve; [`Error::Mode`].
    pub fn preallocate(&self, offset_bytes: u64, len_bytes: u64) -> Result<()> {
        let len = usize::try_from(len_bytes).unwrap_or(usize::MAX);
        self.handle.check(Operation::Preallocate, offset_bytes, len)?;
        if len_bytes == 0 {
            return Ok(());
        }
        self.handle.inode().note_preallocated();
        let device = &*self.handle.device;
        with_space_given_back(device, || device.allocate(offset_bytes, len_bytes))
            .map_err(|source| self.handle.transfer_error(Operation::Preallocate, offset_bytes, len, source))
    }

    /// Whether a range may hold data: `false` says that it was never written, by whomever, and reads as zero. Where a file system
    /// or a device cannot tell, the answer is `true`.
    ///
    /// # Errors
    /// [`Error::Transfer`] or [`Error::NoSpace`] of a write that was held back.
    pub fn has_data(&self, offset_bytes: u64, len_bytes: u64) -> Result<bool> {
        let range = offset_bytes..offset_bytes.saturating_add(len_bytes);
        self.handle.settle(&range, Direction::Read)?;
        Ok(range.is_empty()
            || self.handle.device.has_data(offset_bytes, range.end - range.start).unwrap_or(true))
    }

    /// Returns when all data is on the device.
    ///
    /// # Errors
    /// [`Error::File`] or [`Error::NoSpace`], including errors of earlier writes that the system reports late.
    pub fn sync(&self) -> Result<()> {
        self.handle.settle_all()?;
        self.handle.whole_file(Operation::Sync, self.handle.device.sync())
    }

    /// Whether the system has noted errors of earlier writes that it has not told yet. They count as told then.
    ///
    /// # Errors
    /// Those errors.
    pub fn late_error(&self) -> Result<()> {
        self.handle.whole_file(Operation::Close, self.handle.device.late_error())
    }

    /// Hands everything over to the system and closes. Requests under way go on; they keep the descriptor open until
    /// they are finished.
    ///
    /// # Errors
    /// Errors of data written behind, which is given up with the last handle, and errors of earlier writes that the system reports late.
    pub fn close(self) -> Result<()> {
        let _span = tracing::debug_span!("close", path = %self.path().display()).entered();
        let settled = self.handle.settle_all();
        if let Err(error) = &settled
            && self.handle.inode().is_last_handle()
        {
            self.handle.inode().lose_written_behind(error);
        }
        let late = self.late_error();
        settled.and(late)
        // What was allocated ahead is given back when `self` is dropped.
    }

    /// Hands what is written behind to the kernel; what the kernel does with it is the business of [`File::sync`].
    ///
    /// # Errors
    /// Errors of data written behind, which is kept.
    pub fn flush(&self) -> Result<()> {
        self.handle.settle_all()
    }

    /// As [`File::flush`], by who is not to be told what was lost: the next flush, sync or close tells it, or the wait for the write.
    ///
    /// # Errors
    /// Errors of data written behind that is kept, as that of a file of [`Sharing::Exclusive`](crate::Sharing) is.
    pub fn hand_over(&self) -> Result<()> {
        self.handle.hand_over_all()
    }

    /// Makes an empty file where there is none. Tells whether it did: what is there already stays as it is.
    ///
    /// # Errors
    /// [`Error::File`] with the system's reason.
    pub fn make(path: impl AsRef<Path>) -> Result<bool> {
        let path = path.as_ref();
        match pread::make(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(open_error(path, error)),
        }
    }

    /// Deletes a file. Open handles of it stay usable.
    ///
    /// # Errors
    /// [`Error::File`] with the system's reason, `NotFound` included.
    pub fn delete(path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        std::fs::remove_file(path).map_err(|source| Error::File {
            operation: Operation::Delete,
            path: path.to_owned(),
            source,
        })?;
        closed::forget_removed();
        Ok(())
    }

    /// Gives back the space that a file has beyond its end, if nobody has it open: what was reserved ahead of a program that was killed.
    /// Of an empty one it may be what somebody wants to have. Tells whether it did; where it cannot nothing is lost.
    pub fn give_back_space(path: impl AsRef<Path>) -> bool {
        space::give_back_space(path.as_ref()).unwrap_or(false)
    }

    /// Gives back what this process has reserved ahead of writers of other files, in the file system that holds `path`: for who is about to
    /// look whether there is enough. Tells whether there is more than before.
    pub fn give_back_space_beside(path: impl AsRef<Path>) -> bool {
        std::fs::metadata(path).is_ok_and(|found| reserved::give_back(Some(found.dev())))
    }
}

impl Drop for File {
    /// As [`File::close`], for those who do not want to know: an error is logged.
    fn drop(&mut self) {
        self.handle.read_ahead().end();
        let was_told = self.handle.inode().is_refused();
        match self.handle.inode().flush() {
            Err(error) if was_told => tracing::warn!(%error, "a file was dropped after its writes failed"),
            Err(error) => {
                tracing::error!(%error, "a file was dropped without close and its last writes failed");
            }
            Ok(()) => {}
        }
        self.handle.inode().close_handle(&self.handle.device, &self.handle.options);
    }
}

impl Handle {
    /// What its parent holds back of a file, has in flight or has read ahead is not a forked child's to finish, and may be locked by a thread
    /// that the child does not have.
    fn opening(&self) -> &Opening {
        if fork::is_child() == self.is_of_child {
            return &self.opening;
        }
        self.opening_in_child.get_or_init(|| Opening::new(self.opening.inode.in_child(), self.options.mode))
    }

    pub(crate) fn inode(&self) -> &Arc<Inode> {
        &self.opening().inode
    }

    pub(crate) fn read_ahead(&self) -> MutexGuard<'_, ReadAhead> {
        self.opening().read_ahead.lock().expect("no thread panics while it reads ahead")
    }

    /// The span of a transfer, until it is dropped.
    #[inline]
    pub(crate) fn span(&self, operation: &'static str, offset_bytes: u64, bytes: usize) -> EnteredSpan {
        let path = self.path.display();
        tracing::trace_span!("transfer", operation, path = %path, offset_bytes, bytes).entered()
    }

    pub(crate) fn filling(&self) -> Filling {
        let OpenOptions { sharing, keeps_holes, len_bytes_max, .. } = self.options;
        Filling { sharing, keeps_holes, len_bytes_max }
    }

    pub(crate) fn is_exclusive(&self) -> bool {
        self.options.sharing == Sharing::Exclusive
    }

    /// Whether an asynchronous request of this size is copied at issue, if a copy is all there is to do.
    pub(crate) fn copies_at_issue(&self, len: usize) -> bool {
        !self.leaves_to_worker(len)
            || (len < cache::COPY_WITHOUT_WORKER_BYTES && self.waiting.is_expected_at_once())
    }

    /// Whether a copy of this size is one for a worker, unless the caller is known to wait for it at once.
    pub(crate) fn leaves_to_worker(&self, len: usize) -> bool {
        !self.options.is_pipelined && len >= cache::copy_at_issue_bytes()
    }

    /// Notes that a request of this size was.
    pub(crate) fn note_copied_at_issue(&self, len: usize) {
        if self.leaves_to_worker(len) {
            self.waiting.note_copy();
        }
    }

    /// Refuses what the mode or the range of offsets does not allow. To read or write nothing is allowed by all.
    pub(crate) fn check(&self, operation: Operation, offset_bytes: u64, len: usize) -> Result<()> {
        let reads = matches!(operation, Operation::Read | Operation::AsyncRead);
        let is_nothing = len == 0 && operation != Operation::Truncate && operation != Operation::Preallocate;
        let refused = match self.options.mode {
            _ if is_nothing => None,
            Mode::Write if reads => Some("for writing"),
            Mode::Read if !reads => Some("for reading"),
            _ => None,
        };
        if let Some(mode) = refused {
            return Err(Error::Mode { operation, path: self.path.to_path_buf(), mode });
        }
        let len_bytes = len as u64;
        match offset_bytes.checked_add(len_bytes) {
            Some(end) if end <= OFFSET_BYTES_MAX => Ok(()),
            _ => Err(Error::OutOfRange { operation, path: self.path.to_path_buf(), offset_bytes, len_bytes }),
        }
    }

    /// Puts an operation on `range` after everything it could collide with.
    pub(crate) fn settle(&self, range: &Range<u64>, direction: Direction) -> Result<()> {
        self.inode().order_after_in_flight(range, direction);
        self.inode().flush_overlapping(range)
    }

    /// Puts an operation on the whole file after everything else. What was given up before is told.
    fn settle_all(&self) -> Result<()> {
        self.inode().order_after_in_flight(&(0..u64::MAX), Direction::Write);
        self.inode().flush()
    }

    /// As [`settle_all`](Self::settle_all), for who is not to be told what others have lost.
    fn hand_over_all(&self) -> Result<()> {
        self.inode().order_after_in_flight(&(0..u64::MAX), Direction::Write);
        self.inode().hand_over_all()
    }

    pub(crate) fn whole_file<T>(&self, operation: Operation, outcome: io::Result<T>) -> Result<T> {
        outcome.map_err(|source| match source.raw_os_error() {
            Some(libc::ENOSPC | libc::EDQUOT) => self.transfer_error(operation, 0, 0, source),
            _ => Error::File { operation, path: self.path.to_path_buf(), source },
        })
    }

    pub(crate) fn transfer_error(
        &self,
        operation: Operation,
        offset_bytes: u64,
        len: usize,
        source: io::Error,
    ) -> Error {
        Error::of_transfer(&*self.device, operation, &self.path, offset_bytes, len as u64, source)
    }

    /// The route of a write of all of `range`.
    pub(crate) fn write_route(&self, range: &Range<u64>) -> Route {
        // Whole pages, not whole sectors: a page must not be half direct and half cached. The page cache may hold several
        // pages as one, so what other processes write next to this range counts as well.
        let meets_nobody = self.options.sharing != Sharing::Shared;
        self.route_of_write(range, cache::is_whole_pages(range) && meets_nobody)
    }

    /// Whether the page cache may hold this file up to `end_bytes`. Holes take no place in it. A file of all ranks is there once for all
    /// of them: each counts its part.
    pub(crate) fn fits_in_cache(&self, end_bytes: u64) -> bool {
        let holes = if self.options.keeps_holes { self.device.allocated_bytes().ok() } else { None };
        let bytes = holes.map_or(end_bytes, |allocated_bytes| allocated_bytes.min(end_bytes));
        self.inode().fits_in_cache(cache::counted_bytes(bytes, self.options.sharing, ranks_on_node()))
    }

    /// The same for a write. How much of a file with holes there is, is not asked for each small one.
    fn write_fits_in_cache(&self, range: &Range<u64>) -> bool {
        let asks = !self.options.keeps_holes || self.inode().asks_again(range.end - range.start);
        !asks || self.inode().note_answer(self.fits_in_cache(range.end))
    }

    /// The route of a write that ends in `range` at least, of pages that nobody else writes if it is `aligned`.
    pub(crate) fn route_of_write(&self, range: &Range<u64>, aligned: bool) -> Route {
        let fits = self.write_fits_in_cache(range);
        cache::write_route(self.options.cache, self.properties, aligned, fits)
    }
}

#[cfg(test)]
mod tests;
