//! The process's `io_uring`: transfers go in from any thread, and any thread may wait for them.
//!
//! One thread at a time, the leader, sleeps in the kernel and collects completions for all; the others sleep until
//! their transfer is done or the lead is free. A ring per thread could defer its completion work to its owner, but then
//! a request could be waited for only by the thread that made it, which callers from C and OpenMP do not promise.

use crate::device::Route;
use crate::sys::transfer::{Direction, Transfer};
use io_uring::{IoUring, opcode, squeue, types};
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};

/// How many transfers are in the kernel at most; more wait their turn here. No device needs as many of one process, and one whose queue
/// is full, as a virtual disk's soon is with short transfers, gets each of the others later by a thread of the kernel.
const ENTRIES_COUNT: u32 = 128;

pub(crate) struct Ring {
    uring: IoUring,
    submission: Mutex<Submission>,
    /// Whether a thread leads.
    led: Mutex<bool>,
    lead_freed: Condvar,
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
}

/// The ring of this process, made at the first call; the error says why there is none.
pub(crate) fn ring() -> Result<&'static Ring, &'static io::Error> {
    static RING: OnceLock<io::Result<Ring>> = OnceLock::new();
    RING.get_or_init(Ring::new).as_ref()
}

impl Ring {
    fn new() -> io::Result<Self> {
        // Completion work waits for the next system call of the submitting thread rather than interrupting its
        // computing; kernels before 5.19 do not know how.
        let uring = IoUring::builder()
            .setup_coop_taskrun()
            .build(ENTRIES_COUNT)
            .or_else(|_| IoUring::builder().build(ENTRIES_COUNT))?;
        Ok(Self { uring, submission: Mutex::default(), led: Mutex::new(false), lead_freed: Condvar::new() })
    }

    /// Puts a transfer on its way. `fd` must be of the transfer's device, which the transfer keeps open.
    pub(crate) fn start(&'static self, transfer: &Arc<Transfer>, fd: BorrowedFd<'_>) {
        transfer.enter_ring(self);
        let entry = entry(transfer, fd);
        let mut submission = self.submission();
        submission.backlog.push_back(entry);
        self.submit(&mut submission);
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
                // SAFETY: no argument is passed; asks the kernel to run pending completion work.
                let _ = unsafe { self.uring.submitter().enter::<libc::sigset_t>(0, 0, 1, None) };
                self.collect();
            }
            self.stop_leading();
        }
    }

    /// Returns when `transfer` is done.
    pub(crate) fn drive_until(&self, transfer: &Transfer) {
        while !transfer.is_done() {
            if self.try_lead() {
                while !transfer.is_done() {
                    if self.collect() == 0 {
                        self.enter(1);
                    }
                }
                self.stop_leading();
            } else {
                self.wait_for_leader(transfer);
            }
        }
    }

    fn led(&self) -> MutexGuard<'_, bool> {
        self.led.lock().expect("no thread panics while it takes the lead")
    }

    fn try_lead(&self) -> bool {
        !std::mem::replace(&mut *self.led(), true)
    }

    fn stop_leading(&self) {
        *self.led() = false;
        self.lead_freed.notify_all();
    }

    fn wait_for_leader(&self, transfer: &Transfer) {
        let led = self.led();
        if *led && !transfer.is_done() {
            drop(self.lead_freed.wait(led).expect("no thread panics while it takes the lead"));
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
            transfer.finish(outcome(completion.result()));
            collected_count += 1;
        }
        if collected_count > 0 {
            let mut submission = self.submission();
            submission.in_kernel_count -= collected_count;
            self.submit(&mut submission);
            drop(submission);
            drop(self.led());
            self.lead_freed.notify_all();
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
    let len_bytes = u32::try_from(transfer.len_bytes()).expect("requests are split far below 4 GiB");
    let memory = transfer.region().pointer();
    let entry = match transfer.direction() {
        Direction::Read => opcode::Read::new(fd, memory, len_bytes).offset(transfer.offset_bytes()).build(),
        Direction::Write => opcode::Write::new(fd, memory, len_bytes).offset(transfer.offset_bytes()).build(),
    };
    entry.user_data(Arc::into_raw(Arc::clone(transfer)) as u64)
}
