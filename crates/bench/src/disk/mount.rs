//! Where a directory is mounted.

use std::fs;
use std::path::Path;

/// The innermost mount that holds a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// The type of the file system.
    pub(crate) file_system: String,
    /// The last part of the device's name.
    pub(crate) device: String,
    /// The file system tells the device which blocks are free, as soon as they are.
    pub(crate) discards: bool,
}

impl Mount {
    /// The mount of `directory`, as far as the kernel tells.
    pub(crate) fn of(directory: &Path) -> Option<Self> {
        let directory = directory.canonicalize().ok()?;
        Self::find(&fs::read_to_string("/proc/self/mountinfo").ok()?, &directory)
    }

    /// From lines such as `36 35 98:0 / /mnt rw,noatime master:1 - ext4 /dev/sda1 rw,discard`. Of two mounts at one place the later
    /// one hides the other.
    fn find(mounts: &str, directory: &Path) -> Option<Self> {
        let holding = mounts.lines().filter_map(|line| {
            let (place, what) = line.split_once(" - ")?;
            let point = Path::new(place.split(' ').nth(4)?);
            directory.starts_with(point).then_some((point.components().count(), what))
        });
        let (_, what) = holding.max_by_key(|&(depth, _)| depth)?;
        let mut words = what.split_whitespace();
        let file_system = words.next()?.to_owned();
        let device = words.next()?.rsplit('/').next()?.to_owned();
        let is_discard = |option: &str| option == "discard" || option.starts_with("discard=");
        let discards = words.next().is_some_and(|options| options.split(',').any(is_discard));
        Some(Self { file_system, device, discards })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Mount;

    const MOUNTS: &str = "1 0 254:0 / / rw,relatime - ext4 /dev/vda rw,discard,errors=remount-ro\n\
                          2 1 0:5 / /scratch rw shared:2 - xfs /dev/nvme0n1p1 rw\n\
                          3 1 0:6 / /fast rw - btrfs /dev/vdb rw,discard=async,ssd\n";

    #[test]
    fn the_innermost_mount_is_named_without_its_path() {
        let find = |directory| Mount::find(MOUNTS, Path::new(directory)).expect("it is mounted");
        let mount = |file_system: &str, device: &str, discards| Mount {
            file_system: file_system.into(),
            device: device.into(),
            discards,
        };
        assert_eq!(find("/scratch/me"), mount("xfs", "nvme0n1p1", false));
        assert_eq!(find("/home"), mount("ext4", "vda", true));
        assert_eq!(find("/fast"), mount("btrfs", "vdb", true));
        assert_eq!(Mount::find("", Path::new("/home")), None);
    }
}
