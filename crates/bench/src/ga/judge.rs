//! The rules by which a cell holds.
//!
//! - Put, get, acc: at least 0.95 of the package; contiguous patches from 256 KiB on also at least 0.8 of memcpy done by
//!   as many ranks at once. Judged on 2 ranks, in node shared memory; other ranks and RMA are shown.
//! - dgemm: at least 0.8 of local BLAS on one thread times the smaller of ranks and processors, and at least 0.95 of
//!   the package. Judged as long as there is a processor for each rank.
//! - Counters are shown.

use serde::Serialize;

use crate::ga::workload::{Cell, Kind, Operation, Product};
use crate::outcome::{Outcome, ratio};

const PACKAGE_FLOOR: f64 = 0.95;
const MEMCPY_PART: f64 = 0.8;
const BLAS_PART: f64 = 0.8;
const LARGE_BYTES_MIN: u64 = 256 << 10;
const RANKS_JUDGED: usize = 2;

/// The speeds of one cell of put, get or acc, in bytes per second of all ranks together; what was not measured is missing.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Speeds {
    /// The package.
    pub(crate) package: Option<f64>,
    /// Ours in shared memory.
    pub(crate) ours: Option<f64>,
    /// Ours by RMA.
    pub(crate) ours_by_rma: Option<f64>,
    /// memcpy from private to private memory.
    pub(crate) memcpy: Option<f64>,
    /// memcpy from private to shared memory.
    pub(crate) memcpy_to_shared: Option<f64>,
    /// daxpy on private memory.
    pub(crate) daxpy: Option<f64>,
}

/// The rates of one product, in operations per second; what was not measured is missing.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Rates {
    /// The package.
    pub(crate) package: Option<f64>,
    /// Ours in shared memory.
    pub(crate) ours: Option<f64>,
    /// Ours by RMA.
    pub(crate) ours_by_rma: Option<f64>,
    /// Local BLAS on one thread, nobody else computing.
    pub(crate) blas_alone: Option<f64>,
    /// Local BLAS on every rank at once, together.
    pub(crate) blas_on_all: Option<f64>,
}

/// A cell against its target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Judgement {
    /// Ours : package.
    pub(crate) package_ratio: Option<f64>,
    /// Ours by RMA : package.
    pub(crate) rma_ratio: Option<f64>,
    /// What has to be reached, in the unit of the cell.
    pub(crate) target: Option<f64>,
    /// Whether it is.
    pub(crate) outcome: Outcome,
}

impl Judgement {
    fn new([package, ours, by_rma]: [Option<f64>; 3], target: Option<f64>, is_judged: bool) -> Self {
        Self {
            package_ratio: ratio(ours, package),
            rma_ratio: ratio(by_rma, package),
            target,
            outcome: if is_judged { Outcome::of(ours, target) } else { Outcome::NotJudged },
        }
    }
}

/// What daxpy reaches of memcpy, where acc is asked for more than that.
pub(crate) fn daxpy_below_target(cell: &Cell, speeds: &Speeds) -> Option<f64> {
    let part = ratio(speeds.daxpy, speeds.memcpy)?;
    (cell.operation == Operation::Acc && is_large(cell) && part < MEMCPY_PART).then_some(part)
}

/// Judges one cell of put, get or acc.
pub(crate) fn judge_transfer(cell: &Cell, speeds: &Speeds, cpus: usize) -> Judgement {
    let is_judged = cell.ranks == RANKS_JUDGED && cell.ranks <= cpus;
    let target = highest(speeds.package, if is_large(cell) { speeds.memcpy } else { Some(0.0) }, MEMCPY_PART);
    Judgement::new([speeds.package, speeds.ours, speeds.ours_by_rma], target, is_judged)
}

/// Judges one product.
pub(crate) fn judge_product(product: &Product, rates: &Rates, cpus: usize) -> Judgement {
    let target = highest(rates.package, blas_limit(product, rates, cpus), BLAS_PART);
    Judgement::new([rates.package, rates.ours, rates.ours_by_rma], target, product.ranks <= cpus)
}

/// Local BLAS times the processors that can take part.
#[expect(clippy::cast_precision_loss, reason = "a number of processors is far below 2^53")]
pub(crate) fn blas_limit(product: &Product, rates: &Rates, cpus: usize) -> Option<f64> {
    rates.blas_alone.map(|alone| alone * product.ranks.min(cpus) as f64)
}

fn is_large(cell: &Cell) -> bool {
    cell.patch.kind == Kind::Contiguous && cell.patch.bytes >= LARGE_BYTES_MIN
}

/// The higher of the floor that the package gives and a part of the limit; both have to be known.
fn highest(package: Option<f64>, limit: Option<f64>, part: f64) -> Option<f64> {
    Some((PACKAGE_FLOOR * package?).max(part * limit?))
}

#[cfg(test)]
mod tests {
    use super::{Judgement, Rates, Speeds, daxpy_below_target, judge_product, judge_transfer};
    use crate::ga::workload::{Cell, Form, Kind, Locality, Operation, Patch, Product};
    use crate::outcome::Outcome;

    const LARGE: (Kind, u64) = (Kind::Contiguous, 4 << 20);

    fn transfer((kind, bytes): (Kind, u64), ranks: usize, package: f64, ours: f64) -> Judgement {
        let patch = Patch { kind, bytes };
        let cell = Cell { ranks, patch, operation: Operation::Get, locality: Locality::Remote };
        let (package, ours, memcpy) = (Some(package), Some(ours), Some(1000.0));
        judge_transfer(&cell, &Speeds { package, ours, memcpy, ..Speeds::default() }, 2)
    }

    fn product(ranks: usize, package: f64, ours: f64) -> Judgement {
        let product = Product { ranks, order: 512, form: Form::Nn };
        let (package, ours, blas_alone) = (Some(package), Some(ours), Some(10.0));
        judge_product(&product, &Rates { package, ours, blas_alone, ..Rates::default() }, 2)
    }

    #[test]
    fn a_large_contiguous_patch_has_to_reach_its_part_of_memcpy() {
        assert_eq!(transfer(LARGE, 2, 100.0, 801.0).outcome, Outcome::Holds);
        assert_eq!(transfer(LARGE, 2, 100.0, 799.0).outcome, Outcome::Misses);
    }

    #[test]
    fn a_package_near_memcpy_has_to_be_kept_up_with() {
        assert_eq!(transfer(LARGE, 2, 1000.0, 949.0).outcome, Outcome::Misses);
        assert_eq!(transfer(LARGE, 2, 1000.0, 951.0).outcome, Outcome::Holds);
    }

    #[test]
    fn small_and_strided_patches_only_have_to_keep_up_with_the_package() {
        for patch in [(Kind::Contiguous, 16 << 10), (Kind::Half, 4 << 20), (Kind::Narrow, 64 << 20)] {
            assert_eq!(transfer(patch, 2, 100.0, 96.0).outcome, Outcome::Holds, "{patch:?}");
            assert_eq!(transfer(patch, 2, 100.0, 94.0).outcome, Outcome::Misses, "{patch:?}");
        }
    }

    #[test]
    fn a_daxpy_slower_than_the_target_of_acc_is_noted_and_the_target_stays() {
        let patch = Patch { kind: Kind::Contiguous, bytes: 64 << 20 };
        let cell = |operation| Cell { ranks: 2, patch, operation, locality: Locality::Local };
        let speeds =
            Speeds { package: Some(1.0), memcpy: Some(100.0), daxpy: Some(70.0), ..Speeds::default() };
        assert_eq!(daxpy_below_target(&cell(Operation::Acc), &speeds), Some(0.7));
        assert_eq!(daxpy_below_target(&cell(Operation::Put), &speeds), None);
        assert_eq!(judge_transfer(&cell(Operation::Acc), &speeds, 2).target, Some(80.0));
        let faster = Speeds { daxpy: Some(81.0), ..speeds };
        assert_eq!(daxpy_below_target(&cell(Operation::Acc), &faster), None);
    }

    #[test]
    fn other_numbers_of_ranks_than_two_are_shown() {
        assert_eq!(transfer(LARGE, 4, 100.0, 1.0).outcome, Outcome::NotJudged);
    }

    #[test]
    fn without_ours_or_the_package_nothing_is_judged() {
        let patch = Patch { kind: Kind::Contiguous, bytes: 64 };
        let cell = Cell { ranks: 2, patch, operation: Operation::Put, locality: Locality::Local };
        let package_alone = Speeds { package: Some(1.0), memcpy: Some(1.0), ..Speeds::default() };
        let ours_alone = Speeds { ours: Some(1.0), memcpy: Some(1.0), ..Speeds::default() };
        assert_eq!(judge_transfer(&cell, &package_alone, 2).outcome, Outcome::NotJudged);
        assert_eq!(judge_transfer(&cell, &ours_alone, 2).outcome, Outcome::NotJudged);
    }

    #[test]
    fn a_product_has_to_use_the_processors_of_its_ranks() {
        assert_eq!(product(1, 1.0, 8.1).outcome, Outcome::Holds);
        assert_eq!(product(2, 1.0, 15.9).outcome, Outcome::Misses);
        assert_eq!(product(2, 1.0, 16.1).outcome, Outcome::Holds);
        assert_eq!(product(2, 19.0, 16.1).outcome, Outcome::Misses);
    }

    #[test]
    fn ranks_beyond_the_processors_are_shown_against_what_those_can_do() {
        let judgement = product(4, 1.0, 15.9);
        assert_eq!(judgement.outcome, Outcome::NotJudged);
        assert_eq!(judgement.target, Some(16.0));
    }
}
