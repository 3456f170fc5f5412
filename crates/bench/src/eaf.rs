//! The EAF suite: one driver process for each repetition (`driver`, `pass`, `overlap`), an equal start for all (`page_cache`,
//! `memory`), the device by fio (`fio`), the rules (`judge`) and the report (`report`, `table`).

mod bench;
mod driver;
mod engine;
mod judge;
pub(crate) mod options;
mod overlap;
mod pass;
mod report;
mod table;
mod workload;

use std::collections::BTreeMap;

use self::bench::Bench;
use self::driver::Content;
use self::engine::Engine;
use self::options::{Options, Part};
use self::overlap::Setting;
use self::report::{Report, Row};
use self::workload::{Cell, Workload};
use crate::disk::access::Operation;
use crate::disk::fio::{Fio, Load};
use crate::disk::page_cache::{self, PageCache};
use crate::disk::samples::Samples;
use crate::disk::scratch::Scratch;
use crate::error::BenchError;
use crate::findings::Findings;
use crate::machine::Machine;
use crate::progress::Progress;
use crate::turns::shuffled;

/// Measures all that `options` ask for.
pub(crate) fn run(options: &Options) -> Result<Findings, BenchError> {
    let bench = surroundings(options)?;
    let mut report = empty_report(&bench, options);
    measure(&bench, options, &mut report)?;
    let is_complete = report.missing.is_empty() && options.fio.is_some();
    Ok(Findings::of(&report, table::report(&report), is_complete))
}

fn surroundings(options: &Options) -> Result<Bench, BenchError> {
    Ok(Bench {
        executables: options.executables(),
        scratch: Scratch::below(&options.directory)?,
        page_cache: PageCache::probe(),
        content: Content { seed: options.common.seed, check_fully: options.checks_fully() },
    })
}

fn empty_report(bench: &Bench, options: &Options) -> Report {
    let sizes = options.sizes_bytes().into_iter();
    Report {
        machine: Machine::look(bench.scratch.path()),
        cold: bench.page_cache.describe(),
        seed: options.common.seed,
        repetitions: sizes.map(|size| (size, options.repetitions(size))).collect(),
        missing: bench.executables.missing(),
        rows: Vec::new(),
        overlap_workload: None,
        overlap: Vec::new(),
    }
}

fn measure(bench: &Bench, options: &Options, report: &mut Report) -> Result<(), BenchError> {
    let progress = Progress::new(options.common.silent);
    check_sizes(options)?;
    if options.wants(Part::Cells) {
        measure_cells(bench, options, &progress, report)?;
    }
    if options.wants(Part::Overlap) {
        measure_overlap(bench, options, &progress, report)?;
    }
    Ok(())
}

fn check_sizes(options: &Options) -> Result<(), BenchError> {
    for Workload { size_bytes, chunk_bytes, .. } in
        options.walks().into_iter().chain([options.overlap_workload()])
    {
        if chunk_bytes == 0 || size_bytes % chunk_bytes != 0 {
            return Err(BenchError::Uneven { size_bytes, chunk_bytes });
        }
    }
    Ok(())
}

fn measure_cells(
    bench: &Bench,
    options: &Options,
    progress: &Progress,
    report: &mut Report,
) -> Result<(), BenchError> {
    for walk in options.walks() {
        let rows = measure_walk(bench, options, walk)?;
        progress.table(&table::cells(&rows));
        report.rows.extend(rows);
    }
    Ok(())
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Turn {
    /// fio's, for the limit of the device.
    Limit,
    /// An engine's, in one of its modes.
    Pass(Engine, Workload),
}

/// All repetitions of one walk, in all modes.
fn measure_walk(bench: &Bench, options: &Options, walk: Workload) -> Result<Vec<Row>, BenchError> {
    let mut samples = Samples::default();
    let mut fio =
        options.fio.as_deref().map(|executable| Fio::new(executable, Load::limit(walk.size_bytes, 1)));
    let turns = turns(bench, options, walk);
    warm_up(bench, &turns)?;
    for repetition in 0..options.repetitions(walk.size_bytes) {
        for turn in shuffled(&turns, repetition) {
            take(bench, turn, &mut samples, fio.as_mut())?;
        }
    }
    let limit = fio.as_ref().and_then(Fio::limit);
    let workloads = options.modes.iter().map(|&mode| Workload { mode, ..walk });
    Ok(workloads.flat_map(Cell::all).map(|cell| Row::new(cell, &samples, limit)).collect())
}

fn turns(bench: &Bench, options: &Options, walk: Workload) -> Vec<Turn> {
    let mut turns = vec![Turn::Limit];
    for engine in bench.executables.present() {
        turns.extend(options.modes.iter().map(|&mode| Turn::Pass(engine, Workload { mode, ..walk })));
    }
    turns
}

/// The first turn after another walk is not like the rest: one is taken and forgotten.
fn warm_up(bench: &Bench, turns: &[Turn]) -> Result<(), BenchError> {
    turns.last().map_or(Ok(()), |&turn| take(bench, turn, &mut Samples::default(), None))
}

fn take(
    bench: &Bench,
    turn: Turn,
    samples: &mut Samples<(Cell, Engine)>,
    fio: Option<&mut Fio>,
) -> Result<(), BenchError> {
    match turn {
        Turn::Pass(engine, workload) => pass::run(bench, engine, workload, samples),
        Turn::Limit => {
            page_cache::flush();
            fio.map_or(Ok(()), |fio| fio.measure(&bench.scratch))
        }
    }
}

fn measure_overlap(
    bench: &Bench,
    options: &Options,
    progress: &Progress,
    report: &mut Report,
) -> Result<(), BenchError> {
    let load = options.overlap_workload();
    let settings = overlap_settings(bench);
    let mut trials: BTreeMap<Setting, Vec<_>> = BTreeMap::new();
    for repetition in 1..=options.repetitions(load.size_bytes) {
        progress.say(&format!("overlap, repetition {repetition}"));
        for &setting in &settings {
            trials.entry(setting).or_default().push(overlap::run(bench, setting, &load)?);
        }
    }
    let line = |(setting, trials)| overlap::Line::new(setting, trials, report.machine.cpus);
    report.overlap = trials.into_iter().map(line).collect();
    report.overlap_workload = Some(load);
    Ok(())
}

fn overlap_settings(bench: &Bench) -> Vec<Setting> {
    let engines = bench.executables.present().filter(|engine| overlap::ENGINES.contains(engine));
    let operations = |engine| Operation::ALL.map(|operation| (operation, engine));
    let pairs = engines.flat_map(operations);
    let with_processes =
        |(operation, engine)| [1, 2].map(|processes| Setting { operation, processes, engine });
    pairs.flat_map(with_processes).collect()
}
