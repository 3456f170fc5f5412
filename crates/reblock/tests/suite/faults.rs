//! Devices that fail, at one operation after the other: an error on every rank, a target that nobody takes for complete, and a second
//! try that goes on.

use crate::world::{World, all_fail, counted, nothing_is_beside, permuted, spec};
use dra::{Access, ArrayDirectory, DataType, UNFINISHED};
use elio::{Fault, FaultDevice, open_device};
use layout::{DeviceModel, Permutation};
use reblock::{Options, Outcome};
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const DIMS: [u64; 2] = [96, 120];

/// Two passes, with notes in between.
fn options() -> Options {
    let device = DeviceModel { operations_per_second: 2_000, page_bytes: 8, ..DeviceModel::default() };
    Options { device, noted_bytes: 8_000, ..Options::default() }
}

/// Opens devices of which operation number `operation` fails, counted over all of them on this rank, if they hold part of the
/// target or of what lies beside it.
pub(crate) fn failing(operation: u64, fault: Fault) -> (Arc<dra::OpenDevice>, Arc<AtomicU64>) {
    let opened = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&opened);
    let open = move |path: &Path, mode| {
        let device = open_device(path, mode)?;
        if !path.to_string_lossy().contains("target") {
            return Ok(device);
        }
        count.fetch_add(1, Ordering::Relaxed);
        let device = FaultDevice::new(device);
        device.inject(operation, fault);
        Ok(device as Arc<dyn elio::Device>)
    };
    (Arc::new(open), opened)
}

fn copy(world: &World, disk: &dra::Context) -> reblock::Result<Outcome> {
    let source = disk.open(&World::path("source"), Access::ReadOnly).expect("opened");
    let mut target = disk.open(&World::path("target"), Access::ReadWrite).expect("opened");
    let turned = Permutation::new(&[1, 0]).unwrap();
    let done = world.copy(disk, (&source, &mut target), &turned, &options());
    // What it could not write it may not be able to sync either.
    let closed = target.close();
    source.close().expect("closed");
    done.and_then(|done| closed.map(|()| done).map_err(reblock::Error::from))
}

pub(crate) fn whatever_fails_the_target_is_not_taken_for_complete_and_another_try_completes_it(
    world: &World,
) {
    let memory_bytes = 6_000 / world.ga.ranks() as u64;
    let disk = world.context(memory_bytes);
    let elements = counted(DIMS.iter().product());
    let from = spec(&DIMS, &[4, 120], DataType::Float64);
    world.source(&disk, &World::path("source"), &from, &elements).close().expect("closed");
    let expected = permuted(&elements, &DIMS, &Permutation::new(&[1, 0]).unwrap(), 8);
    let (mut felt, mut continued, mut passes) = (0, 0, 0);
    // Every one at first, then with growing gaps: each takes many syncs.
    for operation in std::iter::successors(Some(0u64), |before| Some(before + 1 + before / 3)) {
        let path = World::path("target");
        let to = spec(&[120, 96], &[3, 96], DataType::Float64);
        disk.create(&path, &to, Access::ReadWrite).expect("created").close().expect("closed");
        let fault = if felt % 2 == 0 { Fault::Fail(28) } else { Fault::Stop };
        let (open, _) = failing(operation, fault);
        let failed = copy(world, &world.on_devices(memory_bytes, open));
        let is_over = failed.is_ok();
        if let Err(error) = failed {
            felt += 1;
            all_fail::<()>(&disk, Err(error));
            let half = disk.open(&path, Access::ReadOnly).expect("opened");
            if half.unfinished().expect("looked").is_some() {
                let text = all_fail(&disk, read(world, &half));
                assert!(text.contains("re-blocking from"), "{text}");
            } else {
                // Only closing has failed.
                assert!(world.elements(&half) == expected);
            }
            half.close().expect("closed");
            let again = copy(world, &disk).expect("another try");
            continued += u32::from(again.is_continued);
            passes = again.plan.passes().len();
        }
        let whole = disk.open(&path, Access::ReadOnly).expect("opened");
        assert!(world.elements(&whole) == expected, "operation {operation}");
        whole.close().expect("closed");
        if world.is_first() {
            let attributes = ArrayDirectory::open(&path).unwrap().metadata().attributes.clone();
            assert!(!attributes.contains_key(UNFINISHED));
        }
        nothing_is_beside(&path);
        world.barrier();
        if is_over {
            break;
        }
    }
    assert!(felt >= 5 && continued >= 1 && passes > 1, "felt {felt}, continued {continued}, {passes} passes");
    for name in ["source", "target"] {
        disk.open(&World::path(name), Access::ReadOnly).expect("opened").delete().expect("deleted");
    }
    world.barrier();
}

type Change<'a> = &'a dyn Fn(&dra::Context);

/// What an interrupted try has written is of no use when the source has changed since.
pub(crate) fn a_copy_is_not_continued_when_the_source_was_written_to_meanwhile(world: &World) {
    let old = counted(DIMS.iter().product());
    let new: Vec<u8> = old.chunks(8).rev().flatten().copied().collect();
    let source = World::path("source");
    let changed: [(Change<'_>, &[u8]); 3] = [
        (&|disk| world.write(disk, &source, &new), &new),
        // As some programs that copy files leave them.
        (&|_| by_first(world, || write_again_with_its_time(&source)), &old),
        (&|_| by_first(world, || change_fill_value(&source)), &old),
    ];
    for (change, expected) in changed {
        let memory_bytes = 6_000 / world.ga.ranks() as u64;
        let disk = world.context(memory_bytes);
        let from = spec(&DIMS, &[4, 120], DataType::Float64);
        world.source(&disk, &source, &from, &old).close().expect("closed");
        let path = World::path("target");
        disk.create(&path, &spec(&[120, 96], &[3, 96], DataType::Float64), Access::ReadWrite)
            .and_then(dra::DiskArray::close)
            .expect("created");
        interrupt(world, &disk, memory_bytes);
        change(&disk);
        let again = copy(world, &disk).expect("another try");
        assert!(!again.is_continued);
        let whole = disk.open(&path, Access::ReadOnly).expect("opened");
        let turned = Permutation::new(&[1, 0]).unwrap();
        assert!(world.elements(&whole) == permuted(expected, &DIMS, &turned, 8));
        whole.delete().expect("deleted");
        disk.open(&source, Access::ReadOnly).expect("opened").delete().expect("deleted");
        nothing_is_beside(&path);
        world.barrier();
    }
}

/// Ends where there is something to go on from, by the rank that comes so far.
fn interrupt(world: &World, disk: &dra::Context, memory_bytes: u64) {
    let position = |note: Option<&serde_json::Value>| -> u64 {
        let number = |key: &str| note.and_then(|note| note.get(key)?.as_u64()).unwrap_or(0);
        number("pass") + number("template")
    };
    let noted = (10..200).step_by(10).any(|operation| {
        let (open, _) = failing(operation, Fault::Fail(28));
        let failed = copy(world, &world.on_devices(memory_bytes, open));
        let half = disk.open(&World::path("target"), Access::ReadOnly).expect("opened");
        let is_noted = failed.is_err() && position(half.unfinished().expect("looked").as_ref()) > 0;
        half.close().expect("closed");
        is_noted
    });
    assert!(noted, "no try got far enough");
}

fn by_first(world: &World, act: impl FnOnce()) {
    if world.is_first() {
        act();
    }
    world.barrier();
}

/// What nothing but the time of the change of a file tells.
fn write_again_with_its_time(array: &Path) {
    let shard = ArrayDirectory::open(array).unwrap().shard_path(0);
    let file = fs::File::options().read(true).write(true).open(shard).unwrap();
    let modified = file.metadata().unwrap().modified().unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, 0).unwrap();
    file.write_all_at(&byte, 0).unwrap();
    file.set_modified(modified).unwrap();
}

/// What all elements have that no file has.
fn change_fill_value(array: &Path) {
    let metadata = array.join("zarr.json");
    let mut parsed: serde_json::Value = serde_json::from_slice(&fs::read(&metadata).unwrap()).unwrap();
    assert_eq!(parsed["fill_value"].as_f64(), Some(0.0));
    parsed["fill_value"] = serde_json::json!(1.0);
    fs::write(&metadata, parsed.to_string()).unwrap();
}

fn read(world: &World, array: &dra::DiskArray) -> reblock::Result<()> {
    let memory = world.ga.array(ga::ElementType::Double, &[120, 96]).create().expect("an array");
    let all = dra::Transfer::whole(&[120, 96], &[120, 96]).unwrap();
    let read = array.read(&dra_ga::in_memory(&memory), &all).map(drop);
    memory.destroy().expect("destroyed");
    Ok(read?)
}

/// A note of something else, or of more passes than there are, does not lead astray.
pub(crate) fn a_note_that_is_not_of_this_copy_is_not_followed(world: &World) {
    let disk = world.context(100_000);
    let elements = counted(DIMS.iter().product());
    let from = spec(&DIMS, &[4, 120], DataType::Float64);
    let source = world.source(&disk, &World::path("source"), &from, &elements);
    let to = spec(&[120, 96], &[3, 96], DataType::Float64);
    let mut target = disk.create(&World::path("target"), &to, Access::ReadWrite).expect("created");
    let turned = Permutation::new(&[1, 0]).unwrap();
    for note in [
        serde_json::json!({ "what": "something else" }),
        serde_json::json!({ "what": "re-blocking", "passes": u64::MAX, "pass": 7, "template": 3 }),
        serde_json::json!(17),
    ] {
        target.set_attribute(UNFINISHED, Some(note)).expect("set");
        let done = world.copy(&disk, (&source, &mut target), &turned, &options()).expect("copied");
        assert!(!done.is_continued);
        assert!(world.elements(&target) == permuted(&elements, &DIMS, &turned, 8));
    }
    for array in [source, target] {
        array.delete().expect("deleted");
    }
    world.barrier();
}
