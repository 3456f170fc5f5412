//! Who is measured, and what starts them.

use std::fmt;
use std::path::Path;
use std::process::Command;

use serde::Serialize;

use crate::launcher::{Mpi, launch};
use crate::layout::options::Options;

/// Whoever has threads for his transfers needs the other processors, too.
const BINDING: &str = "none";

/// A program under measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Engine {
    /// A plain copy of the files.
    Plain,
    /// `TensorStore`, in one process.
    TensorStore,
    /// chemio, under Open MPI.
    Ours,
}

/// Those that are not ours and should be there.
pub(crate) const PEERS: [Engine; 2] = [Engine::Plain, Engine::TensorStore];

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Plain => "plain copy",
            Engine::TensorStore => "TensorStore",
            Engine::Ours => "ours",
        })
    }
}

/// A process, or a job of ranks, that is there for the length of a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Job {
    /// A plain copy.
    Plain,
    /// `TensorStore` with so many bytes of cache.
    TensorStore(u64),
    /// Ours with so many ranks, and so many bytes on all of them together.
    Ours(usize, u64),
}

impl Job {
    /// All that can be started.
    pub(crate) fn all(options: &Options) -> Vec<Self> {
        let mut jobs = Vec::new();
        jobs.extend(options.plain().map(|_| Self::Plain));
        for &memory_bytes in &options.memories_bytes() {
            jobs.extend(options.peer().map(|_| Self::TensorStore(memory_bytes)));
            let ranks = options.ranks().into_iter().filter(|_| options.ours().is_some());
            jobs.extend(ranks.map(|ranks| Self::Ours(ranks, memory_bytes)));
        }
        jobs
    }

    /// Who it is, for errors.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Plain => Engine::Plain.to_string(),
            Self::TensorStore(memory_bytes) => format!("{}, {memory_bytes} B", Engine::TensorStore),
            Self::Ours(ranks, memory_bytes) => format!("{}, ranks: {ranks}, {memory_bytes} B", Engine::Ours),
        }
    }

    /// What starts it; its matrices will be below `directory`. `None` if it is not there.
    pub(crate) fn command(self, options: &Options, directory: &Path) -> Option<Command> {
        let common = |mut command: Command, memory_bytes: u64| {
            command.arg(directory).args([&options.common.seed.to_string(), options.check_word()]);
            command.arg(memory_bytes.to_string());
            command
        };
        Some(match self {
            Self::Plain => {
                let mut command = Command::new(options.plain()?);
                command.arg(directory);
                command
            }
            Self::TensorStore(memory_bytes) => {
                let (python, script) = options.peer()?;
                let mut command = Command::new(python);
                command.arg(script);
                common(command, memory_bytes)
            }
            Self::Ours(ranks, memory_bytes) => {
                let command = launch(Mpi::OpenMpi, options.launcher(), ranks, BINDING, options.ours()?);
                common(command, memory_bytes / ranks as u64)
            }
        })
    }
}
