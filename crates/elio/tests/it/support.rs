//! What several test binaries of this crate use.
#![allow(dead_code)] // each binary uses its part

use elio::{Device, File, Gather, MemoryPiece, Mode, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A directory of the test's own, on a real file system (`/tmp` is often memory).
pub(crate) struct Scratch {
    directory: tempfile::TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
        Self { directory: tempfile::tempdir_in(target).unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}

/// The bytes that belong at an offset: every one depends on its place.
pub(crate) fn pattern(offset_bytes: u64, len: usize) -> Vec<u8> {
    (offset_bytes..offset_bytes + len as u64).map(byte_at).collect()
}

fn byte_at(at: u64) -> u8 {
    (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8
}

/// The device that a file of the system is opened on.
pub(crate) fn device(path: &Path) -> Arc<dyn Device> {
    elio::open_device(path, Mode::ReadWrite).unwrap()
}

pub(crate) fn open(path: &Path) -> File {
    File::open(path, &OpenOptions::new(Mode::ReadWrite)).unwrap()
}

/// The seed of this run, printed.
pub(crate) fn seed() -> u64 {
    let seed = match std::env::var("CHEMIO_TEST_SEED") {
        Ok(seed) => seed.parse().expect("CHEMIO_TEST_SEED is a number"),
        Err(_) => fastrand::u64(..),
    };
    println!("CHEMIO_TEST_SEED={seed}");
    seed
}

/// Makes a file durable and drops what is in the page cache of it; needs no privilege. Nothing to do for files in memory.
pub(crate) fn make_cold(file: &File) {
    file.sync().unwrap();
    drop_cache(file);
}

/// Drops what is durable of a file from the page cache.
pub(crate) fn drop_cache(file: &File) {
    let Ok(opened) = std::fs::File::open(file.path()) else { return };
    // SAFETY: no memory is passed.
    let code = unsafe {
        libc::posix_fadvise(std::os::fd::AsRawFd::as_raw_fd(&opened), 0, 0, libc::POSIX_FADV_DONTNEED)
    };
    assert_eq!(code, 0);
}

/// Adds all of `memory` to a gather. The caller keeps it, and does not look at it while a call is under way.
fn push_all(gather: &mut Gather, memory: &mut [u8]) {
    // SAFETY: see above.
    gather.push(unsafe { MemoryPiece::new(memory.as_mut_ptr(), memory.len()) });
}

/// Writes `bytes` as three pieces by one gathered access; tells whether the file took them so.
pub(crate) fn copy_in(file: &File, offset_bytes: u64, bytes: &[u8]) -> elio::Result<bool> {
    let mut pieces: Vec<Vec<u8>> = bytes.chunks(bytes.len().div_ceil(3).max(1)).map(<[u8]>::to_vec).collect();
    let mut from = Gather::for_writing();
    for piece in &mut pieces {
        push_all(&mut from, piece);
    }
    file.copy_in(offset_bytes, &from)
}

/// Reads `into` as three pieces, of which the second is passed over and left as it is, by one gathered access; tells whether
/// the file gave them so. `waits`: also what is not in the page cache.
pub(crate) fn copy_out(file: &File, offset_bytes: u64, into: &mut [u8], waits: bool) -> bool {
    let third = into.len() / 3;
    let (first, rest) = into.split_at_mut(third);
    let (second, last) = rest.split_at_mut(third);
    let mut gather = Gather::for_reading();
    push_all(&mut gather, first);
    gather.pass_over(second.len());
    push_all(&mut gather, last);
    file.copy_out(offset_bytes, &gather, waits)
}

/// Reads as callers of gathered access do: what cannot be copied so is read otherwise. Gives the bytes read.
fn read_gathered(file: &File, offset_bytes: u64, into: &mut [u8]) -> usize {
    let passed_over = into.len() / 3..into.len() / 3 * 2;
    if !copy_out(file, offset_bytes, into, into.len().is_multiple_of(2)) {
        return file.read_at(offset_bytes, into).unwrap();
    }
    let at = offset_bytes + passed_over.start as u64;
    let len = passed_over.len();
    assert_eq!(file.read_at(at, &mut into[passed_over]).unwrap(), len);
    into.len()
}

fn random_range(random: &mut fastrand::Rng, end: usize) -> (usize, usize) {
    let len = match random.u32(0..4) {
        0 => random.usize(0..200),
        1 => random.usize(0..20_000),
        2 => random.usize(0..200_000),
        _ => random.usize(0..2_000_000),
    };
    let align = [1, 1, 512, 4096][random.usize(0..4)];
    let offset = random.usize(0..=end) / align * align;
    (offset, if random.bool() { len / align * align } else { len })
}

fn random_bytes(random: &mut fastrand::Rng, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    random.fill(&mut bytes);
    bytes
}

fn put(oracle: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    if !bytes.is_empty() && oracle.len() < offset + bytes.len() {
        oracle.resize(offset + bytes.len(), 0);
    }
    oracle[offset..offset + bytes.len()].copy_from_slice(bytes);
}

fn expected(oracle: &[u8], offset: usize, len: usize) -> &[u8] {
    let start = offset.min(oracle.len());
    &oracle[start..(offset + len).min(oracle.len())]
}

/// One random operation on a file and on its oracle.
pub(crate) fn random_step(file: &File, oracle: &mut Vec<u8>, random: &mut fastrand::Rng) {
    let (offset, len) = random_range(random, oracle.len().max(4 << 20).min(oracle.len()));
    let at = offset as u64;
    match random.u32(0..10) {
        0..=3 => {
            let bytes = random_bytes(random, len);
            if random.bool() || !copy_in(file, at, &bytes).unwrap() {
                file.write_at(at, &bytes).unwrap();
            }
            put(oracle, offset, &bytes);
        }
        4 => {
            let bytes = random_bytes(random, len);
            put(oracle, offset, &bytes);
            file.submit_write(at, bytes).unwrap().wait().unwrap();
        }
        5..=7 => {
            let mut bytes = vec![0; len];
            let got = if random.bool() {
                file.read_at(at, &mut bytes).unwrap()
            } else {
                read_gathered(file, at, &mut bytes)
            };
            assert!(bytes[..got] == *expected(oracle, offset, len), "read of {len} at {offset}");
        }
        8 => {
            let (got, bytes) = file.submit_read(at, vec![0; len]).unwrap().finish().unwrap();
            assert!(bytes[..got] == *expected(oracle, offset, len), "async read of {len} at {offset}");
        }
        _ if random.bool() => make_cold(file),
        _ => {
            let new_len = random.usize(0..=oracle.len() + 5000);
            file.set_len(new_len as u64).unwrap();
            oracle.resize(new_len, 0);
        }
    }
}

/// Several requests in flight at once; sometimes the file is made durable in between.
pub(crate) fn random_batch(file: &File, oracle: &mut Vec<u8>, random: &mut fastrand::Rng, seed: u64) {
    let mut reads = Vec::new();
    let mut writes = Vec::new();
    for _ in 0..12 {
        let (offset, len) = random_range(random, oracle.len());
        let len = len.min(oracle.len() - offset);
        if random.bool() {
            let request = file.submit_read(offset as u64, vec![0; len]).unwrap();
            reads.push((request, oracle[offset..offset + len].to_vec(), offset));
        } else {
            let bytes = random_bytes(random, len);
            put(oracle, offset, &bytes);
            writes.push(file.submit_write(offset as u64, bytes).unwrap());
        }
    }
    if random.bool() {
        make_cold(file);
    }
    for (request, expected, offset) in reads {
        let (got, bytes) = request.finish().unwrap();
        assert_eq!(got, expected.len(), "seed {seed}");
        assert!(bytes == expected, "read of {got} at {offset} differs, seed {seed}");
    }
    for mut request in writes {
        request.wait().unwrap();
    }
}

/// From now on this process may have no more files open.
pub(crate) fn limit_open_files(count: u32) {
    let limit = libc::rlimit { rlim_cur: count.into(), rlim_max: count.into() };
    // SAFETY: the limit is read during the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }, 0);
}
