//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::disk::access::Mode;
use crate::disk::rule::repetitions_min;
use crate::eaf::engine::{Engine, Executables};
use crate::eaf::workload::{Order, Workload};
use crate::options::Common;

/// A part of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// The table of speeds.
    Cells,
    /// Computing with requests in flight.
    Overlap,
}

/// Measures EAF side by side with its peers and the device, verifying every file.
#[derive(Debug, Parser)]
#[command(name = "eaf", args_override_self = true)]
pub(crate) struct Options {
    /// Driver linked with chemio.
    #[arg(long, value_name = "PROGRAM")]
    ours: Option<PathBuf>,
    /// Driver linked with the Global Arrays package.
    #[arg(long, value_name = "PROGRAM")]
    ga: Option<PathBuf>,
    /// Driver using gfortran direct access.
    #[arg(long, value_name = "PROGRAM")]
    fortran: Option<PathBuf>,
    /// The fio program.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) fio: Option<PathBuf>,
    /// Directory for the files, on the disk to be measured.
    #[arg(long, default_value = ".")]
    pub(crate) directory: PathBuf,
    /// File sizes in MB (10^6 bytes).
    #[arg(long, value_name = "MB", value_delimiter = ',', default_values_t = [80, 1000])]
    size_mb: Vec<u64>,
    /// Chunk sizes in bytes; each must divide the file sizes.
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_values_t = [1_600, 16_000, 160_000, 1_600_000])]
    chunks: Vec<u64>,
    /// Orders of the chunks.
    #[arg(long, value_delimiter = ',', value_enum, default_values = ["sequential", "random"])]
    orders: Vec<Order>,
    /// Blocking, or 8 in flight.
    #[arg(long, value_delimiter = ',', value_enum, default_values = ["blocking", "in-flight"])]
    pub(crate) modes: Vec<Mode>,
    /// Repetitions, each on a new file [default: 5, or what it takes to move 800 MB].
    #[arg(long)]
    repetitions: Option<u64>,
    /// File size of the overlap test in MB.
    #[arg(long, value_name = "MB", default_value_t = 512)]
    overlap_mb: u64,
    /// Chunk size of the overlap test in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 1_600_000)]
    overlap_chunk: u64,
    /// Measure only this part.
    #[arg(long, value_enum)]
    only: Option<Part>,
    #[command(flatten)]
    pub(crate) common: Common,
}

impl Options {
    /// The drivers that were named.
    pub(crate) fn executables(&self) -> Executables {
        Executables::new([
            (Engine::Ours, self.ours.as_ref()),
            (Engine::GaPackage, self.ga.as_ref()),
            (Engine::Fortran, self.fortran.as_ref()),
        ])
    }

    /// Whether `part` is wanted.
    pub(crate) fn wants(&self, part: Part) -> bool {
        self.only.is_none_or(|only| only == part)
    }

    /// Whether timed loops compare every byte.
    pub(crate) fn checks_fully(&self) -> bool {
        self.common.quick
    }

    /// File sizes in bytes.
    pub(crate) fn sizes_bytes(&self) -> Vec<u64> {
        if self.common.quick {
            vec![16_000_000]
        } else {
            self.size_mb.iter().map(|mb| mb * 1_000_000).collect()
        }
    }

    /// Repetitions for a file of this size.
    pub(crate) fn repetitions(&self, size_bytes: u64) -> u64 {
        let enough = || if self.common.quick { 2 } else { repetitions_min(size_bytes) };
        self.repetitions.unwrap_or_else(enough)
    }

    /// Every way through a file, blocking; the modes come on top.
    pub(crate) fn walks(&self) -> Vec<Workload> {
        let mut walks = Vec::new();
        for size_bytes in self.sizes_bytes() {
            for &chunk_bytes in &self.chunks {
                let walk = |&order| Workload { size_bytes, chunk_bytes, order, mode: Mode::Blocking };
                walks.extend(self.orders.iter().map(walk));
            }
        }
        walks
    }

    /// What the overlap test does.
    pub(crate) fn overlap_workload(&self) -> Workload {
        let size_mb = if self.common.quick { 16 } else { self.overlap_mb };
        let chunk_bytes = self.overlap_chunk;
        let order = Order::Sequential;
        Workload { size_bytes: size_mb * 1_000_000, chunk_bytes, order, mode: Mode::InFlight }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::Options;

    #[test]
    fn repetitions_are_five_or_what_moves_eight_hundred_megabytes() {
        let options = Options::parse_from(["eaf"]);
        assert_eq!(options.repetitions(80_000_000), 10);
        assert_eq!(options.repetitions(1_000_000_000), 5);
    }

    #[test]
    fn the_default_table_has_128_cells() {
        let options = Options::parse_from(["eaf"]);
        assert_eq!(options.walks().len() * options.modes.len() * 4, 128);
    }
}
