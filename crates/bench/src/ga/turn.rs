//! Whose turn it is, and what a job is asked for then.

use std::fmt;

use crate::ga::engine::{Engine, Player, Yardstick};
use crate::ga::workload::{Kind, Locality, Operation, Patch, Product};
use crate::units::binary;

/// By RMA every run is a message.
const NARROW_BY_RMA_BYTES_MAX: u64 = 4 << 20;

/// What is measured between two changes of the task: all engines do the same, in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Task {
    /// Put, get and acc of a patch.
    Patch(Patch),
    /// A counter that all ranks increment.
    Counter,
    /// A matrix product.
    Product(Product),
}

/// One measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Turn {
    /// What a plain loop does.
    Yardstick(Patch, Yardstick),
    /// What a library does with a patch.
    Transfer(Patch, Engine, Operation, Locality),
    /// What a library does with a counter.
    Count(Engine),
    /// Local BLAS on one rank, the others asleep.
    BlasAlone(Product),
    /// Local BLAS on every rank at once.
    BlasOnAll(Product),
    /// What a library does with a product.
    Multiply(Product, Engine),
}

impl Turn {
    /// The turns of a task.
    pub(crate) fn all(task: Task, engines: &[Engine], ranks: usize) -> Vec<Self> {
        match task {
            Task::Patch(patch) => Self::all_of_patch(patch, engines, ranks),
            Task::Counter => engines.iter().map(|&engine| Self::Count(engine)).collect(),
            Task::Product(product) => {
                let multiply = engines.iter().map(|&engine| Self::Multiply(product, engine));
                [Self::BlasAlone(product), Self::BlasOnAll(product)].into_iter().chain(multiply).collect()
            }
        }
    }

    fn all_of_patch(patch: Patch, engines: &[Engine], ranks: usize) -> Vec<Self> {
        let mut turns = Yardstick::ALL.map(|yardstick| Self::Yardstick(patch, yardstick)).to_vec();
        for &engine in engines.iter().filter(|&&engine| !takes_minutes(engine, patch)) {
            let cells = patch.cells(ranks).into_iter();
            turns.extend(cells.map(|cell| Self::Transfer(patch, engine, cell.operation, cell.locality)));
        }
        turns
    }

    /// Whose it is.
    pub(crate) fn player(self) -> Player {
        match self {
            Self::Yardstick(..) | Self::BlasAlone(_) | Self::BlasOnAll(_) => Player::Bare,
            Self::Transfer(_, engine, ..) | Self::Count(engine) | Self::Multiply(_, engine) => {
                Player::Library(engine)
            }
        }
    }

    /// What the job is asked for, to last `seconds`.
    pub(crate) fn command(self, seconds: f64) -> String {
        match self {
            Self::Yardstick(Patch { bytes, .. }, yardstick) => {
                format!("copy {} {bytes} {seconds}", yardstick.word())
            }
            Self::Transfer(Patch { kind, bytes }, _, operation, locality) => {
                format!("transfer {operation} {kind} {locality} {bytes} {seconds}")
            }
            Self::Count(_) => format!("count {seconds}"),
            Self::BlasAlone(Product { form, order, .. }) => format!("blas {form} {order} alone {seconds}"),
            Self::BlasOnAll(Product { form, order, .. }) => format!("blas {form} {order} all {seconds}"),
            Self::Multiply(Product { form, order, .. }, _) => format!("multiply {form} {order} {seconds}"),
        }
    }
}

/// A call of the network for each of a million runs.
fn takes_minutes(engine: Engine, patch: Patch) -> bool {
    engine == Engine::OursByRma && patch.kind == Kind::Narrow && patch.bytes > NARROW_BY_RMA_BYTES_MAX
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Patch(Patch { kind, bytes }) => write!(f, "put, get, acc, {kind}, {}", binary(*bytes)),
            Task::Counter => f.write_str("counter"),
            Task::Product(Product { form, order, .. }) => write!(f, "dgemm, {form}, {order}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Task, Turn};
    use crate::ga::engine::{Engine, Player};
    use crate::ga::workload::{Form, Kind, Locality, Operation, Patch, Product};

    #[test]
    fn every_engine_and_every_yardstick_has_its_turns_on_a_patch() {
        let patch = Patch { kind: Kind::Narrow, bytes: 1024 };
        let turns = Turn::all(Task::Patch(patch), &Engine::ALL, 2);
        let of = |player| turns.iter().filter(|turn| turn.player() == player).count();
        assert_eq!((of(Player::Bare), of(Player::Library(Engine::OursByRma)), turns.len()), (3, 6, 21));
    }

    #[test]
    fn a_million_runs_are_not_measured_by_rma() {
        let engines = |kind, bytes| {
            let turns = Turn::all(Task::Patch(Patch { kind, bytes }), &Engine::ALL, 2);
            turns.iter().filter(|turn| turn.player() == Player::Library(Engine::OursByRma)).count()
        };
        assert_eq!(engines(Kind::Narrow, 64 << 20), 0);
        assert_eq!(engines(Kind::Narrow, 4 << 20), 6);
        assert_eq!(engines(Kind::Half, 64 << 20), 6);
    }

    #[test]
    fn commands_are_those_of_the_driver() {
        let patch = Patch { kind: Kind::Half, bytes: 16_384 };
        let turn = Turn::Transfer(patch, Engine::Ours, Operation::Acc, Locality::Remote);
        assert_eq!(turn.command(0.05), "transfer acc half remote 16384 0.05");
        let product = Product { ranks: 2, order: 512, form: Form::Tn };
        assert_eq!(Turn::BlasAlone(product).command(0.05), "blas tn 512 alone 0.05");
    }
}
