//! How MPI is started and ended: by the library or by the program, once or by several users.

use comm::{Comm, Error, Mpi, ffi};
use std::os::raw::c_int;
use std::sync::Arc;

/// The variable that says who starts MPI, and at which thread level.
pub(crate) const STARTED: &str = "CHEMIO_TEST_MPI_STARTED";

/// What every scenario gets.
#[derive(Debug)]
pub(crate) struct World {
    /// Always there, until this is dropped.
    comm: Option<Comm>,
    /// Whether the program started MPI, and has to end it.
    by_program: bool,
}

impl World {
    /// Starts MPI as the variant says. The library comes and goes once before: what the program started goes on.
    pub(crate) fn start() -> Self {
        let how = std::env::var(STARTED).unwrap_or_else(|_| "ours".into());
        let by_program = how != "ours";
        if by_program {
            start_as_program(&how);
            drop(Comm::world().expect("MPI runs"));
            assert!(!is_finalised(), "the library does not end what it has not started");
        }
        let comm = Comm::world().expect("MPI starts");
        assert_eq!(comm.mpi().is_ours(), !by_program);
        Self { comm: Some(comm), by_program }
    }

    pub(crate) fn comm(&self) -> &Comm {
        self.comm.as_ref().expect("it is there until the end")
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let mpi = self.comm().mpi().clone();
        self.comm = None;
        assert!(mpi.is_alive(), "somebody still uses MPI");
        if self.by_program {
            // SAFETY: the program has started MPI, in this thread.
            let code = unsafe { ffi::MPI_Finalize() };
            assert_eq!(code, 0);
            assert!(matches!(mpi.enter(), Err(Error::Finalised)), "nothing can be called any more");
        }
        drop(mpi);
        assert!(is_finalised(), "the last user has gone, and MPI with him");
        assert!(matches!(Mpi::start(), Err(Error::Finalised)), "MPI cannot be started twice");
    }
}

fn start_as_program(level: &str) {
    // SAFETY: constants of MPI's.
    let required = unsafe {
        match level {
            "single" => ffi::RSMPI_THREAD_SINGLE,
            "funneled" => ffi::RSMPI_THREAD_FUNNELED,
            "multiple" => ffi::RSMPI_THREAD_MULTIPLE,
            other => panic!("{other} is no thread level"),
        }
    };
    let (nothing, mut provided) = (std::ptr::null_mut(), 0);
    // SAFETY: MPI has not been started, and no arguments are passed.
    let code = unsafe { ffi::MPI_Init_thread(nothing, std::ptr::null_mut(), required, &raw mut provided) };
    assert_eq!(code, 0);
}

fn is_finalised() -> bool {
    let mut flag: c_int = 0;
    // SAFETY: may be asked at any time, and writes to a local.
    unsafe { ffi::MPI_Finalized(&raw mut flag) };
    flag != 0
}

/// Several users share one MPI, and the first to go does not end it.
pub(crate) fn whoever_comes_later_joins(world: &World) {
    let first = world.comm().mpi();
    let later = Mpi::start().expect("MPI runs");
    assert!(Arc::ptr_eq(first, &later));
    drop(later);
    let again = Comm::world().expect("MPI runs");
    assert!(Arc::ptr_eq(first, again.mpi()));
    assert_eq!((again.rank(), again.size()), (world.comm().rank(), world.comm().size()));
    drop(again);
    assert!(first.is_alive());
}
