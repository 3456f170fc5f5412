//! The times that were taken, how much of a file was in the page cache then, and the speeds they mean.

use std::fmt::Display;

use crate::disk::access::Operation;
use crate::statistics::Series;

/// More of a file than this in the page cache is not cold, less than the rest of it is not cached.
const RESIDENT_TOLERANCE: f64 = 0.02;

/// Bytes per second of moving `bytes` in `seconds`.
#[expect(clippy::cast_precision_loss, reason = "a file size is far below 2^53")]
fn speed(bytes: u64, seconds: f64) -> f64 {
    bytes as f64 / seconds
}

/// All times of a run; `K` is what was measured, and of whom.
#[derive(Debug)]
pub(crate) struct Samples<K> {
    seconds: Series<K>,
    disturbed: Series<K>,
    resident: Series<K>,
}

impl<K> Default for Samples<K> {
    fn default() -> Self {
        Self { seconds: Series::default(), disturbed: Series::default(), resident: Series::default() }
    }
}

impl<K: Ord> Samples<K> {
    /// Adds a time, or whatever else a pass gives, spoilt or not.
    pub(crate) fn add_any(&mut self, key: K, value: f64, is_disturbed: bool) {
        if is_disturbed { self.add_disturbed(key, value) } else { self.add(key, value) }
    }

    /// Adds a time.
    pub(crate) fn add(&mut self, key: K, seconds: f64) {
        self.seconds.add(key, seconds);
    }

    /// Adds a time that other work on the machine has spoilt: it counts only where there is no better one.
    pub(crate) fn add_disturbed(&mut self, key: K, seconds: f64) {
        self.disturbed.add(key, seconds);
    }

    /// Adds how much of the file was in the page cache before a read.
    pub(crate) fn add_resident(&mut self, key: K, part: f64) {
        self.resident.add(key, part);
    }

    /// The median time.
    pub(crate) fn median(&self, key: &K) -> Option<f64> {
        self.seconds.median(key).or_else(|| self.disturbed.median(key))
    }

    /// The median speed of moving `bytes`, in bytes per second.
    pub(crate) fn speed(&self, key: &K, bytes: u64) -> Option<f64> {
        self.median(key).map(|seconds| speed(bytes, seconds))
    }

    /// The times themselves, without the disturbed ones if there are others.
    pub(crate) fn seconds(&self, key: &K) -> &[f64] {
        match self.seconds.of(key) {
            [] => self.disturbed.of(key),
            calm => calm,
        }
    }

    /// The median part of the file that was in the page cache before a read, 0 to 1, if that is not what `operation` needs.
    fn odd_residence(&self, key: &K, operation: Operation) -> Option<f64> {
        let part = self.resident.median(key)?;
        let odd = match operation {
            Operation::ReadCold => part > RESIDENT_TOLERANCE,
            _ => part < 1.0 - RESIDENT_TOLERANCE,
        };
        odd.then_some(part)
    }
}

impl<C: Copy + Ord, E: Copy + Ord + Display> Samples<(C, E)> {
    /// What a reader should know about the page cache of those who had too much or too little in it; `whole`: what is read.
    pub(crate) fn residence_notes(
        &self,
        (cell, operation): (C, Operation),
        engines: impl IntoIterator<Item = E>,
        whole: &str,
    ) -> Vec<String> {
        let note = |engine| {
            let percent = 100.0 * self.odd_residence(&(cell, engine), operation)?;
            Some(format!("{engine}: {percent:.0} % of the {whole} in the page cache"))
        };
        engines.into_iter().filter_map(note).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Samples;
    use crate::disk::access::Operation;

    #[test]
    fn a_speed_is_of_the_median_time() {
        let mut samples = Samples::default();
        for seconds in [4.0, 2.0, 1.0] {
            samples.add("ours", seconds);
        }
        assert_eq!(samples.speed(&"ours", 1000), Some(500.0));
        assert_eq!(samples.speed(&"theirs", 1000), None);
    }

    #[test]
    fn a_disturbed_time_counts_only_where_there_is_no_other() {
        let mut samples = Samples::default();
        samples.add_disturbed("ours", 10.0);
        assert_eq!(samples.speed(&"ours", 1000), Some(100.0));
        assert_eq!(samples.seconds(&"ours"), [10.0]);
        samples.add("ours", 2.0);
        assert_eq!(samples.speed(&"ours", 1000), Some(500.0));
        assert_eq!(samples.seconds(&"ours"), [2.0]);
    }

    #[test]
    fn a_cold_file_is_not_in_the_cache_and_a_cached_one_is() {
        let odd = |part, operation| {
            let mut samples = Samples::default();
            samples.add_resident((), part);
            samples.odd_residence(&(), operation).is_some()
        };
        assert!(odd(0.5, Operation::ReadCold) && odd(0.5, Operation::ReadCached));
        assert!(!odd(0.01, Operation::ReadCold) && !odd(0.99, Operation::ReadCached));
    }
}
