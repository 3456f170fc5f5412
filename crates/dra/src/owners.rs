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
    /// Their ranks: one list for all shards, or, where hosts hold shards on their own disks, one for each part of the array.
    io_ranks: Vec<Vec<usize>>,
}

impl Owners {
    /// `wanted` I/O processes, in turns from each node; as many as is best if nothing is said. `node_of` has the number of
    /// the node of each rank.
    pub(crate) fn choose(node_of: &[usize], wanted: Option<u32>) -> Self {
        let nodes = node_of.iter().max().map_or(0, |last| last + 1);
        let per_node_max = (0..nodes).map(|node| ranks_of(node_of, node).count()).max().unwrap_or(0);
        let turns = wanted.map_or(PER_NODE, |_| per_node_max);
        let in_turns =
            (0..turns).flat_map(|turn| (0..nodes).filter_map(move |node| ranks_of(node_of, node).nth(turn)));
        let count = wanted.map_or(usize::MAX, count_of);
        let mut io_ranks: Vec<usize> = in_turns.take(count).collect();
        io_ranks.sort_unstable();
        Self { io_ranks: vec![io_ranks] }
    }

    /// The same for an array in parts, of which each is on the disk of one node: at least one I/O process on each.
    pub(crate) fn of_parts(node_of: &[usize], wanted: Option<u32>, node_of_part: &[usize]) -> Self {
        let per_node = wanted.map_or(PER_NODE, |wanted| (count_of(wanted) / node_of_part.len()).max(1));
        let of_part = |&node: &usize| ranks_of(node_of, node).take(per_node).collect();
        Self { io_ranks: node_of_part.iter().map(of_part).collect() }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.io_ranks.iter().map(Vec::len).sum()
    }

    /// Whether `rank` owns the brick at `coordinates`, which is in this shard.
    pub(crate) fn is_owner(&self, rank: usize, coordinates: &[u64], shard: u64) -> bool {
        let owners = &self.io_ranks[section::size(shard % self.io_ranks.len() as u64)];
        let count = owners.len() as u64;
        let number = coordinates.iter().fold(0, |sum, at| (sum + at % count) % count);
        owners[section::size(number)] == rank
    }

    /// Whether `rank` owns any brick.
    pub(crate) fn is_io_process(&self, rank: usize) -> bool {
        self.io_ranks.iter().flatten().any(|&io_rank| io_rank == rank)
    }
}

fn ranks_of(node_of: &[usize], node: usize) -> impl Iterator<Item = usize> {
    (0..node_of.len()).filter(move |&rank| node_of[rank] == node)
}

fn count_of(wanted: u32) -> usize {
    usize::try_from(wanted).unwrap_or(usize::MAX).max(1)
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
        Owners::choose(node_of, wanted).io_ranks.concat()
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
                let owner = (0..3).filter(|&rank| owners.is_owner(rank, &coordinates, 5)).collect::<Vec<_>>();
                assert_eq!(owner.len(), 1);
                bricks[owner[0]] += 1;
            }
            assert_eq!(bricks, [10, 10, 10]);
        }
    }

    #[test]
    fn bricks_on_a_nodes_own_disk_are_owned_there() {
        let (node_of, node_of_part) = ([0, 0, 1, 1, 1], [1, 0]);
        for (wanted, counts) in [(None, [2, 2]), (Some(1), [1, 1]), (Some(100), [3, 2])] {
            let owners = Owners::of_parts(&node_of, wanted, &node_of_part);
            for (part, node) in node_of_part.into_iter().enumerate() {
                let owns = |rank: usize| (0..6).any(|at| owners.is_owner(rank, &[at], part as u64 + 4));
                let found: Vec<usize> = (0..5).filter(|&rank| owns(rank)).collect();
                assert_eq!(found.len(), counts[part], "{wanted:?}");
                assert!(found.iter().all(|&rank| node_of[rank] == node && owners.is_io_process(rank)));
            }
        }
    }
}
