//! Gives back space that was allocated ahead of a writer, after its file was closed: a helper does it, because the
//! file system may wait for a discard, or the end of the program, whichever comes first.
//!
//! Space is given back only by who is alone with a file. Where several processes close one at about the same time, each would find
//! that another has it open still, and nobody give back anything. So the first of them waits for the others, for a moment; it is known by a
//! lock that it takes. (A process that closes much later finds the file closed by the others, and needs no help.)

use crate::device::Device;
use crate::file::Sharing;
use crate::inode::Inode;
use crate::pool;
use crate::sys::fork::OfProcess;
use crate::sys::{calls, exit, fork};
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// For so long others are waited for: ranks of a program end within that of each other, unless one of them has something else to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// They are looked for so often.
pub(crate) const PAUSE: Duration = Duration::from_millis(5);

/// A closed file whose space is to be given back.
#[derive(Debug)]
pub(crate) struct Closed {
    /// By which it was open, also at the limit of open files.
    file: Arc<File>,
    identity: Option<(u64, u64)>,
    len_bytes: u64,
    /// When it is left, if somebody else has it open; `None` to begin with.
    until: Option<Instant>,
    sharing: Sharing,
    /// Whether a forked child has closed it: the openings of its parent, which it has too, are not its own to give back.
    is_of_child: bool,
}

#[derive(Debug)]
struct Waiting {
    files: VecDeque<Closed>,
    /// How many others are being tried.
    in_hand_count: usize,
}

/// That of a child's parent would count what nobody has in hand there.
static WAITING: OfProcess<Mutex<Waiting>> =
    OfProcess::new([const { Mutex::new(Waiting { files: VecDeque::new(), in_hand_count: 0 }) }; 2]);
/// Devices whose space is to be given back when they have closed, as long as somebody uses them still.
static CLOSING: OfProcess<Mutex<Vec<Weak<dyn Device>>>> =
    OfProcess::new([const { Mutex::new(Vec::new()) }; 2]);
/// For so long helpers of this process may use files while the program ends: a step of writeback is over by then.
pub(crate) const HELPERS_PATIENCE: Duration = Duration::from_millis(500);
/// Where a program that ends waits for its own helpers, it looks so often.
const HELPERS_PAUSE: Duration = Duration::from_millis(1);

/// That space beyond `len_bytes` of a file is to be given back when its device has closed. Counted until that is arranged for.
#[derive(Debug)]
pub(crate) struct Intent {
    len_bytes: u64,
    sharing: Sharing,
}

static INTENTS_COUNT: AtomicUsize = AtomicUsize::new(0);

impl Intent {
    pub(crate) fn new(len_bytes: u64, sharing: Sharing) -> Self {
        INTENTS_COUNT.fetch_add(1, Ordering::AcqRel);
        Self { len_bytes, sharing }
    }
}

impl Drop for Intent {
    fn drop(&mut self) {
        INTENTS_COUNT.fetch_sub(1, Ordering::AcqRel);
    }
}

/// `None` if the program ends and somebody does not unlock them: a signal handler may have interrupted whoever that is for ever.
fn waiting() -> Option<MutexGuard<'static, Waiting>> {
    if exit::is_ending() {
        exit::lock_for_a_moment(&WAITING, Duration::from_millis(100))
    } else {
        Some(WAITING.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// How many times space was given back.
static GIVEN_BACK_COUNT: AtomicU64 = AtomicU64::new(0);

pub(crate) fn given_back_count() -> u64 {
    GIVEN_BACK_COUNT.load(Ordering::Acquire)
}

/// Until when a program that ends waits for others, for all its files: its time begins when this is asked first.
pub(crate) fn exit_deadline() -> Instant {
    static DEADLINE: OfProcess<OnceLock<Instant>> = OfProcess::empty();
    *DEADLINE.get_or_init(|| Instant::now() + PATIENCE)
}

/// After what is held back was written: others are waited for here, and who has started the program may not wait for it so long.
fn at_exit() {
    static AT_EXIT: OfProcess<Once> = OfProcess::undone();
    AT_EXIT.call_once(|| exit::last_at_exit(release_at_exit));
}

/// Notes a device that is closed as soon as what is under way has ended, which the program may not wait for.
pub(crate) fn note_closing(device: &Arc<dyn Device>) {
    at_exit();
    if let Ok(mut closing) = CLOSING.lock() {
        closing.retain(|device| device.strong_count() > 0);
        closing.push(Arc::downgrade(device));
    }
}

fn release_at_exit() {
    let closing = exit::lock_for_a_moment(&CLOSING, Duration::from_millis(100));
    release_closing(&closing.map(|mut closing| std::mem::take(&mut *closing)).unwrap_or_default());
    release_all();
}

/// Gives back the space of devices that helpers use still, or waits until they have closed, whichever comes first.
fn release_closing(closing: &[Weak<dyn Device>]) {
    let begin = Instant::now();
    let mut left: Vec<_> = closing.iter().collect();
    loop {
        left.retain(|device| {
            device.upgrade().is_some_and(|device| {
                let outcome = device.release_now();
                outcome.is_err_and(|error| {
                    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Unsupported)
                })
            })
        });
        let open_count = closing.iter().filter(|device| device.strong_count() > 0).count();
        // One that nobody uses any more is about to arrange for it.
        let is_any_between = INTENTS_COUNT.load(Ordering::Acquire) > open_count;
        if left.is_empty() && !is_any_between {
            return;
        }
        if begin.elapsed() >= HELPERS_PATIENCE {
            tracing::debug!(files_count = left.len(), "space allocated ahead may stay with files in use");
            return;
        }
        thread::sleep(HELPERS_PAUSE);
    }
}

/// Arranges for what is allocated beyond the end to be given back, if that is where it was intended or farther.
pub(crate) fn later(file: Arc<File>, intent: &Intent) {
    let identity = calls::identity(file.as_fd());
    let Intent { len_bytes, sharing } = *intent;
    arrange(Closed { file, identity, len_bytes, until: None, sharing, is_of_child: fork::is_child() });
}

/// As [`later`], of a file that this process had open again when its turn came, and has closed since.
pub(crate) fn again(closed: Closed) {
    arrange(Closed { until: None, ..closed });
}

fn arrange(closed: Closed) {
    if closed.is_of_child != fork::is_child() {
        return;
    }
    at_exit();
    let Some(mut waiting) = waiting() else { return };
    // Two openings of a file that wait would not let each other be alone.
    let twin = waiting.take_twin(&closed);
    waiting.files.push_back(closed);
    drop(waiting);
    drop(twin);
    if !exit::is_ending() {
        pool::releases().run(release_all);
    }
}

impl Waiting {
    /// Another opening of the same file.
    fn take_twin(&mut self, of: &Closed) -> Option<Closed> {
        let is_twin = |other: &Closed| of.identity.is_some() && other.identity == of.identity;
        let place = self.files.iter().position(is_twin)?;
        self.files.remove(place)
    }
}

/// Gives back what can be at once, and waits until what others have in hand is given back.
pub(crate) fn release_waiting() {
    release_round();
    let begin = Instant::now();
    while !exit::is_ending() && is_any_in_hand() && begin.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Closes all that wait, for who finds no descriptor left: what can be given back is, the rest stays with its files.
pub(crate) fn give_up_waiting() -> bool {
    let is_any = is_anything_waiting();
    release_waiting();
    let left = waiting().map(|mut waiting| std::mem::take(&mut waiting.files));
    let owed_count = Inode::all_open().iter().filter_map(|inode| inode.take_owed()).count();
    drop(left);
    is_any || owed_count > 0
}

/// Also what is being tried.
pub(crate) fn is_anything_waiting() -> bool {
    waiting().is_some_and(|waiting| waiting.in_hand_count > 0 || !waiting.files.is_empty())
}

/// Closes those that have no name any more, so that they do not keep their space until it is their turn.
pub(crate) fn forget_removed() {
    forget(calls::is_removed);
}

/// Closes some of those that wait.
pub(crate) fn forget(is_meant: impl Fn(BorrowedFd<'_>) -> bool) {
    let Some(mut waiting) = waiting() else { return };
    let (meant, left) =
        waiting.files.drain(..).partition::<VecDeque<_>, _>(|closed| is_meant(closed.file.as_fd()));
    waiting.files = left;
    drop(waiting); // before those are closed, for which the file system may take its time
    drop(meant);
}

/// Also waits for what others are trying, who may leave it. Not for ever where the program ends: a signal handler may have interrupted
/// who has a file in hand.
fn release_all() {
    loop {
        let is_last = exit::is_ending() && Instant::now() >= exit_deadline();
        let round = release_round();
        let is_over = round.tried_count == 0 && !is_any_in_hand();
        if is_over || is_last {
            return;
        }
        if round.done_count == 0 {
            thread::sleep(PAUSE);
        }
    }
}

struct Round {
    tried_count: usize,
    done_count: usize,
}

/// Tries each file that waits now once.
fn release_round() -> Round {
    let count = waiting().map_or(0, |waiting| waiting.files.len());
    let mut round = Round { tried_count: 0, done_count: 0 };
    for tried in (0..count).map_while(|_| release_next()) {
        round.tried_count += 1;
        round.done_count += usize::from(matches!(tried, Tried::Done));
    }
    round
}

fn is_any_in_hand() -> bool {
    waiting().is_some_and(|waiting| waiting.in_hand_count > 0)
}

enum Tried {
    Done,
    Again,
}

/// Tries the next file, if there is one.
fn release_next() -> Option<Tried> {
    let (closed, _in_hand) = take()?;
    let Some(left) = closed.release() else { return Some(Tried::Done) };
    let mut waiting = waiting()?;
    if let Some(newer) = waiting.take_twin(&left) {
        waiting.files.push_back(newer);
        drop(waiting);
        drop(left);
    } else {
        waiting.files.push_back(left);
    }
    Some(Tried::Again)
}

/// Counts a file that is being tried.
struct InHand;

impl Drop for InHand {
    fn drop(&mut self) {
        if let Some(mut waiting) = waiting() {
            waiting.in_hand_count -= 1;
        }
    }
}

fn take() -> Option<(Closed, InHand)> {
    let mut waiting = waiting()?;
    let closed = waiting.files.pop_front()?;
    waiting.in_hand_count += 1;
    Some((closed, InHand))
}

impl Closed {
    /// Gives back what can be; gives the file if it is worth another try.
    fn release(mut self) -> Option<Self> {
        let fd = self.file.as_fd();
        if calls::is_removed(fd) {
            return None; // all of its space goes with it
        }
        let Err(error) = calls::release_beyond_end(fd, self.len_bytes) else {
            GIVEN_BACK_COUNT.fetch_add(1, Ordering::Release);
            return None;
        };
        if error.kind() == io::ErrorKind::WouldBlock {
            if let Some(inode) = self.identity.and_then(Inode::opened) {
                // Whoever has opened it again comes back to it when he closes it. Others need not know of it meanwhile.
                calls::unlock(self.file.as_fd());
                self = inode.owe(self)?;
            }
            let patience = if self.sharing == Sharing::Exclusive { HELPERS_PATIENCE } else { PATIENCE };
            let until = *self.until.get_or_insert_with(|| Instant::now() + patience);
            // Of those that wait for each other one goes on waiting; what is private others have open for a moment, as a child that
            // was forked and has not become its program yet.
            let waits = || self.sharing == Sharing::Exclusive || calls::lock_if_free(self.file.as_fd());
            if Instant::now() < until && waits() {
                return Some(self);
            }
        }
        tracing::debug!(%error, "space allocated ahead stays with the file");
        None
    }
}
