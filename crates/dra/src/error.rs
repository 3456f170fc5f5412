//! What can go wrong with an array on disk that many ranks have open.

use std::io;
use std::path::{Path, PathBuf};

/// The result of an operation on an array on disk.
pub type Result<T> = std::result::Result<T, Error>;

/// An error. The message begins with the cause and ends with the path, so that a caller with a short buffer keeps what
/// matters.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The directory, its metadata or its shards, seen by one process.
    #[error(transparent)]
    Directory(#[from] disk_array::Error),
    /// The device refused, or there is no space left: the message says how much was asked for and how much there is.
    #[error(transparent)]
    Device(#[from] elio::Error),
    /// An array that was opened for something else.
    #[error("the array was opened for {opened}, not for {asked}: {}", path.display())]
    Access {
        /// The array's directory.
        path: PathBuf,
        /// What it was opened for.
        opened: &'static str,
        /// What was asked for.
        asked: &'static str,
    },
    /// An array that is being filled, or whose filling was interrupted: what has not been written yet would be read.
    #[error("{what} has not ended: {}", path.display())]
    Unfinished {
        /// The array's directory.
        path: PathBuf,
        /// What is to be done again.
        what: String,
    },
    /// Another array has been made in its place.
    #[error("the array has been replaced by another one while it was open: {}", path.display())]
    Replaced {
        /// The array's directory.
        path: PathBuf,
    },
    /// A transfer between an array on disk and one in memory whose elements have another type.
    #[error("elements of type {on_disk} on disk, {in_memory} in memory array \"{array}\": {}", path.display())]
    TypesDiffer {
        /// The array's directory.
        path: PathBuf,
        /// The array in memory.
        array: String,
        /// Its type.
        in_memory: disk_array::DataType,
        /// The type on disk.
        on_disk: disk_array::DataType,
    },
    /// Sections that do not correspond to each other.
    #[error("section {on_disk} on disk does not correspond to section {in_memory} of array \"{array}\" in memory{}: {}",
        if *reversed { ", transposed" } else { "" }, path.display())]
    SectionsDiffer {
        /// The array's directory.
        path: PathBuf,
        /// The array in memory.
        array: String,
        /// The section of it.
        in_memory: Box<section::Section>,
        /// The section on disk.
        on_disk: Box<section::Section>,
        /// Whether the dimensions were to be in the other order.
        reversed: bool,
    },
    /// A section reaches beyond the array in memory.
    #[error("section {section} reaches beyond the shape {dims:?} of array \"{array}\" in memory")]
    BeyondMemory {
        /// The array in memory.
        array: String,
        /// What was asked for.
        section: Box<section::Section>,
        /// Its shape.
        dims: Vec<u64>,
    },
    /// The array in memory could not be read or written.
    #[error("{message}: array \"{array}\" in memory, transfer of {}", path.display())]
    Memory {
        /// The array in memory.
        array: String,
        /// The array's directory.
        path: PathBuf,
        /// What its library says.
        message: String,
    },
    /// A broken invariant of this library, or a panic in the program's [`ArrayInMemory`](crate::ArrayInMemory). Transfers that
    /// were under way on that rank have failed with it; later ones work.
    #[error("internal error: {message}")]
    Panicked {
        /// The message of the panic.
        message: String,
    },
    /// There is no memory for the buffers of transfers.
    #[error("no memory for {count} buffers of {bytes} bytes: {source}")]
    NoMemory {
        /// How many.
        count: usize,
        /// Of how many bytes each.
        bytes: u64,
        /// The system's answer.
        source: io::Error,
    },
    /// The ranks gave different arguments to one collective call. The same on every rank.
    #[error("the ranks disagree about {operation}: {}", path.display())]
    ArgumentsDiffer {
        /// What they were doing.
        operation: &'static str,
        /// The array's directory, as this rank has it.
        path: PathBuf,
    },
    /// Hosts hold parts of an array on their own disks, and those that are here do not make one array.
    #[error("{reason}: {}", path.display())]
    Parts {
        /// The array's directory, on each of them.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// A mistake that a caller of this crate has found, to be told to all ranks.
    #[error("{message}")]
    Caller {
        /// The legacy number.
        code: i32,
        /// What is wrong.
        message: String,
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
    },
    /// The ranks could not talk to each other.
    #[error(transparent)]
    Comm(#[from] comm::Error),
}

impl Error {
    /// The number that a legacy call returns for this error, see [`codes`](crate::codes).
    pub fn code(&self) -> i32 {
        crate::codes::of(self)
    }

    /// The file or directory that the error is about.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Access { path, .. }
            | Self::Unfinished { path, .. }
            | Self::Replaced { path }
            | Self::TypesDiffer { path, .. }
            | Self::SectionsDiffer { path, .. }
            | Self::Memory { path, .. }
            | Self::Parts { path, .. }
            | Self::ArgumentsDiffer { path, .. } => Some(path),
            Self::Directory(error) => error.path(),
            Self::Device(error) => error.path(),
            Self::BeyondMemory { .. }
            | Self::NoMemory { .. }
            | Self::Panicked { .. }
            | Self::Caller { .. }
            | Self::OnRank { .. }
            | Self::Comm(_) => None,
        }
    }
}

impl From<section::Error> for Error {
    fn from(error: section::Error) -> Self {
        Self::Directory(error.into())
    }
}
