//! Prints.

use super::{handle, matrix, truth};
use crate::caller::Caller;
use crate::calls::print as calls;
use chemio_capi::Integer;

/// `subroutine ga_print(g_a)`
pub unsafe fn print<I: Integer>(caller: Caller, g_a: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    calls::array(caller, unsafe { handle(caller, g_a) }, std::ptr::null_mut());
}

/// `subroutine ga_print_patch(g_a, ilo, ihi, jlo, jhi, pretty)`
pub unsafe fn print_patch_of_matrix<I: Integer>(
    caller: Caller,
    g_a: *const I,
    ilo: *const I,
    ihi: *const I,
    jlo: *const I,
    jhi: *const I,
    pretty: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe {
        let [ilo, ihi, jlo, jhi] = matrix(caller, [ilo, ihi, jlo, jhi]);
        let pretty = truth(caller, pretty, "pretty");
        calls::patch_of_matrix(caller, handle(caller, g_a), [ilo, jlo], [ihi, jhi], pretty);
    }
}

/// `subroutine nga_print_patch(g_a, lo, hi, pretty)`
pub unsafe fn print_patch<I: Integer>(
    caller: Caller,
    g_a: *const I,
    lo: *const I,
    hi: *const I,
    pretty: *const I,
) {
    // SAFETY: see the head of `fortran.rs`.
    unsafe { calls::patch(caller, handle(caller, g_a), lo, hi, truth(caller, pretty, "pretty")) }
}

/// `subroutine ga_print_distribution(g_a)`
pub unsafe fn print_distribution<I: Integer>(caller: Caller, g_a: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    calls::distribution(caller, unsafe { handle(caller, g_a) });
}

/// `subroutine ga_summarize(logical verbose)`
pub unsafe fn summarize<I: Integer>(caller: Caller, verbose: *const I) {
    // SAFETY: see the head of `fortran.rs`.
    calls::summary(caller, unsafe { truth(caller, verbose, "verbose") });
}

/// `subroutine ga_print_stats()`
pub unsafe fn print_stats(caller: Caller) {
    calls::statistics(caller);
}
