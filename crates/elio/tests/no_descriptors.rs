//! A process that has as many files open as it may, in a process of its own.

#[path = "it/support.rs"]
mod support;

use elio::{File, FileSystem, Mode, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::time::Duration;
use support::Scratch;

/// No more files than this, whatever the hard limit was.
const OPEN_FILES_MAX: u32 = 64;
const MIB: u64 = 1 << 20;

#[test]
fn files_can_be_closed_where_no_more_can_be_opened() {
    let scratch = Scratch::new();
    support::limit_open_files(OPEN_FILES_MAX);
    let open = |i: usize| {
        let options = OpenOptions::new(Mode::ReadWrite);
        File::open(scratch.path(&format!("file-{i}")), &options)
    };
    let long = open(0).unwrap();
    for at in (0..24).map(|record| record * MIB) {
        long.write_at(at, &vec![1; 1 << 20]).unwrap();
    }
    let long_path = scratch.path("file-0");
    let allocated_bytes = || std::fs::metadata(&long_path).unwrap().blocks() * 512;
    if elio::stat(&long_path).unwrap().file_system == FileSystem::Local {
        assert!(allocated_bytes() > 32 * MIB, "nothing was allocated ahead of the writer");
    }
    let mut files: Vec<File> = (1..).map_while(|i| open(i).ok()).collect();
    assert!((1..OPEN_FILES_MAX as usize).contains(&files.len()), "{} files", files.len());
    for file in &files {
        file.write_at(0, b"all of it").unwrap();
    }
    // No descriptor is needed to give back what was allocated ahead: there is none but its own.
    long.close().unwrap();
    let is_given_back = || {
        std::thread::sleep(Duration::from_millis(10));
        allocated_bytes() <= 25 * MIB
    };
    assert!((0..1000).any(|_| is_given_back()), "{} MiB are still allocated", allocated_bytes() / MIB);
    let first = files.pop().expect("some are open");
    first.close().expect("all that was written is there");
    for file in files {
        file.close().expect("as for the first");
    }
}
