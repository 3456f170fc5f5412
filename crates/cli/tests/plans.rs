//! `plan` on real arrays.

mod support;

use disk_array::{ArrayDirectory, ArraySpec, BrickShape, Bricks, DataType};
use serde_json::json;
use std::path::Path;
use support::{arguments, done, facts, refused};

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
