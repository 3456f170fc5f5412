//! Which bytes of a brick are moved for a part of it. Numbers only; nothing here touches a disk.
//!
//! Definitions. A *part* is the elements of a brick that a transfer moves. In the file it is a number of *runs* of equal
//! length. What is moved are *ranges*: runs with what is between them where that is less than the device moves in the time of
//! one more access, [`GAP_BYTES`], from page to page, so that they can go around the page cache. In a buffer they are as far
//! from each other as in the brick, or packed, where that saves much of it. Where a range that is written holds more than the part, and the file may have data there, its pages
//! that are not all the part's are read first.

mod cut;
mod place;

pub(super) use cut::is_cut_at_pages;
pub(super) use place::{Place, packed_bytes};

use section::{Layout, Runs, Section, Shape};
use std::ops::Range;

/// What a device moves in the time that one more access takes: 4 KiB at random go at a quarter of the rate of a stream or less. A
/// measured order of magnitude; nothing but speed hangs on it.
pub const GAP_BYTES: u64 = 16 << 10;
const PAGE_BYTES: u64 = 4096;

/// Around runs that are shorter all is cleared at once.
const CLEARED_RUN_BYTES_MIN: u64 = 512;

/// Ranges of bytes, in order and apart.
pub(super) type Ranges = Vec<Range<u64>>;

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
    /// Where the brick has other elements.
    pub(super) others: Others,
    /// Whether it ends where the brick does, as far as there is an array.
    pub(super) is_last: bool,
    /// Whether it is one of several pieces: it shares no byte with the others, which may be written before or after it.
    pub(super) is_cut: bool,
}

/// Where a brick has elements that are not a part's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    /// Nowhere.
    None,
    /// Before its first one or behind its last one. Between them is only what is beyond the array.
    Outside,
    /// Between its elements, too.
    Between,
}

/// How a part is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Write {
    pub(super) ranges: Ranges,
    /// What of them has to be read before.
    pub(super) reads: Ranges,
    /// What of them has to be zero where the part is not.
    pub(super) zeros: Ranges,
}

impl Piece {
    fn runs(&self) -> Runs {
        let counts = self.part.counts();
        Runs::new(&counts, &Layout::dense(&counts), &Layout::dense(&self.brick))
    }

    /// Where in a buffer for the brick the first element of the part is.
    pub(super) fn first_byte(&self) -> u64 {
        Layout::dense(&self.brick).offset(self.part.lo()) as u64 * self.element_bytes
    }

    /// From the first to after the last byte of the part.
    pub(super) fn extent(&self) -> Range<u64> {
        let first = self.first_byte();
        let span = Layout::dense(&self.brick).span(&self.part.counts()) as u64;
        first..first + span * self.element_bytes
    }

    /// The bytes of its elements.
    pub(super) fn bytes(&self) -> u64 {
        self.part.len() * self.element_bytes
    }

    /// How many runs the part is in.
    pub(super) fn runs_count(&self) -> usize {
        self.runs().count()
    }

    /// Calls `visit` with the runs, in order, in bytes of the brick.
    pub(super) fn for_each_run(&self, mut visit: impl FnMut(Range<u64>)) {
        let (first, runs) = (self.first_byte(), self.runs());
        let run_bytes = runs.run_len() as u64 * self.element_bytes;
        runs.for_each(|_, at, _| {
            let start = first + at as u64 * self.element_bytes;
            visit(start..start + run_bytes);
        });
    }

    /// To whole pages, as far as the room of the brick goes.
    fn in_pages(&self, range: &Range<u64>) -> Range<u64> {
        let pages = pages(range);
        pages.start..pages.end.min(self.room_bytes)
    }

    /// What is moved for the part: its runs, joined.
    pub(super) fn ranges(&self) -> Ranges {
        let mut ranges = vec![];
        self.for_each_run(|run| join(&mut ranges, self.in_pages(&run)));
        ranges
    }

    /// What may be written of the brick: from the page of the first byte of the part to the page of the last one.
    pub(super) fn extent_in_pages(&self) -> Range<u64> {
        self.in_pages(&self.extent())
    }

    /// Whether it makes a difference to writing if there is data in [`extent_in_pages`](Self::extent_in_pages).
    pub(super) fn depends_on_data(&self) -> bool {
        self.others == Others::Between && self.runs_count() > 1
    }

    /// How the part is written; `has_data`: the file may have some in [`extent_in_pages`](Self::extent_in_pages).
    pub(super) fn write(&self, has_data: bool) -> Write {
        let (reads, zeros) = (vec![], vec![]);
        if !self.depends_on_data() {
            return self.write_alone();
        }
        let mut ranges = self.ranges();
        if self.is_cut {
            self.clip(&mut ranges, self.extent().end);
        }
        if !has_data {
            return Write { zeros: self.clearing(&ranges), ranges, reads };
        }
        let (reads, behind) =
            (self.not_all_ours(&ranges), self.brick_bytes()..ranges.last().map_or(0, |last| last.end));
        Write { ranges, reads, zeros: if behind.is_empty() { zeros } else { vec![behind] } }
    }

    /// Takes from ranges what is before the part, and what is behind it, if that goes beyond `room_end`.
    fn clip(&self, ranges: &mut Ranges, room_end: u64) {
        let extent = self.extent();
        if let Some(first) = ranges.first_mut() {
            first.start = extent.start;
        }
        if let Some(last) = ranges.last_mut()
            && last.end > room_end
        {
            last.end = extent.end;
        }
    }

    /// How a part is written that has nothing of others between its elements.
    fn write_alone(&self) -> Write {
        let (mut ranges, reads) = (self.ranges(), vec![]);
        if self.others == Others::None {
            return Write { zeros: self.clearing(&ranges), ranges, reads };
        }
        // The page cache merges the pages at its ends with those of its neighbours, if there are any.
        self.clip(&mut ranges, self.room_end());
        let leaves_gaps = self.runs_count() > 1 || ranges != [self.extent()];
        let zeros = if leaves_gaps { self.clearing(&ranges) } else { vec![] };
        Write { ranges, reads, zeros }
    }

    /// How far the brick has nothing of the array behind a part with no others between its elements.
    fn room_end(&self) -> u64 {
        if self.is_last {
            return self.room_bytes;
        }
        let (counts, brick) = (self.part.counts(), Layout::dense(&self.brick));
        let outermost = counts.iter().position(|&count| count > 1).unwrap_or(counts.len() - 1);
        // From the last element of its last row to the first one of the next row.
        let row = Shape::from_fn(counts.len(), |d| if d > outermost { counts[d] } else { 1 });
        let stride = self.brick[outermost + 1..].iter().product::<u64>();
        self.extent().end + (stride - brick.span(&row) as u64) * self.element_bytes
    }

    fn brick_bytes(&self) -> u64 {
        Layout::dense(&self.brick).span(&self.brick) as u64 * self.element_bytes
    }

    /// What of `ranges` has to be zero where nobody has written: what the part leaves, or all of it where that is faster.
    fn clearing(&self, ranges: &Ranges) -> Ranges {
        if self.runs().run_len() as u64 * self.element_bytes < CLEARED_RUN_BYTES_MIN {
            return ranges.clone();
        }
        let mut gaps = vec![];
        self.for_each_gap(ranges, |gap| gaps.push(gap));
        gaps
    }

    /// The pages in `ranges` that hold more than the part.
    fn not_all_ours(&self, ranges: &Ranges) -> Ranges {
        let (mut found, brick_bytes) = (vec![], self.brick_bytes());
        // There is nothing behind the brick.
        self.for_each_gap(ranges, |gap| note_gap(&mut found, &(gap.start..gap.end.min(brick_bytes))));
        if let Some(last) = found.last_mut() {
            last.end = last.end.min(self.room_bytes);
        }
        found
    }

    /// Calls `visit` with what of `ranges` is not the part's, in order.
    fn for_each_gap(&self, ranges: &Ranges, mut visit: impl FnMut(Range<u64>)) {
        let mut visit = |gap: Range<u64>| {
            if !gap.is_empty() {
                visit(gap);
            }
        };
        // What of the current range no run has come to yet.
        let (mut left, mut rest) = (ranges.iter().cloned(), 0..0);
        self.for_each_run(|run| {
            while run.start >= rest.end {
                visit(rest.clone());
                rest = left.next().expect("every run is in a range");
            }
            visit(rest.start..run.start);
            rest.start = run.end;
        });
        visit(rest);
    }
}

/// From an element of a brick to the next one along a dimension, in bytes.
fn stride_bytes(brick: &Shape, dim: usize, element_bytes: u64) -> u64 {
    brick[dim + 1..].iter().fold(element_bytes, |bytes, extent| bytes * extent)
}

/// Adds the pages of a gap, if there is one.
fn note_gap(found: &mut Ranges, gap: &Range<u64>) {
    if !gap.is_empty() {
        join(found, pages(gap));
    }
}

/// Adds a range that begins after the start of all others; to the last one if the gap is small.
fn join(ranges: &mut Ranges, range: Range<u64>) {
    match ranges.last_mut() {
        Some(last) if range.start <= last.end + GAP_BYTES => last.end = last.end.max(range.end),
        _ => ranges.push(range),
    }
}

/// The bytes in ranges.
pub(super) fn len_bytes(ranges: &Ranges) -> u64 {
    ranges.iter().map(len_of).sum()
}

/// The pages from the first to the last of ranges.
pub(super) fn window(ranges: &Ranges) -> Range<u64> {
    let start = ranges.first().map_or(0, |first| pages(first).start);
    start..ranges.last().map_or(start, |last| pages(last).end)
}

fn len_of(range: &Range<u64>) -> u64 {
    range.end - range.start
}

/// The pages that a range lies in.
fn pages(range: &Range<u64>) -> Range<u64> {
    range.start / PAGE_BYTES * PAGE_BYTES..range.end.next_multiple_of(PAGE_BYTES)
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // one range is what is meant
mod tests {
    use super::*;
    use proptest::prelude::*;
    use section::size;

    /// A part of a brick of 256 x 512 doubles, 1 MiB.
    pub(super) fn piece(lo: [u64; 2], hi: [u64; 2]) -> Piece {
        let (part, brick) = (Section::new(&lo, &hi).unwrap(), Shape::new(&[256, 512]).unwrap());
        Piece {
            part,
            brick,
            element_bytes: 8,
            room_bytes: 1 << 20,
            others: Others::Between,
            is_last: false,
            is_cut: false,
        }
    }

    /// What a write moves and reads before.
    fn moved(write: Write) -> (Ranges, Ranges) {
        (write.ranges, write.reads)
    }

    fn both(ranges: impl Into<Ranges>, reads: impl Into<Ranges>) -> (Ranges, Ranges) {
        (ranges.into(), reads.into())
    }

    #[test]
    fn whole_bricks_are_written_without_reading_and_as_far_as_they_have_elements() {
        // The rows of a part that is not as wide as the brick leave something between them, to the end of its last page.
        let gap = |row: u64| row * 4096 + 800..(row + 1) * 4096;
        let between: Ranges = (0..10).map(gap).collect();
        let cases =
            [([256, 512], 1 << 20, vec![]), ([10, 512], 10 * 4096, vec![]), ([10, 100], 10 * 4096, between)];
        for (hi, end, zeros) in cases {
            let whole = Piece { others: Others::None, ..piece([0, 0], hi) };
            assert_eq!(whole.write(true), Write { ranges: vec![0..end], reads: vec![], zeros });
            assert!(!whole.depends_on_data());
        }
    }

    #[test]
    fn what_a_whole_brick_leaves_of_its_last_page_is_cleared_and_nothing_else() {
        let brick = Shape::new(&[400, 300]).unwrap();
        let whole = Piece {
            part: Section::new(&[0, 0], &[400, 300]).unwrap(),
            brick,
            room_bytes: 235 * 4096,
            others: Others::None,
            ..piece([0, 0], [1, 1])
        };
        let Write { ranges, reads, zeros } = whole.write(false);
        assert_eq!((ranges, reads, zeros), (vec![0..235 * 4096], vec![], vec![960_000..235 * 4096]));
    }

    #[test]
    fn runs_near_each_other_are_moved_with_what_is_between_them() {
        let narrow = piece([0, 10], [256, 20]);
        let all = vec![0..1 << 20];
        assert_eq!(narrow.ranges(), all);
        assert_eq!(narrow.write(true), Write { ranges: all.clone(), reads: all.clone(), zeros: vec![] });
        assert_eq!(narrow.write(false), Write { ranges: all.clone(), reads: vec![], zeros: all });
        assert_eq!(narrow.first_byte(), 80);
    }

    /// Two rows of so many elements from the fifth on, in a brick of 16 MiB.
    fn two_rows(count: u64) -> Piece {
        let brick = Shape::new(&[2, 1 << 20]).unwrap();
        let part = Section::new(&[0, 5], &[2, 5 + count]).unwrap();
        Piece { part, brick, room_bytes: 16 << 20, ..piece([0, 0], [1, 1]) }
    }

    #[test]
    fn runs_far_from_each_other_are_moved_alone_by_pages() {
        let sparse = two_rows(10);
        let pages = [0..4096, 8 << 20..(8 << 20) + 4096];
        assert_eq!(sparse.ranges(), pages);
        assert_eq!(moved(sparse.write(true)), both(pages.clone(), pages.clone()));
        assert_eq!(moved(sparse.write(false)), both(pages, []));
    }

    #[test]
    fn a_column_of_long_rows_is_written_by_pages_whether_or_not_there_is_data_between_them() {
        // The first element of each of 8 rows of 40,000 bytes.
        let (part, brick) = (Section::new(&[0, 0], &[8, 1]).unwrap(), Shape::new(&[8, 5000]).unwrap());
        let column = Piece { part, brick, room_bytes: 79 * 4096, ..piece([0, 0], [1, 1]) };
        assert_eq!(column.ranges().len(), 8);
        assert_eq!(moved(column.write(true)).0, column.ranges());
        assert_eq!(moved(column.write(false)), (column.ranges(), vec![]));
    }

    #[test]
    fn of_long_runs_only_the_pages_at_the_ends_are_read_before_they_are_written() {
        const MIB: u64 = 1 << 20;
        let (end, row) = (4 * MIB + 4096, 8 * MIB);
        let ranges = [0..end, row..row + end];
        let reads = [0..4096, 4 * MIB..end, row..row + 4096, row + 4 * MIB..row + end];
        assert_eq!(moved(two_rows(MIB / 2).write(true)), both(ranges, reads));
    }

    #[test]
    fn of_rows_that_leave_a_little_out_the_pages_where_they_meet_are_read_and_nothing_behind_the_brick() {
        // All of 8 rows of 5000 doubles but their first elements.
        let (part, brick) = (Section::new(&[0, 1], &[8, 5000]).unwrap(), Shape::new(&[8, 5000]).unwrap());
        let rows = Piece { part, brick, room_bytes: 79 * 4096, ..piece([0, 0], [1, 1]) };
        let Write { ranges, reads, zeros } = rows.write(true);
        assert_eq!(ranges, [0..79 * 4096]);
        let expected: Ranges = (0..8).map(|row| row * 40_000 / 4096 * 4096).map(|at| at..at + 4096).collect();
        assert_eq!(reads, expected);
        assert_eq!(zeros, [320_000..79 * 4096]);
    }

    #[test]
    fn whether_there_is_data_is_asked_of_all_that_is_written_without_reading() {
        // Far apart, near each other, and up to where the room of a brick ends within a page.
        let end = Piece {
            room_bytes: 2 * 8000,
            brick: Shape::new(&[2, 1000]).unwrap(),
            ..piece([0, 600], [2, 999])
        };
        for piece in [two_rows(10), two_rows(100_000), piece([3, 70], [90, 75]), end] {
            let Write { ranges, reads, .. } = piece.write(false);
            let (first, last) = (&ranges[0], &ranges[ranges.len() - 1]);
            assert!(piece.depends_on_data() && reads.is_empty());
            assert_eq!(piece.extent_in_pages(), first.start..last.end);
            assert!(first.start < piece.extent().start && piece.extent().end < last.end);
        }
    }

    #[test]
    fn one_run_is_written_as_it_is_and_read_by_pages() {
        let rows = piece([7, 0], [9, 512]);
        assert_eq!(moved(rows.write(true)), both([7 * 4096..9 * 4096], []));
        let row = piece([7, 1], [8, 3]);
        assert_eq!(moved(row.write(true)), both([7 * 4096 + 8..7 * 4096 + 24], []));
        assert_eq!(row.ranges(), [7 * 4096..8 * 4096]);
        assert!(!row.depends_on_data());
    }

    #[test]
    fn a_wide_gap_behind_the_rows_of_a_whole_brick_is_not_written() {
        // 8 of the rows of 40,000 bytes have 10,000 of them in the array.
        let brick = Shape::new(&[16, 5000]).unwrap();
        let part = Section::new(&[0, 0], &[8, 1250]).unwrap();
        let room_bytes = 157 * 4096;
        let whole = Piece { part, brick, room_bytes, others: Others::None, ..piece([0, 0], [1, 1]) };
        let Write { ranges, reads, zeros } = whole.write(true);
        let pages = |row: u64| super::pages(&(row * 40_000..row * 40_000 + 10_000));
        assert_eq!((&ranges, reads), (&(0..8).map(pages).collect(), vec![]));
        let rest = |row: u64| [pages(row).start..row * 40_000, row * 40_000 + 10_000..pages(row).end];
        let expected: Ranges = (0..8).flat_map(rest).filter(|gap| !gap.is_empty()).collect();
        assert_eq!(zeros, expected);
    }

    #[test]
    fn rows_with_nothing_of_others_behind_them_are_written_without_reading_and_no_page_of_other_rows() {
        // Rows 3 to 5 of those that have 100 of 512 elements in the array.
        let rows = Piece { others: Others::Outside, ..piece([3, 0], [6, 100]) };
        assert!(!rows.depends_on_data());
        let gaps = [3, 4, 5].map(|row| row * 4096 + 800..(row + 1) * 4096);
        let expected = Write { ranges: vec![3 * 4096..6 * 4096], reads: vec![], zeros: gaps.into() };
        assert_eq!((rows.write(true), rows.write(false)), (expected.clone(), expected));
        // Of rows of 2000 bytes two begin in the page in which the last one of the part ends.
        let brick = Shape::new(&[256, 250]).unwrap();
        let rows = Piece { brick, others: Others::Outside, ..piece([3, 0], [6, 200]) };
        let Write { ranges, zeros, .. } = rows.write(true);
        assert_eq!((&ranges[..], zeros), (&[6000..11_600][..], vec![7600..8000, 9600..10_000]));
    }

    /// Applies a write to bytes of a file: elements of the part become 1, what it clears 0, and what it reads stays.
    fn apply(piece: &Piece, write: &Write, file: &mut [u8]) {
        let before = file.to_vec();
        for range in &write.ranges {
            let read: Vec<usize> = write.reads.iter().flat_map(Clone::clone).map(size).collect();
            for at in range.clone().map(size) {
                // What is neither read nor cleared nor the part's would be what the buffer had before.
                let is_known = read.contains(&at);
                file[at] = if is_known { before[at] } else { 9 };
            }
        }
        for at in write.zeros.iter().flat_map(Clone::clone).map(size) {
            file[at] = 0;
        }
        piece.for_each_run(|run| run.map(size).for_each(|at| file[at] = 1));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Nobody has written to the brick, or somebody has everywhere; pieces are written in any order.
        #[test]
        fn pieces_change_nothing_of_each_other_or_of_what_others_have_written(
            dims in prop::collection::vec((1u64..30, 0u64..4, 1u64..30), 1..=3),
            element_bytes in prop::sample::select(vec![8u64, 64, 512]),
            has_data in any::<bool>(),
            order in any::<u64>(),
        ) {
            let brick = Shape::from_fn(dims.len(), |d| dims[d].0);
            let lo = Shape::from_fn(dims.len(), |d| dims[d].1.min(brick[d] - 1));
            let hi = Shape::from_fn(dims.len(), |d| (lo[d] + dims[d].2).min(brick[d]));
            let all = brick.iter().product::<u64>() * element_bytes;
            let room_bytes = all.next_multiple_of(PAGE_BYTES);
            prop_assume!(room_bytes <= 1 << 20);
            let part = Section::new(&lo, &hi).unwrap();
            let piece_of = |part: Section, is_cut| {
                let counts = part.counts();
                let outermost = counts.iter().position(|&count| count > 1).unwrap_or(counts.len());
                let others = match (outermost + 1..counts.len()).all(|d| counts[d] == brick[d]) {
                    _ if counts == brick => Others::None,
                    true => Others::Outside,
                    false => Others::Between,
                };
                let is_last = *part.hi() == brick[..];
                Piece { part, brick, element_bytes, room_bytes, others, is_last, is_cut }
            };
            let whole = piece_of(part, false);
            let cut = whole.cut(3 * PAGE_BYTES);
            let grid = section::BrickGrid::new(&part.counts(), &cut.unwrap_or(part.counts())).unwrap();
            let mut pieces: Vec<Piece> = (0..grid.count())
                .map(|number| grid.elements(&grid.coordinates(number)).shifted_by(part.lo()))
                .map(|section| piece_of(section, cut.is_some()))
                .collect();
            let count = pieces.len();
            pieces.rotate_left(size(order) % count);
            if order % 2 == 1 {
                pieces.reverse();
            }
            let mut file = vec![if has_data { 7 } else { 0 }; size(room_bytes)];
            for piece in &pieces {
                apply(piece, &piece.write(has_data), &mut file);
            }
            let mut is_ours = vec![false; size(room_bytes)];
            whole.for_each_run(|run| run.map(size).for_each(|at| is_ours[at] = true));
            for (at, (&found, &is_ours)) in file.iter().zip(&is_ours).enumerate().take(size(all)) {
                let expected = if is_ours { 1 } else if has_data { 7 } else { 0 };
                prop_assert_eq!(found, expected, "byte {} of {:?}", at, &pieces);
            }
        }
    }

    #[test]
    fn no_page_beyond_the_room_of_a_brick_is_moved() {
        let (part, brick) = (Section::new(&[0], &[3]).unwrap(), Shape::new(&[3]).unwrap());
        let small = Piece { part, brick, room_bytes: 24, others: Others::None, ..piece([0, 0], [1, 1]) };
        assert_eq!(moved(small.write(true)), both([0..24], []));
        assert_eq!(small.ranges(), [0..24]);
    }
}
