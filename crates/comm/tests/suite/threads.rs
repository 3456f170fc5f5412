//! Which threads may call MPI.

use crate::world::{STARTED, World};
use comm::{Comm, Error, Failure, Operation};
use std::thread;

/// The level at which MPI runs, where it allows calls from one thread only.
fn one_thread_only() -> Option<&'static str> {
    match std::env::var(STARTED).as_deref() {
        Ok("single") => Some("MPI_THREAD_SINGLE"),
        Ok("funneled") => Some("MPI_THREAD_FUNNELED"),
        _ => None,
    }
}

/// What a call gives another thread.
fn elsewhere<T: Send>(call: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| scope.spawn(call).join().expect("no panic"))
}

pub(crate) fn only_threads_that_the_level_allows_may_call(world: &World) {
    let comm = world.comm();
    let refused = one_thread_only().map(|level| Error::WrongThread { level });
    assert_eq!(elsewhere(|| comm.barrier()).err(), refused);
    assert_eq!(elsewhere(|| comm.all_gather(&[1])).err(), refused);
    assert_eq!(elsewhere(|| comm.broadcast(&mut [1], 0)).err(), refused);
    assert_eq!(elsewhere(|| comm.all_reduce(&mut [1], Operation::Sum)).err(), refused);
    assert_eq!(elsewhere(|| comm.split(Some(0), 0).map(drop)).err(), refused);
    assert_eq!(elsewhere(|| comm.node().map(drop)).err(), refused);
    let agreed = elsewhere(|| comm.agree(Ok::<(), String>(())));
    assert_eq!(agreed.err(), refused.clone().map(Failure::Comm));
    if let Some(refused) = refused {
        assert!(
            refused.to_string().contains("initialise it with MPI_THREAD_SERIALIZED or higher"),
            "{refused}"
        );
    }
    comm.barrier().unwrap();
}

/// Where it may not be freed it is lost, and no more.
pub(crate) fn a_communicator_may_be_dropped_by_any_thread(world: &World) {
    let comm = world.comm();
    let part = comm.split(Some(0), comm.rank()).unwrap();
    elsewhere(|| drop(part));
    comm.barrier().unwrap();
}

/// Two threads call at once, each with a communicator of its own; they are served one at a time where MPI wants that.
pub(crate) fn threads_take_turns(world: &World) {
    if one_thread_only().is_some() {
        return;
    }
    // Nobody waits here for another rank, which could wait for this one's other thread.
    let [one, other] = [world.comm(), world.comm()]
        .map(|comm| comm.split(Some(comm.rank() as u32), 0).unwrap().expect("a colour"));
    let count = |comm: &Comm| {
        (0..2000).map(|_| comm.all_gather(&[1u64]).map(|all| all.len()).unwrap()).sum::<usize>()
    };
    let sums = thread::scope(|scope| {
        let counting = scope.spawn(|| count(&one));
        (count(&other), counting.join().expect("no panic"))
    });
    assert_eq!(sums, (2000, 2000));
}
