//! A shared file.

use crate::collective;
use crate::error::{Error, Result};
use crate::request::Request;
use crate::storage::Storage;
use comm::Comm;
use elio::{CachePolicy, RequestBuffer, RequestBufferMut};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// What a program knows about a file when it creates it. `None`: unknown. Ranks may know different things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hints {
    /// Writes of this rank never reach beyond this. No space is reserved beyond the largest of all ranks.
    pub hard_limit_bytes: Option<u64>,
    /// About how long the file will be: so much space is reserved, by the largest of all ranks.
    pub soft_limit_bytes: Option<u64>,
    /// The size of a typical request: the unit of stripes, and, where it is below 256 KiB, asynchronous writes of less that
    /// follow one another may be gathered, and those of ranks of a node that write in turn held in memory that they share (2 MiB a rank at most),
    /// until one of them is waited for, at most a tenth of a second. That of rank 0 holds for all.
    pub request_bytes: Option<u64>,
}

/// What a rank may do with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Read and write it.
    ReadWrite,
    /// Only read it.
    ReadOnly,
}

/// One rank's handle on a file that all ranks share. All methods take `&self`; threads may share a handle.
///
/// Dropping it hands over what this rank has written and keeps the file. Local.
#[derive(Debug)]
pub struct SharedFile {
    comm: Arc<Comm>,
    storage: Arc<Storage>,
    hard_limit_bytes: u64,
    state: AtomicU8,
}

const READ_WRITE: u8 = 0;
const READ_ONLY: u8 = 1;
const CLOSED: u8 = 2;

impl SharedFile {
    /// Makes the file `path`, or finds it again: what is there stays. It is then open for reading and writing.
    ///
    /// Collective: every rank gives the same path; what becomes of hints that differ is said at [`Hints`]. Cost: a few broadcasts and
    /// reductions, and for the first file of a communicator with small requests some ten more on each node; the soft limit is reserved by rank 0.
    ///
    /// # Errors
    /// The same on every rank, with nothing left behind that was not there before:
    /// - [`Error::ArgumentsDiffer`]: the ranks gave different paths.
    /// - [`Error::OnRank`]: a rank could not make or open it, or does not see what rank 0 has made; there is no space for
    ///   the soft limit of a new file. One that was found needs none.
    /// - [`Error::Comm`]: the ranks could not talk to each other.
    pub fn create(comm: &Arc<Comm>, path: &Path, hints: &Hints) -> Result<Self> {
        Self::create_with(comm, path, hints, CachePolicy::default())
    }

    /// As [`create`](Self::create), with a cache policy, which may be another one on every rank.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_with(comm: &Arc<Comm>, path: &Path, hints: &Hints, cache: CachePolicy) -> Result<Self> {
        let _span = tracing::debug_span!("create a shared file", path = %path.display()).entered();
        let storage = collective::create(comm, path, hints, cache)?;
        Ok(Self {
            comm: Arc::clone(comm),
            storage: Arc::new(storage),
            hard_limit_bytes: hints.hard_limit_bytes.unwrap_or(u64::MAX),
            state: AtomicU8::new(READ_WRITE),
        })
    }

    /// The name it was created under.
    pub fn path(&self) -> &Path {
        &self.storage.path
    }

    /// Fills `into` from `offset_bytes` on. Local.
    ///
    /// # Errors
    /// - [`Error::EndOfFile`]: the file, as all ranks wrote it, ends before; what there is has been copied.
    /// - [`Error::Closed`]: this rank has closed it.
    /// - [`Error::Device`], or [`Error::Stripe`] of a striped file: reading failed.
    pub fn read(&self, offset_bytes: u64, into: &mut [u8]) -> Result<()> {
        let _span = tracing::trace_span!("read a shared file", offset_bytes, bytes = into.len()).entered();
        self.check_open()?;
        self.storage.read(offset_bytes, into)
    }

    /// Writes all of `from` at `offset_bytes`; past the end it extends the file, and a hole reads as zeros. After it every
    /// rank reads what was written. Local.
    ///
    /// # Errors
    /// - [`Error::HardLimit`]: the file may not be so long. Nothing is written.
    /// - [`Error::Closed`], [`Error::ReadOnly`]: this rank may not write now.
    /// - [`Error::Device`], or [`Error::Stripe`] of a striped file: writing failed; a full disk says how much was asked for and how much is left.
    pub fn write(&self, offset_bytes: u64, from: &[u8]) -> Result<()> {
        let _span = tracing::trace_span!("write a shared file", offset_bytes, bytes = from.len()).entered();
        self.check_writable(offset_bytes, from.len(), false)?;
        self.storage.write(offset_bytes, from)
    }

    /// Starts filling `buffer`, which the request owns until it is finished. Local.
    ///
    /// # Errors
    /// [`Error::Closed`], and [`Error::Device`] for an offset that no file has; errors of the transfer come from the wait.
    pub fn aread<B: RequestBufferMut>(&self, offset_bytes: u64, buffer: B) -> Result<Request<B>> {
        self.check_open()?;
        Storage::aread(&self.storage, offset_bytes, buffer)
    }

    /// Starts writing `buffer`, which the request owns until it is finished. Less than 64 KiB is taken at once: the memory of
    /// such a request may be given up without waiting. Other ranks read it after the wait, or once the request is dropped. Local.
    ///
    /// # Errors
    /// - [`Error::HardLimit`], [`Error::Closed`], [`Error::ReadOnly`]: as [`write`](Self::write).
    /// - [`Error::Device`]: an offset that no file has. Errors of the transfer come from the wait.
    pub fn awrite<B: RequestBuffer>(&self, offset_bytes: u64, buffer: B) -> Result<Request<B>> {
        self.check_writable(offset_bytes, buffer.as_bytes().len(), true)?;
        Storage::awrite(&self.storage, offset_bytes, buffer)
    }

    /// Closes the file on this rank: what it has under way is finished, what it wrote is in the kernel. Transfers are errors
    /// until it is opened again. Local; without a call of the system if nothing is under way, but on NFS with ranks on several hosts, where
    /// the server is given what was written.
    ///
    /// # Errors
    /// [`Error::Device`]: data that was held could not be handed over. The file is closed all the same.
    pub fn close(&self) -> Result<()> {
        let _span = tracing::debug_span!("close a shared file").entered();
        self.state.store(CLOSED, Ordering::Release);
        let flushed = self.storage.flush();
        flushed.and(self.storage.hand_to_server())
    }

    /// Finishes what this rank has under way and hands over what it wrote to the kernel. The file stays as it is, open or closed. Local.
    ///
    /// # Errors
    /// [`Error::Device`]: data that was held could not be handed over.
    pub fn flush(&self) -> Result<()> {
        self.storage.flush()
    }

    /// Opens the file on this rank; if it is open already, what it has under way is finished first. Local; without a call of the
    /// system if nothing is under way, but on NFS with ranks on several hosts, where what these have handed over by closing it is seen from
    /// then on. Writes that are lost thereby are told by their waits, and by the next [`close`](Self::close) or
    /// [`sync`](Self::sync).
    ///
    /// # Errors
    /// [`Error::Device`]: data is held and could not be handed over. The file is open all the same.
    pub fn open(&self, access: Access) -> Result<()> {
        let _span = tracing::debug_span!("open a shared file").entered();
        let handed_over = self.storage.hand_over();
        self.storage.look_again();
        let state = match access {
            Access::ReadWrite => READ_WRITE,
            Access::ReadOnly => READ_ONLY,
        };
        // Not closed in between: other threads may be using a file that is open already.
        self.state.store(state, Ordering::Release);
        handed_over
    }

    /// Returns when all that this rank has written, waited for or not, is on the device. Also of a closed file. Local.
    ///
    /// # Errors
    /// [`Error::Device`], including errors of earlier writes that the system reports late.
    pub fn sync(&self) -> Result<()> {
        self.storage.sync()
    }

    /// The length in bytes, as all ranks wrote it: where the farthest write ended. Local.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn len_bytes(&self) -> Result<u64> {
        Ok(self.storage.len_bytes()?)
    }

    /// Waits for what ranks have under way and removes the file. Requests stay valid; they end as they would have.
    ///
    /// Collective. Cost: a barrier and a reduction.
    ///
    /// # Errors
    /// The same on every rank: [`Error::OnRank`] if rank 0 could not remove it, [`Error::Comm`]. The handle is gone all the
    /// same. A file that somebody else has removed is no error.
    pub fn destroy(self) -> Result<()> {
        let _span = tracing::debug_span!("destroy a shared file").entered();
        collective::destroy(&self.comm, &self.storage)
    }

    /// Gives up this rank's handle and keeps the file. Local.
    ///
    /// # Errors
    /// As [`close_for_good`](Self::close_for_good).
    pub fn abandon(self) -> Result<()> {
        self.close_for_good()
    }

    /// As [`close`](Self::close), by who will not open it again: also asks the system for errors of earlier writes. Local.
    ///
    /// # Errors
    /// As [`close`](Self::close), and [`Error::Device`] for what the system reports late.
    pub fn close_for_good(&self) -> Result<()> {
        let closed = self.close();
        closed.and(self.storage.late_error())
    }

    fn check_open(&self) -> Result<u8> {
        match self.state.load(Ordering::Acquire) {
            CLOSED => Err(Error::Closed { path: self.path().to_owned() }),
            state => Ok(state),
        }
    }

    fn check_writable(&self, offset_bytes: u64, len: usize, asynchronous: bool) -> Result<()> {
        if self.check_open()? == READ_ONLY {
            return Err(Error::ReadOnly { path: self.path().to_owned() });
        }
        let (len_bytes, limit_bytes) = (len as u64, self.hard_limit_bytes);
        if len > 0 && offset_bytes.saturating_add(len_bytes) > limit_bytes {
            let path = self.path().to_owned();
            return Err(Error::HardLimit { path, offset_bytes, len_bytes, limit_bytes, asynchronous });
        }
        Ok(())
    }
}
