//! What only files on disk can meet.

use eaf::{Error, File, Kind};
use std::fs;
use tempfile::TempDir;

fn directory() -> TempDir {
    TempDir::new().expect("a directory")
}

fn open_error(name: impl AsRef<std::path::Path>, kind: Kind) -> Error {
    let error = File::open(name, kind).expect_err("it must not open");
    assert_eq!(error.code(), -44);
    error
}

#[test]
fn a_missing_file_does_not_open_for_reading_and_the_message_says_why() {
    let directory = directory();
    let name = directory.path().join("missing");
    let text = open_error(&name, Kind::Read).to_string();
    assert!(text.starts_with("No such file or directory") && text.ends_with("missing"), "{text}");
    assert!(!name.exists());
}

#[test]
fn a_directory_does_not_open_and_is_not_deleted() {
    let directory = directory();
    assert!(open_error(directory.path(), Kind::ReadWrite).to_string().contains("directory"));
    assert_eq!(File::delete(directory.path()).expect_err("a directory").code(), -10013);
    assert!(directory.path().is_dir());
}

#[test]
fn a_missing_directory_does_not_hold_a_new_file_and_holds_no_file_to_delete() {
    let directory = directory();
    let name = directory.path().join("missing/f");
    assert!(open_error(&name, Kind::ReadWrite).to_string().starts_with("No such file or directory"));
    File::delete(&name).expect("there is no such file");
}

#[test]
fn a_directory_below_a_file_does_not_hold_a_file() {
    let directory = directory();
    fs::write(directory.path().join("file"), b"").expect("written");
    let name = directory.path().join("file/f");
    assert!(open_error(&name, Kind::Write).to_string().starts_with("Not a directory"));
    File::delete(&name).expect("there is no such file");
}

#[test]
fn names_of_255_characters_open_and_longer_ones_do_not() {
    let directory = directory();
    let longest = directory.path().join("n".repeat(255));
    File::open(&longest, Kind::ReadWrite).expect("opened").close().expect("closed");
    assert!(longest.exists());
    let text = open_error(directory.path().join("n".repeat(4000)), Kind::ReadWrite).to_string();
    assert!(text.starts_with("File name too long"), "{text}");
}

#[test]
fn an_offset_beyond_what_a_file_can_have_is_an_error_and_writes_nothing() {
    let directory = directory();
    let file = File::open(directory.path().join("f"), Kind::ReadWrite).expect("opened");
    assert_eq!(file.write(u64::MAX - 3, b"12345678").expect_err("no file is that long").code(), -2000);
    assert_eq!(file.len_bytes().expect("length"), 0);
}

#[test]
fn stat_strips_the_last_component_and_needs_only_the_directory() {
    let directory = directory();
    for name in ["no such file", ""] {
        let stat = eaf::stat(directory.path().join(name)).expect("the directory is there");
        assert!(stat.available_bytes > 0 && stat.total_bytes >= stat.available_bytes);
    }
    eaf::stat("no such file").expect("the current directory");
    eaf::stat("/no such file").expect("the root");
    eaf::stat("").expect("the current directory");
    assert_eq!(eaf::stat(directory.path().join("missing/f")).expect_err("missing").code(), -1991);
}

#[test]
fn nothing_can_be_read_and_written_whatever_a_file_is_open_for() {
    let directory = directory();
    let name = directory.path().join("nothing");
    for kind in [Kind::Write, Kind::Read, Kind::ReadWrite] {
        let file = File::open(&name, kind).expect("opened");
        file.write(8, &[]).expect("nothing to write");
        file.read(8, &mut []).expect("nothing to read");
        file.awrite(8, Vec::new()).and_then(|mut request| request.wait()).expect("nothing to write");
        file.aread(8, Vec::new()).and_then(|mut request| request.wait()).expect("nothing to read");
        assert_eq!(file.len_bytes().expect("length"), 0);
        file.close().expect("closed");
    }
}
