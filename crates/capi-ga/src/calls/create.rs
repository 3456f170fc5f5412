//! Arrays come and go.

use crate::arrays::Plan;
use crate::boundary::{or_abort, or_return};
use crate::caller::{Caller, Indices};
use crate::kind::Kind;
use crate::{Error, Result, fetch, session};
use chemio_capi::Integer;
use section::DIMS_MAX;

/// No array.
pub(crate) const NO_ARRAY: i64 = 0;

/// More blocks than any program has processes: so many numbers are not even read.
const BLOCKS_MAX: i64 = 1 << 24;

/// The arguments that all creating calls have.
#[derive(Clone, Copy)]
pub(crate) struct Shape<N> {
    pub(crate) code: i64,
    pub(crate) ndim: i64,
    pub(crate) dims: *const N,
}

impl<N: Integer> Shape<N> {
    /// # Safety
    /// See the head of `calls`.
    unsafe fn plan(self, caller: Caller, name: String) -> Result<Plan> {
        let dims = checked_dims(self.ndim)?;
        // SAFETY: promised by the caller.
        let extents = unsafe { fetch::indices(self.dims, dims, "dims") }?;
        let shape = shape(caller, extents)?;
        Ok(Plan { kind: Some(Kind::from_code(self.code)?), shape, name, ..Plan::default() })
    }
}

fn checked_dims(ndim: i64) -> Result<usize> {
    let dims = usize::try_from(ndim).ok().filter(|&dims| (1..=DIMS_MAX).contains(&dims));
    dims.ok_or(Error::BadDims { expected: "1 to 7", got: ndim })
}

/// A shape of ours from extents in the caller's order.
fn shape(caller: Caller, extents: Indices) -> Result<Vec<u64>> {
    let ordered = caller.reordered(extents);
    let shape = ordered.iter().map(|&extent| u64::try_from(extent).ok().filter(|&extent| extent > 0));
    shape.collect::<Option<_>>().ok_or_else(|| Error::BadExtent { extents: extents.to_vec() })
}

/// Ends the program if there is no such group: a process that does not know where the others wait can tell them nothing.
fn expect_group(caller: Caller, group: Option<i64>) {
    or_abort(caller, || {
        match session::current().and_then(|session| session.groups().of_array(group).map(drop)) {
            Err(error @ Error::DeadGroup { .. }) => Err(error),
            // Whoever is not in the group is told so, and so is who comes before the beginning.
            _ => Ok(()),
        }
    });
}

/// # Safety
/// See the head of `calls`; `chunk` may be null.
pub(crate) unsafe fn create<N: Integer>(
    caller: Caller,
    shape: Shape<N>,
    name: String,
    chunk: *const N,
    group: Option<i64>,
) -> i64 {
    expect_group(caller, group);
    or_return(caller, NO_ARRAY, || {
        // SAFETY: promised by the caller.
        let plan = unsafe { shape.plan(caller, name) }.and_then(|plan| {
            // SAFETY: as above.
            let chunk = unsafe { chunks(caller, chunk, plan.shape.len()) }?;
            Ok(Plan { chunk, ..plan })
        });
        session::current()?.create(group, plan)
    })
}

/// # Safety
/// `chunk` is null or points to `dims` numbers.
unsafe fn chunks<N: Integer>(caller: Caller, chunk: *const N, dims: usize) -> Result<Vec<i64>> {
    if chunk.is_null() {
        return Ok(vec![]);
    }
    // SAFETY: promised by the caller.
    Ok(caller.reordered(unsafe { fetch::indices(chunk, dims, "chunk") }?).to_vec())
}

/// # Safety
/// See the head of `calls`: `blocks` has a number for each dimension, `map` as many as they say together.
pub(crate) unsafe fn create_irregular<N: Integer>(
    caller: Caller,
    shape: Shape<N>,
    name: String,
    blocks: *const N,
    map: *const N,
    group: Option<i64>,
) -> i64 {
    expect_group(caller, group);
    or_return(caller, NO_ARRAY, || {
        // SAFETY: promised by the caller.
        let plan = unsafe { shape.plan(caller, name) }.and_then(|plan| {
            // SAFETY: as above.
            let starts = unsafe { starts(caller, blocks, map, plan.shape.len()) }?;
            Ok(Plan { starts: Some(starts), ..plan })
        });
        session::current()?.create(group, plan)
    })
}

/// # Safety
/// `blocks` is null or has a number for each dimension, `map` is null or as many as they say together.
unsafe fn starts<N: Integer>(
    caller: Caller,
    blocks: *const N,
    map: *const N,
    dims: usize,
) -> Result<Vec<Vec<u64>>> {
    // SAFETY: promised by the caller.
    let blocks = unsafe { fetch::indices(blocks, dims, "nblock") }?;
    let bad = |map| Error::BadMap { map, blocks: blocks.to_vec() };
    let counts = blocks.iter().map(|&count| usize::try_from(count).ok().filter(|_| count <= BLOCKS_MAX));
    let counts: Vec<usize> = counts.collect::<Option<_>>().ok_or_else(|| bad(vec![]))?;
    // SAFETY: promised by the caller.
    let map = unsafe { fetch::list(map, counts.iter().sum(), "map") }?;
    starts_of(caller, &map, &counts).ok_or_else(|| bad(map))
}

/// The starts of each of our dimensions, from those of the caller's one after the other.
fn starts_of(caller: Caller, map: &[i64], counts: &[usize]) -> Option<Vec<Vec<u64>>> {
    let mut rest = map;
    let mut starts = vec![];
    for &count in counts {
        let (here, next) = rest.split_at_checked(count)?;
        starts.push(caller.starts(here)?);
        rest = next;
    }
    if caller.is_reversed() {
        starts.reverse();
    }
    Some(starts)
}

/// The maps of the two dimensions of a matrix as one; none if one is missing. Counts that are none are refused later.
///
/// # Safety
/// Each map is null or has as many numbers as its count says.
pub(crate) unsafe fn joined_maps<I: Integer>(maps: [*const I; 2], counts: [i64; 2]) -> Option<Vec<I>> {
    let mut joined = vec![];
    for (map, count) in maps.into_iter().zip(counts) {
        if map.is_null() {
            return None;
        }
        let count = usize::try_from(count.clamp(0, BLOCKS_MAX)).unwrap_or(0);
        // SAFETY: promised by the caller.
        joined.extend((0..count).map(|at| unsafe { map.add(at).read_unaligned() }));
    }
    Some(joined)
}

pub(crate) fn duplicate(caller: Caller, handle: i64, name: String) -> i64 {
    or_return(caller, NO_ARRAY, || session::current()?.duplicate(handle, name))
}

/// Whether there was such an array, on every process of its group.
pub(crate) fn destroy(caller: Caller, handle: i64) -> bool {
    or_return(caller, false, || session::current()?.destroy_together(handle).map(|()| true))
}

/// As [`destroy`], where nothing can be returned: who has no such array ends the program and waits for nobody.
pub(crate) fn destroy_or_abort(caller: Caller, handle: i64) {
    or_abort(caller, || session::current()?.destroy(handle));
}

/// A handle for an array that is described by the calls below.
pub(crate) fn create_handle(caller: Caller) -> i64 {
    or_return(caller, NO_ARRAY, || Ok(session::current()?.reserve()))
}

/// # Safety
/// See the head of `calls`.
pub(crate) unsafe fn set_data<N: Integer>(caller: Caller, handle: i64, shape: Shape<N>) {
    or_abort(caller, || {
        // SAFETY: promised by the caller.
        let described = unsafe { shape.plan(caller, String::new()) }?;
        session::current()?
            .describe(handle, |plan| (plan.kind, plan.shape) = (described.kind, described.shape))
    });
}

pub(crate) fn set_array_name(caller: Caller, handle: i64, name: String) {
    or_abort(caller, || session::current()?.describe(handle, |plan| plan.name = name));
}

pub(crate) fn set_group(caller: Caller, handle: i64, group: i64) {
    or_abort(caller, || {
        let session = session::current()?;
        session.groups().get(group)?;
        session.describe(handle, |plan| plan.group = Some(group))
    });
}

/// # Safety
/// See the head of `calls`; `ga_set_data` came before.
pub(crate) unsafe fn set_chunk<N: Integer>(caller: Caller, handle: i64, chunk: *const N) {
    or_abort(caller, || {
        let session = session::current()?;
        let dims = described_dims(&session, handle)?;
        // SAFETY: promised by the caller.
        let chunk = unsafe { chunks(caller, chunk, dims) }?;
        session.describe(handle, |plan| plan.chunk = chunk)
    });
}

/// # Safety
/// See the head of `calls`; `ga_set_data` came before.
pub(crate) unsafe fn set_irregular<N: Integer>(caller: Caller, handle: i64, map: *const N, blocks: *const N) {
    or_abort(caller, || {
        let session = session::current()?;
        let dims = described_dims(&session, handle)?;
        // SAFETY: promised by the caller.
        let starts = unsafe { starts(caller, blocks, map, dims) }?;
        session.describe(handle, |plan| plan.starts = Some(starts))
    });
}

fn described_dims(session: &session::Session, handle: i64) -> Result<usize> {
    let mut dims = 0;
    session.describe(handle, |plan| dims = plan.shape.len())?;
    if dims == 0 { Err(Error::BadDims { expected: "those that ga_set_data says", got: 0 }) } else { Ok(dims) }
}

/// Makes the array that has been described.
pub(crate) fn allocate(caller: Caller, handle: i64) -> bool {
    or_return(caller, false, || session::current()?.allocate(handle).map(|()| true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_of_blocks_come_dimension_by_dimension_in_the_callers_order() {
        let map = [1, 4, 9, 1, 3];
        assert_eq!(starts_of(Caller::fortran("f_"), &map, &[3, 2]), Some(vec![vec![0, 2], vec![0, 3, 8]]));
        assert_eq!(starts_of(Caller::c("c"), &[0, 3, 0], &[2, 1]), Some(vec![vec![0, 3], vec![0]]));
        assert_eq!(starts_of(Caller::fortran("f_"), &[0], &[1]), None);
    }

    #[test]
    fn shapes_are_reversed_for_fortran_and_have_elements() {
        let extents = Indices::pair(10, 7);
        assert_eq!(shape(Caller::fortran("f_"), extents).expect("a shape"), [7, 10]);
        assert_eq!(shape(Caller::c("c"), extents).expect("a shape"), [10, 7]);
        assert!(shape(Caller::c("c"), Indices::pair(10, 0)).is_err());
        assert!(shape(Caller::c("c"), Indices::pair(-1, 3)).is_err());
        assert!(checked_dims(0).is_err() && checked_dims(8).is_err() && checked_dims(7).is_ok());
    }
}
