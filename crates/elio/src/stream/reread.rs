//! Remembers, coarsely and in bounded space, which parts of a file were read around the page cache: what is read a
//! second time is worth a place in it.

use std::ops::Range;

/// At most this many regions a file; a longer file has larger regions.
const REGIONS_COUNT_MAX: u64 = 2048;
const REGION_BYTES_MIN: u64 = 1 << 20;
/// A region counts as read when this many parts of it (of [`REGION_PARTS`]) were.
const READ_PARTS: u16 = 250;
const REGION_PARTS: u64 = 256;

/// Bytes read directly, by region, in parts of a region.
#[derive(Debug, Default)]
pub(crate) struct Reread {
    region_bytes: u64,
    read_parts: Vec<u16>,
}

impl Reread {
    /// Notes that `range` of a file of `len_bytes` was read around the cache.
    pub(crate) fn note(&mut self, range: Range<u64>, len_bytes: u64) {
        self.fit(len_bytes.max(range.end));
        for region in self.regions(&range) {
            let parts = self.parts_within(region, &range);
            let read = &mut self.read_parts[region];
            *read = read.saturating_add(parts);
        }
    }

    /// Whether all of `range` was read before.
    pub(crate) fn was_read(&self, range: &Range<u64>) -> bool {
        self.region_bytes > 0
            && self
                .regions(range)
                .all(|region| self.read_parts.get(region).is_some_and(|read_parts| *read_parts >= READ_PARTS))
    }

    fn regions(&self, range: &Range<u64>) -> Range<usize> {
        let index = |region: u64| usize::try_from(region).unwrap_or(usize::MAX);
        index(range.start / self.region_bytes)..index(range.end.div_ceil(self.region_bytes))
    }

    fn parts_within(&self, region: usize, range: &Range<u64>) -> u16 {
        let start = region as u64 * self.region_bytes;
        let inside = range.end.min(start + self.region_bytes) - range.start.max(start);
        let part_bytes = self.region_bytes / REGION_PARTS;
        u16::try_from((inside + part_bytes / 2) / part_bytes).unwrap_or(u16::MAX)
    }

    /// Makes the regions cover `len_bytes`, forgetting what was noted when they have to grow.
    fn fit(&mut self, len_bytes: u64) {
        let wanted = len_bytes.div_ceil(REGIONS_COUNT_MAX).next_power_of_two().max(REGION_BYTES_MIN);
        if wanted > self.region_bytes {
            self.region_bytes = wanted;
            self.read_parts.clear();
        }
        let regions_count = usize::try_from(len_bytes.div_ceil(self.region_bytes)).unwrap_or(usize::MAX);
        if regions_count > self.read_parts.len() {
            self.read_parts.resize(regions_count, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const MIB: u64 = 1 << 20;

    #[test]
    fn a_range_counts_as_read_only_after_all_of_it_was() {
        let mut reread = Reread::default();
        reread.note(0..MIB, 4 * MIB);
        assert!(reread.was_read(&(0..MIB)));
        assert!(!reread.was_read(&(0..MIB + 1)));
        reread.note(MIB..2 * MIB, 4 * MIB);
        assert!(reread.was_read(&(0..2 * MIB)));
    }

    #[test]
    fn small_pieces_add_up_to_a_region() {
        let mut reread = Reread::default();
        for piece in 0..64 {
            assert!(piece > 60 || !reread.was_read(&(0..16_000)), "read already after {piece} of 64 pieces");
            reread.note(piece * 16_384..(piece + 1) * 16_384, MIB);
        }
        assert!(reread.was_read(&(0..16_000)));
    }

    #[test]
    fn a_huge_file_takes_no_more_than_4_kib_of_notes() {
        let mut reread = Reread::default();
        reread.note(0..1, 1 << 50);
        reread.note((1 << 50) - 1..1 << 50, 1 << 50);
        assert!(reread.read_parts.len() as u64 <= REGIONS_COUNT_MAX);
    }
}
