//! The suite of shared files: the same driver (drivers/sf) with SF of the Global Arrays package, with MPI-IO of Open MPI and of MPICH,
//! and with ours. In every repetition all of them are started anew, for every number of ranks; they live at the same
//! time, asleep but for the one whose turn it is (`team`), so that libraries, numbers of ranks and the device (`device`)
//! alternate within seconds. Cached reads are taken by further processes and files, because chance comes with those. A pass that
//! other processes disturb is repeated. The rules are in `judge`, the tables in `table`.

mod device;
mod engine;
mod judge;
pub(crate) mod options;
mod pass;
mod report;
mod table;
mod team;
mod workload;

use self::device::{Device, Yardstick};
use self::engine::Engine;
use self::options::Options;
use self::pass::Place;
use self::report::{Fall, Report, Row};
use self::team::Team;
use self::workload::{Cell, Workload};
use crate::disk::memory::Held;
use crate::disk::page_cache::{self, PageCache};
use crate::disk::passes::Passes;
use crate::disk::rehearsal::Rehearsals;
use crate::disk::samples::Samples;
use crate::disk::scratch::Scratch;
use crate::error::BenchError;
use crate::findings::Findings;
use crate::machine::Machine;
use crate::progress::Progress;
use crate::turns::shuffled;
use crate::units::either;

/// Drivers append nothing to this name, and libraries that append a suffix are told 0.
const FILE_NAME: &str = "shared.0";

/// Measures all that `options` ask for.
pub(crate) fn run(options: &Options) -> Result<Findings, BenchError> {
    options.check()?;
    let scratch = Scratch::below(&options.on_disk.directory)?;
    let mut report = empty_report(options, &scratch);
    measure(options, &scratch, &mut report)?;
    Ok(findings(&report))
}

fn findings(report: &Report) -> Findings {
    Findings::of(report, table::report(report), report.missing.is_empty() && report.has_limit)
}

fn empty_report(options: &Options, scratch: &Scratch) -> Report {
    let is_wanted = |engine: &Engine| !options.on_disk.peer_only || *engine != Engine::Ours;
    Report {
        machine: Machine::look(scratch.path()),
        mpi: [].into(),
        cold: PageCache::probe().describe(),
        seed: options.common.seed,
        size_bytes: options.size_bytes(),
        repetitions: 0,
        rereads: options.rereads(),
        passes: Passes::default(),
        peer_only: options.on_disk.peer_only,
        missing: options.executables().missing().into_iter().filter(is_wanted).collect(),
        has_limit: options.on_disk.fio.is_some(),
        rows: Vec::new(),
        falls: Vec::new(),
    }
}

/// What all turns of a run use.
struct Round<'a> {
    scratch: &'a Scratch,
    place: Place,
    samples: Samples<(Cell, Engine)>,
    passes: Passes,
    device: Option<Device<'a>>,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Turn {
    /// fio's, with so many jobs.
    Device(Yardstick, usize),
    /// A library's.
    Pass(Engine, Workload),
    /// A library's, which only reads from the cache.
    Reread(Engine, Workload),
}

fn measure(options: &Options, scratch: &Scratch, report: &mut Report) -> Result<(), BenchError> {
    let progress = Progress::new(options.common.silent);
    let mut round = Round {
        scratch,
        place: Place {
            file: scratch.file(FILE_NAME),
            rehearsals: Rehearsals::below(scratch)?,
            memory: Held::default(),
            page_cache: PageCache::probe(),
            tries_max: options.common.tries_max(),
        },
        samples: Samples::default(),
        passes: Passes::default(),
        device: options
            .on_disk
            .fio
            .as_deref()
            .map(|executable| Device::new(executable, options.size_bytes())),
    };
    for repetition in 1..=options.repetitions() {
        progress.say(&format!("repetition {repetition} of {}", options.repetitions()));
        let mut team = Team::start(options, round.place.file.path())?;
        report.mpi = team.greet()?;
        for &request_bytes in &options.requests {
            progress.say(&format!("  requests of {}", either(request_bytes)));
            round.take_all(&shuffled(&turns(options, request_bytes), repetition), &mut team)?;
        }
        for _ in 0..options.rereads() {
            let mut team = Team::start(options, round.place.file.path())?;
            team.greet()?;
            for &request_bytes in &options.requests {
                round.take_all(&shuffled(&rereads(options, request_bytes), repetition), &mut team)?;
            }
        }
        report.repetitions = repetition;
        fill(options, &round, report);
        findings(report).keep(&options.common)?;
    }
    Ok(())
}

/// Everything that is done with requests of one size.
fn turns(options: &Options, request_bytes: u64) -> Vec<Turn> {
    let mut turns = Vec::new();
    for ranks in options.ranks() {
        let yardsticks = [
            Yardstick::Limit { request_bytes },
            Yardstick::SameSize { request_bytes },
            Yardstick::Cached { request_bytes },
        ];
        turns.extend(yardsticks.map(|yardstick| Turn::Device(yardstick, ranks)));
        turns.extend(of_libraries(options, request_bytes, ranks, Turn::Pass));
    }
    turns
}

/// All cached reads with requests of one size.
fn rereads(options: &Options, request_bytes: u64) -> Vec<Turn> {
    let ranks = options.ranks().into_iter();
    ranks.flat_map(|ranks| of_libraries(options, request_bytes, ranks, Turn::Reread)).collect()
}

/// A turn of each library in each mode.
fn of_libraries(
    options: &Options,
    request_bytes: u64,
    ranks: usize,
    turn: impl Fn(Engine, Workload) -> Turn,
) -> Vec<Turn> {
    let workloads = options.workloads(request_bytes, ranks);
    let executables = options.executables();
    let engines = executables.present().map(|(engine, _)| engine);
    engines
        .flat_map(|engine| workloads.iter().map(move |&load| (engine, load)))
        .map(|(engine, load)| turn(engine, load))
        .collect()
}

impl Round<'_> {
    fn take_all(&mut self, turns: &[Turn], team: &mut Team) -> Result<(), BenchError> {
        turns.iter().try_for_each(|&turn| self.take(turn, team))
    }

    fn take(&mut self, turn: Turn, team: &mut Team) -> Result<(), BenchError> {
        match turn {
            Turn::Pass(engine, load) => {
                let job = team.job(engine, load.ranks);
                self.passes += pass::run(job, (engine, load), &mut self.place, &mut self.samples)?;
                Ok(())
            }
            Turn::Reread(engine, load) => {
                let job = team.job(engine, load.ranks);
                self.passes += pass::reread(job, (engine, load), &self.place, &mut self.samples)?;
                Ok(())
            }
            Turn::Device(yardstick, jobs) => {
                page_cache::flush();
                let scratch = self.scratch;
                self.device.as_mut().map_or(Ok(()), |device| device.measure(yardstick, jobs, scratch))
            }
        }
    }
}

fn fill(options: &Options, round: &Round<'_>, report: &mut Report) {
    let cpus = report.machine.cpus;
    let of_request = |&request| options.ranks().into_iter().map(move |ranks| (request, ranks));
    let pairs = options.requests.iter().flat_map(of_request);
    let workloads = pairs.flat_map(|(request, ranks)| options.workloads(request, ranks));
    let row = |cell| Row::new(cell, &round.samples, round.device.as_ref(), cpus);
    report.passes = round.passes;
    report.rows = workloads.flat_map(Cell::all).map(row).collect();
    report.rows.sort_by_key(|row| row.cell.place());
    report.falls = Fall::all(&report.rows, cpus);
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{Options, Turn, rereads, turns};

    #[test]
    fn every_library_takes_its_turn_in_every_mode_and_the_kernel_alone_three_times() {
        let options = Options::parse_from(["sf", "--ours", "x", "--mpiio-mpich", "y", "--ranks", "1,2"]);
        let turns = turns(&options, 64_000);
        let of_device = turns.iter().filter(|turn| matches!(turn, Turn::Device(..))).count();
        assert_eq!((of_device, turns.len()), (6, 14));
        let rereads = rereads(&options, 64_000);
        assert!(rereads.len() == 8 && rereads.iter().all(|turn| matches!(turn, Turn::Reread(..))));
    }
}
