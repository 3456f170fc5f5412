//! Arrays: how they are made, described and removed, and who holds what.

use super::int;
use crate::caller::Caller;
use crate::calls::create::{self, Shape};
use crate::calls::describe::{self, Bounds};
use crate::fetch;
use libc::{c_char, c_int};

fn shape<N>(code: c_int, ndim: c_int, dims: *const N) -> Shape<N> {
    Shape { code: code.into(), ndim: ndim.into(), dims }
}

/// Makes an array of zeros over the default group and returns its handle, or 0 where that is impossible; `GA_Error` and
/// the log then tell why. Collective over the group.
///
/// `type`: `C_INT`, `C_LONG`, `C_LONGLONG`, `C_FLOAT`, `C_DBL`, `C_SCPL`, `C_DCPL`. `dims`: `ndim` extents, at most 7, the last index
/// varies fastest. `chunk`: least extents of a process's block, which are multiples of them; the whole extent keeps a
/// dimension in one piece, 0 or less leaves it free. `chunk` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Create(
    r#type: c_int,
    ndim: c_int,
    dims: *const c_int,
    name: *const c_char,
    chunk: *const c_int,
) -> c_int {
    let caller = Caller::c("NGA_Create");
    // SAFETY: see the head of `c.rs`.
    int(unsafe { create::create(caller, shape(r#type, ndim, dims), fetch::c_text(name), chunk, None) })
}

/// As `NGA_Create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Create64(
    r#type: c_int,
    ndim: c_int,
    dims: *const i64,
    name: *const c_char,
    chunk: *const i64,
) -> c_int {
    let caller = Caller::c("NGA_Create64");
    // SAFETY: see the head of `c.rs`.
    int(unsafe { create::create(caller, shape(r#type, ndim, dims), fetch::c_text(name), chunk, None) })
}

/// As `NGA_Create`, over the group `p_handle`; without such a group the program ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Create_config(
    r#type: c_int,
    ndim: c_int,
    dims: *const c_int,
    name: *const c_char,
    chunk: *const c_int,
    p_handle: c_int,
) -> c_int {
    let (caller, group) = (Caller::c("NGA_Create_config"), Some(p_handle.into()));
    // SAFETY: see the head of `c.rs`.
    int(unsafe { create::create(caller, shape(r#type, ndim, dims), fetch::c_text(name), chunk, group) })
}

/// As `NGA_Create_config`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Create_config64(
    r#type: c_int,
    ndim: c_int,
    dims: *const i64,
    name: *const c_char,
    chunk: *const i64,
    p_handle: c_int,
) -> c_int {
    let (caller, group) = (Caller::c("NGA_Create_config64"), Some(p_handle.into()));
    // SAFETY: see the head of `c.rs`.
    int(unsafe { create::create(caller, shape(r#type, ndim, dims), fetch::c_text(name), chunk, group) })
}

/// Makes an array whose blocks begin where `map` says: for each dimension `block[d]` ascending first indices, beginning
/// with 0, those of dimension 0 first. There are at most as many blocks as processes. Otherwise as `NGA_Create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Create_irreg(
    r#type: c_int,
    ndim: c_int,
    dims: *const c_int,
    name: *const c_char,
    block: *const c_int,
    map: *const c_int,
) -> c_int {
    let (caller, shape) = (Caller::c("NGA_Create_irreg"), shape(r#type, ndim, dims));
    // SAFETY: see the head of `c.rs`.
    int(unsafe { create::create_irregular(caller, shape, fetch::c_text(name), block, map, None) })
}

/// As `NGA_Create_irreg`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Create_irreg64(
    r#type: c_int,
    ndim: c_int,
    dims: *const i64,
    name: *const c_char,
    block: *const i64,
    map: *const i64,
) -> c_int {
    let (caller, shape) = (Caller::c("NGA_Create_irreg64"), shape(r#type, ndim, dims));
    // SAFETY: see the head of `c.rs`.
    int(unsafe { create::create_irregular(caller, shape, fetch::c_text(name), block, map, None) })
}

/// As `NGA_Create_irreg`, over the group `p_handle`; without such a group the program ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Create_irreg_config(
    r#type: c_int,
    ndim: c_int,
    dims: *const c_int,
    name: *const c_char,
    block: *const c_int,
    map: *const c_int,
    p_handle: c_int,
) -> c_int {
    let (caller, shape) = (Caller::c("NGA_Create_irreg_config"), shape(r#type, ndim, dims));
    let group = Some(p_handle.into());
    // SAFETY: see the head of `c.rs`.
    int(unsafe { create::create_irregular(caller, shape, fetch::c_text(name), block, map, group) })
}

/// As `NGA_Create_irreg_config`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Create_irreg_config64(
    r#type: c_int,
    ndim: c_int,
    dims: *const i64,
    name: *const c_char,
    block: *const i64,
    map: *const i64,
    p_handle: c_int,
) -> c_int {
    let (caller, shape) = (Caller::c("NGA_Create_irreg_config64"), shape(r#type, ndim, dims));
    let group = Some(p_handle.into());
    // SAFETY: see the head of `c.rs`.
    int(unsafe { create::create_irregular(caller, shape, fetch::c_text(name), block, map, group) })
}

/// A handle for an array that the `GA_Set` calls describe and `GA_Allocate` makes; 0 before `GA_Initialize`.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Create_handle() -> c_int {
    int(create::create_handle(Caller::c("GA_Create_handle")))
}

/// As `GA_Create_handle`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Create_handle() -> c_int {
    int(create::create_handle(Caller::c("NGA_Create_handle")))
}

/// Says type and shape of an array that is not allocated yet; see `NGA_Create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Set_data(g_a: c_int, ndim: c_int, dims: *const c_int, r#type: c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { create::set_data(Caller::c("GA_Set_data"), g_a.into(), shape(r#type, ndim, dims)) }
}

/// As `GA_Set_data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Set_data(g_a: c_int, ndim: c_int, dims: *const c_int, r#type: c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { create::set_data(Caller::c("NGA_Set_data"), g_a.into(), shape(r#type, ndim, dims)) }
}

/// As `GA_Set_data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Set_data64(g_a: c_int, ndim: c_int, dims: *const i64, r#type: c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { create::set_data(Caller::c("GA_Set_data64"), g_a.into(), shape(r#type, ndim, dims)) }
}

/// As `GA_Set_data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Set_data64(g_a: c_int, ndim: c_int, dims: *const i64, r#type: c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { create::set_data(Caller::c("NGA_Set_data64"), g_a.into(), shape(r#type, ndim, dims)) }
}

/// Says the least extents of blocks, after `GA_Set_data`; see `NGA_Create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Set_chunk(g_a: c_int, chunk: *const c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { create::set_chunk(Caller::c("GA_Set_chunk"), g_a.into(), chunk) }
}

/// As `GA_Set_chunk`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Set_chunk(g_a: c_int, chunk: *const c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { create::set_chunk(Caller::c("NGA_Set_chunk"), g_a.into(), chunk) }
}

/// As `GA_Set_chunk`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Set_chunk64(g_a: c_int, chunk: *const i64) {
    // SAFETY: see the head of `c.rs`.
    unsafe { create::set_chunk(Caller::c("GA_Set_chunk64"), g_a.into(), chunk) }
}

/// Says where blocks begin, after `GA_Set_data`; see `NGA_Create_irreg`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Set_irreg_distr(g_a: c_int, map: *const c_int, block: *const c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { create::set_irregular(Caller::c("GA_Set_irreg_distr"), g_a.into(), map, block) }
}

/// As `GA_Set_irreg_distr`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Set_irreg_distr(g_a: c_int, map: *const c_int, block: *const c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { create::set_irregular(Caller::c("NGA_Set_irreg_distr"), g_a.into(), map, block) }
}

/// As `GA_Set_irreg_distr`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Set_irreg_distr64(g_a: c_int, map: *const i64, block: *const i64) {
    // SAFETY: see the head of `c.rs`.
    unsafe { create::set_irregular(Caller::c("GA_Set_irreg_distr64"), g_a.into(), map, block) }
}

/// As `GA_Set_irreg_distr`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Set_irreg_distr64(g_a: c_int, map: *const i64, block: *const i64) {
    // SAFETY: see the head of `c.rs`.
    unsafe { create::set_irregular(Caller::c("NGA_Set_irreg_distr64"), g_a.into(), map, block) }
}

/// Names an array that is not allocated yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Set_array_name(g_a: c_int, name: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    create::set_array_name(Caller::c("GA_Set_array_name"), g_a.into(), unsafe { fetch::c_text(name) });
}

/// As `GA_Set_array_name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Set_array_name(g_a: c_int, name: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    create::set_array_name(Caller::c("NGA_Set_array_name"), g_a.into(), unsafe { fetch::c_text(name) });
}

/// Says the group that is to hold an array that is not allocated yet.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Set_pgroup(g_a: c_int, p_handle: c_int) {
    create::set_group(Caller::c("GA_Set_pgroup"), g_a.into(), p_handle.into());
}

/// As `GA_Set_pgroup`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Set_pgroup(g_a: c_int, p_handle: c_int) {
    create::set_group(Caller::c("NGA_Set_pgroup"), g_a.into(), p_handle.into());
}

/// Makes the array that has been described; 1, or 0 where that is impossible. Collective over its group.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Allocate(g_a: c_int) -> c_int {
    c_int::from(create::allocate(Caller::c("GA_Allocate"), g_a.into()))
}

/// As `GA_Allocate`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Allocate(g_a: c_int) -> c_int {
    c_int::from(create::allocate(Caller::c("NGA_Allocate"), g_a.into()))
}

/// An array of type, shape and distribution of `g_a`, or 0. Collective over its group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Duplicate(g_a: c_int, array_name: *const c_char) -> c_int {
    // SAFETY: see the head of `c.rs`.
    int(create::duplicate(Caller::c("GA_Duplicate"), g_a.into(), unsafe { fetch::c_text(array_name) }))
}

/// As `GA_Duplicate`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Duplicate(g_a: c_int, array_name: *const c_char) -> c_int {
    // SAFETY: see the head of `c.rs`.
    int(create::duplicate(Caller::c("NGA_Duplicate"), g_a.into(), unsafe { fetch::c_text(array_name) }))
}

/// Removes an array; its handle is free. Collective over its group.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Destroy(g_a: c_int) {
    create::destroy_or_abort(Caller::c("GA_Destroy"), g_a.into());
}

/// As `GA_Destroy`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Destroy(g_a: c_int) {
    create::destroy_or_abort(Caller::c("NGA_Destroy"), g_a.into());
}

/// Type, number of dimensions and extents.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Inquire(g_a: c_int, r#type: *mut c_int, ndim: *mut c_int, dims: *mut c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { describe::inquire(Caller::c("NGA_Inquire"), g_a.into(), r#type, ndim, dims) }
}

/// As `NGA_Inquire`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Inquire64(g_a: c_int, r#type: *mut c_int, ndim: *mut c_int, dims: *mut i64) {
    // SAFETY: see the head of `c.rs`.
    unsafe { describe::inquire(Caller::c("NGA_Inquire64"), g_a.into(), r#type, ndim, dims) }
}

/// The name, which stays where it is while the array lives.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Inquire_name(g_a: c_int) -> *mut c_char {
    describe::c_name(Caller::c("GA_Inquire_name"), g_a.into()).cast_mut()
}

/// As `GA_Inquire_name`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Inquire_name(g_a: c_int) -> *mut c_char {
    describe::c_name(Caller::c("NGA_Inquire_name"), g_a.into()).cast_mut()
}

/// Number of dimensions.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Ndim(g_a: c_int) -> c_int {
    int(describe::ndim(Caller::c("GA_Ndim"), g_a.into()))
}

/// As `GA_Ndim`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Ndim(g_a: c_int) -> c_int {
    int(describe::ndim(Caller::c("NGA_Ndim"), g_a.into()))
}

/// As `GA_Ndim`.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Get_dimension(g_a: c_int) -> c_int {
    int(describe::ndim(Caller::c("GA_Get_dimension"), g_a.into()))
}

/// As `GA_Ndim`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Get_dimension(g_a: c_int) -> c_int {
    int(describe::ndim(Caller::c("NGA_Get_dimension"), g_a.into()))
}

/// 1 if there is an array with this handle, else 0.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Verify_handle(g_a: c_int) -> c_int {
    c_int::from(describe::is_valid(g_a.into()))
}

/// As `GA_Verify_handle`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Verify_handle(g_a: c_int) -> c_int {
    c_int::from(describe::is_valid(g_a.into()))
}

/// As `GA_Verify_handle`.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Valid_handle(g_a: c_int) -> c_int {
    c_int::from(describe::is_valid(g_a.into()))
}

/// As `GA_Verify_handle`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Valid_handle(g_a: c_int) -> c_int {
    c_int::from(describe::is_valid(g_a.into()))
}

/// Ends the program with a message that names `string`, unless there is an array with this handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Check_handle(g_a: c_int, string: *const c_char) {
    // SAFETY: see the head of `c.rs`.
    describe::check_handle(Caller::c("GA_Check_handle"), g_a.into(), &unsafe { fetch::c_text(string) });
}

/// 0 if two arrays have the same shape and the same blocks, else 1. The types do not matter.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Compare_distr(g_a: c_int, g_b: c_int) -> c_int {
    let same = describe::same_distribution(Caller::c("GA_Compare_distr"), g_a.into(), g_b.into());
    c_int::from(!same)
}

/// As `GA_Compare_distr`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Compare_distr(g_a: c_int, g_b: c_int) -> c_int {
    let same = describe::same_distribution(Caller::c("NGA_Compare_distr"), g_a.into(), g_b.into());
    c_int::from(!same)
}

/// The block of a process of the array's group: first and last indices, inclusive. -1 and -2 for a process that holds
/// nothing or that there is not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Distribution(g_a: c_int, iproc: c_int, lo: *mut c_int, hi: *mut c_int) {
    let caller = Caller::c("NGA_Distribution");
    // SAFETY: see the head of `c.rs`.
    unsafe { describe::distribution(caller, g_a.into(), iproc.into(), Bounds { lo, hi }) }
}

/// As `NGA_Distribution`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Distribution64(g_a: c_int, iproc: c_int, lo: *mut i64, hi: *mut i64) {
    let caller = Caller::c("NGA_Distribution64");
    // SAFETY: see the head of `c.rs`.
    unsafe { describe::distribution(caller, g_a.into(), iproc.into(), Bounds { lo, hi }) }
}

/// The process of the array's group that holds an element; -1 if there is no such element.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Locate(g_a: c_int, subscript: *const c_int) -> c_int {
    // SAFETY: see the head of `c.rs`.
    int(unsafe { describe::locate(Caller::c("NGA_Locate"), g_a.into(), subscript) })
}

/// As `NGA_Locate`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Locate64(g_a: c_int, subscript: *const i64) -> c_int {
    // SAFETY: see the head of `c.rs`.
    int(unsafe { describe::locate(Caller::c("NGA_Locate64"), g_a.into(), subscript) })
}

/// The processes that hold parts of a section: stores each part in `map` as its first and its last indices, the processes
/// in `procs`, and returns how many there are; 0 for a section that is not in the array. There must be room for all
/// processes of the array's group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Locate_region(
    g_a: c_int,
    lo: *const c_int,
    hi: *const c_int,
    map: *mut c_int,
    procs: *mut c_int,
) -> c_int {
    // SAFETY: see the head of `c.rs`.
    int(unsafe { describe::locate_region(Caller::c("NGA_Locate_region"), g_a.into(), lo, hi, map, procs) })
}

/// As `NGA_Locate_region`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Locate_region64(
    g_a: c_int,
    lo: *const i64,
    hi: *const i64,
    map: *mut i64,
    procs: *mut c_int,
) -> c_int {
    // SAFETY: see the head of `c.rs`.
    int(unsafe { describe::locate_region(Caller::c("NGA_Locate_region64"), g_a.into(), lo, hi, map, procs) })
}

/// Number of blocks in each dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GA_Nblock(g_a: c_int, nblock: *mut c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { describe::nblock(Caller::c("GA_Nblock"), g_a.into(), nblock) }
}

/// As `GA_Nblock`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Nblock(g_a: c_int, nblock: *mut c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { describe::nblock(Caller::c("NGA_Nblock"), g_a.into(), nblock) }
}

/// Where process `proc` is in the grid of blocks. The coordinates are in Fortran's order: the first belongs to the last
/// dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Proc_topology(g_a: c_int, proc: c_int, coord: *mut c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { describe::topology(Caller::c("NGA_Proc_topology"), g_a.into(), proc.into(), coord) }
}

/// The group that holds an array.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Get_pgroup(g_a: c_int) -> c_int {
    int(describe::group_of(Caller::c("GA_Get_pgroup"), g_a.into()))
}

/// As `GA_Get_pgroup`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Get_pgroup(g_a: c_int) -> c_int {
    int(describe::group_of(Caller::c("NGA_Get_pgroup"), g_a.into()))
}
