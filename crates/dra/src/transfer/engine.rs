//! Who carries jobs out: a thread of this process where no call of MPI is needed, or the thread that waits for them.
//!
//! Jobs are begun in the order in which they were issued. Both ways use one pipeline, and so one memory; it passes from one to
//! the other only when nothing is in flight. Who waits for jobs of the thread takes first steps of parts that it offers.
//!
//! A panic, ours or of the array in memory, fails the jobs that have been begun; those after them go on with an empty pipeline.

use super::job::Job;
use super::pipeline::{self, Advanced, Offer, Pipeline};
use super::unit;
use crate::in_memory::ArrayInMemory;
use comm::message_of_panic;
use section::Shape;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// The transfers of a process. When it is dropped, the thread first does what it was given.
#[derive(Debug)]
pub(crate) struct Engine {
    shared: Arc<Shared>,
    /// What the pipeline has been told: it may be locked for as long as a file takes to open.
    memory_bytes: AtomicU64,
    worker: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    queue: Mutex<Queue>,
    /// Something that somebody may wait for has happened: see [`Queue`].
    changed: Condvar,
    pipeline: Mutex<Pipeline>,
    /// Arrays of jobs that are done. To drop the last hold on one can take calls of MPI, so it is left to the program's thread.
    left_over: Mutex<Vec<Arc<dyn ArrayInMemory>>>,
}

#[derive(Debug, Default)]
struct Queue {
    jobs: VecDeque<Arc<Job>>,
    /// What all ranks together read by jobs that are not done.
    reading_bytes: u64,
    /// Who has jobs in the pipeline.
    driver: Option<Driver>,
    /// Threads that wait for a job and have nothing of their own to do.
    waiting_count: usize,
    /// The core that the thread for transfers keeps to: see [`core_for_worker`].
    core: Option<usize>,
    /// What they may do meanwhile.
    offers: VecDeque<Arc<Offer>>,
    ends: bool,
}

/// Who moves the pipeline along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Driver {
    Worker,
    Caller,
}

impl Queue {
    /// Whether it is for `driver` to do something: to go on, or to begin the next job.
    fn has_work_for(&self, driver: Driver) -> bool {
        self.driver.map_or_else(|| self.next_is_for(driver), |busy| busy == driver)
    }

    fn next_is_for(&self, driver: Driver) -> bool {
        self.jobs.front().is_some_and(|job| job.how.by_caller == (driver == Driver::Caller))
    }

    /// The next job, if it is for `driver`, whose turn it is.
    fn take(&mut self, driver: Driver) -> Option<Arc<Job>> {
        let job = if self.next_is_for(driver) { self.jobs.pop_front() } else { None };
        self.driver = Some(driver);
        job
    }
}

impl Engine {
    pub(crate) fn new(memory_bytes: u64) -> Self {
        let shared = Shared {
            queue: Mutex::default(),
            changed: Condvar::new(),
            pipeline: Mutex::new(Pipeline::new(memory_bytes)),
            left_over: Mutex::default(),
        };
        Self { shared: Arc::new(shared), memory_bytes: memory_bytes.into(), worker: Mutex::default() }
    }

    /// Takes a job. It returns at once; what the caller's thread has to do is left to [`wait`](Self::wait) and
    /// [`probe`](Self::probe).
    pub(crate) fn submit(&self, mut job: Job) -> Arc<Job> {
        self.drop_left_over();
        job.how.by_caller = job.how.by_caller || !self.has_worker();
        let mut queue = self.shared.queue();
        queue.reading_bytes += job.bytes_to_memory();
        job.reading_bytes = queue.reading_bytes;
        let job = Arc::new(job);
        queue.core = core_for_worker();
        queue.jobs.push_back(Arc::clone(&job));
        drop(queue);
        self.shared.changed.notify_all();
        job
    }

    /// Starts the thread if it is not there.
    fn has_worker(&self) -> bool {
        let mut worker = lock(&self.worker);
        if worker.is_none() {
            let shared = Arc::clone(&self.shared);
            *worker = thread::Builder::new()
                .name("chemio-dra".to_owned())
                .spawn(move || shared.work())
                .inspect_err(
                    |error| tracing::warn!(%error, "no thread for transfers: they are made by waiting"),
                )
                .ok();
        }
        worker.is_some()
    }

    /// Waits until a job is done, and does what is for this thread meanwhile.
    pub(crate) fn wait(&self, job: &Job) {
        self.shared.queue().core = core_for_worker();
        while !job.is_done() {
            if self.shared.advance(Driver::Caller, true) == Advanced::Nothing {
                self.shared.wait_and_help(job);
            }
        }
        self.drop_left_over();
    }

    /// Moves along what is for this thread, without waiting; tells whether a job is done.
    pub(crate) fn probe(&self, job: &Job) -> bool {
        while !job.is_done() && self.shared.advance(Driver::Caller, false) == Advanced::Something {}
        self.drop_left_over();
        job.is_done()
    }

    /// Whether nothing is under way or about to be.
    pub(crate) fn is_idle(&self) -> bool {
        let queue = self.shared.queue();
        queue.jobs.is_empty() && queue.driver.is_none()
    }

    /// Whether a part of a brick that begins and ends on pages is moved in pieces that do.
    pub(crate) fn moves_whole_pages(&self, brick: &Shape, element_bytes: u64, room_bytes: u64) -> bool {
        let window_bytes = pipeline::buffer_bytes(self.memory_bytes.load(Ordering::Relaxed), room_bytes);
        unit::is_cut_at_pages(brick, element_bytes, window_bytes)
    }

    /// The most memory that transfers ever held, in bytes.
    pub(crate) fn memory_bytes_peak(&self) -> u64 {
        lock(&self.shared.pipeline).memory_bytes_peak()
    }

    /// From now on transfers have so much memory.
    pub(crate) fn set_memory_bytes(&self, memory_bytes: u64) {
        lock(&self.shared.pipeline).set_memory_bytes(memory_bytes);
        self.memory_bytes.store(memory_bytes, Ordering::Relaxed);
    }

    fn drop_left_over(&self) {
        // Not while the lock is held.
        let left_over = std::mem::take(&mut *lock(&self.shared.left_over));
        drop(left_over);
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.shared.queue().ends = true;
        self.shared.changed.notify_all();
        if let Some(worker) = lock(&self.worker).take()
            && worker.join().is_err()
        {
            tracing::error!("the thread for transfers has panicked");
        }
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    /// The thread.
    fn work(&self) {
        // A rank may still be on its way out of the call that has started a transfer.
        if !elio::has_spare_core() {
            elio::let_others_run_on();
        }
        while self.wait_for_work() {
            thread::yield_now();
            while self.advance(Driver::Worker, true) == Advanced::Something {
                let core = self.queue().core;
                elio::confine_thread(core);
            }
            elio::confine_thread(None);
        }
    }

    /// Until something is for the thread; false if there is nothing more to come.
    fn wait_for_work(&self) -> bool {
        let idle = |queue: &mut Queue| !queue.ends && !queue.has_work_for(Driver::Worker);
        let queue = self.changed.wait_while(self.queue(), idle).unwrap_or_else(PoisonError::into_inner);
        queue.has_work_for(Driver::Worker)
    }

    /// Until a job is done, or something is for the waiting thread alone to do: takes the first steps that the other thread offers.
    fn wait_and_help(&self, job: &Job) {
        let mut queue = self.queue();
        queue.waiting_count += 1;
        while !job.is_done() && !queue.has_work_for(Driver::Caller) {
            queue = if let Some(offer) = queue.offers.pop_front() {
                drop(queue);
                offer.take();
                self.queue()
            } else {
                self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner)
            };
        }
        queue.waiting_count -= 1;
    }

    /// Moves the pipeline along if it is for `driver` to do so.
    fn advance(&self, driver: Driver, block: bool) -> Advanced {
        let no_work = || !self.queue().has_work_for(driver);
        // Before as well: the other driver may be waiting for the device in the pipeline.
        if no_work() {
            return Advanced::Nothing;
        }
        let mut pipeline = lock(&self.pipeline);
        if no_work() {
            return Advanced::Nothing;
        }
        let advanced = message_of_panic(|| pipeline.advance(&Driving { shared: self, driver }, block));
        let advanced = advanced.unwrap_or_else(|panic| {
            tracing::error!(panic, "transfers of arrays on disk are given up");
            pipeline.give_up(&panic);
            Advanced::Something
        });
        let finished = pipeline.take_finished();
        let mut queue = self.queue();
        for job in &finished {
            lock(&self.left_over).extend(job.take_memory());
            queue.reading_bytes -= job.bytes_to_memory();
            job.finish();
        }
        if pipeline.is_empty() {
            queue.driver = None;
            debug_assert!(!queue.jobs.is_empty() || queue.reading_bytes == 0, "{queue:?}");
        }
        if !finished.is_empty() || queue.driver.is_none() {
            self.changed.notify_all();
        }
        advanced
    }
}

/// A thread that moves the pipeline along.
struct Driving<'a> {
    shared: &'a Shared,
    driver: Driver,
}

impl pipeline::Driver for Driving<'_> {
    fn next_job(&self) -> Option<Arc<Job>> {
        self.shared.queue().take(self.driver)
    }

    /// One step for each thread that waits, so that none has to be woken for the next.
    fn has_helper(&self) -> bool {
        if self.driver == Driver::Caller || !elio::has_spare_core() {
            return false;
        }
        let mut queue = self.shared.queue();
        queue.offers.retain(|offer| offer.is_open());
        queue.offers.len() < queue.waiting_count
    }

    fn offer(&self, offer: &Arc<Offer>) {
        self.shared.queue().offers.push_back(Arc::clone(offer));
        self.shared.changed.notify_all();
    }
}

/// Where the ranks of a node have all its cores, the thread for transfers keeps to that of its rank, which is asked whenever a job is
/// issued or waited for. Left alone, the kernel gathers the threads of ranks that write one file on one core, because they wake each
/// other at the file's lock, and the ranks that compute meanwhile on the others.
fn core_for_worker() -> Option<usize> {
    if elio::has_spare_core() { None } else { elio::current_core() }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
