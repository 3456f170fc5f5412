//! A file in memory that the ranks of a node have open together, to be mapped by all of them.

use crate::{Comm, Failure, Result};
use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};

/// Which file holds memory that ranks share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryFile {
    /// It has no name, so nothing is left behind by a program that is killed. Memory is taken as it is touched.
    Anonymous,
    /// One in /dev/shm, which is unlinked at once and has its memory reserved: where a rank may not open another's descriptor
    /// (processes in different containers).
    Named,
}

/// The number in the first bytes of a file.
const TOKEN_BYTES: usize = 8;

impl MemoryFile {
    /// The first rank makes a file of `bytes`, the others open it. Its first eight bytes are a number by which a rank knows that it
    /// has opened the right one; the rest is zero.
    ///
    /// Collective over the ranks of a [node](Comm::node), whose inner results are alike but for the text. Cost: two reductions and two
    /// broadcasts.
    ///
    /// # Errors
    /// - [`Error::Mpi`](crate::Error::Mpi); within, the system's reason, on the lowest rank that had one.
    pub fn open_together(
        self,
        node: &Comm,
        bytes: u64,
    ) -> Result<std::result::Result<File, Failure<io::Error>>> {
        let token = token();
        let made = if node.rank() == 0 { self.make(bytes, token).map(Some) } else { Ok(None) };
        let made = match node.agree(made) {
            Ok(made) => made,
            Err(failure) => return Ok(Err(failure)),
        };
        let path = made.as_ref().map(|(_, path)| path.clone()).unwrap_or_default();
        let path = node.broadcast_text(path, 0)?;
        let mut expected = [token];
        node.broadcast(&mut expected, 0)?;
        let opened = match made {
            Some((file, _)) => Ok(file),
            None => open(&path, expected[0]),
        };
        // The first rank keeps its descriptor, and the name stays, until everybody has opened the file.
        let agreed = node.agree(opened);
        if node.rank() == 0 && self == Self::Named {
            drop(fs::remove_file(&path));
        }
        Ok(agreed)
    }

    /// Makes the file and says under which path other processes find it.
    fn make(self, bytes: u64, token: u64) -> io::Result<(File, String)> {
        let (file, path) = match self {
            Self::Anonymous => {
                let name = CString::new("chemio")?;
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
            Self::Named => {
                let path = format!("/dev/shm/chemio-{token:016x}");
                let mut options = OpenOptions::new();
                (options.read(true).write(true).create_new(true).mode(0o600).open(&path)?, path)
            }
        };
        let filled = fill(&file, bytes, token, self == Self::Named);
        if filled.is_err() && self == Self::Named {
            drop(fs::remove_file(&path));
        }
        filled.map(|()| (file, path))
    }
}

fn fill(file: &File, bytes: u64, token: u64, reserves: bool) -> io::Result<()> {
    file.set_len(bytes)?;
    if reserves {
        // A file system of limited size says so now, and not by killing whoever touches the last page.
        let len = libc::off_t::try_from(bytes).map_err(io::Error::other)?;
        // SAFETY: the descriptor is open.
        let code = unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, len) };
        if code != 0 {
            return Err(io::Error::from_raw_os_error(code));
        }
    }
    file.write_all_at(&token.to_ne_bytes(), 0)
}

fn open(path: &str, expected: u64) -> io::Result<File> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut token = [0; TOKEN_BYTES];
    file.read_exact_at(&mut token, 0)?;
    if u64::from_ne_bytes(token) == expected {
        Ok(file)
    } else {
        Err(io::Error::other(format!(
            "{path} is another file here: these processes do not see the same processes"
        )))
    }
}

/// A number that no other file has.
fn token() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    // Each RandomState has keys from the system's random numbers.
    RandomState::new().hash_one(std::process::id())
}
