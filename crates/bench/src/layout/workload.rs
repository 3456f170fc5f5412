//! What is measured: a square matrix of doubles, and the bricks that it is brought into.
//!
//! The patterns are those of Table 2 of the paper, scaled: from eight whole rows on, each is twice as high and half as wide as the one
//! before, so that all have as many elements. The first is that of the source.

use std::fmt;

use serde::Serialize;

/// Of a double.
pub(crate) const ELEMENT_BYTES: u64 = 8;
/// Rows of a brick of the source, which is as wide as the matrix.
const SOURCE_ROWS: u64 = 8;
/// Patterns in the paper.
const PATTERNS_MAX: u32 = 11;

/// The extents of a tile that is read at once, and of a brick of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Pattern {
    /// Its height.
    pub(crate) rows: u64,
    /// Its width.
    pub(crate) columns: u64,
}

impl Pattern {
    /// The bricks of the source of a matrix with so many rows and columns.
    pub(crate) fn of_source(side: u64) -> Self {
        Self { rows: SOURCE_ROWS, columns: side }
    }

    /// All of them that fit, the most skewed last.
    pub(crate) fn all(side: u64) -> Vec<Self> {
        let pattern = |number: u32| Self { rows: SOURCE_ROWS << number, columns: side >> number };
        let fits = |pattern: &Self| pattern.rows <= side && pattern.columns > 0;
        (0..PATTERNS_MAX).map(pattern).filter(fits).collect()
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} x {}", self.rows, self.columns))
    }
}

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Cell {
    /// How many share the work.
    pub(crate) ranks: usize,
    /// What they may use together.
    pub(crate) memory_bytes: u64,
    /// The bricks of the target.
    pub(crate) pattern: Pattern,
}

impl Cell {
    /// Reading the source does not depend on memory: it is measured once for all lines.
    pub(crate) fn with_least_memory(self) -> Self {
        Self { memory_bytes: 0, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::{ELEMENT_BYTES, Pattern};

    #[test]
    fn there_are_the_eleven_patterns_of_the_paper_in_bricks_of_one_size() {
        let all = Pattern::all(16384);
        let ends = [all[0], all[10]].map(|pattern| pattern.to_string());
        assert_eq!((all.len(), ends), (11, ["8 x 16384".to_owned(), "8192 x 16".to_owned()]));
        assert!(all.iter().all(|pattern| pattern.rows * pattern.columns * ELEMENT_BYTES == 1 << 20));
        assert_eq!(all[0], Pattern::of_source(16384));
    }

    #[test]
    fn of_a_small_matrix_there_are_as_many_as_fit() {
        let all = Pattern::all(512);
        assert_eq!(all.last(), Some(&Pattern { rows: 512, columns: 8 }));
        assert_eq!(all.len(), 7);
    }
}
