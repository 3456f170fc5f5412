//! What a caller can do wrong: an error with a number, the same on every rank, and the target is as it was.

use crate::world::{World, all_fail, counted, spec};
use dra::{Access, Context, DataType, DiskArray, UNFINISHED};
use layout::{Permutation, Units};
use reblock::Options;
use serde_json::json;

const DIMS: [u64; 2] = [40, 30];

struct Arrays {
    disk: Context,
    source: DiskArray,
    target: DiskArray,
}

fn arrays(world: &World) -> Arrays {
    let disk = world.context(100_000);
    let from = spec(&DIMS, &[8, 9], DataType::Float64);
    let source = world.source(&disk, &World::path("source"), &from, &counted(1200));
    let to = spec(&[30, 40], &[10, 10], DataType::Float64);
    let target = disk.create(&World::path("target"), &to, Access::ReadWrite).expect("created");
    Arrays { disk, source, target }
}

fn delete(world: &World, arrays: Vec<DiskArray>) {
    for array in arrays {
        array.delete().expect("deleted");
    }
    world.barrier();
}

pub(crate) fn arrays_that_do_not_belong_together_are_refused(world: &World) {
    let Arrays { disk, source, mut target } = arrays(world);
    let (turned, straight) = (Permutation::new(&[1, 0]).unwrap(), Permutation::identity(2));
    let options = Options::default();
    let mut same = disk.open(&World::path("source"), Access::ReadWrite).expect("opened");
    assert!(matches!(reblock::check(&source, &same, &straight), Err(reblock::Error::SameArray { .. })));
    assert!(matches!(reblock::check(&source, &target, &straight), Err(reblock::Error::DimsDiffer { .. })));
    let text = all_fail(&disk, world.copy(&disk, (&source, &mut same), &straight, &options));
    assert!(text.starts_with("1 ") && text.contains("the same array"), "{text}");
    let text = all_fail(&disk, world.copy(&disk, (&source, &mut target), &straight, &options));
    assert!(text.contains("[40, 30] in the order [0, 1] are not [30, 40]"), "{text}");
    let cube = Permutation::identity(3);
    let text = all_fail(&disk, world.copy(&disk, (&source, &mut target), &cube, &options));
    assert!(text.contains("in the order [0, 1, 2]"), "{text}");
    let floats = spec(&[30, 40], &[10, 10], DataType::Float32);
    let mut other = disk.create(&World::path("other"), &floats, Access::ReadWrite).expect("created");
    let text = all_fail(&disk, world.copy(&disk, (&source, &mut other), &turned, &options));
    assert!(text.contains("float64 in") && text.contains("float32 in"), "{text}");
    assert_eq!(target.unfinished().expect("looked"), None, "nothing was begun");
    world.copy(&disk, (&source, &mut target), &turned, &options).expect("nothing is in the way");
    same.close().expect("closed");
    delete(world, vec![source, target, other]);
}

pub(crate) fn arrays_are_used_as_they_were_opened(world: &World) {
    let Arrays { disk, source, target } = arrays(world);
    let (turned, options) = (Permutation::new(&[1, 0]).unwrap(), Options::default());
    let mode = elio::codes::DEVICE_MODE;
    let mut read_only = disk.open(&World::path("target"), Access::ReadOnly).expect("opened");
    let text = all_fail(&disk, world.copy(&disk, (&source, &mut read_only), &turned, &options));
    assert!(text.starts_with(&format!("{mode} ")) && text.contains("not for writing"), "{text}");
    let write_only = disk.open(&World::path("source"), Access::WriteOnly).expect("opened");
    let mut target = target;
    let text = all_fail(&disk, world.copy(&disk, (&write_only, &mut target), &turned, &options));
    assert!(text.starts_with(&format!("{mode} ")) && text.contains("not for reading"), "{text}");
    read_only.close().expect("closed");
    write_only.close().expect("closed");
    delete(world, vec![source, target]);
}

pub(crate) fn a_source_that_is_not_complete_is_refused_and_cannot_be_read(world: &World) {
    let Arrays { disk, mut source, mut target } = arrays(world);
    source.set_attribute(UNFINISHED, Some(json!({ "what": "filling it" }))).expect("set");
    let turned = Permutation::new(&[1, 0]).unwrap();
    let text = all_fail(&disk, world.copy(&disk, (&source, &mut target), &turned, &Options::default()));
    assert!(text.contains("filling it has not ended"), "{text}");
    // Whoever puts the copy off may wait for that.
    reblock::check(&source, &target, &turned).expect("all else is in order");
    delete(world, vec![source, target]);
}

pub(crate) fn ranks_that_want_different_things_are_all_told(world: &World) {
    let Arrays { disk, source, mut target } = arrays(world);
    let turned = Permutation::new(&[1, 0]).unwrap();
    let first = world.is_first();
    let text = if world.ga.ranks() > 1 {
        let options = Options { noted_bytes: if first { 1 } else { 2 }, ..Options::default() };
        all_fail(&disk, world.copy(&disk, (&source, &mut target), &turned, &options))
    } else {
        "the ranks disagree about re-blocking".to_owned()
    };
    assert!(text.contains("the ranks disagree about re-blocking"), "{text}");
    // And a mistake of one is told to all.
    let mine = if first { Permutation::identity(2) } else { turned };
    let text = all_fail(&disk, world.copy(&disk, (&source, &mut target), &mine, &Options::default()));
    assert!(text.contains("rank 0: extents"), "{text}");
    delete(world, vec![source, target]);
}

pub(crate) fn memory_that_programs_give_may_be_as_little_as_nothing(world: &World) {
    let disk = world.context(1);
    let from = spec(&[1000, 8], &[1000, 1], DataType::Float64);
    let source = world.source(&disk, &World::path("source"), &from, &counted(8000));
    let to = spec(&[1000, 8], &[1, 8], DataType::Float64);
    for units in [Units::WholeBricks, Units::Parts] {
        let mut target = disk.create(&World::path("target"), &to, Access::ReadWrite).expect("created");
        let options = Options { units, ..Options::default() };
        let straight = Permutation::identity(2);
        let done = world.copy(&disk, (&source, &mut target), &straight, &options).expect("copied");
        // Four bricks, which are aligned to pages, in a box of all ranks.
        assert_eq!(done.plan.problem().memory_bytes, 4 * 8192 + world.rounding_bytes());
        assert!(done.boxes_bytes_peak <= done.plan.memory_bytes_max(), "{}", done.plan);
        // Two buffers of a brick, far more than was given.
        let taken = disk.memory_bytes_peak();
        assert!(
            taken <= done.buffers_bytes && done.buffers_bytes == 2 * 8192,
            "{taken} of {}",
            done.buffers_bytes
        );
        assert_eq!(done.plan.passes().len() > 1, units == Units::WholeBricks, "{}", done.plan);
        assert!(world.elements(&target) == counted(8000));
        delete(world, vec![target]);
    }
    delete(world, vec![source]);
}
