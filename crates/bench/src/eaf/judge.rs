//! The rule by which a cell holds.
//!
//! - Cached: at least 0.95 of the better peer; sequential chunks of 1.6 kB: at least twice the better peer.
//! - On the device: at least the smaller of twice the better peer and F of the device limit, and never less than 0.95
//!   of the better peer. F depends on chunk and mode; a cell without an F only has to keep up with the peer.
//! - Overlap: computing while requests are in flight costs at most 1.15 of the longer of the two alone.

use serde::Serialize;

use crate::disk::access::Mode;
use crate::disk::cell::Judgement;
use crate::disk::rule::{PEER_DOUBLED, PEER_FLOOR, device_target};
use crate::eaf::workload::{Cell, Order, Workload};
use crate::outcome::Outcome;

const OVERLAP_MAX: f64 = 1.15;

const SMALL_CHUNK_BYTES: u64 = 1_600;
const MEDIUM_CHUNK_BYTES: u64 = 16_000;
const LARGE_CHUNK_BYTES: u64 = 160_000;
const HUGE_CHUNK_BYTES: u64 = 1_600_000;

/// The speeds of one cell, in bytes per second; what was not measured is missing.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Speeds {
    /// EAF of the Global Arrays package.
    pub(crate) ga_package: Option<f64>,
    /// gfortran direct access.
    pub(crate) fortran: Option<f64>,
    /// chemio.
    pub(crate) ours: Option<f64>,
    /// The device by fio; only where the device takes part.
    pub(crate) limit: Option<f64>,
}

impl Speeds {
    /// The faster of the peers that were measured.
    pub(crate) fn better_peer(&self) -> Option<f64> {
        [self.ga_package, self.fortran].into_iter().flatten().max_by(f64::total_cmp)
    }
}

/// Judges one cell.
pub(crate) fn judge(cell: &Cell, speeds: &Speeds) -> Judgement {
    let peer = speeds.better_peer();
    let target = peer.and_then(|peer| target(cell, peer, speeds.limit));
    Judgement::of(speeds.ours, peer, speeds.limit, target, true)
}

/// Judges the ratio of computing with requests in flight to the longer of the two alone.
pub(crate) fn judge_overlap(ratio: f64) -> Outcome {
    if ratio <= OVERLAP_MAX { Outcome::Holds } else { Outcome::Misses }
}

/// The speed to reach; `None` if it depends on a limit that was not measured.
fn target(cell: &Cell, peer: f64, limit: Option<f64>) -> Option<f64> {
    if cell.operation.uses_device() {
        device_target(peer, limit, limit_factor(&cell.workload))
    } else if is_small_sequential(&cell.workload) {
        Some(PEER_DOUBLED * peer)
    } else {
        Some(PEER_FLOOR * peer)
    }
}

fn is_small_sequential(workload: &Workload) -> bool {
    workload.chunk_bytes <= SMALL_CHUNK_BYTES && workload.order == Order::Sequential
}

/// F: the part of the device limit that is asked for.
#[expect(clippy::match_same_arms, reason = "a line for each line of the rule")]
fn limit_factor(workload: &Workload) -> Option<f64> {
    match (workload.mode, workload.order, workload.chunk_bytes) {
        (Mode::InFlight, _, HUGE_CHUNK_BYTES..) => Some(0.85),
        (Mode::InFlight, _, LARGE_CHUNK_BYTES..) => Some(0.7),
        (Mode::InFlight, _, MEDIUM_CHUNK_BYTES..) => Some(0.5),
        (Mode::Blocking, Order::Sequential, MEDIUM_CHUNK_BYTES..) => Some(0.7),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Judgement, Speeds, judge, judge_overlap};
    use crate::disk::access::{Mode, Operation};
    use crate::eaf::workload::{Cell, Order, Workload};
    use crate::outcome::Outcome;

    fn judged(
        (operation, chunk_bytes, order, mode): (Operation, u64, Order, Mode),
        (peer, limit, ours): (f64, f64, f64),
    ) -> Judgement {
        let workload = Workload { size_bytes: 80_000_000, chunk_bytes, order, mode };
        let limit = operation.uses_device().then_some(limit);
        let speeds = Speeds { ga_package: Some(peer), fortran: Some(peer / 2.0), ours: Some(ours), limit };
        judge(&Cell::of(workload, operation), &speeds)
    }

    fn target(cell: (Operation, u64, Order, Mode), peer: f64, limit: f64) -> f64 {
        judged(cell, (peer, limit, 1.0)).target.expect("peer and limit are known")
    }

    const HUGE_IN_FLIGHT: (Operation, u64, Order, Mode) =
        (Operation::ReadCold, 1_600_000, Order::Random, Mode::InFlight);

    #[test]
    fn a_cached_cell_has_to_keep_up_with_the_better_peer() {
        let cell = (Operation::ReadCached, 16_000, Order::Sequential, Mode::InFlight);
        assert!((target(cell, 1000.0, 1.0) - 950.0).abs() < 1e-9);
        assert_eq!(judged(cell, (1000.0, 1.0, 951.0)).outcome, Outcome::Holds);
        assert_eq!(judged(cell, (1000.0, 1.0, 949.0)).outcome, Outcome::Misses);
    }

    #[test]
    fn small_sequential_cached_chunks_have_to_be_twice_as_fast_and_random_ones_not() {
        let cell = |order| (Operation::WriteCached, 1_600, order, Mode::Blocking);
        assert!((target(cell(Order::Sequential), 500.0, 1.0) - 1000.0).abs() < 1e-9);
        assert!((target(cell(Order::Random), 500.0, 1.0) - 475.0).abs() < 1e-9);
    }

    #[test]
    fn a_disk_cell_has_to_reach_its_part_of_the_limit() {
        assert!((target(HUGE_IN_FLIGHT, 1200.0, 2000.0) - 1700.0).abs() < 1e-9);
    }

    #[test]
    fn twice_the_peer_is_enough_where_the_limit_is_far_away() {
        assert!((target(HUGE_IN_FLIGHT, 700.0, 3000.0) - 1400.0).abs() < 1e-9);
    }

    #[test]
    fn a_disk_cell_never_falls_behind_a_peer_above_the_limit() {
        assert!((target(HUGE_IN_FLIGHT, 3000.0, 2000.0) - 2850.0).abs() < 1e-9);
    }

    #[test]
    fn the_part_of_the_limit_follows_chunk_and_mode() {
        let part =
            |chunk, order, mode| target((Operation::WriteToDisk, chunk, order, mode), 500.0, 1000.0) / 1000.0;
        let cases = [
            (160_000, Order::Random, Mode::InFlight, 0.7),
            (16_000, Order::Sequential, Mode::InFlight, 0.5),
            (1_600_000, Order::Sequential, Mode::Blocking, 0.7),
            (16_000, Order::Sequential, Mode::Blocking, 0.7),
            (1_600_000, Order::Random, Mode::Blocking, 0.0),
            (1_600, Order::Sequential, Mode::InFlight, 0.0),
        ];
        for (chunk, order, mode, factor) in cases {
            let expected = f64::max(factor, 0.95 * 0.5);
            assert!((part(chunk, order, mode) - expected).abs() < 1e-9, "{chunk} {order} {mode}");
        }
    }

    #[test]
    fn a_cell_whose_limit_is_missing_is_not_judged() {
        let workload =
            Workload { size_bytes: 1, chunk_bytes: 1_600_000, order: Order::Random, mode: Mode::InFlight };
        let speeds = Speeds { ga_package: Some(1.0), ours: Some(2.0), ..Speeds::default() };
        assert_eq!(judge(&Cell::of(workload, Operation::ReadCold), &speeds).outcome, Outcome::NotJudged);
    }

    #[test]
    fn overlap_may_cost_fifteen_percent() {
        assert_eq!(judge_overlap(1.15), Outcome::Holds);
        assert_eq!(judge_overlap(1.16), Outcome::Misses);
    }
}
