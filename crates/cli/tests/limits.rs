//! What the system does not give: files of such a size, and memory. One line, status 2, and nothing is left of what was begun.

mod support;

use disk_array::{ArrayDirectory, ArraySpec, BrickShape, Bricks, DataType};
use section::Section;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use support::{arguments, make, refused_by, snapshot};

/// The command, run by a shell that has obeyed `words` before, whatever the test itself ignores.
fn limited(words: &str, arguments: &[OsString]) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal=XFSZ", "sh", "-c", &format!("{words}; exec \"$@\""), "sh"]);
    command.arg(support::command().get_program()).args(arguments).stdin(Stdio::null());
    command
}

#[test]
fn a_file_that_may_not_be_so_large_is_an_error_and_is_taken_back() {
    let scratch = tempfile::tempdir().unwrap();
    let (array, file) = (scratch.path().join("array"), scratch.path().join("a.bin"));
    fs::write(&file, make(&array, &[400, 400], &[50, 50], DataType::Float64)).unwrap();
    let target = |name: &str| scratch.path().join(name);
    let before = snapshot(scratch.path());
    for arguments in [
        arguments!["export", &array, target("new.h5")],
        arguments!["export", &array, target("new.npy")],
        arguments!["export", &array, target("new.bin")],
        arguments!["import", &file, target("new"), "--shape", "400,400", "--type", "float64"],
        arguments!["cp", &array, target("new")],
        arguments!["plot", &array, "-o", target("new.png")],
    ] {
        // In 512 or 1024 bytes, as the shell has it.
        for words in ["ulimit -f 1", "trap '' XFSZ; ulimit -f 1", "ulimit -f 100"] {
            if words.ends_with("100") && arguments[0] == "plot" {
                continue;
            }
            let line = refused_by(&mut limited(words, arguments));
            assert!(line.contains("File too large"), "{words}: {arguments:?}: {line}");
            assert!(snapshot(scratch.path()) == before, "{words}: {arguments:?}");
        }
    }
}

/// An array, and a file with the same elements: a gigabyte, nearly all of it a hole.
fn make_large(array: &Path, file: &Path) {
    let len = 1 << 27;
    let mut spec = ArraySpec::new(&[len], DataType::Float64).unwrap();
    spec.bricks = Bricks::Exact(BrickShape::exact(&[1 << 17]).unwrap());
    let made = ArrayDirectory::create(array, &spec).unwrap();
    let element = 1f64.to_le_bytes();
    made.write(&Section::new(&[0], &[1]).unwrap(), &element).unwrap();
    let file = fs::File::create(file).unwrap();
    file.set_len(len * 8).unwrap();
    file.write_all_at(&element, 0).unwrap();
}

#[test]
fn memory_that_there_is_not_is_an_error_and_what_was_begun_is_taken_back() {
    let scratch = tempfile::tempdir().unwrap();
    let (array, file) = (scratch.path().join("array"), scratch.path().join("a.bin"));
    make_large(&array, &file);
    let target = |name: &str| scratch.path().join(name);
    let before = snapshot(scratch.path());
    for arguments in [
        arguments!["export", &array, target("new.npy")],
        arguments!["export", &array, target("new.h5")],
        arguments!["import", &file, target("new"), "--shape", "134217728", "--type", "float64"],
    ] {
        // Tiles are larger than what there is, also where eight threads have two each.
        let arguments = [arguments, arguments!["--memory", "8000"]].concat();
        let line = refused_by(&mut limited("ulimit -v 300000", &arguments));
        assert!(line.contains("no memory for buffers") && line.contains("--memory"), "{arguments:?}: {line}");
        assert!(snapshot(scratch.path()) == before, "{arguments:?}");
    }
}
