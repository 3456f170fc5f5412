//! The space that this process has reserved ahead of its writers and that nobody has filled yet: bounded in sum for each file
//! system, and given back where that is full.
//!
//! Every process counts its own. What others have reserved is not available any more, so that less is taken of what is left; with n
//! processes that each take one part in 32 it still comes to n parts in 31 + n, and so those of a node with many ranks take less:
//! a quarter of the file system together. Of a shared file every rank counts what it has asked for itself, though the space is one: less
//! is reserved then, never more.

use crate::device::Device;
use crate::inode::Inode;
use crate::policy::cores::ranks_on_node;
use crate::space::closed;
use crate::sys::exit;
use crate::sys::fork::OfProcess;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

/// Of what a file system would have left without them, the reservations of a process are one part in so many at most.
const SHARE_MAX: u64 = 32;
/// With many ranks on the node: one part in so many for all of them.
const SHARE_OF_NODE_MAX: u64 = 4;
/// It is counted anew when so much was filled.
const COUNTED_STEP_BYTES: u64 = 1 << 20;
/// Who waits until another has given back looks so often.
const TURN_PAUSE: Duration = Duration::from_millis(1);

/// Reserved and not filled, by the number of the file system.
static SUMS_BYTES: OfProcess<Mutex<BTreeMap<u64, u64>>> =
    OfProcess::new([const { Mutex::new(BTreeMap::new()) }; 2]);

/// How often something was given back because there was no space left.
static GIVEN_BACK_COUNT: AtomicU64 = AtomicU64::new(0);

/// Also of files that were closed.
fn given_back_count() -> u64 {
    GIVEN_BACK_COUNT.load(Ordering::Acquire) + closed::given_back_count()
}

/// `None` if the program ends and somebody has them locked: it may be for ever.
fn sums_bytes() -> Option<MutexGuard<'static, BTreeMap<u64, u64>>> {
    if exit::is_ending() {
        return SUMS_BYTES.try_lock().ok();
    }
    Some(SUMS_BYTES.lock().unwrap_or_else(PoisonError::into_inner))
}

fn sum_bytes(file_system: Option<u64>) -> u64 {
    file_system.and_then(|number| sums_bytes()?.get(&number).copied()).unwrap_or(0)
}

fn share_max(ranks_on_node: u64) -> u64 {
    SHARE_MAX.max(SHARE_OF_NODE_MAX.saturating_mul(ranks_on_node))
}

/// What one file has reserved ahead and not filled.
#[derive(Debug, Default)]
pub(crate) struct Reserved {
    /// `None`: that of a device that is no file of a file system, which counts for itself.
    file_system: Option<u64>,
    bytes: u64,
}

impl Reserved {
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How much this file may have reserved, beside all others of this process.
    pub(crate) fn room_bytes(&self, device: &dyn Device) -> u64 {
        let others_bytes = match device.properties().file_system_number {
            number if number == self.file_system => sum_bytes(number).saturating_sub(self.bytes),
            number => sum_bytes(number),
        };
        let without_bytes =
            device.available_bytes().unwrap_or(0).saturating_add(self.bytes).saturating_add(others_bytes);
        (without_bytes / share_max(ranks_on_node())).saturating_sub(others_bytes)
    }

    /// Notes that it is so much now.
    pub(crate) fn set(&mut self, device: &dyn Device, bytes: u64) {
        self.count(0);
        self.file_system = device.properties().file_system_number;
        self.count(bytes);
    }

    /// Notes that no more than so much is not filled yet.
    pub(crate) fn shrink(&mut self, bytes: u64) {
        if bytes < self.bytes && (bytes == 0 || self.bytes - bytes >= COUNTED_STEP_BYTES) {
            self.count(bytes);
        }
    }

    fn count(&mut self, bytes: u64) {
        if let Some(number) = self.file_system
            && let Some(mut all) = sums_bytes()
        {
            let sum = all.entry(number).or_default();
            *sum = sum.saturating_sub(self.bytes).saturating_add(bytes);
        }
        self.bytes = bytes;
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.count(0);
    }
}

/// Makes a call that may need space; where there is none, what is reserved ahead in that file system is given back, and it is made
/// once more. Again if another thread was giving back meanwhile: that may have been in another file system.
///
/// # Errors
/// As `call`.
pub(crate) fn with_space_given_back<T>(
    device: &dyn Device,
    mut call: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
    const TRIES_MAX: usize = 3;
    let mut tries = 1;
    loop {
        let before_count = given_back_count();
        match call() {
            Err(error) if is_full(&error) && tries < TRIES_MAX => {
                let file_system = device.properties().file_system_number;
                // Perhaps by another thread, after this call had found none.
                let is_given_back = give_back(file_system) || given_back_count() != before_count;
                if file_system.is_none() || !is_given_back {
                    return Err(error);
                }
            }
            outcome => return outcome,
        }
        tries += 1;
    }
}

/// Whether an error says that there is no space, or that this user may have no more.
fn is_full(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOSPC | libc::EDQUOT))
}

/// Whether a write that has met `error` is worth another try, by a thread that may wait for space to be given back: it may have been since.
pub(crate) fn may_find_space(device: &dyn Device, error: &io::Error) -> bool {
    let file_system = device.properties().file_system_number;
    is_full(error) && file_system.is_some() && (has_anything(file_system) || given_back_count() > 0)
}

/// Whether anything is reserved ahead there, or any file that was closed has space which is being given back or waits for it.
fn has_anything(file_system: Option<u64>) -> bool {
    sum_bytes(file_system) > 0 || (file_system.is_some() && closed::is_anything_waiting())
}

/// Gives back what this process has reserved ahead in a file system and nobody has filled: of files that are its own. Files that others
/// write as well keep theirs, because another rank may be writing there. Tells whether anything was given back, or may have been by another
/// thread meanwhile.
pub(crate) fn give_back(file_system: Option<u64>) -> bool {
    /// Whoever finds no space waits until it was given back by who was first.
    static TURN: OfProcess<Mutex<()>> = OfProcess::new([const { Mutex::new(()) }; 2]);
    if file_system.is_none() {
        return false;
    }
    let before_count = given_back_count();
    let Some(turn) = when_it_is_free(&TURN) else { return false };
    if given_back_count() != before_count {
        return true;
    }
    if !has_anything(file_system) {
        return false;
    }
    let before_count = closed::given_back_count();
    closed::release_waiting();
    let closed_count = closed::given_back_count() - before_count;
    let open_count = Inode::all_open().iter().filter(|inode| inode.give_back_reserved(file_system)).count();
    let is_any = closed_count > 0 || open_count > 0;
    if is_any {
        GIVEN_BACK_COUNT.fetch_add(1, Ordering::Release);
        tracing::info!(
            closed_count,
            open_count,
            "no space left: what was reserved ahead of files is given back"
        );
    }
    drop(turn);
    is_any
}

/// `None` while the program ends and somebody has it locked: it may be for ever.
fn when_it_is_free(turn: &Mutex<()>) -> Option<MutexGuard<'_, ()>> {
    loop {
        match turn.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if exit::is_ending() => return None,
            Err(TryLockError::WouldBlock) => thread::sleep(TURN_PAUSE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_a_node_take_a_quarter_together_and_a_few_as_much_as_one() {
        assert_eq!([1, 2, 8, 9, 128].map(share_max), [32, 32, 32, 36, 512]);
    }
}
