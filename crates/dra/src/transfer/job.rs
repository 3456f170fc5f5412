//! One transfer of one rank.

use super::{Direction, Mapping};
use crate::array::{OpenArray, memory_error};
use crate::error::{Error, Result};
use crate::in_memory::{ArrayInMemory, MemoryError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What decides how a transfer is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub(crate) direction: Direction,
    /// Whether it is done by the thread that waits.
    pub(crate) by_caller: bool,
    /// Whether no brick of this rank's that is written had data when no rank had begun.
    pub(crate) onto_nothing: bool,
}

/// What a rank has to do for a transfer, and how far it is.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) array: Arc<OpenArray>,
    pub(super) mapping: Mapping,
    pub(super) how: How,
    /// How much all ranks together read by this transfer and by those that were under way when it was issued.
    pub(super) reading_bytes: u64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Until it is done.
    memory: Option<Arc<dyn ArrayInMemory>>,
    parts_in_flight: u64,
    all_started: bool,
    error: Option<Error>,
    /// Whether somebody was told the error.
    told: bool,
    done: bool,
}

impl Job {
    pub(crate) fn new(
        array: &Arc<OpenArray>,
        memory: &Arc<dyn ArrayInMemory>,
        mapping: &Mapping,
        how: How,
    ) -> Self {
        Self {
            array: Arc::clone(array),
            mapping: *mapping,
            how,
            reading_bytes: 0,
            state: Mutex::new(State {
                memory: Some(Arc::clone(memory)),
                parts_in_flight: 0,
                all_started: false,
                error: None,
                told: false,
                done: false,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How much all ranks together read.
    pub(super) fn bytes_to_memory(&self) -> u64 {
        match self.how.direction {
            Direction::ToMemory => {
                self.mapping.on_disk().len() * self.array.directory.metadata().data_type.bytes()
            }
            Direction::ToDisk => 0,
        }
    }

    /// The array in memory.
    ///
    /// # Panics
    /// When the job is done.
    pub(super) fn memory(&self) -> Arc<dyn ArrayInMemory> {
        self.state().memory.clone().expect("a job under way has its array")
    }

    pub(super) fn part_started(&self) {
        self.state().parts_in_flight += 1;
    }

    pub(super) fn parts_finished(&self, count: usize, outcome: Result<()>) {
        let mut state = self.state();
        state.parts_in_flight -= count as u64;
        if let Err(error) = outcome {
            state.error.get_or_insert(error);
        }
    }

    /// No more parts will be started.
    pub(super) fn all_started(&self, error: Option<Error>) {
        let mut state = self.state();
        state.all_started = true;
        if let Some(error) = error {
            state.error.get_or_insert(error);
        }
    }

    /// Something went wrong before it was begun.
    pub(crate) fn fail(&self, error: Error) {
        self.state().error.get_or_insert(error);
    }

    /// Whether something went wrong, so that nothing more should be started.
    pub(super) fn has_failed(&self) -> bool {
        self.state().error.is_some()
    }

    /// Whether the last part has finished.
    pub(super) fn is_finished(&self) -> bool {
        let state = self.state();
        state.all_started && state.parts_in_flight == 0
    }

    /// The array in memory, for someone to drop who may call MPI.
    pub(super) fn take_memory(&self) -> Option<Arc<dyn ArrayInMemory>> {
        self.state().memory.take()
    }

    /// Nothing more will come of it: the pipeline has given up its parts.
    pub(super) fn give_up(&self, error: Error) {
        let mut state = self.state();
        state.error.get_or_insert(error);
        (state.parts_in_flight, state.all_started) = (0, true);
    }

    pub(super) fn finish(&self) {
        self.state().done = true;
    }

    pub(crate) fn is_done(&self) -> bool {
        self.state().done
    }

    /// What went wrong on this rank. Who asks tells it.
    pub(crate) fn outcome(&self) -> Result<()> {
        let mut state = self.state();
        state.told = true;
        match &state.error {
            Some(error) => Err(Error::Caller { code: error.code(), message: error.to_string() }),
            None => Ok(()),
        }
    }

    /// Whether it is done and there is nothing left to tell.
    pub(crate) fn is_settled(&self) -> bool {
        let state = self.state();
        state.done && (state.error.is_none() || state.told)
    }

    pub(crate) fn direction(&self) -> Direction {
        self.how.direction
    }

    /// The array in memory has failed.
    pub(super) fn memory_error(&self, error: &MemoryError) -> Error {
        memory_error(self.array.directory.path(), &self.memory().name(), error)
    }
}
