//! Random transfers against plain arrays.
//!
//! Every rank draws the same random numbers, and keeps copies of what is on disk and in memory, computed element by element.

use crate::world::{World, elements_of, section, spec};
use dra::{
    Access, Alignment, ArrayDirectory, ArraySpec, BrickShape, Bricks, DataType, DiskArray, Request, Settings,
    Transfer,
};
use ga::Array;
use section::{Layout, Section, Shape, size};
use test_support::Rng;

/// A transfer under way, and what will be in memory after it.
struct Pending {
    request: Request,
    array: Array,
    expected: Vec<u8>,
}

/// Up to four extents, of at most a few thousand elements.
fn random_dims(rng: &mut Rng) -> Vec<u64> {
    let dims = rng.usize(1..=4);
    let extent_max = [0, 3000, 60, 14, 8][dims];
    (0..dims).map(|_| rng.u64(1..=extent_max)).collect()
}

/// Anything, or a few columns of any rows.
fn random_section(rng: &mut Rng, dims: &[u64], columns_max: Option<u64>) -> Section {
    if let ([rows, columns], Some(columns_max)) = (dims, columns_max) {
        let (top, left) = (rng.u64(0..*rows), rng.u64(0..*columns));
        let (bottom, right) = (rng.u64(top + 1..=*rows), (left + rng.u64(1..=columns_max)).min(*columns));
        return section(&[top, left], &[bottom, right]);
    }
    if rng.u8(0..4) == 0 {
        return Section::whole(dims).unwrap();
    }
    let lo: Vec<u64> = dims.iter().map(|&extent| rng.u64(0..extent)).collect();
    let hi: Vec<u64> = lo.iter().zip(dims).map(|(&lo, &extent)| rng.u64(lo + 1..=extent)).collect();
    section(&lo, &hi)
}

/// A box of these counts somewhere in an array that is a little larger, and the array.
fn random_place(rng: &mut Rng, counts: &[u64]) -> (Section, Vec<u64>) {
    let lo: Vec<u64> = counts.iter().map(|_| rng.u64(0..3)).collect();
    let hi: Vec<u64> = lo.iter().zip(counts).map(|(lo, count)| lo + count).collect();
    let dims = hi.iter().map(|hi| hi + rng.u64(0..3)).collect();
    (section(&lo, &hi), dims)
}

/// Another shape of as many elements.
fn reshaped(rng: &mut Rng, len: u64) -> Vec<u64> {
    let divisors: Vec<u64> = (1..=len.min(200)).filter(|divisor| len.is_multiple_of(*divisor)).collect();
    let first = divisors[rng.usize(..divisors.len())];
    if rng.bool() { vec![first, len / first] } else { vec![len] }
}

fn random_transfer(rng: &mut Rng, dims: &[u64], columns_max: Option<u64>) -> (Transfer, Vec<u64>) {
    let on_disk = random_section(rng, dims, columns_max);
    let counts = on_disk.counts();
    let (counts, reversed) = match rng.u8(0..3) {
        0 => (counts.to_vec(), false),
        1 => (counts.reversed().to_vec(), true),
        _ => (reshaped(rng, on_disk.len()), false),
    };
    let (in_memory, memory_dims) = random_place(rng, &counts);
    (Transfer { in_memory, on_disk, reversed }, memory_dims)
}

/// Where each element of a transfer is on disk and in memory, in bytes.
fn places(transfer: &Transfer, disk: &[u64], memory: &[u64], bytes: usize) -> Vec<(usize, usize)> {
    let offset = |dims: &[u64], index: &Shape| Layout::dense(dims).offset(index) * bytes;
    let in_memory: Vec<Shape> = if transfer.reversed {
        let lo = Shape::new(transfer.in_memory.lo()).unwrap();
        let first = transfer.on_disk.lo();
        let there = |index: Shape| {
            let moved = Shape::from_fn(index.len(), |d| index[d] - first[d]).reversed();
            Shape::from_fn(index.len(), |d| moved[d] + lo[d])
        };
        transfer.on_disk.indices().map(there).collect()
    } else {
        transfer.in_memory.indices().collect()
    };
    let pairs = transfer.on_disk.indices().zip(in_memory);
    pairs.map(|(on_disk, in_memory)| (offset(disk, &on_disk), offset(memory, &in_memory))).collect()
}

fn random_bytes(rng: &mut Rng, dims: &[u64], bytes: usize) -> Vec<u8> {
    (0..size(dims.iter().product::<u64>()) * bytes).map(|_| rng.u8(1..)).collect()
}

fn random_spec(rng: &mut Rng, dims: &[u64], data_type: DataType) -> ArraySpec {
    let mut spec = ArraySpec::new(dims, data_type).unwrap();
    let brick: Vec<u64> = dims.iter().map(|&extent| rng.u64(1..=extent.min(40) + 1)).collect();
    spec.bricks = Bricks::Exact(BrickShape::exact(&brick).unwrap());
    spec.files = rng.u64(1..5);
    spec.alignment = Alignment::new(if rng.bool() { 512 } else { 4096 }).unwrap();
    spec.attributes.io_processes_hint = rng.i64(-1..5);
    spec
}

/// The array on disk with its copy.
struct Twin<'a> {
    world: &'a World,
    array: DiskArray,
    dims: Vec<u64>,
    data_type: DataType,
    copy: Vec<u8>,
    /// Of each transfer.
    columns_max: Option<u64>,
}

impl<'a> Twin<'a> {
    fn of(world: &'a World, array: DiskArray, dims: &[u64], data_type: DataType) -> Self {
        let copy = vec![0; size(dims.iter().product::<u64>() * data_type.bytes())];
        Twin { world, array, dims: dims.to_vec(), data_type, copy, columns_max: None }
    }

    fn bytes(&self) -> usize {
        size(self.data_type.bytes())
    }

    fn start(&mut self, rng: &mut Rng) -> Pending {
        let (transfer, memory_dims) = random_transfer(rng, &self.dims, self.columns_max);
        let mut expected = random_bytes(rng, &memory_dims, self.bytes());
        let array = self.world.array(self.data_type, &memory_dims, &expected);
        let memory = dra_ga::in_memory(&array);
        let writes = rng.u8(0..5) < 3;
        let bytes = self.bytes();
        for (on_disk, in_memory) in places(&transfer, &self.dims, &memory_dims, bytes) {
            let (on_disk, in_memory) =
                (&mut self.copy[on_disk..on_disk + bytes], &mut expected[in_memory..in_memory + bytes]);
            if writes { on_disk.copy_from_slice(in_memory) } else { in_memory.copy_from_slice(on_disk) }
        }
        let request =
            if writes { self.array.write(&memory, &transfer) } else { self.array.read(&memory, &transfer) };
        Pending { request: request.expect("started"), array, expected }
    }

    /// Starts so many transfers, ends most of them, and gives those that are left.
    fn move_some(&mut self, rng: &mut Rng, count: usize) -> Vec<Pending> {
        let mut under_way = vec![];
        for _ in 0..count {
            under_way.push(self.start(rng));
            if under_way.len() == 4 {
                let pending = under_way.swap_remove(rng.usize(..4));
                self.end(rng, pending);
            }
        }
        under_way
    }

    /// Ends a transfer in one of several ways, on all ranks the same.
    fn end(&self, rng: &mut Rng, mut pending: Pending) {
        match rng.u8(0..3) {
            0 => while !pending.request.probe().expect("probed") {},
            1 => pending.request.wait().expect("waited"),
            _ => {}
        }
        pending.request.wait().expect("waited");
        assert_same(&elements_of(&pending.array), &pending.expected, "in memory");
        self.world.barrier();
        pending.array.destroy().expect("destroyed");
    }
}

/// Says where they differ, not what many thousand bytes are.
fn assert_same(found: &[u8], expected: &[u8], what: &str) {
    let differs = found.iter().zip(expected).position(|(found, expected)| found != expected);
    assert_eq!((found.len(), differs), (expected.len(), None), "{what}: the first byte that differs");
}

/// Reads all of an array by other means, and by a transfer after it was opened again.
fn check(world: &World, path: &std::path::Path, data_type: DataType, dims: &[u64], expected: &[u8]) {
    if world.is_first() {
        let directory = ArrayDirectory::open(path).unwrap();
        directory.check().unwrap();
        let mut found = vec![0; expected.len()];
        directory.read(&Section::whole(dims).unwrap(), &mut found).unwrap();
        assert_same(&found, expected, "on disk");
    }
    let array = world.disk.open(path, Access::ReadOnly).expect("opened");
    let memory = world.array(data_type, dims, &vec![0xEE; expected.len()]);
    let all = Transfer::whole(dims, dims).unwrap();
    array.read(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("read");
    assert_same(&elements_of(&memory), expected, "read again");
    world.barrier();
    memory.destroy().expect("destroyed");
    array.close().expect("closed");
}

pub(crate) fn random_transfers_agree_with_a_plain_array(world: &World) {
    let mut rng = test_support::random();
    for round in 0..6 {
        let data_type = DataType::ALL[rng.usize(..6)];
        let dims = random_dims(&mut rng);
        let spec = random_spec(&mut rng, &dims, data_type);
        let settings = Settings { memory_bytes: Some(rng.u64(0..100_000)), io_processes: None };
        let disk = dra_ga::context(&world.ga, settings).expect("a context");
        let path = World::path("random");
        let array = disk.create(&path, &spec, Access::ReadWrite).expect("created");
        let mut twin = Twin::of(world, array, &dims, data_type);
        let mut under_way = twin.move_some(&mut rng, 12);
        if round % 2 == 0 {
            under_way.drain(..).for_each(|pending| twin.end(&mut rng, pending));
        }
        let Twin { array, dims, data_type, copy, .. } = twin;
        array.close().expect("closed");
        check(world, &path, data_type, &dims, &copy);
        for mut pending in under_way {
            pending.request.wait().expect("waited after the close");
            pending.array.destroy().expect("destroyed");
        }
    }
}

/// The rows of a brick are so far from each other that what is moved of each is a request by itself, and several bricks share a
/// buffer.
pub(crate) fn narrow_sections_of_long_rows_agree_with_a_plain_array(world: &World) {
    let mut rng = test_support::random();
    let dims = [40, 6000];
    for alignment in [512, 4096] {
        let mut spec = spec(&dims, &[8, 3000]);
        spec.alignment = Alignment::new(alignment).unwrap();
        let path = World::path("narrow");
        let array = world.disk.create(&path, &spec, Access::ReadWrite).expect("created");
        let mut twin = Twin::of(world, array, &dims, DataType::Float64);
        // Up to half a page, so that the elements lie in one page or in two.
        twin.columns_max = Some(256);
        let mut under_way = twin.move_some(&mut rng, 16);
        under_way.drain(..).for_each(|pending| twin.end(&mut rng, pending));
        let Twin { array, copy, .. } = twin;
        array.close().expect("closed");
        check(world, &path, DataType::Float64, &dims, &copy);
    }
}

/// Bricks are moved in pieces, of which some have to be read before they are written, and begin in the page in which the one before
/// ended.
pub(crate) fn bricks_of_more_than_the_memory_agree_with_a_plain_array(world: &World) {
    let mut rng = test_support::random();
    // Rows of whole pages, of none, longer than the memory, and some of which the bricks have more than the array.
    for (dims, brick) in [
        ([330, 512], [300, 512]),
        ([330, 499], [300, 499]),
        ([2, 150_001], [2, 140_000]),
        ([280, 501], [300, 900]),
    ] {
        let settings = Settings { memory_bytes: Some(rng.u64(0..1 << 21)), io_processes: None };
        let disk = dra_ga::context(&world.ga, settings).expect("a context");
        let path = World::path("large");
        let array = disk.create(&path, &spec(&dims, &brick), Access::ReadWrite).expect("created");
        let mut twin = Twin::of(world, array, &dims, DataType::Float64);
        let mut under_way = twin.move_some(&mut rng, 6);
        under_way.drain(..).for_each(|pending| twin.end(&mut rng, pending));
        // Few columns, and some.
        twin.columns_max = Some(if rng.bool() { 3 } else { 300 });
        let mut under_way = twin.move_some(&mut rng, 4);
        under_way.drain(..).for_each(|pending| twin.end(&mut rng, pending));
        let Twin { array, copy, .. } = twin;
        array.close().expect("closed");
        check(world, &path, DataType::Float64, &dims, &copy);
        let most = disk.memory_bytes_peak();
        assert!(most <= 2 << 20, "{most}");
    }
}

/// The last piece of a row is short, waits for others to share a buffer with, and ends in the page in which the next row begins; what is
/// between their elements nobody has written.
pub(crate) fn pieces_of_a_brick_that_meet_in_a_page_keep_each_others_elements(world: &World) {
    let settings = Settings { memory_bytes: Some(1 << 20), io_processes: None };
    let disk = dra_ga::context(&world.ga, settings).expect("a context");
    let (dims, path) = ([3, 140_000, 2], World::path("meeting"));
    let array = disk.create(&path, &spec(&dims, &dims), Access::ReadWrite).expect("created");
    let on_disk = section(&[0, 0, 0], &[3, 140_000, 1]);
    let values: Vec<u8> = (1..=420_000u32).flat_map(|value| f64::from(value).to_le_bytes()).collect();
    let memory = world.array(DataType::Float64, &[3, 140_000, 1], &values);
    let transfer = Transfer { in_memory: memory.whole(), on_disk, reversed: false };
    array.write(&dra_ga::in_memory(&memory), &transfer).expect("started").wait().expect("written");
    world.barrier();
    memory.destroy().expect("destroyed");
    array.close().expect("closed");
    let expected: Vec<u8> = values.chunks(8).flat_map(|value| [value, &[0; 8]].concat()).collect();
    check(world, &path, DataType::Float64, &dims, &expected);
}

/// A thread that waits copies the first piece of the second brick, and is not done when the last row, the second piece, is written.
pub(crate) fn a_piece_that_a_helper_copies_does_not_undo_the_one_after_it(world: &World) {
    let settings = Settings { memory_bytes: Some(1 << 20), io_processes: None };
    let disk = dra_ga::context(&world.ga, settings).expect("a context");
    let (dims, path) = ([22, 12_501], World::path("helped"));
    let mut in_bricks = spec(&dims, &[11, 12_501]);
    in_bricks.attributes.io_processes_hint = 1;
    for _ in 0..3 {
        let array = disk.create(&path, &in_bricks, Access::ReadWrite).expect("created");
        let on_disk = section(&[1, 0], &[22, 12_500]);
        let values: Vec<u8> = (1..=12_500 * 21u32).flat_map(|value| f64::from(value).to_le_bytes()).collect();
        let memory = world.array(DataType::Float64, &[12_500, 21], &values);
        let transfer = Transfer { in_memory: memory.whole(), on_disk, reversed: true };
        array.write(&dra_ga::in_memory(&memory), &transfer).expect("started").wait().expect("written");
        world.barrier();
        memory.destroy().expect("destroyed");
        array.close().expect("closed");
        let mut expected = vec![0; 22 * 12_501 * 8];
        for (at, value) in values.chunks(8).enumerate() {
            let (column, row) = (at / 21, at % 21 + 1);
            expected[(row * 12_501 + column) * 8..][..8].copy_from_slice(value);
        }
        check(world, &path, DataType::Float64, &dims, &expected);
        world.disk.open(&path, Access::ReadOnly).expect("opened").delete().expect("deleted");
    }
}

/// One element at a time, in bricks that each of them must read before it writes.
pub(crate) fn transfers_that_overlap_in_bricks_come_in_order(world: &World) {
    let path = World::path("overlapping");
    let array = world.disk.create(&path, &spec(&[40, 700], &[20, 500]), Access::ReadWrite).expect("created");
    let mut requests = vec![];
    for step in 0..60u32 {
        // Two columns: many runs, so that whole spans are read and written; each write overlaps the one before.
        let column = u64::from(step);
        let values: Vec<u8> = (0..80).flat_map(|i| f64::from(step * 100 + i).to_le_bytes()).collect();
        let memory = world.array(DataType::Float64, &[40, 2], &values);
        let on_disk = section(&[0, column], &[40, column + 2]);
        let transfer = Transfer { in_memory: memory.whole(), on_disk, reversed: false };
        requests.push((array.write(&dra_ga::in_memory(&memory), &transfer).expect("started"), memory));
    }
    let columns = world.doubles(&[40, 61]);
    let transfer =
        Transfer { in_memory: columns.whole(), on_disk: section(&[0, 0], &[40, 61]), reversed: false };
    let mut read = array.read(&dra_ga::in_memory(&columns), &transfer).expect("started");
    read.wait().expect("read");
    let found = columns.view::<f64>().unwrap().to_vec(&columns.whole()).unwrap();
    for (at, value) in found.into_iter().enumerate() {
        let (row, column) = (u32::try_from(at / 61).unwrap(), u32::try_from(at % 61).unwrap());
        // The last to write a column but the last one is the step of its number, with its first column.
        let expected = if column == 60 { 59 * 100 + row * 2 + 1 } else { column * 100 + row * 2 };
        assert!((value - f64::from(expected)).abs() < 0.5, "row {row}, column {column}: {value}");
    }
    for (mut request, memory) in requests {
        request.wait().expect("written");
        world.barrier();
        memory.destroy().expect("destroyed");
    }
    world.barrier();
    columns.destroy().expect("destroyed");
    array.delete().expect("deleted");
}

/// Of bricks that begin anywhere in a page of the disk: a page of the brick is then in two of the disk, of which the first may have
/// data and the second, with the section, none.
pub(crate) fn what_is_before_a_section_in_its_first_page_is_kept(world: &World) {
    const PAGE_ELEMENTS: u64 = 512;
    let (dims, brick, bytes) = ([40, 6000], [8, 3000], 8);
    for (alignment, waits) in [(512, true), (512, false), (4096, true), (4096, false)] {
        let mut spec = spec(&dims, &brick);
        spec.alignment = Alignment::new(alignment).unwrap();
        let path = World::path("first-page");
        let array = world.disk.create(&path, &spec, Access::ReadWrite).expect("created");
        let mut expected = vec![0; size(dims[0] * dims[1]) * bytes];
        let mut requests = vec![];
        for (row, column) in [0, 8, 16, 24, 32].into_iter().flat_map(|row| [(row, 0), (row, brick[1])]) {
            // A run that ends soon after a page begins, and the end of that page of two rows.
            let page = column + 2 * PAGE_ELEMENTS;
            let run = section(&[row, page - 5], &[row + 1, page + 5]);
            let rows = section(&[row, page + PAGE_ELEMENTS - 9], &[row + 2, page + PAGE_ELEMENTS - 3]);
            for (value, on_disk) in [(1.0, run), (2.0, rows)] {
                let value = f64::to_le_bytes(value + f64::from(u32::try_from(row).unwrap()));
                for at in on_disk.indices() {
                    let at = Layout::dense(&dims).offset(&at) * bytes;
                    expected[at..at + bytes].copy_from_slice(&value);
                }
                let memory_dims = on_disk.counts();
                let memory = world.array(DataType::Float64, &memory_dims, &value.repeat(size(on_disk.len())));
                let transfer = Transfer { in_memory: memory.whole(), on_disk, reversed: false };
                let mut request = array.write(&dra_ga::in_memory(&memory), &transfer).expect("started");
                if waits {
                    request.wait().expect("written");
                }
                requests.push((request, memory));
            }
        }
        for (mut request, memory) in requests {
            request.wait().expect("written");
            world.barrier();
            memory.destroy().expect("destroyed");
        }
        array.close().expect("closed");
        check(world, &path, DataType::Float64, &dims, &expected);
    }
}

/// The first finds a new array without data, which is found out once for many bricks; the others must not take that for true.
pub(crate) fn what_transfers_of_a_new_array_leave_of_their_bricks_is_kept(world: &World) {
    let (rows, columns) = (400, [0, 20, 45, 61]);
    for waits in [false, false, true] {
        let path = World::path("new");
        let array =
            world.disk.create(&path, &spec(&[rows, 61], &[20, 30]), Access::ReadWrite).expect("created");
        let mut requests = vec![];
        for (number, ends) in (1u8..).zip(columns.windows(2)) {
            let dims = [rows, ends[1] - ends[0]];
            let values = f64::from(number).to_le_bytes().repeat(size(dims[0] * dims[1]));
            let memory = world.array(DataType::Float64, &dims, &values);
            let on_disk = section(&[0, ends[0]], &[rows, ends[1]]);
            let transfer = Transfer { in_memory: memory.whole(), on_disk, reversed: false };
            let mut request = array.write(&dra_ga::in_memory(&memory), &transfer).expect("started");
            if waits {
                request.wait().expect("written");
            }
            requests.push((request, memory));
        }
        for (mut request, memory) in requests {
            request.wait().expect("written");
            world.barrier();
            memory.destroy().expect("destroyed");
        }
        array.close().expect("closed");
        let value_of = |column: u64| columns.iter().filter(|&&end| end <= column).count();
        let expected: Vec<u8> = (0..rows * 61)
            .flat_map(|at| f64::from(u32::try_from(value_of(at % 61)).unwrap()).to_le_bytes())
            .collect();
        check(world, &path, DataType::Float64, &[rows, 61], &expected);
    }
}

pub(crate) fn large_arrays_go_through_many_bricks_and_shards(world: &World) {
    let dims = [1500, 1400];
    let path = World::path("large");
    let mut many = spec(&dims, &[64, 100]);
    many.files = 6;
    let array = world.disk.create(&path, &many, Access::ReadWrite).expect("created");
    assert!(array.directory().layout().shards_count() > 2);
    let memory = world.doubles(&dims);
    {
        let whole = memory.local_section();
        if let Some(block) = whole {
            let values: Vec<f64> = block.indices().map(|index| value_at(index[0], index[1])).collect();
            memory.view::<f64>().unwrap().put(&block, &values).expect("put");
        }
    }
    let all = Transfer::whole(&dims, &dims).unwrap();
    array.write(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("written");
    memory.fill(0.0.into()).expect("filled");
    let turned = world.doubles(&[1400, 1500]);
    let reversed = Transfer { in_memory: turned.whole(), reversed: true, ..all };
    array.read(&dra_ga::in_memory(&turned), &reversed).expect("started").wait().expect("read");
    if let Some(block) = turned.local_section() {
        let found = turned.view::<f64>().unwrap().to_vec(&block).expect("got");
        for (index, found) in block.indices().zip(found) {
            assert!((found - value_at(index[1], index[0])).abs() < 0.5, "element {index:?}");
        }
    }
    for parts_count in [1, 12] {
        read_moved(world, &array, &memory, parts_count);
    }
    world.barrier();
    memory.destroy().expect("destroyed");
    turned.destroy().expect("destroyed");
    array.delete().expect("deleted");
    assert!(!path.exists());
}

/// So much, in short runs, is copied around the processor's caches, by one transfer or by several that are under way together; elements
/// beside the section keep their zeros.
fn read_moved(world: &World, array: &DiskArray, memory: &Array, parts_count: u64) {
    const AROUND_CACHES_BYTES: u64 = 16 << 20;
    let dims = [1500, 1400];
    assert!(dims[0] * (dims[1] - 1) * 8 >= AROUND_CACHES_BYTES, "{dims:?} is too small");
    memory.fill(0.0.into()).expect("filled");
    world.barrier();
    let row = |part| dims[0] * part / parts_count;
    let read = |part| {
        let (first, end) = (row(part), row(part + 1));
        let on_disk = section(&[first, 1], &[end, dims[1]]);
        let in_memory = section(&[first, 0], &[end, dims[1] - 1]);
        let transfer = Transfer { in_memory, on_disk, reversed: false };
        array.read(&dra_ga::in_memory(memory), &transfer).expect("started")
    };
    let requests: Vec<_> = (0..parts_count).map(read).collect();
    for mut request in requests {
        request.wait().expect("read");
    }
    if let Some(block) = memory.local_section() {
        let found = memory.view::<f64>().unwrap().to_vec(&block).expect("got");
        for (index, found) in block.indices().zip(found) {
            let [row, column] = [index[0], index[1]];
            let expected = if column + 1 < dims[1] { value_at(row, column + 1) } else { 0.0 };
            assert!((found - expected).abs() < 0.5, "element {index:?}: {found}");
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "small whole numbers")]
fn value_at(row: u64, column: u64) -> f64 {
    (row * 10_000 + column) as f64
}
