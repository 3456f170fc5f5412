//! Tiny arrays, byte for byte as they are checked in under `tests/golden`: the format does not change unnoticed.
//!
//! After a change that is meant, `CHEMIO_GOLDEN=write cargo test -p chemio-disk-array --test golden` writes them anew.

mod support;

use disk_array::{Alignment, ArrayDirectory, ArraySpec, BrickShape, Bricks, DataType};
use section::Section;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Every file below `path`, by its name relative to it.
fn files(path: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn add(path: &Path, root: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(path).unwrap() {
            let entry = entry.unwrap().path();
            if entry.is_dir() {
                add(&entry, root, found);
            } else {
                found.insert(entry.strip_prefix(root).unwrap().to_owned(), fs::read(&entry).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    add(path, path, &mut found);
    found
}

fn expect_golden(name: &str, mut spec: ArraySpec, brick: &[u64], written: &Section) {
    spec.bricks = Bricks::Exact(BrickShape::exact(brick).unwrap());
    spec.alignment = Alignment::new(512).unwrap();
    name.clone_into(&mut spec.attributes.name);
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join(name);
    let array = ArrayDirectory::create(&path, &spec).unwrap();
    array.write(written, &support::numbered(written.len(), spec.data_type)).unwrap();
    let made = files(&path);
    if std::env::var_os("CHEMIO_GOLDEN").is_some_and(|value| value == "write") {
        for (file, bytes) in &made {
            let to = golden().join(name).join(file);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::write(to, bytes).unwrap();
        }
    }
    let expected = files(&golden().join(name));
    assert_eq!(made.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (file, bytes) in &made {
        let same = bytes.iter().zip(&expected[file]).take_while(|(a, b)| a == b).count();
        assert!(bytes == &expected[file], "{name}: {} differs from byte {same} on", file.display());
    }
    // And what is checked in opens.
    let array = ArrayDirectory::open(&golden().join(name)).unwrap();
    array.check().unwrap();
    assert_eq!(array.layout(), &spec.layout().unwrap());
    assert_eq!(array.attributes(), Some(&spec.attributes));
    let mut elements = vec![0; usize::try_from(written.len() * spec.data_type.bytes()).unwrap()];
    array.read(written, &mut elements).unwrap();
    assert_eq!(elements, support::numbered(written.len(), spec.data_type));
}

#[test]
fn a_matrix_of_doubles_with_edge_bricks() {
    let spec = ArraySpec::new(&[3, 5], DataType::Float64).unwrap();
    expect_golden("matrix", spec, &[2, 4], &Section::new(&[0, 0], &[3, 5]).unwrap());
}

#[test]
fn a_fortran_array_in_three_shards_of_which_one_is_written() {
    let mut spec = ArraySpec::fortran(&[4, 3, 5], DataType::Complex64, &[-1, -1, -1]).unwrap();
    spec.files = 3;
    spec.attributes.type_code = 1014;
    (spec.attributes.files_hint, spec.attributes.io_processes_hint) = (3, 2);
    expect_golden("fortran", spec, &[1, 3, 2], &Section::new(&[2, 0, 0], &[3, 3, 4]).unwrap());
}

#[test]
fn a_vector_of_integers_that_nobody_wrote() {
    let spec = ArraySpec::new(&[10], DataType::Int32).unwrap();
    expect_golden("unwritten", spec, &[4], &Section::new(&[0], &[0]).unwrap());
}
