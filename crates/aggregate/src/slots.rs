//! Which slots of this rank are free.

/// How many there are.
pub(crate) const SLOTS: usize = 32;

/// One bit for each slot.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    taken: u32,
    /// Those whose memory is there.
    populated: u32,
}

impl Slots {
    /// So many neighbours that are free, from now on taken: the first of them.
    pub(crate) fn take(&mut self, count: usize) -> Option<usize> {
        let first = (0..=SLOTS.checked_sub(count)?).find(|&first| self.taken & mask(first, count) == 0)?;
        self.taken |= mask(first, count);
        Some(first)
    }

    pub(crate) fn give_back(&mut self, first: usize, count: usize) {
        self.taken &= !mask(first, count);
    }

    pub(crate) fn are_populated(&self, first: usize, count: usize) -> bool {
        let mask = mask(first, count);
        self.populated & mask == mask
    }

    pub(crate) fn note_populated(&mut self, first: usize, count: usize) {
        self.populated |= mask(first, count);
    }
}

fn mask(first: usize, count: usize) -> u32 {
    let low = |bits: usize| if bits >= SLOTS { u32::MAX } else { (1 << bits) - 1 };
    low(first + count) & !low(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_found_where_they_are_free() {
        let mut slots = Slots::default();
        assert_eq!([slots.take(1), slots.take(3), slots.take(28)], [Some(0), Some(1), Some(4)]);
        assert_eq!((slots.take(1), slots.take(33)), (None, None));
        slots.give_back(1, 3);
        assert_eq!([slots.take(4), slots.take(2), slots.take(2)], [None, Some(1), None]);
        slots.give_back(0, 1);
        slots.give_back(4, 28);
        assert_eq!([slots.take(29), slots.take(1), slots.take(1)], [Some(3), Some(0), None]);
    }

    #[test]
    fn all_of_them_have_memory_or_not() {
        let mut slots = Slots::default();
        slots.note_populated(2, 3);
        assert!(slots.are_populated(2, 3) && slots.are_populated(3, 1));
        assert!(!slots.are_populated(1, 2) && !slots.are_populated(4, 2));
        slots.note_populated(0, SLOTS);
        assert!(slots.are_populated(0, SLOTS));
    }
}
