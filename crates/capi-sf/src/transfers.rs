//! Reading, writing and waiting.

use crate::codes;
use crate::error::of_file;
use crate::files::{OpenFile, file};
use chemio_capi::requests::{Issued, Requests, Transfer, is_finished_at_issue};
use chemio_capi::{Integer, Result, last_error, offset, pointer};
use sf::codes::{DEVICE_AREAD, DEVICE_AWRITE};
use sf::{ForeignBuffer, Request};
use std::sync::Arc;

/// What a request variable holds after a call that issued none. Waiting for it is no error.
const NO_REQUEST: i64 = -1;

static ISSUED: Issued = Issued::new();
/// The requests of all files: a wait names no file.
pub(crate) static REQUESTS: Requests<Running> = Requests::new(&ISSUED);

/// The arguments that all transfers have, as they come.
#[derive(Clone, Copy)]
pub(crate) struct Arguments {
    pub(crate) handle: i64,
    pub(crate) offset: f64,
    pub(crate) bytes: f64,
    pub(crate) buffer: *mut u8,
}

/// A transfer whose arguments have been checked.
struct Checked {
    open: Arc<OpenFile>,
    offset_bytes: u64,
    buffer: *mut u8,
    len_bytes: usize,
}

impl Arguments {
    /// Checks handle, fractions, ranges and buffer, in this order; `code` is for a null buffer.
    fn check(self, code: i32) -> Result<Checked> {
        let open = file(self.handle)?;
        let (offset_bytes, len_bytes) = place(self.offset, self.bytes)?;
        if len_bytes > 0 {
            pointer::check(self.buffer, "buffer", code)?;
        }
        Ok(Checked { open, offset_bytes, buffer: self.buffer, len_bytes })
    }
}

/// Offset and length: fractions of either are told before ranges.
fn place(offset: f64, bytes: f64) -> Result<(u64, usize)> {
    if let (Some(offset_bytes), Some(len_bytes)) = (offset::exact(offset), offset::exact(bytes)) {
        return Ok((offset_bytes, offset::count(len_bytes)?));
    }
    offset::check_whole(offset)?;
    offset::check_whole(bytes)?;
    Ok((offset::in_range(offset)?, offset::count(offset::in_range(bytes)?)?))
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

/// A request with the file it belongs to.
#[derive(Debug)]
pub(crate) struct Running {
    /// The file's serial number.
    file: u64,
    request: Request<ForeignBuffer>,
}

impl Transfer for Running {
    type Owner = u64;

    fn owner(&self) -> u64 {
        self.file
    }

    fn is_write(&self) -> bool {
        self.request.is_write()
    }

    fn unfinished(self) -> Option<Self> {
        let file = self.file;
        self.request.unfinished().map(|request| Self { file, request })
    }

    fn wait(&mut self) -> std::result::Result<(), Arc<chemio_capi::Error>> {
        self.request.wait().map_err(|error| Arc::new(of_file(error)))
    }

    fn test(&mut self) -> bool {
        self.request.is_finished()
    }
}

/// Starts a write.
///
/// # Safety
/// The buffer may be read for its length until the request has finished; `request` is null or may be written.
pub(crate) unsafe fn write<I: Integer>(arguments: Result<Arguments>, request: *mut I) -> Result<()> {
    let start = |checked: &Checked| {
        // SAFETY: promised by the caller.
        checked.open.file.awrite(checked.offset_bytes, unsafe { checked.foreign() })
    };
    // SAFETY: promised by the caller.
    unsafe { issue(arguments, request, DEVICE_AWRITE, start) }
}

/// Starts a read.
///
/// # Safety
/// The buffer may be written for its length until the request has finished; `request` is null or may be written.
pub(crate) unsafe fn read<I: Integer>(arguments: Result<Arguments>, request: *mut I) -> Result<()> {
    let start = |checked: &Checked| {
        // SAFETY: promised by the caller.
        checked.open.file.aread(checked.offset_bytes, unsafe { checked.foreign() })
    };
    // SAFETY: promised by the caller.
    unsafe { issue(arguments, request, DEVICE_AREAD, start) }
}

/// Starts a transfer and stores its number. `code` is for null pointers.
///
/// # Safety
/// `request` is null or may be written.
unsafe fn issue<I: Integer>(
    arguments: Result<Arguments>,
    request: *mut I,
    code: i32,
    start: impl FnOnce(&Checked) -> sf::Result<Request<ForeignBuffer>>,
) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe { pointer::store_unless_null(request, I::nearest(NO_REQUEST)) };
    let checked = arguments?.check(code)?;
    pointer::check(request, "req_id", code)?;
    let started = start(&checked).map_err(of_file)?;
    let id = REQUESTS.insert(Running { file: checked.open.serial, request: started });
    // SAFETY: checked above.
    unsafe { pointer::store(request, I::nearest(id.into())) };
    Ok(())
}

/// Waits for a request. One that has finished well stays finished; one that has failed tells its error every time.
pub(crate) fn wait(id: i64) -> Result<()> {
    if id == NO_REQUEST {
        return Ok(());
    }
    let unknown = || chemio_capi::Error::UnknownRequest { id, code: codes::INVALID_HANDLE };
    let number = i32::try_from(id).map_err(|_| unknown())?;
    let result = if is_finished_at_issue(id) { None } else { REQUESTS.wait(number) };
    result.unwrap_or_else(|| if ISSUED.has(id) { Ok(()) } else { Err(unknown()) })
}

/// Waits for all of `num` requests and tells the first error. The list stays as it is, so that each can be asked again.
///
/// # Safety
/// `list` is null or may be read for `num` numbers.
pub(crate) unsafe fn wait_for_all<I: Integer>(list: *const I, num: i64) -> Result<()> {
    let count = usize::try_from(num).unwrap_or(0);
    if count > 0 {
        pointer::check(list.cast_mut(), "list", codes::INVALID_HANDLE)?;
    }
    let mut result = Ok(());
    for at in 0..count {
        // SAFETY: promised by the caller.
        let waited = wait(unsafe { list.add(at).read_unaligned() }.get());
        result = result.and(waited);
    }
    result
}

/// What is known about `code`, in at most `len_max` bytes; empty for a number that is none of ours.
pub(crate) fn message(code: i64, len_max: usize) -> String {
    last_error::message(code, len_max, codes::text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use eaf::codes::NOT_AN_INTEGER;
    use sf::codes::DEVICE_SEEK;

    #[test]
    fn a_fraction_anywhere_comes_before_a_range() {
        let refused = |offset, bytes| place(offset, bytes).expect_err("refused").code();
        for (offset, bytes) in [(-1.0, 0.5), (0.5, -1.0), (1e300, f64::NAN), (f64::NAN, 0.0)] {
            assert_eq!(refused(offset, bytes), NOT_AN_INTEGER, "{offset}, {bytes}");
        }
        for (offset, bytes) in [(-1.0, 1.0), (1.0, -1.0), (1e14 + 1.0, 0.0), (0.0, f64::INFINITY)] {
            assert_eq!(refused(offset, bytes), DEVICE_SEEK, "{offset}, {bytes}");
        }
        assert_eq!(place(1e14, 0.0).expect("taken"), (100_000_000_000_000, 0));
    }

    #[test]
    fn numbers_that_were_never_issued_are_refused_and_no_request_is_nothing_to_wait_for() {
        for id in [0, -2, 1_000_001, 1_000_002, i64::MAX, i64::MIN] {
            assert_eq!(wait(id).expect_err("never issued").code(), codes::INVALID_HANDLE, "{id}");
        }
        wait(NO_REQUEST).expect("nothing to wait for");
    }

    #[test]
    fn all_of_a_list_are_looked_at_and_the_first_error_is_told() {
        let list = [-1_i64, 1_000_001, 1_000_003];
        // SAFETY: the list has three numbers.
        let error = unsafe { wait_for_all(list.as_ptr(), 3) }.expect_err("never issued");
        assert!(error.to_string().contains("1000001"), "{error}");
        // SAFETY: as above; nothing is read of the second and third.
        unsafe {
            wait_for_all(list.as_ptr(), 1).expect("nothing to wait for");
            wait_for_all(std::ptr::null::<i64>(), 0).expect("an empty list");
            wait_for_all(std::ptr::null::<i64>(), -4).expect("as good as empty");
            assert!(wait_for_all(std::ptr::null::<i64>(), 1).is_err());
        }
    }
}
