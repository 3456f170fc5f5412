//! What is measured: a file of constant size that all ranks write round robin, and the cells of the table that fills.

use serde::Serialize;

use crate::disk::access::Mode;

/// A file and the way it is written and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Workload {
    /// Bytes of each transfer.
    pub(crate) request_bytes: u64,
    /// Blocking or several in flight, on each rank.
    pub(crate) mode: Mode,
    /// How many share the file.
    pub(crate) ranks: usize,
    /// Bytes of the file, a whole number of requests.
    pub(crate) file_bytes: u64,
}

/// One line of the table.
pub(crate) type Cell = crate::disk::cell::Cell<Workload>;

impl Cell {
    /// The order of the table: numbers of ranks that do the same stand one below the other.
    pub(crate) fn place(self) -> impl Ord {
        let Workload { request_bytes, mode, ranks, .. } = self.workload;
        (request_bytes, mode, self.operation, ranks)
    }
}
