//! What each rank writes down about its scenarios, and what the launcher reads from it.
//!
//! The output of an MPI job is a mixture of all ranks' that may lack its end. A journal is a file of one rank; it tells
//! where every rank was when a launch was ended, and that a rank that ended well has run everything it should.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The journal of one rank, being written.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
}

/// How far a rank has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It has not begun its first scenario.
    Starting,
    /// It is in this scenario.
    Running(String),
    /// It is in no scenario, and is through with this many.
    Between(usize),
    /// It panicked; `what` is the message.
    Panicked { scenario: String, what: String },
    /// It is through with so many scenarios and has closed MPI.
    Done(usize),
}

/// A scenario that was not run on the rank, by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeftOut {
    pub(crate) scenario: String,
    pub(crate) why: String,
}

impl Journal {
    /// The journal of `rank` in the directory of journals.
    pub(crate) fn create(directory: &Path, rank: usize) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path(directory, rank))?;
        Ok(Self { file })
    }

    pub(crate) fn begins(&mut self, scenario: &str) {
        self.note("begins", scenario);
    }

    pub(crate) fn passed(&mut self, scenario: &str) {
        self.note("passed", scenario);
    }

    pub(crate) fn left_out(&mut self, scenario: &str, why: &str) {
        self.note("left_out", &format!("{scenario} {}", why.replace('\n', "\t")));
    }

    pub(crate) fn panicked(&mut self, what: &str) {
        self.note("panicked", &what.replace('\n', "\t"));
    }

    pub(crate) fn done(&mut self) {
        self.note("done", "");
    }

    fn note(&mut self, event: &str, what: &str) {
        // One write a line, so that a reader sees whole lines. A full disk shows in the launcher: lines are missing.
        let _ = self.file.write_all(format!("{event} {what}\n").as_bytes());
    }
}

impl Progress {
    /// What the journal of `rank` says, and how long ago it said so.
    pub(crate) fn of(directory: &Path, rank: usize) -> (Self, Duration) {
        let path = path(directory, rank);
        let written = fs::metadata(&path).and_then(|data| data.modified()).ok();
        let age = written.and_then(|time| SystemTime::now().duration_since(time).ok()).unwrap_or_default();
        (Self::in_text(&fs::read_to_string(&path).unwrap_or_default()), age)
    }

    fn in_text(text: &str) -> Self {
        let mut scenario = None;
        let mut passed_count = 0;
        for (event, what) in events(text) {
            match event {
                "begins" => scenario = Some(what.to_owned()),
                "passed" | "left_out" => (scenario, passed_count) = (None, passed_count + 1),
                "panicked" => {
                    let scenario = scenario.unwrap_or_else(|| "no scenario".into());
                    return Self::Panicked { scenario, what: what.replace('\t', "\n") };
                }
                _ => return Self::Done(passed_count),
            }
        }
        match scenario {
            Some(scenario) => Self::Running(scenario),
            None if passed_count > 0 => Self::Between(passed_count),
            None => Self::Starting,
        }
    }

    /// One line for a report.
    pub(crate) fn describe(&self, age: Duration) -> String {
        let seconds = age.as_secs_f64();
        match self {
            Self::Starting => "was starting".into(),
            Self::Running(scenario) => format!("was in {scenario} for {seconds:.1} s"),
            Self::Between(count) => {
                format!("was through with {count} and between scenarios, or ending, for {seconds:.1} s")
            }
            Self::Panicked { scenario, what } => {
                format!("panicked in {scenario}: {}", what.replace('\n', " / "))
            }
            Self::Done(count) => format!("was through with all its {count} scenarios"),
        }
    }
}

impl LeftOut {
    /// What the journal of `rank` says was not run.
    pub(crate) fn of(directory: &Path, rank: usize) -> Vec<Self> {
        Self::in_text(&fs::read_to_string(path(directory, rank)).unwrap_or_default())
    }

    fn in_text(text: &str) -> Vec<Self> {
        let left_out = events(text).filter(|(event, _)| *event == "left_out").map(|(_, what)| {
            let (scenario, why) = what.split_once(' ').unwrap_or((what, ""));
            Self { scenario: scenario.to_owned(), why: why.replace('\t', "\n") }
        });
        left_out.collect()
    }
}

/// The events of a journal, as far as they are whole lines, each with what it tells.
fn events(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    lines.map(|line| line.split_once(' ').unwrap_or((line, "")))
}

fn path(directory: &Path, rank: usize) -> PathBuf {
    directory.join(format!("rank-{rank}"))
}

#[cfg(test)]
mod tests {
    use super::{Journal, LeftOut, Progress};

    fn after(events: impl Fn(&mut Journal)) -> Progress {
        let directory = tempfile::tempdir().expect("a directory");
        events(&mut Journal::create(directory.path(), 3).expect("a journal"));
        Progress::of(directory.path(), 3).0
    }

    #[test]
    fn the_journal_says_where_the_rank_is() {
        assert_eq!(after(|_| ()), Progress::Starting);
        assert_eq!(after(|journal| journal.begins("one")), Progress::Running("one".into()));
        let one = |journal: &mut Journal| {
            journal.begins("one");
            journal.passed("one");
        };
        assert_eq!(after(one), Progress::Between(1));
        let two = |journal: &mut Journal| {
            one(journal);
            journal.begins("two");
        };
        assert_eq!(after(two), Progress::Running("two".into()));
        let all = |journal: &mut Journal| {
            one(journal);
            journal.done();
        };
        assert_eq!(after(all), Progress::Done(1));
    }

    #[test]
    fn a_panic_keeps_its_scenario_and_all_lines_of_its_message() {
        let panicked = |journal: &mut Journal| {
            journal.begins("one");
            journal.panicked("left: 1\nright: 2");
        };
        let expected = Progress::Panicked { scenario: "one".into(), what: "left: 1\nright: 2".into() };
        assert_eq!(after(panicked), expected);
    }

    #[test]
    fn what_was_not_run_is_told_and_behind_the_rank() {
        let text = "begins one\npassed one\nbegins two\nleft_out two no disk\there\ndone \nleft_out thr";
        let expected = LeftOut { scenario: "two".into(), why: "no disk\nhere".into() };
        assert_eq!(LeftOut::in_text(text), [expected]);
        assert_eq!(Progress::in_text(text), Progress::Done(2));
    }

    #[test]
    fn a_line_that_is_half_written_does_not_count() {
        assert_eq!(Progress::in_text("begins one\npas"), Progress::Running("one".into()));
        assert_eq!(Progress::in_text(""), Progress::Starting);
    }
}
