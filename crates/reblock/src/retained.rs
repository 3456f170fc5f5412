//! What is retained between steps: boxes of the source, all of them in one array of all ranks, which is as long as the plan says that
//! all together can be.
//!
//! A box lies there in row-major order, in one range of elements or, where none is long enough, in several: so whatever was kept and
//! forgotten before, there is room for as many elements as are free. Every rank finds the same places by itself.

use crate::gathered::Held;
use dra::{ArrayInMemory, DataType, Meeting, MemoryError, scratch};
use section::{Layout, PIECE_BYTES, Runs, Section, Shape, copy_elements, size};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The boxes that are retained, and where.
#[derive(Debug)]
pub(crate) struct Retained {
    array: Arc<dyn ArrayInMemory>,
    free: FreeRanges,
    places: HashMap<Section, Vec<Range<u64>>>,
}

impl Retained {
    /// In an array of one dimension.
    pub(crate) fn new(array: Arc<dyn ArrayInMemory>) -> Self {
        let free = FreeRanges::all(array.dims()[0]);
        Self { array, free, places: HashMap::new() }
    }

    /// Makes room for a box, and copies share number `rank` of `ranks` of it from what is held; it is there when all of them have
    /// completed the array. All ranks keep and forget the same boxes in the same order. Local.
    ///
    /// # Errors
    /// What arrays in memory say. There is room nevertheless.
    ///
    /// # Panics
    /// If more is retained than the plan says.
    pub(crate) fn keep(
        &mut self,
        held: &Held,
        part: &Section,
        (rank, ranks): (u64, u64),
    ) -> Result<(), MemoryError> {
        let ranges = self.free.take(part.len());
        let at = |rank: u64| u128::from(part.len()) * u128::from(rank) / u128::from(ranks);
        let [begin, end] =
            [at(rank), at(rank + 1)].map(|at| u64::try_from(at).expect("no more than there are"));
        let mut before = 0;
        let copied = ranges.iter().try_for_each(|range| {
            let here = before..before + (range.end - range.start);
            before = here.end;
            let mine = here.start.max(begin)..here.end.min(end);
            if mine.is_empty() {
                return Ok(());
            }
            self.copy(held, part, mine.clone(), range.start + (mine.start - here.start))
        });
        self.places.insert(*part, ranges);
        copied
    }

    /// Copies these elements of a box, by their numbers, to those from `place` on.
    fn copy(
        &self,
        held: &Held,
        part: &Section,
        elems: Range<u64>,
        mut place: u64,
    ) -> Result<(), MemoryError> {
        let element_bytes = size(self.array.data_type().bytes());
        let elems_max = PIECE_BYTES / self.array.data_type().bytes();
        let mut scratch = scratch(size((elems.end - elems.start).min(elems_max)) * element_bytes)?;
        let mut at = elems.start;
        while at < elems.end {
            let next = elems.end.min(at + elems_max);
            for piece in part.boxes_of_range(at..next) {
                let scratch = &mut scratch[..size(piece.len()) * element_bytes];
                held.array.get(&held.place(&piece), scratch, &piece.counts())?;
                self.array.put(&stretch(place, piece.len()), scratch, &Shape::filled(1, piece.len()))?;
                place += piece.len();
            }
            at = next;
        }
        Ok(())
    }

    /// Where all of it lies.
    pub(crate) fn array(&self) -> &Arc<dyn ArrayInMemory> {
        &self.array
    }

    /// What is held of a box that was kept.
    ///
    /// # Panics
    /// If it was not.
    pub(crate) fn held(&self, part: &Section) -> Vec<Held> {
        let ranges = self.places.get(part).unwrap_or_else(|| panic!("{part} was not kept"));
        let (mut held, mut before) = (vec![], 0);
        for range in ranges {
            let mut first = range.start;
            let len = range.end - range.start;
            for section in part.boxes_of_range(before..before + len) {
                let array = Arc::new(Dense { array: Arc::clone(&self.array), first, dims: section.counts() });
                held.push(Held { section, array });
                first += section.len();
            }
            before += len;
        }
        held
    }

    /// Forgets a box, if it was kept.
    pub(crate) fn forget(&mut self, part: &Section) {
        for range in self.places.remove(part).into_iter().flatten() {
            self.free.give_back(range);
        }
    }
}

/// Ranges that are free, in ascending order, none next to another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FreeRanges(Vec<Range<u64>>);

impl FreeRanges {
    fn all(len: u64) -> Self {
        Self(std::iter::once(0..len).collect())
    }

    /// Takes so many elements: from the first range that has them, or from the longest ones.
    ///
    /// # Panics
    /// If there are not so many.
    fn take(&mut self, mut len: u64) -> Vec<Range<u64>> {
        let mut taken = vec![];
        while len > 0 {
            let is_enough = |range: &Range<u64>| range.end - range.start >= len;
            let longest = || (0..self.0.len()).rev().max_by_key(|&at| self.0[at].end - self.0[at].start);
            let at = self.0.iter().position(is_enough).or_else(longest);
            let at = at.unwrap_or_else(|| panic!("{len} elements more are retained than were planned"));
            let Range { start, end } = self.0[at].clone();
            let cut = end.min(start + len);
            if cut == end {
                self.0.remove(at);
            } else {
                self.0[at].start = cut;
            }
            taken.push(start..cut);
            len -= cut - start;
        }
        taken
    }

    fn give_back(&mut self, range: Range<u64>) {
        let at = self.0.partition_point(|free| free.end < range.start);
        let end = self.0.partition_point(|free| free.start <= range.end);
        let joined = self.0[at..end]
            .iter()
            .fold(range, |joined, free| joined.start.min(free.start)..joined.end.max(free.end));
        self.0.splice(at..end, [joined]);
    }
}

/// A box whose elements lie one after the other in an array of one dimension.
#[derive(Debug)]
struct Dense {
    array: Arc<dyn ArrayInMemory>,
    first: u64,
    dims: Shape,
}

/// Elements of an array of one dimension.
fn stretch(first: u64, len: u64) -> Section {
    Section::between(Shape::filled(1, first), Shape::filled(1, first + len))
}

/// Short runs are read together with what is between them, if that makes no more than so many elements for each that is wanted: each read
/// has a price of its own, between hosts a high one.
const READ_FOR_EACH_MAX: usize = 4;

impl Dense {
    /// Reads elements from number `first` of the box on, one after the other.
    fn read(&self, first: usize, len: usize, to: &mut [u8]) -> Result<(), MemoryError> {
        let len_elems = len as u64;
        let bytes = len * size(self.data_type().bytes());
        let place = stretch(self.first + first as u64, len_elems);
        self.array.get(&place, &mut to[..bytes], &Shape::filled(1, len_elems))
    }
}

impl ArrayInMemory for Dense {
    fn name(&self) -> String {
        self.array.name()
    }

    fn data_type(&self) -> DataType {
        self.array.data_type()
    }

    fn dims(&self) -> Shape {
        self.dims
    }

    fn any_thread(&self) -> bool {
        self.array.any_thread()
    }

    fn complete(&self) -> Result<(), MemoryError> {
        self.array.complete()
    }

    fn see_others(&self) -> Result<(), MemoryError> {
        self.array.see_others()
    }

    fn meeting(&self) -> Option<Meeting> {
        self.array.meeting()
    }

    fn get(&self, section: &Section, to: &mut [u8], extents: &Shape) -> Result<(), MemoryError> {
        let (counts, element_bytes) = (section.counts(), size(self.data_type().bytes()));
        let (here, there) = (Layout::dense(&self.dims), Layout::dense(extents));
        let (first, span) = (here.offset(section.lo()), here.span(&counts));
        let runs = Runs::new(&counts, &here, &there);
        if runs.count() == 1 {
            return self.read(first, span, to);
        }
        if span * element_bytes <= size(PIECE_BYTES) && span <= size(section.len()) * READ_FOR_EACH_MAX {
            let mut scratch = scratch(span * element_bytes)?;
            self.read(first, span, &mut scratch)?;
            copy_elements(&runs, &scratch, to, element_bytes);
            return Ok(());
        }
        let Some(slowest) = (0..counts.len()).find(|&dim| counts[dim] > 1) else { return Ok(()) };
        let middle = counts[slowest] / 2;
        [0..middle, middle..counts[slowest]].into_iter().try_for_each(|half| {
            let at = there.strides()[slowest] * size(half.start) * element_bytes;
            let mut part = *section;
            part.narrow(slowest, &half);
            self.get(&part, &mut to[at..], extents)
        })
    }

    fn put(&self, _: &Section, _: &[u8], _: &Shape) -> Result<(), MemoryError> {
        Err("nothing is read into what is retained".into())
    }
}

#[cfg(test)]
mod tests;
