//! The memory of a pass: boxes of the source, in arrays of all ranks.

use crate::gathered::Held;
use dra::{Context, DataType, MadeArray, MakeArray, MemoryError};
use section::{Section, Shape, size};
use std::collections::HashMap;

/// How much of a box a rank copies at a time.
const COPIED_BYTES: u64 = 1 << 20;

/// Makes arrays and counts their bytes, those of all ranks together.
#[derive(Debug)]
pub(crate) struct Boxes<'a> {
    context: Context,
    maker: Box<dyn MakeArray + 'a>,
    data_type: DataType,
    bytes: u64,
    bytes_peak: u64,
    /// What is retained between steps.
    kept: HashMap<Section, Box<dyn MadeArray>>,
}

impl<'a> Boxes<'a> {
    pub(crate) fn new(context: &Context, maker: Box<dyn MakeArray + 'a>, data_type: DataType) -> Self {
        Self { context: context.clone(), maker, data_type, bytes: 0, bytes_peak: 0, kept: HashMap::new() }
    }

    /// The most that was there at once.
    pub(crate) fn bytes_peak(&self) -> u64 {
        self.bytes_peak
    }

    /// A box of these extents. Collective.
    pub(crate) fn make(&mut self, dims: &Shape) -> dra::Result<Box<dyn MadeArray>> {
        let made = self.agree(self.maker.make(self.data_type, dims))?;
        self.bytes += self.bytes_of(dims);
        self.bytes_peak = self.bytes_peak.max(self.bytes);
        Ok(made)
    }

    /// Frees a box. Collective.
    pub(crate) fn free(&mut self, made: Box<dyn MadeArray>) -> dra::Result<()> {
        self.bytes -= self.bytes_of(&made.in_memory().dims());
        self.agree(made.free())
    }

    fn bytes_of(&self, dims: &Shape) -> u64 {
        dims.iter().product::<u64>() * self.data_type.bytes()
    }

    fn agree<T>(&self, mine: Result<T, MemoryError>) -> dra::Result<T> {
        let told =
            |error: MemoryError| dra::Error::Caller { code: dra::codes::FAILED, message: error.to_string() };
        self.context.agree(mine.map_err(told))
    }

    /// Keeps `part` of what is held. Collective; each rank copies a share.
    pub(crate) fn keep(&mut self, held: &Held, part: &Section) -> dra::Result<()> {
        let made = self.make(&part.counts())?;
        let mine = self.share(part).map_or(Ok(()), |share| self.copy(held, &share, part, &*made));
        let copied = self.agree(mine.and_then(|()| made.in_memory().complete()));
        let seen = copied.and_then(|()| self.agree(made.in_memory().see_others()));
        self.kept.insert(*part, made);
        seen
    }

    /// What this rank copies of a section.
    fn share(&self, section: &Section) -> Option<Section> {
        let (rank, ranks) = (self.context.comm().rank() as u64, self.context.comm().size() as u64);
        let counts = section.counts();
        let dim = (0..counts.len()).max_by_key(|&dim| counts[dim])?;
        let at = |rank: u64| u128::from(counts[dim]) * u128::from(rank) / u128::from(ranks);
        let range = [at(rank), at(rank + 1)].map(|at| u64::try_from(at).expect("no more than there are"));
        let mut share = *section;
        (range[0] < range[1]).then(|| share.narrow(dim, &(range[0]..range[1])))?;
        Some(share)
    }

    fn copy(
        &self,
        held: &Held,
        share: &Section,
        whole: &Section,
        to: &dyn MadeArray,
    ) -> Result<(), MemoryError> {
        let (to, element_bytes) = (to.in_memory(), size(self.data_type.bytes()));
        let elems_max = COPIED_BYTES / self.data_type.bytes();
        let mut scratch = vec![0; size(share.len().min(elems_max)) * element_bytes];
        share.pieces(elems_max).try_for_each(|piece| {
            let (counts, scratch) = (piece.counts(), &mut scratch[..size(piece.len()) * element_bytes]);
            held.array.get(&held.place(&piece), scratch, &counts)?;
            to.put(&piece.relative_to(whole.lo()), scratch, &counts)
        })
    }

    /// A box that was kept.
    ///
    /// # Panics
    /// If it was not.
    pub(crate) fn kept(&self, part: &Section) -> Held {
        let made = self.kept.get(part).unwrap_or_else(|| panic!("{part} was not kept"));
        Held { section: *part, array: made.in_memory() }
    }

    /// Frees boxes that were kept. Collective.
    pub(crate) fn forget(&mut self, parts: &[Section]) -> dra::Result<()> {
        parts
            .iter()
            .filter_map(|part| self.kept.remove(part))
            .collect::<Vec<_>>()
            .into_iter()
            .try_for_each(|made| self.free(made))
    }

    /// Frees all that is kept. Collective: in the same order on all ranks.
    pub(crate) fn forget_all(&mut self) -> dra::Result<()> {
        let mut parts: Vec<Section> = self.kept.keys().copied().collect();
        parts.sort_unstable_by_key(|part| (part.lo().to_vec(), part.hi().to_vec()));
        self.forget(&parts)
    }
}
