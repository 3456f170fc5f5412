//! Many files at once.

use crate::world::World;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sf::{Access, SharedFile};
use std::fs;

const FILES: usize = 1000;
/// What an idle file may cost a rank, in its own memory: a few KiB, of which the allocator may round up.
const FILE_BYTES_MAX: u64 = 8 << 10;

/// With a limit on open files that a login shell might have, or less.
pub(crate) fn a_thousand_files_are_open_at_once(world: &World) {
    let before = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: before.current.map(|current| current.min(256)), ..before })
        .unwrap();
    // The first one pays for what all share.
    world.create("first").destroy().unwrap();
    let resident_before = resident_bytes();
    let files: Vec<SharedFile> = (0..FILES).map(|number| world.create(&format!("many.{number}"))).collect();
    let cost = resident_bytes().saturating_sub(resident_before);
    assert!(cost <= FILE_BYTES_MAX * FILES as u64, "{} bytes a file", cost / FILES as u64);
    let text = |number: usize, rank: usize| format!("{number:05} of rank {rank:03}").into_bytes();
    let len = text(0, 0).len();
    for (number, file) in files.iter().enumerate() {
        file.awrite((len * world.rank()) as u64, text(number, world.rank())).unwrap().wait().unwrap();
        file.close().unwrap();
    }
    world.barrier();
    let other = (world.rank() + 1) % world.ranks();
    for (number, file) in files.iter().enumerate() {
        file.open(Access::ReadOnly).unwrap();
        let mut found = vec![0; len];
        file.read((len * other) as u64, &mut found).unwrap();
        assert_eq!(found, text(number, other));
    }
    for file in files {
        file.destroy().unwrap();
    }
    assert!(!World::path("many.0").exists() && !World::path(&format!("many.{}", FILES - 1)).exists());
    setrlimit(Resource::Nofile, before).unwrap();
}

fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("Linux tells");
    line.trim().strip_suffix("kB").unwrap().trim().parse::<u64>().unwrap() << 10
}
