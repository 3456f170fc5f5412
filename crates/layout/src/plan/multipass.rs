//! Several passes through intermediate bricks.
//!
//! Between source and target bricks lie one or two intermediate ones, near their geometric means; each of the passes between
//! them may again be several. The paper takes the means as they are. Values nearby that share a large divisor with the source or
//! the target leave less over, so they are tried as well. Where two passes cannot be cheaper than one, because each moves
//! everything once, nothing is tried.
//!
//! Source: Krishnamoorthy et al., section 4.3 and figure 4, of which step 7 means from the source to the one third, from there to
//! the two thirds, from there to the target.

use super::search::{Budget, Found};
use crate::permutation::Permutation;
use crate::problem::Shapes;
use section::Shape;

/// How often a pass may be replaced by several.
const DEPTH_MAX: u32 = 2;

/// From which bricks to which, and what becomes of the dimensions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg {
    pub(crate) shapes: Shapes,
    pub(crate) permutation: Permutation,
}

/// A pass, and how it is done.
pub(crate) type Solved = (Leg, Found);

/// Finds the best single pass for a leg.
pub(crate) type Single<'a> = dyn FnMut(&Leg, &mut Budget) -> Option<Found> + 'a;

pub(crate) fn seconds(passes: &[Solved]) -> f64 {
    passes.iter().map(|(_, found)| found.cost.seconds).sum()
}

/// The cheapest passes for a leg. No pass takes less than `ideal_seconds`. `means_only`: as in the paper.
pub(crate) fn best_passes(
    leg: &Leg,
    single: &mut Single<'_>,
    ideal_seconds: f64,
    means_only: bool,
    budget: &mut Budget,
) -> Option<Vec<Solved>> {
    Chains { single, ideal_seconds, means_only, budget }.best(leg, DEPTH_MAX)
}

struct Chains<'a, 'b> {
    single: &'a mut Single<'b>,
    ideal_seconds: f64,
    means_only: bool,
    budget: &'a mut Budget,
}

impl Chains<'_, '_> {
    fn best(&mut self, leg: &Leg, depth: u32) -> Option<Vec<Solved>> {
        let mut best = (self.single)(leg, self.budget).map(|found| vec![(*leg, found)]);
        if depth == 0 {
            return best;
        }
        for between in intermediates(&leg.shapes, self.means_only) {
            #[expect(clippy::cast_precision_loss, reason = "one or two")]
            let least = self.ideal_seconds * (between.len() + 1) as f64;
            let to_beat = best.as_deref().map_or(f64::INFINITY, seconds);
            if least >= to_beat || self.budget.is_spent() {
                continue;
            }
            if let Some(passes) = self.through(leg, &between, depth - 1)
                && seconds(&passes) < to_beat
            {
                best = Some(passes);
            }
        }
        best
    }

    /// The passes through these bricks.
    fn through(&mut self, leg: &Leg, between: &[Shape], depth: u32) -> Option<Vec<Solved>> {
        let mut passes = vec![];
        let mut left = leg.shapes;
        for &target in between {
            let permutation = Permutation::identity(target.len());
            passes.extend(self.best(&Leg { shapes: left.with_target(target), permutation }, depth)?);
            left = left.with_source(target);
        }
        passes.extend(self.best(&Leg { shapes: left, permutation: leg.permutation }, depth)?);
        Some(passes)
    }
}

/// The intermediate bricks to try, in order from the source.
fn intermediates(shapes: &Shapes, means_only: bool) -> Vec<Vec<Shape>> {
    let Shapes { source, target, .. } = *shapes;
    let at = |fraction: f64| Shape::from_fn(source.len(), |d| mean(source[d], target[d], fraction));
    let mut found = vec![vec![at(0.5)]];
    if !means_only {
        for brick in [source, target] {
            found.push(vec![Shape::from_fn(source.len(), |d| relative_near(brick[d], at(0.5)[d]))]);
        }
    }
    found.push(vec![at(1.0 / 3.0), at(2.0 / 3.0)]);
    let makes_no_progress = |between: &Vec<Shape>| {
        let chain = [&[source], &between[..], &[target]].concat();
        chain.windows(2).any(|pair| pair[0] == pair[1])
    };
    found.retain(|between| !makes_no_progress(between));
    found.dedup();
    found
}

/// `source^(1 - fraction) * target^fraction`, rounded down.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rough size"
)]
fn mean(source: u64, target: u64, fraction: f64) -> u64 {
    let mean = (source as f64).powf(1.0 - fraction) * (target as f64).powf(fraction);
    // A mean that is a whole number must not be lost to rounding.
    ((mean + 1e-9) as u64).clamp(source.min(target), source.max(target))
}

/// A multiple or a divisor of `brick` near `mean`.
fn relative_near(brick: u64, mean: u64) -> u64 {
    if mean >= brick {
        return mean / brick * brick;
    }
    let parts = brick.div_ceil(mean);
    let divides = |parts: &u64| brick.is_multiple_of(*parts);
    (parts..=parts.saturating_mul(2)).take(64).find(divides).map_or(mean, |parts| brick / parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(source: &[u64], target: &[u64]) -> Shapes {
        let shape = |extents: &[u64]| Shape::new(extents).unwrap();
        Shapes::whole(shape(&[100_000, 100_000]), shape(source), shape(target))
    }

    #[test]
    fn the_papers_intermediate_bricks() {
        let found = intermediates(&shapes(&[32, 9], &[5, 16]), true);
        let shape = |extents: &[u64]| Shape::new(extents).unwrap();
        assert_eq!(found, [vec![shape(&[12, 12])], vec![shape(&[17, 10]), shape(&[9, 13])]]);
    }

    #[test]
    fn others_share_large_divisors_with_the_source_or_the_target() {
        let found = intermediates(&shapes(&[32, 9], &[5, 16]), false);
        let single: Vec<Vec<u64>> = found.iter().filter(|b| b.len() == 1).map(|b| b[0].to_vec()).collect();
        assert_eq!(single, [[12, 12], [8, 9], [10, 8]]);
    }

    #[test]
    fn bricks_that_are_already_alike_have_nothing_between_them() {
        assert!(intermediates(&shapes(&[7, 9], &[7, 9]), false).is_empty());
        assert!(intermediates(&shapes(&[1, 2], &[1, 3]), true).is_empty());
    }
}
