//! Whole bricks that lie in one piece in memory go there straight from the device, if that memory is in huge pages.

use crate::world::{World, counted, elements_of, spec};
use dra::{Access, ArrayInMemory, DataType, MemoryError, MemoryPiece, Transfer};
use rustix::fs::{Advice, fadvise};
use section::{Section, Shape};
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Four bricks of 256 KiB, of whole rows.
const DIMS: [u64; 2] = [256, 512];
const BRICK: [u64; 2] = [64, 512];
const BRICKS: usize = 4;
const LEN: u32 = 256 * 512;

/// An array whose memory is in pages that are said to be huge, or not, and how often something was copied to it.
#[derive(Debug)]
struct InPages {
    of: Arc<dyn ArrayInMemory>,
    are_huge: bool,
    puts: AtomicUsize,
}

impl ArrayInMemory for InPages {
    fn name(&self) -> String {
        self.of.name()
    }

    fn data_type(&self) -> DataType {
        self.of.data_type()
    }

    fn dims(&self) -> Shape {
        self.of.dims()
    }

    fn any_thread(&self) -> bool {
        self.of.any_thread()
    }

    fn complete(&self) -> Result<(), MemoryError> {
        self.of.complete()
    }

    fn see_others(&self) -> Result<(), MemoryError> {
        self.of.see_others()
    }

    fn get(&self, section: &Section, to: &mut [u8], extents: &Shape) -> Result<(), MemoryError> {
        self.of.get(section, to, extents)
    }

    fn put(&self, section: &Section, from: &[u8], extents: &Shape) -> Result<(), MemoryError> {
        self.puts.fetch_add(1, Relaxed);
        self.of.put(section, from, extents)
    }

    fn pieces(&self, section: &Section, count_max: usize) -> Option<Vec<MemoryPiece>> {
        self.of.pieces(section, count_max)
    }

    fn is_in_huge_pages(&self) -> bool {
        self.are_huge
    }
}

/// Takes all files below a directory out of the page cache.
fn evict(directory: &Path) {
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
        let array = world.disk.open(&path, Access::ReadOnly).expect("opened");
        let in_pages = Arc::new(InPages { of: Arc::clone(&of), are_huge, puts: AtomicUsize::new(0) });
        let in_memory: Arc<dyn ArrayInMemory> = in_pages.clone();
        array.read(&in_memory, &all).expect("started").wait().expect("read");
        assert_eq!(in_pages.puts.load(Relaxed), expected, "copies, in huge pages: {are_huge}");
        assert!(elements_of(&memory) == counted(1, LEN), "in huge pages: {are_huge}");
        array.close().expect("closed");
    }
    world.disk.open(&path, Access::ReadOnly).expect("opened").delete().expect("deleted");
    drop(of);
    memory.destroy().expect("destroyed");
}
