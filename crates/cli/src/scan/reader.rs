//! Reading tiles: their bricks with several transfers in flight, across tiles. Small bricks that follow each other in a file are read
//! together.

use super::pieces::{self, Piece};
use super::source::{Shard, Source};
use super::{IN_FLIGHT, TRANSFER_BYTES};
use crate::error::{Error, Result};
use elio::{PageBuffer, Request};
use section::{Section, size};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Transfers begin and end at multiples of this, so that they can go around the page cache.
const PAGE_BYTES: u64 = 4096;
/// What is between two pieces is read with them up to here.
const GAP_BYTES_MAX: u64 = 64 << 10;

/// What is in a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Elements; they are in the memory given.
    Elements,
    /// All bytes are zero: holes. The memory given was not touched.
    Zeros,
    /// All elements are the fill value. The memory given was not touched.
    Fill,
}

/// Reads tiles, of which several may be under way. Each thread has one.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    source: &'a Source,
    free: Vec<PageBuffer>,
    /// In the order of their tiles.
    flights: VecDeque<Flight>,
    begun: VecDeque<Tile>,
    /// The number of the first tile that is under way, counted from the first of all.
    first: u64,
}

/// A tile that is being read.
#[derive(Debug)]
pub(crate) struct Tile {
    pub(crate) section: Section,
    /// Its elements in row-major order, when all of it has come and it is [`Content::Elements`].
    pub(crate) memory: Vec<u8>,
    known: Known,
    /// How many of its transfers have not come yet.
    flying: usize,
}

impl Tile {
    /// What is in it, when all of it has come.
    pub(crate) fn content(&self) -> Content {
        match self.known {
            Known::Only(content) => content,
            Known::Nothing => Content::Fill,
            Known::Mixed => Content::Elements,
        }
    }
}

/// One transfer.
#[derive(Debug)]
struct Flight {
    request: Request<PageBuffer>,
    wanted: Wanted,
    /// The number of its tile.
    tile: u64,
}

/// What one transfer reads.
#[derive(Debug)]
struct Wanted {
    shard: Arc<Shard>,
    /// Of the file.
    bytes: Range<u64>,
    /// And where in the file each begins.
    pieces: Vec<(Piece, u64)>,
}

/// What is known of a tile so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Nothing,
    /// All of it up to here is this.
    Only(Content),
    /// The memory is filled where nothing is read.
    Mixed,
}

impl<'a> Reader<'a> {
    /// With buffers of its own.
    pub(crate) fn new(source: &'a Source) -> Result<Self> {
        let (flights, begun) = (VecDeque::new(), VecDeque::new());
        Ok(Self { source, free: new_buffers(IN_FLIGHT)?, flights, begun, first: 0 })
    }

    /// How many tiles are under way.
    pub(crate) fn begun(&self) -> usize {
        self.begun.len()
    }

    /// Begins to read a tile into `memory`, whatever that holds. Of transfers as many stay in flight as there are buffers, those of
    /// tiles begun earlier among them.
    pub(crate) fn begin(&mut self, section: &Section, mut memory: Vec<u8>) -> Result<()> {
        let array = self.source.array();
        let element_bytes = array.metadata().data_type.bytes();
        // The system gives memory when it is touched.
        memory.resize(size(section.len() * element_bytes), 0);
        self.begun.push_back(Tile { section: *section, memory, known: Known::Nothing, flying: 0 });
        let mut wanted: Option<Wanted> = None;
        for piece in pieces::of_tile(array.layout(), section) {
            let shard = self.source.shard(piece.place)?;
            let at = shard.as_ref().map_or(Ok(None), |shard| shard.offset_bytes(piece.place.slot))?;
            let (Some(shard), Some(brick_at)) = (shard, at) else {
                self.note(Content::Fill, &piece);
                continue;
            };
            let in_brick = piece.bytes(element_bytes);
            let bytes = brick_at + in_brick.start..brick_at + in_brick.end;
            if shard.is_hole(&bytes) {
                self.note(Content::Zeros, &piece);
                continue;
            }
            self.note(Content::Elements, &piece);
            match &mut wanted {
                Some(wanted) if wanted.takes(&shard, &bytes) => wanted.add(piece, &bytes),
                _ => {
                    let next = Wanted { shard, bytes: bytes.clone(), pieces: vec![(piece, bytes.start)] };
                    if let Some(ready) = wanted.replace(next) {
                        self.start(ready)?;
                    }
                }
            }
        }
        wanted.map_or(Ok(()), |ready| self.start(ready))
    }

    /// Waits for the tile that was begun first.
    pub(crate) fn finish(&mut self) -> Result<Option<Tile>> {
        while self.begun.front().is_some_and(|tile| tile.flying > 0) {
            self.land()?;
        }
        self.first += u64::from(!self.begun.is_empty());
        Ok(self.begun.pop_front())
    }

    /// Notes what a piece of the tile begun last is. As long as all are the same its memory is left alone.
    fn note(&mut self, content: Content, piece: &Piece) {
        let source = self.source;
        let Some(tile) = self.begun.back_mut() else { return };
        match tile.known {
            Known::Nothing => tile.known = Known::Only(content),
            Known::Only(before) if before == content => {}
            Known::Only(before) => {
                fill(source, before, &mut tile.memory);
                tile.known = Known::Mixed;
                fill_piece(source, content, piece, tile);
            }
            Known::Mixed => fill_piece(source, content, piece, tile),
        }
    }

    /// Starts a transfer of the tile begun last.
    fn start(&mut self, wanted: Wanted) -> Result<()> {
        if self.flights.len() >= IN_FLIGHT {
            self.land()?;
        }
        let mut buffer = match self.free.pop() {
            Some(buffer) => buffer,
            // An error has cost one.
            None => new_buffers(1)?.remove(0),
        };
        let pages = wanted.pages();
        buffer.select(0..size(pages.end - pages.start));
        let request = wanted.shard.file.submit_read(pages.start, buffer)?;
        let tile = self.first + self.begun.len() as u64 - 1;
        self.flights.push_back(Flight { request, wanted, tile });
        if let Some(tile) = self.begun.back_mut() {
            tile.flying += 1;
        }
        Ok(())
    }

    /// Waits for the oldest transfer and copies what it has brought.
    fn land(&mut self) -> Result<()> {
        let Some(Flight { request, wanted, tile }) = self.flights.pop_front() else { return Ok(()) };
        let array = self.source.array();
        let (got, buffer) = request.finish()?;
        let begin = wanted.pages().start;
        let end = begin + got as u64;
        if end < wanted.bytes.end {
            let reason = format!("ends at byte {end}, in a brick");
            return Err(array.corrupt_shard(wanted.shard.number, reason).into());
        }
        let tile = &mut self.begun[size(tile - self.first)];
        tile.flying -= 1;
        for (piece, at) in &wanted.pieces {
            let first = size(at - begin);
            piece.each_run(array.layout(), &tile.section, |in_piece, in_tile, len| {
                let from = first + in_piece;
                tile.memory[in_tile..in_tile + len].copy_from_slice(&buffer[from..from + len]);
            });
        }
        self.free.push(buffer);
        Ok(())
    }
}

fn fill(source: &Source, content: Content, memory: &mut [u8]) {
    match content {
        // Pieces that are under way or have come are not to be overwritten; all before were such pieces.
        Content::Elements => {}
        Content::Zeros => memory.fill(0),
        Content::Fill => source.array().metadata().fill.fill(memory),
    }
}

fn fill_piece(source: &Source, content: Content, piece: &Piece, tile: &mut Tile) {
    if content != Content::Elements {
        piece.each_run(source.array().layout(), &tile.section, |_, at, len| {
            fill(source, content, &mut tile.memory[at..at + len]);
        });
    }
}

/// Buffers for transfers, which begin and end on pages.
fn new_buffers(count: usize) -> Result<Vec<PageBuffer>> {
    let bytes = size(TRANSFER_BYTES + 2 * PAGE_BYTES);
    PageBuffer::several(bytes, count).map_err(|source| Error::NoMemory { bytes: bytes * count, source })
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
