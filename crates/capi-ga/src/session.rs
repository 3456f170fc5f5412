//! What lives from `ga_initialize` to `ga_terminate`.

use crate::arrays::{FormerGroups, Slot};
use crate::groups::Groups;
use crate::limit::Limit;
use crate::requests::Requests;
use crate::statistics::Statistics;
use crate::{Error, Result, kind};
use chemio_capi::handles::Table;
use chemio_capi::{exit, logging, statistics as counts};
use ga::Context;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// The state behind the calls.
#[derive(Debug)]
pub(crate) struct Session {
    context: Context,
    arrays: Table<Slot>,
    former_groups: FormerGroups,
    groups: Groups,
    requests: Requests,
    limit: Limit,
    statistics: Statistics,
}

static SESSION: RwLock<Option<Arc<Session>>> = RwLock::new(None);
/// Whether `ga_initialize` came from Fortran.
static FORTRAN: AtomicBool = AtomicBool::new(false);

impl Session {
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn arrays(&self) -> &Table<Slot> {
        &self.arrays
    }

    pub(crate) fn former_groups(&self) -> &FormerGroups {
        &self.former_groups
    }

    pub(crate) fn groups(&self) -> &Groups {
        &self.groups
    }

    pub(crate) fn requests(&self) -> &Requests {
        &self.requests
    }

    pub(crate) fn limit(&self) -> &Limit {
        &self.limit
    }

    pub(crate) fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}

/// The session.
///
/// # Errors
/// [`Error::NotInitialised`]
pub(crate) fn current() -> Result<Arc<Session>> {
    SESSION.read().unwrap_or_else(PoisonError::into_inner).clone().ok_or(Error::NotInitialised)
}

/// Uses the session where it is; `None` if there is none. Not for long work, nor for any that comes back here: nobody can
/// begin or end the session meanwhile.
#[inline]
pub(crate) fn with<R>(work: impl FnOnce(&Session) -> Option<R>) -> Option<R> {
    work(SESSION.read().unwrap_or_else(PoisonError::into_inner).as_ref()?)
}

/// Whether there is a session.
pub(crate) fn is_initialised() -> bool {
    current().is_ok()
}

/// Whether it was begun by a Fortran program.
pub(crate) fn is_fortran() -> bool {
    FORTRAN.load(Ordering::Relaxed)
}

/// This process's number in the world, if that is known. Never waits.
pub(crate) fn world_rank() -> Option<usize> {
    SESSION.try_read().ok()?.as_ref().map(|session| session.context.rank())
}

/// Begins a session, unless there is one. Collective over all processes. `limit_bytes` is for arrays on each process.
pub(crate) fn begin(fortran: bool, integer_bytes: usize, limit_bytes: Option<u64>) -> Result<()> {
    logging::install();
    let mut session = SESSION.write().unwrap_or_else(PoisonError::into_inner);
    if session.is_some() {
        return Ok(());
    }
    kind::set_integer_bytes(integer_bytes);
    FORTRAN.store(fortran, Ordering::Relaxed);
    let context = Context::new()?;
    let groups = Groups::new(context.world().clone());
    let begun = Session {
        context,
        arrays: Table::new(),
        former_groups: FormerGroups::default(),
        groups,
        requests: Requests::default(),
        limit: Limit::new(),
        statistics: Statistics::default(),
    };
    begun.limit.set(limit_bytes);
    *session = Some(Arc::new(begun));
    Ok(())
}

/// Ends the session, if there is one: completes what is under way, closes shared files, and removes what is left.
/// Collective.
pub(crate) fn end() -> Result<()> {
    if current().is_err() {
        return Ok(());
    }
    // While there is still a session: what was asked for and has not begun may need arrays of it.
    exit::before_mpi_ends();
    let Some(session) = SESSION.write().unwrap_or_else(PoisonError::into_inner).take() else { return Ok(()) };
    FORTRAN.store(false, Ordering::Relaxed);
    if let Ok(comm) = session.context.world().communicator() {
        let least = |mine| comm.least(mine, 0).map(|(least, _)| least);
        counts::gather(comm.rank(), comm.size(), least, |text, root| comm.broadcast_text(text, root));
    }
    session.requests.wait_for_all()?;
    session.context.sync()?;
    session.destroy_all();
    // That there are none is no error here.
    let _ = session.context.destroy_mutexes();
    Ok(())
}
