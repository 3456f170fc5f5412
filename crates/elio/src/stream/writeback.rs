//! Starts the device early on what was written through the page cache, so that a later sync finds most of it done.

use crate::device::Device;
use crate::pool;
use std::ops::Range;
use std::sync::Arc;

/// Started when this much has come together: large enough for good device requests, small enough to keep the device
/// busy while the caller goes on.
const STEP_BYTES: u64 = 8 << 20;
/// Ranges a step may have before it is merged into what they span.
const RANGES_COUNT_MAX: usize = 512;
/// Isolated writes below this are left to the kernel: their pages are likely to be written again.
const ISOLATED_BYTES_MIN: u64 = 32 << 10;

/// What was written and not yet started.
#[derive(Debug, Default)]
pub(crate) struct Writeback {
    ranges: Vec<Range<u64>>,
    pending_bytes: u64,
}

impl Writeback {
    /// Notes a range that was written through the cache of `device`.
    pub(crate) fn note(&mut self, device: &Arc<dyn Device>, range: Range<u64>) {
        let len_bytes = range.end - range.start;
        match self.ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ if len_bytes < ISOLATED_BYTES_MIN => return,
            _ => self.ranges.push(range),
        }
        self.pending_bytes += len_bytes;
        if self.pending_bytes >= STEP_BYTES || self.ranges.len() >= RANGES_COUNT_MAX {
            self.start(device);
        }
    }

    fn start(&mut self, device: &Arc<dyn Device>) {
        let ranges = merged(std::mem::take(&mut self.ranges));
        self.pending_bytes = 0;
        let device = Arc::clone(device);
        pool::writeback().run(move || {
            for range in ranges {
                // Only an early start: an error shows again, and is reported, at sync and close.
                if let Err(error) = device.start_writeback(range.start, range.end - range.start) {
                    tracing::debug!(%error, "early writeback not started");
                }
            }
        });
    }
}

/// Sorted and without neighbours that touch.
fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut merged: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::single_range_in_vec_init)] // one range is what is meant
    fn ranges_that_touch_become_one() {
        assert_eq!(merged(vec![10..20, 0..10, 30..40, 35..50]), vec![0..20, 30..50]);
    }
}
