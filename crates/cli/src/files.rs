//! Making a file so that it has its name only when it is complete.

use crate::error::{Error, Result, refused};
use crate::progress::Progress;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// So much of its name is in that of a file that is being made.
const NAME_BYTES_MAX: usize = 200;

/// A file that is being made beside the place where it will be. If it is dropped before [`commit`](Self::commit), it is removed.
#[derive(Debug)]
pub(crate) struct NewFile {
    made: PathBuf,
    path: PathBuf,
    replaces: bool,
    committed: bool,
}

impl NewFile {
    /// Begins to make the file `path`, which may be there only if it shall be replaced.
    pub(crate) fn begin(path: &Path, replaces: bool) -> Result<Self> {
        expect_free(path, replaces)?;
        let no_name = || Error::BadArgument(format!("no name of a file: {}", path.display()));
        // One that ends with a slash is that of a directory, and nothing else could get it at the end.
        let is_file_name = !path.as_os_str().as_bytes().ends_with(b"/");
        let name = path.file_name().filter(|_| is_file_name).ok_or_else(no_name)?;
        let mut part = std::ffi::OsString::from(".");
        // A name may have 255 bytes.
        part.push(OsStr::from_bytes(&name.as_bytes()[..name.len().min(NAME_BYTES_MAX)]));
        part.push(format!(".chemio-part-{}", std::process::id()));
        let made = path.with_file_name(part);
        let file = Self { made, path: path.to_owned(), replaces, committed: false };
        File::create(&file.made).map_err(refused("make", path))?;
        Ok(file)
    }

    /// Where it will be.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where it is until it is complete.
    pub(crate) fn made(&self) -> &Path {
        &self.made
    }

    /// Gives it its name, durably.
    pub(crate) fn commit(mut self) -> Result<()> {
        let _progress = Progress::waiting("syncing");
        let sync = |path: &Path| File::open(path).and_then(|file| file.sync_all());
        sync(&self.made).map_err(refused("sync", &self.path))?;
        // Somebody may have been faster.
        expect_free(&self.path, self.replaces)?;
        fs::rename(&self.made, &self.path).map_err(refused("make", &self.path))?;
        self.committed = true;
        let parent = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        // Not every file system has this.
        let _ = sync(parent.unwrap_or(Path::new(".")));
        Ok(())
    }
}

fn expect_free(path: &Path, replaces: bool) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Err(in_the_way(path, "a directory")),
        Ok(found) if !found.is_file() && !found.is_symlink() => {
            Err(in_the_way(path, "something that is no file"))
        }
        Ok(_) if !replaces => Err(Error::Exists { path: path.to_owned(), found: "a file" }),
        _ => Ok(()),
    }
}

/// What is not replaced, whatever was said.
fn in_the_way(path: &Path, found: &'static str) -> Error {
    Error::Array(disk_array::Error::Exists { path: path.to_owned(), found })
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.committed {
            let _ = fs::remove_file(&self.made);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_committed_was_never_there() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        drop(NewFile::begin(&path, false).unwrap());
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
        let file = NewFile::begin(&path, false).unwrap();
        fs::write(file.made(), "text").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "text");
        assert!(matches!(NewFile::begin(&path, false), Err(Error::Exists { .. })));
        assert!(matches!(NewFile::begin(scratch.path(), true), Err(Error::Array(_))), "a directory stays");
        assert!(matches!(NewFile::begin(&scratch.path().join("new/"), false), Err(Error::BadArgument(_))));
        NewFile::begin(&path, true).unwrap().commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
    }
}
