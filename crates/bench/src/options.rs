//! The command line. Each suite has options of its own; these are the ones they share.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::dra;
use crate::eaf;
use crate::ga;
use crate::layout;
use crate::sf;
use crate::summary;

/// Side-by-side benchmarks of chemio, the libraries it replaces and the limits of the machine.
///
/// Ends with 0 when everything was measured and all data was right, whether or not targets are met; 1 when data was
/// wrong or a driver failed; 2 for a wrong command line; 3 when a peer or tool is missing (see --allow-missing-peer).
#[derive(Debug, Parser)]
#[command(name = "chemio-bench")]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) task: Task,
}

/// Measuring, or looking at what was measured.
#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one, for as long as the program runs")]
pub(crate) enum Task {
    /// A suite.
    #[command(flatten)]
    Measure(Suite),
    /// One table and one drawing of all suites.
    Summary(summary::options::Options),
}

/// What can be measured.
#[derive(Debug, Subcommand)]
pub(crate) enum Suite {
    /// Disk-resident arrays.
    Dra(dra::options::Options),
    /// Exclusive access files.
    Eaf(eaf::options::Options),
    /// Distributed arrays.
    Ga(ga::options::Options),
    /// Re-blocking of arrays on disk.
    Layout(layout::options::Options),
    /// Shared files.
    Sf(sf::options::Options),
}

impl Suite {
    /// The options that all suites have.
    pub(crate) fn common(&self) -> &Common {
        match self {
            Self::Dra(options) => &options.common,
            Self::Eaf(options) => &options.common,
            Self::Ga(options) => &options.common,
            Self::Layout(options) => &options.common,
            Self::Sf(options) => &options.common,
        }
    }
}

/// The options that all suites have.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Of all data.
    #[arg(long, default_value_t = 19_971)]
    pub(crate) seed: u64,
    /// Small sizes and few repetitions: a test of the benchmark, its figures mean nothing.
    #[arg(long)]
    pub(crate) quick: bool,
    /// End with 0 although a peer or tool is missing.
    #[arg(long)]
    pub(crate) allow_missing_peer: bool,
    /// Keep the report here, as markdown.
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// Keep the report here, with all single times, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Print no progress.
    #[arg(long)]
    pub(crate) silent: bool,
}

impl Common {
    /// How often a pass is taken at most that other processes disturb.
    pub(crate) fn tries_max(&self) -> u64 {
        if self.quick { 1 } else { 3 }
    }
}

/// What the suites share that measure files of several ranks.
#[derive(Debug, Args)]
pub(crate) struct OnDisk {
    /// The fio program.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) fio: Option<PathBuf>,
    /// Measure the peers alone; chemio does not count as missing.
    #[arg(long)]
    pub(crate) peer_only: bool,
    /// Open MPI's launcher.
    #[arg(long, value_name = "PROGRAM", default_value = "mpirun.openmpi")]
    pub(crate) mpirun: PathBuf,
    /// Directory for files and arrays, on the disk to be measured.
    #[arg(long, default_value = ".")]
    pub(crate) directory: PathBuf,
    /// Numbers of ranks [default: 1,2,4; quick: 1,2].
    #[arg(long, value_delimiter = ',')]
    ranks: Option<Vec<usize>>,
}

impl OnDisk {
    /// Numbers of ranks.
    pub(crate) fn ranks(&self, quick: bool) -> Vec<usize> {
        let usual: &[usize] = if quick { &[1, 2] } else { &[1, 2, 4] };
        self.ranks.as_deref().unwrap_or(usual).to_vec()
    }
}
