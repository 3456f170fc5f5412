//! `export` and `import`: what goes out comes back, and other programs' files come in. What h5py and numpy read is tested by
//! `ci/test-readers`.

mod support;

use disk_array::{ArrayDirectory, ArraySpec, DataType};
use section::Section;
use std::fs;
use std::path::Path;
use support::{arguments, done, make, on_disk_bytes, read};

const SHAPES: [(&[u64], &[u64]); 4] = [
    (&[1000], &[300]),
    (&[97, 101], &[10, 16]),
    (&[5, 70, 9, 4], &[2, 33, 4, 3]),
    (&[2, 3, 2, 3, 2, 3, 2], &[1, 2, 1, 2, 1, 2, 1]),
];

#[test]
fn what_is_exported_and_imported_is_the_same_to_the_last_bit() {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path();
    for (number, data_type) in DataType::ALL.into_iter().enumerate() {
        let (dims, brick) = SHAPES[number % SHAPES.len()];
        let array = directory.join(format!("array-{number}"));
        let elements = make(&array, dims, brick, data_type);
        let shape = dims.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        for extension in ["bin", "npy", "h5"] {
            let file = directory.join(format!("{number}.{extension}"));
            let back = directory.join(format!("back-{number}-{extension}"));
            done(arguments!["export", &array, &file]);
            let bytes = fs::read(&file).unwrap();
            assert!(bytes.windows(elements.len()).any(|part| part == elements), "{data_type} {extension}");
            let mut import = arguments!["import", &file, &back, "--files", "2"].to_vec();
            if extension == "bin" {
                import.extend(["--shape", &shape, "--type", data_type.name()].map(Into::into));
            }
            done(&import);
            assert!(read(&back) == elements, "{data_type} {extension}");
            let back = ArrayDirectory::open(&back).unwrap();
            assert_eq!((&back.metadata().dims[..], back.metadata().data_type), (dims, data_type));
        }
    }
}

#[test]
fn bricks_of_every_size_are_converted_within_any_memory() {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path();
    // Rows are no whole number of pages; the array is several tiles for several threads also in the larger memory.
    let (dims, file) = ([1501u64, 1253], directory.join("a.bin"));
    let elements = support::numbered(dims.iter().product(), DataType::Float64);
    fs::write(&file, &elements).unwrap();
    for brick in ["1501,1253", "1,1253", "500,500", "300,7"] {
        for memory in ["16", "48"] {
            let (array, back) = (directory.join("array"), directory.join("back.bin"));
            let shape = [
                "--shape",
                "1501,1253",
                "--type",
                "float64",
                "--brick",
                brick,
                "--memory",
                memory,
                "--force",
            ];
            let mut import = arguments!["import", &file, &array].to_vec();
            import.extend(shape.map(Into::into));
            done(&import);
            assert!(read(&array) == elements, "{brick} {memory}");
            done(arguments!["export", &array, &back, "--memory", memory, "--force"]);
            assert!(fs::read(&back).unwrap() == elements, "{brick} {memory}");
            let stats = support::facts(arguments!["stats", "--json", &array, "--memory", memory]);
            assert_eq!(
                (&stats["count"], &stats["zeros"]),
                (&serde_json::json!(1_880_753), &serde_json::json!(0))
            );
        }
    }
}

#[test]
fn a_file_with_the_first_index_fastest_keeps_its_indices() {
    let scratch = tempfile::tempdir().unwrap();
    let (file, array) = (scratch.path().join("f.npy"), scratch.path().join("array"));
    let dims = [37u64, 5, 11];
    let header = format!(
        "{:117}\n",
        format!("{{'descr': '<f8', 'fortran_order': True, 'shape': {dims:?}, }}")
            .replace('[', "(")
            .replace(']', ")")
    );
    let number = |i: u64, j: u64, k: u64| (i * dims[1] + j) * dims[2] + k;
    let mut bytes = [b"\x93NUMPY\x01\x00\x76\x00".as_slice(), header.as_bytes()].concat();
    for k in 0..dims[2] {
        for j in 0..dims[1] {
            bytes.extend((0..dims[0]).flat_map(|i| support::element(number(i, j, k), DataType::Float64)));
        }
    }
    fs::write(&file, bytes).unwrap();
    done(arguments!["import", &file, &array]);
    assert!(read(&array) == support::numbered(dims.iter().product(), DataType::Float64));
}

#[test]
fn holes_stay_holes_on_the_way_out_and_back() {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path();
    let path = directory.join("array");
    let array =
        ArrayDirectory::create(&path, &ArraySpec::new(&[2000, 2500], DataType::Float64).unwrap()).unwrap();
    array.write(&Section::new(&[1234, 2321], &[1235, 2322]).unwrap(), &7f64.to_le_bytes()).unwrap();
    for name in ["a.bin", "a.npy", "a.h5"] {
        let (file, back) = (directory.join(name), directory.join(format!("back-{name}")));
        done(arguments!["export", &path, &file]);
        assert!(on_disk_bytes(&file) <= 256 << 10, "{name}: {}", on_disk_bytes(&file));
        if name != "a.bin" {
            done(arguments!["import", &file, &back]);
            let shard = ArrayDirectory::open(&back).unwrap().shard_path(0);
            assert!(on_disk_bytes(&shard) <= 4 << 20, "{name}: {}", on_disk_bytes(&shard));
            assert!(read(&back) == read(&path), "{name}");
        }
    }
}

/// Metadata as another program writes them, with chunks of 4 x 4 of an array of 10 x 6.
fn foreign(path: &Path, codecs: &str, fill: &str) {
    fs::create_dir_all(path.join("c/1")).unwrap();
    let text = format!(
        r#"{{"zarr_format": 3, "node_type": "array", "shape": [10, 6], "data_type": "float32",
        "chunk_grid": {{"name": "regular", "configuration": {{"chunk_shape": [4, 4]}}}},
        "chunk_key_encoding": {{"name": "default"}}, "fill_value": {fill}, "codecs": [{codecs}]}}"#
    );
    fs::write(path.join("zarr.json"), text).unwrap();
}

#[test]
fn fill_values_of_other_programs_arrays_are_elements() {
    let scratch = tempfile::tempdir().unwrap();
    let (path, file) = (scratch.path().join("array"), scratch.path().join("a.bin"));
    foreign(&path, r#"{"name": "bytes", "configuration": {"endian": "little"}}"#, "2.5");
    // The chunk of rows 4 to 7 and columns 4 and 5, of which two columns are beyond the array.
    let chunk: Vec<u8> = (0..16).flat_map(|number| support::element(number, DataType::Float32)).collect();
    fs::write(path.join("c/1/1"), chunk).unwrap();
    done(arguments!["export", &path, &file]);
    let mut expected = vec![2.5f32; 60];
    for row in 0..4 {
        for column in 0..2 {
            expected[(4 + row) * 6 + 4 + column] = f32::from(u8::try_from(row * 4 + column).unwrap()) + 0.5;
        }
    }
    assert!(fs::read(&file).unwrap() == expected.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    assert_eq!(support::facts(arguments!["stats", "--json", &path])["max"], serde_json::json!(13.5));
    let picture = scratch.path().join("a.png");
    done(arguments!["plot", &path, "-o", &picture]);
    // A copy is the same, file by file.
    done(arguments!["cp", &path, scratch.path().join("copy")]);
    assert!(read(&scratch.path().join("copy")) == read(&path));
}

#[test]
fn an_array_without_elements_is_a_file_without_elements() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    foreign(&path, r#"{"name": "bytes", "configuration": {"endian": "little"}}"#, "0.0");
    let text = fs::read_to_string(path.join("zarr.json")).unwrap().replace("[10, 6]", "[0, 6]");
    fs::write(path.join("zarr.json"), text).unwrap();
    for (name, len) in [("a.bin", 0), ("a.npy", 128)] {
        done(arguments!["export", &path, scratch.path().join(name)]);
        assert_eq!(fs::metadata(scratch.path().join(name)).unwrap().len(), len);
    }
    done(arguments!["export", &path, scratch.path().join("a.h5")]);
    assert_eq!(support::facts(arguments!["stats", "--json", &path])["mean"], serde_json::Value::Null);
}

/// 6 GB that would not fit in the 512 MB that the process may have.
#[test]
fn an_array_beyond_memory_is_exported_within_a_limit_on_it() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    let mut spec = ArraySpec::new(&[30_000, 25_000], DataType::Float64).unwrap();
    spec.files = 3;
    let array = ArrayDirectory::create(&path, &spec).unwrap();
    let row = Section::new(&[29_999, 0], &[30_000, 25_000]).unwrap();
    let elements = support::numbered(25_000, DataType::Float64);
    array.write(&row, &elements).unwrap();
    for name in ["a.bin", "a.npy", "a.h5"] {
        let file = scratch.path().join(name);
        let limited = format!("ulimit -v {}; exec \"$@\"", 512 << 10);
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &limited, "sh", env!("CARGO_BIN_EXE_chemio"), "export"]).arg(&path).arg(&file);
        let ran = support::Ran::of(&command.output().unwrap());
        assert!(ran.status == Some(0) && ran.err.is_empty(), "{ran:?}");
        let len = fs::metadata(&file).unwrap().len();
        assert!(len >= 6_000_000_000 && on_disk_bytes(&file) < 2 << 20, "{name}: {}", on_disk_bytes(&file));
        let mut last = vec![0; elements.len()];
        let at = len - elements.len() as u64;
        std::os::unix::fs::FileExt::read_exact_at(&fs::File::open(&file).unwrap(), &mut last, at).unwrap();
        assert!(last == elements, "{name}");
    }
}
