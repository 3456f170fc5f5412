//! The requests of one open file, or of several, by the numbers that callers know them by.
//!
//! A number is issued once in 2^30 requests of a library. Requests that were finished when their call returned, as copies
//! are, have even numbers and leave nothing behind; those that run have odd ones. A request is kept while it runs. One that
//! has finished well leaves nothing behind: its number is below the count of issued ones, and that is how a repeated wait
//! finds it. One that has failed keeps its error, so that every wait tells it. What nobody waits for is collected when
//! later requests are issued, so that memory does not grow with the number of requests, but by a little for each that has failed.

use crate::error::{Error, Result};
use crate::failures::Failures;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// From this many running requests on, each new one collects finished old ones.
const RUNNING_BEFORE_COLLECTING: usize = 64;
/// How many of the oldest requests each new one looks at then: more than one, so that the count shrinks.
const COLLECTED_AT_ONCE: usize = 2;
/// How many numbers of each kind a 4-byte INTEGER holds: all even ones above 0, and of the odd ones as many.
const IDS_COUNT: u64 = i32::MAX as u64 / 2;

/// A transfer under way, as the library behind the border has it.
pub trait Transfer: Sized {
    /// What tells the file of one transfer from those of others in the same table.
    type Owner: Copy + PartialEq + Debug;

    /// The file it belongs to.
    fn owner(&self) -> Self::Owner;

    /// Whether it is a write.
    fn is_write(&self) -> bool;

    /// The transfer, unless it has finished well already.
    fn unfinished(self) -> Option<Self>;

    /// Waits until it has finished; may be called again, with the same result.
    ///
    /// # Errors
    /// Those of the transfer.
    fn wait(&mut self) -> std::result::Result<(), Arc<Error>>;

    /// Whether it has finished, without waiting.
    fn test(&mut self) -> bool;
}

/// How many requests a library has issued in this process: those that ran on, and those that did not.
#[derive(Debug)]
pub struct Issued([AtomicU64; 2]);

/// What became of a request by the end of the call that issued it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Running = 0,
    Finished = 1,
}

/// A running request. Whoever waits for it holds its lock, so that others see that it has not finished.
#[derive(Debug)]
struct Running<T: Transfer> {
    owner: T::Owner,
    is_write: bool,
    request: Mutex<T>,
}

/// Requests with numbers.
#[derive(Debug)]
pub struct Requests<T: Transfer> {
    issued: &'static Issued,
    state: Mutex<State<T>>,
}

#[derive(Debug)]
struct State<T: Transfer> {
    running: BTreeMap<i32, Arc<Running<T>>>,
    failed: Failures<i32, T::Owner>,
}

impl Default for Issued {
    fn default() -> Self {
        Self::new()
    }
}

impl Issued {
    /// None so far.
    pub const fn new() -> Self {
        Self([const { AtomicU64::new(0) }; 2])
    }

    /// Whether a request has been issued under this number.
    pub fn has(&self, id: i64) -> bool {
        let fate = if is_finished_at_issue(id) { Fate::Finished } else { Fate::Running };
        is_below(id, fate, self.0[fate as usize].load(Relaxed))
    }

    /// A new number.
    fn next(&self, fate: Fate) -> i32 {
        id_after(fate, self.0[fate as usize].fetch_add(1, Relaxed))
    }
}

/// Whether this is the number of a request that was finished when its call returned, if it was issued at all.
pub fn is_finished_at_issue(id: i64) -> bool {
    id % 2 == 0
}

/// Whether `id` is among the numbers of the first `issued` requests of this fate.
fn is_below(id: i64, fate: Fate, issued: u64) -> bool {
    (1..=i64::from(i32::MAX)).contains(&id)
        && ((id - 1 - fate as i64) / 2).unsigned_abs() < issued.min(IDS_COUNT)
}

/// The number of the request that is issued after `issued` others of its fate: odd ones or even ones from 1 to 2^31 - 2,
/// then the first again.
fn id_after(fate: Fate, issued: u64) -> i32 {
    i32::try_from(issued % IDS_COUNT * 2 + 1 + fate as u64).unwrap_or(i32::MAX)
}

impl<T: Transfer> Requests<T> {
    /// No requests; their numbers come from `issued`.
    pub const fn new(issued: &'static Issued) -> Self {
        let state = State { running: BTreeMap::new(), failed: Failures::new() };
        Self { issued, state: Mutex::new(state) }
    }

    /// Takes a request that has been started and gives it a number.
    pub fn insert(&self, request: T) -> i32 {
        let Some(request) = request.unfinished() else { return self.issued.next(Fate::Finished) };
        let (owner, is_write) = (request.owner(), request.is_write());
        let mut state = self.state();
        state.collect();
        let id = self.issued.next(Fate::Running);
        state.failed.forget(&id);
        state.running.insert(id, Arc::new(Running { owner, is_write, request: Mutex::new(request) }));
        id
    }

    /// Waits for request `id` and tells its result, every time. `None`: not one of these that runs or has failed.
    pub fn wait(&self, id: i32) -> Option<Result<()>> {
        let running = {
            let mut state = self.state();
            if let Some(error) = state.failed.tell(id) {
                return Some(Err(error));
            }
            Arc::clone(state.running.get(&id)?)
        };
        let result = running.wait();
        let mut state = self.state();
        state.finish(id, &running, result.clone());
        // What has failed may have been taken out meanwhile.
        Some(state.failed.tell(id).map_or_else(|| result.map_err(Error::Again), Err))
    }

    /// Whether request `id` has finished. `None`: not one of these that runs or has failed.
    pub fn test(&self, id: i32) -> Option<bool> {
        let running = {
            let state = self.state();
            if state.failed.contains(&id) {
                return Some(true);
            }
            Arc::clone(state.running.get(&id)?)
        };
        Some(running.is_finished())
    }

    /// Whether request `id` is one of these that runs or has failed.
    pub fn contains(&self, id: i32) -> bool {
        let state = self.state();
        state.running.contains_key(&id) || state.failed.contains(&id)
    }

    /// Waits for everything of `owner` that is outstanding; errors are kept for their waits.
    pub fn drain(&self, owner: T::Owner) {
        let outstanding = self.state().running_of(owner);
        for (id, running) in outstanding {
            let result = running.wait();
            self.state().finish(id, &running, result);
        }
    }

    /// Waits for everything of `owner` that is outstanding, but for what somebody is waiting for already.
    pub fn drain_free(&self, owner: T::Owner) {
        let outstanding = self.state().running_of(owner);
        for (id, running) in outstanding {
            if let Some(result) = running.wait_if_free() {
                self.state().finish(id, &running, result);
            }
        }
    }

    /// The first error of a write of `owner` that no call has told; it counts as told from now on.
    ///
    /// # Errors
    /// That error.
    pub fn untold(&self, owner: T::Owner) -> Result<()> {
        self.state().failed.tell_untold(|other| other == owner)
    }

    /// Waits for everything of `owner` that is outstanding, and tells nobody of errors, but for waits.
    pub fn dismiss(&self, owner: T::Owner) {
        self.drain(owner);
        self.state().failed.dismiss(|other| other == owner);
    }

    /// Takes out what has failed, for the waits that come when the table is gone.
    pub fn take_failures(&self) -> Failures<i32, T::Owner> {
        std::mem::take(&mut self.state().failed)
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Transfer> State<T> {
    fn running_of(&self, owner: T::Owner) -> Vec<(i32, Arc<Running<T>>)> {
        let of_owner = self.running.iter().filter(|(_, running)| running.owner == owner);
        of_owner.map(|(id, running)| (*id, Arc::clone(running))).collect()
    }

    /// Forgets finished requests among the oldest, once there are many.
    fn collect(&mut self) {
        if self.running.len() < RUNNING_BEFORE_COLLECTING {
            return;
        }
        let oldest = self.running.iter().take(COLLECTED_AT_ONCE);
        let finished = oldest.filter(|(_, running)| running.is_finished());
        let finished: Vec<_> = finished.map(|(id, running)| (*id, Arc::clone(running))).collect();
        for (id, running) in finished {
            let result = running.wait();
            self.finish(id, &running, result);
        }
    }

    /// Takes a finished request out of the running ones and keeps its error.
    fn finish(&mut self, id: i32, running: &Running<T>, result: std::result::Result<(), Arc<Error>>) {
        let first_to_know = self.running.remove(&id).is_some();
        if let (true, Err(error)) = (first_to_know, result) {
            self.failed.insert(id, running.owner, error, running.is_write);
        }
    }
}

impl<T: Transfer> Running<T> {
    fn wait(&self) -> std::result::Result<(), Arc<Error>> {
        self.request.lock().unwrap_or_else(PoisonError::into_inner).wait()
    }

    /// `None`: somebody is waiting for it.
    fn wait_if_free(&self) -> Option<std::result::Result<(), Arc<Error>>> {
        match self.request.try_lock() {
            Ok(mut request) => Some(request.wait()),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner().wait()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Whether it has finished; a request that another thread is waiting for has not.
    fn is_finished(&self) -> bool {
        match self.request.try_lock() {
            Ok(mut request) => request.test(),
            Err(TryLockError::Poisoned(error)) => error.into_inner().test(),
            Err(TryLockError::WouldBlock) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eaf::ForeignBuffer;
    use elio::{Fault, FaultDevice, MemoryDevice};
    use std::time::Duration;

    static ISSUED: Issued = Issued::new();

    /// Long enough for a worker, so that the request runs on.
    const LEN_BYTES: usize = 512 << 10;

    /// A file in memory whose operations fail as told, with its requests and the memory they use.
    struct Fixture {
        device: Arc<FaultDevice>,
        file: eaf::File,
        requests: Requests<eaf::Request<ForeignBuffer>>,
        memory: Vec<u8>,
    }

    impl Fixture {
        fn new() -> Self {
            let device = FaultDevice::new(MemoryDevice::new(1 << 20));
            let file = eaf::File::on_device(Arc::clone(&device) as _, "faulty", eaf::Kind::ReadWrite);
            Self { device, file, requests: Requests::new(&ISSUED), memory: vec![0; LEN_BYTES] }
        }

        fn fail_next(&self) {
            self.device.inject(self.device.operations_count(), Fault::Fail(libc::EIO));
        }

        fn foreign(&mut self) -> ForeignBuffer {
            // SAFETY: the fixture outlives its requests, and no test looks at the memory.
            unsafe { ForeignBuffer::new(self.memory.as_mut_ptr(), LEN_BYTES) }
        }

        fn write(&mut self) -> i32 {
            let buffer = self.foreign();
            self.requests.insert(self.file.awrite(0, buffer).expect("started"))
        }

        fn read(&mut self, offset_bytes: u64) -> i32 {
            let buffer = self.foreign();
            self.requests.insert(self.file.aread(offset_bytes, buffer).expect("started"))
        }

        fn failed_write(&mut self) -> i32 {
            self.fail_next();
            let id = self.write();
            // The fault is met before the next one is numbered.
            while self.requests.test(id) == Some(false) {
                std::thread::yield_now();
            }
            id
        }
    }

    fn wait(requests: &Requests<eaf::Request<ForeignBuffer>>, id: i32) -> i32 {
        requests.wait(id).expect("known").map_or_else(|error| error.code(), |()| 0)
    }

    #[test]
    fn a_request_that_has_finished_well_leaves_nothing_behind() {
        let mut fixture = Fixture::new();
        let id = fixture.write();
        assert_eq!(wait(&fixture.requests, id), 0);
        assert!(fixture.requests.wait(id).is_none() && !fixture.requests.contains(id));
        assert!(ISSUED.has(id.into()));
    }

    #[test]
    fn a_request_that_is_only_a_copy_is_not_kept_at_all() {
        let mut fixture = Fixture::new();
        // SAFETY: as in `foreign`.
        let buffer = unsafe { ForeignBuffer::new(fixture.memory.as_mut_ptr(), 64) };
        let id = fixture.requests.insert(fixture.file.awrite(0, buffer).expect("started"));
        assert!(is_finished_at_issue(id.into()) && ISSUED.has(id.into()));
        assert!(!fixture.requests.contains(id) && fixture.requests.wait(id).is_none());
        assert_eq!(fixture.file.statistics().wait.calls, 1);
    }

    #[test]
    fn a_failed_request_tells_its_error_at_every_wait_and_counts_as_finished() {
        let mut fixture = Fixture::new();
        let id = fixture.failed_write();
        let code = wait(&fixture.requests, id);
        assert!([-1998, -1999].contains(&code), "{code}");
        assert_eq!(wait(&fixture.requests, id), code);
        assert_eq!(fixture.requests.test(id), Some(true));
        fixture.requests.untold(()).expect("a wait has told it");
    }

    #[test]
    fn a_failed_write_that_nobody_waited_for_is_told_in_the_end() {
        let mut fixture = Fixture::new();
        fixture.failed_write();
        fixture.requests.drain(());
        assert!(fixture.requests.untold(()).is_err());
    }

    #[test]
    fn a_wait_for_one_failed_write_does_not_hide_another() {
        let mut fixture = Fixture::new();
        let told = fixture.failed_write();
        fixture.failed_write();
        fixture.requests.drain(());
        assert_ne!(wait(&fixture.requests, told), 0);
        assert!(fixture.requests.untold(()).is_err());
    }

    #[test]
    fn a_failed_read_that_nobody_waited_for_concerns_nobody() {
        let mut fixture = Fixture::new();
        let id = fixture.read(0);
        fixture.requests.drain(());
        assert_eq!(wait(&fixture.requests, id), -1977, "the drained request still tells");
        fixture.read(0);
        fixture.requests.drain(());
        fixture.requests.untold(()).expect("reads are not told");
    }

    #[test]
    fn however_many_requests_have_failed_each_wait_tells_it() {
        let mut fixture = Fixture::new();
        fixture.failed_write();
        let reads: Vec<_> = (0..3000).map(|_| fixture.read(1 << 19)).collect();
        for _ in 0..2 {
            assert!(reads.iter().all(|&id| wait(&fixture.requests, id) == -1977));
        }
        assert!(fixture.requests.untold(()).is_err(), "nobody has waited for the write");
    }

    #[test]
    fn finished_requests_that_nobody_waits_for_are_collected() {
        let mut fixture = Fixture::new();
        for _ in 0..10_000 {
            fixture.write();
            assert!(fixture.requests.state().running.len() <= 2 * RUNNING_BEFORE_COLLECTING);
        }
    }

    #[test]
    fn a_failure_that_is_taken_out_while_a_thread_waits_is_told_to_it() {
        // Far from those that are issued meanwhile.
        const ID: i32 = i32::MAX - 2;
        let mut fixture = Fixture::new();
        let buffer = fixture.foreign();
        let request = Mutex::new(fixture.file.aread(1 << 19, buffer).expect("started"));
        let running = Arc::new(Running { owner: (), is_write: false, request });
        fixture.requests.state().running.insert(ID, Arc::clone(&running));
        let requests = &fixture.requests;
        std::thread::scope(|scope| {
            // As who closes the file, before anybody else.
            let mut request = running.request.lock().expect("not poisoned");
            let waiting = scope.spawn(|| wait(requests, ID));
            while Arc::strong_count(&running) < 3 {
                std::thread::yield_now();
            }
            let failed = Transfer::wait(&mut *request);
            assert!(failed.is_err());
            requests.state().finish(ID, &running, failed);
            drop((requests.take_failures(), request));
            assert_eq!(waiting.join().expect("no panic"), -1977);
        });
    }

    #[test]
    fn a_request_that_another_thread_waits_for_has_not_finished() {
        // Far from those that are issued meanwhile.
        const LAST: i32 = i32::MAX;
        let mut fixture = Fixture::new();
        let buffer = fixture.foreign();
        let request = Mutex::new(fixture.file.awrite(0, buffer).expect("started"));
        let running = Arc::new(Running { owner: (), is_write: true, request });
        fixture.requests.state().running.insert(LAST, Arc::clone(&running));
        let waiting = running.request.lock().expect("not poisoned");
        assert_eq!(fixture.requests.test(LAST), Some(false));
        let free = fixture.write();
        fixture.requests.drain_free(());
        let is_running = |id| fixture.requests.state().running.contains_key(&id);
        assert_eq!((is_running(LAST), is_running(free)), (true, false));
        drop(waiting);
        running.wait().expect("written");
        assert_eq!(fixture.requests.test(LAST), Some(true));
    }

    #[test]
    fn two_threads_may_wait_for_one_request() {
        let mut fixture = Fixture::new();
        let slow = Fault::Delay(Duration::from_millis(30));
        fixture.device.inject(fixture.device.operations_count(), slow);
        let id = fixture.write();
        std::thread::scope(|scope| {
            let waits = [(); 2]
                .map(|()| scope.spawn(|| fixture.requests.wait(id).is_none_or(|result| result.is_ok())));
            assert!(waits.into_iter().all(|wait| wait.join().expect("no panic")));
        });
    }

    #[test]
    fn numbers_start_again_after_the_largest_that_four_bytes_hold() {
        let ids = |fate| [0, 1, IDS_COUNT - 1, IDS_COUNT].map(|issued| id_after(fate, issued));
        assert_eq!(ids(Fate::Running), [1, 3, i32::MAX - 2, 1]);
        assert_eq!(ids(Fate::Finished), [2, 4, i32::MAX - 1, 2]);
        for fate in [Fate::Running, Fate::Finished] {
            for issued in [0, 1, 2, IDS_COUNT - 1] {
                let id = id_after(fate, issued).into();
                assert!(!is_below(id, fate, issued) && is_below(id, fate, issued + 1));
                assert_eq!(is_finished_at_issue(id), fate == Fate::Finished);
            }
            for id in [0, -1, -2, i64::MIN, i64::from(i32::MAX) + 1] {
                assert!(!is_below(id, fate, u64::MAX), "{id} was never issued");
            }
        }
    }

    /// A write of file `file` that has failed, or not.
    #[derive(Debug)]
    struct Ended {
        file: u8,
        failed: bool,
    }

    impl Transfer for Ended {
        type Owner = u8;

        fn owner(&self) -> u8 {
            self.file
        }

        fn is_write(&self) -> bool {
            true
        }

        fn unfinished(self) -> Option<Self> {
            Some(self)
        }

        fn wait(&mut self) -> std::result::Result<(), Arc<Error>> {
            if self.failed { Err(Arc::new(Error::InvalidHandle { fd: self.file.into() })) } else { Ok(()) }
        }

        fn test(&mut self) -> bool {
            true
        }
    }

    #[test]
    fn files_that_share_a_table_are_told_their_own_errors_once() {
        let requests = Requests::new(&ISSUED);
        for (file, failed) in [(1, false), (2, true), (2, true), (3, true)] {
            requests.insert(Ended { file, failed });
        }
        for file in [1, 2, 3] {
            requests.drain(file);
        }
        requests.untold(1).expect("nothing failed");
        assert!(
            matches!(requests.untold(2), Err(Error::Again(error)) if error.to_string().contains("descriptor 2"))
        );
        assert!(requests.untold(2).is_err(), "two writes failed");
        requests.untold(2).expect("both are told");
        requests.untold(3).expect_err("the other file's is not");
    }

    #[test]
    fn what_is_dismissed_is_told_by_waits_alone() {
        let requests = Requests::new(&ISSUED);
        let ids = [(); 3].map(|()| requests.insert(Ended { file: 1, failed: true }));
        requests.dismiss(1);
        requests.untold(1).expect("dismissed");
        assert!(ids.iter().all(|&id| matches!(requests.wait(id), Some(Err(_)))));
    }

    #[test]
    fn each_file_of_a_table_keeps_its_first_untold_error_when_there_are_many() {
        let requests = Requests::new(&ISSUED);
        for file in [1, 2] {
            requests.insert(Ended { file, failed: true });
        }
        for _ in 0..3000 {
            requests.insert(Ended { file: 3, failed: true });
        }
        for file in [1, 2, 3] {
            requests.drain(file);
        }
        for file in [1, 2] {
            assert!(requests.untold(file).is_err() && requests.untold(file).is_ok());
        }
    }
}
