//! What one rank holds for a file, and how it is handed over.

use crate::area::{Area, Place};
use crate::lock::Locked;
use crate::row;
use crate::turns::Turns;
use elio::{Gather, Operation};
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError, TryLockError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// Writes from this on are not held: to copy them costs as much as it brings.
const HELD_BYTES: usize = 256 << 10;
/// How often a lock is looked at before its holder is waited for asleep: for some tenths of a millisecond, in which it writes a row.
const LOOKS_COUNT: u32 = 1000;
/// Others who have not come so far are waited for as long as they go on, so long at a time.
const COMPANY_TIME: Duration = Duration::from_millis(5);
/// Who has not gone on for so long is doing something else.
const STALLED_TIME: Duration = Duration::from_millis(1);
/// After a row that could not be copied to the page cache so many writes go their own way.
const REFUSALS_COUNT: u32 = 64;
/// Who holds a lock for a moment while the program ends has so much time.
const PATIENCE: Duration = Duration::from_millis(100);

/// The writes that this rank holds for one file.
#[derive(Debug)]
pub struct Aggregator {
    area: Arc<Area>,
    /// The file's number among those of the area.
    number: u64,
    file: Arc<elio::File>,
    turns: Turns,
    held: Mutex<Vec<Arc<Held>>>,
    /// No less than there are.
    held_count: AtomicUsize,
    /// Of a write that nobody has waited for, or will.
    lost: Mutex<Option<elio::Error>>,
    refusals: AtomicU32,
    /// Where others were when they did not go on.
    stalled: AtomicU64,
}

#[derive(Debug)]
struct Held {
    place: Place,
    /// Why it failed.
    error: OnceLock<elio::Error>,
}

impl Held {
    fn error(&self) -> Option<elio::Error> {
        self.error.get().map(elio::Error::duplicate)
    }
}

/// A write that is held, or was. Dropping it hands it over.
#[derive(Debug)]
pub struct HeldWrite {
    aggregator: Arc<Aggregator>,
    held: Arc<Held>,
    is_waited: bool,
}

/// What a program has that ends.
static AGGREGATORS: Mutex<Vec<Weak<Aggregator>>> = Mutex::new(Vec::new());

impl Aggregator {
    /// For `file`, which all ranks of the area have open. All of them have to make those of their files in the same order. Local.
    pub fn new(area: Arc<Area>, file: Arc<elio::File>) -> Arc<Self> {
        static EXIT: Once = Once::new();
        let number = area.next_file();
        let turns = Turns::new((area.ranks() as u64 - 1) * HELD_BYTES as u64);
        let (held, held_count, lost) = (Mutex::default(), AtomicUsize::new(0), Mutex::default());
        let (refusals, stalled) = (AtomicU32::new(0), AtomicU64::new(u64::MAX));
        let aggregator =
            Arc::new(Self { area, number, file, turns, held, held_count, lost, refusals, stalled });
        let mut all = AGGREGATORS.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|one| one.strong_count() > 0);
        all.push(Arc::downgrade(&aggregator));
        drop(all);
        EXIT.call_once(|| elio::at_exit(hand_over_what_is_left));
        aggregator
    }

    /// Takes a write, if others are believed to write what is beside it; `None` if the caller has to write it himself. What this rank
    /// has asked for before at the same place comes first. Local.
    pub fn hold(self: &Arc<Self>, offset_bytes: u64, bytes: &[u8]) -> Option<HeldWrite> {
        let range = offset_bytes..offset_bytes.checked_add(bytes.len() as u64)?;
        if elio::is_forked_child() {
            // It does not have the area.
            return None;
        }
        let is_turn = self.turns.note(&range);
        self.area.tell_progress(self.number, range.end);
        let is_held = is_turn
            && (1..HELD_BYTES).contains(&bytes.len())
            && !elio::finishes_writes()
            && !self.is_refused()
            && self.area.credit.is_there();
        // Also where it is not: the caller writes next.
        self.hand_over_overlapping(&range);
        if !is_held {
            return None;
        }
        // Others do not know what this rank has under way, and would write this before it.
        let held = self.file.hold_write(offset_bytes, bytes.len(), || self.put(offset_bytes, bytes));
        // What is wrong with the arguments the caller is told when he writes.
        let held = held.ok().flatten()?;
        Some(HeldWrite { aggregator: Arc::clone(self), held, is_waited: false })
    }

    fn put(&self, offset_bytes: u64, bytes: &[u8]) -> Option<Arc<Held>> {
        let put = || self.area.put(self.number, offset_bytes, bytes);
        let place = put().or_else(|| {
            self.hand_over_all();
            put()
        })?;
        let held = Arc::new(Held { place, error: OnceLock::new() });
        self.held_count.fetch_add(1, Ordering::Release);
        self.held().push(Arc::clone(&held));
        Some(held)
    }

    fn is_refused(&self) -> bool {
        let one_less = |left: u32| left.checked_sub(1);
        self.refusals.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }

    /// Hands over what this rank holds within a range: to be called before it reads or writes there. Errors are told to who waits
    /// for the writes. Local.
    pub fn hand_over_overlapping(&self, range: &Range<u64>) {
        self.hand_over_those(|held| held.start < range.end && range.start < held.end);
    }

    /// As [`hand_over_overlapping`](Self::hand_over_overlapping), of the whole file.
    pub fn hand_over_all(&self) {
        self.hand_over_those(|_| true);
    }

    fn hand_over_those(&self, which: impl Fn(&Range<u64>) -> bool) {
        // Before every transfer, and mostly there is nothing.
        if self.held_count.load(Ordering::Acquire) == 0 || elio::is_forked_child() {
            return;
        }
        let held: Vec<_> = self.held().iter().filter(|held| which(&held.place.range)).cloned().collect();
        for held in held {
            self.hand_over(&held);
        }
    }

    /// Hands over all that this rank holds, and tells, once, what was lost of writes that nobody waited for. Local.
    ///
    /// # Errors
    /// That of the first of them.
    pub fn flush(&self) -> elio::Result<()> {
        self.hand_over_all();
        self.lost().take().map_or(Ok(()), Err)
    }

    /// Returns when it is written, or has failed.
    fn hand_over(&self, held: &Arc<Held>) {
        match self.lock_unless_done(held) {
            Ok(Some(locked)) if !self.is_done(held) => self.write_row(held, &locked),
            Ok(_) => {}
            // It stays where it is: who was interrupted may be writing it.
            Err(source) => drop(held.error.set(self.error(held, source))),
        }
        self.forget(held);
    }

    /// Lets others come to where this rank is, if they are behind and go on: then what they write next is beside this, and they stay
    /// together, because both wait until it is written.
    fn wait_for_company(&self, held: &Held) {
        // Up to what this rank has asked for last, or they would always be just behind.
        let newest = self.held().iter().map(|held| held.place.range.start).max();
        let range = held.place.range.start..newest.unwrap_or(held.place.range.end);
        let others = || self.area.others_before(self.number, &range);
        let Some(mut at) = others() else { return };
        if at == self.stalled.load(Ordering::Relaxed) || !self.area.credit.is_there() {
            return;
        }
        let begin = Instant::now();
        let mut since = begin;
        while !self.is_done(held) {
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
        self.area.credit.note_wait(begin.elapsed());
    }

    fn is_done(&self, held: &Held) -> bool {
        held.error.get().is_some() || self.area.is_written(&held.place)
    }

    /// The lock of the file, unless somebody has written this meanwhile.
    fn lock_unless_done(&self, held: &Held) -> io::Result<Option<Locked<'_>>> {
        let lock = self.area.lock(self.number);
        for _ in 0..LOOKS_COUNT {
            if self.is_done(held) {
                return Ok(None);
            }
            if let Some(locked) = lock.try_lock() {
                return Ok(Some(locked));
            }
            thread::yield_now();
        }
        lock.lock().map(Some)
    }

    /// Writes it with all that is held next to it, or by itself.
    fn write_row(&self, held: &Held, locked: &Locked<'_>) {
        let row = row::around(&held.place, self.area.places_of(self.number, locked));
        let mut pieces = Gather::for_writing();
        row.iter().for_each(|place| pieces.push(self.area.piece(place, locked)));
        let start = row.first().map_or(held.place.range.start, |first| first.range.start);
        match self.file.write_held(start, &pieces) {
            Ok(true) => {
                self.area.credit.note_row(row.len() as u64, pieces.len_bytes() as u64);
                return row.iter().for_each(|place| self.area.note_written(place, locked));
            }
            Ok(false) => self.refusals.store(REFUSALS_COUNT, Ordering::Relaxed),
            // Perhaps because of what others hold, who are told so when they try.
            Err(error) => tracing::debug!(%error, "several writes at once were refused"),
        }
        let bytes = self.area.copy_of(&held.place, locked);
        let written = self.file.submit_write(held.place.range.start, bytes).and_then(elio::Request::finish);
        if let Err(error) = written {
            drop(held.error.set(error));
        }
        self.area.note_written(&held.place, locked);
    }

    /// Its slots can be filled again, once.
    fn forget(&self, held: &Arc<Held>) {
        if !self.area.is_written(&held.place) {
            return;
        }
        let mut all = self.held();
        if let Some(at) = all.iter().position(|one| Arc::ptr_eq(one, held)) {
            all.swap_remove(at);
            self.held_count.fetch_sub(1, Ordering::Release);
            self.area.give_back(&held.place);
        }
    }

    fn error(&self, held: &Held, source: io::Error) -> elio::Error {
        elio::Error::Transfer {
            operation: Operation::AsyncWrite,
            path: self.file.path().to_owned(),
            offset_bytes: held.place.range.start,
            len_bytes: held.place.range.end - held.place.range.start,
            source,
        }
    }

    fn held(&self) -> MutexGuard<'_, Vec<Arc<Held>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lost(&self) -> MutexGuard<'_, Option<elio::Error>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// By a program that ends, in which a signal handler may have interrupted for ever whoever holds a lock.
    fn hand_over_at_exit(&self) {
        let Some(held) = patiently(|| try_lock(&self.held).map(|held| held.clone())) else { return };
        for held in held {
            match patiently(|| self.area.lock(self.number).try_lock()) {
                Some(locked) if !self.is_done(&held) => self.write_row(&held, &locked),
                Some(_) => {}
                None => {
                    let path = self.file.path().display();
                    tracing::error!(%path, "the program ends while a write that it has not waited for is held");
                }
            }
            if let Some(error) = held.error.get() {
                tracing::error!(%error, "a write at the end of a program failed");
            }
        }
    }
}

impl HeldWrite {
    /// Returns when it has reached the kernel, and with it all other ranks; may be called again.
    ///
    /// # Errors
    /// Why it has not, every time.
    pub fn wait(&mut self) -> elio::Result<()> {
        self.is_waited = true;
        if elio::is_forked_child() {
            // Its parent writes it.
            return Err(self.aggregator.error(&self.held, io::Error::from_raw_os_error(libc::ECANCELED)));
        }
        let Self { aggregator, held, .. } = self;
        aggregator.file.wait_for_held(held.place.len_bytes(), || {
            aggregator.wait_for_company(held);
            aggregator.hand_over(held);
        });
        held.error().map_or(Ok(()), Err)
    }
}

impl Drop for HeldWrite {
    /// If it is refused it is given up, and flush, sync or close tell.
    fn drop(&mut self) {
        if self.is_waited || elio::is_forked_child() {
            return;
        }
        self.aggregator.hand_over(&self.held);
        if let Some(error) = self.held.error() {
            tracing::debug!(%error, "a write that nobody waits for is refused");
            self.aggregator.lost().get_or_insert(error);
        }
    }
}

fn hand_over_what_is_left() {
    let all = patiently(|| try_lock(&AGGREGATORS).map(|all| all.clone()));
    for aggregator in all.iter().flatten().filter_map(Weak::upgrade) {
        aggregator.hand_over_at_exit();
    }
}

fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

fn patiently<T>(attempt: impl Fn() -> Option<T>) -> Option<T> {
    let begin = Instant::now();
    loop {
        match attempt() {
            None if begin.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(1)),
            outcome => return outcome,
        }
    }
}

#[cfg(test)]
mod tests;
