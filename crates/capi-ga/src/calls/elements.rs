//! Single elements, listed one by one, and counters.

use crate::arrays::Made;
use crate::boundary::or_abort;
use crate::caller::{Caller, Indices};
use crate::session;
use crate::statistics::Transfer;
use crate::{Result, fetch};
use chemio_capi::Integer;
use ga::{Patch, PatchMut, Span};
use libc::c_void;

/// Where the subscripts of listed elements are.
#[derive(Clone, Copy)]
pub(crate) enum Subscripts<N> {
    /// One element's after the other's.
    Flat(*const N),
    /// A pointer to each element's.
    Pointers(*const *const N),
    /// For matrices: all rows, and all columns.
    Pairs(*const N, *const N),
}

impl<N: Integer> Subscripts<N> {
    /// The subscripts of element `at` as they are in memory.
    ///
    /// # Safety
    /// There are more than `at` of them, each with `dims` numbers.
    unsafe fn get(self, at: usize, dims: usize) -> Result<Indices> {
        // SAFETY: promised by the caller.
        unsafe {
            match self {
                Self::Flat(list) => fetch::indices(list.wrapping_add(at * dims), dims, "subscripts"),
                Self::Pointers(list) => {
                    fetch::indices(fetch::value(list.wrapping_add(at), "subscripts")?, dims, "subscripts")
                }
                Self::Pairs(i, j) => {
                    let (i, j) =
                        (fetch::value(i.wrapping_add(at), "i")?, fetch::value(j.wrapping_add(at), "j")?);
                    Ok(Indices::pair(i.get(), j.get()))
                }
            }
        }
    }

    /// All of them, checked and in our order.
    ///
    /// # Safety
    /// There are `count` of them.
    unsafe fn all(self, caller: Caller, array: &Made, count: usize) -> Result<Vec<u64>> {
        let dims = array.dims();
        let mut all = Vec::with_capacity(count * dims);
        for at in 0..count {
            // SAFETY: promised by the caller.
            let subscripts = unsafe { self.get(at, dims) }?;
            all.extend_from_slice(&caller.element(array, subscripts)?);
        }
        Ok(all)
    }
}

/// A list of values and where in an array they are.
#[derive(Clone, Copy)]
pub(crate) struct List<N> {
    pub(crate) caller: Caller,
    pub(crate) handle: i64,
    pub(crate) values: *mut c_void,
    pub(crate) subscripts: Subscripts<N>,
    pub(crate) count: i64,
}

impl<N: Integer> List<N> {
    /// # Safety
    /// See the head of `calls`: as many values and subscripts as the count says.
    unsafe fn each(self, transfer: Transfer, alpha: *const c_void) {
        or_abort(self.caller, || {
            let session = session::current()?;
            let array = session.array(self.handle)?;
            let count = fetch::count(self.count, "n")?;
            if count == 0 {
                return Ok(());
            }
            if self.values.is_null() {
                return Err(crate::Error::NullPointer { argument: "v" });
            }
            let element = array.kind.element;
            // SAFETY: promised by the caller.
            let at = unsafe { self.subscripts.all(self.caller, &array, count) }?;
            session.statistics().moved(transfer, array.bytes_of(count as u64), own_bytes(&array, &at));
            let (values, extents) = (self.values.cast::<u8>(), [count as u64]);
            // SAFETY: promised by the caller: as many values as subscripts.
            let (from, to) = unsafe {
                (Patch::from_raw(values, element, &extents)?, PatchMut::from_raw(values, element, &extents)?)
            };
            match transfer {
                Transfer::Scatter => array.array.scatter(from, &at)?,
                Transfer::Gather => array.array.gather(to, &at)?,
                _ => {
                    // SAFETY: promised by the caller.
                    let alpha = unsafe { fetch::scalar(alpha, element, "alpha") }?;
                    array.array.scatter_accumulate(from, &at, alpha)?;
                }
            }
            Ok(())
        });
    }

    /// # Safety
    /// See the head of `calls`.
    pub(crate) unsafe fn scatter(self) {
        // SAFETY: promised by the caller.
        unsafe { self.each(Transfer::Scatter, std::ptr::null()) }
    }

    /// # Safety
    /// See the head of `calls`.
    pub(crate) unsafe fn gather(self) {
        // SAFETY: promised by the caller.
        unsafe { self.each(Transfer::Gather, std::ptr::null()) }
    }

    /// # Safety
    /// See the head of `calls`; `alpha` has the type of the array.
    pub(crate) unsafe fn scatter_accumulate(self, alpha: *const c_void) {
        // SAFETY: promised by the caller.
        unsafe { self.each(Transfer::Accumulate, alpha) }
    }
}

/// Bytes of the listed elements that this process holds.
fn own_bytes(array: &Made, subscripts: &[u64]) -> u64 {
    let Some(own) = &array.own else { return 0 };
    let inside = |at: &[u64]| at.iter().zip(own.lo()).zip(own.hi()).all(|((at, lo), hi)| lo <= at && at < hi);
    let count = subscripts.chunks_exact(array.dims()).filter(|at| inside(at)).count();
    array.bytes_of(count as u64)
}

/// As [`read_increment`], if the counter can be reached the short way.
///
/// # Safety
/// See the head of `calls`.
#[inline]
unsafe fn read_increment_directly<N: Integer>(
    caller: Caller,
    handle: i64,
    subscript: *const N,
    increment: i64,
) -> Option<i64> {
    if subscript.is_null() {
        return None;
    }
    session::with(|session| {
        session.with_array(handle, |array| {
            let dims = array.dims();
            let place = array.array.in_block(|d| {
                // SAFETY: promised by the caller: one number for each dimension.
                let at = unsafe { subscript.add(caller.place(d, dims)).read_unaligned() };
                let index = caller.index(at.get());
                Span { first: index, last: index, extent: 1 }
            })?;
            let was = place.read_increment(increment)?;
            let bytes = place.bytes() as u64;
            let own = if array.group().rank() == place.rank() { bytes } else { 0 };
            session.statistics().moved(Transfer::ReadIncrement, bytes, own);
            Some(was)
        })
    })
}

/// Adds to an integer element and returns what it was.
///
/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn read_increment<N: Integer>(
    caller: Caller,
    handle: i64,
    subscript: *const N,
    increment: i64,
) -> i64 {
    or_abort(caller, || {
        // SAFETY: promised by the caller.
        if let Some(was) = unsafe { read_increment_directly(caller, handle, subscript, increment) } {
            return Ok(was);
        }
        let session = session::current()?;
        let array = session.array(handle)?;
        // SAFETY: promised by the caller.
        let subscripts = unsafe { fetch::indices(subscript, array.dims(), "subscript") }?;
        let at = caller.element(&array, subscripts)?;
        let bytes = array.bytes_of(1);
        session.statistics().moved(Transfer::ReadIncrement, bytes, own_bytes(&array, &at));
        Ok(array.array.read_increment(&at, increment)?)
    })
}
