//! The Fortran calls, for either width of INTEGER, and the macro that gives them their symbols.
//!
//! Every argument comes by reference; hidden lengths of character arguments follow at the end, in order, as `size_t`.
//! A character buffer adds one more hidden length that nobody reads.
#![allow(clippy::missing_safety_doc)] // one contract for all: arguments are null or point to what the call declares

use super::Arguments;
use crate::boundary;
use crate::error::{Error, Result};
use crate::integer::Integer;
use crate::{pointer, random, strings};
use eaf::codes;
use libc::{c_char, c_int, c_void};

fn result<I: Integer>(call: impl FnOnce() -> Result<()>) -> I {
    I::nearest(boundary::code(call).into())
}

/// Fetches a handle: a null one is not open.
unsafe fn handle<I: Integer>(fd: *const I) -> Result<i64> {
    // SAFETY: promised by the caller of every call here.
    unsafe { pointer::value(fd, "fd", codes::INVALID_HANDLE) }.map(Integer::get)
}

/// Fetches the arguments that all transfers have.
unsafe fn arguments<I: Integer>(
    fd: *const I,
    offset: *const f64,
    buf: *mut c_void,
    bytes: *const I,
    code: c_int,
) -> Result<Arguments> {
    // SAFETY: promised by the caller of every call here.
    unsafe {
        let fd = handle(fd)?;
        let offset = pointer::value(offset, "offset", code)?;
        let bytes = pointer::value(bytes, "bytes", code)?.get().into();
        Ok(Arguments { fd, offset, buffer: buf.cast(), bytes })
    }
}

/// `integer function eaf_open(fname, type, fd)`
pub unsafe fn open<I: Integer>(fname: *const c_char, kind: *const I, fd: *mut I, fname_len: usize) -> I {
    result(|| {
        // SAFETY: see the head of this file.
        let name = unsafe { strings::fortran_path(fname, fname_len, codes::OPEN_FAILED) }?;
        // SAFETY: as above.
        let kind = unsafe { pointer::value(kind, "type", codes::OPEN_FAILED) }?;
        pointer::check(fd, "fd", codes::OPEN_FAILED)?;
        let opened = super::open(name, kind.get())?;
        // SAFETY: checked above.
        unsafe { pointer::store(fd, I::nearest(opened)) };
        Ok(())
    })
}

/// `integer function eaf_close(fd)`
pub unsafe fn close<I: Integer>(fd: *const I) -> I {
    // SAFETY: see the head of this file.
    result(|| super::close(unsafe { handle(fd) }?))
}

/// `integer function eaf_delete(fname)`
pub unsafe fn delete<I: Integer>(fname: *const c_char, fname_len: usize) -> I {
    // SAFETY: see the head of this file.
    result(|| super::delete(unsafe { strings::fortran_path(fname, fname_len, codes::DELETE_FAILED) }?))
}

/// `integer function eaf_write(fd, offset, buf, bytes)`
pub unsafe fn write<I: Integer>(fd: *const I, offset: *const f64, buf: *mut c_void, bytes: *const I) -> I {
    // SAFETY: see the head of this file.
    result(|| unsafe { super::write(arguments(fd, offset, buf, bytes, codes::WRITE_FAILED)?) })
}

/// `integer function eaf_read(fd, offset, buf, bytes)`
pub unsafe fn read<I: Integer>(fd: *const I, offset: *const f64, buf: *mut c_void, bytes: *const I) -> I {
    // SAFETY: see the head of this file.
    result(|| unsafe { super::read(arguments(fd, offset, buf, bytes, codes::READ_FAILED)?) })
}

/// `integer function eaf_awrite(fd, offset, buf, bytes, req)`
pub unsafe fn awrite<I: Integer>(
    fd: *const I,
    offset: *const f64,
    buf: *mut c_void,
    bytes: *const I,
    req: *mut I,
) -> I {
    // SAFETY: see the head of this file.
    result(|| unsafe { super::awrite(arguments(fd, offset, buf, bytes, codes::AWRITE_FAILED)?, req) })
}

/// `integer function eaf_aread(fd, offset, buf, bytes, req)`
pub unsafe fn aread<I: Integer>(
    fd: *const I,
    offset: *const f64,
    buf: *mut c_void,
    bytes: *const I,
    req: *mut I,
) -> I {
    // SAFETY: see the head of this file.
    result(|| unsafe { super::aread(arguments(fd, offset, buf, bytes, codes::AREAD_FAILED)?, req) })
}

/// `integer function eaf_wait(fd, req)`
pub unsafe fn wait<I: Integer>(fd: *const I, req: *const I) -> I {
    result(|| {
        // SAFETY: see the head of this file.
        let (fd, req) = unsafe { (handle(fd)?, pointer::value(req, "req", codes::WAIT_FAILED)?) };
        super::wait(fd, req.get())
    })
}

/// `integer function eaf_probe(req, status)`
pub unsafe fn probe<I: Integer>(req: *const I, status: *mut I) -> I {
    // SAFETY: see the head of this file.
    result(|| unsafe { super::probe(pointer::value(req, "req", codes::PROBE_FAILED)?.get(), status) })
}

/// `integer function eaf_length(fd, length)`
pub unsafe fn length<I: Integer>(fd: *const I, length: *mut f64) -> I {
    // SAFETY: see the head of this file.
    result(|| unsafe { super::length(handle(fd)?, length) })
}

/// `integer function eaf_truncate(fd, length)`
pub unsafe fn truncate<I: Integer>(fd: *const I, length: *const f64) -> I {
    result(|| {
        // SAFETY: see the head of this file.
        let (fd, length) =
            unsafe { (handle(fd)?, pointer::value(length, "length", codes::TRUNCATE_FAILED)?) };
        super::truncate(fd, length)
    })
}

/// `integer function eaf_stat(path, avail, fstype)`: megabytes, and a type of three letters, padded with blanks.
pub unsafe fn stat<I: Integer>(
    path: *const c_char,
    avail: *mut I,
    fstype: *mut c_char,
    path_len: usize,
    fstype_len: usize,
) -> I {
    result(|| {
        // SAFETY: see the head of this file.
        let path = unsafe { strings::fortran_path(path, path_len, codes::STAT_FAILED) }?;
        pointer::check(avail, "avail", codes::STAT_FAILED)?;
        pointer::check(fstype, "fstype", codes::STAT_FAILED)?;
        let (megabytes, text) = super::stat(path)?;
        if fstype_len < text.len() {
            return Err(Error::TooShort { expected: text.len(), got: fstype_len });
        }
        // SAFETY: checked above; the length is the compiler's.
        unsafe {
            pointer::store(avail, I::nearest(megabytes));
            strings::fill_fortran(fstype, fstype_len, text.as_bytes());
        }
        Ok(())
    })
}

/// `logical function eaf_eof(code)`
pub unsafe fn eof<I: Integer>(code: *const I) -> I {
    // SAFETY: see the head of this file.
    let code = unsafe { pointer::value(code, "code", 0) }.map_or(0, Integer::get);
    I::logical(i32::try_from(code).is_ok_and(codes::is_end_of_file))
}

/// `subroutine eaf_errmsg(code, msg)`
pub unsafe fn errmsg<I: Integer>(code: *const I, msg: *mut c_char, msg_len: usize) {
    boundary::silent(|| {
        if !msg.is_null() {
            // SAFETY: see the head of this file.
            unsafe {
                let code = pointer::value(code, "code", 0).map_or(0, Integer::get);
                strings::fill_fortran(msg, msg_len, super::message(code, msg_len).as_bytes());
            }
        }
        Ok(())
    });
}

/// `subroutine eaf_print_stats(fd)`
pub unsafe fn print_stats<I: Integer>(fd: *const I) {
    // SAFETY: see the head of this file.
    boundary::silent(|| super::print_stats(unsafe { handle(fd) }?));
}

/// `integer function eaf_util_szint()`: the bytes of an INTEGER.
pub unsafe fn util_szint<I: Integer>() -> I {
    I::nearest(i64::try_from(size_of::<I>()).unwrap_or(0))
}

/// `double precision function eaf_util_random()`: uniform in [0, 1).
pub unsafe fn util_random() -> f64 {
    random::uniform()
}

/// Defines the Fortran symbols of EAF for one width of INTEGER: `i32` or `i64`.
#[macro_export]
macro_rules! fortran_eaf {
    ($int:ty) => {
        $crate::fortran_symbols! { $crate::eaf::fortran;
            eaf_open_ = open(fname: *const c_char, kind: *const $int, fd: *mut $int, fname_len: usize) -> $int;
            eaf_close_ = close(fd: *const $int) -> $int;
            eaf_delete_ = delete(fname: *const c_char, fname_len: usize) -> $int;
            eaf_write_ = write(fd: *const $int, offset: *const f64, buf: *mut c_void, bytes: *const $int) -> $int;
            eaf_read_ = read(fd: *const $int, offset: *const f64, buf: *mut c_void, bytes: *const $int) -> $int;
            eaf_awrite_ = awrite(
                fd: *const $int, offset: *const f64, buf: *mut c_void, bytes: *const $int, req: *mut $int
            ) -> $int;
            eaf_aread_ = aread(
                fd: *const $int, offset: *const f64, buf: *mut c_void, bytes: *const $int, req: *mut $int
            ) -> $int;
            eaf_wait_ = wait(fd: *const $int, req: *const $int) -> $int;
            eaf_probe_ = probe(req: *const $int, status: *mut $int) -> $int;
            eaf_length_ = length(fd: *const $int, length: *mut f64) -> $int;
            eaf_truncate_ = truncate(fd: *const $int, length: *const f64) -> $int;
            eaf_stat_ = stat(
                path: *const c_char, avail: *mut $int, fstype: *mut c_char, path_len: usize, fstype_len: usize
            ) -> $int;
            eaf_stats_ = stat(
                path: *const c_char, avail: *mut $int, fstype: *mut c_char, path_len: usize, fstype_len: usize
            ) -> $int;
            eaf_eof_ = eof(code: *const $int) -> $int;
            eaf_errmsg_ = errmsg(code: *const $int, msg: *mut c_char, msg_len: usize);
            eaf_print_stats_ = print_stats(fd: *const $int);
            eaf_util_szint_ = util_szint() -> $int;
            eaf_util_random_ = util_random() -> f64;
        }
    };
}

/// Defines symbols that do what the functions of a module do.
#[doc(hidden)]
#[macro_export]
macro_rules! fortran_symbols {
    ($module:path; $($symbol:ident = $call:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        #[doc = concat!("The Fortran symbol of `", stringify!($call), "`.")]
        ///
        /// # Safety
        /// Arguments are null or point to what the call declares.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $symbol($($argument: $type),*) $(-> $result)? {
            use $module as calls;
            // SAFETY: the contract is the same.
            unsafe { calls::$call($($argument),*) }
        }
    )*};
}
