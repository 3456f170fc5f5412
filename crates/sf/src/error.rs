//! What can go wrong with a shared file, and its legacy number.

use crate::codes;
use std::path::{Path, PathBuf};

/// The result of an operation on a shared file.
pub type Result<T> = std::result::Result<T, Error>;

/// An error. The message begins with the cause and ends with the path, so that a caller with a short buffer keeps what
/// matters.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] elio::Error),
    /// The device of a stripe failed in a transfer of the whole.
    #[error(
        "{source}; part of the {operation} of {len_bytes} bytes at offset {offset_bytes} of the striped file {}",
        path.display()
    )]
    Stripe {
        /// What failed, with the stripe, and the offset and length there.
        source: elio::Error,
        /// What was asked for.
        operation: elio::Operation,
        /// The name of the whole.
        path: PathBuf,
        /// Where the transfer began in the whole.
        offset_bytes: u64,
        /// How much was asked for.
        len_bytes: u64,
    },
    /// A read met the end of the file; the first `got_bytes` bytes of the buffer are filled.
    #[error("end of file: {got_bytes} of {len_bytes} bytes at offset {offset_bytes} of {}", path.display())]
    EndOfFile {
        /// The file.
        path: PathBuf,
        /// Where the read began.
        offset_bytes: u64,
        /// How much was asked for.
        len_bytes: u64,
        /// How much there was.
        got_bytes: u64,
    },
    /// A write would pass the hard limit that the file was created with.
    #[error(
        "hard limit of {limit_bytes} bytes: write of {len_bytes} bytes at offset {offset_bytes} of {}",
        path.display()
    )]
    HardLimit {
        /// The file.
        path: PathBuf,
        /// Where the write began.
        offset_bytes: u64,
        /// How much was to be written.
        len_bytes: u64,
        /// The limit.
        limit_bytes: u64,
        /// Whether it was an asynchronous write.
        asynchronous: bool,
    },
    /// A transfer on a file that this rank has closed.
    #[error("closed on this rank, open it first: {}", path.display())]
    Closed {
        /// The file.
        path: PathBuf,
    },
    /// A write on a file that this rank has opened for reading only.
    #[error("open for reading only on this rank: {}", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// A name that belongs to something else than a file: a directory, a device, a pipe.
    #[error("not a regular file: {}", path.display())]
    NotAFile {
        /// The name.
        path: PathBuf,
    },
    /// A directory of `CHEMIO_SF_DIRS` cannot be used.
    #[error("{reason}: directory in CHEMIO_SF_DIRS: {}", directory.display())]
    StripeDirectory {
        /// The directory.
        directory: PathBuf,
        /// Why.
        reason: String,
    },
    /// The name holds the description of a striped file, and a stripe is not there.
    #[error(
        "No such file or directory: the stripe {}; if it does not come back, remove the name of the whole: {}",
        stripe.display(), path.display()
    )]
    StripeGone {
        /// The stripe.
        stripe: PathBuf,
        /// The name.
        path: PathBuf,
    },
    /// The name holds the description of a striped file, and it makes no sense to this version.
    #[error("{reason}: the description of a striped file in {}", path.display())]
    Description {
        /// The name.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A rank does not see the file that rank 0 has made or found.
    #[error(
        "the file is on host {maker}'s own disk, and a rank on host {host} does not see it: use a directory that all \
         hosts share, not that of {}", path.display()
    )]
    NotShared {
        /// The file or stripe.
        path: PathBuf,
        /// The host of rank 0.
        maker: String,
        /// The host of the rank that does not see it.
        host: String,
    },
    /// A rank on the host of rank 0 finds no file, or another one, under the name.
    #[error(
        "another file of this name, or none: a rank on host {host} does not see the one that rank 0 there does, because it \
         has a mount or a container of its own, or another working directory: {}", path.display()
    )]
    AnotherFile {
        /// The file or stripe, with the absolute path that this rank gives it.
        path: PathBuf,
        /// The host of both ranks.
        host: String,
    },
    /// The ranks gave different paths to one collective call. The same on every rank.
    #[error("ranks disagree: rank {rank} does not create the file that rank 0 does: {}", path.display())]
    ArgumentsDiffer {
        /// The lowest rank that differs from rank 0.
        rank: usize,
        /// What rank 0 gave.
        path: PathBuf,
    },
    /// A collective call failed on a rank. The same on every rank.
    #[error("rank {rank}: {message}")]
    OnRank {
        /// The lowest rank on which it failed.
        rank: usize,
        /// The legacy number of that rank's error.
        code: i32,
        /// That rank's error, as it prints.
        message: String,
        /// What it is about, if its message ends with that.
        path: Option<PathBuf>,
    },
    /// A broken invariant of this library, or a panic in what the program has put under it, as a subscriber of its log.
    #[error("internal error: {message}")]
    Panicked {
        /// The message of the panic.
        message: String,
    },
    /// The ranks could not talk to each other.
    #[error(transparent)]
    Comm(#[from] comm::Error),
}

impl Error {
    /// The number a legacy call returns for this error, from [`codes::TABLE`].
    pub fn code(&self) -> i32 {
        match self {
            Self::Device(error) | Self::Stripe { source: error, .. } => error.code(),
            Self::EndOfFile { .. } => codes::DEVICE_END_OF_FILE,
            Self::HardLimit { asynchronous: false, .. } => codes::DEVICE_WRITE,
            Self::HardLimit { asynchronous: true, .. } => codes::DEVICE_AWRITE,
            Self::Closed { .. } => codes::DEVICE_HANDLE,
            Self::ReadOnly { .. } => codes::DEVICE_MODE,
            Self::NotAFile { .. } | Self::StripeDirectory { .. } | Self::StripeGone { .. } => {
                codes::DEVICE_OPEN
            }
            Self::OnRank { code, .. } => *code,
            Self::Panicked { .. } => codes::DEVICE_UNKNOWN,
            Self::Description { .. }
            | Self::NotShared { .. }
            | Self::AnotherFile { .. }
            | Self::ArgumentsDiffer { .. }
            | Self::Comm(_) => codes::FAILED,
        }
    }

    /// The operating system's error, where there was one and this rank has it.
    pub fn os_error(&self) -> Option<&std::io::Error> {
        match self {
            Self::Device(error) | Self::Stripe { source: error, .. } => error.os_error(),
            _ => None,
        }
    }

    /// The file or directory the error is about; the message ends with it.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Device(error) => error.path(),
            Self::Stripe { path, .. }
            | Self::EndOfFile { path, .. }
            | Self::HardLimit { path, .. }
            | Self::Closed { path }
            | Self::ReadOnly { path }
            | Self::NotAFile { path }
            | Self::StripeDirectory { directory: path, .. }
            | Self::StripeGone { path, .. }
            | Self::Description { path, .. }
            | Self::NotShared { path, .. }
            | Self::AnotherFile { path, .. }
            | Self::ArgumentsDiffer { path, .. } => Some(path),
            Self::OnRank { path, .. } => path.as_deref(),
            Self::Panicked { .. } | Self::Comm(_) => None,
        }
    }
}

/// An [`elio::Error::File`] about `path`.
pub(crate) fn of_file(operation: elio::Operation, path: &Path, source: std::io::Error) -> Error {
    Error::Device(elio::Error::File { operation, path: path.to_owned(), source })
}
