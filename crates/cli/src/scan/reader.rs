//! Reading tiles: their bricks with several transfers in flight, across tiles.

use super::flights::{Flights, Found, Wanted, look};
use super::memory;
use super::pieces::Piece;
use super::source::Source;
use crate::error::Result;
use section::{Section, size};
use std::collections::VecDeque;

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
    /// In the order of their tiles, each with the number of its tile.
    flights: Flights<u64>,
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
        Ok(Self { source, flights: Flights::new()?, begun: VecDeque::new(), first: 0 })
    }

    /// How many tiles are under way.
    pub(crate) fn begun(&self) -> usize {
        self.begun.len()
    }

    /// Begins to read a tile into `memory`, whatever that holds. Of transfers as many stay in flight as there are buffers, those of
    /// tiles begun earlier among them.
    pub(crate) fn begin(&mut self, section: &Section, mut memory: Vec<u8>) -> Result<()> {
        let element_bytes = self.source.array().metadata().data_type.bytes();
        memory::resize(&mut memory, size(section.len() * element_bytes))?;
        self.begun.push_back(Tile { section: *section, memory, known: Known::Nothing, flying: 0 });
        look(self.source, section, |found| match found {
            Found::Piece(content, piece) => {
                self.note(content, piece);
                Ok(())
            }
            Found::Transfer(wanted) => self.start(wanted),
        })
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
        if self.flights.are_full() {
            self.land()?;
        }
        let tile = self.first + self.begun.len() as u64 - 1;
        self.flights.start(wanted, tile)?;
        if let Some(tile) = self.begun.back_mut() {
            tile.flying += 1;
        }
        Ok(())
    }

    /// Waits for the oldest transfer and copies what it has brought.
    fn land(&mut self) -> Result<()> {
        let Some(landed) = self.flights.land(self.source)? else { return Ok(()) };
        let tile = &mut self.begun[size(landed.tag - self.first)];
        tile.flying -= 1;
        for (piece, bytes) in landed.pieces() {
            piece.each_run(self.source.array().layout(), &tile.section, |in_piece, in_tile, len| {
                tile.memory[in_tile..in_tile + len].copy_from_slice(&bytes[in_piece..in_piece + len]);
            });
        }
        self.flights.give_back(landed);
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
