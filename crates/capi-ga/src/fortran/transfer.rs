//! One-sided operations: put, get, accumulate, their nonblocking and strided forms, scatter and gather, counters, and
//! direct access to one's own block.

use super::{corners, handle, matrix_handle, number};
use crate::caller::Caller;
use crate::calls::access;
use crate::calls::elements::{self, List, Subscripts};
use crate::calls::transfer::{self, Arguments};
use chemio_capi::Integer;
use libc::c_void;
use std::ptr::null;

/// The arguments of the calls for matrices.
struct Matrix<I> {
    caller: Caller,
    handle: i64,
    lo: [I; 2],
    hi: [I; 2],
    buffer: *mut c_void,
    ld: *const I,
}

impl<I: Integer> Matrix<I> {
    unsafe fn new(
        caller: Caller,
        g_a: *const I,
        numbers: [*const I; 4],
        memory: (*mut c_void, *const I),
    ) -> Self {
        // SAFETY: see the head of `fortran.rs`.
        let ((lo, hi), handle) = unsafe { (corners(caller, numbers), matrix_handle(caller, g_a)) };
        Self { caller, handle, lo, hi, buffer: memory.0, ld: memory.1 }
    }

    /// The arguments of all transfers; they point into this.
    fn arguments(&self) -> Arguments<I> {
        let Self { caller, handle, buffer, ld, .. } = *self;
        Arguments { caller, handle, lo: self.lo.as_ptr(), hi: self.hi.as_ptr(), skip: null(), buffer, ld }
    }
}

/// The arguments of the calls for any dimension.
unsafe fn section<I: Integer>(
    caller: Caller,
    g_a: *const I,
    bounds: (*const I, *const I),
    skip: *const I,
    memory: (*mut c_void, *const I),
) -> Arguments<I> {
    let ((lo, hi), (buffer, ld)) = (bounds, memory);
    // SAFETY: see the head of `fortran.rs`.
    Arguments { caller, handle: unsafe { handle(caller, g_a) }, lo, hi, skip, buffer, ld }
}

/// `subroutine ga_put(g_a, ilo, ihi, jlo, jhi, buf, ld)`
pub unsafe fn put_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    ilo: *const I,
    ihi: *const I,
    jlo: *const I,
    jhi: *const I,
    buf: *mut c_void,
    ld: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { transfer::put(Matrix::new(caller, g_a, [ilo, ihi, jlo, jhi], (buf, ld)).arguments()) }
}

/// `subroutine ga_get(g_a, ilo, ihi, jlo, jhi, buf, ld)`
pub unsafe fn get_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    ilo: *const I,
    ihi: *const I,
    jlo: *const I,
    jhi: *const I,
    buf: *mut c_void,
    ld: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { transfer::get(Matrix::new(caller, g_a, [ilo, ihi, jlo, jhi], (buf, ld)).arguments()) }
}

/// `subroutine ga_acc(g_a, ilo, ihi, jlo, jhi, buf, ld, alpha)`
pub unsafe fn acc_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    ilo: *const I,
    ihi: *const I,
    jlo: *const I,
    jhi: *const I,
    buf: *mut c_void,
    ld: *const I,
    alpha: *const c_void,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let matrix = Matrix::new(caller, g_a, [ilo, ihi, jlo, jhi], (buf, ld));
        transfer::accumulate(matrix.arguments(), alpha);
    }
}

/// `subroutine ga_nbput(g_a, ilo, ihi, jlo, jhi, buf, ld, nbhandle)`
pub unsafe fn nbput_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    ilo: *const I,
    ihi: *const I,
    jlo: *const I,
    jhi: *const I,
    buf: *mut c_void,
    ld: *const I,
    nbhandle: *mut I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let matrix = Matrix::new(caller, g_a, [ilo, ihi, jlo, jhi], (buf, ld));
        transfer::nbput(matrix.arguments(), nbhandle);
    }
}

/// `subroutine ga_nbget(g_a, ilo, ihi, jlo, jhi, buf, ld, nbhandle)`
pub unsafe fn nbget_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    ilo: *const I,
    ihi: *const I,
    jlo: *const I,
    jhi: *const I,
    buf: *mut c_void,
    ld: *const I,
    nbhandle: *mut I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let matrix = Matrix::new(caller, g_a, [ilo, ihi, jlo, jhi], (buf, ld));
        transfer::nbget(matrix.arguments(), nbhandle);
    }
}

/// `subroutine ga_nbacc(g_a, ilo, ihi, jlo, jhi, buf, ld, alpha, nbhandle)`
pub unsafe fn nbacc_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    ilo: *const I,
    ihi: *const I,
    jlo: *const I,
    jhi: *const I,
    buf: *mut c_void,
    ld: *const I,
    alpha: *const c_void,
    nbhandle: *mut I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let matrix = Matrix::new(caller, g_a, [ilo, ihi, jlo, jhi], (buf, ld));
        transfer::nbaccumulate(matrix.arguments(), alpha, nbhandle);
    }
}

/// `subroutine nga_put(g_a, lo, hi, buf, ld)`
pub unsafe fn put<I: Integer>(
    caller: Caller,
    g_a: *const I,
    lo: *const I,
    hi: *const I,
    buf: *mut c_void,
    ld: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { transfer::put(section(caller, g_a, (lo, hi), null(), (buf, ld))) }
}

/// `subroutine nga_get(g_a, lo, hi, buf, ld)`
pub unsafe fn get<I: Integer>(
    caller: Caller,
    g_a: *const I,
    lo: *const I,
    hi: *const I,
    buf: *mut c_void,
    ld: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { transfer::get(section(caller, g_a, (lo, hi), null(), (buf, ld))) }
}

/// `subroutine nga_acc(g_a, lo, hi, buf, ld, alpha)`
pub unsafe fn acc<I: Integer>(
    caller: Caller,
    g_a: *const I,
    lo: *const I,
    hi: *const I,
    buf: *mut c_void,
    ld: *const I,
    alpha: *const c_void,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { transfer::accumulate(section(caller, g_a, (lo, hi), null(), (buf, ld)), alpha) }
}

/// `subroutine nga_nbput(g_a, lo, hi, buf, ld, nbhandle)`
pub unsafe fn nbput<I: Integer>(
    caller: Caller,
    g_a: *const I,
    lo: *const I,
    hi: *const I,
    buf: *mut c_void,
    ld: *const I,
    nbhandle: *mut I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { transfer::nbput(section(caller, g_a, (lo, hi), null(), (buf, ld)), nbhandle) }
}

/// `subroutine nga_nbget(g_a, lo, hi, buf, ld, nbhandle)`
pub unsafe fn nbget<I: Integer>(
    caller: Caller,
    g_a: *const I,
    lo: *const I,
    hi: *const I,
    buf: *mut c_void,
    ld: *const I,
    nbhandle: *mut I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { transfer::nbget(section(caller, g_a, (lo, hi), null(), (buf, ld)), nbhandle) }
}

/// `subroutine nga_nbacc(g_a, lo, hi, buf, ld, alpha, nbhandle)`
pub unsafe fn nbacc<I: Integer>(
    caller: Caller,
    g_a: *const I,
    lo: *const I,
    hi: *const I,
    buf: *mut c_void,
    ld: *const I,
    alpha: *const c_void,
    nbhandle: *mut I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { transfer::nbaccumulate(section(caller, g_a, (lo, hi), null(), (buf, ld)), alpha, nbhandle) }
}

/// `subroutine ga_nbwait(nbhandle)`
pub unsafe fn nbwait<I: Integer>(caller: Caller, nbhandle: *mut I) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { transfer::wait(caller, nbhandle) }
}

/// `integer function ga_nbtest(nbhandle)`: 1 if a wait would return at once, else 0.
pub unsafe fn nbtest<I: Integer>(caller: Caller, nbhandle: *mut I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    I::logical(unsafe { transfer::test(caller, nbhandle) })
}

/// `subroutine nga_strided_put(g_a, lo, hi, skip, buf, ld)`
pub unsafe fn strided_put<I: Integer>(
    caller: Caller,
    g_a: *const I,
    lo: *const I,
    hi: *const I,
    skip: *const I,
    buf: *mut c_void,
    ld: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { transfer::put(section(caller, g_a, (lo, hi), skip, (buf, ld))) }
}

/// `subroutine nga_strided_get(g_a, lo, hi, skip, buf, ld)`
pub unsafe fn strided_get<I: Integer>(
    caller: Caller,
    g_a: *const I,
    lo: *const I,
    hi: *const I,
    skip: *const I,
    buf: *mut c_void,
    ld: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { transfer::get(section(caller, g_a, (lo, hi), skip, (buf, ld))) }
}

/// `subroutine nga_strided_acc(g_a, lo, hi, skip, buf, ld, alpha)`
pub unsafe fn strided_acc<I: Integer>(
    caller: Caller,
    g_a: *const I,
    lo: *const I,
    hi: *const I,
    skip: *const I,
    buf: *mut c_void,
    ld: *const I,
    alpha: *const c_void,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { transfer::accumulate(section(caller, g_a, (lo, hi), skip, (buf, ld)), alpha) }
}

/// A list of elements of a matrix.
unsafe fn pairs<I: Integer>(
    caller: Caller,
    g_a: *const I,
    v: *mut c_void,
    subscripts: (*const I, *const I),
    nv: *const I,
) -> List<I> {
    // SAFETY: see the head of `fortran.rs`.
    let (handle, count) = unsafe { (matrix_handle(caller, g_a), number(caller, nv, "nv")) };
    List { caller, handle, values: v, subscripts: Subscripts::Pairs(subscripts.0, subscripts.1), count }
}

/// A list of elements of any array.
unsafe fn flat<I: Integer>(
    caller: Caller,
    g_a: *const I,
    v: *mut c_void,
    subscripts: *const I,
    n: *const I,
) -> List<I> {
    // SAFETY: see the head of `fortran.rs`.
    let (handle, count) = unsafe { (handle(caller, g_a), number(caller, n, "n")) };
    List { caller, handle, values: v, subscripts: Subscripts::Flat(subscripts), count }
}

/// `subroutine ga_scatter(g_a, v, i, j, nv)`
pub unsafe fn scatter_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    v: *mut c_void,
    i: *const I,
    j: *const I,
    nv: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { pairs(caller, g_a, v, (i, j), nv).scatter() }
}

/// `subroutine ga_gather(g_a, v, i, j, nv)`
pub unsafe fn gather_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    v: *mut c_void,
    i: *const I,
    j: *const I,
    nv: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { pairs(caller, g_a, v, (i, j), nv).gather() }
}

/// `subroutine ga_scatter_acc(g_a, v, i, j, nv, alpha)`
pub unsafe fn scatter_acc_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    v: *mut c_void,
    i: *const I,
    j: *const I,
    nv: *const I,
    alpha: *const c_void,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { pairs(caller, g_a, v, (i, j), nv).scatter_accumulate(alpha) }
}

/// `subroutine nga_scatter(g_a, v, subscripts(ndim, n), n)`
pub unsafe fn scatter<I: Integer>(
    caller: Caller,
    g_a: *const I,
    v: *mut c_void,
    subscripts: *const I,
    n: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { flat(caller, g_a, v, subscripts, n).scatter() }
}

/// `subroutine nga_gather(g_a, v, subscripts(ndim, n), n)`
pub unsafe fn gather<I: Integer>(
    caller: Caller,
    g_a: *const I,
    v: *mut c_void,
    subscripts: *const I,
    n: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { flat(caller, g_a, v, subscripts, n).gather() }
}

/// `subroutine nga_scatter_acc(g_a, v, subscripts(ndim, n), n, alpha)`
pub unsafe fn scatter_acc<I: Integer>(
    caller: Caller,
    g_a: *const I,
    v: *mut c_void,
    subscripts: *const I,
    n: *const I,
    alpha: *const c_void,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { flat(caller, g_a, v, subscripts, n).scatter_accumulate(alpha) }
}

/// `integer function ga_read_inc(g_a, i, j, inc)`
pub unsafe fn read_inc_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    i: *const I,
    j: *const I,
    inc: *const I,
) -> I {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let at = [number(caller, i, "i"), number(caller, j, "j")];
        let (handle, increment) = (matrix_handle(caller, g_a), number(caller, inc, "inc"));
        I::nearest(elements::read_increment(caller, handle, at.as_ptr(), increment))
    }
}

/// `integer function nga_read_inc(g_a, subscript, inc)`
pub unsafe fn read_inc<I: Integer>(caller: Caller, g_a: *const I, subscript: *const I, inc: *const I) -> I {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let (handle, increment) = (handle(caller, g_a), number(caller, inc, "inc"));
        I::nearest(elements::read_increment(caller, handle, subscript, increment))
    }
}

/// `subroutine ga_access(g_a, ilo, ihi, jlo, jhi, index, ld)`: the index has 8 bytes.
pub unsafe fn access_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    ilo: *const I,
    ihi: *const I,
    jlo: *const I,
    jhi: *const I,
    index: *mut i64,
    ld: *mut I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let (lo, hi) = corners(caller, [ilo, ihi, jlo, jhi]);
        access::index(caller, matrix_handle(caller, g_a), lo.as_ptr(), hi.as_ptr(), index, ld);
    }
}

/// `subroutine nga_access(g_a, lo, hi, index, ld)`: the index has 8 bytes.
pub unsafe fn access<I: Integer>(
    caller: Caller,
    g_a: *const I,
    lo: *const I,
    hi: *const I,
    index: *mut i64,
    ld: *mut I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { access::index(caller, handle(caller, g_a), lo, hi, index, ld) }
}

/// `subroutine ga_release(g_a, ilo, ihi, jlo, jhi)`, and `ga_release_update`
pub unsafe fn release_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    _: *const I,
    _: *const I,
    _: *const I,
    _: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    access::release(caller, unsafe { handle(caller, g_a) });
}

/// `subroutine nga_release(g_a, lo, hi)`, and `nga_release_update`
pub unsafe fn release<I: Integer>(caller: Caller, g_a: *const I, _: *const I, _: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    access::release(caller, unsafe { handle(caller, g_a) });
}
