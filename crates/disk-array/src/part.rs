//! Files that take the place of a part of an array: of a shard, or of the metadata. Each is made under `.chemio-part`, and renamed when
//! all of it is on the device.
//!
//! Several programs may do this with the same part at the same time, on several hosts too. So each file has a name that no other has, and
//! nobody opens that of another one. Its maker holds an exclusive `flock` of it: a file that nobody holds was left by a program that was
//! killed, and is removed by the next one that replaces the same part. Where the file system has no locks such files stay until the
//! array is replaced or deleted.

use crate::disk::{Disk, entries};
use crate::error::{Error, Result};
use crate::rights;
use crate::survey::PART;
use crate::turn::lock;
use rustix::io::Errno;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// How often another process may get in the way of making a file.
const TRIES_MAX: u32 = 1000;

/// A file that will take the place of a part of an array. It is removed if it is dropped before.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    disk: &'a Disk,
    /// Has the lock, which ends with it, however the process ends.
    file: File,
    path: PathBuf,
    /// Whether it has got its place.
    is_put: bool,
}

impl<'a> Part<'a> {
    /// Makes an empty file for the part `name` of the array at `array`, which will be at `place`, with the rights of the file that is there.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn make_for(disk: &'a Disk, array: &Path, name: &str, place: &Path) -> Result<Self> {
        let part = Self::make(disk, array, name)?;
        // While it is empty.
        rights::keep(&part.file, place);
        Ok(part)
    }

    fn make(disk: &'a Disk, array: &Path, name: &str) -> Result<Self> {
        let directory = array.join(PART);
        remove_left(disk, &directory, name);
        let mut tries = 0;
        loop {
            tries += 1;
            let path = directory.join(own_name(name));
            match make_in(disk, &directory, &path) {
                Ok(file) => {
                    let part = Self { disk, file, path, is_put: false };
                    if tries >= TRIES_MAX || part.is_held() {
                        return Ok(part);
                    }
                }
                Err(error) if tries >= TRIES_MAX || !is_passing(&error, array) => return Err(error),
                Err(_) => {}
            }
        }
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Where it is until it has its place.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its place.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn put(&mut self, place: &Path) -> Result<()> {
        self.disk.rename(&self.path, place)?;
        self.is_put = true;
        Ok(())
    }

    /// Takes the lock; false if somebody took the file for one that was left before the lock was there.
    fn is_held(&self) -> bool {
        // Where the file system has no locks nobody removes what he finds.
        let is_locked = lock(&self.file, Instant::now()) != Err(Errno::WOULDBLOCK);
        let identity = |found: fs::Metadata| (found.dev(), found.ino());
        let mine = self.file.metadata().ok().map(identity);
        is_locked && mine == fs::metadata(&self.path).ok().map(identity)
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        let removed = if self.is_put { Ok(()) } else { self.disk.remove_file(&self.path) };
        // The directory stays if another part is being made.
        let directory = self.path.parent().unwrap_or(&self.path);
        if let Err(error) = removed.and_then(|()| self.disk.remove_directory(directory).map(drop)) {
            tracing::warn!(%error, "the place of a part under way is left behind");
        }
    }
}

fn make_in(disk: &Disk, directory: &Path, path: &Path) -> Result<File> {
    disk.make_directory(directory)?;
    disk.make_new_file(path)
}

/// Whether another process that was ready has just removed the directory, or somebody has chosen the same name.
fn is_passing(error: &Error, array: &Path) -> bool {
    match error {
        Error::System { source, .. } if source.kind() == ErrorKind::NotFound => array.is_dir(),
        Error::System { source, .. } => source.kind() == ErrorKind::AlreadyExists,
        _ => false,
    }
}

/// A name that nobody else is likely to choose. Whoever makes the file finds out if somebody did.
fn own_name(name: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    format!("{name}.{}-{now}", std::process::id())
}

/// Removes what programs that were killed have left for the same part: it may be large, and the disk full.
fn remove_left(disk: &Disk, directory: &Path, name: &str) {
    let is_for_it = |path: &Path| {
        let rest =
            path.file_name().and_then(|found| found.to_str()).and_then(|found| found.strip_prefix(name));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    // What cannot be removed is in nobody's way.
    for (path, kind) in entries(directory).unwrap_or_default() {
        if kind.is_file()
            && is_for_it(&path)
            && let Some(_lock) = lock_left(&path)
            && let Err(error) = disk.remove_file(&path)
        {
            tracing::warn!(%error, "what a killed program has left stays");
        }
    }
}

/// The file, locked, if nobody holds it.
fn lock_left(path: &Path) -> Option<File> {
    // Network file systems lock only what may be written.
    let open = || File::options().read(true).write(true).open(path);
    let file = elio::with_open_files_raised(open).ok()?;
    lock(&file, Instant::now()).is_ok().then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_who_replace_the_same_part_at_the_same_time_have_a_file_each() {
        let scratch = tempfile::tempdir().unwrap();
        let (disk, array) = (Disk::default(), scratch.path());
        let first = Part::make(&disk, array, "shard-1").unwrap();
        disk.write_at(first.file(), first.path(), b"first", 0).unwrap();
        let mut second = Part::make(&disk, array, "shard-1").unwrap();
        disk.write_at(second.file(), second.path(), b"2nd", 0).unwrap();
        second.put(&array.join("place")).unwrap();
        assert_eq!(fs::read_to_string(array.join("place")).unwrap(), "2nd");
        assert_eq!(fs::read_to_string(first.path()).unwrap(), "first", "nobody has emptied or removed it");
        drop((first, second));
        assert!(!array.join(PART).exists());
    }

    #[test]
    fn what_a_killed_program_has_left_is_removed_by_the_next_one_with_the_same_part() {
        let scratch = tempfile::tempdir().unwrap();
        let (disk, array) = (Disk::default(), scratch.path());
        fs::create_dir(array.join(PART)).unwrap();
        let left =
            ["shard-1", "shard-1.77-5", "shard-10.77-5", "shard-2"].map(|name| array.join(PART).join(name));
        for path in &left {
            fs::write(path, "left").unwrap();
        }
        let held = Part::make(&disk, array, "shard-2").unwrap();
        drop(Part::make(&disk, array, "shard-1").unwrap());
        assert_eq!([0, 1, 2, 3].map(|at| left[at].exists()), [false, false, true, false]);
        assert!(held.path().exists());
        drop(held);
        drop(Part::make(&disk, array, "shard-10").unwrap());
        assert!(!array.join(PART).exists());
    }

    #[test]
    fn many_who_make_the_same_part_at_once_do_not_take_each_others_files_for_left_ones() {
        let scratch = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..8u8 {
                let array = scratch.path();
                scope.spawn(move || {
                    let disk = Disk::default();
                    for _ in 0..50 {
                        let mut part = Part::make(&disk, array, "shard-1").unwrap();
                        disk.write_at(part.file(), part.path(), &[number; 100], 0).unwrap();
                        part.put(&array.join(number.to_string())).unwrap();
                        assert_eq!(fs::read(array.join(number.to_string())).unwrap(), [number; 100]);
                    }
                });
            }
        });
        assert!(!scratch.path().join(PART).exists());
    }
}
