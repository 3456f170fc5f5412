//! A rank that is killed between a write and its wait, and ranks that end there. A suite cannot do that, so this binary starts jobs of
//! its own: one in which a rank dies, or all end, and one that looks at what is left.

use comm::Comm;
use rustix::process::{Signal, getpid, kill_process};
use sf::{CachePolicy, Hints, SharedFile};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs, thread};
use test_support::{job, run_within};

/// Tells a process that it is a rank: which part it plays, and where.
const PART: &str = "CHEMIO_SF_KILLED_PART";
const DIRECTORY: &str = "CHEMIO_SF_KILLED_DIRECTORY";
const VICTIM: usize = 1;
const RANKS: usize = 3;
const LEN: usize = 1 << 20;
/// Far beyond what either job takes, on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(120);

fn main() {
    let directory = env::var_os(DIRECTORY).map(PathBuf::from);
    match (env::var(PART).as_deref(), directory) {
        (Ok("dying"), Some(directory)) => be_a_rank_of_a_dying_job(&directory),
        (Ok("later"), Some(directory)) => look_at_what_is_left(&directory),
        (Ok("ending"), Some(directory)) => end_with_writes_that_nobody_has_waited_for(&directory),
        _ => {
            for stripes in [0, 2] {
                println!("test a_killed_rank_harms_nobody_elses_data ({stripes} stripes)");
                a_killed_rank_harms_nobody_elses_data(stripes);
            }
            println!("test what_ranks_hold_when_they_end_is_written");
            what_ranks_hold_when_they_end_is_written();
        }
    }
}

fn a_killed_rank_harms_nobody_elses_data(stripes: usize) {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = |name: String| directory.path().join(name);
    let stripes: Vec<PathBuf> = (0..stripes).map(|stripe| path(format!("stripes.{stripe}"))).collect();
    for stripe in &stripes {
        fs::create_dir(stripe).unwrap();
    }
    let run = |part: &str, ranks: usize| {
        let mut job = job(ranks);
        job.env(PART, part).env(DIRECTORY, directory.path());
        job.env("CHEMIO_SF_DIRS", env::join_paths(&stripes).unwrap());
        run_within(TIME_LIMIT, job)
    };
    let dying = run("dying", RANKS);
    assert!(!dying.success(), "a job whose rank was killed has ended well");
    assert!(under_way(directory.path()).exists(), "nothing was under way when the rank was killed");
    for rank in (0..RANKS).filter(|rank| *rank != VICTIM) {
        assert!(done(directory.path(), rank).exists(), "rank {rank} has not finished its writes");
    }
    assert!(run("later", 2).success(), "the later run has found something wrong");
    let left: Vec<_> = stripes.iter().flat_map(|stripe| fs::read_dir(stripe).unwrap()).collect();
    assert!(left.is_empty() && !directory.path().join("file").exists(), "{left:?}");
}

/// Records of ranks in turn, small enough to be held.
const RECORD_LEN: usize = 5000;
const RECORDS: usize = 10;

fn record(number: usize) -> Range<u64> {
    (number * RECORD_LEN) as u64..((number + 1) * RECORD_LEN) as u64
}

fn what_ranks_hold_when_they_end_is_written() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut job = job(RANKS);
    job.env(PART, "ending").env(DIRECTORY, directory.path()).env_remove("CHEMIO_SF_DIRS");
    assert!(run_within(TIME_LIMIT, job).success(), "a job that ends has failed");
    let found = fs::read(directory.path().join("file")).unwrap();
    assert!(found == bytes(&(0..record(RANKS * RECORDS).start)), "{} bytes", found.len());
}

fn end_with_writes_that_nobody_has_waited_for(directory: &Path) {
    let (comm, file) = create(directory);
    let start = |number| file.awrite(record(number).start, bytes(&record(number))).unwrap();
    let mut numbers = (comm.rank()..RANKS * RECORDS).step_by(RANKS);
    // Nothing is known of the first, which is not held.
    start(numbers.next().unwrap()).wait().unwrap();
    comm.barrier().unwrap();
    let requests: Vec<_> = numbers.map(start).collect();
    comm.barrier().unwrap();
    // MPI ends, and the requests are there. Most are held still: there is no moment in between for anybody to hand them over.
    drop(file);
    drop(comm);
    std::mem::forget(requests);
    std::process::exit(0);
}

fn done(directory: &Path, rank: usize) -> PathBuf {
    directory.join(format!("done.{rank}"))
}

/// The sign of the victim that it dies with writes that have not finished.
fn under_way(directory: &Path) -> PathBuf {
    directory.join("under way")
}

fn create(directory: &Path) -> (Arc<Comm>, SharedFile) {
    let comm = Arc::new(Comm::world().expect("MPI starts"));
    let file = open_with(&comm, directory, CachePolicy::default());
    (comm, file)
}

fn open_with(comm: &Arc<Comm>, directory: &Path, cache: CachePolicy) -> SharedFile {
    let hints = Hints { request_bytes: Some(100_000), ..Hints::default() };
    SharedFile::create_with(comm, &directory.join("file"), &hints, cache).expect("created")
}

/// What every rank has written and waited for before the death, and what the others did while the victim's writes were
/// under way. Ranks' ranges touch each other within pages.
fn before(rank: usize) -> Range<u64> {
    range(rank)
}

fn meanwhile(rank: usize) -> Range<u64> {
    range(RANKS + rank)
}

fn range(number: usize) -> Range<u64> {
    let start = (number * (LEN + 100)) as u64;
    start..start + (LEN + 100) as u64
}

fn bytes(range: &Range<u64>) -> Vec<u8> {
    range.clone().map(|at| at.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()[0] | 1).collect()
}

fn be_a_rank_of_a_dying_job(directory: &Path) {
    let (comm, file) = create(directory);
    // What goes to the device is never done by the call that asks for it, also where units of stripes are short copies.
    let around_cache = open_with(&comm, directory, CachePolicy::Bypass);
    let mine = before(comm.rank());
    file.awrite(mine.start, bytes(&mine)).unwrap().wait().unwrap();
    comm.barrier().unwrap();
    let mine = meanwhile(comm.rank());
    if comm.rank() == VICTIM {
        let middle = mine.start + 70_001;
        let _large = file.awrite(middle, vec![0xAA; LEN / 2]).unwrap();
        let _small = file.awrite(mine.start, vec![0xAA; 100]).unwrap();
        // Not before the others have shown that they can go on.
        while (0..RANKS).any(|rank| rank != VICTIM && !done(directory, rank).exists()) {
            thread::sleep(Duration::from_millis(5));
        }
        let _another = file.awrite(middle, vec![0xBB; LEN / 2]).unwrap();
        // So long that they are under way still, where nobody looks.
        let mut far = [1 << 30, 3 << 29].map(|at| around_cache.awrite(at, vec![0xCC; 64 << 20]).unwrap());
        if far.iter_mut().any(|write| !write.is_finished()) {
            fs::write(under_way(directory), "").unwrap();
        }
        kill_process(getpid(), Signal::KILL).unwrap();
    }
    file.awrite(mine.start, bytes(&mine)).unwrap().wait().unwrap();
    fs::write(done(directory, comm.rank()), "").unwrap();
    // From here on it is MPI's to end the job.
    let _ = comm.barrier();
}

fn look_at_what_is_left(directory: &Path) {
    let (comm, file) = create(directory);
    let ranges = (0..RANKS).map(before).chain((0..RANKS).filter(|rank| *rank != VICTIM).map(meanwhile));
    for range in ranges {
        let mut found = vec![0; LEN + 100];
        file.read(range.start, &mut found).unwrap();
        assert!(found == bytes(&range), "bytes {range:?}");
    }
    // The victim's own place holds what it wrote, or zeros, and takes new data.
    let victims = meanwhile(VICTIM);
    let mut found = vec![0; LEN + 100];
    file.read(victims.start, &mut found).unwrap();
    assert!(found.iter().all(|byte| [0, 0xAA, 0xBB].contains(byte)));
    comm.barrier().unwrap();
    if comm.rank() == 0 {
        file.write(victims.start, &bytes(&victims)).unwrap();
    }
    comm.barrier().unwrap();
    file.read(victims.start, &mut found).unwrap();
    assert!(found == bytes(&victims));
    comm.barrier().unwrap();
    file.destroy().unwrap();
}
