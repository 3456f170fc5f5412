//! What a run found, as it is printed and kept.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::disk::access::{Mode, Operation};
use crate::disk::fio::Limit;
use crate::disk::passes::Passes;
use crate::disk::rule::above_limit_note;
use crate::disk::samples::Samples;
use crate::machine::Machine;
use crate::outcome::{Outcome, ratio};
use crate::sf::device::{Device, Yardstick};
use crate::sf::engine::Engine;
use crate::sf::judge::{Speeds, judge, judge_fall};
use crate::sf::workload::{Cell, Workload};

/// One run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Where and when.
    pub(crate) machine: Machine,
    /// What MPI each library ran on.
    pub(crate) mpi: BTreeMap<Engine, String>,
    /// How files were made cold.
    pub(crate) cold: &'static str,
    /// Of the data.
    pub(crate) seed: u64,
    /// Bytes of the file, before they are rounded to whole requests.
    pub(crate) size_bytes: u64,
    /// How often everything was measured.
    pub(crate) repetitions: u64,
    /// How often cached reads were taken beside that in each.
    pub(crate) rereads: u64,
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
    /// The table of 1 rank against 2.
    pub(crate) falls: Vec<Fall>,
}

impl Report {
    /// Everything that was or could have been judged.
    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        let cells = self.rows.iter().map(|row| row.judgement.outcome);
        cells.chain(self.falls.iter().map(|fall| fall.outcome)).collect()
    }
}

/// One cell with its figures.
pub(crate) type Row = crate::disk::cell::Row<Workload, Speeds, Engine>;

impl Row {
    /// The row of `cell`.
    pub(crate) fn new(
        cell: Cell,
        samples: &Samples<(Cell, Engine)>,
        device: Option<&Device<'_>>,
        cpus: usize,
    ) -> Self {
        let speeds = speeds(cell, samples, device);
        let seconds = Engine::ALL.map(|engine| (engine, samples.seconds(&(cell, engine)).to_vec()));
        let judgement = judge(&cell, &speeds, cpus);
        Self { cell, speeds, judgement, notes: notes(cell, &speeds, samples), seconds: seconds.into() }
    }
}

fn speeds(cell: Cell, samples: &Samples<(Cell, Engine)>, device: Option<&Device<'_>>) -> Speeds {
    let of = |engine| samples.speed(&(cell, engine), cell.workload.file_bytes);
    let request_bytes = cell.workload.request_bytes;
    let in_flight = cell.workload.mode == Mode::InFlight;
    Speeds {
        package: of(Engine::Package),
        openmpi: of(Engine::OpenMpi),
        mpich: of(Engine::Mpich),
        ours: of(Engine::Ours),
        same_size: device_speed(cell, device, Yardstick::SameSize { request_bytes })
            .filter(|_| in_flight && cell.operation.uses_device()),
        limit: if cell.operation.uses_device() {
            device_speed(cell, device, Yardstick::Limit { request_bytes })
        } else {
            device_speed(cell, device, Yardstick::Cached { request_bytes })
        },
    }
}

fn device_speed(cell: Cell, device: Option<&Device<'_>>, yardstick: Yardstick) -> Option<f64> {
    let Limit { read, write } = device?.speed(yardstick, cell.workload.ranks)?;
    Some(if cell.operation.is_write() { write } else { read })
}

fn notes(cell: Cell, speeds: &Speeds, samples: &Samples<(Cell, Engine)>) -> Vec<String> {
    let resident = samples.residence_notes((cell, cell.operation), Engine::ALL, "file");
    let limit = speeds.limit.filter(|_| cell.operation.uses_device());
    above_limit_note(speeds.best_peer(), limit).into_iter().chain(resident).collect()
}

/// What becomes of one rank's speed on two.
#[derive(Debug, Serialize)]
pub(crate) struct Fall {
    /// Bytes of the requests.
    pub(crate) request_bytes: u64,
    /// Blocking or several in flight.
    pub(crate) mode: Mode,
    /// What is timed.
    pub(crate) operation: Operation,
    /// Our speed on 1 and on 2 ranks, in bytes per second.
    pub(crate) ours: [Option<f64>; 2],
    /// The speed on 2 ranks : on 1, of ours, of the best peer, and of the limit.
    pub(crate) ratios: [Option<f64>; 3],
    /// Whether the fall is small enough.
    pub(crate) outcome: Outcome,
}

impl Fall {
    /// Every cell that was measured on 1 and on 2 ranks.
    pub(crate) fn all(rows: &[Row], cpus: usize) -> Vec<Self> {
        let alone = rows.iter().filter(|row| row.cell.workload.ranks == 1);
        alone.filter_map(|row| Some(Self::new(row, on_two(rows, row.cell)?, cpus))).collect()
    }

    fn new(alone: &Row, on_two: &Row, cpus: usize) -> Self {
        let Cell { workload, operation } = alone.cell;
        let (one, two) = (&alone.speeds, &on_two.speeds);
        Self {
            request_bytes: workload.request_bytes,
            mode: workload.mode,
            operation,
            ours: [one.ours, two.ours],
            ratios: [
                ratio(two.ours, one.ours),
                ratio(two.best_peer(), one.best_peer()),
                ratio(two.limit, one.limit),
            ],
            outcome: judge_fall(one.ours, two.ours, cpus),
        }
    }
}

fn on_two(rows: &[Row], mut cell: Cell) -> Option<&Row> {
    cell.workload.ranks = 2;
    rows.iter().find(|row| row.cell == cell)
}

#[cfg(test)]
mod tests {
    use super::{Fall, Row};
    use crate::disk::access::{Mode, Operation};
    use crate::disk::samples::Samples;
    use crate::outcome::Outcome;
    use crate::sf::engine::Engine;
    use crate::sf::workload::{Cell, Workload};

    fn cell(ranks: usize) -> Cell {
        let load = Workload { request_bytes: 64_000, mode: Mode::InFlight, ranks, file_bytes: 64_000_000 };
        Cell::of(load, Operation::WriteCached)
    }

    fn rows(seconds: &[(usize, Engine, f64)]) -> Vec<Row> {
        let mut samples = Samples::default();
        for &(ranks, engine, seconds) in seconds {
            samples.add((cell(ranks), engine), seconds);
        }
        [1, 2, 4].map(|ranks| Row::new(cell(ranks), &samples, None, 2)).into()
    }

    #[test]
    fn the_speed_of_two_ranks_is_held_against_that_of_one() {
        let rows = rows(&[
            (1, Engine::Ours, 1.0),
            (2, Engine::Ours, 1.25),
            (1, Engine::Mpich, 1.0),
            (2, Engine::Package, 2.0),
        ]);
        let [fall] = Fall::all(&rows, 2).try_into().expect("one cell was measured on 1 and 2 ranks");
        assert_eq!(fall.ratios, [Some(0.8), Some(0.5), None]);
        assert_eq!(fall.outcome, Outcome::Misses);
    }

    #[test]
    fn what_was_measured_on_one_rank_only_has_nothing_to_fall_from() {
        let fall = Fall::all(&rows(&[(1, Engine::Ours, 1.0)]), 2);
        assert!(fall.iter().all(|fall| fall.outcome == Outcome::NotJudged));
        assert!(Fall::all(&rows(&[])[1..], 2).is_empty());
    }
}
