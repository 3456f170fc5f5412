//! How a section of an array is cut into tiles.
//!
//! A tile is made of whole bricks where they fit in the memory there is: as many in a row as possible, because neighbours in
//! row-major order are neighbours in files of other formats. Of a brick that does not fit a tile has some of the slowest
//! indices, which are contiguous in the brick.

use section::{BrickGrid, Section, Shape};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The tiles that cover a section, in an order that walks the files of the array.
#[derive(Debug)]
pub(crate) struct Tiles {
    grid: BrickGrid,
    section: Section,
    which: Which,
}

#[derive(Debug)]
enum Which {
    /// All in a box of the grid, from a position on.
    All { within: Section, position: u64 },
    /// Those that meet a shard, which are few for each shard.
    Meeting(Box<Meeting>),
    /// Those whose numbers are listed.
    Listed(std::collections::btree_set::IntoIter<u64>),
}

/// A walk over the tiles of one shard after the other.
#[derive(Debug)]
struct Meeting {
    shards: Shards,
    /// Which of the shards is next.
    next: usize,
    /// The tiles of the present one, as a box of the grid, and a position in it.
    within: Option<(Section, u64)>,
}

impl Meeting {
    /// The coordinates of the next tile that is in `section`.
    fn next(&mut self, grid: &BrickGrid, section: &Section) -> Option<Shape> {
        loop {
            let Some((tiles, position)) = self.within.as_mut().filter(|(tiles, at)| *at < tiles.len()) else {
                let number = *self.shards.numbers.get(self.next)?;
                self.next += 1;
                self.within = self.shards.elements(number, section).map(|part| (grid.meeting(&part), 0));
                continue;
            };
            let at = nth(tiles, *position);
            *position += 1;
            // A tile between shards is that of the first.
            let tile = section.clipped_to(&grid.elements(&at));
            let owner = tile.and_then(|tile| self.shards.first_of(&tile));
            if owner == Some(self.shards.numbers[self.next - 1]) {
                return Some(at);
            }
        }
    }
}

/// The shards that there are.
#[derive(Debug)]
struct Shards {
    grid: BrickGrid,
    numbers: Arc<Vec<u64>>,
}

impl Shards {
    /// The elements of a shard that are in `section`.
    fn elements(&self, number: u64, section: &Section) -> Option<Section> {
        section.clipped_to(&self.grid.elements(&self.grid.coordinates(number)))
    }

    /// The first of those that meet a tile.
    fn first_of(&self, tile: &Section) -> Option<u64> {
        let numbers = self.grid.meeting(tile).indices().map(|at| self.grid.number(&at));
        numbers.into_iter().find(|number| self.numbers.binary_search(number).is_ok())
    }
}

impl Tiles {
    /// All tiles of `section` of an array with these extents, in tiles of at most about `bytes_max`.
    pub(crate) fn all(section: &Section, shape: TileShape<'_>) -> section::Result<Self> {
        let grid = BrickGrid::new(shape.dims, &shape.choose(section))?;
        let within = grid.meeting(section);
        Ok(Self { grid, section: *section, which: Which::All { within, position: 0 } })
    }

    /// Those in which there is anything but fill values: that meet one of the shards `numbers` (ascending), which have the
    /// extents `shard` in elements.
    pub(crate) fn stored(
        section: &Section,
        shape: TileShape<'_>,
        shard: &Shape,
        numbers: &Arc<Vec<u64>>,
    ) -> section::Result<Self> {
        let tile = shape.choose(section);
        let grid = BrickGrid::new(shape.dims, &tile)?;
        let shards = Shards { grid: BrickGrid::new(shape.dims, shard)?, numbers: Arc::clone(numbers) };
        let small = (0..tile.len()).any(|d| shard[d] < tile[d]);
        let which = if small {
            Which::Listed(meeting_small(&grid, section, &shards).into_iter())
        } else {
            Which::Meeting(Box::new(Meeting { shards, next: 0, within: None }))
        };
        Ok(Self { grid, section: *section, which })
    }

    /// Whether no brick is in two tiles.
    pub(crate) fn have_whole_bricks(&self, bricks: &BrickGrid) -> bool {
        let (tile, brick, dims) = (self.grid.brick(), bricks.brick(), bricks.array());
        (0..dims.len()).all(|d| tile[d] >= dims[d] || tile[d].is_multiple_of(brick[d]))
    }

    fn tile(&self, coordinates: &[u64]) -> Option<Section> {
        self.section.clipped_to(&self.grid.elements(coordinates))
    }
}

/// The tiles that meet shards which are smaller, so that a tile meets many: as many numbers as there are files, at most a few
/// times.
fn meeting_small(grid: &BrickGrid, section: &Section, shards: &Shards) -> BTreeSet<u64> {
    let parts = shards.numbers.iter().filter_map(|&number| shards.elements(number, section));
    parts
        .flat_map(|part| grid.meeting(&part).indices().map(|at| grid.number(&at)).collect::<Vec<_>>())
        .collect()
}

/// The coordinates of place `position` in a box, in row-major order.
fn nth(within: &Section, position: u64) -> Shape {
    let counts = within.counts();
    let (mut at, mut rest) = (counts, position);
    for d in (0..counts.len()).rev() {
        at[d] = within.lo()[d] + rest % counts[d];
        rest /= counts[d];
    }
    at
}

impl Iterator for Tiles {
    type Item = Section;

    fn next(&mut self) -> Option<Section> {
        loop {
            let coordinates = match &mut self.which {
                Which::All { within, position } => {
                    if *position >= within.len() {
                        return None;
                    }
                    *position += 1;
                    nth(within, *position - 1)
                }
                Which::Listed(numbers) => self.grid.coordinates(numbers.next()?),
                Which::Meeting(meeting) => meeting.next(&self.grid, &self.section)?,
            };
            if let Some(tile) = self.tile(&coordinates) {
                return Some(tile);
            }
        }
    }
}

/// What decides on the shape of tiles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileShape<'a> {
    /// The extents of the array.
    pub(crate) dims: &'a Shape,
    /// Those of a brick.
    pub(crate) brick: &'a Shape,
    pub(crate) element_bytes: u64,
    /// How many bytes a tile may have; one element at least.
    pub(crate) bytes_max: u64,
}

impl TileShape<'_> {
    /// The extents of tiles for `section`.
    fn choose(&self, section: &Section) -> Shape {
        let counts = section.counts();
        let dims = self.dims.len();
        let elements_max = (self.bytes_max / self.element_bytes).max(1);
        let mut tile = Shape::from_fn(dims, |d| self.brick[d].min(self.dims[d]).max(1));
        // Elements of the section in a tile.
        let held = |tile: &Shape, d: usize| tile[d].min(counts[d]).max(1);
        let all = |tile: &Shape| (0..dims).fold(1u64, |product, d| product.saturating_mul(held(tile, d)));
        for d in 0..dims {
            let others = all(&tile) / held(&tile, d);
            if others.saturating_mul(held(&tile, d)) > elements_max {
                tile[d] = (elements_max / others).clamp(1, tile[d]);
            }
        }
        for d in (0..dims).rev() {
            let others = all(&tile) / held(&tile, d);
            let bricks = (elements_max / others / tile[d]).max(1);
            tile[d] = tile[d].saturating_mul(bricks).min(self.dims[d].max(1));
            if held(&tile, d) < counts[d] {
                break;
            }
        }
        tile
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(values: &[u64]) -> Shape {
        Shape::new(values).unwrap()
    }

    fn chosen(dims: &[u64], brick: &[u64], section: &Section, elements_max: u64) -> Vec<u64> {
        let (dims, brick) = (shape(dims), shape(brick));
        let shape = TileShape { dims: &dims, brick: &brick, element_bytes: 8, bytes_max: 8 * elements_max };
        shape.choose(section).to_vec()
    }

    #[test]
    fn a_tile_has_whole_bricks_in_a_row_and_no_more_than_fit() {
        let all = Section::whole(&[1000, 1000]).unwrap();
        assert_eq!(chosen(&[1000, 1000], &[100, 100], &all, 10_000), [100, 100]);
        assert_eq!(chosen(&[1000, 1000], &[100, 100], &all, 55_000), [100, 500]);
        assert_eq!(chosen(&[1000, 1000], &[100, 100], &all, 250_000), [200, 1000]);
        assert_eq!(chosen(&[1000, 1000], &[100, 100], &all, 1 << 60), [1000, 1000]);
    }

    #[test]
    fn of_a_brick_that_does_not_fit_a_tile_has_some_of_the_slowest_indices() {
        let all = Section::whole(&[1000, 1000]).unwrap();
        assert_eq!(chosen(&[1000, 1000], &[1000, 1000], &all, 9_999), [9, 1000]);
        assert_eq!(chosen(&[1000, 1000], &[1000, 1000], &all, 300), [1, 300]);
        assert_eq!(chosen(&[1000, 1000], &[1000, 1000], &all, 0), [1, 1]);
    }

    #[test]
    fn for_a_slice_only_what_it_holds_counts() {
        let slice = Section::new(&[7, 0], &[8, 1000]).unwrap();
        assert_eq!(chosen(&[1000, 1000], &[100, 100], &slice, 500), [100, 500]);
    }

    /// Every element of the section is in one tile, and tiles are in the section.
    fn expect_cover(tiles: Tiles, section: &Section, expected: impl Fn(&[u64]) -> bool) {
        let mut seen = BTreeSet::new();
        for tile in tiles {
            for index in tile.indices() {
                assert!(seen.insert(index.to_vec()), "{index:?} twice");
            }
        }
        for index in section.indices() {
            assert!(!expected(&index) || seen.contains(&index.to_vec()), "{index:?} missing");
        }
        assert!(seen.len() as u64 <= section.len());
    }

    #[test]
    fn tiles_cover_what_is_stored_once_whatever_their_size() {
        let (dims, brick, shard) = (shape(&[11, 13]), shape(&[2, 3]), shape(&[4, 6]));
        let numbers = Arc::new(vec![0, 4, 5, 8]);
        let grid = BrickGrid::new(&dims, &shard).unwrap();
        for section in [Section::whole(&dims).unwrap(), Section::new(&[3, 5], &[10, 6]).unwrap()] {
            for bytes_max in [8, 24, 48, 200, 500, 10_000] {
                let tile = TileShape { dims: &dims, brick: &brick, element_bytes: 8, bytes_max };
                expect_cover(Tiles::all(&section, tile).unwrap(), &section, |_| true);
                let stored = |index: &[u64]| numbers.contains(&grid.number(&[index[0] / 4, index[1] / 6]));
                expect_cover(Tiles::stored(&section, tile, &shard, &numbers).unwrap(), &section, stored);
            }
        }
    }

    #[test]
    fn an_array_of_which_nearly_nothing_is_stored_has_few_tiles_however_large_it_is() {
        let (dims, brick) = (shape(&[1 << 40, 1 << 19]), shape(&[1 << 10, 1 << 10]));
        let numbers = Arc::new(vec![5, 1 << 38]);
        let tile = TileShape { dims: &dims, brick: &brick, element_bytes: 8, bytes_max: 8 << 20 };
        let whole = Section::whole(&dims).unwrap();
        assert_eq!(Tiles::stored(&whole, tile, &brick, &numbers).unwrap().count(), 2);
        let large = TileShape { bytes_max: 128 << 20, ..tile };
        assert_eq!(Tiles::stored(&whole, large, &brick, &numbers).unwrap().count(), 2);
    }

    #[test]
    fn tiles_know_whether_they_have_whole_bricks() {
        let (dims, brick) = (shape(&[100, 100]), shape(&[30, 40]));
        let bricks = BrickGrid::new(&dims, &brick).unwrap();
        let whole = Section::whole(&dims).unwrap();
        let have = |elements_max: u64| {
            let tile =
                TileShape { dims: &dims, brick: &brick, element_bytes: 8, bytes_max: 8 * elements_max };
            Tiles::all(&whole, tile).unwrap().have_whole_bricks(&bricks)
        };
        assert!(have(1200) && have(4000) && have(10_000) && !have(1199) && !have(10));
    }

    #[test]
    fn an_array_without_elements_has_no_tiles() {
        let (dims, brick) = (shape(&[0, 6]), shape(&[2, 3]));
        let tile = TileShape { dims: &dims, brick: &brick, element_bytes: 8, bytes_max: 100 };
        assert_eq!(Tiles::all(&Section::whole(&dims).unwrap(), tile).unwrap().count(), 0);
    }
}
