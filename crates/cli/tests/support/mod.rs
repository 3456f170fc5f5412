//! Running the command, and arrays to run it on.

#![allow(dead_code, reason = "each test uses some of it")]

use disk_array::{Alignment, ArrayDirectory, ArraySpec, BrickShape, Bricks, DataType};
use section::Section;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The command, to be given more arguments.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chemio"));
    command.stdin(Stdio::null());
    command
}

/// What the command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        Self { status: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

/// Runs the command.
pub(crate) fn run<A: AsRef<OsStr>>(arguments: &[A]) -> Ran {
    Ran::of(&command().args(arguments).output().expect("the command runs"))
}

/// Runs the command, which succeeds and says nothing on standard error; what it prints.
pub(crate) fn done<A: AsRef<OsStr> + std::fmt::Debug>(arguments: &[A]) -> String {
    let ran = run(arguments);
    assert!(ran.status == Some(0) && ran.err.is_empty(), "{arguments:?}: {ran:?}");
    ran.out
}

/// Runs the command, which prints JSON.
pub(crate) fn facts<A: AsRef<OsStr> + std::fmt::Debug>(arguments: &[A]) -> Value {
    serde_json::from_str(&done(arguments)).expect("JSON")
}

/// Runs the command, which is refused with one line; the line.
pub(crate) fn refused<A: AsRef<OsStr> + std::fmt::Debug>(arguments: &[A]) -> String {
    refused_by(command().args(arguments))
}

/// The same of a command that is made ready.
pub(crate) fn refused_by(command: &mut Command) -> String {
    let ran = Ran::of(&command.output().expect("the command runs"));
    assert!(ran.status == Some(2) && ran.out.is_empty(), "{command:?}: {ran:?}");
    assert!(ran.err.starts_with("chemio: ") && ran.err.lines().count() == 1, "{command:?}: {ran:?}");
    ran.err
}

/// Paths and words as arguments.
macro_rules! arguments {
    ($($argument:expr),* $(,)?) => { &[$(std::ffi::OsString::from($argument)),*][..] };
}
pub(crate) use arguments;

/// Element `number`: never zero, different from its neighbours.
pub(crate) fn element(number: u64, data_type: DataType) -> Vec<u8> {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let float = number as f64 + 0.5;
    #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
    let single = float as f32;
    let integer = i32::try_from(number % 1_000_000).unwrap() - 500_000;
    match data_type {
        DataType::Int32 => integer.to_le_bytes().to_vec(),
        DataType::Int64 => (i64::from(integer) << 20 | 1).to_le_bytes().to_vec(),
        DataType::Float32 => single.to_le_bytes().to_vec(),
        DataType::Float64 => (float / 3.0).to_le_bytes().to_vec(),
        DataType::Complex64 => [single.to_le_bytes(), (-single).to_le_bytes()].concat(),
        DataType::Complex128 => [(float / 3.0).to_le_bytes(), (-float).to_le_bytes()].concat(),
    }
}

/// The first elements, in row-major order.
pub(crate) fn numbered(count: u64, data_type: DataType) -> Vec<u8> {
    (0..count).flat_map(|number| element(number, data_type)).collect()
}

/// An array to be made, in bricks of these extents and several files.
pub(crate) fn spec(dims: &[u64], brick: &[u64], data_type: DataType) -> ArraySpec {
    let mut spec = ArraySpec::new(dims, data_type).unwrap();
    spec.bricks = Bricks::Exact(BrickShape::exact(brick).unwrap());
    (spec.files, spec.alignment) = (3, Alignment::new(512).unwrap());
    "test".clone_into(&mut spec.attributes.name);
    spec
}

/// Makes an array with all elements numbered; its elements.
pub(crate) fn make(path: &Path, dims: &[u64], brick: &[u64], data_type: DataType) -> Vec<u8> {
    let array = ArrayDirectory::create(path, &spec(dims, brick, data_type)).unwrap();
    let elements = numbered(dims.iter().product(), data_type);
    array.write(&Section::whole(dims).unwrap(), &elements).unwrap();
    elements
}

/// All elements of an array, read the simplest way.
pub(crate) fn read(path: &Path) -> Vec<u8> {
    let array = ArrayDirectory::open(path).unwrap();
    array.check().unwrap();
    let whole = Section::whole(&array.metadata().dims).unwrap();
    let mut elements = vec![0xAA; usize::try_from(whole.len() * array.metadata().data_type.bytes()).unwrap()];
    array.read(&whole, &mut elements).unwrap();
    elements
}

/// Everything below a directory: for each path what it is, how long, and when it was changed.
pub(crate) fn snapshot(path: &Path) -> BTreeMap<PathBuf, (u64, i64, i64, u32)> {
    let mut found = BTreeMap::new();
    let mut pending = vec![path.to_owned()];
    while let Some(next) = pending.pop() {
        let Ok(entries) = fs::read_dir(&next) else { continue };
        for entry in entries {
            let entry = entry.unwrap();
            let metadata = entry.path().symlink_metadata().unwrap();
            let state = (metadata.len(), metadata.mtime(), metadata.mtime_nsec(), metadata.mode());
            found.insert(entry.path(), state);
            if metadata.is_dir() {
                pending.push(entry.path());
            }
        }
    }
    found
}

/// The names in a directory, in order.
pub(crate) fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Bytes that a file takes.
pub(crate) fn on_disk_bytes(path: &Path) -> u64 {
    fs::metadata(path).unwrap().blocks() * 512
}
