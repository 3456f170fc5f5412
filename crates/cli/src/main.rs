//! The `chemio` command: arrays on disk, looked at, copied, checked, converted and drawn. Needs no MPI.
//!
//! - `array`: what is done with whole arrays: `info`, `ls`, `verify`, `cp`, `mv`, `rm`.
//! - `scan`: reading and writing elements in tiles, with several transfers in flight and bounded memory.
//! - `stats`, `convert`, `plot`: what stands on it.
//! - `plan`: how an array would be brought into other bricks.
//! - `machine`: `bench` and `doctor`.
#![deny(unsafe_code)]

mod array;
mod convert;
mod error;
mod files;
mod interrupt;
mod machine;
mod manual;
mod options;
mod output;
mod plan;
mod plot;
mod progress;
mod scan;
mod stats;

use clap::Parser;
use error::Result;
use options::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match interrupt::listen()
        .map_err(error::refused("listen for", "signals".as_ref()))
        .and_then(|()| run(cli))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let advice = error.advice().map_or(String::new(), |advice| format!("; {advice}"));
            eprintln!("chemio: {}{advice}", one_line(&error.to_string()));
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
        Command::Bench(options) => machine::bench::run(&options),
        Command::Doctor(options) => machine::doctor::run(&options),
        Command::Completions(options) => manual::completions(&options),
        Command::Manual(options) => manual::pages(&options),
    }
}

/// Names of files may have line ends in them.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
