//! How much of the page cache this process may fill.

use crate::policy::cores::ranks_on_node;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Free memory changes; asking costs two small files, so the answer is kept for a while.
const ANSWER_LIFE: Duration = Duration::from_secs(1);

/// The bytes of page cache this process may count on: half of what the node (or the control group) has free, divided
/// by the ranks on the node. Half, because the application's own arrays come out of the same memory.
pub(crate) fn share_bytes() -> u64 {
    static SHARE: AtomicU64 = AtomicU64::new(0);
    static ASKED: Mutex<Option<Instant>> = Mutex::new(None);
    let mut asked = ASKED.lock().expect("asking for memory does not panic");
    if asked.is_none_or(|at| at.elapsed() > ANSWER_LIFE) {
        *asked = Some(Instant::now());
        let available_bytes = node::available_bytes().unwrap_or(u64::MAX);
        SHARE.store(available_bytes / 2 / ranks_on_node(), Ordering::Relaxed);
    }
    SHARE.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_this_process_is_some_memory() {
        assert!(share_bytes() > 0);
    }
}
