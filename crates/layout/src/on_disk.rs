//! What an array takes on disk, as `chemio-disk-array` makes it.

use crate::plan::cost::product;
use section::{Shape, equal_boxes};

/// So many bricks are in a file at most.
pub const FILE_BRICKS_MAX: u64 = 65_536;
/// What the index of a file has for each brick, ...
const INDEX_ENTRY_BYTES: u128 = 16;
/// ... and its checksum.
const INDEX_CHECKSUM_BYTES: u128 = 4;
/// What a file system gives.
const BLOCK_BYTES: u128 = 4096;
/// Metadata, and the directory that they are in, and what bricks are in: for each host, which may have a part of the array. Also while
/// metadata are replaced.
const BLOCKS_OF_HOST: u128 = 8;

/// The bytes of an array of `counts` bricks in about so many files, one for each host, at most.
pub(crate) fn bytes_max(counts: &Shape, brick_bytes: u128, align_bytes: u64, files: u64) -> u128 {
    let of_file = equal_boxes(counts, files, FILE_BRICKS_MAX);
    let files_count = product((0..counts.len()).map(|d| counts[d].div_ceil(of_file[d])));
    let bricks = product(of_file.iter().copied());
    let room_bytes = round_up(brick_bytes, align_bytes.into());
    let index_bytes = bricks.saturating_mul(INDEX_ENTRY_BYTES).saturating_add(INDEX_CHECKSUM_BYTES);
    let file_bytes = round_up(bricks.saturating_mul(room_bytes).saturating_add(index_bytes), BLOCK_BYTES);
    // A directory for each dimension but the last, on the way to each file.
    let directories_bytes = BLOCK_BYTES * counts.len() as u128;
    files_count
        .saturating_mul(file_bytes.saturating_add(directories_bytes))
        .saturating_add(u128::from(files) * BLOCKS_OF_HOST * BLOCK_BYTES)
}

fn round_up(bytes: u128, unit: u128) -> u128 {
    bytes.checked_next_multiple_of(unit).unwrap_or(u128::MAX)
}
