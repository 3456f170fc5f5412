//! What the device gives, by fio: `io_uring`, direct, in the directory of the run. The file is laid out ahead (fio's default),
//! because direct writes that extend a file wait for one another, and synced at the end. Of requests that it replays fio counts neither
//! those that are in flight when the last one starts nor the sync, which is timed here for this.
//!
//! Its buffers are in huge pages where the C library can have them: to a disk that takes a transfer in pieces, one for each stretch of
//! contiguous memory, 1 MiB in pages of 4 KiB is 256 of them, and a virtual one gives half or less then of what it can.
//!
//! And what the kernel gives through its page cache: `pwrite` of a file whose space is reserved, and `pread`, nothing synced.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::disk::page_reporting;
use crate::disk::replay::Replay;
use crate::disk::scratch::Scratch;
use crate::error::{BenchError, step};
use crate::statistics::median;

/// Bytes per second the device, or the page cache, gives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Limit {
    /// Writing; to the device until it is there.
    pub(crate) write: f64,
    /// Reading.
    pub(crate) read: f64,
}

/// What fio is asked to do with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Load {
    /// Bytes of the file.
    pub(crate) size_bytes: u64,
    /// Bytes of each transfer.
    pub(crate) block_bytes: u64,
    /// Transfers in flight, of each job.
    pub(crate) depth: u32,
    /// Jobs at once, each in a part of the file of its own.
    pub(crate) jobs: usize,
}

impl Load {
    /// The limit of the device: 1 MiB blocks, 16 in flight.
    pub(crate) fn limit(size_bytes: u64, jobs: usize) -> Self {
        Self { size_bytes, block_bytes: 1 << 20, depth: 16, jobs }
    }

    /// Whole blocks, at least one.
    fn bytes_of_job(self) -> u64 {
        let bytes = self.size_bytes / self.jobs as u64;
        (bytes / self.block_bytes).max(1) * self.block_bytes
    }

    fn arguments(self, direction: &str, file: &Path) -> Vec<String> {
        let bytes = self.bytes_of_job();
        let mut arguments = vec![
            "--end_fsync=1".to_owned(),
            format!("--rw={direction}"),
            format!("--iodepth={}", self.depth),
            format!("--size={bytes}"),
            format!("--offset_increment={bytes}"),
        ];
        arguments.extend(self.common_arguments(file));
        arguments
    }

    /// Job after job moves one block, and goes on behind those of the others.
    fn cached_arguments(self, direction: &str, file: &Path) -> Vec<String> {
        let [block, bytes] = [self.block_bytes, self.bytes_of_job()];
        let skipped = block * (self.jobs as u64 - 1);
        let rw = if skipped == 0 { direction.to_owned() } else { format!("{direction}:{skipped}") };
        let mut arguments = vec![
            format!("--rw={rw}"),
            format!("--filesize={}", bytes * self.jobs as u64),
            format!("--io_size={bytes}"),
            format!("--offset_increment={block}"),
        ];
        arguments.extend(self.common_arguments(file));
        arguments
    }

    fn common_arguments(self, file: &Path) -> [String; 4] {
        [
            "--name=limit".to_owned(),
            format!("--filename={}", file.display()),
            format!("--bs={}", self.block_bytes),
            format!("--numjobs={}", self.jobs),
        ]
    }
}

/// Makes malloc of glibc ask for huge pages, which it has from 2.35 on. Others do not know it.
const HUGE_PAGES: (&str, &str) = ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");

/// What is moved.
#[derive(Debug)]
pub(crate) enum Work {
    /// All of a file, by blocks of one size.
    Blocks(Load),
    /// The same through the page cache, block by block, by jobs that take turns.
    Cached(Load),
    /// Parts of a file; speeds are of the bytes that are wanted of it.
    Parts(Replay),
}

impl From<Load> for Work {
    fn from(load: Load) -> Self {
        Self::Blocks(load)
    }
}

impl From<Replay> for Work {
    fn from(replay: Replay) -> Self {
        Self::Parts(replay)
    }
}

impl Work {
    /// What fio calls the way of the bytes.
    fn way(&self) -> &'static [&'static str] {
        match self {
            Self::Blocks(_) | Self::Parts(_) => &["--ioengine=io_uring", "--direct=1", "--iomem_align=2M"],
            Self::Cached(_) => {
                &["--ioengine=psync", "--fallocate=posix", "--invalidate=0", "--scramble_buffers=0"]
            }
        }
    }
}

/// The fio executable and what it found so far for one piece of work.
#[derive(Debug)]
pub(crate) struct Fio {
    executable: PathBuf,
    work: Work,
    found: Vec<Limit>,
}

#[derive(Debug, Deserialize)]
struct Output {
    jobs: Vec<Job>,
}

#[derive(Debug, Deserialize)]
struct Job {
    read: Direction,
    write: Direction,
}

#[derive(Debug, Deserialize)]
struct Direction {
    bw_bytes: f64,
}

impl Fio {
    /// Before anything was measured.
    pub(crate) fn new(executable: &Path, work: impl Into<Work>) -> Self {
        Self { executable: executable.to_owned(), work: work.into(), found: Vec::new() }
    }

    /// Measures once more, on a new file.
    pub(crate) fn measure(&mut self, scratch: &Scratch) -> Result<(), BenchError> {
        let file = scratch.file("limit");
        page_reporting::settle();
        let found = match &self.work {
            Work::Blocks(_) | Work::Cached(_) => Limit {
                write: self.run("write", file.path(), scratch)?.write.bw_bytes,
                read: self.run("read", file.path(), scratch)?.read.bw_bytes,
            },
            Work::Parts(replay) => {
                replay.make(file.path())?;
                let written = self.run("write", file.path(), scratch)?.write.bw_bytes;
                let synced_seconds = seconds_of_sync(file.path())?;
                let read = self.run("read", file.path(), scratch)?.read.bw_bytes;
                Limit { write: replay.durable(written, synced_seconds), read: read * replay.wanted_part() }
            }
        };
        self.found.push(found);
        Ok(())
    }

    /// Reads a file that is there, and no shorter than the work; in bytes per second. What is found is not kept.
    pub(crate) fn read_file(&self, file: &Path, scratch: &Scratch) -> Result<f64, BenchError> {
        Ok(self.run("read", file, scratch)?.read.bw_bytes)
    }

    /// The median of what was found.
    pub(crate) fn limit(&self) -> Option<Limit> {
        let write = median(self.found.iter().map(|limit| limit.write))?;
        let read = median(self.found.iter().map(|limit| limit.read))?;
        Some(Limit { write, read })
    }

    fn run(&self, direction: &str, file: &Path, scratch: &Scratch) -> Result<Job, BenchError> {
        // The logs have to be there until fio is done.
        let (arguments, _logs) = match &self.work {
            Work::Blocks(load) => (load.arguments(direction, file), Vec::new()),
            Work::Cached(load) => (load.cached_arguments(direction, file), Vec::new()),
            Work::Parts(replay) => replay.arguments(direction, file, scratch)?,
        };
        let output = Command::new(&self.executable)
            .env(HUGE_PAGES.0, HUGE_PAGES.1)
            .args(["--thread", "--group_reporting", "--output-format=json"])
            .args(self.work.way())
            .args(arguments)
            .output()
            .map_err(step("starting", &self.executable))?;
        parse(&output.stdout).ok_or_else(|| failure(&output.stderr))
    }
}

fn seconds_of_sync(file: &Path) -> Result<f64, BenchError> {
    let written = fs::File::open(file).map_err(step("opening", file))?;
    let begin = Instant::now();
    written.sync_all().map_err(step("syncing", file))?;
    Ok(begin.elapsed().as_secs_f64())
}

/// The one job of a run, or the group of them. fio may print notes before the JSON begins.
fn parse(output: &[u8]) -> Option<Job> {
    let begin = output.iter().position(|&byte| byte == b'{')?;
    let output: Output = serde_json::from_slice(&output[begin..]).ok()?;
    output.jobs.into_iter().next()
}

fn failure(said: &[u8]) -> BenchError {
    BenchError::Fio { message: format!("no figure; it said: {}", String::from_utf8_lossy(said).trim()) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Load, parse};

    #[test]
    fn notes_before_the_json_are_skipped() {
        let output = br#"fio: a note
            {"jobs": [{"read": {"bw_bytes": 0}, "write": {"bw_bytes": 2500000000}}]}"#;
        assert_eq!(parse(output).map(|job| job.write.bw_bytes), Some(2.5e9));
    }

    #[test]
    fn jobs_take_turns_in_the_page_cache() {
        let load = Load { size_bytes: 10_000_000, block_bytes: 64_000, depth: 1, jobs: 2 };
        let said = |jobs| Load { jobs, ..load }.cached_arguments("write", Path::new("/f"));
        assert_eq!(
            said(2)[..4],
            ["--rw=write:64000", "--filesize=9984000", "--io_size=4992000", "--offset_increment=64000"]
        );
        assert_eq!(said(1)[..2], ["--rw=write", "--filesize=9984000"]);
    }

    #[test]
    fn jobs_share_a_file_in_whole_blocks() {
        let load = Load { size_bytes: 10_000_000, block_bytes: 65_536, depth: 8, jobs: 2 };
        assert_eq!(load.bytes_of_job(), 76 * 65_536);
        assert_eq!(Load::limit(1000, 4).bytes_of_job(), 1 << 20);
    }
}
