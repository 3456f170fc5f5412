//! Who may do what with a file that takes the place of another one: the same, as far as this user may say so, and never anybody more. And who
//! may do what with a copy: nobody more, either.
//!
//! A part of an array is replaced by a new file, which would have the rights that new files of this user have: what was private
//! would become readable to others, and what a group shares would be out of its reach when one of it has set an attribute.

use crate::error::{Operation, Result, refused};
use rustix::fs::{XattrFlags, fremovexattr, fsetxattr, getxattr};
use rustix::io::Errno;
use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

/// Where Linux keeps the entries for single users and groups.
const ACCESS_LIST: &str = "system.posix_acl_access";
/// No attribute of a file is longer.
const ATTRIBUTE_BYTES_MAX: usize = 64 << 10;

/// Everything that an owner of files may keep from others: the bits of the group and of everybody.
pub const OF_OTHERS: u32 = 0o077;

/// The bits of [`OF_OTHERS`] that others do not have on a file or directory, where what is made of it belongs to `group`: another group has no
/// more rights than everybody.
pub fn denied(found: &Metadata, group: u32) -> u32 {
    let denied = !found.mode() & OF_OTHERS;
    if found.gid() == group { denied } else { denied | (denied & 0o007) << 3 }
}

/// Takes from what was made at `path` whatever `source` does not allow others: what was private stays so. A file system that has no such
/// rights has none to keep.
pub(crate) fn restrict(path: &Path, source: &Metadata) -> Result<()> {
    let made = fs::metadata(path).map_err(refused(Operation::Look, path))?;
    let (rights, denied) = (made.mode() & 0o7777, denied(source, made.gid()));
    if rights & denied != 0
        && let Err(error) = fs::set_permissions(path, Permissions::from_mode(rights & !denied))
    {
        tracing::warn!(%error, path = %path.display(), "others may do more with a copy than with what was copied");
    }
    Ok(())
}

/// Gives `file` the owner, the group and the rights of the file at `place`. If nothing is there it keeps what new files have. A file system
/// that has no rights has none to keep.
pub(crate) fn keep(file: &File, place: &Path) {
    let replaced = match fs::metadata(place) {
        Ok(replaced) => replaced,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        Err(error) => return warn(&error, place),
    };
    if let Err(error) = keep_of(file, &replaced, place) {
        warn(&error, place);
    }
}

fn warn(error: &io::Error, place: &Path) {
    tracing::warn!(%error, path = %place.display(), "the rights of a file that is replaced are not kept");
}

fn keep_of(file: &File, replaced: &Metadata, place: &Path) -> io::Result<()> {
    // At first nobody else, whatever fails below.
    file.set_permissions(Permissions::from_mode(replaced.mode() & 0o700))?;
    let has_group = keep_owner(file, replaced)?;
    let list = access_list(place)?;
    let rights = replaced.mode() & 0o777;
    // The rights of the group are those of all in the list, if there is one; and none of another group than was meant, but
    // those of others.
    let for_group = if has_group && list.is_none() { 0o070 } else { (rights & 0o007) << 3 };
    let rights = rights & (0o707 | for_group);
    let outcome = match list {
        None => fremovexattr(file, ACCESS_LIST),
        Some(_) if !has_group => fremovexattr(file, ACCESS_LIST),
        Some(list) => {
            file.set_permissions(Permissions::from_mode(rights))?;
            return Ok(fsetxattr(file, ACCESS_LIST, &list, XattrFlags::empty())?);
        }
    };
    match outcome {
        Ok(()) | Err(Errno::NODATA | Errno::NOTSUP) => {}
        Err(error) => tracing::debug!(%error, "the list of who may use a new file stays"),
    }
    // After the owner and the group, with which some rights go.
    if file.metadata()?.mode() & 0o777 == rights {
        return Ok(());
    }
    file.set_permissions(Permissions::from_mode(rights))
}

/// Whether it has the group now. Only root may give a file away, and only who belongs to a group may give it to that. That is no error: whoever
/// may write to the directory may replace the file.
fn keep_owner(file: &File, replaced: &Metadata) -> io::Result<bool> {
    let made = file.metadata()?;
    let (owner, group) = (replaced.uid(), replaced.gid());
    let has_group = made.gid() == group;
    if made.uid() != owner && fchown(file, Some(owner), Some(group)).is_ok() {
        return Ok(true);
    }
    Ok(has_group || fchown(file, None, Some(group)).is_ok())
}

fn access_list(place: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut list = vec![0; ATTRIBUTE_BYTES_MAX];
    match getxattr(place, ACCESS_LIST, &mut list) {
        Ok(len) => {
            list.truncate(len);
            Ok(Some(list))
        }
        Err(Errno::NODATA | Errno::NOTSUP) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::ArrayDirectory;
    use crate::format::{ArraySpec, DataType, METADATA};
    use std::os::unix::fs::FileExt;
    use std::path::PathBuf;

    fn array_in(scratch: &Path) -> (ArrayDirectory, [PathBuf; 2]) {
        let path = scratch.join("array");
        let array =
            ArrayDirectory::create(&path, &ArraySpec::new(&[9, 6], DataType::Float64).unwrap()).unwrap();
        let files = [path.join(METADATA), array.shard_path(0)];
        (array, files)
    }

    /// Replaces both files of the array.
    fn replace(array: &mut ArrayDirectory) {
        let inodes = |array: &ArrayDirectory| {
            [array.path().join(METADATA), array.shard_path(0)].map(|file| fs::metadata(file).unwrap().ino())
        };
        // Another layout, as that of other programs: the index is further behind.
        let shard = File::options().write(true).open(array.shard_path(0)).unwrap();
        let len_bytes = shard.metadata().unwrap().len();
        shard.set_len(len_bytes + 512).unwrap();
        let index = array.layout().shard().index_bytes();
        let mut bytes = vec![0; usize::try_from(index).unwrap()];
        File::open(array.shard_path(0)).unwrap().read_exact_at(&mut bytes, len_bytes - index).unwrap();
        shard.write_all_at(&bytes, len_bytes + 512 - index).unwrap();
        let before = inodes(array);
        array.set_attribute("units", Some("hartree".into())).unwrap();
        array.restore_shard(0).unwrap();
        let after = inodes(array);
        assert!(before[0] != after[0] && before[1] != after[1], "both are other files now");
    }

    #[test]
    fn a_replaced_file_has_the_rights_that_it_had() {
        for mode in [0o600, 0o664, 0o640, 0o666] {
            let scratch = tempfile::tempdir().unwrap();
            let (mut array, files) = array_in(scratch.path());
            for file in &files {
                fs::set_permissions(file, Permissions::from_mode(mode)).unwrap();
            }
            replace(&mut array);
            assert_eq!(files.map(|file| fs::metadata(file).unwrap().mode() & 0o7777), [mode, mode]);
        }
    }

    #[test]
    fn a_replaced_file_has_the_owner_and_the_group_that_it_had_where_this_user_may_give_them() {
        let scratch = tempfile::tempdir().unwrap();
        let (mut array, files) = array_in(scratch.path());
        if std::os::unix::fs::chown(&files[0], Some(12345), Some(23456)).is_err() {
            return; // not root
        }
        std::os::unix::fs::chown(&files[1], None, Some(23456)).unwrap();
        let of = |file: &PathBuf| {
            let found = fs::metadata(file).unwrap();
            [found.uid(), found.gid()]
        };
        let before = files.each_ref().map(of);
        replace(&mut array);
        assert_eq!(files.each_ref().map(of), before);
    }

    #[test]
    fn a_copy_gives_nobody_more_rights_than_there_were() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("copy");
        let made_of = |mode: u32, group: Option<u32>| {
            let source = scratch.path().join("source");
            fs::write(&source, "").unwrap();
            fs::set_permissions(&source, Permissions::from_mode(mode)).unwrap();
            std::os::unix::fs::chown(&source, None, group).unwrap();
            let _ = fs::remove_file(&path);
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o664)).unwrap();
            restrict(&path, &fs::metadata(&source).unwrap()).unwrap();
            fs::metadata(&path).unwrap().mode() & 0o7777
        };
        let expected = [(0o666, 0o664), (0o644, 0o644), (0o640, 0o640), (0o400, 0o600)];
        assert_eq!(expected.map(|(mode, _)| made_of(mode, None)), expected.map(|(_, rights)| rights));
        if std::os::unix::fs::chown(&path, None, Some(23456)).is_err() {
            return; // not root
        }
        let expected = [(0o660, 0o600), (0o664, 0o644), (0o666, 0o664)];
        assert_eq!(expected.map(|(mode, _)| made_of(mode, Some(23456))), expected.map(|(_, rights)| rights));
    }

    #[test]
    fn entries_for_single_users_are_kept_and_the_group_gets_no_more_than_it_had() {
        let scratch = tempfile::tempdir().unwrap();
        let (mut array, files) = array_in(scratch.path());
        // Version 2; owner rw, user 12345 rw, group none, mask rw, others none: each with a tag, rights and an id.
        let none = u32::MAX;
        let entries: [(u16, u16, u32); 5] =
            [(0x01, 6, none), (0x02, 6, 12345), (0x04, 0, none), (0x10, 6, none), (0x20, 0, none)];
        let entry = |&(tag, rights, id): &(u16, u16, u32)| {
            [&tag.to_le_bytes()[..], &rights.to_le_bytes(), &id.to_le_bytes()].concat()
        };
        let list = [2u32.to_le_bytes().to_vec(), entries.iter().flat_map(entry).collect()].concat();
        for file in &files {
            let open = File::open(file).unwrap();
            if fsetxattr(&open, ACCESS_LIST, &list, XattrFlags::empty()).is_err() {
                return; // a file system without such entries
            }
        }
        replace(&mut array);
        for file in &files {
            assert_eq!(access_list(file).unwrap().as_ref(), Some(&list));
        }
        // What has none gets none.
        for file in &files {
            fremovexattr(File::open(file).unwrap(), ACCESS_LIST).unwrap();
            fs::set_permissions(file, Permissions::from_mode(0o640)).unwrap();
        }
        replace(&mut array);
        for file in &files {
            assert_eq!(access_list(file).unwrap(), None);
            assert_eq!(fs::metadata(file).unwrap().mode() & 0o777, 0o640);
        }
    }
}
