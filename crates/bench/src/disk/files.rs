//! What lies below a directory.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use crate::error::{BenchError, step};

/// All files in a directory and in those below it.
pub(crate) fn files_below(directory: &Path) -> Result<Vec<(PathBuf, Metadata)>, BenchError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(step("reading", directory))? {
        let path = entry.map_err(step("reading", directory))?.path();
        let found = fs::symlink_metadata(&path).map_err(step("looking at", &path))?;
        if found.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push((path, found));
        }
    }
    Ok(files)
}
