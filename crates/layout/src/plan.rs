//! Plans: which passes, and how each of them goes through the array.

pub(crate) mod axis;
pub(crate) mod cost;
pub(crate) mod multipass;
pub(crate) mod parallel;
pub(crate) mod search;
pub(crate) mod template;

use crate::error::{Error, Result};
use crate::memory::{between_brick_bytes_max, brick_bytes_max};
use crate::model::Work;
use crate::on_disk;
use crate::permutation::Permutation;
use crate::problem::{Buffers, Problem, Shapes, Units};
use axis::Axis;
use cost::{Counted, PassCost, Prices, product, traversal_order};
use multipass::{Bounds, Leg, Solved, best_passes, bricks_count, seconds};
use parallel::balanced_factors;
use search::{Budget, CANDIDATES_MAX, EXHAUSTIVE_MAX, Effort, Found, Search};
use section::{BrickGrid, Shape};

/// A kind of plans, of which the best is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The paper's heuristics: figure 3 for templates, figure 4 for passes.
    Paper,
    /// The best templates and passes over whole bricks.
    WholeBricks,
    /// The best write blocks, templates and units, with parts of bricks.
    Parts,
}

/// The best plan of a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// Which kind.
    pub kind: Kind,
    /// Its passes; none if no plan of this kind was found.
    pub passes: Vec<Pass>,
    /// Whether the search ended because so many candidates had been looked at. If not, and there are no passes, no plan of this kind gets
    /// by with the memory.
    pub is_cut_short: bool,
}

/// How to re-block an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    problem: Problem,
    kind: Kind,
    passes: Vec<Pass>,
    alternatives: Vec<Alternative>,
    candidates_examined: usize,
}

/// One pass: all of the array, from one shape of bricks to another. Shapes are in the source's order of dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    dims: Shape,
    source_brick: Shape,
    target_brick: Shape,
    permutation: Permutation,
    axes: Vec<Axis>,
    order: Vec<usize>,
    cost: PassCost,
    is_exhaustive: bool,
}

impl Pass {
    fn new((leg, found): Solved) -> Self {
        let (order, dims) = traversal_order(&found.axes);
        Self {
            dims: leg.shapes.dims,
            source_brick: leg.shapes.source,
            target_brick: leg.shapes.target,
            permutation: leg.permutation,
            axes: found.axes.iter().map(|counted| counted.axis).collect(),
            order: order[..dims].to_vec(),
            cost: found.cost,
            is_exhaustive: found.is_exhaustive,
        }
    }

    /// Extents of the array.
    pub fn dims(&self) -> &Shape {
        &self.dims
    }

    /// Extents of a brick that is read; no larger than the array.
    pub fn source_brick(&self) -> &Shape {
        &self.source_brick
    }

    /// Extents of a brick that is written, as the source calls its dimensions; no larger than the array.
    pub fn target_brick(&self) -> &Shape {
        &self.target_brick
    }

    /// What becomes of the dimensions: only the last pass changes them.
    pub fn permutation(&self) -> &Permutation {
        &self.permutation
    }

    /// How each dimension is cut.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The dimensions as they are traversed within a template, the fastest first.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// What it costs.
    pub fn cost(&self) -> &PassCost {
        &self.cost
    }

    /// Whether every way that this kind of plan has to do it in one pass was looked at.
    pub fn is_exhaustive(&self) -> bool {
        self.is_exhaustive
    }

    /// The write block: what a step completes.
    pub fn block(&self) -> Shape {
        self.along(|axis| axis.block.min(axis.len))
    }

    /// The template: beyond its end nothing is retained.
    pub fn template(&self) -> Shape {
        self.along(Axis::template_len)
    }

    /// The Max block: the most that a step reads.
    pub fn max_block(&self) -> Shape {
        self.along(Axis::step_max)
    }

    /// The most that a step leaves over along each dimension.
    pub fn unused(&self) -> Shape {
        self.along(Axis::unused_max)
    }

    /// The read unit: what cannot be read in part.
    pub fn read_unit(&self) -> Shape {
        self.along(Axis::read_unit)
    }

    /// The write unit: the part of a target brick that is written at once.
    pub fn write_unit(&self) -> Shape {
        self.along(Axis::write_unit)
    }

    fn along(&self, value: impl Fn(&Axis) -> u64) -> Shape {
        Shape::from_fn(self.axes.len(), |d| value(&self.axes[d]))
    }
}

impl Plan {
    /// What was asked.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Which kind of plan it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its passes, one at least.
    pub fn passes(&self) -> &[Pass] {
        &self.passes
    }

    /// The best plan of each kind that was tried.
    pub fn alternatives(&self) -> &[Alternative] {
        &self.alternatives
    }

    /// How many candidates were looked at.
    pub fn candidates_examined(&self) -> usize {
        self.candidates_examined
    }

    /// Elements read and written for each element of the array; 2 if everything is moved once.
    pub fn io_per_element(&self) -> f64 {
        self.passes.iter().map(|pass| pass.cost.io_per_element()).sum()
    }

    /// Contiguous reads and writes.
    pub fn operations(&self) -> u128 {
        self.passes.iter().map(|pass| pass.cost.operations()).fold(0, u128::saturating_add)
    }

    /// The most memory that is in use at once, the sum over all ranks, in bytes. Not more than the problem has.
    pub fn memory_bytes_max(&self) -> u64 {
        let elems = self.passes.iter().map(|pass| pass.cost.memory_elems).max().unwrap_or(0);
        u64::try_from(elems.saturating_mul(u128::from(self.problem.element_bytes))).unwrap_or(u64::MAX)
    }

    /// Bytes that intermediate arrays take on disk at once, at most: each pass has one to read and one to write, and the first
    /// source and the last target are not counted. With all that `chemio-disk-array` makes of an array: files are equal boxes of bricks, each of which begins at a
    /// multiple of [`align_bytes`](Problem::align_bytes), also those beyond the array; behind them is an index; and there are
    /// metadata and directories. On a file system with blocks of 4 KiB.
    pub fn disk_bytes_max(&self) -> u128 {
        let problem = &self.problem;
        let written = |pass: &Pass| {
            let brick_bytes =
                u128::from(problem.element_bytes).saturating_mul(product(pass.target_brick.iter().copied()));
            let counts = Shape::from_fn(pass.dims.len(), |d| pass.dims[d].div_ceil(pass.target_brick[d]));
            on_disk::bytes_max(&counts, brick_bytes, problem.align_bytes, problem.files)
        };
        let intermediates: Vec<u128> = self.passes[..self.passes.len() - 1].iter().map(written).collect();
        let pairs = intermediates.windows(2).map(|pair| pair[0].saturating_add(pair[1])).max();
        pairs.or(intermediates.first().copied()).unwrap_or(0)
    }

    /// How long the device takes.
    pub fn seconds(&self) -> f64 {
        self.passes.iter().map(|pass| pass.cost.seconds).sum()
    }
}

/// The cheapest plan that was found. Deterministic. Cost: at most [`CANDIDATES_MAX`](crate::CANDIDATES_MAX) candidates, and as a
/// rule some ten thousand, or some hundred thousand where several passes may be cheaper than one; it does not depend on the size of the array.
///
/// # Errors
/// - [`Error::Shape`], [`Error::DimsDiffer`], [`Error::Zero`], [`Error::TooLarge`], [`Error::Ranks`], [`Error::IoProcesses`]: the
///   problem makes no sense.
/// - [`Error::Memory`]: there is not enough memory.
pub fn plan(problem: &Problem) -> Result<Plan> {
    plan_within(problem, CANDIDATES_MAX)
}

/// A plan for which at most so many candidates are looked at.
fn plan_within(problem: &Problem, candidates_max: usize) -> Result<Plan> {
    let shapes = problem.check()?;
    let planner = Planner { problem, memory_elems: problem.memory_elems() };
    let leg = Leg { shapes, permutation: problem.permutation };
    let kinds = match problem.units {
        Units::WholeBricks => &[Kind::Paper, Kind::WholeBricks][..],
        Units::Parts => &[Kind::Paper, Kind::WholeBricks, Kind::Parts],
    };
    let mut best: Option<(f64, Kind, Vec<Pass>)> = None;
    let (mut alternatives, mut candidates_examined) = (vec![], 0);
    for (number, &kind) in kinds.iter().enumerate() {
        // What is left in equal shares, so that no kind leaves nothing to those after it.
        let mut budget = Budget::new((candidates_max - candidates_examined) / (kinds.len() - number));
        let solved = planner.passes(&leg, kind, &mut budget);
        candidates_examined += budget.examined;
        let cost = solved.as_deref().map(seconds);
        let passes: Vec<Pass> = solved.into_iter().flatten().map(Pass::new).collect();
        if let Some(seconds) = cost
            && best.as_ref().is_none_or(|(least, ..)| seconds < *least)
        {
            best = Some((seconds, kind, passes.clone()));
        }
        alternatives.push(Alternative { kind, passes, is_cut_short: budget.is_spent() });
    }
    let (_, kind, passes) = best.ok_or_else(|| planner.no_memory(&leg))?;
    let problem = problem.clone();
    Ok(Plan { problem, kind, passes, alternatives, candidates_examined })
}

struct Planner<'a> {
    problem: &'a Problem,
    memory_elems: u128,
}

impl Planner<'_> {
    fn prices<'b>(&'b self, leg: &'b Leg, buffers: Buffers) -> Prices<'b> {
        Prices {
            device: &self.problem.device,
            buffers,
            element_bytes: self.problem.element_bytes,
            rounding_bytes: self.problem.rounding_bytes,
            write_order: leg.permutation.source(),
        }
    }

    fn passes(&self, leg: &Leg, kind: Kind, budget: &mut Budget) -> Option<Vec<Solved>> {
        let bounds = Bounds {
            ideal_seconds: self.ideal_seconds(leg, self.problem.buffers),
            brick_elems_max: self.between_elems_max(leg),
            bricks_count_min: self.between_count_min(leg),
            means_only: kind == Kind::Paper,
        };
        let mut single =
            |leg: &Leg, effort: Effort, budget: &mut Budget| self.single(leg, kind, effort, budget);
        best_passes(leg, &mut single, bounds, budget)
    }

    /// Elements of a brick between passes, at most.
    fn between_elems_max(&self, leg: &Leg) -> u64 {
        let Problem { buffers_bytes, element_bytes, align_bytes, .. } = *self.problem;
        let elems = |brick: Shape| u64::try_from(product(brick.iter().copied())).unwrap_or(u64::MAX);
        let [source, target] = [leg.shapes.source_stored, leg.shapes.target_stored].map(elems);
        let [source_bytes, target_bytes] = [source, target].map(|elems| elems.saturating_mul(element_bytes));
        let larger_bytes = brick_bytes_max(source_bytes, target_bytes, align_bytes);
        let between_bytes = between_brick_bytes_max(buffers_bytes, larger_bytes);
        // Each begins at such a multiple.
        (between_bytes / align_bytes * align_bytes / element_bytes).max(source).max(target)
    }

    /// So many bricks there are between passes at least, so that each rank that writes, and each host's file, has some, if those of the source
    /// or the target are as many.
    fn between_count_min(&self, leg: &Leg) -> u128 {
        let Shapes { dims, source, target, .. } = leg.shapes;
        let Problem { io_processes, files, .. } = *self.problem;
        bricks_count(&dims, &source).min(bricks_count(&dims, &target)).min(io_processes.max(files).into())
    }

    /// How long it takes to read and to write everything once, whatever that means for operations, steps and memory.
    fn ideal_seconds(&self, leg: &Leg, buffers: Buffers) -> f64 {
        let bytes = u128::from(leg.shapes.dims.iter().product::<u64>() * self.problem.element_bytes);
        let alone_bytes = if buffers.max_blocks > 1 { 0 } else { bytes };
        self.problem.device.seconds(Work {
            read_bytes: bytes,
            written_bytes: bytes,
            read_alone_bytes: alone_bytes,
            written_alone_bytes: alone_bytes,
            ..Work::default()
        })
    }

    /// The best pass of a kind.
    fn single(&self, leg: &Leg, kind: Kind, effort: Effort, budget: &mut Budget) -> Option<Found> {
        let exhaustive_max = if effort == Effort::All { EXHAUSTIVE_MAX } else { EXHAUSTIVE_MAX / 5 };
        let (mut best, mut is_exhaustive): (Option<Found>, bool) = (None, true);
        for buffers in self.problem.buffers.choices() {
            if let Some(best) = &best {
                // Nothing is quicker than moving everything once.
                if best.cost.seconds <= self.ideal_seconds(leg, buffers) {
                    break;
                }
                if effort == Effort::Little || budget.is_spent() {
                    is_exhaustive = false;
                    break;
                }
            }
            if let Some(found) = self.with_buffers(leg, kind, buffers, exhaustive_max, budget) {
                is_exhaustive &= found.is_exhaustive;
                best = Some(found.better(best));
            }
        }
        is_exhaustive &= !budget.is_spent();
        best.map(|found| Found { is_exhaustive, ..found })
    }

    fn with_buffers(
        &self,
        leg: &Leg,
        kind: Kind,
        buffers: Buffers,
        exhaustive_max: usize,
        budget: &mut Budget,
    ) -> Option<Found> {
        let prices = self.prices(leg, buffers);
        let (shapes, memory_elems) = (&leg.shapes, self.memory_elems);
        let search = Search { shapes, prices: &prices, memory_elems, exhaustive_max };
        let mut best: Option<Found> = None;
        match kind {
            Kind::Parts => best = search.parts(budget),
            Kind::WholeBricks => {
                let factors = self.factors(leg);
                let mut is_exhaustive = factors.len() < FACTORS_MAX;
                for factors in factors {
                    if let Some(found) = search.whole_bricks(&factors, budget) {
                        is_exhaustive &= found.is_exhaustive;
                        best = Some(found.better(best));
                    }
                }
                is_exhaustive &= !budget.is_spent();
                best = best.map(|found| Found { is_exhaustive, ..found });
            }
            Kind::Paper => {
                for factors in self.factors(leg) {
                    let found = template::figure_3(shapes, &prices, memory_elems, &factors, budget);
                    if let Some((axes, cost)) = found {
                        best = Some(Found { axes, cost, is_exhaustive: false }.better(best));
                    }
                }
            }
        }
        best
    }

    /// How many target bricks a write block has along each source dimension, so that all I/O processes have something to write.
    fn factors(&self, leg: &Leg) -> Vec<Shape> {
        let (dims, brick) =
            (leg.permutation.to_target(&leg.shapes.dims), leg.permutation.to_target(&leg.shapes.target));
        let grid = BrickGrid::new(&dims, &brick).expect("a problem that was checked");
        let factors = balanced_factors(self.problem.owners, grid.counts(), self.problem.io_processes);
        let to_source = |factors: Vec<u64>| leg.permutation.to_source(&factors);
        let mut found: Vec<Shape> = factors.into_iter().map(to_source).take(FACTORS_MAX).collect();
        // Rather some without work than no plan.
        let single = Shape::filled(dims.len(), 1);
        if !found.contains(&single) {
            found.push(single);
        }
        found
    }

    /// With how much memory there would be a plan: a single Max block, as small as it can be.
    fn no_memory(&self, leg: &Leg) -> Error {
        let prices = self.prices(leg, Buffers { max_blocks: 1, ..self.problem.buffers });
        let needed_elems = match self.problem.units {
            Units::Parts => {
                let (shapes, memory_elems) = (&leg.shapes, u128::MAX);
                Search { shapes, prices: &prices, memory_elems, exhaustive_max: 0 }.memory_least()
            }
            Units::WholeBricks => {
                let of_dim = |d: usize| -> Counted {
                    let block = leg.shapes.target[d];
                    leg.shapes.axis(d, true, block, block)
                };
                let axes: Vec<Counted> = (0..leg.shapes.dims.len()).map(of_dim).collect();
                cost::within(&axes, &prices, u128::MAX).map_or(0, |cost| cost.memory_elems)
            }
        };
        let needed_bytes = needed_elems.saturating_mul(u128::from(self.problem.element_bytes));
        Error::Memory {
            memory_bytes: self.problem.memory_bytes,
            needed_bytes: u64::try_from(needed_bytes).unwrap_or(u64::MAX),
        }
    }
}

/// So many shapes of balanced write blocks are tried.
const FACTORS_MAX: usize = 8;

#[cfg(test)]
mod tests;
