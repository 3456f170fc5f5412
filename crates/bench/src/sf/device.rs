//! What the device gives as many jobs as there are ranks: the limit, and the same by requests of the size under measurement.

use std::collections::BTreeMap;
use std::path::Path;

use crate::disk::fio::{Fio, Limit, Load};
use crate::disk::scratch::Scratch;
use crate::error::BenchError;

/// Requests in flight of each job.
const DEPTH: u32 = 8;
/// Direct transfers are whole pages, so requests of 64 kB are measured by 64 KiB.
const PAGE_BYTES: u64 = 4096;

/// A kind of load on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Yardstick {
    /// 1 MiB, 16 in flight, measured between passes of requests of this size.
    Limit {
        /// Bytes of the requests.
        request_bytes: u64,
    },
    /// Requests of this size, 8 in flight.
    SameSize {
        /// Bytes of the requests.
        request_bytes: u64,
    },
}

/// fio, and what it found so far.
#[derive(Debug)]
pub(crate) struct Device<'a> {
    executable: &'a Path,
    size_bytes: u64,
    found: BTreeMap<(Yardstick, usize), Fio>,
}

impl<'a> Device<'a> {
    /// Before anything was measured.
    pub(crate) fn new(executable: &'a Path, size_bytes: u64) -> Self {
        Self { executable, size_bytes, found: BTreeMap::new() }
    }

    /// Measures once more.
    pub(crate) fn measure(
        &mut self,
        yardstick: Yardstick,
        jobs: usize,
        scratch: &Scratch,
    ) -> Result<(), BenchError> {
        let load = load(yardstick, self.size_bytes, jobs);
        let fio = || Fio::new(self.executable, load);
        self.found.entry((yardstick, jobs)).or_insert_with(fio).measure(scratch)
    }

    /// The median of what was found.
    pub(crate) fn speed(&self, yardstick: Yardstick, jobs: usize) -> Option<Limit> {
        self.found.get(&(yardstick, jobs))?.limit()
    }
}

fn load(yardstick: Yardstick, size_bytes: u64, jobs: usize) -> Load {
    match yardstick {
        Yardstick::Limit { .. } => Load::limit(size_bytes, jobs),
        Yardstick::SameSize { request_bytes } => {
            Load { size_bytes, block_bytes: request_bytes.next_multiple_of(PAGE_BYTES), depth: DEPTH, jobs }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Yardstick, load};

    #[test]
    fn requests_of_the_same_size_are_whole_pages() {
        let block = |request_bytes| load(Yardstick::SameSize { request_bytes }, 1 << 30, 2).block_bytes;
        assert_eq!([block(32_000), block(64_000), block(1_000_000)], [32 << 10, 64 << 10, 1_003_520]);
        assert_eq!(load(Yardstick::Limit { request_bytes: 64_000 }, 1 << 30, 2).block_bytes, 1 << 20);
    }
}
