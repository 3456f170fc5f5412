//! One-sided operations: put, get, accumulate, their nonblocking and strided forms, scatter and gather, counters, and
//! direct access to one's own block.

use crate::caller::Caller;
use crate::calls::access;
use crate::calls::elements::{self, List, Subscripts};
use crate::calls::transfer::{self, Arguments};
use libc::{c_int, c_long, c_void};
use std::ptr::null;

/// What is stored for a nonblocking operation under way. `ga.h` declares it as `Integer`, as the package does: the smaller one has
/// 4 bytes, and a program compiled for it has nothing of ours behind them.
pub type ga_nbhdl_t = c_int;

/// A section and the memory it goes to or comes from.
fn section<N>(
    caller: Caller,
    g_a: c_int,
    bounds: (*const N, *const N),
    skip: *const N,
    memory: (*const c_void, *const N),
) -> Arguments<N> {
    let (lo, hi) = bounds;
    Arguments { caller, handle: g_a.into(), lo, hi, skip, buffer: memory.0.cast_mut(), ld: memory.1 }
}

/// A list of elements.
fn list<N>(caller: Caller, g_a: c_int, values: *const c_void, subscripts: Subscripts<N>, n: i64) -> List<N> {
    List { caller, handle: g_a.into(), values: values.cast_mut(), subscripts, count: n }
}

/// Writes the section from `lo` to `hi`, inclusive, from `buf`: an array with leading dimensions `ld`, its extents but for
/// the first. `ld` is not read where the section has one dimension or only one of what it separates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Put(
    g_a: c_int,
    lo: *const c_int,
    hi: *const c_int,
    buf: *const c_void,
    ld: *const c_int,
) {
    let arguments = section(Caller::c("NGA_Put"), g_a, (lo, hi), null(), (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::put(arguments) }
}

/// As `NGA_Put`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Put64(
    g_a: c_int,
    lo: *const i64,
    hi: *const i64,
    buf: *const c_void,
    ld: *const i64,
) {
    let arguments = section(Caller::c("NGA_Put64"), g_a, (lo, hi), null(), (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::put(arguments) }
}

/// Reads the section from `lo` to `hi` into `buf`; see `NGA_Put`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Get(
    g_a: c_int,
    lo: *const c_int,
    hi: *const c_int,
    buf: *mut c_void,
    ld: *const c_int,
) {
    let arguments = section(Caller::c("NGA_Get"), g_a, (lo, hi), null(), (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::get(arguments) }
}

/// As `NGA_Get`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Get64(
    g_a: c_int,
    lo: *const i64,
    hi: *const i64,
    buf: *mut c_void,
    ld: *const i64,
) {
    let arguments = section(Caller::c("NGA_Get64"), g_a, (lo, hi), null(), (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::get(arguments) }
}

/// Adds `*alpha` times `buf` to the section from `lo` to `hi`, each element atomically; see `NGA_Put`. `alpha` has the type of
/// the array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Acc(
    g_a: c_int,
    lo: *const c_int,
    hi: *const c_int,
    buf: *const c_void,
    ld: *const c_int,
    alpha: *const c_void,
) {
    let arguments = section(Caller::c("NGA_Acc"), g_a, (lo, hi), null(), (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::accumulate(arguments, alpha) }
}

/// As `NGA_Acc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Acc64(
    g_a: c_int,
    lo: *const i64,
    hi: *const i64,
    buf: *const c_void,
    ld: *const i64,
    alpha: *const c_void,
) {
    let arguments = section(Caller::c("NGA_Acc64"), g_a, (lo, hi), null(), (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::accumulate(arguments, alpha) }
}

/// Begins `NGA_Put` and stores in `*nbhandle` what `NGA_NbWait` waits for. `buf` must not change until then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_NbPut(
    g_a: c_int,
    lo: *const c_int,
    hi: *const c_int,
    buf: *const c_void,
    ld: *const c_int,
    nbhandle: *mut ga_nbhdl_t,
) {
    let arguments = section(Caller::c("NGA_NbPut"), g_a, (lo, hi), null(), (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::nbput(arguments, nbhandle) }
}

/// As `NGA_NbPut`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_NbPut64(
    g_a: c_int,
    lo: *const i64,
    hi: *const i64,
    buf: *const c_void,
    ld: *const i64,
    nbhandle: *mut ga_nbhdl_t,
) {
    let arguments = section(Caller::c("NGA_NbPut64"), g_a, (lo, hi), null(), (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::nbput(arguments, nbhandle) }
}

/// Begins `NGA_Get`; `buf` is not to be used until the wait.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_NbGet(
    g_a: c_int,
    lo: *const c_int,
    hi: *const c_int,
    buf: *mut c_void,
    ld: *const c_int,
    nbhandle: *mut ga_nbhdl_t,
) {
    let arguments = section(Caller::c("NGA_NbGet"), g_a, (lo, hi), null(), (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::nbget(arguments, nbhandle) }
}

/// As `NGA_NbGet`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_NbGet64(
    g_a: c_int,
    lo: *const i64,
    hi: *const i64,
    buf: *mut c_void,
    ld: *const i64,
    nbhandle: *mut ga_nbhdl_t,
) {
    let arguments = section(Caller::c("NGA_NbGet64"), g_a, (lo, hi), null(), (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::nbget(arguments, nbhandle) }
}

/// Begins `NGA_Acc`; `buf` must not change until the wait.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_NbAcc(
    g_a: c_int,
    lo: *const c_int,
    hi: *const c_int,
    buf: *const c_void,
    ld: *const c_int,
    alpha: *const c_void,
    nbhandle: *mut ga_nbhdl_t,
) {
    let arguments = section(Caller::c("NGA_NbAcc"), g_a, (lo, hi), null(), (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::nbaccumulate(arguments, alpha, nbhandle) }
}

/// As `NGA_NbAcc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_NbAcc64(
    g_a: c_int,
    lo: *const i64,
    hi: *const i64,
    buf: *const c_void,
    ld: *const i64,
    alpha: *const c_void,
    nbhandle: *mut ga_nbhdl_t,
) {
    let arguments = section(Caller::c("NGA_NbAcc64"), g_a, (lo, hi), null(), (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::nbaccumulate(arguments, alpha, nbhandle) }
}

/// Waits until a nonblocking operation is complete for this process: what was read is there, what was written from is free.
/// A wait for what is complete already does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_NbWait(nbhandle: *mut ga_nbhdl_t) {
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::wait(Caller::c("NGA_NbWait"), nbhandle) }
}

/// 1 if `NGA_NbWait` would return at once, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_NbTest(nbhandle: *mut ga_nbhdl_t) -> c_int {
    // SAFETY: see the head of `c.rs`.
    c_int::from(unsafe { transfer::test(Caller::c("NGA_NbTest"), nbhandle) })
}

/// Writes every `skip[d]`-th element from `lo` to `hi`, from `buf`, where they lie side by side; see `NGA_Put`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Strided_put(
    g_a: c_int,
    lo: *const c_int,
    hi: *const c_int,
    skip: *const c_int,
    buf: *const c_void,
    ld: *const c_int,
) {
    let arguments = section(Caller::c("NGA_Strided_put"), g_a, (lo, hi), skip, (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::put(arguments) }
}

/// As `NGA_Strided_put`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Strided_put64(
    g_a: c_int,
    lo: *const i64,
    hi: *const i64,
    skip: *const i64,
    buf: *const c_void,
    ld: *const i64,
) {
    let arguments = section(Caller::c("NGA_Strided_put64"), g_a, (lo, hi), skip, (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::put(arguments) }
}

/// Reads every `skip[d]`-th element from `lo` to `hi` into `buf`, side by side; see `NGA_Put`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Strided_get(
    g_a: c_int,
    lo: *const c_int,
    hi: *const c_int,
    skip: *const c_int,
    buf: *mut c_void,
    ld: *const c_int,
) {
    let arguments = section(Caller::c("NGA_Strided_get"), g_a, (lo, hi), skip, (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::get(arguments) }
}

/// As `NGA_Strided_get`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Strided_get64(
    g_a: c_int,
    lo: *const i64,
    hi: *const i64,
    skip: *const i64,
    buf: *mut c_void,
    ld: *const i64,
) {
    let arguments = section(Caller::c("NGA_Strided_get64"), g_a, (lo, hi), skip, (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::get(arguments) }
}

/// Adds `*alpha` times `buf` to every `skip[d]`-th element from `lo` to `hi`; see `NGA_Acc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Strided_acc(
    g_a: c_int,
    lo: *const c_int,
    hi: *const c_int,
    skip: *const c_int,
    buf: *const c_void,
    ld: *const c_int,
    alpha: *const c_void,
) {
    let arguments = section(Caller::c("NGA_Strided_acc"), g_a, (lo, hi), skip, (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::accumulate(arguments, alpha) }
}

/// As `NGA_Strided_acc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Strided_acc64(
    g_a: c_int,
    lo: *const i64,
    hi: *const i64,
    skip: *const i64,
    buf: *const c_void,
    ld: *const i64,
    alpha: *const c_void,
) {
    let arguments = section(Caller::c("NGA_Strided_acc64"), g_a, (lo, hi), skip, (buf, ld));
    // SAFETY: see the head of `c.rs`.
    unsafe { transfer::accumulate(arguments, alpha) }
}

/// Writes `v[k]` to element `subsArray[k]` of the array, for `n` of them. Which value stays where an element is listed twice
/// is not defined.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Scatter(g_a: c_int, v: *const c_void, subsArray: *mut *mut c_int, n: c_int) {
    let subscripts = Subscripts::Pointers(subsArray.cast_const().cast());
    // SAFETY: see the head of `c.rs`.
    unsafe { list::<c_int>(Caller::c("NGA_Scatter"), g_a, v, subscripts, n.into()).scatter() }
}

/// As `NGA_Scatter`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Scatter64(g_a: c_int, v: *const c_void, subsArray: *mut *mut i64, n: i64) {
    let subscripts = Subscripts::Pointers(subsArray.cast_const().cast());
    // SAFETY: see the head of `c.rs`.
    unsafe { list::<i64>(Caller::c("NGA_Scatter64"), g_a, v, subscripts, n).scatter() }
}

/// As `NGA_Scatter`, with the subscripts of one element after the other's in one list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Scatter_flat(g_a: c_int, v: *const c_void, subsArray: *const c_int, n: c_int) {
    let subscripts = Subscripts::Flat(subsArray);
    // SAFETY: see the head of `c.rs`.
    unsafe { list::<c_int>(Caller::c("NGA_Scatter_flat"), g_a, v, subscripts, n.into()).scatter() }
}

/// As `NGA_Scatter_flat`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Scatter_flat64(g_a: c_int, v: *const c_void, subsArray: *const i64, n: i64) {
    let subscripts = Subscripts::Flat(subsArray);
    // SAFETY: see the head of `c.rs`.
    unsafe { list::<i64>(Caller::c("NGA_Scatter_flat64"), g_a, v, subscripts, n).scatter() }
}

/// Reads element `subsArray[k]` of the array into `v[k]`, for `n` of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Gather(g_a: c_int, v: *mut c_void, subsArray: *mut *mut c_int, n: c_int) {
    let subscripts = Subscripts::Pointers(subsArray.cast_const().cast());
    // SAFETY: see the head of `c.rs`.
    unsafe { list::<c_int>(Caller::c("NGA_Gather"), g_a, v, subscripts, n.into()).gather() }
}

/// As `NGA_Gather`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Gather64(g_a: c_int, v: *mut c_void, subsArray: *mut *mut i64, n: i64) {
    let subscripts = Subscripts::Pointers(subsArray.cast_const().cast());
    // SAFETY: see the head of `c.rs`.
    unsafe { list::<i64>(Caller::c("NGA_Gather64"), g_a, v, subscripts, n).gather() }
}

/// As `NGA_Gather`, with the subscripts of one element after the other's in one list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Gather_flat(g_a: c_int, v: *mut c_void, subsArray: *const c_int, n: c_int) {
    let subscripts = Subscripts::Flat(subsArray);
    // SAFETY: see the head of `c.rs`.
    unsafe { list::<c_int>(Caller::c("NGA_Gather_flat"), g_a, v, subscripts, n.into()).gather() }
}

/// As `NGA_Gather_flat`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Gather_flat64(g_a: c_int, v: *mut c_void, subsArray: *const i64, n: i64) {
    let subscripts = Subscripts::Flat(subsArray);
    // SAFETY: see the head of `c.rs`.
    unsafe { list::<i64>(Caller::c("NGA_Gather_flat64"), g_a, v, subscripts, n).gather() }
}

/// Adds `*alpha` times `v[k]` to element `subsArray[k]` of the array, atomically; elements may be listed several times.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Scatter_acc(
    g_a: c_int,
    v: *const c_void,
    subsArray: *mut *mut c_int,
    n: c_int,
    alpha: *const c_void,
) {
    let subscripts = Subscripts::Pointers(subsArray.cast_const().cast());
    // SAFETY: see the head of `c.rs`.
    unsafe {
        list::<c_int>(Caller::c("NGA_Scatter_acc"), g_a, v, subscripts, n.into()).scatter_accumulate(alpha);
    }
}

/// As `NGA_Scatter_acc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Scatter_acc64(
    g_a: c_int,
    v: *const c_void,
    subsArray: *mut *mut i64,
    n: i64,
    alpha: *const c_void,
) {
    let subscripts = Subscripts::Pointers(subsArray.cast_const().cast());
    // SAFETY: see the head of `c.rs`.
    unsafe {
        list::<i64>(Caller::c("NGA_Scatter_acc64"), g_a, v, subscripts, n).scatter_accumulate(alpha);
    }
}

/// As `NGA_Scatter_acc`, with the subscripts of one element after the other's in one list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Scatter_acc_flat(
    g_a: c_int,
    v: *const c_void,
    subsArray: *const c_int,
    n: c_int,
    alpha: *const c_void,
) {
    let subscripts = Subscripts::Flat(subsArray);
    // SAFETY: see the head of `c.rs`.
    unsafe {
        list::<c_int>(Caller::c("NGA_Scatter_acc_flat"), g_a, v, subscripts, n.into())
            .scatter_accumulate(alpha);
    }
}

/// As `NGA_Scatter_acc_flat`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Scatter_acc_flat64(
    g_a: c_int,
    v: *const c_void,
    subsArray: *const i64,
    n: i64,
    alpha: *const c_void,
) {
    let subscripts = Subscripts::Flat(subsArray);
    // SAFETY: see the head of `c.rs`.
    unsafe {
        list::<i64>(Caller::c("NGA_Scatter_acc_flat64"), g_a, v, subscripts, n).scatter_accumulate(alpha);
    }
}

/// Adds `inc` to an element of an array of int or long and returns what it was, atomically.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Read_inc(g_a: c_int, subscript: *const c_int, inc: c_long) -> c_long {
    // SAFETY: see the head of `c.rs`.
    unsafe { elements::read_increment(Caller::c("NGA_Read_inc"), g_a.into(), subscript, inc) }
}

/// As `NGA_Read_inc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Read_inc64(g_a: c_int, subscript: *const i64, inc: c_long) -> c_long {
    // SAFETY: see the head of `c.rs`.
    unsafe { elements::read_increment(Caller::c("NGA_Read_inc64"), g_a.into(), subscript, inc) }
}

/// Stores in `*ptr` the address of element `lo` of the section from `lo` to `hi`, which lies in this process's block, and in
/// `ld` the extents of the block but for the first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Access(
    g_a: c_int,
    lo: *const c_int,
    hi: *const c_int,
    ptr: *mut c_void,
    ld: *mut c_int,
) {
    // SAFETY: see the head of `c.rs`.
    unsafe { access::pointer(Caller::c("NGA_Access"), g_a.into(), lo, hi, ptr, ld) }
}

/// As `NGA_Access`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Access64(
    g_a: c_int,
    lo: *const i64,
    hi: *const i64,
    ptr: *mut c_void,
    ld: *mut i64,
) {
    // SAFETY: see the head of `c.rs`.
    unsafe { access::pointer(Caller::c("NGA_Access64"), g_a.into(), lo, hi, ptr, ld) }
}

/// Ends an `NGA_Access` in which elements were only read.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Release(g_a: c_int, _lo: *const c_int, _hi: *const c_int) {
    access::release(Caller::c("NGA_Release"), g_a.into());
}

/// As `NGA_Release`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Release64(g_a: c_int, _lo: *const i64, _hi: *const i64) {
    access::release(Caller::c("NGA_Release64"), g_a.into());
}

/// Ends an `NGA_Access` in which elements were changed. Other processes see them after the next synchronisation.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Release_update(g_a: c_int, _lo: *const c_int, _hi: *const c_int) {
    access::release(Caller::c("NGA_Release_update"), g_a.into());
}

/// As `NGA_Release_update`.
#[unsafe(no_mangle)]
pub extern "C" fn NGA_Release_update64(g_a: c_int, _lo: *const i64, _hi: *const i64) {
    access::release(Caller::c("NGA_Release_update64"), g_a.into());
}
