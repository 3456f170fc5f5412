//! Making arrays: what a stop after each call leaves, and who may make one where.

use super::*;
use crate::delete::delete_on;
use crate::format::{Alignment, Bricks, DataType};
use crate::{BrickShape, Deleted, codes};
use section::Section;
use std::fs;

/// Several shards, in two directories.
fn spec(name: &str, rows: u64) -> ArraySpec {
    let mut spec = ArraySpec::new(&[rows, 6], DataType::Float64).unwrap();
    spec.bricks = Bricks::Exact(BrickShape::exact(&[2, 3]).unwrap());
    (spec.alignment, spec.files) = (Alignment::new(512).unwrap(), 3);
    spec.attributes.name = name.to_owned();
    spec
}

const ROW: [u8; 48] = [7; 48];

/// An array with a row of sevens.
fn make_old(path: &Path) {
    let old = ArrayDirectory::create(path, &spec("old", 4)).unwrap();
    old.write(&Section::new(&[1, 0], &[2, 6]).unwrap(), &ROW).unwrap();
}

fn expect_old(array: &ArrayDirectory) {
    let mut row = [0; 48];
    array.read(&Section::new(&[1, 0], &[2, 6]).unwrap(), &mut row).unwrap();
    assert_eq!(row, ROW);
    expect_whole(array);
}

fn expect_new(array: &ArrayDirectory) {
    let mut all = [1; 9 * 48];
    array.read(&Section::new(&[0, 0], &[9, 6]).unwrap(), &mut all).unwrap();
    assert_eq!(all, [0; 9 * 48]);
    expect_whole(array);
}

fn expect_whole(array: &ArrayDirectory) {
    for number in 0..array.layout().shards_count() {
        assert!(array.shard(number).unwrap().unwrap().is_as_laid_out());
    }
}

fn names(path: &Path) -> Vec<String> {
    let name = |(path, _): (PathBuf, _)| path.file_name().unwrap().to_str().unwrap().to_owned();
    entries(path).unwrap().into_iter().map(name).collect()
}

/// How many system calls change the disk until `work` ends by itself, having called `see` with what a stop after each
/// of them leaves.
fn stop_everywhere(
    before: impl Fn(&Path),
    work: impl Fn(Disk, &Path) -> Result<()>,
    see: impl Fn(u64, &Path),
) -> u64 {
    for calls in 0.. {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        before(&path);
        let result = work(Disk::stopping_after(calls), &path);
        see(calls, &path);
        if result.is_ok() {
            return calls;
        }
    }
    unreachable!("the work never ended")
}

fn create_new(disk: Disk, path: &Path) -> Result<()> {
    create_on(disk, path, &spec("new", 9)).map(drop)
}

#[test]
fn a_create_that_stops_after_any_call_leaves_no_array_or_a_whole_one() {
    let calls = stop_everywhere(
        |_| {},
        create_new,
        |calls, path| {
            match ArrayDirectory::open(path) {
                Ok(array) => expect_new(&array),
                // For which programs create it.
                Err(error) => assert_eq!(error.code(), codes::MISSING, "after {calls} calls: {error}"),
            }
            // Whatever is left, another create succeeds and leaves nothing of it behind.
            make_old(path);
            expect_old(&ArrayDirectory::open(path).unwrap());
            assert_eq!(names(path), ["c", "zarr.json"], "after {calls} calls");
        },
    );
    assert!(calls > 20, "{calls} calls");
}

#[test]
fn only_an_unfinished_array_is_replaced_if_the_spec_says_so() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    make_old(&path);
    let careful = ArraySpec { replaces: Replaces::Unfinished, ..spec("new", 9) };
    assert!(matches!(ArrayDirectory::create(&path, &careful), Err(Error::Exists { .. })));
    let mut old = ArrayDirectory::open(&path).unwrap();
    expect_old(&old);
    old.set_attribute(UNFINISHED, Some("half of it".into())).unwrap();
    expect_new(&ArrayDirectory::create(&path, &careful).unwrap());
}

/// What a machine may leave that stops before the last sync, where the later of two names is kept and the earlier is not.
#[test]
fn a_new_array_whose_shards_lost_their_name_is_zeros_and_can_be_written() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    drop(ArrayDirectory::create(&path, &spec("new", 9)).unwrap());
    fs::create_dir(path.join(NEW)).unwrap();
    fs::rename(path.join(CHUNKS), path.join(NEW).join(CHUNKS)).unwrap();
    let array = ArrayDirectory::open(&path).unwrap();
    let mut all = [1; 9 * 48];
    array.read(&Section::new(&[0, 0], &[9, 6]).unwrap(), &mut all).unwrap();
    assert_eq!(all, [0; 9 * 48]);
    for number in 0..array.layout().shards_count() {
        array.shard_for_writing(number).unwrap();
    }
    array.write(&Section::new(&[1, 0], &[2, 6]).unwrap(), &ROW).unwrap();
    expect_old(&ArrayDirectory::open(&path).unwrap());
    assert_eq!(ArrayDirectory::delete(&path).unwrap(), Deleted::default());
    assert!(!path.exists());
}

#[test]
fn shards_that_may_have_elements_have_their_name_on_the_device_before_the_metadata_get_theirs() {
    // Stops after which the shards have their name, and the metadata have not: at the next rename, and at a sync before.
    let stops_between = |asks: bool| {
        let stops = std::cell::Cell::new(0);
        stop_everywhere(
            |_| {},
            |disk, path| {
                let mut creation = Creation::begin_on(disk, path, &spec("new", 9))?;
                creation.make_shards(0..creation.layout.shards_count())?;
                if asks {
                    assert!(creation.shard_path(0).is_file());
                }
                creation.commit().map(drop)
            },
            |_, path| {
                let is_between = path.join(CHUNKS).exists() && !path.join(METADATA).exists();
                stops.set(stops.get() + u32::from(is_between));
            },
        );
        stops.get()
    };
    assert_eq!((stops_between(false), stops_between(true)), (1, 2));
}

#[test]
fn replacing_an_array_stopped_after_any_call_leaves_the_old_one_none_or_the_new_one() {
    let calls = stop_everywhere(make_old, create_new, |calls, path| {
        match ArrayDirectory::open(path) {
            Ok(array) if array.attributes().unwrap().name == "old" => expect_old(&array),
            Ok(array) => expect_new(&array),
            Err(Error::HalfMade { .. }) => {}
            Err(error) => panic!("after {calls} calls: {error}"),
        }
        assert_eq!(ArrayDirectory::delete(path).unwrap(), Deleted::default(), "after {calls} calls");
        assert!(!path.exists());
    });
    assert!(calls > 20, "{calls} calls");
}

#[test]
fn a_create_over_what_a_stopped_one_left_may_be_stopped_too() {
    for first in (0..60).step_by(3) {
        stop_everywhere(
            |path| {
                make_old(path);
                create_new(Disk::stopping_after(first), path).ok();
            },
            |disk, path| create_on(disk, path, &spec("third", 9)).map(drop),
            |calls, path| {
                match ArrayDirectory::open(path) {
                    Ok(array) if array.attributes().unwrap().name == "old" => expect_old(&array),
                    Ok(array) => expect_new(&array),
                    Err(Error::HalfMade { .. }) => {}
                    Err(error) => panic!("after {first} and {calls} calls: {error}"),
                }
                ArrayDirectory::delete(path).unwrap();
            },
        );
    }
}

#[test]
fn a_create_over_a_half_made_array_in_which_any_one_call_fails_leaves_a_place_for_another() {
    for (first, replaces) in (0..60).flat_map(|first| [(first, false), (first, true)]) {
        for calls in 0.. {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path().join("array");
            if replaces {
                make_old(&path);
            }
            create_new(Disk::stopping_after(first), &path).ok();
            if !matches!(ArrayDirectory::open(&path), Err(Error::HalfMade { .. })) {
                break;
            }
            let result = create_on(Disk::failing_after(calls), &path, &spec("third", 9));
            match ArrayDirectory::open(&path) {
                Ok(array) => expect_new(&array),
                Err(Error::Missing { .. } | Error::HalfMade { .. }) => assert!(result.is_err()),
                Err(error) => panic!("after {first} and {calls} calls: {error}"),
            }
            make_old(&path);
            expect_old(&ArrayDirectory::open(&path).unwrap());
            assert_eq!(names(&path), ["c", "zarr.json"], "after {first} and {calls} calls");
            if calls > 20 && result.is_ok() {
                break;
            }
        }
    }
}

#[test]
fn an_old_array_stays_where_nobody_can_tell_whether_the_new_shards_have_taken_its_place() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    make_old(&path);
    let creation = Creation::begin(&path, &spec("new", 9)).unwrap();
    let new_chunks = creation.new_path().join(CHUNKS);
    fs::remove_dir(&new_chunks).unwrap();
    std::os::unix::fs::symlink(CHUNKS, &new_chunks).unwrap();
    let unclear = creation.reinstate_old().unwrap_err();
    assert!(matches!(unclear, Error::System { operation: Operation::Look, .. }), "{unclear}");
    drop(creation);
    expect_old(&ArrayDirectory::open(&path).unwrap());
}

#[test]
fn a_delete_that_stops_after_any_call_leaves_the_array_or_what_can_be_deleted() {
    let calls = stop_everywhere(
        make_old,
        |disk, path| delete_on(&disk, path).map(drop),
        |calls, path| match ArrayDirectory::open(path) {
            Ok(array) => expect_old(&array),
            Err(Error::Missing { .. } | Error::Empty { .. }) => {}
            Err(Error::HalfMade { .. }) => {
                assert_eq!(delete_on(&Disk::default(), path).unwrap(), Deleted::default());
                assert!(!path.exists());
            }
            Err(error) => panic!("after {calls} calls: {error}"),
        },
    );
    assert!(calls > 10, "{calls} calls");
}

#[test]
fn a_delete_on_a_full_disk_that_stops_after_any_call_leaves_the_array_or_what_can_be_removed() {
    let calls = stop_everywhere(
        make_old,
        |disk, path| delete_on(&disk.filled(), path).map(drop),
        |calls, path| match ArrayDirectory::open(path) {
            Ok(array) => expect_old(&array),
            Err(Error::Missing { .. } | Error::Empty { .. }) => {}
            Err(Error::HalfMade { .. }) if calls % 3 == 0 => {
                expect_new(&ArrayDirectory::create(path, &spec("new", 9)).unwrap());
                assert_eq!(names(path), ["c", "zarr.json"], "after {calls} calls");
            }
            Err(Error::HalfMade { .. }) => {
                let disk = if calls % 3 == 1 { Disk::default() } else { Disk::default().filled() };
                assert_eq!(delete_on(&disk, path).unwrap(), Deleted::default());
                assert!(!path.exists());
            }
            Err(error) => panic!("after {calls} calls: {error}"),
        },
    );
    assert!(calls > 10, "{calls} calls");
}

#[test]
fn what_a_stopped_create_left_can_be_deleted_on_a_full_disk() {
    for first in 0..60 {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        make_old(&path);
        create_new(Disk::stopping_after(first), &path).ok();
        assert_eq!(delete_on(&Disk::default().filled(), &path).unwrap(), Deleted::default());
        assert!(!path.exists(), "after {first} calls");
    }
}

#[test]
fn an_array_that_is_not_ours_can_be_deleted_on_a_full_disk() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    make_old(&path);
    let theirs = fs::read_to_string(path.join(METADATA)).unwrap().replace("\"chemio\"", "\"other\"");
    fs::write(path.join(METADATA), theirs).unwrap();
    let array = ArrayDirectory::open(&path).unwrap();
    assert!(array.attributes().is_none());
    assert_eq!(array.delete_whoever_made_it_on(&Disk::default().filled()).unwrap(), Deleted::default());
    assert!(!path.exists());
}

#[test]
fn a_create_that_is_abandoned_leaves_an_old_array_as_it_was_or_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    let mut creation = Creation::begin(&path, &spec("new", 9)).unwrap();
    creation.make_shards([0]).unwrap();
    drop(creation);
    assert!(!path.exists());
    make_old(&path);
    drop(Creation::begin(&path, &spec("new", 9)).unwrap());
    expect_old(&ArrayDirectory::open(&path).unwrap());
    assert_eq!(names(&path), ["c", "zarr.json"]);
}

/// A part of the array "new", complete beside its place.
fn complete_part(disk: Disk, path: &Path) -> Result<Creation> {
    let mut spec = spec("new", 9);
    spec.attributes.part = Some(Part { number: 0, of: 2, array: "x".to_owned() });
    let mut creation = Creation::begin_on(disk, path, &spec)?;
    creation.make_shards(0..creation.layout.shards_count())?;
    creation.complete()?;
    Ok(creation)
}

#[test]
fn a_new_array_that_has_its_place_is_taken_back_until_it_is_finished() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    let put_and_drop = || {
        let mut creation = complete_part(Disk::default(), &path).unwrap();
        creation.put_in_place().unwrap();
        expect_new(&ArrayDirectory::open(&path).unwrap());
    };
    put_and_drop();
    assert!(!path.exists(), "nothing was there before");
    make_old(&path);
    put_and_drop();
    expect_old(&ArrayDirectory::open(&path).unwrap());
    assert_eq!(names(&path), ["c", "zarr.json"]);
}

#[test]
fn a_new_array_whose_taking_back_stops_after_any_call_is_the_old_one_none_or_whole() {
    let mut are_old = 0;
    for calls in 0..80 {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        make_old(&path);
        if let Ok(mut creation) = complete_part(Disk::stopping_after(calls), &path) {
            creation.put_in_place().ok();
        }
        match ArrayDirectory::open(&path) {
            Ok(array) if array.attributes().unwrap().name == "old" => {
                expect_old(&array);
                are_old += u32::from(names(&path) == ["c", "zarr.json"]);
            }
            Ok(array) => expect_new(&array),
            Err(Error::HalfMade { .. }) => {}
            Err(error) => panic!("after {calls} calls: {error}"),
        }
    }
    assert!(are_old > 10, "{are_old} times it was taken back");
}

/// Completes a part on a disk that stops after `first` calls, and puts it in place as far as that one goes and then on one that stops
/// after `second` more; whether this came to something that had to be ended.
fn resume_after(first: u64, second: u64, replaces: bool) -> Option<bool> {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    if replaces {
        make_old(&path);
    }
    let mut creation = complete_part(Disk::stopping_after(first), &path).ok()?;
    creation.put_in_place().ok();
    drop(creation);
    let (is_in_place, is_beside) = (part_at(&path).is_some(), Creation::interrupted(&path).is_some());
    Creation::resume_on(Disk::stopping_after(second), &path, "x").ok();
    assert!(matches!(Creation::resume(&path, "y"), Err(Error::Changed { .. })));
    if is_in_place || !is_beside {
        // It was ready, or has begun to take back what it had done.
        return Some(false);
    }
    expect_new(&Creation::resume(&path, "x").unwrap());
    expect_new(&ArrayDirectory::open(&path).unwrap());
    make_old(&path);
    assert_eq!(names(&path), ["c", "zarr.json"], "after {first} and {second} calls");
    Some(true)
}

#[test]
fn a_complete_part_is_put_in_place_wherever_its_program_stopped_and_whoever_did_so_before() {
    for replaces in [false, true] {
        let stops = |first| (0..20).step_by(3).map_while(move |second| resume_after(first, second, replaces));
        let resumed = (0..60).flat_map(stops).filter(|&resumed| resumed).count();
        assert!(resumed >= 14, "{resumed} times");
    }
}

#[test]
fn a_part_is_not_put_in_place_of_what_is_not_ours_or_without_its_shards() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    make_old(&path);
    // As a kill leaves it, which ends the turn too.
    let mut left = complete_part(Disk::default(), &path).unwrap();
    left.stage = Stage::Joined;
    drop(left);
    let refuse = || {
        let before = snapshot(scratch.path());
        let error = Creation::resume(&path, "x").unwrap_err();
        assert_eq!(snapshot(scratch.path()), before);
        error
    };
    fs::write(path.join("c/0/notes"), "x").unwrap();
    assert!(matches!(refuse(), Error::NotOurs { .. }));
    fs::remove_file(path.join("c/0/notes")).unwrap();
    let ours = fs::read_to_string(path.join(METADATA)).unwrap();
    fs::write(path.join(METADATA), ours.replace("\"chemio\"", "\"other\"")).unwrap();
    assert!(matches!(refuse(), Error::NotOurs { .. }));
    fs::write(path.join(METADATA), ours).unwrap();
    fs::rename(path.join(NEW).join(CHUNKS), scratch.path().join("aside")).unwrap();
    assert!(matches!(refuse(), Error::Changed { .. }));
    fs::rename(scratch.path().join("aside"), path.join(NEW).join(CHUNKS)).unwrap();
    expect_new(&Creation::resume(&path, "x").unwrap());
}

#[test]
fn what_is_not_complete_any_more_is_not_taken_for_the_rest_of_a_part() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    make_old(&path);
    complete_part(Disk::default(), &path).unwrap().stage = Stage::Joined;
    assert_eq!(Creation::interrupted(&path).unwrap().array, "x");
    // Another creation begins and stops as soon as it has changed something there.
    let new = path.join(NEW);
    for calls in 0.. {
        prepare(&Disk::stopping_after(calls), &path, false, None).ok();
        if !new.join(CHUNKS).exists() || entries(&new.join(CHUNKS)).unwrap().len() < 2 {
            break;
        }
    }
    assert!(Creation::interrupted(&path).is_none());
}

#[test]
fn several_processes_can_make_the_shards() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    let spec = spec("new", 9);
    let mut creation = Creation::begin(&path, &spec).unwrap();
    let mut other = Creation::join(&path, &spec).unwrap();
    let count = creation.layout().shards_count();
    creation.make_shards((0..count).step_by(2)).unwrap();
    other.make_shards((1..count).step_by(2)).unwrap();
    assert_eq!((creation.unsynced.len() as u64, other.unsynced.len()), (count.div_ceil(2), 0));
    drop(other);
    expect_new(&creation.commit().unwrap());
}

#[test]
fn creating_over_anything_else_fails_and_touches_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    let refuse = |found: &str| {
        let before = snapshot(scratch.path());
        let error = ArrayDirectory::create(&path, &spec("new", 9)).unwrap_err();
        assert!(matches!(&error, Error::NotOurs { .. }) && error.to_string().starts_with(found), "{error}");
        assert_eq!(snapshot(scratch.path()), before);
    };
    fs::write(&path, "data").unwrap();
    refuse("a file, not an array made by chemio");
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("nowhere", &path).unwrap();
    refuse("a link to nothing");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    fs::write(path.join("notes"), "x").unwrap();
    refuse("a directory without zarr.json");
    fs::write(path.join(".zarray"), "{}").unwrap();
    refuse("an array or group of Zarr version 2");
    fs::write(path.join(METADATA), "{").unwrap();
    refuse("a directory with metadata that cannot be understood");
    fs::write(path.join(METADATA), r#"{"zarr_format": 3, "node_type": "group"}"#).unwrap();
    refuse("a Zarr group");
    let foreign = spec("", 9).metadata().unwrap().to_text().replace("\"chemio\"", "\"other\"");
    fs::write(path.join(METADATA), foreign).unwrap();
    refuse("an array of another program");
    fs::remove_dir_all(&path).unwrap();
    make_old(&path);
    fs::write(path.join("c/0/notes"), "x").unwrap();
    refuse("something in the way of the shards");
}

fn snapshot(path: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut found = vec![];
    for (entry, kind) in entries(path).unwrap() {
        if kind.is_dir() {
            found.push((entry.clone(), None));
            found.extend(snapshot(&entry));
        } else {
            found.push((entry.clone(), fs::read(&entry).ok()));
        }
    }
    found
}

#[test]
fn a_create_in_which_any_one_call_fails_leaves_the_old_array_as_it_was() {
    for calls in 0.. {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        make_old(&path);
        let before = snapshot(scratch.path());
        match create_on(Disk::failing_after(calls), &path, &spec("new", 9)) {
            // Only tidying up may fail without a word, or nothing has.
            Ok(array) => {
                expect_new(&array);
                assert!(calls > 20, "{calls} calls");
                if names(&path) == ["c", "zarr.json"] {
                    return;
                }
            }
            Err(_) if ArrayDirectory::open(&path).unwrap().attributes().unwrap().name == "old" => {
                assert_eq!(snapshot(scratch.path()), before, "after {calls} calls");
            }
            // The last sync: the new array is there, and may not survive if the machine stops.
            Err(error) => {
                expect_new(&ArrayDirectory::open(&path).unwrap());
                assert!(matches!(error, Error::System { operation: crate::Operation::Sync, .. }), "{error}");
            }
        }
    }
}

#[test]
fn a_create_in_which_any_one_call_fails_leaves_nothing_where_nothing_was() {
    for calls in 0.. {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        match create_on(Disk::failing_after(calls), &path, &spec("new", 9)) {
            Ok(array) => {
                expect_new(&array);
                assert!(calls > 20, "{calls} calls");
                if names(&path) == ["c", "zarr.json"] {
                    return;
                }
            }
            Err(_) if path.exists() => expect_new(&ArrayDirectory::open(&path).unwrap()),
            Err(_) => assert!(names(scratch.path()).is_empty(), "after {calls} calls"),
        }
    }
}

#[test]
fn a_name_that_no_file_can_have_is_an_error_with_the_path() {
    let scratch = tempfile::tempdir().unwrap();
    for path in [scratch.path().join("x".repeat(4000)), scratch.path().join("not/there")] {
        let error = ArrayDirectory::create(&path, &spec("new", 9)).unwrap_err();
        assert!(matches!(error, Error::System { .. }) && error.path() == Some(&path), "{error}");
    }
    assert!(names(scratch.path()).is_empty());
}

#[test]
fn a_name_that_is_empty_or_blank_is_refused() {
    for path in ["", "  "].map(Path::new) {
        let refused = [
            ArrayDirectory::create(path, &spec("new", 9)).unwrap_err(),
            ArrayDirectory::open(path).unwrap_err(),
            ArrayDirectory::delete(path).unwrap_err(),
        ];
        assert!(refused.iter().all(|error| error.to_string() == "the file name is empty"), "{refused:?}");
    }
}

#[test]
fn delete_leaves_what_is_not_ours_and_names_it() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    make_old(&path);
    for foreign in ["notes", "c/0/notes", "c/0/01", "c/7"] {
        fs::write(path.join(foreign), "x").unwrap();
    }
    let left = ArrayDirectory::delete(&path).unwrap().left;
    assert_eq!(left, ["c/0/01", "c/0/notes", "c/7", "notes"].map(|name| path.join(name)));
    assert_eq!(names(&path), ["c", "notes"]);
    assert_eq!(names(&path.join("c/0")), ["01", "notes"]);
    assert!(matches!(ArrayDirectory::delete(&path), Err(Error::NotOurs { .. })));
    let missing = scratch.path().join("missing");
    assert!(matches!(ArrayDirectory::delete(&missing), Err(Error::Missing { .. })));
    fs::create_dir(&missing).unwrap();
    assert!(matches!(ArrayDirectory::delete(&missing), Err(Error::NotOurs { .. })));
}

#[test]
fn what_open_files_have_left_of_an_older_array_is_put_out_of_the_way() {
    for calls in 0..40 {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        make_old(&path);
        let left = path.join(OLD).join("c/0");
        fs::create_dir_all(&left).unwrap();
        // As if each file that is removed there got another name.
        let hide = move || {
            let _ = left.is_dir().then(|| fs::write(left.join(".fuse_hidden1"), ""));
        };
        let disk = Disk::default().shared_after(calls, hide);
        let made = create_on(disk, &path, &spec("new", 4))
            .unwrap_or_else(|error| panic!("after {calls} calls: {error}"));
        made.check().unwrap();
        assert_eq!(made.attributes().unwrap().name, "new");
        ArrayDirectory::delete(&path).unwrap();
        assert!(!path.exists(), "after {calls} calls");
    }
}
