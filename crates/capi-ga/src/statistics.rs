//! What a process has done with arrays, for `ga_print_stats`.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// The kinds of transfers that are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Transfer {
    Get,
    Put,
    Accumulate,
    Scatter,
    Gather,
    ReadIncrement,
}

const KINDS: usize = 6;

/// Counts of this process.
#[derive(Debug, Default)]
pub(crate) struct Statistics {
    created: AtomicU64,
    destroyed: AtomicU64,
    calls: [AtomicU64; KINDS],
    bytes: [AtomicU64; KINDS],
    own_bytes: [AtomicU64; KINDS],
    used_bytes_max: AtomicU64,
}

impl Statistics {
    /// Counts a new array and returns how many there were before; arrays take so many bytes now.
    pub(crate) fn created(&self, used_bytes: u64) -> u64 {
        self.used_bytes_max.fetch_max(used_bytes, Ordering::Relaxed);
        self.created.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn destroyed(&self) {
        self.destroyed.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a call that moves so many bytes, of which so many to or from this process's own block.
    pub(crate) fn moved(&self, transfer: Transfer, bytes: u64, own_bytes: u64) {
        let kind = transfer as usize;
        self.calls[kind].fetch_add(1, Ordering::Relaxed);
        self.bytes[kind].fetch_add(bytes, Ordering::Relaxed);
        self.own_bytes[kind].fetch_add(own_bytes, Ordering::Relaxed);
    }

    /// The report of process `rank`.
    pub(crate) fn report(&self, rank: usize) -> String {
        format!(
            "\n GA Statistics for process {rank:4}\n ------------------------------\n\n\
             \x20      create   destroy  get      put      acc      scatter  gather   read&inc\n\
             calls: {}\nbytes total:  {}\nbytes remote: {}\n\
             Max memory consumed for GA by this process: {} bytes\n",
            Counts(&[&[load(&self.created), load(&self.destroyed)], &each(&self.calls)[..]].concat()),
            Sizes(&each(&self.bytes)),
            Sizes(&self.remote_bytes()),
            load(&self.used_bytes_max),
        )
    }

    fn remote_bytes(&self) -> Vec<u64> {
        each(&self.bytes)
            .iter()
            .zip(each(&self.own_bytes))
            .map(|(all, own)| all.saturating_sub(own))
            .collect()
    }
}

fn load(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}

fn each(counts: &[AtomicU64; KINDS]) -> Vec<u64> {
    counts.iter().map(load).collect()
}

struct Counts<'a>(&'a [u64]);

impl fmt::Display for Counts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|count| write!(f, "{count:<9}"))
    }
}

struct Sizes<'a>(&'a [u64]);

impl fmt::Display for Sizes<'_> {
    #[expect(clippy::cast_precision_loss, reason = "printed with three digits")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|&bytes| write!(f, "{:<9.2e}", bytes as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_bytes_and_remote_bytes_are_counted_by_kind() {
        let statistics = Statistics::default();
        assert_eq!(statistics.created(800), 0);
        statistics.moved(Transfer::Put, 800, 300);
        statistics.moved(Transfer::Put, 200, 0);
        statistics.moved(Transfer::ReadIncrement, 8, 8);
        let report = statistics.report(3);
        assert!(report.contains("process    3"), "{report}");
        assert!(
            report.contains("calls: 1        0        0        2        0        0        0        1"),
            "{report}"
        );
        assert!(report.contains("bytes total:  0.00e0   1.00e3"), "{report}");
        assert!(report.contains("bytes remote: 0.00e0   7.00e2"), "{report}");
        assert!(report.contains("process: 800 bytes"), "{report}");
    }
}
