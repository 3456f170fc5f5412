//! Which operations of this rank may still be under way, and which may not meet them.
//!
//! MPI orders nothing between a put and a get, or between two puts; callers expect that what they do to one place happens in
//! the order in which they did it. So before an operation that overlaps an unfinished one of the same target the target is
//! flushed. Accumulates do not disturb each other, nor do gets.

use std::collections::HashMap;
use std::ops::Range;

/// What an operation does to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Get,
    Put,
    Accumulate,
}

/// How many ranges are told apart for one target; more are remembered as one range around all.
const RANGES_MAX: usize = 32;

/// Unfinished operations, by target.
#[derive(Debug, Default)]
pub(super) struct Outstanding {
    targets: HashMap<usize, Vec<(Range<usize>, Kind)>>,
}

impl Outstanding {
    /// Whether an operation on these bytes of `target` has to wait for an earlier one.
    pub(super) fn conflicts(&self, target: usize, bytes: &Range<usize>, kind: Kind) -> bool {
        let meets = |(other, earlier): &(Range<usize>, Kind)| {
            other.start < bytes.end && bytes.start < other.end && (*earlier != kind || kind == Kind::Put)
        };
        self.targets.get(&target).is_some_and(|operations| operations.iter().any(meets))
    }

    /// Remembers an operation.
    pub(super) fn note(&mut self, target: usize, bytes: Range<usize>, kind: Kind) {
        let operations = self.targets.entry(target).or_default();
        if let Some((last, _)) =
            operations.last_mut().filter(|(last, same)| *same == kind && last.end == bytes.start)
        {
            last.end = bytes.end;
            return;
        }
        operations.push((bytes, kind));
        if operations.len() > RANGES_MAX {
            let start = operations.iter().map(|(range, _)| range.start).min().unwrap_or(0);
            let end = operations.iter().map(|(range, _)| range.end).max().unwrap_or(0);
            // As a put it meets everything.
            *operations = vec![(start..end, Kind::Put)];
        }
    }

    /// Forgets the operations of a target, which are complete.
    pub(super) fn completed(&mut self, target: usize) {
        self.targets.remove(&target);
    }

    /// The targets with unfinished operations.
    pub(super) fn targets(&self) -> Vec<usize> {
        self.targets.keys().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_gets_among_each_other_and_accumulates_among_each_other_may_overlap() {
        for earlier in [Kind::Get, Kind::Put, Kind::Accumulate] {
            for later in [Kind::Get, Kind::Put, Kind::Accumulate] {
                let mut outstanding = Outstanding::default();
                outstanding.note(3, 100..200, earlier);
                let may = earlier == later && later != Kind::Put;
                assert_eq!(outstanding.conflicts(3, &(199..300), later), !may, "{earlier:?} {later:?}");
                assert!(!outstanding.conflicts(3, &(200..300), later));
                assert!(!outstanding.conflicts(2, &(100..200), later));
            }
        }
    }

    #[test]
    fn what_is_complete_is_in_nobodys_way() {
        let mut outstanding = Outstanding::default();
        outstanding.note(1, 0..8, Kind::Put);
        outstanding.completed(1);
        assert!(!outstanding.conflicts(1, &(0..8), Kind::Get));
        assert!(outstanding.targets().is_empty());
    }

    #[test]
    fn many_ranges_become_one_that_hides_none() {
        let mut outstanding = Outstanding::default();
        for i in 0..1000 {
            outstanding.note(0, i * 20..i * 20 + 10, Kind::Accumulate);
        }
        assert!(outstanding.targets[&0].len() <= RANGES_MAX);
        for i in 0..1000 {
            assert!(outstanding.conflicts(0, &(i * 20..i * 20 + 1), Kind::Get));
        }
    }
}
