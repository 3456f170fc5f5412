//! What a test binary is made of.

use std::process::ExitCode;
use std::time::Duration;

use crate::environment::Place;
use crate::options::Options;
use crate::scenario::{Needs, Scenario};
use crate::variant::Variant;
use crate::{launcher, rank};

/// The scenarios of a test binary and the launches they run in. `C` is what [`Suite::new`]'s function makes on every rank
/// and every scenario gets.
#[derive(Debug)]
pub struct Suite<C> {
    pub(crate) calls: Calls<C>,
    shape: Shape,
}

/// Gives the rank and the number of ranks.
pub(crate) type AsksPlace<C> = fn(&C) -> (usize, usize);

/// How the ranks of a suite use its MPI.
#[derive(Debug)]
pub(crate) struct Calls<C> {
    pub(crate) start: fn() -> C,
    pub(crate) place: Option<AsksPlace<C>>,
    pub(crate) barrier: Option<fn(&C)>,
    pub(crate) abort: Option<fn(i32)>,
}

/// The launches of a suite.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) variants: Vec<Variant>,
    pub(crate) ranks: Vec<usize>,
    pub(crate) ranks_per_host: Vec<usize>,
    pub(crate) time_limit: Duration,
}

impl<C> Suite<C> {
    /// A suite that runs with 1, 2, 3, 4 and 7 ranks on one host and with 1 and 2 ranks on each of two hosts, two minutes for
    /// each launch. Every rank calls `start` once, before its scenarios; dropping what it gives ends MPI.
    pub fn new(start: fn() -> C) -> Self {
        Self {
            calls: Calls { start, place: None, barrier: None, abort: None },
            shape: Shape {
                variants: Vec::new(),
                ranks: vec![1, 2, 3, 4, 7],
                ranks_per_host: vec![1, 2],
                time_limit: Duration::from_secs(120),
            },
        }
    }

    /// How to ask MPI for this process's rank and the number of ranks: compared with what the launcher says, so that a binary
    /// under the launcher of another MPI (which makes every rank a world of its own) is a failure.
    #[must_use]
    pub fn place(mut self, place: fn(&C) -> (usize, usize)) -> Self {
        self.calls.place = Some(place);
        self
    }

    /// A barrier over all ranks, called after every scenario: none begins before all ranks have finished the one before.
    #[must_use]
    pub fn barrier(mut self, barrier: fn(&C)) -> Self {
        self.calls.barrier = Some(barrier);
        self
    }

    /// `MPI_Abort` of the world with this code, called on the rank where a scenario panicked. Without it, or should it
    /// return, the rank ends with a failure, upon which MPI's launchers end the others.
    #[must_use]
    pub fn abort(mut self, abort: fn(i32)) -> Self {
        self.calls.abort = Some(abort);
        self
    }

    /// Adds a variant. A suite without any runs in the environment as it is.
    #[must_use]
    pub fn variant(mut self, variant: Variant) -> Self {
        self.shape.variants.push(variant);
        self
    }

    /// The numbers of ranks on one host, instead of 1, 2, 3, 4 and 7; may be none.
    #[must_use]
    pub fn ranks(mut self, ranks: impl IntoIterator<Item = usize>) -> Self {
        self.shape.ranks = ranks.into_iter().collect();
        self
    }

    /// The numbers of ranks on each of two hosts, instead of 1 and 2; may be none.
    #[must_use]
    pub fn ranks_per_host(mut self, ranks: impl IntoIterator<Item = usize>) -> Self {
        self.shape.ranks_per_host = ranks.into_iter().collect();
        self
    }

    /// The time after which a launch is ended and has failed.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.shape.time_limit = limit;
        self
    }

    /// The whole of `main`: launches the ranks, or is one of them.
    ///
    /// The launcher's exit status is 0 if everything asked for has passed, 1 if something failed, 77 if nothing failed but
    /// something could not run here (1 if `CHEMIO_TEST_REQUIRE_ALL` is set), 2 for a wrong command line.
    ///
    /// # Panics
    /// If two scenarios have one name, or the launcher cannot make its directories.
    pub fn run(mut self, scenarios: &[Scenario<C>]) -> ExitCode {
        let needs: Vec<&Needs> = scenarios.iter().map(|scenario| &scenario.needs).collect();
        assert_names_differ(&needs);
        let options = Options::of_command_line();
        if let Some(place) = Place::ours() {
            rank::run(&self.calls, &options, scenarios, place)
        } else {
            if self.shape.variants.is_empty() {
                self.shape.variants.push(Variant::named("default"));
            }
            launcher::run(&self.shape, &options, &needs)
        }
    }
}

fn assert_names_differ(needs: &[&Needs]) {
    let mut names: Vec<_> = needs.iter().map(|needs| needs.name).collect();
    names.sort_unstable();
    let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
    assert!(twice.is_none(), "two scenarios have one name: {twice:?}");
}

#[cfg(test)]
mod tests {
    use super::assert_names_differ;
    use crate::scenario;

    struct World;

    fn one(_: &World) {}
    fn two(_: &World) {}

    #[test]
    fn scenarios_of_different_names_are_accepted() {
        assert_names_differ(&[&scenario!(one).needs, &scenario!(two).needs]);
    }

    #[test]
    #[should_panic(expected = "two scenarios have one name: Some([\"one\", \"one\"])")]
    fn a_name_given_twice_is_refused() {
        assert_names_differ(&[&scenario!(one).needs, &scenario!(two).needs, &scenario!(one).needs]);
    }
}
