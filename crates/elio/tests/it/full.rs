//! Many files on one disk, and none left to reserve.

use elio::{Device, File, FileSystem, Mode, OpenOptions, Properties, Route, Settled, Sharing};
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

const MIB: u64 = 1 << 20;

/// A disk that only counts.
#[derive(Debug)]
struct Disk {
    number: u64,
    left_bytes: AtomicU64,
}

impl Disk {
    /// An empty one of so many bytes.
    fn new(bytes: u64) -> Arc<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(1 << 60);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Arc::new(Self { number, left_bytes: AtomicU64::new(bytes) })
    }

    fn left_bytes(&self) -> u64 {
        self.left_bytes.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: u64) -> io::Result<()> {
        let less = |left: u64| left.checked_sub(bytes);
        let taken = self.left_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.map(|_| ()).map_err(|_| io::Error::from_raw_os_error(libc::ENOSPC))
    }

    fn file(self: &Arc<Self>, options: &OpenOptions) -> (File, Arc<OnDisk>) {
        let device = Arc::new(OnDisk { disk: Arc::clone(self), state: Mutex::default() });
        (File::on_device(Arc::clone(&device) as _, "counted", options), device)
    }
}

/// A file on it, without holes.
#[derive(Debug)]
struct OnDisk {
    disk: Arc<Disk>,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    len_bytes: u64,
    allocated_bytes: u64,
}

impl OnDisk {
    fn state(&self) -> State {
        *self.state.lock().unwrap()
    }

    fn reserved_bytes(&self) -> u64 {
        let State { len_bytes, allocated_bytes } = self.state();
        allocated_bytes - len_bytes
    }

    fn take(&self, state: &mut State, end_bytes: u64) -> io::Result<()> {
        self.disk.take(end_bytes.saturating_sub(state.allocated_bytes))?;
        state.allocated_bytes = state.allocated_bytes.max(end_bytes);
        Ok(())
    }
}

impl Device for OnDisk {
    fn properties(&self) -> Properties {
        let (file_system, file_system_number) = (FileSystem::Local, Some(self.disk.number));
        Properties { file_system, file_system_number, ..Properties::default() }
    }

    fn read(&self, _route: Route, offset_bytes: u64, into: &mut [u8]) -> io::Result<usize> {
        let left_bytes = self.state().len_bytes.saturating_sub(offset_bytes);
        Ok(into.len().min(usize::try_from(left_bytes).unwrap()))
    }

    fn write(&self, _route: Route, offset_bytes: u64, from: &[u8]) -> io::Result<usize> {
        let mut state = self.state.lock().unwrap();
        let end_bytes = offset_bytes + from.len() as u64;
        self.take(&mut state, end_bytes)?;
        state.len_bytes = state.len_bytes.max(end_bytes);
        Ok(from.len())
    }

    fn is_resident(&self, _offset_bytes: u64, _len_bytes: u64) -> bool {
        true
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.state().len_bytes)
    }

    fn allocated_bytes(&self) -> io::Result<u64> {
        Ok(self.state().allocated_bytes)
    }

    fn available_bytes(&self) -> Option<u64> {
        Some(self.disk.left_bytes())
    }

    fn set_len(&self, len_bytes: u64) -> io::Result<()> {
        self.state.lock().unwrap().len_bytes = len_bytes;
        Ok(())
    }

    fn allocate(&self, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
        self.take(&mut self.state.lock().unwrap(), offset_bytes + len_bytes)
    }

    fn release_beyond(&self, _len_bytes: u64, _sharing: Sharing) {}

    fn release_now(&self) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        self.disk.left_bytes.fetch_add(state.allocated_bytes - state.len_bytes, Ordering::Relaxed);
        state.allocated_bytes = state.len_bytes;
        Ok(())
    }

    fn start_writeback(&self, _offset_bytes: u64, _len_bytes: u64) -> io::Result<()> {
        Ok(())
    }

    fn wait_writeback(&self, _offset_bytes: u64, _len_bytes: u64) -> io::Result<()> {
        Ok(())
    }

    fn settle(&self, _ranges: &[Range<u64>]) -> io::Result<Settled> {
        Ok(Settled::Ranges)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn late_error(&self) -> io::Result<()> {
        Ok(())
    }
}

fn options(sharing: Sharing) -> OpenOptions {
    OpenOptions { sharing, ..OpenOptions::new(Mode::ReadWrite) }
}

/// Writes from one place to another, a mebibyte at a time.
fn fill(file: &File, mib: Range<u64>) -> elio::Result<()> {
    let chunk = vec![1; 1 << 20];
    mib.into_iter().try_for_each(|at| file.write_at(at * MIB, &chunk))
}

#[test]
fn a_thousand_files_have_no_more_reserved_together_than_a_small_part_of_the_disk() {
    for sharing in [Sharing::Exclusive, Sharing::Shared] {
        let disk = Disk::new(100 << 30);
        let files: Vec<_> = (0..1000).map(|_| disk.file(&options(sharing))).collect();
        for (file, _) in &files {
            fill(file, 0..10).unwrap();
            let reserved: u64 = files.iter().map(|(_, device)| device.reserved_bytes()).sum();
            assert!(reserved <= (100 << 30) / 32, "{sharing:?}: {} MiB", reserved / MIB);
        }
        assert!(files[0].1.reserved_bytes() >= 64 * MIB, "one file has as much as it would have alone");
        // What was given up makes room for others, as these become longer.
        let mut files = files.into_iter();
        let (last, device) = files.next_back().unwrap();
        assert_eq!(device.reserved_bytes(), 0);
        drop(files);
        fill(&last, 10..30).unwrap();
        assert!(device.reserved_bytes() >= 64 * MIB, "{sharing:?}: {}", device.reserved_bytes() / MIB);
    }
}

#[test]
fn a_disk_is_filled_to_its_last_byte_whatever_was_reserved_ahead_of_files() {
    for idle_mib in [10, 40] {
        let disk = Disk::new(1 << 30);
        let (idle, device) = disk.file(&options(Sharing::Exclusive));
        fill(&idle, 0..idle_mib).unwrap();
        assert!(device.reserved_bytes() >= 16 * MIB, "nothing is reserved");
        let (file, _) = disk.file(&options(Sharing::Shared));
        fill(&file, 0..1024 - idle_mib).unwrap();
        assert_eq!((disk.left_bytes(), device.reserved_bytes()), (0, 0));
        let error = fill(&file, 1024 - idle_mib..1025 - idle_mib).unwrap_err();
        assert!(matches!(error, elio::Error::NoSpace { .. }), "{error}");
        assert_eq!(device.state().len_bytes, idle_mib * MIB);
    }
}

#[test]
fn lengths_and_reservations_find_what_was_reserved_ahead_of_other_files_and_leave_what_was_asked_for() {
    let disk = Disk::new(1 << 30);
    let (idle, idle_device) = disk.file(&options(Sharing::Exclusive));
    let (asked, asked_device) = disk.file(&options(Sharing::Exclusive));
    fill(&idle, 0..10).unwrap();
    fill(&asked, 0..10).unwrap();
    asked.preallocate(0, 100 * MIB).unwrap();
    let (file, _) = disk.file(&options(Sharing::Exclusive));
    file.preallocate(0, disk.left_bytes() + 16 * MIB).unwrap();
    assert_eq!(idle_device.reserved_bytes(), 0);
    assert_eq!(asked_device.reserved_bytes(), 90 * MIB);
}

#[test]
fn nothing_is_reserved_beyond_a_length_that_a_file_never_has() {
    for sharing in [Sharing::Exclusive, Sharing::Shared] {
        let disk = Disk::new(100 << 30);
        let (file, device) =
            disk.file(&OpenOptions { len_bytes_max: Some(20 * MIB + 1), ..options(sharing) });
        fill(&file, 0..9).unwrap();
        assert_eq!(device.state().allocated_bytes, 20 * MIB + 1);
        fill(&file, 9..20).unwrap();
        file.write_at(20 * MIB, &[1]).unwrap();
        assert_eq!(device.state().allocated_bytes, 20 * MIB + 1);
    }
}
