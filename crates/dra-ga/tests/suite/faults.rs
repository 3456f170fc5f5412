//! Devices that count and devices that fail.

use crate::world::{World, counted, elements_of, section, spec};
use dra::{Access, ArrayDirectory, Context, DataType, DiskArray, Settings, Transfer};
use elio::{CountingDevice, Counts, Fault, FaultDevice, open_device};
use ga::Array;
use section::Section;
use std::sync::{Arc, Mutex};

const DIMS: [u64; 2] = [24, 200];
const LEN: u32 = 24 * 200;

/// An array of 24 x 200 doubles in bricks of 8 x 100 and two shards, full of ones. A page has less than three rows of a
/// brick, so that a part of some columns is read and written by its span.
fn make_ones(world: &World, name: &str) {
    let mut spec = spec(&DIMS, &[8, 100]);
    spec.files = 2;
    let array = world.disk.create(&World::path(name), &spec, Access::ReadWrite).expect("created");
    let memory = world.doubles(&DIMS);
    memory.fill(1.0.into()).expect("filled");
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
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
    let some = Transfer { in_memory: columns(), on_disk: columns(), reversed: false };
    let mut first = array.write(&in_memory, &some)?;
    let mut second = array.write(&in_memory, &Transfer::whole(&DIMS, &DIMS)?)?;
    let outcome = first.wait();
    second.wait().and(outcome)
}

/// A context whose devices have a fault: operation number `operation` of each shard on each rank.
fn faulty(world: &World, operation: u64, fault: Fault) -> Context {
    let open = move |path: &std::path::Path, mode| {
        let device = FaultDevice::new(open_device(path, mode)?);
        device.inject(operation, fault);
        Ok(device as Arc<dyn elio::Device>)
    };
    let comm = Arc::new(world.ga.world().communicator().expect("a communicator"));
    let settings = Settings { memory_bytes: Some(50_000), io_processes: None };
    Context::on_devices(&comm, settings, Arc::new(open)).expect("a context")
}

/// Whether the array is whole, and each element the old or the new one.
fn expect_old_or_new(world: &World, name: &str) {
    world.barrier();
    if world.is_first() {
        let directory = ArrayDirectory::open(&World::path(name)).expect("it opens");
        directory.check().expect("it is whole");
        let mut found = vec![0; LEN as usize * 8];
        directory.read(&Section::whole(&DIMS).unwrap(), &mut found).expect("it can be read");
        let (ones, new) = (1f64.to_le_bytes(), counted(2, LEN));
        for (at, (found, new)) in found.chunks_exact(8).zip(new.chunks_exact(8)).enumerate() {
            assert!(found == ones || found == new, "element {at}: {found:?}");
        }
    }
    world.barrier();
}

/// Repeats a workload with a fault at each operation in turn, until it happens no more. Gives how often it was felt.
fn at_every_operation(world: &World, name: &str, fault: Fault) -> u32 {
    let mut felt = 0;
    let memory = world.array(DataType::Float64, &DIMS, &counted(2, LEN));
    for operation in 0..40 {
        make_ones(world, name);
        let disk = faulty(world, operation, fault);
        let array = disk.open(&World::path(name), Access::ReadWrite).expect("opened");
        let written = write_twice(&array, &memory);
        let closed = array.close();
        if let Err(error) = written.and(closed) {
            felt += 1;
            world.all_fail::<()>(Err(error));
        }
        expect_old_or_new(world, name);
    }
    memory.destroy().expect("destroyed");
    world.disk.open(&World::path(name), Access::ReadOnly).expect("opened").delete().expect("deleted");
    felt
}

pub(crate) fn a_failing_operation_is_an_error_on_every_rank_and_the_array_stays_whole(world: &World) {
    let felt = at_every_operation(world, "failing", Fault::Fail(28));
    assert!(felt >= 4, "felt {felt} times");
}

pub(crate) fn an_array_that_stops_being_written_at_any_operation_opens(world: &World) {
    let felt = at_every_operation(world, "stopping", Fault::Stop);
    assert!(felt >= 4, "felt {felt} times");
}

pub(crate) fn a_full_disk_says_how_much_was_asked_for_and_another_try_succeeds(world: &World) {
    let name = "full";
    make_ones(world, name);
    let memory = world.array(DataType::Float64, &DIMS, &counted(2, LEN));
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    let disk = faulty(world, 0, Fault::Fail(28));
    let array = disk.open(&World::path(name), Access::ReadWrite).expect("opened");
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
        let devices: Arc<Mutex<Vec<Arc<CountingDevice>>>> = Arc::default();
        let opened = Arc::clone(&devices);
        let open = move |path: &std::path::Path, mode| {
            let device = CountingDevice::new(open_device(path, mode)?);
            opened.lock().unwrap().push(Arc::clone(&device));
            Ok(device as Arc<dyn elio::Device>)
        };
        let comm = Arc::new(world.ga.world().communicator().expect("a communicator"));
        let disk = Context::on_devices(&comm, Settings::default(), Arc::new(open)).expect("a context");
        Self { disk, devices }
    }

    /// Bytes read, bytes written and syncs of all ranks.
    fn total(&self) -> [u64; 3] {
        let counts = self.devices.lock().unwrap().iter().map(|device| device.counts()).collect::<Vec<_>>();
        let mine = counts.iter().fold([0; 3], |sum, counts| {
            let Counts { read_bytes, written_bytes, syncs, .. } = counts;
            [sum[0] + read_bytes, sum[1] + written_bytes, sum[2] + syncs]
        });
        let all = self.disk.comm().all_gather(&mine).expect("gathered");
        [0, 1, 2].map(|kind| all.iter().skip(kind).step_by(3).sum::<u64>())
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
