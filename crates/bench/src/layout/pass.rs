//! Taking times: each on a new target, with nothing dirty and nothing cached before, and again if other processes disturb it.

use std::path::Path;

use crate::disk::fio::{Fio, Load};
use crate::disk::memory;
use crate::disk::page_cache::{self, PageCache};
use crate::disk::page_reporting;
use crate::disk::passes::Passes;
use crate::disk::scratch::{Scratch, ScratchDirectory};
use crate::error::BenchError;
use crate::layout::engine::Job;
use crate::layout::found::{Found, Measured};
use crate::layout::team::{Answer, Command, Team};
use crate::layout::workload::{Cell, Pattern};
use crate::neighbours::watch;

/// The ways of a plain copy, as the program understands them.
pub(crate) const PLAIN_WAYS: [&str; 2] = ["buffered", "direct"];

/// The way of the copy beside a conversion: as the conversion moves its data.
const PLAIN_WAY_BESIDE: &str = PLAIN_WAYS[1];

/// Where matrices are made, and all that was found there.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    /// For fio's files.
    pub(crate) scratch: &'a Scratch,
    /// Holds all matrices.
    pub(crate) directory: ScratchDirectory,
    /// New for each conversion.
    pub(crate) target: ScratchDirectory,
    /// How everything is made cold.
    pub(crate) page_cache: PageCache,
    /// How large they are.
    pub(crate) matrix_bytes: u64,
    /// How often something is measured at most that other processes disturb.
    pub(crate) tries_max: u64,
    /// All that was found.
    pub(crate) found: Found,
}

impl Place<'_> {
    /// A plain copy, in each way.
    pub(crate) fn copy_plainly(&mut self, team: &mut Team) -> Result<(), BenchError> {
        for (number, way) in PLAIN_WAYS.into_iter().enumerate() {
            self.take(Measured::Plain(number), |place| {
                place.renew_target()?;
                if way == PLAIN_WAY_BESIDE {
                    page_reporting::settle();
                } else {
                    memory::warm_for_file(place.matrix_bytes);
                }
                Ok(vec![watch_answer(|| team.copy_plainly(way))?])
            })?;
        }
        Ok(())
    }

    /// What the device gives so many ranks.
    pub(crate) fn measure_device(&mut self, fio: &Path, ranks: usize, bytes: u64) -> Result<(), BenchError> {
        self.target.clear()?;
        page_cache::flush();
        let new = || Fio::new(fio, Load::limit(bytes, ranks));
        self.found.device.entry(ranks).or_insert_with(new).measure(self.scratch)
    }

    /// A conversion by `TensorStore`.
    pub(crate) fn convert_by_peer(
        &mut self,
        team: &mut Team,
        (pattern, memory_bytes): (Pattern, u64),
    ) -> Result<(), BenchError> {
        let job = Job::TensorStore(memory_bytes);
        let mut memory_max = 0.0;
        self.take(Measured::Peer(pattern, memory_bytes), |place| {
            place.renew_target()?;
            memory::warm_for_file(place.matrix_bytes);
            let answer = watch_answer(|| team.ask(job, Command::Copy(pattern)))?;
            memory_max = answer.0.memory_bytes.unwrap_or(0.0);
            Ok(vec![answer])
        })?;
        team.ask(job, Command::Check)?;
        let known = self.found.peer_memory_bytes.entry(memory_bytes).or_default();
        *known = known.max(memory_max);
        Ok(())
    }

    /// A conversion by ours, and what is measured beside it.
    pub(crate) fn convert(
        &mut self,
        team: &mut Team,
        cell: Cell,
        beside: Beside<'_>,
    ) -> Result<(), BenchError> {
        let job = Job::Ours(cell.ranks, cell.memory_bytes);
        let fio = beside.fio.map(|fio| Fio::new(fio, Load::limit(self.matrix_bytes, cell.ranks)));
        let ours_first = self.found.ours_reads_first(cell);
        let readers = if beside.reads { Reader::turns(fio.as_ref(), ours_first) } else { Vec::new() };
        let mut measured = vec![Measured::Conversion(cell)];
        measured.extend(readers.iter().map(|reader| reader.measures(cell)));
        measured.extend(beside.copy.then_some(Measured::Beside(cell)));
        self.take_all(&measured, |place| {
            place.renew_target()?;
            memory::warm(cell.memory_bytes);
            let mut answers = vec![watch_answer(|| team.ask(job, Command::Copy(cell.pattern)))?];
            page_reporting::settle();
            for reader in &readers {
                place.make_cold()?;
                answers.push(watch_answer(|| match reader {
                    Reader::Ours => team.ask(job, Command::Aligned(cell.pattern)),
                    Reader::Fio(fio) => place.read_target(fio),
                })?);
            }
            team.ask(job, Command::Check)?;
            if beside.copy {
                place.renew_target()?;
                page_reporting::settle();
                answers.push(watch_answer(|| team.copy_plainly(PLAIN_WAY_BESIDE))?);
            }
            Ok(answers)
        })
    }

    /// Reads the file of the target that has all of the matrix, as `fio` does it.
    #[expect(clippy::cast_precision_loss, reason = "the size of a matrix is far below 2^53")]
    fn read_target(&self, fio: &Fio) -> Result<Answer, BenchError> {
        let rate = fio.read_file(&self.target.file_of(self.matrix_bytes)?, self.scratch)?;
        Ok(Answer { seconds: self.matrix_bytes as f64 / rate, ..Answer::default() })
    }

    /// Reading the source by tiles of a target; of the `side` rows of the matrix so many as make a quarter, or a row of tiles.
    #[expect(clippy::cast_precision_loss, reason = "a number of rows is far below 2^53")]
    pub(crate) fn read_skewed(&mut self, team: &mut Team, cell: Cell, side: u64) -> Result<(), BenchError> {
        let job = Job::Ours(cell.ranks, cell.memory_bytes);
        let rows = (side / SKEWED_PART).next_multiple_of(cell.pattern.rows).min(side);
        self.take(Measured::Skewed(cell.with_least_memory()), |place| {
            place.target.clear()?;
            place.make_cold()?;
            page_reporting::settle();
            let (mut answer, is_disturbed) =
                watch_answer(|| team.ask(job, Command::Skewed(cell.pattern, rows)))?;
            answer.seconds *= side as f64 / rows as f64;
            Ok(vec![(answer, is_disturbed)])
        })
    }

    fn take(
        &mut self,
        measured: Measured,
        once: impl FnMut(&Self) -> Result<Vec<(Answer, bool)>, BenchError>,
    ) -> Result<(), BenchError> {
        self.take_all(&[measured], once)
    }

    /// Takes times until other work on the machine leaves them alone, and adds them.
    fn take_all(
        &mut self,
        measured: &[Measured],
        mut once: impl FnMut(&Self) -> Result<Vec<(Answer, bool)>, BenchError>,
    ) -> Result<(), BenchError> {
        let mut passes = Passes::default();
        while passes.all < self.tries_max && passes.disturbed == passes.all {
            let answers = once(self)?;
            let is_disturbed = answers.iter().any(|&(_, is_disturbed)| is_disturbed);
            for (&measured, (answer, _)) in measured.iter().zip(&answers) {
                self.found.samples.add_any(measured, answer.seconds, is_disturbed);
            }
            passes += Passes { all: 1, disturbed: u64::from(is_disturbed) };
        }
        self.found.passes += passes;
        Ok(())
    }

    /// An empty directory for the target, and a cold source.
    fn renew_target(&self) -> Result<(), BenchError> {
        self.target.clear()?;
        self.make_cold()
    }

    fn make_cold(&self) -> Result<(), BenchError> {
        self.page_cache.evict_below(self.directory.path())
    }
}

/// What is measured directly after a conversion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside<'a> {
    /// Whether its target is read.
    pub(crate) reads: bool,
    /// By turns with this, if it is there.
    pub(crate) fio: Option<&'a Path>,
    /// Whether the source is copied plainly.
    pub(crate) copy: bool,
}

/// Who reads a target.
#[derive(Clone, Copy, Debug)]
enum Reader<'a> {
    /// Ours, by tiles.
    Ours,
    /// The limit.
    Fio(&'a Fio),
}

impl<'a> Reader<'a> {
    /// Both read twice, so that neither comes later after the conversion than the other, and neither finds the disk warmer.
    fn turns(fio: Option<&'a Fio>, ours_first: bool) -> Vec<Self> {
        match fio.map(Reader::Fio) {
            Some(fio) if ours_first => vec![Self::Ours, fio, fio, Self::Ours],
            Some(fio) => vec![fio, Self::Ours, Self::Ours, fio],
            None => vec![Self::Ours; 2],
        }
    }

    fn measures(self, cell: Cell) -> Measured {
        match self {
            Self::Ours => Measured::Aligned(cell),
            Self::Fio(_) => Measured::Limit(cell),
        }
    }
}

/// The part of the matrix that is read in the skewed way; the rest would be no different, and takes too long.
const SKEWED_PART: u64 = 4;

fn watch_answer(ask: impl FnOnce() -> Result<Answer, BenchError>) -> Result<(Answer, bool), BenchError> {
    let (answer, is_disturbed) = watch(ask);
    Ok((answer?, is_disturbed))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Reader;
    use crate::disk::fio::{Fio, Load};
    use crate::layout::found::Measured;
    use crate::layout::workload::{Cell, Pattern};

    #[test]
    fn both_read_twice_and_neither_comes_later_than_the_other() {
        let fio = Fio::new(Path::new("fio"), Load::limit(1 << 20, 1));
        let cell = Cell { ranks: 1, memory_bytes: 64, pattern: Pattern { rows: 8, columns: 64 } };
        let turns = |fio, ours_first| -> Vec<bool> {
            let turns = Reader::turns(fio, ours_first);
            turns.iter().map(|reader| reader.measures(cell) == Measured::Aligned(cell)).collect()
        };
        assert_eq!(turns(Some(&fio), true), [true, false, false, true]);
        assert_eq!(turns(Some(&fio), false), [false, true, true, false]);
        assert_eq!(turns(None, true), [true, true]);
    }
}
