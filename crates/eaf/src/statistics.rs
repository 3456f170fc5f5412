//! What was done with a file, and how long it took.

use elio::{Counter, Tally};
use std::fmt;
use std::path::PathBuf;

/// The calls on one file since it was opened, with real times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Blocking writes.
    pub write: Tally,
    /// Blocking reads.
    pub read: Tally,
    /// Asynchronous writes: the time is that of starting them.
    pub awrite: Tally,
    /// Asynchronous reads: the time is that of starting them.
    pub aread: Tally,
    /// Waits for asynchronous requests. One that was finished when its call returned counts as waited for.
    pub wait: Tally,
}

/// The statistics of a file as a value; its `Display` is the text of `eaf_print_stats`.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The handle the border gave the file.
    pub handle: i64,
    /// The file.
    pub path: PathBuf,
    /// Its length, if it could be had.
    pub len_bytes: Option<u64>,
    /// Its statistics.
    pub statistics: Statistics,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.len_bytes.map_or_else(|| "?".to_owned(), |len| len.to_string());
        writeln!(f, "EAF file {}: \"{}\", size {len} bytes", self.handle, self.path.display())?;
        writeln!(f, "{:8} {:>12} {:>18} {:>14} {:>12}", "", "calls", "bytes", "seconds", "MB/s")?;
        let Statistics { write, read, awrite, aread, wait } = &self.statistics;
        let rows = [("write", write), ("read", read), ("awrite", awrite), ("aread", aread), ("wait", wait)];
        rows.iter().try_for_each(|(name, tally)| row(f, name, tally))
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, tally: &Tally) -> fmt::Result {
    let Tally { calls, bytes, seconds } = tally;
    let rate = tally.megabytes_per_second();
    writeln!(f, "{name:8} {calls:>12} {bytes:>18} {seconds:>14.6} {rate:>12.2}")
}

/// The running counts of one file.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) write: Counter,
    pub(crate) read: Counter,
    pub(crate) awrite: Counter,
    pub(crate) aread: Counter,
    pub(crate) wait: Counter,
}

impl Counters {
    pub(crate) fn statistics(&self) -> Statistics {
        Statistics {
            write: self.write.tally(),
            read: self.read.tally(),
            awrite: self.awrite.tally(),
            aread: self.aread.tally(),
            wait: self.wait.tally(),
        }
    }
}
