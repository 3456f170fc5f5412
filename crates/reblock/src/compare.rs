//! Whether a target is like its source, element by element, in boxes that fit in memory.
//!
//! Both arrays are read anew, box by box, each into an array of all ranks; while one pair of boxes is compared the next one is
//! read. Nothing of what has put the target together is used. Ranks compare the *pieces* of a box in turn.

use crate::boxes::agreed;
use crate::copy::Options;
use crate::error::Result;
use crate::prepare::{agree, check_shapes};
use comm::Operation;
use dra::{Context, DiskArray, MadeArray, MakeArray, MemoryError, Request, Transfer};
use layout::Permutation;
use section::{BrickGrid, Layout, Runs, Section, Shape, size};
use std::collections::VecDeque;

/// Pairs of boxes: one is read while the other one is compared.
const PAIRS: usize = 2;
/// How much of a box a rank compares at a time.
const PIECE_BYTES: u64 = 256 << 10;

/// What [`compare()`] has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// How many elements were compared: all.
    pub elements: u64,
    /// How many differ in their bits.
    pub differing: u64,
    /// The index in the target of the first that does, row-major.
    pub first: Option<Vec<u64>>,
}

/// Elements that differ.
#[derive(Clone, Copy, Debug)]
struct Differences {
    count: u64,
    /// The number of the first one, row-major in the target.
    first: u64,
}

/// Compares a target with the source that it was copied from, bit by bit.
///
/// Collective. `permutation`: as of [`copy`](crate::copy()); `progress`: is told on each rank of bytes of the target that have been
/// compared since it was told last. Cost: both arrays are read once; arrays in memory take half of the memory of the context on all ranks
/// together, and the buffers of transfers what they have. What the system has in memory of the target is compared, unless that is dropped
/// before ([`DiskArray::drop_cached`]).
///
/// # Errors
/// The same on every rank.
/// - [`Error::TypesDiffer`](crate::Error::TypesDiffer), [`Error::DimsDiffer`](crate::Error::DimsDiffer): the elements of the one have no place in the other.
/// - [`Error::Array`](crate::Error::Array): an array that is not complete, or cannot be read; no memory; ranks compare different ones.
pub fn compare(
    disk: &Context,
    maker: &dyn MakeArray,
    (source, target): (&DiskArray, &DiskArray),
    permutation: &Permutation,
    progress: &mut dyn FnMut(u64),
) -> Result<Comparison> {
    agree(disk, check_shapes(source, target, permutation), source, target, permutation, &Options::default())?;
    let metadata = target.directory().metadata();
    let (dims, element_bytes) = (metadata.dims, metadata.data_type.bytes());
    let memory_bytes = disk.memory_bytes().saturating_mul(disk.comm().size() as u64) / 2;
    let bricks = [
        permutation.to_target(source.directory().layout().bricks().brick()),
        *target.directory().layout().bricks().brick(),
    ];
    let extents = extents(&dims, &bricks, memory_bytes / (2 * PAIRS as u64) / element_bytes);
    let comparer = Comparer { disk, arrays: [source, target], permutation, dims, element_bytes };
    let mut boxes = vec![];
    let made: Result<()> =
        (0..PAIRS).flat_map(|_| [permutation.to_source(&extents), extents]).try_for_each(|shape| {
            boxes.push(agreed(disk, maker.make(metadata.data_type, &shape))?);
            Ok(())
        });
    let found = made.and_then(|()| comparer.all(&boxes, &extents, progress));
    // Whatever has failed, on all ranks.
    let freed: Vec<_> = boxes.into_iter().map(|made| agreed(disk, made.free())).collect();
    let found = comparer.together(found?)?;
    freed.into_iter().collect::<dra::Result<()>>()?;
    Ok(found)
}

/// The extents of boxes with at most `elems_max` elements, one at least: of whole bricks of both arrays as far as may be.
fn extents(dims: &Shape, bricks: &[Shape; 2], elems_max: u64) -> Shape {
    let aim = Shape::from_fn(dims.len(), |d| bricks[0][d].max(bricks[1][d]).min(dims[d]));
    let mut extents = Shape::from_fn(dims.len(), |d| bricks[1][d].min(dims[d]));
    let elems = |extents: &Shape| extents.iter().map(|&extent| u128::from(extent)).product::<u128>();
    while let Some(d) = (0..dims.len()).find(|&d| extents[d] > 1)
        && elems(&extents) > u128::from(elems_max)
    {
        extents[d] = extents[d].div_ceil(2);
    }
    loop {
        let grown = |d: usize| {
            let mut grown = extents;
            grown[d] = grown[d].saturating_mul(2).min(dims[d]);
            grown
        };
        let fits = |&d: &usize| extents[d] < dims[d] && elems(&grown(d)) <= u128::from(elems_max);
        // The one that lacks most; of equal ones the fastest, whose runs become longer.
        let lacks = |d: usize| (u128::from(extents[d]) << 32) / u128::from(aim[d].max(1));
        match (0..dims.len()).rev().filter(fits).min_by_key(|&d| lacks(d)) {
            Some(d) => extents = grown(d),
            None => return extents,
        }
    }
}

struct Comparer<'a> {
    disk: &'a Context,
    /// Source and target.
    arrays: [&'a DiskArray; 2],
    permutation: &'a Permutation,
    /// Of the target.
    dims: Shape,
    element_bytes: u64,
}

/// A pair of boxes that is being read.
struct UnderWay {
    pair: usize,
    /// Of the target.
    section: Section,
    requests: [Request; 2],
}

/// Of a source and of a target, in turn.
type Boxes = [Box<dyn MadeArray>];

impl Comparer<'_> {
    fn all(&self, boxes: &Boxes, extents: &Shape, progress: &mut dyn FnMut(u64)) -> Result<Differences> {
        let grid = BrickGrid::new(&self.dims, extents).map_err(dra::Error::from)?;
        let mut found = Differences { count: 0, first: u64::MAX };
        let mut reading: VecDeque<UnderWay> = VecDeque::new();
        for (number, at) in Section::whole(grid.counts()).map_err(dra::Error::from)?.indices().enumerate() {
            reading.push_back(self.read(boxes, number % PAIRS, &grid.elements(&at))?);
            if reading.len() == PAIRS {
                self.finish(&mut reading, boxes, &mut found, progress)?;
            }
        }
        while !reading.is_empty() {
            self.finish(&mut reading, boxes, &mut found, progress)?;
        }
        Ok(found)
    }

    /// Starts to read a box of both arrays.
    fn read(&self, boxes: &Boxes, pair: usize, section: &Section) -> Result<UnderWay> {
        let in_source = self.permutation.inverse().section_to_target(section);
        let start = |side: usize, on_disk: &Section| -> Result<Request> {
            let in_memory = Section::whole(&on_disk.counts()).map_err(dra::Error::from)?;
            let transfer = Transfer { in_memory, on_disk: *on_disk, reversed: false };
            Ok(self.arrays[side].read(&boxes[2 * pair + side].in_memory(), &transfer)?)
        };
        let requests = [start(0, &in_source)?, start(1, section)?];
        Ok(UnderWay { pair, section: *section, requests })
    }

    /// Compares the oldest pair.
    fn finish(
        &self,
        reading: &mut VecDeque<UnderWay>,
        boxes: &Boxes,
        found: &mut Differences,
        progress: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let Some(UnderWay { pair, section, requests }) = reading.pop_front() else { return Ok(()) };
        for mut request in requests {
            request.wait()?;
        }
        // Afterwards no rank needs these boxes any more.
        agreed(self.disk, self.compare(&boxes[2 * pair..][..2], &section, found))?;
        progress(section.len() * self.element_bytes);
        Ok(())
    }

    /// Compares this rank's pieces.
    fn compare(
        &self,
        pair: &Boxes,
        section: &Section,
        found: &mut Differences,
    ) -> std::result::Result<(), MemoryError> {
        let [source, target] = [0, 1].map(|side| pair[side].in_memory());
        let counts = section.counts();
        let piece = extents(&counts, &[counts, counts], PIECE_BYTES / self.element_bytes);
        let grid = BrickGrid::new(&counts, &piece)?;
        let mut elements = [vec![], vec![]];
        let (rank, ranks) = (self.disk.comm().rank(), self.disk.comm().size());
        for at in Section::whole(grid.counts())?.indices().skip(rank).step_by(ranks) {
            let piece = grid.elements(&at);
            let in_source = self.permutation.inverse().section_to_target(&piece);
            for (memory, side, part) in [(&source, 0, &in_source), (&target, 1, &piece)] {
                elements[side].resize(size(part.len() * self.element_bytes), 0);
                memory.get(part, &mut elements[side], &part.counts())?;
            }
            self.compare_piece(&piece.shifted_by(section.lo()), &elements, found);
        }
        Ok(())
    }

    /// `elements`: of the source and of the target, each in its own order.
    fn compare_piece(&self, piece: &Section, elements: &[Vec<u8>; 2], found: &mut Differences) {
        let (counts, bytes) = (piece.counts(), size(self.element_bytes));
        let dense = Layout::dense(&counts);
        let of_source =
            Layout::dense(&self.permutation.to_source(&counts)).permuted(self.permutation.source());
        Runs::new(&counts, &of_source, &dense).for_each(|from, to, len| {
            let run = |side: usize, at: usize| &elements[side][at * bytes..(at + len) * bytes];
            let (expected, got) = (run(0, from), run(1, to));
            if expected != got {
                for (number, _) in (to..)
                    .zip(expected.chunks_exact(bytes).zip(got.chunks_exact(bytes)))
                    .filter(|(_, (expected, got))| expected != got)
                {
                    found.count += 1;
                    found.first = found.first.min(self.number(piece, number as u64));
                }
            }
        });
    }

    /// The number in the target of element `at` of a piece.
    fn number(&self, piece: &Section, at: u64) -> u64 {
        let index = index_of(&piece.counts(), at);
        (0..index.len()).fold(0, |number, d| number * self.dims[d] + piece.lo()[d] + index[d])
    }

    /// What all ranks have found. Collective.
    fn together(&self, mine: Differences) -> Result<Comparison> {
        let comm = self.disk.comm();
        let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        let (mut count, mut first) = ([signed(mine.count)], [signed(mine.first)]);
        comm.all_reduce(&mut count, Operation::Sum).map_err(dra::Error::from)?;
        comm.all_reduce(&mut first, Operation::Min).map_err(dra::Error::from)?;
        let differing = count[0].unsigned_abs();
        let first = (differing > 0).then(|| index_of(&self.dims, first[0].unsigned_abs()).to_vec());
        Ok(Comparison { elements: self.dims.iter().product(), differing, first })
    }
}

/// The index of element `number` of an array, row-major.
fn index_of(dims: &Shape, mut number: u64) -> Shape {
    let mut index = *dims;
    for d in (0..dims.len()).rev() {
        (index[d], number) = (number % dims[d], number / dims[d]);
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(extents: &[u64]) -> Shape {
        Shape::new(extents).unwrap()
    }

    #[test]
    fn boxes_fit_in_memory_and_have_whole_bricks_where_these_do() {
        let dims = shape(&[1000, 1000]);
        let bricks = [shape(&[1, 1000]), shape(&[100, 10])];
        let found = extents(&dims, &bricks, 200_000);
        assert!(found[0] * found[1] <= 200_000 && found[0] >= 100 && found[1] >= 1000, "{found:?}");
        assert_eq!(extents(&dims, &bricks, u64::MAX)[..], [1000, 1000]);
        assert_eq!(extents(&dims, &bricks, 0)[..], [1, 1]);
        let few = extents(&dims, &bricks, 100);
        assert!(few[0] * few[1] <= 100 && few[1] == 10, "{few:?}");
    }

    #[test]
    fn a_number_is_the_index_it_came_from() {
        assert_eq!(index_of(&shape(&[4, 5, 6]), 2 * 30 + 3 * 6 + 5)[..], [2, 3, 5]);
    }
}
