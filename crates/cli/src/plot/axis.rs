//! Numbers beside a picture.

/// Round numbers between two ends, a few of them, ascending. 1, 2 or 5 of a power of ten apart.
pub(super) fn ticks(min: f64, max: f64, about: u32) -> Vec<f64> {
    let span = max - min;
    if !(span > 0.0 && span.is_finite()) {
        return vec![min];
    }
    let rough = span / f64::from(about.max(1));
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|unit| unit * power).find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let first = (min / step).ceil();
    // Counted, so that a step that is lost in rounding ends too.
    let at = |number: u32| (first + f64::from(number)) * step;
    let ticks: Vec<f64> = (0..2 * about + 2).map(at).take_while(|tick| *tick <= max + span * 1e-9).collect();
    if ticks.is_empty() { vec![min] } else { ticks }
}

/// A number in few characters.
pub(super) fn label(value: f64, step: f64) -> String {
    let size = value.abs().max(step.abs());
    if value.abs() < step.abs() * 1e-6 {
        return "0".to_owned();
    }
    if !(1e-3..1e5).contains(&size) {
        return format!("{value:.2e}");
    }
    let digits = (0..6)
        .find(|&digits| {
            let scaled = step * 10f64.powi(digits);
            (scaled - scaled.round()).abs() < 1e-6
        })
        .unwrap_or(6);
    format!("{value:.*}", usize::try_from(digits).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(ticks(0.0, 999.0, 5), [0.0, 200.0, 400.0, 600.0, 800.0]);
        assert_eq!(ticks(-1.0, 1.0, 4), [-1.0, -0.5, 0.0, 0.5, 1.0]);
        assert_eq!(ticks(3.0, 3.0, 5), [3.0]);
        assert_eq!(ticks(1e300, f64::INFINITY, 5), [1e300]);
        assert!(ticks(1e15, 1e15 + 0.5, 5).len() <= 12);
    }

    #[test]
    fn labels_have_the_digits_that_tell_them_apart() {
        assert_eq!(
            [
                label(200.0, 200.0),
                label(0.25, 0.05),
                label(0.0, 0.5),
                label(2e-7, 1e-7),
                label(-0.8, 0.1 + 0.1)
            ],
            ["200", "0.25", "0", "2.00e-7", "-0.8"]
        );
    }
}
