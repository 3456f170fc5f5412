//! Opening to empty, and handles that share what is written behind.

use super::*;
use crate::buffer::in_tests::with_buffers;
use crate::device::fault::{Fault, FaultDevice};
use crate::sys::region::Region;
use crate::sys::transfer::Transfer;
use crate::{buffer, pool};
use std::sync::mpsc;

/// Small records, one after the other, are gathered.
const RECORD: [u8; 16_000] = [1; 16_000];

#[test]
fn what_a_handle_was_writing_when_another_empties_the_file_is_not_in_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let writer = File::open(&path, &OpenOptions::new(Mode::ReadWrite)).unwrap();
    // The worker that writes full buffers is busy until the file has been emptied.
    let (release, released) = mpsc::channel::<()>();
    pool::streams(Queue::default()).run(move || assert!(released.recv().is_err(), "nothing is sent"));
    for i in 0..20 {
        writer.write_at(i * RECORD.len() as u64, &RECORD).unwrap();
    }
    let emptied = File::open(&path, &OpenOptions::new(Mode::Write)).unwrap();
    drop(release);
    assert_eq!(emptied.len().unwrap(), 0);
    drop(writer);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
}

#[test]
fn what_is_in_flight_when_another_handle_empties_the_file_is_not_in_it() {
    const LEN: usize = 4096;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let _buffers = with_buffers();
    let writer = File::open(&path, &OpenOptions::new(Mode::ReadWrite)).unwrap();
    let mut buffer = buffer::pool().take(LEN).expect("a page");
    buffer[..LEN].fill(1);
    let (device, inode) = (Arc::clone(&writer.handle.device), &writer.handle.inode());
    let region = Region::of_pool(buffer, LEN);
    let transfer = Transfer::new(device, Direction::Write, Route::Cached, 0, region);
    inode.note_in_flight(&transfer, 0..LEN as u64);
    // Nobody begins with it for so long that opening would be over.
    let engine = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        transfer.queue();
        transfer.wait().unwrap()
    });
    let emptied = File::open(&path, &OpenOptions::new(Mode::Write)).unwrap();
    assert_eq!(engine.join().unwrap(), LEN);
    assert_eq!(emptied.len().unwrap(), 0);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
}

#[test]
fn what_is_being_read_when_another_handle_empties_the_file_is_what_was_there() {
    const LEN: usize = 4096;
    let _buffers = with_buffers();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    std::fs::write(&path, [1; LEN]).unwrap();
    let reader = File::open(&path, &OpenOptions::new(Mode::Read)).unwrap();
    let region = Region::of_pool(buffer::pool().take(LEN).expect("a page"), LEN);
    let device = Arc::clone(&reader.handle.device);
    let transfer = Transfer::new(device, Direction::Read, Route::Cached, 0, region);
    reader.handle.inode().note_in_flight(&transfer, 0..LEN as u64);
    // Nobody begins with it for so long that opening would be over.
    let engine = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        transfer.queue();
        transfer.wait().unwrap()
    });
    let emptied = File::open(&path, &OpenOptions::new(Mode::Write)).unwrap();
    assert_eq!(engine.join().unwrap(), LEN);
    assert_eq!(emptied.len().unwrap(), 0);
}

#[test]
fn a_handle_that_cannot_hand_over_what_others_wrote_leaves_it_to_them() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let faults = FaultDevice::new(open_device(&path, Mode::ReadWrite).unwrap());
    let open = || File::on_device(faults.clone(), &path, &OpenOptions::new(Mode::ReadWrite));
    let (writer, other) = (open(), open());
    (0..3).for_each(|i| writer.write_at(i * RECORD.len() as u64, &RECORD).unwrap());
    faults.inject(faults.operations_count(), Fault::Fail(libc::ENOSPC));
    assert!(other.close().is_err(), "it is told");
    // There is room again.
    assert_eq!(writer.len().unwrap(), 3 * RECORD.len() as u64);
    writer.close().unwrap();
}
