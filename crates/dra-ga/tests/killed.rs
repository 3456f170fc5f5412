//! A rank that is killed while an array is being written. A suite cannot do that, so this binary starts jobs of its own: one in
//! which a rank dies, and a later run, on another number of ranks, that looks at what is left.

use dra::{Access, ArrayDirectory, ArraySpec, DataType, Settings, Transfer};
use rustix::process::{Signal, getpid, kill_process};
use section::Section;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, thread};
use test_support::{job, run_within};

/// Tells a process that it is a rank: which part it plays, and where.
const PART: &str = "CHEMIO_DRA_KILLED_PART";
const DIRECTORY: &str = "CHEMIO_DRA_KILLED_DIRECTORY";
const DELAY: &str = "CHEMIO_DRA_KILLED_DELAY_MS";
/// Both are I/O processes.
const VICTIM: usize = 1;
const RANKS: usize = 2;
/// 32 MiB of doubles.
const DIMS: [u64; 2] = [2048, 2048];
/// Far beyond what any job takes, on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(120);

fn main() {
    let directory = env::var_os(DIRECTORY).map(PathBuf::from);
    match (env::var(PART).as_deref(), directory) {
        (Ok("writing"), Some(directory)) => write(&directory, 1.0, None),
        (Ok("dying"), Some(directory)) => {
            let delay = env::var(DELAY).ok().and_then(|text| text.parse().ok()).expect("a delay");
            write(&directory, 2.0, Some(Duration::from_millis(delay)));
        }
        (Ok("creating"), Some(directory)) => create_and_die(&directory),
        (Ok("later"), Some(directory)) => look_at_what_is_left(&directory),
        _ => {
            println!("test an_array_whose_writer_was_killed_opens_with_old_and_new_elements");
            an_array_whose_writer_was_killed_opens_with_old_and_new_elements();
            println!("test an_array_whose_creator_was_killed_can_be_created_again");
            an_array_whose_creator_was_killed_can_be_created_again();
        }
    }
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

fn spec() -> ArraySpec {
    let mut spec = ArraySpec::new(&DIMS, DataType::Float64).unwrap();
    spec.attributes.brick_hint = vec![256, 256];
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
