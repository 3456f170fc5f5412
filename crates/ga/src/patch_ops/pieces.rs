//! Pieces of sections: how much of one is worked on at a time, and where it lies in the whole.

use section::{Section, Shape};

/// How a section is cut into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// The slowest dimension first, so that pieces are as contiguous as they can be.
    Rows,
    /// The longest dimension first, so that pieces are contiguous to the same degree in any order of the dimensions.
    Cubes,
}

/// Calls `visit` with pieces of at most `len_max` elements, which together are the section. Stops at the first error.
pub(super) fn for_each_piece<E>(
    section: &Section,
    len_max: u64,
    cut: Cut,
    visit: &mut impl FnMut(&Section) -> Result<(), E>,
) -> Result<(), E> {
    if section.is_empty() {
        return Ok(());
    }
    if section.len() <= len_max.max(1) {
        return visit(section);
    }
    let (first, second) = halves(section, cut);
    for_each_piece(&first, len_max, cut, visit)?;
    for_each_piece(&second, len_max, cut, visit)
}

/// A section of more than one element as two.
fn halves(section: &Section, cut: Cut) -> (Section, Section) {
    let counts = section.counts();
    let dim = match cut {
        Cut::Rows => counts.iter().position(|&count| count > 1).unwrap_or(0),
        Cut::Cubes => (0..counts.len()).rev().max_by_key(|&d| counts[d]).unwrap_or(0),
    };
    let mut place = Shape::filled(counts.len(), 0);
    let (mut first, mut second) = (counts, counts);
    first[dim] = counts[dim] / 2;
    second[dim] = counts[dim] - first[dim];
    let before = part(section, &place, &first);
    place[dim] = first[dim];
    (before, part(section, &place, &second))
}

/// The `counts` elements in each dimension that begin with element number `place`.
pub(super) fn part(section: &Section, place: &[u64], counts: &[u64]) -> Section {
    let (mut lo, mut hi) = (counts_of(section), counts_of(section));
    for (d, &step) in section.step().iter().enumerate() {
        lo[d] = section.lo()[d] + place[d] * step;
        hi[d] = lo[d] + (counts[d] - 1) * step + 1;
    }
    Section::with_step(&lo, &hi, section.step()).expect("a part of a section is one")
}

fn counts_of(section: &Section) -> Shape {
    Shape::filled(section.dims(), 0)
}

/// A box of elements of a section, counted in the section's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Elements of the whole section in each dimension.
    pub(super) whole: Shape,
    /// The first element, in each dimension.
    pub(super) place: Shape,
    /// Elements in each dimension.
    pub(super) counts: Shape,
}

impl Piece {
    /// What `part`, a part of `whole`, is of it.
    pub(super) fn of(part: &Section, whole: &Section) -> Self {
        Self { whole: whole.counts(), place: part.place_in(whole), counts: part.counts() }
    }

    pub(super) fn len(&self) -> usize {
        section::size(self.counts.iter().product())
    }
}

/// Whether two sections of one array share an element.
pub(crate) fn overlap(a: &Section, b: &Section) -> bool {
    !a.is_empty() && !b.is_empty() && (0..a.dims()).all(|d| meet(&along(a, d), &along(b, d)))
}

/// The indices `lo, lo + step, ... < hi`.
struct Indices {
    lo: u64,
    hi: u64,
    step: u64,
}

fn along(section: &Section, dim: usize) -> Indices {
    Indices { lo: section.lo()[dim], hi: section.hi()[dim], step: section.step()[dim] }
}

/// Remainders repeat after as many steps as the other step is long, so no more than that are tried.
fn meet(a: &Indices, b: &Indices) -> bool {
    let first = a.lo + b.lo.saturating_sub(a.lo).div_ceil(a.step) * a.step;
    (0..b.step)
        .map_while(|i| first.checked_add(i.checked_mul(a.step)?).filter(|&index| index < a.hi.min(b.hi)))
        .any(|index| (index - b.lo).is_multiple_of(b.step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::convert::Infallible;

    fn stepped(lo: &[u64], hi: &[u64], step: &[u64]) -> Section {
        Section::with_step(lo, hi, step).unwrap()
    }

    fn pieces(section: &Section, len_max: u64, cut: Cut) -> Vec<Section> {
        let mut found = vec![];
        let visited: Result<(), Infallible> = for_each_piece(section, len_max, cut, &mut |piece| {
            found.push(*piece);
            Ok(())
        });
        visited.unwrap();
        found
    }

    #[test]
    fn pieces_are_small_and_together_are_the_section() {
        let section = stepped(&[3, 0, 2], &[20, 7, 31], &[2, 1, 3]);
        for cut in [Cut::Rows, Cut::Cubes] {
            for len_max in [1, 2, 7, 64, 10_000] {
                let found = pieces(&section, len_max, cut);
                assert!(found.iter().all(|piece| piece.len() <= len_max));
                let elements: HashSet<Shape> = found.iter().flat_map(Section::indices).collect();
                assert_eq!(elements.len() as u64, section.len());
                assert_eq!(found.iter().map(Section::len).sum::<u64>(), section.len());
                assert_eq!(elements, section.indices().collect());
            }
        }
    }

    #[test]
    fn rows_stay_whole_and_cubes_do_not() {
        let section = stepped(&[0, 0], &[64, 64], &[1, 1]);
        assert_eq!(pieces(&section, 256, Cut::Rows)[0].counts()[..], [4, 64]);
        assert_eq!(pieces(&section, 256, Cut::Cubes)[0].counts()[..], [16, 16]);
    }

    #[test]
    fn nothing_has_no_pieces() {
        assert_eq!(pieces(&stepped(&[2, 0], &[2, 9], &[1, 1]), 4, Cut::Rows), []);
    }

    #[test]
    fn sections_overlap_if_they_share_an_element() {
        let mut overlapping = 0;
        for (lo, hi, step) in
            (0..6).flat_map(|lo| (lo..9).flat_map(move |hi| (1..5).map(move |s| (lo, hi, s))))
        {
            for (other_lo, other_step) in (0..7).flat_map(|lo| (1..6).map(move |step| (lo, step))) {
                let (a, b) = (stepped(&[lo], &[hi], &[step]), stepped(&[other_lo], &[9], &[other_step]));
                let elements: HashSet<Shape> = a.indices().collect();
                let share = b.indices().any(|index| elements.contains(&index));
                assert_eq!((overlap(&a, &b), overlap(&b, &a)), (share, share), "{a} {b}");
                overlapping += usize::from(share);
            }
        }
        assert!(overlapping > 100);
    }

    #[test]
    fn boxes_overlap_only_if_they_do_in_every_dimension() {
        let a = stepped(&[0, 0], &[4, 4], &[1, 1]);
        assert!(overlap(&a, &stepped(&[3, 3], &[9, 9], &[1, 1])));
        assert!(!overlap(&a, &stepped(&[3, 4], &[9, 9], &[1, 1])));
        assert!(!overlap(&stepped(&[0, 0], &[9, 9], &[2, 1]), &stepped(&[1, 0], &[9, 9], &[2, 1])));
        assert!(!overlap(&a, &stepped(&[2, 2], &[2, 9], &[1, 1])));
    }

    #[test]
    fn the_steps_of_a_huge_section_are_not_tried_one_by_one() {
        let all = stepped(&[0], &[1 << 60], &[1]);
        assert!(overlap(&all, &stepped(&[1 << 59], &[1 << 60], &[1 << 40])));
    }
}
