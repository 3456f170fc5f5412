//! Jobs of a test's own, for what a suite cannot do: ranks that are killed, later runs that look at what is left, and programs that
//! are not written in Rust.

use crate::launch::end_all;
use crate::layout::Layout;
use crate::mpi::Mpi;
use crate::processes::LaunchId;
use crate::two_hosts::TwoHosts;
use crate::unavailable::Unavailable;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

/// The launcher of the MPI that this binary is linked with, to start this binary on so many ranks of this host. The test tells
/// its ranks by an environment variable that they are ranks.
///
/// # Panics
/// If there is no such launcher.
pub fn job(ranks: usize) -> Command {
    let mpi = Mpi::linked().unwrap_or_else(|reason| panic!("{reason}"));
    let mut command = mpi.command(Layout { hosts_count: 1, ranks_per_host: ranks }, None);
    command.arg(env::current_exe().expect("this binary has a path"));
    command
}

/// Runs a job to its end.
///
/// # Panics
/// If it takes longer than `limit`: then it is killed.
pub fn run_within(limit: Duration, mut job: Command) -> ExitStatus {
    let mut child = job.spawn().expect("the launcher starts");
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child of ours") {
            return status;
        }
        if begin.elapsed() > limit {
            child.kill().expect("a child of ours");
            panic!("the job hangs");
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Runs a program, the first of `command`, on so many ranks on each of two test hosts, under the launcher of the MPI that `linked`
/// is linked with: the same program, or the one that a script starts. With a `local_dir`, each host has a directory of its own
/// there. `None` if it takes longer than `limit`; then all its processes are killed.
///
/// # Errors
/// [`Unavailable`] if this machine cannot have test hosts, or has not this MPI's launcher.
///
/// # Panics
/// If there is no room for temporary files.
pub fn run_on_two_hosts(
    ranks_per_host: usize,
    local_dir: Option<&Path>,
    linked: &Path,
    command: &[String],
    limit: Duration,
) -> Result<Option<ExitStatus>, Unavailable> {
    let mpi = Mpi::of_program(linked)?;
    let hosts = local_dir.map_or_else(TwoHosts::new, TwoHosts::with_local_dir)?;
    let id = LaunchId::new();
    let mut job = mpi.command(Layout::two_hosts(ranks_per_host), Some(&hosts));
    id.mark(job.args(command).stdin(Stdio::null()));
    let started = job.spawn();
    let mut launcher = started.map_err(|source| Unavailable::Program { program: mpi.to_string(), source })?;
    let begin = Instant::now();
    let mut ended = None;
    while ended.is_none() && begin.elapsed() < limit {
        thread::sleep(Duration::from_millis(20));
        ended = launcher.try_wait().expect("a child of ours");
    }
    end_all(&mut launcher, &id);
    Ok(ended)
}
