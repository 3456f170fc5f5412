//! A rank that is killed while an array is being written. A suite cannot do that, so this binary starts jobs of its own: one in
//! which a rank dies, and a later run, on another number of ranks, that looks at what is left.

use dra::{Access, ArrayDirectory, ArraySpec, BrickShape, Bricks, DataType, Settings, Transfer};
use rustix::process::{Signal, getpid, kill_process};
use section::Section;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use std::{env, thread};
use test_support::{exit_code, job, note_not_run, run_on_two_hosts, run_within};

/// Tells a process that it is a rank: which part it plays, and where.
const PART: &str = "CHEMIO_DRA_KILLED_PART";
const DIRECTORY: &str = "CHEMIO_DRA_KILLED_DIRECTORY";
const DELAY: &str = "CHEMIO_DRA_KILLED_DELAY_MS";
/// Both are I/O processes.
const VICTIM: usize = 1;
const RANKS: usize = 2;
/// 32 MiB of doubles.
const DIMS: [u64; 2] = [2048, 2048];
/// Of parts, which are replaced over and over: 1 MiB, in eight bricks.
const PARTS_DIMS: [u64; 2] = [256, 512];
/// Far beyond what any job takes, on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    let directory = env::var_os(DIRECTORY).map(PathBuf::from);
    match (env::var(PART).as_deref(), directory) {
        (Ok("writing"), Some(directory)) => write(&directory, 1.0, None),
        (Ok("dying"), Some(directory)) => {
            write(&directory, 2.0, Some(Duration::from_millis(delay_ms())));
        }
        (Ok("creating"), Some(directory)) => create_and_die(&directory),
        (Ok("later"), Some(directory)) => look_at_what_is_left(&directory),
        (Ok("replacing"), Some(directory)) => replace_parts_and_die(&directory),
        (Ok("later on hosts"), Some(directory)) => look_at_the_parts_that_are_left(&directory),
        _ => {
            println!("test an_array_whose_writer_was_killed_opens_with_old_and_new_elements");
            an_array_whose_writer_was_killed_opens_with_old_and_new_elements();
            println!("test an_array_whose_creator_was_killed_can_be_created_again");
            an_array_whose_creator_was_killed_can_be_created_again();
            println!("test parts_whose_replacement_was_killed_are_one_array_or_none");
            parts_whose_replacement_was_killed_are_one_array_or_none();
        }
    }
    exit_code()
}

fn delay_ms() -> u64 {
    env::var(DELAY).ok().and_then(|text| text.parse().ok()).expect("a delay")
}

fn run(directory: &Path, part: &str, ranks: usize, delay_ms: u64) -> bool {
    let mut job = job(ranks);
    job.env(PART, part).env(DIRECTORY, directory).env(DELAY, delay_ms.to_string());
    run_within(TIME_LIMIT, job).success()
}

fn an_array_whose_writer_was_killed_opens_with_old_and_new_elements() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    assert!(run(directory.path(), "writing", 3, 0), "the array was not written");
    for delay_ms in [0, 2, 5, 10, 20] {
        assert!(
            !run(directory.path(), "dying", RANKS, delay_ms),
            "a job whose rank was killed has ended well"
        );
        assert!(run(directory.path(), "later", 1, 0), "the later run has found something wrong");
    }
}

fn an_array_whose_creator_was_killed_can_be_created_again() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for _ in 0..3 {
        assert!(!run(directory.path(), "creating", RANKS, 0), "a job whose rank was killed has ended well");
    }
    assert!(run(directory.path(), "writing", RANKS, 0), "the array was not written");
    assert!(run(directory.path(), "later", 3, 0), "the later run has found something wrong");
    ArrayDirectory::delete(&directory.path().join("array")).unwrap();
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "something is left behind");
}

fn parts_whose_replacement_was_killed_are_one_array_or_none() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = env::current_exe().expect("this binary has a path");
    let run = |part: &str, delay_ms: u64| {
        let directory = directory.path().display();
        let variables =
            [format!("{PART}={part}"), format!("{DIRECTORY}={directory}"), format!("{DELAY}={delay_ms}")];
        let command = ["env".to_owned()].into_iter().chain(variables).chain([program.display().to_string()]);
        run_on_two_hosts(1, None, &program, &command.collect::<Vec<_>>(), TIME_LIMIT)
    };
    for delay_ms in [20, 31, 43, 57] {
        match run("replacing", delay_ms) {
            // Or it had to be ended.
            Ok(ended) => {
                let is_well = ended.is_some_and(|status| status.success());
                assert!(!is_well, "a job whose rank was killed has ended well");
            }
            Err(reason) => {
                return note_not_run(&reason);
            }
        }
        let later = run("later on hosts", 0).expect("hosts").expect("an end");
        assert!(later.success(), "the later run has found something wrong");
    }
}

fn spec() -> ArraySpec {
    let mut spec = ArraySpec::new(&DIMS, DataType::Float64).unwrap();
    spec.attributes.brick_hint = vec![256, 256];
    spec.files = 3;
    spec
}

fn parts_spec() -> ArraySpec {
    let mut spec = ArraySpec::new(&PARTS_DIMS, DataType::Float64).unwrap();
    spec.bricks = Bricks::Exact(BrickShape::exact(&[128, 128]).unwrap());
    spec.files = 3;
    spec
}

/// Fills the array with `value`, making it if it is not there. With a delay, one rank is killed so long after it began.
fn write(directory: &Path, value: f64, delay: Option<Duration>) {
    let ga = ga::Context::new().expect("MPI starts");
    let disk = dra_ga::context(&ga, Settings::default()).expect("a context");
    let path = directory.join("array");
    let array = if delay.is_some() {
        disk.open(&path, Access::ReadWrite)
    } else {
        disk.create(&path, &spec(), Access::ReadWrite)
    };
    let array = array.expect("there");
    let memory = ga.array(ga::ElementType::Double, &DIMS).create().expect("an array");
    memory.fill(value.into()).expect("filled");
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    let mut request = array.write(&dra_ga::in_memory(&memory), &all).expect("started");
    if let Some(delay) = delay.filter(|_| ga.rank() == VICTIM) {
        thread::sleep(delay);
        kill_process(getpid(), Signal::KILL).unwrap();
    }
    request.wait().expect("written");
    array.close().expect("closed");
    memory.destroy().expect("destroyed");
}

/// One rank is killed while the ranks are making an array.
fn create_and_die(directory: &Path) {
    let ga = ga::Context::new().expect("MPI starts");
    let disk = dra_ga::context(&ga, Settings::default()).expect("a context");
    if ga.rank() == VICTIM {
        thread::spawn(|| {
            thread::sleep(Duration::from_millis(1));
            kill_process(getpid(), Signal::KILL).unwrap();
        });
    }
    let _ = disk.create(&directory.join("array"), &spec(), Access::ReadWrite);
    ga.sync().expect("not reached by all");
    thread::sleep(TIME_LIMIT);
}

fn look_at_what_is_left(directory: &Path) {
    let path = directory.join("array");
    let whole = ArrayDirectory::open(&path).expect("it opens");
    whole.check().expect("it is whole");
    let mut elements = vec![0; section::size(DIMS[0] * DIMS[1] * 8)];
    whole.read(&Section::whole(&DIMS).unwrap(), &mut elements).expect("it can be read");
    let (old, new) = (1f64.to_le_bytes(), 2f64.to_le_bytes());
    for (at, element) in elements.chunks_exact(8).enumerate() {
        assert!(element == old || element == new, "element {at}: {element:?}");
    }
    let ga = ga::Context::new().expect("MPI starts");
    let disk = dra_ga::context(&ga, Settings::default()).expect("a context");
    disk.open(&path, Access::ReadWrite).expect("it opens for writing").close().expect("closed");
}

/// The same path on all hosts, on which it leads to a directory of each host's own that stays when the test hosts are gone.
fn own_array(directory: &Path) -> PathBuf {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("a name");
    let own = directory.join(host.trim());
    std::fs::create_dir_all(&own).expect("a directory");
    env::set_current_dir(own).expect("a directory");
    PathBuf::from("/proc/self/cwd/array")
}

/// One rank is killed while the ranks replace an array by another one, over and over. All elements of each are its number, which no other
/// has, of this job or of one before.
fn replace_parts_and_die(directory: &Path) {
    let ga = ga::Context::new().expect("MPI starts");
    let disk = dra_ga::context(&ga, Settings::default()).expect("a context");
    let path = own_array(directory);
    let memory = ga.array(ga::ElementType::Double, &PARTS_DIMS).create().expect("an array");
    let all = Transfer::whole(&PARTS_DIMS, &PARTS_DIMS).unwrap();
    let first = 1000 * u32::try_from(delay_ms()).expect("a short time");
    for number in first.. {
        let array = disk.create(&path, &parts_spec(), Access::ReadWrite).expect("created");
        memory.fill(f64::from(number).into()).expect("filled");
        array.write(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("written");
        array.close().expect("closed");
        if number == first && ga.rank() == VICTIM {
            thread::spawn(|| {
                thread::sleep(Duration::from_millis(delay_ms()));
                kill_process(getpid(), Signal::KILL).unwrap();
            });
        }
    }
}

/// An array of which all was written, or one that was being written, or a new one; never one that has parts of two.
fn look_at_the_parts_that_are_left(directory: &Path) {
    let ga = ga::Context::new().expect("MPI starts");
    let disk = dra_ga::context(&ga, Settings::default()).expect("a context");
    let path = own_array(directory);
    let array = disk.open(&path, Access::ReadWrite).unwrap_or_else(|error| {
        assert_eq!(error.code(), dra::codes::MISSING, "{error}");
        disk.create(&path, &parts_spec(), Access::ReadWrite).expect("created")
    });
    assert_eq!(array.hosts().len(), 2);
    let memory = ga.array(ga::ElementType::Double, &PARTS_DIMS).create().expect("an array");
    let all = Transfer::whole(&PARTS_DIMS, &PARTS_DIMS).unwrap();
    array.read(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("read");
    array.close().expect("closed");
    let mut bytes = vec![0; section::size(PARTS_DIMS[0] * PARTS_DIMS[1] * 8)];
    let into = ga::PatchMut::of_bytes(&mut bytes, ga::ElementType::Double, &PARTS_DIMS).expect("a patch");
    memory.get(&memory.whole(), into).expect("got");
    ga.sync().expect("read by all");
    memory.destroy().expect("destroyed");
    let mut numbers: Vec<&[u8]> = bytes.chunks_exact(8).filter(|element| **element != [0; 8]).collect();
    numbers.dedup();
    assert!(numbers.len() <= 1, "of {} arrays: {numbers:?}", numbers.len());
    if ga.rank() == 0 {
        println!(
            "left: {:?}",
            numbers.first().map(|number| f64::from_le_bytes((*number).try_into().unwrap()))
        );
    }
}
