//! Damaged arrays: bytes flipped, files cut, grown, or replaced by noise. Whatever is there, opening and reading end with the
//! elements or with an error that names a file of the array, and take no more memory than the array is worth.

mod support;

use disk_array::format::{ChunkKeys, IndexFormat, IndexLocation, Separator};
use disk_array::{Alignment, ArrayDirectory, ArraySpec, BrickShape, Bricks, DataType, Error};
use proptest::prelude::*;
use section::Section;
use std::fs;
use std::path::{Path, PathBuf};
use support::{Missing, Stored};

/// Arrays larger than this after damage are opened, checked and read in one element only.
const READ_BYTES_MAX: u64 = 1 << 20;
const SHARDS_MAX: u64 = 1 << 10;
const BRICKS_MAX: u64 = 1 << 16;

fn files(path: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in fs::read_dir(path).unwrap() {
        let entry = entry.unwrap().path();
        if entry.is_dir() { found.extend(files(&entry)) } else { found.push(entry) }
    }
    found.sort();
    found
}

/// Opens the array and reads what can be read.
fn use_array(path: &Path) -> Result<(), Error> {
    let array = ArrayDirectory::open(path)?;
    let dims = array.metadata().dims;
    if array.layout().shards_count() <= SHARDS_MAX && array.layout().shard().bricks_count() <= BRICKS_MAX {
        array.check()?;
    }
    if dims.contains(&0) {
        return Ok(());
    }
    let whole = Section::whole(&dims).unwrap();
    let bytes = whole.len() * array.metadata().data_type.bytes();
    let hi: Vec<u64> = dims.iter().map(|extent| if bytes <= READ_BYTES_MAX { *extent } else { 1 }).collect();
    let section = Section::new(&vec![0; dims.len()], &hi).unwrap();
    let mut elements = vec![0; usize::try_from(section.len() * array.metadata().data_type.bytes()).unwrap()];
    array.read(&section, &mut elements)
}

fn expect_sane(path: &Path) -> Result<(), TestCaseError> {
    if let Err(error) = use_array(path) {
        let named = error.path().is_some_and(|named| named.starts_with(path));
        prop_assert!(named, "{error:?}");
        prop_assert!(!error.to_string().is_empty());
    }
    // Creating and deleting refuse or succeed, and say so.
    if let Err(error) = ArrayDirectory::delete(path) {
        prop_assert!(matches!(error, Error::NotOurs { .. }), "{error:?}");
    }
    Ok(())
}

fn ours(path: &Path) {
    let mut spec = ArraySpec::new(&[5, 7], DataType::Int64).unwrap();
    spec.bricks = Bricks::Exact(BrickShape::exact(&[2, 3]).unwrap());
    (spec.files, spec.alignment) = (2, Alignment::new(512).unwrap());
    let array = ArrayDirectory::create(path, &spec).unwrap();
    let all = support::numbered(35, DataType::Int64);
    array.write(&Section::whole(&[5, 7]).unwrap(), &all).unwrap();
}

fn make(path: &Path, which: usize) {
    let start = Some(IndexFormat { location: IndexLocation::Start, checksum: false });
    let end = Some(IndexFormat { location: IndexLocation::End, checksum: which == 2 });
    let stored = |index| Stored {
        index,
        keys: ChunkKeys::V2(Separator::Dot),
        missing: Missing::SomeBricks,
        reversed_order: true,
    };
    let (data_type, way) = match which {
        0 => return ours(path),
        1 => (DataType::Float32, stored(start)),
        2 | 3 => (DataType::Complex128, stored(end)),
        _ => (DataType::Float64, stored(None)),
    };
    fs::create_dir(path).unwrap();
    support::store(path, data_type, way);
    assert!(use_array(path).is_ok());
}

#[derive(Clone, Debug)]
enum Damage {
    Flip { at: f64, mask: u8 },
    Cut { at: f64 },
    Grow { by: usize },
    Put { at: f64, bytes: Vec<u8> },
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        (0.0..1.0, 1u8..).prop_map(|(at, mask)| Damage::Flip { at, mask }),
        (0.0..1.0).prop_map(|at| Damage::Cut { at }),
        (1usize..5000).prop_map(|by| Damage::Grow { by }),
        (
            0.0..1.0,
            prop::collection::vec(prop_oneof![Just(b'9'), Just(b'0'), Just(0xFF), any::<u8>()], 1..20)
        )
            .prop_map(|(at, bytes)| Damage::Put { at, bytes }),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let place = |at: f64, len: usize| (at * len as f64) as usize;
    let len = bytes.len();
    match damage {
        Damage::Flip { at, mask } if len > 0 => bytes[place(*at, len)] ^= mask,
        Damage::Cut { at } => bytes.truncate(place(*at, len)),
        Damage::Grow { by } => bytes.resize(len + by, 0),
        Damage::Put { at, bytes: noise } if len > 0 => {
            let at = place(*at, len);
            let end = len.min(at + noise.len());
            bytes[at..end].copy_from_slice(&noise[..end - at]);
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]
    #[test]
    fn a_damaged_array_is_read_or_refused(
        which in 0usize..5, file in 0.0..1.0, damages in prop::collection::vec(damage(), 1..4)
    ) {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        make(&path, which);
        let files = files(&path);
        // The metadata come last in order, and every other time they are what is damaged.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let chosen = ((file * 2.0 * files.len() as f64) as usize).min(files.len() - 1);
        let mut bytes = fs::read(&files[chosen]).unwrap();
        for damage in &damages {
            apply(&mut bytes, damage);
        }
        fs::write(&files[chosen], bytes).unwrap();
        expect_sane(&path)?;
    }
}

#[test]
fn every_way_to_cut_the_metadata_is_malformed() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    ours(&path);
    let text = fs::read(path.join("zarr.json")).unwrap();
    // All but the last brace and the end of the line.
    for len in 0..text.len() - 1 {
        fs::write(path.join("zarr.json"), &text[..len]).unwrap();
        let error = use_array(&path).unwrap_err();
        assert!(matches!(error, Error::Malformed { .. }), "{len} bytes: {error}");
        assert_eq!(error.path(), Some(&*path.join("zarr.json")));
    }
}

#[test]
fn every_way_to_cut_a_shard_is_corrupt() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    ours(&path);
    let shard = path.join("c/1/0");
    let bytes = fs::read(&shard).unwrap();
    for len in 0..bytes.len() {
        fs::write(&shard, &bytes[..len]).unwrap();
        let error = use_array(&path).unwrap_err();
        assert!(matches!(error, Error::CorruptShard { .. }), "{len} bytes: {error}");
        assert_eq!(error.path(), Some(&*shard));
    }
}
