//! System calls that std does not wrap, each as a safe function.

use crate::sys::gather::MemoryPiece;
use std::ffi::CString;
use std::io;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What `statfs` tells.
pub(crate) struct Space {
    pub(crate) available_bytes: u64,
    pub(crate) total_bytes: u64,
    pub(crate) magic: u64,
}

/// Space and type of the file system that holds `path`.
pub(crate) fn file_system_space(path: &Path) -> io::Result<Space> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let mut answer = MaybeUninit::<libc::statfs>::uninit();
    // SAFETY: `path` is NUL-terminated and `answer` has room for the structure the call fills.
    check(unsafe { libc::statfs(path.as_ptr(), answer.as_mut_ptr()) })?;
    // SAFETY: the call succeeded, so it filled the structure.
    Ok(Space::of(&unsafe { answer.assume_init() }))
}

/// Space and type of the file system of an open file, whose name may be gone.
pub(crate) fn file_system_space_open(fd: BorrowedFd<'_>) -> io::Result<Space> {
    let mut answer = MaybeUninit::<libc::statfs>::uninit();
    // SAFETY: `answer` has room for the structure the call fills.
    check(unsafe { libc::fstatfs(fd.as_raw_fd(), answer.as_mut_ptr()) })?;
    // SAFETY: the call succeeded, so it filled the structure.
    Ok(Space::of(&unsafe { answer.assume_init() }))
}

impl Space {
    fn of(answer: &libc::statfs) -> Self {
        // Blocks are counted in fragments, as `statvfs` and `df` have it. `f_bsize` is how much is best transferred at once, on
        // network file systems up to megabytes. Who has no fragments leaves their size at zero.
        let unit_bytes = if answer.f_frsize > 0 { answer.f_frsize } else { answer.f_bsize }.unsigned_abs();
        Self {
            available_bytes: answer.f_bavail.saturating_mul(unit_bytes),
            total_bytes: answer.f_blocks.saturating_mul(unit_bytes),
            magic: answer.f_type.unsigned_abs(),
        }
    }
}

fn check(code: libc::c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn offset(offset_bytes: u64) -> io::Result<libc::off_t> {
    libc::off_t::try_from(offset_bytes).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

fn count(transferred: isize) -> io::Result<usize> {
    usize::try_from(transferred).map_err(|_| io::Error::last_os_error())
}

/// `preadv2` with one buffer: reads some of `into`, 0 at the end of the file.
pub(crate) fn read(
    fd: BorrowedFd<'_>,
    offset_bytes: u64,
    into: &mut [u8],
    flags: libc::c_int,
) -> io::Result<usize> {
    let at = offset(offset_bytes)?;
    let vector = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    // SAFETY: the vector describes `into`, which is exclusively ours for the call.
    count(unsafe {
        if flags == 0 {
            libc::pread(fd.as_raw_fd(), vector.iov_base, vector.iov_len, at)
        } else {
            preadv2(fd.as_raw_fd(), &raw const vector, at, flags)
        }
    })
}

/// As the C library's, which would let `pthread_cancel` end the thread here, and pays for that with two locked instructions:
/// felt where the call is only a copy of a few pages.
///
/// # Safety
/// `vector` describes memory that is exclusively the caller's.
#[cfg(target_pointer_width = "64")]
unsafe fn preadv2(fd: libc::c_int, vector: *const libc::iovec, at: libc::off_t, flags: libc::c_int) -> isize {
    const ONE: libc::c_ulong = 1;
    /// The offset comes in two words; one has room for all of it, and the kernel leaves the other out.
    const HIGH_WORD: libc::c_ulong = 0;
    #[allow(clippy::cast_possible_truncation)] // a `c_long` is a word
    // SAFETY: the arguments of this system call, whose memory the caller vouches for; it returns -1 with `errno` or a count.
    unsafe {
        libc::syscall(libc::SYS_preadv2, fd, vector, ONE, at, HIGH_WORD, flags) as isize
    }
}

/// As above, where an offset is longer than a word.
///
/// # Safety
/// As above.
#[cfg(not(target_pointer_width = "64"))]
unsafe fn preadv2(fd: libc::c_int, vector: *const libc::iovec, at: libc::off_t, flags: libc::c_int) -> isize {
    // SAFETY: the caller vouches for the memory.
    unsafe { libc::preadv2(fd, vector, 1, at, flags) }
}

/// `pwritev2` with one buffer: writes some of `from`.
pub(crate) fn write(
    fd: BorrowedFd<'_>,
    offset_bytes: u64,
    from: &[u8],
    flags: libc::c_int,
) -> io::Result<usize> {
    let at = offset(offset_bytes)?;
    let vector = libc::iovec { iov_base: from.as_ptr().cast_mut().cast(), iov_len: from.len() };
    // SAFETY: the vector describes `from`, which the call only reads.
    count(unsafe {
        if flags == 0 {
            libc::pwrite(fd.as_raw_fd(), vector.iov_base, vector.iov_len, at)
        } else {
            libc::pwritev2(fd.as_raw_fd(), &raw const vector, 1, at, flags)
        }
    })
}

/// `preadv2`: reads some of what the pieces hold.
pub(crate) fn read_pieces(
    fd: BorrowedFd<'_>,
    offset_bytes: u64,
    into: &[MemoryPiece],
    flags: libc::c_int,
) -> io::Result<usize> {
    let (at, pieces_count) = (offset(offset_bytes)?, pieces_count(into)?);
    // SAFETY: the pieces have the layout of vectors and describe memory to be written, as their creator promised.
    count(unsafe { libc::preadv2(fd.as_raw_fd(), MemoryPiece::as_vector(into), pieces_count, at, flags) })
}

/// `pwritev`: writes some of the pieces.
pub(crate) fn write_pieces(fd: BorrowedFd<'_>, offset_bytes: u64, from: &[MemoryPiece]) -> io::Result<usize> {
    let (at, pieces_count) = (offset(offset_bytes)?, pieces_count(from)?);
    // SAFETY: as for reading; the call only reads them.
    count(unsafe { libc::pwritev(fd.as_raw_fd(), MemoryPiece::as_vector(from), pieces_count, at) })
}

fn pieces_count(pieces: &[MemoryPiece]) -> io::Result<libc::c_int> {
    libc::c_int::try_from(pieces.len()).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

/// Whether all pages of a range are in the page cache. Asking moves nothing, unlike a read that must not wait: the kernel
/// answers that one with "not there" and begins to read ahead.
pub(crate) fn is_resident(fd: BorrowedFd<'_>, offset_bytes: u64, len_bytes: u64) -> io::Result<bool> {
    let start = offset_bytes / PAGE_BYTES * PAGE_BYTES;
    let pages_count = (offset_bytes + len_bytes - start).div_ceil(PAGE_BYTES);
    match cached_pages_count(fd, start, pages_count * PAGE_BYTES) {
        // Where a range begins amid a large folio and the kernel is interrupted there (seen with 6.18), it goes on too far behind it
        // and leaves pages out. So it is asked again from where no folio is amid.
        Ok(cached_count) if cached_count > 0 && cached_count < pages_count => {
            let (from, before) = (start / FOLIO_BYTES_MAX * FOLIO_BYTES_MAX, start % FOLIO_BYTES_MAX);
            let with_before_count = cached_pages_count(fd, from, before + pages_count * PAGE_BYTES)?;
            let before_count = if before > 0 { cached_pages_count(fd, from, before)? } else { 0 };
            Ok(with_before_count >= before_count + pages_count)
        }
        Ok(cached_count) => Ok(cached_count >= pages_count),
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {
            is_mapped_resident(fd, start, pages_count)
        }
        Err(error) => Err(error),
    }
}

const PAGE_BYTES: u64 = 4096;
/// Of the page cache, a huge page; folios begin at multiples of their length.
const FOLIO_BYTES_MAX: u64 = 2 << 20;

/// `cachestat`, Linux 6.5.
fn cached_pages_count(fd: BorrowedFd<'_>, start_bytes: u64, len_bytes: u64) -> io::Result<u64> {
    const SYS_CACHESTAT: libc::c_long = 451;
    let range = [start_bytes, len_bytes];
    let mut counts = [0_u64; 5]; // cached, dirty, under writeback, evicted, recently evicted
    // SAFETY: the arrays have the layout of `struct cachestat_range` and `struct cachestat`: 64-bit words.
    let code = unsafe {
        libc::syscall(SYS_CACHESTAT, fd.as_raw_fd(), range.as_ptr(), counts.as_mut_ptr(), 0 as libc::c_uint)
    };
    if code == 0 { Ok(counts[0]) } else { Err(io::Error::last_os_error()) }
}

/// The same by `mincore` on a mapping that nothing is read through.
fn is_mapped_resident(fd: BorrowedFd<'_>, start_bytes: u64, pages_count: u64) -> io::Result<bool> {
    let at = offset(start_bytes)?;
    let count = usize::try_from(pages_count).map_err(io::Error::other)?;
    let len = count * 4096;
    let mut pages = vec![0_u8; count];
    // SAFETY: a new mapping at an address of the kernel's choice, unmapped below; `pages` has a byte for each page.
    unsafe {
        let address =
            libc::mmap(std::ptr::null_mut(), len, libc::PROT_READ, libc::MAP_SHARED, fd.as_raw_fd(), at);
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let answer = check(libc::mincore(address, len, pages.as_mut_ptr()));
        libc::munmap(address, len);
        answer?;
    }
    Ok(pages.iter().all(|page| page & 1 == 1))
}

/// Whether a range holds data, or pages that may have some; a hole, and space that was only reserved, has none.
pub(crate) fn has_data(fd: BorrowedFd<'_>, offset_bytes: u64, len_bytes: u64) -> io::Result<bool> {
    // SAFETY: no memory is passed. The position of the file is moved, which nothing here uses.
    let found = unsafe { libc::lseek(fd.as_raw_fd(), offset(offset_bytes)?, libc::SEEK_DATA) };
    match u64::try_from(found) {
        Ok(found) => Ok(found < offset_bytes + len_bytes),
        Err(_) => match io::Error::last_os_error() {
            error if error.raw_os_error() == Some(libc::ENXIO) => Ok(false), // none from there to the end
            error => Err(error),
        },
    }
}

/// Reserves space without changing the length.
pub(crate) fn allocate(fd: BorrowedFd<'_>, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
    /// A file system that is interrupted may give back what it has reserved: it would never end where signals come often.
    const TRIES_MAX: usize = 10;
    let (at, len) = (offset(offset_bytes)?, offset(len_bytes)?);
    // SAFETY: no memory is passed.
    let reserve = || check(unsafe { libc::fallocate(fd.as_raw_fd(), libc::FALLOC_FL_KEEP_SIZE, at, len) });
    let is_interrupted = |reserved: &io::Result<()>| {
        reserved.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted)
    };
    (1..TRIES_MAX).map(|_| reserve()).find(|reserved| !is_interrupted(reserved)).unwrap_or_else(reserve)
}

/// Gives back what is allocated beyond the end of a file, if that is at `len_bytes_min` or farther and nobody else has it open:
/// `WouldBlock` otherwise.
///
/// A write lease makes sure that nobody has it open until it is done: whoever opens the file meanwhile waits, so no byte of theirs can
/// be cut off. The signal that tells of a waiting opener is one that programs ignore unless they ask for it.
pub(crate) fn release_beyond_end(fd: BorrowedFd<'_>, len_bytes_min: u64) -> io::Result<()> {
    const F_SETSIG: libc::c_int = 10;
    let number = fd.as_raw_fd();
    // SAFETY: no memory is passed, in all three calls.
    unsafe {
        valid(libc::fcntl(number, F_SETSIG, libc::SIGURG))?;
        valid(libc::fcntl(number, libc::F_SETLEASE, libc::F_WRLCK))?;
    }
    let released = set_same_len(fd, len_bytes_min);
    // SAFETY: as above.
    let returned = valid(unsafe { libc::fcntl(number, libc::F_SETLEASE, libc::F_UNLCK) });
    released.and(returned)
}

/// Setting the length that a file has already frees what lies behind it.
fn set_same_len(fd: BorrowedFd<'_>, len_bytes_min: u64) -> io::Result<()> {
    let file = borrowed(fd);
    let found = file.metadata()?;
    if found.len() >= len_bytes_min { file.set_len(found.len()) } else { Ok(()) }
}

/// The numbers of its file system and in it.
pub(crate) fn identity(fd: BorrowedFd<'_>) -> Option<(u64, u64)> {
    let found = borrowed(fd).metadata().ok()?;
    Some((found.dev(), found.ino()))
}

/// Whether a file has no name any more.
pub(crate) fn is_removed(fd: BorrowedFd<'_>) -> bool {
    borrowed(fd).metadata().is_ok_and(|found| found.nlink() == 0)
}

/// As a file that is not closed: a duplicate could not be had where this process may open no more. For no longer than `fd` is borrowed.
fn borrowed(fd: BorrowedFd<'_>) -> ManuallyDrop<std::fs::File> {
    // SAFETY: the descriptor is open, and stays so: nothing closes it here.
    ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(fd.as_raw_fd()) })
}

/// Takes the lock of a file that programs agree upon, if nobody has it; it goes when the file is closed.
pub(crate) fn lock_if_free(fd: BorrowedFd<'_>) -> bool {
    // SAFETY: no memory is passed.
    unsafe { libc::flock(fd.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) == 0 }
}

/// Gives a lock of [`lock_if_free`] up, if it was taken.
pub(crate) fn unlock(fd: BorrowedFd<'_>) {
    // SAFETY: no memory is passed.
    unsafe { libc::flock(fd.as_raw_fd(), libc::LOCK_UN) };
}

fn valid(answer: libc::c_int) -> io::Result<()> {
    if answer >= 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Starts writing dirty pages of a range to the device; returns before they are there.
pub(crate) fn start_writeback(fd: BorrowedFd<'_>, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
    let (at, len) = (offset(offset_bytes)?, offset(len_bytes)?);
    // SAFETY: no memory is passed.
    check(unsafe { libc::sync_file_range(fd.as_raw_fd(), at, len, libc::SYNC_FILE_RANGE_WRITE) })
}

/// Waits until writeback that is under way in a range has finished.
pub(crate) fn wait_writeback(fd: BorrowedFd<'_>, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
    let (at, len) = (offset(offset_bytes)?, offset(len_bytes)?);
    // SAFETY: no memory is passed.
    check(unsafe { libc::sync_file_range(fd.as_raw_fd(), at, len, libc::SYNC_FILE_RANGE_WAIT_BEFORE) })
}

/// Reports a writeback error that the kernel has noted since this descriptor last asked, almost without waiting: only
/// the first page is waited for. Closing a duplicate asks file systems that answer at close (NFS); where this process may have no more
/// files open, nobody is asked.
pub(crate) fn late_error(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: no memory is passed.
    check(unsafe { libc::sync_file_range(fd.as_raw_fd(), 0, 1, libc::SYNC_FILE_RANGE_WAIT_BEFORE) })?;
    match fd.try_clone_to_owned() {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => Ok(()),
        duplicate => close(duplicate?),
    }
}

/// Waits until a range is on the device and drops it from the page cache.
pub(crate) fn drop_range(fd: BorrowedFd<'_>, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
    let (at, len) = (offset(offset_bytes)?, offset(len_bytes)?);
    let flags =
        libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    // SAFETY: no memory is passed, in both calls.
    unsafe {
        check(libc::sync_file_range(fd.as_raw_fd(), at, len, flags))?;
        match libc::posix_fadvise(fd.as_raw_fd(), at, len, libc::POSIX_FADV_DONTNEED) {
            0 => Ok(()),
            code => Err(io::Error::from_raw_os_error(code)),
        }
    }
}

/// Begins to read a range into the page cache, without waiting for it.
pub(crate) fn start_reading_in(fd: BorrowedFd<'_>, offset_bytes: u64, len_bytes: u64) -> io::Result<()> {
    advise(fd, offset_bytes, len_bytes, libc::POSIX_FADV_WILLNEED)
}

/// Tells the kernel that all of a file is going to be read in order by this opening.
pub(crate) fn expect_stream(fd: BorrowedFd<'_>) -> io::Result<()> {
    advise(fd, 0, 0, libc::POSIX_FADV_SEQUENTIAL)
}

/// `len_bytes` of 0: to the end of the file.
fn advise(fd: BorrowedFd<'_>, offset_bytes: u64, len_bytes: u64, advice: libc::c_int) -> io::Result<()> {
    let (at, len) = (offset(offset_bytes)?, offset(len_bytes)?);
    // SAFETY: no memory is passed.
    match unsafe { libc::posix_fadvise(fd.as_raw_fd(), at, len, advice) } {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// Closes a descriptor and reports what the system says; the descriptor is gone in either case.
fn close(fd: OwnedFd) -> io::Result<()> {
    // SAFETY: the descriptor is owned and given up here.
    match check(unsafe { libc::close(fd.into_raw_fd()) }) {
        Err(error) if error.raw_os_error() == Some(libc::EINTR) => Ok(()),
        other => other,
    }
}

/// The alignment direct I/O asks for on an open file: memory and offset. `None` where the kernel (before 6.1) or the
/// file system does not tell; zeros where it tells that there is no direct I/O.
pub(crate) fn direct_alignment(fd: BorrowedFd<'_>) -> Option<(u32, u32)> {
    const STATX_DIOALIGN: u32 = 0x2000;
    let mut answer = MaybeUninit::<libc::statx>::zeroed();
    // SAFETY: an empty path with AT_EMPTY_PATH names the descriptor; `answer` has room for the structure.
    let code = unsafe {
        libc::statx(fd.as_raw_fd(), c"".as_ptr(), libc::AT_EMPTY_PATH, STATX_DIOALIGN, answer.as_mut_ptr())
    };
    // SAFETY: the structure was zeroed, which is a valid value, and perhaps filled.
    let answer = unsafe { answer.assume_init() };
    (code == 0 && answer.stx_mask & STATX_DIOALIGN != 0)
        .then_some((answer.stx_dio_mem_align, answer.stx_dio_offset_align))
}

/// Raises the soft limit on open files to the hard one. Tells whether that gained anything.
pub(crate) fn raise_open_files() -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call fills the structure it is given.
    if check(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) }).is_err()
        || limit.rlim_cur >= limit.rlim_max
    {
        return false;
    }
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: the call reads the structure it is given.
    check(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn space_is_counted_in_fragments_and_in_blocks_where_there_are_none() {
        // SAFETY: the structure has nothing but integers, of which zero is one.
        let mut answer: libc::statfs = unsafe { std::mem::zeroed() };
        (answer.f_bsize, answer.f_blocks, answer.f_bavail) = (1 << 20, 1000, 10);
        for (fragment_bytes, unit_bytes) in [(4096, 4096), (1 << 20, 1 << 20), (0, 1 << 20)] {
            answer.f_frsize = fragment_bytes;
            let space = Space::of(&answer);
            assert_eq!([space.total_bytes, space.available_bytes], [1000 * unit_bytes, 10 * unit_bytes]);
        }
    }

    #[test]
    fn space_is_what_statvfs_says() {
        let path = std::env::temp_dir();
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        let mut answer = MaybeUninit::<libc::statvfs>::uninit();
        // SAFETY: `name` is NUL-terminated and `answer` has room for the structure the call fills.
        check(unsafe { libc::statvfs(name.as_ptr(), answer.as_mut_ptr()) }).unwrap();
        // SAFETY: the call succeeded, so it filled the structure.
        let answer = unsafe { answer.assume_init() };
        assert_eq!(file_system_space(&path).unwrap().total_bytes, answer.f_blocks * answer.f_frsize);
    }

    #[test]
    fn both_ways_of_asking_agree_on_what_is_resident_and_load_nothing() {
        const LEN: usize = 1 << 20;
        let mut file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        std::io::Write::write_all(&mut file, &vec![1; LEN]).unwrap();
        file.sync_all().unwrap();
        let both = |start: u64, len: u64| {
            let mapped = is_mapped_resident(file.as_fd(), start, len / PAGE_BYTES).unwrap();
            match cached_pages_count(file.as_fd(), start, len) {
                Ok(count) => assert_eq!(count >= len / PAGE_BYTES, mapped),
                Err(error) => assert_eq!(error.raw_os_error(), Some(libc::ENOSYS)),
            }
            mapped
        };
        assert!(both(0, LEN as u64), "just written and not resident");
        drop_range(file.as_fd(), 0, LEN as u64).unwrap();
        for _ in 0..2 {
            assert!(!both(0, LEN as u64), "dropped and still resident, or asking has loaded it");
            assert!(!is_resident(file.as_fd(), 5000, 10).unwrap());
        }
    }

    /// Asked once each, a few in 100,000 answers are wrong on such a machine.
    #[test]
    fn what_is_resident_is_found_on_a_busy_machine_too() {
        const LEN: usize = 8_000_000;
        let mut file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        std::io::Write::write_all(&mut file, &vec![1; LEN]).unwrap();
        let ends = std::sync::atomic::AtomicBool::new(false);
        let cores_count = std::thread::available_parallelism().unwrap().get();
        std::thread::scope(|scope| {
            for _ in 0..2 * cores_count {
                scope.spawn(|| {
                    while !ends.load(std::sync::atomic::Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                });
            }
            let misses = (0..200_000)
                .filter(|_| !is_resident(file.as_fd(), 6_000_000, 2_000_000).unwrap_or(false))
                .count();
            ends.store(true, std::sync::atomic::Ordering::Relaxed);
            assert_eq!(misses, 0);
        });
    }
}
