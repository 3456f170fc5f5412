//! Communicators.

use crate::{Error, Mpi, Result};
use mpi::ffi;
use std::os::raw::c_int;
use std::sync::Arc;

/// A communicator of our own: a group of ranks and a space for their collective calls.
///
/// It is freed when it is dropped, which every rank of it has to do sooner or later, in the same order as others.
#[derive(Debug)]
pub struct Comm {
    raw: ffi::MPI_Comm,
    mpi: Arc<Mpi>,
    rank: usize,
    size: usize,
}

// SAFETY: the handle is a number or an address that means the same in every thread; each call of MPI with it is preceded by
// `Mpi::enter`, which keeps to the thread level of MPI.
unsafe impl Send for Comm {}
// SAFETY: as above.
unsafe impl Sync for Comm {}

impl Comm {
    /// All processes of the program, starting MPI if the program has not. Collective over them.
    ///
    /// # Errors
    /// Those of [`Mpi::start`], and
    /// - [`Error::Mpi`]: no communicator could be made.
    pub fn world() -> Result<Self> {
        let mpi = Mpi::start()?;
        // SAFETY: MPI is initialised, so MPI_COMM_WORLD is a communicator, and it is never freed.
        unsafe { Self::duplicate(&mpi, ffi::RSMPI_COMM_WORLD) }
    }

    /// A communicator of the same ranks as `raw`. Collective over them.
    ///
    /// # Safety
    /// `raw` is a communicator of a running MPI.
    pub(crate) unsafe fn duplicate(mpi: &Arc<Mpi>, raw: ffi::MPI_Comm) -> Result<Self> {
        Self::make(mpi, "MPI_Comm_dup", |new| {
            // SAFETY: the caller's promise; the new handle goes to a local of `make`.
            unsafe { ffi::MPI_Comm_dup(raw, new) }
        })
        .map(|made| made.expect("a duplicate has the same ranks"))
    }

    /// A communicator of the ranks that gave the same `colour`, in the order of `key`; none for `None`. Collective.
    ///
    /// # Errors
    /// - [`Error::Mpi`]: no communicator could be made.
    pub fn split(&self, colour: Option<u32>, key: usize) -> Result<Option<Self>> {
        let colour = colour.map_or_else(undefined, |colour| int(colour as usize));
        Self::make(&self.mpi, "MPI_Comm_split", |new| {
            // SAFETY: `self.raw` lives as long as `self`.
            unsafe { ffi::MPI_Comm_split(self.raw, colour, int(key), new) }
        })
    }

    /// The ranks that share memory with this one, in the order of their ranks. Collective.
    ///
    /// # Errors
    /// - [`Error::Mpi`]: no communicator could be made.
    ///
    /// # Panics
    /// If MPI says that this rank shares memory with none, not even itself.
    pub fn node(&self) -> Result<Self> {
        Self::make(&self.mpi, "MPI_Comm_split_type", |new| {
            // SAFETY: `self.raw` lives as long as `self`; the info is MPI's own constant.
            unsafe {
                let (kind, info) = (ffi::RSMPI_COMM_TYPE_SHARED, ffi::RSMPI_INFO_NULL);
                ffi::MPI_Comm_split_type(self.raw, kind, int(self.rank), info, new)
            }
        })
        .map(|made| made.expect("a rank shares memory with itself"))
    }

    fn make(
        mpi: &Arc<Mpi>,
        call: &'static str,
        make: impl FnOnce(*mut ffi::MPI_Comm) -> c_int,
    ) -> Result<Option<Self>> {
        let _entered = mpi.enter()?;
        // SAFETY: a constant of MPI's.
        let mut raw = unsafe { ffi::RSMPI_COMM_NULL };
        Error::check(call, make(&raw mut raw))?;
        // SAFETY: as above.
        if raw == unsafe { ffi::RSMPI_COMM_NULL } {
            return Ok(None);
        }
        let (mut rank, mut size) = (0, 0);
        // SAFETY: `raw` was made just now; the results go to locals.
        unsafe {
            ffi::MPI_Comm_set_errhandler(raw, ffi::RSMPI_ERRORS_RETURN);
            ffi::MPI_Comm_rank(raw, &raw mut rank);
            ffi::MPI_Comm_size(raw, &raw mut size);
        }
        let count = |n: c_int| usize::try_from(n).expect("MPI counts from zero");
        Ok(Some(Self { raw, mpi: mpi.clone(), rank: count(rank), size: count(size) }))
    }

    /// This process's number, from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// MPI's handle, for calls that this crate does not have. It lives as long as `self`.
    pub fn raw(&self) -> ffi::MPI_Comm {
        self.raw
    }

    /// MPI, for calls that this crate does not have.
    pub fn mpi(&self) -> &Arc<Mpi> {
        &self.mpi
    }

    /// Ends the whole program with this exit code. Local.
    pub fn abort(&self, code: i32) -> ! {
        // SAFETY: `self.raw` lives as long as `self`. MPI may refuse the thread, in which case the process ends below.
        unsafe { ffi::MPI_Abort(self.raw, code) };
        std::process::exit(code)
    }

    pub(crate) fn check_rank(&self, rank: usize) -> Result<c_int> {
        if rank < self.size { Ok(int(rank)) } else { Err(Error::NoSuchRank { rank, ranks: self.size }) }
    }
}

impl Drop for Comm {
    fn drop(&mut self) {
        if !self.mpi.is_alive() {
            return;
        }
        // Freeing from a thread that may not call MPI is not possible; the handle is lost until MPI ends.
        if let Ok(_entered) = self.mpi.enter() {
            // SAFETY: the handle is ours and nobody has it any more.
            unsafe { ffi::MPI_Comm_free(&raw mut self.raw) };
        }
    }
}

fn undefined() -> c_int {
    // SAFETY: a constant of MPI's.
    unsafe { ffi::RSMPI_UNDEFINED }
}

/// A rank or a colour as MPI counts them.
fn int(value: usize) -> c_int {
    c_int::try_from(value).expect("MPI has no more ranks than an int holds")
}
