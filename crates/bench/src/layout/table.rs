//! The report as markdown.

use std::fmt::Write;

use crate::layout::engine::Engine;
use crate::layout::judge::Judgement;
use crate::layout::options::Part;
use crate::layout::report::{Report, Row, Spread};
use crate::markdown::{MISSING, megabytes, ratio, render, tally};
use crate::outcome::Outcome;
use crate::units::{self, either};

const RULE_OF_ROWS: &str = "\
Median times in seconds for all of the matrix. Skewed read: tiles of the pattern are read from the source, 16 in flight, each time as many
side by side as there are ranks; a quarter of the rows (a row of tiles at least) is read, once, and the time multiplied. Conversion: from
opening the source, cold, until the new target is closed and on disk, by NDRA_Copy. Aligned read: the same reading of the target, cold. Copy:
the same files, cold and to disk, by one process: directly after each conversion (direct, several requests in flight), or, where that takes
three quarters of the time, buffered; conversion : copy is the median over the turns. TensorStore: its conversion, once, in one process with as
much cache, from chunks like the source's bricks to chunks like the target's, each a file, until on disk. Targets: conversion : copy at
most 1.25 with memory of a quarter of the matrix or more, and 1.6 with less; limit : aligned read (the same file by fio: io_uring, direct,
1 MiB blocks in huge pages, depth 16, as many jobs as ranks; each reads twice, and by turns each is the first; the median over these pairs) at
least 0.85; TensorStore : conversion above 1, and 3 in the most skewed pattern. Judged if there are as many processors as ranks.
";

const RULE_OF_CONVERSIONS: &str = "\
Times in seconds for all of the matrix, from opening the source, cold, until the new target is closed and on disk, by NDRA_Copy. In each
repetition all conversions take turns. Copy beside: after each conversion the same files are copied plainly, cold and to disk, by one
process (direct, several requests in flight); conversion : copy is the median over the turns.
";

const RULE_OF_SPREADS: &str = "\
The slowest conversion : the fastest, of all patterns, by medians. Target: at most 1.15; judged if each was timed three times or more. For
comparison, where they were measured: the same of the copies beside them, which differ in nothing but the moment, and of conversion : copy.
";

/// The whole report.
pub(crate) fn report(report: &Report) -> String {
    let mut text = head(report);
    let _ = if report.wants(Part::Speeds) {
        write!(text, "\n{RULE_OF_ROWS}\n{}", lines(&report.rows))
    } else {
        write!(text, "\n{RULE_OF_CONVERSIONS}\n{}", conversions(&report.rows))
    };
    if report.wants(Part::Spread) {
        let _ = write!(text, "\n{RULE_OF_SPREADS}\n{}", spreads(&report.spreads));
    }
    text + &tally(&report.outcomes()) + &misses(report)
}

fn head(report: &Report) -> String {
    let Report { machine, cold, seed, side, .. } = report;
    let repetitions = units::repetitions(report.repetitions);
    let mut text = format!("Layout, {}: {}\n", machine.date, machine.describe_disk());
    let _ = writeln!(text, "{cold}; seed {seed}. Ranks are not bound to processors.");
    let size = either(report.matrix_bytes());
    let _ = writeln!(text, "{side} x {side} doubles, {size}: {repetitions}, each by new processes.");
    text.push_str(&report.passes.describe());
    for (ranks, limits) in &report.limits {
        let [read, write] = limits.map(|limit| megabytes(Some(limit)));
        let _ = writeln!(text, "Limit with ranks: {ranks}: {read} MB/s read, {write} MB/s written.");
    }
    if report.wants(Part::Speeds) {
        let [buffered, direct] = report.plain.map(seconds);
        let _ = writeln!(text, "Plain copy: {buffered} s buffered, {direct} s direct.");
    }
    for (cache_bytes, bytes) in &report.peer_memory_bytes {
        let (cache, had) = (either(*cache_bytes), bytes / f64::from(1 << 20));
        let _ = writeln!(text, "TensorStore with a cache of {cache}: the process had up to {had:.0} MiB.");
    }
    for (engine, version) in &report.versions {
        let _ = writeln!(text, "{engine}: {}{version}.", if *engine == Engine::Ours { "on " } else { "" });
    }
    text + &missing(report)
}

fn missing(report: &Report) -> String {
    let mut text = String::new();
    for engine in &report.missing {
        let reason = match engine {
            Engine::Plain => "its program was not built",
            Engine::TensorStore => "not installed from the Python package index",
            Engine::Ours => "no driver was built with chemio",
        };
        let _ = writeln!(text, "{engine}: {MISSING}: {reason}.");
    }
    if !report.has_limit {
        let _ = writeln!(text, "limit: {MISSING}: program missing (fio).");
    }
    if report.peer_only {
        let _ = writeln!(text, "ours: {MISSING}: only the peers were asked for.");
    }
    text
}

fn seconds(seconds: Option<f64>) -> String {
    seconds.map_or(MISSING.into(), |seconds| format!("{seconds:.2}"))
}

fn lines(rows: &[Row]) -> String {
    let head = [
        "ranks",
        "memory",
        "pattern",
        "skewed read",
        "conversion",
        "aligned read",
        "limit",
        "copy",
        "TensorStore",
        "conversion : copy",
        "verdict",
        "limit : aligned",
        "verdict",
        "TensorStore : conversion",
        "verdict",
        "skewed : aligned",
    ];
    render(&head, &rows.iter().map(line).collect::<Vec<_>>())
}

fn line(row: &Row) -> Vec<String> {
    let Row { cell, seconds: of, judgements, .. } = row;
    let mut line = vec![cell.ranks.to_string(), either(cell.memory_bytes), cell.pattern.to_string()];
    line.extend([of.skewed, of.conversion, of.aligned, of.limit, of.plain, of.peer].map(seconds));
    for judgement in judgements.iter().flat_map(|of| [of.copy, of.aligned, of.peer]) {
        line.extend([ratio(judgement.ratio), judgement.outcome.verdict().into()]);
    }
    line.push(ratio(crate::outcome::ratio(of.skewed, of.aligned)));
    line
}

fn conversions(rows: &[Row]) -> String {
    let head =
        ["ranks", "memory", "pattern", "median", "shortest", "longest", "copy beside", "conversion : copy"];
    let line = |row: &Row| {
        let Row { cell, seconds: of, .. } = row;
        let all = || row.conversions().iter().copied();
        let times = [of.conversion, all().min_by(f64::total_cmp), all().max_by(f64::total_cmp)].map(seconds);
        let place = [cell.ranks.to_string(), either(cell.memory_bytes), cell.pattern.to_string()];
        place.into_iter().chain(times).chain([seconds(of.plain), ratio(row.ratios.copy)]).collect()
    };
    render(&head, &rows.iter().map(line).collect::<Vec<_>>())
}

fn spreads(spreads: &[Spread]) -> String {
    let head = [
        "ranks",
        "memory",
        "fastest",
        "slowest",
        "slowest : fastest",
        "verdict",
        "of the copies",
        "of conversion : copy",
    ];
    let line = |spread: &Spread| {
        let Spread { ranks, memory_bytes, extremes, judgement, of_copies, of_ratios } = spread;
        let [fastest, slowest] = [0, 1].map(|which| seconds(extremes.map(|extremes| extremes[which])));
        let verdict = judgement.outcome.verdict().to_owned();
        let place = [ranks.to_string(), either(*memory_bytes), fastest, slowest];
        place
            .into_iter()
            .chain([ratio(judgement.ratio), verdict, ratio(*of_copies), ratio(*of_ratios)])
            .collect()
    };
    render(&head, &spreads.iter().map(line).collect::<Vec<_>>())
}

fn misses(report: &Report) -> String {
    let mut text = String::new();
    let mut add = |what: &str, where_: String, judgement: &Judgement| {
        if judgement.outcome == Outcome::Misses {
            let (found, target) = (ratio(judgement.ratio), judgement.target);
            let _ = writeln!(text, "- misses: {where_}: {what}: {found}, target {target}");
        }
    };
    for Row { cell, judgements, .. } in &report.rows {
        let place = || format!("{}, ranks: {}, {}", cell.pattern, cell.ranks, either(cell.memory_bytes));
        if let Some(of) = judgements {
            add("conversion : copy", place(), &of.copy);
            add("limit : aligned read", place(), &of.aligned);
            add("TensorStore : conversion", place(), &of.peer);
        }
    }
    for Spread { ranks, memory_bytes, judgement, .. } in &report.spreads {
        add("slowest : fastest", format!("ranks: {ranks}, {}", either(*memory_bytes)), judgement);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{conversions, lines, spreads};
    use crate::layout::judge::{Ratios, Seconds, judge, judge_spread};
    use crate::layout::report::{Row, Spread};
    use crate::layout::workload::{Cell, Pattern};

    fn last_line(table: &str) -> Vec<&str> {
        table.lines().last().expect("a row").split('|').map(str::trim).collect()
    }

    #[test]
    fn a_row_shows_times_ratios_and_verdicts() {
        let cell = Cell { ranks: 1, memory_bytes: 64 << 20, pattern: Pattern { rows: 8192, columns: 16 } };
        let seconds = Seconds {
            skewed: Some(40.0),
            conversion: Some(3.0),
            aligned: Some(2.0),
            plain: Some(1.5),
            peer: Some(9.0),
            limit: Some(1.8),
        };
        let ratios = Ratios { copy: Some(2.0), limit: Some(0.9), peer: Some(3.0) };
        let judgements = Some(judge(&cell, &ratios, (2 << 30, true), 2));
        let table = lines(&[Row { cell, seconds, ratios, judgements, all_seconds: Default::default() }]);
        let row = last_line(&table);
        assert_eq!(row[1..10], ["1", "64 MiB", "8192 x 16", "40.00", "3.00", "2.00", "1.80", "1.50", "9.00"]);
        assert_eq!(row[10..17], ["2.00", "MISSES", "0.90", "holds", "3.00", "holds", "20.00"]);
    }

    #[test]
    fn conversions_alone_are_shown_with_their_scatter() {
        let cell = Cell { ranks: 2, memory_bytes: 64 << 20, pattern: Pattern { rows: 8, columns: 16384 } };
        let seconds = Seconds { conversion: Some(2.5), plain: Some(2.5), ..Seconds::default() };
        let all_seconds = [vec![], vec![2.5, 2.0, 2.75], vec![1.0], vec![], vec![2.5, 2.5, 2.5], vec![]];
        let ratios = Ratios { copy: Some(1.0), ..Ratios::default() };
        let table = conversions(&[Row { cell, seconds, ratios, judgements: None, all_seconds }]);
        let line = ["2", "64 MiB", "8 x 16384", "2.50", "2.00", "2.75", "2.50", "1.00"];
        assert_eq!(last_line(&table)[1..9], line);
    }

    #[test]
    fn slowest_and_fastest_are_shown() {
        let judgement = judge_spread(Some([2.0, 2.2]), 3, 2, 2);
        let (extremes, of_copies) = (Some([2.0, 2.2]), Some(1.3));
        let of_ratios = None;
        let spread = Spread { ranks: 2, memory_bytes: 64 << 20, extremes, judgement, of_copies, of_ratios };
        let line = ["2", "64 MiB", "2.00", "2.20", "1.10", "holds", "1.30", ""];
        assert_eq!(last_line(&spreads(&[spread]))[1..9], line);
    }
}
