//! A process that has as many files open as it may, in a process of its own.

#[path = "it/support.rs"]
mod support;

use elio::{File, Mode, OpenOptions};
use support::Scratch;

/// No more files than this, whatever the hard limit was.
const OPEN_FILES_MAX: u32 = 64;

#[test]
fn files_can_be_closed_where_no_more_can_be_opened() {
    let scratch = Scratch::new();
    let limit = libc::rlimit { rlim_cur: OPEN_FILES_MAX.into(), rlim_max: OPEN_FILES_MAX.into() };
    // SAFETY: the limit is read during the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }, 0);
    let open = |i: usize| {
        let options = OpenOptions::new(Mode::ReadWrite);
        File::open(scratch.path(&format!("file-{i}")), &options)
    };
    let mut files: Vec<File> = (0..).map_while(|i| open(i).ok()).collect();
    assert!((1..OPEN_FILES_MAX as usize).contains(&files.len()), "{} files", files.len());
    for file in &files {
        file.write_at(0, b"all of it").unwrap();
    }
    let first = files.pop().expect("some are open");
    first.close().expect("all that was written is there");
    for file in files {
        file.close().expect("as for the first");
    }
}
