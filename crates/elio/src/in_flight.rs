//! What was submitted to a file and not yet waited for. What overlaps it comes after it.

use crate::held::HeldWrite;
use crate::inode::{Inode, LOCK_PATIENCE, lock, overlap};
use crate::sys::exit;
use crate::sys::transfer::{Direction, Transfer};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// Who waits for housekeeping does not wait for a file that somebody is writing.
const ROUND_PATIENCE: Duration = Duration::from_millis(20);

/// All of a file.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    pub(crate) list: Mutex<Vec<Entry>>,
    /// Asked before the lock is taken.
    count: AtomicUsize,
    /// How many of them are transfers.
    transfers_count: AtomicUsize,
}

#[derive(Debug)]
pub(crate) struct Entry {
    range: Range<u64>,
    work: Work,
}

#[derive(Clone, Debug)]
enum Work {
    Transfer(Arc<Transfer>),
    /// Kept by somebody else, and whether housekeeping has seen it once. Who drops it has handed it over.
    Held(Weak<dyn HeldWrite>, bool),
}

impl Work {
    fn is_done(&self) -> bool {
        match self {
            Self::Transfer(transfer) => transfer.is_done(),
            Self::Held(held, _) => held.upgrade().is_none_or(|held| held.is_done()),
        }
    }

    fn is_write(&self) -> bool {
        match self {
            Self::Transfer(transfer) => transfer.direction() == Direction::Write,
            Self::Held(..) => true,
        }
    }

    /// Returns when it is done. Errors are told by its request.
    fn wait(&self) {
        match self {
            Self::Transfer(transfer) => drop(transfer.wait()),
            Self::Held(held, _) => held.upgrade().into_iter().for_each(|held| held.hand_over()),
        }
    }
}

impl InFlight {
    /// Whether there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// Forgets what is done, and counts the rest.
    fn prune(&self, list: &mut Vec<Entry>) {
        list.retain(|other| !other.work.is_done());
        self.note_count(list);
    }

    fn note_count(&self, list: &[Entry]) {
        let transfers = list.iter().filter(|other| matches!(other.work, Work::Transfer(_)));
        self.transfers_count.store(transfers.count(), Ordering::Relaxed);
        self.count.store(list.len(), Ordering::Release);
    }
}

impl Inode {
    /// About how many transfers are under way; what somebody else keeps is none.
    pub(crate) fn in_flight_count(&self) -> usize {
        self.in_flight.transfers_count.load(Ordering::Relaxed)
    }

    /// Notes a submitted transfer, so that later operations that overlap it come after it.
    pub(crate) fn note_in_flight(&self, transfer: &Arc<Transfer>, range: Range<u64>) {
        self.note_work(Work::Transfer(Arc::clone(transfer)), range);
    }

    /// The same of a write that somebody else keeps.
    pub(crate) fn note_held(&self, held: Weak<dyn HeldWrite>, range: Range<u64>) {
        self.note_work(Work::Held(held, false), range);
    }

    fn note_work(&self, work: Work, range: Range<u64>) {
        let mut list = lock(&self.in_flight.list);
        list.retain(|other| !other.work.is_done());
        list.push(Entry { range, work });
        self.in_flight.note_count(&list);
    }

    /// Whether somebody else keeps a write that overlaps `range`.
    pub(crate) fn is_held(&self, range: &Range<u64>) -> bool {
        let is_held_there = |other: &Entry| {
            matches!(other.work, Work::Held(..)) && overlap(&other.range, range) && !other.work.is_done()
        };
        !self.in_flight.is_empty() && lock(&self.in_flight.list).iter().any(is_held_there)
    }

    /// Hands over what somebody else has kept for one round or longer, or all of it; tells whether anything is left to look after.
    pub(crate) fn hand_over_held(&self, all: bool) -> bool {
        if self.in_flight.is_empty() {
            return false;
        }
        let Some(mut list) = exit::lock_for_a_moment(&self.in_flight.list, ROUND_PATIENCE) else {
            return true;
        };
        let (mut due, mut is_any_left) = (vec![], false);
        for other in &mut *list {
            if let Work::Held(held, is_aged) = &mut other.work {
                if all || std::mem::replace(is_aged, true) {
                    due.extend(held.upgrade());
                } else {
                    is_any_left = true;
                }
            }
        }
        drop(list);
        // Somebody writes, perhaps for long: who waits for housekeeping does not wait for him.
        is_any_left | !due.iter().all(|held| held.hand_over_within(ROUND_PATIENCE))
    }

    /// Hands over what somebody else keeps at the end of the program, when another thread may have been stopped with a lock in hand.
    pub(crate) fn hand_over_held_at_exit(&self) {
        if self.in_flight.is_empty() {
            return;
        }
        let Some(list) = exit::lock_for_a_moment(&self.in_flight.list, LOCK_PATIENCE) else {
            tracing::error!("what is held may be lost at exit: somebody is at it, or cannot go on");
            return;
        };
        let all: Vec<_> = list.iter().map(|other| other.work.clone()).collect();
        drop(list);
        all.iter().filter(|work| matches!(work, Work::Held(..))).for_each(Work::wait);
    }

    /// Forgets what was submitted and is done, and with it the buffers that it holds.
    pub(crate) fn forget_done(&self) {
        if !self.in_flight.is_empty() {
            let mut list = lock(&self.in_flight.list);
            self.in_flight.prune(&mut list);
        }
    }

    /// Waits for submitted transfers that overlap `range` where either side writes, and hands over what somebody else keeps there. Their
    /// errors stay with their requests.
    pub(crate) fn order_after_in_flight(&self, range: &Range<u64>, direction: Direction) {
        if self.in_flight.is_empty() {
            return;
        }
        let conflicting: Vec<_> = {
            let mut list = lock(&self.in_flight.list);
            self.in_flight.prune(&mut list);
            list.iter()
                .filter(|other| overlap(&other.range, range))
                .filter(|other| direction == Direction::Write || other.work.is_write())
                .map(|other| other.work.clone())
                .collect()
        };
        conflicting.iter().for_each(Work::wait);
    }
}
