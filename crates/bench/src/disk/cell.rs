//! A line of the table of a suite about files: what was moved how, what came of it, and whether that is enough.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::disk::access::Operation;
use crate::outcome::{Outcome, ratio};

/// Ranks are judged up to here; more are shown.
const RANKS_JUDGED_MAX: usize = 2;

/// What one line is about; `W` is what a driver carries out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Cell<W> {
    /// The file or section, and the way through it.
    #[serde(flatten)]
    pub(crate) workload: W,
    /// The part of the work that is timed.
    pub(crate) operation: Operation,
}

impl<W: Copy> Cell<W> {
    /// A line.
    pub(crate) fn of(workload: W, operation: Operation) -> Self {
        Self { workload, operation }
    }

    /// The lines that a pass fills.
    pub(crate) fn all(workload: W) -> [Self; 4] {
        Operation::ALL.map(|operation| Self::of(workload, operation))
    }
}

/// A cell against its target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Judgement {
    /// Ours : best peer.
    pub(crate) peer_ratio: Option<f64>,
    /// Ours : limit of the device.
    pub(crate) limit_ratio: Option<f64>,
    /// The speed to reach, in bytes per second.
    pub(crate) target: Option<f64>,
    /// Whether it is reached.
    pub(crate) outcome: Outcome,
}

impl Judgement {
    /// Of speeds in bytes per second; what was not measured is missing.
    pub(crate) fn of(
        ours: Option<f64>,
        peer: Option<f64>,
        limit: Option<f64>,
        target: Option<f64>,
        is_judged: bool,
    ) -> Self {
        Self {
            peer_ratio: ratio(ours, peer),
            limit_ratio: ratio(ours, limit),
            target,
            outcome: if is_judged { Outcome::of(ours, target) } else { Outcome::NotJudged },
        }
    }
}

/// Whether so many ranks are judged on so many processors.
pub(crate) fn is_judged(ranks: usize, cpus: usize) -> bool {
    ranks <= cpus.min(RANKS_JUDGED_MAX)
}

/// One cell with its figures; `S` are median speeds, `E` says whose.
#[derive(Debug, Serialize)]
pub(crate) struct Row<W, S, E: Ord> {
    /// What was measured.
    #[serde(flatten)]
    pub(crate) cell: Cell<W>,
    /// Median speeds.
    pub(crate) speeds: S,
    /// Against the target.
    pub(crate) judgement: Judgement,
    /// What a reader should know about the figures.
    pub(crate) notes: Vec<String>,
    /// Every single time that was not disturbed.
    pub(crate) seconds: BTreeMap<E, Vec<f64>>,
}

#[cfg(test)]
mod tests {
    use super::{Judgement, is_judged};
    use crate::outcome::Outcome;

    #[test]
    fn ranks_beyond_two_or_beyond_the_processors_are_shown() {
        assert!(is_judged(2, 2) && !is_judged(2, 1) && !is_judged(4, 8));
        let of = |is_judged| Judgement::of(Some(9.0), Some(1.0), None, Some(2.0), is_judged);
        assert_eq!((of(true).outcome, of(false).outcome), (Outcome::Holds, Outcome::NotJudged));
        assert_eq!((of(false).peer_ratio, of(false).limit_ratio), (Some(9.0), None));
    }
}
