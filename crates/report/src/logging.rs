//! `CHEMIO_LOG`: what the libraries tell about themselves, on standard error.

use std::sync::Once;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::prelude::*;

static INSTALLED: Once = Once::new();

/// What is told if nobody asks: what no call can tell, such as data that is lost at the end of the program.
const DEFAULT: &str = "error";

/// Installs the subscriber, once, for what `CHEMIO_LOG` asks for: a level (`info`; `off` for nothing), or levels by crate
/// (`elio=debug,eaf=info`); without it for errors.
/// A subscriber that the host program has installed itself stays. At level `debug` spans of files being opened and closed are told when
/// they end, with the time they took; at level `trace` those of transfers too.
pub fn install() {
    INSTALLED.call_once(|| {
        let asked = std::env::var_os("CHEMIO_LOG").filter(|value| !value.is_empty());
        install_filtered(asked.as_deref().unwrap_or(DEFAULT.as_ref()).to_string_lossy().as_ref());
    });
}

fn install_filtered(filter: &str) {
    let parsed = filter.parse::<Targets>();
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
