//! The launcher itself: every way in which a job can go wrong is noticed, reported and cleaned up, under whichever MPI this was
//! built with, on one host and on two.
//!
//! This binary is both sides: a suite of scenarios that misbehave, when `MISHAPS` is set, and otherwise the tests, which run
//! that suite and look at what its launcher says and leaves behind.

#[path = "support/mishaps.rs"]
mod mishaps;
#[path = "support/run.rs"]
mod run;
#[path = "support/world.rs"]
#[allow(dead_code, reason = "shared with a suite that needs more of it")]
mod world;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use run::{Run, Suite};
use test_support::TwoHosts;

const ONE_HOST: &str = "--variant default --ranks 3 --hosts 1";
const TWO_HOSTS: &str = "--variant default --ranks 4 --hosts 2";

/// A test that is made both on one host and on two: it gets the options that say so.
type OnHosts = fn(&str);

fn main() -> ExitCode {
    if run::is_the_suite() {
        return mishaps::suite();
    }
    let unavailable = TwoHosts::new().err();
    let requires_all = std::env::var_os("CHEMIO_TEST_REQUIRE_ALL").is_some_and(|value| !value.is_empty());
    let leaves_out = unavailable.is_some() && !requires_all;
    if let Some(why) = unavailable.filter(|_| leaves_out) {
        println!("not run: the tests named two_hosts: {why}");
    }
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials(leaves_out));
    match (conclusion.has_failed(), leaves_out) {
        (true, _) => ExitCode::from(101),
        (false, true) => ExitCode::from(77),
        (false, false) => ExitCode::SUCCESS,
    }
}

fn trials(leaves_two_hosts_out: bool) -> Vec<Trial> {
    let both: [(&str, OnHosts); 5] = [
        ("a_panic_on_one_rank_ends_all_at_once_and_is_reported", panic_ends_all),
        ("a_launch_that_hangs_is_ended_with_all_its_processes", hang_is_ended),
        ("a_rank_that_exits_early_with_success_is_a_failure", early_exit_is_a_failure),
        ("a_rank_that_is_killed_is_a_failure", killed_rank_is_a_failure),
        ("a_launcher_that_is_killed_takes_all_its_processes_with_it", killed_launcher_leaves_nothing),
    ];
    let one: [(&str, fn()); 9] = [
        ("a_panic_while_starting_is_reported", panic_while_starting),
        ("a_process_that_outlives_the_job_is_a_failure_and_is_ended", outliving_process),
        ("what_is_shown_of_the_output_is_bounded", output_is_bounded),
        ("a_failure_names_the_seed_and_the_seed_reaches_all_ranks", seed_is_named_and_used),
        ("what_passed_is_a_table_and_what_was_not_asked_for_is_not_run", table_of_what_passed),
        ("what_a_scenario_has_not_run_is_no_pass", scenario_not_run),
        ("without_the_rights_two_hosts_are_not_run_and_no_pass", two_hosts_without_rights),
        ("scenarios_can_be_listed_and_wrong_use_has_its_own_status", list_and_wrong_use),
        ("variants_set_and_unset_the_environment_of_the_ranks", variants_reach_the_ranks),
    ];
    let two: [(&str, fn()); 4] = [
        ("two_hosts_differ_in_name_memory_and_local_files", hosts_differ),
        ("two_hosts_vanish_with_their_value", hosts_vanish),
        ("two_hosts_twice_at_the_same_time_do_not_meet", hosts_do_not_meet),
        ("two_hosts_count_what_crosses_the_cable", hosts_count_bytes),
    ];
    let on = |run: OnHosts, layout: &'static str| move || passes(|| run(layout));
    let mut trials = Vec::new();
    for (name, run) in both {
        trials.push(Trial::test(name, on(run, ONE_HOST)));
        let on_two = Trial::test(format!("two_hosts_{name}"), on(run, TWO_HOSTS));
        trials.push(on_two.with_ignored_flag(leaves_two_hosts_out));
    }
    trials.extend(one.map(|(name, run)| Trial::test(name, move || passes(run))));
    trials.extend(
        two.map(|(name, run)| Trial::test(name, move || passes(run)).with_ignored_flag(leaves_two_hosts_out)),
    );
    trials
}

/// A trial fails by panicking, like any test.
#[expect(clippy::unnecessary_wraps, reason = "what a trial is made of")]
fn passes(test: impl FnOnce()) -> Result<(), Failed> {
    test();
    Ok(())
}

// One host and two.

fn panic_ends_all(layout: &str) {
    let found = Suite::run(&format!("panics_on_the_last_rank {layout}"));
    found.failed_with("panicked in panics_on_the_last_rank: two lines\nof a message");
    found.says("--variant default");
    found.does_not_say("did not end with it");
    found.left_nothing();
    assert!(found.took < Duration::from_secs(60), "{:?}", found.took);
}

fn hang_is_ended(layout: &str) {
    let found = Suite::run(&format!("rank_0_sleeps_and_the_others_wait {layout} --timeout 4"));
    found.failed_with("not over after 4 s");
    found.says("rank 0 was in rank_0_sleeps_and_the_others_wait for ");
    found.says("rank 2 was in rank_0_sleeps_and_the_others_wait for ");
    found.left_nothing();
}

fn early_exit_is_a_failure(layout: &str) {
    let found = Suite::run(&format!("the_last_rank_exits_with_success {layout} --timeout 20"));
    assert_eq!(found.status, Some(1), "{found}");
    found.says("FAILED");
    found.says("was in the_last_rank_exits_with_success for ");
    found.left_nothing();
}

fn killed_rank_is_a_failure(layout: &str) {
    let found = Suite::run(&format!("the_last_rank_is_killed {layout} --timeout 20"));
    found.failed_with("the job ended with ");
    found.left_nothing();
}

fn killed_launcher_leaves_nothing(layout: &str) {
    let directory = tempfile::tempdir().expect("a directory");
    let sign = directory.path().join("here");
    let mut suite = Suite::new(&format!("rank_0_sleeps_and_the_others_wait {layout} --timeout 60"));
    suite.env("MISHAPS_SIGN", &sign);
    suite.env("TMPDIR", directory.path()); // where its files are left: nobody is there to remove them
    let mut running = suite.start();
    wait_until("rank 0 is there", || sign.exists());
    assert!(running.processes_count() > 4, "launcher, mpirun and three ranks at least");
    running.kill();
    wait_until("all processes are gone", || running.processes_count() == 0);
}

// One host.

fn panic_while_starting() {
    let mut suite = Suite::new("passes --variant default --ranks 2 --hosts 1");
    suite.env("MISHAPS_START", "panics");
    let found = suite.run_to_end();
    found.failed_with("panicked in no scenario: it does not start");
    found.left_nothing();
}

fn outliving_process() {
    let found = Suite::run("rank_0_leaves_a_process_behind --variant default --ranks 2 --hosts 1");
    found.failed_with("1 processes outlived the job");
    found.left_nothing();
}

fn output_is_bounded() {
    let found = Suite::run("rank_0_prints_megabytes_and_panics --variant default --ranks 1 --hosts 1");
    found.failed_with("panicked in rank_0_prints_megabytes_and_panics");
    found.says("[...]\n");
    found.says("the last words");
    assert!(found.output.len() < 64 << 10, "{} bytes", found.output.len());
    let passed = Suite::run("passes_with_a_word --variant default --ranks 1 --hosts 1");
    passed.passed();
    passed.does_not_say("the word");
    let shown = Suite::run("passes_with_a_word --variant default --ranks 1 --hosts 1 --nocapture");
    shown.says("the word");
}

fn seed_is_named_and_used() {
    let found = Suite::run("panics_with_its_seed --variant default --ranks 3 --hosts 1 --seed 4711");
    found.failed_with("the seed is 4711");
    found.says("--seed 4711");
    let mut suite = Suite::new("panics_with_its_seed --variant default --ranks 3 --hosts 1");
    suite.env("CHEMIO_TEST_SEED", "4712");
    suite.run_to_end().failed_with("the seed is 4712");
}

fn table_of_what_passed() {
    let found = Suite::run("passes --ranks 1,2 --hosts 1 --variant default");
    found.passed();
    found.says("passed   default      1 rank                  2 scenarios");
    found.says("passed   default      2 ranks                 2 scenarios");
    found.says("launches passed 2 (scenarios 4), failed 0, not run 0\n");
    let none = Suite::run("there_is_no_such_scenario");
    none.passed();
    none.says("launches passed 0 (scenarios 0), failed 0, not run 0\n");
}

fn scenario_not_run() {
    let alone = Suite::run("is_not_run --ranks 1 --hosts 1 --variant default");
    assert_eq!(alone.status, Some(77), "{alone}");
    alone.does_not_say("passed   ");
    alone.says("launches passed 0 (scenarios 0), failed 0, not run 0 (scenarios 1)\n");
    let mut among_others = Suite::new("is_not_run passes --ranks 2 --hosts 1 --variant default");
    let found = among_others.run_to_end();
    assert_eq!(found.status, Some(77), "{found}");
    found.says("passed   default      2 ranks                 2 scenarios");
    found.says("scenario : is_not_run_on_the_last_rank: something\nis missing\n");
    found.says("launches passed 1 (scenarios 2), failed 0, not run 0 (scenarios 1)\n");
    among_others.env("CHEMIO_TEST_REQUIRE_ALL", "1");
    among_others.run_to_end().failed_with("not run: something");
}

fn two_hosts_without_rights() {
    let tools = tempfile::tempdir().expect("a directory");
    script(
        &tools.path().join("unshare"),
        "echo 'unshare: unshare failed: Operation not permitted' >&2; exit 1",
    );
    let path = format!("{}:{}", tools.path().display(), std::env::var("PATH").expect("a PATH"));
    let mut suite = Suite::new("passes --exact --ranks 2 --variant default");
    suite.env("PATH", &path);
    let found = suite.run_to_end();
    assert_eq!(found.status, Some(77), "{found}");
    found.says("making a test host: unshare: unshare failed: Operation not permitted");
    found.says("launches passed 1 (scenarios 1), failed 0, not run 1\n");
    suite.env("CHEMIO_TEST_REQUIRE_ALL", "1");
    assert_eq!(suite.run_to_end().status, Some(1));
}

fn list_and_wrong_use() {
    let list = Suite::run("passes --list");
    assert_eq!((list.status, list.output.as_str()), (Some(0), "passes: test\npasses_with_a_word: test\n"));
    for line in ["--variant unheard_of", "--ranks 0", "--unheard-of"] {
        assert_eq!(Suite::run(line).status, Some(2), "{line}");
    }
}

fn variants_reach_the_ranks() {
    let mut suite = Suite::new("the_variant_is_in_the_environment --ranks 2 --hosts 1");
    suite.env("MISHAPS_OUTER", "set");
    let found = suite.run_to_end();
    found.passed();
    found.says("launches passed 2 ");
}

// Two hosts.

fn hosts_differ() {
    let (local, shared) =
        (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let hosts = TwoHosts::with_local_dir(local.path()).expect("two hosts");
    let shell = |host: usize, script: &str| said(&hosts, host, script, &[local.path(), shared.path()]);
    assert_eq!([shell(0, "hostname"), shell(1, "hostname")], ["test-host-a", "test-host-b"]);
    shell(0, "touch /dev/shm/of-a $1/of-a $2/of-a");
    assert_eq!(shell(0, "ls /dev/shm $1 $2 | grep -c of-a"), "3");
    assert_eq!(shell(1, "ls /dev/shm $1; ls $2"), format!("/dev/shm:\n\n{}:\nof-a", local.path().display()));
    assert!(!Path::new("/dev/shm/of-a").exists(), "what a host has in shared memory is its own");
}

fn hosts_vanish() {
    let hosts = TwoHosts::new().expect("two hosts");
    let namespace = |host| said(&hosts, host, "readlink /proc/self/ns/net", &[]);
    let namespaces = [namespace(0), namespace(1)];
    assert_ne!(namespaces[0], namespaces[1]);
    assert!(namespaces.iter().all(|namespace| is_in_use(namespace)), "the hosts are there");
    drop(hosts);
    assert!(!namespaces.iter().any(|namespace| is_in_use(namespace)), "nobody is left to keep the hosts");
}

fn hosts_do_not_meet() {
    let start = || Suite::new("passes --exact --ranks 4 --hosts 2 --variant default").start();
    let running = [start(), start()];
    for suite in running {
        let found: Run = suite.wait();
        found.passed();
        found.left_nothing();
    }
}

fn hosts_count_bytes() {
    let hosts = TwoHosts::new().expect("two hosts");
    let before = hosts.link_bytes(0).expect("counted");
    // Datagrams that nobody receives: they cross the cable all the same.
    said(&hosts, 0, "for i in 1 2 3 4; do head -c 1000 /dev/zero > /dev/udp/10.77.0.2/9; done", &[]);
    let after = hosts.link_bytes(0).expect("counted");
    let other = hosts.link_bytes(1).expect("counted");
    assert!(after.sent - before.sent >= 4000, "{before:?} {after:?}");
    assert!(other.received >= after.sent, "{after:?} {other:?}");
}

/// What a shell prints on a host; it has the paths as arguments.
fn said(hosts: &TwoHosts, host: usize, script: &str, paths: &[&Path]) -> String {
    let output =
        hosts.command(host, "bash").args(["-c", script, "bash"]).args(paths).output().expect("a shell");
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// Whether a process is in this network namespace.
fn is_in_use(namespace: &str) -> bool {
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    processes
        .filter_map(|process| fs::read_link(process.path().join("ns/net")).ok())
        .any(|link| link.to_string_lossy() == namespace)
}

fn script(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("room for a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < Duration::from_secs(20), "not within 20 s: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
