//! A thread that hands over what was written behind and gives back what idle streams hold. It runs while there is
//! anything to look after and sleeps otherwise.

use crate::buffer;
use crate::inode::Inode;
use crate::policy::cores::start_thread;
use crate::sys::exit;
use crate::sys::fork::{self, OfProcess};
use std::sync::{Condvar, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

/// Half of the time after which data written behind must have reached the kernel, so that it is met.
const ROUND: Duration = Duration::from_millis(40);

/// While a child is made what is locked is waited for so long.
const FORK_PATIENCE: Duration = Duration::from_millis(100);

struct Housekeeper {
    wanted: Mutex<bool>,
    called: Condvar,
}

fn housekeeper() -> &'static Housekeeper {
    static HOUSEKEEPER: OfProcess<OnceLock<Housekeeper>> = OfProcess::new([const { OnceLock::new() }; 2]);
    HOUSEKEEPER.get_or_init(|| {
        exit::at_exit(flush_at_exit);
        fork::before(hand_over_before_fork);
        let builder = thread::Builder::new().name("elio-housekeeping".to_owned()).stack_size(256 * 1024);
        if let Err(error) = start_thread(builder, work) {
            tracing::warn!(%error, "no housekeeping thread: written-behind data waits for sync or close");
        }
        Housekeeper { wanted: Mutex::new(false), called: Condvar::new() }
    })
}

/// Makes sure that rounds are being made. To be called when a stream takes a buffer.
pub(crate) fn call() {
    let housekeeper = housekeeper();
    let mut wanted = housekeeper.wanted.lock().expect("housekeeping does not panic");
    if !*wanted {
        *wanted = true;
        housekeeper.called.notify_one();
    }
}

fn work() {
    let housekeeper = housekeeper();
    loop {
        {
            let mut wanted = housekeeper.wanted.lock().expect("housekeeping does not panic");
            while !*wanted {
                wanted = housekeeper.called.wait(wanted).expect("housekeeping does not panic");
            }
            // Cleared before the rounds: a call made meanwhile starts them anew.
            *wanted = false;
        }
        while round() {
            thread::sleep(ROUND);
        }
        buffer::pool().trim();
    }
}

/// One look at all open files; tells whether there is a reason for another.
fn round() -> bool {
    let mut again = false;
    for inode in Inode::all_open() {
        again |= inode.flush_aged();
        again |= inode.release_idle_read_ahead();
    }
    again
}

/// A program may end without closing its files: what was written behind is handed over all the same.
fn flush_at_exit() {
    for inode in Inode::all_open() {
        inode.flush_at_exit();
    }
}

/// A child does not hand over what its parent holds, and is to read what was written before it was made.
fn hand_over_before_fork() {
    for inode in Inode::all_open_soon(FORK_PATIENCE) {
        inode.hand_over_before_fork(FORK_PATIENCE);
    }
}
