//! `chemio mv`: another name for an array, also on another file system.

use super::copy;
use crate::error::{Error, Result, refused};
use crate::options;
use command::place::destination;
use disk_array::ArrayDirectory;
use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;
use std::path::Path;

pub(crate) fn run(options: &options::Mv) -> Result<()> {
    let from = &options.names.source;
    let source = ArrayDirectory::open(from)?;
    let target = destination(from, &options.names.target)?;
    match rustix::fs::renameat_with(CWD, from, CWD, &target, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        Err(Errno::XDEV) => move_over(source, &target),
        // A file system that has no such rename.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => rename(from, &target),
        Err(Errno::EXIST | Errno::NOTEMPTY) => Err(exists(&target)),
        Err(error) => Err(refused("rename", from)(error.into())),
    }
}

fn exists(target: &Path) -> Error {
    Error::Array(disk_array::Error::Exists { path: target.to_owned(), found: "something" })
}

fn rename(source: &Path, target: &Path) -> Result<()> {
    if target.symlink_metadata().is_ok() {
        return Err(exists(target));
    }
    std::fs::rename(source, target).map_err(refused("rename", source))
}

/// To another file system: the copy is durable before the source is deleted.
fn move_over(source: ArrayDirectory, target: &Path) -> Result<()> {
    let path = source.path().to_owned();
    copy::copy(source, target)?;
    super::remove::delete(ArrayDirectory::open(&path)?)
}
