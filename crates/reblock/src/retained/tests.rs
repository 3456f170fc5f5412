//! Where boxes lie, and what is read of them.

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
            let row = |at: Shape| Section::new(&[at[0], at[1], 0], &[at[0] + 1, at[1] + 1, DIMS[2]]).unwrap();
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
