//! Whether a file lies on a disk that a host makes for a virtual machine.
//!
//! Such a disk takes each piece of memory that is contiguous for itself: a request for small pages is as many pieces as there are pages, at
//! which the host is slow. One whole mebibyte after the other, 8 in flight, comes to 1.0 GB/s in pages of 4 KiB on the virtio disk that was
//! measured, and to 2.2 by way of buffers in huge pages, with the copy.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// As much of disks upon disks is looked at.
const LEVELS_MAX: usize = 8;

/// Whether reading to small pages is slower than to a buffer, with the copy: the device of a file system is such a disk, or lies on one,
/// and buffers are in huge pages.
pub(super) fn charges_pages(device_number: u64) -> bool {
    static KNOWN: Mutex<Vec<(u64, bool)>> = Mutex::new(Vec::new());
    // Waits for nobody: who has it locked may be a thread that this forked child does not have.
    let mut known = KNOWN.try_lock().ok();
    let found = known.iter().flat_map(|known| known.iter()).find(|&&(number, _)| number == device_number);
    if let Some(&(_, answer)) = found {
        return answer;
    }
    let answer = node::gives_huge_pages() && lies_on_virtual(&directory_of(device_number), LEVELS_MAX);
    tracing::debug!(device_number, answer, "whether the disk charges for small pages");
    if let Some(known) = &mut known {
        known.push((device_number, answer));
    }
    answer
}

/// Where the kernel tells of a block device.
fn directory_of(device_number: u64) -> PathBuf {
    let (major, minor) = (libc::major(device_number), libc::minor(device_number));
    Path::new("/sys/dev/block").join(format!("{major}:{minor}"))
}

/// Whether a block device, or one that it is made of, hangs on a bus of the host's.
fn lies_on_virtual(directory: &Path, levels_max: usize) -> bool {
    let Ok(directory) = directory.canonicalize() else { return false };
    let slaves = fs::read_dir(directory.join("slaves")).into_iter().flatten().flatten();
    directory.iter().any(is_bus_of_host)
        || (levels_max > 0 && slaves.into_iter().any(|slave| lies_on_virtual(&slave.path(), levels_max - 1)))
}

/// `virtio1` of KVM and its like, `vbd-768` of Xen.
fn is_bus_of_host(component: &OsStr) -> bool {
    let name = component.to_str().unwrap_or("");
    let numbered = |prefix: &str| {
        name.strip_prefix(prefix)
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    numbered("virtio") || numbered("vbd-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_hangs_on_a_bus_of_the_host_is_virtual() {
        for (name, is_bus) in [("virtio1", true), ("vbd-768", true), ("virtio", false), ("nvme0n1", false)] {
            assert_eq!(is_bus_of_host(OsStr::new(name)), is_bus, "{name}");
        }
    }

    #[test]
    fn a_disk_upon_a_virtual_one_is_virtual_and_one_upon_others_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let make = |path: &str| {
            let path = directory.path().join(path);
            fs::create_dir_all(&path).unwrap();
            path
        };
        let (virtual_disk, real_disk) = (make("pci/virtio1/block/vda"), make("pci/nvme0/nvme0n1"));
        for (name, below, is_virtual) in [("dm-0", &virtual_disk, true), ("dm-1", &real_disk, false)] {
            let upon = make(name);
            symlink(below, make(&format!("{name}/slaves")).join("below")).unwrap();
            assert_eq!(lies_on_virtual(&upon, LEVELS_MAX), is_virtual, "{name}");
        }
        assert!(lies_on_virtual(&virtual_disk, 0) && !lies_on_virtual(&real_disk, 0));
        assert!(!lies_on_virtual(&directory.path().join("none"), LEVELS_MAX));
    }

    #[test]
    fn disks_in_a_circle_end() {
        let directory = tempfile::tempdir().unwrap();
        let slaves = directory.path().join("slaves");
        fs::create_dir(&slaves).unwrap();
        symlink(directory.path(), slaves.join("itself")).unwrap();
        assert!(!lies_on_virtual(directory.path(), LEVELS_MAX));
    }
}
