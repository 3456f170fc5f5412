//! What the user sees while a run goes on: on standard error, so that standard output holds the report alone.

use std::time::Instant;

/// Where progress goes, or nowhere.
#[derive(Debug)]
pub(crate) struct Progress {
    silent: bool,
    begin: Instant,
}

impl Progress {
    /// The clock starts now.
    pub(crate) fn new(silent: bool) -> Self {
        Self { silent, begin: Instant::now() }
    }

    /// Says one line.
    pub(crate) fn say(&self, line: &str) {
        if !self.silent {
            let seconds = self.begin.elapsed().as_secs();
            eprintln!("[{:02}:{:02}] {line}", seconds / 60, seconds % 60);
        }
    }

    /// Shows a table that is complete.
    pub(crate) fn table(&self, table: &str) {
        self.say("");
        if !self.silent {
            eprintln!("{table}");
        }
    }
}
