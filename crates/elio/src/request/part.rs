//! The pieces of a request, one transfer each.

use crate::buffer::BUFFER_BYTES_MAX;
use crate::device::Alignment;
use crate::sys::transfer::Transfer;
use std::ops::Range;
use std::sync::Arc;

/// A direct request is split into about so many transfers, because several in flight make a large one fast...
const PARTS_COUNT: usize = 4;
/// ... none smaller than this, below which the device's time for a request counts more than its bytes ...
const PART_BYTES_MIN: usize = 64 << 10;
/// ... and none larger than a staging buffer holds.
const PART_BYTES_MAX: usize = 512 << 10;
const _: () = assert!(PART_BYTES_MAX <= BUFFER_BYTES_MAX);

/// How much one transfer of a direct request moves.
pub(super) fn part_bytes(request_bytes: usize) -> usize {
    request_bytes.div_ceil(PARTS_COUNT).next_multiple_of(PART_BYTES_MIN).min(PART_BYTES_MAX)
}

pub(super) fn aligned_len(len: usize, alignment: Alignment) -> usize {
    let unit = usize::try_from(alignment.offset_bytes).expect("an alignment is small");
    len / unit * unit
}

pub(super) fn padded_len(len: usize, alignment: Alignment) -> usize {
    let unit = usize::try_from(alignment.offset_bytes).expect("an alignment is small");
    len.next_multiple_of(unit)
}

/// A piece of a request on its way.
#[derive(Debug)]
pub(super) struct Part {
    /// Which bytes of the caller's memory it serves.
    pub(super) range: Range<usize>,
    pub(super) way: Way,
}

#[derive(Debug)]
pub(super) enum Way {
    /// Straight from or to the caller's memory.
    InPlace(Arc<Transfer>),
    /// Through a buffer, of which the first `skip` bytes are not wanted: staging, or read-ahead, which others use too.
    Staged { transfer: Arc<Transfer>, skip: usize, ahead: bool },
}

impl Part {
    pub(super) fn is_done(&self) -> bool {
        let (Way::InPlace(transfer) | Way::Staged { transfer, .. }) = &self.way;
        transfer.test()
    }
}
