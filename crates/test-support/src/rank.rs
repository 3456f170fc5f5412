//! Being a rank: the chosen scenarios in turn, and a loud end if one panics.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::path::PathBuf;
use std::process::{self, ExitCode};
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};
use rustix::system::uname;

use crate::environment::{JOURNALS, NOT_RUN_STATUS, Place, hosts_count, take_not_run};
use crate::journal::Journal;
use crate::layout::Layout;
use crate::options::Options;
use crate::processes::LaunchId;
use crate::scenario::Scenario;
use crate::seed;
use crate::suite::Calls;

/// The status of a rank that panicked.
const PANICKED: i32 = 101;

thread_local! {
    /// What the latest panic of this thread said.
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs all chosen scenarios on this rank. Collective.
pub(crate) fn run<C>(
    calls: &Calls<C>,
    options: &Options,
    scenarios: &[Scenario<C>],
    place: Place,
) -> ExitCode {
    end_with_the_launcher();
    options.seed.inspect(|chosen| seed::choose(*chosen));
    panic::set_hook(Box::new(move |info| report(info, place)));
    let mut rank = Rank { place, journal: journal(place), abort: None, left_out: false };
    let context = rank.attempt(calls.start);
    rank.abort = calls.abort;
    if let Some(asked) = calls.place {
        rank.attempt(|| compare(place, asked(&context)));
    }
    for scenario in scenarios.iter().filter(|scenario| chosen(options, scenario, place)) {
        rank.run(scenario, calls, &context);
    }
    rank.attempt(|| drop(context));
    rank.note(Journal::done);
    // The launcher reads what was not run; where there is none the status tells it.
    if rank.left_out && rank.journal.is_none() { ExitCode::from(NOT_RUN_STATUS) } else { ExitCode::SUCCESS }
}

struct Rank {
    place: Place,
    /// None if started by hand.
    journal: Option<Journal>,
    /// Set when MPI is initialised.
    abort: Option<fn(i32)>,
    /// Something was not run.
    left_out: bool,
}

impl Rank {
    fn run<C>(&mut self, scenario: &Scenario<C>, calls: &Calls<C>, context: &C) {
        let name = scenario.needs.name;
        if self.place.rank == 0 {
            println!("-- {name}");
        }
        self.note(|journal| journal.begins(name));
        self.attempt(|| {
            (scenario.run)(context);
            calls.barrier.inspect(|barrier| barrier(context));
        });
        let not_run = take_not_run();
        self.left_out |= not_run.is_some();
        self.note(|journal| match not_run {
            None => journal.passed(name),
            Some(why) => journal.left_out(name, &why),
        });
    }

    /// Calls `step`; a panic is noted and ends the whole job.
    fn attempt<T>(&mut self, step: impl FnOnce() -> T) -> T {
        panic::catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|_| {
            let message = MESSAGE.take();
            self.note(|journal| journal.panicked(&message));
            self.end_the_job()
        })
    }

    fn end_the_job(&self) -> ! {
        thread::spawn(|| {
            // What MPI does when it is aborted, or what a library does at exit, may wait for ranks that do not answer.
            thread::sleep(Duration::from_secs(3));
            end_now()
        });
        if let Some(abort) = self.abort {
            abort(PANICKED);
        }
        process::exit(PANICKED)
    }

    fn note(&mut self, event: impl FnOnce(&mut Journal)) {
        self.journal.as_mut().map(event);
    }
}

fn journal(place: Place) -> Option<Journal> {
    let directory = PathBuf::from(std::env::var_os(JOURNALS)?);
    let journal = Journal::create(&directory, place.rank);
    Some(journal.unwrap_or_else(|error| panic!("a journal in {}: {error}", directory.display())))
}

fn chosen<C>(options: &Options, scenario: &Scenario<C>, place: Place) -> bool {
    let hosts_count = hosts_count();
    let layout = Layout { hosts_count, ranks_per_host: place.ranks_count / hosts_count };
    scenario.needs.met_by(layout) && options.wants(scenario.needs.name)
}

fn compare(told: Place, (rank, ranks_count): (usize, usize)) {
    let found = Place { rank, ranks_count };
    assert_eq!(found, told, "MPI and its launcher disagree: is this the launcher of another MPI?");
}

/// The panic hook: one write, because the output of all ranks is mixed.
fn report(info: &PanicHookInfo<'_>, place: Place) {
    let what = message(info);
    let location = info.location().map(|location| format!(" at {location}")).unwrap_or_default();
    let host = uname().nodename().to_string_lossy().into_owned();
    let backtrace = Backtrace::capture();
    let backtrace = match backtrace.status() {
        BacktraceStatus::Captured => format!("\n{backtrace}"),
        _ => String::new(),
    };
    eprint!(
        "rank {} of {} on {host} panicked{location}:\n{what}{backtrace}\n",
        place.rank, place.ranks_count
    );
    MESSAGE.set(format!("{what}{location}"));
}

fn message<'a>(info: &'a PanicHookInfo<'_>) -> &'a str {
    let payload = info.payload();
    let literal = payload.downcast_ref::<&str>().copied();
    literal.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no message)")
}

/// Sees to it that this rank ends when its launch's `cargo test` or its own parent is gone: nobody would end it then.
fn end_with_the_launcher() {
    let Some(launch) = LaunchId::ours() else { return };
    let parent = std::os::unix::process::parent_id();
    thread::spawn(move || {
        while launch.launcher_lives() && std::os::unix::process::parent_id() == parent {
            thread::sleep(Duration::from_millis(200));
        }
        end_now()
    });
}

/// Ends this process without any of what libraries do at exit.
fn end_now() -> ! {
    let _ = kill_process(getpid(), Signal::KILL);
    process::abort()
}
