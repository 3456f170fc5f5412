//! Single reads from all over a file, alone in this program: tests of how soon small writes are handed over do not run beside them.

#[path = "it/support.rs"]
mod support;

use crate::support::{Scratch, pattern};
use elio::{CachePolicy, CountingDevice, Device, File, Mode, OpenOptions, Sharing};
use std::sync::Arc;
use std::time::Duration;

const SINGLES_LEN_BYTES: usize = 32 << 20;

/// A file of [`SINGLES_LEN_BYTES`] that is not in the page cache, and the offsets of all its records in an order in which none follows
/// the one before.
fn singles(
    scratch: &Scratch,
    cache: CachePolicy,
    sharing: Sharing,
    record: usize,
) -> (Arc<CountingDevice>, File, Vec<u64>) {
    let path = scratch.path("file");
    let device = CountingDevice::new(elio::open_device(&path, Mode::ReadWrite).unwrap());
    let options = OpenOptions { cache, sharing, ..OpenOptions::new(Mode::ReadWrite) };
    let file = File::on_device(device.clone(), path, &options);
    file.write_at(0, &pattern(0, SINGLES_LEN_BYTES)).unwrap();
    // The kernel keeps a page that somebody holds at the moment.
    let is_cold = || {
        support::make_cold(&file);
        (0..SINGLES_LEN_BYTES as u64).step_by(4096).all(|at| !device.is_resident(at, 1))
    };
    let can_be_cold = device.properties().resident;
    assert!(!can_be_cold || (0..100).any(|_| is_cold()), "the page cache keeps the file");
    let records = SINGLES_LEN_BYTES / record;
    let offset = |number: usize| (number * 37 % records * record) as u64;
    assert!(!records.is_multiple_of(37));
    (device, file, (0..records).map(offset).collect())
}

fn read_singles(file: &File, record: usize, asynchronously: bool, offsets: &[u64]) {
    let mut into = vec![0; record];
    for &offset in offsets {
        let bytes = if asynchronously {
            let (bytes, buffer) = file.submit_read(offset, into).unwrap().finish().unwrap();
            into = buffer;
            bytes
        } else {
            file.read_at(offset, &mut into).unwrap()
        };
        assert!(bytes == record && into == pattern(offset, record), "the record at {offset} differs");
    }
}

#[test]
fn who_reads_single_records_of_all_of_a_file_soon_finds_it_in_the_page_cache() {
    for (record, asynchronously) in
        [(1600, false), (16_000, false), (16_000, true), (160_000, false), (160_000, true)]
    {
        let scratch = Scratch::new();
        let (device, file, offsets) = singles(&scratch, CachePolicy::Auto, Sharing::Exclusive, record);
        if !device.properties().resident || device.properties().direct.is_none() {
            return println!("here the page cache has all, or takes all");
        }
        // What two thirds cost the device is more than what it takes to read the last third in order.
        let (first, last) = offsets.split_at(offsets.len() * 2 / 3);
        read_singles(&file, record, asynchronously, first);
        let began = std::time::Instant::now();
        while device.counts().prefetched_bytes < SINGLES_LEN_BYTES as u64 {
            assert!(began.elapsed() < Duration::from_secs(60), "{record}: {:?}", device.counts());
            std::thread::sleep(Duration::from_millis(1));
        }
        // Most of it: the last step may be under way, and the kernel may need the memory for something else again.
        let resident_count = last.iter().filter(|at| device.is_resident(**at, record as u64)).count();
        assert!(resident_count > last.len() / 2, "{record}: {resident_count} of {}", last.len());
        let before = device.counts();
        read_singles(&file, record, asynchronously, last);
        let direct_reads = device.counts().direct_reads - before.direct_reads;
        assert!(direct_reads < last.len() as u64 / 2, "{record}: {direct_reads} of {}", last.len());
        assert_eq!(before.prefetched_bytes, SINGLES_LEN_BYTES as u64, "{record}");
    }
}

#[test]
fn few_single_records_bring_in_no_more_than_themselves_nor_do_any_that_bypass_the_cache_or_are_shared() {
    for (cache, sharing, share) in [
        (CachePolicy::Auto, Sharing::Exclusive, 8),
        (CachePolicy::Bypass, Sharing::Exclusive, 1),
        (CachePolicy::Auto, Sharing::Shared, 1),
    ] {
        let (scratch, record) = (Scratch::new(), 160_000);
        let (device, file, offsets) = singles(&scratch, cache, sharing, record);
        read_singles(&file, record, false, &offsets[..offsets.len() / share]);
        file.sync().unwrap();
        assert_eq!(device.counts().prefetched_bytes, 0, "{cache:?}, {sharing:?}");
    }
}

#[test]
fn of_an_empty_file_nothing_is_got() {
    let scratch = Scratch::new();
    let path = scratch.path("file");
    let device = CountingDevice::new(elio::open_device(&path, Mode::ReadWrite).unwrap());
    let file = File::on_device(device.clone(), path, &OpenOptions::new(Mode::ReadWrite));
    for offset in (0..100).map(|number| number * 5000 + 1) {
        assert_eq!(file.read_at(offset, &mut [0; 1600]).unwrap(), 0);
    }
    file.sync().unwrap();
    assert_eq!(device.counts().prefetched_bytes, 0);
}
