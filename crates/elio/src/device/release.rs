//! Gives back space that was allocated ahead of a writer, after its file was closed: a helper does it, because the
//! file system may wait for a discard, or the end of the program, whichever comes first.

use crate::pool;
use crate::queue::Queue;
use crate::sys::{calls, exit};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Mutex, Once};

/// Files whose space beyond a length is to be given back.
static WAITING: Mutex<Vec<(OwnedFd, u64)>> = Mutex::new(Vec::new());

/// Arranges for what is allocated beyond `len_bytes` to be given back.
pub(super) fn later(fd: OwnedFd, len_bytes: u64) {
    static AT_EXIT: Once = Once::new();
    AT_EXIT.call_once(|| exit::at_exit(release_all));
    if let Ok(mut waiting) = WAITING.lock() {
        waiting.push((fd, len_bytes));
        drop(waiting);
        pool::writeback(Queue::default()).run(release_all);
    }
}

fn release_all() {
    while let Some((fd, len_bytes)) = WAITING.lock().ok().and_then(|mut waiting| waiting.pop()) {
        if let Err(error) = calls::release_beyond(fd.as_fd(), len_bytes) {
            tracing::debug!(%error, "space allocated ahead stays with the file");
        }
    }
}
