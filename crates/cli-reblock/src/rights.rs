//! Others have no more rights to a target than to its source.

use dra::rights::{self, OF_OTHERS};
use dra::{Context, DiskArray};
use rustix::fs::Mode;
use rustix::process::{getegid, umask};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const SETS_GROUP: u32 = 0o2000;

/// From here on nothing that this process makes gives others a right that they do not have to all of `source`, wherever hosts have a part
/// of it. Where that cannot be found out nobody else has any. Rules of a directory for what is made in it (default ACLs) come before that.
/// Collective. Cost: a look at every file of the source, by one rank.
pub(crate) fn restrict(disk: &Context, source: &DiskArray, target: &Path) -> dra::Result<()> {
    let path = source.directory().path();
    let look = || {
        denied(path, group_of_new_files(target)).unwrap_or_else(|error| {
            tracing::warn!(%error, path = %path.display(), "rights are not known: nobody else gets any to the target");
            OF_OTHERS
        })
    };
    let denied = if source.keeps_directory() { look() } else { 0 };
    let all = disk.comm().all_gather(&[u64::from(denied)])?;
    let denied = all.into_iter().fold(0, |all, denied| all | denied);
    let denied = Mode::from_raw_mode(u32::try_from(denied).unwrap_or(OF_OTHERS));
    // It can only be asked for by setting it.
    let before = umask(Mode::from_raw_mode(OF_OTHERS));
    umask(before | denied);
    Ok(())
}

/// The group of what this process makes at `target`.
fn group_of_new_files(target: &Path) -> u32 {
    let of_parent = target.parent().and_then(|parent| fs::metadata(parent).ok());
    let inherited = of_parent.filter(|parent| parent.mode() & SETS_GROUP != 0).map(|parent| parent.gid());
    inherited.unwrap_or_else(|| getegid().as_raw())
}

/// What others, and this group, may not do with a file, or a directory and all in it but what links lead to, or some of that.
fn denied(path: &Path, group: u32) -> io::Result<u32> {
    let metadata = fs::metadata(path)?;
    let mut denied = rights::denied(&metadata, group);
    if !metadata.is_dir() {
        // Files need no right to be run, which directories that are made need.
        return Ok(denied & !0o011);
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let of_entry = match entry.file_type() {
            Ok(kind) if kind.is_symlink() && entry.path().is_dir() => continue,
            _ => self::denied(&entry.path(), group),
        };
        denied |= match of_entry {
            // Attributes are replaced by way of files that come and go.
            Err(error) if error.kind() == ErrorKind::NotFound => 0,
            of_entry => of_entry?,
        };
    }
    Ok(denied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_right_is_denied_that_is_denied_anywhere() {
        let scratch = tempfile::tempdir().unwrap();
        let (array, inside) = (scratch.path().join("array"), scratch.path().join("array/c"));
        fs::create_dir_all(&inside).unwrap();
        let file = inside.join("0");
        fs::write(&file, "").unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for (modes, expected) in [
            ([0o777, 0o777, 0o666], 0),
            ([0o755, 0o755, 0o644], 0o022),
            ([0o755, 0o755, 0o640], 0o026),
            ([0o755, 0o750, 0o644], 0o027),
            ([0o700, 0o777, 0o666], 0o077),
            ([0o771, 0o777, 0o666], 0o006),
        ] {
            [&array, &inside, &file].into_iter().zip(modes).for_each(|(path, mode)| set(path, mode));
            let group = group_of_new_files(&array);
            assert_eq!(denied(&array, group).unwrap(), expected, "{modes:?}");
            let of_group = expected | (expected & 0o007) << 3;
            assert_eq!(denied(&array, group + 1).unwrap(), of_group, "{modes:?}, another group");
        }
        assert!(denied(&scratch.path().join("nothing"), 0).is_err());
        std::os::unix::fs::symlink("..", inside.join("up")).unwrap();
        std::os::unix::fs::symlink("nowhere", inside.join("lost")).unwrap();
        assert_eq!(denied(&array, group_of_new_files(&array)).unwrap(), 0o006);
    }
}
