//! Writing, reading and waiting: transfers between arrays on disk and arrays in memory.

use crate::arrays::OpenArray;
use crate::error::of_disk;
use crate::language::{Language, numbers};
use crate::requests::{Requests, UnderWay};
use crate::session::{Session, current, my_turn};
use crate::{Error, codes};
use chemio_capi::{Integer, Result, last_error, pointer};
use dra::{ArrayInMemory, Transfer};
use section::Section;
use std::sync::Arc;

/// Which way elements go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Direction {
    ToDisk,
    ToMemory,
}

impl Direction {
    fn call(self) -> &'static str {
        match self {
            Self::ToDisk => "dra_write",
            Self::ToMemory => "dra_read",
        }
    }
}

/// Which elements of both arrays a caller means.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<M, D> {
    Whole,
    Section(Corners<M, D>),
}

/// Bounds as they come, inclusive: one number for each dimension of its array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corners<M, D> {
    pub(crate) language: Language,
    pub(crate) transposed: bool,
    /// Whether there are two numbers, whatever the arrays are.
    pub(crate) of_matrices: bool,
    pub(crate) memory: [*const M; 2],
    pub(crate) disk: [*const D; 2],
}

/// What a transfer is to be, as it comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments<M, D> {
    pub(crate) memory: i64,
    pub(crate) disk: i64,
    pub(crate) part: Part<M, D>,
}

/// A transfer whose arguments make sense on this rank.
struct Checked {
    disk: Arc<OpenArray>,
    memory: Arc<dyn ArrayInMemory>,
    transfer: Transfer,
}

impl<M: Integer, D: Integer> Arguments<M, D> {
    /// # Safety
    /// The corners are null or may be read for the dimensions of their arrays.
    unsafe fn check(&self, session: &Session) -> Result<Checked> {
        let disk = session.array(self.disk)?;
        let memory = session
            .provider
            .array(self.memory)
            .map_err(|error| Error::BadArray { handle: self.memory, message: error.to_string() })?;
        let transfer = match &self.part {
            Part::Whole => Transfer::whole(&memory.dims(), &disk.dims).map_err(of_disk)?,
            // SAFETY: promised by the caller.
            Part::Section(corners) => unsafe { corners.transfer(&*memory, &disk) }?,
        };
        Ok(Checked { disk, memory, transfer })
    }
}

impl<M: Integer, D: Integer> Corners<M, D> {
    /// # Safety
    /// As for [`Arguments::check`].
    unsafe fn transfer(&self, memory: &dyn ArrayInMemory, disk: &OpenArray) -> Result<Transfer> {
        let dims = memory.dims();
        let in_memory = || format!("global array \"{}\"", memory.name());
        let on_disk = || format!("disk-resident array {}", disk.file.display());
        // SAFETY: promised by the caller.
        unsafe {
            Ok(Transfer {
                in_memory: self.section(in_memory, "the global array", self.memory, &dims)?,
                on_disk: self.section(on_disk, "the disk-resident array", self.disk, &disk.dims)?,
                reversed: self.transposed,
            })
        }
    }

    /// # Safety
    /// As for [`Arguments::check`].
    unsafe fn section<I: Integer>(
        &self,
        name: impl Fn() -> String,
        what: &'static str,
        corners: [*const I; 2],
        dims: &[u64],
    ) -> Result<Section> {
        if self.of_matrices && dims.len() != 2 {
            return Err(Error::NoMatrix { what, dims: dims.len() }.into());
        }
        // SAFETY: promised by the caller.
        let (lo, hi) =
            unsafe { (numbers(corners[0], dims.len(), "lo")?, numbers(corners[1], dims.len(), "hi")?) };
        self.language.section(name, &lo, &hi, dims)
    }
}

/// What ranks have in common of a transfer.
fn in_common(checked: &Checked) -> impl std::hash::Hash + use<> {
    let Checked { disk, memory, transfer } = checked;
    let Transfer { in_memory, on_disk, reversed } = *transfer;
    ((disk.serial, disk.file.clone()), (memory.dims(), memory.data_type()), in_memory, on_disk, reversed)
}

/// Starts a transfer and stores its number. Collective: what is wrong with the arguments of one rank is told to all.
///
/// # Safety
/// The corners are null or may be read for the dimensions of their arrays; `request` is null or may be written.
pub(crate) unsafe fn start<M: Integer, D: Integer, I: Integer>(
    arguments: Result<Arguments<M, D>>,
    direction: Direction,
    request: *mut I,
) -> Result<()> {
    // SAFETY: promised by the caller.
    unsafe { pointer::store_unless_null(request, I::nearest(codes::NO_REQUEST)) };
    let _turn = my_turn();
    let session = current()?;
    let checked = arguments.and_then(|arguments| {
        // SAFETY: promised by the caller.
        let checked = unsafe { arguments.check(&session) }?;
        pointer::check(request, "request", codes::FAILED).map(|()| checked)
    });
    let token = checked.as_ref().ok().map(in_common);
    let id = session.requests().next_id();
    let Checked { disk, memory, transfer } = session.agree(direction.call(), checked, (token, id))?;
    let started = match direction {
        Direction::ToDisk => disk.disk().write(&memory, &transfer),
        Direction::ToMemory => disk.disk().read(&memory, &transfer),
    };
    let under_way = UnderWay::Transfer(started.map_err(of_disk)?);
    let id = session.requests().insert([disk.serial; 2], direction == Direction::ToDisk, under_way);
    // SAFETY: checked above on every rank.
    unsafe { pointer::store(request, I::nearest(id)) };
    Ok(())
}

/// Waits for a request; may be repeated, with the same result. Collective.
pub(crate) fn wait(id: Result<i64>) -> Result<()> {
    let _turn = my_turn();
    let Some(session) = session_for(&id)? else { return Ok(()) };
    let mut requests = session.requests();
    match session.agree_on_request("dra_wait", &requests, id)? {
        codes::NO_REQUEST => Ok(()),
        id => requests.wait(id),
    }
}

/// Whether a request has finished, as callers are told. Collective.
pub(crate) fn probe(id: Result<i64>) -> Result<i64> {
    let _turn = my_turn();
    let Some(session) = session_for(&id)? else { return Ok(codes::DONE) };
    let mut requests = session.requests();
    let id = session.agree_on_request("dra_probe", &requests, id)?;
    let finished = id == codes::NO_REQUEST || requests.probe(id)?;
    Ok(if finished { codes::DONE } else { codes::PENDING })
}

/// The session; none is needed where there is nothing to wait for.
fn session_for(id: &Result<i64>) -> Result<Option<Arc<Session>>> {
    let session = current();
    if session.is_err() && matches!(id, Ok(codes::NO_REQUEST)) {
        return Ok(None);
    }
    session.map(Some)
}

impl Session {
    fn agree_on_request(
        &self,
        call: &'static str,
        requests: &Requests<UnderWay>,
        id: Result<i64>,
    ) -> Result<i64> {
        // A rank that has none among others that have one would not come to their wait.
        let known =
            id.and_then(|id| if id == codes::NO_REQUEST { Ok(id) } else { requests.check(id).map(|()| id) });
        let wanted = known.as_ref().ok().copied();
        self.agree(call, known, wanted)
    }
}

/// What is known about `code`, in at most `len_max` bytes; empty for a number that is none of ours.
pub(crate) fn message(code: i64, len_max: usize) -> String {
    last_error::message(code, len_max, codes::text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_request_is_nothing_to_wait_for_and_any_other_needs_a_beginning() {
        wait(Ok(-333)).expect("nothing to wait for");
        assert_eq!(probe(Ok(-333)).expect("nothing to ask for"), codes::DONE);
        for id in [0, 1, -1, -332, i64::MAX] {
            assert!(wait(Ok(id)).is_err(), "{id}");
            assert!(probe(Ok(id)).is_err(), "{id}");
        }
    }

    #[test]
    fn a_transfer_that_is_not_started_leaves_no_request() {
        let mut request = 7i32;
        let arguments = Arguments::<i32, i64> { memory: 0, disk: 0, part: Part::Whole };
        // SAFETY: the request is a local.
        let result = unsafe { start(Ok(arguments), Direction::ToDisk, &raw mut request) };
        assert!(result.is_err());
        assert_eq!(request, -333);
    }
}
