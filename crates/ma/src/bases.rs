//! The base arrays: an index of MA is the distance of a block from one of them, counted in elements.
//!
//! Definitions. The *base* of a type is an array of two elements that C and Fortran can name: `ma_cb_dbl` in C,
//! `dbl_mb` in the common block `/mbc_dbl/` in Fortran. `dbl_mb(1 + (block - base) / 8)` is then the first element of
//! a block, wherever in memory it lies. Required: the base is the same address for this library and for the program,
//! and the distance is a whole number of elements.
//!
//! The same address. A Fortran program has each common block in its own data, under the names `mbc_dbl_` and so on.
//! This library defines none of them: it asks for them, with the weak references below, which a linker resolves to the
//! program's copy if the library is static, and the dynamic linker if it is shared. C's arrays are defined by
//! [`crate::export!`] and asked for in the same way, because the linker of a C program may move them into the
//! program's data (a copy relocation). Where a name stays undefined, as Fortran's do in a C program, an array of this
//! crate is the base: its indices serve nobody, but they are right.
//!
//! The table is written in assembly because weak references have no other form in stable Rust, and because the compiler
//! must not reason about an array that it has not seen: it would trust the alignment of a definition.
//!
//! Whole elements. Compilers align these common blocks to 16 or 32 bytes, but nothing makes them: blocks are placed at
//! the base's distance from the size of an element ([`crate::memory`]).

use crate::datatype::Datatype;
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
compile_error!("the table of base arrays is written for ELF with 8-byte addresses");

macro_rules! table_of_addresses {
    ($($symbol:literal)*) => {
        std::arch::global_asm!(
            ".pushsection .data.rel.ro.chemio_ma_bases,\"aw\",@progbits",
            ".balign 8",
            ".globl chemio_ma_bases",
            ".hidden chemio_ma_bases",
            ".type chemio_ma_bases,@object",
            "chemio_ma_bases:",
            $(concat!(".weak ", $symbol), concat!(".quad ", $symbol),)*
            ".size chemio_ma_bases, . - chemio_ma_bases",
            ".popsection",
        );
    };
}

// In the order of `Datatype`.
table_of_addresses! {
    "ma_cb_char" "ma_cb_int" "ma_cb_long" "ma_cb_float" "ma_cb_dbl" "ma_cb_ldbl" "ma_cb_scpl" "ma_cb_dcpl" "ma_cb_ldcpl"
    "mbc_byte_" "mbc_int_" "mbc_log_" "mbc_real_" "mbc_dbl_" "mbc_scpl_" "mbc_dcpl_"
    "ma_cb_longlong"
}

unsafe extern "C" {
    static chemio_ma_bases: [usize; 17];
}

/// A base array, which only its address matters of: zeros, and the program may write them. Aligned as blocks are, so
/// that they can be.
#[doc(hidden)]
#[repr(align(64))]
pub struct BaseArray<Elements>(UnsafeCell<MaybeUninit<Elements>>);

// SAFETY: nothing here reads or writes the elements.
unsafe impl<Elements> Sync for BaseArray<Elements> {}

impl<Elements> BaseArray<Elements> {
    #[doc(hidden)]
    #[allow(clippy::new_without_default)] // only for statics
    pub const fn new() -> Self {
        Self(UnsafeCell::new(MaybeUninit::zeroed()))
    }
}

/// The base where the program has none of that name.
static NOWHERE_ELSE: BaseArray<[u8; 64]> = BaseArray::new();

/// The address of the base of `datatype`.
pub(crate) fn base(datatype: Datatype) -> usize {
    // SAFETY: the table above has 17 addresses, which the linkers have filled in before any code runs.
    let addresses = unsafe { &chemio_ma_bases };
    match addresses[position(datatype)] {
        0 => (&raw const NOWHERE_ELSE).addr(),
        address => address,
    }
}

/// The place of a type in the table.
const fn position(datatype: Datatype) -> usize {
    match datatype {
        Datatype::Char => 0,
        Datatype::Int => 1,
        Datatype::Long => 2,
        Datatype::Float => 3,
        Datatype::Double => 4,
        Datatype::LongDouble => 5,
        Datatype::SingleComplex => 6,
        Datatype::DoubleComplex => 7,
        Datatype::LongDoubleComplex => 8,
        Datatype::FortranByte => 9,
        Datatype::FortranInteger(_) => 10,
        Datatype::FortranLogical(_) => 11,
        Datatype::FortranReal => 12,
        Datatype::FortranDouble => 13,
        Datatype::FortranSingleComplex => 14,
        Datatype::FortranDoubleComplex => 15,
        Datatype::LongLong => 16,
    }
}

/// The index, from 0, of the element at `address` in the base array of `datatype`. None if it falls between elements.
pub(crate) fn index(datatype: Datatype, address: usize) -> Option<i64> {
    elements_between(base(datatype), address, datatype.element_bytes())
}

/// How many elements `address` lies behind `base`; negative before it.
fn elements_between(base: usize, address: usize, element_bytes: usize) -> Option<i64> {
    let distance = i128::try_from(address).ok()? - i128::try_from(base).ok()?;
    let element_bytes = i128::try_from(element_bytes).ok()?;
    if distance % element_bytes == 0 { i64::try_from(distance / element_bytes).ok() } else { None }
}

/// The address of the Fortran array that elements of `datatype` are reached by: `dbl_mb` for both C's and Fortran's
/// double, `int_mb` for whole numbers of every size. None for the types that Fortran lacks (`long double`).
///
/// Memory whose distance from it is a multiple of an element has an index. Common blocks are at least aligned to an
/// element with every compiler known, so memory aligned to 64 bytes always does; this address is for those who want to
/// be sure.
pub fn fortran_base(datatype: Datatype) -> Option<usize> {
    let array = match datatype {
        Datatype::Char | Datatype::FortranByte => Datatype::FortranByte,
        Datatype::Int | Datatype::Long | Datatype::LongLong | Datatype::FortranInteger(_) => {
            Datatype::FortranInteger(crate::datatype::IntegerWidth::Four) // both widths have the same base
        }
        Datatype::FortranLogical(_) => datatype,
        Datatype::Float | Datatype::FortranReal => Datatype::FortranReal,
        Datatype::Double | Datatype::FortranDouble => Datatype::FortranDouble,
        Datatype::SingleComplex | Datatype::FortranSingleComplex => Datatype::FortranSingleComplex,
        Datatype::DoubleComplex | Datatype::FortranDoubleComplex => Datatype::FortranDoubleComplex,
        Datatype::LongDouble | Datatype::LongDoubleComplex => return None,
    };
    Some(base(array))
}

/// The index, from 1, by which a Fortran program finds the element at `address` in `dbl_mb`, `int_mb` and so on.
///
/// Types of C are taken for what they are called in Fortran, see [`fortran_base`]. Local, a few instructions.
///
/// None if the type has no array in Fortran, or if `address` is not a whole number of elements away from it.
pub fn fortran_index(datatype: Datatype, address: usize) -> Option<i64> {
    elements_between(fortran_base(datatype)?, address, datatype.element_bytes())?.checked_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::IntegerWidth;

    #[test]
    fn a_distance_is_counted_in_elements_on_both_sides_of_the_base() {
        assert_eq!(elements_between(1000, 1000, 8), Some(0));
        assert_eq!(elements_between(1000, 1080, 8), Some(10));
        assert_eq!(elements_between(1000, 920, 8), Some(-10));
        assert_eq!(elements_between(0, usize::MAX, 1), None);
    }

    #[test]
    fn an_address_between_two_elements_has_no_index() {
        for address in [1001, 1004, 999, 996] {
            assert_eq!(elements_between(1000, address, 8), None);
        }
    }

    #[test]
    fn c_and_fortran_names_of_a_type_lead_to_the_same_fortran_index() {
        let base = fortran_base(Datatype::Double).expect("doubles have a Fortran array");
        assert_eq!(fortran_index(Datatype::Double, base), Some(1));
        assert_eq!(fortran_index(Datatype::FortranDouble, base + 80), Some(11));
        assert_eq!(fortran_index(Datatype::Double, base + 80), Some(11));
        let base = fortran_base(Datatype::Int).expect("integers have a Fortran array");
        assert_eq!(fortran_index(Datatype::FortranInteger(IntegerWidth::Eight), base + 80), Some(11));
        assert_eq!(fortran_index(Datatype::FortranInteger(IntegerWidth::Four), base + 80), Some(21));
        assert_eq!(fortran_index(Datatype::Int, base + 80), Some(21));
        assert_eq!(fortran_index(Datatype::LongDouble, base), None);
    }

    #[test]
    fn every_type_has_a_place_in_the_table() {
        for (at, datatype) in Datatype::all(IntegerWidth::Eight).into_iter().enumerate() {
            assert_eq!(position(datatype), at);
            assert_ne!(base(datatype), 0);
        }
    }
}
