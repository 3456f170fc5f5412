//! Whether a target is like its source.

use crate::world::{World, all_fail, counted, permuted, spec};
use dra::{DataType, UNFINISHED};
use layout::Permutation;
use reblock::Comparison;
use section::Layout;

const DIMS: [u64; 3] = [30, 20, 11];
const ELEMENTS: u64 = 30 * 20 * 11;

/// Each element that differs is counted once, whichever rank compares it, and the first one is told.
pub(crate) fn elements_that_differ_are_counted_and_the_first_is_told(world: &World) {
    let cycle = Permutation::new(&[2, 0, 1]).unwrap();
    let dims = cycle.to_target(&DIMS);
    let elements = counted(ELEMENTS);
    let expected = permuted(&elements, &DIMS, &cycle, 8);
    let dense = Layout::dense(&dims);
    // In the order of the target: the first, one of a brick in the middle, one of a brick that the border cuts, the last.
    let places: [&[u64]; 4] = [&[0, 0, 0], &[5, 13, 7], &[10, 29, 3], &[10, 29, 19]];
    // Many boxes, and one.
    for memory_bytes in [20_000, 10 << 20] {
        let disk = world.context(memory_bytes / world.ga.ranks() as u64);
        let from = spec(&DIMS, &[7, 20, 3], DataType::Float64);
        let source = world.source(&disk, &World::path("source"), &from, &elements);
        let to = spec(&dims, &[4, 5, 6], DataType::Float64);
        let target = world.source(&disk, &World::path("target"), &to, &expected);
        for changed in (0..1 << places.len()).map(|set: usize| {
            (0..places.len()).filter(move |place| set >> place & 1 == 1).collect::<Vec<_>>()
        }) {
            let mut spoiled = expected.clone();
            for &place in &changed {
                // One bit of one byte, the sign.
                spoiled[dense.offset(places[place]) * 8 + 7] ^= 0x80;
            }
            world.fill(&target, &spoiled);
            let mut told = 0;
            let maker = dra_ga::maker(&world.ga);
            let found =
                reblock::compare(&disk, &maker, (&source, &target), &cycle, &mut |bytes| told += bytes);
            let first = changed.first().map(|&place| places[place].to_vec());
            let differing = changed.len() as u64;
            assert_eq!(found.expect("compared"), Comparison { elements: ELEMENTS, differing, first });
            assert_eq!(told, ELEMENTS * 8, "progress");
        }
        for array in [source, target] {
            array.delete().expect("deleted");
        }
    }
    world.barrier();
}

/// What cannot be compared, or read, is an error, and not a difference.
pub(crate) fn arrays_that_do_not_belong_together_and_unfinished_ones_are_not_compared(world: &World) {
    let disk = world.context(1 << 20);
    let elements = counted(60);
    let to = spec(&[6, 10], &[3, 3], DataType::Float64);
    let [source, mut target] =
        ["source", "target"].map(|name| world.source(&disk, &World::path(name), &to, &elements));
    let maker = dra_ga::maker(&world.ga);
    for order in [&[1, 0][..], &[0, 1, 2]] {
        let order = Permutation::new(order).unwrap();
        let text = all_fail(&disk, reblock::compare(&disk, &maker, (&source, &target), &order, &mut |_| {}));
        assert!(text.contains("extents"), "{text}");
    }
    if world.ga.ranks() > 1 {
        // Of one rank only.
        let order = if world.is_first() { [1, 0] } else { [0, 1] };
        let order = Permutation::new(&order).unwrap();
        all_fail(&disk, reblock::compare(&disk, &maker, (&source, &target), &order, &mut |_| {}));
    }
    target.set_attribute(UNFINISHED, Some(serde_json::json!({ "what": "a test" }))).expect("set");
    let same = Permutation::identity(2);
    let found = reblock::compare(&disk, &maker, (&source, &target), &same, &mut |_| {});
    let text = all_fail(&disk, found);
    assert!(text.contains("a test has not ended"), "{text}");
    for array in [source, target] {
        array.delete().expect("deleted");
    }
    world.barrier();
}
