//! How much of a brick is moved for a part of it. Numbers only; nothing here touches a disk.
//!
//! Definitions. A *part* is the elements of a brick that a transfer moves. In the file it is a number of *runs* of equal
//! length; its *span* goes from the first to after the last of them. Moving the span costs its bytes; moving the runs by
//! themselves costs theirs and, for each, what the device could move in the time of an access: [`ACCESS_BYTES`]. The cheaper
//! is taken. A span that is written is read first, unless it holds no elements but those of the part.

use section::{Layout, Runs, Section, Shape, size};
use std::ops::Range;

/// What a device moves in the time that one more access takes. A measured order of magnitude; nothing but speed hangs on it.
const ACCESS_BYTES: u64 = 64 << 10;
/// Spans begin and end on pages, where the brick allows it, so that they can go around the page cache.
const PAGE_BYTES: u64 = 4096;

/// What is moved between a file and a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// These bytes of the brick, to their places in a buffer of the brick's extents.
    Span(Range<u64>),
    /// The runs, one after the other in the buffer: offsets in the brick and length, in bytes.
    Runs(Vec<u64>, u64),
}

/// A part of a brick, and the brick.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The part, relative to the brick.
    pub(super) part: Section,
    /// The extents of a brick.
    pub(super) brick: Shape,
    pub(super) element_bytes: u64,
    /// Bytes of a brick, with what may be written behind it before the next one.
    pub(super) room_bytes: u64,
}

impl Piece {
    fn runs(&self) -> Runs {
        let counts = self.part.counts();
        Runs::new(&counts, &Layout::dense(&counts), &Layout::dense(&self.brick))
    }

    fn first_byte(&self) -> u64 {
        Layout::dense(&self.brick).offset(self.part.lo()) as u64 * self.element_bytes
    }

    /// From the first to after the last byte of the part.
    fn extent(&self) -> Range<u64> {
        let first = self.first_byte();
        let span = Layout::dense(&self.brick).span(&self.part.counts()) as u64;
        first..first + span * self.element_bytes
    }

    fn span(&self) -> Unit {
        let Range { start, end } = self.extent();
        let end = end.next_multiple_of(PAGE_BYTES).min(self.room_bytes);
        Unit::Span(start / PAGE_BYTES * PAGE_BYTES..end)
    }

    fn by_runs(&self) -> Unit {
        let (first, mut offsets) = (self.first_byte(), vec![]);
        let runs = self.runs();
        runs.for_each(|_, at, _| offsets.push(first + at as u64 * self.element_bytes));
        Unit::Runs(offsets, runs.run_len() as u64 * self.element_bytes)
    }

    fn runs_are_cheaper(&self) -> bool {
        let extent = self.extent();
        let bytes = self.part.len() * self.element_bytes;
        let accesses = (self.runs().count() as u64).saturating_mul(ACCESS_BYTES);
        bytes.saturating_add(accesses) < extent.end - extent.start
    }

    /// What to read for the part.
    pub(super) fn read_unit(&self) -> Unit {
        if self.runs_are_cheaper() { self.by_runs() } else { self.span() }
    }

    /// What to write for the part, and whether that has to be read before. `whole`: the brick has no other elements.
    pub(super) fn write_unit(&self, whole: bool) -> (Unit, bool) {
        if whole {
            let Range { end, .. } = self.extent();
            return (Unit::Span(0..end.next_multiple_of(PAGE_BYTES).min(self.room_bytes)), false);
        }
        // One run needs nothing of its neighbours: the page cache merges the pages at its ends.
        if self.runs().count() == 1 || self.runs_are_cheaper() {
            return (self.by_runs(), false);
        }
        (self.span(), true)
    }

    /// Where in a buffer for `unit` the first element of the part is, in bytes, and the extents of the array in that buffer.
    pub(super) fn place_in_buffer(&self, unit: &Unit) -> (usize, Shape) {
        match unit {
            Unit::Span(_) => (size(self.first_byte()), self.brick),
            Unit::Runs(..) => (0, self.part.counts()),
        }
    }
}

impl Unit {
    /// Which bytes of a buffer are moved.
    pub(super) fn in_buffer(&self) -> Range<usize> {
        match self {
            Self::Span(bytes) => size(bytes.start)..size(bytes.end),
            Self::Runs(offsets, len_bytes) => 0..offsets.len() * size(*len_bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A part of a brick of 256 x 512 doubles, 1 MiB.
    fn piece(lo: [u64; 2], hi: [u64; 2]) -> Piece {
        let (part, brick) = (Section::new(&lo, &hi).unwrap(), Shape::new(&[256, 512]).unwrap());
        Piece { part, brick, element_bytes: 8, room_bytes: 1 << 20 }
    }

    #[test]
    fn whole_bricks_are_written_without_reading_and_as_far_as_they_have_elements() {
        assert_eq!(piece([0, 0], [256, 512]).write_unit(true), (Unit::Span(0..1 << 20), false));
        assert_eq!(piece([0, 0], [10, 512]).write_unit(true), (Unit::Span(0..10 * 4096), false));
        assert_eq!(piece([0, 0], [10, 100]).write_unit(true), (Unit::Span(0..10 * 4096), false));
    }

    #[test]
    fn many_short_runs_are_moved_with_what_is_between_them() {
        let narrow = piece([0, 10], [256, 20]);
        assert_eq!(narrow.read_unit(), Unit::Span(0..255 * 4096 + 4096));
        assert_eq!(narrow.write_unit(false), (Unit::Span(0..1 << 20), true));
        assert_eq!(narrow.place_in_buffer(&narrow.read_unit()), (80, narrow.brick));
    }

    #[test]
    fn a_few_runs_far_from_each_other_are_moved_alone() {
        // Two rows of 80 bytes in a brick of 16 MiB.
        let brick = Shape::new(&[2, 1 << 20]).unwrap();
        let part = Section::new(&[0, 5], &[2, 15]).unwrap();
        let sparse = Piece { part, brick, element_bytes: 8, room_bytes: 16 << 20 };
        let runs = Unit::Runs(vec![40, (8 << 20) + 40], 80);
        assert_eq!(sparse.read_unit(), runs);
        assert_eq!(sparse.write_unit(false), (runs.clone(), false));
        assert_eq!((runs.in_buffer(), sparse.place_in_buffer(&runs)), (0..160, (0, part.counts())));
    }

    #[test]
    fn one_run_is_written_as_it_is_and_read_by_pages() {
        let rows = piece([7, 0], [9, 512]);
        assert_eq!(rows.write_unit(false), (Unit::Runs(vec![7 * 4096], 8192), false));
        let row = piece([7, 1], [8, 3]);
        assert_eq!(row.write_unit(false), (Unit::Runs(vec![7 * 4096 + 8], 16), false));
        assert_eq!(row.read_unit(), Unit::Span(7 * 4096..8 * 4096));
    }

    #[test]
    fn no_page_beyond_the_room_of_a_brick_is_moved() {
        let (part, brick) = (Section::new(&[0], &[3]).unwrap(), Shape::new(&[3]).unwrap());
        let small = Piece { part, brick, element_bytes: 8, room_bytes: 24 };
        assert_eq!(small.write_unit(true), (Unit::Span(0..24), false));
        assert_eq!(small.read_unit(), Unit::Span(0..24));
    }
}
