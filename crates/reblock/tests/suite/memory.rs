//! The memory of boxes: what happens when there is no more, and who touches it.

use crate::world::{World, all_fail, counted, nothing_is_beside, permuted, spec};
use dra::{Access, ArrayInMemory, DataType, MadeArray, MakeArray, MemoryError, MemoryPiece};
use layout::{DeviceModel, Permutation, Units};
use reblock::{Options, Outcome};
use section::{Section, Shape};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What becomes of boxes.
#[derive(Debug, Default)]
struct Watched {
    /// Whether boxes are written only after somebody has touched one ahead, which no one does where the first ones cannot be had.
    is_awaited: bool,
    in_being: AtomicUsize,
    touched_ahead: AtomicUsize,
    is_touched_when_free: AtomicBool,
}

/// Makes arrays of `ga`, but not array number `fails_at`.
#[derive(Debug)]
struct Maker {
    inner: dra_ga::Maker,
    fails_at: usize,
    made: AtomicUsize,
    watched: Arc<Watched>,
}

#[derive(Debug)]
struct Made {
    made: Box<dyn MadeArray>,
    in_memory: Arc<Memory>,
}

#[derive(Debug)]
struct Memory {
    array: Arc<dyn ArrayInMemory>,
    is_free: AtomicBool,
    watched: Arc<Watched>,
}

impl Maker {
    fn new(world: &World, fails_at: usize) -> Self {
        let made = AtomicUsize::new(0);
        let watched = Arc::new(Watched { is_awaited: fails_at == usize::MAX, ..Watched::default() });
        Self { inner: dra_ga::maker(&world.ga), fails_at, made, watched }
    }
}

impl MakeArray for Maker {
    fn make(&self, data_type: DataType, dims: &Shape) -> Result<Box<dyn MadeArray>, MemoryError> {
        if self.made.fetch_add(1, Ordering::Relaxed) == self.fails_at {
            return Err("no more memory".into());
        }
        let (made, watched) = (self.inner.make(data_type, dims)?, Arc::clone(&self.watched));
        watched.in_being.fetch_add(1, Ordering::Relaxed);
        let in_memory = Memory { array: made.in_memory(), is_free: AtomicBool::new(false), watched };
        Ok(Box::new(Made { made, in_memory: Arc::new(in_memory) }))
    }
}

impl MadeArray for Made {
    fn in_memory(&self) -> Arc<dyn ArrayInMemory> {
        self.in_memory.clone()
    }

    fn taken_bytes(&self) -> Option<u64> {
        self.made.taken_bytes()
    }

    fn free(self: Box<Self>) -> Result<(), MemoryError> {
        self.in_memory.is_free.store(true, Ordering::Relaxed);
        self.in_memory.watched.in_being.fetch_sub(1, Ordering::Relaxed);
        self.made.free()
    }
}

impl ArrayInMemory for Memory {
    fn populate(&self, before: usize) -> Option<usize> {
        self.watched.touched_ahead.fetch_add(1, Ordering::Relaxed);
        if self.is_free.load(Ordering::Relaxed) {
            self.watched.is_touched_when_free.store(true, Ordering::Relaxed);
        }
        self.array.populate(before)
    }

    fn complete(&self) -> Result<(), MemoryError> {
        // Here boxes are written: the thread that touches them may be late, but it comes.
        let begun = Instant::now();
        while self.watched.is_awaited && self.watched.touched_ahead.load(Ordering::Relaxed) == 0 {
            if begun.elapsed() > Duration::from_secs(60) {
                return Err("nobody touches boxes ahead".into());
            }
            std::thread::yield_now();
        }
        self.array.complete()
    }

    fn name(&self) -> String {
        self.array.name()
    }

    fn data_type(&self) -> DataType {
        self.array.data_type()
    }

    fn dims(&self) -> Shape {
        self.array.dims()
    }

    fn any_thread(&self) -> bool {
        self.array.any_thread()
    }

    fn see_others(&self) -> Result<(), MemoryError> {
        self.array.see_others()
    }

    fn get(&self, section: &Section, to: &mut [u8], extents: &Shape) -> Result<(), MemoryError> {
        self.array.get(section, to, extents)
    }

    fn put(&self, section: &Section, from: &[u8], extents: &Shape) -> Result<(), MemoryError> {
        self.array.put(section, from, extents)
    }

    fn pieces(&self, section: &Section, count_max: usize) -> Option<Vec<MemoryPiece>> {
        self.array.pieces(section, count_max)
    }

    fn is_in_huge_pages(&self) -> bool {
        self.array.is_in_huge_pages()
    }
}

const DIMS: [u64; 2] = [96, 120];

fn copy(world: &World, disk: &dra::Context, maker: &Maker) -> reblock::Result<Outcome> {
    let source = disk.open(&World::path("source"), Access::ReadOnly).expect("opened");
    let mut target = disk.open(&World::path("target"), Access::ReadWrite).expect("opened");
    // Two boxes.
    let device = DeviceModel {
        operations_per_second: 2_000,
        page_bytes: 8,
        alone_percent: 1000,
        ..DeviceModel::default()
    };
    let (options, turned) = (Options { device, ..Options::default() }, Permutation::new(&[1, 0]).unwrap());
    let done = reblock::copy(disk, maker, (&source, &mut target), &turned, &options, &mut |_| {});
    target.close().expect("closed");
    source.close().expect("closed");
    assert_eq!(
        maker.watched.in_being.load(Ordering::Relaxed),
        0,
        "boxes are left on rank {}",
        world.ga.rank()
    );
    assert!(!maker.watched.is_touched_when_free.load(Ordering::Relaxed), "touched when it was free");
    done
}

pub(crate) fn whichever_box_cannot_be_had_all_ranks_are_told_and_another_try_completes_the_copy(
    world: &World,
) {
    let disk = world.context_for(50_000);
    let elements = counted(DIMS.iter().product());
    let from = spec(&DIMS, &[4, 120], DataType::Float64);
    world.source(&disk, &World::path("source"), &from, &elements).close().expect("closed");
    let expected = permuted(&elements, &DIMS, &Permutation::new(&[1, 0]).unwrap(), 8);
    let (path, mut felt) = (World::path("target"), 0);
    // Every one at first, then with growing gaps.
    for fails_at in std::iter::successors(Some(0usize), |before| Some(before + 1 + before / 3)) {
        let to = spec(&[120, 96], &[3, 96], DataType::Float64);
        disk.create(&path, &to, Access::ReadWrite).expect("created").close().expect("closed");
        let mut done = copy(world, &disk, &Maker::new(world, fails_at));
        let is_over = done.is_ok();
        if !is_over {
            felt += 1;
            let text = all_fail(&disk, done);
            assert!(text.contains("no more memory"), "{text}");
            done = copy(world, &disk, &Maker::new(world, usize::MAX));
        }
        let plan = done.expect("another try").plan;
        assert!(plan.passes()[0].cost().max_blocks == 2 && plan.passes().len() > 1, "{plan}");
        let whole = disk.open(&path, Access::ReadOnly).expect("opened");
        assert!(world.elements(&whole) == expected, "box {fails_at}");
        whole.close().expect("closed");
        nothing_is_beside(&path);
        world.barrier();
        if is_over {
            break;
        }
    }
    assert!(felt >= 3, "{felt}");
    for name in ["source", "target"] {
        disk.open(&World::path(name), Access::ReadOnly).expect("opened").delete().expect("deleted");
    }
    world.barrier();
}

/// Where not even the first box can be had nothing has been written, and what was there can be read as before.
pub(crate) fn a_comparison_gives_back_the_boxes_that_it_had_when_the_next_one_cannot_be_had(world: &World) {
    let disk = world.context(1 << 20);
    let elements = counted(DIMS.iter().product());
    let bricks = spec(&DIMS, &[4, 120], DataType::Float64);
    let [source, target] =
        ["source", "target"].map(|name| world.source(&disk, &World::path(name), &bricks, &elements));
    let same = Permutation::identity(2);
    let mut felt = 0;
    for fails_at in 0.. {
        let maker = Maker::new(world, fails_at);
        let found = reblock::compare(&disk, &maker, (&source, &target), &same, &mut |_| {});
        assert_eq!(maker.watched.in_being.load(Ordering::Relaxed), 0, "box {fails_at}");
        match found {
            Ok(found) => {
                assert_eq!(found.differing, 0);
                break;
            }
            failed => assert!(all_fail(&disk, failed).contains("no more memory")),
        }
        felt += 1;
    }
    assert_eq!(felt, 4);
    for array in [source, target] {
        array.delete().expect("deleted");
    }
    world.barrier();
}

pub(crate) fn a_copy_that_cannot_begin_leaves_the_target_as_it_was(world: &World) {
    let disk = world.context_for(50_000);
    let (path, elements) = (World::path("target"), counted(DIMS.iter().product()));
    let from = spec(&DIMS, &[4, 120], DataType::Float64);
    world.source(&disk, &World::path("source"), &from, &elements).close().expect("closed");
    let to = spec(&[120, 96], &[3, 96], DataType::Float64);
    world.source(&disk, &path, &to, &elements).close().expect("closed");
    let text = all_fail(&disk, copy(world, &disk, &Maker::new(world, 0)));
    assert!(text.contains("no more memory"), "{text}");
    let whole = disk.open(&path, Access::ReadOnly).expect("opened");
    assert!(world.elements(&whole) == elements, "what was there");
    whole.close().expect("closed");
    nothing_is_beside(&path);
    world.barrier();

    // One that goes on where another one was goes on there again.
    let failed = copy(world, &disk, &Maker::new(world, 2));
    all_fail(&disk, failed);
    let noted = || {
        let target = disk.open(&path, Access::ReadOnly).expect("opened");
        let noted = target.unfinished().expect("asked").expect("it has begun");
        target.close().expect("closed");
        noted
    };
    let before = noted();
    let failed = copy(world, &disk, &Maker::new(world, 0));
    all_fail(&disk, failed);
    let after = noted();
    for name in ["state", "plan", "pass", "template"] {
        assert_eq!(before[name], after[name], "{name}");
    }
    copy(world, &disk, &Maker::new(world, usize::MAX)).expect("copied");
    let whole = disk.open(&path, Access::ReadOnly).expect("opened");
    assert!(world.elements(&whole) == permuted(&elements, &DIMS, &Permutation::new(&[1, 0]).unwrap(), 8));
    whole.delete().expect("deleted");
    disk.open(&World::path("source"), Access::ReadOnly).expect("opened").delete().expect("deleted");
    world.barrier();
}

/// What a process may take besides: its tables, and what allocators round up to.
const BESIDES_BYTES: u64 = 6 << 20;

/// A number of `/proc/self/status`, in bytes.
fn status_bytes(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a number");
    line.trim_start_matches(':').trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
}

/// Does something, and tells what the memory of this process grew by at most meanwhile.
fn with_memory_taken<T>(work: impl FnOnce() -> T) -> (T, u64) {
    // From here on the system notes the most anew.
    std::fs::write("/proc/self/clear_refs", "5").expect("the system forgets the most");
    let before = status_bytes("VmRSS");
    let done = work();
    (done, status_bytes("VmHWM").saturating_sub(before))
}

/// Whatever a copy counts by itself: what comes to the memory of a process meanwhile is no more than was given, bricks as large as that
/// or far larger. Of several ranks each maps what the others have, so each is held against all of it.
pub(crate) fn what_the_system_counts_is_no_more_than_the_memory_that_was_given(world: &World) {
    const MIB: u64 = 1 << 20;
    for (brick, to, memory_bytes, units) in [
        ([8, 2048], [512, 32], 12 * MIB, Units::Parts),
        ([2048, 2048], [2048, 2048], 12 * MIB, Units::Parts),
        ([64, 2048], [2048, 64], 24 * MIB, Units::Parts),
        // What is retained is many boxes.
        ([96, 128], [96, 128], 12 * MIB, Units::WholeBricks),
    ] {
        let dims = [2048, 2048];
        let elements = counted(dims.iter().product());
        let disk = world.context(memory_bytes / world.ga.ranks() as u64);
        let one_process = |mut spec: dra::ArraySpec| {
            spec.attributes.io_processes_hint = 1;
            spec
        };
        let from = one_process(spec(&dims, &brick, DataType::Float64));
        // Written by another context, whose buffers go with it.
        let writer = world.context(MIB);
        world.source(&writer, &World::path("source"), &from, &elements).close().expect("closed");
        let source = disk.open(&World::path("source"), Access::ReadOnly).expect("opened");
        let to = one_process(spec(&dims, &to, DataType::Float64));
        let mut target = disk.create(&World::path("target"), &to, Access::ReadWrite).expect("created");
        let turned = Permutation::new(&[1, 0]).unwrap();
        // Memory of the system's, not what an allocator has kept.
        let ((), more) = with_memory_taken(|| {
            let mut buffers = elio::PageBuffer::several(8 << 20, 1).expect("memory");
            buffers[0].fill(1);
        });
        // Each processor counts some pages for itself.
        assert!(more >= 7 * MIB, "{more} are counted");
        let (done, taken) = with_memory_taken(|| {
            let options = Options { units, ..Options::default() };
            world.copy(&disk, (&source, &mut target), &turned, &options).expect("copied")
        });
        let retained = done.plan.passes().iter().map(|pass| pass.cost().retained_elems).max();
        assert_eq!(retained > Some(0), units == Units::WholeBricks, "{}", done.plan);
        assert!(done.boxes_bytes_peak <= done.plan.memory_bytes_max(), "{}", done.plan);
        assert!(taken <= memory_bytes + BESIDES_BYTES, "{taken} of {memory_bytes}: {}", done.plan);
        assert!(world.elements(&target) == permuted(&elements, &dims, &turned, 8), "{}", done.plan);
        for array in [source, target] {
            array.delete().expect("deleted");
        }
        world.barrier();
    }
}
