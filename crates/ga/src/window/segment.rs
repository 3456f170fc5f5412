//! Memory that the ranks of a node share, or that one rank has for itself.
//!
//! A rank that is alone on its node has private memory, in huge pages as soon as it is touched.
//!
//! Otherwise: one anonymous file in memory for the ranks of a node, made by the first of them and mapped whole by all. It has no name,
//! so nothing is left behind by a program that is killed. Where a rank may not open another's descriptor (processes in
//! different containers), a file in /dev/shm that is unlinked at once takes its place.
//! Each rank has its part made into huge pages at once ([`Mapping::collapse`]), unless the node or its control groups have too little memory left:
//! what a program never touches then counts, too.

use super::mapping::{Extent, HUGE_PAGE_BYTES, Mapping};
use crate::{Error, Result};
use comm::Comm;
use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};

/// The parts begin on boundaries of this many bytes, so that no two ranks share a page.
const PAGE_BYTES: u64 = 4096;

/// How much of private memory is brought into being at a time: a millisecond, or a few where a host has to get it, after which somebody
/// may want it to stop.
const POPULATED_BYTES: usize = 4 << 20;

/// A part of the node's memory for each of its ranks, all of them mapped here. Zero at first. Page-aligned.
#[derive(Debug)]
pub(crate) struct Segment {
    mapping: Mapping,
    /// Where each rank's part begins, in bytes.
    starts: Vec<usize>,
    own: usize,
    is_private: bool,
    is_huge: bool,
}

impl Segment {
    /// A segment with `own_bytes` for this rank, in reach of all ranks of the node. Collective over them.
    ///
    /// # Errors
    /// - [`Error::NoMemory`], [`Error::Memory`]: the node does not have so much.
    pub(crate) fn shared(node: &Comm, own_bytes: u64, extent: Extent, array: &str) -> Result<Self> {
        if node.size() == 1 {
            return Self::private(own_bytes, extent, array);
        }
        let sizes = node.all_gather(&[own_bytes])?;
        // The first page holds the token by which a rank knows that it has opened the right file.
        let mut starts = vec![];
        let mut total = Some(PAGE_BYTES);
        for size in sizes {
            starts.push(total.unwrap_or(0));
            total = total.and_then(|total| total.checked_add(size.checked_next_multiple_of(PAGE_BYTES)?));
        }
        // Every rank sees the same sizes, so all refuse or none.
        let total = extent.of(check_memory(total, array)?);
        let file = match open_together(node, total, Kind::Anonymous)? {
            Ok(file) => file,
            Err(first) => {
                tracing::info!(%first, "no anonymous memory shared: a file in /dev/shm instead");
                let opened = open_together(node, total, Kind::Named)?;
                node.agree(opened)?
            }
        };
        let mapping = node.agree(
            Mapping::shared(&file, section::size(total)).map_err(no_memory("mapping memory", total)),
        )?;
        let starts: Vec<usize> = starts.into_iter().map(section::size).collect();
        let mut segment = Self { mapping, starts, own: node.rank(), is_private: false, is_huge: false };
        let is_affordable = || total <= node::available_bytes().unwrap_or(0) / 2;
        segment.is_huge = segment.has_huge_pages() && is_affordable() && segment.make_huge();
        Ok(segment)
    }

    /// A segment for this rank alone. Local.
    ///
    /// # Errors
    /// As [`shared`](Self::shared).
    pub(crate) fn private(own_bytes: u64, extent: Extent, array: &str) -> Result<Self> {
        let total = check_memory(own_bytes.max(1).checked_next_multiple_of(PAGE_BYTES), array)?;
        let total = extent.of(total);
        let mapping = Mapping::private(section::size(total)).map_err(no_memory("mapping memory", total))?;
        let mut segment = Self { mapping, starts: vec![0], own: 0, is_private: true, is_huge: false };
        segment.is_huge = segment.has_huge_pages() && node::gives_huge_pages();
        Ok(segment)
    }

    /// The part of a rank of the node.
    pub(crate) fn part(&self, node_rank: usize) -> *mut u8 {
        // SAFETY: a part begins within the mapping.
        unsafe { self.mapping.base().as_ptr().add(self.starts[node_rank]) }
    }

    /// This rank's part.
    pub(crate) fn own(&self) -> *mut u8 {
        self.part(self.own)
    }

    /// The memory that it takes when all of it is touched, of which each byte is told by one rank.
    pub(crate) fn taken_bytes(&self) -> u64 {
        // All ranks of the node have mapped all of it.
        if self.is_private || self.own == 0 { self.mapping.bytes() as u64 } else { 0 }
    }

    /// Whether this rank's memory, and in all likelihood that of the others, is in huge pages, or will be when it is touched.
    pub(crate) fn is_huge(&self) -> bool {
        self.is_huge
    }

    /// Brings the last few mebibytes of private memory before this byte of it into being, and tells where they begin; none at the
    /// beginning, where that cannot be done, and where memory is shared, which is there from the beginning if it is in huge pages.
    pub(crate) fn populate(&self, before: usize) -> Option<usize> {
        let to = before.min(self.mapping.bytes());
        if !self.is_private || to == 0 {
            return None;
        }
        let from = (to - 1) / POPULATED_BYTES * POPULATED_BYTES;
        let populated = self.mapping.populate(from..to);
        populated
            .inspect_err(|error| tracing::debug!(%error, "memory is cleared when it is touched"))
            .ok()?;
        Some(from)
    }

    fn has_huge_pages(&self) -> bool {
        self.mapping.bytes() >= HUGE_PAGE_BYTES
    }

    /// Has the huge pages that begin in this rank's part made; of the first rank's, the one before it as well. Tells whether that could
    /// be done.
    fn make_huge(&self) -> bool {
        let begin = if self.own == 0 { 0 } else { self.starts[self.own] };
        let end = self.starts.get(self.own + 1).map_or(self.mapping.bytes(), |&next| next);
        let made = self.mapping.collapse(begin..end);
        made.inspect_err(|error| tracing::debug!(%error, "shared memory stays in small pages")).is_ok()
    }
}

/// Refuses what the node can never have: a mapping would succeed, and the program be killed when it is touched.
fn check_memory(bytes: Option<u64>, array: &str) -> Result<u64> {
    let total = node::memory_bytes().unwrap_or(u64::MAX);
    match bytes {
        Some(bytes) if bytes <= total => Ok(bytes),
        _ => Err(Error::NoMemory { array: array.to_owned(), asked: bytes.unwrap_or(u64::MAX), total }),
    }
}

fn no_memory(operation: &'static str, bytes: u64) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::Memory { operation, bytes, source }
}

/// Which file holds the memory.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Anonymous,
    Named,
}

/// The first rank makes a file of `bytes`, the others open it. Collective. The inner result is the same on every rank, but
/// for its text.
fn open_together(node: &Comm, bytes: u64, kind: Kind) -> Result<std::result::Result<File, Error>> {
    let token = token();
    let made = if node.rank() == 0 {
        make(kind, bytes, token).map(Some).map_err(no_memory("making shared memory", bytes))
    } else {
        Ok(None)
    };
    let made = match node.agree(made) {
        Ok(made) => made,
        Err(failure) => return Ok(Err(failure.into())),
    };
    let path = made.as_ref().map(|(_, path)| path.clone()).unwrap_or_default();
    let path = node.broadcast_text(path, 0)?;
    let mut expected = [token];
    node.broadcast(&mut expected, 0)?;
    let opened = match made {
        Some((file, _)) => Ok(file),
        None => open(&path, expected[0]).map_err(no_memory("opening shared memory", bytes)),
    };
    // The first rank keeps its descriptor, and the name stays, until everybody has opened the file.
    let agreed = node.agree(opened);
    if node.rank() == 0 && matches!(kind, Kind::Named) {
        drop(fs::remove_file(&path));
    }
    Ok(agreed.map_err(Into::into))
}

/// Makes the file and says under which path other processes find it.
fn make(kind: Kind, bytes: u64, token: u64) -> io::Result<(File, String)> {
    let (file, path) = match kind {
        Kind::Anonymous => {
            let name = CString::new("chemio-array")?;
            // SAFETY: the name ends with a NUL; the descriptor is new and belongs to nobody else.
            let file = unsafe {
                match libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) {
                    -1 => return Err(io::Error::last_os_error()),
                    descriptor => File::from_raw_fd(descriptor),
                }
            };
            let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
            (file, path)
        }
        Kind::Named => {
            let path = format!("/dev/shm/chemio-{token:016x}");
            (OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?, path)
        }
    };
    file.set_len(bytes)?;
    if matches!(kind, Kind::Named) {
        // A file system of limited size says so now, and not by killing whoever touches the last page.
        let len = libc::off_t::try_from(bytes).map_err(io::Error::other)?;
        // SAFETY: the descriptor is open.
        let code = unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, len) };
        if code != 0 {
            drop(fs::remove_file(&path));
            return Err(io::Error::from_raw_os_error(code));
        }
    }
    file.write_all_at(&token.to_ne_bytes(), 0)?;
    Ok((file, path))
}

fn open(path: &str, expected: u64) -> io::Result<File> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut token = [0; 8];
    file.read_exact_at(&mut token, 0)?;
    if u64::from_ne_bytes(token) == expected {
        Ok(file)
    } else {
        Err(io::Error::other(format!(
            "{path} is another file here: these processes do not see the same processes"
        )))
    }
}

/// A number that no other segment has.
fn token() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    // Each RandomState has keys from the system's random numbers.
    RandomState::new().hash_one(std::process::id())
}
