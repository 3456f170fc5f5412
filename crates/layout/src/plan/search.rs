//! The best pass from one shape of bricks to another: write block, template and what is read whole, all at once.
//!
//! Every dimension has a list of *choices* (write block and template); a candidate takes one of each list. Where there are few
//! candidates all are looked at, so that the best is known; where there are many, the lists are thinned, and if that does
//! not help, one climbs from several starts by changing one dimension, or two, at a time. What was found in thinned lists is
//! refined: write blocks grow into memory that is left. Either way the number of candidates is bounded by
//! [`CANDIDATES_MAX`] for all passes of a plan together.

use super::axis::{Axis, lcm};
use super::cost::{Counted, PassCost, Prices, buffers_elems, within};
use crate::problem::Shapes;

/// Candidates of a plan, all passes together: half a second, where arrays have seven dimensions.
pub const CANDIDATES_MAX: usize = 1_000_000;

/// So many candidates of one kind are all looked at.
pub(crate) const EXHAUSTIVE_MAX: usize = 15_000;
/// How often each dimension is refined.
const REFINEMENTS_MAX: usize = 4;

/// How much may be looked at for one kind of plan, and how much has been.
#[derive(Debug)]
pub(crate) struct Budget {
    /// Candidates, at most.
    examined_max: usize,
    /// Candidates.
    pub(crate) examined: usize,
}

impl Budget {
    pub(crate) fn new(examined_max: usize) -> Self {
        Self { examined_max, examined: 0 }
    }

    /// Takes one candidate out of it; tells whether there was one.
    pub(crate) fn take(&mut self) -> bool {
        let is_left = !self.is_spent();
        self.examined += usize::from(is_left);
        is_left
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.examined >= self.examined_max
    }

    /// Uses a part of what is left, one of so many equal ones.
    pub(crate) fn in_part<T>(&mut self, parts: usize, look: impl FnOnce(&mut Self) -> T) -> T {
        let mut part = Self::new((self.examined_max - self.examined) / parts);
        let found = look(&mut part);
        self.examined += part.examined;
        found
    }
}

/// How thoroughly a pass is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// One of many, which have to be quick: it has the most Max blocks with which it gets by.
    Little,
    /// It has as many Max blocks as are best for it.
    More,
    /// And all candidates are looked at, if there are not very many.
    All,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(CANDIDATES_MAX)
    }
}

/// A pass that was found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) axes: Vec<Counted>,
    pub(crate) cost: PassCost,
    /// Whether every candidate of its kind was looked at.
    pub(crate) is_exhaustive: bool,
}

impl Found {
    pub(crate) fn better(self, other: Option<Self>) -> Self {
        match other {
            Some(other) if other.cost.compare(&self.cost).is_lt() => other,
            _ => self,
        }
    }
}

/// How many choices a list keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fineness {
    All,
    /// At most so many of a kind, evenly in their logarithm.
    AtMost(u64),
}

/// How far lists are thinned.
const THINNED: [u64; 4] = [24, 12, 6, 3];

/// One search: shapes, prices and memory.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    pub(crate) shapes: &'a Shapes,
    pub(crate) prices: &'a Prices<'a>,
    pub(crate) memory_elems: u128,
    /// So many candidates of one kind are all looked at: [`EXHAUSTIVE_MAX`] or fewer.
    pub(crate) exhaustive_max: usize,
}

type Choices = Vec<Vec<Counted>>;

impl Search<'_> {
    /// The best pass over whole bricks whose write block is `factors` target bricks: the paper's kind.
    pub(crate) fn whole_bricks(&self, factors: &[u64], budget: &mut Budget) -> Option<Found> {
        let block = |d: usize| self.shapes.target[d].saturating_mul(factors[d]);
        let choices = |fineness| -> Choices {
            (0..self.dims()).map(|d| self.templates(d, true, block(d), fineness).collect()).collect()
        };
        let count = |d: usize| usize::try_from(self.templates_max(d, true, block(d))).unwrap_or(usize::MAX);
        self.best(choices, self.affords(count), budget)
    }

    /// The best pass of any kind.
    pub(crate) fn parts(&self, budget: &mut Budget) -> Option<Found> {
        let mut levels: Vec<Vec<bool>> = vec![];
        for level in 0..=self.dims() {
            // Bricks are stored row-major: what is whole in the last dimensions is contiguous.
            let whole = (0..self.dims()).map(|d| d >= level && self.shapes.source[d] > 1).collect();
            if !levels.contains(&whole) {
                levels.push(whole);
            }
        }
        let (mut best, mut is_exhaustive): (Option<Found>, bool) = (None, true);
        for whole in levels {
            let choices = |fineness| -> Choices {
                let of_dim = |d: usize| -> Vec<Counted> {
                    let blocks = self.blocks(d, fineness).into_iter();
                    blocks.flat_map(|block| self.templates(d, whole[d], block, fineness)).collect()
                };
                (0..self.dims()).map(of_dim).collect()
            };
            let affords_all = self.affords(|d| self.choices_count(d, whole[d]));
            if let Some(mut found) = self.best(choices, affords_all, budget) {
                if !found.is_exhaustive {
                    self.refine(&mut found, budget);
                }
                best = Some(found.better(best));
            }
            is_exhaustive &= affords_all && !budget.is_spent();
        }
        best.map(|found| Found { is_exhaustive, ..found })
    }

    fn dims(&self) -> usize {
        self.shapes.dims.len()
    }

    /// Write blocks along a dimension, in ascending order.
    fn blocks(&self, d: usize, fineness: Fineness) -> Vec<u64> {
        let (len, source, target) = (self.shapes.dims[d], self.shapes.source[d], self.shapes.target[d]);
        let Fineness::AtMost(count_max) = fineness else {
            return (1..=len).collect();
        };
        let mut blocks = vec![1, len, lcm(source, target).min(len)];
        for brick in [source, target] {
            blocks.extend(ladder(len.div_ceil(brick), count_max).map(|bricks| bricks.saturating_mul(brick)));
            blocks.extend(ladder(brick, count_max).map(|parts| brick.div_ceil(parts)));
        }
        blocks = blocks.into_iter().map(|block| block.min(len)).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }

    /// Templates that differ, in write blocks; 0 for a write block that would be of no use: where bricks are read whole, parts of
    /// target bricks that are shorter than that would be written together all the same.
    fn templates_max(&self, d: usize, reads_whole: bool, block: u64) -> u64 {
        let (len, source_brick) = (self.shapes.dims[d], self.shapes.source[d]);
        if reads_whole && block < source_brick && !block.is_multiple_of(self.shapes.target[d]) {
            return 0;
        }
        let is_aligned = !reads_whole || block >= len || block.is_multiple_of(source_brick);
        if is_aligned { 1 } else { lcm(source_brick, block).min(len).div_ceil(block) }
    }

    /// What a write block along a dimension leaves to choose: the template.
    fn templates(
        &self,
        d: usize,
        reads_whole: bool,
        block: u64,
        fineness: Fineness,
    ) -> impl Iterator<Item = Counted> {
        let blocks_max = self.templates_max(d, reads_whole, block);
        let count_max = match fineness {
            Fineness::All => blocks_max,
            Fineness::AtMost(count_max) => count_max.div_ceil(2),
        };
        ladder(blocks_max, count_max)
            .map(move |count| self.shapes.axis(d, reads_whole, block, block.saturating_mul(count)))
    }

    /// Whether all choices, of which there are so many along each dimension, can be looked at.
    fn affords(&self, choices: impl Fn(usize) -> usize) -> bool {
        let mut count = 1usize;
        (0..self.dims()).all(|d| {
            count = count.saturating_mul(choices(d));
            count <= self.exhaustive_max
        })
    }

    /// All choices along a dimension, as far as they matter.
    fn choices_count(&self, d: usize, reads_whole: bool) -> usize {
        let mut count = 0usize;
        if self.shapes.dims[d] > self.exhaustive_max as u64 {
            return usize::MAX;
        }
        for block in 1..=self.shapes.dims[d] {
            let templates = usize::try_from(self.templates_max(d, reads_whole, block));
            count = count.saturating_add(templates.unwrap_or(usize::MAX));
            if count > self.exhaustive_max {
                break;
            }
        }
        count
    }

    /// The best candidate of lists that are as fine as can be afforded.
    fn best(
        &self,
        choices: impl Fn(Fineness) -> Choices,
        affords_all: bool,
        budget: &mut Budget,
    ) -> Option<Found> {
        if affords_all {
            return self.exhaust(&choices(Fineness::All), true, budget);
        }
        let mut coarsest = None;
        for count_max in THINNED {
            let lists = choices(Fineness::AtMost(count_max));
            if self.affords(|d| lists[d].len()) {
                return self.exhaust(&lists, false, budget);
            }
            coarsest = Some(lists);
        }
        self.climb(&coarsest?, budget)
    }

    /// Looks at all candidates.
    fn exhaust(&self, lists: &Choices, is_exhaustive: bool, budget: &mut Budget) -> Option<Found> {
        let mut at = vec![0; lists.len()];
        let mut axes: Vec<Counted> = lists.iter().map(|list| list[0]).collect();
        let mut best: Option<(Vec<Counted>, PassCost)> = None;
        while budget.take() {
            if let Some(cost) = within(&axes, self.prices, self.memory_elems)
                && best.as_ref().is_none_or(|(_, found)| cost.compare(found).is_lt())
            {
                best = Some((axes.clone(), cost));
            }
            let Some(d) = (0..lists.len()).rev().find(|&d| at[d] + 1 < lists[d].len()) else { break };
            at[d] += 1;
            at[d + 1..].fill(0);
            (d..lists.len()).for_each(|d| axes[d] = lists[d][at[d]]);
        }
        let is_exhaustive = is_exhaustive && !budget.is_spent();
        best.map(|(axes, cost)| Found { axes, cost, is_exhaustive })
    }

    /// Climbs from the candidate with the least memory in a step, along the dimensions in several orders.
    fn climb(&self, lists: &Choices, budget: &mut Budget) -> Option<Found> {
        let least =
            |list: &Vec<Counted>| (0..list.len()).min_by_key(|&at| (list[at].step_max, list[at].unused_max));
        let start: Vec<usize> = lists.iter().map(least).collect::<Option<_>>()?;
        let as_stored: Vec<usize> = (0..lists.len()).rev().collect();
        let as_written: Vec<usize> = self.prices.write_order.iter().rev().copied().collect();
        let alternately: Vec<usize> = as_stored.iter().zip(&as_written).flat_map(|(&a, &b)| [a, b]).collect();
        let mut best = self.fewest_steps(lists, budget);
        for order in [as_stored, as_written, alternately] {
            // From each start half of what looking at all would be at most.
            let mut climber = Climber { search: self, lists, budget, left: self.exhaustive_max / 2 };
            if let Some((at, cost)) = climber.climb(start.clone(), &order) {
                let axes = lists.iter().zip(&at).map(|(list, &at)| list[at]).collect();
                best = Some(Found { axes, cost, is_exhaustive: false }.better(best));
            }
        }
        best
    }

    /// The candidate with the fewest steps. A single step has a single Max block, so that all others may need more memory, and
    /// climbing leads nowhere.
    fn fewest_steps(&self, lists: &Choices, budget: &mut Budget) -> Option<Found> {
        let fewest = |list: &Vec<Counted>| list.iter().min_by_key(|axis| axis.steps).copied();
        let axes: Vec<Counted> = lists.iter().map(fewest).collect::<Option<_>>()?;
        let cost = budget.take().then(|| within(&axes, self.prices, self.memory_elems))??;
        Some(Found { axes, cost, is_exhaustive: false })
    }

    /// Lets write blocks grow into the memory that is left, one dimension after the other, as long as that helps.
    fn refine(&self, found: &mut Found, budget: &mut Budget) {
        for _ in 0..REFINEMENTS_MAX {
            let before = found.cost;
            for d in 0..self.dims() {
                let Axis { block, reads_whole, .. } = found.axes[d].axis;
                for block in self.larger_blocks(d, block, found.cost.memory_elems) {
                    for axis in self.templates(d, reads_whole, block, Fineness::AtMost(8)) {
                        if !budget.take() {
                            return;
                        }
                        let kept = std::mem::replace(&mut found.axes[d], axis);
                        match within(&found.axes, self.prices, self.memory_elems) {
                            Some(cost) if cost.compare(&found.cost).is_lt() => found.cost = cost,
                            _ => found.axes[d] = kept,
                        }
                    }
                }
            }
            if found.cost.compare(&before).is_eq() {
                break;
            }
        }
    }

    /// Write blocks along a dimension that may use the memory up, from one that takes `memory_elems`: the largest, and those
    /// below it that are in bricks, or of which a brick is so many.
    fn larger_blocks(&self, d: usize, block: u64, memory_elems: u128) -> Vec<u64> {
        let limit = u128::from(block) * self.memory_elems / memory_elems.max(1);
        let limit = u64::try_from(limit).unwrap_or(u64::MAX).min(self.shapes.dims[d]);
        let mut blocks = vec![limit];
        for brick in [self.shapes.source[d], self.shapes.target[d]] {
            let bricks = limit / brick;
            blocks.extend([bricks, bricks.saturating_sub(1)].map(|bricks| bricks.saturating_mul(brick)));
            blocks.push(brick.div_ceil(brick.div_ceil(limit.max(1))));
        }
        // What is used grows not only with the block, and round numbers end on pages.
        for limit in [limit, limit - limit / 16, limit - limit / 8] {
            blocks.push(limit);
            blocks.extend([8, 16, 32, 64, 128].map(|round| limit / round * round));
        }
        blocks.retain(|&larger| larger > block);
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }

    /// The least memory that any candidate of [`parts`](Self::parts) needs: one element at a time.
    pub(crate) fn memory_least(&self) -> u128 {
        let one = |d: usize| -> Counted { self.shapes.axis(d, false, 1, 1) };
        buffers_elems(&(0..self.dims()).map(one).collect::<Vec<_>>(), self.prices)
    }
}

struct Climber<'a> {
    search: &'a Search<'a>,
    lists: &'a Choices,
    budget: &'a mut Budget,
    /// So many candidates may be looked at, if the budget has them.
    left: usize,
}

impl Climber<'_> {
    fn look(&mut self, at: &[usize]) -> Option<PassCost> {
        self.left = self.left.checked_sub(1)?;
        if !self.budget.take() {
            return None;
        }
        let axes: Vec<Counted> = self.lists.iter().zip(at).map(|(list, &at)| list[at]).collect();
        within(&axes, self.search.prices, self.search.memory_elems)
    }

    fn climb(&mut self, mut at: Vec<usize>, order: &[usize]) -> Option<(Vec<usize>, PassCost)> {
        let mut cost = self.look(&at)?;
        loop {
            let before = cost;
            for &d in order {
                self.change_one(&mut at, &mut cost, d);
            }
            self.change_two(&mut at, &mut cost);
            if cost.compare(&before).is_eq() || self.left == 0 {
                return Some((at, cost));
            }
        }
    }

    /// The best choice along one dimension, with the others as they are.
    fn change_one(&mut self, at: &mut [usize], cost: &mut PassCost, d: usize) {
        let mut kept = at[d];
        for choice in 0..self.lists[d].len() {
            at[d] = choice;
            if let Some(found) = self.look(at).filter(|found| found.compare(cost).is_lt()) {
                (*cost, kept) = (found, choice);
            }
        }
        at[d] = kept;
    }

    /// Takes from one dimension and gives to another.
    fn change_two(&mut self, at: &mut [usize], cost: &mut PassCost) {
        for less in 0..at.len() {
            for more in (0..at.len()).filter(|&more| more != less) {
                for (down, up) in [(1, 1), (2, 1), (1, 2), (3, 3), (5, 5)] {
                    let before = (at[less], at[more]);
                    let (Some(lower), higher) = (at[less].checked_sub(down), at[more] + up) else { continue };
                    if higher >= self.lists[more].len() {
                        continue;
                    }
                    (at[less], at[more]) = (lower, higher);
                    if let Some(found) = self.look(at).filter(|found| found.compare(cost).is_lt()) {
                        *cost = found;
                    } else {
                        (at[less], at[more]) = before;
                    }
                }
            }
        }
    }
}

/// Numbers from 1 to `last`, both of them, at most about `count_max`, in even ratios, none twice.
fn ladder(last: u64, count_max: u64) -> impl Iterator<Item = u64> {
    let all = last <= count_max;
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rungs"
    )]
    let rung = move |step: u64| {
        let part = step as f64 / (count_max.max(2) - 1) as f64;
        ((last as f64).powf(part).round() as u64).clamp(1, last)
    };
    let mut previous = 0;
    (0..if all { last } else { count_max.max(2) })
        .map(move |step| match (all, step + 1 == count_max.max(2)) {
            (true, _) => step + 1,
            (false, true) => last,
            (false, false) => power_near(rung(step), last),
        })
        .filter(move |&value| value > std::mem::replace(&mut previous, value))
}

/// A power of two near a rung: bricks have extents that it divides more often than others.
fn power_near(rung: u64, last: u64) -> u64 {
    let below = 1u64 << rung.ilog2();
    let near = if rung - below > below / 2 { below.saturating_mul(2) } else { below };
    if rung < 6 { rung } else { near.min(last) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::model::DeviceModel;
    use crate::problem::Buffers;
    use proptest::prelude::*;

    /// Everything that a step, a template and what is read whole can be in one pass, one after the other; in the order of traversal that
    /// is chosen, than which none needs less memory (a test of `cost`). Left out are parts of target bricks shorter than the source bricks
    /// that are read whole: a step writes them together, so that they need the memory of longer ones, and are priced as if they did not.
    pub(crate) fn by_force(search: &Search<'_>) -> Option<f64> {
        let dims = search.dims();
        let axes = |d: usize, reads_whole: bool| -> Vec<Counted> {
            let len = search.shapes.dims[d];
            let (source_brick, target_brick) = (search.shapes.source[d], search.shapes.target[d]);
            let is_part =
                |block: &u64| reads_whole && *block < source_brick && !block.is_multiple_of(target_brick);
            let blocks = (1..=len).filter(|block| !is_part(block));
            let blocks = blocks.flat_map(|block| (1..=len.div_ceil(block)).map(move |count| (block, count)));
            blocks.map(|(block, count)| search.shapes.axis(d, reads_whole, block, block * count)).collect()
        };
        let mut best: Option<f64> = None;
        for level in 0..=dims {
            let lists: Vec<Vec<Counted>> = (0..dims).map(|d| axes(d, d >= level)).collect();
            let counts: Vec<u64> = lists.iter().map(|list| list.len() as u64).collect();
            for at in section::Section::whole(&counts).unwrap().indices() {
                let axes: Vec<Counted> = (0..dims).map(|d| lists[d][section::size(at[d])]).collect();
                if let Some(cost) = within(&axes, search.prices, search.memory_elems) {
                    best = Some(best.map_or(cost.seconds, |best| best.min(cost.seconds)));
                }
            }
        }
        best
    }

    fn shapes(of: &[(u64, u64, u64)]) -> Shapes {
        let shape = |value: fn(&(u64, u64, u64)) -> u64| section::Shape::from_fn(of.len(), |d| value(&of[d]));
        Shapes {
            dims: shape(|d| d.0),
            source: shape(|d| d.1.min(d.0)),
            target: shape(|d| d.2.min(d.0)),
            source_stored: shape(|d| d.1),
            target_stored: shape(|d| d.2),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        #[test]
        fn nothing_is_better_than_what_an_exhaustive_search_finds(
            dims in prop::collection::vec((1u64..11, 1u64..8, 1u64..8), 1..=2),
            memory_elems in 1u128..150,
            operations_per_second in prop::sample::select(vec![1u64 << 10, 1 << 20, 1 << 30]),
            (max_blocks, write_blocks, last_first) in (1u64..3, 0u64..2, any::<bool>()),
        ) {
            let device = DeviceModel { operations_per_second, page_bytes: 32, ..DeviceModel::default() };
            let mut write_order: Vec<usize> = (0..dims.len()).collect();
            if last_first {
                write_order.reverse();
            }
            let buffers = Buffers { max_blocks, write_blocks };
            let prices = Prices { device: &device, buffers, element_bytes: 8, rounding_bytes: 0, write_order: &write_order };
            let shapes = shapes(&dims);
            let search = Search { shapes: &shapes, prices: &prices, memory_elems, exhaustive_max: EXHAUSTIVE_MAX };
            let found = search.parts(&mut Budget::default());
            prop_assert!(found.as_ref().is_none_or(|found| found.is_exhaustive));
            prop_assert_eq!(found.map(|found| found.cost.seconds), by_force(&search));
        }

        #[test]
        fn what_is_found_in_thinned_lists_is_nearly_as_good(
            dims in prop::collection::vec((8u64..25, 2u64..16, 2u64..16), 2..=2),
            memory_part in 3u64..30,
        ) {
            let device = DeviceModel { operations_per_second: 1 << 26, page_bytes: 8, ..DeviceModel::default() };
            let buffers = Buffers { max_blocks: 2, write_blocks: 1 };
            let prices = Prices { device: &device, buffers, element_bytes: 8, rounding_bytes: 0, write_order: &[1, 0] };
            let shapes = shapes(&dims);
            let elems: u64 = dims.iter().map(|d| d.0).product();
            let memory_elems = u128::from(elems / memory_part + 3);
            let of = |exhaustive_max| {
                let search = Search { shapes: &shapes, prices: &prices, memory_elems, exhaustive_max };
                search.parts(&mut Budget::default()).expect("one element fits")
            };
            let (all, thinned) = (of(usize::MAX), of(500));
            prop_assert!(all.is_exhaustive);
            prop_assert!(thinned.cost.seconds >= all.cost.seconds);
            prop_assert!(thinned.cost.seconds <= all.cost.seconds * 1.5, "{thinned:?} instead of {all:?}");
        }
    }

    #[test]
    fn where_the_list_of_one_level_is_thinned_not_every_candidate_was_looked_at() {
        let device = DeviceModel::default();
        let prices = Prices {
            device: &device,
            buffers: Buffers::default(),
            element_bytes: 8,
            rounding_bytes: 0,
            write_order: &[0, 1],
        };
        let found = |len| {
            let shapes = shapes(&[(len, 8, 8), (len, 8, 8)]);
            let search = Search {
                shapes: &shapes,
                prices: &prices,
                memory_elems: u128::from(len * len * 4),
                exhaustive_max: EXHAUSTIVE_MAX,
            };
            // With whole bricks in no dimension all write blocks of both are choices, with whole ones in both far more.
            let affords = [false, true].map(|whole| search.affords(|d| search.choices_count(d, whole)));
            (affords, search.parts(&mut Budget::default()).expect("it fits").is_exhaustive)
        };
        assert_eq!(found(16), ([true, true], true));
        assert_eq!(found(120), ([true, false], false));
    }

    #[test]
    fn a_single_step_is_found_where_all_else_needs_a_second_max_block() {
        let device = DeviceModel::default();
        let buffers = Buffers { max_blocks: 2, write_blocks: 0 };
        let prices =
            Prices { device: &device, buffers, element_bytes: 8, rounding_bytes: 0, write_order: &[0, 1] };
        // The array is one source brick.
        let shapes = shapes(&[(60, 60, 10), (60, 60, 10)]);
        // All candidates are looked at, the lists are thinned, one climbs.
        for exhaustive_max in [EXHAUSTIVE_MAX, 4, 3] {
            let found = |memory_elems| {
                let search = Search { shapes: &shapes, prices: &prices, memory_elems, exhaustive_max };
                search.whole_bricks(&[1, 1], &mut Budget::default())
            };
            let cost = found(3600).expect("it fits").cost;
            assert_eq!((cost.steps, cost.max_blocks, cost.memory_elems), (1, 1, 3600));
            assert!(found(3599).is_none());
        }
    }

    #[test]
    fn a_ladder_has_its_ends_and_ascends() {
        for last in [1, 2, 7, 24, 25, 1000, u64::MAX] {
            for count_max in [2, 3, 12, 24] {
                let rungs: Vec<u64> = ladder(last, count_max).collect();
                assert!(rungs.is_sorted_by(|a, b| a < b), "{rungs:?}");
                assert_eq!((rungs[0], *rungs.last().unwrap()), (1, last));
                assert!(rungs.len() as u64 <= count_max.max(last.min(count_max)), "{rungs:?}");
            }
        }
    }
}
