//! A rank that is killed while an array is being re-blocked. A suite cannot do that, so this binary starts jobs of its own: one
//! in which a rank dies, and a later run, on another number of ranks, that must not take the target for complete, and completes
//! it.

use dra::{Access, ArrayDirectory, ArraySpec, BrickShape, Bricks, Context, DataType, Settings};
use layout::{DeviceModel, Permutation};
use reblock::Options;
use rustix::process::{Signal, getpid, kill_process};
use section::Section;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, thread};
use test_support::{job, run_within};

/// Tells a process that it is a rank: which part it plays, and where.
const PART: &str = "CHEMIO_REBLOCK_KILLED_PART";
const DIRECTORY: &str = "CHEMIO_REBLOCK_KILLED_DIRECTORY";
/// After so many steps.
const STEPS: &str = "CHEMIO_REBLOCK_KILLED_STEPS";
const RANKS: usize = 2;
const VICTIM: usize = 1;
const DIMS: [u64; 2] = [512, 768];
/// Far beyond what any job takes, on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(120);

fn main() {
    let directory = env::var_os(DIRECTORY).map(PathBuf::from);
    match (env::var(PART).as_deref(), directory) {
        (Ok("making"), Some(directory)) => make(&directory),
        (Ok("dying"), Some(directory)) => {
            let steps = env::var(STEPS).ok().and_then(|text| text.parse().ok()).expect("a number of steps");
            copy_and_die(&directory, steps);
        }
        (Ok("later"), Some(directory)) => look_and_complete(&directory),
        _ => {
            println!("test a_target_whose_writer_was_killed_is_completed_by_a_later_run");
            a_target_whose_writer_was_killed_is_completed_by_a_later_run();
        }
    }
}

fn run(directory: &Path, part: &str, ranks: usize, steps: u32) -> bool {
    let mut job = job(ranks);
    job.env(PART, part).env(DIRECTORY, directory).env(STEPS, steps.to_string());
    run_within(TIME_LIMIT, job).success()
}

fn a_target_whose_writer_was_killed_is_completed_by_a_later_run() {
    for (steps, ranks) in [(0, 1), (1, 2), (3, 3), (7, 2), (12, 1), (17, 2)] {
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        assert!(run(directory.path(), "making", RANKS, 0), "the arrays were not made");
        assert!(!run(directory.path(), "dying", RANKS, steps), "a job whose rank was killed has ended well");
        assert!(run(directory.path(), "later", ranks, 0), "the later run has found something wrong");
        let left: Vec<_> =
            std::fs::read_dir(directory.path()).unwrap().flatten().map(|e| e.file_name()).collect();
        assert_eq!(left.len(), 2, "only source and target are there: {left:?}");
    }
}

fn spec(dims: &[u64], brick: &[u64]) -> ArraySpec {
    let mut spec = ArraySpec::new(dims, DataType::Float64).unwrap();
    spec.bricks = Bricks::Exact(BrickShape::exact(brick).unwrap());
    spec.attributes.io_processes_hint = 2;
    spec
}

fn context(ga: &ga::Context) -> Context {
    // The same for all ranks together, so that another number of ranks has the same plan.
    let memory_bytes = Some(120_000 / ga.ranks() as u64);
    dra_ga::context(ga, Settings { memory_bytes, io_processes: None }).expect("a context")
}

fn options() -> Options {
    let device = DeviceModel { operations_per_second: 20_000, ..DeviceModel::default() };
    Options { device, noted_bytes: 300_000, ..Options::default() }
}

fn value_at(at: u64) -> [u8; 8] {
    f64::from(u32::try_from(at).expect("few elements")).to_le_bytes()
}

/// The source, and an empty target.
fn make(directory: &Path) {
    let ga = ga::Context::new().expect("MPI starts");
    let disk = context(&ga);
    let source = disk.create(&directory.join("source"), &spec(&DIMS, &[2, 768]), Access::ReadWrite);
    source.expect("created").close().expect("closed");
    let target = disk.create(&directory.join("target"), &spec(&[768, 512], &[3, 512]), Access::ReadWrite);
    target.expect("created").close().expect("closed");
    if ga.rank() == 0 {
        let elements: Vec<u8> = (0..DIMS[0] * DIMS[1]).flat_map(value_at).collect();
        let source = ArrayDirectory::open(&directory.join("source")).unwrap();
        source.write(&Section::whole(&DIMS).unwrap(), &elements).unwrap();
    }
    ga.sync().expect("a barrier");
}

/// Copies; `after_step` is called after every step with their number.
fn copy(directory: &Path, ga: &ga::Context, mut after_step: impl FnMut(u32)) -> reblock::Outcome {
    let disk = context(ga);
    let source = disk.open(&directory.join("source"), Access::ReadOnly).expect("opened");
    let mut target = disk.open(&directory.join("target"), Access::ReadWrite).expect("opened");
    let turned = Permutation::new(&[1, 0]).unwrap();
    let mut steps = 0;
    let done =
        reblock::copy(&disk, &dra_ga::maker(ga), (&source, &mut target), &turned, &options(), &mut |_| {
            after_step(steps);
            steps += 1;
        });
    let done = done.expect("copied");
    target.close().expect("closed");
    source.close().expect("closed");
    done
}

fn copy_and_die(directory: &Path, steps: u32) {
    let ga = ga::Context::new().expect("MPI starts");
    let is_victim = ga.rank() == VICTIM;
    copy(directory, &ga, |step| {
        if is_victim && step == steps {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
    });
    // Not reached by all.
    thread::sleep(TIME_LIMIT);
}

fn look_and_complete(directory: &Path) {
    let ga = ga::Context::new().expect("MPI starts");
    let path = directory.join("target");
    let note =
        ArrayDirectory::open(&path).expect("it opens").metadata().attributes.get(dra::UNFINISHED).cloned();
    let note = note.expect("it is not taken for complete");
    ga.sync().expect("all have looked");
    let done = copy(directory, &ga, |_| {});
    let is_begun = ["pass", "template", "steps"].iter().any(|&key| note[key] != 0);
    assert!(done.plan.passes().len() > 1, "{}", done.plan);
    assert_eq!(done.is_continued, is_begun, "{note}");
    if ga.rank() == 0 {
        let target = ArrayDirectory::open(&path).unwrap();
        assert!(!target.metadata().attributes.contains_key(dra::UNFINISHED));
        let mut elements = vec![0; section::size(DIMS[0] * DIMS[1] * 8)];
        target.read(&Section::whole(&[DIMS[1], DIMS[0]]).unwrap(), &mut elements).unwrap();
        for (at, element) in (0..).zip(elements.chunks_exact(8)) {
            let (column, row) = (at / DIMS[0], at % DIMS[0]);
            assert_eq!(element, value_at(row * DIMS[1] + column), "row {row}, column {column}");
        }
    }
    ga.sync().expect("a barrier");
}
