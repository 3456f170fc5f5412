//! Transfers by the numbers that callers know them by: the same on every rank, since every transfer is collective.
//!
//! A request is kept while it runs. One that has finished well leaves nothing behind: its number is below the count of issued
//! ones, and that is how a repeated wait finds it. One that has failed keeps its error, so that every wait tells it. What
//! nobody waits for is collected when later requests are issued.

use crate::copies::Copy;
use crate::error::of_disk;
use crate::{Error, codes};
use chemio_capi::failures::Failures;
use chemio_capi::{Result, boundary};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many numbers there are: all that a 4-byte INTEGER holds above 0.
const IDS_COUNT: u64 = i32::MAX as u64;
/// From this many running requests on, each new one asks the oldest whether they have finished.
const RUNNING_BEFORE_COLLECTING: usize = 64;
/// How many it asks: more than one, so that the count shrinks.
const COLLECTED_AT_ONCE: usize = 2;

/// A transfer or a copy, as the library behind the border has it. Both calls are collective.
pub(crate) trait Transfer {
    /// Waits until it has finished; may be called again, with the same result.
    fn wait(&mut self) -> dra::Result<()>;

    /// Whether it has finished.
    fn probe(&mut self) -> dra::Result<bool>;
}

/// What a number stands for.
#[derive(Debug)]
pub(crate) enum UnderWay {
    /// A transfer between an array on disk and one in memory.
    Transfer(dra::Request),
    /// A copy of an array on disk.
    Copy(Copy),
}

impl Transfer for UnderWay {
    fn wait(&mut self) -> dra::Result<()> {
        match self {
            Self::Transfer(request) => request.wait(),
            Self::Copy(copy) => copy.wait(),
        }
    }

    fn probe(&mut self) -> dra::Result<bool> {
        match self {
            Self::Transfer(request) => request.probe(),
            Self::Copy(copy) => Ok(copy.probe()),
        }
    }
}

/// Requests with numbers.
#[derive(Debug)]
pub(crate) struct Requests<T> {
    issued: u64,
    running: BTreeMap<u64, Running<T>>,
    failed: Failures<u64, Arrays>,
}

/// A transfer under way, as far as anybody knows.
#[derive(Debug)]
struct Running<T> {
    arrays: Arrays,
    is_write: bool,
    transfer: T,
}

/// The serial numbers of the arrays on disk that a request uses: one, or twice the same.
type Arrays = [u64; 2];

impl<T> Default for Requests<T> {
    fn default() -> Self {
        Self { issued: 0, running: BTreeMap::new(), failed: Failures::new() }
    }
}

impl<T: Transfer> Requests<T> {
    /// The number that the next request gets.
    pub(crate) fn next_id(&self) -> i64 {
        i64::try_from(self.issued % IDS_COUNT + 1).unwrap_or(i64::MAX)
    }

    /// Takes a transfer that has been started and gives it a number. Collective.
    pub(crate) fn insert(&mut self, arrays: Arrays, is_write: bool, transfer: T) -> i64 {
        self.collect();
        let id = self.next_id();
        self.running.insert(self.issued, Running { arrays, is_write, transfer });
        self.issued += 1;
        id
    }

    /// That this number has been issued.
    ///
    /// # Errors
    /// [`chemio_capi::Error::UnknownRequest`]
    pub(crate) fn check(&self, id: i64) -> Result<()> {
        self.serial(id).map(drop)
    }

    /// Waits for a request; may be repeated, with the same result. Collective.
    pub(crate) fn wait(&mut self, id: i64) -> Result<()> {
        let serial = self.serial(id)?;
        self.finish(serial);
        self.tell(serial)
    }

    /// Whether a request has finished. Collective.
    pub(crate) fn probe(&mut self, id: i64) -> Result<bool> {
        let serial = self.serial(id)?;
        let running = self.running.get_mut(&serial);
        running.map_or(Ok(true), |running| running.transfer.probe().map_err(of_disk))
    }

    /// Waits for everything of an array, and tells the first error of a write that no call has told. Collective.
    pub(crate) fn finish_all_of(&mut self, array: u64) -> Result<()> {
        let of_array = self.running.iter().filter(|(_, running)| running.arrays.contains(&array));
        for serial in of_array.map(|(&serial, _)| serial).collect::<Vec<_>>() {
            self.finish(serial);
        }
        let first = self.failed.tell_untold(|arrays| arrays.contains(&array));
        // One error is enough.
        self.failed.dismiss(|arrays| arrays.contains(&array));
        first
    }

    /// How many are under way, as far as anybody knows.
    pub(crate) fn running_of(&self, array: u64) -> usize {
        self.running.values().filter(|running| running.arrays.contains(&array)).count()
    }

    /// Which request of all, counted from 0, a number means: the last one that had it.
    fn serial(&self, id: i64) -> Result<u64> {
        let unknown = || chemio_capi::Error::UnknownRequest { id, code: codes::INVALID_HANDLE };
        let place = u64::try_from(id).ok().filter(|id| (1..=IDS_COUNT).contains(id)).ok_or_else(unknown)? - 1;
        let last = self.issued.checked_sub(1).ok_or_else(unknown)?;
        let round = last - last % IDS_COUNT;
        let serial = if place <= last % IDS_COUNT {
            Some(round + place)
        } else {
            (round + place).checked_sub(IDS_COUNT)
        };
        serial.ok_or_else(unknown)
    }

    /// Waits, and keeps nothing but an error.
    fn finish(&mut self, serial: u64) {
        let Some(running) = self.running.get_mut(&serial) else { return };
        // It stays there if this panics.
        let waited = running.transfer.wait();
        let Some(Running { arrays, is_write, .. }) = self.running.remove(&serial) else { return };
        if let Err(error) = waited {
            self.failed.insert(serial, arrays, Arc::new(Error::Disk(error).into()), is_write);
        }
    }

    /// The error of a request, if it has failed. It counts as told.
    fn tell(&mut self, serial: u64) -> Result<()> {
        self.failed.tell(serial).map_or(Ok(()), Err)
    }

    /// Finishes old requests that have nothing more to do, so that their number stays small. Collective.
    fn collect(&mut self) {
        if self.running.len() < RUNNING_BEFORE_COLLECTING {
            return;
        }
        let oldest: Vec<u64> = self.running.keys().take(COLLECTED_AT_ONCE).copied().collect();
        for serial in oldest {
            let finished = self.running.get_mut(&serial).map(|running| running.transfer.probe());
            // One whose probe fails is waited for like a finished one: the error is the wait's.
            if finished.is_some_and(|finished| finished.unwrap_or(true)) {
                self.finish(serial);
            }
        }
    }
}

/// Ends what a program has left behind: there is nobody to tell an error, but the log.
pub(crate) fn end_quietly(end: impl FnOnce() -> Result<()>) {
    boundary::silent(|| {
        end().inspect_err(
            |error| tracing::error!(%error, "arrays on disk that the program has left open did not end well"),
        )
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A transfer that fails or not, and says that it has finished after so many probes.
    struct Scripted {
        fails: bool,
        probes_left: usize,
    }

    impl Transfer for Scripted {
        fn wait(&mut self) -> dra::Result<()> {
            let message = "the disk is gone".to_owned();
            if self.fails { Err(dra::Error::Caller { code: -1999, message }) } else { Ok(()) }
        }

        fn probe(&mut self) -> dra::Result<bool> {
            self.probes_left = self.probes_left.saturating_sub(1);
            Ok(self.probes_left == 0)
        }
    }

    fn issue(requests: &mut Requests<Scripted>, array: u64, is_write: bool, fails: bool) -> i64 {
        requests.insert([array; 2], is_write, Scripted { fails, probes_left: 2 })
    }

    #[test]
    fn a_wait_repeats_with_the_same_result_and_numbers_never_issued_are_refused() {
        let mut requests = Requests::default();
        assert!(requests.check(1).is_err());
        let (good, bad) = (issue(&mut requests, 0, true, false), issue(&mut requests, 0, false, true));
        assert_eq!((good, bad), (1, 2));
        for _ in 0..2 {
            requests.wait(good).expect("it went well");
            assert_eq!(requests.wait(bad).expect_err("it failed").code(), -1999);
        }
        for id in [0, -1, 3, i64::MAX, i64::MIN] {
            assert_eq!(requests.wait(id).expect_err("never issued").code(), codes::INVALID_HANDLE);
            assert!(requests.probe(id).is_err());
        }
    }

    #[test]
    fn a_probe_says_when_a_request_has_finished() {
        let mut requests = Requests::default();
        let id = issue(&mut requests, 0, true, false);
        assert_eq!([(); 3].map(|()| requests.probe(id).expect("issued")), [false, true, true]);
        requests.wait(id).expect("it went well");
        assert!(requests.probe(id).expect("issued"));
    }

    #[test]
    fn the_end_of_an_array_tells_the_first_write_that_failed_and_that_nobody_was_told_of() {
        let mut requests = Requests::default();
        let told = issue(&mut requests, 7, true, true);
        requests.wait(told).expect_err("it failed");
        requests.finish_all_of(7).expect("the wait has told it");
        for is_write in [false, true, true] {
            issue(&mut requests, 7, is_write, true);
        }
        let other = issue(&mut requests, 8, true, true);
        assert_eq!((requests.running_of(7), requests.running_of(8)), (3, 1));
        requests.finish_all_of(7).expect_err("two writes failed");
        assert_eq!((requests.running_of(7), requests.running_of(8)), (0, 1));
        requests.finish_all_of(7).expect("told once");
        requests.wait(told + 1).expect_err("a wait tells it still");
        requests.wait(other).expect_err("of another array");
    }

    #[test]
    fn a_request_of_two_arrays_ends_with_the_first_of_them() {
        let mut requests = Requests::default();
        let both = requests.insert([3, 4], true, Scripted { fails: true, probes_left: 2 });
        assert_eq!((requests.running_of(3), requests.running_of(4), requests.running_of(5)), (1, 1, 0));
        requests.finish_all_of(3).expect_err("it failed, and nobody was told");
        requests.finish_all_of(4).expect("told once");
        requests.wait(both).expect_err("a wait tells it still");
    }

    #[test]
    fn requests_that_nobody_waits_for_are_collected() {
        let mut requests = Requests::default();
        for _ in 0..10_000 {
            issue(&mut requests, 0, true, false);
        }
        assert!(
            requests.running.len() <= RUNNING_BEFORE_COLLECTING + COLLECTED_AT_ONCE,
            "{}",
            requests.running.len()
        );
        for id in 1..=10_000 {
            requests.wait(id).expect("all went well");
        }
    }

    #[test]
    fn after_the_last_number_comes_the_first_again() {
        let mut requests = Requests { issued: IDS_COUNT - 1, ..Requests::default() };
        let (last, first) = (issue(&mut requests, 0, true, true), issue(&mut requests, 0, true, false));
        assert_eq!((last, first), (i64::from(i32::MAX), 1));
        requests.wait(first).expect("the new one");
        requests.wait(last).expect_err("the old one");
        requests.wait(2).expect("one of the round before");
    }
}
