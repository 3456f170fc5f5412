//! The exported calls, C and Fortran, with 8-byte INTEGER. One process has one session, so the tests take turns.

use std::ffi::{CStr, c_char, c_long};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

ma::export!(i64);

const C_DOUBLE: i64 = 1004;
const FORTRAN_DOUBLE: i64 = 1013;
const HEAP_DOUBLES: i64 = 1000;
const STACK_DOUBLES: i64 = 2000;

/// Gives a test the initialised session for itself.
fn session() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: no pointers.
    unsafe {
        if MA_initialized() == 0 {
            assert_eq!(MA_init(C_DOUBLE, STACK_DOUBLES, HEAP_DOUBLES), 1);
        }
        MA_set_error_print(0);
    }
    turn
}

fn push(elements: i64) -> (i64, i64) {
    let (mut handle, mut index) = (-7, -7);
    // SAFETY: a string and two variables.
    let done = unsafe { MA_push_get(C_DOUBLE, elements, c"work".as_ptr(), &raw mut handle, &raw mut index) };
    assert_eq!(done, 1);
    (handle, index)
}

fn pop(handle: i64) -> i64 {
    // SAFETY: no pointers.
    unsafe { MA_pop_stack(handle) }
}

fn pointer_of(handle: i64) -> *mut f64 {
    let mut pointer: *mut f64 = null_mut();
    // SAFETY: the address of a pointer.
    assert_eq!(unsafe { MA_get_pointer(handle, (&raw mut pointer).cast()) }, 1);
    pointer
}

#[test]
fn an_index_leads_from_the_exported_base_array_to_the_block() {
    let _turn = session();
    let (handle, index) = push(10);
    let base = (&raw const ma_cb_dbl).addr();
    assert_eq!(
        base.wrapping_add_signed(isize::try_from(index * 8).expect("near")),
        pointer_of(handle).addr()
    );
    // SAFETY: no pointers.
    assert_eq!(unsafe { MA_get_mbase(C_DOUBLE) }.addr(), base);
    assert_eq!(pop(handle), 1);
}

#[test]
fn fortran_counts_from_1_and_from_its_own_common_block() {
    let _turn = session();
    let (datatype, elements, mut handle, mut index) = (FORTRAN_DOUBLE, 10, -7, -7);
    // SAFETY: variables, and a name of 6 characters.
    let done = unsafe {
        let name = c"work  ".as_ptr();
        ma_alloc_get_(&raw const datatype, &raw const elements, name, &raw mut handle, &raw mut index, 6)
    };
    assert_eq!(done, 1);
    let address = pointer_of(handle).addr();
    assert_eq!(ma::fortran_index(ma::Datatype::FortranDouble, address), Some(index));
    let base = ma::fortran_base(ma::Datatype::FortranDouble).expect("doubles have one");
    assert_eq!(base.wrapping_add_signed(isize::try_from((index - 1) * 8).expect("near")), address);
    // SAFETY: a variable.
    assert_eq!(unsafe { ma_free_heap_(&raw const handle) }, 1);
}

#[test]
fn null_pointers_are_failures_and_allocate_nothing() {
    let _turn = session();
    let (datatype, elements, mut handle, mut index) = (FORTRAN_DOUBLE, 1_i64, -7_i64, -7_i64);
    let (d, n, h, i) = (&raw const datatype, &raw const elements, &raw mut handle, &raw mut index);
    let name = c"x".as_ptr();
    // SAFETY: pointers to variables, or null.
    unsafe {
        let before = MA_inquire_avail(C_DOUBLE);
        assert_eq!(MA_push_get(C_DOUBLE, 1, name, null_mut(), i), 0);
        assert_eq!(MA_push_get(C_DOUBLE, 1, name, h, null_mut()), 0);
        assert_eq!(MA_allocate_heap(C_DOUBLE, 1, name, null_mut()), 0);
        assert_eq!(ma_push_get_(null(), n, name, h, i, 1), 0);
        assert_eq!(ma_push_get_(d, null(), name, h, i, 1), 0);
        assert_eq!(ma_push_get_(d, n, name, null_mut(), i, 1), 0);
        assert_eq!(ma_alloc_get_(d, n, name, h, null_mut(), 1), 0);
        assert_eq!(MA_get_index(0, null_mut()), 0);
        assert_eq!(MA_get_pointer(0, null_mut()), 0);
        assert_eq!(MA_get_numalign(null_mut()), 0);
        assert_eq!(MA_init_memhandle_iterator(null_mut()), 0);
        assert_eq!(MA_get_next_memhandle(null_mut(), h), 0);
        assert_eq!(MA_get_next_memhandle(h, null_mut()), 0);
        assert_eq!(ma_pop_stack_(null()), 0);
        assert_eq!(ma_sizeof_(d, null(), d), 0);
        assert_eq!(ma_set_error_print_(null()), 0);
        assert_eq!(MA_inquire_avail(C_DOUBLE), before);
        assert_eq!((handle, index), (-7, -7));
        assert_eq!(MA_allocate_heap(C_DOUBLE, 1, null(), h), 1);
        assert_eq!(MA_free_heap(handle), 1);
    }
}

#[test]
fn bad_types_and_counts_are_failures() {
    let _turn = session();
    let mut handle = -7;
    let h = &raw mut handle;
    // SAFETY: pointers to variables.
    unsafe {
        for datatype in [999, 1017, 0, -1, i64::MAX, i64::MIN] {
            assert_eq!(MA_push_stack(datatype, 1, c"x".as_ptr(), h), 0);
            assert_eq!(MA_inquire_avail(datatype), 0);
            assert_eq!(MA_sizeof(datatype, 1, C_DOUBLE), 0);
            assert_eq!(MA_sizeof(C_DOUBLE, 1, datatype), 0);
            assert!(MA_get_mbase(datatype).is_null());
        }
        assert_eq!(MA_push_stack(C_DOUBLE, -1, c"x".as_ptr(), h), 0);
        assert_eq!(MA_push_stack(C_DOUBLE, i64::MAX, c"x".as_ptr(), h), 0);
        assert_eq!(MA_sizeof(C_DOUBLE, -1, C_DOUBLE), 0);
        assert_eq!(MA_sizeof(1007, i64::MAX, 1000), i64::MAX);
        assert_eq!(handle, -7);
    }
}

#[test]
fn sizes_are_rounded_up_to_whole_elements() {
    let _turn = session();
    // SAFETY: no pointers.
    unsafe {
        assert_eq!(MA_sizeof(C_DOUBLE, 3, 1000), 24);
        assert_eq!(MA_sizeof(1000, 17, C_DOUBLE), 3);
        assert_eq!(MA_sizeof(1000, 16, C_DOUBLE), 2);
        assert_eq!(MA_sizeof(1000, 0, C_DOUBLE), 0);
        assert_eq!(MA_sizeof_overhead(C_DOUBLE), 0);
    }
}

#[test]
fn settings_give_what_was_set_before() {
    let _turn = session();
    // SAFETY: no pointers but to a variable.
    unsafe {
        assert_eq!(MA_set_error_print(0), 0);
        assert_eq!(MA_set_auto_verify(1), 0);
        assert_eq!(MA_set_auto_verify(0), 1);
        assert_eq!(MA_set_hard_fail(0), 0);
        let mut exponent = -1;
        assert_eq!(MA_set_numalign(8), 1);
        assert_eq!(MA_get_numalign(&raw mut exponent), 1);
        assert_eq!(exponent, 8);
        assert_eq!(MA_set_numalign(31), 0);
        assert_eq!(MA_set_numalign(0), 1);
    }
}

#[test]
fn damage_fails_every_verified_call_when_that_is_set() {
    let _turn = session();
    let (handle, _) = push(3);
    let behind = pointer_of(handle).wrapping_add(3);
    // SAFETY: the guard lies behind the block; no call looks at it meanwhile.
    unsafe {
        let kept = behind.read();
        behind.write(1.0);
        assert_eq!(MA_verify_allocator_stuff(), 0);
        MA_set_auto_verify(1);
        let mut other = -7;
        assert_eq!(MA_push_stack(C_DOUBLE, 1, c"x".as_ptr(), &raw mut other), 0);
        assert_eq!(MA_inquire_avail(C_DOUBLE), 0);
        assert_eq!(other, -7);
        assert_eq!(MA_initialized(), 1);
        behind.write(kept);
        assert_eq!(MA_verify_allocator_stuff(), 1);
        MA_set_auto_verify(0);
    }
    assert_eq!(pop(handle), 1);
}

static CALLED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count(message: *const c_char, code: c_long) {
    // SAFETY: MA promises a string.
    let text = unsafe { CStr::from_ptr(message) };
    assert!(!text.is_empty());
    assert_eq!(code, 0);
    // SAFETY: no pointers. A callback may make calls.
    assert_eq!(unsafe { MA_initialized() }, 1);
    CALLED.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn a_hard_failure_calls_back_and_goes_on_if_the_callback_returns() {
    let _turn = session();
    // SAFETY: the callback takes what it is called with.
    unsafe {
        MA_set_error_callback(Some(count));
        MA_set_hard_fail(1);
        assert_eq!(MA_pop_stack(-1), 0);
        MA_set_hard_fail(0);
        assert_eq!(MA_pop_stack(-1), 0);
        MA_set_error_callback(None);
    }
    assert_eq!(CALLED.load(Ordering::Relaxed), 1);
}

#[test]
fn threads_allocate_and_free_side_by_side() {
    let _turn = session();
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            scope.spawn(move || (0..200).for_each(|_| fill_and_free(f64::from(thread))));
        }
    });
    // SAFETY: no pointers.
    unsafe { assert_eq!(MA_inquire_heap(C_DOUBLE), HEAP_DOUBLES) };
}

fn fill_and_free(value: f64) {
    let mut handle = -7;
    // SAFETY: pointers to variables; the block has 100 elements and belongs to this thread.
    unsafe {
        assert_eq!(MA_allocate_heap(C_DOUBLE, 100, c"thread".as_ptr(), &raw mut handle), 1);
        let elements = std::slice::from_raw_parts_mut(pointer_of(handle), 100);
        elements.fill(value);
        std::thread::yield_now();
        assert!(elements.iter().all(|&element| element.to_bits() == value.to_bits()));
        assert_eq!(MA_free_heap(handle), 1);
    }
}
