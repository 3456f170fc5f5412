//! Two hosts on one machine: namespaces of their own, joined by a virtual cable.
//!
//! Each host is a process that does nothing and holds namespaces for network, host name, shared memory and mounts. It waits
//! for the end of its input, which comes when [`TwoHosts`] is dropped or this process is gone in whatever way; then the
//! kernel takes the namespaces and the cable away. They have no names, so runs at the same time do not meet, and none
//! leaves anything behind.
//!
//! Needs root, or the right to make user namespaces, and the programs `ip`, `unshare`, `nsenter`, `mount` and `hostname`.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, fs};

use rustix::process::geteuid;
use tempfile::TempDir;

use crate::link::{INTERFACE, LinkBytes};
use crate::processes::LaunchId;
use crate::scratch::scratch_directory;
use crate::unavailable::Unavailable;

/// The addresses of the hosts. Only these two hosts can see them, so every pair has the same.
pub(crate) const ADDRESSES: [&str; 2] = ["10.77.0.1", "10.77.0.2"];
/// The network that they are in.
pub(crate) const NETWORK: &str = "10.77.0.0/24";

const NAMES: [&str; 2] = ["test-host-a", "test-host-b"];
const NAMESPACES: [&str; 4] = ["--net", "--uts", "--ipc", "--mount"];

const JOINING: &str = "joining test hosts by a cable";

/// Makes a host of the namespaces it is started in: arguments are the name and, with a local directory, what is mounted
/// where. `/sys` shows the interfaces of the namespace it was mounted in.
const HOST: &str = r#"
set -e
hostname "$1"
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t sysfs sysfs /sys
ip link set lo up
[ $# -lt 3 ] || mount --bind "$2" "$3"
echo ready
read -r end_of_input || true
"#;

/// Two test hosts, for as long as the value lives.
///
/// ```no_run
/// let hosts = test_support::TwoHosts::new()?;
/// let output = hosts.command(1, "hostname").output().expect("it runs");
/// assert_eq!(output.stdout, b"test-host-b\n");
/// # Ok::<(), test_support::Unavailable>(())
/// ```
#[derive(Debug)]
pub struct TwoHosts {
    hosts: [Host; 2],
    /// Holds the agent, and what the hosts have in their local directories.
    directory: TempDir,
}

/// The process that holds the namespaces of one host.
#[derive(Debug)]
struct Host {
    process: Child,
    /// Its input: closing it ends the host.
    input: Option<ChildStdin>,
}

impl TwoHosts {
    /// Makes two hosts that see the same files, except for `/dev/shm`.
    ///
    /// # Errors
    /// [`Unavailable`] if this machine cannot have test hosts: a program or a right is missing.
    ///
    /// # Panics
    /// If there is no room for temporary files.
    pub fn new() -> Result<Self, Unavailable> {
        Self::make(None)
    }

    /// Makes two hosts on which `path`, a directory that exists, is a directory of their own, empty at first and gone with
    /// the hosts.
    ///
    /// # Errors
    /// As for [`Self::new`].
    ///
    /// # Panics
    /// As for [`Self::new`].
    pub fn with_local_dir(path: &Path) -> Result<Self, Unavailable> {
        Self::make(Some(path))
    }

    /// A command that runs `program` on host 0 or 1, in this process's current directory.
    ///
    /// # Panics
    /// If there is no such host.
    pub fn command(&self, host: usize, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.hosts[host].enter(!geteuid().is_root());
        // Entering the mounts of a host leaves the current directory.
        command.args(["sh", "-c", r#"cd "$0" && exec "$@""#]);
        command.arg(env::current_dir().expect("a current directory")).arg(program);
        command
    }

    /// What host 0 or 1 has sent to and received from the other so far.
    ///
    /// # Errors
    /// If the host cannot be asked.
    ///
    /// # Panics
    /// If there is no such host.
    pub fn link_bytes(&self, host: usize) -> io::Result<LinkBytes> {
        let output = self.command(host, "cat").arg("/proc/self/net/dev").output()?;
        let table = String::from_utf8_lossy(&output.stdout);
        LinkBytes::in_table(&table).ok_or_else(|| io::Error::other(format!("no {INTERFACE} in {table:?}")))
    }

    /// A program that is called like `ssh` and runs commands on the hosts; for processes on host 0.
    pub(crate) fn agent(&self) -> PathBuf {
        self.directory.path().join("agent")
    }

    fn make(local_dir: Option<&Path>) -> Result<Self, Unavailable> {
        let directory = scratch_directory(&LaunchId::new());
        let first = Host::make(0, None, &directory, local_dir)?;
        let second = Host::make(1, Some(&first), &directory, local_dir)?;
        let hosts = Self { hosts: [first, second], directory };
        hosts.connect()?;
        hosts.write_agent().expect("room for a script");
        Ok(hosts)
    }

    fn connect(&self) -> Result<(), Unavailable> {
        let other = self.hosts[1].process.id().to_string();
        self.ip(0, &["link", "add", INTERFACE, "type", "veth", "peer", "name", INTERFACE, "netns", &other])?;
        for (host, address) in ADDRESSES.iter().enumerate() {
            self.ip(host, &["address", "add", &format!("{address}/24"), "dev", INTERFACE])?;
            self.ip(host, &["link", "set", INTERFACE, "up"])?;
        }
        (0..ADDRESSES.len()).try_for_each(|host| self.wait_for_link(host))
    }

    /// An interface that is up may take a second until it says that it runs, and until then UCX does not use it.
    fn wait_for_link(&self, host: usize) -> Result<(), Unavailable> {
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(20) {
            let state = self.said(host, "cat", &[&format!("/sys/class/net/{INTERFACE}/operstate")])?;
            if state == "up" {
                return Ok(());
            }
            sleep(Duration::from_millis(20));
        }
        Err(Unavailable::Refused { step: JOINING, said: format!("{INTERFACE} of host {host} does not run") })
    }

    fn ip(&self, host: usize, arguments: &[&str]) -> Result<(), Unavailable> {
        self.said(host, "ip", arguments).map(drop)
    }

    /// What a program prints on a host, if it succeeds.
    fn said(&self, host: usize, program: &str, arguments: &[&str]) -> Result<String, Unavailable> {
        let output = self.command(host, program).args(arguments).output();
        let output = output.map_err(|source| Unavailable::Program { program: "nsenter".into(), source })?;
        if output.status.success() {
            return Ok(text(&output.stdout));
        }
        Err(Unavailable::Refused { step: JOINING, said: text(&output.stderr) })
    }

    /// Called as `agent [OPTIONS] ADDRESS COMMAND...`. On host 0, so that it already is in the user namespace if there is one.
    fn write_agent(&self) -> io::Result<()> {
        let [first, second] = self.hosts.each_ref().map(|host| host.process.id());
        let script = format!(
            r#"#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
case $1 in
    {}) host={first} ;;
    {}) host={second} ;;
    *) echo "there is no test host $1" >&2; exit 255 ;;
esac
shift
exec nsenter --target "$host" {} -- sh -c "cd '$PWD' && $*"
"#,
            ADDRESSES[0],
            ADDRESSES[1],
            NAMESPACES.join(" ")
        );
        fs::write(self.agent(), script)?;
        fs::set_permissions(self.agent(), fs::Permissions::from_mode(0o755))
    }
}

impl Host {
    /// Starts the host of this number; the second one goes into the user namespace of the first, if there is one.
    fn make(
        number: usize,
        first: Option<&Self>,
        directory: &TempDir,
        local_dir: Option<&Path>,
    ) -> Result<Self, Unavailable> {
        let mut command = unshare(first);
        command.args(["sh", "-c", HOST, "sh", NAMES[number]]);
        if let Some(local_dir) = local_dir {
            let own = directory.path().join(NAMES[number]);
            fs::create_dir(&own).expect("room for a directory");
            command.args([&own, local_dir]);
        }
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut process =
            started.map_err(|source| Unavailable::Program { program: "unshare".into(), source })?;
        let mut host = Self { input: process.stdin.take(), process };
        host.wait_until_ready()?;
        Ok(host)
    }

    fn wait_until_ready(&mut self) -> Result<(), Unavailable> {
        let output = self.process.stdout.take().expect("it is a pipe");
        let mut line = String::new();
        let _ = BufReader::new(output).read_line(&mut line);
        if line == "ready\n" {
            return Ok(());
        }
        let mut said = Vec::new();
        let _ = self.process.stderr.take().expect("it is a pipe").read_to_end(&mut said);
        Err(Unavailable::Refused { step: "making a test host", said: text(&said) })
    }

    /// `nsenter` into all namespaces of this host, up to the program.
    fn enter(&self, with_user: bool) -> Command {
        let mut command = self.nsenter();
        if with_user {
            command.args(["--user", "--preserve-credentials"]);
        }
        command.args(NAMESPACES).arg("--");
        command
    }

    fn nsenter(&self) -> Command {
        let mut command = Command::new("nsenter");
        command.arg("--target").arg(self.process.id().to_string());
        command
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.process.wait();
    }
}

/// `unshare` of all namespaces of a host, up to the program. Who is not root needs a user namespace, one for both hosts.
fn unshare(first: Option<&Host>) -> Command {
    let in_user_namespace = !geteuid().is_root();
    let mut command = match first {
        Some(first) if in_user_namespace => {
            let mut command = first.nsenter();
            command.args(["--user", "--preserve-credentials", "--", "unshare"]);
            command
        }
        _ => Command::new("unshare"),
    };
    if in_user_namespace && first.is_none() {
        command.args(["--user", "--map-root-user"]);
    }
    command.args(NAMESPACES).arg("--");
    command
}

fn text(said: &[u8]) -> String {
    String::from_utf8_lossy(said).trim().replace('\n', "; ")
}
