//! Whether it is worth while to look for what others write.
//!
//! Where ranks write in turn at the same time, rows save more than it costs to hold writes and to let others catch up. Where they do
//! not, that must cost next to nothing. So both are paid out of what rows have saved before: after a little to begin with, and a little every
//! second, which comes to all ranks of a node at the same time, so that they look for each other together.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const START_MICROS: i64 = 10_000;
/// In every second there is at least so much.
const SECOND_MICROS: i64 = 1_000;
const MICROS_MAX: i64 = 20_000;
/// A row costs so much more than if nothing had been held.
const ROW_MICROS: i64 = 5;
/// From the third write of a row on each saves a microsecond, and one more for so many bytes. Two together save nothing.
const BYTES_PER_MICRO: u64 = 8 << 10;

/// What one rank has to spend.
#[derive(Debug)]
pub(crate) struct Credit {
    micros: AtomicI64,
    /// In which something was added last.
    second: AtomicU64,
}

/// That of this process: whatever its files and communicators, it is the same program.
pub(crate) static CREDIT: Credit = Credit::new();

impl Credit {
    pub(crate) const fn new() -> Self {
        Self { micros: AtomicI64::new(START_MICROS), second: AtomicU64::new(0) }
    }

    /// Whether there is any.
    pub(crate) fn is_there(&self) -> bool {
        self.is_there_in(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
    }

    fn is_there_in(&self, second: u64) -> bool {
        if self.second.swap(second, Relaxed) != second {
            self.micros.fetch_max(SECOND_MICROS, Relaxed);
        }
        self.micros.load(Relaxed) > 0
    }

    /// Notes how long somebody has waited for others.
    pub(crate) fn note_wait(&self, time: Duration) {
        self.micros.fetch_sub(i64::try_from(time.as_micros()).unwrap_or(i64::MAX), Relaxed);
    }

    /// Notes a row of so many writes.
    pub(crate) fn note_row(&self, writes: u64, bytes: u64) {
        let beyond = writes.saturating_sub(2);
        let beyond_bytes = bytes / writes.max(1) * beyond;
        let saved = i64::try_from(beyond + beyond_bytes / BYTES_PER_MICRO).unwrap_or(MICROS_MAX) - ROW_MICROS;
        let more = |micros: i64| Some(micros.saturating_add(saved).min(MICROS_MAX));
        // Never refused.
        let _ = self.micros.fetch_update(Relaxed, Relaxed, more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_nobody_ends_after_a_while_and_begins_anew_for_a_moment_every_second() {
        let credit = Credit::new();
        let alone = |second: u64| {
            (0..1_000_000)
                .take_while(|_| credit.is_there_in(second))
                .map(|_| credit.note_row(1, 64_000))
                .count()
        };
        assert_eq!([alone(7), alone(7), alone(8), alone(8)], [2000, 0, 200, 0]);
        credit.is_there_in(9);
        credit.note_wait(Duration::from_millis(1));
        assert!(!credit.is_there_in(9));
    }

    #[test]
    fn rows_pay_for_waits_and_for_those_that_go_alone() {
        let credit = Credit::new();
        for _ in 0..1000 {
            credit.note_row(8, 512_000);
            credit.note_row(1, 64_000);
            credit.note_wait(Duration::from_micros(40));
            assert!(credit.is_there_in(7));
        }
        // But not for ever.
        credit.note_wait(Duration::from_micros(20_001));
        assert!(!credit.is_there_in(7));
    }
}
