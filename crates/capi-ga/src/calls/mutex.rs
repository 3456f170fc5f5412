//! Mutexes.

use crate::boundary::{or_abort, or_return};
use crate::caller::Caller;
use crate::{fetch, session};

pub(crate) fn create(caller: Caller, count: i64) -> bool {
    or_return(caller, false, || {
        let session = session::current()?;
        let context = session.context();
        // A bad number on one process is an error on all.
        let count = context.world().agree(fetch::count(count, "number"))?;
        context.create_mutexes(count)?;
        Ok(true)
    })
}

pub(crate) fn destroy(caller: Caller) -> bool {
    or_return(caller, false, || {
        session::current()?.context().destroy_mutexes()?;
        Ok(true)
    })
}

pub(crate) fn lock(caller: Caller, mutex: i64) {
    or_abort(caller, || Ok(session::current()?.context().lock(fetch::count(mutex, "mutex")?)?));
}

pub(crate) fn unlock(caller: Caller, mutex: i64) {
    or_abort(caller, || Ok(session::current()?.context().unlock(fetch::count(mutex, "mutex")?)?));
}
