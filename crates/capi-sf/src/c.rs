//! The C symbols. `include/sf.h` is made from this file; a test compares them.
#![allow(non_snake_case, non_camel_case_types)] // the legacy names

use crate::codes::{CREATE_FAILED, INVALID_HANDLE};
use crate::files::{self, Creation, hints};
use crate::transfers::{self, Arguments};
use chemio_capi::{Result, boundary, pointer, strings};
use libc::{c_char, c_int, c_void, size_t};
use sf::Access;

/// An offset, a length or a hint in bytes, held in a double. Offsets and lengths are whole numbers from 0 to 1e14.
pub type SFsize_t = f64;

/// The room that `SF_Errmsg` may use, with its NUL.
const ERRMSG_LEN: usize = 80;

/// The arguments that both ways of making a file have.
///
/// # Safety
/// `fname` is null or a string that outlives the result.
unsafe fn creation<'a>(
    fname: *const c_char,
    limits: [SFsize_t; 3],
    handle: *mut c_int,
    suffix: Option<c_int>,
) -> Result<Creation<'a>> {
    // SAFETY: promised by the caller.
    let name = unsafe { strings::c_path(fname, CREATE_FAILED) }?;
    pointer::check(handle, "handle", CREATE_FAILED)?;
    let [hard, soft, request] = limits;
    Ok(Creation { name, suffix: suffix.map(i64::from), hints: hints(hard, soft, request) })
}

/// # Safety
/// As for [`creation`]; `handle` is null or may be written.
unsafe fn create(
    fname: *const c_char,
    limits: [SFsize_t; 3],
    handle: *mut c_int,
    suffix: Option<c_int>,
) -> c_int {
    boundary::code(|| {
        // SAFETY: promised by the caller.
        let created = files::create(unsafe { creation(fname, limits, handle, suffix) })?;
        // SAFETY: checked by `creation`, and an error of it was returned.
        unsafe { pointer::store(handle, c_int::try_from(created).unwrap_or(c_int::MAX)) };
        Ok(())
    })
}

fn arguments(handle: c_int, offset: SFsize_t, bytes: SFsize_t, buffer: *mut c_void) -> Arguments {
    Arguments { handle: handle.into(), offset, bytes, buffer: buffer.cast() }
}

/// Makes the file `<fname>.<n>`, open for reading and writing, and stores its handle, n - 3000, in `*handle`: the lowest
/// that is free, the same on all ranks; 0 is left out, so that from n = 3000
/// on it is n - 2999. A file that is there is taken as it is. Collective over all ranks.
///
/// Hints in bytes, -1 for "don't know": no write may pass `size_hard_limit`; the file will be about `size_soft_limit`
/// long, which is reserved; most transfers have about `req_size` bytes.
///
/// Returns the same on all ranks: 0; -1990 if the file could not be made, if MPI is not running, for a null pointer, or for a
/// name that is empty or that of a directory, as "scr/"; 1 if the ranks do not fit together; -1999 if there is no room for
/// the soft limit; -1988 if `CHEMIO_BACKEND` or `CHEMIO_BUFFER_MB` asks for what there is not; -1975 for an error inside
/// chemio. Then `*handle` is unchanged.
///
/// # Safety
/// `fname` is null or a string; `handle` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SF_Create(
    fname: *const c_char,
    size_hard_limit: SFsize_t,
    size_soft_limit: SFsize_t,
    req_size: SFsize_t,
    handle: *mut c_int,
) -> c_int {
    // SAFETY: promised by the caller.
    unsafe { create(fname, [size_hard_limit, size_soft_limit, req_size], handle, None) }
}

/// As `SF_Create`, but the file is `<fname>.<suffix>`, so that a later run finds it again. Collective over all ranks.
///
/// # Safety
/// `fname` is null or a string; `handle` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SF_Create_suffix(
    fname: *const c_char,
    size_hard_limit: SFsize_t,
    size_soft_limit: SFsize_t,
    req_size: SFsize_t,
    handle: *mut c_int,
    suffix: c_int,
) -> c_int {
    // SAFETY: promised by the caller.
    unsafe { create(fname, [size_hard_limit, size_soft_limit, req_size], handle, Some(suffix)) }
}

/// Waits for what is under way on the file, removes it from disk, and frees its handle. Collective over all ranks.
///
/// Returns the same on all ranks: 0; -1994 if there is no such file; 1 if the ranks give different handles; else why it
/// could not be removed. The handle is free in that last case too.
#[unsafe(no_mangle)]
pub extern "C" fn SF_Destroy(handle: c_int) -> c_int {
    boundary::code(|| files::destroy(Ok(handle.into())))
}

/// From now on the file is for reading only, whether it was open or closed. Local.
///
/// Returns 0 or -1994. Writes that have failed are told by `SF_Wait`, `SF_Close` and `SF_Fsync`.
#[unsafe(no_mangle)]
pub extern "C" fn SF_Rwtor(handle: c_int) -> c_int {
    boundary::code(|| files::open(handle.into(), Access::ReadOnly))
}

/// Opens the file for reading and writing, whether it was open or closed. Local and cheap.
///
/// Returns 0 or -1994. Writes that have failed are told by `SF_Wait`, `SF_Close` and `SF_Fsync`.
#[unsafe(no_mangle)]
pub extern "C" fn SF_Open(handle: c_int) -> c_int {
    boundary::code(|| files::open(handle.into(), Access::ReadWrite))
}

/// Closes the file on this rank, after what is under way has finished; `SF_Open` opens it again. Local and cheap.
///
/// Returns 0, -1994, or the code of the first write that failed and that nobody was told of.
#[unsafe(no_mangle)]
pub extern "C" fn SF_Close(handle: c_int) -> c_int {
    boundary::code(|| files::close(handle.into()))
}

/// Waits until everything that this rank has written is on disk. Local.
///
/// Returns 0, -1994, -1976, or the code of the first write that failed and that nobody was told of.
#[unsafe(no_mangle)]
pub extern "C" fn SF_Fsync(handle: c_int) -> c_int {
    boundary::code(|| files::sync(handle.into()))
}

/// Starts writing `bytes` bytes from `buffer` at `offset` and stores the request in `*req_id`. Past the end the file grows; a
/// hole reads as zeros. Local.
///
/// `buffer` must not change until `SF_Wait`, unless it is shorter than 65,536 bytes: then its bytes have been taken when the
/// call returns. Other ranks see what was written after `SF_Wait`.
/// Returns 0, or a code for bad arguments: -1994, -10018, -2000 or -1998 for a bad handle, an offset or length that is no
/// whole number, one below 0 or above 1e14, a null pointer; -1998 beyond the hard limit; -1994 or -1993 if the file is
/// closed or for reading only. Then `*req_id` is -1. Errors of the transfer come from `SF_Wait`.
///
/// # Safety
/// `buffer` may be read for `bytes` bytes until the request has finished; `req_id` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SF_Write(
    handle: c_int,
    offset: SFsize_t,
    bytes: SFsize_t,
    buffer: *const c_void,
    req_id: *mut c_int,
) -> c_int {
    // SAFETY: promised by the caller.
    boundary::code(|| unsafe {
        transfers::write(Ok(arguments(handle, offset, bytes, buffer.cast_mut())), req_id)
    })
}

/// Starts reading `bytes` bytes at `offset` into `buffer` and stores the request in `*req_id`. Local.
///
/// `buffer` must stay where it is, and must not be used, until `SF_Wait`.
/// Returns 0, or a code for bad arguments, as in `SF_Write` (null: -1996); then `*req_id` is -1. Errors of the transfer,
/// -1977 past the end of the file among them, come from `SF_Wait`.
///
/// # Safety
/// `buffer` may be written for `bytes` bytes until the request has finished; `req_id` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SF_Read(
    handle: c_int,
    offset: SFsize_t,
    bytes: SFsize_t,
    buffer: *mut c_void,
    req_id: *mut c_int,
) -> c_int {
    // SAFETY: promised by the caller.
    boundary::code(|| unsafe { transfers::read(Ok(arguments(handle, offset, bytes, buffer)), req_id) })
}

/// Waits until the request `*req_id` has finished. May be repeated, with the same result; -1 is nothing to wait for. Local.
///
/// Returns 0; -1994 if the request was never issued, or for a null pointer; -1977, -1996 or -1998 if the transfer met the end
/// of the file or failed. `*req_id` stays as it is.
///
/// # Safety
/// `req_id` is null or may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SF_Wait(req_id: *mut c_int) -> c_int {
    boundary::code(|| {
        // SAFETY: promised by the caller.
        let id = unsafe { pointer::value(req_id, "req_id", INVALID_HANDLE) }?;
        transfers::wait(id.into())
    })
}

/// Waits for all `num` requests of `list` and returns the first error among them, as `SF_Wait` would. `list` stays as it is, so
/// that `SF_Wait` tells about each. Local.
///
/// # Safety
/// `list` is null or may be read for `num` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SF_Waitall(list: *mut c_int, num: c_int) -> c_int {
    // SAFETY: promised by the caller.
    boundary::code(|| unsafe { transfers::wait_for_all(list.cast_const(), num.into()) })
}

/// Stores what is known about the last error `code` in `msg`: at most 79 characters and a NUL, the cause first, the
/// path shortened. Empty for a number that is no code.
///
/// # Safety
/// `msg` is null or has room for 80 characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SF_Errmsg(code: c_int, msg: *mut c_char) {
    // SAFETY: promised by the caller.
    unsafe { SF_Errmsg_full(code, msg, ERRMSG_LEN) }
}

/// Stores what is known about the last error `code` in `msg`, which has room for `len` characters, NUL included.
///
/// # Safety
/// `msg` is null or has room for `len` characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SF_Errmsg_full(code: c_int, msg: *mut c_char, len: size_t) {
    boundary::silent(|| {
        if !msg.is_null() && len > 0 {
            let text = transfers::message(code.into(), len - 1);
            // SAFETY: promised by the caller.
            unsafe { strings::fill_c(msg, len, text.as_bytes()) };
        }
        Ok(())
    });
}
