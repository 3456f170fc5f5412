//! Arrays between the passes of a copy that changes bricks. They lie beside the target and are named after it, and each carries the
//! attribute [`BETWEEN`], which says whose it is: what is there and does not carry it belongs to somebody else, and is never
//! replaced or removed.

use crate::delete::Deleted;
use crate::directory::ArrayDirectory;
use crate::error::{Error, Result};
use crate::survey::absolute;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The attribute of an array between passes: an object whose `target` is the name of the target's directory beside it.
pub const BETWEEN: &str = "chemio_between";
/// No copy has more passes.
pub const PASSES_MAX: usize = 9;

/// The directory of what pass number `pass`, from 0, of a copy to `target` writes, if that is not the target itself.
pub fn path(target: &Path, pass: usize) -> PathBuf {
    let target = absolute(target);
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".pass-{}", pass + 1));
    target.with_file_name(name)
}

/// What [`BETWEEN`] says in arrays of copies to `target`. Without the directories above, so that it stays true where all of them
/// are moved, and however their place is called.
pub fn mark(target: &Path) -> Value {
    json!({ "target": absolute(target).file_name().unwrap_or_default().to_string_lossy() })
}

/// Nothing may be where pass number `pass` of a copy to `target` writes but an array of such a copy, or what is left of an array of
/// ours whose making or removal was interrupted. Changes nothing.
///
/// # Errors
/// [`Error::InTheWay`].
pub fn check_free(target: &Path, pass: usize) -> Result<()> {
    let path = path(target, pass);
    let is_free = match ArrayDirectory::open(&path) {
        Ok(array) => is_of(&array, target),
        Err(Error::Missing { .. } | Error::HalfMade { .. }) => true,
        // The last that an interrupted removal leaves is an empty directory.
        Err(_) => fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_none()),
    };
    if is_free { Ok(()) } else { Err(Error::InTheWay { path, target: target.to_owned() }) }
}

/// Deletes the array of ours at `target`, and before it what an unfinished copy to it has left beside it, so that none of that stays
/// without its target, which tells whose it is.
///
/// # Errors
/// As [`ArrayDirectory::delete`]; what has not been deleted then can be deleted by the same call.
pub fn delete(target: &Path) -> Result<Deleted> {
    let mut left = vec![];
    for between in left_beside(target) {
        left.extend(ArrayDirectory::delete(&between)?.left);
    }
    left.extend(ArrayDirectory::delete(target)?.left);
    Ok(Deleted { left })
}

/// The arrays that an unfinished copy to `target` has left beside it. None if it is complete, or is no array of ours.
pub fn left_beside(target: &Path) -> Vec<PathBuf> {
    let is_unfinished = |array: ArrayDirectory| array.attributes().is_some() && array.unfinished().is_some();
    if !ArrayDirectory::open(target).is_ok_and(is_unfinished) {
        return vec![];
    }
    (0..PASSES_MAX).filter(|&pass| is_left(target, pass)).map(|pass| path(target, pass)).collect()
}

/// Whether there is an array that pass number `pass` of a copy to `target` has left.
pub fn is_left(target: &Path, pass: usize) -> bool {
    ArrayDirectory::open(&path(target, pass)).is_ok_and(|array| is_of(&array, target))
}

fn is_of(array: &ArrayDirectory, target: &Path) -> bool {
    array.metadata().attributes.get(BETWEEN) == Some(&mark(target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{ArraySpec, DataType, UNFINISHED};

    fn array(path: &Path, key: &str, value: Value) {
        let mut spec = ArraySpec::new(&[3], DataType::Float64).unwrap();
        spec.more_attributes.insert(key.to_owned(), value);
        ArrayDirectory::create(path, &spec).unwrap();
    }

    #[test]
    fn arrays_between_passes_are_known_by_their_mark_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        let target = at("t");
        array(&at("t.pass-1"), BETWEEN, mark(&target));
        array(&at("t.pass-2"), BETWEEN, mark(&at("other")));
        array(&at("t.pass-3"), "units", "hartree".into());
        fs::create_dir(at("t.pass-4")).unwrap();
        let is_free: Vec<bool> = (0..5).map(|pass| check_free(&target, pass).is_ok()).collect();
        assert_eq!(is_free, [true, false, false, true, true]);
        let refused = check_free(&target, 1).unwrap_err();
        assert!(matches!(&refused, Error::InTheWay { path, .. } if *path == at("t.pass-2")), "{refused}");

        assert!(left_beside(&target).is_empty(), "there is no target");
        array(&target, "units", "hartree".into());
        assert!(left_beside(&target).is_empty(), "the target is complete");
        array(&target, UNFINISHED, json!({ "what": "re-blocking" }));
        assert_eq!(left_beside(&target), [at("t.pass-1")]);
        let with_slash = PathBuf::from(format!("{}/", target.display()));
        assert_eq!(left_beside(&with_slash), [at("t.pass-1")]);

        assert_eq!(delete(&target).unwrap(), Deleted::default());
        let left = ["t", "t.pass-1", "t.pass-2", "t.pass-3"].map(|name| at(name).exists());
        assert_eq!(left, [false, false, true, true], "none but those of the target");
    }
}
