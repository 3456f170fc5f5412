//! The Fortran calls, for either width of INTEGER. [`crate::export!`] gives them their symbols; what they do is
//! described in `include/ga/mafdecls.fh`.
//!
//! Every argument comes by reference; the hidden length of a name follows at the end as `size_t`. An index is 8 bytes
//! in both widths. One contract for all: pointers are null or point to what the call declares.
#![allow(clippy::missing_safety_doc, missing_docs)]

use crate::block::Place;
use crate::budget::Room;
use crate::calls::{self, Arguments, TypeCode};
use crate::error::Result;
use crate::integer::Integer;
use crate::pointer::{check, store, value};
use crate::routine::Routine;
use crate::strings;
use std::ffi::c_char;

unsafe fn number<I: Integer>(pointer: *const I, argument: &'static str) -> Result<i64> {
    // SAFETY: see the head of this file.
    unsafe { value(pointer, argument) }.map(I::get)
}

unsafe fn logical<I: Integer>(pointer: *const I, argument: &'static str) -> Result<bool> {
    // SAFETY: see the head of this file.
    unsafe { number(pointer, argument) }.map(|value| value != 0)
}

unsafe fn type_code<I: Integer>(datatype: *const I) -> Result<TypeCode> {
    // SAFETY: see the head of this file.
    unsafe { number(datatype, "datatype") }.map(|code| TypeCode { code, width: I::WIDTH })
}

/// What a block is asked for with, if its handle can be stored.
unsafe fn arguments<'a, I: Integer>(
    datatype: *const I,
    nelem: *const I,
    name: *const c_char,
    memhandle: *mut I,
    name_len: usize,
) -> Result<Arguments<'a>> {
    check(memhandle, "memhandle")?;
    // SAFETY: see the head of this file.
    unsafe {
        let (datatype, elements) = (type_code(datatype)?, number(nelem, "nelem")?);
        Ok(Arguments { datatype, elements, name: strings::fortran_name(name, name_len) })
    }
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

/// As [`allocate`], and stores the index too, from 1.
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
    I::logical(allocated.map(|value| unsafe { store(index, value + 1) }).is_some())
}

/// `logical function ma_alloc_get(datatype, nelem, name, memhandle, index)`
pub unsafe fn alloc_get<I: Integer>(
    datatype: *const I,
    nelem: *const I,
    name: *const c_char,
    memhandle: *mut I,
    index: *mut i64,
    name_len: usize,
) -> I {
    // SAFETY: see the head of this file.
    unsafe {
        let arguments = arguments(datatype, nelem, name, memhandle, name_len);
        allocate_and_get(Routine::AllocGet, Place::Heap, arguments, memhandle, index)
    }
}

/// `logical function ma_allocate_heap(datatype, nelem, name, memhandle)`
pub unsafe fn allocate_heap<I: Integer>(
    datatype: *const I,
    nelem: *const I,
    name: *const c_char,
    memhandle: *mut I,
    name_len: usize,
) -> I {
    // SAFETY: see the head of this file.
    let index = unsafe {
        let arguments = arguments(datatype, nelem, name, memhandle, name_len);
        allocate(Routine::AllocateHeap, Place::Heap, arguments, memhandle)
    };
    I::logical(index.is_some())
}

/// `logical function ma_push_get(datatype, nelem, name, memhandle, index)`
pub unsafe fn push_get<I: Integer>(
    datatype: *const I,
    nelem: *const I,
    name: *const c_char,
    memhandle: *mut I,
    index: *mut i64,
    name_len: usize,
) -> I {
    // SAFETY: see the head of this file.
    unsafe {
        let arguments = arguments(datatype, nelem, name, memhandle, name_len);
        allocate_and_get(Routine::PushGet, Place::Stack, arguments, memhandle, index)
    }
}

/// `logical function ma_push_stack(datatype, nelem, name, memhandle)`
pub unsafe fn push_stack<I: Integer>(
    datatype: *const I,
    nelem: *const I,
    name: *const c_char,
    memhandle: *mut I,
    name_len: usize,
) -> I {
    // SAFETY: see the head of this file.
    let index = unsafe {
        let arguments = arguments(datatype, nelem, name, memhandle, name_len);
        allocate(Routine::PushStack, Place::Stack, arguments, memhandle)
    };
    I::logical(index.is_some())
}

/// `logical function ma_chop_stack(memhandle)`
pub unsafe fn chop_stack<I: Integer>(memhandle: *const I) -> I {
    // SAFETY: see the head of this file.
    I::logical(calls::chop_stack(unsafe { number(memhandle, "memhandle") }))
}

/// `logical function ma_free_heap(memhandle)`
pub unsafe fn free_heap<I: Integer>(memhandle: *const I) -> I {
    // SAFETY: see the head of this file.
    I::logical(calls::free_heap(unsafe { number(memhandle, "memhandle") }))
}

/// `logical function ma_free_heap_piece(memhandle, nelem)`
pub unsafe fn free_heap_piece<I: Integer>(memhandle: *const I, nelem: *const I) -> I {
    // SAFETY: see the head of this file.
    let (memhandle, nelem) = unsafe { (number(memhandle, "memhandle"), number(nelem, "nelem")) };
    I::logical(calls::free_heap_piece(memhandle, nelem))
}

/// `logical function ma_pop_stack(memhandle)`
pub unsafe fn pop_stack<I: Integer>(memhandle: *const I) -> I {
    // SAFETY: see the head of this file.
    I::logical(calls::pop_stack(unsafe { number(memhandle, "memhandle") }))
}

/// `logical function ma_get_index(memhandle, index)`
pub unsafe fn get_index<I: Integer>(memhandle: *const I, index: *mut i64) -> I {
    // SAFETY: see the head of this file.
    let memhandle = unsafe { check(index, "index").and(number(memhandle, "memhandle")) };
    // SAFETY: checked above.
    I::logical(calls::get_index(memhandle).map(|value| unsafe { store(index, value + 1) }).is_some())
}

/// `logical function ma_init(datatype, nominal_stack, nominal_heap)`
pub unsafe fn init<I: Integer>(datatype: *const I, nominal_stack: *const I, nominal_heap: *const I) -> I {
    // SAFETY: see the head of this file.
    let (stack, heap) =
        unsafe { (number(nominal_stack, "nominal_stack"), number(nominal_heap, "nominal_heap")) };
    // SAFETY: as above.
    I::logical(calls::init(unsafe { type_code(datatype) }, stack, heap))
}

/// `logical function ma_initialized()`
pub unsafe fn initialized<I: Integer>() -> I {
    I::logical(calls::initialized())
}

/// `logical function ma_init_memhandle_iterator(ithandle)`
pub unsafe fn init_memhandle_iterator<I: Integer>(ithandle: *mut I) -> I {
    // SAFETY: the contract is the same.
    unsafe { crate::c::init_memhandle_iterator(ithandle) }
}

/// `logical function ma_get_next_memhandle(ithandle, memhandle)`
pub unsafe fn get_next_memhandle<I: Integer>(ithandle: *mut I, memhandle: *mut I) -> I {
    // SAFETY: the contract is the same.
    unsafe { crate::c::get_next_memhandle(ithandle, memhandle) }
}

/// `logical function ma_get_numalign(value)`
pub unsafe fn get_numalign<I: Integer>(value: *mut I) -> I {
    // SAFETY: the contract is the same.
    unsafe { crate::c::get_numalign(value) }
}

/// `logical function ma_set_numalign(value)`
pub unsafe fn set_numalign<I: Integer>(value: *const I) -> I {
    // SAFETY: see the head of this file.
    I::logical(calls::set_numalign(unsafe { number(value, "value") }))
}

unsafe fn inquire<I: Integer>(routine: Routine, room: Room, datatype: *const I) -> I {
    // SAFETY: see the head of this file.
    I::nearest(calls::inquire(routine, room, unsafe { type_code(datatype) }))
}

/// `integer function ma_inquire_avail(datatype)`
pub unsafe fn inquire_avail<I: Integer>(datatype: *const I) -> I {
    // SAFETY: see the head of this file.
    unsafe { inquire(Routine::InquireAvail, Room::Total, datatype) }
}

/// `integer function ma_inquire_heap(datatype)`
pub unsafe fn inquire_heap<I: Integer>(datatype: *const I) -> I {
    // SAFETY: see the head of this file.
    unsafe { inquire(Routine::InquireHeap, Room::Heap, datatype) }
}

/// `integer function ma_inquire_heap_check_stack(datatype)`
pub unsafe fn inquire_heap_check_stack<I: Integer>(datatype: *const I) -> I {
    // SAFETY: see the head of this file.
    unsafe { inquire(Routine::InquireHeapCheckStack, Room::HeapCheckStack, datatype) }
}

/// `integer function ma_inquire_heap_no_partition(datatype)`
pub unsafe fn inquire_heap_no_partition<I: Integer>(datatype: *const I) -> I {
    // SAFETY: see the head of this file.
    unsafe { inquire(Routine::InquireHeapNoPartition, Room::Total, datatype) }
}

/// `integer function ma_inquire_stack(datatype)`
pub unsafe fn inquire_stack<I: Integer>(datatype: *const I) -> I {
    // SAFETY: see the head of this file.
    unsafe { inquire(Routine::InquireStack, Room::Stack, datatype) }
}

/// `integer function ma_inquire_stack_check_heap(datatype)`
pub unsafe fn inquire_stack_check_heap<I: Integer>(datatype: *const I) -> I {
    // SAFETY: see the head of this file.
    unsafe { inquire(Routine::InquireStackCheckHeap, Room::StackCheckHeap, datatype) }
}

/// `integer function ma_inquire_stack_no_partition(datatype)`
pub unsafe fn inquire_stack_no_partition<I: Integer>(datatype: *const I) -> I {
    // SAFETY: see the head of this file.
    unsafe { inquire(Routine::InquireStackNoPartition, Room::Total, datatype) }
}

/// `integer function ma_sizeof(datatype1, nelem1, datatype2)`
pub unsafe fn size_of_elements<I: Integer>(datatype1: *const I, nelem1: *const I, datatype2: *const I) -> I {
    // SAFETY: see the head of this file.
    let (from, count, to) = unsafe { (type_code(datatype1), number(nelem1, "nelem1"), type_code(datatype2)) };
    I::nearest(calls::size_of_elements(from, count, to))
}

/// `integer function ma_sizeof_overhead(datatype)`
pub unsafe fn size_of_overhead<I: Integer>(datatype: *const I) -> I {
    // SAFETY: see the head of this file.
    I::nearest(calls::size_of_overhead(unsafe { type_code(datatype) }))
}

/// `subroutine ma_print_stats(printroutines)`
pub unsafe fn print_stats<I: Integer>(printroutines: *const I) {
    // SAFETY: see the head of this file.
    calls::print_stats(unsafe { logical(printroutines, "printroutines") });
}

/// `logical function ma_set_auto_verify(value)`
pub unsafe fn set_auto_verify<I: Integer>(value: *const I) -> I {
    // SAFETY: see the head of this file.
    let on = unsafe { logical(value, "value") };
    I::logical(calls::set(Routine::SetAutoVerify, |settings| &mut settings.auto_verify, on))
}

/// `logical function ma_set_error_print(value)`
pub unsafe fn set_error_print<I: Integer>(value: *const I) -> I {
    // SAFETY: see the head of this file.
    let on = unsafe { logical(value, "value") };
    I::logical(calls::set(Routine::SetErrorPrint, |settings| &mut settings.error_print, on))
}

/// `logical function ma_set_hard_fail(value)`
pub unsafe fn set_hard_fail<I: Integer>(value: *const I) -> I {
    // SAFETY: see the head of this file.
    let on = unsafe { logical(value, "value") };
    I::logical(calls::set(Routine::SetHardFail, |settings| &mut settings.hard_fail, on))
}

/// `subroutine ma_trace(value)`
pub unsafe fn trace<I: Integer>(value: *const I) {
    // SAFETY: see the head of this file.
    let on = unsafe { logical(value, "value") };
    calls::set(Routine::Trace, |settings| &mut settings.trace, on);
}

/// `subroutine ma_summarize_allocated_blocks()`
pub unsafe fn summarize_allocated_blocks() {
    calls::summarize_allocated_blocks(1);
}

/// `logical function ma_verify_allocator_stuff()`
pub unsafe fn verify_allocator_stuff<I: Integer>() -> I {
    I::logical(calls::verify_allocator_stuff())
}
