//! `chemio-reblock` as a user runs it: alone, and on several ranks of the launcher that it looks for itself.

use command::options::Device;
use command::reblocking::check_finished;
use disk_array::{ArrayDirectory, ArraySpec, BrickShape, Bricks, DataType};
use rustix::process::{Pid, Signal, kill_process_group};
use section::Section;
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Far beyond what any of it takes, on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(120);

fn scratch() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn reblock(source: &Path, target: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chemio-reblock"));
    command.args([source, target]).args(words.split_whitespace()).stdin(Stdio::null());
    // Open MPI asks for these where tests run in a container.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

fn run(source: &Path, target: &Path, words: &str) -> Output {
    reblock(source, target, words).output().expect("it runs")
}

/// Runs it; the facts.
fn facts(source: &Path, target: &Path, words: &str) -> Value {
    let output = run(source, target, &format!("{words} --json"));
    assert!(output.status.success() && output.stderr.is_empty(), "{words}: {output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Runs it; it is refused with one line of ours.
fn refused(source: &Path, target: &Path, words: &str) -> String {
    refused_by(&mut reblock(source, target, words))
}

/// The same of a command that is made ready.
fn refused_by(words: &mut Command) -> String {
    let output = words.output().expect("it runs");
    let text = String::from_utf8(output.stderr).unwrap();
    let ours: Vec<_> = text.lines().filter(|line| line.starts_with("chemio: ")).collect();
    assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{words:?}: {text}");
    assert_eq!((ours.len(), text.lines().count()), (1, 1), "{words:?}: {text}");
    text
}

fn elements(count: u64) -> Vec<u8> {
    (0..count).flat_map(|number| f64::from(u32::try_from(number).unwrap()).to_le_bytes()).collect()
}

/// An array with all elements numbered.
fn numbered(path: &Path, dims: &[u64], brick: &[u64]) -> PathBuf {
    let mut spec = ArraySpec::new(dims, DataType::Float64).unwrap();
    spec.bricks = Bricks::Exact(BrickShape::exact(brick).unwrap());
    spec.more_attributes.insert("units".to_owned(), "hartree".into());
    spec.dimension_names = Some((0..dims.len()).map(|dim| Some(format!("dimension {dim}"))).collect());
    let array = ArrayDirectory::create(path, &spec).unwrap();
    array.write(&Section::whole(dims).unwrap(), &elements(dims.iter().product())).unwrap();
    path.to_owned()
}

fn read(path: &Path) -> (Vec<u64>, Vec<u8>) {
    let array = ArrayDirectory::open(path).unwrap();
    check_finished(&array).unwrap();
    array.check().unwrap();
    let dims = array.metadata().dims;
    let mut elements = vec![0xAA; usize::try_from(dims.iter().product::<u64>() * 8).unwrap()];
    array.read(&Section::whole(&dims).unwrap(), &mut elements).unwrap();
    (dims.to_vec(), elements)
}

fn names(path: &Path) -> Vec<OsString> {
    let mut names: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

#[test]
fn on_any_number_of_ranks_the_target_is_the_permuted_source() {
    let (dims, scratch) = ([30u64, 20, 10], scratch());
    let source = numbered(&scratch.path().join("source"), &dims, &[7, 20, 3]);
    for (number, words) in ["", "-n 1", "-n 3", "-n 3 --io-processes 3 --files 4"].into_iter().enumerate() {
        let target = scratch.path().join(format!("target-{number}"));
        let found =
            facts(&source, &target, &format!("--brick 4,5,6 --order 2,0,1 --memory 2 --verify {words}"));
        assert_eq!(found["ranks"], if words.contains("-n 3") { 3 } else { 1 });
        assert_eq!((&found["bytes"], &found["elements_compared"]), (&48000.into(), &6000.into()));
        assert_eq!((&found["continued"], &found["verified"]), (&false.into(), &true.into()));
        let (got_dims, got) = read(&target);
        assert_eq!(got_dims, [10, 30, 20]);
        let mut expected = vec![];
        for k in 0..dims[2] {
            for (i, j) in (0..dims[0]).flat_map(|i| (0..dims[1]).map(move |j| (i, j))) {
                let number = (i * dims[1] + j) * dims[2] + k;
                expected.extend(f64::from(u32::try_from(number).unwrap()).to_le_bytes());
            }
        }
        assert!(got == expected, "{words}");
        let made = ArrayDirectory::open(&target).unwrap();
        assert_eq!(made.metadata().brick_shape[..], [4, 5, 6]);
        assert_eq!(made.metadata().attributes["units"], "hartree", "attributes of others are copied");
        let expected = [2, 0, 1].map(|dim| Some(format!("dimension {dim}")));
        assert_eq!(made.metadata().dimension_names.as_deref(), Some(&expected[..]));
        assert!(made.layout().shards_count() >= if number == 3 { 2 } else { 1 });
    }
    assert_eq!(read(&source).1, elements(6000), "the source is as it was");
}

#[test]
fn what_all_ranks_ask_of_their_files_is_told_by_the_first() {
    let scratch = scratch();
    let source = numbered(&scratch.path().join("source"), &[30, 20], &[7, 20]);
    let counts = scratch.path().join("counts.json");
    let mut command = reblock(&source, &scratch.path().join("target"), "--brick 5,5 -n 2 --io-processes 2");
    let output = command.env("CHEMIO_STATS", &counts).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let found: Value = serde_json::from_slice(&fs::read(&counts).unwrap()).unwrap();
    let ranks = found["ranks"].as_array().unwrap();
    let numbers: Vec<_> = ranks.iter().map(|rank| rank["rank"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [0, 1], "{found}");
    let moved = ["read", "aread"].map(|kind| found["sum"][kind]["bytes"].as_u64().unwrap());
    assert!(moved.iter().sum::<u64>() >= 4800, "{found}");
    assert_eq!(names(scratch.path()), ["counts.json", "source", "target"]);
}

#[test]
fn mistakes_are_one_line_and_change_nothing_on_any_number_of_ranks() {
    let scratch = scratch();
    let source = numbered(&scratch.path().join("source"), &[30, 20], &[7, 20]);
    let there = numbered(&scratch.path().join("there"), &[3], &[3]);
    let target = scratch.path().join("target");
    for ranks in ["", "-n 2"] {
        let refused =
            |source: &Path, target: &Path, words: &str| refused(source, target, &format!("{words} {ranks}"));
        assert!(refused(&source, &there, "--brick 2,2").contains("already"));
        assert!(refused(&source, &there, "--brick 2,2 --restart").contains("already"));
        assert!(refused(&scratch.path().join("missing"), &target, "").contains("no such array"));
        refused(&source, &scratch.path().join("missing/target"), "--brick 2,2");
        refused(&source, &source.join("target"), "--brick 2,2");
        for words in
            ["--brick 2", "--brick 2,0", "--order 0,0", "--order 0", "--order 0,2", "--io-processes 7"]
        {
            refused(&source, &target, words);
        }
    }
    assert_eq!(names(scratch.path()), ["source", "there"]);
    assert_eq!(read(&source).1, elements(600));
    // What the device is said to do by a variable, which ranks on other hosts need not have.
    for ranks in ["", "-n 2"] {
        let mut command = reblock(&source, &target, &format!("--brick 2,2 {ranks}"));
        let line = refused_by(command.env("CHEMIO_DEVICE", "read=x"));
        assert!(line.starts_with("chemio: CHEMIO_DEVICE: \"read=x\" says nothing"), "{line}");
    }
    let output = run(&source, &target, "--brick x");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_source_that_is_written_to_while_it_is_read_is_told_and_the_target_is_not_complete() {
    let scratch = scratch();
    let (source, target) = (scratch.path().join("source"), scratch.path().join("target"));
    let mut told = 0;
    for _ in 0..5 {
        let source = numbered(&source, &[2048, 2048], &[8, 2048]);
        let shard = ArrayDirectory::open(&source).unwrap().shard_path(0);
        let mut command = reblock(&source, &target, SLOWLY);
        let mut copying = command.stderr(Stdio::piped()).spawn().unwrap();
        while !target.join("zarr.json").exists() && copying.try_wait().unwrap().is_none() {}
        let shard = fs::File::options().write(true).open(shard).unwrap();
        while copying.try_wait().unwrap().is_none() && mark(&target).is_none_or(|mark| mark["pass"] != 1) {
            shard.set_modified(std::time::SystemTime::now()).unwrap();
        }
        let output = copying.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(2) {
            assert!(
                text.contains("the source was written to meanwhile") && text.contains("begins anew"),
                "{text}"
            );
            assert!(mark(&target).is_some());
            told += 1;
            assert_eq!(facts(&source, &target, SLOWLY)["continued"], false);
        }
        // Also if all was read before.
        assert!(read(&target).1 == expected_transposed());
        ArrayDirectory::delete(&target).unwrap();
        ArrayDirectory::delete(&source).unwrap();
    }
    assert!(told > 0, "every copy had read its source before it was written to");
}

#[test]
fn settings_that_mean_nothing_are_found_out_before_anything_is_made() {
    let scratch = scratch();
    let source = numbered(&scratch.path().join("source"), &[2048, 2048], &[8, 2048]);
    for ranks in ["", "-n 2"] {
        for (name, value) in [("CHEMIO_BACKEND", "aio"), ("CHEMIO_BUFFER_MB", "lots")] {
            // In several passes, of which the arrays between would be made too.
            let mut command = reblock(&source, &scratch.path().join("target"), &format!("{SLOWLY} {ranks}"));
            let line = refused_by(command.env(name, value));
            assert!(line.contains(&format!("{name}={value} is not understood: expected ")), "{line}");
            assert_eq!(names(scratch.path()), ["source"]);
        }
    }
}

#[test]
fn a_target_that_takes_much_more_than_its_elements_is_told_once_and_made() {
    let scratch = scratch();
    let source = numbered(&scratch.path().join("source"), &[300, 1], &[300, 1]);
    for ranks in ["", "-n 2"] {
        let target = scratch.path().join(format!("target{ranks}"));
        let output = run(&source, &target, &format!("--brick 10,5000 --json {ranks}"));
        assert!(output.status.success(), "{output:?}");
        let expected = "chemio: the target takes 12.0 MB on disk, of which elements are 2.40 kB: 30 bricks of 10 x 5000, \
                        401 kB each\n";
        assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let plan = &found["plan"];
        assert_eq!(plan["passes"][0]["to"], serde_json::json!([10, 5000]), "{found}");
        let told = plan["target_disk_bytes"].as_u64().unwrap();
        let array = ArrayDirectory::open(&target).unwrap();
        let shards = 0..array.layout().shards_count();
        let lengths: u64 = shards.map(|number| fs::metadata(array.shard_path(number)).unwrap().len()).sum();
        assert_eq!(told, lengths, "all bricks are in the array");
        assert!(read(&target).1 == elements(300));
    }
}

/// Starts a copy to `target` and kills all of it as soon as `is_time`, if it is not over before; what it says.
fn killed(mut command: Command, target: &Path, signal: Signal, is_time: impl Fn() -> bool) -> String {
    let mut child = command.process_group(0).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let group = Pid::from_child(&child);
    let began = Instant::now();
    while !is_time() && child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < TIME_LIMIT, "it hangs");
        sleep(Duration::from_millis(1));
    }
    let _ = kill_process_group(group, signal);
    let output = child.wait_with_output().unwrap();
    // Ranks are in groups of their own, which the launcher ends.
    while is_named_by_a_process(target) {
        assert!(began.elapsed() < TIME_LIMIT, "ranks do not end");
        sleep(Duration::from_millis(20));
    }
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Whether there is a process with this path among its arguments.
fn is_named_by_a_process(path: &Path) -> bool {
    let path = path.as_os_str().as_encoded_bytes();
    let names_it = |process: fs::DirEntry| {
        // It may have ended; nobody else has such a name.
        let arguments = fs::read(process.path().join("cmdline")).unwrap_or_default();
        arguments.split(|byte| *byte == 0).any(|argument| argument == path)
    };
    fs::read_dir("/proc").unwrap().flatten().any(names_it)
}

fn mark(target: &Path) -> Option<Value> {
    ArrayDirectory::open(target).ok()?.unfinished().cloned()
}

fn options() -> command::options::Reblocking {
    command::options::Reblocking {
        brick: vec![],
        order: vec![],
        memory: 1,
        ranks: None,
        io_processes: None,
        files: 1,
        device: Device::default(),
        bandwidth: None,
        operations: None,
        alone: None,
        memory_bandwidth: None,
    }
}

/// Four passes.
const SLOWLY: &str = "--brick 8,2048 --order 1,0 --memory 1 --operations 20000";

fn expected_transposed() -> Vec<u8> {
    let at = |row: u32, column: u32| f64::from(column * 2048 + row).to_le_bytes();
    (0..2048).flat_map(|row| (0..2048).flat_map(move |column| at(row, column))).collect()
}

#[test]
fn a_copy_that_was_killed_is_not_taken_for_an_array_and_the_same_command_completes_it() {
    let scratch = scratch();
    let source = numbered(&scratch.path().join("source"), &[2048, 2048], &[8, 2048]);
    let target = scratch.path().join("target");
    let mut unfinished = 0;
    for (ranks, signal) in
        [("", Signal::INT), ("-n 2", Signal::TERM), ("", Signal::KILL), ("-n 3", Signal::INT)]
    {
        let command = reblock(&source, &target, &format!("{SLOWLY} {ranks}"));
        // In the second pass: the first has been noted.
        let noted = || mark(&target).is_some_and(|mark| mark["pass"].as_u64() >= Some(1));
        let said = killed(command, &target, signal, noted);
        if mark(&target).is_some() {
            let lines: Vec<_> = said.lines().filter(|line| line.starts_with("chemio: ")).collect();
            // A launcher may kill ranks outright.
            let is_told = ranks.is_empty() && signal != Signal::KILL;
            assert!(lines.len() <= 1 && (lines.len() == 1 || !is_told), "{said}");
            unfinished += 1;
            // Something else is not continued.
            let line = refused(&source, &target, "--brick 9,2048 --order 1,0");
            assert!(line.contains("--restart"), "{line}");
            let found = facts(&source, &target, &format!("{SLOWLY} {ranks}"));
            assert_eq!(found["continued"], true, "{found}");
        }
        // Also if it was over before the signal came.
        assert!(read(&target).1 == expected_transposed());
        assert_eq!(names(scratch.path()), ["source", "target"], "arrays between passes are gone");
        ArrayDirectory::delete(&target).unwrap();
    }
    assert!(unfinished > 0, "every copy was over before it was killed");
    assert!(read(&source).1 == elements(2048 * 2048), "the source is as it was");
}

#[test]
fn a_square_matrix_that_was_interrupted_is_not_continued_in_another_order() {
    let scratch = scratch();
    let source = numbered(&scratch.path().join("source"), &[48, 48], &[8, 48]);
    let target = scratch.path().join("target");
    // What a copy leaves that was killed before its first note.
    let options = command::options::Reblocking { brick: vec![16, 16], ..options() };
    let interrupted = command::reblocking::Reblocking::new(&source, &options).unwrap();
    ArrayDirectory::create(&target, &interrupted.spec(0)).unwrap();
    for ranks in ["", "-n 2"] {
        let line = refused(&source, &target, &format!("--brick 16,16 --order 1,0 {ranks}"));
        assert!(line.contains("another unfinished array") && line.contains("--restart"), "{line}");
    }
    facts(&source, &target, "--brick 16,16 --order 1,0 --restart --verify");
    let names = ArrayDirectory::open(&target).unwrap().metadata().dimension_names.clone();
    assert_eq!(names.unwrap(), [1, 0].map(|dim| Some(format!("dimension {dim}"))));
    let at = |row: u32, column: u32| f64::from(column * 48 + row).to_le_bytes();
    let expected: Vec<u8> = (0..48).flat_map(|row| (0..48).flat_map(move |column| at(row, column))).collect();
    assert!(read(&target).1 == expected);
}

#[test]
fn of_an_array_between_passes_whose_removal_was_interrupted_nothing_is_left() {
    let scratch = scratch();
    let source = numbered(&scratch.path().join("source"), &[2048, 2048], &[8, 2048]);
    let target = scratch.path().join("target");
    // What is left may be all but the metadata, or the directory.
    let half_removed = |between: &Path| {
        numbered(between, &[6], &[2]);
        fs::create_dir(between.join(".chemio-old")).unwrap();
        fs::rename(between.join("zarr.json"), between.join(".chemio-old/zarr.json")).unwrap();
    };
    let empty = |between: &Path| fs::create_dir(between).unwrap();
    let leaves: [&dyn Fn(&Path); 2] = [&half_removed, &empty];
    for leave in leaves {
        let more_memory = SLOWLY.replace("--memory 1", "--memory 2") + " -n 2";
        for words in [SLOWLY, &more_memory] {
            let mut unfinished = None;
            for _ in 0..5 {
                let third = || mark(&target).is_some_and(|mark| mark["pass"].as_u64() >= Some(2));
                killed(reblock(&source, &target, SLOWLY), &target, Signal::KILL, third);
                unfinished = mark(&target).and_then(|mark| mark["pass"].as_u64());
                if unfinished.is_some() {
                    break;
                }
                ArrayDirectory::delete(&target).unwrap();
            }
            let pass = unfinished.expect("every copy was over before it was killed");
            let between = scratch.path().join(format!("target.pass-{}", pass - 1));
            let _ = fs::remove_dir_all(&between);
            leave(&between);
            let found = facts(&source, &target, words);
            // More memory makes another plan, which begins anew.
            assert_eq!(found["continued"], words == SLOWLY, "{found}");
            assert!(read(&target).1 == expected_transposed());
            assert_eq!(names(scratch.path()), ["source", "target"]);
            ArrayDirectory::delete(&target).unwrap();
        }
    }
}

#[test]
fn begun_anew_with_other_options_nothing_is_left_of_the_first_try() {
    let scratch = scratch();
    let source = numbered(&scratch.path().join("source"), &[2048, 2048], &[8, 2048]);
    let target = scratch.path().join("target");
    let between = scratch.path().join("target.pass-1");
    let mut unfinished = false;
    for _ in 0..5 {
        killed(reblock(&source, &target, SLOWLY), &target, Signal::KILL, || {
            between.join("zarr.json").exists()
        });
        unfinished = mark(&target).is_some();
        if unfinished {
            break;
        }
        ArrayDirectory::delete(&target).unwrap();
    }
    assert!(unfinished, "every copy was over before it was killed");
    let left = ArrayDirectory::open(&between).expect("it was there");
    let mark = &left.metadata().attributes[disk_array::between::BETWEEN];
    assert_eq!(mark["target"], "target", "chemio rm finds it by this");
    for ranks in ["", "-n 2"] {
        let line = refused(&between, &scratch.path().join("copy"), &format!("--brick 8,8 --verify {ranks}"));
        assert!(
            line.contains("an array between passes of target: ") && line.contains("copy again"),
            "{line}"
        );
    }
    assert_eq!(names(scratch.path()), ["source", "target", "target.pass-1"]);
    let found = facts(&source, &target, "--brick 512,512 --restart --verify");
    assert_eq!((&found["continued"], &found["verified"]), (&false.into(), &true.into()));
    assert_eq!(ArrayDirectory::open(&target).unwrap().metadata().brick_shape[..], [512, 512]);
    assert!(read(&target).1 == elements(2048 * 2048));
    assert_eq!(names(scratch.path()), ["source", "target"]);
}

#[test]
fn a_source_with_the_name_of_an_array_between_passes_is_kept() {
    let scratch = scratch();
    let source = numbered(&scratch.path().join("target.pass-1"), &[2048, 2048], &[8, 2048]);
    let target = scratch.path().join("target");
    for ranks in ["", "-n 2"] {
        let line = refused(&source, &target, &format!("{SLOWLY} {ranks}"));
        assert!(line.contains("needs this place"), "{line}");
        assert!(!target.exists(), "nothing was begun");
        assert!(read(&source).1 == elements(2048 * 2048));
    }
}

#[test]
fn what_is_reported_is_what_was_planned() {
    let scratch = scratch();
    let source = numbered(&scratch.path().join("source"), &[256, 512], &[8, 512]);
    let options = command::options::Reblocking {
        brick: vec![64, 30],
        order: vec![1, 0],
        ranks: Some(3),
        device: Device { text: "read=1500,operations=1,memory=9".to_owned(), is_from_variable: false },
        operations: Some(5000),
        alone: Some(20),
        memory_bandwidth: Some(8000),
        ..options()
    };
    let copy = command::reblocking::Reblocking::new(&source, &options).unwrap();
    let planned = copy.plan(3).unwrap();
    let words = "--brick 64,30 --order 1,0 --memory 1 --device read=1500,operations=1,memory=9 --operations 5000 \
                 --alone 20 --memory-bandwidth 8000 -n 3";
    let found = facts(&source, &scratch.path().join("target"), words);
    let memory = command::plan::Memory {
        given_bytes: copy.memory_bytes(3),
        buffers_bytes: copy.shares(3).unwrap().buffers,
    };
    let planned_facts = command::plan::to_json(&planned, &copy.target_room().unwrap(), memory);
    assert_eq!(found["plan"], planned_facts);
    assert_eq!(found["passes"], planned.passes().len());
}

#[test]
fn a_target_that_is_not_like_its_source_is_told_and_marked_and_the_same_command_mends_it() {
    let scratch = scratch();
    let source = numbered(&scratch.path().join("source"), &[2048, 2048], &[8, 2048]);
    for ranks in ["", "-n 3"] {
        let target = scratch.path().join("target");
        let words = format!("--brick 512,512 --memory 1 --verify {ranks}");
        // The last element, which is compared last, is another one as soon as everything has been copied.
        let told = (0..20).find_map(|_| {
            let mut child = reblock(&source, &target, &words).stderr(Stdio::piped()).spawn().unwrap();
            let is_copied = || ArrayDirectory::open(&target).is_ok_and(|array| array.unfinished().is_none());
            while !is_copied() && child.try_wait().unwrap().is_none() {}
            let array = ArrayDirectory::open(&target).unwrap();
            let last = Section::new(&[2047, 2047], &[2048, 2048]).unwrap();
            array.write(&last, &(-1f64).to_le_bytes()).unwrap();
            let output = child.wait_with_output().unwrap();
            if output.status.success() {
                // It was compared before.
                ArrayDirectory::delete(&target).unwrap();
                return None;
            }
            Some((output.status.code(), String::from_utf8(output.stderr).unwrap()))
        });
        let (status, line) = told.expect("every comparison was over before anything was changed");
        // Launchers add words of their own, and some a status.
        assert!(!ranks.is_empty() || status == Some(1), "{line}");
        assert!(line.contains("1 of 4194304 elements differ, first [2047, 2047] of "), "{line}");
        assert!(line.contains("marked as unfinished again"), "{line}");
        assert!(mark(&target).is_some());
        let found = facts(&source, &target, &words);
        assert_eq!((&found["continued"], &found["verified"]), (&false.into(), &true.into()));
        assert!(read(&target).1 == elements(2048 * 2048));
        ArrayDirectory::delete(&target).unwrap();
    }
}
