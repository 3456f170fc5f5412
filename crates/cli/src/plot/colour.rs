//! Colours for values.

use embedded_graphics::pixelcolor::Rgb888;

/// Where there is no number.
pub(super) const NO_NUMBER: Rgb888 = Rgb888::new(190, 190, 190);

/// The values that the colours of a picture stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    pub(super) min: f64,
    pub(super) max: f64,
    /// Whether zero is in the middle, with a hue on either side.
    diverging: bool,
}

/// From dark to light, so that it can also be read in grey.
const ASCENDING: [[u8; 3]; 5] = [[24, 15, 61], [66, 48, 140], [36, 122, 148], [68, 184, 112], [250, 236, 94]];
/// From one hue to the other, by white.
const DIVERGING: [[u8; 3]; 5] =
    [[23, 60, 130], [100, 154, 206], [247, 247, 247], [222, 126, 92], [134, 20, 38]];

impl Scale {
    /// For these values; those that are not finite do not count. Around zero if there are both signs, unless they are
    /// logarithms.
    pub(super) fn of(values: impl IntoIterator<Item = f64>, log: bool) -> Self {
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            (min, max) = (min.min(value), max.max(value));
        }
        if min > max {
            (min, max) = (0.0, 1.0);
        }
        let diverging = !log && min < 0.0 && max > 0.0;
        if diverging {
            let most = max.max(-min);
            (min, max) = (-most, most);
        }
        Self { min, max, diverging }
    }

    /// The colour of a value; what is beyond the ends has that of the end.
    pub(super) fn colour(&self, value: f64) -> Rgb888 {
        if value.is_nan() {
            return NO_NUMBER;
        }
        // Half of each, because the difference of the ends may be too large.
        let (low, span) = (self.min / 2.0, self.max / 2.0 - self.min / 2.0);
        let part = if span > 0.0 { ((value / 2.0 - low) / span).clamp(0.0, 1.0) } else { 0.5 };
        between(if self.diverging { &DIVERGING } else { &ASCENDING }, part)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 4, and between 0 and 255"
)]
fn between(anchors: &[[u8; 3]; 5], part: f64) -> Rgb888 {
    let place = part * 4.0;
    let first = (place as usize).min(3);
    let weight = place - f64::from(u8::try_from(first).unwrap_or(3));
    let mixed = |at: usize| {
        let (a, b) = (f64::from(anchors[first][at]), f64::from(anchors[first + 1][at]));
        (a + (b - a) * weight).round() as u8
    };
    Rgb888::new(mixed(0), mixed(1), mixed(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_and_zero_have_colours_of_their_own() {
        let scale = Scale::of([-1.0, 3.0, f64::NAN, f64::INFINITY], false);
        assert_eq!((scale.min, scale.max), (-3.0, 3.0));
        assert_eq!(scale.colour(0.0), Rgb888::new(247, 247, 247));
        assert_eq!(scale.colour(f64::INFINITY), scale.colour(3.0));
        assert_eq!(scale.colour(f64::NAN), NO_NUMBER);
        let positive = Scale::of([1.0, 2.0], false);
        assert_eq!(positive.colour(1.0), Rgb888::new(24, 15, 61));
        assert_ne!(positive.colour(1.5), positive.colour(2.0));
    }

    #[test]
    fn values_that_are_all_the_same_or_enormous_have_a_colour() {
        assert_eq!(Scale::of([5.0, 5.0], false).colour(5.0), Rgb888::new(36, 122, 148));
        let wide = Scale::of([-f64::MAX, f64::MAX], false);
        assert_eq!(wide.colour(0.0), Rgb888::new(247, 247, 247));
        assert_eq!(Scale::of([f64::NAN], false), Scale { min: 0.0, max: 1.0, diverging: false });
    }
}
