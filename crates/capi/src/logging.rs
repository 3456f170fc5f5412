//! `CHEMIO_LOG` and `CHEMIO_STATS` of programs that call the border: from their first call to their exit.

use crate::{boundary, exit, statistics};
use std::sync::Once;

static INSTALLED: Once = Once::new();

/// Installs what these variables ask for, once.
pub fn install() {
    INSTALLED.call_once(|| {
        if statistics::is_asked_for() {
            exit::call_last_at_exit(report);
        }
        report::logging::install();
    });
}

fn report() {
    boundary::silent(|| {
        statistics::report();
        Ok(())
    });
}
