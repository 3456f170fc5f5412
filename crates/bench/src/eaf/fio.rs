//! The limit of the device, by fio: `io_uring`, direct, 1 MiB blocks, 16 in flight, in the directory of the run. The file is
//! laid out ahead (fio's default), because direct writes that extend a file wait for one another, and synced at the end.

use std::path::PathBuf;
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::eaf::scratch::{Scratch, ScratchFile};
use crate::error::{BenchError, step};
use crate::statistics::median;

/// Bytes per second the device gives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Limit {
    /// Writing, until on disk.
    pub(crate) write: f64,
    /// Reading.
    pub(crate) read: f64,
}

/// The fio executable and what it found so far for one file size.
#[derive(Debug)]
pub(crate) struct Fio {
    executable: PathBuf,
    size_bytes: u64,
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
    /// For files of `size_bytes`.
    pub(crate) fn new(executable: PathBuf, size_bytes: u64) -> Self {
        Self { executable, size_bytes, found: Vec::new() }
    }

    /// Measures once more, on a new file.
    pub(crate) fn measure(&mut self, scratch: &Scratch) -> Result<(), BenchError> {
        let file = scratch.file("limit");
        let write = self.run("write", &file)?.write.bw_bytes;
        let read = self.run("read", &file)?.read.bw_bytes;
        self.found.push(Limit { write, read });
        Ok(())
    }

    /// The median of what was found.
    pub(crate) fn limit(&self) -> Option<Limit> {
        let write = median(self.found.iter().map(|limit| limit.write))?;
        let read = median(self.found.iter().map(|limit| limit.read))?;
        Some(Limit { write, read })
    }

    fn run(&self, direction: &str, file: &ScratchFile) -> Result<Job, BenchError> {
        let output = Command::new(&self.executable)
            .args([
                "--name=limit",
                "--ioengine=io_uring",
                "--direct=1",
                "--bs=1M",
                "--iodepth=16",
                "--end_fsync=1",
            ])
            .args(["--thread", "--output-format=json"])
            .arg(format!("--rw={direction}"))
            .arg(format!("--size={}", self.size_bytes.max(1 << 20)))
            .arg(format!("--filename={}", file.path().display()))
            .output()
            .map_err(step("starting", &self.executable))?;
        parse(&output.stdout).ok_or_else(|| failure(&output.stderr))
    }
}

/// The one job of a run. fio may print notes before the JSON begins.
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
    use super::parse;

    #[test]
    fn notes_before_the_json_are_skipped() {
        let output = br#"fio: a note
            {"jobs": [{"read": {"bw_bytes": 0}, "write": {"bw_bytes": 2500000000}}]}"#;
        assert_eq!(parse(output).map(|job| job.write.bw_bytes), Some(2.5e9));
    }
}
