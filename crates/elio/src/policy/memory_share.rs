//! How much of the page cache this process may fill.

use crate::policy::cores::ranks_on_node;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Free memory changes; asking costs two small files, so the answer is kept for a while.
const ANSWER_LIFE: Duration = Duration::from_secs(1);

/// The bytes of page cache this process may count on: half of what the node (or the control group) has free, divided
/// by the ranks on the node. Half, because the application's own arrays come out of the same memory.
pub(crate) fn share_bytes() -> u64 {
    static SHARE: AtomicU64 = AtomicU64::new(0);
    static ASKED: Mutex<Option<Instant>> = Mutex::new(None);
    let mut asked = ASKED.lock().expect("asking for memory does not panic");
    if asked.is_none_or(|at| at.elapsed() > ANSWER_LIFE) {
        *asked = Some(Instant::now());
        SHARE.store(available_bytes() / 2 / ranks_on_node(), Ordering::Relaxed);
    }
    SHARE.load(Ordering::Relaxed)
}

/// What the node or the control group has free, whichever is less.
fn available_bytes() -> u64 {
    let node = fs::read_to_string("/proc/meminfo").ok().and_then(|text| mem_available(&text));
    let node = node.unwrap_or(u64::MAX);
    group_available_bytes().map_or(node, |group| group.min(node))
}

fn mem_available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

/// What the control group (version 2) of this process has left; page cache that can be dropped counts as free.
fn group_available_bytes() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let directory = format!("/sys/fs/cgroup{}", group.trim_end_matches('/'));
    let number =
        |name: &str| fs::read_to_string(format!("{directory}/{name}")).ok()?.trim().parse::<u64>().ok();
    let (limit, used) = (number("memory.max")?, number("memory.current")?);
    let stat = fs::read_to_string(format!("{directory}/memory.stat")).unwrap_or_default();
    Some(limit.saturating_sub(used.saturating_sub(inactive_file(&stat))))
}

fn inactive_file(memory_stat: &str) -> u64 {
    memory_stat
        .lines()
        .find_map(|line| line.strip_prefix("inactive_file "))
        .and_then(|value| value.trim().parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_in_kibibytes() {
        assert_eq!(mem_available("MemTotal: 9 kB\nMemAvailable:    1024 kB\n"), Some(1 << 20));
        assert_eq!(mem_available("MemTotal: 9 kB\n"), None);
    }

    #[test]
    fn the_share_of_this_process_is_some_memory() {
        assert!(share_bytes() > 0);
    }
}
