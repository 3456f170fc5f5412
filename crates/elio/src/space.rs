//! Space that is allocated ahead of writers: how much, and how it is given back where it turns out not to be needed: when a file system
//! is full, when a file is closed, and when a program ends with files that it has left open.

pub(crate) mod closed;
pub(crate) mod left_open;
pub(crate) mod reserved;

use crate::device::pread::open;
use crate::stat::{FileSystem, stat_open};
use crate::sys::calls;
use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// See [`File::give_back_space`](crate::File::give_back_space).
pub(crate) fn give_back_space(path: &Path) -> io::Result<bool> {
    /// What may lie beyond the end otherwise, as blocks for maps, and what is not worth it.
    const SURPLUS_BYTES_MIN: u64 = 1 << 20;
    let surplus_bytes = |found: &std::fs::Metadata| (found.blocks() * 512).saturating_sub(found.len());
    let found = std::fs::metadata(path)?;
    if !found.is_file() || found.len() == 0 || surplus_bytes(&found) <= SURPLUS_BYTES_MIN {
        return Ok(false);
    }
    // Who would wait is whoever has a lease on it.
    let file = open(OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK), path)?;
    if stat_open(file.as_fd()) == FileSystem::Local {
        calls::release_beyond_end(file.as_fd(), 0)?;
    }
    Ok(surplus_bytes(&file.metadata()?) < surplus_bytes(&found))
}
