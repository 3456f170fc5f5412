//! The rings of this process, one for each queue: transfers go in from any thread, and any thread may wait for them.
//!
//! Of each ring one thread at a time, the leader, sleeps in the kernel and collects completions for all; the others sleep until
//! their transfer is done or the lead is free. A ring per thread could defer its completion work to its owner, but then
//! a request could be waited for only by the thread that made it, which callers from C and OpenMP do not promise.

use crate::device::Route;
use crate::queue::Queue;
use crate::sys::fork::{self, OfProcess};
use crate::sys::transfer::{Direction, Transfer};
use io_uring::{IoUring, opcode, squeue, types};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};

/// How many transfers of a queue are in the kernel at most; more wait their turn here. No device needs as many of one process, and one
/// whose queue is full, as a virtual disk's soon is with short transfers, gets each of the others later by a thread of the kernel.
const ENTRIES_COUNT: u32 = 128;
/// What one entry moves at most.
const ENTRY_BYTES_MAX: u32 = 1 << 30;
/// Who waits for one ring looks so often after others in which transfers wait for their turn.
const BACKLOG_NANOSECONDS: u32 = 1_000_000;
/// Of so many looks for completions one asks the kernel, whatever the ring says: it says nothing of work that waits for a thread which has
/// some of another ring, or shares the ring with one that has just done its own.
const LOOKS_OF_CALL: usize = 16;
/// So many are held at most; the kernel's block layer gathers no more either.
const HELD_COUNT_MAX: usize = 32;

/// By the number of the queue.
static RINGS: [OnceLock<io::Result<Ring>>; Queue::COUNT_MAX] = [const { OnceLock::new() }; Queue::COUNT_MAX];
/// None of a higher number has been made.
static RINGS_END: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Whether this thread has a [`Hold`].
    static HOLDS: Cell<bool> = const { Cell::new(false) };
    /// The rings in which it holds something. Not dropped: at its end the program may use files still.
    static HELD: ManuallyDrop<RefCell<Vec<&'static Ring>>> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

pub(crate) struct Ring {
    uring: IoUring,
    /// Whether the kernel says, as a rule, where it has completion work that waits for a system call.
    tells_of_work: bool,
    /// How often somebody has looked, and nothing was complete.
    looks_count: AtomicUsize,
    /// How often the kernel was asked then.
    #[cfg(test)]
    asked_count: AtomicUsize,
    submission: Mutex<Submission>,
    lead: Mutex<Lead>,
    lead_changed: Condvar,
}

impl std::fmt::Debug for Ring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ring").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Submission {
    backlog: VecDeque<squeue::Entry>,
    in_kernel_count: u32,
    /// Threads that wait for a transfer.
    waiting_count: usize,
}

#[derive(Default)]
struct Lead {
    /// Whether a thread leads.
    is_taken: bool,
    /// Threads that sleep until their transfer is done or the lead is free.
    followers_count: usize,
}

/// While it lives, transfers that this thread starts are gathered and handed to the kernel many at a time, which tells the device of
/// all of them at once: that costs several microseconds each time where the device is virtual. A thread that waits for a
/// transfer hands over what any thread holds in that ring, and what it holds itself in others, so that nobody waits for what is only held.
pub(crate) struct Hold(());

/// Holds what this thread starts. `None` where it does so already, or the rings are the parent's.
pub(crate) fn hold() -> Option<Hold> {
    if fork::is_child() || HOLDS.replace(true) { None } else { Some(Hold(())) }
}

impl Drop for Hold {
    fn drop(&mut self) {
        HOLDS.set(false);
        hand_over_held();
    }
}

/// What this thread holds goes to the kernel.
fn hand_over_held() {
    HELD.with(|held| held.borrow_mut().drain(..).for_each(|ring| ring.submit(&mut ring.submission())));
}

/// The ring of a queue, made at the first call; the error says why there is none. A forked child has its parent's, if there was one, through
/// which nothing may go: whoever starts or waits for a transfer asks [`fork::is_child`] first.
pub(crate) fn ring(queue: Queue) -> Result<&'static Ring, &'static io::Error> {
    static NO_RING: OfProcess<OnceLock<io::Error>> = OfProcess::empty();
    if fork::is_child() {
        // Its parent may just have been making it.
        let none = || NO_RING.get_or_init(|| io::Error::other("a forked child makes none"));
        return RINGS[queue.number()].get().map_or_else(|| Err(none()), Result::as_ref);
    }
    let ring = RINGS[queue.number()].get_or_init(Ring::new).as_ref();
    RINGS_END.fetch_max(queue.number() + 1, Ordering::Release);
    ring
}

/// Moves the other rings along: there may be nobody else to do it while this thread waits for one. Tells whether there is more to be moved.
fn poll_others_than(this: &Ring) -> bool {
    let others = rings().filter(|other| !ptr::eq(*other, this));
    // All of them.
    others.filter(|other| other.poll_if_busy()).count() > 0
}

fn rings() -> impl Iterator<Item = &'static Ring> {
    RINGS[..RINGS_END.load(Ordering::Acquire)].iter().filter_map(|ring| ring.get()?.as_ref().ok())
}

impl Ring {
    fn new() -> io::Result<Self> {
        fork::watch();
        // Completion work waits for the next system call of the submitting thread rather than interrupting its computing, and the ring says
        // that there is such work; kernels before 5.19 do not know how.
        let quiet = IoUring::builder().setup_coop_taskrun().setup_taskrun_flag().build(ENTRIES_COUNT);
        let tells_of_work = quiet.is_ok();
        let uring = quiet.or_else(|_| IoUring::builder().build(ENTRIES_COUNT))?;
        let (submission, lead, lead_changed) = (Mutex::default(), Mutex::default(), Condvar::new());
        Ok(Self {
            uring,
            tells_of_work,
            looks_count: AtomicUsize::new(0),
            #[cfg(test)]
            asked_count: AtomicUsize::new(0),
            submission,
            lead,
            lead_changed,
        })
    }

    /// Puts a transfer on its way. `fd` must be of the transfer's device, which the transfer keeps open.
    pub(crate) fn start(&'static self, transfer: &Arc<Transfer>, fd: BorrowedFd<'_>) {
        transfer.enter_ring(self);
        let entry = entry(transfer, fd);
        let mut submission = self.submission();
        submission.backlog.push_back(entry);
        let is_held = HOLDS.get() && submission.backlog.len() < HELD_COUNT_MAX;
        if !is_held || submission.waiting_count > 0 {
            self.submit(&mut submission);
        } else {
            HELD.with(|held| {
                let mut held = held.borrow_mut();
                if !held.iter().any(|ring| ptr::eq(*ring, self)) {
                    held.push(self);
                }
            });
        }
    }

    fn submission(&self) -> MutexGuard<'_, Submission> {
        self.submission.lock().expect("no thread panics while it submits")
    }

    /// Moves the backlog into the kernel as far as there is room.
    fn submit(&self, submission: &mut Submission) {
        let mut moved_count = 0;
        while submission.in_kernel_count < ENTRIES_COUNT {
            let Some(entry) = submission.backlog.pop_front() else { break };
            // SAFETY: the lock on `submission` makes this the only user of the queue; the entry's memory and
            // descriptor live until its completion, because the entry holds a count of its transfer.
            let pushed = unsafe { self.uring.submission_shared().push(&entry) };
            assert!(pushed.is_ok(), "the queue has room for all that may be in the kernel");
            submission.in_kernel_count += 1;
            moved_count += 1;
        }
        if moved_count > 0 {
            self.enter(0);
        }
    }

    /// Hands over what is queued and waits for `wanted_count` completions. A kernel that is out of memory or busy says
    /// so and is asked again by whoever waits next.
    fn enter(&self, wanted_count: usize) {
        let _ = self.uring.submitter().submit_and_wait(wanted_count);
    }

    /// Collects what is complete, if no other thread leads.
    pub(crate) fn poll(&self) {
        if self.try_lead() {
            if self.collect() == 0 {
                let submission = self.submission();
                // SAFETY: the lock on `submission` makes this the only user of the queue.
                let queue = unsafe { self.uring.submission_shared() };
                let (queued_count, has_work) = (queue.len(), queue.taskrun() || !self.tells_of_work);
                drop(queue);
                drop(submission);
                let looks_count = self.looks_count.fetch_add(1, Ordering::Relaxed);
                if queued_count > 0 || has_work || looks_count.is_multiple_of(LOOKS_OF_CALL) {
                    #[cfg(test)]
                    self.asked_count.fetch_add(1, Ordering::Relaxed);
                    // What the kernel was too busy to take before goes along.
                    let to_submit = u32::try_from(queued_count).unwrap_or(u32::MAX);
                    // SAFETY: no argument is passed; asks the kernel to run pending completion work.
                    let _ = unsafe { self.uring.submitter().enter::<libc::sigset_t>(to_submit, 0, 1, None) };
                    self.collect();
                }
            }
            self.stop_leading();
        }
    }

    /// Returns when `transfer` has left the ring.
    pub(crate) fn drive_until(&self, transfer: &Transfer) {
        if !transfer.is_in_ring() {
            return;
        }
        self.note_waiting();
        while transfer.is_in_ring() {
            if self.try_lead() {
                while transfer.is_in_ring() {
                    if self.collect() == 0 {
                        self.sleep(poll_others_than(self));
                    }
                }
                self.stop_leading();
            } else {
                self.wait_for_leader(transfer);
            }
        }
        self.submission().waiting_count -= 1;
    }

    /// Sleeps until something is complete; not for long if others have a backlog, where the kernel knows how (from 5.11 on).
    fn sleep(&self, others_have_backlog: bool) {
        if others_have_backlog && self.uring.params().is_feature_ext_arg() {
            let time = types::Timespec::new().nsec(BACKLOG_NANOSECONDS);
            let until = types::SubmitArgs::new().timespec(&time);
            let _ = self.uring.submitter().submit_with_args(1, &until);
        } else {
            self.enter(1);
        }
    }

    /// Moves it along if it has anything to do; tells whether transfers wait for their turn afterwards. One that is in use at this moment has
    /// somebody who looks after it.
    fn poll_if_busy(&self) -> bool {
        let has_work =
            |submission: &Submission| submission.in_kernel_count > 0 || !submission.backlog.is_empty();
        if self.submission.try_lock().is_ok_and(|submission| has_work(&submission)) {
            self.poll();
        }
        self.submission.try_lock().is_ok_and(|submission| !submission.backlog.is_empty())
    }

    /// Hands over what threads hold, and lets nobody hold more while this one waits.
    fn note_waiting(&self) {
        hand_over_held();
        let mut submission = self.submission();
        submission.waiting_count += 1;
        self.submit(&mut submission);
    }

    fn lead(&self) -> MutexGuard<'_, Lead> {
        self.lead.lock().expect("no thread panics while it takes the lead")
    }

    fn try_lead(&self) -> bool {
        !std::mem::replace(&mut self.lead().is_taken, true)
    }

    fn stop_leading(&self) {
        self.lead().is_taken = false;
        self.wake_followers();
    }

    fn wait_for_leader(&self, transfer: &Transfer) {
        let mut lead = self.lead();
        if lead.is_taken && transfer.is_in_ring() {
            lead.followers_count += 1;
            lead = self.lead_changed.wait(lead).expect("no thread panics while it takes the lead");
            lead.followers_count -= 1;
        }
    }

    /// A call of the kernel only if there are any.
    fn wake_followers(&self) {
        if self.lead().followers_count > 0 {
            self.lead_changed.notify_all();
        }
    }

    /// Finishes the transfers whose completions are there. Only for the leader. Followers whose transfer this finishes
    /// are woken here.
    fn collect(&self) -> usize {
        let mut collected_count = 0;
        // SAFETY: there is one leader, so this is the only user of the completion queue.
        for completion in unsafe { self.uring.completion_shared() } {
            // SAFETY: `entry` put a counted pointer there, and each completion comes once.
            let transfer = unsafe { Arc::from_raw(completion.user_data() as *const Transfer) };
            transfer.complete(outcome(completion.result()));
            collected_count += 1;
        }
        if collected_count > 0 {
            let mut submission = self.submission();
            submission.in_kernel_count -= collected_count;
            self.submit(&mut submission);
            drop(submission);
            self.wake_followers();
        }
        collected_count as usize
    }
}

fn outcome(result: i32) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::from_raw_os_error(-result))
}

/// The ring's description of a transfer, holding a count of it.
fn entry(transfer: &Arc<Transfer>, fd: BorrowedFd<'_>) -> squeue::Entry {
    debug_assert!(transfer.route() != Route::Resident, "asking for what is resident is not asynchronous");
    let fd = types::Fd(fd.as_raw_fd());
    // What is direct is split far below this; what is not the kernel cuts at 2 GiB. The rest is made when it shows to be missing.
    let len_bytes = u32::try_from(transfer.len_bytes()).unwrap_or(u32::MAX).min(ENTRY_BYTES_MAX);
    let memory = transfer.region().pointer();
    let entry = match transfer.direction() {
        Direction::Read => opcode::Read::new(fd, memory, len_bytes).offset(transfer.offset_bytes()).build(),
        Direction::Write => opcode::Write::new(fd, memory, len_bytes).offset(transfer.offset_bytes()).build(),
    };
    entry.user_data(Arc::into_raw(Arc::clone(transfer)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer;
    use crate::buffer::in_tests::with_buffers;
    use crate::device::Device;
    use crate::device::memory::MemoryDevice;
    use crate::sys::region::Region;
    use std::fs::File;
    use std::os::fd::AsFd;
    use std::time::{Duration, Instant};

    const LEN: usize = 4096;

    /// A ring of its own, and a file with pages of ones. The device is none of the ring's business.
    struct Bench {
        ring: &'static Ring,
        file: File,
        device: Arc<dyn Device>,
    }

    impl Bench {
        /// `None`, and a word about it, where the system has no `io_uring`.
        fn new() -> Option<Self> {
            let ring = Ring::new().inspect_err(|error| eprintln!("no io_uring here: {error}")).ok()?;
            let mut file = tempfile::tempfile().unwrap();
            std::io::Write::write_all(&mut file, &vec![1; LEN * HELD_COUNT_MAX]).unwrap();
            Some(Self { ring: Box::leak(Box::new(ring)), file, device: MemoryDevice::new(0) })
        }

        fn start(&self, page: usize) -> Arc<Transfer> {
            let region = Region::of_pool(buffer::pool().take(LEN).expect("a page"), LEN);
            let (device, offset_bytes) = (Arc::clone(&self.device), (page * LEN) as u64);
            let transfer = Transfer::new(device, Direction::Read, Route::Cached, offset_bytes, region);
            self.ring.start(&transfer, self.file.as_fd());
            transfer
        }

        fn held_count(&self) -> usize {
            self.ring.submission().backlog.len()
        }
    }

    fn is_read(transfer: &Transfer) -> bool {
        transfer.wait().unwrap() == LEN && transfer.bytes().iter().all(|&byte| byte == 1)
    }

    #[test]
    fn what_is_held_goes_to_the_kernel_together() {
        let _buffers = with_buffers();
        let Some(bench) = Bench::new() else { return };
        let held = hold();
        let mut transfers: Vec<_> = (0..HELD_COUNT_MAX - 1).map(|page| bench.start(page)).collect();
        assert_eq!(bench.held_count(), HELD_COUNT_MAX - 1);
        drop(hold());
        assert_eq!(bench.held_count(), HELD_COUNT_MAX - 1, "an inner hold ends nothing");
        transfers.push(bench.start(HELD_COUNT_MAX - 1));
        assert_eq!(bench.held_count(), 0, "as many as are held at most");
        transfers.push(bench.start(0));
        assert_eq!(bench.held_count(), 1);
        drop(held);
        assert_eq!(bench.held_count(), 0);
        transfers.push(bench.start(1));
        assert_eq!(bench.held_count(), 0, "nothing is held any more");
        assert!(transfers.iter().all(|transfer| is_read(transfer)));
    }

    /// What is read from a pipe that nobody has written yet.
    fn late(bench: &Bench, reader: &io::PipeReader) -> Arc<Transfer> {
        let region = Region::of_pool(buffer::pool().take(LEN).expect("a page"), LEN);
        let late = Transfer::new(Arc::clone(&bench.device), Direction::Read, Route::Cached, 0, region);
        bench.ring.start(&late, reader.as_fd());
        late
    }

    #[test]
    fn whoever_looks_again_and_again_seldom_asks_the_kernel_where_that_has_nothing_to_do() {
        let _buffers = with_buffers();
        let Some(bench) = Bench::new().filter(|bench| bench.ring.tells_of_work) else { return };
        let (reader, mut writer) = io::pipe().unwrap();
        let transfer = late(&bench, &reader);
        let asked = || bench.ring.asked_count.load(Ordering::Relaxed);
        let asked_before = asked();
        for _ in 0..1000 {
            assert!(!transfer.test(), "nobody has written it");
        }
        let asked_count = asked() - asked_before;
        assert!(asked_count <= 1000 / LOOKS_OF_CALL + 10, "asked {asked_count} times");
        io::Write::write_all(&mut writer, &[2; LEN]).unwrap();
        let patience = Instant::now() + Duration::from_secs(60);
        while !transfer.test() {
            assert!(Instant::now() < patience, "looking does not finish it");
        }
        assert_eq!(transfer.wait().unwrap(), LEN);
    }

    #[test]
    fn who_looks_sees_what_a_thread_has_started_that_sleeps() {
        let _buffers = with_buffers();
        let Some(bench) = Bench::new() else { return };
        std::thread::scope(|scope| {
            let (tell, told) = std::sync::mpsc::channel();
            let (tell_seen, seen) = std::sync::mpsc::channel::<()>();
            let bench = &bench;
            scope.spawn(move || {
                tell.send(bench.start(0)).unwrap();
                // Until the other thread has seen it.
                assert!(seen.recv().is_err());
            });
            let transfer = told.recv().unwrap();
            let patience = Instant::now() + Duration::from_secs(60);
            while !transfer.test() {
                assert!(Instant::now() < patience, "looking does not finish it");
            }
            drop(tell_seen);
            assert!(is_read(&transfer));
        });
    }

    #[test]
    fn what_waits_for_its_turn_in_one_ring_is_moved_along_by_who_waits_for_another() {
        let _buffers = with_buffers();
        let Ok(other) = ring(Queue::of_directory("/elio/other".as_ref())) else { return };
        let Some(bench) = Bench::new() else { return };
        let beside = Bench { ring: other, ..Bench::new().expect("as before") };
        // Of a pipe that nobody writes for a while.
        let (reader, mut writer) = io::pipe().unwrap();
        let late = late(&bench, &reader);
        // Others who wait must not move it along before.
        while !other.try_lead() {
            std::thread::yield_now();
        }
        let any_page = |number: usize| beside.start(number % HELD_COUNT_MAX);
        let others: Vec<_> = (0..ENTRIES_COUNT as usize + 10).map(any_page).collect();
        assert!(beside.held_count() > 0, "the kernel has not had all of it");
        other.stop_leading();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| late.wait());
            let patience = Instant::now() + Duration::from_secs(60);
            while beside.held_count() > 0 && Instant::now() < patience {
                std::thread::yield_now();
            }
            let left_count = beside.held_count();
            io::Write::write_all(&mut writer, &[2; LEN]).unwrap();
            assert_eq!(waiting.join().unwrap().unwrap(), LEN);
            assert_eq!(left_count, 0);
        });
        assert!(others.iter().all(|transfer| is_read(transfer)));
    }

    #[test]
    fn who_waits_hands_over_what_another_thread_holds() {
        let _buffers = with_buffers();
        let Some(bench) = Bench::new() else { return };
        let held = hold();
        let transfer = bench.start(0);
        assert_eq!(bench.held_count(), 1);
        std::thread::scope(|scope| {
            scope.spawn(|| assert!(is_read(&transfer)));
        });
        let (last, waiting) = (bench.start(1), &bench.ring.submission);
        waiting.lock().unwrap().waiting_count += 1;
        let next = bench.start(2);
        assert_eq!(bench.held_count(), 0, "nothing is held while somebody waits");
        waiting.lock().unwrap().waiting_count -= 1;
        drop(held);
        assert!(is_read(&last) && is_read(&next));
    }
}
