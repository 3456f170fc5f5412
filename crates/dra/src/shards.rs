//! The shards of an open array that this process has open.

use crate::context::Devices;
use crate::error::{Error, Result};
use crate::format::BrickPlace;
use disk_array::{ArrayDirectory, ShardFile};
use elio::{CachePolicy, File, Mode, OpenOptions, Sharing, SpareFiles, note_spare_files};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// So many files of an array stay open in a process.
const OPEN_MAX: usize = 64;

/// One shard.
#[derive(Debug)]
pub(crate) struct Shard {
    pub(crate) file: File,
    /// Tells where bricks are, and whether the name still belongs to this file.
    places: ShardFile,
    /// `None` if it is only read.
    lost: Option<Arc<Lost>>,
}

/// What the system has told of writes that failed, of shards that were closed before they were synced.
#[derive(Debug, Default)]
struct Lost(Mutex<Option<elio::Error>>);

impl Lost {
    fn note(&self, error: elio::Error) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    fn take(&self) -> Option<elio::Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for Shard {
    /// The system tells an error to those who had the file open, and perhaps to nobody who opens it afterwards.
    fn drop(&mut self) {
        if let Some(lost) = &self.lost
            && let Err(error) = self.file.late_error()
        {
            tracing::warn!(%error, "what was written to a shard is lost");
            lost.note(error);
        }
    }
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
    open: Arc<OpenShards>,
    lost: Arc<Lost>,
    /// One at a time makes durable what was written: whoever comes next relies on it.
    syncing: Mutex<()>,
}

/// Those that are open; where files are short, they close but for those that transfers are using.
#[derive(Debug, Default)]
struct OpenShards(Mutex<Open>);

impl SpareFiles for OpenShards {
    fn close_unused(&self) -> bool {
        // Who has the lock may be the one who needs a file.
        let Ok(mut open) = self.0.try_lock() else { return false };
        let unused: Vec<_> = open.shards.extract_if(|_, (shard, _)| Arc::strong_count(shard) == 1).collect();
        drop(open);
        !unused.is_empty()
    }
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

impl Open {
    fn find(&mut self, number: u64) -> Option<Arc<Shard>> {
        self.moment += 1;
        let (shard, used) = self.shards.get_mut(&number)?;
        *used = self.moment;
        Some(Arc::clone(shard))
    }

    /// Keeps a shard open, unless another thread was faster; gives the one that is open now, and one that no longer is.
    fn keep(&mut self, number: u64, shard: Arc<Shard>) -> (Arc<Shard>, Option<Arc<Shard>>) {
        if let Some(earlier) = self.find(number) {
            return (earlier, Some(shard));
        }
        let oldest = || self.shards.iter().min_by_key(|(_, (_, used))| *used).map(|(&number, _)| number);
        let oldest = if self.shards.len() < OPEN_MAX { None } else { oldest() };
        let evicted = oldest.and_then(|oldest| self.shards.remove(&oldest)).map(|(evicted, _)| evicted);
        self.shards.insert(number, (Arc::clone(&shard), self.moment));
        (shard, evicted)
    }
}

impl Shards {
    pub(crate) fn new(directory: &Arc<ArrayDirectory>, devices: &Devices, writable: bool) -> Self {
        let open = Arc::<OpenShards>::default();
        let keeper: Weak<OpenShards> = Arc::downgrade(&open);
        note_spare_files(keeper);
        let (lost, syncing) = (Arc::default(), Mutex::default());
        Self { directory: Arc::clone(directory), devices: devices.clone(), writable, open, lost, syncing }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The shard of `place`; `None` if there is no file, so that all elements are the fill value.
    pub(crate) fn get(&self, place: BrickPlace) -> Result<Option<Arc<Shard>>> {
        let number = place.shard;
        let (found, filling) = {
            let mut open = self.open();
            (open.find(number), open.filling)
        };
        if found.is_some() {
            return Ok(found);
        }
        // Without the lock: it may take long, and where files are short some of these are closed for it.
        let Some(shard) = self.open_shard(number, filling)? else { return Ok(None) };
        let (shard, _evicted) = self.open().keep(number, Arc::new(shard));
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
            self.reserve(number, &file);
        }
        // Opening was by name, twice.
        if !places.is_current()? {
            return Err(self.replaced(number));
        }
        let lost = self.writable.then(|| Arc::clone(&self.lost));
        Ok(Some(Shard { file, places, lost }))
    }

    /// Reserves the space of a shard's bricks: what goes around the page cache finds its place at once, and small parts would find as many
    /// places as there are. Not of those outside the array, which nobody writes.
    /// Nothing is lost where space cannot be had: the write tells.
    fn reserve(&self, number: u64, file: &File) {
        if !file.properties().allocates_ahead() {
            return;
        }
        for bricks in self.directory.layout().bricks_in_array(number) {
            if let Err(error) = file.preallocate(bricks.start, bricks.end - bricks.start) {
                tracing::debug!(%error, "no space is reserved for a shard");
                return;
            }
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
        let closed: Vec<_> = stale.iter().filter_map(|number| open.shards.remove(number)).collect();
        drop(open);
        drop(closed);
        match stale.first() {
            Some(&number) if self.writable => Err(self.replaced(number)),
            _ => Ok(()),
        }
    }

    /// Notes that this process writes to a shard, or has just written: a sync that ran meanwhile may not have seen all of it.
    pub(crate) fn note_written(&self, number: u64) {
        self.open().written.insert(number);
    }

    /// What is written from now on.
    pub(crate) fn fill(&self, filling: Filling) {
        let mut open = self.open();
        if std::mem::replace(&mut open.filling, filling) != filling {
            let closed = std::mem::take(&mut open.shards);
            drop(open);
            drop(closed);
        }
    }

    /// Whether all space is reserved where a shard is opened.
    pub(crate) fn are_filled(&self) -> bool {
        self.open().filling != Filling::Parts
    }

    /// Closes all files, so that their space is free when they are removed. They open again when they are needed.
    pub(crate) fn close(&self) {
        let closed = std::mem::take(&mut self.open().shards);
        drop(closed);
    }

    /// Makes all that this process wrote durable. What fails stays noted, and so does what is written meanwhile; what was lost of shards
    /// that have closed since is told once.
    pub(crate) fn sync(&self) -> Result<()> {
        let _turn = self.syncing.lock().unwrap_or_else(PoisonError::into_inner);
        let written: Vec<u64> = self.open().written.iter().copied().collect();
        for number in written {
            self.open().written.remove(&number);
            self.sync_shard(number).inspect_err(|_| self.note_written(number))?;
        }
        self.lost.take().map_or(Ok(()), |error| Err(error.into()))
    }

    fn sync_shard(&self, number: u64) -> Result<()> {
        let shard = self.get(BrickPlace { shard: number, slot: 0 })?.ok_or_else(|| self.replaced(number))?;
        Ok(shard.file.sync()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::OpenDevice;
    use disk_array::{ArraySpec, BrickShape, Bricks, DataType};
    use elio::{Device, Fault, FaultDevice, Mode};
    use std::env;
    use std::path::Path;
    use std::process::Command;
    use std::time::Duration;

    /// An array of so many shards, one brick in each.
    fn shards(path: &std::path::Path, count: u64) -> Shards {
        let mut spec = ArraySpec::new(&[count], DataType::Float64).unwrap();
        spec.bricks = Bricks::Exact(BrickShape::exact(&[1]).unwrap());
        spec.files = count;
        let directory = Arc::new(ArrayDirectory::create(path, &spec).unwrap());
        assert_eq!(directory.layout().shards_count(), count);
        Shards::new(&directory, &Devices::default(), true)
    }

    #[test]
    fn what_is_written_while_a_sync_runs_is_synced_by_the_next_one() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("array");
        let of_file = shards(&path, 1);
        let device =
            FaultDevice::new(elio::open_device(&of_file.directory.shard_path(0), Mode::ReadWrite).unwrap());
        let opened = Arc::clone(&device);
        let open: Arc<OpenDevice> = Arc::new(move |_: &Path, _| Ok(Arc::clone(&opened) as Arc<dyn Device>));
        let shards = Shards::new(&of_file.directory, &Devices(Some(open)), true);
        shards.note_written(0);
        assert!(shards.get(BrickPlace { shard: 0, slot: 0 }).unwrap().is_some(), "it is open now");
        let before = device.operations_count();
        device.inject(before, Fault::Delay(Duration::from_millis(50)));
        std::thread::scope(|scope| {
            let syncing = scope.spawn(|| shards.sync());
            while device.operations_count() == before {
                std::thread::yield_now();
            }
            shards.note_written(0);
            syncing.join().unwrap().unwrap();
        });
        assert!(shards.open().written.contains(&0), "it is forgotten");
        device.inject(device.operations_count(), Fault::Fail(5));
        assert!(shards.sync().is_err());
        assert!(shards.open().written.contains(&0), "what failed stays noted");
        shards.sync().unwrap();
        assert!(shards.open().written.is_empty());
    }

    #[test]
    fn what_was_lost_of_a_shard_that_has_closed_is_told_by_the_next_sync() {
        let scratch = tempfile::tempdir().unwrap();
        let (of_file, place) = (shards(&scratch.path().join("array"), 1), BrickPlace { shard: 0, slot: 0 });
        let device =
            FaultDevice::new(elio::open_device(&of_file.directory.shard_path(0), Mode::ReadWrite).unwrap());
        let opened = Arc::clone(&device);
        let open: Arc<OpenDevice> = Arc::new(move |_: &Path, _| Ok(Arc::clone(&opened) as Arc<dyn Device>));
        let shards = Shards::new(&of_file.directory, &Devices(Some(open)), true);
        shards.fill(Filling::ThroughCache);
        shards.get(place).unwrap().expect("a shard").file.write_at(0, &[7; 8]).unwrap();
        shards.note_written(0);
        // The system tells it to those who have the file open, and the file is opened again for the sync.
        let asked = device.operations_count();
        device.inject(asked, Fault::Fail(5));
        shards.fill(Filling::Parts);
        assert!(shards.open().shards.is_empty(), "it is closed");
        assert_eq!(device.operations_count(), asked + 1);
        assert!(shards.sync().is_err());
        shards.sync().unwrap();
    }

    /// Where all of them would be more files than a process may have open.
    fn move_through_all() {
        let scratch = tempfile::tempdir().unwrap();
        let arrays: Vec<Shards> =
            (0..3).map(|array| shards(&scratch.path().join(array.to_string()), 40)).collect();
        let place = |number| BrickPlace { shard: number, slot: 0 };
        let in_use = arrays[0].get(place(7)).unwrap().expect("a shard");
        for number in 0..40 {
            for array in &arrays {
                array.get(place(number)).unwrap().expect("a shard").file.write_at(0, &[7; 8]).unwrap();
                array.note_written(number);
            }
        }
        // What a transfer uses stays the file that it is.
        assert!(Arc::ptr_eq(&arrays[0].get(place(7)).unwrap().unwrap(), &in_use));
        // Other files find room as well.
        let more: Vec<_> =
            (0..20).map(|_| elio::with_open_files_raised(tempfile::tempfile).unwrap()).collect();
        assert!(arrays.iter().map(|array| array.open().shards.len()).sum::<usize>() < 40);
        drop(more);
        for array in &arrays {
            array.sync().unwrap();
        }
    }

    #[test]
    fn shards_that_are_not_in_use_close_where_a_process_may_have_no_more_files_open() {
        const CHILD: &str = "CHEMIO_TEST_FEW_FILES";
        if env::var_os(CHILD).is_some() {
            return move_through_all();
        }
        let name =
            "shards::tests::shards_that_are_not_in_use_close_where_a_process_may_have_no_more_files_open";
        let child = Command::new("sh")
            .args(["-c", "ulimit -n 64 && exec \"$0\" --exact \"$1\" --nocapture"])
            .arg(env::current_exe().unwrap())
            .arg(name)
            .env(CHILD, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(
            child.status.success() && said.contains("1 passed"),
            "{said}{}",
            String::from_utf8_lossy(&child.stderr)
        );
    }
}
