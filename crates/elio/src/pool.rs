//! Worker threads: they run transfers that no ring takes, and writeback.

use crate::policy::backend::has_ring;
use crate::policy::cores::{cores_for_workers, start_thread};
use crate::queue::Queue;
use crate::sys::fork::{self, OfProcess};
use crate::sys::transfer::{Direction, Transfer};
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, Weak};
use std::thread;

enum Work {
    /// Whoever started it holds it until it is done; what nobody holds is not wanted any more.
    Transfer(Weak<Transfer>),
    Job(Job),
    /// Nothing is missing without it: done by a thread, or not at all.
    Optional(Job),
}

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Waiting {
    work: VecDeque<Work>,
    threads_count: usize,
    /// Threads that sleep and that nobody has woken yet.
    idle_count: usize,
}

thread_local! {
    /// Whether this thread runs what is queued: what it waits for meanwhile does not make it run more, one within the other, without end.
    static RUNS_QUEUED: Cell<bool> = const { Cell::new(false) };
}

/// A queue and the threads that empty it, started as they are needed.
pub(crate) struct Pool {
    name: &'static str,
    threads_max: usize,
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

/// The pool of this process: a forked child has none of the threads of its parent's, so it gets another, and threads of its own.
type PoolOfProcess = OfProcess<OnceLock<Pool>>;
/// One for each queue, by its number.
type PoolOfQueue = [PoolOfProcess; Queue::COUNT_MAX];

fn of_queue(pools: &'static PoolOfQueue, queue: Queue, make: impl FnOnce() -> Pool) -> &'static Pool {
    of_process(&pools[queue.number()], make)
}

fn of_process(pools: &'static PoolOfProcess, make: impl FnOnce() -> Pool) -> &'static Pool {
    pools.get_or_init(|| {
        fork::watch();
        make()
    })
}

/// Transfers of a queue: as many threads as keep a device busy where there is no ring. Where there is one they only copy from and to
/// the page cache: two, but not on the core that the caller computes on, since who waits takes part in reads; one for a queue beside
/// the common one, because there are others.
pub(crate) fn transfers(queue: Queue) -> &'static Pool {
    static POOLS: PoolOfQueue = [const { OfProcess::empty() }; Queue::COUNT_MAX];
    of_queue(&POOLS, queue, || {
        let uses_ring = has_ring() && !fork::is_child();
        let threads_max = match (uses_ring, queue.is_common()) {
            (false, _) => 8,
            (true, true) => cores_for_workers().clamp(1, 2),
            (true, false) => 1,
        };
        Pool::new("elio-transfer", threads_max)
    })
}

/// What of reads larger than all buffers found none: one thread, which has many transfers under way by itself. Short copies must not
/// stand in line behind it.
pub(crate) fn rests(queue: Queue) -> &'static Pool {
    static POOLS: PoolOfQueue = [const { OfProcess::empty() }; Queue::COUNT_MAX];
    of_queue(&POOLS, queue, || Pool::new("elio-rest", 1))
}

/// Copies of streams from and to the page cache: one thread, because the reader or writer of the stream copies beside it,
/// and a third would take turns with them.
pub(crate) fn streams(queue: Queue) -> &'static Pool {
    static POOLS: PoolOfQueue = [const { OfProcess::empty() }; Queue::COUNT_MAX];
    of_queue(&POOLS, queue, || Pool::new("elio-stream", 1))
}

/// Writeback of a queue: one thread, because the kernel makes it wait when the device is full, and transfers must not.
pub(crate) fn writeback(queue: Queue) -> &'static Pool {
    static POOLS: PoolOfQueue = [const { OfProcess::empty() }; Queue::COUNT_MAX];
    of_queue(&POOLS, queue, || Pool::new("elio-writeback", 1))
}

/// What gives back space of closed files: one thread, which may wait for a discard, or for other processes.
pub(crate) fn releases() -> &'static Pool {
    static POOLS: PoolOfProcess = OfProcess::empty();
    of_process(&POOLS, || Pool::new("elio-release", 1))
}

impl Pool {
    fn new(name: &'static str, threads_max: usize) -> Self {
        Self { name, threads_max, waiting: Mutex::default(), arrived: Condvar::new() }
    }

    /// Queues a transfer.
    pub(crate) fn push(&'static self, transfer: &Arc<Transfer>) {
        transfer.queue();
        self.offer(transfer);
    }

    /// As [`Self::push`], for one that counts as queued already.
    pub(crate) fn offer(&'static self, transfer: &Arc<Transfer>) {
        self.add(Work::Transfer(Arc::downgrade(transfer)));
    }

    /// Queues a job.
    pub(crate) fn run(&'static self, job: impl FnOnce() + Send + 'static) {
        self.add(Work::Job(Box::new(job)));
    }

    /// Queues a job without which nothing is missing: where no thread can be had it is dropped.
    pub(crate) fn run_if_thread(&'static self, job: impl FnOnce() + Send + 'static) {
        self.add(Work::Optional(Box::new(job)));
    }

    /// Runs what is queued first on this thread, which has to wait anyway; tells whether there was anything for it to do. Only reads,
    /// because writers of one file take turns, and none that would keep it for long after what it waits for is done.
    pub(crate) fn help(&self) -> bool {
        const HELPED_BYTES_MAX: usize = 8 << 20;
        if RUNS_QUEUED.get() {
            return false;
        }
        let mut queue = self.waiting();
        let Some(Work::Transfer(first)) = queue.work.front() else { return false };
        let first = first.upgrade();
        let is_for_this = |first: &Arc<Transfer>| {
            let is_short = first.len_bytes() <= HELPED_BYTES_MAX;
            first.is_done() || (first.direction() == Direction::Read && is_short)
        };
        if !first.as_ref().is_none_or(is_for_this) {
            return false;
        }
        queue.work.pop_front();
        drop(queue);
        RUNS_QUEUED.set(true);
        first.map(|transfer| transfer.run_if_queued());
        RUNS_QUEUED.set(false);
        true
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().expect("no worker panics while it holds the queue")
    }

    fn add(&'static self, work: Work) {
        let mut queue = self.waiting();
        queue.work.push_back(work);
        if queue.idle_count > 0 {
            queue.idle_count -= 1;
            drop(queue);
            self.arrived.notify_one();
        } else if queue.threads_count < self.threads_max {
            queue.threads_count += 1;
            drop(queue);
            self.spawn();
        }
    }

    /// Starts one more worker. Where the system refuses, the queue is left to the threads there are; with none at
    /// all, this thread does the work.
    fn spawn(&'static self) {
        let builder = thread::Builder::new().name(self.name.to_owned()).stack_size(256 * 1024);
        let started = start_thread(builder, move || self.work());
        if started.is_err() {
            let mut queue = self.waiting();
            queue.threads_count -= 1;
            if queue.threads_count == 0 {
                drop(queue);
                self.work_without_threads();
            }
        }
    }

    /// Does in this thread what is queued, so that nothing waits for ever; but not what nobody waits for, which may queue more of its kind.
    fn work_without_threads(&self) {
        let work = std::mem::take(&mut self.waiting().work);
        work.into_iter().filter(|work| !matches!(work, Work::Optional(_))).for_each(perform);
    }

    fn work(&self) {
        RUNS_QUEUED.set(true);
        let mut queue = self.waiting();
        loop {
            if let Some(work) = queue.work.pop_front() {
                drop(queue);
                perform(work);
                queue = self.waiting();
            } else {
                // Whoever wakes this thread takes it out of the count; after a wakeup that nobody made, the count is one too
                // high for a while, which costs a needless notification.
                queue.idle_count += 1;
                queue = self.arrived.wait(queue).expect("no worker panics while it holds the queue");
            }
        }
    }
}

fn perform(work: Work) {
    match work {
        Work::Transfer(transfer) => {
            transfer.upgrade().map(|transfer| transfer.run_if_queued());
        }
        Work::Job(job) | Work::Optional(job) => {
            // A thread that ended with it would be missed by all that is queued later. The panic itself was told.
            if catch_unwind(AssertUnwindSafe(job)).is_err() {
                tracing::error!("a job of a helper has panicked");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer;
    use crate::buffer::in_tests::with_buffers;
    use crate::device::memory::MemoryDevice;
    use crate::device::staged::StagedDevice;
    use crate::device::{Device, Route};
    use crate::sys::region::Region;
    use std::time::{Duration, Instant};

    #[test]
    fn what_is_run_for_who_waits_runs_nothing_else_that_is_queued() {
        const LEN: usize = 4096;
        let _buffers = with_buffers();
        let queue: &'static Pool = Box::leak(Box::new(Pool::new("none", 0)));
        let read = |device: Arc<dyn Device>| {
            let region = Region::of_pool(buffer::pool().take(LEN).expect("a page"), LEN);
            let transfer = Transfer::new(device, Direction::Read, Route::Cached, 0, region);
            queue.push(&transfer);
            transfer
        };
        let outer = read(StagedDevice::new(Queue::default(), |_, into| {
            assert!(!queue.help(), "one within the other");
            Ok(into.len())
        }));
        let other = read(MemoryDevice::new(1 << 20));
        assert!(queue.help());
        assert!(outer.wait().is_ok_and(|bytes| bytes == LEN), "its assertion");
        assert!(!other.is_done());
        assert!(queue.help() && other.is_done(), "it helps again");
    }

    #[test]
    fn a_job_that_panics_does_not_take_the_thread_with_it() {
        let queue: &'static Pool = Box::leak(Box::new(Pool::new("one", 1)));
        let (sender, receiver) = std::sync::mpsc::channel();
        queue.run(|| panic!("as told"));
        queue.run(move || sender.send(()).expect("somebody waits"));
        receiver.recv_timeout(Duration::from_secs(60)).expect("the thread is there still");
    }

    #[test]
    fn where_no_thread_can_be_had_needed_jobs_are_done_all_the_same_and_optional_ones_are_not() {
        let queue: &'static Pool = Box::leak(Box::new(Pool::new("none", 0)));
        let (sender, receiver) = std::sync::mpsc::channel();
        let needed = sender.clone();
        queue.run_if_thread(move || sender.send("optional").expect("somebody waits"));
        queue.run(move || needed.send("needed").expect("somebody waits"));
        queue.work_without_threads();
        assert_eq!(receiver.iter().collect::<Vec<_>>(), ["needed"]);
    }

    #[test]
    fn a_device_that_does_not_answer_keeps_nobody_of_another_queue_waiting() {
        const LEN: usize = 4096;
        static ANSWERS: Mutex<()> = Mutex::new(());
        let _buffers = with_buffers();
        let start = |queue, read: fn()| {
            let device: Arc<dyn Device> = StagedDevice::new(queue, move |_, into| {
                read();
                Ok(into.len())
            });
            let region = Region::of_pool(buffer::pool().take(LEN).expect("a page"), LEN);
            Transfer::start(&device, Direction::Read, Route::Cached, 0, region)
        };
        let silence = ANSWERS.lock().unwrap();
        let answer = || drop(ANSWERS.lock());
        let (silent, other) =
            (Queue::of_directory("/silent".as_ref()), Queue::of_directory("/other".as_ref()));
        // More than there are threads.
        let asked: Vec<_> = (0..20).map(|_| start(silent, answer)).collect();
        writeback(silent).run(answer);
        for queue in [other, Queue::default()] {
            let transfer = start(queue, || {});
            let patience = Instant::now() + Duration::from_secs(60);
            while !transfer.is_done() && Instant::now() < patience {
                thread::yield_now();
            }
            assert!(transfer.is_done(), "{queue:?}");
            let (sender, receiver) = std::sync::mpsc::channel();
            writeback(queue).run(move || sender.send(()).expect("somebody waits"));
            receiver.recv_timeout(Duration::from_secs(60)).expect("writeback goes on");
        }
        assert!(!asked.iter().any(|transfer| transfer.is_done()));
        drop(silence);
        assert!(asked.iter().all(|transfer| transfer.wait().is_ok_and(|bytes| bytes == LEN)));
    }

    #[test]
    fn who_waits_makes_reads_in_their_order_and_leaves_writes_to_workers() {
        const LEN: usize = 4096;
        let _buffers = with_buffers();
        let device: Arc<dyn Device> = MemoryDevice::new(1 << 20);
        let queue: &'static Pool = Box::leak(Box::new(Pool::new("none", 0)));
        let [first, dropped, second, write, last] =
            [Direction::Read, Direction::Read, Direction::Read, Direction::Write, Direction::Read].map(
                |direction| {
                    let region = Region::of_pool(buffer::pool().take(LEN).expect("a page"), LEN);
                    let transfer = Transfer::new(Arc::clone(&device), direction, Route::Cached, 0, region);
                    queue.push(&transfer);
                    transfer
                },
            );
        drop(dropped);
        let done = || [&first, &second, &write, &last].map(|transfer| transfer.is_done());
        assert!(queue.help());
        assert_eq!(done(), [true, false, false, false]);
        assert!(queue.help() && queue.help(), "what nobody wants is taken out");
        assert_eq!(done(), [true, true, false, false]);
        assert!(!queue.help(), "the write is for a worker");
        assert_eq!(done(), [true, true, false, false]);
        write.wait().expect("it has not begun: who waits for it makes it");
        assert!(queue.help() && queue.help(), "what is done is taken out");
        assert_eq!(done(), [true; 4]);
    }
}
