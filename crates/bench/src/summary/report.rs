//! What is read of a suite's report.
//!
//! - A **table** is a list at the top of the report, a **line** an element of it.
//! - A **verdict** is an object with an `outcome`: the line itself, or something in it such as `judgement`. Each is a cell here.
//! - The **kind** of a cell is what the line's operation means where the verdict is a `judgement` (write-cached and read-cached: cached),
//!   the name of the verdict where it has another, and else that of the table.
//! - **Ratios** to the best peer, to the limit and to the target are such that more is better, whatever the suite's own are.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::outcome::{Outcome, ratio};

type Object = Map<String, Value>;

/// The name of the verdict on speeds.
const ON_SPEEDS: &str = "judgement";

/// What one suite left behind.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// Its name.
    pub(super) suite: String,
    /// The days of the run, or of the runs of its parts.
    pub(super) dates: BTreeSet<String>,
    /// Whether it was a test of the benchmark, whose figures mean nothing.
    pub(super) quick: bool,
    /// Peers that could not be measured.
    pub(super) peers_missing: BTreeSet<String>,
    /// Everything that was or could have been judged, speeds first.
    pub(super) cells: Vec<Cell>,
}

impl Report {
    /// Of a suite's JSON; `None` if it is something else.
    pub(super) fn new(suite: &str, value: &Value) -> Option<Self> {
        let date = value.get("machine")?.get("date")?.as_str()?.to_owned();
        let peers = value.get("missing").and_then(Value::as_array).into_iter().flatten();
        Some(Self {
            suite: suite.to_owned(),
            dates: BTreeSet::from([date]),
            quick: value.get("quick").and_then(Value::as_bool).unwrap_or(false),
            peers_missing: peers.filter_map(Value::as_str).map(str::to_owned).collect(),
            cells: cells(value.as_object()?),
        })
    }

    /// This one with another part of the same suite.
    pub(super) fn with(mut self, part: Self) -> Self {
        self.dates.extend(part.dates);
        self.quick |= part.quick;
        self.peers_missing.extend(part.peers_missing);
        self.cells.extend(part.cells);
        self
    }

    /// The day, or the first and the last one.
    pub(super) fn date(&self) -> String {
        let [first, last] = [self.dates.first(), self.dates.last()].map(|day| day.map_or("", String::as_str));
        if first == last { first.to_owned() } else { format!("{first} to {last}") }
    }
}

fn cells(report: &Object) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (table, lines) in report {
        for line in lines.as_array().into_iter().flatten().filter_map(Value::as_object) {
            let mut verdicts = Vec::new();
            collect_verdicts("", line, &mut verdicts);
            cells.extend(
                verdicts
                    .into_iter()
                    .map(|(name, verdict)| (name != ON_SPEEDS, Cell::new(table, line, name, verdict))),
            );
        }
    }
    cells.sort_by_key(|&(is_other, _)| is_other);
    cells.into_iter().map(|(_, cell)| cell).collect()
}

/// Adds `object` if it is a verdict, and those in it, with the names they have there.
fn collect_verdicts<'a>(name: &'a str, object: &'a Object, found: &mut Vec<(&'a str, &'a Object)>) {
    if outcome(object).is_some() {
        found.push((name, object));
    }
    for (name, value) in object {
        if let Some(object) = value.as_object() {
            collect_verdicts(name, object, found);
        }
    }
}

fn outcome(object: &Object) -> Option<Outcome> {
    Outcome::deserialize(object.get("outcome")?).ok()
}

/// One cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Cell {
    /// What it is compared with others of its suite by.
    pub(super) kind: String,
    /// Whether it holds.
    pub(super) outcome: Outcome,
    /// Ours : best peer.
    pub(super) peer: Option<f64>,
    /// Ours : limit of device, memory or processor.
    pub(super) limit: Option<f64>,
    /// Ours : what was to be reached.
    pub(super) target: Option<f64>,
}

impl Cell {
    /// Speeds have `peer_ratio` or `package_ratio`, `limit_ratio`, and a target in their own unit. Other verdicts have a `ratio` and what
    /// that should be; their name says to whom: `peer`, `aligned` (to the limit), or `copy` (the time of a plain copy is the limit).
    fn new(table: &str, line: &Object, name: &str, verdict: &Object) -> Self {
        let outcome = outcome(verdict).unwrap_or(Outcome::NotJudged);
        let own = number(verdict, "ratio");
        let named = |wanted: &str| own.filter(|_| name == wanted);
        let ours = ["speeds", "rates"].iter().find_map(|of| number(line.get(*of)?.as_object()?, "ours"));
        let target = number(verdict, "target");
        Self {
            kind: kind(table, line, name),
            outcome,
            peer: number(verdict, "peer_ratio").or(number(verdict, "package_ratio")).or(named("peer")),
            limit: number(verdict, "limit_ratio")
                .or_else(|| ratio(ours, number(line, "limit")))
                .or(named("aligned"))
                .or_else(|| ratio(Some(1.0), named("copy"))),
            target: own.map_or_else(|| ratio(ours, target), |own| of_target(own, target?, outcome)),
        }
    }
}

fn number(object: &Object, key: &str) -> Option<f64> {
    object.get(key)?.as_f64().filter(|number| number.is_finite() && *number > 0.0)
}

/// Whether much or little is wanted of a ratio is seen from what came of it: of what holds it is at least 1 here, of what misses below.
fn of_target(own: f64, target: f64, outcome: Outcome) -> Option<f64> {
    let of_target = own / target;
    match outcome {
        Outcome::NotJudged => None,
        Outcome::Holds => Some(of_target.max(1.0 / of_target)),
        Outcome::Misses => Some(of_target.min(1.0 / of_target)),
    }
}

fn kind(table: &str, line: &Object, name: &str) -> String {
    let operation = line.get("operation").and_then(Value::as_str);
    let words = match (name, operation) {
        (ON_SPEEDS, Some("write-cached" | "read-cached")) => "cached",
        (ON_SPEEDS, Some("write-to-disk")) => "to disk",
        (ON_SPEEDS, Some("read-cold")) => "cold",
        (ON_SPEEDS, Some(other)) => other,
        ("" | ON_SPEEDS, _) => table,
        (other, _) => other,
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Cell, Report};
    use crate::layout::{judge, workload};
    use crate::outcome::Outcome;
    use serde_json::{Value, json};

    fn report(tables: &Value) -> Vec<Cell> {
        let mut value = tables.clone();
        value["machine"] = json!({"date": "2026-01-02"});
        Report::new("any", &value).expect("it has a machine").cells
    }

    #[test]
    fn speeds_are_sorted_by_what_their_operation_means() {
        let line = |operation: &str| json!({"operation": operation, "judgement": {"outcome": "holds"}});
        let operations = ["write-cached", "write-to-disk", "read-cached", "read-cold", "put"];
        let cells = report(&json!({"rows": operations.map(line)}));
        let kinds: Vec<_> = cells.iter().map(|cell| cell.kind.as_str()).collect();
        assert_eq!(kinds, ["cached", "to disk", "cached", "cold", "put"]);
    }

    #[test]
    fn a_speed_is_held_against_peer_limit_and_target() {
        let cells = report(&json!({"rows": [{
            "operation": "read-cold", "speeds": {"ours": 3e9, "limit": 4e9},
            "judgement": {"peer_ratio": 1.5, "limit_ratio": 0.75, "target": 2e9, "outcome": "holds"}}]}));
        let expected = Cell {
            kind: "cold".into(),
            outcome: Outcome::Holds,
            peer: Some(1.5),
            limit: Some(0.75),
            target: Some(1.5),
        };
        assert_eq!(cells, [expected]);
    }

    #[test]
    fn the_limit_of_a_product_stands_beside_its_rates() {
        let cells = report(&json!({"products": [{
            "order": 512, "limit": 50.0, "rates": {"ours": 45.0},
            "judgement": {"package_ratio": 1.1, "target": 40.0, "outcome": "holds"}}]}));
        assert_eq!((cells[0].kind.as_str(), cells[0].peer), ("products", Some(1.1)));
        assert_eq!((cells[0].limit, cells[0].target), (Some(0.9), Some(1.125)));
    }

    #[test]
    fn of_ratios_that_should_be_small_more_is_better_too() {
        let of = |ratio, target, outcome| json!({"ratio": ratio, "target": target, "outcome": outcome});
        let cells = report(&json!({"rows": [{"judgements": {
            "copy": of(1.25, 1.0, "misses"), "aligned": of(0.5, 0.4, "holds"), "peer": of(4.0, 3.0, "not-judged")}}]}));
        let [aligned, copy, peer] = cells.try_into().expect("three verdicts, in the order of their names");
        assert_eq!((copy.kind.as_str(), copy.limit, copy.target), ("copy", Some(0.8), Some(0.8)));
        assert_eq!(
            (aligned.kind.as_str(), aligned.limit, aligned.target),
            ("aligned", Some(0.5), Some(1.25))
        );
        assert_eq!((peer.kind.as_str(), peer.peer, peer.target), ("peer", Some(4.0), None));
        assert_eq!(peer.outcome, Outcome::NotJudged);
    }

    #[test]
    fn all_verdicts_of_re_blocking_count_as_that_suite_writes_them() {
        let cell = workload::Cell {
            ranks: 1,
            memory_bytes: 1 << 20,
            pattern: workload::Pattern { rows: 8, columns: 512 },
        };
        let ratios = judge::Ratios { copy: Some(2.0), limit: Some(0.9), peer: Some(2.0) };
        let judgements = judge::judge(&cell, &ratios, (4 << 20, false), 2);
        let spread = judge::judge_spread(Some([1.0, 1.1]), 3, 1, 2);
        let cells = report(&json!({
            "rows": [{"ranks": 1, "judgements": judgements}], "spreads": [{"ranks": 1, "judgement": spread}]}));
        let found: Vec<_> = cells.iter().map(|cell| (cell.kind.as_str(), cell.outcome)).collect();
        let expected = [
            ("spreads", Outcome::Holds),
            ("aligned", Outcome::Holds),
            ("copy", Outcome::Misses),
            ("peer", Outcome::Holds),
        ];
        assert_eq!(found, expected);
        let [spread, aligned, copy, peer] = cells.try_into().expect("four");
        assert_eq!((peer.peer, copy.limit, aligned.limit), (Some(2.0), Some(0.5), Some(0.9)));
        assert!(spread.target.is_some_and(|target| target > 1.0), "{spread:?}");
    }

    #[test]
    fn a_line_that_is_a_verdict_itself_has_the_kind_of_its_table_and_comes_last() {
        let cells = report(&json!({
            "falls": [{"operation": "read-cold", "ratios": [0.9, null], "outcome": "misses"}],
            "rows": [{"operation": "read-cold", "judgement": {"peer_ratio": null, "outcome": "not-judged"}}],
            "counters": [{"ranks": 2}], "seed": 7}));
        let kinds: Vec<_> = cells.iter().map(|cell| (cell.kind.as_str(), cell.outcome, cell.peer)).collect();
        assert_eq!(kinds, [("cold", Outcome::NotJudged, None), ("falls", Outcome::Misses, None)]);
    }

    #[test]
    fn what_has_no_machine_is_no_report() {
        assert!(Report::new("any", &json!({"rows": []})).is_none());
        assert!(Report::new("any", &json!([1, 2])).is_none());
    }
}
