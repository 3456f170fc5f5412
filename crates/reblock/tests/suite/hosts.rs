//! Arrays whose parts are on the hosts' own disks.

use crate::faults::failing;
use crate::world::{World, all_fail, counted, permuted, spec};
use dra::{Access, ArrayDirectory, DataType, UNFINISHED};
use elio::Fault;
use layout::{DeviceModel, Permutation};
use reblock::Options;

pub(crate) fn arrays_on_the_hosts_own_disks_are_re_blocked(world: &World) {
    let dims = [240, 200];
    let path = |name: &str| test_support::local_dir().join(name);
    let turned = Permutation::new(&[1, 0]).unwrap();
    // With memory for all of the array, and so for one pass, and on a device on which several are better.
    for (memory_bytes, operations_per_second, several) in [(1_000_000, 100_000, false), (1_000, 2_000, true)]
    {
        let disk = world.context(memory_bytes);
        let elements = counted(dims.iter().product());
        let mut from = spec(&dims, &[2, 200], DataType::Float64);
        from.files = 3;
        let source = world.source(&disk, &path("source"), &from, &elements);
        let to = spec(&[200, 240], &[2, 240], DataType::Float64);
        let mut target = disk.create(&path("target"), &to, Access::ReadWrite).expect("created");
        assert!(source.hosts().len() == 2 && target.hosts().len() == 2);
        let device = DeviceModel { operations_per_second, page_bytes: 8, ..DeviceModel::default() };
        let options = Options { device, ..Options::default() };
        let done = world.copy(&disk, (&source, &mut target), &turned, &options).expect("copied");
        assert_eq!(done.plan.passes().len() > 1, several, "{}", done.plan);
        assert!(world.elements(&target) == permuted(&elements, &dims, &turned, 8));
        // On neither host is anything left.
        let beside = ArrayDirectory::open(&path("target.pass-1"));
        assert!(beside.is_err() && target.unfinished().expect("looked").is_none());
        for array in [source, target] {
            array.delete().expect("deleted");
        }
        world.barrier();
    }
}

/// A kill may have come between the notes of two hosts.
pub(crate) fn hosts_that_have_noted_different_positions_go_on_from_the_earliest(world: &World) {
    let dims = [240, 200];
    let path = |name: &str| test_support::local_dir().join(name);
    let turned = Permutation::new(&[1, 0]).unwrap();
    let device = DeviceModel { operations_per_second: 2_000, page_bytes: 8, ..DeviceModel::default() };
    let options = Options { device, noted_bytes: 4_000, ..Options::default() };
    for is_noted in [true, false] {
        let disk = world.context(4_000);
        let elements = counted(dims.iter().product());
        let source =
            world.source(&disk, &path("source"), &spec(&dims, &[2, 200], DataType::Float64), &elements);
        let to = spec(&[200, 240], &[2, 240], DataType::Float64);
        let target = disk.create(&path("target"), &to, Access::ReadWrite).expect("created");
        target.close().expect("closed");
        source.close().expect("closed");
        let is_far = || {
            let here = ArrayDirectory::open(&path("target")).expect("a part");
            let note = here.unfinished().expect("it is not complete");
            note["pass"].as_u64() > Some(0) || note["template"].as_u64() > Some(0)
        };
        // Each try goes on where the one before has failed, and comes a little farther.
        let mut tries = 0;
        while tries == 0 || !is_far() {
            tries += 1;
            let disk = world.on_devices(4_000, failing(tries, Fault::Fail(28)).0);
            let source = disk.open(&path("source"), Access::ReadOnly).expect("opened");
            let mut target = disk.open(&path("target"), Access::ReadWrite).expect("opened");
            let done = world.copy(&disk, (&source, &mut target), &turned, &options);
            let text = all_fail(&disk, done);
            assert!(tries < 100 && text.contains("no space left"), "{tries} tries: {text}");
            let _ = (source.close(), target.close());
        }

        let mut here = ArrayDirectory::open(&path("target")).expect("a part");
        let part = here.attributes().and_then(|ours| ours.part.clone()).expect("a part").number;
        let parts = disk.comm().all_gather(&[part]).expect("told");
        if parts.iter().position(|&part| part == 1) == Some(world.ga.rank()) {
            let mut note = here.unfinished().cloned().expect("a note");
            (note["pass"], note["template"]) = (0.into(), 0.into());
            here.set_attribute(UNFINISHED, is_noted.then_some(note)).expect("set");
        }
        world.barrier();
        let source = disk.open(&path("source"), Access::ReadOnly).expect("opened");
        let mut target = disk.open(&path("target"), Access::ReadWrite).expect("opened");
        let done = world.copy(&disk, (&source, &mut target), &turned, &options).expect("copied");
        assert!(!done.is_continued && done.plan.passes().len() > 1);
        assert!(world.elements(&target) == permuted(&elements, &dims, &turned, 8));
        for array in [source, target] {
            array.delete().expect("deleted");
        }
        let is_left =
            (0..dra::between::PASSES_MAX).any(|pass| dra::between::path(&path("target"), pass).exists());
        assert!(!is_left, "nothing is left beside it");
        world.barrier();
    }
}
