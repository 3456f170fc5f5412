//! Mistakes of the program.

use crate::world::{World, elements_of, section, spec};
use dra::{Access, ArrayDirectory, ArraySpec, DataType, Error, Transfer};
use ga::ElementType;
use std::path::Path;
use std::{env, fs};

pub(crate) fn a_mistake_of_one_rank_is_the_error_of_all(world: &World) {
    let path = World::path("mistakes");
    let array = world.disk.create(&path, &spec(&[10, 20], &[4, 7]), Access::ReadWrite).expect("created");
    let memory = world.doubles(&[10, 20]);
    let integers = world.ga.array(ElementType::Long, &[10, 20]).create().expect("an array");
    let (right, integers_too) = (dra_ga::in_memory(&memory), dra_ga::in_memory(&integers));
    let all = Transfer::whole(&[10, 20], &[10, 20]).unwrap();
    let row = section(&[0, 0], &[1, 20]);
    let wrong = [
        (&integers_too, all, "elements of type float64 on disk, int64 in memory"),
        (&right, Transfer { in_memory: row, ..all }, "does not correspond to section [0:1, 0:20]"),
        (&right, Transfer { reversed: true, ..all }, "in memory, transposed"),
        (
            &right,
            Transfer { in_memory: section(&[1, 0], &[11, 20]), ..all },
            "reaches beyond the shape [10, 20] of array",
        ),
        (
            &right,
            Transfer { on_disk: section(&[0, 0], &[10, 21]), ..all },
            "reaches beyond the shape [10, 20]: ",
        ),
        (&right, Transfer { on_disk: section(&[0], &[200]), ..all }, "reaches beyond the shape [10, 20]: "),
    ];
    for culprit in [0, world.ga.ranks() - 1] {
        for (memory, transfer, told) in &wrong {
            let here = world.ga.rank() == culprit;
            // The others' call is right, so that only one rank knows what is wrong.
            let (memory, transfer) = if here { (*memory, transfer) } else { (&right, &all) };
            let text = world.all_fail(array.write(memory, transfer));
            assert!(text.starts_with(&format!("1 rank {culprit}: ")) && text.contains(told), "{text}");
            world.all_fail(array.read(memory, transfer));
        }
    }
    // Nothing was done, and all is well.
    array.read(&right, &all).expect("started").wait().expect("read");
    assert!(elements_of(&memory).iter().all(|&byte| byte == 0));
    drop((right, integers_too));
    world.barrier();
    memory.destroy().expect("destroyed");
    integers.destroy().expect("destroyed");
    array.delete().expect("deleted");
}

pub(crate) fn ranks_that_want_different_transfers_are_all_told(world: &World) {
    if world.ga.ranks() == 1 {
        return;
    }
    let path = World::path("different");
    let array = world.disk.create(&path, &spec(&[8, 8], &[4, 4]), Access::ReadWrite).expect("created");
    let memory = world.doubles(&[8, 8]);
    let rows = |first| {
        let rows = section(&[first, 0], &[first + 1, 8]);
        Transfer { in_memory: rows, on_disk: rows, reversed: false }
    };
    let mine = rows(u64::from(world.is_first()));
    let Err(error) = array.write(&dra_ga::in_memory(&memory), &mine) else { panic!("they differ") };
    assert!(matches!(error, Error::ArgumentsDiffer { operation: "a transfer", .. }), "{error}");
    let other = World::path(if world.is_first() { "different-1" } else { "different-2" });
    let Err(error) = world.disk.create(&other, &spec(&[8, 8], &[4, 4]), Access::ReadWrite) else {
        panic!("they differ")
    };
    assert!(matches!(error, Error::ArgumentsDiffer { .. }), "{error}");
    assert!(!other.exists(), "nothing is left behind");
    memory.destroy().expect("destroyed");
    array.delete().expect("deleted");
}

pub(crate) fn an_array_is_used_as_it_was_opened(world: &World) {
    let path = World::path("access");
    let mut array = world.disk.create(&path, &spec(&[8, 8], &[4, 4]), Access::WriteOnly).expect("created");
    let memory = world.doubles(&[8, 8]);
    let in_memory = dra_ga::in_memory(&memory);
    let all = Transfer::whole(&[8, 8], &[8, 8]).unwrap();
    let text = world.all_fail(array.read(&in_memory, &all));
    assert!(text.starts_with("-1993 rank 0: the array was opened for writing, not for reading: "), "{text}");
    array.write(&in_memory, &all).expect("started").wait().expect("written");
    array.set_attribute("units", Some(1.into())).expect("set");
    array.close().expect("closed");
    let mut array = world.disk.open(&path, Access::ReadOnly).expect("opened");
    let text = world.all_fail(array.write(&in_memory, &all));
    assert!(text.contains("the array was opened for reading, not for writing: "), "{text}");
    let text = world.all_fail(array.set_attribute("units", None));
    assert!(text.contains("not for changing its attributes"), "{text}");
    drop(in_memory);
    memory.destroy().expect("destroyed");
    array.delete().expect("an array that is open for reading may be deleted");
}

pub(crate) fn arrays_that_cannot_be_are_refused(world: &World) {
    let refused = |name: &str, spec: &ArraySpec, told: &str| {
        let text = world.all_fail(world.disk.create(&World::path(name), spec, Access::ReadWrite));
        assert!(text.contains(told), "{text}");
        assert!(!World::path(name).exists());
    };
    let overflowing = ArraySpec::new(&[1 << 40, 1 << 40], DataType::Float64).unwrap();
    refused("overflow", &overflowing, "bytes of the array");
    refused("empty", &ArraySpec::new(&[8, 0], DataType::Float64).unwrap(), "dimension 1");
    refused(&"n".repeat(4000), &spec(&[8], &[8]), "File name too long");
    refused("no/such/directory", &spec(&[8], &[8]), "No such file or directory");
}

pub(crate) fn ranks_of_a_host_that_see_different_directories_are_told(world: &World) {
    // One name, and for each process what its own working directory makes of it.
    let path = Path::new("/proc/self/cwd/array");
    let before = env::current_dir().expect("a directory");
    let own = World::path(&format!("of-rank-{}", world.ga.rank()));
    fs::create_dir(&own).expect("made");
    env::set_current_dir(&own).expect("entered");
    let spec = spec(&[9, 9], &[3, 3]);
    let created = world.disk.create(path, &spec, Access::ReadWrite);
    if world.ga.ranks() == 1 {
        created.expect("it sees its own").delete().expect("deleted");
    } else {
        let text = world.all_fail(created);
        assert!(text.contains("ranks 0 and 1 of one host see different directories"), "{text}");
        assert!(!path.exists(), "nothing is left");
        ArrayDirectory::create(path, &spec).expect("created by each rank for itself");
        let text = world.all_fail(world.disk.open(path, Access::ReadOnly));
        assert!(text.contains("ranks 0 and 1 of one host see different directories"), "{text}");
        ArrayDirectory::delete(path).expect("deleted");
    }
    env::set_current_dir(before).expect("entered");
    fs::remove_dir(&own).expect("empty");
    world.barrier();
}
