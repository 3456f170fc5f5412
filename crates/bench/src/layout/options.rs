//! The command line of the suite.

use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};
use serde::Serialize;

use crate::layout::engine::{Engine, PEERS};
use crate::layout::workload::{ELEMENT_BYTES, Pattern};
use crate::options::Common;

const SIDE: u64 = 16384;
const SIDE_QUICK: u64 = 512;
const RANKS: [usize; 2] = [1, 2];
const MEMORY_MIB: [u64; 2] = [64, 512];
const MEMORY_MIB_QUICK: [u64; 2] = [1, 4];
/// The spread is judged of three times or more of each conversion.
const REPETITIONS: u64 = 3;
const PATTERNS_QUICK: usize = 3;

/// Measures the re-blocking of a matrix on disk side by side with a plain copy of its files, `TensorStore` and the device, verifying all
/// data: from bricks of eight rows to the eleven patterns of the paper.
#[derive(Debug, Parser)]
#[command(name = "layout", args_override_self = true)]
pub(crate) struct Options {
    /// Driver linked with chemio.
    #[arg(long, value_name = "PROGRAM")]
    ours: Option<PathBuf>,
    /// The program that copies files.
    #[arg(long, value_name = "PROGRAM")]
    plain: Option<PathBuf>,
    /// A Python that has `TensorStore`.
    #[arg(long, value_name = "PROGRAM", requires = "peer_script")]
    peer_python: Option<PathBuf>,
    /// What it runs.
    #[arg(long, value_name = "FILE")]
    peer_script: Option<PathBuf>,
    /// The fio program.
    #[arg(long, value_name = "PROGRAM")]
    fio: Option<PathBuf>,
    /// Measure the peers alone; chemio does not count as missing.
    #[arg(long)]
    pub(crate) peer_only: bool,
    /// Open MPI's launcher.
    #[arg(long, value_name = "PROGRAM", default_value = "mpirun.openmpi")]
    mpirun: PathBuf,
    /// What to measure.
    #[arg(long, value_delimiter = ',', value_enum, default_values = ["speeds", "spread"])]
    pub(crate) parts: Vec<Part>,
    /// Directory for the matrices, on the disk to be measured.
    #[arg(long, default_value = ".")]
    pub(crate) directory: PathBuf,
    /// Rows and columns of the matrix [default: 16384, which is 2 GiB; quick: 512].
    #[arg(long, value_parser = clap::value_parser!(u64).range(8..=65536))]
    side: Option<u64>,
    /// Which of the patterns, from 1, the least skewed [default: all; quick: the first, the middle and the last].
    #[arg(long, value_delimiter = ',')]
    patterns: Option<Vec<usize>>,
    /// Memory in MiB, of all ranks together [default: 64,512; quick: 1,4].
    #[arg(long, value_name = "MIB", value_delimiter = ',')]
    memory: Option<Vec<u64>>,
    /// Numbers of ranks [default: 1,2].
    #[arg(long, value_delimiter = ',')]
    ranks: Option<Vec<usize>>,
    /// Repetitions, each by new processes [default: 2; quick: 1].
    #[arg(long)]
    repetitions: Option<u64>,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// A part of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Part {
    /// Each conversion, and reading before and after it, against the peers and the device.
    Speeds,
    /// The slowest conversion against the fastest; alone, all patterns take turns with each other.
    Spread,
}

impl Options {
    /// Whether `part` was asked for.
    pub(crate) fn wants(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// Our driver, unless only the peers are asked for.
    pub(crate) fn ours(&self) -> Option<&Path> {
        self.ours.as_deref().filter(|_| !self.peer_only)
    }

    /// The program that copies files.
    pub(crate) fn plain(&self) -> Option<&Path> {
        self.plain.as_deref()
    }

    /// A Python, and what it runs, if it has something to do.
    pub(crate) fn peer(&self) -> Option<(&Path, &Path)> {
        if !self.wants(Part::Speeds) {
            return None;
        }
        Some((self.peer_python.as_deref()?, self.peer_script.as_deref()?))
    }

    /// fio, if it has something to do.
    pub(crate) fn fio(&self) -> Option<&Path> {
        self.fio.as_deref().filter(|_| self.wants(Part::Speeds))
    }

    /// What starts jobs of ranks.
    pub(crate) fn launcher(&self) -> &Path {
        &self.mpirun
    }

    /// Who should be there and is not.
    pub(crate) fn missing(&self) -> Vec<Engine> {
        let is_there = |engine: &Engine| match engine {
            Engine::TensorStore if !self.wants(Part::Speeds) => true,
            Engine::Plain => self.plain().is_some(),
            Engine::TensorStore => self.peer().is_some(),
            Engine::Ours => self.ours().is_some() || (self.peer_only && self.wants(Part::Speeds)),
        };
        PEERS.into_iter().chain([Engine::Ours]).filter(|engine| !is_there(engine)).collect()
    }

    /// Rows and columns of the matrix.
    pub(crate) fn side(&self) -> u64 {
        self.side.unwrap_or(if self.common.quick { SIDE_QUICK } else { SIDE })
    }

    /// Bytes of the matrix.
    pub(crate) fn matrix_bytes(&self) -> u64 {
        self.side().pow(2) * ELEMENT_BYTES
    }

    /// The bricks of the targets.
    pub(crate) fn patterns(&self) -> Vec<Pattern> {
        let all = Pattern::all(self.side());
        let ends = [1, all.len().div_ceil(2), all.len()];
        let usual: Vec<usize> =
            if self.common.quick { ends[..PATTERNS_QUICK].to_vec() } else { (1..=all.len()).collect() };
        let wanted = self.patterns.as_deref().unwrap_or(&usual);
        let is_wanted = |&(number, _): &(usize, Pattern)| wanted.contains(&number);
        (1..).zip(all).filter(is_wanted).map(|(_, pattern)| pattern).collect()
    }

    /// Memory of all ranks together.
    pub(crate) fn memories_bytes(&self) -> Vec<u64> {
        let usual = if self.common.quick { MEMORY_MIB_QUICK } else { MEMORY_MIB };
        self.memory.as_deref().unwrap_or(&usual).iter().map(|mib| mib << 20).collect()
    }

    /// Numbers of ranks.
    pub(crate) fn ranks(&self) -> Vec<usize> {
        self.ranks.as_deref().unwrap_or(&RANKS).to_vec()
    }

    /// How often everything is measured.
    pub(crate) fn repetitions(&self) -> u64 {
        self.repetitions.unwrap_or(if self.common.quick { 1 } else { REPETITIONS })
    }

    /// How often something is measured at most that other processes disturb.
    pub(crate) fn tries_max(&self) -> u64 {
        if self.common.quick { 1 } else { 2 }
    }

    /// What is compared of tiles that are read in the timed part.
    pub(crate) fn check_word(&self) -> &'static str {
        if self.common.quick { "full" } else { "samples" }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{Engine, Options};

    fn options(arguments: &str) -> Options {
        Options::parse_from(format!("layout {arguments}").split_whitespace())
    }

    #[test]
    fn a_run_is_of_2_gib_in_eleven_patterns_with_two_memories_on_two_numbers_of_ranks() {
        let options = options("");
        assert_eq!((options.matrix_bytes(), options.patterns().len()), (2 << 30, 11));
        assert_eq!((options.memories_bytes(), options.ranks()), (vec![64 << 20, 512 << 20], vec![1, 2]));
    }

    #[test]
    fn patterns_are_named_by_their_numbers() {
        let rows =
            |options: &Options| options.patterns().iter().map(|pattern| pattern.rows).collect::<Vec<_>>();
        assert_eq!(rows(&options("--patterns 1,6,11")), [8, 256, 8192]);
        assert_eq!(rows(&options("--quick")), [8, 64, 512]);
    }

    #[test]
    fn for_the_spread_alone_ours_and_plain_copies_beside_it_are_started_or_missed() {
        let alone = options("--parts spread --plain x --peer-python y --peer-script z --fio f");
        assert!(alone.plain().is_some());
        assert_eq!((alone.peer(), alone.fio()), (None, None));
        assert_eq!(alone.missing(), [Engine::Ours]);
        assert_eq!(options("--parts spread --ours x --peer-only").missing(), [Engine::Plain, Engine::Ours]);
    }

    #[test]
    fn with_peer_only_a_driver_of_ours_is_left_alone_and_not_missed() {
        assert_eq!(options("--ours x --peer-only").ours(), None);
        assert_eq!(options("--plain x --peer-only").missing(), [Engine::TensorStore]);
        assert_eq!(options("--plain x --peer-python y --peer-script z").missing(), [Engine::Ours]);
    }
}
