//! Memory of large blocks, kept for the blocks that come next.
//!
//! Programs push and pop scratch arrays in their loops. The system takes large memory back at once and gives it again
//! page by page as it is written, which costs more than most loops do with it: 64 MB pushed, written and popped took
//! ten times what writing them takes. So what large blocks leave is kept, within what the limits leave: memory in use
//! and memory kept are together no more than the program has asked for at its start.

use crate::memory::{Memory, Placement};

/// Smaller memory is left to the allocator of the process, which keeps it itself.
const KEPT_BYTES_MIN: usize = 1 << 20;

/// Memory in no use, the longest unused first.
#[derive(Debug)]
pub(crate) struct Spares {
    kept: Vec<Memory>,
    bytes: u64,
}

impl Spares {
    pub(crate) const fn new() -> Self {
        Self { kept: Vec::new(), bytes: 0 }
    }

    /// Keeps the memory of a block that is gone, if it is large; the longest unused goes until no more than
    /// `bytes_max` are kept.
    pub(crate) fn keep(&mut self, memory: Memory, bytes_max: u64) {
        if memory.capacity_bytes() >= KEPT_BYTES_MIN {
            self.bytes += memory.capacity_bytes() as u64;
            self.kept.push(memory);
            self.trim(bytes_max);
        }
    }

    /// Memory for a block, if some is kept that is large enough and at most a quarter too large: the smallest such.
    pub(crate) fn take(&mut self, len_bytes: usize, placement: Placement) -> Option<Memory> {
        let needed = placement.capacity_bytes(len_bytes)?;
        let fitting = needed..=needed.saturating_add(needed / 4);
        let candidates = self.kept.iter().enumerate().map(|(at, memory)| (memory.capacity_bytes(), at));
        let (_, at) = candidates.filter(|(capacity, _)| fitting.contains(capacity)).min()?;
        let mut memory = self.remove(at);
        memory.settle(len_bytes, placement);
        Some(memory)
    }

    /// Gives memory back until no more than `bytes_max` are kept.
    pub(crate) fn trim(&mut self, bytes_max: u64) {
        while self.bytes > bytes_max {
            self.remove(0);
        }
    }

    fn remove(&mut self, at: usize) -> Memory {
        let memory = self.kept.remove(at);
        self.bytes -= memory.capacity_bytes() as u64;
        memory
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;
    const PLENTY: u64 = u64::MAX;

    fn plain() -> Placement {
        Placement::relative_to(0, 8, 64)
    }

    fn memory(len_bytes: usize) -> Memory {
        Memory::allocate(len_bytes, plain()).expect("there is memory")
    }

    #[test]
    fn large_memory_comes_back_and_small_memory_does_not() {
        let mut spares = Spares::new();
        let large = memory(2 * MIB);
        let address = large.pointer();
        spares.keep(large, PLENTY);
        spares.keep(memory(MIB / 2), PLENTY);
        assert!(spares.take(MIB / 2, plain()).is_none());
        let again = spares.take(2 * MIB, plain()).expect("it was kept");
        assert_eq!(again.pointer(), address);
        assert!(spares.take(2 * MIB, plain()).is_none());
        assert_eq!(spares.bytes, 0);
    }

    #[test]
    fn memory_is_not_wasted_on_a_block_that_is_much_smaller_or_given_to_one_that_is_larger() {
        let mut spares = Spares::new();
        spares.keep(memory(8 * MIB), PLENTY);
        spares.keep(memory(7 * MIB), PLENTY);
        assert!(spares.take(5 * MIB, plain()).is_none());
        assert!(spares.take(8 * MIB + 1, plain()).is_none());
        let smallest = spares.take(7 * MIB - 100, plain()).expect("both would do");
        assert!(smallest.capacity_bytes() < 8 * MIB);
        assert!(!smallest.damage().any());
        assert_eq!(smallest.len_bytes(), 7 * MIB - 100);
    }

    #[test]
    fn the_longest_unused_goes_first_when_there_is_too_much() {
        let mut spares = Spares::new();
        for len_mib in [2, 3, 4] {
            spares.keep(memory(len_mib * MIB), PLENTY);
        }
        spares.trim(8 * MIB as u64);
        let kept: Vec<_> = spares.kept.iter().map(|memory| memory.len_bytes() / MIB).collect();
        assert_eq!(kept, [3, 4]);
        spares.trim(0);
        assert_eq!((spares.kept.len(), spares.bytes), (0, 0));
    }

    #[test]
    fn memory_that_is_used_again_is_guarded_at_its_new_place() {
        let mut spares = Spares::new();
        spares.keep(memory(2 * MIB), PLENTY);
        let aligned = Placement::relative_to(4, 8, 4096);
        let again = spares.take(2 * MIB - 8192, aligned).expect("it fits");
        assert_eq!(again.pointer().addr().get() % 4096, 4);
        assert!(!again.damage().any());
        // SAFETY: the guard is there.
        unsafe { again.pointer().add(2 * MIB - 8192).write(0) };
        assert!(again.damage().right);
    }
}
