//! What can go wrong with an array on disk.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The result of an operation on an array on disk.
pub type Result<T> = std::result::Result<T, Error>;

/// What was being done when the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// Opening a file.
    Open,
    /// Listing a directory, or asking what a name belongs to.
    Look,
    /// Making a directory.
    MakeDirectory,
    /// Making a file.
    MakeFile,
    /// Setting a file's length.
    SetLength,
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Making data or names durable.
    Sync,
    /// Renaming.
    Rename,
    /// Removing a file or a directory.
    Remove,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "open",
            Self::Look => "look at",
            Self::MakeDirectory => "make the directory",
            Self::MakeFile => "make",
            Self::SetLength => "set the length of",
            Self::Read => "read",
            Self::Write => "write",
            Self::Sync => "sync",
            Self::Rename => "rename",
            Self::Remove => "remove",
        })
    }
}

/// An error. The message begins with the cause and ends with the path, so that a caller with a short buffer keeps what
/// matters.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Somebody else is making an array at this place, or deleting one, or changing its attributes.
    #[error("somebody else is making, changing or deleting an array here: {}", path.display())]
    BeingMade {
        /// The directory.
        path: PathBuf,
    },
    /// An array was not left alone while it was copied, or completed.
    #[error("another program has changed the array meanwhile: {}", path.display())]
    Changed {
        /// The array's directory.
        path: PathBuf,
    },
    /// An array was not deleted after all, because it was changed meanwhile or for another reason, and could not be made whole again.
    #[error("{source}; the array is not deleted, and its metadata are {}: {}", old.display(), path.display())]
    NotPutBack {
        /// The array's directory.
        path: PathBuf,
        /// Where its metadata are now.
        old: PathBuf,
        /// Why they are not where they were.
        source: Box<Error>,
    },
    /// The system refused.
    #[error("{source}: {operation} {}", path.display())]
    System {
        /// What was being done.
        operation: Operation,
        /// The file or directory.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A name without a character, or of nothing but blanks.
    #[error("the file name is empty")]
    EmptyName,
    /// There is nothing of this name.
    #[error("no such array: {}", path.display())]
    Missing {
        /// The name.
        path: PathBuf,
    },
    /// An empty directory: what the first step of a creation leaves that was interrupted, and the last step of a deletion. An array can be
    /// created there.
    #[error("an empty directory, no array: {}", path.display())]
    Empty {
        /// The directory.
        path: PathBuf,
    },
    /// Creating this array began and never ended, or deleting it did: it can be created or deleted again.
    #[error("creating or deleting the array was interrupted: {}", path.display())]
    HalfMade {
        /// The array's directory.
        path: PathBuf,
    },
    /// There is something, but no Zarr v3 array.
    #[error("{found}, not a Zarr v3 array: {}", path.display())]
    NotAnArray {
        /// The name.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// Something that chemio did not make is where an array is to be made or deleted; it was not touched.
    #[error("{found}, not an array made by chemio, left alone: {}", path.display())]
    NotOurs {
        /// What is in the way.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// Something is where a copy was to be made; it was not touched.
    #[error("{found} is there already: {}", path.display())]
    Exists {
        /// The name.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// Something else is where a copy needs an array [between](crate::between) its passes; it was not touched.
    #[error("a copy to {} needs this place for an array between its passes, and something else is there: {}",
        target.display(), path.display())]
    InTheWay {
        /// The place.
        path: PathBuf,
        /// The target of the copy.
        target: PathBuf,
    },
    /// The metadata are no valid Zarr v3 array metadata.
    #[error("{reason}: {}", path.display())]
    Malformed {
        /// The metadata file.
        path: PathBuf,
        /// Which field, what it has, what was expected.
        reason: String,
    },
    /// Metadata that were to be written, and could not be read again; nothing was changed.
    #[error("these metadata could not be read again and are not written: {reason}: {}", path.display())]
    Unreadable {
        /// The metadata file.
        path: PathBuf,
        /// What is wrong with them.
        reason: String,
    },
    /// A valid array that uses something we do not have.
    #[error("not supported: {what}: {}", path.display())]
    Unsupported {
        /// The metadata file.
        path: PathBuf,
        /// What the array uses.
        what: String,
    },
    /// A shard does not have the length or the index that it must have.
    #[error("{reason}: shard {}", path.display())]
    CorruptShard {
        /// The shard.
        path: PathBuf,
        /// What is wrong, with what was expected.
        reason: String,
    },
    /// An array that is too large for files: its bytes, its bricks or its shards cannot be counted or made.
    #[error("{what}, at most {max} possible: array of shape {dims:?}")]
    TooLarge {
        /// What there is too much of, and how much.
        what: String,
        /// How much there may be.
        max: u64,
        /// The array.
        dims: Vec<u64>,
    },
    /// A dimension of an array to be made has no elements.
    #[error("dimension {dim} of an array of shape {dims:?} has no elements")]
    EmptyDimension {
        /// Which dimension, from 0.
        dim: usize,
        /// The array.
        dims: Vec<u64>,
    },
    /// Shapes or sections that make no sense.
    #[error(transparent)]
    Shape(#[from] section::Error),
    /// A section reaches beyond the array.
    #[error("section {section} reaches beyond the shape {dims:?}: {}", path.display())]
    OutOfRange {
        /// The array's directory.
        path: PathBuf,
        /// What was asked for.
        section: Box<section::Section>,
        /// The array.
        dims: Vec<u64>,
    },
    /// A buffer that is not as long as the section.
    #[error("{got_bytes} bytes for a section of {expected_bytes}: {}", path.display())]
    BufferLength {
        /// The array's directory.
        path: PathBuf,
        /// The section.
        expected_bytes: u64,
        /// The buffer.
        got_bytes: u64,
    },
    /// An alignment that no device has.
    #[error("alignment of {bytes} bytes: expected a multiple of 512 up to 1073741824")]
    Alignment {
        /// What was given.
        bytes: u64,
    },
    /// A setting in the environment that makes no sense.
    #[error("{variable}={value}: expected {expected}")]
    Setting {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        expected: &'static str,
    },
}

impl Error {
    /// The number that a legacy call returns for this error, see [`codes`](crate::codes).
    pub fn code(&self) -> i32 {
        crate::codes::of(self)
    }

    /// Whether it is for want of room: of the disk, or of what this user may have of it.
    pub(crate) fn is_no_room(&self) -> bool {
        let kinds = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
        matches!(self, Self::System { source, .. } if kinds.contains(&source.kind()))
    }

    /// The file or directory that the error is about.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::System { path, .. }
            | Self::Changed { path }
            | Self::NotPutBack { path, .. }
            | Self::BeingMade { path }
            | Self::Missing { path }
            | Self::Empty { path }
            | Self::HalfMade { path }
            | Self::NotAnArray { path, .. }
            | Self::NotOurs { path, .. }
            | Self::Exists { path, .. }
            | Self::InTheWay { path, .. }
            | Self::Malformed { path, .. }
            | Self::Unreadable { path, .. }
            | Self::Unsupported { path, .. }
            | Self::CorruptShard { path, .. }
            | Self::OutOfRange { path, .. }
            | Self::BufferLength { path, .. } => Some(path),
            Self::EmptyName
            | Self::TooLarge { .. }
            | Self::EmptyDimension { .. }
            | Self::Shape(_)
            | Self::Alignment { .. }
            | Self::Setting { .. } => None,
        }
    }
}

/// For `map_err`: the system refused `operation` on `path`.
pub(crate) fn refused(operation: Operation, path: &Path) -> impl FnOnce(io::Error) -> Error + '_ {
    move |source| Error::System { operation, path: path.to_owned(), source }
}
