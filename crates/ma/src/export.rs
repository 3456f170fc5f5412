//! The macro that gives the calls and the base arrays their symbols.

/// Defines the C and Fortran symbols of MA, for one width of INTEGER: `i32` or `i64`.
///
/// Once in a program, at the root of the crate that becomes a library.
///
/// Fortran's common blocks are not among them: a Fortran program has its own, of the size that it declares, and linkers
/// warn where two sizes or alignments differ.
#[macro_export]
macro_rules! export {
    ($int:ty) => {
        $crate::ma_base_arrays! {
            ma_cb_char: [u8; 2]; ma_cb_int: [u32; 2]; ma_cb_long: [u64; 2]; ma_cb_longlong: [u64; 2];
            ma_cb_float: [f32; 2]; ma_cb_dbl: [f64; 2]; ma_cb_ldbl: [u128; 2]; ma_cb_scpl: [[f32; 2]; 2];
            ma_cb_dcpl: [[f64; 2]; 2]; ma_cb_ldcpl: [[f64; 4]; 2];
        }
        $crate::ma_symbols! { $crate::c;
            MA_alloc_get = alloc_get(
                datatype: $int, nelem: $int, name: *const ::std::ffi::c_char, memhandle: *mut $int, index: *mut i64
            ) -> $int;
            MA_allocate_heap = allocate_heap(
                datatype: $int, nelem: $int, name: *const ::std::ffi::c_char, memhandle: *mut $int
            ) -> $int;
            MA_chop_stack = chop_stack(memhandle: $int) -> $int;
            MA_free_heap = free_heap(memhandle: $int) -> $int;
            MA_free_heap_piece = free_heap_piece(memhandle: $int, nelem: $int) -> $int;
            MA_get_index = get_index(memhandle: $int, index: *mut i64) -> $int;
            MA_get_mbase = get_mbase(datatype: $int) -> *mut ::std::ffi::c_char;
            MA_get_next_memhandle = get_next_memhandle(ithandle: *mut $int, memhandle: *mut $int) -> $int;
            MA_get_numalign = get_numalign(value: *mut $int) -> $int;
            MA_get_pointer = get_pointer(memhandle: $int, pointer: *mut ::std::ffi::c_void) -> $int;
            MA_init = init(datatype: $int, nominal_stack: $int, nominal_heap: $int) -> $int;
            MA_init_memhandle_iterator = init_memhandle_iterator(ithandle: *mut $int) -> $int;
            MA_initialized = initialized() -> $int;
            MA_inquire_avail = inquire_avail(datatype: $int) -> $int;
            MA_inquire_heap = inquire_heap(datatype: $int) -> $int;
            MA_inquire_heap_check_stack = inquire_heap_check_stack(datatype: $int) -> $int;
            MA_inquire_heap_no_partition = inquire_heap_no_partition(datatype: $int) -> $int;
            MA_inquire_stack = inquire_stack(datatype: $int) -> $int;
            MA_inquire_stack_check_heap = inquire_stack_check_heap(datatype: $int) -> $int;
            MA_inquire_stack_no_partition = inquire_stack_no_partition(datatype: $int) -> $int;
            MA_pop_stack = pop_stack(memhandle: $int) -> $int;
            MA_print_stats = print_stats(printroutines: $int);
            MA_push_get = push_get(
                datatype: $int, nelem: $int, name: *const ::std::ffi::c_char, memhandle: *mut $int, index: *mut i64
            ) -> $int;
            MA_push_stack = push_stack(
                datatype: $int, nelem: $int, name: *const ::std::ffi::c_char, memhandle: *mut $int
            ) -> $int;
            MA_set_auto_verify = set_auto_verify(value: $int) -> $int;
            MA_set_error_callback = set_error_callback(func: ::core::option::Option<$crate::ErrorCallback>);
            ma_set_error_callback = set_error_callback(func: ::core::option::Option<$crate::ErrorCallback>);
            MA_set_error_print = set_error_print(value: $int) -> $int;
            MA_set_hard_fail = set_hard_fail(value: $int) -> $int;
            MA_set_numalign = set_numalign(value: $int) -> $int;
            MA_sizeof = size_of_elements(datatype1: $int, nelem1: $int, datatype2: $int) -> $int;
            MA_sizeof_overhead = size_of_overhead(datatype: $int) -> $int;
            MA_summarize_allocated_blocks = summarize_allocated_blocks();
            MA_trace = trace(value: $int);
            MA_verify_allocator_stuff = verify_allocator_stuff() -> $int;
        }
        $crate::ma_symbols! { $crate::fortran;
            ma_alloc_get_ = alloc_get(
                datatype: *const $int, nelem: *const $int, name: *const ::std::ffi::c_char, memhandle: *mut $int,
                index: *mut i64, name_len: usize
            ) -> $int;
            ma_allocate_heap_ = allocate_heap(
                datatype: *const $int, nelem: *const $int, name: *const ::std::ffi::c_char, memhandle: *mut $int,
                name_len: usize
            ) -> $int;
            ma_chop_stack_ = chop_stack(memhandle: *const $int) -> $int;
            ma_free_heap_ = free_heap(memhandle: *const $int) -> $int;
            ma_free_heap_piece_ = free_heap_piece(memhandle: *const $int, nelem: *const $int) -> $int;
            ma_get_index_ = get_index(memhandle: *const $int, index: *mut i64) -> $int;
            ma_get_next_memhandle_ = get_next_memhandle(ithandle: *mut $int, memhandle: *mut $int) -> $int;
            ma_get_numalign_ = get_numalign(value: *mut $int) -> $int;
            ma_init_ = init(datatype: *const $int, nominal_stack: *const $int, nominal_heap: *const $int) -> $int;
            ma_init_memhandle_iterator_ = init_memhandle_iterator(ithandle: *mut $int) -> $int;
            ma_initialized_ = initialized() -> $int;
            ma_inquire_avail_ = inquire_avail(datatype: *const $int) -> $int;
            ma_inquire_heap_ = inquire_heap(datatype: *const $int) -> $int;
            ma_inquire_heap_check_stack_ = inquire_heap_check_stack(datatype: *const $int) -> $int;
            ma_inquire_heap_no_partition_ = inquire_heap_no_partition(datatype: *const $int) -> $int;
            ma_inquire_stack_ = inquire_stack(datatype: *const $int) -> $int;
            ma_inquire_stack_check_heap_ = inquire_stack_check_heap(datatype: *const $int) -> $int;
            ma_inquire_stack_no_partition_ = inquire_stack_no_partition(datatype: *const $int) -> $int;
            ma_pop_stack_ = pop_stack(memhandle: *const $int) -> $int;
            ma_print_stats_ = print_stats(printroutines: *const $int);
            ma_push_get_ = push_get(
                datatype: *const $int, nelem: *const $int, name: *const ::std::ffi::c_char, memhandle: *mut $int,
                index: *mut i64, name_len: usize
            ) -> $int;
            ma_push_stack_ = push_stack(
                datatype: *const $int, nelem: *const $int, name: *const ::std::ffi::c_char, memhandle: *mut $int,
                name_len: usize
            ) -> $int;
            ma_set_auto_verify_ = set_auto_verify(value: *const $int) -> $int;
            ma_set_error_print_ = set_error_print(value: *const $int) -> $int;
            ma_set_hard_fail_ = set_hard_fail(value: *const $int) -> $int;
            ma_set_numalign_ = set_numalign(value: *const $int) -> $int;
            ma_sizeof_ = size_of_elements(datatype1: *const $int, nelem1: *const $int, datatype2: *const $int) -> $int;
            ma_sizeof_overhead_ = size_of_overhead(datatype: *const $int) -> $int;
            ma_summarize_allocated_blocks_ = summarize_allocated_blocks();
            ma_trace_ = trace(value: *const $int);
            ma_verify_allocator_stuff_ = verify_allocator_stuff() -> $int;
        }
    };
}

/// Defines symbols that do what the functions of a module do.
#[doc(hidden)]
#[macro_export]
macro_rules! ma_symbols {
    ($module:path; $($symbol:ident = $call:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        #[doc = concat!("`", stringify!($symbol), "` of MA.")]
        ///
        /// # Safety
        /// Arguments are null or point to what the call declares.
        #[allow(non_snake_case)] // the legacy names
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $symbol($($argument: $type),*) $(-> $result)? {
            use $module as calls;
            // SAFETY: the contract is the same.
            unsafe { calls::$call($($argument),*) }
        }
    )*};
}

/// Defines base arrays.
#[doc(hidden)]
#[macro_export]
macro_rules! ma_base_arrays {
    ($($symbol:ident: $elements:ty;)*) => {$(
        #[doc = concat!("The base array `", stringify!($symbol), "` of MA.")]
        #[allow(non_upper_case_globals)] // the legacy names
        #[unsafe(no_mangle)]
        pub static $symbol: $crate::export::BaseArray<$elements> = $crate::export::BaseArray::new();
    )*};
}

pub use crate::bases::BaseArray;
