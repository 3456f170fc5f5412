//! Arrays between the passes of a copy that changes bricks. They lie beside the target and are named after it, and each carries the
//! attribute [`BETWEEN`], which says whose it is: what is there and does not carry it belongs to somebody else, and is never
//! replaced or removed. Of what is half-made and has no metadata any more, or none yet, nobody can read an element: that goes with the
//! target too.

use crate::delete::{self, Deleted};
use crate::directory::ArrayDirectory;
use crate::disk::Disk;
use crate::error::{Error, Result};
use crate::format::Metadata;
use crate::survey::{absolute, metadata_left, named};
use crate::turn::Turn;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The attribute of an array between passes: an object whose `target` is the name of the target's directory beside it.
pub const BETWEEN: &str = "chemio_between";
/// No copy has more passes.
pub const PASSES_MAX: usize = 9;

/// More links one after the other the system does not follow.
const LINKS_MAX: usize = 40;

/// Where a target lies, whatever links lead to it: what is beside it has one name. Links above its directory stay as they are, since they
/// lead to one place in any case, and another host may have others.
fn place(target: &Path) -> PathBuf {
    let mut place = absolute(target);
    for _ in 0..LINKS_MAX {
        let Ok(to) = fs::read_link(&place) else { break };
        place.pop();
        place = absolute(&place.join(to));
    }
    place
}

/// The directory of what pass number `pass`, from 0, of a copy to `target` writes, if that is not the target itself.
pub fn path(target: &Path, pass: usize) -> PathBuf {
    let target = place(target);
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".pass-{}", pass + 1));
    target.with_file_name(name)
}

/// What [`BETWEEN`] says in arrays of copies to `target`. Without the directories above, so that it stays true where all of them
/// are moved, and however their place is called.
pub fn mark(target: &Path) -> Value {
    json!({ "target": place(target).file_name().unwrap_or_default().to_string_lossy() })
}

/// Nothing may be where pass number `pass` of a copy to `target` writes but an array of such a copy, or what is left of an array of
/// ours whose making or removal was interrupted. Changes nothing.
///
/// # Errors
/// [`Error::InTheWay`]; what the system says where it does not tell what is there, as of a name that is too long.
pub fn check_free(target: &Path, pass: usize) -> Result<()> {
    let path = path(target, pass);
    let is_free = match ArrayDirectory::open(&path) {
        Ok(array) => is_of(&array, target),
        Err(Error::Missing { .. } | Error::Empty { .. } | Error::HalfMade { .. }) => true,
        Err(error @ Error::System { .. }) => return Err(error),
        Err(_) => false,
    };
    if is_free { Ok(()) } else { Err(Error::InTheWay { path, target: target.to_owned() }) }
}

/// Deletes the array of ours at `target`, and before it what copies to it have left beside it, so that none of that stays
/// without its target, which tells whose it is. Until all of that is gone the target is as unfinished as it was. An array that was made
/// anew where a copy was interrupted takes with it what that one has left.
///
/// # Errors
/// As [`ArrayDirectory::delete`]; what has not been deleted then can be deleted by the same call.
pub fn delete(target: &Path) -> Result<Deleted> {
    Ok(delete_wanted(target, &|| true)?.unwrap_or_default())
}

/// The same, if the target is `wanted` when nobody else makes or removes an array there; otherwise nothing is removed.
///
/// # Errors
/// As of [`delete`].
pub fn delete_wanted(target: &Path, wanted: &dyn Fn() -> bool) -> Result<Option<Deleted>> {
    delete_on(&Disk::default(), target, wanted)
}

fn delete_on(disk: &Disk, target: &Path, wanted: &dyn Fn() -> bool) -> Result<Option<Deleted>> {
    // Who is making the target at this moment ends that first.
    let turn = Turn::take(target)?;
    if !wanted() {
        return Ok(None);
    }
    drop(turn);
    let mut left = vec![];
    for pass in 0..PASSES_MAX {
        let between = path(target, pass);
        if is_beside(target, pass) {
            // Somebody may be making an array of his own there at this moment.
            let is_there = || is_beside(target, pass);
            left.extend(delete::delete_wanted_on(disk, &between, is_there)?.left);
        }
    }
    let mut is_wanted = false;
    let look = || {
        is_wanted = wanted();
        is_wanted
    };
    left.extend(delete::delete_wanted_on(disk, &named(target), look)?.left);
    Ok(is_wanted.then_some(Deleted { left }))
}

/// What an unfinished copy to `target` has left beside it: arrays, and what is left of such whose making or removal was interrupted, but for
/// the empty directory that is the last of it, and might be anybody's. Nothing if the target is complete, or is no array of ours.
pub fn left_beside(target: &Path) -> Vec<PathBuf> {
    let is_left = |&pass: &usize| is_beside(target, pass);
    let passes = if Target::of(target) == Target::Unfinished { 0..PASSES_MAX } else { 0..0 };
    passes.filter(is_left).map(|pass| path(target, pass)).collect()
}

/// What copies to a target may have left beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// Whatever its passes need.
    Unfinished,
    /// What is left where an array was made anew before the copy to it was complete.
    Complete,
    /// Nothing, or nobody knows.
    Other,
}

impl Target {
    fn of(target: &Path) -> Self {
        match ArrayDirectory::open(target) {
            Ok(array) if array.attributes().is_none() => Self::Other,
            Ok(array) if array.unfinished().is_some() => Self::Unfinished,
            // The copy of an array between passes, made to rescue that.
            Ok(array) if array.metadata().attributes.contains_key(BETWEEN) => Self::Other,
            Ok(_) => Self::Complete,
            // What it was cannot be asked any more: it may have been made anew, or deleted without what is beside it.
            Err(Error::HalfMade { .. }) => Self::Unfinished,
            Err(_) => Self::Other,
        }
    }
}

/// Whether what pass number `pass` of a copy to `target` has left goes when the target does. Links are left alone.
fn is_beside(target: &Path, pass: usize) -> bool {
    let between = path(target, pass);
    // Mostly there is nothing.
    if !between.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return false;
    }
    match Target::of(target) {
        Target::Unfinished => is_left(target, pass) || is_remainder(&between, target, false),
        Target::Complete => is_left(target, pass) || is_remainder(&between, target, true),
        Target::Other => false,
    }
}

/// Whether at `between` is what is left of an array of a copy to `target`. Metadata that are still there tell; what has none has no
/// elements that anybody could read, and counts unless it `needs_mark`.
fn is_remainder(between: &Path, target: &Path, needs_mark: bool) -> bool {
    let is_marked = |text: &Vec<u8>| {
        Metadata::of_text(text).is_ok_and(|metadata| metadata.attributes.get(BETWEEN) == Some(&mark(target)))
    };
    let is_half_made = matches!(ArrayDirectory::open(between), Err(Error::HalfMade { .. }));
    let left = metadata_left(between);
    is_half_made && left.iter().all(is_marked) && !(needs_mark && left.is_empty())
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
        assert!(at("t.pass-4").exists(), "an empty directory is anybody's");

        // One that was made anew, and not copied to.
        array(&at("t.pass-1"), BETWEEN, mark(&target));
        array(&target, "units", "hartree".into());
        assert_eq!(delete(&target).unwrap(), Deleted::default());
        assert!(!target.exists() && !at("t.pass-1").exists() && at("t.pass-2").exists());
    }

    #[test]
    fn whatever_links_lead_to_a_target_what_is_beside_it_has_one_name() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        let target = at("t");
        array(&target, UNFINISHED, json!({ "what": "re-blocking" }));
        fs::create_dir(at("links")).unwrap();
        let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, at(name)).unwrap();
        link(Path::new("../t"), "links/relative");
        link(&at("links/relative"), "links/of-link");
        link(&at("links"), "more");
        array(&at("t.pass-1"), BETWEEN, mark(&at("links/of-link")));
        for name in ["t", "links/relative", "links/of-link", "more/of-link", "more/relative/"] {
            let found = path(&at(name), 0);
            assert_eq!(
                fs::canonicalize(&found).unwrap(),
                fs::canonicalize(at("t.pass-1")).unwrap(),
                "{name}"
            );
            assert!(is_left(&at(name), 0) && check_free(&at(name), 0).is_ok(), "{name}");
            assert_eq!(left_beside(&at(name)), [found]);
        }
        // One that leads to itself has no end.
        link(&at("circle"), "circle");
        assert_eq!(path(&at("circle"), 0), at("circle.pass-1"));
        assert_eq!(delete(&target).unwrap(), Deleted::default());
        assert!(!target.exists() && !at("t.pass-1").exists());
    }

    #[test]
    fn what_the_system_says_of_a_name_is_told() {
        let scratch = tempfile::tempdir().unwrap();
        let target = scratch.path().join("t".repeat(250));
        array(&target, "units", "hartree".into());
        let refused = check_free(&target, 0).unwrap_err();
        let Error::System { path: found, source, .. } = &refused else { panic!("{refused}") };
        assert_eq!(source.kind(), std::io::ErrorKind::InvalidFilename);
        assert!(found.starts_with(path(&target, 0)), "{refused}");
    }

    #[test]
    fn a_removal_that_stops_after_any_call_can_be_repeated_and_leaves_no_array_between_passes() {
        for calls in 0.. {
            let scratch = tempfile::tempdir().unwrap();
            let at = |name: &str| scratch.path().join(name);
            let target = at("t");
            array(&at("t.pass-1"), BETWEEN, mark(&target));
            array(&at("t.pass-2"), BETWEEN, mark(&target));
            array(&target, UNFINISHED, json!({ "what": "re-blocking" }));
            let result = delete_on(&Disk::stopping_after(calls), &target, &|| true);
            // But for empty directories.
            let names = || -> Vec<_> {
                let listed = fs::read_dir(scratch.path()).unwrap().map(|entry| entry.unwrap());
                let is_empty = |path: PathBuf| fs::read_dir(path).unwrap().next().is_none();
                listed.filter(|entry| !is_empty(entry.path())).map(|entry| entry.file_name()).collect()
            };
            match ArrayDirectory::open(&target) {
                Ok(array) => assert!(array.unfinished().is_some(), "after {calls} calls"),
                Err(Error::HalfMade { .. }) => {}
                // The last of the target, after all that was beside it.
                Err(Error::Empty { .. }) => {
                    assert!(names().is_empty(), "after {calls} calls: {:?}", names());
                    continue;
                }
                Err(Error::Missing { .. }) => {
                    assert!(names().is_empty(), "after {calls} calls");
                    if result.is_ok() {
                        assert!(calls >= 20, "{calls} calls");
                        return;
                    }
                    continue;
                }
                Err(error) => panic!("after {calls} calls: {error}"),
            }
            assert_eq!(delete(&target).unwrap(), Deleted::default());
            assert!(names().is_empty(), "after {calls} calls: {:?}", names());
        }
    }

    #[test]
    fn what_is_left_beside_a_half_made_target_goes_with_it_if_it_is_of_that_target() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        let target = at("t");
        array(&at("t.pass-1"), BETWEEN, mark(&target));
        for (name, of) in [("t.pass-2", target.clone()), ("t.pass-3", at("other")), ("t.pass-4", at("other"))]
        {
            array(&at(name), BETWEEN, mark(&of));
        }
        array(&at("t.pass-5"), "units", "hartree".into());
        // Interrupted removals: of one whose metadata have gone aside, or have become the mark on a full disk.
        let set_aside = |name: &str| {
            fs::create_dir(at(name).join(".chemio-old")).unwrap();
            fs::rename(at(name).join("zarr.json"), at(name).join(".chemio-old/zarr.json")).unwrap();
        };
        for name in ["t.pass-2", "t.pass-3"] {
            set_aside(name);
        }
        for name in ["t.pass-4", "t.pass-5"] {
            fs::rename(at(name).join("zarr.json"), at(name).join(".chemio-old")).unwrap();
        }
        fs::create_dir_all(at("t.pass-6/.chemio-new/c")).unwrap();
        std::os::unix::fs::symlink(scratch.path().join("nowhere"), at("t.pass-7")).unwrap();
        array(&target, UNFINISHED, json!({ "what": "re-blocking" }));
        set_aside("t");
        let names =
            |numbers: &[u32]| -> Vec<_> { numbers.iter().map(|n| at(&format!("t.pass-{n}"))).collect() };
        assert_eq!(left_beside(&target), names(&[1, 2, 6]));
        assert_eq!(delete(&target).unwrap(), Deleted::default());
        let stay: Vec<_> = names(&[1, 2, 3, 4, 5, 6, 7])
            .into_iter()
            .filter(|path| path.symlink_metadata().is_ok())
            .collect();
        assert_eq!(stay, names(&[3, 4, 5, 7]), "those of others");
        assert!(!target.exists());
    }
}
