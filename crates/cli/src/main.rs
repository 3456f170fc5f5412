//! The `chemio` command: arrays on disk, looked at, copied, checked, converted and drawn. Needs no MPI.
//!
//! - `array`: what is done with whole arrays: `info`, `ls`, `verify`, `cp`, `mv`, `rm`.
//! - `scan`: reading and writing elements in tiles, with several transfers in flight and bounded memory.
//! - `stats`, `convert`, `plot`: what stands on it.
//! - `reblock`: runs `chemio-reblock`, which needs MPI; `plan`, in `chemio-command`, says what it would do.
//! - `machine`: `bench` and `doctor`.
#![deny(unsafe_code)]

mod array;
mod convert;
mod files;
mod machine;
mod manual;
mod options;
mod plot;
mod reblock;
mod scan;
mod stats;

use clap::Parser;
use command::{error, interrupt, output, plan, progress};
use error::Result;
use options::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    report::logging::install();
    let listening = interrupt::outlive_file_size_limit().and_then(|()| interrupt::listen());
    let done = listening.map_err(error::refused("listen for", "signals".as_ref())).and_then(|()| run(cli));
    report::statistics::report();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error::report(&error, error.advice());
            ExitCode::from(error.status())
        }
    }
}

fn run(cli: Cli) -> Result<()> {
    match cli.command {
        Command::Info(options) => array::info::run(&options),
        Command::Ls(options) => array::list::run(&options),
        Command::Stats(options) => stats::run(&options),
        Command::Cp(options) => array::copy::run(&options),
        Command::Mv(options) => array::rename::run(&options),
        Command::Rm(options) => array::remove::run(&options),
        Command::Verify(options) => array::verify::run(&options),
        Command::Export(options) => convert::export::run(&options),
        Command::Import(options) => convert::import::run(&options),
        Command::Plot(options) => plot::run(&options),
        Command::Plan(options) => plan::run(&options),
        Command::Reblock(options) => reblock::run(&options),
        Command::Bench(options) => machine::bench::run(&options),
        Command::Doctor(options) => machine::doctor::run(&options),
        Command::Completions(options) => manual::completions(&options),
        Command::Manual(options) => manual::pages(&options),
    }
}
