//! Copying and moving arrays: what a stop after each call leaves, and what has changed meanwhile.

use super::*;
use crate::format::{Alignment, ArraySpec, BrickShape, Bricks, DataType};
use section::Section;
use std::fs::Permissions;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::sync::{Arc, OnceLock};

const ROW: [u8; 48] = [7; 48];

fn make_source(path: &Path) -> ArrayDirectory {
    let mut spec = ArraySpec::new(&[9, 6], DataType::Float64).unwrap();
    spec.bricks = Bricks::Exact(BrickShape::exact(&[2, 3]).unwrap());
    (spec.alignment, spec.files) = (Alignment::new(512).unwrap(), 3);
    let array = ArrayDirectory::create(path, &spec).unwrap();
    array.write(&Section::new(&[4, 0], &[5, 6]).unwrap(), &ROW).unwrap();
    array
}

fn expect_whole(array: &ArrayDirectory) {
    let mut all = vec![1; 9 * 48];
    array.read(&Section::whole(&[9, 6]).unwrap(), &mut all).unwrap();
    assert!(all[4 * 48..5 * 48] == ROW && all[..4 * 48].iter().all(|&byte| byte == 0));
    array.check().unwrap();
}

fn copy_on(disk: Disk, source: &Path, path: &Path) -> Result<()> {
    let mut copying = Copying::begin_on(disk, ArrayDirectory::open(source)?, path)?;
    while copying.step()?.is_some() {}
    copying.commit().map(drop)
}

#[test]
fn a_copy_that_stops_after_any_call_leaves_no_array_or_a_whole_one() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("source");
    make_source(&source);
    for calls in 0.. {
        let path = scratch.path().join(format!("copy-{calls}"));
        let result = copy_on(Disk::stopping_after(calls), &source, &path);
        match ArrayDirectory::open(&path) {
            Ok(array) => expect_whole(&array),
            Err(Error::Missing { .. } | Error::Empty { .. } | Error::HalfMade { .. }) => {}
            Err(error) => panic!("after {calls} calls: {error}"),
        }
        expect_whole(&ArrayDirectory::open(&source).unwrap());
        if result.is_ok() {
            assert!(calls > 20, "{calls} calls");
            break;
        }
        // Whatever is left, the copy can be made.
        if ArrayDirectory::open(&path).is_err() {
            copy_on(Disk::default(), &source, &path).unwrap();
        }
        expect_whole(&ArrayDirectory::open(&path).unwrap());
        assert_eq!(ArrayDirectory::delete(&path).unwrap().left, Vec::<PathBuf>::new());
    }
}

#[test]
fn chunks_that_a_half_made_array_of_another_program_left_do_not_become_data_of_a_copy() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
    make_source(&source);
    for stray in ["0/0", "0.0", "c.0.0", "notes"] {
        fs::create_dir_all(path.join(OLD)).unwrap();
        fs::create_dir_all(path.join("c/0")).unwrap();
        fs::write(path.join("c/0/0"), "old").unwrap();
        fs::create_dir_all(path.join(stray).parent().unwrap()).unwrap();
        fs::write(path.join(stray), "old").unwrap();
        let error = copy_on(Disk::default(), &source, &path).unwrap_err();
        let first = path.join(Path::new(stray).iter().next().unwrap());
        assert!(matches!(&error, Error::Exists { path, .. } if *path == first), "{error}");
        assert!(path.join(OLD).is_dir() && path.join("c/0/0").is_file() && !path.join(NEW).exists());
        // It is told of by deleting too; without it there is room for a copy.
        assert_eq!(ArrayDirectory::delete(&path).unwrap().left, std::slice::from_ref(&first));
        fs::remove_dir_all(&path).unwrap();
    }
}

#[test]
fn a_copy_to_where_a_half_made_array_is_in_which_any_one_call_fails_leaves_a_place_for_another() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("source");
    make_source(&source);
    for calls in 0..60 {
        let path = scratch.path().join(format!("copy-{calls}"));
        fs::create_dir_all(path.join(NEW)).unwrap();
        fs::create_dir_all(path.join("c/0")).unwrap();
        fs::write(path.join("c/0/0"), "old").unwrap();
        copy_on(Disk::failing_after(calls), &source, &path).ok();
        match ArrayDirectory::open(&path) {
            Ok(_) => {}
            Err(Error::Missing { .. } | Error::HalfMade { .. }) => {
                copy_on(Disk::default(), &source, &path).unwrap();
            }
            Err(error) => panic!("after {calls} calls: {error}"),
        }
        expect_whole(&ArrayDirectory::open(&path).unwrap());
    }
}

#[test]
fn a_source_that_changes_meanwhile_is_not_copied() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
    make_source(&source).set_attribute(crate::format::UNFINISHED, Some("half of it".into())).unwrap();
    let mut copying = Copying::begin(ArrayDirectory::open(&source).unwrap(), &path).unwrap();
    while copying.step().unwrap().is_some() {}
    // It is complete now, but what was copied is not.
    ArrayDirectory::open(&source).unwrap().set_attribute(crate::format::UNFINISHED, None).unwrap();
    assert!(matches!(copying.commit(), Err(Error::Changed { path }) if path == source));
    assert!(!path.exists());
    copy_on(Disk::default(), &source, &path).unwrap();
    expect_whole(&ArrayDirectory::open(&path).unwrap());
}

/// All elements.
fn elements_of(array: &ArrayDirectory) -> Vec<u8> {
    let mut all = vec![1; 9 * 48];
    array.read(&Section::whole(&[9, 6]).unwrap(), &mut all).unwrap();
    all
}

/// Writes all elements, in every shard, as a program does that opens the array for it.
fn write_all(source: &Path) -> Result<()> {
    ArrayDirectory::open(source)?.write(&Section::whole(&[9, 6]).unwrap(), &[9; 9 * 48])
}

/// A disk on which another program writes to `source` after so many calls, and whether it could; none before.
fn written_after(calls: u64, source: &Path) -> (Disk, Arc<OnceLock<bool>>) {
    let (source, wrote) = (source.to_owned(), Arc::new(OnceLock::new()));
    let tells = Arc::clone(&wrote);
    let act = move || tells.set(write_all(&source).is_ok()).expect("once");
    (Disk::default().shared_after(calls, act), wrote)
}

fn move_on(disk: Disk, source: &Path, path: &Path) -> Result<Moved> {
    let mut copying = Copying::begin_on(disk, ArrayDirectory::open(source)?, path)?;
    while copying.step()?.is_some() {}
    copying.commit_and_delete_source()
}

#[test]
fn a_write_at_any_moment_of_a_copy_is_not_half_in_it() {
    let mut refused = 0;
    for calls in 0.. {
        let scratch = tempfile::tempdir().unwrap();
        let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
        let before = elements_of(&make_source(&source));
        let (disk, wrote) = written_after(calls, &source);
        match copy_on(disk, &source, &path) {
            Ok(()) => {
                let copied = elements_of(&ArrayDirectory::open(&path).unwrap());
                assert!(copied == before || copied == [9; 9 * 48], "after {calls} calls");
            }
            Err(Error::Changed { path: changed }) => {
                assert!(changed == source && !path.exists(), "after {calls} calls");
                refused += 1;
            }
            Err(error) => panic!("after {calls} calls: {error}"),
        }
        let Some(&wrote) = wrote.get() else { break };
        assert!(wrote && elements_of(&ArrayDirectory::open(&source).unwrap()) == [9; 9 * 48]);
    }
    assert!(refused > 10, "{refused} copies refused");
}

#[test]
fn a_write_at_any_moment_of_a_move_is_in_the_copy_or_in_the_source_that_stays() {
    let (mut refused, mut kept, mut too_late) = (0, 0, 0);
    for calls in 0.. {
        let scratch = tempfile::tempdir().unwrap();
        let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
        let before = elements_of(&make_source(&source));
        let (disk, wrote) = written_after(calls, &source);
        let is_left = match move_on(disk, &source, &path) {
            Ok(Moved { copy, deleted: Err(Error::Changed { path: changed }) }) => {
                assert!(changed == source && elements_of(&copy) == before, "after {calls} calls");
                kept += 1;
                elements_of(&ArrayDirectory::open(&source).unwrap())
            }
            Ok(moved) => {
                assert_eq!(moved.deleted.unwrap(), Deleted::default());
                assert!(!source.exists());
                elements_of(&moved.copy)
            }
            Err(Error::Changed { path: changed }) => {
                assert!(changed == source && !path.exists(), "after {calls} calls");
                refused += 1;
                elements_of(&ArrayDirectory::open(&source).unwrap())
            }
            Err(error) => panic!("after {calls} calls: {error}"),
        };
        let Some(&wrote) = wrote.get() else { break };
        too_late += u32::from(!wrote);
        assert!(if wrote { is_left == [9; 9 * 48] } else { is_left == before }, "after {calls} calls");
    }
    assert!(refused > 10 && kept > 2 && too_late > 2, "{refused} {kept} {too_late}");
}

#[test]
fn a_shard_of_the_source_that_goes_at_any_moment_of_a_move_takes_no_copy_with_it() {
    let mut kept = 0;
    for calls in 0.. {
        let scratch = tempfile::tempdir().unwrap();
        let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
        let shard = make_source(&source).shard_path(1);
        let went = Arc::new(OnceLock::new());
        let tells = Arc::clone(&went);
        let act = move || tells.set(fs::remove_file(&shard).is_ok()).expect("once");
        match move_on(Disk::default().shared_after(calls, act), &source, &path) {
            Ok(moved) => {
                expect_whole(&moved.copy);
                kept += u32::from(moved.deleted.is_err());
            }
            Err(_) => assert!(ArrayDirectory::open(&path).is_err(), "after {calls} calls"),
        }
        if went.get().is_none() {
            break;
        }
    }
    assert!(kept > 2, "{kept}");
}

#[test]
fn a_move_that_stops_after_any_call_or_in_which_one_fails_leaves_the_source_or_the_copy_whole() {
    for disk in [Disk::stopping_after, Disk::failing_after] {
        for calls in 0.. {
            let scratch = tempfile::tempdir().unwrap();
            let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
            make_source(&source);
            let result = move_on(disk(calls), &source, &path);
            match (ArrayDirectory::open(&source), ArrayDirectory::open(&path)) {
                (Ok(source), Ok(copy)) => [source, copy].iter().for_each(expect_whole),
                (Ok(one), Err(_)) | (Err(_), Ok(one)) => expect_whole(&one),
                (Err(error), Err(_)) => panic!("after {calls} calls: {error}"),
            }
            if result.is_ok_and(|moved| moved.deleted.is_ok()) && !source.exists() {
                break;
            }
        }
    }
}

#[test]
fn a_move_that_notices_a_write_and_then_stops_leaves_what_was_written() {
    let mut not_put_back = 0;
    for (calls, more) in (25..45).flat_map(|calls| (0..8).map(move |more| (calls, more))) {
        let scratch = tempfile::tempdir().unwrap();
        let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
        let before = elements_of(&make_source(&source));
        let wrote = Arc::new(OnceLock::new());
        let (tells, written) = (Arc::clone(&wrote), source.clone());
        let act = move || tells.set(write_all(&written).is_ok()).expect("once");
        let disk = Disk::stopping_after(calls + more).shared_after(calls, act);
        let result = move_on(disk, &source, &path);
        if let Ok(Moved { deleted: Err(Error::NotPutBack { old, .. }), .. }) = &result {
            not_put_back += 1;
            fs::rename(old, source.join(METADATA)).unwrap();
        }
        let wrote = wrote.get() == Some(&true);
        let is_left =
            |path: &Path| ArrayDirectory::open(path).is_ok_and(|array| elements_of(&array) == [9; 9 * 48]);
        let place = format!("{calls} calls and {more}: {result:?}");
        if wrote {
            assert!(is_left(&source) || is_left(&path), "{place}");
        } else {
            let whole =
                |path: &Path| ArrayDirectory::open(path).is_ok_and(|array| elements_of(&array) == before);
            assert!(whole(&source) || whole(&path), "{place}");
        }
    }
    assert!(not_put_back > 0);
}

/// What is copied and then changed is neither copied nor deleted; where a directory for the copy was, it is as empty as it was.
fn expect_refused(change: impl Fn(&ArrayDirectory)) {
    let ends: [&dyn Fn(Copying) -> Result<()>; 2] =
        [&|copying| copying.commit().map(drop), &|copying| copying.commit_and_delete_source().map(drop)];
    for (end, has_place) in [(ends[0], true), (ends[0], false), (ends[1], true), (ends[1], false)] {
        let scratch = tempfile::tempdir().unwrap();
        let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
        make_source(&source);
        if has_place {
            fs::create_dir(&path).unwrap();
        }
        let mut copying = Copying::begin(ArrayDirectory::open(&source).unwrap(), &path).unwrap();
        while copying.step().unwrap().is_some() {}
        change(&ArrayDirectory::open(&source).unwrap());
        let error = end(copying).unwrap_err();
        assert!(matches!(&error, Error::Changed { path } if *path == source), "{error}");
        assert!(source.join(METADATA).is_file());
        assert_eq!(path.exists(), has_place);
        assert!(entries(&path).unwrap().is_empty());
    }
}

#[test]
fn a_shard_that_grows_appears_goes_or_is_written_meanwhile_is_noticed() {
    let open = |array: &ArrayDirectory| File::options().write(true).open(array.shard_path(1)).unwrap();
    expect_refused(|array| open(array).write_all_at(&[0], 0).unwrap());
    expect_refused(|array| {
        let file = open(array);
        file.set_len(file.metadata().unwrap().len() + 1).unwrap();
    });
    expect_refused(|array| fs::remove_file(array.shard_path(1)).unwrap());
    let aside = |array: &ArrayDirectory| array.path().with_file_name("aside");
    expect_refused(|array| {
        fs::copy(array.shard_path(1), aside(array)).unwrap();
        fs::rename(aside(array), array.shard_path(1)).unwrap();
    });
    // One that was not there.
    let scratch = tempfile::tempdir().unwrap();
    let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
    let shard = make_source(&source).shard_path(1);
    fs::rename(&shard, scratch.path().join("aside")).unwrap();
    let mut copying = Copying::begin(ArrayDirectory::open(&source).unwrap(), &path).unwrap();
    while copying.step().unwrap().is_some() {}
    fs::rename(scratch.path().join("aside"), &shard).unwrap();
    assert!(matches!(copying.commit_and_delete_source(), Err(Error::Changed { .. })));
    assert!(shard.is_file() && !path.exists());
}

#[test]
fn an_attribute_that_is_set_meanwhile_is_copied_too() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
    make_source(&source);
    let mut copying = Copying::begin(ArrayDirectory::open(&source).unwrap(), &path).unwrap();
    while copying.step().unwrap().is_some() {}
    ArrayDirectory::open(&source).unwrap().set_attribute("units", Some("hartree".into())).unwrap();
    let moved = copying.commit_and_delete_source().unwrap();
    assert_eq!(moved.copy.metadata().attributes["units"], "hartree");
    assert_eq!(moved.deleted.unwrap(), Deleted::default());
    assert!(!source.exists());
    expect_whole(&moved.copy);
}

#[test]
fn an_array_of_another_program_is_moved_without_what_is_not_of_it() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
    make_source(&source);
    fs::write(source.join("notes"), "mine").unwrap();
    let text = fs::read_to_string(source.join(METADATA)).unwrap().replace("\"chemio\"", "\"other\"");
    fs::write(source.join(METADATA), text).unwrap();
    let moved = move_on(Disk::default(), &source, &path).unwrap();
    assert_eq!(moved.deleted.unwrap().left, [source.join("notes")]);
    assert_eq!(entries(&source).unwrap().len(), 1);
    expect_whole(&moved.copy);
}

#[test]
fn a_copy_that_fails_once_leaves_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("source");
    make_source(&source);
    for calls in 0.. {
        let path = scratch.path().join("copy");
        let result = copy_on(Disk::failing_after(calls), &source, &path);
        match ArrayDirectory::open(&path) {
            Ok(array) => {
                expect_whole(&array);
                drop(array);
                ArrayDirectory::delete(&path).unwrap();
            }
            Err(error) => {
                assert!(result.is_err());
                assert!(!path.exists(), "after {calls} calls: {error}");
            }
        }
        if result.is_ok() {
            break;
        }
    }
}

#[test]
fn holes_are_not_copied_and_other_files_stay_behind() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("source");
    let array =
        ArrayDirectory::create(&source, &ArraySpec::new(&[4000, 5000], DataType::Float64).unwrap()).unwrap();
    array.write(&Section::new(&[3999, 0], &[4000, 5000]).unwrap(), &vec![3; 40_000]).unwrap();
    fs::write(source.join("notes"), "mine").unwrap();
    let copy = array.copy_to(&scratch.path().join("copy")).unwrap();
    let shard = fs::metadata(copy.shard_path(0)).unwrap();
    assert!(shard.len() > 4000 * 5000 * 8 && shard.blocks() * 512 < 16 << 20, "{} blocks", shard.blocks());
    let mut row = vec![0; 40_000];
    copy.read(&Section::new(&[3999, 0], &[4000, 5000]).unwrap(), &mut row).unwrap();
    assert!(row.iter().all(|&byte| byte == 3));
    assert!(!copy.path().join("notes").exists());
}

#[test]
fn what_was_private_stays_private() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, path) = (scratch.path().join("source"), scratch.path().join("copy"));
    let array = make_source(&source);
    let allow = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    allow(&source, 0o500);
    allow(&source.join(METADATA), 0o600);
    allow(&array.shard_path(0), 0o400);
    let copy = array.copy_to(&path).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!([mode(&path), mode(&path.join(METADATA)), mode(&copy.shard_path(0))], [0o700, 0o600, 0o600]);
    let others = mode(&copy.shard_path(1));
    assert_eq!(others, mode(&ArrayDirectory::open(&source).unwrap().shard_path(1)), "as new files are");
}

#[test]
fn what_is_there_already_is_not_touched() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, other) = (scratch.path().join("source"), scratch.path().join("other"));
    make_source(&source);
    fs::write(&other, "mine").unwrap();
    for path in [&source, &other] {
        let error = ArrayDirectory::open(&source).unwrap().copy_to(path).unwrap_err();
        assert!(matches!(error, Error::Exists { .. }), "{error}");
    }
    assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
    expect_whole(&ArrayDirectory::open(&source).unwrap());
}
