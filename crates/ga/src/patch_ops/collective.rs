//! How collective operations on arrays begin and end.
//!
//! By default with a synchronisation of the array's group, in which the ranks also agree on an error: what any rank wrote
//! before is there, what the operation writes is seen by whoever comes after, and no rank goes on alone. A caller who
//! knows better switches one or both off, for the next operation only.

use crate::{Array, Context, Error, Result};
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
    /// them do if nothing is said. Local, and the same on every rank. Any other collective call that comes first takes it back: making
    /// and removing arrays, [`sync`](Self::sync), broadcasts and reductions.
    ///
    /// What is left out leaves out the agreement on errors too: an error of one rank only is then returned there alone.
    /// Operations whose result needs all ranks, such as a dot product, wait for them in any case.
    pub fn mask_sync(&self, begin: bool, end: bool) {
        let mask = self.world().sync_mask();
        mask.no_begin.store(!begin, Ordering::Relaxed);
        mask.no_end.store(!end, Ordering::Relaxed);
    }
}

/// Makes sure that all ranks of the array's group have good arguments before any of them begins to work, and gives all
/// the same error, unless the caller has switched that off. Collective over the group; `work` makes no collective calls.
pub(crate) fn collectively<A, T>(
    array: &Array,
    arguments: Result<A>,
    work: impl FnOnce(A) -> Result<T>,
) -> Result<T> {
    Collective::of(array).run(arguments, work)
}

/// One operation, for those that make collective calls in between: every rank does the same with it.
pub(crate) struct Collective<'a> {
    array: &'a Array,
    begin: bool,
    end: bool,
}

impl<'a> Collective<'a> {
    /// The next operation, on an array. Every operation begins with this, once.
    pub(crate) fn of(array: &'a Array) -> Self {
        let (begin, end) = array.group().sync_mask().take();
        Self { array, begin, end }
    }

    fn run<A, T>(&self, arguments: Result<A>, work: impl FnOnce(A) -> Result<T>) -> Result<T> {
        let arguments = if self.begin { Ok(self.meet(arguments)?) } else { arguments };
        // Who could not begin still meets the others at the end.
        self.end(arguments.and_then(work))
    }

    /// As [`collectively`], and every rank returns the same error whatever the caller has switched off.
    pub(crate) fn run_in_any_case<A, T>(
        &self,
        arguments: Result<A>,
        work: impl FnOnce(A) -> Result<T>,
    ) -> Result<T> {
        let done = self.run(arguments, work);
        if self.end { done } else { self.agree(done) }
    }

    /// Begins the operation, which takes the same arguments on all ranks, as far as `token` tells; every rank returns the same
    /// error whatever the caller has switched off.
    pub(crate) fn begin_alike<A>(
        &self,
        arguments: Result<A>,
        token: u64,
        operation: &'static str,
    ) -> Result<A> {
        let context = self.array.context();
        let arguments = if self.begin { context.fence().and(arguments) } else { arguments };
        let (arguments, alike) = self.array.group().comm().agree_alike(arguments, token)?;
        if self.begin {
            context.see_others()?;
        }
        if alike { Ok(arguments) } else { Err(Error::ArgumentsDiffer { operation }) }
    }

    /// Waits for all ranks, whose operations are complete then; every rank returns the same error.
    pub(crate) fn meet<T>(&self, done: Result<T>) -> Result<T> {
        let context = self.array.context();
        let done = self.agree(context.fence().and(done))?;
        context.see_others().map(|()| done)
    }

    /// Ends the operation.
    pub(crate) fn end<T>(&self, done: Result<T>) -> Result<T> {
        if self.end { self.meet(done) } else { done }
    }

    fn agree<T>(&self, done: Result<T>) -> Result<T> {
        Ok(self.array.group().comm().agree(done)?)
    }
}
