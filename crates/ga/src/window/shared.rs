//! Loads, stores and additions in memory that other ranks use too.
//!
//! Other processes change this memory, as another processor's device would: it is only touched through raw pointers, and
//! never borrowed here. Who reads what others write without a [`sync`](crate::Context::sync) between gets some mixture of old
//! and new elements, as with any one-sided operation.

use super::Move;
use super::lock_table::PartLocks;
use crate::element::with_element;
use crate::{Element, ElementType, Scalar};
use section::Runs;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};

/// Copies runs from memory `a` to memory `b`. They may overlap within one run.
///
/// # Safety
/// Both can be used as the runs say, in elements of `bytes` bytes.
pub(super) unsafe fn copy(runs: &Runs, bytes: usize, from: *const u8, to: *mut u8) {
    // SAFETY: the caller's promise, for each call; elements by themselves need not be aligned.
    unsafe {
        match (runs.run_len(), bytes) {
            (1, 4) => copy_single::<u32>(runs, from.cast(), to.cast()),
            (1, 8) => copy_single::<u64>(runs, from.cast(), to.cast()),
            (1, 16) => copy_single::<u128>(runs, from.cast(), to.cast()),
            _ => runs.for_each(|a, b, len| ptr::copy(from.add(a * bytes), to.add(b * bytes), len * bytes)),
        }
    }
}

/// For runs of one element, where a call for each would cost more than the copy.
unsafe fn copy_single<T: Copy>(runs: &Runs, from: *const T, to: *mut T) {
    // SAFETY: the promise of `copy`.
    runs.for_each(|a, b, _| unsafe { to.add(b).write_unaligned(from.add(a).read_unaligned()) });
}

/// Adds `alpha` times local elements to those of a part. Floating-point elements are guarded by locks, integers are atomic by
/// themselves, because counters are too.
///
/// # Safety
/// As [`copy`]; the part is aligned to its elements, and is only changed by this function while others may use it.
pub(super) unsafe fn accumulate(
    to: &Move,
    from: *const u8,
    part: *mut u8,
    alpha: Scalar,
    locks: &PartLocks<'_>,
) {
    let runs = Runs::new(&to.counts, &to.local, &to.remote);
    // SAFETY: the caller's promise; the types were compared above this module.
    unsafe {
        match alpha {
            Scalar::Int(alpha) => {
                add_atomically(&runs, from.cast(), part.cast::<i32>().add(to.first), alpha);
            }
            Scalar::Long(alpha) => {
                add_atomically(&runs, from.cast(), part.cast::<i64>().add(to.first), alpha);
            }
            _ => with_element!(to.element_type, T => {
                let alpha = T::from_scalar(alpha).expect("alpha has the type of the array");
                add_locked(&runs, from.cast::<T>(), part.cast::<T>(), to.first, alpha, locks);
            }),
        }
    }
}

/// An integer that can be added to atomically.
trait AtomicAdd: Element {
    /// # Safety
    /// `to` is aligned and in use as an atomic only.
    unsafe fn fetch_add(to: *mut Self, value: Self) -> Self;
}

impl AtomicAdd for i32 {
    unsafe fn fetch_add(to: *mut Self, value: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { AtomicI32::from_ptr(to) }.fetch_add(value, Ordering::SeqCst)
    }
}

impl AtomicAdd for i64 {
    unsafe fn fetch_add(to: *mut Self, value: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { AtomicI64::from_ptr(to) }.fetch_add(value, Ordering::SeqCst)
    }
}

unsafe fn add_atomically<T: AtomicAdd>(runs: &Runs, from: *const T, to: *mut T, alpha: T) {
    runs.for_each(|a, b, len| {
        for i in 0..len {
            // SAFETY: the promise of `accumulate`.
            unsafe { T::fetch_add(to.add(b + i), from.add(a + i).read_unaligned().times(alpha)) };
        }
    });
}

/// Runs are cut where granules end; a lock is kept while the next run is in the same granule.
unsafe fn add_locked<T: Element>(
    runs: &Runs,
    from: *const T,
    part: *mut T,
    first: usize,
    alpha: T,
    locks: &PartLocks<'_>,
) {
    let granule_len = PartLocks::GRANULE_BYTES / size_of::<T>();
    let mut held = None;
    runs.for_each(|a, b, len| {
        let (mut at, end) = (first + b, first + b + len);
        while at < end {
            let granule = at / granule_len;
            if held.as_ref().is_none_or(|held: &super::lock_table::Held<'_>| held.granule != granule) {
                // The old lock goes before the new one is waited for: they may be the same one.
                held = None;
                held = Some(locks.hold(granule));
            }
            let stop = end.min((granule + 1) * granule_len);
            // SAFETY: the promise of `accumulate`; the lock keeps other additions out.
            unsafe { add(from.add(a + at - first - b), part.add(at), stop - at, alpha) };
            at = stop;
        }
    });
}

/// Adds `alpha` times `from` to `to`.
unsafe fn add<T: Element>(from: *const T, to: *mut T, len: usize, alpha: T) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the promise of `accumulate`, and the processor has what it needs.
        return unsafe { add_avx2(from, to, len, alpha) };
    }
    // SAFETY: the promise of `accumulate`.
    unsafe { add_loop(from, to, len, alpha) }
}

/// The same loop for processors with wider registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn add_avx2<T: Element>(from: *const T, to: *mut T, len: usize, alpha: T) {
    // SAFETY: the promise of `accumulate`.
    unsafe { add_loop(from, to, len, alpha) }
}

/// A plain loop, which the compiler turns into vector instructions.
#[inline(always)]
#[expect(clippy::inline_always, reason = "it has to be compiled anew for each kind of processor")]
unsafe fn add_loop<T: Element>(from: *const T, to: *mut T, len: usize, alpha: T) {
    for i in 0..len {
        // SAFETY: the promise of `accumulate`.
        unsafe { to.add(i).write(to.add(i).read().plus(from.add(i).read_unaligned().times(alpha))) };
    }
}

/// Adds to an integer of a part; returns what it was.
///
/// # Safety
/// There is such an element.
pub(super) unsafe fn fetch_add(
    part: *mut u8,
    element: usize,
    element_type: ElementType,
    increment: i64,
) -> i64 {
    // SAFETY: the caller's promise; parts are aligned.
    unsafe {
        match element_type {
            #[expect(clippy::cast_possible_truncation, reason = "counters of 32 bits wrap")]
            ElementType::Int => i64::from(i32::fetch_add(part.cast::<i32>().add(element), increment as i32)),
            ElementType::Long => i64::fetch_add(part.cast::<i64>().add(element), increment),
            other => unreachable!("a counter of type {other}"),
        }
    }
}
