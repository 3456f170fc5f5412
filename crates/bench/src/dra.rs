//! The suite of disk-resident arrays: the same driver (drivers/dra) with DRA of the Global Arrays package, with parallel HDF5,
//! collective and independent, and with ours. In every repetition all of them are started anew, for every number of ranks; they live
//! at the same time, asleep but for the one whose turn it is (`team`), so that libraries, numbers of ranks and the device alternate
//! within seconds. A pass that other processes disturb is repeated. `overlap` computes during transfers, `sweep` varies
//! what libraries are told; the rules are in `judge`, the tables in `table`.

mod device;
mod engine;
mod judge;
pub(crate) mod options;
mod overlap;
mod pass;
mod report;
mod sweep;
mod table;
mod team;
mod touched;
mod workload;

use std::collections::BTreeMap;

use self::device::Device;
use self::engine::Engine;
use self::options::{Options, Part};
use self::overlap::{Setting, Trial};
use self::pass::{Found, Place};
use self::report::{Report, Return, Row, Shift};
use self::team::Team;
use self::workload::{Alignment, Cell, Layout, Workload};
use crate::disk::page_cache::PageCache;
use crate::disk::passes::Passes;
use crate::disk::rehearsal::Rehearsals;
use crate::disk::scratch::Scratch;
use crate::error::BenchError;
use crate::findings::Findings;
use crate::progress::Progress;
use crate::turns::shuffled;

const DIRECTORY_NAME: &str = "arrays";

/// Measures all that `options` ask for.
pub(crate) fn run(options: &Options) -> Result<Findings, BenchError> {
    let scratch = Scratch::below(&options.on_disk.directory)?;
    let mut report = Report::empty(options, &scratch);
    measure(options, &scratch, &mut report)?;
    Ok(findings(&report))
}

fn findings(report: &Report) -> Findings {
    Findings::of(report, table::report(report), report.missing.is_empty() && report.has_limit)
}

/// What all turns of a run use, and what they found.
struct Round<'a> {
    options: &'a Options,
    scratch: &'a Scratch,
    place: Place,
    passes: Passes,
    found: Found<Engine>,
    device: Device,
    trials: BTreeMap<Setting, Vec<Trial>>,
    sweep: Found<sweep::Key>,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Turn {
    /// fio's, with as many jobs as ranks.
    Device(Workload),
    /// A library's.
    Pass(Engine, Workload),
    /// A library's, while its ranks compute.
    Overlap(Setting),
}

fn measure(options: &Options, scratch: &Scratch, report: &mut Report) -> Result<(), BenchError> {
    let progress = Progress::new(options.common.silent);
    let mut round = Round::new(options, scratch, report.machine.cpus)?;
    for repetition in 1..=options.repetitions() {
        progress.say(&format!("repetition {repetition} of {}", options.repetitions()));
        round.repeat(repetition, &progress, report)?;
        report.repetitions = repetition;
        round.fill(report);
        findings(report).keep(&options.common)?;
    }
    Ok(())
}

/// What is done with one section, if speeds are wanted.
fn turns_of_section(options: &Options, section: (Layout, Alignment)) -> Vec<Turn> {
    let mut turns = Vec::new();
    for ranks in options.ranks() {
        let load = options.workload(section, ranks);
        turns.extend(options.on_disk.fio.is_some().then_some(Turn::Device(load)));
        turns.extend(options.present(&Engine::ALL).into_iter().map(|engine| Turn::Pass(engine, load)));
    }
    turns
}

/// Every line of the table of overlap.
fn overlap_settings(options: &Options) -> Vec<Setting> {
    let mut settings = Vec::new();
    for operation in Setting::OPERATIONS {
        for ranks in options.ranks().into_iter().filter(|&ranks| ranks <= overlap::RANKS_MAX) {
            let load = options.workload(overlap::SECTION, ranks);
            let engines = options.present(&Engine::ASYNCHRONOUS).into_iter();
            settings.extend(engines.map(|engine| Setting { operation, load, engine }));
        }
    }
    settings
}

impl<'a> Round<'a> {
    fn new(options: &'a Options, scratch: &'a Scratch, cpus: usize) -> Result<Self, BenchError> {
        Ok(Self {
            options,
            scratch,
            place: Place {
                directory: scratch.directory(DIRECTORY_NAME)?,
                rehearsals: Rehearsals::below(scratch)?,
                page_cache: PageCache::probe(),
                is_rehearsed: !options.common.quick,
                cpus,
                tries_max: options.common.tries_max(),
            },
            passes: Passes::default(),
            found: Found::default(),
            device: Device::default(),
            trials: BTreeMap::new(),
            sweep: Found::default(),
        })
    }

    fn repeat(
        &mut self,
        repetition: u64,
        progress: &Progress,
        report: &mut Report,
    ) -> Result<(), BenchError> {
        let options = self.options;
        let mut team = Team::start(options, self.place.directory.path())?;
        report.mpi = team.greet()?.unwrap_or_default();
        if options.wants(Part::Speeds) {
            for section in options.sections() {
                let load = options.workload(section, 1);
                progress.say(&format!("  {}, hint {}, {}", load.array(), load.hint(), load.alignment));
                self.take_all(&shuffled(&turns_of_section(options, section), repetition), &mut team)?;
            }
        }
        if options.wants(Part::Overlap) {
            progress.say("  computing during transfers");
            let turns: Vec<_> = overlap_settings(options).into_iter().map(Turn::Overlap).collect();
            self.take_all(&shuffled(&turns, repetition), &mut team)?;
        }
        drop(team);
        if options.wants(Part::Sweep) {
            progress.say("  ranks that do input and output, buffer memory");
            self.passes += sweep::repeat(options, &self.place, repetition, &mut self.sweep)?;
        }
        Ok(())
    }

    fn take_all(&mut self, turns: &[Turn], team: &mut Team) -> Result<(), BenchError> {
        turns.iter().try_for_each(|&turn| self.take(turn, team))
    }

    fn take(&mut self, turn: Turn, team: &mut Team) -> Result<(), BenchError> {
        match turn {
            Turn::Device(load) => match &self.options.on_disk.fio {
                Some(fio) => self.device.measure(load, fio, self.scratch),
                None => Ok(()),
            },
            Turn::Pass(engine, load) => {
                let job = team.job(engine, load.ranks);
                self.passes += self.place.run(job, (engine, load), &mut self.found)?;
                Ok(())
            }
            Turn::Overlap(setting) => {
                let job = team.job(setting.engine, setting.load.ranks);
                overlap::run(job, setting, &self.place, self.trials.entry(setting).or_default())
            }
        }
    }

    fn fill(&self, report: &mut Report) {
        let (options, cpus) = (self.options, report.machine.cpus);
        report.passes = self.passes;
        if options.wants(Part::Speeds) {
            report.rows = self.rows(cpus);
            report.shifts = Shift::all(&report.rows, &self.device, cpus);
            report.returns = Return::all(&report.rows, &self.found, cpus);
        }
        let line =
            |(&setting, trials): (&Setting, &Vec<Trial>)| overlap::Line::new(setting, trials.clone(), cpus);
        report.overlaps = self.trials.iter().map(line).collect();
        if options.wants(Part::Sweep) {
            report.sweep = sweep::Line::all(options, &self.sweep);
        }
    }

    fn rows(&self, cpus: usize) -> Vec<Row> {
        let ranks = self.options.ranks();
        let of_section = |section| ranks.iter().map(move |&ranks| self.options.workload(section, ranks));
        let cells = self.options.sections().into_iter().flat_map(of_section).flat_map(Cell::all);
        let mut rows: Vec<Row> = cells.map(|cell| Row::new(cell, &self.found, &self.device, cpus)).collect();
        rows.sort_by_key(|row| row.cell.place());
        rows
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{Options, Turn, overlap_settings, turns_of_section};

    fn options() -> Options {
        let drivers = ["--ours", "x", "--package", "y", "--hdf5", "z", "--fio", "fio"];
        Options::parse_from(["dra"].into_iter().chain(drivers))
    }

    #[test]
    fn every_library_and_the_device_take_their_turn_on_every_number_of_ranks() {
        let options = options();
        let turns = turns_of_section(&options, options.sections()[0]);
        let of_device = turns.iter().filter(|turn| matches!(turn, Turn::Device(_))).count();
        assert_eq!((of_device, turns.len()), (3, 15));
    }

    #[test]
    fn overlap_is_measured_on_one_and_two_ranks_where_calls_are_asynchronous() {
        assert_eq!(overlap_settings(&options()).len(), 8);
    }
}
