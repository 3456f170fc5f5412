//! The MPI suite of the distributed arrays: every scenario over node shared memory and over RMA, on 1 to 7 ranks and on two
//! test hosts.

#![allow(
    clippy::float_cmp,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "ranks, and whole numbers that are exact"
)]

mod arrays;
mod between_hosts;
mod contention;
mod linear_algebra;
mod operations;
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
            scenario!(oracle::a_sync_completes_transfers_of_more_runs_than_are_counted_at_once),
            scenario!(contention::a_counter_gives_every_number_once),
            scenario!(contention::contended_accumulates_lose_nothing),
            scenario!(contention::a_mutex_lets_one_rank_in_at_a_time),
            scenario!(contention::misused_mutexes_are_errors),
            scenario!(arrays::a_new_array_is_zero_and_every_element_has_an_owner),
            scenario!(arrays::the_local_block_is_the_array),
            scenario!(arrays::private_memory_is_there_once_it_was_populated),
            scenario!(arrays::a_box_in_one_block_in_reach_takes_the_short_way_and_no_other),
            scenario!(arrays::a_rank_without_elements_takes_part),
            scenario!(arrays::bad_arguments_are_refused),
            scenario!(arrays::an_array_that_cannot_be_made_is_an_error_on_every_rank),
            scenario!(arrays::blocks_may_be_larger_than_an_int_counts),
            scenario!(arrays::an_array_removed_with_operations_pending_loses_nothing),
            scenario!(arrays::removing_different_arrays_is_an_error_on_every_rank).ranks(2..),
            scenario!(arrays::groups_have_arrays_of_their_own),
            scenario!(arrays::reductions_of_every_kind),
            scenario!(operations::patches_are_filled_and_scaled_and_nothing_else),
            scenario!(operations::copied_patches_keep_their_order_whatever_their_shapes),
            scenario!(operations::a_patch_is_copied_within_its_array),
            scenario!(operations::large_patches_are_copied_piece_by_piece),
            scenario!(operations::sums_of_patches_are_those_of_their_elements),
            scenario!(operations::dot_products_of_patches_are_those_of_their_elements),
            scenario!(operations::whole_arrays_of_any_distributions_are_added_copied_and_transposed),
            scenario!(operations::a_matrix_becomes_symmetric),
            scenario!(operations::many_matrices_become_symmetric),
            scenario!(operations::bad_patches_are_refused_and_nothing_is_changed),
            scenario!(operations::an_error_of_one_rank_is_the_error_of_all),
            scenario!(operations::a_masked_operation_does_not_wait),
            scenario!(operations::a_group_operates_on_its_own_arrays),
            scenario!(operations::arrays_of_different_groups_are_copied),
            scenario!(operations::an_array_is_printed_as_the_legacy_calls_do),
            scenario!(linear_algebra::products_of_random_sections_are_those_of_plain_matrices),
            scenario!(linear_algebra::products_of_many_tiles_are_those_of_plain_matrices),
            scenario!(linear_algebra::a_result_that_few_ranks_hold_is_the_same),
            scenario!(linear_algebra::vectors_are_multiplied_as_rows_or_columns),
            scenario!(linear_algebra::a_product_of_nothing_scales),
            scenario!(linear_algebra::sections_of_one_array_are_multiplied),
            scenario!(linear_algebra::matrices_that_do_not_fit_are_refused),
            scenario!(between_hosts::operations_between_hosts_cross_the_link).hosts(2..),
            scenario!(between_hosts::each_host_is_a_node).hosts(2..),
        ])
}

/// How often something is done: less where a message of MPI is needed each time, which takes milliseconds when ranks share
/// processors.
fn repeats(ga: &Context, many: usize) -> usize {
    if std::env::var("CHEMIO_GA_PATH").as_deref() == Ok("rma") || ga.nodes() > 1 {
        many.div_ceil(20)
    } else {
        many
    }
}
