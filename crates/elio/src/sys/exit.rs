//! What is done when the program ends, by the process that has the threads to do it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// What to call at the end, in the order in which it came.
static CALLS: Mutex<Vec<fn()>> = Mutex::new(Vec::new());
/// The process whose files and threads these are.
static PROCESS: OnceLock<u32> = OnceLock::new();
static ENDING: AtomicBool = AtomicBool::new(false);
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
    // One after the other, without the lock: a function may arrange for more.
    while let Some(function) = CALLS.lock().ok().and_then(|mut calls| calls.pop()) {
        function();
    }
}

/// Locks, while the program ends, what others hold for a moment: not for ever, because a signal handler may have interrupted who holds it.
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
