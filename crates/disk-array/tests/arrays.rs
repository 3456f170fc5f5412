//! Whole arrays on disk against an element-by-element oracle: every type, 1 to 7 dimensions, edge bricks, several shards,
//! sections with steps, and every way in which other programs may store an array.

mod support;

use disk_array::format::{ChunkKeys, IndexFormat, IndexLocation, Metadata, Separator};
use disk_array::{Alignment, ArrayDirectory, ArraySpec, BrickShape, Bricks, DataType};
use proptest::prelude::*;
use section::Section;
use std::fs;
use std::path::Path;
use support::{Missing, Stored, numbered};

fn exact(dims: &[u64], brick: &[u64], data_type: DataType, files: u64) -> ArraySpec {
    let mut spec = ArraySpec::new(dims, data_type).unwrap();
    spec.bricks = Bricks::Exact(BrickShape::exact(brick).unwrap());
    (spec.files, spec.alignment) = (files, Alignment::new(512).unwrap());
    spec
}

/// The elements of `section` of an array whose elements are `all`.
fn pick(all: &[u8], dims: &[u64], section: &Section, element_bytes: usize) -> Vec<u8> {
    let place = |index: &[u64]| index.iter().zip(dims).fold(0, |at, (index, extent)| at * extent + index);
    let element = |at: u64| usize::try_from(at).unwrap() * element_bytes;
    section
        .indices()
        .flat_map(|index| {
            let at = element(place(&index));
            all[at..at + element_bytes].to_vec()
        })
        .collect()
}

fn read_all(array: &ArrayDirectory) -> Vec<u8> {
    let whole = Section::whole(&array.metadata().dims).unwrap();
    let bytes = whole.len() * array.metadata().data_type.bytes();
    let mut elements = vec![0xAA; usize::try_from(bytes).unwrap()];
    array.read(&whole, &mut elements).unwrap();
    elements
}

#[test]
fn an_array_of_every_type_and_number_of_dimensions_gives_back_what_was_written() {
    let scratch = tempfile::tempdir().unwrap();
    for (kind, data_type) in DataType::ALL.into_iter().enumerate() {
        for dims in 1..=7 {
            let shape: Vec<u64> = (0..dims).map(|d| [5, 4, 3, 3, 2, 2, 2][d]).collect();
            let brick: Vec<u64> = (0..dims).map(|d| [2, 3, 2, 1, 2, 1, 1][d]).collect();
            let path = scratch.path().join(format!("{kind}-{dims}"));
            let array = ArrayDirectory::create(&path, &exact(&shape, &brick, data_type, 2)).unwrap();
            let all = numbered(shape.iter().product(), data_type);
            array.write(&Section::whole(&shape).unwrap(), &all).unwrap();
            array.sync().unwrap();
            assert_eq!(read_all(&ArrayDirectory::open(&path).unwrap()), all, "{data_type} {dims}");
        }
    }
}

#[test]
fn an_array_that_nobody_wrote_is_zero_and_takes_no_space_but_its_index() {
    use std::os::unix::fs::MetadataExt;
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    let array =
        ArrayDirectory::create(&path, &ArraySpec::new(&[4000, 5000], DataType::Float64).unwrap()).unwrap();
    let shard = fs::metadata(array.shard_path(0)).unwrap();
    assert!(shard.len() > 4000 * 5000 * 8 && shard.blocks() * 512 <= 64 << 10, "{} blocks", shard.blocks());
    let mut row = vec![1; 40_000];
    array.read(&Section::new(&[3999, 0], &[4000, 5000]).unwrap(), &mut row).unwrap();
    assert!(row.iter().all(|&byte| byte == 0));
}

#[test]
fn a_fortran_array_is_the_same_file_as_the_c_array_of_reversed_dimensions() {
    let scratch = tempfile::tempdir().unwrap();
    let of = |name: &str, spec: &ArraySpec| ArrayDirectory::create(&scratch.path().join(name), spec).unwrap();
    let fortran =
        of("fortran", &ArraySpec::fortran(&[30, 20, 4], DataType::Complex64, &[10, 20, 2]).unwrap());
    let mut spec = ArraySpec::new(&[4, 20, 30], DataType::Complex64).unwrap();
    spec.attributes.brick_hint = vec![2, 20, 10];
    let c = of("c", &spec);
    assert_eq!(fortran.layout(), c.layout());
    assert_eq!(fs::read(fortran.shard_path(0)).unwrap(), fs::read(c.shard_path(0)).unwrap());
}

/// Every way to store one array that is not ours.
fn stored_ways() -> Vec<Stored> {
    let mut ways = vec![];
    for keys in [
        ChunkKeys::Default(Separator::Slash),
        ChunkKeys::Default(Separator::Dot),
        ChunkKeys::V2(Separator::Slash),
        ChunkKeys::V2(Separator::Dot),
    ] {
        for missing in [Missing::Nothing, Missing::SomeBricks, Missing::SomeChunks] {
            ways.push(Stored { index: None, keys, missing, reversed_order: false });
            for location in [IndexLocation::Start, IndexLocation::End] {
                for checksum in [false, true] {
                    let index = Some(IndexFormat { location, checksum });
                    let reversed_order = checksum;
                    ways.push(Stored { index, keys, missing, reversed_order });
                }
            }
        }
    }
    ways
}

#[test]
fn arrays_stored_in_every_other_way_are_read_and_can_be_written() {
    for (number, way) in stored_ways().into_iter().enumerate() {
        let data_type = DataType::ALL[number % DataType::ALL.len()];
        let scratch = tempfile::tempdir().unwrap();
        let (mut all, shape) = support::store(scratch.path(), data_type, way);
        let array = ArrayDirectory::open(scratch.path()).unwrap();
        array.check().unwrap();
        assert!(array.attributes().is_none());
        assert_eq!(read_all(&array), all, "{way:?}");

        // One element in the middle, so that one chunk is laid out anew and the others stay.
        let element = usize::try_from(data_type.bytes()).unwrap();
        let middle = Section::new(&[2, 3, 1], &[3, 4, 2]).unwrap();
        array.write(&middle, &vec![9; element]).unwrap();
        let at = usize::try_from((2 * shape[1] + 3) * shape[2] + 1).unwrap() * element;
        all[at..at + element].fill(9);
        assert_eq!(read_all(&ArrayDirectory::open(scratch.path()).unwrap()), all, "{way:?}");
        array.check().unwrap();
    }
}

#[test]
fn an_array_of_another_program_is_neither_replaced_nor_deleted() {
    let scratch = tempfile::tempdir().unwrap();
    let way = Stored {
        index: Some(IndexFormat::OURS),
        keys: ChunkKeys::OURS,
        missing: Missing::Nothing,
        reversed_order: false,
    };
    let (all, _) = support::store(scratch.path(), DataType::Int32, way);
    let spec = ArraySpec::new(&[3], DataType::Int32).unwrap();
    for error in [
        ArrayDirectory::create(scratch.path(), &spec).map(drop).unwrap_err(),
        ArrayDirectory::delete(scratch.path()).map(drop).unwrap_err(),
    ] {
        assert!(matches!(error, disk_array::Error::NotOurs { .. }), "{error}");
    }
    assert_eq!(read_all(&ArrayDirectory::open(scratch.path()).unwrap()), all);
}

#[test]
fn an_array_without_elements_opens() {
    let scratch = tempfile::tempdir().unwrap();
    let metadata = exact(&[4, 6], &[2, 3], DataType::Float32, 1).metadata().unwrap();
    let empty = Metadata { dims: section::Shape::new(&[0, 6]).unwrap(), ..metadata };
    fs::write(scratch.path().join("zarr.json"), empty.to_text()).unwrap();
    let array = ArrayDirectory::open(scratch.path()).unwrap();
    assert_eq!((array.layout().shards_count(), read_all(&array)), (0, vec![]));
    array.check().unwrap();
}

#[test]
fn an_array_too_large_to_count_is_refused_with_its_path() {
    let scratch = tempfile::tempdir().unwrap();
    let metadata = exact(&[4, 6], &[2, 3], DataType::Float32, 1).metadata().unwrap();
    let huge = Metadata { dims: section::Shape::new(&[u64::MAX, u64::MAX]).unwrap(), ..metadata };
    fs::write(scratch.path().join("zarr.json"), huge.to_text()).unwrap();
    let error = ArrayDirectory::open(scratch.path()).unwrap_err();
    assert!(error.to_string().contains("bytes of the array"), "{error}");
    assert_eq!(error.path(), Some(&*scratch.path().join("zarr.json")));
}

#[test]
fn an_open_array_holds_no_table() {
    // 2^26 bricks in 1024 shards, of which the files are never made: only what is asked for is looked at.
    let scratch = tempfile::tempdir().unwrap();
    let metadata = exact(&[1 << 36], &[1 << 10], DataType::Float64, 1).metadata().unwrap();
    fs::write(scratch.path().join("zarr.json"), metadata.to_text()).unwrap();
    let array = ArrayDirectory::open(scratch.path()).unwrap();
    assert_eq!((array.layout().shards_count(), array.layout().bricks().count()), (1 << 10, 1 << 26));
    let mut last = [1; 8];
    array.read(&Section::new(&[(1 << 36) - 1], &[1 << 36]).unwrap(), &mut last).unwrap();
    assert_eq!(last, [0; 8]);
}

fn shapes() -> impl Strategy<Value = Vec<(u64, u64, u64, u64, u64)>> {
    prop::collection::vec((1u64..9, 1u64..5, 0u64..8, 0u64..9, 1u64..4), 1..=4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn sections_of_any_shape_and_step_are_written_and_read(shape in shapes(), kind in 0usize..6, files in 1u64..5) {
        let of = |value: fn(&(u64, u64, u64, u64, u64)) -> u64| shape.iter().map(value).collect::<Vec<_>>();
        let (dims, brick, data_type) = (of(|d| d.0), of(|d| d.1), DataType::ALL[kind]);
        let (lo, hi) = (of(|d| d.2.min(d.0)), of(|d| (d.2 + d.3).min(d.0)));
        let section = Section::with_step(&lo, &hi, &of(|d| d.4)).unwrap();
        let element = usize::try_from(data_type.bytes()).unwrap();
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        let array = ArrayDirectory::create(&path, &exact(&dims, &brick, data_type, files)).unwrap();

        let all = numbered(dims.iter().product(), data_type);
        let some = pick(&all, &dims, &section, element);
        array.write(&section, &some).unwrap();
        let written: std::collections::HashSet<_> = section.indices().collect();
        let mut expected = all.clone();
        for (at, index) in Section::whole(&dims).unwrap().indices().enumerate() {
            if !written.contains(&index) {
                expected[at * element..(at + 1) * element].fill(0);
            }
        }
        prop_assert_eq!(&read_all(&array), &expected);
        let mut again = vec![1; some.len()];
        array.read(&section, &mut again).unwrap();
        prop_assert_eq!(again, some);
    }
}

#[test]
fn the_last_element_of_a_step_beyond_all_bounds_is_the_first() {
    let scratch = tempfile::tempdir().unwrap();
    let path: &Path = &scratch.path().join("array");
    let array = ArrayDirectory::create(path, &exact(&[5, 5], &[2, 2], DataType::Int32, 1)).unwrap();
    let section = Section::with_step(&[0, 4], &[5, 5], &[u64::MAX, 1 << 63]).unwrap();
    array.write(&section, &7i32.to_le_bytes()).unwrap();
    let mut element = [0; 4];
    array.read(&section, &mut element).unwrap();
    assert_eq!(i32::from_le_bytes(element), 7);
}

#[test]
fn several_processes_lay_out_shards_of_one_array_at_once() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    let array = ArrayDirectory::create(&path, &exact(&[64], &[1], DataType::Int32, 64)).unwrap();
    fs::remove_dir_all(path.join("c")).unwrap();
    // Each thread has an open array of its own, as a process has.
    let workers: Vec<_> = (0..4)
        .map(|worker| {
            let mine = ArrayDirectory::open(&path).unwrap();
            std::thread::spawn(move || {
                for number in (worker..64).step_by(4) {
                    let section = Section::new(&[number], &[number + 1]).unwrap();
                    mine.write(&section, &support::element(number, DataType::Int32)).unwrap();
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    assert_eq!(read_all(&array), numbered(64, DataType::Int32));
    assert_eq!(fs::read_dir(&path).unwrap().count(), 2, "nothing is left beside zarr.json and c");
}

#[test]
fn an_array_reached_through_a_link_is_deleted_and_the_link_stays() {
    let scratch = tempfile::tempdir().unwrap();
    let (directory, link) = (scratch.path().join("directory"), scratch.path().join("link"));
    fs::create_dir(&directory).unwrap();
    std::os::unix::fs::symlink(&directory, &link).unwrap();
    let spec = exact(&[4], &[2], DataType::Int32, 1);
    ArrayDirectory::create(&link, &spec).unwrap();
    assert_eq!(ArrayDirectory::delete(&link).unwrap().left, [link.as_path()]);
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
    ArrayDirectory::create(&link, &spec).unwrap();
}
