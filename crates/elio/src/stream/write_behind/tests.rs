//! What is held where the device refuses it, or takes a part.

use super::*;
use crate::buffer::in_tests::{with_all_buffers, with_buffers};
use crate::device::fault::{Fault, FaultDevice};
use crate::{File, Mode, OpenOptions, Queue, open_device, pool};
use std::iter;
use std::sync::mpsc;

/// Divides a buffer, whose last record makes it full.
const RECORD: usize = 16 << 10;
const RECORD_BYTES: u64 = RECORD as u64;
/// As many operations fail as can be tried meanwhile.
const MANY: u64 = 1000;

fn open(faults: &Arc<FaultDevice>) -> File {
    File::on_device(Arc::clone(faults) as _, "faulty", &OpenOptions::new(Mode::ReadWrite))
}

/// A file to be written by a device that fails as it is told, and one that is read by another way.
fn pair(directory: &Path) -> (Arc<FaultDevice>, File, File) {
    let path = directory.join("file");
    let faults = FaultDevice::new(open_device(&path, Mode::ReadWrite).unwrap());
    let writer = open(&faults);
    let device = open_device(&path, Mode::ReadWrite).unwrap();
    let inode = Arc::clone(writer.handle().inode());
    let reader = File::with_inode(device, &path, &OpenOptions::new(Mode::Read), inode);
    (faults, writer, reader)
}

fn fail_from(faults: &FaultDevice, operation: u64) {
    (operation..operation + MANY).for_each(|operation| faults.inject(operation, Fault::Fail(libc::ENOSPC)));
}

fn no_faults(faults: &FaultDevice) {
    let from = faults.operations_count();
    (from..from + MANY).for_each(|operation| faults.inject(operation, Fault::Delay(Duration::ZERO)));
}

#[test]
fn what_a_full_disk_has_taken_of_held_writes_is_read_and_not_what_was_read_ahead_before() {
    const TAKEN: usize = 1000;
    let _buffers = with_buffers();
    let directory = tempfile::tempdir().unwrap();
    let (faults, writer, reader) = pair(directory.path());
    writer.write_at(0, &vec![1; 4 << 20]).unwrap();
    let at = 40 * RECORD_BYTES;
    // The first of two is written, the second is held behind it.
    writer.write_at(at - RECORD_BYTES, &[2; RECORD]).unwrap();
    let operations_count = faults.operations_count();
    faults.inject(operations_count, Fault::Shorten(TAKEN));
    fail_from(&faults, operations_count + 1);
    writer.write_at(at, &[3; RECORD]).unwrap();
    let mut read = vec![0; RECORD];
    for record in 0..39 {
        assert_eq!(reader.read_at(record * RECORD_BYTES, &mut read).unwrap(), RECORD);
    }
    assert!(writer.flush().is_err(), "it is told");
    assert_eq!(reader.read_at(at - RECORD_BYTES, &mut read).unwrap(), RECORD);
    assert!(read.iter().all(|&byte| byte == 2));
    assert_eq!(reader.read_at(at, &mut read[..TAKEN]).unwrap(), TAKEN);
    assert!(read[..TAKEN].iter().all(|&byte| byte == 3), "it was read ahead before it was written");
    no_faults(&faults);
    assert_eq!(reader.read_at(at, &mut read).unwrap(), RECORD);
    assert!(read.iter().all(|&byte| byte == 3));
}

/// Writes records until one is refused, for which the disk is full; tells its offset.
fn write_until_refused(faults: &FaultDevice, writer: &File) -> u64 {
    writer.write_at(0, &[1; RECORD]).unwrap();
    fail_from(faults, faults.operations_count());
    let refused = (1..100).find(|record| writer.write_at(record * RECORD_BYTES, &[1; RECORD]).is_err());
    refused.unwrap() * RECORD_BYTES
}

#[test]
fn a_small_write_that_was_refused_is_not_in_the_file_later() {
    let _buffers = with_buffers();
    let directory = tempfile::tempdir().unwrap();
    let (faults, writer, _) = pair(directory.path());
    let refused_bytes = write_until_refused(&faults, &writer);
    no_faults(&faults);
    assert_eq!(writer.len().unwrap(), refused_bytes);
    writer.close().unwrap();
}

#[test]
fn what_is_written_instead_of_a_refused_write_is_what_the_file_has() {
    let _buffers = with_all_buffers();
    let directory = tempfile::tempdir().unwrap();
    let (faults, writer, reader) = pair(directory.path());
    let refused_bytes = write_until_refused(&faults, &writer);
    no_faults(&faults);
    // The worker is late, and no buffer to be had.
    let (go_on, stopped) = mpsc::channel::<()>();
    pool::streams(Queue::default()).run(move || assert!(stopped.recv().is_err(), "nothing is sent"));
    let sizes = iter::successors(Some(1 << 20), |&len: &usize| (len > 4096).then_some(len / 2));
    let buffers: Vec<_> =
        sizes.flat_map(|len| iter::from_fn(move || crate::buffer::pool().take(len))).collect();
    writer.write_at(refused_bytes, &[2; RECORD]).unwrap();
    drop((go_on, buffers));
    writer.close().unwrap();
    let mut read = vec![0; RECORD];
    assert_eq!(reader.read_at(refused_bytes, &mut read).unwrap(), RECORD);
    assert!(read.iter().all(|&byte| byte == 2), "the refused write came after it");
}

#[test]
fn nothing_is_held_behind_a_request_that_has_failed() {
    const LEN: usize = 4 << 20;
    let _buffers = with_buffers();
    let directory = tempfile::tempdir().unwrap();
    let (faults, writer, _) = pair(directory.path());
    fail_from(&faults, 0);
    let request = writer.submit_write(0, vec![1; LEN]).unwrap();
    assert!(request.finish().is_err());
    no_faults(&faults);
    writer.write_at(LEN as u64, &[2; RECORD]).unwrap();
    let mut read = vec![9; RECORD];
    assert_eq!(writer.read_at(LEN as u64 / 2, &mut read).unwrap(), RECORD, "that is within the file");
    assert!(read.iter().all(|&byte| byte == 0));
}
