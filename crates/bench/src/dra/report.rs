//! What a run found, as it is printed and kept.

use serde::Serialize;

use crate::disk::access::Operation;
use crate::disk::page_cache::PageCache;
use crate::disk::passes::Passes;
use crate::disk::rule::above_limit_note;
use crate::disk::scratch::Scratch;
use crate::dra::device::Device;
use crate::dra::engine::Engine;
use crate::dra::judge::{Speeds, judge, judge_return, judge_shift, shifted_min};
use crate::dra::options::Options;
use crate::dra::overlap;
use crate::dra::pass::Found;
use crate::dra::sweep;
use crate::dra::workload::{Alignment, Cell, Workload};
use crate::machine::Machine;
use crate::outcome::{Outcome, ratio};

/// An array that occupies more than so many times the bytes of what was written to it is worth a note.
const ALLOCATED_USUAL_MAX: f64 = 1.25;

/// One run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Where and when.
    pub(crate) machine: Machine,
    /// The version of the MPI library.
    pub(crate) mpi: String,
    /// How arrays were made cold.
    pub(crate) cold: &'static str,
    /// Of the data.
    pub(crate) seed: u64,
    /// How often everything was measured.
    pub(crate) repetitions: u64,
    /// How many passes that took, and how many were disturbed.
    pub(crate) passes: Passes,
    /// Whether only the peers were asked for.
    pub(crate) peer_only: bool,
    /// Libraries without a driver that should have one.
    pub(crate) missing: Vec<Engine>,
    /// Whether the device itself was measured.
    pub(crate) has_limit: bool,
    /// The table of speeds.
    pub(crate) rows: Vec<Row>,
    /// Sections that are not aligned against those that are.
    pub(crate) shifts: Vec<Shift>,
    /// When calls return.
    pub(crate) returns: Vec<Return>,
    /// The table of overlap.
    pub(crate) overlaps: Vec<overlap::Line>,
    /// The sweep of input and output ranks and memory.
    pub(crate) sweep: Vec<sweep::Line>,
}

impl Report {
    /// Before anything was measured.
    pub(crate) fn empty(options: &Options, scratch: &Scratch) -> Self {
        let is_wanted = |engine: &Engine| !options.on_disk.peer_only || *engine != Engine::Ours;
        Self {
            machine: Machine::look(scratch.path()),
            mpi: String::new(),
            cold: PageCache::probe().describe(),
            seed: options.common.seed,
            repetitions: 0,
            passes: Passes::default(),
            peer_only: options.on_disk.peer_only,
            missing: options.executables().missing().into_iter().filter(is_wanted).collect(),
            has_limit: options.on_disk.fio.is_some(),
            rows: Vec::new(),
            shifts: Vec::new(),
            returns: Vec::new(),
            overlaps: Vec::new(),
            sweep: Vec::new(),
        }
    }

    /// Everything that was or could have been judged.
    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        let rows = self.rows.iter().map(|row| row.judgement.outcome);
        let shifts = self.shifts.iter().map(|shift| shift.outcome);
        let returns = self.returns.iter().map(|line| line.outcome);
        let overlaps = self.overlaps.iter().map(|line| line.outcome);
        rows.chain(shifts).chain(returns).chain(overlaps).collect()
    }
}

/// One cell with its figures.
pub(crate) type Row = crate::disk::cell::Row<Workload, Speeds, Engine>;

impl Row {
    /// The row of `cell`.
    pub(crate) fn new(cell: Cell, found: &Found<Engine>, device: &Device, cpus: usize) -> Self {
        let speeds = speeds(cell, found, device);
        let seconds = Engine::ALL.map(|engine| (engine, found.samples.seconds(&(cell, engine)).to_vec()));
        let judgement = judge(&cell, &speeds, cpus);
        Self { cell, speeds, judgement, notes: notes(cell, &speeds, found), seconds: seconds.into() }
    }
}

fn speeds(cell: Cell, found: &Found<Engine>, device: &Device) -> Speeds {
    let of = |engine| found.samples.speed(&(cell, engine), cell.workload.section_bytes());
    Speeds {
        package: of(Engine::Package),
        hdf5_collective: of(Engine::Hdf5Collective),
        hdf5_independent: of(Engine::Hdf5Independent),
        ours: of(Engine::Ours),
        limit: device.limit(cell),
    }
}

fn notes(cell: Cell, speeds: &Speeds, found: &Found<Engine>) -> Vec<String> {
    let resident = found.samples.residence_notes((cell, cell.operation), Engine::ALL, "section");
    let allocated = Engine::ALL.into_iter().filter_map(|engine| {
        let part = found.allocated.median(&(cell, engine)).filter(|&part| part > ALLOCATED_USUAL_MAX)?;
        Some(format!("{engine}: occupies {part:.1} times as much of the disk as the section"))
    });
    let above_limit = above_limit_note(speeds.best_peer(), speeds.limit).into_iter();
    above_limit.chain(resident).chain(allocated).collect()
}

/// A section that is not aligned against the same one aligned.
#[derive(Debug, Serialize)]
pub(crate) struct Shift {
    /// What is timed, not aligned.
    #[serde(flatten)]
    pub(crate) cell: Cell,
    /// Our speed aligned and not, in bytes per second.
    pub(crate) ours: [Option<f64>; 2],
    /// Not aligned : aligned, of ours, of the package, and of the better way of HDF5.
    pub(crate) ratios: [Option<f64>; 3],
    /// What the device reaches, moving just the pages that the section touches by its hint, in bytes of the section per second.
    pub(crate) device: Option<f64>,
    /// What ours has to be.
    pub(crate) target: Option<f64>,
    /// Whether ours is large enough.
    pub(crate) outcome: Outcome,
}

impl Shift {
    /// Every cell on the device that was measured both ways.
    pub(crate) fn all(rows: &[Row], device: &Device, cpus: usize) -> Vec<Self> {
        let is_shifted = |row: &&Row| row.cell.workload.alignment == Alignment::Shifted;
        let shifted = rows.iter().filter(is_shifted);
        let on_device = shifted.filter(|row| row.cell.operation.uses_device());
        let shift =
            |row: &Row| Some(Self::new(aligned(rows, row.cell)?, row, device.touched(row.cell), cpus));
        on_device.filter_map(shift).collect()
    }

    fn new(aligned: &Row, shifted: &Row, device: Option<f64>, cpus: usize) -> Self {
        let (of, to) = (&shifted.speeds, &aligned.speeds);
        let ours = ratio(of.ours, to.ours);
        let target = shifted_min(shifted.cell.operation, ratio(device, to.ours));
        Self {
            cell: shifted.cell,
            ours: [to.ours, of.ours],
            ratios: [ours, ratio(of.package, to.package), ratio(of.hdf5(), to.hdf5())],
            device,
            target,
            outcome: judge_shift(&shifted.cell, ours, target, cpus),
        }
    }
}

fn aligned(rows: &[Row], cell: Cell) -> Option<&Row> {
    let wanted = cell.with_alignment(Alignment::Aligned);
    rows.iter().find(|row| row.cell == wanted)
}

/// When calls return: the part of a transfer that is over by then.
#[derive(Debug, Serialize)]
pub(crate) struct Return {
    /// What is under way.
    #[serde(flatten)]
    pub(crate) cell: Cell,
    /// Of the package and of ours.
    pub(crate) parts: [Option<f64>; 2],
    /// Whether ours is small enough.
    pub(crate) outcome: Outcome,
}

impl Return {
    /// Every transfer; one that ends on disk is the same as the one that ends in the cache.
    pub(crate) fn all(rows: &[Row], found: &Found<Engine>, cpus: usize) -> Vec<Self> {
        let cells = rows.iter().map(|row| row.cell);
        let transfers = cells.filter(|cell| cell.operation != Operation::WriteToDisk);
        transfers.map(|cell| Self::new(cell, found, cpus)).collect()
    }

    fn new(cell: Cell, found: &Found<Engine>, cpus: usize) -> Self {
        let parts = Engine::ASYNCHRONOUS.map(|engine| found.returns.median(&(cell, engine)));
        Self { cell, parts, outcome: judge_return(cell.workload.ranks, parts[1], cpus) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Return, Row, Shift};
    use crate::disk::access::Operation;
    use crate::dra::device::Device;
    use crate::dra::engine::Engine;
    use crate::dra::pass::Found;
    use crate::dra::workload::{Alignment, Cell, Layout, Scale, Workload};
    use crate::outcome::Outcome;

    fn cell(alignment: Alignment, operation: Operation) -> Cell {
        Cell::of(Workload { layout: Layout::Blocks, scale: Scale::Full, alignment, ranks: 1 }, operation)
    }

    fn rows(found: &Found<Engine>, operation: Operation) -> Vec<Row> {
        let cells = [Alignment::Aligned, Alignment::Shifted].map(|alignment| cell(alignment, operation));
        cells.map(|cell| Row::new(cell, found, &Device::default(), 2)).into()
    }

    #[test]
    fn a_section_that_is_not_aligned_is_held_against_the_aligned_one() {
        let mut found = Found::default();
        for (alignment, seconds) in [(Alignment::Aligned, 1.0), (Alignment::Shifted, 1.25)] {
            found.samples.add((cell(alignment, Operation::ReadCold), Engine::Ours), seconds);
            found.samples.add((cell(alignment, Operation::ReadCold), Engine::Package), 2.0 * seconds);
        }
        let [shift] = Shift::all(&rows(&found, Operation::ReadCold), &Device::default(), 2)
            .try_into()
            .expect("one cell");
        assert_eq!(shift.ratios, [Some(0.8), Some(0.8), None]);
        assert_eq!(shift.outcome, Outcome::Misses);
        assert!(Shift::all(&rows(&found, Operation::ReadCached), &Device::default(), 2).is_empty());
    }

    #[test]
    fn an_array_that_occupies_much_more_than_its_section_is_noted() {
        let mut found = Found::default();
        let written = cell(Alignment::Aligned, Operation::WriteToDisk);
        found.allocated.add((written, Engine::Package), 2.04);
        found.allocated.add((written, Engine::Ours), 1.2);
        let rows = rows(&found, Operation::WriteToDisk);
        assert_eq!(rows[0].notes, ["GA package: occupies 2.0 times as much of the disk as the section"]);
        assert!(rows[1].notes.is_empty());
    }

    #[test]
    fn the_return_of_a_call_is_shown_once_for_each_transfer() {
        let mut found = Found::default();
        let written = cell(Alignment::Aligned, Operation::WriteCached);
        found.returns.add((written, Engine::Ours), 0.05);
        let returns = Return::all(&rows(&found, Operation::WriteCached)[..1], &found, 2);
        assert_eq!((returns[0].parts, returns[0].outcome), ([None, Some(0.05)], Outcome::Holds));
        assert!(Return::all(&rows(&found, Operation::WriteToDisk), &found, 2).is_empty());
    }
}
