//! Memory in the address space of this process, in huge pages where the system has them.
//!
//! Most systems give private memory in huge pages to who asks for them, and memory that can be shared in pages of 4 KiB, unless the
//! administrator has said otherwise. To touch those for the first time takes nine times as long, and a direct transfer has a
//! segment for each. But from Linux 6.1 on a process may have what is there collapsed into huge pages (`MADV_COLLAPSE`). That needs
//! a page in each to begin with: where nothing was ever touched it is refused.

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr::{self, NonNull};

/// Of memory that is not hugetlbfs's.
pub const HUGE_PAGE_BYTES: usize = 2 << 20;

/// A mapping that begins where a huge page can, if one fits in. Given back when dropped.
#[derive(Debug)]
pub struct Mapping {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a mapping is the same in every thread. What is in it is reached through raw pointers only, by those who have
// agreed with the other ranks on who writes what when.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// A file in memory, from its beginning. It has memory where it was touched.
    ///
    /// # Errors
    /// There are no addresses left.
    pub fn shared(file: &File, bytes: usize) -> io::Result<Self> {
        Self::new(bytes, libc::MAP_SHARED, file.as_raw_fd())
    }

    /// Memory of this process alone, zero.
    ///
    /// # Errors
    /// There are no addresses left.
    pub fn private(bytes: usize) -> io::Result<Self> {
        Self::new(bytes, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)
    }

    fn new(bytes: usize, flags: libc::c_int, descriptor: libc::c_int) -> io::Result<Self> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        if bytes < HUGE_PAGE_BYTES {
            // SAFETY: a new mapping at an address of the kernel's choice.
            return unsafe { Self::map(ptr::null_mut(), bytes, access, flags, descriptor) };
        }
        let more_bytes = bytes.checked_add(HUGE_PAGE_BYTES).ok_or(io::ErrorKind::OutOfMemory)?;
        let (nothing, private) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: as above.
        let reserved = unsafe { Self::map(ptr::null_mut(), more_bytes, nothing, private, -1)? };
        let begin = reserved.base.align_offset(HUGE_PAGE_BYTES);
        // SAFETY: less than a huge page further, of which there is one more than is asked for. Nothing is in what was just reserved.
        unsafe {
            let address = reserved.base.add(begin).as_ptr();
            let mapped = Self::map(address, bytes, access, flags | libc::MAP_FIXED, descriptor)?;
            // Huge pages where the system gives them, and no harm where it does not.
            libc::madvise(mapped.base.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE);
            reserved.give_back_around(&mapped);
            Ok(mapped)
        }
    }

    /// # Safety
    /// With `MAP_FIXED` nothing else may be in use at these addresses.
    unsafe fn map(
        address: *mut u8,
        bytes: usize,
        access: libc::c_int,
        flags: libc::c_int,
        descriptor: libc::c_int,
    ) -> io::Result<Self> {
        // SAFETY: the caller's promise.
        let base =
            unsafe { libc::mmap(address.cast(), bytes, access, flags | libc::MAP_NORESERVE, descriptor, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { base, bytes })
    }

    /// Gives back what lies before and after a mapping that was put into this one: a process may have 65,530 areas of addresses, and
    /// each rest would be one more.
    fn give_back_around(self, inner: &Self) {
        // SAFETY: asks for a constant of the system.
        let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page_bytes = usize::try_from(page_bytes).expect("pages have a size");
        let whole = ManuallyDrop::new(self);
        let (begin, end) = (whole.base.addr().get(), whole.base.addr().get() + whole.bytes);
        let inner_begin = inner.base.addr().get();
        let inner_end = (inner_begin + inner.bytes).next_multiple_of(page_bytes);
        for rest in [begin..inner_begin, inner_end..end] {
            if !rest.is_empty() {
                // SAFETY: within what was reserved, where nothing else was put.
                unsafe {
                    let first = whole.base.as_ptr().add(rest.start - begin);
                    libc::munmap(first.cast(), rest.len());
                }
            }
        }
    }

    /// Its length.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where it begins.
    pub fn base(&self) -> NonNull<u8> {
        self.base
    }

    /// A process made by this one from now on does not have it. There it must not be dropped: something else may be at these addresses.
    ///
    /// # Errors
    /// There are no memory areas left.
    pub fn keep_from_children(&self) -> io::Result<()> {
        // SAFETY: the mapping; nothing changes for this process.
        let code = unsafe { libc::madvise(self.base.as_ptr().cast(), self.bytes, libc::MADV_DONTFORK) };
        if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Puts the huge pages that begin in this range, and end in the mapping, into memory, with what is in them. Nothing else is
    /// changed if there are none to be had.
    ///
    /// # Errors
    /// The kernel is older than 6.1, forbids huge pages, or has no more of them.
    pub fn collapse(&self, range: Range<usize>) -> io::Result<()> {
        let Range { start: begin, end } = huge_pages_of(range, self.bytes);
        for at in (begin..end).step_by(HUGE_PAGE_BYTES) {
            // SAFETY: within the mapping; reading brings a page into being and changes nothing.
            unsafe { self.base.as_ptr().add(at).read_volatile() };
        }
        if begin < end {
            // SAFETY: whole pages within the mapping, whose contents stay.
            let code = unsafe {
                let first = self.base.as_ptr().add(begin);
                libc::madvise(first.cast(), end - begin, libc::MADV_COLLAPSE)
            };
            if code != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    }

    /// Has the pages of this range, which begins where a page does, put into memory, as writing to each would.
    ///
    /// # Errors
    /// The kernel is older than 5.14, or has no memory.
    ///
    /// # Panics
    /// The range goes beyond the mapping.
    pub fn populate(&self, range: Range<usize>) -> io::Result<()> {
        assert!(range.end <= self.bytes, "{range:?} of {}", self.bytes);
        // SAFETY: within the mapping, whose contents stay.
        let code = unsafe {
            let first = self.base.as_ptr().add(range.start);
            libc::madvise(first.cast(), range.len(), libc::MADV_POPULATE_WRITE)
        };
        if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: whoever had pointers into the mapping borrowed or owned it. Other ranks have mappings of their own.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}

/// The huge pages that begin in a range and end in a mapping of so many bytes: of ranges one after the other, all of them once.
fn huge_pages_of(range: Range<usize>, bytes: usize) -> Range<usize> {
    let all = bytes / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    range.start.next_multiple_of(HUGE_PAGE_BYTES).min(all)
        ..range.end.next_multiple_of(HUGE_PAGE_BYTES).min(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::fd::FromRawFd;

    const BYTES: usize = 4 * HUGE_PAGE_BYTES + 5000;

    fn file_in_memory() -> File {
        // SAFETY: the name ends with a NUL; the descriptor is new and belongs to nobody else.
        let file = unsafe { File::from_raw_fd(libc::memfd_create(c"test".as_ptr(), libc::MFD_CLOEXEC)) };
        file.set_len(BYTES as u64).unwrap();
        file
    }

    /// What the system tells of a mapping, in bytes.
    fn told_bytes(mapping: &Mapping, of: &str) -> usize {
        let maps = fs::read_to_string("/proc/self/smaps").unwrap();
        let begins = format!("{:x}-", mapping.base().as_ptr() as usize);
        let mut lines = maps.lines().skip_while(|line| !line.starts_with(&begins));
        let kib = lines.find_map(|line| line.strip_prefix(of)).unwrap();
        kib.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() << 10
    }

    /// How much of a mapping is in huge pages of shared memory here.
    fn huge_bytes(mapping: &Mapping) -> usize {
        told_bytes(mapping, "ShmemPmdMapped:")
    }

    #[test]
    fn memory_is_there_once_it_was_populated_with_what_is_in_it() {
        let mapping = Mapping::private(BYTES).unwrap();
        let range = HUGE_PAGE_BYTES..BYTES;
        // SAFETY: within the mapping.
        let at = |byte: usize| unsafe { mapping.base().as_ptr().add(byte) };
        // SAFETY: as above.
        unsafe { at(2 * HUGE_PAGE_BYTES + 5).write(7) };
        match mapping.populate(range.clone()) {
            Ok(()) => assert!(told_bytes(&mapping, "Rss:") >= range.len()),
            Err(error) => assert_eq!(error.raw_os_error(), Some(libc::EINVAL), "a kernel before 5.14"),
        }
        // SAFETY: as above.
        let read =
            [0, HUGE_PAGE_BYTES, 2 * HUGE_PAGE_BYTES + 5, BYTES - 1].map(|byte| unsafe { at(byte).read() });
        assert_eq!(read, [0, 0, 7, 0]);
    }

    #[test]
    fn memory_that_ranks_share_is_in_huge_pages_if_the_kernel_says_so_and_keeps_what_is_in_it() {
        let file = file_in_memory();
        let (mapping, other) =
            (Mapping::shared(&file, BYTES).unwrap(), Mapping::shared(&file, BYTES).unwrap());
        let all = |mapping: &Mapping| {
            // SAFETY: as long as the mapping, and nobody writes meanwhile.
            unsafe { std::slice::from_raw_parts(mapping.base().as_ptr(), BYTES) }.to_vec()
        };
        let mut expected = vec![0; BYTES];
        for at in [0, 4096, 3 * HUGE_PAGE_BYTES - 1, BYTES - 1] {
            expected[at] = 7;
            // SAFETY: within the mapping.
            unsafe { other.base().as_ptr().add(at).write(7) };
        }
        // The second half first, and the first half from another rank.
        let collapsed = [
            (&mapping, mapping.collapse(HUGE_PAGE_BYTES + 1..BYTES)),
            (&other, other.collapse(0..HUGE_PAGE_BYTES + 1)),
        ];
        for ((mapping, outcome), bytes) in collapsed.iter().zip([2, 2].map(|pages| pages * HUGE_PAGE_BYTES)) {
            assert!(outcome.is_err() || huge_bytes(mapping) == bytes, "{outcome:?} {}", huge_bytes(mapping));
        }
        assert!(all(&mapping) == expected && all(&other) == expected);
    }

    #[test]
    fn each_huge_page_is_of_one_part() {
        let bytes = 5 * HUGE_PAGE_BYTES + 4096;
        let starts = [0, 4096, 3 << 20, 4 << 20, 4 << 20, 9 << 20, bytes];
        let mut next = 0;
        for part in starts.windows(2).map(|ends| ends[0]..ends[1]) {
            let pages = huge_pages_of(part.clone(), bytes);
            assert!(pages.start == next && pages.end >= next, "{part:?}: {pages:?}");
            next = pages.end;
        }
        assert_eq!(next, 5 * HUGE_PAGE_BYTES);
        assert!(huge_pages_of(0..4096, 4096).is_empty());
    }

    #[test]
    fn what_cannot_be_mapped_is_an_error() {
        assert!(Mapping::private(usize::MAX).is_err());
        assert!(Mapping::private(usize::MAX - HUGE_PAGE_BYTES).is_err());
    }

    #[test]
    fn a_mapping_in_which_a_huge_page_fits_begins_where_one_can() {
        for bytes in [HUGE_PAGE_BYTES, BYTES] {
            let mapping = Mapping::private(bytes).unwrap();
            assert_eq!(mapping.base().align_offset(HUGE_PAGE_BYTES), 0);
        }
        Mapping::private(1).unwrap().collapse(0..1).unwrap();
    }

    #[test]
    fn tens_of_thousands_fit_into_the_areas_that_a_process_may_have() {
        let file = file_in_memory();
        for bytes in [4096, HUGE_PAGE_BYTES + 4096] {
            let mappings: io::Result<Vec<_>> = (0..30_000).map(|_| Mapping::shared(&file, bytes)).collect();
            assert_eq!(mappings.unwrap().len(), 30_000);
        }
    }
}
