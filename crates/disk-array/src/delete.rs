//! Deleting an array, and nothing else.
//!
//! First the metadata go away: no array may ever seem whole that is not. They become what marks the directory as ours until all
//! is gone, so that deleting can be tried again whenever the program is killed.

use crate::directory::ArrayDirectory;
use crate::disk::{Disk, entries};
use crate::error::{Error, Result};
use crate::format::METADATA;
use crate::survey::{ChunkTree, NEW, OLD, PART, Survey, named};
use crate::turn::Turn;
use crate::version::{Snapshot, Version};
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
    /// - [`Error::EmptyName`], [`Error::Missing`]: no name; there is nothing.
    /// - [`Error::NotOurs`]: something else; it is not touched.
    /// - [`Error::BeingMade`]: somebody else is making an array there.
    /// - What the system says. Then the array is as it was, or there is none any more; deleting can be tried again. It needs
    ///   no room on the disk.
    pub fn delete(path: &Path) -> Result<Deleted> {
        delete_on(&Disk::default(), path)
    }
}

impl ArrayDirectory {
    /// Deletes this array, whoever made it: its metadata and its chunks, but for those behind links. What else is in its directory is left and
    /// named, and so are links.
    ///
    /// # Errors
    /// - [`Error::BeingMade`]: somebody else is making an array there.
    /// - What the system says. Then the array is as it was, or there is none any more, and [`delete`](Self::delete) removes what
    ///   is left under `c`.
    pub fn delete_whoever_made_it(self) -> Result<Deleted> {
        self.delete_whoever_made_it_on(&Disk::default())
    }

    pub(crate) fn delete_whoever_made_it_on(&self, disk: &Disk) -> Result<Deleted> {
        let _turn = Turn::take(self.path())?;
        self.delete_in_turn_on(disk, None)
    }

    /// The same, if the array is still as it was `seen`.
    ///
    /// # Errors
    /// The same; [`Error::Changed`]: it is not; then it stays.
    pub(crate) fn delete_as_seen_on(&self, disk: &Disk, seen: &AsSeen<'_>) -> Result<Deleted> {
        let _turn = Turn::take(self.path())?;
        self.delete_in_turn_on(disk, Some(seen))
    }

    /// The same, in a turn of the caller's.
    pub(crate) fn delete_in_turn_on(&self, disk: &Disk, seen: Option<&AsSeen<'_>>) -> Result<Deleted> {
        let path = self.path();
        let retire = || match seen {
            Some(seen) => self.retire_as_seen(disk, seen),
            None => retire_metadata(disk, path, &mut false),
        };
        if self.attributes().is_some() && matches!(Survey::of(path)?, Survey::Ours(_)) {
            return delete_in_turn(disk, path, retire);
        }
        let stored = self.stored()?;
        retire()?;
        let mut own =
            stored.shards.iter().filter(|number| stored.linked_shards.binary_search(number).is_err());
        own.try_for_each(|&number| disk.remove_file(&self.shard_path(number)))?;
        stored.directories.iter().try_for_each(|directory| disk.remove_directory(directory).map(drop))?;
        disk.remove_tree(&path.join(PART))?;
        disk.remove_tree(&path.join(OLD))?;
        disk.remove_directory(path)?;
        Ok(Deleted { left: [stored.foreign, stored.links].concat() })
    }

    /// Takes the metadata away if the array is as it was `seen`, and gives them back if it is not so any more when they are gone: what
    /// was written until then is kept, and who looks for them before he writes does not write any more.
    fn retire_as_seen(&self, disk: &Disk, seen: &AsSeen<'_>) -> Result<()> {
        let path = self.path();
        let changed = || Error::Changed { path: path.to_owned() };
        if Version::of_metadata_now(path) != seen.metadata || !seen.shards.is_still(self)? {
            return Err(changed());
        }
        let mut is_aside = false;
        let retired = retire_metadata(disk, path, &mut is_aside);
        let error = match (retired, seen.shards.is_still(self)) {
            (Ok(()), Ok(true)) if is_aside && seen.has_metadata_aside(path) => return Ok(()),
            (Ok(()), Ok(_)) | (Err(_), Ok(false)) => changed(),
            (Err(_), Ok(true)) if is_aside && !seen.has_metadata_aside(path) => changed(),
            (Err(error), _) | (Ok(()), Err(error)) => error,
        };
        // Not if somebody else has taken them away: he is deleting the array, or making another one.
        if is_aside {
            reinstate_metadata(disk, path)?;
        }
        Err(error)
    }
}

/// What an array was when it was looked at.
#[derive(Debug)]
pub(crate) struct AsSeen<'a> {
    /// Which file the metadata were.
    pub(crate) metadata: Option<Version>,
    pub(crate) shards: &'a Snapshot,
}

impl AsSeen<'_> {
    /// Whether those that were taken away are the metadata that were seen, and there are no new ones. A link leads elsewhere from there.
    fn has_metadata_aside(&self, path: &Path) -> bool {
        let aside = aside(path);
        let is_same = aside.is_symlink() || self.metadata.is_some_and(|seen| seen.is_of(&aside));
        is_same && path.join(METADATA).symlink_metadata().is_err()
    }
}

pub(crate) fn delete_on(disk: &Disk, path: &Path) -> Result<Deleted> {
    let path = &named(path);
    let _turn = Turn::take(path)?;
    delete_in_turn(disk, path, || retire_metadata(disk, path, &mut false))
}

/// The same, of what is `wanted` also when nobody else makes or removes an array there; nothing is left of what is not.
pub(crate) fn delete_wanted_on(disk: &Disk, path: &Path, wanted: impl FnOnce() -> bool) -> Result<Deleted> {
    let _turn = Turn::take(path)?;
    if wanted() {
        delete_in_turn(disk, path, || retire_metadata(disk, path, &mut false))
    } else {
        Ok(Deleted::default())
    }
}

fn delete_in_turn(disk: &Disk, path: &Path, retire: impl FnOnce() -> Result<()>) -> Result<Deleted> {
    let survey = Survey::of(path)?;
    let not_ours = |found| Err(Error::NotOurs { path: path.to_owned(), found });
    match survey {
        Survey::Ours(_) | Survey::HalfMade => {}
        Survey::Absent => return Err(Error::Missing { path: path.to_owned() }),
        Survey::Empty => return not_ours("an empty directory"),
        Survey::Other(found) => return not_ours(found),
    }
    let tree = ChunkTree::of(path, survey.dims())?;
    retire()?;
    tree.remove(disk)?;
    disk.remove_tree(&path.join(PART))?;
    disk.remove_tree(&path.join(NEW))?;
    disk.remove_tree(&path.join(OLD))?;
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

/// Takes the metadata to `.chemio-old`, in the directory of this name. Where the disk has no room for a directory they get the
/// name themselves: the place of one name in a directory is enough for the other. `is_aside`: whether it was this call that took them there.
fn retire_metadata(disk: &Disk, path: &Path, is_aside: &mut bool) -> Result<()> {
    let (metadata, old) = (path.join(METADATA), path.join(OLD));
    match disk.make_directory(&old) {
        Ok(_) => {
            disk.sync_directory(path)?;
            *is_aside = disk.rename_if_there(&metadata, &old.join(METADATA))?;
        }
        Err(error) if error.is_no_room() || old.is_file() => {
            *is_aside = disk.rename_if_there(&metadata, &old)?;
        }
        Err(error) => return Err(error),
    }
    disk.sync_directory(path)
}

/// Where [`retire_metadata`] has taken the metadata.
fn aside(path: &Path) -> PathBuf {
    let old = path.join(OLD);
    if old.is_file() { old } else { old.join(METADATA) }
}

/// Takes back what [`retire_metadata`] has done, but for metadata that somebody has put there since.
fn reinstate_metadata(disk: &Disk, path: &Path) -> Result<()> {
    let (metadata, old) = (path.join(METADATA), aside(path));
    if metadata.symlink_metadata().is_err() {
        disk.rename(&old, &metadata).map_err(|error| {
            let source = Box::new(error);
            Error::NotPutBack { path: path.to_owned(), old, source }
        })?;
    }
    // What else may be in it says nothing beside metadata.
    let is_there = disk.sync_directory(path).and_then(|()| disk.remove_directory(&path.join(OLD)));
    if let Err(error) = is_there {
        tracing::warn!(%error, "an array that was not deleted after all may be found without its metadata if the machine stops");
    }
    Ok(())
}
