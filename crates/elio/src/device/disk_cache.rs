//! The cache of a disk, which forgets without power what the disk has taken and not yet kept.

use crate::sys::calls;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// As `statfs` calls ext2, ext3 and ext4.
const EXT: u64 = 0xEF53;

/// Waits until the disk below an open file has kept what it has taken. Nothing is written for it; the file itself may have more.
///
/// A sync of the file would do that too, but first makes the file system write down what it has noted of the file, and for as long
/// as that takes all who write the file wait: two ranks that fill a file lose a sixth of their speed to a sync of its first megabytes.
/// There is no call for the disk alone that everybody may make. But where a directory has not changed for a while, ext4 has nothing
/// to write down for it, so that to sync it is this and nothing more; and the topmost directory of a file system seldom changes.
///
/// # Errors
/// The system's; `Unsupported` on other file systems.
pub(super) fn keep(file: &File) -> io::Result<()> {
    if calls::file_system_space_open(file.as_fd())?.magic != EXT {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let name = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    File::open(topmost_directory(&name, file.metadata()?.dev())?)?.sync_data()
}

/// The highest directory above `name` that is on the same device.
fn topmost_directory(name: &Path, device: u64) -> io::Result<PathBuf> {
    let is_there =
        |directory: &&Path| fs::metadata(directory).is_ok_and(|directory| directory.dev() == device);
    let topmost = name.ancestors().skip(1).take_while(is_there).last();
    topmost.map(Path::to_path_buf).ok_or_else(|| io::ErrorKind::NotFound.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topmost_directory_of_a_file_is_on_its_device_and_the_one_above_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let name = directory.path().join("file");
        let file = File::create(&name).unwrap();
        let device = file.metadata().unwrap().dev();
        let topmost = topmost_directory(&name, device).unwrap();
        assert!(name.starts_with(&topmost) && fs::metadata(&topmost).unwrap().dev() == device);
        assert!(topmost.parent().is_none_or(|above| fs::metadata(above).unwrap().dev() != device));
        assert!(topmost_directory(&name, device + 1).is_err(), "it would be another disk's");
    }

    #[test]
    fn the_disk_of_a_file_whose_name_is_gone_is_still_found() {
        let file = tempfile::tempfile().unwrap();
        let kept = keep(&file);
        if calls::file_system_space_open(file.as_fd()).unwrap().magic == EXT {
            kept.unwrap();
        } else {
            assert_eq!(kept.unwrap_err().kind(), io::ErrorKind::Unsupported);
        }
    }

    #[test]
    fn a_file_in_memory_has_no_disk() {
        let file = tempfile::tempfile_in("/dev/shm").unwrap();
        assert_eq!(keep(&file).unwrap_err().kind(), io::ErrorKind::Unsupported);
    }
}
