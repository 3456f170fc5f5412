//! Whether a caller does something else between its calls, learned from how long it stays away.
//!
//! What has been read into a buffer for a caller who computes is copied to its place by a worker meanwhile. Who only waits makes
//! that copy himself: there is nothing to gain from a worker, and one that is woken on the core of the caller keeps it until all
//! that has come is copied, so that the next request is late and the device has nothing to do.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Who stays away for so long computes; what is copied takes as long for half a megabyte.
const PAUSE: Duration = Duration::from_micros(50);
/// After a pause another one is expected for so many calls: who has many requests in flight may compute between two rounds of
/// them only.
const CALLS_COUNT: u32 = 64;
/// So many calls in a row at the beginning have to be without a pause before none is expected.
const FIRST_CALLS_COUNT: u32 = 8;

/// What is known of the callers of one handle, from requests that are not finished when they are made.
#[derive(Debug)]
pub(crate) struct Pauses {
    origin: Instant,
    /// When the last call ended, in nanoseconds from `origin`; 0 before the first.
    left_at: AtomicU64,
    /// Calls for which a pause is still expected.
    calls_left: AtomicU32,
}

impl Default for Pauses {
    fn default() -> Self {
        Self {
            origin: Instant::now(),
            left_at: AtomicU64::new(0),
            calls_left: AtomicU32::new(FIRST_CALLS_COUNT),
        }
    }
}

impl Pauses {
    /// Notes that a call begins.
    pub(crate) fn note_call(&self) {
        let left_at = self.left_at.load(Relaxed);
        let away = Duration::from_nanos(self.now().saturating_sub(left_at));
        self.note_call_after(if left_at == 0 { Duration::ZERO } else { away });
    }

    /// Notes that it ends.
    pub(crate) fn note_end(&self) {
        self.left_at.store(self.now(), Relaxed);
    }

    /// Whether the caller is going to stay away for a while, as far as is known.
    pub(crate) fn are_expected(&self) -> bool {
        self.calls_left.load(Relaxed) > 0
    }

    /// As if a pause had come so many calls less than [`CALLS_COUNT`] ago.
    #[cfg(test)]
    pub(crate) fn expect(&self, calls_left: u32) {
        self.calls_left.store(calls_left, Relaxed);
    }

    fn now(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn note_call_after(&self, away: Duration) {
        let left = if away >= PAUSE { CALLS_COUNT } else { self.calls_left.load(Relaxed).saturating_sub(1) };
        self.calls_left.store(left, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a caller who stays away for `away` before each of so many calls.
    fn note(pauses: &Pauses, calls_count: u32, away: Duration) {
        (0..calls_count).for_each(|_| pauses.note_call_after(away));
    }

    #[test]
    fn pauses_are_expected_until_some_calls_had_none() {
        let pauses = Pauses::default();
        note(&pauses, FIRST_CALLS_COUNT - 1, Duration::ZERO);
        assert!(pauses.are_expected());
        note(&pauses, 1, PAUSE / 2);
        assert!(!pauses.are_expected());
    }

    #[test]
    fn one_pause_in_a_round_of_calls_is_enough() {
        let pauses = Pauses::default();
        note(&pauses, 10 * CALLS_COUNT, Duration::ZERO);
        for _ in 0..3 {
            note(&pauses, 1, PAUSE);
            note(&pauses, CALLS_COUNT - 1, Duration::ZERO);
            assert!(pauses.are_expected());
        }
        note(&pauses, 1, Duration::ZERO);
        assert!(!pauses.are_expected());
    }

    #[test]
    fn time_within_a_call_is_no_pause() {
        let pauses = Pauses::default();
        note(&pauses, FIRST_CALLS_COUNT, Duration::ZERO);
        pauses.note_call();
        std::thread::sleep(PAUSE);
        pauses.note_end();
        assert!(!pauses.are_expected());
        std::thread::sleep(PAUSE);
        pauses.note_call();
        assert!(pauses.are_expected());
    }
}
