//! Ranks that read a file in turn read it in order together, which each of them sees by its own distances only.

use crate::world::{World, assert_same, is_striped, pattern};
use elio::Mode;
use rustix::fs::{Advice, fadvise};
use sf::SharedFile;
use std::collections::VecDeque;
use std::fs;

/// Too much to be read through the page cache only because nothing else is under way at the moment.
const REQUEST_LEN: usize = 128_000;
const REQUESTS: usize = 128;
const IN_FLIGHT: usize = 8;
const PAGE_BYTES: u64 = 4096;

fn offset(number: usize) -> u64 {
    (number * REQUEST_LEN) as u64
}

/// The kernel reads ahead of such ranks, as it does of one that reads in order and waits, however large its requests: what they read
/// is in the page cache afterwards. What is read backwards, with as many requests in flight, comes around it.
pub(crate) fn what_ranks_read_in_turn_goes_through_the_page_cache(world: &World) {
    if is_striped() {
        return; // whose turn it is in each of its files is another matter
    }
    for (name, through_cache) in [("forwards", true), ("backwards", false), ("alone", true)] {
        let file = world.create(name);
        for number in (world.rank()..REQUESTS).step_by(world.ranks()) {
            file.write(offset(number), &pattern(0, offset(number), REQUEST_LEN)).unwrap();
        }
        file.sync().unwrap();
        world.barrier();
        if world.is_first() {
            make_cold(name);
        }
        world.barrier();
        let turns = (world.rank()..REQUESTS).step_by(world.ranks());
        match name {
            "forwards" => read(&file, turns),
            "backwards" => read(&file, turns.rev()),
            _ if world.is_first() => read_alone(&file),
            _ => {}
        }
        world.barrier();
        let path = World::path(name);
        let device = elio::open_device(&path, Mode::Read).unwrap();
        if elio::Device::properties(&*device).resident && elio::Device::properties(&*device).direct.is_some()
        {
            let pages = offset(REQUESTS) / PAGE_BYTES;
            let resident = (0..pages).filter(|page| device.is_resident(page * PAGE_BYTES, 1)).count() as u64;
            // The first few of each rank show no order yet; and the kernel may bring in a little by itself.
            let few = pages / 4;
            assert!(
                if through_cache { resident > pages - few } else { resident < few },
                "{name}: {resident} of {pages} pages are in the page cache"
            );
        }
        world.barrier();
        file.destroy().unwrap();
    }
}

/// Drops what the page cache has of a file that is on disk.
fn make_cold(name: &str) {
    let file = fs::File::open(World::path(name)).unwrap();
    fadvise(&file, 0, None, Advice::DontNeed).unwrap();
}

fn read(file: &SharedFile, numbers: impl Iterator<Item = usize>) {
    let mut requests = VecDeque::new();
    let check = |(number, request): (usize, sf::Request<Vec<u8>>)| {
        let (got, found) = request.finish().unwrap();
        let expected = pattern(0, offset(number), REQUEST_LEN);
        assert_same(&found[..got], &expected, &format!("request {number}"));
    };
    for number in numbers {
        requests.push_back((number, file.aread(offset(number), vec![0; REQUEST_LEN]).unwrap()));
        if requests.len() == IN_FLIGHT {
            check(requests.pop_front().unwrap());
        }
    }
    requests.into_iter().for_each(check);
}

/// Reads of several requests each, one after the other.
fn read_alone(file: &SharedFile) {
    let mut found = vec![0; IN_FLIGHT * REQUEST_LEN];
    for at in (0..REQUESTS).step_by(IN_FLIGHT).map(offset) {
        file.read(at, &mut found).unwrap();
        assert_same(&found, &pattern(0, at, found.len()), &format!("what was read at {at}"));
    }
}
