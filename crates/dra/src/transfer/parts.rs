//! The parts of bricks that one rank moves.

use crate::array::OpenArray;
use crate::format::BrickPlace;
use crate::transfer::unit::{Others, Piece};
use section::{BrickGrid, Section, Shape};
use std::fmt;
use std::iter::Peekable;

/// The elements of one brick that a transfer moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) place: BrickPlace,
    /// In the array.
    pub(super) section: Section,
    /// The elements of the brick that are in the array.
    brick: Section,
    /// Whether it is a piece of what is moved of the brick: all of it would not go into a buffer.
    is_cut: bool,
}

impl Part {
    /// As the choice of units needs it, in bricks with `room_bytes`.
    pub(super) fn piece(&self, array: &OpenArray, room_bytes: u64) -> Piece {
        let layout = array.directory.layout();
        Piece {
            part: self.section.relative_to(self.brick.lo()),
            brick: *layout.bricks().brick(),
            element_bytes: layout.data_type().bytes(),
            room_bytes,
            others: self.others(),
            is_last: self.section.hi() == self.brick.hi(),
            is_cut: self.is_cut,
        }
    }

    /// There are none between its elements if it has all of the brick in the dimensions that are faster than the first one in which it
    /// has more than one index.
    fn others(&self) -> Others {
        let (counts, of_brick) = (self.section.counts(), self.brick.counts());
        let outermost = counts.iter().position(|&count| count > 1).unwrap_or(counts.len());
        if counts == of_brick {
            Others::None
        } else if (outermost + 1..counts.len()).all(|d| counts[d] == of_brick[d]) {
            Others::Outside
        } else {
            Others::Between
        }
    }
}

/// The parts of a section that this rank owns, in row-major order of their bricks: as they lie on disk.
pub(super) struct Parts {
    coordinates: Option<Peekable<Box<dyn Iterator<Item = Shape> + Send>>>,
    section: Section,
    /// A part takes no more of a buffer.
    window_bytes: u64,
    /// What is left of the last brick.
    cut: Option<Peekable<Box<dyn Iterator<Item = Part> + Send>>>,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "parts of {}", self.section)
    }
}

impl Parts {
    /// Parts that take no more than `window_bytes` of a buffer, which is as long as a brick or more than two pages.
    pub(super) fn new(array: &OpenArray, section: &Section, window_bytes: u64) -> Self {
        let layout = *array.directory.layout();
        let some = !section.is_empty() && array.owners.is_io_process(array.rank);
        let (owners, rank) = (array.owners.clone(), array.rank);
        let coordinates = some.then(|| -> Box<dyn Iterator<Item = Shape> + Send> {
            let met = layout.bricks().meeting(section).indices();
            Box::new(met.filter(move |coordinates| {
                owners.is_owner(rank, coordinates, layout.place(coordinates).shard)
            }))
        });
        let coordinates = coordinates.map(Iterator::peekable);
        Self { coordinates, section: *section, window_bytes, cut: None }
    }

    /// Whether there are none left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.cut.as_mut().is_none_or(|left| left.peek().is_none())
            && self.coordinates.as_mut().is_none_or(|left| left.peek().is_none())
    }

    pub(super) fn next(&mut self, array: &OpenArray) -> Option<Part> {
        if let Some(part) = self.cut.as_mut().and_then(Iterator::next) {
            return Some(part);
        }
        let coordinates = self.coordinates.as_mut()?.next()?;
        let layout = array.directory.layout();
        let brick = layout.bricks().elements(&coordinates);
        let section =
            self.section.clipped_to(&brick).expect("only bricks that the section meets are visited");
        let part = Part { place: layout.place(&coordinates), section, brick, is_cut: false };
        let Some(cut) = part.piece(array, array.room_bytes()).cut(self.window_bytes) else {
            return Some(part);
        };
        self.cut = Some(pieces(&part, &cut).peekable());
        self.cut.as_mut().and_then(Iterator::next)
    }
}

/// The pieces of a part, of these extents.
fn pieces(part: &Part, cut: &Shape) -> Box<dyn Iterator<Item = Part> + Send> {
    let part = *part;
    let grid = BrickGrid::new(&part.section.counts(), cut).expect("extents of a part that is not empty");
    let all = Section::between(Shape::filled(cut.len(), 0), *grid.counts());
    Box::new(all.indices().map(move |coordinates| Part {
        section: grid.elements(&coordinates).shifted_by(part.section.lo()),
        is_cut: true,
        ..part
    }))
}
