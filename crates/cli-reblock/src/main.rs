//! `chemio-reblock`: brings an array on disk into bricks of another shape, with all ranks of an MPI program. `chemio reblock` runs
//! it; it also runs by itself, or under a launcher: `mpirun -n 4 chemio-reblock SOURCE TARGET --brick 64,64`.
//!
//! - `launch`: running the launcher of the MPI that this is linked with.
//! - `copy`: what all ranks do together.
//! - `rights`: what others may do with what is made.
#![forbid(unsafe_code)]

mod copy;
mod error;
mod launch;
mod rights;

use clap::Parser;
use command::error::refused;
use command::interrupt;
use command::launched::{is_first, is_launched};
use command::options::Reblock;
use command::progress::Canvas;
use error::{Error, Result};
use std::process::ExitCode;

/// Copy an array into bricks of another shape, or another order of dimensions, with all ranks and bounded memory.
#[derive(Debug, Parser)]
#[command(name = "chemio-reblock", version, max_term_width = 110)]
struct Cli {
    #[command(flatten)]
    options: Reblock,
}

/// What an interrupted command says.
fn last_words(restart: bool) -> &'static str {
    if restart {
        "interrupted; the same command without --restart goes on where it was"
    } else {
        "interrupted; the same command again goes on where it was"
    }
}

fn main() -> ExitCode {
    let options = match Cli::try_parse() {
        Ok(cli) => cli.options,
        Err(usage) => {
            // Ranks that a launcher has started are all wrong alike.
            if is_first() {
                let _ = usage.print();
            }
            return ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(2));
        }
    };
    report::logging::install();
    let done = run(&options);
    report::statistics::report();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => ExitCode::from(error.status()),
    }
}

/// Tells the first error too.
fn run(options: &Reblock) -> Result<()> {
    let tell = |error: &Error| command::error::report(error, error.advice(options.restart));
    interrupt::outlive_file_size_limit()
        .map_err(refused("listen for", "signals".as_ref()))
        .map_err(Error::from)
        .inspect_err(tell)?;
    if let Some(ranks) = options.reblocking.ranks.filter(|&ranks| ranks > 1)
        && options.launched.is_none()
        && !is_launched()
    {
        return Err(launch::run(options, ranks)).inspect_err(tell);
    }
    let ga = ga::Context::new().map_err(Error::from).inspect_err(|error| {
        if is_first() {
            tell(error);
        }
    })?;
    let is_first = ga.rank() == 0;
    let canvas = match options.launched {
        _ if !is_first => Canvas::None,
        None => Canvas::StandardError,
        Some(true) => Canvas::Session,
        Some(false) => Canvas::None,
    };
    // Told while MPI is still alive: launchers kill all ranks when the first has ended with an error.
    with_ranks(options, &ga, is_first, canvas).inspect_err(|error| {
        if is_first {
            tell(error);
        }
    })
}

fn with_ranks(options: &Reblock, ga: &ga::Context, is_first: bool, canvas: Canvas) -> Result<()> {
    if is_first {
        interrupt::end_at_once(last_words(options.restart))
            .map_err(refused("listen for", "signals".as_ref()))?;
    }
    let facts = copy::run(options, ga, canvas);
    interrupt::withdraw();
    let facts = facts?;
    gather_counts(ga);
    if is_first { facts.print(options.facts.json) } else { Ok(()) }
}

/// Rank 0 tells at the end what all ranks have asked of their files, if that is wanted. Collective.
fn gather_counts(ga: &ga::Context) {
    if let Ok(comm) = ga.world().communicator() {
        let least = |mine| comm.least(mine, 0).map(|(least, _)| least);
        let text = |text, root| comm.broadcast_text(text, root);
        report::statistics::gather(comm.rank(), comm.size(), least, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
