//! Devices that count and devices that fail.

use crate::world::{World, counted, elements_of, section, spec};
use dra::{Access, ArrayDirectory, Context, DataType, DiskArray, Settings, Transfer};
use elio::{CountingDevice, Counts, Device, Fault, FaultDevice, open_device};
use ga::Array;
use section::Section;
use std::sync::{Arc, Mutex};

const DIMS: [u64; 2] = [24, 200];
const LEN: u32 = 24 * 200;

/// As [`DIMS`], with rows so long that parts of bricks are copied between the page cache and memory without a buffer.
const LONG_DIMS: [u64; 2] = [24, 4000];

/// Memory for a few bricks at a time.
const LITTLE: Settings = Settings { memory_bytes: Some(50_000), io_processes: None };

/// An array of 24 x 200 doubles in bricks of 8 x 100 and two shards, full of ones. A page has less than three rows of a
/// brick, so that a part of some columns is read and written by its span.
fn make_ones(world: &World, name: &str) {
    make_ones_of(world, name, DIMS);
}

/// The same with other extents; two bricks lie side by side in a row.
fn make_ones_of(world: &World, name: &str, dims: [u64; 2]) {
    let mut spec = spec(&dims, &[8, dims[1] / 2]);
    spec.files = 2;
    let array = world.disk.create(&World::path(name), &spec, Access::ReadWrite).expect("created");
    let memory = world.doubles(&dims);
    memory.fill(1.0.into()).expect("filled");
    let all = Transfer::whole(&dims, &dims).unwrap();
    array.write(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("written");
    array.close().expect("closed");
    memory.destroy().expect("destroyed");
}

/// An array like that which nobody has written.
fn make_empty(world: &World, name: &str) {
    let mut spec = spec(&DIMS, &[8, 100]);
    spec.files = 2;
    let array = world.disk.create(&World::path(name), &spec, Access::ReadWrite).expect("created");
    array.close().expect("closed");
}

/// Columns 30 to 170 of all rows: no brick is whole.
fn columns() -> Section {
    section(&[0, 30], &[24, 170])
}

/// Writes some columns, and then the whole array, counted from 2: parts that are read before, and whole bricks.
fn write_twice(array: &DiskArray, memory: &Array) -> dra::Result<()> {
    let in_memory = dra_ga::in_memory(memory);
    let dims = array.directory().metadata().dims;
    // As `columns`, of rows of any length.
    let columns = section(&[0, dims[1] * 3 / 20], &[dims[0], dims[1] * 17 / 20]);
    let some = Transfer { in_memory: columns, on_disk: columns, reversed: false };
    let mut first = array.write(&in_memory, &some)?;
    let mut second = array.write(&in_memory, &Transfer::whole(&dims, &dims)?)?;
    let outcome = first.wait();
    second.wait().and(outcome)
}

/// A context whose devices have a fault: operation number `operation` of each shard on each rank. What reaches the disk is counted.
pub(crate) struct Faulty {
    counted: Counted,
    devices: Arc<Mutex<Vec<Arc<FaultDevice>>>>,
    operation: u64,
}

impl Faulty {
    pub(crate) fn new(world: &World, settings: Settings, operation: u64, fault: Fault) -> Self {
        let devices: Arc<Mutex<Vec<Arc<FaultDevice>>>> = Arc::default();
        let opened = Arc::clone(&devices);
        let counted = Counted::below(world, settings, move |device| {
            let device = FaultDevice::new(device);
            device.inject(operation, fault);
            opened.lock().unwrap().push(Arc::clone(&device));
            device
        });
        Self { counted, devices, operation }
    }

    pub(crate) fn disk(&self) -> &Context {
        &self.counted.disk
    }

    /// Whether the fault has happened, on any rank.
    pub(crate) fn has_happened(&self) -> bool {
        let mine =
            self.devices.lock().unwrap().iter().any(|device| device.operations_count() > self.operation);
        self.disk().comm().all_gather(&[u64::from(mine)]).expect("gathered").contains(&1)
    }
}

/// Whether the array is whole, and each element the old or the new one.
fn expect_old_or_new(world: &World, name: &str, dims: [u64; 2]) {
    world.barrier();
    if world.is_first() {
        let directory = ArrayDirectory::open(&World::path(name)).expect("it opens");
        directory.check().expect("it is whole");
        let len = len_of(dims);
        let mut found = vec![0; len as usize * 8];
        directory.read(&Section::whole(&dims).unwrap(), &mut found).expect("it can be read");
        let (ones, new) = (1f64.to_le_bytes(), counted(2, len));
        for (at, (found, new)) in found.chunks_exact(8).zip(new.chunks_exact(8)).enumerate() {
            assert!(found == ones || found == new, "element {at}: {found:?}");
        }
    }
    world.barrier();
}

fn len_of(dims: [u64; 2]) -> u32 {
    u32::try_from(dims.iter().product::<u64>()).expect("a small array")
}

/// What faults did to a workload: how often an error was felt, and how many gathered accesses reached the disk.
struct Felt {
    errors: u32,
    gathered: u64,
}

/// More operations than any workload here makes on a shard.
pub(crate) const OPERATIONS_MAX: u64 = 1000;

/// Repeats a workload with a fault at each operation in turn, until it happens no more.
fn at_every_operation(world: &World, name: &str, dims: [u64; 2], fault: Fault) -> Felt {
    let mut felt = Felt { errors: 0, gathered: 0 };
    let memory = world.array(DataType::Float64, &dims, &counted(2, len_of(dims)));
    let is_last = |operation| {
        make_ones_of(world, name, dims);
        let faulty = Faulty::new(world, LITTLE, operation, fault);
        let array = faulty.disk().open(&World::path(name), Access::ReadWrite).expect("opened");
        let written = write_twice(&array, &memory);
        felt.gathered += faulty.counted.sum(|counts| counts.gathered);
        let closed = array.close();
        if let Err(error) = written.and(closed) {
            felt.errors += 1;
            world.all_fail::<()>(Err(error));
        }
        expect_old_or_new(world, name, dims);
        !faulty.has_happened()
    };
    assert!((0..OPERATIONS_MAX).any(is_last), "a fault at every operation");
    memory.destroy().expect("destroyed");
    world.disk.open(&World::path(name), Access::ReadOnly).expect("opened").delete().expect("deleted");
    felt
}

/// The workload with rows so short that most parts of bricks go through buffers, and with long ones, which do not where memory is in
/// reach.
fn at_every_operation_of_both_ways(world: &World, name: &str, fault: Fault) {
    let felt = at_every_operation(world, name, DIMS, fault);
    assert!(felt.errors >= 4, "felt {} times", felt.errors);
    let felt = at_every_operation(world, name, LONG_DIMS, fault);
    assert!(felt.errors >= 4, "felt {} times", felt.errors);
    let reach = world.doubles(&LONG_DIMS);
    assert_eq!(felt.gathered > 0, reach.is_in_reach(), "{} gathered accesses", felt.gathered);
    reach.destroy().expect("destroyed");
}

pub(crate) fn a_failing_operation_is_an_error_on_every_rank_and_the_array_stays_whole(world: &World) {
    at_every_operation_of_both_ways(world, "failing", Fault::Fail(28));
}

pub(crate) fn an_array_that_stops_being_written_at_any_operation_opens(world: &World) {
    at_every_operation_of_both_ways(world, "stopping", Fault::Stop);
}

/// Whatever operation moves less than it was asked to, all elements are written and read.
pub(crate) fn transfers_that_are_cut_short_are_whole(world: &World) {
    let name = "cut short";
    let elements = counted(2, len_of(LONG_DIMS));
    let memory = world.array(DataType::Float64, &LONG_DIMS, &elements);
    let all = Transfer::whole(&LONG_DIMS, &LONG_DIMS).unwrap();
    let is_last = |operation| {
        make_ones_of(world, name, LONG_DIMS);
        let faulty = Faulty::new(world, LITTLE, operation, Fault::Shorten(1000));
        let array = faulty.disk().open(&World::path(name), Access::ReadWrite).expect("opened");
        write_twice(&array, &memory).expect("written");
        let back = world.doubles(&LONG_DIMS);
        // The second time all is believed to be in the page cache.
        for _ in 0..2 {
            back.fill(0.0.into()).expect("filled");
            array.read(&dra_ga::in_memory(&back), &all).expect("started").wait().expect("read");
            assert!(elements_of(&back) == elements, "operation {operation}");
            world.barrier();
        }
        back.destroy().expect("destroyed");
        array.close().expect("closed");
        !faulty.has_happened()
    };
    assert!((0..OPERATIONS_MAX).any(is_last), "a fault at every operation");
    memory.destroy().expect("destroyed");
    world.disk.open(&World::path(name), Access::ReadOnly).expect("opened").delete().expect("deleted");
}

pub(crate) fn a_full_disk_says_how_much_was_asked_for_and_another_try_succeeds(world: &World) {
    let name = "full";
    make_ones(world, name);
    let memory = world.array(DataType::Float64, &DIMS, &counted(2, LEN));
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    let faulty = Faulty::new(world, LITTLE, 0, Fault::Fail(28));
    let array = faulty.disk().open(&World::path(name), Access::ReadWrite).expect("opened");
    let text = world.all_fail(array.write(&dra_ga::in_memory(&memory), &all).expect("started").wait());
    assert!(text.contains("no space left") && text.contains("8192 bytes"), "{text}");
    // Each of the two shards may be full once on each rank.
    let mut tries = (0..2 * world.ga.ranks()).map(|_| array.write(&dra_ga::in_memory(&memory), &all));
    assert!(tries.any(|request| request.expect("started").wait().is_ok()), "space was made");
    array.close().expect("closed");
    let array = world.disk.open(&World::path(name), Access::ReadOnly).expect("opened");
    memory.fill(0.0.into()).expect("filled");
    array.read(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("read");
    assert_eq!(elements_of(&memory), counted(2, LEN));
    world.barrier();
    memory.destroy().expect("destroyed");
    array.delete().expect("deleted");
}

/// A context whose devices count.
struct Counted {
    disk: Context,
    devices: Arc<Mutex<Vec<Arc<CountingDevice>>>>,
}

impl Counted {
    fn new(world: &World) -> Self {
        Self::below(world, Settings::default(), |device| device)
    }

    /// Below the devices that `above` makes.
    fn below<D: Device + 'static>(
        world: &World,
        settings: Settings,
        above: impl Fn(Arc<CountingDevice>) -> Arc<D> + Send + Sync + 'static,
    ) -> Self {
        let devices: Arc<Mutex<Vec<Arc<CountingDevice>>>> = Arc::default();
        let opened = Arc::clone(&devices);
        let open = move |path: &std::path::Path, mode| {
            let device = CountingDevice::new(open_device(path, mode)?);
            opened.lock().unwrap().push(Arc::clone(&device));
            Ok(above(device) as Arc<dyn Device>)
        };
        let comm = Arc::new(world.ga.world().communicator().expect("a communicator"));
        let disk = Context::on_devices(&comm, settings, Arc::new(open)).expect("a context");
        Self { disk, devices }
    }

    /// One of the counts, of all devices on all ranks.
    fn sum(&self, count: fn(&Counts) -> u64) -> u64 {
        let mine: u64 = self.devices.lock().unwrap().iter().map(|device| count(&device.counts())).sum();
        self.disk.comm().all_gather(&[mine]).expect("gathered").iter().sum()
    }

    /// Bytes read, bytes written and syncs of all ranks.
    fn total(&self) -> [u64; 3] {
        let counts: [fn(&Counts) -> u64; 3] =
            [|counts| counts.read_bytes, |counts| counts.written_bytes, |counts| counts.syncs];
        counts.map(|count| self.sum(count))
    }
}

pub(crate) fn parts_of_bricks_that_nobody_has_written_are_written_without_reading(world: &World) {
    let name = "first parts";
    make_empty(world, name);
    let counted_disk = Counted::new(world);
    let array = counted_disk.disk.open(&World::path(name), Access::ReadWrite).expect("opened");
    let memory = world.array(DataType::Float64, &DIMS, &counted(2, LEN));
    let some = Transfer { in_memory: columns(), on_disk: columns(), reversed: false };
    array.write(&dra_ga::in_memory(&memory), &some).expect("started").wait().expect("written");
    assert_eq!(counted_disk.total(), [0, 6 * 8192, 0]);
    // Now there is something to be read, even where the part did not write.
    array.write(&dra_ga::in_memory(&memory), &some).expect("started").wait().expect("written");
    assert_eq!(counted_disk.total(), [6 * 8192, 12 * 8192, 0]);
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    array.read(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("read");
    let mut expected = counted(2, LEN);
    for (i, element) in expected.chunks_mut(8).enumerate() {
        if !(30..170).contains(&(i % 200)) {
            element.fill(0);
        }
    }
    assert_eq!(elements_of(&memory), expected, "zero around the part");
    world.barrier();
    memory.destroy().expect("destroyed");
    array.delete().expect("deleted");
}

pub(crate) fn whole_bricks_are_moved_once_and_nothing_is_read_to_write_them(world: &World) {
    let name = "counting";
    make_ones(world, name);
    let counted_disk = Counted::new(world);
    let (disk, total) = (&counted_disk.disk, || counted_disk.total());
    let array = disk.open(&World::path(name), Access::ReadWrite).expect("opened");
    let memory = world.array(DataType::Float64, &DIMS, &counted(2, LEN));
    let in_memory = dra_ga::in_memory(&memory);
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    // Six bricks of 6400 bytes, two pages with what follows them.
    array.write(&in_memory, &all).expect("started").wait().expect("written");
    assert_eq!(total(), [0, 6 * 8192, 0]);
    // Columns 30 to 170: all pages of the bricks are needed, once.
    let some = Transfer { in_memory: columns(), on_disk: columns(), reversed: false };
    array.read(&in_memory, &some).expect("started").wait().expect("read");
    assert_eq!(total()[..2], [6 * 8192, 6 * 8192]);
    array.write(&in_memory, &some).expect("started").wait().expect("written");
    assert_eq!(total()[..2], [12 * 8192, 12 * 8192], "read once and written once");
    // Two rows: one page of each of two bricks.
    let rows = section(&[0, 0], &[2, 200]);
    let rows = Transfer { in_memory: rows, on_disk: rows, reversed: false };
    array.read(&in_memory, &rows).expect("started").wait().expect("read");
    assert_eq!(total()[..2], [12 * 8192 + 2 * 4096, 12 * 8192]);
    // Which are written as they are: 1600 bytes in each.
    array.write(&in_memory, &rows).expect("started").wait().expect("written");
    assert_eq!(total(), [12 * 8192 + 2 * 4096, 12 * 8192 + 2 * 1600, 0]);
    drop(in_memory);
    array.close().expect("closed");
    let syncs = total()[2];
    assert!((2..=2 * 2).contains(&syncs), "{syncs} syncs for two shards and at most two I/O processes");
    memory.destroy().expect("destroyed");
    world.disk.open(&World::path(name), Access::ReadOnly).expect("opened").delete().expect("deleted");
}
