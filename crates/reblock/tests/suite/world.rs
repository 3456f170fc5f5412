//! What the scenarios use.

use dra::{
    Access, ArrayDirectory, ArraySpec, BrickShape, Bricks, Context, DataType, DiskArray, Settings, Transfer,
};
use ga::{Patch, PatchMut};
use layout::Permutation;
use reblock::{Options, Outcome, Progress};
use section::{Layout, Section, size};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The ranks of a launch.
pub(crate) struct World {
    pub(crate) ga: ga::Context,
}

impl World {
    pub(crate) fn start() -> Self {
        Self { ga: ga::Context::new().expect("MPI starts") }
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

    pub(crate) fn context(&self, memory_bytes: u64) -> Context {
        let settings = Settings { memory_bytes: Some(memory_bytes), io_processes: None };
        dra_ga::context(&self.ga, settings).expect("a context")
    }

    /// A context of all ranks with memory for so many bytes of elements, and for what three arrays take besides.
    pub(crate) fn context_for(&self, elements_bytes: u64) -> Context {
        let ranks = self.ga.ranks() as u64;
        self.context((elements_bytes + 3 * self.rounding_bytes()) / ranks)
    }

    /// What an array in memory takes beyond its elements, at most.
    pub(crate) fn rounding_bytes(&self) -> u64 {
        layout::rounding_bytes(self.ga.ranks() as u64, self.context(0).nodes() as u64)
    }

    /// A context whose shards are on devices of the test's own.
    pub(crate) fn on_devices(&self, memory_bytes: u64, open: Arc<dra::OpenDevice>) -> Context {
        let comm = Arc::new(self.ga.world().communicator().expect("a communicator"));
        let settings = Settings { memory_bytes: Some(memory_bytes), io_processes: None };
        Context::on_devices(&comm, settings, open).expect("a context")
    }

    /// An array on disk with these elements, open.
    pub(crate) fn source(&self, disk: &Context, path: &Path, spec: &ArraySpec, elements: &[u8]) -> DiskArray {
        let array = disk.create(path, spec, Access::ReadWrite).expect("created");
        self.fill(&array, elements);
        array
    }

    /// Gives an array that is there these elements.
    pub(crate) fn write(&self, disk: &Context, path: &Path, elements: &[u8]) {
        let array = disk.open(path, Access::ReadWrite).expect("opened");
        self.fill(&array, elements);
        array.close().expect("closed");
    }

    /// Gives an array these elements.
    pub(crate) fn fill(&self, array: &DiskArray, elements: &[u8]) {
        let metadata = array.directory().metadata();
        let (data_type, dims) = (metadata.data_type, metadata.dims);
        let memory = self.ga.array(dra_ga::element_type(data_type), &dims).create().expect("an array");
        if self.is_first() {
            let all = Patch::of_bytes(elements, memory.element_type(), &dims).expect("a patch");
            memory.put(&memory.whole(), all).expect("put");
        }
        self.barrier();
        let all = Transfer::whole(&dims, &dims).expect("all of it");
        array.write(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("written");
        memory.destroy().expect("destroyed");
    }

    /// All elements of an array on disk, on every rank.
    pub(crate) fn elements(&self, array: &DiskArray) -> Vec<u8> {
        let metadata = array.directory().metadata();
        let memory = self
            .ga
            .array(dra_ga::element_type(metadata.data_type), &metadata.dims)
            .create()
            .expect("an array");
        let all = Transfer::whole(&metadata.dims, &metadata.dims).expect("all of it");
        array.read(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("read");
        let mut elements = vec![0; size(memory.whole().len() * metadata.data_type.bytes())];
        let patch =
            PatchMut::of_bytes(&mut elements, memory.element_type(), memory.shape()).expect("a patch");
        memory.get(&memory.whole(), patch).expect("got");
        self.barrier();
        memory.destroy().expect("destroyed");
        elements
    }

    pub(crate) fn copy(
        &self,
        disk: &Context,
        arrays: (&DiskArray, &mut DiskArray),
        permutation: &Permutation,
        options: &Options,
    ) -> reblock::Result<Outcome> {
        reblock::copy(disk, &dra_ga::maker(&self.ga), arrays, permutation, options, &mut |_: &Progress| {})
    }
}

/// Fails on every rank with the same error, whose number and text are given.
pub(crate) fn all_fail<T>(disk: &Context, result: reblock::Result<T>) -> String {
    let Err(error) = result else { panic!("an error was expected") };
    let told = format!("{} {error}", error.code());
    let first = disk.comm().broadcast_text(told.clone(), 0).expect("a broadcast");
    assert_eq!(first, told, "rank 0 says something else");
    told
}

/// An array to be made, in such bricks.
pub(crate) fn spec(dims: &[u64], brick: &[u64], data_type: DataType) -> ArraySpec {
    let mut spec = ArraySpec::new(dims, data_type).expect("a shape");
    spec.bricks = Bricks::Exact(BrickShape::exact(brick).expect("a shape"));
    spec
}

/// What the target has to be.
pub(crate) fn permuted(elements: &[u8], dims: &[u64], permutation: &Permutation, bytes: usize) -> Vec<u8> {
    let target = Layout::dense(&permutation.to_target(dims));
    let mut expected = vec![0; elements.len()];
    for (at, index) in Section::whole(dims).expect("a shape").indices().enumerate() {
        let place = target.offset(&permutation.to_target(&index)) * bytes;
        expected[place..place + bytes].copy_from_slice(&elements[at * bytes..(at + 1) * bytes]);
    }
    expected
}

/// Doubles that count from 1.
pub(crate) fn counted(count: u64) -> Vec<u8> {
    let count = u32::try_from(count).expect("few");
    (1..=count).flat_map(|value| f64::from(value).to_le_bytes()).collect()
}

/// Nothing of an interrupted or finished pass is left beside an array.
pub(crate) fn nothing_is_beside(path: &Path) {
    for pass in 1..=9 {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".pass-{pass}"));
        assert!(ArrayDirectory::open(Path::new(&name)).is_err(), "{} is left", name.display());
    }
}
