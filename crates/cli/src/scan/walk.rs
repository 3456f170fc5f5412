//! Reading the elements of tiles in the order in which they are stored, out of the buffers into which they were read: for what does not
//! ask where an element is.

use super::flights::{Flights, Found, Landed, look};
use super::{Content, Source};
use crate::error::Result;
use section::Section;

/// Elements of a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'a> {
    /// As they are stored.
    Elements(&'a [u8]),
    /// So many that are zero.
    Zeros(u64),
    /// So many that are the fill value.
    Fill(u64),
}

/// Runs below this many bytes are gathered into parts of about so many.
const RUN_BYTES_MIN: usize = 4 << 10;
const GATHERED_BYTES: usize = 64 << 10;

/// Walks over tiles. Each thread has one.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    source: &'a Source,
    /// Each for a part of its tile.
    flights: Flights<Section>,
    /// Short runs that nobody has visited yet.
    gathered: Vec<u8>,
}

impl<'a> Walk<'a> {
    /// With buffers of its own.
    pub(crate) fn new(source: &'a Source) -> Result<Self> {
        Ok(Self { source, flights: Flights::new()?, gathered: vec![] })
    }

    /// Goes on with a tile. What it has of elements is visited when it has come, at the latest by [`finish`](Self::finish): as many
    /// transfers stay in flight as there are buffers.
    pub(crate) fn over(
        &mut self,
        tile: &Section,
        visit: &mut impl FnMut(Part<'_>) -> Result<()>,
    ) -> Result<()> {
        let (source, flights, gathered) = (self.source, &mut self.flights, &mut self.gathered);
        let layout = source.array().layout();
        look(source, tile, |found| match found {
            Found::Piece(Content::Elements, _) => Ok(()),
            Found::Piece(content, piece) => {
                let (mut bytes, element_bytes) = (0, layout.data_type().bytes());
                piece.each_run_in_brick(layout, tile, |_, len| bytes += len as u64);
                let count = bytes / element_bytes;
                visit(if content == Content::Zeros { Part::Zeros(count) } else { Part::Fill(count) })
            }
            Found::Transfer(wanted) => {
                if flights.are_full()
                    && let Some(landed) = flights.land(source)?
                {
                    see(source, &landed, gathered, visit)?;
                    flights.give_back(landed);
                }
                flights.start(wanted, *tile)
            }
        })
    }

    /// Waits for what is still in flight.
    pub(crate) fn finish(&mut self, visit: &mut impl FnMut(Part<'_>) -> Result<()>) -> Result<()> {
        while let Some(landed) = self.flights.land(self.source)? {
            see(self.source, &landed, &mut self.gathered, visit)?;
            self.flights.give_back(landed);
        }
        flush(&mut self.gathered, visit)
    }
}

fn see(
    source: &Source,
    landed: &Landed<Section>,
    gathered: &mut Vec<u8>,
    visit: &mut impl FnMut(Part<'_>) -> Result<()>,
) -> Result<()> {
    let mut result = Ok(());
    for (piece, bytes) in landed.pieces() {
        piece.each_run_in_brick(source.array().layout(), &landed.tag, |at, len| {
            let run = &bytes[at..at + len];
            if result.is_ok() && len >= RUN_BYTES_MIN {
                result = visit(Part::Elements(run));
            } else {
                gathered.extend_from_slice(run);
            }
            if result.is_ok() && gathered.len() >= GATHERED_BYTES {
                result = flush(gathered, visit);
            }
        });
    }
    result
}

fn flush(gathered: &mut Vec<u8>, visit: &mut impl FnMut(Part<'_>) -> Result<()>) -> Result<()> {
    let result = if gathered.is_empty() { Ok(()) } else { visit(Part::Elements(gathered)) };
    gathered.clear();
    result
}
