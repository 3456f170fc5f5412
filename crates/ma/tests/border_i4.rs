//! What is different where INTEGER has 4 bytes: sizes, the range of results, and that an index has 8 bytes all the
//! same.

ma::export!(i32);

const C_CHAR: i32 = 1000;
const FORTRAN_INTEGER: i32 = 1010;
const C_DOUBLE: i32 = 1004;

#[test]
fn an_integer_has_4_bytes_an_index_8_and_numbers_stop_at_the_largest() {
    let (mut handle, mut index) = (-7_i32, -7_i64);
    // SAFETY: a string and variables.
    unsafe {
        assert_eq!(MA_sizeof(FORTRAN_INTEGER, 3, C_CHAR), 12);
        assert_eq!(MA_sizeof(C_DOUBLE, i32::MAX, C_CHAR), i32::MAX);
        assert_eq!(MA_init(C_DOUBLE, i32::MAX, i32::MAX), 1);
        assert_eq!(MA_inquire_avail(C_DOUBLE), i32::MAX);
        assert_eq!(MA_push_get(FORTRAN_INTEGER, 3, c"x".as_ptr(), &raw mut handle, &raw mut index), 1);
        assert_eq!(handle, 0);
        let mut pointer: *mut i32 = std::ptr::null_mut();
        assert_eq!(MA_get_pointer(handle, (&raw mut pointer).cast()), 1);
        let base = MA_get_mbase(FORTRAN_INTEGER).addr();
        let address = base.wrapping_add_signed(isize::try_from(index * 4).expect("near"));
        assert_eq!(address, pointer.addr());
        assert_eq!(MA_pop_stack(handle), 1);
    }
}
