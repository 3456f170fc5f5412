//! A driver process (drivers/driver.c says what it understands) and the conversation with it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;

use crate::engine::Engine;
use crate::error::{BenchError, step};
use crate::workload::Workload;

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

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Reply {
    Failure { error: String },
    Success(Answer),
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
pub(crate) struct Driver {
    engine: Engine,
    child: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    asked: String,
}

impl Driver {
    /// Starts `executable` for `workload` on `file`.
    pub(crate) fn start(
        (engine, executable): (Engine, &Path),
        workload: &Workload,
        file: &Path,
        content: Content,
    ) -> Result<Self, BenchError> {
        let mut child = Command::new(executable)
            .arg(file)
            .args([workload.size_bytes, workload.chunk_bytes].map(|bytes| bytes.to_string()))
            .args([workload.order.to_string(), workload.mode.window().to_string(), content.seed.to_string()])
            .arg(if content.check_fully { "full" } else { "samples" })
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(step("starting", executable))?;
        let commands = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("standard output is a pipe"));
        Ok(Self { engine, child, commands, answers, asked: String::new() })
    }

    /// Sends a command and waits for its answer.
    pub(crate) fn ask(&mut self, command: &str) -> Result<Answer, BenchError> {
        self.send(command)?;
        self.answer()
    }

    /// Sends a command; several drivers that were sent one work at the same time.
    pub(crate) fn send(&mut self, command: &str) -> Result<(), BenchError> {
        command.clone_into(&mut self.asked);
        let mut commands = self.commands.as_ref().expect("open until the driver is dropped");
        writeln!(commands, "{command}").map_err(|error| self.failure(error.to_string()))
    }

    /// Waits for the answer to what was sent.
    pub(crate) fn answer(&mut self) -> Result<Answer, BenchError> {
        let mut line = String::new();
        let read = self.answers.read_line(&mut line);
        match read.map(|_| serde_json::from_str(&line)) {
            Ok(Ok(Reply::Success(answer))) => Ok(answer),
            Ok(Ok(Reply::Failure { error })) => Err(self.failure(error)),
            Ok(Err(_)) if line.is_empty() => Err(self.failure("the driver ended without an answer".into())),
            Ok(Err(_)) => Err(self.failure(format!("not an answer: {line}"))),
            Err(error) => Err(self.failure(error.to_string())),
        }
    }

    fn failure(&self, message: String) -> BenchError {
        BenchError::Driver { engine: self.engine, command: self.asked.clone(), message }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.commands = None;
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Content, Driver, Reply};
    use crate::engine::Engine;
    use crate::workload::{Mode, Order, Workload};

    #[test]
    fn a_driver_that_ends_without_an_answer_is_a_failure_that_names_the_command() {
        let load = Workload { size_bytes: 8, chunk_bytes: 8, order: Order::Random, mode: Mode::Blocking };
        let content = Content { seed: 1, check_fully: true };
        let mut driver = Driver::start((Engine::Ours, Path::new("true")), &load, Path::new("x"), content)
            .expect("true is on every PATH");
        let error = driver.ask("write").expect_err("true does not answer").to_string();
        assert!(error.starts_with("ours, `write`: "), "{error}");
    }

    #[test]
    fn an_error_line_is_a_failure_and_an_empty_object_is_not() {
        assert!(matches!(serde_json::from_str(r#"{"error": "wrong data"}"#), Ok(Reply::Failure { .. })));
        assert!(matches!(serde_json::from_str("{}"), Ok(Reply::Success(_))));
    }
}
