//! Transfers under way.

use crate::array::{complete, meet, see_others};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::in_memory::{ArrayInMemory, Meeting};
use crate::transfer::Direction;
use crate::transfer::job::Job;
use comm::Operation;
use std::sync::Arc;

/// A transfer. It may be dropped without waiting: then it goes on, and [`DiskArray::close`](crate::DiskArray::close) waits.
#[derive(Debug)]
pub struct Request {
    context: Context,
    job: Arc<Job>,
    /// Until the outcome is known.
    memory: Option<Arc<dyn ArrayInMemory>>,
    /// How ranks wait for each other until all have done their part.
    meeting: Option<Meeting>,
    outcome: Option<std::result::Result<(), Failed>>,
}

/// An outcome that can be told again and again.
#[derive(Clone, Debug)]
enum Failed {
    OnRank { rank: usize, code: i32, message: String },
    Comm(comm::Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        match error {
            Error::OnRank { rank, code, message } => Self::OnRank { rank, code, message },
            Error::Comm(error) => Self::Comm(error),
            other => unreachable!("ranks agree on no error but these: {other}"),
        }
    }
}

impl From<Failed> for Error {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::OnRank { rank, code, message } => Self::OnRank { rank, code, message },
            Failed::Comm(error) => Self::Comm(error),
        }
    }
}

impl Request {
    pub(crate) fn new(
        context: &Context,
        job: Arc<Job>,
        memory: &Arc<dyn ArrayInMemory>,
        meeting: Option<Meeting>,
    ) -> Self {
        Self { context: context.clone(), job, memory: Some(Arc::clone(memory)), meeting, outcome: None }
    }

    /// Waits until the transfer is complete on all ranks. Collective; may be repeated. What was written can be read, by any
    /// rank; it is on the device after [`DiskArray::close`](crate::DiskArray::close).
    ///
    /// # Errors
    /// The same on every rank, every time:
    /// - [`Error::OnRank`]: what went wrong on a rank. Elements may have been transferred or not.
    /// - [`Error::Comm`]: the ranks could not talk to each other.
    pub fn wait(&mut self) -> Result<()> {
        if self.outcome.is_none() {
            let _span = tracing::trace_span!("wait for a transfer").entered();
            self.context.engine().wait(&self.job);
            if self.meeting.is_none() {
                // An error shows again below.
                let _ = self.context.comm().patient_barrier();
            }
            self.finish(self.meet());
        }
        match &self.outcome {
            Some(Err(failed)) => Err(failed.clone().into()),
            _ => Ok(()),
        }
    }

    /// Whether the transfer is complete on all ranks, without waiting for it. Collective. Its errors come from
    /// [`wait`](Self::wait).
    ///
    /// # Errors
    /// - [`Error::Comm`]: the ranks could not talk to each other.
    pub fn probe(&mut self) -> Result<bool> {
        if self.outcome.is_some() {
            return Ok(true);
        }
        let mut done = [i64::from(self.context.engine().probe(&self.job))];
        let met = self.meet();
        self.context.comm().all_reduce(&mut done, Operation::Min)?;
        if done[0] == 0 {
            return Ok(false);
        }
        self.finish(met);
        Ok(true)
    }

    /// Where ranks need each other for their parts: waits until none has anything under way.
    fn meet(&self) -> Result<()> {
        self.meeting.map_or(Ok(()), |meeting| meet(meeting, self.job.array.directory.path()))
    }

    /// Tells all ranks how it went, when all have done their part.
    fn finish(&mut self, met: Result<()>) {
        let outcome = match self.memory.take() {
            Some(memory) if self.job.direction() == Direction::ToMemory => self.finish_reading(&*memory, met),
            _ => self.context.agree(self.job.outcome().and(met)),
        };
        self.outcome = Some(outcome.map_err(Failed::from));
    }

    /// Lets every rank see what all have read, if none has failed.
    fn finish_reading(&self, memory: &dyn ArrayInMemory, met: Result<()>) -> Result<()> {
        let path = self.job.array.directory.path();
        let completed = complete(memory, path);
        self.context.agree(self.job.outcome().and(met).and(completed))?;
        self.context.agree(see_others(memory, path))
    }
}
