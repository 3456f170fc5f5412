//! One dimension of a pass: how it is cut, and what that costs, counted without walking along it.
//!
//! Definitions. The *read unit* `r` is what cannot be read in part: a whole source brick, or one index. The *write block* `W`
//! is what one step completes at least; it may be several target bricks or a part of one. The *template* `P` is a multiple of
//! `W` beyond whose end nothing is retained. A *piece* is what one step moves of one brick.
//!
//! The step rule (`REBLOCK`, 1): where a template starts inside a read unit, that unit alone is read and its tail kept; then the
//! fewest units that finish the next write block. So a step is at most `Max = ceil(max(r, W) / r) * r`, and at most
//! `U = min(r, W) - gcd(r, W)` are left over.
//!
//! Source: Krishnamoorthy et al., "Layout Transformation Support for the Disk Resident Arrays Framework", section 4.1.

use std::ops::Range;

/// One dimension of a pass, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Axis {
    /// Extent of the array.
    pub len: u64,
    /// Extent of a source brick, at most that of the array.
    pub source_brick: u64,
    /// Extent of a target brick, at most that of the array.
    pub target_brick: u64,
    /// Whether only whole source bricks are read.
    pub reads_whole: bool,
    /// The write block.
    pub block: u64,
    /// The template, a multiple of the block.
    pub template: u64,
}

/// Pieces of bricks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pieces {
    /// All of them.
    pub(crate) count: u64,
    /// Those that are all that the array has of a brick.
    pub(crate) full: u64,
    /// Those of these that are of the last brick.
    pub(crate) last: u64,
    /// Elements in all of them.
    pub(crate) elems: u128,
    /// Elements in those that are full.
    pub(crate) full_elems: u128,
    /// Elements that the array has of the last brick.
    pub(crate) last_len: u64,
}

/// One step along a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AxisStep {
    /// What is read.
    pub(crate) read: Range<u64>,
    /// What of it belongs to the template.
    pub(crate) fresh: Range<u64>,
    /// The write blocks that are complete after it; empty if none is.
    pub(crate) write: Range<u64>,
    /// What of `fresh` is in no complete block yet.
    pub(crate) leftover: Range<u64>,
}

pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Not more than `u64::MAX`, which is far beyond every array.
pub(crate) fn lcm(a: u64, b: u64) -> u64 {
    (a / gcd(a, b)).saturating_mul(b)
}

impl Axis {
    /// The extent of a read unit.
    pub fn read_unit(&self) -> u64 {
        if self.reads_whole { self.source_brick } else { 1 }
    }

    /// Whether all is one step.
    fn is_one_step(&self) -> bool {
        self.block >= self.len
    }

    /// The most that a step reads.
    pub fn step_max(&self) -> u64 {
        if self.is_one_step() {
            return self.len;
        }
        let unit = self.read_unit();
        (unit.max(self.block).div_ceil(unit).saturating_mul(unit)).min(self.len)
    }

    /// The most that a step leaves over.
    pub fn unused_max(&self) -> u64 {
        let unit = self.read_unit();
        if self.is_one_step() { 0 } else { unit.min(self.block) - gcd(unit, self.block) }
    }

    /// The template, as far as there is an array.
    pub(crate) fn template_len(&self) -> u64 {
        self.template.min(self.len)
    }

    pub(crate) fn templates_count(&self) -> u64 {
        self.len.div_ceil(self.template)
    }

    /// What is read of source bricks. Cost: that of a greatest common divisor.
    pub(crate) fn read_pieces(&self) -> Pieces {
        if !self.reads_whole {
            return pieces(self.len, self.source_brick, self.block);
        }
        let bricks = self.bricks_read();
        // The last brick may reach beyond the array; these templates read it.
        let last_at = (self.len.div_ceil(self.source_brick) - 1) * self.source_brick;
        let last_len = self.len - last_at;
        let beyond = self.source_brick - last_len;
        let touching = self.templates_count() - last_at / self.template;
        let elems =
            u128::from(bricks) * u128::from(self.source_brick) - u128::from(touching) * u128::from(beyond);
        Pieces { count: bricks, full: bricks, last: touching, elems, full_elems: elems, last_len }
    }

    /// What is written of target bricks.
    pub(crate) fn write_pieces(&self) -> Pieces {
        let of_blocks = pieces(self.len, self.target_brick, self.block);
        let Some((cut, brick)) = self.cut_not_made() else { return of_blocks };
        let becomes_full = cut - self.block <= brick.start;
        Pieces {
            count: of_blocks.count - 1,
            full: of_blocks.full + u64::from(becomes_full),
            last: of_blocks.last + u64::from(becomes_full && brick.end == self.len),
            full_elems: of_blocks.full_elems
                + if becomes_full { u128::from(brick.end - brick.start) } else { 0 },
            ..of_blocks
        }
    }

    /// The longest part of a target brick that is written at once.
    pub(crate) fn write_unit(&self) -> u64 {
        let of_blocks = self.target_brick.min(self.block).min(self.len);
        let joined = |(cut, brick): (u64, Range<u64>)| brick.end - brick.start.max(cut - self.block);
        self.cut_not_made().map_or(of_blocks, joined).max(of_blocks)
    }

    /// Where the last write block begins inside a target brick, if the step of the one before completes it as well, so that both are
    /// written at once there; and what the array has of that brick.
    fn cut_not_made(&self) -> Option<(u64, Range<u64>)> {
        if self.is_one_step() || self.source_brick > self.block || !self.last_block_has_been_read() {
            return None;
        }
        let cut = self.last_block_at();
        let brick_at = cut / self.target_brick * self.target_brick;
        // Where a template begins, the brick is read again, and the block has that step.
        let is_cut = cut == brick_at || cut.is_multiple_of(self.template);
        (!is_cut).then(|| (cut, brick_at..brick_at.saturating_add(self.target_brick).min(self.len)))
    }

    fn last_block_at(&self) -> u64 {
        (self.len.div_ceil(self.block) - 1) * self.block
    }

    /// Whether the brick in which the last block starts is the array's last: then it has been read for the block before.
    fn last_block_has_been_read(&self) -> bool {
        let at = self.last_block_at();
        self.reads_whole
            && !at.is_multiple_of(self.source_brick)
            && at.checked_next_multiple_of(self.source_brick).is_none_or(|end| end >= self.len)
    }

    /// How often a template needs a source brick.
    fn bricks_read(&self) -> u64 {
        let (brick, template, templates) = (self.source_brick, self.template, self.templates_count());
        // Sum over k of ceil((k + 1) P / s) - floor(k P / s), where the last template ends with the array.
        let ends = floor_sum(templates - 1, brick, template, template.saturating_add(brick - 1));
        let starts = floor_sum(templates, brick, template, 0);
        let count = ends + u128::from(self.len.div_ceil(brick)) - starts;
        u64::try_from(count).unwrap_or(u64::MAX)
    }

    /// Number of steps.
    pub(crate) fn steps_count(&self) -> u64 {
        if !self.reads_whole || self.is_one_step() {
            return self.len.div_ceil(self.block);
        }
        if self.source_brick > self.block {
            // Each brick finishes a block, or is one that a template starts in.
            return self.bricks_read();
        }
        // Each block is a step, and so is each brick that a template starts in.
        let (templates, brick) = (self.templates_count(), self.source_brick);
        let starting_on_a_brick = templates.div_ceil(brick / gcd(brick, self.template));
        let blocks = self.len.div_ceil(self.block);
        blocks + templates - starting_on_a_brick - u64::from(self.last_block_has_been_read())
    }

    /// The part of the array that template number `number` is.
    pub(crate) fn template_range(&self, number: u64) -> Range<u64> {
        let start = number * self.template;
        start..start.saturating_add(self.template).min(self.len)
    }

    /// The steps of a template, in order. Cost: their number.
    pub(crate) fn steps(&self, template: &Range<u64>) -> Vec<AxisStep> {
        let unit = if self.is_one_step() && self.reads_whole { self.source_brick } else { self.read_unit() };
        let (mut at, mut done) = (template.start / unit * unit, template.start);
        let mut steps = vec![];
        while at < template.end {
            let block_end = done.saturating_add(self.block).min(template.end);
            let straddles = at < template.start && !self.is_one_step();
            let units = if straddles { 1 } else { (block_end - at).div_ceil(unit) };
            let read_end = at.saturating_add(units.saturating_mul(unit)).min(self.len);
            let fresh = at.max(template.start)..read_end.min(template.end);
            // Blocks are counted from the start of the template, which is one of theirs; its end closes the last one.
            let whole_blocks = template.start + (fresh.end - template.start) / self.block * self.block;
            let complete = if fresh.end == template.end { template.end } else { whole_blocks };
            steps.push(AxisStep {
                read: at..read_end,
                write: done..complete,
                leftover: complete.max(fresh.start)..fresh.end,
                fresh,
            });
            (at, done) = (read_end, complete);
        }
        steps
    }
}

/// The pieces of bricks of extent `brick` in an array that is cut into blocks of extent `block`.
fn pieces(len: u64, brick: u64, block: u64) -> Pieces {
    let last = len - 1;
    let (brick_cuts, block_cuts, common) = (last / brick, last / block, last / lcm(brick, block));
    let cuts_in_bricks = block_cuts - common;
    let last_brick_at = brick_cuts * brick;
    let last_is_full = last / block == last_brick_at / block;
    // A brick that is no longer than a block has at most one cut inside; a longer one has one, unless the array ends before.
    let full = if block >= brick { brick_cuts + 1 - cuts_in_bricks } else { u64::from(last_is_full) };
    let last_len = len - last_brick_at;
    let full_before = full - u64::from(last_is_full);
    let of_last = if last_is_full { last_len } else { 0 };
    Pieces {
        count: brick_cuts + cuts_in_bricks + 1,
        full,
        last: u64::from(last_is_full),
        elems: u128::from(len),
        full_elems: u128::from(full_before * brick + of_last),
        last_len,
    }
}

/// The sum of `floor((a * i + b) / m)` for `i` from 0 to before `n`, in logarithmic time.
fn floor_sum(n: u64, m: u64, a: u64, b: u64) -> u128 {
    let (mut n, mut m, mut a, mut b) = (u128::from(n), u128::from(m), u128::from(a), u128::from(b));
    let mut sum = 0u128;
    while n > 0 {
        sum += (n - 1) * n / 2 * (a / m) + n * (b / m);
        (a, b) = (a % m, b % m);
        let last = a * n + b;
        if last < m {
            break;
        }
        (n, b) = (last / m, last % m);
        (m, a) = (a, m);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An axis with blocks that are what `block` says, and templates of so many of them.
    fn axis() -> impl Strategy<Value = Axis> {
        (1u64..60, 1u64..20, 1u64..20, 1u64..25, 1u64..6, any::<bool>()).prop_map(
            |(len, source, target, block, blocks, reads_whole)| Axis {
                len,
                source_brick: source.min(len),
                target_brick: target.min(len),
                reads_whole,
                block,
                template: block * blocks,
            },
        )
    }

    fn all_steps(axis: &Axis) -> Vec<AxisStep> {
        (0..axis.templates_count()).flat_map(|number| axis.steps(&axis.template_range(number))).collect()
    }

    /// The pieces of bricks in some ranges, one by one.
    fn counted(len: u64, brick: u64, ranges: impl Iterator<Item = Range<u64>>) -> Pieces {
        let last = (len - 1) / brick;
        let mut counted = Pieces { last_len: len - last * brick, ..Pieces::default() };
        for range in ranges.filter(|range| !range.is_empty()) {
            counted.elems += u128::from(range.end - range.start);
            for number in range.start / brick..=(range.end - 1) / brick {
                let of_array = number * brick..((number + 1) * brick).min(len);
                let is_full = range.start <= of_array.start && range.end >= of_array.end;
                counted.count += 1;
                if is_full {
                    counted.full += 1;
                    counted.last += u64::from(number == last);
                    counted.full_elems += u128::from(of_array.end - of_array.start);
                }
            }
        }
        counted
    }

    /// The longest part of a brick in some ranges.
    fn longest(brick: u64, ranges: impl Iterator<Item = Range<u64>>) -> u64 {
        let of_range = |range: Range<u64>| {
            let parts = range.start / brick..range.end.div_ceil(brick);
            parts
                .map(|number| ((number + 1) * brick).min(range.end) - (number * brick).max(range.start))
                .max()
        };
        ranges.filter_map(of_range).max().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn what_is_counted_is_what_walking_finds(axis in axis()) {
            let steps = all_steps(&axis);
            prop_assert_eq!(axis.steps_count(), steps.len() as u64);
            let reads = steps.iter().map(|step| step.read.clone());
            prop_assert_eq!(axis.read_pieces(), counted(axis.len, axis.source_brick, reads));
            let is_planned = !axis.reads_whole
                || axis.block >= axis.source_brick
                || axis.block.is_multiple_of(axis.target_brick);
            if is_planned {
                let writes = || steps.iter().map(|step| step.write.clone());
                prop_assert_eq!(axis.write_pieces(), counted(axis.len, axis.target_brick, writes()));
                prop_assert_eq!(axis.write_unit(), longest(axis.target_brick, writes()));
            }
        }

        #[test]
        fn no_step_is_longer_than_max_or_leaves_more_than_u(axis in axis()) {
            for step in all_steps(&axis) {
                prop_assert!(step.read.end - step.read.start <= axis.step_max(), "{:?}", step);
                prop_assert!(step.leftover.end.saturating_sub(step.leftover.start) <= axis.unused_max(), "{:?}", step);
            }
        }

        #[test]
        fn every_index_is_fresh_once_and_written_once(axis in axis()) {
            let steps = all_steps(&axis);
            for of in [|step: &AxisStep| step.fresh.clone(), |step: &AxisStep| step.write.clone()] {
                let found: Vec<u64> = steps.iter().flat_map(of).collect();
                prop_assert_eq!(&found, &(0..axis.len).collect::<Vec<_>>());
            }
        }

        #[test]
        fn sums_of_quotients_are_right(n in 0u64..40, m in 1u64..30, a in 0u64..50, b in 0u64..50) {
            let expected = (0..n).map(|i| u128::from((a * i + b) / m)).sum::<u128>();
            prop_assert_eq!(floor_sum(n, m, a, b), expected);
        }
    }

    #[test]
    fn the_largest_extents_are_counted_without_walking() {
        let axis = Axis {
            len: 1 << 62,
            source_brick: (1 << 31) - 1,
            target_brick: (1 << 31) - 19,
            reads_whole: true,
            block: (1 << 31) - 19,
            template: ((1 << 31) - 19) * 1000,
        };
        let pieces = axis.read_pieces();
        assert!(pieces.elems >= 1 << 62 && pieces.elems < (1 << 62) + (1 << 53), "{pieces:?}");
        assert!(axis.steps_count() > axis.len / axis.block);
    }
}
