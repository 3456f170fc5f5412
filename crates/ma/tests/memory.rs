//! Memory is counted at the allocator of the process: the limits hold for what is kept too, and everything is given
//! back.
//!
//! One test, because the count is the process's.

use ma::{Allocator, Datatype, Handle, Limits, Place, Request};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts bytes, now and at most.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the contract is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the contract is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const MIB: u64 = 1 << 20;
const LIMIT: u64 = 64 * MIB;

/// Guards, alignment and books, and the quarter that a block may get too much.
const ALLOWED: usize = (64 + 16 + 1) << 20;

fn push(memory: &mut Allocator, bytes: u64) -> Handle {
    let request = Request { datatype: Datatype::Char, elements: bytes, name: "scratch" };
    memory.allocate(Place::Stack, &request).expect("within the limits")
}

#[test]
fn memory_kept_and_memory_in_use_are_within_the_limits_and_all_is_given_back() {
    let before = NOW.load(Ordering::Relaxed);
    let mut memory = Allocator::new();
    memory.init(Limits { stack_bytes: LIMIT, heap_bytes: 0 }).expect("the first time");

    let first = push(&mut memory, 20 * MIB);
    let address = memory.address(first).expect("there");
    memory.pop_stack(first).expect("on top");
    assert!(NOW.load(Ordering::Relaxed) - before > 20 << 20, "it is kept");
    let second = push(&mut memory, 20 * MIB);
    assert_eq!(memory.address(second).expect("there"), address, "and serves the next block");
    memory.pop_stack(second).expect("on top");

    let mut random = fastrand::Rng::with_seed(20);
    for _ in 0..300 {
        let mut left = LIMIT;
        let mut stack = Vec::new();
        while left > 4 * MIB && random.u8(0..4) > 0 {
            let bytes = random.u64(1..=left);
            left -= bytes;
            stack.push(push(&mut memory, bytes));
        }
        assert!(NOW.load(Ordering::Relaxed) - before < ALLOWED);
        while let Some(top) = stack.pop() {
            memory.pop_stack(top).expect("on top");
        }
    }
    assert!(MOST.load(Ordering::Relaxed) - before < ALLOWED);
    drop(memory);
    assert!(NOW.load(Ordering::Relaxed) < before + (1 << 20), "but for what the test harness has taken");
}
