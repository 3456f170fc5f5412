//! What the scenarios use.

use dra::{ArraySpec, BrickShape, Bricks, Context, DataType, Settings};
use ga::{Array, ElementType, Patch, PatchMut};
use rustix::fs::{Advice, fadvise};
use section::{Section, size};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The ranks of a launch.
pub(crate) struct World {
    // Before MPI goes with the other.
    pub(crate) disk: Context,
    pub(crate) ga: ga::Context,
}

impl World {
    pub(crate) fn start() -> Self {
        let ga = ga::Context::new().expect("MPI starts");
        Self { disk: dra_ga::context(&ga, Settings::default()).expect("a context"), ga }
    }

    pub(crate) fn barrier(&self) {
        self.ga.sync().expect("a barrier");
    }

    pub(crate) fn is_first(&self) -> bool {
        self.ga.rank() == 0
    }

    /// A name in the directory that all ranks see.
    pub(crate) fn path(name: &str) -> PathBuf {
        test_support::shared_dir().join(name)
    }

    /// An array in memory that holds `elements`.
    pub(crate) fn array(&self, data_type: DataType, dims: &[u64], elements: &[u8]) -> Array {
        let array = self.ga.array(dra_ga::element_type(data_type), dims).create().expect("an array");
        if self.is_first() {
            let patch = Patch::of_bytes(elements, array.element_type(), dims).expect("a patch");
            array.put(&array.whole(), patch).expect("put");
        }
        self.barrier();
        array
    }

    /// An array in memory of doubles.
    pub(crate) fn doubles(&self, dims: &[u64]) -> Array {
        self.ga.array(ElementType::Double, dims).create().expect("an array")
    }

    /// Fails on every rank with the same error, whose text is given.
    pub(crate) fn all_fail<T>(&self, result: dra::Result<T>) -> String {
        let Err(error) = result else { panic!("an error was expected") };
        let told = format!("{} {error}", error.code());
        let first = self.disk.comm().broadcast_text(told.clone(), 0).expect("a broadcast");
        assert_eq!(first, told, "rank 0 says something else");
        told
    }
}

/// All elements of an array in memory, asked for by this rank.
pub(crate) fn elements_of(array: &Array) -> Vec<u8> {
    let mut elements = vec![0; size(array.whole().len()) * array.element_type().bytes()];
    let patch = PatchMut::of_bytes(&mut elements, array.element_type(), array.shape()).expect("a patch");
    array.get(&array.whole(), patch).expect("get");
    elements
}

/// An array on disk of doubles, cut into these bricks.
pub(crate) fn spec(dims: &[u64], brick: &[u64]) -> ArraySpec {
    let mut spec = ArraySpec::new(dims, DataType::Float64).expect("a shape");
    spec.bricks = Bricks::Exact(BrickShape::exact(brick).expect("a shape"));
    spec
}

pub(crate) fn section(lo: &[u64], hi: &[u64]) -> Section {
    Section::new(lo, hi).expect("a section")
}

/// Doubles that count from `first`.
pub(crate) fn counted(first: u32, count: u32) -> Vec<u8> {
    (first..first + count).flat_map(|value| f64::from(value).to_le_bytes()).collect()
}

/// Takes all files below a directory out of the page cache.
pub(crate) fn evict(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            evict(&path);
        } else {
            let file = File::open(path).unwrap();
            file.sync_all().unwrap();
            fadvise(&file, 0, None, Advice::DontNeed).unwrap();
        }
    }
}
