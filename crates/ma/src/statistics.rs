//! What has been used and called so far.

use crate::routine::Routine;

/// Blocks and bytes of the heap or of the stack. Bytes are those of the elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Blocks now.
    pub blocks: u64,
    /// The most blocks at one time.
    pub blocks_max: u64,
    /// Bytes now.
    pub bytes: u64,
    /// The most bytes at one time.
    pub bytes_max: u64,
}

impl Usage {
    pub(crate) const NONE: Self = Self { blocks: 0, blocks_max: 0, bytes: 0, bytes_max: 0 };

    /// A block more.
    pub(crate) fn add(&mut self, bytes: u64) {
        self.blocks += 1;
        self.bytes += bytes;
        self.blocks_max = self.blocks_max.max(self.blocks);
        self.bytes_max = self.bytes_max.max(self.bytes);
    }

    /// A block less.
    pub(crate) fn remove(&mut self, bytes: u64) {
        self.blocks -= 1;
        self.bytes -= bytes;
    }

    /// A block that has become smaller.
    pub(crate) fn shrink(&mut self, bytes: u64) {
        self.bytes -= bytes;
    }
}

/// How often the program has called each routine.
#[derive(Debug)]
pub(crate) struct Calls([u64; Routine::ALL.len()]);

impl Calls {
    pub(crate) const NONE: Self = Self([0; Routine::ALL.len()]);

    pub(crate) fn count(&mut self, routine: Routine) {
        self.0[routine as usize] += 1;
    }

    pub(crate) fn of(&self, routine: Routine) -> u64 {
        self.0[routine as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_is_remembered_when_less_is_used() {
        let mut usage = Usage::NONE;
        usage.add(100);
        usage.add(50);
        usage.shrink(10);
        usage.remove(100);
        usage.add(20);
        assert_eq!(usage, Usage { blocks: 2, blocks_max: 2, bytes: 60, bytes_max: 150 });
    }
}
