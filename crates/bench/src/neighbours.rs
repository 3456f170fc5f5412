//! Other work on this machine. What processes that are none of ours spend on processors while something is measured shows in the
//! measurement; the kernel's own threads do not count, because they move our data.

use std::collections::HashMap;
use std::fs;
use std::time::Instant;

/// The kernel's unit of processor time in /proc, on every Linux there is.
const TICKS_PER_SECOND: f64 = 100.0;
/// Measurements during which others used more than this part of a processor are disturbed.
const DISTURBED_PART: f64 = 0.1;
/// A flag of the kernel's own threads.
const KERNEL_THREAD: u64 = 0x0020_0000;

/// A process as /proc shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    parent: u32,
    flags: u64,
    /// Processor time, with that of the children it has waited for.
    ticks: u64,
}

/// Does something; whether others disturbed it.
pub(crate) fn watch<T>(measure: impl FnOnce() -> T) -> (T, bool) {
    let (begin, before) = (Instant::now(), foreign_seconds());
    let measured = measure();
    let (spent, lasted) = (foreign_seconds() - before, begin.elapsed().as_secs_f64());
    (measured, spent > DISTURBED_PART * lasted)
}

/// Processor time of all processes that do not descend from this one.
#[expect(clippy::cast_precision_loss, reason = "ticks of a machine's life are far below 2^53")]
fn foreign_seconds() -> f64 {
    foreign_ticks(&processes(), std::process::id()) as f64 / TICKS_PER_SECOND
}

fn foreign_ticks(processes: &HashMap<u32, Process>, own: u32) -> u64 {
    let is_foreign = |&(&pid, process): &(&u32, &Process)| {
        process.flags & KERNEL_THREAD == 0 && !descends(processes, pid, own)
    };
    processes.iter().filter(is_foreign).map(|(_, process)| process.ticks).sum()
}

/// Whether `ancestor` is `pid` or one of those it comes from.
fn descends(processes: &HashMap<u32, Process>, mut pid: u32, ancestor: u32) -> bool {
    // A generation for each process at most: parents are read at different moments.
    for _ in 0..processes.len() {
        match processes.get(&pid) {
            _ if pid == ancestor => return true,
            Some(process) => pid = process.parent,
            None => return false,
        }
    }
    false
}

fn processes() -> HashMap<u32, Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| Some((pid, parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?)))
        .collect()
}

/// A line such as `42 (name of it) S 1 ...`: the name may hold blanks and parentheses.
fn parse(line: &str) -> Option<Process> {
    let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let times = [11, 12, 13, 14].map(number);
    let ticks = times.into_iter().flatten().sum();
    Some(Process { parent: u32::try_from(number(1)?).ok()?, flags: number(6)?, ticks })
}

#[cfg(test)]
mod tests {
    use super::{KERNEL_THREAD, Process, foreign_ticks, parse, watch};

    #[test]
    fn a_name_with_blanks_and_parentheses_is_skipped() {
        let line = "42 (a) b (c)) S 7 42 42 0 -1 4194304 100 0 0 0 5 6 1 2 20 0 1 0 300 0 0";
        assert_eq!(parse(line), Some(Process { parent: 7, flags: 4_194_304, ticks: 14 }));
        assert_eq!(parse("42 (a"), None);
    }

    #[test]
    fn neither_descendants_nor_threads_of_the_kernel_are_neighbours() {
        let process = |parent, flags, ticks| Process { parent, flags, ticks };
        let processes = [
            (1, process(0, 0, 1)),
            (10, process(1, 0, 20)),    // this one
            (11, process(10, 0, 300)),  // a launcher
            (12, process(11, 0, 4000)), // a rank
            (13, process(1, 0, 50_000)),
            (2, process(0, KERNEL_THREAD, 600_000)),
        ];
        assert_eq!(foreign_ticks(&processes.into(), 10), 50_001);
    }

    #[test]
    fn what_is_watched_gives_its_result() {
        assert_eq!(watch(|| 7).0, 7);
    }
}
