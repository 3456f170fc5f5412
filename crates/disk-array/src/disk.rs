//! The system calls that change what is on disk, and nothing else does: so a test can stop the world after each.

use crate::error::{Error, Operation, Result, refused};
use elio::with_open_files_raised;
use rustix::io::Errno;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

#[cfg(test)]
use std::sync::atomic::{AtomicU64, Ordering};

/// How much is copied at a time where the kernel does not.
const COPIED_BYTES: u64 = 1 << 20;

/// So many syncs are under way at once at most: a file system makes all that is waiting durable by one write to its journal.
const SYNCS_MAX: usize = 8;

/// What is to be made durable.
#[derive(Debug)]
pub(crate) enum Unsynced {
    /// A file's content.
    File(File, PathBuf),
    /// The names in a directory.
    Directory(PathBuf),
}

/// The file systems of this machine.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    #[cfg(test)]
    trouble: Option<Trouble>,
    /// Whether there is no block left for anything that is not there yet.
    #[cfg(test)]
    is_full: bool,
    #[cfg(test)]
    other: Option<OtherProgram>,
}

/// What another program does, before one of the calls.
#[cfg(test)]
struct OtherProgram {
    /// How many calls come before.
    calls_left: AtomicU64,
    act: Box<dyn Fn() + Send + Sync>,
}

#[cfg(test)]
impl std::fmt::Debug for OtherProgram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "after {:?} calls", self.calls_left)
    }
}

/// What a test lets go wrong.
#[cfg(test)]
#[derive(Debug)]
struct Trouble {
    /// How many calls still work.
    calls_left: AtomicU64,
    /// Whether nothing works after that, or all but one call.
    for_good: bool,
}

impl Disk {
    /// A disk that does this many calls, and from then on nothing.
    #[cfg(test)]
    pub(crate) fn stopping_after(calls: u64) -> Self {
        let trouble = Some(Trouble { calls_left: AtomicU64::new(calls), for_good: true });
        Self { trouble, ..Self::default() }
    }

    /// A disk that does this many calls, fails once, and then works.
    #[cfg(test)]
    pub(crate) fn failing_after(calls: u64) -> Self {
        let trouble = Some(Trouble { calls_left: AtomicU64::new(calls), for_good: false });
        Self { trouble, ..Self::default() }
    }

    /// This disk without room for another file or directory.
    #[cfg(test)]
    pub(crate) fn filled(self) -> Self {
        Self { is_full: true, ..self }
    }

    /// This disk, on which another program acts after so many calls.
    #[cfg(test)]
    pub(crate) fn shared_after(self, calls: u64, act: impl Fn() + Send + Sync + 'static) -> Self {
        let other = Some(OtherProgram { calls_left: AtomicU64::new(calls), act: Box::new(act) });
        Self { other, ..self }
    }

    #[cfg(test)]
    fn step(&self, operation: Operation, path: &Path) -> Result<()> {
        if let Some(OtherProgram { calls_left, act }) = &self.other
            && calls_left.fetch_sub(1, Ordering::Relaxed) == 0
        {
            act();
        }
        self.step_counted(operation, path)?;
        let makes = matches!(operation, Operation::MakeDirectory | Operation::MakeFile);
        if self.is_full && makes && fs::symlink_metadata(path).is_err() {
            return Err(refused(operation, path)(Errno::NOSPC.into()));
        }
        Ok(())
    }

    #[cfg(test)]
    fn step_counted(&self, operation: Operation, path: &Path) -> Result<()> {
        let Some(Trouble { calls_left, for_good }) = &self.trouble else { return Ok(()) };
        if calls_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |calls| calls.checked_sub(1)).is_ok()
        {
            return Ok(());
        }
        if !for_good {
            calls_left.store(u64::MAX, Ordering::Relaxed);
        }
        Err(refused(operation, path)(ErrorKind::Interrupted.into()))
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the world stops in tests only")]
    fn step(&self, _: Operation, _: &Path) -> Result<()> {
        Ok(())
    }

    /// Makes a directory, unless it is there; whether it was made.
    pub(crate) fn make_directory(&self, path: &Path) -> Result<bool> {
        self.step(Operation::MakeDirectory, path)?;
        match fs::create_dir(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(false),
            Err(error) => Err(refused(Operation::MakeDirectory, path)(error)),
        }
    }

    /// Makes the directories of `inner` that are not there, within `outer`, which is.
    pub(crate) fn make_directories(&self, outer: &Path, inner: &Path) -> Result<()> {
        let mut path = outer.to_owned();
        for name in inner {
            path.push(name);
            if !path.is_dir() {
                self.make_directory(&path)?;
            }
        }
        Ok(())
    }

    /// Makes an empty file, in place of one that is there.
    pub(crate) fn make_file(&self, path: &Path) -> Result<File> {
        self.step(Operation::MakeFile, path)?;
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(true);
        with_open_files_raised(|| options.open(path)).map_err(refused(Operation::MakeFile, path))
    }

    /// Makes an empty file where nothing of this name is.
    pub(crate) fn make_new_file(&self, path: &Path) -> Result<File> {
        self.step(Operation::MakeFile, path)?;
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        with_open_files_raised(|| options.open(path)).map_err(refused(Operation::MakeFile, path))
    }

    pub(crate) fn set_len(&self, file: &File, path: &Path, len_bytes: u64) -> Result<()> {
        self.step(Operation::SetLength, path)?;
        file.set_len(len_bytes).map_err(refused(Operation::SetLength, path))
    }

    pub(crate) fn write_at(&self, file: &File, path: &Path, bytes: &[u8], offset_bytes: u64) -> Result<()> {
        self.step(Operation::Write, path)?;
        file.write_all_at(bytes, offset_bytes).map_err(refused(Operation::Write, path))
    }

    /// Makes `to` share the blocks of `from`; whether the file system can.
    pub(crate) fn clone_file(&self, from: &File, to: &File, path: &Path) -> Result<bool> {
        self.step(Operation::Write, path)?;
        // Whatever the reason, copying is another way, and says what is wrong.
        Ok(rustix::fs::ioctl_ficlone(to, from).is_ok())
    }

    /// Copies up to `len_bytes` at `offset_bytes` of one file to the same place of another, in the kernel if it can; how many,
    /// 0 at the end of `from`.
    pub(crate) fn copy_range(
        &self,
        from: (&File, &Path),
        to: (&File, &Path),
        offset_bytes: u64,
        len_bytes: u64,
    ) -> Result<u64> {
        self.step(Operation::Write, to.1)?;
        let (mut in_source, mut in_copy) = (offset_bytes, offset_bytes);
        let in_kernel = rustix::fs::copy_file_range(
            from.0,
            Some(&mut in_source),
            to.0,
            Some(&mut in_copy),
            section::size(len_bytes),
        );
        match in_kernel {
            Ok(copied) => Ok(copied as u64),
            Err(Errno::XDEV | Errno::NOSYS | Errno::OPNOTSUPP | Errno::INVAL | Errno::PERM) => {
                let mut buffer = vec![0; section::size(len_bytes.min(COPIED_BYTES))];
                let got =
                    from.0.read_at(&mut buffer, offset_bytes).map_err(refused(Operation::Read, from.1))?;
                to.0.write_all_at(&buffer[..got], offset_bytes).map_err(refused(Operation::Write, to.1))?;
                Ok(got as u64)
            }
            Err(error) => Err(refused(Operation::Write, to.1)(error.into())),
        }
    }

    pub(crate) fn sync(&self, file: &File, path: &Path) -> Result<()> {
        self.step(Operation::Sync, path)?;
        synced(file).map_err(refused(Operation::Sync, path))
    }

    /// Makes the names in a directory durable.
    pub(crate) fn sync_directory(&self, path: &Path) -> Result<()> {
        let path = existing(path);
        self.step(Operation::Sync, path)?;
        synced_directory(path)
    }

    /// Makes all of these durable, in no order.
    pub(crate) fn sync_all(&self, unsynced: &[Unsynced]) -> Result<()> {
        unsynced.iter().try_for_each(|one| self.step(Operation::Sync, one.path()))?;
        let (waiting, outcome) = (Mutex::new(unsynced.iter()), Mutex::new(Ok(())));
        let next = || waiting.lock().expect("no thread panics while it takes one").next();
        let work = || {
            while let Some(one) = next() {
                if let Err(error) = one.sync() {
                    *outcome.lock().expect("no thread panics while it tells") = Err(error);
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..unsynced.len().min(SYNCS_MAX) {
                // Without help this thread does all of it.
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        outcome.into_inner().expect("no thread panics while it tells")
    }

    pub(crate) fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.step(Operation::Rename, from)?;
        fs::rename(from, to).map_err(refused(Operation::Rename, from))
    }

    /// Renames what may not be there; whether it was.
    pub(crate) fn rename_if_there(&self, from: &Path, to: &Path) -> Result<bool> {
        there(self.rename(from, to))
    }

    /// Removes a file that may not be there, or goes by itself when it is closed.
    pub(crate) fn remove_file(&self, path: &Path) -> Result<()> {
        self.step(Operation::Remove, path)?;
        match fs::remove_file(path) {
            Err(error) if error.kind() == ErrorKind::ResourceBusy && is_removed_while_open(path) => Ok(()),
            removed => there(removed.map_err(refused(Operation::Remove, path))).map(drop),
        }
    }

    /// Removes an empty directory; whether it is gone. One that is not empty stays, and so does a link to one.
    pub(crate) fn remove_directory(&self, path: &Path) -> Result<bool> {
        self.step(Operation::Remove, path)?;
        match fs::remove_dir(path) {
            Ok(()) => Ok(true),
            Err(error) => match error.kind() {
                ErrorKind::NotFound => Ok(true),
                ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
                    Ok(false)
                }
                _ => Err(refused(Operation::Remove, path)(error)),
            },
        }
    }

    /// Removes a file, or a directory and all in it, that may not be there. Links are removed, not followed.
    pub(crate) fn remove_tree(&self, path: &Path) -> Result<()> {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                self.empty_directory(path)?;
                self.remove_directory(path).map(drop)
            }
            Ok(_) => self.remove_file(path),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(refused(Operation::Look, path)(error)),
        }
    }

    /// Removes all that is in a directory, which may not be there. Links are removed, not followed.
    pub(crate) fn empty_directory(&self, path: &Path) -> Result<()> {
        for (entry, kind) in entries(path)? {
            if kind.is_dir() { self.remove_tree(&entry)? } else { self.remove_file(&entry)? }
        }
        Ok(())
    }
}

/// Whether it has the name that NFS gives files which are removed while this host has them open.
fn is_removed_while_open(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".nfs"))
}

impl Unsynced {
    fn path(&self) -> &Path {
        match self {
            Self::File(_, path) | Self::Directory(path) => path,
        }
    }

    fn sync(&self) -> Result<()> {
        match self {
            Self::File(file, path) => synced(file).map_err(refused(Operation::Sync, path)),
            Self::Directory(path) => synced_directory(existing(path)),
        }
    }

    /// A directory and all directories below it.
    pub(crate) fn tree(path: &Path) -> Result<Vec<Self>> {
        let mut found = vec![Self::Directory(path.to_owned())];
        for (entry, kind) in entries(path)? {
            if kind.is_dir() {
                found.extend(Self::tree(&entry)?);
            }
        }
        Ok(found)
    }
}

/// The parent of a path of one name is the current directory.
fn existing(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

fn synced_directory(path: &Path) -> Result<()> {
    match with_open_files_raised(|| File::open(path)).and_then(|directory| synced(&directory)) {
        // Some file systems have no such thing; there is nothing that we could do.
        Err(error) if error.kind() == ErrorKind::InvalidInput || error.kind() == ErrorKind::Unsupported => {
            Ok(())
        }
        other => other.map_err(refused(Operation::Sync, path)),
    }
}

/// Unit tests see what other processes see, not what a machine that stops keeps, and make thousands of arrays: they spare the
/// device. Integration tests do not.
fn synced(file: &File) -> std::io::Result<()> {
    if cfg!(test) { Ok(()) } else { file.sync_all() }
}

/// What is in a directory, by name; nothing if it is not there.
pub(crate) fn entries(directory: &Path) -> Result<Vec<(std::path::PathBuf, fs::FileType)>> {
    let look = || refused(Operation::Look, directory);
    let listed = match with_open_files_raised(|| fs::read_dir(directory)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(vec![]),
        listed => listed.map_err(look())?,
    };
    let mut found = vec![];
    for entry in listed {
        let entry = entry.map_err(look())?;
        found.push((entry.path(), entry.file_type().map_err(look())?));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

/// Whether it was there, of an operation on what may not be.
fn there(result: Result<()>) -> Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(Error::System { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
