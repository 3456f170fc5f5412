//! The short way for boxes of neighbouring elements in one block that this process can load and store: most transfers of most
//! programs, and the small ones among them, where every copy of a description would be felt.

use crate::window::NearBlock;
use crate::{Array, ElementType, Scalar};
use section::{Runs, size};

/// One dimension of a box, and of the local memory that it is moved to or from.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// First index.
    pub first: i64,
    /// Last index, inclusive.
    pub last: i64,
    /// Extent of the local memory. Does not matter for the slowest dimension.
    pub extent: i64,
}

/// A box of elements in one block in this process's reach.
#[derive(Debug)]
pub struct InBlock<'a> {
    block: NearBlock<'a>,
    element_type: ElementType,
    rank: usize,
    first: usize,
    elements: usize,
    /// In the block, and in local memory.
    runs: Runs,
    local_span: usize,
}

impl Array {
    /// The box that `span` gives for each dimension, the last of which varies fastest; `None` if it is not one that can be
    /// moved by loads and stores alone, or is none at all: the operations of the array tell which. Local.
    #[inline]
    pub fn in_block(&self, span: impl Fn(usize) -> Span) -> Option<InBlock<'_>> {
        let distribution = self.distribution();
        let (mut rank, mut first, mut elements, mut local_span) = (0, 0, 1, 1);
        // From one index to the next: ranks, elements of the block, and of local memory if its extents say.
        let (mut ranks, mut stride, mut local_stride) = (1, 1, Some(1usize));
        let mut runs = Runs::single();
        for d in (0..distribution.shape().len()).rev() {
            // What is negative is beyond every end now.
            let (lo, hi, extent) = {
                let Span { first, last, extent } = span(d);
                (first.cast_unsigned(), last.cast_unsigned(), extent.cast_unsigned())
            };
            let block = distribution.block_around(d, lo)?;
            if hi < lo || hi >= block.end {
                return None;
            }
            let count = size(hi - lo + 1);
            if count > 1 {
                let local_stride = local_stride?;
                runs.surround(count, stride, local_stride);
                local_span += (count - 1) * local_stride;
            }
            elements *= count;
            first += size(lo - block.begin) * stride;
            stride *= size(block.end - block.begin);
            rank += block.number * ranks;
            ranks *= size(distribution.grid()[d]);
            // An extent that nothing depends on may be anything.
            local_stride = if extent < count as u64 || extent > i64::MAX.cast_unsigned() {
                None
            } else {
                local_stride.and_then(|stride| stride.checked_mul(size(extent)))
            };
        }
        let block = self.window().near(rank)?;
        Some(InBlock { block, element_type: self.element_type(), rank, first, elements, runs, local_span })
    }
}

impl InBlock<'_> {
    /// The rank, in the array's group, that holds it.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Bytes that an operation on all of it moves.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.elements * self.element_type.bytes()
    }

    /// From the first to after the last element in local memory, in elements.
    pub(crate) fn local_span(&self) -> usize {
        self.local_span
    }

    /// Writes it from local memory, which need not be aligned.
    ///
    /// # Safety
    /// The elements are there, in the array's type, and nobody changes them meanwhile.
    #[inline]
    pub unsafe fn put(&self, from: *const u8) {
        // SAFETY: the caller's promise; the box is in the block.
        unsafe { self.block.put(self.first, &self.runs, self.element_type, from) }
    }

    /// Reads it to local memory, which need not be aligned.
    ///
    /// # Safety
    /// There is room for the elements, in the array's type, which nobody else uses meanwhile.
    #[inline]
    pub unsafe fn get(&self, to: *mut u8) {
        // SAFETY: as for `put`.
        unsafe { self.block.get(self.first, &self.runs, self.element_type, to) }
    }

    /// Adds `alpha` times local memory to it, each element atomically with respect to accumulates and counters.
    ///
    /// # Panics
    /// If `alpha` has another type than the array.
    ///
    /// # Safety
    /// As [`put`](Self::put).
    #[inline]
    pub unsafe fn accumulate(&self, from: *const u8, alpha: Scalar) {
        assert_eq!(alpha.element_type(), self.element_type, "the factor has the type of the array");
        // SAFETY: the caller's promise; the box is in the block.
        unsafe { self.block.accumulate(self.first, &self.runs, from, alpha) }
    }

    /// Adds to its first element and returns what that was, if it is an integer; see [`Array::read_increment`].
    #[inline]
    pub fn read_increment(&self, increment: i64) -> Option<i64> {
        // SAFETY: the element is in the block, and has this type.
        unsafe { self.block.fetch_add(self.first, self.element_type, increment) }
    }
}
