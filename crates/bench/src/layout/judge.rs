//! The rules by which a line holds. A copy here is a plain copy of the same files to disk by one process, directly after
//! the conversion.
//!
//! - A conversion takes at most 1.25 of a copy if its memory is a quarter of the matrix or more, and at most 1.6 if it is less.
//! - Reading the target by its own tiles reaches at least 0.85 of the limit of the device.
//! - A conversion is faster than `TensorStore`'s with as much memory; to the most skewed pattern, at least three times.
//! - For each number of ranks and each memory, the slowest conversion takes at most 1.15 of the fastest, if each was timed three
//!   times at least: of single times of eleven patterns the extremes are those of the device.
//! - Judged as long as there is a processor for each rank.

use serde::Serialize;

use crate::layout::workload::Cell;
use crate::outcome::{Outcome, ratio};

const MUCH_MEMORY_PART: u64 = 4;
const OF_COPY_MAX: f64 = 1.25;
const OF_COPY_LITTLE_MEMORY_MAX: f64 = 1.6;
const OF_LIMIT_MIN: f64 = 0.85;
const PEER_MIN: f64 = 1.0;
const PEER_MOST_SKEWED_MIN: f64 = 3.0;
const SPREAD_MAX: f64 = 1.15;
const SPREAD_TIMES_MIN: usize = 3;

/// Median times of one line, in seconds; what was not measured is missing.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Seconds {
    /// Reading the source by tiles of the target, if all of it were read.
    pub(crate) skewed: Option<f64>,
    /// Ours, from opening the source until all is on disk.
    pub(crate) conversion: Option<f64>,
    /// Reading the target by its own tiles, cold.
    pub(crate) aligned: Option<f64>,
    /// The plain copy that the conversion is held against.
    pub(crate) plain: Option<f64>,
    /// `TensorStore`'s conversion.
    pub(crate) peer: Option<f64>,
    /// Reading as many bytes at the limit of the device, beside the aligned read.
    pub(crate) limit: Option<f64>,
}

/// What is judged of one line; what was not measured is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Ratios {
    /// Conversion : plain copy.
    pub(crate) copy: Option<f64>,
    /// Limit : aligned read.
    pub(crate) limit: Option<f64>,
    /// `TensorStore` : conversion.
    pub(crate) peer: Option<f64>,
}

/// A ratio and what was asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Judgement {
    /// The ratio.
    pub(crate) ratio: Option<f64>,
    /// The largest or the smallest that is good.
    pub(crate) target: f64,
    /// Whether it is.
    pub(crate) outcome: Outcome,
}

/// What is judged of one line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Judgements {
    /// Conversion : plain copy.
    pub(crate) copy: Judgement,
    /// Speed of the aligned read : limit.
    pub(crate) aligned: Judgement,
    /// `TensorStore` : conversion.
    pub(crate) peer: Judgement,
}

impl Judgements {
    /// What came of each.
    pub(crate) fn outcomes(&self) -> [Outcome; 3] {
        [self.copy.outcome, self.aligned.outcome, self.peer.outcome]
    }
}

/// The ratio is at most that.
fn at_most(ratio: Option<f64>, target: f64, is_judged: bool) -> Judgement {
    // As much as is allowed is still good, and less is better.
    let outcome = ratio.map_or(Outcome::NotJudged, |found| Outcome::of(Some(target), Some(found)));
    Judgement { ratio, target, outcome: if is_judged { outcome } else { Outcome::NotJudged } }
}

/// The ratio is at least that.
fn at_least(ratio: Option<f64>, target: f64, is_judged: bool) -> Judgement {
    let outcome = if is_judged { Outcome::of(ratio, Some(target)) } else { Outcome::NotJudged };
    Judgement { ratio, target, outcome }
}

/// Judges one line of a matrix of so many bytes.
pub(crate) fn judge(
    cell: &Cell,
    ratios: &Ratios,
    (matrix_bytes, is_most_skewed): (u64, bool),
    cpus: usize,
) -> Judgements {
    let is_judged = cell.ranks <= cpus;
    let has_much_memory = cell.memory_bytes >= matrix_bytes / MUCH_MEMORY_PART;
    let of_copy_max = if has_much_memory { OF_COPY_MAX } else { OF_COPY_LITTLE_MEMORY_MAX };
    let peer_min = if is_most_skewed { PEER_MOST_SKEWED_MIN } else { PEER_MIN };
    Judgements {
        copy: at_most(ratios.copy, of_copy_max, is_judged),
        aligned: at_least(ratios.limit, OF_LIMIT_MIN, is_judged),
        peer: at_least(ratios.peer, peer_min, is_judged),
    }
}

/// Judges the slowest conversion against the fastest, of which each was timed so many times at least.
pub(crate) fn judge_spread(extremes: Option<[f64; 2]>, times: usize, ranks: usize, cpus: usize) -> Judgement {
    let [fastest, slowest] = [0, 1].map(|which| extremes.map(|extremes| extremes[which]));
    at_most(ratio(slowest, fastest), SPREAD_MAX, ranks <= cpus && times >= SPREAD_TIMES_MIN)
}

#[cfg(test)]
mod tests {
    use super::{Ratios, judge, judge_spread};
    use crate::layout::workload::{Cell, Pattern};
    use crate::outcome::Outcome;

    const MATRIX: u64 = 2 << 30;

    fn cell(memory_mib: u64, ranks: usize) -> Cell {
        Cell { ranks, memory_bytes: memory_mib << 20, pattern: Pattern { rows: 8, columns: 16384 } }
    }

    fn outcomes(cell: &Cell, ratios: Ratios, is_most_skewed: bool) -> [Outcome; 3] {
        judge(cell, &ratios, (MATRIX, is_most_skewed), 2).outcomes()
    }

    const GOOD: Ratios = Ratios { copy: Some(1.25), limit: Some(0.85), peer: Some(3.0) };

    #[test]
    fn what_is_just_reached_holds() {
        assert_eq!(outcomes(&cell(512, 1), GOOD, true), [Outcome::Holds; 3]);
        let little = Ratios { copy: Some(1.6), limit: Some(0.85), peer: Some(1.0) };
        assert_eq!(outcomes(&cell(64, 1), little, false), [Outcome::Holds; 3]);
    }

    #[test]
    fn what_is_just_missed_misses() {
        let worse = Ratios { copy: Some(1.26), limit: Some(0.84), peer: Some(2.9) };
        assert_eq!(outcomes(&cell(512, 1), worse, true), [Outcome::Misses; 3]);
        let little = Ratios { copy: Some(1.61), limit: Some(0.84), peer: Some(0.9) };
        assert_eq!(outcomes(&cell(64, 1), little, false), [Outcome::Misses; 3]);
    }

    #[test]
    fn more_ranks_than_processors_and_what_was_not_measured_are_shown_only() {
        assert_eq!(outcomes(&cell(512, 4), GOOD, true), [Outcome::NotJudged; 3]);
        assert_eq!(outcomes(&cell(512, 1), Ratios::default(), true), [Outcome::NotJudged; 3]);
    }

    #[test]
    fn the_slowest_may_take_a_little_longer_than_the_fastest() {
        assert_eq!(judge_spread(Some([1.0, 1.14]), 3, 1, 2).outcome, Outcome::Holds);
        assert_eq!(judge_spread(Some([1.0, 1.16]), 3, 1, 2).outcome, Outcome::Misses);
        assert_eq!(judge_spread(Some([1.0, 1.16]), 3, 4, 2).outcome, Outcome::NotJudged);
        assert_eq!(judge_spread(None, 3, 1, 2).outcome, Outcome::NotJudged);
    }

    #[test]
    fn single_times_are_no_spread() {
        for extremes in [[1.0, 1.1], [1.0, 1.6]] {
            let judgement = judge_spread(Some(extremes), 2, 1, 2);
            assert_eq!((judgement.outcome, judgement.ratio), (Outcome::NotJudged, Some(extremes[1])));
        }
    }
}
