//! The files that hold a shared file's bytes: one, or several stripes.

use crate::error::{Error, Result, of_file};
use crate::file::Hints;
use crate::request::{Range, Request};
use crate::sighting;
use crate::striping::{Run, Striping};
use aggregate::{Aggregator, Area};
use elio::{
    CachePolicy, Mode, OpenOptions, Operation, Piece, Queue, RequestBuffer, RequestBufferMut, Sharing,
    SpreadRequest,
};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};

/// Whether programs that say this have requests so small that several under way should reach the kernel together.
pub(crate) fn has_small_requests(hints: &Hints) -> bool {
    hints.request_bytes.is_some_and(|bytes| bytes < elio::GATHERED_BYTES as u64)
}

/// How the files are opened by a program that says this of them.
pub(crate) fn options(cache: CachePolicy, hints: &Hints) -> OpenOptions {
    OpenOptions {
        cache,
        sharing: Sharing::Shared,
        gathers_requests: has_small_requests(hints),
        // Of the whole: each stripe has its share of it.
        len_bytes_max: hints.hard_limit_bytes,
        ..OpenOptions::new(Mode::Existing)
    }
}

/// The open files of a shared file.
#[derive(Debug)]
pub(crate) struct Storage {
    /// The name of the whole, as the program gave it.
    pub(crate) path: PathBuf,
    /// Where that is, whatever directory the program changes to.
    absolute: PathBuf,
    /// The device of the file of that name and its number there, when it was opened.
    numbers: Option<(u64, u64)>,
    pub(crate) striping: Striping,
    files: Vec<Arc<elio::File>>,
    /// Holds writes of ranks of a node that write it in turn.
    aggregator: Option<Arc<Aggregator>>,
    /// Other hosts see what is written when it has been handed to a server, and they look again.
    hosts_see_late: bool,
    /// Whether the names are durable, too.
    has_synced_names: AtomicBool,
}

impl Storage {
    /// Opens the files, which are there already: that of the name at `absolute`, or the stripes, whose directories are devices of
    /// their own and have a queue each, for the stripes of all files in them.
    pub(crate) fn open(
        absolute: &Path,
        striping: Striping,
        files: &[PathBuf],
        options: &OpenOptions,
    ) -> Result<Self> {
        let open = |(stripe, file): (usize, &PathBuf)| {
            let len_bytes_max = options.len_bytes_max.map(|bytes| striping.share_of(stripe, bytes));
            let queue = match file.parent() {
                Some(directory) if striping.is_striped() => Queue::of_directory(directory),
                _ => options.queue,
            };
            elio::File::open(file, &OpenOptions { queue, len_bytes_max, ..options.clone() }).map(Arc::new)
        };
        let files = files.iter().enumerate().map(open).collect::<elio::Result<_>>()?;
        let (path, absolute, numbers) =
            (absolute.to_owned(), absolute.to_owned(), sighting::numbers(absolute).ok());
        let (hosts_see_late, has_synced_names) = (false, AtomicBool::new(false));
        let aggregator = None;
        Ok(Self { path, absolute, numbers, striping, files, aggregator, hosts_see_late, has_synced_names })
    }

    /// The same, under the name that the program gave, and what all ranks know of where it is.
    pub(crate) fn named(self, path: &Path, hosts_see_late: bool) -> Self {
        Self { path: path.to_owned(), hosts_see_late, ..self }
    }

    /// The same, with memory for what ranks of a node write in turn, if that goes through the page cache. Local; by all ranks in the
    /// same order.
    pub(crate) fn aggregated(self, area: Option<Arc<Area>>, cache: CachePolicy) -> Self {
        let aggregator = area.zip(self.plain()).map(|(area, file)| Aggregator::new(area, Arc::clone(file)));
        let holds = |file: &Arc<elio::File>| cache != CachePolicy::Bypass && !file.properties().in_memory();
        let aggregator = aggregator.filter(|_| self.plain().is_some_and(holds));
        Self { aggregator, ..self }
    }

    /// Where its files are, and the one of its name.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path()).chain([&*self.absolute])
    }

    /// Fills `into`, or says how much there is.
    pub(crate) fn read(&self, offset_bytes: u64, into: &mut [u8]) -> Result<()> {
        let len = into.len();
        self.hand_over_beyond_end(offset_bytes, len)?;
        let got = match self.plain() {
            _ if len == 0 => 0,
            Some(file) => file.read_at(offset_bytes, into)?,
            None => {
                let pieces = self.pieces(Operation::Read, offset_bytes, len)?;
                let range = Range { offset_bytes, len_bytes: len };
                self.read_stripes(pieces, offset_bytes, into)
                    .map_err(|error| self.of_stripe(Operation::Read, range, error))?
            }
        };
        self.expect_all(got, len, offset_bytes)
    }

    /// Reads all stripes at once; gives how much of `into` is before the end of the file. What is past it stays as it is.
    fn read_stripes(
        &self,
        pieces: Vec<Piece<'_>>,
        offset_bytes: u64,
        into: &mut [u8],
    ) -> elio::Result<usize> {
        let got = elio::read_spread(&pieces, into)?;
        if got.iter().sum::<usize>() == into.len() {
            return Ok(into.len());
        }
        let before_end = self.bytes_before_end(offset_bytes, into.len())?;
        for (piece, got) in pieces.into_iter().zip(got) {
            let hole_end = piece.memory.end.min(before_end);
            into[hole_end.min(piece.memory.start + got)..hole_end].fill(0);
        }
        Ok(before_end)
    }

    pub(crate) fn write(&self, offset_bytes: u64, from: &[u8]) -> Result<()> {
        match self.plain() {
            _ if from.is_empty() => Ok(()),
            Some(file) => Ok(file.write_at(offset_bytes, from)?),
            None => {
                let pieces = self.pieces(Operation::Write, offset_bytes, from.len())?;
                let range = Range { offset_bytes, len_bytes: from.len() };
                elio::write_spread(&pieces, from)
                    .map_err(|error| self.of_stripe(Operation::Write, range, error))
            }
        }
    }

    pub(crate) fn aread<B: RequestBufferMut>(
        self: &Arc<Self>,
        offset_bytes: u64,
        buffer: B,
    ) -> Result<Request<B>> {
        let range = Range { offset_bytes, len_bytes: buffer.as_bytes().len() };
        self.hand_over_beyond_end(offset_bytes, range.len_bytes)?;
        if let Some(file) = self.plain() {
            return Ok(Request::plain(file.submit_read(offset_bytes, buffer)?, self, range, false));
        }
        let pieces = self.pieces(Operation::AsyncRead, offset_bytes, range.len_bytes)?;
        let started = SpreadRequest::read(&pieces, buffer)
            .map_err(|error| self.of_stripe(Operation::AsyncRead, range, error))?;
        Ok(Request::striped(started, self, range, false))
    }

    pub(crate) fn awrite<B: RequestBuffer>(
        self: &Arc<Self>,
        offset_bytes: u64,
        buffer: B,
    ) -> Result<Request<B>> {
        let range = Range { offset_bytes, len_bytes: buffer.as_bytes().len() };
        let hold = |aggregator: &Arc<Aggregator>| aggregator.hold(offset_bytes, buffer.as_bytes());
        if let Some(write) = self.aggregator.as_ref().and_then(hold) {
            return Ok(Request::held(write, buffer, self, range));
        }
        if let Some(file) = self.plain() {
            return Ok(Request::plain(file.submit_write(offset_bytes, buffer)?, self, range, true));
        }
        let pieces = self.pieces(Operation::AsyncWrite, offset_bytes, range.len_bytes)?;
        let started = SpreadRequest::write(&pieces, buffer)
            .map_err(|error| self.of_stripe(Operation::AsyncWrite, range, error))?;
        Ok(Request::striped(started, self, range, true))
    }

    /// An error of a stripe in a transfer, which knows nothing of what the program asked for: with that.
    pub(crate) fn of_stripe(&self, operation: Operation, range: Range, source: elio::Error) -> Error {
        let Range { offset_bytes, len_bytes } = range;
        Error::Stripe {
            source,
            operation,
            path: self.path.clone(),
            offset_bytes,
            len_bytes: len_bytes as u64,
        }
    }

    /// What this rank holds may be beyond the end that a read would find: before it the file is zeros.
    fn hand_over_beyond_end(&self, offset_bytes: u64, len: usize) -> Result<()> {
        if let Some((aggregator, file)) = self.aggregator.as_ref().zip(self.plain())
            && aggregator.holds_any()
            && file.len_now()? < offset_bytes.saturating_add(len as u64)
        {
            aggregator.hand_over_all();
        }
        Ok(())
    }

    /// The pieces of a request in the stripes.
    fn pieces(&self, operation: Operation, offset_bytes: u64, len: usize) -> Result<Vec<Piece<'_>>> {
        let len_bytes = len as u64;
        if offset_bytes.checked_add(len_bytes).is_none_or(|end| i64::try_from(end).is_err()) {
            let path = self.path.clone();
            return Err(elio::Error::OutOfRange { operation, path, offset_bytes, len_bytes }.into());
        }
        let mut end = 0;
        let piece = |Run { stripe, offset_bytes, len_bytes }| {
            let memory = end..end + len_bytes;
            end = memory.end;
            Piece { file: &self.files[stripe], offset_bytes, memory }
        };
        Ok(self.striping.runs(offset_bytes, len).map(piece).collect())
    }

    /// The only file, if it is not striped.
    fn plain(&self) -> Option<&Arc<elio::File>> {
        if self.striping.is_striped() { None } else { self.files.first() }
    }

    /// Where the file ends, as all ranks wrote it.
    pub(crate) fn len_bytes(&self) -> elio::Result<u64> {
        let mut end_bytes = 0;
        for (stripe, file) in self.files.iter().enumerate() {
            end_bytes = end_bytes.max(self.striping.end_of(stripe, file.len()?));
        }
        Ok(end_bytes)
    }

    /// How much of a read of `len` bytes there is, where a stripe had less than it was asked for: the file may have a hole
    /// there.
    pub(crate) fn bytes_before_end(&self, offset_bytes: u64, len: usize) -> elio::Result<usize> {
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
        self.each(elio::File::flush)?;
        self.loss_of_held()
    }

    /// Tells what was lost of what was held and nobody waited for.
    fn loss_of_held(&self) -> Result<()> {
        Ok(self.aggregator.as_ref().map_or(Ok(()), |aggregator| aggregator.take_loss())?)
    }

    /// As [`flush`](Self::flush), but what was lost is told by the next of these, or by whoever waits for it.
    pub(crate) fn hand_over(&self) -> Result<()> {
        Ok(self.each(elio::File::hand_over)?)
    }

    /// Returns when the data is on the device, or on those of all stripes, which work at the same time, and what is needed to find it.
    pub(crate) fn sync(&self) -> Result<()> {
        self.at_once(elio::File::sync)?;
        self.loss_of_held()?;
        if !self.has_synced_names.load(Ordering::Acquire) {
            self.sync_names()?;
            self.has_synced_names.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// What says where the data is: a file system may not keep the name of a file whose data it keeps.
    fn sync_names(&self) -> Result<()> {
        // A link leads to a file whose name is in another directory.
        let behind_link = fs::canonicalize(&self.absolute).ok();
        let directories: BTreeSet<_> =
            self.places().chain(behind_link.as_deref()).filter_map(Path::parent).collect();
        let description = self.striping.is_striped().then_some(&*self.absolute);
        for place in directories.into_iter().chain(description) {
            let synced =
                elio::with_open_files_raised(|| fs::File::open(place)).and_then(|place| place.sync_all());
            match synced {
                Err(error) if !leaves_names_alone(&error) => {
                    return Err(of_file(Operation::Sync, place, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Where hosts see late what others write: gives what this host has written to the server, as closing a file does.
    pub(crate) fn hand_to_server(&self) -> Result<()> {
        if self.hosts_see_late { Ok(self.at_once(elio::File::sync)?) } else { Ok(()) }
    }

    /// There: forgets what this host has seen of data that has changed since, as opening a file does.
    pub(crate) fn look_again(&self) {
        let files = if self.hosts_see_late { &*self.files } else { &[] };
        for file in files.iter().map(|file| file.path()) {
            if let Err(error) = elio::with_open_files_raised(|| fs::File::open(file)) {
                // Removed, perhaps; transfers tell what there is to tell.
                tracing::debug!(%error, path = %file.display(), "what other hosts have written may be seen late");
            }
        }
    }

    /// Errors of earlier writes that the system reports late.
    pub(crate) fn late_error(&self) -> Result<()> {
        Ok(self.each(elio::File::late_error)?)
    }

    /// Removes all files; what is gone already is no error, and another file that has the name now stays. Handles stay usable. A stripe
    /// that cannot be removed keeps the name, too.
    pub(crate) fn remove(&self) -> Result<()> {
        // The stripes first: as long as the name is there, they can be found.
        let stripes = self.files.iter().map(|file| file.path()).filter(|file| *file != self.absolute);
        let removed: Vec<_> = stripes.map(remove_one).collect();
        removed.into_iter().collect::<Result<()>>()?;
        let found = sighting::numbers(&self.absolute);
        if found.is_ok_and(|found| self.numbers.is_some_and(|opened| opened != found)) {
            tracing::info!(path = %self.absolute.display(), "somebody else's file has the name now: it stays");
            return Ok(());
        }
        // What a link leads to stays with its data, but not what describes stripes that are gone.
        if self.striping.is_striped()
            && let Ok(behind_links) = fs::canonicalize(&self.absolute)
        {
            remove_one(&behind_links)?;
        }
        remove_one(&self.absolute)
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

    /// As [`each`](Self::each), each file in a thread of its own, if it can be had.
    fn at_once(&self, call: fn(&elio::File) -> elio::Result<()>) -> elio::Result<()> {
        let Some((first, others)) = self.files.split_first() else { return Ok(()) };
        let results: Vec<_> = thread::scope(|scope| {
            let start = |file| (file, thread::Builder::new().spawn_scoped(scope, move || call(file)));
            let started: Vec<_> = others.iter().map(Arc::as_ref).map(start).collect();
            let first = call(first);
            let end = |(file, started): (_, io::Result<ScopedJoinHandle<'_, _>>)| match started {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                Err(_) => call(file),
            };
            std::iter::once(first).chain(started.into_iter().map(end)).collect()
        });
        results.into_iter().collect()
    }

    /// Calls all files, also after an error; gives the first.
    fn each(&self, call: impl Fn(&elio::File) -> elio::Result<()>) -> elio::Result<()> {
        let results: Vec<_> = self.files.iter().map(|file| call(file)).collect();
        results.into_iter().collect()
    }
}

/// Whether names there are none of ours to keep: somebody has removed them, they may not be looked at, or are never synced.
fn leaves_names_alone(error: &io::Error) -> bool {
    let kinds =
        [ErrorKind::NotFound, ErrorKind::PermissionDenied, ErrorKind::InvalidInput, ErrorKind::Unsupported];
    kinds.contains(&error.kind())
}

fn remove_one(path: &Path) -> Result<()> {
    match elio::File::delete(path) {
        Err(error) if error.os_error().is_some_and(|os| os.kind() == ErrorKind::NotFound) => Ok(()),
        result => Ok(result?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elio::{CountingDevice, Counts, Fault, FaultDevice, MemoryDevice};
    use std::time::Duration;

    const UNIT: u64 = 4096;
    const UNIT_LEN: usize = 4096;

    fn storage(striping: Striping, devices: Vec<Arc<dyn elio::Device>>) -> Arc<Storage> {
        storage_with(&options(CachePolicy::default(), &Hints::default()), striping, devices)
    }

    fn storage_with(
        options: &OpenOptions,
        striping: Striping,
        devices: Vec<Arc<dyn elio::Device>>,
    ) -> Arc<Storage> {
        let file = |device| Arc::new(elio::File::on_device(device, "stripe", options));
        let files = devices.into_iter().map(file).collect();
        let path = PathBuf::from("whole");
        let has_synced_names = AtomicBool::new(false);
        Arc::new(Storage {
            absolute: path.clone(),
            numbers: None,
            path,
            striping,
            files,
            aggregator: None,
            hosts_see_late: false,
            has_synced_names,
        })
    }

    /// A file of three stripes in memory that count.
    /// Two stripes, and the device of the second, which can be told to fail.
    fn second_stripe_faulty() -> (Arc<Storage>, Arc<FaultDevice>) {
        let faulty = FaultDevice::new(MemoryDevice::new(1 << 20));
        let devices: Vec<Arc<dyn elio::Device>> = vec![MemoryDevice::new(1 << 20), Arc::clone(&faulty) as _];
        (storage(Striping::new(UNIT, 2).unwrap(), devices), faulty)
    }

    fn counted() -> (Arc<Storage>, Vec<Arc<CountingDevice>>) {
        let devices: Vec<_> = (0..3).map(|_| CountingDevice::new(MemoryDevice::new(1 << 20))).collect();
        let striping = Striping::new(UNIT, 3).unwrap();
        (storage(striping, devices.iter().map(|device| Arc::clone(device) as _).collect()), devices)
    }

    fn pattern(len: usize) -> Vec<u8> {
        (0..len).map(|i| u8::try_from(i % 251 + 1).unwrap()).collect()
    }

    fn operations(counts: Counts) -> (u64, u64) {
        (counts.cached_reads + counts.direct_reads, counts.cached_writes + counts.direct_writes)
    }

    #[test]
    fn a_striped_transfer_is_one_transfer_of_each_unit_it_touches() {
        let (storage, devices) = counted();
        let data = pattern(3 * UNIT_LEN);
        storage.write(0, &data).unwrap();
        assert!(devices.iter().all(|device| operations(device.counts()) == (0, 1)));
        let mut found = vec![0; data.len()];
        storage.read(0, &mut found).unwrap();
        assert_eq!(found, data);
        let (got, found) = storage.aread(0, vec![0; data.len()]).unwrap().finish().unwrap();
        assert_eq!((got, found), (data.len(), data));
        assert!(devices.iter().all(|device| operations(device.counts()) == (2, 1)));
        // One unit, one stripe.
        storage.read(UNIT, &mut [0; UNIT_LEN]).unwrap();
        assert_eq!([0, 1, 2].map(|i| operations(devices[i].counts()).0), [2, 3, 2]);
    }

    #[test]
    fn each_directory_of_stripes_has_its_own_queue_and_a_plain_file_has_that_of_all_others() {
        let scratch = tempfile::tempdir().unwrap();
        let stripe = |directory: &str, name: &str| {
            let directory = scratch.path().join(directory);
            std::fs::create_dir_all(&directory).unwrap();
            let path = directory.join(name);
            std::fs::write(&path, []).unwrap();
            path
        };
        let queues = |striping, files: &[PathBuf]| {
            let options = options(CachePolicy::default(), &Hints::default());
            let storage = Storage::open(Path::new("whole"), striping, files, &options).unwrap();
            storage.files.iter().map(|file| file.properties().queue).collect::<Vec<_>>()
        };
        let two = Striping::new(UNIT, 2).unwrap();
        let [a, b] = queues(two, &[stripe("d1", "a.0"), stripe("d2", "a.1")])[..] else {
            panic!("two stripes")
        };
        assert!(a != b && a != Queue::default() && b != Queue::default());
        assert_eq!(queues(two, &[stripe("d2", "b.0"), stripe("d1", "b.1")]), [b, a]);
        assert_eq!(queues(Striping::NONE, &[stripe("d1", "c")]), [Queue::default()]);
    }

    #[test]
    fn the_name_stays_as_long_as_a_stripe_does() {
        let scratch = tempfile::tempdir().unwrap();
        let (name, stripe, directory) =
            (scratch.path().join("whole"), scratch.path().join("0"), scratch.path().join("1"));
        let files = [&stripe, &directory].map(|path| {
            std::fs::write(path, [1]).unwrap();
            path.clone()
        });
        std::fs::write(&name, "where they are").unwrap();
        let options = options(CachePolicy::default(), &Hints::default());
        let storage = Storage::open(&name, Striping::new(UNIT, 2).unwrap(), &files, &options).unwrap();
        // What is no file is not deleted as one.
        std::fs::remove_file(&directory).unwrap();
        std::fs::create_dir(&directory).unwrap();
        storage.remove().unwrap_err();
        assert!(name.exists() && !stripe.exists());
        std::fs::remove_dir(&directory).unwrap();
        storage.remove().unwrap();
        assert!(!name.exists());
    }

    #[test]
    fn handing_over_what_is_not_there_asks_the_device_nothing() {
        let (storage, devices) = counted();
        storage.awrite(5, pattern(3 * UNIT_LEN)).unwrap().wait().unwrap();
        let before: Vec<_> = devices.iter().map(|device| device.counts()).collect();
        for _ in 0..1000 {
            storage.flush().unwrap();
        }
        assert_eq!(devices.iter().map(|device| device.counts()).collect::<Vec<_>>(), before);
    }

    #[test]
    fn small_writes_under_way_are_gathered_where_the_hint_says_that_they_are_small() {
        for (request_bytes, expected) in [(None, 8), (Some(1 << 20), 8), (Some(1000), 1)] {
            // What is in memory is written at once.
            let scratch = tempfile::tempdir().unwrap();
            let device = elio::open_device(&scratch.path().join("file"), Mode::ReadWrite).unwrap();
            let expected = if device.properties().in_memory() { 8 } else { expected };
            let device = CountingDevice::new(device);
            let options = options(CachePolicy::default(), &Hints { request_bytes, ..Hints::default() });
            let storage = storage_with(&options, Striping::NONE, vec![Arc::clone(&device) as _]);
            let data = pattern(8000);
            let request =
                |(number, record): (usize, &[u8])| storage.awrite(1000 * number as u64, record.to_vec());
            let mut requests: Vec<_> =
                data.chunks(1000).enumerate().map(|each| request(each).unwrap()).collect();
            for request in &mut requests {
                request.wait().unwrap();
            }
            let writes = operations(device.counts()).1;
            // On a busy machine housekeeping may hand some over meanwhile.
            assert!(if expected == 1 { writes < 8 } else { writes == 8 }, "{request_bytes:?}: {writes}");
            let mut found = vec![0; data.len()];
            storage.read(0, &mut found).unwrap();
            assert_eq!(found, data);
        }
    }

    #[test]
    fn a_large_write_returns_while_the_device_is_busy_and_so_does_a_read() {
        let device = FaultDevice::new(MemoryDevice::new(8 << 20));
        // What goes through the page cache is made by whoever asks for it where that is faster.
        let options = options(CachePolicy::Bypass, &Hints::default());
        let storage = storage_with(&options, Striping::NONE, vec![Arc::clone(&device) as _]);
        let data = pattern(4 << 20);
        storage.write(0, &data).unwrap();
        let delay = || device.inject(device.operations_count(), Fault::Delay(Duration::from_secs(1)));
        delay();
        let mut write = storage.awrite(0, data.clone()).unwrap();
        assert!(!write.is_finished(), "the call has waited for the device");
        write.wait().unwrap();
        delay();
        let mut read = storage.aread(0, vec![0; data.len()]).unwrap();
        assert!(!read.is_finished(), "the call has waited for the device");
        assert_eq!(read.finish().unwrap().1, data);
    }

    #[test]
    fn holes_between_stripes_are_zeros_and_the_end_is_that_of_the_longest() {
        let (storage, _) = counted();
        // Only the second stripe has anything: unit 4 of the file, of which 100 bytes.
        storage.write(4 * UNIT, &pattern(100)).unwrap();
        let end = 4 * UNIT + 100;
        assert_eq!(storage.len_bytes().unwrap(), end);
        let mut found = vec![9; 4 * UNIT_LEN + 100];
        storage.read(0, &mut found).unwrap();
        assert!(found[..4 * UNIT_LEN].iter().all(|&byte| byte == 0));
        assert_eq!(found[4 * UNIT_LEN..], pattern(100));
        let mut request = storage.aread(10, vec![9; found.len()]).unwrap();
        for _ in 0..2 {
            let error = request.wait().unwrap_err();
            let expected = end - 10;
            assert!(matches!(error, Error::EndOfFile { got_bytes, .. } if got_bytes == expected), "{error}");
        }
        let (got, bytes) = request.finish().unwrap();
        assert_eq!(got, found.len() - 10);
        assert_eq!(bytes[..got], found[10..]);
    }

    #[test]
    fn a_read_leaves_alone_what_is_past_the_end() {
        let (storage, _) = counted();
        let data = pattern(UNIT_LEN + 100);
        storage.write(0, &data).unwrap();
        let expected = [&data[..], &[9; 2 * UNIT_LEN]].concat();
        let mut found = vec![9; expected.len()];
        assert!(matches!(storage.read(0, &mut found), Err(Error::EndOfFile { .. })));
        assert_eq!(found, expected);
        let (got, found) = storage.aread(0, vec![9; expected.len()]).unwrap().finish().unwrap();
        assert_eq!((got, found), (data.len(), expected));
        // A hole, then the end, in the middle of a unit.
        storage.write(4 * UNIT + 50, &data[..50]).unwrap();
        let mut found = vec![9; 3 * UNIT_LEN];
        assert!(matches!(storage.read(3 * UNIT, &mut found), Err(Error::EndOfFile { .. })));
        assert_eq!(found, [&vec![0; UNIT_LEN + 50], &data[..50], &[9; 2 * UNIT_LEN - 100]].concat());
    }

    #[test]
    fn an_offset_that_no_file_has_is_refused() {
        for (storage, striped) in
            [(counted().0, true), (storage(Striping::NONE, vec![MemoryDevice::new(9) as _]), false)]
        {
            for offset_bytes in [u64::MAX, i64::MAX as u64 - 2] {
                let error = storage.read(offset_bytes, &mut [0; 8]).unwrap_err();
                assert_eq!(error.code(), crate::codes::DEVICE_SEEK, "{error}, striped: {striped}");
                assert!(storage.awrite(offset_bytes, vec![0; 8]).is_err());
            }
        }
    }

    #[test]
    fn a_stripe_that_fails_is_the_error_of_the_request_every_time_and_of_nothing_else() {
        let (storage, faulty) = second_stripe_faulty();
        let data = pattern(4 * UNIT_LEN);
        storage.write(0, &data).unwrap();
        let fail = || faulty.inject(faulty.operations_count(), Fault::Fail(5));
        fail();
        let mut request = storage.awrite(0, data.clone()).unwrap();
        for _ in 0..2 {
            assert_eq!(request.wait().unwrap_err().code(), crate::codes::DEVICE_AWRITE);
        }
        fail();
        let error = storage.awrite(0, data.clone()).unwrap().finish().unwrap_err();
        assert_eq!(error.code(), crate::codes::DEVICE_AWRITE);
        let mut found = vec![0; data.len()];
        storage.read(0, &mut found).unwrap();
        assert_eq!(found, data);
    }

    #[test]
    fn an_error_of_a_stripe_says_what_was_asked_of_the_whole() {
        let (storage, faulty) = second_stripe_faulty();
        let data = pattern(2 * UNIT_LEN);
        storage.write(0, &data).unwrap();
        // The second unit is the first of the second stripe, and begins there in the middle of what is transferred.
        let (at, len) = (100, UNIT_LEN + 1000);
        let mut found = vec![0; len];
        let fail = || faulty.inject(faulty.operations_count(), Fault::Fail(28));
        let errors = [Operation::Write, Operation::AsyncWrite, Operation::Read, Operation::AsyncRead].map(
            |operation| {
                fail();
                let result = match operation {
                    Operation::Write => storage.write(at, &data[..len]),
                    Operation::AsyncWrite => storage.awrite(at, data[..len].to_vec()).unwrap().wait(),
                    Operation::Read => storage.read(at, &mut found),
                    _ => storage.aread(at, vec![0; len]).unwrap().wait(),
                };
                (operation, result.unwrap_err())
            },
        );
        for (operation, error) in errors {
            assert!(
                matches!(&error, Error::Stripe { source, .. } if source.code() == error.code()),
                "{error:?}"
            );
            assert_eq!(error.path(), Some(Path::new("whole")));
            assert_eq!(error.os_error().and_then(io::Error::raw_os_error), Some(28));
            let text = error.to_string();
            assert!(
                text.starts_with("no space left on device: ") && text.contains(", in stripe; "),
                "{text}"
            );
            let asked =
                format!("part of the {operation} of {len} bytes at offset {at} of the striped file whole");
            assert!(text.ends_with(&asked), "{text}");
        }
    }

    #[test]
    fn an_error_of_a_plain_file_is_that_of_its_device() {
        let faulty = FaultDevice::new(MemoryDevice::new(1 << 20));
        let storage = storage(Striping::NONE, vec![Arc::clone(&faulty) as _]);
        faulty.inject(faulty.operations_count(), Fault::Fail(5));
        let error = storage.write(0, &pattern(100)).unwrap_err();
        assert!(matches!(error, Error::Device(_)), "{error:?}");
    }

    #[test]
    fn shortened_transfers_of_stripes_are_made_whole() {
        let faulty = FaultDevice::new(MemoryDevice::new(1 << 20));
        let devices: Vec<Arc<dyn elio::Device>> = vec![Arc::clone(&faulty) as _, MemoryDevice::new(1 << 20)];
        let storage = storage(Striping::new(UNIT, 2).unwrap(), devices);
        let data = pattern(4 * UNIT_LEN);
        for operation in 0..6 {
            faulty.inject(faulty.operations_count() + operation, Fault::Shorten(100));
        }
        storage.write(0, &data).unwrap();
        let mut found = vec![0; data.len()];
        storage.read(0, &mut found).unwrap();
        assert_eq!(found, data);
    }
}
