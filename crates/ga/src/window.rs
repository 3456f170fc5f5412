//! The memory of one array: on each rank a part, reached by loads and stores or by RMA.
//!
//! This module and those below it hold the unsafe code of the crate, but for raw patches (`patch.rs`, `local.rs`, and the calls
//! in `transfer.rs` that vouch for them) and the calls of BLAS (`linalg/blas.rs`). They move bytes where they are told to;
//! which bytes is decided above.

mod extent;
mod lock_table;
mod outstanding;
mod pending;
mod rma;
mod segment;
mod shared;

pub(crate) use extent::Extent;
pub(crate) use lock_table::LockTable;
pub(crate) use pending::Pending;
pub(crate) use shared::NearBlock;

use crate::{Context, ElementType, Group, Result, Scalar};
use outstanding::Kind;
use rma::RmaWindow;
use section::{Layout, Runs, Shape};
use segment::Segment;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::Arc;

/// The memory of one array on the ranks of a group.
#[derive(Debug)]
pub(crate) struct Window {
    rma: Option<RmaWindow>,
    /// Stays mapped as long as MPI exposes it.
    memory: ManuallyDrop<Segment>,
    group: Group,
    shares_memory: bool,
    locks: Arc<LockTable>,
    array: u64,
}

/// A section of one rank's part, and the local memory it is moved to or from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    /// The rank, in the array's group, that holds the elements.
    pub(crate) rank: usize,
    /// Where in its part the first element lies, in elements.
    pub(crate) first: usize,
    /// Elements in each dimension.
    pub(crate) counts: Shape,
    /// How they lie in the part.
    pub(crate) remote: Layout,
    /// How they lie in local memory, from the first one.
    pub(crate) local: Layout,
    /// Their type.
    pub(crate) element_type: ElementType,
}

impl Move {
    fn first_byte(&self) -> usize {
        self.first * self.element_type.bytes()
    }

    /// From the first byte to after the last one, in the part.
    fn bytes(&self) -> Range<usize> {
        self.first_byte()..self.first_byte() + self.remote.span(&self.counts) * self.element_type.bytes()
    }
}

impl Window {
    /// Memory of `own_bytes` on this rank, zero at first. Collective over the group; the result is the same on every rank.
    ///
    /// # Errors
    /// - [`Error::Memory`](crate::Error::Memory), [`Error::NoMemory`](crate::Error::NoMemory): there is not so much.
    /// - [`Error::Window`](crate::Error::Window): MPI cannot expose it to other nodes.
    /// - [`Error::Path`](crate::Error::Path): shared memory is demanded and the ranks are on several nodes.
    pub(crate) fn create(
        context: &Context,
        group: &Group,
        array: u64,
        (own_bytes, extent): (u64, Extent),
        name: &str,
    ) -> Result<Self> {
        let path = context.path();
        // One node means the same on every rank, so all refuse or none. A rank by itself needs nothing (and Open MPI's usual
        // setting has no window for it).
        let needs_rma = path.needs_rma(group.on_one_node())? && group.ranks() > 1;
        let memory = if path.shares_memory() {
            Segment::shared(group.node(), own_bytes, extent, name)
        } else {
            Segment::private(own_bytes, extent, name)
        };
        let memory = group.comm().agree(memory)?;
        let rma = if needs_rma {
            // SAFETY: the part is that long, and the window goes before the memory.
            let made = unsafe { RmaWindow::create(group.comm(), memory.own(), own_bytes) };
            Some(group.comm().agree(made)?)
        } else {
            None
        };
        let locks = context.locks().clone();
        Ok(Self {
            rma,
            memory: ManuallyDrop::new(memory),
            group: group.clone(),
            shares_memory: path.shares_memory(),
            locks,
            array,
        })
    }

    /// This rank's part.
    pub(crate) fn own(&self) -> *mut u8 {
        self.memory.own()
    }

    /// The memory that all parts take, of which each byte is told by one rank.
    pub(crate) fn taken_bytes(&self) -> u64 {
        self.memory.taken_bytes()
    }

    /// Whether it lies in huge pages, as far as this rank can tell.
    pub(crate) fn is_in_huge_pages(&self) -> bool {
        self.memory.is_huge()
    }

    /// Brings a little of this rank's part into being: see [`Segment::populate`].
    pub(crate) fn populate(&self, before: usize) -> Option<usize> {
        self.memory.populate(before)
    }

    /// Where the part of `rank` can be loaded from and stored to.
    pub(crate) fn address(&self, rank: usize) -> Option<*mut u8> {
        if rank == self.group.rank() {
            Some(self.own())
        } else if self.shares_memory {
            self.group.node_rank_of(rank).map(|node_rank| self.memory.part(node_rank))
        } else {
            None
        }
    }

    /// The part of `rank`, if loads, stores and atomics are all that an operation on it takes.
    #[inline]
    pub(crate) fn near(&self, rank: usize) -> Option<NearBlock<'_>> {
        if self.rma.is_some() { None } else { self.loadable(rank) }
    }

    /// The part of `rank`, if it can be loaded from and stored to. What may be under way by RMA has to be settled before.
    #[inline]
    fn loadable(&self, rank: usize) -> Option<NearBlock<'_>> {
        Some(NearBlock::new(self.address(rank)?, &self.locks, self.array, rank))
    }

    /// Writes local memory to a part. With RMA it is only begun: `pending` completes it.
    ///
    /// # Safety
    /// `from` can be read as the move says until it is complete, and the move lies in the part.
    pub(crate) unsafe fn put(&self, to: &Move, from: *const u8, pending: &mut Pending) -> Result<()> {
        if let Some(block) = self.loadable(to.rank) {
            self.settle(to, Kind::Put)?;
            let runs = Runs::new(&to.counts, &to.remote, &to.local);
            // SAFETY: the caller's promise.
            unsafe { block.put(to.first, &runs, to.element_type, from) };
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe { self.rma(to.rank).put(to, from, pending) }
    }

    /// Reads a part to local memory. With RMA it is only begun: `pending` completes it.
    ///
    /// # Safety
    /// `to` can be written as the move says until it is complete, and the move lies in the part.
    pub(crate) unsafe fn get(&self, from: &Move, to: *mut u8, pending: &mut Pending) -> Result<()> {
        if let Some(block) = self.loadable(from.rank) {
            self.settle(from, Kind::Get)?;
            let runs = Runs::new(&from.counts, &from.remote, &from.local);
            // SAFETY: the caller's promise.
            unsafe { block.get(from.first, &runs, from.element_type, to) };
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe { self.rma(from.rank).get(from, to, pending) }
    }

    /// Adds `alpha` times local memory to a part, each element atomically with respect to other accumulates and counters.
    /// With RMA it is only begun: `pending` completes it.
    ///
    /// # Safety
    /// As [`put`](Self::put); the memory is free again on return.
    pub(crate) unsafe fn accumulate(
        &self,
        to: &Move,
        from: *const u8,
        alpha: Scalar,
        pending: &mut Pending,
    ) -> Result<()> {
        // Where some ranks can only use RMA all do: two mechanisms would not be atomic with respect to each other.
        if let Some(rma) = &self.rma {
            // SAFETY: the caller's promise.
            return unsafe { rma.accumulate(to, from, alpha, pending) };
        }
        let block = self.near(to.rank).expect("without RMA all memory is shared");
        let runs = Runs::new(&to.counts, &to.remote, &to.local);
        // SAFETY: the caller's promise; the types were compared above this module.
        unsafe { block.accumulate(to.first, &runs, from, alpha) };
        Ok(())
    }

    /// Adds `increment` to an integer and returns what it was. Complete on return.
    ///
    /// # Safety
    /// There is such an element in the part; the type is one of the integers.
    pub(crate) unsafe fn fetch_add(
        &self,
        rank: usize,
        element: usize,
        element_type: ElementType,
        increment: i64,
    ) -> Result<i64> {
        if let Some(rma) = &self.rma {
            // SAFETY: the caller's promise.
            return unsafe { rma.fetch_add(rank, element, element_type, increment) };
        }
        let block = self.near(rank).expect("without RMA all memory is shared");
        // SAFETY: the caller's promise.
        let was = unsafe { block.fetch_add(element, element_type, increment) };
        Ok(was.unwrap_or_else(|| unreachable!("a counter of type {element_type}")))
    }

    /// Whether operations can be under way that have to be completed.
    pub(crate) fn has_operations(&self) -> bool {
        self.rma.is_some()
    }

    /// Waits until every operation of this rank is complete at its target.
    pub(crate) fn complete_all(&self) -> Result<()> {
        self.rma.as_ref().map_or(Ok(()), RmaWindow::flush_all)
    }

    /// Makes what other ranks wrote visible to loads of this one, and the other way round.
    pub(crate) fn see_others(&self) -> Result<()> {
        self.rma.as_ref().map_or(Ok(()), RmaWindow::see_others)
    }

    /// Gives MPI's window back, when every rank has completed its operations. Collective over the group. Requests that nobody
    /// has waited for are complete then, and keep the memory until they are.
    pub(crate) fn free(&self) -> Result<()> {
        self.rma.as_ref().map_or(Ok(()), RmaWindow::free)
    }

    /// Before loads and stores where accumulates go by RMA: waits for those in the way.
    fn settle(&self, what: &Move, kind: Kind) -> Result<()> {
        self.rma.as_ref().map_or(Ok(()), |rma| rma.settle(what.rank, &what.bytes(), kind))
    }

    fn rma(&self, rank: usize) -> &RmaWindow {
        self.rma.as_ref().unwrap_or_else(|| panic!("rank {rank} can be reached neither by memory nor by RMA"))
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if self.rma.as_ref().is_none_or(RmaWindow::is_free) {
            // SAFETY: nobody uses it after this.
            unsafe { ManuallyDrop::drop(&mut self.memory) };
        } else {
            tracing::warn!(
                "an array over several nodes was dropped, not destroyed: its memory is kept until the program ends"
            );
        }
    }
}
