//! How many measurements there were, and how many of them other work on the machine has spoilt.

use std::ops::AddAssign;

use serde::Serialize;

/// One in so many passes may be disturbed: most cells then have enough that were not.
const DISTURBED_PART_MAX: u64 = 10;

/// How many passes through a file or an array there were, and how many of them other processes disturbed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Passes {
    /// All of them.
    pub(crate) all: u64,
    /// The disturbed ones.
    pub(crate) disturbed: u64,
}

impl Passes {
    /// A line for the head of a report.
    pub(crate) fn describe(self) -> String {
        let Self { all, disturbed } = self;
        let mut text = format!("{all} passes, of which other processes disturbed {disturbed}");
        if disturbed * DISTURBED_PART_MAX > all {
            text.push_str(": this machine was not quiet, and the ratios mean little");
        }
        text + ".\n"
    }
}

impl AddAssign for Passes {
    fn add_assign(&mut self, more: Self) {
        self.all += more.all;
        self.disturbed += more.disturbed;
    }
}

#[cfg(test)]
mod tests {
    use super::Passes;

    #[test]
    fn a_run_on_a_machine_that_was_not_quiet_says_so() {
        assert!(Passes { all: 100, disturbed: 11 }.describe().contains("mean little"));
        assert!(!Passes { all: 100, disturbed: 10 }.describe().contains("mean little"));
    }
}
