//! What a run is done with. A disk that is told which blocks are free is busy with that for seconds, also after it has said that it is
//! done, and what is written meanwhile takes up to 1.3 times as long. So files are moved out of the way, and removed when there are
//! many, after which the run waits if the disk is told.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::fs::statvfs;

use crate::disk::files::files_below;
use crate::disk::mount::Mount;
use crate::disk::page_cache::{flush, forget, forget_below};
use crate::error::{BenchError, step};

/// Less than that is removed at once.
const SMALL_BYTES: u64 = 1 << 20;
/// So much is kept at most, and never more than a part of what is free.
const KEPT_BYTES_MAX: u64 = 8 << 30;
const KEPT_PART_MAX: u64 = 4;
/// How long a disk that is told has peace after that.
const PAUSE: Duration = Duration::from_secs(10);

/// Files and directories in a directory of their own, until there are many. The page cache forgets them, as if they were gone.
#[derive(Debug)]
pub(crate) struct Removals {
    directory: PathBuf,
    bytes_max: u64,
    pause: Duration,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    count: u64,
    bytes: u64,
}

impl Removals {
    /// Makes the directory.
    pub(crate) fn in_directory(directory: PathBuf) -> Result<Self, BenchError> {
        fs::create_dir(&directory).map_err(step("making", &directory))?;
        let available = statvfs(&directory).map_or(0, |space| space.f_bavail * space.f_frsize);
        let bytes_max = KEPT_BYTES_MAX.min(available / KEPT_PART_MAX);
        let is_told = Mount::of(&directory).is_none_or(|mount| mount.discards);
        let pause = if is_told { PAUSE } else { Duration::ZERO };
        Ok(Self { directory, bytes_max, pause, kept: Mutex::default() })
    }

    /// Takes a file or a directory away; if there is none, does nothing.
    pub(crate) fn take(&self, path: &Path) -> Result<(), BenchError> {
        let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
        let bytes = if found.is_dir() { bytes_below(path)? } else { found.blocks() * BLOCK_BYTES };
        let removing = step("removing", path);
        if bytes < SMALL_BYTES {
            let removed = if found.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            return removed.map_err(removing);
        }
        if found.is_file() && found.nlink() > 1 {
            // Somebody has kept its blocks already.
            return fs::remove_file(path).map_err(removing);
        }
        if found.is_dir() { forget_below(path) } else { forget(path) }?;
        self.keep(bytes, |kept| fs::rename(path, kept).map_err(removing))
    }

    /// Keeps the blocks of a file that somebody else will remove, if it is there.
    pub(crate) fn link(&self, path: &Path) -> Result<(), BenchError> {
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_file() && found.nlink() == 1 => {
                forget(path)?;
                let bytes = found.blocks() * BLOCK_BYTES;
                self.keep(bytes, |kept| fs::hard_link(path, kept).map_err(step("keeping", path)))
            }
            _ => Ok(()),
        }
    }

    fn keep(
        &self,
        bytes: u64,
        move_to: impl FnOnce(&Path) -> Result<(), BenchError>,
    ) -> Result<(), BenchError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // Before: of a linked file the other name is still to be removed.
        if kept.bytes + bytes > self.bytes_max && kept.bytes > 0 {
            fs::remove_dir_all(&self.directory).map_err(step("removing", &self.directory))?;
            fs::create_dir(&self.directory).map_err(step("making", &self.directory))?;
            flush();
            kept.bytes = 0;
            thread::sleep(self.pause);
        }
        move_to(&self.directory.join(kept.count.to_string()))?;
        kept.count += 1;
        kept.bytes += bytes;
        Ok(())
    }
}

/// What [`MetadataExt::blocks`] counts.
const BLOCK_BYTES: u64 = 512;

/// The space of all files below a directory.
fn bytes_below(directory: &Path) -> Result<u64, BenchError> {
    Ok(files_below(directory)?.iter().map(|(_, found)| found.blocks() * BLOCK_BYTES).sum())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::{Removals, SMALL_BYTES};
    use crate::disk::scratch::Scratch;

    fn removals(scratch: &Scratch, bytes_max: u64) -> Removals {
        let made = Removals::in_directory(scratch.path().join("aside")).expect("a new directory");
        Removals { bytes_max, pause: Duration::ZERO, ..made }
    }

    fn kept(removals: &Removals) -> usize {
        fs::read_dir(&removals.directory).expect("it is there").count()
    }

    #[test]
    fn what_is_large_is_kept_until_there_is_much_of_it() {
        let scratch = Scratch::below(&std::env::temp_dir()).expect("a directory for temporary files");
        let removals = removals(&scratch, 3 * SMALL_BYTES);
        let (array, file) = (scratch.path().join("array"), scratch.path().join("file"));
        let large = vec![1; 2 << 20];
        fs::create_dir_all(array.join("c")).expect("a new directory");
        fs::write(array.join("c/0"), &large).expect("a new file");
        removals.take(&array).expect("it can be moved");
        assert!(!array.exists() && kept(&removals) == 1);
        fs::write(&file, "small").expect("a new file");
        removals.take(&file).expect("it can be removed");
        assert!(!file.exists() && kept(&removals) == 1);
        fs::write(&file, &large).expect("a new file");
        removals.take(&file).expect("it can be moved");
        assert!(!file.exists() && kept(&removals) == 1, "the array had to go: four MiB of three");
        removals.take(&file).expect("what is not there need not be removed");
    }

    #[test]
    fn blocks_of_a_file_that_others_remove_or_leave_are_kept_once() {
        let scratch = Scratch::below(&std::env::temp_dir()).expect("a directory for temporary files");
        let removals = removals(&scratch, 3 * SMALL_BYTES);
        let file = scratch.path().join("file");
        fs::write(&file, vec![1; 2 << 20]).expect("a new file");
        for _ in 0..2 {
            removals.link(&file).expect("it is there");
        }
        removals.take(&file).expect("it can be removed");
        assert!(!file.exists() && kept(&removals) == 1);
        removals.link(&file).expect("what is not there need not be kept");
    }
}
