//! Random operations of all ranks against a plain vector of bytes.
//!
//! Every rank draws the same random numbers, so every rank knows what all ranks do, and keeps a copy of the whole file. In a
//! round each rank writes ranges of its own, in any order and at any alignment; then all ranks read anything.

use crate::world::{POLICIES, World, assert_same, pattern};
use sf::{Access, Error, Hints, Request, SharedFile};
use test_support::{Rng, random, random_of};

const FILE_BYTES_MAX: usize = 6 << 20;

struct Twin<'a> {
    world: &'a World,
    file: SharedFile,
    copy: Vec<u8>,
}

pub(crate) fn random_operations_of_all_ranks_agree_with_a_plain_vector(world: &World) {
    let rng = &mut random();
    let mut twin = Twin::new(world, rng, Vec::new());
    for round in 0..24 {
        twin.write_round(rng, round);
        world.barrier();
        twin.read_round(round);
        world.barrier();
        if round % 8 == 7 {
            twin = twin.later_run(rng);
        }
    }
    twin.file.destroy().unwrap();
    assert!(!World::path("oracle").exists());
}

fn random_hints(rng: &mut Rng) -> Hints {
    let mut some = |max: u64| rng.bool().then(|| rng.u64(1..max));
    Hints { hard_limit_bytes: None, soft_limit_bytes: some(4 << 20), request_bytes: some(2 << 20) }
}

impl<'a> Twin<'a> {
    fn new(world: &'a World, rng: &mut Rng, copy: Vec<u8>) -> Self {
        let (hints, shift) = (random_hints(rng), rng.usize(0..3));
        // Another policy on every rank.
        let cache = POLICIES[(world.rank() + shift) % 3];
        let file = SharedFile::create_with(&world.comm, &World::path("oracle"), &hints, cache).unwrap();
        assert_eq!(file.len_bytes().unwrap(), copy.len() as u64);
        world.barrier();
        Self { world, file, copy }
    }

    fn later_run(self, rng: &mut Rng) -> Self {
        let Self { world, file, copy } = self;
        file.abandon().unwrap();
        world.barrier();
        Self::new(world, rng, copy)
    }

    /// Each rank writes up to four ranges that no other touches in this round.
    fn write_round(&mut self, rng: &mut Rng, round: usize) {
        let mut cuts: Vec<usize> = (0..4 * self.world.ranks()).map(|_| random_place(rng)).collect();
        cuts.sort_unstable();
        let mut requests = Vec::new();
        for (i, ends) in cuts.windows(2).enumerate() {
            let (rank, how) = (rng.usize(0..self.world.ranks()), rng.u8(0..4));
            let gap = rng.usize(0..3) * 100;
            let len = (ends[1] - ends[0]).saturating_sub(gap);
            let bytes = pattern(1000 * round + i, ends[0] as u64, len);
            if rank == self.world.rank() {
                requests.extend(self.write(how, ends[0] as u64, &bytes));
            }
            put(&mut self.copy, ends[0], &bytes);
        }
        self.end_writing(rng.u8(0..4), requests);
    }

    fn write(&self, how: u8, offset_bytes: u64, bytes: &[u8]) -> Option<Request<Vec<u8>>> {
        if how == 0 {
            self.file.write(offset_bytes, bytes).unwrap();
            return None;
        }
        let mut request = self.file.awrite(offset_bytes, bytes.to_vec()).unwrap();
        if how == 1 {
            request.wait().unwrap();
            // As TCE does around every block.
            self.file.close().unwrap();
            self.file.open(Access::ReadWrite).unwrap();
        }
        Some(request)
    }

    /// Waits for the requests, or does what waits for them as well.
    fn end_writing(&self, how: u8, requests: Vec<Request<Vec<u8>>>) {
        match how {
            0 => drop(requests),
            1 => {
                self.file.close().unwrap();
                self.file.open(Access::ReadWrite).unwrap();
                for mut request in requests {
                    request.wait().unwrap();
                }
            }
            2 => {
                self.file.sync().unwrap();
                requests.into_iter().rev().for_each(|request| drop(request.finish().unwrap()));
            }
            _ => requests.into_iter().for_each(|mut request| {
                request.wait().unwrap();
                request.wait().unwrap();
            }),
        }
    }

    /// Each rank reads ranges of its own choice, some of them past the end.
    fn read_round(&self, round: usize) {
        let rng = &mut random_of((100 * round + self.world.rank()) as u64);
        if rng.bool() {
            self.file.close().unwrap();
            self.file.open(Access::ReadOnly).unwrap();
        }
        assert_eq!(self.file.len_bytes().unwrap(), self.copy.len() as u64);
        let mut reads = Vec::new();
        for _ in 0..8 {
            let (offset, len) = (random_place(rng), random_len(rng));
            let expected = &self.copy[offset.min(self.copy.len())..(offset + len).min(self.copy.len())];
            if rng.bool() {
                let mut found = vec![7; len];
                let outcome = self.file.read(offset as u64, &mut found);
                expect(outcome, &found, expected, offset);
            } else {
                reads.push((self.file.aread(offset as u64, vec![7; len]).unwrap(), expected, offset));
            }
        }
        for (request, expected, offset) in reads {
            let (got, found) = request.finish().unwrap();
            assert_same(&found[..got], expected, &format!("request for {} bytes at {offset}", found.len()));
        }
        self.file.open(Access::ReadWrite).unwrap();
    }
}

fn expect(outcome: sf::Result<()>, found: &[u8], expected: &[u8], offset: usize) {
    match outcome {
        Ok(()) => assert_eq!(expected.len(), found.len(), "{} bytes at {offset}", found.len()),
        Err(Error::EndOfFile { got_bytes, .. }) => {
            assert_eq!((got_bytes, expected.len() < found.len()), (expected.len() as u64, true));
        }
        Err(other) => panic!("{other}"),
    }
    assert_same(&found[..expected.len()], expected, &format!("{} bytes at {offset}", found.len()));
}

fn put(copy: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    if !bytes.is_empty() {
        copy.resize(copy.len().max(offset + bytes.len()), 0);
        copy[offset..offset + bytes.len()].copy_from_slice(bytes);
    }
}

/// Often on a boundary of something.
fn random_place(rng: &mut Rng) -> usize {
    let unit = [1, 1, 512, 4096, 65_536, 1 << 20][rng.usize(0..6)];
    rng.usize(0..=FILE_BYTES_MAX) / unit * unit
}

fn random_len(rng: &mut Rng) -> usize {
    let max = [1, 200, 5000, 70_000, 600_000, 3_000_000][rng.usize(0..6)];
    rng.usize(0..=max)
}
