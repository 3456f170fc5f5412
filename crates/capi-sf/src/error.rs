//! What can go wrong at this border: handles, ranks that do not fit together, and the errors of shared files.

use crate::codes;
use chemio_capi::Coded;
use std::path::{Path, PathBuf};

/// An error of a call on shared files. The message begins with the cause.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of a shared file.
    #[error(transparent)]
    File(#[from] sf::Error),
    /// The ranks could not even talk to each other.
    #[error(transparent)]
    Comm(#[from] comm::Error),
    /// MPI does not run, so there is nobody to share a file with.
    #[error("MPI is not running: call ga_initialize or MPI_Init before sf_create")]
    NoMpi,
    /// A name without a last part, as that of a directory.
    #[error("no file name: {name:?} is empty or the name of a directory")]
    NoFileName {
        /// The name given.
        name: PathBuf,
    },
    /// No file has this handle.
    #[error("invalid handle {handle}: no shared file has it")]
    InvalidHandle {
        /// The handle given.
        handle: i64,
    },
    /// A collective call failed on another rank.
    #[error("rank {rank}: {message}")]
    Elsewhere {
        /// The lowest rank on which it failed.
        rank: usize,
        /// That rank's error, as it prints.
        message: String,
        /// The number for it.
        code: i32,
    },
    /// Ranks mean different files in one collective call.
    #[error("ranks mean different shared files: handles from {lowest} to {highest}")]
    DifferentHandles {
        /// The lowest handle of any rank.
        lowest: i64,
        /// The highest one.
        highest: i64,
    },
}

impl Coded for Error {
    fn code(&self) -> i32 {
        match self {
            Self::File(error) => error.code(),
            Self::Comm(_) | Self::DifferentHandles { .. } => codes::FAILED,
            Self::NoMpi | Self::NoFileName { .. } => codes::CREATE_FAILED,
            Self::InvalidHandle { .. } => codes::INVALID_HANDLE,
            Self::Elsewhere { code, .. } => *code,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::File(error) => error.path(),
            _ => None,
        }
    }
}

impl From<Error> for chemio_capi::Error {
    fn from(error: Error) -> Self {
        Self::Library(Box::new(error))
    }
}

/// An error of a shared file, as the border returns it.
pub(crate) fn of_file(error: sf::Error) -> chemio_capi::Error {
    Error::File(error).into()
}
