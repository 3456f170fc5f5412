//! Operations that are begun and completed later.

use crate::Result;
use crate::window::{Pending, Window};
use std::marker::PhantomData;
use std::sync::Arc;

/// A nonblocking operation under way. Local memory belongs to it until it is complete.
///
/// Dropping it waits; errors are then lost.
#[derive(Debug)]
#[must_use = "dropping a request waits for it"]
pub struct Request<'a> {
    window: Arc<Window>,
    pending: Pending,
    memory: PhantomData<&'a mut [u8]>,
}

impl Request<'_> {
    pub(crate) fn new(window: &Arc<Window>, pending: Pending) -> Self {
        Self { window: window.clone(), pending, memory: PhantomData }
    }

    /// Waits until what was read is there, or memory that was written from is free. Local.
    ///
    /// # Errors
    /// - [`Error::Comm`](crate::Error::Comm): the operation failed.
    pub fn wait(mut self) -> Result<()> {
        self.pending.complete(&self.window)
    }

    /// Whether [`wait`](Self::wait) returns at once. Within a node it always does; between nodes MPI cannot tell, and it
    /// does so only for operations without elements.
    pub fn is_complete(&self) -> bool {
        self.pending.is_complete()
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.pending.complete(&self.window) {
            tracing::error!(%error, "a request that nobody waited for failed");
        }
    }
}
