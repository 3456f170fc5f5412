//! What can go wrong on a device, with everything a user needs to act on it.

use crate::device::Device;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The result of a device operation.
pub type Result<T> = std::result::Result<T, Error>;

/// What was being done when an error occurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// Opening or creating a file.
    Open,
    /// Closing a file, which hands over what was written behind.
    Close,
    /// A blocking read.
    Read,
    /// A blocking write.
    Write,
    /// An asynchronous read, reported where it is waited for.
    AsyncRead,
    /// An asynchronous write, reported where it is waited for.
    AsyncWrite,
    /// Asking for the length.
    Length,
    /// Changing the length.
    Truncate,
    /// Reserving space.
    Preallocate,
    /// Making data durable.
    Sync,
    /// Deleting a file.
    Delete,
    /// Asking about a file system.
    Stat,
}

impl Operation {
    /// The word used in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Close => "close",
            Self::Read => "read",
            Self::Write => "write",
            Self::AsyncRead => "asynchronous read",
            Self::AsyncWrite => "asynchronous write",
            Self::Length => "length",
            Self::Truncate => "truncate",
            Self::Preallocate => "preallocate",
            Self::Sync => "sync",
            Self::Delete => "delete",
            Self::Stat => "stat",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An error of the device layer. The message begins with the cause and ends with the path, so that a caller with a
/// short buffer keeps what matters.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused an operation on a whole file.
    #[error("{source}: {operation} of {}", path.display())]
    File {
        /// What was being done.
        operation: Operation,
        /// The file or directory.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The system refused a transfer.
    #[error("{source}: {operation} of {len_bytes} bytes at offset {offset_bytes} of {}", path.display())]
    Transfer {
        /// What was being done.
        operation: Operation,
        /// The file.
        path: PathBuf,
        /// Where the transfer began.
        offset_bytes: u64,
        /// How much was asked for.
        len_bytes: u64,
        /// The system's answer.
        source: io::Error,
    },
    /// The file system (or the user's quota) has no room for what was asked.
    #[error(
        "{}: {operation} of {len_bytes} bytes at offset {offset_bytes}, {}, in {}",
        what_is_full(source), Left { bytes: *available_bytes, source }, path.display()
    )]
    NoSpace {
        /// What was being done.
        operation: Operation,
        /// The file.
        path: PathBuf,
        /// Where the transfer began.
        offset_bytes: u64,
        /// How much was asked for.
        len_bytes: u64,
        /// What the file system has left for this user, if it could be asked.
        available_bytes: Option<u64>,
        /// The system's answer: ENOSPC or EDQUOT.
        source: io::Error,
    },
    /// The file was opened in a mode that forbids this operation.
    #[error("{operation} not allowed: {} was opened {mode}", path.display())]
    Mode {
        /// What was asked for.
        operation: Operation,
        /// The file.
        path: PathBuf,
        /// How it was opened: "for reading" or "for writing".
        mode: &'static str,
    },
    /// An offset, or an offset plus a length, beyond what a file can have (2^63 - 1 bytes).
    #[error(
        "offset out of range: {operation} of {len_bytes} bytes at offset {offset_bytes} of {}",
        path.display()
    )]
    OutOfRange {
        /// What was asked for.
        operation: Operation,
        /// The file.
        path: PathBuf,
        /// The offset.
        offset_bytes: u64,
        /// The length.
        len_bytes: u64,
    },
    /// A backend was forced by `CHEMIO_BACKEND` and this machine does not have it.
    #[error("backend {requested} is not available here: {reason}")]
    BackendUnavailable {
        /// What was asked for.
        requested: String,
        /// Why it cannot be had, and what would help.
        reason: String,
    },
    /// A setting in the environment has no meaning.
    #[error("{variable}={value} is not understood: expected {expected}")]
    Setting {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// What would be understood.
        expected: &'static str,
    },
}

/// The same system error as a new value.
pub(crate) fn again(source: &io::Error) -> io::Error {
    match source.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(source.kind(), source.to_string()),
    }
}

fn is_quota(source: &io::Error) -> bool {
    source.raw_os_error() == Some(libc::EDQUOT)
}

fn what_is_full(source: &io::Error) -> &'static str {
    if is_quota(source) { "disk quota exceeded" } else { "no space left on device" }
}

/// Prints how much space there is, if that is known. Few file systems tell how much of it a quota leaves.
struct Left<'a> {
    bytes: Option<u64>,
    source: &'a io::Error,
}

impl fmt::Display for Left<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes {
            Some(bytes) => write!(f, "{bytes} bytes")?,
            None => f.write_str("an unknown amount")?,
        }
        f.write_str(if is_quota(self.source) { " free for all users" } else { " left" })
    }
}

impl Error {
    /// The error of a transfer; running out of space is told with what is left.
    pub(crate) fn of_transfer(
        device: &dyn Device,
        operation: Operation,
        path: &Path,
        offset_bytes: u64,
        len_bytes: u64,
        source: io::Error,
    ) -> Self {
        let path = path.to_owned();
        match source.raw_os_error() {
            Some(libc::ENOSPC | libc::EDQUOT) => {
                let available_bytes = device.available_bytes();
                Self::NoSpace { operation, path, offset_bytes, len_bytes, available_bytes, source }
            }
            _ => Self::Transfer { operation, path, offset_bytes, len_bytes, source },
        }
    }

    /// The operating system's error by itself.
    pub(crate) fn into_source(self) -> io::Error {
        match self {
            Self::File { source, .. } | Self::Transfer { source, .. } | Self::NoSpace { source, .. } => {
                source
            }
            other => io::Error::other(other.to_string()),
        }
    }

    /// The operating system's error, where there was one.
    pub fn os_error(&self) -> Option<&io::Error> {
        match self {
            Self::File { source, .. } | Self::Transfer { source, .. } | Self::NoSpace { source, .. } => {
                Some(source)
            }
            _ => None,
        }
    }

    /// What was being done, where the error belongs to an operation.
    pub fn operation(&self) -> Option<Operation> {
        match self {
            Self::File { operation, .. }
            | Self::Transfer { operation, .. }
            | Self::NoSpace { operation, .. }
            | Self::Mode { operation, .. }
            | Self::OutOfRange { operation, .. } => Some(*operation),
            _ => None,
        }
    }

    /// The file or directory the error is about; the message ends with it.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::File { path, .. }
            | Self::Transfer { path, .. }
            | Self::NoSpace { path, .. }
            | Self::Mode { path, .. }
            | Self::OutOfRange { path, .. } => Some(path),
            _ => None,
        }
    }

    /// The same error as a new value: requests report theirs as often as they are asked.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        match self {
            Self::File { operation, path, source } => {
                Self::File { operation: *operation, path: path.clone(), source: again(source) }
            }
            Self::Transfer { operation, path, offset_bytes, len_bytes, source } => Self::Transfer {
                operation: *operation,
                path: path.clone(),
                offset_bytes: *offset_bytes,
                len_bytes: *len_bytes,
                source: again(source),
            },
            Self::NoSpace { operation, path, offset_bytes, len_bytes, available_bytes, source } => {
                Self::NoSpace {
                    operation: *operation,
                    path: path.clone(),
                    offset_bytes: *offset_bytes,
                    len_bytes: *len_bytes,
                    available_bytes: *available_bytes,
                    source: again(source),
                }
            }
            Self::Mode { operation, path, mode } => {
                Self::Mode { operation: *operation, path: path.clone(), mode }
            }
            Self::OutOfRange { operation, path, offset_bytes, len_bytes } => Self::OutOfRange {
                operation: *operation,
                path: path.clone(),
                offset_bytes: *offset_bytes,
                len_bytes: *len_bytes,
            },
            Self::BackendUnavailable { requested, reason } => {
                Self::BackendUnavailable { requested: requested.clone(), reason: reason.clone() }
            }
            Self::Setting { variable, value, expected } => {
                Self::Setting { variable, value: value.clone(), expected }
            }
        }
    }
}
