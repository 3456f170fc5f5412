//! A request under way: it splits itself into transfers and puts the results together.
//!
//! [`starting`] says which parts there are, [`direct`] makes those that go around the page cache, [`blocking`] is for callers who do not
//! go on meanwhile; here is what they have in common, and how a request ends.
//!
//! A [`Pending`] keeps the memory of its caller until every transfer into or out of it is done, whatever happens to the
//! request: [`CallerMemory`] relies on it.

mod blocking;
mod direct;
mod starting;

use super::part::{Part, Way, part_bytes};
use crate::device::Route;
use crate::error::{Operation, Result};
use crate::file::Handle;
use crate::policy::waiting::Start;
use crate::pool;
use crate::queue::Queue;
use crate::sys::aliasing;
use crate::sys::caller_memory::CallerMemory;
use crate::sys::transfer::{Direction, Transfer, is_refusal, read_some, write_all};
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// A request's progress.
#[derive(Debug)]
pub(crate) struct Pending {
    handle: Arc<Handle>,
    direction: Direction,
    offset_bytes: u64,
    memory: CallerMemory,
    /// Of how long a request it is a piece.
    whole_len: usize,
    parts: VecDeque<Part>,
    /// The caller does not wait for it at once: workers may take over copies.
    asynchronous: bool,
    /// When it was started, until somebody waits for it; `None` where that teaches nothing.
    start: Option<Start>,
    /// What no part serves yet, of a request that is waited for: waits for staging buffers.
    unissued: Range<usize>,
    /// Stands for what was left and is read here after all.
    taken_back: Option<Arc<Transfer>>,
    /// How much one direct part moves, unless it needs no staging and all of it is large.
    part_bytes: usize,
    done_bytes: usize,
    outcome: Option<Result<usize>>,
}

impl Pending {
    fn new(handle: &Arc<Handle>, direction: Direction, offset_bytes: u64, memory: CallerMemory) -> Self {
        let others_count = handle.inode().in_flight_count();
        Self {
            handle: Arc::clone(handle),
            direction,
            offset_bytes,
            unissued: memory.len()..memory.len(),
            part_bytes: part_bytes(memory.len(), others_count),
            whole_len: memory.len(),
            memory,
            parts: VecDeque::new(),
            taken_back: None,
            done_bytes: 0,
            asynchronous: true,
            start: None,
            outcome: None,
        }
    }

    /// A read that has been started, of which `copied_bytes` have been found in the page cache if it was asked already.
    pub(super) fn read(
        handle: &Arc<Handle>,
        offset_bytes: u64,
        memory: CallerMemory,
        copied_bytes: Option<usize>,
    ) -> Self {
        let whole_len = memory.len();
        Self::read_of(handle, offset_bytes, memory, whole_len, copied_bytes)
    }

    /// The same as a piece of a request of `whole_len` bytes.
    pub(super) fn read_of(
        handle: &Arc<Handle>,
        offset_bytes: u64,
        memory: CallerMemory,
        whole_len: usize,
        copied_bytes: Option<usize>,
    ) -> Self {
        handle.pauses.note_call();
        let mut pending = Self::new(handle, Direction::Read, offset_bytes, memory);
        pending.whole_len = whole_len;
        pending.start_read(copied_bytes);
        pending.note_start();
        pending
    }

    /// A write that has been started.
    pub(super) fn write(handle: &Arc<Handle>, offset_bytes: u64, memory: CallerMemory) -> Self {
        handle.pauses.note_call();
        let mut pending = Self::new(handle, Direction::Write, offset_bytes, memory);
        pending.start_write();
        pending.note_start();
        pending
    }

    /// The file.
    pub(super) fn handle(&self) -> &Arc<Handle> {
        &self.handle
    }

    /// The bytes asked for.
    pub(super) fn bytes(&self) -> usize {
        self.memory.len()
    }

    fn queue(&self) -> Queue {
        self.handle.properties.queue
    }

    fn note_start(&mut self) {
        if self.outcome.is_none() {
            self.start = Some(self.handle.waiting.note_start());
        }
        self.handle.pauses.note_end();
    }

    fn operation(&self) -> Operation {
        match self.direction {
            Direction::Read => Operation::AsyncRead,
            Direction::Write => Operation::AsyncWrite,
        }
    }

    fn file_range(&self, range: &Range<usize>) -> Range<u64> {
        self.offset_bytes + range.start as u64..self.offset_bytes + range.end as u64
    }

    fn whole(&self) -> Range<usize> {
        0..self.memory.len()
    }

    /// What no part serves yet, for whoever serves or drops it now.
    fn take_unissued(&mut self) -> Range<usize> {
        let len = self.memory.len();
        std::mem::replace(&mut self.unissued, len..len)
    }

    fn finish_with(&mut self, outcome: Result<usize>) {
        self.outcome = Some(outcome);
        self.release_taken_back();
    }

    /// Lets go on what has to come after this request.
    fn release_taken_back(&mut self) {
        if let Some(transfer) = self.taken_back.take() {
            transfer.finish(Ok(0)); // nobody asks
        }
    }

    pub(crate) fn wait(&mut self) -> Result<usize> {
        if let Some(start) = self.start.take() {
            self.handle.waiting.note_wait(&start);
        }
        if self.outcome.is_none() {
            self.handle.pauses.note_call();
            self.take_back_rest();
            while self.outcome.is_none() {
                self.complete_next();
            }
            self.handle.pauses.note_end();
        }
        match self.outcome.as_ref().expect("set by the loop above") {
            Ok(bytes) => Ok(*bytes),
            Err(error) => Err(error.duplicate()),
        }
    }

    pub(crate) fn test(&mut self) -> bool {
        if self.outcome.is_none() {
            self.handle.pauses.note_call();
            self.offer_rest();
            while self.outcome.is_none() && self.parts.front().is_none_or(Part::is_done) {
                self.complete_next();
            }
            self.handle.pauses.note_end();
        }
        self.outcome.is_some()
    }

    /// Waits for the first part and takes its result; or reads, without staging, what found no buffer; or ends.
    fn complete_next(&mut self) {
        let completed = match self.parts.pop_front() {
            Some(part) => {
                let range = part.range.clone();
                let moved = self.take_result(part);
                Some((range, moved))
            }
            // Others have given buffers back since.
            None if self.issue() => return,
            None if !self.unissued.is_empty() => {
                let range = self.take_unissued();
                Some((range.clone(), self.move_through_cache(range)))
            }
            None => None,
        };
        match completed {
            None => self.finish_with(Ok(self.done_bytes)),
            Some((range, Ok(bytes))) => {
                self.done_bytes += bytes;
                if bytes < range.len() {
                    self.end_early(Ok(self.done_bytes)); // the end of the file
                }
            }
            Some((_, Err(source))) => {
                let (operation, len) = (self.operation(), self.memory.len());
                let error = self.handle.transfer_error(operation, self.offset_bytes, len, source);
                self.end_early(Err(error));
            }
        }
        self.issue();
    }

    fn end_early(&mut self, outcome: Result<usize>) {
        self.wait_for_parts();
        self.take_unissued();
        self.finish_with(outcome);
    }

    /// A transfer of an asynchronous request asks for what it has not got itself: before anything that overlaps it and came later. Who
    /// waits in the same call does it in [`take_result`](Self::take_result), without a worker.
    fn want(&self, transfer: &Transfer, len_bytes: usize) {
        if self.asynchronous {
            transfer.want(len_bytes);
        }
    }

    /// The bytes a part moved: all of it, or as many as there were before the file ended. Writes have gone on by themselves where a part
    /// was left out. Reads go on here, through the page cache, if they were refused, or are not wanted whole by their transfer.
    fn take_result(&mut self, part: Part) -> io::Result<usize> {
        let range = part.range;
        let is_read = self.direction == Direction::Read;
        let mut goes_on = is_read && !self.asynchronous;
        let moved = match part.way {
            Way::InPlace(transfer) | Way::Left { transfer, .. } => {
                let is_shared_copy = transfer.route() == Route::Resident;
                let queue = self.queue();
                let workers = if is_shared_copy { pool::streams(queue) } else { pool::transfers(queue) };
                while !transfer.is_done() && !transfer.run_if_queued() && workers.help() {}
                let moved = transfer.wait();
                if self.direction == Direction::Write && moved.is_ok() {
                    self.handle.note_write(transfer.route(), self.file_range(&range));
                }
                if transfer.route() == Route::Resident && !matches!(moved, Ok(bytes) if bytes == range.len())
                {
                    self.handle.residency.note_miss();
                }
                moved
            }
            // Another read may have caused the error of read-ahead, or the file was shorter then: this one asks for itself.
            Way::Staged { transfer, skip, ahead } => {
                goes_on |= ahead;
                match self.unstage(&transfer, skip, &range) {
                    Err(_) if ahead => Ok(0),
                    moved => moved,
                }
            }
        };
        let moved = match moved {
            Err(error) if is_read && is_refusal(&error) => {
                goes_on = true;
                0
            }
            other => other?,
        };
        if moved == range.len() || !goes_on {
            return Ok(moved);
        }
        Ok(moved + self.move_through_cache(range.start + moved..range.end)?)
    }

    fn unstage(&mut self, transfer: &Transfer, skip: usize, range: &Range<usize>) -> io::Result<usize> {
        let len = transfer.wait()?.saturating_sub(skip).min(range.len());
        if self.direction == Direction::Read {
            let into = self.memory.bytes_mut(range.start..range.start + len);
            aliasing::copy(&transfer.bytes()[skip..skip + len], into);
        }
        Ok(len)
    }

    /// Reads to the end of the range or of the file, or writes all. What comes before an error does not count.
    fn move_through_cache(&mut self, range: Range<usize>) -> io::Result<usize> {
        let at = self.file_range(&range).start;
        let device = Arc::clone(&self.handle.device);
        match self.direction {
            Direction::Read => {
                let into = self.memory.bytes_mut(range);
                let mut done = 0;
                // An error after some bytes shows when it is asked again.
                while done < into.len() {
                    match read_some(&*device, Route::Cached, at + done as u64, &mut into[done..])? {
                        0 => break,
                        bytes => done += bytes,
                    }
                }
                Ok(done)
            }
            Direction::Write => write_all(&*device, Route::Cached, at, self.memory.bytes(range)),
        }
    }

    /// Waits until no transfer uses the caller's memory. What a worker has not come to is not read.
    fn wait_for_parts(&mut self) {
        for part in self.parts.drain(..) {
            if let Way::Left { transfer, .. } = &part.way {
                transfer.cancel_if_queued();
            }
            if let Way::InPlace(transfer)
            | Way::Left { transfer, .. }
            | Way::Staged { transfer, ahead: false, .. } = part.way
            {
                let _ = transfer.wait(); // the request ends with an error or short of this part
            }
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.wait_for_parts();
        self.release_taken_back();
        self.handle.inode().forget_done();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::in_tests::{with_all_buffers, with_buffers};
    use crate::policy::cache::WORKER_COPY_BYTES;
    use crate::request::part::{PART_BYTES_MAX, STAGED_BYTES_MAX};
    use crate::sys::alloc::{HUGE_PAGE_BYTES, PAGE_BYTES, PageBlock};
    use crate::sys::pages;
    use crate::{CachePolicy, File, Mode, OpenOptions, settings};
    use std::path::Path;
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};

    /// Where no page begins: whole ones may be read in place.
    const AT: usize = 1;

    /// Whether a staged read, by a caller of whom so many more calls with pauses are expected, is left to a worker.
    fn leaves_to_worker(file: &File, calls_left: u32) -> bool {
        let handle = file.handle();
        handle.pauses.expect(calls_left);
        let mut into = vec![0; 2 * WORKER_COPY_BYTES];
        let mut pending = Pending::read(handle, AT as u64, CallerMemory::for_reading(&mut into), None);
        let is_direct = |part: &Part| matches!(&part.way, Way::Staged { ahead: false, .. } | Way::InPlace(_));
        assert!(!pending.parts.is_empty() && pending.parts.iter().all(is_direct));
        let left = pending.parts.iter().any(|part| matches!(part.way, Way::InPlace(_)));
        assert_eq!(pending.wait().unwrap(), into.len());
        assert!(into.iter().enumerate().all(|(i, &byte)| byte == content(AT + i)));
        left
    }

    /// How much of a large read is in flight at most when it starts, and while it is waited for, by a caller who does not stay away.
    fn staged_bytes(file: &File, len: usize) -> [usize; 2] {
        let handle = file.handle();
        handle.pauses.expect(0);
        let mut into = vec![0; len];
        let mut pending = Pending::read(handle, AT as u64, CallerMemory::for_reading(&mut into), None);
        let in_flight = |pending: &Pending| {
            let staged = pending.parts.iter().filter(|part| matches!(part.way, Way::Staged { .. }));
            staged.map(|part| part.range.len()).sum::<usize>()
        };
        let at_start = in_flight(&pending);
        assert_eq!(pending.wait().unwrap(), len);
        assert!(into.iter().enumerate().all(|(i, &byte)| byte == content(AT + i)));
        into.fill(0);
        // Who comes to what was left waits for it.
        let memory = CallerMemory::for_reading(&mut into);
        let mut pending = Pending::blocking(handle, Direction::Read, AT as u64, memory);
        pending.unissued = pending.whole();
        let mut waiting = 0;
        while pending.outcome.is_none() {
            pending.complete_next();
            waiting = waiting.max(in_flight(&pending));
        }
        assert_eq!(pending.wait().unwrap(), len);
        assert!(into.iter().enumerate().all(|(i, &byte)| byte == content(AT + i)));
        [at_start, waiting]
    }

    #[expect(clippy::cast_possible_truncation, reason = "of a pattern")]
    fn content(at: usize) -> u8 {
        (at / 7) as u8
    }

    /// A file of so many bytes, to be read around the page cache; `None`, told, where there is no such way.
    fn open_around_cache(directory: &Path, len: usize) -> Option<impl Fn() -> File> {
        let path = directory.join("file");
        std::fs::write(&path, (0..len).map(content).collect::<Vec<_>>()).unwrap();
        let open = move || {
            let options = OpenOptions { cache: CachePolicy::Bypass, ..OpenOptions::new(Mode::Read) };
            File::open(&path, &options).unwrap()
        };
        if open().handle().properties.direct.is_none() {
            eprintln!("nothing is staged here: {} has no way around the page cache", directory.display());
            return None;
        }
        Some(open)
    }

    #[test]
    fn little_of_a_large_read_is_staged_at_once_for_who_waits() {
        const LEN: usize = 5 * STAGED_BYTES_MAX;
        let _buffers = with_buffers();
        let directory = tempfile::tempdir().unwrap();
        let Some(open) = open_around_cache(directory.path(), AT + LEN) else { return };
        let [at_start, waiting] = staged_bytes(&open(), LEN);
        // The last piece does not wait for others.
        let most = STAGED_BYTES_MAX + PART_BYTES_MAX;
        assert!((1..=most).contains(&at_start), "{at_start}");
        assert!((STAGED_BYTES_MAX / 2..=most).contains(&waiting), "{waiting}");
    }

    #[test]
    fn what_found_no_buffer_when_it_started_goes_around_the_cache_if_there_are_some_when_it_is_waited_for() {
        const LEN: usize = 3 * PART_BYTES_MAX;
        let _buffers = with_buffers();
        let directory = tempfile::tempdir().unwrap();
        let Some(open) = open_around_cache(directory.path(), AT + LEN) else { return };
        let (file, mut into) = (open(), vec![0; LEN]);
        let memory = CallerMemory::for_reading(&mut into);
        let mut pending = Pending::new(file.handle(), Direction::Read, AT as u64, memory);
        pending.unissued = pending.whole();
        pending.complete_next();
        assert_eq!(
            (pending.done_bytes, pending.unissued.len()),
            (0, 0),
            "all of it is under way, by buffers"
        );
        assert_eq!(pending.wait().unwrap(), LEN);
        assert!(into.iter().enumerate().all(|(i, &byte)| byte == content(AT + i)));
    }

    /// Whether a read of whole pages to whole pages is in place, in all its parts.
    fn is_in_place(file: &File, into: &mut [u8]) -> bool {
        file.handle().pauses.expect(0);
        let mut pending = Pending::read(file.handle(), 0, CallerMemory::for_reading(into), None);
        let is_in_place = pending.parts.iter().all(|part| matches!(part.way, Way::InPlace(_)));
        assert_eq!(pending.wait().unwrap(), into.len());
        assert!(into.iter().enumerate().all(|(i, &byte)| byte == content(i)));
        is_in_place
    }

    #[test]
    fn what_begins_with_a_page_is_read_in_place_unless_the_disk_charges_for_its_small_pages() {
        const LEN: usize = 1 << 20;
        let _buffers = with_buffers();
        let directory = tempfile::tempdir().unwrap();
        let Some(open) = open_around_cache(directory.path(), LEN) else { return };
        let mut huge = PageBlock::new(HUGE_PAGE_BYTES).unwrap();
        huge.fill(1);
        assert!(is_in_place(&open(), &mut huge[..LEN]));
        let mut memory = vec![1; LEN + PAGE_BYTES];
        let start = memory.as_ptr().align_offset(PAGE_BYTES);
        let small = &mut memory[start..start + LEN];
        let are_small = pages::are_huge(small.as_ptr().addr(), LEN) == Some(false);
        // Another handle: no pause comes before its first call.
        let file = open();
        let charges_pages = file.handle().properties.charges_pages;
        println!("the disk charges for pages: {charges_pages}; they are small: {are_small}");
        assert_eq!(is_in_place(&file, small), !(charges_pages && are_small));
    }

    #[test]
    fn a_read_of_more_than_all_buffers_goes_on_while_its_caller_is_away_and_ends_with_him() {
        let _buffers = with_all_buffers();
        let len = settings::get().buffer_bytes_max + (8 << 20);
        let directory = tempfile::tempdir().unwrap();
        let Some(open) = open_around_cache(directory.path(), AT + len) else { return };
        let (file, mut into) = (open(), vec![0; len]);
        let mut start = || {
            file.handle().pauses.expect(64);
            let pending = Pending::read(file.handle(), AT as u64, CallerMemory::for_reading(&mut into), None);
            assert!(pending.unissued.is_empty(), "{} bytes are not under way", pending.unissued.len());
            pending
        };
        drop(start());
        assert!(file.handle().inode().is_settled(), "what nobody wants is still being read");
        let mut pending = start();
        let is_there = |pending: &Pending| {
            pending.parts.iter().all(|part| match &part.way {
                Way::InPlace(transfer) | Way::Left { transfer, .. } | Way::Staged { transfer, .. } => {
                    transfer.is_done()
                }
            })
        };
        let patience = Instant::now() + Duration::from_secs(60);
        while !is_there(&pending) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(is_there(&pending), "nobody reads on while the caller is away");
        assert_eq!(pending.wait().unwrap(), len);
        drop(pending);
        assert!(into.iter().enumerate().all(|(i, &byte)| byte == content(AT + i)));
    }

    #[test]
    fn what_is_left_of_a_large_read_is_not_in_the_way_of_copies() {
        let _buffers = with_all_buffers();
        let len = settings::get().buffer_bytes_max + (8 << 20);
        let directory = tempfile::tempdir().unwrap();
        let Some(open) = open_around_cache(directory.path(), AT + len) else { return };
        let (go_on, stopped) = channel::<()>();
        pool::rests(Queue::default()).run(move || assert!(stopped.recv().is_err(), "nothing is sent"));
        let (file, mut into) = (open(), vec![0; len]);
        file.handle().pauses.expect(64);
        let mut pending = Pending::read(file.handle(), AT as u64, CallerMemory::for_reading(&mut into), None);
        let (sender, done) = channel();
        pool::transfers(Queue::default()).run(move || sender.send(()).expect("somebody waits"));
        done.recv_timeout(Duration::from_secs(60)).expect("the workers have time for it");
        let Some(Part { way: Way::Left { transfer, is_offered: true }, .. }) = pending.parts.back() else {
            panic!("nothing was left: {pending:?}")
        };
        assert!(transfer.is_queued(), "nobody has begun with it");
        drop(go_on);
        assert_eq!(pending.wait().unwrap(), len);
        drop(pending);
        assert!(into.iter().enumerate().all(|(i, &byte)| byte == content(AT + i)));
    }

    #[test]
    fn a_later_write_comes_after_what_of_a_read_found_no_buffer_and_who_only_tests_gets_it_too() {
        const LEN: usize = 5 * STAGED_BYTES_MAX;
        let _buffers = with_all_buffers();
        let directory = tempfile::tempdir().unwrap();
        let Some(open) = open_around_cache(directory.path(), AT + LEN) else { return };
        let (file, mut into) = (open(), vec![0; LEN]);
        let mut start = || {
            file.handle().pauses.expect(0);
            let pending = Pending::read(file.handle(), AT as u64, CallerMemory::for_reading(&mut into), None);
            let is_left = |part: &Part| matches!(part.way, Way::Left { is_offered: false, .. });
            assert!(pending.parts.back().is_some_and(is_left));
            pending
        };
        let mut pending = start();
        let patience = Instant::now() + Duration::from_secs(60);
        while !pending.test() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(pending.test(), "nobody reads what was left");
        drop(pending);
        let mut pending = start();
        let writer = File::open(file.path(), &OpenOptions::new(Mode::ReadWrite)).unwrap();
        writer.write_at((AT + LEN - 1000) as u64, &[content(AT + LEN - 1).wrapping_add(1); 1000]).unwrap();
        assert_eq!(pending.wait().unwrap(), LEN);
        drop(pending);
        assert!(into.iter().enumerate().all(|(i, &byte)| byte == content(AT + i)), "a later write is in it");
    }

    #[test]
    fn what_was_staged_is_left_to_a_worker_if_the_caller_is_going_to_be_away() {
        let _buffers = with_buffers();
        let directory = tempfile::tempdir().unwrap();
        let Some(open) = open_around_cache(directory.path(), 4 * WORKER_COPY_BYTES) else { return };
        // Each read is the first call of its handle, so that no pause comes before it, whatever else runs here.
        assert!(leaves_to_worker(&open(), 2));
        assert!(!leaves_to_worker(&open(), 0));
    }
}
