//! Being the launcher: every launch in turn, and a report.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::launch::{Launch, Outcome};
use crate::layout::Layout;
use crate::mpi::Mpi;
use crate::options::Options;
use crate::report::{Report, Row, suite_name};
use crate::scenario::Needs;
use crate::seed;
use crate::suite::Shape;
use crate::variant::Variant;

/// The status of a wrong command line, as clap has it.
const WRONG_USE: u8 = 2;

/// What is to be launched.
struct Planned<'a> {
    variant: &'a Variant,
    layout: Layout,
    scenarios: Vec<&'static str>,
}

/// Runs all launches that are asked for, and gives the status of the whole.
pub(crate) fn run(shape: &Shape, options: &Options, needs: &[&Needs]) -> ExitCode {
    if options.list {
        return list(options, needs);
    }
    let variants = match options.variants(shape) {
        Ok(variants) => variants,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(WRONG_USE);
        }
    };
    let plan = plan(&variants, &options.layouts(shape), options, needs);
    let mut report = Report::new(options.quiet);
    let suite = suite_name();
    if plan.is_empty() {
        return report.finish(&suite);
    }
    match Mpi::linked() {
        Ok(mpi) => {
            run_all(&plan, &mpi, shape, options, &mut report);
            report.finish(&format!("{suite}, {mpi}"))
        }
        Err(why) => {
            report.not_run(&"all of it", &why);
            report.finish(&suite)
        }
    }
}

fn run_all(plan: &[Planned<'_>], mpi: &Mpi, shape: &Shape, options: &Options, report: &mut Report) {
    let seed = options.seed.or_else(seed::given).unwrap_or_else(|| fastrand::u64(..));
    let time_limit = options.timeout.map_or(shape.time_limit, Duration::from_secs);
    for Planned { variant, layout, scenarios } in plan {
        let row = Row { variant: variant.name(), layout: *layout, scenarios_count: scenarios.len(), seed };
        let began = Instant::now();
        let (layout, shows_output) = (*layout, options.nocapture);
        let launch = Launch { mpi, variant, layout, scenarios, seed, time_limit, shows_output };
        let outcome = launch.run().and_then(|outcome| match outcome {
            // A job that MPI's launcher did not bring about says nothing of the scenarios: once more, and told.
            Outcome::Failed(failure) if failure.unstarted => {
                println!("begun again: {}: {}", row.variant, failure.verdict);
                launch.run()
            }
            other => Ok(other),
        });
        match outcome {
            Ok(Outcome::Passed(left_out)) => report.passed(&row, &left_out, began.elapsed()),
            Ok(Outcome::Failed(failure)) => report.failed(&row, &failure),
            Err(why) => report.not_run(&row, &why),
        }
    }
}

/// Every variant in every layout, where there is something to run.
fn plan<'a>(
    variants: &[&'a Variant],
    layouts: &[Layout],
    options: &Options,
    needs: &[&Needs],
) -> Vec<Planned<'a>> {
    let mut plan = Vec::new();
    for variant in variants {
        for layout in layouts.iter().filter(|layout| variant.runs_on(layout.hosts_count)) {
            let scenarios = options.names_for(needs, *layout);
            plan.push(Planned { variant, layout: *layout, scenarios });
        }
    }
    plan.retain(|planned| !planned.scenarios.is_empty());
    plan
}

/// Prints the names as other test binaries do.
fn list(options: &Options, needs: &[&Needs]) -> ExitCode {
    for needs in needs.iter().filter(|needs| options.wants(needs.name)) {
        println!("{}: test", needs.name);
    }
    ExitCode::SUCCESS
}
