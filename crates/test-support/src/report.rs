//! What a run of a suite prints, and its exit status.

use std::process::ExitCode;
use std::time::Duration;
use std::{env, fmt};

use crate::environment::{NOT_RUN_STATUS, requires_all};
use crate::journal::LeftOut;
use crate::launch::Failure;
use crate::layout::Layout;

/// One launch, as it is named in the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    pub(crate) variant: &'a str,
    pub(crate) layout: Layout,
    pub(crate) scenarios_count: usize,
    pub(crate) seed: u64,
}

/// Counts what happened, and prints it as it happens.
#[derive(Debug, Default)]
pub(crate) struct Report {
    is_quiet: bool,
    passed_count: usize,
    scenarios_count: usize,
    failed_count: usize,
    not_run_count: usize,
    /// Scenarios of launches that were run.
    left_out_count: usize,
}

impl fmt::Display for Row<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.scenarios_count == 1 { "" } else { "s" };
        let layout = self.layout.to_string();
        write!(out, "{:12} {layout:21} {:3} scenario{plural:1}", self.variant, self.scenarios_count)
    }
}

impl Report {
    pub(crate) fn new(is_quiet: bool) -> Self {
        Self { is_quiet, ..Self::default() }
    }

    /// A launch in which nothing has failed; what of it was not run is told, and is no pass.
    pub(crate) fn passed(&mut self, row: &Row<'_>, left_out: &[LeftOut], took: Duration) {
        let passed = Row { scenarios_count: row.scenarios_count - left_out.len(), ..*row };
        if passed.scenarios_count > 0 {
            self.passed_count += 1;
            self.scenarios_count += passed.scenarios_count;
            if !self.is_quiet {
                println!("passed   {passed}  {:6.2} s", took.as_secs_f64());
            }
        }
        for LeftOut { scenario, why } in left_out {
            self.left_out_count += 1;
            println!("not run  {}: {scenario}: {why}", Row { scenarios_count: 1, ..*row });
        }
    }

    pub(crate) fn failed(&mut self, row: &Row<'_>, failure: &Failure) {
        self.failed_count += 1;
        println!("FAILED   {row}  {}", failure.verdict);
        for rank in &failure.ranks {
            println!("    {rank}");
        }
        if !failure.output.is_empty() {
            println!("---- output\n{}\n----", failure.output);
        }
        println!("seed {}; again: {}", row.seed, again(row, failure.scenario.as_deref()));
    }

    pub(crate) fn not_run(&mut self, what: &dyn fmt::Display, why: &dyn fmt::Display) {
        self.not_run_count += 1;
        println!("not run  {what}: {why}");
    }

    /// Prints the counts; `what` says what was tested.
    pub(crate) fn finish(&self, what: &str) -> ExitCode {
        let left_out = match self.left_out_count {
            0 => String::new(),
            count => format!(" (scenarios {count})"),
        };
        println!(
            "{what}: launches passed {} (scenarios {}), failed {}, not run {}{left_out}",
            self.passed_count, self.scenarios_count, self.failed_count, self.not_run_count
        );
        ExitCode::from(self.status(requires_all()))
    }

    fn status(&self, requires_all: bool) -> u8 {
        match (self.failed_count, self.not_run_count + self.left_out_count) {
            (0, 0) => 0,
            (0, _) if !requires_all => NOT_RUN_STATUS,
            _ => 1,
        }
    }
}

/// How to run the launch again, with one scenario if one is to blame.
fn again(row: &Row<'_>, scenario: Option<&str>) -> String {
    let package = env::var("CARGO_PKG_NAME").map(|name| format!(" -p {name}")).unwrap_or_default();
    let name = scenario.map(|name| format!("{name} --exact ")).unwrap_or_default();
    let Row { variant, layout, seed, .. } = row;
    format!(
        "cargo test{package} --test {} -- {name}--variant {variant} --ranks {} --hosts {} --seed {seed}",
        suite_name(),
        layout.ranks_count(),
        layout.hosts_count
    )
}

/// The name of the test binary, without what cargo appends to it.
pub(crate) fn suite_name() -> String {
    let path = env::current_exe().unwrap_or_default();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    without_hash(&stem).to_owned()
}

fn without_hash(stem: &str) -> &str {
    match stem.rsplit_once('-') {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => name,
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::{NOT_RUN_STATUS, Report, Row, again, without_hash};
    use crate::layout::Layout;

    fn status(failed_count: usize, not_run_count: usize, requires_all: bool) -> u8 {
        Report { failed_count, not_run_count, ..Report::default() }.status(requires_all)
    }

    #[test]
    fn not_run_is_neither_a_pass_nor_hides_a_failure() {
        assert_eq!(status(0, 0, false), 0);
        assert_eq!(status(0, 0, true), 0);
        assert_eq!(status(0, 1, false), NOT_RUN_STATUS);
        assert_eq!(status(0, 1, true), 1);
        assert_eq!(Report { left_out_count: 1, ..Report::default() }.status(false), NOT_RUN_STATUS);
        assert_eq!(status(1, 1, false), 1);
    }

    #[test]
    fn the_suite_is_named_without_the_hash_of_cargo() {
        assert_eq!(without_hash("suite-0123456789abcdef"), "suite");
        assert_eq!(without_hash("two-hosts"), "two-hosts");
    }

    #[test]
    fn a_failure_can_be_had_again_by_one_command() {
        let row = Row { variant: "rma", layout: Layout::two_hosts(2), scenarios_count: 3, seed: 5 };
        let command = again(&row, Some("a_put"));
        assert!(
            command.ends_with(" -- a_put --exact --variant rma --ranks 4 --hosts 2 --seed 5"),
            "{command}"
        );
    }
}
