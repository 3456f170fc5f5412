//! Where the ranks of a node have all its cores, the thread for transfers keeps to one while it has something to do.

use crate::hooked::{Hook, Hooked};
use crate::world::{World, counted, elements_of, spec};
use dra::{Access, ArrayInMemory, DataType, Transfer};
use std::collections::HashSet;
use std::fs;
use std::sync::{Arc, Mutex};
use std::thread;

const DIMS: [u64; 2] = [250, 1000];
const BRICK: [u64; 2] = [64, 256];
const LEN: u32 = 250 * 1000;

/// How many cores those who copy may run on.
#[derive(Debug, Default)]
struct CoresOfCopies(Mutex<HashSet<usize>>);

impl Hook for CoresOfCopies {
    fn at_copy(&self) {
        self.0.lock().unwrap().insert(cores_count());
    }
}

fn cores_count() -> usize {
    thread::available_parallelism().unwrap().get()
}

/// What the system tells of the cores of this process's threads for transfers.
fn cores_of_workers() -> Vec<String> {
    let threads = fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
    threads
        .filter(|thread| fs::read_to_string(thread.join("comm")).is_ok_and(|name| name == "chemio-dra\n"))
        .map(|thread| cores_told(&fs::read_to_string(thread.join("status")).unwrap()))
        .collect()
}

fn cores_told(status: &str) -> String {
    status.lines().find(|line| line.starts_with("Cpus_allowed:")).expect("a line of cores").to_owned()
}

pub(crate) fn the_thread_for_transfers_keeps_to_one_core_where_ranks_have_all(world: &World) {
    let array =
        world.disk.create(&World::path("cores"), &spec(&DIMS, &BRICK), Access::ReadWrite).expect("created");
    let memory = world.array(DataType::Float64, &DIMS, &counted(1, LEN));
    let of = dra_ga::in_memory(&memory);
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    let keeps_to_one = of.any_thread() && !elio::has_spare_core();
    let expected = HashSet::from([if keeps_to_one { 1 } else { cores_count() }]);
    for is_read in [false, true] {
        let watched = Arc::new(Hooked {
            of: Arc::clone(&of),
            any_thread: of.any_thread(),
            hook: CoresOfCopies::default(),
        });
        let in_memory: Arc<dyn ArrayInMemory> = watched.clone();
        let start = if is_read { array.read(&in_memory, &all) } else { array.write(&in_memory, &all) };
        start.expect("started").wait().expect("done");
        assert_eq!(*watched.hook.0.lock().unwrap(), expected, "reading: {is_read}");
        if !is_read {
            memory.fill(0.0.into()).expect("filled");
        }
    }
    assert!(elements_of(&memory) == counted(1, LEN), "other elements than were written");

    // The suite's time limit ends it if they are never given back.
    let own = cores_told(&fs::read_to_string("/proc/thread-self/status").unwrap());
    assert_eq!(!cores_of_workers().is_empty(), of.any_thread());
    while cores_of_workers().iter().any(|cores| *cores != own) {
        thread::yield_now();
    }
    world.barrier();
    memory.destroy().expect("destroyed");
    array.delete().expect("deleted");
}
