//! Where the elements of a section are, for whoever moves them without our calls.

use crate::Array;
use section::{Layout, Runs, Section};

/// Elements that are neighbours in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first byte.
    pub address: *mut u8,
    /// Bytes from there on.
    pub len_bytes: usize,
}

impl Array {
    /// The memory of a section, in its row-major order, if this process can load from and store to all of it and if it is in no more
    /// than `count_max` pieces. Valid as long as the array is: see [`keep`](Self::keep). Who loads and stores there is to
    /// synchronise as for [`get`](Self::get) and [`put`](Self::put). Local.
    ///
    /// Cost: a sort of the pieces.
    pub fn stretches(&self, section: &Section, count_max: usize) -> Option<Vec<Stretch>> {
        let is_dense = section.step().iter().all(|&step| step == 1);
        if !self.is_in_reach() || !is_dense || !section.fits(self.shape()) {
            return None;
        }
        let (bytes, whole) = (self.element_type().bytes(), Layout::dense(&section.counts()));
        let mut found: Vec<(usize, Stretch)> = vec![];
        let reached = self.distribution().for_each_owner(section, |rank, part, block| {
            let address = self.window().address(rank).ok_or(())?;
            let (numbers, there) = (whole.offset(&part.place_in(section)), Layout::dense(&block.counts()));
            let first = there.offset_from(block.lo(), part.lo());
            let runs = Runs::new(&part.counts(), &whole, &there);
            if found.len() + runs.count() > count_max {
                return Err(());
            }
            runs.for_each(|number, at, len| {
                let address = address.wrapping_byte_add((first + at) * bytes);
                found.push((numbers + number, Stretch { address, len_bytes: len * bytes }));
            });
            Ok(())
        });
        reached.ok()?;
        found.sort_unstable_by_key(|&(number, _)| number);
        Some(found.into_iter().map(|(_, stretch)| stretch).collect())
    }

    /// Brings the last few mebibytes of this rank's own elements before byte `before` into being, with what is in them, and tells where
    /// to go on. Who touches them first later need not wait until the system has cleared them, which it
    /// does at the speed of memory, or far slower where a virtual machine has to get it from its host. `None` at the beginning, and
    /// where nothing is gained: what ranks of one node share is there already, if it is in huge pages. It goes from the end (`usize::MAX` to begin with) to
    /// the beginning, because most who fill an array go the other way, and two threads at one page both clear it. It may
    /// come from any thread, beside anything else. Local.
    pub fn populate(&self, before: usize) -> Option<usize> {
        self.window().populate(before)
    }

    /// The memory that it takes when all of it is touched, in bytes; each byte is told by one rank, so that the sum over all ranks is
    /// what all of it takes. Local.
    pub fn taken_bytes(&self) -> u64 {
        self.window().taken_bytes()
    }

    /// Whether the memory that this process can reach of it lies in huge pages, as far as can be told: so that a device can be told
    /// of a long piece in few words. Where an array is too small, or the system has none, it does not. Local.
    pub fn is_in_huge_pages(&self) -> bool {
        self.window().is_in_huge_pages()
    }
}
