//! Memory that a transfer may touch while nobody holds a reference to it.

use crate::buffer::PoolBuffer;

/// Memory of a transfer in flight: a buffer of the pool, or memory of the caller that a request guards.
#[derive(Debug)]
pub(crate) struct Region {
    pointer: *mut u8,
    len_bytes: usize,
    /// Keeps pool memory alive; `None` for memory of the caller.
    _owner: Option<PoolBuffer>,
}

// SAFETY: a region is plain memory. Who may touch it when is settled by the state of the transfer that owns it: the
// engine while it runs, the waiter once it is done.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// The first `len_bytes` of a pool buffer.
    pub(crate) fn of_pool(mut buffer: PoolBuffer, len_bytes: usize) -> Self {
        assert!(len_bytes <= buffer.len(), "a region lies inside its buffer");
        Self { pointer: buffer.as_mut_ptr(), len_bytes, _owner: Some(buffer) }
    }

    /// Memory of the caller.
    ///
    /// # Safety
    /// The memory must stay valid, and be touched by nobody else (for a read) or written by nobody (for a write),
    /// until the transfer that gets this region is done.
    pub(crate) unsafe fn of_caller(pointer: *mut u8, len_bytes: usize) -> Self {
        Self { pointer, len_bytes, _owner: None }
    }

    pub(crate) fn pointer(&self) -> *mut u8 {
        self.pointer
    }

    pub(crate) fn len(&self) -> usize {
        self.len_bytes
    }

    /// The bytes, to be read. Only for the transfer's engine, or once the transfer is done.
    ///
    /// # Safety
    /// No engine may be writing the region.
    pub(crate) unsafe fn bytes(&self) -> &[u8] {
        if self.len_bytes == 0 {
            return &[];
        }
        // SAFETY: valid by construction; not being written, by the caller's promise.
        unsafe { std::slice::from_raw_parts(self.pointer, self.len_bytes) }
    }

    /// The bytes, to be written by the engine that runs the transfer.
    ///
    /// # Safety
    /// The caller is the only one that touches the region.
    #[allow(clippy::mut_from_ref)] // exclusivity comes from the transfer's state, not from a borrow
    pub(crate) unsafe fn bytes_mut(&self) -> &mut [u8] {
        if self.len_bytes == 0 {
            return &mut [];
        }
        // SAFETY: valid by construction; exclusive by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.len_bytes) }
    }
}
