//! What was measured, and what of it counts.

use std::ops::AddAssign;

use serde::Serialize;

use crate::ga::turn::Turn;
use crate::statistics::Series;

/// The time of one turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Of one call of each rank.
    pub(crate) seconds: f64,
    /// Whether other processes took processors from it.
    pub(crate) is_disturbed: bool,
}

/// How many turns were taken, and how many of them other processes disturbed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Turns {
    /// All of them.
    pub(crate) all: u64,
    /// The disturbed ones.
    pub(crate) disturbed: u64,
}

impl AddAssign for Turns {
    fn add_assign(&mut self, more: Self) {
        self.all += more.all;
        self.disturbed += more.disturbed;
    }
}

/// All times of one number of ranks.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    all: Series<Turn>,
    undisturbed: Series<Turn>,
    turns: Turns,
}

impl Samples {
    /// Adds a time.
    pub(crate) fn add(&mut self, turn: Turn, sample: Sample) {
        self.all.add(turn, sample.seconds);
        if !sample.is_disturbed {
            self.undisturbed.add(turn, sample.seconds);
        }
        self.turns += Turns { all: 1, disturbed: u64::from(sample.is_disturbed) };
    }

    /// The median seconds of a call, of undisturbed turns if there are any.
    pub(crate) fn median(&self, turn: Turn) -> Option<f64> {
        self.undisturbed.median(&turn).or_else(|| self.all.median(&turn))
    }

    /// All times, in the order they were taken.
    pub(crate) fn seconds(&self, turn: Turn) -> &[f64] {
        self.all.of(&turn)
    }

    /// How many there are.
    pub(crate) fn turns(&self) -> Turns {
        self.turns
    }
}

#[cfg(test)]
mod tests {
    use super::{Sample, Samples, Turns};
    use crate::ga::engine::Engine;
    use crate::ga::turn::Turn;

    #[test]
    fn disturbed_times_count_only_where_there_are_no_others() {
        let turn = Turn::Count(Engine::Package);
        let mut samples = Samples::default();
        samples.add(turn, Sample { seconds: 9.0, is_disturbed: true });
        samples.add(turn, Sample { seconds: 7.0, is_disturbed: true });
        assert_eq!(samples.median(turn), Some(8.0));
        samples.add(turn, Sample { seconds: 1.0, is_disturbed: false });
        assert_eq!(samples.median(turn), Some(1.0));
        assert_eq!(samples.seconds(turn), [9.0, 7.0, 1.0]);
        assert_eq!(samples.turns(), Turns { all: 3, disturbed: 2 });
    }
}
