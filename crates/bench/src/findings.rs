//! What a suite has found, and the files that keep it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::{BenchError, step};
use crate::options::Common;

/// What a suite found.
pub(crate) struct Findings {
    /// The report as markdown.
    pub(crate) markdown: String,
    /// The same with every single time.
    pub(crate) json: serde_json::Value,
    /// Whether everything was there to be measured.
    pub(crate) is_complete: bool,
}

impl Findings {
    /// A report with all that is in it.
    pub(crate) fn of(report: &impl Serialize, markdown: String, is_complete: bool) -> Self {
        Self { markdown, json: serde_json::json!(report), is_complete }
    }

    /// Keeps them where the options say. Suites that repeat everything do so after each repetition, so that a run that is
    /// interrupted has measured something.
    pub(crate) fn keep(&self, common: &Common) -> Result<(), BenchError> {
        let mut json = self.json.clone();
        json["quick"] = common.quick.into();
        write(common.markdown.as_deref(), &self.markdown)?;
        write(common.json.as_deref(), &format!("{json:#}\n"))
    }
}

/// Writes a whole file, if one is asked for: who is interrupted leaves the one that was there.
fn write(file: Option<&Path>, text: &str) -> Result<(), BenchError> {
    let Some(file) = file else { return Ok(()) };
    let unfinished = beside(file);
    fs::write(&unfinished, text).map_err(step("writing", &unfinished))?;
    fs::rename(&unfinished, file).map_err(step("writing", file))
}

fn beside(file: &Path) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(".unfinished");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::scratch::Scratch;
    use clap::Parser;

    #[derive(Parser)]
    struct Options {
        #[command(flatten)]
        common: Common,
    }

    #[test]
    fn later_findings_take_the_place_of_earlier_ones_and_nothing_else_is_left() {
        let scratch = Scratch::below(&std::env::temp_dir()).expect("a directory for temporary files");
        let reports = scratch.directory("reports").unwrap();
        let file = |name: &str| reports.path().join(name);
        let (markdown, json) = (file("a.md"), file("a.json"));
        let arguments =
            ["a", "--quick", "--markdown", markdown.to_str().unwrap(), "--json", json.to_str().unwrap()];
        let common = Options::parse_from(arguments).common;
        for repetitions in [1, 2] {
            let findings = Findings {
                markdown: format!("{repetitions} repetitions"),
                json: serde_json::json!({ "repetitions": repetitions }),
                is_complete: true,
            };
            findings.keep(&common).unwrap();
        }
        assert_eq!(fs::read_to_string(&markdown).unwrap(), "2 repetitions");
        let kept: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
        assert_eq!(kept, serde_json::json!({ "repetitions": 2, "quick": true }));
        assert_eq!(fs::read_dir(reports.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_place_that_is_not_there_is_an_error() {
        let arguments = ["a", "--markdown", "/nowhere/a.md"];
        let findings = Findings { markdown: String::new(), json: serde_json::json!({}), is_complete: true };
        assert!(findings.keep(&Options::parse_from(arguments).common).is_err());
    }
}
