//! A thread that hands over what was written behind, or is kept by somebody else, and gives back what idle streams hold. It runs while there is
//! anything to look after and sleeps otherwise.

use crate::buffer;
use crate::inode::Inode;
use crate::policy::cores::start_thread;
use crate::sys::exit;
use crate::sys::fork::{self, OfProcess};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, OnceLock};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Half of the time after which data written behind must have reached the kernel, so that it is met.
const ROUND: Duration = Duration::from_millis(40);

/// Memory for streams is kept for so long after the last one: to have it again costs much more than to keep it, where pages have to be cleared, and
/// most where a host has to bring them.
const IDLE_TIME: Duration = Duration::from_secs(1);

/// A child that is made waits for so long until what is held has been handed over.
const FORK_PATIENCE: Duration = Duration::from_secs(1);
/// How often it looks.
const FORK_STEP: Duration = Duration::from_micros(50);

static HOUSEKEEPER: OfProcess<OnceLock<Housekeeper>> = OfProcess::empty();

#[derive(Default)]
struct Housekeeper {
    wanted: Mutex<bool>,
    called: Condvar,
    thread: Option<Thread>,
    process: u32,
    /// Whether there is something to look after.
    is_active: AtomicBool,
    /// How often all was to be handed over at once, and how often it was.
    asked: AtomicU64,
    done: AtomicU64,
}

fn housekeeper() -> &'static Housekeeper {
    HOUSEKEEPER.get_or_init(|| {
        exit::at_exit(flush_at_exit);
        fork::before(hand_over_before_fork);
        let builder = thread::Builder::new().name("elio-housekeeping".to_owned()).stack_size(256 * 1024);
        let started = start_thread(builder, work).inspect_err(|error| {
            tracing::warn!(%error, "no housekeeping thread: written-behind data waits for sync or close");
        });
        let thread = started.ok().map(|started| started.thread().clone());
        Housekeeper { thread, process: std::process::id(), ..Housekeeper::default() }
    })
}

/// Makes sure that rounds are being made. To be called when a stream takes a buffer, and when somebody else keeps a write.
pub(crate) fn call() {
    let housekeeper = housekeeper();
    let mut wanted = housekeeper.wanted.lock().expect("housekeeping does not panic");
    if !*wanted {
        *wanted = true;
        housekeeper.is_active.store(true, Ordering::Release);
        housekeeper.called.notify_one();
    }
}

fn work() {
    let housekeeper = housekeeper();
    loop {
        {
            let mut wanted = housekeeper.wanted.lock().expect("housekeeping does not panic");
            while !*wanted {
                housekeeper.is_active.store(false, Ordering::Release);
                wanted = housekeeper.called.wait(wanted).expect("housekeeping does not panic");
            }
            // Cleared before the rounds: a call made meanwhile starts them anew.
            *wanted = false;
        }
        loop {
            let asked = housekeeper.asked.load(Ordering::Acquire);
            if asked > housekeeper.done.load(Ordering::Relaxed) {
                for inode in Inode::all_open() {
                    inode.hand_over_at_once();
                    inode.hand_over_held(true);
                }
                housekeeper.done.store(asked, Ordering::Release);
            }
            if !round() {
                break;
            }
            thread::park_timeout(ROUND);
        }
        if !is_called_within(housekeeper, IDLE_TIME) {
            buffer::pool().trim();
        }
    }
}

/// Whether there is something to look after again within this time.
fn is_called_within(housekeeper: &Housekeeper, time: Duration) -> bool {
    let is_wanted = housekeeper.wanted.lock().expect("housekeeping does not panic");
    housekeeper.is_active.store(*is_wanted, Ordering::Release);
    let later = housekeeper.called.wait_timeout_while(is_wanted, time, |is_wanted| !*is_wanted);
    *later.expect("housekeeping does not panic").0
}

/// One look at all open files; tells whether there is a reason for another.
fn round() -> bool {
    let mut again = false;
    for inode in Inode::all_open() {
        again |= inode.flush_aged();
        again |= inode.hand_over_held(false);
        again |= inode.release_idle_read_ahead();
    }
    again
}

/// A program may end without closing its files: what was written behind is handed over all the same.
fn flush_at_exit() {
    for inode in Inode::all_open() {
        inode.flush_at_exit();
        inode.hand_over_held_at_exit();
    }
}

/// A child does not hand over what its parent holds, and is to read what was written before it was made. The thread does it: a signal
/// handler that makes a child may have interrupted who has a lock that is needed for it.
fn hand_over_before_fork() {
    let Some((housekeeper, thread)) = HOUSEKEEPER.get().and_then(|all| Some((all, all.thread.as_ref()?)))
    else {
        return;
    };
    // A handler on that thread would wait for itself, and a child of a child has no such thread.
    if housekeeper.process != std::process::id() || thread.id() == thread::current().id() {
        return;
    }
    let is_active = || housekeeper.is_active.load(Ordering::Acquire);
    if !is_active() {
        return;
    }
    let number = housekeeper.asked.fetch_add(1, Ordering::AcqRel) + 1;
    thread.unpark();
    let begun = Instant::now();
    while is_active() && housekeeper.done.load(Ordering::Acquire) < number && begun.elapsed() < FORK_PATIENCE
    {
        thread::sleep(FORK_STEP);
    }
}
