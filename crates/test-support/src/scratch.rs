//! Directories for the files of a launch.

use std::env;
use std::fs;
use std::path::Path;
use std::time::Duration;

use tempfile::{Builder, TempDir};

use crate::processes::LaunchId;

const PREFIX: &str = "chemio-test-";
/// What is younger may belong to a launcher that this process cannot see: one in another container with the same files.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// A directory that vanishes with the value. What launchers that were killed have left is removed first.
///
/// # Panics
/// If there is no room for a directory.
pub(crate) fn scratch_directory(id: &LaunchId) -> TempDir {
    let place = env::temp_dir();
    remove_abandoned(&place, ABANDONED_AFTER);
    let prefix = format!("{PREFIX}{}-", id.text());
    Builder::new().prefix(&prefix).tempdir_in(place).expect("room for a temporary directory")
}

fn remove_abandoned(place: &Path, after: Duration) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let age = entry.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
        if launch_of(&name).is_some_and(|id| !id.launcher_lives()) && age.is_some_and(|age| age >= after) {
            // Somebody else may be removing it too, or have the right to.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn launch_of(name: &str) -> Option<LaunchId> {
    LaunchId::from_text(name.strip_prefix(PREFIX)?.split_once('-')?.0)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::{ABANDONED_AFTER, remove_abandoned, scratch_directory};
    use crate::processes::LaunchId;

    #[test]
    fn only_old_directories_of_launchers_that_are_gone_are_removed() {
        let place = tempfile::tempdir().expect("a directory");
        let path = |name: &str| place.path().join(name);
        // No process has begun at tick 1 with this number, which is beyond the largest.
        let (gone, ours) = ("chemio-test-9999999.1.0-abcdef", scratch_directory(&LaunchId::new()));
        let ours = ours.path().file_name().expect("a name").to_string_lossy().into_owned();
        for name in [gone, &ours, "chemio-test-else", "else-9999999.1.0-abcdef"] {
            fs::create_dir(path(name)).expect("room for a directory");
        }
        remove_abandoned(place.path(), ABANDONED_AFTER);
        assert!(path(gone).exists(), "it is too young");
        remove_abandoned(place.path(), Duration::ZERO);
        assert!(!path(gone).exists());
        assert_eq!(fs::read_dir(place.path()).expect("readable").count(), 3);
    }
}
