//! The directory that holds an array.

use crate::disk::Disk;
use crate::error::{Error, Operation, Result, refused};
use crate::format::{
    Alignment, ArrayLayout, Attributes, BrickPlace, Document, METADATA, Metadata, UNFINISHED,
};
use crate::part::Part;
use crate::shard_file::{ShardFile, lay_out_shard};
use crate::survey::{expect_readable, named, read_metadata, read_metadata_text};
use crate::turn::Turn;
use crate::version::Version;
use serde_json::{Map, Value};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// An array on disk: its metadata, and the way to its shards. No file stays open, and memory does not depend on the size of
/// the array.
#[derive(Debug)]
pub struct ArrayDirectory {
    path: PathBuf,
    metadata: Metadata,
    layout: ArrayLayout,
    /// Ours, if the array is.
    attributes: Option<Attributes>,
    /// Which file the metadata are.
    version: Version,
    index_checksum: OnceLock<u32>,
}

/// Metadata that are to take the place of those that were read.
#[derive(Debug)]
struct Edited {
    path: PathBuf,
    /// Of what was read.
    version: Option<Version>,
    text: String,
    attributes: Map<String, Value>,
}

impl ArrayDirectory {
    /// Opens the array at `path`, ours or any Zarr v3 array of our types, uncompressed and little-endian, whose dimensions
    /// are stored in order. Shards are looked at when they are used, or by [`check`](Self::check).
    ///
    /// # Errors
    /// - [`Error::EmptyName`], [`Error::Missing`], [`Error::Empty`]: no name; there is nothing, or an empty directory.
    /// - [`Error::HalfMade`]: an array of ours whose creation or deletion was interrupted.
    /// - [`Error::NotAnArray`]: a file, another directory, a group, an array of Zarr version 2.
    /// - [`Error::Malformed`], [`Error::Unsupported`]: `zarr.json` is not valid, or asks for what we do not have.
    pub fn open(path: &Path) -> Result<Self> {
        let path = &named(path);
        // Before they are read: what is replaced meanwhile is then found to be another.
        let version = Version::of_metadata(path);
        let metadata = read_metadata(path)?;
        let version = version.ok_or_else(|| Error::Missing { path: path.to_owned() })?;
        let (attributes, alignment) = Attributes::of_map(&metadata.attributes).unzip();
        let layout = metadata.layout(alignment.unwrap_or_else(Alignment::page)).map_err(|error| {
            let what = error.to_string();
            Error::Unsupported { path: path.join(METADATA), what }
        })?;
        let path = path.to_owned();
        Ok(Self { path, metadata, layout, attributes, version, index_checksum: OnceLock::new() })
    }

    /// The array as its metadata say now, if they were replaced since this was opened; by whom, and by what, is for the caller to
    /// find out. Cost: one look at a file if they were not.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn changed(&self) -> Result<Option<Self>> {
        let is_same = Version::of_metadata(&self.path) == Some(self.version);
        if is_same { Ok(None) } else { Self::open(&self.path).map(Some) }
    }

    /// Whether `other` is the same array, and made as this is, so that whoever knows where elements are in one knows it in the other: attributes
    /// of others may differ, and one that was made again is another one.
    pub fn is_made_as(&self, other: &Self) -> bool {
        let of = |array: &Self| (array.metadata.data_type, array.metadata.dims);
        let noted = |array: &Self| array.attributes.clone().map(|noted| Attributes { id: None, ..noted });
        let [id, of_other] = [self, other].map(|array| array.attributes.as_ref()?.id.as_deref());
        // Not all have one.
        let is_another = id.zip(of_other).is_some_and(|(id, of_other)| id != of_other);
        of(self) == of(other) && self.layout == other.layout && noted(self) == noted(other) && !is_another
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What `zarr.json` says.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Where everything is, in shards as we lay them out.
    pub fn layout(&self) -> &ArrayLayout {
        &self.layout
    }

    /// What chemio noted about the array; `None` if another program made it.
    pub fn attributes(&self) -> Option<&Attributes> {
        self.attributes.as_ref()
    }

    /// What has to be done again before the array can be read, if somebody has set the attribute [`UNFINISHED`].
    pub fn unfinished(&self) -> Option<&Value> {
        self.metadata.attributes.get(UNFINISHED)
    }

    /// What is being done with an array that is [unfinished](Self::unfinished), in words: the `what` of its mark.
    pub fn unfinished_work(&self) -> Option<&str> {
        self.unfinished().map(|mark| mark.get("what").and_then(Value::as_str).unwrap_or("writing"))
    }

    /// The file of shard `number`.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn shard_path(&self, number: u64) -> PathBuf {
        self.path.join(self.key(number))
    }

    /// The name of that file, relative to the directory.
    pub(crate) fn key(&self, number: u64) -> PathBuf {
        self.metadata.keys.key(&self.layout.shards().coordinates(number))
    }

    /// The error of whoever finds something wrong with shard `number`.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn corrupt_shard(&self, number: u64, reason: String) -> Error {
        Error::CorruptShard { path: self.shard_path(number), reason }
    }

    /// Opens shard `number` for reading; `None` if there is no file, so that all elements are the fill value.
    ///
    /// # Errors
    /// - [`Error::CorruptShard`]: its length or its index is wrong. What the system says.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn shard(&self, number: u64) -> Result<Option<ShardFile>> {
        ShardFile::open(self.shard_path(number), self.layout.shard(), || self.index_checksum(), false)
    }

    /// Opens shard `number` for writing, with every brick in its place: if another program rewrote or removed it, it is
    /// [restored](Self::restore_shard) first.
    ///
    /// # Errors
    /// As [`shard`](Self::shard) and [`restore_shard`](Self::restore_shard).
    pub fn shard_for_writing(&self, number: u64) -> Result<ShardFile> {
        let open =
            || ShardFile::open(self.shard_path(number), self.layout.shard(), || self.index_checksum(), true);
        let in_place = |shard: &ShardFile| shard.is_as_laid_out();
        if let Some(shard) = open()?.filter(in_place) {
            return Ok(shard);
        }
        self.restore_shard(number)?;
        open()?.filter(in_place).ok_or_else(|| self.restless_shard(number))
    }

    fn restless_shard(&self, number: u64) -> Error {
        self.corrupt_shard(number, "changed by another program at this moment".to_owned())
    }

    /// Opens every shard there is and reads its whole index.
    ///
    /// # Errors
    /// As [`shard`](Self::shard), for the first that is wrong.
    pub fn check(&self) -> Result<()> {
        self.stored()?.shards.into_iter().try_for_each(|number| self.check_shard(number))
    }

    /// Opens shard `number`, if it is there, and reads its whole index.
    ///
    /// # Errors
    /// As [`shard`](Self::shard).
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn check_shard(&self, number: u64) -> Result<()> {
        let Some(shard) = self.shard(number)? else { return Ok(()) };
        shard.check_index()?;
        if !shard.is_as_laid_out() {
            (0..self.layout.shard().bricks_count())
                .try_for_each(|slot| shard.offset_bytes(slot).map(drop))?;
        }
        Ok(())
    }

    /// Lays shard `number` out as we do, with its elements as they are, if it is not so already. The shard is replaced at once when all
    /// of it is on the device; a process that has it open keeps the old file. Other processes may do the same at the same time, with
    /// this shard too: the first one that is ready replaces it, and what is written to it from then on stays.
    ///
    /// # Errors
    /// - [`Error::BeingMade`]: somebody else is making an array there, or deleting this one.
    /// - [`Error::Changed`]: another array has taken the place of this one.
    /// - As [`shard`](Self::shard), or what the system says; then the shard is as it was.
    pub fn restore_shard(&self, number: u64) -> Result<()> {
        self.restore_shard_on(&Disk::default(), number)
    }

    pub(crate) fn restore_shard_on(&self, disk: &Disk, number: u64) -> Result<()> {
        for _ in 0..TRIES_MAX {
            let source = self.shard(number)?;
            let is_in_place = source.as_ref().is_some_and(ShardFile::is_as_laid_out);
            if is_in_place || self.replace_shard(disk, number, source.as_ref())? {
                return Ok(());
            }
        }
        Err(self.restless_shard(number))
    }

    /// Puts the elements of `source` in the place of shard `number`, laid out as ours; false if another file has this place meanwhile.
    fn replace_shard(&self, disk: &Disk, number: u64, source: Option<&ShardFile>) -> Result<bool> {
        let key = self.key(number);
        let place = self.path.join(&key);
        let mut part = Part::make_for(disk, &self.path, &format!("shard-{number}"), &place)?;
        lay_out_shard(disk, part.file(), part.path(), self.layout.shard())?;
        for slot in 0..self.layout.shard().bricks_count() {
            self.copy_brick(disk, source, slot, (part.file(), part.path()))?;
        }
        disk.sync(part.file(), part.path())?;
        let parent = key.parent().unwrap_or(Path::new(""));
        // Not before: copying takes long, and other processes wait for their turns to put other shards in place.
        let turn = Turn::of_restorer(&self.path)?;
        if self.changed()?.is_some_and(|now| !now.is_made_as(self)) {
            return Err(Error::Changed { path: self.path.clone() });
        }
        if !self.is_still(number, source)? {
            return Ok(false);
        }
        disk.make_directories(&self.path, parent)?;
        part.put(&place)?;
        drop(turn);
        parent.ancestors().try_for_each(|directory| disk.sync_directory(&self.path.join(directory)))?;
        Ok(true)
    }

    /// Whether shard `number` is the file that was opened, or is still missing.
    fn is_still(&self, number: u64, opened: Option<&ShardFile>) -> Result<bool> {
        let Some(opened) = opened else {
            let path = self.shard_path(number);
            return path.try_exists().map(|exists| !exists).map_err(refused(Operation::Look, &path));
        };
        opened.is_current()
    }

    /// Copies the brick in `slot` of `source` to its place in a shard of holes.
    fn copy_brick(
        &self,
        disk: &Disk,
        source: Option<&ShardFile>,
        slot: u64,
        to: (&File, &Path),
    ) -> Result<()> {
        let (layout, fill) = (self.layout.shard(), &self.metadata.fill);
        let from = source
            .map_or(Ok(None), |source| source.offset_bytes(slot).map(|at| at.map(|at| (source, at))))?;
        if from.is_none() && fill.is_zero() {
            return Ok(());
        }
        let mut piece = vec![0; section::size(layout.brick_bytes().min(COPIED_BYTES))];
        fill.fill(&mut piece);
        for done in (0..layout.brick_bytes()).step_by(section::size(COPIED_BYTES)) {
            let part = section::size((layout.brick_bytes() - done).min(COPIED_BYTES));
            let piece = &mut piece[..part];
            if let Some((source, at)) = from {
                source.read_at(piece, at + done)?;
            }
            // What is zero stays a hole.
            if piece.iter().any(|&byte| byte != 0) {
                disk.write_at(to.0, to.1, piece, layout.offset_bytes(slot) + done)?;
            }
        }
        Ok(())
    }

    /// Gives the attribute `key` a value, or takes it away; durable when this returns. Other programs see it at once.
    ///
    /// # Errors
    /// - [`Error::NotOurs`]: the attribute `chemio`, which is not the caller's.
    /// - [`Error::Unreadable`]: a value with which the metadata could not be read again.
    /// - [`Error::Changed`]: the mark of an unfinished array is not the one that this has found or set; or others change the metadata
    ///   all the time, on a file system without locks.
    /// - [`Error::BeingMade`]: somebody else is making an array there, or deleting this one, or does not end changing attributes.
    /// - What the system says; then the attributes are as they were.
    pub fn set_attribute(&mut self, key: &str, value: Option<Value>) -> Result<()> {
        self.set_attribute_on(&Disk::default(), key, value)
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "as the public function, whose callers are done with it"
    )]
    pub(crate) fn set_attribute_on(&mut self, disk: &Disk, key: &str, value: Option<Value>) -> Result<()> {
        if Attributes::is_ours(key) {
            return Err(Error::NotOurs { path: self.path.clone(), found: "the attribute chemio" });
        }
        let _turn = Turn::take(&self.path)?;
        for _ in 0..TRIES_MAX {
            let edited = self.edit(key, value.as_ref())?;
            if let Some(version) = self.replace_metadata(disk, &edited)? {
                (self.version, self.metadata.attributes) = (version, edited.attributes);
                return Ok(());
            }
        }
        Err(Error::Changed { path: self.path.clone() })
    }

    /// Reads the metadata and gives an attribute a value, or takes it away.
    fn edit(&self, key: &str, value: Option<&Value>) -> Result<Edited> {
        // As it is on disk now: another program may have changed it, and there may be fields that we do not keep.
        let version = Version::of_metadata(&self.path);
        let (path, text) = read_metadata_text(&self.path)?;
        let malformed = |reason: String| Error::Malformed { path: path.clone(), reason };
        let mut document = Document::of_text(&text).map_err(malformed)?;
        let unreadable = |reason| Error::Unreadable { path: path.clone(), reason };
        value.map_or(Ok(()), |value| document.admit(key, value)).map_err(unreadable)?;
        let attributes = document
            .value
            .as_object_mut()
            .and_then(|object| {
                object.entry("attributes").or_insert_with(|| Value::Object(<_>::default())).as_object_mut()
            })
            .ok_or_else(|| malformed("no object for the attributes".to_owned()))?;
        // Whoever completes an array must not complete that of another one.
        if key == UNFINISHED && self.unfinished().is_some() && attributes.get(key) != self.unfinished() {
            return Err(Error::Changed { path: self.path.clone() });
        }
        match value {
            Some(value) => attributes.insert(key.to_owned(), value.clone()),
            None => attributes.remove(key),
        };
        let attributes = attributes.clone();
        let text = document.to_text().map_err(unreadable)?;
        expect_readable(&path, text.as_bytes())?;
        Ok(Edited { path, version, text, attributes })
    }

    /// Puts them in the place of those that were read; none if others have this place meanwhile: where the file system has no locks,
    /// nothing else keeps two programs from taking back what the other one has set.
    fn replace_metadata(&self, disk: &Disk, edited: &Edited) -> Result<Option<Version>> {
        let mut part = Part::make_for(disk, &self.path, METADATA, &edited.path)?;
        disk.write_at(part.file(), part.path(), edited.text.as_bytes(), 0)?;
        disk.sync(part.file(), part.path())?;
        if Version::of_metadata(&self.path) != edited.version {
            return Ok(None);
        }
        part.put(&edited.path)?;
        disk.sync_directory(&self.path)?;
        // Of this file, whatever has replaced it since.
        let version = part.file().metadata().map_err(refused(Operation::Look, &edited.path))?;
        Ok(Some(Version::of(&version)))
    }

    /// Where the brick at `coordinates` is: its shard and its slot there.
    pub fn place(&self, coordinates: &[u64]) -> BrickPlace {
        self.layout.place(coordinates)
    }

    fn index_checksum(&self) -> u32 {
        *self.index_checksum.get_or_init(|| self.layout.shard().index_checksum())
    }

    /// Makes what was written to a shard durable.
    pub(crate) fn sync_shard(&self, shard: &ShardFile) -> Result<()> {
        let _ = self;
        shard.file().sync_all().map_err(refused(Operation::Sync, shard.path()))
    }
}

/// How often another process may get in the way of replacing a shard or the metadata.
const TRIES_MAX: u32 = 10;
/// How much of a brick is copied at a time.
const COPIED_BYTES: u64 = 1 << 20;

#[cfg(test)]
mod tests;
