//! The command line of the summary.

use std::path::PathBuf;

use clap::Args;

/// What is summarised, and where that is kept.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Suites that should have left a report; those that have not are named.
    pub(crate) suites: Vec<String>,
    /// Where the reports are: every SUITE.json and SUITE.PART.json is taken.
    #[arg(long, value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// Keep the table here, as markdown.
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// Keep the figures here, with those of every cell, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Keep the drawing here.
    #[arg(long, value_name = "FILE")]
    pub(crate) png: Option<PathBuf>,
}
