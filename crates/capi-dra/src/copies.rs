//! Copies of arrays on disk into arrays with other bricks, or with the dimensions in another order.

use crate::arrays::OpenArray;
use crate::codes;
use crate::error::of_disk;
use crate::language::{Language, numbers};
use crate::requests::UnderWay;
use crate::session::{Session, current, my_turn};
use crate::{Error, Provider};
use chemio_capi::{Integer, Result, pointer};
use dra::{Context, MemoryError};
use layout::Permutation;
use reblock::{Copying, Waiting};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a copy is to be, as it comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments<I> {
    pub(crate) language: Language,
    pub(crate) source: i64,
    pub(crate) target: i64,
    pub(crate) permutation: *const I,
}

/// A copy whose arguments make sense on this rank.
#[derive(Debug)]
struct Checked {
    source: Arc<OpenArray>,
    target: Arc<OpenArray>,
    permutation: Permutation,
}

/// A copy that has been asked for. It goes on whenever somebody waits for it or probes it.
///
/// A copy takes the memory of `dra_init`, so they come one after the other: whoever waits for one waits for those before it. The target
/// of one that has to wait for its turn is marked at once: from here on nobody may take it for complete. Those before it that use this
/// array are waited for first, because one that reads it could not go on, and one that writes it would take the mark away at its end.
#[derive(Clone, Debug)]
pub(crate) struct Copy(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    /// The one before it, until that is over.
    before: Option<Copy>,
    stage: Stage,
    outcome: dra::Result<()>,
}

#[derive(Debug)]
enum Stage {
    /// With the mark of its target, if that was marked for it.
    Asked(Context, &'static dyn Provider, Checked, Option<Waiting>),
    UnderWay(Box<Copying<'static>>, Checked),
    Over,
}

impl<I: Integer> Arguments<I> {
    /// # Safety
    /// The permutation is null or has a number for each dimension of the source.
    unsafe fn check(&self, session: &Session) -> Result<Checked> {
        let (source, target) = (session.array(self.source)?, session.array(self.target)?);
        if source.serial == target.serial {
            return Err(Error::SameArray { file: source.file.clone() }.into());
        }
        // SAFETY: promised by the caller.
        let order = unsafe { numbers(self.permutation, source.dims.len(), "perm") }?;
        let permutation = self.language.permutation(&order)?;
        // Not whether the source is complete: it may be what a copy before this one is to write.
        let checked = reblock::check(&source.disk(), &target.disk(), &permutation);
        checked.map_err(|error| self.language.told(error, order))?;
        Ok(Checked { source, target, permutation })
    }
}

impl Language {
    /// What is wrong with the arguments of a copy, as the caller counts, who gave this order.
    fn told(self, error: reblock::Error, order: Vec<i64>) -> chemio_capi::Error {
        match error {
            reblock::Error::DimsDiffer { path: file, source_dims, target_dims, .. } => {
                let [source_extents, target_extents] =
                    [source_dims, target_dims].map(|dims| self.extents(&dims));
                Error::ExtentsDiffer { source_extents, order, target_extents, file }.into()
            }
            error => of_disk(told(error)),
        }
    }
}

impl Checked {
    /// What ranks have in common.
    fn in_common(&self) -> impl std::hash::Hash + use<> {
        (self.source.serial, self.target.serial, self.permutation)
    }

    /// Whether the source or the target is this array, by whatever handle. Local.
    fn uses(&self, array: &OpenArray) -> bool {
        self.is_same(&self.source, array) || self.is_to(array)
    }

    /// Whether the target is. Local.
    fn is_to(&self, array: &OpenArray) -> bool {
        self.is_same(&self.target, array)
    }

    fn is_same(&self, own: &OpenArray, array: &OpenArray) -> bool {
        let checked = || reblock::check(&own.disk(), &array.disk(), &self.permutation);
        own.serial == array.serial || matches!(checked(), Err(reblock::Error::SameArray { .. }))
    }
}

impl Copy {
    /// Begins a copy, unless others come first. Collective; what it finds wrong is told by [`wait`](Self::wait).
    fn begin(session: &Session, checked: Checked) -> Self {
        let mut last = session.last_copy();
        let queued = last.as_ref().map_or(Ok(None), |last| last.queue(&session.context, &checked));
        let stage = queued.map(|mark| Stage::Asked(session.context.clone(), session.provider, checked, mark));
        match stage {
            Ok(stage) => {
                let copy = Self::new(last.take(), stage, Ok(()));
                *last = Some(copy.clone());
                copy.state().begin();
                copy
            }
            // The next one does not come after it, or would begin while those before this one go on.
            Err(error) => Self::new(last.clone(), Stage::Over, Err(error)),
        }
    }

    fn new(before: Option<Self>, stage: Stage, outcome: dra::Result<()>) -> Self {
        Self(Arc::new(Mutex::new(State { before, stage, outcome })))
    }

    /// Waits for those, of this copy and those before it, that use the target of one that is to come after it. If it has to wait for
    /// others still its target is marked; the mark, as of [`Waiting::mark`]. Collective.
    fn queue(&self, context: &Context, next: &Checked) -> dra::Result<Option<Waiting>> {
        if !self.is_over() {
            let copies = self.with_those_before();
            let mine = copies
                .iter()
                .position(|copy| copy.state().checked().is_some_and(|own| own.uses(&next.target)));
            let mine = mine.and_then(|place| i64::try_from(place).ok()).unwrap_or(i64::MAX);
            let (last, _) = context.comm().least(mine, 0)?;
            if let Some(copy) = usize::try_from(last).ok().and_then(|last| copies.get(last)) {
                copy.advance(true);
            }
        }
        if self.is_over() {
            return Ok(None);
        }
        next.target.change(|target| Waiting::mark(context, &next.source.disk(), target))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the copy is complete. Tells how it went to the first who asks. Collective.
    pub(crate) fn wait(&self) -> dra::Result<()> {
        self.advance(true);
        std::mem::replace(&mut self.state().outcome, Ok(()))
    }

    /// Goes on as far as that needs no waiting; whether the copy is over. Collective.
    pub(crate) fn probe(&self) -> bool {
        self.advance(false)
    }

    /// Whether it is over. Those before it go on first, in a loop: there may be very many.
    fn advance(&self, waits: bool) -> bool {
        self.with_those_before().iter().rev().all(|copy| copy.state().advance(waits))
    }

    /// The last one first.
    fn with_those_before(&self) -> Vec<Self> {
        let mut copies = vec![self.clone()];
        while let Some(before) = copies.last().and_then(Self::before) {
            copies.push(before);
        }
        copies
    }

    fn is_over(&self) -> bool {
        matches!(self.state().stage, Stage::Over)
    }

    /// Whether this copy, or one before it, is to write this array, by whatever handle, and is not over. Local.
    pub(crate) fn is_to(&self, array: &OpenArray) -> bool {
        self.with_those_before()
            .iter()
            .any(|copy| copy.state().checked().is_some_and(|checked| checked.is_to(array)))
    }

    fn before(&self) -> Option<Self> {
        self.state().before.clone()
    }
}

impl Drop for State {
    /// Lets go of all copies before it that nobody else holds, one after the other instead of each in the next one's drop.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(state) = before.and_then(|copy| Arc::into_inner(copy.0)) {
            before = state.into_inner().unwrap_or_else(PoisonError::into_inner).before.take();
        }
    }
}

impl State {
    /// Begins, if it has not begun and nothing comes before.
    fn begin(&mut self) {
        self.before.take_if(|before| before.is_over());
        let may_begin = self.before.is_none() && matches!(self.stage, Stage::Asked(..));
        if may_begin
            && let Stage::Asked(context, provider, checked, waiting) =
                std::mem::replace(&mut self.stage, Stage::Over)
        {
            self.outcome = Err(broken());
            let begun = begin(&context, provider, &checked);
            if let (Err(_), Some(waiting)) = (&begun, waiting) {
                // As if it had not been asked for. What has kept it from beginning is what to tell.
                let _ = checked.target.change(|target| waiting.unmark(&context, target));
            }
            self.outcome = begun.map(|copying| self.stage = Stage::UnderWay(Box::new(copying), checked));
        }
    }

    /// Its arrays, unless it is over.
    fn checked(&self) -> Option<&Checked> {
        match &self.stage {
            Stage::Asked(_, _, checked, _) | Stage::UnderWay(_, checked) => Some(checked),
            Stage::Over => None,
        }
    }

    /// Whether it is over. The one before it is.
    fn advance(&mut self, waits: bool) -> bool {
        self.begin();
        let Stage::UnderWay(mut copying, checked) = std::mem::replace(&mut self.stage, Stage::Over) else {
            return true;
        };
        // What fails is over.
        self.outcome = Err(broken());
        let source = Arc::clone(&checked.source);
        if waits {
            let finish = |target: &mut _| copying.finish((&*source.disk(), target), &mut |_| {});
            self.outcome = checked.target.change(finish).map(drop).map_err(told);
            return true;
        }
        let probe = |target: &mut _| copying.probe((&*source.disk(), target), &mut |_| {});
        let probed = checked.target.change(probe).map_err(told);
        if let Ok(false) = probed {
            self.stage = Stage::UnderWay(copying, checked);
        }
        self.outcome = probed.map(drop);
        !matches!(self.stage, Stage::UnderWay(..))
    }
}

/// The outcome of what a panic interrupts, and nothing else.
fn broken() -> dra::Error {
    dra::Error::Caller { code: codes::FAILED, message: "an internal error ended the copy".to_owned() }
}

fn begin(
    context: &Context,
    provider: &'static dyn Provider,
    checked: &Checked,
) -> dra::Result<Copying<'static>> {
    let failed = |error: MemoryError| dra::Error::Caller { code: codes::FAILED, message: error.to_string() };
    let maker = context.agree(provider.maker().map_err(failed))?;
    let options = reblock::Options::of_environment(context.comm()).map_err(told)?;
    let permutation = &checked.permutation;
    let begin = |target: &mut _| {
        Copying::begin(context, maker, (&*checked.source.disk(), target), permutation, &options)
    };
    checked.target.change(begin).map_err(told)
}

/// As waits tell it.
fn told(error: reblock::Error) -> dra::Error {
    match error {
        reblock::Error::Array(error) => error,
        error => dra::Error::Caller { code: error.code(), message: error.to_string() },
    }
}

/// Copies an array. Collective: what is wrong with the arguments of one rank is told to all.
///
/// # Safety
/// The permutation is null or has a number for each dimension of the source.
pub(crate) unsafe fn copy<I: Integer>(arguments: Result<Arguments<I>>) -> Result<()> {
    let _turn = my_turn();
    let session = current()?;
    // SAFETY: promised by the caller.
    let checked = arguments.and_then(|arguments| unsafe { arguments.check(&session) });
    let token = checked.as_ref().ok().map(Checked::in_common);
    let checked = session.agree("ndra_copy", checked, token)?;
    Copy::begin(&session, checked).wait().map_err(of_disk)
}

/// Begins a copy and stores its number. Collective.
///
/// # Safety
/// As for [`copy`]; `request` is null or may be written.
pub(crate) unsafe fn start<I: Integer>(arguments: Result<Arguments<I>>, request: *mut I) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe { pointer::store_unless_null(request, I::nearest(codes::NO_REQUEST)) };
    let _turn = my_turn();
    let session = current()?;
    let checked = arguments.and_then(|arguments| {
        // SAFETY: promised by the caller.
        let checked = unsafe { arguments.check(&session) }?;
        pointer::check(request, "request", codes::FAILED).map(|()| checked)
    });
    let token = checked.as_ref().ok().map(Checked::in_common);
    let id = session.requests().next_id();
    let checked = session.agree("ndra_ncopy", checked, (token, id))?;
    let arrays = [checked.source.serial, checked.target.serial];
    let copy = Copy::begin(&session, checked);
    let id = session.requests().insert(arrays, true, UnderWay::Copy(copy));
    // SAFETY: checked above on every rank.
    unsafe { pointer::store(request, I::nearest(id)) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last of so many copies that come one after the other.
    fn last_of(count: usize) -> Copy {
        let after = |before| {
            let state = State { before, stage: Stage::Over, outcome: Ok(()) };
            Some(Copy(Arc::new(Mutex::new(state))))
        };
        (0..count).fold(None, |before, _| after(before)).expect("one at least")
    }

    #[test]
    fn however_many_copies_come_before_one_the_stack_is_enough() {
        let last = last_of(300_000);
        assert!(last.probe());
        assert!(last.before().is_none(), "all before it are over");
        last_of(300_000).wait().expect("nothing has failed");
        drop(last_of(300_000));
    }
}
