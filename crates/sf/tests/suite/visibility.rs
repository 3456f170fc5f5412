//! What a rank has written and waited for, every other rank reads, whatever way each of them goes to the disk.

use crate::world::{POLICIES, World, assert_same, pattern};
use elio::{Mode, OpenOptions, Sharing};
use sf::{CachePolicy, SharedFile};

/// Offsets and lengths: bytes, records, sectors, pages, units of stripes and more.
const RANGES: [(u64, usize); 10] = [
    (0, 1),
    (1, 1600),
    (511, 513),
    (4096, 4096),
    (4095, 4098),
    (65_536, 65_536),
    (65_000, 70_001),
    (1 << 20, 1 << 20),
    ((1 << 20) - 3, (1 << 20) + 7),
    (12_345, 3_000_000),
];

pub(crate) fn what_a_rank_has_waited_for_every_rank_reads(world: &World) {
    for (shift, _) in POLICIES.iter().enumerate() {
        // Those of small requests have several gathered.
        let request_bytes = [None, Some(1600), Some(1 << 20)][shift];
        let file = world.create_with("visible", POLICIES[(world.rank() + shift) % 3], request_bytes);
        for (turn, (offset_bytes, len)) in RANGES.into_iter().enumerate() {
            let writer = turn % world.ranks();
            let expected = pattern(10 * shift + turn, offset_bytes, len);
            if writer == world.rank() {
                write(&file, turn + shift, offset_bytes, &expected);
            }
            world.barrier();
            let what = format!("{len} bytes at {offset_bytes} of rank {writer}");
            let mut found = vec![0; len];
            file.read(offset_bytes, &mut found).unwrap();
            assert_same(&found, &expected, &what);
            let (got, found) = file.aread(offset_bytes, vec![0; len]).unwrap().finish().unwrap();
            assert_same(&found[..got], &expected, &what);
            world.barrier();
        }
        file.destroy().unwrap();
    }
}

/// Blocking; or a request waited for; or the same in pieces, all of them under way at once.
fn write(file: &SharedFile, how: usize, offset_bytes: u64, bytes: &[u8]) {
    match how % 3 {
        0 => file.write(offset_bytes, bytes).unwrap(),
        1 => file.awrite(offset_bytes, bytes.to_vec()).unwrap().wait().unwrap(),
        _ => {
            let mut at = offset_bytes;
            let mut requests = Vec::new();
            for piece in bytes.chunks(bytes.len().div_ceil(8)) {
                requests.push(file.awrite(at, piece.to_vec()).unwrap());
                at += piece.len() as u64;
            }
            requests.iter_mut().rev().for_each(|request| request.wait().unwrap());
        }
    }
}

/// Records of all ranks in turn, none a whole page, all written at the same time, each rank its own way.
pub(crate) fn neighbouring_records_of_ranks_do_not_disturb_each_other(world: &World) {
    for (record_len, records) in [(1000, 4000), (4096, 600), (5000, 600), (66_000, 60), (131_072, 40)] {
        for round in 0..2 {
            let cache = POLICIES[(world.rank() + round) % 3];
            let file = world.create_with("neighbours", cache, Some(record_len as u64));
            let record = |number: usize| {
                let offset_bytes = (number * record_len) as u64;
                (offset_bytes, pattern(number % world.ranks() + 50, offset_bytes, record_len))
            };
            let mut requests = std::collections::VecDeque::new();
            for number in (world.rank()..records).step_by(world.ranks()) {
                let (offset_bytes, bytes) = record(number);
                requests.push_back(file.awrite(offset_bytes, bytes).unwrap());
                if requests.len() == 8 {
                    requests.pop_front().unwrap().wait().unwrap();
                }
            }
            for mut request in requests {
                request.wait().unwrap();
            }
            world.barrier();
            // From another rank's records on.
            for number in (0..records).map(|number| (number + world.rank() + 1) % records) {
                let (offset_bytes, expected) = record(number);
                let (got, found) = file.aread(offset_bytes, vec![0; record_len]).unwrap().finish().unwrap();
                assert_same(&found[..got], &expected, &format!("record {number} of {record_len} bytes"));
            }
            assert_eq!(file.len_bytes().unwrap(), (records * record_len) as u64);
            world.barrier();
            file.destroy().unwrap();
        }
    }
}

/// A rank that walks a file finds what another has changed behind and before it: nothing is read early.
pub(crate) fn a_rank_reads_again_what_another_has_changed(world: &World) {
    const STEP: usize = 16 << 10;
    const STEPS: usize = 64;
    for cache in POLICIES {
        let file = world.create_with("changing", cache, None);
        for step in (0..STEPS).filter(|_| world.is_first()) {
            file.write((step * STEP) as u64, &pattern(0, (step * STEP) as u64, STEP)).unwrap();
        }
        world.barrier();
        let reader = world.ranks() - 1;
        let mut found = vec![0; STEP];
        for step in 0..STEPS {
            let (here, ahead) = ((step * STEP) as u64, ((step + 1) % STEPS * STEP) as u64);
            if world.rank() == reader {
                file.read(here, &mut found).unwrap();
                assert_same(&found, &pattern(step.min(1), here, STEP), "before the change");
            }
            world.barrier();
            if world.is_first() {
                // The next one, which a stream would have read by now.
                file.awrite(ahead, pattern(1, ahead, STEP)).unwrap().wait().unwrap();
            }
            world.barrier();
        }
        file.read(0, &mut found).unwrap();
        assert_same(&found, &pattern(1, 0, STEP), "the last change");
        file.destroy().unwrap();
    }
}

/// Handles that are none of ours: the file of the system holds what was waited for, and what others write there is read.
pub(crate) fn other_programs_and_policies_see_the_same_bytes(world: &World) {
    let file = world.create("seen");
    let len = 300_000;
    let mine = (world.rank() * len) as u64;
    file.awrite(mine, pattern(world.rank(), mine, len)).unwrap().wait().unwrap();
    world.barrier();
    if world.is_first() && !crate::world::is_striped() {
        let found = std::fs::read(World::path("seen")).unwrap();
        for rank in 0..world.ranks() {
            assert_same(&found[rank * len..][..len], &pattern(rank, (rank * len) as u64, len), "seen by std");
        }
        for cache in [CachePolicy::Keep, CachePolicy::Bypass] {
            let options = OpenOptions { cache, sharing: Sharing::Shared, ..OpenOptions::new(Mode::Existing) };
            let other = elio::File::open(World::path("seen"), &options).unwrap();
            other.write_at(4096, &pattern(77, 4096, 8192)).unwrap();
            let mut found = vec![0; 8192];
            file.read(4096, &mut found).unwrap();
            assert_same(&found, &pattern(77, 4096, 8192), "written by another handle");
            other.write_at(4096, &pattern(0, 4096, 8192)).unwrap();
        }
    }
    world.barrier();
    file.destroy().unwrap();
}
