//! Memory that the ranks of a node share, or that one rank has for itself.
//!
//! A rank that is alone on its node has private memory, in huge pages as soon as it is touched.
//!
//! Otherwise: one anonymous file in memory for the ranks of a node, made by the first of them and mapped whole by all. It has no name,
//! so nothing is left behind by a program that is killed. Where a rank may not open another's descriptor (processes in
//! different containers), a file in /dev/shm that is unlinked at once takes its place.
//! Each rank has its part made into huge pages at once ([`Mapping::collapse`]), unless the node or its control groups have too little memory left:
//! what a program never touches then counts, too.

use super::extent::Extent;
use crate::{Error, Result};
use comm::{Comm, Failure, HUGE_PAGE_BYTES, Mapping, MemoryFile};
use std::io;

/// The parts begin on boundaries of this many bytes, so that no two ranks share a page.
const PAGE_BYTES: u64 = 4096;

/// How much of private memory is brought into being at a time: a millisecond, or a few where a host has to get it, after which somebody
/// may want it to stop.
const POPULATED_BYTES: usize = 4 << 20;

/// A part of the node's memory for each of its ranks, all of them mapped here. Zero at first. Page-aligned.
#[derive(Debug)]
pub(crate) struct Segment {
    mapping: Mapping,
    /// Where each rank's part begins, in bytes.
    starts: Vec<usize>,
    own: usize,
    is_private: bool,
    is_huge: bool,
}

impl Segment {
    /// A segment with `own_bytes` for this rank, in reach of all ranks of the node. Collective over them.
    ///
    /// # Errors
    /// - [`Error::NoMemory`], [`Error::Memory`]: the node does not have so much.
    pub(crate) fn shared(node: &Comm, own_bytes: u64, extent: Extent, array: &str) -> Result<Self> {
        if node.size() == 1 {
            return Self::private(own_bytes, extent, array);
        }
        let sizes = node.all_gather(&[own_bytes])?;
        // The first page holds the token by which a rank knows that it has opened the right file.
        let mut starts = vec![];
        let mut total = Some(PAGE_BYTES);
        for size in sizes {
            starts.push(total.unwrap_or(0));
            total = total.and_then(|total| total.checked_add(size.checked_next_multiple_of(PAGE_BYTES)?));
        }
        // Every rank sees the same sizes, so all refuse or none.
        let total = extent.of(check_memory(total, array)?);
        let file = match MemoryFile::Anonymous.open_together(node, total)? {
            Ok(file) => file,
            Err(first) => {
                tracing::info!(?first, "no anonymous memory shared: a file in /dev/shm instead");
                let opened = MemoryFile::Named.open_together(node, total)?;
                opened.map_err(|failure| no_shared_memory(failure, total))?
            }
        };
        let mapping = node.agree(
            Mapping::shared(&file, section::size(total)).map_err(no_memory("mapping memory", total)),
        )?;
        let starts: Vec<usize> = starts.into_iter().map(section::size).collect();
        let mut segment = Self { mapping, starts, own: node.rank(), is_private: false, is_huge: false };
        let is_affordable = || total <= node::available_bytes().unwrap_or(0) / 2;
        segment.is_huge = segment.has_huge_pages() && is_affordable() && segment.make_huge();
        Ok(segment)
    }

    /// A segment for this rank alone. Local.
    ///
    /// # Errors
    /// As [`shared`](Self::shared).
    pub(crate) fn private(own_bytes: u64, extent: Extent, array: &str) -> Result<Self> {
        let total = check_memory(own_bytes.max(1).checked_next_multiple_of(PAGE_BYTES), array)?;
        let total = extent.of(total);
        let mapping = Mapping::private(section::size(total)).map_err(no_memory("mapping memory", total))?;
        let mut segment = Self { mapping, starts: vec![0], own: 0, is_private: true, is_huge: false };
        segment.is_huge = segment.has_huge_pages() && node::gives_huge_pages();
        Ok(segment)
    }

    /// The part of a rank of the node.
    pub(crate) fn part(&self, node_rank: usize) -> *mut u8 {
        // SAFETY: a part begins within the mapping.
        unsafe { self.mapping.base().as_ptr().add(self.starts[node_rank]) }
    }

    /// This rank's part.
    pub(crate) fn own(&self) -> *mut u8 {
        self.part(self.own)
    }

    /// The memory that it takes when all of it is touched, of which each byte is told by one rank.
    pub(crate) fn taken_bytes(&self) -> u64 {
        // All ranks of the node have mapped all of it.
        if self.is_private || self.own == 0 { self.mapping.bytes() as u64 } else { 0 }
    }

    /// Whether this rank's memory, and in all likelihood that of the others, is in huge pages, or will be when it is touched.
    pub(crate) fn is_huge(&self) -> bool {
        self.is_huge
    }

    /// Brings the last few mebibytes of private memory before this byte of it into being, and tells where they begin; none at the
    /// beginning, where that cannot be done, and where memory is shared, which is there from the beginning if it is in huge pages.
    pub(crate) fn populate(&self, before: usize) -> Option<usize> {
        let to = before.min(self.mapping.bytes());
        if !self.is_private || to == 0 {
            return None;
        }
        let from = (to - 1) / POPULATED_BYTES * POPULATED_BYTES;
        let populated = self.mapping.populate(from..to);
        populated
            .inspect_err(|error| tracing::debug!(%error, "memory is cleared when it is touched"))
            .ok()?;
        Some(from)
    }

    fn has_huge_pages(&self) -> bool {
        self.mapping.bytes() >= HUGE_PAGE_BYTES
    }

    /// Has the huge pages that begin in this rank's part made; of the first rank's, the one before it as well. Tells whether that could
    /// be done.
    fn make_huge(&self) -> bool {
        let begin = if self.own == 0 { 0 } else { self.starts[self.own] };
        let end = self.starts.get(self.own + 1).map_or(self.mapping.bytes(), |&next| next);
        let made = self.mapping.collapse(begin..end);
        made.inspect_err(|error| tracing::debug!(%error, "shared memory stays in small pages")).is_ok()
    }
}

/// Refuses what the node can never have: a mapping would succeed, and the program be killed when it is touched.
fn check_memory(bytes: Option<u64>, array: &str) -> Result<u64> {
    let total = node::memory_bytes().unwrap_or(u64::MAX);
    match bytes {
        Some(bytes) if bytes <= total => Ok(bytes),
        _ => Err(Error::NoMemory { array: array.to_owned(), asked: bytes.unwrap_or(u64::MAX), total }),
    }
}

/// Why the ranks could not open a file in memory together, which all of them have been told.
fn no_shared_memory(failure: Failure<io::Error>, bytes: u64) -> Error {
    match failure {
        Failure::Here(source) => no_memory("sharing memory", bytes)(source),
        Failure::There { rank, message } => Error::OnRank { rank, message },
        Failure::Comm(error) => Error::Comm(error),
    }
}

fn no_memory(operation: &'static str, bytes: u64) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::Memory { operation, bytes, source }
}
