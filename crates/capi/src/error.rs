//! What can go wrong at the border: bad arguments, and the errors of the crates behind it.

use std::path::Path;
use std::sync::Arc;

/// The result of a call at the border.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of a library that `chemio-capi` itself does not know, or of that library's own border.
pub trait Coded: std::error::Error + Send + Sync + 'static {
    /// The number the call returns.
    fn code(&self) -> i32;

    /// The path the message ends with, if there is one.
    fn path(&self) -> Option<&Path>;
}

/// An error at the border. The message begins with the cause.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of an exclusive access file.
    #[error(transparent)]
    Eaf(#[from] eaf::Error),
    /// An error of another library.
    #[error("{0}")]
    Library(Box<dyn Coded>),
    /// The error of a request, told again.
    #[error(transparent)]
    Again(Arc<Error>),
    /// The error of an earlier request, for one of very many that failed after it in the same way.
    #[error("{0} (and in the same way requests after it)")]
    OneOfMany(Arc<Error>),
    /// No file is open under this handle.
    #[error("invalid file descriptor {fd}: no open file has it")]
    InvalidHandle {
        /// The handle given.
        fd: i64,
    },
    /// A type that is none of -1, -2, -3 and a positive number of megabytes.
    #[error("invalid type {kind}: expected -1 (rw), -2 (w), -3 (r) or a number of megabytes")]
    InvalidKind {
        /// The type given.
        kind: i64,
    },
    /// An offset or length that is not a whole number.
    #[error("{value} is not a whole number of bytes")]
    NotAnInteger {
        /// What was given.
        value: f64,
    },
    /// An offset or length that no file has.
    #[error("{value} bytes is out of range: expected 0 to 1e14")]
    OffsetOutOfRange {
        /// What was given.
        value: f64,
    },
    /// A byte count that no buffer has.
    #[error("a buffer of {bytes} bytes is out of range")]
    CountOutOfRange {
        /// What was given.
        bytes: i128,
    },
    /// A null pointer where an argument is needed.
    #[error("null pointer: {argument}")]
    NullPointer {
        /// Which argument.
        argument: &'static str,
        /// The code of the call it was given to.
        code: i32,
    },
    /// A request that this process never issued.
    #[error("request {id} was never issued")]
    UnknownRequest {
        /// The request given.
        id: i64,
        /// The code of the call it was given to.
        code: i32,
    },
    /// A character argument too short for the answer.
    #[error("{got} characters are too short for the answer: expected at least {expected}")]
    TooShort {
        /// What is needed.
        expected: usize,
        /// What was given.
        got: usize,
    },
    /// A broken invariant of ours.
    #[error("internal error: {message}")]
    Panic {
        /// What the panic said.
        message: String,
    },
}
