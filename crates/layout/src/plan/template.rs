//! The paper's heuristic for the template of a pass over whole bricks.
//!
//! From the least common multiples downwards until the template fits in memory, then upwards as far as it does, then to
//! neighbours with the steepest descent of volume against memory. It is here to be compared with: the
//! [search](super::search) looks further.
//!
//! Source: Krishnamoorthy et al., section 4.2 and figure 3.

use super::axis::lcm;
use super::cost::{Counted, PassCost, Prices, within};
use super::search::Budget;
use crate::problem::Shapes;

/// So many templates are looked at; the heuristic has no bound of its own.
const STEPS_MAX: usize = 2_000;

/// A template, as numbers of write blocks along each dimension.
#[derive(Clone, Debug)]
struct Template {
    axes: Vec<Counted>,
    cost: PassCost,
}

struct Heuristic<'a, 'b> {
    shapes: &'a Shapes,
    prices: &'a Prices<'a>,
    memory_elems: u128,
    /// Write blocks.
    blocks: Vec<u64>,
    /// The most of them in a template.
    counts_max: Vec<u64>,
    examined: usize,
    budget: &'b mut Budget,
}

/// What figure 3 finds for write blocks of `factors` target bricks.
pub(crate) fn figure_3(
    shapes: &Shapes,
    prices: &Prices<'_>,
    memory_elems: u128,
    factors: &[u64],
    budget: &mut Budget,
) -> Option<(Vec<Counted>, PassCost)> {
    let dims = shapes.dims.len();
    let blocks: Vec<u64> = (0..dims).map(|d| shapes.target[d].saturating_mul(factors[d])).collect();
    let of_all = |d: usize| lcm(shapes.source[d], blocks[d]).min(shapes.dims[d]).div_ceil(blocks[d]);
    let counts_max = (0..dims).map(of_all).collect();
    let mut heuristic = Heuristic { shapes, prices, memory_elems, blocks, counts_max, examined: 0, budget };
    heuristic.run().map(|template| (template.axes, template.cost))
}

impl Heuristic<'_, '_> {
    fn run(&mut self) -> Option<Template> {
        let (mut counts, mut best) = self.shrunk()?;
        self.grow(&mut counts, &mut best);
        while self.examined < STEPS_MAX {
            let Some((counts_next, next)) = self.descend(&counts, &best) else { break };
            if next.cost.read_elems >= best.cost.read_elems {
                break;
            }
            (counts, best) = (counts_next, next);
        }
        Some(best)
    }

    fn look(&mut self, counts: &[u64]) -> Option<Template> {
        self.look_within(counts, self.memory_elems)
    }

    fn look_within(&mut self, counts: &[u64], memory_elems: u128) -> Option<Template> {
        if !self.budget.take() {
            return None;
        }
        self.examined += 1;
        let of_dim = |d: usize| -> Counted {
            let template = self.blocks[d].saturating_mul(counts[d]);
            self.shapes.axis(d, true, self.blocks[d], template)
        };
        let axes: Vec<Counted> = (0..counts.len()).map(of_dim).collect();
        within(&axes, self.prices, memory_elems).map(|cost| Template { axes, cost })
    }

    /// Steps 1 to 3: all dimensions by so many blocks less, the fewest with which it fits.
    fn shrunk(&mut self) -> Option<(Vec<u64>, Template)> {
        let less = |heuristic: &Self, by: u64| -> Vec<u64> {
            heuristic.counts_max.iter().map(|count| count.saturating_sub(by).max(1)).collect()
        };
        let all = self.counts_max.clone();
        if let Some(found) = self.look(&all) {
            return Some((all, found));
        }
        let (mut fits_not, mut fits) = (0, *all.iter().max()? - 1);
        let counts = less(self, fits);
        let mut best = (counts.clone(), self.look(&counts)?);
        // Nothing but the largest template can be a single step, with a single Max block. Of the others a smaller one needs no more
        // memory, so the border can be found by halving.
        while fits > fits_not + 1 {
            let middle = fits_not + (fits - fits_not) / 2;
            let counts = less(self, middle);
            match self.look(&counts) {
                Some(found) => (fits, best) = (middle, (counts, found)),
                None => fits_not = middle,
            }
        }
        Some(best)
    }

    /// Step 4: by a block at a time along each dimension in turn, as long as it fits.
    fn grow(&mut self, counts: &mut [u64], best: &mut Template) {
        let mut moved = true;
        while moved && self.examined < STEPS_MAX {
            moved = false;
            for d in 0..counts.len() {
                counts[d] += 1;
                let found = if counts[d] <= self.counts_max[d] { self.look(counts) } else { None };
                match found {
                    Some(found) => (*best, moved) = (found, true),
                    None => counts[d] -= 1,
                }
            }
        }
    }

    /// Steps 6 and 7: the neighbour with the steepest descent, and what of its neighbours fits with the least volume.
    fn descend(&mut self, counts: &[u64], from: &Template) -> Option<(Vec<u64>, Template)> {
        let mut steepest: Option<(f64, Vec<u64>)> = None;
        for d in 0..counts.len() {
            let mut next = counts.to_vec();
            next[d] += 1;
            if next[d] > self.counts_max[d] {
                continue;
            }
            let Some(larger) = self.look_within(&next, u128::MAX) else { continue };
            let rate = descent(&from.cost, &larger.cost);
            if steepest.as_ref().is_none_or(|(best, _)| rate > *best) {
                steepest = Some((rate, next));
            }
        }
        let (_, steepest) = steepest?;
        let mut best: Option<(Vec<u64>, Template)> = None;
        for d in 0..counts.len() {
            for by in 1..=steepest[d].saturating_sub(1).min(64) {
                let mut next = steepest.clone();
                next[d] -= by;
                let Some(found) = self.look(&next) else { continue };
                if best.as_ref().is_none_or(|(_, best)| found.cost.read_elems < best.cost.read_elems) {
                    best = Some((next, found));
                }
                break;
            }
        }
        best
    }
}

/// Elements read less for each element of memory more.
#[expect(clippy::cast_precision_loss, reason = "a comparison of rates")]
fn descent(from: &PassCost, to: &PassCost) -> f64 {
    let less = from.read_elems as f64 - to.read_elems as f64;
    less / (to.memory_elems as f64 - from.memory_elems as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::DeviceModel;
    use crate::problem::Buffers;
    use section::Shape;

    fn found(memory_elems: u128) -> Option<(Vec<u64>, f64)> {
        let device = DeviceModel::volume_only();
        let buffers = Buffers { max_blocks: 1, write_blocks: 0 };
        let prices =
            Prices { device: &device, buffers, element_bytes: 8, rounding_bytes: 0, write_order: &[0, 1] };
        let shape = |extents: &[u64]| Shape::new(extents).unwrap();
        let shapes = Shapes::whole(shape(&[160_000, 144_000]), shape(&[32, 9]), shape(&[5, 16]));
        figure_3(&shapes, &prices, memory_elems, &[1, 1], &mut Budget::default())
            .map(|(axes, cost)| (axes.iter().map(|axis| axis.axis.template).collect(), cost.io_per_element()))
    }

    #[test]
    fn the_worked_example_at_900_elements_takes_a_template_of_160_by_16() {
        let (template, io) = found(900).unwrap();
        assert_eq!(template, [160, 16]);
        assert!((io - 2.5).abs() < 1e-9, "{io}");
    }

    #[test]
    fn with_all_the_memory_that_retaining_needs_nothing_is_read_twice() {
        let (template, io) = found(1408).unwrap();
        assert_eq!(template, [160, 144]);
        assert!((io - 2.0).abs() < 1e-9, "{io}");
        assert!(found(600).is_none(), "a Max block does not fit");
    }

    #[test]
    fn a_single_step_is_found_where_smaller_templates_need_a_second_max_block() {
        let device = DeviceModel::volume_only();
        let buffers = Buffers { max_blocks: 2, write_blocks: 0 };
        let prices =
            Prices { device: &device, buffers, element_bytes: 8, rounding_bytes: 0, write_order: &[0, 1] };
        let shape = |extents: &[u64]| Shape::new(extents).unwrap();
        // The array is one source brick.
        let shapes = Shapes::whole(shape(&[60, 60]), shape(&[60, 60]), shape(&[10, 10]));
        let found = |memory_elems| figure_3(&shapes, &prices, memory_elems, &[1, 1], &mut Budget::default());
        let (_, cost) = found(3600).expect("it fits");
        assert_eq!((cost.steps, cost.max_blocks, cost.memory_elems), (1, 1, 3600));
        assert!(found(3599).is_none());
    }

    #[test]
    fn at_800_elements_there_is_a_single_pass() {
        let (_, io) = found(800).unwrap();
        assert!(io < 4.5, "cheaper than the paper's two passes: {io}");
    }
}
