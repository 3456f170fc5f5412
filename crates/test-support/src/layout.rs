//! How many ranks a launch has, and on how many hosts.

use std::fmt;
use std::ops::{Bound, RangeBounds, RangeInclusive};

/// Ranks on hosts; every host has the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) hosts_count: usize,
    pub(crate) ranks_per_host: usize,
}

impl Layout {
    pub(crate) fn one_host(ranks_count: usize) -> Self {
        Self { hosts_count: 1, ranks_per_host: ranks_count }
    }

    pub(crate) fn two_hosts(ranks_per_host: usize) -> Self {
        Self { hosts_count: 2, ranks_per_host }
    }

    pub(crate) fn ranks_count(self) -> usize {
        self.hosts_count * self.ranks_per_host
    }

    /// Whether the ranks leave no processor free.
    pub(crate) fn is_crowded(self) -> bool {
        std::thread::available_parallelism().map_or(true, |processors| self.ranks_count() >= processors.get())
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.hosts_count, self.ranks_per_host) {
            (1, 1) => write!(out, "1 rank"),
            (1, ranks) => write!(out, "{ranks} ranks"),
            (hosts, ranks) => write!(out, "{hosts} hosts with {ranks} each"),
        }
    }
}

/// Any range of counts as one with both ends.
pub(crate) fn inclusive(range: impl RangeBounds<usize>) -> RangeInclusive<usize> {
    let first = match range.start_bound() {
        Bound::Included(&first) => first,
        Bound::Excluded(&before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let last = match range.end_bound() {
        Bound::Included(&last) => last,
        Bound::Excluded(&after) => after.saturating_sub(1),
        Bound::Unbounded => usize::MAX,
    };
    first..=last
}

#[cfg(test)]
mod tests {
    use super::{Layout, inclusive};

    #[test]
    fn ranges_of_every_kind_contain_what_they_say() {
        assert_eq!(inclusive(2..), 2..=usize::MAX);
        assert_eq!(inclusive(2..5), 2..=4);
        assert_eq!(inclusive(..2), 0..=1);
        assert_eq!(inclusive(3..=3), 3..=3);
        assert_eq!(inclusive(..), 0..=usize::MAX);
    }

    #[test]
    fn a_layout_counts_its_ranks_over_all_hosts() {
        assert_eq!(Layout::two_hosts(2).ranks_count(), 4);
        assert_eq!(Layout::two_hosts(2).to_string(), "2 hosts with 2 each");
        assert_eq!(Layout::one_host(7).to_string(), "7 ranks");
    }
}
