//! Which elements in memory are those of a part of a brick, and copying them between there and a buffer.
//!
//! A *buffer* here is an array of some extents that holds a part of a section on disk from its first element on: a brick, or
//! just the part.

use super::Transfer;
use crate::in_memory::{ArrayInMemory, MemoryError, scratch};
use elio::MemoryPiece;
use section::{Layout, PIECE_BYTES, Runs, Section, Shape, copy_elements, size};

/// How the elements of a section on disk correspond to those of a section in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    in_memory: Section,
    on_disk: Section,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One section is the other, moved.
    Moved,
    /// The dimensions are in reverse order.
    Reversed,
    /// The shapes differ: elements correspond by their number.
    Reshaped,
}

type Result = std::result::Result<(), MemoryError>;

impl Mapping {
    /// `None` if the sections do not correspond.
    pub(super) fn between(transfer: &Transfer) -> Option<Self> {
        let Transfer { in_memory, on_disk, reversed } = *transfer;
        let (memory, disk) = (in_memory.counts(), on_disk.counts());
        let kind = if reversed {
            (memory.reversed() == disk).then_some(Kind::Reversed)?
        } else if memory == disk {
            Kind::Moved
        } else {
            (memory.checked_len()? == disk.checked_len()?).then_some(Kind::Reshaped)?
        };
        Some(Self { in_memory, on_disk, kind })
    }

    /// The section on disk.
    pub(super) fn on_disk(&self) -> &Section {
        &self.on_disk
    }

    /// Copies `part` of the section on disk from memory to a buffer.
    pub(super) fn get(
        &self,
        memory: &dyn ArrayInMemory,
        part: &Section,
        to: &mut [u8],
        extents: &Shape,
    ) -> Result {
        match self.kind {
            Kind::Moved => memory.get(&self.moved(part), to, extents),
            Kind::Reversed => each_piece(part, memory, |piece, scratch| {
                let there = self.moved_reversed(piece);
                memory.get(&there, scratch, &there.counts())?;
                let at = place_bytes(piece, part, extents, memory);
                let counts = there.counts();
                let runs = Runs::new(&counts, &Layout::dense(&counts), &reversed_layout(extents));
                copy_elements(&runs, scratch, &mut to[at..], element_bytes(memory));
                Ok(())
            }),
            Kind::Reshaped => self.each_box(part, extents, memory, |there, at| {
                let bytes = size(there.len()) * element_bytes(memory);
                memory.get(there, &mut to[at..at + bytes], &there.counts())
            }),
        }
    }

    /// Copies `part` of the section on disk from a buffer to memory.
    pub(super) fn put(
        &self,
        memory: &dyn ArrayInMemory,
        part: &Section,
        from: &[u8],
        extents: &Shape,
    ) -> Result {
        match self.kind {
            Kind::Moved => memory.put(&self.moved(part), from, extents),
            Kind::Reversed => each_piece(part, memory, |piece, scratch| {
                let there = self.moved_reversed(piece);
                let at = place_bytes(piece, part, extents, memory);
                let counts = there.counts();
                let runs = Runs::new(&counts, &reversed_layout(extents), &Layout::dense(&counts));
                copy_elements(&runs, &from[at..], scratch, element_bytes(memory));
                memory.put(&there, scratch, &counts)
            }),
            Kind::Reshaped => self.each_box(part, extents, memory, |there, at| {
                let bytes = size(there.len()) * element_bytes(memory);
                memory.put(there, &from[at..at + bytes], &there.counts())
            }),
        }
    }

    /// The memory of `part`, in its order, if it is in reach and in no more than `count_max` pieces.
    pub(super) fn pieces(
        &self,
        memory: &dyn ArrayInMemory,
        part: &Section,
        count_max: usize,
    ) -> Option<Vec<MemoryPiece>> {
        match self.kind {
            Kind::Moved => memory.pieces(&self.moved(part), count_max),
            Kind::Reversed | Kind::Reshaped => None,
        }
    }

    fn moved(&self, part: &Section) -> Section {
        part.relative_to(self.on_disk.lo()).shifted_by(self.in_memory.lo())
    }

    fn moved_reversed(&self, part: &Section) -> Section {
        part.relative_to(self.on_disk.lo()).reversed().shifted_by(self.in_memory.lo())
    }

    /// Calls `visit` with boxes in memory that are together `part`, each with the byte of the buffer at which its elements
    /// begin, in order and without gaps.
    fn each_box(
        &self,
        part: &Section,
        extents: &Shape,
        memory: &dyn ArrayInMemory,
        mut visit: impl FnMut(&Section, usize) -> Result,
    ) -> Result {
        let numbers = Layout::dense(&self.on_disk.counts());
        let first = numbers.offset(&part.place_in(&self.on_disk));
        let mut result = Ok(());
        Runs::new(&part.counts(), &numbers, &Layout::dense(extents)).for_each(|number, at, len| {
            if result.is_err() {
                return;
            }
            let (mut at, begin) = (at * element_bytes(memory), (first + number) as u64);
            for there in self.in_memory.boxes_of_range(begin..begin + len as u64) {
                result = visit(&there, at);
                if result.is_err() {
                    return;
                }
                at += size(there.len()) * element_bytes(memory);
            }
        });
        result
    }
}

/// Calls `visit` with pieces that are together `part`, each with memory for its elements.
fn each_piece(
    part: &Section,
    memory: &dyn ArrayInMemory,
    mut visit: impl FnMut(&Section, &mut [u8]) -> Result,
) -> Result {
    let elems_max = PIECE_BYTES / memory.data_type().bytes();
    let mut scratch = scratch(size(part.len().min(elems_max)) * element_bytes(memory))?;
    part.pieces(elems_max)
        .try_for_each(|piece| visit(&piece, &mut scratch[..size(piece.len()) * element_bytes(memory)]))
}

fn element_bytes(memory: &dyn ArrayInMemory) -> usize {
    size(memory.data_type().bytes())
}

/// Where `piece` begins in a buffer that holds `part`.
fn place_bytes(piece: &Section, part: &Section, extents: &Shape, memory: &dyn ArrayInMemory) -> usize {
    Layout::dense(extents).offset_from(part.lo(), piece.lo()) * element_bytes(memory)
}

/// An array of `extents` seen with its dimensions in reverse order.
fn reversed_layout(extents: &Shape) -> Layout {
    let order: Vec<usize> = (0..extents.len()).rev().collect();
    Layout::dense(extents).permuted(&order)
}
