//! Side-by-side benchmarks: ours, the peers and the limits of the machine, in one run, with verified data.
//!
//! This program builds nothing: `ci/bench` builds the drivers (drivers/) and calls it with their paths. There is a folder
//! for each suite (`dra`, `eaf`, `ga`, `layout`, `sf`); what they share is here: the conversation with a driver, turns, medians, and tables.

mod conversation;
mod disk;
mod dra;
mod eaf;
mod error;
mod ga;
mod launcher;
mod layout;
mod machine;
mod markdown;
mod neighbours;
mod options;
mod outcome;
mod progress;
mod sf;
mod statistics;
mod turns;
mod units;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use crate::error::{BenchError, step};
use crate::options::{Cli, Suite};

const EXIT_WRONG: u8 = 1;
const EXIT_PEER_MISSING: u8 = 3;

/// What a suite found.
struct Findings {
    /// The report as markdown.
    markdown: String,
    /// The same with every single time.
    json: serde_json::Value,
    /// Whether everything was there to be measured.
    is_complete: bool,
}

fn main() -> ExitCode {
    let Cli { suite } = Cli::parse();
    match run(&suite) {
        Ok(complete) if complete || suite.common().allow_missing_peer => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(EXIT_PEER_MISSING),
        Err(error) => {
            eprintln!("chemio-bench: {error}");
            ExitCode::from(EXIT_WRONG)
        }
    }
}

/// Measures, prints and keeps the report. Whether everything was there to be measured.
fn run(suite: &Suite) -> Result<bool, BenchError> {
    let findings = match suite {
        Suite::Dra(options) => dra::run(options)?,
        Suite::Eaf(options) => eaf::run(options)?,
        Suite::Ga(options) => ga::run(options)?,
        Suite::Layout(options) => layout::run(options)?,
        Suite::Sf(options) => sf::run(options)?,
    };
    print!("{}", findings.markdown);
    keep(suite.common().markdown.as_deref(), &findings.markdown)?;
    keep(suite.common().json.as_deref(), &format!("{:#}\n", findings.json))?;
    Ok(findings.is_complete)
}

fn keep(file: Option<&Path>, text: &str) -> Result<(), BenchError> {
    file.map_or(Ok(()), |file| fs::write(file, text).map_err(step("writing", file)))
}
