//! What is retained between steps: boxes of the source, all of them in one array of all ranks, which is as long as the plan says that
//! all together can be.
//!
//! A box lies there in row-major order, in one range of elements or, where none is long enough, in several: so whatever was kept and
//! forgotten before, there is room for as many elements as are free. Every rank finds the same places by itself.

use crate::gathered::Held;
use dra::{ArrayInMemory, DataType, Meeting, MemoryError};
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
        let mut scratch = vec![0; size((elems.end - elems.start).min(elems_max)) * element_bytes];
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
            let mut scratch = vec![0; span * element_bytes];
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
mod tests {
    use super::*;
    use std::sync::{Mutex, PoisonError};

    /// An array of doubles in the memory of this process alone.
    #[derive(Debug)]
    struct Memory {
        dims: Shape,
        bytes: Mutex<Vec<u8>>,
    }

    impl Memory {
        fn numbered(dims: &Shape) -> Self {
            let count = u32::try_from(dims.iter().product::<u64>()).unwrap();
            let bytes = (0..count).flat_map(|number| f64::from(number).to_le_bytes()).collect();
            Self { dims: *dims, bytes: Mutex::new(bytes) }
        }

        fn runs(&self, section: &Section, extents: &Shape) -> (usize, Runs) {
            let (here, there) = (Layout::dense(&self.dims), Layout::dense(extents));
            (8 * here.offset(section.lo()), Runs::new(&section.counts(), &here, &there))
        }
    }

    impl ArrayInMemory for Memory {
        fn name(&self) -> String {
            "of a test".to_owned()
        }

        fn data_type(&self) -> DataType {
            DataType::Float64
        }

        fn dims(&self) -> Shape {
            self.dims
        }

        fn any_thread(&self) -> bool {
            true
        }

        fn complete(&self) -> Result<(), MemoryError> {
            Ok(())
        }

        fn see_others(&self) -> Result<(), MemoryError> {
            Ok(())
        }

        fn get(&self, section: &Section, to: &mut [u8], extents: &Shape) -> Result<(), MemoryError> {
            assert!(section.fits(&self.dims), "{section} of {:?}", self.dims);
            let (at, runs) = self.runs(section, extents);
            copy_elements(&runs, &self.bytes.lock().unwrap_or_else(PoisonError::into_inner)[at..], to, 8);
            Ok(())
        }

        fn put(&self, section: &Section, from: &[u8], extents: &Shape) -> Result<(), MemoryError> {
            assert!(section.fits(&self.dims), "{section} of {:?}", self.dims);
            let at = 8 * Layout::dense(&self.dims).offset(section.lo());
            let runs = Runs::new(&section.counts(), &Layout::dense(extents), &Layout::dense(&self.dims));
            let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
            copy_elements(&runs, from, &mut bytes[at..], 8);
            Ok(())
        }
    }

    const DIMS: [u64; 3] = [6, 70, 50];

    /// All of an array whose elements are their own numbers.
    fn source() -> Held {
        let dims = Shape::new(&DIMS).unwrap();
        Held { section: Section::whole(&DIMS).unwrap(), array: Arc::new(Memory::numbered(&dims)) }
    }

    fn elements(array: &dyn ArrayInMemory, section: &Section) -> Vec<u8> {
        let mut bytes = vec![0; 8 * size(section.len())];
        array.get(section, &mut bytes, &section.counts()).unwrap();
        bytes
    }

    /// All that is held of a box is where the array has it, also in parts.
    fn expect_held(retained: &Retained, source: &Held, part: &Section) {
        let held = retained.held(part);
        assert_eq!(held.iter().map(|held| held.section.len()).sum::<u64>(), part.len());
        for Held { section, array } in held {
            assert_eq!(array.dims(), section.counts());
            let halves = (0..section.dims()).map(|dim| {
                let mut half = section;
                half.narrow(dim, &(section.counts()[dim] / 2..section.counts()[dim]));
                half
            });
            for asked in halves.chain([section]) {
                let found = elements(&*array, &asked.relative_to(section.lo()));
                assert!(found == elements(&*source.array, &asked), "{asked} of {part}");
            }
        }
    }

    /// A sequence of numbers below some others.
    fn numbers() -> impl FnMut(u64) -> u64 {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        move |below| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        }
    }

    #[test]
    fn as_much_can_be_kept_as_there_is_room_for_whatever_was_kept_and_forgotten_before() {
        let (source, mut number, room_elems) = (source(), numbers(), 20_000);
        let mut retained = Retained::new(Arc::new(Memory::numbered(&Shape::filled(1, room_elems))));
        let (mut kept, mut parted): (Vec<Section>, usize) = (vec![], 0);
        for round in 0..200 {
            let lo = Shape::from_fn(3, |dim| number(DIMS[dim]));
            let hi = Shape::from_fn(3, |dim| lo[dim] + 1 + number(DIMS[dim] - lo[dim]));
            let mut wanted = vec![Section::between(lo, hi)];
            if round % 20 == 0 {
                // Until nothing is free.
                let rows = Section::whole(&DIMS[..2]).unwrap().indices();
                let row =
                    |at: Shape| Section::new(&[at[0], at[1], 0], &[at[0] + 1, at[1] + 1, DIMS[2]]).unwrap();
                wanted = rows.map(row).collect();
            }
            for mut part in wanted {
                let mut left = room_elems - kept.iter().map(Section::len).sum::<u64>();
                while round % 20 > 0 && part.len() > left && !kept.is_empty() {
                    let forgotten = kept.swap_remove(size(number(kept.len() as u64)));
                    left += forgotten.len();
                    retained.forget(&forgotten);
                }
                part.narrow(2, &(0..part.counts()[2].min(left.max(1))));
                if part.len() > left || kept.contains(&part) {
                    continue;
                }
                // Of three ranks, one after the other, which have one memory here.
                let before = retained.free.clone();
                for rank in 0..3 {
                    retained.free = before.clone();
                    retained.keep(&source, &part, (rank, 3)).unwrap();
                }
                parted += usize::from(retained.places[&part].len() > 1);
                kept.push(part);
            }
            if round % 20 == 0 {
                assert_eq!(retained.free, FreeRanges(vec![]));
            }
            for part in &kept {
                expect_held(&retained, &source, part);
            }
        }
        assert!(parted >= 20, "{parted} in parts");
        for part in &kept {
            retained.forget(part);
        }
        assert_eq!(retained.free, FreeRanges::all(room_elems));
    }

    #[test]
    #[should_panic(expected = "were planned")]
    fn more_than_the_plan_says_is_a_mistake() {
        let mut free = FreeRanges(vec![3..7, 9..10]);
        assert_eq!(free.clone().take(5), [3..7, 9..10]);
        free.take(6);
    }
}
