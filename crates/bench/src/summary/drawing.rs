//! The summary as a picture: a row for each kind of each suite, a point for each cell that was judged.
//!
//! Two panels share the rows: ours against the best peer, and against the target. Both axes are logarithmic, with a line at 1. What holds is
//! a full blue point, what misses an orange ring: two colours that everybody can tell apart, and two shapes.

use embedded_graphics::mono_font::ascii::{FONT_9X15, FONT_9X15_BOLD};
use embedded_graphics::mono_font::{MonoFont, MonoTextStyle};
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::{Circle, Line, PrimitiveStyle, PrimitiveStyleBuilder};
use embedded_graphics::text::{Alignment, Baseline, Text, TextStyleBuilder};

use crate::outcome::Outcome;
use crate::summary::canvas::Canvas;
use crate::summary::figures::Group;
use crate::summary::report::Cell;
use crate::summary::swarm::spread_out;
use crate::summary::{OfSuite, Summary};

const BLACK: Rgb888 = Rgb888::BLACK;
const GREY: Rgb888 = Rgb888::new(110, 110, 110);
const LIGHT: Rgb888 = Rgb888::new(225, 225, 225);
const BLUE: Rgb888 = Rgb888::new(0, 114, 178);
const ORANGE: Rgb888 = Rgb888::new(213, 94, 0);

const WIDTH: i32 = 1220;
/// Of the words beside the rows.
const LEFT: i32 = 250;
const PANEL_WIDTH: i32 = 440;
const BETWEEN_PANELS: i32 = 60;
/// So far apart are the marks of an axis at least, for their words.
const BETWEEN_MARKS_MIN: i32 = 48;
const TOP: i32 = 96;
const BOTTOM: i32 = 70;
const ROW_HEIGHT: i32 = 50;
const POINT_DIAMETER: i32 = 8;
/// How far a point stands from the middle of its row at most.
const ASIDE_MAX: i32 = ROW_HEIGHT / 2 - POINT_DIAMETER / 2 - 2;

/// A kind of a suite.
struct Row<'a> {
    suite: &'a OfSuite,
    group: &'a Group,
    cells: Vec<&'a Cell>,
    /// Whether the rows of another suite begin here.
    is_first: bool,
}

/// One of the two panels.
struct Panel {
    title: &'static str,
    left: i32,
    of: fn(&Cell) -> Option<f64>,
    /// The ends of the axis, as powers of two.
    ends: [i32; 2],
}

/// Draws all that was judged.
pub(super) fn draw(summary: &Summary) -> Canvas {
    let rows = rows(summary);
    let height = TOP + BOTTOM + ROW_HEIGHT * len(&rows);
    let mut canvas = Canvas::new(WIDTH.unsigned_abs(), height.unsigned_abs());
    head(&mut canvas, summary);
    let panels = [
        Panel::new("ours : best peer", LEFT, |cell| cell.peer, &rows),
        Panel::new("ours : target", LEFT + PANEL_WIDTH + BETWEEN_PANELS, |cell| cell.target, &rows),
    ];
    for (number, row) in rows.iter().enumerate() {
        words_beside(&mut canvas, row, TOP + ROW_HEIGHT * position(number));
    }
    for panel in panels {
        panel.draw(&mut canvas, &rows);
    }
    legend(&mut canvas, height);
    canvas
}

/// Every kind with a cell that was judged and has a ratio.
fn rows(summary: &Summary) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for suite in &summary.suites {
        let first = rows.len();
        for group in &suite.groups {
            let Some(kind) = &group.kind else { continue };
            let is_drawn = |cell: &&Cell| {
                cell.kind == *kind
                    && cell.outcome != Outcome::NotJudged
                    && cell.peer.or(cell.target).is_some()
            };
            let cells: Vec<_> = suite.report.cells.iter().filter(is_drawn).collect();
            if !cells.is_empty() {
                rows.push(Row { suite, group, cells, is_first: rows.len() == first });
            }
        }
    }
    rows
}

fn head(canvas: &mut Canvas, summary: &Summary) {
    let total = |count: fn(&Group) -> usize| -> usize {
        summary.suites.iter().filter_map(|suite| suite.groups.first()).map(count).sum()
    };
    let (held, judged) = (total(|all| all.held), total(|all| all.judged));
    let mut when: Vec<_> = summary
        .suites
        .iter()
        .map(|suite| format!("{} {}", suite.report.suite, suite.report.date()))
        .collect();
    if !summary.missing.is_empty() {
        when.push(format!("not measured: {}", summary.missing.join(" ")));
    }
    let is_quick = summary.suites.iter().any(|suite| suite.report.quick);
    let warning = if is_quick { " (small sizes: a test, figures mean nothing)" } else { "" };
    bold(
        canvas,
        &format!("chemio side by side: {held} of {judged} judged cells hold{warning}"),
        Point::new(12, 22),
    );
    words(canvas, &when.join(", "), Point::new(12, 44), GREY, Alignment::Left);
}

fn words_beside(canvas: &mut Canvas, row: &Row<'_>, top: i32) {
    let middle = top + ROW_HEIGHT / 2;
    if row.is_first {
        line(canvas, Point::new(12, top), Point::new(WIDTH - 12, top), GREY, 1);
        bold(canvas, &row.suite.report.suite, Point::new(12, middle));
    }
    let kind = row.group.kind.as_deref().unwrap_or_default();
    words(canvas, kind, Point::new(LEFT - 82, middle), BLACK, Alignment::Right);
    let counts = format!("{}/{}", row.group.held, row.group.judged);
    words(canvas, &counts, Point::new(LEFT - 14, middle), GREY, Alignment::Right);
}

fn legend(canvas: &mut Canvas, height: i32) {
    let y = height - 16;
    point(canvas, Point::new(LEFT, y), Outcome::Holds);
    words(canvas, "holds", Point::new(LEFT + 12, y), BLACK, Alignment::Left);
    point(canvas, Point::new(LEFT + 90, y), Outcome::Misses);
    words(canvas, "misses its target", Point::new(LEFT + 102, y), BLACK, Alignment::Left);
    words(
        canvas,
        "to the right is better; a point is a cell",
        Point::new(WIDTH - 12, y),
        GREY,
        Alignment::Right,
    );
}

impl Panel {
    fn new(title: &'static str, left: i32, of: fn(&Cell) -> Option<f64>, rows: &[Row<'_>]) -> Self {
        let ratios = rows.iter().flat_map(|row| row.cells.iter().filter_map(|cell| of(cell)));
        Self { title, left, of, ends: ends(ratios) }
    }

    fn draw(&self, canvas: &mut Canvas, rows: &[Row<'_>]) {
        let bottom = TOP + ROW_HEIGHT * len(rows);
        bold(canvas, self.title, Point::new(self.left, TOP - 28));
        for power in marks(self.ends) {
            let x = self.left + self.place(2_f64.powi(power));
            let (colour, width) = if power == 0 { (BLACK, 2) } else { (LIGHT, 1) };
            line(canvas, Point::new(x, TOP), Point::new(x, bottom), colour, width);
            words(canvas, &power_of_two(power), Point::new(x, bottom + 14), BLACK, Alignment::Center);
        }
        for (number, row) in rows.iter().enumerate() {
            self.draw_row(canvas, row, TOP + ROW_HEIGHT * position(number) + ROW_HEIGHT / 2);
        }
    }

    fn draw_row(&self, canvas: &mut Canvas, row: &Row<'_>, middle: i32) {
        let cells: Vec<_> =
            row.cells.iter().filter_map(|cell| Some(((self.of)(cell)?, cell.outcome))).collect();
        let along: Vec<_> = cells.iter().map(|&(ratio, _)| self.place(ratio)).collect();
        let aside = spread_out(&along, POINT_DIAMETER, ASIDE_MAX);
        for ((x, y), (_, outcome)) in along.iter().zip(aside).zip(cells) {
            point(canvas, Point::new(self.left + x, middle + y), outcome);
        }
    }

    /// How far from the left end of the axis a ratio is.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to a point within the panel")]
    fn place(&self, ratio: f64) -> i32 {
        let [first, last] = self.ends.map(f64::from);
        (f64::from(PANEL_WIDTH) * (ratio.log2() - first) / (last - first)).round() as i32
    }
}

/// The powers of two between which all ratios lie, and 1 well inside.
#[expect(clippy::cast_possible_truncation, reason = "powers of two of numbers are below 2000")]
fn ends(ratios: impl Iterator<Item = f64>) -> [i32; 2] {
    let powers = ratios.map(f64::log2);
    powers.fold([-1, 1], |[first, last], power| {
        [first.min(power.floor() as i32), last.max(power.ceil() as i32)]
    })
}

/// The powers of two that are marked: all of them, or, where they would stand too close, every second, third and so on, with 1 among them.
fn marks([first, last]: [i32; 2]) -> impl Iterator<Item = i32> {
    let every = 1 + (last - first) * BETWEEN_MARKS_MIN / PANEL_WIDTH;
    (first..=last).filter(move |power| power % every == 0)
}

fn power_of_two(power: i32) -> String {
    let number = 2_f64.powi(power.abs());
    if power < 0 { format!("1/{number}") } else { number.to_string() }
}

fn len<T>(values: &[T]) -> i32 {
    position(values.len())
}

fn position(number: usize) -> i32 {
    i32::try_from(number).expect("a picture has fewer rows")
}

/// What is no ASCII is not in the font.
fn words(canvas: &mut Canvas, text: &str, at: Point, colour: Rgb888, alignment: Alignment) {
    letters(canvas, text, at, MonoTextStyle::new(&FONT_9X15, colour), alignment);
}

fn bold(canvas: &mut Canvas, text: &str, at: Point) {
    const FONT: &MonoFont<'_> = &FONT_9X15_BOLD;
    letters(canvas, text, at, MonoTextStyle::new(FONT, BLACK), Alignment::Left);
}

fn letters(
    canvas: &mut Canvas,
    text: &str,
    at: Point,
    style: MonoTextStyle<'_, Rgb888>,
    alignment: Alignment,
) {
    let placed = TextStyleBuilder::new().alignment(alignment).baseline(Baseline::Middle).build();
    // Drawing on memory cannot fail; the type says so.
    let Ok(_) = Text::with_text_style(text, at, style, placed).draw(canvas);
}

fn line(canvas: &mut Canvas, from: Point, to: Point, colour: Rgb888, width: u32) {
    let Ok(()) = Line::new(from, to).into_styled(PrimitiveStyle::with_stroke(colour, width)).draw(canvas);
}

fn point(canvas: &mut Canvas, at: Point, outcome: Outcome) {
    let style = match outcome {
        Outcome::Misses => PrimitiveStyleBuilder::new().stroke_color(ORANGE).stroke_width(2).build(),
        _ => PrimitiveStyle::with_fill(BLUE),
    };
    let Ok(()) = Circle::with_center(at, POINT_DIAMETER.unsigned_abs()).into_styled(style).draw(canvas);
}

#[cfg(test)]
mod tests {
    use super::{BETWEEN_MARKS_MIN, LEFT, PANEL_WIDTH, Panel, ends, marks, power_of_two, rows};
    use crate::summary::figures::groups;
    use crate::summary::report::Report;
    use crate::summary::{OfSuite, Summary};
    use serde_json::json;

    #[test]
    fn the_axis_has_room_for_every_ratio_and_for_one() {
        assert_eq!(ends([1.1, 1.2].into_iter()), [-1, 1]);
        assert_eq!(ends([0.2, 17.0].into_iter()), [-3, 5]);
        assert_eq!(ends([].into_iter()), [-1, 1]);
        assert_eq!([-2, 0, 3].map(power_of_two), ["1/4", "1", "8"]);
    }

    #[test]
    fn a_long_axis_has_fewer_marks_and_one_is_among_them() {
        assert_eq!(marks([-2, 4]).collect::<Vec<_>>(), [-2, -1, 0, 1, 2, 3, 4]);
        assert_eq!(marks([-7, 8]).collect::<Vec<_>>(), [-6, -4, -2, 0, 2, 4, 6, 8]);
        let places: Vec<i32> = marks([-14, 16]).map(|power| PANEL_WIDTH * power / 30).collect();
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= BETWEEN_MARKS_MIN) && places.contains(&0));
    }

    #[test]
    fn equal_factors_are_equally_far_apart() {
        let panel = Panel { title: "", left: LEFT, of: |cell| cell.peer, ends: [-2, 2] };
        let places = [0.25, 0.5, 1.0, 2.0, 4.0].map(|ratio| panel.place(ratio));
        assert_eq!(places, [0, 1, 2, 3, 4].map(|number| number * PANEL_WIDTH / 4));
    }

    #[test]
    fn there_is_a_row_for_each_kind_that_was_judged_and_has_a_ratio() {
        let value = json!({"machine": {"date": "2026-01-02"},
            "rows": [
                {"operation": "read-cold", "judgement": {"peer_ratio": 1.5, "outcome": "holds"}},
                {"operation": "read-cached", "judgement": {"peer_ratio": 0.5, "outcome": "not-judged"}}],
            "falls": [{"outcome": "holds"}]});
        let report = Report::new("new", &value).expect("it has a machine");
        let groups = groups(&report.cells);
        let summary = Summary { suites: vec![OfSuite { report, groups }], missing: Vec::new() };
        let rows = rows(&summary);
        let kinds: Vec<_> =
            rows.iter().map(|row| (row.group.kind.as_deref(), row.is_first, row.cells.len())).collect();
        assert_eq!(kinds, [(Some("cold"), true, 1)]);
    }
}
