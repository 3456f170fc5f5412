//! Whether getting a file onto its device early is worth it: how fast the device takes it, beside how fast it is being filled.
//!
//! A sync finds done what the device took while the writer was writing: nearly all of it where the device is as fast as the page cache is
//! filled, a tenth where it is a tenth as fast. But the processor works on it, in the kernel and on a virtual machine also in its host,
//! just while the writers want it. On two processors and a virtual disk of 0.5 GB/s two ranks filled the cache at 2.9 GB/s without
//! and at 1.9 GB/s with an early start, for 3 % of the time until all was on the device.
//!
//! What counts is when data is durable: a disk with a cache of its own (one of a virtual machine has the memory of the host) takes the first
//! hundred megabytes at several times the speed at which it keeps them. So it is measured, once for each opening of a file, how long
//! the first few megabytes take until they are kept. A sync of the file would tell as well, but two ranks on two processors lose a sixth of
//! their speed to it: see [`Device::settle`](crate::Device::settle).

use crate::device::Settled;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
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

/// What to do with a step that is full.
#[derive(Debug)]
pub(super) enum Advice {
    /// Make it durable, and measure how long that takes.
    Measure(Arc<Measurement>),
    /// Keep it until the measurement that is under way has ended.
    Keep,
    /// Start it on its way, and if it `settles`, see to it now and then that the disk keeps what it has taken.
    Start { settles: bool },
    /// Leave it to the kernel.
    Leave,
}

/// How fast the device of a file takes what is written.
#[derive(Debug, Default)]
pub(super) struct Measurement {
    written_bytes: AtomicU64,
    /// In bytes per second; zero before it is known.
    rate: AtomicU64,
}

impl Measurement {
    /// Measures `settle`, of a step of so many bytes.
    pub(super) fn make(&self, step_bytes: u64, settle: impl FnOnce() -> io::Result<Settled>) {
        let (written_bytes, begin) = (self.written_bytes.load(Ordering::Relaxed), Instant::now());
        let settled = settle();
        self.end(settled_bytes(settled, step_bytes, written_bytes), begin.elapsed());
    }

    fn end(&self, written_bytes: u64, taken: Duration) {
        self.rate.store(rate(written_bytes, taken).max(1), Ordering::Relaxed);
    }

    fn rate(&self) -> Option<u64> {
        Some(self.rate.load(Ordering::Relaxed)).filter(|&rate| rate > 0)
    }
}

/// How fast a file is filled, and its device.
#[derive(Debug, Default)]
pub(super) struct Pace {
    device: Arc<Measurement>,
    is_measured: bool,
    /// Since when so much was written.
    since: Option<Instant>,
    written_bytes: u64,
}

impl Pace {
    /// Of a file whose device is known.
    #[cfg(test)]
    pub(super) fn on_device(step_bytes: u64, taken: Duration) -> Self {
        let pace = Self { is_measured: true, ..Self::default() };
        pace.device.end(step_bytes, taken);
        pace
    }

    /// What a sync now makes durable.
    #[cfg(test)]
    pub(super) fn noted_bytes(&self) -> u64 {
        self.device.written_bytes.load(Ordering::Relaxed)
    }

    pub(super) fn note(&mut self, written_bytes: u64) {
        self.since.get_or_insert_with(Instant::now);
        self.written_bytes += written_bytes;
        self.device.written_bytes.fetch_add(written_bytes, Ordering::Relaxed);
    }

    /// A step is full.
    pub(super) fn advise(&mut self, now: Instant) -> Advice {
        if !std::mem::replace(&mut self.is_measured, true) {
            return Advice::Measure(Arc::clone(&self.device));
        }
        let Some(device) = self.device.rate() else { return Advice::Keep };
        let writer = self.rate_of_writer(now);
        let is_fast = |ratio_max| device.saturating_mul(ratio_max) >= writer;
        if is_fast(WRITER_TO_DEVICE_MAX) {
            Advice::Start { settles: is_fast(WRITER_TO_SETTLER_MAX) }
        } else {
            Advice::Leave
        }
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

/// How much was settled, of a step and of all that had been written before.
fn settled_bytes(settled: io::Result<Settled>, step_bytes: u64, written_bytes: u64) -> u64 {
    match settled {
        Ok(Settled::Ranges) => step_bytes,
        Ok(Settled::Everything) => written_bytes,
        Err(error) => {
            tracing::debug!(%error, "a device whose speed is not known is left to the kernel");
            0
        }
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
    }

    impl Filled {
        /// The first step was filled in 4 milliseconds, and its device takes one in `device_millis`.
        fn on_device(device_millis: u64) -> Self {
            let now = Instant::now();
            let mut filled = Self { pace: Pace { since: Some(now), ..Pace::default() }, now };
            let Advice::Measure(measurement) = filled.step(4) else { panic!("nothing is known") };
            assert!(matches!(filled.step(4), Advice::Keep), "it is being measured");
            measurement.end(STEP_BYTES, Duration::from_millis(device_millis));
            filled
        }

        fn step(&mut self, millis: u64) -> Advice {
            self.now += Duration::from_millis(millis);
            self.pace.note(STEP_BYTES);
            self.pace.advise(self.now)
        }
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
    fn what_was_settled_counts_and_nothing_where_that_failed() {
        let settled = |settled| settled_bytes(settled, 1, 10);
        assert_eq!((settled(Ok(Settled::Ranges)), settled(Ok(Settled::Everything))), (1, 10));
        assert_eq!(settled(Err(io::ErrorKind::Other.into())), 0);
    }

    #[test]
    fn what_is_written_during_a_measurement_does_not_count() {
        let mut pace = Pace::default();
        pace.note(STEP_BYTES);
        let measurement = Arc::clone(&pace.device);
        measurement.make(STEP_BYTES, || {
            pace.note(1 << 50);
            std::thread::sleep(Duration::from_millis(1));
            Ok(Settled::Everything)
        });
        assert!(measurement.rate().is_some_and(|rate| rate <= STEP_BYTES * 1000));
    }
}
