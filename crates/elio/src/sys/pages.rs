//! Which pages memory is in.

use crate::sys::fork::OfProcess;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::OnceLock;

/// `struct pm_scan_arg` of Linux 6.7; not in libc yet.
#[derive(Debug, Default)]
#[repr(C)]
struct Scan {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    vec: u64,
    vec_len: u64,
    max_pages: u64,
    category_inverted: u64,
    category_mask: u64,
    category_anyof_mask: u64,
    return_mask: u64,
}

/// `struct page_region`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct PageRegion {
    start: u64,
    end: u64,
    categories: u64,
}

/// `PAGEMAP_SCAN`: `_IOWR('f', 16, struct pm_scan_arg)`.
const PAGEMAP_SCAN: libc::Ioctl = 0xC060_6610;
const PAGE_IS_HUGE: u64 = 1 << 6;

/// Whether all of some memory of this process is in huge pages, if the kernel tells. Takes a microsecond for a mebibyte.
pub(crate) fn are_huge(address: usize, len_bytes: usize) -> Option<bool> {
    // The memory that it tells of is that of the process which opened it.
    static PAGEMAP: OfProcess<OnceLock<Option<File>>> = OfProcess::empty();
    let pagemap = PAGEMAP.get_or_init(|| File::open("/proc/self/pagemap").ok()).as_ref()?;
    let mut found = PageRegion::default();
    let (start, end) = (address as u64 & !0xFFF, (address + len_bytes).next_multiple_of(0x1000) as u64);
    let mut scan = Scan {
        size: size_of::<Scan>() as u64,
        start,
        end,
        vec: (&raw mut found).addr() as u64,
        vec_len: 1,
        category_mask: PAGE_IS_HUGE,
        return_mask: PAGE_IS_HUGE,
        ..Scan::default()
    };
    // SAFETY: the kernel reads the structure and writes to it and to the one region that it may fill, both of which stay until it
    // returns; it looks at page tables, not at the memory.
    let regions = unsafe { libc::ioctl(pagemap.as_raw_fd(), PAGEMAP_SCAN, &raw mut scan) };
    (regions >= 0).then_some(regions == 1 && found.start <= start && found.end >= end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::alloc::{HUGE_PAGE_BYTES, PageBlock};

    #[test]
    fn small_pages_are_not_huge_and_huge_ones_are_if_the_kernel_gives_and_tells_them() {
        let mut small = vec![1_u8; HUGE_PAGE_BYTES / 2];
        small.fill(2);
        let Some(are_small_huge) = are_huge(small.as_ptr().addr(), small.len()) else {
            return eprintln!("this kernel does not tell which pages memory is in");
        };
        let mut huge = PageBlock::new(HUGE_PAGE_BYTES).unwrap();
        huge.fill(3);
        let is = |from: usize, len| are_huge(huge.as_ptr().addr() + from, len);
        if node::gives_huge_pages() {
            assert_eq!(is(0, HUGE_PAGE_BYTES), Some(true));
            assert_eq!([is(1, 1), is(HUGE_PAGE_BYTES - 5000, 5000)], [Some(true); 2]);
        }
        println!("a vector of {} bytes in huge pages: {are_small_huge}", small.len());
        let untouched = PageBlock::new(HUGE_PAGE_BYTES).unwrap();
        assert_eq!(are_huge(untouched.as_ptr().addr(), HUGE_PAGE_BYTES), Some(false));
    }
}
