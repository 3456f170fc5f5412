//! Our side of `ci/test-readers`, which exchanges arrays with other Zarr libraries.
//!
//! `exchange write DIR`    makes arrays in DIR, and beside each `NAME.expected`: its elements in row-major order
//! `exchange read DIR`     compares every array in DIR with what is expected, also after its shards were laid out anew
//! `exchange refuse DIR`   expects an error for everything in DIR that has a `NAME.refused`, with the words that are there
//!
//! Prints a line for each failure and how many passed and failed. Expected elements are computed or were written by others,
//! never read through the crate.

use disk_array::{Alignment, ArrayDirectory, ArraySpec, BrickShape, Bricks, DataType};
use section::Section;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", directory] => write_all(Path::new(directory)),
        ["read", directory] => each(Path::new(directory), "expected", compare),
        ["refuse", directory] => each(Path::new(directory), "refused", refuse),
        _ => Err("usage: exchange write|read|refuse DIR".into()),
    };
    match outcome {
        Ok((passed, failed)) => {
            println!("chemio: {passed} passed, {failed} failed");
            ExitCode::from(u8::from(failed > 0 || passed == 0))
        }
        Err(error) => {
            eprintln!("exchange: {error}");
            ExitCode::from(2)
        }
    }
}

/// An array to be made, and the boxes of it that are written.
struct Made {
    name: String,
    spec: ArraySpec,
    written: Vec<Section>,
}

/// Does `work` for every array that has a file of this extension; how many passed and failed.
fn each(directory: &Path, extension: &str, work: fn(&Path) -> Result<()>) -> Result<(usize, usize)> {
    let (mut passed, mut failed) = (0, 0);
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|found| found == extension)) {
        match work(&path.with_extension("")) {
            Ok(()) => passed += 1,
            Err(error) => {
                failed += 1;
                println!("FAILED {}: {error}", path.display());
            }
        }
    }
    Ok((passed, failed))
}

fn write_all(directory: &Path) -> Result<(usize, usize)> {
    let arrays = arrays()?;
    for Made { name, spec, written } in &arrays {
        let array = ArrayDirectory::create(&directory.join(name), spec)?;
        let element = usize::try_from(spec.data_type.bytes())?;
        let whole = Section::whole(&spec.dims)?;
        let mut expected = vec![0; usize::try_from(whole.len())? * element];
        for section in written {
            let mut elements = vec![];
            for index in section.indices() {
                let number =
                    index.iter().zip(spec.dims.iter()).fold(0, |number, (at, extent)| number * extent + at);
                let bytes = value(number, spec.data_type)?;
                let at = usize::try_from(number)? * element;
                expected[at..at + element].copy_from_slice(&bytes);
                elements.extend(bytes);
            }
            array.write(section, &elements)?;
        }
        fs::write(directory.join(format!("{name}.expected")), expected)?;
    }
    Ok((arrays.len(), 0))
}

/// Element `number`, counted in row-major order: another one for each number.
fn value(number: u64, data_type: DataType) -> Result<Vec<u8>> {
    let small = i32::try_from(number)? - 1000;
    let (single, double) = (f32::from(i16::try_from(small % 30_000)?) + 0.25, f64::from(small) / 3.0);
    Ok(match data_type {
        DataType::Int32 => small.to_le_bytes().to_vec(),
        DataType::Int64 => (i64::from(small) << 31).to_le_bytes().to_vec(),
        DataType::Float32 => single.to_le_bytes().to_vec(),
        DataType::Float64 => double.to_le_bytes().to_vec(),
        DataType::Complex64 => [single.to_le_bytes(), (1.0 - single).to_le_bytes()].concat(),
        DataType::Complex128 => [double.to_le_bytes(), (1.0 - double).to_le_bytes()].concat(),
    })
}

fn arrays() -> Result<Vec<Made>> {
    let mut made = vec![];
    for data_type in DataType::ALL {
        for dims in 1..=7 {
            made.extend(every_kind(data_type, dims)?);
        }
    }
    // Hundreds of bricks in a shard; one shard and several.
    for files in [1, 3, 7] {
        let mut spec = exact(&[120, 130], &[5, 6], DataType::Float64)?;
        spec.files = files;
        let written = vec![Section::new(&[3, 4], &[77, 130])?, Section::new(&[119, 0], &[120, 1])?];
        made.push(Made { name: format!("hundreds-{files}"), spec, written });
    }
    // As programs make them: our choice of bricks, a page between them.
    let spec = ArraySpec::new(&[700, 900], DataType::Float64)?;
    made.push(Made { name: "plain".to_owned(), written: vec![Section::whole(&spec.dims)?], spec });
    let spec = ArraySpec::fortran(&[200, 300, 4], DataType::Complex128, &[100, -1, 1])?;
    made.push(Made { name: "fortran-plain".to_owned(), written: vec![Section::whole(&spec.dims)?], spec });
    // A brick that is larger than the array.
    let spec = exact(&[2, 2], &[8, 8], DataType::Int64)?;
    made.push(Made { name: "one-brick".to_owned(), written: vec![Section::whole(&spec.dims)?], spec });
    Ok(made)
}

fn exact(dims: &[u64], brick: &[u64], data_type: DataType) -> Result<ArraySpec> {
    let mut spec = ArraySpec::new(dims, data_type)?;
    spec.bricks = Bricks::Exact(BrickShape::exact(brick)?);
    spec.alignment = Alignment::new(512)?;
    Ok(spec)
}

/// Made by C and by Fortran, written whole, in part, and not at all.
fn every_kind(data_type: DataType, dims: usize) -> Result<Vec<Made>> {
    let shape = &[5, 4, 3, 3, 2, 3, 2][..dims];
    let brick = &[2, 3, 2, 1, 2, 2, 1][..dims];
    let spec = exact(shape, brick, data_type)?;
    let mut several = spec.clone();
    several.files = 4;
    let mut fortran = ArraySpec::fortran(shape, data_type, &[])?;
    let reversed: Vec<u64> = brick.iter().rev().copied().collect();
    fortran.bricks = Bricks::Exact(BrickShape::exact(&reversed)?);
    fortran.alignment = spec.alignment;
    let lo: Vec<u64> = shape.iter().map(|extent| extent / 2).collect();
    let part = Section::new(&lo, shape)?;
    let made = |kind: &str, spec: &ArraySpec, written| Made {
        name: format!("{data_type}-{dims}d-{kind}"),
        spec: spec.clone(),
        written,
    };
    Ok(vec![
        made("c", &spec, vec![Section::whole(&spec.dims)?]),
        made("fortran", &fortran, vec![Section::whole(&fortran.dims)?]),
        made("part", &several, vec![part]),
        made("unwritten", &several, vec![]),
    ])
}

fn compare(path: &Path) -> Result<()> {
    let expected = fs::read(path.with_extension("expected"))?;
    let array = ArrayDirectory::open(path)?;
    array.check()?;
    compare_elements(&array, &expected)?;
    for number in 0..array.layout().shards_count() {
        if !array.shard_for_writing(number)?.is_as_laid_out() {
            return Err(format!("shard {number} is not as laid out").into());
        }
    }
    compare_elements(&array, &expected)
}

fn compare_elements(array: &ArrayDirectory, expected: &[u8]) -> Result<()> {
    let whole = Section::whole(&array.metadata().dims)?;
    let element = array.metadata().data_type.bytes();
    let mut elements = vec![0xAA; usize::try_from(whole.len() * element)?];
    array.read(&whole, &mut elements)?;
    if expected.len() != elements.len() {
        return Err(format!("{} bytes, expected {}", elements.len(), expected.len()).into());
    }
    match elements.iter().zip(expected).position(|(got, expected)| got != expected) {
        None => Ok(()),
        Some(at) => Err(format!("element {} differs", at as u64 / element).into()),
    }
}

fn refuse(path: &Path) -> Result<()> {
    let words = fs::read_to_string(path.with_extension("refused"))?;
    match ArrayDirectory::open(path) {
        Ok(_) => Err("opened".into()),
        Err(error) if error.to_string().contains(words.trim()) => Ok(()),
        Err(error) => Err(format!("\"{error}\" does not contain \"{}\"", words.trim()).into()),
    }
}
