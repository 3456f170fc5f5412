//! Copying an array, so that whenever the program is killed there is either no copy, or a whole one.
//!
//! Everything is copied under `.chemio-new` of a directory that has no `zarr.json`, and synced; then the chunks get their names,
//! and the metadata last. Nobody may do more with a copy than with its source. Files share their blocks where the file system can do that; elsewhere only what is written is copied.
//!
//! A source that somebody writes to meanwhile is not copied, and not deleted: the [versions](crate::version) of its files tell. They are
//! noted before the first is read, compared before the copy gets its name, and, where the source is to be deleted, before and
//! after its metadata go: whoever looks for these before he writes cannot write to it any more when they are compared for the last
//! time. What is left are programs that have files of the source open and do not look: what they write after that goes with the files.

use crate::create::{prepare, take_back};
use crate::delete::{AsSeen, Deleted};
use crate::directory::ArrayDirectory;
use crate::disk::{Disk, Unsynced, entries};
use crate::error::{Error, Operation, Result, refused};
use crate::format::METADATA;
use crate::rights::restrict;
use crate::survey::{CHUNKS, ChunkTree, NEW, OLD, PART, Survey, named, read_metadata_text};
use crate::turn::Turn;
use crate::version::{Snapshot, Version};
use rustix::fs::SeekFrom;
use rustix::io::Errno;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How much one step copies.
const STEP_BYTES: u64 = 16 << 20;

/// A copy of an array, under way. If it is dropped before [`commit`](Self::commit), what was copied is removed. One process.
#[derive(Debug)]
pub struct Copying {
    source: ArrayDirectory,
    path: PathBuf,
    disk: Disk,
    /// The shards that are still to be copied, the next one last.
    shards: Vec<u64>,
    current: Option<FileCopy>,
    /// All shards, as they were before the first was read.
    seen: Snapshot,
    /// Whether this is over, for better or worse.
    ended: bool,
    owns_directory: bool,
    /// What has got its name so far.
    named: Vec<PathBuf>,
    /// Nobody else makes an array there meanwhile.
    _turn: Turn,
}

/// What became of an array that was copied and then deleted.
#[derive(Debug)]
pub struct Moved {
    /// The copy, which is whole.
    pub copy: ArrayDirectory,
    /// What was left of the source, or why it is still there, or a part of it. After [`Error::Changed`] the copy is of before the
    /// change; it stays, because a source that has lost something since is no better.
    pub deleted: Result<Deleted>,
}

/// One file, of which all before `done_bytes` is copied.
#[derive(Debug)]
struct FileCopy {
    from: (File, PathBuf),
    to: (File, PathBuf),
    done_bytes: u64,
    len_bytes: u64,
}

impl Copying {
    /// Begins to copy the array `source`, whoever made it, to `path`, whose parent exists: to where nothing is, or an empty
    /// directory, or what is left of an array whose creation was interrupted.
    ///
    /// # Errors
    /// - [`Error::EmptyName`]: no name.
    /// - [`Error::Exists`]: something else is there; or, beside what is left of an array, a file that is not known to be of it.
    /// - [`Error::CorruptShard`]: something that is no file has the name of a shard. What the system says.
    pub fn begin(source: ArrayDirectory, path: &Path) -> Result<Self> {
        Self::begin_on(Disk::default(), source, path)
    }

    pub(crate) fn begin_on(disk: Disk, source: ArrayDirectory, path: &Path) -> Result<Self> {
        let path = &named(path);
        let free = |survey: Survey| match survey {
            Survey::Absent | Survey::Empty | Survey::HalfMade => Ok(survey),
            Survey::Ours(_) => Err(Error::Exists { path: path.to_owned(), found: "an array" }),
            Survey::Other(found) => Err(Error::Exists { path: path.to_owned(), found }),
        };
        free(Survey::of(path)?)?;
        let seen = Snapshot::of(&source)?;
        let (turn, made_directory) = Turn::of_maker(&disk, path)?;
        // As it is now: another process may have made an array here meanwhile, even in the directory that this one has made.
        let survey = free(Survey::of(path)?)?;
        let half_made = matches!(survey, Survey::HalfMade).then(|| half_made_tree(path)).transpose()?;
        let owns_directory = half_made.is_some() || (made_directory && matches!(survey, Survey::Empty));
        let copying = Self {
            source,
            path: path.to_owned(),
            disk,
            shards: seen.numbers().rev().collect(),
            current: None,
            seen,
            ended: false,
            owns_directory,
            named: vec![],
            _turn: turn,
        };
        prepare(&copying.disk, path, owns_directory, half_made.as_ref())?;
        if owns_directory {
            restrict(path, &look(copying.source.path())?)?;
        }
        // Before anything is read.
        copying.seen.outwait();
        Ok(copying)
    }

    /// Bytes of all shards, with their holes.
    pub fn bytes_total(&self) -> u64 {
        self.seen.len_bytes()
    }

    /// Copies a little more; how many bytes that was, holes counted, or `None` when nothing is left.
    ///
    /// # Errors
    /// - [`Error::CorruptShard`]: the source became shorter meanwhile. What the system says.
    pub fn step(&mut self) -> Result<Option<u64>> {
        if self.current.is_none() {
            let Some(number) = self.shards.pop() else { return Ok(None) };
            return self.start_file(number).map(Some);
        }
        let Some(copy) = &mut self.current else { return Ok(None) };
        let began = copy.done_bytes;
        copy.advance(&self.disk)?;
        let done = copy.done_bytes - began;
        if copy.done_bytes >= copy.len_bytes {
            copy.expect_whole()?;
            self.disk.sync(&copy.to.0, &copy.to.1)?;
            self.current = None;
        }
        Ok(Some(done))
    }

    /// Begins with a shard; the bytes that were copied at once.
    fn start_file(&mut self, number: u64) -> Result<u64> {
        let from = self.source.shard_path(number);
        let key = self.source.key(number);
        let new = self.path.join(NEW);
        self.disk.make_directories(&new, key.parent().unwrap_or(Path::new("")))?;
        let to = new.join(key);
        let opened = elio::with_open_files_raised(|| File::open(&from));
        let source = opened.map_err(refused(Operation::Open, &from))?;
        let metadata = source.metadata().map_err(refused(Operation::Look, &from))?;
        let len_bytes = metadata.size();
        let copy = self.disk.make_file(&to)?;
        restrict(&to, &metadata)?;
        if self.disk.clone_file(&source, &copy, &to)? {
            self.disk.sync(&copy, &to)?;
            return Ok(len_bytes);
        }
        self.disk.set_len(&copy, &to, len_bytes)?;
        self.current = Some(FileCopy { from: (source, from), to: (copy, to), done_bytes: 0, len_bytes });
        Ok(0)
    }

    /// Ends: the copy is there, and on the device. All of it must have been copied.
    ///
    /// # Errors
    /// [`Error::Changed`]: the source is not what it was when copying began: somebody has written to it meanwhile, and nobody can tell
    /// whether before or after that was copied; or it was completed, after shards of it were copied. What the system says. Then
    /// there is no copy.
    ///
    /// # Panics
    /// If something is left to copy.
    pub fn commit(mut self) -> Result<ArrayDirectory> {
        self.give_names().map(|(copy, _)| copy)
    }

    /// The same, and then the source is deleted, [whoever made it](ArrayDirectory::delete_whoever_made_it), if nobody has written to it
    /// since it was copied. Whoever has a file of it open, and writes to that without looking for the metadata first, as programs
    /// other than chemio's do, must have ended before: what he writes when the last look is over goes with the file.
    ///
    /// # Errors
    /// As [`commit`](Self::commit). What keeps the source from being deleted when there is a copy is told in [`Moved`].
    ///
    /// # Panics
    /// If something is left to copy.
    pub fn commit_and_delete_source(mut self) -> Result<Moved> {
        let (copy, metadata) = self.give_names()?;
        let seen = AsSeen { metadata, shards: &self.seen };
        let deleted = ArrayDirectory::open(self.source.path())
            .and_then(|source| source.delete_as_seen_on(&self.disk, &seen));
        Ok(Moved { copy, deleted })
    }

    /// Somebody may have written to shards that had been copied, or have completed the source, or replaced the `metadata` that the copy gets.
    fn expect_unchanged(&self, metadata: Option<Version>) -> Result<()> {
        let is_same = |now: ArrayDirectory| {
            now.is_made_as(&self.source) && now.unfinished() == self.source.unfinished()
        };
        let path = self.source.path();
        let is_unchanged = Version::of_metadata_now(path) == metadata
            && self.source.changed()?.is_none_or(is_same)
            && self.seen.is_still(&self.source)?;
        if is_unchanged { Ok(()) } else { Err(Error::Changed { path: path.to_owned() }) }
    }

    /// The copy, and which file the metadata are that it has got.
    fn give_names(&mut self) -> Result<(ArrayDirectory, Option<Version>)> {
        assert!(self.shards.is_empty() && self.current.is_none(), "shards are left to copy");
        let new = self.path.join(NEW);
        let version = Version::of_metadata_now(self.source.path());
        let (_, text) = read_metadata_text(self.source.path())?;
        let metadata = self.disk.make_file(&new.join(METADATA))?;
        restrict(&new.join(METADATA), &look(&self.source.path().join(METADATA))?)?;
        self.disk.write_at(&metadata, &new.join(METADATA), &text, 0)?;
        let mut unsynced = Unsynced::tree(&new)?;
        unsynced.push(Unsynced::File(metadata, new.join(METADATA)));
        self.disk.sync_all(&unsynced)?;
        for (entry, _) in entries(&new)? {
            let name = entry.file_name().unwrap_or_default();
            if name != METADATA {
                let to = self.path.join(name);
                self.disk.rename(&entry, &to)?;
                self.named.push(to);
            }
        }
        self.disk.sync_directory(&self.path)?;
        // The last moment at which there is no copy.
        self.expect_unchanged(version)?;
        self.disk.rename(&new.join(METADATA), &self.path.join(METADATA))?;
        // From here on nothing may be taken back.
        self.ended = true;
        self.disk.sync_directory(&self.path)?;
        if let Err(error) = self.disk.remove_tree(&new) {
            tracing::warn!(%error, "the mark of a copy under way is left behind");
        }
        Ok((ArrayDirectory::open(&self.path)?, version))
    }

    fn abandon(&mut self) -> Result<()> {
        // Closed: as where an array is made.
        self.current = None;
        for named in &self.named {
            if named.is_dir() { self.disk.remove_tree(named)? } else { self.disk.remove_file(named)? }
        }
        take_back(&self.disk, &self.path, self.owns_directory)
    }
}

/// The chunks that a half-made array has left, which are removed. Chunks of other programs may have any name that is beside ours: what
/// is there would become data of the copy, or be in its way, and nobody knows whose it is.
fn half_made_tree(path: &Path) -> Result<ChunkTree> {
    let tree = ChunkTree::of(path, None)?;
    let is_ours = |entry: &Path| [CHUNKS, NEW, OLD, PART].iter().any(|name| entry == path.join(name));
    let beside = entries(path)?.into_iter().map(|(entry, _)| entry).find(|entry| !is_ours(entry));
    match beside.as_ref().or(tree.foreign.first()) {
        Some(foreign) => {
            Err(Error::Exists { path: foreign.clone(), found: "something in the way of the shards" })
        }
        None => Ok(tree),
    }
}

fn look(path: &Path) -> Result<fs::Metadata> {
    fs::metadata(path).map_err(refused(Operation::Look, path))
}

impl Drop for Copying {
    fn drop(&mut self) {
        if !self.ended
            && let Err(error) = self.abandon()
        {
            tracing::warn!(%error, "what was copied before copying failed is left behind");
        }
    }
}

impl FileCopy {
    /// Copies the next piece, or passes over a hole.
    fn advance(&mut self, disk: &Disk) -> Result<()> {
        let look = refused(Operation::Look, &self.from.1);
        let data = match rustix::fs::seek(&self.from.0, SeekFrom::Data(self.done_bytes)) {
            Ok(data) => data,
            // Nothing but holes up to the end, which must be where it was.
            Err(Errno::NXIO) => {
                self.expect_whole()?;
                self.len_bytes
            }
            // A file system that does not know its holes.
            Err(Errno::INVAL) => self.done_bytes,
            Err(error) => return Err(look(error.into())),
        };
        if data > self.done_bytes {
            self.done_bytes = data.min(self.len_bytes);
            return Ok(());
        }
        let hole = rustix::fs::seek(&self.from.0, SeekFrom::Hole(data)).unwrap_or(self.len_bytes);
        let end = hole.min(self.len_bytes).min(data + STEP_BYTES);
        let (from, to) = ((&self.from.0, self.from.1.as_path()), (&self.to.0, self.to.1.as_path()));
        match disk.copy_range(from, to, data, end - data)? {
            0 => Err(self.became_shorter(data)),
            copied => {
                self.done_bytes += copied;
                Ok(())
            }
        }
    }
}

impl FileCopy {
    /// The source is as long as it was at the beginning.
    fn expect_whole(&self) -> Result<()> {
        let len_bytes = self.from.0.metadata().map_err(refused(Operation::Look, &self.from.1))?.size();
        if len_bytes < self.len_bytes { Err(self.became_shorter(len_bytes)) } else { Ok(()) }
    }

    fn became_shorter(&self, len_bytes: u64) -> Error {
        let reason = format!("{len_bytes} bytes left of {} while it was copied", self.len_bytes);
        Error::CorruptShard { path: self.from.1.clone(), reason }
    }
}

impl ArrayDirectory {
    /// Copies the array to `path`, see [`Copying`]; durable when this returns.
    ///
    /// # Errors
    /// As [`Copying::begin`], [`Copying::step`] and [`Copying::commit`].
    pub fn copy_to(self, path: &Path) -> Result<Self> {
        let mut copying = Copying::begin(self, path)?;
        while copying.step()?.is_some() {}
        copying.commit()
    }
}

#[cfg(test)]
mod tests;
