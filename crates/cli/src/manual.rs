//! Completions and manual pages, from the definition of the command line.

use crate::error::{Result, refused};
use crate::options::{Cli, Completions, Manual};
use crate::output;
use clap::CommandFactory;

/// Prints the completions for a shell.
pub(crate) fn completions(options: &Completions) -> Result<()> {
    let mut text = vec![];
    clap_complete::generate(options.shell, &mut Cli::command(), "chemio", &mut text);
    output::print(&String::from_utf8_lossy(&text))
}

/// Writes `chemio.1` and a page for each subcommand.
pub(crate) fn pages(options: &Manual) -> Result<()> {
    clap_mangen::generate_to(Cli::command(), &options.directory)
        .map_err(refused("write manual pages to", &options.directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent_and_every_command_shows_examples() {
        Cli::command().debug_assert();
        for command in Cli::command().get_subcommands() {
            let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(examples.contains(&format!("chemio {}", command.get_name())), "{}", command.get_name());
            assert!(command.get_about().is_some(), "{}", command.get_name());
        }
    }
}
