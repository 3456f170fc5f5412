//! Two ranks, both in this process: each has a mapping of the area, and the file open.

use super::*;
use elio::{CountingDevice, Fault, FaultDevice, Mode, OpenOptions, Sharing};
use std::path::Path;
use std::thread;

const LEN: usize = 1000;

struct Ranks {
    directory: tempfile::TempDir,
    ranks: [Rank; 2],
}

/// Its devices are its own, as if it were another process.
struct Rank {
    counting: Arc<CountingDevice>,
    fault: Arc<FaultDevice>,
    aggregator: Arc<Aggregator>,
}

impl Ranks {
    /// `None` where the files for tests are in memory.
    fn new() -> Option<Self> {
        // Beside the test, which is on a disk more often than the directory for temporary files.
        let program = std::env::current_exe().unwrap();
        let directory =
            tempfile::tempdir_in(program.parent().unwrap()).or_else(|_| tempfile::tempdir()).unwrap();
        let path = directory.path().join("file");
        if elio::open_device(&path, Mode::ReadWrite).unwrap().properties().in_memory() {
            test_support::note_not_run(&"files are in memory, where nothing is held");
            return None;
        }
        let ranks = Area::of_two_ranks().map(|area| Rank::new(&path, area));
        Some(Self { directory, ranks })
    }

    fn writes(&self) -> u64 {
        self.ranks.iter().map(|rank| rank.counting.counts().cached_writes).sum()
    }

    /// Record `number`, by the rank whose turn it is.
    fn hold(&self, number: usize) -> Option<HeldWrite> {
        self.ranks[number % 2].hold(number, &record(number))
    }

    /// The first record of each rank shows no turns yet.
    fn begin(&self) {
        for number in 0..2 {
            assert!(self.hold(number).is_none(), "nothing is known of the first");
            self.ranks[number].write(number);
        }
    }

    fn assert_holds(&self, records: usize) {
        let found = std::fs::read(self.directory.path().join("file")).unwrap();
        let expected: Vec<u8> = (0..records).flat_map(record).collect();
        assert!(found == expected, "{} bytes, {} expected", found.len(), expected.len());
    }
}

impl Rank {
    fn new(path: &Path, area: Area) -> Self {
        let fault = FaultDevice::new(elio::open_device(path, Mode::ReadWrite).unwrap());
        let counting = CountingDevice::new(Arc::clone(&fault) as _);
        let options = OpenOptions {
            sharing: Sharing::Shared,
            gathers_requests: true,
            ..OpenOptions::new(Mode::ReadWrite)
        };
        let file = elio::File::on_device(Arc::clone(&counting) as _, "file", &options);
        // Whatever other tests have spent.
        let credit = Box::leak(Box::new(Credit::new()));
        Self { counting, fault, aggregator: Aggregator::with_credit(Arc::new(area), Arc::new(file), credit) }
    }

    fn hold(&self, number: usize, bytes: &[u8]) -> Option<HeldWrite> {
        self.aggregator.hold((number * LEN) as u64, bytes)
    }

    fn write(&self, number: usize) {
        self.aggregator.file.write_at((number * LEN) as u64, &record(number)).unwrap();
    }

    fn fail_next(&self) {
        let next = self.fault.operations_count();
        (0..2).for_each(|more| self.fault.inject(next + more, Fault::Fail(5)));
    }

    fn flush(&self) -> elio::Result<()> {
        self.aggregator.file.flush()?;
        self.aggregator.take_loss()
    }
}

fn record(number: usize) -> Vec<u8> {
    vec![u8::try_from(number % 255 + 1).unwrap(); LEN]
}

/// Less than what housekeeping lets pass.
const SOON: Duration = Duration::from_millis(30);

#[test]
fn who_waits_first_hands_over_what_all_have_beside_it() {
    // On a busy machine housekeeping may hand some over before.
    for _ in 0..100 {
        let Some(ranks) = Ranks::new() else { return };
        ranks.begin();
        let (begin, before) = (Instant::now(), ranks.writes());
        let mut writes: Vec<_> = (2..20).map(|number| ranks.hold(number).expect("a turn")).collect();
        let at_first = ranks.writes();
        writes[7].wait().unwrap();
        let after_one = ranks.writes();
        if begin.elapsed() > SOON {
            continue;
        }
        assert_eq!((at_first, after_one), (before, before + 1));
        ranks.assert_holds(20);
        for write in &mut writes {
            write.wait().unwrap();
        }
        writes[7].wait().unwrap();
        assert_eq!(ranks.writes(), before + 1, "they were written already");
        return;
    }
    panic!("there was never a moment's time");
}

#[test]
fn what_nobody_waits_for_is_handed_over_when_its_request_is_dropped_or_the_file_is_flushed() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    drop(ranks.hold(2));
    ranks.assert_holds(3);
    let held = ranks.hold(3);
    ranks.ranks[1].flush().unwrap();
    ranks.assert_holds(4);
    drop(held);
}

#[test]
fn what_a_rank_does_later_at_the_same_place_comes_later() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    let rank = &ranks.ranks[0];
    let mut first = rank.hold(2, &[77; LEN]).expect("a turn");
    let mut other = ranks.hold(3).expect("a turn");
    assert!(rank.hold(2, &record(2)).is_none(), "back to where it was is no turn");
    rank.write(2);
    first.wait().unwrap();
    other.wait().unwrap();
    ranks.assert_holds(4);
    // By another handle of the file.
    let device: Arc<dyn elio::Device> = Arc::clone(&rank.counting) as _;
    let handle = elio::File::on_device(device, "file", &OpenOptions::new(Mode::ReadWrite));
    let mut large = rank.hold(4, &[9; 4 * LEN]).expect("a turn");
    let mut found = [0; LEN];
    handle.read_at(5 * LEN as u64, &mut found).unwrap();
    assert_eq!(found, [9; LEN]);
    (4..8).for_each(|number| handle.write_at((number * LEN) as u64, &record(number)).unwrap());
    large.wait().unwrap();
    handle.flush().unwrap();
    ranks.assert_holds(8);
    let _held = ranks.hold(9).expect("a turn");
    let _other = rank.hold(10, &record(10)).expect("a turn");
    assert_eq!(handle.len().unwrap(), 11 * LEN as u64);
}

#[test]
fn what_is_under_way_by_other_means_comes_before() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    let rank = &ranks.ranks[0];
    drop(ranks.hold(2));
    // Gathered by the handle: the other rank knows nothing of it.
    let mut earlier = rank.aggregator.file.submit_write(4 * LEN as u64, vec![99; LEN]).unwrap();
    let _held = ranks.hold(4).expect("a turn");
    ranks.hold(3).expect("a turn").wait().unwrap();
    earlier.wait().unwrap();
    ranks.assert_holds(5);
}

#[test]
fn what_nobody_waits_for_reaches_the_kernel_soon() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    let _held = [2, 3].map(|number| ranks.hold(number).expect("a turn"));
    let begin = Instant::now();
    while ranks.writes() == 2 && begin.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(5));
    }
    ranks.assert_holds(4);
}

#[test]
fn one_that_is_refused_fails_for_its_rank_and_nobody_else() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    let mut writes: Vec<_> = (2..6).map(|number| ranks.hold(number).expect("a turn")).collect();
    // The row, and then the one that was waited for, by itself.
    ranks.ranks[0].fail_next();
    for _ in 0..2 {
        assert_eq!(writes[0].wait().unwrap_err().code(), elio::codes::DEVICE_AWRITE);
    }
    for write in &mut writes[1..] {
        write.wait().unwrap();
    }
    ranks.ranks[0].write(2);
    ranks.ranks.iter().for_each(|rank| rank.flush().unwrap());
    ranks.assert_holds(6);
}

#[test]
fn what_was_lost_without_a_wait_is_told_by_the_next_flush_once() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    let write = ranks.hold(2).expect("a turn");
    ranks.ranks[0].fail_next();
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
    for write in writes.iter_mut().rev() {
        write.wait().unwrap();
    }
    ranks.assert_holds(150);
    // And there is room again.
    drop(writes);
    let mut writes: Vec<_> = (150..200).map(|number| ranks.hold(number).expect("a turn")).collect();
    writes[0].wait().unwrap();
    ranks.assert_holds(200);
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
                        match ranks.hold(number) {
                            Some(write) => writes.push_back(write),
                            None => ranks.ranks[rank].write(number),
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
        assert!(ranks.ranks[0].hold(number << 10, &[1; LEN]).is_none());
    }
    // Nor what is too long.
    assert!(ranks.ranks[0].hold((4 << 10) + 2, &vec![1; HELD_BYTES]).is_none());
}

#[test]
#[allow(unsafe_code)]
fn a_forked_child_leaves_to_its_parent_what_is_held() {
    let Some(ranks) = Ranks::new() else { return };
    ranks.begin();
    let mut write = ranks.hold(2).expect("a turn");
    // One that somebody else has written, and its rank not yet noticed.
    let mut written = ranks.hold(4).expect("a turn");
    let mut beside = ranks.hold(5).expect("a turn");
    beside.wait().unwrap();
    // SAFETY: the child calls this crate and ends by `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // It does not even have the memory.
        let is_cancelled = matches!(&write.wait(), Err(elio::Error::Transfer { source, .. })
            if source.raw_os_error() == Some(libc::ECANCELED));
        let aggregator = &ranks.ranks[0].aggregator;
        aggregator.hand_over_all();
        let holds_nothing =
            !aggregator.holds_any() && ranks.hold(6).is_none() && ranks.ranks[0].flush().is_ok();
        drop((write, written, beside));
        drop(ranks.ranks);
        // SAFETY: no memory is passed.
        unsafe { libc::_exit(i32::from(!(is_cancelled && holds_nothing))) };
    }
    let mut status = 0;
    // SAFETY: `status` has room for what the call fills in.
    let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert!(child > 0 && ended == child && status == 0, "{status}");
    write.wait().unwrap();
    written.wait().unwrap();
    ranks.ranks[1].write(3);
    ranks.assert_holds(6);
}
