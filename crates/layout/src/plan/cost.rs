//! What a pass costs: memory, volume, operations, seconds. Formulas only.
//!
//! Definitions, of the dimensions `k` of a pass: `P_k` the template, `U_k` the most that a step leaves over, `Max_k` the most that
//! it reads, the *write unit* the longest part of a target brick that it writes, all of [`Axis`]. Dimensions are traversed in an
//! *order*, the first one fastest.
//!
//! What a step leaves over along dimension `k` is retained until `k` moves on: all that the faster dimensions go through
//! meanwhile, and of the slower ones what one step has. So
//!
//! ```text
//! retained   = sum over k of [ product(P of dimensions before k) * U_k * product(Max of those after k) ]
//! Max blocks = min(those of the buffers, steps)
//! memory     = retained + Max blocks * product(Max) + write blocks * product(write unit) + arrays * rounding
//! ```
//!
//! Each Max block and each write block is an *array* in memory, and so is all that is retained together, if there is something; an array
//! takes some more than its elements, the *rounding*.
//!
//! So memory does not always grow with the template: a pass that becomes a single step has a single Max block.
//!
//! Source: Krishnamoorthy et al., sections 4.1 and 4.2, figure 2, which has the least common multiple where the template must be,
//! sorts by it, and leaves the write block out.

use super::axis::{Axis, Pieces};
use crate::model::{DeviceModel, Work};
use crate::problem::Buffers;
use section::DIMS_MAX;
use std::cmp::Ordering;

/// What a pass costs. Elements and operations are exact, as far as runs are moved one by one; `memory_elems` is an upper bound.
///
/// A brick at the end of the array is stored whole. What it has there beyond the array, between elements that are moved, is moved with them,
/// unless it is more than [`DeviceModel::gap_bytes`], and counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassCost {
    /// Elements of the array.
    pub elems: u128,
    /// Elements read, those read again counted again.
    pub read_elems: u128,
    /// Contiguous reads.
    pub read_operations: u128,
    /// Those of them that do not begin or end on a page.
    pub unaligned_reads: u128,
    /// Elements written: those of the array each once.
    pub written_elems: u128,
    /// Contiguous writes.
    pub write_operations: u128,
    /// Those of them that do not begin or end on a page.
    pub unaligned_writes: u128,
    /// Steps.
    pub steps: u128,
    /// The most that is retained between steps.
    pub retained_elems: u128,
    /// Max blocks in memory, at most one for each step: with one, nothing is read while a step is written.
    pub max_blocks: u64,
    /// The most that is in memory.
    pub memory_elems: u128,
    /// How long the device takes.
    pub seconds: f64,
}

impl PassCost {
    /// Elements read and written for each element of the array.
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    pub fn io_per_element(&self) -> f64 {
        (self.read_elems + self.written_elems) as f64 / self.elems as f64
    }

    /// Reads and writes.
    pub fn operations(&self) -> u128 {
        self.read_operations.saturating_add(self.write_operations)
    }

    /// The quicker one; of equals the one with less memory, then with fewer steps.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let rest = |cost: &Self| (cost.memory_elems, cost.operations(), cost.steps);
        self.seconds.total_cmp(&other.seconds).then_with(|| rest(self).cmp(&rest(other)))
    }
}

/// An axis with what has been counted of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) axis: Axis,
    pub(crate) step_max: u64,
    pub(crate) unused_max: u64,
    template_len: u64,
    read: Pieces,
    write: Pieces,
    write_unit: u64,
    pub(crate) steps: u64,
    /// The extent of a source brick on disk, where it may be longer than the array.
    source_stored: u64,
    /// And that of a target brick.
    target_stored: u64,
}

impl Counted {
    pub(crate) fn stored(axis: Axis, source_stored: u64, target_stored: u64) -> Self {
        Self {
            source_stored,
            target_stored,
            axis,
            step_max: axis.step_max(),
            unused_max: axis.unused_max(),
            template_len: axis.template_len(),
            read: axis.read_pieces(),
            write: axis.write_pieces(),
            write_unit: axis.write_unit(),
            steps: axis.steps_count(),
        }
    }
}

/// What prices a pass besides its axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prices<'a> {
    pub(crate) device: &'a DeviceModel,
    pub(crate) buffers: Buffers,
    pub(crate) element_bytes: u64,
    /// What each array in memory takes beyond its elements, see [`Problem::rounding_bytes`](crate::Problem::rounding_bytes).
    pub(crate) rounding_bytes: u64,
    /// The dimensions as the target stores them, the slowest first.
    pub(crate) write_order: &'a [usize],
}

impl Prices<'_> {
    fn rounding_elems(&self) -> u128 {
        self.rounding_bytes.div_ceil(self.element_bytes).into()
    }
}

/// The order of traversal with the least memory, the fastest dimension first: ascending `(P - Max) / U`; where nothing is left
/// over, last if the template is longer than a step, first if it is shorter.
///
/// Source: by exchange of neighbours in the sum above; `REBLOCK`, 3.
pub(crate) fn traversal_order(axes: &[Counted]) -> ([usize; DIMS_MAX], usize) {
    let mut order = [0; DIMS_MAX];
    (0..axes.len()).for_each(|dim| order[dim] = dim);
    let key = |dim: usize| {
        let Counted { template_len, step_max, unused_max, .. } = axes[dim];
        (i128::from(template_len) - i128::from(step_max), i128::from(unused_max))
    };
    let side = |(growth, unused): (i128, i128)| match unused {
        0 if growth < 0 => -1,
        0 => 1,
        _ => 0,
    };
    order[..axes.len()].sort_by(|&a, &b| {
        let (a, b) = (key(a), key(b));
        match (side(a), side(b)) {
            (0, 0) => (a.0 * b.1).cmp(&(b.0 * a.1)),
            (a, b) => a.cmp(&b),
        }
    });
    (order, axes.len())
}

pub(crate) fn product(factors: impl Iterator<Item = u64>) -> u128 {
    factors.fold(1, |product: u128, factor| product.saturating_mul(u128::from(factor)))
}

/// The most that is retained between steps, with dimensions traversed in `order`.
pub(crate) fn retained_elems(axes: &[Counted], order: &[usize]) -> u128 {
    let of_dim = |(k, &dim): (usize, &usize)| {
        if axes[dim].unused_max == 0 {
            return 0;
        }
        product(order[..k].iter().map(|&before| axes[before].template_len))
            .saturating_mul(u128::from(axes[dim].unused_max))
            .saturating_mul(product(order[k + 1..].iter().map(|&after| axes[after].step_max)))
    };
    order.iter().enumerate().map(of_dim).fold(0, u128::saturating_add)
}

/// The largest block that a step reads.
fn max_block_elems(axes: &[Counted]) -> u128 {
    product(axes.iter().map(|axis| axis.step_max))
}

fn steps(axes: &[Counted]) -> u128 {
    product(axes.iter().map(|axis| axis.steps))
}

/// Max blocks that are in memory: no more than there are steps.
fn max_blocks(axes: &[Counted], buffers: Buffers) -> u64 {
    u64::try_from(steps(axes)).unwrap_or(u64::MAX).min(buffers.max_blocks)
}

/// Memory that steps need besides what is retained.
pub(crate) fn buffers_elems(axes: &[Counted], prices: &Prices<'_>) -> u128 {
    let write_block = product(axes.iter().map(|axis| axis.write_unit));
    let arrays = |count: u64, elems: u128| {
        u128::from(count).saturating_mul(elems.saturating_add(prices.rounding_elems()))
    };
    arrays(max_blocks(axes, prices.buffers), max_block_elems(axes))
        .saturating_add(arrays(prices.buffers.write_blocks, write_block))
}

/// One dimension of the pieces of bricks that are moved.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    pieces: Pieces,
    /// Extent of a brick on disk.
    brick: u64,
    /// The write block.
    block: u64,
}

/// What is moved in contiguous runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Runs {
    count: u128,
    /// Those of them that do not begin or end on a page.
    unaligned: u128,
    /// Elements in them, with what bricks have between them beyond the array.
    elems: u128,
}

/// Pieces that are contiguous in some dimensions, the fastest ones.
#[derive(Clone, Copy, Debug)]
struct Contiguous {
    count: u128,
    /// From the first element to the last one, in all of them together.
    steps: u128,
}

impl Contiguous {
    /// With one dimension more, in which there are `count` pieces of `elems` elements in sum, `stride` elements from each other.
    fn along(self, count: u128, elems: u128, stride: u128) -> Self {
        let between = elems.saturating_sub(count).saturating_mul(stride).saturating_mul(self.count);
        Self {
            count: self.count.saturating_mul(count),
            steps: self.steps.saturating_mul(count).saturating_add(between),
        }
    }

    fn elems(self) -> u128 {
        self.count.saturating_add(self.steps)
    }
}

/// The runs of pieces; dimensions come as stored, the slowest first.
///
/// From the fastest dimension on, pieces that have all of their brick go on without a gap, and those of the last brick of a dimension
/// with one that is moved, if it is short enough. The others end there: each index of the slower dimensions is a run of its own.
fn runs(sides: &[Side], prices: &Prices<'_>) -> Runs {
    let (mut found, mut inside, mut stride) = (Runs::default(), Contiguous { count: 1, steps: 0 }, 1u128);
    for (d, &Side { pieces, brick, block }) in sides.iter().enumerate().rev() {
        let stride_bytes = stride.saturating_mul(prices.element_bytes.into());
        let gap_bytes = stride_bytes.saturating_mul((brick - pieces.last_len).into());
        // Where pieces have one index in all slower dimensions, nothing comes behind a gap.
        let goes_on = || sides[..d].iter().any(|side| side.pieces.elems > side.pieces.count.into());
        let ends = pieces.last > 0 && gap_bytes > prices.device.gap_bytes.into() && goes_on();
        let (last, last_elems) =
            if ends { (pieces.last, u128::from(pieces.last) * u128::from(pieces.last_len)) } else { (0, 0) };
        let (count, elems) = (u128::from(pieces.full - last), pieces.full_elems - last_elems);
        let ending = u128::from(pieces.count) - count;
        if ending > 0 {
            let outside =
                sides[..d].iter().fold(1u128, |elems, side| elems.saturating_mul(side.pieces.elems));
            let runs = inside.along(ending, pieces.elems - elems, stride);
            found.count = found.count.saturating_add(runs.count.saturating_mul(outside));
            found.elems = found.elems.saturating_add(runs.elems().saturating_mul(outside));
            // What ends at a gap has its pages for itself.
            let partial = u128::from(pieces.count - pieces.full);
            let page_bytes = u128::from(prices.device.page_bytes);
            let ends_on_pages =
                |extent: u64| stride_bytes.wrapping_mul(extent.into()).is_multiple_of(page_bytes);
            if !ends_on_pages(block) || !ends_on_pages(brick) {
                let runs_count = inside.count.saturating_mul(partial).saturating_mul(outside);
                found.unaligned = found.unaligned.saturating_add(runs_count);
            }
        }
        inside = inside.along(count, elems, stride);
        stride = stride.saturating_mul(brick.into());
    }
    Runs {
        count: found.count.saturating_add(inside.count),
        elems: found.elems.saturating_add(inside.elems()),
        ..found
    }
}

/// The runs that are read.
fn reads(axes: &[Counted], prices: &Prices<'_>) -> Runs {
    let mut sides = [Side::default(); DIMS_MAX];
    for (side, &Counted { axis, read, source_stored, .. }) in sides.iter_mut().zip(axes) {
        *side = Side { pieces: read, brick: source_stored, block: axis.block };
    }
    runs(&sides[..axes.len()], prices)
}

/// The runs that are written.
fn writes(axes: &[Counted], prices: &Prices<'_>) -> Runs {
    let mut sides = [Side::default(); DIMS_MAX];
    for (side, &dim) in sides.iter_mut().zip(prices.write_order) {
        let Counted { axis, write, target_stored, .. } = axes[dim];
        *side = Side { pieces: write, brick: target_stored, block: axis.block };
    }
    runs(&sides[..axes.len()], prices)
}

/// The cost of a pass, if it needs no more than `memory_elems`. Cost: some hundred multiplications.
pub(crate) fn within(axes: &[Counted], prices: &Prices<'_>, memory_elems: u128) -> Option<PassCost> {
    let buffers = buffers_elems(axes, prices);
    if buffers > memory_elems {
        return None;
    }
    let (order, dims) = traversal_order(axes);
    let retained = retained_elems(axes, &order[..dims]);
    let rounding = if retained > 0 { prices.rounding_elems() } else { 0 };
    let memory = buffers.saturating_add(retained).saturating_add(rounding);
    (memory <= memory_elems).then(|| cost(axes, prices, retained, memory))
}

fn cost(axes: &[Counted], prices: &Prices<'_>, retained_elems: u128, memory_elems: u128) -> PassCost {
    let elems = product(axes.iter().map(|axis| axis.axis.len));
    let (reads, writes) = (reads(axes, prices), writes(axes, prices));
    let (read_elems, written_elems) = (reads.elems, writes.elems);
    let steps = steps(axes);
    let bytes = |elems: u128| elems.saturating_mul(u128::from(prices.element_bytes));
    let (write_operations, written_bytes) = prices.device.cost_of_writes(writes.count, bytes(written_elems));
    // What is read for a part of a page is the whole page.
    let read_bytes = bytes(read_elems)
        .saturating_add(reads.unaligned.saturating_mul(u128::from(prices.device.page_bytes)));
    let max_blocks = max_blocks(axes, prices.buffers);
    let alone_max = if max_blocks > 1 { bytes(max_block_elems(axes)) } else { u128::MAX };
    let work = Work {
        read_bytes,
        written_bytes,
        operations: reads.count.saturating_add(write_operations).saturating_add(writes.unaligned),
        steps,
        memory_bytes: bytes(memory_elems),
        read_alone_bytes: read_bytes.min(alone_max),
        written_alone_bytes: written_bytes.min(alone_max),
    };
    PassCost {
        elems,
        read_elems,
        read_operations: reads.count,
        unaligned_reads: reads.unaligned,
        written_elems,
        write_operations: writes.count,
        unaligned_writes: writes.unaligned,
        steps,
        retained_elems,
        max_blocks,
        memory_elems,
        seconds: prices.device.seconds(work),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::axis::lcm;
    use proptest::prelude::*;

    impl From<Axis> for Counted {
        /// Bricks are as long on disk.
        fn from(axis: Axis) -> Self {
            Self::stored(axis, axis.source_brick, axis.target_brick)
        }
    }

    /// An array so long that its edges do not matter.
    fn endless(source: u64, target: u64, template: u64) -> Counted {
        let len = lcm(source, template) * 1000;
        let axis = Axis {
            len,
            source_brick: source,
            target_brick: target,
            reads_whole: true,
            block: target,
            template,
        };
        axis.into()
    }

    const BUFFERS: Buffers = Buffers { max_blocks: 1, write_blocks: 0 };

    /// Of doubles, in the source's order, in memory that is not rounded up.
    fn prices(device: &DeviceModel, buffers: Buffers) -> Prices<'_> {
        Prices { device, buffers, element_bytes: 8, rounding_bytes: 0, write_order: &[0, 1] }
    }

    fn memory(axes: &[Counted], order: &[usize], buffers: Buffers) -> u128 {
        let device = DeviceModel::volume_only();
        let prices = prices(&device, buffers);
        retained_elems(axes, order) + buffers_elems(axes, &prices)
    }

    fn best(axes: &[Counted]) -> PassCost {
        let device = DeviceModel::volume_only();
        let prices = prices(&device, BUFFERS);
        within(axes, &prices, u128::MAX).unwrap()
    }

    /// The worked example of the paper, <32, 9> to <5, 16>, with the numbers of `REBLOCK`.
    fn example(template: [u64; 2]) -> [Counted; 2] {
        [endless(32, 5, template[0]), endless(9, 16, template[1])]
    }

    #[test]
    fn the_worked_example_has_the_numbers_that_were_recomputed() {
        assert_eq!(lcm(32, 5) * lcm(9, 16), 23040);
        let all = example([160, 144]);
        assert_eq!(all.map(|axis| axis.unused_max), [4, 8]);
        assert_eq!(all.map(|axis| axis.step_max), [32, 18]);
        assert_eq!(memory(&all, &[1, 0], BUFFERS), 1408);
        assert_eq!(memory(&all, &[0, 1], BUFFERS), 1928);
        assert_eq!(memory(&all, &[1, 0], Buffers { write_blocks: 1, ..BUFFERS }), 1488);
        assert_eq!(best(&all).memory_elems, 1408, "the better order is found");
        for (template, memory, io) in [
            ([160, 144], 1408, 2.0),
            ([120, 16], 896, 2.8),
            ([160, 16], 896, 2.5),
            ([15, 144], 768, 4.066_666),
        ] {
            let cost = best(&example(template));
            assert_eq!(cost.memory_elems, memory, "{template:?}");
            assert!((cost.io_per_element() - io).abs() < 1e-5, "{template:?}: {}", cost.io_per_element());
        }
    }

    #[test]
    fn a_pass_of_one_step_has_one_max_block_and_a_pass_of_two_has_two() {
        let device = DeviceModel { memory_bytes_per_second: 1, ..DeviceModel::volume_only() };
        let buffers = Buffers { max_blocks: 2, write_blocks: 1 };
        let prices =
            Prices { device: &device, buffers, element_bytes: 8, rounding_bytes: 17, write_order: &[0, 1] };
        let of = |block| {
            let axis = |block| Axis {
                len: 6,
                source_brick: 6,
                target_brick: 2,
                reads_whole: false,
                block,
                template: block,
            };
            within(&[axis(block).into(), axis(6).into()], &prices, u128::MAX).unwrap()
        };
        let (one, two) = (of(6), of(3));
        // Each of them, and the write block, takes three elements more.
        assert_eq!((one.steps, one.max_blocks, one.memory_elems), (1, 1, 36 + 4 + 2 * 3));
        assert_eq!((two.steps, two.max_blocks, two.memory_elems), (2, 2, 2 * 18 + 4 + 3 * 3));
        // What is in memory is what is paid for, and hardly anything else is.
        assert!((one.seconds - 8.0 * 46.0).abs() < 1e-3, "{one:?}");
    }

    #[test]
    fn the_two_passes_of_the_paper_cost_more_than_one() {
        let first = best(&[endless(32, 12, 96), endless(9, 12, 12)]);
        let second = best(&[endless(12, 5, 60), endless(12, 16, 48)]);
        assert!((first.io_per_element() + second.io_per_element() - 4.5).abs() < 1e-9);
    }

    #[test]
    fn a_slab_of_rows_is_one_run_and_a_slab_of_columns_is_one_for_each_row() {
        let cut = |len, brick, block| -> Counted {
            let axis = Axis {
                len,
                source_brick: brick,
                target_brick: brick,
                reads_whole: false,
                block,
                template: block,
            };
            axis.into()
        };
        let device = DeviceModel { page_bytes: 12 * 8, ..DeviceModel::default() };
        let prices = prices(&device, BUFFERS);
        let reads = |axes: [Counted; 2]| {
            let found = reads(&axes, &prices);
            assert_eq!(writes(&axes, &prices), found, "written as it is read");
            (found.count, found.unaligned)
        };
        // A brick of 8 x 6, in pieces of two rows, which are a page each, of three rows, and of two columns.
        assert_eq!(reads([cut(8, 8, 2), cut(6, 6, 6)]), (4, 0));
        assert_eq!(reads([cut(8, 8, 3), cut(6, 6, 6)]), (3, 3));
        assert_eq!(reads([cut(8, 8, 8), cut(6, 6, 2)]), (24, 24));
        assert_eq!(reads([cut(8, 8, 8), cut(6, 6, 6)]), (1, 0));
        assert_eq!(reads([cut(8, 1, 2), cut(6, 6, 3)]), (16, 16));
    }

    proptest! {
        #[test]
        fn no_order_needs_less_memory_than_the_one_chosen(
            dims in prop::collection::vec((1u64..13, 1u64..13, 1u64..12), 1..=5)
        ) {
            let axes: Vec<Counted> = dims.iter().map(|&(source, target, blocks)| {
                endless(source, target, (blocks * target).min(lcm(source, target)))
            }).collect();
            let (order, count) = traversal_order(&axes);
            let chosen = retained_elems(&axes, &order[..count]);
            for other in orders(axes.len()) {
                prop_assert!(chosen <= retained_elems(&axes, &other), "{other:?} is better than {order:?}");
            }
        }
    }

    fn orders(dims: usize) -> Vec<Vec<usize>> {
        if dims == 0 {
            return vec![vec![]];
        }
        let longer = |shorter: Vec<usize>| {
            (0..dims).map(move |at| {
                let mut order = shorter.clone();
                order.insert(at, dims - 1);
                order
            })
        };
        orders(dims - 1).into_iter().flat_map(longer).collect()
    }
}
