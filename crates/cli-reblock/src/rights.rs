//! Others have no more rights to a target than to its source.

use dra::Context;
use rustix::fs::Mode;
use rustix::process::umask;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Everything that an owner of files may keep from others.
const OF_OTHERS: u32 = 0o077;

/// From here on nothing that this process makes gives others a right that they do not have to all of the array at `source`, as rank 0
/// sees it. Where that cannot be found out nobody else has any. Collective.
pub(crate) fn restrict(disk: &Context, source: &Path) -> dra::Result<()> {
    let comm = disk.comm();
    let denied = if comm.rank() == 0 { denied(source).unwrap_or(OF_OTHERS) } else { 0 };
    let mut denied = [i64::from(denied)];
    comm.broadcast(&mut denied, 0)?;
    let denied = u32::try_from(denied[0]).unwrap_or(OF_OTHERS);
    // It can only be asked for by setting it; no other thread makes files yet.
    let before = umask(Mode::from_raw_mode(OF_OTHERS));
    umask(before | Mode::from_raw_mode(denied));
    Ok(())
}

/// What others may not do with a directory and all in it, or some file or directory there.
fn denied(path: &Path) -> io::Result<u32> {
    let metadata = fs::metadata(path)?;
    let denied = !metadata.mode() & OF_OTHERS;
    if metadata.is_dir() {
        return fs::read_dir(path)?
            .try_fold(denied, |denied, entry| Ok(denied | self::denied(&entry?.path())?));
    }
    // Files need no right to be run, which directories that are made need.
    Ok(denied & !0o011)
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
            assert_eq!(denied(&array).unwrap(), expected, "{modes:?}");
        }
        assert!(denied(&scratch.path().join("nothing")).is_err());
    }
}
