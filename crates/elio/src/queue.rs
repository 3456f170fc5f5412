//! Queues to devices, so that a slow one keeps nobody waiting for a fast one.

use crate::sys::fork;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A queue of this process, through which the transfers of a file go. Each has a ring, or worker threads where there is none, workers
/// for copies and a thread for writeback, made when they are first needed. Memory for staging and what is done now and then (housekeeping, giving
/// back space after a close) are shared by all.
///
/// The default is the one of all files that ask for no other: a device is kept busy by one queue however many files it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Queue(usize);

/// Directories that have a queue of their own, in the order in which they were asked for.
static DIRECTORIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

impl Queue {
    /// So many there are.
    pub(crate) const COUNT_MAX: usize = 64;

    /// The queue of a directory that is on a device of its own: the same whenever it is asked for. Of more than 63 directories some share
    /// one.
    pub fn of_directory(directory: &Path) -> Self {
        if fork::is_child() {
            return Self::default(); // its parent may have held the lock
        }
        let mut directories = DIRECTORIES.lock().unwrap_or_else(PoisonError::into_inner);
        let known = directories.iter().position(|known| known == directory);
        let place = known.unwrap_or_else(|| {
            directories.push(directory.to_owned());
            directories.len() - 1
        });
        Self(1 + place % (Self::COUNT_MAX - 1))
    }

    pub(crate) fn number(self) -> usize {
        self.0
    }

    /// Whether it is the one of all files that ask for no other.
    pub(crate) fn is_common(self) -> bool {
        self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_directory_has_one_queue_and_none_has_that_of_all_others() {
        let of = |name: &str| Queue::of_directory(Path::new(name));
        let (one, other) = (of("/elio/one"), of("/elio/other"));
        assert_eq!((of("/elio/one"), of("/elio/other")), (one, other));
        assert_ne!(one, other);
        for number in 0..2 * Queue::COUNT_MAX {
            let queue = of(&format!("/elio/many/{number}"));
            assert!(!queue.is_common() && queue.number() < Queue::COUNT_MAX);
        }
    }
}
