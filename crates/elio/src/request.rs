//! Asynchronous requests: they own their memory and are finished by the device layer, or were when they were made.

mod part;
mod pending;
mod spread;

use crate::device::Route;
use crate::error::{Operation, Result};
use crate::file::{Handle, Sharing};
use crate::policy::cache::SMALL_WRITE_BYTES;
use crate::policy::waiting::Start;
use crate::stream::lost::Generations;
use crate::sys::caller_memory::CallerMemory;
use crate::sys::exit;
use crate::sys::foreign::{RequestBuffer, RequestBufferMut};
use crate::sys::gather::MemoryPiece;
pub(crate) use pending::Pending;
pub use spread::{Piece, SpreadRequest, read_spread, write_spread};
use std::sync::Arc;

/// A transfer under way. It owns its buffer; dropping it waits. What was gathered of a [`Sharing::Shared`](crate::Sharing) file
/// is in the kernel then, as after a wait; that of other files may be held a little longer, as after a blocking write, where
/// only this process could tell.
#[derive(Debug)]
pub struct Request<B> {
    // Before the buffer: dropped first, which waits for the transfers that use it.
    progress: Progress,
    buffer: B,
}

/// How far a request is.
#[derive(Debug)]
enum Progress {
    Done(Result<usize>),
    /// A small write of so many bytes that is held, and that must be in the kernel before a wait for it is over.
    Gathered {
        bytes: usize,
        generations: Generations,
        handle: Arc<Handle>,
        start: Option<Start>,
    },
    /// In the box because most requests for a few kilobytes never get here, and are moved several times.
    Pending(Box<Pending>),
}

impl Progress {
    /// Starts reading into `into`, which must stay until this value is dropped. It is a piece of a request of `whole_len` bytes.
    fn read(handle: &Arc<Handle>, offset_bytes: u64, into: &mut [u8], whole_len: usize) -> Self {
        let _span = handle.span("start reading", offset_bytes, into.len());
        let bytes = into.len();
        let start = || Self::start_read(handle, offset_bytes, into, whole_len);
        handle.counted(|counters| &counters.aread, bytes, start)
    }

    fn start_read(handle: &Arc<Handle>, offset_bytes: u64, into: &mut [u8], whole_len: usize) -> Self {
        if into.is_empty() {
            return Self::Done(Ok(0));
        }
        let copied_bytes = handle.read_at_once(offset_bytes, into, whole_len);
        if copied_bytes == Some(into.len()) {
            return Self::Done(Ok(into.len()));
        }
        let memory = CallerMemory::for_reading(into);
        Self::Pending(Box::new(Pending::read_of(handle, offset_bytes, memory, whole_len, copied_bytes)))
    }

    /// Starts reading to a piece of memory, of which nothing is copied at once.
    fn read_piece(handle: &Arc<Handle>, offset_bytes: u64, memory: MemoryPiece) -> Self {
        let _span = handle.span("start reading", offset_bytes, memory.len());
        let start = || Pending::read(handle, offset_bytes, CallerMemory::of_piece(memory), None);
        Self::Pending(Box::new(handle.counted(|counters| &counters.aread, memory.len(), start)))
    }

    /// Starts writing `from`, which must stay until this value is dropped. It is a piece of a request of `whole_len` bytes.
    /// The caller waits for it in the same call if the operation is a blocking one.
    fn write(
        handle: &Arc<Handle>,
        operation: Operation,
        offset_bytes: u64,
        from: &[u8],
        whole_len: usize,
    ) -> Self {
        let _span = handle.span("start writing", offset_bytes, from.len());
        let start = || Self::start_write(handle, operation, offset_bytes, from, whole_len);
        handle.counted(|counters| &counters.awrite, from.len(), start)
    }

    fn start_write(
        handle: &Arc<Handle>,
        operation: Operation,
        offset_bytes: u64,
        from: &[u8],
        whole_len: usize,
    ) -> Self {
        if !is_taken_at_issue(handle, offset_bytes, from.len(), whole_len) {
            let memory = CallerMemory::for_writing(from);
            return Self::Pending(Box::new(Pending::write(handle, offset_bytes, memory)));
        }
        handle.note_copied_at_issue(from.len());
        match handle.write(operation, offset_bytes, from) {
            Ok(None) => Self::Done(Ok(from.len())),
            // Held as a blocking write is, and as safe; but errors are to be told by waits.
            Ok(Some(_)) if handle.is_exclusive() && !handle.inode().is_refused() => {
                Self::Done(Ok(from.len()))
            }
            Ok(Some(generations)) => Self::Gathered {
                bytes: from.len(),
                generations,
                handle: Arc::clone(handle),
                start: Some(handle.waiting_for_gathered.note_start()),
            },
            Err(error) => {
                if exit::is_after_hand_over() {
                    tracing::error!(%error, "a write at the end of a program failed");
                }
                Self::Done(Err(error))
            }
        }
    }

    fn wait(&mut self) -> Result<usize> {
        match self {
            Self::Done(Ok(bytes)) => Ok(*bytes),
            Self::Done(Err(error)) => Err(error.duplicate()),
            Self::Gathered { bytes, generations, handle, start } => {
                if let Some(start) = start.take() {
                    handle.waiting_for_gathered.note_wait(&start);
                }
                let flush = || handle.inode().flush_generations(*generations);
                handle.counted(|counters| &counters.wait, *bytes, flush)?;
                Ok(*bytes)
            }
            Self::Pending(pending) => {
                let (counters, bytes) = (pending.handle().counters.clone(), pending.bytes());
                match counters {
                    None => pending.wait(),
                    Some(counters) => counters.wait.time(bytes, || pending.wait()),
                }
            }
        }
    }

    fn test(&mut self) -> bool {
        match self {
            Self::Done(_) | Self::Gathered { .. } => true,
            Self::Pending(pending) => pending.test(),
        }
    }

    fn bytes_if_done(&self) -> Option<usize> {
        match self {
            Self::Done(Ok(bytes)) => Some(*bytes),
            _ => None,
        }
    }
}

impl Drop for Progress {
    /// A small write of a shared file reaches the kernel now, at the latest, and with it other processes. If it is refused
    /// it is given up, and flush, sync or close tell.
    fn drop(&mut self) {
        if let Self::Gathered { generations, handle, .. } = self
            && !handle.is_exclusive()
            && let Err(error) = handle.inode().hand_over_generations(*generations)
        {
            tracing::debug!(%error, "a write that nobody waits for is refused");
        }
    }
}

impl<B> Request<B> {
    /// Waits until the request has finished; may be called again. Gives the bytes transferred: fewer than asked for
    /// only where a read met the end of the file.
    ///
    /// A small write to a shared file that was gathered reaches the kernel here; if it is refused it has failed. To other files it does so
    /// once the kernel has refused something; before that, a wait promises what a blocking write does.
    ///
    /// # Errors
    /// The request's error, every time.
    pub fn wait(&mut self) -> Result<usize> {
        self.progress.wait()
    }

    /// Whether the request has finished, without waiting. Also moves it along.
    pub fn test(&mut self) -> bool {
        self.progress.test()
    }

    /// The bytes transferred, if the request was only a copy and has finished well: there is nothing to wait for.
    pub fn bytes_if_done(&self) -> Option<usize> {
        self.progress.bytes_if_done()
    }

    /// Waits and gives the buffer back.
    ///
    /// # Errors
    /// The request's error; the buffer is dropped then.
    pub fn finish(mut self) -> Result<(usize, B)> {
        let bytes = self.wait()?;
        Ok((bytes, self.buffer))
    }
}

impl<B: RequestBufferMut> Request<B> {
    pub(crate) fn read(handle: &Arc<Handle>, offset_bytes: u64, mut buffer: B) -> Self {
        let into = buffer.as_mut_bytes();
        let whole_len = into.len();
        Self { progress: Progress::read(handle, offset_bytes, into, whole_len), buffer }
    }
}

impl Request<MemoryPiece> {
    pub(crate) fn read_to(handle: &Arc<Handle>, offset_bytes: u64, memory: MemoryPiece) -> Self {
        Self { progress: Progress::read_piece(handle, offset_bytes, memory), buffer: memory }
    }
}

impl<B: RequestBuffer> Request<B> {
    pub(crate) fn write(handle: &Arc<Handle>, offset_bytes: u64, buffer: B) -> Self {
        let from = buffer.as_bytes();
        let progress = Progress::write(handle, Operation::AsyncWrite, offset_bytes, from, from.len());
        Self { progress, buffer }
    }
}

/// Whether a write is finished before the call returns: a small one, whose memory may be gone before anyone waits, and
/// one that is only a copy to the page cache, not worth a worker, as a piece of a whole that is not worth several. What the device must take
/// is left in flight, unless the program may end before anybody waits for it.
fn is_taken_at_issue(handle: &Handle, offset_bytes: u64, len: usize, whole_len: usize) -> bool {
    let to_cache = || handle.write_route(&(offset_bytes..offset_bytes + len as u64)) == Route::Cached;
    let takes_small = handle.options.sharing != Sharing::SharedByPages;
    exit::finishes_writes()
        || (takes_small && len < SMALL_WRITE_BYTES)
        || (handle.copies_at_issue(whole_len) && to_cache())
}
