//! What is done when the program ends, by the process that has the threads to do it.

use super::fork::{self, OfProcess};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// Who is just adding a call has so much time.
const CALLS_PATIENCE: Duration = Duration::from_millis(100);
type Calls = Mutex<Vec<fn()>>;

/// What to call at the end, in the order in which it came.
static CALLS: OfProcess<Calls> = OfProcess::new([const { Mutex::new(Vec::new()) }; 2]);
/// The process whose files and threads these are.
static PROCESS: OnceLock<u32> = OnceLock::new();
static ENDING: AtomicBool = AtomicBool::new(false);
/// See [`finish_writes_in_calls`].
static FINISHES_WRITES: AtomicBool = AtomicBool::new(false);
/// The thread that does it.
static THREAD: OnceLock<libc::pthread_t> = OnceLock::new();

/// Arranges for `function` to run when this process ends by `exit` or by returning from main; the last one first.
pub(crate) fn at_exit(function: fn()) {
    CALLS.lock().unwrap_or_else(PoisonError::into_inner).push(function);
    register();
}

/// As [`at_exit`], but after all that is arranged for otherwise.
pub(crate) fn last_at_exit(function: fn()) {
    CALLS.lock().unwrap_or_else(PoisonError::into_inner).insert(0, function);
    register();
}

fn register() {
    if fork::is_child() {
        return;
    }
    PROCESS.get_or_init(|| {
        // SAFETY: the function has the type the call expects and lives as long as the program. A failure to register
        // (out of memory) leaves behaviour as if the process were killed, which is documented.
        let _ = unsafe { libc::atexit(run) };
        std::process::id()
    });
}

/// Whether this process is ending. A signal handler may have ended it, and have interrupted for ever whoever holds a lock.
pub(crate) fn is_ending() -> bool {
    ENDING.load(Ordering::Relaxed)
}

/// From now on every write is finished in the call that makes it: to be called where what a program that ends has written is handed over,
/// because nobody does so again for what exit handlers write that come later.
pub fn finish_writes_in_calls() {
    FINISHES_WRITES.store(true, Ordering::Relaxed);
}

/// Whether nobody may tell any more what is only told by a later call.
pub(crate) fn is_after_hand_over() -> bool {
    FINISHES_WRITES.load(Ordering::Relaxed)
}

/// Whether a write has to be finished in its call: also in a forked child, which ends without handing over anything.
pub fn finishes_writes() -> bool {
    is_after_hand_over() || fork::is_child()
}

/// Whether this thread does what is done when the program ends: what a signal handler has interrupted may be a call of its own.
pub(crate) fn is_ending_here() -> bool {
    is_ending() && THREAD.get() == Some(&this_thread())
}

/// Also when what threads keep for themselves is gone.
fn this_thread() -> libc::pthread_t {
    // SAFETY: it has no arguments and does not fail.
    unsafe { libc::pthread_self() }
}

/// A forked child that ends has our requests and none of the threads that carry them out: it would wait for ever.
extern "C" fn run() {
    if PROCESS.get() != Some(&std::process::id()) {
        return;
    }
    THREAD.get_or_init(this_thread);
    ENDING.store(true, Ordering::Relaxed);
    finish_writes_in_calls();
    // One after the other, without the lock: a function may arrange for more.
    while let Some(function) = lock_for_a_moment(&CALLS, CALLS_PATIENCE).and_then(|mut calls| calls.pop()) {
        function();
    }
}

/// Locks what others hold for a moment: not for ever, because a signal handler that ends the program may have interrupted who holds it.
pub(crate) fn lock_for_a_moment<T>(mutex: &Mutex<T>, patience: Duration) -> Option<MutexGuard<'_, T>> {
    let begin = Instant::now();
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(_)) => return None,
            Err(TryLockError::WouldBlock) if begin.elapsed() >= patience => return None,
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Tests of what is otherwise while a program ends, in a child of theirs.
#[cfg(test)]
pub(crate) mod in_tests {
    use super::*;

    pub(crate) fn end() {
        assert!(fork::is_child(), "other tests go on");
        ENDING.store(true, Ordering::Relaxed);
    }
}
