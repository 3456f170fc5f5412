//! Which file is at a path, and whether somebody has written to it since.
//!
//! Whoever writes elements takes no lock and leaves no mark: only the files themselves tell that they were written, by their lengths
//! and times. A file system notes times in steps, so what is written within the step in which a file was looked at leaves
//! no trace: who compares has to wait for the step to end before he reads.

use crate::directory::ArrayDirectory;
use crate::error::{Error, Operation, Result, refused};
use crate::format::METADATA;
use crate::fresh::metadata_anew;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The longest step of the kernel's clock, that of 100 Hz, and a little more.
const STEP: Duration = Duration::from_millis(12);
/// The longest step of file systems that note whole seconds.
const STEP_OF_SECONDS: Duration = Duration::from_secs(2);

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

    /// How long after the last change another one may leave no trace, and when that was; none before 1970.
    fn step(&self) -> Option<(Duration, Duration)> {
        let [seconds, nanoseconds] = self.changed;
        let when = Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanoseconds).ok()?);
        Some((if nanoseconds == 0 { STEP_OF_SECONDS } else { STEP }, when))
    }
}

/// Which shards an array has, and which files they are, at a moment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Snapshot {
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

    /// The numbers of the shards, ascending.
    pub(crate) fn numbers(&self) -> impl DoubleEndedIterator<Item = u64> + '_ {
        self.shards.iter().map(|(number, _)| *number)
    }

    /// Bytes of all shards, with their holes.
    pub(crate) fn len_bytes(&self) -> u64 {
        self.shards.iter().map(|(_, version)| version.len_bytes).sum()
    }

    /// Waits until whoever writes to a shard cannot but give it another time than it has here.
    pub(crate) fn outwait(&self) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let is_under_way = |(step, when): &(Duration, Duration)| *when + *step >= now;
        let steps = self.shards.iter().filter_map(|(_, version)| version.step()).filter(is_under_way);
        if let Some(longest) = steps.map(|(step, _)| step).max() {
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
