//! The directory of the run and the files in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::disk::files::files_below;
use crate::disk::removals::Removals;
use crate::error::{BenchError, step};

/// A directory of this process below the one the user named; it vanishes with the value.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    removals: Arc<Removals>,
}

impl Scratch {
    /// Makes it.
    pub(crate) fn below(directory: &Path) -> Result<Self, BenchError> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!("chemio-bench-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).map_err(step("making", &path))?;
        let removals = Arc::new(Removals::in_directory(path.join("removed"))?);
        Ok(Self { path, removals })
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A name for a file that does not exist yet.
    pub(crate) fn file(&self, name: &str) -> ScratchFile {
        ScratchFile { path: self.path.join(name), removals: Arc::clone(&self.removals) }
    }

    /// An empty directory for a library that makes several files.
    pub(crate) fn directory(&self, name: &str) -> Result<ScratchDirectory, BenchError> {
        let directory = ScratchDirectory { path: self.path.join(name), removals: Arc::clone(&self.removals) };
        directory.clear()?;
        Ok(directory)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A file that is removed when the value goes; as far as the disk knows, later.
#[derive(Debug)]
pub(crate) struct ScratchFile {
    path: PathBuf,
    removals: Arc<Removals>,
}

impl ScratchFile {
    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Before somebody else removes it: the disk is not to know.
    pub(crate) fn keep_blocks(&self) -> Result<(), BenchError> {
        self.removals.link(&self.path)
    }

    /// Removes it now, so that the next writer makes a new one.
    pub(crate) fn remove(&self) {
        let _ = self.removals.take(&self.path);
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        self.remove();
    }
}

/// A directory that is removed when the value goes; as far as the disk knows, later.
#[derive(Debug)]
pub(crate) struct ScratchDirectory {
    path: PathBuf,
    removals: Arc<Removals>,
}

impl ScratchDirectory {
    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The file in it, or in a directory below, that has at least so many bytes.
    pub(crate) fn file_of(&self, bytes: u64) -> Result<PathBuf, BenchError> {
        let found = files_below(&self.path)?.into_iter().find(|(_, found)| found.len() >= bytes);
        let missing = || std::io::Error::other(format!("no file has {bytes} bytes"));
        Ok(found.ok_or_else(missing).map_err(step("looking below", &self.path))?.0)
    }

    /// Removes what is in it, so that the next writer makes new files.
    pub(crate) fn clear(&self) -> Result<(), BenchError> {
        self.removals.take(&self.path)?;
        fs::create_dir(&self.path).map_err(step("making", &self.path))
    }
}

impl Drop for ScratchDirectory {
    fn drop(&mut self) {
        let _ = self.removals.take(&self.path);
    }
}
