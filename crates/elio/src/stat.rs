//! What a file system offers: space and type.

use crate::error::{Error, Operation, Result};
use crate::sys::calls;
use std::path::Path;

/// Space and type of the file system that holds a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Bytes this user can still write.
    pub available_bytes: u64,
    /// Bytes in all.
    pub total_bytes: u64,
    /// What kind of file system it is.
    pub file_system: FileSystem,
}

/// The kinds of file system that make a difference to how files are read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileSystem {
    /// A file system on a local block device (ext4, xfs, btrfs, ...).
    Local,
    /// A file system in memory (tmpfs, ramfs): never read or written directly.
    Memory,
    /// Lustre, a parallel file system.
    Lustre,
    /// GPFS / Spectrum Scale, a parallel file system.
    Gpfs,
    /// NFS.
    Nfs,
    /// A file system in user space.
    Fuse,
    /// Something else.
    #[default]
    Other,
}

impl FileSystem {
    fn from_magic(magic: u64) -> Self {
        match magic {
            0xEF53 | 0x5846_5342 | 0x9123_683E | 0xF2F5_2010 | 0x2FC1_2FC1 | 0x794C_7630 => Self::Local,
            0x0102_1994 | 0x8584_58F6 => Self::Memory,
            0x0BD0_0BD0 => Self::Lustre,
            0x4750_4653 => Self::Gpfs,
            0x6969 => Self::Nfs,
            0x6573_5546 => Self::Fuse,
            _ => Self::Other,
        }
    }
}

/// Asks about the file system that holds `directory`.
///
/// # Errors
/// [`Error::File`] with [`Operation::Stat`] if the directory does not exist or cannot be asked.
pub fn stat(directory: &Path) -> Result<Stat> {
    let space = calls::file_system_space(directory).map_err(|source| Error::File {
        operation: Operation::Stat,
        path: directory.to_owned(),
        source,
    })?;
    Ok(Stat {
        available_bytes: space.available_bytes,
        total_bytes: space.total_bytes,
        file_system: FileSystem::from_magic(space.magic),
    })
}

/// The kind of file system of an open file; [`FileSystem::Other`] if it cannot be asked.
pub(crate) fn stat_open(fd: std::os::fd::BorrowedFd<'_>) -> FileSystem {
    calls::file_system_space_open(fd).map_or(FileSystem::Other, |space| FileSystem::from_magic(space.magic))
}
