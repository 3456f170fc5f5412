//! Whether a caller waits for its requests as soon as they are started, learned from what it did before.
//!
//! A worker that moves a request through the page cache is worth its wakeup where the caller computes meanwhile.
//! A caller that waits at once has nothing to do meanwhile: for it the kernel is asked at issue. Now and then one of its requests
//! is left to a worker all the same, to see whether it still waits at once.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Who waits so soon after the start of a request, with no other started in between, has computed nothing meanwhile.
const AT_ONCE: Duration = Duration::from_micros(10);
/// So many waits in a row have to be like that before the next request is copied at issue.
const WAITS_COUNT_MIN: u32 = 4;
/// So many requests are copied at issue between two that are left to a worker.
const COPIES_COUNT: u32 = 16;

/// What is known of the callers of one handle. Requests that are copied at issue anyway are not counted.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    starts_count: AtomicU32,
    /// The number of the last one that was waited for, or needs no wait.
    waited: AtomicU32,
    /// Waits at once in a row, as far as they are needed; and from there on copies made at issue.
    score: AtomicU32,
}

/// When a request was started.
#[derive(Debug)]
pub(crate) struct Start {
    at: Instant,
    number: u32,
}

impl Waiting {
    /// Whether the caller of the next request is going to wait for it at once, as far as is known.
    pub(crate) fn is_expected_at_once(&self) -> bool {
        (WAITS_COUNT_MIN..WAITS_COUNT_MIN + COPIES_COUNT).contains(&self.score.load(Relaxed))
    }

    /// Notes that a request has been left to others.
    pub(crate) fn note_start(&self) -> Start {
        Start { number: self.starts_count.fetch_add(1, Relaxed).wrapping_add(1), at: Instant::now() }
    }

    /// Notes that a request has been copied at issue.
    pub(crate) fn note_copy(&self) {
        let number = self.starts_count.fetch_add(1, Relaxed).wrapping_add(1);
        self.waited.store(number, Relaxed);
        self.score.fetch_add(1, Relaxed);
    }

    /// Notes that somebody begins to wait for a request.
    pub(crate) fn note_wait(&self, start: &Start) {
        let is_last = self.starts_count.load(Relaxed) == start.number;
        let is_first = self.waited.swap(start.number, Relaxed) == start.number.wrapping_sub(1);
        self.note_wait_after(start.at.elapsed(), is_last && is_first);
    }

    fn note_wait_after(&self, time: Duration, is_alone: bool) {
        let at_once = is_alone && time < AT_ONCE;
        let score = if at_once { (self.score.load(Relaxed) + 1).min(WAITS_COUNT_MIN) } else { 0 };
        self.score.store(score, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One that waits at once after each of so many requests.
    fn hasty(waits_count: u32) -> Waiting {
        let waiting = Waiting::default();
        (0..waits_count).for_each(|_| waiting.note_wait_after(Duration::ZERO, true));
        waiting
    }

    #[test]
    fn some_waits_at_once_in_a_row_are_expected_to_go_on_and_one_later_wait_ends_it() {
        assert!(!hasty(WAITS_COUNT_MIN - 1).is_expected_at_once());
        let waiting = hasty(WAITS_COUNT_MIN);
        assert!(waiting.is_expected_at_once());
        waiting.note_wait_after(AT_ONCE, true);
        assert!(!waiting.is_expected_at_once());
        waiting.note_wait_after(Duration::ZERO, true);
        assert!(!waiting.is_expected_at_once());
    }

    #[test]
    fn who_waits_for_the_last_of_several_only_does_not_wait_at_once_for_each() {
        let waiting = Waiting::default();
        for _ in 0..10 * WAITS_COUNT_MIN {
            let [_first, last] = [waiting.note_start(), waiting.note_start()];
            waiting.note_wait(&last);
            assert!(!waiting.is_expected_at_once());
        }
        // One by one; somebody else may have the processor for longer than a moment now and then.
        let is_expected = (0..1000).any(|_| {
            waiting.note_wait(&waiting.note_start());
            waiting.is_expected_at_once()
        });
        assert!(is_expected);
    }

    #[test]
    fn now_and_then_a_request_is_left_to_a_worker_to_see_whether_it_is_still_so() {
        let waiting = hasty(10 * WAITS_COUNT_MIN);
        for _ in 0..COPIES_COUNT {
            assert!(waiting.is_expected_at_once());
            waiting.note_copy();
        }
        assert!(!waiting.is_expected_at_once());
        waiting.note_wait_after(Duration::ZERO, true);
        assert!(waiting.is_expected_at_once());
    }

    #[test]
    fn who_starts_another_request_before_the_wait_does_not_wait_at_once() {
        let waiting = hasty(WAITS_COUNT_MIN);
        let first = waiting.note_start();
        waiting.note_start();
        waiting.note_wait(&first);
        assert!(!waiting.is_expected_at_once());
    }
}
