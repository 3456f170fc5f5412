//! One test of a suite.

use std::ops::{RangeBounds, RangeInclusive};

use crate::layout::{Layout, inclusive};

/// A function that all ranks of a launch call, and the launches it is meant for. Usually made by [`scenario!`].
///
/// [`scenario!`]: crate::scenario!
#[derive(Debug)]
pub struct Scenario<C> {
    pub(crate) needs: Needs,
    pub(crate) run: fn(&C),
}

/// The name of a scenario and where it can run.
#[derive(Clone, Debug)]
pub(crate) struct Needs {
    pub(crate) name: &'static str,
    ranks: RangeInclusive<usize>,
    hosts: RangeInclusive<usize>,
}

impl<C> Scenario<C> {
    /// A scenario for any number of ranks on any number of hosts. It fails by panicking, on any rank.
    ///
    /// Collective: all ranks of the launch call `run`, in the same order of scenarios.
    pub fn new(name: &'static str, run: fn(&C)) -> Self {
        Self { needs: Needs { name, ranks: inclusive(..), hosts: inclusive(..) }, run }
    }

    /// Only in launches of so many ranks, such as `2..` or `3..=3`.
    #[must_use]
    pub fn ranks(mut self, ranks: impl RangeBounds<usize>) -> Self {
        self.needs.ranks = inclusive(ranks);
        self
    }

    /// Only in launches on so many hosts: `2..` for the two test hosts, `..2` for one host.
    #[must_use]
    pub fn hosts(mut self, hosts: impl RangeBounds<usize>) -> Self {
        self.needs.hosts = inclusive(hosts);
        self
    }
}

impl Needs {
    pub(crate) fn met_by(&self, layout: Layout) -> bool {
        self.ranks.contains(&layout.ranks_count()) && self.hosts.contains(&layout.hosts_count)
    }
}

/// A [`Scenario`] named like its function: `scenario!(a_put_is_seen).ranks(2..)`.
#[macro_export]
macro_rules! scenario {
    ($function:path) => {
        $crate::Scenario::new(stringify!($function), $function)
    };
}

#[cfg(test)]
mod tests {
    use crate::layout::Layout;

    struct World;

    fn nothing(_: &World) {}

    #[test]
    fn a_scenario_runs_where_both_ranks_and_hosts_fit() {
        let scenario = scenario!(nothing).ranks(2..=4).hosts(2..);
        assert_eq!(scenario.needs.name, "nothing");
        assert!(scenario.needs.met_by(Layout::two_hosts(2)));
        assert!(!scenario.needs.met_by(Layout::two_hosts(3)));
        assert!(!scenario.needs.met_by(Layout::one_host(4)));
    }
}
