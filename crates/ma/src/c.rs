//! The C calls, for either width of `Integer`. [`crate::export!`] gives them their symbols; what they do is described
//! in `include/ga/macdecls.h`.
//!
//! One contract for all, as for the symbols: pointers are null or point to what the prototype says.
#![allow(clippy::missing_safety_doc, missing_docs)]

use crate::block::Place;
use crate::budget::Room;
use crate::calls::{self, Arguments, TypeCode};
use crate::error::Result;
use crate::integer::Integer;
use crate::pointer::{check, store, value};
use crate::routine::Routine;
use crate::session::ErrorCallback;
use crate::strings;
use std::ffi::{c_char, c_void};

fn type_code<I: Integer>(datatype: I) -> TypeCode {
    TypeCode { code: datatype.get(), width: I::WIDTH }
}

/// What a block is asked for with, if its handle can be stored.
unsafe fn arguments<'a, I: Integer>(
    datatype: I,
    nelem: I,
    name: *const c_char,
    memhandle: *mut I,
) -> Result<Arguments<'a>> {
    check(memhandle, "memhandle")?;
    // SAFETY: see the head of this file.
    let name = unsafe { strings::c_name(name) };
    Ok(Arguments { datatype: type_code(datatype), elements: nelem.get(), name })
}

unsafe fn allocate<I: Integer>(
    routine: Routine,
    place: Place,
    arguments: Result<Arguments<'_>>,
    memhandle: *mut I,
) -> Option<i64> {
    let (handle, index) = calls::allocate(routine, place, arguments)?;
    // SAFETY: checked with the other arguments.
    unsafe { store(memhandle, I::nearest(handle)) };
    Some(index)
}

/// As [`allocate`], and stores the index too.
unsafe fn allocate_and_get<I: Integer>(
    routine: Routine,
    place: Place,
    arguments: Result<Arguments<'_>>,
    memhandle: *mut I,
    index: *mut i64,
) -> I {
    let arguments = check(index, "index").and(arguments);
    // SAFETY: see the head of this file; the pointers were checked with the other arguments.
    let allocated = unsafe { allocate(routine, place, arguments, memhandle) };
    // SAFETY: as above.
    I::logical(allocated.map(|value| unsafe { store(index, value) }).is_some())
}

pub unsafe fn alloc_get<I: Integer>(
    datatype: I,
    nelem: I,
    name: *const c_char,
    memhandle: *mut I,
    index: *mut i64,
) -> I {
    // SAFETY: see the head of this file.
    unsafe {
        let arguments = arguments(datatype, nelem, name, memhandle);
        allocate_and_get(Routine::AllocGet, Place::Heap, arguments, memhandle, index)
    }
}

pub unsafe fn allocate_heap<I: Integer>(datatype: I, nelem: I, name: *const c_char, memhandle: *mut I) -> I {
    // SAFETY: see the head of this file.
    let index = unsafe {
        let arguments = arguments(datatype, nelem, name, memhandle);
        allocate(Routine::AllocateHeap, Place::Heap, arguments, memhandle)
    };
    I::logical(index.is_some())
}

pub unsafe fn push_get<I: Integer>(
    datatype: I,
    nelem: I,
    name: *const c_char,
    memhandle: *mut I,
    index: *mut i64,
) -> I {
    // SAFETY: see the head of this file.
    unsafe {
        let arguments = arguments(datatype, nelem, name, memhandle);
        allocate_and_get(Routine::PushGet, Place::Stack, arguments, memhandle, index)
    }
}

pub unsafe fn push_stack<I: Integer>(datatype: I, nelem: I, name: *const c_char, memhandle: *mut I) -> I {
    // SAFETY: see the head of this file.
    let index = unsafe {
        let arguments = arguments(datatype, nelem, name, memhandle);
        allocate(Routine::PushStack, Place::Stack, arguments, memhandle)
    };
    I::logical(index.is_some())
}

pub unsafe fn chop_stack<I: Integer>(memhandle: I) -> I {
    I::logical(calls::chop_stack(Ok(memhandle.get())))
}

pub unsafe fn free_heap<I: Integer>(memhandle: I) -> I {
    I::logical(calls::free_heap(Ok(memhandle.get())))
}

pub unsafe fn free_heap_piece<I: Integer>(memhandle: I, nelem: I) -> I {
    I::logical(calls::free_heap_piece(Ok(memhandle.get()), Ok(nelem.get())))
}

pub unsafe fn pop_stack<I: Integer>(memhandle: I) -> I {
    I::logical(calls::pop_stack(Ok(memhandle.get())))
}

pub unsafe fn get_index<I: Integer>(memhandle: I, index: *mut i64) -> I {
    let found = calls::get_index(check(index, "index").map(|()| memhandle.get()));
    // SAFETY: checked above.
    I::logical(found.map(|value| unsafe { store(index, value) }).is_some())
}

pub unsafe fn get_pointer<I: Integer>(memhandle: I, pointer: *mut c_void) -> I {
    let found = calls::get_pointer(check(pointer, "pointer").map(|()| memhandle.get()));
    // SAFETY: checked above; the caller's pointer is a pointer to a pointer.
    I::logical(found.map(|value| unsafe { store(pointer.cast(), value) }).is_some())
}

pub unsafe fn get_mbase<I: Integer>(datatype: I) -> *mut c_char {
    let address = calls::get_mbase(type_code(datatype)).unwrap_or(0);
    std::ptr::with_exposed_provenance_mut(address)
}

pub unsafe fn init<I: Integer>(datatype: I, nominal_stack: I, nominal_heap: I) -> I {
    I::logical(calls::init(Ok(type_code(datatype)), Ok(nominal_stack.get()), Ok(nominal_heap.get())))
}

pub unsafe fn initialized<I: Integer>() -> I {
    I::logical(calls::initialized())
}

pub unsafe fn init_memhandle_iterator<I: Integer>(ithandle: *mut I) -> I {
    let begin = calls::init_memhandle_iterator(check(ithandle, "ithandle"));
    // SAFETY: checked above.
    I::logical(begin.map(|position| unsafe { store(ithandle, I::nearest(position)) }).is_some())
}

pub unsafe fn get_next_memhandle<I: Integer>(ithandle: *mut I, memhandle: *mut I) -> I {
    // SAFETY: see the head of this file.
    let position = unsafe { check(memhandle, "memhandle").and(value(ithandle, "ithandle")) };
    let Some(next) = calls::get_next_memhandle(position.map(I::get)) else { return I::logical(false) };
    // SAFETY: checked above.
    unsafe {
        store(ithandle, I::nearest(next));
        store(memhandle, I::nearest(next));
    }
    I::logical(true)
}

pub unsafe fn get_numalign<I: Integer>(value: *mut I) -> I {
    let exponent = calls::get_numalign(check(value, "value"));
    // SAFETY: checked above.
    I::logical(exponent.map(|exponent| unsafe { store(value, I::nearest(exponent)) }).is_some())
}

pub unsafe fn set_numalign<I: Integer>(value: I) -> I {
    I::logical(calls::set_numalign(Ok(value.get())))
}

fn inquire<I: Integer>(routine: Routine, room: Room, datatype: I) -> I {
    I::nearest(calls::inquire(routine, room, Ok(type_code(datatype))))
}

pub unsafe fn inquire_avail<I: Integer>(datatype: I) -> I {
    inquire(Routine::InquireAvail, Room::Total, datatype)
}

pub unsafe fn inquire_heap<I: Integer>(datatype: I) -> I {
    inquire(Routine::InquireHeap, Room::Heap, datatype)
}

pub unsafe fn inquire_heap_check_stack<I: Integer>(datatype: I) -> I {
    inquire(Routine::InquireHeapCheckStack, Room::HeapCheckStack, datatype)
}

pub unsafe fn inquire_heap_no_partition<I: Integer>(datatype: I) -> I {
    inquire(Routine::InquireHeapNoPartition, Room::Total, datatype)
}

pub unsafe fn inquire_stack<I: Integer>(datatype: I) -> I {
    inquire(Routine::InquireStack, Room::Stack, datatype)
}

pub unsafe fn inquire_stack_check_heap<I: Integer>(datatype: I) -> I {
    inquire(Routine::InquireStackCheckHeap, Room::StackCheckHeap, datatype)
}

pub unsafe fn inquire_stack_no_partition<I: Integer>(datatype: I) -> I {
    inquire(Routine::InquireStackNoPartition, Room::Total, datatype)
}

pub unsafe fn size_of_elements<I: Integer>(datatype1: I, nelem1: I, datatype2: I) -> I {
    let (from, to) = (type_code(datatype1), type_code(datatype2));
    I::nearest(calls::size_of_elements(Ok(from), Ok(nelem1.get()), Ok(to)))
}

pub unsafe fn size_of_overhead<I: Integer>(datatype: I) -> I {
    I::nearest(calls::size_of_overhead(Ok(type_code(datatype))))
}

pub unsafe fn print_stats<I: Integer>(printroutines: I) {
    calls::print_stats(Ok(printroutines.get() != 0));
}

pub unsafe fn set_auto_verify<I: Integer>(value: I) -> I {
    let on = Ok(value.get() != 0);
    I::logical(calls::set(Routine::SetAutoVerify, |settings| &mut settings.auto_verify, on))
}

pub unsafe fn set_error_print<I: Integer>(value: I) -> I {
    let on = Ok(value.get() != 0);
    I::logical(calls::set(Routine::SetErrorPrint, |settings| &mut settings.error_print, on))
}

pub unsafe fn set_hard_fail<I: Integer>(value: I) -> I {
    let on = Ok(value.get() != 0);
    I::logical(calls::set(Routine::SetHardFail, |settings| &mut settings.hard_fail, on))
}

pub unsafe fn trace<I: Integer>(value: I) {
    calls::set(Routine::Trace, |settings| &mut settings.trace, Ok(value.get() != 0));
}

pub unsafe fn set_error_callback(callback: Option<ErrorCallback>) {
    calls::set_error_callback(callback);
}

pub unsafe fn summarize_allocated_blocks() {
    calls::summarize_allocated_blocks(0);
}

pub unsafe fn verify_allocator_stuff<I: Integer>() -> I {
    I::logical(calls::verify_allocator_stuff())
}
