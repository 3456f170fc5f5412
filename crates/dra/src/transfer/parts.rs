//! The parts of bricks that one rank moves.

use crate::array::OpenArray;
use crate::format::BrickPlace;
use crate::transfer::unit::Piece;
use section::{Section, Shape};
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
            is_whole: self.section == self.brick,
        }
    }
}

/// The parts of a section that this rank owns, in row-major order of their bricks: as they lie on disk.
pub(super) struct Parts {
    coordinates: Option<Peekable<Box<dyn Iterator<Item = Shape> + Send>>>,
    section: Section,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "parts of {}", self.section)
    }
}

impl Parts {
    pub(super) fn new(array: &OpenArray, section: &Section) -> Self {
        let layout = *array.directory.layout();
        let some = !section.is_empty() && array.owners.is_io_process(array.rank);
        let (owners, rank) = (array.owners.clone(), array.rank);
        let coordinates = some.then(|| -> Box<dyn Iterator<Item = Shape> + Send> {
            let met = layout.bricks().meeting(section).indices();
            Box::new(met.filter(move |coordinates| {
                owners.is_owner(rank, coordinates, layout.place(coordinates).shard)
            }))
        });
        Self { coordinates: coordinates.map(Iterator::peekable), section: *section }
    }

    /// Whether there are none left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.coordinates.as_mut().is_none_or(|left| left.peek().is_none())
    }

    pub(super) fn next(&mut self, array: &OpenArray) -> Option<Part> {
        let coordinates = self.coordinates.as_mut()?.next()?;
        let layout = array.directory.layout();
        let brick = layout.bricks().elements(&coordinates);
        let section =
            self.section.clipped_to(&brick).expect("only bricks that the section meets are visited");
        Some(Part { place: layout.place(&coordinates), section, brick })
    }
}
