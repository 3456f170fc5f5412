//! One error for all ranks.

use crate::world::World;
use comm::{Comm, Failure};

/// What a call that fails on some ranks gives this one.
fn outcome(comm: &Comm, fails: impl Fn(usize) -> bool) -> Result<usize, Failure<String>> {
    let rank = comm.rank();
    comm.agree(if fails(rank) { Err(format!("rank {rank}: das Gerät ist voll")) } else { Ok(rank) })
}

/// What it has to give where the ranks agree on the error of `first`.
fn expected(comm: &Comm, first: usize) -> Failure<String> {
    let message = format!("rank {first}: das Gerät ist voll");
    if comm.rank() == first { Failure::Here(message) } else { Failure::There { rank: first, message } }
}

pub(crate) fn what_nobody_refuses_everybody_gets(world: &World) {
    assert_eq!(outcome(world.comm(), |_| false), Ok(world.comm().rank()));
}

pub(crate) fn the_error_of_one_rank_is_told_to_all(world: &World) {
    let comm = world.comm();
    for first in 0..comm.size() {
        assert_eq!(outcome(comm, |rank| rank == first), Err(expected(comm, first)));
    }
}

pub(crate) fn of_several_errors_the_one_of_the_lowest_rank_counts(world: &World) {
    let comm = world.comm();
    for first in 0..comm.size() {
        assert_eq!(outcome(comm, |rank| rank >= first), Err(expected(comm, first)));
    }
    // The ranks of a part of them count from its first.
    let odd = comm.split(Some((comm.rank() % 2) as u32), comm.rank()).unwrap().expect("a colour");
    assert_eq!(outcome(&odd, |_| true), Err(expected(&odd, 0)));
}

pub(crate) fn a_text_of_any_length_reaches_every_rank(world: &World) {
    let comm = world.comm();
    for root in 0..comm.size() {
        for len in [0, 1, 7, 100_000] {
            let text = |rank: usize| char::from(b'a' + rank as u8).to_string().repeat(len + rank);
            assert_eq!(comm.broadcast_text(text(comm.rank()), root), Ok(text(root)));
        }
    }
    let failed: Result<(), _> = comm.agree(Err(String::new()));
    let told = Failure::There { rank: 0, message: String::new() };
    assert_eq!(failed, Err(if comm.rank() == 0 { Failure::Here(String::new()) } else { told }));
}

pub(crate) fn the_least_value_comes_with_whether_tokens_are_alike(world: &World) {
    let comm = world.comm();
    let (rank, last) = (comm.rank() as i64, comm.size() - 1);
    for token in [0, 1, u64::MAX, 1 << 63] {
        assert_eq!(comm.least(5 - rank, token), Ok((5 - last as i64, true)));
        let other = if comm.rank() == last { token ^ (1 << 63) } else { token };
        assert_eq!(comm.least(rank - 5, other), Ok((-5, last == 0)));
    }
}
