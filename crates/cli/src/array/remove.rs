//! `chemio rm`: deleting arrays, and nothing else.

use crate::error::Result;
use crate::interrupt;
use crate::options;
use crate::output;
use crate::progress::Progress;
use disk_array::{ArrayDirectory, Deleted, Error, between};
use std::path::Path;

pub(crate) fn run(options: &options::Rm) -> Result<()> {
    for path in &options.paths {
        interrupt::check()?;
        remove(path, options.foreign)?;
    }
    Ok(())
}

fn remove(path: &Path, foreign: bool) -> Result<()> {
    let progress = Progress::waiting("deleting");
    let deleted = between::delete(path);
    drop(progress);
    match deleted {
        Ok(deleted) => tell(&deleted),
        Err(Error::NotOurs { .. }) if foreign => delete(ArrayDirectory::open(path)?),
        Err(error) => {
            // What it is, rather than that it is not ours.
            if let Err(
                other @ (Error::NotAnArray { .. } | Error::Malformed { .. } | Error::Unsupported { .. }),
            ) = ArrayDirectory::open(path)
            {
                return Err(other.into());
            }
            Err(error.into())
        }
    }
}

/// Deletes an array, whoever made it.
pub(super) fn delete(array: ArrayDirectory) -> Result<()> {
    let progress = Progress::waiting("deleting");
    let deleted = array.delete_whoever_made_it()?;
    drop(progress);
    tell(&deleted)
}

fn tell(deleted: &Deleted) -> Result<()> {
    deleted.left.iter().try_for_each(|path| output::print(&format!("left: {}\n", path.display())))
}
