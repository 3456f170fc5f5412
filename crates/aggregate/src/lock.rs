//! Locks in memory that processes share. Who dies with one leaves it to the next.

use std::cell::UnsafeCell;
use std::io;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Lies in shared memory. The system sees to it that whoever waits for it gets it when its holder dies.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct Lock(UnsafeCell<libc::pthread_mutex_t>);

// SAFETY: it is made for several threads, and processes.
unsafe impl Sync for Lock {}

/// Held by this thread until it is dropped.
#[derive(Debug)]
pub(crate) struct Locked<'a> {
    lock: &'a Lock,
    /// Given back by the thread that has it.
    _of_thread: PhantomData<*const ()>,
}

impl Lock {
    /// Makes the lock at `at`.
    ///
    /// # Errors
    /// The system does not have locks that are shared and survive their holders.
    ///
    /// # Safety
    /// `at` is memory for it, aligned, that nobody uses yet.
    pub(crate) unsafe fn make(at: *mut Self) -> io::Result<()> {
        let mut attributes = MaybeUninit::uninit();
        let attributes = attributes.as_mut_ptr();
        // SAFETY: the attributes are initialised by the first call and destroyed by the last; the caller vouches for `at`.
        unsafe {
            check(libc::pthread_mutexattr_init(attributes))?;
            // A signal handler may have interrupted its holder, which is told so instead of waiting for itself.
            let made = check(libc::pthread_mutexattr_settype(attributes, libc::PTHREAD_MUTEX_ERRORCHECK))
                .and_then(|()| {
                    check(libc::pthread_mutexattr_setpshared(attributes, libc::PTHREAD_PROCESS_SHARED))
                })
                .and_then(|()| {
                    check(libc::pthread_mutexattr_setrobust(attributes, libc::PTHREAD_MUTEX_ROBUST))
                })
                .and_then(|()| check(libc::pthread_mutex_init(at.cast(), attributes)));
            libc::pthread_mutexattr_destroy(attributes);
            made
        }
    }

    /// If nobody has it.
    pub(crate) fn try_lock(&self) -> Option<Locked<'_>> {
        // SAFETY: it was made before anybody could reach it.
        self.taken(unsafe { libc::pthread_mutex_trylock(self.0.get()) }).ok()
    }

    /// Waits for it.
    ///
    /// # Errors
    /// This thread has it already, and was interrupted by a signal handler.
    pub(crate) fn lock(&self) -> io::Result<Locked<'_>> {
        // SAFETY: as above.
        self.taken(unsafe { libc::pthread_mutex_lock(self.0.get()) })
    }

    /// Waits for it, so long at most.
    ///
    /// # Errors
    /// As [`lock`](Self::lock); somebody else still has it.
    pub(crate) fn lock_within(&self, time: Duration) -> io::Result<Locked<'_>> {
        let until = SystemTime::now() + time;
        let since_epoch = until.duration_since(UNIX_EPOCH).unwrap_or_default();
        let until = libc::timespec {
            tv_sec: libc::time_t::try_from(since_epoch.as_secs()).unwrap_or(libc::time_t::MAX),
            tv_nsec: since_epoch.subsec_nanos().into(),
        };
        // SAFETY: as above; the time lives as long as the call.
        self.taken(unsafe { libc::pthread_mutex_timedlock(self.0.get(), &raw const until) })
    }

    fn taken(&self, code: libc::c_int) -> io::Result<Locked<'_>> {
        if code == libc::EOWNERDEAD {
            // What it guards is right after every single step.
            // SAFETY: this thread has it.
            check(unsafe { libc::pthread_mutex_consistent(self.0.get()) })?;
        } else {
            check(code)?;
        }
        Ok(Locked { lock: self, _of_thread: PhantomData })
    }
}

impl<'a> Locked<'a> {
    /// This thread has it, by what was interrupted and never goes on.
    pub(crate) fn by_interrupted(lock: &'a Lock) -> Self {
        Self { lock, _of_thread: PhantomData }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // SAFETY: this thread has it.
        unsafe { libc::pthread_mutex_unlock(self.lock.0.get()) };
    }
}

fn check(code: libc::c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    /// A lock in memory that children share.
    fn shared() -> &'static Lock {
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, for as long as the program runs, larger than a lock.
        unsafe {
            let at = libc::mmap(ptr::null_mut(), size_of::<Lock>(), access, flags, -1, 0);
            assert_ne!(at, libc::MAP_FAILED);
            Lock::make(at.cast()).unwrap();
            &*at.cast()
        }
    }

    #[test]
    fn it_is_held_by_one_and_says_so_to_a_thread_that_has_it_already() {
        let lock = shared();
        let locked = lock.lock().unwrap();
        assert!(lock.try_lock().is_none());
        assert_eq!(lock.lock().unwrap_err().raw_os_error(), Some(libc::EDEADLK));
        let other = std::thread::scope(|scope| {
            let waits = || lock.lock_within(Duration::from_millis(1)).map(drop).unwrap_err().raw_os_error();
            scope.spawn(waits).join().unwrap()
        });
        assert_eq!(other, Some(libc::ETIMEDOUT));
        std::mem::forget(locked);
        drop(Locked::by_interrupted(lock));
        drop(lock.try_lock().expect("nobody has it"));
    }

    #[test]
    fn who_dies_with_it_leaves_it_to_the_next() {
        let lock = shared();
        // SAFETY: the child locks and ends by `_exit`.
        let child = unsafe { libc::fork() };
        if child == 0 {
            std::mem::forget(lock.lock());
            // SAFETY: no memory is passed.
            unsafe { libc::_exit(0) };
        }
        let mut status = 0;
        // SAFETY: `status` has room for what the call fills in.
        let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
        assert!(child > 0 && ended == child && status == 0);
        drop(lock.lock().unwrap());
        drop(lock.try_lock().expect("it is as it was"));
    }
}
