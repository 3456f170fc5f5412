//! Collective calls: every rank of the communicator makes them, in the same order.

use crate::{Comm, Error, Number, Operation, Reducible, Result};
use mpi::ffi;
use std::os::raw::c_int;

/// The largest number of elements in one call: MPI counts with an int.
const COUNT_MAX: usize = 1 << 28;
/// A barrier that is nearly complete is not worth giving the processor away.
const PROMPT_TESTS: u32 = 16;

impl Comm {
    /// Waits for every rank.
    ///
    /// # Errors
    /// - [`Error::Mpi`]: MPI refused; [`Error::WrongThread`]: so did its thread level. As for every call here.
    pub fn barrier(&self) -> Result<()> {
        let _entered = self.mpi().enter()?;
        // SAFETY: the communicator lives as long as `self`.
        Error::check("MPI_Barrier", unsafe { ffi::MPI_Barrier(self.raw()) })
    }

    /// Waits for every rank, and lets whoever has work use the processor meanwhile: for waits that may be long, where ranks still
    /// compute or threads of theirs still copy. MPI's own waiting takes a processor away from them.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier).
    pub fn patient_barrier(&self) -> Result<()> {
        let mut done = 0;
        // SAFETY: a constant of MPI; the communicator lives as long as `self`, and the request is complete when this returns, but
        // after an error, which nothing can be done about.
        unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            Error::check("MPI_Ibarrier", {
                let _entered = self.mpi().enter()?;
                ffi::MPI_Ibarrier(self.raw(), &raw mut request)
            })?;
            for tests in 1_u32.. {
                Error::check("MPI_Test", {
                    let _entered = self.mpi().enter()?;
                    ffi::MPI_Test(&raw mut request, &raw mut done, ffi::RSMPI_STATUS_IGNORE)
                })?;
                if done != 0 {
                    break;
                }
                if tests > PROMPT_TESTS { std::thread::yield_now() } else { std::hint::spin_loop() }
            }
        }
        Ok(())
    }

    /// Gives every rank the values of rank `root`. The same number of values everywhere.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier), and
    /// - [`Error::NoSuchRank`]: there is no such root.
    pub fn broadcast<T: Number>(&self, values: &mut [T], root: usize) -> Result<()> {
        let root = self.check_rank(root)?;
        let _entered = self.mpi().enter()?;
        for part in values.chunks_mut(COUNT_MAX) {
            // SAFETY: `part` holds that many values of the datatype.
            let code = unsafe {
                ffi::MPI_Bcast(part.as_mut_ptr().cast(), count(part.len()), T::datatype(), root, self.raw())
            };
            Error::check("MPI_Bcast", code)?;
        }
        Ok(())
    }

    /// Replaces the values, on every rank, by what the operation makes of those of all ranks, element by element. The
    /// same number of values everywhere.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier).
    pub fn all_reduce<T: Reducible>(&self, values: &mut [T], operation: Operation) -> Result<()> {
        let _entered = self.mpi().enter()?;
        for part in values.chunks_mut(COUNT_MAX) {
            let mine = part.to_vec();
            // SAFETY: both hold that many values of the datatype, and do not overlap.
            let code = unsafe {
                let (from, to) = (mine.as_ptr().cast(), part.as_mut_ptr().cast());
                ffi::MPI_Allreduce(from, to, count(part.len()), T::datatype(), operation.raw(), self.raw())
            };
            Error::check("MPI_Allreduce", code)?;
        }
        Ok(())
    }

    /// The values of all ranks, in the order of ranks. The same number of values, below 2^31, on each.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier).
    pub fn all_gather<T: Number>(&self, mine: &[T]) -> Result<Vec<T>> {
        let Some(&first) = mine.first() else { return Ok(vec![]) };
        let mut all = vec![first; mine.len() * self.size()];
        let _entered = self.mpi().enter()?;
        let each = count(mine.len());
        // SAFETY: `mine` holds `each` values and `all` as many for every rank.
        let code = unsafe {
            let (from, to) = (mine.as_ptr().cast(), all.as_mut_ptr().cast());
            ffi::MPI_Allgather(from, each, T::datatype(), to, each, T::datatype(), self.raw())
        };
        Error::check("MPI_Allgather", code).map(|()| all)
    }
}

fn count(len: usize) -> c_int {
    c_int::try_from(len).expect("parts are below 2^31 elements")
}
