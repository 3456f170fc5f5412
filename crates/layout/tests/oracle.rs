//! Plans are carried out in memory, element by element: every element is read where the plan says, is in memory when it is
//! needed, and is written exactly once; memory stays within the plan's bound, and volume, operations and steps are those that
//! the plan has counted.

use layout::{Buffers, DeviceModel, Error, Owners, Pass, Permutation, Plan, Problem, Step, Units, plan};
use proptest::prelude::*;
use section::{BrickGrid, Layout, Section, Shape};
use std::collections::{HashMap, HashSet};

/// An array of numbers, row-major.
struct Elements {
    dims: Shape,
    values: Vec<Option<u64>>,
}

impl Elements {
    fn numbered(dims: &[u64]) -> Self {
        let dims = Shape::new(dims).unwrap();
        Self { dims, values: (0..dims.iter().product()).map(Some).collect() }
    }

    fn empty(dims: Shape) -> Self {
        Self { dims, values: vec![None; section::size(dims.iter().product())] }
    }

    fn at(&mut self, index: &[u64]) -> &mut Option<u64> {
        &mut self.values[Layout::dense(&self.dims).offset(index)]
    }
}

/// What is counted while a pass is carried out.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    read_elems: u128,
    read_operations: u128,
    written_elems: u128,
    write_operations: u128,
    steps: u128,
}

/// The bricks of an array as they are on disk, where they may be larger than it.
struct Stored {
    grid: BrickGrid,
    /// What is beyond the array and moved all the same, in elements.
    gap_elems: u64,
}

impl Stored {
    fn new(dims: &[u64], brick: &[u64], problem: &Problem) -> Self {
        let gap_elems = problem.device.gap_bytes / problem.element_bytes;
        Self { grid: BrickGrid::new(dims, brick).unwrap(), gap_elems }
    }

    /// The contiguous runs in the bricks that `section` meets, and the elements in them, found by going through each brick element by
    /// element.
    fn runs(&self, section: &Section) -> (u128, u128) {
        let (mut runs, mut elems) = (0, 0);
        for coordinates in self.grid.meeting(section).indices() {
            let brick = self.grid.elements(&coordinates);
            let part = section.clipped_to(&brick).unwrap();
            // From one element of the part to the next one of it: a gap is moved if the array has nothing there.
            let places = Layout::dense(self.grid.brick());
            let mut before: Option<(Shape, u64)> = None;
            for index in part.indices() {
                let here = places
                    .offset(&index.iter().zip(brick.lo()).map(|(at, lo)| at - lo).collect::<Vec<_>>())
                    as u64;
                match &before {
                    Some((last, place)) if self.goes_on(&part, &brick, last, &index) => {
                        elems += u128::from(here - place);
                    }
                    _ => (runs, elems) = (runs + 1, elems + 1),
                }
                before = Some((index, here));
            }
        }
        (runs, elems)
    }

    /// Whether the elements at two places of a part, of which one comes after the other, belong to one run.
    fn goes_on(&self, part: &Section, brick: &Section, from: &Shape, to: &Shape) -> bool {
        // The slowest dimension that goes on; the faster ones begin anew.
        let moved = (0..to.len()).find(|&d| from[d] != to[d]).expect("another element");
        (moved + 1..to.len()).all(|d| {
            let is_all = part.lo()[d] == brick.lo()[d] && part.hi()[d] == brick.hi()[d];
            let inside: u64 = self.grid.brick()[d + 1..].iter().product();
            let beyond = (self.grid.brick()[d] - (brick.hi()[d] - brick.lo()[d])) * inside;
            is_all && beyond <= self.gap_elems
        })
    }
}

/// The elements that are retained.
#[derive(Default)]
struct Retained {
    boxes: HashMap<Section, HashMap<Shape, u64>>,
    elems: u128,
}

impl Retained {
    fn keep(&mut self, kept: Section, values: HashMap<Shape, u64>) {
        self.elems += u128::from(kept.len());
        assert!(self.boxes.insert(kept, values).is_none(), "{kept} is kept twice");
    }

    fn take(&mut self, used: &Section) -> HashMap<Shape, u64> {
        self.elems -= u128::from(used.len());
        self.boxes.remove(used).unwrap_or_else(|| panic!("{used} was not kept"))
    }
}

/// Carries a pass out, and compares all that can be counted with what it promised.
fn carry_out(pass: &Pass, (from, to): (Stored, Stored), source: &mut Elements) -> Elements {
    let permutation = pass.permutation();
    let target_dims = permutation.to_target(pass.dims());
    let mut target = Elements::empty(target_dims);
    let (mut retained, mut counts) = (Retained::default(), Counts::default());
    let max_block: u128 = pass.max_block().iter().map(|&extent| u128::from(extent)).product();
    let mut template = 0;
    for Step { template: number, read, write, uses, keeps, .. } in pass.steps() {
        if number != template {
            assert_eq!(retained.elems, 0, "nothing is retained beyond a template");
            template = number;
        }
        counts.steps += 1;
        let (operations, elems) = from.runs(&read);
        counts.read_operations += operations;
        counts.read_elems += elems;
        assert!(u128::from(read.len()) <= max_block, "{read} is more than a Max block");
        assert!(
            retained.elems + u128::from(read.len()) <= pass.cost().retained_elems + max_block,
            "{} retained and {read} read",
            retained.elems
        );
        let fresh: HashMap<Shape, u64> = read
            .indices()
            .map(|index| (index, source.at(&index).expect("written by the pass before")))
            .collect();
        let mut used = HashMap::new();
        for part in &uses {
            assert_eq!(write.and_then(|write| part.clipped_to(&write)), Some(*part), "used to be written");
            used.extend(retained.take(part));
        }
        for kept in keeps {
            let values = kept.indices().map(|index| (index, fresh[&index])).collect();
            retained.keep(kept, values);
        }
        assert!(retained.elems <= pass.cost().retained_elems, "{} elements are retained", retained.elems);
        let Some(write) = write else { continue };
        let written = permutation.section_to_target(&write);
        let (operations, elems) = to.runs(&written);
        counts.write_operations += operations;
        counts.written_elems += elems;
        for index in write.indices() {
            let value = fresh.get(&index).or_else(|| used.get(&index)).copied();
            let place = target.at(&permutation.to_target(&index));
            assert!(place.is_none(), "{index:?} is written again");
            *place = Some(value.unwrap_or_else(|| panic!("{index:?} is not in memory")));
        }
    }
    assert_eq!(retained.elems, 0);
    let cost = pass.cost();
    let promised = Counts {
        read_elems: cost.read_elems,
        read_operations: cost.read_operations,
        written_elems: cost.written_elems,
        write_operations: cost.write_operations,
        steps: cost.steps,
    };
    assert_eq!(counts, promised);
    target
}

/// All passes, and whether the target is the permuted source.
fn check(problem: &Problem, passes: &[Pass]) {
    let mut elements = Elements::numbered(&problem.dims);
    for (number, pass) in passes.iter().enumerate() {
        let is_last = number + 1 == passes.len();
        assert!(is_last || *pass.permutation() == Permutation::identity(problem.dims.len()));
        assert!(number == 0 || passes[number - 1].target_brick() == pass.source_brick());
        // The bricks of arrays between passes are the planner's.
        let permutation = pass.permutation();
        let from = if number == 0 { problem.source_brick.clone() } else { pass.source_brick().to_vec() };
        let between = permutation.to_target(pass.target_brick()).to_vec();
        let to = if is_last { problem.target_brick.clone() } else { between };
        let (from, to) = (
            Stored::new(pass.dims(), &from, problem),
            Stored::new(&permutation.to_target(pass.dims()), &to, problem),
        );
        elements = carry_out(pass, (from, to), &mut elements);
        let cost = pass.cost();
        assert!((1..=problem.buffers.max_blocks).contains(&cost.max_blocks), "{cost:?}");
        assert!(u128::from(cost.max_blocks) <= cost.steps, "{cost:?}");
        let elems = |shape: Shape| shape.iter().map(|&extent| u128::from(extent)).product::<u128>();
        let max_blocks = elems(pass.max_block()) * u128::from(cost.max_blocks);
        let write_blocks = elems(pass.write_unit()) * u128::from(problem.buffers.write_blocks);
        let arrays = cost.max_blocks + problem.buffers.write_blocks + u64::from(cost.retained_elems > 0);
        let rounding =
            u128::from(arrays) * u128::from(problem.rounding_bytes.div_ceil(problem.element_bytes));
        assert_eq!(cost.memory_elems, cost.retained_elems + max_blocks + write_blocks + rounding, "{cost:?}");
        let bytes = cost.memory_elems * u128::from(problem.element_bytes);
        assert!(bytes <= u128::from(problem.memory_bytes), "{bytes} bytes");
    }
    let mut source = Elements::numbered(&problem.dims);
    for index in Section::whole(&problem.dims).unwrap().indices() {
        assert_eq!(elements.at(&problem.permutation.to_target(&index)), source.at(&index), "{index:?}");
    }
}

fn permutation(dims: usize) -> impl Strategy<Value = Permutation> {
    Just((0..dims).collect::<Vec<_>>()).prop_shuffle().prop_map(|list| Permutation::new(&list).unwrap())
}

prop_compose! {
    fn device()(
        volume_only in any::<bool>(),
        operations_per_second in prop::sample::select(vec![100u64, 10_000, 1_000_000]),
        alone_percent in prop::sample::select(vec![0u64, 10, 100]),
        page_bytes in prop::sample::select(vec![1u64, 16, 4096]),
        gap_bytes in prop::sample::select(vec![0u64, 5, 16, 60, 400, 16384]),
    ) -> DeviceModel {
        let device = DeviceModel { operations_per_second, alone_percent, page_bytes, gap_bytes, ..DeviceModel::default() };
        if volume_only { DeviceModel::volume_only() } else { device }
    }
}

/// Arrays of at most some thousand elements, with bricks of which some are larger than the array, primes and ones among them.
fn problem() -> impl Strategy<Value = Problem> {
    let extent = |longest: u64| {
        let brick =
            move || prop_oneof![1..=longest + 3, Just(1), prop::sample::select(vec![2u64, 3, 5, 7, 11, 13])];
        (1..=longest, brick(), brick())
    };
    let dims = prop_oneof![
        prop::collection::vec(extent(200), 1),
        prop::collection::vec(extent(40), 2),
        prop::collection::vec(extent(12), 3),
        prop::collection::vec(extent(6), 4),
        prop::collection::vec(extent(3), 5..=7),
    ];
    let with_order = dims.prop_flat_map(|dims| (permutation(dims.len()), Just(dims)));
    let memory = prop_oneof![2u64..40, 40u64..400, 400u64..4000];
    let counts = (1u64..9, 1u64..5, 0u64..2, 1u64..3, prop::sample::select(vec![0u64, 0, 1, 30]));
    (with_order, memory, counts, device(), any::<[bool; 2]>()).prop_map(
        |(
            (permutation, dims),
            memory_elems,
            (ranks, element_bytes, write_blocks, max_blocks, rounding_bytes),
            device,
            which,
        )| {
            let of = |value: fn(&(u64, u64, u64)) -> u64| dims.iter().map(value).collect::<Vec<u64>>();
            Problem {
                permutation,
                memory_bytes: memory_elems * element_bytes,
                rounding_bytes,
                ranks,
                io_processes: ranks.div_ceil(2),
                owners: if which[0] { Owners::ByNumber } else { Owners::InTurn },
                device,
                buffers: Buffers { max_blocks, write_blocks },
                units: if which[1] { Units::WholeBricks } else { Units::Parts },
                ..Problem::new(
                    &of(|d| d.0),
                    element_bytes,
                    &of(|d| d.1),
                    &permutation.to_target(&of(|d| d.2)),
                )
            }
        },
    )
}

/// All plans of a problem, each carried out.
fn check_alternatives(found: &Plan) {
    let mut checked = HashSet::new();
    for alternative in found.alternatives() {
        if !alternative.passes.is_empty() && checked.insert(format!("{:?}", alternative.passes)) {
            check(found.problem(), &alternative.passes);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn every_plan_of_every_kind_moves_every_element_once_as_it_promised(problem in problem()) {
        let found = match plan(&problem) {
            Ok(found) => found,
            Err(Error::Memory { memory_bytes, needed_bytes }) => {
                prop_assert!(needed_bytes > memory_bytes, "{} of {}", needed_bytes, memory_bytes);
                return Ok(());
            }
            Err(error) => panic!("{error}"),
        };
        prop_assert!(found.memory_bytes_max() <= problem.memory_bytes);
        check_alternatives(&found);
        prop_assert!(found.alternatives().iter().any(|alternative| alternative.passes == found.passes()));
        prop_assert!(found.candidates_examined() <= layout::CANDIDATES_MAX);
    }
}

/// Problems of few elements, of which plans retain something.
fn small_problem() -> impl Strategy<Value = Problem> {
    let dims = proptest::collection::vec((4u64..24, 1u64..9, 1u64..9), 1..4);
    (dims, 8u64..600).prop_map(|(dims, memory_elems)| {
        let of = |get: fn(&(u64, u64, u64)) -> u64| dims.iter().map(get).collect::<Vec<_>>();
        let mut problem = Problem::new(&of(|d| d.0), 8, &of(|d| d.1), &of(|d| d.2));
        (problem.memory_bytes, problem.units) = (8 * memory_elems, Units::WholeBricks);
        problem
    })
}

proptest! {
    #[test]
    fn who_goes_on_within_a_template_reads_again_what_is_used_and_writes_just_the_rest(
        problem in small_problem(),
        part in 0.0..1.0f64,
    ) {
        let Ok(found) = plan(&problem) else { return Ok(()) };
        for pass in found.passes() {
            let all: Vec<Step> = pass.steps().collect();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a few steps")]
            let first = (part * all.len() as f64) as usize;
            let Step { template, done, .. } = all[first];
            let steps: Vec<Step> = pass.steps_from(template, done).collect();
            let mut kept = HashSet::new();
            for step in &steps {
                prop_assert!(step.uses.iter().all(|part| kept.remove(part)), "not kept: {:?}", step);
                step.keeps.iter().for_each(|&part| assert!(kept.insert(part), "{part} is kept twice"));
            }
            prop_assert!(kept.is_empty());
            let again = steps.len() - (all.len() - first);
            prop_assert_eq!(&steps[again..], &all[first..]);
            for step in &steps[..again] {
                prop_assert!(step.write.is_none() && step.uses.is_empty() && !step.keeps.is_empty());
                prop_assert_eq!((step.template, step.done), (template, done));
            }
            let retained: u128 = steps[..again].iter().flat_map(|step| &step.keeps).map(|part| u128::from(part.len())).sum();
            prop_assert!(retained <= pass.cost().retained_elems);
        }
    }
}

#[test]
fn the_steps_of_a_template_are_the_same_when_one_begins_there() {
    let mut problem = Problem::new(&[40, 60], 8, &[7, 9], &[5, 16]);
    (problem.memory_bytes, problem.units) = (8 * 700, Units::WholeBricks);
    let found = plan(&problem).unwrap();
    let pass = &found.passes()[0];
    assert!(pass.templates_count() > 1);
    for template in 0..=pass.templates_count() {
        let expected: Vec<Step> = pass.steps().filter(|step| step.template >= template).collect();
        assert_eq!(pass.steps_from(template, 0).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_last_block_that_is_read_with_the_one_before_is_written_with_it() {
    let mut problem = Problem::new(&[1, 1, 1, 5], 1, &[1, 1, 1, 3], &[1, 1, 9, 7]);
    problem.permutation = Permutation::new(&[0, 1, 3, 2]).unwrap();
    problem.buffers = Buffers { max_blocks: 2, write_blocks: 0 };
    problem.memory_bytes = 192;
    problem.device = DeviceModel { page_bytes: 1, operations_per_second: 1_000_000, ..problem.device };
    check_alternatives(&plan(&problem).unwrap());
}
