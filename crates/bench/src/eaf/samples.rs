//! The times that were taken, and the speeds they mean.

use crate::eaf::engine::Engine;
use crate::eaf::workload::Cell;
use crate::statistics::Series;

/// Bytes per second of moving `bytes` in `seconds`.
#[expect(clippy::cast_precision_loss, reason = "a file size is far below 2^53")]
fn speed(bytes: u64, seconds: f64) -> f64 {
    bytes as f64 / seconds
}

/// All times of a run.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    seconds: Series<(Cell, Engine)>,
    resident: Series<(Cell, Engine)>,
}

impl Samples {
    /// Adds a time.
    pub(crate) fn add(&mut self, cell: Cell, engine: Engine, seconds: f64) {
        self.seconds.add((cell, engine), seconds);
    }

    /// Adds how much of the file was in the page cache before a read.
    pub(crate) fn add_resident(&mut self, cell: Cell, engine: Engine, part: f64) {
        self.resident.add((cell, engine), part);
    }

    /// The median speed in bytes per second.
    pub(crate) fn speed(&self, cell: Cell, engine: Engine) -> Option<f64> {
        let seconds = self.seconds.median(&(cell, engine))?;
        Some(speed(cell.workload.size_bytes, seconds))
    }

    /// The median part of the file that was in the page cache before a read, 0 to 1.
    pub(crate) fn resident(&self, cell: Cell, engine: Engine) -> Option<f64> {
        self.resident.median(&(cell, engine))
    }

    /// The times themselves.
    pub(crate) fn seconds(&self, cell: Cell, engine: Engine) -> &[f64] {
        self.seconds.of(&(cell, engine))
    }
}
