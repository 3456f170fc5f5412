//! Plans for particular problems: the paper's example, what whole bricks cannot do, the largest arrays, and mistakes.

use layout::{Buffers, CANDIDATES_MAX, DeviceModel, Error, Kind, Owners, Permutation, Problem, Units, plan};

/// The paper's example: bricks <32, 9> to <5, 16>, so many elements of memory, none of it for the write block, volume alone counts.
fn example(memory_elems: u64) -> Problem {
    Problem {
        memory_bytes: memory_elems,
        units: Units::WholeBricks,
        device: DeviceModel::volume_only(),
        buffers: Buffers { max_blocks: 1, write_blocks: 0 },
        ..Problem::new(&[160_000, 144_000], 1, &[32, 9], &[5, 16])
    }
}

#[test]
fn the_papers_example_is_planned_with_the_numbers_that_were_recomputed() {
    for (memory, template, order, needed, io) in [
        (23_040, [160, 144], [1, 0], 1408, 2.0),
        (1408, [160, 144], [1, 0], 1408, 2.0),
        (900, [160, 16], [1, 0], 896, 2.5),
    ] {
        let found = plan(&example(memory)).unwrap();
        let [pass] = found.passes() else { panic!("one pass: {found}") };
        assert_eq!((&pass.template()[..], pass.order()), (&template[..], &order[..]), "{found}");
        assert_eq!((&pass.unused()[..], &pass.max_block()[..]), (&[4, 8][..], &[32, 18][..]));
        assert_eq!(found.memory_bytes_max(), needed);
        assert!((found.io_per_element() - io).abs() < 1e-4, "{found}");
    }
    // A single pass, <15, 144> with the first dimension first, costs 4.07; the paper's two passes cost 4.5.
    let found = plan(&example(800)).unwrap();
    assert!(found.io_per_element() < 4.067 + 1e-3, "{}", found.explain());
    assert!(found.memory_bytes_max() <= 800);
}

#[test]
fn padding_of_bricks_counts_as_disk_between_passes() {
    let mut problem =
        Problem { memory_bytes: 4 << 20, ..Problem::new(&[10_007, 10_007], 8, &[8, 10_007], &[10_007, 8]) };
    problem.device.operations_per_second = 10_000;
    let found = plan(&problem).unwrap();
    let [first, second, _] = found.passes() else { panic!("three passes: {found}") };
    // The second pass reads the one and writes the other. Bricks begin at pages, or where the alignment says.
    let expected = |align_bytes: u64| -> u64 {
        let of_pass = |pass: &layout::Pass| {
            let brick = pass.target_brick();
            let bricks: u64 = brick.iter().map(|extent| 10_007u64.div_ceil(*extent)).product();
            let brick_bytes = 8 * brick.iter().product::<u64>();
            assert!(!brick_bytes.is_multiple_of(4096), "nothing is padded: {found}");
            bricks * (brick_bytes.next_multiple_of(align_bytes) + 16)
        };
        of_pass(first) + of_pass(second)
    };
    let besides = |found: &layout::Plan, expected| found.disk_bytes_max().checked_sub(expected).unwrap();
    assert!(besides(&found, expected(4096).into()) < 200_000, "{found}");
    problem.align_bytes = 1 << 20;
    let aligned = plan(&problem).unwrap();
    assert_eq!(aligned.passes(), found.passes());
    assert!(besides(&aligned, expected(1 << 20).into()) < 200_000, "{aligned}");
}

/// Rows of 16384 doubles, eight of them to a brick of 1 MiB, to high and narrow bricks of 1 MiB.
fn skewed(rows: u64, memory_bytes: u64) -> Problem {
    Problem { memory_bytes, ..Problem::new(&[16384, 16384], 8, &[8, 16384], &[rows, 131_072 / rows]) }
}

#[test]
fn parts_of_bricks_reach_in_one_pass_what_whole_bricks_cannot() {
    let single = Buffers { max_blocks: 1, write_blocks: 0 };
    for (memory_bytes, rows_first) in [(64 << 20, 512), (512 << 20, 4096)] {
        for rows in (3..=13).map(|log| 1 << log) {
            let whole = Problem { units: Units::WholeBricks, buffers: single, ..skewed(rows, memory_bytes) };
            let found = plan(&whole).unwrap();
            assert_eq!(found.passes().len() > 1, rows > rows_first, "{rows} rows:\n{found}");
            let found = plan(&skewed(rows, memory_bytes)).unwrap();
            assert_eq!(found.passes().len(), 1, "{rows} rows:\n{found}");
            assert!((found.io_per_element() - 2.0).abs() < 0.01, "{found}");
            assert_eq!(found.disk_bytes_max(), 0);
        }
    }
}

#[test]
fn parts_that_are_written_are_as_large_as_memory_allows() {
    // All the memory holds a step of 511 rows, half of it one of 255; rounded down to pages. The default is a single box.
    for (alone_percent, max_blocks, rows) in [(5, 1, 448), (1000, 2, 224)] {
        let mut problem = skewed(4096, 64 << 20);
        assert_eq!(problem.device.alone_percent, 5);
        problem.device.alone_percent = alone_percent;
        let found = plan(&problem).unwrap();
        let cost = found.passes()[0].cost();
        assert_eq!(cost.max_blocks, max_blocks, "{found}");
        assert!(cost.write_operations <= (16384 / rows + 2) * 512 + 16384 / 4096 * 512, "{found}");
        assert_eq!(cost.unaligned_writes, 0, "{found}");
        assert!(found.memory_bytes_max() > 48 << 20, "{found}");
    }
}

#[test]
fn a_step_has_all_the_memory_where_that_is_worth_more_than_reading_during_writing() {
    let of = |rows, alone_percent| {
        let mut problem = skewed(rows, 56 << 20);
        problem.buffers = Buffers::WITHOUT_WRITE_BLOCKS;
        problem.device.alone_percent = alone_percent;
        plan(&problem).unwrap()
    };
    let cost = |found: &layout::Plan| *found.passes()[0].cost();
    // Wide bricks need little memory in any case.
    assert_eq!(cost(&of(16, 10)).max_blocks, 2);
    let (single, two) = (of(8192, 10), of(8192, 100));
    assert_eq!((cost(&single).max_blocks, cost(&two).max_blocks), (1, 2), "{single}\n{two}");
    assert!(single.operations() * 3 < two.operations() * 2, "{single}\n{two}");
    assert!(single.memory_bytes_max() <= 56 << 20 && two.memory_bytes_max() <= 56 << 20);
}

#[test]
fn an_array_of_seven_dimensions_and_a_million_million_elements_is_planned_with_few_candidates() {
    let dims = [50, 60, 50, 50, 60, 50, 50];
    assert!(dims.iter().product::<u64>() > 1_000_000_000_000);
    for (memory_bytes, passes_max) in [(1 << 30, 1), (64 << 20, 2), (1 << 20, 4)] {
        let problem = Problem {
            permutation: Permutation::new(&[3, 0, 1, 6, 2, 5, 4]).unwrap(),
            memory_bytes,
            ..Problem::new(&dims, 8, &[10, 12, 7, 5, 9, 10, 3], &[4, 5, 6, 50, 3, 20, 11])
        };
        let found = plan(&problem).unwrap();
        assert!(found.candidates_examined() <= CANDIDATES_MAX);
        assert!(found.memory_bytes_max() <= memory_bytes);
        assert!(found.passes().len() <= passes_max, "{}", found.explain());
        assert_eq!(plan(&problem).unwrap(), found, "the same plan every time");
    }
}

#[test]
fn least_common_multiples_beyond_all_memory_and_extents_near_the_limit_are_no_hindrance() {
    let prime = (1 << 31) - 1;
    let problem = Problem::new(&[1 << 60], 8, &[prime], &[prime - 2]);
    let found = plan(&problem).unwrap();
    assert!((found.io_per_element() - 2.0).abs() < 1e-3, "{found}");
    let problem = Problem::new(&[u64::MAX], 1, &[u64::MAX], &[1 << 63]);
    assert!(plan(&problem).unwrap().memory_bytes_max() <= 64 << 20);
}

/// Rows to columns, where a request takes as long as 20 MB: through what memory holds of whole rows it is quicker than through the means.
#[test]
fn bricks_between_passes_are_as_large_as_memory_makes_them_where_requests_are_dear() {
    let device = DeviceModel { operations_per_second: 100, ..DeviceModel::default() };
    let problem = Problem { device, ..skewed(16384, 512 << 20) };
    let found = plan(&problem).unwrap();
    let paper =
        found.alternatives().iter().find(|other| other.kind == Kind::Paper).expect("it was looked for");
    let of_paper: f64 = paper.passes.iter().map(|pass| pass.cost().seconds).sum();
    assert_eq!((found.passes().len(), paper.passes.len()), (2, 2), "{}", found.explain());
    assert!(found.seconds() * 1.5 < of_paper, "{}", found.explain());
}

#[test]
fn passes_between_take_disk_and_the_plan_says_how_much() {
    let mut problem = skewed(16384, 4 << 20);
    problem.device.operations_per_second = 10_000;
    let found = plan(&problem).unwrap();
    assert!(found.passes().len() > 1, "{}", found.explain());
    assert!(found.disk_bytes_max() >= 2 << 30, "{}", found.disk_bytes_max());
    let last = found.passes().len() - 1;
    for (number, pass) in found.passes().iter().enumerate() {
        assert_eq!(pass.target_brick()[..] == [16384, 8], number == last);
    }
}

#[test]
fn a_write_block_of_whole_bricks_gives_every_io_process_a_brick() {
    for owners in [Owners::InTurn, Owners::ByNumber] {
        let problem = Problem { ranks: 6, io_processes: 4, ..example(100_000) };
        let problem = Problem { owners, ..problem };
        let found = plan(&problem).unwrap();
        let whole = found.alternatives().iter().find(|other| other.kind == Kind::WholeBricks).unwrap();
        let pass = &whole.passes[0];
        assert!((whole.passes[0].cost().io_per_element() - 2.0).abs() < 1e-9);
        let bricks: Vec<u64> = (0..2).map(|d| pass.block()[d] / pass.target_brick()[d]).collect();
        assert_eq!(bricks.iter().product::<u64>(), 4, "{owners:?}: {bricks:?}");
    }
}

#[test]
fn a_plan_shows_bricks_as_they_are_stored_also_where_they_are_larger_than_the_array() {
    let mut problem = Problem::new(&[300, 2], 8, &[7, 9], &[5000, 10]);
    problem.permutation = Permutation::new(&[1, 0]).unwrap();
    let found = plan(&problem).unwrap();
    assert_eq!(found.passes().len(), 1);
    let (source, target) = found.stored_bricks(0);
    assert_eq!((&source[..], &target[..]), (&[7, 9][..], &[10, 5000][..]), "as the source calls them");
    let table = found.to_string();
    assert!(table.contains(" 7x9 ") && table.contains(" 10x5000 "), "{table}");
    // Between passes bricks are no larger than the array.
    let mut problem = skewed(16384, 4 << 20);
    problem.device.operations_per_second = 10_000;
    let found = plan(&problem).unwrap();
    let last = found.passes().len() - 1;
    assert!(last > 0, "{found}");
    let stored: Vec<_> = (0..=last).map(|number| found.stored_bricks(number)).collect();
    assert!(stored.windows(2).all(|two| two[0].1 == two[1].0), "{found}");
}

#[test]
fn a_plan_prints_as_a_table_and_explains_itself() {
    let mut problem = skewed(4096, 64 << 20);
    problem.permutation = Permutation::new(&[1, 0]).unwrap();
    let found = plan(&problem).unwrap();
    let table = found.to_string();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 2 + found.passes().len() + 1, "{table}");
    assert_eq!(lines[1].len(), lines[2].len(), "columns are aligned:\n{table}");
    assert!(lines[0].contains("permutation [1, 0]") && lines[2].contains("8x16384"), "{table}");
    let text = found.explain();
    for kind in [Kind::Paper, Kind::WholeBricks, Kind::Parts] {
        let marked = text.contains(&format!("-> {kind}"));
        assert_eq!(marked, kind == found.kind(), "{text}");
        assert!(text.contains(&kind.to_string()), "{text}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_what_is_wrong() {
    let fine = Problem::new(&[100, 100], 8, &[10, 10], &[20, 5]);
    let error = |change: &dyn Fn(&mut Problem)| {
        let mut problem = fine.clone();
        change(&mut problem);
        plan(&problem).unwrap_err()
    };
    assert_eq!(error(&|p| p.memory_bytes = 0), Error::Zero { what: "the memory" });
    assert_eq!(error(&|p| p.element_bytes = 0), Error::Zero { what: "the size of an element" });
    assert_eq!(error(&|p| p.dims[1] = 0), Error::Zero { what: "an extent of the array" });
    assert_eq!(error(&|p| p.io_processes = 0), Error::Zero { what: "the number of I/O processes" });
    assert_eq!(error(&|p| p.io_processes = 2), Error::IoProcesses { io_processes: 2, ranks: 1 });
    assert_eq!(error(&|p| p.ranks = 1 << 40), Error::Ranks { ranks: 1 << 40 });
    let no_rate = |p: &mut Problem| p.device.operations_per_second = 0;
    assert_eq!(error(&no_rate), Error::Zero { what: "the device's rate of operations" });
    let brick = |p: &mut Problem| p.target_brick = vec![1, 2, 3];
    assert_eq!(error(&brick), Error::DimsDiffer { what: "the target brick", expected: 2, got: 3 });
    let order = |p: &mut Problem| p.permutation = Permutation::identity(3);
    assert_eq!(error(&order), Error::DimsDiffer { what: "the permutation", expected: 2, got: 3 });
    assert_eq!(error(&|p| p.source_brick[0] = 0), section::Error::EmptyBrick { dim: 0 }.into());
    assert_eq!(error(&|p| p.dims.clear()), section::Error::DimsCount { dims: 0 }.into());
    assert!(matches!(error(&|p| p.dims = vec![1 << 40, 1 << 40]), Error::TooLarge { .. }));
    assert!(matches!(error(&|p| p.dims = vec![1 << 31, 1 << 30]), Error::TooLarge { .. }));
}

#[test]
fn too_little_memory_is_told_with_what_would_do() {
    // Less than a source brick of 32 x 9.
    let Err(Error::Memory { memory_bytes: 287, needed_bytes }) = plan(&example(287)) else {
        panic!("it is enough")
    };
    // A Max block of 32 x 18, and what a template of one target brick leaves over.
    assert_eq!(needed_bytes, 688);
    assert!(plan(&example(needed_bytes)).is_ok());
    let none = Problem { memory_bytes: 7, ..Problem::new(&[10], 8, &[2], &[3]) };
    assert_eq!(plan(&none), Err(Error::Memory { memory_bytes: 7, needed_bytes: 16 }));
    assert!(plan(&Problem { memory_bytes: 16, ..none }).is_ok());
}

/// Bricks of which least common multiples are as large as can be: there are more templates than along extents that divide each other.
#[test]
fn coprime_bricks_of_seven_dimensions_are_planned_with_no_more_candidates_than_others() {
    let dims = [50, 60, 50, 50, 60, 50, 50];
    for (source_brick, target_brick) in [
        ([7, 11, 13, 17, 19, 23, 29], [29, 13, 23, 19, 17, 7, 11]),
        ([7, 11, 13, 17, 19, 23, 29], [31, 37, 41, 43, 47, 29, 23]),
        ([7, 11, 13, 17, 19, 23, 29], [5, 3, 7, 2, 11, 13, 3]),
        ([2, 3, 5, 7, 3, 5, 2], [3, 2, 7, 5, 2, 3, 5]),
    ] {
        for (memory_bytes, io_processes) in [(1 << 20, 12), (64 << 20, 720_720), (100 << 30, 64)] {
            let problem = Problem {
                permutation: Permutation::new(&[3, 0, 1, 6, 2, 5, 4]).unwrap(),
                memory_bytes,
                ranks: io_processes,
                io_processes,
                ..Problem::new(&dims, 8, &source_brick, &target_brick)
            };
            let found = plan(&problem).unwrap();
            let examined = found.candidates_examined();
            // What is left is for bricks near the best ones, and is not all used.
            assert!(examined < CANDIDATES_MAX, "{examined}: {}", found.explain());
            assert!(found.alternatives().iter().all(|other| !other.is_cut_short), "{}", found.explain());
            assert!(found.memory_bytes_max() <= memory_bytes);
        }
    }
}
