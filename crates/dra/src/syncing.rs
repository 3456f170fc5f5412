//! Making durable what was written, while the program does something else.

use crate::caught::caught;
use crate::context::Context;
use crate::error::Result;
use comm::Operation;
use std::fmt;
use std::thread::{self, JoinHandle};

/// What [`DiskArray::start_sync`](crate::DiskArray::start_sync) has started. Dropping it waits on this rank.
#[derive(Debug)]
pub struct Syncing {
    context: Context,
    mine: Mine,
}

/// How far this rank is.
enum Mine {
    UnderWay(JoinHandle<Result<()>>),
    Done(Result<()>),
    /// All ranks know.
    Told,
}

impl fmt::Debug for Mine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnderWay(_) => "under way",
            Self::Done(_) => "done",
            Self::Told => "told",
        })
    }
}

impl Syncing {
    /// Does `work` in a thread, or at once where there can be none.
    pub(crate) fn start(context: &Context, work: impl Fn() -> Result<()> + Clone + Send + 'static) -> Self {
        let here = work.clone();
        let started = thread::Builder::new().name("chemio-sync".to_owned()).spawn(move || caught(work));
        let mine = started.map_or_else(|_| Mine::Done(caught(here)), Mine::UnderWay);
        Self { context: context.clone(), mine }
    }

    /// Waits until all is durable on all ranks. Collective; once, or again after a [`probe`](Self::probe) that said no.
    ///
    /// # Errors
    /// The same on every rank: [`Error::OnRank`](crate::Error::OnRank) with what the device says,
    /// [`Error::Comm`](crate::Error::Comm).
    pub fn wait(&mut self) -> Result<()> {
        let mine = match std::mem::replace(&mut self.mine, Mine::Told) {
            Mine::UnderWay(thread) => joined(thread),
            Mine::Done(outcome) => outcome,
            Mine::Told => Ok(()),
        };
        self.context.agree(mine)
    }

    /// Whether all is durable on all ranks, without waiting for it. Collective. Errors as from [`wait`](Self::wait).
    ///
    /// # Errors
    /// As of [`wait`](Self::wait).
    pub fn probe(&mut self) -> Result<bool> {
        let is_done = !matches!(&self.mine, Mine::UnderWay(thread) if !thread.is_finished());
        let mut done = [i64::from(is_done)];
        self.context.comm().all_reduce(&mut done, Operation::Min)?;
        if done[0] == 0 {
            return Ok(false);
        }
        self.wait().map(|()| true)
    }
}

impl Drop for Syncing {
    fn drop(&mut self) {
        if let Mine::UnderWay(thread) = std::mem::replace(&mut self.mine, Mine::Told)
            && let Err(error) = joined(thread)
        {
            tracing::debug!(%error, "what nobody waited for is not durable");
        }
    }
}

/// Panics have been caught in the thread.
fn joined(thread: JoinHandle<Result<()>>) -> Result<()> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
