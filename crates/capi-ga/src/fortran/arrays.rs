//! Arrays: how they are made, described and removed, and who holds what.

use super::{handle, matrix, matrix_handle, number};
use crate::caller::Caller;
use crate::calls::create::{self, NO_ARRAY, Shape};
use crate::calls::describe::{self, Bounds};
use crate::fetch;
use chemio_capi::Integer;
use libc::c_char;

/// Stores the handle of a new array and says whether there is one.
unsafe fn made<I: Integer>(created: i64, g_a: *mut I) -> I {
    if created == NO_ARRAY {
        return I::logical(false);
    }
    // SAFETY: see the head of `fortran.rs`.
    I::logical(unsafe { fetch::store(g_a, I::nearest(created), "g_a") }.is_ok())
}

unsafe fn shape<I: Integer>(caller: Caller, code: *const I, ndim: *const I, dims: *const I) -> Shape<I> {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { Shape { code: number(caller, code, "type"), ndim: number(caller, ndim, "ndim"), dims } }
}

/// `logical function ga_create(type, dim1, dim2, array_name, chunk1, chunk2, g_a)`
pub unsafe fn create_matrix<I: Integer>(
    caller: Caller,
    code: *const I,
    dim1: *const I,
    dim2: *const I,
    array_name: *const c_char,
    chunk1: *const I,
    chunk2: *const I,
    g_a: *mut I,
    array_name_len: usize,
) -> I {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let dims = [dim1, dim2].map(|dim| I::nearest(number(caller, dim, "dim1 or dim2")));
        let chunk = [chunk1, chunk2].map(|chunk| I::nearest(number(caller, chunk, "chunk1 or chunk2")));
        let shape = Shape { code: number(caller, code, "type"), ndim: 2, dims: dims.as_ptr() };
        let name = fetch::fortran_text(array_name, array_name_len);
        made(create::create(caller, shape, name, chunk.as_ptr(), None), g_a)
    }
}

/// `logical function nga_create(type, ndim, dims, array_name, chunk, g_a)`
pub unsafe fn create<I: Integer>(
    caller: Caller,
    code: *const I,
    ndim: *const I,
    dims: *const I,
    array_name: *const c_char,
    chunk: *const I,
    g_a: *mut I,
    array_name_len: usize,
) -> I {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let (shape, name) =
            (shape(caller, code, ndim, dims), fetch::fortran_text(array_name, array_name_len));
        made(create::create(caller, shape, name, chunk, None), g_a)
    }
}

/// `logical function nga_create_config(type, ndim, dims, array_name, chunk, p_handle, g_a)`
pub unsafe fn create_config<I: Integer>(
    caller: Caller,
    code: *const I,
    ndim: *const I,
    dims: *const I,
    array_name: *const c_char,
    chunk: *const I,
    p_handle: *const I,
    g_a: *mut I,
    array_name_len: usize,
) -> I {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let (shape, name) =
            (shape(caller, code, ndim, dims), fetch::fortran_text(array_name, array_name_len));
        let group = Some(number(caller, p_handle, "p_handle"));
        made(create::create(caller, shape, name, chunk, group), g_a)
    }
}

/// `logical function ga_create_irreg(type, dim1, dim2, array_name, map1, nblock1, map2, nblock2, g_a)`
pub unsafe fn create_irreg_matrix<I: Integer>(
    caller: Caller,
    code: *const I,
    dim1: *const I,
    dim2: *const I,
    array_name: *const c_char,
    map1: *const I,
    nblock1: *const I,
    map2: *const I,
    nblock2: *const I,
    g_a: *mut I,
    array_name_len: usize,
) -> I {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let dims = [dim1, dim2].map(|dim| I::nearest(number(caller, dim, "dim1 or dim2")));
        let shape = Shape { code: number(caller, code, "type"), ndim: 2, dims: dims.as_ptr() };
        let name = fetch::fortran_text(array_name, array_name_len);
        let blocks = [nblock1, nblock2].map(|blocks| number(caller, blocks, "nblock1 or nblock2"));
        let map = create::joined_maps([map1, map2], blocks);
        let map = map.as_ref().map_or(std::ptr::null(), Vec::as_ptr);
        let blocks = blocks.map(I::nearest);
        made(create::create_irregular(caller, shape, name, blocks.as_ptr(), map, None), g_a)
    }
}

/// `logical function nga_create_irreg(type, ndim, dims, array_name, map, nblock, g_a)`
pub unsafe fn create_irreg<I: Integer>(
    caller: Caller,
    code: *const I,
    ndim: *const I,
    dims: *const I,
    array_name: *const c_char,
    map: *const I,
    nblock: *const I,
    g_a: *mut I,
    array_name_len: usize,
) -> I {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let (shape, name) =
            (shape(caller, code, ndim, dims), fetch::fortran_text(array_name, array_name_len));
        made(create::create_irregular(caller, shape, name, nblock, map, None), g_a)
    }
}

/// `logical function nga_create_irreg_config(type, ndim, dims, array_name, map, nblock, p_handle, g_a)`
pub unsafe fn create_irreg_config<I: Integer>(
    caller: Caller,
    code: *const I,
    ndim: *const I,
    dims: *const I,
    array_name: *const c_char,
    map: *const I,
    nblock: *const I,
    p_handle: *const I,
    g_a: *mut I,
    array_name_len: usize,
) -> I {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let (shape, name) =
            (shape(caller, code, ndim, dims), fetch::fortran_text(array_name, array_name_len));
        let group = Some(number(caller, p_handle, "p_handle"));
        made(create::create_irregular(caller, shape, name, nblock, map, group), g_a)
    }
}

/// `integer function ga_create_handle()`
pub unsafe fn create_handle<I: Integer>(caller: Caller) -> I {
    I::nearest(create::create_handle(caller))
}

/// `subroutine ga_set_data(g_a, ndim, dims, type)`
pub unsafe fn set_data<I: Integer>(
    caller: Caller,
    g_a: *const I,
    ndim: *const I,
    dims: *const I,
    code: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { create::set_data(caller, handle(caller, g_a), shape(caller, code, ndim, dims)) }
}

/// `subroutine ga_set_chunk(g_a, chunk)`
pub unsafe fn set_chunk<I: Integer>(caller: Caller, g_a: *const I, chunk: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { create::set_chunk(caller, handle(caller, g_a), chunk) }
}

/// `subroutine ga_set_irreg_distr(g_a, map, nblock)`
pub unsafe fn set_irreg_distr<I: Integer>(caller: Caller, g_a: *const I, map: *const I, nblock: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { create::set_irregular(caller, handle(caller, g_a), map, nblock) }
}

/// `subroutine ga_set_array_name(g_a, array_name)`
pub unsafe fn set_array_name<I: Integer>(
    caller: Caller,
    g_a: *const I,
    array_name: *const c_char,
    array_name_len: usize,
) {
    // SAFETY: see the head of `fortran.rs`.
    let (handle, name) = unsafe { (handle(caller, g_a), fetch::fortran_text(array_name, array_name_len)) };
    create::set_array_name(caller, handle, name);
}

/// `subroutine ga_set_pgroup(g_a, p_handle)`
pub unsafe fn set_pgroup<I: Integer>(caller: Caller, g_a: *const I, p_handle: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    let (array, group) = unsafe { (handle(caller, g_a), number(caller, p_handle, "p_handle")) };
    create::set_group(caller, array, group);
}

/// `logical function ga_allocate(g_a)`
pub unsafe fn allocate<I: Integer>(caller: Caller, g_a: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    I::logical(create::allocate(caller, unsafe { handle(caller, g_a) }))
}

/// `logical function ga_duplicate(g_a, g_b, array_name)`
pub unsafe fn duplicate<I: Integer>(
    caller: Caller,
    g_a: *const I,
    g_b: *mut I,
    array_name: *const c_char,
    array_name_len: usize,
) -> I {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let name = fetch::fortran_text(array_name, array_name_len);
        made(create::duplicate(caller, handle(caller, g_a), name), g_b)
    }
}

/// `logical function ga_destroy(g_a)`
pub unsafe fn destroy<I: Integer>(caller: Caller, g_a: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    I::logical(create::destroy(caller, unsafe { handle(caller, g_a) }))
}

/// `subroutine ga_inquire(g_a, type, dim1, dim2)`
pub unsafe fn inquire_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    code: *mut I,
    dim1: *mut I,
    dim2: *mut I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { describe::inquire_matrix(caller, matrix_handle(caller, g_a), code, dim1, dim2) }
}

/// `subroutine nga_inquire(g_a, type, ndim, dims)`
pub unsafe fn inquire<I: Integer>(caller: Caller, g_a: *const I, code: *mut I, ndim: *mut I, dims: *mut I) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { describe::inquire(caller, handle(caller, g_a), code, ndim, dims) }
}

/// `subroutine ga_inquire_name(g_a, array_name)`
pub unsafe fn inquire_name<I: Integer>(
    caller: Caller,
    g_a: *const I,
    array_name: *mut c_char,
    array_name_len: usize,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { describe::fortran_name(caller, handle(caller, g_a), array_name, array_name_len) }
}

/// `integer function ga_ndim(g_a)`
pub unsafe fn ndim<I: Integer>(caller: Caller, g_a: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    I::nearest(describe::ndim(caller, unsafe { handle(caller, g_a) }))
}

/// `logical function ga_valid_handle(g_a)`
pub unsafe fn valid_handle<I: Integer>(caller: Caller, g_a: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    I::logical(describe::is_valid(unsafe { handle(caller, g_a) }))
}

/// `subroutine ga_check_handle(g_a, string)`
pub unsafe fn check_handle<I: Integer>(
    caller: Caller,
    g_a: *const I,
    string: *const c_char,
    string_len: usize,
) {
    // SAFETY: see the head of `fortran.rs`.
    let (handle, place) = unsafe { (handle(caller, g_a), fetch::fortran_text(string, string_len)) };
    describe::check_handle(caller, handle, &place);
}

/// `logical function ga_compare_distr(g_a, g_b)`: whether they are the same.
pub unsafe fn compare_distr<I: Integer>(caller: Caller, g_a: *const I, g_b: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    let (a, b) = unsafe { (handle(caller, g_a), handle(caller, g_b)) };
    I::logical(describe::same_distribution(caller, a, b))
}

/// `subroutine ga_distribution(g_a, proc, ilo, ihi, jlo, jhi)`
pub unsafe fn distribution_of_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    proc: *const I,
    ilo: *mut I,
    ihi: *mut I,
    jlo: *mut I,
    jhi: *mut I,
) {
    let (rows, columns) = (Bounds { lo: ilo, hi: ihi }, Bounds { lo: jlo, hi: jhi });
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let rank = number(caller, proc, "proc");
        describe::distribution_of_matrix(caller, matrix_handle(caller, g_a), rank, rows, columns);
    }
}

/// `subroutine nga_distribution(g_a, proc, lo, hi)`
pub unsafe fn distribution<I: Integer>(
    caller: Caller,
    g_a: *const I,
    proc: *const I,
    lo: *mut I,
    hi: *mut I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let rank = number(caller, proc, "proc");
        describe::distribution(caller, handle(caller, g_a), rank, Bounds { lo, hi });
    }
}

/// Stores an owner, -1 for nobody, and says whether there is one.
unsafe fn located<I: Integer>(rank: i64, owner: *mut I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    let stored = unsafe { fetch::store(owner, I::nearest(rank), "owner") };
    I::logical(rank >= 0 && stored.is_ok())
}

/// `logical function ga_locate(g_a, i, j, owner)`
pub unsafe fn locate_in_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    i: *const I,
    j: *const I,
    owner: *mut I,
) -> I {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let (i, j) = (number(caller, i, "i"), number(caller, j, "j"));
        let at = [i, j];
        located(describe::locate(caller, matrix_handle(caller, g_a), at.as_ptr()), owner)
    }
}

/// `logical function nga_locate(g_a, subscript, owner)`
pub unsafe fn locate<I: Integer>(caller: Caller, g_a: *const I, subscript: *const I, owner: *mut I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { located(describe::locate(caller, handle(caller, g_a), subscript), owner) }
}

/// Stores how many owners there are, and says whether there are any.
unsafe fn counted<I: Integer>(count: i64, np: *mut I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    let stored = unsafe { fetch::store(np, I::nearest(count), "np") };
    I::logical(count > 0 && stored.is_ok())
}

/// `logical function ga_locate_region(g_a, ilo, ihi, jlo, jhi, map(5, *), np)`
pub unsafe fn locate_region_of_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    ilo: *const I,
    ihi: *const I,
    jlo: *const I,
    jhi: *const I,
    map: *mut I,
    np: *mut I,
) -> I {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let [ilo, ihi, jlo, jhi] = matrix(caller, [ilo, ihi, jlo, jhi]);
        let (lo, hi) = ([ilo, jlo], [ihi, jhi]);
        let owners = describe::locate_region_of_matrix(caller, matrix_handle(caller, g_a), lo, hi, map);
        counted(owners, np)
    }
}

/// `logical function nga_locate_region(g_a, lo, hi, map(2 * ndim, *), proclist, np)`
pub unsafe fn locate_region<I: Integer>(
    caller: Caller,
    g_a: *const I,
    lo: *const I,
    hi: *const I,
    map: *mut I,
    proclist: *mut I,
    np: *mut I,
) -> I {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { counted(describe::locate_region(caller, handle(caller, g_a), lo, hi, map, proclist), np) }
}

/// `subroutine ga_nblock(g_a, nblock)`
pub unsafe fn nblock<I: Integer>(caller: Caller, g_a: *const I, nblock: *mut I) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { describe::nblock(caller, handle(caller, g_a), nblock) }
}

/// `subroutine ga_proc_topology(g_a, proc, pr, pc)`
pub unsafe fn topology_of_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    proc: *const I,
    pr: *mut I,
    pc: *mut I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let mut found = [I::nearest(0); 2];
        let rank = number(caller, proc, "proc");
        describe::topology(caller, matrix_handle(caller, g_a), rank, found.as_mut_ptr());
        let stored = fetch::store(pr, found[0], "pr").and(fetch::store(pc, found[1], "pc"));
        crate::boundary::or_abort(caller, || stored);
    }
}

/// `subroutine nga_proc_topology(g_a, proc, coord)`
pub unsafe fn topology<I: Integer>(caller: Caller, g_a: *const I, proc: *const I, coord: *mut I) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { describe::topology(caller, handle(caller, g_a), number(caller, proc, "proc"), coord) }
}

/// `integer function ga_get_pgroup(g_a)`
pub unsafe fn get_pgroup<I: Integer>(caller: Caller, g_a: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    I::nearest(describe::group_of(caller, unsafe { handle(caller, g_a) }))
}
