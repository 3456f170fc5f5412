//! Handles: small integers for open things, always the lowest that is free, without a limit.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A table of open things. Looking one up takes one shared lock and one count; nothing is held while it is used.
#[derive(Debug)]
pub struct Table<T>(RwLock<Slots<T>>);

#[derive(Debug)]
struct Slots<T> {
    entries: Vec<Option<Arc<T>>>,
    free: BTreeSet<usize>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Table<T> {
    /// An empty table.
    pub const fn new() -> Self {
        Self(RwLock::new(Slots { entries: Vec::new(), free: BTreeSet::new() }))
    }

    /// Puts `entry` into the lowest free slot and returns its index.
    pub fn insert(&self, entry: T) -> usize {
        let mut slots = self.exclusive();
        let index = slots.free.pop_first().unwrap_or(slots.entries.len());
        if index == slots.entries.len() {
            slots.entries.push(None);
        }
        slots.entries[index] = Some(Arc::new(entry));
        index
    }

    /// The index that the next entry gets, if no other comes or goes meanwhile.
    pub fn lowest_free(&self) -> usize {
        let slots = self.shared();
        slots.free.first().copied().unwrap_or(slots.entries.len())
    }

    /// The entry of a handle.
    pub fn get(&self, handle: i64) -> Option<Arc<T>> {
        self.shared().entries.get(usize::try_from(handle).ok()?)?.clone()
    }

    /// Uses the entry of a handle where it is: quicker than [`get`](Self::get), but nobody can insert or remove entries
    /// meanwhile. Not for long work, nor for any that comes back here.
    #[inline]
    pub fn with<R>(&self, handle: i64, work: impl FnOnce(&T) -> R) -> Option<R> {
        Some(work(self.shared().entries.get(usize::try_from(handle).ok()?)?.as_deref()?))
    }

    /// Takes the entry of a handle out; the handle is free from now on.
    pub fn remove(&self, handle: i64) -> Option<Arc<T>> {
        let index = usize::try_from(handle).ok()?;
        let mut slots = self.exclusive();
        let entry = slots.entries.get_mut(index)?.take()?;
        slots.free.insert(index);
        Some(entry)
    }

    /// All entries, in the order of their handles.
    pub fn all(&self) -> Vec<Arc<T>> {
        self.shared().entries.iter().flatten().cloned().collect()
    }

    /// Takes all entries out, in the order of their handles; the table is as new.
    pub fn take_all(&self) -> Vec<Arc<T>> {
        let mut slots = self.exclusive();
        slots.free.clear();
        slots.entries.drain(..).flatten().collect()
    }

    /// The first answer that an entry gives.
    pub fn find<R>(&self, ask: impl FnMut(&Arc<T>) -> Option<R>) -> Option<R> {
        self.shared().entries.iter().flatten().find_map(ask)
    }

    fn shared(&self) -> RwLockReadGuard<'_, Slots<T>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn exclusive(&self) -> RwLockWriteGuard<'_, Slots<T>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The handles that the entries of a table have for callers: upward from a first one, without 0, which says "none" to many of them.
#[derive(Clone, Copy, Debug)]
pub struct Numbering {
    first: i64,
}

impl Numbering {
    /// Of the first entry.
    pub const fn from(first: i64) -> Self {
        Self { first }
    }

    /// Of the entry with this index.
    pub fn handle(self, index: usize) -> i64 {
        let handle = i64::try_from(index).unwrap_or(i64::MAX).saturating_add(self.first);
        if self.first <= 0 && handle >= 0 { handle.saturating_add(1) } else { handle }
    }

    /// Where in the table a handle points. Numbers that are no handles point nowhere.
    pub fn index(self, handle: i64) -> i64 {
        match handle {
            0 => -1,
            handle if self.first <= 0 && handle > 0 => handle.saturating_sub(1).saturating_sub(self.first),
            handle => handle.saturating_sub(self.first),
        }
    }
}

/// The value behind the last reference, once calls of other threads that still use it have returned.
pub fn into_last<T>(mut entry: Arc<T>) -> T {
    loop {
        match Arc::try_unwrap(entry) {
            Ok(value) => return value,
            Err(shared) => entry = shared,
        }
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_slot_is_taken_first() {
        let table = Table::new();
        assert_eq!((0..5).map(|i| table.insert(i)).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        table.remove(3);
        table.remove(1);
        assert_eq!(table.lowest_free(), 1);
        assert_eq!([table.insert(10), table.insert(11), table.insert(12)], [1, 3, 5]);
    }

    #[test]
    fn a_table_that_was_emptied_is_as_new() {
        let table = Table::new();
        (0..4).for_each(|i| {
            table.insert(i);
        });
        table.remove(2);
        assert_eq!(table.all().into_iter().map(|entry| *entry).collect::<Vec<_>>(), [0, 1, 3]);
        assert_eq!(table.take_all().into_iter().map(into_last).collect::<Vec<_>>(), [0, 1, 3]);
        assert!(table.all().is_empty());
        assert_eq!([table.lowest_free(), table.insert(7)], [0, 0]);
    }

    #[test]
    fn handles_go_upward_from_the_first_and_leave_out_0() {
        let numbering = Numbering::from(-3);
        let handles = [0, 1, 2, 3, 4].map(|index| numbering.handle(index));
        assert_eq!(handles, [-3, -2, -1, 1, 2]);
        assert_eq!(handles.map(|handle| numbering.index(handle)), [0, 1, 2, 3, 4]);
        for nowhere in [0, -4, i64::MIN] {
            assert!(numbering.index(nowhere) < 0, "{nowhere}");
        }
        assert!(numbering.index(i64::MAX) > i64::from(u32::MAX));
    }

    #[test]
    fn handles_that_are_not_open_find_nothing() {
        let table = Table::new();
        table.insert('a');
        for handle in [-1, 1, i64::MAX, i64::MIN] {
            assert!(table.get(handle).is_none());
            assert!(table.remove(handle).is_none());
        }
        assert_eq!(table.with(0, |&entry| entry), Some('a'));
        assert!(table.remove(0).is_some());
        assert_eq!(table.with(0, |&entry| entry), None);
        assert!(table.remove(0).is_none(), "a second close finds nothing");
    }
}
