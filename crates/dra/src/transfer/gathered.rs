//! Parts of bricks that are copied between the page cache and the array in memory as they are, without a buffer between: where the
//! runs of a part are long, to copy everything twice takes longer than to tell the system of each.

use super::job::Job;
use super::parts::Part;
use super::unit::{Piece, Place, Ranges};
use elio::{AroundCaches, Gather, MemoryPiece};
use section::size;
use std::ops::Range;

/// Where pieces are shorter than this on average, a buffer is the faster way.
const PIECE_BYTES_MIN: usize = 4096;

/// Transfers of less, those under way before them included, leave what they read in the processor's caches.
const AROUND_CACHES_BYTES_MIN: u64 = 16 << 20;
/// Where pieces are shorter than this on average, to find each one takes longer than to copy it.
const AROUND_CACHES_PIECE_BYTES_MIN: u64 = 256;

/// One access for each of `ranges`, with the pieces of memory that belong to the part and what is to be passed over. `None` if the
/// memory is out of reach, or in too many or too small pieces.
pub(super) fn accesses(
    job: &Job,
    part: &Part,
    piece: &Piece,
    ranges: &Ranges,
    access: fn() -> Gather,
) -> Option<Vec<Gather>> {
    let bytes = size(piece.bytes());
    let is_worth_it = |pieces_count: usize| bytes / pieces_count.max(1) >= PIECE_BYTES_MIN;
    if !is_worth_it(piece.runs_count()) {
        return None;
    }
    let memory = job.mapping.pieces(&*job.memory(), &part.section, Gather::PIECES_MAX)?;
    let accesses = is_worth_it(memory.len()).then(|| joined(piece, ranges, memory, access))?;
    accesses.iter().all(Gather::is_one_access).then_some(accesses)
}

/// Copies a part from its place in a buffer to memory, around the processor's caches, if so much is being read that nobody looks at all of
/// it so soon that they had it still. `false` if it is not, or the memory is out of reach, or in too small pieces.
pub(super) fn put(job: &Job, part: &Part, piece: &Piece, place: &Place, buffer: &[u8]) -> bool {
    let bytes = piece.bytes();
    let pieces_count_max = size(bytes / AROUND_CACHES_PIECE_BYTES_MIN);
    if job.reading_bytes < AROUND_CACHES_BYTES_MIN || piece.runs_count() > pieces_count_max {
        return false;
    }
    let Some(memory) = job.mapping.pieces(&*job.memory(), &part.section, pieces_count_max) else {
        return false;
    };
    let mut supply = Supply { pieces: memory.into_iter(), rest: None };
    let copies = AroundCaches::new();
    piece.for_each_run(|run| {
        let mut run = &buffer[place.of(&run)];
        while !run.is_empty() {
            let piece = supply.next(run.len());
            let (now, later) = run.split_at(piece.len());
            copies.copy(now, piece);
            run = later;
        }
    });
    true
}

/// The runs of the part lie in `ranges`, and `memory` has their bytes, both in the same order.
fn joined(piece: &Piece, ranges: &Ranges, memory: Vec<MemoryPiece>, access: fn() -> Gather) -> Vec<Gather> {
    let mut supply = Supply { pieces: memory.into_iter(), rest: None };
    let mut runs = Vec::with_capacity(piece.runs_count());
    piece.for_each_run(|run| runs.push(run));
    let mut runs = runs.into_iter().peekable();
    let of_range = |range: &Range<u64>| {
        let (mut access, mut at) = (access(), range.start);
        while let Some(run) = runs.next_if(|run| run.end <= range.end) {
            access.pass_over(size(run.start - at));
            supply.give(size(run.end - run.start), &mut access);
            at = run.end;
        }
        access.pass_over(size(range.end - at));
        access
    };
    ranges.iter().map(of_range).collect()
}

/// Memory that is not yet used up.
struct Supply {
    pieces: std::vec::IntoIter<MemoryPiece>,
    /// Of the piece that was begun.
    rest: Option<MemoryPiece>,
}

impl Supply {
    /// The next bytes, no more than so many.
    fn next(&mut self, bytes_max: usize) -> MemoryPiece {
        let piece = self.rest.take().or_else(|| self.pieces.next()).expect("the memory has the whole part");
        let (now, later) = piece.split_at(bytes_max.min(piece.len()));
        self.rest = (!later.is_empty()).then_some(later);
        now
    }

    /// The next `bytes`.
    fn give(&mut self, mut bytes: usize, to: &mut Gather) {
        while bytes > 0 {
            let piece = self.next(bytes);
            bytes -= piece.len();
            to.push(piece);
        }
    }
}
