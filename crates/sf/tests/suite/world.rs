//! What the scenarios use.

use comm::Comm;
use sf::{CachePolicy, Hints, SharedFile};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) const POLICIES: [CachePolicy; 3] = [CachePolicy::Auto, CachePolicy::Bypass, CachePolicy::Keep];

/// The ranks of a launch.
pub(crate) struct World {
    pub(crate) comm: Arc<Comm>,
}

impl World {
    pub(crate) fn start() -> Self {
        Self { comm: Arc::new(Comm::world().expect("MPI starts")) }
    }

    pub(crate) fn rank(&self) -> usize {
        self.comm.rank()
    }

    pub(crate) fn ranks(&self) -> usize {
        self.comm.size()
    }

    pub(crate) fn is_first(&self) -> bool {
        self.rank() == 0
    }

    pub(crate) fn barrier(&self) {
        self.comm.barrier().expect("a barrier");
    }

    /// A name in the directory that all ranks see.
    pub(crate) fn path(name: &str) -> PathBuf {
        test_support::shared_dir().join(name)
    }

    pub(crate) fn create(&self, name: &str) -> SharedFile {
        self.create_with(name, CachePolicy::default(), None)
    }

    /// For requests of so many bytes.
    pub(crate) fn create_with(
        &self,
        name: &str,
        cache: CachePolicy,
        request_bytes: Option<u64>,
    ) -> SharedFile {
        let hints = Hints { request_bytes, ..Hints::default() };
        SharedFile::create_with(&self.comm, &Self::path(name), &hints, cache).expect("created")
    }

    /// The same text on all ranks, or a panic.
    pub(crate) fn all_say(&self, text: &str) {
        let first = self.comm.broadcast_text(text.to_owned(), 0).expect("a broadcast");
        assert_eq!(first, text, "rank 0 says something else");
    }

    /// Fails on every rank with the same error, which is given.
    pub(crate) fn all_fail<T>(&self, result: sf::Result<T>) -> sf::Error {
        let Err(error) = result else { panic!("an error was expected") };
        self.all_say(&format!("{} {error}", error.code()));
        error
    }
}

/// The bytes that belong at an offset: every one depends on its place and on who has written it.
pub(crate) fn pattern(seed: usize, offset_bytes: u64, len: usize) -> Vec<u8> {
    let mark = (seed as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    let byte = |at: u64| (at ^ mark).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()[0] | 1;
    (offset_bytes..offset_bytes + len as u64).map(byte).collect()
}

/// Where `found` differs from `expected` first, for messages that can be read.
pub(crate) fn assert_same(found: &[u8], expected: &[u8], what: &str) {
    let differs = found.iter().zip(expected).position(|(a, b)| a != b);
    assert!(
        differs.is_none() && found.len() == expected.len(),
        "{what}: {} bytes, expected {}, first difference at {differs:?}",
        found.len(),
        expected.len()
    );
}

/// What of a striped file's stripes is there.
pub(crate) fn stripes_of(name: &str) -> Vec<PathBuf> {
    let of_name = |path: &Path| {
        path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&format!("{name}.")))
    };
    super::STRIPES
        .iter()
        .flat_map(|directory| std::fs::read_dir(directory).expect("readable"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| of_name(path))
        .collect()
}

pub(crate) fn is_striped() -> bool {
    std::env::var_os("CHEMIO_SF_DIRS").is_some()
}
