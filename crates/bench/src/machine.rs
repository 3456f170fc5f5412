//! What a reader has to know about the machine to read the figures: no host names, no paths.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::available_parallelism;

use serde::Serialize;

use crate::disk::mount::Mount;
use crate::disk::page_reporting;

/// The machine of a run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    /// The day, in UTC.
    pub(crate) date: String,
    /// Processors this process may use.
    pub(crate) cpus: usize,
    /// What they call themselves.
    pub(crate) processor: String,
    /// Main memory in GiB.
    pub(crate) memory_gib: u64,
    /// The release of the kernel.
    pub(crate) kernel: String,
    /// The type of the file system the files are on.
    pub(crate) file_system: String,
    /// The block device below it.
    pub(crate) device: String,
    /// Whether free memory goes back to a host, which may stop the disk.
    pub(crate) gives_memory_back: bool,
}

impl Machine {
    /// Looks at this machine and the file system of `directory`.
    pub(crate) fn look(directory: &Path) -> Self {
        let (file_system, device) =
            Mount::of(directory).map(|mount| (mount.file_system, mount.device)).unwrap_or_default();
        Self {
            date: date(),
            cpus: available_parallelism().map_or(1, usize::from),
            processor: processor().unwrap_or_default(),
            memory_gib: memory_gib().unwrap_or(0),
            kernel: read("/proc/sys/kernel/osrelease"),
            file_system,
            device,
            gives_memory_back: page_reporting::is_there(),
        }
    }

    /// For the head of a report on files.
    pub(crate) fn describe_disk(&self) -> String {
        let Self { cpus, memory_gib, kernel, file_system, device, .. } = self;
        let memory = if self.gives_memory_back { " (free memory goes back to a host)" } else { "" };
        format!("{cpus} CPUs, {memory_gib} GiB{memory}, Linux {kernel}, {file_system} on {device}")
    }

    /// For the head of a report on memory and processors.
    pub(crate) fn describe_processor(&self) -> String {
        let Self { cpus, processor, memory_gib, kernel, .. } = self;
        format!("{cpus} CPUs ({processor}), {memory_gib} GiB, Linux {kernel}")
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

fn date() -> String {
    let output = Command::new("date").args(["-u", "+%Y-%m-%d"]).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

fn processor() -> Option<String> {
    let processors = read("/proc/cpuinfo");
    let line = processors.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn memory_gib() -> Option<u64> {
    let memory = read("/proc/meminfo");
    let line = memory.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some((kib + (1 << 19)) >> 20)
}
