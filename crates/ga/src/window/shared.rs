//! Loads, stores and additions in memory that other ranks use too.
//!
//! Other processes change this memory, as another processor's device would: it is only touched through raw pointers, and
//! never borrowed here. Who reads what others write without a [`sync`](crate::Context::sync) between gets some mixture of old
//! and new elements, as with any one-sided operation.

use super::lock_table::{Held, LockTable, PartLocks};
use crate::element::with_element;
use crate::{Element, ElementType, Scalar};
use section::Runs;
use std::ops::RangeInclusive;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};

/// One rank's part of an array in memory that this process loads from and stores to.
#[derive(Debug)]
pub(crate) struct NearBlock<'a> {
    part: *mut u8,
    locks: &'a LockTable,
    array: u64,
    rank: usize,
}

/// Runs are of the part and of local memory. Elements of local memory need not be aligned.
impl<'a> NearBlock<'a> {
    /// The part of `rank` of the array of this number, which begins at `part`.
    #[inline]
    pub(super) fn new(part: *mut u8, locks: &'a LockTable, array: u64, rank: usize) -> Self {
        Self { part, locks, array, rank }
    }

    /// Writes local memory to the elements from `first` on.
    ///
    /// # Safety
    /// The runs lie in the part and in local memory, which nobody changes meanwhile.
    #[inline]
    pub(crate) unsafe fn put(&self, first: usize, runs: &Runs, element_type: ElementType, from: *const u8) {
        let bytes = element_type.bytes();
        // SAFETY: the caller's promise.
        unsafe { copy(runs, bytes, |part, local| (from.add(local), self.part.add(first * bytes + part))) };
    }

    /// Reads the elements from `first` on to local memory.
    ///
    /// # Safety
    /// The runs lie in the part and in local memory, which nobody else uses meanwhile.
    #[inline]
    pub(crate) unsafe fn get(&self, first: usize, runs: &Runs, element_type: ElementType, to: *mut u8) {
        let bytes = element_type.bytes();
        // SAFETY: the caller's promise.
        unsafe {
            copy(runs, bytes, |part, local| {
                (self.part.add(first * bytes + part).cast_const(), to.add(local))
            });
        }
    }

    /// Adds `alpha` times local memory to the elements from `first` on. Floating-point elements are guarded by locks, integers
    /// are atomic by themselves, because counters are too.
    ///
    /// # Safety
    /// As [`put`](Self::put); `alpha` has the type of the array, and the part is only changed by this function while others
    /// may use it.
    pub(crate) unsafe fn accumulate(&self, first: usize, runs: &Runs, from: *const u8, alpha: Scalar) {
        // SAFETY: the caller's promise; parts are aligned.
        unsafe {
            match alpha {
                Scalar::Int(alpha) => {
                    add_atomically(runs, self.part.cast::<i32>().add(first), from.cast(), alpha);
                }
                Scalar::Long(alpha) => {
                    add_atomically(runs, self.part.cast::<i64>().add(first), from.cast(), alpha);
                }
                _ => with_element!(alpha.element_type(), T => {
                    let alpha = T::from_scalar(alpha).expect("it has its own type");
                    let locks = self.locks.of(self.array, self.rank);
                    add_locked(runs, self.part.cast::<T>(), first, from.cast::<T>(), alpha, &locks);
                }),
            }
        }
    }

    /// Adds to an integer and returns what it was; `None` for other types.
    ///
    /// # Safety
    /// There is such an element.
    #[inline]
    pub(crate) unsafe fn fetch_add(
        &self,
        element: usize,
        element_type: ElementType,
        increment: i64,
    ) -> Option<i64> {
        // SAFETY: the caller's promise; parts are aligned.
        unsafe {
            match element_type {
                #[expect(clippy::cast_possible_truncation, reason = "counters of 32 bits wrap")]
                ElementType::Int => {
                    Some(i32::fetch_add(self.part.cast::<i32>().add(element), increment as i32).into())
                }
                ElementType::Long => Some(i64::fetch_add(self.part.cast::<i64>().add(element), increment)),
                _ => None,
            }
        }
    }
}

/// While one run of so many bytes is copied, the next is on its way to the processor: shorter ones are there before that is said, and
/// into longer ones the processor sees by itself.
const FETCHED_RUN_BYTES: RangeInclusive<usize> = 512..=16 << 10;

/// Copies runs of elements of `bytes` bytes. `place` makes the offsets in memories a and b, in bytes, the places that are read
/// and written. They may overlap within one run.
///
/// # Safety
/// Both places can be used so.
#[inline]
pub(super) unsafe fn copy(runs: &Runs, bytes: usize, place: impl Fn(usize, usize) -> (*const u8, *mut u8)) {
    // SAFETY: the caller's promise, for each call; elements by themselves need not be aligned.
    unsafe {
        match (runs.run_len(), bytes) {
            (1, 4) => copy_single::<u32>(runs, place),
            (1, 8) => copy_single::<u64>(runs, place),
            (1, 16) => copy_single::<u128>(runs, place),
            (len, _) if FETCHED_RUN_BYTES.contains(&(len * bytes)) => copy_fetched(runs, bytes, place),
            _ => runs.for_each(|a, b, len| {
                let (from, to) = place(a * bytes, b * bytes);
                ptr::copy(from, to, len * bytes);
            }),
        }
    }
}

/// One run behind: each is fetched before the one before it is copied.
unsafe fn copy_fetched(runs: &Runs, bytes: usize, place: impl Fn(usize, usize) -> (*const u8, *mut u8)) {
    let run_bytes = runs.run_len() * bytes;
    let mut waiting: Option<(*const u8, *mut u8)> = None;
    runs.for_each(|a, b, _| {
        let (from, to) = place(a * bytes, b * bytes);
        if let Some((from_before, to_before)) = waiting.replace((from, to)) {
            if from_before.wrapping_add(run_bytes) != from {
                fetch(from, run_bytes);
            }
            // SAFETY: the promise of `copy`.
            unsafe { ptr::copy(from_before, to_before, run_bytes) };
        }
    });
    if let Some((from, to)) = waiting {
        // SAFETY: as above.
        unsafe { ptr::copy(from, to, run_bytes) };
    }
}

/// Lets the processor begin to read so many bytes.
#[cfg(target_arch = "x86_64")]
fn fetch(from: *const u8, bytes: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    const LINE_BYTES: usize = 64;
    for at in (0..bytes).step_by(LINE_BYTES) {
        // SAFETY: a hint, whatever the address.
        unsafe { _mm_prefetch(from.wrapping_add(at).cast(), _MM_HINT_T0) };
    }
}

/// Where there is no such instruction, or it is not known here.
#[cfg(not(target_arch = "x86_64"))]
fn fetch(_: *const u8, _: usize) {}

/// For runs of one element, where a call for each would cost more than the copy.
unsafe fn copy_single<T: Copy>(runs: &Runs, place: impl Fn(usize, usize) -> (*const u8, *mut u8)) {
    runs.for_each(|a, b, _| {
        let (from, to) = place(a * size_of::<T>(), b * size_of::<T>());
        // SAFETY: the promise of `copy`.
        unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) };
    });
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

unsafe fn add_atomically<T: AtomicAdd>(runs: &Runs, to: *mut T, from: *const T, alpha: T) {
    runs.for_each(|a, b, len| {
        for i in 0..len {
            // SAFETY: the promise of `accumulate`.
            unsafe { T::fetch_add(to.add(a + i), from.add(b + i).read_unaligned().times(alpha)) };
        }
    });
}

/// Runs are cut where granules end; a lock is kept while the next run is in the same granule.
unsafe fn add_locked<T: Element>(
    runs: &Runs,
    part: *mut T,
    first: usize,
    from: *const T,
    alpha: T,
    locks: &PartLocks<'_>,
) {
    let granule_len = PartLocks::GRANULE_BYTES / size_of::<T>();
    let mut held: Option<Held<'_>> = None;
    runs.for_each(|a, b, len| {
        let (mut at, end) = (first + a, first + a + len);
        while at < end {
            let granule = at / granule_len;
            if held.as_ref().is_none_or(|held| held.granule != granule) {
                // The old lock goes before the new one is waited for: they may be the same one.
                held = None;
                held = Some(locks.hold(granule));
            }
            let stop = end.min((granule + 1) * granule_len);
            // SAFETY: the promise of `accumulate`; the lock keeps other additions out.
            unsafe { add(from.add(b + at - first - a), part.add(at), stop - at, alpha) };
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
