//! What can go wrong between ranks.

use mpi::ffi;
use std::os::raw::{c_char, c_int};

/// Why ranks could not do something together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// MPI refused a call.
    #[error("{call}: {message}")]
    Mpi {
        /// The function of MPI.
        call: &'static str,
        /// MPI's error class.
        class: i32,
        /// MPI's own words.
        message: String,
    },
    /// MPI has been finalised: nothing can be done any more.
    #[error("MPI is finalised already")]
    Finalised,
    /// The program was linked with another MPI than this library.
    #[error(
        "this program runs with {found}, but chemio was built for {built_for}: link both with one of them (MPICC says which one ci/install builds for)"
    )]
    WrongLibrary {
        /// The MPI of this library.
        built_for: &'static str,
        /// The MPI of the process.
        found: &'static str,
    },
    /// The program was started by the launcher of another MPI, so each process believes it is alone.
    #[error(
        "this program is linked with {library}, but the launcher of another MPI started it as one of {ranks} processes: use {launcher}"
    )]
    WrongLauncher {
        /// The MPI that this program is linked with.
        library: &'static str,
        /// Processes that the launcher started.
        ranks: u64,
        /// The launcher that fits.
        launcher: &'static str,
    },
    /// A thread that may not call MPI did.
    #[error(
        "MPI was initialised for calls from the main thread only (thread level {level}): call from there, or initialise it with MPI_THREAD_SERIALIZED or higher"
    )]
    WrongThread {
        /// The level it was initialised with.
        level: &'static str,
    },
    /// What another rank says is no answer: it is in another collective call.
    #[error("rank {rank} is in another collective call than this one")]
    OutOfStep {
        /// That rank.
        rank: usize,
    },
    /// A rank that is not there.
    #[error("rank {rank} of {ranks}")]
    NoSuchRank {
        /// What was asked for.
        rank: usize,
        /// Ranks there are.
        ranks: usize,
    },
}

/// What the functions of this crate return.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// `Ok` for `MPI_SUCCESS`, the error with MPI's own words otherwise.
    ///
    /// # Errors
    /// - [`Error::Mpi`]: `code` is not `MPI_SUCCESS`.
    pub fn check(call: &'static str, code: c_int) -> Result<()> {
        if code == ffi::MPI_SUCCESS.cast_signed() { Ok(()) } else { Err(Self::of(call, code)) }
    }

    fn of(call: &'static str, code: c_int) -> Self {
        let (mut class, mut len) = (0, 0);
        let mut text = [0u8; ffi::MPI_MAX_ERROR_STRING as usize];
        // SAFETY: both write to locals; the text has the length that MPI asks for. They may be called at any time.
        unsafe {
            ffi::MPI_Error_class(code, &raw mut class);
            ffi::MPI_Error_string(code, text.as_mut_ptr().cast::<c_char>(), &raw mut len);
        }
        let text = &text[..usize::try_from(len).unwrap_or(0).min(text.len())];
        Self::Mpi { call, class, message: String::from_utf8_lossy(text).trim().to_owned() }
    }
}
