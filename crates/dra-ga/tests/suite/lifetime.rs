//! What may end before what.

use crate::world::{World, counted, elements_of, evict, section, spec};
use dra::{Access, ArrayDirectory, DataType, Transfer, UNFINISHED};
use section::Section;

pub(crate) fn closing_waits_for_what_is_under_way(world: &World) {
    let path = World::path("closed");
    let dims = [300, 200];
    let array = world.disk.create(&path, &spec(&dims, &[32, 64]), Access::WriteOnly).expect("created");
    let memory = world.array(DataType::Float64, &dims, &counted(0, 60_000));
    let all = Transfer::whole(&dims, &dims).unwrap();
    let mut request = array.write(&dra_ga::in_memory(&memory), &all).expect("started");
    drop(array.write(&dra_ga::in_memory(&memory), &all).expect("started"));
    array.close().expect("closed");
    let mut found = vec![0; 60_000 * 8];
    ArrayDirectory::open(&path).unwrap().read(&Section::whole(&dims).unwrap(), &mut found).unwrap();
    assert_eq!(found, counted(0, 60_000));
    for _ in 0..2 {
        assert!(request.probe().expect("probed"));
        request.wait().expect("complete long ago");
    }
    memory.destroy().expect("destroyed");
}

pub(crate) fn an_array_in_memory_may_go_before_the_wait(world: &World) {
    let path = World::path("destroyed");
    let dims = [100, 200];
    let array = world.disk.create(&path, &spec(&dims, &[32, 64]), Access::ReadWrite).expect("created");
    let memory = world.array(DataType::Float64, &dims, &counted(5, 20_000));
    let in_reach = memory.is_in_reach();
    let all = Transfer::whole(&dims, &dims).unwrap();
    let mut request = array.write(&dra_ga::in_memory(&memory), &all).expect("started");
    memory.destroy().expect("destroyed");
    let outcome = request.wait();
    if in_reach {
        outcome.expect("the memory was kept");
        let read = world.doubles(&dims);
        array.read(&dra_ga::in_memory(&read), &all).expect("started").wait().expect("read");
        assert_eq!(elements_of(&read), counted(5, 20_000));
        world.barrier();
        read.destroy().expect("destroyed");
    } else {
        let text = world.all_fail(outcome);
        assert!(text.contains("the array was removed"), "{text}");
    }
    array.delete().expect("deleted");
}

pub(crate) fn an_array_is_replaced_and_deleted(world: &World) {
    let path = World::path("replaced");
    let old = world.disk.create(&path, &spec(&[9, 9], &[3, 3]), Access::ReadWrite).expect("created");
    let memory = world.array(DataType::Float64, &[9, 9], &counted(1, 81));
    let all = Transfer::whole(&[9, 9], &[9, 9]).unwrap();
    old.write(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("written");
    old.close().expect("closed");
    let mut larger = spec(&[20, 9], &[3, 3]);
    larger.files = 3;
    let new = world.disk.create(&path, &larger, Access::ReadWrite).expect("created");
    assert_eq!(new.directory().layout().shards_count(), 3);
    let transfer =
        Transfer { in_memory: memory.whole(), on_disk: section(&[11, 0], &[20, 9]), reversed: false };
    new.read(&dra_ga::in_memory(&memory), &transfer).expect("started").wait().expect("read");
    assert_eq!(elements_of(&memory), [0; 81 * 8], "nothing of the old one");
    new.delete().expect("deleted");
    assert!(!path.exists());
    world.barrier();
    memory.destroy().expect("destroyed");
}

pub(crate) fn attributes_are_seen_by_all_ranks(world: &World) {
    let path = World::path("attributes");
    let mut array = world.disk.create(&path, &spec(&[4], &[4]), Access::ReadWrite).expect("created");
    let energy = serde_json::json!({"energy": -76.026_765, "converged": true});
    array.set_attribute("scf", Some(energy.clone())).expect("set");
    assert_eq!(array.directory().metadata().attributes["scf"], energy);
    array.set_attribute("scf", None).expect("taken away");
    assert!(!array.directory().metadata().attributes.contains_key("scf"));
    let text = world.all_fail(array.set_attribute("chemio", None));
    assert!(text.contains("the attribute chemio"), "{text}");
    array.delete().expect("deleted");
}

pub(crate) fn what_is_done_by_another_handle_is_noticed(world: &World) {
    let path = World::path("handles");
    let mut one = world.disk.create(&path, &spec(&[9, 9], &[3, 3]), Access::ReadWrite).expect("created");
    let other = world.disk.open(&path, Access::ReadOnly).expect("opened");
    let memory = world.array(DataType::Float64, &[9, 9], &counted(1, 81));
    let in_memory = dra_ga::in_memory(&memory);
    let all = Transfer::whole(&[9, 9], &[9, 9]).unwrap();
    one.write(&in_memory, &all).expect("started").wait().expect("written");

    one.set_attribute("units", Some("hartree".into())).expect("set");
    assert_eq!(other.metadata_now().expect("looked").attributes["units"], "hartree");
    let mark = serde_json::json!({"what": "filling"});
    one.set_attribute(UNFINISHED, Some(mark.clone())).expect("marked");
    let during = world.disk.open(&path, Access::ReadOnly).expect("opened");
    for array in [&other, &during] {
        assert_eq!(array.unfinished().expect("looked").as_ref(), Some(&mark));
        let text = world.all_fail(array.read(&in_memory, &all));
        assert!(text.contains("filling has not ended"), "{text}");
    }
    one.set_attribute(UNFINISHED, None).expect("complete");
    for array in [&other, &during] {
        memory.fill(0.0.into()).expect("filled");
        array.read(&in_memory, &all).expect("complete").wait().expect("read");
        assert_eq!(elements_of(&memory), counted(1, 81));
        world.barrier();
    }

    one.set_attribute(UNFINISHED, Some(mark.clone())).expect("marked");
    one.fill(false);
    // Who fills it goes away with a write under way; when the mark has gone, too, it is an array like any other.
    let filling = one.write_filling(&in_memory, &all).expect("its mark");
    drop(filling);
    one.set_attribute(UNFINISHED, None).expect("complete");
    one.write(&in_memory, &all).expect("nobody fills it").wait().expect("written");

    one.set_attribute(UNFINISHED, Some(mark)).expect("marked");
    one.fill(false);
    let same = world.disk.create(&path, &spec(&[9, 9], &[3, 3]), Access::ReadWrite).expect("created");
    let text = world.all_fail(one.write_filling(&in_memory, &all));
    assert!(text.contains("replaced by another one"), "{text}");
    let text = world.all_fail(one.set_attribute(UNFINISHED, None));
    assert!(text.contains("replaced by another one"), "{text}");
    same.close().expect("closed");
    let larger = world.disk.create(&path, &spec(&[9, 9], &[4, 4]), Access::ReadWrite).expect("created");
    let text = world.all_fail(other.read(&in_memory, &all));
    assert!(text.contains("replaced by another one"), "{text}");
    larger.delete().expect("deleted");
    let text = world.all_fail(other.read(&in_memory, &all));
    assert!(text.starts_with("-1 ") && text.contains("no such array"), "{text}");
    let text = world.all_fail(one.close());
    assert!(text.contains("replaced or removed"), "what it has written is lost: {text}");
    for array in [other, during] {
        array.close().expect("closed");
    }
    drop(in_memory);
    memory.destroy().expect("destroyed");
}

pub(crate) fn handles_of_one_array_write_side_by_side(world: &World) {
    let (path, link) = (World::path("neighbours"), World::path("another name"));
    let one = world.disk.create(&path, &spec(&[256, 2048], &[64, 512]), Access::ReadWrite).expect("created");
    if world.is_first() {
        std::os::unix::fs::symlink(&path, &link).expect("a link");
    }
    world.barrier();
    let others = [&path, &link].map(|path| world.disk.open(path, Access::ReadWrite).expect("opened"));
    let handles = [&one, &others[0], &others[1]];
    let all = Transfer::whole(&[256, 2048], &[256, 2048]).unwrap();
    for first in [7, 77, 777] {
        let memory = world.array(DataType::Float64, &[256, 2048], &counted(first, 524_288));
        let in_memory = dra_ga::in_memory(&memory);
        if world.is_first() {
            evict(&path);
        }
        world.barrier();
        // From the second time on what is there already has to be read around each part of a brick.
        let strip = |at: u64| {
            let (row, column) = (at / 12 * 64, at % 12 * 171);
            section(&[row, column], &[row + 64, (column + 171).min(2048)])
        };
        let requests: Vec<_> = (0..48)
            .map(|at| {
                let part = strip(at);
                let transfer = Transfer { in_memory: part, on_disk: part, reversed: false };
                handles[usize::try_from(at % 3).unwrap()].write(&in_memory, &transfer).expect("started")
            })
            .collect();
        for mut request in requests {
            request.wait().expect("written");
        }
        memory.fill(0.0.into()).expect("filled");
        one.read(&in_memory, &all).expect("started").wait().expect("read");
        assert!(elements_of(&memory) == counted(first, 524_288), "elements from {first} on are lost");
        world.barrier();
        drop(in_memory);
        memory.destroy().expect("destroyed");
    }
    for other in others {
        other.close().expect("closed");
    }
    one.delete().expect("deleted");
}

pub(crate) fn hundreds_of_requests_are_outstanding(world: &World) {
    let path = World::path("hundreds");
    let array = world.disk.create(&path, &spec(&[300, 50], &[7, 11]), Access::ReadWrite).expect("created");
    let memory = world.array(DataType::Float64, &[300, 50], &counted(0, 15_000));
    let in_memory = dra_ga::in_memory(&memory);
    let row = |row| {
        let row = section(&[row, 0], &[row + 1, 50]);
        Transfer { in_memory: row, on_disk: row, reversed: false }
    };
    let requests: Vec<_> = (0..300).map(|at| array.write(&in_memory, &row(at)).expect("started")).collect();
    // In another order than they were issued in.
    for mut request in requests.into_iter().rev() {
        request.wait().expect("written");
    }
    memory.fill(0.0.into()).expect("filled");
    let requests: Vec<_> = (0..300).map(|at| array.read(&in_memory, &row(at)).expect("started")).collect();
    for mut request in requests {
        request.wait().expect("read");
    }
    assert_eq!(elements_of(&memory), counted(0, 15_000));
    world.barrier();
    drop(in_memory);
    memory.destroy().expect("destroyed");
    array.delete().expect("deleted");
}
