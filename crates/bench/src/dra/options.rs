//! The command line of the suite.

use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};

use crate::disk::rule::repetitions_min;
use crate::dra::engine::{Engine, Executables};
use crate::dra::workload::{Alignment, Layout, Scale, Workload};
use crate::options::{Common, OnDisk};

/// Measures disk-resident arrays side by side with the Global Arrays package, parallel HDF5 and the device, verifying all data:
/// ranks write a section of an array on disk from an array in their memory, and read it back.
#[derive(Debug, Parser)]
#[command(name = "dra", args_override_self = true)]
pub(crate) struct Options {
    /// Driver linked with chemio.
    #[arg(long, value_name = "PROGRAM")]
    ours: Option<PathBuf>,
    /// Driver linked with the Global Arrays package.
    #[arg(long, value_name = "PROGRAM")]
    package: Option<PathBuf>,
    /// Driver linked with parallel HDF5.
    #[arg(long, value_name = "PROGRAM")]
    hdf5: Option<PathBuf>,
    /// What to measure.
    #[arg(long, value_delimiter = ',', value_enum, default_values = ["speeds", "overlap", "sweep"])]
    parts: Vec<Part>,
    /// Arrays and their hints.
    #[arg(long, value_delimiter = ',', value_enum, default_values_t = Layout::ALL)]
    layouts: Vec<Layout>,
    /// Where sections begin.
    #[arg(long, value_delimiter = ',', value_enum, default_values = ["aligned", "shifted"])]
    alignments: Vec<Alignment>,
    /// Numbers of ranks that do input and output, of the most ranks there are, for the sweep.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4])]
    io_ranks: Vec<usize>,
    /// Buffer memory of a rank in MiB, for the sweep [default: 1,2,8,32; quick: 1,32].
    #[arg(long, value_name = "MIB", value_delimiter = ',')]
    memory_mib: Option<Vec<u64>>,
    /// Repetitions, each by new processes on a new array [default: 5, or what it takes to move 800 MB; quick: 1].
    #[arg(long)]
    repetitions: Option<u64>,
    #[command(flatten)]
    pub(crate) on_disk: OnDisk,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// A part of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Speeds, what becomes of them where sections are not aligned, and when calls return.
    Speeds,
    /// Whether computing overlaps with transfers.
    Overlap,
    /// Input and output ranks, and buffer memory.
    Sweep,
}

impl Options {
    /// The drivers that were named; with `--peer-only` ours is not one of them.
    pub(crate) fn executables(&self) -> Executables {
        let ours = self.ours.as_ref().filter(|_| !self.on_disk.peer_only);
        Executables::new(self.package.as_ref(), self.hdf5.as_ref(), ours)
    }

    /// The engines among `wanted` that are there.
    pub(crate) fn present(&self, wanted: &[Engine]) -> Vec<Engine> {
        let executables = self.executables();
        wanted.iter().copied().filter(|&engine| executables.has(engine)).collect()
    }

    /// What starts jobs.
    pub(crate) fn launcher(&self) -> &Path {
        &self.on_disk.mpirun
    }

    /// Whether `part` was asked for.
    pub(crate) fn wants(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// Numbers of ranks.
    pub(crate) fn ranks(&self) -> Vec<usize> {
        self.on_disk.ranks(self.common.quick)
    }

    /// The most ranks of a job, by which the sweep is made.
    pub(crate) fn ranks_max(&self) -> usize {
        self.ranks().into_iter().max().unwrap_or(1)
    }

    /// Numbers of input and output ranks of the sweep.
    pub(crate) fn io_ranks(&self) -> Vec<usize> {
        let ranks_max = self.ranks_max();
        self.io_ranks.iter().copied().filter(|&io_ranks| io_ranks <= ranks_max).collect()
    }

    /// Buffer memory of the sweep, in bytes.
    pub(crate) fn memory_bytes(&self) -> Vec<u64> {
        let usual: &[u64] = if self.common.quick { &[1, 32] } else { &[1, 2, 8, 32] };
        self.memory_mib.as_deref().unwrap_or(usual).iter().map(|mib| mib << 20).collect()
    }

    /// How large arrays are.
    pub(crate) fn scale(&self) -> Scale {
        if self.common.quick { Scale::Small } else { Scale::Full }
    }

    /// Every section that is measured, without ranks: what stands together in time.
    pub(crate) fn sections(&self) -> Vec<(Layout, Alignment)> {
        let of_layout = |&layout| self.alignments.iter().map(move |&alignment| (layout, alignment));
        self.layouts.iter().flat_map(of_layout).collect()
    }

    /// The sections of blocks, by which the sweep is made.
    pub(crate) fn sections_of_sweep(&self) -> Vec<Workload> {
        self.alignments.iter().map(|&of| self.workload((Layout::Blocks, of), self.ranks_max())).collect()
    }

    /// A section, moved by so many ranks.
    pub(crate) fn workload(&self, (layout, alignment): (Layout, Alignment), ranks: usize) -> Workload {
        Workload { layout, scale: self.scale(), alignment, ranks }
    }

    /// How often everything is measured.
    pub(crate) fn repetitions(&self) -> u64 {
        let section_bytes = self.workload((Layout::Blocks, Alignment::Aligned), 1).section_bytes();
        let enough = || if self.common.quick { 1 } else { repetitions_min(section_bytes) };
        self.repetitions.unwrap_or_else(enough)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{Options, Part};

    fn options(arguments: &str) -> Options {
        Options::parse_from(format!("dra {arguments}").split_whitespace())
    }

    #[test]
    fn the_default_table_has_96_cells_and_the_sweep_24_lines() {
        let options = options("");
        assert_eq!(options.sections().len() * options.ranks().len() * 4, 96);
        let settings = options.io_ranks().len() * options.memory_bytes().len();
        assert_eq!(settings * options.sections_of_sweep().len(), 24);
        assert_eq!(options.repetitions(), 5);
    }

    #[test]
    fn more_ranks_than_a_job_has_do_not_do_input_and_output() {
        assert_eq!(options("--ranks 1,2").io_ranks(), [1, 2]);
    }

    #[test]
    fn parts_that_were_not_named_are_left_out() {
        let options = options("--parts sweep");
        assert!(options.wants(Part::Sweep) && !options.wants(Part::Speeds));
    }

    #[test]
    fn with_peer_only_a_driver_of_ours_is_left_alone() {
        assert_eq!(options("--ours x --hdf5 y --peer-only").executables().present().count(), 2);
        assert_eq!(options("--ours x --hdf5 y").executables().present().count(), 3);
    }
}
