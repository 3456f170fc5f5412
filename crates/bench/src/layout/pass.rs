//! Taking times: each on a new target, with nothing dirty and nothing cached before, and again if other processes disturb it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::disk::fio::{Fio, Load};
use crate::disk::memory;
use crate::disk::page_cache::{self, PageCache};
use crate::disk::page_reporting;
use crate::disk::passes::Passes;
use crate::disk::samples::Samples;
use crate::disk::scratch::{Scratch, ScratchDirectory};
use crate::error::BenchError;
use crate::layout::engine::Job;
use crate::layout::judge::{Ratios, Seconds};
use crate::layout::team::{Answer, Command, Team};
use crate::layout::workload::{Cell, Pattern};
use crate::neighbours::watch;
use crate::outcome::ratio;
use crate::statistics::median;

/// The ways of a plain copy, as the program understands them.
pub(crate) const PLAIN_WAYS: [&str; 2] = ["buffered", "direct"];

/// The way of the copy beside a conversion: as the conversion moves its data.
const PLAIN_WAY_BESIDE: &str = PLAIN_WAYS[1];

/// The other way is the faster one if it takes so much of the time of this one: two copies of one way differ by a quarter.
const CLEARLY_FASTER: f64 = 0.75;

/// Something that takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Measured {
    /// A plain copy, in one of the ways.
    Plain(usize),
    /// `TensorStore`'s conversion, with so much memory.
    Peer(Pattern, u64),
    /// Ours.
    Conversion(Cell),
    /// A plain copy directly after it.
    Beside(Cell),
    /// Reading its target.
    Aligned(Cell),
    /// Reading the file of its target at the limit of the device, by turns with that.
    Limit(Cell),
    /// Reading the source by tiles of its target.
    Skewed(Cell),
}

impl Measured {
    /// What is measured for a line.
    pub(crate) fn of(cell: Cell) -> [Self; 6] {
        [
            Self::Skewed(cell.with_least_memory()),
            Self::Conversion(cell),
            Self::Aligned(cell),
            Self::Peer(cell.pattern, cell.memory_bytes),
            Self::Beside(cell),
            Self::Limit(cell),
        ]
    }
}

impl Cell {
    /// Reading the source does not depend on memory: it is measured once for all lines.
    pub(crate) fn with_least_memory(self) -> Self {
        Self { memory_bytes: 0, ..self }
    }
}

/// All that was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Times.
    pub(crate) samples: Samples<Measured>,
    /// What fio found for each number of ranks.
    pub(crate) device: BTreeMap<usize, Fio>,
    /// The most memory that `TensorStore` had, by the size of its cache.
    pub(crate) peer_memory_bytes: BTreeMap<u64, f64>,
    /// How many there were.
    pub(crate) passes: Passes,
}

impl Found {
    /// What the device reads and writes.
    pub(crate) fn limits(&self) -> BTreeMap<usize, [f64; 2]> {
        let of_ranks = |(&ranks, fio): (&usize, &Fio)| Some((ranks, fio.limit()?));
        let limits = self.device.iter().filter_map(of_ranks);
        limits.map(|(ranks, limit)| (ranks, [limit.read, limit.write])).collect()
    }

    /// The median times of both plain copies.
    pub(crate) fn plain(&self) -> [Option<f64>; 2] {
        [0, 1].map(|way| self.samples.median(&Measured::Plain(way)))
    }

    /// The plain copies that a line is held against, if they are not those beside its conversions: the other way is clearly faster.
    fn plain_elsewhere(&self) -> Option<f64> {
        let [buffered, direct] = self.plain();
        buffered.filter(|&buffered| direct.is_some_and(|direct| buffered < CLEARLY_FASTER * direct))
    }

    /// Whether fio comes after ours in the next repetition: by turns, from pattern to pattern and from repetition to repetition.
    fn ours_reads_first(&self, cell: Cell) -> bool {
        let repetitions = self.samples.seconds(&Measured::Conversion(cell)).len();
        (cell.ranks + cell.pattern.rows.ilog2() as usize + repetitions).is_multiple_of(2)
    }

    /// The ratios of a line: of what is measured beside a conversion or a read, the median over the turns.
    pub(crate) fn ratios_of(&self, cell: Cell) -> Ratios {
        let [_, conversion, aligned, peer, beside, limit] =
            Measured::of(cell).map(|of| self.samples.seconds(&of));
        let copy = match self.plain_elsewhere() {
            Some(copy) => median(conversion.iter().map(|conversion| conversion / copy)),
            None => median_ratio(conversion, beside),
        };
        let peer = ratio(median(peer.iter().copied()), median(conversion.iter().copied()));
        Ratios { copy, limit: median_ratio(limit, aligned), peer }
    }

    /// The median times of a line.
    pub(crate) fn seconds_of(&self, cell: Cell) -> Seconds {
        let [skewed, conversion, aligned, peer, beside, limit] =
            Measured::of(cell).map(|of| self.samples.median(&of));
        Seconds { skewed, conversion, aligned, plain: self.plain_elsewhere().or(beside), peer, limit }
    }
}

/// Of pairs that were measured together.
fn median_ratio(numerators: &[f64], denominators: &[f64]) -> Option<f64> {
    median(numerators.iter().zip(denominators).map(|(numerator, denominator)| numerator / denominator))
}

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

    use super::{Found, Measured, Reader};
    use crate::disk::fio::{Fio, Load};
    use crate::layout::judge::Ratios;
    use crate::layout::workload::{Cell, Pattern};

    #[test]
    fn copies_beside_count_but_for_a_faster_way_and_reading_the_source_is_of_all_memories() {
        let pattern = Pattern { rows: 8, columns: 64 };
        let cell = |memory_bytes| Cell { ranks: 1, memory_bytes, pattern };
        let mut found = Found::default();
        found.samples.add(Measured::Plain(0), 3.0);
        found.samples.add(Measured::Plain(1), 2.0);
        for (conversion, beside) in [(3.0, 2.0), (8.0, 4.0), (4.0, 2.5)] {
            found.samples.add(Measured::Conversion(cell(512)), conversion);
            found.samples.add(Measured::Beside(cell(512)), beside);
        }
        found.samples.add(Measured::Skewed(cell(0)), 7.0);
        found.samples.add(Measured::Peer(pattern, 512), 5.0);
        for (limit, aligned) in [(1.0, 2.0), (0.8, 1.0), (3.0, 3.0)] {
            found.samples.add(Measured::Limit(cell(512)), limit);
            found.samples.add(Measured::Aligned(cell(512)), aligned);
        }
        let (seconds, ratios) = (found.seconds_of(cell(512)), found.ratios_of(cell(512)));
        assert_eq!((seconds.plain, seconds.skewed, seconds.peer), (Some(2.5), Some(7.0), Some(5.0)));
        assert_eq!((seconds.conversion, seconds.limit), (Some(4.0), Some(1.0)));
        assert_eq!(ratios, Ratios { copy: Some(1.6), limit: Some(0.8), peer: Some(1.25) });
        for _ in 0..2 {
            found.samples.add(Measured::Plain(0), 1.0);
        }
        assert_eq!(found.seconds_of(cell(512)).plain, Some(1.0));
        assert_eq!(found.ratios_of(cell(512)).copy, Some(4.0));
        assert_eq!(found.ratios_of(cell(64)).copy, None);
    }

    #[test]
    fn who_reads_first_changes_from_pattern_to_pattern_and_from_repetition_to_repetition() {
        let cell = |rows| Cell { ranks: 1, memory_bytes: 64, pattern: Pattern { rows, columns: 64 } };
        let mut found = Found::default();
        assert_ne!(found.ours_reads_first(cell(8)), found.ours_reads_first(cell(16)));
        found.samples.add(Measured::Conversion(cell(8)), 3.0);
        assert_eq!(found.ours_reads_first(cell(8)), found.ours_reads_first(cell(16)));
    }

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
