//! What is printed. A reader that has gone away, as `head` does, is no error.

use crate::error::{Result, one_line, refused};
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Prints text as it is.
///
/// # Errors
/// - [`Error::System`](crate::error::Error::System): standard output does not take it.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(refused("write to", Path::new("standard output"))(error))
        }
        _ => Ok(()),
    }
}

/// Prints facts for a program.
///
/// # Errors
/// As [`print()`].
pub fn print_json(facts: &Value) -> Result<()> {
    print(&format!("{facts:#}\n"))
}

/// Tells on standard error, in one line that begins with the command's name, what is no error but nobody should be surprised by.
pub fn note(text: &str) {
    // Who cannot be told can ask for the plan.
    let _ = writeln!(io::stderr(), "chemio: {}", one_line(text));
}

/// Lines of a label and a value, the values below each other, whatever is in them.
pub fn labelled<'a>(facts: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let facts: Vec<_> = facts.into_iter().collect();
    let width = facts.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    facts.iter().fold(String::new(), |mut text, (label, value)| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{label:width$}  {}", one_line(value));
        text
    })
}

/// A size for people.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1000 {
        return format!("{bytes} bytes");
    }
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let mut value = bytes as f64;
    let mut unit = "";
    for next in UNITS {
        if value < 999.5 {
            break;
        }
        (value, unit) = (value / 1000.0, next);
    }
    if value < 9.995 {
        format!("{value:.2} {unit}")
    } else if value < 99.95 {
        format!("{value:.1} {unit}")
    } else {
        format!("{value:.0} {unit}")
    }
}

/// Extents as people write them.
pub fn extents(extents: &[u64]) -> String {
    extents.iter().map(u64::to_string).collect::<Vec<_>>().join(" x ")
}

/// A share of one, in percent.
#[expect(clippy::cast_precision_loss, reason = "a few digits are shown")]
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 / whole as f64).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits() {
        let shown = [0, 999, 1000, 1234, 99_949, 999_499, 999_500, 6_000_000_000, u64::MAX].map(bytes);
        let expected = [
            "0 bytes",
            "999 bytes",
            "1.00 kB",
            "1.23 kB",
            "99.9 kB",
            "999 kB",
            "1.00 MB",
            "6.00 GB",
            "18.4 EB",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn values_stand_below_each_other() {
        assert_eq!(labelled([("a", "1".to_owned()), ("long", "2".to_owned())]), "a     1\nlong  2\n");
        assert_eq!(labelled([("name", "\x1b[2Ja\nb".to_owned())]), "name  ?[2Ja?b\n");
    }
}
