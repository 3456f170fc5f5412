//! The public calls, in terms of neither C nor Fortran. Arguments that could not be had arrive as errors.

use crate::allocator::{Allocator, Handle, Request};
use crate::bases;
use crate::block::Place;
use crate::boundary::{cross, succeeds};
use crate::budget::{Limits, Room};
use crate::datatype::{Datatype, IntegerWidth};
use crate::error::{Error, Result};
use crate::routine::Routine;
use crate::session::{ErrorCallback, Session, Settings};
use crate::{output, report};
use std::borrow::Cow;

/// The number of a type, and what it depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TypeCode {
    pub(crate) code: i64,
    pub(crate) width: IntegerWidth,
}

impl TypeCode {
    fn datatype(self) -> Result<Datatype> {
        Datatype::from_code(self.code, self.width).ok_or(Error::InvalidDatatype { code: self.code })
    }
}

/// What a block is asked for with.
#[derive(Debug)]
pub(crate) struct Arguments<'a> {
    pub(crate) datatype: TypeCode,
    pub(crate) elements: i64,
    pub(crate) name: Cow<'a, str>,
}

fn elements(elements: i64) -> Result<u64> {
    u64::try_from(elements).map_err(|_| Error::InvalidElements { elements })
}

/// A new block's handle and index, from 0.
pub(crate) fn allocate(
    routine: Routine,
    place: Place,
    arguments: Result<Arguments<'_>>,
) -> Option<(i64, i64)> {
    cross(routine, |session| {
        let Arguments { datatype, elements: count, name } = arguments?;
        let request = Request { datatype: datatype.datatype()?, elements: elements(count)?, name: &name };
        let handle = session.memory.allocate(place, &request)?;
        session.trace(|| format!("{} block '{name}': {count} elements allocated", place.name()));
        Ok((handle.0, session.memory.index(handle)?))
    })
}

/// Gives a block, a part of it or several blocks back, and tells so if that is set.
fn give_back(
    routine: Routine,
    handle: Result<i64>,
    told: &str,
    call: impl FnOnce(&mut Allocator, Handle) -> Result<()>,
) -> bool {
    succeeds(routine, |session| {
        let handle = Handle(handle?);
        let named =
            if session.settings.trace { Some(session.memory.block(handle)?.to_string()) } else { None };
        call(&mut session.memory, handle)?;
        session.trace(|| format!("{}: {told}", named.unwrap_or_default()));
        Ok(())
    })
}

pub(crate) fn free_heap(handle: Result<i64>) -> bool {
    give_back(Routine::FreeHeap, handle, "freed", Allocator::free_heap)
}

pub(crate) fn free_heap_piece(handle: Result<i64>, count: Result<i64>) -> bool {
    let free = |memory: &mut Allocator, handle| memory.free_heap_piece(handle, elements(count?)?);
    give_back(Routine::FreeHeapPiece, handle, "a piece freed", free)
}

pub(crate) fn pop_stack(handle: Result<i64>) -> bool {
    give_back(Routine::PopStack, handle, "popped", Allocator::pop_stack)
}

pub(crate) fn chop_stack(handle: Result<i64>) -> bool {
    give_back(Routine::ChopStack, handle, "popped with all above it", Allocator::chop_stack)
}

/// A block's index, from 0.
pub(crate) fn get_index(handle: Result<i64>) -> Option<i64> {
    cross(Routine::GetIndex, |session| session.memory.index(Handle(handle?)))
}

/// The address of a block's first element.
pub(crate) fn get_pointer(handle: Result<i64>) -> Option<*mut u8> {
    cross(Routine::GetPointer, |session| Ok(session.memory.block(Handle(handle?))?.pointer().as_ptr()))
}

/// The address of a type's base array.
pub(crate) fn get_mbase(datatype: TypeCode) -> Option<usize> {
    cross(Routine::GetMbase, |_| Ok(bases::base(datatype.datatype()?)))
}

pub(crate) fn init(datatype: Result<TypeCode>, stack: Result<i64>, heap: Result<i64>) -> bool {
    succeeds(Routine::Init, |session| {
        let element_bytes = datatype?.datatype()?.element_bytes();
        session.memory.init(Limits::of_elements(element_bytes, stack?, heap?)?)
    })
}

pub(crate) fn initialized() -> bool {
    cross(Routine::Initialized, |session| Ok(session.memory.is_initialized())).unwrap_or(false)
}

/// Where a scan of all blocks begins.
pub(crate) fn init_memhandle_iterator(result: Result<()>) -> Option<i64> {
    cross(Routine::InitMemhandleIterator, |_| result.map(|()| -1))
}

/// The next block of a scan; the scan goes on from its handle. At the end there is none, which is no error.
pub(crate) fn get_next_memhandle(position: Result<i64>) -> Option<i64> {
    let next = |session: &mut Session| Ok(session.memory.next_block(Handle(position?)));
    cross(Routine::GetNextMemhandle, next)?.map(|handle| handle.0)
}

pub(crate) fn set_numalign(exponent: Result<i64>) -> bool {
    succeeds(Routine::SetNumalign, |session| session.memory.set_alignment(exponent?))
}

pub(crate) fn get_numalign(result: Result<()>) -> Option<i64> {
    cross(Routine::GetNumalign, |session| result.map(|()| session.memory.alignment().into()))
}

/// The most elements that one block can have; 0 after an error.
pub(crate) fn inquire(routine: Routine, room: Room, datatype: Result<TypeCode>) -> i64 {
    let elements = cross(routine, |session| session.memory.room(room, datatype?.datatype()?));
    elements.map_or(0, |elements| i64::try_from(elements).unwrap_or(i64::MAX))
}

/// How many elements of `to` hold `count` elements of `from`; 0 after an error.
pub(crate) fn size_of_elements(from: Result<TypeCode>, count: Result<i64>, to: Result<TypeCode>) -> i64 {
    let needed = cross(Routine::Sizeof, |_| {
        let (from, count) = (from?.datatype()?, elements(count?)?);
        let bytes = u128::from(count) * from.element_bytes() as u128;
        Ok(bytes.div_ceil(to?.datatype()?.element_bytes() as u128))
    });
    needed.map_or(0, |elements| i64::try_from(elements).unwrap_or(i64::MAX))
}

/// What a block takes from the limits besides its elements: nothing.
pub(crate) fn size_of_overhead(datatype: Result<TypeCode>) -> i64 {
    cross(Routine::SizeofOverhead, |_| datatype?.datatype().map(|_| 0)).unwrap_or(0)
}

/// Changes a setting and gives what it was.
pub(crate) fn set(routine: Routine, setting: fn(&mut Settings) -> &mut bool, value: Result<bool>) -> bool {
    let change = |session: &mut Session| {
        let value = value?;
        Ok(std::mem::replace(setting(&mut session.settings), value))
    };
    cross(routine, change).unwrap_or(false)
}

pub(crate) fn set_error_callback(callback: Option<ErrorCallback>) {
    succeeds(Routine::SetErrorCallback, |session| {
        session.settings.callback = callback;
        Ok(())
    });
}

pub(crate) fn verify_allocator_stuff() -> bool {
    succeeds(Routine::VerifyAllocatorStuff, |session| session.verify())
}

pub(crate) fn summarize_allocated_blocks(index_first: i64) {
    succeeds(Routine::SummarizeAllocatedBlocks, |session| {
        output::print(&report::summary(&session.memory, index_first));
        Ok(())
    });
}

pub(crate) fn print_stats(with_calls: Result<bool>) {
    succeeds(Routine::PrintStats, |session| {
        output::print(&report::statistics(&session.memory, &session.calls, with_calls?));
        Ok(())
    });
}
