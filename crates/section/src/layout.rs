//! Where the elements of an array lie in memory.

use crate::{DIMS_MAX, size};

/// The strides of an array in memory, in elements. The last index varies fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    dims: usize,
    strides: [usize; DIMS_MAX],
}

impl Layout {
    /// An array of these extents with nothing between its elements. The first extent does not matter.
    ///
    /// # Panics
    /// With more than seven dimensions, or an array too large for memory.
    #[inline]
    pub fn dense(extents: &[u64]) -> Self {
        let mut layout = Self { dims: extents.len(), strides: [0; DIMS_MAX] };
        let mut stride = 1u64;
        for dim in (0..extents.len()).rev() {
            layout.strides[dim] = size(stride);
            if dim > 0 {
                stride = stride.checked_mul(extents[dim]).expect("an array in memory");
            }
        }
        layout
    }

    /// The same memory, of which every `steps[d]`-th element along `d` is taken.
    #[must_use]
    #[inline]
    pub fn stepped(mut self, steps: &[u64]) -> Self {
        self.strides[..self.dims].iter_mut().zip(steps).for_each(|(stride, &step)| *stride *= size(step));
        self
    }

    /// The same memory with the dimensions in another order: dimension `d` of the result is `order[d]` of this one.
    #[must_use]
    pub fn permuted(&self, order: &[usize]) -> Self {
        let mut permuted = Self { dims: self.dims, strides: [0; DIMS_MAX] };
        permuted.strides.iter_mut().zip(order).for_each(|(stride, &dim)| *stride = self.strides[dim]);
        permuted
    }

    /// Elements from one index to the next, in each dimension.
    #[inline]
    pub fn strides(&self) -> &[usize] {
        &self.strides[..self.dims]
    }

    /// How many elements from the first one the element at `index` lies.
    #[inline]
    pub fn offset(&self, index: &[u64]) -> usize {
        self.strides().iter().zip(index).map(|(stride, &index)| stride * size(index)).sum()
    }

    /// How many elements the element at `index` lies from the one at `origin`, which is before it in every dimension.
    #[inline]
    pub fn offset_from(&self, origin: &[u64], index: &[u64]) -> usize {
        self.strides()
            .iter()
            .zip(origin.iter().zip(index))
            .map(|(stride, (origin, index))| stride * size(index - origin))
            .sum()
    }

    /// How many elements a patch of `counts` spans from its first to after its last; 0 if it has none.
    #[inline]
    pub fn span(&self, counts: &[u64]) -> usize {
        if counts.contains(&0) {
            return 0;
        }
        1 + self.strides().iter().zip(counts).map(|(stride, &count)| stride * size(count - 1)).sum::<usize>()
    }
}
