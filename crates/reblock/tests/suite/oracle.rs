//! Random re-blocking against plain arrays: every rank draws the same random numbers.

use crate::world::{World, nothing_is_beside, permuted, spec};
use dra::{Access, DataType};
use layout::{DeviceModel, Pass, Permutation, Units};
use reblock::Options;
use section::size;
use std::cell::Cell;
use test_support::Rng;

fn random_permutation(rng: &mut Rng, dims: usize) -> Permutation {
    let mut list: Vec<usize> = (0..dims).collect();
    rng.shuffle(&mut list);
    Permutation::new(&list).unwrap()
}

/// Up to seven extents, of at most some thousand elements, or, half of the time, of so many at least: where an array in memory takes more
/// than all elements do, because ranks share no pages, one box is always the best.
fn random_dims(rng: &mut Rng, elems_min: u64) -> Vec<u64> {
    let dims = rng.usize(1..=7);
    let extent_max = [0, 3000, 70, 16, 8, 5, 4, 3][dims];
    let mut extents: Vec<u64> = (0..dims).map(|_| rng.u64(1..=extent_max)).collect();
    if rng.bool() {
        extents[0] = extents[0].max(elems_min.div_ceil(extents[1..].iter().product()));
    }
    extents
}

/// Primes, ones, bricks larger than the array, and others.
fn random_brick(rng: &mut Rng, dims: &[u64]) -> Vec<u64> {
    let extent = |rng: &mut Rng, &extent: &u64| match rng.u8(0..4) {
        0 => 1,
        1 => [2, 3, 5, 7, 11, 13][rng.usize(..6)],
        _ => rng.u64(1..=extent.min(40) + 2),
    };
    dims.iter().map(|dim| extent(rng, dim)).collect()
}

fn random_options(rng: &mut Rng) -> Options {
    let operations_per_second = [50, 10_000, 1_000_000][rng.usize(..3)];
    let alone_percent = [0, 10, 100][rng.usize(..3)];
    // Whole pages go around the page cache, if their writes are not so short that they are joined.
    let page_bytes = [8, 4096][rng.usize(..2)];
    let joined_bytes = [1, 16 << 10][rng.usize(..2)];
    let gap_bytes = [0, 100, 16 << 10][rng.usize(..3)];
    let given = DeviceModel { operations_per_second, alone_percent, ..DeviceModel::default() };
    let device = DeviceModel { page_bytes, joined_bytes, gap_bytes, ..given };
    let device = if rng.bool() { DeviceModel::volume_only() } else { device };
    let units = if rng.bool() { Units::WholeBricks } else { Units::Parts };
    Options { device, units, noted_bytes: rng.u64(0..40_000), checks_source: rng.bool() }
}

/// What a number of rounds must have had something of, or they test little.
#[derive(Default)]
struct Seen {
    several_passes: bool,
    retained: bool,
    read_again: bool,
    /// Passes that write whole pages, long enough not to go through the page cache.
    whole_pages_count: usize,
    /// Passes of some steps, with one box and with two.
    boxes: [bool; 2],
}

pub(crate) fn random_targets_are_the_permuted_source(world: &World) {
    let mut rng = test_support::random();
    let mut seen = Seen::default();
    for round in 0..500 {
        one(world, &mut rng, &mut seen);
        let is_enough = round >= 24 || seen.several_passes && seen.read_again && seen.whole_pages_count > 0;
        if round >= 7 && seen.retained && seen.boxes == [true; 2] && is_enough {
            return;
        }
    }
    panic!("nothing was ever retained, or all passes had as many boxes");
}

fn one(world: &World, rng: &mut Rng, seen: &mut Seen) {
    let data_type = DataType::ALL[rng.usize(..6)];
    let bytes = size(data_type.bytes());
    let dims = random_dims(rng, 3 * world.rounding_bytes() / data_type.bytes());
    let permutation = random_permutation(rng, dims.len());
    let target_dims = permutation.to_target(&dims);
    // Of elements, and of the arrays that they are in.
    let ranks = world.ga.ranks() as u64;
    let memory_bytes = rng.u64(0..60_000) + rng.u64(0..4) * world.rounding_bytes();
    let disk = world.context(memory_bytes / ranks);
    let elements: Vec<u8> = (0..size(dims.iter().product::<u64>()) * bytes).map(|_| rng.u8(1..)).collect();
    let mut from = spec(&dims, &random_brick(rng, &dims), data_type);
    from.attributes.io_processes_hint = rng.i64(-1..4);
    let mut to = spec(&target_dims, &random_brick(rng, &target_dims), data_type);
    (to.attributes.io_processes_hint, to.files) = (rng.i64(-1..4), rng.u64(1..4));
    let source = world.source(&disk, &World::path("source"), &from, &elements);
    let path = World::path("target");
    let access = if rng.bool() { Access::WriteOnly } else { Access::ReadWrite };
    let mut target = disk.create(&path, &to, access).expect("created");
    let options = random_options(rng);
    let last = Cell::new(0);
    let mut progress = |progress: &reblock::Progress| {
        assert!(progress.written_bytes >= last.get() && progress.pass < progress.passes);
        assert_eq!(progress.all_bytes, elements.len() as u64 * progress.passes as u64);
        last.set(progress.written_bytes);
    };
    let maker = dra_ga::maker(&world.ga);
    let done = reblock::copy(&disk, &maker, (&source, &mut target), &permutation, &options, &mut progress);
    let plan = match done {
        Ok(done) => {
            assert!(done.boxes_bytes_peak <= done.plan.memory_bytes_max(), "{}", done.plan);
            assert!(!done.is_continued);
            assert_eq!(last.get(), (elements.len() * done.plan.passes().len()) as u64);
            done.plan
        }
        // Whole bricks may be too large together.
        Err(reblock::Error::Plan(layout::Error::Memory { .. })) => {
            assert_eq!(options.units, Units::WholeBricks);
            source.delete().expect("deleted");
            target.delete().expect("deleted");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    seen.several_passes |= plan.passes().len() > 1;
    seen.retained |= plan.passes().iter().any(|pass| pass.cost().retained_elems > 0);
    let has_boxes = |max_blocks| {
        plan.passes().iter().any(|pass| pass.cost().max_blocks == max_blocks && pass.cost().steps > 2)
    };
    seen.boxes = [seen.boxes[0] || has_boxes(1), seen.boxes[1] || has_boxes(2)];
    // Otherwise what bricks have beyond the array counts, too.
    let is_exact = options.device.gap_bytes == 0;
    let reads_again = plan.passes().iter().any(|pass| pass.cost().read_elems > pass.cost().elems);
    seen.read_again |= is_exact && reads_again;
    let is_long = |pass: &Pass| {
        let (cost, device) = (pass.cost(), &options.device);
        cost.written_elems * bytes as u128 >= cost.write_operations * u128::from(device.joined_bytes)
    };
    let writes_whole_pages = |pass: &&Pass| {
        options.device.page_bytes == 4096 && pass.cost().unaligned_writes == 0 && is_long(pass)
    };
    seen.whole_pages_count += plan.passes().iter().filter(writes_whole_pages).count();
    target.close().expect("closed");
    nothing_is_beside(&path);
    let target = disk.open(&path, Access::ReadOnly).expect("opened");
    let expected = permuted(&elements, &dims, &permutation, bytes);
    assert!(world.elements(&target) == expected, "other elements:\n{plan}");
    target.delete().expect("deleted");
    source.delete().expect("deleted");
    // Before they are made again.
    world.barrier();
}

/// A cycle of three is another permutation than its inverse.
pub(crate) fn a_cycle_of_three_dimensions_goes_the_right_way_round(world: &World) {
    let (dims, disk) = ([4, 6, 10], world.context(20_000));
    let cycle = Permutation::new(&[2, 0, 1]).unwrap();
    let elements: Vec<u8> = (0..240u32).flat_map(u32::to_le_bytes).collect();
    let from = spec(&dims, &[3, 4, 5], DataType::Int32);
    let source = world.source(&disk, &World::path("source"), &from, &elements);
    let to = spec(&[10, 4, 6], &[4, 4, 4], DataType::Int32);
    let mut target = disk.create(&World::path("target"), &to, Access::ReadWrite).expect("created");
    world.copy(&disk, (&source, &mut target), &cycle, &Options::default()).expect("copied");
    let found = world.elements(&target);
    let at = |k: usize, i: usize, j: usize| {
        u32::from_le_bytes(found[((k * 4 + i) * 6 + j) * 4..][..4].try_into().unwrap())
    };
    for (number, (i, j, k)) in
        (0u32..).zip((0..4).flat_map(|i| (0..6).flat_map(move |j| (0..10).map(move |k| (i, j, k)))))
    {
        assert_eq!(at(k, i, j), number, "({i}, {j}, {k})");
    }
    // Backwards it is the source again.
    let mut back = disk.create(&World::path("back"), &from, Access::ReadWrite).expect("created");
    world.copy(&disk, (&target, &mut back), &cycle.inverse(), &Options::default()).expect("copied");
    assert!(world.elements(&back) == elements);
    for array in [source, target, back] {
        array.delete().expect("deleted");
    }
    world.barrier();
}
