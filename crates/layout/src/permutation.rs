//! Which dimension of the source becomes which of the target.

use crate::error::{Error, Result};
use section::{DIMS_MAX, Section, Shape};

/// Source dimension `self[i]` becomes target dimension `i`; both count from 0 and row-major, the last varies fastest.
///
/// A column-major caller who counts from 0 says the same with `p'[i] = n - 1 - p[n - 1 - i]`; one who counts from 1, as
/// Fortran does, with `p'[i] = n - p[n - i]`: see [`reversed`](Self::reversed).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Permutation {
    dims: usize,
    source: [usize; DIMS_MAX],
}

impl Permutation {
    /// From a list of source dimensions, one for each target dimension.
    ///
    /// # Errors
    /// - [`Error::Permutation`]: a dimension is missing or twice there, or there are not 1 to 7.
    pub fn new(source: &[usize]) -> Result<Self> {
        let dims = source.len();
        let named = |dim: usize| source.contains(&dim);
        if dims == 0 || dims > DIMS_MAX || !(0..dims).all(named) {
            return Err(Error::Permutation { permutation: source.to_vec() });
        }
        let mut permutation = Self { dims, source: [0; DIMS_MAX] };
        permutation.source[..dims].copy_from_slice(source);
        Ok(permutation)
    }

    /// No dimension changes its place.
    ///
    /// # Panics
    /// With more than seven dimensions.
    pub fn identity(dims: usize) -> Self {
        let mut source = [0; DIMS_MAX];
        assert!(dims <= DIMS_MAX, "{dims} dimensions");
        (0..dims).for_each(|dim| source[dim] = dim);
        Self { dims, source }
    }

    /// The source dimension of each target dimension.
    pub fn source(&self) -> &[usize] {
        &self.source[..self.dims]
    }

    /// Number of dimensions.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The target dimension of each source dimension, in turn.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut inverse = *self;
        self.source().iter().enumerate().for_each(|(target, &source)| inverse.source[source] = target);
        inverse
    }

    /// The same mapping for callers whose dimensions come in the other order.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut reversed = *self;
        for dim in 0..self.dims {
            reversed.source[dim] = self.dims - 1 - self.source[self.dims - 1 - dim];
        }
        reversed
    }

    /// What the source calls `shape`, as the target calls it.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn to_target(&self, shape: &[u64]) -> Shape {
        assert_eq!(shape.len(), self.dims, "dimensions");
        Shape::from_fn(self.dims, |target| shape[self.source[target]])
    }

    /// What the target calls `shape`, as the source calls it.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn to_source(&self, shape: &[u64]) -> Shape {
        self.inverse().to_target(shape)
    }

    /// A section of the source as the target calls it.
    ///
    /// # Panics
    /// If the dimensions differ, or the section has steps.
    #[must_use]
    pub fn section_to_target(&self, section: &Section) -> Section {
        assert!(section.step().iter().all(|&step| step == 1), "a box");
        Section::between(self.to_target(section.lo()), self.to_target(section.hi()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_permutation_is_refused() {
        for wrong in [&[][..], &[1], &[0, 0], &[0, 2], &[0, 1, 2, 3, 4, 5, 6, 7]] {
            assert_eq!(Permutation::new(wrong), Err(Error::Permutation { permutation: wrong.to_vec() }));
        }
    }

    #[test]
    fn a_cycle_moves_shapes_there_and_back() {
        let cycle = Permutation::new(&[2, 0, 1]).unwrap();
        let target = cycle.to_target(&[10, 20, 30]);
        assert_eq!(&target[..], [30, 10, 20]);
        assert_eq!(&cycle.to_source(&target)[..], [10, 20, 30]);
        assert_eq!(cycle.inverse().source(), [1, 2, 0]);
        assert_eq!(Permutation::identity(3).inverse(), Permutation::identity(3));
    }

    #[test]
    fn a_column_major_caller_names_the_same_mapping_by_the_reversed_list() {
        // Row-major: target (k, i, j) of source (i, j, k). Column-major, source (k, j, i) becomes target (j, i, k).
        let cycle = Permutation::new(&[2, 0, 1]).unwrap();
        assert_eq!(cycle.reversed().source(), [1, 2, 0]);
        assert_eq!(cycle.reversed().reversed(), cycle);
        let shape = Shape::new(&[10, 20, 30]).unwrap();
        assert_eq!(cycle.reversed().to_target(&shape.reversed()), cycle.to_target(&shape).reversed());
    }
}
