//! Bricks that lie in one piece in memory go there straight from the device, if that memory is in huge pages.

use crate::hooked::{Hook, Hooked};
use crate::world::{World, counted, elements_of, evict, spec};
use dra::{Access, ArrayInMemory, DataType, Settings, Transfer};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Four bricks of 256 KiB, of whole rows.
const DIMS: [u64; 2] = [256, 512];
const BRICK: [u64; 2] = [64, 512];
const BRICKS: usize = 4;
const LEN: u32 = 256 * 512;

/// In each of six sheets a brick that a device can put into memory, where the sheet begins as it needs it, and the rest, that it cannot:
/// 64 rows of 4032 bytes are 63 pages, 36 are 35 and a part, and every second sheet begins with half of a sector.
const SHEETS: [u64; 3] = [6, 100, 504];
const BRICK_OF_SHEETS: [u64; 3] = [1, 64, 504];
const BRICKS_OF_SHEETS: usize = 12;
const LEN_OF_SHEETS: u32 = 6 * 100 * 504;

/// How often something was copied to memory whose pages are said to be huge, or not.
#[derive(Debug)]
struct Copies {
    are_huge: bool,
    count: AtomicUsize,
}

impl Hook for Copies {
    fn at_copy(&self) {
        self.count.fetch_add(1, Relaxed);
    }

    fn shown_in_huge_pages(&self) -> Option<bool> {
        Some(self.are_huge)
    }
}

/// An array in memory whose copies are counted, and which says so of its pages.
fn counting(of: &Arc<dyn ArrayInMemory>, are_huge: bool) -> Arc<Hooked<Copies>> {
    let hook = Copies { are_huge, count: AtomicUsize::new(0) };
    Arc::new(Hooked { of: Arc::clone(of), any_thread: of.any_thread(), hook })
}

pub(crate) fn what_is_in_one_piece_is_read_straight_to_huge_pages(world: &World) {
    let path = World::path("straight");
    let array = world.disk.create(&path, &spec(&DIMS, &BRICK), Access::ReadWrite).expect("created");
    let memory = world.array(DataType::Float64, &DIMS, &counted(1, LEN));
    let of = dra_ga::in_memory(&memory);
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    array.write(&of, &all).expect("started").wait().expect("written");
    array.close().expect("closed");
    let can_be_reached = of.pieces(&memory.whole(), 1).is_some();
    for (are_huge, expected) in [(true, if can_be_reached { 0 } else { BRICKS }), (false, BRICKS)] {
        evict(&path);
        memory.fill(0.0.into()).expect("filled");
        let disk = dra_ga::context(&world.ga, Settings::default()).expect("a context");
        let array = disk.open(&path, Access::ReadOnly).expect("opened");
        let copied = counting(&of, are_huge);
        let in_memory: Arc<dyn ArrayInMemory> = copied.clone();
        array.read(&in_memory, &all).expect("started").wait().expect("read");
        assert_eq!(copied.hook.count.load(Relaxed), expected, "copies, in huge pages: {are_huge}");
        assert!(elements_of(&memory) == counted(1, LEN), "in huge pages: {are_huge}");
        assert_eq!(disk.memory_bytes_peak() == 0, expected == 0, "buffers, in huge pages: {are_huge}");
        array.close().expect("closed");
    }
    world.disk.open(&path, Access::ReadOnly).expect("opened").delete().expect("deleted");
    drop(of);
    memory.destroy().expect("destroyed");
}

/// With memory for two buffers, of which none is free most of the time.
pub(crate) fn what_is_read_straight_and_what_is_not_take_turns_in_little_memory(world: &World) {
    let path = World::path("straight by turns");
    let spec = spec(&SHEETS, &BRICK_OF_SHEETS);
    let array = world.disk.create(&path, &spec, Access::ReadWrite).expect("created");
    let memory = world.array(DataType::Float64, &SHEETS, &counted(1, LEN_OF_SHEETS));
    let of = dra_ga::in_memory(&memory);
    let all = Transfer::whole(&SHEETS, &SHEETS).unwrap();
    array.write(&of, &all).expect("started").wait().expect("written");
    array.close().expect("closed");
    let brick_bytes: u64 = 8 * BRICK_OF_SHEETS.iter().product::<u64>();
    let settings = Settings { memory_bytes: Some(2 * brick_bytes), ..Settings::default() };
    for _ in 0..3 {
        evict(&path);
        memory.fill(0.0.into()).expect("filled");
        let disk = dra_ga::context(&world.ga, settings).expect("a context");
        let array = disk.open(&path, Access::ReadOnly).expect("opened");
        let counting = counting(&of, true);
        let in_memory: Arc<dyn ArrayInMemory> = counting.clone();
        array.read(&in_memory, &all).expect("started").wait().expect("read");
        assert!(elements_of(&memory) == counted(1, LEN_OF_SHEETS));
        let copies = counting.hook.count.load(Relaxed);
        if of.pieces(&memory.whole(), 1).is_some() {
            assert!(copies < BRICKS_OF_SHEETS, "{copies} copies: none was read straight");
        }
        let peak_bytes = disk.memory_bytes_peak();
        assert!(peak_bytes <= 2 * brick_bytes, "{peak_bytes} bytes of buffers");
        array.close().expect("closed");
    }
    world.disk.open(&path, Access::ReadOnly).expect("opened").delete().expect("deleted");
    drop(of);
    memory.destroy().expect("destroyed");
}
