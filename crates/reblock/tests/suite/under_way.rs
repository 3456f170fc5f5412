//! Copies that are asked how far they are, while a disk keeps them waiting.

use crate::world::{World, all_fail, counted, nothing_is_beside, permuted, spec};
use dra::{Access, DataType, DiskArray, Transfer};
use elio::{Fault, FaultDevice, open_device};
use layout::{DeviceModel, Permutation, Units};
use reblock::{Copying, Options};
use std::sync::{Arc, Condvar, Mutex};

const DIMS: [u64; 2] = [96, 120];

/// Several passes of many steps, with notes in between.
fn options() -> Options {
    let device = DeviceModel { operations_per_second: 2_000, page_bytes: 8, ..DeviceModel::default() };
    Options { device, noted_bytes: 8_000, ..Options::default() }
}

/// Lets files of a name be opened, or keeps who opens them waiting.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<Vec<&'static str>>, Condvar)>);

impl Gate {
    fn close(&self, names: &[&'static str]) {
        *self.0.0.lock().unwrap() = names.to_vec();
    }

    fn open(&self, name: &str) {
        self.0.0.lock().unwrap().retain(|closed| *closed != name);
        self.0.1.notify_all();
    }

    fn device(&self) -> Arc<dra::OpenDevice> {
        let gate = self.clone();
        Arc::new(move |path: &std::path::Path, mode| {
            let is_closed = |names: &mut Vec<&str>| {
                path.components().any(|part| names.iter().any(|name| part.as_os_str() == *name))
            };
            drop(gate.0.1.wait_while(gate.0.0.lock().unwrap(), is_closed).unwrap());
            open_device(path, mode)
        })
    }
}

/// The source with its elements, and an empty target, several passes away.
fn arrays(world: &World, disk: &dra::Context) -> (DiskArray, DiskArray, Vec<u8>) {
    let elements = counted(DIMS.iter().product());
    let from = spec(&DIMS, &[4, 120], DataType::Float64);
    // Written by another context, which has files of its own.
    world.source(&world.context(1 << 20), &World::path("source"), &from, &elements).close().expect("closed");
    let source = disk.open(&World::path("source"), Access::ReadOnly).expect("opened");
    let to = spec(&[120, 96], &[3, 96], DataType::Float64);
    let target = disk.create(&World::path("target"), &to, Access::ReadWrite).expect("created");
    (source, target, elements)
}

/// Whether a thread moves elements, so that nobody else meets a closed gate.
fn has_thread(world: &World) -> bool {
    let memory =
        world.ga.array(ga::ElementType::Double, &[world.ga.ranks() as u64]).create().expect("an array");
    let any_thread = dra_ga::in_memory(&memory).any_thread();
    memory.destroy().expect("destroyed");
    any_thread
}

pub(crate) fn a_copy_goes_on_when_it_is_asked_and_never_waits_for_a_disk(world: &World) {
    let gate = Gate::default();
    let disk = world.on_devices(6_000 / world.ga.ranks() as u64, gate.device());
    let (source, mut target, elements) = arrays(world, &disk);
    let turned = Permutation::new(&[1, 0]).unwrap();
    let is_gated = has_thread(world);
    if is_gated {
        gate.close(&["source", "target.pass-1"]);
    }
    let maker = Box::new(dra_ga::maker(&world.ga));
    let mut copying =
        Copying::begin(&disk, maker, (&source, &mut target), &turned, &options()).expect("begun");
    let mut written = 0;
    for closed in ["source", "target.pass-1"] {
        for _ in 0..20 {
            let mut progress = |progress: &reblock::Progress| written = progress.written_bytes;
            let done = copying.probe((&source, &mut target), &mut progress).expect("asked");
            assert!(!done || !is_gated, "nothing of {closed} can have been opened");
        }
        assert!(target.unfinished().expect("looked").is_some() || !is_gated);
        assert!(written == 0 || !is_gated, "{written} bytes");
        gate.open(closed);
    }
    let (mut noes, mut last) = (0u64, written);
    loop {
        let mut progress = |progress: &reblock::Progress| {
            assert!(progress.written_bytes >= last);
            last = progress.written_bytes;
        };
        if copying.probe((&source, &mut target), &mut progress).expect("asked") {
            break;
        }
        noes += 1;
        std::thread::yield_now();
    }
    // Asked once more it is still complete, and so says the wait.
    assert!(copying.probe((&source, &mut target), &mut |_| {}).expect("asked"));
    let done = copying.finish((&source, &mut target), &mut |_| panic!("nothing is left")).expect("complete");
    let passes = done.plan.passes().len();
    assert!(passes > 1, "{}", done.plan);
    assert_eq!(last, (passes * elements.len()) as u64, "after {noes} probes that said no");
    assert!(done.boxes_bytes_peak <= done.plan.memory_bytes_max());
    assert!(target.unfinished().expect("looked").is_none());
    assert!(world.elements(&target) == permuted(&elements, &DIMS, &turned, 8));
    nothing_is_beside(&World::path("target"));
    for array in [source, target] {
        array.delete().expect("deleted");
    }
    world.barrier();
}

/// A step at a time: read, then written.
pub(crate) fn a_copy_with_a_single_box_goes_on_when_it_is_asked(world: &World) {
    let disk = world.context(40_000 / world.ga.ranks() as u64);
    let (source, mut target, elements) = arrays(world, &disk);
    let turned = Permutation::new(&[1, 0]).unwrap();
    let device = DeviceModel {
        operations_per_second: 1_000_000,
        alone_percent: 0,
        page_bytes: 8,
        ..DeviceModel::default()
    };
    let options = Options { device, noted_bytes: 8_000, ..Options::default() };
    let maker = Box::new(dra_ga::maker(&world.ga));
    let mut copying = Copying::begin(&disk, maker, (&source, &mut target), &turned, &options).expect("begun");
    let mut written = vec![0];
    let mut progress = |progress: &reblock::Progress| written.push(progress.written_bytes);
    while !copying.probe((&source, &mut target), &mut progress).expect("asked") {
        std::thread::yield_now();
    }
    let done = copying.finish((&source, &mut target), &mut |_| panic!("nothing is left")).expect("complete");
    let [pass] = done.plan.passes() else { panic!("one pass: {}", done.plan) };
    assert!(pass.cost().max_blocks == 1 && pass.cost().steps > 2, "{}", done.plan);
    assert!(written.is_sorted() && written.last() == Some(&(elements.len() as u64)), "{written:?}");
    assert!(done.boxes_bytes_peak <= done.plan.memory_bytes_max());
    assert!(world.elements(&target) == permuted(&elements, &DIMS, &turned, 8));
    for array in [source, target] {
        array.delete().expect("deleted");
    }
    world.barrier();
}

/// Bricks whose common multiple is the array: there is no other template, and from step to step something is retained.
pub(crate) fn a_copy_that_was_given_up_goes_on_within_a_template(world: &World) {
    const ROWS: u64 = 29 * 31;
    let disk = world.context_for(8_000);
    let elements = counted(4 * ROWS);
    let same = Permutation::identity(2);
    let bricks = |rows| spec(&[ROWS, 4], &[rows, 4], DataType::Float64);
    world.source(&disk, &World::path("source"), &bricks(31), &elements).close().expect("closed");
    let source = disk.open(&World::path("source"), Access::ReadOnly).expect("opened");
    let device = DeviceModel { operations_per_second: 500, page_bytes: 8, ..DeviceModel::default() };
    let options = Options { device, units: Units::WholeBricks, noted_bytes: 2_000, ..Options::default() };
    for part in 1..8 {
        let mut target =
            disk.create(&World::path("target"), &bricks(29), Access::ReadWrite).expect("created");
        let begin = |target: &mut DiskArray| {
            let maker = Box::new(dra_ga::maker(&world.ga));
            Copying::begin(&disk, maker, (&source, target), &same, &options).expect("begun")
        };
        let mut copying = begin(&mut target);
        let mut written = 0;
        while written < elements.len() as u64 * part / 8 {
            let mut progress = |progress: &reblock::Progress| written = progress.written_bytes;
            assert!(!copying.probe((&source, &mut target), &mut progress).expect("asked"));
        }
        copying.abandon().expect("memory is freed");
        let again = begin(&mut target);
        let noted = again.progress().written_bytes;
        // A note may come some steps late: of those that are under way.
        assert!(noted <= written && noted + 2_000 + 3 * 31 * 32 >= written, "{noted} of {written} noted");
        assert!(noted > 0 || part == 1, "{written} written");
        let mut sum = noted;
        let mut progress = |progress: &reblock::Progress| sum = progress.written_bytes;
        let done = again.finish((&source, &mut target), &mut progress).expect("complete");
        let [pass] = done.plan.passes() else { panic!("one pass: {}", done.plan) };
        assert!(pass.templates_count() == 1 && pass.cost().retained_elems > 0, "{}", done.plan);
        assert_eq!(done.is_continued, noted > 0);
        assert!(
            done.boxes_bytes_peak <= done.plan.memory_bytes_max(),
            "{} of {}",
            done.boxes_bytes_peak,
            done.plan
        );
        assert_eq!(sum, elements.len() as u64);
        assert!(world.elements(&target) == elements);
        target.delete().expect("deleted");
        world.barrier();
    }
    source.delete().expect("deleted");
    world.barrier();
}

pub(crate) fn a_copy_that_is_only_asked_meets_errors_as_one_that_is_waited_for(world: &World) {
    let turned = Permutation::new(&[1, 0]).unwrap();
    let mut felt = 0;
    for operation in [0, 1, 2, 5, 11, 23] {
        let open = move |path: &std::path::Path, mode| {
            let device = FaultDevice::new(open_device(path, mode)?);
            if path.to_string_lossy().contains("target") {
                device.inject(operation, Fault::Fail(28));
            }
            Ok(device as Arc<dyn elio::Device>)
        };
        let disk = world.on_devices(6_000 / world.ga.ranks() as u64, Arc::new(open));
        let (source, mut target, elements) = arrays(world, &disk);
        let maker = Box::new(dra_ga::maker(&world.ga));
        let begun = Copying::begin(&disk, maker, (&source, &mut target), &turned, &options());
        let outcome = begun.and_then(|mut copying| {
            let arrays = &mut (&source, &mut target);
            let mut probe = || copying.probe((arrays.0, &mut *arrays.1), &mut |_| {});
            let outcome = loop {
                match probe() {
                    Ok(false) => std::thread::yield_now(),
                    outcome => break outcome.map(|_| ()),
                }
            };
            let again = probe();
            match outcome {
                Ok(()) => assert!(again.is_ok_and(|is_complete| is_complete)),
                Err(_) => assert!(matches!(again, Err(reblock::Error::Over { .. })), "{again:?}"),
            }
            outcome
        });
        if outcome.is_err() {
            felt += 1;
            all_fail(&disk, outcome);
            assert!(target.unfinished().expect("looked").is_some(), "operation {operation}");
            let _ = target.close();
            let again = world.context(6_000 / world.ga.ranks() as u64);
            target = again.open(&World::path("target"), Access::ReadWrite).expect("opened");
            world.copy(&again, (&source, &mut target), &turned, &options()).expect("another try");
        }
        let right = world.elements(&target) == permuted(&elements, &DIMS, &turned, 8);
        assert!(right, "operation {operation}");
        target.delete().expect("deleted");
        source.delete().expect("deleted");
        nothing_is_beside(&World::path("target"));
        world.barrier();
    }
    assert!(felt > 1, "{felt} operations have failed");
}

/// Handles that were opened before the copy, during it and by the copy.
pub(crate) fn all_handles_of_a_target_tell_when_it_is_complete(world: &World) {
    let disk = world.context(6_000 / world.ga.ranks() as u64);
    let (source, mut target, elements) = arrays(world, &disk);
    let turned = Permutation::new(&[1, 0]).unwrap();
    let open = || disk.open(&World::path("target"), Access::ReadOnly).expect("opened");
    let before = open();
    let maker = Box::new(dra_ga::maker(&world.ga));
    let copying = Copying::begin(&disk, maker, (&source, &mut target), &turned, &options()).expect("begun");
    let handles = [before, open()];
    for handle in &handles {
        let memory = world.ga.array(ga::ElementType::Double, &[120, 96]).create().expect("an array");
        let all = dra::Transfer::whole(&[120, 96], &[120, 96]).unwrap();
        let text = all_fail(&disk, handle.read(&dra_ga::in_memory(&memory), &all).map_err(Into::into));
        assert!(text.contains("has not ended"), "{text}");
        memory.destroy().expect("destroyed");
    }
    copying.finish((&source, &mut target), &mut |_| {}).expect("complete");
    for handle in handles {
        assert!(world.elements(&handle) == permuted(&elements, &DIMS, &turned, 8));
        handle.close().expect("closed");
    }
    for array in [source, target] {
        array.delete().expect("deleted");
    }
    world.barrier();
}

pub(crate) fn a_target_that_is_replaced_meanwhile_is_an_error(world: &World) {
    let disk = world.context(6_000 / world.ga.ranks() as u64);
    let (source, mut target, _) = arrays(world, &disk);
    let turned = Permutation::new(&[1, 0]).unwrap();
    let maker = Box::new(dra_ga::maker(&world.ga));
    let copying = Copying::begin(&disk, maker, (&source, &mut target), &turned, &options()).expect("begun");
    let alike = spec(&[120, 96], &[3, 96], DataType::Float64);
    let new = disk.create(&World::path("target"), &alike, Access::ReadWrite).expect("created");
    let text = all_fail(&disk, copying.finish((&source, &mut target), &mut |_| {}));
    assert!(text.contains("replaced"), "{text}");
    assert!(world.elements(&new).iter().all(|&byte| byte == 0), "it is another array");
    target.close().expect("closed");
    for array in [source, new] {
        array.delete().expect("deleted");
    }
    // Arrays between passes are those of a target that is no longer there.
    for pass in 0..dra::between::PASSES_MAX {
        disk.remove(&dra::between::path(&World::path("target"), pass)).expect("removed");
    }
    world.barrier();
}

/// By somebody else, in the first pass and after it.
pub(crate) fn a_source_that_is_written_to_meanwhile_is_an_error_as_long_as_it_is_read(world: &World) {
    let disk = world.context(6_000 / world.ga.ranks() as u64);
    let (source, mut target, elements) = arrays(world, &disk);
    let turned = Permutation::new(&[1, 0]).unwrap();
    let begin = |target: &mut DiskArray, checks_source| {
        let maker = Box::new(dra_ga::maker(&world.ga));
        let options = Options { checks_source, ..options() };
        Copying::begin(&disk, maker, (&source, target), &turned, &options).expect("begun")
    };
    let touch = || {
        world.barrier();
        if world.is_first() {
            let shard = std::fs::File::options().write(true).open(World::path("source").join("c/0/0"));
            shard.and_then(|shard| shard.set_modified(std::time::SystemTime::now())).expect("written to");
        }
        world.barrier();
    };
    let checking = begin(&mut target, true);
    touch();
    let text = all_fail(&disk, checking.finish((&source, &mut target), &mut |_| {}));
    assert!(text.contains("the source was written to meanwhile"), "{text}");
    assert!(target.unfinished().expect("looked").is_some(), "nobody takes the target for complete");
    let (mut seen, mut written_bytes) = (false, 0);
    let checking = begin(&mut target, true);
    let failed = checking.finish((&source, &mut target), &mut |progress| {
        written_bytes = progress.written_bytes;
        if !std::mem::replace(&mut seen, true) {
            touch();
        }
    });
    assert!(all_fail(&disk, failed).contains("the source was written to meanwhile"));
    assert!(written_bytes < DIMS.iter().product::<u64>() * 8, "the next note tells, not the end of the pass");
    let trusting = begin(&mut target, false);
    touch();
    trusting.finish((&source, &mut target), &mut |_| {}).expect("whoever writes the source knows");
    let mut is_first_pass = true;
    let done = begin(&mut target, true).finish((&source, &mut target), &mut |progress| {
        if is_first_pass && progress.pass > 0 {
            is_first_pass = false;
            touch();
        }
    });
    assert!(done.expect("read before").plan.passes().len() > 1 && !is_first_pass);
    assert!(world.elements(&target) == permuted(&elements, &DIMS, &turned, 8));
    for array in [source, target] {
        array.delete().expect("deleted");
    }
    world.barrier();
}

/// As processes of a job that was killed, of which some are still there when it is started again.
pub(crate) fn an_earlier_try_that_still_runs_ends_when_a_later_one_has_begun(world: &World) {
    let disk = world.context(1 << 20);
    let (source, mut target, elements) = arrays(world, &disk);
    let turned = Permutation::new(&[1, 0]).unwrap();
    let mut again = disk.open(&World::path("target"), Access::ReadWrite).expect("opened");
    let begin = |target: &mut DiskArray| {
        let maker = Box::new(dra_ga::maker(&world.ga));
        Copying::begin(&disk, maker, (&source, target), &turned, &Options::default()).expect("begun")
    };
    let (earlier, later) = (begin(&mut target), begin(&mut again));
    let text = all_fail(&disk, earlier.finish((&source, &mut target), &mut |_| {}));
    assert!(text.contains("replaced"), "{text}");
    assert!(again.unfinished().expect("looked").is_some(), "the later one goes on");
    let done = later.finish((&source, &mut again), &mut |_| {}).expect("complete");
    assert_eq!(done.plan.passes().len(), 1);
    assert!(world.elements(&again) == permuted(&elements, &DIMS, &turned, 8));
    let _ = target.close();
    for array in [source, again] {
        array.delete().expect("deleted");
    }
    world.barrier();
}

/// As by a program that gives its arrays zeros before it fills them, also when it is started again: what was done counts as done.
pub(crate) fn a_target_that_is_half_done_is_written_by_nobody_else(world: &World) {
    let turned = Permutation::new(&[1, 0]).unwrap();
    // In several passes, and in one, which writes the target from the first step on.
    for (memory_bytes, passes) in [(6_000, 2..=9), (1 << 20, 1..=1)] {
        let disk = world.context(memory_bytes / world.ga.ranks() as u64);
        let (source, mut target, elements) = arrays(world, &disk);
        let other = disk.open(&World::path("target"), Access::ReadWrite).expect("opened");
        let zeros = world.ga.array(ga::ElementType::Double, &[120, 96]).create().expect("an array");
        let write = |array: &DiskArray| {
            let all = Transfer::whole(&[120, 96], &[120, 96]).expect("all of it");
            array.write(&dra_ga::in_memory(&zeros), &all).and_then(|mut request| request.wait())
        };
        let is_refused = |array: &DiskArray| {
            let text = all_fail(&disk, write(array).map_err(Into::into));
            assert!(text.contains("re-blocking") && text.contains("has not ended"), "{text}");
        };
        write(&other).expect("nobody fills it yet");
        for is_abandoned in [true, false] {
            let maker = Box::new(dra_ga::maker(&world.ga));
            let mut copying =
                Copying::begin(&disk, maker, (&source, &mut target), &turned, &options()).expect("begun");
            is_refused(&target);
            let _ = copying.probe((&source, &mut target), &mut |_| {}).expect("asked");
            is_refused(&other);
            is_refused(&target);
            if is_abandoned {
                copying.abandon().expect("memory is freed");
                is_refused(&other);
                is_refused(&target);
            } else {
                let done = copying.finish((&source, &mut target), &mut |_| {}).expect("complete");
                assert!(passes.contains(&done.plan.passes().len()), "{}", done.plan);
            }
        }
        assert!(world.elements(&other) == permuted(&elements, &DIMS, &turned, 8));
        write(&other).expect("it is complete");
        write(&target).expect("it is complete");
        zeros.destroy().expect("destroyed");
        other.close().expect("closed");
        for array in [source, target] {
            array.delete().expect("deleted");
        }
        world.barrier();
    }
}

pub(crate) fn what_tries_have_left_goes_where_the_target_is_made_anew(world: &World) {
    let open = move |path: &std::path::Path, mode| {
        let device = FaultDevice::new(open_device(path, mode)?);
        if path.to_string_lossy().contains("pass-1") {
            (0..9).for_each(|operation| device.inject(operation, Fault::Fail(28)));
        }
        Ok(device as Arc<dyn elio::Device>)
    };
    let disk = world.on_devices(6_000 / world.ga.ranks() as u64, Arc::new(open));
    let (source, mut target, elements) = arrays(world, &disk);
    let turned = Permutation::new(&[1, 0]).unwrap();
    let failed = world.copy(&disk, (&source, &mut target), &turned, &options());
    all_fail(&disk, failed);
    target.close().expect("closed");
    assert!(dra::between::path(&World::path("target"), 0).exists(), "of several passes");
    world.barrier();
    // The restart of a program makes its arrays anew, and it has more memory now.
    let alike = spec(&[120, 96], &[3, 96], DataType::Float64);
    let disk = world.context(1 << 20);
    let mut target = disk.create(&World::path("target"), &alike, Access::ReadWrite).expect("created");
    let done = world.copy(&disk, (&source, &mut target), &turned, &Options::default()).expect("copied");
    assert_eq!(done.plan.passes().len(), 1);
    nothing_is_beside(&World::path("target"));
    assert!(world.elements(&target) == permuted(&elements, &DIMS, &turned, 8));
    for array in [source, target] {
        array.delete().expect("deleted");
    }
    world.barrier();
}
