//! Transfers in flight: what of an array they bring, and the buffers they bring it in. Small bricks that follow each other in a file are
//! read together.

use super::memory;
use super::pieces::{self, Piece};
use super::source::{Shard, Source};
use super::{Content, IN_FLIGHT, TRANSFER_BYTES};
use crate::error::Result;
use elio::{PageBuffer, Request};
use section::{Section, size};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Transfers begin and end at multiples of this, so that they can go around the page cache.
const PAGE_BYTES: u64 = 4096;
/// What is between two pieces is read with them up to here.
const GAP_BYTES_MAX: u64 = 64 << 10;

/// What one transfer reads.
#[derive(Debug)]
pub(super) struct Wanted {
    shard: Arc<Shard>,
    /// Of the file.
    bytes: Range<u64>,
    /// And where in the file each begins.
    pieces: Vec<(Piece, u64)>,
}

/// What is found of a tile, piece by piece.
#[derive(Debug)]
pub(super) enum Found<'a> {
    /// What a piece is. [`Content::Elements`] is brought by a transfer that comes later.
    Piece(Content, &'a Piece),
    /// A transfer that is to be made.
    Transfer(Wanted),
}

/// Looks where the pieces of a tile are, in the order in which they are stored.
pub(super) fn look(
    source: &Source,
    tile: &Section,
    mut tell: impl FnMut(Found<'_>) -> Result<()>,
) -> Result<()> {
    let array = source.array();
    let element_bytes = array.metadata().data_type.bytes();
    let mut wanted: Option<Wanted> = None;
    for piece in pieces::of_tile(array.layout(), tile) {
        let shard = source.shard(piece.place)?;
        let at = shard.as_ref().map_or(Ok(None), |shard| shard.offset_bytes(piece.place.slot))?;
        let (Some(shard), Some(brick_at)) = (shard, at) else {
            tell(Found::Piece(Content::Fill, &piece))?;
            continue;
        };
        let in_brick = piece.bytes(element_bytes);
        let bytes = brick_at + in_brick.start..brick_at + in_brick.end;
        if shard.is_hole(&bytes) {
            tell(Found::Piece(Content::Zeros, &piece))?;
            continue;
        }
        tell(Found::Piece(Content::Elements, &piece))?;
        match &mut wanted {
            Some(wanted) if wanted.takes(&shard, &bytes) => wanted.add(piece, &bytes),
            _ => {
                let next = Wanted { shard, bytes: bytes.clone(), pieces: vec![(piece, bytes.start)] };
                if let Some(ready) = wanted.replace(next) {
                    tell(Found::Transfer(ready))?;
                }
            }
        }
    }
    wanted.map_or(Ok(()), |ready| tell(Found::Transfer(ready)))
}

impl Wanted {
    /// Whether what is next in the file can be read in the same transfer.
    fn takes(&self, shard: &Arc<Shard>, bytes: &Range<u64>) -> bool {
        let gap = bytes.start.checked_sub(self.bytes.end);
        Arc::ptr_eq(&self.shard, shard)
            && gap.is_some_and(|gap| gap <= GAP_BYTES_MAX)
            && bytes.end - self.bytes.start <= TRANSFER_BYTES
    }

    fn add(&mut self, piece: Piece, bytes: &Range<u64>) {
        self.bytes.end = bytes.end;
        self.pieces.push((piece, bytes.start));
    }

    /// The pages of the file that hold it.
    fn pages(&self) -> Range<u64> {
        self.bytes.start / PAGE_BYTES * PAGE_BYTES..self.bytes.end.next_multiple_of(PAGE_BYTES)
    }
}

/// The transfers of one thread, each for a `T`.
#[derive(Debug)]
pub(super) struct Flights<T> {
    free: Vec<PageBuffer>,
    /// The oldest first.
    flying: VecDeque<(Request<PageBuffer>, Wanted, T)>,
}

/// What a transfer has brought.
#[derive(Debug)]
pub(super) struct Landed<T> {
    wanted: Wanted,
    buffer: PageBuffer,
    /// What it was for.
    pub(super) tag: T,
}

impl<T> Landed<T> {
    /// Each piece, and its bytes, with what lies behind it in the buffer.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (&Piece, &[u8])> {
        let begin = self.wanted.pages().start;
        self.wanted.pieces.iter().map(move |(piece, at)| (piece, &self.buffer[size(at - begin)..]))
    }
}

impl<T> Flights<T> {
    /// With buffers for as many as may be in flight.
    pub(super) fn new() -> Result<Self> {
        Ok(Self { free: new_buffers(IN_FLIGHT)?, flying: VecDeque::new() })
    }

    /// Whether one has to [land](Self::land) before another starts.
    pub(super) fn are_full(&self) -> bool {
        self.flying.len() >= IN_FLIGHT
    }

    /// Starts a transfer.
    pub(super) fn start(&mut self, wanted: Wanted, tag: T) -> Result<()> {
        let mut buffer = match self.free.pop() {
            Some(buffer) => buffer,
            // An error has cost one.
            None => new_buffers(1)?.remove(0),
        };
        let pages = wanted.pages();
        buffer.select(0..size(pages.end - pages.start));
        let request = wanted.shard.file.submit_read(pages.start, buffer)?;
        self.flying.push_back((request, wanted, tag));
        Ok(())
    }

    /// Waits for the oldest transfer; `None` if there is none.
    pub(super) fn land(&mut self, source: &Source) -> Result<Option<Landed<T>>> {
        let Some((request, wanted, tag)) = self.flying.pop_front() else { return Ok(None) };
        let (got, buffer) = request.finish()?;
        let end = wanted.pages().start + got as u64;
        if end < wanted.bytes.end {
            let reason = format!("ends at byte {end}, in a brick");
            return Err(source.array().corrupt_shard(wanted.shard.number, reason).into());
        }
        Ok(Some(Landed { wanted, buffer, tag }))
    }

    /// Takes the buffer back.
    pub(super) fn give_back(&mut self, landed: Landed<T>) {
        self.free.push(landed.buffer);
    }
}

/// Buffers for transfers, which begin and end on pages.
fn new_buffers(count: usize) -> Result<Vec<PageBuffer>> {
    let bytes = size(TRANSFER_BYTES + 2 * PAGE_BYTES);
    memory::given(bytes * count, || PageBuffer::several(bytes, count))
}
