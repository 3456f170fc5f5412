//! What a step writes, as transfers see it: one array in memory in the target's order of dimensions, of which parts lie in
//! several boxes in the source's order.

use dra::{ArrayInMemory, DataType, Meeting, MemoryError, scratch};
use layout::Permutation;
use section::{Layout, PIECE_BYTES, Runs, Section, Shape, copy_elements, size};
use std::sync::Arc;

/// Elements of the source in memory.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    /// Which of the source.
    pub(crate) section: Section,
    /// An array that begins with them.
    pub(crate) array: Arc<dyn ArrayInMemory>,
}

impl Held {
    /// Where a part of it is in the array.
    pub(crate) fn place(&self, part: &Section) -> Section {
        part.relative_to(self.section.lo())
    }
}

/// A box of the source that is written.
#[derive(Debug)]
pub(crate) struct Gathered {
    write: Section,
    permutation: Permutation,
    held: Vec<Held>,
    data_type: DataType,
}

impl Gathered {
    /// The elements of `write`, all of which are in `held`, one of them at least.
    pub(crate) fn new(write: &Section, permutation: &Permutation, held: Vec<Held>) -> Self {
        let data_type = held[0].array.data_type();
        Self { write: *write, permutation: *permutation, held, data_type }
    }

    /// Which of the target's elements they are.
    pub(crate) fn on_disk(&self) -> Section {
        self.permutation.section_to_target(&self.write)
    }

    fn element_bytes(&self) -> usize {
        size(self.data_type.bytes())
    }

    /// Copies `part` of what is held to a buffer that holds `whole`.
    fn copy(
        &self,
        held: &Held,
        part: &Section,
        whole: &Section,
        to: &mut [u8],
        extents: &Shape,
    ) -> Result<(), MemoryError> {
        let at = |part: &Section| {
            let place = self.permutation.section_to_target(&part.relative_to(whole.lo()));
            Layout::dense(extents).offset(place.lo()) * self.element_bytes()
        };
        if self.permutation == Permutation::identity(part.dims()) {
            return held.array.get(&held.place(part), &mut to[at(part)..], extents);
        }
        let elems_max = PIECE_BYTES / self.data_type.bytes();
        let mut scratch = scratch(size(part.len().min(elems_max)) * self.element_bytes())?;
        part.pieces(elems_max).try_for_each(|piece| {
            let counts = piece.counts();
            let scratch = &mut scratch[..size(piece.len()) * self.element_bytes()];
            held.array.get(&held.place(&piece), scratch, &counts)?;
            // In the target's order: what is written lies together.
            let source = Layout::dense(&counts).permuted(self.permutation.source());
            let runs = Runs::new(&self.permutation.to_target(&counts), &source, &Layout::dense(extents));
            copy_elements(&runs, scratch, &mut to[at(&piece)..], self.element_bytes());
            Ok(())
        })
    }
}

impl ArrayInMemory for Gathered {
    fn name(&self) -> String {
        self.held[0].array.name()
    }

    fn data_type(&self) -> DataType {
        self.data_type
    }

    fn dims(&self) -> Shape {
        self.permutation.to_target(&self.write.counts())
    }

    fn any_thread(&self) -> bool {
        self.held.iter().all(|held| held.array.any_thread())
    }

    fn complete(&self) -> Result<(), MemoryError> {
        self.held.iter().try_for_each(|held| held.array.complete())
    }

    fn see_others(&self) -> Result<(), MemoryError> {
        // All ranks hold the same arrays; whatever fails for one of them, the others are asked too: it may be collective.
        self.held.iter().map(|held| held.array.see_others()).fold(Ok(()), Result::and)
    }

    fn meeting(&self) -> Option<Meeting> {
        self.held.first().and_then(|held| held.array.meeting())
    }

    fn get(&self, section: &Section, to: &mut [u8], extents: &Shape) -> Result<(), MemoryError> {
        let lo = self.permutation.to_source(section.lo());
        let hi = self.permutation.to_source(section.hi());
        let whole = Section::between(lo, hi).shifted_by(self.write.lo());
        for held in &self.held {
            if let Some(part) = held.section.clipped_to(&whole) {
                self.copy(held, &part, &whole, to, extents)?;
            }
        }
        Ok(())
    }

    fn put(&self, _: &Section, _: &[u8], _: &Shape) -> Result<(), MemoryError> {
        Err("nothing is read into what is to be written".into())
    }
}
