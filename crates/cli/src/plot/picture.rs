//! A heat map and a line, with their axes.

use super::axis::{label, ticks};
use super::canvas::Canvas;
use super::colour::Scale;
use super::slice::Slice;
use embedded_graphics::mono_font::MonoTextStyle;
use embedded_graphics::mono_font::ascii::FONT_9X15;
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::{Line, PrimitiveStyle, Rectangle};
use embedded_graphics::text::{Alignment, Baseline, Text, TextStyleBuilder};
use std::ops::Range;

const BLACK: Rgb888 = Rgb888::BLACK;
const LIGHT: Rgb888 = Rgb888::new(225, 225, 225);
const BAND: Rgb888 = Rgb888::new(172, 200, 228);
const LINE: Rgb888 = Rgb888::new(23, 60, 130);

/// Around the drawing.
const LEFT: i32 = 90;
const TOP: i32 = 40;
const BOTTOM: i32 = 56;
const RIGHT: i32 = 130;
/// Of a line's drawing; at least so large is a map's.
const LINE_HEIGHT: i32 = 480;
const MAP_POINTS_MIN: i32 = 360;
const TICKS: u32 = 6;

fn text(canvas: &mut Canvas, words: &str, x: i32, y: i32, alignment: Alignment, baseline: Baseline) {
    let style = TextStyleBuilder::new().alignment(alignment).baseline(baseline).build();
    // Drawing on memory cannot fail; the type says so.
    let Ok(_) = Text::with_text_style(words, Point::new(x, y), MonoTextStyle::new(&FONT_9X15, BLACK), style)
        .draw(canvas);
}

fn segment(canvas: &mut Canvas, from: Point, to: Point, colour: Rgb888) {
    let Ok(()) = Line::new(from, to).into_styled(PrimitiveStyle::with_stroke(colour, 1)).draw(canvas);
}

fn filled(canvas: &mut Canvas, x: i32, y: i32, width: i32, height: i32, colour: Rgb888) {
    let size = Size::new(width.unsigned_abs(), height.unsigned_abs());
    let Ok(()) = canvas.fill_solid(&Rectangle::new(Point::new(x, y), size), colour);
}

fn frame(canvas: &mut Canvas, width: i32, height: i32) {
    let size = Size::new((width + 2).unsigned_abs(), (height + 2).unsigned_abs());
    let Ok(()) = Rectangle::new(Point::new(LEFT - 1, TOP - 1), size)
        .into_styled(PrimitiveStyle::with_stroke(BLACK, 1))
        .draw(canvas);
}

/// ASCII is what the font has.
fn title(canvas: &mut Canvas, words: &str) {
    let plain: String =
        words.chars().map(|c| if c.is_ascii() && !c.is_ascii_control() { c } else { '?' }).collect();
    text(canvas, &plain, LEFT, TOP - 12, Alignment::Left, Baseline::Bottom);
}

fn points(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX / 4)
}

/// Where an index is drawn, of `len` points for `within`.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "rounded to a point")]
fn place(index: f64, within: &Range<u64>, len: i32) -> i32 {
    let part = (index + 0.5 - within.start as f64) / (within.end - within.start) as f64;
    (part * f64::from(len)).clamp(0.0, f64::from(len - 1)) as i32
}

/// Indices at which an axis has a mark.
#[expect(clippy::cast_precision_loss, reason = "a mark on a picture")]
fn index_ticks(within: &Range<u64>) -> Vec<f64> {
    let marks = ticks(within.start as f64, (within.end - 1) as f64, TICKS);
    marks.into_iter().filter(|mark| mark.fract() == 0.0).collect()
}

fn index_axis_across(canvas: &mut Canvas, slice: &Slice, width: i32, height: i32) {
    let (dim, within) = slice.across();
    for mark in index_ticks(&within) {
        let x = LEFT + place(mark, &within, width);
        segment(canvas, Point::new(x, TOP + height + 1), Point::new(x, TOP + height + 6), BLACK);
        text(canvas, &format!("{mark}"), x, TOP + height + 8, Alignment::Center, Baseline::Top);
    }
    let words = format!("index {dim}");
    text(canvas, &words, LEFT + width / 2, TOP + height + 28, Alignment::Center, Baseline::Top);
}

/// Draws values as colours, `counts` of them down and across.
pub(super) fn map(words: &str, slice: &Slice, values: &[f64], counts: [usize; 2], log: bool) -> Canvas {
    let [rows, columns] = counts.map(points);
    // Small maps are magnified.
    let scale = (MAP_POINTS_MIN / rows.max(columns)).max(1);
    let (width, height) = ((columns * scale).max(MAP_POINTS_MIN / 3), (rows * scale).max(MAP_POINTS_MIN / 3));
    let mut canvas =
        Canvas::new((LEFT + width + RIGHT).unsigned_abs(), (TOP + height + BOTTOM).unsigned_abs());
    let colours = Scale::of(values.iter().copied(), log);
    let edge = |number: i32, count: i32, len: i32| number * len / count;
    for (number, value) in values.iter().enumerate() {
        let (row, column) = (points(number / counts[1]), points(number % counts[1]));
        let (x, y) = (edge(column, columns, width), edge(row, rows, height));
        let (next_x, next_y) = (edge(column + 1, columns, width), edge(row + 1, rows, height));
        filled(&mut canvas, LEFT + x, TOP + y, next_x - x, next_y - y, colours.colour(*value));
    }
    frame(&mut canvas, width, height);
    title(&mut canvas, words);
    index_axis_across(&mut canvas, slice, width, height);
    index_axis_down(&mut canvas, slice, height);
    colour_bar(&mut canvas, &colours, width, height);
    canvas
}

fn index_axis_down(canvas: &mut Canvas, slice: &Slice, height: i32) {
    let (dim, within) = slice.down();
    for mark in index_ticks(&within) {
        let y = TOP + place(mark, &within, height);
        segment(canvas, Point::new(LEFT - 6, y), Point::new(LEFT - 2, y), BLACK);
        text(canvas, &format!("{mark}"), LEFT - 9, y, Alignment::Right, Baseline::Middle);
    }
    if let Some(dim) = dim {
        text(canvas, &format!("index {dim}"), 4, TOP - 12, Alignment::Left, Baseline::Bottom);
    }
}

fn colour_bar(canvas: &mut Canvas, colours: &Scale, width: i32, height: i32) {
    let left = LEFT + width + 20;
    for y in 0..height {
        let part = 1.0 - f64::from(y) / f64::from((height - 1).max(1));
        let value = colours.min * (1.0 - part) + colours.max * part;
        filled(canvas, left, TOP + y, 18, 1, colours.colour(value));
    }
    let marks = ticks(colours.min, colours.max, TICKS);
    let step = marks.get(1).map_or(colours.max, |next| next - marks[0]);
    for mark in marks {
        let y = TOP + place_of_value(mark, colours.min, colours.max, height);
        segment(canvas, Point::new(left + 18, y), Point::new(left + 22, y), BLACK);
        text(canvas, &label(mark, step), left + 26, y, Alignment::Left, Baseline::Middle);
    }
}

/// How far below the top a value is drawn.
#[expect(clippy::cast_possible_truncation, reason = "rounded to a point")]
fn place_of_value(value: f64, min: f64, max: f64, height: i32) -> i32 {
    let span = max / 2.0 - min / 2.0;
    let part = if span > 0.0 { ((value / 2.0 - min / 2.0) / span).clamp(0.0, 1.0) } else { 0.5 };
    ((1.0 - part) * f64::from(height - 1)) as i32
}

/// Draws values as a line, and behind them what lies between the smallest and the largest of each cell.
pub(super) fn line(words: &str, slice: &Slice, values: &[f64], band: &[[f64; 2]]) -> Canvas {
    let width = points(values.len()).clamp(600, 1000);
    let height = LINE_HEIGHT;
    let mut canvas =
        Canvas::new((LEFT + width + RIGHT / 4).unsigned_abs(), (TOP + height + BOTTOM).unsigned_abs());
    let (min, max) = with_room(ends(values, band));
    let marks = ticks(min, max, TICKS);
    let step = marks.get(1).map_or(max, |next| next - marks[0]);
    for mark in marks {
        let y = TOP + place_of_value(mark, min, max, height);
        segment(&mut canvas, Point::new(LEFT, y), Point::new(LEFT + width - 1, y), LIGHT);
        text(&mut canvas, &label(mark, step), LEFT - 6, y, Alignment::Right, Baseline::Middle);
    }
    let count = points(values.len());
    let x = |number: usize| LEFT + (2 * points(number) + 1) * width / (2 * count);
    let y = |value: f64| TOP + place_of_value(value, min, max, height);
    for (number, [low, high]) in band.iter().enumerate().filter(|(_, ends)| ends[1] > ends[0]) {
        segment(&mut canvas, Point::new(x(number), y(*high)), Point::new(x(number), y(*low)), BAND);
    }
    for (number, pair) in values.windows(2).enumerate() {
        if pair.iter().all(|value| !value.is_nan()) {
            let (from, to) = (Point::new(x(number), y(pair[0])), Point::new(x(number + 1), y(pair[1])));
            segment(&mut canvas, from, to, LINE);
        }
    }
    for (number, value) in values.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
        // Few points are seen as points; one alone would not be seen at all.
        if values.len() <= 100 {
            filled(&mut canvas, x(number) - 2, y(*value) - 2, 5, 5, LINE);
        }
    }
    frame(&mut canvas, width, height);
    title(&mut canvas, words);
    index_axis_across(&mut canvas, slice, width, height);
    canvas
}

/// The ends of the axis, so that the line does not touch the frame.
fn with_room((min, max): (f64, f64)) -> (f64, f64) {
    let room = (max - min) * 0.04;
    if room.is_finite() && room > 0.0 { (min - room, max + room) } else { (min, max) }
}

/// The smallest and the largest that is drawn.
fn ends(values: &[f64], band: &[[f64; 2]]) -> (f64, f64) {
    let all = values.iter().copied().chain(band.iter().flatten().copied());
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in all.filter(|value| value.is_finite()) {
        (min, max) = (min.min(value), max.max(value));
    }
    if min > max { (0.0, 1.0) } else { (min, max) }
}
