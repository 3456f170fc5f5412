//! What can go wrong with an exclusive access file, and its legacy number.

use crate::codes;
use elio::Operation;
use std::path::{Path, PathBuf};

/// The result of an operation on an exclusive access file.
pub type Result<T> = std::result::Result<T, Error>;

/// An error. The message begins with the cause and ends with the path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be opened, for the device's reason.
    #[error(transparent)]
    Open(elio::Error),
    /// The device failed an operation on an open file, a delete or a question about a file system.
    #[error(transparent)]
    Device(#[from] elio::Error),
    /// A file held in memory would grow beyond the size it was created with.
    #[error(
        "memory file full: {len_bytes} bytes at offset {offset_bytes}, room for {capacity_bytes} in {}",
        path.display()
    )]
    MemoryFull {
        /// The file.
        path: PathBuf,
        /// Where the write began, or the length asked for.
        offset_bytes: u64,
        /// How much was to be written.
        len_bytes: u64,
        /// How much the file can hold.
        capacity_bytes: u64,
        /// Whether it was an asynchronous write.
        asynchronous: bool,
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
}

impl Error {
    /// The number a legacy call returns for this error, from [`codes::TABLE`].
    pub fn code(&self) -> i32 {
        match self {
            Self::Open(_) => codes::OPEN_FAILED,
            Self::Device(error) => device_code(error),
            Self::MemoryFull { asynchronous: false, .. } => codes::WRITE_FAILED,
            Self::MemoryFull { asynchronous: true, .. } => codes::AWRITE_FAILED,
            Self::EndOfFile { .. } => codes::DEVICE_END_OF_FILE,
        }
    }

    /// The file or directory the error is about; the message ends with it.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Open(error) | Self::Device(error) => device_path(error),
            Self::MemoryFull { path, .. } | Self::EndOfFile { path, .. } => Some(path),
        }
    }
}

fn device_code(error: &elio::Error) -> i32 {
    match error {
        elio::Error::OutOfRange { .. } => codes::DEVICE_SEEK,
        elio::Error::BackendUnavailable { .. } | elio::Error::Setting { .. } => codes::DEVICE_UNSUPPORTED,
        _ => error.operation().map_or(codes::DEVICE_UNKNOWN, operation_code),
    }
}

fn operation_code(operation: Operation) -> i32 {
    match operation {
        Operation::Open => codes::DEVICE_OPEN,
        Operation::Close => codes::DEVICE_CLOSE,
        Operation::Read => codes::DEVICE_READ,
        Operation::Write | Operation::Preallocate => codes::DEVICE_WRITE,
        Operation::AsyncRead => codes::DEVICE_AREAD,
        Operation::AsyncWrite => codes::DEVICE_AWRITE,
        Operation::Length => codes::LENGTH_FAILED,
        Operation::Truncate => codes::TRUNCATE_FAILED,
        Operation::Sync => codes::DEVICE_SYNC,
        Operation::Delete => codes::DELETE_FAILED,
        Operation::Stat => codes::DEVICE_STAT,
        _ => codes::DEVICE_UNKNOWN,
    }
}

fn device_path(error: &elio::Error) -> Option<&Path> {
    match error {
        elio::Error::File { path, .. }
        | elio::Error::Transfer { path, .. }
        | elio::Error::NoSpace { path, .. }
        | elio::Error::Mode { path, .. }
        | elio::Error::OutOfRange { path, .. } => Some(path),
        _ => None,
    }
}
