//! Two ranks, both in this process: each has a mapping of the area, and the file open.

use super::*;
use elio::{CountingDevice, Fault, FaultDevice, Mode, OpenOptions, Sharing};
use std::thread;

const LEN: usize = 1000;

struct Ranks {
    directory: tempfile::TempDir,
    counting: Arc<CountingDevice>,
    fault: Arc<FaultDevice>,
    ranks: [Arc<Aggregator>; 2],
}

impl Ranks {
    /// `None` where the files for tests are in memory.
    fn new() -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let device = elio::open_device(&directory.path().join("file"), Mode::ReadWrite).unwrap();
        if device.properties().in_memory() {
            return None;
        }
        let fault = FaultDevice::new(device);
        let counting = CountingDevice::new(Arc::clone(&fault) as _);
        let options = OpenOptions {
            sharing: Sharing::Shared,
            gathers_requests: true,
            ..OpenOptions::new(Mode::ReadWrite)
        };
        let file = || Arc::new(elio::File::on_device(Arc::clone(&counting) as _, "file", &options));
        let [one, two] = Area::of_two_ranks();
        let ranks = [Aggregator::new(Arc::new(one), file()), Aggregator::new(Arc::new(two), file())];
        Some(Self { directory, counting, fault, ranks })
    }

    fn writes(&self) -> u64 {
        self.counting.counts().cached_writes
    }

    /// Record `number`, by the rank whose turn it is.
    fn hold(&self, number: usize) -> Option<HeldWrite> {
        self.ranks[number % 2].hold((number * LEN) as u64, &record(number))
    }

    /// The first record of each rank shows no turns yet.
    fn begin(&self) {
        for number in 0..2 {
            assert!(self.hold(number).is_none(), "nothing is known of the first");
            self.ranks[number].file.write_at((number * LEN) as u64, &record(number)).unwrap();
        }
    }

    fn assert_holds(&self, records: usize) {
        let found = std::fs::read(self.directory.path().join("file")).unwrap();
        let expected: Vec<u8> = (0..records).flat_map(record).collect();
        assert!(found == expected, "{} bytes, {} expected", found.len(), expected.len());
    }
}

fn record(number: usize) -> Vec<u8> {
    vec![u8::try_from(number + 1).unwrap(); LEN]
}

#[test]
fn who_waits_first_hands_over_what_all_have_beside_it() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    let before = ranks.writes();
    let mut writes: Vec<_> = (2..20).map(|number| ranks.hold(number).expect("a turn")).collect();
    assert_eq!(ranks.writes(), before, "nothing waits");
    writes[7].wait().unwrap();
    assert_eq!(ranks.writes(), before + 1);
    ranks.assert_holds(20);
    writes.iter_mut().for_each(|write| write.wait().unwrap());
    writes[7].wait().unwrap();
    assert_eq!(ranks.writes(), before + 1, "they were written already");
}

#[test]
fn what_nobody_waits_for_is_handed_over_when_its_request_is_dropped_or_the_file_is_flushed() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    drop(ranks.hold(2));
    ranks.assert_holds(3);
    let held = ranks.hold(3);
    // The other one has nothing.
    ranks.ranks[0].flush().unwrap();
    ranks.assert_holds(3);
    ranks.ranks[1].flush().unwrap();
    ranks.assert_holds(4);
    drop(held);
}

#[test]
fn a_later_write_at_the_same_place_stays() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    let rank = &ranks.ranks[0];
    let mut first = rank.hold(2 * LEN as u64, &[77; LEN]).expect("a turn");
    let mut other = ranks.hold(3).expect("a turn");
    let mut again = rank.hold(2 * LEN as u64, &record(2));
    // Back to where it was is no turn: the caller writes.
    assert!(again.is_none());
    rank.file.write_at(2 * LEN as u64, &record(2)).unwrap();
    first.wait().unwrap();
    other.wait().unwrap();
    ranks.assert_holds(4);
    // In the middle of what is held.
    let mut large = rank.hold(4 * LEN as u64, &[9; 4 * LEN]).expect("a turn");
    let numbers = 4..8;
    numbers.clone().for_each(|number| {
        rank.hand_over_overlapping(&((number * LEN) as u64..((number + 1) * LEN) as u64));
        rank.file.write_at((number * LEN) as u64, &record(number)).unwrap();
    });
    large.wait().unwrap();
    again = ranks.hold(9);
    drop(again);
    ranks.ranks[0].file.write_at(8 * LEN as u64, &record(8)).unwrap();
    ranks.assert_holds(10);
}

#[test]
fn what_is_under_way_by_other_means_comes_before() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    let rank = &ranks.ranks[0];
    drop(ranks.hold(2));
    // Gathered by the handle: the other rank knows nothing of it.
    let mut earlier = rank.file.submit_write(4 * LEN as u64, vec![99; LEN]).unwrap();
    let _held = ranks.hold(4).expect("a turn");
    ranks.hold(3).expect("a turn").wait().unwrap();
    earlier.wait().unwrap();
    ranks.assert_holds(5);
}

#[test]
fn one_that_is_refused_fails_for_its_rank_and_nobody_else() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    let mut writes: Vec<_> = (2..6).map(|number| ranks.hold(number).expect("a turn")).collect();
    // The row, and then the one that was waited for, by itself.
    let next = ranks.fault.operations_count();
    ranks.fault.inject(next, Fault::Fail(5));
    ranks.fault.inject(next + 1, Fault::Fail(5));
    for _ in 0..2 {
        assert_eq!(writes[0].wait().unwrap_err().code(), elio::codes::DEVICE_AWRITE);
    }
    writes[1..].iter_mut().for_each(|write| write.wait().unwrap());
    ranks.ranks[0].file.write_at(2 * LEN as u64, &record(2)).unwrap();
    ranks.ranks.iter().for_each(|rank| rank.flush().unwrap());
    ranks.assert_holds(6);
}

#[test]
fn what_was_lost_without_a_wait_is_told_by_the_next_flush_once() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    let write = ranks.hold(2).expect("a turn");
    let next = ranks.fault.operations_count();
    (0..2).for_each(|more| ranks.fault.inject(next + more, Fault::Fail(5)));
    drop(write);
    ranks.ranks[0].flush().unwrap_err();
    ranks.ranks[0].flush().unwrap();
}

#[test]
fn more_than_there_is_room_for_is_handed_over_meanwhile() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    let mut writes: Vec<_> = (2..150).map(|number| ranks.hold(number).expect("a turn")).collect();
    assert!(ranks.writes() > 2);
    writes.iter_mut().rev().for_each(|write| write.wait().unwrap());
    ranks.assert_holds(150);
    // And there is room again.
    assert_eq!(ranks.ranks.each_ref().map(|rank| rank.held().len()), [0, 0]);
}

#[test]
fn two_ranks_at_once_lose_nothing() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    thread::scope(|scope| {
        for rank in 0..2 {
            let ranks = &ranks;
            scope.spawn(move || {
                for _ in 0..200 {
                    let numbers = (2 + rank..202).step_by(2);
                    let mut writes = std::collections::VecDeque::new();
                    for number in numbers {
                        let bytes = record(number);
                        let offset_bytes = (number * LEN) as u64;
                        match ranks.ranks[rank].hold(offset_bytes, &bytes) {
                            Some(write) => writes.push_back(write),
                            None => ranks.ranks[rank].file.write_at(offset_bytes, &bytes).unwrap(),
                        }
                        if writes.len() == 8 {
                            writes.pop_front().expect("eight").wait().unwrap();
                        }
                    }
                }
            });
        }
    });
    ranks.assert_holds(202);
}

#[test]
fn a_rank_that_writes_all_over_the_file_holds_nothing() {
    let Some(ranks) = Ranks::new() else { return };
    for number in [100, 20, 60, 5, 5, 4] {
        assert!(ranks.ranks[0].hold(number << 20, &[1; LEN]).is_none());
    }
    // Nor what is too long.
    assert!(ranks.ranks[0].hold((4 << 20) + 2 * LEN as u64, &vec![1; HELD_BYTES]).is_none());
}

#[test]
#[allow(unsafe_code)]
fn a_forked_child_leaves_to_its_parent_what_is_held() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    let mut write = ranks.hold(2).expect("a turn");
    // SAFETY: the child calls this crate and ends by `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // It does not even have the memory.
        let is_cancelled = matches!(&write.wait(), Err(elio::Error::Transfer { source, .. })
            if source.raw_os_error() == Some(libc::ECANCELED));
        let holds_nothing = ranks.hold(4).is_none() && ranks.ranks[0].flush().is_ok();
        drop(write);
        drop(ranks.ranks);
        // SAFETY: no memory is passed.
        unsafe { libc::_exit(i32::from(!(is_cancelled && holds_nothing))) };
    }
    let mut status = 0;
    // SAFETY: `status` has room for what the call fills in.
    let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert!(child > 0 && ended == child && status == 0, "{status}");
    write.wait().unwrap();
    ranks.assert_holds(3);
}
