//! Turns of processes that make an array at the same place, or read the metadata of one, change them, and replace them.

use crate::disk::Disk;
use crate::error::{Error, Result};
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Who makes an array or deletes one waits so long for another one who does.
const PATIENCE: Duration = Duration::from_secs(10);
/// Who changes metadata waits so long; a process that was stopped amid its turn keeps nobody waiting for longer.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);
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
    /// Waits for a turn of the array in this directory. Where the file system has no locks, or somebody keeps his turn for too long, the
    /// caller goes on without: then one of two changes made at the same moment may be lost.
    pub(crate) fn take(path: &Path) -> Self {
        let (turn, locked) = Self::ask(path, SHORT_PATIENCE);
        if let Err(error) = locked {
            tracing::warn!(%error, path = %path.display(), "other processes may change the metadata at the same time");
        }
        turn
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
            let turn = Self::of_remover(path)?;
            tries += 1;
            // Who had the turn before may have removed the directory.
            if turn.is_at(path) || tries >= TRIES_MAX {
                return Ok((turn, made));
            }
        }
    }

    /// Waits for a turn to delete the array in this directory, if there is one.
    ///
    /// # Errors
    /// [`Error::BeingMade`]: somebody else does not end his turn.
    pub(crate) fn of_remover(path: &Path) -> Result<Self> {
        match Self::ask(path, PATIENCE) {
            (_, Err(Errno::WOULDBLOCK)) => Err(Error::BeingMade { path: path.to_owned() }),
            // Where the file system has no locks nothing is known of others.
            (turn, _) => Ok(turn),
        }
    }

    fn ask(path: &Path, patience: Duration) -> (Self, std::result::Result<(), Errno>) {
        // Nothing else is opened: a pipe would wait for its other end.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = || Ok(rustix::fs::open(path, flags, Mode::empty())?);
        let directory = elio::with_open_files_raised(open).ok().map(File::from);
        let locked =
            directory.as_ref().map_or(Ok(()), |directory| lock(directory, Instant::now() + patience));
        (Self { directory }, locked)
    }

    fn is_at(&self, path: &Path) -> bool {
        let identity = |found: std::io::Result<Metadata>| found.ok().map(|found| (found.dev(), found.ino()));
        let mine = self.directory.as_ref().map(|directory| identity(directory.metadata()));
        mine.is_none_or(|mine| mine == identity(fs::metadata(path)))
    }
}

fn lock(directory: &File, until: Instant) -> std::result::Result<(), Errno> {
    loop {
        match flock(directory, FlockOperation::NonBlockingLockExclusive) {
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
        assert!(matches!(Turn::ask(&path, Duration::ZERO), (_, Err(Errno::WOULDBLOCK))));
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
    fn a_turn_that_does_not_end_is_waited_for_for_a_while() {
        let scratch = tempfile::tempdir().unwrap();
        let taken = Turn::take(scratch.path());
        let other = File::open(scratch.path()).unwrap();
        assert_eq!(lock(&other, Instant::now() + Duration::from_millis(20)), Err(Errno::WOULDBLOCK));
        drop(taken);
        assert_eq!(lock(&other, Instant::now()), Ok(()));
    }
}
