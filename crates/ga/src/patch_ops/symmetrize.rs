//! The symmetric part of a matrix, or of each matrix of an array of more dimensions, in place.
//!
//! The matrices are those of the first two dimensions: with dimensions `d > 2` there is one for each index in the others.
//! They are cut into square tiles. An element and its mirror image are in two tiles (or both in one on the diagonal),
//! and are read and written by one rank only, so nobody waits for anybody. Which of the two owners it is alternates like
//! the colours of a chessboard, so that owners of the upper triangle do not have all the work. Blocks are the same along
//! one dimension whatever the index in another, so that what holds for one matrix holds for all those of a block.

use super::{collectively, len_max};
use crate::{Array, Element, ElementType, Error, Result, Scalar, View};
use num_complex::Complex;
use section::{Section, Shape};
use std::ops::Range;

/// Rows and columns of a tile.
const TILE: u64 = 128;

impl Array {
    /// Replaces a square matrix `A` by `(A + A^T) / 2`, without conjugation; of an array of more than two dimensions each matrix
    /// that its first two dimensions are. Collective over the array's group.
    ///
    /// # Errors
    /// - [`Error::ShapesDiffer`]: no square matrices.
    /// - [`Error::UnsupportedType`]: integers have no halves.
    /// - [`Error::Comm`]: MPI failed. [`Error::OnRank`]: one of these on another rank.
    pub fn symmetrize(&self) -> Result<()> {
        collectively(self, self.check_symmetrize(), |half| match half {
            Scalar::Float(half) => symmetrize(self.view()?, half),
            Scalar::Double(half) => symmetrize(self.view()?, half),
            Scalar::SingleComplex(half) => symmetrize(self.view()?, half),
            Scalar::DoubleComplex(half) => symmetrize(self.view()?, half),
            Scalar::Int(_) | Scalar::Long(_) => unreachable!("integers have no halves"),
        })
    }

    /// One half in the type of the elements.
    fn check_symmetrize(&self) -> Result<Scalar> {
        const OPERATION: &str = "symmetrizing an array";
        match self.shape() {
            [rows, cols, ..] if rows == cols => {}
            shape => {
                let mut right = shape.to_vec();
                if let [rows, cols, ..] = &mut right[..] {
                    std::mem::swap(rows, cols);
                }
                return Err(Error::ShapesDiffer { operation: OPERATION, left: shape.to_vec(), right });
            }
        }
        match self.element_type() {
            ElementType::Float => Ok(0.5f32.into()),
            ElementType::Double => Ok(0.5f64.into()),
            ElementType::SingleComplex => Ok(Complex::new(0.5f32, 0.0).into()),
            ElementType::DoubleComplex => Ok(Complex::new(0.5f64, 0.0).into()),
            element_type @ (ElementType::Int | ElementType::Long) => {
                Err(Error::UnsupportedType { operation: OPERATION, element_type })
            }
        }
    }
}

fn symmetrize<T: Element>(view: View<'_, T>, half: T) -> Result<()> {
    let Some(block) = view.array().local_section() else { return Ok(()) };
    let (order, rows, cols) = (view.array().shape()[0], along(&block, 0), along(&block, 1));
    let mut others = block;
    others.narrow(0, &(0..1));
    others.narrow(1, &(0..1));
    let matrices_max = (len_max::<T>() / order.min(TILE).pow(2)).max(1);
    let mut pair = Pair { view, half, elements: vec![], mirrored: vec![] };
    for others in others.pieces(matrices_max) {
        for i in tiles(&rows) {
            for j in tiles(&cols) {
                // Whoever holds the first element of a tile on the diagonal does all of it.
                if i == j && rows.contains(&(i * TILE)) && cols.contains(&(i * TILE)) {
                    let range = clip(i, &(0..order));
                    pair.average(&range, &range, &others)?;
                } else if i != j && (i < j) == (i + j).is_multiple_of(2) {
                    pair.average(&clip(i, &rows), &clip(j, &cols), &others)?;
                }
            }
        }
    }
    Ok(())
}

fn along(section: &Section, dim: usize) -> Range<u64> {
    section.lo()[dim]..section.hi()[dim]
}

/// These rows and columns, and of the other dimensions what `others` has.
fn part(rows: &Range<u64>, cols: &Range<u64>, others: &Section) -> Section {
    let bound = |row, col, other: &[u64]| {
        Shape::from_fn(other.len(), |d| match d {
            0 => row,
            1 => col,
            _ => other[d],
        })
    };
    let (lo, hi) = (bound(rows.start, cols.start, others.lo()), bound(rows.end, cols.end, others.hi()));
    Section::between(lo, hi)
}

/// The numbers of the tiles in which there is something of a range.
fn tiles(range: &Range<u64>) -> Range<u64> {
    range.start / TILE..range.end.div_ceil(TILE)
}

/// What a tile and a range have in common.
fn clip(tile: u64, range: &Range<u64>) -> Range<u64> {
    range.start.max(tile * TILE)..range.end.min((tile + 1) * TILE)
}

/// A part of some matrices and its mirror image.
struct Pair<'a, T> {
    view: View<'a, T>,
    half: T,
    elements: Vec<T>,
    mirrored: Vec<T>,
}

impl<T: Element> Pair<'_, T> {
    fn average(&mut self, rows: &Range<u64>, cols: &Range<u64>, others: &Section) -> Result<()> {
        let (section, mirror) = (part(rows, cols, others), part(cols, rows, others));
        let len = section::size(section.len());
        for (section, elements) in [(&section, &mut self.elements), (&mirror, &mut self.mirrored)] {
            elements.resize(len, T::zero());
            self.view.get(section, elements)?;
        }
        let (count, width) = (section::size(rows.end - rows.start), section::size(cols.end - cols.start));
        let matrices = section::size(others.len());
        for i in 0..count {
            for j in 0..width {
                let (here, there) = ((i * width + j) * matrices, (j * count + i) * matrices);
                let mirrored = &mut self.mirrored[there..there + matrices];
                for (x, y) in self.elements[here..here + matrices].iter_mut().zip(mirrored) {
                    let mean = x.plus(*y).times(self.half);
                    (*x, *y) = (mean, mean);
                }
            }
        }
        self.view.put(&section, &self.elements)?;
        self.view.put(&mirror, &self.mirrored)
    }
}
