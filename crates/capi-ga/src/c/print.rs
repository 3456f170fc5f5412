//! Prints. The first process of an array's group prints, as Fortran sees the array: indices from one, the first index (the
//! last of C) down the page.

use crate::caller::Caller;
use crate::calls::print as calls;
use libc::{FILE, c_int};

/// Prints an array on standard output. Collective over its group.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Print(g_a: c_int) {
    calls::array(Caller::c("GA_Print"), g_a.into(), std::ptr::null_mut());
}

/// As `GA_Print`, to a file that is open.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Print_file(file: *mut FILE, g_a: c_int) {
    calls::array(Caller::c("GA_Print_file"), g_a.into(), file);
}

/// Prints the elements from `lo` to `hi`: as tables if `pretty`, else one a line. Collective over the array's group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Print_patch(g_a: c_int, lo: *const c_int, hi: *const c_int, pretty: c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::patch(Caller::c("NGA_Print_patch"), g_a.into(), lo, hi, pretty != 0) }
}

/// As `NGA_Print_patch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NGA_Print_patch64(g_a: c_int, lo: *const i64, hi: *const i64, pretty: c_int) {
    // SAFETY: see the head of `c.rs`.
    unsafe { calls::patch(Caller::c("NGA_Print_patch64"), g_a.into(), lo, hi, pretty != 0) }
}

/// Prints a patch of a matrix: as a table if `pretty`, else as plain rows. Collective over the array's group.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Print_patch(g_a: c_int, ilo: c_int, ihi: c_int, jlo: c_int, jhi: c_int, pretty: c_int) {
    let (lo, hi) = ([ilo.into(), jlo.into()], [ihi.into(), jhi.into()]);
    calls::patch_of_matrix(Caller::c("GA_Print_patch"), g_a.into(), lo, hi, pretty != 0);
}

/// Prints who holds which section, as C sees them. Collective over the array's group.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Print_distribution(g_a: c_int) {
    calls::distribution(Caller::c("GA_Print_distribution"), g_a.into());
}

/// Prints the arrays that there are, with the blocks of each if `verbose`. Whoever calls prints.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Summarize(verbose: c_int) {
    calls::summary(Caller::c("GA_Summarize"), verbose != 0);
}

/// Prints how often this process has called what, and the bytes moved. Whoever calls prints.
#[unsafe(no_mangle)]
pub extern "C" fn GA_Print_stats() {
    calls::statistics(Caller::c("GA_Print_stats"));
}
