//! Copies between memory and the page cache, or a buffer, that begin at nearly the same place in a page.
//!
//! Some processors copy strings (`rep movsb`, which the kernel copies with, and the C library from a few kilobytes on) many times slower
//! where the target begins less than 32 bytes after the source, reckoned modulo a page. That is what a read from the beginning of a page
//! of a file meets in a large array of malloc or of Fortran's `allocate`, which begins 16 bytes after one. On an AMD EPYC of 2021 the
//! kernel copied 2.5 GB/s instead of 10 to 12 out of its cache, and memcpy 3 GB/s instead of 50 out of the processor's. With a stop in
//! between that lies well for both it is 8.5, and 16 by copies that are too short for strings.

use crate::sys::alloc::PAGE_BYTES;
use crate::sys::calls;
use crate::sys::fork::OfProcess;
use std::cell::RefCell;
use std::io;
use std::os::fd::BorrowedFd;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// From here on the target is far enough after the source.
const DISTANCE_BYTES_MIN: usize = 32;
/// Shorter copies are not worth it.
const LEN_BYTES_MIN: usize = 4096;
/// What stays in the cache of a processor beside what it is copied to; larger gains a twentieth.
pub(crate) const STOP_BYTES: usize = 64 << 10;
/// Below what C libraries begin to copy as strings.
const SHORT_COPY_BYTES: usize = 1536;

/// Whether a copy of so much, as a string, is one that some processors are slow at.
fn aliases(from: usize, to: usize, len: usize) -> bool {
    len >= LEN_BYTES_MIN && (1..DISTANCE_BYTES_MIN).contains(&(to.wrapping_sub(from) % PAGE_BYTES))
}

#[allow(clippy::cast_possible_truncation)] // the place in a page is what is asked for
fn place_in_page(offset_bytes: u64) -> usize {
    offset_bytes as usize % PAGE_BYTES
}

/// Whether reading `into` out of the page cache is slow without a stop.
pub(crate) fn is_slow_read(offset_bytes: u64, into: &[u8]) -> bool {
    aliases(place_in_page(offset_bytes), into.as_ptr() as usize, into.len()) && is_slow()
}

/// As [`calls::read`] of a file that may be in the page cache: by a stop in between, where the copy out of it would be slow. More than
/// [`STOP_BYTES`] are then read by several calls, up to the first that has not all.
pub(crate) fn read(
    fd: BorrowedFd<'_>,
    offset_bytes: u64,
    into: &mut [u8],
    flags: libc::c_int,
) -> io::Result<usize> {
    if is_slow_read(offset_bytes, into) {
        read_by_stop(fd, offset_bytes, into, flags)
    } else {
        calls::read(fd, offset_bytes, into, flags)
    }
}

fn read_by_stop(
    fd: BorrowedFd<'_>,
    offset_bytes: u64,
    into: &mut [u8],
    flags: libc::c_int,
) -> io::Result<usize> {
    thread_local! {
        static STOP: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    let by_stop = STOP.try_with(|memory| {
        let mut memory = memory.borrow_mut();
        memory.resize(STOP_BYTES + PAGE_BYTES, 0);
        // Half a page away from both.
        let place = (place_in_page(offset_bytes) + PAGE_BYTES / 2).wrapping_sub(memory.as_ptr() as usize);
        read_through(&mut memory[place % PAGE_BYTES..][..STOP_BYTES], fd, offset_bytes, into, flags)
    });
    // A thread that is ending has no stop any more.
    by_stop.unwrap_or_else(|_| calls::read(fd, offset_bytes, into, flags))
}

fn read_through(
    stop: &mut [u8],
    fd: BorrowedFd<'_>,
    offset_bytes: u64,
    into: &mut [u8],
    flags: libc::c_int,
) -> io::Result<usize> {
    let mut done = 0;
    for into in into.chunks_mut(stop.len()) {
        let stop = &mut stop[..into.len()];
        let bytes = match calls::read(fd, offset_bytes + done as u64, stop, flags) {
            Err(_) if done > 0 => break, // it shows again when the rest is read
            outcome => outcome?,
        };
        into[..bytes].copy_from_slice(&stop[..bytes]);
        done += bytes;
        if bytes < into.len() {
            break;
        }
    }
    Ok(done)
}

/// `into.copy_from_slice(from)`, by short copies where one as a string would be slow.
///
/// # Panics
/// As that, if they are not equally long.
pub(crate) fn copy(from: &[u8], into: &mut [u8]) {
    if aliases(from.as_ptr() as usize, into.as_ptr() as usize, into.len()) && is_slow() {
        copy_by_short_ones(from, into);
    } else {
        into.copy_from_slice(from);
    }
}

fn copy_by_short_ones(from: &[u8], into: &mut [u8]) {
    assert_eq!(from.len(), into.len(), "memory for all of a copy");
    for (from, into) in from.chunks(SHORT_COPY_BYTES).zip(into.chunks_mut(SHORT_COPY_BYTES)) {
        into.copy_from_slice(from);
    }
}

/// Whether this processor is slow at it: tried once, for less than a millisecond.
fn is_slow() -> bool {
    static IS_SLOW: OfProcess<OnceLock<bool>> = OfProcess::empty();
    *IS_SLOW.get_or_init(|| {
        let is_slow = try_out();
        tracing::debug!(is_slow, "copies between nearly the same places of pages");
        is_slow
    })
}

fn try_out() -> bool {
    const LEN_BYTES: usize = 4 * PAGE_BYTES;
    const TRIES_COUNT: usize = 8;
    let from = vec![1; LEN_BYTES];
    let mut target = vec![0; LEN_BYTES + PAGE_BYTES];
    let mut shortest = |distance_bytes: usize| {
        let wanted = from.as_ptr() as usize + distance_bytes;
        let start = wanted.wrapping_sub(target.as_ptr() as usize) % PAGE_BYTES;
        let into = &mut target[start..][..LEN_BYTES];
        let time = |_| {
            let begin = Instant::now();
            copy_as_string(&from, into);
            begin.elapsed()
        };
        (0..TRIES_COUNT).map(time).min().unwrap_or(Duration::ZERO)
    };
    let (apart, aliased) = (shortest(PAGE_BYTES / 2), shortest(DISTANCE_BYTES_MIN / 2));
    aliased > 2 * apart
}

/// Copies as the kernel does on processors that say that they copy strings fast.
#[cfg(target_arch = "x86_64")]
fn copy_as_string(from: &[u8], into: &mut [u8]) {
    assert_eq!(from.len(), into.len(), "memory for all of a copy");
    // SAFETY: reads all of `from` and writes all of `into`, which are as long; the direction flag is clear, as always between statements.
    unsafe {
        std::arch::asm!(
            "rep movsb",
            inout("rcx") from.len() => _,
            inout("rsi") from.as_ptr() => _,
            inout("rdi") into.as_mut_ptr() => _,
            options(nostack, preserves_flags)
        );
    }
}

/// Other processors have no such instruction.
#[cfg(not(target_arch = "x86_64"))]
fn copy_as_string(from: &[u8], into: &mut [u8]) {
    into.copy_from_slice(from);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    fn pattern(len: usize) -> Vec<u8> {
        (0..=250).cycle().take(len).collect()
    }

    #[test]
    fn only_targets_shortly_after_the_source_in_a_page_alias() {
        let all = 64 << 10;
        for (from, to, is_slow) in [
            (0, 0, false),
            (0, 1, true),
            (0, 16, true),
            (0, 31, true),
            (0, 32, false),
            (16, 0, false),
            (48, PAGE_BYTES + 64, true),
            (PAGE_BYTES - 8, 8, true),
            (2048, 16, false),
        ] {
            assert_eq!(aliases(from, to, all), is_slow, "from {from} to {to}");
        }
        assert!(!aliases(0, 16, LEN_BYTES_MIN - 1));
    }

    #[test]
    fn a_read_by_a_stop_gives_what_there_is_and_touches_nothing_else() {
        let content = pattern(3 * STOP_BYTES + 77);
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, &content).unwrap();
        for offset in [0, 16, 4095, STOP_BYTES - 1, content.len() - 100, content.len(), content.len() + 1] {
            for len in [1, 100, 4096, STOP_BYTES, STOP_BYTES + 1, 2 * STOP_BYTES + 5, content.len() + 9] {
                let mut into = vec![0xee; len];
                let there = content.get(offset..).unwrap_or(&[]);
                let expected = &there[..len.min(there.len())];
                let bytes = read_by_stop(file.as_fd(), offset as u64, &mut into, 0).unwrap();
                assert_eq!(&into[..bytes], expected, "{len} bytes at {offset}");
                assert!(into[bytes..].iter().all(|&byte| byte == 0xee), "{len} bytes at {offset}");
            }
        }
    }

    #[test]
    fn an_error_of_a_read_by_a_stop_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let not_readable = std::fs::File::create(directory.path().join("write-only")).unwrap();
        let error = read_by_stop(not_readable.as_fd(), 0, &mut vec![0; 2 * STOP_BYTES], 0).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EBADF));
    }

    #[test]
    fn short_copies_copy_all() {
        for len in [0, 1, SHORT_COPY_BYTES, SHORT_COPY_BYTES + 1, 10_000] {
            let mut into = vec![0; len];
            copy_by_short_ones(&pattern(len), &mut into);
            assert_eq!(into, pattern(len));
        }
    }

    #[test]
    fn what_is_tried_out_copies_all() {
        let mut into = vec![0; 5000];
        copy_as_string(&pattern(5000), &mut into);
        assert_eq!(into, pattern(5000));
    }
}
