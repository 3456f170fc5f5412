//! Which rank holds which block of an array.
//!
//! Definitions. Each dimension is cut into *blocks* by a list of starts; the product of the cuts is the *grid*, and the
//! block at grid coordinates `c` belongs to rank number `c` in row-major order. Ranks beyond the grid hold nothing. A
//! regular grid is chosen so that as many ranks as possible hold a block; among those the one whose largest block is
//! smallest, then the one whose blocks have the least surface, then the one that cuts slower dimensions, because then
//! blocks are contiguous.

use section::{Section, Shape};

/// How the elements of an array are spread over the ranks of its group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Distribution {
    shape: Shape,
    grid: Shape,
    /// For each dimension the first index of every block, and the extent at the end.
    starts: Vec<Vec<u64>>,
}

/// One of the blocks that a dimension is cut into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockAlong {
    /// Its coordinate in the grid.
    pub(crate) number: usize,
    /// Its first index.
    pub(crate) begin: u64,
    /// Its end, exclusive.
    pub(crate) end: u64,
}

impl Distribution {
    /// Blocks of equal size, give or take one, larger ones first, for `ranks` ranks. Along `d` a block is a multiple of
    /// `chunk[d]`, but for the last; 0 or nothing is free.
    ///
    /// No extent of `shape` is zero.
    pub(crate) fn regular(shape: &Shape, ranks: usize, chunk: &[u64]) -> Self {
        let chunk: Vec<u64> = shape
            .iter()
            .enumerate()
            .map(|(d, &extent)| chunk.get(d).map_or(1, |&c| c.clamp(1, extent)))
            .collect();
        let blocks_max: Vec<u64> =
            shape.iter().zip(&chunk).map(|(extent, chunk)| extent.div_ceil(*chunk)).collect();
        let grid = best_grid(shape, &blocks_max, ranks as u64);
        let starts = (0..shape.len()).map(|d| even_starts(shape[d], chunk[d], grid[d])).collect();
        Self { shape: *shape, grid, starts }
    }

    /// Blocks that begin where `starts` says, in each dimension.
    ///
    /// # Errors
    /// What is wrong with them, as a text.
    pub(crate) fn irregular(shape: &Shape, ranks: usize, starts: &[Vec<u64>]) -> Result<Self, String> {
        if starts.len() != shape.len() {
            return Err(format!("blocks are given for {} of {} dimensions", starts.len(), shape.len()));
        }
        let mut complete = vec![];
        for (dim, (starts, &extent)) in starts.iter().zip(shape.iter()).enumerate() {
            if starts.first() != Some(&0) {
                return Err(format!(
                    "the first block of dimension {dim} does not begin at its first element"
                ));
            }
            if !starts.is_sorted() || starts.iter().any(|&start| start > extent) {
                return Err(format!(
                    "the blocks of dimension {dim} begin at {starts:?}, which is not in order within {extent}"
                ));
            }
            complete.push(starts.iter().copied().chain([extent]).collect::<Vec<_>>());
        }
        let counts: Vec<u64> = complete.iter().map(|starts| starts.len() as u64 - 1).collect();
        let grid = Shape::new(&counts).map_err(|error| error.to_string())?;
        match grid.checked_len() {
            Some(blocks) if blocks <= ranks as u64 => Ok(Self { shape: *shape, grid, starts: complete }),
            _ => Err(format!("{counts:?} blocks for {ranks} ranks")),
        }
    }

    /// The array's shape.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Number of blocks in each dimension.
    pub fn grid(&self) -> &[u64] {
        &self.grid
    }

    /// The first index of each block along `dim`.
    ///
    /// # Panics
    /// If there is no such dimension.
    pub fn starts(&self, dim: usize) -> &[u64] {
        let (_, starts) = self.starts[dim].split_last().expect("every dimension has a block");
        starts
    }

    /// Where in the grid the block of `rank` is; `None` for a rank beyond the grid.
    pub fn coordinates_of(&self, rank: usize) -> Option<Shape> {
        let (mut coordinates, mut rest) = (self.grid, rank as u64);
        for d in (0..self.grid.len()).rev() {
            coordinates[d] = rest % self.grid[d];
            rest /= self.grid[d];
        }
        (rest == 0).then_some(coordinates)
    }

    /// The elements that `rank` holds; `None` if it holds none.
    pub fn block_of(&self, rank: usize) -> Option<Section> {
        let block = self.block_at(&self.coordinates_of(rank)?);
        (!block.is_empty()).then_some(block)
    }

    fn block_at(&self, coordinates: &[u64]) -> Section {
        let (mut lo, mut hi) = (self.grid, self.grid);
        for (d, starts) in self.starts.iter().enumerate() {
            let at = section::size(coordinates[d]);
            (lo[d], hi[d]) = (starts[at], starts[at + 1]);
        }
        Section::between(lo, hi)
    }

    /// The rank that holds the element at `index`.
    ///
    /// # Panics
    /// If there is no such element.
    pub fn owner_of(&self, index: &[u64]) -> usize {
        let at = |rank, d: usize| rank * self.grid[d] + self.block_along(d, index[d]) as u64;
        section::size((0..self.grid.len()).fold(0, at))
    }

    /// Which block along `dim` holds `index`: the last that begins at or before it, since those before may be empty.
    fn block_along(&self, dim: usize, index: u64) -> usize {
        let block = self.block_around(dim, index);
        block.unwrap_or_else(|| panic!("index {index} of {}", self.shape[dim])).number
    }

    /// The block along `dim` that holds `index`; `None` if there is no such index.
    #[inline]
    pub(crate) fn block_around(&self, dim: usize, index: u64) -> Option<BlockAlong> {
        if index >= self.shape[dim] {
            return None;
        }
        let starts = &self.starts[dim];
        // The end is one of the starts, and beyond the index: with one block there is nothing to search.
        let number = if starts.len() == 2 { 0 } else { starts.partition_point(|&start| start <= index) - 1 };
        Some(BlockAlong { number, begin: starts[number], end: starts[number + 1] })
    }

    /// The rank that holds the element at `index`, and its number in that rank's block; `None` if there is none.
    pub(crate) fn place_of(&self, index: &[u64]) -> Option<(usize, usize)> {
        if index.len() != self.shape.len() {
            return None;
        }
        let (mut rank, mut element) = (0, 0);
        for (d, &at) in index.iter().enumerate() {
            let block = self.block_around(d, at)?;
            rank = rank * section::size(self.grid[d]) + block.number;
            element = element * section::size(block.end - block.begin) + section::size(at - block.begin);
        }
        Some((rank, element))
    }

    /// Calls `visit` with every rank that holds elements of `section`, the part of the section that it holds, and its
    /// block; in the order of ranks. Stops at the first error.
    ///
    /// # Errors
    /// What `visit` returns.
    pub(crate) fn for_each_owner<E>(
        &self,
        section: &Section,
        mut visit: impl FnMut(usize, &Section, &Section) -> Result<(), E>,
    ) -> Result<(), E> {
        if section.is_empty() {
            return Ok(());
        }
        let dims = self.grid.len();
        let (mut first, mut last) = (self.grid, self.grid);
        for d in 0..dims {
            first[d] = self.block_along(d, section.lo()[d]) as u64;
            last[d] = self.block_along(d, section.hi()[d] - 1) as u64;
        }
        let mut at = first;
        loop {
            let block = self.block_at(&at);
            if first == last {
                let rank = (0..dims).fold(0, |rank, d| rank * self.grid[d] + at[d]);
                return visit(section::size(rank), section, &block);
            }
            if let Some(part) = section.clipped_to(&block) {
                let rank = (0..dims).fold(0, |rank, d| rank * self.grid[d] + at[d]);
                visit(section::size(rank), &part, &block)?;
            }
            // The next coordinates in row-major order between first and last.
            let Some(d) = (0..dims).rev().find(|&d| at[d] < last[d]) else { return Ok(()) };
            at[d] += 1;
            at[d + 1..].copy_from_slice(&first[d + 1..]);
        }
    }

    /// The ranks that hold elements of `section`, each with its part of it, in the order of ranks.
    pub fn owners_of(&self, section: &Section) -> Vec<(usize, Section)> {
        let mut owners = vec![];
        self.each_owner(section, |rank, part, _| owners.push((rank, *part)));
        owners
    }

    /// As [`for_each_owner`](Self::for_each_owner), to the last.
    pub(crate) fn each_owner(&self, section: &Section, mut visit: impl FnMut(usize, &Section, &Section)) {
        let visited: Result<(), std::convert::Infallible> =
            self.for_each_owner(section, |rank, part, block| {
                visit(rank, part, block);
                Ok(())
            });
        let Ok(()) = visited;
    }
}

/// Where `blocks` blocks of whole chunks begin, the larger ones first; and the extent.
fn even_starts(extent: u64, chunk: u64, blocks: u64) -> Vec<u64> {
    let chunks = extent.div_ceil(chunk);
    let (each, more) = (chunks / blocks, chunks % blocks);
    (0..=blocks).map(|block| ((block * each + block.min(more)) * chunk).min(extent)).collect()
}

/// The best grid of the largest possible number of blocks up to `ranks`.
fn best_grid(shape: &Shape, blocks_max: &[u64], ranks: u64) -> Shape {
    (1..=ranks)
        .rev()
        .find_map(|blocks| {
            let mut search = Search { shape, blocks_max, grid: *shape, best: None };
            search.cut(0, blocks);
            search.best.map(|(_, grid)| grid)
        })
        .expect("one block always fits")
}

/// A search over all factorisations of a number of blocks.
struct Search<'a> {
    shape: &'a Shape,
    blocks_max: &'a [u64],
    grid: Shape,
    best: Option<((u64, f64), Shape)>,
}

impl Search<'_> {
    /// Tries every number of blocks along `dim`, many first, and the rest of `blocks` along the dimensions after it.
    fn cut(&mut self, dim: usize, blocks: u64) {
        if dim == self.shape.len() {
            if blocks == 1 {
                self.consider();
            }
            return;
        }
        for count in
            (1..=blocks.min(self.blocks_max[dim])).rev().filter(|&count| blocks.is_multiple_of(count))
        {
            self.grid[dim] = count;
            self.cut(dim + 1, blocks / count);
        }
    }

    fn consider(&mut self) {
        let cost = (self.largest_block(), self.surface());
        if self.best.is_none_or(|(best, _)| cost < best) {
            self.best = Some((cost, self.grid));
        }
    }

    fn largest_block(&self) -> u64 {
        self.shape
            .iter()
            .zip(self.grid.iter())
            .fold(1, |product: u64, (&extent, &blocks)| product.saturating_mul(extent.div_ceil(blocks)))
    }

    /// Half the surface of a block in units of its volume.
    #[expect(clippy::cast_precision_loss, reason = "only compared")]
    fn surface(&self) -> f64 {
        self.shape.iter().zip(self.grid.iter()).map(|(&extent, &blocks)| blocks as f64 / extent as f64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(extents: &[u64]) -> Shape {
        Shape::new(extents).unwrap()
    }

    fn regular(extents: &[u64], ranks: usize, chunk: &[u64]) -> Distribution {
        Distribution::regular(&shape(extents), ranks, chunk)
    }

    /// Every element has exactly one owner, and all ways to ask agree.
    fn check(distribution: &Distribution, ranks: usize) {
        let whole = Section::whole(distribution.shape()).unwrap();
        let mut owned = 0;
        for rank in 0..ranks {
            let Some(block) = distribution.block_of(rank) else { continue };
            owned += block.len();
            for (number, index) in block.indices().enumerate() {
                assert_eq!(distribution.owner_of(&index), rank);
                assert_eq!(distribution.place_of(&index), Some((rank, number)));
            }
            assert_eq!(distribution.owners_of(&block), [(rank, block)]);
        }
        assert_eq!(owned, whole.len());
        assert_eq!(distribution.place_of(distribution.shape()), None);
        assert_eq!(distribution.owners_of(&whole).iter().map(|(_, part)| part.len()).sum::<u64>(), owned);
    }

    #[test]
    fn every_element_has_one_owner_on_any_number_of_ranks() {
        for ranks in 1..=13 {
            for extents in
                [&[1][..], &[7], &[100], &[3, 5], &[1, 40], &[6, 6, 6], &[2, 1, 3, 2], &[1, 2, 1, 2, 1, 2, 1]]
            {
                check(&regular(extents, ranks, &[]), ranks);
            }
        }
    }

    #[test]
    fn a_square_on_four_ranks_is_cut_in_four_squares() {
        assert_eq!(regular(&[100, 100], 4, &[]).grid(), [2, 2]);
    }

    #[test]
    fn two_ranks_cut_the_slower_dimension() {
        assert_eq!(regular(&[100, 100], 2, &[]).grid(), [2, 1]);
        assert_eq!(regular(&[10, 1000], 2, &[]).grid(), [1, 2]);
    }

    #[test]
    fn a_chunk_keeps_a_dimension_whole() {
        assert_eq!(regular(&[100, 100], 4, &[100]).grid(), [1, 4]);
        assert_eq!(regular(&[100, 100], 4, &[0, 1000]).grid(), [4, 1]);
        assert_eq!(regular(&[100, 100], 4, &[100, 100]).grid(), [1, 1]);
    }

    #[test]
    fn more_ranks_than_elements_leave_some_without() {
        let distribution = regular(&[3, 1], 7, &[]);
        assert_eq!(distribution.grid(), [3, 1]);
        assert_eq!(distribution.block_of(3), None);
        assert_eq!(distribution.coordinates_of(6), None);
    }

    #[test]
    fn blocks_differ_by_one_at_most_and_the_first_are_larger() {
        assert_eq!(regular(&[10], 4, &[]).starts(0), [0, 3, 6, 8]);
    }

    #[test]
    fn blocks_are_multiples_of_a_chunk() {
        assert_eq!(regular(&[10], 2, &[4]).starts(0), [0, 8]);
        assert_eq!(regular(&[10], 3, &[4]).starts(0), [0, 4, 8]);
        assert_eq!(regular(&[10], 4, &[4]).starts(0), [0, 4, 8]);
    }

    #[test]
    fn irregular_blocks_may_be_empty_and_must_cover_the_array_in_order() {
        let distribution = Distribution::irregular(&shape(&[10, 4]), 4, &[vec![0, 3], vec![0, 4]]).unwrap();
        check(&distribution, 4);
        assert_eq!(distribution.block_of(1), None);
        check(&Distribution::irregular(&shape(&[10]), 4, &[vec![0, 3, 3, 9]]).unwrap(), 4);
        for bad in [
            vec![vec![1]],
            vec![vec![0, 5, 3]],
            vec![vec![0, 11]],
            vec![vec![]],
            vec![vec![0], vec![0]],
            vec![vec![0, 1, 2, 3, 4]],
        ] {
            assert!(Distribution::irregular(&shape(&[10]), 4, &bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn arrays_far_beyond_memory_are_distributed() {
        let distribution = regular(&[1 << 40, 3], 7, &[]);
        assert_eq!(distribution.owner_of(&[(1 << 40) - 1, 2]), 6);
    }
}
