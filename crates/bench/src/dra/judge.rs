//! The rules by which a cell holds.
//!
//! - Cached: at least 0.95 of the best peer.
//! - On the device: at least the smaller of twice the best peer and F of the device limit, and never less than 0.95 of the
//!   best peer. F is 0.85 where the section is aligned; one that is not only has to keep up with the peer, and is held against
//!   the aligned one: at least 0.86 of it (write to disk) and 0.95 (read cold), hints permitting: where the device itself is slower
//!   with just the pages that the section then touches, the same of that.
//! - A call that starts a transfer returns within a tenth of the transfer's time.
//! - Overlap: computing during a transfer costs at most 1.2 of the longer of the two alone. On as many ranks as there are
//!   processors nobody is left to copy, so there the processor time of the copying counts with the computing.
//! - Judged as long as there is a processor for each rank, and up to 2 ranks; more are shown.

use serde::Serialize;

use crate::disk::access::Operation;
use crate::disk::cell::{Judgement, is_judged};
use crate::disk::rule::{PEER_FLOOR, device_target};
use crate::dra::workload::{Alignment, Cell};
use crate::outcome::Outcome;

const LIMIT_FACTOR: f64 = 0.85;
const SHIFTED_WRITE_MIN: f64 = 0.86;
const SHIFTED_READ_MIN: f64 = 0.95;
const RETURN_MAX: f64 = 0.1;
const OVERLAP_MAX: f64 = 1.2;

/// The speeds of one cell, in bytes per second of all ranks together; what was not measured is missing.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Speeds {
    /// DRA of the Global Arrays package.
    pub(crate) package: Option<f64>,
    /// Parallel HDF5, all ranks in each call.
    pub(crate) hdf5_collective: Option<f64>,
    /// Parallel HDF5, each rank by itself.
    pub(crate) hdf5_independent: Option<f64>,
    /// chemio.
    pub(crate) ours: Option<f64>,
    /// The limit of the device; only where the device takes part.
    pub(crate) limit: Option<f64>,
}

impl Speeds {
    /// The faster of the ways of HDF5.
    pub(crate) fn hdf5(&self) -> Option<f64> {
        best([self.hdf5_collective, self.hdf5_independent])
    }

    /// The fastest of the peers that were measured.
    pub(crate) fn best_peer(&self) -> Option<f64> {
        best([self.package, self.hdf5()])
    }
}

fn best(speeds: [Option<f64>; 2]) -> Option<f64> {
    speeds.into_iter().flatten().max_by(f64::total_cmp)
}

/// Judges one cell.
pub(crate) fn judge(cell: &Cell, speeds: &Speeds, cpus: usize) -> Judgement {
    let peer = speeds.best_peer();
    let target = peer.and_then(|peer| target(cell, peer, speeds.limit));
    Judgement::of(speeds.ours, peer, speeds.limit, target, is_judged(cell.workload.ranks, cpus))
}

/// What a section that is not aligned has to reach of an aligned one; `None`: nothing. `device`: what the device reaches of it.
pub(crate) fn shifted_min(operation: Operation, device: Option<f64>) -> Option<f64> {
    let least = match operation {
        Operation::WriteToDisk => SHIFTED_WRITE_MIN,
        Operation::ReadCold => SHIFTED_READ_MIN,
        Operation::WriteCached | Operation::ReadCached => return None,
    };
    Some(least * device.map_or(1.0, |device| device.min(1.0)))
}

/// Judges the speed of a section that is not aligned : that of an aligned one.
pub(crate) fn judge_shift(cell: &Cell, ratio: Option<f64>, target: Option<f64>, cpus: usize) -> Outcome {
    if_judged(cell.workload.ranks, cpus, || Outcome::of(ratio, target))
}

/// Judges the part of a transfer that is over when the call that starts it returns.
pub(crate) fn judge_return(ranks: usize, part: Option<f64>, cpus: usize) -> Outcome {
    if_judged(ranks, cpus, || at_most(part, RETURN_MAX))
}

/// Judges the ratio of computing with a transfer under way to the longer of the two alone.
pub(crate) fn judge_overlap(ranks: usize, ratio: Option<f64>, cpus: usize) -> Outcome {
    if_judged(ranks, cpus, || at_most(ratio, OVERLAP_MAX))
}

fn at_most(found: Option<f64>, most: f64) -> Outcome {
    match found {
        None => Outcome::NotJudged,
        Some(found) if found <= most => Outcome::Holds,
        Some(_) => Outcome::Misses,
    }
}

fn if_judged(ranks: usize, cpus: usize, outcome: impl FnOnce() -> Outcome) -> Outcome {
    if is_judged(ranks, cpus) { outcome() } else { Outcome::NotJudged }
}

/// The speed to reach; `None` if it depends on a limit that was not measured.
fn target(cell: &Cell, peer: f64, limit: Option<f64>) -> Option<f64> {
    if cell.operation.uses_device() {
        let is_aligned = cell.workload.alignment == Alignment::Aligned;
        device_target(peer, limit, is_aligned.then_some(LIMIT_FACTOR))
    } else {
        Some(PEER_FLOOR * peer)
    }
}

#[cfg(test)]
mod tests {
    use super::{Speeds, judge, judge_overlap, judge_return, judge_shift, shifted_min};
    use crate::disk::access::Operation;
    use crate::dra::workload::{Alignment, Cell, Layout, Scale, Workload};
    use crate::outcome::Outcome;

    fn cell(operation: Operation, alignment: Alignment, ranks: usize) -> Cell {
        Cell::of(Workload { layout: Layout::Blocks, scale: Scale::Full, alignment, ranks }, operation)
    }

    fn target(operation: Operation, alignment: Alignment, peer: f64, limit: f64) -> f64 {
        let speeds = Speeds {
            package: Some(peer / 2.0),
            hdf5_collective: Some(peer / 3.0),
            hdf5_independent: Some(peer),
            ours: Some(1.0),
            limit: Some(limit),
        };
        judge(&cell(operation, alignment, 1), &speeds, 2).target.expect("peer and limit are known")
    }

    #[test]
    fn a_cached_cell_has_to_keep_up_with_the_best_peer() {
        let found = target(Operation::WriteCached, Alignment::Aligned, 1000.0, 1.0);
        assert!((found - 950.0).abs() < 1e-9);
    }

    #[test]
    fn only_aligned_sections_are_held_against_the_limit() {
        let of = |alignment| target(Operation::ReadCold, alignment, 700.0, 1000.0);
        assert!((of(Alignment::Aligned) - 850.0).abs() < 1e-9);
        assert!((of(Alignment::Shifted) - 665.0).abs() < 1e-9);
    }

    #[test]
    fn a_section_that_is_not_aligned_may_be_so_much_slower_on_the_device() {
        let outcome = |operation, ratio| {
            let target = shifted_min(operation, None);
            judge_shift(&cell(operation, Alignment::Shifted, 2), Some(ratio), target, 2)
        };
        assert_eq!(outcome(Operation::WriteToDisk, 0.87), Outcome::Holds);
        assert_eq!(outcome(Operation::WriteToDisk, 0.85), Outcome::Misses);
        assert_eq!(outcome(Operation::ReadCold, 0.94), Outcome::Misses);
        assert_eq!(outcome(Operation::ReadCached, 0.1), Outcome::NotJudged);
    }

    #[test]
    fn a_section_that_is_not_aligned_may_be_as_slow_as_the_device() {
        let least = |device| shifted_min(Operation::ReadCold, Some(device)).expect("on the device");
        assert!((least(0.8) - 0.76).abs() < 1e-9 && (least(1.2) - 0.95).abs() < 1e-9);
        assert_eq!(shifted_min(Operation::ReadCached, Some(0.7)), None);
    }

    #[test]
    fn calls_that_return_late_and_computing_that_waits_are_misses() {
        assert_eq!(judge_return(1, Some(0.09), 2), Outcome::Holds);
        assert_eq!(judge_return(1, Some(0.11), 2), Outcome::Misses);
        assert_eq!(judge_overlap(2, Some(1.19), 2), Outcome::Holds);
        assert_eq!(judge_overlap(2, Some(1.21), 2), Outcome::Misses);
        assert_eq!(judge_overlap(2, None, 2), Outcome::NotJudged);
    }

    #[test]
    fn ranks_beyond_two_or_beyond_the_processors_are_shown() {
        assert_eq!(judge_return(4, Some(0.5), 8), Outcome::NotJudged);
        assert_eq!(judge_return(2, Some(0.5), 1), Outcome::NotJudged);
        let speeds = Speeds { package: Some(1.0), ours: Some(9.0), limit: Some(1.0), ..Speeds::default() };
        let of = |ranks| judge(&cell(Operation::ReadCold, Alignment::Aligned, ranks), &speeds, 2).outcome;
        assert_eq!((of(2), of(4)), (Outcome::Holds, Outcome::NotJudged));
    }
}
