//! The elements of a slice, sorted into the cells of a picture as they come.

use super::slice::Slice;
use crate::error::Result;
use crate::options::Show;
use crate::scan::memory::filled;
use disk_array::DataType;
use section::{Section, size};
use std::ops::Range;

/// What is known of the elements of one cell.
#[derive(Clone, Copy, Debug)]
struct Cell {
    sum: f64,
    min: f64,
    max: f64,
    numbers: u64,
    nan: u64,
}

impl Cell {
    const EMPTY: Self = Self { sum: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY, numbers: 0, nan: 0 };

    fn add(&mut self, value: f64, times: u64) {
        if value.is_nan() {
            self.nan += times;
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "a picture has eight bits of precision")]
        let weighted = value * times as f64;
        (self.sum, self.numbers) = (self.sum + weighted, self.numbers + times);
        (self.min, self.max) = (self.min.min(value), self.max.max(value));
    }
}

/// The cells of a picture, row by row.
#[derive(Debug)]
pub(super) struct Cells {
    all: Vec<Cell>,
    counts: [usize; 2],
    down: (Option<usize>, Range<u64>),
    across: (usize, Range<u64>),
    data_type: DataType,
    /// Whether moduli are taken.
    modulus: bool,
}

impl Cells {
    /// Without elements.
    ///
    /// # Errors
    /// - [`Error::NoMemory`](crate::error::Error::NoMemory): the system has no more.
    pub(super) fn new(slice: &Slice, counts: [usize; 2], data_type: DataType, modulus: bool) -> Result<Self> {
        let all = filled(Cell::EMPTY, counts[0] * counts[1])?;
        Ok(Self { all, counts, down: slice.down(), across: slice.across(), data_type, modulus })
    }

    /// How many there are, down and across.
    pub(super) fn counts(&self) -> [usize; 2] {
        self.counts
    }

    /// Adds the elements of `tile`.
    pub(super) fn add(&mut self, tile: &Section, elements: &[u8]) {
        let bytes = size(self.data_type.bytes());
        let places = |dim: usize, within: &Range<u64>, count: usize| -> Vec<usize> {
            (tile.lo()[dim]..tile.hi()[dim]).map(|at| cell_of(at, within, count)).collect()
        };
        let columns = places(self.across.0, &self.across.1, self.counts[1]);
        let rows = self.down.0.map_or(vec![0], |dim| places(dim, &self.down.1, self.counts[0]));
        for (row, line) in rows.iter().zip(elements.chunks_exact(columns.len() * bytes)) {
            let cells = &mut self.all[row * self.counts[1]..(row + 1) * self.counts[1]];
            for (column, element) in columns.iter().zip(line.chunks_exact(bytes)) {
                cells[*column].add(value(self.data_type, element, self.modulus), 1);
            }
        }
    }

    /// Adds what others have collected.
    pub(super) fn merge(&mut self, other: &Self) {
        for (cell, other) in self.all.iter_mut().zip(&other.all) {
            cell.sum += other.sum;
            (cell.min, cell.max) = (cell.min.min(other.min), cell.max.max(other.max));
            (cell.numbers, cell.nan) = (cell.numbers + other.numbers, cell.nan + other.nan);
        }
    }

    /// Adds `element` for all that were not given.
    pub(super) fn add_unseen(&mut self, element: &[u8]) {
        let value = value(self.data_type, element, self.modulus);
        let [rows, columns] = self.counts;
        for row in 0..rows {
            let down = elements_of(row, &self.down.1, rows);
            for column in 0..columns {
                let cell = &mut self.all[row * columns + column];
                let unseen = down * elements_of(column, &self.across.1, columns) - cell.numbers - cell.nan;
                if unseen > 0 {
                    cell.add(value, unseen);
                }
            }
        }
    }

    /// What is drawn for each cell: NaN if there is no number in it.
    pub(super) fn values(&self, show: Show, log: bool) -> Vec<f64> {
        let shown = |cell: &Cell| {
            #[expect(clippy::cast_precision_loss, reason = "a picture has eight bits of precision")]
            let value = match show {
                Show::Mean => cell.sum / cell.numbers as f64,
                Show::Min => cell.min,
                Show::Max => cell.max,
            };
            if cell.numbers == 0 { f64::NAN } else { scaled(value, log) }
        };
        self.all.iter().map(shown).collect()
    }

    /// The smallest and the largest of each cell.
    pub(super) fn band(&self, log: bool) -> Vec<[f64; 2]> {
        let ends = |cell: &Cell| {
            if cell.numbers == 0 { [f64::NAN; 2] } else { [scaled(cell.min, log), scaled(cell.max, log)] }
        };
        self.all.iter().map(ends).collect()
    }
}

fn scaled(value: f64, log: bool) -> f64 {
    if log { value.log10() } else { value }
}

/// The cell of an index, of `count` cells for `within`.
fn cell_of(index: u64, within: &Range<u64>, count: usize) -> usize {
    let cell = u128::from(index - within.start) * count as u128 / u128::from(within.end - within.start);
    usize::try_from(cell).expect("less than the number of cells")
}

/// How many indices are in a cell.
fn elements_of(cell: usize, within: &Range<u64>, count: usize) -> u64 {
    let extent = u128::from(within.end - within.start);
    let first = |cell: usize| (cell as u128 * extent).div_ceil(count as u128);
    u64::try_from(first(cell + 1) - first(cell)).expect("no more than there are")
}

/// An element as a number: of a complex one its modulus.
#[expect(clippy::cast_precision_loss, reason = "a picture has eight bits of precision")]
fn value(data_type: DataType, element: &[u8], modulus: bool) -> f64 {
    let word4 = |at: usize| -> [u8; 4] { element[at..at + 4].try_into().expect("four bytes") };
    let word8 = |at: usize| -> [u8; 8] { element[at..at + 8].try_into().expect("eight bytes") };
    let value = match data_type {
        DataType::Int32 => f64::from(i32::from_le_bytes(word4(0))),
        DataType::Int64 => i64::from_le_bytes(word8(0)) as f64,
        DataType::Float32 => f64::from(f32::from_le_bytes(word4(0))),
        DataType::Float64 => f64::from_le_bytes(word8(0)),
        DataType::Complex64 => f64::from(f32::from_le_bytes(word4(0)).hypot(f32::from_le_bytes(word4(4)))),
        DataType::Complex128 => f64::from_le_bytes(word8(0)).hypot(f64::from_le_bytes(word8(8))),
    };
    if modulus { value.abs() } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use section::Shape;

    #[test]
    fn every_index_is_in_one_cell_and_cells_know_how_many_they_have() {
        for (extent, count) in [(10, 10), (10, 3), (1000, 7), (7, 1)] {
            let within = 5..5 + extent;
            let mut held = vec![0; count];
            within.clone().for_each(|index| held[cell_of(index, &within, count)] += 1);
            let expected: Vec<u64> = (0..count).map(|cell| elements_of(cell, &within, count)).collect();
            assert_eq!(held, expected, "{extent} in {count}");
        }
    }

    #[test]
    fn cells_hold_what_tiles_bring_and_the_rest_is_fill() {
        let dims = Shape::new(&[4, 6]).unwrap();
        let slice = Slice::parse(None, &dims).unwrap();
        let mut cells = Cells::new(&slice, [2, 3], DataType::Float64, false).unwrap();
        let tile = Section::new(&[0, 0], &[2, 2]).unwrap();
        let elements: Vec<u8> =
            [1.0, 2.0, f64::NAN, 6.0].iter().flat_map(|x: &f64| x.to_le_bytes()).collect();
        cells.add(&tile, &elements);
        let part = Section::new(&[3, 5], &[4, 6]).unwrap();
        cells.add(&part, &8f64.to_le_bytes());
        cells.add_unseen(&4f64.to_le_bytes());
        assert_eq!(cells.values(Show::Mean, false), [3.0, 4.0, 4.0, 4.0, 4.0, 5.0]);
        assert_eq!(cells.values(Show::Max, false), [6.0, 4.0, 4.0, 4.0, 4.0, 8.0]);
        assert_eq!(cells.band(false)[0].to_vec(), [1.0, 6.0]);
    }
}
