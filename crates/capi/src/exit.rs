//! The end of the program, or of MPI: nothing that was written may be lost with it.

use crate::boundary;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

/// How long a program that ends in the middle of one of its calls waits for what it has written.
const INTERRUPTED_WAIT: Duration = Duration::from_secs(5);

/// What to call, each once.
#[derive(Debug)]
struct Calls(Mutex<Vec<fn()>>);

static AT_EXIT: Calls = Calls(Mutex::new(Vec::new()));
static LAST_AT_EXIT: Calls = Calls(Mutex::new(Vec::new()));
static BEFORE_MPI_ENDS: Calls = Calls(Mutex::new(Vec::new()));
/// The process that has files to hand over.
static PROCESS: OnceLock<u32> = OnceLock::new();
static REGISTERED: Once = Once::new();
/// See [`is_interrupted`].
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

impl Calls {
    fn add(&self, call: fn()) {
        let mut calls = self.lock();
        // An address that two functions shared would be that of two functions that do the same.
        if !calls.iter().any(|&other| std::ptr::fn_addr_eq(other, call)) {
            calls.push(call);
        }
    }

    /// Calls all of them, in the order in which they came.
    fn run(&self) {
        let calls = self.lock().clone();
        for call in calls {
            call();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<fn()>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Calls `hand_over` when the program exits. Repeated calls count once.
pub fn call_at_exit(hand_over: fn()) {
    AT_EXIT.add(hand_over);
    register();
}

/// Calls `report` when the program exits, after all has been handed over. Repeated calls count once.
pub(crate) fn call_last_at_exit(report: fn()) {
    LAST_AT_EXIT.add(report);
    register();
}

fn register() {
    PROCESS.get_or_init(std::process::id);
    REGISTERED.call_once(|| {
        // SAFETY: the function lives as long as this library, and the C library forgets it when the library goes.
        // It fails only when memory is out; files are then left to the system.
        unsafe { libc::atexit(at_exit) };
    });
}

/// A forked child has finished its writes in its calls, and has none of the threads that write: it hands over nothing.
extern "C" fn at_exit() {
    if PROCESS.get() != Some(&std::process::id()) {
        return;
    }
    if boundary::is_in_call() { hand_over_beside() } else { hand_over() }
}

/// What other threads write meanwhile, or exit handlers after this one, nobody hands over any more.
fn hand_over() {
    eaf::finish_writes_in_calls();
    AT_EXIT.run();
    LAST_AT_EXIT.run();
}

/// Whether a signal handler ends the program in the middle of a call: the locks of that call stay locked, and whoever hands over leaves
/// alone what is locked.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Relaxed)
}

/// Another thread hands over, for which nobody waits for ever: first what is free, then all, which gives what the call had
/// under way the time.
fn hand_over_beside() {
    let (done, is_done) = mpsc::channel();
    let helper = thread::Builder::new().name("chemio-exit".to_owned()).spawn(move || {
        INTERRUPTED.store(true, Relaxed);
        hand_over();
        INTERRUPTED.store(false, Relaxed);
        AT_EXIT.run();
        // Nobody listens any more if it took too long.
        let _ = done.send(());
    });
    if helper.is_ok() {
        let _ = is_done.recv_timeout(INTERRUPTED_WAIT);
    }
}

/// Calls `close` before MPI ends, where that is ours to know: in [`before_mpi_ends`]. Repeated calls count once.
pub fn call_before_mpi_ends(close: fn()) {
    BEFORE_MPI_ENDS.add(close);
}

/// Closes what needs MPI, on the way to the end of it. Collective, if anything of it is.
pub fn before_mpi_ends() {
    BEFORE_MPI_ENDS.run();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    static COUNT: AtomicUsize = AtomicUsize::new(0);

    fn add_one() {
        COUNT.fetch_add(1, Relaxed);
    }

    fn add_ten() {
        COUNT.fetch_add(10, Relaxed);
    }

    #[test]
    fn what_was_given_twice_is_called_once_and_again_at_the_next_end() {
        for call in [add_one, add_ten, add_one] {
            call_before_mpi_ends(call);
        }
        before_mpi_ends();
        assert_eq!(COUNT.load(Relaxed), 11);
        before_mpi_ends();
        assert_eq!(COUNT.load(Relaxed), 22);
    }
}
