//! All times that were taken, and the ratios of those that belong together.

use std::collections::BTreeMap;

use crate::disk::fio::Fio;
use crate::disk::passes::Passes;
use crate::disk::samples::Samples;
use crate::layout::judge::{Ratios, Seconds};
use crate::layout::workload::{Cell, Pattern};
use crate::outcome::ratio;
use crate::statistics::median;

/// The other way is the faster one if it takes so much of the time of this one: two copies of one way differ by a quarter.
const CLEARLY_FASTER: f64 = 0.75;

/// Something that takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Measured {
    /// A plain copy, in one of the ways.
    Plain(usize),
    /// `TensorStore`'s conversion, with so much memory.
    Peer(Pattern, u64),
    /// Ours.
    Conversion(Cell),
    /// A plain copy directly after it.
    Beside(Cell),
    /// Reading its target.
    Aligned(Cell),
    /// Reading the file of its target at the limit of the device, by turns with that.
    Limit(Cell),
    /// Reading the source by tiles of its target.
    Skewed(Cell),
}

impl Measured {
    /// What is measured for a line.
    pub(crate) fn of(cell: Cell) -> [Self; 6] {
        [
            Self::Skewed(cell.with_least_memory()),
            Self::Conversion(cell),
            Self::Aligned(cell),
            Self::Peer(cell.pattern, cell.memory_bytes),
            Self::Beside(cell),
            Self::Limit(cell),
        ]
    }
}

/// All that was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Times.
    pub(crate) samples: Samples<Measured>,
    /// What fio found for each number of ranks.
    pub(crate) device: BTreeMap<usize, Fio>,
    /// The most memory that `TensorStore` had, by the size of its cache.
    pub(crate) peer_memory_bytes: BTreeMap<u64, f64>,
    /// How many there were.
    pub(crate) passes: Passes,
}

impl Found {
    /// What the device reads and writes.
    pub(crate) fn limits(&self) -> BTreeMap<usize, [f64; 2]> {
        let of_ranks = |(&ranks, fio): (&usize, &Fio)| Some((ranks, fio.limit()?));
        let limits = self.device.iter().filter_map(of_ranks);
        limits.map(|(ranks, limit)| (ranks, [limit.read, limit.write])).collect()
    }

    /// The median times of both plain copies.
    pub(crate) fn plain(&self) -> [Option<f64>; 2] {
        [0, 1].map(|way| self.samples.median(&Measured::Plain(way)))
    }

    /// The plain copies that a line is held against, if they are not those beside its conversions: the other way is clearly faster.
    fn plain_elsewhere(&self) -> Option<f64> {
        let [buffered, direct] = self.plain();
        buffered.filter(|&buffered| direct.is_some_and(|direct| buffered < CLEARLY_FASTER * direct))
    }

    /// Whether fio comes after ours in the next repetition: by turns, from pattern to pattern and from repetition to repetition.
    pub(crate) fn ours_reads_first(&self, cell: Cell) -> bool {
        let repetitions = self.samples.seconds(&Measured::Conversion(cell)).len();
        (cell.ranks + cell.pattern.rows.ilog2() as usize + repetitions).is_multiple_of(2)
    }

    /// The ratios of a line: of what is measured beside a conversion or a read, the median over the turns.
    pub(crate) fn ratios_of(&self, cell: Cell) -> Ratios {
        let [_, conversion, aligned, peer, beside, limit] =
            Measured::of(cell).map(|of| self.samples.seconds(&of));
        let copy = match self.plain_elsewhere() {
            Some(copy) => median(conversion.iter().map(|conversion| conversion / copy)),
            None => median_ratio(conversion, beside),
        };
        let peer = ratio(median(peer.iter().copied()), median(conversion.iter().copied()));
        Ratios { copy, limit: median_ratio(limit, aligned), peer }
    }

    /// The median times of a line.
    pub(crate) fn seconds_of(&self, cell: Cell) -> Seconds {
        let [skewed, conversion, aligned, peer, beside, limit] =
            Measured::of(cell).map(|of| self.samples.median(&of));
        Seconds { skewed, conversion, aligned, plain: self.plain_elsewhere().or(beside), peer, limit }
    }
}

/// Of pairs that were measured together.
fn median_ratio(numerators: &[f64], denominators: &[f64]) -> Option<f64> {
    median(numerators.iter().zip(denominators).map(|(numerator, denominator)| numerator / denominator))
}

#[cfg(test)]
mod tests {
    use super::{Found, Measured};
    use crate::layout::judge::Ratios;
    use crate::layout::workload::{Cell, Pattern};

    #[test]
    fn copies_beside_count_but_for_a_faster_way_and_reading_the_source_is_of_all_memories() {
        let pattern = Pattern { rows: 8, columns: 64 };
        let cell = |memory_bytes| Cell { ranks: 1, memory_bytes, pattern };
        let mut found = Found::default();
        found.samples.add(Measured::Plain(0), 3.0);
        found.samples.add(Measured::Plain(1), 2.0);
        for (conversion, beside) in [(3.0, 2.0), (8.0, 4.0), (4.0, 2.5)] {
            found.samples.add(Measured::Conversion(cell(512)), conversion);
            found.samples.add(Measured::Beside(cell(512)), beside);
        }
        found.samples.add(Measured::Skewed(cell(0)), 7.0);
        found.samples.add(Measured::Peer(pattern, 512), 5.0);
        for (limit, aligned) in [(1.0, 2.0), (0.8, 1.0), (3.0, 3.0)] {
            found.samples.add(Measured::Limit(cell(512)), limit);
            found.samples.add(Measured::Aligned(cell(512)), aligned);
        }
        let (seconds, ratios) = (found.seconds_of(cell(512)), found.ratios_of(cell(512)));
        assert_eq!((seconds.plain, seconds.skewed, seconds.peer), (Some(2.5), Some(7.0), Some(5.0)));
        assert_eq!((seconds.conversion, seconds.limit), (Some(4.0), Some(1.0)));
        assert_eq!(ratios, Ratios { copy: Some(1.6), limit: Some(0.8), peer: Some(1.25) });
        for _ in 0..2 {
            found.samples.add(Measured::Plain(0), 1.0);
        }
        assert_eq!(found.seconds_of(cell(512)).plain, Some(1.0));
        assert_eq!(found.ratios_of(cell(512)).copy, Some(4.0));
        assert_eq!(found.ratios_of(cell(64)).copy, None);
    }

    #[test]
    fn who_reads_first_changes_from_pattern_to_pattern_and_from_repetition_to_repetition() {
        let cell = |rows| Cell { ranks: 1, memory_bytes: 64, pattern: Pattern { rows, columns: 64 } };
        let mut found = Found::default();
        assert_ne!(found.ours_reads_first(cell(8)), found.ours_reads_first(cell(16)));
        found.samples.add(Measured::Conversion(cell(8)), 3.0);
        assert_eq!(found.ours_reads_first(cell(8)), found.ours_reads_first(cell(16)));
    }
}
