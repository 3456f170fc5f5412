//! Devices that count: what a plan promises is what reaches the disk, and memory is what it says.

use crate::world::{World, counted, permuted, spec};
use dra::{Access, DataType};
use elio::{CountingDevice, Device, open_device};
use layout::{DeviceModel, PassCost, Permutation, Units};
use reblock::Options;
use std::sync::{Arc, Mutex};

/// Reads, without those that went on where one before had given less than was asked for; writes; the bytes of both; and reads
/// around the page cache.
type Counts = [u64; 5];

#[derive(Clone, Default)]
struct Counters(Arc<Mutex<Vec<Arc<CountingDevice>>>>);

impl Counters {
    fn open(&self) -> Arc<dra::OpenDevice> {
        let opened = self.clone();
        Arc::new(move |path: &std::path::Path, mode| {
            let device = CountingDevice::new(open_device(path, mode)?);
            opened.0.lock().unwrap().push(Arc::clone(&device));
            Ok(device as Arc<dyn elio::Device>)
        })
    }

    /// Writes of all ranks through the page cache and around it.
    fn writes(&self, disk: &dra::Context) -> [u64; 2] {
        let mine = self
            .0
            .lock()
            .unwrap()
            .iter()
            .map(|device| device.counts())
            .fold([0; 2], |sum, counts| [sum[0] + counts.cached_writes, sum[1] + counts.direct_writes]);
        let all = disk.comm().all_gather(&mine).expect("gathered");
        std::array::from_fn(|route| all.iter().skip(route).step_by(2).sum())
    }

    /// Whether there is a way around the page cache, on any rank.
    fn has_direct(&self, disk: &dra::Context) -> bool {
        let opened = self.0.lock().unwrap();
        let mine = [u64::from(opened.iter().any(|device| device.properties().direct.is_some()))];
        disk.comm().all_gather(&mine).expect("gathered").contains(&1)
    }

    fn total(&self, disk: &dra::Context) -> Counts {
        let mine = self.0.lock().unwrap().iter().map(|device| device.counts()).fold([0; 5], |sum, counts| {
            let reads = counts.cached_reads + counts.direct_reads - counts.short_reads;
            let writes = counts.cached_writes + counts.direct_writes;
            let more = [reads, writes, counts.read_bytes, counts.written_bytes, counts.direct_reads];
            std::array::from_fn(|kind| sum[kind] + more[kind])
        });
        let all = disk.comm().all_gather(&mine).expect("gathered");
        std::array::from_fn(|kind| all.iter().skip(kind).step_by(5).sum())
    }
}

/// An array of doubles, its bricks, those of the target, and the memory in bytes of all ranks.
struct Case {
    dims: Vec<u64>,
    from: Vec<u64>,
    to: Vec<u64>,
    order: Vec<usize>,
    units: Units,
    memory_bytes: u64,
    operations_per_second: u64,
    passes: usize,
    /// Of source and target, if there are so many ranks.
    io_processes: usize,
    /// Requests are longer than what goes to the device in one piece: only their bytes can be counted.
    is_cut: bool,
}

/// A row of so many doubles is a page.
const PAGE: u64 = 512;
/// What is longer goes to the device in pieces of so much at least.
const PIECE_BYTES: u128 = 64 << 10;

/// Everything is in whole pages and in one run, or in runs far from each other, so that nothing is rounded or joined but what bricks
/// have beyond the array, and no longer than what is cut for the device, 64 KiB.
fn cases() -> Vec<Case> {
    let case = |dims: &[u64], from: &[u64], to: &[u64], order: &[usize], units, memory_bytes| Case {
        dims: dims.to_vec(),
        from: from.to_vec(),
        to: to.to_vec(),
        order: order.to_vec(),
        units,
        memory_bytes,
        operations_per_second: 200_000,
        passes: 1,
        io_processes: 1,
        is_cut: false,
    };
    let flat = |from: [u64; 2], to: [u64; 2], order: [usize; 2], units, memory_bytes| {
        case(&[256, 8192], &from, &to, &order, units, memory_bytes)
    };
    let wide = |from: [u64; 2], to: [u64; 2], order: [usize; 2]| {
        case(&[16, 3 * PAGE], &from, &to, &order, Units::Parts, 1 << 20)
    };
    let deep =
        |from: [u64; 3], to: [u64; 3], units| case(&[6, 10, PAGE], &from, &to, &[0, 1, 2], units, 2 << 20);
    vec![
        // Rows to high and narrow bricks: slabs are written.
        flat([1, 8192], [128, 16], [0, 1], Units::Parts, 2 << 20),
        // And with memory for whole bricks.
        flat([1, 8192], [32, 64], [0, 1], Units::Parts, 8 << 20),
        flat([1, 512], [16, 256], [1, 0], Units::Parts, 4 << 20),
        // Whole bricks, some of which are retained.
        flat([24, 512], [32, 256], [0, 1], Units::WholeBricks, 4 << 20),
        flat([24, 256], [256, 32], [1, 0], Units::WholeBricks, 4 << 20),
        // Higher than the array.
        flat([300, 512], [16, 8192], [0, 1], Units::Parts, 8 << 20),
        // Wider, by two pages, which are moved, and by seven, which are not.
        wide([1, 3 * PAGE], [2, 5 * PAGE], [0, 1]),
        wide([1, 3 * PAGE], [2, 10 * PAGE], [0, 1]),
        // Bricks at the end of the array have two pages beyond it, or six.
        deep([1, 10, PAGE], [2, 4, PAGE], Units::Parts),
        deep([2, 8, PAGE], [1, 10, PAGE], Units::Parts),
        deep([1, 10, PAGE], [2, 8, PAGE], Units::Parts),
        deep([4, 4, PAGE], [3, 4, PAGE], Units::WholeBricks),
        deep([4, 3, PAGE], [2, 8, PAGE], Units::WholeBricks),
        // Written by several.
        Case { io_processes: 2, ..flat([1, 8192], [32, 64], [0, 1], Units::Parts, 8 << 20) },
        Case { io_processes: 3, ..flat([24, 512], [32, 256], [0, 1], Units::WholeBricks, 4 << 20) },
        // Through bricks of another shape. As little memory as there can be is enough for a single pass unless bricks are cut for the device.
        Case {
            operations_per_second: 1_000,
            passes: 2,
            is_cut: true,
            ..case(&[64, 64, PAGE], &[64, 1, PAGE], &[1, 64, PAGE], &[0, 1, 2], Units::Parts, 1 << 20)
        },
    ]
}

/// Copies, and compares what was moved with what the plan promises.
///
/// Every byte is moved once, whatever the page cache has of it. Only how many reads that takes is not the plan's alone: where the
/// kernel has taken memory from the page cache meanwhile, a brick is read around it, by several transfers at once.
fn expect_as_planned(world: &World, case: &Case) {
    let counters = Counters::default();
    let disk = world.on_devices(case.memory_bytes / world.ga.ranks() as u64, counters.open());
    let permutation = Permutation::new(&case.order).unwrap();
    let elements = counted(case.dims.iter().product());
    let mut from = spec(&case.dims, &case.from, DataType::Float64);
    let target_dims = permutation.to_target(&case.dims);
    let mut to = spec(&target_dims, &case.to, DataType::Float64);
    let io_processes = world.ga.ranks().min(case.io_processes);
    for spec in [&mut from, &mut to] {
        spec.attributes.io_processes_hint = i64::try_from(io_processes).expect("few");
    }
    let source = world.source(&disk, &World::path("source"), &from, &elements);
    let path = World::path("target");
    let mut target = disk.create(&path, &to, Access::ReadWrite).expect("created");
    let before = counters.total(&disk);
    // Steps are not counted.
    let device = DeviceModel {
        operations_per_second: case.operations_per_second,
        steps_per_second: 1_000_000,
        ..DeviceModel::default()
    };
    let options = Options { device, units: case.units, ..Options::default() };
    let done = world.copy(&disk, (&source, &mut target), &permutation, &options).expect("copied");
    let after = counters.total(&disk);
    let moved: Counts = std::array::from_fn(|kind| after[kind] - before[kind]);
    let costs: Vec<PassCost> = done.plan.passes().iter().map(|pass| *pass.cost()).collect();
    assert_eq!(costs.len(), case.passes, "{}", done.plan);
    let sum = |number: fn(&PassCost) -> u128| costs.iter().map(number).sum::<u128>();
    assert_eq!(sum(|cost| cost.unaligned_reads + cost.unaligned_writes), 0, "{}", done.plan);
    let [reads, writes, read_bytes, written_bytes, direct_reads] = moved.map(u128::from);
    let promised = [sum(|cost| cost.read_elems * 8), sum(|cost| cost.written_elems * 8)];
    assert_eq!([read_bytes, written_bytes], promised, "{}", done.plan);
    let (read_operations, write_operations) =
        (sum(|cost| cost.read_operations), sum(|cost| cost.write_operations));
    if case.is_cut {
        let pieces = |operations: u128, bytes: u128| operations..=operations + bytes / PIECE_BYTES;
        assert!(pieces(read_operations, read_bytes).contains(&reads), "{reads} reads: {}", done.plan);
        assert!(pieces(write_operations, written_bytes).contains(&writes), "{writes} writes: {}", done.plan);
    } else {
        assert_eq!(writes, write_operations, "{}", done.plan);
        let allowed = read_operations..=read_operations + direct_reads;
        assert!(
            allowed.contains(&reads),
            "{reads} of {read_operations} reads, {direct_reads} direct: {}",
            done.plan
        );
    }

    // What the system gave, with the pages that are begun.
    let taken = done.boxes_bytes_peak;
    assert!(
        taken <= done.plan.memory_bytes_max(),
        "{taken} of {}: {}",
        done.plan.memory_bytes_max(),
        done.plan
    );
    let retained = costs.iter().map(|cost| cost.retained_elems * 8).max().unwrap();
    assert!(done.boxes_bytes_peak > u64::try_from(retained).unwrap(), "boxes are counted");
    assert_eq!(case.units == Units::WholeBricks, retained > 0, "{}", done.plan);
    // So little is raised.
    if !case.is_cut {
        let buffers = done.buffers_bytes * source_io(&source, &target);
        assert!(done.boxes_bytes_peak + buffers <= case.memory_bytes, "{}", done.plan);
    }
    assert!(world.elements(&target) == permuted(&elements, &case.dims, &permutation, 8), "{}", done.plan);
    for array in [source, target] {
        array.delete().expect("deleted");
    }
    world.barrier();
}

fn source_io(source: &dra::DiskArray, target: &dra::DiskArray) -> u64 {
    source.io_processes().max(target.io_processes()) as u64
}

pub(crate) fn what_reaches_the_disk_is_what_the_plan_has_counted(world: &World) {
    for case in cases() {
        expect_as_planned(world, &case);
    }
}

/// Large bricks need not go through the memory of the page cache once more; small ones are better there.
pub(crate) fn large_bricks_are_written_around_the_page_cache(world: &World) {
    // Buffers are a fifth of the memory, some 4 MiB on all I/O processes together. Those that go into no half of that are moved in
    // pieces, which end on pages or go through the cache.
    for (brick, is_large) in
        [([256, 256], true), ([32, 64], true), ([16, 64], false), ([256, 2048], true), ([256, 1025], false)]
    {
        let counters = Counters::default();
        let disk = world.on_devices((20 << 20) / world.ga.ranks() as u64, counters.open());
        let (dims, elements) = ([256, 2048], counted(256 * 2048));
        let from = spec(&dims, &[8, 2048], DataType::Float64);
        let source = world.source(&disk, &World::path("source"), &from, &elements);
        let to = spec(&dims, &brick, DataType::Float64);
        let mut target = disk.create(&World::path("target"), &to, Access::ReadWrite).expect("created");
        let before = counters.writes(&disk);
        let straight = Permutation::identity(2);
        // Whole bricks, however long a step gets by that.
        let device =
            DeviceModel { alone_percent: 0, memory_bytes_per_second: u64::MAX, ..DeviceModel::default() };
        let options = Options { device, ..Options::default() };
        world.copy(&disk, (&source, &mut target), &straight, &options).expect("copied");
        let after = counters.writes(&disk);
        let [cached, direct] = std::array::from_fn(|route| after[route] - before[route]);
        // Where there is no direct route nothing changes.
        let goes_around = is_large && counters.has_direct(&disk);
        assert_eq!((cached > 0, direct > 0), (!goes_around, goes_around), "{brick:?}: {cached} and {direct}");
        assert!(world.elements(&target) == elements);
        for array in [source, target] {
            array.delete().expect("deleted");
        }
        world.barrier();
    }
}

/// Buffers of transfers keep to what boxes leave them, and get all back afterwards.
pub(crate) fn buffers_leave_the_memory_to_boxes_and_get_it_back(world: &World) {
    let disk = world.context(16 << 20);
    let (dims, elements) = ([512, 2048], counted(512 * 2048));
    let mut from = spec(&dims, &[4, 2048], DataType::Float64);
    from.attributes.io_processes_hint = 1;
    // Written by another context, whose buffers are not counted.
    let writer = world.context(1 << 20);
    world.source(&writer, &World::path("source"), &from, &elements).close().expect("closed");
    let source = disk.open(&World::path("source"), Access::ReadOnly).expect("opened");
    let mut to = spec(&dims, &[256, 32], DataType::Float64);
    to.attributes.io_processes_hint = 1;
    let mut target = disk.create(&World::path("target"), &to, Access::ReadWrite).expect("created");
    let straight = Permutation::identity(2);
    let done = world.copy(&disk, (&source, &mut target), &straight, &Options::default()).expect("copied");
    let taken = disk.memory_bytes_peak();
    assert!(taken <= done.buffers_bytes, "{taken} of {}", done.buffers_bytes);
    if world.is_first() {
        assert!(taken >= 2 * (64 << 10), "{taken}: buffers are counted");
    }
    // Its bricks are in many pieces in memory: none is read straight there.
    let all = world.elements(&target);
    assert!(all == elements);
    let taken = disk.memory_bytes_peak();
    // 64 buffers of bricks of 64 KiB are the most.
    assert_eq!(taken, if world.is_first() { 64 * (64 << 10) } else { 0 });
    for array in [source, target] {
        array.delete().expect("deleted");
    }
    world.barrier();
}
