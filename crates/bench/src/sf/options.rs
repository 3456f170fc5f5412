//! The command line of the suite.

use std::path::{Path, PathBuf};

use clap::Parser;

use crate::disk::access::Mode;
use crate::disk::rule::repetitions_min;
use crate::error::BenchError;
use crate::launcher::Mpi;
use crate::options::{Common, OnDisk};
use crate::sf::engine::{Engine, Executables};
use crate::sf::workload::Workload;

const SIZE_MB: u64 = 256;
const SIZE_MB_QUICK: u64 = 8;
const REREADS: u64 = 4;
const REREADS_QUICK: u64 = 1;

/// Measures shared files side by side with the Global Arrays package, MPI-IO and the device, verifying all data: ranks write a file
/// of constant size round robin, and then each reads what another one wrote.
#[derive(Debug, Parser)]
#[command(name = "sf", args_override_self = true)]
pub(crate) struct Options {
    /// Driver linked with chemio.
    #[arg(long, value_name = "PROGRAM")]
    ours: Option<PathBuf>,
    /// Driver linked with the Global Arrays package.
    #[arg(long, value_name = "PROGRAM")]
    package: Option<PathBuf>,
    /// Driver using MPI-IO of Open MPI.
    #[arg(long, value_name = "PROGRAM")]
    mpiio_openmpi: Option<PathBuf>,
    /// Driver using MPI-IO of MPICH.
    #[arg(long, value_name = "PROGRAM")]
    mpiio_mpich: Option<PathBuf>,
    /// MPICH's launcher.
    #[arg(long, value_name = "PROGRAM", default_value = "mpiexec.mpich")]
    mpiexec: PathBuf,
    /// Size of the file in MB (10^6 bytes), rounded down to whole requests [default: 256; quick: 8].
    #[arg(long, value_name = "MB")]
    size_mb: Option<u64>,
    /// Sizes of the requests in bytes, multiples of 8.
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_values_t = [32_000, 64_000, 1_000_000])]
    pub(crate) requests: Vec<u64>,
    /// Blocking one by one, or 8 in flight on each rank.
    #[arg(long, value_delimiter = ',', value_enum, default_values = ["blocking", "in-flight"])]
    modes: Vec<Mode>,
    /// Repetitions, each by new processes on a new file [default: 5, or what it takes to move 800 MB; quick: 2].
    #[arg(long)]
    repetitions: Option<u64>,
    /// After each repetition cached reads are taken by so many further processes of each library, each on a new file [default: 4; quick: 1].
    #[arg(long, value_name = "N")]
    rereads: Option<u64>,
    #[command(flatten)]
    pub(crate) on_disk: OnDisk,
    #[command(flatten)]
    pub(crate) common: Common,
}

impl Options {
    /// The drivers that were named; with `--peer-only` ours is not one of them.
    pub(crate) fn executables(&self) -> Executables {
        Executables::new([
            (Engine::Package, self.package.as_ref()),
            (Engine::OpenMpi, self.mpiio_openmpi.as_ref()),
            (Engine::Mpich, self.mpiio_mpich.as_ref()),
            (Engine::Ours, self.ours.as_ref().filter(|_| !self.on_disk.peer_only)),
        ])
    }

    /// What starts jobs of `mpi`.
    pub(crate) fn launcher(&self, mpi: Mpi) -> &Path {
        match mpi {
            Mpi::OpenMpi => &self.on_disk.mpirun,
            Mpi::Mpich => &self.mpiexec,
        }
    }

    /// Whether every request can be made and fits the file.
    pub(crate) fn check(&self) -> Result<(), BenchError> {
        let size_bytes = self.size_bytes();
        let fits = |bytes: u64| bytes > 0 && bytes.is_multiple_of(8) && bytes <= size_bytes;
        match self.requests.iter().find(|&&bytes| !fits(bytes)) {
            Some(&request_bytes) => Err(BenchError::NoRequest { request_bytes, size_bytes }),
            None => Ok(()),
        }
    }

    /// Bytes of the file, before it is rounded to whole requests.
    pub(crate) fn size_bytes(&self) -> u64 {
        self.size_mb.unwrap_or(if self.common.quick { SIZE_MB_QUICK } else { SIZE_MB }) * 1_000_000
    }

    /// Numbers of ranks.
    pub(crate) fn ranks(&self) -> Vec<usize> {
        self.on_disk.ranks(self.common.quick)
    }

    /// How often everything is measured.
    pub(crate) fn repetitions(&self) -> u64 {
        let enough = || if self.common.quick { 2 } else { repetitions_min(self.size_bytes()) };
        self.repetitions.unwrap_or_else(enough)
    }

    /// By how many further processes cached reads are taken in each repetition: chance, which comes with a process and its file, decides
    /// by more than the target of these cells leaves.
    pub(crate) fn rereads(&self) -> u64 {
        self.rereads.unwrap_or(if self.common.quick { REREADS_QUICK } else { REREADS })
    }

    /// What `ranks` do with requests of this size, in each of the modes.
    pub(crate) fn workloads(&self, request_bytes: u64, ranks: usize) -> Vec<Workload> {
        let file_bytes = self.size_bytes() / request_bytes * request_bytes;
        self.modes.iter().map(|&mode| Workload { request_bytes, mode, ranks, file_bytes }).collect()
    }

    /// What timed loops compare.
    pub(crate) fn check_word(&self) -> &'static str {
        if self.common.quick { "full" } else { "samples" }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::Options;

    fn options(arguments: &str) -> Options {
        Options::parse_from(format!("sf {arguments}").split_whitespace())
    }

    #[test]
    fn the_default_table_has_72_cells() {
        let options = options("");
        let of_request = |&request| options.ranks().into_iter().map(move |ranks| (request, ranks));
        let workloads = options.requests.iter().flat_map(of_request);
        let cells = workloads.flat_map(|(request, ranks)| options.workloads(request, ranks)).count() * 4;
        assert_eq!(cells, 72);
    }

    #[test]
    fn a_file_is_a_whole_number_of_requests() {
        let options = options("--size-mb 1 --requests 65536");
        assert_eq!(options.workloads(65_536, 1)[0].file_bytes, 15 * 65_536);
    }

    #[test]
    fn a_request_that_is_no_row_of_words_or_larger_than_the_file_is_refused() {
        for requests in ["0", "32,100", "2000000"] {
            assert!(options(&format!("--size-mb 1 --requests {requests}")).check().is_err(), "{requests}");
        }
        assert!(options("--size-mb 1 --requests 8,1000000").check().is_ok());
    }

    #[test]
    fn with_peer_only_a_driver_of_ours_is_left_alone() {
        assert_eq!(options("--ours x --peer-only").executables().present().count(), 0);
        assert_eq!(options("--ours x").executables().present().count(), 1);
    }

    #[test]
    fn what_is_named_goes_before_what_quick_means() {
        let options = options("--quick --ranks 3 --size-mb 80 --repetitions 1");
        assert_eq!((options.ranks(), options.size_bytes(), options.repetitions()), (vec![3], 80_000_000, 1));
    }
}
