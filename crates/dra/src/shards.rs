//! The shards of an open array that this process has open.

use crate::context::Devices;
use crate::error::{Error, Result};
use crate::format::BrickPlace;
use disk_array::{ArrayDirectory, ShardFile};
use elio::{CachePolicy, File, Mode, OpenOptions, Sharing};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many files of an array stay open in a process.
const OPEN_MAX: usize = 64;

/// One shard.
#[derive(Debug)]
pub(crate) struct Shard {
    pub(crate) file: File,
    /// Tells where bricks are, and whether the name still belongs to this file.
    places: ShardFile,
}

impl Shard {
    /// Where the brick in `slot` begins; `None` if nobody wrote it.
    pub(crate) fn offset_bytes(&self, slot: u64) -> Result<Option<u64>> {
        Ok(self.places.offset_bytes(slot)?)
    }

    /// Whether bricks have the room that the layout gives them, up to the next one.
    pub(crate) fn is_as_laid_out(&self) -> bool {
        self.places.is_as_laid_out()
    }
}

/// The shards of an array.
#[derive(Debug)]
pub(crate) struct Shards {
    directory: Arc<ArrayDirectory>,
    devices: Devices,
    writable: bool,
    open: Mutex<Open>,
}

/// What is written of an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Filling {
    /// Some of it.
    #[default]
    Parts,
    /// All of it.
    ThroughCache,
    /// All of it, and around the page cache where it is whole pages.
    AroundCache,
}

#[derive(Debug, Default)]
struct Open {
    filling: Filling,
    /// With the moment of the last use.
    shards: HashMap<u64, (Arc<Shard>, u64)>,
    moment: u64,
    /// The numbers of shards that this process wrote to and did not sync.
    written: BTreeSet<u64>,
}

impl Shards {
    pub(crate) fn new(directory: &Arc<ArrayDirectory>, devices: &Devices, writable: bool) -> Self {
        Self { directory: Arc::clone(directory), devices: devices.clone(), writable, open: Mutex::default() }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The shard of `place`; `None` if there is no file, so that all elements are the fill value.
    pub(crate) fn get(&self, place: BrickPlace) -> Result<Option<Arc<Shard>>> {
        let number = place.shard;
        let mut open = self.open();
        open.moment += 1;
        let now = open.moment;
        if let Some((shard, used)) = open.shards.get_mut(&number) {
            *used = now;
            return Ok(Some(Arc::clone(shard)));
        }
        let Some(shard) = self.open_shard(number, open.filling)? else { return Ok(None) };
        let shard = Arc::new(shard);
        if open.shards.len() >= OPEN_MAX {
            let oldest = open.shards.iter().min_by_key(|(_, (_, used))| *used).map(|(&number, _)| number);
            oldest.map(|number| open.shards.remove(&number));
        }
        open.shards.insert(number, (Arc::clone(&shard), now));
        Ok(Some(shard))
    }

    fn open_shard(&self, number: u64, filling: Filling) -> Result<Option<Shard>> {
        let places = if self.writable {
            // Put in order when the array was opened.
            match self.directory.shard(number)? {
                Some(shard) if shard.is_as_laid_out() => shard,
                _ => return Err(self.replaced(number)),
            }
        } else {
            match self.directory.shard(number)? {
                Some(shard) => shard,
                None => return Ok(None),
            }
        };
        let mode = if self.writable { Mode::Existing } else { Mode::Read };
        let (sharing, cache) = match filling {
            Filling::AroundCache => (Sharing::SharedByPages, CachePolicy::Bypass),
            Filling::ThroughCache | Filling::Parts => (Sharing::Shared, CachePolicy::Auto),
        };
        let (keeps_holes, is_pipelined) = (true, true);
        let options = OpenOptions { cache, sharing, keeps_holes, is_pipelined, ..OpenOptions::new(mode) };
        let file = self.devices.open(places.path(), &options)?;
        if filling != Filling::Parts && self.writable {
            self.reserve(&file);
        }
        // Opening was by name, twice.
        if places.is_current()? { Ok(Some(Shard { file, places })) } else { Err(self.replaced(number)) }
    }

    /// Reserves all the space of a shard: what goes around the page cache finds its place at once, and small parts would find as many
    /// places as there are.
    /// Nothing is lost where space cannot be had: the write tells.
    fn reserve(&self, file: &File) {
        if file.properties().allocates_ahead()
            && let Err(error) = file.preallocate(0, self.directory.layout().shard().len_bytes())
        {
            tracing::debug!(%error, "no space is reserved for a shard");
        }
    }

    fn replaced(&self, number: u64) -> Error {
        let reason = "replaced or removed by another program while the array was open".to_owned();
        self.directory.corrupt_shard(number, reason).into()
    }

    /// Before a transfer: forgets shards that another program has replaced. One that is open for writing must not be lost so.
    pub(crate) fn look_again(&self) -> Result<()> {
        let mut open = self.open();
        let mut stale = vec![];
        for (&number, (shard, _)) in &open.shards {
            if !shard.places.is_current()? {
                stale.push(number);
            }
        }
        for number in stale {
            open.shards.remove(&number);
            if self.writable {
                return Err(self.replaced(number));
            }
        }
        Ok(())
    }

    /// Notes that this process writes to a shard.
    pub(crate) fn note_written(&self, number: u64) {
        self.open().written.insert(number);
    }

    /// What is written from now on.
    pub(crate) fn fill(&self, filling: Filling) {
        let mut open = self.open();
        if std::mem::replace(&mut open.filling, filling) != filling {
            open.shards.clear();
        }
    }

    /// Whether all space is reserved where a shard is opened.
    pub(crate) fn are_filled(&self) -> bool {
        self.open().filling != Filling::Parts
    }

    /// Closes all files, so that their space is free when they are removed. They open again when they are needed.
    pub(crate) fn close(&self) {
        self.open().shards.clear();
    }

    /// Makes all that this process wrote durable. What fails stays noted.
    pub(crate) fn sync(&self) -> Result<()> {
        let written: Vec<u64> = self.open().written.iter().copied().collect();
        for number in written {
            let shard =
                self.get(BrickPlace { shard: number, slot: 0 })?.ok_or_else(|| self.replaced(number))?;
            shard.file.sync()?;
            self.open().written.remove(&number);
        }
        Ok(())
    }
}
