//! MPI as a whole: who started it, who may call it, who ends it.

use crate::{Error, Result, launcher};
use mpi::ffi;
use std::cmp::Ordering;
use std::os::raw::c_int;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, ThreadId};

/// The one user of MPI in this process, while somebody uses it.
static RUNNING: Mutex<Weak<Mpi>> = Mutex::new(Weak::new());

/// MPI, initialised. Whatever calls it holds one of these.
///
/// When the last one is dropped MPI is finalised, if and only if [`Mpi::start`] initialised it.
#[derive(Debug)]
pub struct Mpi {
    ours: bool,
    calls: Calls,
}

/// Which threads may call MPI.
#[derive(Debug)]
enum Calls {
    /// Any, at any time (`MPI_THREAD_MULTIPLE`).
    Anytime,
    /// Any, one at a time (`MPI_THREAD_SERIALIZED`).
    OneAtATime(Mutex<()>),
    /// Only the one that initialised it. Our own lock is not needed.
    MainThread { known: Option<ThreadId>, level: &'static str },
}

/// The permission to call MPI, until it is dropped.
#[derive(Debug)]
#[must_use = "the permission ends when this is dropped"]
pub struct Entered<'a> {
    _turn: Option<MutexGuard<'a, ()>>,
}

impl Mpi {
    /// Joins whoever uses MPI in this process, or initialises it, for calls from one thread at a time. Collective over
    /// all processes of the program if MPI is not initialised yet.
    ///
    /// # Errors
    /// - [`Error::Finalised`]: MPI was finalised; it cannot be initialised twice.
    /// - [`Error::WrongLibrary`]: the program has another MPI than the one that this library was built for.
    /// - [`Error::WrongLauncher`]: another MPI's launcher started this program.
    /// - [`Error::Mpi`]: it does not start.
    pub fn start() -> Result<Arc<Self>> {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mpi) = running.upgrade() {
            return if flag(ffi::MPI_Finalized) { Err(Error::Finalised) } else { Ok(mpi) };
        }
        if flag(ffi::MPI_Finalized) {
            return Err(Error::Finalised);
        }
        launcher::check_library()?;
        let ours = !flag(ffi::MPI_Initialized);
        if ours {
            let mut provided = 0;
            // SAFETY: MPI is not initialised, and the lock on RUNNING keeps others of us out. No arguments are passed.
            let code = unsafe {
                let arguments = (std::ptr::null_mut(), std::ptr::null_mut());
                ffi::MPI_Init_thread(
                    arguments.0,
                    arguments.1,
                    ffi::RSMPI_THREAD_SERIALIZED,
                    &raw mut provided,
                )
            };
            Error::check("MPI_Init_thread", code)?;
        }
        let mpi = Arc::new(Self { ours, calls: Calls::allowed() });
        launcher::check()?;
        *running = Arc::downgrade(&mpi);
        Ok(mpi)
    }

    /// Whether we initialised MPI, and will finalise it.
    pub fn is_ours(&self) -> bool {
        self.ours
    }

    /// Whether MPI can still be called.
    pub fn is_alive(&self) -> bool {
        !flag(ffi::MPI_Finalized)
    }

    /// Waits for the permission to call MPI from this thread.
    ///
    /// # Errors
    /// - [`Error::Finalised`]: there is nothing to call any more.
    /// - [`Error::WrongThread`]: the program initialised MPI for its main thread alone, and this is another.
    #[inline]
    pub fn enter(&self) -> Result<Entered<'_>> {
        if !self.is_alive() {
            return Err(Error::Finalised);
        }
        match &self.calls {
            Calls::Anytime => Ok(Entered { _turn: None }),
            Calls::OneAtATime(turn) => {
                Ok(Entered { _turn: Some(turn.lock().unwrap_or_else(PoisonError::into_inner)) })
            }
            Calls::MainThread { known: Some(main), .. } if *main == thread::current().id() => {
                Ok(Entered { _turn: None })
            }
            Calls::MainThread { known: None, .. } if flag(ffi::MPI_Is_thread_main) => {
                Ok(Entered { _turn: None })
            }
            Calls::MainThread { level, .. } => Err(Error::WrongThread { level }),
        }
    }
}

impl Calls {
    fn allowed() -> Self {
        let mut level = 0;
        // SAFETY: MPI is initialised; it writes to a local.
        let (serialized, single) = unsafe {
            ffi::MPI_Query_thread(&raw mut level);
            (ffi::RSMPI_THREAD_SERIALIZED, ffi::RSMPI_THREAD_SINGLE)
        };
        match level.cmp(&serialized) {
            Ordering::Greater => Self::Anytime,
            Ordering::Equal => Self::OneAtATime(Mutex::new(())),
            Ordering::Less => {
                let known = flag(ffi::MPI_Is_thread_main).then(|| thread::current().id());
                Self::MainThread {
                    known,
                    level: if level == single { "MPI_THREAD_SINGLE" } else { "MPI_THREAD_FUNNELED" },
                }
            }
        }
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if self.ours && self.is_alive() {
            // SAFETY: MPI is initialised and not finalised, and this was its last user.
            unsafe {
                // Together: MPICH 4.0 over TCP tends to hang in MPI_Finalize when processes come to it at different times.
                ffi::MPI_Barrier(ffi::RSMPI_COMM_WORLD);
                ffi::MPI_Finalize();
            }
        }
    }
}

/// Asks MPI a question that is always allowed.
fn flag(question: unsafe extern "C" fn(*mut c_int) -> c_int) -> bool {
    let mut answer = 0;
    // SAFETY: the questions asked here write to their argument; all but MPI_Is_thread_main may be asked at any time, and
    // that one is asked only while MPI is initialised.
    unsafe { question(&raw mut answer) };
    answer != 0
}
