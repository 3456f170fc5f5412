//! Signals that ask the program to end, unless whoever started it has them ignored, as `nohup` does: a flag that every loop looks at, so that what was begun is taken back. A second one of
//! the same kind ends the program where it is.

use crate::error::{Error, Result, report};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::{fs, io, thread};

/// The signals that are listened for.
const ENDING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

static ARRIVED: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// Those of `signals` that nobody has ignored.
fn not_ignored(signals: &[i32]) -> Vec<i32> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    signals.iter().copied().filter(|&signal| !is_ignored(&status, signal)).collect()
}

/// What `/proc/self/status` says: a bit for each signal, the first is the lowest.
fn is_ignored(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}

/// From now on a write beyond the largest file that the program may make (`ulimit -f`), or that the file system has, fails with an
/// error; the signal that comes with it, which would end the program with half a file left, does nothing.
///
/// # Errors
/// What the system says.
pub fn outlive_file_size_limit() -> io::Result<()> {
    for signal in not_ignored(&[SIGXFSZ]) {
        // A flag that nobody looks at, because to ignore a signal is unsafe code.
        signal_hook::flag::register(signal, Arc::default())?;
    }
    Ok(())
}

/// From now on signals are noted.
///
/// # Errors
/// What the system says.
pub fn listen() -> io::Result<()> {
    let arrived = ARRIVED.get_or_init(Arc::default);
    for signal in not_ignored(&ENDING) {
        let twice = Arc::new(AtomicBool::new(false));
        // In this order: the first signal sets the flag after it was looked at.
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&twice))?;
        signal_hook::flag::register(signal, twice)?;
        let number = usize::try_from(signal).unwrap_or_default();
        signal_hook::flag::register_usize(signal, Arc::clone(arrived), number)?;
    }
    Ok(())
}

/// From now on a signal ends the process where it is, as if nobody had asked for it; but `last_words` are printed before, as an
/// error, until they are [withdrawn](withdraw).
///
/// # Errors
/// What the system says.
pub fn end_at_once(last_words: &'static str) -> io::Result<()> {
    *words() = Some(last_words);
    let mut arriving = Signals::new(not_ignored(&ENDING))?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in arriving.forever() {
            if let Some(words) = words().take() {
                report(&words, None);
            }
            // Ends the process.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

/// From now on a signal has other last words, where it has any.
pub fn change_last_words(last_words: &'static str) {
    if let Some(words) = words().as_mut() {
        *words = last_words;
    }
}

/// There is nothing more to be said at the end.
pub fn withdraw() {
    words().take();
}

fn words() -> MutexGuard<'static, Option<&'static str>> {
    static LAST_WORDS: Mutex<Option<&'static str>> = Mutex::new(None);
    LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An error if a signal has arrived.
///
/// # Errors
/// - [`Error::Interrupted`]: it has.
pub fn check() -> Result<()> {
    match ARRIVED.get().map_or(0, |arrived| arrived.load(Ordering::Relaxed)) {
        0 => Ok(()),
        signal => Err(Error::Interrupted { signal }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_bits_of_a_mask() {
        let status = "Name:\tchemio\nSigBlk:\t0000000000000002\nSigIgn:\t0000000000001001\n";
        assert_eq!([SIGINT, SIGTERM, SIGHUP].map(|signal| is_ignored(status, signal)), [false, false, true]);
        assert!(!is_ignored("", SIGHUP), "what cannot be known is listened for");
    }
}
