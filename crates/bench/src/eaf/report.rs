//! What a run found, as it is printed and kept.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::disk::fio::Limit;
use crate::disk::rule::above_limit_note;
use crate::disk::samples::Samples;
use crate::eaf::engine::Engine;
use crate::eaf::judge::{Speeds, judge};
use crate::eaf::overlap;
use crate::eaf::workload::{Cell, Workload};
use crate::machine::Machine;
use crate::outcome::Outcome;

/// One run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Where and when.
    pub(crate) machine: Machine,
    /// How files were made cold.
    pub(crate) cold: &'static str,
    /// Of the data and of the random order.
    pub(crate) seed: u64,
    /// Repetitions for each file size.
    pub(crate) repetitions: BTreeMap<u64, u64>,
    /// Engines without a driver.
    pub(crate) missing: Vec<Engine>,
    /// The table of speeds.
    pub(crate) rows: Vec<Row>,
    /// What the overlap test did.
    pub(crate) overlap_workload: Option<Workload>,
    /// The table of overlap.
    pub(crate) overlap: Vec<overlap::Line>,
}

impl Report {
    /// Everything that was judged.
    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        let cells = self.rows.iter().map(|row| row.judgement.outcome);
        cells.chain(self.overlap.iter().map(|line| line.outcome)).collect()
    }
}

/// One cell with its figures.
pub(crate) type Row = crate::disk::cell::Row<Workload, Speeds, Engine>;

impl Row {
    /// The row of `cell`.
    pub(crate) fn new(cell: Cell, samples: &Samples<(Cell, Engine)>, limit: Option<Limit>) -> Self {
        let speeds = speeds(cell, samples, limit);
        let seconds = Engine::ALL.map(|engine| (engine, samples.seconds(&(cell, engine)).to_vec()));
        let judgement = judge(&cell, &speeds);
        let notes = notes(cell, &speeds, samples);
        Self { cell, speeds, judgement, notes, seconds: seconds.into() }
    }
}

fn speeds(cell: Cell, samples: &Samples<(Cell, Engine)>, limit: Option<Limit>) -> Speeds {
    let limit = limit.filter(|_| cell.operation.uses_device());
    let speed = |engine| samples.speed(&(cell, engine), cell.workload.size_bytes);
    Speeds {
        ga_package: speed(Engine::GaPackage),
        fortran: speed(Engine::Fortran),
        ours: speed(Engine::Ours),
        limit: limit.map(|limit| if cell.operation.is_write() { limit.write } else { limit.read }),
    }
}

fn notes(cell: Cell, speeds: &Speeds, samples: &Samples<(Cell, Engine)>) -> Vec<String> {
    let resident = samples.residence_notes((cell, cell.operation), Engine::ALL, "file");
    above_limit_note(speeds.better_peer(), speeds.limit).into_iter().chain(resident).collect()
}
