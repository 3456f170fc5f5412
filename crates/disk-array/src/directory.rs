//! The directory that holds an array.

use crate::disk::Disk;
use crate::error::{Error, Operation, Result, refused};
use crate::format::{
    Alignment, ArrayLayout, Attributes, BrickPlace, Document, METADATA, Metadata, UNFINISHED,
};
use crate::part::Part;
use crate::shard_file::{ShardFile, lay_out_shard};
use crate::survey::{read_metadata, read_metadata_text};
use crate::turn::Turn;
use serde_json::{Map, Value};
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
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
    version: Version,
    index_checksum: OnceLock<u32>,
}

/// Which file the metadata are: they are replaced as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    device: u64,
    inode: u64,
    len_bytes: u64,
    /// When, in seconds and nanoseconds.
    changed: [i64; 2],
}

impl Version {
    fn of(found: &fs::Metadata) -> Self {
        let changed = [found.ctime(), found.ctime_nsec()];
        Self { device: found.dev(), inode: found.ino(), len_bytes: found.len(), changed }
    }

    /// None if there is no such file.
    fn at(path: &Path) -> Option<Self> {
        fs::metadata(path.join(METADATA)).ok().map(|found| Self::of(&found))
    }
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
    /// - [`Error::EmptyName`], [`Error::Missing`]: no name; there is nothing.
    /// - [`Error::HalfMade`]: an array of ours whose creation or deletion was interrupted.
    /// - [`Error::NotAnArray`]: a file, another directory, a group, an array of Zarr version 2.
    /// - [`Error::Malformed`], [`Error::Unsupported`]: `zarr.json` is not valid, or asks for what we do not have.
    pub fn open(path: &Path) -> Result<Self> {
        // Before they are read: what is replaced meanwhile is then found to be another.
        let version = Version::at(path);
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
        let is_same = Version::at(&self.path) == Some(self.version);
        if is_same { Ok(None) } else { Self::open(&self.path).map(Some) }
    }

    /// Whether `other` is made as this is, so that whoever knows where elements are in one knows it in the other: attributes of
    /// others may differ.
    pub fn is_made_as(&self, other: &Self) -> bool {
        let of = |array: &Self| (array.metadata.data_type, array.metadata.dims);
        of(self) == of(other) && self.layout == other.layout && self.attributes == other.attributes
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
        let mut part = Part::make(disk, &self.path, &format!("shard-{number}"))?;
        lay_out_shard(disk, part.file(), part.path(), self.layout.shard())?;
        for slot in 0..self.layout.shard().bricks_count() {
            self.copy_brick(disk, source, slot, (part.file(), part.path()))?;
        }
        disk.sync(part.file(), part.path())?;
        let key = self.key(number);
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
        part.put(&self.path.join(&key))?;
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
        let version = Version::at(&self.path);
        let (path, text) = read_metadata_text(&self.path)?;
        let malformed = |reason: String| Error::Malformed { path: path.clone(), reason };
        let mut document = Document::of_text(&text).map_err(malformed)?;
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
        let text = document.to_text().map_err(malformed)?;
        Ok(Edited { path, version, text, attributes })
    }

    /// Puts them in the place of those that were read; none if others have this place meanwhile: where the file system has no locks,
    /// nothing else keeps two programs from taking back what the other one has set.
    fn replace_metadata(&self, disk: &Disk, edited: &Edited) -> Result<Option<Version>> {
        let mut part = Part::make(disk, &self.path, METADATA)?;
        disk.write_at(part.file(), part.path(), edited.text.as_bytes(), 0)?;
        disk.sync(part.file(), part.path())?;
        if Version::at(&self.path) != edited.version {
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
mod tests {
    use super::*;
    use crate::disk::entries;
    use crate::format::{ArraySpec, BrickShape, Bricks, DataType, IndexEntry};
    use crate::survey::{OLD, PART, Survey};
    use section::Section;
    use serde_json::json;

    /// 4 x 6 numbers from 0, in four bricks of 2 x 3, in one shard.
    fn counted(path: &Path) -> (ArrayDirectory, Vec<u8>) {
        let mut spec = ArraySpec::new(&[4, 6], DataType::Int64).unwrap();
        spec.bricks = Bricks::Exact(BrickShape::exact(&[2, 3]).unwrap());
        spec.alignment = Alignment::new(512).unwrap();
        let array = ArrayDirectory::create(path, &spec).unwrap();
        let elements: Vec<u8> = (0..24i64).flat_map(i64::to_le_bytes).collect();
        array.write(&whole(), &elements).unwrap();
        (array, elements)
    }

    fn whole() -> Section {
        Section::new(&[0, 0], &[4, 6]).unwrap()
    }

    fn elements(array: &ArrayDirectory) -> Vec<u8> {
        let mut elements = vec![1; 24 * 8];
        array.read(&whole(), &mut elements).unwrap();
        elements
    }

    /// The shard as other tools write it: without gaps, in another order, one brick of zeros left out.
    fn compact(array: &ArrayDirectory) {
        let path = array.shard_path(0);
        let (made, layout) = (fs::read(&path).unwrap(), array.layout().shard());
        let (mut shard, mut index) = (vec![], vec![IndexEntry::MISSING; 4]);
        for slot in [3u64, 0, 2] {
            let at = section::size(layout.offset_bytes(slot));
            index[section::size(slot)] = IndexEntry { offset_bytes: shard.len() as u64, len_bytes: 48 };
            shard.extend(&made[at..at + 48]);
        }
        let index: Vec<u8> = index.into_iter().flat_map(IndexEntry::encode).collect();
        shard.extend(&index);
        shard.extend(crc32c::crc32c(&index).to_le_bytes());
        fs::write(&path, shard).unwrap();
    }

    /// What the elements are when the brick in slot 1 is missing.
    fn without_second_brick(mut elements: Vec<u8>) -> Vec<u8> {
        for row in 0..2 {
            elements[row * 48 + 24..(row + 1) * 48].fill(0);
        }
        elements
    }

    #[test]
    fn a_shard_that_another_program_rewrote_is_read_by_its_index_and_restored_before_it_is_written() {
        let scratch = tempfile::tempdir().unwrap();
        let (array, counted) = counted(&scratch.path().join("array"));
        let before = array.shard(0).unwrap().unwrap();
        assert!(before.is_as_laid_out() && before.is_current().unwrap());
        compact(&array);
        let shard = array.shard(0).unwrap().unwrap();
        assert!(!shard.is_as_laid_out());
        assert_eq!((shard.offset_bytes(0).unwrap(), shard.offset_bytes(1).unwrap()), (Some(48), None));
        array.check().unwrap();
        let expected = without_second_brick(counted);
        assert_eq!(elements(&array), expected);

        let restored = array.shard_for_writing(0).unwrap();
        assert!(restored.is_as_laid_out() && !shard.is_current().unwrap());
        assert_eq!(elements(&array), expected);
        assert!(!array.path().join(PART).exists());
    }

    #[test]
    fn a_shard_that_another_program_removed_is_fill_values_until_it_is_written() {
        let scratch = tempfile::tempdir().unwrap();
        let (array, _) = counted(&scratch.path().join("array"));
        fs::remove_dir_all(array.path().join("c")).unwrap();
        assert!(array.shard(0).unwrap().is_none());
        array.check().unwrap();
        assert_eq!(elements(&array), [0; 192]);
        array.write(&Section::new(&[3, 5], &[4, 6]).unwrap(), &5i64.to_le_bytes()).unwrap();
        assert_eq!(elements(&array)[184..], 5i64.to_le_bytes());
    }

    #[test]
    fn restoring_stopped_after_any_call_leaves_the_elements_as_they_are() {
        for calls in 0.. {
            let scratch = tempfile::tempdir().unwrap();
            let (array, counted) = counted(&scratch.path().join("array"));
            compact(&array);
            let result = array.restore_shard_on(&Disk::stopping_after(calls), 0);
            assert_eq!(elements(&ArrayDirectory::open(array.path()).unwrap()), without_second_brick(counted));
            array.shard_for_writing(0).unwrap();
            let left = entries(&array.path().join(PART)).unwrap();
            assert!(left.is_empty(), "after {calls} calls: {left:?}");
            ArrayDirectory::delete(array.path()).unwrap();
            assert!(!array.path().exists());
            if result.is_ok() {
                assert!(calls > 8, "{calls} calls");
                return;
            }
        }
    }

    #[test]
    fn what_is_written_to_a_shard_that_another_one_restored_first_stays() {
        let scratch = tempfile::tempdir().unwrap();
        let (slow, counted) = counted(&scratch.path().join("array"));
        let fast = ArrayDirectory::open(slow.path()).unwrap();
        let element = Section::new(&[3, 5], &[4, 6]).unwrap();
        let written = |mut elements: Vec<u8>| {
            elements[184..].copy_from_slice(&5i64.to_le_bytes());
            elements
        };
        compact(&slow);
        let seen = slow.shard(0).unwrap();
        fast.write(&element, &5i64.to_le_bytes()).unwrap();
        assert!(!slow.replace_shard(&Disk::default(), 0, seen.as_ref()).unwrap());
        assert_eq!(elements(&slow), written(without_second_brick(counted)));
        // It is as we lay it out, and may be written to at this moment.
        let now = slow.shard(0).unwrap().unwrap();
        slow.restore_shard(0).unwrap();
        assert!(now.is_current().unwrap());

        fs::remove_file(slow.shard_path(0)).unwrap();
        fast.write(&element, &5i64.to_le_bytes()).unwrap();
        assert!(!slow.replace_shard(&Disk::default(), 0, None).unwrap());
        assert_eq!(elements(&slow), written(vec![0; 192]));
        assert!(!slow.path().join(PART).exists());
    }

    #[test]
    fn a_shard_of_an_array_that_was_replaced_meanwhile_is_not_restored_into_the_new_one() {
        let scratch = tempfile::tempdir().unwrap();
        let (old, _) = counted(&scratch.path().join("array"));
        compact(&old);
        let seen = old.shard(0).unwrap();
        let spec = ArraySpec::new(&[4, 6], DataType::Int64).unwrap();
        let new = ArrayDirectory::create(old.path(), &spec).unwrap();
        let replaced = old.replace_shard(&Disk::default(), 0, seen.as_ref());
        assert!(matches!(replaced, Err(Error::Changed { .. })), "{replaced:?}");
        assert_eq!(elements(&new), [0; 192]);
        assert!(new.changed().unwrap().is_none() && !new.path().join(PART).exists());
    }

    #[test]
    fn programs_that_open_an_array_for_writing_at_the_same_time_keep_what_the_others_write() {
        for _ in 0..20 {
            let scratch = tempfile::tempdir().unwrap();
            let (array, counted) = counted(&scratch.path().join("array"));
            compact(&array);
            let mut expected = without_second_brick(counted);
            std::thread::scope(|scope| {
                for (column, element) in expected[144..].chunks_exact_mut(8).enumerate() {
                    element.fill(9);
                    let (path, column) = (array.path(), column as u64);
                    scope.spawn(move || {
                        let mine = Section::new(&[3, column], &[4, column + 1]).unwrap();
                        ArrayDirectory::open(path).unwrap().write(&mine, &[9; 8]).unwrap();
                    });
                }
            });
            assert_eq!(elements(&array), expected);
            assert!(!array.path().join(PART).exists());
        }
    }

    #[test]
    fn what_another_one_has_set_since_the_metadata_were_read_is_not_taken_back() {
        let scratch = tempfile::tempdir().unwrap();
        let (mut slow, _) = counted(&scratch.path().join("array"));
        let mut fast = ArrayDirectory::open(slow.path()).unwrap();
        let edited = slow.edit("units", Some(&json!("hartree"))).unwrap();
        fast.set_attribute("basis", Some(json!("cc-pVDZ"))).unwrap();
        assert!(slow.replace_metadata(&Disk::default(), &edited).unwrap().is_none());
        assert_eq!(ArrayDirectory::open(slow.path()).unwrap().metadata().attributes["basis"], "cc-pVDZ");
        slow.set_attribute("units", Some(json!("hartree"))).unwrap();
        let now = ArrayDirectory::open(slow.path()).unwrap();
        assert_eq!(now.metadata().attributes, slow.metadata().attributes);
        assert_eq!(
            (&now.metadata().attributes["basis"], now.metadata().attributes.len()),
            (&json!("cc-pVDZ"), 3)
        );
        assert!(!slow.path().join(PART).exists());
    }

    #[test]
    fn setting_an_attribute_stopped_after_any_call_leaves_the_old_or_the_new_ones() {
        for calls in 0.. {
            let scratch = tempfile::tempdir().unwrap();
            let (mut array, counted) = counted(&scratch.path().join("array"));
            array.set_attribute("units", Some(json!("hartree"))).unwrap();
            let result =
                array.set_attribute_on(&Disk::stopping_after(calls), "units", Some(json!(["eV", 0.1])));
            let found = ArrayDirectory::open(array.path()).unwrap();
            let units = &found.metadata().attributes["units"];
            assert!(units == &json!("hartree") && calls < 8 || units == &json!(["eV", 0.1]), "{units}");
            assert_eq!(found.attributes(), array.attributes());
            assert_eq!(elements(&found), counted);
            if result.is_ok() {
                assert_eq!(found.metadata().attributes, array.metadata().attributes);
                return;
            }
        }
    }

    #[test]
    fn an_array_whose_attributes_have_bare_words_for_numbers_opens_keeps_them_and_can_be_deleted() {
        let scratch = tempfile::tempdir().unwrap();
        let (mut array, counted) = counted(&scratch.path().join("array"));
        array.set_attribute("bounds", Some(json!(["low", 0.5, "NaN"]))).unwrap();
        let file = array.path().join(METADATA);
        let text = fs::read_to_string(&file).unwrap().replace("\"low\"", "-Infinity, NaN");
        fs::write(&file, &text).unwrap();
        let mut found = ArrayDirectory::open(array.path()).unwrap();
        assert_eq!((found.attributes(), elements(&found)), (array.attributes(), counted));
        assert_eq!(found.metadata().attribute_text("bounds").unwrap(), r#"[-Infinity,NaN,0.5,"NaN"]"#);
        let shown = json!(["-Infinity", "NaN", 0.5, "NaN"]);
        assert_eq!(found.metadata().attributes_as_json()["bounds"], shown);
        assert!(found.metadata().to_text().contains("-Infinity"), "also where a new array takes them over");
        assert!(!found.metadata().to_text().contains('\u{fdd0}'));
        found.set_attribute("units", Some(json!("hartree"))).unwrap();
        found.set_attribute("units", None).unwrap();
        let packed = |text: &str| text.replace(char::is_whitespace, "");
        assert_eq!(packed(&fs::read_to_string(&file).unwrap()), packed(&text));
        assert_eq!(ArrayDirectory::delete(found.path()).unwrap().left, Vec::<PathBuf>::new());
    }

    #[test]
    fn replaced_metadata_are_noticed_and_a_differently_made_array_is_told_apart() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        let mut made = counted(&path).0;
        let mut other = ArrayDirectory::open(&path).unwrap();
        assert!(other.changed().unwrap().is_none());
        made.set_attribute("units", Some("hartree".into())).unwrap();
        assert!(made.changed().unwrap().is_none(), "it has replaced them itself");
        let now = other.changed().unwrap().expect("another has replaced them");
        assert_eq!(now.metadata().attributes["units"], "hartree");
        assert!(now.is_made_as(&other) && now.changed().unwrap().is_none());
        other.set_attribute("units", None).unwrap();
        assert!(other.changed().unwrap().is_none() && made.changed().unwrap().is_some());

        ArrayDirectory::create(&path, &ArraySpec::new(&[4, 6], DataType::Int64).unwrap()).unwrap();
        assert!(!made.changed().unwrap().expect("created anew").is_made_as(&made), "other bricks");
        ArrayDirectory::delete(&path).unwrap();
        assert!(matches!(made.changed(), Err(Error::Missing { .. })));
    }

    #[test]
    fn attributes_are_taken_away_and_ours_cannot_be_set() {
        let scratch = tempfile::tempdir().unwrap();
        let (mut array, _) = counted(&scratch.path().join("array"));
        array.set_attribute("units", Some(json!(1))).unwrap();
        array.set_attribute("units", None).unwrap();
        assert_eq!(ArrayDirectory::open(array.path()).unwrap().metadata().attributes.len(), 1);
        assert!(matches!(array.set_attribute("chemio", None), Err(Error::NotOurs { .. })));
    }

    #[test]
    fn a_damaged_shard_is_an_error_that_names_it() {
        let scratch = tempfile::tempdir().unwrap();
        let (array, _) = counted(&scratch.path().join("array"));
        let path = array.shard_path(0);
        let made = fs::read(&path).unwrap();
        let complaint = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let error = array.check().unwrap_err();
            assert_eq!(error.path(), Some(&*path));
            array.shard_for_writing(0).map_or_else(|again| assert_eq!(again.path(), Some(&*path)), drop);
            assert_eq!(fs::read(&path).unwrap(), bytes, "left as it was");
            error.to_string()
        };
        assert!(complaint(&made[..100]).contains("checksum"));
        assert!(complaint(&made[..50]).starts_with("50 bytes, the index alone has 68"));
        assert!(complaint(&made[..made.len() - 1]).contains("checksum"));
        let mut longer = made.clone();
        longer.push(0);
        assert!(complaint(&longer).contains("at the end of 2117 bytes (2116 when made)"));
        for at in 2048..2116 {
            let mut flipped = made.clone();
            flipped[at] ^= 1;
            assert!(complaint(&flipped).contains("checksum"), "byte {at}");
        }
        // An index with a valid checksum that says what cannot be.
        for (entry, why) in [
            (
                IndexEntry { offset_bytes: 2048, len_bytes: 48 },
                "at byte 2048 of 2116, with the index at 2048",
            ),
            (IndexEntry { offset_bytes: 0, len_bytes: 512 }, "512 bytes instead of 48"),
            (IndexEntry { offset_bytes: u64::MAX, len_bytes: 48 }, "at byte 18446744073709551615"),
        ] {
            let mut wrong = made.clone();
            wrong[2064..2080].copy_from_slice(&entry.encode());
            let checksum = crc32c::crc32c(&wrong[2048..2112]);
            wrong[2112..].copy_from_slice(&checksum.to_le_bytes());
            assert!(complaint(&wrong).starts_with(&format!("brick in slot 1: {why}")));
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(array.check().unwrap_err().to_string().starts_with("not a file"));
    }

    #[test]
    fn what_is_no_array_says_what_it_is() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        let complaint = || ArrayDirectory::open(&path).unwrap_err().to_string();
        assert!(complaint().starts_with("no such array: "));
        fs::write(&path, "").unwrap();
        assert!(complaint().starts_with("a file, not a Zarr v3 array"));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(complaint().starts_with("a directory without zarr.json"));
        fs::create_dir(path.join(OLD)).unwrap();
        assert!(complaint().starts_with("creating or deleting the array was interrupted"));
        assert!(matches!(Survey::of(&path).unwrap(), Survey::HalfMade));
        fs::write(path.join(METADATA), "{\"zarr_format\": 3,").unwrap();
        let error = ArrayDirectory::open(&path).unwrap_err();
        assert!(error.to_string().starts_with("not valid JSON"), "{error}");
        assert_eq!(error.path(), Some(&*path.join(METADATA)));
        fs::File::create(path.join(METADATA)).unwrap().set_len(1 << 40).unwrap();
        assert!(complaint().starts_with("1099511627776 bytes of metadata"), "not read into memory");
        fs::remove_file(path.join(METADATA)).unwrap();
        fs::create_dir(path.join(METADATA)).unwrap();
        assert!(complaint().starts_with("not a file"));
    }

    #[test]
    fn sections_and_buffers_that_do_not_fit_are_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let (array, _) = counted(&scratch.path().join("array"));
        let beyond = Section::new(&[0, 0], &[5, 6]).unwrap();
        assert!(matches!(array.read(&beyond, &mut [0; 240]), Err(Error::OutOfRange { .. })));
        assert!(matches!(
            array.write(&whole(), &[0; 191]),
            Err(Error::BufferLength { expected_bytes: 192, .. })
        ));
    }
}
