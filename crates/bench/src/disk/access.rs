//! How files are accessed, and what of it is timed.

use std::fmt;

use clap::ValueEnum;
use serde::Serialize;

/// How a caller waits for its transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mode {
    /// One call after the other.
    Blocking,
    /// Eight requests in flight, waiting for the oldest.
    InFlight,
}

impl Mode {
    /// The number of requests in flight.
    pub(crate) fn window(self) -> usize {
        match self {
            Mode::Blocking => 1,
            Mode::InFlight => 8,
        }
    }
}

/// What the time of a cell covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Operation {
    /// Open a new file, write all of it, close.
    WriteCached,
    /// The same, and fsync.
    WriteToDisk,
    /// Open, read all of a file that was just read, close.
    ReadCached,
    /// The same after a drop of the page cache.
    ReadCold,
}

impl Operation {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [Operation; 4] =
        [Operation::WriteCached, Operation::WriteToDisk, Operation::ReadCached, Operation::ReadCold];

    /// Whether the device takes part, so that its limit applies.
    pub(crate) fn uses_device(self) -> bool {
        matches!(self, Operation::WriteToDisk | Operation::ReadCold)
    }

    /// Whether it writes.
    pub(crate) fn is_write(self) -> bool {
        matches!(self, Operation::WriteCached | Operation::WriteToDisk)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mode::Blocking => f.write_str("blocking"),
            Mode::InFlight => write!(f, "{} in flight", self.window()),
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operation::WriteCached => "write cached",
            Operation::WriteToDisk => "write to disk",
            Operation::ReadCached => "read cached",
            Operation::ReadCold => "read cold",
        })
    }
}
