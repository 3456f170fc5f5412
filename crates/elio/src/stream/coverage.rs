//! Remembers, coarsely and in bounded space, which parts of a file were touched: read around the page cache (what is
//! read a second time is worth a place in it), or written (a file that is being filled is worth allocating).

use std::ops::Range;

/// At most this many regions a file; a longer file has larger regions.
const REGIONS_COUNT_MAX: u64 = 2048;
const REGION_BYTES_MIN: u64 = 1 << 20;
/// A region is counted in this many parts.
const REGION_PARTS: u16 = 1 << 14;
/// It counts as touched all over when nearly all of them were: pieces are rounded to parts.
const NEARLY_ALL_PARTS: u16 = REGION_PARTS - (REGION_PARTS >> 6);

/// Bytes touched, by region, in parts of a region. Bytes touched twice count twice, but a region is never more than full.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    region_bytes: u64,
    touched_parts: Vec<u16>,
    touched_parts_sum: u64,
}

impl Coverage {
    /// Notes that `range` of a file of `len_bytes` was touched.
    pub(crate) fn note(&mut self, range: &Range<u64>, len_bytes: u64) {
        self.fit(len_bytes.max(range.end));
        for region in self.regions(range) {
            let parts = self.parts_within(region, range);
            let touched = &mut self.touched_parts[region];
            let before = *touched;
            *touched = before.saturating_add(parts).min(REGION_PARTS);
            self.touched_parts_sum += u64::from(*touched - before);
        }
    }

    /// Whether all of `range` was touched.
    pub(crate) fn covers(&self, range: &Range<u64>) -> bool {
        self.region_bytes > 0
            && self.regions(range).all(|region| {
                self.touched_parts.get(region).is_some_and(|touched| *touched >= NEARLY_ALL_PARTS)
            })
    }

    /// How much was touched in all.
    pub(crate) fn covered_bytes(&self) -> u64 {
        self.touched_parts_sum * (self.region_bytes / u64::from(REGION_PARTS))
    }

    fn regions(&self, range: &Range<u64>) -> Range<usize> {
        let index = |region: u64| usize::try_from(region).unwrap_or(usize::MAX);
        index(range.start / self.region_bytes)..index(range.end.div_ceil(self.region_bytes))
    }

    fn parts_within(&self, region: usize, range: &Range<u64>) -> u16 {
        let start = region as u64 * self.region_bytes;
        let inside = range.end.min(start + self.region_bytes) - range.start.max(start);
        let part_bytes = self.region_bytes / u64::from(REGION_PARTS);
        u16::try_from((inside + part_bytes / 2) / part_bytes).unwrap_or(u16::MAX)
    }

    /// Makes the regions cover `len_bytes`; regions that have to grow are merged.
    fn fit(&mut self, len_bytes: u64) {
        let wanted = len_bytes.div_ceil(REGIONS_COUNT_MAX).next_power_of_two().max(REGION_BYTES_MIN);
        if self.region_bytes == 0 {
            self.region_bytes = wanted;
        }
        while self.region_bytes < wanted {
            self.merge_pairs();
        }
        let regions_count = usize::try_from(len_bytes.div_ceil(self.region_bytes)).unwrap_or(usize::MAX);
        if regions_count > self.touched_parts.len() {
            self.touched_parts.resize(regions_count, 0);
        }
    }

    fn merge_pairs(&mut self) {
        self.region_bytes *= 2;
        let mean = |pair: &[u16]| pair.iter().sum::<u16>() / 2;
        self.touched_parts = self.touched_parts.chunks(2).map(mean).collect();
        self.touched_parts_sum = self.touched_parts.iter().copied().map(u64::from).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const MIB: u64 = 1 << 20;

    #[test]
    fn a_range_is_covered_only_after_all_of_it_was_touched() {
        let mut coverage = Coverage::default();
        coverage.note(&(0..MIB), 4 * MIB);
        assert!(coverage.covers(&(0..MIB)));
        assert!(!coverage.covers(&(0..MIB + 1)));
        coverage.note(&(MIB..2 * MIB), 4 * MIB);
        assert!(coverage.covers(&(0..2 * MIB)));
        assert_eq!(coverage.covered_bytes(), 2 * MIB);
    }

    #[test]
    fn small_pieces_add_up_to_a_region() {
        let mut coverage = Coverage::default();
        for piece in 0..655 {
            assert!(piece > 600 || !coverage.covers(&(0..1600)), "covered after {piece} of 655 pieces");
            coverage.note(&(piece * 1600..(piece + 1) * 1600), MIB);
        }
        assert!(coverage.covers(&(0..1600)));
    }

    #[test]
    fn touching_one_place_again_and_again_covers_no_more_than_its_region() {
        let mut coverage = Coverage::default();
        for _ in 0..1000 {
            coverage.note(&(0..100_000), 100 * MIB);
        }
        assert_eq!(coverage.covered_bytes(), MIB);
    }

    #[test]
    fn a_file_that_grows_keeps_what_was_noted() {
        let mut coverage = Coverage::default();
        coverage.note(&(0..64 * MIB), 64 * MIB);
        coverage.note(&(64 * MIB..64 * MIB + 1), 1 << 40);
        assert!(coverage.touched_parts.len() as u64 <= REGIONS_COUNT_MAX);
        assert!(coverage.covered_bytes() >= 32 * MIB && coverage.covered_bytes() <= 64 * MIB);
    }
}
