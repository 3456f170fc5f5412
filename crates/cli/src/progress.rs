//! How far a command is: on a terminal, from the second second on.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What is done in less is not worth a word.
const QUIET: Duration = Duration::from_secs(1);

/// A bar of bytes on standard error.
#[derive(Debug)]
pub(crate) struct Progress {
    what: &'static str,
    began: Instant,
    total_bytes: u64,
    done_bytes: AtomicU64,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// Of a job of so many bytes.
    pub(crate) fn new(what: &'static str, total_bytes: u64) -> Self {
        let (began, done_bytes) = (Instant::now(), AtomicU64::new(0));
        Self { what, began, total_bytes, done_bytes, bar: OnceLock::new() }
    }

    /// So many bytes more are done. Any thread.
    pub(crate) fn add(&self, bytes: u64) {
        let done = self.done_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.began.elapsed() > QUIET && std::io::stderr().is_terminal() {
            self.bar.get_or_init(|| self.start()).set_position(done);
        }
    }

    fn start(&self) -> ProgressBar {
        let bar = ProgressBar::new(self.total_bytes).with_elapsed(self.began.elapsed());
        bar.set_prefix(self.what);
        let parts = "{prefix} [{bar:32}] {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(parts) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
