//! What one rank holds for a file, and how it is handed over.

use crate::area::{Area, Place};
use crate::credit::{CREDIT, Credit};
use crate::lock::Locked;
use crate::row;
use crate::turns::Turns;
use elio::{Gather, Operation};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// Writes from this on are not held: to copy them costs as much as it brings.
const HELD_BYTES: usize = elio::GATHERED_BYTES;
/// How often a lock is looked at before its holder is waited for asleep: for some tenths of a millisecond, in which it writes a row.
const LOOKS_COUNT: u32 = 1000;
/// Others who have not come so far are waited for as long as they go on, so long at a time.
const COMPANY_TIME: Duration = Duration::from_millis(5);
/// Who has not gone on for so long is doing something else.
const STALLED_TIME: Duration = Duration::from_millis(1);
/// At the end of a program a thread that a signal handler has interrupted may have the lock for ever; other ranks have it for as long as
/// a slow device takes for a row. All files have so much time together.
const EXIT_PATIENCE: Duration = Duration::from_secs(10);
static EXIT_DEADLINE: OnceLock<Instant> = OnceLock::new();

/// The writes that this rank holds for one file.
#[derive(Debug)]
pub struct Aggregator {
    area: Arc<Area>,
    credit: &'static Credit,
    /// The file's number among those of the area.
    number: u64,
    file: Arc<elio::File>,
    turns: Turns,
    /// Where the last one that was held begins.
    newest_bytes: AtomicU64,
    held: Mutex<Vec<Weak<Held>>>,
    /// Of a write that nobody has waited for, or will.
    lost: Mutex<Option<elio::Error>>,
    /// Where others were when they did not go on.
    stalled: AtomicU64,
}

/// What was written at once.
#[derive(Debug)]
struct Row {
    offset_bytes: u64,
    len: usize,
    writes: u64,
}

#[derive(Debug)]
struct Held {
    /// Whoever may wait for it has it.
    aggregator: Weak<Aggregator>,
    area: Arc<Area>,
    place: Place,
    /// Why it failed.
    error: OnceLock<elio::Error>,
    /// Its slots may be filled again.
    is_given_back: AtomicBool,
}

impl elio::HeldWrite for Held {
    fn is_done(&self) -> bool {
        self.error.get().is_some() || self.area.is_written(&self.place)
    }

    fn hand_over(&self) {
        if let Some(aggregator) = self.aggregator.upgrade()
            && let Err(error) = aggregator.hand_over(self, None)
        {
            tracing::error!(%error, "a write that is held cannot be handed over");
        }
    }

    fn hand_over_within(&self, time: Duration) -> bool {
        let aggregator = self.aggregator.upgrade();
        // Whoever may wait for it has handed it over.
        aggregator.is_none_or(|aggregator| aggregator.hand_over(self, Some(time)).is_ok())
    }
}

/// A write that is held, or was. Dropping it hands it over.
#[derive(Debug)]
pub struct HeldWrite {
    aggregator: Arc<Aggregator>,
    held: Arc<Held>,
    is_waited: bool,
}

impl Aggregator {
    /// For `file`, which all ranks of the area have open. All of them have to make those of their files in the same order. Local.
    pub fn new(area: Arc<Area>, file: Arc<elio::File>) -> Arc<Self> {
        Self::with_credit(area, file, &CREDIT)
    }

    fn with_credit(area: Arc<Area>, file: Arc<elio::File>, credit: &'static Credit) -> Arc<Self> {
        Arc::new(Self {
            credit,
            number: area.next_file(),
            turns: Turns::new((area.ranks() as u64 - 1) * HELD_BYTES as u64),
            area,
            file,
            newest_bytes: AtomicU64::new(0),
            held: Mutex::default(),
            lost: Mutex::default(),
            stalled: AtomicU64::new(u64::MAX),
        })
    }

    /// Takes a write, if others are believed to write what is beside it; `None` if the caller has to write it himself. What this process
    /// does with the file later comes after it. Local.
    pub fn hold(self: &Arc<Self>, offset_bytes: u64, bytes: &[u8]) -> Option<HeldWrite> {
        let range = offset_bytes..offset_bytes.checked_add(bytes.len() as u64)?;
        if elio::is_forked_child() {
            // It does not have the area.
            return None;
        }
        let is_turn = self.turns.note(&range);
        self.area.tell_progress(self.number, range.end);
        if !is_turn || !(1..HELD_BYTES).contains(&bytes.len()) || !self.credit.is_there() {
            return None;
        }
        let held = self.file.hold_write(offset_bytes, bytes.len(), || self.put(offset_bytes, bytes));
        // What is wrong with the arguments the caller is told when he writes.
        let held = held.ok().flatten()?;
        Some(HeldWrite { aggregator: Arc::clone(self), held, is_waited: false })
    }

    fn put(self: &Arc<Self>, offset_bytes: u64, bytes: &[u8]) -> Option<Arc<Held>> {
        let put = || self.area.put(self.number, offset_bytes, bytes);
        let place = put().or_else(|| {
            self.hand_over_all();
            put()
        })?;
        self.newest_bytes.store(offset_bytes, Ordering::Relaxed);
        let held = Arc::new(Held {
            aggregator: Arc::downgrade(self),
            area: Arc::clone(&self.area),
            place,
            error: OnceLock::new(),
            is_given_back: AtomicBool::new(false),
        });
        let mut all = self.held();
        forget_done(&mut all);
        all.push(Arc::downgrade(&held));
        Some(held)
    }

    /// Whether this rank holds anything. Local.
    pub fn holds_any(&self) -> bool {
        // A child does not have what its parent holds, and another thread may have had the lock when it was made.
        if elio::is_forked_child() {
            return false;
        }
        let mut all = self.held();
        forget_done(&mut all);
        !all.is_empty()
    }

    /// Hands over all that this rank holds. Errors are told to who waits for it. Local.
    pub fn hand_over_all(&self) {
        if elio::is_forked_child() {
            return;
        }
        let all: Vec<_> = self.held().iter().filter_map(Weak::upgrade).collect();
        for held in all {
            elio::HeldWrite::hand_over(&*held);
        }
    }

    /// Tells, once, what was lost of writes that nobody waited for: to be called after the file was flushed or synced. Local.
    ///
    /// # Errors
    /// That of the first of them.
    pub fn take_loss(&self) -> elio::Result<()> {
        if elio::is_forked_child() {
            return Ok(());
        }
        self.lost().take().map_or(Ok(()), Err)
    }

    /// Returns when it is written, or has failed. Others who have the lock are waited for so long at most, if a time is given.
    ///
    /// # Errors
    /// Neither can be said: who writes was interrupted by the caller, or takes longer, or has stopped while the program ends.
    fn hand_over(&self, held: &Held, time: Option<Duration>) -> elio::Result<()> {
        let row = match self.lock_unless_done(held, time) {
            Ok(Some(locked)) if !is_done(held) => self.write_row(held, &locked),
            Ok(_) => None,
            // What was interrupted on this thread does not go on any more.
            Err(error) if elio::finishes_writes() && error.raw_os_error() == Some(libc::EDEADLK) => {
                self.write_row(held, &Locked::by_interrupted(self.area.lock(self.number)))
            }
            Err(_) if is_done(held) => None,
            Err(source) => return Err(self.error(held, source)),
        };
        if let Some(Row { offset_bytes, len, writes }) = row {
            self.credit.note_row(writes, len as u64);
            self.file.after_held(offset_bytes, len);
        }
        if !elio::finishes_writes() {
            self.give_back(held);
        }
        Ok(())
    }

    /// Lets others come to where this rank is, if they are behind and go on: then what they write next is beside this, and they stay
    /// together, because both wait until it is written.
    fn wait_for_company(&self, held: &Held) {
        if is_done(held) {
            return;
        }
        // Up to what this rank has asked for last, or they would always be just behind.
        let range =
            held.place.range.start..self.newest_bytes.load(Ordering::Relaxed).max(held.place.range.start);
        let others = || self.area.others_before(self.number, &range);
        let Some(mut at) = others() else { return };
        if at == self.stalled.load(Ordering::Relaxed) || elio::finishes_writes() || !self.credit.is_there() {
            return;
        }
        let begin = Instant::now();
        let mut since = begin;
        while !is_done(held) {
            thread::yield_now();
            let (Some(next), now) = (others(), Instant::now()) else { break };
            if next != at {
                (at, since) = (next, now);
            } else if now - since > STALLED_TIME {
                self.stalled.store(at, Ordering::Relaxed);
                break;
            }
            if now - begin > COMPANY_TIME {
                break;
            }
        }
        self.credit.note_wait(begin.elapsed());
    }

    /// The lock of the file, unless somebody has written this meanwhile.
    fn lock_unless_done(&self, held: &Held, time: Option<Duration>) -> io::Result<Option<Locked<'_>>> {
        let lock = self.area.lock(self.number);
        for _ in 0..LOOKS_COUNT {
            if is_done(held) {
                return Ok(None);
            }
            if let Some(locked) = lock.try_lock() {
                return Ok(Some(locked));
            }
            thread::yield_now();
        }
        let until_end = || EXIT_DEADLINE.get_or_init(|| Instant::now() + EXIT_PATIENCE);
        let time = match time {
            None if elio::finishes_writes() => Some(until_end().saturating_duration_since(Instant::now())),
            time => time,
        };
        time.map_or_else(|| lock.lock(), |time| lock.lock_within(time)).map(Some)
    }

    /// Writes it with all that is held next to it, or by itself. Tells what was written.
    fn write_row(&self, held: &Held, locked: &Locked<'_>) -> Option<Row> {
        let row = row::around(&held.place, self.area.places_near(&held.place, self.number, locked));
        // If it fails that may be because of what others hold, who are told so when they try.
        let all = (row.len() > 1).then(|| self.write(&row, locked));
        if let Some(Ok(written)) = all {
            for place in &row {
                self.area.note_written(place, locked);
            }
            return Some(written);
        }
        let written = self.write(std::slice::from_ref(&held.place), locked);
        if let Err(error) = &written {
            if elio::finishes_writes() {
                tracing::error!(%error, "a write at the end of a program failed");
            }
            drop(held.error.set(error.duplicate()));
        }
        self.area.note_written(&held.place, locked);
        written.ok()
    }

    fn write(&self, row: &[Place], locked: &Locked<'_>) -> elio::Result<Row> {
        let mut pieces = Gather::for_writing();
        for place in row {
            pieces.push(self.area.piece(place, locked));
        }
        let offset_bytes = row.first().map_or(0, |first| first.range.start);
        self.file.write_held(offset_bytes, &pieces)?;
        Ok(Row { offset_bytes, len: pieces.len_bytes(), writes: row.len() as u64 })
    }

    /// Its slots can be filled again, once.
    fn give_back(&self, held: &Held) {
        if self.area.is_written(&held.place) && !held.is_given_back.swap(true, Ordering::AcqRel) {
            self.area.give_back(&held.place);
        }
    }

    fn error(&self, held: &Held, source: io::Error) -> elio::Error {
        elio::Error::Transfer {
            operation: Operation::AsyncWrite,
            path: self.file.path().to_owned(),
            offset_bytes: held.place.range.start,
            len_bytes: held.place.len_bytes() as u64,
            source,
        }
    }

    fn held(&self) -> MutexGuard<'_, Vec<Weak<Held>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lost(&self) -> MutexGuard<'_, Option<elio::Error>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Aggregator {
    fn drop(&mut self) {
        // A lock may be somebody's for ever then.
        if !elio::finishes_writes() {
            Area::forget_ended();
        }
    }
}

/// What is written stays until its slots are free.
fn forget_done(all: &mut Vec<Weak<Held>>) {
    all.retain(|held| held.upgrade().is_some_and(|held| !held.is_given_back.load(Ordering::Relaxed)));
}

fn is_done(held: &Held) -> bool {
    elio::HeldWrite::is_done(held)
}

impl HeldWrite {
    /// Returns when it has reached the kernel, and with it all other ranks; may be called again. For a moment others are waited for
    /// who are about to write what is beside it.
    ///
    /// # Errors
    /// Why it has not, every time.
    pub fn wait(&mut self) -> elio::Result<()> {
        self.is_waited = true;
        let Self { aggregator, held, .. } = self;
        if elio::is_forked_child() {
            // Its parent writes it.
            return Err(aggregator.error(held, io::Error::from_raw_os_error(libc::ECANCELED)));
        }
        aggregator.file.wait_for_held(held.place.len_bytes(), || {
            aggregator.wait_for_company(held);
            aggregator.hand_over(held, None)
        })?;
        held.error.get().map_or(Ok(()), |error| Err(error.duplicate()))
    }

    /// Whether it has reached the kernel, or failed. Hands it over if nobody is writing the file just now.
    pub fn test(&mut self) -> bool {
        let Self { aggregator, held, .. } = self;
        elio::is_forked_child() || is_done(held) || aggregator.hand_over(held, Some(Duration::ZERO)).is_ok()
    }
}

impl Drop for HeldWrite {
    /// If it is refused it is given up, and flush, sync or close tell.
    fn drop(&mut self) {
        let Self { aggregator, held, is_waited } = self;
        if elio::is_forked_child() {
            return;
        }
        let handed_over = aggregator.hand_over(held, None);
        if handed_over.is_err() {
            // Others may write it still, and who comes after it has to know.
            std::mem::forget(Arc::clone(held));
        }
        let refused = held.error.get().map(elio::Error::duplicate).or(handed_over.err());
        if let Some(error) = refused.filter(|_| !*is_waited) {
            tracing::debug!(%error, "a write that nobody waits for is refused");
            if !elio::finishes_writes() {
                aggregator.lost().get_or_insert(error);
            }
        }
    }
}

#[cfg(test)]
mod tests;
