//! `reblock` without MPI: what it finds out before it runs `chemio-reblock`, and how it runs that.

mod support;

use disk_array::between::{self, BETWEEN};
use disk_array::{ArrayDirectory, DataType, UNFINISHED};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::{Ran, arguments, command, done, facts, make, read, refused, refused_by, run, snapshot, spec};

/// The command in a directory of its own, with a program beside it that runs this script.
///
/// Other processes write them: what another test starts meanwhile would hold what is open here, and an executable that somebody
/// writes cannot be run.
fn beside(directory: &Path, script: &str) -> PathBuf {
    let [command, helper] = ["chemio", "chemio-reblock"].map(|name| directory.join(name));
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_chemio")).arg(&command).status().unwrap();
    let write = r#"printf %s "$1" > "$0" && chmod 755 "$0""#;
    let written = Command::new("sh").args(["-c", write]).arg(&helper).arg(script).status().unwrap();
    assert!(copied.success() && written.success());
    command
}

fn ran(command: &Path, words: &[&str], path: &Path) -> Ran {
    let mut command = Command::new(command);
    Ran::of(&command.args(words).env("PATH", path).stdin(Stdio::null()).output().expect("it runs"))
}

#[test]
fn the_program_beside_the_command_gets_all_words_and_its_status_is_the_commands() {
    let scratch = tempfile::tempdir().unwrap();
    make(&scratch.path().join("source"), &[6, 4], &[2, 4], DataType::Float64);
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\nprintf '<%s>' \"$@\"\nexit 7\n";
    let command = beside(scratch.path(), script);
    let [source, target] = ["source", "the target"].map(|name| scratch.path().join(name));
    let (source, target) = (source.to_str().unwrap(), target.to_str().unwrap());
    let ran = ran(
        &command,
        &["reblock", source, target, "--brick", "3,2", "-n", "4", "--verify"],
        Path::new("/bin"),
    );
    assert_eq!(ran.out, format!("<{source}><{target}><--brick><3,2><-n><4><--verify>"), "{ran:?}");
    assert_eq!(ran.status, Some(7));
}

#[test]
fn a_program_that_is_missing_or_does_not_start_is_one_line_that_says_what_to_install() {
    let scratch = tempfile::tempdir().unwrap();
    make(&scratch.path().join("source"), &[6, 4], &[2, 4], DataType::Float64);
    let [source, target] = ["source", "target"].map(|name| scratch.path().join(name));
    let words = ["reblock", source.to_str().unwrap(), target.to_str().unwrap(), "--brick", "3,2"];
    let broken = "#!/bin/sh\necho 'chemio-reblock: error while loading shared libraries: libmpi.so.40' >&2\nexit 127\n";
    let command = beside(scratch.path(), broken);
    let does_not_start = ran(&command, &words, Path::new("/bin"));
    assert!(does_not_start.err.contains("libmpi.so.40"), "{does_not_start:?}");
    fs::remove_file(scratch.path().join("chemio-reblock")).unwrap();
    let missing = ran(&command, &words, scratch.path());
    for ran in [does_not_start, missing] {
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:?}");
        assert!(ran.err.starts_with("chemio: ") && ran.err.contains("install an MPI"), "{ran:?}");
    }
    assert!(!target.exists());
}

#[test]
fn what_cannot_be_done_is_said_before_any_other_program_runs() {
    let scratch = tempfile::tempdir().unwrap();
    let [source, there] = ["source", "there"].map(|name| scratch.path().join(name));
    make(&source, &[6, 4], &[2, 4], DataType::Float64);
    make(&there, &[3, 3], &[3, 3], DataType::Float64);
    let before = snapshot(scratch.path());
    refused(arguments!["reblock", &source, &there, "--brick", "3,2"]);
    refused(arguments!["reblock", &source, &there, "--restart", "--brick", "3,2"]);
    refused(arguments!["reblock", scratch.path().join("missing"), scratch.path().join("new")]);
    refused(arguments!["reblock", &source, source.join("new"), "--brick", "3,2"]);
    for bad in [&["--brick", "3"][..], &["--brick", "3,0"], &["--order", "1,1"], &["--io-processes", "2"]] {
        let words = ["reblock", source.to_str().unwrap(), "/nowhere-to-be-seen"];
        refused(&[&words[..], bad].concat());
    }
    for (name, value) in [("CHEMIO_BACKEND", "aio"), ("CHEMIO_BUFFER_MB", "lots")] {
        let mut command = command();
        command.arg("reblock").args([&source, &scratch.path().join("new")]).args(["--brick", "3,2"]);
        let line = refused_by(command.env(name, value));
        assert!(line.contains(&format!("{name}={value} is not understood: expected ")), "{line}");
    }
    assert_eq!(snapshot(scratch.path()), before);
}

#[test]
fn an_array_that_is_not_complete_is_read_by_no_command_but_shown_and_removed() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("half");
    let mut half = spec(&[6, 4], &[2, 4], DataType::Float64);
    let mark = json!({"what": "re-blocking from /scratch/t2", "source": "/scratch/t2"});
    half.more_attributes.insert(UNFINISHED.to_owned(), mark);
    ArrayDirectory::create(&path, &half).unwrap();
    let [npy, png, new] = ["half.npy", "half.png", "new"].map(|name| scratch.path().join(name));
    for words in [
        arguments!["stats", &path],
        arguments!["verify", &path],
        arguments!["export", &path, &npy],
        arguments!["plot", &path, "-o", &png],
        arguments!["plan", &path, "--brick", "3,2"],
        arguments!["reblock", &path, &new, "--brick", "3,2"],
    ] {
        let line = refused(words);
        assert!(line.contains("re-blocking from /scratch/t2") && line.contains("chemio rm"), "{line}");
    }
    let listed = facts(arguments!["ls", "--json", scratch.path()]);
    assert!(listed[0]["error"].to_string().contains("re-blocking"), "{listed}");
    assert_eq!(facts(arguments!["info", "--json", &path])["attributes"][UNFINISHED]["source"], "/scratch/t2");
    assert!(done(arguments!["info", &path]).contains("unfinished: re-blocking from /scratch/t2"));
    // It is a directory like any other for those that only move it.
    assert_eq!(run(arguments!["mv", &path, &new]).status, Some(0));
    assert_eq!(read(&new), vec![0; 6 * 4 * 8], "nothing was written to it");
    assert_eq!(run(arguments!["rm", &new]).status, Some(0));
}

#[test]
fn an_array_between_passes_is_read_by_no_command_but_shown_checked_and_removed() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("t2");
    let path = between::path(&target, 0);
    let mut half = spec(&[6, 4], &[2, 4], DataType::Float64);
    half.more_attributes.insert(BETWEEN.to_owned(), between::mark(&target));
    ArrayDirectory::create(&path, &half).unwrap();
    let [npy, png, new] = ["half.npy", "half.png", "new"].map(|name| scratch.path().join(name));
    let before = snapshot(scratch.path());
    for words in [
        arguments!["stats", &path],
        arguments!["cp", &path, &new],
        arguments!["export", &path, &npy],
        arguments!["plot", &path, "-o", &png],
        arguments!["plan", &path, "--brick", "3,2"],
        arguments!["reblock", &path, &new, "--brick", "3,2"],
    ] {
        let line = refused(words);
        assert!(line.contains("an array between passes of t2: ") && line.contains("copy again"), "{line}");
    }
    assert_eq!(snapshot(scratch.path()), before);
    let listed = facts(arguments!["ls", "--json", scratch.path()]);
    assert!(listed[0]["error"].to_string().contains("between passes of t2"), "{listed}");
    assert!(done(arguments!["ls", scratch.path()]).contains("between passes of t2"));
    assert_eq!(facts(arguments!["info", "--json", &path])["between_passes_of"], "t2");
    assert!(done(arguments!["info", &path]).contains("between passes of t2\n"));
    done(arguments!["verify", &path]);
    assert_eq!(facts(arguments!["verify", "--read", "--json", &path])["elements_read"], 24);
    done(arguments!["mv", &path, &new]);
    assert!(refused(arguments!["stats", &new]).contains("between passes of t2"), "also under another name");
    done(arguments!["rm", &new]);
}
