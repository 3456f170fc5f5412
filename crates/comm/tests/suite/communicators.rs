//! Communicators of some of the ranks.

use crate::world::World;
use test_support::hosts_count;

/// More than MPICH 4.0 has numbers for, if they are not given back.
const MANY: usize = 2500;

pub(crate) fn ranks_of_one_colour_are_together_in_the_order_of_their_keys(world: &World) {
    let comm = world.comm();
    let colour = comm.rank() % 2;
    let part = comm.split(Some(colour as u32), comm.size() - comm.rank()).unwrap().expect("a colour");
    let mut expected: Vec<u64> = (0..comm.size() as u64).filter(|rank| rank % 2 == colour as u64).collect();
    expected.reverse();
    assert_eq!(part.size(), expected.len());
    assert_eq!(part.all_gather(&[comm.rank() as u64]).unwrap(), expected);
    assert_eq!(expected[part.rank()], comm.rank() as u64);
    // And so are parts of parts.
    let alone = part.split(Some(part.rank() as u32), 0).unwrap().expect("a colour");
    assert_eq!((alone.rank(), alone.size()), (0, 1));
}

pub(crate) fn a_rank_without_a_colour_has_no_communicator(world: &World) {
    let comm = world.comm();
    let last = comm.size() - 1;
    let part = comm.split((comm.rank() < last).then_some(5), comm.rank()).unwrap();
    assert_eq!(part.map(|part| part.size()), (comm.rank() < last).then_some(last));
}

pub(crate) fn the_ranks_of_a_host_are_a_node(world: &World) {
    let comm = world.comm();
    let node = comm.node().unwrap();
    assert_eq!(node.size(), comm.size() / hosts_count());
    let mates = node.all_gather(&[comm.rank() as u64]).unwrap();
    assert!(mates.is_sorted(), "{mates:?}");
    assert_eq!(mates[node.rank()], comm.rank() as u64);
}

pub(crate) fn what_a_dropped_communicator_took_is_given_back(world: &World) {
    let comm = world.comm();
    // Where each takes messages, or ranks share processors, a few will do.
    for _ in 0..if hosts_count() == 1 && comm.size() < 3 { MANY } else { MANY / 25 } {
        let part = comm.split(Some(0), comm.rank()).unwrap().expect("a colour");
        assert_eq!(part.size(), comm.size());
    }
}

/// Collective calls of one communicator are not taken for those of another.
pub(crate) fn two_communicators_of_the_same_ranks_do_not_meet(world: &World) {
    let comm = world.comm();
    let (one, other) = (comm.split(Some(0), comm.rank()), comm.split(Some(0), comm.rank()));
    let (one, other) = (one.unwrap().expect("a colour"), other.unwrap().expect("a colour"));
    for round in 0..20u64 {
        let (mut a, mut b) = ([round], [round + 1000]);
        if comm.rank() != 0 {
            (a, b) = ([0], [0]);
        }
        one.broadcast(&mut a, 0).unwrap();
        other.broadcast(&mut b, 0).unwrap();
        assert_eq!((a, b), ([round], [round + 1000]));
    }
}
