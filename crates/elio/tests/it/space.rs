//! Space on the device: allocated ahead of a writer, given back after it, and never taken for a sparse file.

use crate::support::{self, Scratch, pattern};
use elio::{File, FileSystem, Mode, OpenOptions, Route, Sharing};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const MIB: u64 = 1 << 20;

/// A child has all openings of this process until it becomes another program, and space is given back only of a file that nobody has
/// open: while one is started, nothing is to be given back.
static NO_CHILD: Mutex<()> = Mutex::new(());

fn without_children() -> MutexGuard<'static, ()> {
    NO_CHILD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn allocated_bytes(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().blocks() * 512
}

fn fill(path: &Path, len_bytes: u64) -> elio::File {
    let file = support::open(path);
    let chunk = vec![1; 256 << 10];
    for offset in (0..len_bytes).step_by(chunk.len()) {
        file.write_at(offset, &chunk).unwrap();
    }
    file
}

/// Returns when so much is allocated. Polls: a helper gives back, and a busy disk takes its time for that.
fn wait_until_at_most(path: &Path, bytes: u64) {
    let given_back = (0..6000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        allocated_bytes(path) <= bytes
    });
    assert!(given_back, "{} MiB are still allocated", allocated_bytes(path) / MIB);
}

#[test]
fn space_allocated_ahead_is_given_back_after_close() {
    let _no_child = without_children();
    let scratch = Scratch::new();
    let path = scratch.path("file");
    let file = fill(&path, 24 * MIB);
    if elio::stat(path.parent().unwrap()).unwrap().file_system == FileSystem::Local {
        assert!(allocated_bytes(&path) > 32 * MIB, "nothing was allocated ahead of the writer");
    }
    file.close().unwrap();
    wait_until_at_most(&path, 25 * MIB);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 24 * MIB);
}

/// Longer than whoever gives back waits for others to close a private file.
const LONG_OPEN: Duration = Duration::from_millis(700);

#[test]
fn space_allocated_ahead_is_given_back_after_whoever_opens_the_file_at_once_to_read_it_has_closed_it() {
    let _no_child = without_children();
    let scratch = Scratch::new();
    for number in 0..4 {
        let path = scratch.path(&format!("file-{number}"));
        let writer = fill(&path, 12 * MIB);
        writer.close().unwrap();
        let reader = File::open(&path, &OpenOptions::new(Mode::Read)).unwrap();
        assert_eq!(reader.read_at(0, &mut [0; 4096]).unwrap(), 4096);
        std::thread::sleep(LONG_OPEN);
        reader.close().unwrap();
        wait_until_at_most(&path, 13 * MIB);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 12 * MIB);
    }
}

#[test]
fn space_allocated_ahead_is_given_back_whoever_closes_the_file_last() {
    let _no_child = without_children();
    let scratch = Scratch::new();
    for (number, mode) in [Mode::Read, Mode::ReadWrite, Mode::Read].into_iter().enumerate() {
        let path = scratch.path(&format!("file-{number}"));
        let writer = fill(&path, 12 * MIB);
        let other = File::open(&path, &OpenOptions::new(mode)).unwrap();
        if elio::stat(&path).unwrap().file_system == FileSystem::Local {
            assert!(allocated_bytes(&path) > 20 * MIB, "nothing was allocated ahead of the writer");
        }
        if mode == Mode::ReadWrite {
            other.write_at(0, &[2; 4096]).unwrap();
        }
        writer.close().unwrap();
        if number < 2 {
            std::thread::sleep(LONG_OPEN);
        }
        other.close().unwrap();
        wait_until_at_most(&path, 13 * MIB);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 12 * MIB);
    }
}

#[test]
fn space_allocated_ahead_of_who_writes_the_front_of_a_file_anew_is_given_back_after_close() {
    let _no_child = without_children();
    let scratch = Scratch::new();
    let path = scratch.path("file");
    fill(&path, 40 * MIB).close().unwrap();
    wait_until_at_most(&path, 41 * MIB);
    let file = fill(&path, 12 * MIB);
    if elio::stat(path.parent().unwrap()).unwrap().file_system == FileSystem::Local {
        assert!(allocated_bytes(&path) > 48 * MIB, "nothing was allocated ahead of the writer");
    }
    file.close().unwrap();
    wait_until_at_most(&path, 41 * MIB);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 40 * MIB);
}

#[test]
fn nothing_is_allocated_ahead_by_a_wait_after_close() {
    let _no_child = without_children();
    let scratch = Scratch::new();
    for is_read in [false, true] {
        let path = scratch.path(&format!("file-{is_read}"));
        let file = support::open(&path);
        // Who only reads can give nothing back.
        let reader = is_read.then(|| File::open(&path, &OpenOptions::new(Mode::Read)).unwrap());
        // So much is left to a worker even where it has no core of its own.
        let mut request = file.submit_write(0, pattern(0, 9 << 20)).unwrap();
        file.close().unwrap();
        assert_eq!(request.wait().unwrap(), 9 << 20);
        drop((request, reader));
        assert!(allocated_bytes(&path) <= 10 * MIB, "{} MiB are allocated", allocated_bytes(&path) / MIB);
    }
}

#[test]
fn space_is_given_back_when_a_device_is_closed_that_waited_for_writeback_by_another_opening() {
    let _no_child = without_children();
    let scratch = Scratch::new();
    let path = scratch.path("file");
    let device = support::device(&path);
    assert_eq!(device.write(Route::Cached, 0, &pattern(0, 4096)).unwrap(), 4096);
    if device.allocate(0, 64 * MIB).is_err() {
        return eprintln!("nothing can be allocated ahead in {}", path.display());
    }
    device.start_writeback(0, 4096).unwrap();
    device.wait_writeback(0, 4096).unwrap();
    assert!(allocated_bytes(&path) >= 64 * MIB);
    device.release_beyond(4096, Sharing::Exclusive);
    std::thread::sleep(Duration::from_millis(50)); // time for a helper that would come too early
    drop(device);
    wait_until_at_most(&path, MIB);
}

/// How often this process has a file open that has no name any more.
fn openings_of_removed(path: &Path) -> usize {
    let removed = format!("{} (deleted)", path.display());
    let is_it = |entry: &std::io::Result<std::fs::DirEntry>| {
        let leads_to = std::fs::read_link(entry.as_ref().unwrap().path());
        leads_to.is_ok_and(|leads_to| leads_to.as_os_str() == &*removed)
    };
    std::fs::read_dir("/proc/self/fd").unwrap().filter(is_it).count()
}

#[test]
fn a_file_that_was_removed_is_not_kept_open_to_give_back_space() {
    let _no_child = without_children();
    let scratch = Scratch::new();
    for removed_first in [true, false] {
        let path = scratch.path("file");
        let device = support::device(&path);
        if device.allocate(0, 64 * MIB).is_err() {
            return eprintln!("nothing can be allocated ahead in {}", path.display());
        }
        // While this is open nothing can be given back, which is tried for a while.
        let other = std::fs::File::open(&path).unwrap();
        device.release_beyond(0, Sharing::Shared);
        if removed_first {
            elio::File::delete(&path).unwrap();
            drop(device);
        } else {
            drop(device);
            std::thread::sleep(Duration::from_millis(20));
            elio::File::delete(&path).unwrap();
        }
        let is_closed = (0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            openings_of_removed(&path) == 1
        });
        assert!(is_closed, "removed first: {removed_first}");
        drop(other);
    }
}

#[test]
fn space_is_given_back_of_an_open_file_unless_it_is_opened_elsewhere() {
    let _no_child = without_children();
    let scratch = Scratch::new();
    let path = scratch.path("file");
    let device = support::device(&path);
    if device.allocate(0, 64 * MIB).is_err() || device.properties().direct.is_none() {
        return eprintln!("nothing can be given back in {}", path.display());
    }
    assert_eq!(device.write(Route::Cached, 0, &pattern(0, 100_000)).unwrap(), 100_000);
    device.start_writeback(0, 100_000).unwrap();
    device.wait_writeback(0, 100_000).unwrap();
    let other = std::fs::File::open(&path).unwrap();
    let error = device.release_now().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock, "{error}");
    drop(other);
    device.release_now().unwrap();
    assert!(allocated_bytes(&path) < MIB);
    assert_eq!(std::fs::read(&path).unwrap(), pattern(0, 100_000));
}

#[test]
fn space_is_given_back_of_an_open_file_that_has_no_name_any_more() {
    let _no_child = without_children();
    let scratch = Scratch::new();
    let path = scratch.path("file");
    let device = support::device(&path);
    if device.allocate(0, 64 * MIB).is_err() || device.properties().direct.is_none() {
        return eprintln!("nothing can be given back in {}", path.display());
    }
    std::fs::remove_file(&path).unwrap();
    assert!(device.allocated_bytes().unwrap() >= 64 * MIB);
    device.release_now().unwrap();
    assert!(device.allocated_bytes().unwrap() < MIB);
}

#[test]
fn what_is_written_while_space_is_given_back_stays() {
    let _no_child = without_children();
    let scratch = Scratch::new();
    let path = scratch.path("file");
    let device = support::device(&path);
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let record = vec![1; 4096];
    let given_back_count = std::thread::scope(|scope| {
        let giving_back = scope.spawn(|| {
            let mut given_back_count = 0;
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = device.allocate(0, 16 * MIB);
                given_back_count += usize::from(device.release_now().is_ok());
            }
            given_back_count
        });
        for i in 0..20_000 {
            assert_eq!(device.write(Route::Cached, i * 4096, &record).unwrap(), 4096);
            assert_eq!(device.len().unwrap(), (i + 1) * 4096);
        }
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        giving_back.join().unwrap()
    });
    assert!(given_back_count > 0 || device.properties().direct.is_none());
    assert!(std::fs::read(&path).unwrap().iter().all(|&byte| byte == 1));
}

#[test]
fn what_another_process_appends_after_close_is_never_cut_off() {
    let _no_other_child = without_children();
    for _ in 0..20 {
        let scratch = Scratch::new();
        let path = scratch.path("file");
        fill(&path, 10 * MIB).close().unwrap();
        let status = std::process::Command::new("sh")
            .args(["-c", "printf appended >> \"$0\"", path.to_str().unwrap()])
            .status()
            .unwrap();
        assert!(status.success());
        std::thread::sleep(Duration::from_millis(5)); // time for a helper that would do harm
        assert!(std::fs::read(&path).unwrap().ends_with(b"appended"));
    }
}

#[test]
fn a_sparse_file_stays_sparse() {
    let scratch = Scratch::new();
    let path = scratch.path("file");
    let file = support::open(&path);
    for i in 0..100 {
        file.write_at(i * 64 * MIB, &[1; 4096]).unwrap();
    }
    file.sync().unwrap();
    assert!(allocated_bytes(&path) < 2 * MIB, "{} bytes are allocated", allocated_bytes(&path));
}
