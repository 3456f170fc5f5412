//! The memory that a program allows its arrays on each process.

use std::sync::atomic::{AtomicU64, Ordering};

/// No limit.
const NONE: u64 = u64::MAX;

/// Bytes used by arrays on this process, and how many may be.
#[derive(Debug)]
pub(crate) struct Limit {
    used_bytes: AtomicU64,
    limit_bytes: AtomicU64,
}

impl Limit {
    /// No limit.
    pub(crate) const fn new() -> Self {
        Self { used_bytes: AtomicU64::new(0), limit_bytes: AtomicU64::new(NONE) }
    }

    /// Sets the limit; none lifts it.
    pub(crate) fn set(&self, limit_bytes: Option<u64>) {
        self.limit_bytes.store(limit_bytes.unwrap_or(NONE), Ordering::Relaxed);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.limit_bytes.load(Ordering::Relaxed) != NONE
    }

    pub(crate) fn used(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// Bytes that arrays may still take; none without a limit.
    pub(crate) fn available(&self) -> Option<u64> {
        self.is_set().then(|| self.limit_bytes.load(Ordering::Relaxed).saturating_sub(self.used()))
    }

    pub(crate) fn fits(&self, bytes: u64) -> bool {
        self.available().is_none_or(|available| bytes <= available)
    }

    pub(crate) fn take(&self, bytes: u64) {
        self.used_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn give_back(&self, bytes: u64) {
        self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_counts_against_the_limit() {
        let limit = Limit::new();
        assert!(limit.fits(u64::MAX - 1) && limit.available().is_none());
        limit.take(60);
        limit.set(Some(100));
        assert_eq!(limit.available(), Some(40));
        assert!(limit.fits(40) && !limit.fits(41));
        limit.give_back(60);
        assert!(limit.fits(100));
        limit.set(Some(0));
        assert_eq!(limit.available(), Some(0));
        limit.set(None);
        assert!(!limit.is_set());
    }
}
