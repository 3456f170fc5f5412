//! Arrays between passes lie at names that may be somebody else's: what is there and is not marked is never touched.

use crate::world::{World, all_fail, counted, nothing_is_beside, permuted, spec};
use dra::{Access, ArrayDirectory, Context, DataType, DiskArray, UNFINISHED};
use layout::{DeviceModel, Permutation};
use reblock::{Copying, Options};
use serde_json::json;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const DIMS: [u64; 2] = [96, 120];

/// Several passes, with a little memory.
fn options() -> Options {
    let device = DeviceModel { operations_per_second: 2_000, page_bytes: 8, ..DeviceModel::default() };
    Options { device, ..Options::default() }
}

fn context(world: &World) -> Context {
    world.context(6_000 / world.ga.ranks() as u64)
}

fn source_at(world: &World, disk: &Context, name: &str) -> DiskArray {
    let from = spec(&DIMS, &[4, 120], DataType::Float64);
    world.source(disk, &World::path(name), &from, &counted(DIMS.iter().product()))
}

fn target(disk: &Context) -> DiskArray {
    let to = spec(&[120, 96], &[3, 96], DataType::Float64);
    disk.create(&World::path("target"), &to, Access::ReadWrite).expect("created")
}

fn delete(world: &World, arrays: Vec<DiskArray>) {
    for array in arrays {
        array.delete().expect("deleted");
    }
    world.barrier();
}

pub(crate) fn a_source_at_the_name_of_an_array_between_passes_is_not_replaced(world: &World) {
    let (disk, turned) = (context(world), Permutation::new(&[1, 0]).unwrap());
    let (mut source, mut target) = (source_at(world, &disk, "target.pass-1"), target(&disk));
    let marks = [None, Some(json!({ "target": "target" }))];
    for mark in marks {
        source.set_attribute("chemio_between", mark).expect("set");
        // Whether or not an earlier try speaks of so many passes.
        for note in [None, Some(json!({ "what": "another copy", "passes": 2 }))] {
            target.set_attribute(UNFINISHED, note.clone()).expect("set");
            let text = all_fail(&disk, world.copy(&disk, (&source, &mut target), &turned, &options()));
            assert!(text.contains("needs this place") && text.contains("target.pass-1"), "{text}");
            assert_eq!(target.unfinished().expect("looked"), note, "nothing was begun");
        }
    }
    assert!(world.elements(&source) == counted(DIMS.iter().product()));
    delete(world, vec![source, target]);
}

pub(crate) fn an_array_of_others_at_the_name_of_one_between_passes_is_left_alone(world: &World) {
    let (disk, turned) = (context(world), Permutation::new(&[1, 0]).unwrap());
    let (source, mut target) = (source_at(world, &disk, "source"), target(&disk));
    let small = spec(&[7], &[7], DataType::Float64);
    for (number, of_other) in ["target.pass-1", "target.pass-9"].into_iter().enumerate() {
        let mut other = world.source(&disk, &World::path(of_other), &small, &counted(7));
        if number == 0 {
            for mark in [None, Some(json!({ "target": "another" }))] {
                other.set_attribute("chemio_between", mark).expect("set");
                let text = all_fail(&disk, world.copy(&disk, (&source, &mut target), &turned, &options()));
                assert!(text.starts_with("1 ") && text.contains("target.pass-1"), "{text}");
                assert_eq!(target.unfinished().expect("looked"), None, "nothing was begun");
            }
        } else {
            // The plan does not need this place, but what an earlier try has noted speaks of it.
            let note = json!({ "what": "another copy", "passes": 9 });
            target.set_attribute(UNFINISHED, Some(note)).expect("set");
            let done = world.copy(&disk, (&source, &mut target), &turned, &options()).expect("copied");
            assert!((2..9).contains(&done.plan.passes().len()), "{}", done.plan);
        }
        assert!(world.elements(&other) == counted(7));
        delete(world, vec![other]);
    }
    delete(world, vec![source, target]);
}

pub(crate) fn an_array_between_passes_of_an_earlier_copy_is_replaced(world: &World) {
    let (disk, turned) = (context(world), Permutation::new(&[1, 0]).unwrap());
    let (source, mut target) = (source_at(world, &disk, "source"), target(&disk));
    let mut left = spec(&[7], &[7], DataType::Float64);
    left.more_attributes.insert("chemio_between".to_owned(), json!({ "target": "target" }));
    let left = disk.create(&World::path("target.pass-1"), &left, Access::ReadWrite).expect("created");
    left.close().expect("closed");
    world.copy(&disk, (&source, &mut target), &turned, &options()).expect("copied");
    assert!(world.elements(&target) == permuted(&counted(DIMS.iter().product()), &DIMS, &turned, 8));
    nothing_is_beside(&World::path("target"));
    assert!(ArrayDirectory::open(&World::path("target")).is_ok());
    delete(world, vec![source, target]);
}

pub(crate) fn with_an_unfinished_target_go_its_arrays_between_passes(world: &World) {
    let disk = context(world);
    let mut target = target(&disk);
    target.set_attribute(UNFINISHED, Some(json!({ "what": "a copy", "passes": 3 }))).expect("set");
    for (name, whose) in [("target.pass-1", "target"), ("target.pass-2", "another")] {
        let mut spec = spec(&[7], &[7], DataType::Float64);
        spec.more_attributes.insert("chemio_between".to_owned(), json!({ "target": whose }));
        let between = disk.create(&World::path(name), &spec, Access::ReadWrite).expect("created");
        between.close().expect("closed");
    }
    target.delete().expect("deleted");
    let is_there = ["target", "target.pass-1", "target.pass-2"].map(|name| World::path(name).exists());
    assert_eq!(is_there, [false, false, true]);
    world.barrier();
    disk.remove(&World::path("target.pass-2")).expect("removed");
}

pub(crate) fn whatever_a_target_is_called_its_arrays_between_passes_are_at_one_place(world: &World) {
    let (disk, turned) = (context(world), Permutation::new(&[1, 0]).unwrap());
    let source = source_at(world, &disk, "source");
    target(&disk).close().expect("closed");
    let link = World::path("links").join("another");
    if world.is_first() {
        std::fs::create_dir(World::path("links")).expect("a directory");
        std::os::unix::fs::symlink("../target", &link).expect("a link");
    }
    world.barrier();
    // One try by the one name, which ends within a pass that is not the last, ...
    let mut by_link = disk.open(&link, Access::ReadWrite).expect("opened");
    let maker = Box::new(dra_ga::maker(&world.ga));
    let mut copying =
        Copying::begin(&disk, maker, (&source, &mut by_link), &turned, &options()).expect("begun");
    assert!(copying.progress().passes > 1);
    let mut written = 0;
    while written == 0 {
        let mut progress = |progress: &reblock::Progress| written = progress.written_bytes;
        assert!(!copying.probe((&source, &mut by_link), &mut progress).expect("asked"));
    }
    copying.abandon().expect("memory is freed");
    by_link.close().expect("closed");
    assert!(ArrayDirectory::open(&World::path("target.pass-1")).is_ok());
    nothing_is_beside(&link);
    world.barrier();
    // ... the next by the other.
    let mut target = disk.open(&World::path("target"), Access::ReadWrite).expect("opened");
    world.copy(&disk, (&source, &mut target), &turned, &options()).expect("copied");
    assert!(world.elements(&target) == permuted(&counted(DIMS.iter().product()), &DIMS, &turned, 8));
    nothing_is_beside(&World::path("target"));
    delete(world, vec![source, target]);
    if world.is_first() {
        std::fs::remove_dir_all(World::path("links")).expect("removed");
    }
    world.barrier();
}

pub(crate) fn a_name_that_is_too_long_for_arrays_between_passes_is_told_as_that(world: &World) {
    let (disk, turned) = (context(world), Permutation::new(&[1, 0]).unwrap());
    let source = source_at(world, &disk, "source");
    let to = spec(&[120, 96], &[3, 96], DataType::Float64);
    let mut target = disk.create(&World::path(&"t".repeat(250)), &to, Access::ReadWrite).expect("created");
    let text = all_fail(&disk, world.copy(&disk, (&source, &mut target), &turned, &options()));
    assert!(text.contains("File name too long") && !text.contains("something else"), "{text}");
    assert_eq!(target.unfinished().expect("looked"), None, "nothing was begun");
    delete(world, vec![source, target]);
}

/// What a directory takes on disk, with all that is in it; what goes meanwhile counts or not.
fn disk_bytes(path: &Path) -> u64 {
    let Ok(found) = path.symlink_metadata() else { return 0 };
    let entries = path.read_dir().into_iter().flatten().flatten();
    found.blocks() * 512 + entries.map(|entry| disk_bytes(&entry.path())).sum::<u64>()
}

pub(crate) fn arrays_between_passes_take_no_more_disk_than_the_plan_says(world: &World) {
    let (disk, turned) = (context(world), Permutation::new(&[1, 0]).unwrap());
    let (source, mut target) = (source_at(world, &disk, "source"), target(&disk));
    let mut most = 0;
    let mut progress = |_: &reblock::Progress| {
        let passes = (1..=9).map(|pass| World::path(&format!("target.pass-{pass}")));
        most = most.max(passes.map(|path| disk_bytes(&path)).sum::<u64>());
    };
    let maker = dra_ga::maker(&world.ga);
    let done = reblock::copy(&disk, &maker, (&source, &mut target), &turned, &options(), &mut progress);
    let told = done.expect("copied").plan.disk_bytes_max();
    assert!(most > 96 * 120 * 8 && u128::from(most) <= told, "{most} bytes instead of {told}");
    delete(world, vec![source, target]);
}
