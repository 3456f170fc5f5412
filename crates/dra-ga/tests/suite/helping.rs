//! A thread that waits for a transfer takes part in it where there is a core for it, and only while it waits.

use crate::faults::{Faulty, OPERATIONS_MAX};
use crate::hooked::{Hook, Hooked};
use crate::world::{World, counted, elements_of, section, spec};
use dra::{Access, ArrayInMemory, DataType, DiskArray, Request, Settings, Transfer, UNFINISHED};
use elio::Fault;
use section::size;
use std::collections::HashSet;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Bricks of 128 KiB in some shards, the last ones not whole.
const DIMS: [u64; 2] = [250, 1000];
const BRICK: [u64; 2] = [64, 256];
const LEN: u32 = 250 * 1000;

/// Copies take their time, and it is known who has made them.
#[derive(Debug)]
struct Watched {
    threads: Mutex<HashSet<ThreadId>>,
    /// This thread takes part: until it has, each copy of another but the first waits for it, for a while.
    helper: Option<ThreadId>,
    /// This thread panics instead.
    panicking: Option<ThreadId>,
}

impl Watched {
    fn threads(&self) -> HashSet<ThreadId> {
        self.threads.lock().unwrap().clone()
    }

    /// Waits for a while until `holds`.
    fn wait_until(limit: Duration, holds: impl Fn() -> bool) {
        let since = Instant::now();
        while !holds() && since.elapsed() < limit {
            thread::yield_now();
        }
    }
}

impl Hook for Watched {
    fn at_copy(&self) {
        let me = thread::current().id();
        thread::sleep(Duration::from_millis(10));
        let is_first = self.threads.lock().unwrap().insert(me);
        if let Some(helper) = self.helper.filter(|_| !is_first) {
            Self::wait_until(Duration::from_millis(200), || self.threads().contains(&helper));
        }
        if self.panicking == Some(me) {
            // Without the message that a panic prints.
            resume_unwind(Box::new("the array has a hole"));
        }
    }
}

/// An array in memory whose copies are watched.
fn watched(of: &Arc<dyn ArrayInMemory>, panicking: Option<ThreadId>) -> Arc<Hooked<Watched>> {
    let helper = helps(of).then(|| thread::current().id());
    let hook = Watched { threads: Mutex::default(), helper, panicking };
    Arc::new(Hooked { of: Arc::clone(of), any_thread: of.any_thread(), hook })
}

/// Waits for a transfer when it has begun, if it ever does.
fn wait_when_begun(watched: &Hooked<Watched>, request: dra::Result<Request>) -> dra::Result<()> {
    let mut request = request.expect("started");
    let has_begun = || !watched.any_thread || !watched.hook.threads().is_empty();
    Watched::wait_until(Duration::from_secs(2), has_begun);
    assert!(!watched.hook.threads().contains(&thread::current().id()), "nobody has waited yet");
    request.wait()
}

/// Whether this thread takes part in transfers that it waits for, beside the one for transfers.
fn helps(of: &Arc<dyn ArrayInMemory>) -> bool {
    of.any_thread() && elio::has_spare_core()
}

/// Waits for a transfer when it has begun, in which this thread has to take part where there is a core for it.
fn wait_and_help(
    of: &Arc<dyn ArrayInMemory>,
    what: &str,
    start: impl FnOnce(&Arc<dyn ArrayInMemory>) -> dra::Result<Request>,
) {
    let watched = watched(of, None);
    let in_memory: Arc<dyn ArrayInMemory> = watched.clone();
    wait_when_begun(&watched, start(&in_memory)).expect("done");
    let threads = watched.hook.threads();
    assert_eq!(threads.len(), if helps(of) { 2 } else { 1 }, "{what}");
    let is_mine = helps(of) || !of.any_thread();
    assert_eq!(threads.contains(&thread::current().id()), is_mine, "{what}");
}

/// Begins to fill an array around the page cache, so that what is offered is only to be filled.
fn begin_filling(array: &mut DiskArray) {
    array.set_attribute(UNFINISHED, Some("a test".into())).expect("marked");
    array.fill(true);
}

/// Ends that; all elements must then be `expected`.
fn end_filling(world: &World, array: &mut DiskArray, expected: &[u8]) {
    array.filled();
    array.set_attribute(UNFINISHED, None).expect("no longer marked");
    let memory = world.doubles(&DIMS);
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    array.read(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("read");
    assert!(elements_of(&memory) == expected, "other elements than were filled");
    world.barrier();
    memory.destroy().expect("destroyed");
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
    let others = counted(7, LEN);
    let memory_of_others = world.array(DataType::Float64, &DIMS, &others);
    let of_others = dra_ga::in_memory(&memory_of_others);
    begin_filling(&mut array);
    wait_and_help(&of_others, "filling", |memory| array.write_filling(memory, &all));
    end_filling(world, &mut array, &others);
    drop((of, of_others));
    memory_of_others.destroy().expect("destroyed");
    memory.destroy().expect("destroyed");
    array.delete().expect("deleted");
}

pub(crate) fn a_panic_of_who_waits_and_fills_is_the_error_of_every_rank(world: &World) {
    let elements = counted(3, LEN);
    let memory = world.array(DataType::Float64, &DIMS, &elements);
    let of = dra_ga::in_memory(&memory);
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    let path = World::path("panic of a helper");
    let mut array = world.disk.create(&path, &spec(&DIMS, &BRICK), Access::ReadWrite).expect("created");
    begin_filling(&mut array);
    let is_last = world.ga.rank() + 1 == world.ga.ranks();
    let watched = watched(&of, is_last.then(|| thread::current().id()));
    let in_memory: Arc<dyn ArrayInMemory> = watched.clone();
    let outcome = wait_when_begun(&watched, array.write_filling(&in_memory, &all));
    // Without a core for it nobody has helped; who transfers by itself panics in any case.
    if helps(&of) || !of.any_thread() {
        let text = world.all_fail(outcome);
        assert!(text.ends_with("internal error: the array has a hole"), "{text}");
    } else {
        outcome.expect("nobody helps");
    }
    array.write_filling(&of, &all).expect("started").wait().expect("written after the panic");
    end_filling(world, &mut array, &elements);
    drop((in_memory, watched, of));
    memory.destroy().expect("destroyed");
    array.delete().expect("deleted");
}

/// A fault at each operation of the device in turn, of one rank: which brick it hurts may differ.
pub(crate) fn a_write_that_fails_after_who_waits_has_filled_it_is_told_and_can_be_made_again(world: &World) {
    let elements = counted(5, LEN);
    let memory = world.array(DataType::Float64, &DIMS, &elements);
    let of = dra_ga::in_memory(&memory);
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    let path = World::path("failing beside a helper");
    let mut spec = spec(&DIMS, &BRICK);
    spec.files = 1;
    let (mut failed, mut helped) = (0, 0);
    let mut is_last = |operation| {
        world.disk.create(&path, &spec, Access::ReadWrite).expect("created").close().expect("closed");
        let faulty = Faulty::new(world, Settings::default(), operation, Fault::Fail(28));
        let mut array = faulty.disk().open(&path, Access::ReadWrite).expect("opened");
        begin_filling(&mut array);
        let watched = watched(&of, None);
        let in_memory: Arc<dyn ArrayInMemory> = watched.clone();
        if let Err(error) = wait_when_begun(&watched, array.write_filling(&in_memory, &all)) {
            failed += 1;
            helped += u32::from(watched.hook.threads().len() == 2);
            let text = world.all_fail::<()>(Err(error));
            assert!(text.contains("no space left"), "{text}");
            array.write_filling(&of, &all).expect("started").wait().expect("written the second time");
        }
        let has_happened = faulty.has_happened();
        // What is opened again by this context would have the fault again.
        drop(array);
        let mut array = world.disk.open(&path, Access::ReadWrite).expect("opened");
        end_filling(world, &mut array, &elements);
        array.delete().expect("deleted");
        !has_happened
    };
    assert!((0..OPERATIONS_MAX).any(&mut is_last), "a fault at every operation");
    assert!(failed >= 4, "failed {failed} times");
    assert_eq!(helped > 0, helps(&of), "{helped} of {failed} with help");
    drop(of);
    memory.destroy().expect("destroyed");
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
