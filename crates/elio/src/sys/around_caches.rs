//! Copying to memory that nobody looks at soon. An ordinary store reads the line that it changes and leaves it in the
//! processor's caches, in the place of something else. Where far more is copied than they hold, both are for nothing, and
//! stores that go around them take a third of the time.

use super::gather::MemoryPiece;

/// Shorter copies lie in few whole lines: they are made by ordinary stores.
const COPY_BYTES_MIN: usize = 256;

/// Copies that go around the processor's caches. Others see them, in order with what this thread stores later, when the value is
/// dropped.
#[derive(Debug)]
pub struct AroundCaches(());

impl AroundCaches {
    /// Begins with such copies.
    #[expect(clippy::new_without_default, reason = "it is dropped for what it does then")]
    pub fn new() -> Self {
        Self(())
    }

    /// Fills `to` with `from`, which is as long.
    ///
    /// # Panics
    /// If it is not.
    pub fn copy(&self, from: &[u8], to: MemoryPiece) {
        assert_eq!(from.len(), to.len(), "bytes for all of a piece");
        if from.len() < COPY_BYTES_MIN {
            to.copy_from(from);
            return;
        }
        let to_line = to.address().align_offset(lines::LINE_BYTES).min(to.len());
        let (head, to) = to.split_at(to_line);
        let (from_head, from) = from.split_at(head.len());
        let (body, tail) = to.split_at(to.len() / lines::LINE_BYTES * lines::LINE_BYTES);
        let (from_body, from_tail) = from.split_at(body.len());
        head.copy_from(from_head);
        lines::copy(from_body, body);
        tail.copy_from(from_tail);
    }
}

impl Drop for AroundCaches {
    fn drop(&mut self) {
        lines::complete();
    }
}

#[cfg(target_arch = "x86_64")]
mod lines {
    use super::MemoryPiece;
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};

    pub(super) const LINE_BYTES: usize = 64;

    /// `to` is whole lines, and as long as `from`.
    #[expect(clippy::cast_ptr_alignment, reason = "lines are aligned to more")]
    pub(super) fn copy(from: &[u8], to: MemoryPiece) {
        let to = to.address();
        for (number, line) in from.chunks_exact(LINE_BYTES).enumerate() {
            let (from, to) = (line.as_ptr(), to.wrapping_add(number * LINE_BYTES));
            // SAFETY: the line lies in `from` and in the piece, whose creator keeps it; there it is aligned. Nobody reads it before
            // `complete`, which drop calls. The instructions belong to every processor of this architecture.
            unsafe {
                let load = |at: usize| _mm_loadu_si128(from.add(at).cast());
                let parts = [load(0), load(16), load(32), load(48)];
                for (number, part) in parts.into_iter().enumerate() {
                    _mm_stream_si128(to.cast::<__m128i>().add(number), part);
                }
            }
        }
    }

    pub(super) fn complete() {
        // SAFETY: orders stores, and nothing else.
        unsafe { _mm_sfence() }
    }
}

/// Where there are no such stores, or they are not known here.
#[cfg(not(target_arch = "x86_64"))]
mod lines {
    use super::MemoryPiece;

    pub(super) const LINE_BYTES: usize = 1;

    pub(super) fn copy(from: &[u8], to: MemoryPiece) {
        to.copy_from(from);
    }

    pub(super) fn complete() {}
}

#[cfg(test)]
mod tests {
    use super::{AroundCaches, MemoryPiece};

    #[test]
    fn every_byte_comes_to_its_place_and_none_beside_wherever_lines_begin() {
        let from: Vec<u8> = (0..2000_u32).map(|i| (i * 7 % 251) as u8).collect();
        for start in [0, 1, 8, 63, 64, 100] {
            for len in [0, 1, 255, 256, 257, 319, 320, 1000, 1800] {
                let mut memory = vec![255_u8; 2000];
                // SAFETY: in the vector, which is not borrowed until the copies are complete.
                let piece = unsafe { MemoryPiece::new(memory.as_mut_ptr().add(start), len) };
                AroundCaches::new().copy(&from[start..start + len], piece);
                let beside = |range: std::ops::Range<usize>| memory[range].iter().all(|&byte| byte == 255);
                assert_eq!(memory[start..start + len], from[start..start + len], "{len} bytes at {start}");
                assert!(beside(0..start) && beside(start + len..2000), "{len} bytes at {start}");
            }
        }
    }
}
