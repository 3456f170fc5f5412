//! What ranks of a node write in turn is held in memory that they share, until one of them waits.

use crate::world::{World, assert_same, is_striped, pattern};
use comm::Operation;
use sf::{Access, CachePolicy, Request, SharedFile};
use std::collections::VecDeque;
use std::fs;
use std::thread;
use std::time::Duration;
use test_support::{note_not_run, random_of, shared_dir};

const RECORD_LEN: usize = 3000;

fn offset(number: usize) -> u64 {
    (number * RECORD_LEN) as u64
}

fn record(number: usize) -> Vec<u8> {
    pattern(0, offset(number), RECORD_LEN)
}

fn start(file: &SharedFile, number: usize) -> Request<Vec<u8>> {
    file.awrite(offset(number), record(number)).unwrap()
}

/// Two records of each rank, of which the first shows no turns yet. One rank waits for its second, and all of them are there.
pub(crate) fn who_waits_first_hands_over_what_all_have_beside_it(world: &World) {
    if is_striped() {
        return; // nothing is held there
    }
    if elio::stat(&shared_dir()).unwrap().file_system == elio::FileSystem::Memory {
        return note_not_run(&"files are in memory, where nothing is held");
    }
    // It may be known that ranks do not write in turn. In the next second they look for each other again.
    thread::sleep(Duration::from_millis(1100));
    world.barrier();
    let len = || fs::metadata(World::path("row")).unwrap().len();
    // What nobody waits for is handed over soon, too: on a busy machine before it is looked at.
    for _ in 0..50 {
        let file = world.create_with("row", CachePolicy::Auto, Some(RECORD_LEN as u64));
        start(&file, world.rank()).wait().unwrap();
        world.barrier();
        let mut second = start(&file, world.ranks() + world.rank());
        world.barrier();
        let mut is_seen = [i64::from(world.ranks() == 1)];
        if world.is_first() && len() == offset(world.ranks()) {
            second.wait().unwrap();
            let found = fs::read(World::path("row")).unwrap();
            assert_same(&found, &pattern(0, 0, 2 * world.ranks() * RECORD_LEN), "all records");
            is_seen = [1];
        }
        world.comm.all_reduce(&mut is_seen, Operation::Max).unwrap();
        second.wait().unwrap();
        file.destroy().unwrap();
        if is_seen == [1] {
            return;
        }
    }
    panic!("no record was ever held");
}

/// Whatever a rank does between its turns, its own operations come in order, and at the end every record is there.
pub(crate) fn what_is_held_comes_before_what_its_rank_does_next(world: &World) {
    const RECORDS: usize = 600;
    for round in 0..4 {
        let file = world.create_with("order", CachePolicy::Auto, Some(RECORD_LEN as u64));
        let rng = &mut random_of((100 * round + world.rank()) as u64);
        let mut requests = VecDeque::new();
        for number in (world.rank()..RECORDS).step_by(world.ranks()) {
            match rng.u8(0..12) {
                // Something else first, which must not stay.
                0 => requests.push_back(file.awrite(offset(number), vec![9; RECORD_LEN / 2]).unwrap()),
                1 => file.write(offset(number) + 7, &[9; 100]).unwrap(),
                2 => drop(file.awrite(offset(number), vec![9; RECORD_LEN]).unwrap()),
                3 => file.sync().unwrap(),
                4 => {
                    file.close().unwrap();
                    file.open(Access::ReadWrite).unwrap();
                }
                5 => assert!(file.len_bytes().unwrap() >= requests.len() as u64),
                _ => {}
            }
            requests.push_back(start(&file, number));
            if rng.u8(0..8) == 0 {
                // Its own, waited for or not.
                let mut found = vec![0; RECORD_LEN];
                file.read(offset(number), &mut found).unwrap();
                assert_same(&found, &record(number), "read before the wait");
            }
            while requests.len() > rng.usize(0..40) {
                let at = rng.usize(0..requests.len());
                requests.remove(at).expect("there is one").wait().unwrap();
            }
        }
        if rng.bool() {
            file.sync().unwrap();
        }
        drop(requests);
        world.barrier();
        let mut found = vec![0; RECORDS * RECORD_LEN];
        file.read(0, &mut found).unwrap();
        assert_same(&found, &pattern(0, 0, found.len()), "all records");
        world.barrier();
        file.destroy().unwrap();
    }
}

/// What is not written yet is zeros before what is, held or not.
pub(crate) fn a_hole_before_what_is_held_is_zeros(world: &World) {
    let file = world.create_with("hole", CachePolicy::Auto, Some(RECORD_LEN as u64));
    world.barrier();
    let mine = 10 * (1 + world.rank());
    let writes: Vec<_> = (0..3).map(|turn| start(&file, mine + 50 * (1 + turn))).collect();
    for number in [mine + 45, mine + 95, mine + 145] {
        let (mut found, zeros) = (vec![9; RECORD_LEN], vec![0; RECORD_LEN]);
        file.read(offset(number), &mut found).unwrap();
        assert_same(&found, &zeros, "read");
        let (got, found) = file.aread(offset(number), vec![9; RECORD_LEN]).unwrap().finish().unwrap();
        assert_same(&found[..got], &zeros, "read asynchronously");
    }
    drop(writes);
    world.barrier();
    file.destroy().unwrap();
}

/// Requests that are waited for when their file is gone.
pub(crate) fn what_is_held_of_a_file_that_is_destroyed_ends_well(world: &World) {
    let file = world.create_with("gone", CachePolicy::Auto, Some(RECORD_LEN as u64));
    let turns = (world.rank()..40 * world.ranks()).step_by(world.ranks());
    let requests: Vec<_> = turns.map(|number| start(&file, number)).collect();
    file.destroy().unwrap();
    for request in requests {
        assert_eq!(request.finish().unwrap().1.len(), RECORD_LEN);
    }
    assert!(!World::path("gone").exists());
}

/// Ranks of which some stop, each at another record, while others go on and wait.
pub(crate) fn nothing_is_lost_where_ranks_end_one_after_the_other(world: &World) {
    let file = world.create_with("stopping", CachePolicy::Auto, Some(RECORD_LEN as u64));
    let mine = 100 * (1 + world.rank());
    let mut requests = VecDeque::new();
    for number in (world.rank()..mine * world.ranks()).step_by(world.ranks()) {
        requests.push_back(start(&file, number));
        if requests.len() == 8 {
            requests.pop_front().expect("eight").wait().unwrap();
        }
    }
    for request in &mut requests {
        request.wait().unwrap();
    }
    world.barrier();
    for number in 0..100 * world.ranks() {
        let mut found = vec![0; RECORD_LEN];
        file.read(offset(number), &mut found).unwrap();
        assert_same(&found, &record(number), &format!("record {number}"));
    }
    world.barrier();
    file.destroy().unwrap();
}
