//! The jobs of one number of ranks, all of them alive, each asleep until it is asked (drivers/ga/driver.c says what a job
//! understands).

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::conversation::Conversation;
use crate::error::BenchError;
use crate::ga::engine::{Engine, Player};
use crate::ga::options::{Binding, Options};
use crate::ga::samples::Sample;
use crate::ga::turn::Turn;
use crate::launcher::{self, Mpi};

const PATH_VARIABLE: &str = "CHEMIO_GA_PATH";

/// Who was without a processor for more than this part of the time was disturbed. The driver repeats that a few times.
const LOST_MAX: f64 = 0.03;

#[derive(Debug, Deserialize)]
struct Hello {
    mpi: String,
}

#[derive(Debug, Deserialize)]
struct Answer {
    calls: u32,
    seconds: f64,
    lost: f64,
}

/// A job for every library that is there, and one without.
#[derive(Debug)]
pub(crate) struct Team {
    ranks: usize,
    has_processors: bool,
    mpi: String,
    jobs: BTreeMap<Player, Conversation>,
}

impl Team {
    /// Starts the jobs and waits until they answer. `None` if there is no driver at all.
    pub(crate) fn start(options: &Options, ranks: usize, cpus: usize) -> Result<Option<Self>, BenchError> {
        let executables = options.executables();
        let players = Engine::ALL.map(Player::Library).into_iter().chain([Player::Bare]);
        let mut jobs = BTreeMap::new();
        for player in players {
            if let Some(executable) = executables.of(player) {
                let mut command = launch(options, ranks, cpus, executable);
                choose_path(&mut command, player);
                jobs.insert(player, Conversation::start(format!("{player}, ranks: {ranks}"), &mut command)?);
            }
        }
        let Some(mpi) = greet(&mut jobs)? else { return Ok(None) };
        Ok(Some(Self { ranks, has_processors: ranks <= cpus, mpi, jobs }))
    }

    /// The ranks of each job.
    pub(crate) fn ranks(&self) -> usize {
        self.ranks
    }

    /// The version of the MPI library.
    pub(crate) fn mpi(&self) -> &str {
        &self.mpi
    }

    /// The libraries that are there.
    pub(crate) fn engines(&self) -> Vec<Engine> {
        let engine = |player: &Player| match *player {
            Player::Library(engine) => Some(engine),
            Player::Bare => None,
        };
        self.jobs.keys().filter_map(engine).collect()
    }

    /// Asks one job, while the others sleep.
    pub(crate) fn take(&mut self, turn: Turn, seconds: f64) -> Result<Sample, BenchError> {
        let job = self.jobs.get_mut(&turn.player()).expect("only players that are present have turns");
        let Answer { calls, seconds, lost } = job.ask(&turn.command(seconds))?;
        Ok(Sample {
            seconds: seconds / f64::from(calls),
            is_disturbed: self.has_processors && lost > LOST_MAX,
        })
    }
}

/// Waits until all have started. What MPI they use, if there are any.
fn greet(jobs: &mut BTreeMap<Player, Conversation>) -> Result<Option<String>, BenchError> {
    let mut mpi = None;
    for job in jobs.values_mut() {
        mpi = Some(job.ask::<Hello>("hello")?.mpi);
    }
    Ok(mpi)
}

fn launch(options: &Options, ranks: usize, cpus: usize, executable: &Path) -> Command {
    let binding = if ranks > cpus { Binding::None } else { options.bind };
    let mut command =
        launcher::launch(Mpi::OpenMpi, &options.mpirun, ranks, &binding.to_string(), executable);
    command.args([options.bytes_max(), options.common.seed].map(|number| number.to_string()));
    command
}

fn choose_path(command: &mut Command, player: Player) {
    let path = match player {
        Player::Library(engine) => engine.path(),
        Player::Bare => None,
    };
    match path {
        Some(path) => command.env(PATH_VARIABLE, path),
        None => command.env_remove(PATH_VARIABLE),
    };
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use clap::Parser;

    use super::{PATH_VARIABLE, choose_path, launch};
    use crate::ga::engine::{Engine, Player};
    use crate::ga::options::Options;

    fn binding(ranks: usize, cpus: usize) -> String {
        let options = Options::parse_from(["ga"]);
        let command = launch(&options, ranks, cpus, Path::new("driver"));
        let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
        let place = arguments.iter().position(|argument| argument == "--bind-to").expect("it is said");
        arguments[place + 1].to_string()
    }

    #[test]
    fn ranks_are_bound_as_long_as_there_are_processors() {
        assert_eq!(binding(2, 2), "core");
        assert_eq!(binding(4, 2), "none");
    }

    #[test]
    fn only_the_job_by_rma_is_told_its_path() {
        let path = |player| {
            let mut command = Command::new("mpirun");
            choose_path(&mut command, player);
            let told = command.get_envs().find(|(name, _)| *name == PATH_VARIABLE).expect("set or removed");
            told.1.map(|path| path.to_string_lossy().into_owned())
        };
        assert_eq!(path(Player::Library(Engine::OursByRma)).as_deref(), Some("rma"));
        assert_eq!(path(Player::Library(Engine::Ours)), None);
        assert_eq!(path(Player::Bare), None);
    }
}
