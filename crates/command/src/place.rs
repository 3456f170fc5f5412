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

/// Nothing that is made of an array is put into its own directory.
///
/// # Errors
/// - [`Error::BadArgument`]: the target would be in the source itself.
pub fn outside(source: &Path, target: &Path) -> Result<()> {
    match source.canonicalize() {
        Ok(source) if is_within(&source, target) => {
            let (source, target) = (source.display(), target.display());
            Err(Error::BadArgument(format!("{target} is in the array {source} itself: choose another place")))
        }
        _ => Ok(()),
    }
}

/// Whether the name of `target` would be in the directory `source`, or in one that a link in there leads to.
fn is_within(source: &Path, target: &Path) -> bool {
    let parents = target.ancestors().skip(1).map(|parent| {
        let is_here = parent.as_os_str().is_empty();
        if is_here { Path::new(".") } else { parent }
    });
    for parent in parents {
        // Of a parent that is not there whoever makes the target will say so.
        if parent.canonicalize().is_ok_and(|parent| parent.starts_with(source)) {
            return true;
        }
        // What comes before `..` is left again.
        if parent.file_name().is_none() {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_target_is_within_a_directory_also_through_links_in_and_out_of_it() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = scratch.path().canonicalize().unwrap();
        let (array, other) = (directory.join("array"), directory.join("other"));
        fs::create_dir_all(array.join("c")).unwrap();
        fs::create_dir(&other).unwrap();
        symlink(array.join("c"), directory.join("into")).unwrap();
        symlink(&other, array.join("out")).unwrap();
        for within in ["array/new", "array/c/new", "into/new", "array/out/new", "other/../array/new"] {
            assert!(is_within(&array, &directory.join(within)), "{within}");
        }
        for outside in ["array", "array.png", "other/new", "array/../new", "into/../../new", "missing/new"] {
            assert!(!is_within(&array, &directory.join(outside)), "{outside}");
        }
    }
}
