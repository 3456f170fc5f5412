//! What a run found, as it is printed and kept.

use std::path::Path;

use serde::Serialize;

use crate::ga::engine::{Engine, Yardstick};
use crate::ga::judge::{Judgement, Rates, Speeds, blas_limit, judge_product, judge_transfer};
use crate::ga::options::{Binding, Options};
use crate::ga::samples::{Samples, Turns};
use crate::ga::turn::Turn;
use crate::ga::workload::{Cell, Product};
use crate::machine::Machine;
use crate::outcome::Outcome;

/// One run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Where and when.
    pub(crate) machine: Machine,
    /// The version of the MPI library.
    pub(crate) mpi: String,
    /// Whether ranks were bound to processors.
    pub(crate) binding: Binding,
    /// Of the data.
    pub(crate) seed: u64,
    /// How often each turn was taken.
    pub(crate) repetitions: u64,
    /// How long it lasted.
    pub(crate) seconds: f64,
    /// How many turns were taken, and how many disturbed by other processes.
    pub(crate) turns: Turns,
    /// Whether only the package was asked for.
    pub(crate) peer_only: bool,
    /// Libraries without a driver that should have one.
    pub(crate) missing: Vec<Engine>,
    /// The table of put, get and acc.
    pub(crate) transfers: Vec<TransferRow>,
    /// The table of counters.
    pub(crate) counters: Vec<CounterRow>,
    /// The table of dgemm.
    pub(crate) products: Vec<ProductRow>,
}

impl Report {
    /// Before anything is measured.
    pub(crate) fn empty(options: &Options) -> Self {
        let is_wanted = |engine: &Engine| !options.peer_only || *engine == Engine::Package;
        Self {
            machine: Machine::look(Path::new(".")),
            mpi: String::new(),
            binding: options.bind,
            seed: options.common.seed,
            repetitions: options.repetitions(),
            seconds: options.seconds(),
            turns: Turns::default(),
            peer_only: options.peer_only,
            missing: options.executables().missing().into_iter().filter(is_wanted).collect(),
            transfers: Vec::new(),
            counters: Vec::new(),
            products: Vec::new(),
        }
    }

    /// Everything that was or could have been judged.
    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        let transfers = self.transfers.iter().map(|row| row.judgement.outcome);
        transfers.chain(self.products.iter().map(|row| row.judgement.outcome)).collect()
    }
}

/// The single times of one turn, in seconds a call.
#[derive(Debug, Serialize)]
pub(crate) struct Times {
    /// Who took it.
    pub(crate) of: String,
    /// In the order they were taken.
    pub(crate) seconds: Vec<f64>,
}

/// One cell of put, get or acc.
#[derive(Debug, Serialize)]
pub(crate) struct TransferRow {
    /// What was measured.
    #[serde(flatten)]
    pub(crate) cell: Cell,
    /// Median speeds.
    pub(crate) speeds: Speeds,
    /// Against the target.
    pub(crate) judgement: Judgement,
    /// Every single time.
    pub(crate) times: Vec<Times>,
}

impl TransferRow {
    /// The row of `cell`.
    pub(crate) fn new(cell: Cell, samples: &Samples, cpus: usize) -> Self {
        let speeds = speeds(&cell, samples);
        let judgement = judge_transfer(&cell, &speeds, cpus);
        Self { cell, speeds, judgement, times: transfer_times(&cell, samples) }
    }

    /// The microseconds of one call at `speed`, which is of all ranks together.
    pub(crate) fn call_microseconds(&self, speed: Option<f64>) -> Option<f64> {
        speed.map(|speed| 1e6 * bytes_at_once(&self.cell) / speed)
    }
}

/// What all ranks move in one call of each.
#[expect(clippy::cast_precision_loss, reason = "a patch is far below 2^53 bytes")]
fn bytes_at_once(cell: &Cell) -> f64 {
    cell.patch.bytes as f64 * cell.ranks as f64
}

fn speeds(cell: &Cell, samples: &Samples) -> Speeds {
    let speed = |turn| samples.median(turn).map(|seconds| bytes_at_once(cell) / seconds);
    let of = |engine| speed(Turn::Transfer(cell.patch, engine, cell.operation, cell.locality));
    let limit = |yardstick| speed(Turn::Yardstick(cell.patch, yardstick));
    Speeds {
        package: of(Engine::Package),
        ours: of(Engine::Ours),
        ours_by_rma: of(Engine::OursByRma),
        memcpy: limit(Yardstick::Memcpy),
        memcpy_to_shared: limit(Yardstick::MemcpyToShared),
        daxpy: limit(Yardstick::Daxpy),
    }
}

fn transfer_times(cell: &Cell, samples: &Samples) -> Vec<Times> {
    let of = |engine| Turn::Transfer(cell.patch, engine, cell.operation, cell.locality);
    let mut turns: Vec<_> = Engine::ALL.into_iter().map(|engine| (engine.to_string(), of(engine))).collect();
    for yardstick in Yardstick::ALL {
        turns.push((yardstick.word().to_owned(), Turn::Yardstick(cell.patch, yardstick)));
    }
    times(turns, samples)
}

fn times(turns: Vec<(String, Turn)>, samples: &Samples) -> Vec<Times> {
    let times = |(of, turn)| Times { of, seconds: samples.seconds(turn).to_vec() };
    turns.into_iter().map(times).filter(|times| !times.seconds.is_empty()).collect()
}

/// A counter that all ranks increment.
#[derive(Debug, Serialize)]
pub(crate) struct CounterRow {
    /// How many.
    pub(crate) ranks: usize,
    /// Median calls per second of all ranks together: package, ours, ours by RMA.
    pub(crate) calls_per_second: [Option<f64>; 3],
    /// Every single time.
    pub(crate) times: Vec<Times>,
}

impl CounterRow {
    /// The row of so many ranks.
    #[expect(clippy::cast_precision_loss, reason = "a number of ranks is far below 2^53")]
    pub(crate) fn new(ranks: usize, samples: &Samples) -> Self {
        let rate = |engine| samples.median(Turn::Count(engine)).map(|seconds| ranks as f64 / seconds);
        let turns = Engine::ALL.map(|engine| (engine.to_string(), Turn::Count(engine))).to_vec();
        Self { ranks, calls_per_second: Engine::ALL.map(rate), times: times(turns, samples) }
    }
}

/// One product.
#[derive(Debug, Serialize)]
pub(crate) struct ProductRow {
    /// What was measured.
    #[serde(flatten)]
    pub(crate) product: Product,
    /// Median rates.
    pub(crate) rates: Rates,
    /// Local BLAS times the processors that can take part, in operations per second.
    pub(crate) limit: Option<f64>,
    /// Against the target.
    pub(crate) judgement: Judgement,
    /// Every single time.
    pub(crate) times: Vec<Times>,
}

impl ProductRow {
    /// The row of `product`.
    pub(crate) fn new(product: Product, samples: &Samples, cpus: usize) -> Self {
        let rates = rates(product, samples);
        let limit = blas_limit(&product, &rates, cpus);
        let judgement = judge_product(&product, &rates, cpus);
        Self { product, rates, limit, judgement, times: product_times(product, samples) }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a number of ranks is far below 2^53")]
fn rates(product: Product, samples: &Samples) -> Rates {
    let rate = |turn| samples.median(turn).map(|seconds| product.operations_count() / seconds);
    let of = |engine| rate(Turn::Multiply(product, engine));
    Rates {
        package: of(Engine::Package),
        ours: of(Engine::Ours),
        ours_by_rma: of(Engine::OursByRma),
        blas_alone: rate(Turn::BlasAlone(product)),
        blas_on_all: rate(Turn::BlasOnAll(product)).map(|rate| rate * product.ranks as f64),
    }
}

fn product_times(product: Product, samples: &Samples) -> Vec<Times> {
    let of = |engine: Engine| (engine.to_string(), Turn::Multiply(product, engine));
    let mut turns = Engine::ALL.map(of).to_vec();
    turns.push(("BLAS alone".into(), Turn::BlasAlone(product)));
    turns.push(("BLAS on all".into(), Turn::BlasOnAll(product)));
    times(turns, samples)
}

#[cfg(test)]
mod tests {
    use super::{CounterRow, ProductRow, TransferRow};
    use crate::ga::engine::{Engine, Yardstick};
    use crate::ga::samples::{Sample, Samples};
    use crate::ga::turn::Turn;
    use crate::ga::workload::{Cell, Form, Kind, Locality, Operation, Patch, Product};

    fn samples(seconds: &[(Turn, f64)]) -> Samples {
        let mut samples = Samples::default();
        for &(turn, seconds) in seconds {
            samples.add(turn, Sample { seconds, is_disturbed: false });
        }
        samples
    }

    fn is_about(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|found| (found / expected - 1.0).abs() < 1e-9)
    }

    #[test]
    fn speeds_are_of_all_ranks_together_and_microseconds_of_one_call() {
        let patch = Patch { kind: Kind::Contiguous, bytes: 1000 };
        let cell = Cell { ranks: 2, patch, operation: Operation::Put, locality: Locality::Remote };
        let turn = |locality| Turn::Transfer(patch, Engine::Package, Operation::Put, locality);
        let samples = samples(&[
            (turn(Locality::Remote), 1e-6),
            (turn(Locality::Local), 5e-6),
            (Turn::Yardstick(patch, Yardstick::Memcpy), 5e-7),
        ]);
        let row = TransferRow::new(cell, &samples, 2);
        assert!(is_about(row.speeds.package, 2e9));
        assert!(is_about(row.speeds.memcpy, 4e9));
        assert!(is_about(row.call_microseconds(row.speeds.package), 1.0));
        assert!(row.speeds.ours.is_none());
        assert_eq!(row.times.len(), 2);
    }

    #[test]
    fn a_counter_is_rated_by_the_calls_of_all_ranks() {
        let row = CounterRow::new(4, &samples(&[(Turn::Count(Engine::Package), 2e-6)]));
        assert!(is_about(row.calls_per_second[0], 2e6));
    }

    #[test]
    fn blas_on_all_ranks_is_a_product_each_and_a_library_makes_one_together() {
        let product = Product { ranks: 2, order: 100, form: Form::Nn };
        let samples = samples(&[
            (Turn::BlasOnAll(product), 1.0),
            (Turn::BlasAlone(product), 1.0),
            (Turn::Multiply(product, Engine::Ours), 1.0),
        ]);
        let row = ProductRow::new(product, &samples, 2);
        assert!(is_about(row.rates.ours, 2e6));
        assert!(is_about(row.rates.blas_on_all, 4e6));
        assert!(is_about(row.limit, 4e6));
    }
}
