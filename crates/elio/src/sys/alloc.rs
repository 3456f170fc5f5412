//! Page-aligned memory.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};

/// The alignment of every buffer of the pool: a page, which no device asks more than.
pub(crate) const PAGE_BYTES: usize = 4096;

/// A block of page-aligned, uninitialised-then-zeroed memory.
#[derive(Debug)]
pub(crate) struct PageBlock {
    pointer: *mut u8,
    len_bytes: usize,
}

// SAFETY: the block is owned by one value and has no thread affinity.
unsafe impl Send for PageBlock {}
// SAFETY: shared access only reads.
unsafe impl Sync for PageBlock {}

impl PageBlock {
    /// Takes `len_bytes` (a positive multiple of a page) from the allocator. Large blocks are fresh zero pages of the
    /// system, which cost memory only once touched.
    pub(crate) fn new(len_bytes: usize) -> Self {
        let layout = Self::layout(len_bytes);
        // SAFETY: the size is not zero (asserted in `layout`).
        let pointer = unsafe { alloc(layout) };
        if pointer.is_null() {
            handle_alloc_error(layout);
        }
        // SAFETY: the block is ours and `len_bytes` long. Writing it makes it initialised memory for Rust.
        unsafe { pointer.write_bytes(0, len_bytes) };
        Self { pointer, len_bytes }
    }

    fn layout(len_bytes: usize) -> Layout {
        assert!(len_bytes > 0 && len_bytes.is_multiple_of(PAGE_BYTES), "pool blocks are whole pages");
        Layout::from_size_align(len_bytes, PAGE_BYTES).expect("a pool block is smaller than isize::MAX")
    }
}

impl Deref for PageBlock {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: `new` allocated and initialised exactly this range; it is freed only in drop.
        unsafe { std::slice::from_raw_parts(self.pointer, self.len_bytes) }
    }
}

impl DerefMut for PageBlock {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`; `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.len_bytes) }
    }
}

impl Drop for PageBlock {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with the same layout.
        unsafe { dealloc(self.pointer, Self::layout(self.len_bytes)) };
    }
}
