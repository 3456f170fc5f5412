//! Write blocks that keep all I/O processes busy.
//!
//! Definitions. *Factors* say how many target bricks a write block has along each dimension; they are *balanced* if their product
//! is the number of I/O processes and each brick of the block has another owner. The *offset* of a dimension is by how many
//! numbers, modulo the number of processes, the owner changes from a brick to the next one.
//!
//! Source: Krishnamoorthy et al., section 5.3 and figure 6, with factors beyond the number of bricks dropped, doubles removed, and a
//! way out where nothing is left.

use super::axis::gcd;
use crate::problem::Owners;
use section::Shape;
use std::collections::BTreeSet;

/// The offset of each dimension, with the target's dimensions in its own order.
pub(crate) fn offsets(owners: Owners, bricks: &Shape, processes: u64) -> Shape {
    match owners {
        Owners::InTurn => Shape::filled(bricks.len(), 1 % processes),
        Owners::ByNumber => Shape::from_fn(bricks.len(), |dim| {
            bricks[dim + 1..].iter().fold(1 % processes, |offset, &count| {
                let product = u128::from(offset) * u128::from(count) % u128::from(processes);
                u64::try_from(product).expect("below the number of processes")
            })
        }),
    }
}

/// All balanced factors for `processes`, or, where there are none, for the largest of its divisors that has some: at least those
/// of one process, which are all one. In ascending order.
pub(crate) fn balanced_factors(owners: Owners, bricks: &Shape, processes: u64) -> Vec<Vec<u64>> {
    let fits = |factors: &Vec<u64>| factors.iter().zip(bricks.iter()).all(|(factor, count)| factor <= count);
    // Bricks of different owners modulo a divisor have different owners.
    let balanced = |&divisor: &u64| -> Vec<Vec<u64>> {
        enumerate(divisor, &offsets(owners, bricks, divisor)).into_iter().filter(fits).collect()
    };
    divisors(processes)
        .rev()
        .map(|divisor| balanced(&divisor))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// In ascending order.
fn divisors(number: u64) -> impl DoubleEndedIterator<Item = u64> {
    let small: BTreeSet<u64> =
        (1..=number.isqrt()).filter(|&divisor| number.is_multiple_of(divisor)).collect();
    let large: BTreeSet<u64> = small.iter().map(|divisor| number / divisor).collect();
    small.union(&large).copied().collect::<Vec<_>>().into_iter()
}

/// Figure 6: every way to share `processes` out over dimensions.
fn enumerate(processes: u64, offsets: &[u64]) -> BTreeSet<Vec<u64>> {
    let candidates = (0..offsets.len()).filter(|&dim| offsets[dim] > 0).collect();
    let mut found = BTreeSet::new();
    recurse(processes, &mut vec![1; offsets.len()], offsets, &candidates, &mut found);
    found
}

fn recurse(
    processes: u64,
    factors: &mut Vec<u64>,
    offsets: &[u64],
    candidates: &BTreeSet<usize>,
    found: &mut BTreeSet<Vec<u64>>,
) {
    if processes == 1 {
        found.insert(factors.clone());
        return;
    }
    for &dim in candidates {
        let rest = gcd(processes, offsets[dim]);
        let factor = processes / rest;
        if rest < processes && (candidates.len() > 1 || factor == processes) {
            factors[dim] = factor;
            let others = candidates.iter().copied().filter(|&other| other != dim).collect();
            recurse(rest, factors, offsets, &others, found);
            factors[dim] = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use section::Section;

    fn factors(bricks: &[u64], processes: u64) -> Vec<Vec<u64>> {
        balanced_factors(Owners::ByNumber, &Shape::new(bricks).unwrap(), processes)
    }

    #[test]
    fn the_papers_grid_of_four_by_four_bricks() {
        // Here the last dimension is the fastest.
        assert_eq!(factors(&[4, 4], 2), [[1, 2]]);
        assert_eq!(factors(&[4, 4], 4), [[1, 4]]);
        assert_eq!(factors(&[4, 4], 8), [[2, 4]], "eight along one dimension are not there");
        assert_eq!(factors(&[6, 5], 6), [[6, 1]], "of six and six, the five bricks of a row are too few");
    }

    #[test]
    fn where_no_block_is_balanced_fewer_processes_are_kept_busy() {
        assert_eq!(factors(&[3, 3], 8), [[1, 2], [2, 1]], "two of eight");
        assert_eq!(factors(&[1, 1], 7), [[1, 1]]);
        assert_eq!(balanced_factors(Owners::InTurn, &Shape::new(&[9, 2]).unwrap(), 4), [[4, 1]]);
    }

    /// Every way to write `processes` as a product with bricks of different owners.
    fn by_force(offsets: &[u64], bricks: &[u64], processes: u64) -> BTreeSet<Vec<u64>> {
        let divisors: Vec<u64> = (1..=processes).filter(|d| processes.is_multiple_of(*d)).collect();
        let choices = Section::whole(&vec![divisors.len() as u64; offsets.len()]).unwrap();
        let of = |index: Shape| index.iter().map(|&i| divisors[section::size(i)]).collect::<Vec<u64>>();
        choices
            .indices()
            .map(of)
            .filter(|factors| factors.iter().product::<u64>() == processes)
            .filter(|factors| factors.iter().zip(bricks).all(|(factor, count)| factor <= count))
            .filter(|factors| {
                let owner = |at: Shape| at.iter().zip(offsets).map(|(c, o)| c * o).sum::<u64>() % processes;
                let block = Section::whole(factors).unwrap();
                block.indices().map(owner).collect::<BTreeSet<_>>().len() as u64 == processes
            })
            .collect()
    }

    #[test]
    fn the_enumeration_is_complete() {
        for processes in 1..=12 {
            for bricks in Section::whole(&[5, 6, 7]).unwrap().indices() {
                let bricks = Shape::from_fn(3, |dim| bricks[dim] + 1);
                for owners in [Owners::ByNumber, Owners::InTurn] {
                    let offsets = offsets(owners, &bricks, processes);
                    let expected = by_force(&offsets, &bricks, processes);
                    if !expected.is_empty() {
                        let found = balanced_factors(owners, &bricks, processes);
                        assert_eq!(found, Vec::from_iter(expected), "{processes} over {bricks:?}");
                    }
                }
            }
        }
    }
}
