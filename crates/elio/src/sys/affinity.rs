//! The cores that threads may run on, and when they take them from others.

use std::io;
use std::mem::{self, MaybeUninit};

/// A set of cores, as large as the C library's: the system tells nothing on machines with more.
#[derive(Clone, Copy)]
pub(crate) struct CoreSet(libc::cpu_set_t);

impl CoreSet {
    /// Cores that the calling thread may run on.
    pub(crate) fn of_thread() -> io::Result<Self> {
        let mut set = MaybeUninit::<libc::cpu_set_t>::zeroed();
        // SAFETY: the call fills at most the bytes of the set that it is given.
        match unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), set.as_mut_ptr()) } {
            // SAFETY: a set is an array of words; zeros are one.
            0 => Ok(Self(unsafe { set.assume_init() })),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// One of these cores alone, if it is one of them.
    pub(crate) fn only(&self, core: usize) -> Option<Self> {
        if core >= 8 * size_of::<libc::cpu_set_t>() {
            return None;
        }
        // SAFETY: the core's bit lies within a set; zeros are one.
        unsafe {
            libc::CPU_ISSET(core, &self.0).then(|| {
                let mut one = mem::zeroed();
                libc::CPU_SET(core, &mut one);
                Self(one)
            })
        }
    }

    /// From now on the calling thread runs on these cores.
    pub(crate) fn keep_thread(&self) -> io::Result<()> {
        // SAFETY: the call only reads the set.
        match unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const self.0) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// The core that the calling thread is on, which it may leave at any time.
pub(crate) fn current_core() -> Option<usize> {
    // SAFETY: no memory is passed.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// The calling thread is of the batch class from now on, and those that it starts: they take no core from another thread by waking up.
pub(crate) fn let_others_run_on() -> io::Result<()> {
    let none = libc::sched_param { sched_priority: 0 };
    // SAFETY: the call only reads the parameters.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const none) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
