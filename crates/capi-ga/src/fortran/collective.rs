//! Broadcasts, reductions, groups of processes and mutexes.

use super::number;
use crate::boundary::or_abort;
use crate::caller::Caller;
use crate::calls::collective::{self as calls, Numbers};
use crate::calls::{group, mutex};
use crate::fetch;
use chemio_capi::Integer;
use ga::Element;
use libc::{c_char, c_void};

/// `subroutine ga_brdcst(type, buf, lenbuf, root)`: the type, a message number of old, does not matter.
pub unsafe fn brdcst<I: Integer>(
    caller: Caller,
    _: *const I,
    buf: *mut c_void,
    lenbuf: *const I,
    root: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let (len, root) = (number(caller, lenbuf, "lenbuf"), number(caller, root, "root"));
        calls::broadcast(caller, None, buf, len, root);
    }
}

/// `subroutine ga_pgroup_brdcst(grp, type, buf, lenbuf, root)`
pub unsafe fn pgroup_brdcst<I: Integer>(
    caller: Caller,
    grp: *const I,
    _: *const I,
    buf: *mut c_void,
    lenbuf: *const I,
    root: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let group = Some(number(caller, grp, "grp"));
        let (len, root) = (number(caller, lenbuf, "lenbuf"), number(caller, root, "root"));
        calls::broadcast(caller, group, buf, len, root);
    }
}

/// `subroutine ga_dgop(type, x, n, op)`, and its relatives for other types of numbers: the type of message does not matter.
pub unsafe fn gop_of<I: Integer, T: Element>(
    caller: Caller,
    _: *const I,
    x: *mut T,
    n: *const I,
    op: *const c_char,
    op_len: usize,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let (count, operator) = (number(caller, n, "n"), fetch::fortran_text(op, op_len));
        Numbers { caller, group: None, first: x.cast(), count, operator: &operator }.reduce::<T>();
    }
}

/// `subroutine ga_gop(type, x, n, op)`: here the type is that of the numbers.
pub unsafe fn gop<I: Integer>(
    caller: Caller,
    code: *const I,
    x: *mut c_void,
    n: *const I,
    op: *const c_char,
    op_len: usize,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let (count, operator) = (number(caller, n, "n"), fetch::fortran_text(op, op_len));
        let code = number(caller, code, "type");
        Numbers { caller, group: None, first: x, count, operator: &operator }.reduce_kind(code);
    }
}

/// `subroutine ga_pgroup_dgop(grp, type, x, n, op)`, and its relatives.
pub unsafe fn pgroup_gop_of<I: Integer, T: Element>(
    caller: Caller,
    grp: *const I,
    _: *const I,
    x: *mut T,
    n: *const I,
    op: *const c_char,
    op_len: usize,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let group = Some(number(caller, grp, "grp"));
        let (count, operator) = (number(caller, n, "n"), fetch::fortran_text(op, op_len));
        Numbers { caller, group, first: x.cast(), count, operator: &operator }.reduce::<T>();
    }
}

/// `integer function ga_pgroup_create(list, count)`
pub unsafe fn pgroup_create<I: Integer>(caller: Caller, list: *const I, count: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    I::nearest(unsafe { group::create(caller, list, number(caller, count, "count")) })
}

/// `logical function ga_pgroup_destroy(grp)`
pub unsafe fn pgroup_destroy<I: Integer>(caller: Caller, grp: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    I::logical(group::destroy(caller, unsafe { number(caller, grp, "grp") }))
}

/// `integer function ga_pgroup_duplicate(grp)`
pub unsafe fn pgroup_duplicate<I: Integer>(caller: Caller, grp: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    I::nearest(group::duplicate(caller, unsafe { number(caller, grp, "grp") }))
}

/// `integer function ga_pgroup_self()`
pub unsafe fn pgroup_self<I: Integer>(caller: Caller) -> I {
    I::nearest(group::alone(caller))
}

/// `integer function ga_pgroup_split(grp, num_group)`
pub unsafe fn pgroup_split<I: Integer>(caller: Caller, grp: *const I, num_group: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    let (grp, parts) = unsafe { (number(caller, grp, "grp"), number(caller, num_group, "num_group")) };
    I::nearest(group::split(caller, grp, parts))
}

/// `integer function ga_pgroup_split_irreg(grp, color)`
pub unsafe fn pgroup_split_irreg<I: Integer>(caller: Caller, grp: *const I, color: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    let (grp, colour) = unsafe { (number(caller, grp, "grp"), number(caller, color, "color")) };
    I::nearest(group::split_irregular(caller, grp, colour))
}

/// `integer function ga_pgroup_get_default()`
pub unsafe fn pgroup_get_default<I: Integer>(caller: Caller) -> I {
    I::nearest(group::default(caller))
}

/// `integer function ga_pgroup_get_world()`
pub unsafe fn pgroup_get_world<I: Integer>(_: Caller) -> I {
    I::nearest(group::WORLD)
}

/// `subroutine ga_pgroup_set_default(grp)`
pub unsafe fn pgroup_set_default<I: Integer>(caller: Caller, grp: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    group::set_default(caller, unsafe { number(caller, grp, "grp") });
}

/// `integer function ga_pgroup_nnodes(grp)`
pub unsafe fn pgroup_nnodes<I: Integer>(caller: Caller, grp: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    I::nearest(group::nnodes(caller, unsafe { number(caller, grp, "grp") }))
}

/// `integer function ga_pgroup_nodeid(grp)`
pub unsafe fn pgroup_nodeid<I: Integer>(caller: Caller, grp: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    I::nearest(group::nodeid(caller, unsafe { number(caller, grp, "grp") }))
}

/// `integer function ga_pgroup_absolute_id(grp, pid)`
pub unsafe fn pgroup_absolute_id<I: Integer>(caller: Caller, grp: *const I, pid: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    let (grp, rank) = unsafe { (number(caller, grp, "grp"), number(caller, pid, "pid")) };
    I::nearest(group::absolute_id(caller, grp, rank))
}

/// `subroutine ga_pgroup_sync(grp)`
pub unsafe fn pgroup_sync<I: Integer>(caller: Caller, grp: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    group::sync(caller, unsafe { number(caller, grp, "grp") });
}

/// `subroutine ga_mpi_comm(comm)`
pub unsafe fn mpi_comm<I: Integer>(caller: Caller, comm: *mut I) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { store_communicator(caller, Some(group::WORLD), comm) }
}

/// `subroutine ga_mpi_comm_pgroup(comm, grp)`
pub unsafe fn mpi_comm_pgroup<I: Integer>(caller: Caller, comm: *mut I, grp: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { store_communicator(caller, Some(number(caller, grp, "grp")), comm) }
}

/// `subroutine ga_mpi_comm_pgroup_default(comm)`
pub unsafe fn mpi_comm_pgroup_default<I: Integer>(caller: Caller, comm: *mut I) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { store_communicator(caller, None, comm) }
}

unsafe fn store_communicator<I: Integer>(caller: Caller, handle: Option<i64>, comm: *mut I) {
    let found = I::nearest(group::fortran_communicator(caller, handle));
    // SAFETY: see the head of `fortran.rs`.
    or_abort(caller, || unsafe { fetch::store(comm, found, "comm") });
}

/// `logical function ga_create_mutexes(number)`
pub unsafe fn create_mutexes<I: Integer>(caller: Caller, count: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    I::logical(mutex::create(caller, unsafe { number(caller, count, "number") }))
}

/// `logical function ga_destroy_mutexes()`
pub unsafe fn destroy_mutexes<I: Integer>(caller: Caller) -> I {
    I::logical(mutex::destroy(caller))
}

/// `subroutine ga_lock(mutex)`
pub unsafe fn lock<I: Integer>(caller: Caller, mutex: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    mutex::lock(caller, unsafe { number(caller, mutex, "mutex") });
}

/// `subroutine ga_unlock(mutex)`
pub unsafe fn unlock<I: Integer>(caller: Caller, mutex: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    mutex::unlock(caller, unsafe { number(caller, mutex, "mutex") });
}
