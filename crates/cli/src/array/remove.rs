//! `chemio rm`: deleting arrays, and nothing else.

use crate::error::{Error, Result, one_line};
use crate::interrupt;
use crate::options;
use crate::output;
use crate::progress::Progress;
use disk_array::{ArrayDirectory, Deleted, between};
use std::fs;
use std::path::Path;

pub(crate) fn run(options: &options::Rm) -> Result<()> {
    for path in &options.paths {
        interrupt::check()?;
        remove(path, options.foreign)?;
    }
    Ok(())
}

fn remove(path: &Path, foreign: bool) -> Result<()> {
    expect_no_link(path)?;
    let progress = Progress::waiting("deleting");
    let deleted = between::delete(path);
    drop(progress);
    match deleted {
        Ok(deleted) => tell(&deleted),
        Err(disk_array::Error::NotOurs { .. }) if foreign => tell(&delete(ArrayDirectory::open(path)?)?),
        Err(error) => {
            use disk_array::Error as E;
            // What it is, rather than that it is not ours.
            if let Err(
                other
                @ (E::NotAnArray { .. } | E::Empty { .. } | E::Malformed { .. } | E::Unsupported { .. }),
            ) = ArrayDirectory::open(path)
            {
                return Err(other.into());
            }
            Err(error.into())
        }
    }
}

/// Who deletes a link means the link, or does not know that it is one: what it leads to may be another one's.
pub(super) fn expect_no_link(path: &Path) -> Result<()> {
    // Also with a slash behind it, with which the system would go through it.
    match fs::read_link(disk_array::absolute(path)) {
        Ok(target) => Err(Error::Link { path: path.to_owned(), target }),
        Err(_) => Ok(()),
    }
}

/// Deletes an array, whoever made it.
fn delete(array: ArrayDirectory) -> disk_array::Result<Deleted> {
    let _progress = Progress::waiting("deleting");
    array.delete_whoever_made_it()
}

/// Says what was left.
pub(super) fn tell(deleted: &Deleted) -> Result<()> {
    let line = |path: &Path| format!("left: {}\n", one_line(&path.to_string_lossy()));
    deleted.left.iter().try_for_each(|path| output::print(&line(path)))
}
