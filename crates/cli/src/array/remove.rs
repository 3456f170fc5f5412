//! `chemio rm`: deleting arrays, and nothing else.

use crate::error::Result;
use crate::interrupt;
use crate::options;
use crate::output;
use crate::progress::Progress;
use disk_array::between::left_beside;
use disk_array::{ArrayDirectory, Deleted, Error};
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
    // First, so that none is left without its target, which says that there are any.
    let between = left_beside(path).iter().map(|between| ArrayDirectory::delete(between)).collect::<Vec<_>>();
    let deleted = ArrayDirectory::delete(path);
    drop(progress);
    for deleted in between {
        tell(&deleted?)?;
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use disk_array::between::BETWEEN;
    use disk_array::{ArraySpec, DataType, UNFINISHED};
    use serde_json::{Value, json};

    fn array(path: &Path, key: &str, value: Value) {
        let mut spec = ArraySpec::new(&[3], DataType::Float64).unwrap();
        spec.more_attributes.insert(key.to_owned(), value);
        ArrayDirectory::create(path, &spec).unwrap();
    }

    #[test]
    fn with_an_unfinished_target_go_its_arrays_between_passes_and_no_others() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        array(&at("t.pass-1"), BETWEEN, json!({ "target": "t" }));
        array(&at("t.pass-2"), BETWEEN, json!({ "target": "other" }));
        array(&at("t.pass-3"), "units", "hartree".into());
        array(&at("t"), UNFINISHED, json!({ "what": "re-blocking", "passes": 2 }));
        remove(&at("t"), false).unwrap();
        let left = ["t", "t.pass-1", "t.pass-2", "t.pass-3"].map(|name| at(name).exists());
        assert_eq!(left, [false, false, true, true]);
    }
}
