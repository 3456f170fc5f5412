//! The suite of re-blocking: a matrix on disk is brought into bricks of the patterns of the paper, by ours through its call in C
//! (drivers/layout), by `TensorStore`, and, for comparison, its files are copied plainly. In every repetition all processes are started anew; they
//! live at the same time, asleep but for the one whose turn it is (`team`). Patterns take turns in groups, in which everybody and the
//! device alternate. A measurement that other processes disturb is repeated. The rules are in `judge`, the tables in `table`.
//!
//! Source: S. Krishnamoorthy et al., "Layout Transformation Support for the Disk Resident Arrays Framework", Table 2.

mod engine;
mod found;
pub(crate) mod judge;
pub(crate) mod options;
mod pass;
mod report;
mod table;
mod team;
pub(crate) mod workload;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use self::engine::Job;
use self::found::Found;
use self::options::{Options, Part};
use self::pass::{Beside, Place};
use self::report::Report;
use self::team::{Command, Team};
use self::workload::{Cell, Pattern};
use crate::disk::page_cache::PageCache;
use crate::disk::passes::Passes;
use crate::disk::scratch::{Scratch, ScratchDirectory};
use crate::error::{BenchError, step};
use crate::findings::Findings;
use crate::machine::Machine;
use crate::progress::Progress;
use crate::turns::shuffled;

/// Patterns in a group, with one measurement of each yardstick.
const GROUP_PATTERNS: usize = 4;

/// Measures all that `options` ask for.
pub(crate) fn run(options: &Options) -> Result<Findings, BenchError> {
    let scratch = Scratch::below(&options.directory)?;
    let mut report = empty_report(options, &scratch);
    measure(options, &scratch, &mut report)?;
    Ok(findings(&report))
}

fn findings(report: &Report) -> Findings {
    Findings::of(report, table::report(report), report.missing.is_empty() && report.has_limit)
}

fn empty_report(options: &Options, scratch: &Scratch) -> Report {
    Report {
        machine: Machine::look(scratch.path()),
        versions: BTreeMap::new(),
        cold: PageCache::probe().describe(),
        seed: options.common.seed,
        side: options.side(),
        repetitions: 0,
        passes: Passes::default(),
        parts: options.parts.clone(),
        peer_only: options.peer_only,
        missing: options.missing(),
        has_limit: options.fio().is_some() || !options.wants(Part::Speeds),
        limits: BTreeMap::new(),
        plain: [None; 2],
        peer_memory_bytes: BTreeMap::new(),
        rows: Vec::new(),
        spreads: Vec::new(),
    }
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Turn {
    /// fio's, with as many jobs as ranks.
    Device(usize),
    /// Plain copies.
    Plain,
    /// `TensorStore`'s, with so much memory.
    Peer(Pattern, u64),
    /// Ours.
    Conversion(Cell),
    /// Ours, reading the source.
    Skewed(Cell),
}

fn measure(options: &Options, scratch: &Scratch, report: &mut Report) -> Result<(), BenchError> {
    let progress = Progress::new(options.common.silent);
    let directory = scratch.directory("matrices")?;
    let in_it = |name| scratch.directory(&format!("matrices/{name}"));
    let (source, _peer, target) = (in_it("source")?, in_it("peer")?, in_it("target")?);
    let (page_cache, tries_max) = (PageCache::probe(), options.tries_max());
    let (matrix_bytes, found) = (options.matrix_bytes(), Found::default());
    let mut place = Place { scratch, directory, target, page_cache, matrix_bytes, tries_max, found };
    for repetition in 1..=options.repetitions() {
        progress.say(&format!("repetition {repetition} of {}", options.repetitions()));
        let mut team = Team::start(options, place.directory.path())?;
        report.versions = team.greet()?;
        if repetition == 1 {
            progress.say("  making the sources");
            make_sources(options, &mut team, &source)?;
        }
        let patterns = options.patterns();
        // Without yardsticks there is nothing to be near to.
        let in_group = if options.wants(Part::Speeds) { GROUP_PATTERNS } else { patterns.len().max(1) };
        for group in patterns.chunks(in_group) {
            let names: Vec<String> = group.iter().map(ToString::to_string).collect();
            progress.say(&format!("  {}", names.join(", ")));
            for turn in shuffled(&turns(options, group, repetition), repetition) {
                take(turn, options, &mut place, &mut team)?;
            }
        }
        report.repetitions = repetition;
        report.fill(&place.found, &cells(options));
        findings(report).keep(&options.common)?;
    }
    Ok(())
}

/// Both matrices are made once: nobody changes them. Without ours a plain copy has files of the same size.
fn make_sources(options: &Options, team: &mut Team, source: &ScratchDirectory) -> Result<(), BenchError> {
    let (jobs, bricks) = (Job::all(options), Command::Make(Pattern::of_source(options.side())));
    if let Some(&job) = jobs.iter().find(|job| matches!(job, Job::TensorStore(_))) {
        team.ask(job, bricks)?;
    }
    match jobs.iter().find(|job| matches!(job, Job::Ours(..))) {
        Some(&job) => team.ask(job, bricks).map(drop),
        None => fill_file(&source.path().join("plain"), options.matrix_bytes()),
    }
}

fn fill_file(path: &Path, bytes: u64) -> Result<(), BenchError> {
    let mut file = File::create(path).map_err(step("making", path))?;
    io::copy(&mut io::repeat(1).take(bytes), &mut file).map_err(step("writing", path))?;
    file.sync_all().map_err(step("syncing", path))
}

/// Lines of the table, in its order.
fn cells(options: &Options) -> Vec<Cell> {
    let mut cells = Vec::new();
    for ranks in options.ranks() {
        for memory_bytes in options.memories_bytes() {
            let of_pattern = |pattern| Cell { ranks, memory_bytes, pattern };
            cells.extend(options.patterns().into_iter().map(of_pattern));
        }
    }
    cells
}

/// Everything that is done with a group of patterns.
fn turns(options: &Options, group: &[Pattern], repetition: u64) -> Vec<Turn> {
    let mut turns: Vec<Turn> =
        options.ranks().into_iter().filter(|_| options.fio().is_some()).map(Turn::Device).collect();
    for job in Job::all(options) {
        match job {
            // Each conversion has one beside it; which way is the faster is another question.
            Job::Plain if !options.wants(Part::Speeds) => {}
            Job::Plain => turns.push(Turn::Plain),
            // It takes long and is far from its target: once.
            Job::TensorStore(_) if repetition > 1 => {}
            Job::TensorStore(memory_bytes) => {
                turns.extend(group.iter().map(|&pattern| Turn::Peer(pattern, memory_bytes)));
            }
            Job::Ours(ranks, memory_bytes) => {
                let cells = group.iter().map(|&pattern| Cell { ranks, memory_bytes, pattern });
                turns.extend(cells.clone().map(Turn::Conversion));
                // It takes long, is not judged and does not depend on memory: once.
                let is_first = repetition == 1 && options.memories_bytes().first() == Some(&memory_bytes);
                let is_wanted = is_first && options.wants(Part::Speeds);
                turns.extend(cells.filter(|_| is_wanted).map(Turn::Skewed));
            }
        }
    }
    turns
}

fn take(turn: Turn, options: &Options, place: &mut Place<'_>, team: &mut Team) -> Result<(), BenchError> {
    match turn {
        Turn::Plain => place.copy_plainly(team),
        Turn::Device(ranks) => {
            options.fio().map_or(Ok(()), |fio| place.measure_device(fio, ranks, options.matrix_bytes()))
        }
        Turn::Peer(pattern, memory_bytes) => place.convert_by_peer(team, (pattern, memory_bytes)),
        Turn::Conversion(cell) => {
            let (reads, fio, copy) = (options.wants(Part::Speeds), options.fio(), options.plain().is_some());
            place.convert(team, cell, Beside { reads, fio, copy })
        }
        Turn::Skewed(cell) => place.read_skewed(team, cell, options.side()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{Options, Turn, cells, turns};

    fn options(arguments: &str) -> Options {
        Options::parse_from(format!("layout {arguments}").split_whitespace())
    }

    #[test]
    fn the_table_of_a_run_has_44_lines() {
        assert_eq!(cells(&options("")).len(), 44);
    }

    #[test]
    fn in_a_group_everybody_takes_turns_and_what_takes_long_is_done_once() {
        let options = options("--ours a --plain b --peer-python c --peer-script d --fio e --patterns 1,2,3");
        let of = |repetition| turns(&options, &options.patterns(), repetition);
        let skewed = |turns: &[Turn]| turns.iter().filter(|turn| matches!(turn, Turn::Skewed(_))).count();
        // Two limits, a plain copy, three patterns with two memories by ours with one rank and with two, and once by TensorStore.
        assert_eq!((of(2).len(), skewed(&of(2))), (2 + 1 + 12, 0));
        assert_eq!((of(1).len(), skewed(&of(1))), (2 + 1 + 12 + 6 + 6, 6));
    }

    #[test]
    fn for_the_spread_alone_there_are_conversions_with_what_is_beside_them_and_nothing_else() {
        let options = options("--ours a --plain b --peer-python c --peer-script d --fio e --parts spread");
        let turns = turns(&options, &options.patterns(), 1);
        assert_eq!(turns.len(), 44);
        assert!(turns.iter().all(|turn| matches!(turn, Turn::Conversion(_))));
    }
}
