//! Arrays that are missing, damaged, or of other programs.

use crate::world::{World, counted, elements_of, section, spec};
use dra::{Access, ArrayDirectory, DataType, DiskArray, Transfer};
use std::fs;
use std::path::Path;

/// Does something on one rank, between barriers.
fn alone(world: &World, work: impl FnOnce()) {
    world.barrier();
    if world.is_first() {
        work();
    }
    world.barrier();
}

/// A closed array of 12 x 10 counted doubles in four bricks.
fn make_counted(world: &World, path: &Path) {
    let array = world.disk.create(path, &spec(&[12, 10], &[6, 5]), Access::ReadWrite).expect("created");
    let memory = world.array(DataType::Float64, &[12, 10], &counted(0, 120));
    let all = Transfer::whole(&[12, 10], &[12, 10]).unwrap();
    array.write(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("written");
    array.close().expect("closed");
    memory.destroy().expect("destroyed");
}

/// Reads all of it.
fn read_all(world: &World, array: &DiskArray) -> dra::Result<Vec<u8>> {
    let memory = world.doubles(&[12, 10]);
    let all = Transfer::whole(&[12, 10], &[12, 10]).unwrap();
    let outcome = array.read(&dra_ga::in_memory(&memory), &all).and_then(|mut request| request.wait());
    let found = elements_of(&memory);
    world.barrier();
    memory.destroy().expect("destroyed");
    outcome.map(|()| found)
}

pub(crate) fn what_is_no_array_is_the_same_error_everywhere(world: &World) {
    let path = World::path("none");
    let open = || world.all_fail(world.disk.open(&path, Access::ReadWrite));
    assert!(open().starts_with("-1 rank 0: no such array: "));
    alone(world, || fs::write(&path, "text").unwrap());
    assert!(open().starts_with("1 rank 0: a file, not a Zarr v3 array"));
    let text = world.all_fail(world.disk.create(&path, &spec(&[8], &[8]), Access::ReadWrite));
    assert!(text.contains("left alone"), "{text}");
    alone(world, || {
        assert_eq!(fs::read(&path).unwrap(), b"text");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
    });
    // A program that was killed may have left this and no more.
    assert!(open().starts_with("-1 rank 0: an empty directory, no array: "));
    alone(world, || fs::create_dir(path.join(".chemio-new")).unwrap());
    assert!(open().starts_with("-1 rank 0: creating or deleting the array was interrupted"));
    // Which is no reason not to create it.
    world
        .disk
        .create(&path, &spec(&[8], &[8]), Access::ReadWrite)
        .expect("created")
        .delete()
        .expect("deleted");
}

pub(crate) fn a_damaged_shard_is_an_error_of_the_wait_on_every_rank(world: &World) {
    let path = World::path("damaged");
    make_counted(world, &path);
    let shard = path.join("c/0/0");
    let whole = fs::read(&shard).expect("the shard");
    alone(world, || fs::write(&shard, &whole[..whole.len() / 2]).unwrap());
    let array = world.disk.open(&path, Access::ReadOnly).expect("opened");
    let text = world.all_fail(read_all(world, &array));
    assert!(text.contains("checksum") && text.contains("c/0/0"), "{text}");
    array.close().expect("the error was told");
    let text = world.all_fail(world.disk.open(&path, Access::ReadWrite));
    assert!(text.contains("checksum"), "{text}");
    alone(world, || fs::write(&shard, &whole).unwrap());
    // Truncated while it is open.
    let array = world.disk.open(&path, Access::ReadOnly).expect("opened");
    assert_eq!(read_all(world, &array).expect("read"), counted(0, 120));
    alone(world, || fs::File::options().write(true).open(&shard).unwrap().set_len(5000).unwrap());
    let text = world.all_fail(read_all(world, &array));
    assert!(text.contains("bytes of the brick in slot") && text.contains("c/0/0"), "{text}");
    array.delete().expect("deleted");
}

pub(crate) fn arrays_of_other_programs_are_read_and_written(world: &World) {
    let path = World::path("rewritten");
    make_counted(world, &path);
    let expected = counted(0, 120);
    // As other tools leave a shard: without gaps, and in another order.
    alone(world, || rewrite_compactly(&path));
    let array = world.disk.open(&path, Access::ReadOnly).expect("opened");
    assert_eq!(read_all(world, &array).expect("read"), expected);
    // Replaced while it is open for reading: the new one is read.
    alone(world, || {
        let shard = path.join("c/0/0");
        fs::write(path.join("other"), fs::read(&shard).unwrap()).unwrap();
        fs::rename(path.join("other"), &shard).unwrap();
    });
    assert_eq!(read_all(world, &array).expect("read"), expected);
    array.close().expect("closed");

    let array = world.disk.open(&path, Access::ReadWrite).expect("opened, and laid out as ours");
    let memory = world.array(DataType::Float64, &[1, 3], &counted(1000, 3));
    let transfer =
        Transfer { in_memory: memory.whole(), on_disk: section(&[7, 4], &[8, 7]), reversed: false };
    array.write(&dra_ga::in_memory(&memory), &transfer).expect("started").wait().expect("written");
    let mut changed = expected;
    changed[74 * 8..77 * 8].copy_from_slice(&counted(1000, 3));
    assert_eq!(read_all(world, &array).expect("read"), changed);
    // Removed while it is open for writing: an error, and no new shard that would hide the loss.
    alone(world, || fs::rename(path.join("c/0/0"), path.join("moved")).unwrap());
    let outcome = array.write(&dra_ga::in_memory(&memory), &transfer).expect("started").wait();
    let text = world.all_fail(outcome);
    assert!(text.contains("replaced or removed by another program"), "{text}");
    alone(world, || fs::rename(path.join("moved"), path.join("c/0/0")).unwrap());
    assert_eq!(read_all(world, &array).expect("read"), changed);
    memory.destroy().expect("destroyed");
    array.close().expect("closed");
    alone(world, || drop(ArrayDirectory::delete(&path).unwrap()));
}

/// Writes the only shard of an array of 12 x 10 doubles in bricks of 6 x 5 anew.
fn rewrite_compactly(path: &Path) {
    let directory = ArrayDirectory::open(path).unwrap();
    let (shard, made) = (directory.shard_path(0), fs::read(directory.shard_path(0)).unwrap());
    let (mut bytes, mut index) = (vec![], [0; 64]);
    for slot in [2u64, 0, 3, 1] {
        let entry = &mut index[section::size(slot) * 16..][..16];
        entry[..8].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
        entry[8..].copy_from_slice(&240u64.to_le_bytes());
        let at = section::size(directory.layout().shard().offset_bytes(slot));
        bytes.extend(&made[at..at + 240]);
    }
    bytes.extend(index);
    bytes.extend(crc32c::crc32c(&index).to_le_bytes());
    fs::write(shard, bytes).unwrap();
}
