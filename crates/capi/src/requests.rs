//! The requests of one open file, by the numbers that callers know them by.
//!
//! A number is issued once in 2^30 requests, process-wide. Requests that were finished when their call returned, as copies
//! are, have even numbers and leave nothing behind; those that run have odd ones. A request is kept while it runs. One that
//! has finished well leaves nothing behind: its number is below the count of issued ones, and that is how a repeated wait
//! finds it. One that has failed keeps its error, so that every wait tells it. What nobody waits for is collected when
//! later requests are issued, so that memory does not grow with the number of requests.

use crate::error::{Error, Result};
use eaf::ForeignBuffer;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// From this many running requests on, each new one collects finished old ones.
const RUNNING_BEFORE_COLLECTING: usize = 64;
/// How many of the oldest requests each new one looks at then: more than one, so that the count shrinks.
const COLLECTED_AT_ONCE: usize = 2;
/// How many failed requests a file remembers one by one.
const FAILED_MAX: usize = 1024;
/// How many numbers of each kind a 4-byte INTEGER holds: all even ones above 0, and of the odd ones as many.
const IDS_COUNT: u64 = i32::MAX as u64 / 2;

/// How many requests this process has issued that ran on, and that did not.
static ISSUED: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

/// What became of a request by the end of the call that issued it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Running = 0,
    Finished = 1,
}

/// A running request. Whoever waits for it holds its lock, so that others see that it has not finished.
#[derive(Debug)]
struct Running {
    is_write: bool,
    request: Mutex<eaf::Request<ForeignBuffer>>,
}

/// A failed request.
#[derive(Debug)]
struct Failed {
    error: Arc<Error>,
    /// A write whose error no wait has told: close does. Reads that nobody waited for concern nobody.
    untold: bool,
}

/// The requests of one file.
#[derive(Debug, Default)]
pub(crate) struct Requests(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    running: BTreeMap<i32, Arc<Running>>,
    failed: BTreeMap<i32, Failed>,
    /// The first untold error that had to make room in `failed`.
    forgotten: Option<Arc<Error>>,
}

/// Whether some file has issued a request under this number.
pub(crate) fn was_issued(id: i64) -> bool {
    let fate = if is_finished_at_issue(id) { Fate::Finished } else { Fate::Running };
    is_below(id, fate, ISSUED[fate as usize].load(Relaxed))
}

/// Whether this is the number of a request that was finished when its call returned, if it was issued at all.
pub(crate) fn is_finished_at_issue(id: i64) -> bool {
    id % 2 == 0
}

/// Whether `id` is among the numbers of the first `issued` requests of this fate.
fn is_below(id: i64, fate: Fate, issued: u64) -> bool {
    (1..=i64::from(i32::MAX)).contains(&id)
        && ((id - 1 - fate as i64) / 2).unsigned_abs() < issued.min(IDS_COUNT)
}

/// A new number.
fn issue(fate: Fate) -> i32 {
    id_after(fate, ISSUED[fate as usize].fetch_add(1, Relaxed))
}

/// The number of the request that is issued after `issued` others of its fate: odd ones or even ones from 1 to 2^31 - 2,
/// then the first again.
fn id_after(fate: Fate, issued: u64) -> i32 {
    i32::try_from(issued % IDS_COUNT * 2 + 1 + fate as u64).unwrap_or(i32::MAX)
}

impl Requests {
    /// Takes a request that has been started and gives it a number.
    pub(crate) fn insert(&self, request: eaf::Request<ForeignBuffer>) -> i32 {
        let Some(request) = request.unfinished() else { return issue(Fate::Finished) };
        let mut state = self.state();
        state.collect();
        let id = issue(Fate::Running);
        let running = Running { is_write: request.is_write(), request: Mutex::new(request) };
        state.running.insert(id, Arc::new(running));
        id
    }

    /// Waits for request `id` and tells its result, every time. `None`: not one of this file that runs or has failed.
    pub(crate) fn wait(&self, id: i32) -> Option<Result<()>> {
        let running = {
            let mut state = self.state();
            if let Some(error) = state.tell(id) {
                return Some(Err(error));
            }
            Arc::clone(state.running.get(&id)?)
        };
        let result = running.wait();
        let mut state = self.state();
        state.finish(id, &running, result);
        Some(state.tell(id).map_or(Ok(()), Err))
    }

    /// Whether request `id` has finished. `None`: not one of this file that runs or has failed.
    pub(crate) fn test(&self, id: i32) -> Option<bool> {
        let state = self.state();
        if state.failed.contains_key(&id) {
            return Some(true);
        }
        state.running.get(&id).map(|running| running.is_finished())
    }

    /// Whether request `id` is one of this file that runs or has failed.
    pub(crate) fn contains(&self, id: i32) -> bool {
        let state = self.state();
        state.running.contains_key(&id) || state.failed.contains_key(&id)
    }

    /// Waits for everything outstanding; errors are kept for their waits.
    pub(crate) fn drain(&self) {
        let outstanding = self.state().running.clone();
        for (id, running) in outstanding {
            let result = running.wait();
            self.state().finish(id, &running, result);
        }
    }

    /// The first error of a write that no wait has told.
    pub(crate) fn into_untold(self) -> Result<()> {
        let state = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut failed = state.failed.into_values();
        let untold =
            state.forgotten.or_else(|| failed.find(|failed| failed.untold).map(|failed| failed.error));
        untold.map_or(Ok(()), |error| Err(Error::Again(error)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
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
    fn finish(&mut self, id: i32, running: &Running, result: eaf::Result<()>) {
        self.running.remove(&id);
        let Err(error) = result else { return };
        if self.failed.len() == FAILED_MAX {
            let oldest = self.failed.pop_first().filter(|(_, failed)| failed.untold);
            self.forgotten = self.forgotten.take().or(oldest.map(|(_, failed)| failed.error));
        }
        self.failed.insert(id, Failed { error: Arc::new(Error::Eaf(error)), untold: running.is_write });
    }

    /// The error of request `id`, which is told from now on.
    fn tell(&mut self, id: i32) -> Option<Error> {
        let failed = self.failed.get_mut(&id)?;
        failed.untold = false;
        Some(Error::Again(Arc::clone(&failed.error)))
    }
}

impl Running {
    fn wait(&self) -> eaf::Result<()> {
        self.request.lock().unwrap_or_else(PoisonError::into_inner).wait()
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
    use elio::{Fault, FaultDevice, MemoryDevice};
    use std::time::Duration;

    /// Long enough for a worker, so that the request runs on.
    const LEN_BYTES: usize = 512 << 10;

    /// A file in memory whose operations fail as told, with its requests and the memory they use.
    struct Fixture {
        device: Arc<FaultDevice>,
        file: eaf::File,
        requests: Requests,
        memory: Vec<u8>,
    }

    impl Fixture {
        fn new() -> Self {
            let device = FaultDevice::new(MemoryDevice::new(1 << 20));
            let file = eaf::File::on_device(Arc::clone(&device) as _, "faulty", eaf::Kind::ReadWrite);
            Self { device, file, requests: Requests::default(), memory: vec![0; LEN_BYTES] }
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

    fn wait(requests: &Requests, id: i32) -> i32 {
        requests.wait(id).expect("known").map_or_else(|error| error.code(), |()| 0)
    }

    #[test]
    fn a_request_that_has_finished_well_leaves_nothing_behind() {
        let mut fixture = Fixture::new();
        let id = fixture.write();
        assert_eq!(wait(&fixture.requests, id), 0);
        assert!(fixture.requests.wait(id).is_none() && !fixture.requests.contains(id));
        assert!(was_issued(id.into()));
    }

    #[test]
    fn a_request_that_is_only_a_copy_is_not_kept_at_all() {
        let mut fixture = Fixture::new();
        // SAFETY: as in `foreign`.
        let buffer = unsafe { ForeignBuffer::new(fixture.memory.as_mut_ptr(), 64) };
        let id = fixture.requests.insert(fixture.file.awrite(0, buffer).expect("started"));
        assert!(is_finished_at_issue(id.into()) && was_issued(id.into()));
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
        fixture.requests.into_untold().expect("a wait has told it");
    }

    #[test]
    fn a_failed_write_that_nobody_waited_for_is_told_in_the_end() {
        let mut fixture = Fixture::new();
        fixture.failed_write();
        fixture.requests.drain();
        assert!(fixture.requests.into_untold().is_err());
    }

    #[test]
    fn a_wait_for_one_failed_write_does_not_hide_another() {
        let mut fixture = Fixture::new();
        let told = fixture.failed_write();
        fixture.failed_write();
        fixture.requests.drain();
        assert_ne!(wait(&fixture.requests, told), 0);
        assert!(fixture.requests.into_untold().is_err());
    }

    #[test]
    fn a_failed_read_that_nobody_waited_for_concerns_nobody() {
        let mut fixture = Fixture::new();
        let id = fixture.read(0);
        fixture.requests.drain();
        assert_eq!(wait(&fixture.requests, id), -1977, "the drained request still tells");
        fixture.read(0);
        fixture.requests.drain();
        fixture.requests.into_untold().expect("reads are not told");
    }

    #[test]
    fn only_so_many_failed_requests_are_remembered_and_the_first_untold_is_not_forgotten() {
        let mut fixture = Fixture::new();
        fixture.failed_write();
        for _ in 0..FAILED_MAX + 2 * RUNNING_BEFORE_COLLECTING {
            fixture.read(1 << 19);
        }
        fixture.requests.drain();
        assert_eq!(fixture.requests.state().failed.len(), FAILED_MAX);
        assert!(fixture.requests.into_untold().is_err());
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
    fn a_request_that_another_thread_waits_for_has_not_finished() {
        let mut fixture = Fixture::new();
        let buffer = fixture.foreign();
        let request = Mutex::new(fixture.file.awrite(0, buffer).expect("started"));
        let running = Arc::new(Running { is_write: true, request });
        fixture.requests.state().running.insert(1, Arc::clone(&running));
        let waiting = running.request.lock().expect("not poisoned");
        assert_eq!(fixture.requests.test(1), Some(false));
        drop(waiting);
        running.wait().expect("written");
        assert_eq!(fixture.requests.test(1), Some(true));
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
}
