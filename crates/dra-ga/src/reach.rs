//! The memory of an array, for transfers that need no buffer.
#![allow(unsafe_code)]

use dra::MemoryPiece;
use ga::Array;
use section::Section;

/// The pieces of a section, if they are in reach and no more than `count_max`. The array has to stay as long as they are in use.
pub(crate) fn pieces(array: &Array, section: &Section, count_max: usize) -> Option<Vec<MemoryPiece>> {
    let stretches = array.stretches(section, count_max)?;
    // SAFETY: memory of the array, that is loaded and stored through raw pointers by all ranks; the caller keeps the array.
    let piece = |stretch: ga::Stretch| unsafe { MemoryPiece::new(stretch.address, stretch.len_bytes) };
    Some(stretches.into_iter().map(piece).collect())
}
