//! A driver process (drivers/eaf/driver.c says what it understands) and the conversation with it.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::conversation::Conversation;
use crate::eaf::engine::Engine;
use crate::eaf::workload::Workload;
use crate::error::BenchError;

/// What a driver answers; which fields are there depends on the command.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Answer {
    /// Until the file was closed, or the computing was over.
    pub(crate) seconds: f64,
    /// Until the file was on disk.
    pub(crate) disk_seconds: f64,
    /// The part of the file that was in the page cache before, 0 to 1.
    pub(crate) resident: f64,
}

/// How a driver fills and checks its file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content {
    /// Of the data and of the random order.
    pub(crate) seed: u64,
    /// Compare every byte inside the timed part (then the times mean nothing).
    pub(crate) check_fully: bool,
}

/// A running driver. Dropping it ends the process.
#[derive(Debug)]
pub(crate) struct Driver(Conversation);

impl Driver {
    /// Starts `executable` for `workload` on `file`.
    pub(crate) fn start(
        (engine, executable): (Engine, &Path),
        workload: &Workload,
        file: &Path,
        content: Content,
    ) -> Result<Self, BenchError> {
        let mut command = Command::new(executable);
        command
            .arg(file)
            .args([workload.size_bytes, workload.chunk_bytes].map(|bytes| bytes.to_string()))
            .args([workload.order.to_string(), workload.mode.window().to_string(), content.seed.to_string()])
            .arg(if content.check_fully { "full" } else { "samples" });
        Conversation::start(engine.to_string(), &mut command).map(Self)
    }

    /// Sends a command and waits for its answer.
    pub(crate) fn ask(&mut self, command: &str) -> Result<Answer, BenchError> {
        self.0.ask(command)
    }

    /// Sends a command; several drivers that were sent one work at the same time.
    pub(crate) fn send(&mut self, command: &str) -> Result<(), BenchError> {
        self.0.send(command)
    }

    /// Waits for the answer to what was sent.
    pub(crate) fn answer(&mut self) -> Result<Answer, BenchError> {
        self.0.answer()
    }
}
