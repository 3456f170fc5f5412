//! Who computes what of a matrix product, and in which steps.
//!
//! Definitions. The product of an `m x k` and a `k x n` matrix is `m n k` multiplications, a box of *rows*, *columns* and
//! *depth*. A *task* is the part of the box that one rank computes. It is cut into *tiles*, each one call of BLAS.
//!
//! As a rule each rank computes what it holds of C, to the full depth, in place: nobody waits and nothing of C moves. If that
//! leaves most of the work to a few ranks (C is a small part of its array, or has fewer blocks than there are ranks), the box
//! is divided anew, over all ranks, into blocks of little surface; only if rows and columns are short is its depth cut,
//! because then the parts have to be added up.

use super::matrix::Matrix;
use crate::Distribution;
use section::Shape;
use std::ops::Range;

/// How much more than its share a rank may have to compute before the work is divided anew.
const IMBALANCE_MAX: f64 = 1.25;

/// Rows, columns and depth of a task are multiples of these when the work is divided anew: below, moving the matrices takes
/// longer than multiplying them.
const CHUNK: [u64; 3] = [64, 64, 256];

/// Along a dimension that is cut where blocks of other ranks begin, tiles are at least so long on average; otherwise it pays
/// to copy several blocks into one tile.
const TILE_MIN: u64 = 32;

/// Rows, columns and depth of a tile of which something is copied. With these a copied tile of a factor has 2^18 elements,
/// and one byte is moved for at least 128 operations on doubles.
const TILE_MAX: [u64; 3] = [1024, 1024, 256];

/// BLAS counts with an int.
const BLAS_MAX: u64 = 1 << 30;

/// Who computes what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Schedule {
    /// Every rank what it holds of C.
    Owners,
    /// Every rank a block of the box of rows, columns and depth.
    Anew(Distribution),
}

/// What one rank computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) rows: Range<u64>,
    pub(super) cols: Range<u64>,
    pub(super) depth: Range<u64>,
}

impl Schedule {
    /// For a product of depth `depth`; the same on every rank.
    pub(super) fn choose(c: &Matrix, depth: u64, holds: &Distribution, ranks: usize) -> Self {
        let [rows, cols] = c.shape();
        let mut largest = 0;
        holds.each_owner(c.section(), |_, part, _| largest = largest.max(part.len()));
        if as_float(largest) * as_float(ranks as u64) <= IMBALANCE_MAX * as_float(rows) * as_float(cols) {
            return Self::Owners;
        }
        let shape = Shape::new(&[rows, cols, depth]).expect("three dimensions");
        let mut best = (Self::Owners, as_float(largest) * as_float(depth));
        for chunk in [[CHUNK[0], CHUNK[1], depth], CHUNK] {
            let anew = Distribution::regular(&shape, ranks, &chunk);
            let block = anew.block_of(0).map_or(0.0, |block| as_float(block.len()));
            if block * IMBALANCE_MAX < best.1 {
                best = (Self::Anew(anew), block);
            }
        }
        best.0
    }

    /// Whether several ranks add to the same elements of C.
    pub(super) fn cuts_depth(&self) -> bool {
        matches!(self, Self::Anew(anew) if anew.grid()[2] > 1)
    }

    /// What `rank` computes; nothing, perhaps.
    pub(super) fn task(&self, c: &Matrix, depth: u64, holds: &Distribution, rank: usize) -> Option<Task> {
        match self {
            Self::Owners => {
                let part = c.section().clipped_to(&holds.block_of(rank)?)?;
                let [rows, cols] = c.place_of(&part);
                Some(Task { rows, cols, depth: 0..depth })
            }
            Self::Anew(anew) => {
                let block = anew.block_of(rank)?;
                let along = |d: usize| block.lo()[d]..block.hi()[d];
                Some(Task { rows: along(0), cols: along(1), depth: along(2) })
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "only compared")]
fn as_float(count: u64) -> f64 {
    count as f64
}

/// Where blocks of a factor begin that BLAS can use where they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cuts {
    /// Along the rows of A or the columns of B.
    pub(super) across: Vec<u64>,
    /// Along the depth.
    pub(super) depth: Vec<u64>,
}

impl Cuts {
    fn within(&self, across: &Range<u64>, depth: &Range<u64>) -> Self {
        Self { across: inside(across, &self.across), depth: inside(depth, &self.depth) }
    }
}

/// A task in tiles: each combination of the three.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tiles {
    rows: Vec<Range<u64>>,
    cols: Vec<Range<u64>>,
    depths: Vec<Range<u64>>,
}

impl Tiles {
    /// Cuts a task where blocks of the factors begin, so that a tile of a factor is in one block and need not be copied, as
    /// far as the tiles do not get too small; and into tiles of limited size where something is copied. A factor that has to
    /// be copied in any case has no cuts.
    pub(super) fn of(task: &Task, a: Option<Cuts>, b: Option<Cuts>, c_in_place: bool) -> Self {
        let kept = |cuts: Option<Cuts>, range: &Range<u64>| {
            cuts.map(|cuts| cuts.within(range, &task.depth)).filter(|cuts| worth_cutting(range, &cuts.across))
        };
        let (mut a, mut b) = (kept(a, &task.rows), kept(b, &task.cols));
        let mut depth_cuts: Vec<u64> =
            a.iter().chain(&b).flat_map(|cuts| cuts.depth.iter().copied()).collect();
        depth_cuts.sort_unstable();
        depth_cuts.dedup();
        if !worth_cutting(&task.depth, &depth_cuts) {
            depth_cuts.clear();
            (a, b) = (a.filter(|cuts| cuts.depth.is_empty()), b.filter(|cuts| cuts.depth.is_empty()));
        }
        let limit = |no_copy: bool, axis: usize| if no_copy { BLAS_MAX } else { TILE_MAX[axis] };
        let (rows_max, cols_max) = (limit(a.is_some() && c_in_place, 0), limit(b.is_some() && c_in_place, 1));
        let depth_max = limit(a.is_some() && b.is_some(), 2);
        Self {
            rows: segments(&task.rows, &a.unwrap_or_default().across, rows_max),
            cols: segments(&task.cols, &b.unwrap_or_default().across, cols_max),
            depths: segments(&task.depth, &depth_cuts, depth_max),
        }
    }

    /// Number of tiles of the same rows and columns.
    pub(super) fn depths(&self) -> usize {
        self.depths.len()
    }

    /// Number of tiles.
    pub(super) fn len(&self) -> usize {
        self.rows.len() * self.cols.len() * self.depths.len()
    }

    /// Tile number `index`: those of the same rows and columns follow each other, and begin with number `first` of the depths.
    pub(super) fn tile(&self, index: usize, first: usize) -> Tile {
        let (block, turn) = (index / self.depths.len(), index % self.depths.len());
        Tile {
            rows: self.rows[block / self.cols.len()].clone(),
            cols: self.cols[block % self.cols.len()].clone(),
            depth: self.depths[(turn + first) % self.depths.len()].clone(),
            is_first: turn == 0,
            is_last: turn + 1 == self.depths.len(),
        }
    }
}

/// One call of BLAS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    pub(super) rows: Range<u64>,
    pub(super) cols: Range<u64>,
    pub(super) depth: Range<u64>,
    /// Of those of the same rows and columns.
    pub(super) is_first: bool,
    /// Of those of the same rows and columns.
    pub(super) is_last: bool,
}

fn inside(range: &Range<u64>, cuts: &[u64]) -> Vec<u64> {
    cuts.iter().copied().filter(|cut| range.start < *cut && *cut < range.end).collect()
}

fn worth_cutting(range: &Range<u64>, inside: &[u64]) -> bool {
    inside.is_empty() || (range.end - range.start) / (inside.len() as u64 + 1) >= TILE_MIN
}

/// The range, cut at `cuts`, which are inside, and then into equal parts of at most `len_max`.
fn segments(range: &Range<u64>, cuts: &[u64], len_max: u64) -> Vec<Range<u64>> {
    let mut start = range.start;
    let mut segments = vec![];
    for end in cuts.iter().copied().chain([range.end]) {
        let (len, parts) = (end - start, (end - start).div_ceil(len_max));
        segments.extend((0..parts).map(|i| start + i * len / parts..start + (i + 1) * len / parts));
        start = end;
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;
    use section::Section;

    fn distribution(extents: &[u64], ranks: usize) -> Distribution {
        Distribution::regular(&Shape::new(extents).unwrap(), ranks, &[])
    }

    fn matrix(lo: &[u64], hi: &[u64]) -> Matrix {
        Matrix::readings(&Section::new(lo, hi).unwrap())[0]
    }

    /// Every multiplication is done by one rank.
    fn check(schedule: &Schedule, c: &Matrix, depth: u64, holds: &Distribution, ranks: usize) -> u64 {
        let tasks: Vec<Task> = (0..ranks).filter_map(|rank| schedule.task(c, depth, holds, rank)).collect();
        let volume = |task: &Task| {
            [&task.rows, &task.cols, &task.depth]
                .into_iter()
                .map(|range| range.end - range.start)
                .product::<u64>()
        };
        assert_eq!(tasks.iter().map(volume).sum::<u64>(), c.shape()[0] * c.shape()[1] * depth);
        let share = |a: &Range<u64>, b: &Range<u64>| a.start < b.end && b.start < a.end;
        for (i, a) in tasks.iter().enumerate() {
            for b in &tasks[..i] {
                assert!(!(share(&a.rows, &b.rows) && share(&a.cols, &b.cols) && share(&a.depth, &b.depth)));
            }
        }
        tasks.iter().map(volume).max().unwrap_or(0)
    }

    #[test]
    fn a_whole_array_is_computed_by_those_who_hold_it() {
        for ranks in [1, 2, 3, 4, 7] {
            let (c, holds) = (matrix(&[0, 0], &[500, 300]), distribution(&[500, 300], ranks));
            let schedule = Schedule::choose(&c, 400, &holds, ranks);
            assert_eq!(schedule, Schedule::Owners);
            check(&schedule, &c, 400, &holds, ranks);
        }
    }

    #[test]
    fn a_patch_that_few_ranks_hold_is_computed_by_all() {
        let (c, holds) = (matrix(&[0, 0], &[512, 512]), distribution(&[4096, 4096], 4));
        let schedule = Schedule::choose(&c, 1024, &holds, 4);
        assert!(matches!(schedule, Schedule::Anew(_)) && !schedule.cuts_depth(), "{schedule:?}");
        assert_eq!(check(&schedule, &c, 1024, &holds, 4), 256 * 256 * 1024);
    }

    #[test]
    fn the_depth_of_a_small_product_of_long_matrices_is_cut() {
        let (c, holds) = (matrix(&[0, 0], &[20, 20]), distribution(&[20, 20], 1));
        let schedule = Schedule::choose(&c, 1 << 20, &holds, 4);
        assert!(schedule.cuts_depth());
        assert_eq!(check(&schedule, &c, 1 << 20, &holds, 4), 400 << 18);
    }

    #[test]
    fn a_product_too_small_to_divide_stays_with_its_owners() {
        let (c, holds) = (matrix(&[0, 0], &[60, 60]), distribution(&[4096, 4096], 4));
        assert_eq!(Schedule::choose(&c, 200, &holds, 4), Schedule::Owners);
        check(&Schedule::Owners, &c, 200, &holds, 4);
    }

    fn task(rows: Range<u64>, cols: Range<u64>, depth: Range<u64>) -> Task {
        Task { rows, cols, depth }
    }

    fn cuts(across: &[u64], depth: &[u64]) -> Cuts {
        Cuts { across: across.to_vec(), depth: depth.to_vec() }
    }

    #[test]
    fn factors_in_memory_are_cut_where_their_blocks_begin_and_nowhere_else() {
        let task = task(0..5000, 100..4000, 0..6000);
        let tiles = Tiles::of(&task, Some(cuts(&[2000], &[3000])), Some(cuts(&[50, 1000], &[2000])), true);
        assert_eq!(tiles.rows, [0..2000, 2000..5000]);
        assert_eq!(tiles.cols, [100..1000, 1000..4000]);
        assert_eq!(tiles.depths, [0..2000, 2000..3000, 3000..6000]);
    }

    #[test]
    fn tiles_of_copied_factors_are_limited_and_not_cut_at_blocks() {
        let task = task(0..2048, 0..512, 0..1000);
        let tiles = Tiles::of(&task, None, Some(cuts(&[100], &[])), true);
        assert_eq!(tiles.rows, [0..1024, 1024..2048]);
        assert_eq!(tiles.cols, [0..100, 100..512]);
        assert_eq!(tiles.depths, [0..250, 250..500, 500..750, 750..1000]);
        let copied = Tiles::of(&task, Some(cuts(&(0..2048).collect::<Vec<_>>(), &[])), None, true);
        assert_eq!(copied.rows, [0..1024, 1024..2048]);
    }

    #[test]
    fn a_factor_without_cuts_along_the_depth_stays_where_it_is_though_the_other_is_copied() {
        let thin: Vec<u64> = (0..1000).collect();
        let tiles =
            Tiles::of(&task(0..3000, 0..10, 0..1000), Some(cuts(&[1500], &[])), Some(cuts(&[], &thin)), true);
        assert_eq!(tiles.rows, [0..1500, 1500..3000]);
        assert_eq!(tiles.depths.len(), 4);
    }

    #[test]
    fn a_result_that_is_not_in_place_has_tiles_of_limited_size() {
        let all = Some(Cuts::default());
        let tiles = Tiles::of(&task(0..3000, 0..10, 0..1000), all.clone(), all, false);
        assert_eq!((tiles.rows.len(), tiles.cols.len(), tiles.depths.len()), (3, 1, 1));
    }

    #[test]
    fn tiles_of_the_same_rows_and_columns_follow_each_other() {
        let tiles = Tiles::of(&task(0..2000, 0..1500, 0..700), None, None, true);
        let all: Vec<Tile> = (0..tiles.len()).map(|index| tiles.tile(index, 5)).collect();
        assert_eq!(all.len(), 2 * 2 * 3);
        for block in all.chunks(3) {
            assert!(block.iter().all(|tile| tile.rows == block[0].rows && tile.cols == block[0].cols));
            assert_eq!(block.iter().map(|tile| tile.is_first).collect::<Vec<_>>(), [true, false, false]);
            assert_eq!(block.iter().map(|tile| tile.is_last).collect::<Vec<_>>(), [false, false, true]);
            assert_eq!(block[0].depth, tiles.depths[2]);
            assert_eq!(block.iter().map(|tile| tile.depth.end - tile.depth.start).sum::<u64>(), 700);
        }
    }
}
