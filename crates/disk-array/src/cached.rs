//! What the system keeps of an array in memory: contents of files, and names.

use crate::directory::ArrayDirectory;
use crate::error::{Operation, Result, refused};
use rustix::fs::{Advice, AtFlags, CWD, StatxFlags, fadvise, statx};
use std::fs::File;
use std::io;
use std::path::Path;

/// Makes sure that what another host has made or renamed at `path`, or in the directory of this name, is found. A network file system
/// remembers names, also those that were not there, for up to a minute, unless it is told to ask the server for the directory that has them; others
/// have nothing to ask. What there is not, or may not be asked for, is told to whoever uses it.
pub fn look_again(path: &Path) {
    for directory in path.parent().into_iter().chain([path]) {
        let _ = statx(CWD, directory, AtFlags::STATX_FORCE_SYNC, StatxFlags::BASIC_STATS);
    }
}

impl ArrayDirectory {
    /// Asks the system to forget what it keeps in memory of the file of shard `number`, so that who reads it next gets what is on the
    /// device. What is not durable yet stays, and so does what some program has mapped; nothing to do if there is no such file.
    ///
    /// # Errors
    /// What the system says.
    ///
    /// # Panics
    /// If there is no such shard.
    pub fn drop_cached(&self, number: u64) -> Result<()> {
        let path = self.shard_path(number);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(refused(Operation::Open, &path)(error)),
        };
        fadvise(&file, 0, None, Advice::DontNeed)
            .map_err(|errno| refused(Operation::Read, &path)(errno.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{ArraySpec, DataType};
    use rustix::io::{Errno, ReadWriteFlags, preadv2};
    use std::io::IoSliceMut;

    #[test]
    fn what_is_durable_is_read_from_the_device_again() {
        // Beside the test itself: the directory for temporary files may be one in memory, which forgets nothing.
        let scratch = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
        let spec = ArraySpec::new(&[1 << 16], DataType::Float64).unwrap();
        let array = ArrayDirectory::create(&scratch.path().join("array"), &spec).unwrap();
        let path = array.shard_path(0);
        std::fs::write(&path, vec![7; 1 << 19]).unwrap();
        let file = File::open(&path).unwrap();
        file.sync_all().unwrap();
        let is_cached = || {
            let mut byte = [0];
            let read = preadv2(&file, &mut [IoSliceMut::new(&mut byte)], 1 << 18, ReadWriteFlags::NOWAIT);
            read != Err(Errno::AGAIN)
        };
        assert!(is_cached());
        array.drop_cached(0).unwrap();
        assert!(!is_cached());
        std::fs::remove_file(&path).unwrap();
        array.drop_cached(0).unwrap();
    }
}
