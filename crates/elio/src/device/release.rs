//! Gives back space that was allocated ahead of a writer, after its file was closed: a helper does it, because the
//! file system may wait for a discard, or the end of the program, whichever comes first.
//!
//! Space is given back only by who is alone with a file. Where several processes close one at about the same time, each would find
//! that another has it open still, and nobody give back anything. So the first of them waits for the others, for a moment; it is known by a
//! lock that it takes. (A process that closes much later finds the file closed by the others, and needs no help.)

use crate::device::Device;
use crate::file::Sharing;
use crate::pool;
use crate::sys::{calls, exit};
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// For so long others are waited for: ranks of a program end within that of each other, unless one of them has something else to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// They are looked for so often.
pub(crate) const PAUSE: Duration = Duration::from_millis(5);

/// A closed file whose space is to be given back.
#[derive(Debug)]
struct Closed {
    fd: OwnedFd,
    len_bytes: u64,
    /// When it is left, if somebody else has it open; `None` to begin with.
    until: Option<Instant>,
    sharing: Sharing,
}

#[derive(Debug)]
struct Waiting {
    files: VecDeque<Closed>,
    /// How many others are being tried.
    in_hand_count: usize,
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting { files: VecDeque::new(), in_hand_count: 0 });
/// Devices whose space is to be given back when they have closed, as long as somebody uses them still.
static CLOSING: Mutex<Vec<Weak<dyn Device>>> = Mutex::new(Vec::new());

/// `None` if the program ends and somebody does not unlock them: a signal handler may have interrupted whoever that is for ever.
fn waiting() -> Option<MutexGuard<'static, Waiting>> {
    const TRIES_MAX: usize = 100;
    if !exit::is_ending() {
        return Some(WAITING.lock().unwrap_or_else(PoisonError::into_inner));
    }
    let again = |_| thread::sleep(Duration::from_millis(1));
    (0..TRIES_MAX).find_map(|_| WAITING.try_lock().map_err(again).ok())
}

fn at_exit() {
    static AT_EXIT: Once = Once::new();
    AT_EXIT.call_once(|| exit::at_exit(release_at_exit));
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
    let closing = CLOSING.try_lock().map(|mut closing| std::mem::take(&mut *closing)).unwrap_or_default();
    for device in closing.iter().filter_map(Weak::upgrade) {
        if let Err(error) = device.release_now() {
            tracing::debug!(%error, "the space of a file that is closing may stay with it");
        }
    }
    release_all();
}

/// Arranges for what is allocated beyond the end to be given back, if that is at `len_bytes` then or farther.
pub(super) fn later(fd: OwnedFd, len_bytes: u64, sharing: Sharing) {
    at_exit();
    let Some(mut waiting) = waiting() else { return };
    waiting.files.push_back(Closed { fd, len_bytes, until: None, sharing });
    drop(waiting);
    pool::releases().run(release_all);
}

/// Gives back what can be at once. Tells how many files were tried.
pub(crate) fn release_waiting() -> usize {
    let count = waiting().map_or(0, |waiting| waiting.files.len());
    (0..count).map_while(|_| release_next()).count()
}

/// Closes all that wait, for who finds no descriptor left: what can be given back is, the rest stays with its files.
pub(crate) fn give_up_waiting() -> bool {
    let count = release_waiting();
    let left = waiting().map(|mut waiting| std::mem::take(&mut waiting.files));
    drop(left);
    count > 0
}

pub(crate) fn is_anything_waiting() -> bool {
    waiting().is_some_and(|waiting| !waiting.files.is_empty())
}

/// Closes those that have no name any more, so that they do not keep their space until it is their turn.
pub(crate) fn forget_removed() {
    let is_removed = |closed: &Closed| calls::is_removed(closed.fd.as_fd());
    let Some(mut waiting) = waiting() else { return };
    let (removed, left) = waiting.files.drain(..).partition::<VecDeque<_>, _>(is_removed);
    waiting.files = left;
    drop(waiting); // before those are closed, for which the file system may take its time
    drop(removed);
}

/// Also waits for what others are trying: a program that ends would lose it.
fn release_all() {
    loop {
        match release_next() {
            Some(Tried::Done) => {}
            Some(Tried::Again) => thread::sleep(PAUSE),
            None if exit::is_ending() && is_any_in_hand() => thread::sleep(PAUSE),
            None => return,
        }
    }
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
    let closed = waiting()?.take()?;
    let left = closed.release();
    let tried = if left.is_some() { Tried::Again } else { Tried::Done };
    waiting()?.put_back(left);
    Some(tried)
}

impl Waiting {
    fn take(&mut self) -> Option<Closed> {
        let closed = self.files.pop_front()?;
        self.in_hand_count += 1;
        Some(closed)
    }

    fn put_back(&mut self, left: Option<Closed>) {
        self.in_hand_count -= 1;
        self.files.extend(left);
    }
}

impl Closed {
    /// Gives back what can be; gives the file if it is worth another try.
    fn release(mut self) -> Option<Self> {
        let error = calls::release_beyond_end(self.fd.as_fd(), self.len_bytes).err()?;
        let until = *self.until.get_or_insert_with(|| Instant::now() + PATIENCE);
        let is_open = error.kind() == io::ErrorKind::WouldBlock && self.sharing != Sharing::Exclusive;
        if is_open && Instant::now() < until && calls::lock_if_free(self.fd.as_fd()) {
            return Some(self);
        }
        tracing::debug!(%error, "space allocated ahead stays with the file");
        None
    }
}
