//! The part of a section that lies in this rank's block.

use crate::{Array, Element, PatchMut, Result};
use section::{Layout, Runs, Section};

/// Where in this rank's block, which is dense, a part of a section lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalPart {
    section: Section,
    first: usize,
    layout: Layout,
}

impl LocalPart {
    /// What this rank holds of a section; `None` if it holds nothing of it.
    pub(super) fn of(array: &Array, section: &Section) -> Option<Self> {
        let block = array.local_section()?;
        section.clipped_to(&block).map(|part| Self::within(&block, &part))
    }

    fn within(block: &Section, part: &Section) -> Self {
        let layout = Layout::dense(&block.counts());
        let first = layout.offset(part.relative_to(block.lo()).lo());
        Self { section: *part, first, layout: layout.stepped(part.step()) }
    }

    /// The elements.
    pub(super) fn section(&self) -> &Section {
        &self.section
    }

    /// Calls `visit` with every run that is contiguous both in the block and in memory of this layout: where it begins in
    /// either, and its length.
    pub(super) fn for_each_run(&self, memory: &Layout, mut visit: impl FnMut(usize, usize, usize)) {
        Runs::new(&self.section.counts(), &self.layout, memory)
            .for_each(|here, there, len| visit(self.first + here, there, len));
    }
}

/// Changes the elements of a section that this rank holds, run by run.
pub(super) fn change<T: Element>(array: &Array, section: &Section, change: impl Fn(&mut [T])) -> Result<()> {
    let Some(part) = LocalPart::of(array, section) else { return Ok(()) };
    let Some(mut block) = array.local_block::<T>()? else { return Ok(()) };
    part.for_each_run(&part.layout, |here, _, len| change(&mut block[here..here + len]));
    array.release()
}

/// Stores dense elements in a part of a section that this rank holds.
pub(super) fn store<T: Element>(array: &Array, part: &Section, elements: &[T]) -> Result<()> {
    let Some(part) = LocalPart::of(array, part) else { return Ok(()) };
    let Some(mut block) = array.local_block::<T>()? else { return Ok(()) };
    part.for_each_run(&Layout::dense(&part.section.counts()), |here, there, len| {
        block[here..here + len].copy_from_slice(&elements[there..there + len]);
    });
    array.release()
}

/// Reads `from`, a section of as many elements in each dimension, straight to where a part without steps is that this rank
/// holds.
pub(super) fn fetch<T: Element>(array: &Array, part: &Section, source: &Array, from: &Section) -> Result<()> {
    let Some(part) = LocalPart::of(array, part) else { return Ok(()) };
    let Some(mut block) = array.local_block::<T>()? else { return Ok(()) };
    let extents = block.section().counts();
    source.get(from, PatchMut::new(&mut block[part.first..], &extents)?)?;
    array.release()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_lies_where_its_elements_are_in_the_dense_block() {
        let block = Section::new(&[4, 10], &[8, 15]).unwrap();
        let part = Section::with_step(&[5, 11], &[8, 15], &[2, 3]).unwrap();
        let mut runs = vec![];
        LocalPart::within(&block, &part)
            .for_each_run(&Layout::dense(&part.counts()), |here, there, len| runs.push((here, there, len)));
        assert_eq!(runs, [(6, 0, 1), (9, 1, 1), (16, 2, 1), (19, 3, 1)]);
    }
}
