//! Small sequential writes are gathered and handed to the kernel in larger ones: full buffers by a worker, while the
//! next one fills.
//!
//! What is held here is seen by every handle of the file in this process, because every operation that could tell the
//! difference hands it over first. It reaches the kernel at the latest by length, sync or close, when the buffer is full,
//! or after a tenth of a second; of a file that other processes write, also by wait. If the kernel refuses, the data of a private file stays
//! held and the error is reported to whoever asked; only the close of the last handle gives it up, and says so. Until the kernel has taken what it
//! refused, each wait asks again. A write that is told the error is itself not held: its caller knows that it has
//! failed, and at most its beginning, in full buffers, is tried again. Of a file that others write it is given up at once, because later it might go over what they have written meanwhile: its requests have
//! failed, and if nobody waits for one, the next flush, sync or close says so.
//!
//! Nothing is held by a program that ends, once its files have been handed over, nor by a forked child: nobody would hand it over.

use crate::buffer::{PoolBuffer, pool};
use crate::device::{Device, Route};
use crate::error::{Error, Operation};
use crate::inode::{Inode, overlap};
use crate::pool::streams;
use crate::space::reserved::with_space_given_back;
use crate::stream::housekeeping;
use crate::stream::lost::{Generation, Generations, Losses};
use crate::stream::writeback::Filling;
use crate::sys::region::Region;
use crate::sys::transfer::{Direction, Transfer, write_all};
use crate::sys::{aliasing, exit};
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

/// A stream begins with the smallest buffer and doubles it each time it is full: large writes get large folios, of which the
/// kernel makes several times as much a second.
const BUFFER_BYTES_MIN: usize = 64 << 10;
const BUFFER_BYTES_MAX: usize = 512 << 10;
/// Full buffers that may wait for the worker: it need not wait for the writer then, nor the writer take turns with it at the kernel's
/// lock on the file.
const GOING_COUNT_MAX: usize = 3;

/// Housekeeping waits for who has one file no longer than that, so that others have their turn.
const ROUND_PATIENCE: Duration = Duration::from_millis(20);

/// The gathering state of one file.
#[derive(Debug)]
pub(crate) struct WriteBehind {
    /// Where the last write ended that has been made, if nothing is held; a stream may begin at 0.
    last_end_bytes: u64,
    buffer_bytes: usize,
    held: Option<Held>,
    /// Buffers that were full, on their way to the kernel, the oldest first. They are older than what is held.
    going: VecDeque<Going>,
    /// Counts the buffers that were ever held.
    generation: Generation,
    /// What was given up, for requests that are waited for later: at most one for each failed close while there are such.
    losses: Losses,
}

impl Default for WriteBehind {
    fn default() -> Self {
        Self {
            last_end_bytes: 0,
            buffer_bytes: BUFFER_BYTES_MIN,
            held: None,
            going: VecDeque::new(),
            generation: 0,
            losses: Losses::default(),
        }
    }
}

/// Data that the kernel does not have yet.
#[derive(Debug)]
struct Held {
    writer: Writer,
    buffer: PoolBuffer,
    /// Where `buffer[start]` belongs in the file.
    offset_bytes: u64,
    /// What of the buffer is still to be written.
    start: usize,
    end: usize,
    generation: Generation,
    /// Housekeeping has seen it once.
    aged: bool,
}

/// A buffer that a worker writes.
#[derive(Debug)]
struct Going {
    writer: Writer,
    transfer: Arc<Transfer>,
    generation: Generation,
    /// Somebody was told that the kernel refuses, this one or one before: it is tried again before anybody else is.
    is_told: bool,
}

/// Who writes, and how.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) path: Arc<Path>,
    pub(crate) route: Route,
    pub(crate) filling: Filling,
    /// By which the first of the buffer was written: that fails if the kernel refuses it.
    pub(crate) operation: Operation,
    /// What the kernel refuses is given up at once.
    pub(crate) gives_up: bool,
}

impl Writer {
    fn error(&self, range: &Range<u64>, source: io::Error) -> Error {
        let len_bytes = range.end - range.start;
        Error::of_transfer(&*self.device, self.operation, &self.path, range.start, len_bytes, source)
    }
}

impl Held {
    fn range(&self) -> Range<u64> {
        self.offset_bytes..self.offset_bytes + (self.end - self.start) as u64
    }

    /// Copies what fits.
    fn append(&mut self, from: &[u8]) -> usize {
        let len = from.len().min(self.buffer.len() - self.end);
        aliasing::copy(&from[..len], &mut self.buffer[self.end..self.end + len]);
        self.end += len;
        len
    }

    fn is_full(&self) -> bool {
        self.end == self.buffer.len()
    }

    /// Forgets what was appended from there on and is not written.
    fn take_back(&mut self, from_bytes: u64) {
        let kept_bytes = from_bytes.saturating_sub(self.offset_bytes);
        self.end = self.end.min(self.start.saturating_add(usize::try_from(kept_bytes).unwrap_or(usize::MAX)));
    }

    /// Writes what is held; keeps what could not be written.
    fn flush(&mut self) -> Result<(), Error> {
        while self.start < self.end {
            let from = &self.buffer[self.start..self.end];
            let Writer { device, route, .. } = &self.writer;
            match with_space_given_back(&**device, || device.write(*route, self.offset_bytes, from)) {
                Ok(0) => return Err(self.writer.error(&self.range(), io::ErrorKind::WriteZero.into())),
                Ok(bytes) => {
                    self.start += bytes;
                    self.offset_bytes += bytes as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.writer.error(&self.range(), error)),
            }
        }
        Ok(())
    }

    /// Lets a worker write all of it.
    fn start(self) -> Going {
        let Self { writer, buffer, offset_bytes, end, generation, .. } = self;
        let region = Region::of_pool(buffer, end);
        let device = Arc::clone(&writer.device);
        let transfer = Transfer::new(device, Direction::Write, writer.route, offset_bytes, region);
        streams(writer.device.properties().queue).push(&transfer);
        Going { writer, transfer, generation, is_told: false }
    }
}

impl Going {
    fn range(&self) -> Range<u64> {
        let offset_bytes = self.transfer.offset_bytes();
        offset_bytes..offset_bytes + self.transfer.region().len() as u64
    }

    /// Waits until the kernel has all of it. What the worker could not write stays, and is tried here the next time.
    fn settle(&mut self) -> Result<(), Error> {
        let moved = match self.transfer.wait() {
            Ok(moved) => moved,
            Err(_) if self.is_told => 0,
            Err(error) => return Err(self.writer.error(&self.range(), error)),
        };
        let rest = self.range().start + moved as u64..self.range().end;
        write_all(&*self.writer.device, self.writer.route, rest.start, &self.transfer.bytes()[moved..])
            .map(|_| ())
            .map_err(|error| self.writer.error(&rest, error))
    }
}

impl WriteBehind {
    fn is_empty(&self) -> bool {
        self.held.is_none() && self.going.is_empty()
    }

    /// Whether a write may be held behind those before. What is on its way is written in no order, so that two buffers must not overlap.
    fn is_continued_by(&self, range: &Range<u64>) -> bool {
        let end_bytes = self.held.as_ref().map_or(self.last_end_bytes, |held| held.range().end);
        end_bytes == range.start && !self.going.iter().any(|going| overlap(&going.range(), range))
    }

    fn overlaps(&self, range: &Range<u64>) -> bool {
        self.held.as_ref().is_some_and(|held| overlap(&held.range(), range))
            || self.going.iter().any(|going| overlap(&going.range(), range))
    }

    /// The buffers whose data the kernel does not have yet.
    fn generations(&self) -> Option<Generations> {
        let held = self.held.as_ref().map(|held| held.generation);
        let first = self.going.front().map(|going| going.generation).or(held)?;
        let last = held.or(self.going.back().map(|going| going.generation))?;
        Some(Generations { first, last })
    }
}

impl Inode {
    fn gathering(&self) -> MutexGuard<'_, WriteBehind> {
        self.write_behind.lock().expect("no thread panics while it gathers writes")
    }

    fn has_written_behind(&self) -> bool {
        self.has_written_behind.load(Ordering::Acquire)
    }

    /// Whether the kernel has refused what was written behind: somebody is to be told, and it is to be tried again.
    pub(crate) fn is_refused(&self) -> bool {
        self.is_written_behind_refused.load(Ordering::Acquire)
    }

    /// Takes a small write if it continues the last one; `None` if it is to be written at once.
    pub(crate) fn gather(
        &self,
        writer: impl Fn() -> Writer,
        offset_bytes: u64,
        from: &[u8],
    ) -> Result<Option<Generations>, Error> {
        let mut gathering = self.gathering();
        let range = offset_bytes..offset_bytes + from.len() as u64;
        // Again, now that nobody can hand over meanwhile for the last time.
        if !gathering.is_continued_by(&range) || exit::finishes_writes() {
            self.flush_locked(&mut gathering)?;
            gathering.buffer_bytes = BUFFER_BYTES_MIN;
            return Ok(None);
        }
        let first = gathering.generation + Generation::from(gathering.held.is_none());
        let taken = self
            .append(&mut gathering, writer, offset_bytes, from)
            .inspect_err(|_| self.take_back(&mut gathering, range.start))?;
        if !taken {
            return Ok(None);
        }
        gathering.last_end_bytes = range.end;
        Ok(Some(Generations { first, last: gathering.generation }))
    }

    /// A write that its caller is told has failed is not tried again: he may write something else there, or give it up.
    fn take_back(&self, gathering: &mut WriteBehind, from_bytes: u64) {
        if let Some(held) = &mut gathering.held {
            held.take_back(from_bytes);
            gathering.held.take_if(|held| held.start == held.end);
        }
        if gathering.is_empty() {
            self.note_empty();
        }
    }

    fn append(
        &self,
        gathering: &mut WriteBehind,
        writer: impl Fn() -> Writer,
        offset_bytes: u64,
        from: &[u8],
    ) -> Result<bool, Error> {
        let mut done = 0;
        while done < from.len() {
            let at = offset_bytes + done as u64;
            let Some(held) = self.hold(gathering, &writer, at) else {
                // No buffer to be had: what was taken so far is on its way, the rest goes straight there.
                return if done == 0 {
                    Ok(false)
                } else {
                    self.write_rest(gathering, &writer(), at, &from[done..])
                };
            };
            done += held.append(&from[done..]);
            if held.is_full() {
                self.hand_over(gathering)?;
            }
        }
        Ok(true)
    }

    /// The buffer that takes the next bytes, which belong at `offset_bytes`; `None` if the pool has none.
    fn hold<'a>(
        &self,
        gathering: &'a mut WriteBehind,
        writer: impl Fn() -> Writer,
        offset_bytes: u64,
    ) -> Option<&'a mut Held> {
        if gathering.held.is_none() {
            let buffer = pool().take(gathering.buffer_bytes)?;
            self.has_written_behind.store(true, Ordering::Release);
            housekeeping::call();
            gathering.generation += 1;
            let (writer, generation) = (writer(), gathering.generation);
            gathering.held =
                Some(Held { writer, buffer, offset_bytes, start: 0, end: 0, generation, aged: false });
        }
        gathering.held.as_mut()
    }

    /// Lets the worker write the full buffer. The oldest of too many is written here, if the worker has not begun it.
    fn hand_over(&self, gathering: &mut WriteBehind) -> Result<(), Error> {
        gathering.buffer_bytes = (gathering.buffer_bytes * 2).min(BUFFER_BYTES_MAX);
        let was_refused_once = gathering.held.as_ref().is_some_and(|held| held.start > 0);
        if was_refused_once {
            return self.flush_held(gathering);
        }
        while gathering
            .going
            .front()
            .is_some_and(|oldest| gathering.going.len() >= GOING_COUNT_MAX || oldest.transfer.is_done())
        {
            self.settle_oldest(gathering)?;
        }
        gathering.going.extend(gathering.held.take().map(Held::start));
        Ok(())
    }

    fn settle_oldest(&self, gathering: &mut WriteBehind) -> Result<(), Error> {
        if let Some(oldest) = gathering.going.front_mut() {
            let outcome = oldest.settle();
            let (writer, range, generation) = (oldest.writer.clone(), oldest.range(), oldest.generation);
            let is_kept = outcome.is_err() && !writer.gives_up;
            self.is_written_behind_refused.store(is_kept, Ordering::Release);
            if is_kept {
                gathering.going.iter_mut().for_each(|going| going.is_told = true);
                return outcome;
            }
            gathering.going.pop_front();
            match outcome {
                Ok(()) => self.note_handed_over(gathering, &writer, range),
                Err(error) => self.note_given_up(gathering, generation, &range, error),
            }
        }
        Ok(())
    }

    /// Waits for all buffers up to this generation that are on their way.
    fn settle_going(&self, gathering: &mut WriteBehind, generation: Generation) -> Result<(), Error> {
        while gathering.going.front().is_some_and(|oldest| oldest.generation <= generation) {
            self.settle_oldest(gathering)?;
        }
        Ok(())
    }

    fn flush_locked(&self, gathering: &mut WriteBehind) -> Result<(), Error> {
        self.settle_going(gathering, Generation::MAX)?;
        self.flush_held(gathering)
    }

    fn flush_held(&self, gathering: &mut WriteBehind) -> Result<(), Error> {
        if let Some(held) = &mut gathering.held {
            let (writer, range, generation) = (held.writer.clone(), held.range(), held.generation);
            let outcome = held.flush();
            let is_kept = outcome.is_err() && !writer.gives_up;
            self.is_written_behind_refused.store(is_kept, Ordering::Release);
            if is_kept {
                let written = range.start..held.offset_bytes;
                if !written.is_empty() {
                    self.note_handed_over(gathering, &writer, written);
                }
                return outcome;
            }
            gathering.held = None;
            match outcome {
                Ok(()) => self.note_handed_over(gathering, &writer, range),
                Err(error) => self.note_given_up(gathering, generation, &range, error),
            }
        }
        Ok(())
    }

    fn note_handed_over(&self, gathering: &WriteBehind, writer: &Writer, range: Range<u64>) {
        self.has_written_behind.store(!gathering.is_empty(), Ordering::Release);
        // What was read ahead around the held data missed it.
        self.invalidate_read_ahead(&range);
        if writer.route == Route::Cached && writer.device.properties().allocates_ahead() {
            self.note_cached_write(&writer.device, range, writer.filling);
        }
    }

    fn note_given_up(
        &self,
        gathering: &mut WriteBehind,
        generation: Generation,
        range: &Range<u64>,
        error: Error,
    ) {
        tracing::warn!(%error, "small writes of a shared file are refused, and given up");
        self.has_written_behind.store(!gathering.is_empty(), Ordering::Release);
        // Some of it may have been written.
        self.invalidate_read_ahead(range);
        let generations = Generations { first: generation, last: generation };
        gathering.losses.note(generations, error, false);
        self.has_lost_writes.store(true, Ordering::Release);
    }

    fn write_rest(
        &self,
        gathering: &WriteBehind,
        writer: &Writer,
        offset_bytes: u64,
        rest: &[u8],
    ) -> Result<bool, Error> {
        let range = offset_bytes..offset_bytes + rest.len() as u64;
        if let Err(error) = write_all(&*writer.device, writer.route, offset_bytes, rest) {
            // Some of it may have been written.
            self.invalidate_read_ahead(&range);
            return Err(writer.error(&range, error));
        }
        self.note_handed_over(gathering, writer, range);
        Ok(true)
    }

    fn has_lost_writes(&self) -> bool {
        self.has_lost_writes.load(Ordering::Acquire)
    }

    /// Hands everything held to the kernel.
    pub(crate) fn hand_over_all(&self) -> Result<(), Error> {
        if self.has_written_behind() { self.flush_locked(&mut self.gathering()) } else { Ok(()) }
    }

    /// Hands everything held to the kernel. What was given up is told, if nobody was told before.
    pub(crate) fn flush(&self) -> Result<(), Error> {
        self.hand_over_all()?;
        let untold = if self.has_lost_writes() { self.gathering().losses.tell_untold() } else { None };
        untold.map_or(Ok(()), Err)
    }

    /// Hands over what is held of these buffers still. Of what is given up others are told.
    pub(crate) fn hand_over_generations(&self, generations: Generations) -> Result<(), Error> {
        if !self.has_written_behind() {
            return Ok(());
        }
        let mut gathering = self.gathering();
        if gathering.held.as_ref().is_some_and(|held| held.generation <= generations.last) {
            return self.flush_locked(&mut gathering);
        }
        self.settle_going(&mut gathering, generations.last)
    }

    /// Hands over what is held of these buffers still, for who is told if one of them was given up.
    pub(crate) fn flush_generations(&self, generations: Generations) -> Result<(), Error> {
        let loss = || if self.has_lost_writes() { self.gathering().losses.tell(generations) } else { None };
        if let Some(error) = loss() {
            return Err(error);
        }
        self.hand_over_generations(generations)?;
        loss().map_or(Ok(()), Err)
    }

    /// Hands over what is held if it overlaps `range`.
    pub(crate) fn flush_overlapping(&self, range: &Range<u64>) -> Result<(), Error> {
        if !self.has_written_behind() {
            return Ok(());
        }
        let mut gathering = self.gathering();
        if gathering.overlaps(range) { self.flush_locked(&mut gathering) } else { Ok(()) }
    }

    /// Notes where a write ended that was not held: the next one may be held behind it. Not before it is made, because what is held must
    /// begin within the file.
    pub(crate) fn note_end_of_write(&self, end_bytes: u64) {
        let mut gathering = self.gathering();
        if gathering.held.is_none() {
            gathering.last_end_bytes = end_bytes;
        }
    }

    /// Gives up what is not wanted any more. Nothing is written after this call; a worker may have written some of it until now.
    /// Tells what that was.
    pub(crate) fn abandon_written_behind(&self) -> Option<Generations> {
        let mut gathering = self.gathering();
        let generations = gathering.generations();
        self.abandon_locked(&mut gathering);
        generations
    }

    /// Gives up what cannot be written, and remembers why, for those who wait for it later.
    pub(crate) fn lose_written_behind(&self, error: &Error) {
        let mut gathering = self.gathering();
        if let Some(generations) = gathering.generations() {
            self.note_lost(&mut gathering, generations, error, true);
        }
        self.abandon_locked(&mut gathering);
    }

    /// What was given up is wanted all the same, and nobody was told.
    pub(crate) fn note_abandoned_as_lost(&self, generations: Generations, error: &Error) {
        self.note_lost(&mut self.gathering(), generations, error, false);
    }

    fn note_lost(&self, gathering: &mut WriteBehind, lost: Generations, error: &Error, is_told: bool) {
        gathering.losses.note(lost, error.duplicate(), is_told);
        self.has_lost_writes.store(true, Ordering::Release);
    }

    /// The file may be shorter now than what was written last: what is held must begin within it, or reads of the hole before would find
    /// the end of the file.
    pub(crate) fn forget_last_write(&self) {
        self.gathering().last_end_bytes = 0;
    }

    fn abandon_locked(&self, gathering: &mut WriteBehind) {
        gathering.held = None;
        gathering.last_end_bytes = 0;
        for going in gathering.going.drain(..) {
            going.transfer.cancel_if_queued();
            let _ = going.transfer.wait();
        }
        self.note_empty();
    }

    fn note_empty(&self) {
        self.has_written_behind.store(false, Ordering::Release);
        self.is_written_behind_refused.store(false, Ordering::Release);
    }

    /// Hands over what is held for one round or longer; tells whether anything is left to look after.
    pub(crate) fn flush_aged(&self) -> bool {
        if !self.has_written_behind() {
            return false;
        }
        let Some(mut gathering) = exit::lock_for_a_moment(&self.write_behind, ROUND_PATIENCE) else {
            return true;
        };
        if let Some(held) = &mut gathering.held
            && !std::mem::replace(&mut held.aged, true)
        {
            return true;
        }
        if let Err(error) = self.flush_locked(&mut gathering) {
            // Kept, and reported at the next wait, length, sync or close.
            tracing::warn!(%error, "data written behind is refused; it is kept and tried again");
        }
        !gathering.is_empty()
    }

    /// Hands over what is held, however new it is.
    pub(crate) fn hand_over_at_once(&self) {
        if self.has_written_behind()
            && let Some(mut gathering) = exit::lock_for_a_moment(&self.write_behind, ROUND_PATIENCE)
            && let Err(error) = self.flush_locked(&mut gathering)
        {
            tracing::warn!(%error, "data written behind is refused; it is kept and tried again");
        }
    }

    /// As [`Self::flush`] at the end of the program, when another thread may have been stopped with the lock in hand.
    pub(crate) fn flush_at_exit(&self) {
        let Some(mut gathering) = exit::lock_for_a_moment(&self.write_behind, Duration::from_secs(1)) else {
            tracing::error!(
                "data written behind may be lost at exit: somebody is writing it, or cannot go on"
            );
            return;
        };
        let Err(error) = self.flush_locked(&mut gathering) else { return };
        tracing::warn!(%error, "data written behind was refused");
        // That may have been an earlier write, and there be space by now.
        if let Err(error) = self.flush_locked(&mut gathering) {
            tracing::error!(%error, "data written behind is lost at exit");
        }
    }
}

#[cfg(test)]
mod tests;
