//! Page-aligned memory, in one piece for the device where the system allows it.

use std::io;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// The alignment of every buffer of the pool: a page, which no device asks more than.
pub(crate) const PAGE_BYTES: usize = 4096;
/// The size and alignment of a huge page. Memory inside one is contiguous for the device, too: a transfer is a single segment
/// instead of one for each page, which made direct reads half as fast again where the device is virtual.
pub(crate) const HUGE_PAGE_BYTES: usize = 2 << 20;

/// A mapping of the system, given back when its last block is dropped.
#[derive(Debug)]
struct Mapping {
    pointer: NonNull<u8>,
    len_bytes: usize,
}

// SAFETY: a mapping is plain memory without thread affinity; its blocks say who touches what.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `map`, and no block of it is left. An error leaves it mapped, which is all that could be done.
        unsafe { libc::munmap(self.pointer.as_ptr().cast(), self.len_bytes) };
    }
}

/// Maps `len_bytes` of zeroed memory.
fn map(len_bytes: usize) -> io::Result<Mapping> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new anonymous mapping at an address of the kernel's choice touches nothing that exists.
    let pointer = unsafe { libc::mmap(ptr::null_mut(), len_bytes, protection, flags, -1, 0) };
    if pointer == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(Mapping { pointer: NonNull::new(pointer.cast()).expect("a mapping is not at 0"), len_bytes })
}

/// A block of page-aligned, initialised memory, that nobody else has.
#[derive(Debug)]
pub(crate) struct PageBlock {
    mapping: Arc<Mapping>,
    start: usize,
    len_bytes: usize,
}

impl PageBlock {
    /// Takes `len_bytes` (a power of two, at least a page) from the system: zeros, aligned to their length, on huge
    /// pages from their size on. Costs memory only once touched.
    ///
    /// # Errors
    /// The system has no memory or no room for one more mapping.
    pub(crate) fn new(len_bytes: usize) -> io::Result<Self> {
        assert!(len_bytes.is_power_of_two() && len_bytes >= PAGE_BYTES, "pool blocks are powers of two");
        // Twice as much address space has an aligned block inside; what is around it is never touched.
        let mapping = Arc::new(map(2 * len_bytes)?);
        let address = mapping.pointer.as_ptr() as usize;
        let block = Self { start: address.next_multiple_of(len_bytes) - address, mapping, len_bytes };
        if len_bytes >= HUGE_PAGE_BYTES {
            // SAFETY: advice about memory of this block. An error means that there are no huge pages: then small ones do.
            unsafe { libc::madvise(block.pointer().cast(), len_bytes, libc::MADV_HUGEPAGE) };
        }
        Ok(block)
    }

    /// `count` blocks of `len_bytes` (whole pages) one after the other, from the system: zeros, aligned to a page, the first
    /// to a huge page if one fits in. Costs memory only once touched.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn row(len_bytes: usize, count: usize) -> io::Result<Vec<Self>> {
        assert!(len_bytes.is_multiple_of(PAGE_BYTES), "whole pages");
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        let all_bytes = len_bytes.checked_mul(count).ok_or_else(too_large)?;
        // Around what is shorter there shall be no room for a huge page: where the system gives those unasked, it would be taken whole.
        let more_bytes = if all_bytes >= HUGE_PAGE_BYTES { HUGE_PAGE_BYTES } else { 0 };
        let mapping = Arc::new(map(all_bytes.checked_add(more_bytes).ok_or_else(too_large)?)?);
        let address = mapping.pointer.as_ptr() as usize;
        let start = if more_bytes > 0 { address.next_multiple_of(HUGE_PAGE_BYTES) - address } else { 0 };
        let whole = Self { mapping, start, len_bytes: all_bytes };
        if all_bytes >= HUGE_PAGE_BYTES {
            // SAFETY: as in `new`.
            unsafe { libc::madvise(whole.pointer().cast(), all_bytes, libc::MADV_HUGEPAGE) };
        }
        let block = |number| {
            let mapping = Arc::clone(&whole.mapping);
            Self { mapping, start: start + number * len_bytes, len_bytes }
        };
        Ok((0..count).map(block).collect())
    }

    fn pointer(&self) -> *mut u8 {
        // SAFETY: the block lies inside its mapping.
        unsafe { self.mapping.pointer.as_ptr().add(self.start) }
    }

    pub(crate) fn address(&self) -> usize {
        self.pointer() as usize
    }

    /// Its two halves, the lower first.
    pub(crate) fn halves(self) -> (Self, Self) {
        let Self { mapping, start, len_bytes } = self;
        let half = len_bytes / 2;
        assert!(half >= PAGE_BYTES, "a page is not divided");
        let lower = Self { mapping: Arc::clone(&mapping), start, len_bytes: half };
        (lower, Self { mapping, start: start + half, len_bytes: half })
    }

    /// Whether `upper` is what was divided from this block.
    pub(crate) fn is_lower_half_beside(&self, upper: &Self) -> bool {
        Arc::ptr_eq(&self.mapping, &upper.mapping)
            && self.len_bytes == upper.len_bytes
            && self.start + self.len_bytes == upper.start
            && self.address().is_multiple_of(2 * self.len_bytes)
    }

    /// The block that was divided into this one and `upper`.
    #[allow(clippy::needless_pass_by_value)] // what is joined is not there any more
    pub(crate) fn joined(self, upper: Self) -> Self {
        assert!(self.is_lower_half_beside(&upper), "only halves of one block are joined");
        Self { mapping: self.mapping, start: self.start, len_bytes: 2 * self.len_bytes }
    }
}

impl Deref for PageBlock {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: inside the mapping, which is zeroed memory and lives as long as the block; nobody else has this part.
        unsafe { std::slice::from_raw_parts(self.pointer(), self.len_bytes) }
    }
}

impl DerefMut for PageBlock {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`; `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.pointer(), self.len_bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn around_blocks_that_are_shorter_than_a_huge_page_there_is_no_room_for_one() {
        for (len_bytes, count) in [(PAGE_BYTES, 3), (HUGE_PAGE_BYTES / 2, 1), (HUGE_PAGE_BYTES, 2)] {
            let blocks = PageBlock::row(len_bytes, count).unwrap();
            let is_huge = len_bytes * count >= HUGE_PAGE_BYTES;
            assert_eq!(blocks[0].mapping.len_bytes > len_bytes * count, is_huge);
            assert!(!is_huge || blocks[0].address().is_multiple_of(HUGE_PAGE_BYTES));
        }
    }
}
