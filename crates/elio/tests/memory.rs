//! Memory is bounded: counted at the allocator and at the buffer pool, in a process of its own.

#[path = "it/support.rs"]
mod support;

use elio::{File, Mode, OpenOptions, buffer_usage_bytes};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{Scratch, pattern};

/// Counts what is allocated now.
struct Counting;

static ALLOCATED_BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: passes every call on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED_BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED_BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// All tests look at the whole process: one at a time.
static ALONE: Mutex<()> = Mutex::new(());

const BUDGET_BYTES: usize = 32 << 20;
const FILES_COUNT: usize = 300;
const STEP_BYTES: usize = 16_000;

fn allocated_bytes() -> usize {
    ALLOCATED_BYTES.load(Ordering::Relaxed)
}

fn use_a_little(file: &File) {
    for i in 0..4 {
        file.write_at(i * 1000, &pattern(i * 1000, 1000)).unwrap();
    }
    let mut step = [0; 1000];
    for i in 0..4 {
        assert_eq!(file.read_at(i * 1000, &mut step).unwrap(), 1000);
    }
}

/// Returns when no stream holds a buffer. Polls: streams rest after a moment, not after a known time.
fn wait_for_rest() {
    let at_rest = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        buffer_usage_bytes().0 == 0
    });
    assert!(at_rest, "{} bytes of buffers are still held", buffer_usage_bytes().0);
}

#[test]
fn memory_of_a_stream_that_rests_is_kept_for_the_next_one() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let scratch = Scratch::new();
    let file = support::open(&scratch.path("file"));
    wait_for_rest();
    let held = (0..100).filter_map(|_| {
        use_a_little(&file);
        file.flush().unwrap();
        let resting = Instant::now();
        std::thread::sleep(Duration::from_millis(150));
        let held_bytes = buffer_usage_bytes().0;
        // It is given back after a second.
        (resting.elapsed() < Duration::from_millis(900)).then_some(held_bytes)
    });
    let held: Vec<_> = held.take(4).collect();
    assert!(held.len() == 4 && held.iter().all(|&held_bytes| held_bytes > 0), "{held:?}");
    wait_for_rest();
}

#[test]
fn an_idle_open_file_takes_a_few_kib_after_its_streams_came_to_rest() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let scratch = Scratch::new();
    use_a_little(&support::open(&scratch.path("warm up")));
    wait_for_rest();
    let before_bytes = allocated_bytes();
    let files: Vec<_> = (0..FILES_COUNT).map(|i| support::open(&scratch.path(&i.to_string()))).collect();
    files.iter().for_each(use_a_little);
    wait_for_rest();
    let each_bytes = (allocated_bytes() - before_bytes) / FILES_COUNT;
    println!("an idle open file takes {each_bytes} bytes");
    assert!((1..4096).contains(&each_bytes), "an idle open file takes {each_bytes} bytes");
}

#[test]
fn finished_requests_keep_no_buffers_while_their_file_stays_open() {
    const REQUESTS_COUNT: u64 = 12;
    const LEN_BYTES: usize = 160_000;
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let scratch = Scratch::new();
    let file = support::open(&scratch.path("file"));
    file.write_at(0, &pattern(0, 12 * LEN_BYTES)).unwrap();
    support::make_cold(&file);
    let offsets = (0..REQUESTS_COUNT).map(|i| i * LEN_BYTES as u64);
    let requests: Vec<_> =
        offsets.map(|at| (at, file.submit_read(at, vec![0; LEN_BYTES]).unwrap())).collect();
    for (at, request) in requests {
        assert!(request.finish().unwrap().1 == pattern(at, LEN_BYTES));
    }
    assert!(buffer_usage_bytes().1 > 0, "the requests used no buffers");
    wait_for_rest();
    file.close().unwrap();
}

fn stream_through(file: &File, len_bytes: usize) {
    let mut step = vec![0; STEP_BYTES];
    for at in (0..len_bytes).step_by(STEP_BYTES) {
        file.read_at(at as u64, &mut step).unwrap();
    }
}

#[test]
fn staging_read_ahead_and_write_behind_together_stay_within_the_budget() {
    const LEN_BYTES: usize = 12 << 20;
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let scratch = Scratch::new();
    let whole = pattern(0, LEN_BYTES);
    let files: Vec<_> = (0..12).map(|i| support::open(&scratch.path(&i.to_string()))).collect();
    for file in &files {
        file.write_at(0, &whole).unwrap();
        support::make_cold(file);
    }
    std::thread::scope(|scope| {
        for (i, file) in files.iter().enumerate() {
            let whole = &whole;
            scope.spawn(move || match i % 3 {
                0 => stream_through(file, LEN_BYTES),
                1 => {
                    let requests: Vec<_> = (0..8)
                        .map(|k| file.submit_read(k * 1_500_001 + 1, vec![0; 1_500_001]).unwrap())
                        .collect();
                    for (k, request) in requests.into_iter().enumerate() {
                        let (bytes, buffer) = request.finish().unwrap();
                        assert!(buffer[..bytes] == whole[k * 1_500_001 + 1..][..bytes]);
                    }
                }
                _ => whole.chunks(1600).enumerate().for_each(|(k, chunk)| {
                    file.write_at(k as u64 * 1600, chunk).unwrap();
                }),
            });
        }
    });
    let (_, peak_bytes) = buffer_usage_bytes();
    println!("buffers took {peak_bytes} bytes at most");
    assert!(peak_bytes <= BUDGET_BYTES, "{peak_bytes} bytes of buffers are more than the budget");
    assert!(peak_bytes > 2 << 20, "{peak_bytes} bytes: the streams of this test did not stream");
    for file in &files {
        let mut bytes = vec![0; LEN_BYTES];
        assert_eq!(file.read_at(0, &mut bytes).unwrap(), LEN_BYTES);
        assert!(bytes == whole);
    }
}

#[test]
fn requests_of_three_gib_are_split_and_whole() {
    const LEN_BYTES: usize = 3 << 30;
    const MARK: &[u8] = b"mark";
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let scratch = Scratch::new();
    let file = File::open(scratch.path("sparse"), &OpenOptions::new(Mode::ReadWrite)).unwrap();
    let places = [0, (2 << 30) - 2, LEN_BYTES - MARK.len()];
    for place in places {
        file.write_at(place as u64, MARK).unwrap();
    }
    support::make_cold(&file);
    let mut buffer = vec![0; LEN_BYTES];
    assert_eq!(file.read_at(0, &mut buffer).unwrap(), LEN_BYTES);
    assert!(places.iter().all(|place| buffer[*place..].starts_with(MARK)));
    buffer.fill(1);
    let (bytes, buffer) = file.submit_read(0, buffer).unwrap().finish().unwrap();
    assert_eq!(bytes, LEN_BYTES);
    assert!(places.iter().all(|place| buffer[*place..].starts_with(MARK)));
    assert_eq!(buffer.iter().filter(|byte| **byte != 0).count(), places.len() * MARK.len());
}
