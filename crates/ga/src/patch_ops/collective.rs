//! How collective operations on arrays begin and end.
//!
//! By default with a synchronisation of the array's group, in which the ranks also agree on an error: what any rank wrote
//! before is there, what the operation writes is seen by whoever comes after, and no rank goes on alone. A caller who
//! knows better switches one or both off, for the next operation only.

use crate::{Array, Context, Result};
use std::sync::atomic::{AtomicBool, Ordering};

/// Which synchronisations the next collective operation leaves out.
#[derive(Debug, Default)]
pub(crate) struct SyncMask {
    no_begin: AtomicBool,
    no_end: AtomicBool,
}

impl SyncMask {
    /// Whether the operation that asks synchronises at its beginning and at its end; the one after it does both.
    pub(crate) fn take(&self) -> (bool, bool) {
        (!self.no_begin.swap(false, Ordering::Relaxed), !self.no_end.swap(false, Ordering::Relaxed))
    }
}

impl Context {
    /// Says whether the next operation on whole arrays or patches synchronises at its beginning and at its end, as all of
    /// them do if nothing is said. Local, and the same on every rank. [`sync`](Self::sync) takes it back.
    ///
    /// What is left out leaves out the agreement on errors too: an error of one rank only is then returned there alone.
    /// Operations that need the other ranks anyway, such as a dot product, wait for them in any case.
    pub fn mask_sync(&self, begin: bool, end: bool) {
        self.sync_mask().no_begin.store(!begin, Ordering::Relaxed);
        self.sync_mask().no_end.store(!end, Ordering::Relaxed);
    }
}

/// Makes sure that all ranks of the array's group have good arguments before any of them begins to work, and gives all
/// the same error. Collective over the group; `work` makes no collective calls, or knows that it is called everywhere.
pub(crate) fn collectively<A, T>(
    array: &Array,
    arguments: Result<A>,
    work: impl FnOnce(A) -> Result<T>,
) -> Result<T> {
    let (context, comm) = (array.context(), array.group().comm());
    let (begin, end) = context.sync_mask().take();
    let arguments = if begin {
        Ok(comm.agree(context.fence().and(arguments))?)
    } else {
        arguments
    };
    // Who could not even begin still meets the others at the end.
    let done = arguments.and_then(|arguments| {
        if begin {
            context.windows_see_others()?;
        }
        work(arguments)
    });
    if !end {
        return done;
    }
    let done = comm.agree(context.fence().and(done))?;
    context.windows_see_others()?;
    Ok(done)
}
