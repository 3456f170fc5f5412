//! Pieces of memory that one access to a file moves, one after the other.

use super::alloc::PAGE_BYTES;
use std::cell::UnsafeCell;

/// A piece of memory that other processes may use, too: the system reads and writes it, nothing here borrows it.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct MemoryPiece(libc::iovec);

// SAFETY: an address and a length; the creator vouches for the memory, from whatever thread.
unsafe impl Send for MemoryPiece {}
// SAFETY: as above.
unsafe impl Sync for MemoryPiece {}

impl MemoryPiece {
    /// `len_bytes` bytes at `pointer`.
    ///
    /// # Safety
    /// As long as the value is in use, the memory must be there to be read and written, from any thread, and no Rust reference to
    /// it may be in use. Who else reads or writes it at the same time gets, or leaves, a mixture.
    pub unsafe fn new(pointer: *mut u8, len_bytes: usize) -> Self {
        Self(libc::iovec { iov_base: pointer.cast(), iov_len: len_bytes })
    }

    /// Its length in bytes.
    pub fn len(self) -> usize {
        self.0.iov_len
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Where it begins.
    pub(crate) fn address(self) -> *mut u8 {
        self.0.iov_base.cast()
    }

    /// The piece up to `len_bytes`, and the rest.
    ///
    /// # Panics
    /// If it is shorter.
    #[must_use]
    pub fn split_at(self, len_bytes: usize) -> (Self, Self) {
        assert!(len_bytes <= self.len(), "a piece of {} bytes has no {len_bytes}", self.len());
        let first = libc::iovec { iov_base: self.0.iov_base, iov_len: len_bytes };
        let rest = libc::iovec {
            iov_base: self.0.iov_base.wrapping_byte_add(len_bytes),
            iov_len: self.0.iov_len - len_bytes,
        };
        (Self(first), Self(rest))
    }

    /// Copies its bytes to `into`, which is as long.
    pub(crate) fn copy_to(self, into: &mut [u8]) {
        assert_eq!(into.len(), self.len(), "memory for all of a piece");
        // SAFETY: as long as the piece is in use its creator keeps the memory there, and nobody borrows it.
        unsafe { std::ptr::copy(self.0.iov_base.cast(), into.as_mut_ptr(), self.len()) }
    }

    /// Fills it with `from`, which is as long.
    pub(crate) fn copy_from(self, from: &[u8]) {
        assert_eq!(from.len(), self.len(), "bytes for all of a piece");
        // SAFETY: as for `copy_to`.
        unsafe { std::ptr::copy(from.as_ptr(), self.0.iov_base.cast(), self.len()) }
    }

    /// Lets this process see every page of it. Memory that another process has filled is otherwise mapped in the middle of a write,
    /// with the file locked, and what had been copied of that page of the file is cleared and copied once more.
    pub(crate) fn map_pages(self) {
        let start: *const u8 = self.0.iov_base.cast();
        let mut at = 0;
        while at < self.len() {
            // SAFETY: in the piece, which its creator keeps readable; a byte is read whole, whoever writes it meanwhile.
            unsafe { start.wrapping_add(at).read_volatile() };
            at += PAGE_BYTES - (start as usize + at) % PAGE_BYTES;
        }
    }

    pub(crate) fn as_vector(pieces: &[Self]) -> *const libc::iovec {
        pieces.as_ptr().cast()
    }

    /// The bytes of all of them.
    pub(crate) fn sum_bytes(pieces: &[Self]) -> usize {
        pieces.iter().map(|piece| piece.len()).sum()
    }

    /// The first `bytes`, or all if there are no more.
    pub(crate) fn first(pieces: &[Self], mut bytes: usize) -> Vec<Self> {
        let mut first = vec![];
        for piece in pieces {
            if bytes == 0 {
                break;
            }
            let len = bytes.min(piece.len());
            first.push(piece.split_at(len).0);
            bytes -= len;
        }
        first
    }

    /// Without the first `bytes`.
    pub(crate) fn without(mut pieces: &[Self], mut bytes: usize) -> Vec<Self> {
        while let Some((first, rest)) = pieces.split_first() {
            if bytes < first.len() {
                let mut left = vec![first.split_at(bytes).1];
                left.extend_from_slice(rest);
                return left;
            }
            (bytes, pieces) = (bytes - first.len(), rest);
        }
        vec![]
    }
}

/// What is between pieces goes from or to one of these.
const FILLER_BYTES: usize = 16 << 10;

static ZEROS: [u8; FILLER_BYTES] = [0; FILLER_BYTES];

/// Memory for what nobody wants.
struct Ignored(UnsafeCell<[u8; FILLER_BYTES]>);

// SAFETY: the system writes it, and nobody ever reads it.
unsafe impl Sync for Ignored {}

static IGNORED: Ignored = Ignored(UnsafeCell::new([0; FILLER_BYTES]));

/// Pieces of memory and what is between them in a file, for one access: see [`File::copy_out`](crate::File::copy_out) and
/// [`File::copy_in`](crate::File::copy_in).
#[derive(Clone, Debug)]
pub struct Gather {
    pieces: Vec<MemoryPiece>,
    filler: MemoryPiece,
    len_bytes: usize,
}

impl Gather {
    /// The system takes so many pieces in one access.
    pub const PIECES_MAX: usize = 1024;

    /// For reading: what is passed over is read and forgotten.
    pub fn for_reading() -> Self {
        // SAFETY: static memory that nobody borrows.
        Self::with(unsafe { MemoryPiece::new(IGNORED.0.get().cast(), FILLER_BYTES) })
    }

    /// For writing: what is passed over becomes zero.
    pub fn for_writing() -> Self {
        // SAFETY: static memory, of which a write only reads: no method gives the piece away.
        Self::with(unsafe { MemoryPiece::new(ZEROS.as_ptr().cast_mut(), FILLER_BYTES) })
    }

    fn with(filler: MemoryPiece) -> Self {
        Self { pieces: vec![], filler, len_bytes: 0 }
    }

    /// Adds a piece.
    pub fn push(&mut self, piece: MemoryPiece) {
        if !piece.is_empty() {
            self.pieces.push(piece);
            self.len_bytes += piece.len();
        }
    }

    /// Passes over so many bytes of the file.
    pub fn pass_over(&mut self, mut bytes: usize) {
        while bytes > 0 {
            let len = bytes.min(FILLER_BYTES);
            self.push(self.filler.split_at(len).0);
            bytes -= len;
        }
    }

    /// The bytes of the file.
    pub fn len_bytes(&self) -> usize {
        self.len_bytes
    }

    /// Whether the system takes it in one access.
    pub fn is_one_access(&self) -> bool {
        self.pieces.len() <= Self::PIECES_MAX
    }

    pub(crate) fn pieces(&self) -> &[MemoryPiece] {
        &self.pieces
    }
}

#[cfg(test)]
mod tests {
    use super::{Gather, MemoryPiece};
    use crate::policy::cache::asks_cache_first;
    use crate::sys::alloc::PAGE_BYTES;
    use crate::{CachePolicy, File, Mode, OpenOptions, Sharing};
    use std::os::unix::fs::FileExt;
    use std::ptr;

    fn piece(memory: &mut [u8]) -> MemoryPiece {
        // SAFETY: the tests keep the memory, and borrow it only when no call is under way.
        unsafe { MemoryPiece::new(memory.as_mut_ptr(), memory.len()) }
    }

    #[test]
    fn pieces_are_written_one_after_the_other_with_zeros_between_and_read_back_without_them() {
        let directory = tempfile::tempdir().expect("a directory for temporary files");
        let shared =
            OpenOptions { sharing: Sharing::Shared, is_pipelined: true, ..OpenOptions::new(Mode::ReadWrite) };
        let file = File::open(directory.path().join("brick"), &shared).expect("a new file");
        file.write_at(0, &vec![9; 30_000]).expect("room on the disk");
        let (mut first, mut second) = (vec![1; 5000], vec![2; 6000]);
        let mut from = Gather::for_writing();
        from.push(piece(&mut first));
        from.pass_over(100);
        from.push(piece(&mut second));
        assert!(file.copy_in(10, &from).expect("room on the disk"));
        let expected =
            [vec![9; 10], first.clone(), vec![0; 100], second.clone(), vec![9; 30_000 - 11_110]].concat();
        let mut found = vec![0; 30_000];
        assert_eq!((file.read_at(0, &mut found).expect("readable"), &found), (30_000, &expected));
        let (mut head, mut tail) = (vec![0; 5000], vec![0; 6000]);
        let mut into = Gather::for_reading();
        into.push(piece(&mut head));
        into.pass_over(100);
        into.push(piece(&mut tail));
        // As if much had been found in the page cache before.
        file.handle().residency.note_hit(1 << 30);
        let can_tell = asks_cache_first(CachePolicy::Auto, file.properties());
        assert_eq!(file.copy_out(10, &into, false), can_tell, "what was just written is in the page cache");
        if can_tell {
            assert_eq!((head, tail), (first, second));
        }
        let mut beyond = Gather::for_reading();
        beyond.pass_over(40_000);
        assert!(!file.copy_out(0, &beyond, false), "a file of 30,000 bytes does not have 40,000");
    }

    #[test]
    fn every_page_of_a_piece_is_mapped_whatever_part_of_it_is_in_the_piece() {
        const PAGES: usize = 40;
        let (protection, flags) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, which is read and nothing else.
        let start = unsafe { libc::mmap(ptr::null_mut(), PAGES * PAGE_BYTES, protection, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED, "{}", std::io::Error::last_os_error());
        // Or one access would map them all.
        // SAFETY: the mapping just made. A kernel without huge pages refuses, and has none.
        unsafe { libc::madvise(start, PAGES * PAGE_BYTES, libc::MADV_NOHUGEPAGE) };
        let mapped = || -> Vec<usize> {
            let mut entries = vec![0; PAGES * 8];
            let pages = std::fs::File::open("/proc/self/pagemap").expect("what is mapped");
            pages.read_exact_at(&mut entries, (start as usize / PAGE_BYTES * 8) as u64).expect("all pages");
            let is_present = |page: &usize| entries[page * 8 + 7] & 0x80 != 0;
            (0..PAGES).filter(is_present).collect()
        };
        assert_eq!(mapped(), []);
        // SAFETY: in the mapping, which lasts.
        unsafe { MemoryPiece::new(start.cast::<u8>().add(PAGE_BYTES * 20 - 1), 2 * PAGE_BYTES + 2) }
            .map_pages();
        assert_eq!(mapped(), [19, 20, 21, 22]);
        // SAFETY: as above; nobody uses it any more.
        assert_eq!(unsafe { libc::munmap(start, PAGES * PAGE_BYTES) }, 0);
    }

    fn lens(pieces: &[MemoryPiece]) -> Vec<usize> {
        pieces.iter().map(|piece| piece.len()).collect()
    }

    #[test]
    fn what_is_passed_over_is_as_long_as_asked_and_what_is_empty_is_no_piece() {
        let mut gather = Gather::for_writing();
        gather.pass_over(40_000);
        gather.pass_over(0);
        assert_eq!((gather.len_bytes(), lens(gather.pieces())), (40_000, vec![16_384, 16_384, 7_232]));
        assert!(gather.is_one_access());
    }

    #[test]
    fn what_a_short_transfer_leaves_begins_in_the_middle_of_a_piece() {
        let mut gather = Gather::for_reading();
        for bytes in [10, 20, 30] {
            gather.pass_over(bytes);
        }
        assert_eq!(lens(&MemoryPiece::without(gather.pieces(), 15)), [15, 30]);
        assert_eq!(lens(&MemoryPiece::without(gather.pieces(), 30)), [30]);
        assert!(MemoryPiece::without(gather.pieces(), 60).is_empty());
    }

    #[test]
    fn what_a_short_transfer_moves_ends_in_the_middle_of_a_piece() {
        let mut gather = Gather::for_reading();
        for bytes in [10, 20, 30] {
            gather.pass_over(bytes);
        }
        assert_eq!(lens(&MemoryPiece::first(gather.pieces(), 15)), [10, 5]);
        assert_eq!(lens(&MemoryPiece::first(gather.pieces(), 30)), [10, 20]);
        assert_eq!(lens(&MemoryPiece::first(gather.pieces(), 70)), [10, 20, 30]);
        assert!(MemoryPiece::first(gather.pieces(), 0).is_empty());
    }

    #[test]
    fn a_file_is_read_to_a_piece_and_what_is_beside_it_stays() {
        let directory = tempfile::tempdir().unwrap();
        let file = File::open(directory.path().join("file"), &OpenOptions::new(Mode::ReadWrite)).unwrap();
        let bytes: Vec<u8> = (0..3 * PAGE_BYTES).map(|at| u8::try_from(at % 251).unwrap()).collect();
        file.write_at(0, &bytes).unwrap();
        file.sync().unwrap();
        for (at, expected_bytes) in
            [(0, 2 * PAGE_BYTES), (1000, 2 * PAGE_BYTES), (2 * PAGE_BYTES, PAGE_BYTES)]
        {
            let mut memory = vec![255; 2 * PAGE_BYTES + 2];
            let middle = piece(&mut memory[1..=2 * PAGE_BYTES]);
            let request = file.submit_read_to(at as u64, middle).unwrap();
            assert_eq!(request.finish().unwrap().0, expected_bytes, "at {at}");
            let (read, rest) = memory[1..].split_at(expected_bytes);
            assert!(memory[0] == 255 && *read == bytes[at..at + expected_bytes], "at {at}");
            assert!(rest.iter().all(|&byte| byte == 255), "at {at}");
        }
        let nothing = piece(&mut []);
        assert_eq!(file.submit_read_to(0, nothing).unwrap().finish().unwrap().0, 0);
        assert!(file.submit_read_to(u64::MAX, piece(&mut [0; 2])).is_err());
    }
}
