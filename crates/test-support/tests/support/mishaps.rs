//! Scenarios that misbehave, and a few that do not.

use std::process::{self, Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::Duration;
use std::{env, fs};

use test_support::{Suite, Variant, note_not_run, scenario, seed};

use crate::world::World;

/// Longer than any test waits.
const FOREVER: Duration = Duration::from_secs(300);

/// Sleeps without any file of the rank: MPICH's launcher would wait for who has its connection.
const SLEEPS_ALONE: &str =
    r#"for file in /proc/$$/fd/*; do file=${file##*/}; eval "exec $file>&-"; done; exec sleep 300"#;

pub(crate) fn suite() -> ExitCode {
    Suite::new(start)
        .place(World::place)
        .barrier(World::barrier)
        .abort(World::abort)
        .variant(Variant::named("default").set("MISHAPS_INNER", "default"))
        .variant(Variant::named("other").set("MISHAPS_INNER", "other").unset("MISHAPS_OUTER").hosts(..2))
        .ranks([1, 2])
        .ranks_per_host([1])
        .run(&[
            scenario!(passes),
            scenario!(passes_with_a_word),
            scenario!(is_not_run_on_the_last_rank),
            scenario!(panics_on_the_last_rank),
            scenario!(rank_0_sleeps_and_the_others_wait),
            scenario!(the_last_rank_exits_with_success),
            scenario!(the_last_rank_is_killed),
            scenario!(rank_0_leaves_a_process_behind),
            scenario!(rank_0_prints_megabytes_and_panics),
            scenario!(panics_with_its_seed),
            scenario!(the_variant_is_in_the_environment),
        ])
}

fn start() -> World {
    assert!(env::var_os("MISHAPS_START").is_none(), "it does not start");
    World::start()
}

fn is_last(world: &World) -> bool {
    world.rank() + 1 == world.ranks_count()
}

fn passes(world: &World) {
    world.barrier();
}

fn passes_with_a_word(_world: &World) {
    println!("the word");
}

fn is_not_run_on_the_last_rank(world: &World) {
    if is_last(world) {
        note_not_run(&"something\nis missing");
    }
}

fn panics_on_the_last_rank(world: &World) {
    assert!(!is_last(world), "two lines\nof a message");
    world.barrier();
}

fn rank_0_sleeps_and_the_others_wait(world: &World) {
    if world.rank() == 0 {
        env::var_os("MISHAPS_SIGN").inspect(|path| fs::write(path, "").expect("room for a file"));
        sleep(FOREVER);
    }
    world.barrier();
}

fn the_last_rank_exits_with_success(world: &World) {
    if is_last(world) {
        process::exit(0);
    }
    world.barrier();
}

fn the_last_rank_is_killed(world: &World) {
    if is_last(world) {
        let pid = process::id().to_string();
        Command::new("sh").args(["-c", "kill -KILL $0", &pid]).status().expect("a shell");
        sleep(FOREVER);
    }
    world.barrier();
}

fn rank_0_leaves_a_process_behind(world: &World) {
    if world.rank() == 0 {
        let mut command = Command::new("setsid");
        command.args(["bash", "-c", SLEEPS_ALONE]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // The launcher's test is that nobody waits for it.
        drop(command.spawn().expect("it starts"));
    }
}

fn rank_0_prints_megabytes_and_panics(world: &World) {
    if world.rank() == 0 {
        let line = "x".repeat(1000);
        (0..5000).for_each(|_| println!("{line}"));
        panic!("the last words");
    }
}

fn panics_with_its_seed(world: &World) {
    assert!(!is_last(world), "the seed is {}", seed());
    world.barrier();
}

fn the_variant_is_in_the_environment(_world: &World) {
    let (inner, outer) = (env::var("MISHAPS_INNER").expect("set"), env::var_os("MISHAPS_OUTER"));
    assert_eq!(outer.is_some(), inner == "default");
    assert!(["default", "other"].contains(&inner.as_str()), "{inner}");
}
