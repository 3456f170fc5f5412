//! Operands: sections whose elements are read piece by piece, wherever they are.
//!
//! Definitions. The elements of an operand are *taken* in row-major order, or, reversed, in the order that is row-major
//! when the dimensions are read backwards (column-major: of a matrix, its transpose row by row). The elements of two
//! sections *match* if both are taken at the same time. Sections of the same shape match box by box; others run by run.

use super::local::LocalPart;
use super::pieces::{Piece, part};
use crate::{Array, Element, PatchMut, Request, Result};
use section::{Layout, Runs, Section};

/// How many reads are under way at a time.
const REQUESTS_MAX: usize = 256;

/// A section that is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand<'a> {
    array: &'a Array,
    /// With its dimensions in the order in which its elements are taken.
    section: Section,
    reversed: bool,
}

/// Memory for the elements of pieces.
#[derive(Debug)]
pub(super) struct Buffers<T> {
    elements: Vec<T>,
    /// Elements in the order of the array, before they are reversed.
    unordered: Vec<T>,
}

impl<T> Default for Buffers<T> {
    fn default() -> Self {
        Self { elements: vec![], unordered: vec![] }
    }
}

impl<'a> Operand<'a> {
    pub(super) fn new(array: &'a Array, section: &Section, reversed: bool) -> Self {
        Self { array, section: if reversed { section.reversed() } else { *section }, reversed }
    }

    pub(super) fn array(&self) -> &'a Array {
        self.array
    }

    /// Whether its elements are taken with the dimensions backwards.
    pub(super) fn is_reversed(&self) -> bool {
        self.reversed
    }

    /// With its dimensions in the order in which its elements are taken.
    pub(super) fn section(&self) -> &Section {
        &self.section
    }

    /// The same dimensions as in the array, or those dimensions backwards.
    pub(super) fn in_order(&self, section: Section) -> Section {
        if self.reversed { section.reversed() } else { section }
    }

    /// Which section of the array matches a piece, if one does by itself.
    pub(super) fn matching(&self, piece: &Piece) -> Option<Section> {
        (piece.whole == self.section.counts())
            .then(|| self.in_order(part(&self.section, &piece.place, &piece.counts)))
    }

    /// Calls `visit` with the elements that match a piece, in runs, each with its place in the dense box of the piece.
    /// Elements that this rank holds are visited where they are, others are read first.
    pub(super) fn visit<T: Element>(
        &self,
        piece: &Piece,
        buffers: &mut Buffers<T>,
        mut visit: impl FnMut(usize, &[T]),
    ) -> Result<()> {
        if let Some(part) = self.own_part(piece)
            && let Some(block) = self.array.local_block::<T>()?
        {
            part.for_each_run(&Layout::dense(&piece.counts), |here, at, len| {
                visit(at, &block[here..here + len]);
            });
            return Ok(());
        }
        visit(0, self.read_piece(piece, buffers)?);
        Ok(())
    }

    /// The elements that match a piece, in its order.
    pub(super) fn read_piece<'b, T: Element>(
        &self,
        piece: &Piece,
        buffers: &'b mut Buffers<T>,
    ) -> Result<&'b [T]> {
        let Buffers { elements, unordered } = buffers;
        elements.resize(piece.len(), T::zero());
        self.read(piece, elements, unordered)?;
        Ok(elements)
    }

    /// Where in this rank's block the elements that match a piece are, if all of them are there, in the same order.
    fn own_part(&self, piece: &Piece) -> Option<LocalPart> {
        let section = self.matching(piece).filter(|_| !self.reversed)?;
        LocalPart::of(self.array, &section).filter(|part| part.section().len() == section.len())
    }

    /// Reads the elements that match a piece, in its order.
    fn read<T: Element>(&self, piece: &Piece, to: &mut [T], unordered: &mut Vec<T>) -> Result<()> {
        let mut reads = Reads { operand: self, rest: to, requests: vec![], unordered };
        if self.matching(piece).is_some() {
            reads.begin(&part(&self.section, &piece.place, &piece.counts))?;
            return reads.wait();
        }
        let (whole, dense) = (Layout::dense(&piece.whole), Layout::dense(&piece.counts));
        let first = whole.offset(&piece.place);
        let mut begun = Ok(());
        Runs::new(&piece.counts, &whole, &dense).for_each(|at, _, len| {
            if begun.is_ok() {
                let range = (first + at) as u64..(first + at + len) as u64;
                begun = self.section.boxes_of_range(range).iter().try_for_each(|part| reads.begin(part));
            }
        });
        begun.and(reads.wait())
    }

    /// Reads a part of the section and reverses its dimensions.
    fn read_reversed<T: Element>(&self, part: &Section, to: &mut [T], unordered: &mut Vec<T>) -> Result<()> {
        unordered.resize(to.len(), T::zero());
        let (counts, stored) = (part.counts(), part.counts().reversed());
        self.array.get(&part.reversed(), PatchMut::dense(unordered))?;
        if let [rows, cols] = stored[..] {
            section::transpose(unordered, section::size(rows), section::size(cols), to);
            return Ok(());
        }
        let backwards: Vec<usize> = (0..counts.len()).rev().collect();
        let from = Layout::dense(&stored).permuted(&backwards);
        Runs::new(&counts, &from, &Layout::dense(&counts))
            .for_each(|from, at, len| to[at..at + len].copy_from_slice(&unordered[from..from + len]));
        Ok(())
    }
}

/// Reads into one buffer, one after the other.
struct Reads<'b, 'a, T> {
    operand: &'b Operand<'a>,
    rest: &'b mut [T],
    requests: Vec<Request<'b>>,
    unordered: &'b mut Vec<T>,
}

impl<T: Element> Reads<'_, '_, T> {
    /// Begins to read a part of the operand's section to where the last one ended.
    fn begin(&mut self, part: &Section) -> Result<()> {
        let (to, rest) = std::mem::take(&mut self.rest).split_at_mut(section::size(part.len()));
        self.rest = rest;
        if self.operand.reversed {
            return self.operand.read_reversed(part, to, self.unordered);
        }
        self.requests.push(self.operand.array.nbget(part, PatchMut::dense(to))?);
        if self.requests.len() < REQUESTS_MAX { Ok(()) } else { self.wait() }
    }

    /// Waits for all of them, and returns the first error.
    fn wait(&mut self) -> Result<()> {
        self.requests.drain(..).map(Request::wait).fold(Ok(()), Result::and)
    }
}
