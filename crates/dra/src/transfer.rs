//! Transfers between an array on disk and one in memory.
//!
//! - `mapping`: which elements in memory are those of a part of a brick; copying them.
//! - `unit`: which bytes of a brick are read and written for a part of it. Policy, and nothing but numbers.
//! - `space`: reserves space for what is going to be written.
//! - `gathered`: parts that need no buffer, because they are only copied between memory and the page cache.
//! - `parts`: the parts of bricks that a rank moves, one after the other.
//! - `job`: one transfer of one rank, from issue to its outcome.
//! - `pipeline`: several bricks in flight; carries jobs out in the order of issue.
//! - `engine`: who drives the pipeline: a thread of its own, or whoever waits.

pub(crate) mod engine;
mod gathered;
pub(crate) mod job;
mod mapping;
mod parts;
mod pipeline;
mod space;
mod unit;

use crate::error::{Error, Result};
use crate::in_memory::ArrayInMemory;
use section::Section;
use std::path::Path;

pub(crate) use mapping::Mapping;
pub use pipeline::{BUFFER_BYTES_MIN, buffers_bytes_max};
pub use unit::GAP_BYTES;

/// Which way elements go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Direction {
    ToDisk,
    ToMemory,
}

/// Which elements correspond to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// Of the array in memory.
    pub in_memory: Section,
    /// Of the array on disk.
    pub on_disk: Section,
    /// Whether the dimensions in memory are those on disk in reverse order: element `(i, j)` on disk is `(j, i)` in
    /// memory. If not, and the sections differ in shape but not in number of elements, the k-th element in row-major order
    /// corresponds to the k-th.
    pub reversed: bool,
}

impl Transfer {
    /// The whole of both arrays.
    ///
    /// # Errors
    /// - [`disk_array::Error::Shape`]: not 1 to 7 dimensions.
    pub fn whole(in_memory: &[u64], on_disk: &[u64]) -> Result<Self> {
        let (in_memory, on_disk) = (Section::whole(in_memory)?, Section::whole(on_disk)?);
        Ok(Self { in_memory, on_disk, reversed: false })
    }

    /// How elements correspond, if the sections are in their arrays and correspond to each other.
    pub(crate) fn mapping(&self, memory: &dyn ArrayInMemory, path: &Path, dims: &[u64]) -> Result<Mapping> {
        let Self { in_memory, on_disk, reversed } = *self;
        let array = || memory.name();
        if !in_memory.fits(&memory.dims()) || in_memory.step().iter().any(|&step| step != 1) {
            let (section, dims) = (Box::new(in_memory), memory.dims().to_vec());
            return Err(Error::BeyondMemory { array: array(), section, dims });
        }
        if !on_disk.fits(dims) || on_disk.step().iter().any(|&step| step != 1) {
            let (path, section) = (path.to_owned(), Box::new(on_disk));
            return Err(disk_array::Error::OutOfRange { path, section, dims: dims.to_vec() }.into());
        }
        Mapping::between(self).ok_or_else(|| Error::SectionsDiffer {
            path: path.to_owned(),
            array: array(),
            in_memory: Box::new(in_memory),
            on_disk: Box::new(on_disk),
            reversed,
        })
    }
}
