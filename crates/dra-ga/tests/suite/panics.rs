//! An array in memory that panics: all ranks learn of it, and transfers after it work.

use crate::hooked::{Hook, Hooked};
use crate::world::{World, counted, elements_of, spec};
use dra::{Access, ArrayInMemory, DataType, Transfer};
use section::Section;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const DIMS: [u64; 2] = [40, 30];
const LEN: u32 = 40 * 30;

/// One access panics.
#[derive(Debug)]
struct Panicking {
    accesses_left: AtomicU64,
}

impl Panicking {
    /// Whether it has panicked.
    fn is_over(&self) -> bool {
        self.accesses_left.load(Ordering::Relaxed) > u64::MAX / 2
    }
}

impl Hook for Panicking {
    fn at_copy(&self) {
        if self.accesses_left.fetch_sub(1, Ordering::Relaxed) == 0 {
            // Without the message that a panic prints.
            resume_unwind(Box::new("the array has a hole"));
        }
    }

    fn at_order(&self) {
        self.at_copy();
    }
}

/// Columns 5 to 25 of the whole array: no brick is whole.
fn columns() -> Transfer {
    let columns = Section::new(&[0, 5], &[40, 25]).unwrap();
    Transfer { in_memory: columns, on_disk: columns, reversed: false }
}

/// Writes, writes parts of bricks and reads, with a panic on the last rank at one access. How many ranks had it, and whether
/// it was a transfer's.
fn panics_at(world: &World, access: u64, any_thread: bool) -> (u64, bool) {
    let path = World::path("panicking");
    let array = world.disk.create(&path, &spec(&DIMS, &[8, 10]), Access::ReadWrite).expect("created");
    let memory = world.array(DataType::Float64, &DIMS, &counted(1, LEN));
    let good = dra_ga::in_memory(&memory);
    let any_thread = any_thread && good.any_thread();
    let is_last = world.ga.rank() + 1 == world.ga.ranks();
    let accesses_left = AtomicU64::new(if is_last { access } else { u64::MAX / 2 });
    let panicking = Arc::new(Hooked { of: Arc::clone(&good), any_thread, hook: Panicking { accesses_left } });
    let hurt: Arc<dyn ArrayInMemory> = panicking.clone();

    let all = Transfer::whole(&DIMS, &DIMS).unwrap();
    let started = [array.write(&hurt, &all), array.write(&hurt, &columns()), array.read(&hurt, &all)];
    // One that is issued while the others are under way, and has nothing to do with the panic.
    let mut beside = array.write(&good, &all).expect("started");
    let (mut in_start, mut in_wait) = (0, 0);
    for started in started {
        match started {
            Err(error) => {
                expect_told(world, error);
                in_start += 1;
            }
            Ok(mut request) => {
                if let Err(error) = request.wait() {
                    expect_told(world, error);
                    expect_told(world, request.wait().expect_err("the same again"));
                    in_wait += 1;
                }
            }
        }
    }
    // It may have been given up with the one before it, but it does not hang.
    if let Err(error) = beside.wait() {
        expect_told(world, error);
    }
    let felt =
        world.disk.comm().all_gather(&[u64::from(panicking.hook.is_over() && is_last)]).expect("gathered");
    let felt = felt.iter().sum();
    assert_eq!(felt > 0, in_start + in_wait > 0, "access {access}: {in_start} and {in_wait} failed");

    drop((panicking, hurt, good));
    memory.destroy().expect("destroyed");
    let memory = world.array(DataType::Float64, &DIMS, &counted(2, LEN));
    array.write(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("written");
    memory.fill(0.0.into()).expect("filled");
    array.read(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("read");
    assert_eq!(elements_of(&memory), counted(2, LEN), "access {access}");
    world.barrier();
    memory.destroy().expect("destroyed");
    array.close().expect("every error was told");
    (felt, in_wait > 0)
}

fn expect_told(world: &World, error: dra::Error) {
    let text = world.all_fail::<()>(Err(error));
    let last = world.ga.ranks() - 1;
    let expected = format!("{} rank {last}: internal error: the array has a hole", dra::codes::PANICKED);
    assert_eq!(text, expected);
}

/// A panic at each access in turn, until there is none.
fn at_every_access(world: &World, any_thread: bool) {
    let mut in_transfers = 0;
    for access in 0..200 {
        let (felt, in_wait) = panics_at(world, access, any_thread);
        in_transfers += u32::from(in_wait);
        if felt == 0 {
            assert!(in_transfers > 0, "no transfer has felt a panic");
            return;
        }
    }
    panic!("a panic at every access");
}

pub(crate) fn a_panic_at_any_access_is_an_error_on_every_rank_and_later_transfers_work(world: &World) {
    at_every_access(world, true);
}

pub(crate) fn a_panic_at_any_access_by_whoever_waits_is_an_error_too(world: &World) {
    at_every_access(world, false);
}
