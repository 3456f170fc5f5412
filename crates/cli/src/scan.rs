//! Elements of an array, read and written in *tiles*: boxes that fit in memory. Bricks of a tile are moved with several
//! transfers in flight, by several threads, each with a tile of its own.

mod flights;
pub(crate) mod memory;
pub(crate) mod pieces;
pub(crate) mod reader;
pub(crate) mod source;
pub(crate) mod team;
pub(crate) mod tiles;
mod walk;
pub(crate) mod writer;

pub(crate) use reader::Content;
pub(crate) use source::Source;
pub(crate) use team::{Job, Team};
pub(crate) use tiles::Tiles;
pub(crate) use walk::Part;
pub(crate) use writer::Writer;

/// Bytes of one transfer, and the transfers that a thread has in flight.
pub(crate) const TRANSFER_BYTES: u64 = 2 << 20;
pub(crate) const IN_FLIGHT: usize = 6;

/// Whether all bytes are zero.
pub(crate) fn is_zero(bytes: &[u8]) -> bool {
    // Whole words, so that the compiler uses vectors.
    let (words, rest) = bytes.as_chunks::<64>();
    words.iter().all(|word| word.iter().fold(0, |all, byte| all | byte) == 0)
        && rest.iter().all(|&byte| byte == 0)
}
