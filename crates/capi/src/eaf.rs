//! EAF for C and Fortran: what both flavours have in common. Arguments have been fetched from where they were, results
//! are stored where the caller wants them, in its own integer width.

pub mod c;
pub mod fortran;

use crate::error::{Error, Result};
use crate::failures::Failures;
use crate::handles::{Table, into_last};
use crate::integer::Integer;
use crate::requests::{self, Issued, Requests, Transfer};
use crate::{boundary, exit, last_error, logging, offset, pointer, stdout};
use eaf::{FileSystem, ForeignBuffer, Kind, codes};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a request variable holds after a call that issued none.
const NO_REQUEST: i64 = -1;
/// The unit of available space.
const MEGABYTE_BYTES: u64 = 1 << 20;

type RequestsOfFile = Requests<eaf::Request<ForeignBuffer>>;

/// An open file with its requests.
#[derive(Debug)]
struct OpenFile {
    file: eaf::File,
    requests: Arc<RequestsOfFile>,
}

/// Requests of all files.
static ISSUED: Issued = Issued::new();
static FILES: Table<OpenFile> = Table::new();
/// The requests of files that are being closed, and no longer open: whoever asks for one waits for it, too.
static CLOSING: Mutex<Vec<Arc<RequestsOfFile>>> = Mutex::new(Vec::new());
/// Requests of closed files that have failed, by how many files were closed before: a wait may still come.
static FAILED_BEFORE: Mutex<Failures<i32, u64>> = Mutex::new(Failures::new());
static CLOSED_COUNT: AtomicU64 = AtomicU64::new(0);

/// The arguments that all transfers have, as they come.
#[derive(Clone, Copy)]
struct Arguments {
    fd: i64,
    offset: f64,
    buffer: *mut u8,
    bytes: i128,
}

/// Each file has a table of its own.
impl Transfer for eaf::Request<ForeignBuffer> {
    type Owner = ();

    fn owner(&self) {}

    fn is_write(&self) -> bool {
        self.is_write()
    }

    fn unfinished(self) -> Option<Self> {
        self.unfinished()
    }

    fn wait(&mut self) -> std::result::Result<(), Arc<Error>> {
        self.wait().map_err(|error| Arc::new(Error::Eaf(error)))
    }

    fn test(&mut self) -> bool {
        self.test()
    }
}

/// A transfer whose arguments have been checked.
struct Checked {
    open: Arc<OpenFile>,
    offset_bytes: u64,
    buffer: *mut u8,
    len_bytes: usize,
}

impl Arguments {
    /// Checks handle, offset, count and buffer, in this order; `code` is for a null buffer.
    fn check(self, code: i32) -> Result<Checked> {
        let open = file(self.fd)?;
        let offset_bytes = offset::from_double(self.offset)?;
        let len_bytes = offset::count(self.bytes)?;
        if len_bytes > 0 {
            pointer::check(self.buffer, "buf", code)?;
        }
        Ok(Checked { open, offset_bytes, buffer: self.buffer, len_bytes })
    }
}

impl Checked {
    /// The caller's memory, as a buffer that a request can own.
    ///
    /// # Safety
    /// The memory stays valid and untouched until the request has finished.
    unsafe fn foreign(&self) -> ForeignBuffer {
        // SAFETY: promised by the caller; the pointer was checked.
        unsafe { ForeignBuffer::new(self.buffer, self.len_bytes) }
    }
}

fn closing() -> MutexGuard<'static, Vec<Arc<RequestsOfFile>>> {
    CLOSING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The requests among which `id` is, of a file that is being closed.
fn closing_with(id: i32) -> Option<Arc<RequestsOfFile>> {
    closing().iter().find(|requests| requests.contains(id)).cloned()
}

fn failed_before() -> MutexGuard<'static, Failures<i32, u64>> {
    FAILED_BEFORE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a request that has been started and gives it a number.
fn issue(open: &OpenFile, started: eaf::Request<ForeignBuffer>) -> i32 {
    let id = open.requests.insert(started);
    if !requests::is_finished_at_issue(id.into()) {
        failed_before().forget(&id);
    }
    id
}

fn file(fd: i64) -> Result<Arc<OpenFile>> {
    FILES.get(fd).ok_or(Error::InvalidHandle { fd })
}

/// Opens a file and gives its handle: the lowest that is free.
fn open(name: &Path, kind: i64) -> Result<i64> {
    logging::install();
    let kind = Kind::from_legacy(kind).ok_or(Error::InvalidKind { kind })?;
    let file = eaf::File::open(name, kind)?;
    exit::call_at_exit(hand_over_all);
    let index = FILES.insert(OpenFile { file, requests: Arc::new(Requests::new(&ISSUED)) });
    Ok(i64::try_from(index).unwrap_or(i64::MAX))
}

/// Closes a file: waits for what is outstanding, then tells the first error that nobody was told.
fn close(fd: i64) -> Result<()> {
    let OpenFile { file, requests } = into_last(take_out(fd)?);
    requests.drain(());
    let untold = requests.untold(());
    failed_before().take_over(requests.take_failures(), CLOSED_COUNT.fetch_add(1, Relaxed));
    closing().retain(|other| !Arc::ptr_eq(other, &requests));
    let closed = file.close();
    untold.and(closed.map_err(Error::Eaf))
}

/// Takes a file out of those that are open. Its requests are to be found all the time: first here, then there, then among what has failed.
fn take_out(fd: i64) -> Result<Arc<OpenFile>> {
    let mut closing = closing();
    let open = FILES.remove(fd).ok_or(Error::InvalidHandle { fd })?;
    closing.push(Arc::clone(&open.requests));
    Ok(open)
}

/// Hands over what a program that ends has written and not closed. The files stay open: other threads may still use
/// them, and the system closes them in a moment.
fn hand_over_all() {
    boundary::silent(|| {
        FILES.find(|open| {
            if exit::is_interrupted() {
                open.requests.drain_free(());
            } else {
                open.requests.drain(());
                // Asking for the length hands over what is written behind; there is nobody left to tell an error.
                let _ = open.file.len_bytes();
            }
            None::<()>
        });
        Ok(())
    });
}

fn delete(name: &Path) -> Result<()> {
    logging::install();
    Ok(eaf::File::delete(name)?)
}

/// # Safety
/// The buffer may be written for its length.
unsafe fn read(arguments: Arguments) -> Result<()> {
    let Checked { open, offset_bytes, buffer, len_bytes } = arguments.check(codes::READ_FAILED)?;
    // SAFETY: promised by the caller; the pointer was checked.
    let into = unsafe { pointer::bytes_mut(buffer, len_bytes) };
    Ok(open.file.read(offset_bytes, into)?)
}

/// # Safety
/// The buffer may be read for its length.
unsafe fn write(arguments: Arguments) -> Result<()> {
    let Checked { open, offset_bytes, buffer, len_bytes } = arguments.check(codes::WRITE_FAILED)?;
    // SAFETY: promised by the caller; the pointer was checked.
    let from = unsafe { pointer::bytes(buffer, len_bytes) };
    Ok(open.file.write(offset_bytes, from)?)
}

/// # Safety
/// The buffer may be written for its length until the request has finished; `request` is null or may be written.
unsafe fn aread<I: Integer>(arguments: Arguments, request: *mut I) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe { pointer::store_unless_null(request, I::nearest(NO_REQUEST)) };
    let transfer = arguments.check(codes::AREAD_FAILED)?;
    pointer::check(request, "req_id", codes::AREAD_FAILED)?;
    // SAFETY: promised by the caller.
    let started = transfer.open.file.aread(transfer.offset_bytes, unsafe { transfer.foreign() })?;
    let id = issue(&transfer.open, started);
    // SAFETY: checked above.
    unsafe { pointer::store(request, I::nearest(id.into())) };
    Ok(())
}

/// # Safety
/// The buffer may be read for its length until the request has finished; `request` is null or may be written.
unsafe fn awrite<I: Integer>(arguments: Arguments, request: *mut I) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe { pointer::store_unless_null(request, I::nearest(NO_REQUEST)) };
    let transfer = arguments.check(codes::AWRITE_FAILED)?;
    pointer::check(request, "req_id", codes::AWRITE_FAILED)?;
    // SAFETY: promised by the caller.
    let started = transfer.open.file.awrite(transfer.offset_bytes, unsafe { transfer.foreign() })?;
    let id = issue(&transfer.open, started);
    // SAFETY: checked above.
    unsafe { pointer::store(request, I::nearest(id.into())) };
    Ok(())
}

/// Waits for a request, whichever open file it belongs to. One that has finished well stays finished.
fn wait(fd: i64, id: i64) -> Result<()> {
    let open = file(fd)?;
    let unknown = Error::UnknownRequest { id, code: codes::WAIT_FAILED };
    let Ok(number) = i32::try_from(id) else { return Err(unknown) };
    if requests::is_finished_at_issue(id) {
        return if ISSUED.has(id) { Ok(()) } else { Err(unknown) };
    }
    let elsewhere = || FILES.find(|open| open.requests.contains(number).then(|| Arc::clone(&open.requests)));
    let result = open.requests.wait(number);
    let result = result.or_else(|| elsewhere().or_else(|| closing_with(number))?.wait(number));
    let of_closed = || failed_before().tell(number).map(Err);
    result.or_else(of_closed).unwrap_or(if ISSUED.has(id) { Ok(()) } else { Err(unknown) })
}

/// Whether a request has finished, without waiting.
fn is_finished(id: i64) -> Result<bool> {
    let unknown = Error::UnknownRequest { id, code: codes::PROBE_FAILED };
    let Ok(number) = i32::try_from(id) else { return Err(unknown) };
    let running = FILES.find(|open| open.requests.test(number));
    let running = running.or_else(|| closing_with(number)?.test(number));
    running.map_or(if ISSUED.has(id) { Ok(true) } else { Err(unknown) }, Ok)
}

/// # Safety
/// `status` is null or may be written.
unsafe fn probe<I: Integer>(id: i64, status: *mut I) -> Result<()> {
    pointer::check(status, "status", codes::PROBE_FAILED)?;
    let pending = !is_finished(id)?;
    // SAFETY: checked above.
    unsafe { pointer::store(status, I::nearest(pending.into())) };
    Ok(())
}

/// # Safety
/// `length` is null or may be written.
unsafe fn length(fd: i64, length: *mut f64) -> Result<()> {
    let open = file(fd)?;
    pointer::check(length, "length", codes::LENGTH_FAILED)?;
    let len_bytes = open.file.len_bytes()?;
    // SAFETY: checked above.
    unsafe { pointer::store(length, offset::to_double(len_bytes)) };
    Ok(())
}

/// Waits for what is outstanding, then sets the length.
fn truncate(fd: i64, length: f64) -> Result<()> {
    let open = file(fd)?;
    let len_bytes = offset::from_double(length)?;
    open.requests.drain(());
    Ok(open.file.truncate(len_bytes)?)
}

/// Available megabytes and the type of the file system that holds `path`.
fn stat(path: &Path) -> Result<(i64, &'static str)> {
    logging::install();
    let stat = eaf::stat(path)?;
    let megabytes = i64::try_from(stat.available_bytes / MEGABYTE_BYTES).unwrap_or(i64::MAX);
    Ok((megabytes, file_system_type(stat.file_system)))
}

/// The paper's names, three letters each: parallel file systems and all others.
fn file_system_type(file_system: FileSystem) -> &'static str {
    match file_system {
        FileSystem::Lustre | FileSystem::Gpfs => "PFS",
        _ => "UFS",
    }
}

/// What is known about `code`, in at most `len_max` bytes; empty for a number that is none of ours.
fn message(code: i64, len_max: usize) -> String {
    last_error::message(code, len_max, codes::text)
}

fn print_stats(fd: i64) -> Result<()> {
    stdout::print(&file(fd)?.file.report(fd).to_string());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use elio::{Fault, FaultDevice, MemoryDevice};
    use std::thread;
    use std::time::{Duration, Instant};

    /// Long enough for a worker, so that the request runs on.
    const LEN_BYTES: usize = 512 << 10;
    /// In which a request that is held back for longer does not finish.
    const MOMENT: Duration = Duration::from_millis(100);

    fn insert(device: Arc<dyn elio::Device>) -> i64 {
        let file = eaf::File::on_device(device, "closed", Kind::ReadWrite);
        let index = FILES.insert(OpenFile { file, requests: Arc::new(Requests::new(&ISSUED)) });
        i64::try_from(index).expect("a handle")
    }

    #[test]
    fn a_request_is_not_finished_before_it_is_whoever_closes_its_file_meanwhile() {
        let device = FaultDevice::new(MemoryDevice::new(LEN_BYTES as u64));
        let (fd, other) = (insert(Arc::clone(&device) as _), insert(MemoryDevice::new(0)));
        let mut memory = vec![1_u8; LEN_BYTES];
        device.inject(device.operations_count(), Fault::Delay(3 * MOMENT));
        let begin = Instant::now();
        let (mut id, bytes) = (0_i64, LEN_BYTES as i128);
        let arguments = Arguments { fd, offset: 0.0, buffer: memory.as_mut_ptr(), bytes };
        // SAFETY: the memory is there until all has finished.
        unsafe { awrite(arguments, &raw mut id) }.expect("started");
        thread::scope(|scope| {
            scope.spawn(|| close(fd).expect("closed"));
            while file(fd).is_ok() {
                thread::yield_now();
            }
            let is_probed = is_finished(id).expect("issued");
            assert!(!is_probed || begin.elapsed() >= MOMENT, "it is held back");
            wait(other, id).expect("written");
            assert!(begin.elapsed() >= MOMENT, "it was held back");
            assert!(is_finished(id).expect("issued"));
        });
        close(other).expect("closed");
    }
}
