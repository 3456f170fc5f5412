//! The space that files have on disk beside what was written.

use crate::world::{World, is_striped, pattern, stripes_of};
use elio::FileSystem;
use sf::{Hints, SharedFile};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::{fs, thread, time::Duration};

const MIB: u64 = 1 << 20;
const RECORD: usize = 1 << 20;

/// The files that hold the bytes of `name`.
fn files(name: &str) -> Vec<PathBuf> {
    if is_striped() { stripes_of(name) } else { vec![World::path(name)] }
}

fn allocated_bytes(name: &str) -> u64 {
    files(name).iter().map(|file| fs::metadata(file).unwrap().blocks() * 512).sum()
}

/// Whether space is allocated ahead of a writer there.
fn allocates_ahead(name: &str) -> bool {
    files(name).iter().all(|file| elio::stat(file).unwrap().file_system == FileSystem::Local)
}

/// All ranks write a file of so many MiB, by turns.
fn fill(world: &World, file: &SharedFile, mib_count: u64) {
    for mib in (0..mib_count).filter(|mib| mib % world.ranks() as u64 == world.rank() as u64) {
        file.write(mib * MIB, &pattern(0, mib * MIB, RECORD)).unwrap();
    }
    world.barrier();
}

pub(crate) fn no_space_is_reserved_beyond_the_hard_limit(world: &World) {
    let hints = Hints { hard_limit_bytes: Some(60 * MIB), ..Hints::default() };
    let file = SharedFile::create(&world.comm, &World::path("limited"), &hints).unwrap();
    fill(world, &file, 40);
    if world.is_first() {
        let allocated = allocated_bytes("limited");
        let least = if allocates_ahead("limited") { 50 * MIB } else { 40 * MIB };
        assert!((least..=61 * MIB).contains(&allocated), "{} MiB", allocated / MIB);
    }
    world.barrier();
    file.destroy().unwrap();
}

pub(crate) fn a_file_that_all_give_up_at_once_keeps_no_more_space_than_it_needs(world: &World) {
    let file = world.create("kept space");
    fill(world, &file, 40);
    if world.is_first() && allocates_ahead("kept space") {
        assert!(allocated_bytes("kept space") > 60 * MIB, "nothing is reserved ahead");
    }
    world.barrier();
    file.abandon().unwrap();
    world.barrier();
    if world.is_first() {
        // Polls: a helper gives back, and a busy disk takes its time for that.
        let given_back = (0..1000).any(|_| {
            thread::sleep(Duration::from_millis(10));
            allocated_bytes("kept space") <= 42 * MIB
        });
        assert!(given_back, "{} MiB", allocated_bytes("kept space") / MIB);
    }
    world.barrier();
    let file = world.create("kept space");
    let mut found = vec![0; RECORD];
    for mib in 0..40 {
        file.read(mib * MIB, &mut found).unwrap();
        assert!(found == pattern(0, mib * MIB, RECORD), "{mib}");
    }
    assert_eq!(file.len_bytes().unwrap(), 40 * MIB);
    world.barrier();
    file.destroy().unwrap();
}

pub(crate) fn what_ranks_that_were_killed_had_reserved_is_given_back_when_the_file_is_found(world: &World) {
    let file = world.create("left");
    fill(world, &file, 5);
    file.abandon().unwrap();
    world.barrier();
    if world.is_first() {
        for file in files("left") {
            let left = elio::File::open(file, &elio::OpenOptions::new(elio::Mode::Existing)).unwrap();
            left.preallocate(0, 64 * MIB).unwrap();
        }
    }
    // Helpers close files, and nobody gives back what is behind the end of a file that they still have.
    let mut file = world.create("left");
    for _ in 0..100 {
        let mut surplus =
            [i64::from(world.is_first() && allocates_ahead("left") && allocated_bytes("left") >= 7 * MIB)];
        world.comm.broadcast(&mut surplus, 0).unwrap();
        if surplus[0] == 0 {
            break;
        }
        file.abandon().unwrap();
        thread::sleep(Duration::from_millis(20));
        world.barrier();
        file = world.create("left");
    }
    if world.is_first() && allocates_ahead("left") {
        assert!(allocated_bytes("left") < 7 * MIB, "{} MiB", allocated_bytes("left") / MIB);
    }
    assert_eq!(file.len_bytes().unwrap(), 5 * MIB);
    world.barrier();
    file.destroy().unwrap();
}
