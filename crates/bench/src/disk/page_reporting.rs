//! A virtual machine with a balloon that has free page reporting gives free memory back to its host: two seconds after memory was
//! freed a part of all that is free goes, after two more seconds the next. A host that serves the disk by the same thread lets it
//! stand still meanwhile: after 6 GiB were freed, reading at 2.8 GB/s fell to 0.16 for half a second, every two and a half
//! seconds, four times. It hits whoever is reading then, so what is timed on the device waits until nothing is left to give
//! back, and if it needs memory that is really there ([`memory`](super::memory)), frees it directly before: that leaves two seconds.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

const INTERRUPTS: &str = "/proc/interrupts";
/// What the kernel calls the interrupt by which a host says that it has taken memory.
const REPORTING_INTERRUPT: &str = "-reporting_vq";
/// The kernel waits for two seconds between parts.
const QUIET: Duration = Duration::from_millis(2250);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Nothing is given back for two seconds after nothing was left to give; what ends within this time is not hit.
const CALM: Duration = Duration::from_millis(1900);
/// What takes a few tenths of a second takes less.
const BRIEF: Duration = Duration::from_millis(400);
/// Somebody else frees memory all the time.
const WAIT_MAX: Duration = Duration::from_secs(60);

static WAITS: AtomicBool = AtomicBool::new(!cfg!(test));
/// When nothing was left to give back.
static SETTLED: Mutex<Option<Instant>> = Mutex::new(None);

/// For runs whose figures mean nothing.
pub(crate) fn never_wait() {
    WAITS.store(false, Relaxed);
}

/// Returns when no memory was given back for as long as the kernel waits between parts; at once if this machine gives none.
pub(crate) fn settle() {
    wait_until_quiet();
    *SETTLED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

/// The same before what takes a few tenths of a second: not again soon after it was waited for.
pub(crate) fn settle_briefly() {
    if !is_calm_for(BRIEF, settled()) {
        settle();
    }
}

/// When it was waited for last.
pub(crate) fn settled() -> Option<Instant> {
    *SETTLED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether what takes so long can begin without waiting, if there was no waiting since `settled`, after which memory may have been freed.
pub(crate) fn is_calm_for(length: Duration, settled: Option<Instant>) -> bool {
    let is_calm = |at: Instant| at.elapsed() + length < CALM && self::settled() == Some(at);
    !WAITS.load(Relaxed) || !is_there() || settled.is_some_and(is_calm)
}

fn wait_until_quiet() {
    let Some(mut seen) = given_back().filter(|_| WAITS.load(Relaxed)) else { return };
    let begin = Instant::now();
    let mut quiet_since = begin;
    while quiet_since.elapsed() < QUIET {
        if begin.elapsed() > WAIT_MAX {
            eprintln!(
                "memory goes back to the host for {} s without end: measuring all the same",
                WAIT_MAX.as_secs()
            );
            return;
        }
        sleep(LOOK_EVERY);
        let now = given_back();
        if now != Some(seen) {
            (seen, quiet_since) = (now.unwrap_or(seen), Instant::now());
        }
    }
}

/// Whether this machine gives free memory back, as far as can be seen.
pub(crate) fn is_there() -> bool {
    given_back().is_some()
}

/// How often the host has taken memory, if it takes any.
fn given_back() -> Option<u64> {
    count(&fs::read_to_string(INTERRUPTS).ok()?)
}

/// Of all processors and all balloons. Lines are `32:   27147   0   PCI-MSIX-0000:00:01.0   4-edge   virtio0-reporting_vq`, with a
/// column for each processor of the head.
fn count(interrupts: &str) -> Option<u64> {
    let processors = interrupts.lines().next()?.split_whitespace().count();
    let of_line = |line: &str| {
        let counts = line.split_whitespace().skip(1).take(processors);
        counts.filter_map(|count| count.parse::<u64>().ok()).sum::<u64>()
    };
    interrupts
        .lines()
        .filter(|line| line.trim_end().ends_with(REPORTING_INTERRUPT))
        .map(of_line)
        .reduce(|a, b| a + b)
}

#[cfg(test)]
mod tests {
    use super::count;

    const WITHOUT: &str = "           CPU0       CPU1
 31:          0      14957 PCI-MSIX-0000:00:01.0   3-edge      virtio0-stats
 35:          0          1 PCI-MSIX-0000:00:02.0   0-edge      virtio1-config
NMI:          0          0   Non-maskable interrupts
";

    #[test]
    fn interrupts_of_all_processors_and_balloons_count() {
        let with = format!(
            "{WITHOUT} 32:      27147          3 PCI-MSIX-0000:00:01.0   4-edge      virtio0-reporting_vq\n \
             40:          0         10 PCI-MSIX-0000:00:07.0   4-edge      virtio5-reporting_vq\n"
        );
        assert_eq!(count(&with), Some(27160));
    }

    #[test]
    fn without_such_an_interrupt_there_is_nothing_to_wait_for() {
        assert_eq!(count(WITHOUT), None);
        assert_eq!(count(""), None);
    }
}
