//! The C symbols, but for `DRA_Init`, which the leaf crates define. `include/dra.h` is made from this file; a test compares
//! them.
#![allow(non_snake_case, non_camel_case_types)] // the legacy names
#![allow(clippy::too_many_arguments, clippy::similar_names)] // the legacy signatures

use crate::arrays::{self, Creation};
use crate::attributes;
use crate::codes::FAILED;
use crate::copies;
use crate::language::{Language, dims_count, numbers};
use crate::session::{self, Spread};
use crate::transfers::{self, Arguments, Corners, Direction, Part};
use chemio_capi::{Error, Result, boundary, pointer, strings};
use libc::{c_char, c_double, c_int, c_long, size_t};
use std::ffi::CStr;
use std::os::unix::ffi::OsStrExt;

/// An extent or an index of an array on disk.
pub type dra_size_t = c_long;

/// The room that `DRA_Errmsg` may use, with its NUL.
const ERRMSG_LEN: usize = 80;
/// What callers of `NDRA_Inquire` have room for, with the NUL.
const NAME_LEN: usize = 73;
const FILE_LEN: usize = 249;

/// What an integer of ours is in C.
fn int(value: i64) -> c_int {
    c_int::try_from(value).unwrap_or(if value < 0 { c_int::MIN } else { c_int::MAX })
}

/// The bytes of a string.
///
/// # Safety
/// `text` is null or a string that outlives the result.
unsafe fn bytes<'a>(text: *const c_char, argument: &'static str) -> Result<&'a [u8]> {
    pointer::check(text.cast_mut(), argument, FAILED)?;
    // SAFETY: promised by the caller.
    Ok(unsafe { CStr::from_ptr(text) }.to_bytes())
}

/// The arguments of all calls that make an array, as they come.
struct Made {
    r#type: c_int,
    ndim: c_int,
    dims: *const dra_size_t,
    name: *const c_char,
    filename: *const c_char,
    mode: c_int,
    reqdims: *const dra_size_t,
    spread: Spread,
    d_a: *mut c_int,
}

impl Made {
    /// # Safety
    /// Strings are null or strings that outlive the result; lists are null or may be read for `ndim` numbers.
    unsafe fn creation<'a>(&self) -> Result<Creation<'a>> {
        // SAFETY: promised by the caller.
        unsafe {
            let count = dims_count(self.ndim.into())?;
            let dims = Language::C.shape(&numbers(self.dims, count, "dims")?)?;
            let hint = Language::C.hint(&numbers(self.reqdims, count, "reqdims")?);
            let name = String::from_utf8_lossy(bytes(self.name, "name")?).into_owned();
            let file = strings::c_path(self.filename, FAILED)?;
            pointer::check(self.d_a, "d_a", FAILED)?;
            let (type_code, mode) = (self.r#type.into(), self.mode.into());
            Ok(Creation {
                language: Language::C,
                type_code,
                dims,
                name,
                file,
                mode,
                hint,
                spread: self.spread,
            })
        }
    }

    /// # Safety
    /// As for [`creation`](Self::creation); `d_a` is null or may be written.
    unsafe fn create(&self) -> c_int {
        boundary::code(|| {
            // SAFETY: promised by the caller.
            let created = arrays::create(unsafe { self.creation() })?;
            // SAFETY: checked by `creation`, and an error of it was returned.
            unsafe { pointer::store(self.d_a, int(created)) };
            Ok(())
        })
    }
}

/// Makes an array on disk, a directory `filename` that any Zarr reader opens, and stores its handle in `*d_a`: the lowest that
/// is free from -5000 upward, without 0, the same on all ranks. An array made by chemio that is there is replaced; anything else is left
/// alone, and an error. Collective over all ranks.
///
/// `type`: one of the codes of `macdecls.h` but characters, bytes and long double. `dims`: `ndim` extents, 1 to 7. `mode`: `DRA_RW` or
/// `DRA_W`.
/// `reqdims`: the extents of a typical section, -1 for "don't know": they shape the bricks that the array is stored in.
///
/// Returns the same on all ranks: 0; -1993 for a mode that is none; 1 for other bad arguments, arguments that differ between
/// ranks, and something else in the place; else the code of the device. Then `*d_a` is unchanged.
///
/// # Safety
/// Strings are null or strings; lists are null or have `ndim` numbers; `d_a` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NDRA_Create(
    r#type: c_int,
    ndim: c_int,
    dims: *const dra_size_t,
    name: *const c_char,
    filename: *const c_char,
    mode: c_int,
    reqdims: *const dra_size_t,
    d_a: *mut c_int,
) -> c_int {
    // SAFETY: promised by the caller.
    unsafe { NDRA_Create_config(r#type, ndim, dims, name, filename, mode, reqdims, -1, -1, d_a) }
}

/// As `NDRA_Create`, in so many files, for which so many processes do the input and output; -1 for "don't know": as
/// `DRA_Set_default_config` says. Files are equal boxes of bricks, so not every number is possible. Collective over all ranks.
///
/// # Safety
/// As for `NDRA_Create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NDRA_Create_config(
    r#type: c_int,
    ndim: c_int,
    dims: *const dra_size_t,
    name: *const c_char,
    filename: *const c_char,
    mode: c_int,
    reqdims: *const dra_size_t,
    numfiles: c_int,
    numioprocs: c_int,
    d_a: *mut c_int,
) -> c_int {
    let spread = Spread { files: numfiles.into(), io_processes: numioprocs.into() };
    let made = Made { r#type, ndim, dims, name, filename, mode, reqdims, spread, d_a };
    // SAFETY: promised by the caller.
    unsafe { made.create() }
}

/// Opens the array in the directory `filename`, whoever wrote it, and stores its handle in `*d_a`. One array may be open under
/// several handles. Collective over all ranks.
///
/// `mode`: `DRA_RW`, `DRA_W` (for writing only) or `DRA_R` (for reading only).
///
/// Returns the same on all ranks: 0; -1 if there is no array, or one whose creation was interrupted; -1993 for a mode that
/// is none; 1 if what is there is no array, or a damaged one; else the code of the device. Then `*d_a` is unchanged.
///
/// # Safety
/// `filename` is null or a string; `d_a` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn DRA_Open(filename: *const c_char, mode: c_int, d_a: *mut c_int) -> c_int {
    boundary::code(|| {
        // SAFETY: promised by the caller.
        let file = unsafe { strings::c_path(filename, FAILED) };
        let file = pointer::check(d_a, "d_a", FAILED).and(file);
        let opened = arrays::open(file, Ok(mode.into()))?;
        // SAFETY: checked above, and an error was returned.
        unsafe { pointer::store(d_a, int(opened)) };
        Ok(())
    })
}

/// Waits for what is under way on the array, and until all of it is on the device; its handle is free then, also after an
/// error. Collective over all ranks.
///
/// Returns the same on all ranks: 0; -1994 if there is no such array; 1 if the ranks give different handles; else the code of
/// the first write that failed and that no `DRA_Wait` has told, or why data did not reach the device.
#[unsafe(no_mangle)]
pub extern "C" fn DRA_Close(d_a: c_int) -> c_int {
    boundary::code(|| arrays::close(Ok(d_a.into())))
}

/// Waits for what is under way on the array and removes it from disk; its handle is free then, also after an error. An array
/// that was not made by chemio is left alone, and an error. Collective over all ranks.
///
/// Returns the same on all ranks: 0; -1994 if there is no such array; 1 if the ranks give different handles, or another array has
/// taken its place, which stays; else why it could not be removed.
#[unsafe(no_mangle)]
pub extern "C" fn DRA_Delete(d_a: c_int) -> c_int {
    boundary::code(|| arrays::delete(Ok(d_a.into())))
}

/// Closes every array that is open and ends what `DRA_Init` began. Collective over all ranks.
///
/// Returns the same on all ranks: 0, also if nothing was begun; 1 if a rank is in another call, and then nothing has ended; else what the
/// first `DRA_Close` that failed returns.
#[unsafe(no_mangle)]
pub extern "C" fn DRA_Terminate() -> c_int {
    boundary::code(session::end)
}

/// Starts writing all of the global array `g_a` to all of `d_a`, and stores the request in `*request`. Where the shapes differ
/// but the numbers of elements do not, the k-th element in row-major order goes to the k-th. Collective over all ranks.
///
/// Nobody changes the elements of `g_a` before `DRA_Wait`.
/// Returns the same on all ranks: 0; -1994 for a bad handle; -1993 if the array is open for reading only; 1 if types or
/// numbers of elements differ. Then `*request` is -333. Errors of the transfer come from `DRA_Wait`.
///
/// # Safety
/// `request` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NDRA_Write(g_a: c_int, d_a: c_int, request: *mut c_int) -> c_int {
    // SAFETY: promised by the caller.
    unsafe { transfer_whole(Direction::ToDisk, g_a, d_a, request) }
}

/// As `NDRA_Write`, from disk to the global array, which is not used before `DRA_Wait`.
///
/// # Safety
/// As for `NDRA_Write`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NDRA_Read(g_a: c_int, d_a: c_int, request: *mut c_int) -> c_int {
    // SAFETY: promised by the caller.
    unsafe { transfer_whole(Direction::ToMemory, g_a, d_a, request) }
}

/// Starts writing the section `glo` to `ghi` of `g_a` to the section `dlo` to `dhi` of `d_a`: first and last indices, from 0,
/// one for each dimension of its array. With `transp` dimensions are in reverse order, so that a matrix is transposed.
/// Otherwise as `NDRA_Write`; a section that is empty or beyond its array is an error, 1. Collective over all ranks.
///
/// # Safety
/// Bounds are null or have a number for each dimension; `request` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NDRA_Write_section(
    transp: c_int,
    g_a: c_int,
    glo: *const c_int,
    ghi: *const c_int,
    d_a: c_int,
    dlo: *const dra_size_t,
    dhi: *const dra_size_t,
    request: *mut c_int,
) -> c_int {
    let part = Part::Section(corners(transp, [glo, ghi], [dlo, dhi]));
    // SAFETY: promised by the caller.
    unsafe { transfer(Direction::ToDisk, g_a, d_a, part, request) }
}

/// As `NDRA_Write_section`, from disk to the global array, which is not used before `DRA_Wait`.
///
/// # Safety
/// As for `NDRA_Write_section`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NDRA_Read_section(
    transp: c_int,
    g_a: c_int,
    glo: *const c_int,
    ghi: *const c_int,
    d_a: c_int,
    dlo: *const dra_size_t,
    dhi: *const dra_size_t,
    request: *mut c_int,
) -> c_int {
    let part = Part::Section(corners(transp, [glo, ghi], [dlo, dhi]));
    // SAFETY: promised by the caller.
    unsafe { transfer(Direction::ToMemory, g_a, d_a, part, request) }
}

fn corners(
    transp: c_int,
    memory: [*const c_int; 2],
    disk: [*const dra_size_t; 2],
) -> Corners<c_int, dra_size_t> {
    Corners { language: Language::C, transposed: transp != 0, of_matrices: false, memory, disk }
}

/// # Safety
/// As for [`NDRA_Write`].
unsafe fn transfer_whole(direction: Direction, g_a: c_int, d_a: c_int, request: *mut c_int) -> c_int {
    // SAFETY: promised by the caller.
    unsafe { transfer(direction, g_a, d_a, Part::Whole, request) }
}

/// # Safety
/// As for [`NDRA_Write_section`].
unsafe fn transfer(
    direction: Direction,
    g_a: c_int,
    d_a: c_int,
    part: Part<c_int, dra_size_t>,
    request: *mut c_int,
) -> c_int {
    let arguments = Arguments { memory: g_a.into(), disk: d_a.into(), part };
    // SAFETY: promised by the caller.
    boundary::code(|| unsafe { transfers::start(Ok(arguments), direction, request) })
}

/// Copies array `d_src` into array `d_dst`, of any bricks, with the dimensions in another order: dimension `perm[i]` of the source
/// becomes dimension `i` of the target, counted from 0. All of the target is written, and is on the device when this returns; until
/// then the target cannot be read or written, also if the program is killed. The same call made again goes on where it was. It moves the
/// array in as few passes as the memory of `DRA_Init` on all ranks together allows. Collective over all ranks.
///
/// Returns the same on all ranks: 0; -1994 if there is no such array; 1 if source and target are one array, have other types, or the
/// target's dimensions are not those of the source in this order, if there is not enough memory, or for a null pointer; -1993 if the
/// target was opened for reading or the source for writing alone; else the code of the first error, on whichever rank it was.
///
/// # Safety
/// `perm` is null or has a number for each dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NDRA_Copy(d_src: c_int, d_dst: c_int, perm: *const c_int) -> c_int {
    // SAFETY: promised by the caller.
    boundary::code(|| unsafe { copies::copy(Ok(copy_arguments(d_src, d_dst, perm))) })
}

/// As `NDRA_Copy`, but returns when the first part is being read. The copy goes on in `DRA_Probe`, which does not wait for transfers (but,
/// at the end of a pass and of each 4 GiB, for what is noted of them), and is complete after `DRA_Wait`, or when `DRA_Probe` says so;
/// neither array may be used before. What is being read or written when a call returns goes on by itself. Copies come one after the
/// other: waiting for one waits for those before it, and a call whose target one before it still uses waits for that one. Collective
/// over all ranks.
///
/// # Safety
/// `perm` is null or has a number for each dimension; `request` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NDRA_Ncopy(
    d_src: c_int,
    d_dst: c_int,
    perm: *const c_int,
    request: *mut c_int,
) -> c_int {
    // SAFETY: promised by the caller.
    boundary::code(|| unsafe { copies::start(Ok(copy_arguments(d_src, d_dst, perm)), request) })
}

fn copy_arguments(d_src: c_int, d_dst: c_int, permutation: *const c_int) -> copies::Arguments<c_int> {
    let (source, target) = (d_src.into(), d_dst.into());
    copies::Arguments { language: Language::C, source, target, permutation }
}

/// Waits until a transfer has finished on all ranks. May be repeated, with the same result; -333 is nothing to wait for.
/// Collective over all ranks.
///
/// Returns the same on all ranks: 0; -1994 if the request was never issued; 1 if the ranks give different ones; else the code
/// of the first error, on whichever rank it was.
#[unsafe(no_mangle)]
pub extern "C" fn DRA_Wait(request: c_int) -> c_int {
    boundary::code(|| transfers::wait(Ok(request.into())))
}

/// Stores in `*compl_status` whether a transfer has finished: -1 if so, 0 if not. Its errors are told by `DRA_Wait`. Collective
/// over all ranks.
///
/// Returns the same on all ranks: 0; -1994 if the request was never issued; 1 for a null pointer, or if the ranks give different
/// requests.
///
/// # Safety
/// `compl_status` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn DRA_Probe(request: c_int, compl_status: *mut c_int) -> c_int {
    boundary::code(|| {
        let id = pointer::check(compl_status, "compl_status", FAILED).map(|()| request.into());
        let status = transfers::probe(id)?;
        // SAFETY: checked above, and an error was returned.
        unsafe { pointer::store(compl_status, int(status)) };
        Ok(())
    })
}

/// Stores what is known about an array: the code of its type in C, its extents, its name (at most 72 characters and a NUL), and
/// its directory (at most 248 and a NUL). Local.
///
/// Returns 0; -1994 if there is no such array; 1 for a null pointer. Then nothing is stored.
///
/// # Safety
/// Each pointer is null or may be written: `dims` for up to 7 numbers, `name` for 73 characters, `filename` for 249.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NDRA_Inquire(
    d_a: c_int,
    r#type: *mut c_int,
    ndim: *mut c_int,
    dims: *mut dra_size_t,
    name: *mut c_char,
    filename: *mut c_char,
) -> c_int {
    // SAFETY: promised by the caller.
    unsafe { NDRA_Inquire_full(d_a, r#type, ndim, dims, name, NAME_LEN, filename, FILE_LEN) }
}

/// As `NDRA_Inquire`, with room for `name_len` and `filename_len` characters, NULs included. What does not fit is cut. Local.
///
/// # Safety
/// Each pointer is null or may be written: `dims` for up to 7 numbers, `name` and `filename` for their lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NDRA_Inquire_full(
    d_a: c_int,
    r#type: *mut c_int,
    ndim: *mut c_int,
    dims: *mut dra_size_t,
    name: *mut c_char,
    name_len: size_t,
    filename: *mut c_char,
    filename_len: size_t,
) -> c_int {
    boundary::code(|| {
        let known = arrays::describe(Language::C, d_a.into())?;
        pointer::check(r#type, "type", FAILED)?;
        pointer::check(ndim, "ndim", FAILED)?;
        pointer::check(dims, "dims", FAILED)?;
        pointer::check(name, "name", FAILED)?;
        pointer::check(filename, "filename", FAILED)?;
        // SAFETY: checked above, and promised by the caller.
        unsafe {
            pointer::store(r#type, int(known.type_code));
            pointer::store(ndim, c_int::try_from(known.extents.len()).unwrap_or(c_int::MAX));
            known.extents.iter().enumerate().for_each(|(at, &extent)| pointer::store(dims.add(at), extent));
            strings::fill_c(name, name_len, known.name.as_bytes());
            strings::fill_c(filename, filename_len, known.file.as_os_str().as_bytes());
        }
        Ok(())
    })
}

/// Tells where an array is: in how many parts, and for one of them, counted from 0, its host and how many bytes its files have when
/// all elements have been written. An array has one part, and `host` is empty, where all hosts see the directory; where each has
/// its own disk, one for each host, in a directory of the same name. `host` has room for `len` characters, NUL included. Local.
///
/// Returns 0; -1994 if there is no such array; -10016 if there is not enough room; 1 if there is no such part, or for a null
/// pointer. Then nothing is stored.
///
/// # Safety
/// `parts` and `bytes` are null or may be written; `host` is null or has room for `len` characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn DRA_Hosts(
    d_a: c_int,
    part: c_int,
    parts: *mut c_int,
    host: *mut c_char,
    len: size_t,
    bytes: *mut c_double,
) -> c_int {
    boundary::code(|| {
        let known = arrays::part(Language::C, d_a.into(), part.into())?;
        pointer::check(parts, "parts", FAILED)?;
        pointer::check(host, "host", FAILED)?;
        pointer::check(bytes, "bytes", FAILED)?;
        if known.host.len() >= len {
            return Err(Error::TooShort { expected: known.host.len() + 1, got: len });
        }
        // SAFETY: checked above, and promised by the caller.
        unsafe {
            pointer::store(parts, int(known.parts));
            strings::fill_c(host, len, known.host.as_bytes());
            pointer::store(bytes, known.bytes);
        }
        Ok(())
    })
}

/// What new arrays are like that say nothing themselves: in so many files, for which so many processes do the input and
/// output; -1 for "don't know": one file and two processes for each host. Called on all ranks alike, after `DRA_Init`; before it, it does nothing. Local.
#[unsafe(no_mangle)]
pub extern "C" fn DRA_Set_default_config(numfiles: c_int, numioprocs: c_int) {
    boundary::silent(|| arrays::set_default_config(numfiles.into(), numioprocs.into()));
}

/// Prints what is known about an array, on the first rank. Local.
#[unsafe(no_mangle)]
pub extern "C" fn DRA_Print_internals(d_a: c_int) {
    boundary::silent(|| arrays::print_internals(Language::C, d_a.into()));
}

/// Does nothing: the environment variable `CHEMIO_LOG` says what is told about transfers.
#[unsafe(no_mangle)]
pub extern "C" fn DRA_Set_debug(_flag: c_int) {}

/// Gives other threads of this process a chance. Transfers go on without it. Local.
#[unsafe(no_mangle)]
pub extern "C" fn DRA_Flick() {
    std::thread::yield_now();
}

/// Whether indices of the C calls count as those of Fortran: 0, they never do.
#[unsafe(no_mangle)]
pub extern "C" fn DRA_uses_fapi() -> c_int {
    0
}

/// Stores the value of the attribute `key` of an array as a JSON text in `value`, which has room for `len` characters, NUL
/// included. Local.
///
/// Returns 0; -1994 if there is no such array; -1 if it has no such attribute; -10016 if there is not enough room; 1 for a null
/// pointer or a key that is not UTF-8. Then nothing is stored.
///
/// # Safety
/// `key` is null or a string; `value` is null or has room for `len` characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn DRA_Get_attribute(
    d_a: c_int,
    key: *const c_char,
    value: *mut c_char,
    len: size_t,
) -> c_int {
    boundary::code(|| {
        // SAFETY: promised by the caller.
        let key = attributes::text(unsafe { bytes(key, "key") }?, "key")?;
        let text = attributes::get(d_a.into(), key)?;
        pointer::check(value, "value", FAILED)?;
        if text.len() >= len {
            return Err(Error::TooShort { expected: text.len() + 1, got: len });
        }
        // SAFETY: promised by the caller.
        unsafe { strings::fill_c(value, len, text.as_bytes()) };
        Ok(())
    })
}

/// Gives the attribute `key` of an array a value, a JSON text (`"1.5"`, `"\"eV\""`, `"[1, 2]"`), which other programs find with
/// the array; a null pointer takes it away. The attributes `chemio` and `chemio_between` cannot be changed. An array with the
/// attribute `chemio_unfinished`, an object whose `what` says what has to end before, cannot be read. Collective over all ranks.
///
/// Returns the same on all ranks: 0; -1994 if there is no such array; -1993 if it is open for reading only; 1 for a text that is
/// not JSON or not UTF-8, a null key, one of those attributes, or arguments that differ between ranks; else the code of the device.
///
/// # Safety
/// `key` and `value` are null or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn DRA_Set_attribute(d_a: c_int, key: *const c_char, value: *const c_char) -> c_int {
    boundary::code(|| {
        // SAFETY: promised by the caller.
        let key = unsafe { bytes(key, "key") }.and_then(|key| attributes::text(key, "key"));
        // SAFETY: as above.
        let value = (!value.is_null()).then(|| unsafe { bytes(value, "value") });
        let value = value.map(|value| value.and_then(|value| attributes::text(value, "value"))).transpose();
        attributes::set(Ok(d_a.into()), key, value)
    })
}

/// Stores what is known about the last error `code` in `msg`: at most 79 characters and a NUL, the cause first. Empty for a
/// number that is no code.
///
/// # Safety
/// `msg` is null or has room for 80 characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn DRA_Errmsg(code: c_int, msg: *mut c_char) {
    // SAFETY: promised by the caller.
    unsafe { DRA_Errmsg_full(code, msg, ERRMSG_LEN) }
}

/// Stores what is known about the last error `code` in `msg`, which has room for `len` characters, NUL included.
///
/// # Safety
/// `msg` is null or has room for `len` characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn DRA_Errmsg_full(code: c_int, msg: *mut c_char, len: size_t) {
    boundary::silent(|| {
        if !msg.is_null() && len > 0 {
            let text = transfers::message(code.into(), len - 1);
            // SAFETY: promised by the caller.
            unsafe { strings::fill_c(msg, len, text.as_bytes()) };
        }
        Ok(())
    });
}

/// Begins the use of arrays on disk, for a provider of arrays in memory. Defined as `DRA_Init` by the leaf crates.
#[doc(hidden)]
pub fn init(provider: &'static dyn crate::Provider, integer_bytes: usize, max_memory: f64) -> c_int {
    boundary::code(|| session::begin(provider, integer_bytes, max_memory))
}
