//! Side-by-side benchmarks: ours, the peers and the limit of the device, in one run, with verified data.
//!
//! This program builds nothing: `ci/bench` builds the drivers (drivers/) and calls it with their paths. It starts one
//! driver process per repetition (`driver`, `pass`, `overlap`), keeps the start equal for all (`page_cache`, `memory`), measures
//! the device by fio (`fio`), judges (`judge`) and prints (`report`, `table`).

mod bench;
mod driver;
mod eaf;
mod engine;
mod error;
mod fio;
mod judge;
mod machine;
mod memory;
mod options;
mod overlap;
mod page_cache;
mod pass;
mod progress;
mod report;
mod samples;
mod scratch;
mod table;
mod workload;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use crate::bench::Bench;
use crate::driver::Content;
use crate::error::{BenchError, step};
use crate::machine::Machine;
use crate::options::Options;
use crate::page_cache::PageCache;
use crate::report::Report;
use crate::scratch::Scratch;

const EXIT_WRONG: u8 = 1;
const EXIT_PEER_MISSING: u8 = 3;

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(complete) if complete || options.allow_missing_peer => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(EXIT_PEER_MISSING),
        Err(error) => {
            eprintln!("chemio-bench: {error}");
            ExitCode::from(EXIT_WRONG)
        }
    }
}

/// Measures, prints and keeps the report. Whether everything was there to be measured.
fn run(options: &Options) -> Result<bool, BenchError> {
    let bench = surroundings(options)?;
    let mut report = empty_report(&bench, options);
    eaf::run(&bench, options, &mut report)?;
    let text = table::report(&report);
    print!("{text}");
    keep(options.markdown.as_deref(), &text)?;
    keep(options.json.as_deref(), &format!("{:#}\n", serde_json::json!(report)))?;
    Ok(report.missing.is_empty() && options.fio.is_some())
}

fn surroundings(options: &Options) -> Result<Bench, BenchError> {
    Ok(Bench {
        executables: options.executables(),
        scratch: Scratch::below(&options.directory)?,
        page_cache: PageCache::probe(),
        content: Content { seed: options.seed, check_fully: options.checks_fully() },
    })
}

fn empty_report(bench: &Bench, options: &Options) -> Report {
    let sizes = options.sizes_bytes().into_iter();
    Report {
        machine: Machine::look(bench.scratch.path()),
        cold: bench.page_cache.describe(),
        seed: options.seed,
        repetitions: sizes.map(|size| (size, options.repetitions(size))).collect(),
        missing: bench.executables.missing(),
        rows: Vec::new(),
        overlap_workload: None,
        overlap: Vec::new(),
    }
}

fn keep(file: Option<&Path>, text: &str) -> Result<(), BenchError> {
    file.map_or(Ok(()), |file| fs::write(file, text).map_err(step("writing", file)))
}
