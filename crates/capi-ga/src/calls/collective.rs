//! Broadcasts and reductions, in the default group or in another.

use crate::boundary::or_abort;
use crate::caller::Caller;
use crate::kind::Kind;
use crate::{Error, Result, fetch, session};
use ga::{Element, ElementType, Group, Reduction};
use libc::c_void;
use num_complex::Complex;

/// The group of a handle; none is the default group.
pub(crate) fn members(group: Option<i64>) -> Result<Group> {
    let session = session::current()?;
    group.map_or_else(|| session.groups().current(), |handle| session.groups().get(handle))
}

/// # Safety
/// See the head of `calls`: `len` bytes at `buffer`.
pub(crate) unsafe fn broadcast(caller: Caller, group: Option<i64>, buffer: *mut c_void, len: i64, root: i64) {
    or_abort(caller, || {
        let group = members(group)?;
        let bytes = fetch::count(len, "lenbuf")?;
        let no_such = Error::NoSuchRank { rank: root, ranks: group.ranks() };
        let root = usize::try_from(root).ok().filter(|&root| root < group.ranks()).ok_or(no_such)?;
        if bytes == 0 {
            return Ok(group.broadcast(&mut [], root)?);
        }
        if buffer.is_null() {
            return Err(Error::NullPointer { argument: "buf" });
        }
        // SAFETY: promised by the caller.
        let bytes = unsafe { std::slice::from_raw_parts_mut(buffer.cast::<u8>(), bytes) };
        Ok(group.broadcast(bytes, root)?)
    });
}

/// The arguments of a reduction.
#[derive(Clone, Copy)]
pub(crate) struct Numbers<'a> {
    pub(crate) caller: Caller,
    pub(crate) group: Option<i64>,
    pub(crate) first: *mut c_void,
    pub(crate) count: i64,
    pub(crate) operator: &'a str,
}

impl Numbers<'_> {
    /// # Safety
    /// See the head of `calls`: so many values of type `T`.
    pub(crate) unsafe fn reduce<T: Element>(self) {
        or_abort(self.caller, || {
            // SAFETY: promised by the caller.
            unsafe { self.reduce_as::<T>() }
        });
    }

    /// As [`reduce`](Self::reduce), for the type with this code.
    ///
    /// # Safety
    /// See the head of `calls`.
    pub(crate) unsafe fn reduce_kind(self, code: i64) {
        or_abort(self.caller, || {
            // SAFETY: promised by the caller.
            unsafe {
                match Kind::from_code(code)?.element {
                    ElementType::Int => self.reduce_as::<i32>(),
                    ElementType::Long => self.reduce_as::<i64>(),
                    ElementType::Float => self.reduce_as::<f32>(),
                    ElementType::Double => self.reduce_as::<f64>(),
                    ElementType::SingleComplex => self.reduce_as::<Complex<f32>>(),
                    ElementType::DoubleComplex => self.reduce_as::<Complex<f64>>(),
                }
            }
        });
    }

    /// # Safety
    /// As for [`reduce`](Self::reduce).
    unsafe fn reduce_as<T: Element>(self) -> Result<()> {
        let group = members(self.group)?;
        let bad = || Error::BadOperator { operator: self.operator.to_owned() };
        let reduction = Reduction::from_operator(self.operator).ok_or_else(bad)?;
        let count = fetch::count(self.count, "n")?;
        if count == 0 {
            return Ok(group.reduce::<T>(&mut [], reduction)?);
        }
        let values = self.first.cast::<T>();
        if values.is_null() {
            return Err(Error::NullPointer { argument: "x" });
        }
        if values.is_aligned() {
            // SAFETY: promised by the caller.
            return Ok(group.reduce(unsafe { std::slice::from_raw_parts_mut(values, count) }, reduction)?);
        }
        // Numbers in a buffer of characters.
        // SAFETY: promised by the caller.
        let mut copy: Vec<T> = (0..count).map(|at| unsafe { values.add(at).read_unaligned() }).collect();
        group.reduce(&mut copy, reduction)?;
        for (at, value) in copy.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { values.add(at).write_unaligned(value) };
        }
        Ok(())
    }
}
