//! The MPI suite of re-blocking: with arrays in node shared memory, which a thread moves, and over RMA, where whoever waits does
//! it, on 1 to 7 ranks and on two test hosts.

mod arguments;
mod between;
mod comparing;
mod counting;
mod faults;
mod hosts;
mod memory;
mod oracle;
mod under_way;
mod world;

use std::process::ExitCode;
use std::time::Duration;
use test_support::{Suite, Variant, scenario};
use world::World;

fn main() -> ExitCode {
    Suite::new(World::start)
        .place(|world| (world.ga.rank(), world.ga.ranks()))
        .barrier(World::barrier)
        .time_limit(Duration::from_secs(300))
        .variant(Variant::named("chosen"))
        .variant(Variant::named("rma").set("CHEMIO_GA_PATH", "rma").hosts(..2))
        .run(&[
            scenario!(oracle::random_targets_are_the_permuted_source),
            scenario!(oracle::a_cycle_of_three_dimensions_goes_the_right_way_round),
            scenario!(arguments::arrays_that_do_not_belong_together_are_refused),
            scenario!(arguments::arrays_are_used_as_they_were_opened),
            scenario!(arguments::a_source_that_is_not_complete_is_refused_and_cannot_be_read),
            scenario!(arguments::ranks_that_want_different_things_are_all_told),
            scenario!(arguments::memory_that_programs_give_may_be_as_little_as_nothing),
            scenario!(between::a_source_at_the_name_of_an_array_between_passes_is_not_replaced).hosts(..2),
            scenario!(between::an_array_of_others_at_the_name_of_one_between_passes_is_left_alone).hosts(..2),
            scenario!(between::an_array_between_passes_of_an_earlier_copy_is_replaced).hosts(..2),
            scenario!(between::with_an_unfinished_target_go_its_arrays_between_passes),
            scenario!(between::whatever_a_target_is_called_its_arrays_between_passes_are_at_one_place)
                .hosts(..2),
            scenario!(between::arrays_between_passes_take_no_more_disk_than_the_plan_says).hosts(..2),
            scenario!(between::a_name_that_is_too_long_for_arrays_between_passes_is_told_as_that).hosts(..2),
            scenario!(comparing::elements_that_differ_are_counted_and_the_first_is_told).hosts(..2),
            scenario!(comparing::arrays_that_do_not_belong_together_and_unfinished_ones_are_not_compared)
                .hosts(..2),
            scenario!(counting::what_reaches_the_disk_is_what_the_plan_has_counted).hosts(..2),
            scenario!(counting::large_bricks_are_written_around_the_page_cache).hosts(..2),
            scenario!(counting::buffers_leave_the_memory_to_boxes_and_get_it_back).hosts(..2),
            scenario!(
                faults::whatever_fails_the_target_is_not_taken_for_complete_and_another_try_completes_it
            )
            .ranks(..=3)
            .hosts(..2),
            scenario!(faults::a_copy_is_not_continued_when_the_source_was_written_to_meanwhile)
                .ranks(..=3)
                .hosts(..2),
            scenario!(faults::a_note_that_is_not_of_this_copy_is_not_followed).hosts(..2),
            scenario!(
                memory::whichever_box_cannot_be_had_all_ranks_are_told_and_another_try_completes_the_copy
            )
            .ranks(..=3)
            .hosts(..2),
            scenario!(memory::a_copy_that_cannot_begin_leaves_the_target_as_it_was).ranks(..=3),
            scenario!(memory::a_comparison_gives_back_the_boxes_that_it_had_when_the_next_one_cannot_be_had)
                .ranks(..=3)
                .hosts(..2),
            scenario!(memory::what_the_system_counts_is_no_more_than_the_memory_that_was_given)
                .ranks(..=3)
                .hosts(..2),
            scenario!(under_way::a_copy_goes_on_when_it_is_asked_and_never_waits_for_a_disk).hosts(..2),
            scenario!(under_way::a_copy_with_a_single_box_goes_on_when_it_is_asked).hosts(..2),
            scenario!(under_way::a_copy_that_was_given_up_goes_on_within_a_template).hosts(..2),
            scenario!(under_way::a_copy_that_is_only_asked_meets_errors_as_one_that_is_waited_for).hosts(..2),
            scenario!(under_way::all_handles_of_a_target_tell_when_it_is_complete).hosts(..2),
            scenario!(under_way::a_target_that_is_replaced_meanwhile_is_an_error).hosts(..2),
            scenario!(under_way::a_source_that_is_written_to_meanwhile_is_an_error_as_long_as_it_is_read)
                .hosts(..2),
            scenario!(under_way::an_earlier_try_that_still_runs_ends_when_a_later_one_has_begun).hosts(..2),
            scenario!(under_way::a_target_that_is_half_done_is_written_by_nobody_else).hosts(..2),
            scenario!(under_way::what_tries_have_left_goes_where_the_target_is_made_anew).hosts(..2),
            scenario!(hosts::arrays_on_the_hosts_own_disks_are_re_blocked).hosts(2..),
            scenario!(hosts::hosts_that_have_noted_different_positions_go_on_from_the_earliest).hosts(2..),
        ])
}
