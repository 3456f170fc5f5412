//! Sections as matrices.

use crate::Distribution;
use section::Section;
use std::ops::Range;

/// A section whose elements are those of a matrix: its rows are counted along one dimension, its columns along another,
/// and all other dimensions have one element. A single row or column needs no dimension to be counted along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Matrix {
    section: Section,
    rows: Option<usize>,
    cols: Option<usize>,
}

impl Matrix {
    /// What a section can be as a matrix: of two dimensions only itself, otherwise by those of its dimensions that are
    /// longer than 1. With one of them it is a row or a column, with more than two it is no matrix.
    pub(super) fn readings(section: &Section) -> Vec<Self> {
        let counts = section.counts();
        let long: Vec<usize> = (0..counts.len()).filter(|&d| counts.len() == 2 || counts[d] != 1).collect();
        let matrix = |rows, cols| Self { section: *section, rows, cols };
        match long[..] {
            [] => vec![matrix(None, None)],
            [dim] => vec![matrix(None, Some(dim)), matrix(Some(dim), None)],
            [rows, cols] => vec![matrix(Some(rows), Some(cols))],
            _ => vec![],
        }
    }

    /// Rows and columns exchanged.
    #[must_use]
    pub(super) fn transposed(self) -> Self {
        Self { rows: self.cols, cols: self.rows, ..self }
    }

    /// Its elements.
    pub(super) fn section(&self) -> &Section {
        &self.section
    }

    /// The dimension along which rows are counted.
    pub(super) fn rows_dim(&self) -> Option<usize> {
        self.rows
    }

    /// The dimension along which columns are counted.
    pub(super) fn cols_dim(&self) -> Option<usize> {
        self.cols
    }

    /// Numbers of rows and columns.
    pub(super) fn shape(&self) -> [u64; 2] {
        let counts = self.section.counts();
        [self.rows, self.cols].map(|dim| dim.map_or(1, |dim| counts[dim]))
    }

    /// Some of the rows and columns, at least one of each.
    #[must_use]
    pub(super) fn tile(&self, rows: &Range<u64>, cols: &Range<u64>) -> Self {
        let mut tile = *self;
        for (dim, range) in [(self.rows, rows), (self.cols, cols)] {
            if let Some(dim) = dim {
                tile.section.narrow(dim, range);
            }
        }
        tile
    }

    /// The rows and the columns that are in a part of the section.
    pub(super) fn place_of(&self, part: &Section) -> [Range<u64>; 2] {
        let (place, counts) = (part.place_in(&self.section), part.counts());
        [self.rows, self.cols].map(|dim| dim.map_or(0..1, |dim| place[dim]..place[dim] + counts[dim]))
    }

    /// At which rows, after the first, another rank's block begins.
    pub(super) fn row_cuts(&self, distribution: &Distribution) -> Vec<u64> {
        self.cuts(self.rows, distribution)
    }

    /// At which columns, after the first, another rank's block begins.
    pub(super) fn col_cuts(&self, distribution: &Distribution) -> Vec<u64> {
        self.cuts(self.cols, distribution)
    }

    fn cuts(&self, dim: Option<usize>, distribution: &Distribution) -> Vec<u64> {
        let Some(dim) = dim else { return vec![] };
        let (lo, hi, step) = (self.section.lo()[dim], self.section.hi()[dim], self.section.step()[dim]);
        let inside = distribution.starts(dim).iter().filter(|&&start| lo < start && start < hi);
        let mut cuts: Vec<u64> = inside.map(|start| (start - lo).div_ceil(step)).collect();
        cuts.dedup();
        cuts.retain(|&cut| cut < self.section.counts()[dim]);
        cuts
    }
}

/// The first readings of three sections that fit `C = A B`, or the shapes that do not fit each other. No list is empty.
pub(super) fn fit(a: &[Matrix], b: &[Matrix], c: &[Matrix]) -> Result<[Matrix; 3], [[u64; 2]; 2]> {
    let mut misfit = [a[0].shape(), b[0].shape()];
    for (left, right) in a.iter().flat_map(|left| b.iter().map(move |right| (left, right))) {
        let ([rows, depth], [right_rows, cols]) = (left.shape(), right.shape());
        if depth != right_rows {
            continue;
        }
        if let Some(result) = c.iter().find(|result| result.shape() == [rows, cols]) {
            return Ok([*left, *right, *result]);
        }
        misfit = [[rows, cols], c[0].shape()];
    }
    Err(misfit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use section::Shape;

    fn section(lo: &[u64], hi: &[u64]) -> Section {
        Section::new(lo, hi).unwrap()
    }

    fn shapes(section: &Section) -> Vec<[u64; 2]> {
        Matrix::readings(section).iter().map(Matrix::shape).collect()
    }

    #[test]
    fn two_dimensions_are_rows_and_columns_whatever_their_lengths() {
        assert_eq!(shapes(&section(&[2, 3], &[7, 4])), [[5, 1]]);
        assert_eq!(shapes(&section(&[2, 3], &[3, 4])), [[1, 1]]);
        assert_eq!(shapes(&section(&[2, 3], &[2, 4])), [[0, 1]]);
    }

    #[test]
    fn of_more_dimensions_the_long_ones_count() {
        assert_eq!(shapes(&section(&[0, 5, 0, 9], &[3, 6, 4, 10])), [[3, 4]]);
        assert_eq!(shapes(&section(&[0, 5, 0], &[1, 6, 4])), [[1, 4], [4, 1]]);
        assert_eq!(shapes(&section(&[0], &[4])), [[1, 4], [4, 1]]);
        assert_eq!(shapes(&section(&[0, 0, 0], &[1, 1, 1])), [[1, 1]]);
        assert_eq!(shapes(&section(&[0, 0, 0], &[2, 2, 2])), [[0; 2]; 0]);
    }

    #[test]
    fn vectors_are_read_so_that_the_product_fits() {
        let readings = |hi: &[u64]| Matrix::readings(&section(Shape::filled(hi.len(), 0).as_ref(), hi));
        let fitted = |a: &[u64], b: &[u64], c: &[u64]| {
            fit(&readings(a), &readings(b), &readings(c))
                .map(|matrices| matrices.map(|matrix| matrix.shape()))
        };
        assert_eq!(fitted(&[3, 4], &[4], &[3]), Ok([[3, 4], [4, 1], [3, 1]]));
        assert_eq!(fitted(&[3], &[3, 4], &[4]), Ok([[1, 3], [3, 4], [1, 4]]));
        assert_eq!(fitted(&[3], &[4], &[3, 4]), Ok([[3, 1], [1, 4], [3, 4]]));
        assert_eq!(fitted(&[3], &[3], &[1]), Ok([[1, 3], [3, 1], [1, 1]]));
        assert_eq!(fitted(&[3, 4], &[5, 6], &[3, 6]), Err([[3, 4], [5, 6]]));
        assert_eq!(fitted(&[3, 4], &[4, 6], &[6, 3]), Err([[3, 6], [6, 3]]));
    }

    #[test]
    fn a_tile_is_the_section_of_its_rows_and_columns() {
        let whole = Section::with_step(&[1, 7, 0], &[20, 8, 30], &[2, 1, 3]).unwrap();
        let matrix = Matrix::readings(&whole)[0];
        let tile = Section::with_step(&[5, 7, 3], &[10, 8, 10], &[2, 1, 3]).unwrap();
        assert_eq!(*matrix.tile(&(2..5), &(1..4)).section(), tile);
        assert_eq!(*matrix.transposed().tile(&(1..4), &(2..5)).section(), tile);
        assert_eq!(matrix.place_of(&tile), [2..5, 1..4]);
        assert_eq!(matrix.tile(&(2..5), &(1..4)).shape(), [3, 3]);
    }

    #[test]
    fn cuts_are_where_blocks_begin_inside_the_section() {
        let distribution = Distribution::regular(&Shape::new(&[40, 10]).unwrap(), 4, &[0, 10]);
        assert_eq!(distribution.starts(0), [0, 10, 20, 30]);
        let rows = |lo, hi, step| {
            let section = Section::with_step(&[lo, 0], &[hi, 10], &[step, 1]).unwrap();
            let matrix = Matrix::readings(&section)[0];
            assert_eq!(matrix.col_cuts(&distribution), [0; 0]);
            assert_eq!(matrix.transposed().col_cuts(&distribution), matrix.row_cuts(&distribution));
            matrix.row_cuts(&distribution)
        };
        assert_eq!(rows(0, 40, 1), [10, 20, 30]);
        assert_eq!(rows(10, 30, 1), [10]);
        assert_eq!(rows(5, 31, 3), [2, 5]);
        assert_eq!(rows(9, 31, 20), [1]);
    }
}
