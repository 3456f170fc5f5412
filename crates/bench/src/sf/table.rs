//! The report as markdown.

use std::fmt::Write;

use crate::markdown::{MISSING, megabytes, megabytes_if_any, ratio, render, tally};
use crate::outcome::Outcome;
use crate::sf::engine::Engine;
use crate::sf::report::{Fall, Report, Row};
use crate::sf::workload::Cell;
use crate::units::{self, decimal, either};

const RULE_OF_CELLS: &str = "\
Request i is written by rank i mod n and read by another (a rank by itself reads its own). Median speeds in MB/s (10^6 bytes; a kB is
1000 bytes) of all ranks together; writing includes the creation of the file. Target of a cached cell: 0.95 of the best peer.
Target of a cell on the device: the smaller of twice the best peer and F of the limit (F = 0.85 at 1 MB, 0.6 at 64 kB, 8 in
flight; none when blocking), never below 0.95 of the best peer. Judged: 1 and 2 ranks, if there are as many processors. The limit is what
fio reaches between the repetitions of the same requests with as many jobs as ranks (io_uring, direct, 1 MiB blocks in huge pages, depth 16);
\"same size\" is fio by requests of this size, rounded up to pages, at depth 8. The limit of a cached cell is what fio reaches by plain
calls (pwrite of a file whose space is reserved, without its creation; pread), by requests of this size in turn. It is shown, not a target.
";

const RULE_OF_FALLS: &str = "\
From 1 rank to 2: speed on 2 : speed on 1. Target: 0.9. Best peer and limit are shown for comparison.
";

/// The whole report.
pub(crate) fn report(report: &Report) -> String {
    let mut text = head(report);
    let _ = write!(text, "\n{RULE_OF_CELLS}\n{}", cells(&report.rows));
    if !report.falls.is_empty() {
        let _ = write!(text, "\n{RULE_OF_FALLS}\n{}", falls(&report.falls));
    }
    text + &tally(&report.outcomes()) + &misses(report)
}

fn head(report: &Report) -> String {
    let Report { machine, cold, seed, size_bytes, .. } = report;
    let repetitions = units::repetitions(report.repetitions);
    let mut text = format!("SF, {}: {}\n", machine.date, machine.describe_disk());
    let _ = writeln!(text, "{cold}; seed {seed}. Ranks are not bound to processors.");
    let size = decimal(*size_bytes);
    let _ = writeln!(
        text,
        "Files of {size}: {repetitions}, each by new processes, which make up to three passes after a rehearsal, each on a new file; cached reads by so many more in each: {}.",
        report.rereads
    );
    text.push_str(&report.passes.describe());
    for (engine, mpi) in &report.mpi {
        let _ = writeln!(text, "{engine}: {}{mpi}.", if is_mpiio(*engine) { "MPI-IO, " } else { "on " });
    }
    for engine in &report.missing {
        let _ = writeln!(text, "{engine}: {MISSING}: {}.", reason(*engine));
    }
    if !report.has_limit {
        let _ = writeln!(text, "limit: {MISSING}: program missing (fio).");
    }
    if report.peer_only {
        let _ = writeln!(text, "ours: {MISSING}: only the peers were asked for.");
    }
    text
}

fn is_mpiio(engine: Engine) -> bool {
    matches!(engine, Engine::OpenMpi | Engine::Mpich)
}

fn reason(engine: Engine) -> &'static str {
    match engine {
        Engine::Package => "package missing (libglobalarrays-dev, libarmci-mpi-dev)",
        Engine::OpenMpi => "package missing (libopenmpi-dev, openmpi-bin)",
        Engine::Mpich => "package missing (libmpich-dev, mpich)",
        Engine::Ours => "no driver was built with chemio",
    }
}

// ---- speeds ----

/// The table of speeds.
fn cells(rows: &[Row]) -> String {
    let head = [
        "request",
        "mode",
        "operation",
        "ranks",
        "GA package",
        "Open MPI",
        "MPICH",
        "ours",
        "same size",
        "limit",
        "ours : peer",
        "ours : limit",
        "target",
        "verdict",
        "notes",
    ];
    render(&head, &rows.iter().map(cell_line).collect::<Vec<_>>())
}

fn cell_line(row: &Row) -> Vec<String> {
    let Row { cell: Cell { workload, operation }, speeds, judgement, notes, .. } = row;
    vec![
        either(workload.request_bytes),
        workload.mode.to_string(),
        operation.to_string(),
        workload.ranks.to_string(),
        megabytes(speeds.package),
        megabytes(speeds.openmpi),
        megabytes(speeds.mpich),
        megabytes(speeds.ours),
        megabytes_if_any(speeds.same_size),
        megabytes_if_any(speeds.limit),
        ratio(judgement.peer_ratio),
        ratio(judgement.limit_ratio),
        megabytes_if_any(judgement.target),
        judgement.outcome.verdict().into(),
        notes.join("; "),
    ]
}

// ---- one rank against two ----

fn falls(falls: &[Fall]) -> String {
    let head =
        ["request", "mode", "operation", "ours, 1", "ours, 2", "ours", "best peer", "limit", "verdict"];
    render(&head, &falls.iter().map(fall_line).collect::<Vec<_>>())
}

fn fall_line(fall: &Fall) -> Vec<String> {
    let [alone, on_two] = fall.ours.map(megabytes);
    let [ours, peer, limit] = fall.ratios.map(ratio);
    vec![
        either(fall.request_bytes),
        fall.mode.to_string(),
        fall.operation.to_string(),
        alone,
        on_two,
        ours,
        peer,
        limit,
        fall.outcome.verdict().into(),
    ]
}

// ---- summary ----

fn misses(report: &Report) -> String {
    let mut text = String::new();
    for row in report.rows.iter().filter(|row| row.judgement.outcome == Outcome::Misses) {
        let Cell { workload, operation } = row.cell;
        let (request, mode, ranks) = (either(workload.request_bytes), workload.mode, workload.ranks);
        let part = row.speeds.ours.unwrap_or(0.0) / row.judgement.target.unwrap_or(0.0);
        let _ = writeln!(
            text,
            "- misses: {request}, {mode}, {operation}, ranks: {ranks}: {part:.2} of the target"
        );
    }
    for fall in report.falls.iter().filter(|fall| fall.outcome == Outcome::Misses) {
        let Fall { request_bytes, mode, operation, ratios, .. } = fall;
        let (request, part) = (either(*request_bytes), ratio(ratios[0]));
        let _ = writeln!(text, "- misses: {request}, {mode}, {operation}, from 1 rank to 2: {part}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{cells, falls};
    use crate::disk::access::{Mode, Operation};
    use crate::disk::samples::Samples;
    use crate::sf::engine::Engine;
    use crate::sf::report::{Fall, Row};
    use crate::sf::workload::{Cell, Workload};

    fn last_line(table: &str) -> Vec<&str> {
        table.lines().last().expect("a row").split('|').map(str::trim).collect()
    }

    fn rows() -> Vec<Row> {
        let load =
            |ranks| Workload { request_bytes: 64_000, mode: Mode::InFlight, ranks, file_bytes: 64_000_000 };
        let cell = |ranks| Cell::of(load(ranks), Operation::WriteCached);
        let mut samples = Samples::default();
        samples.add((cell(1), Engine::Ours), 0.04);
        samples.add((cell(2), Engine::Ours), 0.08);
        samples.add((cell(2), Engine::Mpich), 0.064);
        samples.add((cell(2), Engine::Package), 0.32);
        [1, 2].map(|ranks| Row::new(cell(ranks), &samples, None, 2)).into()
    }

    #[test]
    fn a_row_shows_speeds_ratios_target_and_verdict() {
        let table = cells(&rows());
        let row = last_line(&table);
        assert_eq!(row[1..5], ["64 kB", "8 in flight", "write cached", "2"]);
        assert_eq!(row[5..11], ["200", "not measured", "1000", "800", "", ""]);
        assert_eq!(row[11..15], ["0.80", "", "950", "MISSES"]);
    }

    #[test]
    fn a_fall_is_shown_with_both_speeds() {
        let table = falls(&Fall::all(&rows(), 2));
        assert_eq!(last_line(&table)[4..10], ["1600", "800", "0.50", "", "", "MISSES"]);
    }
}
