//! The report as markdown that is also a table on a terminal.

use std::fmt::Write;

use crate::engine::Engine;
use crate::judge::Outcome;
use crate::overlap::Line;
use crate::report::{Report, Row};
use crate::workload::{Cell, decimal};

const MISSING: &str = "not measured";

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
The limit is what fio reaches between the repetitions of the same walk (io_uring, direct, 1 MiB blocks, depth 16).
Fortran direct access has only blocking calls: with 8 in flight it takes its turns through 8 buffers like the others.
";

const RULE_OF_OVERLAP: &str = "\
Seconds, medians: 8 requests in flight alone, computing alone, both. Target: at most 1.15 of the longer of the two. Peers
are shown, not judged, as are copies from and to the page cache where every core computes.
";

fn head(report: &Report) -> String {
    let mut text = format!("EAF, {}: {}\n", report.machine.date, report.machine.describe());
    let _ = writeln!(text, "{}; seed {}.", report.cold, report.seed);
    for (size, repetitions) in &report.repetitions {
        let _ = writeln!(text, "Files of {}: {repetitions} repetitions, each on a new file.", decimal(*size));
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
        judgement.target.map_or(String::new(), |target| megabytes(Some(target))),
        verdict(judgement.outcome).into(),
        notes.join("; "),
    ]
}

fn overlap(lines: &[Line]) -> String {
    let head = ["operation", "processes", "engine", "I/O", "computing", "both", "both : longer", "verdict"];
    render(&head, &lines.iter().map(overlap_line).collect::<Vec<_>>())
}

fn overlap_line(line: &Line) -> Vec<String> {
    let seconds = |pick: fn(&crate::overlap::Trial) -> f64| {
        let median = crate::samples::median(line.trials.iter().map(pick));
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
        verdict(line.outcome).into(),
    ]
}

fn summary(report: &Report) -> String {
    let count = |outcome| report.outcomes().filter(|&found| found == outcome).count();
    let (holds, misses) = (count(Outcome::Holds), count(Outcome::Misses));
    let mut text = format!("\n{holds} of {} judged cells hold", holds + misses);
    match count(Outcome::NotJudged) {
        0 => text.push_str(".\n"),
        shown => {
            let _ = writeln!(text, ", {shown} are shown only.");
        }
    }
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

fn megabytes(speed: Option<f64>) -> String {
    speed.map_or(MISSING.into(), |speed| format!("{:.0}", speed / 1e6))
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"))
}

fn verdict(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Holds => "holds",
        Outcome::Misses => "MISSES",
        Outcome::NotJudged => "shown",
    }
}

/// A markdown table, columns padded.
fn render(head: &[&str], lines: &[Vec<String>]) -> String {
    let head: Vec<String> = head.iter().map(ToString::to_string).collect();
    let width = |column: usize| {
        let cells = lines.iter().chain([&head]).map(|line| line[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    [&head, &rule].into_iter().chain(lines).map(|line| render_line(line, &widths)).collect()
}

fn render_line(line: &[String], widths: &[usize]) -> String {
    let padded = line.iter().zip(widths).map(|(cell, &width)| format!(" {cell:<width$} |"));
    format!("|{}\n", padded.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::{cells, render};
    use crate::engine::Engine;
    use crate::fio::Limit;
    use crate::report::Row;
    use crate::samples::Samples;
    use crate::workload::{Mode, Operation, Order, Workload};

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let text = render(&["a", "long"], &[vec!["wide".into(), "b".into()]]);
        assert_eq!(text, "| a    | long |\n| ---- | ---- |\n| wide | b    |\n");
    }

    #[test]
    fn a_row_shows_speeds_ratios_target_and_verdict() {
        let load = Workload {
            size_bytes: 80_000_000,
            chunk_bytes: 1_600_000,
            order: Order::Random,
            mode: Mode::InFlight,
        };
        let cell = load.cell(Operation::ReadCold);
        let mut samples = Samples::default();
        samples.add(cell, Engine::Ours, 0.04);
        samples.add(cell, Engine::GaPackage, 0.08);
        let text = cells(&[Row::new(cell, &samples, Some(Limit { write: 3e9, read: 2e9 }))]);
        let row: Vec<&str> = text.lines().last().expect("a row").split('|').map(str::trim).collect();
        let figures = ["1000", "not measured", "2000", "2000", "2.00", "1.00", "1700", "holds"];
        assert_eq!(row[6..14], figures);
    }
}
