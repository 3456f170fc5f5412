//! Parts of a file that fio is to move one behind the other, as its log of requests says it.

use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::Path;

use crate::disk::scratch::{Scratch, ScratchFile};
use crate::error::{BenchError, step};

const PAGE_BYTES: u64 = 4096;
const REQUEST_BYTES_MAX: usize = 1 << 20;
/// Short requests need more in flight than long ones.
const DEPTH: u32 = 64;

/// Requests for whole pages of a file that is new and without blocks when they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Replay {
    requests: Vec<Range<u64>>,
    file_bytes: u64,
    wanted_bytes: u64,
    jobs: usize,
}

impl Replay {
    /// The pages of `parts`, which are in the order of their offsets, shared by so many jobs.
    pub(crate) fn new(parts: &[Range<u64>], file_bytes: u64, jobs: usize) -> Self {
        Self {
            requests: requests(parts),
            file_bytes: file_bytes.next_multiple_of(PAGE_BYTES),
            wanted_bytes: parts.iter().map(|part| part.end - part.start).sum(),
            jobs,
        }
    }

    /// The bytes that are wanted of those that are moved.
    pub(crate) fn wanted_part(&self) -> f64 {
        self.wanted_bytes() / self.moved_bytes()
    }

    /// In how many bytes that are wanted per second the requests are durable, if they are moved by `moved_rate` and then synced.
    pub(crate) fn durable(&self, moved_rate: f64, synced_seconds: f64) -> f64 {
        self.wanted_bytes() / (self.moved_bytes() / moved_rate + synced_seconds)
    }

    #[expect(clippy::cast_precision_loss, reason = "a file size is far below 2^53")]
    fn wanted_bytes(&self) -> f64 {
        self.wanted_bytes as f64
    }

    #[expect(clippy::cast_precision_loss, reason = "a file size is far below 2^53")]
    fn moved_bytes(&self) -> f64 {
        self.requests.iter().map(|request| request.end - request.start).sum::<u64>() as f64
    }

    /// Makes the file.
    pub(crate) fn make(&self, file: &Path) -> Result<(), BenchError> {
        let new = fs::File::create(file).map_err(step("making", file))?;
        new.set_len(self.file_bytes).map_err(step("making", file))
    }

    /// What tells fio of the jobs, and the logs that it then reads.
    pub(crate) fn arguments(
        &self,
        direction: &str,
        file: &Path,
        scratch: &Scratch,
    ) -> Result<(Vec<String>, Vec<ScratchFile>), BenchError> {
        let mut arguments = vec!["--replay_no_stall=1".to_owned(), format!("--iodepth={DEPTH}")];
        let mut logs = Vec::new();
        for (job, requests) in self.requests.chunks(self.requests.len().div_ceil(self.jobs)).enumerate() {
            let log = scratch.file(&format!("requests-{job}"));
            fs::write(log.path(), lines(requests, direction, file)).map_err(step("writing", log.path()))?;
            arguments.push(format!("--name=replay-{job}"));
            arguments.push(format!("--read_iolog={}", log.path().display()));
            logs.push(log);
        }
        Ok((arguments, logs))
    }
}

/// Whole pages; what is adjacent is one request, up to a limit.
fn requests(parts: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut stretches: Vec<Range<u64>> = Vec::new();
    for part in parts {
        let pages = part.start / PAGE_BYTES * PAGE_BYTES..part.end.next_multiple_of(PAGE_BYTES);
        match stretches.last_mut() {
            Some(last) if pages.start <= last.end => last.end = last.end.max(pages.end),
            _ => stretches.push(pages),
        }
    }
    let cut = |stretch: Range<u64>| {
        let starts = stretch.clone().step_by(REQUEST_BYTES_MAX);
        starts.map(move |start| start..stretch.end.min(start + REQUEST_BYTES_MAX as u64))
    };
    stretches.into_iter().flat_map(cut).collect()
}

fn lines(requests: &[Range<u64>], direction: &str, file: &Path) -> String {
    let file = file.display();
    let mut text = format!("fio version 2 iolog\n{file} add\n{file} open\n");
    for request in requests {
        let _ = writeln!(text, "{file} {direction} {} {}", request.start, request.end - request.start);
    }
    text + &format!("{file} close\n")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Replay, lines, requests};

    #[test]
    fn requests_are_whole_pages_none_of_which_is_moved_twice() {
        assert_eq!(requests(&[8..4000, 4090..4100, 20_000..20_008]), [0..8192, 16_384..20_480]);
        let large = requests(&[8..4096, 4096..2_500_000]);
        assert_eq!((large.len(), large.last().cloned()), (3, Some(2_097_152..2_502_656)));
    }

    #[test]
    fn what_is_moved_beside_what_is_wanted_counts() {
        let replay = Replay::new(&[0..4096, 8192..8200], 1 << 20, 1);
        assert!((replay.wanted_part() - 4104.0 / 8192.0).abs() < 1e-9);
        assert!((replay.durable(8192.0, 1.0) - 4104.0 / 2.0).abs() < 1e-9, "a second for each");
    }

    #[test]
    fn a_log_says_what_becomes_of_which_bytes() {
        let log = lines(&[0..4096, 8192..12_288], "read", Path::new("/f"));
        let expected =
            ["fio version 2 iolog", "/f add", "/f open", "/f read 0 4096", "/f read 8192 4096", "/f close"];
        assert_eq!(log.lines().collect::<Vec<_>>(), expected);
    }
}
