//! Put, get and accumulate, blocking and not.

use crate::arrays::Made;
use crate::boundary::or_abort;
use crate::caller::{Caller, Indices};
use crate::requests::COMPLETE;
use crate::session::{self, Session};
use crate::statistics::Transfer;
use crate::{Error, Result, fetch};
use chemio_capi::Integer;
use ga::{Patch, PatchMut, Request, Scalar, Span};
use libc::c_void;
use section::{Section, Shape};
use std::sync::Arc;

/// The arguments that all transfers have, as they come.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<N> {
    pub(crate) caller: Caller,
    pub(crate) handle: i64,
    pub(crate) lo: *const N,
    pub(crate) hi: *const N,
    /// Every how many elements; null for all of them.
    pub(crate) skip: *const N,
    pub(crate) buffer: *mut c_void,
    /// Leading dimensions: one less than dimensions.
    pub(crate) ld: *const N,
}

/// The largest transfer that others wait for who make or remove an array meanwhile.
const DIRECT_BYTES_MAX: usize = 1 << 20;

/// A transfer whose arguments have been checked.
struct Checked {
    session: Arc<Session>,
    array: Arc<Made>,
    section: Section,
    buffer: *mut u8,
    extents: Shape,
}

impl<N: Integer> Arguments<N> {
    /// # Safety
    /// See the head of `calls`.
    unsafe fn check(self) -> Result<Checked> {
        let session = session::current()?;
        let array = session.array(self.handle)?;
        let dims = array.dims();
        // SAFETY: promised by the caller.
        let (lo, hi) =
            unsafe { (fetch::indices(self.lo, dims, "lo")?, fetch::indices(self.hi, dims, "hi")?) };
        let section = if self.skip.is_null() {
            self.caller.section(&array, lo, hi)?
        } else {
            // SAFETY: as above.
            self.caller.strided(&array, lo, hi, unsafe { fetch::indices(self.skip, dims, "skip") }?)?
        };
        // SAFETY: as above.
        let ld = unsafe { fetch::indices(self.ld, dims - 1, "ld") }?;
        let extents = extents(&section.counts(), self.caller.reordered(ld))?;
        if self.buffer.is_null() {
            return Err(Error::NullPointer { argument: "buf" });
        }
        Ok(Checked { session, array, section, buffer: self.buffer.cast(), extents })
    }
}

/// The extents of the caller's memory. A leading dimension that nothing depends on, because there is only one of what it
/// separates, may be anything: programs that fetch a column give 1.
fn extents(counts: &Shape, ld: Indices) -> Result<Shape> {
    let mut extents = *counts;
    for d in 1..counts.len() {
        let ld = ld[d - 1];
        if counts[..d].iter().all(|&count| count == 1) {
            continue;
        }
        let extent = u64::try_from(ld).ok().filter(|&extent| extent >= counts[d]);
        extents[d] = extent.ok_or(Error::BadLeadingDimension { ld, count: counts[d] })?;
    }
    Ok(extents)
}

impl<N: Integer> Arguments<N> {
    /// Makes a small transfer the short way, if there is one for it: what costs most in it otherwise is to copy its
    /// description. Anything else, and any mistake, is for [`check`](Self::check).
    ///
    /// # Safety
    /// As for [`Checked::make`].
    #[inline]
    unsafe fn direct(&self, transfer: Transfer, alpha: *const c_void) -> bool {
        if self.lo.is_null() || self.hi.is_null() || self.buffer.is_null() || !self.skip.is_null() {
            return false;
        }
        let done = session::with(|session| {
            session.with_array(self.handle, |array| {
                let dims = array.dims();
                if self.ld.is_null() && dims > 1 {
                    return None;
                }
                let caller = &self.caller;
                // SAFETY: promised by the caller: one number for each dimension, and one less for memory.
                let at = |numbers: *const N, place| unsafe { numbers.add(place).read_unaligned() }.get();
                let place = array.array.in_block(|d| Span {
                    first: caller.index(at(self.lo, caller.place(d, dims))),
                    last: caller.index(at(self.hi, caller.place(d, dims))),
                    extent: if d == 0 { i64::MAX } else { at(self.ld, caller.place(d - 1, dims - 1)) },
                })?;
                let bytes = place.bytes();
                if bytes > DIRECT_BYTES_MAX {
                    return None;
                }
                // SAFETY: promised by the caller.
                unsafe {
                    match transfer {
                        Transfer::Put => place.put(self.buffer.cast()),
                        Transfer::Get => place.get(self.buffer.cast()),
                        _ => {
                            let alpha = fetch::scalar(alpha, array.kind.element, "alpha").ok()?;
                            place.accumulate(self.buffer.cast(), alpha);
                        }
                    }
                }
                let own = if array.group().rank() == place.rank() { bytes } else { 0 };
                session.statistics().moved(transfer, bytes as u64, own as u64);
                Some(())
            })
        });
        done.is_some()
    }
}

impl Checked {
    /// The caller's memory for reading.
    ///
    /// # Safety
    /// Nobody writes it until the transfer is complete.
    unsafe fn source(&self) -> Result<Patch<'static>> {
        // SAFETY: promised by the caller; the memory holds the section by the contract of all calls.
        Ok(unsafe { Patch::from_raw(self.buffer, self.array.kind.element, &self.extents) }?)
    }

    /// The caller's memory for writing.
    ///
    /// # Safety
    /// Nobody uses it until the transfer is complete.
    unsafe fn target(&self) -> Result<PatchMut<'static>> {
        // SAFETY: as for `source`.
        Ok(unsafe { PatchMut::from_raw(self.buffer, self.array.kind.element, &self.extents) }?)
    }

    fn count(&self, transfer: Transfer) {
        let bytes = |section: &Section| self.array.bytes_of(section.len());
        let own = self.array.own.as_ref().and_then(|own| self.section.clipped_to(own));
        self.session.statistics().moved(transfer, bytes(&self.section), own.as_ref().map_or(0, bytes));
    }

    /// Makes the transfer.
    ///
    /// # Safety
    /// Nobody else uses the memory meanwhile; `alpha` is as for [`accumulate`].
    unsafe fn make(&self, transfer: Transfer, alpha: *const c_void) -> Result<()> {
        self.count(transfer);
        let (array, section) = (&self.array.array, &self.section);
        // SAFETY: promised by the caller.
        unsafe {
            match transfer {
                Transfer::Put => array.put(section, self.source()?)?,
                Transfer::Get => array.get(section, self.target()?)?,
                _ => array.accumulate(section, self.source()?, self.factor(alpha)?)?,
            }
        }
        Ok(())
    }

    /// Begins the transfer.
    ///
    /// # Safety
    /// The memory belongs to the transfer until it is complete; `alpha` is as for [`accumulate`].
    unsafe fn begin(&self, transfer: Transfer, alpha: *const c_void) -> Result<Request<'static>> {
        self.count(transfer);
        let (array, section) = (&self.array.array, &self.section);
        // SAFETY: promised by the caller.
        unsafe {
            Ok(match transfer {
                Transfer::Put => array.nbput(section, self.source()?)?,
                Transfer::Get => array.nbget(section, self.target()?)?,
                _ => array.nbaccumulate(section, self.source()?, self.factor(alpha)?)?,
            })
        }
    }

    /// # Safety
    /// See the head of `calls`.
    unsafe fn factor(&self, alpha: *const c_void) -> Result<Scalar> {
        // SAFETY: promised by the caller.
        unsafe { fetch::scalar(alpha, self.array.kind.element, "alpha") }
    }
}

/// # Safety
/// See the head of `calls`.
unsafe fn blocking<N: Integer>(arguments: Arguments<N>, transfer: Transfer, alpha: *const c_void) {
    or_abort(arguments.caller, || {
        // SAFETY: promised by the caller.
        unsafe {
            if arguments.direct(transfer, alpha) {
                return Ok(());
            }
            arguments.check()?.make(transfer, alpha)
        }
    });
}

/// # Safety
/// See the head of `calls`; the memory belongs to the transfer until it has been waited for.
unsafe fn nonblocking<N: Integer, H: Integer>(
    arguments: Arguments<N>,
    transfer: Transfer,
    alpha: *const c_void,
    request: *mut H,
) {
    or_abort(arguments.caller, || {
        // SAFETY: promised by the caller.
        unsafe {
            if !request.is_null() && arguments.direct(transfer, alpha) {
                return fetch::store(request, H::nearest(COMPLETE), "nbhandle");
            }
            let checked = arguments.check()?;
            fetch::store(request, H::nearest(COMPLETE), "nbhandle")?;
            let handle = checked.session.requests().insert(checked.begin(transfer, alpha)?)?;
            fetch::store(request, H::nearest(handle), "nbhandle")
        }
    });
}

/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn put<N: Integer>(arguments: Arguments<N>) {
    // SAFETY: promised by the caller.
    unsafe { blocking(arguments, Transfer::Put, std::ptr::null()) }
}

/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn get<N: Integer>(arguments: Arguments<N>) {
    // SAFETY: promised by the caller.
    unsafe { blocking(arguments, Transfer::Get, std::ptr::null()) }
}

/// # Safety
/// See the head of `calls`; `alpha` has the type of the array.
pub(crate) unsafe fn accumulate<N: Integer>(arguments: Arguments<N>, alpha: *const c_void) {
    // SAFETY: promised by the caller.
    unsafe { blocking(arguments, Transfer::Accumulate, alpha) }
}

/// # Safety
/// As for [`put`]; the memory stays untouched until the wait.
pub(crate) unsafe fn nbput<N: Integer, H: Integer>(arguments: Arguments<N>, request: *mut H) {
    // SAFETY: promised by the caller.
    unsafe { nonblocking(arguments, Transfer::Put, std::ptr::null(), request) }
}

/// # Safety
/// As for [`get`]; the memory stays untouched until the wait.
pub(crate) unsafe fn nbget<N: Integer, H: Integer>(arguments: Arguments<N>, request: *mut H) {
    // SAFETY: promised by the caller.
    unsafe { nonblocking(arguments, Transfer::Get, std::ptr::null(), request) }
}

/// # Safety
/// As for [`accumulate`]; the memory stays untouched until the wait.
pub(crate) unsafe fn nbaccumulate<N: Integer, H: Integer>(
    arguments: Arguments<N>,
    alpha: *const c_void,
    request: *mut H,
) {
    // SAFETY: promised by the caller.
    unsafe { nonblocking(arguments, Transfer::Accumulate, alpha, request) }
}

/// The number of a nonblocking transfer. It fits into 4 bytes, which is as many as C's calls store, whatever the width of INTEGER;
/// Fortran's store an INTEGER. Whoever began a transfer, its first 4 bytes say which it is.
///
/// # Safety
/// See the head of `calls`.
unsafe fn number<H: Integer>(request: *const H) -> Result<i64> {
    // SAFETY: promised by the caller.
    unsafe { fetch::value(request.cast::<i32>(), "nbhandle") }.map(i64::from)
}

/// Waits for a nonblocking transfer; what is not under way is complete.
///
/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn wait<H: Integer>(caller: Caller, request: *const H) {
    or_abort(caller, || {
        // SAFETY: promised by the caller.
        let handle = unsafe { number(request) }?;
        session::current()?.requests().wait(handle)
    });
}

/// Whether a wait would return at once.
///
/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn test<H: Integer>(caller: Caller, request: *const H) -> bool {
    or_abort(caller, || {
        // SAFETY: promised by the caller.
        let handle = unsafe { number(request) }?;
        Ok(session::current()?.requests().is_complete(handle))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counts: &[u64]) -> Shape {
        Shape::new(counts).expect("a shape")
    }

    #[test]
    fn leading_dimensions_are_the_extents_of_memory_but_for_the_slowest() {
        let memory = extents(&counts(&[7, 5]), Indices::from_fn(1, |_| 10)).expect("large enough");
        assert_eq!(memory[1..], [10]);
        let memory = extents(&counts(&[2, 3, 4]), Indices::pair(3, 9)).expect("large enough");
        assert_eq!(memory[1..], [3, 9]);
    }

    #[test]
    fn a_leading_dimension_that_separates_nothing_may_be_anything() {
        let memory = extents(&counts(&[1, 14]), Indices::from_fn(1, |_| 1)).expect("one column");
        assert_eq!(memory[1..], [14]);
        let memory = extents(&counts(&[1, 1, 9]), Indices::pair(-5, 0)).expect("one column");
        assert_eq!(memory[1..], [1, 9]);
    }

    #[test]
    fn a_leading_dimension_below_the_section_is_refused() {
        assert!(extents(&counts(&[2, 7]), Indices::from_fn(1, |_| 6)).is_err());
        assert!(extents(&counts(&[2, 1, 1]), Indices::pair(0, 1)).is_err());
    }
}
