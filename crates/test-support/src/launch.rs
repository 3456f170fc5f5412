//! One launch: its processes, their time limit, and what became of them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, io};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::environment::{HOSTS, JOURNALS, LOCAL_DIR, SEED, SHARED_DIR};
use crate::journal::{LeftOut, Progress};
use crate::layout::Layout;
use crate::mpi::Mpi;
use crate::processes::LaunchId;
use crate::scratch::scratch_directory;
use crate::two_hosts::TwoHosts;
use crate::unavailable::Unavailable;
use crate::variant::Variant;

/// How long the other ranks of one that panicked may take to end.
const AFTER_PANIC: Duration = Duration::from_secs(10);
/// How long a rank may take to start. MPI's launchers now and then lose a rank of another host while they connect.
const START: Duration = Duration::from_secs(40);
/// How long the processes of a job may outlive its launcher.
const AFTER_END: Duration = Duration::from_secs(2);
/// How long a launcher that is told to end its job may take.
const AFTER_TERM: Duration = Duration::from_secs(5);
/// What is shown of the output of a failed launch.
const OUTPUT_LINES_MAX: usize = 200;
const OUTPUT_BYTES_MAX: usize = 32 << 10;

/// A job to be run: scenarios, on ranks, in an environment.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    pub(crate) mpi: &'a Mpi,
    pub(crate) variant: &'a Variant,
    pub(crate) layout: Layout,
    pub(crate) scenarios: &'a [&'static str],
    pub(crate) seed: u64,
    pub(crate) time_limit: Duration,
    pub(crate) shows_output: bool,
}

/// Why a launch has failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) verdict: String,
    /// Some rank never started, so that nothing is known of the scenarios.
    pub(crate) unstarted: bool,
    /// What each rank was doing.
    pub(crate) ranks: Vec<String>,
    /// The scenario to be run again, where one is to blame.
    pub(crate) scenario: Option<String>,
    /// The end of the output.
    pub(crate) output: String,
}

/// What has become of a launch.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Every rank has passed every scenario, but these, which some rank has not run.
    Passed(Vec<LeftOut>),
    Failed(Failure),
}

/// How the job ended.
#[derive(Debug)]
enum End {
    ByItself(ExitStatus),
    OutOfTime,
    Unstarted,
    StuckAfterPanic,
}

impl Launch<'_> {
    /// Runs the job and ends all its processes.
    ///
    /// # Errors
    /// [`Unavailable`] if this machine cannot run it.
    ///
    /// # Panics
    /// If the launch's files cannot be made.
    pub(crate) fn run(&self) -> Result<Outcome, Unavailable> {
        let id = LaunchId::new();
        let files = Files::make(&id);
        let hosts = match self.layout.hosts_count {
            1 => None,
            _ => Some(TwoHosts::with_local_dir(&files.local())?),
        };
        let mut command = self.command(&files, hosts.as_ref(), &id);
        let started = command.spawn();
        let mut launcher =
            started.map_err(|source| Unavailable::Program { program: self.mpi.to_string(), source })?;
        let end = self.wait(&mut launcher, &files);
        let left_count = if matches!(end, End::ByItself(_)) { id.wait_until_gone(AFTER_END) } else { 0 };
        let ranks: Vec<_> =
            (0..self.layout.ranks_count()).map(|rank| Progress::of(&files.journals(), rank)).collect();
        end_all(&mut launcher, &id);
        let unstarted = matches!(end, End::Unstarted);
        Ok(match self.verdict(&end, &ranks, left_count) {
            Some(verdict) => Outcome::Failed(Failure { unstarted, ..failure(verdict, &ranks, &files) }),
            None => Outcome::Passed(self.left_out(&files)),
        })
    }

    /// What was not run on some rank, each scenario once.
    fn left_out(&self, files: &Files) -> Vec<LeftOut> {
        let mut found: Vec<LeftOut> = Vec::new();
        for left_out in (0..self.layout.ranks_count()).flat_map(|rank| LeftOut::of(&files.journals(), rank)) {
            if !found.iter().any(|known| known.scenario == left_out.scenario) {
                found.push(left_out);
            }
        }
        found
    }

    fn command(&self, files: &Files, hosts: Option<&TwoHosts>, id: &LaunchId) -> Command {
        let mut command = self.mpi.command(self.layout, hosts);
        command.arg(env::current_exe().expect("the path of this program"));
        command.arg("--exact").args(self.scenarios);
        self.variant.apply(&mut command);
        id.mark(&mut command);
        command.env(HOSTS, self.layout.hosts_count.to_string()).env(SEED, self.seed.to_string());
        command.env(JOURNALS, files.journals()).env(SHARED_DIR, files.shared()).env(LOCAL_DIR, files.local());
        command.stdin(Stdio::null());
        if !self.shows_output {
            command.stdout(files.output_writer()).stderr(files.output_writer());
        }
        command
    }

    fn wait(&self, launcher: &mut Child, files: &Files) -> End {
        let began = Instant::now();
        let mut limit = self.time_limit;
        let mut seen_panic = false;
        loop {
            for _ in 0..10 {
                if let Some(status) = launcher.try_wait().expect("it is our child") {
                    return End::ByItself(status);
                }
                sleep(Duration::from_millis(20));
            }
            if !seen_panic && self.has_panicked(files) {
                seen_panic = true;
                limit = limit.min(began.elapsed() + AFTER_PANIC);
            }
            if began.elapsed() >= START && !seen_panic && self.is_starting(files) {
                return End::Unstarted;
            }
            if began.elapsed() >= limit {
                return if seen_panic { End::StuckAfterPanic } else { End::OutOfTime };
            }
        }
    }

    fn is_starting(&self, files: &Files) -> bool {
        (0..self.layout.ranks_count())
            .any(|rank| matches!(Progress::of(&files.journals(), rank).0, Progress::Starting))
    }

    fn has_panicked(&self, files: &Files) -> bool {
        let panicked = |rank| matches!(Progress::of(&files.journals(), rank).0, Progress::Panicked { .. });
        (0..self.layout.ranks_count()).any(panicked)
    }

    /// The first thing that is wrong, if any. A panic explains whatever came after it.
    fn verdict(&self, end: &End, ranks: &[(Progress, Duration)], left_count: usize) -> Option<String> {
        let stuck = matches!(end, End::StuckAfterPanic);
        let panic = ranks.iter().enumerate().find_map(|(rank, (progress, _))| panic_of(rank, progress));
        if let Some(panic) = panic {
            let after = if stuck { "; the others did not end with it" } else { "" };
            return Some(panic + after);
        }
        let everything = Progress::Done(self.scenarios.len());
        let unfinished = ranks.iter().position(|(progress, _)| *progress != everything);
        match (end, unfinished) {
            (End::ByItself(status), _) if !status.success() => Some(format!("the job ended with {status}")),
            (End::ByItself(_), Some(rank)) => Some(format!("rank {rank} ended early, without a word")),
            (End::ByItself(_), None) if left_count > 0 => {
                Some(format!("{left_count} processes outlived the job"))
            }
            (End::ByItself(_), None) => None,
            (End::Unstarted, _) => Some(format!("a rank had not started after {} s", START.as_secs())),
            _ => Some(format!("not over after {} s", self.time_limit.as_secs_f64())),
        }
    }
}

fn panic_of(rank: usize, progress: &Progress) -> Option<String> {
    match progress {
        Progress::Panicked { scenario, what } => Some(format!("rank {rank} panicked in {scenario}: {what}")),
        _ => None,
    }
}

fn failure(verdict: String, ranks: &[(Progress, Duration)], files: &Files) -> Failure {
    let scenario = ranks.iter().find_map(|(progress, _)| match progress {
        Progress::Panicked { scenario, .. } => Some(scenario.clone()),
        _ => None,
    });
    let running = ranks.iter().find_map(|(progress, _)| match progress {
        Progress::Running(scenario) => Some(scenario.clone()),
        _ => None,
    });
    let describe = |(rank, (progress, age)): (usize, &(Progress, Duration))| {
        format!("rank {rank} {}", progress.describe(*age))
    };
    Failure {
        verdict,
        unstarted: false,
        ranks: ranks.iter().enumerate().map(describe).collect(),
        scenario: scenario.or(running),
        output: tail(&fs::read(files.output()).unwrap_or_default()),
    }
}

/// Lets the launcher end its job, if it has not ended, and then kills what is left.
pub(crate) fn end_all(launcher: &mut Child, id: &LaunchId) {
    let pid = Pid::from_child(launcher);
    if matches!(launcher.try_wait(), Ok(None)) {
        let _ = kill_process(pid, Signal::TERM);
        let since = Instant::now();
        while matches!(launcher.try_wait(), Ok(None)) && since.elapsed() < AFTER_TERM {
            sleep(Duration::from_millis(20));
        }
    }
    id.end_all();
    let _ = launcher.wait();
}

/// The last lines, not too many and not too long.
fn tail(output: &[u8]) -> String {
    let start = output.len().saturating_sub(OUTPUT_BYTES_MAX);
    let text = String::from_utf8_lossy(&output[start..]);
    let lines: Vec<_> = text.lines().collect();
    let kept = &lines[lines.len().saturating_sub(OUTPUT_LINES_MAX)..];
    let whole = start == 0 && kept.len() == lines.len();
    if whole { kept.join("\n") } else { format!("[...]\n{}", kept.join("\n")) }
}

/// The files of a launch, gone when it is over.
#[derive(Debug)]
struct Files {
    directory: TempDir,
}

impl Files {
    fn make(id: &LaunchId) -> Self {
        let files = Self { directory: scratch_directory(id) };
        for path in [files.journals(), files.shared(), files.local()] {
            fs::create_dir(path).expect("room for a directory");
        }
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn journals(&self) -> PathBuf {
        self.path("journals")
    }

    fn shared(&self) -> PathBuf {
        self.path("shared")
    }

    fn local(&self) -> PathBuf {
        self.path("local")
    }

    fn output(&self) -> PathBuf {
        self.path("output")
    }

    /// A file and not a pipe: nobody has to read it while the job runs, or waits for who keeps it open afterwards.
    fn output_writer(&self) -> File {
        append(&self.output()).expect("room for the output")
    }
}

fn append(path: &Path) -> io::Result<File> {
    File::options().create(true).append(true).open(path)
}
