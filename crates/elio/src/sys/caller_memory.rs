//! The memory of a request's caller: owned by the request (`RequestBuffer`), or borrowed by a blocking call.
//!
//! Everything here relies on one promise of `Pending`, the only user: it lets the memory go only after every transfer
//! that got a region of it is done, and asks for the bytes of a part only while no transfer uses them.

use crate::sys::gather::MemoryPiece;
use crate::sys::region::Region;
use std::ops::Range;

/// The memory of a request's caller.
#[derive(Debug)]
pub(crate) struct CallerMemory {
    pointer: *mut u8,
    len: usize,
}

// SAFETY: plain memory that the request owns (`RequestBuffer`) or borrows for a blocking call.
unsafe impl Send for CallerMemory {}
// SAFETY: only `&mut Pending` touches it.
unsafe impl Sync for CallerMemory {}

impl CallerMemory {
    /// Memory that will be read into.
    pub(crate) fn for_reading(bytes: &mut [u8]) -> Self {
        Self { pointer: bytes.as_mut_ptr(), len: bytes.len() }
    }

    /// Memory that will be written from.
    pub(crate) fn for_writing(bytes: &[u8]) -> Self {
        Self { pointer: bytes.as_ptr().cast_mut(), len: bytes.len() }
    }

    /// Memory that will be read into, and that its creator keeps there.
    pub(crate) fn of_piece(piece: MemoryPiece) -> Self {
        Self { pointer: piece.address(), len: piece.len() }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn address(&self, at: usize) -> usize {
        self.pointer as usize + at
    }

    fn check(&self, range: &Range<usize>) {
        assert!(range.start <= range.end && range.end <= self.len, "a part lies inside its request");
    }

    /// A region for a transfer that `Pending` waits for before it lets the memory go.
    pub(crate) fn region(&self, range: &Range<usize>) -> Region {
        self.check(range);
        // SAFETY: inside the memory; `Pending` waits for the transfer before the memory is given up, and its parts do
        // not overlap.
        unsafe { Region::of_caller(self.pointer.add(range.start), range.len()) }
    }

    /// The bytes of a part that no transfer is using.
    pub(crate) fn bytes_mut(&mut self, range: Range<usize>) -> &mut [u8] {
        self.check(&range);
        if range.is_empty() {
            return &mut [];
        }
        // SAFETY: valid for the life of the request; the part's transfer is done or uses a buffer of its own, and other
        // parts, which transfers may be using, do not overlap it.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.add(range.start), range.len()) }
    }

    /// The bytes of a write, which nobody changes.
    pub(crate) fn bytes(&self, range: Range<usize>) -> &[u8] {
        self.check(&range);
        if range.is_empty() {
            return &[];
        }
        // SAFETY: valid for the life of the request; a write's memory is not written by anyone.
        unsafe { std::slice::from_raw_parts(self.pointer.add(range.start), range.len()) }
    }
}
