//! The Fortran calls, for either width of INTEGER, and the macro that gives them their symbols.
//!
//! Every argument comes by reference; hidden lengths of character arguments follow at the end, in order, as `size_t`.
//! A character buffer adds one more hidden length that nobody reads.
#![allow(clippy::missing_safety_doc)] // one contract for all: arguments are null or point to what the call declares

use crate::codes::{CREATE_FAILED, INVALID_HANDLE};
use crate::files::{self, Creation, hints};
use crate::transfers::{self, Arguments};
use chemio_capi::{Integer, Result, boundary, pointer, strings};
use libc::{c_char, c_int, c_void};
use sf::Access;
use sf::codes::{DEVICE_AREAD, DEVICE_AWRITE};

/// Returned where a call has ended well.
const OK: c_int = crate::codes::OK;

fn result<I: Integer>(call: impl FnOnce() -> Result<()>) -> I {
    I::nearest(boundary::code(call).into())
}

/// Fetches a handle: there is no file behind a null one.
unsafe fn handle<I: Integer>(handle: *const I) -> Result<i64> {
    // SAFETY: promised by the caller of every call here.
    unsafe { pointer::value(handle, "handle", INVALID_HANDLE) }.map(Integer::get)
}

/// The arguments that both ways of making a file have, behind the name: three hints and the handle.
struct Made<I> {
    limits: [*const f64; 3],
    handle: *mut I,
}

impl<I: Integer> Made<I> {
    /// # Safety
    /// See the head of this file; the name outlives the result.
    unsafe fn creation<'a>(
        &self,
        fname: *const c_char,
        fname_len: usize,
        suffix: Option<i64>,
    ) -> Result<Creation<'a>> {
        // SAFETY: promised by the caller.
        let name = unsafe { strings::fortran_path(fname, fname_len, CREATE_FAILED) }?;
        // SAFETY: as above.
        let fetch = |limit| unsafe { pointer::value(limit, "size", CREATE_FAILED) };
        let [hard, soft, request] = self.limits;
        let hints = hints(fetch(hard)?, fetch(soft)?, fetch(request)?);
        pointer::check(self.handle, "handle", CREATE_FAILED)?;
        Ok(Creation { name, suffix, hints })
    }

    /// # Safety
    /// See the head of this file; the creation is this one's.
    unsafe fn create(&self, creation: Result<Creation<'_>>) -> Result<()> {
        let created = files::create(creation)?;
        // SAFETY: promised by the caller; `creation` has checked it, and its error was returned.
        unsafe { pointer::store(self.handle, I::nearest(created)) };
        Ok(())
    }
}

/// `integer function sf_create(fname, size_hard_limit, size_soft_limit, req_size, handle)`
pub unsafe fn create<I: Integer>(
    fname: *const c_char,
    size_hard_limit: *const f64,
    size_soft_limit: *const f64,
    req_size: *const f64,
    handle: *mut I,
    fname_len: usize,
) -> I {
    let made = Made { limits: [size_hard_limit, size_soft_limit, req_size], handle };
    // SAFETY: see the head of this file.
    result(|| unsafe { made.create(made.creation(fname, fname_len, None)) })
}

/// `integer function sf_create_suffix(fname, size_hard_limit, size_soft_limit, req_size, handle, suffix)`
pub unsafe fn create_suffix<I: Integer>(
    fname: *const c_char,
    size_hard_limit: *const f64,
    size_soft_limit: *const f64,
    req_size: *const f64,
    handle: *mut I,
    suffix: *const I,
    fname_len: usize,
) -> I {
    let made = Made { limits: [size_hard_limit, size_soft_limit, req_size], handle };
    result(|| {
        // SAFETY: see the head of this file.
        let suffix = unsafe { pointer::value(suffix, "suffix", CREATE_FAILED) };
        // SAFETY: as above.
        let creation =
            suffix.and_then(|suffix| unsafe { made.creation(fname, fname_len, Some(suffix.get())) });
        // SAFETY: as above.
        unsafe { made.create(creation) }
    })
}

/// `integer function sf_destroy(handle)`: the handle becomes 0 where it was one.
pub unsafe fn destroy<I: Integer>(handle: *mut I) -> I {
    // SAFETY: see the head of this file.
    let given = unsafe { self::handle(handle) };
    let number = given.as_ref().ok().copied();
    let is_file = || number.is_some_and(|number| files::file(number).is_ok());
    let was_file = is_file();
    let code = boundary::code(|| files::destroy(given));
    // A file that could not be removed from disk has no handle any more either.
    if code == OK || (was_file && !is_file()) {
        // SAFETY: as above.
        unsafe { pointer::store_unless_null(handle, I::nearest(0)) };
    }
    I::nearest(code.into())
}

/// `integer function sf_rwtor(handle)`
pub unsafe fn rwtor<I: Integer>(handle: *const I) -> I {
    // SAFETY: see the head of this file.
    result(|| files::open(unsafe { self::handle(handle) }?, Access::ReadOnly))
}

/// `integer function sf_open(handle)`
pub unsafe fn open<I: Integer>(handle: *const I) -> I {
    // SAFETY: see the head of this file.
    result(|| files::open(unsafe { self::handle(handle) }?, Access::ReadWrite))
}

/// `integer function sf_close(handle)`
pub unsafe fn close<I: Integer>(handle: *const I) -> I {
    // SAFETY: see the head of this file.
    result(|| files::close(unsafe { self::handle(handle) }?))
}

/// `subroutine sf_fsync(handle)`. It has a result all the same, for programs that declare it a function; the next `sf_close` tells what
/// it met.
pub unsafe fn fsync<I: Integer>(handle: *const I) -> I {
    // SAFETY: see the head of this file.
    result(|| files::sync_by_subroutine(unsafe { self::handle(handle) }?))
}

/// Fetches the arguments that all transfers have.
unsafe fn arguments<I: Integer>(
    handle: *const I,
    offset: *const f64,
    bytes: *const f64,
    buffer: *mut c_void,
    code: c_int,
) -> Result<Arguments> {
    // SAFETY: promised by the caller of every call here.
    unsafe {
        let handle = self::handle(handle)?;
        let offset = pointer::value(offset, "offset", code)?;
        let bytes = pointer::value(bytes, "bytes", code)?;
        Ok(Arguments { handle, offset, bytes, buffer: buffer.cast() })
    }
}

/// `integer function sf_write(handle, offset, bytes, buffer, req_id)`
pub unsafe fn write<I: Integer>(
    handle: *const I,
    offset: *const f64,
    bytes: *const f64,
    buffer: *mut c_void,
    req_id: *mut I,
) -> I {
    // SAFETY: see the head of this file.
    result(|| unsafe { transfers::write(arguments(handle, offset, bytes, buffer, DEVICE_AWRITE), req_id) })
}

/// `integer function sf_read(handle, offset, bytes, buffer, req_id)`
pub unsafe fn read<I: Integer>(
    handle: *const I,
    offset: *const f64,
    bytes: *const f64,
    buffer: *mut c_void,
    req_id: *mut I,
) -> I {
    // SAFETY: see the head of this file.
    result(|| unsafe { transfers::read(arguments(handle, offset, bytes, buffer, DEVICE_AREAD), req_id) })
}

/// `integer function sf_wait(req_id)`
pub unsafe fn wait<I: Integer>(req_id: *const I) -> I {
    // SAFETY: see the head of this file.
    result(|| transfers::wait(unsafe { pointer::value(req_id, "req_id", INVALID_HANDLE) }?.get()))
}

/// `integer function sf_waitall(list, num)`
pub unsafe fn waitall<I: Integer>(list: *const I, num: *const I) -> I {
    // SAFETY: see the head of this file.
    result(|| unsafe { transfers::wait_for_all(list, pointer::value(num, "num", INVALID_HANDLE)?.get()) })
}

/// `subroutine sf_errmsg(code, msg)`
pub unsafe fn errmsg<I: Integer>(code: *const I, msg: *mut c_char, msg_len: usize) {
    boundary::silent(|| {
        if !msg.is_null() {
            // SAFETY: see the head of this file.
            unsafe {
                let code = pointer::value(code, "code", 0).map_or(0, Integer::get);
                strings::fill_fortran(msg, msg_len, transfers::message(code, msg_len).as_bytes());
            }
        }
        Ok(())
    });
}

/// Defines the Fortran symbols of SF for one width of INTEGER: `i32` or `i64`.
#[macro_export]
macro_rules! fortran_sf {
    ($int:ty) => {
        chemio_capi::fortran_symbols! { $crate::fortran;
            sf_create_ = create(
                fname: *const c_char, size_hard_limit: *const f64, size_soft_limit: *const f64,
                req_size: *const f64, handle: *mut $int, fname_len: usize
            ) -> $int;
            sf_create_suffix_ = create_suffix(
                fname: *const c_char, size_hard_limit: *const f64, size_soft_limit: *const f64,
                req_size: *const f64, handle: *mut $int, suffix: *const $int, fname_len: usize
            ) -> $int;
            sf_destroy_ = destroy(handle: *mut $int) -> $int;
            sf_rwtor_ = rwtor(handle: *const $int) -> $int;
            sf_open_ = open(handle: *const $int) -> $int;
            sf_close_ = close(handle: *const $int) -> $int;
            sf_fsync_ = fsync(handle: *const $int) -> $int;
            sf_write_ = write(
                handle: *const $int, offset: *const f64, bytes: *const f64, buffer: *mut c_void, req_id: *mut $int
            ) -> $int;
            sf_read_ = read(
                handle: *const $int, offset: *const f64, bytes: *const f64, buffer: *mut c_void, req_id: *mut $int
            ) -> $int;
            sf_wait_ = wait(req_id: *const $int) -> $int;
            sf_waitall_ = waitall(list: *const $int, num: *const $int) -> $int;
            sf_errmsg_ = errmsg(code: *const $int, msg: *mut c_char, msg_len: usize);
        }
    };
}
