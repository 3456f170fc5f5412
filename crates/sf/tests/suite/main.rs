//! The MPI suite of shared files: every scenario over both backends, also side by side, striped and not, on 1 to 7 ranks and on two test hosts.

mod creating;
mod ending;
mod held;
mod in_turn;
mod limits;
mod many;
mod oracle;
mod panics;
mod space;
mod visibility;
mod world;

use std::env;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::time::Duration;
use test_support::{Suite, Variant, scenario};
use world::World;

/// Where the stripes of the striped variant are: two directories that all ranks see.
const STRIPES: [&str; 2] = [
    concat!(env!("CARGO_TARGET_TMPDIR"), "/sf-stripes-a"),
    concat!(env!("CARGO_TARGET_TMPDIR"), "/sf-stripes-b"),
];

/// Set where every second rank has another backend than the others.
const MIXED: &str = "CHEMIO_TEST_MIXED_BACKENDS";

/// The backend is chosen once in a process, before its first file, so a rank begins anew with its own.
fn take_own_backend() {
    let rank = ["OMPI_COMM_WORLD_RANK", "PMI_RANK"].into_iter().find_map(|name| env::var(name).ok());
    let is_even = rank.and_then(|rank| rank.parse::<usize>().ok()).is_some_and(|rank| rank % 2 == 0);
    if is_even && env::var_os(MIXED).is_some() && env::var_os("CHEMIO_BACKEND").is_none() {
        let myself = env::current_exe().expect("a program has a name");
        let error = Command::new(myself).args(env::args_os().skip(1)).env("CHEMIO_BACKEND", "pread").exec();
        panic!("{error}: running this program once more");
    }
}

fn main() -> ExitCode {
    take_own_backend();
    for directory in STRIPES {
        std::fs::create_dir_all(directory).expect("room for a directory");
    }
    Suite::new(World::start)
        .place(|world| (world.rank(), world.ranks()))
        .barrier(World::barrier)
        .time_limit(Duration::from_secs(300))
        .variant(Variant::named("chosen").unset("CHEMIO_SF_DIRS"))
        .variant(Variant::named("mixed").unset("CHEMIO_SF_DIRS").set(MIXED, "1").hosts(..2))
        .variant(Variant::named("striped").set("CHEMIO_SF_DIRS", &STRIPES.join(":")))
        .variant(
            Variant::named("mixed-striped")
                .set("CHEMIO_SF_DIRS", &STRIPES.join(":"))
                .set(MIXED, "1")
                .hosts(..2),
        )
        .run(&[
            scenario!(oracle::random_operations_of_all_ranks_agree_with_a_plain_vector),
            scenario!(visibility::what_a_rank_has_waited_for_every_rank_reads),
            scenario!(visibility::neighbouring_records_of_ranks_do_not_disturb_each_other),
            scenario!(visibility::a_rank_reads_again_what_another_has_changed),
            scenario!(visibility::other_programs_and_policies_see_the_same_bytes),
            // Each host has a page cache of its own, and sees only the turns of its own ranks.
            scenario!(in_turn::what_ranks_read_in_turn_goes_through_the_page_cache).hosts(..2),
            // Each host has memory of its own.
            scenario!(held::who_waits_first_hands_over_what_all_have_beside_it).hosts(..2),
            scenario!(held::what_is_held_comes_before_what_its_rank_does_next),
            scenario!(held::a_hole_before_what_is_held_is_zeros),
            scenario!(held::what_is_held_of_a_file_that_is_destroyed_ends_well),
            scenario!(held::nothing_is_lost_where_ranks_end_one_after_the_other),
            scenario!(limits::the_end_is_where_any_rank_has_written_farthest),
            scenario!(limits::a_write_beyond_the_hard_limit_is_refused_by_name),
            scenario!(limits::the_soft_limit_reserves_space_and_no_length),
            scenario!(limits::a_soft_limit_without_space_fails_everywhere_and_leaves_nothing),
            scenario!(limits::a_file_that_is_found_needs_no_space_for_its_soft_limit),
            scenario!(limits::a_closed_file_and_one_for_reading_refuse_what_they_must),
            scenario!(creating::ranks_that_disagree_are_all_told_who),
            scenario!(creating::ranks_may_give_different_hints),
            scenario!(creating::a_hard_limit_that_one_rank_does_not_give_limits_no_other),
            scenario!(creating::a_link_that_leads_nowhere_yet_is_where_the_file_is_made),
            scenario!(creating::what_cannot_be_made_is_the_same_error_everywhere),
            scenario!(creating::a_file_is_found_again_with_other_hints),
            scenario!(creating::a_plain_file_stays_one_and_a_described_one_is_found),
            scenario!(creating::a_description_that_makes_no_sense_is_refused_and_kept),
            scenario!(creating::names_of_one_kind_in_two_directories_are_two_files),
            scenario!(creating::a_directory_of_one_host_is_recognised).hosts(2..),
            scenario!(creating::a_rank_in_another_working_directory_is_told_what_it_finds_there).hosts(..2),
            scenario!(ending::requests_under_way_outlive_the_file),
            scenario!(ending::a_file_that_was_given_up_is_kept),
            scenario!(ending::a_file_that_somebody_else_removed_is_destroyed),
            scenario!(ending::another_file_that_has_the_name_now_stays),
            scenario!(creating::a_file_whose_stripes_are_gone_says_which_name_is_to_be_removed),
            scenario!(
                panics::a_panic_where_one_rank_opens_what_is_made_is_an_error_everywhere_and_leaves_nothing
            ),
            scenario!(panics::a_panic_where_rank_0_finds_a_file_is_an_error_everywhere_and_leaves_it),
            scenario!(panics::a_panic_where_rank_0_removes_is_an_error_everywhere_and_others_can_be_made),
            scenario!(space::no_space_is_reserved_beyond_the_hard_limit),
            scenario!(space::a_file_that_all_give_up_at_once_keeps_no_more_space_than_it_needs).hosts(..2),
            scenario!(space::what_ranks_that_were_killed_had_reserved_is_given_back_when_the_file_is_found),
            scenario!(many::a_thousand_files_are_open_at_once).ranks(..=4).hosts(..2),
            // Last: it leaves a process that may have no more right to open many files.
            scenario!(creating::a_rank_that_cannot_open_is_the_error_of_all).hosts(..2),
        ])
}
