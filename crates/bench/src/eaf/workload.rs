//! What is measured: workloads, which one driver process carries out, and the cells of the table they fill.

use std::fmt;

use clap::ValueEnum;
use serde::Serialize;

use crate::disk::access::Mode;

/// The order in which the chunks of a file are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    /// Front to back.
    Sequential,
    /// A permutation of all chunks, given by the seed.
    Random,
}

/// One file and the way it is walked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Workload {
    /// Bytes of the file.
    pub(crate) size_bytes: u64,
    /// Bytes of each transfer.
    pub(crate) chunk_bytes: u64,
    /// The order of the chunks.
    pub(crate) order: Order,
    /// Blocking or several in flight.
    pub(crate) mode: Mode,
}

/// One line of the table.
pub(crate) type Cell = crate::disk::cell::Cell<Workload>;

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Sequential => "sequential",
            Order::Random => "random",
        })
    }
}
