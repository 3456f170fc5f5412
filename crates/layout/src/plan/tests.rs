//! The search against brute force, and what it may cost.

use super::*;
use crate::model::DeviceModel;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use search::tests::by_force;
use section::Section;
use std::cell::Cell;

fn leg(problem: &Problem) -> Leg {
    Leg { shapes: problem.check().unwrap(), permutation: problem.permutation }
}

fn planner(problem: &Problem) -> Planner<'_> {
    Planner { problem, memory_elems: problem.memory_elems() }
}

/// Arrays of one dimension or two, on devices on which a second Max block gains nothing, something, or much.
fn small_problems() -> impl Strategy<Value = Problem> {
    let extents = prop::collection::vec((1u64..11, 1u64..8, 1u64..8), 1..=2);
    let operations_per_second = prop::sample::select(vec![1u64 << 10, 1 << 20, 1 << 30]);
    let steps_per_second = prop::sample::select(vec![1u64 << 12, 1 << 30]);
    let alone_percent = prop::sample::select(vec![0u64, 5, 50, 1000]);
    let device = (operations_per_second, steps_per_second, alone_percent).prop_map(
        |(operations_per_second, steps_per_second, alone_percent)| DeviceModel {
            operations_per_second,
            steps_per_second,
            alone_percent,
            page_bytes: 32,
            ..DeviceModel::default()
        },
    );
    (extents, 1u64..150, device, 0u64..2, any::<bool>()).prop_map(
        |(extents, memory_elems, device, write_blocks, turned)| {
            let of = |value: fn(&(u64, u64, u64)) -> u64| extents.iter().map(value).collect::<Vec<u64>>();
            let mut order: Vec<usize> = (0..extents.len()).collect();
            if turned {
                order.reverse();
            }
            let permutation = Permutation::new(&order).unwrap();
            Problem {
                permutation,
                memory_bytes: 8 * memory_elems,
                device,
                buffers: Buffers { max_blocks: 2, write_blocks },
                ..Problem::new(&of(|d| d.0), 8, &of(|d| d.1), &permutation.to_target(&of(|d| d.2)))
            }
        },
    )
}

/// The least seconds of a single pass with at most so many Max blocks.
fn seconds_by_force(problem: &Problem, max_blocks: u64) -> Option<f64> {
    let (leg, planner) = (leg(problem), planner(problem));
    let prices = planner.prices(&leg, Buffers { max_blocks, ..problem.buffers });
    let (shapes, memory_elems) = (&leg.shapes, planner.memory_elems);
    by_force(&Search { shapes, prices: &prices, memory_elems, exhaustive_max: EXHAUSTIVE_MAX })
}

#[test]
fn no_pass_with_one_max_block_or_with_two_is_cheaper_than_the_one_that_is_taken() {
    // How often the one or the other was cheaper.
    let cheaper = [const { Cell::new(0) }; 2];
    let mut runner = TestRunner::new_with_rng(
        Config { failure_persistence: None, ..Config::with_cases(300) },
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let ran = runner.run(&small_problems(), |problem| {
        let forced = [1, 2].map(|max_blocks| seconds_by_force(&problem, max_blocks));
        let [one, two] = forced.map(|seconds| seconds.unwrap_or(f64::INFINITY));
        let cheapest = one.min(two);
        cheaper[0].set(cheaper[0].get() + usize::from(one < two));
        cheaper[1].set(cheaper[1].get() + usize::from(two < one));
        let found =
            planner(&problem).single(&leg(&problem), Kind::Parts, Effort::All, &mut Budget::default());
        let seconds = found.as_ref().map_or(f64::INFINITY, |found| found.cost.seconds);
        prop_assert!(seconds.total_cmp(&cheapest).is_eq(), "{} instead of {:?}", seconds, forced);
        prop_assert!(found.is_none_or(|found| found.is_exhaustive));
        let Ok(plan) = plan(&problem) else {
            prop_assert!(one.is_infinite());
            return Ok(());
        };
        // Several passes may be cheaper still.
        prop_assert!(plan.seconds() <= cheapest);
        prop_assert!(plan.passes.len() > 1 || plan.seconds() >= cheapest);
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
    let cheaper = cheaper.map(Cell::into_inner);
    assert!(cheaper[0] >= 10 && cheaper[1] >= 10, "{cheaper:?}");
}

/// The least seconds of two passes, through bricks of any shape.
fn seconds_of_two(problem: &Problem) -> f64 {
    let (whole, planner) = (leg(problem), planner(problem));
    let single = |leg: &Leg| {
        let found = planner.single(leg, Kind::Parts, Effort::All, &mut Budget::default());
        found.map_or(f64::INFINITY, |found| found.cost.seconds)
    };
    let through = |between: Shape| {
        let permutation = Permutation::identity(between.len());
        let first = single(&Leg { shapes: whole.shapes.with_target(between), permutation });
        first + single(&Leg { shapes: whole.shapes.with_source(between), ..whole })
    };
    let bricks = Section::whole(&problem.dims).unwrap();
    let shapes = bricks.indices().map(|at| Shape::from_fn(at.len(), |d| at[d] + 1));
    shapes.map(through).fold(f64::INFINITY, f64::min)
}

/// Rows to columns, thin ones, with memory for a few, on devices on which it is their number that counts.
fn problems_of_several_passes() -> impl Strategy<Value = Problem> {
    let device = prop::sample::select(vec![1u64 << 4, 1 << 10, 1 << 16]).prop_map(|operations_per_second| {
        DeviceModel { operations_per_second, page_bytes: 32, ..DeviceModel::default() }
    });
    let extents = (12u64..25, 12u64..25);
    (extents, 1u64..3, 1u64..3, 2u64..5, device, any::<bool>()).prop_map(
        |((rows, columns), high, wide, bricks, device, turned)| {
            let permutation = Permutation::new(if turned { &[1, 0] } else { &[0, 1] }).unwrap();
            Problem {
                permutation,
                memory_bytes: 8 * bricks * rows.max(columns),
                device,
                ..Problem::new(&[rows, columns], 8, &[high, columns], &permutation.to_target(&[rows, wide]))
            }
        },
    )
}

#[test]
fn two_passes_through_whatever_bricks_are_seldom_cheaper_than_the_plan_and_by_a_quarter_at_most() {
    let (cheaper, several) = (Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new_with_rng(
        Config { failure_persistence: None, ..Config::with_cases(40) },
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let ran = runner.run(&problems_of_several_passes(), |problem| {
        let (plan, two) = (plan(&problem).unwrap(), seconds_of_two(&problem));
        prop_assert!(plan.seconds() <= 1.25 * two, "{} s for {}", two, plan);
        cheaper.set(cheaper.get() + usize::from(two < plan.seconds()));
        several.set(several.get() + usize::from(plan.passes.len() > 1));
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
    let (cheaper, several) = (cheaper.into_inner(), several.into_inner());
    assert!(cheaper <= 8 && several >= 15, "{cheaper} are cheaper, {several} plans have several passes");
}

/// Seven dimensions, and less memory than a brick.
fn large_problem() -> Problem {
    Problem {
        permutation: Permutation::new(&[3, 0, 1, 6, 2, 5, 4]).unwrap(),
        memory_bytes: 1 << 20,
        ranks: 6,
        io_processes: 6,
        ..Problem::new(&[50, 60, 50, 50, 60, 50, 50], 8, &[10, 12, 7, 5, 9, 10, 3], &[4, 5, 6, 50, 3, 20, 11])
    }
}

#[test]
fn a_kind_of_plan_that_looks_at_much_leaves_enough_to_those_after_it() {
    let problem = large_problem();
    let examined = |kind| {
        let mut budget = Budget::default();
        planner(&problem).passes(&leg(&problem), kind, &mut budget);
        budget.examined
    };
    let candidates_max = examined(Kind::Paper) + examined(Kind::WholeBricks);
    let found = plan_within(&problem, candidates_max).expect("parts of bricks always fit");
    assert!(found.candidates_examined <= candidates_max);
}

#[test]
fn no_kind_of_plan_looks_at_more_candidates_than_it_may() {
    let problem = large_problem();
    for kind in [Kind::Paper, Kind::WholeBricks, Kind::Parts] {
        for examined_max in (0..20).map(|log| 1 << log).chain([0, 7_000, 25_000]) {
            let look = || {
                let mut budget = Budget::new(examined_max);
                let solved = planner(&problem).passes(&leg(&problem), kind, &mut budget);
                (solved.as_deref().map(seconds), budget.examined)
            };
            let (seconds, examined) = look();
            assert!(examined <= examined_max, "{kind}: {examined} of {examined_max}");
            assert_eq!(look(), (seconds, examined), "the same every time");
            // What was found before all was spent is not lost; whole bricks do not fit.
            assert!(seconds.is_some() || kind != Kind::Parts || examined_max < 100, "{examined_max}");
        }
    }
}
