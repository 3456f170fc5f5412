//! One repetition of one workload by one library: a new array is made, a section of it written and synced, read from the cache and
//! read cold. That fills four cells, and says when calls return.

use crate::disk::access::Operation;
use crate::disk::memory;
use crate::disk::page_cache::PageCache;
use crate::disk::passes::Passes;
use crate::disk::rehearsal::Rehearsals;
use crate::disk::samples::Samples;
use crate::disk::scratch::ScratchDirectory;
use crate::dra::team::{Answer, Job, Meanwhile};
use crate::dra::workload::{Cell, Workload};
use crate::error::BenchError;
use crate::neighbours::watch;
use crate::statistics::Series;

/// Where arrays are made.
#[derive(Debug)]
pub(crate) struct Place {
    /// The directory.
    pub(crate) directory: ScratchDirectory,
    /// How it is made cold.
    pub(crate) page_cache: PageCache,
    /// What was written there before writes that are timed.
    pub(crate) rehearsals: Rehearsals,
    /// Whether they are rehearsed.
    pub(crate) is_rehearsed: bool,
    /// Processors of this machine.
    pub(crate) cpus: usize,
    /// How often a pass is taken at most that other processes disturb.
    pub(crate) tries_max: u64,
}

/// All that passes found; `K` is who was measured.
#[derive(Debug)]
pub(crate) struct Found<K> {
    /// Times.
    pub(crate) samples: Samples<(Cell, K)>,
    /// When calls returned: the part of the transfer that was over by then.
    pub(crate) returns: Samples<(Cell, K)>,
    /// How much of the disk an array occupied, in sections.
    pub(crate) allocated: Series<(Cell, K)>,
}

impl<K> Default for Found<K> {
    fn default() -> Self {
        Self { samples: Samples::default(), returns: Samples::default(), allocated: Series::default() }
    }
}

/// The times of one pass.
struct Times {
    written: Answer,
    cached: Answer,
    cold: Answer,
    is_disturbed: bool,
}

impl Place {
    /// Takes the times and adds them to `found`; up to `tries_max` times, until other work on the machine leaves it alone.
    pub(crate) fn run<K: Copy + Ord>(
        &self,
        job: &mut Job,
        (who, load): (K, Workload),
        found: &mut Found<K>,
    ) -> Result<Passes, BenchError> {
        let mut passes = Passes::default();
        while passes.all < self.tries_max && passes.disturbed == passes.all {
            let times = self.take(job, load)?;
            add(&times, (who, load), found);
            passes += Passes { all: 1, disturbed: u64::from(times.is_disturbed) };
        }
        job.forget()?;
        Ok(passes)
    }

    fn take(&self, job: &mut Job, load: Workload) -> Result<Times, BenchError> {
        self.rehearse(job, load)?;
        let (written, writing_was_disturbed) = watch(|| job.write(load, Meanwhile::Wait));
        let written = written?;

        job.read(Meanwhile::Wait)?;
        let (cached, reading_was_disturbed) = watch(|| job.read(Meanwhile::Wait));
        let cached = cached?;

        self.make_cold(load)?;
        let (cold, cold_was_disturbed) = watch(|| job.read(Meanwhile::Wait));
        let cold = cold?;
        self.clear()?;
        let is_disturbed = writing_was_disturbed || reading_was_disturbed || cold_was_disturbed;
        Ok(Times { written, cached, cold, is_disturbed })
    }

    /// Before a write that is timed.
    pub(crate) fn rehearse(&self, job: &mut Job, load: Workload) -> Result<(), BenchError> {
        let count = if self.is_rehearsed { Rehearsals::count(load.section_bytes()) } else { 0 };
        for _ in 0..count {
            job.write(load, Meanwhile::Wait)?;
            self.rehearsals.keep(self.directory.path())?;
            self.directory.clear()?;
        }
        self.rehearsals.release()
    }

    /// Removes all arrays.
    pub(crate) fn clear(&self) -> Result<(), BenchError> {
        self.directory.clear()?;
        self.rehearsals.clear()
    }

    /// Before a cold read that is timed.
    pub(crate) fn make_cold(&self, load: Workload) -> Result<(), BenchError> {
        self.page_cache.evict_below(self.directory.path())?;
        memory::warm_for_file(load.section_bytes());
        Ok(())
    }
}

fn add<K: Copy + Ord>(times: &Times, (who, load): (K, Workload), found: &mut Found<K>) {
    let Times { written, cached, cold, is_disturbed } = times;
    let seconds = [
        (Operation::WriteCached, written.seconds),
        (Operation::WriteToDisk, written.disk_seconds),
        (Operation::ReadCached, cached.seconds),
        (Operation::ReadCold, cold.seconds),
    ];
    for (operation, seconds) in seconds {
        found.samples.add_any((Cell::of(load, operation), who), seconds, *is_disturbed);
    }
    let answers =
        [(Operation::WriteCached, written), (Operation::ReadCached, cached), (Operation::ReadCold, cold)];
    for (operation, answer) in answers {
        let part = answer.call / answer.transfer;
        found.returns.add_any((Cell::of(load, operation), who), part, *is_disturbed);
    }
    found.allocated.add((Cell::of(load, Operation::WriteToDisk), who), written.allocated);
    found.samples.add_resident((Cell::of(load, Operation::ReadCached), who), cached.resident);
    found.samples.add_resident((Cell::of(load, Operation::ReadCold), who), cold.resident);
}

#[cfg(test)]
mod tests {
    use super::{Found, Times, add};
    use crate::disk::access::Operation;
    use crate::dra::team::Answer;
    use crate::dra::workload::{Alignment, Cell, Layout, Scale, Workload};

    #[test]
    fn a_pass_fills_four_cells_and_says_of_three_transfers_when_their_call_returned() {
        let load =
            Workload { layout: Layout::Rows, scale: Scale::Small, alignment: Alignment::Aligned, ranks: 1 };
        let answer =
            Answer { seconds: 2.0, disk_seconds: 4.0, call: 0.5, transfer: 2.0, ..Answer::default() };
        let mut found = Found::default();
        let times = Times { written: answer, cached: answer, cold: answer, is_disturbed: false };
        add(&times, ("ours", load), &mut found);
        let seconds = Operation::ALL
            .map(|operation| found.samples.seconds(&(Cell::of(load, operation), "ours")).to_vec());
        assert_eq!(seconds, [[2.0], [4.0], [2.0], [2.0]]);
        let part = |operation| found.returns.median(&(Cell::of(load, operation), "ours"));
        assert_eq!(Operation::ALL.map(part), [Some(0.25), None, Some(0.25), Some(0.25)]);
    }
}
