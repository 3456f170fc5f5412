//! The arrays between passes. They lie beside the target and are named after it, and each carries the attribute [`BETWEEN`],
//! which says whose it is: what is there and does not carry it belongs to somebody else, and is never replaced or removed.

use crate::error::{Error, Result};
use crate::prepare::{is_same, path_of};
use dra::{ArrayDirectory, Context, DiskArray};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The attribute of an array between passes: an object whose `target` is the name of the directory of the target beside it.
/// It is known by this name to `chemio rm` as well.
pub(crate) const BETWEEN: &str = "chemio_between";

/// The directory of what pass number `pass` writes, if that is not the target.
pub(crate) fn path(target: &Path, pass: usize) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(format!(".pass-{}", pass + 1));
    name.into()
}

/// What [`BETWEEN`] says in arrays of copies to `target`. Without the directories above, so that it stays true where all of them
/// are moved, and however their place is called.
pub(crate) fn mark(target: &Path) -> Value {
    json!({ "target": target.file_name().unwrap_or(target.as_os_str()).to_string_lossy() })
}

/// Nothing may be where arrays between the `passes` of a plan will be but such arrays, and neither they nor those of the
/// `passes_noted` by an earlier try, which will be removed, may be the source. Collective; changes nothing.
///
/// # Errors
/// The same on every rank: [`Error::Array`] with [`Error::InTheWay`] of a rank.
pub(crate) fn check(
    context: &Context,
    source: &DiskArray,
    target: &DiskArray,
    passes: usize,
    passes_noted: usize,
) -> Result<()> {
    let (source, target) = (path_of(source), path_of(target));
    let needed = passes.saturating_sub(1);
    let mine = (0..needed.max(passes_noted)).try_for_each(|pass| {
        let between = path(target, pass);
        // Even if it is marked: as the source it is wanted.
        let is_free = !is_same(source, &between) && (pass >= needed || is_ours_or_nothing(&between, target));
        if is_free { Ok(()) } else { Err(in_the_way(between, target)) }
    });
    agree(context, mine)
}

/// Nothing may be where the array of one pass is or will be but such an array. Collective; changes nothing.
///
/// # Errors
/// As [`check`].
pub(crate) fn check_pass(context: &Context, target: &Path, pass: usize) -> Result<()> {
    let between = path(target, pass);
    let is_free = is_ours_or_nothing(&between, target);
    agree(context, if is_free { Ok(()) } else { Err(in_the_way(between, target)) })
}

fn in_the_way(path: PathBuf, target: &Path) -> Error {
    Error::InTheWay { path, target: target.to_owned() }
}

fn agree(context: &Context, mine: Result<()>) -> Result<()> {
    let told = |error: Error| dra::Error::Caller { code: error.code(), message: error.to_string() };
    Ok(context.agree(mine.map_err(told))?)
}

/// Whether an array between passes of copies to `target` is at `path`, or what is left of an array of ours whose making or removal was
/// interrupted, or nothing.
fn is_ours_or_nothing(path: &Path, target: &Path) -> bool {
    match ArrayDirectory::open(path) {
        Ok(array) => array.metadata().attributes.get(BETWEEN) == Some(&mark(target)),
        Err(error) if error.code() == dra::codes::MISSING => true,
        // The last that an interrupted removal leaves is an empty directory.
        Err(_) => fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none()),
    }
}
