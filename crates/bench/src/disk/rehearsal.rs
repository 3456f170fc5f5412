//! The same writes right before one that is timed, so that the page cache of the timed one gets memory that is really there. A
//! virtual machine gives free memory back to its host within a second or so, to touch it again takes several times as long as
//! writing it, and which memory the kernel takes depends on the sizes of the writes. So what a rehearsal wrote is kept, under
//! another name, until nothing else is left to do before the timed write; then the page cache forgets it, which takes no time.

use std::fs;
use std::path::Path;

use crate::disk::page_cache::{flush, forget_below};
use crate::disk::page_reporting;
use crate::disk::scratch::{Scratch, ScratchDirectory};
use crate::error::{BenchError, step};

/// Timed writes are rehearsed until about so much has been written.
const REHEARSED_BYTES: u64 = 400_000_000;
const DIRECTORY_NAME: &str = "rehearsed";

/// The files and arrays of rehearsals; they vanish with the value.
#[derive(Debug)]
pub(crate) struct Rehearsals(ScratchDirectory);

impl Rehearsals {
    /// None yet.
    pub(crate) fn below(scratch: &Scratch) -> Result<Self, BenchError> {
        scratch.directory(DIRECTORY_NAME).map(Self)
    }

    /// How often a write of so many bytes is rehearsed.
    pub(crate) fn count(size_bytes: u64) -> u64 {
        (REHEARSED_BYTES / size_bytes).clamp(1, 5)
    }

    /// Keeps the file, or all that is in the directory, whatever becomes of it under its own name.
    pub(crate) fn keep(&self, path: &Path) -> Result<(), BenchError> {
        let number = fs::read_dir(self.0.path()).map_err(step("reading", self.0.path()))?.count();
        let kept = self.0.path().join(number.to_string());
        let done = if path.is_dir() { fs::rename(path, &kept) } else { fs::hard_link(path, &kept) };
        done.map_err(step("keeping", path))
    }

    /// Gives the next write their memory, and nothing else to wait for.
    pub(crate) fn release(&self) -> Result<(), BenchError> {
        flush();
        page_reporting::settle();
        forget_below(self.0.path())
    }

    /// Removes them.
    pub(crate) fn clear(&self) -> Result<(), BenchError> {
        self.0.clear()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Rehearsals;
    use crate::disk::scratch::Scratch;

    #[test]
    fn files_and_directories_are_kept_until_they_are_cleared() {
        let scratch = Scratch::below(&std::env::temp_dir()).expect("a directory for temporary files");
        let rehearsals = Rehearsals::below(&scratch).expect("a new directory");
        let (file, array) = (scratch.file("file"), scratch.directory("array").expect("a new directory"));
        fs::write(file.path(), "record").expect("a new file");
        fs::write(array.path().join("0"), "brick").expect("a new file");
        rehearsals.keep(file.path()).expect("there is a file");
        file.remove();
        rehearsals.keep(array.path()).expect("there is an array");
        rehearsals.release().expect("they are readable");
        assert!(!array.path().exists());
        let kept = |name: &str| fs::read(rehearsals.0.path().join(name));
        assert_eq!(
            (kept("0").expect("kept"), kept("1/0").expect("kept")),
            (b"record".to_vec(), b"brick".to_vec())
        );
        rehearsals.clear().expect("they can be removed");
        assert!(kept("0").is_err() && rehearsals.keep(file.path()).is_err());
    }

    #[test]
    fn large_writes_are_rehearsed_once_and_small_ones_several_times() {
        assert_eq!([80_000_000, 200_000_000, 1 << 30].map(Rehearsals::count), [5, 2, 1]);
    }
}
