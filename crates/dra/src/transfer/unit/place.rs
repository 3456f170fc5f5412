//! Where ranges of a brick are in a buffer.

use super::{PAGE_BYTES, Piece, Ranges, len_of, pages};
use section::size;
use std::ops::Range;

/// Where bytes of a brick are in a buffer: those that begin a page on disk begin one there too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::transfer) enum Place {
    /// As far from each other as in the brick, of which `brick_byte` is at `buffer_byte`.
    Window { brick_byte: u64, buffer_byte: usize },
    /// Some ranges, each in the pages behind those of the one before.
    Packed(Packed),
}

/// Ranges of a brick that are packed in a buffer, with room behind them for the elements of the part, without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::transfer) struct Packed {
    /// Where the first page of each range is: in the brick, and in the buffer.
    pages: Vec<(u64, usize)>,
    elements_byte: usize,
}

impl Place {
    /// The [`window`] of some ranges is at `buffer_byte`, which begins a page.
    pub(in crate::transfer) fn of_window(window: &Range<u64>, buffer_byte: usize) -> Self {
        Self::Window { brick_byte: window.start, buffer_byte }
    }

    /// Some ranges, from `buffer_byte` on, which begins a page. They and the elements take [`packed_bytes`].
    pub(in crate::transfer) fn packed(ranges: &Ranges, buffer_byte: usize) -> Self {
        let mut at = buffer_byte;
        let mut next = |range: &Range<u64>| {
            let (pages, here) = (pages(range), at);
            at += size(pages.end - pages.start);
            (pages.start, here)
        };
        let pages = ranges.iter().map(&mut next).collect();
        Self::Packed(Packed { pages, elements_byte: at })
    }

    /// A range of the brick that is moved, or lies within one that is.
    pub(in crate::transfer) fn of(&self, range: &Range<u64>) -> Range<usize> {
        let (brick_byte, buffer_byte) = match self {
            Self::Window { brick_byte, buffer_byte } => (*brick_byte, *buffer_byte),
            Self::Packed(packed) => packed.page_before(range.start),
        };
        let start = buffer_byte + size(range.start - brick_byte);
        start..start + size(len_of(range))
    }
}

impl Packed {
    /// The first page of the range that a byte is in.
    fn page_before(&self, brick_byte: u64) -> (u64, usize) {
        let behind = self.pages.partition_point(|(page, _)| *page <= brick_byte);
        self.pages[behind.checked_sub(1).expect("nothing is before the first range")]
    }

    /// Where the elements of the part are without gaps: the first of them.
    pub(in crate::transfer) fn elements_byte(&self) -> usize {
        self.elements_byte
    }
}

/// What a part takes of a buffer if its ranges are [packed](Place::packed).
pub(in crate::transfer) fn packed_bytes(ranges: &Ranges, piece: &Piece) -> u64 {
    let in_pages: u64 = ranges.iter().map(|range| len_of(&pages(range))).sum();
    in_pages + piece.bytes().next_multiple_of(PAGE_BYTES)
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // one range is what is meant
mod tests {
    use super::super::tests::piece;
    use super::super::window;
    use super::*;
    use section::{Section, Shape};

    #[test]
    fn in_a_buffer_shared_with_others_a_part_keeps_its_distances_and_its_place_in_a_page() {
        // Whole rows of 4 KiB, and some that are not.
        for (lo, hi, pages) in [([3, 0], [5, 512], 3..5), ([3, 10], [5, 100], 3..5), ([0, 0], [1, 1], 0..1)] {
            let piece = piece(lo, hi);
            let ranges = piece.write(false).ranges;
            let window = window(&ranges);
            assert_eq!(window, pages.start * PAGE_BYTES..pages.end * PAGE_BYTES);
            let place = Place::of_window(&window, 8192);
            let first = piece.first_byte();
            assert_eq!(place.of(&(first..first)).start, 8192 + size(first - window.start));
            assert!(ranges.iter().all(|range| place.of(range).len() == size(range.end - range.start)));
        }
    }

    #[test]
    fn ranges_far_from_each_other_are_packed_page_by_page_before_the_elements_of_their_part() {
        // The first five elements of each of 8 rows of 40,000 bytes: the third row begins in one page and ends in the next.
        let (part, brick) = (Section::new(&[0, 237], &[8, 242]).unwrap(), Shape::new(&[8, 5000]).unwrap());
        let column = Piece { part, brick, room_bytes: 79 * 4096, ..piece([0, 0], [1, 1]) };
        let ranges = column.ranges();
        let pages_of = |range: &Range<u64>| size((range.end - range.start) / PAGE_BYTES);
        let pages: usize = ranges.iter().map(pages_of).sum();
        assert_eq!((ranges.len(), pages), (8, 9));
        assert_eq!(packed_bytes(&ranges, &column), 10 * 4096);
        let place = Place::packed(&ranges, 8192);
        let mut at = 8192;
        for range in &ranges {
            assert_eq!(place.of(range), at..at + pages_of(range) * 4096);
            at += pages_of(range) * 4096;
        }
        let mut row = 0;
        column.for_each_run(|run| {
            let here = place.of(&run);
            assert_eq!((here.len(), here.start % 4096), (40, size(run.start % PAGE_BYTES)));
            assert!(place.of(&ranges[row]).start <= here.start && here.end <= place.of(&ranges[row]).end);
            row += 1;
        });
        let Place::Packed(packed) = place else { panic!("{place:?}") };
        assert_eq!(packed.elements_byte(), at);
    }
}
