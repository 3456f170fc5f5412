//! Markdown that is also a table on a terminal.

use crate::outcome::Outcome;

/// What stands where a figure should be.
pub(crate) const MISSING: &str = "not measured";

/// A table, columns padded.
pub(crate) fn render(head: &[&str], lines: &[Vec<String>]) -> String {
    let head: Vec<String> = head.iter().map(ToString::to_string).collect();
    let width = |column: usize| {
        let cells = lines.iter().chain([&head]).map(|line| line[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    [&head, &rule].into_iter().chain(lines).map(|line| render_line(line, &widths)).collect()
}

fn render_line(line: &[String], widths: &[usize]) -> String {
    let padded = line.iter().zip(widths).map(|(cell, &width)| format!(" {cell:<width$} |"));
    format!("|{}\n", padded.collect::<String>())
}

/// A speed given in bytes per second, in MB/s.
pub(crate) fn megabytes(speed: Option<f64>) -> String {
    speed.map_or(MISSING.into(), |speed| format!("{:.0}", speed / 1e6))
}

/// The same, or nothing, of what need not be there.
pub(crate) fn megabytes_if_any(speed: Option<f64>) -> String {
    speed.map_or(String::new(), |speed| megabytes(Some(speed)))
}

/// A ratio, or nothing.
pub(crate) fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"))
}

/// How many of the judged hold, and how many were only shown.
pub(crate) fn tally(outcomes: &[Outcome]) -> String {
    let count = |outcome| outcomes.iter().filter(|&&found| found == outcome).count();
    let (holds, misses) = (count(Outcome::Holds), count(Outcome::Misses));
    let shown = match count(Outcome::NotJudged) {
        0 => String::new(),
        shown => format!(", {shown} are shown only"),
    };
    format!("\n{holds} of {} judged cells hold{shown}.\n", holds + misses)
}

#[cfg(test)]
mod tests {
    use super::{Outcome, render, tally};

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let text = render(&["a", "long"], &[vec!["wide".into(), "b".into()]]);
        assert_eq!(text, "| a    | long |\n| ---- | ---- |\n| wide | b    |\n");
    }

    #[test]
    fn what_is_shown_is_not_counted_as_judged() {
        let outcomes = [Outcome::Holds, Outcome::Misses, Outcome::NotJudged, Outcome::Holds];
        assert_eq!(tally(&outcomes), "\n2 of 3 judged cells hold, 1 are shown only.\n");
        assert_eq!(tally(&[Outcome::Holds]), "\n1 of 1 judged cells hold.\n");
    }
}
