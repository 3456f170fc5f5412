//! Devices that are not as ours are, but as a file system, a kernel or a program may have them.

use crate::support::{Scratch, device, make_cold, pattern};
use elio::{
    Alignment, CachePolicy, Device, Direction, File, MemoryDevice, Mode, OpenOptions, Properties, Route,
    Settled, Sharing,
};
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// What happens instead of a transfer, if anything does.
type Instead = dyn Fn(Direction, Route) -> Option<io::Result<usize>> + Send + Sync;

/// A device of which a test alters what it tells of itself and what its transfers do. Workers run them.
struct Altered {
    inner: Arc<dyn Device>,
    properties: Properties,
    instead: Box<Instead>,
}

impl Altered {
    fn new(
        inner: Arc<dyn Device>,
        properties: Properties,
        instead: impl Fn(Direction, Route) -> Option<io::Result<usize>> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            inner,
            properties: Properties { ring: None, ..properties },
            instead: Box::new(instead),
        })
    }
}

impl fmt::Debug for Altered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Altered").finish_non_exhaustive()
    }
}

impl Device for Altered {
    fn properties(&self) -> Properties {
        self.properties
    }

    fn read(&self, route: Route, offset_bytes: u64, into: &mut [u8]) -> io::Result<usize> {
        (self.instead)(Direction::Read, route).unwrap_or_else(|| self.inner.read(route, offset_bytes, into))
    }

    fn write(&self, route: Route, offset_bytes: u64, from: &[u8]) -> io::Result<usize> {
        (self.instead)(Direction::Write, route).unwrap_or_else(|| self.inner.write(route, offset_bytes, from))
    }

    fn is_resident(&self, offset_bytes: u64, len_bytes: u64) -> bool {
        self.inner.is_resident(offset_bytes, len_bytes)
    }

    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn available_bytes(&self) -> Option<u64> {
        self.inner.available_bytes()
    }

    fn set_len(&self, len_bytes: u64) -> io::Result<()> {
        self.inner.set_len(len_bytes)
    }

    fn allocate(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        self.inner.allocate(offset_bytes, len_bytes)
    }

    fn release_beyond(&self, len_bytes: u64, sharing: Sharing) {
        self.inner.release_beyond(len_bytes, sharing);
    }

    fn release_now(&self) -> io::Result<()> {
        self.inner.release_now()
    }

    fn waits_for_others(&self) -> bool {
        self.inner.waits_for_others()
    }

    fn start_writeback(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        self.inner.start_writeback(offset_bytes, len_bytes)
    }

    fn wait_writeback(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        self.inner.wait_writeback(offset_bytes, len_bytes)
    }

    fn settle(&self, ranges: &[Range<u64>]) -> io::Result<Settled> {
        self.inner.settle(ranges)
    }

    fn sync(&self) -> io::Result<()> {
        self.inner.sync()
    }

    fn late_error(&self) -> io::Result<()> {
        self.inner.late_error()
    }
}

fn read_blocking(file: &File, offset_bytes: u64, len: usize) -> Vec<u8> {
    let mut into = vec![0; len];
    let bytes = file.read_at(offset_bytes, &mut into).unwrap();
    into.truncate(bytes);
    into
}

fn read_asynchronously(file: &File, offset_bytes: u64, len: usize) -> Vec<u8> {
    let (bytes, mut into) = file.submit_read(offset_bytes, vec![0; len]).unwrap().finish().unwrap();
    into.truncate(bytes);
    into
}

/// As `OpenZFS` does, for whole records.
#[test]
fn a_direct_route_that_asks_for_more_than_pages_is_not_taken_and_the_data_is_right() {
    const LEN: usize = 3_000_000;
    for cache in [CachePolicy::Auto, CachePolicy::Bypass] {
        let scratch = Scratch::new();
        let path = scratch.path("file");
        let inner = device(&path);
        let direct = Some(Alignment { memory_bytes: 4096, offset_bytes: 128 << 10 });
        let properties = Properties { direct, ..inner.properties() };
        let direct_count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&direct_count);
        let records = Altered::new(inner, properties, move |_, route| {
            counted.fetch_add(usize::from(route == Route::Direct), Ordering::Relaxed);
            None
        });
        let file =
            File::on_device(records, &path, &OpenOptions { cache, ..OpenOptions::new(Mode::ReadWrite) });
        file.write_at(0, &pattern(0, 1 << 20)).unwrap();
        file.submit_write(1 << 20, pattern(1 << 20, LEN - (1 << 20))).unwrap().wait().unwrap();
        make_cold(&file);
        for (offset, len) in [(100_000, 300_000), (7, 2_000_000), (4096, 8192), (2_900_000, 200_000)] {
            let expected = pattern(offset, len.min(LEN - usize::try_from(offset).unwrap()));
            assert!(read_blocking(&file, offset, len) == expected, "{len} at {offset}, {cache:?}");
            assert!(read_asynchronously(&file, offset, len) == expected, "{len} at {offset}, {cache:?}");
        }
        assert_eq!(direct_count.load(Ordering::Relaxed), 0, "{cache:?}");
    }
}

/// As Linux 5.9 and 5.10 do: see preadv2(2).
#[test]
fn nothing_from_a_read_of_what_is_resident_is_not_the_end_of_the_file() {
    const LEN: usize = 4 << 20;
    let scratch = Scratch::new();
    for (number, read) in [read_blocking, read_asynchronously].into_iter().enumerate() {
        for len in [100_000, 1 << 20] {
            let path = scratch.path(&format!("file-{number}-{len}"));
            let inner = device(&path);
            let properties = inner.properties();
            if !properties.resident || properties.direct.is_none() {
                return println!("nobody is asked for what is resident here");
            }
            let gives_nothing = Arc::new(AtomicBool::new(false));
            let told = Arc::clone(&gives_nothing);
            let altered = Altered::new(inner, properties, move |_, route| {
                (route == Route::Resident && told.load(Ordering::Relaxed)).then_some(Ok(0))
            });
            let file = File::on_device(altered, &path, &OpenOptions::new(Mode::ReadWrite));
            file.write_at(0, &pattern(0, LEN)).unwrap();
            // Found there: from now on it is believed to have everything.
            assert!(read(&file, 1 << 20, len) == pattern(1 << 20, len));
            gives_nothing.store(true, Ordering::Relaxed);
            assert!(read(&file, 3 << 19, len) == pattern(3 << 19, len), "reader {number}, {len} bytes");
            let last = LEN as u64 - 70_000;
            assert!(read(&file, last, len) == pattern(last, 70_000), "reader {number}, at the end");
            assert!(read(&file, LEN as u64, len).is_empty());
        }
    }
}

#[test]
fn a_request_whose_transfer_panics_ends_with_an_error_and_the_next_one_is_carried_out() {
    /// So much is left to a worker even where it has no core of its own.
    const LEN: usize = 9 << 20;
    let memory = MemoryDevice::new(2 * LEN as u64);
    let panics = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&panics);
    let properties = memory.properties();
    let altered = Altered::new(memory, properties, move |direction, _| {
        assert!(!told.swap(false, Ordering::Relaxed), "a {direction:?} that was told to");
        None
    });
    let file = File::on_device(altered, "file", &OpenOptions::new(Mode::ReadWrite));
    // Who waits at once makes its reads itself, after a while, and a panic is its own then.
    let stay_away = || std::thread::sleep(Duration::from_millis(1));
    // More often than there are workers.
    for round in 0..10 {
        panics.store(true, Ordering::Relaxed);
        let mut write = file.submit_write(0, pattern(round, LEN)).unwrap();
        stay_away();
        let told = write.wait().unwrap_err().to_string();
        assert!(told.contains("panicked"), "{told}");
        file.submit_write(0, pattern(round, LEN)).unwrap().wait().unwrap();
        panics.store(true, Ordering::Relaxed);
        let mut read = file.submit_read(0, vec![0; LEN]).unwrap();
        stay_away();
        assert!(read.wait().is_err() && read.wait().is_err());
        assert!(read_asynchronously(&file, 0, LEN) == pattern(round, LEN));
    }
}
