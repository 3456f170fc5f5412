//! The processes of one repetition, all of them alive, each asleep until it is asked (drivers/layout says what they understand).

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::conversation::Conversation;
use crate::error::BenchError;
use crate::layout::engine::{Engine, Job};
use crate::layout::options::Options;
use crate::layout::workload::Pattern;

#[derive(Debug, Deserialize)]
struct Hello {
    #[serde(alias = "mpi")]
    version: String,
}

/// What a process answers; which fields are there depends on the command.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Answer {
    /// How long it took.
    pub(crate) seconds: f64,
    /// The most memory the process ever had.
    pub(crate) memory_bytes: Option<f64>,
}

/// What is done with a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Makes the source in such bricks.
    Make(Pattern),
    /// Makes the target in such bricks and copies the source to it.
    Copy(Pattern),
    /// Reads such tiles of the source, so many rows of the matrix.
    Skewed(Pattern, u64),
    /// The same of the target, all of it.
    Aligned(Pattern),
    /// Compares the target, every element.
    Check,
}

impl Command {
    fn line(self, side: u64) -> String {
        let tiles = |Pattern { rows, columns }| format!("{side} {rows} {columns}");
        match self {
            Self::Make(bricks) => format!("make {}", tiles(bricks)),
            Self::Copy(bricks) => format!("copy {}", tiles(bricks)),
            Self::Skewed(of, rows) => format!("skewed {} {rows}", tiles(of)),
            Self::Aligned(of) => format!("aligned {} {side}", tiles(of)),
            Self::Check => format!("check {side}"),
        }
    }
}

/// All that could be started.
#[derive(Debug)]
pub(crate) struct Team {
    side: u64,
    jobs: BTreeMap<Job, Conversation>,
}

impl Team {
    /// Starts the processes, which will all use `directory`, one after the other.
    pub(crate) fn start(options: &Options, directory: &Path) -> Result<Self, BenchError> {
        let mut jobs = BTreeMap::new();
        for job in Job::all(options) {
            if let Some(mut command) = job.command(options, directory) {
                jobs.insert(job, Conversation::start(job.name(), &mut command)?);
            }
        }
        Ok(Self { side: options.side(), jobs })
    }

    /// Waits until all have started. What `TensorStore` is there, and on what MPI ours runs.
    pub(crate) fn greet(&mut self) -> Result<BTreeMap<Engine, String>, BenchError> {
        let mut versions = BTreeMap::new();
        for (job, conversation) in &mut self.jobs {
            let engine = match job {
                Job::Plain => continue,
                Job::TensorStore(_) => Engine::TensorStore,
                Job::Ours(..) => Engine::Ours,
            };
            versions.insert(engine, conversation.ask::<Hello>("hello")?.version);
        }
        Ok(versions)
    }

    /// Asks somebody who was started.
    pub(crate) fn ask(&mut self, job: Job, command: Command) -> Result<Answer, BenchError> {
        let line = command.line(self.side);
        self.conversation(job).ask(&line)
    }

    /// Asks for a plain copy, in one of two ways.
    pub(crate) fn copy_plainly(&mut self, way: &str) -> Result<Answer, BenchError> {
        self.conversation(Job::Plain).ask(&format!("copy {way}"))
    }

    fn conversation(&mut self, job: Job) -> &mut Conversation {
        self.jobs.get_mut(&job).expect("only jobs that were started have turns")
    }
}

#[cfg(test)]
mod tests {
    use super::Command;
    use crate::layout::workload::Pattern;

    #[test]
    fn commands_name_the_side_the_tiles_and_the_rows() {
        let tiles = Pattern { rows: 256, columns: 512 };
        assert_eq!(Command::Copy(tiles).line(1024), "copy 1024 256 512");
        assert_eq!(Command::Skewed(tiles, 512).line(1024), "skewed 1024 256 512 512");
        assert_eq!(Command::Aligned(tiles).line(1024), "aligned 1024 256 512 1024");
        assert_eq!(Command::Check.line(1024), "check 1024");
    }
}
