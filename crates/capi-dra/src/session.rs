//! What lives from `dra_init` to `dra_terminate`.

use crate::agreement::{agree, token};
use crate::arrays::OpenArray;
use crate::copies::Copy;
use crate::error::of_disk;
use crate::requests::{Requests, UnderWay, end_quietly};
use crate::{Error, Provider};
use chemio_capi::handles::Table;
use chemio_capi::{Result, exit, logging, statistics};
use comm::{Comm, ffi};
use dra::{Context, Settings};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// The most memory that a caller is believed to mean, in bytes.
const MEMORY_BYTES_MAX: f64 = 1e14;

/// The state behind the calls.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) context: Context,
    pub(crate) provider: &'static dyn Provider,
    /// The bytes of a Fortran INTEGER.
    pub(crate) integer_bytes: usize,
    pub(crate) arrays: Table<OpenArray>,
    pub(crate) requests: Mutex<Requests<UnderWay>>,
    pub(crate) defaults: Mutex<Spread>,
    /// The copy that was begun last.
    pub(crate) copies: Mutex<Option<Copy>>,
    comm: Arc<Comm>,
}

/// Over how many files an array is to be spread, and how many processes do its I/O; nothing below one says anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Spread {
    pub(crate) files: i64,
    pub(crate) io_processes: i64,
}

impl Spread {
    /// What says nothing.
    pub(crate) const UNKNOWN: Self = Self { files: -1, io_processes: -1 };

    /// What this one says, and else the other.
    pub(crate) fn or(self, other: Self) -> Self {
        let choose = |own: i64, other: i64| if own > 0 { own } else { other };
        let (files, io_processes) =
            (choose(self.files, other.files), choose(self.io_processes, other.io_processes));
        Self { files, io_processes }
    }
}

static SESSION: RwLock<Option<Arc<Session>>> = RwLock::new(None);
/// Collective calls come one at a time.
static TURN: Mutex<()> = Mutex::new(());

/// The right to make collective calls, until it is dropped.
pub(crate) fn my_turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The session.
///
/// # Errors
/// [`Error::NotInitialised`]
pub(crate) fn current() -> Result<Arc<Session>> {
    let session = SESSION.read().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(session.ok_or(Error::NotInitialised)?)
}

/// Bytes of memory for transfers on this rank, if the caller says something that makes sense. Part of a byte is dropped: programs
/// divide what they have.
fn memory_bytes(max_memory: f64) -> Option<u64> {
    // An INTEGER of -1 in 4 bytes, with whatever follows it in memory.
    let is_minus_one = max_memory.to_bits() & u64::from(u32::MAX) == u64::from(u32::MAX);
    let makes_sense = (1.0..=MEMORY_BYTES_MAX).contains(&max_memory) && !is_minus_one;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // used only if checked: 1 to 10^14
    makes_sense.then_some(max_memory as u64)
}

/// Begins a session, unless there is one. Collective over the processes that have the program's global arrays, or, before those
/// are initialised, over all.
pub(crate) fn begin(provider: &'static dyn Provider, integer_bytes: usize, max_memory: f64) -> Result<()> {
    logging::install();
    let _turn = my_turn();
    if current().is_ok() {
        return Ok(());
    }
    if !provider.starts_mpi() && !is_mpi_initialised() {
        return Err(Error::NoMpi.into());
    }
    let comm = Arc::new(Comm::of_global_arrays().map_err(Error::Comm)?);
    let settings = Settings { memory_bytes: memory_bytes(max_memory), ..Settings::default() };
    let context = Context::new(&comm, settings).map_err(of_disk)?;
    exit::call_before_mpi_ends(end_before_mpi);
    let begun = Session {
        context,
        provider,
        integer_bytes,
        arrays: Table::new(),
        requests: Mutex::default(),
        defaults: Mutex::new(Spread::UNKNOWN),
        copies: Mutex::default(),
        comm,
    };
    *SESSION.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(begun));
    Ok(())
}

/// Ends the session, if there is one: waits for what is under way and closes what is open. Tells the first error. Collective; where another rank
/// is in another call the session goes on.
pub(crate) fn end() -> Result<()> {
    let _turn = my_turn();
    match all_end() {
        // Where MPI has ended nobody is in another call: each closes what it has.
        Err(error) if current().is_ok_and(|session| session.comm.mpi().is_alive()) => Err(error),
        _ => close_all(),
    }
}

/// That all ranks end the session, if there is one. Collective.
fn all_end() -> Result<()> {
    current().map_or(Ok(()), |session| session.agree("dra_terminate", Ok(()), ()))
}

fn close_all() -> Result<()> {
    let Some(session) = SESSION.write().unwrap_or_else(PoisonError::into_inner).take() else { return Ok(()) };
    let mut result = Ok(());
    // In the order of handles, which is the same on all ranks.
    for open in session.arrays.take_all() {
        let closed = open.close(&session);
        result = result.and(closed);
    }
    let comm = &session.comm;
    let least = |mine| comm.least(mine, 0).map(|(least, _)| least);
    statistics::gather(comm.rank(), comm.size(), least, |text, root| comm.broadcast_text(text, root));
    result
}

/// What a program has left open is closed when MPI ends with its distributed arrays.
fn end_before_mpi() {
    // There is no later call that could do it.
    end_quietly(|| {
        let _turn = my_turn();
        all_end().and(close_all())
    });
}

fn is_mpi_initialised() -> bool {
    let mut initialised = 0;
    // SAFETY: the question may be asked at any time; the answer goes to a local.
    unsafe { ffi::MPI_Initialized(&raw mut initialised) };
    initialised != 0
}

impl Session {
    /// This rank's value if no rank's arguments are wrong and all gave the same ones, by which `arguments` are compared;
    /// otherwise one error on every rank. Collective.
    pub(crate) fn agree<T>(&self, call: &'static str, mine: Result<T>, arguments: impl Hash) -> Result<T> {
        agree(&self.comm, call, mine, token((call, arguments)))
    }

    pub(crate) fn rank(&self) -> usize {
        self.comm.rank()
    }

    pub(crate) fn requests(&self) -> MutexGuard<'_, Requests<UnderWay>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The copy that the next one comes after.
    pub(crate) fn last_copy(&self) -> MutexGuard<'_, Option<Copy>> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What arrays are to be like that say nothing.
    pub(crate) fn defaults(&self) -> Spread {
        *self.defaults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes that.
    pub(crate) fn set_defaults(&self, defaults: Spread) {
        *self.defaults.lock().unwrap_or_else(PoisonError::into_inner) = defaults;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_that_makes_no_sense_says_nothing() {
        let garbage = f64::from_bits(u64::MAX); // what an INTEGER of -1 is, read as a double
        let followed_by_more = f64::from_bits(1e6_f64.to_bits() | u64::from(u32::MAX)); // in 4 bytes
        for size in [garbage, followed_by_more, -1.0, 0.0, -0.0, 0.5, 1.5e-300, 1e15, f64::INFINITY, f64::NAN]
        {
            assert_eq!(memory_bytes(size), None, "{size}");
        }
        assert_eq!(memory_bytes(1e6), Some(1_000_000));
        assert_eq!(memory_bytes(1.0), Some(1));
        assert_eq!(memory_bytes(16e6 / 3.0), Some(5_333_333));
    }

    #[test]
    fn what_an_array_says_comes_before_the_default() {
        let default = Spread { files: 3, io_processes: -1 };
        assert_eq!(Spread::UNKNOWN.or(default), default);
        assert_eq!(Spread { files: 0, io_processes: 2 }.or(default), Spread { files: 3, io_processes: 2 });
        assert_eq!(Spread { files: 1, io_processes: 1 }.or(default), Spread { files: 1, io_processes: 1 });
    }

    #[test]
    fn before_the_beginning_there_is_nothing_and_ending_it_is_no_error() {
        assert!(current().is_err());
        end().expect("nothing to end");
    }
}
