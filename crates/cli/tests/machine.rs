//! `doctor`, `bench`, completions and manual pages.

mod support;

use serde_json::json;
use support::{arguments, done, facts, names};

#[test]
fn doctor_says_what_there_is_and_leaves_nothing_behind() {
    let scratch = tempfile::tempdir().unwrap();
    let found = facts(arguments!["doctor", "--json", scratch.path()]);
    let findings = found["findings"].as_array().unwrap();
    for what in [
        "kernel",
        "io_uring",
        "file system",
        "direct I/O",
        "space",
        "locked memory",
        "open files",
        "MPI launcher",
    ] {
        let finding =
            findings.iter().find(|finding| finding["what"] == what).unwrap_or_else(|| panic!("{what}"));
        assert!(!finding["found"].as_str().unwrap().is_empty());
        assert_eq!(finding["well"].as_bool().unwrap(), finding["advice"].is_null());
    }
    assert!(done(arguments!["doctor", scratch.path()]).contains("io_uring"));
    assert!(names(scratch.path()).is_empty());
}

#[test]
fn doctor_knows_that_io_uring_is_switched_off() {
    let scratch = tempfile::tempdir().unwrap();
    let output =
        support::command().arg("doctor").arg(scratch.path()).env("CHEMIO_BACKEND", "pread").output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("->"));
}

#[test]
fn bench_measures_and_leaves_nothing_behind() {
    let scratch = tempfile::tempdir().unwrap();
    let found = facts(arguments!["bench", "--json", "--size", "2", scratch.path()]);
    let results = found["results"].as_array().unwrap();
    assert_eq!((results.len(), &found["bytes"]), (6, &json!(2 << 20)));
    assert!(results.iter().all(|result| result["bytes_per_second"].as_f64().unwrap() > 0.0));
    assert!(results.iter().filter(|result| result["ratio_to_limit"].is_number()).count() == 4);
    assert!(names(scratch.path()).is_empty());
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let scratch = tempfile::tempdir().unwrap();
    let help = done(&["--help"]);
    done(arguments!["manual", scratch.path()]);
    let pages = names(scratch.path());
    for command in
        ["info", "ls", "stats", "cp", "mv", "rm", "verify", "export", "import", "plot", "bench", "doctor"]
    {
        assert!(help.contains(&format!("  {command} ")), "{command}");
        assert!(pages.contains(&format!("chemio-{command}.1")), "{command}");
        assert!(done(&[command, "--help"]).contains("Examples:"), "{command}");
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(done(&["completions", shell]).contains("verify"), "{shell}");
    }
}
