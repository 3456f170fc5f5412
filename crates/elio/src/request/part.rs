//! The pieces of a request, one transfer each.

use crate::buffer::BUFFER_BYTES_MAX;
use crate::device::Alignment;
use crate::sys::transfer::Transfer;
use std::ops::Range;
use std::sync::Arc;

/// A direct request that is alone in its file is split into about so many transfers, because several in flight make a large one
/// fast; with others beside it into as many fewer, because the device takes fewer and longer ones faster...
const PARTS_COUNT: usize = 4;
/// ... none smaller than this, below which the device's time for a request counts more than its bytes ...
pub(super) const PART_BYTES_MIN: usize = 64 << 10;
/// ... and none larger than a staging buffer holds.
pub(super) const PART_BYTES_MAX: usize = 512 << 10;
/// A request of so much or more that needs no staging goes by pieces of this length, whatever is beside it: each transfer costs an
/// interrupt, and a virtual disk carries them out one after the other, so that it gains nothing from shorter ones.
const IN_PLACE_BYTES_MAX: usize = 1 << 20;
const _: () = assert!(PART_BYTES_MAX <= BUFFER_BYTES_MAX);

/// Who waits for a request, or soon will, has at most so much of it in staging buffers: enough for a device, and so little that it is
/// still in the processor's caches when it is copied. With 32 MiB reads of 64 MB, one by one, come to two thirds of the speed.
pub(super) const STAGED_BYTES_MAX: usize = 4 << 20;
/// Of the buffers that are left a new request takes this part, so that those after it get some, too.
const SHARE_OF_BUFFERS: usize = 4;

/// Copies that this thread and a worker share are cut so finely that neither waits long for the other at the end ...
const COPY_BYTES_MIN: usize = 128 << 10;
/// ... and into so many parts at most.
const COPIES_COUNT_MAX: usize = 64;

/// How much one part of a shared copy moves.
pub(super) fn copy_bytes(request_bytes: usize) -> usize {
    request_bytes.div_ceil(COPIES_COUNT_MAX).next_multiple_of(COPY_BYTES_MIN)
}

/// How much one transfer of a direct request moves, while so many others are under way in its file.
pub(super) fn part_bytes(request_bytes: usize, others_count: usize) -> usize {
    let parts_count = PARTS_COUNT.saturating_sub(others_count).max(1);
    request_bytes.div_ceil(parts_count).next_multiple_of(PART_BYTES_MIN).min(PART_BYTES_MAX)
}

/// How much one transfer of a direct request moves that needs no staging; of a smaller request as much as if it did, `part_bytes`.
pub(super) fn in_place_bytes(request_bytes: usize, part_bytes: usize) -> usize {
    if request_bytes < IN_PLACE_BYTES_MAX { part_bytes } else { IN_PLACE_BYTES_MAX }
}

/// How much of a request goes into staging buffers when it starts, while so much is left in the pool. Who stays away has nobody to take
/// what has come and to ask for more: as much as there is.
pub(super) fn staged_bytes_at_start(available_bytes: usize, caller_stays_away: bool) -> usize {
    if caller_stays_away {
        available_bytes
    } else {
        (available_bytes / SHARE_OF_BUFFERS).clamp(BUFFER_BYTES_MAX, STAGED_BYTES_MAX)
    }
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
    /// What found no buffer: a worker that it `is_offered` to, or whoever waits for it, takes the buffers that it needs then.
    Left { transfer: Arc<Transfer>, is_offered: bool },
    /// Through a buffer, of which the first `skip` bytes are not wanted: staging, or read-ahead, which others use too.
    Staged { transfer: Arc<Transfer>, skip: usize, ahead: bool },
}

impl Part {
    pub(super) fn is_done(&self) -> bool {
        let (Way::InPlace(transfer) | Way::Left { transfer, .. } | Way::Staged { transfer, .. }) = &self.way;
        transfer.test()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const KIB: usize = 1 << 10;

    #[test]
    fn what_is_alone_is_split_and_what_has_others_beside_it_is_not() {
        assert_eq!(
            [0, 1, 2, 3, 9].map(|others| part_bytes(512 * KIB, others) / KIB),
            [128, 192, 256, 512, 512]
        );
        assert_eq!([0, 1, 2, 3, 9].map(|others| part_bytes(112 * KIB, others) / KIB), [64, 64, 64, 128, 128]);
        assert_eq!([0, 9].map(|others| part_bytes(8 << 20, others)), [PART_BYTES_MAX; 2]);
        assert_eq!(part_bytes(1, 0), PART_BYTES_MIN);
    }

    #[test]
    fn what_needs_no_staging_goes_by_whole_mebibytes_or_is_split_like_everything() {
        for staged in [PART_BYTES_MIN, PART_BYTES_MAX] {
            assert_eq!([1, 8].map(|mib| in_place_bytes(mib << 20, staged)), [IN_PLACE_BYTES_MAX; 2]);
            assert_eq!(in_place_bytes(IN_PLACE_BYTES_MAX - 1, staged), staged);
        }
    }

    #[test]
    fn a_shared_copy_has_small_parts_but_not_too_many() {
        assert_eq!(
            [1, 512, 8192, 8193, 1 << 20].map(|len| copy_bytes(len * KIB) / KIB),
            [128, 128, 128, 256, 16 << 10]
        );
    }
}
