//! Parts of bricks that are too large for a buffer, in pieces.

use super::{PAGE_BYTES, Piece, len_of, stride_bytes};
use section::Shape;

impl Piece {
    /// The extents of pieces of the part, each of which takes no more than `window_bytes` of a buffer, more than two pages; `None` if
    /// all of it does. They lie one after the other, and begin on pages where that can be.
    pub(in crate::transfer) fn cut(&self, window_bytes: u64) -> Option<Shape> {
        if len_of(&self.extent_in_pages()) <= window_bytes {
            return None;
        }
        let (counts, mut cut) = (self.part.counts(), self.part.counts());
        let bytes_max = window_bytes - 2 * PAGE_BYTES;
        for (d, &count) in counts.iter().enumerate() {
            let stride = stride_bytes(&self.brick, d, self.element_bytes);
            if count * stride <= bytes_max {
                break;
            }
            cut[d] = (bytes_max / stride).max(1);
            let in_pages = rows_in_pages(stride);
            if cut[d] > in_pages {
                cut[d] -= cut[d] % in_pages;
            }
            if stride <= bytes_max {
                break;
            }
        }
        Some(cut)
    }
}

/// How many rows of so many bytes are whole pages.
fn rows_in_pages(row_bytes: u64) -> u64 {
    PAGE_BYTES >> row_bytes.trailing_zeros().min(PAGE_BYTES.trailing_zeros())
}

/// Whether [`Piece::cut`] cuts parts of bricks that begin and end on pages into pieces that do.
pub(in crate::transfer) fn is_cut_at_pages(brick: &Shape, element_bytes: u64, window_bytes: u64) -> bool {
    if brick[0] * stride_bytes(brick, 0, element_bytes) <= window_bytes {
        return true;
    }
    let bytes_max = window_bytes - 2 * PAGE_BYTES;
    // Down to the dimension along which several rows go into a window.
    let is_cut_along = |dim: usize| dim == 0 || stride_bytes(brick, dim - 1, element_bytes) > bytes_max;
    (0..brick.len()).take_while(|&dim| is_cut_along(dim)).all(|dim| {
        let stride = stride_bytes(brick, dim, element_bytes);
        (bytes_max / stride).max(1) >= rows_in_pages(stride)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::piece;
    use super::super::window;
    use super::*;
    use proptest::prelude::*;
    use section::Section;

    #[test]
    fn pieces_of_a_large_part_are_rows_that_begin_on_pages_or_parts_of_one_row() {
        const MIB: u64 = 1 << 20;
        let cut = |brick: &[u64], hi: &[u64], window_bytes: u64| {
            let (brick, part) = (Shape::new(brick).unwrap(), Section::new(&vec![0; hi.len()], hi).unwrap());
            let whole = Piece { part, brick, room_bytes: 1 << 40, ..piece([0, 0], [1, 1]) };
            whole.cut(window_bytes).map(|cut| cut.to_vec())
        };
        assert_eq!(cut(&[256, 512], &[256, 512], MIB), None);
        assert_eq!(cut(&[256, 512], &[256, 512], MIB - 1), Some(vec![253, 512]));
        // Rows of 1000 bytes: 512 of them are whole pages, and twice as many.
        assert_eq!(cut(&[10_000, 125], &[10_000, 125], MIB), Some(vec![1024, 125]));
        assert_eq!(cut(&[10_000, 125], &[10_000, 1], MIB), Some(vec![1024, 1]));
        assert_eq!(cut(&[4, 1 << 20], &[4, 1 << 20], MIB), Some(vec![1, (MIB - 8192) / 8 / 512 * 512]));
        assert_eq!(cut(&[4, 1 << 20, 3], &[4, 5, 3], MIB), Some(vec![1, 5, 3]));
    }

    #[test]
    fn bricks_are_cut_at_pages_if_enough_rows_go_into_a_window() {
        const MIB: u64 = 1 << 20;
        let is_cut = |brick: &[u64]| is_cut_at_pages(&Shape::new(brick).unwrap(), 8, MIB);
        // One window, rows of pages, of 1000 bytes, of which 512 are whole pages, and of a page and 8 bytes, of which 512 are too much.
        assert!(is_cut(&[128, 1024]) && is_cut(&[1000, 1024]) && is_cut(&[10_000, 125]));
        assert!(!is_cut(&[1000, 513]) && is_cut(&[200, 513]));
        // Rows longer than the window.
        assert!(is_cut(&[4, 1 << 20]) && !is_cut(&[4, (1 << 20) + 1]));
        assert!(is_cut_at_pages(&Shape::new(&[3, 5]).unwrap(), 8, 120), "no larger than a page");
    }

    proptest! {
        #[test]
        fn every_piece_goes_into_the_window_it_was_cut_for(
            dims in prop::collection::vec((1u64..40, 0u64..40, 1u64..40), 1..=4),
            element_bytes in prop::sample::select(vec![1u64, 4, 8, 16]),
            window_pages in 3u64..20,
        ) {
            let brick = Shape::from_fn(dims.len(), |d| dims[d].0);
            let lo = Shape::from_fn(dims.len(), |d| dims[d].1.min(brick[d] - 1));
            let hi = Shape::from_fn(dims.len(), |d| (lo[d] + dims[d].2).min(brick[d]));
            let part = Section::new(&lo, &hi).unwrap();
            let whole = Piece { part, brick, element_bytes, room_bytes: 1 << 40, ..piece([0, 0], [1, 1]) };
            let window_bytes = window_pages * PAGE_BYTES;
            let cut = whole.cut(window_bytes).unwrap_or(part.counts());
            for at in section::BrickGrid::new(&part.counts(), &cut).unwrap().meeting(&Section::whole(&part.counts()).unwrap()).indices() {
                let grid = section::BrickGrid::new(&part.counts(), &cut).unwrap();
                let piece = Piece { part: grid.elements(&at).shifted_by(part.lo()), ..whole };
                prop_assert!(len_of(&window(&piece.ranges())) <= window_bytes, "{piece:?}");
                // Where parts are whole rows, or whole pages are elements.
                let begins_on_page = |piece: &Piece| piece.first_byte().is_multiple_of(PAGE_BYTES);
                if is_cut_at_pages(&brick, element_bytes, window_bytes) && begins_on_page(&whole) {
                    prop_assert!(begins_on_page(&piece), "{piece:?}");
                }
            }
        }
    }
}
