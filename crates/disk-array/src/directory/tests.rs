//! An array on disk, as one process sees it.

use super::*;
use crate::disk::entries;
use crate::format::{ArraySpec, BrickShape, Bricks, DataType, IndexEntry};
use crate::survey::{OLD, PART, Survey};
use section::Section;
use serde_json::json;
use std::fs;

/// 4 x 6 numbers from 0, in four bricks of 2 x 3, in one shard.
fn counted(path: &Path) -> (ArrayDirectory, Vec<u8>) {
    let mut spec = ArraySpec::new(&[4, 6], DataType::Int64).unwrap();
    spec.bricks = Bricks::Exact(BrickShape::exact(&[2, 3]).unwrap());
    spec.alignment = Alignment::new(512).unwrap();
    let array = ArrayDirectory::create(path, &spec).unwrap();
    let elements: Vec<u8> = (0..24i64).flat_map(i64::to_le_bytes).collect();
    array.write(&whole(), &elements).unwrap();
    (array, elements)
}

fn whole() -> Section {
    Section::new(&[0, 0], &[4, 6]).unwrap()
}

fn elements(array: &ArrayDirectory) -> Vec<u8> {
    let mut elements = vec![1; 24 * 8];
    array.read(&whole(), &mut elements).unwrap();
    elements
}

/// The shard as other tools write it: without gaps, in another order, one brick of zeros left out.
fn compact(array: &ArrayDirectory) {
    let path = array.shard_path(0);
    let (made, layout) = (fs::read(&path).unwrap(), array.layout().shard());
    let (mut shard, mut index) = (vec![], vec![IndexEntry::MISSING; 4]);
    for slot in [3u64, 0, 2] {
        let at = section::size(layout.offset_bytes(slot));
        index[section::size(slot)] = IndexEntry { offset_bytes: shard.len() as u64, len_bytes: 48 };
        shard.extend(&made[at..at + 48]);
    }
    let index: Vec<u8> = index.into_iter().flat_map(IndexEntry::encode).collect();
    shard.extend(&index);
    shard.extend(crc32c::crc32c(&index).to_le_bytes());
    fs::write(&path, shard).unwrap();
}

/// What the elements are when the brick in slot 1 is missing.
fn without_second_brick(mut elements: Vec<u8>) -> Vec<u8> {
    for row in 0..2 {
        elements[row * 48 + 24..(row + 1) * 48].fill(0);
    }
    elements
}

#[test]
fn a_shard_that_another_program_rewrote_is_read_by_its_index_and_restored_before_it_is_written() {
    let scratch = tempfile::tempdir().unwrap();
    let (array, counted) = counted(&scratch.path().join("array"));
    let before = array.shard(0).unwrap().unwrap();
    assert!(before.is_as_laid_out() && before.is_current().unwrap());
    compact(&array);
    let shard = array.shard(0).unwrap().unwrap();
    assert!(!shard.is_as_laid_out());
    assert_eq!((shard.offset_bytes(0).unwrap(), shard.offset_bytes(1).unwrap()), (Some(48), None));
    array.check().unwrap();
    let expected = without_second_brick(counted);
    assert_eq!(elements(&array), expected);

    let restored = array.shard_for_writing(0).unwrap();
    assert!(restored.is_as_laid_out() && !shard.is_current().unwrap());
    assert_eq!(elements(&array), expected);
    assert!(!array.path().join(PART).exists());
}

#[test]
fn a_shard_that_another_program_removed_is_fill_values_until_it_is_written() {
    let scratch = tempfile::tempdir().unwrap();
    let (array, _) = counted(&scratch.path().join("array"));
    fs::remove_dir_all(array.path().join("c")).unwrap();
    assert!(array.shard(0).unwrap().is_none());
    array.check().unwrap();
    assert_eq!(elements(&array), [0; 192]);
    array.write(&Section::new(&[3, 5], &[4, 6]).unwrap(), &5i64.to_le_bytes()).unwrap();
    assert_eq!(elements(&array)[184..], 5i64.to_le_bytes());
}

#[test]
fn restoring_stopped_after_any_call_leaves_the_elements_as_they_are() {
    for calls in 0.. {
        let scratch = tempfile::tempdir().unwrap();
        let (array, counted) = counted(&scratch.path().join("array"));
        compact(&array);
        let result = array.restore_shard_on(&Disk::stopping_after(calls), 0);
        assert_eq!(elements(&ArrayDirectory::open(array.path()).unwrap()), without_second_brick(counted));
        array.shard_for_writing(0).unwrap();
        let left = entries(&array.path().join(PART)).unwrap();
        assert!(left.is_empty(), "after {calls} calls: {left:?}");
        ArrayDirectory::delete(array.path()).unwrap();
        assert!(!array.path().exists());
        if result.is_ok() {
            assert!(calls > 8, "{calls} calls");
            return;
        }
    }
}

#[test]
fn what_is_written_to_a_shard_that_another_one_restored_first_stays() {
    let scratch = tempfile::tempdir().unwrap();
    let (slow, counted) = counted(&scratch.path().join("array"));
    let fast = ArrayDirectory::open(slow.path()).unwrap();
    let element = Section::new(&[3, 5], &[4, 6]).unwrap();
    let written = |mut elements: Vec<u8>| {
        elements[184..].copy_from_slice(&5i64.to_le_bytes());
        elements
    };
    compact(&slow);
    let seen = slow.shard(0).unwrap();
    fast.write(&element, &5i64.to_le_bytes()).unwrap();
    assert!(!slow.replace_shard(&Disk::default(), 0, seen.as_ref()).unwrap());
    assert_eq!(elements(&slow), written(without_second_brick(counted)));
    // It is as we lay it out, and may be written to at this moment.
    let now = slow.shard(0).unwrap().unwrap();
    slow.restore_shard(0).unwrap();
    assert!(now.is_current().unwrap());

    fs::remove_file(slow.shard_path(0)).unwrap();
    fast.write(&element, &5i64.to_le_bytes()).unwrap();
    assert!(!slow.replace_shard(&Disk::default(), 0, None).unwrap());
    assert_eq!(elements(&slow), written(vec![0; 192]));
    assert!(!slow.path().join(PART).exists());
}

#[test]
fn a_shard_of_an_array_that_was_replaced_meanwhile_is_not_restored_into_the_new_one() {
    let scratch = tempfile::tempdir().unwrap();
    let (old, _) = counted(&scratch.path().join("array"));
    compact(&old);
    let seen = old.shard(0).unwrap();
    let spec = ArraySpec::new(&[4, 6], DataType::Int64).unwrap();
    let new = ArrayDirectory::create(old.path(), &spec).unwrap();
    let replaced = old.replace_shard(&Disk::default(), 0, seen.as_ref());
    assert!(matches!(replaced, Err(Error::Changed { .. })), "{replaced:?}");
    assert_eq!(elements(&new), [0; 192]);
    assert!(new.changed().unwrap().is_none() && !new.path().join(PART).exists());
}

#[test]
fn programs_that_open_an_array_for_writing_at_the_same_time_keep_what_the_others_write() {
    for _ in 0..20 {
        let scratch = tempfile::tempdir().unwrap();
        let (array, counted) = counted(&scratch.path().join("array"));
        compact(&array);
        let mut expected = without_second_brick(counted);
        std::thread::scope(|scope| {
            for (column, element) in expected[144..].chunks_exact_mut(8).enumerate() {
                element.fill(9);
                let (path, column) = (array.path(), column as u64);
                scope.spawn(move || {
                    let mine = Section::new(&[3, column], &[4, column + 1]).unwrap();
                    ArrayDirectory::open(path).unwrap().write(&mine, &[9; 8]).unwrap();
                });
            }
        });
        assert_eq!(elements(&array), expected);
        assert!(!array.path().join(PART).exists());
    }
}

#[test]
fn what_another_one_has_set_since_the_metadata_were_read_is_not_taken_back() {
    let scratch = tempfile::tempdir().unwrap();
    let (mut slow, _) = counted(&scratch.path().join("array"));
    let mut fast = ArrayDirectory::open(slow.path()).unwrap();
    let edited = slow.edit("units", Some(&json!("hartree"))).unwrap();
    fast.set_attribute("basis", Some(json!("cc-pVDZ"))).unwrap();
    assert!(slow.replace_metadata(&Disk::default(), &edited).unwrap().is_none());
    assert_eq!(ArrayDirectory::open(slow.path()).unwrap().metadata().attributes["basis"], "cc-pVDZ");
    slow.set_attribute("units", Some(json!("hartree"))).unwrap();
    let now = ArrayDirectory::open(slow.path()).unwrap();
    assert_eq!(now.metadata().attributes, slow.metadata().attributes);
    assert_eq!(
        (&now.metadata().attributes["basis"], now.metadata().attributes.len()),
        (&json!("cc-pVDZ"), 3)
    );
    assert!(!slow.path().join(PART).exists());
}

#[test]
fn setting_an_attribute_stopped_after_any_call_leaves_the_old_or_the_new_ones() {
    for calls in 0.. {
        let scratch = tempfile::tempdir().unwrap();
        let (mut array, counted) = counted(&scratch.path().join("array"));
        array.set_attribute("units", Some(json!("hartree"))).unwrap();
        let result = array.set_attribute_on(&Disk::stopping_after(calls), "units", Some(json!(["eV", 0.1])));
        let found = ArrayDirectory::open(array.path()).unwrap();
        let units = &found.metadata().attributes["units"];
        assert!(units == &json!("hartree") && calls < 8 || units == &json!(["eV", 0.1]), "{units}");
        assert_eq!(found.attributes(), array.attributes());
        assert_eq!(elements(&found), counted);
        if result.is_ok() {
            assert_eq!(found.metadata().attributes, array.metadata().attributes);
            return;
        }
    }
}

#[test]
fn an_array_whose_attributes_have_bare_words_for_numbers_opens_keeps_them_and_can_be_deleted() {
    let scratch = tempfile::tempdir().unwrap();
    let (mut array, counted) = counted(&scratch.path().join("array"));
    array.set_attribute("bounds", Some(json!(["low", 0.5, "NaN"]))).unwrap();
    let file = array.path().join(METADATA);
    let text = fs::read_to_string(&file).unwrap().replace("\"low\"", "-Infinity, NaN");
    fs::write(&file, &text).unwrap();
    let mut found = ArrayDirectory::open(array.path()).unwrap();
    assert_eq!((found.attributes(), elements(&found)), (array.attributes(), counted));
    assert_eq!(found.metadata().attribute_text("bounds").unwrap(), r#"[-Infinity,NaN,0.5,"NaN"]"#);
    let shown = json!(["-Infinity", "NaN", 0.5, "NaN"]);
    assert_eq!(found.metadata().attributes_as_json()["bounds"], shown);
    assert!(found.metadata().to_text().contains("-Infinity"), "also where a new array takes them over");
    assert!(!found.metadata().to_text().contains('\u{fdd0}'));
    found.set_attribute("units", Some(json!("hartree"))).unwrap();
    found.set_attribute("units", None).unwrap();
    let packed = |text: &str| text.replace(char::is_whitespace, "");
    assert_eq!(packed(&fs::read_to_string(&file).unwrap()), packed(&text));
    assert_eq!(ArrayDirectory::delete(found.path()).unwrap().left, Vec::<PathBuf>::new());
}

#[test]
fn numbers_beyond_the_range_and_half_characters_among_attributes_stay_as_another_program_wrote_them() {
    let scratch = tempfile::tempdir().unwrap();
    let (mut array, counted) = counted(&scratch.path().join("array"));
    array.set_attribute("bounds", Some(json!("low"))).unwrap();
    let file = array.path().join(METADATA);
    let text =
        fs::read_to_string(&file).unwrap().replace("\"low\"", r#"[1e400, -1E999, "\ud800", "x\uDFFFy"]"#);
    fs::write(&file, &text).unwrap();
    let mut found = ArrayDirectory::open(array.path()).unwrap();
    assert_eq!((found.attributes(), elements(&found)), (array.attributes(), counted));
    assert_eq!(found.metadata().attribute_text("bounds").unwrap(), r#"[1e400,-1E999,"\ud800","x\uDFFFy"]"#);
    found.set_attribute("units", Some(json!("hartree"))).unwrap();
    found.set_attribute("units", None).unwrap();
    let packed = |text: &str| text.replace(char::is_whitespace, "");
    assert_eq!(packed(&fs::read_to_string(&file).unwrap()), packed(&text));
    // As a new array takes them over.
    let mut spec = ArraySpec::new(&[3], DataType::Float64).unwrap();
    spec.more_attributes.insert("bounds".to_owned(), found.metadata().attributes["bounds"].clone());
    let made = ArrayDirectory::create(&scratch.path().join("other"), &spec).unwrap();
    assert_eq!(made.metadata().attribute_text("bounds"), found.metadata().attribute_text("bounds"));
    assert_eq!(ArrayDirectory::delete(found.path()).unwrap().left, Vec::<PathBuf>::new());
}

/// A list in a list in a list.
fn nested(depth: usize) -> serde_json::Value {
    (1..depth).fold(json!([]), |inner, _| json!([inner]))
}

#[test]
fn attributes_with_which_an_array_would_not_open_again_are_refused_and_change_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let (mut array, counted) = counted(&scratch.path().join("array"));
    array.set_attribute("deep", Some(nested(100))).unwrap();
    let text = fs::read(array.path().join(METADATA)).unwrap();
    // Each of these is JSON; the first is not too deep to be read alone.
    assert!(crate::format::attribute_of_text(&nested(127).to_string()).is_ok());
    for value in [nested(127), nested(1000), json!("x".repeat(64 << 20))] {
        let error = array.set_attribute("value", Some(value.clone())).unwrap_err();
        assert!(
            matches!(&error, Error::Unreadable { path, .. } if path.ends_with("array/zarr.json")),
            "{error}"
        );
        assert!(fs::read(array.path().join(METADATA)).unwrap() == text);
        // Nor is an array made with it, and one that is there stays.
        let mut spec = ArraySpec::new(&[3], DataType::Float64).unwrap();
        spec.more_attributes.insert("value".to_owned(), value);
        for path in [array.path(), &scratch.path().join("new")] {
            assert!(matches!(ArrayDirectory::create(path, &spec), Err(Error::Unreadable { .. })));
        }
        assert!(!scratch.path().join("new").exists());
    }
    let found = ArrayDirectory::open(array.path()).unwrap();
    assert_eq!(found.metadata().attributes["deep"], nested(100));
    assert_eq!(elements(&found), counted);
}

#[test]
fn replaced_metadata_are_noticed_and_a_differently_made_array_is_told_apart() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    let mut made = counted(&path).0;
    let mut other = ArrayDirectory::open(&path).unwrap();
    assert!(other.changed().unwrap().is_none());
    made.set_attribute("units", Some("hartree".into())).unwrap();
    assert!(made.changed().unwrap().is_none(), "it has replaced them itself");
    let now = other.changed().unwrap().expect("another has replaced them");
    assert_eq!(now.metadata().attributes["units"], "hartree");
    assert!(now.is_made_as(&other) && now.changed().unwrap().is_none());
    other.set_attribute("units", None).unwrap();
    assert!(other.changed().unwrap().is_none() && made.changed().unwrap().is_some());

    ArrayDirectory::create(&path, &ArraySpec::new(&[4, 6], DataType::Int64).unwrap()).unwrap();
    assert!(!made.changed().unwrap().expect("created anew").is_made_as(&made), "other bricks");
    ArrayDirectory::delete(&path).unwrap();
    assert!(matches!(made.changed(), Err(Error::Missing { .. })));
}

#[test]
fn attributes_are_taken_away_and_ours_cannot_be_set() {
    let scratch = tempfile::tempdir().unwrap();
    let (mut array, _) = counted(&scratch.path().join("array"));
    array.set_attribute("units", Some(json!(1))).unwrap();
    array.set_attribute("units", None).unwrap();
    assert_eq!(ArrayDirectory::open(array.path()).unwrap().metadata().attributes.len(), 1);
    assert!(matches!(array.set_attribute("chemio", None), Err(Error::NotOurs { .. })));
}

#[test]
fn a_damaged_shard_is_an_error_that_names_it() {
    let scratch = tempfile::tempdir().unwrap();
    let (array, _) = counted(&scratch.path().join("array"));
    let path = array.shard_path(0);
    let made = fs::read(&path).unwrap();
    let complaint = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let error = array.check().unwrap_err();
        assert_eq!(error.path(), Some(&*path));
        array.shard_for_writing(0).map_or_else(|again| assert_eq!(again.path(), Some(&*path)), drop);
        assert_eq!(fs::read(&path).unwrap(), bytes, "left as it was");
        error.to_string()
    };
    assert!(complaint(&made[..100]).contains("checksum"));
    assert!(complaint(&made[..50]).starts_with("50 bytes, the index alone has 68"));
    assert!(complaint(&made[..made.len() - 1]).contains("checksum"));
    let mut longer = made.clone();
    longer.push(0);
    assert!(complaint(&longer).contains("at the end of 2117 bytes (2116 when made)"));
    for at in 2048..2116 {
        let mut flipped = made.clone();
        flipped[at] ^= 1;
        assert!(complaint(&flipped).contains("checksum"), "byte {at}");
    }
    // An index with a valid checksum that says what cannot be.
    for (entry, why) in [
        (IndexEntry { offset_bytes: 2048, len_bytes: 48 }, "at byte 2048 of 2116, with the index at 2048"),
        (IndexEntry { offset_bytes: 0, len_bytes: 512 }, "512 bytes instead of 48"),
        (IndexEntry { offset_bytes: u64::MAX, len_bytes: 48 }, "at byte 18446744073709551615"),
    ] {
        let mut wrong = made.clone();
        wrong[2064..2080].copy_from_slice(&entry.encode());
        let checksum = crc32c::crc32c(&wrong[2048..2112]);
        wrong[2112..].copy_from_slice(&checksum.to_le_bytes());
        assert!(complaint(&wrong).starts_with(&format!("brick in slot 1: {why}")));
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(array.check().unwrap_err().to_string().starts_with("not a file"));
}

#[test]
fn what_is_no_array_says_what_it_is() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    let complaint = || ArrayDirectory::open(&path).unwrap_err().to_string();
    assert!(complaint().starts_with("no such array: "));
    fs::write(&path, "").unwrap();
    assert!(complaint().starts_with("a file, not a Zarr v3 array"));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(complaint().starts_with("an empty directory, no array"));
    fs::write(path.join("notes"), "").unwrap();
    assert!(complaint().starts_with("a directory without zarr.json"));
    fs::remove_file(path.join("notes")).unwrap();
    fs::create_dir(path.join(OLD)).unwrap();
    assert!(complaint().starts_with("creating or deleting the array was interrupted"));
    assert!(matches!(Survey::of(&path).unwrap(), Survey::HalfMade));
    fs::write(path.join(METADATA), "{\"zarr_format\": 3,").unwrap();
    let error = ArrayDirectory::open(&path).unwrap_err();
    assert!(error.to_string().starts_with("not valid JSON"), "{error}");
    assert_eq!(error.path(), Some(&*path.join(METADATA)));
    fs::File::create(path.join(METADATA)).unwrap().set_len(1 << 40).unwrap();
    assert!(complaint().starts_with("1099511627776 bytes of metadata"), "not read into memory");
    fs::remove_file(path.join(METADATA)).unwrap();
    fs::create_dir(path.join(METADATA)).unwrap();
    assert!(complaint().starts_with("not a file"));
}

#[test]
fn sections_and_buffers_that_do_not_fit_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let (array, _) = counted(&scratch.path().join("array"));
    let beyond = Section::new(&[0, 0], &[5, 6]).unwrap();
    assert!(matches!(array.read(&beyond, &mut [0; 240]), Err(Error::OutOfRange { .. })));
    assert!(matches!(array.write(&whole(), &[0; 191]), Err(Error::BufferLength { expected_bytes: 192, .. })));
}
