//! Signals that ask the program to end: a flag that every loop looks at, so that what was begun is taken back. A second one of
//! the same kind ends the program where it is.

use crate::error::{Error, Result, report};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::{io, thread};

static ARRIVED: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// From now on signals are noted.
///
/// # Errors
/// What the system says.
pub fn listen() -> io::Result<()> {
    let arrived = ARRIVED.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM, SIGHUP] {
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
    let mut arriving = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
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
