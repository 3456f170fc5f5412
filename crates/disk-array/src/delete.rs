//! Deleting an array, and nothing else.

use crate::directory::ArrayDirectory;
use crate::disk::{Disk, entries};
use crate::error::{Error, Result};
use crate::format::METADATA;
use crate::survey::{ChunkTree, NEW, OLD, PART, Survey};
use std::path::{Path, PathBuf};

/// What became of a deleted array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deleted {
    /// What is not ours and was left, in the array's directory, which therefore was left too; or the path, if it is a link.
    pub left: Vec<PathBuf>,
}

impl ArrayDirectory {
    /// Deletes the array of ours at `path`, or what is left of one whose creation or deletion was interrupted. Files that
    /// are not an array's are left and named.
    ///
    /// # Errors
    /// - [`Error::Missing`]: there is nothing.
    /// - [`Error::NotOurs`]: something else; it is not touched.
    /// - What the system says. Then there is no array any more, and deleting can be tried again.
    pub fn delete(path: &Path) -> Result<Deleted> {
        delete_on(&Disk::default(), path)
    }
}

pub(crate) fn delete_on(disk: &Disk, path: &Path) -> Result<Deleted> {
    let survey = Survey::of(path)?;
    let not_ours = |found| Err(Error::NotOurs { path: path.to_owned(), found });
    match survey {
        Survey::Ours(_) | Survey::HalfMade => {}
        Survey::Absent => return Err(Error::Missing { path: path.to_owned() }),
        Survey::Empty => return not_ours("an empty directory"),
        Survey::Other(found) => return not_ours(found),
    }
    let tree = ChunkTree::of(path, survey.dims())?;
    // First the metadata: no array may ever seem whole that is not. The directory stays known as ours meanwhile.
    let old = path.join(OLD);
    disk.make_directory(&old)?;
    disk.sync_directory(path)?;
    disk.rename_if_there(&path.join(METADATA), &old.join(METADATA))?;
    disk.sync_directory(path)?;
    tree.remove(disk)?;
    disk.remove_tree(&path.join(PART))?;
    disk.remove_tree(&path.join(NEW))?;
    disk.remove_tree(&old)?;
    let mut left = tree.foreign;
    if disk.remove_directory(path)? {
        disk.sync_directory(path.parent().unwrap_or(path))?;
    } else {
        let beside = entries(path)?.into_iter().map(|(entry, _)| entry);
        left.extend(beside.filter(|entry| !tree.directories.contains(entry)));
        if left.is_empty() {
            // A link to the array's directory, which is empty now.
            left.push(path.to_owned());
        }
    }
    left.sort();
    left.dedup();
    Ok(Deleted { left })
}
