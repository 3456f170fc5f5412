//! Files that are open only so that they need not be opened again: closed where the process may have no more open.

use crate::sys::fork::OfProcess;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Who keeps such files.
pub trait SpareFiles: Send + Sync {
    /// Closes those that nobody is using, without waiting for anybody. Tells whether there were any.
    fn close_unused(&self) -> bool;
}

static KEEPERS: OfProcess<Mutex<Vec<Weak<dyn SpareFiles>>>> =
    OfProcess::new([const { Mutex::new(Vec::new()) }; 2]);

/// From now on `keeper` is asked to close files where the process has as many open as it may; until it is dropped.
pub fn note_spare_files(keeper: Weak<dyn SpareFiles>) {
    let mut keepers = KEEPERS.lock().unwrap_or_else(PoisonError::into_inner);
    keepers.retain(|keeper| keeper.strong_count() > 0);
    keepers.push(keeper);
}

/// Closes all spare files of this process. Tells whether there were any.
pub(crate) fn close_spare_files() -> bool {
    let keepers = KEEPERS.lock().unwrap_or_else(PoisonError::into_inner);
    let keepers: Vec<Arc<dyn SpareFiles>> = keepers.iter().filter_map(Weak::upgrade).collect();
    keepers.iter().filter(|keeper| keeper.close_unused()).count() > 0
}
