//! What an array is like, and who holds which of its elements.

use crate::arrays::Made;
use crate::boundary::{or_abort, or_return};
use crate::caller::{Caller, Indices};
use crate::calls::lifecycle::number;
use crate::{Error, Result, fetch, session};
use chemio_capi::Integer;
use libc::c_char;
use section::Section;

/// No process.
const NOBODY: i64 = -1;

/// Where bounds go.
#[derive(Clone, Copy)]
pub(crate) struct Bounds<N> {
    pub(crate) lo: *mut N,
    pub(crate) hi: *mut N,
}

impl<N: Integer> Bounds<N> {
    /// # Safety
    /// See the head of `calls`.
    unsafe fn store(self, lo: &[i64], hi: &[i64]) -> Result<()> {
        // SAFETY: promised by the caller.
        unsafe {
            fetch::store_indices(self.lo, lo, "lo")?;
            fetch::store_indices(self.hi, hi, "hi")
        }
    }
}

/// Type code, dimensions and extents of an array, in the caller's terms.
fn inquiry(caller: Caller, array: &Made) -> (i64, Indices) {
    let code = if caller.is_fortran() { array.kind.fortran_code() } else { array.kind.c_code() };
    (code, caller.extents(array.shape()))
}

/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn inquire<I: Integer, N: Integer>(
    caller: Caller,
    handle: i64,
    code: *mut I,
    ndim: *mut I,
    dims: *mut N,
) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        let (found, extents) = inquiry(caller, &array);
        // SAFETY: promised by the caller.
        unsafe {
            fetch::store(code, I::nearest(found), "type")?;
            fetch::store(ndim, I::nearest(number(extents.len())), "ndim")?;
            fetch::store_indices(dims, &extents, "dims")
        }
    });
}

/// That an array is a matrix, as the calls for matrices need.
pub(crate) fn expect_matrix(handle: i64) -> Result<()> {
    let quick = session::with(|session| session.with_array(handle, |array| Some(array.dims())));
    let dims = match quick {
        Some(dims) => dims,
        None => session::current()?.array(handle)?.dims(),
    };
    if dims == 2 { Ok(()) } else { Err(Error::BadDims { expected: "2", got: number(dims) }) }
}

/// For matrices.
///
/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn inquire_matrix<I: Integer>(
    caller: Caller,
    handle: i64,
    code: *mut I,
    dim1: *mut I,
    dim2: *mut I,
) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        let (found, extents) = inquiry(caller, &array);
        // SAFETY: promised by the caller.
        unsafe {
            fetch::store(code, I::nearest(found), "type")?;
            fetch::store_indices(dim1, &extents[..1], "dim1")?;
            fetch::store_indices(dim2, &extents[1..], "dim2")
        }
    });
}

pub(crate) fn ndim(caller: Caller, handle: i64) -> i64 {
    or_abort(caller, || Ok(number(session::current()?.array(handle)?.dims())))
}

/// The name for C, which lives as long as the array.
pub(crate) fn c_name(caller: Caller, handle: i64) -> *const c_char {
    or_abort(caller, || Ok(session::current()?.array(handle)?.c_name().as_ptr()))
}

/// The name for Fortran, padded with blanks.
///
/// # Safety
/// `name` is null or points to `len` characters.
pub(crate) unsafe fn fortran_name(caller: Caller, handle: i64, name: *mut c_char, len: usize) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        if name.is_null() {
            return Err(Error::NullPointer { argument: "array_name" });
        }
        // SAFETY: promised by the caller.
        unsafe { chemio_capi::strings::fill_fortran(name, len, array.array.name().as_bytes()) };
        Ok(())
    });
}

/// Whether a handle is one of an array.
pub(crate) fn is_valid(handle: i64) -> bool {
    session::current().is_ok_and(|session| session.array(handle).is_ok())
}

/// Ends the program unless a handle is one of an array; `place` says where.
pub(crate) fn check_handle(caller: Caller, handle: i64, place: &str) {
    if !is_valid(handle) {
        let failure = format!("{}: {place}: {}", caller.name(), Error::DeadHandle { handle });
        crate::fatal::abort(&failure, 1);
    }
}

/// Whether two arrays have the same shape and blocks.
pub(crate) fn same_distribution(caller: Caller, a: i64, b: i64) -> bool {
    or_abort(caller, || {
        let session = session::current()?;
        Ok(session.array(a)?.array.distribution() == session.array(b)?.array.distribution())
    })
}

/// What a process of the array's group holds.
///
/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn distribution<N: Integer>(caller: Caller, handle: i64, rank: i64, to: Bounds<N>) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        let (lo, hi) = block_bounds(caller, &array, rank);
        // SAFETY: promised by the caller.
        unsafe { to.store(&lo, &hi) }
    });
}

pub(crate) fn block_bounds(caller: Caller, array: &Made, rank: i64) -> (Indices, Indices) {
    let block = usize::try_from(rank).ok().and_then(|rank| array.array.distribution().block_of(rank));
    block.map_or_else(|| caller.nothing(array.dims()), |block| caller.bounds(&block))
}

/// For matrices: the four bounds apart.
///
/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn distribution_of_matrix<I: Integer>(
    caller: Caller,
    handle: i64,
    rank: i64,
    rows: Bounds<I>,
    columns: Bounds<I>,
) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        let (lo, hi) = block_bounds(caller, &array, rank);
        // SAFETY: promised by the caller.
        unsafe {
            rows.store(&lo[..1], &hi[..1])?;
            columns.store(&lo[1..], &hi[1..])
        }
    });
}

/// The process that holds an element; -1 if there is no such element.
///
/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn locate<N: Integer>(caller: Caller, handle: i64, subscript: *const N) -> i64 {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        // SAFETY: promised by the caller.
        let at = unsafe { fetch::indices(subscript, array.dims(), "subscript") }?;
        Ok(caller.element(&array, at).map_or(NOBODY, |at| number(array.array.distribution().owner_of(&at))))
    })
}

/// A section and the processes that hold parts of it.
pub(crate) struct Owners {
    parts: Vec<(usize, Section)>,
}

impl Owners {
    /// # Safety
    /// See the head of `calls`.
    pub(crate) unsafe fn of<N: Integer>(
        caller: Caller,
        handle: i64,
        lo: *const N,
        hi: *const N,
    ) -> Result<Self> {
        let array = session::current()?.array(handle)?;
        // SAFETY: promised by the caller.
        let (lo, hi) =
            unsafe { (fetch::indices(lo, array.dims(), "lo")?, fetch::indices(hi, array.dims(), "hi")?) };
        let section = caller.section(&array, lo, hi)?;
        Ok(Self { parts: array.array.distribution().owners_of(&section) })
    }

    /// For each of them the first indices, the last indices, and the process.
    fn list(&self, caller: Caller) -> impl Iterator<Item = (Indices, Indices, i64)> {
        self.parts.iter().map(move |(rank, part)| {
            let (lo, hi) = caller.bounds(part);
            (lo, hi, number(*rank))
        })
    }
}

/// Stores each part as first and last indices, and the processes; returns how many there are, 0 for a section that is
/// not in the array.
///
/// # Safety
/// See the head of `calls`: there is room for all processes of the array.
pub(crate) unsafe fn locate_region<N: Integer, I: Integer>(
    caller: Caller,
    handle: i64,
    lo: *const N,
    hi: *const N,
    map: *mut N,
    owners: *mut I,
) -> i64 {
    or_return(caller, 0, || {
        // SAFETY: promised by the caller.
        let parts = unsafe { Owners::of(caller, handle, lo, hi) }?;
        for (at, (lo, hi, rank)) in parts.list(caller).enumerate() {
            let place = at * 2 * lo.len();
            // SAFETY: promised by the caller.
            unsafe {
                fetch::store_indices(map.wrapping_add(place), &lo, "map")?;
                fetch::store_indices(map.wrapping_add(place + lo.len()), &hi, "map")?;
                fetch::store(owners.wrapping_add(at), I::nearest(rank), "proclist")?;
            }
        }
        Ok(number(parts.parts.len()))
    })
}

/// For matrices: each part as first and last row, first and last column and process.
///
/// # Safety
/// See the head of `calls`: there is room for five numbers for each process of the array.
pub(crate) unsafe fn locate_region_of_matrix<I: Integer>(
    caller: Caller,
    handle: i64,
    lo: [i64; 2],
    hi: [i64; 2],
    map: *mut I,
) -> i64 {
    or_return(caller, 0, || {
        // SAFETY: a matrix has two indices.
        let parts = unsafe { Owners::of(caller, handle, lo.as_ptr(), hi.as_ptr()) }?;
        for (at, (lo, hi, rank)) in parts.list(caller).enumerate() {
            let numbers = [lo[0], hi[0], lo[1], hi[1], rank];
            // SAFETY: promised by the caller.
            unsafe { fetch::store_indices(map.wrapping_add(5 * at), &numbers, "map") }?;
        }
        Ok(number(parts.parts.len()))
    })
}

/// Number of blocks in each dimension.
///
/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn nblock<I: Integer>(caller: Caller, handle: i64, blocks: *mut I) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        // SAFETY: promised by the caller.
        unsafe { fetch::store_indices(blocks, &caller.extents(array.array.distribution().grid()), "nblock") }
    });
}

/// Where in the grid of blocks a process is: the first of Fortran's dimensions varies fastest, for C callers too. A
/// process beyond the grid counts round it.
///
/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn topology<I: Integer>(caller: Caller, handle: i64, rank: i64, coordinates: *mut I) {
    or_abort(caller, || {
        let array = session::current()?.array(handle)?;
        let no_such = Error::NoSuchRank { rank, ranks: array.group().ranks() };
        let mut rest = u64::try_from(rank).map_err(|_| no_such)?;
        let grid = array.array.distribution().grid();
        let found = Indices::from_fn(grid.len(), |d| {
            let blocks = grid[grid.len() - 1 - d];
            let at = rest % blocks;
            rest /= blocks;
            i64::try_from(at).unwrap_or(i64::MAX)
        });
        // SAFETY: promised by the caller.
        unsafe { fetch::store_indices(coordinates, &found, "coord") }
    });
}

/// The handle of an array's group.
pub(crate) fn group_of(caller: Caller, handle: i64) -> i64 {
    or_abort(caller, || Ok(session::current()?.array(handle)?.group))
}
