//! A signal at any moment: the source is intact, there is no target or a whole one, nothing else is left, and the status says it.

mod support;

use disk_array::{ArrayDirectory, ArraySpec, DataType};
use rustix::process::{Pid, Signal, kill_process};
use section::Section;
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use support::{arguments, names};

/// So many moments, and how far they are apart at first.
const MOMENTS: u32 = 24;

/// The command, started as the words say, whatever the test itself ignores.
fn with_signals(words: &str, arguments: &[OsString]) -> Command {
    let mut command = Command::new("env");
    command.arg(words).arg(support::command().get_program()).args(arguments).stdin(Stdio::null());
    command
}

/// Runs the command and sends it a signal after a while; its status, `None` if it ended before.
fn interrupted(arguments: &[OsString], after: Duration, signal: Signal) -> Option<i32> {
    let mut command = with_signals("--default-signal=INT,TERM,HUP", arguments);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(after);
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    // It may have ended.
    let _ = kill_process(pid, signal);
    let status = child.wait().unwrap();
    // Before it listened the signal ends it where it is, with nothing begun.
    match (status.code(), status.signal()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(code),
        (None, signal) => signal.map(|signal| 128 + signal),
    }
}

/// Interrupts a command at many moments, spread over the time that it takes.
fn at_many_moments(arguments: &[OsString], signal: Signal, mut see: impl FnMut(Option<i32>, Duration)) {
    let mut step = Duration::from_millis(2);
    let mut stopped = 0;
    let mut after = Duration::ZERO;
    for _ in 0..MOMENTS {
        let status = interrupted(arguments, after, signal);
        see(status, after);
        stopped += u32::from(status.is_some());
        if status.is_none() {
            // Beyond the end: again from the beginning, finer.
            (step, after) = (step.mul_f64(0.6), Duration::ZERO);
        }
        after += step;
    }
    assert!(stopped >= 3, "{stopped} of {MOMENTS} were interrupted");
}

fn expect_status(status: Option<i32>, signal: i32) {
    assert!(status.is_none_or(|status| status == 128 + signal), "{status:?}");
}

/// An array of 64 MB of which no element is zero.
fn make(path: &Path) -> Vec<u8> {
    let spec = ArraySpec::new(&[2000, 4000], DataType::Float64).unwrap();
    let elements = vec![0x3E; 64_000_000];
    ArrayDirectory::create(path, &spec)
        .unwrap()
        .write(&Section::whole(&[2000, 4000]).unwrap(), &elements)
        .unwrap();
    elements
}

struct Place {
    _scratch: tempfile::TempDir,
    directory: PathBuf,
    array: PathBuf,
    elements: Vec<u8>,
}

fn place() -> Place {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path().to_owned();
    let array = directory.join("array");
    let elements = make(&array);
    Place { _scratch: scratch, directory, array, elements }
}

impl Place {
    fn expect_source(&self) {
        assert!(support::read(&self.array) == self.elements);
    }

    fn expect_names(&self, expected: &[&str], after: Duration) {
        assert_eq!(names(&self.directory), expected, "after {after:?}");
    }
}

#[test]
fn an_interrupted_cp_leaves_no_copy_or_a_whole_one() {
    let place = place();
    let copy = place.directory.join("copy");
    at_many_moments(arguments!["cp", &place.array, &copy], Signal::INT, |status, after| {
        expect_status(status, 2);
        if status.is_none() {
            assert!(support::read(&copy) == place.elements);
            ArrayDirectory::delete(&copy).unwrap();
        }
        place.expect_names(&["array"], after);
    });
    place.expect_source();
}

#[test]
fn an_interrupted_export_leaves_no_file_or_a_whole_one() {
    let place = place();
    for name in ["copy.bin", "copy.h5"] {
        let file = place.directory.join(name);
        at_many_moments(arguments!["export", &place.array, &file], Signal::TERM, |status, after| {
            expect_status(status, 15);
            if status.is_none() {
                assert!(fs::read(&file).unwrap().ends_with(&place.elements));
                fs::remove_file(&file).unwrap();
            }
            place.expect_names(&["array"], after);
        });
    }
    place.expect_source();
}

#[test]
fn an_interrupted_plot_leaves_no_picture_or_a_whole_one_and_an_interrupted_bench_nothing() {
    let place = place();
    let picture = place.directory.join("a.png");
    at_many_moments(arguments!["plot", &place.array, "-o", &picture], Signal::INT, |status, after| {
        expect_status(status, 2);
        if status.is_none() {
            // The last chunk of a picture.
            assert!(fs::read(&picture).unwrap().ends_with(b"IEND\xaeB`\x82"), "after {after:?}");
            fs::remove_file(&picture).unwrap();
        }
        place.expect_names(&["array"], after);
    });
    let bench = arguments!["bench", &place.directory, "--size", "16"];
    at_many_moments(bench, Signal::TERM, |status, after| {
        expect_status(status, 15);
        place.expect_names(&["array"], after);
    });
    place.expect_source();
}

#[test]
fn an_interrupted_import_leaves_no_array_or_a_whole_one_and_an_old_one_if_there_was_one() {
    let place = place();
    let (file, new) = (place.directory.join("a.bin"), place.directory.join("new"));
    fs::write(&file, &place.elements).unwrap();
    let shape = ["--shape", "2000,4000", "--type", "float64"];
    let mut import = arguments!["import", &file, &new].to_vec();
    import.extend(shape.map(OsString::from));
    at_many_moments(&import, Signal::INT, |status, after| {
        expect_status(status, 2);
        if status.is_none() {
            assert!(support::read(&new) == place.elements);
            ArrayDirectory::delete(&new).unwrap();
        }
        place.expect_names(&["a.bin", "array"], after);
    });
    import.push("--force".into());
    let old = support::make(&new, &[3], &[2], DataType::Int32);
    at_many_moments(&import, Signal::INT, |status, after| {
        expect_status(status, 2);
        let expected = if status.is_none() { &place.elements } else { &old };
        assert!(&support::read(&new) == expected, "after {after:?}");
        assert_eq!(names(&new), ["c", "zarr.json"], "after {after:?}");
        support::make(&new, &[3], &[2], DataType::Int32);
    });
    assert!(fs::read(&file).unwrap() == place.elements);
}

#[test]
fn an_interrupted_rm_leaves_the_array_or_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    let mut elements = support::make(&path, &[4000, 6], &[2, 3], DataType::Float64);
    let mut stopped = 0;
    for moment in 0..MOMENTS {
        let status =
            interrupted(arguments!["rm", &path], Duration::from_micros(u64::from(moment) * 250), Signal::INT);
        expect_status(status, 2);
        stopped += u32::from(status.is_some());
        if status.is_some() {
            assert!(support::read(&path) == elements);
        } else {
            assert!(!path.exists());
            elements = support::make(&path, &[4000, 6], &[2, 3], DataType::Float64);
        }
    }
    assert!(stopped > 0, "none of {MOMENTS} was interrupted");
}

/// Nothing can be cleaned up then; what is left says that it is not whole, and can be made again.
#[test]
fn what_a_killed_command_leaves_does_not_look_whole() {
    let place = place();
    let (copy, file) = (place.directory.join("copy"), place.directory.join("copy.npy"));
    for command in [arguments!["cp", &place.array, &copy], arguments!["export", &place.array, &file]] {
        at_many_moments(command, Signal::KILL, |status, after| {
            if status.is_none() || file.exists() {
                assert!(
                    !file.exists() || fs::read(&file).unwrap().ends_with(&place.elements),
                    "after {after:?}"
                );
                let _ = fs::remove_file(&file);
            }
            match ArrayDirectory::open(&copy) {
                Ok(_) => {
                    assert!(support::read(&copy) == place.elements, "after {after:?}");
                    ArrayDirectory::delete(&copy).unwrap();
                }
                // Killed before the mark of a copy was in it.
                Err(_) if copy.is_dir() && names(&copy).is_empty() => fs::remove_dir(&copy).unwrap(),
                Err(error) => assert!(status.is_some() || !copy.exists(), "after {after:?}: {error}"),
            }
        });
    }
    if copy.exists() {
        support::done(arguments!["rm", &copy]);
    }
    support::done(arguments!["cp", &place.array, &copy]);
    assert!(support::read(&copy) == place.elements);
    place.expect_source();
}

/// Whether a process that is there ignores SIGHUP, which is bit 0 of the mask.
fn ignores_hup(pid: Pid) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
    mask.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & 1 != 0)
}

/// As `nohup` starts it: the terminal may go.
#[test]
fn a_signal_that_is_ignored_where_the_command_was_started_does_not_end_it() {
    let place = place();
    let file = place.directory.join("copy.bin");
    let mut command = with_signals("--ignore-signal=HUP", arguments!["export", &place.array, &file]);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let pid = Pid::from_child(&child);
    let mut sent = 0;
    let status = loop {
        // Not before it is ignored: `env` itself would end.
        if ignores_hup(pid) && kill_process(pid, Signal::HUP).is_ok() {
            sent += 1;
        }
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    assert!(status.success() && sent > 0, "{status}, {sent} signals");
    assert!(fs::read(&file).unwrap() == place.elements);
}
