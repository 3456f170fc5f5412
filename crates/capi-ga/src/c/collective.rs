//! Broadcasts, reductions, groups of processes and mutexes. All but locking is collective over the group.

use super::{DoubleComplex, SingleComplex, int};
use crate::caller::Caller;
use crate::calls::collective::{self as calls, Numbers};
use crate::calls::{group, mutex};
use crate::fetch;
use libc::{c_char, c_int, c_long, c_longlong, c_void};
use num_complex::Complex;

/// Gives all processes of the default group the first `lenbuf` bytes of `buf` of process `root`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Brdcst(buf: *mut c_void, lenbuf: c_int, root: c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::broadcast(Caller::c("GA_Brdcst"), None, buf, lenbuf.into(), root.into()) }
}

/// As `GA_Brdcst`, in a group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Pgroup_brdcst(grp: c_int, buf: *mut c_void, lenbuf: c_int, root: c_int) {
    let (caller, group) = (Caller::c("GA_Pgroup_brdcst"), Some(grp.into()));
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::broadcast(caller, group, buf, lenbuf.into(), root.into()) }
}

/// Replaces `n` numbers, on every process of the default group, by what `op` makes of those of all: "+", "*", "max", "min",
/// "absmax", "absmin", and "or" for integers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Igop(x: *mut c_int, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("GA_Igop");
    let values = Numbers { caller, group: None, first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<i32>() }
}

/// As `GA_Igop`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Lgop(x: *mut c_long, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("GA_Lgop");
    let values = Numbers { caller, group: None, first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<i64>() }
}

/// As `GA_Igop`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Llgop(x: *mut c_longlong, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("GA_Llgop");
    let values = Numbers { caller, group: None, first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<i64>() }
}

/// As `GA_Igop`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Fgop(x: *mut f32, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("GA_Fgop");
    let values = Numbers { caller, group: None, first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<f32>() }
}

/// As `GA_Igop`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Dgop(x: *mut f64, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("GA_Dgop");
    let values = Numbers { caller, group: None, first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<f64>() }
}

/// As `GA_Igop`; complex numbers have no "max" and "min".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Cgop(x: *mut SingleComplex, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("GA_Cgop");
    let values = Numbers { caller, group: None, first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<Complex<f32>>() }
}

/// As `GA_Igop`; complex numbers have no "max" and "min".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Zgop(x: *mut DoubleComplex, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("GA_Zgop");
    let values = Numbers { caller, group: None, first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<Complex<f64>>() }
}

/// As `GA_Igop`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Igop(x: *mut c_int, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("NGA_Igop");
    let values = Numbers { caller, group: None, first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<i32>() }
}

/// As `GA_Igop`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Dgop(x: *mut f64, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("NGA_Dgop");
    let values = Numbers { caller, group: None, first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<f64>() }
}

/// As `GA_Igop`, for numbers of a type: `C_INT`, `C_DBL` and so on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Gop(r#type: c_int, x: *mut c_void, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("GA_Gop");
    let values = Numbers { caller, group: None, first: x, count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce_kind(r#type.into()) }
}

/// As `GA_Igop`, in a group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Pgroup_igop(grp: c_int, x: *mut c_int, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("GA_Pgroup_igop");
    let values =
        Numbers { caller, group: Some(grp.into()), first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<i32>() }
}

/// As `GA_Igop`, in a group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Pgroup_lgop(grp: c_int, x: *mut c_long, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("GA_Pgroup_lgop");
    let values =
        Numbers { caller, group: Some(grp.into()), first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<i64>() }
}

/// As `GA_Igop`, in a group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Pgroup_llgop(grp: c_int, x: *mut c_longlong, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("GA_Pgroup_llgop");
    let values =
        Numbers { caller, group: Some(grp.into()), first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<i64>() }
}

/// As `GA_Igop`, in a group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Pgroup_fgop(grp: c_int, x: *mut f32, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("GA_Pgroup_fgop");
    let values =
        Numbers { caller, group: Some(grp.into()), first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<f32>() }
}

/// As `GA_Igop`, in a group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Pgroup_dgop(grp: c_int, x: *mut f64, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("GA_Pgroup_dgop");
    let values =
        Numbers { caller, group: Some(grp.into()), first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<f64>() }
}

/// As `GA_Igop`, in a group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Pgroup_cgop(grp: c_int, x: *mut SingleComplex, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("GA_Pgroup_cgop");
    let values =
        Numbers { caller, group: Some(grp.into()), first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<Complex<f32>>() }
}

/// As `GA_Igop`, in a group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Pgroup_zgop(grp: c_int, x: *mut DoubleComplex, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("GA_Pgroup_zgop");
    let values =
        Numbers { caller, group: Some(grp.into()), first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<Complex<f64>>() }
}

/// As `GA_Pgroup_igop`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Pgroup_igop(grp: c_int, x: *mut c_int, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("NGA_Pgroup_igop");
    let values =
        Numbers { caller, group: Some(grp.into()), first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<i32>() }
}

/// As `GA_Pgroup_lgop`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Pgroup_lgop(grp: c_int, x: *mut c_long, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("NGA_Pgroup_lgop");
    let values =
        Numbers { caller, group: Some(grp.into()), first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<i64>() }
}

/// As `GA_Pgroup_llgop`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Pgroup_llgop(grp: c_int, x: *mut c_longlong, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("NGA_Pgroup_llgop");
    let values =
        Numbers { caller, group: Some(grp.into()), first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<i64>() }
}

/// As `GA_Pgroup_fgop`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Pgroup_fgop(grp: c_int, x: *mut f32, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("NGA_Pgroup_fgop");
    let values =
        Numbers { caller, group: Some(grp.into()), first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<f32>() }
}

/// As `GA_Pgroup_dgop`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Pgroup_dgop(grp: c_int, x: *mut f64, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("NGA_Pgroup_dgop");
    let values =
        Numbers { caller, group: Some(grp.into()), first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<f64>() }
}

/// As `GA_Pgroup_zgop`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Pgroup_zgop(grp: c_int, x: *mut DoubleComplex, n: c_int, op: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    let operator = unsafe { fetch::c_text(op) };
    let caller = Caller::c("NGA_Pgroup_zgop");
    let values =
        Numbers { caller, group: Some(grp.into()), first: x.cast(), count: n.into(), operator: &operator };
    // SAFETY: see the head of `c.rs`.
    unsafe { values.reduce::<Complex<f64>>() }
}

/// A group of the listed processes of the default group, in the order of their numbers there. Collective over the default
/// group; lists given at the same time are the same or have no process in common.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Pgroup_create(list: *const c_int, count: c_int) -> c_int {
    // SAFETY: see the head of `c.rs`.
    int(unsafe { group::create(Caller::c("GA_Pgroup_create"), list, count.into()) })
}

/// As `GA_Pgroup_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Pgroup_create(list: *const c_int, count: c_int) -> c_int {
    // SAFETY: see the head of `c.rs`.
    int(unsafe { group::create(Caller::c("NGA_Pgroup_create"), list, count.into()) })
}

/// Forgets a group; 1, or 0 if there is none. Arrays that it holds stay.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Pgroup_destroy(grp: c_int) -> c_int {
    c_int::from(group::destroy(Caller::c("GA_Pgroup_destroy"), grp.into()))
}

/// As `GA_Pgroup_destroy`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Pgroup_destroy(grp: c_int) -> c_int {
    c_int::from(group::destroy(Caller::c("NGA_Pgroup_destroy"), grp.into()))
}

/// A second handle for a group.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Pgroup_duplicate(grp: c_int) -> c_int {
    int(group::duplicate(Caller::c("GA_Pgroup_duplicate"), grp.into()))
}

/// As `GA_Pgroup_duplicate`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Pgroup_duplicate(grp: c_int) -> c_int {
    int(group::duplicate(Caller::c("NGA_Pgroup_duplicate"), grp.into()))
}

/// A group of this process alone. Collective over the default group.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Pgroup_self() -> c_int {
    int(group::alone(Caller::c("GA_Pgroup_self")))
}

/// As `GA_Pgroup_self`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Pgroup_self() -> c_int {
    int(group::alone(Caller::c("NGA_Pgroup_self")))
}

/// Cuts a group into at most `num_group` groups of neighbours, each but the last of the same size, and returns the one
/// with this process.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Pgroup_split(grp_id: c_int, num_group: c_int) -> c_int {
    int(group::split(Caller::c("GA_Pgroup_split"), grp_id.into(), num_group.into()))
}

/// As `GA_Pgroup_split`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Pgroup_split(grp_id: c_int, num_group: c_int) -> c_int {
    int(group::split(Caller::c("NGA_Pgroup_split"), grp_id.into(), num_group.into()))
}

/// Cuts a group into those that give the same `color` and returns the one with this process.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Pgroup_split_irreg(grp_id: c_int, color: c_int) -> c_int {
    int(group::split_irregular(Caller::c("GA_Pgroup_split_irreg"), grp_id.into(), color.into()))
}

/// As `GA_Pgroup_split_irreg`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Pgroup_split_irreg(grp_id: c_int, color: c_int) -> c_int {
    int(group::split_irregular(Caller::c("NGA_Pgroup_split_irreg"), grp_id.into(), color.into()))
}

/// The default group.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Pgroup_get_default() -> c_int {
    int(group::default(Caller::c("GA_Pgroup_get_default")))
}

/// As `GA_Pgroup_get_default`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Pgroup_get_default() -> c_int {
    int(group::default(Caller::c("NGA_Pgroup_get_default")))
}

/// Makes a group, in which this process is, the default: where calls without a group take place and arrays are created.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Pgroup_set_default(p_handle: c_int) {
    group::set_default(Caller::c("GA_Pgroup_set_default"), p_handle.into());
}

/// As `GA_Pgroup_set_default`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Pgroup_set_default(p_handle: c_int) {
    group::set_default(Caller::c("NGA_Pgroup_set_default"), p_handle.into());
}

/// The group of all processes, -1.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Pgroup_get_world() -> c_int {
    int(group::WORLD)
}

/// As `GA_Pgroup_get_world`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Pgroup_get_world() -> c_int {
    int(group::WORLD)
}

/// Number of processes of a group.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Pgroup_nnodes(grp_id: c_int) -> c_int {
    int(group::nnodes(Caller::c("GA_Pgroup_nnodes"), grp_id.into()))
}

/// As `GA_Pgroup_nnodes`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Pgroup_nnodes(grp_id: c_int) -> c_int {
    int(group::nnodes(Caller::c("NGA_Pgroup_nnodes"), grp_id.into()))
}

/// This process's number in a group; -1 if it is not in it.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Pgroup_nodeid(grp_id: c_int) -> c_int {
    int(group::nodeid(Caller::c("GA_Pgroup_nodeid"), grp_id.into()))
}

/// As `GA_Pgroup_nodeid`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Pgroup_nodeid(grp_id: c_int) -> c_int {
    int(group::nodeid(Caller::c("NGA_Pgroup_nodeid"), grp_id.into()))
}

/// The number among all processes of process `pid` of a group.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Pgroup_absolute_id(pgroup: c_int, pid: c_int) -> c_int {
    int(group::absolute_id(Caller::c("GA_Pgroup_absolute_id"), pgroup.into(), pid.into()))
}

/// As `GA_Pgroup_absolute_id`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Pgroup_absolute_id(pgroup: c_int, pid: c_int) -> c_int {
    int(group::absolute_id(Caller::c("NGA_Pgroup_absolute_id"), pgroup.into(), pid.into()))
}

/// As `GA_Sync` for the processes of a group.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Pgroup_sync(grp_id: c_int) {
    group::sync(Caller::c("GA_Pgroup_sync"), grp_id.into());
}

/// As `GA_Pgroup_sync`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Pgroup_sync(grp_id: c_int) {
    group::sync(Caller::c("NGA_Pgroup_sync"), grp_id.into());
}

/// As `GA_Pgroup_nnodes`.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Get_pgroup_size(grp_id: c_int) -> c_int {
    int(group::nnodes(Caller::c("GA_Get_pgroup_size"), grp_id.into()))
}

/// As `GA_Get_pgroup_size`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Get_pgroup_size(grp_id: c_int) -> c_int {
    int(group::nnodes(Caller::c("NGA_Get_pgroup_size"), grp_id.into()))
}

/// Makes `number` mutexes, 0 and so on; 1, or 0 if there are some already. Collective over all processes.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Create_mutexes(number: c_int) -> c_int {
    c_int::from(mutex::create(Caller::c("GA_Create_mutexes"), number.into()))
}

/// Removes all mutexes; 1, or 0 if there are none. Collective over all processes.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Destroy_mutexes() -> c_int {
    c_int::from(mutex::destroy(Caller::c("GA_Destroy_mutexes")))
}

/// As `GA_Destroy_mutexes`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Destroy_mutexes() -> c_int {
    c_int::from(mutex::destroy(Caller::c("NGA_Destroy_mutexes")))
}

/// Waits for a mutex. A process must not hold it already.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Lock(mutex: c_int) {
    mutex::lock(Caller::c("GA_Lock"), mutex.into());
}

/// As `GA_Lock`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Lock(mutex: c_int) {
    mutex::lock(Caller::c("NGA_Lock"), mutex.into());
}

/// Gives a mutex back, when what this process did to arrays is complete.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Unlock(mutex: c_int) {
    mutex::unlock(Caller::c("GA_Unlock"), mutex.into());
}

/// As `GA_Unlock`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Unlock(mutex: c_int) {
    mutex::unlock(Caller::c("NGA_Unlock"), mutex.into());
}
