//! The order in which a handle reads.

use std::ops::Range;

/// How a read lies to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Anywhere.
    Scattered,
    /// As far from the one before as that from the one before it, and no farther than the ranks of the node read meanwhile if each
    /// reads as much: together they read the file in order.
    InTurn,
    /// Where the one before ended.
    Sequential,
}

/// The last reads of a handle.
#[derive(Debug, Default)]
pub(crate) struct ReadOrder {
    /// The last one; a file may be read from 0 on.
    last: Range<u64>,
    /// How far it was from the one before, if it was behind it.
    stride_bytes: Option<u64>,
    /// What was read in a row.
    run_bytes: u64,
}

impl ReadOrder {
    /// Notes a read of a rank that has so many ranks on its node, itself included.
    pub(crate) fn note(&mut self, offset_bytes: u64, len_bytes: u64, ranks_on_node: u64) -> Order {
        let stride_bytes = offset_bytes.checked_sub(self.last.start);
        let sequential = self.would_continue(offset_bytes);
        let in_turn = stride_bytes == self.stride_bytes
            && stride_bytes
                .is_some_and(|stride| stride > 0 && stride <= len_bytes.saturating_mul(ranks_on_node));
        self.run_bytes = if sequential { self.run_bytes } else { 0 } + len_bytes;
        self.last = offset_bytes..offset_bytes + len_bytes;
        self.stride_bytes = stride_bytes;
        match (sequential, in_turn) {
            (true, _) => Order::Sequential,
            (_, true) => Order::InTurn,
            _ => Order::Scattered,
        }
    }

    /// Whether a read at `offset_bytes` would continue the last one.
    pub(crate) fn would_continue(&self, offset_bytes: u64) -> bool {
        self.last.end == offset_bytes
    }

    /// What was read in a row.
    pub(crate) fn run_bytes(&self) -> u64 {
        self.run_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Order::{InTurn, Scattered, Sequential};

    const LEN_BYTES: u64 = 64_000;
    const RANKS: u64 = 4;

    /// What reads of so many bytes at these offsets are taken for.
    fn orders(len_bytes: u64, offsets: impl IntoIterator<Item = u64>) -> Vec<Order> {
        let mut order = ReadOrder::default();
        offsets.into_iter().map(|at| order.note(at, len_bytes, RANKS)).collect()
    }

    #[test]
    fn reads_that_touch_are_sequential_from_the_beginning_on_and_a_run_is_counted() {
        let mut order = ReadOrder::default();
        for i in 0..5 {
            assert!(order.would_continue(i * 100));
            assert_eq!(order.note(i * 100, 100, 1), Sequential);
            assert_eq!(order.run_bytes(), (i + 1) * 100);
        }
        assert_eq!((order.note(1000, 10, 1), order.run_bytes()), (Scattered, 10));
    }

    #[test]
    fn equal_strides_are_a_turn_from_the_third_read_on_whichever_rank_reads() {
        for rank in 1..RANKS {
            for ranks in 2..=RANKS {
                let found = orders(LEN_BYTES, (0..5).map(|i| (i * ranks + rank) * LEN_BYTES));
                assert_eq!(found[2..], [InTurn; 3], "rank {rank} of {ranks}: {found:?}");
            }
        }
        // Requests need not fill what lies between them.
        assert_eq!(orders(LEN_BYTES - 1000, (1..5).map(|i| i * 2 * LEN_BYTES))[2..], [InTurn; 2]);
    }

    #[test]
    fn farther_strides_and_those_that_change_or_go_back_or_nowhere_are_no_turn() {
        let takes_turns = |offsets: &[u64]| orders(LEN_BYTES, offsets.iter().copied()).contains(&InTurn);
        let far = RANKS * LEN_BYTES + 1;
        assert!(!takes_turns(&[far, 2 * far, 3 * far, 4 * far]));
        assert!(!takes_turns(&[100_000, 300_000, 400_000, 600_000]));
        assert!(!takes_turns(&[900_000, 700_000, 500_000, 300_000]));
        assert!(!takes_turns(&[100_000, 100_000, 100_000]));
    }
}
