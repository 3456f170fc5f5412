//! A shared file.

use crate::collective;
use crate::error::{Error, Result};
use crate::request::{Range, Request};
use crate::storage::Storage;
use comm::Comm;
use elio::{CachePolicy, Operation, Piece, RequestBuffer, RequestBufferMut, SpreadRequest};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// What a program knows about a file when it creates it. `None`: unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hints {
    /// Writes never reach beyond this.
    pub hard_limit_bytes: Option<u64>,
    /// About how long the file will be: so much space is reserved.
    pub soft_limit_bytes: Option<u64>,
    /// The size of a typical request.
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
    /// The name and the files of the bytes, with absolute paths.
    absolute: PathBuf,
    files: Vec<PathBuf>,
    hard_limit_bytes: u64,
    state: AtomicU8,
}

const READ_WRITE: u8 = 0;
const READ_ONLY: u8 = 1;
const CLOSED: u8 = 2;

impl SharedFile {
    /// Makes the file `path`, or finds it again: what is there stays. It is then open for reading and writing.
    ///
    /// Collective: every rank gives the same path and the same hints. Cost: a few broadcasts and reductions; the soft limit
    /// is reserved by rank 0.
    ///
    /// # Errors
    /// The same on every rank, with nothing left behind that was not there before:
    /// - [`Error::ArgumentsDiffer`]: the ranks gave different paths or hints.
    /// - [`Error::OnRank`]: a rank could not make or open it, or does not see what rank 0 has made; there is no space for
    ///   the soft limit.
    /// - [`Error::Comm`]: the ranks could not talk to each other.
    pub fn create(comm: &Arc<Comm>, path: &Path, hints: &Hints) -> Result<Self> {
        Self::create_with(comm, path, hints, CachePolicy::default())
    }

    /// As [`create`](Self::create), with a cache policy, which may be another one on every rank.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_with(comm: &Arc<Comm>, path: &Path, hints: &Hints, cache: CachePolicy) -> Result<Self> {
        let (storage, absolute, files) = collective::create(comm, path, hints, cache)?;
        Ok(Self {
            comm: Arc::clone(comm),
            storage: Arc::new(storage),
            absolute,
            files,
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
    /// - [`Error::Device`]: reading failed.
    pub fn read(&self, offset_bytes: u64, into: &mut [u8]) -> Result<()> {
        self.check_open()?;
        let (len, pieces) = (into.len(), self.storage.pieces(Operation::Read, offset_bytes, into.len())?);
        if len == 0 {
            return Ok(());
        }
        let got = match self.storage.plain() {
            Some(file) => file.read_at(offset_bytes, into)?,
            None => self.read_striped(&pieces.collect::<Vec<_>>(), offset_bytes, into)?,
        };
        self.storage.expect_all(got, len, offset_bytes)
    }

    /// Reads all pieces at once; gives how much of them is before the end of the file.
    fn read_striped(&self, pieces: &[Piece<'_>], offset_bytes: u64, into: &mut [u8]) -> Result<usize> {
        let got = elio::read_spread(pieces, into)?;
        if got.iter().sum::<usize>() == into.len() {
            return Ok(into.len());
        }
        let before_end = self.storage.bytes_before_end(offset_bytes, into.len())?;
        let mut rest = into;
        for (piece, got) in pieces.iter().zip(got) {
            let (this, next) = rest.split_at_mut(piece.len_bytes);
            this[got..].fill(0); // a hole, or past the end
            rest = next;
        }
        Ok(before_end)
    }

    /// Writes all of `from` at `offset_bytes`; past the end it extends the file, and a hole reads as zeros. After it every
    /// rank reads what was written. Local.
    ///
    /// # Errors
    /// - [`Error::HardLimit`]: the file may not be so long. Nothing is written.
    /// - [`Error::Closed`], [`Error::ReadOnly`]: this rank may not write now.
    /// - [`Error::Device`]: writing failed; a full disk says how much was asked for and how much is left.
    pub fn write(&self, offset_bytes: u64, from: &[u8]) -> Result<()> {
        self.check_writable(offset_bytes, from.len(), false)?;
        let pieces = self.storage.pieces(Operation::Write, offset_bytes, from.len())?;
        match self.storage.plain() {
            _ if from.is_empty() => Ok(()),
            Some(file) => Ok(file.write_at(offset_bytes, from)?),
            None => Ok(elio::write_spread(&pieces.collect::<Vec<_>>(), from)?),
        }
    }

    /// Starts filling `buffer`, which the request owns until it is finished. Local.
    ///
    /// # Errors
    /// [`Error::Closed`], and [`Error::Device`] for an offset that no file has; errors of the transfer come from the wait.
    pub fn aread<B: RequestBufferMut>(&self, offset_bytes: u64, buffer: B) -> Result<Request<B>> {
        self.check_open()?;
        let range = Range { offset_bytes, len_bytes: buffer.as_bytes().len() };
        let pieces = self.storage.pieces(Operation::AsyncRead, offset_bytes, range.len_bytes)?;
        if let Some(file) = self.storage.plain() {
            return Ok(Request::plain(file.submit_read(offset_bytes, buffer)?, &self.storage, range, false));
        }
        let inner = SpreadRequest::read(&pieces.collect::<Vec<_>>(), buffer)?;
        Ok(Request::striped(inner, &self.storage, range, false))
    }

    /// Starts writing `buffer`, which the request owns until it is finished. Less than 64 KiB is taken at once: the memory of
    /// such a request may be given up without waiting. Other ranks read it after the wait. Local.
    ///
    /// # Errors
    /// - [`Error::HardLimit`], [`Error::Closed`], [`Error::ReadOnly`]: as [`write`](Self::write).
    /// - [`Error::Device`]: an offset that no file has. Errors of the transfer come from the wait.
    pub fn awrite<B: RequestBuffer>(&self, offset_bytes: u64, buffer: B) -> Result<Request<B>> {
        let range = Range { offset_bytes, len_bytes: buffer.as_bytes().len() };
        self.check_writable(offset_bytes, range.len_bytes, true)?;
        let pieces = self.storage.pieces(Operation::AsyncWrite, offset_bytes, range.len_bytes)?;
        if let Some(file) = self.storage.plain() {
            return Ok(Request::plain(file.submit_write(offset_bytes, buffer)?, &self.storage, range, true));
        }
        let inner = SpreadRequest::write(&pieces.collect::<Vec<_>>(), buffer)?;
        Ok(Request::striped(inner, &self.storage, range, true))
    }

    /// Closes the file on this rank: what it has under way is finished, what it wrote is in the kernel. Transfers are errors
    /// until it is opened again. Local; without a call of the system if nothing is under way.
    ///
    /// # Errors
    /// [`Error::Device`]: data that was held could not be handed over. The file is closed all the same.
    pub fn close(&self) -> Result<()> {
        self.state.store(CLOSED, Ordering::Release);
        self.storage.flush()
    }

    /// Opens the file on this rank, closing it first if it is open. Local; without a call of the system if nothing is
    /// under way.
    ///
    /// # Errors
    /// As [`close`](Self::close). The file is open all the same.
    pub fn open(&self, access: Access) -> Result<()> {
        let closed = self.close();
        let state = match access {
            Access::ReadWrite => READ_WRITE,
            Access::ReadOnly => READ_ONLY,
        };
        self.state.store(state, Ordering::Release);
        closed
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
        self.storage.len_bytes()
    }

    /// Waits for what ranks have under way and removes the file. Requests stay valid; they end as they would have.
    ///
    /// Collective. Cost: a barrier and a reduction.
    ///
    /// # Errors
    /// The same on every rank: [`Error::OnRank`] if rank 0 could not remove it, [`Error::Comm`]. The handle is gone all the
    /// same. A file that somebody else has removed is no error.
    pub fn destroy(self) -> Result<()> {
        collective::destroy(&self.comm, &self.storage, &self.absolute, &self.files)
    }

    /// Gives up this rank's handle and keeps the file. Local.
    ///
    /// # Errors
    /// As [`close`](Self::close).
    pub fn abandon(self) -> Result<()> {
        self.close()
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
