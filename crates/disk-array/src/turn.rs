//! Turns of processes that make an array at the same place, or read the metadata of one, change them, and replace them.

use crate::error::{Error, Result};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::File;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A process that was stopped amid its turn keeps nobody waiting for longer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long to wait before asking again.
const PAUSE: Duration = Duration::from_millis(1);

/// As long as this lives nobody else has a turn of the same array.
#[derive(Debug)]
pub(crate) struct Turn {
    /// Has the lock, which ends with it, however the process ends.
    _directory: Option<File>,
}

impl Turn {
    /// Waits for a turn of the array in this directory. Where the file system has no locks, or somebody keeps his turn for too long, the
    /// caller goes on without: then one of two changes made at the same moment may be lost.
    pub(crate) fn take(path: &Path) -> Self {
        let (turn, locked) = Self::ask(path, PATIENCE);
        if let Err(error) = locked {
            tracing::debug!(%error, path = %path.display(), "other processes may change the metadata at the same time");
        }
        turn
    }

    /// Waits for a turn for a while, to make an array in this directory; where the file system has no locks nothing is known of others.
    ///
    /// # Errors
    /// [`Error::BeingMade`]: another process does not end its turn.
    pub(crate) fn of_maker(path: &Path) -> Result<Self> {
        match Self::ask(path, PATIENCE) {
            (_, Err(Errno::WOULDBLOCK)) => Err(Error::BeingMade { path: path.to_owned() }),
            (turn, _) => Ok(turn),
        }
    }

    fn ask(path: &Path, patience: Duration) -> (Self, std::result::Result<(), Errno>) {
        let directory = elio::with_open_files_raised(|| File::open(path)).ok();
        let locked =
            directory.as_ref().map_or(Ok(()), |directory| lock(directory, Instant::now() + patience));
        (Self { _directory: directory }, locked)
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
    use crate::create::Creation;
    use crate::directory::ArrayDirectory;
    use crate::format::{ArraySpec, DataType};

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
    fn one_process_makes_an_array_and_another_one_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        let spec = ArraySpec::new(&[3], DataType::Float64).unwrap();
        let creation = Creation::begin(&path, &spec).unwrap();
        assert!(matches!(Creation::begin(&path, &spec), Err(Error::BeingMade { .. })));
        creation.commit().unwrap();
        ArrayDirectory::open(&path).unwrap();
        // What is there now may be replaced, or copied over no more.
        drop(Creation::begin(&path, &spec).unwrap());
        ArrayDirectory::open(&path).unwrap();
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
