//! One piece of a request on its way: the unit that engines (the ring, the workers) finish.

use crate::device::{Device, Route};
use crate::pool;
use crate::space::reserved::{may_find_space, with_space_given_back};
use crate::sys::fork;
use crate::sys::region::Region;
use crate::sys::ring::Ring;
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// Which way the bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the device to memory.
    Read,
    /// From memory to the device.
    Write,
}

/// The outcome of a transfer: bytes moved, perhaps fewer than asked.
type Outcome = io::Result<usize>;

#[derive(Debug)]
enum State {
    /// Made, and on no engine: held back by the fault device, or about to be started.
    Held,
    /// Waiting for a worker; whoever waits for the transfer may run it instead.
    Queued,
    /// Being run by a thread.
    Running,
    /// In the ring.
    InRing(&'static Ring),
    Done(Outcome),
}

/// A transfer between memory and one contiguous range of a file, started by [`Device::start`].
#[derive(Debug)]
pub struct Transfer {
    /// Given up before it counts as done: what is done keeps no file open.
    device: Mutex<Option<Arc<dyn Device>>>,
    direction: Direction,
    route: Route,
    offset_bytes: u64,
    region: Region,
    /// At most this much is moved: less than the region only under the fault device.
    len_max: AtomicUsize,
    /// What is missing of so much is asked for through the page cache before this counts as done, so that what is less then ends with
    /// the file. 0 for a read of which whoever waits asks for the rest.
    wanted_bytes: AtomicUsize,
    /// Made by a forked child, not by its parent.
    is_of_child: bool,
    /// What the ring moved before a worker goes on through the page cache; [`NOTHING`](Self::NOTHING) before it has been there.
    moved_bytes: AtomicUsize,
    status: Mutex<Status>,
    changed: Condvar,
    /// What the state is, to be asked without its lock.
    done: AtomicBool,
    in_ring: AtomicBool,
}

#[derive(Debug)]
struct Status {
    state: State,
    /// Threads that sleep until the state changes.
    sleepers_count: usize,
}

impl Transfer {
    const NOTHING: usize = usize::MAX;

    pub(crate) fn new(
        device: Arc<dyn Device>,
        direction: Direction,
        route: Route,
        offset_bytes: u64,
        region: Region,
    ) -> Arc<Self> {
        Arc::new(Self {
            device: Mutex::new(Some(device)),
            direction,
            route,
            offset_bytes,
            len_max: AtomicUsize::new(region.len()),
            wanted_bytes: AtomicUsize::new(match direction {
                Direction::Read => 0,
                Direction::Write => region.len(),
            }),
            is_of_child: fork::is_child(),
            moved_bytes: AtomicUsize::new(Self::NOTHING),
            region,
            status: Mutex::new(Status { state: State::Held, sleepers_count: 0 }),
            changed: Condvar::new(),
            done: AtomicBool::new(false),
            in_ring: AtomicBool::new(false),
        })
    }

    /// Makes a transfer and starts it.
    pub(crate) fn start(
        device: &Arc<dyn Device>,
        direction: Direction,
        route: Route,
        offset_bytes: u64,
        region: Region,
    ) -> Arc<Self> {
        let transfer = Self::new(Arc::clone(device), direction, route, offset_bytes, region);
        device.start(&transfer);
        transfer
    }

    /// Makes a read come to so many bytes, or to the end of the file, before it counts as done. To be called before it is started.
    pub(crate) fn want(&self, len_bytes: usize) {
        assert!(len_bytes <= self.region.len(), "what is wanted has a place");
        self.wanted_bytes.store(len_bytes, Ordering::Relaxed);
    }

    fn wanted_bytes(&self) -> usize {
        self.wanted_bytes.load(Ordering::Relaxed)
    }

    /// Which way the bytes go.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// How it reaches the device.
    pub fn route(&self) -> Route {
        self.route
    }

    /// Where it begins in the file.
    pub fn offset_bytes(&self) -> u64 {
        self.offset_bytes
    }

    /// How much it moves at most.
    pub fn len_bytes(&self) -> usize {
        self.len_max.load(Ordering::Relaxed)
    }

    /// Makes it move at most `len_bytes`, before it is started: for devices that shorten.
    pub fn shorten(&self, len_bytes: usize) {
        self.len_max.fetch_min(len_bytes, Ordering::Relaxed);
    }

    /// Ends it with an error instead of running it, or sends it through the page cache if the error says that its way is not possible:
    /// for devices that fail.
    pub fn fail(self: &Arc<Self>, error: io::Error) {
        self.complete(Err(error));
    }

    pub(crate) fn region(&self) -> &Region {
        &self.region
    }

    /// The bytes of a transfer that is done.
    pub(crate) fn bytes(&self) -> &[u8] {
        assert!(self.is_done(), "the memory of a transfer is its engine's until it is done");
        // SAFETY: it is done, so no engine writes the region.
        unsafe { self.region.bytes() }
    }

    fn status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().expect("no thread panics while it holds a transfer's state")
    }

    /// To wake others is a call of the kernel: only if there are any.
    fn set_state(&self, state: State) {
        let mut status = self.status();
        self.done.store(matches!(state, State::Done(_)), Ordering::Release);
        self.in_ring.store(matches!(state, State::InRing(_)), Ordering::Release);
        status.state = state;
        if status.sleepers_count > 0 {
            self.changed.notify_all();
        }
    }

    /// Marks it as waiting for a worker.
    pub(crate) fn queue(&self) {
        self.set_state(State::Queued);
    }

    /// Marks it as being in the ring.
    pub(crate) fn enter_ring(&self, ring: &'static Ring) {
        self.set_state(State::InRing(ring));
    }

    /// Runs it in this thread if it is still waiting for a worker.
    pub(crate) fn run_if_queued(&self) -> bool {
        let takes = self.take_if_queued();
        if takes {
            // Whoever waits for it would wait for ever, and memory it moves might be given up meanwhile.
            let outcome = catch_unwind(AssertUnwindSafe(|| self.run()));
            self.finish(outcome.unwrap_or_else(|_| Err(io::Error::other("the device has panicked"))));
        }
        takes
    }

    /// Ends it if it is still waiting for a worker: nobody wants it any more.
    pub(crate) fn cancel_if_queued(&self) {
        if self.take_if_queued() {
            self.finish(Err(io::Error::from_raw_os_error(libc::ECANCELED)));
        }
    }

    /// From here on no other thread runs it, if none did before; tells whether this one is to end it.
    pub(crate) fn take_if_queued(&self) -> bool {
        self.give_up_if_of_parent();
        let mut status = self.status();
        let is_queued = matches!(status.state, State::Queued);
        if is_queued {
            status.state = State::Running;
        }
        is_queued
    }

    /// In a forked child what its parent has begun is the parent's: none of its threads are here, its ring is not to be touched, and what is
    /// read there does not come here.
    fn give_up_if_of_parent(&self) {
        if fork::is_child() && !self.is_of_child && !self.is_done() {
            self.finish(Err(io::Error::from_raw_os_error(libc::ECANCELED)));
        }
    }

    fn device(&self) -> MutexGuard<'_, Option<Arc<dyn Device>>> {
        self.device.lock().expect("no thread panics while it takes the device")
    }

    /// What the way around the page cache refuses, or leaves out, is made through it, before anything that has to come after this.
    fn run(&self) -> Outcome {
        match self.moved_bytes.load(Ordering::Relaxed) {
            Self::NOTHING => {
                let moved = match self.run_by(self.route, 0..self.len_bytes()) {
                    outcome if self.is_refused(&outcome) => self.run_by(Route::Cached, 0..self.len_bytes()),
                    outcome => outcome,
                };
                match moved? {
                    0 => Ok(0), // the end of the file
                    moved_bytes => self.go_on(moved_bytes),
                }
            }
            moved_bytes if self.wanted_bytes() > 0 => self.go_on(moved_bytes),
            moved_bytes => {
                let rest = self.run_by(Route::Cached, moved_bytes..self.region.len());
                rest.map(|bytes| moved_bytes + bytes)
            }
        }
    }

    /// Moves the rest of what is wanted, or as much as the file has. What comes before an error does not count.
    fn go_on(&self, moved_bytes: usize) -> Outcome {
        let mut done = moved_bytes;
        while done < self.wanted_bytes() {
            match self.run_by(Route::Cached, done..self.wanted_bytes())? {
                0 => break,
                bytes => done += bytes,
            }
        }
        Ok(done)
    }

    fn run_by(&self, route: Route, range: Range<usize>) -> Outcome {
        let device = self.device().clone().expect("there until it is done");
        let at = self.offset_bytes + range.start as u64;
        match self.direction {
            Direction::Read => {
                // SAFETY: `State::Running` makes this thread the only one that touches the region.
                let into = unsafe { &mut self.region.bytes_mut()[range] };
                read_some(&*device, route, at, into)
            }
            Direction::Write => {
                // SAFETY: nobody writes the region of a write transfer.
                let from = unsafe { &self.region.bytes()[range] };
                write_all(&*device, route, at, from)
            }
        }
    }

    /// Whether it goes on through the page cache. What is resident is only asked for.
    fn is_refused(&self, outcome: &Outcome) -> bool {
        self.route != Route::Resident && matches!(outcome, Err(error) if is_refusal(error))
    }

    /// Whether a write that found no space goes on through the page cache, by a worker that makes some.
    fn may_find_space(&self, outcome: &Outcome) -> bool {
        let Err(error) = outcome else { return false };
        self.direction == Direction::Write
            && self.device().as_ref().is_some_and(|device| may_find_space(&**device, error))
    }

    /// The ring has moved this. If it refused, wrote a part only, or read a part of what is wanted or comes from the page cache, a worker
    /// goes on, or whoever waits. (Nothing was read around the cache only where the file has ended.)
    pub(crate) fn complete(self: &Arc<Self>, outcome: Outcome) {
        let goes_on = |bytes: usize| match self.direction {
            Direction::Write => true,
            Direction::Read if self.route == Route::Cached => bytes > 0 || self.wanted_bytes() > 0,
            Direction::Read => (1..self.wanted_bytes()).contains(&bytes),
        };
        let moved_bytes = match outcome {
            Ok(bytes) if bytes < self.region.len() && goes_on(bytes) => bytes,
            outcome if self.is_refused(&outcome) || self.may_find_space(&outcome) => 0,
            outcome => return self.finish(outcome),
        };
        self.moved_bytes.store(moved_bytes, Ordering::Relaxed);
        let queue = self.device().as_ref().expect("there until it is done").properties().queue;
        pool::transfers(queue).push(self);
    }

    pub(crate) fn finish(&self, outcome: Outcome) {
        let device = self.device().take();
        drop(device); // outside its lock: it may be the last to close the file
        self.set_state(State::Done(outcome));
    }

    /// Whether it is done, without moving anything along.
    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Whether it waits for a worker.
    pub(crate) fn is_queued(&self) -> bool {
        matches!(self.status().state, State::Queued)
    }

    /// Whether the ring has it.
    pub(crate) fn is_in_ring(&self) -> bool {
        self.in_ring.load(Ordering::Acquire)
    }

    /// Whether it is done, after moving the ring along.
    pub(crate) fn test(&self) -> bool {
        self.give_up_if_of_parent();
        if self.is_done() {
            return true;
        }
        let ring = match self.status().state {
            State::InRing(ring) => Some(ring),
            _ => None,
        };
        if let Some(ring) = ring {
            ring.poll();
        }
        self.is_done()
    }

    /// Waits until it is done: runs it here if no worker has begun, drives the ring if it is in there.
    pub(crate) fn wait(&self) -> Outcome {
        while !self.is_done() && !self.run_if_queued() {
            self.wait_for_engine();
        }
        self.outcome()
    }

    /// Waits until it is done if an engine has begun; what is only queued stays so.
    pub(crate) fn wait_if_begun(&self) {
        self.give_up_if_of_parent();
        while !self.is_done() && !self.is_queued() {
            self.wait_for_engine();
        }
    }

    fn wait_for_engine(&self) {
        let ring = match self.status().state {
            State::InRing(ring) => Some(ring),
            State::Held | State::Running => None,
            State::Queued | State::Done(_) => return,
        };
        match ring {
            Some(ring) => ring.drive_until(self),
            None => self.wait_for_change(),
        }
    }

    /// Gives a worker that is about to finish a moment, because to be woken costs more than a small copy; tells whether
    /// it is done.
    pub(crate) fn is_done_soon(&self) -> bool {
        const SPINS: u32 = 2000;
        /// So often it may have to be the one that makes room: the worker may wait for this processor.
        const SPINS_BETWEEN_YIELDS: u32 = 50;
        (1..=SPINS).any(|spin| {
            if spin % SPINS_BETWEEN_YIELDS == 0 {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
            self.is_done()
        })
    }

    /// Sleeps until the state changes.
    fn wait_for_change(&self) {
        if self.is_done_soon() {
            return;
        }
        let mut status = self.status();
        if matches!(status.state, State::Held | State::Running) {
            status.sleepers_count += 1;
            status = self.changed.wait(status).expect("no thread panics while it holds a transfer's state");
            status.sleepers_count -= 1;
        }
    }

    fn outcome(&self) -> Outcome {
        match &self.status().state {
            State::Done(Ok(bytes)) => Ok(*bytes),
            State::Done(Err(error)) => Err(crate::error::again(error)),
            _ => unreachable!("asked for the outcome of a transfer that is not done"),
        }
    }
}

/// Whether an error says that a way is not possible here, or not now, rather than that the device failed.
pub(crate) fn is_refusal(error: &io::Error) -> bool {
    let refusals = [libc::EINVAL, libc::EOPNOTSUPP, libc::EAGAIN, libc::ECANCELED, libc::EINTR];
    error.raw_os_error().is_some_and(|code| refusals.contains(&code))
        || error.kind() == io::ErrorKind::WouldBlock
}

/// Reads until `into` is full, the end is met, or only what is resident is wanted and that ends. An error after some
/// bytes gives the bytes; asked again at that place, it shows.
pub(crate) fn read_some(
    device: &dyn Device,
    route: Route,
    offset_bytes: u64,
    into: &mut [u8],
) -> io::Result<usize> {
    let mut done = 0;
    while done < into.len() {
        match device.read(route, offset_bytes + done as u64, &mut into[done..]) {
            Ok(0) => break,
            Ok(bytes) => {
                done += bytes;
                // A short direct read is at the end or asks for unaligned progress: leave the rest to the caller.
                if route != Route::Cached {
                    break;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) if done > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Writes all of `from`. An error after some bytes is the error: a write is whole or it failed.
pub(crate) fn write_all(
    device: &dyn Device,
    route: Route,
    offset_bytes: u64,
    from: &[u8],
) -> io::Result<usize> {
    let mut done = 0;
    while done < from.len() {
        // A direct write that was cut short goes on through the cache: its rest is not aligned any more.
        let route = if done > 0 && route == Route::Direct { Route::Cached } else { route };
        let write = || device.write(route, offset_bytes + done as u64, &from[done..]);
        match with_space_given_back(device, write) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(bytes) => done += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}
