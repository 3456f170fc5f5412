//! The jobs of one repetition, all of them alive, each asleep until it is asked (drivers/dra/driver.c says what a job
//! understands).

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::conversation::Conversation;
use crate::dra::engine::Engine;
use crate::dra::options::Options;
use crate::dra::workload::Workload;
use crate::error::BenchError;
use crate::launcher::{Mpi, launch};

/// Whoever has threads for his transfers needs the other processors, too.
pub(crate) const BINDING: &str = "none";

/// What a library is told when it starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Settings {
    /// Buffer memory of a rank; `None`: what it takes by itself.
    pub(crate) memory_bytes: Option<u64>,
    /// How many ranks do input and output; the same.
    pub(crate) io_ranks: Option<usize>,
}

#[derive(Debug, Deserialize)]
struct Hello {
    mpi: String,
}

/// What a job answers; which fields are there depends on the command.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Answer {
    /// Until the wait was over on the last rank, from before the array was made or opened.
    pub(crate) seconds: f64,
    /// Until the array was closed and on disk.
    pub(crate) disk_seconds: f64,
    /// Until the call that starts the transfer had returned on the last rank.
    pub(crate) call: f64,
    /// From before that call until the wait was over.
    pub(crate) transfer: f64,
    /// Processor time that other threads than the caller's took meanwhile, on the busiest rank.
    pub(crate) copying: f64,
    /// How much of the disk the array occupies, in sections.
    pub(crate) allocated: f64,
    /// The part of the section that was in the page cache before, 0 to 1.
    pub(crate) resident: f64,
}

/// One job of ranks.
#[derive(Debug)]
pub(crate) struct Job(Conversation);

impl Job {
    /// Starts it; its arrays will be in `directory`.
    pub(crate) fn start(
        options: &Options,
        (engine, ranks): (Engine, usize),
        settings: Settings,
        directory: &Path,
    ) -> Result<Self, BenchError> {
        let executables = options.executables();
        let mut present = executables.present();
        let (_, executable) = present.find(|&(of, _)| of == engine).expect("only engines with a driver");
        let mut command = launch(Mpi::OpenMpi, options.launcher(), ranks, BINDING, executable);
        command.arg(directory).arg(options.common.seed.to_string()).arg(engine.way());
        command.args([said(settings.memory_bytes), said(settings.io_ranks.map(|ranks| ranks as u64))]);
        Ok(Self(Conversation::start(format!("{engine}, ranks: {ranks}"), &mut command)?))
    }

    /// Waits until it has started. What MPI it uses.
    pub(crate) fn greet(&mut self) -> Result<String, BenchError> {
        Ok(self.0.ask::<Hello>("hello")?.mpi)
    }

    /// Makes an array, writes the section, waits, closes and syncs.
    pub(crate) fn write(&mut self, load: Workload, meanwhile: Meanwhile) -> Result<Answer, BenchError> {
        self.0.ask(&format!("write {meanwhile} {}", load.shape()))
    }

    /// Reads what it wrote last, and compares.
    pub(crate) fn read(&mut self, meanwhile: Meanwhile) -> Result<Answer, BenchError> {
        self.0.ask(&format!("read {meanwhile}"))
    }

    /// Computes alone.
    pub(crate) fn compute(&mut self, steps: u64) -> Result<Answer, BenchError> {
        self.0.ask(&format!("compute {steps}"))
    }

    /// Gives the memory back, so that the next job has it.
    pub(crate) fn forget(&mut self) -> Result<(), BenchError> {
        self.0.ask::<Answer>("forget").map(drop)
    }
}

/// What ranks do while a transfer is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meanwhile {
    /// Wait for it, and so take part in it where the library lets them.
    Wait,
    /// Compute so many steps, and then wait.
    Compute(u64),
    /// Sleep until it is over.
    Sleep,
}

impl fmt::Display for Meanwhile {
    /// As the driver wants it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wait => f.write_str("0"),
            Self::Compute(steps) => write!(f, "{steps}"),
            Self::Sleep => f.write_str("-1"),
        }
    }
}

fn said(number: Option<u64>) -> String {
    number.map_or("-1".to_owned(), |number| number.to_string())
}

/// A job for every library that is there and every number of ranks.
#[derive(Debug)]
pub(crate) struct Team {
    jobs: BTreeMap<(Engine, usize), Job>,
}

impl Team {
    /// Starts the jobs, which will all use `directory`, one after the other.
    pub(crate) fn start(options: &Options, directory: &Path) -> Result<Self, BenchError> {
        let mut jobs = BTreeMap::new();
        for (engine, _) in options.executables().present() {
            for ranks in options.ranks() {
                let job = Job::start(options, (engine, ranks), Settings::default(), directory)?;
                jobs.insert((engine, ranks), job);
            }
        }
        Ok(Self { jobs })
    }

    /// Waits until all have started. What MPI they use, if there are any.
    pub(crate) fn greet(&mut self) -> Result<Option<String>, BenchError> {
        let mut mpi = None;
        for job in self.jobs.values_mut() {
            mpi = Some(job.greet()?);
        }
        Ok(mpi)
    }

    /// The job of a library and a number of ranks, which must be there.
    pub(crate) fn job(&mut self, engine: Engine, ranks: usize) -> &mut Job {
        self.jobs.get_mut(&(engine, ranks)).expect("only jobs that were started have turns")
    }
}

#[cfg(test)]
mod tests {
    use super::{Meanwhile, said};

    #[test]
    fn the_driver_is_told_numbers() {
        let told = [Meanwhile::Wait, Meanwhile::Compute(7), Meanwhile::Sleep].map(|of| of.to_string());
        assert_eq!(told, ["0", "7", "-1"]);
        assert_eq!([said(None), said(Some(1 << 20))], ["-1", "1048576"]);
    }
}
