//! Copies of arrays on disk into arrays with other bricks, or with the dimensions in another order.

use crate::arrays::OpenArray;
use crate::codes;
use crate::error::of_disk;
use crate::language::{Language, numbers};
use crate::requests::UnderWay;
use crate::session::{Session, current, my_turn};
use crate::{Error, Provider};
use chemio_capi::{Integer, Result, pointer};
use dra::Context;
use layout::Permutation;
use std::sync::Arc;

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

/// A copy that is to be made, or was. It is made by whoever waits first.
#[derive(Debug)]
pub(crate) struct Copy {
    context: Context,
    provider: &'static dyn Provider,
    left: Option<Checked>,
    outcome: dra::Result<()>,
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
        Ok(Checked { source, target, permutation })
    }
}

impl Checked {
    /// What ranks have in common.
    fn in_common(&self) -> impl std::hash::Hash + use<> {
        (self.source.serial, self.target.serial, self.permutation)
    }
}

impl Copy {
    fn new(session: &Session, checked: Checked) -> Self {
        let (context, provider) = (session.context.clone(), session.provider);
        Self { context, provider, left: Some(checked), outcome: Ok(()) }
    }

    /// Makes the copy, unless it was made. Tells how it went to the first who asks. Collective.
    pub(crate) fn wait(&mut self) -> dra::Result<()> {
        self.probe();
        std::mem::replace(&mut self.outcome, Ok(()))
    }

    /// Makes the copy, unless it was made: then it has finished. Collective.
    pub(crate) fn probe(&mut self) -> bool {
        if let Some(checked) = self.left.take() {
            self.outcome = self.make(&checked);
        }
        true
    }

    fn make(&self, checked: &Checked) -> dra::Result<()> {
        let Checked { source, target, permutation } = checked;
        let told =
            |error: &dyn std::fmt::Display, code| dra::Error::Caller { code, message: error.to_string() };
        let maker = self.context.agree(self.provider.maker().map_err(|error| told(&error, codes::FAILED)))?;
        let copied = target.change(|target| {
            let (arrays, options) = ((&*source.disk(), target), reblock::Options::default());
            reblock::copy(&self.context, &*maker, arrays, permutation, &options, &mut |_| {})
        });
        match copied {
            Ok(_) => Ok(()),
            Err(reblock::Error::Array(error)) => Err(error),
            Err(error) => Err(told(&error, error.code())),
        }
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
    Copy::new(&session, checked).wait().map_err(of_disk)
}

/// Takes a copy on and stores its number. Collective.
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
    let copy = Copy::new(&session, checked);
    let id = session.requests().insert(arrays, true, UnderWay::Copy(Box::new(copy)));
    // SAFETY: checked above on every rank.
    unsafe { pointer::store(request, I::nearest(id)) };
    Ok(())
}
