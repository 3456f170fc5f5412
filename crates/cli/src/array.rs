//! What is done with whole arrays.

pub(crate) mod copy;
pub(crate) mod info;
pub(crate) mod list;
pub(crate) mod remove;
pub(crate) mod rename;
pub(crate) mod size;
pub(crate) mod verify;

use crate::error::{Error, Result};
use disk_array::ArrayDirectory;
use std::path::{Path, PathBuf};

/// Where a copy goes: `target`, or, if that is a directory and no array, its place under the name of the source.
fn destination(source: &Path, target: &Path) -> Result<PathBuf> {
    let is_place =
        target.is_dir() && matches!(ArrayDirectory::open(target), Err(disk_array::Error::NotAnArray { .. }));
    if !is_place {
        return Ok(target.to_owned());
    }
    let name = |path: &Path| path.file_name().map(ToOwned::to_owned);
    // "." and ".." have no name.
    let name = name(source).or_else(|| source.canonicalize().ok().and_then(|path| name(&path)));
    let no_name = || Error::BadArgument(format!("{} has no name", source.display()));
    name.map(|name| target.join(name)).ok_or_else(no_name)
}
