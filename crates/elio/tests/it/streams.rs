//! Sequential streams, by what reaches the device: how many transfers, of how many bytes.

use crate::support::{self, Scratch, pattern};
use elio::{
    CachePolicy, CountingDevice, Counts, Error, Fault, FaultDevice, File, Mode, OpenOptions, Sharing,
};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const STEP_BYTES: usize = 1600;
const LEN_BYTES: usize = 4_000_000;

fn counted(scratch: &Scratch) -> (Arc<CountingDevice>, File) {
    let path = scratch.path("file");
    let device = CountingDevice::new(elio::open_device(&path, Mode::ReadWrite).unwrap());
    let file = File::on_device(device.clone(), path, &OpenOptions::new(Mode::ReadWrite));
    (device, file)
}

fn faulty(scratch: &Scratch) -> (Arc<FaultDevice>, File) {
    crate::faults::faulty(scratch, CachePolicy::Auto)
}

fn write_in_steps(file: &File, len_bytes: usize) -> Result<(), Error> {
    write_in_steps_of(STEP_BYTES, file, len_bytes)
}

fn write_in_steps_of(step_bytes: usize, file: &File, len_bytes: usize) -> Result<(), Error> {
    pattern(0, len_bytes)
        .chunks(step_bytes)
        .enumerate()
        .try_for_each(|(i, step)| file.write_at((i * step_bytes) as u64, step))
}

fn read_in_steps(file: &File, len_bytes: usize) {
    let mut step = [0; STEP_BYTES];
    for at in (0..len_bytes).step_by(STEP_BYTES) {
        let bytes = file.read_at(at as u64, &mut step).unwrap();
        assert!(
            step[..bytes] == pattern(at as u64, STEP_BYTES.min(len_bytes - at)),
            "the step at {at} differs"
        );
    }
}

/// How often idle streams may have been looked after since `began`. Each time may cost a write of what is there, or what was
/// read ahead for a reader who did not get to run; on a busy machine steps take long enough for that.
fn rounds_since(began: Instant) -> u64 {
    const ROUND_MS: u128 = 40;
    u64::try_from(began.elapsed().as_millis() / ROUND_MS).expect("a test does not take that long")
}

fn difference(after: Counts, before: Counts) -> (u64, u64) {
    let reads = |counts: Counts| counts.cached_reads + counts.direct_reads;
    (reads(after) - reads(before), after.read_bytes - before.read_bytes)
}

#[test]
fn small_steps_are_written_in_few_large_writes_and_every_byte_once() {
    for step_bytes in [STEP_BYTES, 60_000, 160_000] {
        let scratch = Scratch::new();
        let (device, file) = counted(&scratch);
        let began = Instant::now();
        write_in_steps_of(step_bytes, &file, LEN_BYTES).unwrap();
        file.flush().unwrap();
        let (counts, rounds) = (device.counts(), rounds_since(began));
        println!("by {step_bytes}: {counts:?} in {rounds} rounds");
        assert_eq!(counts.written_bytes, LEN_BYTES as u64);
        assert!(counts.cached_writes <= 16 + rounds, "{} writes in {rounds} rounds", counts.cached_writes);
        assert!(std::fs::read(scratch.path("file")).unwrap() == pattern(0, LEN_BYTES));
    }
}

#[test]
fn small_steps_are_read_in_few_large_reads_and_nearly_every_byte_once() {
    let scratch = Scratch::new();
    let (device, file) = counted(&scratch);
    write_in_steps(&file, LEN_BYTES).unwrap();
    file.flush().unwrap();
    let before = device.counts();
    let began = Instant::now();
    read_in_steps(&file, LEN_BYTES);
    let rounds = rounds_since(began);
    let (reads, bytes) = difference(device.counts(), before);
    println!("{reads} reads, {bytes} bytes in {rounds} rounds");
    // A window that is given up is opened anew, and grows again.
    assert!(reads <= 40 + 8 * rounds, "{reads} reads in {rounds} rounds");
    // Asked for; at the end of the file the device gives less.
    let bytes_max = LEN_BYTES as u64 + (1 + rounds) * (1 << 20);
    assert!(bytes <= bytes_max, "{bytes} bytes asked for in {rounds} rounds");
}

#[test]
fn two_steps_in_a_row_here_and_there_read_little_ahead() {
    const PLACES_COUNT: usize = 50;
    let scratch = Scratch::new();
    let (device, file) = counted(&scratch);
    file.write_at(0, &pattern(0, LEN_BYTES)).unwrap();
    let before = device.counts();
    let mut step = [0; STEP_BYTES];
    for place in 0..PLACES_COUNT {
        let start = (place * 37 % PLACES_COUNT) * (LEN_BYTES / PLACES_COUNT) + STEP_BYTES;
        for at in [start, start + STEP_BYTES] {
            assert_eq!(file.read_at(at as u64, &mut step).unwrap(), STEP_BYTES);
            assert!(step[..] == pattern(at as u64, STEP_BYTES));
        }
    }
    let (reads, bytes) = difference(device.counts(), before);
    println!("{reads} reads, {bytes} bytes for {} steps", 2 * PLACES_COUNT);
    assert!(bytes <= (PLACES_COUNT * (64 << 10)) as u64, "{bytes} bytes asked for");
}

#[test]
fn a_reader_waits_for_what_a_worker_is_writing() {
    let scratch = Scratch::new();
    let (device, file) = faulty(&scratch);
    device.inject(0, Fault::Delay(Duration::from_millis(50)));
    write_in_steps(&file, 100_000).unwrap(); // more than the first buffer: a worker has it now
    read_in_steps(&file, 100_000);
}

#[test]
fn what_a_worker_could_not_write_is_reported_and_kept_until_it_goes() {
    let scratch = Scratch::new();
    let (device, file) = faulty(&scratch);
    device.inject(0, Fault::Fail(libc::ENOSPC));
    let told = write_in_steps(&file, 100_000).and_then(|()| file.sync());
    assert!(matches!(told, Err(Error::NoSpace { .. })), "{told:?}");
    file.sync().unwrap(); // there is room again
    read_in_steps(&file, 100_000);
    file.close().unwrap();
    assert!(std::fs::read(scratch.path("file")).unwrap() == pattern(0, 100_000));
}

#[test]
fn a_write_comes_after_a_read_that_waits_for_a_window_given_up_since() {
    const CHUNK_BYTES: usize = 160_000;
    const START_BYTES: u64 = 1 << 20;
    let scratch = Scratch::new();
    let (device, file) = faulty(&scratch);
    file.write_at(0, &pattern(0, LEN_BYTES)).unwrap();
    support::make_cold(&file);
    let first = file.submit_read(START_BYTES, vec![0; CHUNK_BYTES]).unwrap();
    first.finish().unwrap();
    let next_bytes = START_BYTES + CHUNK_BYTES as u64;
    for operation in 0..2 {
        let fault = Fault::Delay(Duration::from_millis(200));
        device.inject(device.operations_count() + operation, fault);
    }
    let early = file.submit_read(next_bytes, vec![0; CHUNK_BYTES]).unwrap(); // sequential: a window opens
    file.read_at(0, &mut [0; STEP_BYTES]).unwrap(); // not any more: it is given up
    file.write_at(next_bytes, &vec![7; CHUNK_BYTES]).unwrap();
    let (_, read) = early.finish().unwrap();
    assert!(read == pattern(next_bytes, CHUNK_BYTES), "the read was made before the write");
}

#[test]
fn a_wait_finds_both_halves_of_a_record_that_went_into_two_buffers() {
    const COUNT: usize = 140; // the first buffer, of 64 KiB, and the second, twice as long, are full before the last
    let scratch = Scratch::new();
    // Of a private file a wait need not find them.
    let sharing = Sharing::Shared;
    let options = OpenOptions { sharing, gathers_requests: true, ..OpenOptions::new(Mode::ReadWrite) };
    let (device, file) = crate::faults::faulty_with(&scratch, &options);
    device.inject(0, Fault::Delay(Duration::from_millis(200))); // the worker is at the first all the time
    let start =
        |i: usize| file.submit_write((i * STEP_BYTES) as u64, pattern((i * STEP_BYTES) as u64, STEP_BYTES));
    let mut requests: Vec<_> = (0..COUNT).map(|i| start(i).unwrap()).collect();
    let split = (64 << 10) / STEP_BYTES;
    requests[split].wait().unwrap();
    let seen = std::fs::read(scratch.path("file")).unwrap();
    let record = split * STEP_BYTES..(split + 1) * STEP_BYTES;
    assert!(
        seen[record.clone()] == pattern(record.start as u64, STEP_BYTES),
        "half of it is not in the kernel"
    );
}

#[test]
fn close_tells_what_a_worker_could_not_write() {
    let scratch = Scratch::new();
    let (device, file) = faulty(&scratch);
    device.inject(0, Fault::Stop);
    let told = write_in_steps(&file, 100_000).and_then(|()| file.close());
    assert!(told.is_err(), "the data is lost and nobody was told");
}

fn descriptors_of(path: &Path) -> usize {
    let links = std::fs::read_dir("/proc/self/fd").unwrap();
    let targets = links.filter_map(|link| std::fs::read_link(link.ok()?.path()).ok());
    targets.filter(|target| target == path).count()
}

#[test]
fn a_closed_file_is_not_kept_open_by_what_was_read_ahead_of_it() {
    let scratch = Scratch::new();
    let path = scratch.path("file");
    for round in 0..40 {
        let file = support::open(&path);
        write_in_steps(&file, LEN_BYTES).unwrap();
        if round % 2 == 0 {
            support::make_cold(&file);
        }
        read_in_steps(&file, 20 * STEP_BYTES); // a window is open now, and something in it on its way
        file.close().unwrap();
        // A helper that is about to let it go may have it for a moment; what nobody had ended would stay for a round of housekeeping, 40 ms.
        let is_closed = (0..20).any(|_| {
            let is_closed = descriptors_of(&path) == 0;
            if !is_closed {
                std::thread::sleep(Duration::from_millis(1));
            }
            is_closed
        });
        assert!(is_closed, "round {round}: {} descriptors", descriptors_of(&path));
        File::delete(&path).unwrap();
    }
}
