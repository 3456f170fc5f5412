//! Whether the data of a file is likely to be in the page cache, learned from what was found there.
//!
//! A read that must not wait is the fastest way to get resident data, but on a miss it makes the kernel read
//! ahead into the cache what is then read directly as well. So it is used only while it succeeds; after a miss the cache is
//! asked first, until enough was found there again.

use std::sync::atomic::{AtomicU64, Ordering};

/// This much must be found resident in a row after a miss before the cache is believed to have everything.
const TRUST_AFTER_BYTES: u64 = 4 << 20;

/// What is believed of one handle's file.
#[derive(Debug)]
pub(crate) struct Residency {
    /// What must still be found resident; 0 while the cache is believed to have everything.
    doubt_bytes: AtomicU64,
}

impl Default for Residency {
    /// Nothing is known: the first answer decides.
    fn default() -> Self {
        Self { doubt_bytes: AtomicU64::new(1) }
    }
}

impl Residency {
    /// Whether reads may simply be tried in the cache.
    pub(crate) fn is_trusted(&self) -> bool {
        self.doubt_bytes.load(Ordering::Relaxed) == 0
    }

    /// Notes that a read found nothing, or not all, in the cache.
    pub(crate) fn note_miss(&self) {
        self.doubt_bytes.store(TRUST_AFTER_BYTES, Ordering::Relaxed);
    }

    /// Notes that all of a read was in the cache.
    pub(crate) fn note_hit(&self, len_bytes: u64) {
        let doubt_bytes = self.doubt_bytes.load(Ordering::Relaxed);
        self.doubt_bytes.store(doubt_bytes.saturating_sub(len_bytes), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hit_is_enough_at_first_and_many_are_needed_after_a_miss() {
        let residency = Residency::default();
        assert!(!residency.is_trusted());
        residency.note_hit(1600);
        assert!(residency.is_trusted());
        residency.note_miss();
        residency.note_hit(TRUST_AFTER_BYTES - 1);
        assert!(!residency.is_trusted());
        residency.note_hit(1);
        assert!(residency.is_trusted());
    }
}
