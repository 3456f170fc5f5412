//! An array in memory that does something of its own at each access.

use dra::{ArrayInMemory, DataType, Meeting, MemoryError, MemoryPiece};
use section::{Section, Shape};
use std::fmt::Debug;
use std::sync::Arc;

/// What is done before the access itself.
pub(crate) trait Hook: Debug + Send + Sync {
    /// Elements are copied.
    fn at_copy(&self);

    /// Copies are completed, or those of others seen.
    fn at_order(&self) {}

    /// How ranks meet that serve each other.
    fn meeting(&self) -> Option<Meeting> {
        None
    }

    /// If the memory is shown, whether its pages are said to be huge.
    fn shown_in_huge_pages(&self) -> Option<bool> {
        None
    }
}

#[derive(Debug)]
pub(crate) struct Hooked<H> {
    pub(crate) of: Arc<dyn ArrayInMemory>,
    /// Whether a thread may transfer it.
    pub(crate) any_thread: bool,
    pub(crate) hook: H,
}

impl<H: Hook> ArrayInMemory for Hooked<H> {
    fn name(&self) -> String {
        self.of.name()
    }

    fn data_type(&self) -> DataType {
        self.of.data_type()
    }

    fn dims(&self) -> Shape {
        self.of.dims()
    }

    fn any_thread(&self) -> bool {
        self.any_thread
    }

    fn complete(&self) -> Result<(), MemoryError> {
        self.hook.at_order();
        self.of.complete()
    }

    fn see_others(&self) -> Result<(), MemoryError> {
        self.hook.at_order();
        self.of.see_others()
    }

    fn meeting(&self) -> Option<Meeting> {
        self.hook.meeting()
    }

    fn get(&self, section: &Section, to: &mut [u8], extents: &Shape) -> Result<(), MemoryError> {
        self.hook.at_copy();
        self.of.get(section, to, extents)
    }

    fn put(&self, section: &Section, from: &[u8], extents: &Shape) -> Result<(), MemoryError> {
        self.hook.at_copy();
        self.of.put(section, from, extents)
    }

    fn pieces(&self, section: &Section, count_max: usize) -> Option<Vec<MemoryPiece>> {
        self.hook.shown_in_huge_pages().and_then(|_| self.of.pieces(section, count_max))
    }

    fn is_in_huge_pages(&self) -> bool {
        self.hook.shown_in_huge_pages() == Some(true)
    }
}
