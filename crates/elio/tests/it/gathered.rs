//! Gathered access: which devices have it, and what becomes of it when they misbehave.

use crate::support::{Scratch, copy_in, copy_out, device, make_cold, pattern};
use elio::{
    CachePolicy, CountingDevice, Device, Error, Fault, FaultDevice, File, MemoryDevice, Mode, OpenOptions,
    Sharing,
};
use std::sync::Arc;

type MakesDevice = fn(&Scratch) -> Arc<dyn Device>;

/// The devices under a fault device.
const DEVICES: [MakesDevice; 2] = [|scratch| device(&scratch.path("file")), |_| MemoryDevice::new(1 << 20)];

const CHUNKS: [usize; 4] = [3 * 4096, 30_000, 5, 150_000];

/// A file that several processes may use, on a device that counts, below one that fails.
struct Setup {
    fault: Arc<FaultDevice>,
    counting: Arc<CountingDevice>,
    file: File,
}

impl Setup {
    fn new(scratch: &Scratch, device: Arc<dyn Device>) -> Self {
        let counting = CountingDevice::new(device);
        let fault = FaultDevice::new(counting.clone());
        let options = OpenOptions { sharing: Sharing::Shared, ..OpenOptions::new(Mode::ReadWrite) };
        let file = File::on_device(fault.clone(), scratch.path("file"), &options);
        Self { fault, counting, file }
    }

    /// Whether reads of what is there are gathered: the device has memory, or tells what is in the page cache.
    fn gathers_reads(&self) -> bool {
        let properties = self.file.properties();
        properties.in_memory() || (properties.resident && properties.direct.is_some())
    }

    /// The next operation has this fault.
    fn hurt_next(&self, fault: Fault) {
        self.fault.inject(self.fault.operations_count(), fault);
    }

    /// Asks for something that is in the page cache, so that it is believed to have everything.
    fn gain_trust(&self) -> Result<(), Error> {
        self.file.submit_read(0, vec![0; 4096])?.wait().map(drop)
    }
}

/// Writes and reads by gathered access; reads that are refused are made otherwise. Errors end it.
fn workload(setup: &Setup) -> Result<Vec<u8>, Error> {
    let mut offset = 0;
    for len in CHUNKS {
        assert!(copy_in(&setup.file, offset, &pattern(offset, len))?, "writes are gathered on every device");
        offset += len as u64;
    }
    setup.gain_trust()?;
    let mut whole = vec![];
    for len in CHUNKS {
        let at = whole.len() as u64;
        let mut chunk = vec![0; len];
        // What is passed over is read otherwise.
        let third = len / 3;
        if copy_out(&setup.file, at, &mut chunk, false) {
            setup.file.read_at(at + third as u64, &mut chunk[third..2 * third])?;
        } else {
            setup.file.read_at(at, &mut chunk)?;
        }
        whole.extend(chunk);
    }
    Ok(whole)
}

fn expected() -> Vec<u8> {
    pattern(0, CHUNKS.iter().sum())
}

/// How many operations the workload makes without faults, after a check that they are the ones that are meant.
fn operations_count(device: MakesDevice) -> u64 {
    let scratch = Scratch::new();
    let setup = Setup::new(&scratch, device(&scratch));
    assert!(workload(&setup).unwrap() == expected());
    let gathered = CHUNKS.len() as u64 * if setup.gathers_reads() { 2 } else { 1 };
    assert_eq!(setup.counting.counts().gathered, gathered);
    setup.fault.operations_count()
}

#[test]
fn whatever_gathered_access_fails_the_caller_learns_of_it_or_the_data_is_whole() {
    for device in DEVICES {
        let mut reported = 0;
        for operation in 0..operations_count(device) {
            let scratch = Scratch::new();
            let setup = Setup::new(&scratch, device(&scratch));
            setup.fault.inject(operation, Fault::Fail(libc::EIO));
            match workload(&setup) {
                Ok(whole) => assert!(whole == expected(), "lost silently at operation {operation}"),
                Err(error) => {
                    reported += 1;
                    assert_eq!(error.os_error().and_then(std::io::Error::raw_os_error), Some(libc::EIO));
                }
            }
        }
        assert!(reported >= CHUNKS.len(), "{reported} errors for {} writes", CHUNKS.len());
    }
}

#[test]
fn gathered_access_that_is_cut_short_or_interrupted_is_resumed() {
    for device in DEVICES {
        for operation in 0..operations_count(device) {
            let cut = [1, 4095, 4096, 10_000].map(Fault::Shorten);
            for fault in cut.into_iter().chain([Fault::Fail(libc::EINTR)]) {
                let scratch = Scratch::new();
                let setup = Setup::new(&scratch, device(&scratch));
                setup.fault.inject(operation, fault);
                assert!(workload(&setup).unwrap() == expected(), "{fault:?} at operation {operation}");
            }
        }
    }
}

#[test]
fn an_error_after_a_transfer_that_was_cut_short_is_not_the_end_of_the_file() {
    for device in DEVICES {
        for operation in 0..operations_count(device) {
            let scratch = Scratch::new();
            let setup = Setup::new(&scratch, device(&scratch));
            setup.fault.inject(operation, Fault::Shorten(1000));
            setup.fault.inject(operation + 1, Fault::Fail(libc::EIO));
            // The read that gains trust is short or fails where the others do.
            if let Ok(whole) = workload(&setup) {
                assert!(whole == expected(), "lost silently at operation {operation}");
            }
        }
    }
}

#[test]
fn what_a_gathered_write_can_not_have_is_an_error_of_a_full_device() {
    let scratch = Scratch::new();
    let setup = Setup::new(&scratch, MemoryDevice::new(10_000));
    assert!(copy_in(&setup.file, 0, &pattern(0, 10_000)).unwrap());
    let error = copy_in(&setup.file, 5000, &pattern(5000, 5001)).unwrap_err();
    assert!(matches!(error, Error::NoSpace { offset_bytes: 5000, len_bytes: 5001, .. }), "{error}");
    assert_eq!(setup.file.len().unwrap(), 10_000);
    let mut beyond = [0; 30];
    assert!(!copy_out(&setup.file, 9_980, &mut beyond, false), "the file has only 20 bytes there");
}

/// The bytes read while `read` runs, of which the first transfer is cut to 5000 bytes.
fn bytes_of_a_read_that_is_cut(read: impl FnOnce(&File)) -> (u64, u64) {
    let scratch = Scratch::new();
    let setup = Setup::new(&scratch, device(&scratch.path("file")));
    setup.file.write_at(0, &pattern(0, LEN)).unwrap();
    setup.gain_trust().unwrap();
    let before = setup.counting.counts();
    setup.hurt_next(Fault::Shorten(5000));
    read(&setup.file);
    let after = setup.counting.counts();
    // The device below is asked for less: it does not know that this was short.
    assert_eq!(after.short_reads, before.short_reads);
    let reads = after.cached_reads + after.direct_reads - before.cached_reads - before.direct_reads;
    (reads, after.read_bytes - before.read_bytes)
}

const LEN: usize = 100_000;

#[test]
fn what_the_page_cache_had_of_a_read_is_kept_and_only_the_rest_is_read() {
    let asynchronous = |file: &File| {
        let (bytes, found) = file.submit_read(0, vec![0; LEN]).unwrap().finish().unwrap();
        assert!(bytes == LEN && found == pattern(0, LEN));
    };
    let blocking = |file: &File| {
        let mut found = vec![0; LEN];
        assert_eq!(file.read_at(0, &mut found).unwrap(), LEN);
        assert!(found == pattern(0, LEN));
    };
    let gathered = |file: &File| {
        let mut found = vec![0; LEN];
        let third = LEN / 3;
        if copy_out(file, 0, &mut found, false) {
            found[third..2 * third].copy_from_slice(&pattern(third as u64, third));
        } else {
            // Nothing of it was there; or the device cannot tell.
            assert_eq!(file.read_at(0, &mut found).unwrap(), LEN);
        }
        assert!(found == pattern(0, LEN));
    };
    for read in [asynchronous as fn(&File), blocking, gathered] {
        assert_eq!(bytes_of_a_read_that_is_cut(read), (2, LEN as u64));
    }
}

#[test]
fn what_is_not_in_the_page_cache_is_gathered_by_those_who_wait() {
    let scratch = Scratch::new();
    let setup = Setup::new(&scratch, device(&scratch.path("file")));
    setup.file.write_at(0, &pattern(0, LEN)).unwrap();
    make_cold(&setup.file);
    let before = setup.counting.counts();
    let (mut found, third) = (vec![0; LEN], LEN / 3);
    assert!(copy_out(&setup.file, 0, &mut found, true));
    assert!(
        found[..third] == pattern(0, third)
            && found[2 * third..] == pattern(2 * third as u64, LEN - 2 * third)
    );
    let after = setup.counting.counts();
    assert_eq!(after.read_bytes - before.read_bytes, LEN as u64);
}

#[test]
fn reads_that_give_less_than_was_asked_for_are_counted() {
    let scratch = Scratch::new();
    let counting = CountingDevice::new(MemoryDevice::new(1 << 20));
    let options = OpenOptions { cache: CachePolicy::Keep, ..OpenOptions::new(Mode::ReadWrite) };
    let file = File::on_device(counting.clone(), scratch.path("file"), &options);
    file.write_at(0, &pattern(0, 100_000)).unwrap();
    let mut found = vec![0; 70_000];
    assert_eq!(file.read_at(0, &mut found).unwrap(), 70_000);
    assert_eq!(counting.counts().short_reads, 0);
    assert_eq!(file.read_at(40_000, &mut found).unwrap(), 60_000);
    assert!(counting.counts().short_reads >= 1);
}
