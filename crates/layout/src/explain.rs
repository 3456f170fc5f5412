//! Plans in words: a table of the passes, and why this plan was taken.

use crate::plan::{Alternative, Kind, Pass, Plan};
use section::Shape;
use std::fmt::{self, Write as _};

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Paper => "the paper's heuristics",
            Self::WholeBricks => "whole bricks",
            Self::Parts => "parts of bricks",
        })
    }
}

/// `8x16384`.
struct Extents<'a>(&'a Shape);

impl fmt::Display for Extents<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extents: Vec<String> = self.0.iter().map(u64::to_string).collect();
        f.pad(&extents.join("x"))
    }
}

fn bytes(bytes: u128) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let (value, mut unit) = (bytes as f64, 0);
    let mut value = value;
    while value >= 1024.0 && unit < UNITS.len() - 1 {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

fn seconds(seconds: f64) -> String {
    if seconds < 0.1 { format!("{:.2} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

impl fmt::Display for Plan {
    /// A table: a line for each pass, and one for all.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = self.problem();
        let in_all = format!("{:?}, elements of {} bytes", problem.dims, problem.element_bytes);
        writeln!(
            f,
            "{in_all}, permutation {:?}, {} on {} ranks, {} of them for I/O",
            problem.permutation.source(),
            bytes(problem.memory_bytes.into()),
            problem.ranks,
            problem.io_processes
        )?;
        let rows: Vec<[String; COLUMNS.len()]> =
            self.passes().iter().enumerate().map(|(number, pass)| self.row(number, pass)).collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].len());
            cells.chain([COLUMNS[column].len()]).max().unwrap_or(0)
        };
        let mut line = |cell: &dyn Fn(usize) -> String| -> fmt::Result {
            let cells: Vec<String> =
                (0..COLUMNS.len()).map(|column| format!("{:>1$}", cell(column), width(column))).collect();
            writeln!(f, "{}", cells.join("  "))
        };
        line(&|column| COLUMNS[column].to_owned())?;
        rows.iter().try_for_each(|row| line(&|column| row[column].clone()))?;
        write!(
            f,
            "{}: {:.3} transfers of each element, {} operations, {} of memory, {} of disk between passes, {}",
            self.kind(),
            self.io_per_element(),
            self.operations(),
            bytes(self.memory_bytes_max().into()),
            bytes(self.disk_bytes_max()),
            seconds(self.seconds())
        )
    }
}

const COLUMNS: [&str; 14] = [
    "pass",
    "from",
    "to",
    "read unit",
    "write unit",
    "block",
    "template",
    "Max",
    "of them",
    "order",
    "reads",
    "writes",
    "steps",
    "time",
];

impl Plan {
    /// Extents of the bricks that a pass reads and writes, as the source calls its dimensions: those of the source and the target as they
    /// are stored, also where they are larger than the array and the pass goes through no more of them than that.
    ///
    /// # Panics
    /// If there is no pass of this number, from 0.
    pub fn stored_bricks(&self, number: usize) -> (Shape, Shape) {
        let (problem, pass) = (self.problem(), &self.passes()[number]);
        let source = match number {
            0 => Shape::from_fn(problem.source_brick.len(), |d| problem.source_brick[d]),
            _ => *pass.source_brick(),
        };
        let is_last = number + 1 == self.passes().len();
        let target =
            if is_last { problem.permutation.to_source(&problem.target_brick) } else { *pass.target_brick() };
        (source, target)
    }

    fn row(&self, number: usize, pass: &Pass) -> [String; COLUMNS.len()] {
        let (source_brick, target_brick) = self.stored_bricks(number);
        let order: Vec<String> = pass.order().iter().map(usize::to_string).collect();
        let moved = |elems: u128, operations: u128| {
            let moved = elems.saturating_mul(self.problem().element_bytes.into());
            format!("{} in {operations}", bytes(moved))
        };
        let cost = pass.cost();
        [
            (number + 1).to_string(),
            Extents(&source_brick).to_string(),
            Extents(&target_brick).to_string(),
            Extents(&pass.read_unit()).to_string(),
            Extents(&pass.write_unit()).to_string(),
            Extents(&pass.block()).to_string(),
            Extents(&pass.template()).to_string(),
            Extents(&pass.max_block()).to_string(),
            cost.max_blocks.to_string(),
            order.join(","),
            moved(cost.read_elems, cost.read_operations),
            moved(cost.written_elems, cost.write_operations),
            cost.steps.to_string(),
            seconds(cost.seconds),
        ]
    }

    /// Why this plan was taken: what the others would cost, on what device, and how far was looked.
    pub fn explain(&self) -> String {
        let mut text = format!("{self}\n\nOn a device of {}:\n", self.problem().device);
        for alternative in self.alternatives() {
            let mark = if alternative.kind == self.kind() { "->" } else { "  " };
            let _ = writeln!(text, "{mark} {:<22}  {}", alternative.kind, self.outcome(alternative));
        }
        // Of the bricks between passes a few are tried.
        let all = matches!(self.passes(), [pass] if pass.is_exhaustive());
        let how = if all { "every single pass of this kind" } else { "a selection of ways of this kind" };
        let _ = write!(text, "{} candidates were looked at; {how}.", self.candidates_examined());
        text
    }

    fn outcome(&self, alternative: &Alternative) -> String {
        if alternative.passes.is_empty() {
            let why = if alternative.is_cut_short { "not found among so many" } else { "needs more memory" };
            return why.to_owned();
        }
        let sum = |value: fn(&Pass) -> f64| alternative.passes.iter().map(value).sum::<f64>();
        let operations: u128 = alternative.passes.iter().map(|pass| pass.cost().operations()).sum();
        let time = sum(|pass| pass.cost().seconds);
        let against = match time / self.seconds() {
            ratio if ratio > 1.0005 => format!(", {ratio:.3} times as long"),
            _ => String::new(),
        };
        let passes = match alternative.passes.len() {
            1 => "1 pass".to_owned(),
            count => format!("{count} passes"),
        };
        format!(
            "{passes}, {:.3} transfers of each element, {operations} operations, {}{against}",
            sum(|pass| pass.cost().io_per_element()),
            seconds(time)
        )
    }
}
