//! The jobs of one repetition, all of them alive, each asleep until it is asked (drivers/sf/driver.c says what a job
//! understands).

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::conversation::Conversation;
use crate::error::BenchError;
use crate::launcher::launch;
use crate::sf::engine::Engine;
use crate::sf::options::Options;

/// Whoever has threads for his transfers needs the other processors, too.
pub(crate) const BINDING: &str = "none";

#[derive(Debug, Deserialize)]
struct Hello {
    mpi: String,
}

/// What a job answers; which fields are there depends on the command.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Answer {
    /// Until the last rank had waited for its last request.
    pub(crate) seconds: f64,
    /// Until the file was on disk.
    pub(crate) disk_seconds: f64,
    /// The part of the file that was in the page cache before, 0 to 1.
    pub(crate) resident: f64,
}

/// A job for every library that is there and every number of ranks.
#[derive(Debug)]
pub(crate) struct Team {
    jobs: BTreeMap<(Engine, usize), Conversation>,
}

impl Team {
    /// Starts the jobs, which will all use `file`, one after the other.
    pub(crate) fn start(options: &Options, file: &Path) -> Result<Self, BenchError> {
        let mut jobs = BTreeMap::new();
        for (engine, executable) in options.executables().present() {
            for ranks in options.ranks() {
                let launcher = options.launcher(engine.mpi());
                let mut command = launch(engine.mpi(), launcher, ranks, BINDING, executable);
                command.arg(file).args([&options.common.seed.to_string(), options.check_word()]);
                let who = format!("{engine}, ranks: {ranks}");
                jobs.insert((engine, ranks), Conversation::start(who, &mut command)?);
            }
        }
        Ok(Self { jobs })
    }

    /// Waits until all have started. What MPI each library runs on.
    pub(crate) fn greet(&mut self) -> Result<BTreeMap<Engine, String>, BenchError> {
        let mut versions = BTreeMap::new();
        for (&(engine, _), job) in &mut self.jobs {
            versions.insert(engine, tidy(&job.ask::<Hello>("hello")?.mpi));
        }
        Ok(versions)
    }

    /// The job of a library and a number of ranks, which must be there.
    pub(crate) fn job(&mut self, engine: Engine, ranks: usize) -> &mut Conversation {
        self.jobs.get_mut(&(engine, ranks)).expect("only jobs that were started have turns")
    }
}

/// MPICH names its version with a heading and a tabulator.
fn tidy(version: &str) -> String {
    version.replace(" Version:", "").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn versions_are_said_without_headings() {
        assert_eq!(tidy("MPICH Version:\t4.0.2"), "MPICH 4.0.2");
        assert_eq!(tidy("Open MPI v4.1.4"), "Open MPI v4.1.4");
    }
}
