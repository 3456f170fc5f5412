//! Page-aligned memory for transfers around the page cache.

use crate::sys::alloc::{PAGE_BYTES, PageBlock};
use std::io;
use std::ops::{Deref, DerefMut, Range};

/// Memory that begins on a page, so that the device reads and writes it without a copy. A request owns all of it and moves
/// the [part](Self::select) that was selected. Dereferences to all of it.
#[derive(Debug)]
pub struct PageBuffer {
    block: PageBlock,
    selected: Range<usize>,
}

impl PageBuffer {
    /// `count` buffers of at least `len_bytes`, all of them zero and selected. They cost memory only once they are touched,
    /// which goes back to the system when the last of them is dropped. Not part of the memory that `CHEMIO_BUFFER_MB` bounds.
    ///
    /// # Errors
    /// The system has no memory.
    pub fn several(len_bytes: usize, count: usize) -> io::Result<Vec<Self>> {
        let len_bytes = len_bytes.max(1).checked_next_multiple_of(PAGE_BYTES);
        let len_bytes = len_bytes.ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let blocks = PageBlock::row(len_bytes, count)?;
        Ok(blocks.into_iter().map(|block| Self { selected: 0..block.len(), block }).collect())
    }

    /// Selects what requests move.
    ///
    /// # Panics
    /// If the range is reversed or ends beyond the buffer.
    pub fn select(&mut self, part: Range<usize>) {
        assert!(part.start <= part.end && part.end <= self.block.len(), "{part:?} of {}", self.block.len());
        self.selected = part;
    }

    pub(crate) fn selected(&self) -> &[u8] {
        &self.block[self.selected.clone()]
    }

    pub(crate) fn selected_mut(&mut self) -> &mut [u8] {
        &mut self.block[self.selected.clone()]
    }
}

impl Deref for PageBuffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.block
    }
}

impl DerefMut for PageBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_on_pages_apart_from_each_other_and_zero() {
        let mut buffers = PageBuffer::several(5000, 3).unwrap();
        for (mark, buffer) in (1..).zip(&mut buffers) {
            assert_eq!((buffer.len(), buffer.as_ptr() as usize % PAGE_BYTES), (8192, 0));
            assert!(buffer.iter().all(|&byte| byte == 0));
            buffer.fill(mark);
        }
        for (mark, buffer) in (1..).zip(&buffers) {
            assert!(buffer.iter().all(|&byte| byte == mark));
        }
        drop(buffers.remove(0));
        assert_eq!(buffers[1][8191], 3, "the others stay");
    }

    #[test]
    fn more_than_memory_can_be_is_an_error() {
        assert!(PageBuffer::several(usize::MAX, 1).is_err());
        assert!(PageBuffer::several(1 << 40, 1 << 30).is_err());
    }

    #[test]
    #[should_panic(expected = "4000..8193 of 8192")]
    fn nothing_beyond_a_buffer_is_selected() {
        PageBuffer::several(8192, 1).unwrap()[0].select(4000..8193);
    }
}
