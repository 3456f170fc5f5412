//! `chemio mv`: another name for an array, also on another file system.

use super::{copy, remove};
use crate::error::{Error, Result, refused};
use crate::options;
use crate::progress::Progress;
use command::place::destination;
use disk_array::{ArrayDirectory, between, named};
use rustix::fs::{Access, CWD, RenameFlags};
use rustix::io::Errno;
use std::path::Path;

pub(crate) fn run(options: &options::Mv) -> Result<()> {
    let source = ArrayDirectory::open(&options.names.source)?;
    // Without a slash or a dot at the end, with which the system renames nothing.
    let from = &named(&options.names.source);
    let target = named(&destination(from, &options.names.target)?);
    if let Some(between) = between::left_beside(from).into_iter().next() {
        return Err(Error::Between { path: from.clone(), between });
    }
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

/// To another file system: the copy is durable before the source is deleted, which is done only if that is still what was copied.
fn move_over(source: ArrayDirectory, target: &Path) -> Result<()> {
    let path = source.path().to_owned();
    remove::expect_no_link(&path)?;
    expect_deletable(&path)?;
    let copying = copy::copy(source, target)?;
    let progress = Progress::waiting("completing");
    let moved = copying.commit_and_delete_source()?;
    drop(progress);
    let copy = target.to_owned();
    remove::tell(&moved.deleted.map_err(|source| match source {
        disk_array::Error::Changed { .. } | disk_array::Error::NotPutBack { .. } => {
            Error::Outdated { copy, source }
        }
        source => Error::NotDeleted { copy, source },
    })?)
}

/// What could not be deleted afterwards is not copied.
fn expect_deletable(path: &Path) -> Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    [path, parent].into_iter().try_for_each(|directory| {
        let writable = rustix::fs::access(directory, Access::WRITE_OK | Access::EXEC_OK);
        writable.map_err(|error| refused("delete from", directory)(error.into()))
    })
}
