//! Which route a transfer takes. Pure functions of facts; the callers act on what they return.
//!
//! The sizes come from measurements on one machine (buffered against direct, one against several in flight); they are
//! turning points, not limits, and no correctness hangs on them.

use crate::device::{Properties, Route};
use crate::file::{CachePolicy, Sharing};
use crate::policy::cores::has_spare_core;
use crate::stream::order::Order;
use std::ops::Range;

/// Reads below this that miss the cache go through it when they come alone: the kernel reads ahead a little, and a
/// neighbour finds its page there. Asynchronous ones do so below [`TINY_READ_BYTES`]. Where they are resident, those that
/// follow one another are served from a window that is filled in larger steps.
pub(crate) const SMALL_READ_BYTES: usize = 64 << 10;

/// Staged parts of asynchronous reads from this on are copied to their place by a worker; below it the copy costs less than
/// handing it over.
pub(crate) const WORKER_COPY_BYTES: usize = 64 << 10;

/// As [`SMALL_READ_BYTES`], for asynchronous reads of less than whole pages: the device has several of them at once.
const TINY_READ_BYTES: usize = 8 << 10;

/// Asynchronous writes below this are taken at issue: their memory may be gone before anyone waits.
pub(crate) const SMALL_WRITE_BYTES: usize = 64 << 10;

/// Writes below so many bytes may be gathered, or held together. The kernel makes pages as large as what it is given at once, so that it takes half a megabyte
/// of gathered ones in half the time and less, and gives it back sooner when it is read.
pub const GATHERED_BYTES: usize = 256 << 10;

/// Where a worker finds a core, asynchronous requests below this are copied from or to the page cache at issue, if that is
/// all there is to do: to wake one costs as much as the copy. From here on a worker shares a copy out of the cache with a caller who
/// has to wait for it.
const COPY_AT_ISSUE_BYTES: usize = 512 << 10;

/// As [`COPY_AT_ISSUE_BYTES`], where a worker is no help: the ranks of the node have all cores, so that it would take one from
/// them, or wait; or the caller has nothing to do meanwhile.
pub(crate) const COPY_WITHOUT_WORKER_BYTES: usize = 8 << 20;

/// Asynchronous requests below this are copied from or to the page cache at issue, if that is all there is to do.
pub(crate) fn copy_at_issue_bytes() -> usize {
    if has_spare_core() { COPY_AT_ISSUE_BYTES } else { COPY_WITHOUT_WORKER_BYTES }
}

/// Asynchronous sequential reads from this on are in flight in their own memory; below it they share read-ahead.
pub(crate) const LARGE_READ_BYTES: usize = 512 << 10;

/// What is known when a read that is not resident chooses its route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Miss {
    /// It is better read with what is around it, by way of the cache: see [`is_small_read`].
    pub(crate) is_small: bool,
    /// The range was read before around the cache, or follows another one of a file for which the kernel alone reads ahead.
    pub(crate) is_for_cache: bool,
    /// The file fits in what this process may fill of the page cache.
    pub(crate) file_fits: bool,
}

/// Whether a read is better with what is around it. `asynchronous`: others are in flight, the caller does not wait for this one
/// alone.
pub(crate) fn is_small_read(range: &Range<u64>, asynchronous: bool) -> bool {
    let len = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
    if asynchronous { len < TINY_READ_BYTES && !is_whole_pages(range) } else { len < SMALL_READ_BYTES }
}

/// Whether a read of a shared file is left to the kernel to read ahead of, by way of the cache. Ranks that read it in turn make one
/// stream, which the kernel sees; around the cache only what has others beside it runs at the device's speed, or is large. Who
/// waits for each read at once has nothing of its own beside it, however large it is.
pub(crate) fn is_stream_for_kernel(order: Order, len: usize, waits_at_once: bool) -> bool {
    match order {
        Order::Scattered => false,
        Order::Sequential | Order::InTurn => waits_at_once || len < LARGE_READ_BYTES,
    }
}

/// Whether a range of a file begins and ends with a page.
pub(crate) fn is_whole_pages(range: &Range<u64>) -> bool {
    const PAGE_BYTES: u64 = 4096;
    range.start.is_multiple_of(PAGE_BYTES) && range.end.is_multiple_of(PAGE_BYTES)
}

/// How much of a file's place in the page cache is this rank's, of so many on the node: a file that all write is there once for all.
pub(crate) fn counted_bytes(bytes: u64, sharing: Sharing, ranks_on_node: u64) -> u64 {
    match sharing {
        Sharing::Shared => bytes.div_ceil(ranks_on_node),
        // Of files that are written by pages few ranks of a node may write all.
        Sharing::Exclusive | Sharing::SharedByPages => bytes,
    }
}

/// Whether reads of this file ask the cache first.
pub(crate) fn asks_cache_first(policy: CachePolicy, properties: Properties) -> bool {
    policy == CachePolicy::Auto && properties.resident && properties.direct.is_some()
}

/// The route of a read that is not resident, or of which nothing is known.
pub(crate) fn read_route(policy: CachePolicy, properties: Properties, miss: Miss) -> Route {
    if properties.direct.is_none() {
        return Route::Cached;
    }
    let through_cache = match policy {
        CachePolicy::Keep => true,
        CachePolicy::Bypass => false,
        CachePolicy::Auto => !properties.resident || (miss.is_for_cache && miss.file_fits) || miss.is_small,
    };
    if through_cache { Route::Cached } else { Route::Direct }
}

/// The route of a write.
pub(crate) fn write_route(
    policy: CachePolicy,
    properties: Properties,
    aligned: bool,
    file_fits: bool,
) -> Route {
    let keeps = policy == CachePolicy::Keep || (policy == CachePolicy::Auto && file_fits);
    match policy {
        _ if keeps || properties.in_memory() => Route::Cached,
        CachePolicy::Bypass if aligned && properties.direct.is_some() => Route::Direct,
        // Unaligned edges written around the cache would need their neighbours' bytes; the cache merges them.
        _ if properties.drop_behind => Route::DropBehind,
        _ => Route::Cached,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_all_ranks_counts_once_for_all_of_them() {
        assert_eq!(counted_bytes(1000, Sharing::Shared, 64), 16);
        assert_eq!(counted_bytes(1000, Sharing::Shared, 1), 1000);
        for sharing in [Sharing::Exclusive, Sharing::SharedByPages] {
            assert_eq!(counted_bytes(1000, sharing, 64), 1000);
        }
    }

    #[test]
    fn the_kernel_reads_ahead_of_what_is_in_order_and_of_large_reads_that_are_waited_for_one_by_one() {
        use Order::{InTurn, Scattered, Sequential};
        let (small, large) = (LARGE_READ_BYTES - 1, LARGE_READ_BYTES);
        for waits_at_once in [false, true] {
            assert!(is_stream_for_kernel(Sequential, small, waits_at_once));
            assert!(is_stream_for_kernel(InTurn, small, waits_at_once));
            assert_eq!(is_stream_for_kernel(Sequential, large, waits_at_once), waits_at_once);
            assert_eq!(is_stream_for_kernel(InTurn, large, waits_at_once), waits_at_once);
            assert!(!is_stream_for_kernel(Scattered, small, waits_at_once));
        }
    }
}
