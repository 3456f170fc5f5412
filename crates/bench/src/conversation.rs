//! A process that is asked for one thing at a time: a command a line on its standard input, an answer a line on its standard
//! output, in JSON; `{"error": "..."}` is a failure.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{BenchError, step};

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Reply<A> {
    Failure { error: String },
    Success(A),
}

/// A running process. Dropping it ends its input and waits until it has ended.
#[derive(Debug)]
pub(crate) struct Conversation {
    who: String,
    child: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    asked: String,
}

impl Conversation {
    /// Starts `command`; `who` is named in errors.
    pub(crate) fn start(who: String, command: &mut Command) -> Result<Self, BenchError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(step("starting", command.get_program()))?;
        let commands = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("standard output is a pipe"));
        Ok(Self { who, child, commands, answers, asked: String::new() })
    }

    /// Sends a command and waits for its answer.
    pub(crate) fn ask<A: DeserializeOwned>(&mut self, command: &str) -> Result<A, BenchError> {
        self.send(command)?;
        self.answer()
    }

    /// Sends a command; several processes that were sent one work at the same time.
    pub(crate) fn send(&mut self, command: &str) -> Result<(), BenchError> {
        command.clone_into(&mut self.asked);
        let mut commands = self.commands.as_ref().expect("open until the process is dropped");
        writeln!(commands, "{command}").map_err(|error| self.failure(error.to_string()))
    }

    /// Waits for the answer to what was sent.
    pub(crate) fn answer<A: DeserializeOwned>(&mut self) -> Result<A, BenchError> {
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
        BenchError::Driver { who: self.who.clone(), command: self.asked.clone(), message }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.commands = None;
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use serde::Deserialize;

    use super::{Conversation, Reply};

    /// An answer with nothing in it that has to be there.
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Anything {
        seconds: f64,
    }

    #[test]
    fn a_driver_that_ends_without_an_answer_is_a_failure_that_names_the_command() {
        let mut driver =
            Conversation::start("ours".into(), &mut Command::new("true")).expect("true is on every PATH");
        let error = driver.ask::<Anything>("write").expect_err("true does not answer").to_string();
        assert!(error.starts_with("ours, `write`: "), "{error}");
    }

    #[test]
    fn a_driver_that_answers_by_an_echo_is_a_failure_that_quotes_it() {
        let mut driver =
            Conversation::start("ours".into(), &mut Command::new("cat")).expect("cat is on every PATH");
        let error = driver.ask::<Anything>("write").expect_err("an echo is no answer").to_string();
        assert!(error.contains("not an answer: write"), "{error}");
        let answer: Anything = driver.ask(r#"{"seconds": 2.0}"#).expect("an echo of JSON is an answer");
        assert!((answer.seconds - 2.0).abs() < 1e-9);
    }

    #[test]
    fn an_error_line_is_a_failure_and_an_empty_object_is_not() {
        let reply = |text| serde_json::from_str::<Reply<Anything>>(text);
        assert!(matches!(reply(r#"{"error": "wrong data"}"#), Ok(Reply::Failure { .. })));
        assert!(matches!(reply("{}"), Ok(Reply::Success(_))));
    }
}
