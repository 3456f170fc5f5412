//! What a run found, as it is printed and kept.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::disk::passes::Passes;
use crate::layout::engine::Engine;
use crate::layout::found::{Found, Measured};
use crate::layout::judge::{Judgement, Judgements, Ratios, Seconds, judge, judge_spread};
use crate::layout::options::Part;
use crate::layout::workload::{Cell, ELEMENT_BYTES, Pattern};
use crate::machine::Machine;
use crate::outcome::Outcome;
use crate::statistics::median;

/// One run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Where and when.
    pub(crate) machine: Machine,
    /// Of `TensorStore`, and of the MPI that ours runs on.
    pub(crate) versions: BTreeMap<Engine, String>,
    /// How files were made cold.
    pub(crate) cold: &'static str,
    /// Of the data.
    pub(crate) seed: u64,
    /// Rows and columns of the matrix.
    pub(crate) side: u64,
    /// How often everything was measured.
    pub(crate) repetitions: u64,
    /// How many measurements that took, and how many were disturbed.
    pub(crate) passes: Passes,
    /// What was asked for.
    pub(crate) parts: Vec<Part>,
    /// Whether only the peers were asked for.
    pub(crate) peer_only: bool,
    /// Who is not there and should be.
    pub(crate) missing: Vec<Engine>,
    /// Whether the device itself was measured, if that was wanted.
    pub(crate) has_limit: bool,
    /// What the device gives by fio for each number of ranks, in bytes per second: reading and writing.
    pub(crate) limits: BTreeMap<usize, [f64; 2]>,
    /// Median times of the plain copies, in seconds: buffered and direct.
    pub(crate) plain: [Option<f64>; 2],
    /// The most memory `TensorStore` had, in bytes, by the size of its cache.
    pub(crate) peer_memory_bytes: BTreeMap<u64, f64>,
    /// The table.
    pub(crate) rows: Vec<Row>,
    /// Slowest against fastest.
    pub(crate) spreads: Vec<Spread>,
}

impl Report {
    /// Bytes of the matrix.
    pub(crate) fn matrix_bytes(&self) -> u64 {
        self.side * self.side * ELEMENT_BYTES
    }

    /// Whether `part` was asked for.
    pub(crate) fn wants(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// Everything that was or could have been judged.
    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        let of_rows = self.rows.iter().filter_map(|row| row.judgements).flat_map(|of| of.outcomes());
        of_rows.chain(self.spreads.iter().map(|spread| spread.judgement.outcome)).collect()
    }

    /// Fills the tables with what was found in `cells`.
    pub(crate) fn fill(&mut self, found: &Found, cells: &[Cell]) {
        self.passes = found.passes;
        self.limits = found.limits();
        self.plain = found.plain();
        self.peer_memory_bytes.clone_from(&found.peer_memory_bytes);
        let most_skewed = Pattern::all(self.side).last().copied();
        let row = |&cell: &Cell| {
            let seconds = found.seconds_of(cell);
            let place = (self.matrix_bytes(), Some(cell.pattern) == most_skewed);
            let is_judged = self.wants(Part::Speeds);
            let ratios = found.ratios_of(cell);
            let judgements = is_judged.then(|| judge(&cell, &ratios, place, self.machine.cpus));
            let all_seconds = Measured::of(cell).map(|measured| found.samples.seconds(&measured).to_vec());
            Row { cell, seconds, ratios, judgements, all_seconds }
        };
        self.rows = cells.iter().map(row).collect();
        if self.wants(Part::Spread) {
            self.spreads = Spread::all(&self.rows, self.machine.cpus);
        }
    }
}

/// One line with its figures.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    /// What was measured.
    #[serde(flatten)]
    pub(crate) cell: Cell,
    /// Median times.
    pub(crate) seconds: Seconds,
    /// Ratios: of times of one turn, where two are measured directly after each other, otherwise of medians.
    pub(crate) ratios: Ratios,
    /// Against the targets of speeds, if these were asked for.
    pub(crate) judgements: Option<Judgements>,
    /// Every single time that was not disturbed: skewed, conversion, aligned, `TensorStore`, copy beside, limit beside.
    pub(crate) all_seconds: [Vec<f64>; 6],
}

impl Row {
    /// Every single time of the conversion.
    pub(crate) fn conversions(&self) -> &[f64] {
        &self.all_seconds[1]
    }

    /// The median time of the plain copies beside it.
    fn beside(&self) -> Option<f64> {
        median(self.all_seconds[4].iter().copied())
    }
}

/// The conversions with one number of ranks and one memory.
#[derive(Debug, Serialize)]
pub(crate) struct Spread {
    /// How many share the work.
    pub(crate) ranks: usize,
    /// What they may use together.
    pub(crate) memory_bytes: u64,
    /// The fastest and the slowest, in seconds.
    pub(crate) extremes: Option<[f64; 2]>,
    /// Slowest : fastest.
    pub(crate) judgement: Judgement,
    /// The same of the plain copies beside them, which are all alike.
    pub(crate) of_copies: Option<f64>,
    /// The same of conversion : copy.
    pub(crate) of_ratios: Option<f64>,
}

impl Spread {
    fn all(rows: &[Row], cpus: usize) -> Vec<Self> {
        let mut by_setting: BTreeMap<(usize, u64), Vec<&Row>> = BTreeMap::new();
        for row in rows {
            by_setting.entry((row.cell.ranks, row.cell.memory_bytes)).or_default().push(row);
        }
        let spread = |((ranks, memory_bytes), rows): (_, Vec<&Row>)| {
            let extremes = extremes(rows.iter().filter_map(|row| row.seconds.conversion));
            let times = rows.iter().map(|row| row.conversions().len()).min().unwrap_or(0);
            Self {
                ranks,
                memory_bytes,
                extremes,
                judgement: judge_spread(extremes, times, ranks, cpus),
                of_copies: spread_of(rows.iter().filter_map(|row| row.beside())),
                of_ratios: spread_of(rows.iter().filter_map(|row| row.ratios.copy)),
            }
        };
        by_setting.into_iter().map(spread).collect()
    }
}

/// The least and the largest.
fn extremes(values: impl Iterator<Item = f64> + Clone) -> Option<[f64; 2]> {
    let (least, largest) = (values.clone().min_by(f64::total_cmp), values.max_by(f64::total_cmp));
    least.zip(largest).map(Into::into)
}

/// The largest : the least.
fn spread_of(values: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    extremes(values).map(|[least, largest]| largest / least)
}

#[cfg(test)]
mod tests {
    use super::{Row, Spread};
    use crate::layout::judge::{Ratios, Seconds};
    use crate::layout::workload::{Cell, Pattern};
    use crate::outcome::Outcome;

    #[test]
    fn where_the_device_changes_conversions_spread_as_the_copies_beside_them() {
        let row = |rows: u64, conversions: [f64; 3], copies: [f64; 3]| Row {
            cell: Cell { ranks: 1, memory_bytes: 64 << 20, pattern: Pattern { rows, columns: 8 } },
            seconds: Seconds { conversion: Some(conversions[1]), ..Seconds::default() },
            ratios: Ratios { copy: Some(conversions[1] / copies[1]), ..Ratios::default() },
            judgements: None,
            all_seconds: [vec![], conversions.to_vec(), vec![], vec![], copies.to_vec(), vec![]],
        };
        let rows = [row(8, [2.0, 4.0, 8.0], [2.0, 4.0, 8.0]), row(16, [2.2, 2.2, 2.2], [2.0, 2.0, 4.0])];
        let spreads = Spread::all(&rows, 2);
        assert_eq!(spreads.len(), 1);
        assert_eq!(spreads[0].extremes, Some([2.2, 4.0]));
        assert_eq!(spreads[0].judgement.outcome, Outcome::Misses, "each was timed three times");
        let near = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-9;
        assert!(near(spreads[0].of_copies, 2.0) && near(spreads[0].of_ratios, 1.1));
    }
}
