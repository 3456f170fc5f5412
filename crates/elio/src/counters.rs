//! What a program asks of its files, and how long it is kept by that: counted file by file where `CHEMIO_STATS` is set, or where
//! the program [asks for it](count_files). Nothing is counted otherwise, at the cost of one comparison a call.

use crate::device::Properties;
use crate::file::{CachePolicy, Handle, OpenOptions};
use crate::sys::fork::OfProcess;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::{env, sync::atomic::AtomicBool};

/// Whoever sets it wants to know: `1`, or the name of a file for whoever prints. Empty or `0` is as if it were not set.
const VARIABLE: &str = "CHEMIO_STATS";
/// So many files are told apart; those that come later are counted together.
const FILES_COUNT_MAX: usize = 4096;
/// The name of all that come later.
const OTHERS: &str = "(other files)";

/// The calls of one kind on one file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// How many calls.
    pub calls: u64,
    /// How many bytes they were asked to move (for waits: the bytes of the requests waited for).
    pub bytes: u64,
    /// How long the caller spent in them.
    pub seconds: f64,
}

impl Tally {
    /// Bytes per second over 10^6; zero where no time was spent.
    #[allow(clippy::cast_precision_loss)] // a rate is printed with two decimals
    pub fn megabytes_per_second(&self) -> f64 {
        if self.seconds > 0.0 { self.bytes as f64 / self.seconds / 1e6 } else { 0.0 }
    }
}

/// The running count behind a [`Tally`]: three relaxed additions a call.
#[derive(Debug, Default)]
pub struct Counter {
    calls: AtomicU64,
    bytes: AtomicU64,
    ticks: AtomicU64,
}

impl Counter {
    /// Runs `call` and counts it with `bytes` bytes and the time it took, whether it fails or not.
    pub fn time<T>(&self, bytes: usize, call: impl FnOnce() -> T) -> T {
        let begin = crate::ticks();
        let result = call();
        self.note_since(begin, bytes);
        result
    }

    fn note_since(&self, begin: u64, bytes: usize) {
        self.ticks.fetch_add(crate::ticks().saturating_sub(begin), Relaxed);
        self.note(bytes);
    }

    /// Counts a call that took no time.
    pub fn note(&self, bytes: usize) {
        self.calls.fetch_add(1, Relaxed);
        self.bytes.fetch_add(bytes as u64, Relaxed);
    }

    /// What was counted so far.
    #[allow(clippy::cast_precision_loss)] // what is lost of 2^53 ticks is less than a tick in a month
    pub fn tally(&self) -> Tally {
        let seconds = self.ticks.load(Relaxed) as f64 * crate::tick_seconds();
        Tally { calls: self.calls.load(Relaxed), bytes: self.bytes.load(Relaxed), seconds }
    }
}

/// What was asked of one file, by all handles that it had.
#[derive(Clone, Debug, PartialEq)]
pub struct FileStatistics {
    /// Its name; not that of a directory of links.
    pub path: PathBuf,
    /// What moves its bytes: `uring`, `pread`, or `memory`.
    pub backend: &'static str,
    /// Its cache policy: `auto`, `keep` or `bypass`.
    pub cache: &'static str,
    /// How often it was opened.
    pub opened: u64,
    /// Blocking reads.
    pub read: Tally,
    /// Blocking writes.
    pub write: Tally,
    /// Asynchronous reads: the time is that of starting them.
    pub aread: Tally,
    /// Asynchronous writes: the time is that of starting them.
    pub awrite: Tally,
    /// Waits for asynchronous requests that were not finished when they were made.
    pub wait: Tally,
}

impl FileStatistics {
    /// The kinds of calls, by name.
    pub fn tallies(&self) -> [(&'static str, Tally); 5] {
        [
            ("read", self.read),
            ("write", self.write),
            ("aread", self.aread),
            ("awrite", self.awrite),
            ("wait", self.wait),
        ]
    }
}

/// The running counts of one file.
#[derive(Debug, Default)]
pub(crate) struct FileCounters {
    opened: AtomicU64,
    pub(crate) read: Counter,
    pub(crate) write: Counter,
    pub(crate) aread: Counter,
    pub(crate) awrite: Counter,
    pub(crate) wait: Counter,
}

/// A file, its backend and its policy.
type Key = (PathBuf, &'static str, &'static str);

static FILES: OfProcess<Mutex<BTreeMap<Key, Arc<FileCounters>>>> =
    OfProcess::new([const { Mutex::new(BTreeMap::new()) }; 2]);
static COUNTS: AtomicBool = AtomicBool::new(false);

fn files() -> MutexGuard<'static, BTreeMap<Key, Arc<FileCounters>>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts from now on what is asked of files that are opened, whatever `CHEMIO_STATS` says.
pub fn count_files() {
    COUNTS.store(true, Relaxed);
}

/// What `CHEMIO_STATS` says, if it says that files are counted.
pub fn asked_for() -> Option<std::ffi::OsString> {
    env::var_os(VARIABLE).filter(|value| !value.is_empty() && value != "0")
}

fn counts() -> bool {
    static ASKED: OfProcess<Once> = OfProcess::undone();
    ASKED.call_once(|| {
        if asked_for().is_some() {
            count_files();
        }
    });
    COUNTS.load(Relaxed)
}

/// What was asked of the files that were opened since they are counted, in the order of their names.
pub fn file_statistics() -> Vec<FileStatistics> {
    let statistics = |((path, backend, cache), counters): (&Key, &Arc<FileCounters>)| FileStatistics {
        path: path.clone(),
        backend,
        cache,
        opened: counters.opened.load(Relaxed),
        read: counters.read.tally(),
        write: counters.write.tally(),
        aread: counters.aread.tally(),
        awrite: counters.awrite.tally(),
        wait: counters.wait.tally(),
    };
    files().iter().map(statistics).collect()
}

/// Where the calls on a file that is being opened are counted, if they are.
pub(crate) fn of_file(
    path: &Path,
    properties: Properties,
    options: &OpenOptions,
) -> Option<Arc<FileCounters>> {
    if !counts() {
        return None;
    }
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut files = files();
    let mut key = (path, backend(properties), policy(options.cache));
    if files.len() >= FILES_COUNT_MAX && !files.contains_key(&key) {
        key.0 = PathBuf::from(OTHERS);
    }
    let counters = Arc::clone(files.entry(key).or_default());
    counters.opened.fetch_add(1, Relaxed);
    Some(counters)
}

fn backend(properties: Properties) -> &'static str {
    match (properties.ring, properties.in_memory()) {
        (Some(_), _) => "uring",
        (None, true) => "memory",
        (None, false) => "pread",
    }
}

fn policy(cache: CachePolicy) -> &'static str {
    match cache {
        CachePolicy::Auto => "auto",
        CachePolicy::Keep => "keep",
        CachePolicy::Bypass => "bypass",
    }
}

impl Handle {
    /// Runs `call`, and counts it if calls on this file are.
    #[inline]
    pub(crate) fn counted<T>(
        &self,
        kind: impl FnOnce(&FileCounters) -> &Counter,
        bytes: usize,
        call: impl FnOnce() -> T,
    ) -> T {
        match &self.counters {
            None => call(),
            Some(counters) => kind(counters).time(bytes, call),
        }
    }

    /// The same of a call that may turn out not to be one: `is_done` tells of its result.
    pub(crate) fn counted_if<T>(
        &self,
        kind: impl FnOnce(&FileCounters) -> &Counter,
        bytes: usize,
        call: impl FnOnce() -> T,
        is_done: impl FnOnce(&T) -> bool,
    ) -> T {
        let Some(counters) = &self.counters else { return call() };
        let begin = crate::ticks();
        let result = call();
        if is_done(&result) {
            kind(counters).note_since(begin, bytes);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use crate::{File, Mode, OpenOptions, count_files, file_statistics};

    #[test]
    fn calls_and_bytes_are_those_that_were_asked_for_and_handles_of_one_file_are_counted_together() {
        count_files();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("counted");
        let file = File::open(&path, &OpenOptions::new(Mode::ReadWrite)).unwrap();
        for number in 0..7 {
            file.write_at(number * 1000, &[1; 1000]).unwrap();
        }
        let other = File::open(&path, &OpenOptions::new(Mode::Read)).unwrap();
        let mut request = other.submit_read(0, vec![0; 500]).unwrap();
        request.wait().unwrap();
        assert_eq!(other.read_at(6999, &mut [0; 10]).unwrap(), 1);
        assert!(other.write_at(0, &[0]).is_err(), "what is refused is not counted");
        drop(request);
        file.close().unwrap();
        other.close().unwrap();
        let found = file_statistics().into_iter().find(|found| found.path == path).unwrap();
        let counts = |name| {
            found
                .tallies()
                .into_iter()
                .find(|tally| tally.0 == name)
                .map(|(_, tally)| (tally.calls, tally.bytes))
        };
        assert_eq!(found.opened, 2);
        assert_eq!(counts("write"), Some((7, 7000)));
        assert_eq!(counts("read"), Some((1, 10)));
        assert_eq!(counts("aread"), Some((1, 500)));
        assert_eq!((counts("awrite"), found.cache), (Some((0, 0)), "auto"));
    }
}
