//! The end of a file, its limits, and what a rank may do with it.

use crate::world::{World, assert_same, is_striped, pattern, stripes_of};
use sf::{Access, Error, Hints, SharedFile, codes};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

pub(crate) fn the_end_is_where_any_rank_has_written_farthest(world: &World) {
    let file = world.create("end");
    assert!(matches!(file.read(0, &mut [0]), Err(Error::EndOfFile { got_bytes: 0, .. })));
    file.read(5, &mut []).unwrap();
    world.barrier();
    let last = world.ranks() - 1;
    if world.rank() == last {
        file.awrite(3_000_000, vec![5; 100]).unwrap().wait().unwrap();
    }
    world.barrier();
    assert_eq!(file.len_bytes().unwrap(), 3_000_100);
    // All before it is a hole.
    let mut found = vec![9; 3_000_100];
    file.read(0, &mut found).unwrap();
    assert!(
        found[..3_000_000].iter().all(|&byte| byte == 0) && found[3_000_000..].iter().all(|&byte| byte == 5)
    );
    let beyond = file.read(3_000_050, &mut found[..100]).unwrap_err();
    assert!(matches!(
        beyond,
        Error::EndOfFile { offset_bytes: 3_000_050, len_bytes: 100, got_bytes: 50, .. }
    ));
    assert_eq!(beyond.code(), -1977);
    assert!(found[..50].iter().all(|&byte| byte == 5));
    let mut request = file.aread(2_999_000, vec![9; 2000]).unwrap();
    for _ in 0..2 {
        assert!(matches!(request.wait(), Err(Error::EndOfFile { got_bytes: 1100, .. })));
    }
    let (got, found) = request.finish().unwrap();
    assert_eq!((got, found[999], found[1000]), (1100, 0, 5));
    world.barrier();
    // The end is asked for, not remembered.
    if world.is_first() {
        file.write(3_000_100, &[6; 50]).unwrap();
    }
    world.barrier();
    let mut found = [0; 100];
    file.read(3_000_050, &mut found).unwrap();
    assert_eq!((found[49], found[50]), (5, 6));
    world.barrier();
    file.destroy().unwrap();
}

pub(crate) fn a_write_beyond_the_hard_limit_is_refused_by_name(world: &World) {
    let hints = Hints { hard_limit_bytes: Some(1_000_000), ..Hints::default() };
    let file = SharedFile::create(&world.comm, &World::path("hard"), &hints).unwrap();
    if world.is_first() {
        file.write(999_990, &[1; 10]).unwrap();
        let error = file.write(999_991, &[1; 10]).unwrap_err();
        assert!(matches!(
            error,
            Error::HardLimit { limit_bytes: 1_000_000, offset_bytes: 999_991, len_bytes: 10, .. }
        ));
        assert!(error.to_string().starts_with("hard limit of 1000000 bytes"), "{error}");
        assert_eq!(error.code(), codes::DEVICE_WRITE);
        let error = file.awrite(u64::MAX, vec![1; 10]).unwrap_err();
        assert!(matches!(error, Error::HardLimit { .. }), "{error}");
        assert_eq!(error.code(), codes::DEVICE_AWRITE);
        file.write(1_000_000, &[]).unwrap();
        assert_eq!(file.len_bytes().unwrap(), 1_000_000);
    }
    world.barrier();
    file.destroy().unwrap();
}

/// The files that hold the bytes of `name`.
fn files(name: &str) -> Vec<PathBuf> {
    if is_striped() { stripes_of(name) } else { vec![World::path(name)] }
}

fn reserved_bytes(name: &str) -> u64 {
    files(name).iter().map(|file| std::fs::metadata(file).unwrap().blocks() * 512).sum()
}

pub(crate) fn the_soft_limit_reserves_space_and_no_length(world: &World) {
    let hints =
        Hints { soft_limit_bytes: Some(10_000_000), request_bytes: Some(160_000), ..Hints::default() };
    let file = SharedFile::create(&world.comm, &World::path("soft"), &hints).unwrap();
    assert_eq!(file.len_bytes().unwrap(), 0);
    assert!(matches!(file.read(0, &mut [0]), Err(Error::EndOfFile { .. })));
    if world.is_first() {
        let reserved = reserved_bytes("soft");
        assert!((10_000_000..12_000_000).contains(&reserved), "{reserved}");
        assert_eq!(files("soft").len(), if is_striped() { 2 } else { 1 });
    }
    world.barrier();
    // It is no limit.
    let mine = 10_000_000 + 1000 * world.rank() as u64;
    file.write(mine, &pattern(0, mine, 1000)).unwrap();
    world.barrier();
    assert_eq!(file.len_bytes().unwrap(), 10_000_000 + 1000 * world.ranks() as u64);
    world.barrier();
    file.destroy().unwrap();
}

/// Bytes that the disk has no room for, the same on all ranks, also over the stripes together.
fn more_than_there_is(world: &World) -> u64 {
    let available = elio::stat(&test_support::shared_dir()).unwrap().available_bytes;
    let of_first = world.comm.broadcast_text(available.to_string(), 0).unwrap();
    3 * of_first.parse::<u64>().unwrap() + (1 << 40)
}

pub(crate) fn a_soft_limit_without_space_fails_everywhere_and_leaves_nothing(world: &World) {
    let hints = Hints { soft_limit_bytes: Some(more_than_there_is(world)), ..Hints::default() };
    let error = world.all_fail(SharedFile::create(&world.comm, &World::path("nospace"), &hints));
    assert!(error.to_string().contains("no space left on device"), "{error}");
    assert!(matches!(error, Error::OnRank { rank: 0, code: codes::DEVICE_WRITE, .. }), "{error:?}");
    assert!(!World::path("nospace").exists() && stripes_of("nospace").is_empty());
    // With a hard limit no more is reserved than the file may have.
    let hints = Hints { hard_limit_bytes: Some(1 << 20), ..hints };
    SharedFile::create(&world.comm, &World::path("nospace"), &hints).unwrap().destroy().unwrap();
}

/// As after a restart on a disk that has filled up since: the file is only read.
pub(crate) fn a_file_that_is_found_needs_no_space_for_its_soft_limit(world: &World) {
    let mine = 100_000 * world.rank() as u64;
    let file = world.create("restarted");
    file.write(mine, &pattern(1, mine, 100_000)).unwrap();
    file.abandon().unwrap();
    world.barrier();
    let reserved = reserved_bytes("restarted");
    let hints = Hints { soft_limit_bytes: Some(more_than_there_is(world)), ..Hints::default() };
    let file = SharedFile::create(&world.comm, &World::path("restarted"), &hints).unwrap();
    let len = 100_000 * world.ranks();
    assert_eq!(file.len_bytes().unwrap(), len as u64);
    let mut found = vec![0; len];
    file.read(0, &mut found).unwrap();
    assert_same(&found, &pattern(1, 0, len), "found with a soft limit");
    world.barrier();
    assert!(reserved_bytes("restarted") <= reserved + (1 << 20), "something is reserved all the same");
    world.barrier();
    file.write(mine, &pattern(2, mine, 100_000)).unwrap();
    world.barrier();
    file.destroy().unwrap();
}

pub(crate) fn a_closed_file_and_one_for_reading_refuse_what_they_must(world: &World) {
    let file = world.create("closed");
    let mine = 100 * world.rank() as u64;
    file.write(mine, &[3; 100]).unwrap();
    file.close().unwrap();
    file.close().unwrap();
    assert!(matches!(file.read(mine, &mut [0; 100]), Err(Error::Closed { .. })));
    assert!(matches!(file.write(mine, &[]), Err(Error::Closed { .. })));
    assert!(matches!(file.aread(mine, vec![0; 9]), Err(Error::Closed { .. })));
    assert_eq!(file.awrite(mine, vec![0; 9]).unwrap_err().code(), codes::DEVICE_HANDLE);
    file.sync().unwrap();
    // On a closed handle, as the legacy call is used.
    file.open(Access::ReadOnly).unwrap();
    let mut found = [0; 100];
    file.read(mine, &mut found).unwrap();
    assert_eq!(found, [3; 100]);
    assert!(matches!(file.write(mine, &[4; 100]), Err(Error::ReadOnly { .. })));
    assert_eq!(file.awrite(mine, vec![0; 9]).unwrap_err().code(), codes::DEVICE_MODE);
    // On an open one.
    file.open(Access::ReadWrite).unwrap();
    file.write(mine, &[4; 100]).unwrap();
    file.open(Access::ReadOnly).unwrap();
    file.read(mine, &mut found).unwrap();
    assert_eq!(found, [4; 100]);
    // A write that was begun is not lost when the file is closed.
    file.open(Access::ReadWrite).unwrap();
    let mut request = file.awrite(mine, vec![5; 100]).unwrap();
    file.close().unwrap();
    request.wait().unwrap();
    file.open(Access::ReadOnly).unwrap();
    file.read(mine, &mut found).unwrap();
    assert_eq!(found, [5; 100]);
    world.barrier();
    file.destroy().unwrap();
}
