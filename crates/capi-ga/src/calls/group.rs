//! Groups of processes.

use crate::boundary::{or_abort, or_return};
use crate::caller::Caller;
use crate::calls::collective::members;
use crate::calls::lifecycle::number;
use crate::{fetch, groups, session};
use chemio_capi::Integer;
use comm::ffi::{self, MPI_Comm};

/// No group, or nobody.
const NONE: i64 = -1;

/// The handle of all processes.
pub(crate) const WORLD: i64 = groups::WORLD;

/// # Safety
/// See the head of `calls`: a list of so many numbers.
pub(crate) unsafe fn create<I: Integer>(caller: Caller, list: *const I, count: i64) -> i64 {
    or_abort(caller, || {
        let count = fetch::count(count, "count")?;
        // SAFETY: promised by the caller.
        let ranks = unsafe { fetch::list(list, count, "list") }?;
        session::current()?.create_group(&ranks)
    })
}

pub(crate) fn destroy(caller: Caller, handle: i64) -> bool {
    or_return(caller, false, || session::current()?.groups().remove(handle).map(|()| true))
}

pub(crate) fn split(caller: Caller, handle: i64, parts: i64) -> i64 {
    or_abort(caller, || session::current()?.split_group(handle, parts))
}

pub(crate) fn split_irregular(caller: Caller, handle: i64, colour: i64) -> i64 {
    or_abort(caller, || session::current()?.split_group_by_colour(handle, colour))
}

pub(crate) fn duplicate(caller: Caller, handle: i64) -> i64 {
    or_abort(caller, || session::current()?.groups().duplicate(handle))
}

/// A group of this process alone. Collective over the default group.
pub(crate) fn alone(caller: Caller) -> i64 {
    or_abort(caller, || {
        let session = session::current()?;
        session.create_group(&[number(session.groups().current()?.rank())])
    })
}

pub(crate) fn default(caller: Caller) -> i64 {
    or_abort(caller, || Ok(session::current()?.groups().default_handle()))
}

pub(crate) fn set_default(caller: Caller, handle: i64) {
    or_abort(caller, || session::current()?.groups().set_default(handle));
}

pub(crate) fn nnodes(caller: Caller, handle: i64) -> i64 {
    or_abort(caller, || Ok(number(session::current()?.groups().len(handle)?)))
}

/// This process's number in a group; -1 if it is not in it.
pub(crate) fn nodeid(caller: Caller, handle: i64) -> i64 {
    or_abort(caller, || Ok(session::current()?.groups().rank(handle)?.map_or(NONE, number)))
}

/// The number among all processes of one of a group.
pub(crate) fn absolute_id(caller: Caller, handle: i64, rank: i64) -> i64 {
    or_abort(caller, || Ok(number(session::current()?.groups().world_rank(handle, rank)?)))
}

pub(crate) fn sync(caller: Caller, handle: i64) {
    or_abort(caller, || {
        let session = session::current()?;
        session.requests().wait_for_all()?;
        Ok(session.context().sync_group(&session.groups().get(handle)?)?)
    });
}

/// The communicator of a group; none is the default group.
pub(crate) fn communicator(caller: Caller, handle: Option<i64>) -> MPI_Comm {
    or_abort(caller, || Ok(members(handle)?.raw()))
}

/// The same as Fortran names it.
pub(crate) fn fortran_communicator(caller: Caller, handle: Option<i64>) -> i64 {
    // SAFETY: the communicator is a live one of a running MPI.
    i64::from(unsafe { ffi::RSMPI_Comm_c2f(communicator(caller, handle)) })
}
