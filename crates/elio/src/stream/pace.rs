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
mod tests;
