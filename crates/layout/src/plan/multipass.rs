//! Several passes through intermediate bricks.
//!
//! Between source and target bricks lie one or two intermediate ones, near their geometric means; each of the passes between
//! them may again be several. The paper takes the means as they are. Values nearby that share a large divisor with the source or
//! the target leave less over, so they are tried as well. From the best of all these one goes on to bricks that differ a little, as
//! long as they are better: what memory holds of whole rows makes better bricks than the means where requests are dear. Where two
//! passes cannot be cheaper than one, because each moves everything once, nothing is tried.
//!
//! Source: Krishnamoorthy et al., section 4.3 and figure 4, of which step 7 means from the source to the one third, from there to
//! the two thirds, from there to the target.

use super::cost::product;
use super::search::{Budget, Effort, Found};
use crate::permutation::Permutation;
use crate::problem::Shapes;
use section::Shape;
use std::collections::HashSet;

/// How often a pass may be replaced by several.
const DEPTH_MAX: u32 = 2;
/// Of what may be looked at, and has not been, this part is for intermediate bricks near the best ones.
const NEARBY_PARTS: usize = 2;

/// From which bricks to which, and what becomes of the dimensions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg {
    pub(crate) shapes: Shapes,
    pub(crate) permutation: Permutation,
}

impl Leg {
    /// The way to these bricks, with the dimensions as they are.
    fn to(&self, bricks: Shape) -> Self {
        Self { shapes: self.shapes.with_target(bricks), permutation: Permutation::identity(bricks.len()) }
    }

    /// The rest of the way from these bricks.
    fn from(&self, bricks: Shape) -> Self {
        Self { shapes: self.shapes.with_source(bricks), ..*self }
    }
}

/// A pass, and how it is done.
pub(crate) type Solved = (Leg, Found);

/// Finds the best single pass for a leg.
pub(crate) type Single<'a> = dyn FnMut(&Leg, Effort, &mut Budget) -> Option<Found> + 'a;

pub(crate) fn seconds(passes: &[Solved]) -> f64 {
    passes.iter().map(|(_, found)| found.cost.seconds).sum()
}

/// What is known of all passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// None takes less.
    pub(crate) ideal_seconds: f64,
    /// Bricks between them have no more elements.
    pub(crate) brick_elems_max: u64,
    /// And there are so many of them at least.
    pub(crate) bricks_count_min: u128,
    /// Bricks between them are the means, as in the paper.
    pub(crate) means_only: bool,
}

/// The cheapest passes for a leg.
pub(crate) fn best_passes(
    leg: &Leg,
    single: &mut Single<'_>,
    bounds: Bounds,
    budget: &mut Budget,
) -> Option<Vec<Solved>> {
    let best = Chains { single, bounds, budget }.best(leg, DEPTH_MAX)?;
    if bounds.means_only {
        return Some(best);
    }
    Some(budget.in_part(NEARBY_PARTS, |budget| Chains { single, bounds, budget }.nearby(leg, best)))
}

struct Chains<'a, 'b> {
    single: &'a mut Single<'b>,
    bounds: Bounds,
    budget: &'a mut Budget,
}

impl Chains<'_, '_> {
    fn best(&mut self, leg: &Leg, depth: u32) -> Option<Vec<Solved>> {
        let effort = if depth == DEPTH_MAX { Effort::All } else { Effort::Little };
        let mut best = self.single(leg, effort);
        if depth == 0 {
            return best;
        }
        for between in intermediates(&leg.shapes, self.bounds.means_only) {
            #[expect(clippy::cast_precision_loss, reason = "one or two")]
            let least = self.bounds.ideal_seconds * (between.len() + 1) as f64;
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

    fn single(&mut self, leg: &Leg, effort: Effort) -> Option<Vec<Solved>> {
        (self.single)(leg, effort, self.budget).map(|found| vec![(*leg, found)])
    }

    /// Better passes than these, if there are any nearby: with other numbers of Max blocks; or two, through other bricks. From the best
    /// ones so far, or the means, one goes to ever better ones in their neighbourhood.
    fn nearby(&mut self, leg: &Leg, best: Vec<Solved>) -> Vec<Solved> {
        let Shapes { dims, source, target, .. } = leg.shapes;
        if seconds(&best) <= 2.0 * self.bounds.ideal_seconds {
            return best;
        }
        let best: Vec<Solved> = best.into_iter().map(|pass| self.with_more_effort(pass)).collect();
        let mut at = match &best[..] {
            [(first, _), _] => first.shapes.target,
            _ => Shape::from_fn(dims.len(), |d| mean(source[d], target[d], 0.5)),
        };
        let (mut two, mut tried): (Option<Vec<Solved>>, HashSet<Shape>) = Default::default();
        let mut is_better = true;
        while is_better {
            is_better = false;
            for between in std::iter::once(at).chain(neighbours(at, &leg.shapes)) {
                if self.budget.is_spent() {
                    break;
                }
                if !self.is_allowed(&leg.shapes, &between) || !tried.insert(between) {
                    continue;
                }
                if let Some(passes) = self.two(leg, between)
                    && two.as_deref().is_none_or(|two| seconds(&passes) < seconds(two))
                {
                    is_better |= between != at;
                    (at, two) = (between, Some(passes));
                }
            }
        }
        two.filter(|two| seconds(two) < seconds(&best)).unwrap_or(best)
    }

    fn with_more_effort(&mut self, (leg, found): Solved) -> Solved {
        let more = (self.single)(&leg, Effort::More, self.budget);
        (leg, found.better(more))
    }

    fn is_allowed(&self, shapes: &Shapes, between: &Shape) -> bool {
        product(between.iter().copied()) <= self.bounds.brick_elems_max.into()
            && bricks_count(&shapes.dims, between) >= self.bounds.bricks_count_min
    }

    /// Two passes, through these bricks.
    fn two(&mut self, leg: &Leg, between: Shape) -> Option<Vec<Solved>> {
        let mut passes = self.single(&leg.to(between), Effort::More)?;
        passes.extend(self.single(&leg.from(between), Effort::More)?);
        Some(passes)
    }

    /// The passes through these bricks.
    fn through(&mut self, leg: &Leg, between: &[Shape], depth: u32) -> Option<Vec<Solved>> {
        let (mut passes, mut left) = (vec![], *leg);
        for &bricks in between {
            passes.extend(self.best(&left.to(bricks), depth)?);
            left = left.from(bricks);
        }
        passes.extend(self.best(&left, depth)?);
        Some(passes)
    }
}

/// Into how many bricks an array is cut.
pub(crate) fn bricks_count(dims: &Shape, brick: &Shape) -> u128 {
    product((0..dims.len()).map(|d| dims[d].div_ceil(brick[d])))
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

/// Bricks that differ from these in one extent, or in two of which one doubles as the other one is halved. Extents double, are halved, grow or
/// shrink by one, or become those of the source, the target, or the array, or multiples or divisors of them.
fn neighbours(at: Shape, shapes: &Shapes) -> Vec<Shape> {
    let Shapes { dims, source, target, .. } = *shapes;
    let with = |mut bricks: Shape, d: usize, extent: u64| {
        bricks[d] = extent.clamp(1, dims[d]);
        bricks
    };
    let mut found: Vec<Shape> = vec![];
    for d in 0..dims.len() {
        let (double, half) = (at[d].saturating_mul(2), at[d].div_ceil(2));
        let near = [double, half].map(|aim| [source[d], target[d]].map(|brick| relative_near(brick, aim)));
        let others = [source[d], target[d], dims[d], at[d].saturating_add(1), at[d] - 1];
        let extents = [double, half].into_iter().chain(near.into_iter().flatten()).chain(others);
        found.extend(extents.map(|extent| with(at, d, extent)));
        let smaller = (0..dims.len()).filter(|&other| other != d);
        found.extend(smaller.map(|other| with(with(at, d, double), other, at[other] / 2)));
    }
    found.retain(|bricks| *bricks != at);
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
