//! The report as markdown.

use std::fmt::Write;

use crate::ga::engine::Engine;
use crate::ga::judge::daxpy_below_target;
use crate::ga::report::{CounterRow, ProductRow, Report, TransferRow};
use crate::ga::samples::Turns;
use crate::ga::workload::{Cell, Operation, Product};
use crate::markdown::{MISSING, ratio, render, tally};
use crate::outcome::{Outcome, ratio as of};
use crate::units::{self, binary};

/// One in so many turns may be disturbed: most cells then have enough that were not.
const DISTURBED_PART_MAX: u64 = 10;

const RULE_OF_TRANSFERS: &str = "\
Put, get and acc of one patch again and again, by all ranks at once; local: in the own block, remote: in that of the next
rank. Contiguous: whole rows; half: runs of 4 KiB, 8 KiB apart; narrow: runs of 64 B, 256 B apart. Medians in MB/s (10^6
bytes) of all ranks together, and microseconds a call. Target: 0.95 of the package; contiguous patches from 256 KiB on also
0.8 of memcpy done by as many ranks at once. Judged: 2 ranks, in shared memory. memcpy goes from private to private memory,
\"to shared\" from private to shared memory, daxpy (for acc) adds private to private memory. Narrow patches beyond 4 MiB
are not moved by RMA: a message for each of a million runs takes minutes.
";

const RULE_OF_COUNTERS: &str = "\
Counters: NGA_Read_inc by all ranks on one element; median of 1000 calls a second of all ranks together. Shown, not judged.
";

const RULE_OF_PRODUCTS: &str = "\
dgemm: C := 0.5 op(A) B + 0.25 C on square matrices of doubles; median Gflop/s. BLAS alone: local dgemm on one thread, the
other ranks asleep; on all: one product on each rank at once, together. The limit is BLAS alone times the smaller of ranks and
processors. Target: 0.8 of the limit and 0.95 of the package. Ranks beyond the processors are shown.
";

/// The whole report.
pub(crate) fn report(report: &Report) -> String {
    let mut text = head(report);
    if !report.transfers.is_empty() {
        let _ = write!(text, "\n{RULE_OF_TRANSFERS}\n{}", transfers(&report.transfers));
    }
    if !report.counters.is_empty() {
        let _ = write!(text, "\n{RULE_OF_COUNTERS}\n{}", counters(&report.counters));
    }
    if !report.products.is_empty() {
        let _ = write!(text, "\n{RULE_OF_PRODUCTS}\n{}", products(&report.products));
    }
    text + &tally(&report.outcomes()) + &misses(report)
}

/// The tables of so many ranks, as far as there are any.
pub(crate) fn of_ranks(report: &Report, ranks: usize) -> String {
    let tables = [
        transfers(report.transfers.iter().filter(|row| row.cell.ranks == ranks)),
        counters(report.counters.iter().filter(|row| row.ranks == ranks)),
        products(report.products.iter().filter(|row| row.product.ranks == ranks)),
    ];
    tables.join("\n")
}

fn head(report: &Report) -> String {
    let Report { machine, mpi, seconds, binding, seed, .. } = report;
    let repetitions = units::repetitions(report.repetitions);
    let mut text = format!("Distributed arrays, {}: {}, {mpi}\n", machine.date, machine.describe_processor());
    let milliseconds = 1e3 * seconds;
    let _ = writeln!(text, "{repetitions}, each by new processes; {milliseconds:.0} ms a turn; seed {seed}.");
    let _ = writeln!(text, "Ranks bound to: {binding}; more ranks than processors: none. One thread a rank.");
    text.push_str(&disturbance(report.turns));
    for &engine in &report.missing {
        let _ = writeln!(text, "{engine}: {MISSING}: {}.", reason(engine));
    }
    if report.peer_only {
        let _ = writeln!(text, "ours: {MISSING}: only the package was asked for.");
    }
    text
}

fn disturbance(Turns { all, disturbed }: Turns) -> String {
    let mut text = format!("{all} turns, of which other processes disturbed {disturbed} in spite of repeats");
    if disturbed * DISTURBED_PART_MAX > all {
        text.push_str(": this machine was not quiet, and the ratios mean little");
    }
    text + ".\n"
}

fn reason(engine: Engine) -> &'static str {
    match engine {
        Engine::Package => "package missing (libglobalarrays-dev, libarmci-mpi-dev)",
        Engine::Ours | Engine::OursByRma => "no driver was built with chemio",
    }
}

// ---- put, get, acc ----

/// The table of put, get and acc.
fn transfers<'a>(rows: impl IntoIterator<Item = &'a TransferRow>) -> String {
    let head = [
        "operation",
        "kind",
        "locality",
        "size",
        "ranks",
        "GA package",
        "ours",
        "ours by RMA",
        "memcpy",
        "to shared",
        "daxpy",
        "package us",
        "ours us",
        "RMA us",
        "package : memcpy",
        "ours : memcpy",
        "ours : package",
        "RMA : package",
        "target",
        "verdict",
        "notes",
    ];
    render(&head, &rows.into_iter().map(transfer_line).collect::<Vec<_>>())
}

fn transfer_line(row: &TransferRow) -> Vec<String> {
    let TransferRow { cell: Cell { ranks, patch, operation, locality }, speeds, judgement, .. } = row;
    let mega = |speed| figure(speed, 1e6, 0);
    let microseconds = |speed| figure(row.call_microseconds(speed), 1.0, 2);
    let daxpy = if *operation == Operation::Acc { mega(speeds.daxpy) } else { String::new() };
    vec![
        operation.to_string(),
        patch.kind.to_string(),
        locality.to_string(),
        binary(patch.bytes),
        ranks.to_string(),
        mega(speeds.package),
        mega(speeds.ours),
        mega(speeds.ours_by_rma),
        mega(speeds.memcpy),
        mega(speeds.memcpy_to_shared),
        daxpy,
        microseconds(speeds.package),
        microseconds(speeds.ours),
        microseconds(speeds.ours_by_rma),
        ratio(of(speeds.package, speeds.memcpy)),
        ratio(of(speeds.ours, speeds.memcpy)),
        ratio(judgement.package_ratio),
        ratio(judgement.rma_ratio),
        mega(judgement.target),
        judgement.outcome.verdict().into(),
        note(row),
    ]
}

fn note(row: &TransferRow) -> String {
    let part = daxpy_below_target(&row.cell, &row.speeds);
    part.map_or(String::new(), |part| format!("daxpy reaches {part:.2} of memcpy"))
}

// ---- counters ----

/// The table of counters.
fn counters<'a>(rows: impl IntoIterator<Item = &'a CounterRow>) -> String {
    let head = ["ranks", "GA package", "ours", "ours by RMA", "ours : package", "RMA : package"];
    render(&head, &rows.into_iter().map(counter_line).collect::<Vec<_>>())
}

fn counter_line(row: &CounterRow) -> Vec<String> {
    let [package, ours, by_rma] = row.calls_per_second;
    let kilo = |rate| figure(rate, 1e3, 0);
    let ratios = [ours, by_rma].map(|other| ratio(of(other, package)));
    let mut line = vec![row.ranks.to_string(), kilo(package), kilo(ours), kilo(by_rma)];
    line.extend(ratios);
    line
}

// ---- dgemm ----

/// The table of dgemm.
fn products<'a>(rows: impl IntoIterator<Item = &'a ProductRow>) -> String {
    let head = [
        "order",
        "form",
        "ranks",
        "GA package",
        "ours",
        "ours by RMA",
        "BLAS alone",
        "BLAS on all",
        "limit",
        "package : limit",
        "ours : limit",
        "ours : package",
        "RMA : package",
        "target",
        "verdict",
    ];
    render(&head, &rows.into_iter().map(product_line).collect::<Vec<_>>())
}

fn product_line(row: &ProductRow) -> Vec<String> {
    let ProductRow { product: Product { ranks, order, form }, rates, limit, judgement, .. } = row;
    let giga = |rate| figure(rate, 1e9, 1);
    vec![
        order.to_string(),
        form.to_string(),
        ranks.to_string(),
        giga(rates.package),
        giga(rates.ours),
        giga(rates.ours_by_rma),
        giga(rates.blas_alone),
        giga(rates.blas_on_all),
        giga(*limit),
        ratio(of(rates.package, *limit)),
        ratio(of(rates.ours, *limit)),
        ratio(judgement.package_ratio),
        ratio(judgement.rma_ratio),
        giga(judgement.target),
        judgement.outcome.verdict().into(),
    ]
}

// ---- summary ----

fn misses(report: &Report) -> String {
    let mut text = String::new();
    for row in report.transfers.iter().filter(|row| row.judgement.outcome == Outcome::Misses) {
        let Cell { ranks, patch, operation, locality } = row.cell;
        let (kind, size) = (patch.kind, binary(patch.bytes));
        let part = ratio(of(row.speeds.ours, row.judgement.target));
        let _ = writeln!(
            text,
            "- misses: {operation}, {kind}, {locality}, {size}, {ranks} ranks: {part} of the target"
        );
    }
    for row in report.products.iter().filter(|row| row.judgement.outcome == Outcome::Misses) {
        let Product { ranks, order, form } = row.product;
        let part = ratio(of(row.rates.ours, row.judgement.target));
        let _ = writeln!(text, "- misses: dgemm, {form}, {order}, {ranks} ranks: {part} of the target");
    }
    text
}

/// A figure in its unit, or nothing.
fn figure(value: Option<f64>, unit: f64, decimals: usize) -> String {
    value.map_or(String::new(), |value| format!("{:.decimals$}", value / unit))
}

#[cfg(test)]
mod tests {
    use super::{disturbance, products, transfers};
    use crate::ga::engine::{Engine, Yardstick};
    use crate::ga::report::{ProductRow, TransferRow};
    use crate::ga::samples::{Sample, Samples, Turns};
    use crate::ga::turn::Turn;
    use crate::ga::workload::{Cell, Form, Kind, Locality, Operation, Patch, Product};

    fn last_line(table: &str) -> Vec<String> {
        let cells = table.lines().last().expect("a row").split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    }

    fn samples(seconds: &[(Turn, f64)]) -> Samples {
        let mut samples = Samples::default();
        for &(turn, seconds) in seconds {
            samples.add(turn, Sample { seconds, is_disturbed: false });
        }
        samples
    }

    #[test]
    fn a_row_shows_speeds_times_ratios_target_and_verdict() {
        let patch = Patch { kind: Kind::Contiguous, bytes: 1 << 20 };
        let cell = Cell { ranks: 2, patch, operation: Operation::Get, locality: Locality::Local };
        let transfer = |engine| Turn::Transfer(patch, engine, Operation::Get, Locality::Local);
        let samples = samples(&[
            (transfer(Engine::Package), 4.096e-3),
            (transfer(Engine::Ours), 1.024e-3),
            (Turn::Yardstick(patch, Yardstick::Memcpy), 1.024e-3),
        ]);
        let line = last_line(&transfers(&[TransferRow::new(cell, &samples, 2)]));
        assert_eq!(line[1..6], ["get", "contiguous", "local", "1 MiB", "2"]);
        assert_eq!(line[6..12], ["512", "2048", "", "2048", "", ""]);
        assert_eq!(line[12..15], ["4096.00", "1024.00", ""]);
        assert_eq!(line[15..21], ["0.25", "1.00", "4.00", "", "1638", "holds"]);
    }

    #[test]
    fn a_product_is_shown_against_blas_on_its_processors() {
        let product = Product { ranks: 2, order: 1000, form: Form::Tn };
        let samples = samples(&[
            (Turn::BlasAlone(product), 0.2),
            (Turn::Multiply(product, Engine::Package), 0.2),
            (Turn::Multiply(product, Engine::Ours), 0.16),
        ]);
        let line = last_line(&products(&[ProductRow::new(product, &samples, 2)]));
        let figures = ["10.0", "12.5", "", "10.0", "", "20.0", "0.50", "0.62", "1.25", "", "16.0", "MISSES"];
        assert_eq!(line[4..16], figures);
    }

    #[test]
    fn a_run_on_a_machine_that_was_not_quiet_says_so() {
        assert!(disturbance(Turns { all: 100, disturbed: 11 }).contains("mean little"));
        assert!(!disturbance(Turns { all: 100, disturbed: 10 }).contains("mean little"));
    }
}
