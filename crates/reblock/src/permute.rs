//! Copying a box of elements with its dimensions in another order.
//!
//! Elements of both boxes lie row-major. Whoever copies much cuts it into pieces of [`PIECE_BYTES`], of which the source stays in
//! a second-level cache while it is gone through in the target's order.

use layout::Permutation;
use section::{Layout, Runs, Section, Shape, size};

/// So many bytes are copied at a time.
pub(crate) const PIECE_BYTES: u64 = 64 << 10;

/// Copies a dense box of `counts` elements to the beginning of `to`, an array of `extents`, in the target's order of dimensions.
pub(crate) fn permute(
    from: &[u8],
    counts: &Shape,
    permutation: &Permutation,
    to: &mut [u8],
    extents: &Shape,
    element_bytes: usize,
) {
    let source = Layout::dense(counts).permuted(permutation.source());
    let runs = Runs::new(&permutation.to_target(counts), &source, &Layout::dense(extents));
    match element_bytes {
        4 => copy(&runs, from.as_chunks::<4>().0, to.as_chunks_mut().0),
        8 => copy(&runs, from.as_chunks::<8>().0, to.as_chunks_mut().0),
        _ => copy(&runs, from.as_chunks::<16>().0, to.as_chunks_mut().0),
    }
}

fn copy<T: Copy>(runs: &Runs, from: &[T], to: &mut [T]) {
    if runs.run_len() == 1 {
        runs.for_each(|source, target, _| to[target] = from[source]);
    } else {
        runs.for_each(|source, target, len| {
            to[target..target + len].copy_from_slice(&from[source..source + len]);
        });
    }
}

/// Calls `visit` with pieces that are together `section`, none longer than `elems_max`, as near to cubes as may be.
pub(crate) fn each_piece<E>(
    section: &Section,
    elems_max: u64,
    mut visit: impl FnMut(&Section) -> Result<(), E>,
) -> Result<(), E> {
    let mut left = vec![*section];
    while let Some(piece) = left.pop() {
        if piece.len() <= elems_max {
            visit(&piece)?;
            continue;
        }
        let counts = piece.counts();
        let dim = (0..counts.len()).max_by_key(|&dim| counts[dim]).unwrap_or(0);
        let (mut lower, mut upper) = (piece, piece);
        lower.narrow(dim, &(0..counts[dim] / 2));
        upper.narrow(dim, &(counts[dim] / 2..counts[dim]));
        left.extend([upper, lower]);
    }
    Ok(())
}

/// Bytes of a section's elements.
pub(crate) fn bytes_of(section: &Section, element_bytes: usize) -> usize {
    size(section.len()) * element_bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn boxes() -> impl Strategy<Value = (Vec<u64>, Vec<u64>, Permutation)> {
        prop::collection::vec((1u64..6, 0u64..3), 1..=4).prop_flat_map(|dims| {
            let order = Just((0..dims.len()).collect::<Vec<_>>()).prop_shuffle();
            let (counts, more) = dims.into_iter().unzip();
            (Just(counts), Just(more), order.prop_map(|order| Permutation::new(&order).unwrap()))
        })
    }

    proptest! {
        #[test]
        fn every_element_finds_its_place(
            (counts, more, permutation) in boxes(),
            element_bytes in prop::sample::select(vec![4usize, 8, 16]),
        ) {
            let counts = Shape::new(&counts).unwrap();
            let target = permutation.to_target(&counts);
            let extents = Shape::from_fn(target.len(), |d| target[d] + more[d]);
            let len = size(counts.iter().product());
            let from: Vec<u8> =
                (0..len * element_bytes).map(|at| u8::try_from(at / element_bytes % 251).unwrap()).collect();
            let mut to = vec![255; size(extents.iter().product()) * element_bytes];
            permute(&from, &counts, &permutation, &mut to, &extents, element_bytes);
            let mut expected = vec![255; to.len()];
            for index in Section::whole(&counts).unwrap().indices() {
                let source = Layout::dense(&counts).offset(&index) * element_bytes;
                let place = Layout::dense(&extents).offset(&permutation.to_target(&index)) * element_bytes;
                expected[place..place + element_bytes].copy_from_slice(&from[source..source + element_bytes]);
            }
            prop_assert_eq!(to, expected);
        }

        #[test]
        fn pieces_are_a_section_together(counts in prop::collection::vec(1u64..9, 1..=3), elems_max in 1u64..40) {
            let section = Section::whole(&counts).unwrap();
            let mut found = HashSet::new();
            each_piece(&section, elems_max, |piece| {
                assert!(piece.len() <= elems_max);
                assert!(piece.indices().all(|index| found.insert(index)));
                Ok::<(), ()>(())
            })
            .unwrap();
            prop_assert_eq!(found.len() as u64, section.len());
        }
    }
}
