//! The directory of the run and the files in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{BenchError, step};

/// A directory of this process below the one the user named; it vanishes with the value.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Makes it.
    pub(crate) fn below(directory: &Path) -> Result<Self, BenchError> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!("chemio-bench-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).map_err(step("making", &path))?;
        Ok(Self(path))
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// A name for a file that does not exist yet.
    pub(crate) fn file(&self, name: &str) -> ScratchFile {
        ScratchFile(self.0.join(name))
    }

    /// An empty directory for a library that makes several files.
    pub(crate) fn directory(&self, name: &str) -> Result<ScratchDirectory, BenchError> {
        let directory = ScratchDirectory(self.0.join(name));
        directory.clear()?;
        Ok(directory)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A file that is removed when the value goes.
#[derive(Debug)]
pub(crate) struct ScratchFile(PathBuf);

impl ScratchFile {
    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Removes it now, so that the next writer makes a new one.
    pub(crate) fn remove(&self) {
        let _ = fs::remove_file(&self.0);
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        self.remove();
    }
}

/// A directory that is removed when the value goes.
#[derive(Debug)]
pub(crate) struct ScratchDirectory(PathBuf);

impl ScratchDirectory {
    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Removes what is in it, so that the next writer makes new files.
    pub(crate) fn clear(&self) -> Result<(), BenchError> {
        let _ = fs::remove_dir_all(&self.0);
        fs::create_dir(&self.0).map_err(step("making", &self.0))
    }
}

impl Drop for ScratchDirectory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
