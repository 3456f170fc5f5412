//! Making an array, so that whenever the program is killed there is either no array, or the old one, or the new one.
//!
//! 1. Everything is made under `.chemio-new`: each shard with its length (a hole) and its index, then `zarr.json`; all
//!    of it is synced. An old array is whole until then, and stays if any of this fails.
//! 2. The old array's `zarr.json` and shards go to `.chemio-old`. From here on there is no array.
//! 3. The new shards get their names, by one rename of the directory that holds them, and are synced.
//! 4. `zarr.json` gets its name: there is the new array. What is under `.chemio-old` is removed.
//!
//! The names of directories are synced between steps, so that the order also holds when the machine stops. Where nothing was
//! before, and nobody wrote elements into the shards yet, two points are enough, at each of which all that has to be is synced at once:
//! before step 3, and at the end. Should the machine stop so that only the later name is kept, `zarr.json` without shards is the new
//! array too: of zeros, and the next writer makes the shards. If [`Creation::shard_path`] was asked for, elements may have been written,
//! and the name of the shards is synced before `zarr.json` gets its own.

use crate::directory::ArrayDirectory;
use crate::disk::{Disk, Unsynced, entries};
use crate::error::{Error, Operation, Result, refused};
use crate::format::{ArrayLayout, ArraySpec, METADATA, Metadata, Replaces, UNFINISHED};
use crate::shard_file::lay_out_shard;
use crate::survey::{CHUNKS, ChunkTree, NEW, OLD, PART, Survey};
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
    /// - As [`ArraySpec::layout`], or what the system says.
    pub fn begin(path: &Path, spec: &ArraySpec) -> Result<Self> {
        Self::begin_on(Disk::default(), path, spec)
    }

    pub(crate) fn begin_on(disk: Disk, path: &Path, spec: &ArraySpec) -> Result<Self> {
        let (metadata, layout) = (spec.metadata()?, spec.layout()?);
        let not_ours = |path: &Path, found| Err(Error::NotOurs { path: path.to_owned(), found });
        if let Survey::Other(found) = Survey::of(path)? {
            return not_ours(path, found);
        }
        let (turn, made_directory) = Turn::of_maker(&disk, path)?;
        // As it is now: another process may have made an array here meanwhile, even in the directory that this one has made.
        let survey = Survey::of(path)?;
        if let (Survey::Ours(metadata), Replaces::Unfinished) = (&survey, spec.replaces)
            && !metadata.attributes.contains_key(UNFINISHED)
        {
            return Err(Error::Exists { path: path.to_owned(), found: "an array" });
        }
        if let Survey::Other(found) = survey {
            return not_ours(path, found);
        }
        let shards = ChunkTree::of(path, survey.dims())?;
        if let Some(foreign) = shards.foreign.first() {
            return not_ours(foreign, "something in the way of the shards");
        }
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
            path: path.to_owned(),
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

    /// Makes an empty file `name` beside what is being made: whoever sees it sees this directory, and not one of the same name
    /// on another host.
    ///
    /// # Errors
    /// What the system says.
    pub fn lay_token(&self, name: &str) -> Result<()> {
        self.disk.make_file(&self.new_path().join(name)).map(drop)
    }

    /// Whether this process sees the token that another has laid.
    pub fn sees_token(path: &Path, name: &str) -> bool {
        path.join(NEW).join(name).exists()
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
        let new = self.new_path();
        self.write_metadata(&new.join(METADATA))?;
        self.unsynced.extend(Unsynced::tree(&new)?);
        if self.is_first {
            let parent = self.path.parent().unwrap_or(Path::new("")).to_owned();
            self.unsynced.extend([self.path.clone(), parent].map(Unsynced::Directory));
        }
        self.sync_made()?;
        self.stage = Stage::Naming;
        if !self.is_first {
            self.retire_old()?;
        }
        self.disk.rename(&new.join(CHUNKS), &self.path.join(CHUNKS))?;
        if !self.is_first || *self.may_have_elements.get_mut() {
            self.disk.sync_directory(&self.path)?;
        }
        self.disk.rename(&new.join(METADATA), &self.path.join(METADATA))?;
        // From here on nothing may be taken back.
        self.stage = Stage::Joined;
        self.disk.sync_directory(&self.path)?;
        for remains in [self.path.join(OLD), self.path.join(PART), new] {
            if let Err(error) = self.disk.remove_tree(&remains) {
                tracing::warn!(%error, "what a new array replaced is left behind");
            }
        }
        ArrayDirectory::open(&self.path)
    }

    fn write_metadata(&mut self, path: &Path) -> Result<()> {
        let file = self.disk.make_file(path)?;
        self.disk.write_at(&file, path, self.metadata.to_text().as_bytes(), 0)?;
        self.unsynced.push(Unsynced::File(file, path.to_owned()));
        Ok(())
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
        let new_chunks = self.new_path().join(CHUNKS);
        if !new_chunks.try_exists().map_err(refused(Operation::Look, &new_chunks))? {
            // The new shards have come so far.
            self.disk.remove_tree(&chunks)?;
        }
        self.disk.rename_if_there(&old.join(CHUNKS), &chunks)?;
        self.disk.sync_directory(&self.path)?;
        self.disk.rename_if_there(&old.join(METADATA), &self.path.join(METADATA))?;
        self.disk.sync_directory(&self.path)?;
        self.disk.remove_tree(&old)
    }

    fn abandon(&self) -> Result<()> {
        if self.stage == Stage::Naming {
            self.reinstate_old()?;
        }
        take_back(&self.disk, &self.path, self.owns_directory)
    }
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
    disk.empty_directory(&new)?;
    disk.remove_tree(&path.join(OLD))
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
mod tests {
    use super::*;
    use crate::delete::delete_on;
    use crate::format::{Alignment, Bricks, DataType};
    use crate::{BrickShape, Deleted};
    use section::Section;
    use std::fs;

    /// Several shards, in two directories.
    fn spec(name: &str, rows: u64) -> ArraySpec {
        let mut spec = ArraySpec::new(&[rows, 6], DataType::Float64).unwrap();
        spec.bricks = Bricks::Exact(BrickShape::exact(&[2, 3]).unwrap());
        (spec.alignment, spec.files) = (Alignment::new(512).unwrap(), 3);
        spec.attributes.name = name.to_owned();
        spec
    }

    const ROW: [u8; 48] = [7; 48];

    /// An array with a row of sevens.
    fn make_old(path: &Path) {
        let old = ArrayDirectory::create(path, &spec("old", 4)).unwrap();
        old.write(&Section::new(&[1, 0], &[2, 6]).unwrap(), &ROW).unwrap();
    }

    fn expect_old(array: &ArrayDirectory) {
        let mut row = [0; 48];
        array.read(&Section::new(&[1, 0], &[2, 6]).unwrap(), &mut row).unwrap();
        assert_eq!(row, ROW);
        expect_whole(array);
    }

    fn expect_new(array: &ArrayDirectory) {
        let mut all = [1; 9 * 48];
        array.read(&Section::new(&[0, 0], &[9, 6]).unwrap(), &mut all).unwrap();
        assert_eq!(all, [0; 9 * 48]);
        expect_whole(array);
    }

    fn expect_whole(array: &ArrayDirectory) {
        for number in 0..array.layout().shards_count() {
            assert!(array.shard(number).unwrap().unwrap().is_as_laid_out());
        }
    }

    fn names(path: &Path) -> Vec<String> {
        let name = |(path, _): (PathBuf, _)| path.file_name().unwrap().to_str().unwrap().to_owned();
        entries(path).unwrap().into_iter().map(name).collect()
    }

    /// How many system calls change the disk until `work` ends by itself, having called `see` with what a stop after each
    /// of them leaves.
    fn stop_everywhere(
        before: impl Fn(&Path),
        work: impl Fn(Disk, &Path) -> Result<()>,
        see: impl Fn(u64, &Path),
    ) -> u64 {
        for calls in 0.. {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path().join("array");
            before(&path);
            let result = work(Disk::stopping_after(calls), &path);
            see(calls, &path);
            if result.is_ok() {
                return calls;
            }
        }
        unreachable!("the work never ended")
    }

    fn create_new(disk: Disk, path: &Path) -> Result<()> {
        create_on(disk, path, &spec("new", 9)).map(drop)
    }

    #[test]
    fn a_create_that_stops_after_any_call_leaves_no_array_or_a_whole_one() {
        let calls = stop_everywhere(
            |_| {},
            create_new,
            |calls, path| {
                match ArrayDirectory::open(path) {
                    Ok(array) => expect_new(&array),
                    Err(Error::Missing { .. } | Error::HalfMade { .. }) => {}
                    Err(Error::NotAnArray { .. }) => assert!(names(path).is_empty(), "after {calls} calls"),
                    Err(error) => panic!("after {calls} calls: {error}"),
                }
                // Whatever is left, another create succeeds and leaves nothing of it behind.
                make_old(path);
                expect_old(&ArrayDirectory::open(path).unwrap());
                assert_eq!(names(path), ["c", "zarr.json"], "after {calls} calls");
            },
        );
        assert!(calls > 20, "{calls} calls");
    }

    #[test]
    fn only_an_unfinished_array_is_replaced_if_the_spec_says_so() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        make_old(&path);
        let careful = ArraySpec { replaces: Replaces::Unfinished, ..spec("new", 9) };
        assert!(matches!(ArrayDirectory::create(&path, &careful), Err(Error::Exists { .. })));
        let mut old = ArrayDirectory::open(&path).unwrap();
        expect_old(&old);
        old.set_attribute(UNFINISHED, Some("half of it".into())).unwrap();
        expect_new(&ArrayDirectory::create(&path, &careful).unwrap());
    }

    /// What a machine may leave that stops before the last sync, where the later of two names is kept and the earlier is not.
    #[test]
    fn a_new_array_whose_shards_lost_their_name_is_zeros_and_can_be_written() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        drop(ArrayDirectory::create(&path, &spec("new", 9)).unwrap());
        fs::create_dir(path.join(NEW)).unwrap();
        fs::rename(path.join(CHUNKS), path.join(NEW).join(CHUNKS)).unwrap();
        let array = ArrayDirectory::open(&path).unwrap();
        let mut all = [1; 9 * 48];
        array.read(&Section::new(&[0, 0], &[9, 6]).unwrap(), &mut all).unwrap();
        assert_eq!(all, [0; 9 * 48]);
        for number in 0..array.layout().shards_count() {
            array.shard_for_writing(number).unwrap();
        }
        array.write(&Section::new(&[1, 0], &[2, 6]).unwrap(), &ROW).unwrap();
        expect_old(&ArrayDirectory::open(&path).unwrap());
        assert_eq!(ArrayDirectory::delete(&path).unwrap(), Deleted::default());
        assert!(!path.exists());
    }

    #[test]
    fn shards_that_may_have_elements_have_their_name_on_the_device_before_the_metadata_get_theirs() {
        // Stops after which the shards have their name, and the metadata have not: at the next rename, and at a sync before.
        let stops_between = |asks: bool| {
            let stops = std::cell::Cell::new(0);
            stop_everywhere(
                |_| {},
                |disk, path| {
                    let mut creation = Creation::begin_on(disk, path, &spec("new", 9))?;
                    creation.make_shards(0..creation.layout.shards_count())?;
                    if asks {
                        assert!(creation.shard_path(0).is_file());
                    }
                    creation.commit().map(drop)
                },
                |_, path| {
                    let is_between = path.join(CHUNKS).exists() && !path.join(METADATA).exists();
                    stops.set(stops.get() + u32::from(is_between));
                },
            );
            stops.get()
        };
        assert_eq!((stops_between(false), stops_between(true)), (1, 2));
    }

    #[test]
    fn replacing_an_array_stopped_after_any_call_leaves_the_old_one_none_or_the_new_one() {
        let calls = stop_everywhere(make_old, create_new, |calls, path| {
            match ArrayDirectory::open(path) {
                Ok(array) if array.attributes().unwrap().name == "old" => expect_old(&array),
                Ok(array) => expect_new(&array),
                Err(Error::HalfMade { .. }) => {}
                Err(error) => panic!("after {calls} calls: {error}"),
            }
            assert_eq!(ArrayDirectory::delete(path).unwrap(), Deleted::default(), "after {calls} calls");
            assert!(!path.exists());
        });
        assert!(calls > 20, "{calls} calls");
    }

    #[test]
    fn a_create_over_what_a_stopped_one_left_may_be_stopped_too() {
        for first in (0..60).step_by(3) {
            stop_everywhere(
                |path| {
                    make_old(path);
                    create_new(Disk::stopping_after(first), path).ok();
                },
                |disk, path| create_on(disk, path, &spec("third", 9)).map(drop),
                |calls, path| {
                    match ArrayDirectory::open(path) {
                        Ok(array) if array.attributes().unwrap().name == "old" => expect_old(&array),
                        Ok(array) => expect_new(&array),
                        Err(Error::HalfMade { .. }) => {}
                        Err(error) => panic!("after {first} and {calls} calls: {error}"),
                    }
                    ArrayDirectory::delete(path).unwrap();
                },
            );
        }
    }

    #[test]
    fn a_create_over_a_half_made_array_in_which_any_one_call_fails_leaves_a_place_for_another() {
        for (first, replaces) in (0..60).flat_map(|first| [(first, false), (first, true)]) {
            for calls in 0.. {
                let scratch = tempfile::tempdir().unwrap();
                let path = scratch.path().join("array");
                if replaces {
                    make_old(&path);
                }
                create_new(Disk::stopping_after(first), &path).ok();
                if !matches!(ArrayDirectory::open(&path), Err(Error::HalfMade { .. })) {
                    break;
                }
                let result = create_on(Disk::failing_after(calls), &path, &spec("third", 9));
                match ArrayDirectory::open(&path) {
                    Ok(array) => expect_new(&array),
                    Err(Error::Missing { .. } | Error::HalfMade { .. }) => assert!(result.is_err()),
                    Err(error) => panic!("after {first} and {calls} calls: {error}"),
                }
                make_old(&path);
                expect_old(&ArrayDirectory::open(&path).unwrap());
                assert_eq!(names(&path), ["c", "zarr.json"], "after {first} and {calls} calls");
                if calls > 20 && result.is_ok() {
                    break;
                }
            }
        }
    }

    #[test]
    fn an_old_array_stays_where_nobody_can_tell_whether_the_new_shards_have_taken_its_place() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        make_old(&path);
        let creation = Creation::begin(&path, &spec("new", 9)).unwrap();
        let new_chunks = creation.new_path().join(CHUNKS);
        fs::remove_dir(&new_chunks).unwrap();
        std::os::unix::fs::symlink(CHUNKS, &new_chunks).unwrap();
        let unclear = creation.reinstate_old().unwrap_err();
        assert!(matches!(unclear, Error::System { operation: Operation::Look, .. }), "{unclear}");
        drop(creation);
        expect_old(&ArrayDirectory::open(&path).unwrap());
    }

    #[test]
    fn a_delete_that_stops_after_any_call_leaves_the_array_or_what_can_be_deleted() {
        let calls = stop_everywhere(
            make_old,
            |disk, path| delete_on(&disk, path).map(drop),
            |calls, path| match ArrayDirectory::open(path) {
                Ok(array) => expect_old(&array),
                Err(Error::Missing { .. }) => {}
                Err(Error::NotAnArray { .. }) => assert!(names(path).is_empty(), "after {calls} calls"),
                Err(Error::HalfMade { .. }) => {
                    assert_eq!(delete_on(&Disk::default(), path).unwrap(), Deleted::default());
                    assert!(!path.exists());
                }
                Err(error) => panic!("after {calls} calls: {error}"),
            },
        );
        assert!(calls > 10, "{calls} calls");
    }

    #[test]
    fn a_delete_on_a_full_disk_that_stops_after_any_call_leaves_the_array_or_what_can_be_removed() {
        let calls = stop_everywhere(
            make_old,
            |disk, path| delete_on(&disk.filled(), path).map(drop),
            |calls, path| match ArrayDirectory::open(path) {
                Ok(array) => expect_old(&array),
                Err(Error::Missing { .. }) => {}
                Err(Error::NotAnArray { .. }) => assert!(names(path).is_empty(), "after {calls} calls"),
                Err(Error::HalfMade { .. }) if calls % 3 == 0 => {
                    expect_new(&ArrayDirectory::create(path, &spec("new", 9)).unwrap());
                    assert_eq!(names(path), ["c", "zarr.json"], "after {calls} calls");
                }
                Err(Error::HalfMade { .. }) => {
                    let disk = if calls % 3 == 1 { Disk::default() } else { Disk::default().filled() };
                    assert_eq!(delete_on(&disk, path).unwrap(), Deleted::default());
                    assert!(!path.exists());
                }
                Err(error) => panic!("after {calls} calls: {error}"),
            },
        );
        assert!(calls > 10, "{calls} calls");
    }

    #[test]
    fn what_a_stopped_create_left_can_be_deleted_on_a_full_disk() {
        for first in 0..60 {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path().join("array");
            make_old(&path);
            create_new(Disk::stopping_after(first), &path).ok();
            assert_eq!(delete_on(&Disk::default().filled(), &path).unwrap(), Deleted::default());
            assert!(!path.exists(), "after {first} calls");
        }
    }

    #[test]
    fn an_array_that_is_not_ours_can_be_deleted_on_a_full_disk() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        make_old(&path);
        let theirs = fs::read_to_string(path.join(METADATA)).unwrap().replace("\"chemio\"", "\"other\"");
        fs::write(path.join(METADATA), theirs).unwrap();
        let array = ArrayDirectory::open(&path).unwrap();
        assert!(array.attributes().is_none());
        assert_eq!(array.delete_whoever_made_it_on(&Disk::default().filled()).unwrap(), Deleted::default());
        assert!(!path.exists());
    }

    #[test]
    fn a_create_that_is_abandoned_leaves_an_old_array_as_it_was_or_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        let mut creation = Creation::begin(&path, &spec("new", 9)).unwrap();
        creation.make_shards([0]).unwrap();
        drop(creation);
        assert!(!path.exists());
        make_old(&path);
        drop(Creation::begin(&path, &spec("new", 9)).unwrap());
        expect_old(&ArrayDirectory::open(&path).unwrap());
        assert_eq!(names(&path), ["c", "zarr.json"]);
    }

    #[test]
    fn several_processes_can_make_the_shards() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        let spec = spec("new", 9);
        let mut creation = Creation::begin(&path, &spec).unwrap();
        let mut other = Creation::join(&path, &spec).unwrap();
        let count = creation.layout().shards_count();
        creation.make_shards((0..count).step_by(2)).unwrap();
        other.make_shards((1..count).step_by(2)).unwrap();
        assert_eq!((creation.unsynced.len() as u64, other.unsynced.len()), (count.div_ceil(2), 0));
        drop(other);
        expect_new(&creation.commit().unwrap());
    }

    #[test]
    fn creating_over_anything_else_fails_and_touches_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        let refuse = |found: &str| {
            let before = snapshot(scratch.path());
            let error = ArrayDirectory::create(&path, &spec("new", 9)).unwrap_err();
            assert!(
                matches!(&error, Error::NotOurs { .. }) && error.to_string().starts_with(found),
                "{error}"
            );
            assert_eq!(snapshot(scratch.path()), before);
        };
        fs::write(&path, "data").unwrap();
        refuse("a file, not an array made by chemio");
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("nowhere", &path).unwrap();
        refuse("a link to nothing");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        fs::write(path.join("notes"), "x").unwrap();
        refuse("a directory without zarr.json");
        fs::write(path.join(".zarray"), "{}").unwrap();
        refuse("an array or group of Zarr version 2");
        fs::write(path.join(METADATA), "{").unwrap();
        refuse("a directory with metadata that cannot be understood");
        fs::write(path.join(METADATA), r#"{"zarr_format": 3, "node_type": "group"}"#).unwrap();
        refuse("a Zarr group");
        let foreign = spec("", 9).metadata().unwrap().to_text().replace("\"chemio\"", "\"other\"");
        fs::write(path.join(METADATA), foreign).unwrap();
        refuse("an array of another program");
        fs::remove_dir_all(&path).unwrap();
        make_old(&path);
        fs::write(path.join("c/0/notes"), "x").unwrap();
        refuse("something in the way of the shards");
    }

    fn snapshot(path: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        let mut found = vec![];
        for (entry, kind) in entries(path).unwrap() {
            if kind.is_dir() {
                found.push((entry.clone(), None));
                found.extend(snapshot(&entry));
            } else {
                found.push((entry.clone(), fs::read(&entry).ok()));
            }
        }
        found
    }

    #[test]
    fn a_create_in_which_any_one_call_fails_leaves_the_old_array_as_it_was() {
        for calls in 0.. {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path().join("array");
            make_old(&path);
            let before = snapshot(scratch.path());
            match create_on(Disk::failing_after(calls), &path, &spec("new", 9)) {
                // Only tidying up may fail without a word, or nothing has.
                Ok(array) => {
                    expect_new(&array);
                    assert!(calls > 20, "{calls} calls");
                    if names(&path) == ["c", "zarr.json"] {
                        return;
                    }
                }
                Err(_) if ArrayDirectory::open(&path).unwrap().attributes().unwrap().name == "old" => {
                    assert_eq!(snapshot(scratch.path()), before, "after {calls} calls");
                }
                // The last sync: the new array is there, and may not survive if the machine stops.
                Err(error) => {
                    expect_new(&ArrayDirectory::open(&path).unwrap());
                    assert!(
                        matches!(error, Error::System { operation: crate::Operation::Sync, .. }),
                        "{error}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_create_in_which_any_one_call_fails_leaves_nothing_where_nothing_was() {
        for calls in 0.. {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path().join("array");
            match create_on(Disk::failing_after(calls), &path, &spec("new", 9)) {
                Ok(array) => {
                    expect_new(&array);
                    assert!(calls > 20, "{calls} calls");
                    if names(&path) == ["c", "zarr.json"] {
                        return;
                    }
                }
                Err(_) if path.exists() => expect_new(&ArrayDirectory::open(&path).unwrap()),
                Err(_) => assert!(names(scratch.path()).is_empty(), "after {calls} calls"),
            }
        }
    }

    #[test]
    fn a_name_that_no_file_can_have_is_an_error_with_the_path() {
        let scratch = tempfile::tempdir().unwrap();
        for path in [scratch.path().join("x".repeat(4000)), scratch.path().join("not/there")] {
            let error = ArrayDirectory::create(&path, &spec("new", 9)).unwrap_err();
            assert!(matches!(error, Error::System { .. }) && error.path() == Some(&path), "{error}");
        }
        assert!(names(scratch.path()).is_empty());
    }

    #[test]
    fn a_name_that_is_empty_or_blank_is_refused() {
        for path in ["", "  "].map(Path::new) {
            let refused = [
                ArrayDirectory::create(path, &spec("new", 9)).unwrap_err(),
                ArrayDirectory::open(path).unwrap_err(),
                ArrayDirectory::delete(path).unwrap_err(),
            ];
            assert!(refused.iter().all(|error| error.to_string() == "the file name is empty"), "{refused:?}");
        }
    }

    #[test]
    fn delete_leaves_what_is_not_ours_and_names_it() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        make_old(&path);
        for foreign in ["notes", "c/0/notes", "c/0/01", "c/7"] {
            fs::write(path.join(foreign), "x").unwrap();
        }
        let left = ArrayDirectory::delete(&path).unwrap().left;
        assert_eq!(left, ["c/0/01", "c/0/notes", "c/7", "notes"].map(|name| path.join(name)));
        assert_eq!(names(&path), ["c", "notes"]);
        assert_eq!(names(&path.join("c/0")), ["01", "notes"]);
        assert!(matches!(ArrayDirectory::delete(&path), Err(Error::NotOurs { .. })));
        let missing = scratch.path().join("missing");
        assert!(matches!(ArrayDirectory::delete(&missing), Err(Error::Missing { .. })));
        fs::create_dir(&missing).unwrap();
        assert!(matches!(ArrayDirectory::delete(&missing), Err(Error::NotOurs { .. })));
    }
}
