//! The one communicator of all shared files, and what ranks have to agree on before they use it.

use crate::Error;
use chemio_capi::Result;
use comm::{Comm, Failure, Operation, ffi};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// It lives as long as there is a file, so that MPI can end when there is none.
static COMMUNICATOR: Mutex<Weak<Comm>> = Mutex::new(Weak::new());

/// The communicator: of the processes that have the program's global arrays, if they are initialised by now, and otherwise of all.
/// Collective over them if there is none yet, which is so on all ranks or on none.
///
/// # Errors
/// - [`Error::NoMpi`]: neither the program nor its arrays have started MPI. Shared files do not start it themselves, because
///   there is no call of theirs that could end it.
/// - [`Error::Comm`]: no communicator could be made.
pub(crate) fn get() -> Result<Arc<Comm>> {
    let mut shared = COMMUNICATOR.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(comm) = shared.upgrade().filter(|comm| comm.mpi().is_alive()) {
        return Ok(comm);
    }
    if !is_initialised() {
        return Err(Error::NoMpi.into());
    }
    let comm = Arc::new(Comm::of_global_arrays().map_err(Error::Comm)?);
    *shared = Arc::downgrade(&comm);
    Ok(comm)
}

/// The communicator, if there is a file.
///
/// # Errors
/// - [`Error::Comm`]: the program has ended MPI.
pub(crate) fn in_use() -> Result<Option<Arc<Comm>>> {
    let shared = COMMUNICATOR.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
    match shared {
        Some(comm) if !comm.mpi().is_alive() => Err(Error::Comm(comm::Error::Finalised).into()),
        shared => Ok(shared),
    }
}

fn is_initialised() -> bool {
    let mut initialised = 0;
    // SAFETY: the question may be asked at any time; the answer goes to a local.
    unsafe { ffi::MPI_Initialized(&raw mut initialised) };
    initialised != 0
}

fn of_failure(failure: Failure<chemio_capi::Error>, code: i32) -> chemio_capi::Error {
    match failure {
        Failure::Here(error) => error,
        Failure::There { rank, message } => Error::Elsewhere { rank, message, code }.into(),
        Failure::Comm(error) => Error::Comm(error).into(),
    }
}

/// This rank's value if all ranks have one and mean the same handle; otherwise, on every rank, the error of the lowest one that
/// has none. `code` is the number for the error of another rank. Collective. Cost: one reduction.
pub(crate) fn agree_on_handle<T>(comm: &Comm, result: Result<T>, handle: i64, code: i32) -> Result<T> {
    let agreed = comm.agree_alike(result, handle.cast_unsigned());
    let (value, alike) = agreed.map_err(|failure| of_failure(failure, code))?;
    if alike { Ok(value) } else { different_handles(comm, handle).map(|()| value) }
}

/// The error that says between which numbers the handles of the ranks are. Collective.
fn different_handles(comm: &Comm, handle: i64) -> Result<()> {
    let mut extremes = [handle, -handle];
    comm.all_reduce(&mut extremes, Operation::Min).map_err(Error::Comm)?;
    let (lowest, highest) = (extremes[0], -extremes[1]);
    if lowest == highest { Ok(()) } else { Err(Error::DifferentHandles { lowest, highest }.into()) }
}
