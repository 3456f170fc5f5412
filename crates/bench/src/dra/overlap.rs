//! Does computing overlap with a transfer? A program starts it, computes on every rank, and waits. It computes as long as the
//! transfer alone takes, which is where overlap pays most. Where there is a processor besides those of the ranks, they sleep
//! during that one: if they waited, a library could have the processors that compute afterwards. The figure is the time of both
//! together over the longer of the two alone; 1 is perfect and 2 is none. Where every processor computes, somebody has to copy
//! besides: the second figure counts the processor time that the library's own threads took during the transfer alone with the
//! computing.

use serde::Serialize;

use crate::disk::access::Operation;
use crate::dra::engine::Engine;
use crate::dra::judge::judge_overlap;
use crate::dra::pass::Place;
use crate::dra::team::{Answer, Job, Meanwhile};
use crate::dra::workload::{Alignment, Layout, Workload};
use crate::error::BenchError;
use crate::neighbours::watch;
use crate::outcome::Outcome;
use crate::statistics::median;

/// Overlap is judged on these numbers of ranks.
pub(crate) const RANKS_MAX: usize = 2;
/// By what it is measured.
pub(crate) const SECTION: (Layout, Alignment) = (Layout::Blocks, Alignment::Aligned);

const PROBE_STEPS: u64 = 1_000_000;

/// What is in flight while a program computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Setting {
    /// A write, until the wait is over, or a cold read.
    pub(crate) operation: Operation,
    /// The section and the ranks.
    pub(crate) load: Workload,
    /// Who does it.
    pub(crate) engine: Engine,
}

impl Setting {
    /// What is measured with these ranks.
    pub(crate) const OPERATIONS: [Operation; 2] = [Operation::WriteCached, Operation::ReadCold];

    fn has_a_processor_to_copy(&self, cpus: usize) -> bool {
        self.load.ranks < cpus
    }
}

/// The times of one repetition.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Trial {
    /// The transfer with ranks that wait for it; for information.
    pub(crate) waited_seconds: f64,
    /// The transfer alone, while no rank takes part.
    pub(crate) io_seconds: f64,
    /// Processor time of the library's own threads in it, on the busiest rank.
    pub(crate) copying_seconds: f64,
    /// The computing alone.
    pub(crate) compute_seconds: f64,
    /// The computing with the transfer under way.
    pub(crate) both_seconds: f64,
    /// Whether other work on the machine has spoilt it: then it counts only where there is no better one.
    pub(crate) is_disturbed: bool,
}

impl Trial {
    /// Both over the longer of the two alone.
    fn ratio(&self) -> f64 {
        self.both_seconds / self.io_seconds.max(self.compute_seconds)
    }

    /// The same where the processor that computes has to copy, too.
    fn ratio_with_copying(&self) -> f64 {
        self.both_seconds / self.io_seconds.max(self.compute_seconds + self.copying_seconds)
    }
}

/// A line with its figures.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Line {
    /// What was measured.
    #[serde(flatten)]
    pub(crate) setting: Setting,
    /// Every repetition.
    pub(crate) trials: Vec<Trial>,
    /// The median ratio.
    pub(crate) ratio: Option<f64>,
    /// The same with the copying counted.
    pub(crate) ratio_with_copying: Option<f64>,
    /// Whether the one that applies is small enough.
    pub(crate) outcome: Outcome,
}

impl Line {
    /// The line of `setting`. Peers are shown.
    pub(crate) fn new(setting: Setting, trials: Vec<Trial>, cpus: usize) -> Self {
        let ratio = median_of_best(&trials, Trial::ratio);
        let ratio_with_copying = median_of_best(&trials, Trial::ratio_with_copying);
        let judged = if setting.has_a_processor_to_copy(cpus) { ratio } else { ratio_with_copying };
        let outcome = match setting.engine {
            Engine::Ours => judge_overlap(setting.load.ranks, judged, cpus),
            _ => Outcome::NotJudged,
        };
        Self { setting, trials, ratio, ratio_with_copying, outcome }
    }

    /// The median of one of the times.
    pub(crate) fn median(&self, time: impl Fn(&Trial) -> f64) -> Option<f64> {
        median_of_best(&self.trials, time)
    }
}

/// Of those that were not disturbed, if there are any.
fn median_of_best(trials: &[Trial], figure: impl Fn(&Trial) -> f64) -> Option<f64> {
    let calm = trials.iter().filter(|trial| !trial.is_disturbed).map(&figure);
    median(calm).or_else(|| median(trials.iter().map(&figure)))
}

/// Takes the times of one repetition and adds them to `trials`, until other work on the machine leaves it alone.
pub(crate) fn run(
    job: &mut Job,
    setting: Setting,
    place: &Place,
    trials: &mut Vec<Trial>,
) -> Result<(), BenchError> {
    for _ in 0..place.tries_max {
        let (trial, is_disturbed) = watch(|| take(job, setting, place));
        trials.push(Trial { is_disturbed, ..trial? });
        if !is_disturbed {
            break;
        }
    }
    job.forget()
}

fn take(job: &mut Job, setting: Setting, place: &Place) -> Result<Trial, BenchError> {
    let waited = transfer(job, setting, place, Meanwhile::Wait)?;
    let alone = if setting.has_a_processor_to_copy(place.cpus) {
        transfer(job, setting, place, Meanwhile::Sleep)?
    } else {
        waited
    };
    let steps = steps_lasting(job, alone.transfer)?;
    let compute_seconds = job.compute(steps)?.seconds;
    let both = transfer(job, setting, place, Meanwhile::Compute(steps))?;
    Ok(Trial {
        waited_seconds: waited.transfer,
        io_seconds: alone.transfer,
        copying_seconds: alone.copying,
        compute_seconds,
        both_seconds: both.transfer,
        is_disturbed: false,
    })
}

/// The same transfer from the same start.
fn transfer(
    job: &mut Job,
    setting: Setting,
    place: &Place,
    meanwhile: Meanwhile,
) -> Result<Answer, BenchError> {
    place.rehearse(job, setting.load)?;
    let answer = if setting.operation.is_write() {
        job.write(setting.load, meanwhile)?
    } else {
        job.write(setting.load, Meanwhile::Wait)?;
        place.make_cold(setting.load)?;
        job.read(meanwhile)?
    };
    place.clear()?;
    Ok(answer)
}

/// The steps with which computing alone takes `seconds`.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn steps_lasting(job: &mut Job, seconds: f64) -> Result<u64, BenchError> {
    let probed = job.compute(PROBE_STEPS)?.seconds;
    Ok((PROBE_STEPS as f64 * seconds / probed) as u64)
}

#[cfg(test)]
mod tests {
    use super::{Line, Setting, Trial};
    use crate::disk::access::Operation;
    use crate::dra::engine::Engine;
    use crate::dra::workload::{Alignment, Layout, Scale, Workload};
    use crate::outcome::Outcome;

    const TRIAL: Trial = Trial {
        waited_seconds: 0.75,
        io_seconds: 1.0,
        copying_seconds: 0.25,
        compute_seconds: 1.0,
        both_seconds: 1.25,
        is_disturbed: false,
    };

    fn line(ranks: usize, engine: Engine) -> Line {
        line_of(vec![TRIAL], ranks, engine)
    }

    fn line_of(trials: Vec<Trial>, ranks: usize, engine: Engine) -> Line {
        let load =
            Workload { layout: Layout::Blocks, scale: Scale::Full, alignment: Alignment::Aligned, ranks };
        Line::new(Setting { operation: Operation::ReadCold, load, engine }, trials, 2)
    }

    #[test]
    fn copying_counts_where_no_processor_is_left_for_it() {
        assert_eq!(line(1, Engine::Ours).ratio, Some(1.25));
        assert_eq!(line(1, Engine::Ours).outcome, Outcome::Misses);
        assert_eq!(line(2, Engine::Ours).ratio_with_copying, Some(1.0));
        assert_eq!(line(2, Engine::Ours).outcome, Outcome::Holds);
    }

    #[test]
    fn a_disturbed_trial_counts_only_where_there_is_no_other() {
        let spoilt = Trial { both_seconds: 5.0, is_disturbed: true, ..TRIAL };
        assert_eq!(line_of(vec![spoilt, TRIAL, spoilt], 1, Engine::Ours).ratio, Some(1.25));
        assert_eq!(line_of(vec![spoilt], 1, Engine::Ours).ratio, Some(5.0));
    }

    #[test]
    fn peers_are_shown() {
        assert_eq!(line(1, Engine::Package).outcome, Outcome::NotJudged);
    }
}
