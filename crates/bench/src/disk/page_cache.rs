//! The same start for everybody: nothing dirty before a write, nothing cached before a cold read.

use std::fs::{self, File};
use std::path::Path;

use rustix::fs::{Advice, fadvise, sync};

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

fn forget(path: &Path) -> Result<(), BenchError> {
    let file = File::open(path).map_err(step("opening", path))?;
    file.sync_all().map_err(step("syncing", path))?;
    fadvise(&file, 0, None, Advice::DontNeed).map_err(|cause| step("evicting", path)(cause.into()))
}
