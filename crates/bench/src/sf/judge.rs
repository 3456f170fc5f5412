//! The rules by which a cell holds.
//!
//! - Cached: at least 0.95 of the best peer.
//! - On the device: at least the smaller of twice the best peer and F of the device limit, and never less than 0.95 of the
//!   best peer. F is 0.85 from 1 MB and 0.6 from 64 kB on, with 8 in flight; a smaller request and a blocking cell only have to keep up
//!   with the peer.
//! - From 1 rank to 2 nothing falls by more than 10 %.
//! - Judged as long as there is a processor for each rank, and up to 2 ranks; more are shown.

use serde::Serialize;

use crate::disk::access::Mode;
use crate::disk::cell::{Judgement, is_judged};
use crate::disk::rule::{PEER_FLOOR, device_target};
use crate::outcome::Outcome;
use crate::sf::workload::{Cell, Workload};

const FALL_MAX: f64 = 0.1;
const LARGE_REQUEST_BYTES: u64 = 1_000_000;
const SMALL_REQUEST_BYTES: u64 = 64_000;

/// The speeds of one cell, in bytes per second of all ranks together; what was not measured is missing.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Speeds {
    /// SF of the Global Arrays package.
    pub(crate) package: Option<f64>,
    /// MPI-IO of Open MPI.
    pub(crate) openmpi: Option<f64>,
    /// MPI-IO of MPICH.
    pub(crate) mpich: Option<f64>,
    /// chemio.
    pub(crate) ours: Option<f64>,
    /// The device by requests of the same size, 8 in flight; only where the device takes part.
    pub(crate) same_size: Option<f64>,
    /// The limit of the device; of cached cells what plain calls of the kernel give.
    pub(crate) limit: Option<f64>,
}

impl Speeds {
    /// The fastest of the peers that were measured.
    pub(crate) fn best_peer(&self) -> Option<f64> {
        [self.package, self.openmpi, self.mpich].into_iter().flatten().max_by(f64::total_cmp)
    }
}

/// Judges one cell.
pub(crate) fn judge(cell: &Cell, speeds: &Speeds, cpus: usize) -> Judgement {
    let peer = speeds.best_peer();
    let target = peer.and_then(|peer| target(cell, peer, speeds.limit));
    Judgement::of(speeds.ours, peer, speeds.limit, target, is_judged(cell.workload.ranks, cpus))
}

/// Judges what becomes of one rank's speed on two.
pub(crate) fn judge_fall(alone: Option<f64>, on_two: Option<f64>, cpus: usize) -> Outcome {
    if !is_judged(2, cpus) {
        return Outcome::NotJudged;
    }
    Outcome::of(on_two, alone.map(|alone| (1.0 - FALL_MAX) * alone))
}

/// The speed to reach; `None` if it depends on a limit that was not measured.
fn target(cell: &Cell, peer: f64, limit: Option<f64>) -> Option<f64> {
    if cell.operation.uses_device() {
        device_target(peer, limit, limit_factor(&cell.workload))
    } else {
        Some(PEER_FLOOR * peer)
    }
}

/// F: the part of the device limit that is asked for.
fn limit_factor(workload: &Workload) -> Option<f64> {
    match (workload.mode, workload.request_bytes) {
        (Mode::InFlight, LARGE_REQUEST_BYTES..) => Some(0.85),
        (Mode::InFlight, SMALL_REQUEST_BYTES..) => Some(0.6),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Judgement, Speeds, judge, judge_fall};
    use crate::disk::access::{Mode, Operation};
    use crate::outcome::Outcome;
    use crate::sf::workload::{Cell, Workload};

    const COLD: (Operation, u64, Mode) = (Operation::ReadCold, 1_000_000, Mode::InFlight);

    fn cell((operation, request_bytes, mode): (Operation, u64, Mode), ranks: usize) -> Cell {
        Cell::of(Workload { request_bytes, mode, ranks, file_bytes: 256_000_000 }, operation)
    }

    fn judged(cell: &Cell, peer: f64, limit: f64, ours: f64) -> Judgement {
        let limit = cell.operation.uses_device().then_some(limit);
        let (mpich, package) = (Some(peer), Some(peer / 2.0));
        judge(cell, &Speeds { mpich, package, ours: Some(ours), limit, ..Speeds::default() }, 2)
    }

    fn target(of: (Operation, u64, Mode), peer: f64, limit: f64) -> f64 {
        judged(&cell(of, 2), peer, limit, 1.0).target.expect("peer and limit are known")
    }

    #[test]
    fn a_cached_cell_has_to_keep_up_with_the_best_peer() {
        let cell = cell((Operation::WriteCached, 1_000_000, Mode::InFlight), 2);
        assert_eq!(judged(&cell, 1000.0, 1.0, 951.0).outcome, Outcome::Holds);
        assert_eq!(judged(&cell, 1000.0, 1.0, 949.0).outcome, Outcome::Misses);
    }

    #[test]
    fn the_part_of_the_limit_follows_the_request_and_blocking_cells_have_none() {
        let part = |request, mode| target((Operation::WriteToDisk, request, mode), 500.0, 1000.0) / 1000.0;
        let cases = [
            (1_000_000, Mode::InFlight, 0.85),
            (64_000, Mode::InFlight, 0.6),
            (32_000, Mode::InFlight, 0.475),
            (16_000, Mode::InFlight, 0.475),
            (1_000_000, Mode::Blocking, 0.475),
        ];
        for (request, mode, expected) in cases {
            assert!((part(request, mode) - expected).abs() < 1e-9, "{request} {mode}");
        }
    }

    #[test]
    fn twice_the_peer_is_enough_and_the_peer_is_always_kept_up_with() {
        assert!((target(COLD, 700.0, 3000.0) - 1400.0).abs() < 1e-9);
        assert!((target(COLD, 3000.0, 2000.0) - 2850.0).abs() < 1e-9);
    }

    #[test]
    fn ranks_beyond_two_or_beyond_the_processors_are_shown() {
        assert_eq!(judged(&cell(COLD, 4), 1.0, 1.0, 9.0).outcome, Outcome::NotJudged);
        let speeds = Speeds { mpich: Some(1.0), ours: Some(9.0), limit: Some(1.0), ..Speeds::default() };
        assert_eq!(judge(&cell(COLD, 2), &speeds, 1).outcome, Outcome::NotJudged);
        assert_eq!(judge(&cell(COLD, 2), &speeds, 2).outcome, Outcome::Holds);
    }

    #[test]
    fn a_cell_whose_limit_is_missing_is_not_judged() {
        let speeds = Speeds { mpich: Some(1.0), ours: Some(2.0), ..Speeds::default() };
        assert_eq!(judge(&cell(COLD, 1), &speeds, 2).outcome, Outcome::NotJudged);
    }

    #[test]
    fn two_ranks_may_be_a_tenth_slower_than_one() {
        assert_eq!(judge_fall(Some(100.0), Some(91.0), 2), Outcome::Holds);
        assert_eq!(judge_fall(Some(100.0), Some(89.0), 2), Outcome::Misses);
        assert_eq!(judge_fall(Some(100.0), Some(89.0), 1), Outcome::NotJudged);
        assert_eq!(judge_fall(None, Some(89.0), 2), Outcome::NotJudged);
    }
}
