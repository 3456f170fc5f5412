//! A thread that waits for a transfer takes part in it where there is a core for it, and only while it waits.

use crate::hooked::{Hook, Hooked};
use crate::world::{World, counted, elements_of, section, spec};
use dra::{Access, ArrayInMemory, DataType, Request, Transfer, UNFINISHED};
use section::size;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// Bricks of 128 KiB in some shards, the last ones not whole.
const DIMS: [u64; 2] = [250, 1000];
const BRICK: [u64; 2] = [64, 256];
const LEN: u32 = 250 * 1000;

/// Copies take their time, and it is known who has made them.
#[derive(Debug, Default)]
struct Watched {
    threads: Mutex<HashSet<ThreadId>>,
}

impl Watched {
    fn threads(&self) -> HashSet<ThreadId> {
        self.threads.lock().unwrap().clone()
    }
}

impl Hook for Watched {
    fn at_copy(&self) {
        thread::sleep(Duration::from_millis(10));
        self.threads.lock().unwrap().insert(thread::current().id());
    }
}

/// Waits for a transfer when it has begun, in which this thread has to take part where there is a core for it.
fn wait_and_help(
    of: &Arc<dyn ArrayInMemory>,
    what: &str,
    start: impl FnOnce(&Arc<dyn ArrayInMemory>) -> dra::Result<Request>,
) {
    let (me, by_thread) = (thread::current().id(), of.any_thread());
    let expected = match (by_thread, elio::has_spare_core()) {
        (false, _) | (true, false) => 1,
        (true, true) => 2,
    };
    let watched = Arc::new(Hooked { of: Arc::clone(of), any_thread: by_thread, hook: Watched::default() });
    let in_memory: Arc<dyn ArrayInMemory> = watched.clone();
    let mut request = start(&in_memory).expect("started");
    while by_thread && watched.hook.threads().is_empty() {
        thread::yield_now();
    }
    assert!(!watched.hook.threads().contains(&me), "{what}: nobody has waited yet");
    request.wait().expect("done");
    let threads = watched.hook.threads();
    assert_eq!(threads.len(), expected, "{what}");
    assert_eq!(threads.contains(&me), !by_thread || expected == 2, "{what}");
}

pub(crate) fn who_waits_copies_beside_the_thread_for_transfers(world: &World) {
    let mut array =
        world.disk.create(&World::path("helping"), &spec(&DIMS, &BRICK), Access::ReadWrite).expect("created");
    let memory = world.array(DataType::Float64, &DIMS, &counted(1, LEN));
    let of = dra_ga::in_memory(&memory);
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    wait_and_help(&of, "writing", |memory| array.write(memory, &all));
    memory.fill(0.0.into()).expect("filled");
    wait_and_help(&of, "reading", |memory| array.read(memory, &all));
    assert!(elements_of(&memory) == counted(1, LEN), "other elements than were written");
    world.barrier();
    // Around the page cache what is offered is only to be filled.
    let others = counted(7, LEN);
    let memory_of_others = world.array(DataType::Float64, &DIMS, &others);
    array.set_attribute(UNFINISHED, Some("a test".into())).expect("marked");
    array.fill(true);
    let of_others = dra_ga::in_memory(&memory_of_others);
    wait_and_help(&of_others, "filling", |memory| array.write_filling(memory, &all));
    array.filled();
    array.set_attribute(UNFINISHED, None).expect("no longer marked");
    array.read(&of, &all).expect("started").wait().expect("read");
    assert!(elements_of(&memory) == others, "other elements than were filled");
    world.barrier();
    drop((of, of_others));
    memory_of_others.destroy().expect("destroyed");
    memory.destroy().expect("destroyed");
    array.delete().expect("deleted");
}

/// Requests that are all under way before anybody waits.
pub(crate) fn with_help_transfers_that_overlap_in_bricks_come_in_order(world: &World) {
    let array =
        world.disk.create(&World::path("ordered"), &spec(&DIMS, &BRICK), Access::ReadWrite).expect("created");
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    for round in 0..5 {
        let elements = [0, 1, 2].map(|k| counted(10 * round + k, LEN));
        let written = elements.each_ref().map(|elements| world.array(DataType::Float64, &DIMS, elements));
        let read = [world.doubles(&DIMS), world.doubles(&DIMS)];
        let top = u64::from(30 + round);
        let rows = section(&[top, 1], &[200, 999]);
        let part = Transfer { in_memory: rows, on_disk: rows, reversed: false };
        let [first, second, third] = written.each_ref().map(dra_ga::in_memory);
        let [after_third, after_fourth] = read.each_ref().map(dra_ga::in_memory);
        let mut requests = [
            array.write(&first, &all),
            array.write(&second, &part),
            array.read(&after_third, &all),
            array.write(&third, &part),
            array.write(&second, &all),
            array.write(&first, &part),
            array.read(&after_fourth, &all),
        ]
        .map(|request| request.expect("started"));
        for request in requests.iter_mut().rev() {
            request.wait().expect("done");
        }
        for (read, [around, inside]) in read.iter().zip([[0, 1], [1, 0]]) {
            let mut expected = elements[around].clone();
            for row in top..200 {
                let columns = size(8 * (row * DIMS[1] + 1))..size(8 * (row * DIMS[1] + 999));
                expected[columns.clone()].copy_from_slice(&elements[inside][columns]);
            }
            assert!(elements_of(read) == expected, "round {round}: {inside} in {around} was written last");
        }
        world.barrier();
        for memory in written.into_iter().chain(read) {
            memory.destroy().expect("destroyed");
        }
    }
    array.delete().expect("deleted");
}
