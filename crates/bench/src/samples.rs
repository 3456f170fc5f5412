//! The times that were taken, and their medians.

use std::collections::BTreeMap;

use crate::engine::Engine;
use crate::workload::Cell;

/// The median; `None` of nothing.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

/// Bytes per second of moving `bytes` in `seconds`.
#[expect(clippy::cast_precision_loss, reason = "a file size is far below 2^53")]
pub(crate) fn speed(bytes: u64, seconds: f64) -> f64 {
    bytes as f64 / seconds
}

/// All times of a run.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    seconds: BTreeMap<(Cell, Engine), Vec<f64>>,
    resident: BTreeMap<(Cell, Engine), Vec<f64>>,
}

impl Samples {
    /// Adds a time.
    pub(crate) fn add(&mut self, cell: Cell, engine: Engine, seconds: f64) {
        self.seconds.entry((cell, engine)).or_default().push(seconds);
    }

    /// Adds how much of the file was in the page cache before a read.
    pub(crate) fn add_resident(&mut self, cell: Cell, engine: Engine, part: f64) {
        self.resident.entry((cell, engine)).or_default().push(part);
    }

    /// The median speed in bytes per second.
    pub(crate) fn speed(&self, cell: Cell, engine: Engine) -> Option<f64> {
        let seconds = self.seconds.get(&(cell, engine))?;
        median(seconds.iter().copied()).map(|seconds| speed(cell.workload.size_bytes, seconds))
    }

    /// The median part of the file that was in the page cache before a read, 0 to 1.
    pub(crate) fn resident(&self, cell: Cell, engine: Engine) -> Option<f64> {
        median(self.resident.get(&(cell, engine))?.iter().copied())
    }

    /// The times themselves.
    pub(crate) fn seconds(&self, cell: Cell, engine: Engine) -> &[f64] {
        self.seconds.get(&(cell, engine)).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_of_an_even_count_lies_between_the_two_in_the_middle() {
        assert_eq!(median([4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([]), None);
    }
}
