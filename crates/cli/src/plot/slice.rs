//! Which elements are drawn.

use crate::error::{Error, Result};
use section::{Section, Shape};
use std::fmt;
use std::ops::Range;

/// A box of which one or two dimensions are drawn, and the others have one index.
#[derive(Clone, Debug)]
pub(super) struct Slice {
    section: Section,
    /// The dimensions that are drawn: down and across, or across alone.
    drawn: Vec<usize>,
    dims: Shape,
}

impl Slice {
    /// From what the user says: for each dimension an index, `:` or `FIRST:END`. By default the last two dimensions, or the only
    /// one, at index 0 of the others.
    pub(super) fn parse(text: Option<&str>, dims: &Shape) -> Result<Self> {
        if dims.contains(&0) {
            return Err(Error::BadArgument("the array has no elements to draw".to_owned()));
        }
        let parts: Vec<Part> = match text {
            Some(text) => text.split(',').map(str::trim).map(Part::parse).collect::<Result<_>>()?,
            None => (0..dims.len())
                .map(|d| if d + 2 < dims.len() { Part::Index(0) } else { Part::Range(None, None) })
                .collect(),
        };
        if parts.len() != dims.len() {
            let shape = dims.to_vec();
            return Err(Error::BadArgument(format!(
                "--slice has {} parts, the array is {shape:?}",
                parts.len()
            )));
        }
        let drawn: Vec<usize> = (0..parts.len()).filter(|&d| matches!(parts[d], Part::Range(..))).collect();
        if drawn.is_empty() || drawn.len() > 2 {
            let count = drawn.len();
            return Err(Error::BadArgument(format!("--slice has {count} ranges, one or two can be drawn")));
        }
        let ranges: Vec<Range<u64>> = parts
            .iter()
            .zip(dims.iter())
            .map(|(part, &extent)| part.within(extent))
            .collect::<Result<_>>()?;
        let lo: Vec<u64> = ranges.iter().map(|range| range.start).collect();
        let hi: Vec<u64> = ranges.iter().map(|range| range.end).collect();
        Ok(Self { section: Section::new(&lo, &hi)?, drawn, dims: *dims })
    }

    pub(super) fn section(&self) -> &Section {
        &self.section
    }

    /// Whether one dimension is drawn.
    pub(super) fn is_line(&self) -> bool {
        self.drawn.len() == 1
    }

    /// The dimension and the indices that go down; none of a line.
    pub(super) fn down(&self) -> (Option<usize>, Range<u64>) {
        if self.is_line() { (None, 0..1) } else { (Some(self.drawn[0]), self.range(self.drawn[0])) }
    }

    /// The dimension and the indices that go across.
    pub(super) fn across(&self) -> (usize, Range<u64>) {
        let last = self.drawn[self.drawn.len() - 1];
        (last, self.range(last))
    }

    fn range(&self, dim: usize) -> Range<u64> {
        self.section.lo()[dim]..self.section.hi()[dim]
    }

    /// How many cells there are down and across, at most so many.
    pub(super) fn cells(&self, max: [u64; 2]) -> [usize; 2] {
        let (down, across) = (self.down().1, self.across().1);
        [
            section::size((down.end - down.start).min(max[0])),
            section::size((across.end - across.start).min(max[1])),
        ]
    }
}

impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for d in 0..self.dims.len() {
            let (Range { start, end }, separator) = (self.range(d), if d == 0 { "" } else { ", " });
            match (self.drawn.contains(&d), start == 0 && end == self.dims[d]) {
                (false, _) => write!(f, "{separator}{start}")?,
                (true, true) => write!(f, "{separator}:")?,
                (true, false) => write!(f, "{separator}{start}:{end}")?,
            }
        }
        Ok(())
    }
}

/// What is said about one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Index(u64),
    Range(Option<u64>, Option<u64>),
}

impl Part {
    fn parse(text: &str) -> Result<Self> {
        let bad = || Error::BadArgument(format!("--slice: {text:?}, expected an index, : or FIRST:END"));
        let number =
            |text: &str| if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|_| bad()) };
        match text.split_once(':') {
            Some((first, end)) => Ok(Self::Range(number(first)?, number(end)?)),
            None => number(text)?.map(Self::Index).ok_or_else(bad),
        }
    }

    fn within(self, extent: u64) -> Result<Range<u64>> {
        let (first, end) = match self {
            Self::Index(index) => (index, index.saturating_add(1)),
            Self::Range(first, end) => (first.unwrap_or(0), end.unwrap_or(extent)),
        };
        if first < end && end <= extent {
            return Ok(first..end);
        }
        Err(Error::BadArgument(format!("--slice: {first}:{end} of a dimension of {extent}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(dims: &[u64]) -> Shape {
        Shape::new(dims).unwrap()
    }

    #[test]
    fn the_last_two_dimensions_are_drawn_unless_others_are_named() {
        let dims = shape(&[4, 5, 6]);
        let slice = Slice::parse(None, &dims).unwrap();
        assert_eq!(
            (slice.to_string(), slice.down(), slice.across()),
            ("0, :, :".to_owned(), (Some(1), 0..5), (2, 0..6))
        );
        let slice = Slice::parse(Some("1:3, 2, :"), &dims).unwrap();
        assert_eq!(
            (slice.to_string(), slice.down(), slice.across()),
            ("1:3, 2, :".to_owned(), (Some(0), 1..3), (2, 0..6))
        );
        let line = Slice::parse(Some("3,:,5"), &dims).unwrap();
        assert!(line.is_line() && line.across() == (1, 0..5));
        assert!(Slice::parse(None, &shape(&[7])).unwrap().is_line());
        assert_eq!(slice.cells([720, 4]), [2, 4]);
    }

    #[test]
    fn slices_that_make_no_sense_are_refused() {
        for text in [
            "",
            ":",
            ":,:,:",
            "1,1,1",
            "4,:,:",
            "0,3:3,:",
            "0,0:6,:",
            "a,:,:",
            "0,:,::",
            "-1,:,:",
            "99999999999999999999,:,:",
        ] {
            assert!(Slice::parse(Some(text), &shape(&[4, 5, 6])).is_err(), "{text:?}");
        }
        assert!(Slice::parse(None, &shape(&[0, 5])).is_err());
    }
}
