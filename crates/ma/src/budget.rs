//! What a program may use: a number of bytes for its stack and one for its heap.
//!
//! Definitions. The *partition* is the boundary between the two numbers. It is advice: a stack may grow into what the
//! heap has left, and a heap into what the stack has left; only their sum is a limit. Callers ask what is left with the
//! partition or without, and with the other side's overgrowth or without: [`Room`] names the combinations.

use crate::block::Place;
use crate::error::{Error, Result};

/// What a program has asked for at its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For the stack.
    pub stack_bytes: u64,
    /// For the heap.
    pub heap_bytes: u64,
}

/// What a region gets when the program does not say.
const DEFAULT_BYTES: u64 = 1 << 19;

impl Limits {
    /// The bytes of `stack` and `heap` elements; a negative number is 524,288 bytes.
    ///
    /// # Errors
    /// [`Error::TooLarge`]: more bytes than can be counted.
    pub fn of_elements(element_bytes: usize, stack: i64, heap: i64) -> Result<Self> {
        let bytes = |elements: i64| match u64::try_from(elements) {
            Ok(elements) => elements.checked_mul(element_bytes as u64),
            Err(_) => Some(DEFAULT_BYTES),
        };
        let limits = bytes(stack)
            .zip(bytes(heap))
            .map(|(stack_bytes, heap_bytes)| Self { stack_bytes, heap_bytes })
            .ok_or(Error::TooLarge)?;
        limits.total().map(|_| limits).ok_or(Error::TooLarge)
    }

    fn total(self) -> Option<u64> {
        self.stack_bytes.checked_add(self.heap_bytes)
    }
}

/// Which part of what is left a caller means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// Between heap and stack, without the partition.
    Total,
    /// Below the partition, whatever the stack has taken of it.
    Heap,
    /// Below the partition and really there.
    HeapCheckStack,
    /// Above the partition, whatever the heap has taken of it.
    Stack,
    /// Above the partition and really there.
    StackCheckHeap,
}

/// The limits and what is used of them.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    stack_used_bytes: u64,
    heap_used_bytes: u64,
}

impl Budget {
    /// # Errors
    /// [`Error::TooLarge`]: the sum is more bytes than can be counted.
    pub(crate) fn new(limits: Limits) -> Result<Self> {
        limits.total().ok_or(Error::TooLarge)?;
        Ok(Self { limits, stack_used_bytes: 0, heap_used_bytes: 0 })
    }

    pub(crate) fn room_bytes(&self, room: Room) -> u64 {
        let total = self.limits.stack_bytes + self.limits.heap_bytes;
        let total = total - self.stack_used_bytes - self.heap_used_bytes;
        let heap = self.limits.heap_bytes.saturating_sub(self.heap_used_bytes);
        let stack = self.limits.stack_bytes.saturating_sub(self.stack_used_bytes);
        match room {
            Room::Total => total,
            Room::Heap => heap,
            Room::HeapCheckStack => heap.min(total),
            Room::Stack => stack,
            Room::StackCheckHeap => stack.min(total),
        }
    }

    /// Whether `bytes` more are within the limits.
    pub(crate) fn allows(&self, bytes: u64) -> bool {
        bytes <= self.room_bytes(Room::Total)
    }

    /// Counts bytes that [`Budget::allows`] has allowed.
    pub(crate) fn take(&mut self, place: Place, bytes: u64) {
        assert!(self.allows(bytes), "asked before it was taken");
        *self.used(place) += bytes;
    }

    /// Counts bytes that have been taken as free again.
    pub(crate) fn give_back(&mut self, place: Place, bytes: u64) {
        *self.used(place) -= bytes;
    }

    fn used(&mut self, place: Place) -> &mut u64 {
        match place {
            Place::Heap => &mut self.heap_used_bytes,
            Place::Stack => &mut self.stack_used_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rooms(budget: &Budget) -> [u64; 5] {
        [Room::Total, Room::Heap, Room::HeapCheckStack, Room::Stack, Room::StackCheckHeap]
            .map(|room| budget.room_bytes(room))
    }

    #[test]
    fn heap_and_stack_may_overgrow_the_partition_but_not_their_sum() {
        let mut budget = Budget::new(Limits { stack_bytes: 100, heap_bytes: 50 }).expect("small");
        assert_eq!(rooms(&budget), [150, 50, 50, 100, 100]);
        budget.take(Place::Stack, 120);
        assert_eq!(rooms(&budget), [30, 50, 30, 0, 0]);
        assert!(!budget.allows(31));
        budget.take(Place::Heap, 30);
        assert_eq!(rooms(&budget), [0, 20, 0, 0, 0]);
        budget.give_back(Place::Stack, 120);
        assert_eq!(rooms(&budget), [120, 20, 20, 100, 100]);
        budget.take(Place::Heap, 60);
        assert_eq!(rooms(&budget), [60, 0, 0, 100, 60]);
    }

    #[test]
    fn negative_numbers_of_elements_are_half_a_megabyte() {
        let limits = Limits::of_elements(8, -1, 10).expect("small");
        assert_eq!(limits, Limits { stack_bytes: 524_288, heap_bytes: 80 });
    }

    #[test]
    fn what_cannot_be_counted_is_an_error() {
        assert!(matches!(Limits::of_elements(16, i64::MAX, 0), Err(Error::TooLarge)));
        assert!(Limits::of_elements(1, i64::MAX, i64::MAX).is_ok());
        assert!(matches!(Limits::of_elements(2, i64::MAX, i64::MAX), Err(Error::TooLarge)));
        assert!(Budget::new(Limits { stack_bytes: u64::MAX, heap_bytes: 1 }).is_err());
    }
}
