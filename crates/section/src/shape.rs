//! One number for each dimension, without a heap.

use crate::{DIMS_MAX, Error, Result};
use std::fmt;
use std::ops::{Deref, DerefMut};

/// One number for each of 1 to 7 dimensions: extents, counts, coordinates. Dereferences to a slice.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    dims: usize,
    values: [u64; DIMS_MAX],
}

impl Shape {
    /// The shape with these values.
    ///
    /// # Errors
    /// - [`Error::DimsCount`]: no value, or more than seven.
    #[inline]
    pub fn new(values: &[u64]) -> Result<Self> {
        if values.is_empty() || values.len() > DIMS_MAX {
            return Err(Error::DimsCount { dims: values.len() });
        }
        let mut shape = Self::filled(values.len(), 0);
        shape.copy_from_slice(values);
        Ok(shape)
    }

    /// `dims` times the same value.
    ///
    /// # Panics
    /// With more than seven dimensions.
    #[inline]
    pub fn filled(dims: usize, value: u64) -> Self {
        assert!(dims <= DIMS_MAX, "{dims} dimensions");
        // What lies beyond the dimensions is zero, so that shapes can be compared and hashed whole.
        let mut values = [0; DIMS_MAX];
        values[..dims].fill(value);
        Self { dims, values }
    }

    /// `dims` values, each made from its dimension.
    ///
    /// # Panics
    /// With more than seven dimensions.
    pub fn from_fn(dims: usize, value: impl FnMut(usize) -> u64) -> Self {
        let mut shape = Self::filled(dims, 0);
        shape.iter_mut().zip((0..dims).map(value)).for_each(|(to, from)| *to = from);
        shape
    }

    /// Number of elements; `None` if it does not fit.
    pub fn checked_len(&self) -> Option<u64> {
        self.iter().try_fold(1u64, |product, &extent| product.checked_mul(extent))
    }

    /// The same values in reverse order: what a column-major caller calls the shape.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.reverse();
        self
    }
}

impl Deref for Shape {
    type Target = [u64];
    #[inline]
    fn deref(&self) -> &[u64] {
        &self.values[..self.dims]
    }
}

impl DerefMut for Shape {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.values[..self.dims]
    }
}

impl AsRef<[u64]> for Shape {
    #[inline]
    fn as_ref(&self) -> &[u64] {
        self
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A number of elements or bytes that are in memory, so that it fits.
///
/// # Panics
/// If it does not fit, which means that it is not in memory.
#[inline]
pub fn size(value: u64) -> usize {
    usize::try_from(value).expect("what is in memory has a size")
}
