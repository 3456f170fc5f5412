//! The memory of one block: its elements between two guards, from the ordinary allocator.

use crate::guard::{self, Damage, GUARD_BYTES, Guard};
use std::alloc::{self, Layout};
use std::ptr::NonNull;

/// Where the elements of a block may begin: at addresses that leave `remainder` when divided by `alignment`.
///
/// The remainder is the base array's own distance from the size of an element, so that the block lies whole elements
/// away from it; 0 wherever the base is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placement {
    alignment: usize,
    remainder: usize,
}

impl Placement {
    /// As aligned as `alignment_bytes`, a power of two, and whole elements away from `base`.
    pub(crate) fn relative_to(base: usize, element_bytes: usize, alignment_bytes: usize) -> Self {
        Self { alignment: alignment_bytes.max(element_bytes), remainder: base % element_bytes }
    }

    /// What has to be allocated for a block of `len_bytes` wherever the allocation begins. None if it cannot be
    /// counted.
    pub(crate) fn capacity_bytes(self, len_bytes: usize) -> Option<usize> {
        len_bytes.checked_add(2 * GUARD_BYTES + self.alignment - 1)
    }

    /// The first such address that is not below `address`.
    fn next(self, address: usize) -> usize {
        address + (self.remainder.wrapping_sub(address) & (self.alignment - 1))
    }
}

/// Memory with a guard before and behind it. Its contents belong to the program, and are not set.
#[derive(Debug)]
pub(crate) struct Memory {
    raw: NonNull<u8>,
    layout: Layout,
    /// Of the first element, from `raw`.
    offset: usize,
    len_bytes: usize,
}

// SAFETY: a `Memory` owns its allocation; the raw pointer is no tie to a thread.
unsafe impl Send for Memory {}

impl Memory {
    /// `len_bytes` of memory with its guards set. None if there is not so much.
    pub(crate) fn allocate(len_bytes: usize, placement: Placement) -> Option<Self> {
        let layout = Layout::from_size_align(placement.capacity_bytes(len_bytes)?, 16).ok()?;
        // SAFETY: the layout has a size.
        let raw = NonNull::new(unsafe { alloc::alloc(layout) })?;
        let mut memory = Self { raw, layout, offset: 0, len_bytes: 0 };
        memory.settle(len_bytes, placement);
        Some(memory)
    }

    /// Becomes a block of `len_bytes`, which there is room for, with its guards set.
    pub(crate) fn settle(&mut self, len_bytes: usize, placement: Placement) {
        let capacity = placement.capacity_bytes(len_bytes);
        assert!(capacity.is_some_and(|bytes| bytes <= self.layout.size()), "there is no room");
        let first = self.raw.addr().get() + GUARD_BYTES;
        self.offset = placement.next(first) - self.raw.addr().get();
        self.len_bytes = len_bytes;
        self.set_guard(self.left_guard(), guard::LEFT);
        self.set_guard(self.right_guard(), guard::RIGHT);
    }

    /// The first element.
    pub(crate) fn pointer(&self) -> NonNull<u8> {
        // SAFETY: `settle` has left room for the offset, the elements and the right guard.
        unsafe { self.raw.add(self.offset) }
    }

    /// Bytes of the elements.
    pub(crate) fn len_bytes(&self) -> usize {
        self.len_bytes
    }

    /// Bytes of the whole allocation.
    pub(crate) fn capacity_bytes(&self) -> usize {
        self.layout.size()
    }

    /// Keeps the first `len_bytes` and gives whole pages of the rest back to the system. The elements do not move.
    pub(crate) fn shrink(&mut self, len_bytes: usize) {
        assert!(len_bytes <= self.len_bytes, "a block cannot grow");
        self.len_bytes = len_bytes;
        self.set_guard(self.right_guard(), guard::RIGHT);
        self.give_back_pages(self.offset + len_bytes + GUARD_BYTES);
    }

    /// What has happened to the guards.
    pub(crate) fn damage(&self) -> Damage {
        Damage::of(&self.guard(self.left_guard()), &self.guard(self.right_guard()))
    }

    fn left_guard(&self) -> usize {
        self.offset - GUARD_BYTES
    }

    fn right_guard(&self) -> usize {
        self.offset + self.len_bytes
    }

    fn set_guard(&self, offset: usize, guard: Guard) {
        // SAFETY: both guards lie inside the allocation, and its owner alone sets them. A byte array needs no
        // alignment.
        unsafe { self.raw.add(offset).cast().write(guard) }
    }

    fn guard(&self, offset: usize) -> Guard {
        // SAFETY: as above, and both have been set. The program does not know them: who writes there breaks its own
        // rules.
        unsafe { self.raw.add(offset).cast::<Guard>().read() }
    }

    /// Tells the system that the pages from `offset` to the end are not needed.
    fn give_back_pages(&self, offset: usize) {
        // SAFETY: asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
        let begin = self.raw.addr().get();
        let from = (begin + offset).next_multiple_of(page);
        let to = (begin + self.layout.size()) / page * page;
        if from < to {
            // SAFETY: whole pages of this allocation, behind its right guard, that nobody uses. If the system will not
            // have them, they stay.
            unsafe {
                libc::madvise(self.raw.add(from - begin).as_ptr().cast(), to - from, libc::MADV_DONTNEED)
            };
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { alloc::dealloc(self.raw.as_ptr(), self.layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Placement = Placement { alignment: 64, remainder: 0 };

    fn address(memory: &Memory) -> usize {
        memory.pointer().addr().get()
    }

    #[test]
    fn a_block_lies_whole_elements_from_any_base_and_is_as_aligned_as_that_allows() {
        for element_bytes in [1, 2, 4, 8, 16, 32] {
            for base in 4096..4096 + 32 {
                for alignment_bytes in [64, 128, 4096] {
                    let placement = Placement::relative_to(base, element_bytes, alignment_bytes);
                    let memory = Memory::allocate(100, placement).expect("memory");
                    assert_eq!(address(&memory) % element_bytes, base % element_bytes);
                    assert_eq!(address(&memory) % alignment_bytes, base % element_bytes);
                }
            }
        }
    }

    #[test]
    fn writing_all_elements_leaves_the_guards_alone() {
        for len_bytes in [0, 1, 7, 64, 100_000] {
            let memory = Memory::allocate(len_bytes, PLAIN).expect("memory");
            // SAFETY: the memory is that long.
            unsafe { memory.pointer().write_bytes(0xFF, len_bytes) };
            assert!(!memory.damage().any(), "{len_bytes} bytes");
        }
    }

    #[test]
    fn one_byte_too_many_on_either_side_is_seen() {
        let memory = Memory::allocate(24, PLAIN).expect("memory");
        // SAFETY: the guard is there.
        unsafe { memory.pointer().add(24).write(0) };
        assert_eq!(memory.damage(), Damage { left: false, right: true });
        // SAFETY: the guard is there.
        unsafe { memory.pointer().sub(1).write(0) };
        assert_eq!(memory.damage(), Damage { left: true, right: true });
    }

    #[test]
    fn a_block_that_shrinks_keeps_its_elements_and_is_guarded_at_its_new_end() {
        let mut memory = Memory::allocate(10 << 20, PLAIN).expect("memory");
        // SAFETY: the memory is that long.
        unsafe { memory.pointer().write_bytes(7, 10 << 20) };
        let before = address(&memory);
        memory.shrink(1 << 20);
        assert_eq!(address(&memory), before);
        assert_eq!(memory.len_bytes(), 1 << 20);
        assert!(!memory.damage().any());
        // SAFETY: the first part is still there.
        let kept = unsafe { std::slice::from_raw_parts(memory.pointer().as_ptr(), 1 << 20) };
        assert!(kept.iter().all(|&byte| byte == 7));
        // SAFETY: this is the guard now.
        unsafe { memory.pointer().add(1 << 20).write(7) };
        assert!(memory.damage().right);
    }

    #[test]
    fn the_system_gets_the_pages_behind_a_block_that_has_shrunk() {
        let mut memory = Memory::allocate(10 << 20, PLAIN).expect("memory");
        // SAFETY: the memory is that long.
        unsafe { memory.pointer().write_bytes(7, 10 << 20) };
        memory.shrink(1 << 20);
        // SAFETY: the address is still this allocation's. Pages that were given back read as zeros.
        assert_eq!(unsafe { memory.pointer().add(5 << 20).as_ptr().read_volatile() }, 0);
    }

    #[test]
    fn more_memory_than_there_are_addresses_is_none() {
        assert!(Memory::allocate(usize::MAX, PLAIN).is_none());
        assert!(Memory::allocate(usize::MAX - 1000, PLAIN).is_none());
        assert!(Memory::allocate(1 << 62, PLAIN).is_none());
    }
}
