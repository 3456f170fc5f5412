//! Arrays of a library that serves what another rank gets and puts only while it is called: whoever waits serves.

use crate::hooked::{Hook, Hooked};
use crate::world::{World, counted, elements_of, spec};
use comm::Comm;
use dra::{Access, ArrayInMemory, DataType, Meeting, MemoryError, Transfer};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

const DIMS: [u64; 2] = [60, 100];
const LEN: u32 = 60 * 100;

/// How rank 0 asks the others, and tells them that it has nothing more to ask: a function that ranks meet by has no state of its own.
static LIBRARY: Mutex<Option<Comm>> = Mutex::new(None);
static MEETINGS: AtomicU64 = AtomicU64::new(0);

/// Tells the others, or hears, whether rank 0 asks once more.
fn heard(asks: bool) -> comm::Result<bool> {
    let library = LIBRARY.lock().unwrap();
    let mut asks = [i64::from(asks)];
    let library = library.as_ref().expect("it has been started");
    library.broadcast(&mut asks, 0)?;
    // Whoever asks has to wait for the answer.
    library.barrier()?;
    Ok(asks[0] != 0)
}

/// Serves rank 0 until it comes as well.
fn meeting() -> Result<(), MemoryError> {
    MEETINGS.fetch_add(1, Relaxed);
    while heard(false)? {}
    Ok(())
}

/// Each copy of rank 0 needs a call of all other ranks.
#[derive(Debug)]
struct Asking {
    is_first: bool,
}

impl Hook for Asking {
    fn at_copy(&self) {
        if self.is_first {
            assert!(heard(true).expect("asked"));
        }
    }

    fn meeting(&self) -> Option<Meeting> {
        Some(meeting)
    }
}

pub(crate) fn ranks_that_wait_serve_those_that_do_not_yet(world: &World) {
    *LIBRARY.lock().unwrap() = world.disk.comm().split(Some(0), world.ga.rank()).expect("split");
    let array = world.disk.create(&World::path("served"), &spec(&DIMS, &[16, 32]), Access::ReadWrite);
    let array = array.expect("created");
    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    let [from, to] = [1, 7].map(|first| world.array(DataType::Float64, &DIMS, &counted(first, LEN)));
    let [written, read] = [&from, &to].map(|memory| {
        let hook = Asking { is_first: world.is_first() };
        let of = dra_ga::in_memory(memory);
        Arc::new(Hooked { of, any_thread: false, hook }) as Arc<dyn ArrayInMemory>
    });
    array.write(&written, &all).expect("started").wait().expect("written");
    let mut reading = array.read(&read, &all).expect("started");
    let mut probes = 0;
    while !reading.probe().expect("probed") {
        probes += 1;
    }
    assert_eq!(elements_of(&to), counted(1, LEN), "after {probes} probes");
    // Nobody waits for it but the next call.
    drop(array.write(&written, &all).expect("started"));
    array.fill(false);
    drop(array.write(&written, &all).expect("started"));
    let met = MEETINGS.load(Relaxed);
    array.close().expect("closed");
    assert_eq!(MEETINGS.load(Relaxed), met + 1);
    world.barrier();
    *LIBRARY.lock().unwrap() = None;
    for memory in [from, to] {
        memory.destroy().expect("destroyed");
    }
}
