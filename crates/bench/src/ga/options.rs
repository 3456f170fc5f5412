//! The command line of the suite.

use std::fmt;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use serde::Serialize;

use crate::error::BenchError;
use crate::ga::engine::Executables;
use crate::ga::workload::{Form, Patch, Product};
use crate::options::Common;

const SIZES: [u64; 6] = [64, 1 << 10, 16 << 10, 256 << 10, 4 << 20, 64 << 20];
const SIZES_QUICK: [u64; 3] = [64, 16 << 10, 1 << 20];
const ORDERS: [u32; 3] = [512, 1024, 2048];
const ORDERS_QUICK: [u32; 2] = [100, 256];

/// A part of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Put, get and acc.
    Transfers,
    /// A counter that all ranks increment.
    Counter,
    /// Matrix products.
    Dgemm,
}

/// Whether ranks stay on a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Binding {
    /// Each on its own, as long as there are enough.
    Core,
    /// They wander.
    None,
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Binding::Core => "core",
            Binding::None => "none",
        })
    }
}

/// Measures put, get, acc, `read_inc` and dgemm side by side with the Global Arrays package, memcpy and local BLAS, verifying
/// all data.
#[derive(Debug, Parser)]
#[command(name = "ga", args_override_self = true)]
pub(crate) struct Options {
    /// Driver linked with chemio.
    #[arg(long, value_name = "PROGRAM")]
    ours: Option<PathBuf>,
    /// Driver linked with the Global Arrays package.
    #[arg(long, value_name = "PROGRAM")]
    package: Option<PathBuf>,
    /// Measure the package alone; chemio does not count as missing.
    #[arg(long)]
    pub(crate) peer_only: bool,
    /// Open MPI's launcher.
    #[arg(long, value_name = "PROGRAM", default_value = "mpirun.openmpi")]
    pub(crate) mpirun: PathBuf,
    /// Whether ranks are bound; more ranks than processors never are.
    #[arg(long, value_enum, default_value = "core")]
    pub(crate) bind: Binding,
    /// Ranks of put, get, acc and the counter [default: 2,4; quick: 2].
    #[arg(long, value_delimiter = ',')]
    ranks: Option<Vec<usize>>,
    /// Ranks of dgemm [default: 1,2,4; quick: 1,2].
    #[arg(long, value_delimiter = ',')]
    dgemm_ranks: Option<Vec<usize>>,
    /// Sizes of the patches in bytes: powers of two from 64 on [default: 64 B to 64 MiB; quick: 64 B to 1 MiB].
    #[arg(long, value_name = "BYTES", value_delimiter = ',')]
    sizes: Option<Vec<u64>>,
    /// Orders of the matrices [default: 512,1024,2048; quick: 100,256].
    #[arg(long, value_delimiter = ',')]
    orders: Option<Vec<u32>>,
    /// Repetitions [default: 5; quick: 2].
    #[arg(long)]
    repetitions: Option<u64>,
    /// How long each of them lasts, in seconds [default: 0.05; quick: 0.002].
    #[arg(long)]
    seconds: Option<f64>,
    /// Measure only this part.
    #[arg(long, value_enum)]
    only: Option<Part>,
    #[command(flatten)]
    pub(crate) common: Common,
}

impl Options {
    /// The drivers that were named; with `--peer-only` ours is not one of them.
    pub(crate) fn executables(&self) -> Executables<'_> {
        let ours = self.ours.as_ref().filter(|_| !self.peer_only);
        Executables::new(self.package.as_ref(), ours)
    }

    /// Whether the sizes can be placed.
    pub(crate) fn check(&self) -> Result<(), BenchError> {
        let placeable = |bytes: &u64| bytes.is_power_of_two() && *bytes >= SIZES[0];
        match self.sizes_bytes().into_iter().find(|bytes| !placeable(bytes)) {
            Some(bytes) => Err(BenchError::NoPatch { bytes }),
            None => Ok(()),
        }
    }

    /// Every number of ranks that any part asks for, ascending.
    pub(crate) fn all_ranks(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.transfer_ranks();
        all.extend(self.dgemm_ranks());
        all.sort_unstable();
        all.dedup();
        let wanted = |&ranks: &usize| Part::value_variants().iter().any(|&part| self.wants(part, ranks));
        all.into_iter().filter(wanted).collect()
    }

    /// Whether `part` is wanted with so many ranks.
    pub(crate) fn wants(&self, part: Part, ranks: usize) -> bool {
        let of_part = if part == Part::Dgemm { self.dgemm_ranks() } else { self.transfer_ranks() };
        self.only.is_none_or(|only| only == part) && of_part.contains(&ranks)
    }

    /// What is put, got and accumulated.
    pub(crate) fn patches(&self) -> Vec<Patch> {
        Patch::of_sizes(&self.sizes_bytes())
    }

    /// The largest of them.
    pub(crate) fn bytes_max(&self) -> u64 {
        self.sizes_bytes().into_iter().max().unwrap_or(SIZES[0])
    }

    /// What `ranks` multiply together.
    pub(crate) fn products(&self, ranks: usize) -> Vec<Product> {
        let of_order = |order| [Form::Nn, Form::Tn].map(|form| Product { ranks, order, form });
        let orders = self.given(self.orders.as_deref(), &ORDERS, &ORDERS_QUICK);
        orders.into_iter().flat_map(of_order).collect()
    }

    /// How often each turn is taken.
    pub(crate) fn repetitions(&self) -> u64 {
        self.repetitions.unwrap_or(if self.common.quick { 2 } else { 5 })
    }

    /// How long a turn lasts.
    pub(crate) fn seconds(&self) -> f64 {
        self.seconds.unwrap_or(if self.common.quick { 0.002 } else { 0.05 })
    }

    fn transfer_ranks(&self) -> Vec<usize> {
        self.given(self.ranks.as_deref(), &[2, 4], &[2])
    }

    fn dgemm_ranks(&self) -> Vec<usize> {
        self.given(self.dgemm_ranks.as_deref(), &[1, 2, 4], &[1, 2])
    }

    fn sizes_bytes(&self) -> Vec<u64> {
        self.given(self.sizes.as_deref(), &SIZES, &SIZES_QUICK)
    }

    /// What the user named, or the default.
    fn given<T: Clone>(&self, named: Option<&[T]>, usual: &[T], quick: &[T]) -> Vec<T> {
        named.unwrap_or(if self.common.quick { quick } else { usual }).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{Options, Part};

    fn options(arguments: &str) -> Options {
        Options::parse_from(format!("ga {arguments}").split_whitespace())
    }

    #[test]
    fn the_default_table_has_90_cells_for_each_number_of_ranks() {
        let cells: usize = options("").patches().into_iter().map(|patch| patch.cells(2).len()).sum();
        assert_eq!(cells, 90);
    }

    #[test]
    fn one_rank_multiplies_but_has_nobody_to_put_to() {
        let options = options("");
        assert_eq!(options.all_ranks(), [1, 2, 4]);
        assert!(options.wants(Part::Dgemm, 1) && !options.wants(Part::Transfers, 1));
    }

    #[test]
    fn jobs_are_started_only_for_parts_that_are_wanted() {
        assert_eq!(options("--only counter").all_ranks(), [2, 4]);
        assert_eq!(options("--only dgemm --quick").all_ranks(), [1, 2]);
    }

    #[test]
    fn a_size_that_fills_no_rows_is_refused() {
        assert!(options("--sizes 64,1000").check().is_err());
        assert!(options("--sizes 32").check().is_err());
        assert!(options("--sizes 64,1024").check().is_ok());
    }

    #[test]
    fn what_is_named_goes_before_what_quick_means() {
        let options = options("--quick --repetitions 7 --ranks 3");
        assert_eq!((options.repetitions(), options.bytes_max()), (7, 1 << 20));
        assert_eq!(options.all_ranks(), [1, 2, 3]);
    }

    #[test]
    fn with_peer_only_a_driver_of_ours_is_left_alone() {
        assert!(options("--ours x --peer-only").executables().ours.is_none());
        assert!(options("--ours x").executables().ours.is_some());
    }
}
