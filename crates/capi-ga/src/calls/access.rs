//! What a process holds, as memory of the program.

use crate::arrays::Made;
use crate::boundary::or_abort;
use crate::caller::{Caller, range_text};
use crate::kind::Kind;
use crate::{Error, Result, fetch, session};
use chemio_capi::Integer;
use ga::ElementType;
use libc::c_void;
use ma::{Datatype, IntegerWidth};
use section::Layout;

/// Where an element of this process's block is, and the extents of the block as the caller counts.
struct Place {
    address: *mut u8,
    extents: Vec<i64>,
}

/// # Safety
/// See the head of `calls`.
unsafe fn place<N: Integer>(caller: Caller, array: &Made, lo: *const N, hi: *const N) -> Result<Place> {
    // SAFETY: promised by the caller.
    let (lo, hi) =
        unsafe { (fetch::indices(lo, array.dims(), "lo")?, fetch::indices(hi, array.dims(), "hi")?) };
    let section = caller.section(array, lo, hi)?;
    let block = array.own.as_ref().filter(|own| section.clipped_to(own) == Some(section));
    let block = block.ok_or_else(|| not_own(caller, array, &lo, &hi))?;
    let (_, first) = array.array.access()?.expect("this process holds a block");
    let offset = Layout::dense(&block.counts()).offset(section.relative_to(block.lo()).lo());
    // SAFETY: the section lies in the block, which begins at `first` and is dense.
    let address = unsafe { first.add(offset * array.kind.element.bytes()) };
    Ok(Place { address, extents: caller.extents(&block.counts()).to_vec() })
}

fn not_own(caller: Caller, array: &Made, lo: &[i64], hi: &[i64]) -> Error {
    let own = array.own.as_ref();
    let (first, last) = own.map_or_else(|| caller.nothing(array.dims()), |own| caller.bounds(own));
    Error::NotOwn {
        array: array.array.name().to_owned(),
        handle: array.handle,
        section: range_text(lo, hi),
        own: range_text(&first, &last),
    }
}

/// The leading dimensions: all extents but that of the slowest index.
fn leading(caller: Caller, extents: &[i64]) -> &[i64] {
    if caller.is_reversed() { &extents[..extents.len() - 1] } else { &extents[1..] }
}

/// The address of an element of one's own block, and the leading dimensions of the block.
///
/// # Safety
/// See the head of `calls`: `pointer` points to a pointer.
pub(crate) unsafe fn pointer<N: Integer>(
    caller: Caller,
    handle: i64,
    lo: *const N,
    hi: *const N,
    pointer: *mut c_void,
    ld: *mut N,
) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        // SAFETY: promised by the caller.
        unsafe {
            let found = place(caller, &array, lo, hi)?;
            fetch::store(pointer.cast::<*mut u8>(), found.address, "ptr")?;
            fetch::store_indices(ld, leading(caller, &found.extents), "ld")
        }
    });
}

/// The same as an index into `dbl_mb`, `int_mb` and so on.
///
/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn index<N: Integer>(
    caller: Caller,
    handle: i64,
    lo: *const N,
    hi: *const N,
    index: *mut i64,
    ld: *mut N,
) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        // SAFETY: promised by the caller.
        unsafe {
            let found = place(caller, &array, lo, hi)?;
            let of_element = ma::fortran_index(datatype(array.kind), found.address.addr());
            let no_index = || Error::NoIndex { array: array.array.name().to_owned() };
            fetch::store(index, of_element.ok_or_else(no_index)?, "index")?;
            fetch::store_indices(ld, leading(caller, &found.extents), "ld")
        }
    });
}

/// What the Fortran array is made of from which the index counts.
fn datatype(kind: Kind) -> Datatype {
    match kind.element {
        ElementType::Int if kind.is_logical() => Datatype::FortranLogical(IntegerWidth::Four),
        ElementType::Long if kind.is_logical() => Datatype::FortranLogical(IntegerWidth::Eight),
        ElementType::Int => Datatype::Int,
        ElementType::Long => Datatype::Long,
        ElementType::Float => Datatype::Float,
        ElementType::Double => Datatype::Double,
        ElementType::SingleComplex => Datatype::SingleComplex,
        ElementType::DoubleComplex => Datatype::DoubleComplex,
    }
}

/// Ends an access.
pub(crate) fn release(caller: Caller, handle: i64) {
    or_abort(caller, || Ok(session::current()?.array(handle)?.array.release()?));
}
