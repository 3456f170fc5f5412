//! Beginning and end, where this process is, and memory. The calls that begin everything depend on the width of INTEGER:
//! see `export.rs`.

use super::int;
use crate::caller::Caller;
use crate::calls::lifecycle as calls;
use crate::{fetch, session};
use libc::{c_char, c_int, size_t};

/// What an unlimited memory is, in the terms of `GA_Memory_avail`.
const UNLIMITED: i64 = -1;

/// Ends the use of arrays: completes what is under way and frees what is left. MPI goes on if the program started it.
/// A second call does nothing. Collective over all processes.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Terminate() {
    calls::terminate(Caller::c("GA_Terminate"));
}

/// As `GA_Terminate`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Terminate() {
    calls::terminate(Caller::c("NGA_Terminate"));
}

/// 1 between `GA_Initialize` and `GA_Terminate`, else 0.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Initialized() -> c_int {
    c_int::from(session::is_initialised())
}

/// As `GA_Initialized`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Initialized() -> c_int {
    c_int::from(session::is_initialised())
}

/// Prints the process, the message and the code on standard error, with the reason of the last call that failed, and ends
/// all processes. The exit code is `code`, or 255 where that is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Error(str: *const c_char, code: c_int) {
    // SAFETY: see the head of `c.rs`.
    calls::error(Caller::c("GA_Error"), &unsafe { fetch::c_text(str) }, code.into());
}

/// As `GA_Error`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Error(str: *const c_char, code: c_int) {
    // SAFETY: see the head of `c.rs`.
    calls::error(Caller::c("NGA_Error"), &unsafe { fetch::c_text(str) }, code.into());
}

/// This process's number in the default group, from 0.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Nodeid() -> c_int {
    int(calls::nodeid(Caller::c("GA_Nodeid")))
}

/// As `GA_Nodeid`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Nodeid() -> c_int {
    int(calls::nodeid(Caller::c("NGA_Nodeid")))
}

/// Number of processes in the default group.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Nnodes() -> c_int {
    int(calls::nnodes(Caller::c("GA_Nnodes")))
}

/// As `GA_Nnodes`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Nnodes() -> c_int {
    int(calls::nnodes(Caller::c("NGA_Nnodes")))
}

/// Completes all operations of all processes of the default group and waits for them. Collective over it.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Sync() {
    calls::sync(Caller::c("GA_Sync"));
}

/// As `GA_Sync`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Sync() {
    calls::sync(Caller::c("NGA_Sync"));
}

/// Says whether the next collective operation on arrays synchronises at its beginning and at its end, as it does if
/// nothing is said. The same on every process.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Mask_sync(first: c_int, last: c_int) {
    calls::mask_sync(Caller::c("GA_Mask_sync"), first != 0, last != 0);
}

/// As `GA_Mask_sync`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Mask_sync(first: c_int, last: c_int) {
    calls::mask_sync(Caller::c("NGA_Mask_sync"), first != 0, last != 0);
}

/// Begins what `GA_Fence` completes. It has nothing to do: a fence completes everything.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Init_fence() {}

/// As `GA_Init_fence`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Init_fence() {}

/// Completes all operations of this process, at the processes that hold the elements.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Fence() {
    calls::fence(Caller::c("GA_Fence"));
}

/// As `GA_Fence`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Fence() {
    calls::fence(Caller::c("NGA_Fence"));
}

/// Seconds since some moment in the past, the same within a process.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Wtime() -> f64 {
    calls::wtime()
}

/// As `GA_Wtime`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Wtime() -> f64 {
    calls::wtime()
}

/// 1 if the Fortran `ga_initialize` began everything, else 0.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Uses_fapi() -> c_int {
    c_int::from(session::is_fortran())
}

/// 0: arrays do not lie in the memory of MA.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Uses_ma() -> c_int {
    0
}

/// As `GA_Uses_ma`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Uses_ma() -> c_int {
    0
}

/// Bytes that arrays may still take on this process; the largest `size_t` without a limit.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Memory_avail() -> size_t {
    size(calls::memory_avail(Caller::c("GA_Memory_avail"), UNLIMITED))
}

/// As `GA_Memory_avail`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Memory_avail() -> size_t {
    size(calls::memory_avail(Caller::c("NGA_Memory_avail"), UNLIMITED))
}

/// Whether the memory of arrays is limited.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Memory_limited() -> c_int {
    c_int::from(calls::memory_limited(Caller::c("GA_Memory_limited")))
}

/// As `GA_Memory_limited`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Memory_limited() -> c_int {
    c_int::from(calls::memory_limited(Caller::c("NGA_Memory_limited")))
}

/// Bytes that arrays take on this process.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Inquire_memory() -> size_t {
    size(calls::inquire_memory(Caller::c("GA_Inquire_memory")))
}

/// As `GA_Inquire_memory`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Inquire_memory() -> size_t {
    size(calls::inquire_memory(Caller::c("NGA_Inquire_memory")))
}

/// Limits the bytes that arrays may take on each process; the largest `size_t` lifts the limit.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Set_memory_limit(limit: size_t) {
    calls::set_memory_limit(Caller::c("GA_Set_memory_limit"), i64::try_from(limit).unwrap_or(-1));
}

/// As `GA_Set_memory_limit`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Set_memory_limit(limit: size_t) {
    calls::set_memory_limit(Caller::c("NGA_Set_memory_limit"), i64::try_from(limit).unwrap_or(-1));
}

/// Number of nodes: groups of processes that share memory.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Cluster_nnodes() -> c_int {
    int(calls::cluster_nnodes(Caller::c("GA_Cluster_nnodes")))
}

/// The node of this process, from 0.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Cluster_nodeid() -> c_int {
    int(calls::cluster_nodeid(Caller::c("GA_Cluster_nodeid")))
}

/// Number of processes on node `x`; 0 if there is no such node.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Cluster_nprocs(x: c_int) -> c_int {
    int(calls::cluster_nprocs(Caller::c("GA_Cluster_nprocs"), x.into()))
}

/// The number of process `y` of node `x`; -1 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Cluster_procid(x: c_int, y: c_int) -> c_int {
    int(calls::cluster_procid(Caller::c("GA_Cluster_procid"), x.into(), y.into()))
}

/// The node of process `proc`; -1 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Cluster_proc_nodeid(proc: c_int) -> c_int {
    int(calls::cluster_proc_nodeid(Caller::c("GA_Cluster_proc_nodeid"), proc.into()))
}

fn size(bytes: i64) -> size_t {
    // -1 stands for no limit.
    size_t::try_from(bytes).unwrap_or(size_t::MAX)
}
