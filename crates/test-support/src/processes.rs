//! The processes of a launch: found by a mark in their environment, whatever became of their parents.
//!
//! MPI's launchers put ranks into process groups of their own, and ranks on other hosts descend from an agent, so neither
//! the group nor the parent tells which launch a process belongs to. The environment is inherited by all of them.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpid, kill_process};

use crate::environment::LAUNCH;

/// A launch, named by the process that made it: its process number, when that process began, and which of its launches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LaunchId {
    launcher: i32,
    /// In clock ticks since boot; tells a process from a later one of the same number.
    began: u64,
    number: u32,
}

impl LaunchId {
    /// A new launch of this process.
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let launcher = getpid().as_raw_pid();
        let began = beginning_of(launcher).expect("this process is in /proc");
        Self { launcher, began, number: COUNT.fetch_add(1, Ordering::Relaxed) }
    }

    /// The launch that this process belongs to, if any.
    pub(crate) fn ours() -> Option<Self> {
        Self::from_text(&std::env::var(LAUNCH).ok()?)
    }

    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let id = Self {
            launcher: parts.next()?.parse().ok()?,
            began: parts.next()?.parse().ok()?,
            number: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(id)
    }

    pub(crate) fn text(&self) -> String {
        format!("{}.{}.{}", self.launcher, self.began, self.number)
    }

    pub(crate) fn mark(&self, command: &mut Command) {
        command.env(LAUNCH, self.text());
    }

    /// Whether the process that made this launch still exists. A process that cannot look, because a test has used up its
    /// descriptors, takes it to be there.
    pub(crate) fn launcher_lives(&self) -> bool {
        match fs::read_to_string(stat_of(self.launcher)) {
            Ok(stat) => beginning_in(&stat) == Some(self.began),
            Err(error) => error.raw_os_error() == Some(Errno::MFILE.raw_os_error()),
        }
    }

    /// All living processes of the launch.
    pub(crate) fn processes(&self) -> Vec<Pid> {
        let mark = format!("{LAUNCH}={}", self.text());
        let has_mark =
            |pid: &Pid| environment_of(*pid).split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes());
        all_processes().into_iter().filter(has_mark).collect()
    }

    /// Waits until no process of the launch is left; gives the number of those that are after `patience`.
    pub(crate) fn wait_until_gone(&self, patience: Duration) -> usize {
        let since = Instant::now();
        loop {
            let left_count = self.processes().len();
            if left_count == 0 || since.elapsed() >= patience {
                return left_count;
            }
            sleep(Duration::from_millis(20));
        }
    }

    /// Kills every process of the launch, and those that they start meanwhile.
    pub(crate) fn end_all(&self) {
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(10) {
            let processes = self.processes();
            if processes.is_empty() {
                return;
            }
            for pid in processes {
                // An error means that it has just ended.
                let _ = kill_process(pid, Signal::KILL);
            }
            sleep(Duration::from_millis(20));
        }
    }
}

fn all_processes() -> Vec<Pid> {
    let number = |entry: std::io::Result<fs::DirEntry>| {
        let name = entry.ok()?.file_name();
        Pid::from_raw(std::str::from_utf8(name.as_bytes()).ok()?.parse().ok()?)
    };
    fs::read_dir("/proc").map(|entries| entries.filter_map(number).collect()).unwrap_or_default()
}

/// The environment of a process; empty for one that has ended, a zombie too.
///
/// While a process executes another program, the kernel shows an empty environment for a moment, although the process will
/// have one; it is asked again, then, as long as the process has memory, which those that have ended do not.
fn environment_of(pid: Pid) -> Vec<u8> {
    const TRIES: usize = 50;
    let has_memory = || {
        let stat = fs::read_to_string(stat_of(pid.as_raw_pid())).unwrap_or_default();
        // Field 23 is the size of the address space.
        field_after_name(&stat, 20).is_some_and(|bytes| bytes > 0)
    };
    for _ in 0..TRIES {
        let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_pid())).unwrap_or_default();
        if !environment.is_empty() || !has_memory() {
            return environment;
        }
        sleep(Duration::from_millis(1));
    }
    Vec::new() // a process that was started without any environment
}

/// When a process began, in clock ticks since boot; `None` if there is none of this number.
fn beginning_of(pid: i32) -> Option<u64> {
    beginning_in(&fs::read_to_string(stat_of(pid)).ok()?)
}

fn stat_of(pid: i32) -> String {
    format!("/proc/{pid}/stat")
}

fn beginning_in(stat: &str) -> Option<u64> {
    field_after_name(stat, 19) // field 22
}

/// A number behind the name of the program, which is the second field, in parentheses, and may contain anything; field 3 is
/// 0 here.
fn field_after_name(stat: &str, index: usize) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(index)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use super::{LaunchId, beginning_in};

    #[test]
    fn the_beginning_of_a_process_is_field_22_whatever_its_name() {
        let stat = "42 (a) b (c) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 9999 20 21";
        assert_eq!(beginning_in(stat), Some(9999));
        assert_eq!(beginning_in("42 (a) R 1 2"), None);
    }

    #[test]
    fn an_id_survives_being_written_and_nothing_else_is_one() {
        let id = LaunchId::new();
        assert_eq!(LaunchId::from_text(&id.text()), Some(id));
        for text in ["", "1", "1.2", "1.2.3.4", "1.2.x"] {
            assert_eq!(LaunchId::from_text(text), None, "{text}");
        }
    }

    #[test]
    fn the_launcher_lives_as_long_as_the_very_process_and_not_its_number() {
        let id = LaunchId::new();
        assert!(id.launcher_lives());
        assert!(!LaunchId { began: id.began + 1, ..id }.launcher_lives());
    }

    #[test]
    fn all_processes_of_a_launch_are_ended_and_no_others() {
        let (ours, other) = (LaunchId::new(), LaunchId::new());
        let sleeper = |id: &LaunchId| {
            // A shell in the background of a shell: its parent is gone at once.
            let mut command = Command::new("sh");
            command.args(["-c", "sleep 60 & sleep 60 & exit 0"]).stdout(Stdio::null()).stderr(Stdio::null());
            id.mark(&mut command);
            assert!(command.status().expect("a shell").success());
        };
        sleeper(&ours);
        sleeper(&other);
        assert_eq!(ours.processes().len(), 2);
        ours.end_all();
        assert_eq!(ours.wait_until_gone(Duration::ZERO), 0);
        assert_eq!(other.processes().len(), 2);
        other.end_all();
        assert_eq!(other.processes().len(), 0);
    }
}
