//! `doctor`, `bench`, completions and manual pages.

mod support;

use disk_array::{ArrayDirectory, DataType};
use serde_json::json;
use support::{Ran, arguments, done, facts, names};

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
    let found = facts(arguments!["bench", "--json", "--size", "3", scratch.path()]);
    let results = found["results"].as_array().unwrap();
    assert_eq!((results.len(), &found["bytes"]), (7, &json!(2 << 20)));
    assert!(results.iter().all(|result| result["bytes_per_second"].as_f64().unwrap() > 0.0));
    assert!(results.iter().filter(|result| result["ratio_to_limit"].is_number()).count() == 4);
    assert!(names(scratch.path()).is_empty());
    // What it says of the device is understood by those that it is for.
    let array = scratch.path().join("array");
    support::make(&array, &[97, 101], &[10, 16], DataType::Float64);
    let plan = |device: &str| {
        let mut command = support::command();
        command.args(["plan", "--explain", "--brick", "97,1"]).arg(&array).env("CHEMIO_DEVICE", device);
        Ran::of(&command.output().unwrap())
    };
    let device = found["device"].as_str().unwrap();
    assert_eq!(plan(device).status, Some(0), "{device}");
    let told = plan("write=123");
    assert!(told.out.contains("2000 MB/s read, 123 MB/s written"), "{told:?}");
    let refused = plan("write=fast");
    assert!(refused.status == Some(2) && refused.err.contains("write=MB"), "{refused:?}");
}

#[test]
fn what_the_command_asks_of_files_is_counted_and_told_where_that_is_wanted() {
    let scratch = tempfile::tempdir().unwrap();
    let array = scratch.path().join("array");
    support::make(&array, &[97, 101], &[10, 16], DataType::Float64);
    let told = |variable: &str, value: &std::path::Path| {
        let mut command = support::command();
        let ran = Ran::of(&command.arg("stats").arg(&array).env(variable, value).output().unwrap());
        assert_eq!(ran.status, Some(0), "{ran:?}");
        ran.err
    };
    let table = told("CHEMIO_STATS", "1".as_ref());
    assert!(table.lines().all(|line| line.starts_with("chemio: ")), "{table}");
    let kinds = |line: &str| line.split_whitespace().nth(2).map(str::to_owned);
    let sums: Vec<_> = table.lines().filter(|line| line.contains(" sum ")).filter_map(kinds).collect();
    assert!(sums.contains(&"aread".to_owned()), "{table}");
    let file = scratch.path().join("counts.json");
    assert_eq!(told("CHEMIO_STATS", &file), "");
    let counts: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let files = counts["ranks"][0]["files"].as_array().unwrap();
    let shards = ArrayDirectory::open(&array).unwrap().layout().shards_count();
    assert!(files.len() as u64 == shards && files.iter().all(|file| file["cache"] == "auto"), "{counts}");
    let bytes = |file: &serde_json::Value| file["aread"]["bytes"].as_u64().unwrap();
    assert!(files.iter().map(bytes).sum::<u64>() >= 97 * 101 * 8, "{counts}");
    assert_eq!(counts["sum"]["aread"]["bytes"], files.iter().map(bytes).sum::<u64>());
    assert!(told("CHEMIO_LOG", "debug".as_ref()).contains("open"));
    assert_eq!(told("CHEMIO_STATS", "0".as_ref()), "", "nothing is said unless it is asked for");
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let scratch = tempfile::tempdir().unwrap();
    let help = done(&["--help"]);
    done(arguments!["manual", scratch.path()]);
    let pages = names(scratch.path());
    for command in [
        "info", "ls", "stats", "cp", "mv", "rm", "verify", "export", "import", "plot", "plan", "reblock",
        "bench", "doctor",
    ] {
        assert!(help.contains(&format!("  {command} ")), "{command}");
        assert!(pages.contains(&format!("chemio-{command}.1")), "{command}");
        assert!(done(&[command, "--help"]).contains("Examples:"), "{command}");
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(done(&["completions", shell]).contains("verify"), "{shell}");
    }
}
