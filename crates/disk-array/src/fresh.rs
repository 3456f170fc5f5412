//! What other hosts have done. A network file system answers from what it remembers, for some seconds also that a name is not there
//! which another host has just made, and how long a file was that another host has just written. It asks its server anew if it is
//! told to; other file systems know no difference.

use crate::disk::existing;
use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
use std::path::Path;
use std::{fs, io};

/// Has the file system ask anew what is in the parent of `path`, and what is in the directory `path` itself: before anybody is
/// told that something is not there. What it says is for who asks for the name then.
pub(crate) fn look_anew(path: &Path) {
    #[cfg(test)]
    other_host::act();
    // The parent first: whether the name is there follows from it.
    for directory in [path.parent(), Some(path)].into_iter().flatten() {
        ask_anew(directory);
    }
}

/// What is at `path`, which is `directory` or in it; that nothing is there only if that is so now.
pub(crate) fn metadata_now(path: &Path, directory: &Path) -> io::Result<fs::Metadata> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            look_anew(directory);
            fs::metadata(path)
        }
        other => other,
    }
}

/// What is at `path`, with the length and the times that it has now.
pub(crate) fn metadata_anew(path: &Path) -> io::Result<fs::Metadata> {
    ask_anew(path);
    fs::metadata(path)
}

fn ask_anew(path: &Path) {
    // A kernel that has no such call answers from what it remembers, as it did before.
    statx(CWD, existing(path), AtFlags::STATX_FORCE_SYNC, StatxFlags::BASIC_STATS).ok();
}

/// Another host, in tests: what it has done is seen only by who looks anew.
#[cfg(test)]
pub(crate) mod other_host {
    use std::cell::RefCell;

    type Act = Box<dyn FnOnce()>;

    thread_local! {
        static ACT: RefCell<Option<Act>> = const { RefCell::new(None) };
    }

    /// What is seen when this thread looks anew for the first time.
    pub(crate) fn does(act: impl FnOnce() + 'static) {
        ACT.with(|waiting| *waiting.borrow_mut() = Some(Box::new(act)));
    }

    pub(super) fn act() {
        let act = ACT.with(|waiting| waiting.borrow_mut().take());
        if let Some(act) = act {
            act();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::other_host;
    use crate::create::Creation;
    use crate::directory::ArrayDirectory;
    use crate::format::{ArraySpec, DataType};
    use section::Section;

    #[test]
    fn an_array_that_another_host_has_just_made_is_found() {
        let scratch = tempfile::tempdir().unwrap();
        let spec = ArraySpec::new(&[3], DataType::Float64).unwrap();
        let make = |name: &str| {
            let (path, spec) = (scratch.path().join(name), spec.clone());
            other_host::does({
                let path = path.clone();
                move || drop(ArrayDirectory::create(&path, &spec).unwrap())
            });
            path
        };
        assert_eq!(ArrayDirectory::open(&make("opened")).unwrap().metadata().dims[..], [3]);
        let deleted = make("deleted");
        ArrayDirectory::delete(&deleted).unwrap();
        assert!(!deleted.exists());
    }

    #[test]
    fn what_another_host_has_begun_to_make_is_joined_and_its_token_seen() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        let spec = ArraySpec::new(&[3], DataType::Float64).unwrap();
        let begin = || {
            let (path, spec) = (path.clone(), spec.clone());
            other_host::does(move || {
                let creation = Creation::begin(&path, &spec).unwrap();
                creation.lay_token("token").unwrap();
                // It is killed: what it has made stays.
                std::mem::forget(creation);
            });
        };
        begin();
        assert!(Creation::sees_token(&path, "token"));
        std::fs::remove_dir_all(&path).unwrap();
        begin();
        Creation::join(&path, &spec).unwrap().make_shards([0]).unwrap();
    }

    #[test]
    fn a_shard_that_another_host_has_just_made_is_read() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        let array =
            ArrayDirectory::create(&path, &ArraySpec::new(&[3], DataType::Float64).unwrap()).unwrap();
        array.write(&Section::whole(&[3]).unwrap(), &[7; 24]).unwrap();
        let (shard, elsewhere) = (array.shard_path(0), scratch.path().join("elsewhere"));
        std::fs::rename(&shard, &elsewhere).unwrap();
        other_host::does(move || std::fs::rename(&elsewhere, &shard).unwrap());
        let mut elements = [0; 24];
        array.read(&Section::whole(&[3]).unwrap(), &mut elements).unwrap();
        assert_eq!(elements, [7; 24]);
    }
}
