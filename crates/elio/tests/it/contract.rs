//! What every file promises, over every device and every cache policy. The backend is the one of the environment: the
//! suite is run once with `CHEMIO_BACKEND=uring` and once with `CHEMIO_BACKEND=pread`.
//!
//! Random sequences print their seed; `CHEMIO_TEST_SEED` repeats one.

use crate::support::{self, Scratch, pattern, seed};
use elio::{
    CachePolicy, CountingDevice, Device, FaultDevice, File, MemoryDevice, Mode, OpenOptions, Sharing,
};
use std::sync::Arc;

/// A way to get a file: what is under it, and how it is opened.
struct Setup {
    name: &'static str,
    open: fn(&Scratch) -> File,
}

fn options(cache: CachePolicy, sharing: Sharing) -> OpenOptions {
    OpenOptions { cache, sharing, ..OpenOptions::new(Mode::ReadWrite) }
}

fn on_device(scratch: &Scratch, device: Arc<dyn Device>, sharing: Sharing) -> File {
    File::on_device(device, scratch.path("file"), &options(CachePolicy::Auto, sharing))
}

fn memory(scratch: &Scratch, sharing: Sharing) -> File {
    on_device(scratch, MemoryDevice::new(1 << 30), sharing)
}

fn counting(scratch: &Scratch, sharing: Sharing) -> File {
    on_device(scratch, CountingDevice::new(support::device(&scratch.path("file"))), sharing)
}

fn fault(scratch: &Scratch, sharing: Sharing) -> File {
    on_device(scratch, FaultDevice::new(support::device(&scratch.path("file"))), sharing)
}

fn file(scratch: &Scratch, cache: CachePolicy, sharing: Sharing) -> File {
    File::open(scratch.path("file"), &options(cache, sharing)).unwrap()
}

const SETUPS: &[Setup] = &[
    Setup { name: "auto", open: |scratch| file(scratch, CachePolicy::Auto, Sharing::Exclusive) },
    Setup { name: "auto shared", open: |scratch| file(scratch, CachePolicy::Auto, Sharing::Shared) },
    Setup { name: "keep", open: |scratch| file(scratch, CachePolicy::Keep, Sharing::Exclusive) },
    Setup { name: "bypass", open: |scratch| file(scratch, CachePolicy::Bypass, Sharing::Exclusive) },
    Setup { name: "bypass shared", open: |scratch| file(scratch, CachePolicy::Bypass, Sharing::Shared) },
    Setup { name: "memory", open: |scratch| memory(scratch, Sharing::Exclusive) },
    Setup { name: "memory shared", open: |scratch| memory(scratch, Sharing::Shared) },
    Setup { name: "counting", open: |scratch| counting(scratch, Sharing::Exclusive) },
    Setup { name: "counting shared", open: |scratch| counting(scratch, Sharing::Shared) },
    Setup { name: "fault without faults", open: |scratch| fault(scratch, Sharing::Exclusive) },
    Setup { name: "fault without faults shared", open: |scratch| fault(scratch, Sharing::Shared) },
];

fn for_every_setup(test: impl Fn(&File)) {
    for setup in SETUPS {
        println!("setup: {}", setup.name);
        let scratch = Scratch::new();
        test(&(setup.open)(&scratch));
    }
}

fn read_all(file: &File) -> Vec<u8> {
    let mut bytes = vec![0; usize::try_from(file.len().unwrap()).unwrap()];
    assert_eq!(file.read_at(0, &mut bytes).unwrap(), bytes.len());
    bytes
}

#[test]
fn what_is_written_is_read_back_at_any_offset_and_length() {
    for_every_setup(|file| {
        for (offset, len) in [(0, 1), (1, 511), (511, 2), (4095, 8193), (70_001, 1_600_000), (3, 16_000)] {
            let written = pattern(offset, len);
            file.write_at(offset, &written).unwrap();
            let mut read = vec![0; len];
            assert_eq!(file.read_at(offset, &mut read).unwrap(), len);
            assert!(read == written, "{len} bytes at {offset} differ");
        }
    });
}

#[test]
fn a_write_past_the_end_extends_with_zeros() {
    for_every_setup(|file| {
        file.write_at(10, b"abc").unwrap();
        file.write_at(100_000, b"xyz").unwrap();
        assert_eq!(file.len().unwrap(), 100_003);
        let bytes = read_all(file);
        assert_eq!(&bytes[10..13], b"abc");
        assert_eq!(&bytes[100_000..], b"xyz");
        assert!(bytes[..10].iter().chain(&bytes[13..100_000]).all(|byte| *byte == 0));
    });
}

#[test]
fn a_read_past_the_end_gives_what_there_is() {
    for_every_setup(|file| {
        file.write_at(0, &pattern(0, 5000)).unwrap();
        let mut buffer = vec![7; 10_000];
        assert_eq!(file.read_at(4000, &mut buffer).unwrap(), 1000);
        assert_eq!(&buffer[..1000], &pattern(4000, 1000));
        assert_eq!(file.read_at(5000, &mut buffer).unwrap(), 0);
        assert_eq!(file.read_at(1 << 40, &mut buffer).unwrap(), 0);
        let mut request = file.submit_read(4000, vec![0; 2_000_000]).unwrap();
        assert_eq!(request.wait().unwrap(), 1000);
        let mut request = file.submit_read(6000, vec![0; 10]).unwrap();
        assert_eq!(request.wait().unwrap(), 0);
    });
}

#[test]
fn a_request_that_met_the_end_of_the_file_has_nothing_of_what_is_appended_before_its_wait() {
    const END: usize = 10_000;
    for_every_setup(|file| {
        for (len, is_cold) in [(20_000, false), (1 << 20, false), (20_000, true), (1 << 20, true)] {
            file.set_len(0).unwrap();
            file.write_at(0, &pattern(0, END)).unwrap();
            if is_cold {
                support::make_cold(file);
            }
            let early = file.submit_read(0, vec![0; len]).unwrap();
            // More than is gathered.
            file.write_at(END as u64, &pattern(END as u64, 300_000)).unwrap();
            let (bytes, buffer) = early.finish().unwrap();
            assert_eq!(bytes, END, "{len} bytes, cold: {is_cold}");
            assert!(buffer[..END] == pattern(0, END));
        }
    });
}

#[test]
fn nor_has_one_that_was_read_ahead_of() {
    const STEP: usize = 160_000;
    const END: usize = 2_000_000;
    for_every_setup(|file| {
        for is_cold in [false, true] {
            file.set_len(0).unwrap();
            file.write_at(0, &pattern(0, END)).unwrap();
            if is_cold {
                support::make_cold(file);
            }
            let read = |at: usize| file.submit_read(at as u64, vec![0; STEP]).unwrap();
            let last = END / STEP * STEP;
            for at in (0..last).step_by(STEP) {
                assert!(read(at).finish().unwrap().1 == pattern(at as u64, STEP));
            }
            let early = read(last);
            file.write_at(END as u64, &pattern(END as u64, 300_000)).unwrap();
            let (bytes, buffer) = early.finish().unwrap();
            assert_eq!(bytes, END - last, "cold: {is_cold}");
            assert!(buffer[..bytes] == pattern(last as u64, bytes));
        }
    });
}

#[test]
fn nothing_is_moved_by_requests_of_zero_bytes() {
    for_every_setup(|file| {
        file.write_at(1 << 40, &[]).unwrap();
        assert_eq!(file.read_at(0, &mut []).unwrap(), 0);
        assert_eq!(file.submit_write(5, Vec::new()).unwrap().wait().unwrap(), 0);
        assert_eq!(file.submit_read(5, Vec::new()).unwrap().wait().unwrap(), 0);
        assert_eq!(file.len().unwrap(), 0);
    });
}

#[test]
fn the_length_can_be_set_both_ways_and_grows_with_zeros() {
    for_every_setup(|file| {
        file.write_at(0, &pattern(0, 300_000)).unwrap();
        file.set_len(100_001).unwrap();
        assert_eq!(file.len().unwrap(), 100_001);
        file.set_len(200_000).unwrap();
        let bytes = read_all(file);
        assert_eq!(&bytes[..100_001], &pattern(0, 100_001));
        assert!(bytes[100_001..].iter().all(|byte| *byte == 0));
    });
}

/// Where the file ended before, so that the small write seems to continue.
#[test]
fn a_small_write_beyond_the_end_of_a_file_that_was_made_shorter_leaves_zeros_below_it() {
    for_every_setup(|file| {
        for len in [0, 5000] {
            file.write_at(0, &pattern(0, 1 << 20)).unwrap();
            file.set_len(len).unwrap();
            file.write_at(1 << 20, &pattern(7, 1000)).unwrap();
            let mut found = vec![1; 1000];
            assert_eq!(file.read_at(500_000, &mut found).unwrap(), 1000, "made {len} bytes long");
            assert!(found.iter().all(|&byte| byte == 0));
        }
    });
}

#[test]
fn offsets_beyond_what_a_file_can_have_are_refused() {
    for_every_setup(|file| {
        for offset in [u64::MAX, i64::MAX as u64, (i64::MAX as u64) - 3] {
            assert!(matches!(file.read_at(offset, &mut [0; 8]), Err(elio::Error::OutOfRange { .. })));
            assert!(matches!(file.write_at(offset, &[0; 8]), Err(elio::Error::OutOfRange { .. })));
            assert!(file.submit_write(offset, vec![0; 8]).is_err());
            assert!(file.submit_read(offset, vec![0; 8]).is_err());
        }
        assert_eq!(file.len().unwrap(), 0);
    });
}

#[test]
fn a_request_can_be_waited_for_again_and_says_the_same() {
    for_every_setup(|file| {
        let mut write = file.submit_write(0, pattern(0, 1_000_000)).unwrap();
        assert_eq!(write.wait().unwrap(), 1_000_000);
        assert_eq!(write.wait().unwrap(), 1_000_000);
        assert!(write.test());
        let mut read = file.submit_read(1, vec![0; 500_000]).unwrap();
        while !read.test() {}
        assert_eq!(read.wait().unwrap(), 500_000);
        assert_eq!(read.finish().unwrap(), (500_000, pattern(1, 500_000)));
    });
}

#[test]
fn a_request_may_be_waited_for_by_another_thread() {
    for_every_setup(|file| {
        file.write_at(0, &pattern(0, 3_000_000)).unwrap();
        support::make_cold(file);
        let requests: Vec<_> =
            (0..8).map(|i| file.submit_read(i * 300_000, vec![0; 300_000]).unwrap()).collect();
        std::thread::scope(|scope| {
            for (i, request) in requests.into_iter().enumerate() {
                scope.spawn(move || {
                    let (bytes, buffer) = request.finish().unwrap();
                    assert_eq!(bytes, 300_000);
                    assert!(buffer == pattern(i as u64 * 300_000, 300_000));
                });
            }
        });
    });
}

#[test]
fn later_operations_come_after_overlapping_requests_that_nobody_waited_for() {
    for_every_setup(|file| {
        for round in 0..20_u8 {
            let request = file.submit_write(0, vec![round; 1 << 20]).unwrap();
            let mut read = vec![0; 1 << 20];
            assert_eq!(file.read_at(0, &mut read).unwrap(), 1 << 20);
            assert!(read.iter().all(|byte| *byte == round), "a read overtook the write before it");
            let earlier = file.submit_read(0, vec![0; 1 << 20]).unwrap();
            file.write_at(0, &vec![round + 1; 1 << 20]).unwrap();
            let (_, earlier) = earlier.finish().unwrap();
            assert!(earlier.iter().all(|byte| *byte == round), "a write overtook the read before it");
            drop(request);
        }
    });
}

#[test]
fn tiny_steps_through_a_file_give_the_same_bytes() {
    for_every_setup(|file| {
        let whole = pattern(0, 3_000_000);
        for (i, step) in whole.chunks(1600).enumerate() {
            file.write_at(i as u64 * 1600, step).unwrap();
        }
        for pass in ["as written", "cold", "read before", "read twice before"] {
            if pass == "cold" {
                support::make_cold(file);
            }
            let mut step = vec![0; 1600];
            for (i, expected) in whole.chunks(1600).enumerate() {
                let bytes = file.read_at(i as u64 * 1600, &mut step).unwrap();
                assert!(step[..bytes] == *expected, "step {i} differs, {pass}");
            }
            for i in (0..whole.len()).step_by(160_000) {
                let (bytes, step) = file.submit_read(i as u64, vec![0; 160_000]).unwrap().finish().unwrap();
                assert!(step[..bytes] == whole[i..i + bytes], "request at {i} differs, {pass}");
            }
        }
    });
}

#[test]
fn a_write_is_seen_by_a_reader_that_was_ahead_of_it() {
    for_every_setup(|file| {
        file.write_at(0, &vec![1; 8 << 20]).unwrap();
        support::make_cold(file);
        let mut step = vec![0; 16_000];
        for i in 0..200_u64 {
            assert_eq!(file.read_at(i * 16_000, &mut step).unwrap(), 16_000);
            let expected = if i == 0 { 1 } else { 2 };
            assert!(step.iter().all(|byte| *byte == expected), "step {i}");
            file.write_at((i + 1) * 16_000, &[2; 16_000]).unwrap();
        }
        assert!(step.iter().all(|byte| *byte == 2));
    });
}

#[test]
fn what_is_held_back_is_not_missed_by_a_reader_that_passes_it() {
    for_every_setup(|file| {
        file.write_at(0, &vec![1; 600_000]).unwrap();
        // The second of these continues the first, so it may be held back.
        file.write_at(100_000, &[2; 1000]).unwrap();
        file.write_at(101_000, &[2; 1000]).unwrap();
        let mut step = [0; 1000];
        for i in 0..600 {
            assert_eq!(file.read_at(i * 1000, &mut step).unwrap(), 1000);
            let expected = if (100..102).contains(&i) { 2 } else { 1 };
            assert!(step.iter().all(|byte| *byte == expected), "step {i}");
        }
    });
}

#[test]
fn threads_that_write_and_read_their_own_parts_of_a_file_see_what_they_wrote() {
    for_every_setup(|file| {
        std::thread::scope(|scope| {
            for thread in 0..4_u8 {
                scope.spawn(move || {
                    for round in 0..200_u64 {
                        let at = (round * 4 + u64::from(thread)) * 1600;
                        file.write_at(at, &[thread + 1; 1600]).unwrap();
                        let mut read = [0; 1600];
                        assert_eq!(file.read_at(at, &mut read).unwrap(), 1600);
                        assert!(read.iter().all(|byte| *byte == thread + 1), "thread {thread} at {at}");
                        let large = 4_000_000 + u64::from(thread) * 70_000;
                        file.submit_write(large, vec![thread; 70_000]).unwrap().wait().unwrap();
                        let mut read = vec![9; 70_000];
                        assert_eq!(file.read_at(large, &mut read).unwrap(), 70_000);
                        assert!(read.iter().all(|byte| *byte == thread), "thread {thread}, large");
                    }
                });
            }
        });
    });
}

#[test]
fn random_sequences_agree_with_bytes_in_memory() {
    let seed = seed();
    for_every_setup(|file| {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut oracle: Vec<u8> = Vec::new();
        for _ in 0..150 {
            support::random_step(file, &mut oracle, &mut random);
        }
        assert_eq!(file.len().unwrap(), oracle.len() as u64, "seed {seed}");
        assert!(read_all(file) == oracle, "seed {seed}");
    });
}

#[test]
fn random_sequences_with_many_requests_in_flight_agree_with_bytes_in_memory() {
    let seed = seed();
    for_every_setup(|file| {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut oracle: Vec<u8> = vec![0; 6 << 20];
        file.set_len(6 << 20).unwrap();
        for _ in 0..10 {
            support::random_batch(file, &mut oracle, &mut random, seed);
        }
        assert!(read_all(file) == oracle, "seed {seed}");
    });
}
