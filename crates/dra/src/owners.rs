//! Who moves which brick.
//!
//! Definitions. *I/O processes* are the ranks that read and write files; the others take no part in that. Each brick has one
//! *owner* among them, for as long as the array is open: so no two ranks write one brick, partial bricks need no locks, and
//! transfers that overlap in a brick come one after the other.
//!
//! The owner of the brick at coordinates `c` is I/O process number `(c_1 + ... + c_n) mod P`. Along any dimension the owners
//! take turns, so that a row, a column or a plane of bricks is spread evenly, whatever the shape of the grid: bricks dealt out by
//! number would give a whole column to one owner where the grid's width is a multiple of `P`.

use comm::{Comm, Operation};

/// I/O processes on a node, unless the program says otherwise: two keep a device busy while one of them copies.
const PER_NODE: usize = 2;

/// The I/O processes of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owners {
    /// Their ranks.
    io_ranks: Vec<usize>,
}

impl Owners {
    /// `wanted` I/O processes, in turns from each node; as many as is best if nothing is said. `node_of` has the number of
    /// the node of each rank.
    pub(crate) fn choose(node_of: &[usize], wanted: Option<u32>) -> Self {
        let nodes = node_of.iter().max().map_or(0, |last| last + 1);
        let of_node = |node| (0..node_of.len()).filter(move |&rank| node_of[rank] == node);
        let per_node_max = (0..nodes).map(|node| of_node(node).count()).max().unwrap_or(0);
        let turns = wanted.map_or(PER_NODE, |_| per_node_max);
        let in_turns = (0..turns).flat_map(|turn| (0..nodes).filter_map(move |node| of_node(node).nth(turn)));
        let count = wanted.map_or(usize::MAX, |wanted| usize::try_from(wanted).unwrap_or(usize::MAX).max(1));
        let mut io_ranks: Vec<usize> = in_turns.take(count).collect();
        io_ranks.sort_unstable();
        Self { io_ranks }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.io_ranks.len()
    }

    /// Whether `rank` owns the brick at `coordinates`.
    pub(crate) fn is_owner(&self, rank: usize, coordinates: &[u64]) -> bool {
        let count = self.io_ranks.len() as u64;
        let number = coordinates.iter().fold(0, |sum, at| (sum + at % count) % count);
        self.io_ranks[section::size(number)] == rank
    }

    /// Whether `rank` owns any brick.
    pub(crate) fn is_io_process(&self, rank: usize) -> bool {
        self.io_ranks.binary_search(&rank).is_ok()
    }
}

/// For each rank the number of its node, from 0 in the order of their first ranks. Collective.
pub(crate) fn number_nodes(comm: &Comm) -> comm::Result<Vec<usize>> {
    let node = comm.node()?;
    let mut leader = [i64::try_from(comm.rank()).expect("ranks are below 2^31")];
    node.all_reduce(&mut leader, Operation::Min)?;
    let leaders = comm.all_gather(&leader)?;
    let mut nodes = leaders.clone();
    nodes.sort_unstable();
    nodes.dedup();
    Ok(leaders.iter().map(|leader| nodes.partition_point(|node| node < leader)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(node_of: &[usize], wanted: Option<u32>) -> Vec<usize> {
        Owners::choose(node_of, wanted).io_ranks
    }

    #[test]
    fn each_node_gives_two_unless_something_else_is_wanted() {
        assert_eq!(chosen(&[0], None), [0]);
        assert_eq!(chosen(&[0, 0, 0, 0], None), [0, 1]);
        assert_eq!(chosen(&[0, 0, 0, 1, 1, 1], None), [0, 1, 3, 4]);
        assert_eq!(chosen(&[0, 0, 0, 1, 1, 1], Some(1)), [0]);
        assert_eq!(chosen(&[0, 0, 0, 1, 1, 1], Some(3)), [0, 1, 3], "from each node in turn");
        assert_eq!(chosen(&[0, 1, 0, 1], Some(100)), [0, 1, 2, 3], "no more than there are");
        assert_eq!(chosen(&[0, 0], Some(0)), [0], "one at least");
    }

    #[test]
    fn lines_of_bricks_along_any_dimension_are_dealt_out_evenly() {
        let owners = Owners::choose(&[0, 0, 0], Some(3));
        for dim in 0..3 {
            let mut bricks = [0; 3];
            for at in 0..30 {
                let mut coordinates = [7, 11, u64::MAX - 40];
                coordinates[dim] += at;
                let owner = (0..3).filter(|&rank| owners.is_owner(rank, &coordinates)).collect::<Vec<_>>();
                assert_eq!(owner.len(), 1);
                bricks[owner[0]] += 1;
            }
            assert_eq!(bricks, [10, 10, 10]);
        }
    }
}
