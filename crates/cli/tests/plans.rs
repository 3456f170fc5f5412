//! `plan` on real arrays.

mod support;

use disk_array::{ArrayDirectory, ArraySpec, BrickShape, Bricks, DataType};
use serde_json::json;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use support::{Ran, arguments, command, done, facts, make, refused, refused_by, run};

/// 16384 x 16384 doubles in rows of 1 MiB: a directory with holes.
fn rows(path: &Path) {
    let mut spec = ArraySpec::new(&[16384, 16384], DataType::Float64).unwrap();
    spec.bricks = Bricks::Exact(BrickShape::exact(&[8, 16384]).unwrap());
    ArrayDirectory::create(path, &spec).unwrap();
}

#[test]
fn a_plan_says_what_is_read_and_written_and_stays_within_memory() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("rows");
    rows(&path);
    let found = facts(arguments!["plan", "--json", &path, "--brick", "4096,32", "--memory", "64"]);
    assert_eq!(found["passes"].as_array().unwrap().len(), 1, "{found}");
    let pass = &found["passes"][0];
    assert_eq!((&pass["from"], &pass["to"]), (&json!([8, 16384]), &json!([4096, 32])));
    assert_eq!(pass["read_bytes"], json!(16384_u64 * 16384 * 8), "everything is read once");
    assert_eq!(pass["written_bytes"], pass["read_bytes"]);
    assert!(found["memory_bytes"].as_u64().unwrap() <= 64_000_000, "{found}");
    let text = done(arguments!["plan", &path, "--brick", "4096,32", "--memory", "64", "--explain"]);
    assert!(text.contains("4096x32") && text.contains("candidates were looked at"), "{text}");
}

#[test]
fn the_order_of_dimensions_is_that_of_the_target() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("rows");
    rows(&path);
    let found =
        facts(arguments!["plan", "--json", &path, "--brick", "32,4096", "--order", "1,0", "--ranks", "4"]);
    assert_eq!(found["passes"][0]["to"], json!([4096, 32]), "as the source calls them: {found}");
    let said = "in the source's order; in its own the target has bricks of 32 x 4096.\n";
    let text = done(arguments!["plan", &path, "--brick", "32,4096", "--order", "1,0"]);
    assert!(text.contains(said), "{text}");
    let text = done(arguments!["plan", &path, "--brick", "32,4096", "--order", "0,1"]);
    assert!(!text.contains("source's order"), "{text}");
    assert!(done(arguments!["plan", "--help"]).contains("order of dimensions, also with --order"));
}

#[test]
fn programs_are_told_what_people_are() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("rows");
    rows(&path);
    let words = ["--brick", "32,4096", "--order", "1,0", "-n", "4"].map(OsString::from);
    let with = |more: &[&str]| {
        let words = ["plan".into(), path.clone().into()].into_iter().chain(words.clone());
        words.chain(more.iter().map(OsString::from)).collect::<Vec<OsString>>()
    };
    let found = facts(&with(&["--json"]));
    assert_eq!((&found["ranks"], &found["io_processes"]), (&json!(4), &json!(2)), "{found}");
    assert_eq!(found["permutation"], json!([1, 0]));
    assert_eq!(found["buffers_bytes_of_io_process"], json!(16 << 20));
    assert_eq!(found["memory_given_bytes"], json!(512_000_000));
    assert_eq!(found["memory_planned_bytes"], found["memory_given_bytes"]);
    assert_eq!(found["needs_more_memory"], false);
    let text = done(&with(&[]));
    assert!(
        text.contains(" on 4 ranks, 2 of them for I/O") && text.contains("Besides, 16.8 MB for"),
        "{text}"
    );
    assert!(!text.contains("more than is given"), "{text}");
    // Too little for bricks of a mebibyte.
    let found = facts(&with(&["--json", "--memory", "1"]));
    assert_eq!((&found["memory_given_bytes"], &found["needs_more_memory"]), (&json!(999_424), &json!(true)));
    let text = done(&with(&["--memory", "1"]));
    assert!(
        found["memory_planned_bytes"].as_u64() > Some(8 << 20) && text.contains("more than is given"),
        "{text}"
    );
}

#[test]
fn settings_that_the_copy_would_be_refused_for_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("rows");
    rows(&path);
    let with = |name: &str, value: &str| {
        let mut command = command();
        refused_by(command.arg("plan").arg(&path).args(["--brick", "4096,32"]).env(name, value))
    };
    let settings = [("BACKEND", "foo"), ("BUFFER_MB", "0"), ("BUFFER_MB", "x"), ("BUFFER_MB", "70000")];
    for (name, value) in settings.map(|(name, value)| (format!("CHEMIO_{name}"), value)) {
        let line = with(&name, value);
        assert!(line.contains(&format!("{name}={value} is not understood: expected ")), "{line}");
    }
    let line = with("CHEMIO_DEVICE", "read=x");
    assert!(line.starts_with("chemio: CHEMIO_DEVICE: \"read=x\" says nothing"), "{line}");
    // An option counts before the variable, which is not to blame then.
    let mut option = command();
    option.arg("plan").arg(&path).args(["--device", "read=1,read=2000"]).env("CHEMIO_DEVICE", "read=x");
    let line = refused_by(&mut option);
    assert!(line.starts_with("chemio: \"read=1,read=2000\" says nothing"), "{line}");
}

#[test]
fn a_mistake_is_one_line() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("rows");
    rows(&path);
    refused(arguments!["plan", scratch.path(), "--brick", "8,8"]);
    for bad in [&["--brick", "8"][..], &["--brick", "8,0"], &["--brick", "8,8", "--order", "0,0"]] {
        let line = refused(&[&["plan", path.to_str().unwrap()], bad].concat());
        assert!(line.len() < 300, "{line}");
    }
    // More that read and write than there are.
    let line = refused(arguments![
        "plan",
        &path,
        "--brick",
        "16384,16384",
        "--memory",
        "1",
        "--ranks",
        "2",
        "--io-processes",
        "3"
    ]);
    assert!(line.contains('3') && line.contains('2'), "{line}");
}

#[test]
fn bricks_larger_than_the_array_are_shown_as_the_target_has_them_with_what_they_take_on_disk() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("column");
    make(&path, &[300, 1], &[300, 1], DataType::Float64);
    let found = facts(arguments!["plan", "--json", &path, "--brick", "10,5000"]);
    assert_eq!(found["passes"][0]["to"], json!([10, 5000]), "{found}");
    // Bricks of 400,000 bytes begin at pages; then an index.
    assert_eq!(found["target_disk_bytes"], json!(30 * 401_408 + 30 * 16 + 4));
    let text = done(arguments!["plan", &path, "--brick", "10,5000"]);
    assert!(text.contains("  10x5000  "), "{text}");
    let line = "\nThe target takes 12.0 MB on disk, of which elements are 2.40 kB: 30 bricks of 10 x 5000, 401 kB each.\n";
    assert!(text.contains(line), "{text}");
    // In its own order of dimensions there.
    let turned = done(arguments!["plan", &path, "--brick", "5000,10", "--order", "1,0"]);
    assert!(turned.contains("  10x5000  ") && turned.contains("30 bricks of 5000 x 10, "), "{turned}");
    // What takes no more than twice its elements is told to programs alone.
    let words = arguments!["plan", &path, "--brick", "300,1", "--json"];
    assert_eq!(facts(words)["target_disk_bytes"], json!(4096 + 16 + 4));
    rows(&scratch.path().join("rows"));
    let text = done(arguments!["plan", scratch.path().join("rows"), "--brick", "4096,32"]);
    assert!(!text.contains("on disk, of which"), "{text}");
}

/// The command as rank `rank` of `size`.
fn ranked(rank: &str, size: Option<&str>, path: &Path, words: &[&str]) -> Command {
    let mut command = command();
    command.arg("plan").arg(path).args(["--brick", "4096,32", "--memory", "64"]).args(words);
    command.env("PMI_RANK", rank);
    if let Some(size) = size {
        command.env("PMI_SIZE", size);
    }
    command
}

fn ran(mut command: Command) -> Ran {
    Ran::of(&command.output().expect("it runs"))
}

#[test]
fn under_a_launcher_the_first_rank_alone_prints_the_plan_of_all_ranks() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("rows");
    rows(&path);
    let asked = run(arguments!["plan", &path, "--brick", "4096,32", "--memory", "64", "-n", "3"]);
    assert!(asked.out.contains(" on 3 ranks"), "{asked:?}");
    for words in [&[][..], &["-n", "3"]] {
        let first = ran(ranked("0", Some("3"), &path, words));
        assert_eq!((first.status, &first.out, &first.err[..]), (Some(0), &asked.out, ""), "{first:?}");
        let other = ran(ranked("2", Some("3"), &path, words));
        assert_eq!((other.status, &other.out[..], &other.err[..]), (Some(0), "", ""), "{other:?}");
    }
}

#[test]
fn another_number_of_ranks_than_the_launcher_has_started_can_be_planned_for() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("rows");
    rows(&path);
    // As in a shell that slurm has started.
    for size in [Some("1"), None] {
        assert!(ran(ranked("0", size, &path, &["-n", "3"])).out.contains(" on 3 ranks"));
    }
    let line = refused_by(&mut ranked("0", None, &path, &[]));
    assert!(line.contains("-n N"), "{line}");
}

#[test]
fn help_names_everything_that_a_device_is_told_by() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("rows");
    rows(&path);
    let line = refused(arguments!["plan", &path, "--device", "speed=7"]);
    let help = done(arguments!["plan", "--help"]);
    for name in ["read=MB", "write=MB", "bandwidth=MB", "operations=N", "memory=MB", "alone=PERCENT"] {
        assert!(line.contains(name) && help.contains(name), "{name}: {line}{help}");
    }
}
