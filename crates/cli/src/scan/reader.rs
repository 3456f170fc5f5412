//! Reading a tile: its bricks with several transfers in flight. Small bricks that follow each other in a file are read together.

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

/// Reads tiles, one after the other. Each thread has one.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    source: &'a Source,
    free: Vec<PageBuffer>,
    flights: VecDeque<Flight>,
}

/// One transfer.
#[derive(Debug)]
struct Flight {
    request: Request<PageBuffer>,
    wanted: Wanted,
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
        Ok(Self { source, free: new_buffers(IN_FLIGHT)?, flights: VecDeque::new() })
    }

    /// Reads the elements of `tile` into `memory`, which is as long, in row-major order.
    pub(crate) fn read(&mut self, tile: &Section, memory: &mut [u8]) -> Result<Content> {
        let result = self.read_all(tile, memory);
        // After an error too: dropping a transfer waits for it, and its buffer is gone.
        self.flights.clear();
        result
    }

    fn read_all(&mut self, tile: &Section, memory: &mut [u8]) -> Result<Content> {
        let array = self.source.array();
        let element_bytes = array.metadata().data_type.bytes();
        let mut known = Known::Nothing;
        let mut wanted: Option<Wanted> = None;
        for piece in pieces::of_tile(array.layout(), tile) {
            let shard = self.source.shard(piece.place)?;
            let at = shard.as_ref().map_or(Ok(None), |shard| shard.offset_bytes(piece.place.slot))?;
            let (Some(shard), Some(brick_at)) = (shard, at) else {
                self.note(&mut known, Content::Fill, &piece, tile, memory);
                continue;
            };
            let in_brick = piece.bytes(element_bytes);
            let bytes = brick_at + in_brick.start..brick_at + in_brick.end;
            if shard.is_hole(&bytes) {
                self.note(&mut known, Content::Zeros, &piece, tile, memory);
                continue;
            }
            self.note(&mut known, Content::Elements, &piece, tile, memory);
            match &mut wanted {
                Some(wanted) if wanted.takes(&shard, &bytes) => wanted.add(piece, &bytes),
                _ => {
                    let next = Wanted { shard, bytes: bytes.clone(), pieces: vec![(piece, bytes.start)] };
                    if let Some(ready) = wanted.replace(next) {
                        self.start(ready, tile, memory)?;
                    }
                }
            }
        }
        if let Some(ready) = wanted {
            self.start(ready, tile, memory)?;
        }
        while !self.flights.is_empty() {
            self.finish(tile, memory)?;
        }
        Ok(match known {
            Known::Only(content) => content,
            Known::Nothing => Content::Fill,
            Known::Mixed => Content::Elements,
        })
    }

    /// Notes what a piece is. As long as all are the same the memory is left alone.
    fn note(&self, known: &mut Known, content: Content, piece: &Piece, tile: &Section, memory: &mut [u8]) {
        match *known {
            Known::Nothing => *known = Known::Only(content),
            Known::Only(before) if before == content => {}
            Known::Only(before) => {
                self.fill(before, memory);
                *known = Known::Mixed;
                self.fill_piece(content, piece, tile, memory);
            }
            Known::Mixed => self.fill_piece(content, piece, tile, memory),
        }
    }

    fn fill(&self, content: Content, memory: &mut [u8]) {
        match content {
            // Pieces that are under way or have come are not to be overwritten; all before were such pieces.
            Content::Elements => {}
            Content::Zeros => memory.fill(0),
            Content::Fill => self.source.array().metadata().fill.fill(memory),
        }
    }

    fn fill_piece(&self, content: Content, piece: &Piece, tile: &Section, memory: &mut [u8]) {
        if content != Content::Elements {
            piece.each_run(self.source.array().layout(), tile, |_, at, len| {
                self.fill(content, &mut memory[at..at + len]);
            });
        }
    }

    fn start(&mut self, wanted: Wanted, tile: &Section, memory: &mut [u8]) -> Result<()> {
        if self.flights.len() >= IN_FLIGHT {
            self.finish(tile, memory)?;
        }
        let mut buffer = match self.free.pop() {
            Some(buffer) => buffer,
            // An error has cost one.
            None => new_buffers(1)?.remove(0),
        };
        let pages = wanted.pages();
        buffer.select(0..size(pages.end - pages.start));
        let request = wanted.shard.file.submit_read(pages.start, buffer)?;
        self.flights.push_back(Flight { request, wanted });
        Ok(())
    }

    /// Waits for the oldest transfer and copies what it has brought.
    fn finish(&mut self, tile: &Section, memory: &mut [u8]) -> Result<()> {
        let Some(flight) = self.flights.pop_front() else { return Ok(()) };
        let array = self.source.array();
        let (got, buffer) = flight.request.finish()?;
        let begin = flight.wanted.pages().start;
        let end = begin + got as u64;
        if end < flight.wanted.bytes.end {
            let reason = format!("ends at byte {end}, in a brick");
            return Err(array.corrupt_shard(flight.wanted.shard.number, reason).into());
        }
        for (piece, at) in &flight.wanted.pieces {
            let first = size(at - begin);
            piece.each_run(array.layout(), tile, |in_piece, in_tile, len| {
                let from = first + in_piece;
                memory[in_tile..in_tile + len].copy_from_slice(&buffer[from..from + len]);
            });
        }
        self.free.push(buffer);
        Ok(())
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
