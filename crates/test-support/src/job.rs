//! Jobs of a test's own, for what a suite cannot do: ranks that are killed, and later runs that look at what is left.

use crate::layout::Layout;
use crate::mpi::Mpi;
use std::process::{Command, ExitStatus};
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
