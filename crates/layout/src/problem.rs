//! The question: which array, from which bricks to which, with what memory, on what.

use crate::error::{Error, Result};
use crate::model::DeviceModel;
use crate::permutation::Permutation;
use crate::plan::axis::Axis;
use crate::plan::cost::Counted;
use section::{BrickGrid, Shape};

/// Who writes which brick of the target. It decides which write blocks keep all I/O processes busy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Owners {
    /// I/O process number `(c_1 + ... + c_n) mod P` owns the brick at coordinates `c`, as in `chemio-dra`.
    #[default]
    InTurn,
    /// Bricks are dealt out by their number, the fastest dimension first, as in the paper.
    ByNumber,
}

/// What may be moved between the disk and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Units {
    /// Whole bricks, as in the paper.
    WholeBricks,
    /// Parts of bricks too, priced by their contiguous runs.
    #[default]
    Parts,
}

/// Memory besides what is retained between steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buffers {
    /// Max blocks, at most: with two the next step is read while this one is written. A pass has fewer where larger steps are worth
    /// more than that, or where it has fewer steps ([`PassCost::max_blocks`](crate::PassCost::max_blocks)).
    pub max_blocks: u64,
    /// Write blocks: parts of target bricks that are being put together.
    pub write_blocks: u64,
}

impl Buffers {
    /// One Max block or two, and nothing else: as in `chemio-reblock`, which puts bricks together in the buffers of transfers.
    pub const WITHOUT_WRITE_BLOCKS: Self = Self { max_blocks: 2, write_blocks: 0 };

    /// Those that a pass may have, the most first.
    pub(crate) fn choices(self) -> impl Iterator<Item = Self> {
        (1..=self.max_blocks.min(MAX_BLOCKS_USEFUL)).rev().map(move |max_blocks| Self { max_blocks, ..self })
    }
}

/// One is read while another is written; a third has nothing to do.
const MAX_BLOCKS_USEFUL: u64 = 2;

impl Default for Buffers {
    fn default() -> Self {
        Self { max_blocks: 2, write_blocks: 1 }
    }
}

/// A question to [`plan`](crate::plan()).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    /// Extents of the source.
    pub dims: Vec<u64>,
    /// Bytes of an element.
    pub element_bytes: u64,
    /// Extents of a source brick.
    pub source_brick: Vec<u64>,
    /// Extents of a target brick, in the target's order of dimensions.
    pub target_brick: Vec<u64>,
    /// Which source dimension becomes which target dimension.
    pub permutation: Permutation,
    /// Memory, the sum over all ranks.
    pub memory_bytes: u64,
    /// What an array in memory takes beyond its elements, at most, on all ranks together: see [`rounding_bytes`](crate::rounding_bytes()).
    /// Each Max block is one, each write block, and all that is retained together.
    pub rounding_bytes: u64,
    /// What the buffers of a rank that reads or writes have, where ranks differ the least of it: larger bricks than those of source and target
    /// are made between passes only if these are good for them. They are beside `memory_bytes`.
    pub buffers_bytes: u64,
    /// Bricks of arrays between passes begin at multiples of so many bytes.
    pub align_bytes: u64,
    /// In so many files, or about as many: one for each host.
    pub files: u64,
    /// Ranks of the program.
    pub ranks: u64,
    /// How many of them read and write files.
    pub io_processes: u64,
    /// Who writes which brick.
    pub owners: Owners,
    /// What the device costs.
    pub device: DeviceModel,
    /// How many buffers there are.
    pub buffers: Buffers,
    /// What may be moved.
    pub units: Units,
}

impl Problem {
    /// One rank, a permutation that changes nothing, the default device; everything else can be set in the value.
    pub fn new(dims: &[u64], element_bytes: u64, source_brick: &[u64], target_brick: &[u64]) -> Self {
        Self {
            dims: dims.to_vec(),
            element_bytes,
            source_brick: source_brick.to_vec(),
            target_brick: target_brick.to_vec(),
            permutation: Permutation::identity(dims.len().min(section::DIMS_MAX)),
            memory_bytes: 64 << 20,
            rounding_bytes: 0,
            buffers_bytes: u64::MAX,
            align_bytes: 4096,
            files: 1,
            ranks: 1,
            io_processes: 1,
            owners: Owners::default(),
            device: DeviceModel::default(),
            buffers: Buffers::default(),
            units: Units::default(),
        }
    }

    /// Looks whether the numbers make sense, and gives the shapes in the source's order.
    pub(crate) fn check(&self) -> Result<Shapes> {
        let dims = Shape::new(&self.dims)?;
        let lists = [
            ("the source brick", self.source_brick.len()),
            ("the target brick", self.target_brick.len()),
            ("the permutation", self.permutation.dims()),
        ];
        if let Some((what, got)) = lists.into_iter().find(|(_, got)| *got != dims.len()) {
            return Err(Error::DimsDiffer { what, expected: dims.len(), got });
        }
        if let Some(what) = self.zero() {
            return Err(Error::Zero { what });
        }
        if i32::try_from(self.ranks).is_err() {
            return Err(Error::Ranks { ranks: self.ranks });
        }
        if self.io_processes > self.ranks {
            return Err(Error::IoProcesses { io_processes: self.io_processes, ranks: self.ranks });
        }
        let bytes = dims.checked_len().and_then(|len| len.checked_mul(self.element_bytes));
        if bytes.is_none() {
            return Err(Error::TooLarge { dims: self.dims.clone(), element_bytes: self.element_bytes });
        }
        BrickGrid::new(&dims, &self.source_brick)?;
        let target_brick = self.permutation.to_source(&self.target_brick);
        BrickGrid::new(&dims, &target_brick)?;
        // A brick that is larger than the array is as good as one that is as large.
        let clipped = |brick: &[u64]| Shape::from_fn(dims.len(), |d| brick[d].min(dims[d]));
        let stored = |brick: &[u64]| Shape::from_fn(dims.len(), |d| brick[d]);
        Ok(Shapes {
            dims,
            source: clipped(&self.source_brick),
            target: clipped(&target_brick),
            source_stored: stored(&self.source_brick),
            target_stored: stored(&target_brick),
        })
    }

    fn zero(&self) -> Option<&'static str> {
        let numbers = [
            (self.element_bytes, "the size of an element"),
            (self.memory_bytes, "the memory"),
            (self.ranks, "the number of ranks"),
            (self.io_processes, "the number of I/O processes"),
            (self.buffers.max_blocks, "the number of Max blocks"),
            (self.align_bytes, "the alignment of bricks"),
            (self.files, "the number of files"),
        ];
        let empty = self.dims.contains(&0).then_some("an extent of the array");
        let number = || numbers.into_iter().find(|(number, _)| *number == 0).map(|(_, what)| what);
        empty.or_else(number).or_else(|| self.device.zero())
    }

    /// Memory in elements.
    pub(crate) fn memory_elems(&self) -> u128 {
        u128::from(self.memory_bytes / self.element_bytes)
    }
}

/// The shapes of a problem, all in the source's order of dimensions, bricks no larger than the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shapes {
    pub(crate) dims: Shape,
    pub(crate) source: Shape,
    pub(crate) target: Shape,
    /// What bricks are on disk, where they may be larger than the array.
    pub(crate) source_stored: Shape,
    pub(crate) target_stored: Shape,
}

impl Shapes {
    /// Bricks that are no larger than the array.
    #[cfg(test)]
    pub(crate) fn whole(dims: Shape, source: Shape, target: Shape) -> Self {
        Self { dims, source, target, source_stored: source, target_stored: target }
    }

    /// From or to other bricks, those of an intermediate array.
    pub(crate) fn with_source(self, source: Shape) -> Self {
        Self { source, source_stored: source, ..self }
    }

    /// See [`with_source`](Self::with_source).
    pub(crate) fn with_target(self, target: Shape) -> Self {
        Self { target, target_stored: target, ..self }
    }

    /// One dimension, cut in this way.
    pub(crate) fn axis(&self, dim: usize, reads_whole: bool, block: u64, template: u64) -> Counted {
        let axis = Axis {
            len: self.dims[dim],
            source_brick: self.source[dim],
            target_brick: self.target[dim],
            reads_whole,
            block,
            template,
        };
        Counted::stored(axis, self.source_stored[dim], self.target_stored[dim])
    }
}
