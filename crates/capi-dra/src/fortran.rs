//! The Fortran calls, for either width of INTEGER, and the macro that gives them their symbols.
//!
//! Every argument comes by reference; hidden lengths of character arguments follow at the end, in order, as `size_t`. A
//! LOGICAL has the width of an INTEGER and is false if it is zero.
#![allow(clippy::missing_safety_doc)] // one contract for all: arguments are null or point to what the call declares
#![allow(clippy::too_many_arguments, clippy::similar_names)] // the legacy signatures

use crate::arrays::{self, Creation, Description};
use crate::attributes;
use crate::codes::{FAILED, INVALID_HANDLE};
use crate::copies;
use crate::language::{Language, dims_count, numbers};
use crate::session::{self, Spread};
use crate::transfers::{self, Arguments, Corners, Direction, Part};
use chemio_capi::{Error, Integer, Result, boundary, pointer, strings};
use libc::c_char;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

fn result<I: Integer>(call: impl FnOnce() -> Result<()>) -> I {
    I::nearest(boundary::code(call).into())
}

/// Fetches a handle: there is no array behind a null one.
unsafe fn handle<I: Integer>(handle: *const I, argument: &'static str) -> Result<i64> {
    // SAFETY: promised by the caller of every call here.
    unsafe { pointer::value(handle, argument, INVALID_HANDLE) }.map(Integer::get)
}

/// Fetches a number.
unsafe fn number<I: Integer>(pointer: *const I, argument: &'static str) -> Result<i64> {
    // SAFETY: promised by the caller of every call here.
    unsafe { pointer::value(pointer, argument, FAILED) }.map(Integer::get)
}

/// Fetches a text without its trailing blanks.
unsafe fn text<'a>(text: *const c_char, len: usize, argument: &'static str) -> Result<&'a [u8]> {
    pointer::check(text.cast_mut(), argument, FAILED)?;
    // SAFETY: promised by the caller of every call here.
    Ok(strings::strip(unsafe { std::slice::from_raw_parts(text.cast(), len) }))
}

/// Fetches a file name.
unsafe fn file<'a>(name: *const c_char, len: usize) -> Result<&'a Path> {
    // SAFETY: promised by the caller of every call here.
    unsafe { strings::fortran_path(name, len, FAILED) }
}

/// `integer function dra_init(max_arrays, max_array_size, total_disk_space, max_memory)`: arguments but the last do not matter,
/// and that one only if it makes sense.
#[doc(hidden)]
pub unsafe fn init<I: Integer>(provider: &'static dyn crate::Provider, max_memory: *const f64) -> I {
    result(|| {
        // SAFETY: promised by the caller; a null pointer says nothing.
        let max_memory = unsafe { pointer::value(max_memory, "max_memory", FAILED) }.unwrap_or(-1.0);
        session::begin(provider, size_of::<I>(), max_memory)
    })
}

/// `integer function dra_terminate()`
pub unsafe fn terminate<I: Integer>() -> I {
    result(session::end)
}

/// The arguments of all calls that make an array, as they come.
struct Made<I> {
    r#type: *const I,
    name: (*const c_char, usize),
    filename: (*const c_char, usize),
    mode: *const I,
    d_a: *mut I,
}

impl<I: Integer> Made<I> {
    unsafe fn create(&self, dims: Result<Vec<i64>>, hint: Result<Vec<i64>>, spread: Result<Spread>) -> I {
        result(|| {
            // SAFETY: see the head of this file.
            let created = arrays::create(unsafe { self.creation(dims, hint, spread) })?;
            // SAFETY: checked by `creation`, and an error of it was returned.
            unsafe { pointer::store(self.d_a, I::nearest(created)) };
            Ok(())
        })
    }

    unsafe fn creation<'a>(
        &self,
        dims: Result<Vec<i64>>,
        hint: Result<Vec<i64>>,
        spread: Result<Spread>,
    ) -> Result<Creation<'a>> {
        // SAFETY: see the head of this file.
        unsafe {
            let (dims, hint) = (Language::Fortran.shape(&dims?)?, Language::Fortran.hint(&hint?));
            let (type_code, mode) = (number(self.r#type, "type")?, number(self.mode, "mode")?);
            let name = String::from_utf8_lossy(text(self.name.0, self.name.1, "name")?).into_owned();
            let file = file(self.filename.0, self.filename.1)?;
            pointer::check(self.d_a, "d_a", FAILED)?;
            let (language, spread) = (Language::Fortran, spread?);
            Ok(Creation { language, type_code, dims, name, file, mode, hint, spread })
        }
    }
}

/// `integer function dra_create(type, dim1, dim2, name, filename, mode, reqdim1, reqdim2, d_a)`
pub unsafe fn create<I: Integer>(
    r#type: *const I,
    dim1: *const I,
    dim2: *const I,
    name: *const c_char,
    filename: *const c_char,
    mode: *const I,
    reqdim1: *const I,
    reqdim2: *const I,
    d_a: *mut I,
    name_len: usize,
    filename_len: usize,
) -> I {
    let made = Made { r#type, name: (name, name_len), filename: (filename, filename_len), mode, d_a };
    // SAFETY: see the head of this file.
    unsafe {
        let dims = number(dim1, "dim1").and_then(|dim1| Ok(vec![dim1, number(dim2, "dim2")?]));
        let hint = number(reqdim1, "reqdim1").and_then(|dim1| Ok(vec![dim1, number(reqdim2, "reqdim2")?]));
        made.create(dims, hint, Ok(Spread::UNKNOWN))
    }
}

/// Fetches the extents and the hint of an array of any dimension.
unsafe fn lists<I: Integer>(
    ndim: *const I,
    dims: *const I,
    reqdims: *const I,
) -> (Result<Vec<i64>>, Result<Vec<i64>>) {
    // SAFETY: see the head of this file.
    let list = |list, argument| unsafe {
        number(ndim, "ndim").and_then(dims_count).and_then(|count| numbers(list, count, argument))
    };
    (list(dims, "dims"), list(reqdims, "reqdims"))
}

/// `integer function ndra_create(type, ndim, dims, name, filename, mode, reqdims, d_a)`
pub unsafe fn ncreate<I: Integer>(
    r#type: *const I,
    ndim: *const I,
    dims: *const I,
    name: *const c_char,
    filename: *const c_char,
    mode: *const I,
    reqdims: *const I,
    d_a: *mut I,
    name_len: usize,
    filename_len: usize,
) -> I {
    let made = Made { r#type, name: (name, name_len), filename: (filename, filename_len), mode, d_a };
    // SAFETY: see the head of this file.
    unsafe {
        let (dims, hint) = lists(ndim, dims, reqdims);
        made.create(dims, hint, Ok(Spread::UNKNOWN))
    }
}

/// `integer function ndra_create_config(type, ndim, dims, name, filename, mode, reqdims, numfiles, ioprocs, d_a)`
pub unsafe fn ncreate_config<I: Integer>(
    r#type: *const I,
    ndim: *const I,
    dims: *const I,
    name: *const c_char,
    filename: *const c_char,
    mode: *const I,
    reqdims: *const I,
    numfiles: *const I,
    ioprocs: *const I,
    d_a: *mut I,
    name_len: usize,
    filename_len: usize,
) -> I {
    let made = Made { r#type, name: (name, name_len), filename: (filename, filename_len), mode, d_a };
    // SAFETY: see the head of this file.
    unsafe {
        let (dims, hint) = lists(ndim, dims, reqdims);
        made.create(dims, hint, spread(numfiles, ioprocs))
    }
}

unsafe fn spread<I: Integer>(numfiles: *const I, ioprocs: *const I) -> Result<Spread> {
    // SAFETY: see the head of this file.
    unsafe { Ok(Spread { files: number(numfiles, "numfiles")?, io_processes: number(ioprocs, "ioprocs")? }) }
}

/// `integer function dra_open(filename, mode, d_a)`
pub unsafe fn open<I: Integer>(
    filename: *const c_char,
    mode: *const I,
    d_a: *mut I,
    filename_len: usize,
) -> I {
    result(|| {
        // SAFETY: see the head of this file.
        let (file, mode) = unsafe { (file(filename, filename_len), number(mode, "mode")) };
        let file = pointer::check(d_a, "d_a", FAILED).and(file);
        let opened = arrays::open(file, mode)?;
        // SAFETY: checked above, and an error was returned.
        unsafe { pointer::store(d_a, I::nearest(opened)) };
        Ok(())
    })
}

/// `integer function dra_close(d_a)`: the handle becomes 0 where it was one.
pub unsafe fn close<I: Integer>(d_a: *mut I) -> I {
    // SAFETY: see the head of this file.
    unsafe { ending(d_a, arrays::close) }
}

/// `integer function dra_delete(d_a)`: the handle becomes 0 where it was one.
pub unsafe fn delete<I: Integer>(d_a: *mut I) -> I {
    // SAFETY: see the head of this file.
    unsafe { ending(d_a, arrays::delete) }
}

unsafe fn ending<I: Integer>(d_a: *mut I, end: fn(Result<i64>) -> Result<()>) -> I {
    // SAFETY: see the head of this file.
    let given = unsafe { handle(d_a, "d_a") };
    let number = given.as_ref().ok().copied();
    let is_open = || number.is_some_and(arrays::is_open);
    let was_open = is_open();
    let code = result(|| end(given));
    // The handle is gone after errors too, unless the ranks disagreed before anything was done.
    if was_open && !is_open() {
        // SAFETY: as above.
        unsafe { pointer::store_unless_null(d_a, I::nearest(0)) };
    }
    code
}

/// `integer function dra_write(g_a, d_a, request)`
pub unsafe fn write<I: Integer>(g_a: *const I, d_a: *const I, request: *mut I) -> I {
    // SAFETY: see the head of this file.
    unsafe { transfer(Direction::ToDisk, g_a, d_a, Ok(Part::Whole), request) }
}

/// `integer function dra_read(g_a, d_a, request)`
pub unsafe fn read<I: Integer>(g_a: *const I, d_a: *const I, request: *mut I) -> I {
    // SAFETY: see the head of this file.
    unsafe { transfer(Direction::ToMemory, g_a, d_a, Ok(Part::Whole), request) }
}

unsafe fn transfer<I: Integer>(
    direction: Direction,
    g_a: *const I,
    d_a: *const I,
    part: Result<Part<I, I>>,
    request: *mut I,
) -> I {
    // SAFETY: see the head of this file.
    result(|| unsafe {
        let disk = handle(d_a, "d_a");
        let arguments =
            disk.and_then(|disk| Ok(Arguments { memory: handle(g_a, "g_a")?, disk, part: part? }));
        transfers::start(arguments, direction, request)
    })
}

/// `integer function dra_write_section(transp, g_a, gilo, gihi, gjlo, gjhi, d_a, dilo, dihi, djlo, djhi, request)`
pub unsafe fn write_section<I: Integer>(
    transp: *const I,
    g_a: *const I,
    gilo: *const I,
    gihi: *const I,
    gjlo: *const I,
    gjhi: *const I,
    d_a: *const I,
    dilo: *const I,
    dihi: *const I,
    djlo: *const I,
    djhi: *const I,
    request: *mut I,
) -> I {
    let bounds = [[gilo, gjlo], [gihi, gjhi], [dilo, djlo], [dihi, djhi]];
    // SAFETY: see the head of this file.
    unsafe { transfer_of_matrix(Direction::ToDisk, transp, g_a, d_a, bounds, request) }
}

/// `integer function dra_read_section(transp, g_a, gilo, gihi, gjlo, gjhi, d_a, dilo, dihi, djlo, djhi, request)`
pub unsafe fn read_section<I: Integer>(
    transp: *const I,
    g_a: *const I,
    gilo: *const I,
    gihi: *const I,
    gjlo: *const I,
    gjhi: *const I,
    d_a: *const I,
    dilo: *const I,
    dihi: *const I,
    djlo: *const I,
    djhi: *const I,
    request: *mut I,
) -> I {
    let bounds = [[gilo, gjlo], [gihi, gjhi], [dilo, djlo], [dihi, djhi]];
    // SAFETY: see the head of this file.
    unsafe { transfer_of_matrix(Direction::ToMemory, transp, g_a, d_a, bounds, request) }
}

/// `bounds`: the lower and upper ones in memory, then those on disk, each row before column.
unsafe fn transfer_of_matrix<I: Integer>(
    direction: Direction,
    transp: *const I,
    g_a: *const I,
    d_a: *const I,
    bounds: [[*const I; 2]; 4],
    request: *mut I,
) -> I {
    // SAFETY: see the head of this file.
    let fetched = bounds.iter().map(|pair| unsafe {
        [pair[0], pair[1]].map(|bound| number(bound, "a bound")).into_iter().collect::<Result<Vec<_>>>()
    });
    let fetched = fetched.collect::<Result<Vec<_>>>();
    let numbers = fetched.map(|all| all.into_iter().map(|pair| [I::nearest(pair[0]), I::nearest(pair[1])]));
    let numbers = numbers.map(Iterator::collect::<Vec<_>>);
    let first = |at: usize| numbers.as_ref().map_or(std::ptr::null(), |all| all[at].as_ptr());
    let (memory, disk) = ([first(0), first(1)], [first(2), first(3)]);
    // SAFETY: see the head of this file; the numbers are locals.
    unsafe { transfer(direction, g_a, d_a, part(transp, true, memory, disk), request) }
}

unsafe fn part<I: Integer>(
    transp: *const I,
    of_matrices: bool,
    memory: [*const I; 2],
    disk: [*const I; 2],
) -> Result<Part<I, I>> {
    // SAFETY: see the head of this file.
    let transposed = unsafe { number(transp, "transp") }? != 0;
    Ok(Part::Section(Corners { language: Language::Fortran, transposed, of_matrices, memory, disk }))
}

/// `integer function ndra_write_section(transp, g_a, glo, ghi, d_a, dlo, dhi, request)`
pub unsafe fn nwrite_section<I: Integer>(
    transp: *const I,
    g_a: *const I,
    glo: *const I,
    ghi: *const I,
    d_a: *const I,
    dlo: *const I,
    dhi: *const I,
    request: *mut I,
) -> I {
    // SAFETY: see the head of this file.
    unsafe { transfer(Direction::ToDisk, g_a, d_a, part(transp, false, [glo, ghi], [dlo, dhi]), request) }
}

/// `integer function ndra_read_section(transp, g_a, glo, ghi, d_a, dlo, dhi, request)`
pub unsafe fn nread_section<I: Integer>(
    transp: *const I,
    g_a: *const I,
    glo: *const I,
    ghi: *const I,
    d_a: *const I,
    dlo: *const I,
    dhi: *const I,
    request: *mut I,
) -> I {
    // SAFETY: see the head of this file.
    unsafe { transfer(Direction::ToMemory, g_a, d_a, part(transp, false, [glo, ghi], [dlo, dhi]), request) }
}

/// `integer function ndra_copy(d_src, d_dst, perm)`
pub unsafe fn copy<I: Integer>(d_src: *const I, d_dst: *const I, perm: *const I) -> I {
    // SAFETY: see the head of this file.
    result(|| unsafe { copies::copy(copy_arguments(d_src, d_dst, perm)) })
}

/// `integer function ndra_ncopy(d_src, d_dst, perm, request)`
pub unsafe fn ncopy<I: Integer>(d_src: *const I, d_dst: *const I, perm: *const I, request: *mut I) -> I {
    // SAFETY: see the head of this file.
    result(|| unsafe { copies::start(copy_arguments(d_src, d_dst, perm), request) })
}

unsafe fn copy_arguments<I: Integer>(
    d_src: *const I,
    d_dst: *const I,
    permutation: *const I,
) -> Result<copies::Arguments<I>> {
    // SAFETY: see the head of this file.
    let (source, target) = unsafe { (handle(d_src, "d_src")?, handle(d_dst, "d_dst")?) };
    Ok(copies::Arguments { language: Language::Fortran, source, target, permutation })
}

/// `integer function dra_wait(request)`
pub unsafe fn wait<I: Integer>(request: *const I) -> I {
    // SAFETY: see the head of this file.
    result(|| transfers::wait(unsafe { handle(request, "request") }))
}

/// `integer function dra_probe(request, status)`
pub unsafe fn probe<I: Integer>(request: *const I, status: *mut I) -> I {
    result(|| {
        // SAFETY: see the head of this file.
        let id = unsafe { handle(request, "request") };
        let found = transfers::probe(pointer::check(status, "status", FAILED).and(id))?;
        // SAFETY: checked above, and an error was returned.
        unsafe { pointer::store(status, I::nearest(found)) };
        Ok(())
    })
}

/// Name and file of an array, with their lengths.
struct Names {
    name: (*mut c_char, usize),
    filename: (*mut c_char, usize),
}

impl Names {
    fn check(&self) -> Result<()> {
        pointer::check(self.name.0, "name", FAILED)?;
        pointer::check(self.filename.0, "filename", FAILED)
    }

    unsafe fn fill(&self, known: &Description) {
        // SAFETY: see the head of this file; the pointers were checked.
        unsafe {
            strings::fill_fortran(self.name.0, self.name.1, known.name.as_bytes());
            strings::fill_fortran(self.filename.0, self.filename.1, known.file.as_os_str().as_bytes());
        }
    }
}

/// `integer function dra_inquire(d_a, type, dim1, dim2, name, filename)`
pub unsafe fn inquire<I: Integer>(
    d_a: *const I,
    r#type: *mut I,
    dim1: *mut I,
    dim2: *mut I,
    name: *mut c_char,
    filename: *mut c_char,
    name_len: usize,
    filename_len: usize,
) -> I {
    let names = Names { name: (name, name_len), filename: (filename, filename_len) };
    result(|| {
        // SAFETY: see the head of this file.
        let known = arrays::describe(Language::Fortran, unsafe { handle(d_a, "d_a") }?)?;
        let [_, _] = known.extents[..] else {
            return Err(crate::Error::NoMatrix {
                what: "the disk-resident array",
                dims: known.extents.len(),
            }
            .into());
        };
        for (pointer, argument) in [(r#type, "type"), (dim1, "dim1"), (dim2, "dim2")] {
            pointer::check(pointer, argument, FAILED)?;
        }
        names.check()?;
        let extents = extents::<I>(&known)?;
        // SAFETY: checked above.
        unsafe {
            pointer::store(r#type, I::nearest(known.type_code));
            pointer::store(dim1, extents[0]);
            pointer::store(dim2, extents[1]);
            names.fill(&known);
        }
        Ok(())
    })
}

/// The extents of an array, which an `INTEGER` of the caller may not hold: C and programs with wider ones make larger arrays.
fn extents<I: Integer>(known: &Description) -> Result<Vec<I>> {
    let extent = |&extent: &i64| Some(I::nearest(extent)).filter(|held| held.get() == extent);
    let extents: Option<Vec<I>> = known.extents.iter().map(extent).collect();
    Ok(extents.ok_or_else(|| crate::Error::LargeExtents { extents: known.extents.clone() })?)
}

/// `integer function ndra_inquire(d_a, type, ndim, dims, name, filename)`
pub unsafe fn ninquire<I: Integer>(
    d_a: *const I,
    r#type: *mut I,
    ndim: *mut I,
    dims: *mut I,
    name: *mut c_char,
    filename: *mut c_char,
    name_len: usize,
    filename_len: usize,
) -> I {
    let names = Names { name: (name, name_len), filename: (filename, filename_len) };
    result(|| {
        // SAFETY: see the head of this file.
        let known = arrays::describe(Language::Fortran, unsafe { handle(d_a, "d_a") }?)?;
        for (pointer, argument) in [(r#type, "type"), (ndim, "ndim"), (dims, "dims")] {
            pointer::check(pointer, argument, FAILED)?;
        }
        names.check()?;
        let extents = extents::<I>(&known)?;
        // SAFETY: checked above.
        unsafe {
            pointer::store(r#type, I::nearest(known.type_code));
            pointer::store(ndim, I::nearest(i64::try_from(known.extents.len()).unwrap_or(i64::MAX)));
            for (at, extent) in extents.into_iter().enumerate() {
                pointer::store(dims.add(at), extent);
            }
            names.fill(&known);
        }
        Ok(())
    })
}

/// `subroutine dra_flick()`
pub unsafe fn flick() {
    crate::c::DRA_Flick();
}

/// `subroutine dra_set_debug(flag)`: does nothing; `CHEMIO_LOG` says what is told. It has a result, 0, for programs that declare it a
/// function, as the package's `dra.fh` does.
pub unsafe fn set_debug<I: Integer>(_flag: *const I) -> I {
    I::nearest(0)
}

/// `subroutine dra_set_mode(mode)`: does nothing.
pub unsafe fn set_mode<I: Integer>(_mode: *const I) {}

/// `subroutine dra_print_internals(d_a)`
pub unsafe fn print_internals<I: Integer>(d_a: *const I) {
    // SAFETY: see the head of this file.
    boundary::silent(|| arrays::print_internals(Language::Fortran, unsafe { handle(d_a, "d_a") }?));
}

/// `subroutine dra_set_default_config(numfiles, ioprocs)`
pub unsafe fn set_default_config<I: Integer>(numfiles: *const I, ioprocs: *const I) {
    boundary::silent(|| {
        // SAFETY: see the head of this file.
        let Spread { files, io_processes } = unsafe { spread(numfiles, ioprocs) }?;
        arrays::set_default_config(files, io_processes)
    });
}

/// `integer function dra_get_attribute(d_a, key, value)`
pub unsafe fn get_attribute<I: Integer>(
    d_a: *const I,
    key: *const c_char,
    value: *mut c_char,
    key_len: usize,
    value_len: usize,
) -> I {
    result(|| {
        // SAFETY: see the head of this file.
        let (d_a, key) = unsafe { (handle(d_a, "d_a")?, text(key, key_len, "key")?) };
        let found = attributes::get(d_a, attributes::text(key, "key")?)?;
        pointer::check(value, "value", FAILED)?;
        if found.len() > value_len {
            return Err(Error::TooShort { expected: found.len(), got: value_len });
        }
        // SAFETY: as above.
        unsafe { strings::fill_fortran(value, value_len, found.as_bytes()) };
        Ok(())
    })
}

/// `integer function dra_set_attribute(d_a, key, value)`: a blank value takes the attribute away.
pub unsafe fn set_attribute<I: Integer>(
    d_a: *const I,
    key: *const c_char,
    value: *const c_char,
    key_len: usize,
    value_len: usize,
) -> I {
    result(|| {
        // SAFETY: see the head of this file.
        let (key, value) = unsafe { (text(key, key_len, "key"), text(value, value_len, "value")) };
        let key = key.and_then(|key| attributes::text(key, "key"));
        let value = value.and_then(|value| attributes::text(value, "value"));
        // SAFETY: as above.
        let d_a = unsafe { handle(d_a, "d_a") };
        attributes::set(d_a, key, value.map(|value| (!value.is_empty()).then_some(value)))
    })
}

/// `integer function dra_hosts(d_a, part, parts, host, bytes)`: where a part of an array is, counted from 1.
pub unsafe fn hosts<I: Integer>(
    d_a: *const I,
    part: *const I,
    parts: *mut I,
    host: *mut c_char,
    bytes: *mut f64,
    host_len: usize,
) -> I {
    result(|| {
        // SAFETY: see the head of this file.
        let (d_a, part) = unsafe { (handle(d_a, "d_a")?, number(part, "part")?) };
        let known = arrays::part(Language::Fortran, d_a, part)?;
        pointer::check(parts, "parts", FAILED)?;
        pointer::check(host, "host", FAILED)?;
        pointer::check(bytes, "bytes", FAILED)?;
        if known.host.len() > host_len {
            return Err(Error::TooShort { expected: known.host.len(), got: host_len });
        }
        // SAFETY: checked above, and see the head of this file.
        unsafe {
            pointer::store(parts, I::nearest(known.parts));
            strings::fill_fortran(host, host_len, known.host.as_bytes());
            pointer::store(bytes, known.bytes);
        }
        Ok(())
    })
}

/// `subroutine dra_errmsg(code, msg)`
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

/// Defines the Fortran symbols of DRA for one width of INTEGER, `i32` or `i64`, and `DRA_Init`, both for arrays in memory of
/// this provider.
#[macro_export]
macro_rules! export {
    ($int:ty, $provider:expr) => {
        /// Begins the use of arrays on disk. Collective over all ranks.
        #[allow(non_snake_case)] // the legacy name
        #[unsafe(no_mangle)]
        pub extern "C" fn DRA_Init(
            _max_arrays: std::ffi::c_int,
            _max_array_size: f64,
            _total_disk_space: f64,
            max_memory: f64,
        ) -> std::ffi::c_int {
            $crate::c::init($provider, size_of::<$int>(), max_memory)
        }

        /// The Fortran symbol of `init`.
        ///
        /// # Safety
        /// Arguments are null or point to what the call declares.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn dra_init_(
            _max_arrays: *const $int,
            _max_array_size: *const f64,
            _total_disk_space: *const f64,
            max_memory: *const f64,
        ) -> $int {
            // SAFETY: the contract is the same.
            unsafe { $crate::fortran::init($provider, max_memory) }
        }

        chemio_capi::fortran_symbols! { $crate::fortran;
            dra_terminate_ = terminate() -> $int;
            dra_create_ = create(
                r#type: *const $int, dim1: *const $int, dim2: *const $int, name: *const c_char, filename: *const c_char,
                mode: *const $int, reqdim1: *const $int, reqdim2: *const $int, d_a: *mut $int, name_len: usize,
                filename_len: usize
            ) -> $int;
            ndra_create_ = ncreate(
                r#type: *const $int, ndim: *const $int, dims: *const $int, name: *const c_char, filename: *const c_char,
                mode: *const $int, reqdims: *const $int, d_a: *mut $int, name_len: usize, filename_len: usize
            ) -> $int;
            ndra_create_config_ = ncreate_config(
                r#type: *const $int, ndim: *const $int, dims: *const $int, name: *const c_char, filename: *const c_char,
                mode: *const $int, reqdims: *const $int, numfiles: *const $int, ioprocs: *const $int, d_a: *mut $int,
                name_len: usize, filename_len: usize
            ) -> $int;
            dra_open_ = open(
                filename: *const c_char, mode: *const $int, d_a: *mut $int, filename_len: usize
            ) -> $int;
            dra_close_ = close(d_a: *mut $int) -> $int;
            dra_delete_ = delete(d_a: *mut $int) -> $int;
            dra_write_ = write(g_a: *const $int, d_a: *const $int, request: *mut $int) -> $int;
            ndra_write_ = write(g_a: *const $int, d_a: *const $int, request: *mut $int) -> $int;
            dra_read_ = read(g_a: *const $int, d_a: *const $int, request: *mut $int) -> $int;
            ndra_read_ = read(g_a: *const $int, d_a: *const $int, request: *mut $int) -> $int;
            dra_write_section_ = write_section(
                transp: *const $int, g_a: *const $int, gilo: *const $int, gihi: *const $int, gjlo: *const $int,
                gjhi: *const $int, d_a: *const $int, dilo: *const $int, dihi: *const $int, djlo: *const $int,
                djhi: *const $int, request: *mut $int
            ) -> $int;
            dra_read_section_ = read_section(
                transp: *const $int, g_a: *const $int, gilo: *const $int, gihi: *const $int, gjlo: *const $int,
                gjhi: *const $int, d_a: *const $int, dilo: *const $int, dihi: *const $int, djlo: *const $int,
                djhi: *const $int, request: *mut $int
            ) -> $int;
            ndra_write_section_ = nwrite_section(
                transp: *const $int, g_a: *const $int, glo: *const $int, ghi: *const $int, d_a: *const $int,
                dlo: *const $int, dhi: *const $int, request: *mut $int
            ) -> $int;
            ndra_read_section_ = nread_section(
                transp: *const $int, g_a: *const $int, glo: *const $int, ghi: *const $int, d_a: *const $int,
                dlo: *const $int, dhi: *const $int, request: *mut $int
            ) -> $int;
            ndra_copy_ = copy(d_src: *const $int, d_dst: *const $int, perm: *const $int) -> $int;
            ndra_ncopy_ = ncopy(
                d_src: *const $int, d_dst: *const $int, perm: *const $int, request: *mut $int
            ) -> $int;
            dra_wait_ = wait(request: *const $int) -> $int;
            dra_probe_ = probe(request: *const $int, status: *mut $int) -> $int;
            dra_inquire_ = inquire(
                d_a: *const $int, r#type: *mut $int, dim1: *mut $int, dim2: *mut $int, name: *mut c_char,
                filename: *mut c_char, name_len: usize, filename_len: usize
            ) -> $int;
            ndra_inquire_ = ninquire(
                d_a: *const $int, r#type: *mut $int, ndim: *mut $int, dims: *mut $int, name: *mut c_char,
                filename: *mut c_char, name_len: usize, filename_len: usize
            ) -> $int;
            dra_hosts_ = hosts(
                d_a: *const $int, part: *const $int, parts: *mut $int, host: *mut c_char, bytes: *mut f64, host_len: usize
            ) -> $int;
            dra_flick_ = flick();
            dra_set_debug_ = set_debug(flag: *const $int) -> $int;
            dra_set_mode_ = set_mode(mode: *const $int);
            dra_print_internals_ = print_internals(d_a: *const $int);
            dra_set_default_config_ = set_default_config(numfiles: *const $int, ioprocs: *const $int);
            dra_get_attribute_ = get_attribute(
                d_a: *const $int, key: *const c_char, value: *mut c_char, key_len: usize, value_len: usize
            ) -> $int;
            dra_set_attribute_ = set_attribute(
                d_a: *const $int, key: *const c_char, value: *const c_char, key_len: usize, value_len: usize
            ) -> $int;
            dra_errmsg_ = errmsg(code: *const $int, msg: *mut c_char, msg_len: usize);
        }
    };
}
