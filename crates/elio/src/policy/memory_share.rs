//! How much of the page cache this process may fill.

use crate::policy::cores::ranks_on_node;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Free memory changes; asking costs two small files, so the answer is kept for a while.
const ANSWER_LIFE: Duration = Duration::from_secs(1);

/// The bytes of page cache this process may count on: half of what the node (or the control group) has free, divided
/// by the ranks on the node. Half, because the application's own arrays come out of the same memory.
///
/// Waits for nobody: whoever is asking may have been interrupted for ever, or be a thread that this forked child does not have.
pub(crate) fn share_bytes() -> u64 {
    const UNKNOWN: u64 = u64::MAX;
    static SHARE: AtomicU64 = AtomicU64::new(UNKNOWN);
    static ASKED: Mutex<Option<Instant>> = Mutex::new(None);
    if let Ok(mut asked) = ASKED.try_lock()
        && asked.is_none_or(|at| at.elapsed() > ANSWER_LIFE)
    {
        *asked = Some(Instant::now());
        SHARE.store(ask(), Ordering::Relaxed);
    }
    match SHARE.load(Ordering::Relaxed) {
        UNKNOWN => ask(),
        share_bytes => share_bytes,
    }
}

fn ask() -> u64 {
    node::available_bytes().unwrap_or(u64::MAX) / 2 / ranks_on_node()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_this_process_is_some_memory() {
        assert!(share_bytes() > 0);
    }
}
