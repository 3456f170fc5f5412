//! The files that hold a shared file's bytes: one, or several stripes.

use crate::error::{Error, Result};
use crate::striping::Striping;
use elio::{CachePolicy, Mode, OpenOptions, Operation, Piece, Sharing};
use std::path::{Path, PathBuf};

/// The open files of a shared file.
#[derive(Debug)]
pub(crate) struct Storage {
    /// The name of the whole, as the program gave it.
    pub(crate) path: PathBuf,
    pub(crate) striping: Striping,
    files: Vec<elio::File>,
}

impl Storage {
    /// Opens the files, which are there already.
    pub(crate) fn open(
        path: &Path,
        striping: Striping,
        files: &[PathBuf],
        cache: CachePolicy,
    ) -> Result<Self> {
        let options = OpenOptions { cache, sharing: Sharing::Shared, ..OpenOptions::new(Mode::Existing) };
        let files = files.iter().map(|file| elio::File::open(file, &options)).collect::<elio::Result<_>>()?;
        Ok(Self { path: path.to_owned(), striping, files })
    }

    /// The pieces of a request.
    pub(crate) fn pieces(
        &self,
        operation: Operation,
        offset_bytes: u64,
        len: usize,
    ) -> Result<impl Iterator<Item = Piece<'_>>> {
        let len_bytes = len as u64;
        if offset_bytes.checked_add(len_bytes).is_none_or(|end| i64::try_from(end).is_err()) {
            let path = self.path.clone();
            return Err(elio::Error::OutOfRange { operation, path, offset_bytes, len_bytes }.into());
        }
        Ok(self.striping.runs(offset_bytes, len).map(|run| Piece {
            file: &self.files[run.stripe],
            offset_bytes: run.offset_bytes,
            len_bytes: run.len_bytes,
        }))
    }

    /// The only file, if it is not striped.
    pub(crate) fn plain(&self) -> Option<&elio::File> {
        if self.striping.is_striped() { None } else { self.files.first() }
    }

    /// Where the file ends, as all ranks wrote it.
    pub(crate) fn len_bytes(&self) -> Result<u64> {
        let mut end_bytes = 0;
        for (stripe, file) in self.files.iter().enumerate() {
            end_bytes = end_bytes.max(self.striping.end_of(stripe, file.len()?));
        }
        Ok(end_bytes)
    }

    /// How much of a read of `len` bytes there is, where a stripe had less than it was asked for: the file may have a hole
    /// there.
    pub(crate) fn bytes_before_end(&self, offset_bytes: u64, len: usize) -> Result<usize> {
        let there = self.len_bytes()?.saturating_sub(offset_bytes);
        Ok(usize::try_from(there).unwrap_or(usize::MAX).min(len))
    }

    /// Turns a short read into the error that says so.
    pub(crate) fn expect_all(&self, got: usize, len: usize, offset_bytes: u64) -> Result<()> {
        if got == len {
            return Ok(());
        }
        let (got_bytes, len_bytes) = (got as u64, len as u64);
        Err(Error::EndOfFile { path: self.path.clone(), offset_bytes, len_bytes, got_bytes })
    }

    /// Waits for what is under way and hands over what is held.
    pub(crate) fn flush(&self) -> Result<()> {
        Ok(self.each(elio::File::flush)?)
    }

    pub(crate) fn sync(&self) -> Result<()> {
        Ok(self.each(elio::File::sync)?)
    }

    /// Reserves space for the first `len_bytes` bytes.
    pub(crate) fn preallocate(&self, len_bytes: u64) -> elio::Result<()> {
        let shares = self
            .files
            .iter()
            .enumerate()
            .map(|(stripe, file)| (file, self.striping.share_of(stripe, len_bytes)));
        for (file, share) in shares {
            file.preallocate(0, share)?;
        }
        Ok(())
    }

    /// Gives back space beyond the end of each file. Nobody may be writing.
    pub(crate) fn release_beyond_end(&self) -> elio::Result<()> {
        self.each(|file| file.set_len(file.len()?))
    }

    /// Calls all files, also after an error; gives the first.
    fn each(&self, call: impl Fn(&elio::File) -> elio::Result<()>) -> elio::Result<()> {
        let results: Vec<_> = self.files.iter().map(call).collect();
        results.into_iter().collect()
    }
}
