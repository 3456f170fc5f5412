//! The calls of the HDF5 library that are needed, and nothing else. All the unsafe code of this crate.
//!
//! Every object is a number that is given back when it is dropped. The library may be used by one thread at a time: every call
//! is made under one lock. Its own error messages are not printed but asked for.
//!
//! Source: HDF5 1.10 reference manual.
#![allow(unsafe_code)]

use section::Shape;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::mem::ManuallyDrop;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};

type Id = i64;
type Status = c_int;
/// The default properties, the error stack of the thread, all of a dataset.
const DEFAULT: Id = 0;
/// Names of files are not longer.
const PATH_BYTES_MAX: usize = 4096;

const READ_ONLY: c_uint = 0;
const TRUNCATE: c_uint = 2;
const LAYOUT_CONTIGUOUS: c_int = 1;
const ALLOCATE_EARLY: c_int = 1;
const FILL_NEVER: c_int = 1;
const SELECT_SET: c_int = 0;
const CLASS_INTEGER: c_int = 0;
const CLASS_FLOAT: c_int = 1;
const CLASS_COMPOUND: c_int = 6;
const LITTLE_ENDIAN: c_int = 0;
const KIND_DATASET: c_int = 5;
const INDEX_NAME: c_int = 0;
const ASCENDING: c_int = 0;
const WALK_UPWARD: c_int = 0;

#[repr(C)]
struct GroupInfo {
    storage: c_int,
    links: u64,
    order_max: i64,
    mounted: u8,
}

#[repr(C)]
struct ErrorEntry {
    class: Id,
    major: Id,
    minor: Id,
    line: c_uint,
    function: *const c_char,
    file: *const c_char,
    text: *const c_char,
}

unsafe extern "C" {
    static H5T_IEEE_F32LE_g: Id;
    static H5T_IEEE_F64LE_g: Id;
    static H5T_STD_I32LE_g: Id;
    static H5T_STD_I64LE_g: Id;
    static H5P_CLS_DATASET_CREATE_ID_g: Id;

    fn H5dont_atexit() -> Status;
    fn H5open() -> Status;
    fn H5Eset_auto2(stack: Id, function: *const c_void, data: *mut c_void) -> Status;
    fn H5Ewalk2(
        stack: Id,
        direction: c_int,
        visit: extern "C" fn(c_uint, *const ErrorEntry, *mut c_void) -> Status,
        data: *mut c_void,
    ) -> Status;
    fn H5Eclear2(stack: Id) -> Status;
    fn H5Fopen(name: *const c_char, flags: c_uint, access: Id) -> Id;
    fn H5Fcreate(name: *const c_char, flags: c_uint, creation: Id, access: Id) -> Id;
    fn H5Fclose(file: Id) -> Status;
    fn H5Gget_info(group: Id, info: *mut GroupInfo) -> Status;
    fn H5Lget_name_by_idx(
        location: Id,
        group: *const c_char,
        index: c_int,
        order: c_int,
        number: u64,
        name: *mut c_char,
        size: usize,
        access: Id,
    ) -> isize;
    fn H5Oopen(location: Id, name: *const c_char, access: Id) -> Id;
    fn H5Oclose(object: Id) -> Status;
    fn H5Iget_type(object: Id) -> c_int;
    fn H5Dcreate2(
        location: Id,
        name: *const c_char,
        data_type: Id,
        space: Id,
        links: Id,
        creation: Id,
        access: Id,
    ) -> Id;
    fn H5Dget_space(dataset: Id) -> Id;
    fn H5Dget_type(dataset: Id) -> Id;
    fn H5Dget_create_plist(dataset: Id) -> Id;
    fn H5Dget_offset(dataset: Id) -> u64;
    fn H5Dget_storage_size(dataset: Id) -> u64;
    fn H5Fget_name(object: Id, name: *mut c_char, size: usize) -> isize;
    fn H5Dread(
        dataset: Id,
        memory_type: Id,
        memory: Id,
        file: Id,
        transfer: Id,
        buffer: *mut c_void,
    ) -> Status;
    fn H5Dclose(dataset: Id) -> Status;
    fn H5Screate_simple(dims: c_int, extents: *const u64, max: *const u64) -> Id;
    fn H5Sget_simple_extent_ndims(space: Id) -> c_int;
    fn H5Sget_simple_extent_dims(space: Id, extents: *mut u64, max: *mut u64) -> c_int;
    fn H5Sselect_hyperslab(
        space: Id,
        how: c_int,
        start: *const u64,
        stride: *const u64,
        count: *const u64,
        block: *const u64,
    ) -> Status;
    fn H5Sclose(space: Id) -> Status;
    fn H5Tcreate(class: c_int, size: usize) -> Id;
    fn H5Tinsert(data_type: Id, name: *const c_char, offset: usize, member: Id) -> Status;
    fn H5Tcopy(data_type: Id) -> Id;
    fn H5Tequal(a: Id, b: Id) -> c_int;
    fn H5Tget_class(data_type: Id) -> c_int;
    fn H5Tget_size(data_type: Id) -> usize;
    fn H5Tget_sign(data_type: Id) -> c_int;
    fn H5Tget_order(data_type: Id) -> c_int;
    fn H5Tget_nmembers(data_type: Id) -> c_int;
    fn H5Tget_member_name(data_type: Id, number: c_uint) -> *mut c_char;
    fn H5Tget_member_type(data_type: Id, number: c_uint) -> Id;
    fn H5Tclose(data_type: Id) -> Status;
    fn H5free_memory(memory: *mut c_void) -> Status;
    fn H5Pcreate(class: Id) -> Id;
    fn H5Pset_layout(list: Id, layout: c_int) -> Status;
    fn H5Pget_layout(list: Id) -> c_int;
    fn H5Pget_external_count(list: Id) -> c_int;
    fn H5Pset_alloc_time(list: Id, time: c_int) -> Status;
    fn H5Pset_fill_time(list: Id, time: c_int) -> Status;
    fn H5Pclose(list: Id) -> Status;
}

/// What the library says is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal(pub(super) String);

type Result<T> = std::result::Result<T, Refusal>;

static LOCK: Mutex<bool> = Mutex::new(false);

/// Whoever has it may call the library.
struct Turn(#[expect(dead_code, reason = "held, not looked at")] MutexGuard<'static, bool>);

fn turn() -> Turn {
    let mut begun = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    if !*begun {
        // SAFETY: under the lock; no arguments that could be wrong.
        unsafe {
            // At the end of the program the library would close once more what it could not write, and crash. All that is
            // open is closed here.
            H5dont_atexit();
            H5open();
            H5Eset_auto2(DEFAULT, null(), null_mut());
        }
        *begun = true;
    }
    Turn(begun)
}

/// The words of the innermost error, which names the cause.
extern "C" fn take_first(_: c_uint, entry: *const ErrorEntry, data: *mut c_void) -> Status {
    // SAFETY: the library gives a valid entry, and `data` is the `String` that `refusal` has on its stack.
    let (entry, words) = unsafe { (&*entry, &mut *data.cast::<String>()) };
    if words.is_empty() && !entry.text.is_null() {
        // SAFETY: texts of entries end with a zero byte.
        *words = unsafe { CStr::from_ptr(entry.text) }.to_string_lossy().into_owned();
    }
    0
}

fn refusal(_: &Turn, doing: &str) -> Refusal {
    let mut words = String::new();
    // SAFETY: `take_first` is called before this returns, with the string that outlives the call.
    unsafe {
        H5Ewalk2(DEFAULT, WALK_UPWARD, take_first, (&raw mut words).cast());
        H5Eclear2(DEFAULT);
    }
    let words = words_of_system(&words).unwrap_or(&words);
    let cause = if words.is_empty() { String::new() } else { format!("{words}: ") };
    Refusal(format!("{cause}HDF5 cannot {doing}"))
}

/// What the system has said, of a text that has times, addresses and lengths too.
fn words_of_system(text: &str) -> Option<&str> {
    let (_, words) = text.split_once("error message = '")?;
    words.split_once('\'').map(|(words, _)| words)
}

/// An object of the library.
#[derive(Debug)]
struct Object {
    id: Id,
    close: unsafe extern "C" fn(Id) -> Status,
}

impl Object {
    /// Of a call that has just been made; `close` is the one that gives such an object back.
    fn made(turn: &Turn, id: Id, close: unsafe extern "C" fn(Id) -> Status, doing: &str) -> Result<Self> {
        if id < 0 { Err(refusal(turn, doing)) } else { Ok(Self { id, close }) }
    }
}

impl Object {
    /// Gives it back; what that writes may fail.
    fn close(self, doing: &str) -> Result<()> {
        let object = ManuallyDrop::new(self);
        let turn = turn();
        // SAFETY: the object is open, of the kind that `close` is for, and is not dropped.
        let status = unsafe { (object.close)(object.id) };
        expect(&turn, status, doing)
    }
}

/// The name of the file in which an object is.
fn file_of(object: &Object) -> Option<CString> {
    let mut name = vec![0u8; PATH_BYTES_MAX];
    let _turn = turn();
    // SAFETY: an open object; the library ends what it writes there with a zero byte.
    let len = unsafe { H5Fget_name(object.id, name.as_mut_ptr().cast(), name.len()) };
    if len < 0 { None } else { CStr::from_bytes_until_nul(&name).ok().map(CStr::to_owned) }
}

impl Drop for Object {
    fn drop(&mut self) {
        let _turn = turn();
        // SAFETY: the object is open, of the kind that `close` is for, and nobody else has it.
        unsafe { (self.close)(self.id) };
    }
}

fn name(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Refusal(format!("a zero byte in the name {text:?}")))
}

fn expect(turn: &Turn, status: Status, doing: &str) -> Result<()> {
    if status < 0 { Err(refusal(turn, doing)) } else { Ok(()) }
}

/// The types that elements may have here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Int32,
    Int64,
    Float32,
    Float64,
}

impl Number {
    const ALL: [Self; 4] = [Self::Int32, Self::Int64, Self::Float32, Self::Float64];

    fn id(self, _: &Turn) -> Id {
        // SAFETY: the library has been opened by whoever has the turn, and does not change these afterwards.
        unsafe {
            match self {
                Self::Int32 => H5T_STD_I32LE_g,
                Self::Int64 => H5T_STD_I64LE_g,
                Self::Float32 => H5T_IEEE_F32LE_g,
                Self::Float64 => H5T_IEEE_F64LE_g,
            }
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::Int32 | Self::Float32 => 4,
            Self::Int64 | Self::Float64 => 8,
        }
    }
}

/// A type of elements: a number, or a complex number as h5py has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Real(Number),
    Complex(Number),
}

impl Element {
    fn made(self) -> Result<Object> {
        let turn = turn();
        let doing = "make a type";
        match self {
            // SAFETY: a type of the library's own.
            Self::Real(number) => Object::made(&turn, unsafe { H5Tcopy(number.id(&turn)) }, H5Tclose, doing),
            Self::Complex(part) => {
                let bytes = part.bytes();
                // SAFETY: a class and a size that there are.
                let id = unsafe { H5Tcreate(CLASS_COMPOUND, 2 * bytes) };
                let made = Object::made(&turn, id, H5Tclose, doing)?;
                // SAFETY: the names end with a zero byte, and both parts are within the size.
                let status = unsafe {
                    let real = H5Tinsert(made.id, c"r".as_ptr(), 0, part.id(&turn));
                    real.min(H5Tinsert(made.id, c"i".as_ptr(), bytes, part.id(&turn)))
                };
                let result = expect(&turn, status, doing);
                // Giving the type back takes the turn.
                drop(turn);
                result.map(|()| made)
            }
        }
    }
}

/// An open file.
#[derive(Debug)]
pub(super) struct File(Object);

impl File {
    pub(super) fn open(path: &CStr) -> Result<Self> {
        let turn = turn();
        // SAFETY: a path that ends with a zero byte.
        let id = unsafe { H5Fopen(path.as_ptr(), READ_ONLY, DEFAULT) };
        Object::made(&turn, id, H5Fclose, "open the file").map(Self)
    }

    /// An empty one in place of what is there.
    pub(super) fn create(path: &CStr) -> Result<Self> {
        let turn = turn();
        // SAFETY: a path that ends with a zero byte.
        let id = unsafe { H5Fcreate(path.as_ptr(), TRUNCATE, DEFAULT, DEFAULT) };
        Object::made(&turn, id, H5Fclose, "make the file").map(Self)
    }

    /// The names of what is at the top of the file, at most `count_max`.
    pub(super) fn names(&self, count_max: u64) -> Result<Vec<String>> {
        let turn = turn();
        let mut info = GroupInfo { storage: 0, links: 0, order_max: 0, mounted: 0 };
        // SAFETY: an open file, and a place for the answer.
        expect(&turn, unsafe { H5Gget_info(self.0.id, &raw mut info) }, "list the file")?;
        (0..info.links.min(count_max)).map(|number| self.name(&turn, number)).collect()
    }

    fn name(&self, turn: &Turn, number: u64) -> Result<String> {
        let mut bytes = [0u8; 1024];
        // SAFETY: the buffer is as long as said, and the library ends what it writes there with a zero byte.
        let len = unsafe {
            H5Lget_name_by_idx(
                self.0.id,
                c".".as_ptr(),
                INDEX_NAME,
                ASCENDING,
                number,
                bytes.as_mut_ptr().cast(),
                bytes.len(),
                DEFAULT,
            )
        };
        if len < 0 {
            return Err(refusal(turn, "list the file"));
        }
        let name = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
        Ok(name.to_string_lossy().into_owned())
    }

    /// The dataset `name`; `None` if that is something else.
    pub(super) fn dataset(&self, text: &str) -> Result<Option<Dataset>> {
        let name = name(text)?;
        let turn = turn();
        // SAFETY: an open file, and a name that ends with a zero byte.
        let id = unsafe { H5Oopen(self.0.id, name.as_ptr(), DEFAULT) };
        let object = Object::made(&turn, id, H5Oclose, &format!("open {text:?}"))?;
        // SAFETY: an open object.
        let is_dataset = unsafe { H5Iget_type(object.id) } == KIND_DATASET;
        drop(turn);
        Ok(is_dataset.then_some(Dataset(object)))
    }

    /// Makes a dataset whose elements lie one after the other in the file, and are not written; where they begin. `None` if
    /// there are none.
    pub(super) fn make_dataset(&self, text: &str, dims: &[u64], element: Element) -> Result<Option<u64>> {
        let (name, data_type) = (name(text)?, element.made()?);
        let (space, list) = (make_space(dims)?, contiguous()?);
        let turn = turn();
        let doing = format!("make the dataset {text:?}");
        // SAFETY: open objects, and a name that ends with a zero byte.
        let id = unsafe {
            H5Dcreate2(self.0.id, name.as_ptr(), data_type.id, space.id, DEFAULT, list.id, DEFAULT)
        };
        let dataset = Object::made(&turn, id, H5Dclose, &doing);
        drop(turn);
        let dataset = Dataset(dataset?);
        let offset_bytes = dataset.offset_bytes();
        dataset.close().map(|()| offset_bytes)
    }

    /// Writes what the library has in memory, and gives the file back.
    pub(super) fn close(self) -> Result<()> {
        self.0.close("write the file")
    }
}

fn make_space(dims: &[u64]) -> Result<Object> {
    let turn = turn();
    let count = c_int::try_from(dims.len()).unwrap_or(c_int::MAX);
    // SAFETY: as many extents as said; no maxima.
    let id = unsafe { H5Screate_simple(count, dims.as_ptr(), null()) };
    Object::made(&turn, id, H5Sclose, &format!("have the shape {dims:?}"))
}

fn contiguous() -> Result<Object> {
    let turn = turn();
    let doing = "lay out a dataset";
    // SAFETY: a class of the library's own, set when it was opened.
    let list = Object::made(&turn, unsafe { H5Pcreate(H5P_CLS_DATASET_CREATE_ID_g) }, H5Pclose, doing);
    let result = list.map(|list| {
        // SAFETY: an open list, and values that there are.
        let status = unsafe {
            H5Pset_layout(list.id, LAYOUT_CONTIGUOUS)
                .min(H5Pset_alloc_time(list.id, ALLOCATE_EARLY))
                .min(H5Pset_fill_time(list.id, FILL_NEVER))
        };
        (expect(&turn, status, doing), list)
    });
    // Giving the list back takes the turn.
    drop(turn);
    let (set, list) = result?;
    set.map(|()| list)
}

/// An open dataset.
#[derive(Debug)]
pub(super) struct Dataset(Object);

/// What the elements of a dataset are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Numbers that we have, and whether they are stored as we store them.
    Known(Element, bool),
    /// Others: what.
    Other(String),
}

impl Dataset {
    /// Where the elements begin in the file, if they lie there one after the other.
    pub(super) fn offset_bytes(&self) -> Option<u64> {
        let turn = turn();
        // SAFETY: an open dataset; the list is open between the calls.
        let (layout, external, stored_bytes, offset) = unsafe {
            let list = H5Dget_create_plist(self.0.id);
            let (layout, external) = (H5Pget_layout(list), H5Pget_external_count(list));
            H5Pclose(list);
            (layout, external, H5Dget_storage_size(self.0.id), H5Dget_offset(self.0.id))
        };
        drop(turn);
        // What has no storage yet has no place, even if one is told.
        let has_place = external == 0 && stored_bytes > 0 && offset != u64::MAX;
        (layout == LAYOUT_CONTIGUOUS && has_place).then_some(offset)
    }

    /// Whether it is in this file, and not in another one that a link in it names.
    pub(super) fn is_in(&self, file: &File) -> bool {
        matches!((file_of(&self.0), file_of(&file.0)), (Some(mine), Some(theirs)) if mine == theirs)
    }

    /// Gives it back.
    fn close(self) -> Result<()> {
        self.0.close("write the dataset")
    }

    fn space(&self) -> Result<Object> {
        let turn = turn();
        // SAFETY: an open dataset.
        let id = unsafe { H5Dget_space(self.0.id) };
        Object::made(&turn, id, H5Sclose, "tell the shape")
    }

    /// The extents; none of a single number or of nothing.
    pub(super) fn dims(&self) -> Result<Vec<u64>> {
        let space = self.space()?;
        let turn = turn();
        // SAFETY: an open space.
        let count = usize::try_from(unsafe { H5Sget_simple_extent_ndims(space.id) }).unwrap_or(0);
        let mut dims = vec![0; count];
        // SAFETY: room for as many extents as there are.
        let status = unsafe { H5Sget_simple_extent_dims(space.id, dims.as_mut_ptr(), null_mut()) };
        let result = expect(&turn, status, "tell the shape");
        drop(turn);
        result.map(|()| dims)
    }

    /// What the elements are.
    pub(super) fn kind(&self) -> Result<Kind> {
        let turn = turn();
        // SAFETY: an open dataset.
        let id = unsafe { H5Dget_type(self.0.id) };
        let data_type = Object::made(&turn, id, H5Tclose, "tell the type")?;
        drop(turn);
        kind(&data_type)
    }

    /// Reads the box that begins at `lo` and has `counts` elements, converted to `element`.
    pub(super) fn read(&self, element: Element, lo: &[u64], counts: &[u64], memory: &mut [u8]) -> Result<()> {
        let (data_type, space, in_memory) = (element.made()?, self.space()?, make_space(counts)?);
        let turn = turn();
        let doing = "read elements";
        // SAFETY: an open space, and as many numbers as it has dimensions.
        let status = unsafe {
            H5Sselect_hyperslab(space.id, SELECT_SET, lo.as_ptr(), null(), counts.as_ptr(), null())
        };
        let result = expect(&turn, status, doing).and_then(|()| {
            let bytes = section::size(counts.iter().product()) * size_of_type(&turn, &data_type);
            assert_eq!(memory.len(), bytes, "memory for the elements of a box");
            // SAFETY: open objects; the memory has room for all elements of the box, as was just seen.
            let status = unsafe {
                H5Dread(self.0.id, data_type.id, in_memory.id, space.id, DEFAULT, memory.as_mut_ptr().cast())
            };
            expect(&turn, status, doing)
        });
        drop(turn);
        result
    }
}

fn size_of_type(_: &Turn, data_type: &Object) -> usize {
    // SAFETY: an open type.
    unsafe { H5Tget_size(data_type.id) }
}

fn kind(data_type: &Object) -> Result<Kind> {
    let turn = turn();
    // SAFETY: an open type.
    let class = unsafe { H5Tget_class(data_type.id) };
    if class == CLASS_COMPOUND {
        drop(turn);
        return complex_kind(data_type);
    }
    Ok(number_kind(&turn, data_type.id, class))
}

/// Of a type that is no compound.
fn number_kind(turn: &Turn, id: Id, class: c_int) -> Kind {
    // SAFETY: an open type; those that have no order or sign say so with a number.
    let (bytes, signed, order) = unsafe { (H5Tget_size(id), H5Tget_sign(id) == 1, H5Tget_order(id)) };
    let known = Number::ALL.into_iter().find(|number| {
        let is_float = matches!(number, Number::Float32 | Number::Float64);
        let is_class = if is_float { class == CLASS_FLOAT } else { class == CLASS_INTEGER && signed };
        is_class && bytes == number.bytes()
    });
    match known {
        Some(number) => {
            // SAFETY: two open types.
            let same = unsafe { H5Tequal(id, number.id(turn)) } > 0;
            Kind::Known(Element::Real(number), same && order == LITTLE_ENDIAN)
        }
        None => Kind::Other(words_of_class(class, bytes, signed)),
    }
}

fn words_of_class(class: c_int, bytes: usize, signed: bool) -> String {
    let bits = 8 * bytes;
    match class {
        CLASS_INTEGER if signed => format!("{bits}-bit integers"),
        CLASS_INTEGER => format!("unsigned {bits}-bit integers"),
        CLASS_FLOAT => format!("{bits}-bit floating-point numbers"),
        2 => "times".to_owned(),
        3 => "strings".to_owned(),
        4 => "bit fields".to_owned(),
        5 => "opaque bytes".to_owned(),
        7 => "references".to_owned(),
        8 => "an enumeration (booleans are one)".to_owned(),
        9 => "sequences of any length".to_owned(),
        10 => "arrays".to_owned(),
        other => format!("class {other}"),
    }
}

/// Complex numbers are pairs of equal floating-point numbers named `r` and `i`, as h5py writes them.
fn complex_kind(data_type: &Object) -> Result<Kind> {
    let members = members(data_type)?;
    let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    let part = match &members[..] {
        [(_, Kind::Known(Element::Real(a), _)), (_, Kind::Known(Element::Real(b), _))]
            if names == ["r", "i"] && a == b && matches!(a, Number::Float32 | Number::Float64) =>
        {
            *a
        }
        _ => return Ok(Kind::Other(format!("compounds of {}", names.join(", ")))),
    };
    let ours = Element::Complex(part).made()?;
    let turn = turn();
    // SAFETY: two open types.
    let same = unsafe { H5Tequal(data_type.id, ours.id) } > 0;
    drop(turn);
    Ok(Kind::Known(Element::Complex(part), same))
}

/// The names and kinds of the members of a compound.
fn members(data_type: &Object) -> Result<Vec<(String, Kind)>> {
    let turn = turn();
    // SAFETY: an open compound.
    let count = c_uint::try_from(unsafe { H5Tget_nmembers(data_type.id) }).unwrap_or(0);
    let mut members = vec![];
    for number in 0..count {
        // SAFETY: an open compound with so many members; names end with a zero byte and are given back.
        let (name, id, class) = unsafe {
            let text = H5Tget_member_name(data_type.id, number);
            if text.is_null() {
                return Err(refusal(&turn, "tell the name of a member"));
            }
            let name = CStr::from_ptr(text).to_string_lossy().into_owned();
            H5free_memory(text.cast());
            let id = H5Tget_member_type(data_type.id, number);
            (name, id, H5Tget_class(id))
        };
        if id < 0 {
            return Err(refusal(&turn, "tell the type of a member"));
        }
        members.push((name, number_kind(&turn, id, class)));
        // SAFETY: it was opened above.
        unsafe { H5Tclose(id) };
    }
    Ok(members)
}

/// The shape that extents are, if we have it.
pub(super) fn shape(dims: &[u64]) -> Result<Shape> {
    Shape::new(dims).map_err(|_| Refusal(format!("a dataset of {} dimensions, expected 1 to 7", dims.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_long_texts_the_words_of_the_system_are_left() {
        let text = "file write failed: time = Tue Dec  1 03:55:44 2026\n, filename = 'a.h5', file descriptor = 4, errno = 28, \
            error message = 'No space left on device', buf = 0x55d0, total write size = 96, bytes this sub-write = 96";
        assert_eq!(words_of_system(text), Some("No space left on device"));
        assert_eq!(words_of_system("unable to open file"), None);
    }
}
