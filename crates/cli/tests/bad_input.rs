//! Paths that are no array, and files that are not what their names say: one line, status 2, and nothing changed.

mod support;

use disk_array::DataType;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use support::{arguments, make, refused, run, snapshot};

fn make_pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// Everything that a path may be instead of an array, and words that say what it is.
fn make_bad(directory: &Path) -> Vec<(&'static str, &'static str)> {
    let in_new = |name: &str| {
        fs::create_dir(directory.join(name)).unwrap();
        directory.join(name)
    };
    fs::write(directory.join("file"), "text").unwrap();
    in_new("empty");
    fs::create_dir(in_new("half").join(".chemio-new")).unwrap();
    fs::create_dir(in_new("deleted").join(".chemio-old")).unwrap();
    fs::write(in_new("group").join("zarr.json"), r#"{"zarr_format": 3, "node_type": "group"}"#).unwrap();
    fs::write(in_new("version-2").join(".zarray"), "{}").unwrap();
    fs::write(in_new("no-json").join("zarr.json"), "{").unwrap();
    fs::write(in_new("no-field").join("zarr.json"), r#"{"zarr_format": 3, "node_type": "array"}"#).unwrap();
    let huge = fs::File::create(in_new("huge-text").join("zarr.json")).unwrap();
    huge.set_len(1 << 40).unwrap();
    fs::create_dir(in_new("directory").join("zarr.json")).unwrap();
    symlink("nowhere", directory.join("link")).unwrap();
    symlink("loop", directory.join("loop")).unwrap();
    symlink("/dev/zero", directory.join("device")).unwrap();
    symlink("/dev/zero", in_new("endless").join("zarr.json")).unwrap();
    make_pipe(&directory.join("pipe"));
    make_pipe(&in_new("pipe-inside").join("zarr.json"));
    // Its name stays when it is closed.
    UnixListener::bind(directory.join("socket")).unwrap();
    for (name, from, to) in [
        ("compressed", "\"bytes\"", "\"zstd\""),
        ("huge", "11,", "4611686018427387904,"),
        ("type", "\"float64\"", "\"float16\""),
    ] {
        make(&directory.join(name), &[11, 13], &[2, 3], DataType::Float64);
        let metadata = directory.join(name).join("zarr.json");
        let text = fs::read_to_string(&metadata).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(metadata, text.replace(from, to)).unwrap();
    }
    vec![
        ("missing", "no such array"),
        ("missing/below", "no such array"),
        ("file", "a file"),
        ("file/below", ""),
        ("empty", "an empty directory, no array"),
        ("half", "interrupted"),
        ("deleted", "interrupted"),
        ("group", "a Zarr group"),
        ("version-2", "Zarr version 2"),
        ("no-json", "not valid JSON"),
        ("no-field", "shape"),
        ("huge-text", "1099511627776 bytes of metadata"),
        ("directory", "not a file"),
        ("link", "a link to nothing"),
        ("loop", "symbolic links"),
        ("device", "a device"),
        ("endless", "not a file"),
        ("pipe", "a pipe"),
        ("pipe-inside", "not a file"),
        ("socket", "a socket"),
        ("compressed", "zstd"),
        ("huge", ""),
        ("type", "float16"),
    ]
}

#[test]
fn what_is_no_array_is_refused_by_every_command_in_one_line_and_stays_as_it_is() {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path();
    let bad = make_bad(directory);
    let before = snapshot(directory);
    for (name, words) in bad {
        let path = directory.join(name);
        let (target, png) = (directory.join("target"), directory.join("target.png"));
        for arguments in [
            arguments!["info", &path],
            arguments!["info", "--json", &path],
            arguments!["stats", &path],
            arguments!["verify", &path],
            arguments!["cp", &path, &target],
            arguments!["mv", &path, &target],
            arguments!["export", &path, directory.join("target.h5")],
            arguments!["export", &path, directory.join("target.npy")],
            arguments!["plot", &path, "-o", &png],
            arguments!["plan", &path, "--brick", "2,3"],
            arguments!["reblock", &path, &target, "--brick", "2,3"],
        ] {
            let line = refused(arguments);
            assert!(line.contains(words), "{arguments:?}: {line}");
        }
        // What is left of an array of chemio's can be deleted, and so can one that is too large.
        if !["half", "deleted", "huge"].contains(&name) {
            refused(arguments!["rm", &path]);
        }
        assert!(snapshot(directory) == before, "{name}");
    }
}

#[test]
fn names_with_line_ends_and_other_bytes_make_one_line_too() {
    let scratch = tempfile::tempdir().unwrap();
    refused(arguments!["info", scratch.path().join("two\nlines")]);
    let output =
        support::command().arg("info").arg(std::ffi::OsStr::from_bytes(b"/no/\xff\xfe")).output().unwrap();
    assert!(output.status.code() == Some(2) && output.stderr.starts_with(b"chemio: no such array"));
}

#[test]
fn what_may_not_be_read_is_said() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    make(&path, &[3], &[2], DataType::Int32);
    // A loop of links is unreadable for the superuser too.
    let metadata = path.join("zarr.json");
    fs::remove_file(&metadata).unwrap();
    symlink("zarr.json", &metadata).unwrap();
    let line = refused(arguments!["info", &path]);
    assert!(line.contains("symbolic links"), "{line}");
}

/// Runs the command `program` as a user who owns nothing, who is refused with one line.
fn refused_to_others<A: AsRef<std::ffi::OsStr>>(program: &Path, arguments: &[A]) -> String {
    let mut command = std::process::Command::new(program);
    command.stdin(std::process::Stdio::null());
    if rustix::process::geteuid().is_root() {
        // The superuser may read everything.
        command.uid(NOBODY).gid(NOBODY);
    }
    support::refused_by(command.args(arguments))
}

const NOBODY: u32 = 65_534;

#[test]
fn what_others_may_not_read_or_write_is_said_and_stays_as_it_is() {
    let scratch = tempfile::tempdir().unwrap();
    let allow = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let directory = scratch.path();
    allow(directory, 0o755);
    let new = |name: &str| {
        make(&directory.join(name), &[11, 13], &[2, 3], DataType::Float64);
        directory.join(name)
    };
    let (whole, closed, no_metadata, no_shards) =
        (new("whole"), new("closed"), new("no-metadata"), new("no-shards"));
    let file = directory.join("a.npy");
    support::done(arguments!["export", &whole, &file]);
    allow(&closed, 0o000);
    allow(&no_metadata.join("zarr.json"), 0o000);
    allow(&no_shards.join("c"), 0o000);
    allow(&file, 0o000);
    // Others may not get to where it was built.
    let program = directory.join("chemio");
    let built = Path::new(env!("CARGO_BIN_EXE_chemio"));
    fs::hard_link(built, &program).or_else(|_| fs::copy(built, &program).map(drop)).unwrap();
    let (target, copies) = (directory.join("target"), directory.join("copies"));
    // A place where everybody may write, so that reading is what fails.
    fs::create_dir(&copies).unwrap();
    allow(&copies, 0o777);
    let before = snapshot(directory);
    for path in [&closed, &no_metadata, &no_shards, &closed.join("below")] {
        for arguments in [
            arguments!["info", path],
            arguments!["stats", "--json", path],
            arguments!["verify", path],
            arguments!["cp", path, copies.join("copy")],
            arguments!["export", path, copies.join("a.h5")],
            arguments!["plot", path, "-o", copies.join("a.png")],
        ] {
            let line = refused_to_others(&program, arguments);
            assert!(line.contains("Permission denied") && line.contains("ask its owner"), "{line}");
        }
    }
    for arguments in [
        arguments!["ls", &closed],
        arguments!["import", &file, copies.join("array")],
        arguments!["cp", &whole, &target],
        arguments!["mv", &whole, &target],
        arguments!["mv", &whole, copies.join("moved")],
        arguments!["rm", &whole],
        arguments!["export", &whole, directory.join("b.npy")],
        arguments!["export", &whole, &file, "--force"],
        arguments!["plot", &whole, "-o", directory.join("a.png")],
        arguments!["bench", directory, "--size", "1"],
        arguments!["doctor", directory],
        arguments!["manual", directory],
    ] {
        let line = refused_to_others(&program, arguments);
        assert!(line.contains("Permission denied"), "{arguments:?}: {line}");
        assert!(snapshot(directory) == before, "{arguments:?}");
    }
    for path in [&closed, &no_shards.join("c")] {
        allow(path, 0o755);
    }
}

#[test]
fn files_that_are_not_what_their_names_say_make_no_array() {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path();
    let file = |name: &str, bytes: &[u8]| fs::write(directory.join(name), bytes).unwrap();
    file("a.npy", b"PK\x03\x04 and more");
    file(
        "short.npy",
        &[
            b"\x93NUMPY\x01\x00\x76\x00".as_slice(),
            format!("{:118}", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }").as_bytes(),
            &[0; 95],
        ]
        .concat(),
    );
    file("a.h5", b"no file of HDF5");
    file("empty.h5", b"");
    file("a.bin", &[1; 80]);
    file("a.txt", b"1 2 3");
    fs::create_dir(directory.join("d.npy")).unwrap();
    make_pipe(&directory.join("pipe.npy"));
    symlink("loop.npy", directory.join("loop.npy")).unwrap();
    symlink("/dev/zero", directory.join("device.bin")).unwrap();
    let before = snapshot(directory);
    let target = directory.join("target");
    for (name, more, words) in [
        ("a.npy", &[][..], "NUMPY"),
        ("short.npy", &[], "96 needed"),
        ("a.h5", &[], "HDF5"),
        ("empty.h5", &[], "HDF5"),
        ("a.txt", &[], ".npy"),
        ("a.bin", &[], "--shape and --type"),
        ("a.bin", &["--shape", "11", "--type", "float64"], "80 bytes, expected 88"),
        ("a.bin", &["--shape", "10", "--type", "float16"], "float16"),
        ("a.bin", &["--shape", "4294967296,4294967296", "--type", "float64"], "more than can be counted"),
        ("a.bin", &["--shape", "0", "--type", "float64"], ""),
        ("a.bin", &["--shape", "10", "--type", "float64", "--brick", "2,2"], ""),
        ("a.bin", &["--shape", "10", "--type", "float64", "--brick", "0"], ""),
        ("d.npy", &[], "a directory"),
        ("missing.npy", &[], "No such file"),
        ("pipe.npy", &[], "not a file"),
        ("loop.npy", &[], "symbolic links"),
        ("device.bin", &["--shape", "10", "--type", "float64"], "not a file"),
    ] {
        let mut arguments = arguments!["import", directory.join(name), &target].to_vec();
        arguments.extend(more.iter().map(std::ffi::OsString::from));
        let line = refused(&arguments);
        assert!(line.contains(words), "{arguments:?}: {line}");
        assert!(snapshot(directory) == before, "{name}");
    }
}

#[test]
fn what_is_in_the_way_is_not_replaced_unless_it_is_said() {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path();
    let (array, file) = (directory.join("array"), directory.join("a.npy"));
    make(&array, &[3, 4], &[2, 2], DataType::Float64);
    fs::write(&file, "mine").unwrap();
    fs::create_dir(directory.join("mine")).unwrap();
    fs::write(directory.join("mine/text"), "mine").unwrap();
    make_pipe(&directory.join("pipe.npy"));
    UnixListener::bind(directory.join("socket.npy")).unwrap();
    fs::create_dir(directory.join("directory.npy")).unwrap();
    let before = snapshot(directory);
    assert!(refused(arguments!["export", &array, &file]).contains("--force"));
    refused(arguments!["export", &array, directory.join("missing/a.npy")]);
    // What is no file is not replaced by one, whatever is said.
    for name in ["pipe.npy", "socket.npy", "directory.npy"] {
        assert!(refused(arguments!["export", &array, directory.join(name), "--force"]).contains("already"));
    }
    refused(arguments!["plot", &array, "-o", directory.join("pipe.npy"), "--force"]);
    refused(arguments!["export", &array, directory.join("a.h5"), "--dataset", "a/b"]);
    refused(arguments!["cp", &array, &file]);
    refused(arguments!["cp", &array, &array]);
    for command in ["cp", "mv"] {
        assert!(refused(arguments![command, &array, array.join("copy")]).contains("itself"));
        assert!(refused(arguments![command, &array, array.join("c")]).contains("itself"));
    }
    refused(arguments!["cp", &array, directory.join("missing/array")]);
    refused(arguments!["plot", &array, "-o", &file]);
    for name in ["a.jpg", "picture", "-"] {
        assert!(refused(arguments!["plot", &array, "-o", directory.join(name)]).contains(".png"));
    }
    for name in ["new.npy", "new.bin"] {
        let export = arguments!["export", &array, directory.join(name), "--dataset", "t2"];
        assert!(refused(export).contains("--dataset is for HDF5"));
    }
    let import = arguments!["import", &file, directory.join("new"), "--dataset", "t2"];
    assert!(refused(import).contains("--dataset is for HDF5"));
    for slice in ["1", "1,1", "9,:", "a,b", ":,:,:"] {
        refused(arguments!["plot", &array, "-o", directory.join("a.png"), "--slice", slice]);
    }
    refused(arguments!["doctor", directory.join("missing")]);
    refused(arguments!["doctor", &file]);
    refused(arguments!["bench", directory.join("missing")]);
    refused(arguments!["bench", directory, "--size", "1000000"]);
    refused(arguments!["ls", directory.join("missing")]);
    refused(arguments!["manual", directory.join("missing")]);
    assert!(snapshot(directory) == before);
    support::done(arguments!["export", &array, &file, "--force"]);
    refused(arguments!["import", &file, &array]);
    refused(arguments!["import", &file, directory.join("mine")]);
    assert_eq!(fs::read_to_string(directory.join("mine/text")).unwrap(), "mine");
    support::done(arguments!["import", &file, &array, "--force"]);
}

#[test]
fn what_is_made_of_an_array_is_not_put_into_it_whatever_is_said() {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path();
    let array = directory.join("array");
    make(&array, &[3, 4], &[2, 2], DataType::Float64);
    symlink("array/c", directory.join("into")).unwrap();
    let before = snapshot(directory);
    for name in ["array/zarr.json", "array/c/0/0", "array/a.png", "into/a.png", "into/0/0"] {
        let plot = arguments!["plot", &array, "-o", directory.join(name), "--force"];
        assert!(refused(plot).contains("is in the array"), "{name}");
    }
    for name in ["array/a.npy", "array/c/0/0.h5", "into/a.bin"] {
        let export = arguments!["export", &array, directory.join(name), "--force"];
        assert!(refused(export).contains("is in the array"), "{name}");
    }
    assert!(snapshot(directory) == before);
}

#[test]
fn command_lines_that_make_no_sense_have_status_2() {
    for arguments in
        [&[][..], &["frobnicate"], &["info"], &["cp", "a"], &["stats", "a", "--memory", "0"], &["plot", "a"]]
    {
        assert_eq!(run(arguments).status, Some(2), "{arguments:?}");
    }
}
