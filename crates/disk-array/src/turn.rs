//! Turns of processes that make an array at the same place, or read the metadata of one, change them, and replace them, or give a shard
//! its place.

use crate::disk::Disk;
use crate::error::{Error, Result};
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Who makes an array, deletes one or changes its metadata waits so long for another one who does.
const PATIENCE: Duration = Duration::from_secs(10);
/// Who gives a shard its place waits so long: all processes of a job may do so at once, each for a moment.
const LONG_PATIENCE: Duration = Duration::from_secs(60);
/// How long to wait before asking again.
const PAUSE: Duration = Duration::from_millis(1);
/// So often a directory may vanish that was just there.
const TRIES_MAX: usize = 100;

/// As long as this lives nobody else has a turn of the same array.
#[derive(Debug)]
pub(crate) struct Turn {
    /// Has the lock, which ends with it, however the process ends; none where there is no directory.
    directory: Option<File>,
}

impl Turn {
    /// Waits for a turn to delete the array in this directory, or to change its metadata, if there is one. Where the file system has no
    /// locks nothing is known of others, and the caller goes on without.
    ///
    /// # Errors
    /// [`Error::BeingMade`]: somebody else does not end his turn.
    pub(crate) fn take(path: &Path) -> Result<Self> {
        Self::take_within(path, PATIENCE)
    }

    /// The same, to give a shard its place.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub(crate) fn of_restorer(path: &Path) -> Result<Self> {
        Self::take_within(path, LONG_PATIENCE)
    }

    fn take_within(path: &Path, patience: Duration) -> Result<Self> {
        let mut tries = 0;
        loop {
            let turn = Self::ask(path, patience)?;
            tries += 1;
            // Who had the turn before may have removed the directory, and another one may have made it again.
            if turn.is_at(path) || tries >= TRIES_MAX {
                return Ok(turn);
            }
        }
    }

    /// Makes the directory, unless it is there, and waits for a turn to make an array in it; tells whether it was made. What is in
    /// it is to be looked at only then.
    ///
    /// # Errors
    /// [`Error::BeingMade`]: somebody else does not end his turn. What the system says.
    pub(crate) fn of_maker(disk: &Disk, path: &Path) -> Result<(Self, bool)> {
        let mut tries = 0;
        loop {
            let made = disk.make_directory(path)?;
            let turn = Self::ask(path, PATIENCE)?;
            tries += 1;
            // Who had the turn before may have removed the directory.
            if turn.is_at(path) || tries >= TRIES_MAX {
                return Ok((turn, made));
            }
        }
    }

    fn ask(path: &Path, patience: Duration) -> Result<Self> {
        // Nothing else is opened: a pipe would wait for its other end.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = || Ok(rustix::fs::open(path, flags, Mode::empty())?);
        let directory = elio::with_open_files_raised(open).ok().map(File::from);
        let locked =
            directory.as_ref().map_or(Ok(()), |directory| lock(directory, Instant::now() + patience));
        match locked {
            Err(Errno::WOULDBLOCK) => return Err(Error::BeingMade { path: path.to_owned() }),
            Err(error) => tracing::debug!(%error, path = %path.display(), "no locks here"),
            Ok(()) => {}
        }
        Ok(Self { directory })
    }

    fn is_at(&self, path: &Path) -> bool {
        let identity = |found: std::io::Result<Metadata>| found.ok().map(|found| (found.dev(), found.ino()));
        let mine = self.directory.as_ref().map(|directory| identity(directory.metadata()));
        mine.is_none_or(|mine| mine == identity(fs::metadata(path)))
    }
}

/// Takes the exclusive lock of a file or a directory, and waits for it until then.
pub(crate) fn lock(file: &File, until: Instant) -> std::result::Result<(), Errno> {
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) if Instant::now() < until => sleep(PAUSE),
            Err(Errno::INTR) => {}
            outcome => return outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copy::Copying;
    use crate::create::Creation;
    use crate::directory::ArrayDirectory;
    use crate::format::{ArraySpec, DataType};
    use section::Section;

    #[test]
    fn nobody_takes_back_what_another_one_has_set_at_the_same_time() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        ArrayDirectory::create(&path, &ArraySpec::new(&[3], DataType::Float64).unwrap()).unwrap();
        std::thread::scope(|scope| {
            for key in ["hartree", "bohr", "debye"] {
                let path = &path;
                scope.spawn(move || {
                    let mut mine = ArrayDirectory::open(path).unwrap();
                    for i in 0..50 {
                        mine.set_attribute(key, Some(i.into())).unwrap();
                        let now = ArrayDirectory::open(path).unwrap();
                        assert_eq!(now.metadata().attributes[key], i, "{key}");
                    }
                });
            }
        });
    }

    #[test]
    fn who_makes_an_array_keeps_others_from_it_and_whoever_comes_next_sees_what_is_there() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        let spec = ArraySpec::new(&[3], DataType::Float64).unwrap();
        let creation = Creation::begin(&path, &spec).unwrap();
        assert!(matches!(Turn::ask(&path, Duration::ZERO), Err(Error::BeingMade { .. })));
        std::thread::scope(|scope| {
            let second = scope.spawn(|| Creation::begin(&path, &spec)?.commit());
            std::thread::sleep(Duration::from_millis(20));
            creation.commit().unwrap().set_attribute("first", Some(true.into())).unwrap();
            let array = second.join().unwrap().unwrap();
            assert!(!array.metadata().attributes.contains_key("first"), "replaced, as one of ours");
        });
        // A copy is made only where nothing is.
        let source = scratch.path().join("source");
        ArrayDirectory::create(&source, &spec).unwrap();
        let copy = Copying::begin(ArrayDirectory::open(&source).unwrap(), &path);
        assert!(matches!(copy, Err(Error::Exists { .. })));
    }

    #[test]
    fn where_the_first_one_gives_up_the_second_one_makes_its_array() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        let spec = ArraySpec::new(&[3], DataType::Float64).unwrap();
        for _ in 0..20 {
            let given_up = Creation::begin(&path, &spec).unwrap();
            std::thread::scope(|scope| {
                let second = scope.spawn(|| Creation::begin(&path, &spec)?.commit());
                std::thread::sleep(Duration::from_millis(5));
                drop(given_up);
                second.join().unwrap().unwrap().check().unwrap();
            });
            ArrayDirectory::delete(&path).unwrap();
            assert!(!path.exists());
        }
    }

    #[test]
    fn copies_to_one_place_at_the_same_time_leave_a_whole_one() {
        let scratch = tempfile::tempdir().unwrap();
        let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
        let spec = ArraySpec::new(&[3], DataType::Float64).unwrap();
        let array = ArrayDirectory::create(&source, &spec).unwrap();
        array.write(&Section::whole(&[3]).unwrap(), &[7; 24]).unwrap();
        for _ in 0..20 {
            let copies: Vec<bool> = std::thread::scope(|scope| {
                let copy = || ArrayDirectory::open(&source).unwrap().copy_to(&path).is_ok();
                let threads: Vec<_> = (0..3).map(|_| scope.spawn(copy)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert_eq!(copies.iter().filter(|&&made| made).count(), 1, "one is made, the others find it");
            let mut all = [0; 24];
            ArrayDirectory::open(&path).unwrap().read(&Section::whole(&[3]).unwrap(), &mut all).unwrap();
            assert_eq!(all, [7; 24]);
            ArrayDirectory::delete(&path).unwrap();
        }
    }

    #[test]
    fn attributes_are_not_set_amid_the_turn_of_another_one() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        let spec = ArraySpec::new(&[3], DataType::Float64).unwrap();
        let mut array = ArrayDirectory::create(&path, &spec).unwrap();
        let before = fs::read(path.join(crate::format::METADATA)).unwrap();
        let taken = Turn::take(&path).unwrap();
        assert!(matches!(Turn::take_within(&path, Duration::ZERO), Err(Error::BeingMade { .. })));
        std::thread::scope(|scope| {
            let setting = scope.spawn(|| array.set_attribute("units", Some("hartree".into())));
            std::thread::sleep(Duration::from_millis(1500));
            assert!(!setting.is_finished());
            assert_eq!(fs::read(path.join(crate::format::METADATA)).unwrap(), before);
            drop(taken);
            setting.join().unwrap().unwrap();
        });
        assert_eq!(ArrayDirectory::open(&path).unwrap().metadata().attributes["units"], "hartree");
    }

    #[test]
    fn a_turn_of_a_directory_that_was_made_again_meanwhile_is_one_of_the_new_one() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        fs::create_dir(&path).unwrap();
        let taken = Turn::take(&path).unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| Turn::take(&path).unwrap());
            std::thread::sleep(Duration::from_millis(20));
            fs::remove_dir(&path).unwrap();
            fs::create_dir(&path).unwrap();
            drop(taken);
            assert!(second.join().unwrap().is_at(&path));
        });
    }

    #[test]
    fn a_turn_that_does_not_end_is_waited_for_for_a_while() {
        let scratch = tempfile::tempdir().unwrap();
        let taken = Turn::take(scratch.path()).unwrap();
        let other = File::open(scratch.path()).unwrap();
        assert_eq!(lock(&other, Instant::now() + Duration::from_millis(20)), Err(Errno::WOULDBLOCK));
        drop(taken);
        assert_eq!(lock(&other, Instant::now()), Ok(()));
    }
}
