//! The processes that have the program's global arrays.
//!
//! A Global Arrays library may keep some processes for itself (progress ranks, which never return from its initialisation), or may
//! have been given only some by the program. What all processes do together is done by those that it gives. Its calls are found
//! through weak symbols: without such a library there are none, and nothing has to be linked.

use crate::{Comm, Mpi, Result};
use mpi::ffi;
use std::os::raw::c_int;

// Rust has no weak symbols, but tables of addresses can have them: zero where a program has no such function.
#[cfg(target_pointer_width = "64")]
std::arch::global_asm!(
    ".pushsection .data.rel.ro, \"aw\"",
    ".balign 8",
    ".weak GA_Initialized",
    ".weak GA_MPI_Comm",
    ".globl chemio_comm_ga_initialized",
    ".hidden chemio_comm_ga_initialized",
    "chemio_comm_ga_initialized: .quad GA_Initialized",
    ".globl chemio_comm_ga_mpi_comm",
    ".hidden chemio_comm_ga_mpi_comm",
    "chemio_comm_ga_mpi_comm: .quad GA_MPI_Comm",
    ".popsection",
);

#[cfg(target_pointer_width = "64")]
unsafe extern "C" {
    static chemio_comm_ga_initialized: Option<unsafe extern "C" fn() -> c_int>;
    static chemio_comm_ga_mpi_comm: Option<unsafe extern "C" fn() -> ffi::MPI_Comm>;
}

/// The communicator of the program's global arrays, if they are initialised.
#[cfg(target_pointer_width = "64")]
fn of_library() -> Option<ffi::MPI_Comm> {
    // SAFETY: the addresses are those of the calls of that name, or null, and never change. The first question may be asked at any
    // time, the second one where the library is initialised.
    unsafe {
        let (is_initialised, communicator) = (chemio_comm_ga_initialized?, chemio_comm_ga_mpi_comm?);
        (is_initialised() != 0).then(|| communicator())
    }
}

#[cfg(not(target_pointer_width = "64"))]
fn of_library() -> Option<ffi::MPI_Comm> {
    None
}

impl Comm {
    /// The processes that have the program's global arrays, in the order of their numbers there, if the program is linked with a
    /// library of that name and has initialised it; otherwise [all](Self::world). Collective over them.
    ///
    /// # Errors
    /// As [`world`](Self::world).
    pub fn of_global_arrays() -> Result<Self> {
        let mpi = Mpi::start()?;
        // SAFETY: a constant of MPI's.
        let none = unsafe { ffi::RSMPI_COMM_NULL };
        match of_library().filter(|raw| *raw != none) {
            // SAFETY: the library is initialised, so its communicator is there.
            Some(raw) => unsafe { Self::duplicate(&mpi, raw) },
            None => Self::world(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::of_library;

    #[test]
    fn a_program_without_such_a_library_has_no_communicator_of_its() {
        assert!(of_library().is_none());
    }
}
