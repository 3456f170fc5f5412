//! What files have that programs leave, in processes of their own: they end by themselves, and have no children that have their files
//! open, too.

#[path = "it/support.rs"]
mod support;

use elio::{File, FileSystem, Mode, OpenOptions, Sharing};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;
use std::{env, fs, thread};
use support::{Scratch, pattern};

const MIB: u64 = 1 << 20;
const RECORD: usize = 1 << 20;
const RECORDS: usize = 20;
/// Tells a process which one of how many it is, and what it does.
const PART: &str = "CHEMIO_ELIO_ENDING_PART";
const DIRECTORY: &str = "CHEMIO_ELIO_ENDING_DIRECTORY";

/// What a process does with the file before it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Leaves,
    Closes,
    /// As `Leaves`, long after the others.
    LeavesLate,
    /// As `Leaves`, without having written anything.
    Reads,
    /// As `Leaves`, with as many files open as it may have.
    LeavesAtLimit,
    /// As `Leaves`, of two files that all have open: each writes one of them.
    WritesOneOfTwo,
}

const PARTS: [Part; 6] =
    [Part::Leaves, Part::Closes, Part::LeavesLate, Part::Reads, Part::LeavesAtLimit, Part::WritesOneOfTwo];

fn start(directory: &Path, ranks: &[Part]) -> Vec<Child> {
    let start = |(rank, part): (usize, &Part)| {
        let number = PARTS.iter().position(|other| other == part).unwrap();
        Command::new(env::current_exe().unwrap())
            .args(["--exact", "one_of_the_processes"])
            .env(PART, format!("{rank} {} {number}", ranks.len()))
            .env(DIRECTORY, directory)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    ranks.iter().enumerate().map(start).collect()
}

/// Not a test, unless it is started by one.
#[test]
fn one_of_the_processes() {
    let (Ok(part), Some(directory)) = (env::var(PART), env::var_os(DIRECTORY).map(PathBuf::from)) else {
        return;
    };
    let numbers: Vec<usize> = part.split(' ').map(|number| number.parse().unwrap()).collect();
    let [rank, ranks, part] = numbers[..] else { panic!("{part}") };
    let part = PARTS[part];
    let sharing = if ranks > 1 { Sharing::Shared } else { Sharing::Exclusive };
    let options = OpenOptions { sharing, ..OpenOptions::new(Mode::ReadWrite) };
    if part == Part::WritesOneOfTwo {
        return write_one_of_two(&directory, rank, ranks, &options);
    }
    let file = File::open(directory.join("file"), &options).unwrap();
    let meet = |when: &str| meet(&directory, when, rank, ranks);
    meet("open");
    for record in (0..RECORDS).filter(|_| part != Part::Reads) {
        let at = ((record * ranks + rank) * RECORD) as u64;
        file.write_at(at, &pattern(at, RECORD)).unwrap();
    }
    meet("written");
    if rank == 0 && elio::stat(&directory).unwrap().file_system == FileSystem::Local {
        let allocated_bytes = fs::metadata(directory.join("file")).unwrap().blocks() * 512;
        assert!(allocated_bytes > file.len().unwrap() + 8 * MIB, "nothing is allocated ahead");
    }
    meet("looked at");
    match part {
        Part::Closes => file.close().unwrap(),
        Part::LeavesLate => {
            thread::sleep(Duration::from_millis(2500));
            std::mem::forget(file);
        }
        Part::LeavesAtLimit => {
            support::limit_open_files(64);
            let others: Vec<_> = (0..).map_while(|_| fs::File::open("/dev/null").ok()).collect();
            assert!(!others.is_empty(), "the limit was met before");
            std::mem::forget((file, others));
        }
        Part::Leaves | Part::Reads | Part::WritesOneOfTwo => std::mem::forget(file),
    }
}

fn meet(directory: &Path, when: &str, rank: usize, ranks: usize) {
    fs::write(directory.join(format!("{when}.{rank}")), "").unwrap();
    while !(0..ranks).all(|rank| directory.join(format!("{when}.{rank}")).exists()) {
        thread::sleep(Duration::from_millis(1));
    }
}

fn write_one_of_two(directory: &Path, rank: usize, ranks: usize, options: &OpenOptions) {
    let files = [0, 1].map(|number| File::open(directory.join(format!("file.{number}")), options).unwrap());
    meet(directory, "open", rank, ranks);
    for record in (0..RECORDS).filter(|_| rank < 2) {
        let at = (record * RECORD) as u64;
        files[rank].write_at(at, &pattern(at, RECORD)).unwrap();
    }
    meet(directory, "written", rank, ranks);
    std::mem::forget(files);
}

fn no_space_is_left_beyond_the_end_by(ranks: &[Part]) {
    let scratch = Scratch::new();
    let path = scratch.path("file");
    for mut child in start(path.parent().unwrap(), ranks) {
        assert!(child.wait().unwrap().success());
    }
    let found = fs::metadata(&path).unwrap();
    assert!(found.len() > 0 && found.blocks() * 512 <= found.len() + MIB, "{ranks:?}: {found:?}");
    let content = fs::read(&path).unwrap();
    for (record, bytes) in content.chunks(RECORD).enumerate() {
        let is_written = ranks[record % ranks.len()] != Part::Reads;
        let at = (record * RECORD) as u64;
        assert!(if is_written { bytes == pattern(at, RECORD) } else { bytes.iter().all(|byte| *byte == 0) });
    }
}

#[test]
fn a_file_that_a_program_leaves_has_the_space_that_it_needs() {
    no_space_is_left_beyond_the_end_by(&[Part::Leaves]);
    no_space_is_left_beyond_the_end_by(&[Part::Closes]);
    no_space_is_left_beyond_the_end_by(&[Part::LeavesAtLimit]);
}

#[test]
fn a_file_that_several_processes_leave_at_once_has_the_space_that_it_needs() {
    for _ in 0..5 {
        no_space_is_left_beyond_the_end_by(&[Part::Leaves; 3]);
        no_space_is_left_beyond_the_end_by(&[Part::Closes; 3]);
    }
}

#[test]
fn whoever_leaves_a_file_last_gives_back_what_others_have_reserved() {
    no_space_is_left_beyond_the_end_by(&[Part::Closes, Part::Leaves, Part::LeavesLate]);
    no_space_is_left_beyond_the_end_by(&[Part::Leaves, Part::Reads]);
}

#[test]
fn files_that_all_have_open_and_one_has_written_have_the_space_that_they_need() {
    for _ in 0..5 {
        let scratch = Scratch::new();
        let path = scratch.path("file");
        for mut child in start(path.parent().unwrap(), &[Part::WritesOneOfTwo; 3]) {
            assert!(child.wait().unwrap().success());
        }
        for number in [0, 1] {
            let found = fs::metadata(path.with_extension(number.to_string())).unwrap();
            assert_eq!(found.len(), (RECORDS * RECORD) as u64);
            assert!(found.blocks() * 512 <= found.len() + MIB, "file {number}: {found:?}");
        }
    }
}
