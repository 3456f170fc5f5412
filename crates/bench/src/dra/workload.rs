//! What is measured: arrays on disk, the sections of them that are moved, and the cells of the table that fills.

use std::fmt;

use clap::ValueEnum;
use section::Section;
use serde::Serialize;

/// Doubles.
pub(crate) const ELEMENT_BYTES: u64 = 8;
/// The most dimensions.
const DIMS_MAX: usize = 3;

/// An array, and what its creator says of the requests to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Layout {
    /// Two dimensions, nothing said (-1, -1).
    Unknown,
    /// Two dimensions, eight rows as wide as the section.
    Rows,
    /// Two dimensions, blocks that do not divide the section.
    Blocks,
    /// Three dimensions, cubes that divide the section.
    Cubes,
}

impl Layout {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [Layout; 4] = [Layout::Unknown, Layout::Rows, Layout::Blocks, Layout::Cubes];

    fn dims_count(self) -> usize {
        if self == Layout::Cubes { 3 } else { 2 }
    }
}

/// How large arrays are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Scale {
    /// 10000 x 10000 and 500 x 500 x 500.
    Full,
    /// 400 x 400 and 40 x 40 x 40: a test of the benchmark.
    Small,
}

/// Where the section begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Alignment {
    /// With the array.
    Aligned,
    /// One element further in every dimension.
    Shifted,
}

/// A section of an array, and the ranks that share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Workload {
    /// The array.
    pub(crate) layout: Layout,
    /// How large it is.
    pub(crate) scale: Scale,
    /// Where the section begins.
    pub(crate) alignment: Alignment,
    /// How many share it.
    pub(crate) ranks: usize,
}

impl Workload {
    /// Elements along each dimension of the array; the section has half of them.
    fn extent(self) -> u64 {
        match (self.layout, self.scale) {
            (Layout::Cubes, Scale::Full) => 500,
            (Layout::Cubes, Scale::Small) => 40,
            (_, Scale::Full) => 10_000,
            (_, Scale::Small) => 400,
        }
    }

    fn section_extent(self) -> u64 {
        self.extent() / 2
    }

    /// A typical request, if one is given.
    fn hints(self) -> Option<[u64; DIMS_MAX]> {
        match (self.layout, self.scale) {
            (Layout::Unknown, _) => None,
            (Layout::Rows, _) => Some([8, self.section_extent(), 1]),
            (Layout::Blocks, Scale::Full) => Some([400, 300, 1]),
            (Layout::Blocks, Scale::Small) => Some([40, 30, 1]),
            (Layout::Cubes, Scale::Full) => Some([50, 50, 50]),
            (Layout::Cubes, Scale::Small) => Some([5, 5, 5]),
        }
    }

    /// The extents of the array.
    pub(crate) fn array_extents(self) -> Vec<u64> {
        vec![self.extent(); self.layout.dims_count()]
    }

    /// The extents of a typical request, if one is given.
    pub(crate) fn hint_extents(self) -> Option<Vec<u64>> {
        self.hints().map(|hints| hints[..self.layout.dims_count()].into())
    }

    /// The section.
    pub(crate) fn section_elements(self) -> Option<Section> {
        let lo = vec![self.first(); self.layout.dims_count()];
        let hi: Vec<_> = lo.iter().map(|lo| lo + self.section_extent()).collect();
        Section::new(&lo, &hi).ok()
    }

    fn first(self) -> u64 {
        u64::from(self.alignment == Alignment::Shifted)
    }

    /// Bytes of the section.
    pub(crate) fn section_bytes(self) -> u64 {
        let elements: u64 = (0..self.layout.dims_count()).map(|_| self.section_extent()).product();
        elements * ELEMENT_BYTES
    }

    /// As the driver wants it: dimensions, and of each its extent, hint, begin and extent of the section.
    pub(crate) fn shape(self) -> String {
        let first = self.first();
        let dims_count = self.layout.dims_count();
        let dimension = |dim: usize| {
            let hint = self.hints().map_or("-1".to_owned(), |hints| hints[dim].to_string());
            format!(" {} {hint} {first} {}", self.extent(), self.section_extent())
        };
        format!("{dims_count}{}", (0..dims_count).map(dimension).collect::<String>())
    }

    /// For the table: the extents of the section.
    pub(crate) fn section(self) -> String {
        joined(&vec![self.section_extent(); self.layout.dims_count()])
    }

    /// For the table: the extents of the array.
    pub(crate) fn array(self) -> String {
        joined(&self.array_extents())
    }

    /// For the table: the hints.
    pub(crate) fn hint(self) -> String {
        self.hint_extents()
            .map_or_else(|| vec!["-1"; self.layout.dims_count()].join(" x "), |hint| joined(&hint))
    }
}

/// As tables say a shape.
fn joined(extents: &[u64]) -> String {
    extents.iter().map(u64::to_string).collect::<Vec<_>>().join(" x ")
}

/// One line of the table.
pub(crate) type Cell = crate::disk::cell::Cell<Workload>;

impl Cell {
    /// The order of the tables: numbers of ranks that do the same stand one below the other.
    pub(crate) fn place(self) -> impl Ord {
        let Workload { layout, alignment, ranks, .. } = self.workload;
        (layout, alignment, self.operation, ranks)
    }

    /// The same cell of a section that begins there.
    pub(crate) fn with_alignment(self, alignment: Alignment) -> Self {
        Self { workload: Workload { alignment, ..self.workload }, ..self }
    }
}

impl fmt::Display for Alignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Alignment::Aligned => "aligned",
            Alignment::Shifted => "not aligned",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Alignment, Layout, Scale, Workload};

    fn load(layout: Layout, alignment: Alignment) -> Workload {
        Workload { layout, scale: Scale::Full, alignment, ranks: 1 }
    }

    #[test]
    fn the_section_is_half_of_the_array_in_every_dimension() {
        let bytes = |layout| load(layout, Alignment::Aligned).section_bytes();
        assert_eq!(Layout::ALL.map(bytes), [200_000_000, 200_000_000, 200_000_000, 125_000_000]);
    }

    #[test]
    fn the_driver_is_told_extent_hint_begin_and_section_of_each_dimension() {
        let shape = |layout, alignment| load(layout, alignment).shape();
        assert_eq!(shape(Layout::Unknown, Alignment::Aligned), "2 10000 -1 0 5000 10000 -1 0 5000");
        assert_eq!(shape(Layout::Rows, Alignment::Shifted), "2 10000 8 1 5000 10000 5000 1 5000");
        assert_eq!(shape(Layout::Cubes, Alignment::Shifted), "3 500 50 1 250 500 50 1 250 500 50 1 250");
    }

    #[test]
    fn tables_say_hints_as_they_were_given() {
        let hint = |layout| load(layout, Alignment::Aligned).hint();
        assert_eq!(Layout::ALL.map(hint), ["-1 x -1", "8 x 5000", "400 x 300", "50 x 50 x 50"]);
    }

    #[test]
    fn a_small_section_lies_in_its_array_even_one_element_further() {
        for layout in Layout::ALL {
            let load = Workload { scale: Scale::Small, ..load(layout, Alignment::Shifted) };
            assert!(load.section_extent() < load.extent(), "{layout:?}");
        }
    }
}
