//! What the device gives as many jobs as there are ranks: the limit, and the same by requests of the size under measurement; and what the
//! kernel gives them by plain calls through its page cache, request by request in turn.

use std::collections::BTreeMap;
use std::path::Path;

use crate::disk::fio::{Fio, Limit, Load, Work};
use crate::disk::scratch::Scratch;
use crate::error::BenchError;

/// Requests in flight of each job.
const DEPTH: u32 = 8;
/// Direct transfers are whole pages, so requests of 64 kB are measured by 64 KiB.
const PAGE_BYTES: u64 = 4096;

/// A kind of load on the device, or the page cache.
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
    /// Requests of this size through the page cache, one by one.
    Cached {
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
        let work = work(yardstick, self.size_bytes, jobs);
        let fio = || Fio::new(self.executable, work);
        self.found.entry((yardstick, jobs)).or_insert_with(fio).measure(scratch)
    }

    /// The median of what was found.
    pub(crate) fn speed(&self, yardstick: Yardstick, jobs: usize) -> Option<Limit> {
        self.found.get(&(yardstick, jobs))?.limit()
    }
}

fn work(yardstick: Yardstick, size_bytes: u64, jobs: usize) -> Work {
    match yardstick {
        Yardstick::Limit { .. } => Work::Blocks(Load::limit(size_bytes, jobs)),
        Yardstick::SameSize { request_bytes } => {
            let block_bytes = request_bytes.next_multiple_of(PAGE_BYTES);
            Work::Blocks(Load { size_bytes, block_bytes, depth: DEPTH, jobs })
        }
        Yardstick::Cached { request_bytes } => {
            Work::Cached(Load { size_bytes, block_bytes: request_bytes, depth: 1, jobs })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Work, Yardstick, work};

    fn block(yardstick: Yardstick) -> u64 {
        match work(yardstick, 1 << 30, 2) {
            Work::Blocks(load) | Work::Cached(load) => load.block_bytes,
            Work::Parts(_) => panic!("blocks of one size are asked for"),
        }
    }

    #[test]
    fn direct_requests_of_the_same_size_are_whole_pages_and_cached_ones_need_not_be() {
        let direct = |request_bytes| block(Yardstick::SameSize { request_bytes });
        assert_eq!([direct(32_000), direct(64_000), direct(1_000_000)], [32 << 10, 64 << 10, 1_003_520]);
        assert_eq!(block(Yardstick::Limit { request_bytes: 64_000 }), 1 << 20);
        assert_eq!(block(Yardstick::Cached { request_bytes: 64_000 }), 64_000);
    }
}
