//! Running the suite of mishaps as a child, and looking at what it has said and left behind.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{env, fmt};

/// Makes this binary the suite.
const SUITE: &str = "MISHAPS";
/// Marks all processes of one run, by means that are not those under test.
const MARK: &str = "MISHAPS_MARK";

pub(crate) fn is_the_suite() -> bool {
    env::var_os(SUITE).is_some()
}

/// The suite with its arguments, not yet started.
pub(crate) struct Suite {
    command: Command,
    mark: String,
}

/// The suite, running.
pub(crate) struct Running {
    child: Child,
    mark: String,
    since: Instant,
}

/// The suite, ended.
pub(crate) struct Run {
    /// None if it was killed.
    pub(crate) status: Option<i32>,
    /// What it printed on standard output.
    pub(crate) output: String,
    pub(crate) took: Duration,
    left_count: usize,
}

impl Suite {
    /// Runs the suite with this command line.
    pub(crate) fn run(line: &str) -> Run {
        Self::new(line).run_to_end()
    }

    pub(crate) fn new(line: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let mark = format!("{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let mut command = Command::new(env::current_exe().expect("the path of this program"));
        command.args(line.split_whitespace()).env(SUITE, "1").env(MARK, &mark);
        command.env_remove("CHEMIO_TEST_REQUIRE_ALL").env_remove("CHEMIO_TEST_SEED");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        Self { command, mark }
    }

    pub(crate) fn env(&mut self, name: &str, value: impl AsRef<OsStr>) {
        self.command.env(name, value);
    }

    pub(crate) fn start(&mut self) -> Running {
        let child = self.command.spawn().expect("it starts");
        Running { child, mark: self.mark.clone(), since: Instant::now() }
    }

    pub(crate) fn run_to_end(&mut self) -> Run {
        self.start().wait()
    }
}

impl Running {
    pub(crate) fn wait(mut self) -> Run {
        let mut output = Vec::new();
        self.child.stdout.take().expect("a pipe").read_to_end(&mut output).expect("it is readable");
        let status = self.child.wait().expect("it is our child").code();
        let output = String::from_utf8_lossy(&output).into_owned();
        Run { status, output, took: self.since.elapsed(), left_count: self.processes_count() }
    }

    /// How many processes the run has now, the launcher among them.
    pub(crate) fn processes_count(&self) -> usize {
        let mark = format!("{MARK}={}", self.mark);
        let processes = fs::read_dir("/proc").expect("processes").flatten();
        processes
            .filter_map(|process| fs::read(process.path().join("environ")).ok())
            .filter(|environment| environment.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes()))
            .count()
    }

    /// Kills the launcher and nothing else.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it is our child");
        self.child.wait().expect("it is our child");
    }
}

impl Run {
    pub(crate) fn passed(&self) {
        assert_eq!(self.status, Some(0), "{self}");
    }

    /// A failure, for this reason.
    pub(crate) fn failed_with(&self, reason: &str) {
        assert_eq!(self.status, Some(1), "{self}");
        self.says("FAILED");
        self.says(reason);
    }

    pub(crate) fn says(&self, text: &str) {
        assert!(self.output.contains(text), "no {text:?} in {self}");
    }

    pub(crate) fn does_not_say(&self, text: &str) {
        assert!(!self.output.contains(text), "{text:?} in {self}");
    }

    pub(crate) fn left_nothing(&self) {
        assert_eq!(self.left_count, 0, "processes left by {self}");
    }
}

impl fmt::Display for Run {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the run with status {:?} that printed:\n{}", self.status, self.output)
    }
}
