//! Whether this process was forked from one that used this crate. Such a child has none of its parent's threads, and its parent's
//! ring is not its own: both would use the same memory of the kernel.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};

static IS_CHILD: AtomicBool = AtomicBool::new(false);
/// What is done before a child is made.
static BEFORE: OnceLock<fn()> = OnceLock::new();

/// What a process has one of. A forked child begins with another, because its parent's may be locked by a thread that it does not have, and
/// that would be for ever. To lock all of it while a child is made would be no better: a signal handler that makes one could have interrupted
/// whoever has a lock. A child of a child shares that of the child.
#[derive(Debug)]
pub(crate) struct OfProcess<T>([T; 2]);

impl<T> OfProcess<T> {
    /// What the first process has and what its children have: equal to begin with.
    pub(crate) const fn new(both: [T; 2]) -> Self {
        Self(both)
    }
}

impl<T> OfProcess<OnceLock<T>> {
    /// Nothing yet. What is being made for the first time while a child is made would never be there in the child.
    pub(crate) const fn empty() -> Self {
        Self([const { OnceLock::new() }; 2])
    }
}

impl OfProcess<Once> {
    /// Not done yet, as [`empty`](OfProcess::empty).
    pub(crate) const fn undone() -> Self {
        Self([const { Once::new() }; 2])
    }
}

impl<T> Deref for OfProcess<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0[usize::from(is_child())]
    }
}

/// From now on a child of this process knows that it is one: to be called before there is anything that it must not use.
pub(crate) fn watch() {
    static WATCHED: Once = Once::new();
    // Another thread of the parent may just have been at it.
    if is_child() {
        return;
    }
    WATCHED.call_once(|| {
        // SAFETY: the functions have the type the call expects and live as long as the program. The one in the child only stores to an
        // atomic, which may be done in a child of a process with threads.
        let code = unsafe { libc::pthread_atfork(Some(call_before), None, Some(note_child)) };
        if code != 0 {
            tracing::warn!(
                code,
                "forked children must not use files: they would not know that they are children"
            );
        }
    });
}

/// Arranges for `function` to be called before a child is made: the first that is given.
pub(crate) fn before(function: fn()) {
    watch();
    if !is_child() {
        BEFORE.get_or_init(|| function);
    }
}

/// Whether this process is a forked child of one that watched for them.
pub fn is_child() -> bool {
    IS_CHILD.load(Ordering::Relaxed)
}

extern "C" fn call_before() {
    if let Some(function) = BEFORE.get() {
        function();
    }
}

extern "C" fn note_child() {
    IS_CHILD.store(true, Ordering::Relaxed);
}

/// Tests that make children in a process where other tests run.
#[cfg(test)]
pub(crate) mod in_tests {
    use std::mem;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Only what hangs takes longer.
    const PATIENCE_SECONDS: u32 = 60;

    /// Whether a child in which `locked` stays so for ever does `work`, and that well.
    pub(crate) fn child_does<L>(locked: L, work: impl FnOnce() -> bool) -> bool {
        super::watch();
        // SAFETY: the child calls this crate and the allocator, whose locks the C library looks after, and ends by `_exit`.
        let child = unsafe { libc::fork() };
        if child == 0 {
            mem::forget(locked);
            // SAFETY: no memory is passed.
            unsafe { libc::alarm(PATIENCE_SECONDS) };
            let is_well = catch_unwind(AssertUnwindSafe(work)).unwrap_or(false);
            // SAFETY: as above.
            unsafe { libc::_exit(i32::from(!is_well)) };
        }
        drop(locked);
        let mut status = 0;
        // SAFETY: `status` has room for what the call fills in.
        let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
        child > 0 && ended == child && status == 0
    }
}
