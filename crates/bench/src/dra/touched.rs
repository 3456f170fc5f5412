//! The bytes of a file that a section touches by its hint, whoever moves it: bricks as large as the hint, whole, one behind the other in
//! row-major order of the grid.

use std::ops::Range;

use section::{BrickGrid, Layout, Runs, Section};

use crate::dra::workload::{ELEMENT_BYTES, Workload};

/// Parts of a file, none of which overlaps another, by offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Touched {
    /// Bytes of the file.
    pub(crate) file_bytes: u64,
    /// The parts.
    pub(crate) parts: Vec<Range<u64>>,
}

/// What the section of `load` touches; `None` where nothing is said about requests.
pub(crate) fn touched(load: Workload) -> Option<Touched> {
    let (array, brick) = (load.array_extents(), load.hint_extents()?);
    let (grid, section) = (BrickGrid::new(&array, &brick).ok()?, load.section_elements()?);
    let brick_bytes = brick.iter().product::<u64>() * ELEMENT_BYTES;
    let parts = grid.meeting(&section).indices().flat_map(|coordinates| {
        let elements = grid.elements(&coordinates);
        let met = section.clipped_to(&elements).map(|met| met.relative_to(elements.lo()));
        let begin = grid.number(&coordinates) * brick_bytes;
        met.map(|met| parts_of_brick(&met, &brick, begin)).unwrap_or_default()
    });
    Some(Touched { file_bytes: grid.count() * brick_bytes, parts: parts.collect() })
}

fn parts_of_brick(met: &Section, brick: &[u64], begin: u64) -> Vec<Range<u64>> {
    let (counts, in_brick) = (met.counts(), Layout::dense(brick));
    let runs = Runs::new(&counts, &in_brick, &Layout::dense(&counts));
    let (first, bytes) = (in_brick.offset(met.lo()), runs.run_len() as u64 * ELEMENT_BYTES);
    let mut parts = Vec::with_capacity(runs.count());
    runs.for_each(|offset, _, _| {
        let offset = begin + (first + offset) as u64 * ELEMENT_BYTES;
        parts.push(offset..offset + bytes);
    });
    parts
}

#[cfg(test)]
mod tests {
    use super::{Touched, touched};
    use crate::dra::workload::{Alignment, Layout, Scale, Workload};

    fn of(layout: Layout, alignment: Alignment) -> Option<Touched> {
        touched(Workload { layout, scale: Scale::Full, alignment, ranks: 1 })
    }

    #[test]
    fn an_aligned_section_touches_whole_bricks() {
        let Touched { file_bytes, parts } = of(Layout::Rows, Alignment::Aligned).expect("a hint");
        assert_eq!(file_bytes, 800_000_000);
        assert_eq!((parts.len(), parts[1].clone()), (625, 640_000..960_000));
        assert_eq!(of(Layout::Unknown, Alignment::Aligned), None);
    }

    #[test]
    fn one_element_further_each_row_touches_a_second_brick() {
        let Touched { parts, .. } = of(Layout::Rows, Alignment::Shifted).expect("a hint");
        assert_eq!(parts[..2], [40_008..80_000, 80_008..120_000]);
        assert_eq!(parts[7], 320_000 + 40_000..320_000 + 40_008);
        assert_eq!(parts.iter().map(|part| part.end - part.start).sum::<u64>(), 200_000_000);
    }
}
