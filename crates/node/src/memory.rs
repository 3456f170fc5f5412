//! What the kernel tells of the memory of the node.

use crate::groups;
use std::fs;

/// Memory and swap space of the node, in bytes: more than that no program can have, but it may have less. `None` if the kernel does not tell.
pub fn memory_bytes() -> Option<u64> {
    let text = fs::read_to_string(MEMINFO).ok()?;
    Some(line_bytes(&text, "MemTotal:")?.saturating_add(line_bytes(&text, "SwapTotal:").unwrap_or(0)))
}

/// Memory that is left for programs without swapping, in bytes: what the node has, or the control groups of this process
/// if that is less. Pages of files that are cached and not in use count as left. `None` if the kernel does not tell.
pub fn available_bytes() -> Option<u64> {
    let of_node = fs::read_to_string(MEMINFO).ok().and_then(|text| line_bytes(&text, "MemAvailable:"));
    of_node.into_iter().chain(groups::available_bytes()).min()
}

/// Whether private memory of a program that asks for huge pages is in huge pages, as long as there are any.
pub fn gives_huge_pages() -> bool {
    fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").is_ok_and(|choices| is_given(&choices))
}

/// Of several choices the one in brackets holds.
fn is_given(choices: &str) -> bool {
    ["[always]", "[madvise]"].iter().any(|choice| choices.contains(choice))
}

const MEMINFO: &str = "/proc/meminfo";

/// What a line of that file says, which is in KiB.
fn line_bytes(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_told_in_kibibytes() {
        let text = "MemTotal: 9 kB\nMemAvailable:    1024 kB\nHugePages_Total:       3\n";
        let of = |name| line_bytes(text, name);
        assert_eq!([of("MemTotal:"), of("MemAvailable:")], [Some(9 << 10), Some(1 << 20)]);
        assert_eq!([of("SwapTotal:"), of("HugePages_Total:")], [None; 2]);
    }

    #[test]
    fn huge_pages_are_given_to_all_or_to_who_asks_or_to_nobody() {
        assert!(is_given("[always] madvise never\n") && is_given("always [madvise] never\n"));
        assert!(!is_given("always madvise [never]\n") && !is_given(""));
    }

    #[test]
    fn this_node_has_memory_and_some_of_it_is_left() {
        let (all, left) = (memory_bytes().unwrap(), available_bytes().unwrap());
        assert!(0 < left && left < all, "{left} of {all}");
    }
}
