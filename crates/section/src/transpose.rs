//! Transposition of a dense matrix, in tiles that stay in the first-level cache.

/// Rows and columns of a tile: two tiles of 32 x 32 complex doubles fill a first-level cache of 32 KiB.
const TILE: usize = 32;

/// Writes the transpose of `from`, a dense matrix of `rows` x `cols`, to `to`, of `cols` x `rows`; both row-major.
///
/// # Panics
/// If one of the slices has not `rows * cols` elements.
pub fn transpose<T: Copy>(from: &[T], rows: usize, cols: usize, to: &mut [T]) {
    assert_eq!((from.len(), to.len()), (rows * cols, rows * cols), "a {rows} x {cols} matrix");
    for row in (0..rows).step_by(TILE) {
        for col in (0..cols).step_by(TILE) {
            for r in row..rows.min(row + TILE) {
                for c in col..cols.min(col + TILE) {
                    to[c * rows + r] = from[r * cols + c];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_finds_its_place() {
        for (rows, cols) in [(0, 3), (1, 1), (3, 70), (65, 33), (32, 32)] {
            let from: Vec<usize> = (0..rows * cols).collect();
            let mut to = vec![usize::MAX; rows * cols];
            transpose(&from, rows, cols, &mut to);
            for (i, value) in from.iter().enumerate() {
                assert_eq!(to[i % cols * rows + i / cols], *value, "{rows} x {cols}");
            }
        }
    }
}
