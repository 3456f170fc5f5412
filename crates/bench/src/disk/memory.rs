//! Memory that is really there. A virtual machine gives free memory back to its host, within seconds, and the first touch of such
//! a page costs several times as much as writing it: what a page cache seems to do then depends on which pages it happens to get.
//! So more memory than a file can occupy is touched and freed right before each timed reading, or copying of a whole array, after
//! what was freed before has gone to the host (`page_reporting`); in huge pages, because the kernel takes the large folios of a
//! page cache from where those come from. Other writes, which take more of it, are rehearsed instead (`rehearsal`).

use memmap2::{Advice, MmapMut};

use crate::disk::page_reporting;

/// So many times the size of a file are touched for it.
const FACTOR: u64 = 2;
/// One byte in each of these is touched.
const PAGE_BYTES: usize = 4096;

/// Makes the kernel's next pages ready for a file of this size in the page cache.
pub(crate) fn warm_for_file(file_bytes: u64) {
    warm(FACTOR * file_bytes);
}

/// Makes so many bytes of the kernel's next pages ready for use, as far as half of the available memory allows.
pub(crate) fn warm(bytes: u64) {
    page_reporting::settle();
    drop(touched(bytes));
}

fn touched(bytes: u64) -> Option<MmapMut> {
    let bytes = bytes.min(node::available_bytes().unwrap_or(0) / 2);
    let bytes = usize::try_from(bytes).expect("half of the memory fits the address space");
    // Without memory there is nothing to warm, and without huge pages small ones have to do.
    let mut memory = MmapMut::map_anon(bytes.max(PAGE_BYTES)).ok()?;
    let _ = memory.advise(Advice::HugePage);
    memory.iter_mut().step_by(PAGE_BYTES).for_each(|byte| *byte = 1);
    Some(memory)
}

/// The same for readings of a few tenths of a second, which are over before memory that is freed now goes to the host: what is held in
/// between need not be touched anew, which takes longer than such a reading.
#[derive(Debug, Default)]
pub(crate) struct Held(Option<MmapMut>);

impl Held {
    /// Holds what a file of this size needs, until it is given.
    pub(crate) fn hold(&mut self, file_bytes: u64) {
        if self.0.is_none() {
            self.0 = touched(FACTOR * file_bytes);
        }
    }

    /// Makes the kernel's next pages ready for such a file in the page cache.
    pub(crate) fn give(&mut self, file_bytes: u64) {
        page_reporting::settle_briefly();
        self.hold(file_bytes);
        self.0 = None;
    }
}
