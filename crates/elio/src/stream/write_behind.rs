//! Small sequential writes are gathered and handed to the kernel in larger ones.
//!
//! What is held here is seen by every handle of the file in this process, because every operation that could tell the
//! difference hands it over first. It reaches the kernel at the latest by wait, length, sync or close, when the buffer
//! is full, or after a tenth of a second. If the kernel refuses, the data stays held and the error is reported to
//! whoever asked; only close gives it up, and says so.

use crate::buffer::{PoolBuffer, pool};
use crate::device::{Device, Route};
use crate::error::{Error, Operation};
use crate::inode::Inode;
use crate::stream::housekeeping;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};

/// Fits a second-level cache, so that gathering costs a copy within it.
const BUFFER_BYTES: usize = 256 << 10;

/// The gathering state of one file.
#[derive(Debug, Default)]
pub(crate) struct WriteBehind {
    /// Where the last write ended; a stream may begin at 0.
    last_end_bytes: u64,
    held: Option<Held>,
    /// Counts the buffers that were ever held.
    generation: Generation,
}

/// Which buffer took a write: lets a request ask whether its data is in the kernel yet.
pub(crate) type Generation = u64;

/// Data that the kernel does not have yet.
#[derive(Debug)]
struct Held {
    device: Arc<dyn Device>,
    path: Arc<Path>,
    route: Route,
    buffer: PoolBuffer,
    /// Where `buffer[start]` belongs in the file.
    offset_bytes: u64,
    /// What of the buffer is still to be written.
    start: usize,
    end: usize,
    /// Housekeeping has seen it once.
    aged: bool,
}

/// Who writes, and how.
pub(crate) struct Writer<'a> {
    pub(crate) device: &'a Arc<dyn Device>,
    pub(crate) path: &'a Arc<Path>,
    pub(crate) route: Route,
}

impl Held {
    fn range(&self) -> Range<u64> {
        self.offset_bytes..self.offset_bytes + (self.end - self.start) as u64
    }

    /// Copies what fits.
    fn append(&mut self, from: &[u8]) -> usize {
        let len = from.len().min(self.buffer.len() - self.end);
        self.buffer[self.end..self.end + len].copy_from_slice(&from[..len]);
        self.end += len;
        len
    }

    /// Writes what is held; keeps what could not be written.
    fn flush(&mut self) -> Result<(), Error> {
        while self.start < self.end {
            let from = &self.buffer[self.start..self.end];
            match self.device.write(self.route, self.offset_bytes, from) {
                Ok(0) => return Err(self.error(io::ErrorKind::WriteZero.into())),
                Ok(bytes) => {
                    self.start += bytes;
                    self.offset_bytes += bytes as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(error)),
            }
        }
        Ok(())
    }

    fn error(&self, source: io::Error) -> Error {
        let len_bytes = (self.end - self.start) as u64;
        Error::of_transfer(&*self.device, Operation::Write, &self.path, self.offset_bytes, len_bytes, source)
    }
}

impl Inode {
    fn gathering(&self) -> MutexGuard<'_, WriteBehind> {
        self.write_behind.lock().expect("no thread panics while it gathers writes")
    }

    /// Takes a small write if it continues the last one; `None` if it is to be written at once.
    pub(crate) fn gather(
        &self,
        writer: &Writer<'_>,
        offset_bytes: u64,
        from: &[u8],
    ) -> Result<Option<Generation>, Error> {
        let mut gathering = self.gathering();
        let end_bytes = offset_bytes + from.len() as u64;
        let continues = gathering.last_end_bytes == offset_bytes;
        if !continues {
            self.flush_locked(&mut gathering)?;
            gathering.last_end_bytes = end_bytes;
            return Ok(None);
        }
        let taken = self.append(&mut gathering, writer, offset_bytes, from)?;
        gathering.last_end_bytes = end_bytes;
        Ok(taken.then_some(gathering.generation))
    }

    fn append(
        &self,
        gathering: &mut WriteBehind,
        writer: &Writer<'_>,
        offset_bytes: u64,
        from: &[u8],
    ) -> Result<bool, Error> {
        let mut done = 0;
        while done < from.len() {
            if gathering.held.is_none() {
                let Some(held) = self.hold(writer, offset_bytes + done as u64) else {
                    // No buffer to be had: what was taken so far is in the kernel, the rest goes there too.
                    return if done == 0 { Ok(false) } else { write_rest(writer, offset_bytes, from, done) };
                };
                gathering.held = Some(held);
                gathering.generation += 1;
            }
            let held = gathering.held.as_mut().expect("held since the lines above");
            done += held.append(&from[done..]);
            if held.end == held.buffer.len() {
                self.flush_locked(gathering)?;
            }
        }
        Ok(true)
    }

    fn hold(&self, writer: &Writer<'_>, offset_bytes: u64) -> Option<Held> {
        let buffer = pool().take(BUFFER_BYTES)?;
        self.has_written_behind.store(true, Ordering::Release);
        housekeeping::call();
        Some(Held {
            device: Arc::clone(writer.device),
            path: Arc::clone(writer.path),
            route: writer.route,
            buffer,
            offset_bytes,
            start: 0,
            end: 0,
            aged: false,
        })
    }

    fn flush_locked(&self, gathering: &mut WriteBehind) -> Result<(), Error> {
        let Some(held) = &mut gathering.held else { return Ok(()) };
        let range = held.range();
        held.flush()?;
        let (device, route) = (Arc::clone(&held.device), held.route);
        gathering.held = None;
        self.has_written_behind.store(false, Ordering::Release);
        // What was read ahead around the held data missed it.
        self.invalidate_read_ahead(&range);
        if route == Route::Cached {
            self.note_cached_write(&device, range);
        }
        Ok(())
    }

    /// Hands everything held to the kernel.
    pub(crate) fn flush(&self) -> Result<(), Error> {
        if !self.has_written_behind.load(Ordering::Acquire) {
            return Ok(());
        }
        self.flush_locked(&mut self.gathering())
    }

    /// Hands over what is held if it is of this generation still.
    pub(crate) fn flush_generation(&self, generation: Generation) -> Result<(), Error> {
        if !self.has_written_behind.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut gathering = self.gathering();
        if gathering.generation == generation { self.flush_locked(&mut gathering) } else { Ok(()) }
    }

    /// Hands over what is held if it overlaps `range`.
    pub(crate) fn flush_overlapping(&self, range: &Range<u64>) -> Result<(), Error> {
        if !self.has_written_behind.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut gathering = self.gathering();
        let overlaps = gathering.held.as_ref().is_some_and(|held| {
            let held = held.range();
            held.start < range.end && range.start < held.end
        });
        if overlaps { self.flush_locked(&mut gathering) } else { Ok(()) }
    }

    /// Hands over what is held before a write that overlaps it, and notes where that write will end.
    pub(crate) fn flush_before_write(&self, range: &Range<u64>) -> Result<(), Error> {
        self.flush_overlapping(range)?;
        let mut gathering = self.gathering();
        if gathering.held.is_none() {
            gathering.last_end_bytes = range.end;
        }
        Ok(())
    }

    /// Gives up what cannot be written, after close has reported it.
    pub(crate) fn abandon_written_behind(&self) {
        self.gathering().held = None;
        self.has_written_behind.store(false, Ordering::Release);
    }

    /// Hands over what is held for one round or longer; tells whether anything is left to look after.
    pub(crate) fn flush_aged(&self) -> bool {
        if !self.has_written_behind.load(Ordering::Acquire) {
            return false;
        }
        let mut gathering = self.gathering();
        match &mut gathering.held {
            None => false,
            Some(held) if !held.aged => {
                held.aged = true;
                true
            }
            Some(_) => match self.flush_locked(&mut gathering) {
                Ok(()) => false,
                Err(error) => {
                    // Kept, and reported at the next wait, length, sync or close.
                    tracing::warn!(%error, "data written behind is refused; it is kept and tried again");
                    true
                }
            },
        }
    }

    /// As [`Self::flush`] at the end of the program, when another thread may have been stopped with the lock in hand.
    pub(crate) fn flush_at_exit(&self) {
        if let Ok(mut gathering) = self.write_behind.try_lock()
            && let Err(error) = self.flush_locked(&mut gathering)
        {
            tracing::error!(%error, "data written behind is lost at exit");
        }
    }
}

fn write_rest(writer: &Writer<'_>, offset_bytes: u64, from: &[u8], done: usize) -> Result<bool, Error> {
    let at = offset_bytes + done as u64;
    crate::sys::transfer::write_all(&**writer.device, writer.route, at, &from[done..]).map(|_| true).map_err(
        |source| {
            let len_bytes = (from.len() - done) as u64;
            Error::of_transfer(&**writer.device, Operation::Write, writer.path, at, len_bytes, source)
        },
    )
}
