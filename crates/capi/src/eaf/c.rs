//! The C symbols. `include/eaf.h` is made from this file; a test compares them.
#![allow(non_snake_case, non_camel_case_types)] // the legacy names

use super::Arguments;
use crate::boundary;
use crate::error::Error;
use crate::{pointer, strings};
use eaf::codes;
use libc::{c_char, c_int, c_long, c_void, size_t};

/// An offset or length in bytes: a whole number from 0 to 1e14, held in a double.
pub type eaf_off_t = f64;

/// The room that `EAF_Errmsg` may use, with its NUL.
const ERRMSG_LEN: usize = 80;

fn arguments(fd: c_int, offset: eaf_off_t, buf: *mut c_void, bytes: size_t) -> Arguments {
    Arguments { fd: fd.into(), offset, buffer: buf.cast(), bytes: bytes as i128 }
}

/// Opens the file `fname` and stores its handle, the lowest that is free, in `*fd`.
///
/// `type`: `EAF_RW` (created if missing, kept if present), `EAF_W` (created if missing, emptied if present), `EAF_R`
/// (must be there), or a positive number of megabytes (2^20 bytes): the file is held in memory, at most that long,
/// and outlives its handle until `EAF_Delete`.
///
/// Returns 0, or -44; then `*fd` is unchanged and `EAF_Errmsg(-44, msg)` tells the cause.
///
/// # Safety
/// `fname` is null or a string; `fd` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn EAF_Open(fname: *const c_char, r#type: c_int, fd: *mut c_int) -> c_int {
    boundary::code(|| {
        // SAFETY: promised by the caller.
        let name = unsafe { strings::c_path(fname, codes::OPEN_FAILED) }?;
        pointer::check(fd, "fd", codes::OPEN_FAILED)?;
        let opened = super::open(name, r#type.into())?;
        // SAFETY: checked above.
        unsafe { pointer::store(fd, c_int::try_from(opened).unwrap_or(c_int::MAX)) };
        Ok(())
    })
}

/// Closes `fd`, after everything outstanding on it has finished.
///
/// Returns 0; -10006 if `fd` is not open; else the code of the first write that failed and was never waited for. The
/// file is closed all the same.
#[unsafe(no_mangle)]
pub extern "C" fn EAF_Close(fd: c_int) -> c_int {
    boundary::code(|| super::close(fd.into()))
}

/// Deletes the file `fname`, on disk or in memory. Handles that are open on it stay usable.
///
/// Returns 0, also if there is no such file; else -10013.
///
/// # Safety
/// `fname` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn EAF_Delete(fname: *const c_char) -> c_int {
    // SAFETY: promised by the caller.
    boundary::code(|| super::delete(unsafe { strings::c_path(fname, codes::DELETE_FAILED) }?))
}

/// Writes `bytes` bytes from `buf` at `offset`. Past the end the file grows; a hole reads as zeros.
///
/// Returns 0; -10006, -10018, -2000 or -10007 for a bad handle, a fractional or NaN offset, an offset below 0 or above
/// 1e14, a null buffer; -1999 if writing failed.
///
/// # Safety
/// `buf` may be read for `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn EAF_Write(fd: c_int, offset: eaf_off_t, buf: *const c_void, bytes: size_t) -> c_int {
    // SAFETY: promised by the caller.
    boundary::code(|| unsafe { super::write(arguments(fd, offset, buf.cast_mut(), bytes)) })
}

/// Reads `bytes` bytes at `offset` into `buf`.
///
/// Returns 0; -1977 past the end of the file, with what there is already in `buf`; -10006, -10018, -2000 or -10009 for
/// bad arguments, as in `EAF_Write`; -1997 if reading failed.
///
/// # Safety
/// `buf` may be written for `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn EAF_Read(fd: c_int, offset: eaf_off_t, buf: *mut c_void, bytes: size_t) -> c_int {
    // SAFETY: promised by the caller.
    boundary::code(|| unsafe { super::read(arguments(fd, offset, buf, bytes)) })
}

/// Starts writing `bytes` bytes from `buf` at `offset` and stores the request in `*req_id`.
///
/// `buf` must not change until the request has been waited for, unless it is shorter than 65,536 bytes: then its bytes
/// have been taken when the call returns.
/// Returns 0, or a code for bad arguments, as in `EAF_Write` (null: -10008); then `*req_id` is -1. Errors of the
/// transfer come from `EAF_Wait`, or from `EAF_Close` if nobody waits.
///
/// # Safety
/// `buf` may be read for `bytes` bytes until the request has finished; `req_id` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn EAF_Awrite(
    fd: c_int,
    offset: eaf_off_t,
    buf: *const c_void,
    bytes: size_t,
    req_id: *mut c_int,
) -> c_int {
    // SAFETY: promised by the caller.
    boundary::code(|| unsafe { super::awrite(arguments(fd, offset, buf.cast_mut(), bytes), req_id) })
}

/// Starts reading `bytes` bytes at `offset` into `buf` and stores the request in `*req_id`.
///
/// `buf` must stay where it is, and must not be used, until the request has been waited for.
/// Returns 0, or a code for bad arguments, as in `EAF_Write` (null: -10010); then `*req_id` is -1. Errors of the
/// transfer, -1977 at the end of the file among them, come from `EAF_Wait`.
///
/// # Safety
/// `buf` may be written for `bytes` bytes until the request has finished; `req_id` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn EAF_Aread(
    fd: c_int,
    offset: eaf_off_t,
    buf: *mut c_void,
    bytes: size_t,
    req_id: *mut c_int,
) -> c_int {
    // SAFETY: promised by the caller.
    boundary::code(|| unsafe { super::aread(arguments(fd, offset, buf, bytes), req_id) })
}

/// Waits until request `id` of file `fd` has finished. May be repeated, with the same result.
///
/// Returns 0; -10006 if `fd` is not open; -10011 if `id` was never issued; -1977, -1996 or -1998 if the transfer met
/// the end of the file or failed.
#[unsafe(no_mangle)]
pub extern "C" fn EAF_Wait(fd: c_int, id: c_int) -> c_int {
    boundary::code(|| super::wait(fd.into(), id.into()))
}

/// Stores 0 in `*status` if request `id` has finished, 1 if it has not. Does not wait.
///
/// Returns 0, or -10012 if `id` was never issued.
///
/// # Safety
/// `status` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn EAF_Probe(id: c_int, status: *mut c_int) -> c_int {
    // SAFETY: promised by the caller.
    boundary::code(|| unsafe { super::probe(id.into(), status) })
}

/// Stores the length of the file in `*length`, in bytes.
///
/// Returns 0, -10006 or -10020.
///
/// # Safety
/// `length` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn EAF_Length(fd: c_int, length: *mut eaf_off_t) -> c_int {
    // SAFETY: promised by the caller.
    boundary::code(|| unsafe { super::length(fd.into(), length) })
}

/// Sets the length of the file to `length` bytes, after everything outstanding on it has finished. Growing adds zeros.
///
/// Returns 0, -10006, -10018, -2000 or -10019.
#[unsafe(no_mangle)]
pub extern "C" fn EAF_Truncate(fd: c_int, length: eaf_off_t) -> c_int {
    boundary::code(|| super::truncate(fd.into(), length))
}

/// Stores the available space, in megabytes (2^20 bytes), and the type of the file system that holds `path`.
///
/// The last component of `path` is stripped: the file need not exist. `fstype` gets "PFS" on a parallel file system and
/// "UFS" on any other; `fslen` is its room in characters, NUL included.
///
/// Returns 0; -1991 if there is no such directory; -10016 if `fslen` is less than 4; -10015 for a null pointer.
///
/// # Safety
/// `path` is null or a string; `avail_mb` is null or may be written; `fstype` is null or has room for `fslen` characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn EAF_Stat(
    path: *const c_char,
    avail_mb: *mut c_long,
    fstype: *mut c_char,
    fslen: c_int,
) -> c_int {
    boundary::code(|| {
        // SAFETY: promised by the caller.
        let path = unsafe { strings::c_path(path, codes::STAT_FAILED) }?;
        pointer::check(avail_mb, "avail_mb", codes::STAT_FAILED)?;
        pointer::check(fstype, "fstype", codes::STAT_FAILED)?;
        let (megabytes, text) = super::stat(path)?;
        let got = usize::try_from(fslen).unwrap_or(0);
        if got <= text.len() {
            return Err(Error::TooShort { expected: text.len() + 1, got });
        }
        // SAFETY: checked above; the length is the caller's promise.
        unsafe {
            pointer::store(avail_mb, megabytes);
            strings::fill_c(fstype, got, text.as_bytes());
        }
        Ok(())
    })
}

/// Whether `code` says that a read met the end of the file: 1 for -1977 and -10001, else 0.
#[unsafe(no_mangle)]
pub extern "C" fn EAF_Eof(code: c_int) -> c_int {
    codes::is_end_of_file(code).into()
}

/// Stores what is known about the last error `code` in `msg`: at most 79 characters and a NUL, the cause first, the
/// path shortened. Empty for a number that is no code.
///
/// # Safety
/// `msg` is null or has room for 80 characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn EAF_Errmsg(code: c_int, msg: *mut c_char) {
    // SAFETY: promised by the caller.
    unsafe { EAF_Errmsg_full(code, msg, ERRMSG_LEN) }
}

/// Stores what is known about the last error `code` in `msg`, which has room for `len` characters, NUL included.
///
/// # Safety
/// `msg` is null or has room for `len` characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn EAF_Errmsg_full(code: c_int, msg: *mut c_char, len: size_t) {
    boundary::silent(|| {
        if !msg.is_null() && len > 0 {
            let text = super::message(code.into(), len - 1);
            // SAFETY: promised by the caller.
            unsafe { strings::fill_c(msg, len, text.as_bytes()) };
        }
        Ok(())
    });
}

/// Prints name and size of the file and, for write, read, awrite, aread and wait, calls, bytes, seconds and MB/s
/// (10^6 bytes a second) to standard output, and flushes it.
#[unsafe(no_mangle)]
pub extern "C" fn EAF_Print_stats(fd: c_int) {
    boundary::silent(|| super::print_stats(fd.into()));
}
