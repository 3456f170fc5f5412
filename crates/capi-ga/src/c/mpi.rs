//! Groups as communicators of MPI; declared in `include/ga/ga-mpi.h`, which needs `mpi.h`.

use crate::caller::Caller;
use crate::calls::group;
use comm::ffi::MPI_Comm;
use libc::c_int;

/// The communicator of all processes. It belongs to the library: the program must not free it.
#[unsafe(no_mangle)]
pub extern "C" fn GA_MPI_Comm() -> MPI_Comm {
    group::communicator(Caller::c("GA_MPI_Comm"), Some(group::WORLD))
}

/// The communicator of a group; see `GA_MPI_Comm`.
#[unsafe(no_mangle)]
pub extern "C" fn GA_MPI_Comm_pgroup(pgroup: c_int) -> MPI_Comm {
    group::communicator(Caller::c("GA_MPI_Comm_pgroup"), Some(pgroup.into()))
}

/// The communicator of the default group; see `GA_MPI_Comm`.
#[unsafe(no_mangle)]
pub extern "C" fn GA_MPI_Comm_pgroup_default() -> MPI_Comm {
    group::communicator(Caller::c("GA_MPI_Comm_pgroup_default"), None)
}
