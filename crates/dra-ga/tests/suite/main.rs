//! The MPI suite of disk-resident arrays: every scenario with arrays in node shared memory, which a thread moves, and over RMA,
//! where whoever waits does it, on 1 to 7 ranks and on two test hosts.

mod arguments;
mod cores;
mod damage;
mod faults;
mod helping;
mod hooked;
mod hosts;
mod lifetime;
mod memory;
mod oracle;
mod panics;
mod serving;
mod straight;
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
            scenario!(oracle::random_transfers_agree_with_a_plain_array),
            scenario!(oracle::narrow_sections_of_long_rows_agree_with_a_plain_array),
            scenario!(oracle::bricks_of_more_than_the_memory_agree_with_a_plain_array).ranks(..=3),
            scenario!(oracle::pieces_of_a_brick_that_meet_in_a_page_keep_each_others_elements).ranks(..=3),
            scenario!(oracle::a_piece_that_a_helper_copies_does_not_undo_the_one_after_it).ranks(..=3),
            scenario!(oracle::transfers_that_overlap_in_bricks_come_in_order),
            scenario!(oracle::what_is_before_a_section_in_its_first_page_is_kept),
            scenario!(oracle::what_transfers_of_a_new_array_leave_of_their_bricks_is_kept),
            scenario!(oracle::large_arrays_go_through_many_bricks_and_shards),
            scenario!(arguments::a_mistake_of_one_rank_is_the_error_of_all),
            scenario!(arguments::ranks_that_want_different_transfers_are_all_told),
            scenario!(arguments::an_array_is_used_as_it_was_opened),
            scenario!(arguments::arrays_that_cannot_be_are_refused),
            scenario!(arguments::ranks_of_a_host_that_see_different_directories_are_told).hosts(..2),
            scenario!(cores::the_thread_for_transfers_keeps_to_one_core_where_ranks_have_all)
                .ranks(..=2)
                .hosts(..2),
            scenario!(damage::what_is_no_array_is_the_same_error_everywhere),
            scenario!(damage::a_damaged_shard_is_an_error_of_the_wait_on_every_rank),
            scenario!(damage::arrays_of_other_programs_are_read_and_written),
            scenario!(faults::a_failing_operation_is_an_error_on_every_rank_and_the_array_stays_whole)
                .ranks(..=3)
                .hosts(..2),
            scenario!(faults::an_array_that_stops_being_written_at_any_operation_opens)
                .ranks(..=3)
                .hosts(..2),
            scenario!(faults::transfers_that_are_cut_short_are_whole).hosts(..2),
            scenario!(faults::a_full_disk_says_how_much_was_asked_for_and_another_try_succeeds).hosts(..2),
            scenario!(faults::parts_of_bricks_that_nobody_has_written_are_written_without_reading).hosts(..2),
            scenario!(faults::whole_bricks_are_moved_once_and_nothing_is_read_to_write_them).hosts(..2),
            scenario!(helping::who_waits_copies_beside_the_thread_for_transfers).ranks(..=2).hosts(..2),
            scenario!(helping::a_panic_of_who_waits_and_fills_is_the_error_of_every_rank)
                .ranks(..=2)
                .hosts(..2),
            scenario!(
                helping::a_write_that_fails_after_who_waits_has_filled_it_is_told_and_can_be_made_again
            )
            .ranks(..=1)
            .hosts(..2),
            scenario!(helping::with_help_transfers_that_overlap_in_bricks_come_in_order).ranks(..=3),
            scenario!(hosts::an_array_on_the_hosts_own_disks_is_one_array).hosts(2..),
            scenario!(hosts::a_part_that_is_missing_is_told_by_its_number).hosts(2..),
            scenario!(hosts::arrays_that_hosts_have_made_by_themselves_are_not_taken_for_one).hosts(2..),
            scenario!(hosts::an_array_that_one_host_cannot_replace_stays_on_all).hosts(2..),
            scenario!(hosts::an_array_whose_making_was_killed_between_hosts_gets_its_other_parts).hosts(2..),
            scenario!(hosts::parts_that_are_collected_in_one_directory_are_the_array).hosts(2..),
            scenario!(lifetime::closing_waits_for_what_is_under_way),
            scenario!(lifetime::an_array_in_memory_may_go_before_the_wait),
            scenario!(lifetime::an_array_is_replaced_and_deleted),
            scenario!(lifetime::attributes_are_seen_by_all_ranks),
            scenario!(lifetime::what_is_done_by_another_handle_is_noticed),
            scenario!(lifetime::handles_of_one_array_write_side_by_side),
            scenario!(lifetime::hundreds_of_requests_are_outstanding),
            scenario!(memory::buffers_stay_within_what_was_given_or_two_bricks),
            scenario!(memory::a_transfer_takes_no_more_memory_than_its_buffers).ranks(..=1).hosts(..2),
            scenario!(memory::io_processes_are_those_asked_for),
            scenario!(serving::ranks_that_wait_serve_those_that_do_not_yet),
            scenario!(straight::what_is_in_one_piece_is_read_straight_to_huge_pages).ranks(..=1).hosts(..2),
            scenario!(straight::what_is_read_straight_and_what_is_not_take_turns_in_little_memory)
                .ranks(..=1)
                .hosts(..2),
            scenario!(panics::a_panic_at_any_access_is_an_error_on_every_rank_and_later_transfers_work)
                .ranks(..=2),
            scenario!(panics::a_panic_at_any_access_by_whoever_waits_is_an_error_too).ranks(..=2),
        ])
}
