//! Whether this process was forked from one that used this crate. Such a child has none of its parent's threads, and its parent's
//! ring is not its own: both would use the same memory of the kernel.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static IS_CHILD: AtomicBool = AtomicBool::new(false);

/// From now on a child of this process knows that it is one: to be called before there is anything that it must not use.
pub(crate) fn watch() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the function has the type the call expects, lives as long as the program, and only stores to an atomic, which may be
        // done in a child of a process with threads.
        let code = unsafe { libc::pthread_atfork(None, None, Some(note_child)) };
        if code != 0 {
            tracing::warn!(
                code,
                "forked children must not use files: they would not know that they are children"
            );
        }
    });
}

/// Whether this process is a forked child of one that watched for them.
pub(crate) fn is_child() -> bool {
    IS_CHILD.load(Ordering::Relaxed)
}

extern "C" fn note_child() {
    IS_CHILD.store(true, Ordering::Relaxed);
}
