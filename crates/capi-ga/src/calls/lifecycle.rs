//! Beginning and end, where this process is, and memory.

use crate::boundary::{or_abort, or_return};
use crate::caller::Caller;
use crate::{Error, fatal, session};
use chemio_capi::last_error;
use std::sync::OnceLock;
use std::time::Instant;

/// A limit below zero is none.
fn limit_bytes(limit: i64) -> Option<u64> {
    u64::try_from(limit).ok()
}

pub(crate) fn initialise(caller: Caller, integer_bytes: usize, limit: i64) {
    clock();
    or_abort(caller, || session::begin(caller.is_fortran(), integer_bytes, limit_bytes(limit)));
}

pub(crate) fn terminate(caller: Caller) {
    or_abort(caller, session::end);
}

pub(crate) fn error(caller: Caller, message: &str, code: i64) -> ! {
    // Programs pass the number that a call on files or disk-resident arrays returned; those on arrays in memory have none.
    // What came later is what it is about.
    let failure =
        last_error::reason(code).into_iter().chain(fatal::last_failure()).max_by_key(|(when, _)| *when);
    let before = failure.map(|(_, failure)| format!("; before that: {failure}")).unwrap_or_default();
    let exit_code = i32::try_from(code).unwrap_or(-1);
    fatal::abort(&format!("{}: {message} (code {code}){before}", caller.name()), exit_code)
}

/// This process's number in the default group.
pub(crate) fn nodeid(caller: Caller) -> i64 {
    or_abort(caller, || Ok(number(session::current()?.groups().current()?.rank())))
}

/// Number of processes in the default group.
pub(crate) fn nnodes(caller: Caller) -> i64 {
    or_abort(caller, || Ok(number(session::current()?.groups().current()?.ranks())))
}

/// Completes everything, also transfers that nobody has waited for, and waits for all processes of the default group.
pub(crate) fn sync(caller: Caller) {
    or_abort(caller, || {
        let session = session::current()?;
        session.requests().wait_for_all()?;
        Ok(session.context().sync_group(&session.groups().current()?)?)
    });
}

pub(crate) fn fence(caller: Caller) {
    or_abort(caller, || Ok(session::current()?.context().fence()?));
}

pub(crate) fn mask_sync(caller: Caller, begin: bool, end: bool) {
    or_abort(caller, || {
        session::current()?.context().mask_sync(begin, end);
        Ok(())
    });
}

/// Seconds since the first call for them, or since the beginning.
pub(crate) fn wtime() -> f64 {
    clock().elapsed().as_secs_f64()
}

fn clock() -> &'static Instant {
    static CLOCK: OnceLock<Instant> = OnceLock::new();
    CLOCK.get_or_init(Instant::now)
}

/// Bytes that arrays may still take on this process; `unlimited` without a limit.
pub(crate) fn memory_avail(caller: Caller, unlimited: i64) -> i64 {
    or_abort(caller, || Ok(session::current()?.limit().available().map_or(unlimited, bytes)))
}

pub(crate) fn memory_limited(caller: Caller) -> bool {
    or_abort(caller, || Ok(session::current()?.limit().is_set()))
}

/// Bytes that arrays take on this process.
pub(crate) fn inquire_memory(caller: Caller) -> i64 {
    or_abort(caller, || Ok(bytes(session::current()?.limit().used())))
}

pub(crate) fn set_memory_limit(caller: Caller, limit: i64) {
    or_abort(caller, || {
        session::current()?.limit().set(limit_bytes(limit));
        Ok(())
    });
}

pub(crate) fn cluster_nnodes(caller: Caller) -> i64 {
    or_abort(caller, || Ok(number(session::current()?.context().nodes())))
}

pub(crate) fn cluster_nodeid(caller: Caller) -> i64 {
    or_abort(caller, || Ok(number(session::current()?.context().node())))
}

/// Number of processes on a node; 0 where there is none.
pub(crate) fn cluster_nprocs(caller: Caller, node: i64) -> i64 {
    or_return(caller, 0, || Ok(number(ranks_of_node(node)?.len())))
}

/// A process by its place on a node; -1 where there is none.
pub(crate) fn cluster_procid(caller: Caller, node: i64, place: i64) -> i64 {
    or_return(caller, -1, || {
        let ranks = ranks_of_node(node)?;
        let rank = usize::try_from(place).ok().and_then(|place| ranks.get(place));
        rank.map(|&rank| number(rank)).ok_or(Error::NoSuchRank { rank: place, ranks: ranks.len() })
    })
}

fn ranks_of_node(node: i64) -> crate::Result<Vec<usize>> {
    let session = session::current()?;
    Ok(usize::try_from(node).map(|node| session.context().ranks_of_node(node)).unwrap_or_default())
}

/// The node of a process; -1 where there is none.
pub(crate) fn cluster_proc_nodeid(caller: Caller, rank: i64) -> i64 {
    or_return(caller, -1, || {
        let session = session::current()?;
        let node = usize::try_from(rank).ok().and_then(|rank| session.context().node_of(rank));
        node.map(number).ok_or(Error::NoSuchRank { rank, ranks: session.context().ranks() })
    })
}

/// A count as C and Fortran have it.
pub(crate) fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn bytes(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
