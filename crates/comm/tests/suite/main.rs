//! The suite of the communicators: every scenario on 1 to 7 ranks and on two test hosts, with MPI started by the library, and
//! by the program at each thread level.

#![allow(
    clippy::float_cmp,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "ranks, and whole numbers that are exact"
)]

mod agreement;
mod collective;
mod communicators;
mod threads;
mod world;

use std::process::ExitCode;
use test_support::{Suite, Variant, scenario};
use world::{STARTED, World};

fn main() -> ExitCode {
    let started = |how: &str| Variant::named(how).set(STARTED, how);
    Suite::new(World::start)
        .place(|world| (world.comm().rank(), world.comm().size()))
        .barrier(|world| world.comm().barrier().expect("a barrier"))
        .variant(started("ours"))
        .variant(started("single"))
        .variant(started("funneled"))
        .variant(started("multiple"))
        .run(&[
            scenario!(agreement::what_nobody_refuses_everybody_gets),
            scenario!(agreement::the_error_of_one_rank_is_told_to_all),
            scenario!(agreement::of_several_errors_the_one_of_the_lowest_rank_counts),
            scenario!(agreement::a_text_of_any_length_reaches_every_rank),
            scenario!(agreement::the_least_value_comes_with_whether_tokens_are_alike),
            scenario!(collective::every_bit_of_every_type_is_broadcast_by_every_rank),
            scenario!(collective::every_bit_of_every_type_is_gathered_in_the_order_of_ranks),
            scenario!(collective::a_broadcast_may_be_longer_than_one_call_of_mpi).ranks(2..=2).hosts(..2),
            scenario!(collective::every_reduction_of_every_type_is_that_of_plain_numbers),
            scenario!(collective::nothing_is_reduced_gathered_and_broadcast),
            scenario!(collective::a_reduction_that_mpi_refuses_is_an_error_on_every_rank),
            scenario!(collective::a_root_that_is_not_there_is_refused_at_once),
            scenario!(communicators::ranks_of_one_colour_are_together_in_the_order_of_their_keys),
            scenario!(communicators::a_rank_without_a_colour_has_no_communicator),
            scenario!(communicators::the_ranks_of_a_host_are_a_node),
            scenario!(communicators::what_a_dropped_communicator_took_is_given_back),
            scenario!(communicators::two_communicators_of_the_same_ranks_do_not_meet),
            scenario!(threads::only_threads_that_the_level_allows_may_call),
            scenario!(threads::a_communicator_may_be_dropped_by_any_thread),
            scenario!(threads::threads_take_turns),
            scenario!(world::whoever_comes_later_joins),
        ])
}
