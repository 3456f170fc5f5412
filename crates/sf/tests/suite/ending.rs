//! How files end: destroyed, given up, removed by somebody else.

use crate::world::{World, assert_same, is_striped, pattern, stripes_of};
use comm::Operation;
use sf::CachePolicy;
use std::fs;

pub(crate) fn requests_under_way_outlive_the_file(world: &World) {
    // What goes to the device is never done by the call that asks for it.
    let file = world.create_with("pending", CachePolicy::Bypass, None);
    let len = 4 << 20;
    let mine = (world.rank() * len) as u64;
    file.write(mine, &pattern(1, mine, len)).unwrap();
    file.sync().unwrap();
    let reads: Vec<_> = (0..8)
        .map(|part| mine + part * (len as u64 / 8))
        .map(|at| (at, file.aread(at, vec![0; len / 8]).unwrap()))
        .collect();
    let (written_len, writes_max) = (9 << 20, 15);
    let beyond = (world.ranks() * len + world.rank() * (writes_max * written_len + 10)) as u64;
    let small = file.awrite(beyond + (writes_max * written_len) as u64, vec![3; 10]).unwrap();
    // One after the other, until one has not finished when the next thing is done.
    let mut writes = Vec::new();
    let mut under_way = [0];
    while writes.len() < writes_max && under_way == [0] {
        let at = beyond + (writes.len() * written_len) as u64;
        writes.push(file.awrite(at, vec![2; written_len]).unwrap());
        under_way = [i64::from(writes.iter_mut().any(|write| !write.is_finished()))];
    }
    file.destroy().unwrap();
    assert!(!World::path("pending").exists() && stripes_of("pending").is_empty());
    for (at, request) in reads {
        let (got, found) = request.finish().unwrap();
        assert_same(&found[..got], &pattern(1, at, len / 8), "read after the end of the file");
    }
    for mut request in writes {
        request.wait().unwrap();
    }
    assert_eq!(small.finish().unwrap().0, 10);
    world.comm.all_reduce(&mut under_way, Operation::Sum).unwrap();
    let is_in_memory =
        elio::stat(&test_support::shared_dir()).unwrap().file_system == elio::FileSystem::Memory;
    assert!(under_way[0] > 0 || is_in_memory, "all writes had finished before the file was destroyed");
}

pub(crate) fn a_file_that_was_given_up_is_kept(world: &World) {
    let file = world.create("given up");
    let mine = 1000 * world.rank() as u64;
    drop(file.awrite(mine, pattern(0, mine, 1000)).unwrap());
    file.abandon().unwrap();
    world.barrier();
    let file = world.create("given up");
    let mut found = vec![0; 1000 * world.ranks()];
    file.read(0, &mut found).unwrap();
    assert_same(&found, &pattern(0, 0, found.len()), "kept");
    world.barrier();
    file.destroy().unwrap();
}

pub(crate) fn a_file_that_somebody_else_removed_is_destroyed(world: &World) {
    let file = world.create("removed");
    file.write(10 * world.rank() as u64, &[1; 10]).unwrap();
    world.barrier();
    if world.is_first() {
        fs::remove_file(World::path("removed")).unwrap();
    }
    world.barrier();
    let mut found = vec![0; 10 * world.ranks()];
    file.read(0, &mut found).unwrap();
    assert!(found.iter().all(|&byte| byte == 1));
    file.destroy().unwrap();
    assert!(stripes_of("removed").is_empty(), "striped: {}", is_striped());
}

/// What was renamed to be kept stays, and so does what has got its name.
pub(crate) fn another_file_that_has_the_name_now_stays(world: &World) {
    let file = world.create("renamed");
    let (path, kept) = (World::path("renamed"), World::path("kept"));
    if world.is_first() {
        fs::rename(&path, &kept).unwrap();
        fs::write(&path, "somebody else's").unwrap();
    }
    world.barrier();
    file.destroy().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"somebody else's");
    assert!(kept.exists() && stripes_of("renamed").is_empty());
    world.barrier();
    if world.is_first() {
        fs::remove_file(&path).unwrap();
        fs::remove_file(&kept).unwrap();
    }
    world.barrier();
}
