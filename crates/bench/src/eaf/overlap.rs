//! Do asynchronous calls overlap? Each process issues 8 requests, computes a slice on its core, waits for the 8, and so on
//! through its file. The slices are sized so that computing alone takes as long as the transfers alone, which is where
//! overlap pays most. The figure is the time of both together over the longer of the two alone; 1 is perfect and 2 is
//! none. Several processes work at the same time, each on a file of its own; the slowest counts.

use serde::Serialize;

use crate::disk::access::Operation;
use crate::disk::memory;
use crate::disk::page_cache;
use crate::disk::rehearsal::Rehearsals;
use crate::disk::scratch::ScratchFile;
use crate::eaf::bench::Bench;
use crate::eaf::driver::{Answer, Driver};
use crate::eaf::engine::Engine;
use crate::eaf::judge::judge_overlap;
use crate::eaf::workload::Workload;
use crate::error::BenchError;
use crate::outcome::Outcome;
use crate::statistics::median;

/// The engines that have asynchronous calls.
pub(crate) const ENGINES: [Engine; 2] = [Engine::GaPackage, Engine::Ours];

const PROBE_STEPS: u64 = 100_000;

/// One line of the overlap table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Setting {
    /// What is in flight.
    pub(crate) operation: Operation,
    /// The number of processes that do it at the same time.
    pub(crate) processes: usize,
    /// Who does it.
    pub(crate) engine: Engine,
}

/// The times of one repetition.
#[derive(Clone, Copy, Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the unit belongs to the name")]
pub(crate) struct Trial {
    /// The transfers alone.
    pub(crate) io_seconds: f64,
    /// The computing alone.
    pub(crate) compute_seconds: f64,
    /// The computing with the transfers in flight.
    pub(crate) both_seconds: f64,
}

impl Trial {
    /// Both over the longer of the two alone.
    pub(crate) fn ratio(&self) -> f64 {
        self.both_seconds / self.io_seconds.max(self.compute_seconds)
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
    pub(crate) ratio: f64,
    /// Whether it is small enough.
    pub(crate) outcome: Outcome,
}

impl Line {
    /// The line of `setting`, from at least one trial. `cpus` decides whether it is judged.
    pub(crate) fn new(setting: Setting, trials: Vec<Trial>, cpus: usize) -> Self {
        let ratio = median(trials.iter().map(Trial::ratio)).expect("at least one repetition");
        let outcome = if is_judged(setting, cpus) { judge_overlap(ratio) } else { Outcome::NotJudged };
        Self { setting, trials, ratio, outcome }
    }
}

/// Peers are shown, not judged. A transfer from or to the page cache is a copy by some core: where all of them compute,
/// nobody is left to overlap it with.
fn is_judged(setting: Setting, cpus: usize) -> bool {
    let has_a_core_to_copy = setting.processes < cpus;
    setting.engine == Engine::Ours && (setting.operation.uses_device() || has_a_core_to_copy)
}

/// Takes the times of one repetition.
pub(crate) fn run(bench: &Bench, setting: Setting, load: &Workload) -> Result<Trial, BenchError> {
    let mut team = Team::start(bench, setting, load)?;
    team.prepare_file()?;
    let io_seconds = team.transfer(0)?;
    let steps = team.steps_lasting(io_seconds)?;
    let compute_seconds = team.ask(&format!("compute {steps}"))?.seconds;
    let both_seconds = team.transfer(steps)?;
    Ok(Trial { io_seconds, compute_seconds, both_seconds })
}

/// Processes that do the same at the same time.
struct Team<'a> {
    bench: &'a Bench,
    operation: Operation,
    bytes: u64,
    drivers: Vec<Driver>,
    files: Vec<ScratchFile>,
    rehearsals: Rehearsals,
}

impl<'a> Team<'a> {
    fn start(bench: &'a Bench, setting: Setting, load: &Workload) -> Result<Self, BenchError> {
        let name = |number| bench.scratch.file(&format!("overlap-{number}"));
        let files: Vec<_> = (0..setting.processes).map(name).collect();
        let start = |file| bench.start(setting.engine, load, file);
        let drivers = files.iter().map(start).collect::<Result<_, _>>()?;
        let bytes = load.size_bytes * files.len() as u64;
        let rehearsals = Rehearsals::below(&bench.scratch)?;
        Ok(Self { bench, operation: setting.operation, bytes, drivers, files, rehearsals })
    }

    /// Sends the command to all and waits for all. The longest times.
    fn ask(&mut self, command: &str) -> Result<Answer, BenchError> {
        self.drivers.iter_mut().try_for_each(|driver| driver.send(command))?;
        let mut slowest = Answer::default();
        for driver in &mut self.drivers {
            let answer = driver.answer()?;
            slowest.seconds = slowest.seconds.max(answer.seconds);
            slowest.disk_seconds = slowest.disk_seconds.max(answer.disk_seconds);
        }
        Ok(slowest)
    }

    fn prepare_file(&mut self) -> Result<(), BenchError> {
        if !self.operation.is_write() {
            self.ask("write")?;
            self.ask("check")?;
        }
        Ok(())
    }

    /// Moves the files, computing `steps` in each round, from the same start every time. The seconds it took.
    fn transfer(&mut self, steps: u64) -> Result<f64, BenchError> {
        self.make_ready()?;
        let direction = if self.operation.is_write() { "write-rounds" } else { "read-rounds" };
        let answer = self.ask(&format!("{direction} {steps}"))?;
        Ok(if self.operation == Operation::WriteToDisk { answer.disk_seconds } else { answer.seconds })
    }

    fn make_ready(&mut self) -> Result<(), BenchError> {
        match self.operation {
            Operation::WriteCached | Operation::WriteToDisk => {
                self.files.iter().for_each(ScratchFile::remove);
                self.rehearsals.clear()?;
                for _ in 0..Rehearsals::count(self.bytes) {
                    self.ask("write")?;
                    self.files.iter().try_for_each(|file| self.rehearsals.keep(file.path()))?;
                    self.files.iter().for_each(ScratchFile::remove);
                }
                return self.rehearsals.release();
            }
            Operation::ReadCached => {}
            Operation::ReadCold => {
                self.files.iter().try_for_each(|file| self.bench.page_cache.evict(file.path()))?;
            }
        }
        page_cache::flush();
        memory::warm_for_file(self.bytes);
        Ok(())
    }

    /// The steps in each round with which computing alone takes `seconds`.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn steps_lasting(&mut self, seconds: f64) -> Result<u64, BenchError> {
        let probed = self.ask(&format!("compute {PROBE_STEPS}"))?.seconds;
        Ok((PROBE_STEPS as f64 * seconds / probed) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Setting, Trial};
    use crate::disk::access::Operation;
    use crate::eaf::engine::Engine;
    use crate::outcome::Outcome;

    const TRIAL: Trial = Trial { io_seconds: 1.0, compute_seconds: 2.0, both_seconds: 2.2 };

    fn outcome(operation: Operation, processes: usize, engine: Engine) -> Outcome {
        Line::new(Setting { operation, processes, engine }, vec![TRIAL], 2).outcome
    }

    #[test]
    fn the_ratio_is_to_the_longer_of_the_two() {
        assert!((TRIAL.ratio() - 1.1).abs() < 1e-9);
    }

    #[test]
    fn copies_are_judged_only_where_a_core_is_left_for_them() {
        assert_eq!(outcome(Operation::ReadCached, 1, Engine::Ours), Outcome::Holds);
        assert_eq!(outcome(Operation::ReadCached, 2, Engine::Ours), Outcome::NotJudged);
        assert_eq!(outcome(Operation::ReadCold, 2, Engine::Ours), Outcome::Holds);
        assert_eq!(outcome(Operation::ReadCold, 2, Engine::GaPackage), Outcome::NotJudged);
    }
}
