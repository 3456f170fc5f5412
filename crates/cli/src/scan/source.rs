//! An array that is read by several threads: its shards, and what in them is a hole.

use crate::error::{Error, Result};
use crate::progress::Progress;
use command::missing;
use command::reblocking::check_source;
use disk_array::format::BrickPlace;
use disk_array::{ArrayDirectory, ShardFile, Stored};
use elio::{File, Mode, OpenOptions, Sharing};
use rustix::fs::SeekFrom;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// So many files stay open.
const OPEN_MAX: usize = 32;

/// An array to be read.
#[derive(Debug)]
pub(crate) struct Source {
    array: ArrayDirectory,
    /// The numbers of the shards that there are, ascending.
    stored: Arc<Vec<u64>>,
    /// The last one used is the last.
    open: Mutex<Vec<Arc<Shard>>>,
}

/// An open shard.
#[derive(Debug)]
pub(crate) struct Shard {
    pub(crate) number: u64,
    places: ShardFile,
    pub(crate) file: File,
}

impl Source {
    /// Opens the array at `path`, of a user; one of which parts are elsewhere only if they are not missed.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let array = ArrayDirectory::open(path)?;
        check_source(&array)?;
        let source = Self::new(array)?;
        missing::tell(&source.array, &source.stored);
        Ok(source)
    }

    /// Whatever array it is; one of which parts are elsewhere only if they are not missed.
    pub(crate) fn new(array: ArrayDirectory) -> Result<Self> {
        let stored = looked_into(&array)?.shards;
        if let Some(part) = array.attributes().and_then(|attributes| attributes.part.as_ref())
            && (stored.len() as u64) < array.layout().shards_count()
        {
            return Err(Error::Part { path: array.path().to_owned(), number: part.number, of: part.of });
        }
        Ok(Self { array, stored: Arc::new(stored), open: Mutex::default() })
    }

    pub(crate) fn array(&self) -> &ArrayDirectory {
        &self.array
    }

    /// The numbers of the shards that there are, ascending.
    pub(crate) fn stored(&self) -> &Arc<Vec<u64>> {
        &self.stored
    }

    /// The shard of `place`; `None` if there is no file, so that all elements are the fill value.
    pub(crate) fn shard(&self, place: BrickPlace) -> Result<Option<Arc<Shard>>> {
        let number = place.shard;
        if self.stored.binary_search(&number).is_err() {
            return Ok(None);
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = open.iter().position(|shard| shard.number == number) {
            let shard = open.remove(at);
            open.push(Arc::clone(&shard));
            return Ok(Some(shard));
        }
        let Some(places) = self.array.shard(number)? else { return Ok(None) };
        // Other programs may write it meanwhile.
        let options = OpenOptions { sharing: Sharing::Shared, ..OpenOptions::new(Mode::Read) };
        let shard = Arc::new(Shard { number, file: File::open(places.path(), &options)?, places });
        if open.len() >= OPEN_MAX {
            open.remove(0);
        }
        open.push(Arc::clone(&shard));
        Ok(Some(shard))
    }
}

/// Which files an array has: all its directories are listed.
pub(crate) fn looked_into(array: &ArrayDirectory) -> Result<Stored> {
    let _progress = Progress::waiting("looking");
    Ok(array.stored()?)
}

impl Shard {
    /// Where the brick in `slot` begins; `None` if nobody wrote it.
    pub(crate) fn offset_bytes(&self, slot: u64) -> Result<Option<u64>> {
        Ok(self.places.offset_bytes(slot)?)
    }

    /// Whether bytes of the file are all in a hole, and so zero.
    pub(crate) fn is_hole(&self, bytes: &Range<u64>) -> bool {
        match rustix::fs::seek(self.places.file(), SeekFrom::Data(bytes.start)) {
            Ok(data) => data >= bytes.end,
            Err(rustix::io::Errno::NXIO) => true,
            Err(_) => false,
        }
    }
}
