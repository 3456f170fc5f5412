//! How many cells hold, and their ratios.

use serde::Serialize;

use crate::outcome::Outcome;
use crate::statistics::median;
use crate::summary::report::Cell;

/// Cells that belong together.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Group {
    /// What they have in common; `None`: the suite.
    pub(super) kind: Option<String>,
    /// How many were judged.
    pub(super) judged: usize,
    /// Of these, how many hold.
    pub(super) held: usize,
    /// And how many do not.
    pub(super) missed: usize,
    /// How many were only shown; they are in no ratio.
    pub(super) shown: usize,
    /// Ours : best peer.
    pub(super) peer: Option<Spread>,
    /// Ours : limit.
    pub(super) limit: Option<Spread>,
    /// Ours : target.
    pub(super) target: Option<Spread>,
}

/// Ratios of cells, of which more is better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Spread {
    /// Half of them are better.
    pub(super) median: f64,
    /// The smallest.
    pub(super) worst: f64,
}

impl Spread {
    fn of(ratios: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        Some(Self { median: median(ratios.clone())?, worst: ratios.min_by(f64::total_cmp)? })
    }
}

/// All cells of a suite, and then those of each kind, in the order in which kinds appear.
pub(super) fn groups(cells: &[Cell]) -> Vec<Group> {
    let mut kinds: Vec<&str> = Vec::new();
    for cell in cells {
        if !kinds.contains(&cell.kind.as_str()) {
            kinds.push(&cell.kind);
        }
    }
    let of_kind = |kind: &&str| Group::new(Some(kind), &cells.iter().filter(|cell| cell.kind == **kind));
    [Group::new(None, &cells.iter())].into_iter().chain(kinds.iter().map(of_kind)).collect()
}

impl Group {
    fn new<'a>(kind: Option<&str>, cells: &(impl Iterator<Item = &'a Cell> + Clone)) -> Self {
        let count = |outcome| cells.clone().filter(|cell| cell.outcome == outcome).count();
        let judged = cells.clone().filter(|cell| cell.outcome != Outcome::NotJudged);
        let spread = |of: fn(&Cell) -> Option<f64>| Spread::of(judged.clone().filter_map(of));
        Self {
            kind: kind.map(str::to_owned),
            judged: judged.clone().count(),
            held: count(Outcome::Holds),
            missed: count(Outcome::Misses),
            shown: count(Outcome::NotJudged),
            peer: spread(|cell| cell.peer),
            limit: spread(|cell| cell.limit),
            target: spread(|cell| cell.target),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Spread, groups};
    use crate::outcome::Outcome;
    use crate::summary::report::Cell;

    fn cell(kind: &str, outcome: Outcome, peer: f64) -> Cell {
        Cell { kind: kind.into(), outcome, peer: Some(peer), limit: None, target: None }
    }

    #[test]
    fn what_is_only_shown_is_counted_apart_and_is_in_no_ratio() {
        let cells = [
            cell("cold", Outcome::Holds, 2.0),
            cell("cached", Outcome::Misses, 0.5),
            cell("cold", Outcome::NotJudged, 0.1),
            cell("cold", Outcome::Holds, 4.0),
        ];
        let [all, cold, cached] = groups(&cells).try_into().expect("all, and two kinds");
        assert_eq!((all.judged, all.held, all.missed, all.shown), (3, 2, 1, 1));
        assert_eq!(all.peer, Some(Spread { median: 2.0, worst: 0.5 }));
        assert_eq!((cold.kind.as_deref(), cold.judged, cold.shown), (Some("cold"), 2, 1));
        assert_eq!(cold.peer, Some(Spread { median: 3.0, worst: 2.0 }));
        assert_eq!((cached.missed, cached.limit), (1, None));
    }

    #[test]
    fn a_suite_without_cells_has_no_ratios() {
        let [all] = groups(&[]).try_into().expect("only all");
        assert_eq!((all.judged, all.peer), (0, None));
    }
}
