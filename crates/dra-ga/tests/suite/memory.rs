//! How much memory transfers take, and on which ranks.

use crate::world::{World, counted, elements_of, spec};
use dra::{Access, Context, DataType, Settings, Transfer};
use std::fs;

/// Writes and reads an array of 100 x 4096 doubles in bricks of 64 KiB, of which each rank tells how much memory it took.
fn memory_taken(world: &World, disk: &Context, io_processes: i64) -> Vec<u64> {
    let (path, dims) = (World::path("memory"), [100, 4096]);
    let mut spec = spec(&dims, &[2, 4096]);
    spec.attributes.io_processes_hint = io_processes;
    let array = disk.create(&path, &spec, Access::ReadWrite).expect("created");
    let memory = world.array(DataType::Float64, &dims, &counted(0, 409_600));
    let all = Transfer::whole(&dims, &dims).unwrap();
    array.write(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("written");
    memory.fill(0.0.into()).expect("filled");
    array.read(&dra_ga::in_memory(&memory), &all).expect("started").wait().expect("read");
    assert!(elements_of(&memory) == counted(0, 409_600), "other elements than were written");
    world.barrier();
    memory.destroy().expect("destroyed");
    array.delete().expect("deleted");
    disk.comm().all_gather(&[disk.memory_bytes_peak()]).expect("gathered")
}

pub(crate) fn buffers_stay_within_what_was_given_or_two_bricks(world: &World) {
    let brick_bytes = 64 << 10;
    for (given, expected) in [(1, 2), (5 * brick_bytes + 100, 5), (100 * brick_bytes, 64)] {
        let settings = Settings { memory_bytes: Some(given), io_processes: Some(1) };
        let disk = dra_ga::context(&world.ga, settings).expect("a context");
        let taken = memory_taken(world, &disk, 0);
        assert_eq!(taken[0], expected * brick_bytes, "of {given} bytes");
        assert!(taken[1..].iter().all(|&bytes| bytes == 0), "only the I/O process has buffers");
    }
}

/// What this process has ever had in memory at once since the last call, in bytes; `None` where the system does not tell.
fn peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    // The mark begins anew from what there is now.
    fs::write("/proc/self/clear_refs", "5").ok()?;
    Some(kib << 10)
}

/// Everything together, as the system counts it: nothing of a transfer grows with its size. On one rank, because memory of
/// other ranks is counted once it is touched.
pub(crate) fn a_transfer_takes_no_more_memory_than_its_buffers(world: &World) {
    let dims = [1024, 4096];
    let given_bytes: u64 = 2 << 20;
    let settings = Settings { memory_bytes: Some(given_bytes), io_processes: None };
    let disk = dra_ga::context(&world.ga, settings).expect("a context");
    let array =
        disk.create(&World::path("peak"), &spec(&dims, &[8, 4096]), Access::ReadWrite).expect("created");
    let memory = world.doubles(&dims);
    let (in_memory, all) = (dra_ga::in_memory(&memory), Transfer::whole(&dims, &dims).unwrap());
    for value in [1.0, 2.0] {
        memory.fill(value.into()).expect("filled");
        let Some(before) = peak_bytes().and_then(|_| peak_bytes()) else { return };
        array.write(&in_memory, &all).expect("started").wait().expect("written");
        array.read(&in_memory, &all).expect("started").wait().expect("read");
        let grown = peak_bytes().expect("told before").saturating_sub(before);
        // Of 32 MiB that were moved: buffers, rounded to huge pages, and the stacks of threads.
        assert!(grown <= given_bytes + (4 << 20), "grown by {grown} bytes");
    }
    drop(in_memory);
    memory.destroy().expect("destroyed");
    array.delete().expect("deleted");
}

pub(crate) fn io_processes_are_those_asked_for(world: &World) {
    let ranks = world.ga.ranks();
    for (asked, expected) in [(1, 1), (3, 3.min(ranks)), (100, ranks)] {
        let disk = dra_ga::context(&world.ga, Settings::default()).expect("a context");
        let taken = memory_taken(world, &disk, asked);
        assert_eq!(taken.into_iter().filter(|&bytes| bytes > 0).count(), expected, "{asked} asked for");
    }
}
