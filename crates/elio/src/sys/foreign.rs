//! Buffers that a request owns while it is under way.

use crate::page_buffer::PageBuffer;

/// A buffer that a write request can own.
///
/// # Safety
/// `as_bytes` must return the same memory for the life of the value, wherever the value is moved.
pub unsafe trait RequestBuffer: Send + 'static {
    /// The bytes.
    fn as_bytes(&self) -> &[u8];
}

/// A buffer that a read request can own.
///
/// # Safety
/// As [`RequestBuffer`], for `as_mut_bytes` too.
pub unsafe trait RequestBufferMut: RequestBuffer {
    /// The bytes.
    fn as_mut_bytes(&mut self) -> &mut [u8];
}

// SAFETY: a vector's heap block does not move with the vector, and a request never changes its length.
unsafe impl RequestBuffer for Vec<u8> {
    fn as_bytes(&self) -> &[u8] {
        self
    }
}

// SAFETY: as above.
unsafe impl RequestBufferMut for Vec<u8> {
    fn as_mut_bytes(&mut self) -> &mut [u8] {
        self
    }
}

// SAFETY: as for vectors.
unsafe impl RequestBuffer for Box<[u8]> {
    fn as_bytes(&self) -> &[u8] {
        self
    }
}

// SAFETY: as above.
unsafe impl RequestBufferMut for Box<[u8]> {
    fn as_mut_bytes(&mut self) -> &mut [u8] {
        self
    }
}

// SAFETY: the memory is outside the value, and a request never selects another part.
unsafe impl RequestBuffer for PageBuffer {
    fn as_bytes(&self) -> &[u8] {
        self.selected()
    }
}

// SAFETY: as above.
unsafe impl RequestBufferMut for PageBuffer {
    fn as_mut_bytes(&mut self) -> &mut [u8] {
        self.selected_mut()
    }
}

// SAFETY: static memory stays.
unsafe impl RequestBuffer for &'static [u8] {
    fn as_bytes(&self) -> &[u8] {
        self
    }
}

/// Memory of a foreign caller, as a C or Fortran program hands it over.
#[derive(Debug)]
pub struct ForeignBuffer {
    pointer: *mut u8,
    len_bytes: usize,
}

// SAFETY: the creator of a `ForeignBuffer` vouches that nobody else uses the memory meanwhile.
unsafe impl Send for ForeignBuffer {}

impl ForeignBuffer {
    /// Takes over `len_bytes` bytes at `pointer`, which may be null if that is zero.
    ///
    /// # Safety
    /// The memory must be valid for reads (and for writes, if used for a read request) until the request that owns
    /// this buffer has finished, and nobody may write it (or touch it, for a read request) until then.
    pub unsafe fn new(pointer: *mut u8, len_bytes: usize) -> Self {
        Self { pointer, len_bytes }
    }
}

// SAFETY: the memory is outside the value, so it stays where it is.
unsafe impl RequestBuffer for ForeignBuffer {
    fn as_bytes(&self) -> &[u8] {
        if self.len_bytes == 0 {
            return &[];
        }
        // SAFETY: promised by the caller of `new`.
        unsafe { std::slice::from_raw_parts(self.pointer, self.len_bytes) }
    }
}

// SAFETY: as above.
unsafe impl RequestBufferMut for ForeignBuffer {
    fn as_mut_bytes(&mut self) -> &mut [u8] {
        if self.len_bytes == 0 {
            return &mut [];
        }
        // SAFETY: promised by the caller of `new`.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.len_bytes) }
    }
}
