//! The MPI suite of the distributed arrays: every scenario over node shared memory and over RMA, on 1 to 7 ranks and on two
//! test hosts.

mod arrays;
mod between_hosts;
mod contention;
mod oracle;

use ga::Context;
use std::process::ExitCode;
use test_support::{Suite, Variant, scenario};

fn main() -> ExitCode {
    // The path that the library chooses is shared memory on one host, and both on two.
    Suite::new(|| Context::new().expect("a context"))
        .place(|ga| (ga.rank(), ga.ranks()))
        .barrier(|ga| ga.sync().expect("a barrier"))
        .variant(Variant::named("chosen"))
        .variant(Variant::named("rma").set("CHEMIO_GA_PATH", "rma"))
        .run(&[
            scenario!(oracle::random_operations_agree_with_a_plain_array),
            scenario!(oracle::operations_of_one_rank_keep_their_order),
            scenario!(contention::a_counter_gives_every_number_once),
            scenario!(contention::contended_accumulates_lose_nothing),
            scenario!(contention::a_mutex_lets_one_rank_in_at_a_time),
            scenario!(contention::misused_mutexes_are_errors),
            scenario!(arrays::a_new_array_is_zero_and_every_element_has_an_owner),
            scenario!(arrays::the_local_block_is_the_array),
            scenario!(arrays::a_rank_without_elements_takes_part),
            scenario!(arrays::bad_arguments_are_refused),
            scenario!(arrays::an_array_that_cannot_be_made_is_an_error_on_every_rank),
            scenario!(arrays::blocks_may_be_larger_than_an_int_counts),
            scenario!(arrays::an_array_removed_with_operations_pending_loses_nothing),
            scenario!(arrays::groups_have_arrays_of_their_own),
            scenario!(arrays::reductions_of_every_kind),
            scenario!(between_hosts::operations_between_hosts_cross_the_link).hosts(2..),
            scenario!(between_hosts::each_host_is_a_node).hosts(2..),
        ])
}

/// How often something is done: less where a message of MPI is needed each time, which takes milliseconds when ranks share
/// processors.
fn repeats(ga: &Context, many: usize) -> usize {
    if std::env::var("CHEMIO_GA_PATH").as_deref() == Ok("rma") || ga.nodes() > 1 { many.div_ceil(20) } else { many }
}
