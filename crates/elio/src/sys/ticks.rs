//! A clock for short times: reading it costs a third of what `Instant` does, which is felt in calls that only copy a
//! kilobyte.

use crate::sys::fork::OfProcess;
use std::sync::OnceLock;
use std::time::Instant;

/// What a count of ticks is measured against.
#[derive(Debug)]
struct Origin {
    instant: Instant,
    counter: u64,
    /// The processor's counter is what the kernel keeps its time with, so it is steady and the same on all processors.
    counts: bool,
}

/// The kernel's clock source, if the counter can be read from here.
#[cfg(target_arch = "x86_64")]
const COUNTER_SOURCE: Option<&str> = Some("tsc");
#[cfg(not(target_arch = "x86_64"))]
const COUNTER_SOURCE: Option<&str> = None;

#[cfg(target_arch = "x86_64")]
fn counter() -> u64 {
    // SAFETY: reading the time stamp counter has no effect but its result.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn counter() -> u64 {
    0
}

fn origin() -> &'static Origin {
    static ORIGIN: OfProcess<OnceLock<Origin>> = OfProcess::empty();
    ORIGIN.get_or_init(|| {
        let source =
            std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
        let counts = source.is_ok_and(|source| Some(source.trim()) == COUNTER_SOURCE);
        Origin { instant: Instant::now(), counter: counter(), counts }
    })
}

/// A moment, as a count of ticks of unknown length since the first one asked for.
pub fn ticks() -> u64 {
    let origin = origin();
    if origin.counts {
        counter().wrapping_sub(origin.counter)
    } else {
        u64::try_from(origin.instant.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// How long a tick is, in seconds: measured over all the time since the first one.
#[allow(clippy::cast_precision_loss)] // a mean over billions of ticks
pub fn tick_seconds() -> f64 {
    let origin = origin();
    if origin.counts {
        let ticks = ticks().max(1);
        origin.instant.elapsed().as_secs_f64() / ticks as f64
    } else {
        1e-9
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    #[allow(clippy::cast_precision_loss)] // a few milliseconds
    fn ticks_measure_a_sleep() {
        let begin = ticks();
        std::thread::sleep(Duration::from_millis(30));
        let seconds = (ticks() - begin) as f64 * tick_seconds();
        assert!(seconds >= 0.0299, "{seconds} s of at least 0.03 were counted");
    }
}
