//! How far a command is: on a terminal, from the second second on, drawn by a thread of its own, so that one long call of the
//! system is shown as well as many short ones.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::borrow::Cow;
use std::fs::File;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What is done in less is not worth a word.
const QUIET: Duration = Duration::from_secs(1);
/// Between two drawings.
const DRAWN_EVERY: Duration = Duration::from_millis(100);
/// As often as on standard error.
const DRAWN_PER_SECOND: u8 = 20;

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

/// How much there is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// So many bytes.
    Bytes(u64),
    /// So many shards.
    Shards(u64),
    /// Nobody knows: only that something is going on is shown, and for how long.
    Unknown,
}

/// A bar, which goes when it is dropped.
#[derive(Debug)]
pub struct Progress {
    state: Arc<State>,
    /// Who draws, and what tells him that it is over; `None` where nothing is drawn.
    painter: Option<(Sender<()>, JoinHandle<()>)>,
}

/// What is drawn.
#[derive(Debug)]
struct State {
    what: Mutex<Cow<'static, str>>,
    done: AtomicU64,
    amount: Amount,
    began: Instant,
}

impl Progress {
    /// Of a job of so many bytes, on standard error.
    pub fn new(what: impl Into<Cow<'static, str>>, total_bytes: u64) -> Self {
        Self::on(Canvas::StandardError, what, Amount::Bytes(total_bytes))
    }

    /// Of a job that is one call, or of which nobody knows how long it is, on standard error.
    pub fn waiting(what: &'static str) -> Self {
        Self::on(Canvas::StandardError, what, Amount::Unknown)
    }

    /// Of a job.
    pub fn on(canvas: Canvas, what: impl Into<Cow<'static, str>>, amount: Amount) -> Self {
        Self::drawn_after(QUIET, canvas.target(), what.into(), amount)
    }

    fn drawn_after(
        quiet: Duration,
        target: Option<ProgressDrawTarget>,
        what: Cow<'static, str>,
        amount: Amount,
    ) -> Self {
        let (done, began) = (AtomicU64::new(0), Instant::now());
        let state = Arc::new(State { what: Mutex::new(what), done, amount, began });
        let painter = target.and_then(|target| {
            let (is_over, over) = channel();
            let state = Arc::clone(&state);
            let paint = move || state.paint(quiet, target, &over);
            // Without a thread there is no bar; that is no reason to fail.
            Some((is_over, thread::Builder::new().name("progress".to_owned()).spawn(paint).ok()?))
        });
        Self { state, painter }
    }

    /// So much more is done. Any thread.
    pub fn add(&self, amount: u64) {
        self.state.done.fetch_add(amount, Ordering::Relaxed);
    }

    /// So much is done in all, in another part of the job. Any thread.
    pub fn set(&self, what: String, amount: u64) {
        self.state.done.store(amount, Ordering::Relaxed);
        *self.state.what.lock().unwrap_or_else(PoisonError::into_inner) = what.into();
    }
}

impl State {
    /// Draws until it is over.
    fn paint(&self, quiet: Duration, target: ProgressDrawTarget, over: &Receiver<()>) {
        let goes_on = |wait: Duration| over.recv_timeout(wait) == Err(RecvTimeoutError::Timeout);
        if !goes_on(quiet) {
            return;
        }
        let bar = self.bar(target);
        loop {
            bar.set_prefix(self.what.lock().unwrap_or_else(PoisonError::into_inner).clone());
            bar.set_position(self.done.load(Ordering::Relaxed));
            bar.tick();
            if !goes_on(DRAWN_EVERY) {
                break;
            }
        }
        bar.finish_and_clear();
    }

    fn bar(&self, target: ProgressDrawTarget) -> ProgressBar {
        let (total, parts) = match self.amount {
            Amount::Bytes(total) => {
                (Some(total), "{prefix} [{bar:32}] {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left")
            }
            Amount::Shards(total) => {
                (Some(total), "{prefix} [{bar:32}] {pos} of {len} shards, {per_sec}, {eta} left")
            }
            Amount::Unknown => (None, "{prefix} {spinner} {elapsed}"),
        };
        let bar = ProgressBar::with_draw_target(total, target).with_elapsed(self.began.elapsed());
        if let Ok(style) = ProgressStyle::with_template(parts) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((is_over, painter)) = self.painter.take() {
            drop(is_over);
            // A painter that panicked has said so itself.
            let _ = painter.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;
    use std::io;

    /// A terminal that remembers what was written on it.
    #[derive(Clone, Debug, Default)]
    struct Paper(Arc<Mutex<String>>);

    impl TermLike for Paper {
        fn width(&self) -> u16 {
            120
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Paper {
        fn progress(&self, quiet: Duration, amount: Amount) -> Progress {
            let target = ProgressDrawTarget::term_like(Box::new(self.clone()));
            Progress::drawn_after(quiet, Some(target), "working".into(), amount)
        }

        /// Waits, far longer than it takes, until this is drawn.
        fn expect(&self, words: &str) {
            let began = Instant::now();
            while !self.0.lock().unwrap().contains(words) {
                assert!(began.elapsed() < Duration::from_secs(60), "no {words:?} in {:?}", self.0);
                thread::sleep(Duration::from_millis(2));
            }
        }
    }

    #[test]
    fn what_takes_long_is_drawn_also_while_nothing_comes_of_it() {
        for (amount, words) in [
            (Amount::Bytes(4 << 20), "0 B of 4.00 MiB"),
            (Amount::Shards(7), "0 of 7 shards"),
            (Amount::Unknown, "working"),
        ] {
            let paper = Paper::default();
            let progress = paper.progress(Duration::ZERO, amount);
            paper.expect(words);
            progress.add(3);
            match amount {
                Amount::Bytes(_) => paper.expect("3 B of"),
                Amount::Shards(_) => paper.expect("3 of 7"),
                Amount::Unknown => {}
            }
            progress.set("pass 2 of 2".to_owned(), 5);
            paper.expect("pass 2 of 2");
        }
    }

    #[test]
    fn what_is_over_before_leaves_the_terminal_alone() {
        let paper = Paper::default();
        let progress = paper.progress(Duration::from_secs(3600), Amount::Bytes(1));
        progress.add(1);
        drop(progress);
        assert_eq!(*paper.0.lock().unwrap(), "");
    }
}
