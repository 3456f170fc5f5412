//! Side-by-side benchmarks: ours, the peers and the limits of the machine, in one run, with verified data.
//!
//! This program builds nothing: `ci/bench` builds the drivers (drivers/) and calls it with their paths. There is a folder
//! for each suite (`dra`, `eaf`, `ga`, `layout`, `sf`); what they share is here: the conversation with a driver, turns, medians, and
//! tables. `summary` reads what all suites have left behind.

mod conversation;
mod disk;
mod dra;
mod eaf;
mod error;
mod findings;
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
mod summary;
mod turns;
mod units;

use std::process::ExitCode;

use clap::Parser;

use crate::disk::page_reporting;
use crate::error::BenchError;
use crate::options::{Cli, Suite, Task};

const EXIT_WRONG: u8 = 1;
const EXIT_PEER_MISSING: u8 = 3;

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Measure(suite) => run(&suite).map(|complete| complete || suite.common().allow_missing_peer),
        Task::Summary(options) => summary::run(&options).map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(EXIT_PEER_MISSING),
        Err(error) => {
            eprintln!("chemio-bench: {error}");
            ExitCode::from(EXIT_WRONG)
        }
    }
}

/// Measures, prints and keeps the report. Whether everything was there to be measured.
fn run(suite: &Suite) -> Result<bool, BenchError> {
    if suite.common().quick {
        page_reporting::never_wait();
    }
    let findings = match suite {
        Suite::Dra(options) => dra::run(options)?,
        Suite::Eaf(options) => eaf::run(options)?,
        Suite::Ga(options) => ga::run(options)?,
        Suite::Layout(options) => layout::run(options)?,
        Suite::Sf(options) => sf::run(options)?,
    };
    print!("{}", findings.markdown);
    findings.keep(suite.common())?;
    Ok(findings.is_complete)
}
