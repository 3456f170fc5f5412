//! Control groups, of both versions: how much memory they leave to this process.

use std::fs;
use std::path::Path;

/// What the control groups of this process have left; page cache that can be dropped counts as free.
pub(crate) fn available_bytes() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    available_in(&groups, Path::new("/sys/fs/cgroup"))
}

/// How a version of control groups tells of memory.
struct Version {
    limit: &'static str,
    used: &'static str,
    /// The line of `memory.stat` for cached pages of files that are not in use, those of groups below included.
    inactive: &'static str,
}

const FIRST: Version = Version {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    inactive: "total_inactive_file ",
};
const SECOND: Version = Version { limit: "memory.max", used: "memory.current", inactive: "inactive_file " };

/// The least that any group has left of those that `groups`, a text of `/proc/PID/cgroup`, names below `root`, and of the groups
/// above them: batch systems limit a job, and start processes in groups below it. None if none has a limit.
fn available_in(groups: &str, root: &Path) -> Option<u64> {
    let of_line = |line: &str| {
        let (controllers, group) = line.split_once(':')?.1.split_once(':')?;
        let (root, version) = if controllers.is_empty() {
            (root.to_owned(), &SECOND)
        } else {
            controllers.split(',').find(|&name| name == "memory")?;
            (root.join("memory"), &FIRST)
        };
        let group = root.join(group.trim_start_matches('/'));
        // In a container the group may have a name of the host's, and only what is above it is there.
        let directories = group.ancestors().take_while(|directory| directory.starts_with(&root));
        directories.filter_map(|directory| available_in_group(directory, version)).min()
    };
    groups.lines().filter_map(of_line).min()
}

fn available_in_group(directory: &Path, version: &Version) -> Option<u64> {
    let number = |name| fs::read_to_string(directory.join(name)).ok()?.trim().parse::<u64>().ok();
    let (limit, used) = (number(version.limit)?, number(version.used)?);
    let stat = fs::read_to_string(directory.join("memory.stat")).unwrap_or_default();
    let inactive = stat.lines().find_map(|line| line.strip_prefix(version.inactive)?.trim().parse().ok());
    Some(limit.saturating_sub(used.saturating_sub(inactive.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a group with these files below `root`.
    fn make_group(root: &Path, group: &str, files: &[(&str, &str)]) {
        let directory = root.join(group);
        fs::create_dir_all(&directory).unwrap();
        for (name, text) in files {
            fs::write(directory.join(name), text).unwrap();
        }
    }

    #[test]
    fn the_tightest_of_a_group_and_those_above_it_counts() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        let groups = "0::/job/step/task\n";
        assert_eq!(available_in(groups, root), None, "there are no files");
        make_group(root, "job/step/task", &[("memory.max", "max\n"), ("memory.current", "500\n")]);
        assert_eq!(available_in(groups, root), None, "no limit");
        let stat = "anon 1\ninactive_file 200\nactive_file 7\n";
        make_group(root, "job", &[("memory.max", "1000"), ("memory.current", "600"), ("memory.stat", stat)]);
        assert_eq!(available_in(groups, root), Some(600), "what is cached can be dropped");
        make_group(root, "job/step", &[("memory.max", "700\n"), ("memory.current", "550\n")]);
        assert_eq!(available_in(groups, root), Some(150));
        make_group(root, "job/step", &[("memory.current", "900\n")]);
        assert_eq!(available_in(groups, root), Some(0), "over the limit");
    }

    #[test]
    fn groups_of_the_first_version_are_known_by_their_controller() {
        let scratch = tempfile::tempdir().unwrap();
        let files = [
            ("memory.limit_in_bytes", "4096\n"),
            ("memory.usage_in_bytes", "3000\n"),
            ("memory.stat", "inactive_file 1\ntotal_inactive_file 1000\n"),
        ];
        make_group(scratch.path(), "memory/slurm/job_1", &files);
        make_group(scratch.path(), "cpuset/slurm/job_2", &files);
        let of = |groups| available_in(groups, scratch.path());
        assert_eq!(of("9:cpuset:/slurm/job_2\n4:memory:/slurm/job_1/step_0\n0::/elsewhere\n"), Some(2096));
        assert_eq!(of("4:hugetlb,memory:/slurm/job_1\n"), Some(2096));
        assert_eq!(of("9:cpuset:/slurm/job_2\n"), None);
        // A container sees its own group as the root, by the name that the host has for it.
        make_group(scratch.path(), "memory", &files);
        assert_eq!(of("4:memory:/docker/4711\n"), Some(2096));
        assert_eq!(of("no such line\n"), None);
    }
}
