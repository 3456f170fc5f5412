//! What is measured: workloads, which one driver process carries out, and the cells of the table they fill.

use std::fmt;

use clap::ValueEnum;
use serde::Serialize;

use crate::disk::access::{Mode, Operation};

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

impl Workload {
    /// The lines of the table that a pass over the file fills.
    pub(crate) fn cells(self) -> [Cell; 4] {
        Operation::ALL.map(|operation| self.cell(operation))
    }

    /// One of them.
    pub(crate) fn cell(self, operation: Operation) -> Cell {
        Cell { workload: self, operation }
    }
}

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Cell {
    /// The file and the way through it.
    #[serde(flatten)]
    pub(crate) workload: Workload,
    /// The part of the work that is timed.
    pub(crate) operation: Operation,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Sequential => "sequential",
            Order::Random => "random",
        })
    }
}
