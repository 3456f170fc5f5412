//! Whether getting a file onto its device early is worth it: how fast the device takes it, beside how fast it is being filled.
//!
//! A sync finds done what the device took while the writer was writing: nearly all of it where the device is as fast as the page cache is
//! filled, a tenth where it is a tenth as fast. But the processor works on it, in the kernel and on a virtual machine also in its host,
//! just while the writers want it. On two processors and a virtual disk of 0.5 GB/s two ranks filled the cache at 2.9 GB/s without
//! and at 1.9 GB/s with an early start, for 3 % of the time until all was on the device.
//!
//! What counts is when data is durable: a disk with a cache of its own (one of a virtual machine has the memory of the host) takes the first
//! hundred megabytes at several times the speed at which it keeps them. So it is measured how long a few megabytes take until they are
//! kept. A sync of the file would tell as well, but two ranks on two processors lose a sixth of
//! their speed to it: see [`Device::settle`](crate::Device::settle).
//!
//! What was measured counts for all files of a file system, for some seconds: the next file need not wait for it. But a
//! few megabytes may be unlucky, so what was found too slow is looked at again, less and less often.

use crate::device::Settled;
use crate::sys::fork::OfProcess;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// An early start is worth it where the device takes at least one part in so many of what is written in the same time. A virtual disk
/// of 1.3 GB/s had 256 MB, written in pieces of 1 MB at 4.5 to 5.5 GB/s, 7 to 28 % sooner for it, and filling the cache took 5 to
/// 14 % longer; one of 0.5 GB/s had them no sooner.
const WRITER_TO_DEVICE_MAX: u64 = 5;
/// And to have it settled early, where the device takes at least one part in so many: such a writer does something else in between, or
/// the device is fast.
const WRITER_TO_SETTLER_MAX: u64 = 2;
/// What is started at once: large enough for good device requests, small enough to keep the device busy while the caller goes on. As
/// much is measured: half of it is done sooner, but the same disk then seemed up to four times as slow now and then.
pub(super) const STEP_BYTES: u64 = 8 << 20;
/// How fast the file is filled is told by about so much that was written last.
const REMEMBERED_BYTES: u64 = 256 << 20;

/// For so long a device counts as being as fast as it was.
const RATE_LASTS: Duration = Duration::from_secs(10);
/// A device that was too slow is measured again after so many steps, and then after twice as many each time.
const STEPS_UNTIL_AGAIN: u64 = 4;

/// What to do with a step that is full.
#[derive(Debug)]
pub(super) enum Advice {
    /// Make it durable, and measure how long that takes. If all of the file is synced for it, so many bytes were not on their way before.
    Measure { measurement: Arc<Measurement>, unsent_bytes: u64 },
    /// Keep it until the measurement that is under way has ended.
    Keep,
    /// Start it on its way, and if it `settles`, see to it now and then that the disk keeps what it has taken.
    Start { settles: bool },
    /// Leave it to the kernel.
    Leave,
}

/// How fast a device took what was written, in bytes per second, and when that was.
#[derive(Clone, Copy, Debug)]
struct Found {
    rate: u64,
    at: Instant,
}

/// What was found last, by the numbers of file systems.
static OF_FILE_SYSTEMS: OfProcess<Mutex<BTreeMap<u64, Found>>> =
    OfProcess::new([const { Mutex::new(BTreeMap::new()) }; 2]);

/// How fast the device of a file takes what is written.
#[derive(Debug, Default)]
pub(super) struct Measurement {
    /// Of which file system it is, where that is known.
    file_system: Option<u64>,
    found: Mutex<Option<Found>>,
    /// The file is synced for it, with all that was to be left to the kernel: that is done once for each opening, and holds for it.
    is_dear: AtomicBool,
}

impl Measurement {
    /// Measures `settle`, of a step of so many bytes, or of all that was not on its way, when nothing else is.
    pub(super) fn make(
        &self,
        step_bytes: u64,
        unsent_bytes: u64,
        settle: impl FnOnce() -> io::Result<Settled>,
    ) {
        let begin = Instant::now();
        let settled = settle();
        let end = Instant::now();
        match settled {
            Ok(Settled::Ranges) => self.end(step_bytes, end - begin, end),
            Ok(Settled::Everything) => {
                self.is_dear.store(true, Ordering::Relaxed);
                self.end(unsent_bytes, end - begin, end);
            }
            Err(error) => {
                tracing::debug!(%error, "a device whose speed is not known is left to the kernel");
                // That says nothing of other files.
                *self.found() = Some(Found { rate: 0, at: end });
            }
        }
    }

    fn end(&self, settled_bytes: u64, taken: Duration, at: Instant) {
        let found = Found { rate: rate(settled_bytes, taken), at };
        *self.found() = Some(found);
        if let Some(number) = self.file_system {
            of_file_systems().insert(number, found);
        }
    }

    fn found(&self) -> MutexGuard<'_, Option<Found>> {
        self.found.lock().expect("no thread panics while it notes a speed")
    }

    /// The last that was found of this file's device, by this file or another one.
    fn last(&self) -> Option<Found> {
        let of_others = self.file_system.and_then(|number| of_file_systems().get(&number).copied());
        let own = *self.found();
        own.into_iter().chain(of_others).max_by_key(|found| found.at)
    }
}

fn of_file_systems() -> MutexGuard<'static, BTreeMap<u64, Found>> {
    OF_FILE_SYSTEMS.lock().expect("no thread panics while it notes a speed")
}

/// How fast a file is filled, and its device.
#[derive(Debug, Default)]
pub(super) struct Pace {
    device: Arc<Measurement>,
    /// Written since something was sent to the device.
    unsent_bytes: u64,
    /// When one was begun whose end has not been seen.
    measured_since: Option<Instant>,
    /// Steps until a device that is too slow is measured again, and after that.
    steps_until_again: u64,
    steps_until_next: u64,
    /// Since when so much was written.
    since: Option<Instant>,
    written_bytes: u64,
}

impl Pace {
    /// Of a file whose device is known.
    #[cfg(test)]
    pub(super) fn on_device(step_bytes: u64, taken: Duration) -> Self {
        let pace = Self { steps_until_again: u64::MAX, ..Self::default() };
        pace.device.end(step_bytes, taken, Instant::now() + Duration::from_secs(3600));
        pace
    }

    /// What a sync now makes durable.
    #[cfg(test)]
    pub(super) fn unsent_bytes(&self) -> u64 {
        self.unsent_bytes
    }

    /// Notes what was written to a file of this file system.
    pub(super) fn note(&mut self, written_bytes: u64, file_system: Option<u64>) {
        if self.device.file_system != file_system && self.written_bytes == 0 {
            self.device = Arc::new(Measurement { file_system, ..Measurement::default() });
        }
        self.since.get_or_insert_with(Instant::now);
        self.written_bytes += written_bytes;
        self.unsent_bytes += written_bytes;
    }

    /// A step is full.
    pub(super) fn advise(&mut self, now: Instant) -> Advice {
        let last = self.device.last();
        let is_dear = self.device.is_dear.load(Ordering::Relaxed);
        let may_measure = !self.is_measured_still() && !is_dear;
        let is_fresh = |found: &Found| now.saturating_duration_since(found.at) < RATE_LASTS;
        let Some(found) = last.filter(|found| !may_measure || is_fresh(found)) else {
            return if may_measure { self.measure(now) } else { Advice::Keep };
        };
        let writer = self.rate_of_writer(now);
        let is_fast = |ratio_max| found.rate.saturating_mul(ratio_max) >= writer;
        if is_fast(WRITER_TO_DEVICE_MAX) {
            if may_measure {
                (self.steps_until_again, self.steps_until_next) = (0, 0);
            }
            self.unsent_bytes = 0;
            return Advice::Start { settles: is_fast(WRITER_TO_SETTLER_MAX) && !is_dear };
        }
        if may_measure && self.steps_until_again == 0 {
            return self.measure(now);
        }
        self.steps_until_again -= u64::from(may_measure);
        Advice::Leave
    }

    fn measure(&mut self, now: Instant) -> Advice {
        self.measured_since = Some(now);
        self.steps_until_again = self.steps_until_next.max(STEPS_UNTIL_AGAIN);
        self.steps_until_next = self.steps_until_again.saturating_mul(2);
        let unsent_bytes = std::mem::take(&mut self.unsent_bytes);
        Advice::Measure { measurement: Arc::clone(&self.device), unsent_bytes }
    }

    /// Not any more either when whoever was to do it has given it up, because the device is closed.
    fn is_measured_still(&mut self) -> bool {
        let ended = self.device.found().map(|found| found.at);
        let is_given_up = Arc::strong_count(&self.device) == 1;
        self.measured_since.take_if(|since| is_given_up || ended.is_some_and(|ended| ended >= *since));
        self.measured_since.is_some()
    }

    fn rate_of_writer(&mut self, now: Instant) -> u64 {
        let since = *self.since.get_or_insert(now);
        let taken = now.saturating_duration_since(since);
        let writer = rate(self.written_bytes, taken);
        if self.written_bytes >= 2 * REMEMBERED_BYTES {
            self.written_bytes /= 2;
            self.since = Some(since + taken / 2);
        }
        writer
    }
}

fn rate(bytes: u64, taken: Duration) -> u64 {
    let nanos = taken.as_nanos().max(1);
    u64::try_from(u128::from(bytes) * 1_000_000_000 / nanos).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that is filled by steps, and the time by its own clock.
    struct Filled {
        pace: Pace,
        now: Instant,
        file_system: Option<u64>,
    }

    impl Filled {
        /// Nothing is known of its file system.
        fn new(file_system: Option<u64>, now: Instant) -> Self {
            let mut pace = Pace { since: Some(now), ..Pace::default() };
            pace.note(0, file_system);
            Self { pace, now, file_system }
        }

        /// The first step was filled in 4 milliseconds, and its device takes one in `device_millis`.
        fn on_device(device_millis: u64) -> Self {
            let mut filled = Self::new(None, Instant::now());
            filled.measures(device_millis);
            filled
        }

        /// The next step is measured.
        fn measures(&mut self, device_millis: u64) {
            let Advice::Measure { measurement, .. } = self.step(4) else { panic!("it is known") };
            measurement.end(STEP_BYTES, Duration::from_millis(device_millis), self.now);
        }

        fn step(&mut self, millis: u64) -> Advice {
            self.now += Duration::from_millis(millis);
            self.pace.note(STEP_BYTES, self.file_system);
            self.pace.advise(self.now)
        }
    }

    #[test]
    fn what_is_not_known_yet_is_kept_and_what_was_known_counts_until_more_is() {
        let mut filled = Filled::new(None, Instant::now());
        let Advice::Measure { measurement: first, .. } = filled.step(4) else { panic!("nothing is known") };
        assert!(matches!(filled.step(4), Advice::Keep), "it is being measured");
        first.end(STEP_BYTES, Duration::from_millis(1), filled.now);
        assert!(matches!(filled.step(4), Advice::Start { .. }));
        filled.now += RATE_LASTS;
        let Advice::Measure { measurement: second, .. } = filled.step(4) else { panic!("that was long ago") };
        assert!(matches!(filled.step(4), Advice::Start { .. }));
        second.end(STEP_BYTES, Duration::from_secs(60), filled.now);
        assert!(matches!(filled.step(4), Advice::Leave));
    }

    #[test]
    fn what_one_file_has_found_counts_for_the_others_of_its_file_system() {
        let now = Instant::now();
        let [one, another] = [Some(u64::MAX), Some(u64::MAX - 1)];
        Filled::new(one, now).measures(1);
        assert!(matches!(Filled::new(one, now).step(4), Advice::Start { settles: true }));
        assert!(matches!(Filled::new(another, now).step(4), Advice::Measure { .. }));
        assert!(matches!(Filled::new(one, now + 2 * RATE_LASTS).step(4), Advice::Measure { .. }));
    }

    #[test]
    fn a_device_that_was_too_slow_is_measured_again_and_less_and_less_often() {
        let mut filled = Filled::on_device(1000);
        for pause in [STEPS_UNTIL_AGAIN, 2 * STEPS_UNTIL_AGAIN, 4 * STEPS_UNTIL_AGAIN] {
            for step in 0..pause {
                assert!(matches!(filled.step(4), Advice::Leave), "{step} of {pause}");
            }
            let Advice::Measure { measurement, .. } = filled.step(4) else { panic!("after {pause}") };
            // Steps do not count meanwhile.
            for _ in 0..100 {
                assert!(matches!(filled.step(4), Advice::Leave));
            }
            measurement.end(STEP_BYTES, Duration::from_secs(1), filled.now);
        }
        for _ in 0..8 * STEPS_UNTIL_AGAIN {
            assert!(matches!(filled.step(4), Advice::Leave));
        }
        // Nor when it was fast in between: then it begins anew.
        filled.measures(1);
        assert!(matches!(filled.step(4), Advice::Start { .. }));
        filled.pace.device.end(STEP_BYTES, Duration::from_secs(1), filled.now);
        filled.measures(1000);
        for _ in 0..STEPS_UNTIL_AGAIN {
            assert!(matches!(filled.step(4), Advice::Leave));
        }
        filled.measures(1000);
    }

    #[test]
    fn where_the_file_is_synced_to_measure_that_is_done_once_and_counts_what_was_not_sent() {
        let file_system = Some(u64::MAX - 3);
        let now = Instant::now();
        Filled::new(file_system, now).measures(1);
        let mut filled = Filled::new(file_system, now);
        for _ in 0..100 {
            assert!(matches!(filled.step(4), Advice::Start { settles: true }), "another has found it");
        }
        filled.now += RATE_LASTS;
        let Advice::Measure { measurement, unsent_bytes } = filled.step(4) else { panic!("long ago") };
        assert_eq!(unsent_bytes, STEP_BYTES, "all others were sent");
        assert!(matches!(filled.step(4), Advice::Start { .. }));
        measurement.make(STEP_BYTES, unsent_bytes, || {
            std::thread::sleep(Duration::from_millis(1));
            Ok(Settled::Everything)
        });
        let found = measurement.found().expect("measured");
        assert!((1..=rate(STEP_BYTES, Duration::from_millis(1))).contains(&found.rate), "{found:?}");
        drop(measurement);
        for _ in 0..1000 {
            let advice = filled.step(100 * 1000);
            assert!(matches!(advice, Advice::Start { settles: false } | Advice::Leave), "{advice:?}");
        }
    }

    #[test]
    fn a_measurement_that_nobody_makes_and_one_that_fails_are_none() {
        let now = Instant::now();
        let mut filled = Filled::new(Some(u64::MAX - 2), now);
        for _ in 0..2 {
            assert!(matches!(filled.step(4), Advice::Measure { .. }), "it was given up at once");
        }
        filled.now = Instant::now();
        let Advice::Measure { measurement, .. } = filled.step(0) else { panic!("nothing is known") };
        measurement.make(STEP_BYTES, STEP_BYTES, || Err(io::ErrorKind::Other.into()));
        drop(measurement);
        let again = (0..1000).position(|_| matches!(filled.step(4), Advice::Measure { .. }));
        assert!(again.is_some_and(|steps| steps as u64 >= STEPS_UNTIL_AGAIN), "{again:?}");
        assert!(matches!(Filled::new(Some(u64::MAX - 2), now).step(4), Advice::Measure { .. }));
    }

    #[test]
    fn a_device_that_takes_a_fair_part_is_given_it_early_and_a_slow_one_is_left_to_the_kernel() {
        assert!(matches!(Filled::on_device(1).step(4), Advice::Start { settles: true }));
        assert!(matches!(Filled::on_device(7).step(4), Advice::Start { settles: true }));
        assert!(matches!(Filled::on_device(19).step(4), Advice::Start { settles: false }));
        assert!(matches!(Filled::on_device(21).step(4), Advice::Leave));
    }

    #[test]
    fn a_slow_device_is_fast_enough_for_a_writer_that_computes_in_between() {
        let mut filled = Filled::on_device(100);
        assert!(matches!(filled.step(4), Advice::Leave));
        assert!(matches!(filled.step(300), Advice::Start { settles: true }));
        // And not any more when it has written faster for a while.
        let starts = (0..1000).position(|_| matches!(filled.step(4), Advice::Leave)).expect("a slow device");
        assert!((1..100).contains(&starts), "{starts}");
    }

    #[test]
    fn what_is_written_during_a_measurement_does_not_count() {
        let mut pace = Pace::default();
        pace.note(STEP_BYTES, None);
        let measurement = Arc::clone(&pace.device);
        measurement.make(STEP_BYTES, pace.unsent_bytes(), || {
            pace.note(1 << 50, None);
            std::thread::sleep(Duration::from_millis(1));
            Ok(Settled::Everything)
        });
        assert!(measurement.last().is_some_and(|found| found.rate <= STEP_BYTES * 1000));
    }
}
