//! The report as markdown.

use std::fmt::Write;

use crate::dra::engine::Engine;
use crate::dra::overlap;
use crate::dra::report::{Report, Return, Row, Shift};
use crate::dra::sweep;
use crate::dra::workload::Cell;
use crate::markdown::{MISSING, megabytes, megabytes_if_any, ratio, render, tally};
use crate::outcome::Outcome;
use crate::units::{self, binary};

const RULE_OF_CELLS: &str = "\
A section of an array of doubles on disk is written from an array in the memory of all ranks, and read back into it; not aligned: it begins
one element further in every dimension. Median speeds in MB/s (10^6 bytes of the section) of all ranks together. Times of writing begin
before the array is made, and end when the last rank has waited, or, to disk, when the array is closed and all its files are synced; those
of reading begin before it is opened. HDF5: chunks as the hint, contiguous without one; each rank moves its block, collective or
independent. Target of a cached cell: 0.95 of the best peer. Target of a cell on the device: the smaller of twice the best peer and 0.85
of the limit (not aligned: without the limit), never below 0.95 of the best peer. Judged: 1 and 2 ranks, if there are as many processors.
The limit is what fio reaches beside them with as many jobs as ranks (io_uring, direct, 1 MiB blocks in huge pages, depth 16).
";

const RULE_OF_SHIFTS: &str = "\
Not aligned : aligned. Target: 0.86 (write to disk), 0.95 (read cold); where a hint makes the device itself slower than ours is aligned, the
same of what it reaches: fio moves just the pages that the section touches, in bricks as large as the hint (io_uring, direct, at most
1 MiB at once, depth 64, as many jobs as ranks). The package and the better way of HDF5 are shown for comparison.
";

const RULE_OF_RETURNS: &str = "\
Asynchronous calls: the part of a transfer's time after which the call that starts it has returned on the last rank. Target: 0.1 at most.
";

const RULE_OF_OVERLAPS: &str = "\
Computing during a transfer, as long as the transfer alone takes, on every rank: time of both : the longer of the two alone; times in
milliseconds. Alone: ranks start it and sleep if they are fewer than processors; waited for: they wait instead, and may take part. Copying
is processor time of the library's own threads, on the busiest rank; the second ratio counts it with the computing. Target: 1.2 at
most, by the second ratio where there are as many ranks as processors. A write ends with the wait.
";

const RULE_OF_SWEEP: &str = "\
What libraries are told when they start: how many ranks do input and output, and how much memory each may use for buffers (MB/s; for
information).
";

/// The whole report.
pub(crate) fn report(report: &Report) -> String {
    let mut text = head(report);
    let tables = [
        (RULE_OF_CELLS, cells(&report.rows), report.rows.is_empty()),
        (RULE_OF_SHIFTS, shifts(&report.shifts), report.shifts.is_empty()),
        (RULE_OF_RETURNS, returns(&report.returns), report.returns.is_empty()),
        (RULE_OF_OVERLAPS, overlaps(&report.overlaps), report.overlaps.is_empty()),
        (RULE_OF_SWEEP, sweep(&report.sweep), report.sweep.is_empty()),
    ];
    for (rule, table, _) in tables.iter().filter(|(_, _, is_empty)| !is_empty) {
        let _ = write!(text, "\n{rule}\n{table}");
    }
    text + &tally(&report.outcomes()) + &misses(report)
}

fn head(report: &Report) -> String {
    let Report { machine, mpi, cold, seed, .. } = report;
    let repetitions = units::repetitions(report.repetitions);
    let mut text = format!("DRA, {}: {}\n", machine.date, machine.describe_disk());
    let _ = writeln!(text, "{mpi}; {cold}; seed {seed}. Ranks are not bound to processors.");
    let _ = writeln!(text, "{repetitions}, each by new processes on a new array.");
    text.push_str(&report.passes.describe());
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

fn reason(engine: Engine) -> &'static str {
    match engine {
        Engine::Package => "package missing (libglobalarrays-dev, libarmci-mpi-dev)",
        Engine::Hdf5Collective | Engine::Hdf5Independent => "package missing (libhdf5-openmpi-dev)",
        Engine::Ours => "no driver was built with chemio",
    }
}

/// What every line begins with.
fn place(cell: Cell) -> Vec<String> {
    let Cell { workload, operation } = cell;
    vec![
        workload.section(),
        workload.array(),
        workload.hint(),
        workload.alignment.to_string(),
        operation.to_string(),
        workload.ranks.to_string(),
    ]
}

// ---- speeds ----

fn cells(rows: &[Row]) -> String {
    let head = [
        "section",
        "of",
        "hint",
        "begin",
        "operation",
        "ranks",
        "GA package",
        "HDF5 coll.",
        "HDF5 indep.",
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

fn cell_line(row: &Row) -> Vec<String> {
    let Row { cell, speeds, judgement, notes, .. } = row;
    let figures = [
        megabytes(speeds.package),
        megabytes(speeds.hdf5_collective),
        megabytes(speeds.hdf5_independent),
        megabytes(speeds.ours),
        megabytes_if_any(speeds.limit),
        ratio(judgement.peer_ratio),
        ratio(judgement.limit_ratio),
        megabytes_if_any(judgement.target),
        judgement.outcome.verdict().into(),
        notes.join("; "),
    ];
    place(*cell).into_iter().chain(figures).collect()
}

// ---- not aligned against aligned ----

fn shifts(shifts: &[Shift]) -> String {
    let head = [
        "section",
        "of",
        "hint",
        "operation",
        "ranks",
        "ours, aligned",
        "ours, not",
        "device, not",
        "ours",
        "GA package",
        "HDF5",
        "target",
        "verdict",
    ];
    render(&head, &shifts.iter().map(shift_line).collect::<Vec<_>>())
}

fn shift_line(shift: &Shift) -> Vec<String> {
    let Cell { workload, operation } = shift.cell;
    let [aligned, shifted] = shift.ours.map(megabytes);
    let [ours, package, hdf5] = shift.ratios.map(ratio);
    vec![
        workload.section(),
        workload.array(),
        workload.hint(),
        operation.to_string(),
        workload.ranks.to_string(),
        aligned,
        shifted,
        megabytes(shift.device),
        ours,
        package,
        hdf5,
        ratio(shift.target),
        shift.outcome.verdict().into(),
    ]
}

// ---- when calls return ----

fn returns(returns: &[Return]) -> String {
    let head = ["section", "of", "hint", "begin", "operation", "ranks", "GA package", "ours", "verdict"];
    render(&head, &returns.iter().map(return_line).collect::<Vec<_>>())
}

fn return_line(line: &Return) -> Vec<String> {
    let [package, ours] = line.parts.map(|part| part.map_or(MISSING.into(), |part| format!("{part:.2}")));
    place(line.cell).into_iter().chain([package, ours, line.outcome.verdict().into()]).collect()
}

// ---- overlap ----

fn overlaps(lines: &[overlap::Line]) -> String {
    let head = [
        "section",
        "of",
        "hint",
        "operation",
        "ranks",
        "library",
        "waited for",
        "transfer",
        "computing",
        "copying",
        "both",
        "both : longer",
        "with copying",
        "verdict",
    ];
    render(&head, &lines.iter().map(overlap_line).collect::<Vec<_>>())
}

fn overlap_line(line: &overlap::Line) -> Vec<String> {
    let overlap::Setting { operation, load, engine } = line.setting;
    let milliseconds = |time: fn(&overlap::Trial) -> f64| {
        line.median(time).map_or(String::new(), |seconds| format!("{:.0}", 1e3 * seconds))
    };
    vec![
        load.section(),
        load.array(),
        load.hint(),
        if operation.is_write() { "write".into() } else { operation.to_string() },
        load.ranks.to_string(),
        engine.to_string(),
        milliseconds(|trial| trial.waited_seconds),
        milliseconds(|trial| trial.io_seconds),
        milliseconds(|trial| trial.compute_seconds),
        milliseconds(|trial| trial.copying_seconds),
        milliseconds(|trial| trial.both_seconds),
        ratio(line.ratio),
        ratio(line.ratio_with_copying),
        line.outcome.verdict().into(),
    ]
}

// ---- sweep ----

fn sweep(lines: &[sweep::Line]) -> String {
    let head = [
        "section",
        "of",
        "hint",
        "begin",
        "ranks",
        "I/O ranks",
        "memory",
        "GA package, to disk",
        "ours, to disk",
        "GA package, cold",
        "ours, cold",
    ];
    render(&head, &lines.iter().map(sweep_line).collect::<Vec<_>>())
}

fn sweep_line(line: &sweep::Line) -> Vec<String> {
    let sweep::Line { load, settings, write, read } = line;
    let [package_write, ours_write] = write.map(megabytes);
    let [package_read, ours_read] = read.map(megabytes);
    vec![
        load.section(),
        load.array(),
        load.hint(),
        load.alignment.to_string(),
        load.ranks.to_string(),
        settings.io_ranks.map_or(String::new(), |ranks| ranks.to_string()),
        settings.memory_bytes.map_or(String::new(), binary),
        package_write,
        ours_write,
        package_read,
        ours_read,
    ]
}

// ---- summary ----

fn misses(report: &Report) -> String {
    let mut text = String::new();
    let mut miss = |cell: Cell, what: String| {
        let _ = writeln!(text, "- misses: {}, ranks: {}: {what}", where_it_is(cell), cell.workload.ranks);
    };
    for row in report.rows.iter().filter(|row| row.judgement.outcome == Outcome::Misses) {
        let part = row.speeds.ours.unwrap_or(0.0) / row.judgement.target.unwrap_or(0.0);
        miss(row.cell, format!("{part:.2} of the target"));
    }
    for shift in report.shifts.iter().filter(|shift| shift.outcome == Outcome::Misses) {
        let [ours, target] = [shift.ratios[0], shift.target].map(ratio);
        miss(shift.cell, format!("{ours} of the aligned one (target {target})"));
    }
    for line in report.returns.iter().filter(|line| line.outcome == Outcome::Misses) {
        miss(line.cell, format!("its call returns after {} of its time", ratio(line.parts[1])));
    }
    for line in report.overlaps.iter().filter(|line| line.outcome == Outcome::Misses) {
        let cell = Cell::of(line.setting.load, line.setting.operation);
        let (plain, copying) = (ratio(line.ratio), ratio(line.ratio_with_copying));
        miss(cell, format!("with computing {plain} of the longer of the two, with the copying {copying}"));
    }
    text
}

fn where_it_is(cell: Cell) -> String {
    let Cell { workload, operation } = cell;
    format!("{}, hint {}, {}, {operation}", workload.array(), workload.hint(), workload.alignment)
}

#[cfg(test)]
mod tests {
    use super::{cells, overlaps, returns, shifts, sweep};
    use crate::disk::access::Operation;
    use crate::dra::device::Device;
    use crate::dra::engine::Engine;
    use crate::dra::overlap;
    use crate::dra::pass::Found;
    use crate::dra::report::{Return, Row, Shift};
    use crate::dra::sweep::Line;
    use crate::dra::team::Settings;
    use crate::dra::workload::{Alignment, Cell, Layout, Scale, Workload};

    fn load(alignment: Alignment) -> Workload {
        Workload { layout: Layout::Blocks, scale: Scale::Full, alignment, ranks: 2 }
    }

    fn last_line(table: &str) -> Vec<&str> {
        table.lines().last().expect("a row").split('|').map(str::trim).collect()
    }

    fn found(operation: Operation) -> Found<Engine> {
        let mut found = Found::default();
        for (alignment, seconds) in [(Alignment::Aligned, 0.1), (Alignment::Shifted, 0.2)] {
            let cell = Cell::of(load(alignment), operation);
            found.samples.add((cell, Engine::Ours), seconds);
            found.samples.add((cell, Engine::Hdf5Independent), 0.1);
            found.returns.add((cell, Engine::Ours), 0.5);
        }
        found
    }

    fn rows(operation: Operation) -> Vec<Row> {
        let found = found(operation);
        let row = |alignment| Row::new(Cell::of(load(alignment), operation), &found, &Device::default(), 2);
        [Alignment::Aligned, Alignment::Shifted].map(row).into()
    }

    #[test]
    fn a_row_shows_where_it_is_speeds_ratios_target_and_verdict() {
        let table = cells(&rows(Operation::ReadCached));
        let row = last_line(&table);
        let place = ["5000 x 5000", "10000 x 10000", "400 x 300", "not aligned", "read cached", "2"];
        assert_eq!(row[1..7], place);
        assert_eq!(row[7..12], ["not measured", "not measured", "2000", "1000", ""]);
        assert_eq!(row[12..16], ["0.50", "", "1900", "MISSES"]);
    }

    #[test]
    fn a_section_that_is_not_aligned_is_shown_with_both_speeds() {
        let table = shifts(&Shift::all(&rows(Operation::WriteToDisk), &Device::default(), 2));
        assert_eq!(
            last_line(&table)[4..14],
            ["write to disk", "2", "2000", "1000", "not measured", "0.50", "", "1.00", "0.86", "MISSES"]
        );
    }

    #[test]
    fn a_call_is_shown_with_the_part_of_the_transfer_it_takes() {
        let operation = Operation::ReadCold;
        let table = returns(&Return::all(&rows(operation), &found(operation), 2));
        assert_eq!(last_line(&table)[7..10], ["not measured", "0.50", "MISSES"]);
    }

    #[test]
    fn overlap_is_shown_with_its_times_in_milliseconds() {
        let setting = overlap::Setting {
            operation: Operation::WriteCached,
            load: load(Alignment::Aligned),
            engine: Engine::Ours,
        };
        let trial = overlap::Trial {
            waited_seconds: 0.08,
            io_seconds: 0.1,
            copying_seconds: 0.05,
            compute_seconds: 0.1,
            both_seconds: 0.15,
            is_disturbed: false,
        };
        let table = overlaps(&[overlap::Line::new(setting, vec![trial], 2)]);
        let line = last_line(&table);
        assert_eq!(line[4..12], ["write", "2", "ours", "80", "100", "100", "50", "150"]);
        assert_eq!(line[12..15], ["1.50", "1.00", "holds"]);
    }

    #[test]
    fn the_sweep_shows_what_libraries_were_told() {
        let settings = Settings { memory_bytes: Some(8 << 20), io_ranks: Some(4) };
        let load = load(Alignment::Aligned);
        let table = sweep(&[Line { load, settings, write: [None, Some(1e9)], read: [Some(2e9), None] }]);
        let line = last_line(&table);
        assert_eq!(line[6..12], ["4", "8 MiB", "not measured", "1000", "2000", "not measured"]);
    }
}
