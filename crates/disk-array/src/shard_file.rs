//! One shard on disk: whether it is as we lay shards out, and where its bricks are.
//!
//! A shard that we made and nobody else touched is known by its length, its first and last index entries and the checksum of
//! the index, which is the same for all shards of an array: two small reads. Then all places are computed. Any other shard is
//! read by its index, after the checksum was verified: one entry at a time, so that nothing has to be kept in memory.

use crate::disk::Disk;
use crate::error::{Error, Operation, Result, refused};
use crate::format::{IndexEntry, IndexLocation, ShardLayout};
use crate::fresh::metadata_now;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// An open shard.
#[derive(Debug)]
pub struct ShardFile {
    path: PathBuf,
    file: File,
    len_bytes: u64,
    layout: ShardLayout,
    as_laid_out: bool,
}

impl ShardFile {
    /// Opens the shard at `path`, and to write too if it shall be `writable`; `None` if there is none. `checksum` is that
    /// of the layout's index, asked for only if it is needed.
    pub(crate) fn open(
        path: PathBuf,
        layout: &ShardLayout,
        checksum: impl FnOnce() -> u32,
        writable: bool,
    ) -> Result<Option<Self>> {
        // A pipe would be waited for, a directory refused with words that explain nothing.
        // Of one that another host has just made, the elements are no fill values.
        match metadata_now(&path, &path) {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Err(Error::CorruptShard { path, reason: "not a file".to_owned() }),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound) => return Ok(None),
            Err(error) => return Err(refused(Operation::Look, &path)(error)),
        }
        let open = || File::options().read(true).write(writable).open(&path);
        let file = elio::with_open_files_raised(open).map_err(refused(Operation::Open, &path))?;
        let len_bytes = file.metadata().map_err(refused(Operation::Look, &path))?.len();
        let mut shard = Self { path, file, len_bytes, layout: *layout, as_laid_out: false };
        shard.as_laid_out = shard.matches_layout(checksum)?;
        if !shard.as_laid_out {
            shard.check_index()?;
        }
        Ok(Some(shard))
    }

    /// The file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether all bricks are where the layout says; if not, another program wrote the shard.
    pub fn is_as_laid_out(&self) -> bool {
        self.as_laid_out
    }

    /// Whether the shard's name still belongs to this file: other programs replace shards as a whole.
    ///
    /// # Errors
    /// What the system says.
    pub fn is_current(&self) -> Result<bool> {
        let look = |error| refused(Operation::Look, &self.path)(error);
        let mine = self.file.metadata().map_err(look)?;
        match fs::metadata(&self.path) {
            Ok(named) => Ok((named.dev(), named.ino()) == (mine.dev(), mine.ino())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(look(error)),
        }
    }

    /// Where the brick in `slot` begins; `None` if nobody wrote it, so that its elements are the fill value.
    ///
    /// # Errors
    /// - [`Error::CorruptShard`]: the index says what cannot be. What the system says.
    pub fn offset_bytes(&self, slot: u64) -> Result<Option<u64>> {
        if self.as_laid_out {
            return Ok(Some(self.layout.offset_bytes(slot)));
        }
        let entry = self.entry(slot)?;
        if entry == IndexEntry::MISSING {
            return Ok(None);
        }
        match self.layout.check_entry(entry, self.len_bytes) {
            Ok(()) => Ok(Some(entry.offset_bytes)),
            Err(reason) => Err(self.corrupt(format!("brick in slot {slot}: {reason}"))),
        }
    }

    /// Fills `bytes` from `offset_bytes` of the file.
    pub(crate) fn read_at(&self, bytes: &mut [u8], offset_bytes: u64) -> Result<()> {
        self.file.read_exact_at(bytes, offset_bytes).map_err(refused(Operation::Read, &self.path))
    }

    fn corrupt(&self, reason: String) -> Error {
        Error::CorruptShard { path: self.path.clone(), reason }
    }

    fn index_offset_bytes(&self) -> u64 {
        self.layout.index_offset_in(self.len_bytes)
    }

    fn entry(&self, slot: u64) -> Result<IndexEntry> {
        let mut stored = [0; IndexEntry::BYTES];
        self.read_at(&mut stored, self.index_offset_bytes() + slot * IndexEntry::BYTES as u64)?;
        Ok(IndexEntry::decode(stored))
    }

    fn matches_layout(&self, checksum: impl FnOnce() -> u32) -> Result<bool> {
        if self.len_bytes != self.layout.len_bytes() {
            return Ok(false);
        }
        let Some(index) = self.layout.index() else { return Ok(true) };
        let last = self.layout.bricks_count() - 1;
        if self.entry(0)? != self.layout.entry(0) || self.entry(last)? != self.layout.entry(last) {
            return Ok(false);
        }
        let expected = checksum();
        let sum = if index.checksum { self.stored_checksum()? } else { self.entries_checksum()? };
        Ok(sum == expected)
    }

    /// Bytes of the entries, without the checksum.
    fn entries_bytes(&self) -> u64 {
        self.layout.bricks_count() * IndexEntry::BYTES as u64
    }

    fn stored_checksum(&self) -> Result<u32> {
        let mut stored = [0; 4];
        self.read_at(&mut stored, self.index_offset_bytes() + self.entries_bytes())?;
        Ok(u32::from_le_bytes(stored))
    }

    /// The checksum of the entries as they are.
    fn entries_checksum(&self) -> Result<u32> {
        let (mut at, mut left) = (self.index_offset_bytes(), self.entries_bytes());
        let mut checksum = 0;
        let mut piece = vec![0; ShardLayout::PIECE_BYTES];
        while left > 0 {
            let part = &mut piece[..section::size(left.min(ShardLayout::PIECE_BYTES as u64))];
            self.read_at(part, at)?;
            checksum = crc32c::crc32c_append(checksum, part);
            at += part.len() as u64;
            left -= part.len() as u64;
        }
        Ok(checksum)
    }

    /// Checks all that can be checked without knowing who wrote the shard: the length, and the index against its checksum.
    pub(crate) fn check_index(&self) -> Result<()> {
        let (got, ours) = (self.len_bytes, self.layout.len_bytes());
        let Some(index) = self.layout.index() else {
            let wrong = || self.corrupt(format!("{got} bytes instead of {ours}"));
            return if got == ours { Ok(()) } else { Err(wrong()) };
        };
        let index_bytes = self.layout.index_bytes();
        if got < index_bytes {
            return Err(self.corrupt(format!("{got} bytes, the index alone has {index_bytes}")));
        }
        if !index.checksum {
            return Ok(());
        }
        let (stored, computed) = (self.stored_checksum()?, self.entries_checksum()?);
        if stored == computed {
            return Ok(());
        }
        let place = if index.location == IndexLocation::Start { "start" } else { "end" };
        Err(self.corrupt(format!(
            "checksum {computed:08x} of the index instead of {stored:08x}, at the {place} of {got} bytes ({ours} when made)"
        )))
    }
}

/// Makes an empty file a shard in which nobody has written: a hole, and the index. Not synced.
pub(crate) fn lay_out_shard(disk: &Disk, file: &File, path: &Path, layout: &ShardLayout) -> Result<()> {
    disk.set_len(file, path, layout.len_bytes())?;
    let mut offset_bytes = layout.index_offset_bytes();
    layout.write_index(|piece| -> Result<()> {
        disk.write_at(file, path, piece, offset_bytes)?;
        offset_bytes += piece.len() as u64;
        Ok(())
    })
}
