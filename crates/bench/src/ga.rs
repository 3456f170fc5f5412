//! The suite of distributed arrays: the same driver (drivers/ga) with the Global Arrays package, with ours in node shared
//! memory, and with ours by MPI RMA. In every repetition all of them are started anew, because where a process finds its
//! memory is chance and stays for its life; they live at the same time, asleep but for the one whose turn it is (`team`), so that
//! they alternate within a second or two. The rules are in `judge`, the tables in `table`.

mod engine;
mod judge;
pub(crate) mod options;
mod report;
mod samples;
mod table;
mod team;
mod turn;
mod workload;

use self::options::{Options, Part};
use self::report::{CounterRow, ProductRow, Report, TransferRow};
use self::samples::Samples;
use self::team::Team;
use self::turn::{Task, Turn};
use crate::error::BenchError;
use crate::findings::Findings;
use crate::progress::Progress;
use crate::turns::shuffled;

/// Measures all that `options` ask for.
pub(crate) fn run(options: &Options) -> Result<Findings, BenchError> {
    options.check()?;
    let mut report = Report::empty(options);
    measure(options, &mut report)?;
    let is_complete = report.missing.is_empty();
    Ok(Findings::of(&report, table::report(&report), is_complete))
}

fn measure(options: &Options, report: &mut Report) -> Result<(), BenchError> {
    let progress = Progress::new(options.common.silent);
    for ranks in options.all_ranks() {
        let mut samples = Samples::default();
        for repetition in 1..=options.repetitions() {
            progress.say(&format!("ranks: {ranks}, repetition {repetition} of {}", options.repetitions()));
            let Some(mut team) = Team::start(options, ranks, report.machine.cpus)? else { return Ok(()) };
            team.mpi().clone_into(&mut report.mpi);
            repeat(&mut team, options, repetition, &progress, &mut samples)?;
        }
        add_rows(options, ranks, &samples, report);
        progress.table(&table::of_ranks(report, ranks));
    }
    Ok(())
}

/// One repetition: all turns of a task, in an order of its own, and on to the next task.
fn repeat(
    team: &mut Team,
    options: &Options,
    repetition: u64,
    progress: &Progress,
    samples: &mut Samples,
) -> Result<(), BenchError> {
    for task in tasks(options, team.ranks()) {
        progress.say(&format!("  {task}"));
        let turns = Turn::all(task, &team.engines(), team.ranks());
        for turn in shuffled(&turns, repetition) {
            samples.add(turn, team.take(turn, options.seconds())?);
        }
    }
    Ok(())
}

fn tasks(options: &Options, ranks: usize) -> Vec<Task> {
    let mut tasks = Vec::new();
    if options.wants(Part::Transfers, ranks) {
        tasks.extend(options.patches().into_iter().map(Task::Patch));
    }
    if options.wants(Part::Counter, ranks) {
        tasks.push(Task::Counter);
    }
    if options.wants(Part::Dgemm, ranks) {
        tasks.extend(options.products(ranks).into_iter().map(Task::Product));
    }
    tasks
}

fn add_rows(options: &Options, ranks: usize, samples: &Samples, report: &mut Report) {
    let cpus = report.machine.cpus;
    for task in tasks(options, ranks) {
        match task {
            Task::Patch(patch) => {
                let row = |cell| TransferRow::new(cell, samples, cpus);
                report.transfers.extend(patch.cells(ranks).into_iter().map(row));
            }
            Task::Counter => report.counters.push(CounterRow::new(ranks, samples)),
            Task::Product(product) => report.products.push(ProductRow::new(product, samples, cpus)),
        }
    }
    report.turns += samples.turns();
}
