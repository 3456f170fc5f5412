//! The symmetric part of a matrix, in place.
//!
//! The matrix is cut into square tiles. An element and its mirror image are in two tiles (or both in one on the diagonal),
//! and are read and written by one rank only, so nobody waits for anybody. Which of the two owners it is alternates like
//! the colours of a chessboard, so that owners of the upper triangle do not have all the work.

use super::collectively;
use crate::{Array, Element, ElementType, Error, Result, Scalar, View};
use num_complex::Complex;
use section::Section;
use std::ops::Range;

/// Rows and columns of a tile.
const TILE: u64 = 128;

impl Array {
    /// Replaces a square matrix `A` by `(A + A^T) / 2`, without conjugation. Collective over the array's group.
    ///
    /// # Errors
    /// - [`Error::ShapesDiffer`]: no square matrix.
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
            [rows, cols] if rows == cols => {}
            shape => {
                let right = shape.iter().rev().copied().collect();
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
    let (rows, cols) = (block.lo()[0]..block.hi()[0], block.lo()[1]..block.hi()[1]);
    let mut pair = Pair { view, half, elements: vec![], mirrored: vec![] };
    for i in tiles(&rows) {
        for j in tiles(&cols) {
            if i == j {
                pair.diagonal(i)?;
            } else if (i < j) == (i + j).is_multiple_of(2) {
                pair.average(&clip(i, &rows), &clip(j, &cols))?;
            }
        }
    }
    Ok(())
}

/// The numbers of the tiles in which there is something of a range.
fn tiles(range: &Range<u64>) -> Range<u64> {
    range.start / TILE..range.end.div_ceil(TILE)
}

/// What a tile and a range have in common.
fn clip(tile: u64, range: &Range<u64>) -> Range<u64> {
    range.start.max(tile * TILE)..range.end.min((tile + 1) * TILE)
}

/// A part of a matrix and its mirror image.
struct Pair<'a, T> {
    view: View<'a, T>,
    half: T,
    elements: Vec<T>,
    mirrored: Vec<T>,
}

impl<T: Element> Pair<'_, T> {
    /// Whoever owns the first element of a tile on the diagonal does all of it.
    fn diagonal(&mut self, tile: u64) -> Result<()> {
        let array = self.view.array();
        if array.distribution().owner_of(&[tile * TILE; 2]) != array.group().rank() {
            return Ok(());
        }
        let range = clip(tile, &(0..array.shape()[0]));
        self.average(&range, &range)
    }

    fn average(&mut self, rows: &Range<u64>, cols: &Range<u64>) -> Result<()> {
        let section = Section::new(&[rows.start, cols.start], &[rows.end, cols.end])?;
        let mirror = section.reversed();
        let len = section::size(section.len());
        for (section, elements) in [(&section, &mut self.elements), (&mirror, &mut self.mirrored)] {
            elements.resize(len, T::zero());
            self.view.get(section, elements)?;
        }
        let (count, width) = (section::size(rows.end - rows.start), section::size(cols.end - cols.start));
        for i in 0..count {
            for j in 0..width {
                let (x, y) = (&mut self.elements[i * width + j], &mut self.mirrored[j * count + i]);
                let mean = x.plus(*y).times(self.half);
                (*x, *y) = (mean, mean);
            }
        }
        self.view.put(&section, &self.elements)?;
        self.view.put(&mirror, &self.mirrored)
    }
}
