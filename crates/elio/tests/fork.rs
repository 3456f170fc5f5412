//! A forked child that uses files, in a process of its own: a child has what other tests are doing, too.

#[path = "it/support.rs"]
mod support;

use elio::{CachePolicy, File, Mode, OpenOptions, Route, Sharing};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{Scratch, pattern};

const LEN: usize = 8 << 20;
const REQUEST: usize = 1 << 20;
/// Too short for a worker to have a part in it.
const SHORT: usize = 32 << 10;
/// Are gathered.
const RECORD: usize = 1600;
const RECORDS: usize = 100;
/// Long enough for any machine: only what hangs takes longer.
const PATIENCE_SECONDS: u32 = 60;

/// Whether all of a file is read well in every way, nothing of it from the page cache at first.
fn is_read(file: &File) -> bool {
    support::drop_cache(file);
    let mut whole = vec![0; LEN];
    let is_whole = file.read_at(0, &mut whole).is_ok_and(|bytes| bytes == LEN) && whole == pattern(0, LEN);
    support::drop_cache(file);
    is_whole && is_read_by_requests(file)
}

/// Some that are waited for, and one that is only asked whether it is done.
fn is_read_by_requests(file: &File) -> bool {
    let offsets = (0..LEN as u64).step_by(REQUEST);
    let Ok(mut requests) =
        offsets.map(|at| file.submit_read(at, vec![0; REQUEST])).collect::<elio::Result<Vec<_>>>()
    else {
        return false;
    };
    while !requests[LEN / REQUEST - 1].test() {
        std::thread::yield_now();
    }
    requests.into_iter().enumerate().all(|(i, request)| {
        let expected = pattern((i * REQUEST) as u64, REQUEST);
        request.finish().is_ok_and(|(bytes, buffer)| bytes == REQUEST && buffer == expected)
    })
}

/// The process number of a child that does `work` and ends, well if it was `true`.
fn fork(work: impl FnOnce() -> bool) -> libc::pid_t {
    // SAFETY: the child only calls this crate, which does without what its parent's threads may have locked, and ends by `_exit`.
    match unsafe { libc::fork() } {
        0 => {
            // SAFETY: no memory is passed.
            unsafe { libc::alarm(PATIENCE_SECONDS) };
            let is_well = catch_unwind(AssertUnwindSafe(work)).unwrap_or(false);
            // SAFETY: as above. Nothing of the parent's is dropped here.
            unsafe { libc::_exit(i32::from(!is_well)) }
        }
        child => child,
    }
}

/// How a child ended; `None` if it has not.
fn ended(child: libc::pid_t) -> Option<libc::c_int> {
    let mut status = 0;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(u64::from(PATIENCE_SECONDS)) {
        // SAFETY: `status` has room for what the call fills in.
        match unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } {
            0 => std::thread::sleep(Duration::from_millis(1)),
            answer => return (answer == child).then_some(status),
        }
    }
    None
}

#[test]
fn a_forked_child_reads_files_by_itself_and_its_parent_goes_on() {
    // SAFETY: no memory is passed. What hangs, waiting for the other's transfers, fails.
    unsafe { libc::alarm(3 * PATIENCE_SECONDS) };
    let scratch = Scratch::new();
    let path = scratch.path("file");
    let file = support::open(&path);
    file.write_at(0, &pattern(0, LEN)).unwrap();
    support::make_cold(&file);
    assert!(is_read(&file), "before there is a child");
    // While requests are in the ring only; a thread that moves one could hold a lock when the child is made, which nobody would open there.
    let (cache, sharing) = (CachePolicy::Bypass, Sharing::Shared);
    let options = OpenOptions { cache, sharing, ..OpenOptions::new(Mode::Read) };
    let quiet = File::open(&path, &options).unwrap();
    let in_flight_count: u64 = if quiet.properties().ring == Some(Route::Direct) { 64 } else { 0 };
    let opens_anew = || File::open(&path, &OpenOptions::new(Mode::Read)).is_ok_and(|file| is_read(&file));
    for round in 0..10 {
        support::drop_cache(&file);
        let offsets = (0..in_flight_count).map(|i| 3 * i * SHORT as u64 + 1);
        let requests: Vec<_> =
            offsets.map(|at| (at, quiet.submit_read(at, vec![0; SHORT]).unwrap())).collect();
        let child = fork(|| if round % 2 == 0 { is_read(&file) } else { opens_anew() });
        assert!(child > 0);
        for (at, request) in requests {
            let (bytes, buffer) = request.finish().unwrap();
            assert!(bytes == SHORT && buffer == pattern(at, SHORT), "at {at} in round {round}");
        }
        assert!(is_read(&file), "the parent, in round {round}");
        assert_eq!(ended(child), Some(0), "the child of round {round}");
    }
}

/// Small records one after the other, so that they are gathered by who gathers, and a large one that nobody waits for.
fn leave_behind(file: &File) -> bool {
    let is_written = (0..RECORDS).all(|i| {
        let at = (i * RECORD) as u64;
        file.write_at(at, &pattern(at, RECORD)).is_ok()
    });
    let at = (RECORDS * RECORD) as u64;
    let is_started = file.submit_write(at, pattern(at, LEN)).map(std::mem::forget).is_ok();
    is_written && is_started
}

#[test]
fn what_a_forked_child_has_written_is_there_when_it_has_ended() {
    let scratch = Scratch::new();
    let path = scratch.path("written by a child");
    let file = support::open(&path);
    for round in 0..10 {
        file.set_len(0).unwrap();
        let opens_anew = || leave_behind(&support::open(&path));
        let child = fork(|| if round % 2 == 0 { leave_behind(&file) } else { opens_anew() });
        assert_eq!(ended(child), Some(0), "the child of round {round}");
        assert!(std::fs::read(&path).unwrap() == pattern(0, RECORDS * RECORD + LEN), "round {round}");
    }
}

fn wait_for(mark: &Path) {
    let begin = Instant::now();
    while !mark.exists() {
        assert!(begin.elapsed() < Duration::from_secs(u64::from(PATIENCE_SECONDS)), "{}", mark.display());
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_forked_child_reads_what_its_parent_has_written_before_and_does_not_write_it_once_more() {
    let scratch = Scratch::new();
    let path = scratch.path("written by a parent");
    let file = support::open(&path);
    for round in 0..20 {
        let value = round + 1;
        (0..RECORDS).for_each(|i| file.write_at((i * RECORD) as u64, &[value; RECORD]).unwrap());
        let [is_read, is_overwritten] =
            ["read", "overwritten"].map(|what| scratch.path(&format!("{what} {round}")));
        let child = fork(|| {
            let mut read = vec![0; RECORDS * RECORD];
            let opens_anew = |into: &mut [u8]| support::open(&path).read_at(0, into);
            let outcome = if round % 2 == 0 { file.read_at(0, &mut read) } else { opens_anew(&mut read) };
            std::fs::write(&is_read, "").unwrap();
            wait_for(&is_overwritten);
            outcome.is_ok() && read.iter().all(|&byte| byte == value) && file.flush().is_ok()
        });
        wait_for(&is_read);
        file.write_at(0, &vec![0; RECORDS * RECORD]).unwrap();
        std::fs::write(&is_overwritten, "").unwrap();
        assert_eq!(ended(child), Some(0), "the child of round {round}");
        let is_kept = std::fs::read(&path).unwrap().iter().all(|&byte| byte == 0);
        assert!(is_kept, "the child of round {round} has written what its parent had");
    }
}

#[test]
fn children_of_a_process_whose_threads_use_files_use_files_and_exit() {
    const CHILDREN: usize = 50;
    let scratch = Scratch::new();
    let shared = support::open(&scratch.path("shared by threads"));
    let stops = AtomicBool::new(false);
    let use_files = |number: usize| {
        let path = scratch.path(&format!("of thread {number}"));
        while !stops.load(Ordering::Relaxed) {
            let file = support::open(&path);
            let mut read = vec![0; RECORD];
            for at in (0..RECORDS * RECORD).step_by(RECORD).map(|at| at as u64) {
                file.write_at(at, &pattern(at, RECORD)).unwrap();
                shared.write_at(at, &pattern(at, RECORD)).unwrap();
                shared.read_at(at, &mut read).unwrap();
            }
            file.close().unwrap();
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|number| scope.spawn(move || use_files(number))).collect();
        let children = (0..CHILDREN).map(|_| {
            let child = fork(|| {
                let is_used =
                    leave_behind(&shared) && leave_behind(&support::open(&scratch.path("of child")));
                // SAFETY: what is called at the end is ours alone.
                unsafe { libc::exit(i32::from(!is_used)) }
            });
            ended(child)
        });
        let failed_count = children.filter(|status| *status != Some(0)).count();
        stops.store(true, Ordering::Relaxed);
        assert_eq!(failed_count, 0);
        for thread in threads {
            thread.join().unwrap();
        }
    });
}
