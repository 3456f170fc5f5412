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
            Self::Open(error) | Self::Device(error) => error.path(),
            Self::MemoryFull { path, .. } | Self::EndOfFile { path, .. } => Some(path),
        }
    }
}

/// The device layer's number, but for what this module has a number of its own.
fn device_code(error: &elio::Error) -> i32 {
    match error.operation() {
        _ if matches!(error, elio::Error::OutOfRange { .. }) => error.code(),
        Some(Operation::Length) => codes::LENGTH_FAILED,
        Some(Operation::Truncate) => codes::TRUNCATE_FAILED,
        Some(Operation::Delete) => codes::DELETE_FAILED,
        _ => error.code(),
    }
}
