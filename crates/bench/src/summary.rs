//! All suites in one table and one drawing, made of the reports that they left behind.
//!
//! A report is any JSON of a suite, or of a part of it: nothing is known here of the suites themselves. What is read of it is told in
//! `report`.

// The canvas that `chemio plot` draws on.
#[path = "../../cli/src/plot/canvas.rs"]
mod canvas;
mod drawing;
mod figures;
pub(crate) mod options;
mod report;
mod swarm;
mod table;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use crate::error::{BenchError, step};
use crate::summary::figures::{Group, groups};
use crate::summary::options::Options;
use crate::summary::report::Report;

/// The name of the summary itself, which is no suite.
const OWN_NAME: &str = "summary";

/// All that was found.
#[derive(Debug, Serialize)]
struct Summary {
    /// Of each suite, in the order of their names.
    suites: Vec<OfSuite>,
    /// Suites that were expected and have left no report.
    missing: Vec<String>,
}

/// What one suite found.
#[derive(Debug, Serialize)]
struct OfSuite {
    #[serde(flatten)]
    report: Report,
    /// Its cells together, and then by kind.
    groups: Vec<Group>,
}

/// Reads the reports, prints the table, and keeps what the options name.
pub(crate) fn run(options: &Options) -> Result<(), BenchError> {
    let summary = Summary::read(&options.directory, &options.suites)?;
    let text = table::render(&summary);
    print!("{text}");
    if let Some(file) = &options.markdown {
        fs::write(file, &text).map_err(step("writing", file))?;
    }
    if let Some(file) = &options.json {
        let value = serde_json::to_value(&summary).expect("names and numbers are JSON");
        fs::write(file, format!("{value:#}\n")).map_err(step("writing", file))?;
    }
    options.png.as_deref().map_or(Ok(()), |file| draw(&summary, file))
}

fn draw(summary: &Summary, file: &Path) -> Result<(), BenchError> {
    let canvas = drawing::draw(summary);
    let png = File::create(file).map_err(step("making", file))?;
    canvas.write_png(png).map_err(step("writing", file))
}

impl Summary {
    /// Of all reports in `directory`; those of `expected` should be there.
    fn read(directory: &Path, expected: &[String]) -> Result<Self, BenchError> {
        let mut suites = Vec::new();
        for (suite, parts) in reports(directory)? {
            suites.push(OfSuite::read(&suite, &parts)?);
        }
        if suites.is_empty() {
            return Err(BenchError::NoReports { directory: directory.to_owned() });
        }
        let is_missing = |name: &&String| suites.iter().all(|suite| suite.report.suite != **name);
        let missing = expected.iter().filter(is_missing).cloned().collect();
        Ok(Self { suites, missing })
    }
}

/// What may be reports, by suite: SUITE.json, or SUITE.PART.json of what was measured in parts.
fn reports(directory: &Path) -> Result<BTreeMap<String, Vec<PathBuf>>, BenchError> {
    let mut found = BTreeMap::<_, Vec<_>>::new();
    for entry in fs::read_dir(directory).map_err(step("reading", directory))? {
        let path = entry.map_err(step("reading", directory))?.path();
        let name =
            path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".json"));
        let suite = name.map(|name| name.split_once('.').map_or(name, |(suite, _part)| suite));
        if let Some(suite) = suite.filter(|&suite| suite != OWN_NAME).map(str::to_owned) {
            found.entry(suite).or_default().push(path);
        }
    }
    for parts in found.values_mut() {
        parts.sort();
    }
    Ok(found)
}

impl OfSuite {
    fn read(suite: &str, parts: &[PathBuf]) -> Result<Self, BenchError> {
        let parts: Vec<_> = parts.iter().map(|path| read_report(suite, path)).collect::<Result<_, _>>()?;
        let report = parts.into_iter().reduce(Report::with).expect("a suite is known by its reports");
        let groups = groups(&report.cells);
        Ok(Self { report, groups })
    }
}

fn read_report(suite: &str, path: &Path) -> Result<Report, BenchError> {
    let no_report = |message: String| BenchError::NoReport { path: path.to_owned(), message };
    let text = fs::read_to_string(path).map_err(step("reading", path))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| no_report(error.to_string()))?;
    Report::new(suite, &value).ok_or_else(|| no_report("no machine in it".into()))
}

#[cfg(test)]
mod tests {
    use super::{Summary, run};
    use crate::error::BenchError;
    use crate::summary::options::Options;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// A directory of a test of its own, which goes with the value.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(test: &str) -> Self {
            let path = std::env::temp_dir().join(format!("chemio-summary-{test}-{}", std::process::id()));
            fs::create_dir_all(&path).expect("a directory for the test");
            Self(path)
        }

        fn with(self, name: &str, text: &str) -> Self {
            fs::write(self.0.join(name), text).expect("a file of the test");
            self
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const REPORT: &str = r#"{"machine": {"date": "2026-01-02"}, "rows": [
        {"operation": "read-cold", "speeds": {"ours": 3.0},
         "judgement": {"peer_ratio": 1.5, "limit_ratio": 0.75, "target": 2.0, "outcome": "holds"}}]}"#;

    fn options(directory: &Path, suites: &[&str]) -> Options {
        let kept = |name: &str| Some(directory.join(name));
        Options {
            directory: directory.to_owned(),
            suites: suites.iter().map(ToString::to_string).collect(),
            markdown: kept("summary.md"),
            json: kept("summary.json"),
            png: kept("summary.png"),
        }
    }

    #[test]
    fn a_second_summary_is_made_of_the_suites_and_not_of_the_first_one() {
        let scratch = Scratch::new("twice").with("new.json", REPORT).with("new.md", "no report");
        let options = options(&scratch.0, &["dra", "new"]);
        run(&options).expect("one report is enough");
        let first = fs::read(scratch.0.join("summary.json")).expect("it was kept");
        run(&options).expect("the summary is no suite");
        assert_eq!(fs::read(scratch.0.join("summary.json")).expect("it was kept"), first);
        let value: serde_json::Value = serde_json::from_slice(&first).expect("it is JSON");
        assert_eq!(value["missing"], serde_json::json!(["dra"]));
        assert_eq!(value["suites"][0]["suite"], "new");
        assert_eq!(value["suites"][0]["groups"][0]["held"], 1);
        assert!(fs::read(scratch.0.join("summary.png")).expect("it was kept").starts_with(b"\x89PNG"));
    }

    #[test]
    fn parts_of_a_suite_are_one_suite() {
        let later = REPORT.replace("2026-01-02", "2026-01-04").replace("holds", "misses");
        let missing = REPORT.replace(r#""rows""#, r#""missing": ["fio"], "rows""#);
        let scratch = Scratch::new("parts")
            .with("eaf.large.json", &later)
            .with("eaf.small.json", &missing)
            .with("eaf.small.md", "no report")
            .with("ga.json", REPORT);
        let summary = Summary::read(&scratch.0, &["eaf".into()]).expect("three reports");
        let [eaf, ga] = <[_; 2]>::try_from(summary.suites).expect("of two suites");
        assert_eq!((&*eaf.report.suite, &*eaf.report.date()), ("eaf", "2026-01-02 to 2026-01-04"));
        assert!(eaf.report.peers_missing.iter().eq(["fio"]));
        assert_eq!((eaf.groups[0].judged, eaf.groups[0].held), (2, 1));
        assert_eq!((&*ga.report.suite, &*ga.report.date(), ga.groups[0].judged), ("ga", "2026-01-02", 1));
    }

    #[test]
    fn what_is_no_report_is_named() {
        let broken = Scratch::new("broken").with("eaf.json", "{\"machine\":");
        let error = Summary::read(&broken.0, &[]).expect_err("half a report");
        assert!(matches!(&error, BenchError::NoReport { path, .. } if path.ends_with("eaf.json")), "{error}");
        let foreign = Scratch::new("foreign").with("other.json", "[1]");
        assert!(matches!(Summary::read(&foreign.0, &[]), Err(BenchError::NoReport { .. })));
        let empty = Scratch::new("empty");
        assert!(matches!(Summary::read(&empty.0, &[]), Err(BenchError::NoReports { .. })));
    }
}
