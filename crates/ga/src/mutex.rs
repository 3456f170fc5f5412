//! Mutexes that any rank locks.
//!
//! Each is a pair of counters, as at a counter with numbered tickets: a rank draws the next ticket and waits until it is
//! served. Ranks are served in the order in which they came, and the only operation needed is read-and-increment, which
//! every MPI has right (`MPI_Compare_and_swap` of Open MPI 4.1 crashes for a rank's own memory).

use crate::{Array, Context, ElementType, Error, Result};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How often the next in line looks before it gives the processor away each time, and before pauses begin.
const LOOKS_SPINNING: u32 = 100;
const LOOKS_YIELDING: u32 = 1_000;

/// How long a look can wait for each rank that comes before. Between nodes a look is a message, and where ranks share
/// processors the holder needs the one that looking takes.
const PAUSE_EACH: Duration = Duration::from_micros(50);
const PAUSE_MAX: Duration = Duration::from_millis(1);

/// The mutexes of a program.
#[derive(Debug)]
pub(crate) struct Mutexes {
    /// For each mutex the next ticket, and the ticket that is served.
    tickets: Array,
    /// Those that this rank holds or waits for.
    taken: Mutex<Vec<bool>>,
}

const NEXT: u64 = 0;
const SERVED: u64 = 1;

impl Mutexes {
    fn draw(&self, index: usize) -> Result<i64> {
        self.take(index, true, "held by this rank already")?;
        self.tickets.read_increment(&[index as u64, NEXT], 1)
    }

    fn served(&self, index: usize) -> Result<i64> {
        self.tickets.read_increment(&[index as u64, SERVED], 0)
    }

    fn serve_next(&self, index: usize) -> Result<()> {
        self.take(index, false, "not held by this rank")?;
        self.tickets.read_increment(&[index as u64, SERVED], 1).map(drop)
    }

    /// Marks a mutex as taken or given back by this rank, unless it is so already.
    fn take(&self, index: usize, taken: bool, state: &'static str) -> Result<()> {
        let mut all = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let count = all.len();
        let mine = all.get_mut(index).ok_or(Error::NoSuchMutex { index, count })?;
        if *mine == taken {
            return Err(Error::MutexState { index, state });
        }
        *mine = taken;
        Ok(())
    }
}

impl Context {
    /// Makes `count` mutexes, all free. Collective over all ranks. There is one set at a time.
    ///
    /// # Errors
    /// - [`Error::Mutexes`]: there are mutexes already, or `count` is zero.
    /// - Those of [`ArrayBuilder::create`](crate::ArrayBuilder::create).
    pub fn create_mutexes(&self, count: usize) -> Result<()> {
        let state = if self.mutexes().is_some() {
            Err(Error::Mutexes { state: "were made already" })
        } else if count == 0 {
            Err(Error::Mutexes { state: "are to be made, but none" })
        } else {
            Ok(())
        };
        self.world().comm().agree(state)?;
        let tickets =
            self.array(ElementType::Long, &[count as u64, 2]).chunk(&[0, 2]).name("of mutexes").create()?;
        *self.mutexes() = Some(Arc::new(Mutexes { tickets, taken: Mutex::new(vec![false; count]) }));
        Ok(())
    }

    /// Removes the mutexes. Collective over all ranks; none is held.
    ///
    /// # Errors
    /// - [`Error::Mutexes`]: there are none, or one is waited for on some rank.
    pub fn destroy_mutexes(&self) -> Result<()> {
        let taken = self.mutexes().take().ok_or(Error::Mutexes { state: "were not made" });
        let mutexes = taken.and_then(|mutexes| {
            Arc::into_inner(mutexes).ok_or(Error::Mutexes { state: "are removed while one is waited for" })
        });
        self.world().comm().agree(mutexes)?.tickets.destroy()
    }

    /// Waits for mutex `index`. Local. Ranks get it in the order in which they came, and see what its last holder did to
    /// arrays.
    ///
    /// # Errors
    /// - [`Error::Mutexes`], [`Error::NoSuchMutex`]: there is none.
    /// - [`Error::MutexState`]: this rank holds it already.
    /// - [`Error::Comm`]: MPI failed.
    pub fn lock(&self, index: usize) -> Result<()> {
        let mutexes = self.live_mutexes()?;
        let ticket = mutexes.draw(index)?;
        for looks in 0.. {
            let before = ticket - mutexes.served(index)?;
            if before == 0 {
                break;
            }
            pause(looks, before);
        }
        self.see_others()
    }

    /// Gives mutex `index` back, when this rank's operations are complete everywhere. Local.
    ///
    /// # Errors
    /// - [`Error::Mutexes`], [`Error::NoSuchMutex`]: there is none.
    /// - [`Error::MutexState`]: this rank does not hold it.
    /// - [`Error::Comm`]: MPI failed.
    pub fn unlock(&self, index: usize) -> Result<()> {
        let mutexes = self.live_mutexes()?;
        let fenced = self.fence();
        // Given back even if an operation failed: others wait for it.
        mutexes.serve_next(index).and(fenced)
    }

    fn live_mutexes(&self) -> Result<Arc<Mutexes>> {
        self.mutexes().clone().ok_or(Error::Mutexes { state: "were not made" })
    }
}

/// Lets others run, of which `before` come first.
fn pause(looks: u32, before: i64) {
    if before == 1 && looks < LOOKS_SPINNING {
        std::hint::spin_loop();
    } else if before == 1 && looks < LOOKS_YIELDING {
        thread::yield_now();
    } else {
        thread::sleep(PAUSE_MAX.min(PAUSE_EACH.saturating_mul(u32::try_from(before).unwrap_or(u32::MAX))));
    }
}
