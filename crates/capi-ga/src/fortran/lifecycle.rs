//! Beginning and end, where this process is, and memory.

use super::{number, truth};
use crate::caller::Caller;
use crate::calls::lifecycle as calls;
use crate::{fetch, session};
use chemio_capi::Integer;
use libc::c_char;

/// What an unlimited memory is, in the terms of `ga_memory_avail`.
const UNLIMITED: i64 = -1;
/// No limit of memory.
const NO_LIMIT: i64 = -1;

/// Begins everything, for C and for Fortran.
pub fn initialise<I: Integer>(caller: Caller, limit: i64) {
    calls::initialise(caller, size_of::<I>(), limit);
}

/// `subroutine ga_initialize()`
pub unsafe fn initialize<I: Integer>(caller: Caller) {
    initialise::<I>(caller, NO_LIMIT);
}

/// `subroutine ga_initialize_ltd(limit)`
pub unsafe fn initialize_ltd<I: Integer>(caller: Caller, limit: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    initialise::<I>(caller, unsafe { number(caller, limit, "limit") });
}

/// `subroutine ga_terminate()`
pub unsafe fn terminate(caller: Caller) {
    calls::terminate(caller);
}

/// `logical function ga_initialized()`
pub unsafe fn initialized<I: Integer>(_: Caller) -> I {
    I::logical(session::is_initialised())
}

/// `subroutine ga_error(string, icode)`
pub unsafe fn error<I: Integer>(caller: Caller, string: *const c_char, icode: *const I, string_len: usize) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { calls::error(caller, &fetch::fortran_text(string, string_len), number(caller, icode, "icode")) }
}

/// `integer function ga_nodeid()`
pub unsafe fn nodeid<I: Integer>(caller: Caller) -> I {
    I::nearest(calls::nodeid(caller))
}

/// `integer function ga_nnodes()`
pub unsafe fn nnodes<I: Integer>(caller: Caller) -> I {
    I::nearest(calls::nnodes(caller))
}

/// `subroutine ga_sync()`
pub unsafe fn sync(caller: Caller) {
    calls::sync(caller);
}

/// `subroutine ga_mask_sync(logical first, logical last)`
pub unsafe fn mask_sync<I: Integer>(caller: Caller, first: *const I, last: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    let (first, last) = unsafe { (truth(caller, first, "first"), truth(caller, last, "last")) };
    calls::mask_sync(caller, first, last);
}

/// `subroutine ga_init_fence()`
pub unsafe fn init_fence(_: Caller) {}

/// `subroutine ga_fence()`
pub unsafe fn fence(caller: Caller) {
    calls::fence(caller);
}

/// `double precision function ga_wtime()`
pub unsafe fn wtime(_: Caller) -> f64 {
    calls::wtime()
}

/// `logical function ga_uses_ma()`
pub unsafe fn uses_ma<I: Integer>(_: Caller) -> I {
    I::logical(false)
}

/// `integer function ga_memory_avail()`
pub unsafe fn memory_avail<I: Integer>(caller: Caller) -> I {
    I::nearest(calls::memory_avail(caller, UNLIMITED))
}

/// `logical function ga_memory_limited()`
pub unsafe fn memory_limited<I: Integer>(caller: Caller) -> I {
    I::logical(calls::memory_limited(caller))
}

/// `integer function ga_inquire_memory()`
pub unsafe fn inquire_memory<I: Integer>(caller: Caller) -> I {
    I::nearest(calls::inquire_memory(caller))
}

/// `subroutine ga_set_memory_limit(limit)`
pub unsafe fn set_memory_limit<I: Integer>(caller: Caller, limit: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    calls::set_memory_limit(caller, unsafe { number(caller, limit, "limit") });
}

/// `integer function ga_cluster_nnodes()`
pub unsafe fn cluster_nnodes<I: Integer>(caller: Caller) -> I {
    I::nearest(calls::cluster_nnodes(caller))
}

/// `integer function ga_cluster_nodeid()`
pub unsafe fn cluster_nodeid<I: Integer>(caller: Caller) -> I {
    I::nearest(calls::cluster_nodeid(caller))
}

/// `integer function ga_cluster_nprocs(node)`
pub unsafe fn cluster_nprocs<I: Integer>(caller: Caller, node: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    I::nearest(calls::cluster_nprocs(caller, unsafe { number(caller, node, "node") }))
}

/// `integer function ga_cluster_procid(node, place)`
pub unsafe fn cluster_procid<I: Integer>(caller: Caller, node: *const I, place: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    let (node, place) = unsafe { (number(caller, node, "node"), number(caller, place, "proc")) };
    I::nearest(calls::cluster_procid(caller, node, place))
}

/// `integer function ga_cluster_proc_nodeid(proc)`
pub unsafe fn cluster_proc_nodeid<I: Integer>(caller: Caller, proc: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    I::nearest(calls::cluster_proc_nodeid(caller, unsafe { number(caller, proc, "proc") }))
}

/// `double precision function drand(flag)`: a number from 0 on and below 1. A flag above 1 begins a sequence anew with
/// it, 1 with the first one.
pub unsafe fn drand<I: Integer>(caller: Caller, flag: *const I) -> f64 {
    // SAFETY: see the head of `fortran.rs`; the C library's generator takes any seed.
    unsafe {
        match number(caller, flag, "flag") {
            0 => {}
            seed => libc::srand48(seed),
        }
        libc::drand48()
    }
}
