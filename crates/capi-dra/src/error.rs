//! What can go wrong at this border: handles, types, bounds, ranks that do not fit together, and the errors of the arrays.

use crate::codes;
use chemio_capi::Coded;
use std::path::Path;

/// An error of a call on disk-resident arrays. The message begins with the cause; indices are counted as the caller counts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of an array on disk, or of a transfer.
    #[error(transparent)]
    Disk(#[from] dra::Error),
    /// The ranks could not even talk to each other.
    #[error(transparent)]
    Comm(#[from] comm::Error),
    /// A call before `dra_init` or after `dra_terminate`.
    #[error("disk-resident arrays are not initialised: dra_init comes first")]
    NotInitialised,
    /// MPI does not run, and is not started here.
    #[error("MPI is not running: call MPI_Init and ga_initialize before dra_init")]
    NoMpi,
    /// No array on disk has this handle.
    #[error("invalid handle {handle}: no disk-resident array has it")]
    InvalidHandle {
        /// The handle given.
        handle: i64,
    },
    /// No array in memory has this handle, or none that all ranks share.
    #[error("global array {handle}: {message}")]
    BadArray {
        /// The handle given.
        handle: i64,
        /// What its library says.
        message: String,
    },
    /// Source and target of a copy are one array.
    #[error("source and target are the same array: {}", file.display())]
    SameArray {
        /// Its file, as the caller gave it.
        file: std::path::PathBuf,
    },
    /// The extents of a copy's target are not those of its source in the other order.
    #[error("extents {source_extents:?} in the order {order:?} are not {target_extents:?}: {}", file.display())]
    ExtentsDiffer {
        /// Of the source, as the caller counts them.
        source_extents: Vec<i64>,
        /// The order given.
        order: Vec<i64>,
        /// Of the target, as the caller counts them.
        target_extents: Vec<i64>,
        /// The target.
        file: std::path::PathBuf,
    },
    /// A copy writes the array.
    #[error("a copy into this array is under way, wait for it first: {}", file.display())]
    CopyUnderWay {
        /// Its file, as the caller gave it.
        file: std::path::PathBuf,
    },
    /// An order of dimensions that is none.
    #[error("{order:?} is no order of the dimensions {first} to {last}")]
    BadOrder {
        /// The order given.
        order: Vec<i64>,
        /// The first dimension, as the caller counts.
        first: i64,
        /// The last one.
        last: i64,
    },
    /// An access mode that is none.
    #[error("invalid access mode {mode}: expected -1 (rw), -2 (w) or -3 (r)")]
    InvalidMode {
        /// The mode given.
        mode: i64,
    },
    /// A mode that a call does not take.
    #[error("access mode {mode} makes no sense for {call}")]
    UselessMode {
        /// The mode given.
        mode: i64,
        /// The call it was given to.
        call: &'static str,
    },
    /// A type code that arrays cannot have.
    #[error("type {code} is not supported: expected int, long, float, double or complex")]
    BadType {
        /// The code given.
        code: i64,
    },
    /// A number of dimensions that arrays cannot have.
    #[error("{got} dimensions: expected 1 to 7")]
    BadDims {
        /// What was given.
        got: i64,
    },
    /// An array that is no matrix, given to a call for matrices.
    #[error("{what} has {dims} dimensions: this call is for matrices")]
    NoMatrix {
        /// Which array.
        what: &'static str,
        /// Its dimensions.
        dims: usize,
    },
    /// An extent that no array has.
    #[error("extents {extents:?}: expected at least 1 in each dimension")]
    BadExtent {
        /// What was given.
        extents: Vec<i64>,
    },
    /// Extents that the caller has no numbers for.
    #[error("extents {extents:?} do not fit into an INTEGER of 4 bytes: link the program for those of 8")]
    LargeExtents {
        /// The array's, as the caller counts them.
        extents: Vec<i64>,
    },
    /// Bounds that are empty or not in the array.
    #[error("{what}: section {lo:?} to {hi:?} is empty or not within {first:?} to {last:?}")]
    BadSection {
        /// Which array.
        what: String,
        /// The lower bounds given.
        lo: Vec<i64>,
        /// The upper ones.
        hi: Vec<i64>,
        /// Where the array begins.
        first: Vec<i64>,
        /// Where it ends.
        last: Vec<i64>,
    },
    /// A part that an array does not have.
    #[error("part {got}: the array has {parts}")]
    BadPart {
        /// The number given.
        got: i64,
        /// How many there are.
        parts: usize,
    },
    /// The array has no such attribute.
    #[error("the array has no attribute {key:?}")]
    NoAttribute {
        /// The name given.
        key: String,
    },
    /// An attribute that the caller cannot change.
    #[error("the attribute {key:?} is chemio's own and cannot be changed")]
    ReservedAttribute {
        /// Its name.
        key: String,
    },
    /// The value of an attribute is no JSON.
    #[error("the value of attribute {key:?} is not JSON: {reason}")]
    NotJson {
        /// The name of the attribute.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A text that is no UTF-8.
    #[error("{argument} is not UTF-8")]
    NotText {
        /// Which argument.
        argument: &'static str,
    },
    /// A collective call failed on some rank.
    #[error("rank {rank}: {message}")]
    OnRank {
        /// The lowest rank on which it failed.
        rank: usize,
        /// That rank's error, as it prints.
        message: String,
        /// The number for it.
        code: i32,
    },
    /// Ranks made one collective call with different arguments.
    #[error("the ranks gave different arguments to {call}, or are not all in it")]
    ArgumentsDiffer {
        /// The call.
        call: &'static str,
    },
}

impl Coded for Error {
    fn code(&self) -> i32 {
        match self {
            Self::Disk(error) => error.code(),
            Self::InvalidHandle { .. } | Self::BadArray { .. } => codes::INVALID_HANDLE,
            Self::InvalidMode { .. } | Self::UselessMode { .. } => codes::MODE,
            Self::NoAttribute { .. } => codes::MISSING,
            Self::OnRank { code, .. } => *code,
            _ => codes::FAILED,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Disk(error) => error.path(),
            _ => None,
        }
    }
}

impl From<Error> for chemio_capi::Error {
    fn from(error: Error) -> Self {
        Self::Library(Box::new(error))
    }
}

/// An error of an array on disk, as the border returns it.
pub(crate) fn of_disk(error: impl Into<dra::Error>) -> chemio_capi::Error {
    Error::Disk(error.into()).into()
}
