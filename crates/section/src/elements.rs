//! Copying elements between two memories, whichever order the dimensions have there.

use crate::Runs;

/// Whoever copies with the dimensions in another order does it by [pieces](crate::Section::pieces) of so many bytes: of such a
/// piece both ends stay in a second-level cache.
pub const PIECE_BYTES: u64 = 64 << 10;

/// Copies the elements of `runs` from its first memory to its second one. An element has 4, 8 or 16 bytes.
///
/// # Panics
/// If one of the slices does not hold all of them.
pub fn copy_elements(runs: &Runs, from: &[u8], to: &mut [u8], element_bytes: usize) {
    match element_bytes {
        4 => copy(runs, from.as_chunks::<4>().0, to.as_chunks_mut().0),
        8 => copy(runs, from.as_chunks::<8>().0, to.as_chunks_mut().0),
        _ => copy(runs, from.as_chunks::<16>().0, to.as_chunks_mut().0),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Section, Shape, size};
    use proptest::prelude::*;

    /// Extents, what the target has of each beyond them, and an order of the dimensions.
    fn boxes() -> impl Strategy<Value = (Vec<u64>, Vec<u64>, Vec<usize>)> {
        prop::collection::vec((1u64..6, 0u64..3), 1..=4).prop_flat_map(|dims| {
            let order = Just((0..dims.len()).collect::<Vec<_>>()).prop_shuffle();
            let (counts, more) = dims.into_iter().unzip();
            (Just(counts), Just(more), order)
        })
    }

    proptest! {
        #[test]
        fn every_element_finds_its_place_and_the_way_back(
            (counts, more, order) in boxes(),
            element_bytes in prop::sample::select(vec![4usize, 8, 16]),
        ) {
            let counts = Shape::new(&counts).unwrap();
            let there = |index: &[u64]| Shape::from_fn(index.len(), |d| index[order[d]]);
            let extents = Shape::from_fn(counts.len(), |d| counts[order[d]] + more[d]);
            let mut places = vec![0; order.len()];
            order.iter().enumerate().for_each(|(place, &d)| places[d] = place);
            let (dense, target) = (Layout::dense(&counts), Layout::dense(&extents));
            let in_target = target.permuted(&places);
            let len = size(counts.iter().product());
            let from: Vec<u8> =
                (0..len * element_bytes).map(|at| u8::try_from(at / element_bytes % 251).unwrap()).collect();
            let mut to = vec![255; size(extents.iter().product()) * element_bytes];
            copy_elements(&Runs::new(&counts, &dense, &in_target), &from, &mut to, element_bytes);
            let mut expected = vec![255; to.len()];
            for index in Section::whole(&counts).unwrap().indices() {
                let source = dense.offset(&index) * element_bytes;
                let place = target.offset(&there(&index)) * element_bytes;
                expected[place..place + element_bytes].copy_from_slice(&from[source..source + element_bytes]);
            }
            prop_assert_eq!(&to, &expected);
            let mut back = vec![255; from.len()];
            copy_elements(&Runs::new(&counts, &in_target, &dense), &to, &mut back, element_bytes);
            prop_assert_eq!(back, from);
        }
    }
}
