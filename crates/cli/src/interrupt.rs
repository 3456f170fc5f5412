//! Signals that ask the program to end: a flag that every loop looks at, so that what was begun is taken back. A second one of
//! the same kind ends the program where it is.

use crate::error::{Error, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

static ARRIVED: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// From now on signals are noted.
pub(crate) fn listen() -> io::Result<()> {
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

/// An error if a signal has arrived.
pub(crate) fn check() -> Result<()> {
    match ARRIVED.get().map_or(0, |arrived| arrived.load(Ordering::Relaxed)) {
        0 => Ok(()),
        signal => Err(Error::Interrupted { signal }),
    }
}
