//! The diagonal, the rows and the columns of matrices, and vectors that are as long.
//!
//! Each rank works on what it holds of the matrix, and reads or writes the part of the vector that belongs to it.

use super::{Collective, collectively};
use crate::element::with_element;
use crate::{Array, Element, Error, Reduction, Result, Scalar};
use section::Section;
use std::ops::Range;

/// What is done with the diagonal of a matrix and a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagonal {
    /// The diagonal is set to the vector.
    Set,
    /// The vector is added to the diagonal.
    Add,
    /// The vector is set to the diagonal.
    Get,
}

impl Array {
    /// Adds a value to the diagonal of this matrix, or sets the diagonal to it. Collective over the array's group.
    ///
    /// # Errors
    /// - [`Error::ShapesDiffer`]: no matrix. [`Error::WrongType`]: a value of another type.
    /// - [`Error::Comm`]: MPI failed. [`Error::OnRank`]: one of these on another rank.
    pub fn change_diagonal(&self, value: Scalar, add: bool) -> Result<()> {
        let checked = self.matrix_shape("a diagonal").and_then(|_| self.check_type(value.element_type()));
        collectively(self, checked, |()| {
            with_element!(self.element_type(), T => {
                let value = super::value_of::<T>(value);
                self.on_own_diagonal::<T>(|_, x| *x = if add { x.plus(value) } else { value })
            })
        })
    }

    /// Moves elements between the diagonal of this matrix and a vector that is as long. Collective over the group of both.
    ///
    /// # Errors
    /// - As [`change_diagonal`](Self::change_diagonal).
    /// - [`Error::ShapesDiffer`]: a vector of another length. [`Error::GroupsDiffer`]: arrays of different groups.
    pub fn exchange_diagonal(&self, what: Diagonal, vector: &Self) -> Result<()> {
        const OPERATION: &str = "a diagonal";
        self.same_group(OPERATION, &[vector])?;
        let checked = self.matrix_shape(OPERATION).and_then(|[rows, cols]| {
            self.check_vector(OPERATION, vector, rows.min(cols))
        });
        collectively(self, checked, |()| {
            with_element!(self.element_type(), T => self.exchange_own_diagonal::<T>(what, vector))
        })
    }

    /// Multiplies the elements of this matrix with index `i` in dimension `dim` by element `i` of a vector. Collective over the group
    /// of both.
    ///
    /// # Errors
    /// As [`exchange_diagonal`](Self::exchange_diagonal).
    ///
    /// # Panics
    /// If `dim` is neither 0 nor 1.
    pub fn scale_along(&self, dim: usize, factors: &Self) -> Result<()> {
        const OPERATION: &str = "scaling a matrix";
        assert!(dim < 2, "a matrix has no dimension {dim}");
        self.same_group(OPERATION, &[factors])?;
        let checked = self
            .matrix_shape(OPERATION)
            .and_then(|shape| self.check_vector(OPERATION, factors, shape[dim]));
        collectively(self, checked, |()| {
            with_element!(self.element_type(), T => self.scale_own_along::<T>(dim, factors))
        })
    }

    fn matrix_shape(&self, operation: &'static str) -> Result<[u64; 2]> {
        let no_matrix =
            || Error::ShapesDiffer { operation, left: self.shape().to_vec(), right: vec![] };
        <[u64; 2]>::try_from(self.shape()).map_err(|_| no_matrix())
    }

    fn check_vector(&self, operation: &'static str, vector: &Self, len: u64) -> Result<()> {
        self.check_type(vector.element_type())?;
        super::same_shape(operation, vector.shape(), &[len])
    }

    /// The elements of the diagonal that this rank holds.
    fn own_diagonal(&self) -> Range<u64> {
        let Some(block) = self.local_section() else { return 0..0 };
        let (lo, hi) = (block.lo(), block.hi());
        let start = lo[0].max(lo[1]);
        start..hi[0].min(hi[1]).max(start)
    }

    /// Changes each of them, given its number among them.
    fn on_own_diagonal<T: Element>(&self, mut change: impl FnMut(usize, &mut T)) -> Result<()> {
        let own = self.own_diagonal();
        let Some(mut block) = self.local_block::<T>()? else { return Ok(()) };
        let [lo_row, lo_col] = [block.section().lo()[0], block.section().lo()[1]];
        let width = block.section().counts()[1];
        for (number, at) in own.enumerate() {
            change(number, &mut block[section::size((at - lo_row) * width + at - lo_col)]);
        }
        self.release()
    }

    fn exchange_own_diagonal<T: Element>(&self, what: Diagonal, vector: &Self) -> Result<()> {
        let own = self.own_diagonal();
        if own.is_empty() {
            return Ok(());
        }
        let (vector, part) = (vector.view::<T>()?, Section::new(&[own.start], &[own.end])?);
        if what == Diagonal::Get {
            let mut elements = vec![];
            self.on_own_diagonal::<T>(|_, x| elements.push(*x))?;
            return vector.put(&part, &elements);
        }
        let elements = vector.to_vec(&part)?;
        self.on_own_diagonal::<T>(|number, x| {
            *x = if what == Diagonal::Add { x.plus(elements[number]) } else { elements[number] };
        })
    }

    fn scale_own_along<T: Element>(&self, dim: usize, factors: &Self) -> Result<()> {
        let Some(mut block) = self.local_block::<T>()? else { return Ok(()) };
        let own = *block.section();
        let factors = factors.view::<T>()?.to_vec(&Section::new(&own.lo()[dim..=dim], &own.hi()[dim..=dim])?)?;
        let width = section::size(own.counts()[1]);
        for (row, elements) in block.chunks_exact_mut(width).enumerate() {
            for (col, x) in elements.iter_mut().enumerate() {
                *x = x.times(factors[if dim == 0 { row } else { col }]);
            }
        }
        self.release()
    }

    /// The largest sum of the magnitudes of all elements of this matrix that have the same index in dimension `dim`, on every rank:
    /// for 0 the largest row sum. Collective over the array's group.
    ///
    /// # Errors
    /// - As [`change_diagonal`](Self::change_diagonal).
    ///
    /// # Panics
    /// If `dim` is neither 0 nor 1.
    pub fn largest_sum_along(&self, dim: usize) -> Result<f64> {
        const OPERATION: &str = "a norm";
        assert!(dim < 2, "a matrix has no dimension {dim}");
        let work = |shape: [u64; 2]| {
            with_element!(self.element_type(), T => self.own_sums_along::<T>(dim, section::size(shape[dim])))
        };
        let mut sums = Collective::of(self).run_in_any_case(self.matrix_shape(OPERATION), work)?;
        self.group().reduce(&mut sums, Reduction::Sum)?;
        Ok(sums.into_iter().fold(0.0, f64::max))
    }

    fn own_sums_along<T: Element>(&self, dim: usize, len: usize) -> Result<Vec<f64>> {
        let mut sums = vec![0.0; len];
        let Some(block) = self.local_block::<T>()? else { return Ok(sums) };
        let own = block.section();
        let (first, width) = (section::size(own.lo()[dim]), section::size(own.counts()[1]));
        for (row, elements) in block.chunks_exact(width).enumerate() {
            for (col, x) in elements.iter().enumerate() {
                sums[first + if dim == 0 { row } else { col }] += magnitude((*x).into());
            }
        }
        Ok(sums)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a norm is a double, whatever the type")]
fn magnitude(x: Scalar) -> f64 {
    match x {
        Scalar::Int(x) => f64::from(x).abs(),
        Scalar::Long(x) => (x as f64).abs(),
        Scalar::Float(x) => f64::from(x).abs(),
        Scalar::Double(x) => x.abs(),
        Scalar::SingleComplex(z) => f64::from(z.re).hypot(z.im.into()),
        Scalar::DoubleComplex(z) => z.re.hypot(z.im),
    }
}
