//! What an array needs besides its files when a process has as many open as its soft limit allows, which then gives way to the hard
//! one. Alone in this program, whose limit it changes.

use disk_array::{ArrayDirectory, ArraySpec, DataType};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use section::Section;
use std::fs::File;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A limit that the test reaches quickly, and that leaves room for what a test program has open.
const FILES_MAX: u64 = 64;

/// One test at a time: the limit is the program's.
fn alone() -> MutexGuard<'static, ()> {
    static LIMIT: Mutex<()> = Mutex::new(());
    LIMIT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does `work` with no descriptor left below the soft limit.
fn at_the_limit<T>(what: &str, work: impl FnOnce() -> disk_array::Result<T>) -> T {
    let before = getrlimit(Resource::Nofile);
    assert!(before.maximum.is_none_or(|most| most > 2 * FILES_MAX), "{before:?}");
    setrlimit(Resource::Nofile, Rlimit { current: Some(FILES_MAX), ..before }).unwrap();
    let mut open: Vec<File> = vec![];
    while let Ok(file) = File::open("/dev/null") {
        open.push(file);
    }
    let done = work();
    assert_eq!(getrlimit(Resource::Nofile).current, before.maximum, "{what}");
    drop(open);
    setrlimit(Resource::Nofile, before).unwrap();
    done.unwrap_or_else(|error| panic!("{what}: {error}"))
}

fn filled(path: &Path) -> ArrayDirectory {
    let array = ArrayDirectory::create(path, &ArraySpec::new(&[4], DataType::Float64).unwrap()).unwrap();
    array.write(&Section::whole(&[4]).unwrap(), &[7; 32]).unwrap();
    array
}

#[test]
fn whatever_is_done_with_an_array_the_soft_limit_on_open_files_gives_way() {
    let _alone = alone();
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name);
    let spec = ArraySpec::new(&[4], DataType::Float64).unwrap();
    at_the_limit("create", || ArrayDirectory::create(&at("new"), &spec));
    at_the_limit("replace", || ArrayDirectory::create(&at("new"), &spec));
    let mut array = filled(&at("array"));
    at_the_limit("open", || ArrayDirectory::open(&at("array")));
    let mut found = [0; 32];
    at_the_limit("read", || array.read(&Section::whole(&[4]).unwrap(), &mut found));
    assert_eq!(found, [7; 32]);
    at_the_limit("write", || array.write(&Section::whole(&[4]).unwrap(), &[8; 32]));
    at_the_limit("list", || array.stored());
    at_the_limit("set an attribute", || array.set_attribute("units", Some("hartree".into())));
    let copy = at_the_limit("copy", || array.copy_to(&at("copy")));
    assert_eq!(copy.metadata().attributes["units"], "hartree");
    at_the_limit("delete", || ArrayDirectory::delete(&at("array")));
    assert!(!at("array").exists() && at("copy").exists());
}

#[test]
fn more_arrays_can_have_their_shards_open_than_the_soft_limit_allows() {
    let _alone = alone();
    let scratch = tempfile::tempdir().unwrap();
    let before = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(FILES_MAX), ..before }).unwrap();
    let open = |number: u64| filled(&scratch.path().join(number.to_string())).shard(0).unwrap().unwrap();
    let shards: Vec<_> = (0..2 * FILES_MAX).map(open).collect();
    assert!(shards.iter().all(disk_array::ShardFile::is_as_laid_out));
    setrlimit(Resource::Nofile, before).unwrap();
}
