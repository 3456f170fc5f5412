//! The summary as markdown.

use crate::markdown::{ratio, render as table};
use crate::summary::figures::{Group, Spread};
use crate::summary::{OfSuite, Summary};

const HEAD: [&str; 12] = [
    "suite",
    "date",
    "cells",
    "judged",
    "hold",
    "miss",
    "ours : best peer",
    "worst",
    "ours : limit",
    "worst",
    "ours : target",
    "worst",
];

const EXPLANATION: &str = "Ratios are medians and worst values of the cells that are judged; more is better. A cell holds if it reaches its target: the page of each suite says what is judged, and the targets.\n";

/// The table, and what is to be known about it.
pub(super) fn render(summary: &Summary) -> String {
    let lines: Vec<_> = summary.suites.iter().flat_map(lines).collect();
    let mut parts = vec![table(&HEAD, &lines), EXPLANATION.to_owned()];
    parts.extend(summary.suites.iter().flat_map(remarks));
    if !summary.missing.is_empty() {
        parts.push(format!("Not measured: {}.\n", summary.missing.join(", ")));
    }
    parts.join("\n")
}

fn lines(suite: &OfSuite) -> impl Iterator<Item = Vec<String>> {
    suite.groups.iter().map(|group| line(suite, group))
}

fn line(suite: &OfSuite, group: &Group) -> Vec<String> {
    let is_whole = group.kind.is_none();
    let only_whole = |text: &str| if is_whole { format!("**{text}**") } else { String::new() };
    let mut line =
        vec![only_whole(&suite.report.suite), if is_whole { suite.report.date() } else { String::new() }];
    line.push(group.kind.clone().unwrap_or("all".into()));
    line.extend([group.judged, group.held, group.missed].map(|count| count.to_string()));
    for spread in [group.peer, group.limit, group.target] {
        line.push(ratio(spread.map(|Spread { median, .. }| median)));
        line.push(ratio(spread.map(|Spread { worst, .. }| worst)));
    }
    line
}

fn remarks(suite: &OfSuite) -> Vec<String> {
    let report = &suite.report;
    let mut remarks = Vec::new();
    if report.quick {
        remarks.push(format!(
            "{}: small sizes, a test of the benchmark; its figures mean nothing.\n",
            report.suite
        ));
    }
    if !report.peers_missing.is_empty() {
        let peers: Vec<_> = report.peers_missing.iter().map(String::as_str).collect();
        let peers = peers.join(", ");
        remarks.push(format!("{}: not there to be measured: {peers}.\n", report.suite));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::summary::figures::groups;
    use crate::summary::report::Report;
    use crate::summary::{OfSuite, Summary};
    use serde_json::json;

    fn suite(name: &str, value: &serde_json::Value) -> OfSuite {
        let report = Report::new(name, value).expect("it has a machine");
        let groups = groups(&report.cells);
        OfSuite { report, groups }
    }

    #[test]
    fn every_suite_has_a_line_and_one_for_each_kind_and_what_is_missing_is_said() {
        let value = json!({"machine": {"date": "2026-01-02"}, "quick": true, "missing": ["fio"], "rows": [
            {"operation": "read-cold", "judgement": {"peer_ratio": 1.5, "outcome": "holds"}},
            {"operation": "read-cached", "judgement": {"peer_ratio": 0.5, "outcome": "misses"}}]});
        let text = render(&Summary { suites: vec![suite("new", &value)], missing: vec!["old".into()] });
        let words: Vec<Vec<_>> =
            text.lines().take(5).map(|line| line.split('|').map(str::trim).collect()).collect();
        assert_eq!(words[2][1..9], ["**new**", "2026-01-02", "all", "2", "1", "1", "1.00", "0.50"]);
        assert_eq!(words[3][3..9], ["cold", "1", "1", "0", "1.50", "1.50"]);
        assert_eq!(words[4][3..9], ["cached", "1", "0", "1", "0.50", "0.50"]);
        assert!(text.contains("Not measured: old.\n"));
        assert!(text.contains("new: small sizes") && text.contains("new: not there to be measured: fio."));
    }
}
