//! Which file is at a path, and whether somebody has written to it since.
//!
//! Whoever writes elements takes no lock and leaves no mark: only the files themselves tell that they were written, by their lengths
//! and times. A file system notes times in steps, so what is written within the step in which a file was looked at leaves
//! no trace: who compares has to wait for the step to end before he reads. A call that writes notes the time when it begins, and a
//! program that has mapped a file notes it when it first writes to a page: what such ones do afterwards leaves no trace either.

use crate::directory::ArrayDirectory;
use crate::error::{Error, Operation, Result, refused};
use crate::format::METADATA;
use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, io};

/// The longest step of the kernel's clock, that of 100 Hz, and a little more.
const STEP: Duration = Duration::from_millis(12);
/// The longest step of file systems that note whole seconds.
const STEP_OF_SECONDS: Duration = Duration::from_secs(2);
/// By so much at most the clock of a file server is behind that of this host.
const BEHIND: Duration = Duration::from_secs(10);

/// Which file it is, as of when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    device: u64,
    inode: u64,
    len_bytes: u64,
    /// When it was written, in seconds and nanoseconds.
    written: [i64; 2],
    /// When anything of it was changed.
    changed: [i64; 2],
}

impl Version {
    pub(crate) fn of(found: &fs::Metadata) -> Self {
        let written = [found.mtime(), found.mtime_nsec()];
        let changed = [found.ctime(), found.ctime_nsec()];
        Self { device: found.dev(), inode: found.ino(), len_bytes: found.len(), written, changed }
    }

    /// That of the metadata of the array at `path`, which are replaced as a whole; none if there is no such file.
    pub(crate) fn of_metadata(path: &Path) -> Option<Self> {
        fs::metadata(path.join(METADATA)).ok().map(|found| Self::of(&found))
    }

    /// The same as it is now, whatever a network file system remembers.
    pub(crate) fn of_metadata_now(path: &Path) -> Option<Self> {
        metadata_anew(&path.join(METADATA)).ok().map(|found| Self::of(&found))
    }

    /// Whether the file at `path` is this one, with what was written to it: its name may be another.
    pub(crate) fn is_of(&self, path: &Path) -> bool {
        metadata_anew(path).is_ok_and(|found| Self { changed: self.changed, ..Self::of(&found) } == *self)
    }

    /// How long another change may leave no trace, if the last one was so short a time before `now`, which is since 1970.
    fn step(&self, now: Duration) -> Option<Duration> {
        let [seconds, nanoseconds] = self.changed;
        let when = Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanoseconds).ok()?);
        let step = if nanoseconds == 0 { STEP_OF_SECONDS } else { STEP };
        (when + step + BEHIND >= now).then_some(step)
    }
}

/// Which shards an array has, and which files they are, at a moment.
#[derive(Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// By number, ascending.
    shards: Vec<(u64, Version)>,
}

impl Snapshot {
    /// As they are now.
    ///
    /// # Errors
    /// - [`Error::CorruptShard`]: something that is no file has the name of a shard. What the system says.
    pub(crate) fn of(array: &ArrayDirectory) -> Result<Self> {
        let version = |number| {
            let path = array.shard_path(number);
            let found = metadata_anew(&path).map_err(refused(Operation::Look, &path))?;
            if !found.is_file() {
                return Err(array.corrupt_shard(number, "not a file".to_owned()));
            }
            Ok((number, Version::of(&found)))
        };
        let shards = array.stored()?.shards.into_iter().map(version).collect::<Result<_>>()?;
        Ok(Self { shards })
    }

    /// As they are now, those that can be looked at: who reads an array takes what is not there for what nobody wrote. Cost: a look at each
    /// shard that there may be.
    pub fn of_found(array: &ArrayDirectory) -> Self {
        let version =
            |number| metadata_anew(&array.shard_path(number)).ok().map(|found| (number, Version::of(&found)));
        Self { shards: (0..array.layout().shards_count()).filter_map(version).collect() }
    }

    /// The numbers of the shards, ascending.
    pub(crate) fn numbers(&self) -> impl DoubleEndedIterator<Item = u64> + '_ {
        self.shards.iter().map(|(number, _)| *number)
    }

    /// Bytes of all shards, with their holes.
    pub(crate) fn len_bytes(&self) -> u64 {
        self.shards.iter().map(|(_, version)| version.len_bytes).sum()
    }

    /// What tells these shards from others, and from themselves after any change: the same for every host that sees the files, and after
    /// a restart.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.shards.iter().flat_map(|&(number, Version { inode, len_bytes, written, changed, .. })| {
            let [written, changed] = [written, changed].map(|time| time.map(i64::cast_unsigned));
            [number, inode, len_bytes, written[0], written[1], changed[0], changed[1]]
        })
    }

    /// The same of what is written to them alone, in which other rights and names, and file systems that give files another number now and
    /// then, change nothing.
    pub fn words_of_contents(&self) -> impl Iterator<Item = u64> + '_ {
        self.shards.iter().flat_map(|&(number, Version { len_bytes, written, .. })| {
            let [seconds, nanoseconds] = written.map(i64::cast_unsigned);
            [number, len_bytes, seconds, nanoseconds]
        })
    }

    /// Waits until whoever writes to a shard cannot but give it another time than it has here: some milliseconds, or two seconds where
    /// whole seconds are noted, and only if one was changed just before.
    pub fn outwait(&self) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        if let Some(longest) = self.shards.iter().filter_map(|(_, version)| version.step(now)).max() {
            sleep(longest);
        }
    }

    /// Whether the shards are these, and nobody has written to them since.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn is_still(&self, array: &ArrayDirectory) -> Result<bool> {
        match Self::of(array) {
            Ok(now) => Ok(now == *self),
            Err(Error::CorruptShard { .. }) => Ok(false),
            // It was listed, and has gone since.
            Err(Error::System { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// What is at `path`, with the length and the times that it has now: a network file system otherwise answers for some seconds from
/// what it remembers, and does not tell what another host has written.
fn metadata_anew(path: &Path) -> io::Result<fs::Metadata> {
    // A kernel that has no such call answers from what it remembers.
    statx(CWD, path, AtFlags::STATX_FORCE_SYNC, StatxFlags::BASIC_STATS).ok();
    fs::metadata(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{ArraySpec, BrickShape, Bricks, DataType};
    use section::Section;
    use std::os::unix::fs::FileExt;

    fn array_in(scratch: &Path) -> ArrayDirectory {
        let mut spec = ArraySpec::new(&[8, 6], DataType::Float64).unwrap();
        spec.bricks = Bricks::Exact(BrickShape::exact(&[2, 3]).unwrap());
        spec.files = 4;
        ArrayDirectory::create(&scratch.join("array"), &spec).unwrap()
    }

    #[test]
    fn an_array_that_is_only_read_stays_what_it_was() {
        let scratch = tempfile::tempdir().unwrap();
        let array = array_in(scratch.path());
        let seen = Snapshot::of(&array).unwrap();
        array.read(&Section::whole(&[8, 6]).unwrap(), &mut [0; 8 * 48]).unwrap();
        array.check().unwrap();
        assert!(seen.is_still(&array).unwrap());
    }

    #[test]
    fn a_write_of_one_byte_of_the_same_value_is_seen() {
        let scratch = tempfile::tempdir().unwrap();
        let array = array_in(scratch.path());
        for _ in 0..20 {
            let seen = Snapshot::of(&array).unwrap();
            seen.outwait();
            let shard = array.shard_for_writing(0).unwrap();
            shard.file().write_all_at(&[0], 0).unwrap();
            assert!(!seen.is_still(&array).unwrap());
        }
    }

    #[test]
    fn shards_that_grow_appear_go_or_are_replaced_are_seen() {
        let scratch = tempfile::tempdir().unwrap();
        let array = array_in(scratch.path());
        let [first, second] = [0, 1].map(|number| array.shard_path(number));
        let aside = scratch.path().join("aside");
        let changes: [&dyn Fn(); 5] = [
            &|| fs::File::options().append(true).open(&first).unwrap().write_all_at(&[0], 1 << 20).unwrap(),
            &|| fs::rename(&second, &aside).unwrap(),
            &|| fs::rename(&aside, &second).unwrap(),
            &|| fs::copy(&second, &aside).and_then(|_| fs::rename(&aside, &second)).unwrap(),
            &|| fs::remove_file(&second).and_then(|()| fs::create_dir(&second)).unwrap(),
        ];
        for (number, change) in changes.iter().enumerate() {
            let seen = Snapshot::of(&array).unwrap();
            change();
            assert!(!seen.is_still(&array).unwrap(), "change {number}");
        }
    }

    #[test]
    fn only_the_step_of_a_recent_change_is_waited_for() {
        let [second, hour] = [1, 3600].map(Duration::from_secs);
        let changed_at = |seconds, nanoseconds| Version {
            device: 1,
            inode: 1,
            len_bytes: 0,
            written: [0, 0],
            changed: [seconds, nanoseconds],
        };
        assert_eq!(changed_at(3600, 5).step(hour), Some(STEP));
        assert_eq!(changed_at(3600, 0).step(hour + second), Some(STEP_OF_SECONDS));
        assert_eq!(changed_at(7200, 5).step(hour), Some(STEP), "a clock that is ahead");
        assert_eq!(changed_at(3600, 5).step(hour * 2), None);
        assert_eq!(changed_at(-5, 5).step(hour), None, "before 1970");
    }
}
