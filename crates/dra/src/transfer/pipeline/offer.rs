//! First steps of parts that threads which wait for transfers may take, beside the one that moves the pipeline along.

use super::start::{Room, Start, Started};
use crate::caught::caught;
use crate::error::Result;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A first step that whoever comes first takes: a thread that waits, or the pipeline when it has nothing else to do.
#[derive(Debug)]
pub(in crate::transfer) struct Offer {
    has_buffer: bool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
enum State {
    Open(Box<Start>),
    Taken,
    Done(Result<Started>),
    /// The pipeline has the outcome, or does not want it any more.
    Gone,
}

impl Offer {
    pub(super) fn new(start: Start) -> Self {
        let has_buffer = matches!(start.room, Room::Buffer(_));
        Self { has_buffer, state: Mutex::new(State::Open(Box::new(start))), changed: Condvar::new() }
    }

    /// Whether the parts have one of the buffers.
    pub(super) fn has_buffer(&self) -> bool {
        self.has_buffer
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nobody has taken it.
    pub(in crate::transfer) fn is_open(&self) -> bool {
        matches!(*self.state(), State::Open(_))
    }

    /// Takes the step on this thread, if nobody has.
    pub(in crate::transfer) fn take(&self) {
        let mut state = self.state();
        let start = match std::mem::replace(&mut *state, State::Taken) {
            State::Open(start) => start,
            other => {
                *state = other;
                return;
            }
        };
        drop(state);
        let outcome = caught(|| start.run());
        *self.state() = State::Done(outcome);
        self.changed.notify_all();
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(*self.state(), State::Done(_))
    }

    /// What has come of it; takes the step here if nobody has, and waits for who has.
    pub(super) fn finish(&self) -> Result<Started> {
        self.take();
        match self.settle() {
            State::Done(outcome) => outcome,
            other => unreachable!("it was taken once and is asked for once: {other:?}"),
        }
    }

    /// Nobody takes the step any more; waits for who has begun.
    pub(super) fn withdraw(&self) {
        drop(self.settle());
    }

    fn settle(&self) -> State {
        let is_taken = |state: &mut State| matches!(state, State::Taken);
        let mut state =
            self.changed.wait_while(self.state(), is_taken).unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *state, State::Gone)
    }
}
