//! Where copies go.

use crate::error::{Error, Result};
use disk_array::{ArrayDirectory, Error as ArrayError};
use std::path::{Path, PathBuf};

/// Where a copy goes: `target`, or, if that is a directory and no array, its place under the name of the source.
///
/// # Errors
/// - [`Error::BadArgument`]: the source has no name to use, or the target would be in the source itself.
pub fn destination(source: &Path, target: &Path) -> Result<PathBuf> {
    let opened = ArrayDirectory::open(target);
    let is_place =
        target.is_dir() && matches!(opened, Err(ArrayError::NotAnArray { .. } | ArrayError::Empty { .. }));
    if !is_place {
        return outside(source, target).map(|()| target.to_owned());
    }
    let name = |path: &Path| path.file_name().map(ToOwned::to_owned);
    // "." and ".." have no name.
    let name = name(source).or_else(|| source.canonicalize().ok().and_then(|path| name(&path)));
    let no_name = || Error::BadArgument(format!("{} has no name", source.display()));
    let place = target.join(name.ok_or_else(no_name)?);
    outside(source, &place).map(|()| place)
}

/// An array is not put into its own directory.
fn outside(source: &Path, target: &Path) -> Result<()> {
    let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Of a parent that is not there whoever makes the target will say so.
    match (source.canonicalize(), parent.canonicalize()) {
        (Ok(source), Ok(parent)) if parent.starts_with(&source) => {
            let (source, target) = (source.display(), target.display());
            Err(Error::BadArgument(format!("{target} is in the array {source} itself: choose another place")))
        }
        _ => Ok(()),
    }
}
