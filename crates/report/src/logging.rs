//! `CHEMIO_LOG`: what the libraries tell about themselves, on standard error.

use std::error::Error;
use std::sync::Once;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::prelude::*;

static INSTALLED: Once = Once::new();

/// What is told if nobody asks: what no call can tell, such as data that is lost at the end of the program.
const DEFAULT: &str = "error";

/// Installs the subscriber, once, for what `CHEMIO_LOG` asks for: a level (`info`; `off` for nothing), or levels by crate
/// (`elio=debug,eaf=info`); without it, or if it is blank, for errors.
/// A subscriber that the host program has installed itself stays. At level `debug` spans of files being opened and closed are told when
/// they end, with the time they took; at level `trace` those of transfers too.
pub fn install() {
    INSTALLED.call_once(|| {
        let asked = std::env::var_os("CHEMIO_LOG").unwrap_or_default();
        let asked = asked.to_string_lossy();
        install_filtered(if asked.trim().is_empty() { DEFAULT } else { &asked });
    });
}

/// What a filter asks for. The subscriber's own parser takes a part without `=` that is no level for the name of a crate, so that with a
/// misspelt level nothing would be told any more.
fn targets(filter: &str) -> Result<Targets, Box<dyn Error>> {
    let is_level = |part: &str| part.parse::<LevelFilter>().is_ok();
    let parts: Vec<_> = filter.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    match parts.iter().find(|part| !part.contains('=') && !is_level(part)) {
        Some(part) => Err(format!("{part:?} is neither a level nor a crate with its level").into()),
        None => Ok(parts.join(",").parse()?),
    }
}

fn install_filtered(filter: &str) {
    let parsed = targets(filter);
    let targets =
        parsed.as_ref().map_or_else(|_| Targets::new().with_default(LevelFilter::INFO), Clone::clone);
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_span_events(FmtSpan::CLOSE)
        // When it is, nobody needs to be told; how long a span took, they do.
        .with_timer(());
    let installed = tracing_subscriber::registry().with(lines).with(targets).try_init();
    if let (Ok(()), Err(error)) = (installed, parsed) {
        tracing::warn!(filter, %error, "CHEMIO_LOG is not understood: using info");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::filter::LevelFilter as Level;

    #[test]
    fn a_filter_is_a_level_or_levels_by_crate() {
        for (filter, default, of_elio) in [
            ("off", Level::OFF, Level::OFF),
            ("info", Level::INFO, Level::INFO),
            ("DEBUG", Level::DEBUG, Level::DEBUG),
            ("elio=debug,eaf=info", Level::OFF, Level::DEBUG),
            ("warn,elio=trace", Level::WARN, Level::TRACE),
            ("elio=off,5", Level::TRACE, Level::OFF),
            (" info, elio=debug,", Level::INFO, Level::DEBUG),
            (DEFAULT, Level::ERROR, Level::ERROR),
        ] {
            let targets = targets(filter).unwrap();
            for (name, expected) in [("elio", of_elio), ("ga", default)] {
                for level in [Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG, Level::TRACE] {
                    let is_told = targets.would_enable(name, &level.into_level().unwrap());
                    assert_eq!(is_told, level <= expected, "{filter}: {level} of {name}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_level_is_not_taken_for_the_name_of_a_crate() {
        for (filter, part) in [
            ("garbage", "garbage"),
            ("debg", "debg"),
            ("elio", "elio"),
            ("info,elio", "elio"),
            ("elio=debug,inf", "inf"),
            ("6", "6"),
        ] {
            let error = targets(filter).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{part:?} is neither a level")), "{filter}: {error}");
        }
        assert!(targets("elio=debg").is_err());
    }
}
