//! How far a command is: on a terminal, from the second second on.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::borrow::Cow;
use std::fs::File;
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What is done in less is not worth a word.
const QUIET: Duration = Duration::from_secs(1);

/// Where bars are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Canvas {
    /// On standard error, if it is a terminal.
    StandardError,
    /// On the terminal of the session: a launcher forwards standard error through a pipe.
    Session,
    /// Nowhere.
    None,
}

impl Canvas {
    fn target(self) -> Option<ProgressDrawTarget> {
        match self {
            Self::StandardError => std::io::stderr().is_terminal().then(ProgressDrawTarget::stderr),
            Self::Session => {
                let open = || File::options().read(true).write(true).open("/dev/tty");
                let (from, to) = (open().ok()?, open().ok()?);
                Some(ProgressDrawTarget::term(console::Term::read_write_pair(from, to), DRAWN_PER_SECOND))
            }
            Self::None => None,
        }
    }
}

/// As often as on standard error.
const DRAWN_PER_SECOND: u8 = 20;

/// A bar of bytes.
#[derive(Debug)]
pub struct Progress {
    what: Cow<'static, str>,
    canvas: Canvas,
    began: Instant,
    total_bytes: u64,
    done_bytes: AtomicU64,
    /// `None`: there is no terminal.
    bar: OnceLock<Option<ProgressBar>>,
}

impl Progress {
    /// Of a job of so many bytes, on standard error.
    pub fn new(what: impl Into<Cow<'static, str>>, total_bytes: u64) -> Self {
        Self::on(Canvas::StandardError, what, total_bytes)
    }

    /// Of a job of so many bytes.
    pub fn on(canvas: Canvas, what: impl Into<Cow<'static, str>>, total_bytes: u64) -> Self {
        let (began, done_bytes) = (Instant::now(), AtomicU64::new(0));
        Self { what: what.into(), canvas, began, total_bytes, done_bytes, bar: OnceLock::new() }
    }

    /// So many bytes more are done. Any thread.
    pub fn add(&self, bytes: u64) {
        let done = self.done_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.began.elapsed() > QUIET
            && let Some(bar) = self.bar.get_or_init(|| self.start())
        {
            bar.set_position(done);
        }
    }

    /// So many bytes are done in all, in another part of the job. Any thread.
    pub fn set(&self, what: &str, bytes: u64) {
        self.done_bytes.store(bytes, Ordering::Relaxed);
        self.add(0);
        if let Some(Some(bar)) = self.bar.get() {
            bar.set_prefix(what.to_owned());
        }
    }

    fn start(&self) -> Option<ProgressBar> {
        let target = self.canvas.target()?;
        let bar =
            ProgressBar::with_draw_target(Some(self.total_bytes), target).with_elapsed(self.began.elapsed());
        bar.set_prefix(self.what.clone());
        let parts = "{prefix} [{bar:32}] {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(parts) {
            bar.set_style(style.progress_chars("=> "));
        }
        Some(bar)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(Some(bar)) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
