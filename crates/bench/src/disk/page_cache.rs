//! The same start for everybody: nothing dirty before a write, nothing cached before a cold read.

use std::fs::{self, File};
use std::path::Path;

use rustix::fs::{Advice, fadvise, sync};

use crate::disk::files::files_below;
use crate::error::{BenchError, step};

const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// How this process may empty the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageCache {
    /// The kernel drops everything (needs root).
    DropAll,
    /// The kernel is asked to forget the one file.
    AdviseFile,
}

impl PageCache {
    /// Tries what is allowed.
    pub(crate) fn probe() -> Self {
        if fs::write(DROP_CACHES, "3").is_ok() { Self::DropAll } else { Self::AdviseFile }
    }

    /// Makes `file` cold.
    pub(crate) fn evict(self, file: &Path) -> Result<(), BenchError> {
        flush();
        match self {
            Self::DropAll => fs::write(DROP_CACHES, "3").map_err(step("writing", DROP_CACHES)),
            Self::AdviseFile => forget(file),
        }
    }

    /// Makes all files below `directory` cold.
    pub(crate) fn evict_below(self, directory: &Path) -> Result<(), BenchError> {
        match self {
            Self::DropAll => self.evict(directory),
            Self::AdviseFile => {
                flush();
                forget_below(directory)
            }
        }
    }

    /// For the head of the report.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::DropAll => "sync and drop_caches before every cold read",
            Self::AdviseFile => {
                "fsync and fadvise(DONTNEED) before every cold read (not root: drop_caches is closed)"
            }
        }
    }
}

/// Writes out everything that is dirty on the machine.
pub(crate) fn flush() {
    sync();
}

/// Makes `path` cold, after it was synced.
pub(crate) fn forget(path: &Path) -> Result<(), BenchError> {
    let file = File::open(path).map_err(step("opening", path))?;
    file.sync_all().map_err(step("syncing", path))?;
    fadvise(&file, 0, None, Advice::DontNeed).map_err(|cause| step("evicting", path)(cause.into()))
}

/// Makes all files below `directory` cold that nobody has changed since they were synced.
pub(crate) fn forget_below(directory: &Path) -> Result<(), BenchError> {
    files_below(directory)?.iter().try_for_each(|(path, _)| forget(path))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::forget_below;
    use crate::disk::scratch::Scratch;

    #[test]
    fn files_in_directories_in_a_directory_are_forgotten_and_their_content_is_not() {
        let scratch = Scratch::below(&std::env::temp_dir()).expect("a directory for temporary files");
        let directory = scratch.directory("array").expect("a new directory");
        let shard = directory.path().join("c/0");
        fs::create_dir_all(shard.parent().expect("it has one")).expect("a new directory");
        fs::write(&shard, "brick").expect("a new file");
        forget_below(directory.path()).expect("a readable directory");
        assert_eq!(fs::read(&shard).expect("it is still there"), b"brick");
        assert!(forget_below(&scratch.path().join("missing")).is_err());
    }
}
