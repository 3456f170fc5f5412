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
            Disk::restrict(path, &look(copying.source.path())?)?;
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
        Disk::restrict(&to, &metadata)?;
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
        Disk::restrict(&new.join(METADATA), &look(&self.source.path().join(METADATA))?)?;
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

    fn abandon(&self) -> Result<()> {
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
mod tests {
    use super::*;
    use crate::format::{Alignment, ArraySpec, BrickShape, Bricks, DataType};
    use section::Section;
    use std::fs::Permissions;
    use std::os::unix::fs::{FileExt, PermissionsExt};
    use std::sync::{Arc, OnceLock};

    const ROW: [u8; 48] = [7; 48];

    fn make_source(path: &Path) -> ArrayDirectory {
        let mut spec = ArraySpec::new(&[9, 6], DataType::Float64).unwrap();
        spec.bricks = Bricks::Exact(BrickShape::exact(&[2, 3]).unwrap());
        (spec.alignment, spec.files) = (Alignment::new(512).unwrap(), 3);
        let array = ArrayDirectory::create(path, &spec).unwrap();
        array.write(&Section::new(&[4, 0], &[5, 6]).unwrap(), &ROW).unwrap();
        array
    }

    fn expect_whole(array: &ArrayDirectory) {
        let mut all = vec![1; 9 * 48];
        array.read(&Section::whole(&[9, 6]).unwrap(), &mut all).unwrap();
        assert!(all[4 * 48..5 * 48] == ROW && all[..4 * 48].iter().all(|&byte| byte == 0));
        array.check().unwrap();
    }

    fn copy_on(disk: Disk, source: &Path, path: &Path) -> Result<()> {
        let mut copying = Copying::begin_on(disk, ArrayDirectory::open(source)?, path)?;
        while copying.step()?.is_some() {}
        copying.commit().map(drop)
    }

    #[test]
    fn a_copy_that_stops_after_any_call_leaves_no_array_or_a_whole_one() {
        let scratch = tempfile::tempdir().unwrap();
        let source = scratch.path().join("source");
        make_source(&source);
        for calls in 0.. {
            let path = scratch.path().join(format!("copy-{calls}"));
            let result = copy_on(Disk::stopping_after(calls), &source, &path);
            match ArrayDirectory::open(&path) {
                Ok(array) => expect_whole(&array),
                Err(Error::Missing { .. } | Error::Empty { .. } | Error::HalfMade { .. }) => {}
                Err(error) => panic!("after {calls} calls: {error}"),
            }
            expect_whole(&ArrayDirectory::open(&source).unwrap());
            if result.is_ok() {
                assert!(calls > 20, "{calls} calls");
                break;
            }
            // Whatever is left, the copy can be made.
            if ArrayDirectory::open(&path).is_err() {
                copy_on(Disk::default(), &source, &path).unwrap();
            }
            expect_whole(&ArrayDirectory::open(&path).unwrap());
            assert_eq!(ArrayDirectory::delete(&path).unwrap().left, Vec::<PathBuf>::new());
        }
    }

    #[test]
    fn chunks_that_a_half_made_array_of_another_program_left_do_not_become_data_of_a_copy() {
        let scratch = tempfile::tempdir().unwrap();
        let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
        make_source(&source);
        for stray in ["0/0", "0.0", "c.0.0", "notes"] {
            fs::create_dir_all(path.join(OLD)).unwrap();
            fs::create_dir_all(path.join("c/0")).unwrap();
            fs::write(path.join("c/0/0"), "old").unwrap();
            fs::create_dir_all(path.join(stray).parent().unwrap()).unwrap();
            fs::write(path.join(stray), "old").unwrap();
            let error = copy_on(Disk::default(), &source, &path).unwrap_err();
            let first = path.join(Path::new(stray).iter().next().unwrap());
            assert!(matches!(&error, Error::Exists { path, .. } if *path == first), "{error}");
            assert!(path.join(OLD).is_dir() && path.join("c/0/0").is_file() && !path.join(NEW).exists());
            // It is told of by deleting too; without it there is room for a copy.
            assert_eq!(ArrayDirectory::delete(&path).unwrap().left, std::slice::from_ref(&first));
            fs::remove_dir_all(&path).unwrap();
        }
    }

    #[test]
    fn a_copy_to_where_a_half_made_array_is_in_which_any_one_call_fails_leaves_a_place_for_another() {
        let scratch = tempfile::tempdir().unwrap();
        let source = scratch.path().join("source");
        make_source(&source);
        for calls in 0..60 {
            let path = scratch.path().join(format!("copy-{calls}"));
            fs::create_dir_all(path.join(NEW)).unwrap();
            fs::create_dir_all(path.join("c/0")).unwrap();
            fs::write(path.join("c/0/0"), "old").unwrap();
            copy_on(Disk::failing_after(calls), &source, &path).ok();
            match ArrayDirectory::open(&path) {
                Ok(_) => {}
                Err(Error::Missing { .. } | Error::HalfMade { .. }) => {
                    copy_on(Disk::default(), &source, &path).unwrap();
                }
                Err(error) => panic!("after {calls} calls: {error}"),
            }
            expect_whole(&ArrayDirectory::open(&path).unwrap());
        }
    }

    #[test]
    fn a_source_that_changes_meanwhile_is_not_copied() {
        let scratch = tempfile::tempdir().unwrap();
        let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
        make_source(&source).set_attribute(crate::format::UNFINISHED, Some("half of it".into())).unwrap();
        let mut copying = Copying::begin(ArrayDirectory::open(&source).unwrap(), &path).unwrap();
        while copying.step().unwrap().is_some() {}
        // It is complete now, but what was copied is not.
        ArrayDirectory::open(&source).unwrap().set_attribute(crate::format::UNFINISHED, None).unwrap();
        assert!(matches!(copying.commit(), Err(Error::Changed { path }) if path == source));
        assert!(!path.exists());
        copy_on(Disk::default(), &source, &path).unwrap();
        expect_whole(&ArrayDirectory::open(&path).unwrap());
    }

    /// All elements.
    fn elements_of(array: &ArrayDirectory) -> Vec<u8> {
        let mut all = vec![1; 9 * 48];
        array.read(&Section::whole(&[9, 6]).unwrap(), &mut all).unwrap();
        all
    }

    /// Writes all elements, in every shard, as a program does that opens the array for it.
    fn write_all(source: &Path) -> Result<()> {
        ArrayDirectory::open(source)?.write(&Section::whole(&[9, 6]).unwrap(), &[9; 9 * 48])
    }

    /// A disk on which another program writes to `source` after so many calls, and whether it could; none before.
    fn written_after(calls: u64, source: &Path) -> (Disk, Arc<OnceLock<bool>>) {
        let (source, wrote) = (source.to_owned(), Arc::new(OnceLock::new()));
        let tells = Arc::clone(&wrote);
        let act = move || tells.set(write_all(&source).is_ok()).expect("once");
        (Disk::default().shared_after(calls, act), wrote)
    }

    fn move_on(disk: Disk, source: &Path, path: &Path) -> Result<Moved> {
        let mut copying = Copying::begin_on(disk, ArrayDirectory::open(source)?, path)?;
        while copying.step()?.is_some() {}
        copying.commit_and_delete_source()
    }

    #[test]
    fn a_write_at_any_moment_of_a_copy_is_not_half_in_it() {
        let mut refused = 0;
        for calls in 0.. {
            let scratch = tempfile::tempdir().unwrap();
            let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
            let before = elements_of(&make_source(&source));
            let (disk, wrote) = written_after(calls, &source);
            match copy_on(disk, &source, &path) {
                Ok(()) => {
                    let copied = elements_of(&ArrayDirectory::open(&path).unwrap());
                    assert!(copied == before || copied == [9; 9 * 48], "after {calls} calls");
                }
                Err(Error::Changed { path: changed }) => {
                    assert!(changed == source && !path.exists(), "after {calls} calls");
                    refused += 1;
                }
                Err(error) => panic!("after {calls} calls: {error}"),
            }
            let Some(&wrote) = wrote.get() else { break };
            assert!(wrote && elements_of(&ArrayDirectory::open(&source).unwrap()) == [9; 9 * 48]);
        }
        assert!(refused > 10, "{refused} copies refused");
    }

    #[test]
    fn a_write_at_any_moment_of_a_move_is_in_the_copy_or_in_the_source_that_stays() {
        let (mut refused, mut kept, mut too_late) = (0, 0, 0);
        for calls in 0.. {
            let scratch = tempfile::tempdir().unwrap();
            let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
            let before = elements_of(&make_source(&source));
            let (disk, wrote) = written_after(calls, &source);
            let is_left = match move_on(disk, &source, &path) {
                Ok(Moved { copy, deleted: Err(Error::Changed { path: changed }) }) => {
                    assert!(changed == source && elements_of(&copy) == before, "after {calls} calls");
                    kept += 1;
                    elements_of(&ArrayDirectory::open(&source).unwrap())
                }
                Ok(moved) => {
                    assert_eq!(moved.deleted.unwrap(), Deleted::default());
                    assert!(!source.exists());
                    elements_of(&moved.copy)
                }
                Err(Error::Changed { path: changed }) => {
                    assert!(changed == source && !path.exists(), "after {calls} calls");
                    refused += 1;
                    elements_of(&ArrayDirectory::open(&source).unwrap())
                }
                Err(error) => panic!("after {calls} calls: {error}"),
            };
            let Some(&wrote) = wrote.get() else { break };
            too_late += u32::from(!wrote);
            assert!(if wrote { is_left == [9; 9 * 48] } else { is_left == before }, "after {calls} calls");
        }
        assert!(refused > 10 && kept > 2 && too_late > 2, "{refused} {kept} {too_late}");
    }

    #[test]
    fn a_shard_of_the_source_that_goes_at_any_moment_of_a_move_takes_no_copy_with_it() {
        let mut kept = 0;
        for calls in 0.. {
            let scratch = tempfile::tempdir().unwrap();
            let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
            let shard = make_source(&source).shard_path(1);
            let went = Arc::new(OnceLock::new());
            let tells = Arc::clone(&went);
            let act = move || tells.set(fs::remove_file(&shard).is_ok()).expect("once");
            match move_on(Disk::default().shared_after(calls, act), &source, &path) {
                Ok(moved) => {
                    expect_whole(&moved.copy);
                    kept += u32::from(moved.deleted.is_err());
                }
                Err(_) => assert!(ArrayDirectory::open(&path).is_err(), "after {calls} calls"),
            }
            if went.get().is_none() {
                break;
            }
        }
        assert!(kept > 2, "{kept}");
    }

    #[test]
    fn a_move_that_stops_after_any_call_or_in_which_one_fails_leaves_the_source_or_the_copy_whole() {
        for disk in [Disk::stopping_after, Disk::failing_after] {
            for calls in 0.. {
                let scratch = tempfile::tempdir().unwrap();
                let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
                make_source(&source);
                let result = move_on(disk(calls), &source, &path);
                match (ArrayDirectory::open(&source), ArrayDirectory::open(&path)) {
                    (Ok(source), Ok(copy)) => [source, copy].iter().for_each(expect_whole),
                    (Ok(one), Err(_)) | (Err(_), Ok(one)) => expect_whole(&one),
                    (Err(error), Err(_)) => panic!("after {calls} calls: {error}"),
                }
                if result.is_ok_and(|moved| moved.deleted.is_ok()) && !source.exists() {
                    break;
                }
            }
        }
    }

    #[test]
    fn a_move_that_notices_a_write_and_then_stops_leaves_what_was_written() {
        let mut not_put_back = 0;
        for (calls, more) in (25..45).flat_map(|calls| (0..8).map(move |more| (calls, more))) {
            let scratch = tempfile::tempdir().unwrap();
            let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
            let before = elements_of(&make_source(&source));
            let wrote = Arc::new(OnceLock::new());
            let (tells, written) = (Arc::clone(&wrote), source.clone());
            let act = move || tells.set(write_all(&written).is_ok()).expect("once");
            let disk = Disk::stopping_after(calls + more).shared_after(calls, act);
            let result = move_on(disk, &source, &path);
            if let Ok(Moved { deleted: Err(Error::NotPutBack { old, .. }), .. }) = &result {
                not_put_back += 1;
                fs::rename(old, source.join(METADATA)).unwrap();
            }
            let wrote = wrote.get() == Some(&true);
            let is_left = |path: &Path| {
                ArrayDirectory::open(path).is_ok_and(|array| elements_of(&array) == [9; 9 * 48])
            };
            let place = format!("{calls} calls and {more}: {result:?}");
            if wrote {
                assert!(is_left(&source) || is_left(&path), "{place}");
            } else {
                let whole =
                    |path: &Path| ArrayDirectory::open(path).is_ok_and(|array| elements_of(&array) == before);
                assert!(whole(&source) || whole(&path), "{place}");
            }
        }
        assert!(not_put_back > 0);
    }

    /// What is copied and then changed is neither copied nor deleted; where a directory for the copy was, it is as empty as it was.
    fn expect_refused(change: impl Fn(&ArrayDirectory)) {
        let ends: [&dyn Fn(Copying) -> Result<()>; 2] =
            [&|copying| copying.commit().map(drop), &|copying| copying.commit_and_delete_source().map(drop)];
        for (end, has_place) in [(ends[0], true), (ends[0], false), (ends[1], true), (ends[1], false)] {
            let scratch = tempfile::tempdir().unwrap();
            let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
            make_source(&source);
            if has_place {
                fs::create_dir(&path).unwrap();
            }
            let mut copying = Copying::begin(ArrayDirectory::open(&source).unwrap(), &path).unwrap();
            while copying.step().unwrap().is_some() {}
            change(&ArrayDirectory::open(&source).unwrap());
            let error = end(copying).unwrap_err();
            assert!(matches!(&error, Error::Changed { path } if *path == source), "{error}");
            assert!(source.join(METADATA).is_file());
            assert_eq!(path.exists(), has_place);
            assert!(entries(&path).unwrap().is_empty());
        }
    }

    #[test]
    fn a_shard_that_grows_appears_goes_or_is_written_meanwhile_is_noticed() {
        let open = |array: &ArrayDirectory| File::options().write(true).open(array.shard_path(1)).unwrap();
        expect_refused(|array| open(array).write_all_at(&[0], 0).unwrap());
        expect_refused(|array| {
            let file = open(array);
            file.set_len(file.metadata().unwrap().len() + 1).unwrap();
        });
        expect_refused(|array| fs::remove_file(array.shard_path(1)).unwrap());
        let aside = |array: &ArrayDirectory| array.path().with_file_name("aside");
        expect_refused(|array| {
            fs::copy(array.shard_path(1), aside(array)).unwrap();
            fs::rename(aside(array), array.shard_path(1)).unwrap();
        });
        // One that was not there.
        let scratch = tempfile::tempdir().unwrap();
        let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
        let shard = make_source(&source).shard_path(1);
        fs::rename(&shard, scratch.path().join("aside")).unwrap();
        let mut copying = Copying::begin(ArrayDirectory::open(&source).unwrap(), &path).unwrap();
        while copying.step().unwrap().is_some() {}
        fs::rename(scratch.path().join("aside"), &shard).unwrap();
        assert!(matches!(copying.commit_and_delete_source(), Err(Error::Changed { .. })));
        assert!(shard.is_file() && !path.exists());
    }

    #[test]
    fn an_attribute_that_is_set_meanwhile_is_copied_too() {
        let scratch = tempfile::tempdir().unwrap();
        let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
        make_source(&source);
        let mut copying = Copying::begin(ArrayDirectory::open(&source).unwrap(), &path).unwrap();
        while copying.step().unwrap().is_some() {}
        ArrayDirectory::open(&source).unwrap().set_attribute("units", Some("hartree".into())).unwrap();
        let moved = copying.commit_and_delete_source().unwrap();
        assert_eq!(moved.copy.metadata().attributes["units"], "hartree");
        assert_eq!(moved.deleted.unwrap(), Deleted::default());
        assert!(!source.exists());
        expect_whole(&moved.copy);
    }

    #[test]
    fn an_array_of_another_program_is_moved_without_what_is_not_of_it() {
        let scratch = tempfile::tempdir().unwrap();
        let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
        make_source(&source);
        fs::write(source.join("notes"), "mine").unwrap();
        let text = fs::read_to_string(source.join(METADATA)).unwrap().replace("\"chemio\"", "\"other\"");
        fs::write(source.join(METADATA), text).unwrap();
        let moved = move_on(Disk::default(), &source, &path).unwrap();
        assert_eq!(moved.deleted.unwrap().left, [source.join("notes")]);
        assert_eq!(entries(&source).unwrap().len(), 1);
        expect_whole(&moved.copy);
    }

    #[test]
    fn a_copy_that_fails_once_leaves_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let source = scratch.path().join("source");
        make_source(&source);
        for calls in 0.. {
            let path = scratch.path().join("copy");
            let result = copy_on(Disk::failing_after(calls), &source, &path);
            match ArrayDirectory::open(&path) {
                Ok(array) => {
                    expect_whole(&array);
                    drop(array);
                    ArrayDirectory::delete(&path).unwrap();
                }
                Err(error) => {
                    assert!(result.is_err());
                    assert!(!path.exists(), "after {calls} calls: {error}");
                }
            }
            if result.is_ok() {
                break;
            }
        }
    }

    #[test]
    fn holes_are_not_copied_and_other_files_stay_behind() {
        let scratch = tempfile::tempdir().unwrap();
        let source = scratch.path().join("source");
        let array =
            ArrayDirectory::create(&source, &ArraySpec::new(&[4000, 5000], DataType::Float64).unwrap())
                .unwrap();
        array.write(&Section::new(&[3999, 0], &[4000, 5000]).unwrap(), &vec![3; 40_000]).unwrap();
        fs::write(source.join("notes"), "mine").unwrap();
        let copy = array.copy_to(&scratch.path().join("copy")).unwrap();
        let shard = fs::metadata(copy.shard_path(0)).unwrap();
        assert!(
            shard.len() > 4000 * 5000 * 8 && shard.blocks() * 512 < 16 << 20,
            "{} blocks",
            shard.blocks()
        );
        let mut row = vec![0; 40_000];
        copy.read(&Section::new(&[3999, 0], &[4000, 5000]).unwrap(), &mut row).unwrap();
        assert!(row.iter().all(|&byte| byte == 3));
        assert!(!copy.path().join("notes").exists());
    }

    #[test]
    fn what_was_private_stays_private() {
        let scratch = tempfile::tempdir().unwrap();
        let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
        let array = make_source(&source);
        let allow = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        allow(&source, 0o500);
        allow(&source.join(METADATA), 0o600);
        allow(&array.shard_path(0), 0o400);
        let copy = array.copy_to(&path).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!(
            [mode(&path), mode(&path.join(METADATA)), mode(&copy.shard_path(0))],
            [0o700, 0o600, 0o600]
        );
        let others = mode(&copy.shard_path(1));
        assert_eq!(others, mode(&ArrayDirectory::open(&source).unwrap().shard_path(1)), "as new files are");
    }

    #[test]
    fn what_is_there_already_is_not_touched() {
        let scratch = tempfile::tempdir().unwrap();
        let (source, other) = (scratch.path().join("source"), scratch.path().join("other"));
        make_source(&source);
        fs::write(&other, "mine").unwrap();
        for path in [&source, &other] {
            let error = ArrayDirectory::open(&source).unwrap().copy_to(path).unwrap_err();
            assert!(matches!(error, Error::Exists { .. }), "{error}");
        }
        assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
        expect_whole(&ArrayDirectory::open(&source).unwrap());
    }
}
