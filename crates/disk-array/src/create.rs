//! Making an array, so that whenever the program is killed there is either no array, or the old one, or the new one.
//!
//! 1. Everything is made under `.chemio-new`: each shard with its length (a hole) and its index, then `zarr.json`; all
//!    of it is synced ([`Creation::complete`]). An old array is whole until then, and stays if any of this fails.
//! 2. The old array's `zarr.json` and shards go to `.chemio-old`. From here on there is no array.
//! 3. The new shards get their names, by one rename of the directory that holds them, and are synced.
//! 4. `zarr.json` gets its name: there is the new array ([`Creation::put_in_place`]).
//! 5. What is under `.chemio-old` is removed ([`Creation::finish`]). Until then the old array can be put back.
//!
//! Where several hosts have a part of the array each, none begins step 2 before all have done step 1, and none begins step 5 before all have
//! done step 4. So a part that has its place where a kill left others without it says that those are complete under `.chemio-new`, and
//! [`Creation::resume`] puts them in place too.
//!
//! The names of directories are synced between steps, so that the order also holds when the machine stops. Where nothing was
//! before, and nobody wrote elements into the shards yet, two points are enough, at each of which all that has to be is synced at once:
//! before step 3, and at the end. Should the machine stop so that only the later name is kept, `zarr.json` without shards is the new
//! array too: of zeros, and the next writer makes the shards. If [`Creation::shard_path`] was asked for, elements may have been written,
//! and the name of the shards is synced before `zarr.json` gets its own.

use crate::directory::ArrayDirectory;
use crate::disk::{Disk, Unsynced, entries};
use crate::error::{Error, Operation, Result, refused};
use crate::format::{ArrayLayout, ArraySpec, Attributes, METADATA, Metadata, Part, Replaces, UNFINISHED};
use crate::shard_file::lay_out_shard;
use crate::survey::{CHUNKS, ChunkTree, NEW, OLD, PART, Survey, expect_readable, named, read_metadata};
use crate::turn::Turn;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// An array that is being made. One process begins and commits; others may [join](Self::join) in between, and each makes
/// some of the shards. If it is dropped before [`commit`](Self::commit), what was made is removed.
#[derive(Debug)]
pub struct Creation {
    path: PathBuf,
    metadata: Metadata,
    layout: ArrayLayout,
    disk: Disk,
    stage: Stage,
    /// Whether the directory is to go too: there was none, or one with something half-made.
    owns_directory: bool,
    /// Whether nothing was there but perhaps an empty directory.
    is_first: bool,
    /// Whether somebody knows where a shard is, and may have written elements.
    may_have_elements: AtomicBool,
    /// Shards that this process has made.
    unsynced: Vec<Unsynced>,
    /// Nobody else makes an array there meanwhile; with the process that began.
    _turn: Option<Turn>,
}

/// What this process has to take back if it does not commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing: another process began, or the array is there.
    Joined,
    /// What was made.
    Making,
    /// That, and an old array may have been moved away.
    Naming,
    /// The new array is there, and the old one is beside it.
    Named,
}

/// So many files are open at most because they are not synced.
const UNSYNCED_MAX: usize = 64;

impl Creation {
    /// Begins to make the array `spec` at `path`, whose parent exists. Where an array of ours is, it will be replaced, if the spec does
    /// not say otherwise; an empty directory is used.
    ///
    /// # Errors
    /// - [`Error::EmptyName`]: no name.
    /// - [`Error::Exists`]: an array that must not be replaced.
    /// - [`Error::NotOurs`]: something else is there; it is not touched.
    /// - [`Error::Unreadable`]: attributes with which the metadata could not be read again.
    /// - As [`ArraySpec::layout`], or what the system says.
    pub fn begin(path: &Path, spec: &ArraySpec) -> Result<Self> {
        Self::begin_on(Disk::default(), path, spec)
    }

    pub(crate) fn begin_on(disk: Disk, path: &Path, spec: &ArraySpec) -> Result<Self> {
        let path = &named(path);
        let (metadata, layout) = (spec.metadata()?, spec.layout()?);
        expect_readable(&path.join(METADATA), metadata.to_text().as_bytes())?;
        if let Survey::Other(found) = Survey::of(path)? {
            return Err(Error::NotOurs { path: path.to_owned(), found });
        }
        let (turn, made_directory) = Turn::of_maker(&disk, path)?;
        // As it is now: another process may have made an array here meanwhile, even in the directory that this one has made.
        let survey = Survey::of(path)?;
        if let (Survey::Ours(metadata), Replaces::Unfinished) = (&survey, spec.replaces)
            && !metadata.attributes.contains_key(UNFINISHED)
        {
            return Err(Error::Exists { path: path.to_owned(), found: "an array" });
        }
        let shards = shards_of_ours(path, &survey)?;
        let half_made = matches!(survey, Survey::HalfMade);
        let is_first = matches!(survey, Survey::Absent | Survey::Empty);
        let owns_directory = half_made || (made_directory && matches!(survey, Survey::Empty));
        let creation = Self {
            path: path.to_owned(),
            metadata,
            layout,
            disk,
            stage: Stage::Making,
            owns_directory,
            is_first,
            may_have_elements: AtomicBool::new(false),
            unsynced: vec![],
            _turn: Some(turn),
        };
        if is_first {
            creation.disk.make_directory(&creation.new_path())?;
        } else {
            prepare(&creation.disk, path, owns_directory, half_made.then_some(&shards))?;
        }
        creation.disk.make_directory(&creation.new_path().join(CHUNKS))?;
        Ok(creation)
    }

    /// Takes part in making the array that another process has begun to make with the same `spec`, and will commit.
    ///
    /// # Errors
    /// As [`ArraySpec::layout`].
    pub fn join(path: &Path, spec: &ArraySpec) -> Result<Self> {
        let (metadata, layout) = (spec.metadata()?, spec.layout()?);
        let disk = Disk::default();
        Ok(Self {
            path: named(path),
            metadata,
            layout,
            disk,
            stage: Stage::Joined,
            owns_directory: false,
            is_first: false,
            may_have_elements: AtomicBool::new(false),
            unsynced: vec![],
            _turn: None,
        })
    }

    /// The file of shard `number` until [`commit`](Self::commit), for whoever writes elements before: they must be on the
    /// device then. Where processes that have [joined](Self::join) write them, the one that commits has to ask for a path too.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn shard_path(&self, number: u64) -> PathBuf {
        // Whoever asks is done before the commit, which takes this away from all.
        self.may_have_elements.store(true, Ordering::Relaxed);
        self.new_path().join(self.metadata.keys.key(&self.layout.shards().coordinates(number)))
    }

    /// Where everything will be.
    pub fn layout(&self) -> &ArrayLayout {
        &self.layout
    }

    fn new_path(&self) -> PathBuf {
        self.path.join(NEW)
    }

    /// Makes shards, each a hole and an index. They are durable when this returns to a process that has joined, and to the one
    /// that began when it [commits](Self::commit). Every shard must be made once, by any process.
    ///
    /// # Errors
    /// What the system says.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn make_shards(&mut self, numbers: impl IntoIterator<Item = u64>) -> Result<()> {
        for number in numbers {
            self.make_shard(number)?;
            if self.unsynced.len() >= UNSYNCED_MAX {
                self.sync_made()?;
            }
        }
        if self.stage == Stage::Joined { self.sync_made() } else { Ok(()) }
    }

    fn make_shard(&mut self, number: u64) -> Result<()> {
        let key = self.metadata.keys.key(&self.layout.shards().coordinates(number));
        let new = self.new_path();
        self.disk.make_directories(&new, key.parent().unwrap_or(Path::new("")))?;
        let path = new.join(key);
        let file = self.disk.make_file(&path)?;
        lay_out_shard(&self.disk, &file, &path, self.layout.shard())?;
        self.unsynced.push(Unsynced::File(file, path));
        Ok(())
    }

    fn sync_made(&mut self) -> Result<()> {
        self.disk.sync_all(&std::mem::take(&mut self.unsynced))
    }

    /// Ends: the array is there, and on the device. All shards must have been made.
    ///
    /// # Errors
    /// What the system says; then an old array is put back.
    pub fn commit(mut self) -> Result<ArrayDirectory> {
        self.complete()?;
        self.put_in_place()?;
        self.finish()
    }

    /// The first step of [`commit`](Self::commit), for those who agree with other hosts after each: all of the array is beside its place, and
    /// on the device. An old array is as it was.
    ///
    /// # Errors
    /// What the system says.
    pub fn complete(&mut self) -> Result<()> {
        let new = self.new_path();
        self.write_metadata(&new.join(METADATA))?;
        self.unsynced.extend(Unsynced::tree(&new)?);
        if self.is_first {
            let parent = self.path.parent().unwrap_or(Path::new("")).to_owned();
            self.unsynced.extend([self.path.clone(), parent].map(Unsynced::Directory));
        }
        self.sync_made()
    }

    /// The second step: the array is there, and on the device. An old one is beside it, and put back if this is dropped.
    ///
    /// # Errors
    /// What the system says.
    pub fn put_in_place(&mut self) -> Result<()> {
        self.stage = Stage::Naming;
        self.take_place()?;
        self.stage = Stage::Named;
        self.disk.sync_directory(&self.path)
    }

    /// Takes the second step back: the new array is beside its place again, and complete. The old one comes back when this is dropped:
    /// where others have parts of the array too, after all have withdrawn theirs.
    ///
    /// # Errors
    /// What the system says; then the new array is in its place, if it can be put there again.
    pub fn withdraw(&mut self) -> Result<()> {
        if self.stage == Stage::Named {
            let (here, beside) = (self.path.join(METADATA), self.new_path().join(METADATA));
            self.disk.rename(&here, &beside)?;
            let synced = self.disk.sync_directory(&self.new_path());
            if let Err(error) = synced.and_then(|()| self.disk.sync_directory(&self.path)) {
                // Nobody knows where it will be found: where all others find theirs.
                self.disk.rename(&beside, &here)?;
                return Err(error);
            }
            self.stage = Stage::Naming;
        }
        Ok(())
    }

    /// Puts nothing back, for those who do not know how far others are: all stays as a kill would leave it, and another opening can tell.
    pub fn leave(mut self) {
        self.stage = Stage::Joined;
    }

    fn take_place(&self) -> Result<()> {
        let new = self.new_path();
        // A creation that is taken up may have come so far.
        if self.has_chunks_beside()? {
            if !self.is_first {
                self.retire_old()?;
            }
            self.disk.rename(&new.join(CHUNKS), &self.path.join(CHUNKS))?;
            if !self.is_first || self.may_have_elements.load(Ordering::Relaxed) {
                self.disk.sync_directory(&self.path)?;
            }
        }
        self.disk.rename(&new.join(METADATA), &self.path.join(METADATA))
    }

    /// The last step: the old array is removed.
    ///
    /// # Errors
    /// As [`ArrayDirectory::open`], of the new array.
    pub fn finish(mut self) -> Result<ArrayDirectory> {
        // From here on nothing may be taken back.
        self.stage = Stage::Joined;
        for remains in [OLD, PART, NEW].map(|name| self.path.join(name)) {
            if let Err(error) = self.disk.remove_tree(&remains) {
                tracing::warn!(%error, "what a new array replaced is left behind");
            }
        }
        ArrayDirectory::open(&self.path)
    }

    /// The part of an array that lies complete beside its place at `path`, or seems to: the program that was to put it there was
    /// killed, or is about to do so. Whether it is complete is known where another part of the same array has its place.
    pub fn interrupted(path: &Path) -> Option<Part> {
        part_at(&named(path).join(NEW))
    }

    /// Ends the creation of a part of `array`, which is [`interrupted`](Self::interrupted) at `path` and complete: puts it in place, where
    /// nobody else has done so meanwhile, and removes an old array. If it fails it can be tried again.
    ///
    /// # Errors
    /// - [`Error::Changed`]: that part is not there any more.
    /// - [`Error::NotOurs`]: something else has taken its place; it is not touched.
    /// - [`Error::BeingMade`]: somebody else is making an array there.
    /// - As [`ArrayDirectory::open`]; what the system says.
    pub fn resume(path: &Path, array: &str) -> Result<ArrayDirectory> {
        Self::resume_on(Disk::default(), path, array)
    }

    pub(crate) fn resume_on(disk: Disk, path: &Path, array: &str) -> Result<ArrayDirectory> {
        let path = named(path);
        let turn = Turn::take(&path)?;
        let is_of_array = |part: Option<Part>| part.is_some_and(|part| part.array == array);
        if is_of_array(part_at(&path)) {
            return ArrayDirectory::open(&path);
        }
        if !is_of_array(Self::interrupted(&path)) {
            return Err(Error::Changed { path });
        }
        let survey = Survey::of(&path)?;
        shards_of_ours(&path, &survey)?;
        let made = ArrayDirectory::open(&path.join(NEW))?;
        let creation = Self {
            metadata: made.metadata().clone(),
            layout: *made.layout(),
            disk,
            stage: Stage::Joined,
            owns_directory: false,
            is_first: false,
            may_have_elements: AtomicBool::new(true),
            unsynced: vec![],
            _turn: Some(turn),
            path,
        };
        // No shards beside an old array: its own would get the metadata of another one.
        if matches!(survey, Survey::Ours(_)) && !creation.has_chunks_beside()? {
            return Err(Error::Changed { path: creation.path.clone() });
        }
        creation.take_place()?;
        creation.disk.sync_directory(&creation.path)?;
        creation.finish()
    }

    fn write_metadata(&mut self, path: &Path) -> Result<()> {
        let file = self.disk.make_file(path)?;
        self.disk.write_at(&file, path, self.metadata.to_text().as_bytes(), 0)?;
        self.unsynced.push(Unsynced::File(file, path.to_owned()));
        Ok(())
    }

    /// Whether the new shards have not come to their place yet.
    fn has_chunks_beside(&self) -> Result<bool> {
        let chunks = self.new_path().join(CHUNKS);
        chunks.try_exists().map_err(refused(Operation::Look, &chunks))
    }

    fn retire_old(&self) -> Result<()> {
        let old = self.path.join(OLD);
        self.disk.make_directory(&old)?;
        if self.disk.rename_if_there(&self.path.join(METADATA), &old.join(METADATA))? {
            // The shards must not go first, not even if the machine stops.
            self.disk.sync_directory(&self.path)?;
        }
        self.disk.rename_if_there(&self.path.join(CHUNKS), &old.join(CHUNKS)).map(drop)
    }

    /// Puts back what [`retire_old`](Self::retire_old) moved away.
    fn reinstate_old(&self) -> Result<()> {
        let (old, chunks) = (self.path.join(OLD), self.path.join(CHUNKS));
        if !self.has_chunks_beside()? {
            // The new shards have come so far.
            self.disk.remove_tree(&chunks)?;
        }
        self.disk.rename_if_there(&old.join(CHUNKS), &chunks)?;
        self.disk.sync_directory(&self.path)?;
        self.disk.rename_if_there(&old.join(METADATA), &self.path.join(METADATA))?;
        self.disk.sync_directory(&self.path)?;
        self.disk.remove_tree(&old)
    }

    fn abandon(&mut self) -> Result<()> {
        // Closed: some file systems keep files that are removed while they are open, and their directories.
        self.unsynced.clear();
        // First, so that no metadata lose their shards; and then nobody takes what is left for a part that is complete.
        self.withdraw()?;
        self.disk.remove_tree(&self.new_path().join(METADATA))?;
        if self.stage == Stage::Naming {
            self.reinstate_old()?;
        }
        take_back(&self.disk, &self.path, self.owns_directory)
    }
}

/// What is under `c` where an array of ours is, or what is left of one, or nothing.
///
/// # Errors
/// [`Error::NotOurs`]: something else. What the system says.
fn shards_of_ours(path: &Path, survey: &Survey) -> Result<ChunkTree> {
    let not_ours = |path: &Path, found| Err(Error::NotOurs { path: path.to_owned(), found });
    if let Survey::Other(found) = survey {
        return not_ours(path, found);
    }
    let shards = ChunkTree::of(path, survey.dims())?;
    match shards.foreign.first() {
        Some(foreign) => not_ours(foreign, "something in the way of the shards"),
        None => Ok(shards),
    }
}

/// The part of an array of ours that this directory is, if it is one.
fn part_at(path: &Path) -> Option<Part> {
    let metadata = read_metadata(path).ok()?;
    Attributes::of_map(&metadata.attributes).and_then(|(attributes, _)| attributes.part)
}

/// Makes an empty place for what is new, in a directory that is known as ours at every moment.
pub(crate) fn prepare(
    disk: &Disk,
    path: &Path,
    owns_directory: bool,
    half_made: Option<&ChunkTree>,
) -> Result<()> {
    if owns_directory {
        disk.sync_directory(path.parent().unwrap_or(path))?;
    }
    let new = path.join(NEW);
    disk.make_directory(&new)?;
    disk.sync_directory(path)?;
    half_made.map_or(Ok(()), |shards| shards.remove(disk))?;
    // First, so that nobody takes what is left for a part that is complete.
    disk.remove_tree(&new.join(METADATA))?;
    disk.empty_directory(&new)?;
    clear_old(disk, &path.join(OLD))
}

/// Makes room for what is old. Where a file system gives files that are removed while they are open a hidden name in their directory, until they
/// are closed (NFS, FUSE), those of an array before the old one may still be there: they are put out of the way, and go with what is old.
fn clear_old(disk: &Disk, old: &Path) -> Result<()> {
    disk.remove_tree(old)?;
    let chunks = old.join(CHUNKS);
    let is_there = |path: &Path| path.symlink_metadata().is_ok();
    if !is_there(&chunks) {
        return Ok(());
    }
    let names = (0u32..).map(|number| old.join(format!("open-{number}")));
    names.into_iter().find(|name| !is_there(name)).map_or(Ok(()), |name| disk.rename(&chunks, &name))
}

/// Removes what is new, and the directory if that is to go too. Where something else is still in such a directory, nothing but an empty
/// place for what is new says that it is ours, and half-made: this stays.
pub(crate) fn take_back(disk: &Disk, path: &Path, owns_directory: bool) -> Result<()> {
    let new = path.join(NEW);
    if owns_directory && entries(path)?.iter().any(|(entry, _)| *entry != new) {
        return disk.empty_directory(&new);
    }
    disk.remove_tree(&new)?;
    if owns_directory {
        disk.remove_directory(path)?;
    }
    Ok(())
}

impl Drop for Creation {
    fn drop(&mut self) {
        if self.stage != Stage::Joined
            && let Err(error) = self.abandon()
        {
            tracing::warn!(%error, "what was made before creating failed is left behind");
        }
    }
}

impl ArrayDirectory {
    /// Makes an array of zeros at `path`, in place of one of ours; durable when this returns. One directory, and for each
    /// shard one file that takes no space but for its index.
    ///
    /// # Errors
    /// As [`Creation::begin`]. If it fails, an old array is still there, or there is none.
    pub fn create(path: &Path, spec: &ArraySpec) -> Result<Self> {
        create_on(Disk::default(), path, spec)
    }
}

fn create_on(disk: Disk, path: &Path, spec: &ArraySpec) -> Result<ArrayDirectory> {
    let mut creation = Creation::begin_on(disk, path, spec)?;
    creation.make_shards(0..creation.layout.shards_count())?;
    creation.commit()
}

#[cfg(test)]
mod tests;
