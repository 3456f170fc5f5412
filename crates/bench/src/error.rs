//! What can go wrong with a run. A missed target is not among it: the table says so.

use std::io;
use std::path::PathBuf;

/// A failure of the run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    /// A driver said that its library failed or that data was wrong.
    #[error("{who}, `{command}`: {message}")]
    Driver {
        /// Who was measured.
        who: String,
        /// What the driver was asked to do.
        command: String,
        /// What it answered.
        message: String,
    },
    /// fio ran and did not give a figure.
    #[error("fio: {message}")]
    Fio {
        /// Its exit or its output.
        message: String,
    },
    /// A patch that no driver can place.
    #[error("{bytes} bytes are not a patch: give a power of two from 64 on")]
    NoPatch {
        /// What was asked for.
        bytes: u64,
    },
    /// A request that is no row of words, or does not fit the file.
    #[error(
        "{request_bytes} bytes are not a request: give a multiple of 8, at most the {size_bytes} bytes of the file"
    )]
    NoRequest {
        /// What was asked for.
        request_bytes: u64,
        /// Bytes of the file.
        size_bytes: u64,
    },
    /// A file that should be the report of a suite, and is not.
    #[error("{path} is no report of a suite: {message}", path = path.display())]
    NoReport {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A summary of nothing.
    #[error("no SUITE.json in {directory}: run a suite first", directory = directory.display())]
    NoReports {
        /// Where they should be.
        directory: PathBuf,
    },
    /// A file size that the chunks do not divide.
    #[error("a file of {size_bytes} bytes is not a whole number of chunks of {chunk_bytes} bytes")]
    Uneven {
        /// Bytes of the file.
        size_bytes: u64,
        /// Bytes of a chunk.
        chunk_bytes: u64,
    },
    /// A step of the orchestrator itself.
    #[error("{step} {path}: {source}", path = path.display())]
    Step {
        /// What was tried.
        step: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
}

/// Adds what was tried and on which file to an I/O error.
pub(crate) fn step(step: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> BenchError {
    let path = path.into();
    move |source| BenchError::Step { step, path, source }
}
