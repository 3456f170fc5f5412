//! The pieces of bricks that a tile has: ranges of elements that are contiguous in their brick, and so in a file.

use crate::scan::TRANSFER_BYTES;
use disk_array::format::{ArrayLayout, BrickPlace};
use section::{Layout, Runs, Section, Shape, size};
use std::ops::Range;

/// Elements of one brick, some of which are in the tile.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) place: BrickPlace,
    /// The first index of the brick.
    origin: Shape,
    /// Of the elements in the brick, in its order.
    pub(crate) elements: Range<u64>,
}

/// All pieces of a tile, brick by brick in row-major order. Of a brick of which the tile has little, pieces are small, and those
/// without an element of the tile are left out.
pub(crate) fn of_tile<'a>(layout: &'a ArrayLayout, tile: &'a Section) -> impl Iterator<Item = Piece> + 'a {
    let bricks = layout.bricks();
    let met = (!tile.is_empty()).then(|| bricks.meeting(tile).indices()).into_iter().flatten();
    met.filter_map(move |at| tile.clipped_to(&bricks.elements(&at)).map(|part| (at, part)))
        .flat_map(move |(at, part)| of_brick(layout, &at, &part))
}

fn of_brick(layout: &ArrayLayout, at: &Shape, part: &Section) -> Vec<Piece> {
    let brick = *layout.bricks().brick();
    let origin = Shape::from_fn(at.len(), |d| at[d] * brick[d]);
    let place = layout.place(at);
    let order = Layout::dense(&brick);
    let first = order.offset_from(&origin, part.lo()) as u64;
    let span = order.span(&part.counts()) as u64;
    let sparse = span > 2 * part.len();
    let bytes = if sparse { TRANSFER_BYTES / 32 } else { TRANSFER_BYTES };
    let step = (bytes / layout.data_type().bytes()).max(1);
    let piece = |begin: u64| Piece { place, origin, elements: begin..(begin + step).min(first + span) };
    let pieces = (0..span.div_ceil(step)).map(|number| piece(first + number * step));
    pieces.filter(|piece| !sparse || piece.boxes(&brick, part).next().is_some()).collect()
}

impl Piece {
    /// The boxes of elements that it has of a section.
    fn boxes(&self, brick: &Shape, section: &Section) -> impl Iterator<Item = Section> {
        let hi = Shape::from_fn(brick.len(), |d| self.origin[d] + brick[d]);
        let (section, elements) = (*section, self.elements.clone());
        Section::between(self.origin, hi)
            .boxes_of_range(elements)
            .into_iter()
            .filter_map(move |part| section.clipped_to(&part))
    }

    /// Bytes of the piece in the brick.
    pub(crate) fn bytes(&self, element_bytes: u64) -> Range<u64> {
        self.elements.start * element_bytes..self.elements.end * element_bytes
    }

    /// Each run of elements that are neighbours in the piece and in the tile: where it begins in either, and how long it is, in
    /// bytes.
    pub(crate) fn each_run(
        &self,
        layout: &ArrayLayout,
        tile: &Section,
        mut visit: impl FnMut(usize, usize, usize),
    ) {
        let (brick, in_tile) = (*layout.bricks().brick(), Layout::dense(&tile.counts()));
        let element = size(layout.data_type().bytes());
        for part in self.boxes(&brick, tile) {
            let first = in_tile.offset(&part.place_in(tile)) * element;
            self.each_run_of(layout, &part, &in_tile, |piece_at, tile_at, len| {
                visit(piece_at, first + tile_at, len);
            });
        }
    }

    /// The same of elements that are neighbours in the piece, wherever they are in the tile: where they begin, and how many bytes they
    /// are.
    pub(crate) fn each_run_in_brick(
        &self,
        layout: &ArrayLayout,
        tile: &Section,
        mut visit: impl FnMut(usize, usize),
    ) {
        let brick = *layout.bricks().brick();
        for part in self.boxes(&brick, tile) {
            self.each_run_of(layout, &part, &Layout::dense(&brick), |piece_at, _, len| visit(piece_at, len));
        }
    }

    /// The runs of a box of the piece in another memory, which begins with the box.
    fn each_run_of(
        &self,
        layout: &ArrayLayout,
        part: &Section,
        other: &Layout,
        mut visit: impl FnMut(usize, usize, usize),
    ) {
        let (in_brick, element) = (Layout::dense(layout.bricks().brick()), size(layout.data_type().bytes()));
        let first = in_brick.offset_from(&self.origin, part.lo()) - size(self.elements.start);
        Runs::new(&part.counts(), &in_brick, other).for_each(|piece_at, other_at, len| {
            visit((first + piece_at) * element, other_at * element, len * element);
        });
    }
}
