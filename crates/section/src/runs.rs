//! The contiguous runs of a patch that lies in two memories.
//!
//! Definitions. A *patch* is a box of `counts` elements. In each memory it has a *layout*. A *run* is a sequence of
//! elements that are neighbours in both memories. Dimensions are joined from the fastest outwards while one follows the
//! other without a gap in both memories, so a patch that is dense in both is one run, and runs are as long as they can be.

use crate::{DIMS_MAX, Layout, size};

/// One loop around the runs.
#[derive(Clone, Copy, Debug, Default)]
struct Loop {
    count: usize,
    a_stride: usize,
    b_stride: usize,
}

/// The contiguous runs of one patch in two memories, `a` and `b`.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// From the innermost to the outermost.
    loops: [Loop; DIMS_MAX],
    depth: usize,
    run_len: usize,
}

impl Runs {
    /// The runs of a patch of `counts` elements that lies in memories of layouts `a` and `b`.
    #[inline]
    pub fn new(counts: &[u64], a: &Layout, b: &Layout) -> Self {
        let mut runs = Self::single();
        for dim in (0..counts.len()).rev() {
            runs.surround(size(counts[dim]), a.strides()[dim], b.strides()[dim]);
        }
        runs
    }

    /// The one run of a patch of one element, to be [surrounded](Self::surround) by dimensions.
    #[inline]
    pub fn single() -> Self {
        Self { loops: [Loop::default(); DIMS_MAX], depth: 0, run_len: 1 }
    }

    /// Adds the next slower dimension: `count` of what there was, so many elements apart in each memory. At most
    /// seven times.
    ///
    /// # Panics
    /// More often.
    #[inline]
    pub fn surround(&mut self, count: usize, a_stride: usize, b_stride: usize) {
        let next = Loop { count, a_stride, b_stride };
        if next.count == 1 {
            return;
        }
        if self.depth == 0 && next.a_stride == self.run_len && next.b_stride == self.run_len {
            self.run_len *= next.count;
            return;
        }
        if let Some(inner) = self.depth.checked_sub(1).map(|last| &mut self.loops[last])
            && inner.a_stride * inner.count == next.a_stride
            && inner.b_stride * inner.count == next.b_stride
        {
            inner.count *= next.count;
            return;
        }
        self.loops[self.depth] = next;
        self.depth += 1;
    }

    /// Elements in each run; 0 if the patch has none.
    #[inline]
    pub fn run_len(&self) -> usize {
        self.run_len
    }

    /// Number of runs.
    #[inline]
    pub fn count(&self) -> usize {
        if self.run_len == 0 { 0 } else { self.loops[..self.depth].iter().map(|level| level.count).product() }
    }

    /// Calls `visit` with the offset of each run from the first element in `a`, in `b`, and its length, all in elements;
    /// in row-major order.
    #[inline]
    pub fn for_each(&self, mut visit: impl FnMut(usize, usize, usize)) {
        if self.depth == 0 && self.run_len > 0 {
            visit(0, 0, self.run_len);
        } else if self.count() > 0 {
            self.nest(self.depth - 1, 0, 0, &mut visit);
        }
    }

    #[inline]
    fn nest(&self, level: usize, a: usize, b: usize, visit: &mut impl FnMut(usize, usize, usize)) {
        let Loop { count, a_stride, b_stride } = self.loops[level];
        if level == 0 {
            // The innermost loop by itself, so that it is a plain loop when the visit is inlined.
            (0..count).for_each(|i| visit(a + i * a_stride, b + i * b_stride, self.run_len));
        } else {
            (0..count).for_each(|i| self.nest(level - 1, a + i * a_stride, b + i * b_stride, visit));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Section;
    use proptest::prelude::*;

    fn runs(counts: &[u64], a: &[u64], b: &[u64]) -> Vec<(usize, usize, usize)> {
        let mut found = vec![];
        Runs::new(counts, &Layout::dense(a), &Layout::dense(b)).for_each(|a, b, len| found.push((a, b, len)));
        found
    }

    #[test]
    fn a_patch_that_is_dense_in_both_memories_is_one_run() {
        assert_eq!(runs(&[2, 3, 4], &[9, 3, 4], &[2, 3, 4]), [(0, 0, 24)]);
    }

    #[test]
    fn whole_rows_of_inner_planes_are_joined() {
        assert_eq!(runs(&[2, 2, 4], &[2, 3, 4], &[2, 2, 4]), [(0, 0, 8), (12, 8, 8)]);
    }

    #[test]
    fn an_empty_patch_has_no_runs() {
        assert_eq!(runs(&[2, 0, 4], &[2, 3, 4], &[2, 3, 4]), []);
        assert_eq!(runs(&[0], &[5], &[5]), []);
    }

    #[test]
    fn a_permuted_layout_has_runs_of_one_element() {
        let (a, b) = (Layout::dense(&[2, 3]), Layout::dense(&[3, 2]).permuted(&[1, 0]));
        let mut found = vec![];
        Runs::new(&[2, 3], &a, &b).for_each(|a, b, len| found.push((a, b, len)));
        assert_eq!(found, [(0, 0, 1), (1, 2, 1), (2, 4, 1), (3, 1, 1), (4, 3, 1), (5, 5, 1)]);
    }

    proptest! {
        #[test]
        fn runs_visit_each_element_of_a_patch_once_and_in_place(
            dims in prop::collection::vec((1u64..5, 0u64..3, 0u64..3, 1u64..4), 1..=4)
        ) {
            let counts: Vec<u64> = dims.iter().map(|d| d.0).collect();
            let steps: Vec<u64> = dims.iter().map(|d| d.3).collect();
            let a_extents: Vec<u64> = dims.iter().map(|d| d.0 * d.3 + d.1).collect();
            let b_extents: Vec<u64> = dims.iter().map(|d| d.0 + d.2).collect();
            let (a, b) = (Layout::dense(&a_extents).stepped(&steps), Layout::dense(&b_extents));
            let mut visited = vec![];
            Runs::new(&counts, &a, &b).for_each(|a, b, len| visited.extend((0..len).map(|i| (a + i, b + i))));
            let expected: Vec<_> = Section::whole(&counts).unwrap().indices().map(|i| (a.offset(&i), b.offset(&i))).collect();
            prop_assert_eq!(visited, expected);
        }
    }
}
