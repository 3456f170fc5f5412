//! The report as markdown.

use std::fmt::Write;

use crate::eaf::engine::Engine;
use crate::eaf::overlap::Line;
use crate::eaf::report::{Report, Row};
use crate::eaf::workload::Cell;
use crate::markdown::{MISSING, megabytes, megabytes_if_any, ratio, render, tally};
use crate::outcome::Outcome;
use crate::statistics::median;
use crate::units::{self, decimal};

/// The whole report.
pub(crate) fn report(report: &Report) -> String {
    let mut text = head(report);
    if !report.rows.is_empty() {
        let _ = write!(text, "\n{}\n{}", RULE_OF_CELLS, cells(&report.rows));
    }
    if let Some(load) = report.overlap_workload {
        let (size, chunk) = (decimal(load.size_bytes), decimal(load.chunk_bytes));
        let _ = write!(text, "\nOverlap: files of {size}, chunks of {chunk}.\n{RULE_OF_OVERLAP}\n");
        text.push_str(&overlap(&report.overlap));
    }
    text + &summary(report)
}

/// The table of speeds.
pub(crate) fn cells(rows: &[Row]) -> String {
    let head = [
        "size",
        "chunk",
        "order",
        "mode",
        "operation",
        "GA package",
        "Fortran",
        "ours",
        "limit",
        "ours : peer",
        "ours : limit",
        "target",
        "verdict",
        "notes",
    ];
    render(&head, &rows.iter().map(cell_line).collect::<Vec<_>>())
}

const RULE_OF_CELLS: &str = "\
Median speeds in MB/s (10^6 bytes). Target of a cached cell: 0.95 of the better peer, twice the better peer for sequential
chunks of 1.6 kB. Target of a cell on the device: the smaller of twice the better peer and F of the limit (F = 0.85 at
1.6 MB, 0.7 at 160 kB, 0.5 at 16 kB with 8 in flight; 0.7 blocking sequential from 16 kB), never below 0.95 of the peer.
The limit is what fio reaches between the repetitions of the same walk (io_uring, direct, 1 MiB blocks in huge pages, depth 16).
Fortran direct access has only blocking calls: with 8 in flight it takes its turns through 8 buffers like the others.
";

const RULE_OF_OVERLAP: &str = "\
Seconds, medians: 8 requests in flight alone, computing alone, both. Target: at most 1.15 of the longer of the two. Peers
are shown, not judged, as are copies from and to the page cache where every core computes.
";

fn head(report: &Report) -> String {
    let mut text = format!("EAF, {}: {}\n", report.machine.date, report.machine.describe_disk());
    let _ = writeln!(text, "{}; seed {}.", report.cold, report.seed);
    for (size, count) in &report.repetitions {
        let repetitions = units::repetitions(*count);
        let _ = writeln!(text, "Files of {}: {repetitions}, each on a new file.", decimal(*size));
    }
    for engine in &report.missing {
        let _ = writeln!(text, "{engine}: {MISSING}: {}.", reason(*engine));
    }
    text
}

fn reason(engine: Engine) -> &'static str {
    match engine {
        Engine::Ours => "no driver was built with chemio",
        Engine::GaPackage => "package missing (libglobalarrays-dev, libarmci-mpi-dev)",
        Engine::Fortran => "package missing (gfortran)",
    }
}

fn cell_line(row: &Row) -> Vec<String> {
    let Row { cell: Cell { workload, operation }, speeds, judgement, notes, .. } = row;
    let limit = if operation.uses_device() { megabytes(speeds.limit) } else { String::new() };
    let limit_ratio = if operation.uses_device() { ratio(judgement.limit_ratio) } else { String::new() };
    vec![
        decimal(workload.size_bytes),
        decimal(workload.chunk_bytes),
        workload.order.to_string(),
        workload.mode.to_string(),
        operation.to_string(),
        megabytes(speeds.ga_package),
        megabytes(speeds.fortran),
        megabytes(speeds.ours),
        limit,
        ratio(judgement.peer_ratio),
        limit_ratio,
        megabytes_if_any(judgement.target),
        judgement.outcome.verdict().into(),
        notes.join("; "),
    ]
}

fn overlap(lines: &[Line]) -> String {
    let head = ["operation", "processes", "engine", "I/O", "computing", "both", "both : longer", "verdict"];
    render(&head, &lines.iter().map(overlap_line).collect::<Vec<_>>())
}

fn overlap_line(line: &Line) -> Vec<String> {
    let seconds = |pick: fn(&crate::eaf::overlap::Trial) -> f64| {
        let median = median(line.trials.iter().map(pick));
        median.map_or(String::new(), |seconds| format!("{seconds:.3}"))
    };
    vec![
        line.setting.operation.to_string(),
        line.setting.processes.to_string(),
        line.setting.engine.to_string(),
        seconds(|trial| trial.io_seconds),
        seconds(|trial| trial.compute_seconds),
        seconds(|trial| trial.both_seconds),
        format!("{:.2}", line.ratio),
        line.outcome.verdict().into(),
    ]
}

fn summary(report: &Report) -> String {
    let mut text = tally(&report.outcomes());
    for row in report.rows.iter().filter(|row| row.judgement.outcome == Outcome::Misses) {
        let _ = writeln!(text, "- misses: {}", missing_cell(row));
    }
    for line in report.overlap.iter().filter(|line| line.outcome == Outcome::Misses) {
        let setting = line.setting;
        let (operation, processes) = (setting.operation, setting.processes);
        let _ = writeln!(text, "- misses: overlap, {operation}, {processes} at a time: {:.2}", line.ratio);
    }
    text
}

fn missing_cell(row: &Row) -> String {
    let Cell { workload, operation } = row.cell;
    let size = decimal(workload.size_bytes);
    let chunk = decimal(workload.chunk_bytes);
    let (ours, target) = (row.speeds.ours.unwrap_or(0.0), row.judgement.target.unwrap_or(0.0));
    let (order, mode) = (workload.order, workload.mode);
    format!("{size}, {chunk}, {order}, {mode}, {operation}: {:.2} of the target", ours / target)
}

#[cfg(test)]
mod tests {
    use super::cells;
    use crate::disk::access::{Mode, Operation};
    use crate::disk::fio::Limit;
    use crate::disk::samples::Samples;
    use crate::eaf::engine::Engine;
    use crate::eaf::report::Row;
    use crate::eaf::workload::{Cell, Order, Workload};

    #[test]
    fn a_row_shows_speeds_ratios_target_and_verdict() {
        let load = Workload {
            size_bytes: 80_000_000,
            chunk_bytes: 1_600_000,
            order: Order::Random,
            mode: Mode::InFlight,
        };
        let cell = Cell::of(load, Operation::ReadCold);
        let mut samples = Samples::default();
        samples.add((cell, Engine::Ours), 0.04);
        samples.add((cell, Engine::GaPackage), 0.08);
        let text = cells(&[Row::new(cell, &samples, Some(Limit { write: 3e9, read: 2e9 }))]);
        let row: Vec<&str> = text.lines().last().expect("a row").split('|').map(str::trim).collect();
        let figures = ["1000", "not measured", "2000", "2000", "2.00", "1.00", "1700", "holds"];
        assert_eq!(row[6..14], figures);
    }
}
